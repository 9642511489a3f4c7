"""Names of files, classes and axes are displayed literally: no markup, no reversed text, no key, in any widget."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6 import QtGui
from PySide6.QtCore import QAbstractListModel, QEvent, QModelIndex, Qt
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QDockWidget,
    QGraphicsTextItem,
    QGraphicsView,
    QGroupBox,
    QLabel,
    QLineEdit,
    QMenu,
    QMessageBox,
    QPlainTextEdit,
    QTabBar,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.features.probe.controller import ProbeController
from app.features.table import FEATURES
from app.files.locks import Claims
from app.state.commands import AddPoints
from app.state.document import ClassStyle, Document, GeneratorSettings, Lane
from app.state.split import Split
from app.views.widgets.inputs import plain_tip
from app.window.dialogs.import_table import ImportDialog
from app.window.dialogs.recovery import RecoveryDialog
from app.window.dock_manager import docks
from app.window.main_window import MainWindow
from tests import playground_files
from tests.app import file_work
from tests.app.views.dialogs.test_recovery import box, choose, left_behind, offered
from tests.windows import Make, finish_tasks, settle

#: Markup, a picture, the mark of a key, a character that reverses text, and a line separator.
EVIL = "<b>Q7&D<img src=q>\u202eZ\u2028"
TURNING = re.compile("[\x00-\x08\x0b-\x1f\x7f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]")


def read_as(text: str, form: Qt.TextFormat) -> str:
    """Return how a label of this format, or a tip, displays `text`."""
    if form is Qt.TextFormat.RichText or (form is Qt.TextFormat.AutoText and QtGui.Qt.mightBeRichText(text)):
        page = QTextDocument()
        page.setHtml(text)
        return page.toPlainText()
    return text


def acts(text: str, form: Qt.TextFormat = Qt.TextFormat.AutoText) -> str:
    """Return the part of a user's name in `text` that is not displayed literally; "" if there is none."""
    shown = read_as(text, form)
    if shown.count("Q7") != text.count("Q7") or shown.count("<b>Q7") != shown.count("Q7") or "\ufffc" in shown:
        return "markup"
    return "a turning sign" if TURNING.search(shown.replace("\u2028", "\n") if shown != text else shown) else ""


def items(view: QAbstractItemView | QComboBox) -> Iterator[tuple[str, str]]:
    model = view.model()
    if model is None:
        return
    roles = Qt.ItemDataRole
    n_rows = min(model.rowCount(QModelIndex()), 50)
    n_columns = 1 if isinstance(model, QAbstractListModel) else min(model.columnCount(QModelIndex()), 50)
    for row in range(n_rows):
        for column in range(n_columns):
            for role in (roles.DisplayRole, roles.ToolTipRole, roles.StatusTipRole, roles.WhatsThisRole):
                value = model.index(row, column, QModelIndex()).data(role)
                if isinstance(value, str):
                    yield role.name, value
    for way, n in ((Qt.Orientation.Horizontal, n_columns), (Qt.Orientation.Vertical, n_rows)):
        for section in range(n):
            for role in (roles.DisplayRole, roles.ToolTipRole):
                value = model.headerData(section, way, role)
                if isinstance(value, str):
                    yield f"header {role.name}", value


def texts(window: QWidget) -> Iterator[tuple[str, str, Qt.TextFormat, bool]]:
    """Yield location, text, format, and whether an & in the text marks a key."""
    plain, auto = Qt.TextFormat.PlainText, Qt.TextFormat.AutoText
    for widget in [window, *window.findChildren(QWidget)]:
        name = f"{type(widget).__name__} {widget.objectName()}"
        for what, text in (("tip", widget.toolTip()), ("status", widget.statusTip()), ("what", widget.whatsThis())):
            yield f"{name} {what}", text, auto, False
        yield f"{name} title", widget.windowTitle(), plain, False
        for text in (widget.accessibleName(), widget.accessibleDescription()):
            yield f"{name} accessible", text, plain, False
        if isinstance(widget, QLabel):
            yield f"{name} text", widget.text(), widget.textFormat(), widget.buddy() is not None
        elif isinstance(widget, QMessageBox):
            yield f"{name} text", widget.text(), widget.textFormat(), False
        elif isinstance(widget, QAbstractButton):
            yield f"{name} text", widget.text(), plain, True
        elif isinstance(widget, QGroupBox | QMenu):
            yield f"{name} text", widget.title(), plain, True
        elif isinstance(widget, QTabBar):
            for index in range(widget.count()):
                yield f"{name} tab", widget.tabText(index), plain, True
                yield f"{name} tab tip", widget.tabToolTip(index), auto, False
        elif isinstance(widget, QTextEdit) and widget.objectName() != "help.begin":  # it has drawings, and no names
            yield f"{name} text", widget.toHtml(), Qt.TextFormat.RichText, False
        elif isinstance(widget, QPlainTextEdit) and widget.objectName() != "notes":
            yield f"{name} text", widget.toPlainText(), plain, False
        elif isinstance(widget, QLineEdit):
            yield f"{name} placeholder", widget.placeholderText(), plain, False
        elif isinstance(widget, QComboBox | QAbstractItemView):
            for role, text in items(widget):
                yield f"{name} {role}", text, auto if "Tip" in role else plain, False
        elif isinstance(widget, QGraphicsView) and widget.scene() is not None:
            for item in widget.scene().items():
                yield f"{name} item tip", item.toolTip(), auto, False
                if isinstance(item, QGraphicsTextItem):
                    yield f"{name} item", item.toHtml(), Qt.TextFormat.RichText, False
    for action in window.findChildren(QAction):
        name = f"action {action.objectName()}"
        for what, text in (("tip", action.toolTip()), ("status", action.statusTip()), ("what", action.whatsThis())):
            yield f"{name} {what}", text, auto, False
        yield f"{name} text", action.text(), plain, True


def faults(window: QWidget) -> tuple[list[str], int]:
    """Return where a user's name is not literal, and the number of texts that contain one."""
    found, quoted = [], 0
    for where, text, form, key in texts(window):
        quoted += "Q7" in text
        what = acts(text, form)
        if not what and key and "Q7" in text and re.search("(?<!&)(&&)*&(?!&)", text.partition("Q7")[2]):
            what = "a key"
        if what:
            found.append(f"{where}: {what}: {text[:200]!r}")
    return found, quoted


@pytest.mark.parametrize(
    ("text", "form", "what"),
    [
        ("<b>Q7", Qt.TextFormat.AutoText, "markup"),
        ("<b>Q7", Qt.TextFormat.RichText, "markup"),
        ("<i><b>Q7<img src=q></i>", Qt.TextFormat.AutoText, "markup"),
        ("<b>Q7", Qt.TextFormat.PlainText, ""),
        ("<p>&lt;b&gt;Q7</p>", Qt.TextFormat.AutoText, ""),
        ("<p>&lt;b&gt;Q7\u202e</p>", Qt.TextFormat.AutoText, "a turning sign"),
        ("a\u2067b", Qt.TextFormat.PlainText, "a turning sign"),
    ],
)
def test_the_walk_sees_what_acts(qapp: QApplication, text: str, form: Qt.TextFormat, what: str) -> None:
    assert acts(text, form) == what


def test_a_tip_shows_what_it_is_given(qapp: QApplication) -> None:
    for text in ("plain", "<b>Q7&amp; <img src=q>", "a  b\n<c>", "R&D", "&lt;", "1 < 2"):
        assert read_as(plain_tip(text), Qt.TextFormat.AutoText) == text
    assert plain_tip("plain\nlines") == "plain\nlines"
    assert read_as(plain_tip("<i>\u202ea\x07"), Qt.TextFormat.AutoText) == "<i>\ufffda\ufffd"


def evil_document() -> Document:
    points = GeneratorSettings("blobs", 12, 0.3, 1, n_classes=3).points()
    styles = tuple(ClassStyle(f"{EVIL}{number}"[:40]) for number in range(8))
    lanes = (Lane("knn"), Lane("svm"), Lane("difference"), Lane("perceptron"))
    return Document(
        points, lanes, 4, styles=styles, axes=(f"x{EVIL}", f"y{EVIL}"), notes=EVIL, split=Split("ratio", 0.3, 1)
    )


def show_everything(window: MainWindow, qtbot: QtBot) -> None:
    for spec in docks(FEATURES):
        window.dock_manager.panel(spec.name)
        window.findChild(QDockWidget, f"dock.{spec.name}").show()
    window.controller.feature(ProbeController).pin(0.1, 0.2)
    window.named_actions["classes"].trigger()
    window.ask_picture()
    window.named_actions["help"].trigger()
    settle(qtbot, window, 60_000)


@pytest.mark.slow
def test_no_name_of_a_document_acts(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    folder = tmp_path / EVIL
    folder.mkdir()
    path = folder / f"{EVIL}.playground"
    playground_files.write(evil_document(), path)
    window = make(size=(1400, 950))
    window.take_files([path])
    finish_tasks(window)
    assert window.controller.store.path == path
    show_everything(window, qtbot)
    window.named_actions["arm_whatif"].trigger()
    window.controller.set_style(0, name=f"{EVIL}!")
    window.controller.dispatch(AddPoints(xy=(0.1, 0.2), labels=0))
    window.controller.editing.select_all()
    settle(qtbot, window, 60_000)
    met: set[str] = set()
    for name in ("probe", "evaluation", "truth", "whatif", "asking"):  # of which only one at a time is visible
        window.findChild(QDockWidget, f"dock.{name}").raise_()
        window.controller.set_style(1, name=f"{EVIL}{name}")
        settle(qtbot, window, 60_000)
        bad, _ = faults(window)
        assert not bad, f"{name}: " + "\n".join(bad)
        met |= {where.split()[1].partition(".")[0] for where, text, _, _ in texts(window) if "Q7" in text}
    assert {"class1", "canvas0", "table", "probe0", "evaluation", "asking", "window"} <= met, met
    for dialog in window.findChildren(QWidget):
        if dialog.isWindow() and dialog is not window:
            dialog.close()


def test_no_name_in_a_sentence_or_question_acts(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / f"{EVIL}.playground"
    window = make(evil_document(), wait=False)
    assert file_work.save(window.controller, path)
    qtbot.waitUntil(lambda: "Q7" in window.status_line.text())
    met = {"say": faults(window)}
    menu = window.findChild(QMenu, "recent")
    menu.aboutToShow.emit()
    met["recent"] = faults(menu)
    other, claims = tmp_path / f"other {EVIL}.playground", Claims(tmp_path / "open", "another")
    claims.follow(other)
    window.take_files([other])
    met["elsewhere"] = faults(box(window, "open_elsewhere"))
    claims.release()
    window.controller.dispatch(AddPoints(xy=(0.1, 0.2), labels=0))
    window.file_dialogs.unless_unsaved(lambda: None)
    met["unsaved"] = faults(box(window, "unsaved"))
    window.file_dialogs.revert()
    met["revert"] = faults(box(window, "revert"))
    file_work.open_file(window.controller, tmp_path / f"missing {EVIL}.playground", window.alert)
    met["alert"] = faults(box(window, "alert"))
    window.import_export.export(tmp_path / f"{EVIL}.csv")
    for name, (bad, quoted) in met.items():
        assert not bad and quoted, f"{name}: {bad}"
    for dialog in window.findChildren(QMessageBox):
        dialog.reject()


def test_a_formula_in_a_question_is_literal(make: Make) -> None:
    window = make(replace(evil_document(), axes=(f"={EVIL}", "")), wait=False)
    window.import_export.export(Path("nowhere.csv"))
    query = box(window, "formulas")
    bad, quoted = faults(query)
    assert not bad and quoted
    query.reject()


@pytest.mark.slow
def test_no_name_of_unsaved_work_acts(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    folder = tmp_path / EVIL
    folder.mkdir()
    left_behind(make, qtbot, tmp_path, evil_document(), folder / f"{EVIL}.playground")
    window = make(wait=False)
    dialog = offered(window, qtbot)
    assert isinstance(dialog, RecoveryDialog)
    bad, quoted = faults(dialog)
    assert not bad and quoted >= 2, bad
    choose(dialog, "delete")
    bad, quoted = faults(box(dialog, "delete_copy"))
    assert not bad and quoted, bad
    box(dialog, "delete_copy").reject()
    choose(dialog, "recover")
    bad, quoted = faults(window)
    assert not bad and quoted, bad


@pytest.mark.parametrize("rows", ["1,2,a\n3,4,b\n", "1,2,a\n3,oops,b\n"])
def test_no_name_of_an_imported_file_acts(make: Make, qtbot: QtBot, tmp_path: Path, rows: str) -> None:
    path = tmp_path / f"{EVIL}.csv"
    path.write_text(f'"{EVIL}x","{EVIL}y",class\n' + rows.replace("b", f'"{EVIL}"').replace("oops", f'"{EVIL}"'))
    window = make(wait=False)
    window.import_export.import_file(path)
    qtbot.waitUntil(lambda: window.findChild(ImportDialog) is not None)
    dialog = window.findChild(ImportDialog)
    summary = dialog.findChild(QLabel, "import.summary")
    qtbot.waitUntil(lambda: "Q7" in summary.text())
    bad, quoted = faults(dialog)
    assert not bad and quoted > 5, "\n".join(bad)
    dialog.reject()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def test_a_name_that_means_something_to_the_title_is_shown(make: Make, tmp_path: Path) -> None:
    """Qt replaces "[*]" by the mark of unsaved changes."""
    window = make(wait=False)
    assert file_work.save(window.controller, tmp_path / "a[*]b.playground")
    window.refresh()
    assert window.windowHandle().title() == "a[*]b.playground – Classifier Playground"
    window.controller.dispatch(AddPoints(xy=(0.1, 0.2), labels=0))
    window.refresh()
    assert window.windowHandle().title().startswith("a[*]b.playground*")


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux alone")
def test_a_name_that_is_no_text_can_be_saved_shown_and_opened(make: Make, tmp_path: Path) -> None:
    window = make(wait=False)
    path = Path(os.fsdecode(bytes(tmp_path) + b"/\xff\xfe.playground"))
    assert file_work.save(window.controller, path) and path.exists()
    window.refresh()
    window.findChild(QMenu, "recent").aboutToShow.emit()
    assert window.windowTitle().startswith("\ufffd\ufffd.playground")
    window.file_dialogs.open_path(path)
    assert window.controller.store.path == path
    with pytest.raises(AssertionError, match="alert"):
        box(window, "alert")
