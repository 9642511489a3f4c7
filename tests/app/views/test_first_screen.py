"""The first screen: the number of visible controls, and where the hidden ones are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QListWidget,
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
    assert len(tools) == 6
    window.controller.prefer_simple(False)
    settle(qtbot, window)
    finish_layout()
    everything = controls(window)
    assert {"class8", "tool.tool.magnet", "generate", "generator.count", "tool.fit", "lane0.settings"} <= set(
        everything
    )
    assert "class.more" not in everything
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


def test_other_tools_are_in_the_menu_of_tools(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    bar = window.menuBar()
    tools = next(action for action in bar.actions() if action.text() == "&Tools")
    QTest.mouseClick(bar, LEFT, pos=bar.actionGeometry(tools).center())
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()][: len(TOOLS)] == [kind.title for kind in TOOLS.values()]
    action = next(action for action in menu.actions() if action.text() == "Magnet")
    QTest.mouseClick(menu, LEFT, pos=menu.actionGeometry(action).center())
    settle(qtbot, window)
    button = window.findChild(QAbstractButton, "tool.tool.magnet")
    assert window.controller.session.tool == "magnet" and button.isVisible() and button.isChecked()
    window.findChild(QAction, "action.tool.pointer").trigger()
    settle(qtbot, window)
    assert not button.isVisible()


def test_more_classifiers_opens_a_dialog_and_the_window_stays_simple(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    combo = window.findChild(QComboBox, "lane0.classifier")
    for by_click, typed, name, trainer in (
        (True, "perceptron", "perceptron", "smo"),
        (False, "pegasos", "pegasos", "smo"),
        (True, "lasvm", "svm", "lasvm"),
        (False, "dual ascent", "svm", "dual-ascent"),
    ):
        combo.showPopup()  # after a press on the list Qt ignores clicks for the time of a double click
        finish_layout()
        view, more = combo.view(), combo.findData("more")
        assert view.isRowHidden(combo.findData("lda")) and not view.isRowHidden(more)
        QTest.mouseMove(view.viewport(), pos=view.visualRect(combo.model().index(more, 0)).center())
        assert view.isRowHidden(combo.findData("lda")), "the list does not grow under the pointer"
        QTest.mouseClick(view.viewport(), LEFT, pos=view.visualRect(combo.model().index(more, 0)).center())
        settle(qtbot, window)
        dialog = window.findChild(QDialog, "classifiers")
        assert dialog is not None and dialog.isVisible() and not view.isVisible()
        search, listed = dialog.findChild(QLineEdit), dialog.findChild(QListWidget)
        QTest.keyClicks(search, typed)
        if by_click:
            spot = listed.visualItemRect(listed.currentItem()).center()
            QTest.mouseClick(listed.viewport(), LEFT, pos=spot)
            QTest.mouseDClick(listed.viewport(), LEFT, pos=spot)
        else:
            QTest.keyClick(search, Qt.Key.Key_Return)
        settle(qtbot, window)
        lane = window.document.lanes[0]
        assert (lane.classifier, lane.svm.trainer) == (name, trainer) and window.controller.session.simple
        assert combo.currentData() == (trainer if name == "svm" else name)
        window.controller.undo()
        settle(qtbot, window)
        assert window.document.lanes[0].classifier == "knn", "one step of undo"


def test_trainers_of_the_svm_are_listed_beside_pegasos(make: Make, qtbot: QtBot) -> None:
    window = make(simple=False)
    combo = window.findChild(QComboBox, "lane0.classifier")
    names = [combo.itemData(row) for row in range(combo.count()) if not combo.view().isRowHidden(row)]
    at = names.index("pegasos")
    assert names[at + 1 : at + 3] == ["lasvm", "dual-ascent"]


@pytest.mark.parametrize("simple", [True, False])
def test_the_arrow_of_a_row_opens_all_its_settings_and_nothing_else_does(
    make: Make, qtbot: QtBot, simple: bool
) -> None:
    window = make(simple=simple)
    for opened in (True, False):
        click(window, qtbot, "lane0.settings")
        assert window.lanes_view.settings.forms[0].isVisible() is opened
    click(window, qtbot, "lane0.menu")
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu)
    titles = [action.text() for action in menu.actions()]
    menu.close()
    assert titles == ["Move left", "Move right", "Add another", "Duplicate", "Remove"]


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
