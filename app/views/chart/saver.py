"""ChartSaver: ask for a file name and save a chart there; each window has one, found by its charts."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from app.files.background_task import saving
from app.views.surroundings import AskWhere
from app.views.task_runner import TaskRunner

KINDS = {"PNG picture": ".png", "SVG drawing": ".svg", "Numbers (CSV)": ".csv"}


class ChartSaver(QObject):
    """Saves the charts of one window.

    Parameters
    ----------
    window : QWidget
    tasks : TaskRunner
    ask_where : AskWhere
    say : callable
        ``say(sentence)`` reports what was saved.
    """

    def __init__(self, window: QWidget, tasks: TaskRunner, ask_where: AskWhere, say: Callable[[str], None]) -> None:
        super().__init__(window)
        self._tasks, self._ask, self._say = tasks, ask_where, say

    def save(self, name: str, bytes_of: Callable[[str], bytes]) -> None:
        """Ask where to save the chart called `name`, and write the bytes that ``bytes_of(suffix)`` returns."""

        def write(path: Path) -> None:
            data = bytes_of(path.suffix.lower())
            self._tasks.run(saving(path, lambda progress: data), self._say)

        self._ask("Save chart", "chart.path", name, KINDS, write)
