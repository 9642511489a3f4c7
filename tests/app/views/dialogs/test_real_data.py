"""Real data from the gallery to the points of the document, by real keys."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.exchange.real_data import TABLES
from app.features.lessons.view_gallery import PICTURE, Card, GalleryDialog
from app.window.dialogs.import_table import ImportDialog
from tests.windows import Make, settle


def test_each_table_is_a_card_with_a_picture(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1024, 768))
    window.named_actions["real_data"].trigger()
    gallery = window.findChild(GalleryDialog)
    assert gallery is not None and gallery.isVisible()
    cards = [each for each in gallery.findChildren(Card) if each.isVisible()]
    assert [each.accessibleName().partition(". ")[2] for each in cards] == [table.title for table in TABLES]
    for card, table in zip(cards, TABLES, strict=True):
        picture, text = card.findChildren(QLabel)
        assert picture.pixmap().size().toTuple() == PICTURE and table.sentence.partition("  ")[0] in text.text()
        shown = picture.grab().toImage()
        seen = {shown.pixel(x, y) for x in range(0, shown.width(), 3) for y in range(0, shown.height(), 3)}
        assert len(seen) > 20, "a drawing"
        assert gallery.rect().contains(card.mapTo(gallery, card.rect().bottomRight()))
    assert not gallery.findChild(QComboBox, "gallery.language").isVisible()
    gallery.close()


def test_a_table_of_the_gallery_becomes_the_points(make: Make, qtbot: QtBot) -> None:
    window = make()
    before = window.document.points
    window.named_actions["real_data"].trigger()
    gallery = window.findChild(GalleryDialog)
    assert gallery.focusWidget().objectName() == "data.iris"
    QTest.keyClick(gallery.focusWidget(), Qt.Key.Key_Return)
    assert not gallery.isVisible()
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
    QTest.keyClick(window.findChild(GalleryDialog), Qt.Key.Key_Escape)
    settle(qtbot, window)
    assert window.document is before and window.findChild(ImportDialog) is None
