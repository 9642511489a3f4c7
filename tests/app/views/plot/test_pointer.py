"""Real clicks, drags, wheels and keys on the canvases."""

from __future__ import annotations

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.state.document import Document, View
from app.window.main_window import MainWindow
from tests.covering import first_of
from tests.windows import Make, settle

LEFT, MIDDLE = Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton


def unit(window: MainWindow, lane: int = 0) -> float:
    grid = window.canvases[lane].grid()
    return (grid.right - grid.left) / grid.width


def empty_location(window: MainWindow, lane: int = 0) -> tuple[float, float]:
    grid = window.canvases[lane].grid()
    x, y = grid.xs[grid.width // 8], grid.ys[grid.height // 8]
    assert np.hypot(*(window.document.points.xy - (x, y)).T).min(initial=np.inf) > 20 * unit(window)
    return float(x), float(y)


def click(window: MainWindow, lane: int, x: float, y: float) -> None:
    QTest.mouseClick(window.canvases[lane].viewport(), LEFT, pos=window.to_widget(lane, x, y))


@pytest.mark.parametrize("lane", first_of([1, 0], 1))
def test_a_click_puts_a_point_there_and_both_lanes_learn_it(make: Make, qtbot: QtBot, lane: int) -> None:
    window = make()
    for direct in (True, False):
        click_beside_the_points(window, qtbot, lane, direct)
        window.named_actions["undo"].trigger()
        settle(qtbot, window)


def click_beside_the_points(window: MainWindow, qtbot: QtBot, lane: int, direct: bool) -> None:
    before = window.document
    jobs = [window.result(i).job for i in (0, 1)]
    x, y = empty_location(window, lane)
    canvas = window.canvases[lane]
    QTest.mouseClick(canvas if direct else canvas.viewport(), LEFT, pos=window.to_widget(lane, x, y))
    assert len(window.document.points) == len(before.points) + 1
    assert np.abs(window.document.points.xy[-1] - (x, y)).max() <= 0.5001 * unit(window, lane)
    settle(qtbot, window)
    for i in (0, 1):
        frame = window.result(i)
        assert frame.points is window.document.points
        assert frame.job > jobs[i]
        assert frame.full and window.canvases[i].painted_job == frame.job
    window.named_actions["undo"].trigger()
    assert window.document.points is before.points
    settle(qtbot, window)
    assert all(window.result(i).points is before.points for i in (0, 1))
    window.named_actions["redo"].trigger()
    assert len(window.document.points) == len(before.points) + 1


@pytest.mark.slow
def test_a_drag_moves_the_point_keeps_the_pictures_moving_and_is_one_undo_step(make: Make, qtbot: QtBot) -> None:
    window = make()
    before = window.document
    index = int(before.points.xy[:, 1].argmax())
    at = window.to_widget(0, *before.points.xy[index]) + QPoint(4, -3)  # held beside its middle
    view = window.canvases[0].viewport()
    jobs: list[set[int]] = [set(), set()]
    for lane in (0, 1):
        window.canvases[lane].on_painted = jobs[lane].add
    QTest.mousePress(view, LEFT, pos=at)
    for step in range(1, 31):
        QTest.mouseMove(view, at + QPoint(-2 * step, step))
        qtbot.wait(15)
    for turn in range(1000):  # a busy machine paints less often; the drag continues until enough is painted
        if min(map(len, jobs)) >= 4:
            break
        QTest.mouseMove(view, at + QPoint(-60 + turn % 2, 30))
        qtbot.wait(15)
    QTest.mouseMove(view, at + QPoint(-60, 30))
    QTest.mouseRelease(view, LEFT, pos=at + QPoint(-60, 30))
    assert len(window.document.points) == len(before.points)
    moved = window.document.points.xy[index] - before.points.xy[index]
    assert np.abs(moved / unit(window) - (-60, -30)).max() < 0.51
    assert min(map(len, jobs)) >= 4
    settle(qtbot, window)
    assert window.controller.store.undo_name == "Move 1 point"
    window.named_actions["undo"].trigger()
    assert window.document.points is before.points


def test_a_press_that_hardly_moves_is_a_click(make: Make) -> None:
    window = make()
    xy = window.document.points.xy
    index = int(xy[:, 1].argmin())  # alone at the bottom
    at = window.to_widget(0, *xy[index])
    view = window.canvases[0].viewport()
    QTest.mousePress(view, LEFT, pos=at)
    QTest.mouseMove(view, at + QPoint(2, 2))
    QTest.mouseRelease(view, LEFT, pos=at + QPoint(2, 2))
    assert window.document.points.xy is xy
    assert window.controller.session.selection.ids.tolist() == [window.document.points.ids[index]]


def test_delete_removes_the_nearest_within_reach(make: Make, qtbot: QtBot) -> None:
    window = make()
    n = len(window.document.points)
    index = int(window.document.points.xy[:, 1].argmin())
    x, y = window.document.points.xy[index]
    window.activateWindow()
    canvas = window.canvases[1]
    canvas.setFocus()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    for away, left in ((20, n), (8, n - 1)):
        QTest.mouseMove(canvas.viewport(), window.to_widget(1, x + away * unit(window, 1), y))
        QTest.keyClick(canvas, Qt.Key.Key_Delete)
        assert len(window.document.points) == left
        assert left < n or "12 pixels" in window.status_line.text()
    assert not (window.document.points.xy == (x, y)).all(axis=1).any()


def test_number_keys_choose_the_class_but_not_while_typing(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.activateWindow()
    qtbot.waitUntil(lambda: QApplication.activeWindow() is window)
    window.canvases[0].setFocus()
    for key in range(1, 9):
        QTest.keyClick(window.canvases[0], str(key))
        assert window.controller.session.active_class == key - 1
    x, y = empty_location(window)
    click(window, 0, x, y)
    assert window.document.points.labels[-1] == 7
    field = window.findChild(object, "lane1.C")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "3")
    assert window.controller.session.active_class == 7
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.document.lanes[1].svm.C == 3.0


def test_the_wheel_zooms_about_the_pointer_and_the_middle_button_pans(make: Make, qtbot: QtBot) -> None:
    window = make()
    before = window.document.view
    at = QPoint(200, 150)
    pointer = window.canvases[0].pointer_at(QPointF(at))
    window.canvases[0].wheelEvent(
        QWheelEvent(
            QPointF(at),
            QPointF(at),
            QPoint(),
            QPoint(0, 240),
            Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,
        )
    )
    settle(qtbot, window)
    assert window.document.view.span == pytest.approx(before.span / 1.44)
    after = window.canvases[0].pointer_at(QPointF(at))
    assert (after.x, after.y) == pytest.approx((pointer.x, pointer.y), abs=1e-9)
    assert window.canvases[0].grid() == window.canvases[1].grid()
    view = window.canvases[1].viewport()
    grid = window.canvases[0].grid()
    QTest.mousePress(view, MIDDLE, pos=QPoint(150, 150))
    QTest.mouseMove(view, QPoint(180, 140))
    QTest.mouseRelease(view, MIDDLE, pos=QPoint(180, 140))
    moved = window.document.view
    assert grid.left - (moved.x - (grid.left + grid.right) / 2 + grid.left) == pytest.approx(30 * after.unit)
    assert not window.controller.store.modified
    assert window.controller.store.undo_name is None
    window.named_actions["fit"].trigger()
    assert window.document.view == View.fitting(window.document.points)


def test_the_view_stays_while_someone_works(make: Make) -> None:
    window = make()
    view = window.document.view
    x, y = empty_location(window)
    click(window, 0, x, y)
    window.named_actions["clear"].trigger()
    window.named_actions["undo"].trigger()
    assert window.document.view == view
    window.named_actions["generate"].trigger()
    assert window.document.view == View.fitting(window.document.points)


def test_space_plays_and_pauses_on_a_tap_and_pans_when_held(make: Make, qtbot: QtBot) -> None:
    window = make()
    canvas = window.canvases[0]
    window.controller.playback.seek(1, 3)
    settle(qtbot, window)
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    QTest.keyClick(canvas, Qt.Key.Key_Space)
    assert not window.controller.session.playing[1], "played, and paused again"
    view = window.document.view
    QTest.keyPress(canvas, Qt.Key.Key_Space)
    QTest.mousePress(canvas.viewport(), LEFT, pos=QPoint(150, 150))
    QTest.mouseMove(canvas.viewport(), QPoint(190, 150))
    QTest.mouseRelease(canvas.viewport(), LEFT, pos=QPoint(190, 150))
    QTest.keyRelease(canvas, Qt.Key.Key_Space)
    assert window.document.view.x == pytest.approx(view.x - 40 * unit(window))
    assert not window.controller.session.playing[1], "a pan is no tap"


def test_points_where_floating_point_is_coarse(make: Make, qtbot: QtBot) -> None:
    xy = 1e12 + np.array([[0.0, 0.0], [1000.0, 0.0], [0.0, 1000.0], [1000.0, 1000.0]])
    points = Points.of(xy, [0, 0, 1, 1])
    window = make(replace(Document(points=points), view=View.fitting(points)))
    for lane in (0, 1):
        frame = window.result(lane)
        assert frame.picture is not None
        assert "nan" not in window.scene.lanes[lane].details.lower()
    click(window, 0, 1e12 + 500, 1e12 + 700)
    settle(qtbot, window)
    assert np.abs(window.document.points.xy[-1] - (1e12 + 500, 1e12 + 700)).max() < 2 * unit(window)
