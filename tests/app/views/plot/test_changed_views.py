"""An old picture in a new view: everything is in its right location, and painting costs in proportion to the pixels.

Until the new picture arrives, the old surface, lines and hatching are drawn in the new view, stretched a millionfold or
shrunk to nothing.
"""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt
from PySide6.QtGui import QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QStyleOptionGraphicsItem
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.engine.frames import Marks, Picture
from app.engine.overlays import Hatch, Lines, Specks
from app.features.difference.controller import DifferenceController
from app.features.difference.scene import DifferenceSession
from app.features.evaluation.scene import OTHER
from app.features.ground_truth.bootstrap import HAZE
from app.features.ground_truth.controller import GroundTruthController
from app.features.ground_truth.model import GroundTruthSession
from app.features.ground_truth.scene import IDEAL
from app.features.kkt.overlay import run_overlay, to_repaint
from app.features.kkt.scene import KktSession
from app.features.probe.controller import ProbeController
from app.features.probe.overlay import probe_overlay
from app.features.probe.scene import Ball, LaneProbe, Probe, Sketch
from app.features.what_if.scene import GHOST
from app.learners.perceptron_orders import Orders
from app.scene.marks import pies
from app.scene.model import grid_of
from app.state.document import LIMIT, Document, Lane, SvmSettings, View, default_document
from app.state.session import Outline, OutlineKind
from app.state.split import unsplit
from app.views.plot.layers import Layers
from app.views.plot.lines import BEYOND, clipped, dashed, to_pixels
from app.views.plot.overlays import hatched
from app.views.plot.picture import draw_samples
from app.views.plot.pointer_marks import Overlay
from app.views.theme import theme_of
from tests.app.features.studies import id_of, run_state_of, some_slacks
from tests.covering import first_of
from tests.examples import examples
from tests.windows import Make, settle

WIDTH, HEIGHT = 240, 180
#: Limit of memory (bytes) of one painting: ten times what a picture in its own view takes.
MOST_BYTES = 60_000_000
#: Limit of processor time (s) of one painting, hundreds of times what it takes: without clipping it is minutes.
MOST_SECONDS = 20.0
THEME = theme_of(False)


def cost_of(paint: Callable[[], object]) -> tuple[float, int]:
    """Return the CPU seconds of this thread, and the peak memory of numpy and Python (bytes), of `paint`."""
    tracemalloc.start()
    began = time.thread_time()
    try:
        paint()
        return time.thread_time() - began, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def check_cost(paint: Callable[[], object]) -> None:
    seconds, most = cost_of(paint)
    assert seconds < MOST_SECONDS and most < MOST_BYTES, (seconds, most)


# -- layers ------------------------------------------------------------------------------------------------------------


def layers_in(view: View) -> Layers:
    """Return layers with everything they can show, computed for `view`."""
    grid = grid_of(view, WIDTH, HEIGHT)
    rng = np.random.default_rng(0)
    t = np.linspace(0.0, 60.0, 2000)
    unit, middle = view.shown_span, np.array([view.x, view.y])
    spiral = middle + unit * np.column_stack((t * np.cos(t), t * np.sin(t))) / 125.0
    line = middle + unit * np.array([[-0.7, -0.5], [0.7, 0.5]])
    lines = np.vstack((spiral, [[np.nan, np.nan]], line))
    argb = rng.integers(0, 1 << 24, (HEIGHT, WIDTH), dtype=np.uint32) | np.uint32(0xFF000000)
    layers = Layers()
    styles = (GHOST, IDEAL, HAZE, OTHER)
    xy = middle + unit * rng.uniform(-0.5, 0.5, (200, 2))
    sheets = (
        Hatch(rng.random((HEIGHT, WIDTH)) < 0.5, grid),
        *(Lines(lines, style) for style in styles),
        Specks(xy[:20], ("0", "wrong"), np.arange(20) % 2),
    )
    weights = np.column_stack((rng.normal(size=(5, 2)) / unit, np.zeros(5)))
    weights[:, 2] = -weights[:, :2] @ middle
    orders = Orders(5, weights, np.zeros(5), np.zeros(5, dtype=np.int64), np.arange(5) < 3, weights[0])
    picture = Picture(argb, grid, lines, lines)
    lane: Any = SimpleNamespace(picture=picture, provisional=True, orders=orders, sheets=sheets)
    layers.show_lane(lane, THEME, points_away=False)
    # The last two are at one location: a pie.
    points = Points.of(np.vstack((xy, [[LIMIT, LIMIT]], xy[[5, 5]])), np.repeat((0, 1, 2), (201, 1, 1)))
    parts = replace(unsplit(points), held_out=np.array([3], dtype=np.intp))
    scene: Any = SimpleNamespace(points=points, parts=parts, pies=pies(points, parts))
    layers.show_points(scene, Marks(np.arange(4), np.arange(4, 9), np.arange(2)), np.arange(5))
    return layers


def paint_layers(layers: Layers, view: View, image: QImage) -> None:
    grid = grid_of(view, WIDTH, HEIGHT)
    layers.show_view(grid)
    painter = QPainter(image)
    corners = QRectF(grid.left, grid.bottom, grid.right - grid.left, grid.top - grid.bottom)
    painter.translate(0, HEIGHT)
    painter.scale(WIDTH / corners.width(), -HEIGHT / corners.height())
    painter.translate(-corners.left(), -corners.top())
    layers.paint(painter, QStyleOptionGraphicsItem())
    painter.end()


SPANS = st.floats(-9.0, 15.6).map(lambda power: 10.0**power)
LOCATIONS = st.floats(-LIMIT, LIMIT) | st.floats(-3.0, 3.0)
ANY_VIEW = st.builds(View, LOCATIONS, LOCATIONS, SPANS)
#: Zoom factor, and movement in spans of the smaller view.
CHANGES = st.tuples(st.floats(-14.0, 14.0), st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))


def changed(view: View, change: tuple[float, float, float]) -> View:
    power, dx, dy = change
    span = min(max(view.span * 10.0**power, 1e-9), 4 * LIMIT)
    reach = min(span, view.span)
    return View(*(min(max(c + d * reach, -LIMIT), LIMIT) for c, d in ((view.x, dx), (view.y, dy))), span)


@pytest.mark.slow
@examples(50)
@given(ANY_VIEW, ANY_VIEW | CHANGES)
@example(View(0.5, 0.25, 190.0), View(0.5, 0.25, 2.4))
@example(View(0.0, 0.0, 2.4e6), View(0.0, 0.0, 2.4))
@example(View(0.0, 0.0, 1e15), View(0.0, 0.0, 1.0))
@example(View(LIMIT, 0.0, 1e-9), View(LIMIT, 1.0, 1e-9))
def test_an_old_picture_in_any_view_costs_what_its_pixels_cost(
    qapp: QApplication, before: View, after: View | tuple[float, float, float]
) -> None:
    view = after if isinstance(after, View) else changed(before, after)
    layers = layers_in(before)
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    paint_layers(layers, before, image)  # the pictures of the symbols are made once
    for _ in range(2):  # painted, and from the cache
        check_cost(lambda: paint_layers(layers, view, image))


METRICS = ("euclidean", "manhattan", "chebyshev", "minkowski", "cosine")


@pytest.mark.slow
@examples(60)
@given(ANY_VIEW, ANY_VIEW | CHANGES, st.sampled_from(METRICS), st.floats(0.0, 1.99), st.booleans())
@example(View(0.0, 0.0, 2.4), View(0.9, 0.9, 1e-9), "minkowski", 1.27, True)
@example(View(0.0, 0.0, 2.4), View(0.0, 0.0, 1e15), "euclidean", 1.0, False)
def test_what_lies_over_a_picture_costs_what_its_pixels_cost(
    qapp: QApplication, before: View, after: View | tuple[float, float, float], metric: str, radius: float, pinned: bool
) -> None:
    """Slacks, pair and card of a run, a probe with its neighbours and its ball, brush and outlines."""
    view = after if isinstance(after, View) else changed(before, after)
    middle, unit = np.array([before.x, before.y]), before.shown_span
    run_state = run_state_of(40)
    slacks = some_slacks(run_state)
    points = Points.of(middle + 0.2 * unit * run_state.points.xy, run_state.points.labels, run_state.points.ids)
    run_state = replace(
        run_state, points=points, pair=(3, 8), slacks=replace(slacks, end=middle + 0.2 * unit * slacks.end)
    )
    location = float(points.xy[0, 0]), float(points.xy[0, 1])
    ball = Ball(metric, 3.0, radius if metric == "cosine" else radius * unit)
    sizes = np.linspace(0.0, 1.0, 40)
    sketch = Sketch(points.xy, sizes, np.arange(40) % 2 == 0, np.zeros(40, dtype=np.intp), ball)
    grid, area = grid_of(view, WIDTH, HEIGHT), QRectF(0, 0, WIDTH, HEIGHT)
    image = QImage(WIDTH, HEIGHT, QImage.Format.Format_RGB32)
    pixels = [QPointF(*at) for at in to_pixels(points.xy[:12], grid, area).tolist()]
    outlines: list[tuple[OutlineKind, list[QPointF]]] = [
        ("path", pixels),
        ("line", pixels[:2]),
        ("rectangle", pixels[:2]),
        ("ellipse", pixels[:2]),
    ]

    def paint() -> None:
        painter = QPainter(image)
        over = run_overlay(run_state, grid, area, id_of(run_state, 5), QApplication.font())
        asked = probe_overlay(Probe(location, pinned), LaneProbe(0, sketch=sketch), grid, area, False)
        assert over is not None and asked is not None
        assert all(area.toAlignedRect().contains(part) for part in to_repaint(None, over, area))
        over.paint(painter, THEME, area)
        asked.paint(painter, THEME, area)
        asked.bounds()
        for outline in outlines:
            overlay = Overlay(pixels[0], 20, 1, pixels[1], outline)
            overlay.paint(painter, THEME)
            overlay.bounds()
        painter.end()

    paint()  # the rings are made once
    check_cost(paint)


def test_a_view_always_spans_something() -> None:
    for view in (View(LIMIT, 0.0, 1e-9), View(-LIMIT, LIMIT, 1e-9), View(0.0, 0.0, 1e-9), View(3.0, 4.0, 2.0)):
        grid = grid_of(view, WIDTH, HEIGHT)
        steps = np.diff(np.linspace(grid.left, grid.right, WIDTH + 1))
        assert (steps > 0).all() and (np.diff(np.linspace(grid.bottom, grid.top, HEIGHT + 1)) > 0).all()
    assert View(3.0, 4.0, 2.0).shown_span == 2.0


# -- in the right location
# ----------------------------------------------------------------------------------------------


@examples(60)
@given(st.integers(1, 40), st.integers(1, 30), st.floats(-3.0, 8.0), st.floats(-0.2, 1.2), st.floats(-0.2, 1.2))
@example(7, 5, 8.0, 0.123456, 0.98765)
def test_each_pixel_shows_the_sample_that_lies_there(
    qapp: QApplication, columns: int, rows: int, power: float, fx: float, fy: float
) -> None:
    """`fx`, `fy`: shares of the picture that the middle of the screen shows."""
    rng = np.random.default_rng(1)
    argb = rng.integers(0, 1 << 24, (rows, columns), dtype=np.uint32) | np.uint32(0xFF000000)
    width, height = WIDTH * 10.0**power, HEIGHT * 10.0**power
    target = QRectF(0.5 * WIDTH - fx * width, 0.5 * HEIGHT - fy * height, width, height)
    screen = np.zeros((HEIGHT, WIDTH), dtype=np.uint32)
    painted = QImage(screen.data, WIDTH, HEIGHT, 4 * WIDTH, QImage.Format.Format_RGB32)
    painter = QPainter(painted)
    draw_samples(painter, argb, target, QRectF(0, 0, WIDTH, HEIGHT))
    painter.end()
    x = (np.arange(WIDTH) + 0.5 - target.x()) * (columns / width)
    y = (np.arange(HEIGHT) + 0.5 - target.y()) * (rows / height)
    outside_x, outside_y = (x < 0) | (x >= columns), (y < 0) | (y >= rows)
    expected = np.where(
        outside_y[:, None] | outside_x[None, :],
        np.uint32(0),
        argb[np.clip(y.astype(int), 0, rows - 1)[:, None], np.clip(x.astype(int), 0, columns - 1)[None, :]],
    )
    # Rounding decides where the edge between two samples runs through the middle of a pixel.
    sure = (np.abs(y - np.round(y)) > 1e-6)[:, None] & (np.abs(x - np.round(x)) > 1e-6)[None, :]
    assert (screen[sure] & 0xFFFFFF == expected[sure] & 0xFFFFFF).all()


@examples(60)
@given(st.integers(1, 30), st.integers(1, 30), st.integers(1, 10**9), st.integers(0, 10**9), st.integers(4, 16))
def test_a_part_of_a_hatching_is_that_part_of_the_whole(
    qapp: QApplication, w: int, h: int, width: int, at: int, period: int
) -> None:
    sheet = Hatch(np.random.default_rng(2).random((h, w)) < 0.5, grid_of(View(), w, h))
    columns, rows = min(width, 37), min(width, 23)
    left, top = at % (width - columns + 1), (at // 7) % (width - rows + 1)
    image = hatched(sheet, width, width, (left, top, columns, rows), THEME, period)
    assert (image.width(), image.height()) == (columns, rows)
    bits = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(rows, columns)
    for row in range(rows):
        for column in range(columns):
            y, x = top + row, left + column
            inside = sheet.mask[(2 * y + 1) * h // (2 * width), (2 * x + 1) * w // (2 * width)]
            striped = inside and (x + y) % period < 2 * max(1, period // 4)
            assert bool(bits[row, column]) == striped, (row, column)


AREA = QRectF(50.0, 10.0, 250.0, 200.0)
#: A margin outside the area is kept, too, so that the ends of lines are invisible.
WIDER = AREA.adjusted(-BEYOND - 0.01, -BEYOND - 0.01, BEYOND + 0.01, BEYOND + 0.01)


@examples(200)
@given(st.data())
def test_clipping_keeps_what_is_inside(data: st.DataObject) -> None:
    far = data.draw(st.sampled_from([300.0, 1000.0, 1e7]))
    coordinate = st.floats(-far, far) | st.sampled_from([50.0, 200.0, 310.0])
    pieces = np.array(data.draw(st.lists(st.tuples(*[coordinate] * 4), min_size=1, max_size=5)))
    parts, kept, skipped = clipped(pieces, AREA)
    assert all(WIDER.contains(QPointF(*part[:2])) and WIDER.contains(QPointF(*part[2:])) for part in parts)
    begins = pieces[kept, :2] + skipped[:, None] * (pieces[kept, 2:] - pieces[kept, :2])
    assert np.abs(begins - parts[:, :2]).max(initial=0.0) < 1e-8 * far
    whole = dict(zip(kept.tolist(), parts, strict=True))
    for i, piece in enumerate(pieces):
        pixels = piece[:2] + np.linspace(0, 1, 200)[:, None] * (piece[2:] - piece[:2])
        inside = pixels[[AREA.contains(QPointF(*pixel)) for pixel in pixels]]
        if not len(inside):
            continue
        start, way = whole[i][:2], whole[i][2:] - whole[i][:2]
        share = np.clip((inside - start) @ way / max(float(way @ way), 1e-300), 0.0, 1.0)
        assert np.abs(start + share[:, None] * way - inside).max() < 1e-6 * far


@examples(100)
@given(st.lists(st.tuples(st.floats(-2000, 2000), st.floats(-2000, 2000)), min_size=2, max_size=6))
def test_dashes_lie_where_those_of_the_whole_line_lie(corners: list[tuple[float, float]]) -> None:
    x, y = np.array(corners).T
    everything = dashed(x, y, 6.0, 4.0, QRectF(-3000, -3000, 6000, 6000))
    part = dashed(x, y, 6.0, 4.0, AREA)
    assert all(WIDER.contains(QPointF(*each[:2])) and WIDER.contains(QPointF(*each[2:])) for each in part)

    def ink(pieces: np.ndarray) -> np.ndarray:
        """Return the length drawn in each of the 25 squares inside the area, counted in small pieces."""
        steps = (np.arange(400) + 0.5) / 400
        length = np.hypot(pieces[:, 2] - pieces[:, 0], pieces[:, 3] - pieces[:, 1])
        pixels = pieces[:, None, :2] + steps[None, :, None] * (pieces[:, None, 2:] - pieces[:, None, :2])
        edges = np.linspace(AREA.left(), AREA.right(), 6), np.linspace(AREA.top(), AREA.bottom(), 6)
        weights = np.repeat(length / len(steps), len(steps))
        return np.histogram2d(*pixels.reshape(-1, 2).T, bins=edges, weights=weights)[0]

    np.testing.assert_allclose(ink(part), ink(everything), atol=0.5)
    middles = 0.5 * (part[:, :2] + part[:, 2:])
    for pixel in middles[[AREA.contains(QPointF(*pixel)) for pixel in middles]]:
        # On a dash of the whole line, within a small tolerance.
        start, way = everything[:, :2], everything[:, 2:] - everything[:, :2]
        share = np.clip(((pixel - start) * way).sum(axis=1) / np.maximum((way**2).sum(axis=1), 1e-300), 0, 1)
        assert np.hypot(*(start + share[:, None] * way - pixel).T).min() < 1e-6


@pytest.mark.parametrize("far", [1e9, 1e15, 1e30, 1e200, 1e307])
def test_dashes_of_endless_lines_are_as_many_as_there_is_room_for(far: float) -> None:
    x = np.array([-far, far, np.nan, -far, 100.0, far, np.nan, 60.0, 90.0])
    y = np.array([100.0, 100.0, np.nan, -far, 100.0, far, np.nan, 60.0, 60.0])
    pieces = dashed(x, y, 6.0, 4.0, AREA)
    longest = math.hypot(AREA.width() + 2 * BEYOND, AREA.height() + 2 * BEYOND)
    least = 2 * AREA.height() / 10 if far <= 1e15 else 3  # farther away no number is as exact as a pixel
    assert least <= len(pieces) <= 3 * (longest / 10 + 4)
    assert np.isfinite(pieces).all() and (np.hypot(*(pieces[:, 2:] - pieces[:, :2]).T) <= 6.0 + 1e-9).all()


# -- in the window -----------------------------------------------------------------------------------------------------


def wheel(window: Any, notches: int) -> None:
    canvas = window.canvases[0]
    at = QPointF(canvas.plot_area().center())
    for _ in range(abs(notches)):
        QApplication.sendEvent(
            canvas.viewport(),
            QWheelEvent(
                at,
                QPointF(canvas.mapToGlobal(at)),
                QPoint(),
                QPoint(0, 120 if notches > 0 else -120),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            ),
        )


def check_repainting(window: Any) -> None:
    """Paint every canvas at once, with the present pictures.

    Without counting memory: that must not begin while another thread runs compiled code.
    """
    window.refresh()
    for canvas in window.canvases:
        if canvas.isVisible():
            began = time.thread_time()
            canvas.viewport().repaint()
            assert time.thread_time() - began < MOST_SECONDS


def busy_window(make: Make, qtbot: QtBot) -> Any:
    """A window with everything on that is drawn over or under a picture."""
    document = default_document()
    linear = Lane("svm", svm=SvmSettings(kernel="linear"))  # its margins are infinite lines
    window: Any = make(Document(points=document.points, lanes=(document.lanes[0], linear)), size=(1280, 800))
    controller = window.controller
    controller.toggle("differing", DifferenceSession)
    controller.feature(DifferenceController).toggle_wipe()
    controller.feature(GroundTruthController).toggle_ideal()
    controller.toggle("bootstrap", GroundTruthSession)
    controller.toggle("kkt", KktSession)
    controller.feature(ProbeController).pin(0.3, 0.2)
    settle(qtbot, window)
    return window


@pytest.mark.slow
@pytest.mark.parametrize("notches", first_of([40, 24], 1))
def test_far_out_and_back_again_at_once(make: Make, qtbot: QtBot, notches: int) -> None:
    window = busy_window(make, qtbot)
    wheel(window, -notches)
    check_repainting(window)
    settle(qtbot, window)
    window.controller.fit()
    check_repainting(window)
    settle(qtbot, window)
    wheel(window, notches)
    check_repainting(window)
    settle(qtbot, window)
    window.controller.fit()
    check_repainting(window)
    settle(qtbot, window)


@pytest.mark.slow
def test_an_outline_and_a_cursor_far_outside_the_view(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    corners = np.array([[-1.0, -1.0], [1.0, -0.5], [0.3, 1.0]])
    for kind in ("path", "line", "rectangle", "ellipse"):
        xy = corners if kind == "path" else corners[[0, 2]]
        window.controller.set_session(outline=Outline(kind, xy), cursor=(0.9, 0.9))
        check_repainting(window)
        for span in (1e-6, 1e-9, 1e6, 1e15):
            window.controller.put(Document(points=Points.of(corners, [0, 1, 0]), view=View(0.3, 0.2, span)), None)
            window.controller.set_session(outline=Outline(kind, xy), cursor=(0.9, 0.9))
            check_repainting(window)


@pytest.mark.slow
def test_other_points_replace_distant_ones(make: Make, qtbot: QtBot) -> None:
    far = np.vstack((np.random.default_rng(0).normal(size=(60, 2)), [[LIMIT, LIMIT]]))
    labels = (far[:, 0] > 0).astype(np.uint8)
    points = Points.of(far, labels)
    window = make(Document(points=points, view=View.fitting(points)), size=(1280, 800))
    window.controller.toggle("differing", DifferenceSession)
    settle(qtbot, window)
    window.controller.put(default_document(), None)
    check_repainting(window)
