"""Pictures with a scale for each axis, in the window: real events, drawn numbers and pixels."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.active_learning.view_picture import PoolPicture
from app.features.film.view_maker import relief_shot
from app.features.probe.controller import ProbeController
from app.features.reliability.panel import ErrorMapChart
from app.features.relief.scene import ReliefScene
from app.files import documents
from app.state.commands import ImportPoints, SetView
from app.state.document import Document, GeneratorSettings, KnnSettings, Lane, View
from app.views.export.layout import PictureSpec
from app.views.plot.canvas import Canvas
from app.window.main_window import MainWindow
from tests.app.features.lessons.test_stage import begin, boundary, here, lesson_of, press, stroke
from tests.app.features.reliability.test_panel import document as generated
from tests.app.views.export.test_export import check_surfaces, export, pixels_of, sheet_of
from tests.app.views.plot.test_axes import numbers
from tests.app.views.plot.test_clicks import click, drag, selected
from tests.app.views.plot.test_true_axes import number, offset_of
from tests.windows import Make, save_as, settle

LEFT = Qt.MouseButton.LeftButton


def salaries(n: int = 60) -> tuple[np.ndarray, np.ndarray]:
    """Return age and income, far apart on screen, and whether something was bought."""
    age, income = np.meshgrid(np.linspace(18.0, 60.0, 6), np.linspace(15_000.0, 150_000.0, n // 6))
    xy = np.column_stack((age.ravel(), income.ravel()))
    return xy, (xy[:, 0] / 42 + xy[:, 1] / 135_000 > 1.5).astype(int)


def bank(make: Make, turned: bool = False, **lane: object) -> MainWindow:
    xy, labels = salaries()
    xy = xy[:, ::-1] if turned else xy
    document = Document(lanes=(Lane("knn", KnnSettings(3), **lane), Lane("svm", **lane)))  # type: ignore[arg-type]
    command = ImportPoints(xy=xy, labels=labels, axes=("Age", "Income"), class_names=("no", "yes"))
    return make(command.apply(document))


def turn(canvas: Canvas, at: QPointF, angle: int) -> None:
    state = Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False
    canvas.wheelEvent(QWheelEvent(at, at, QPoint(), QPoint(0, angle), *state))


@pytest.mark.slow
def test_a_click_selects_the_point_below_it_and_a_drag_moves_it(make: Make, qtbot: QtBot) -> None:
    window = bank(make)
    assert window.document.view.owns_scales
    points = window.document.points
    pixels = np.array([window.to_widget(0, x, y).toTuple() for x, y in points.xy.tolist()])
    apart = np.hypot(*(pixels[:, None] - pixels[None]).T) + 1000.0 * np.eye(len(points))
    assert apart.min() > 12, "all of them can be told apart"
    for index in range(0, len(points), 7):
        for dx, dy in ((0, 0), (4, 0), (0, 4), (-3, -3)):
            click(window, QPoint(*pixels[index].tolist()) + QPoint(dx, dy))
            assert selected(window) == [points.ids[index]]
    before, start = points.xy[20], QPoint(*pixels[20].tolist())
    click(window, start)
    drag(window, start, start + QPoint(17, -23))
    grid, area = window.canvases[0].grid(), window.canvases[0].plot_area()
    way = 17 * (grid.right - grid.left) / area.width(), 23 * (grid.top - grid.bottom) / area.height()
    np.testing.assert_allclose(window.document.points.xy[20], before + way, rtol=1e-9)
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Up)
    np.testing.assert_allclose(window.document.points.xy[20], before + np.array(way) * (1.0, 33 / 23), rtol=1e-9)
    settle(qtbot, window)


def test_wheel_and_pan_keep_the_place_under_the_pointer(make: Make, qtbot: QtBot) -> None:
    window = bank(make)
    canvas = window.canvases[0]
    at = (canvas.plot_area().center() + QPointF(70, -90)).toPoint().toPointF()
    before, view = canvas.pointer_at(at), window.document.view
    for angle in (360, -600, 120):
        turn(canvas, at, angle)
        after = canvas.pointer_at(at)
        assert after.pixels_to(before.x, before.y) < 1e-3 and window.document.view.ratio == view.ratio
    assert window.document.view.span == pytest.approx(view.span * 1.2)
    moved = at + QPointF(-33, 41)
    held = canvas.pointer_at(at)
    QTest.mousePress(canvas.viewport(), Qt.MouseButton.MiddleButton, pos=at.toPoint())
    QTest.mouseMove(canvas.viewport(), moved.toPoint())
    QTest.mouseRelease(canvas.viewport(), Qt.MouseButton.MiddleButton, pos=moved.toPoint())
    assert canvas.pointer_at(moved).pixels_to(held.x, held.y) < 1e-3
    QTest.keyClick(window, Qt.Key.Key_F)
    assert window.document.view == view, "fitting keeps the scales, and fits both ranges"
    settle(qtbot, window)


@pytest.mark.parametrize("turned", [False, True])
def test_the_numbers_of_both_axes_are_true(make: Make, qtbot: QtBot, turned: bool) -> None:
    window = bank(make, turned)
    for lane in (0, 1):
        canvas = window.canvases[lane]
        area = canvas.plot_area()
        for side, way in (("bottom", 0), ("left", 1)):
            axis = canvas.plot.axes[side]
            found = numbers(canvas, side)
            assert len(found) >= 3
            for rect, text in found:
                at = area.center()
                (at.setY if way else at.setX)(rect.center().toTuple()[way])
                here, value = canvas.pointer_at(at), number(text) + offset_of(axis)
                assert abs(here.xy[way] - value) <= 2.0 * here.pixel[way], (side, text, here)
    at = canvas.plot_area().center().toPoint()
    QTest.mouseMove(canvas.viewport(), at)
    label, here = window.findChild(QLabel, "coordinates"), canvas.pointer_at(at.toPointF())
    assert isinstance(label, QLabel)
    read = [number(part) for part in re.findall(r"= (\S+)", label.text())]
    assert (np.abs(np.array(read) - here.xy) <= 0.5 * here.pixel).all(), (label.text(), here)
    window.controller.feature(ProbeController).pin(here.x, here.y)
    read = [number(part) for part in re.findall(r"\((\S+), (\S+)\)", window.status_line.text())[0]]
    assert (np.abs(np.array(read) - here.xy) <= 0.5 * here.pixel).all(), window.status_line.text()


def test_a_narrow_range_has_digits_of_its_own(make: Make, qtbot: QtBot) -> None:
    xy = np.array([(0.0, 1e6), (1e6, 1e6 + 2.0), (5e5, 1e6 + 1.0)])
    window = make(ImportPoints(xy=xy, labels=np.array([0, 1, 0])).apply(Document()))
    canvas = window.canvases[0]
    for dy in (-3, 0, 5):
        at = canvas.plot_area().center().toPoint() + QPoint(40, dy)
        QTest.mouseMove(canvas.viewport(), at)
        label, here = window.findChild(QLabel, "coordinates"), canvas.pointer_at(at.toPointF())
        assert isinstance(label, QLabel)
        window.controller.feature(ProbeController).pin(here.x, here.y)
        for found in (r"y = (\S+)", r"\(\S+, (\S+)\)"):
            text = label.text() if found[0] == "y" else window.status_line.text()
            assert abs(number(re.findall(found, text)[0]) - here.y) <= 0.5 * here.pixel[1], text
    settle(qtbot, window)


def test_the_switch_is_one_step_and_follows_undo(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = bank(make)
    switch, own = window.named_actions["own_scales"], window.document.view
    assert switch.isChecked() and switch.isEnabled() and not window.controller.store.modified
    switch.trigger()
    settle(qtbot, window)
    equal = window.document.view
    assert not switch.isChecked() and equal == View.fitting(window.document.points)
    assert window.controller.store.history == ("Scale the axes alike",) and window.controller.store.modified
    window.named_actions["undo"].trigger()
    settle(qtbot, window)
    assert switch.isChecked() and window.document.view == own and not window.controller.store.modified
    window.named_actions["redo"].trigger()
    assert window.document.view == equal
    switch.trigger()
    save_as(window, tmp_path / "bank.playground")
    qtbot.waitUntil(lambda: not window.tasks.busy)
    assert documents.decode((tmp_path / "bank.playground").read_bytes()).view == own == window.document.view
    window.named_actions["clear"].trigger()
    settle(qtbot, window)
    assert not switch.isChecked() and not switch.isEnabled() and window.document.view == View()
    window.named_actions["undo"].trigger()
    settle(qtbot, window)
    assert switch.isChecked() and window.document.view == own


@pytest.mark.slow
def test_the_circle_of_the_neighbours_passes_the_last_of_them(make: Make, qtbot: QtBot) -> None:
    for standardise in (False, True):
        window = bank(make, standardise=standardise)
        canvas, points = window.canvases[0], window.document.points
        window.controller.feature(ProbeController).pin(41.0, 70_000.0)
        settle(qtbot, window)
        laid = next(each.laid for each in canvas.overlays.layers if hasattr(each.laid, "ball_outline"))
        scale = points.xy.std(axis=0) if standardise else np.ones(2)
        away = np.hypot(*((points.xy - (41.0, 70_000.0)) / scale).T)
        third = canvas.position_of(*points.xy[np.argsort(away)[2]].tolist())
        begin, end = laid.ball_outline[:, :2], laid.ball_outline[:, 2:]
        way = end - begin
        share = np.clip(((third.toTuple() - begin) * way).sum(axis=1) / (way * way).sum(axis=1), 0.0, 1.0)
        assert np.hypot(*(begin + share[:, None] * way - third.toTuple()).T).min() < 0.6


def test_an_exported_picture_shows_the_predictions(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = bank(make, standardise=True)
    for index, spec in enumerate(
        (PictureSpec("window", 900, 500, 1.0), PictureSpec("lane0", 400, 700, 1.25, fitted=True))
    ):
        export(qtbot, window, spec, tmp_path / f"{index}.png")
        check_surfaces(window, spec, pixels_of(QImage(str(tmp_path / f"{index}.png"))), 60)


def test_a_fitted_picture_is_fitted_along_both_axes(make: Make, qtbot: QtBot) -> None:
    window = bank(make)
    low, high = window.document.points.xy.min(axis=0), window.document.points.xy.max(axis=0)
    for width, height in ((1200, 500), (500, 1200)):
        sheet = sheet_of(window, PictureSpec("lane0", width, height, 1.0, fitted=True))
        grid = sheet.plots[0].grid
        share = (high - low) / (grid.right - grid.left, grid.top - grid.bottom)
        assert 0.75 < share.max() < 0.9 and sheet.plots[0].scene.document.view.ratio == window.document.view.ratio
        sheet.close()
    # Far more of y is in view than the points need: that is wanted, and is shown.
    view = window.document.view
    window.controller.dispatch(SetView(view=replace(view, own_ratio=2.0 * view.ratio)))
    settle(qtbot, window)
    sheet = sheet_of(window, PictureSpec("lane0", 600, 500, 1.0, fitted=True))
    assert sheet.plots[0].scene.document.view.ratio == 2.0 * view.ratio
    sheet.close()


@pytest.mark.slow
def test_panels_and_films_have_the_scales_of_the_picture(make: Make, qtbot: QtBot) -> None:
    window = bank(make, standardise=True)
    ratio = window.document.view.ratio
    window.named_actions["relief"].trigger()
    settle(qtbot, window)
    assert window.scene is not None
    shown = window.scene.feature(ReliefScene)
    assert shown is not None and shown.relief is not None and shown.relief.ratio == ratio
    assert min(len(shown.relief.xs), len(shown.relief.ys)) > 50
    frame = window.result(1)
    assert frame is not None
    shot = relief_shot(frame, "", window.document, window.canvases[1].grid())
    assert shot.relief.ratio == ratio and min(len(shot.relief.xs), len(shot.relief.ys)) > 50
    window.named_actions["asking"].trigger()
    settle(qtbot, window)
    pool = window.findChild(PoolPicture)
    assert isinstance(pool, PoolPicture)
    sides, pixels = np.array(pool.area().size().toTuple()), pool.point_pixels()
    extent = pixels.max(axis=0) - pixels.min(axis=0)
    assert (extent > 0.5 * sides.min()).all() and (extent < sides).all()


@pytest.mark.slow
def test_maps_of_errors_have_the_scales_of_the_picture(make: Make, qtbot: QtBot) -> None:
    window = make(generated(Lane("svm"), Lane("knn")))
    window.controller.toggle_scales()
    window.named_actions["reliability"].trigger()
    settle(qtbot, window)
    shown = next(each for each in window.findChildren(ErrorMapChart) if each.isVisibleTo(window))
    (left, right), (bottom, top) = shown.box.viewRange()
    ratio = (top - bottom) / shown.area().height() / ((right - left) / shown.area().width())
    assert ratio == pytest.approx(window.document.view.ratio, rel=0.02) and ratio < 0.8


@pytest.mark.slow
def test_a_boundary_drawn_in_a_lesson_is_read_as_seen(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot, boundary())
    window.controller.set_unit(1, 100.0)
    window.controller.toggle_scales()
    settle(qtbot, window)
    view = window.document.view
    assert view.ratio > 50
    # Its ends are as far apart as it is high: that is open, although the numbers along y are larger.
    stroke(window, 0, (-0.5, 50.0), (-0.5, -50.0), (0.5, -50.0), (0.5, 50.0))
    settle(qtbot, window)
    layer = next(each for each in window.canvases[0].overlays.layers if type(each).__name__ == "LessonLayer")
    (line,) = layer.laid.on
    assert line[0] != line[-1] and min(line[0].y(), line[-1].y()) < window.canvases[0].plot_area().top()
    press(window, qtbot, Qt.Key.Key_PageDown)
    known = here(window).state.guess.boundary
    assert known is not None and known.ratio == view.ratio and "%" in lesson_of(window).score


#: Ratios that are exact in binary; the numbers beside the axes are as wide.
RATIOS = (0.25, 8.0)


def moons(ratio: float) -> Document:
    made = GeneratorSettings("moons", 25, 0.25, 3).points()
    points = Points.of(made.xy * (1.0, ratio), made.labels)
    lanes = tuple(Lane(kind, KnnSettings(5), standardise=True) for kind in ("knn", "svm"))
    view = View.fitting(made)
    if ratio != 1.0:
        view = replace(view, y=view.y * ratio, own_ratio=ratio)
    return Document(points, lanes, view=view, axes=("a", "b"))


def pictures(window: MainWindow) -> list[np.ndarray]:
    found = []
    for canvas in window.canvases:
        area = canvas.plot_area().toAlignedRect()
        found.append(pixels_of(canvas.grab(area.adjusted(1, 1, -1, -1)).toImage()))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("ratio", RATIOS)
def test_the_picture_does_not_depend_on_the_units_of_an_axis(make: Make, qtbot: QtBot, ratio: float) -> None:
    """Classifiers that standardise learn the same in any units: with their own scales the pictures are equal."""
    found: dict[float, list[list[np.ndarray]]] = {}
    for each in (1.0, ratio):
        window = make(moons(each))
        found[each] = [pictures(window)]
        window.controller.feature(ProbeController).pin(0.5, 0.25 * each)
        for action in ("cells", "kept", "marks"):
            window.named_actions[action].trigger()
            settle(qtbot, window)
            found[each].append(pictures(window))
        window.controller.zoom(0.4, window.canvases[0].pointer_at(QPointF(200, 200)))
        settle(qtbot, window)
        found[each].append(pictures(window))
    for first, second in zip(found[1.0], found[ratio], strict=True):
        for one, other in zip(first, second, strict=True):
            assert len(np.unique(one)) > 20
            # Blocks of rows depend on how fast they were; an antialiased pixel may differ by the last bit.
            levels = (each.view(np.uint8).astype(int) for each in (one, other))
            assert np.abs(np.subtract(*levels)).max() <= 2
