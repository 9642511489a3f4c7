"""LessonStage: open lessons, show panel and layers of the step, add steps, and open the gallery."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QLocale, QObject, Qt

from app.engine.cover import Cover
from app.files.background_task import Task
from app.files.documents import FileError
from app.scene.model import SETTINGS
from app.state.document import Document
from app.views.surroundings import Surroundings
from app.views.widgets.deferred import later

from .controller import Event, LessonController
from .model import ENGLISH, Lesson, Step
from .phrases import languages
from .scene import covers
from .state import LessonSession

#: Name of the dock with the panel of an open lesson.
PANEL = "lesson"


def system_language() -> str:
    """Return the first of the user's languages, in the system's order, with lessons, or English."""
    codes = (each.partition("-")[0] for each in QLocale.system().uiLanguages())
    return next((code for code in codes if code in languages()), ENGLISH)


class LessonStage(QObject):
    """
    Parameters
    ----------
    around : Surroundings
    """

    def __init__(self, around: Surroundings) -> None:
        super().__init__(around.window)
        self._around, self._window, self._controller = around, around.window, around.controller
        self._features, self._settings, self._tasks = around.features, around.settings, around.tasks
        self._docks = around.docks()
        self._lessons = self._controller.feature(LessonController)
        self._lessons.open_next = self.open_next
        acts: dict[Event, Callable[[], object]] = {
            "entered": self._arrange,
            "revealed": self._reveal,
            "ended": self._keep_score,
            "left": lambda: self._docks.show_only(self._panels),
        }
        self._lessons.report = lambda event: around.when_drawn(acts[event])
        self._controller.unstaged = lambda: around.when_drawn(self._close)
        #: The lesson for trying a new step.
        self._trial: Lesson | None = None
        #: Docks that were open before the lesson.
        self._panels: tuple[str, ...] = ()

    # -- opening -----------------------------------------------------------------------------------------------------

    @property
    def language(self) -> str:
        """Language of the shipped lessons: the chosen one, else that of the system."""
        chosen = self._settings.values.lesson_language
        return chosen if chosen in languages() else system_language()

    def choose_language(self, language: str) -> None:
        """Set the language of the shipped lessons, and remember it."""
        self._settings.write(lesson_language=language)

    def show_gallery(self, tab: str) -> None:
        """Open the gallery at its examples, lessons or data, or bring it to the front."""
        from .view_gallery import GalleryDialog  # here, to keep the start fast

        gallery = self._window.findChild(GalleryDialog)
        if gallery is None:
            gallery = GalleryDialog(
                self._window,
                {"examples": self._around.open_example, "lessons": self.open_shipped, "data": self._around.open_table},
                self.language,
                self.choose_language,
                self._settings.values.lessons,
                self._around.text_size(),
                tab,
            )
            gallery.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        gallery.show_tab(tab)
        gallery.open()
        gallery.activateWindow()

    def open(self, source: Sequence[Path] | str) -> None:
        """Open the lesson in the first of these files, or in a lesson text."""
        from .reading import read, read_text

        if isinstance(source, str):
            self._read(lambda: read_text(self._features, source), "The lesson")
        else:
            self._read(lambda: read(self._features, source[0]), source[0].name)

    def _read(self, read: Callable[[], Lesson], name: str) -> None:
        """Open the lesson that `read()` returns, without a question: leaving it restores the present document.

        What is no lesson gets a sentence.
        """
        self._tasks.cancel_reading()  # the last request counts
        task = Task(f"Opening {name}", lambda progress: read(), f"{name} was not opened", kept=False)
        self._tasks.run(task, self.begin)

    def open_shipped(self, name: str) -> None:
        """Open one of the shipped lessons."""
        from .shipped import lesson

        language = self.language
        self._read(lambda: lesson(self._features, name, language), name)

    def open_next(self) -> None:
        """Open the lesson after the one that is open."""
        from .shipped import following

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
            self._around.alert(str(error))

    def add_step(self) -> None:
        """Ask for the step that the present state is to become; of a trial, end that first."""
        from .view_add_step import AddStepDialog

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
        from .worksheet_task import KINDS, making

        controller = self._controller
        lesson, example = controller.session.of(LessonSession).lesson, controller.examples.present
        title = Path(controller.store.title).stem if example is None else example.title

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
        from .shipped import is_shipped

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
        if step is None or Cover.PAINT not in step.cover or self._is_covered() or not step.panel:
            return
        if self._docks.docks((step.panel,))[0].isHidden():
            self._docks.toggle(step.panel)
            self._docks.reveal(PANEL)

    def _arrange(self) -> None:
        """The panel of the step beside the lesson's, and no other; of the layers that the lesson names, its own."""
        now = self._controller.session.of(LessonSession)
        if now.lesson is None:
            return
        step = now.lesson.steps[now.at]
        self._around.switch(step.layers, {name for each in now.lesson.steps for name in each.layers})
        focus = self._window.focusWidget()
        # A panel has nothing to show beside covered pictures; the question has the room.
        panel = "" if self._is_covered() else step.panel
        settings = SETTINGS if _shows_settings(self._controller.document, step) else ""
        self._docks.show_only([name for name in (PANEL, panel, settings) if name])
        for window in tuple(self._docks.windows.values()):
            window.close()
            self._window.activateWindow()
        self._docks.reveal(PANEL)
        if focus is None or focus.objectName().startswith("dock."):  # Qt chose it
            self._window.setFocus()
        elif focus.isVisible():
            focus.setFocus()  # an opened panel has taken the focus


def _shows_settings(document: Document, step: Step) -> bool:
    """Return whether the step shows a setting that is not above a picture."""
    fields = [field for lane in document.lanes[: document.shown] for field in lane.family.fields]
    beside = {"standardise", *(field.name for field in fields if not field.primary)}
    return step.show is not None and not beside.isdisjoint(step.show)
