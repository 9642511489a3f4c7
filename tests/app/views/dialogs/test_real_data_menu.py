"""Real data from the File menu to the points of the document, by real keys."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton
from pytestqt.qtbot import QtBot

from app.exchange.real_data import TABLES
from app.window.dialogs.import_table import ImportDialog
from tests.windows import Make, settle


def test_a_table_of_the_menu_becomes_the_points(make: Make, qtbot: QtBot) -> None:
    window = make()
    before = window.document.points
    window.named_actions["real_data"].trigger()
    menu = window.findChild(QMenu, "real_data")
    assert menu is not None and menu.isVisible()
    assert [action.text() for action in menu.actions()] == [table.title for table in TABLES]
    assert all(action.toolTip() == table.sentence for action, table in zip(menu.actions(), TABLES, strict=True))
    QTest.keyClick(menu, Qt.Key.Key_Down)  # the first
    QTest.keyClick(menu, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.findChild(ImportDialog) is not None)
    dialog = window.findChild(ImportDialog)
    button = dialog.findChild(QPushButton, "import.import")
    qtbot.waitUntil(button.isEnabled, timeout=20_000)
    assert window.document.points is before
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: window.document.points is not before, timeout=20_000)
    settle(qtbot, window)
    assert tuple(window.document.points.counts)[:3] == (50, 50, 50)
    assert [name.partition(" (")[0] for name in window.document.axes] == ["petal length", "petal width"]


def test_escape_leaves_everything_as_it_was(make: Make, qtbot: QtBot) -> None:
    window = make()
    before = window.document
    window.named_actions["real_data"].trigger()
    QTest.keyClick(window.findChild(QMenu, "real_data"), Qt.Key.Key_Escape)
    settle(qtbot, window)
    assert window.document is before and window.findChild(ImportDialog) is None
    assert not any(menu.isVisible() for menu in window.findChildren(QMenu, "real_data"))
