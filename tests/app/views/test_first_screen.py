"""The first screen: the number of visible controls, and where the hidden ones are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLineEdit,
    QMenu,
    QScrollBar,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.state.document import default_document
from app.tools import TOOLS
from app.window.main_window import MainWindow
from tests.windows import Make, finish_layout, settle

LEFT = Qt.MouseButton.LeftButton
KINDS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)
#: Most controls visible at the first start; before there was a simple first screen there were 51.
MOST = 30


def controls(window: MainWindow) -> list[str]:
    """Return the visible buttons, lists, fields and sliders, enabled or not; a field with its arrows is one."""
    found = []
    for widget in window.findChildren(QWidget):
        part = isinstance(widget.parentWidget(), (QAbstractSpinBox, QComboBox)) or isinstance(widget, QScrollBar)
        if isinstance(widget, KINDS) and not part and widget.isVisible() and not widget.visibleRegion().isEmpty():
            found.append(widget.objectName())
    return found


def click(window: MainWindow, qtbot: QtBot, name: str) -> None:
    button = window.findChild(QWidget, name)
    assert button is not None and button.isVisible(), name
    QTest.mouseClick(button, LEFT)
    settle(qtbot, window)
    finish_layout()


def test_the_first_screen_has_thirty_controls_at_most(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800), simple=True)
    shown = controls(window)
    assert len(shown) <= MOST, sorted(shown)
    assert [name for name in shown if name.startswith("class")] == ["class1", "class2", "class.more"]
    tools = [name for name in shown if name.startswith("tool.tool.")]
    assert len(tools) == 6 and "tool.more" in shown
    window.controller.prefer_simple(False)
    settle(qtbot, window)
    finish_layout()
    everything = controls(window)
    assert {"class8", "tool.tool.magnet", "generate", "generator.count", "tool.fit", "lane0.settings"} <= set(
        everything
    )
    assert "class.more" not in everything and "tool.more" not in everything
    window.controller.prefer_simple(True)
    settle(qtbot, window)
    finish_layout()
    assert sorted(controls(window)) == sorted(shown)


def test_plus_brings_one_class_more(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    click(window, qtbot, "class.more")
    assert window.controller.session.active_class == 2 and window.findChild(QWidget, "class3").isVisible()
    click(window, qtbot, "class1")
    assert window.findChild(QWidget, "class3").isVisible(), "a class that was asked for stays"
    QTest.keyClick(window, Qt.Key.Key_8)
    settle(qtbot, window)
    assert window.findChild(QWidget, "class8").isVisible() and not window.findChild(QWidget, "class.more").isVisible()


def test_other_tools_are_one_click_away(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    click(window, qtbot, "tool.more")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    texts = [action.text() for action in menu.actions()]
    assert texts == [kind.title for kind in TOOLS.values() if not kind.simple]
    action = next(action for action in menu.actions() if action.text() == "Magnet")
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    settle(qtbot, window)
    button = window.findChild(QAbstractButton, "tool.tool.magnet")
    assert window.controller.session.tool == "magnet" and button.isVisible() and button.isChecked()
    QTest.keyClick(window, Qt.Key.Key_P)
    settle(qtbot, window)
    assert not button.isVisible()


def choose_more(combo: QComboBox, data: str, by_click: bool) -> None:
    """Choose an entry behind "More classifiers…", which a click on it opens, or the pointer on it."""
    combo.showPopup()  # after a press on the list Qt ignores clicks for the time of a double click
    finish_layout()
    view = combo.view()
    before = view.mapToGlobal(QPoint(0, 0)) + view.visualRect(combo.model().index(0, 0)).topLeft()
    more = view.visualRect(combo.model().index(combo.findData("more"), 0)).center()
    assert view.isRowHidden(combo.findData(data))
    (QTest.mouseClick if by_click else QTest.mouseMove)(view.viewport(), *([LEFT] if by_click else []), pos=more)
    finish_layout()
    after = view.mapToGlobal(QPoint(0, 0)) + view.visualRect(combo.model().index(0, 0)).topLeft()
    assert view.isVisible() and after == before, "what was in the list stays where it was"
    location = view.visualRect(combo.model().index(combo.findData(data), 0)).center()
    QTest.mouseClick(view.viewport(), LEFT, pos=location)


def test_more_classifiers_opens_the_list_of_all_and_the_window_stays_simple(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    combo = window.findChild(QComboBox, "lane0.classifier")
    for by_click, name in ((True, "perceptron"), (False, "pegasos")):
        choose_more(combo, name, by_click)
        settle(qtbot, window)
        assert window.document.lanes[0].classifier == name and window.controller.session.simple
        assert combo.currentData() == name and not combo.view().isVisible()
        combo.showPopup()
        assert not combo.view().isRowHidden(combo.findData(name)), "the list has what is chosen"
        combo.hidePopup()
        window.controller.set_lane(0, classifier="knn")
        settle(qtbot, window)
    combo.showPopup()
    assert combo.view().isRowHidden(combo.findData("perceptron")), "the list begins with what Simple offers"
    combo.hidePopup()


@pytest.mark.parametrize("simple", [True, False])
def test_the_menu_of_a_row_opens_all_its_settings(make: Make, qtbot: QtBot, simple: bool) -> None:
    window = make(simple=simple)
    for opened in (True, False):
        window.findChild(QWidget, "lane0.menu").open()
        QTest.mouseClick(window.findChild(QWidget, "lane0.menu.settings"), LEFT)
        settle(qtbot, window)
        assert window.lanes_view.settings.forms[0].isVisible() is opened


def test_the_list_of_data_sets_names_what_the_points_are(make: Make, qtbot: QtBot) -> None:
    window = make(default_document(), simple=True)
    combo = window.findChild(QComboBox, "generator.name")
    assert combo.currentText() == "Moons"
    QTest.mouseClick(window.canvases[0].viewport(), LEFT, Qt.KeyboardModifier.NoModifier, window.to_widget(0, 0.3, 1.9))
    settle(qtbot, window)
    assert combo.currentText() == "Moons, edited"
    window.named_actions["clear"].trigger()
    settle(qtbot, window)
    QTest.mouseClick(window.canvases[0].viewport(), LEFT, Qt.KeyboardModifier.NoModifier, window.to_widget(0, 0.3, 0.5))
    settle(qtbot, window)
    assert combo.currentText() == "Own points" and len(window.document.points) == 1
    combo.setCurrentIndex(combo.findData("moons"))
    combo.activated.emit(combo.currentIndex())
    settle(qtbot, window)
    assert combo.currentText() == "Moons" and len(window.document.points) == 200
