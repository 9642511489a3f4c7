"""LessonStage: the window's part in lessons: open files, show panel and layers of the step, add steps."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QObject, Qt
from PySide6.QtWidgets import QFileDialog

from app.controllers.controller import Controller
from app.engine.cover import Cover
from app.features.answers.controller import AnswersController
from app.features.lessons.controller import Event, LessonController
from app.features.lessons.model import ENGLISH, LANGUAGES, Lesson
from app.features.lessons.scene import covers
from app.features.lessons.state import LessonSession
from app.files.background_task import Task
from app.files.documents import FileError
from app.scene.feature import Widget
from app.scene.feature_table import FeatureTable
from app.views.surroundings import Surroundings
from app.views.widgets.deferred import later
from app.views.widgets.qt_dialogs import open_dialog
from app.window.dialogs.files import FileDialogs
from app.window.dock_manager import DockManager

if TYPE_CHECKING:
    from app.features.answers.collecting import AnswerSource

#: Name of the dock with the panel of an open lesson.
PANEL = "lesson"


def with_models(features: FeatureTable) -> tuple[str, ...]:
    """Return the names of panels and windows that train models of their own, which would reveal what is covered."""
    made = [(each.dock.name, each.dock.make) for each in features if each.dock is not None]
    made += [each.window for each in features if each.window is not None]
    return tuple(name for name, make in made if isinstance(make, Widget) and make.trains)


def system_language() -> str:
    """Return the first of the user's languages, in the system's order, with lessons, or English."""
    codes = (each.partition("-")[0] for each in QLocale.system().uiLanguages())
    return next((code for code in codes if code in LANGUAGES), ENGLISH)


def nothing_covered(controller: Controller) -> bool:
    """Return whether such panels reveal nothing that a lesson covers."""
    return not covers(controller.document, controller.session)


class LessonStage(QObject):
    """
    Parameters
    ----------
    around : Surroundings
    docks : DockManager
    dialogs : FileDialogs
    when_drawn : callable
        ``when_drawn(act)`` calls `act` once the present state is drawn.
    switch : callable
        ``switch(names, among)`` turns those commands of `among` on that are in `names`, and the others off.
    """

    def __init__(
        self,
        around: Surroundings,
        docks: DockManager,
        dialogs: FileDialogs,
        when_drawn: Callable[[Callable[[], object]], None],
        switch: Callable[[Collection[str], Iterable[str]], None],
    ) -> None:
        super().__init__(around.window)
        self._around, self._window, self._controller = around, around.window, around.controller
        self._features, self._settings, self._tasks = around.features, around.settings, around.tasks
        self._docks, self._dialogs = docks, dialogs
        self._switch = switch
        self._lessons = self._controller.feature(LessonController)
        self._lessons.open_next = self.open_next
        acts: dict[Event, Callable[[], object]] = {
            "entered": self._arrange,
            "revealed": self._reveal,
            "ended": self._keep_score,
            "left": lambda: docks.show_only(self._panels),
        }
        self._lessons.report = lambda event: when_drawn(acts[event])
        self._controller.unstaged = lambda: when_drawn(self._close)
        #: The lesson for trying a new step.
        self._trial: Lesson | None = None
        #: Docks that were open before the lesson.
        self._panels: tuple[str, ...] = ()

    # -- opening -----------------------------------------------------------------------------------------------------

    @property
    def language(self) -> str:
        """Language of the shipped lessons: the chosen one, else that of the system."""
        chosen = self._settings.values.lesson_language
        return chosen if chosen in LANGUAGES else system_language()

    def choose_language(self, language: str) -> None:
        """Set the language of the shipped lessons, and remember it."""
        self._settings.write(lesson_language=language)

    def open(self, read: Callable[[], Lesson], name: str) -> None:
        """Open the lesson that `read()` returns, without a question: leaving it restores the present document.

        What is no lesson gets a sentence.
        """
        self._tasks.cancel_reading()  # the last request counts
        task = Task(f"Opening {name}", lambda progress: read(), f"{name} was not opened", kept=False)
        self._tasks.run(task, self.begin)

    def open_path(self, path: Path) -> None:
        """Open the lesson at `path`."""
        from app.features.lessons.reading import read

        self.open(lambda: read(self._features, path), path.name)

    def open_text(self, text: str) -> None:
        """Open the lesson in a lesson text."""
        from app.features.lessons.reading import read_text

        self.open(lambda: read_text(self._features, text), "The lesson")

    def open_shipped(self, name: str) -> None:
        """Open one of the shipped lessons."""
        from app.features.lessons.shipped import lesson

        language = self.language
        self.open(lambda: lesson(self._features, name, language), name)

    def open_next(self) -> None:
        """Open the lesson after the one that is open."""
        from app.features.lessons.shipped import following

        lesson = self._controller.session.of(LessonSession).lesson
        row = None if lesson is None else following(lesson)
        if row is not None:
            self.open_shipped(row.name)

    def begin(self, lesson: Lesson) -> None:
        """Open a lesson that was read, after a save of the present document in progress."""
        if self._tasks.after_saving(lambda: self.begin(lesson)):
            return
        if self._controller.session.of(LessonSession).lesson is None:
            self._panels = self._docks.docked
        try:
            self._lessons.begin(lesson)
        except FileError as error:
            self._dialogs.alert(str(error))

    # -- answers of a class ------------------------------------------------------------------------------------------

    def ask_answers(self) -> None:
        """Ask which files of answers to open."""
        folder, several = self._settings.values.exchange_folder, QFileDialog.FileMode.ExistingFiles
        dialog = QFileDialog(self._window, "Open answers", folder, "Answers (*.txt);;All files (*)", fileMode=several)
        dialog.setObjectName("open_answers_files")
        dialog.filesSelected.connect(lambda names: self.open_answers([Path(name) for name in names]))
        open_dialog(dialog)

    def open_answers(self, paths: Sequence[Path]) -> None:
        """Read the answers in these files."""
        from app.features.answers.collecting import sources_of

        self._settings.write(exchange_folder=str(paths[0].parent))
        self._collect(lambda: [source for path in paths for source in sources_of(path)])

    def take_answers(self, text: str) -> None:
        """Read the answers in a text that was pasted."""
        from app.features.answers.collecting import sources_in

        self._collect(lambda: sources_in(text, ""))

    def _collect(self, sources: Callable[[], list[AnswerSource]]) -> None:
        answers = self._controller.feature(AnswersController)
        task = answers.collecting(sources)
        if task is not None:
            self._tasks.run(task, answers.take)

    def undo(self) -> None:
        """Remove the last line of a guess, else undo the last change."""
        if self._controller.session.of(LessonSession).lesson is None or not self._lessons.take_back():
            self._controller.undo()

    def add_step(self) -> None:
        """Ask for the step that the present state is to become; of a trial, end that first."""
        from app.features.lessons.view_add_step import AddStepDialog

        if self._trial is not None and self._controller.session.of(LessonSession).lesson is self._trial:
            self._lessons.leave()  # then it is asked for again
            return
        self._trial = None
        AddStepDialog(self._around, self._try_step).open()

    def _try_step(self, lesson: Lesson) -> None:
        """Try the new step in a lesson of its own; leaving that opens the form again."""
        self._trial = lesson
        self.begin(lesson)

    def ask_worksheet(self) -> None:
        """Choose a file, and make the worksheet of the open lesson or document."""
        from app.features.lessons.worksheet_task import KINDS, making

        controller = self._controller
        lesson, title = controller.session.of(LessonSession).lesson, Path(controller.store.title).stem

        def make(path: Path) -> None:
            self._tasks.run(making(lesson, controller.document, title, path), controller.say)

        name = title if lesson is None else lesson.name
        self._around.ask_where("Make a worksheet", "worksheet", f"{name}.pdf", KINDS, make)

    # -- following ---------------------------------------------------------------------------------------------------

    def _close(self) -> None:
        """Hide the panel of a lesson that has ended; after a trial, open the form of the step again."""
        self._docks.hide((PANEL,))
        if self._trial is not None:
            later(self, self.add_step)  # after the earlier docks are restored

    def _keep_score(self) -> None:
        """Remember the best score of a shipped lesson, for the gallery."""
        from app.features.lessons.shipped import is_shipped

        now = self._controller.session.of(LessonSession)
        if now.lesson is None or not is_shipped(now.lesson):
            return
        scores, name, asked = self._settings.values.lessons, now.lesson.name, now.lesson.n_predictions
        right = max(now.score[0], min(scores[name][0], asked)) if name in scores else now.score[0]
        self._settings.write(lessons=scores | {name: (right, asked)})

    def _is_covered(self) -> bool:
        covered = covers(self._controller.document, self._controller.session).values()
        return any(Cover.PAINT in cover for cover in covered)

    def _reveal(self) -> None:
        """Open the panel of a step whose pictures were covered."""
        step = self._controller.session.of(LessonSession).step
        if step is not None and Cover.PAINT in step.cover and not self._is_covered():
            if step.panel and self._docks.docks((step.panel,))[0].isHidden():
                self._docks.toggle(step.panel)
            self._share_height(step.panel)

    def _share_height(self, panel: str) -> None:
        """Give the panel of the step more height than the text."""
        if panel:
            self._window.resizeDocks(self._docks.docks((PANEL, panel)), [800, 1200], Qt.Orientation.Vertical)

    def _arrange(self) -> None:
        """The panel of the step beside the lesson's, and no other; of the layers that the lesson names, its own."""
        now = self._controller.session.of(LessonSession)
        if now.lesson is None:
            return
        step = now.lesson.steps[now.at]
        self._switch(step.layers, {name for each in now.lesson.steps for name in each.layers})
        focus = self._window.focusWidget()
        # A panel has nothing to show beside covered pictures; the question has the room.
        panel = "" if self._is_covered() else step.panel
        self._docks.show_only([name for name in (PANEL, panel) if name])
        for window in tuple(self._docks.windows.values()):
            window.close()
            self._window.activateWindow()
        self._share_height(panel)
        if focus is None or focus.objectName().startswith("dock."):  # Qt chose it
            self._window.setFocus()
        elif focus.isVisible():
            focus.setFocus()  # an opened panel has taken the focus
