"""LessonStage: what the window does for lessons: opens files, keeps panel and layers to the step, adds steps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget

from app.controllers.controller import Controller
from app.features.lessons.controller import LessonController
from app.features.lessons.model import Lesson
from app.features.lessons.scene import LessonScene, covers
from app.features.lessons.state import LessonSession
from app.features.lessons.writing import NewStep
from app.files.background_task import Progress, Task
from app.files.documents import FileError
from app.scene.feature import Widget
from app.scene.feature_table import FeatureTable
from app.scene.model import Scene
from app.views.surroundings import Surroundings
from app.views.widgets.later import later
from app.window.dialogs.files import FileDialogs
from app.window.dock_manager import DockManager

#: Of a lesson that is open; the dock of this name is the panel.
PANEL = "lesson"


def with_models(features: FeatureTable) -> tuple[str, ...]:
    """Return the names of panels and windows that train models of their own, which would show what is covered."""
    made = [(each.dock.name, each.dock.make) for each in features if each.dock is not None]
    made += [each.window for each in features if each.window is not None]
    return tuple(name for name, make in made if isinstance(make, Widget) and make.trains)


def nothing_covered(controller: Controller) -> bool:
    """Whether such panels show nothing that a lesson covers."""
    return not covers(controller.document, controller.session)


class LessonStage(QObject):
    """
    Parameters
    ----------
    around : Surroundings
    docks : DockManager
    dialogs : FileDialogs
    """

    def __init__(self, around: Surroundings, docks: DockManager, dialogs: FileDialogs) -> None:
        super().__init__(around.window)
        self._around, self._window, self._controller = around, around.window, around.controller
        self._features, self._settings, self._tasks = around.features, around.settings, around.tasks
        self._docks, self._dialogs = docks, dialogs
        self._entered = self._left = 0
        self._was_open: bool | None = None
        self._was_ended = self._covered = False
        #: What is written of a new step that is not added yet, and the lesson in which it is tried.
        self._draft: NewStep | None = None
        self._trial: Lesson | None = None
        #: The docks that were open before the lesson.
        self._panels: tuple[str, ...] = ()

    @property
    def _lessons(self) -> LessonController:
        return self._controller.feature(LessonController)

    # -- opening -----------------------------------------------------------------------------------------------------

    def open(self, read: Callable[[], Lesson], name: str) -> None:
        """Open the lesson that `read()` gives; nothing is asked: the present document comes back when it is left.

        What is no lesson gets a sentence.
        """

        def work(progress: Progress) -> Lesson:
            return read()

        self._tasks.give_up_reading()  # the last wish counts
        self._tasks.run(Task(f"Opening {name}", work, f"{name} was not opened", kept=False), self.begin)

    def open_path(self, path: Path) -> None:
        """Open the lesson at `path`."""
        from app.features.lessons.reading import read

        self.open(lambda: read(self._features, path), path.name)

    def open_shipped(self, name: str) -> None:
        """Open one of the lessons that come with the program."""
        from app.features.lessons.shipped import lesson

        self.open(lambda: lesson(self._features, name), name)

    def open_next(self) -> None:
        """Open the lesson after the one that is open."""
        from app.features.lessons.shipped import following

        lesson = self._controller.session.of(LessonSession).lesson
        row = None if lesson is None else following(lesson)
        if row is not None:
            self.open_shipped(row.name)

    def begin(self, lesson: Lesson) -> None:
        """Open a lesson that was read, once the present document is written where it is being saved."""
        if self._tasks.after_saving(lambda: self.begin(lesson)):
            return
        if self._controller.session.of(LessonSession).lesson is None:
            self._panels = self._docks.docked
        try:
            self._lessons.begin(lesson)
        except FileError as error:
            self._dialogs.alert(str(error))

    def undo(self) -> None:
        """The last line of a guess away, else the last change undone."""
        if self._controller.session.of(LessonSession).lesson is None or not self._lessons.take_back():
            self._controller.undo()

    def add_step(self) -> None:
        """Ask for the step that the present state is to become; of a trial, end that first."""
        from app.features.lessons.view_add_step import AddStepDialog

        if self._trial is not None and self._controller.session.of(LessonSession).lesson is self._trial:
            self._lessons.leave()  # then it is asked for again
            return
        self._trial = None
        AddStepDialog(self._around, self._draft, self._keep_draft, self._try_step).open()

    def _keep_draft(self, draft: NewStep | None) -> None:
        self._draft = draft

    def _try_step(self, lesson: Lesson) -> None:
        """Open a lesson of the new step alone; when it is left, the form comes back."""
        self._trial = lesson
        self.begin(lesson)

    # -- following ---------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, actions: dict[str, QAction]) -> None:
        """Arrange panels and layers where a step has just been entered."""
        lesson = scene.feature(LessonScene)
        self._share_keys(actions)
        now = scene.session.of(LessonSession)
        if now.can_take_back:
            actions["undo"].setText("&Undo the last of the guess")
        before, self._entered = self._entered, 0 if lesson is None else now.entered
        covered, self._covered = self._covered, lesson is not None and bool(lesson.covered)
        if lesson is not None and covered and not lesson.covered and now.entered == before:
            later(self, partial(self._open_panel, lesson.step.panel, actions))
        if lesson is not None and now.entered != before:
            later(self, partial(self._arrange, lesson.lesson, now.at, actions))
        elif lesson is None and self._was_open:
            left = now.left != self._left
            later(self, lambda: self._docks.show_only(self._panels) if left else self._docks.hide((PANEL,)))
            if self._trial is not None:
                later(self, self.add_step)
        if lesson is not None and lesson.ended and not self._was_ended:
            self._keep_score(lesson)
        self._left, self._was_ended = now.left, lesson is not None and lesson.ended
        self._was_open = lesson is not None

    def _keep_score(self, lesson: LessonScene) -> None:
        """Remember the best score of a lesson that comes with the program, for the gallery."""
        from app.features.lessons.shipped import is_shipped

        if not is_shipped(lesson.lesson):
            return
        scores, name, asked = self._settings.values.lessons, lesson.lesson.name, lesson.lesson.n_predictions
        right = max(lesson.right, min(scores[name][0], asked)) if name in scores else lesson.right
        self._settings.write(lessons=scores | {name: (right, asked)})

    def _share_keys(self, actions: dict[str, QAction]) -> None:
        """What a clicker sends goes to the window in front, also where that is a panel's own."""
        docks = () if self._was_open is not None else self._window.findChildren(QDockWidget)
        for each in (*self._docks.windows.values(), *docks):
            if actions["lesson_next"] not in each.actions():
                each.addActions([actions["lesson_next"], actions["lesson_back"]])

    def _open_panel(self, panel: str, actions: dict[str, QAction]) -> None:
        """Open a dock, unless it is open."""
        if panel:
            if not actions[panel].isChecked() and panel not in self._docks.docked:  # it is checked when next drawn
                actions[panel].trigger()
            docks = self._docks.docks((PANEL, panel))  # what the step is about has more of the height
            self._window.resizeDocks(docks, [800, 1200], Qt.Orientation.Vertical)

    def _arrange(self, lesson: Lesson, at: int, actions: dict[str, QAction]) -> None:
        """The panel of the step beside the lesson's, and no other; of the layers that the lesson names, its own."""
        step = lesson.steps[at]
        focus = self._window.focusWidget()
        # A panel has nothing to show beside covered pictures; the question has the room.
        panel = "" if self._covered else step.panel
        self._docks.show_only([name for name in (PANEL, panel) if name])
        for window in tuple(self._docks.windows.values()):
            window.close()
            self._window.activateWindow()
        self._open_panel(panel, actions)
        for name in sorted({name for each in lesson.steps for name in each.layers}):
            if name in actions and actions[name].isChecked() != (name in step.layers):
                actions[name].trigger()
        if focus is None or focus.objectName().startswith("dock."):  # Qt's choice, where it was is away
            self._window.setFocus()
        elif focus.isVisible():
            focus.setFocus()  # an opened panel has taken it
