"""LessonStage: what the window does for lessons: opens files, keeps panel and layers to the step, adds steps."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMainWindow

from app.controllers.controller import Controller
from app.features import table
from app.features.feature import Widget
from app.files.background_task import Progress, Task
from app.files.documents import FileError
from app.scene.model import Scene
from app.state.store import same_content
from app.views.dialogs.files import FileDialogs
from app.views.dock_manager import DockManager
from app.views.task_runner import TaskRunner
from app.views.widgets.later import later

from .controller import LessonController
from .model import Lesson
from .scene import LessonScene, covers
from .state import LessonSession

SUFFIX = ".lesson.md"
#: Of a lesson that is open; the dock of this name is the panel.
PANEL = "lesson"


@cache
def with_models() -> tuple[str, ...]:
    """Panels and windows that train models of their own, which would show what is covered."""
    made = [(each.dock.name, each.dock.make) for each in table.FEATURES if each.dock is not None]
    made += [each.window for each in table.FEATURES if each.window is not None]
    return tuple(name for name, make in made if isinstance(make, Widget) and "scheduler" in make.takes)


def nothing_covered(controller: Controller) -> bool:
    """Whether such panels show nothing that a lesson covers."""
    return not covers(controller.document, controller.session)


def is_lesson(path: Path) -> bool:
    """Whether the file is named as lessons are."""
    return path.name.lower().endswith(SUFFIX)


class LessonStage(QObject):
    """
    Parameters
    ----------
    window : QMainWindow
    controller : Controller
    docks : DockManager
    dialogs : FileDialogs
    tasks : TaskRunner
    """

    def __init__(
        self, window: QMainWindow, controller: Controller, docks: DockManager, dialogs: FileDialogs, tasks: TaskRunner
    ) -> None:
        super().__init__(window)
        self._window, self._controller, self._docks = window, controller, docks
        self._dialogs, self._tasks = dialogs, tasks
        self._entered = 0
        self._was_open: bool | None = None

    @property
    def _lessons(self) -> LessonController:
        return self._controller.feature(LessonController)

    # -- opening -----------------------------------------------------------------------------------------------------

    def open(self, read: Callable[[], Lesson], name: str, asked: bool = False) -> None:
        """Open the lesson that `read()` gives, after asking about unsaved changes, unless one was `asked`.

        What is no lesson gets a sentence, and nothing is asked.
        """
        before = self._controller.document

        def work(progress: Progress) -> Lesson:
            return read()

        def done(lesson: Lesson) -> None:
            if asked and same_content(self._controller.document, before):
                self.begin(lesson)
            else:
                self._dialogs.unless_unsaved(lambda: self.begin(lesson))

        self._tasks.give_up_reading()  # the last wish counts
        self._tasks.run(Task(f"Opening {name}", work, f"{name} was not opened", kept=False), done)

    def open_path(self, path: Path, asked: bool = False) -> None:
        """Open the lesson at `path`."""
        from .reading import read

        self.open(lambda: read(path), path.name, asked)

    def open_shipped(self, name: str) -> None:
        """Open one of the lessons that come with the program."""
        from .shipped import lesson

        self.open(lambda: lesson(name), name)

    def begin(self, lesson: Lesson) -> None:
        """Open a lesson that was read."""
        try:
            self._lessons.begin(lesson)
        except FileError as error:
            self._dialogs.alert(str(error))

    def undo(self) -> None:
        """The last line of a guess away, else the last change undone."""
        if self._controller.session.of(LessonSession).lesson is None or not self._lessons.take_back():
            self._controller.undo()

    def add_step(self) -> None:
        """Ask where the present state is to become a step."""
        from .view_add_step import AddStepDialog

        AddStepDialog(self._window, self._controller, self._tasks).open()

    # -- following ---------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, actions: dict[str, QAction]) -> None:
        """Arrange panels and layers where a step has just been entered."""
        lesson = scene.feature(LessonScene)
        self._share_keys(actions)
        now = scene.session.of(LessonSession)
        if now.can_take_back:
            actions["undo"].setText("&Undo the last of the guess")
        if lesson is not None and now.entered != self._entered:
            self._entered = now.entered
            later(self, partial(self._arrange, lesson.lesson, now.at, actions))
        elif lesson is None and self._was_open:
            later(self, lambda: self._docks.hide((PANEL,)))
        self._was_open = lesson is not None

    def _share_keys(self, actions: dict[str, QAction]) -> None:
        """What a clicker sends goes to the window in front, also where that is a panel's own."""
        docks = () if self._was_open is not None else self._window.findChildren(QDockWidget)
        for each in (*self._docks.windows.values(), *docks):
            if actions["lesson_next"] not in each.actions():
                each.addActions([actions["lesson_next"], actions["lesson_back"]])

    def _arrange(self, lesson: Lesson, at: int, actions: dict[str, QAction]) -> None:
        """The panel of the step beside the lesson's, and no other; of the layers that the lesson names, its own."""
        step = lesson.steps[at]
        focus = self._window.focusWidget()
        panels = [name for name in (PANEL, step.panel) if name]
        self._docks.show_only(panels)
        for name, window in tuple(self._docks.windows.items()):
            if name != step.panel:
                window.close()
                self._window.activateWindow()
        if step.panel and step.panel in self._docks.opens_windows and step.panel not in self._docks.windows:
            self._docks.open(step.panel)
            self._share_keys(actions)
        for name in sorted({name for each in lesson.steps for name in each.layers}):
            if name in actions and actions[name].isChecked() != (name in step.layers):
                actions[name].trigger()
        if focus is None or focus.objectName().startswith("dock."):  # Qt's choice, where it was is away
            self._window.setFocus()
        elif focus.isVisible():
            focus.setFocus()  # an opened panel has taken it
