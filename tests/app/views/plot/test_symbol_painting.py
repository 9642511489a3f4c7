"""Many points: cached pictures of them against plain painting; symbols in their locations, on top, at every pixel
ratio.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.state.document import Document, Lane, View
from app.tools import PointerPosition, nearest
from app.views.plot import lines, symbol_painting
from app.views.plot.lines import dashed
from app.views.plot.symbol_painting import KINDS, Cloud, size_for
from app.views.plot.symbols import HIGHLIGHT
from app.views.theme import DARK, LIGHT
from app.window.main_window import MainWindow
from tests.app.views.wheel import turn
from tests.windows import Make, settle

WIDTH, HEIGHT = 300, 200
CORNERS = QRectF(0.0, 0.0, 3.0, 2.0)  # a hundredth is a pixel


@pytest.fixture(autouse=True)
def counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give each cloud the number of times that its picture was made anew, or moved and completed at its edges."""
    for work, count in ((Cloud._new_image, "made"), (Cloud._mended, "mended")):

        def counting(cloud: Cloud, *given: Any, count: str = count, work: Any = work) -> Any:
            setattr(cloud, count, getattr(cloud, count) + 1)
            return work(cloud, *given)

        monkeypatch.setattr(Cloud, count, 0, raising=False)
        monkeypatch.setattr(Cloud, work.__name__, counting)


def painted(
    cloud: Cloud, ratio: float = 1.0, corners: QRectF = CORNERS, dark: bool = False, size: int | None = None
) -> np.ndarray:
    """Return the pixels 0xffrrggbb of `cloud` alone, on white, as a canvas has it painted."""
    image = QImage(round(WIDTH * ratio), round(HEIGHT * ratio), QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    painter.scale(1 / ratio, 1 / ratio)
    area = QRectF(0, 0, WIDTH * ratio, HEIGHT * ratio)
    cloud.paint(painter, corners, area, DARK if dark else LIGHT, size or size_for(len(cloud)), ratio)
    painter.end()
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.width()).copy()


def cloud_of(xy: np.ndarray, kinds: np.ndarray) -> Cloud:
    cloud = Cloud()
    cloud.show(np.asarray(xy, dtype=float), np.asarray(kinds, dtype=np.intp))
    return cloud


def some(count: int, seed: int = 0, classes: int = 8) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    return rng.uniform((-0.1, -0.1), (3.1, 2.1), (count, 2)), rng.integers(0, classes, count)


def argb(rgb: tuple[int, int, int]) -> int:
    return 0xFF000000 | rgb[0] << 16 | rgb[1] << 8 | rgb[2]


def pixel_of(xy: np.ndarray, ratio: float) -> tuple[np.ndarray, np.ndarray]:
    """Return column and row of the device pixel that shows each location."""
    return np.floor(xy[:, 0] * 100 * ratio).astype(int), np.floor((2 - xy[:, 1]) * 100 * ratio).astype(int)


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("count", [3000, 20_000, 40_000])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
def test_a_kept_picture_is_what_plain_painting_gives(monkeypatch: pytest.MonkeyPatch, count: int, ratio: float) -> None:
    xy, kinds = some(count)
    kept = cloud_of(xy, kinds)
    found = painted(kept, ratio)
    assert kept.made == 1
    culled = count > symbol_painting.CULLED
    monkeypatch.setattr(symbol_painting, "KEPT", 10**9)
    monkeypatch.setattr(symbol_painting, "CULLED", 10**9)
    plain = painted(cloud_of(xy, kinds), ratio)
    channels = [np.stack([pixels >> shift & 255 for shift in (0, 8, 16)]).astype(int) for pixels in (found, plain)]
    steps = np.abs(channels[0] - channels[1]).max(axis=0)
    # Blending twice rounds twice.  And hidden symbols are omitted: corners of other shapes may show, a whole pixel each
    # where symbols have four.
    assert (steps > 4).mean() <= (0.05 if culled else 0.0)
    assert (plain != 0xFFFFFFFF).mean() > 0.3


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("count", [100, 40_000])
def test_the_colour_at_a_points_pixel_is_that_of_the_last_point_near_it(count: int, ratio: float, dark: bool) -> None:
    xy, kinds = some(count, seed=1, classes=8 if count == 100 else 4)  # (small stars are nearly all outline)
    pixels = painted(cloud_of(xy, kinds), ratio, dark=dark)
    columns, rows = pixel_of(xy, ratio)
    theme = DARK if dark else LIGHT
    inside = (columns >= 0) & (columns < pixels.shape[1]) & (rows >= 0) & (rows < pixels.shape[0])
    checked = 0
    for index in np.flatnonzero(inside)[::-1][:400]:
        later = slice(index + 1, None)
        reach = 12 * ratio
        if (np.abs(columns[later] - columns[index]) < reach).any() and (
            np.hypot(columns[later] - columns[index], rows[later] - rows[index]) < reach
        ).any():
            continue
        found = np.array([pixels[rows[index], columns[index]] >> shift & 255 for shift in (16, 8, 0)]).astype(int)
        assert np.abs(found - theme.classes[kinds[index]]).max() <= (0 if count == 100 else 4)
        checked += 1
    assert checked > 20


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("ratio", [1.0, 1.5, 2.0])
@pytest.mark.parametrize("kind", ["0", "1", "free0", "free1", "bounded0", "bounded1", "selected"])
def test_symbols_are_symmetric_about_the_middle_of_their_pixel(ratio: float, kind: str) -> None:
    pixels = painted(cloud_of(np.array([[1.502, 1.0]]), [KINDS.index(kind)]), ratio, size=11)
    (column,), (row,) = pixel_of(np.array([[1.502, 1.0]]), ratio)
    reach = int(18 * ratio)
    cell = pixels[row - reach : row + reach + 1, column - reach : column + reach + 1].astype(np.int64)
    assert (cell != 0xFFFFFFFF).sum() > 50
    for mirrored in (cell[::-1], cell[:, ::-1]):
        off = [np.abs((cell >> s & 255) - (mirrored >> s & 255)).max() for s in (0, 8, 16)]
        assert max(off) <= 40, "but for the rounding of soft edges"


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("dark", [False, True])
def test_the_mark_of_what_is_selected_stands_out_and_leaves_the_symbol_readable(dark: bool) -> None:
    theme = DARK if dark else LIGHT
    location = np.array([[1.505, 1.005]])
    (column,), (row,) = pixel_of(location, 1.0)
    visible = []
    for label, colour in enumerate(theme.classes):
        fill = painted(cloud_of(location, [label]), size=11, dark=dark) == argb(colour)
        free, bounded = (
            painted(cloud_of(location, [KINDS.index(f"{kind}{label}")]), size=11, dark=dark)
            for kind in ("free", "bounded")
        )
        assert (free[fill] == 0xFFFFFFFF).all(), "round the symbol"
        assert bounded[row, column] == 0xFFFFFFFF and (bounded[fill] == 0xFFFFFFFF).mean() > 0.1, "on its outline"
        visible += [free, bounded]
    both = painted(cloud_of(np.repeat(location, 2, axis=0), [KINDS.index("selected"), 3]), size=11, dark=dark)
    assert both[row, column] == argb(theme.classes[3])
    assert argb(HIGHLIGHT) in both[row, column : column + 20]
    assert argb(HIGHLIGHT) not in np.concatenate(visible) and HIGHLIGHT not in theme.classes


@pytest.mark.usefixtures("qapp")
@pytest.mark.parametrize("ratio", [1.0, 2.0])
@pytest.mark.parametrize(("dx", "dy"), [(7, 0), (-7, 0), (0, 5), (0, -5), (13, -9), (-280, 190), (400, 0)])
def test_a_picture_moved_along_with_the_view_is_what_a_new_one_would_be(ratio: float, dx: int, dy: int) -> None:
    xy, kinds = some(6000, seed=2)
    xy = xy * 1.5 - 0.7
    cloud = cloud_of(xy, kinds)
    painted(cloud, ratio)
    shifts = [1, 1, 2, 2]
    for part in shifts:
        share = part / sum(shifts)
        corners = CORNERS.translated(0.01 * round(dx * share), 0.01 * round(dy * share))
        moved = painted(cloud, ratio, corners)
    assert cloud.made == 1 and cloud.mended >= 1
    np.testing.assert_array_equal(moved, painted(cloud_of(xy, kinds), ratio, corners))


@pytest.mark.usefixtures("qapp")
def test_the_kept_picture_is_made_anew_when_anything_it_shows_changes() -> None:
    xy, kinds = some(5000)
    cloud = cloud_of(xy, kinds)
    first = painted(cloud)
    painted(cloud)
    assert cloud.made == 1 and cloud.mended == 0
    zoomed = QRectF(0, 0, 2.7, 1.8)
    for number, (change, expected) in enumerate(
        (
            (lambda: painted(cloud, corners=zoomed), lambda c: painted(c, corners=zoomed)),
            (lambda: painted(cloud, dark=True), lambda c: painted(c, dark=True)),
            (lambda: painted(cloud, size=4), lambda c: painted(c, size=4)),
            (lambda: painted(cloud, ratio=2.0), lambda c: painted(c, ratio=2.0)),
            (lambda: painted(cloud), painted),
        ),
        start=2,
    ):
        found = change()
        assert cloud.made == number
        np.testing.assert_array_equal(found, expected(cloud_of(xy.copy(), kinds.copy())))
    cloud.show(xy[:-1000], kinds[:-1000])
    assert (painted(cloud) != first).any()


def test_what_another_plot_has_just_painted_is_not_painted_again() -> None:
    xy, kinds = some(5000)
    first, second = cloud_of(xy, kinds), cloud_of(xy, kinds)
    picture = painted(first)
    np.testing.assert_array_equal(painted(second), picture)
    assert (first.made, second.made) == (1, 0)
    zoomed = QRectF(0, 0, 2.7, 1.8)
    found = painted(second, corners=zoomed)
    assert second.made == 1 and (found != picture).any()
    np.testing.assert_array_equal(painted(first, corners=zoomed), found)
    other = cloud_of(xy, np.roll(kinds, 1))
    assert (painted(other, corners=zoomed) != found).any() and other.made == 1, "the same places, other classes"
    same = cloud_of(xy.copy(), kinds)
    np.testing.assert_array_equal(painted(same, corners=zoomed), found)
    assert same.made == 1, "equal places are looked at by nobody"


def test_lanes_paint_their_points_once(make: Make, qtbot: QtBot) -> None:
    window = make(replace(many(5000), shown=2))
    clouds = [canvas.layers.points for canvas in window.canvases[:2]]
    areas = [canvas.plot_area().size() for canvas in window.canvases[:2]]
    assert areas[0] == areas[1]
    before = [cloud.made for cloud in clouds]
    alt = Qt.KeyboardModifier.AltModifier  # also on top of a point
    QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, alt, window.to_widget(0, 1.0, 1.9))
    settle(qtbot, window)
    assert len(window.document.points) == 5001
    assert sum(cloud.made for cloud in clouds) == sum(before) + 1


def test_lanes_paint_points_and_selection_once_in_every_new_view(make: Make, qtbot: QtBot) -> None:
    """Three clouds a lane: the picture of the points is still known after selection and marks have been painted."""
    window = make(replace(many(5000), shown=2))
    settle(qtbot, window)
    window.named_actions["select_all"].trigger()
    settle(qtbot, window)
    layers = [canvas.layers for canvas in window.canvases[:2]]
    assert len(layers[1].marks) > symbol_painting.KEPT, "the marks of this document push other pictures out"
    before = [sum(getattr(layer, name).made for layer in layers) for name in ("points", "_selected")]
    turn(window.canvases[0].viewport(), 120)
    settle(qtbot, window)
    after = [sum(getattr(layer, name).made for layer in layers) for name in ("points", "_selected")]
    assert after == [before[0] + 1, before[1] + 1]


def many(count: int) -> Document:
    xy, labels = some(count, classes=3)
    return Document(points=Points.of(xy, labels), lanes=(Lane("knn"), Lane("knn")), shown=1, view=View(1.5, 1.0, 2.4))


def points_cloud(window: MainWindow) -> Cloud:
    return window.canvases[0].layers.points


@pytest.mark.slow
def test_a_new_surface_or_mark_does_not_paint_many_points_again(make: Make, qtbot: QtBot) -> None:
    window = make(many(20_000))
    cloud = points_cloud(window)
    before = (cloud.made, cloud.mended)
    frame = window.result(0)
    window.controller.set_lane(0, "knn", n_neighbors=9)
    settle(qtbot, window)
    assert window.result(0).picture is not frame.picture
    assert (cloud.made, cloud.mended) == before
    unit = window.canvases[0].pointer_at(window.canvases[0].plot_area().center()).unit
    for number in range(1, 12):
        window.controller.pan(7 * unit, (number % 3) * unit)
        window.refreshing.flush()
        window.canvases[0].viewport().repaint()
        assert cloud.made == before[0] and cloud.mended == before[1] + number
    settle(qtbot, window)
    window.appearance.choose_theme("dark")
    settle(qtbot, window)
    assert cloud.made == before[0] + 1


def test_selected_points_carry_their_ring_on_the_canvas(make: Make, qapp: QApplication) -> None:
    window = make(many(50))
    canvas, editing = window.canvases[0], window.controller.editing
    highlight = argb(HIGHLIGHT)

    def highlights() -> int:
        window.refreshing.flush()
        image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        return int((np.frombuffer(image.constBits(), dtype=np.uint32) == highlight).sum())

    assert highlights() < 20
    editing.select(np.array([3, 7]))
    two = highlights()
    editing.select(np.array([3]))
    assert two > highlights() > 20
    editing.select_none()
    assert highlights() < 20


def test_axis_names_are_plain_text_and_take_room_only_when_there_are_any(make: Make, qtbot: QtBot) -> None:
    window = make(many(50))
    canvas = window.canvases[0]
    size = canvas.plot_size()
    window.controller.set_axes(("<b>a</b> & b (x0.001)", "height"))
    settle(qtbot, window)
    item = canvas.plot
    assert item.axes["bottom"].label.toPlainText().strip() == "<b>a</b> & b (x0.001)"
    assert item.axes["left"].label.toPlainText().strip() == "height"
    assert canvas.plot_size()[0] < size[0] and canvas.plot_size()[1] < size[1]
    window.resize(700, 700)
    window.controller.set_axes(("m" * 60, ""))
    settle(qtbot, window)
    assert item.axes["bottom"].label.boundingRect().width() <= canvas.plot_size()[0]
    assert item.axes["bottom"].label.toPlainText().strip().endswith("…")
    window.resize(1100, 760)
    window.controller.set_axes(("", ""))
    settle(qtbot, window)
    assert canvas.plot_size() == size
    assert not item.axes["bottom"].label.isVisible()
    grid = canvas.grid()
    assert (grid.width, grid.height) == size


def test_the_nearest_of_many_points_is_the_nearest_of_all() -> None:
    xy, labels = some(3000)
    document = Document(points=Points.of(xy, labels))
    rng = np.random.default_rng(3)
    found = 0
    for _ in range(300):
        pointer = PointerPosition(*rng.uniform((-0.2, -0.2), (3.2, 2.2)), 0.004)
        away = np.hypot(*(xy - (pointer.x, pointer.y)).T)
        expected = int(away.argmin()) if away.min() <= 10 * pointer.unit else None
        assert nearest(document, pointer, 10) == expected
        found += expected is not None
    assert 50 < found < 300


def test_dashes_have_their_lengths_and_stay_on_the_line() -> None:
    t = np.linspace(0, 2 * np.pi, 400)
    x = np.concatenate([100 * np.cos(t), [np.nan], [0.0, 30.0, 30.0]])
    y = np.concatenate([100 * np.sin(t), [np.nan], [0.0, 0.0, 35.0]])
    pieces = dashed(x, y, 6.0, 4.0, QRectF(-100, -100, 200, 200))
    lengths = np.hypot(pieces[:, 2] - pieces[:, 0], pieces[:, 3] - pieces[:, 1])
    begins = np.append(True, (np.abs(pieces[1:, :2] - pieces[:-1, 2:]) > 1e-9).any(axis=1))  # not joined to the last
    dashes = np.add.reduceat(lengths, np.flatnonzero(begins))
    assert len(dashes) == 63 + 7
    np.testing.assert_allclose(dashes[:62], 6.0, atol=1e-6)
    np.testing.assert_allclose(dashes[63:], [6.0] * 6 + [5.0], atol=1e-6)
    on_circle = pieces[np.flatnonzero(begins)[0] : np.flatnonzero(begins)[63]].reshape(-1, 2)
    np.testing.assert_allclose(np.hypot(*on_circle.T), 100, atol=0.02)
    gaps = pieces[1:][begins[1:]][:61, :2] - pieces[:-1][begins[1:]][:61, 2:]
    np.testing.assert_allclose(np.hypot(*gaps.T), 4.0, atol=2e-3)
    assert dashed(np.empty(0), np.empty(0), 6.0, 4.0, QRectF(0, 0, 1, 1)).shape == (0, 4)


def alike(one: QImage, other: QImage) -> bool:
    """Compare up to the last bits of the edges of lines, which Qt rounds by their location on the device."""
    a, b = (image.convertToFormat(QImage.Format.Format_RGB32) for image in (one, other))
    pixels = [np.frombuffer(image.constBits(), dtype=np.uint8).astype(int) for image in (a, b)]
    difference = np.abs(pixels[0] - pixels[1])
    return bool(difference.max() <= 4)


@pytest.mark.slow
def test_what_is_painted_again_is_the_same_to_the_pixel(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make(replace(many(300), axes=("u", "v")))
    canvas = window.canvases[0]
    strokes: list[object] = []
    stroke = lines.draw_pieces
    monkeypatch.setattr(lines, "draw_pieces", lambda *parts: (strokes.append(parts[0]), stroke(*parts)))
    appearance = window.appearance
    for change in (lambda: None, lambda: window.controller.pan(0.3, 0.1), lambda: appearance.choose_theme("dark")):
        change()
        settle(qtbot, window)
        canvas.layers.paint_anew()
        strokes.clear()
        first, second, third, fourth = (canvas.grab().toImage() for _ in range(4))
        assert second == third == fourth and alike(first, second)
        assert len(strokes) == 2, "the first time they are stroked on the canvas, the second time to be kept"


def test_symbols_go_with_the_picture_and_with_how_many_they_are() -> None:
    assert size_for(100, 400.0) == size_for(3, 400.0) == 10 and size_for(100, 800.0) == 20
    assert size_for(1600, 800.0) == 10, "sixteen times as many are half as large"
    assert size_for(10**6, 400.0) == symbol_painting.LEAST_SIZE and size_for(5, 5000.0) == symbol_painting.MOST_SIZE
