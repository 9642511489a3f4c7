"""The import dialog, used by hand: it previews the result, refuses what is impossible, and never blocks the window."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QSize, QStringListModel, Qt
from PySide6.QtGui import QIcon
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QComboBox,
    QLabel,
    QListView,
    QMainWindow,
    QPlainTextEdit,
    QTableWidget,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.exchange import pairs
from app.exchange.columns import Imported
from app.exchange.importing import decode, read
from app.exchange.table import Dialect, OnProgress, Table, column_of
from app.files.background_task import CancelledError
from app.files.documents import FileError
from app.views import theme
from app.window.dialogs import import_table
from app.window.dialogs.import_table import ImportDialog, PointsPreview
from tests.app.views.watchdog import Watchdog
from tests.counting import calls_of

Read = Callable[[Dialect, str | None], Table]
Taken = list[tuple[Imported, bool]]

FLOWERS = "length,width,weight,kind\n1.5,2,9,rose\n3,4,8,pansy\n5,6.25,7,rose\n"


@pytest.fixture
def parent(qtbot: QtBot, qapp: QApplication) -> Iterator[QMainWindow]:
    window = QMainWindow()
    qtbot.addWidget(window)
    theme.apply(theme.LIGHT, window, 0)
    window.resize(900, 700)
    window.show()
    yield window
    qtbot.waitUntil(lambda: not [t for t in threading.enumerate() if t.name == "task"])


def of(text: str) -> Read:
    return lambda spec, sheet=None: decode(text.encode(), "drawing.csv", ".csv", spec)


def show(parent: QMainWindow, qtbot: QtBot, source: Read | str, wait: bool = True) -> tuple[ImportDialog, Taken]:
    taken: Taken = []
    whole = of(source) if isinstance(source, str) else source

    def read(dialect: Dialect, sheet: str | None, progress: OnProgress, beginning: bool) -> Table:
        if beginning:
            raise FileError("It is short.")
        return whole(dialect, sheet)

    dialog = ImportDialog(parent, read, lambda imported, add: taken.append((imported, add)))
    dialog.open()
    qtbot.waitExposed(dialog)
    if wait:
        wait_for(dialog, qtbot)
    return dialog, taken


def part(dialog: ImportDialog, name: str, kind: type[QWidget] = QWidget) -> QWidget:
    widget = dialog.findChild(kind, f"import.{name}")
    assert widget is not None, name
    return widget


def text(dialog: ImportDialog, name: str = "summary") -> str:
    widget = part(dialog, name)
    assert isinstance(widget, QLabel | QPlainTextEdit | QComboBox)
    if isinstance(widget, QPlainTextEdit):
        return widget.toPlainText()
    return widget.text() if isinstance(widget, QLabel) else widget.currentText()


def wait_for(dialog: ImportDialog, qtbot: QtBot) -> None:
    """Wait until the newest request is answered."""
    qtbot.waitUntil(lambda: not dialog._tasks.busy)
    assert text(dialog) != "Reading…"


def choose(dialog: ImportDialog, qtbot: QtBot, name: str, entry: str) -> None:
    """Choose with the keyboard, as a user does: open the list, move to the entry and take it."""
    box = part(dialog, name)
    assert isinstance(box, QComboBox)
    index = box.findText(entry, Qt.MatchFlag.MatchStartsWith)
    assert index >= 0, entry
    box.setFocus()
    steps = index - box.currentIndex()
    for _ in range(abs(steps)):
        QTest.keyClick(box, Qt.Key.Key_Down if steps > 0 else Qt.Key.Key_Up)
    wait_for(dialog, qtbot)
    assert box.currentIndex() == index


def click(widget: QWidget) -> None:
    """Click a widget; a check box or radio button on its text."""
    pixel = QPoint(12, widget.height() // 2) if not widget.objectName().endswith(".import") else widget.rect().center()
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton, pos=pixel)


def press_import(dialog: ImportDialog) -> None:
    click(part(dialog, "import"))


def test_what_is_shown_is_what_comes(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, taken = show(parent, qtbot, FLOWERS)
    assert dialog.windowTitle() == "Import points – drawing.csv"
    assert text(dialog) == "3 points: 1 pansy, 2 rose; width against length."
    rows = part(dialog, "rows")
    assert isinstance(rows, QTableWidget)
    assert [rows.horizontalHeaderItem(c).text() for c in range(4)] == ["length", "width", "weight", "kind"]
    assert [rows.verticalHeaderItem(r).text() for r in range(3)] == ["2", "3", "4"]
    assert [rows.item(2, c).text() for c in range(4)] == ["5", "6.25", "7", "rose"]
    assert (text(dialog, "x"), text(dialog, "y"), text(dialog, "class")) == ("length", "width", "kind")
    assert part(dialog, "x").hasFocus()
    with qtbot.waitSignal(dialog.destroyed):
        press_import(dialog)
    ((imported, add),) = taken
    assert not add and imported.xy.tolist() == [[1.5, 2], [3, 4], [5, 6.25]]
    assert imported.labels.tolist() == [1, 0, 1] and imported.class_names == ("pansy", "rose")
    assert imported.axes == ("length", "width")


def test_other_columns_standardised_and_added(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, taken = show(parent, qtbot, FLOWERS)
    choose(dialog, qtbot, "x", "weight")
    choose(dialog, qtbot, "y", "length")
    choose(dialog, qtbot, "class", "none: all of class 1")
    assert text(dialog) == "3 points: 3 of class 1; length against weight."
    click(part(dialog, "standardise"))
    wait_for(dialog, qtbot)
    click(part(dialog, "add"))
    assert not part(dialog, "standardise").isEnabled(), "points that are added change no classifier"
    press_import(dialog)
    ((imported, add),) = taken
    assert add and imported.labels.tolist() == [0, 0, 0] and imported.axes == ("weight", "length")
    assert imported.standardise and imported.xy.tolist() == [[9, 1.5], [8, 3], [7, 5]]


def test_unusable_rows_are_left_out_and_listed(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, taken = show(parent, qtbot, FLOWERS + "7,,8,rose\n8,9,1,\n10,x,1,rose\n")
    box = part(dialog, "leave_out")
    assert isinstance(box, QCheckBox) and box.isVisible() and box.text() == "&Leave out 3 rows"
    assert box.isChecked() and part(dialog, "import").isEnabled()
    click(box)
    wait_for(dialog, qtbot)
    assert "3 of 6 rows cannot be used" in text(dialog) and not part(dialog, "import").isEnabled()
    click(box)
    wait_for(dialog, qtbot)
    assert text(dialog) == "3 points: 1 pansy, 2 rose; width against length. 3 rows left out."
    assert text(dialog, "bad").splitlines() == [
        "line 5: column 'width' is empty",
        "line 6: column 'kind' has no class",
        "line 7: 'x' in column 'width' is not a number",
    ]
    press_import(dialog)
    ((imported, _),) = taken
    assert imported.xy.tolist() == [[1.5, 2], [3, 4], [5, 6.25]] and imported.n_left_out == 3


def test_standardising_is_offered_where_units_ask_for_it(parent: QMainWindow, qtbot: QtBot) -> None:
    people = "height,weight,class\n" + "".join(f"{160 + 3 * k},{55 + 4 * k},{k % 2 + 1}\n" for k in range(12))
    dialog, taken = show(parent, qtbot, people)
    box = part(dialog, "standardise")
    assert part(dialog, "advice").isVisible() and "standardise" in text(dialog, "advice")
    assert isinstance(box, QCheckBox) and box.isChecked()
    assert text(dialog, "why") == "Class: 'class' (by its name)."
    choose(dialog, qtbot, "class", "none")
    assert not part(dialog, "why").isVisible(), "this class was chosen by the user"
    choose(dialog, qtbot, "class", "class")
    assert text(dialog, "why") == "Class: 'class' (by its name)." and part(dialog, "why").isVisible()
    press_import(dialog)
    ((imported, _),) = taken
    assert imported.standardise and imported.xy[:2].tolist() == [[160, 55], [163, 59]]


def test_columns_of_words_are_not_offered_for_x(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, FLOWERS)
    for name in ("x", "y", "class"):
        box = part(dialog, name)
        assert isinstance(box, QComboBox)
        # A principal component may be among the entries already.
        offered = {box.itemText(row).partition(" (")[0] for row in range(box.count())} & {
            *FLOWERS.split("\n")[0].split(",")
        }
        assert offered == {"length", "width", "weight"} | ({"kind"} if name == "class" else set())


def test_twice_the_same_column_is_refused(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, taken = show(parent, qtbot, FLOWERS)
    choose(dialog, qtbot, "y", "length")
    assert text(dialog) == "drawing.csv cannot be imported yet: x and y are the same column, 'length'."
    assert not part(dialog, "import").isEnabled() and part(dialog, "bad").isHidden()
    press_import(dialog)
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert not taken and dialog.isVisible()
    choose(dialog, qtbot, "y", "width")
    assert part(dialog, "import").isEnabled()


def test_bad_rows_are_listed_by_line(parent: QMainWindow, qtbot: QtBot) -> None:
    rows = "1,2\n" + "".join(f"1,{k},3,rose\n" for k in range(700)) + "1,two,3,rose\n" * 300
    dialog, taken = show(parent, qtbot, FLOWERS.replace("6.25", "six") + rows)
    click(part(dialog, "leave_out"))
    wait_for(dialog, qtbot)
    assert "cannot be imported yet: 302 of 1\u202f004 rows cannot be used, first line 4: 'six' in column" in text(
        dialog
    )
    assert part(dialog, "bad").isVisible() and not part(dialog, "import").isEnabled()
    lines = text(dialog, "bad").splitlines()
    assert lines[:2] == ["line 4: 'six' in column 'width' is not a number", "line 5: it has 2 cells instead of 4"]
    assert len(lines) == 201 and lines[-1] == "and 102 more"
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    assert not taken


def test_the_dialect_can_be_overruled(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, taken = show(parent, qtbot, "1,5;2,5\n3,5;4,5\n6,5;7,5\n")
    assert (text(dialog, "separator"), text(dialog, "decimal")) == ("Semicolon ;", "Comma: 1,5")
    header = part(dialog, "header")
    assert isinstance(header, QCheckBox) and not header.isChecked()
    assert text(dialog) == "3 points: 3 of class 1; column 2 against column 1."
    click(header)
    wait_for(dialog, qtbot)
    assert text(dialog) == "2 points: 2 of class 1; 2,5 against 1,5." and header.isChecked()
    choose(dialog, qtbot, "separator", "Comma ,")
    assert "were not" in text(dialog) or "not imported" in text(dialog) or "points" in text(dialog)
    choose(dialog, qtbot, "separator", "Semicolon ;")
    choose(dialog, qtbot, "decimal", "Point: 1.5")
    assert "is not a number" in text(dialog)
    choose(dialog, qtbot, "decimal", "Comma: 1,5")
    click(header)
    wait_for(dialog, qtbot)
    press_import(dialog)
    assert taken[0][0].xy.tolist() == [[1.5, 2.5], [3.5, 4.5], [6.5, 7.5]]


def test_a_text_that_is_no_table_can_still_be_overruled(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, "x,y,z,w\n1,2\n3,4\n")
    assert "header in line 1" in text(dialog) and part(dialog, "header").isVisible()
    assert not part(dialog, "import").isEnabled() and not part(dialog, "x").isEnabled()
    header = part(dialog, "header")
    assert isinstance(header, QCheckBox) and header.isChecked() and text(dialog, "separator") == "Comma ,"
    click(header)
    wait_for(dialog, qtbot)
    assert text(dialog) == "2 points: 2 of class 1; column 2 against column 1. 1 row left out."
    assert "line 1: it has 4 cells instead of 2" in text(dialog, "bad")
    assert part(dialog, "x").isEnabled()


def test_a_file_without_a_dialect(parent: QMainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "arrays.npz"
    np.savez(path, X=np.arange(120.0).reshape(2, 60), y=[1, 2])
    dialog, _ = show(parent, qtbot, lambda spec, sheet=None: read(path, spec))
    assert not part(dialog, "separator").isVisible() and not part(dialog, "header").isVisible()
    assert text(dialog, "more") == "The first 50 of 61 columns are shown." and part(dialog, "more").isVisible()
    assert text(dialog) == "2 points: 1 of class 1, 1 of class 2; x2 against x1."


def test_a_file_that_cannot_be_read(parent: QMainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    dialog, _ = show(parent, qtbot, lambda spec, sheet=None: read(tmp_path / "missing.npz", spec))
    assert text(dialog) == "missing.npz cannot be read: no such file or directory."
    assert not part(dialog, "separator").isVisible() and not part(dialog, "import").isEnabled()


def test_a_fault_of_the_program_is_reported(parent: QMainWindow, qtbot: QtBot) -> None:
    def fail(spec: Dialect, sheet: str | None = None) -> Table:
        raise KeyError("surprise")

    dialog, _ = show(parent, qtbot, fail)
    assert "could not be read (KeyError" in text(dialog)


def test_names_are_no_markup(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, "<b>a</b>,&b,class\n1,2,<i>u</i>\n3,4,v\n")
    assert text(dialog) == "2 points: 1 <i>u</i>, 1 v; &b against <b>a</b>."
    label = part(dialog, "summary")
    assert isinstance(label, QLabel) and label.textFormat() is Qt.TextFormat.PlainText


# -- on a thread of its own ----------------------------------------------------------------------------------------


class Gate:
    """A reader that waits until the test releases it, and counts its calls."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.open = threading.Event()
        self.entered = threading.Event()
        self.specs: list[Dialect] = []

    def __call__(self, spec: Dialect, sheet: str | None = None) -> Table:
        self.specs.append(spec)
        self.entered.set()
        if not self.open.wait(300):
            raise FileError("nobody opened.")
        return decode(self._text.encode(), "drawing.csv", ".csv", spec)


def test_reading_is_reported_and_blocks_nothing(parent: QMainWindow, qtbot: QtBot) -> None:
    gate = Gate(FLOWERS)
    dialog, taken = show(parent, qtbot, gate, wait=False)
    qtbot.waitUntil(gate.entered.is_set)
    assert text(dialog) == "Reading…" and not part(dialog, "import").isEnabled()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    assert not taken
    gate.open.set()
    wait_for(dialog, qtbot)
    assert text(dialog).startswith("3 points")


def test_an_answer_after_the_close_is_forgotten(parent: QMainWindow, qtbot: QtBot) -> None:
    gate = Gate(FLOWERS)
    dialog, taken = show(parent, qtbot, gate, wait=False)
    qtbot.waitUntil(gate.entered.is_set)
    with qtbot.waitSignal(dialog.destroyed):
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
    gate.open.set()
    qtbot.waitUntil(lambda: not [t for t in threading.enumerate() if t.name == "task"])
    QApplication.processEvents()
    assert not taken


def test_a_parent_that_is_taken_down_while_reading(qtbot: QtBot, qapp: QApplication) -> None:
    gate = Gate(FLOWERS)
    window = QMainWindow()
    window.show()
    dialog, _ = show(window, qtbot, gate, wait=False)
    qtbot.waitUntil(gate.entered.is_set)
    with qtbot.waitSignal(dialog.destroyed):
        window.deleteLater()
    gate.open.set()
    qtbot.waitUntil(lambda: not [t for t in threading.enumerate() if t.name == "task"])
    QApplication.processEvents()


def test_the_newest_request_wins(parent: QMainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = Gate("1,5;2,5\n3,5;4,5\n")
    gate.open.set()
    dialog, _ = show(parent, qtbot, gate)
    gate.open.clear()
    gate.entered.clear()
    shown: list[object] = []
    show_points = PointsPreview.show_points
    monkeypatch.setattr(
        PointsPreview, "show_points", lambda self, points: (shown.append(points), show_points(self, points))
    )
    for sign in (".", ",", ".", ","):
        box = part(dialog, "decimal")
        assert isinstance(box, QComboBox)
        box.setCurrentIndex(box.findData(sign))
        box.activated.emit(box.currentIndex())
        qtbot.waitUntil(gate.entered.is_set)
    gate.open.set()
    wait_for(dialog, qtbot)
    # One was running and its result came too late, those in between were never begun, the last was read.
    assert len(shown) == 1
    assert [spec.decimal for spec in gate.specs] == [None, ".", ","]
    assert text(dialog).startswith("2 points") and text(dialog, "decimal") == "Comma: 1,5"


@pytest.mark.slow
def test_a_hundred_thousand_rows_do_not_hold_the_window_up(parent: QMainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    """The bound is generous; the time in which other processes have the processors does not count."""
    path = tmp_path / "large.csv"
    values = np.random.default_rng(0).normal(size=(100_000, 9))
    path.write_text("\n".join(",".join(map(repr, row)) + ",abc"[::3] for row in values.tolist()))
    dog = Watchdog(1.0)
    dog.start()
    dialog, _ = show(parent, qtbot, lambda spec, sheet=None: read(path, spec), wait=False)
    qtbot.waitUntil(lambda: text(dialog) != "Reading…")
    dog.stop()
    assert "100\u202f000" in text(dialog)
    assert dog.stops == []


# -- the list of views ---------------------------------------------------------------------------------------------


def table_text(n_rows: int = 60, n_columns: int = 5, seed: int = 0) -> str:
    """Return a CSV text with two classes that are separated in the third and fifth column together."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 2, n_rows)
    values = rng.normal(size=(n_rows, n_columns))
    values[:, [2, 4]] += 3.0 * labels[:, np.newaxis]
    lines = [",".join([*(f"c{k}" for k in range(n_columns)), "kind"])]
    lines += [",".join([*map("{:.4f}".format, row), "uv"[label]]) for row, label in zip(values, labels, strict=True)]
    return "\n".join(lines) + "\n"


def views(dialog: ImportDialog) -> QListView:
    found = part(dialog, "views")
    assert isinstance(found, QListView)
    return found


def entries(dialog: ImportDialog) -> list[list[str]]:
    model = views(dialog).model()
    return [str(model.index(row, 0).data()).split("\n") for row in range(model.rowCount())] if model else []


def wait_for_views(dialog: ImportDialog, qtbot: QtBot, n: int) -> None:
    qtbot.waitUntil(lambda: len(entries(dialog)) == n, timeout=60_000)
    qtbot.waitUntil(lambda: not dialog._ranking.busy)


def click_view(dialog: ImportDialog, qtbot: QtBot, row: int) -> None:
    found = views(dialog)
    index = found.model().index(row, 0)
    found.scrollTo(index)
    QTest.mouseClick(found.viewport(), Qt.MouseButton.LeftButton, pos=found.visualRect(index).center())
    wait_for(dialog, qtbot)


def test_pairs_are_ranked_and_a_click_takes_one(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, taken = show(parent, qtbot, table_text())
    wait_for_views(dialog, qtbot, 11)
    listed = entries(dialog)
    assert listed[0][:2] == ["Principal", "components"] and listed[0][2].endswith("% of variance")
    assert listed[1][:2] == ["c2", "c4"]
    shares = [float(entry[2].removesuffix(" %")) for entry in listed[1:]]
    assert shares == sorted(shares, reverse=True) and shares[0] > 90
    assert text(dialog, "views_title") == "Pairs of columns, by how many points their 5 nearest neighbours get right:"
    found = views(dialog)
    assert [found.model().index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)] == [", ".join(listed[0])]
    chosen = next(row for row, entry in enumerate(listed) if entry[:2] == ["c0", "c1"])
    assert [index.row() for index in found.selectedIndexes()] == [chosen], "the view that is displayed"
    click_view(dialog, qtbot, 1)
    assert (text(dialog, "x"), text(dialog, "y")) == ("c2", "c4") and "c4 against c2" in text(dialog)
    assert text(dialog, "limits") == "Two of 5 columns: classes that overlap here may be separate in the others."
    press_import(dialog)
    ((imported, _),) = taken
    assert imported.axes == ("c2", "c4") and len(imported.xy) == 60


def test_the_arrow_keys_choose_too_and_the_boxes_follow(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, table_text())
    wait_for_views(dialog, qtbot, 11)
    found = views(dialog)
    before = text(dialog)
    found.setFocus(Qt.FocusReason.TabFocusReason)
    wait_for(dialog, qtbot)
    assert text(dialog) == before, "the focus alone chooses nothing"
    QTest.keyClick(found, Qt.Key.Key_Home)
    QTest.keyClick(found, Qt.Key.Key_Down)
    wait_for(dialog, qtbot)
    assert (text(dialog, "x"), text(dialog, "y")) == ("c2", "c4")
    choose(dialog, qtbot, "y", "c3")
    listed = entries(dialog)
    (row,) = (index.row() for index in found.selectedIndexes())
    assert listed[row][:2] == ["c2", "c3"], "the list follows the boxes"
    choose(dialog, qtbot, "y", "c2")
    assert found.selectedIndexes() == [] and "the same column" in text(dialog)


def test_the_principal_components_by_list_and_by_box(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, taken = show(parent, qtbot, table_text())
    wait_for_views(dialog, qtbot, 11)
    click_view(dialog, qtbot, 0)
    assert (text(dialog, "x"), text(dialog, "y")) == ("principal component 1", "principal component 2")
    assert "PC 2 against PC 1" in text(dialog) and not part(dialog, "standardise").isEnabled()
    assert "% of the variance of 5 columns: classes that overlap here may be" in text(dialog, "limits")
    choose(dialog, qtbot, "y", "c3")
    assert (text(dialog, "x"), text(dialog, "y")) == ("c0", "c3") and part(dialog, "standardise").isEnabled()
    choose(dialog, qtbot, "y", "principal component 2")
    assert text(dialog, "x") == "principal component 1"
    assert [index.row() for index in views(dialog).selectedIndexes()] == [0]
    press_import(dialog)
    ((imported, _),) = taken
    assert imported.axes[0].startswith("PC 1: 0.6") and "c4" in imported.axes[0]


def test_another_class_ranks_anew(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, table_text())
    wait_for_views(dialog, qtbot, 11)
    click_view(dialog, qtbot, 0)
    QTest.keyClick(part(dialog, "class"), Qt.Key.Key_Home)
    wait_for(dialog, qtbot)
    assert text(dialog, "class") == "none: all of class 1"
    wait_for_views(dialog, qtbot, 11)
    assert text(dialog, "views_title") == "Pairs of columns:" and entries(dialog)[1] == ["c0", "c1"]
    assert (
        text(dialog, "views_note")
        == "Set aside: 'kind' (words). Without a class, pairs are in the order of the columns."
    )
    assert text(dialog, "x") == "principal component 1", "it has no part in the class"
    choose(dialog, qtbot, "class", "c4")
    assert "different values" in text(dialog)


def test_a_class_among_the_components_ends_them(parent: QMainWindow, qtbot: QtBot) -> None:
    rng = np.random.default_rng(0)
    rows = [f"{a:.3f},{b:.3f},{c:.3f},{k % 3},{'uv'[k % 2]}" for k, (a, b, c) in enumerate(rng.normal(size=(40, 3)))]
    dialog, _ = show(parent, qtbot, "a,b,c,number,kind\n" + "\n".join(rows))
    wait_for_views(dialog, qtbot, 7)
    click_view(dialog, qtbot, 0)
    choose(dialog, qtbot, "class", "number")
    wait_for_views(dialog, qtbot, 4)
    assert (text(dialog, "x"), text(dialog, "y")) == ("a", "b")
    click_view(dialog, qtbot, 0)
    choose(dialog, qtbot, "class", "kind")
    wait_for_views(dialog, qtbot, 7)
    wait_for(dialog, qtbot)
    assert "% of the variance of 4 columns" in text(dialog, "limits"), "of all columns that are free now"


@pytest.mark.parametrize(
    ("rows", "shown"),
    [
        ("", False),
        ("a,b,c,kind\n", False),
        ("a,word,other,kind\n1,q,r,u\n2,s,t,v\n", False),
        ("a,b,kind\n1,2,u\n3,4,v\n", False),
        ("a,b,same,kind\n1,2,7,u\n3,4,7,v\n", False),
        ("a,b,c,kind\n1,2,3,u\n", False),
        ("a,b,c,kind\n1,2,3,u\n4,5,1,v\n", True),
        ("a,a,a,kind\n1,2,3,u\n4,5,1,v\n7,8,8,u\n", True),
        ("größe,身長,<b>c</b>,kind\n1,2,3,u\n4,5,1,v\n7,8,8,u\n", True),
        ("a,b,c,kind\nnan,2,3,u\n4,inf,1,v\n7,8,1e300,u\n1,2,3,v\n5,6,7,u\n6,6,9,u\n", True),
        ("a,b,c,kind\n1e14,2e-300,3,u\n-1e14,5e-300,1,v\n7,8e-300,8,u\n", True),
    ],
    ids=["empty", "header", "one", "two", "constant", "row", "rows", "twice", "unicode", "infinite", "huge"],
)
def test_any_table_has_a_list_or_none(rows: str, shown: bool, parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, rows)
    qtbot.waitUntil(lambda: not dialog._ranking.busy)
    assert views(dialog).isVisible() == shown
    for row in range(len(entries(dialog))):
        click_view(dialog, qtbot, row)
        assert views(dialog).grab().size() == views(dialog).size()
        assert text(dialog) and "Error" not in text(dialog)
    assert len(entries(dialog)) == (4 if shown else 0)


def test_the_list_fills_while_it_is_used(parent: QMainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    gate, score = threading.Semaphore(0), pairs.score

    def slowly(found: pairs.Views, left: Sequence[pairs.Pair], pause: Callable[[], object], _: float) -> object:
        assert gate.acquire(timeout=300)
        return score(found, left, pause, 0.0)

    monkeypatch.setattr(pairs, "score", slowly)
    dialog, taken = show(parent, qtbot, table_text())
    gate.release()
    gate.release()
    qtbot.waitUntil(lambda: len(entries(dialog)) == 3)
    assert "(2 of 10)" in text(dialog, "views_title")
    click_view(dialog, qtbot, 1)
    assert (text(dialog, "x"), text(dialog, "y")) == ("c2", "c4") and dialog._ranking.busy
    gate.release()
    qtbot.waitUntil(lambda: len(entries(dialog)) == 4)
    assert [index.row() for index in views(dialog).selectedIndexes()] == [1], "what was chosen stays chosen"
    press_import(dialog)
    assert len(taken) == 1
    gate.release()


def test_pairs_are_scored_as_long_as_the_budget_lasts(
    parent: QMainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_table, "SLICE", 1e-9)
    monkeypatch.setattr(import_table, "BUDGET", 2.5e-9)
    dialog, _ = show(parent, qtbot, table_text())
    wait_for_views(dialog, qtbot, 4)
    assert "(3 of 10)" in text(dialog, "views_title")


def test_a_fault_of_the_ranking_leaves_the_columns(
    parent: QMainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> object:
        raise KeyError("surprise")

    monkeypatch.setattr(pairs, "score", fail)
    dialog, _ = show(parent, qtbot, table_text())
    qtbot.waitUntil(lambda: not dialog._ranking.busy)
    assert "Pairs were not ranked (KeyError" in text(dialog, "views_note") and part(dialog, "import").isEnabled()


@pytest.mark.parametrize("dark", [False, True])
def test_small_pictures_have_the_colours_of_the_classes(parent: QMainWindow, qtbot: QtBot, dark: bool) -> None:
    of_theme = theme.theme_of(dark)
    theme.apply(of_theme, parent, 0)
    dialog, _ = show(parent, qtbot, table_text(300))
    wait_for_views(dialog, qtbot, 11)
    for row in (0, 1):
        icon = views(dialog).model().index(row, 0).data(Qt.ItemDataRole.DecorationRole)
        image = icon.pixmap(QSize(96, 72), QIcon.Mode.Selected).toImage()
        colours = {image.pixelColor(x, y).getRgb()[:3] for x in range(image.width()) for y in range(image.height())}
        assert {of_theme.background, *of_theme.classes[:2]} <= colours and of_theme.classes[2] not in colours


@pytest.mark.slow
def test_a_hundred_thousand_rows_of_fifty_columns(parent: QMainWindow, qtbot: QtBot) -> None:
    """The table is made, not read; the bound is generous, the time of other processes does not count."""
    rng = np.random.default_rng(0)
    labels = rng.integers(1, 4, 100_000)
    columns = [column_of(f"c{k}", rng.normal(size=100_000) + 0.05 * k * labels) for k in range(50)]
    table = Table("large.npz", (*columns, column_of("class", labels.astype(float))), np.arange(1, 100_001), {}, "row")
    dog = Watchdog(1.0)
    dog.start()
    dialog, taken = show(parent, qtbot, lambda spec, sheet=None: table)
    wait_for_views(dialog, qtbot, 781)
    click_view(dialog, qtbot, 0)
    dog.stop()
    assert dog.stops == [] and "40 columns that separate the classes best" in text(dialog, "views_note")
    press_import(dialog)
    assert taken[0][0].xy.shape == (100_000, 2)


@pytest.mark.slow
def test_ten_thousand_columns_are_offered_without_a_call_for_each(
    parent: QMainWindow, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = tuple(column_of(f"c{k}", np.array([k, k + 1.0])) for k in range(10_000))
    original, n_calls = ImportDialog._show_table, []
    monkeypatch.setattr(
        ImportDialog, "_show_table", lambda *arguments: n_calls.append(calls_of(lambda: original(*arguments)))
    )
    dialog, _ = show(parent, qtbot, lambda spec, sheet=None: Table("wide.npz", columns, np.arange(1, 3), {}, "row"))
    assert max(n_calls) < 1.5 * len(columns)  # a step of the list of the names is one
    for name, n_entries in (("x", 10_000), ("y", 10_000), ("class", 10_001)):
        box = part(dialog, name, QComboBox)
        assert isinstance(box, QComboBox) and box.count() == n_entries
        counted = CountedEntries([box.itemText(row) for row in range(n_entries)], box)
        box.setModel(counted)
        box.showPopup()
        qtbot.waitExposed(box.view())
        assert 0 < counted.n_read < 1000
        box.hidePopup()


class CountedEntries(QStringListModel):
    """The entries of a box; counts how often the text of one is read."""

    n_read = 0

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        self.n_read += role == Qt.ItemDataRole.DisplayRole
        return super().data(index, role)


# -- accessibility --------------------------------------------------------------------------------------------------


def test_every_control_is_named_and_large_enough(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, FLOWERS.replace("6.25", "six"))
    names = ("x", "y", "class", "standardise", "separator", "decimal", "header", "replace", "add", "rows", "import")
    qtbot.waitUntil(lambda: part(dialog, "views").isVisible())
    for name in (*names, "bad", "picture", "views"):
        widget = part(dialog, name)
        assert widget.accessibleName() and widget.accessibleDescription() and widget.toolTip(), name
    for widget in dialog.findChildren(QWidget):
        if isinstance(widget, QAbstractButton | QComboBox) and widget.objectName().startswith("import."):
            assert widget.height() >= 24 and widget.width() >= 24, (widget.objectName(), widget.size())


def test_the_tab_key_goes_as_the_eye_reads(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, FLOWERS)
    qtbot.waitUntil(lambda: part(dialog, "views").isVisible())
    part(dialog, "separator").setFocus()
    visible = []
    for _ in range(14):
        widget = dialog.focusWidget()
        assert widget is not None
        if widget.objectName() not in visible:
            visible.append(widget.objectName())
        QTest.keyClick(widget, Qt.Key.Key_Tab)
    assert [name.removeprefix("import.") for name in visible if name] == [
        "separator",
        "decimal",
        "header",
        "rows",
        "x",
        "y",
        "class",
        "standardise",
        "replace",
        "picture",
        "views",
        "import",
    ]


@pytest.mark.parametrize("dark", [False, True])
def test_it_fits_a_small_screen_with_large_text(parent: QMainWindow, qtbot: QtBot, dark: bool) -> None:
    theme.apply(theme.theme_of(dark), parent, 14)
    dialog, _ = show(parent, qtbot, FLOWERS.replace("6.25", "six"))
    qtbot.waitUntil(lambda: part(dialog, "views").isVisible())
    least = dialog.minimumSizeHint().expandedTo(dialog.layout().totalMinimumSize())
    assert least.width() <= 1000 and least.height() <= 700, least
    dialog.resize(QSize(1000, 700))
    QApplication.processEvents()
    for name in ("x", "class", "standardise", "import", "bad", "summary", "separator", "header", "views"):
        widget = part(dialog, name)
        pixel = widget.mapTo(dialog, QPoint(0, 0))
        assert dialog.rect().contains(pixel) and not widget.visibleRegion().isEmpty(), name
        if name not in ("bad", "views"):
            least_height = widget.heightForWidth(widget.width()) if name == "summary" else widget.sizeHint().height()
            assert widget.height() >= least_height, name


def test_the_picture_shows_the_classes(parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, "x,y,class\n0,0,a\n10,0,b\n")
    image = part(dialog, "picture").grab().toImage()
    colours = {image.pixelColor(x, y).getRgb()[:3] for x in range(image.width()) for y in range(image.height())}
    assert set(theme.LIGHT.classes[:2]) <= colours and theme.LIGHT.classes[2] not in colours
    choose(dialog, qtbot, "x", "y")  # refused: no picture of points that cannot be imported
    image = part(dialog, "picture").grab().toImage()
    colours = {image.pixelColor(x, y).getRgb()[:3] for x in range(image.width()) for y in range(image.height())}
    assert not set(theme.LIGHT.classes) & colours


@pytest.mark.parametrize("rows", ["1e15,-1e15\n-1e15,1e15\n", "1,2\n", "0,0\n5e-324,0\n", "7,7\n7,7\n"])
def test_a_picture_of_any_extent(rows: str, parent: QMainWindow, qtbot: QtBot) -> None:
    dialog, _ = show(parent, qtbot, rows)
    assert not part(dialog, "picture").grab().isNull() and part(dialog, "import").isEnabled()


def test_rows_of_large_numbers_differ(parent: QMainWindow, qtbot: QtBot) -> None:
    """Times in milliseconds have thirteen digits, and equal numbers are written alike."""
    times = ["1700000000000.5", "1700000000001", "1700000000123", "0.1", "1e300"]
    dialog, _ = show(parent, qtbot, "t,y\n" + "".join(f"{each},1\n" for each in times))
    rows = dialog.findChild(QTableWidget)
    assert isinstance(rows, QTableWidget)
    shown = [rows.item(row, 0).text() for row in range(len(times))]
    assert shown == [*times[:4], "1e+300"]


@pytest.fixture
def large(parent: QMainWindow, qtbot: QtBot) -> Iterator[tuple[ImportDialog, threading.Event, list[str]]]:
    """Yield a dialog for a large table, the event until which it is read, and how reading it has ended."""
    more, ends = threading.Event(), list[str]()

    def read(dialect: Dialect, sheet: str | None, progress: OnProgress, beginning: bool) -> Table:
        if beginning:
            progress(0.9)  # of the beginning: it is not shown
            return decode(b"length,width\n1.5,2\n3,4\n", "drawing.csv", ".csv", dialect)
        try:
            while not more.wait(0.01):
                progress(0.4)
        except CancelledError:
            ends.append("cancelled")
            raise
        ends.append("read")
        return decode(FLOWERS.encode(), "drawing.csv", ".csv", dialect)

    dialog = ImportDialog(parent, read, lambda imported, add: None)
    dialog.open()
    yield dialog, more, ends
    more.set()


def test_reading_a_large_table_shows_its_share_and_its_first_rows(
    large: tuple[ImportDialog, threading.Event, list[str]], qtbot: QtBot
) -> None:
    dialog, more, _ = large
    shown: list[str] = []
    qtbot.waitUntil(lambda: (shown.append(text(dialog)), "40.0 %" in shown[-1])[1])
    assert {*shown} <= {"Reading…", "Reading… 40.0 %"}
    rows = part(dialog, "rows", QTableWidget)
    assert (rows.rowCount(), rows.item(0, 0).text()) == (2, "1.5")
    assert not part(dialog, "import").isEnabled() and not part(dialog, "x").isEnabled()
    more.set()
    wait_for(dialog, qtbot)
    assert rows.rowCount() == 3 and part(dialog, "import").isEnabled() and part(dialog, "x").isEnabled()
    assert part(dialog, "summary", QLabel).text().startswith("3 points")


def test_cancel_ends_reading_a_large_table(
    large: tuple[ImportDialog, threading.Event, list[str]], qtbot: QtBot
) -> None:
    dialog, _, ends = large
    qtbot.waitUntil(lambda: "40.0 %" in part(dialog, "summary", QLabel).text())
    dialog.reject()
    qtbot.waitUntil(lambda: ends == ["cancelled"])


def test_another_separator_ends_reading_with_the_one_before(
    large: tuple[ImportDialog, threading.Event, list[str]], qtbot: QtBot
) -> None:
    dialog, more, ends = large
    qtbot.waitUntil(lambda: "40.0 %" in part(dialog, "summary", QLabel).text())
    dialog._ask(separator=",")
    qtbot.waitUntil(lambda: ends == ["cancelled"])
    more.set()
    wait_for(dialog, qtbot)
    assert ends == ["cancelled", "read"]


def test_the_first_rows_of_a_very_wide_table_are_shown_before_columns_are_chosen(
    parent: QMainWindow, qtbot: QtBot
) -> None:
    more, wide = threading.Event(), "\n".join(",".join(str(row + at / 8) for at in range(60)) for row in range(3))

    def read(dialect: Dialect, sheet: str | None, progress: OnProgress, beginning: bool) -> Table:
        assert beginning or more.wait(60)
        return decode(wide.encode(), "drawing.csv", ".csv", dialect)

    dialog = ImportDialog(parent, read, lambda imported, add: None)
    dialog.open()
    rows = part(dialog, "rows", QTableWidget)
    qtbot.waitUntil(lambda: rows.rowCount() == 3)
    assert text(dialog).startswith("Reading…") and not part(dialog, "import").isEnabled()
    more.set()
    wait_for(dialog, qtbot)
    assert part(dialog, "import").isEnabled() and part(dialog, "x", QComboBox).count() > 50
