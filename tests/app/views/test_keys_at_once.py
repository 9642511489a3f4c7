"""Keys that follow each other before a drawing: each finds the command that the previous one made possible."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from app.features.lessons.feature import STAGE
from app.features.lessons.shipped import lesson
from app.features.lessons.state import LessonSession
from app.features.table import FEATURES
from app.files import examples
from app.window.main_window import MainWindow
from tests.windows import Make, settle

KEY, CTRL, SHIFT, ALT = (
    Qt.Key,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
PLAIN = Qt.KeyboardModifier.NoModifier


def press(window: MainWindow, key: Qt.Key, held: Qt.KeyboardModifier = PLAIN) -> None:
    """Press a key, without any event between this one and the next."""
    QTest.keyClick(window.windowHandle(), key, held)


def test_undo_and_at_once_redo(make: Make) -> None:
    window = make()
    window.activateWindow()
    document = window.document
    assert not window.named_actions["undo"].isEnabled() and not window.named_actions["redo"].isEnabled()
    press(window, KEY.Key_A, CTRL)
    press(window, KEY.Key_Delete)
    made = window.document
    assert len(document.points) > 0 == len(made.points)
    press(window, KEY.Key_Z, CTRL)
    assert window.document.points is document.points
    press(window, KEY.Key_Z, CTRL | SHIFT)
    assert window.document.points is made.points
    press(window, KEY.Key_Z, CTRL)
    press(window, KEY.Key_Y, CTRL)
    assert window.document.points is made.points
    for _ in range(3):
        press(window, KEY.Key_Z, CTRL)
        assert window.document.points is document.points
        press(window, KEY.Key_Z, CTRL | SHIFT)
        assert window.document.points is made.points


@pytest.mark.slow
def test_points_example_presenter_and_lesson_at_once(make: Make) -> None:
    window = make()
    window.activateWindow()
    actions, controller = window.named_actions, window.controller
    controller.new()
    assert not actions["clear"].isEnabled() and not actions["export"].isEnabled()
    press(window, KEY.Key_G)
    assert actions["clear"].isEnabled() and actions["export"].isEnabled()
    assert not actions["start_over"].isEnabled()
    controller.examples.open(examples.BY_NAME["circle"])
    points = window.document.points
    press(window, KEY.Key_A, CTRL)
    press(window, KEY.Key_Delete)
    assert window.document.points is not points
    press(window, KEY.Key_R, CTRL | ALT)
    assert window.document.points.xy.tolist() == points.xy.tolist(), "the example starts over"
    press(window, KEY.Key_F5)
    assert controller.session.presenting is not None
    press(window, KEY.Key_C)
    assert controller.session.presenting.pen
    press(window, KEY.Key_Escape)
    assert controller.session.presenting is None and window.centralWidget().isVisible()
    assert actions["larger"].isEnabled() and not actions["lesson_leave"].isEnabled()
    window.surroundings.part(STAGE).begin(lesson(FEATURES, "margin"))
    assert actions["lesson_next"].isEnabled() and actions["lesson_leave"].isEnabled()
    actions["lesson_leave"].trigger()
    assert controller.session.of(LessonSession).lesson is None and not actions["lesson_next"].isEnabled()


def test_after_a_choice_from_a_list_the_keys_belong_to_the_picture(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.activateWindow()
    window.canvases[1].setFocus()
    kernel, cost = window.findChild(QComboBox, "lane1.kernel"), window.findChild(QLineEdit, "lane1.C")
    assert kernel is not None and cost is not None
    QTest.mouseClick(kernel, Qt.MouseButton.LeftButton)
    choose(kernel, "linear")
    settle(qtbot, window)
    assert window.document.lanes[1].svm.kernel == "linear"
    assert window.focusWidget() is window.canvases[1]
    window.activateWindow()
    press(window, KEY.Key_Space)
    assert not kernel.view().isVisible() and window.controller.session.has_timeline(window.document.slots[1])
    QTest.mouseClick(cost, Qt.MouseButton.LeftButton)
    assert cost.hasFocus()
    cost.selectAll()
    QTest.keyClicks(cost, "7")
    QTest.mouseClick(kernel, Qt.MouseButton.LeftButton)
    assert window.document.lanes[1].svm.C == 7, "a press on a list takes what was typed"
    choose(kernel, "rbf")
    settle(qtbot, window)
    assert cost.text() == "7" and window.document.lanes[1].svm.kernel == "rbf"


@pytest.mark.parametrize("ends", ["entry", "Esc"])
def test_after_a_menu_that_the_mouse_opened_a_key_chooses_its_tool(make: Make, qtbot: QtBot, ends: str) -> None:
    window = make(size=(1024, 768), simple=False)
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.canvases[1].setFocus()
    if ends != "entry":
        press(window, KEY.Key_B)
    bar = window.menuBar()
    (tools,) = (action for action in bar.actions() if action.text() == "&Tools")
    menu, at = tools.menu(), bar.actionGeometry(tools).center()
    assert isinstance(menu, QMenu)
    QTest.mouseClick(bar, Qt.MouseButton.LeftButton, pos=at)
    assert menu.isVisible()
    if ends == "entry":
        entry = next(action for action in menu.actions() if action.text().replace("&", "") == "Brush")
        QTest.mouseClick(menu, Qt.MouseButton.LeftButton, pos=menu.actionGeometry(entry).center())
    else:
        QTest.keyClick(menu, KEY.Key_Escape)
    assert not menu.isVisible()
    settle(qtbot, window)
    assert window.controller.session.tool == "brush"
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    press(window, KEY.Key_P)
    settle(qtbot, window)
    assert window.controller.session.tool == "pointer" and not menu.isVisible()


def choose(combo: QComboBox, data: str) -> None:
    """Choose an entry of the open list; Qt takes no click there so soon after the one that opened it."""
    assert combo.view().isVisible()
    combo.view().setCurrentIndex(combo.model().index(combo.findData(data), 0))
    QTest.keyClick(combo.view(), KEY.Key_Return)
