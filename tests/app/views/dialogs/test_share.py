"""Share texts in the window: Copy as text, and texts that are pasted, dropped or opened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QFileDialog, QLabel, QPlainTextEdit, QPushButton, QWidget

from app.core.number_format import count
from app.core.points import Points
from app.exchange.share_text import MOST_POINTS, decode, encode, moves
from app.learners.knn import KnnSettings
from app.state.commands import AddPoints
from app.state.document import Document, GeneratorSettings, Lane, View, default_document
from app.state.split import IdSet, Split
from app.views.widgets.inputs import NumberField
from app.window.dialogs.import_table import ImportDialog
from app.window.dialogs.share import ShareDialog, _at_most
from app.window.main_window import MainWindow
from tests import playground_files
from tests.app.files.test_files import content
from tests.app.views.test_nothing_is_cut_off import SLACK, lacking
from tests.windows import Make, QtBot, finish_tasks, settle

CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
MINE = replace(default_document(), notes="mine")
THEIRS = Document(
    Points.of([(5.0, 5.0), (6.0, 7.0), (7.0, 5.5), (5.5, 6.1)], [0, 1, 2, 0]),
    lanes=(Lane("knn", KnnSettings(n_neighbors=1)), Lane("perceptron"), Lane("pegasos")),
    shown=3,
    view=View(5.5, 6.0, 9.0),
    split=Split("painted", painted=IdSet([2])),
)


def key(window: MainWindow, pressed: Qt.Key, modifiers: Qt.KeyboardModifier) -> None:
    window.refreshing.flush()  # else undo is not enabled yet
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    QTest.keyClick(window.canvases[0], pressed, modifiers)
    finish_tasks(window)


def paste(window: MainWindow, text: str) -> None:
    QApplication.clipboard().setText(text)
    key(window, Qt.Key.Key_V, CTRL)


def is_theirs(document: Document) -> bool:
    names = ("lanes", "shown", "view", "split", "compared", "notes", "origin")
    theirs = decode(encode(THEIRS))
    alike = all(getattr(document, name) == getattr(theirs, name) for name in names)
    return alike and document.points.same_as(theirs.points)


def dialog(window: MainWindow) -> ShareDialog:
    key(window, Qt.Key.Key_C, CTRL | ALT)
    (found,) = (each for each in window.findChildren(ShareDialog) if each.isVisible())
    return found


@pytest.mark.slow
def test_copy_as_text(make: Make) -> None:
    window = make(MINE, wait=False)
    QApplication.clipboard().setText("before")
    before = window.document
    shown, text = dialog(window), encode(MINE)
    assert QApplication.clipboard().text() == text == shown.findChild(QPlainTextEdit, "share.text").toPlainText()
    about = shown.findChild(QLabel, "share.about").text()
    assert f"Copied: 200 points, {count(len(text), 'character')}." in about
    assert (
        "settings instead of its points, so that none of them is moved" in about and "Not in the text: notes" in about
    )
    assert shown.findChild(QPlainTextEdit).isReadOnly() and window.document is before
    close = shown.findChild(QDialogButtonBox).button(QDialogButtonBox.StandardButton.Close)
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    assert not window.findChildren(QFileDialog)
    again = dialog(window)
    QTest.mouseClick(again.findChild(QPushButton, "share.save"), Qt.MouseButton.LeftButton)
    save = window.findChild(QFileDialog, "save_as")
    assert save is not None and save.isVisible() and not again.isVisible()
    save.reject()


def test_the_generator_goes_on_after_pasting(make: Make, qtbot: QtBot) -> None:
    """Test accuracy on new points, and the Noise field, still work; as do the unedited ones of edited points."""
    rings = GeneratorSettings("circle", 40, 0.1, seed=3)
    points = rings.points()
    theirs = Document(points, view=View.fitting(points), generator=rings, origin=rings)
    window = make(theirs, wait=False)
    dialog(window).close()
    copied = QApplication.clipboard().text()
    window.named_actions["clear"].trigger()
    assert window.document.origin is None
    paste(window, copied)
    assert window.document.is_generated and window.document.generator == rings and len(copied) < 200
    settle(qtbot, window)
    assert "test " in window.findChild(QLabel, "lane0.status").text()
    field = window.findChild(NumberField, "generator.noise")
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "0.3")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert window.document.origin.noise == 0.3 and window.document.is_generated
    window.controller.store.dispatch(AddPoints(xy=((0.123456, 0.2), (0.3, -0.1), (-0.2, 0.1)), labels=(0, 1, 0)))
    edited, shown = window.document, dialog(window)
    x, y = (_at_most(each) for each in moves(edited))
    assert f"Coordinates of edited points are rounded to 12 bits: x moves by at most {x}, y by at most {y}." in (
        shown.findChild(QLabel, "share.about").text()
    )
    shown.close()
    again = decode(QApplication.clipboard().text())
    assert again.origin == edited.origin and np.array_equal(again.points.xy[:80], edited.points.xy[:80])


@pytest.mark.parametrize(
    ("value", "report"),
    [(0.000366, "0.0004"), (0.0004, "0.0004"), (9.1, "10"), (3e14, "3e+14"), (2e-9, "2e-09"), (0, "0")],
)
def test_it_moves_by_no_more_than_reported(value: float, report: str) -> None:
    assert _at_most(value) == report and float(report) >= value * (1 - 1e-12)


def test_too_many_points_are_offered_a_file(make: Make) -> None:
    points = Points.of(np.random.default_rng(0).normal(size=(MOST_POINTS + 1, 2)), 0)
    window = make(Document(points), wait=False)
    QApplication.clipboard().setText("before")
    shown = dialog(window)
    assert QApplication.clipboard().text() == "before" and shown.findChild(QPlainTextEdit) is None
    assert "Nothing was copied.  The share text holds at most 450 points; this document has 451 points, so save" in (
        shown.findChild(QLabel, "share.about").text()
    )
    QTest.mouseClick(shown.findChild(QPushButton, "share.save"), Qt.MouseButton.LeftButton)
    save = window.findChild(QFileDialog, "save_as")
    assert save is not None
    save.reject()


def test_a_pasted_text_is_one_step(make: Make) -> None:
    window = make(MINE, wait=False)
    store, session = window.controller.store, window.controller.session
    window.controller.editing.select_all()
    paste(window, "\n" + encode(THEIRS)[:40] + "\r\n  " + encode(THEIRS)[40:] + "\n")
    assert is_theirs(window.document) and len(store.history) == 1 and store.modified
    assert "4 points" in window.status_line.text()
    assert store.undo_name == "Open a share text" and not len(window.controller.session.selection)
    assert all(now == then + 1 for now, then in zip(window.controller.session.restarts, session.restarts, strict=True))
    assert window.document.test_points.ids.tolist() == [2]
    key(window, Qt.Key.Key_Z, CTRL)
    assert content(window.document) == content(MINE) and not store.modified
    key(window, Qt.Key.Key_Z, CTRL | SHIFT)
    assert is_theirs(window.document)
    paste(window, encode(THEIRS))
    assert len(store.history) == 1, "it is what is there"
    assert window.findChild(ImportDialog) is None


def test_a_damaged_text_changes_nothing(make: Make) -> None:
    window, report = make(MINE, wait=False), []
    window.controller.say = report.append
    text, before = encode(THEIRS)[:-9], window.document
    QApplication.clipboard().setText(text)
    for number, way in enumerate(("paste", "import_clipboard", "drop"), start=1):
        if way == "drop":
            assert drop(window, text)
        else:
            window.named_actions[way].trigger()
        finish_tasks(window)
        assert window.document is before and not window.controller.store.history
        assert len(report) == number and report[-1].startswith("The share text is damaged"), report
        assert window.findChild(ImportDialog) is None


def test_in_large_text_nothing_of_it_is_cut_off(make: Make) -> None:
    window = make(MINE, wait=False, size=(1024, 768))
    window.appearance.set_text_size(QApplication.font().pointSize() + 8)
    shown = dialog(window)
    QApplication.processEvents()
    for widget in (*shown.findChildren(QLabel), *shown.findChildren(QPushButton)):
        lack = lacking(widget)
        assert lack.width() <= SLACK and lack.height() <= SLACK, (widget.text(), lack)
        assert shown.rect().contains(widget.geometry()) or widget.parentWidget() is not shown
    assert shown.width() <= 1024 and shown.height() <= 768
    QTest.keyClick(shown, Qt.Key.Key_Escape)
    assert not shown.isVisible()


def drop(window: QWidget, text: str) -> bool:
    data = QMimeData()
    data.setText(text)
    left, none = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, data, left, none)
    enter.ignore()
    QApplication.sendEvent(window, enter)
    if enter.isAccepted():
        shade = window.findChild(QWidget, "drop")
        assert shade.isVisible() and "share text" in shade.accessibleName()
        QApplication.sendEvent(window, QDropEvent(QPointF(5, 5), Qt.DropAction.CopyAction, data, left, none))
        assert not shade.isVisible()
    return enter.isAccepted()


def test_a_dropped_text_is_one_step(make: Make) -> None:
    window = make(MINE, wait=False)
    assert not drop(window, "1 2 3") and drop(window, encode(THEIRS))
    finish_tasks(window)
    assert is_theirs(window.document)
    window.controller.undo()
    assert content(window.document) == content(MINE)


@pytest.mark.parametrize("name", ["x.playground", "mail.txt"])
def test_a_file_that_holds_one_is_one_step_and_is_not_saved_over(make: Make, tmp_path: Path, name: str) -> None:
    window, path, mine = make(wait=False), tmp_path / name, tmp_path / "mine.playground"
    playground_files.write(MINE, mine)
    window.take_files([mine])
    finish_tasks(window)
    path.write_text(encode(THEIRS), encoding="utf-8")
    window.take_files([path])
    finish_tasks(window)
    store = window.controller.store
    assert is_theirs(window.document) and store.path is None and not store.modified
    window.controller.undo()
    assert content(window.document) == content(MINE) and store.modified
    table = tmp_path / "table.txt"
    table.write_text("1 2 3")
    imported: list[Path] = []
    window.import_export.import_file = imported.append
    window.take_files([table])
    assert imported == [table]
