"""ImportExport: ask for the file to import points from, or to export them to."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication, QFileDialog, QMainWindow

from app.controllers.controller import Controller
from app.core.plain_text import plain
from app.exchange.opening import Kind, is_share_text, kind_of_text
from app.files.background_task import Task
from app.files.documents import FileError
from app.files.settings import Settings
from app.views.task_runner import TaskRunner
from app.views.widgets.deferred import later
from app.views.widgets.message_box import ask
from app.views.widgets.qt_dialogs import ask_path, ask_where

if TYPE_CHECKING:
    from app.exchange.columns import Choice
    from app.exchange.real_data import RealTable
    from app.exchange.table import Dialect, OnProgress, Table


class ImportExport:
    """Import and export points, in front of `window`.

    Parameters
    ----------
    window : QMainWindow
    controller : Controller
    settings : Settings
        Remember the folder used last.
    tasks : TaskRunner
    """

    def __init__(self, window: QMainWindow, controller: Controller, settings: Settings, tasks: TaskRunner) -> None:
        self._window, self._controller, self._settings = window, controller, settings
        self._tasks = tasks
        #: By the kind of a text that is no share text, what opens it.
        self.openers: Mapping[Kind, Callable[[str], object]] = {}

    def ask_import(self) -> None:
        """Ask which file to import."""
        from app.exchange.importing import IMPORTS

        suffixes = {title: " ".join(f"*{suffix}" for suffix in each) for title, each in IMPORTS.items()}
        kinds = {"All points": " ".join(suffixes.values())} | suffixes | {"All files": "*"}
        filters = ";;".join(f"{title} ({each})" for title, each in kinds.items())
        folder, existing = self._settings.values.exchange_folder, QFileDialog.FileMode.ExistingFile
        dialog = QFileDialog(self._window, "Import points", folder, filters, fileMode=existing)
        ask_path(dialog, "import_file", lambda path: self._use(path, self.import_file))

    def import_file(self, path: Path) -> None:
        """Preview the file at `path`, and import it if the user agrees."""
        from app.exchange import importing  # here, to keep the start fast

        self._show(lambda *how: importing.read(path, *how))

    def import_clipboard(self, add: bool = False) -> None:
        """Preview the clipboard, and import it if the user agrees; `add` preselects adding to the present points."""
        from app.exchange import importing

        text = QApplication.clipboard().text()
        if is_share_text(text):
            self.open_text(text)
            return
        self._show(lambda dialect, sheet, *how: importing.read_text(text, dialect, *how), add)

    def import_real(self, table: RealTable) -> None:
        """Preview a table of real data, and import it if the user agrees."""
        self._show(table.read, first=table.first_choice)

    def ask_export(self) -> None:
        """Ask where to export all points to."""
        from app.exchange.exporting import EXPORTS

        kinds = {kind.title: suffix for suffix, kind in EXPORTS.items()}
        self.ask_where("Export points", "export_file", Path(self._controller.store.title).stem, kinds, self.export)

    def ask_where(
        self, title: str, object_name: str, name: str, kinds: dict[str, str], use: Callable[[Path], object]
    ) -> None:
        """Ask where to write a file for other programs: `name` is offered, `kinds` maps titles to suffixes."""
        offered = Path(self._settings.values.exchange_folder) / name
        ask_where(self._window, object_name, title, offered, kinds, lambda path: self._use(path, use))

    def export(self, path: Path) -> None:
        """Write all points to `path`, in the format of its suffix; ask first if a name may run as a formula."""
        from app.exchange.exporting import running

        document = self._controller.document
        names = tuple(style.name for style in document.styles)
        if formula := running(document.points.labels, names, document.measured[1], path):
            self._ask_formulas(formula, path)
        else:
            self._write(path)

    def _write(self, path: Path, guard: bool = True) -> None:
        self._tasks.run(self._controller.file_tasks.exporting(path, guard), self._controller.say)

    def _ask_formulas(self, formula: str, path: Path) -> None:
        sentence = (
            f"A spreadsheet may run the name {plain(formula)} as a formula. Put an apostrophe before such names?"
            " Importing here takes it away."
        )
        answers = [
            ("&Put apostrophes", lambda: self._write(path)),
            ("&Leave names as they are", lambda: self._write(path, guard=False)),
        ]
        ask("question", "formulas", "Export points", sentence, self._window, answers, first=True)

    # -- the clipboard ---------------------------------------------------------------------------------------------

    def copy(self) -> None:
        """Copy the selected points as text to the clipboard.

        The text is made at once, not when another program requests it: that program would then wait for the window, and
        the window for the text.  (A QMimeData subclass in Python, which could hold UTF-8 and be faster, crashes if the
        program ends with it in the clipboard.)
        """
        if (task := self._controller.editing.copying()) is not None:
            self._tasks.run(task, QApplication.clipboard().setText, line="clipboard")

    def cut(self) -> None:
        """Copy the selected points, then remove them."""
        editing = self._controller.editing
        task, cut = editing.copying(), editing.cutting()

        def copied(text: str) -> None:
            QApplication.clipboard().setText(text)
            cut()

        if task is not None:
            self._tasks.run(task, copied, line="clipboard")

    def paste(self) -> None:
        """Paste points from the clipboard, after a copy in progress."""
        self._tasks.in_turn(self._paste, "clipboard")

    def _paste(self) -> None:
        editing, text = self._controller.editing, QApplication.clipboard().text()
        if is_share_text(text):
            self.open_text(text)
            return
        self._tasks.run(editing.pasting(text), editing.take_pasted, self._not_pasted, line="clipboard")

    def open_text(self, text: str) -> None:
        """Replace the document by a share text, as one undo step; open texts of features in their own way."""
        if (kind := kind_of_text(text)) in self.openers:
            self.openers[kind](text)
            return
        file_tasks, say = self._controller.file_tasks, self._controller.say
        self._tasks.run(
            file_tasks.opening_text(text), file_tasks.take_shared, lambda error: say(str(error)), line="clipboard"
        )

    def copy_as_text(self, save: Callable[[], object]) -> None:
        """Copy the document as a share text; `save` asks for a file that keeps all digits."""
        from .share import ShareDialog, copied  # here, to keep the start fast

        document = self._controller.document

        def show(made: tuple[str, list[str]]) -> None:
            if made[0]:
                QApplication.clipboard().setText(made[0])
            ShareDialog(self._window, *made, save).open()

        task = Task("Copying as text", lambda progress: copied(document), "The document was not copied as text")
        self._tasks.run(task, show, line="clipboard")

    def _not_pasted(self, error: FileError) -> None:
        from app.exchange.exporting import DoubtError

        self._controller.say(str(error))
        if isinstance(error, DoubtError):  # the dialog shows how the numbers are read, before any is imported
            self.import_clipboard(add=True)

    def _show(
        self,
        read: Callable[[Dialect, str | None, OnProgress, bool], Table],
        add: bool = False,
        first: Callable[[Table], Choice] | None = None,
    ) -> None:
        from app.exchange.columns import default_choice  # here, to keep the start fast

        from .import_table import ImportDialog

        def show() -> None:
            dialog = ImportDialog(self._window, read, self._controller.import_points, add, first or default_choice)
            later(dialog, dialog.open)

        later(self._window, show)  # loading the modules, making the dialog and opening it take 10 ms each

    def _use(self, path: Path, use: Callable[[Path], object]) -> None:
        self._settings.write(exchange_folder=str(path.parent))
        use(path)
