"""History, notes and their docks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QDockWidget, QLineEdit, QMainWindow, QTableView, QToolBar
from pytestqt.qtbot import QtBot

from app.files.settings import QtState, Settings
from app.main import create_window
from app.state.commands import MovePoints
from app.state.document import Document, Lane, default_document
from app.window.main_window import MainWindow
from app.window.panels.history_panel import HistoryModel, HistoryPanel
from app.window.panels.notes_panel import NotesPanel
from tests.app import file_work
from tests.covering import first_of
from tests.windows import Make, discard, settle

KNN = Lane("knn")
NAMES = ("table", "history", "notes")


def plain() -> Document:
    return replace(default_document(), lanes=(KNN, KNN))


def opened(window: MainWindow, qtbot: QtBot, name: str) -> HistoryPanel | NotesPanel:
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.named_actions[name].trigger()
    settle(qtbot, window)
    panel = window.dock_manager.panel(name)
    assert panel.isVisible() and getattr(panel, "first_stop", panel).hasFocus()
    return panel


def rows(history: HistoryPanel) -> list[str]:
    model = history.model()
    return [model.index(row, 0).data() for row in range(model.rowCount())]


def click(history: HistoryPanel, row: int) -> None:
    location = history.visualRect(history.model().index(row, 0)).center()
    QTest.mouseClick(history.viewport(), Qt.MouseButton.LeftButton, pos=location)
    QApplication.processEvents()


def dock(window: MainWindow, name: str) -> QDockWidget:
    found = window.findChild(QDockWidget, f"dock.{name}")
    assert found is not None
    return found


def in_front(window: MainWindow) -> set[str]:
    """Return the visible docks: of tabs, the one in front."""
    return {name for name in NAMES if not dock(window, name).visibleRegion().isEmpty()}


# -- history -------------------------------------------------------------------------------------------------------


def test_a_click_on_a_step_goes_there(make: Make, qtbot: QtBot) -> None:
    window = make(plain())
    controller = window.controller
    for k in (1, 2, 3, 4):
        controller.set_lane(0, "knn", n_neighbors=k)
    history = opened(window, qtbot, "history")
    assert rows(history) == ["Start", "Set k to 1", "Set k to 2", "Set k to 3", "Set k to 4"]
    assert history.currentIndex().row() == 4
    model, font = history.model(), Qt.ItemDataRole.FontRole
    for row, k in ((2, 2), (4, 4), (0, 5), (3, 3)):
        click(history, row)
        assert window.document.lanes[0].knn.n_neighbors == k and controller.store.position == row
        settle(qtbot, window)
        assert history.currentIndex().row() == row and [i.row() for i in history.selectedIndexes()] == [row]
        assert [r for r in range(5) if model.index(r, 0).data(font)] == [row], "the present step is bold"
        faint = [r for r in range(5) if model.index(r, 0).data(Qt.ItemDataRole.ForegroundRole) is not None]
        assert faint == list(range(row + 1, 5)), "undone steps are grey"
    assert len(rows(history)) == 5, "undone steps stay"
    controller.set_lane(0, "knn", n_neighbors=9)
    settle(qtbot, window)
    assert rows(history) == ["Start", "Set k to 1", "Set k to 2", "Set k to 3", "Set k to 9"]


def test_where_one_was_is_drawn_anew_and_where_one_is() -> None:
    model = HistoryModel()
    steps = ("a", "b", "c", "d")
    model.show_steps(steps, 4, 2)
    reports: list[tuple[int, int]] = []
    model.dataChanged.connect(lambda top, end: reports.append((top.row(), end.row())))
    model.show_steps(steps, 3, 2)
    model.show_steps(steps, 3, None)
    assert reports == [(2, 4), (2, 3)]


def test_the_keys_walk_through_the_history_and_dragging_moves_nothing(make: Make, qtbot: QtBot) -> None:
    window = make(plain())
    for k in range(1, 16):
        window.controller.set_lane(0, "knn", n_neighbors=20 + k)
    history = opened(window, qtbot, "history")
    store = window.controller.store
    key = Qt.Key
    for press, position in (
        (key.Key_Up, 14),
        (key.Key_Up, 13),
        (key.Key_Down, 14),
        (key.Key_Home, 0),
        (key.Key_Up, 0),
        (key.Key_PageDown, 10),
        (key.Key_End, 15),
        (key.Key_Down, 15),
        (key.Key_PageUp, 5),
    ):
        QTest.keyClick(history, press)
        window.refresh()
        assert store.position == position == history.currentIndex().row()
    view = history.viewport()
    start, end = (history.visualRect(history.model().index(row, 0)).center() for row in (3, 8))
    QTest.mousePress(view, Qt.MouseButton.LeftButton, pos=start)
    window.refresh()
    QTest.mouseMove(view, end)
    assert history.currentIndex().row() == 3
    QTest.mouseRelease(view, Qt.MouseButton.LeftButton, pos=end)
    window.refresh()
    assert store.position == 3 == history.currentIndex().row()
    QTest.mouseClick(view, Qt.MouseButton.RightButton, pos=end)
    assert store.position == 3


def test_the_saved_step_is_marked(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(plain())
    controller = window.controller
    history = opened(window, qtbot, "history")
    controller.set_lane(0, "knn", n_neighbors=1)
    controller.set_lane(0, "knn", n_neighbors=2)
    assert file_work.save(controller, tmp_path / "a.playground")
    controller.set_lane(0, "knn", n_neighbors=3)
    window.refresh()
    assert rows(history) == ["Start", "Set k to 1", "Set k to 2  (saved)", "Set k to 3"]
    controller.go_to(1)
    window.refresh()
    assert rows(history)[2] == "Set k to 2  (saved)"
    controller.set_lane(0, "knn", n_neighbors=4)  # the saved step is among the forgotten ones
    window.refresh()
    assert rows(history) == ["Start", "Set k to 1", "Set k to 4"] and controller.store.saved_position is None
    assert file_work.open_file(controller, tmp_path / "a.playground")
    window.refresh()
    assert rows(history) == ["Start"] and controller.store.saved_position == 0


def test_a_merged_step_and_a_broken_off_one_are_not_the_saved_one(make: Make, tmp_path: Path) -> None:
    window = make(plain(), wait=False)
    controller, store, drag = window.controller, window.controller.store, object()
    controller.dispatch(MovePoints(drag, ids=[0], xy=[[0, 0]]))
    assert file_work.save(controller, tmp_path / "a.playground") and store.saved_position == 1
    controller.dispatch(MovePoints(drag, ids=[0], xy=[[1, 0]]))
    assert store.saved_position is None and store.position == 1
    assert file_work.save(controller, tmp_path / "a.playground") and store.saved_position == 1
    controller.store.abandon(drag)
    assert store.saved_position is None and store.position == 0 and store.history == ()


@pytest.mark.slow
def test_thousands_of_steps_cost_rows_not_rebuilding(make: Make, qtbot: QtBot) -> None:
    window = make(plain())
    controller = window.controller
    for k in range(3000):
        controller.set_lane(0, "knn", n_neighbors=1 + k % 50)
    history = opened(window, qtbot, "history")
    model, shown = history.model(), []
    model.modelReset.connect(lambda: shown.append("reset"))
    model.rowsInserted.connect(lambda parent, first, last: shown.append(last - first + 1))
    model.rowsRemoved.connect(lambda parent, first, last: shown.append(first - last - 1))
    assert history.rowAt(history.viewport().height() - 1) in (-1, 3000), "the present is in sight"
    drag = object()
    for C in (2.0, 3.0, 4.0):
        controller.set_lane(1, "svm", drag, C=C)
        window.refresh()
    assert shown == [1] and rows(history)[-1] == "Set C to 4"
    controller.go_to(1500)
    window.refresh()
    assert shown == [1] and history.rowAt(0) <= 1500 <= history.rowAt(history.viewport().height() - 1)
    controller.set_lane(0, "knn", n_neighbors=77)
    window.refresh()
    assert shown == [1, -1500] and rows(history)[-1] == "Set k to 77"


# -- notes ---------------------------------------------------------------------------------------------------------


def test_what_is_written_in_one_go_is_one_step_of_the_document(make: Make, qtbot: QtBot) -> None:
    window = make(plain())
    notes, store = opened(window, qtbot, "notes"), window.controller.store
    QTest.keyClicks(notes, "Look at 1 2 g f l")
    QTest.keyClick(notes, Qt.Key.Key_Return)
    assert window.document.notes == "Look at 1 2 g f l\n" and store.history == ("Write notes",)
    assert window.controller.session.active_class == 0 and window.document.points is not None
    notes.findChild(QTimer).timeout.emit()
    QTest.keyClicks(notes, "more")
    assert store.position == 2
    window.canvases[0].setFocus()
    notes.setFocus()
    QTest.keyClicks(notes, "!")
    assert store.history == ("Write notes",) * 3 and window.document.notes.endswith("more!")
    settle(qtbot, window)
    for text in ("Look at 1 2 g f l\nmore", "Look at 1 2 g f l\n", ""):
        QTest.keyClick(notes, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        settle(qtbot, window)
        assert window.document.notes == text == notes.toPlainText(), "the document's undo, and no other"
        assert notes.textCursor().position() == len(text)
    QTest.keyClick(notes, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert notes.toPlainText() == "", "nothing is left to undo: no history of the editor's own comes to light"
    keys = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(notes, Qt.Key.Key_Z, keys)
    settle(qtbot, window)
    assert notes.toPlainText() == "Look at 1 2 g f l\n"


def test_undo_in_the_notes_is_that_of_whatever_came_last(make: Make, qtbot: QtBot) -> None:
    window = make(plain())
    notes, controller = opened(window, qtbot, "notes"), window.controller
    QTest.keyClicks(notes, "a")
    controller.set_lane(0, "knn", n_neighbors=8)
    QTest.keyClicks(notes, "b")
    settle(qtbot, window)
    assert controller.store.history == ("Write notes", "Set k to 8", "Write notes")
    for notes_left, k in (("a", 8), ("a", 5), ("", 5)):
        QTest.keyClick(notes, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
        settle(qtbot, window)
        assert (window.document.notes, window.document.lanes[0].knn.n_neighbors) == (notes_left, k)
    QTest.keyClicks(notes, "c")
    assert controller.store.history == ("Write notes",), "writing after undo begins a step of its own"


def test_showing_notes_writes_none_and_the_cursor_goes_where_they_changed(make: Make, qtbot: QtBot) -> None:
    window = make(replace(plain(), notes="first 😀 line\r\nsecond\xa0line\nthird"))
    notes, reports = opened(window, qtbot, "notes"), []
    window.controller.store.listen(lambda old, new: reports.append(new.notes))
    assert notes.toPlainText().split("\n")[0] == "first 😀 line" and reports == []
    window.controller.set_notes("first 😀 new line\r\nsecond\xa0line\nthird")
    settle(qtbot, window)
    assert len(reports) == 1
    assert notes.textCursor().blockNumber() == 0 and "new" in notes.toPlainText()
    window.controller.undo()
    settle(qtbot, window)
    assert len(reports) == 2 and "new" not in notes.toPlainText()
    assert window.document.notes == "first 😀 line\r\nsecond\xa0line\nthird", "shown, not written"


def test_full_notes_are_reported(make: Make, qtbot: QtBot) -> None:
    window = make(replace(plain(), notes=("x" * 99 + "\n") * 999 + "x" * 99))
    notes = opened(window, qtbot, "notes")
    notes.moveCursor(notes.textCursor().MoveOperation.End)
    QTest.keyClicks(notes, "ab")
    settle(qtbot, window)
    assert len(window.document.notes) == 100_000 and len(notes.toPlainText()) == 100_000
    assert "full" in window.status_line.text()


# -- docks ---------------------------------------------------------------------------------------------------------


def test_the_plain_window_has_no_docks_and_actions_open_them(make: Make, qtbot: QtBot) -> None:
    window = make(plain(), size=(1500, 640))
    canvas = window.canvases[1].geometry()
    assert all(dock(window, name).isHidden() for name in NAMES)
    assert not any(window.named_actions[name].isChecked() for name in NAMES)
    keys = {"table": Qt.Key.Key_T, "history": Qt.Key.Key_H, "notes": Qt.Key.Key_J}
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for name, key in keys.items():
        QTest.keyClick(window, key, Qt.KeyboardModifier.ControlModifier)
        settle(qtbot, window)
        assert window.named_actions[name].isChecked() and name in in_front(window)
    assert in_front(window) == {"table", "notes"}, "there is height for two"
    QTest.keyClick(window, keys["history"], Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert in_front(window) == {"table", "history"}, "first to the front, then away"
    assert [window.named_actions[name].isChecked() for name in NAMES] == [True] * 3
    window.findChild(QAbstractButton, "dock.table.close").click()
    settle(qtbot, window)
    assert not window.named_actions["table"].isChecked() and dock(window, "table").isHidden()
    for name in ("history", "notes"):
        dock(window, name).close()
    settle(qtbot, window)
    assert not any(window.named_actions[name].isChecked() for name in NAMES)
    assert window.canvases[1].geometry() == canvas


def test_what_is_behind_costs_nothing_and_is_up_to_date_when_it_comes_to_the_front(make: Make, qtbot: QtBot) -> None:
    window = make(plain(), size=(1500, 560))
    history = opened(window, qtbot, "history")
    opened(window, qtbot, "evaluation")
    window.controller.set_lane(0, "knn", n_neighbors=8)
    settle(qtbot, window)
    assert rows(history) == ["Start"]
    window.named_actions["history"].trigger()
    settle(qtbot, window)
    assert rows(history) == ["Start", "Set k to 8"] and history.currentIndex().row() == 1


@pytest.mark.slow
@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_the_docks_are_remembered(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(plain(), size=(1500, 800))
    for name in ("table", "notes"):
        opened(window, qtbot, name)
    dock(window, "notes").setFloating(True)
    settle(qtbot, window)
    discard(window)
    again = make(plain(), size=(1500, 800))
    assert [dock(again, name).isHidden() for name in NAMES] == [False, True, False]
    assert dock(again, "notes").isFloating() and not dock(again, "table").isFloating()
    assert [again.named_actions[name].isChecked() for name in NAMES] == [True, False, True]
    table = again.findChild(QTableView, "table")
    assert table.isVisible() and table.model().rowCount() == 200


def test_toolbars_stay_as_they_are_where_docks_are_arranged(make: Make) -> None:
    window = make(plain())
    bar = window.findChildren(QToolBar)[0]
    window.dock_manager.remember()
    bar.hide()
    window.dock_manager.restore()
    assert bar.isHidden()


@pytest.mark.parametrize("broken", first_of([b"nonsense", "text", b"old", b"noise", b"", 7, ["a", "b"], b"cut"], 2))
def test_a_broken_arrangement_is_the_plain_window(make: Make, tmp_path: Path, broken: object) -> None:
    if broken in (b"cut", b"old", b"noise"):
        first = create_window(plain(), tmp_path / "other")
        first.named_actions["table"].trigger()
        good = first.saveState(0 if broken == b"old" else 1)
        discard(first)
        first.deleteLater()
        cut = good.data()[: len(good.data()) // 2]
        broken = cut if broken == b"cut" else good.data() if broken == b"old" else cut + bytes(range(200))
    if isinstance(broken, bytes):  # with its digest, as the program writes it; only Qt can refuse it
        Settings(tmp_path / "settings.json").write(docks=QtState.of(broken))
    else:
        (tmp_path / "settings.json").write_text(json.dumps({"docks": broken}))
    window = make(plain())
    bars = window.findChildren(QToolBar)
    assert window.isVisible() and bars and not any(bar.isHidden() for bar in bars)
    window.dock_manager.reveal("history")
    window.refresh()
    assert not dock(window, "history").isHidden()


@pytest.mark.parametrize("name", first_of(NAMES, 1))
def test_on_a_small_screen_the_pictures_stay_usable(make: Make, qtbot: QtBot, name: str) -> None:
    window = make(plain(), size=(1024, 768))
    opened(window, qtbot, name)
    assert window.size() == QSize(1024, 768)
    assert window.minimumSizeHint().width() <= 1024 and window.minimumSizeHint().height() <= 768
    for canvas in window.canvases:
        assert canvas.width() >= 200 and canvas.height() >= 200
    panel = window.dock_manager.panel(name)
    assert panel.width() >= panel.minimumSizeHint().width()
    for part in (window.bar, *window.lanes_view.rows):
        assert window.rect().contains(QRect(part.mapTo(window, QPoint(0, 0)), part.size()))
        assert part.height() >= part.heightForWidth(part.width()), "in as many lines as there is room for"


class Growing(QObject):
    """Makes a window grow to its least size at once, as it does on a real screen."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest and isinstance(watched, QMainWindow):
            watched.resize(watched.size().expandedTo(watched.minimumSizeHint()))
        return False


def test_a_window_is_never_pushed_beyond_the_screen(make: Make, qtbot: QtBot) -> None:
    window = make(plain(), size=(1024, 768))
    growing = Growing()
    window.installEventFilter(growing)
    for name in ("step", "table"):
        opened(window, qtbot, name)
        assert window.size() == QSize(1024, 768) and "Not all of it fits" not in window.status_line.text()
    assert all(canvas.width() >= 200 for canvas in window.canvases)


@pytest.mark.slow
def test_controls_in_the_docks_have_names_and_a_size_to_hit(make: Make, qtbot: QtBot) -> None:
    window = make(plain(), size=(1500, 800))
    for name in NAMES:
        opened(window, qtbot, name)
        inside = dock(window, name)
        for kind in (QAbstractButton, QLineEdit):
            for widget in inside.findChildren(kind):
                if widget.isVisible():
                    assert widget.toolTip() and widget.accessibleName(), widget.objectName()
                    assert widget.height() >= 24 and widget.width() >= 24, widget.objectName()
        assert window.dock_manager.panel(name).accessibleName() or name == "table"
    for row_height in (
        window.dock_manager.panel("history").rowHeight(0),
        window.dock_manager.panel("table").table.rowHeight(0),
    ):
        assert row_height >= 24
    before = window.dock_manager.panel("history").rowHeight(0)
    window.appearance.set_text_size(20)
    settle(qtbot, window)
    assert window.dock_manager.panel("history").rowHeight(0) > before


@pytest.mark.slow
def test_the_tab_key_leaves_the_panels(make: Make, qtbot: QtBot) -> None:
    window = make(plain(), size=(1500, 800))
    for name in NAMES:
        panel = opened(window, qtbot, name)
        inside = QApplication.focusWidget()
        QTest.keyClick(inside, Qt.Key.Key_Tab)
        assert QApplication.focusWidget() is not inside, name
    assert window.document.notes == ""
    asked = QKeyEvent(QEvent.Type.ShortcutOverride, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    asked.ignore()
    panel.event(asked)
    assert not asked.isAccepted()
