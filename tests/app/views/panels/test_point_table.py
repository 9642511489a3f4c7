"""The table of the points: exact numbers by keyboard, in step with the pictures, also with very many points."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit, QPushButton
from pytestqt.qtbot import QtBot

from app.core.number_format import number_of
from app.core.points import Points
from app.state.commands import AddPoints, Clear, MovePoints, RelabelPoints, RemovePoints
from app.state.document import Document, Lane, View
from app.tools import PointerPosition
from app.window.main_window import MainWindow
from app.window.panels.point_model import PointModel
from app.window.panels.point_table import ClassField, PointTable
from tests.counting import calls_of
from tests.covering import first_of
from tests.windows import Make, settle

X, Y, CLASS = 1, 2, 3
KNN = Lane("knn")


def of(xy: object, labels: object) -> Document:
    points = Points.of(xy, labels)
    return replace(Document(), points=points, lanes=(KNN, KNN), view=View.fitting(points))


def few() -> Document:
    rng = np.random.default_rng(0)
    return of(rng.normal(size=(40, 2)).round(9), np.arange(40) % 3)


def opened(window: MainWindow, qtbot: QtBot) -> PointTable:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.named_actions["table"].trigger()
    settle(qtbot, window)
    table = window.findChild(PointTable)
    assert table.isVisible() and table.hasFocus()
    return table


def click(table: PointTable, row: int, column: int, keys: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    location = table.visualRect(table.model().index(row, column)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, keys, location)


def editor(table: PointTable) -> QLineEdit | ClassField:
    kinds = QLineEdit, QComboBox
    found = [w for kind in kinds for w in table.viewport().findChildren(kind, "table.cell") if w.isVisible()]
    assert len(found) == 1
    return found[0]


def edit(table: PointTable, row: int, column: int, text: str) -> None:
    """Open a cell by F2, type, and press Enter."""
    click(table, row, column)
    QTest.keyClick(table, Qt.Key.Key_F2)
    field = editor(table)
    QTest.keyClicks(field, text)
    enter(table)


def enter(table: PointTable) -> None:
    QTest.keyClick(editor(table), Qt.Key.Key_Return)
    QApplication.processEvents()  # Qt takes the text with the next events


def test_what_counts_as_a_number() -> None:
    good = {"1": 1.0, " -0,5 ": -0.5, "−2e3": -2000.0, ".5": 0.5, "1e-300": 1e-300}
    assert {text: number_of(text) for text in good} == good
    assert all(math.isnan(number_of(text)) for text in ("", "²", "1_0", "0x1", "1 2", "1,2,3", "nan"))


def dispatches(window: MainWindow) -> list[object]:
    reports: list[object] = []
    window.controller.store.listen(lambda old, new: reports.append(new))
    return reports


def test_cells_are_edited_by_keyboard_to_every_digit(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table, reports = opened(window, qtbot), dispatches(window)
    edit(table, 4, X, "1.2345678901234567")
    assert window.document.points.xy[4, 0] == 1.2345678901234567
    edit(table, 4, Y, "-0,5")
    assert window.document.points.xy[4, 1] == -0.5
    edit(table, 5, CLASS, "8")
    assert window.document.points.labels[5] == 7
    settle(qtbot, window)
    model = table.model()
    assert model.index(4, X).data() == "1.2346"
    assert model.index(4, X).data(Qt.ItemDataRole.ToolTipRole) == "1.2345678901234567"
    assert len(reports) == 3 and window.controller.store.history == ("Move 1 point", "Move 1 point", "Relabel 1 point")
    before = few().points
    for _ in range(3):
        window.named_actions["undo"].trigger()
    settle(qtbot, window)
    assert (window.document.points.xy == before.xy).all() and (window.document.points.labels == before.labels).all()
    assert float(model.index(4, X).data(Qt.ItemDataRole.EditRole)) == before.xy[4, 0]


def test_typing_begins_to_edit_although_the_keys_mean_something_to_the_window(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table = opened(window, qtbot)
    click(table, 2, X)
    QTest.keyClick(table, Qt.Key.Key_3)
    assert window.controller.session.active_class == 0, "3 is no class here"
    QTest.keyClicks(editor(table), ".25")
    enter(table)
    assert window.document.points.xy[2, 0] == 3.25
    window.controller.set_style(1, name="fig")
    settle(qtbot, window)
    click(table, 0, CLASS)
    QTest.keyClick(table, Qt.Key.Key_F)  # elsewhere the key means Fit
    QTest.keyClicks(editor(table), "ig")
    enter(table)
    assert window.document.points.labels[0] == 1
    click(table, 0, X)
    QTest.keyClick(table, Qt.Key.Key_Return)
    assert editor(table).selectedText() == editor(table).text() == repr(float(window.document.points.xy[0, 0]))


def test_an_untouched_editor_changes_nothing(make: Make, qtbot: QtBot) -> None:
    third = 1 / 3
    window = make(of([[third, 1e-300], [2e14, -third]], [0, 1]))
    table, reports = opened(window, qtbot), dispatches(window)
    for row in range(2):
        for column in (X, Y, CLASS):
            edit(table, row, column, "")
            click(table, row, column)
            QTest.keyClick(table, Qt.Key.Key_F2)
            if (row, column) != (1, CLASS):
                QTest.keyClick(editor(table), Qt.Key.Key_Tab)  # continues with the next cell
            QTest.keyClick(editor(table), Qt.Key.Key_Escape)
    edit(table, 0, X, repr(third))
    assert reports == [] and window.controller.store.undo_name is None


@pytest.mark.slow
def test_a_bad_number_is_one_sentence_and_the_old_one_stays(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    window.controller.set_axes(("width", ""))
    table, reports = opened(window, qtbot), dispatches(window)
    for text in ("abc", " ", "nan", "inf", "-1e16", "1_000", "1 2", "1,5,5"):
        for column, axis in ((X, "width"), (Y, "y")):
            edit(table, 1, column, text)
            shown = window.status_line.text()
            assert reports == [] and f"{axis} must be a number" in shown and "stays" in shown, text
            for key in (Qt.Key.Key_Tab, Qt.Key.Key_Return):
                QTest.keyClick(editor(table), key)
                assert editor(table).text() == text and editor(table).property("bad"), "to be corrected"
            QTest.keyClick(editor(table), Qt.Key.Key_Escape)
            window.say("Something else.")
            window.refresh()


@pytest.mark.slow
def test_tab_goes_from_cell_to_cell_and_row_to_row(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table = opened(window, qtbot)
    click(table, 0, X)
    QTest.keyClick(table, Qt.Key.Key_F2)
    for text in ("1", "2", "3", "4"):
        QTest.keyClicks(editor(table), text)
        QTest.keyClick(editor(table), Qt.Key.Key_Tab)
        QApplication.processEvents()
    points = window.document.points
    assert points.xy[0].tolist() == [1.0, 2.0] and points.labels[0] == 2 and points.xy[1, 0] == 4.0
    assert table.currentIndex().column() == Y
    for _ in range(2):
        QTest.keyClick(editor(table), Qt.Key.Key_Backtab)
        QApplication.processEvents()
    assert (table.currentIndex().row(), table.currentIndex().column()) == (0, CLASS)
    assert not table.selectionModel().hasSelection()
    QTest.keyClick(editor(table), Qt.Key.Key_Escape)
    assert window.controller.store.position == 4


def test_a_bad_class_is_one_sentence_and_the_old_one_stays(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table, reports = opened(window, qtbot), dispatches(window)
    for text in ("9", "0", "dog", "1.0", "-1"):
        edit(table, 1, CLASS, text)
        shown = window.status_line.text()
        assert reports == [] and "is no class" in shown and "stays class 2" in shown, text
        assert editor(table).lineEdit().text() == text and editor(table).property("bad"), "to be corrected"
        QTest.keyClick(editor(table), Qt.Key.Key_Escape)
        window.say("Something else.")
        window.refresh()


@pytest.mark.qt_log_ignore("This plugin does not support")
def test_a_class_is_chosen_from_the_list(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    window.controller.set_style(0, name="2")  # a name that is another class's number
    table = opened(window, qtbot)
    click(table, 1, CLASS)
    QTest.keyClick(table, Qt.Key.Key_F2)
    combo = editor(table)
    assert combo.count() == 8 and combo.currentIndex() == 1
    reports = dispatches(window)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Up, Qt.Key.Key_Up):
        QTest.keyClick(combo, key)
    assert reports == []
    enter(table)
    assert window.document.points.labels[1] == 0 and len(reports) == 1
    click(table, 3, CLASS)
    QTest.keyClick(table, Qt.Key.Key_F2)
    combo = editor(table)
    combo.showPopup()
    QTest.keyClicks(combo.view(), "8")
    QTest.keyClick(combo.view(), Qt.Key.Key_Return)
    QApplication.processEvents()
    assert window.document.points.labels[3] == 7 and len(reports) == 2
    edit(table, 0, CLASS, "CLASS 3")
    assert window.document.points.labels[0] == 2


@pytest.mark.slow
def test_rows_select_points_and_points_select_rows(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table, reports = opened(window, qtbot), dispatches(window)
    selected = lambda: window.controller.session.selection.ids.tolist()  # noqa: E731
    click(table, 2, 0)
    assert selected() == [2]
    click(table, 5, X, Qt.KeyboardModifier.ShiftModifier)
    assert selected() == [2, 3, 4, 5]
    click(table, 3, X, Qt.KeyboardModifier.ControlModifier)
    click(table, 8, X, Qt.KeyboardModifier.ControlModifier)
    assert selected() == [2, 4, 5, 8]
    QTest.keyClick(table, Qt.Key.Key_Down)
    assert selected() == [9]
    QTest.keyClick(table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert selected() == [9, 10]
    QTest.keyClick(table, Qt.Key.Key_Space)
    assert selected() == [9]
    view = table.viewport()
    start, end = (table.visualRect(table.model().index(row, 0)).center() for row in (3, 6))
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    for y in range(start.y(), end.y() + 1, 5):
        QTest.mouseMove(view, QPoint(start.x(), y))
    QTest.mouseMove(view, end)
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    assert selected() == [3, 4, 5, 6]
    QTest.keyClick(table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    assert len(selected()) == 40
    QTest.keyClick(table, Qt.Key.Key_Escape)
    assert selected() == []
    settle(qtbot, window)
    assert reports == []

    window.controller.editing.select(np.array([30, 35]))
    settle(qtbot, window)
    assert table.itemDelegate().selected.nonzero()[0].tolist() == [30, 35]
    assert table.currentIndex().row() == 30 and table.rowAt(0) <= 30 <= table.rowAt(view.height() - 1)
    pale = table.itemDelegate().pale
    assert pale.isValid()
    window.appearance.set_text_size(12)  # which restyles all widgets
    settle(qtbot, window)
    table.scrollTo(table.model().index(30, X))  # the rows are taller now
    row = table.visualRect(table.model().index(30, X))
    assert view.grab().toImage().pixelColor(row.left() + 3, row.top() + 3) == pale
    assert not table.selectionModel().hasSelection(), "the scene alone says what is selected"


def test_nothing_comes_back_from_what_is_only_shown(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table = opened(window, qtbot)
    reports = dispatches(window)
    window.controller.editing.select(np.arange(5, 9))
    chosen = window.controller.session
    settle(qtbot, window)
    assert window.controller.session is chosen and chosen.selection.ids.tolist() == [5, 6, 7, 8]
    click(table, 1, 0)
    clicked = window.controller.session
    settle(qtbot, window)
    assert reports == [] and window.controller.session is clicked and clicked.selection.ids.tolist() == [1]
    window.controller.dispatch(MovePoints(ids=[1], xy=[[0.0, 0.0]]))
    settle(qtbot, window)
    assert len(reports) == 1 and window.controller.session is clicked


def test_deleting_rows_adding_points_and_undo(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table = opened(window, qtbot)
    click(table, 3, 0)
    click(table, 5, 0, Qt.KeyboardModifier.ShiftModifier)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    settle(qtbot, window)
    assert table.model().rowCount() == 37 and window.document.points.ids[3] == 6
    assert not table.selectionModel().hasSelection()
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert len(window.document.points) == 37 and "Select rows" in window.status_line.text()
    window.controller.set_class(4)
    x, y, add = (
        window.findChild(kind, f"table.{name}")
        for kind, name in ((QLineEdit, "x"), (QLineEdit, "y"), (QPushButton, "add"))
    )
    x.setFocus()
    QTest.keyClicks(x, "0,125")
    QTest.keyClick(x, Qt.Key.Key_Return)
    assert y.hasFocus()
    QTest.keyClick(y, Qt.Key.Key_Return)
    assert len(window.document.points) == 37 and "Type y" in window.status_line.text()
    QTest.keyClicks(y, "1e99")
    add.click()
    assert len(window.document.points) == 37 and "y must be a number" in window.status_line.text()
    y.selectAll()
    QTest.keyClicks(y, "2")
    QTest.keyClick(y, Qt.Key.Key_Return)
    settle(qtbot, window)
    points = window.document.points
    assert points.xy[-1].tolist() == [0.125, 2.0] and points.labels[-1] == 4 and x.hasFocus() and x.text() == ""
    assert window.controller.session.selection.ids.tolist() == [40] and table.currentIndex().row() == 37
    assert window.controller.store.history == ("Remove 3 points", "Add 1 point")
    for left in (37, 40):
        window.named_actions["undo"].trigger()
        settle(qtbot, window)
        assert table.model().rowCount() == left
    assert (table.model().xy == few().points.xy).all()


@pytest.mark.slow
@pytest.mark.parametrize("seed", first_of(range(4), 1))
def test_the_rows_are_the_points_whatever_happens_to_them(make: Make, qtbot: QtBot, seed: int) -> None:
    """Many edits between two pictures, too: the rows follow the points, not the commands."""

    rng = np.random.default_rng(seed)
    window = make(few())
    table = opened(window, qtbot)
    model = table.model()

    def read(first: int, last: int) -> list[tuple[str, str, str]]:
        role = Qt.ItemDataRole.EditRole
        return [tuple(model.index(row, c).data(role) for c in (X, Y, CLASS)) for row in range(first, last + 1)]

    # The content of a reader that is notified of changes only.
    reports = read(0, model.rowCount() - 1)
    model.rowsInserted.connect(lambda parent, first, last: reports.__setitem__(slice(first, first), read(first, last)))
    model.rowsRemoved.connect(lambda parent, first, last: reports.__delitem__(slice(first, last + 1)))
    model.dataChanged.connect(
        lambda top, end: reports.__setitem__(slice(top.row(), end.row() + 1), read(top.row(), end.row()))
    )
    model.modelReset.connect(lambda: reports.__setitem__(slice(None), read(0, model.rowCount() - 1)))
    controller = window.controller
    for _ in range(60):
        for _ in range(int(rng.integers(1, 4))):
            ids = controller.document.points.ids
            some = np.sort(rng.choice(ids, min(len(ids), int(rng.integers(1, 4))), replace=False)) if len(ids) else ids
            what = int(rng.integers(8))
            if what < 2:
                controller.dispatch(AddPoints(xy=rng.normal(size=(3, 2)), labels=int(rng.integers(8))))
            elif what == 2:
                controller.dispatch(RemovePoints(ids=some))
            elif what == 3:
                controller.dispatch(MovePoints(ids=some, xy=rng.normal(size=(len(some), 2))))
            elif what == 4:
                controller.dispatch(RelabelPoints(ids=some, label=int(rng.integers(8))))
            elif what < 7:
                controller.undo() if what == 5 else controller.redo()
            elif rng.random() < 0.1:
                controller.dispatch(Clear())
        window.refresh()
        points = window.document.points
        assert reports == read(0, len(points) - 1) and len(reports) == model.rowCount()
        assert (model.xy == points.xy).all() and (model.labels == points.labels).all()
        for row in range(model.rowCount()):
            assert float(model.index(row, Y).data(Qt.ItemDataRole.EditRole)) == points.xy[row, 1]


def test_a_change_after_an_inserted_or_removed_row_is_reported_at_its_row() -> None:
    before = Points.of(np.arange(20.0).reshape(10, 2), 0)
    after = before.remove([3]).move([8], (0.5, 0.5))  # the last of them
    for old, new, row in ((before, after, 8), (after, before, 9)):
        model = PointModel(None)
        model.show_points(old)
        reports: list[tuple[int, int]] = []
        model.dataChanged.connect(lambda top, end, roles, reports=reports: reports.append((top.row(), end.row())))
        assert not model.show_points(new)
        assert reports == [(row, row)]


def test_what_is_drawn_follows_one_moved_point(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table = opened(window, qtbot)
    visible: list[tuple[int, int]] = []
    table.model().dataChanged.connect(lambda top, bottom, roles: visible.append((top.row(), bottom.row())))
    cell = table.visualRect(table.model().index(7, X))
    before = table.viewport().grab(cell).toImage()
    window.controller.dispatch(MovePoints(ids=[7], xy=[[9.125, 9.0]]))
    window.refresh()
    assert visible == [(7, 7)]
    assert table.viewport().grab(cell).toImage() != before


@pytest.mark.slow
def test_typing_is_not_disturbed_by_changes_elsewhere(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table = opened(window, qtbot)
    click(table, 7, X)
    QTest.keyClick(table, Qt.Key.Key_F2)
    QTest.keyClicks(editor(table), "4.")
    window.controller.dispatch(MovePoints(ids=[6, 7, 8], xy=np.ones((3, 2))))
    window.refresh()
    QApplication.processEvents()
    assert editor(table).text() == "4."
    QTest.keyClicks(editor(table), "5")
    QTest.keyClick(editor(table), Qt.Key.Key_S, Qt.KeyboardModifier.ControlModifier)  # any action commits it first
    window.named_actions["fit"].trigger()
    assert window.document.points.xy[7].tolist() == [4.5, 1.0]


@pytest.mark.slow
def test_a_hundred_thousand_rows(make: Make, qtbot: QtBot) -> None:
    rng = np.random.default_rng(1)
    window = make(of(rng.normal(size=(100_000, 2)), rng.integers(0, 8, 100_000)), wait=False)
    window.activateWindow()
    window.dock_manager.reveal("table")
    qtbot.waitUntil(lambda: window.findChild(PointTable).model().rowCount() == 100_000)
    table = window.findChild(PointTable)

    def work() -> None:
        for _ in range(20):
            QTest.keyClick(table, Qt.Key.Key_PageDown)
        QTest.keyClick(table, Qt.Key.Key_End, Qt.KeyboardModifier.ControlModifier)
        assert table.rowAt(table.viewport().height() // 2) > 99_900
        edit(table, 99_999, X, "0.5")
        assert window.document.points.xy[-1, 0] == 0.5
        window.controller.editing.select(window.document.points.ids[::2])  # 50 000 runs of rows
        window.refresh()
        assert table.itemDelegate().selected.sum() == 50_000
        QTest.keyClick(table, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        window.refresh()
        assert table.itemDelegate().selected.all()

    assert calls_of(work) < 150_000, "no loop over all rows: one would add 100 000"


def test_the_current_row_stays_when_rows_are_inserted_and_removed(make: Make, qtbot: QtBot) -> None:
    window = make(few())
    table = opened(window, qtbot)
    click(table, 6, Y)
    table.verticalScrollBar().setValue(table.verticalScrollBar().value() + 3)

    at = table.verticalScrollBar().value()
    window.controller.dispatch(RemovePoints(ids=[1, 4, 30]))  # three runs: all rows are reset
    window.refresh()
    current = table.currentIndex()
    assert (current.row(), current.column()) == (4, Y) and abs(table.verticalScrollBar().value() - at) <= 1


def test_an_empty_table_explains_what_to_do_and_names_follow(make: Make, qtbot: QtBot) -> None:
    window = make(of(np.empty((0, 2)), []))
    table = opened(window, qtbot)
    blank = table.viewport().grab().toImage()
    window.controller.editing.press(PointerPosition(0.0, 0.0, 0.01))
    window.controller.editing.release(PointerPosition(0.0, 0.0, 0.01))
    window.controller.set_axes(("length", ""))
    window.controller.set_style(0, name="<b>fig</b>")
    settle(qtbot, window)
    assert table.viewport().grab().toImage() != blank
    model = table.model()
    assert [model.headerData(c, Qt.Orientation.Horizontal) for c in range(4)] == ["#", "length", "y", "class"]
    assert model.index(0, CLASS).data() == "<b>fig</b>"
    assert "&lt;b&gt;" in model.index(0, CLASS).data(Qt.ItemDataRole.ToolTipRole)


@pytest.mark.slow
def test_numbers_are_shortened_not_cut_off_where_the_table_is_narrow(make: Make, qtbot: QtBot) -> None:
    window = make(of([[-0.02642123, 0.07385712]], [0]), size=(1024, 768))
    table = opened(window, qtbot)
    metrics = table.fontMetrics()
    for column in (X, Y):
        text = table.model().index(0, column).data()
        assert metrics.horizontalAdvance(text) + 6 <= table.columnWidth(column), text
    window.resize(1600, 900)
    settle(qtbot, window)
    assert table.model().index(0, X).data() == "−0.026421"


@pytest.mark.parametrize("column", [X, CLASS])
def test_what_is_being_typed_into_a_cell_counts_when_the_window_is_closed(
    make: Make, qtbot: QtBot, column: int
) -> None:
    window = make(few())
    table = opened(window, qtbot)
    click(table, 0, column)
    QTest.keyClick(table, Qt.Key.Key_F2)
    QTest.keyClicks(editor(table), "7")
    assert not window.close()
    assert window.controller.store.position == 1
    assert (window.document.points.xy[0, 0] == 7.0) or (window.document.points.labels[0] == 6)
    window.controller.store.saved(window.document, Path("a.playground"))
    assert window.close()


def test_the_selection_goes_along_with_the_cell(make: Make, qtbot: QtBot) -> None:
    """Delete removes the row reached last, not the one at the start."""
    window = make(few())
    table = opened(window, qtbot)
    ids = window.document.points.ids
    click(table, 0, 2)
    assert window.controller.session.selection.ids.tolist() == [ids[0]]
    QTest.keyClick(table, Qt.Key.Key_F2)
    for text in ("1.5", "2"):
        QTest.keyClicks(editor(table), text)
        QTest.keyClick(editor(table), Qt.Key.Key_Tab)
        QApplication.processEvents()
    assert table.currentIndex().row() == 1 and window.controller.session.selection.ids.tolist() == [ids[1]]
    QTest.keyClick(editor(table), Qt.Key.Key_Escape)
    QTest.keyClick(table, Qt.Key.Key_Delete)
    assert ids[1] not in window.document.points.ids and ids[0] in window.document.points.ids
