"""Surroundings: the objects of the window that panels and dialogs of features use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from msgspec import Struct
from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QMainWindow

from app.controllers.controller import Controller
from app.engine.scheduler import Scheduler
from app.files.settings import Settings
from app.scene.feature_table import FeatureTable
from solver import Grid

from .task_runner import TaskRunner


class AskWhere(Protocol):
    """Ask for a file to write: `name` is proposed, `kinds` maps titles to suffixes; ``use(path)`` gets the answer."""

    def __call__(
        self, title: str, object_name: str, name: str, kinds: dict[str, str], use: Callable[[Path], object]
    ) -> None: ...


class Surroundings(Struct, frozen=True):
    """The objects of the window that panels and dialogs may use; each takes those it needs.

    Attributes
    ----------
    features : FeatureTable
    window : QMainWindow
        Parent of dialogs.
    controller : Controller
    scheduler : Scheduler
    settings : Settings
    tasks : TaskRunner
    grids : callable
        Return the grid of each displayed lane, with one sample per device pixel.
    alert : callable
        ``alert(sentence)`` displays what must not be overlooked.
    ask_where : AskWhere
    do : callable
        ``do(name)`` runs one of the window's commands.
    closed : SignalInstance
        Emitted when the window has closed for good.
    """

    features: FeatureTable
    window: QMainWindow
    controller: Controller
    scheduler: Scheduler
    settings: Settings
    tasks: TaskRunner
    grids: Callable[[], tuple[Grid, ...]]
    alert: Callable[[str], None]
    ask_where: AskWhere
    do: Callable[[str], object]
    closed: SignalInstance
