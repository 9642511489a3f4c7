"""Files read and written at once: the window's own tasks, done without its threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.controllers.controller import Controller
from app.files.background_task import Progress, Task

Alert = Callable[[str], object]


class NoProgress(Progress):
    """Of work that is waited for."""

    def __call__(self, share: float = 0.0) -> None:
        """Go on."""


def failure_of(task: Task[Any], take: Callable[[Any], None]) -> str:
    """Do a task and take its result; what is wrong in a sentence, or ""."""
    result = task.outcome(NoProgress())
    if isinstance(result, Exception):
        return str(result)
    take(result)
    return ""


def try_save(controller: Controller, path: Path) -> str:
    """Save at `path`; what is wrong in a sentence, or ""."""
    return failure_of(controller.file_tasks.saving(path, overwrite=True), controller.file_tasks.take_saved)


def save(controller: Controller, path: Path, alert: Alert = str) -> bool:
    """Save at `path`; False, with a sentence for `alert`, when it cannot be written."""
    return _done(try_save(controller, path), alert)


def open_file(controller: Controller, path: Path, alert: Alert = str) -> bool:
    """Open the file at `path`; False, with a sentence and nothing changed, when it cannot be read."""
    return _done(failure_of(controller.file_tasks.opening(path), controller.file_tasks.take_opened), alert)


def revert(controller: Controller, alert: Alert = str) -> bool:
    """Back to what the document's file holds, as one step; False, with a sentence, when it cannot be read."""
    path, tasks = controller.store.path, controller.file_tasks
    return path is not None and _done(failure_of(tasks.opening(path), tasks.take_reverted), alert)


def export(controller: Controller, path: Path, alert: Alert = str) -> bool:
    """Write the points to `path` in the format of its suffix; False, with a sentence, when that fails."""
    return _done(failure_of(controller.file_tasks.exporting(path), controller.say), alert)


def _done(failure: str, alert: Alert) -> bool:
    if failure:
        alert(failure)
    return not failure
