"""Input that arrives while a change waits to be drawn acts on the present state, not on the drawn one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.features.difference.scene import DifferenceSession
from app.state.document import View
from app.window import main_window as window_module
from app.window.main_window import MainWindow
from tests.app.views.test_drawn_once import LONG, Frozen, _turn
from tests.windows import Make, settle

KEY = Qt.Key


@pytest.fixture
def window(make: Make, monkeypatch: pytest.MonkeyPatch) -> Iterator[MainWindow]:
    """A window whose next pictures take as long as the test does: nothing is drawn until then."""
    made = make()
    held = Frozen(made, monkeypatch)
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    yield made
    for event in held.go:
        event.set()


def _edit(window: MainWindow) -> None:
    """Make a change whose pictures are awaited."""
    window.controller.set_lane(0, "knn", n_neighbors=window.document.lanes[0].knn.n_neighbors + 2)
    window.controller.set_lane(1, "svm", C=2.0 * window.document.lanes[1].svm.C)
    _turn(window)
    assert not window.idle()


def _wheel(window: MainWindow, at: QPoint, notches: int = 1) -> None:
    view, modifiers = window.canvases[0].viewport(), Qt.KeyboardModifier.NoModifier
    turned, phase = QPoint(0, 120 * notches), Qt.ScrollPhase.NoScrollPhase
    location = QPointF(at)
    QApplication.sendEvent(
        view, QWheelEvent(location, location, QPoint(), turned, Qt.MouseButton.NoButton, modifiers, phase, False)
    )
    _turn(window)


def _shown_at(window: MainWindow, view: View, at: QPoint) -> np.ndarray:
    """Return the location that a view shows at a pixel of the first canvas."""
    area, grid = window.canvases[0].plot_area(), window.canvases[0].grid_for(view)
    x = grid.left + (at.x() + 0.5 - area.left()) / area.width() * (grid.right - grid.left)
    return np.array([x, grid.top - (at.y() + 0.5 - area.top()) / area.height() * (grid.top - grid.bottom)])


def test_each_turn_of_the_wheel_keeps_what_is_under_the_pointer(window: MainWindow) -> None:
    area = window.canvases[0].plot_area()
    drawn = window.scene.document.view
    for at in (QPoint(round(area.left()) + 40, round(area.top()) + 50), area.center().toPoint()):
        before = window.document.view
        _wheel(window, at, 3)
        assert window.document.view.span == pytest.approx(before.span / 1.2**3)
        new = _shown_at(window, window.document.view, at)
        assert np.allclose(new, _shown_at(window, before, at), atol=1e-9 * before.span)
    assert window.scene.document.view == drawn, "nothing was drawn meanwhile"


def test_pans_and_clicks_refer_to_the_present_view(window: MainWindow) -> None:
    view, start = window.canvases[0].viewport(), window.canvases[0].plot_area().center().toPoint()
    _wheel(window, start, 5)
    before, way = window.document.view, QPoint(60, -30)
    QTest.mousePress(view, Qt.MouseButton.MiddleButton, pos=start)
    QTest.mouseMove(view, start + way)
    QTest.mouseRelease(view, Qt.MouseButton.MiddleButton, pos=start + way)
    now = window.document.view
    assert np.allclose(_shown_at(window, now, start + way), _shown_at(window, before, start), atol=1e-9 * now.span)
    at = start + QPoint(31, 17)
    count = len(window.document.points)
    window.canvases[0].setFocus()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=at)
    assert len(window.document.points) == count + 1
    assert np.allclose(window.document.points.xy[-1], _shown_at(window, now, at), atol=1e-9 * now.span)


def test_fingers_keep_what_is_between_them(window: MainWindow) -> None:
    view, middle = window.canvases[0].viewport(), window.canvases[0].plot_area().center().toPoint()
    screen = QTest.createTouchDevice()
    reach, way = QPoint(40, 0), QPoint(30, 20)
    between = _shown_at(window, window.document.view, middle)
    QTest.touchEvent(view, screen).press(0, middle - reach, view).press(1, middle + reach, view).commit()
    for step in range(1, 4):
        there, apart = middle + step * way, (1 + step) * reach
        QTest.touchEvent(view, screen).move(0, there - apart, view).move(1, there + apart, view).commit()
    found = _shown_at(window, window.document.view, there)
    QTest.touchEvent(view, screen).release(0, there - apart, view).release(1, there + apart, view).commit()
    unit = window.document.view.span / window.canvases[0].plot_area().width()
    assert np.abs(found - between).max() < unit, "half a pixel at most is lost between corner and middle of a pixel"


def test_the_arrow_keys_go_by_pixels_of_the_present_view(window: MainWindow) -> None:
    canvas = window.canvases[0]
    canvas.setFocus()
    QTest.keyClick(canvas, KEY.Key_Right)  # shows the cursor
    _wheel(window, canvas.plot_area().center().toPoint(), 6)
    x = window.controller.session.cursor[0]
    QTest.keyClick(canvas, KEY.Key_Right)
    grid = canvas.grid_for(window.document.view)
    assert window.controller.session.cursor[0] - x == pytest.approx(
        10 * (grid.right - grid.left) / canvas.plot_area().width()
    )


def test_two_clicks_on_the_arrow_leave_the_panel_as_it_was(window: MainWindow) -> None:
    _edit(window)
    more = window.findChild(QAbstractButton, "lane0.settings")
    for opened in (True, False):
        QTest.mouseClick(more, Qt.MouseButton.LeftButton)
        _turn(window)
        assert ("settings" in window.controller.session.open_panels) is opened


def test_each_arrow_key_moves_the_edge_of_the_wipe(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make()
    window.named_actions["wipe"].trigger()
    settle(qtbot, window)
    held = Frozen(window, monkeypatch)
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    try:
        _edit(window)
        grip = window.findChild(QWidget, "canvas0.wipe")
        grip.setFocus()
        for _ in range(3):
            QTest.keyClick(grip, KEY.Key_Right)
            _turn(window)
        assert window.controller.session.of(DifferenceSession).wipe == pytest.approx(0.5 + 3 * 0.02)
    finally:
        for event in held.go:
            event.set()


def test_lanes_at_other_indices_are_drawn_at_once(window: MainWindow) -> None:
    """Else a click on the row of one would act on another."""
    window.controller.lanes.move(0, 1)
    _turn(window)
    assert [lane.slot for lane in window.scene.lanes] == list(window.document.slots[:2])
    window.controller.lanes.remove(0)
    _turn(window)
    assert len(window.scene.lanes) == window.document.shown == 1


def test_the_keys_of_a_run_go_to_the_lane_that_was_chosen_last(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make()
    window.controller.set_lane(0, classifier="svm")
    settle(qtbot, window)
    held = Frozen(window, monkeypatch)
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    try:
        for lane in (0, 1):
            window.controller.set_lane(1, "svm", C=2.0 * window.document.lanes[1].svm.C)
            window.controller.playback.set_speed(lane, 2)
            _turn(window)
            window.named_actions["to_start"].trigger()
            assert window.controller.session.selected_slot == window.document.slots[lane]
    finally:
        for event in held.go:
            event.set()
