"""What a teacher tries in the first hour, by the first gesture that comes to mind."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu
from pytestqt.qtbot import QtBot

from app.files import examples
from app.scene import start_offer
from app.views.widgets.inputs import NumberField
from app.window.lane.named_combo import MORE, NamedCombo
from app.window.main_window import MainWindow
from tests.windows import Make, settle

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def view_menu(window: MainWindow) -> QMenu:
    return next(entry.menu() for entry in window.menuBar().actions() if entry.text() == "&View")


def test_the_theme_is_chosen_in_the_view_menu(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    for simple in (True, False, True):
        window.controller.prefer_simple(simple)
        settle(qtbot, window)
        menus = [entry.menu() for entry in view_menu(window).actions() if entry.menu() is not None]
        titles = [menu.title().replace("&", "") for menu in menus]
        assert titles == ["Audience's screen", "Theme", *["More"] * simple]
    dark = next(entry for menu in menus for entry in menu.actions() if entry.text() == "&Dark")
    dark.trigger()
    settle(qtbot, window)
    assert window.controller.session.dark


def test_a_click_on_more_classifiers_opens_them(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    combo = window.findChild(NamedCombo, "lane0.classifier")
    shown = [row for row in range(combo.count()) if not combo.view().isRowHidden(row)]
    QTest.mouseClick(combo, LEFT)
    view, more = combo.view(), combo.model().index(combo.findData(MORE), 0)
    at = view.visualRect(more).center()
    QTest.mouseMove(view.viewport(), at)
    QTest.qWait(QApplication.doubleClickInterval() + 50)  # so long Qt ignores a release behind the opening click
    QTest.mousePress(view.viewport(), LEFT, NONE, view.visualRect(more).center())
    QTest.mouseRelease(view.viewport(), LEFT, NONE, view.visualRect(more).center())
    QApplication.processEvents()
    assert view.isVisible() and combo.currentData() == "knn"
    assert sum(not view.isRowHidden(row) for row in range(combo.count())) > len(shown) + 10
    row = combo.findData("forest")
    QTest.mouseClick(view.viewport(), LEFT, NONE, view.visualRect(combo.model().index(row, 0)).center())
    settle(qtbot, window)
    assert window.document.lanes[0].classifier == "forest" and not view.isVisible()


def test_a_double_click_selects_the_whole_number(make: Make) -> None:
    window = make(simple=True)
    field = window.findChild(NumberField, "generator.noise")
    QTest.mouseDClick(field, LEFT, NONE, QPoint(12, field.height() // 2))
    assert field.selectedText() == field.text() == "0.2"


def test_a_new_document_has_no_notes_of_the_old_one(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.open_example(examples.BY_NAME["differ"])
    settle(qtbot, window)
    assert window.document.notes
    window.controller.new()
    settle(qtbot, window)
    assert window.document.notes == "" and window.controller.examples.present is None


def test_the_legend_takes_the_corner_of_the_first_offer(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    assert window.scene.offer is start_offer.FIRST
    window.named_actions["legend"].trigger()
    settle(qtbot, window)
    assert window.scene.offer is None and window.lanes_view.offer.isHidden()
