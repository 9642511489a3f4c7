"""Safekeeping: recovery copies of unsaved work, and locks of the documents that windows have open."""

from __future__ import annotations

import stat
import uuid
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QMessageBox, QWidget

from app.controllers.controller import Controller
from app.core.number_format import count
from app.core.plain_text import plain
from app.files import documents
from app.files.background_task import Progress, Task, start
from app.files.locks import Claims
from app.files.recovery import Copy, Recorder, UnsavedWork, orphans
from app.files.settings import MOST_RECENT, Settings
from app.state.store import same_content
from app.views.task_runner import TaskRunner
from app.views.widgets.deferred import later
from app.views.widgets.inputs import named, plain_tip, take_typed_number
from app.views.widgets.message_box import ask
from app.window.dialogs.files import FileDialogs
from app.window.dialogs.recovery import RecoveryDialog

RECOVERY_FOLDER = "recovery"


class Safekeeping(QObject):
    """Keep a recovery copy and a lock for the document of one window.

    Parameters
    ----------
    folder : Path
        Folder of copies and locks.

    Attributes
    ----------
    folder : Path
        Folder of the copies.
    """

    _failed = Signal(str)  # from the recorder's thread

    def __init__(self, folder: Path) -> None:
        super().__init__()
        name = uuid.uuid4().hex
        self.folder = folder / RECOVERY_FOLDER
        self.recorder = Recorder(self.folder, name, self._failed.emit)
        self.claims = Claims(folder / "open", name)
        self._kept: UnsavedWork | None = None
        self._offered: list[Copy] = []
        self._dialog: RecoveryDialog | None = None
        self._closed = self._checked = False
        self._failed.connect(self._say_failure, Qt.ConnectionType.QueuedConnection)

    def attach(
        self, window: QWidget, controller: Controller, settings: Settings, questions: FileDialogs, tasks: TaskRunner
    ) -> None:
        """Begin to follow `controller`; `window` is the parent of dialogs."""
        self._window, self._controller, self._settings, self._questions = window, controller, settings, questions
        self._tasks = tasks
        self._path: Path | None = None
        controller.store.listen(lambda old, new: self._follow())
        self._follow()

    def offer_soon(self) -> None:
        """Look for copies of windows that crashed, when this window is first shown."""
        if not self._checked:
            self._checked = True
            later(self, self._begin)

    def close(self) -> None:
        """Delete copies and locks after the window has closed normally."""
        if self._closed:
            return
        self._closed = True
        if self._dialog is not None:
            self._dialog.close()
        self.claims.release()
        self.recorder.close()

    # -- following -------------------------------------------------------------------------------------------------

    def _follow(self) -> None:
        aside, own = self._controller.aside, self._controller.own  # a lesson's document is not the user's work
        if own.path != self._path:
            self._path = own.path
            self.claims.follow(own.path)
            if own.path is not None:
                self._remember(own.path)
                _sweep(own.path)
        if not own.modified:
            if self._kept is not None:
                self._kept = None
                self.recorder.keep(None)
            return
        # After an edit while the file was being written, the copy has other content, but belongs to that file.
        work = UnsavedWork(own.document, own.path, self._controller.on_disk if aside is None else aside.on_disk)
        if self._kept is None or not _is_same(work, self._kept):
            self._kept = work
            self.recorder.keep(work)

    @Slot(str)
    def _say_failure(self, sentence: str) -> None:
        if not self._closed:
            self._controller.say(sentence)

    # -- recent files ----------------------------------------------------------------------------------------------

    def recent(self) -> list[Path]:
        """Return the recent documents, newest first, without those that do not exist at present."""
        return [path for name in self._settings.values.recent if not _gone(path := Path(name))]

    def _remember(self, path: Path) -> None:
        # Including missing ones, whose disk may return.
        names = dict.fromkeys((str(documents.absolute(path)), *self._settings.values.recent))
        self._settings.write(recent=tuple(names)[:MOST_RECENT])

    def add_recent_menu(self, menu: QMenu, before: QAction) -> None:
        """Put the menu of recent documents into `menu`."""
        recent = named(QMenu("Open &recent", menu), "recent")
        menu.insertMenu(before, recent)
        recent.aboutToShow.connect(lambda: self._fill(recent))

    def _fill(self, menu: QMenu) -> None:
        menu.clear()
        paths = self.recent()
        for path in paths:
            action = menu.addAction(plain(f"{path.name}  –  {path.parent}").replace("&", "&&"))
            action.setToolTip(plain_tip(str(path)))
            action.triggered.connect(lambda checked, path=path: self._open(path))
        if not paths:
            menu.addAction("No recent documents").setEnabled(False)
        menu.addSeparator()
        clear = menu.addAction("&Clear this list", lambda: self._settings.write(recent=()))
        clear.setObjectName("action.clear_recent")
        clear.setEnabled(bool(self._settings.values.recent))

    def _open(self, path: Path) -> None:
        take_typed_number()
        self._questions.open_path(path)

    # -- recovery --------------------------------------------------------------------------------------------------

    @Slot()
    def _begin(self) -> None:
        if not self._closed:
            self._questions.unless_open_elsewhere()
            self.claims.sweep()
            self._offer()

    def _offer(self) -> None:
        if self._closed or self._dialog is not None:
            return
        self._offered, sentences = orphans(self.folder)
        if sentences:
            self._questions.alert(" ".join(sentences))
        if self._offered:
            dialog = self._dialog = RecoveryDialog(self._window, self._offered, self._recover, self._ask_delete)
            dialog.finished.connect(self._keep_for_later)
            dialog.show()  # not modal: the user may answer later

    def _keep_for_later(self) -> None:
        self._dialog = None
        for copy in self._offered:
            copy.lock.release()
        self._offered.clear()

    def _recover(self, copy: Copy) -> None:
        title = copy.title
        task = Task(f"Reading {title}", lambda progress: copy.read(), f"{title} was not recovered", kept=False)

        def put(work: UnsavedWork) -> None:
            if copy not in self._offered:  # answered twice
                return
            self._drop(copy)
            self._controller.put(work.document, work.path, work.on_disk, modified=True)
            self.recorder.replaces(copy)
            self._controller.say(f"Recovered {copy.title}. It is not saved yet.")

        def failed(error: documents.FileError) -> None:
            if copy not in self._offered:
                return
            reason = str(error).rstrip(".")
            if isinstance(error, documents.UnreadError):
                self._questions.alert(f"{reason}; it stays in {copy.file}.")
            else:
                self._drop(copy)
                self._questions.alert(f"{reason}; it is kept as {copy.set_aside()}.")

        self._tasks.run(task, lambda work: self._questions.unless_unsaved(lambda: put(work)), failed)

    def _ask_delete(self, copy: Copy) -> None:
        text = f"Delete the unsaved work in {copy.title} ({count(copy.points, 'point')})? It cannot be brought back."

        def confirmed() -> None:
            if copy in self._offered:
                self._drop(copy)
                copy.remove()

        role, parent = QMessageBox.ButtonRole.DestructiveRole, self._dialog or self._window
        ask("warning", "delete_copy", "Delete unsaved work", text, parent, [("&Delete", confirmed)], role=role)

    def _drop(self, copy: Copy) -> None:
        """Stop offering `copy`, but keep its lock."""
        self._offered.remove(copy)
        if self._dialog is not None:
            self._dialog.show_copies(self._offered)


def _is_same(work: UnsavedWork, other: UnsavedWork) -> bool:
    """Return whether two copies have the same content, and belong to the same state of the same file."""
    same_file = (work.path, work.on_disk) == (other.path, other.on_disk)
    return same_file and same_content(work.document, other.document)


def _sweep(path: Path) -> None:
    """Delete what killed writers left beside a document, on a thread that nothing waits for: the folder may be slow."""
    task = Task(
        "Sweeping", lambda progress: documents.sweep_beside(path), "Temporary files were not deleted", kept=False
    )
    start(task, Progress(), lambda outcome: None, "sweep")


def _gone(path: Path) -> bool:
    """Return whether there is no file at `path`; False if that is unknown, as opening it will report the reason."""
    try:
        return not stat.S_ISREG(path.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: an impossible name
        return True
    except OSError:
        return False
