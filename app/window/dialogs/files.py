"""FileDialogs: the dialogs about files.  None of them blocks: each takes a function to call when it is answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QMessageBox, QWidget

from app.controllers.controller import Controller
from app.controllers.file_tasks import ChangedOnDiskError, Opened, Saved
from app.exchange.opening import LESSON_SUFFIX, Kind, kind_of
from app.files import documents, recovery
from app.files.locks import Claims
from app.files.settings import Settings
from app.views.task_runner import TaskRunner
from app.views.widgets.message_box import ask, do_nothing, message_box
from app.views.widgets.qt_dialogs import ask_path, ask_where

TITLE = "Playground documents"
#: Filters of the dialog that opens files.
OPENED = (
    f"{TITLE} (*{documents.SUFFIX} *{LESSON_SUFFIX});;Share texts (*.txt);;"
    f"Recovery copies (*{recovery.SUFFIX} *{documents.ASIDE})"
)

_Then = Callable[[], object]


class FileDialogs:
    """Ask in front of `window` where to open and save, and before changes could be lost.

    Parameters
    ----------
    window : QWidget
    controller : Controller
    settings : Settings
        Remember the folder of the last document.
    claims : Claims
        Which documents are open in other windows.
    tasks : TaskRunner
    """

    def __init__(
        self, window: QWidget, controller: Controller, settings: Settings, claims: Claims, tasks: TaskRunner
    ) -> None:
        self._window, self._controller, self._settings = window, controller, settings
        self._claims, self._tasks = claims, tasks
        #: By the kind of a file, what opens it in place of these dialogs.
        self.openers: Mapping[Kind, Callable[[Sequence[Path]], object]] = {}

    def alert(self, sentence: str) -> None:
        """Show a message box with a sentence that must not be overlooked."""
        ask("warning", "alert", "Classifier Playground", sentence, self._window, (), QMessageBox.StandardButton.Close)

    def unless_unsaved(self, then: _Then) -> None:
        """Run `then`, after asking about unsaved changes; the question does not block the window."""
        if self._tasks.after_saving(lambda: self.unless_unsaved(then)):
            return
        own = self._controller.own
        if not own.modified:
            then()
            return
        kind = QMessageBox.StandardButton
        sentence, buttons = f"Save the changes to {own.title} first?", kind.Save | kind.Discard | kind.Cancel
        box = message_box("question", "unsaved", "Unsaved changes", sentence, self._window, buttons)
        box.setDefaultButton(kind.Save)

        def answered(button: int) -> None:
            if button == kind.Discard:
                then()
            elif button == kind.Save:  # edits made while it is saved are asked about, too
                self._controller.put_back()
                self.save(lambda: self.unless_unsaved(then))

        box.finished.connect(answered)
        box.open()

    # -- saving ----------------------------------------------------------------------------------------------------

    def save(self, then: _Then = do_nothing) -> None:
        """Save to the document's file, or ask where; run `then` once it is saved."""
        path = self._controller.store.path
        if path is None:
            self.ask_save(then)
        else:
            self._save_at(path, then)

    def ask_save(self, then: _Then = do_nothing) -> None:
        """Ask where to save; run `then` once it is saved."""
        offered, kinds = self._folder() / f"points{documents.SUFFIX}", {TITLE: documents.SUFFIX}
        save = partial(self._save_elsewhere, then)
        ask_where(self._window, "save_as", "Save as", offered, kinds, lambda path: self._use(path, save))

    def _save_elsewhere(self, then: _Then, path: Path) -> None:
        """Save to a path just chosen, unless another window has that document open."""
        if self._claims.elsewhere(path):
            answers = [("&Overwrite", lambda: self._save_at(path, then)), ("Save &as…", lambda: self.ask_save(then))]
            self._ask_elsewhere(path, answers)
        else:
            self._save_at(path, then)

    def _save_at(self, path: Path, then: _Then, overwrite: bool = False) -> None:
        file_tasks = self._controller.file_tasks

        def done(saved: Saved) -> None:
            file_tasks.take_saved(saved)
            then()

        def failed(error: documents.FileError) -> None:
            answers: list[tuple[str, _Then]] = [("Save &as…", lambda: self.ask_save(then))]
            if isinstance(error, ChangedOnDiskError):
                answers.insert(0, ("&Overwrite", lambda: self._save_at(path, then, overwrite=True)))
                ask("warning", "changed_on_disk", "Changed on disk", str(error), self._window, answers)
            else:
                close = QMessageBox.StandardButton.Close
                ask("warning", "alert", "Not saved", str(error), self._window, answers, close)

        self._tasks.run(file_tasks.saving(path, overwrite), done, failed)

    # -- opening ---------------------------------------------------------------------------------------------------

    def ask_open(self) -> None:
        """Ask which file to open."""
        existing = QFileDialog.FileMode.ExistingFile
        dialog = QFileDialog(self._window, "Open", str(self._folder()), OPENED, fileMode=existing)
        ask_path(dialog, "open", lambda path: self._use(path, self._open))

    def open_path(self, path: Path) -> None:
        """Open the file at `path`, after asking about unsaved changes."""
        self.unless_unsaved(lambda: self._open(path))

    def _open(self, path: Path) -> None:
        kind = kind_of(path)
        if kind in self.openers:
            self.openers[kind]([path])
        elif kind is not Kind.RECOVERY_COPY and self._claims.elsewhere(path):
            self._ask_elsewhere(path, [("&Open anyway", lambda: self._read(path))])
        else:
            self._read(path)

    def _read(self, path: Path) -> None:
        file_tasks = self._controller.file_tasks

        def put(opened: Opened) -> None:
            if not file_tasks.outdated(opened):
                file_tasks.take_opened(opened)

        def done(opened: Opened) -> None:
            if file_tasks.edited_since(opened):
                self.unless_unsaved(lambda: put(opened))
            else:
                put(opened)

        self._tasks.cancel_reading()  # only the last request counts
        self._tasks.run(file_tasks.opening(path), done)

    def unless_open_elsewhere(self) -> None:
        """Warn if the document that the window starts with is open in another window."""
        store = self._controller.store
        if (path := store.path) is not None and self._claims.elsewhere(path):
            self._ask_elsewhere(
                path, [("&Open anyway", do_nothing)], lambda: None if store.modified else self._controller.new()
            )

    def _ask_elsewhere(self, path: Path, answers: Sequence[tuple[str, _Then]], otherwise: _Then = do_nothing) -> None:
        text = f"{path.name} is open in another window. Saving here will overwrite what is saved there."
        title = "Open in another window"
        ask("warning", "open_elsewhere", title, text, self._window, answers, otherwise=otherwise)

    def revert(self) -> None:
        """Return to the content of the document's file, after asking; undo brings the changes back."""
        store = self._controller.store
        if store.path is None:
            self._controller.say("This document has no file to go back to.")
        elif store.modified:
            sentence = f"Go back to what is saved in {store.title}? Undo brings your changes back."
            ask("warning", "revert", "Revert", sentence, self._window, [("&Revert", self._reread)])
        else:
            self._reread()

    def _reread(self) -> None:
        file_tasks, path = self._controller.file_tasks, self._controller.store.path
        if path is not None:
            self._tasks.run(file_tasks.opening(path), file_tasks.take_reverted)

    def _use(self, path: Path, use: Callable[[Path], object]) -> None:
        self._settings.write(folder=str(path.parent))
        use(path)

    def _folder(self) -> Path:
        path = self._controller.store.path
        return path.parent if path else Path(self._settings.values.folder)
