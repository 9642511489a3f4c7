"""Read and write files with the window's tasks, but without its threads."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from app.controllers.controller import Controller
from app.files.background_task import Progress, Task

Alert = Callable[[str], object]


class NoProgress(Progress):
    """Progress of a task on the calling thread."""

    def __call__(self, share: float = 0.0) -> None:
        """Continue."""


def failure_of(task: Task[Any], take: Callable[[Any], None]) -> str:
    """Run a task and apply its result; return its error, a sentence, or ""."""
    result = task.outcome(NoProgress())
    if isinstance(result, Exception):
        return str(result)
    take(result)
    return ""


def try_save(controller: Controller, path: Path) -> str:
    """Save at `path`; return the error, a sentence, or ""."""
    return failure_of(controller.file_tasks.saving(path, overwrite=True), controller.file_tasks.take_saved)


def save(controller: Controller, path: Path, alert: Alert = str) -> bool:
    """Save at `path`; return False, after ``alert(sentence)``, if it cannot be written."""
    return _done(try_save(controller, path), alert)


def open_file(controller: Controller, path: Path, alert: Alert = str) -> bool:
    """Open the file at `path`; return False, after ``alert(sentence)``, if it cannot be read."""
    return _done(failure_of(controller.file_tasks.opening(path), controller.file_tasks.take_opened), alert)


def revert(controller: Controller, alert: Alert = str) -> bool:
    """Revert to the document's file; return False, after ``alert(sentence)``, if it cannot be read."""
    path, tasks = controller.store.path, controller.file_tasks
    return path is not None and _done(failure_of(tasks.opening(path), tasks.take_reverted), alert)


def export(controller: Controller, path: Path, alert: Alert = str) -> bool:
    """Export the points to `path` by its suffix; return False, after ``alert(sentence)``, if that fails."""
    return _done(failure_of(controller.file_tasks.exporting(path), controller.say), alert)


def _done(failure: str, alert: Alert) -> bool:
    if failure:
        alert(failure)
    return not failure
