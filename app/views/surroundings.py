"""Surroundings: the objects of the window that actions, panels and dialogs of features use."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct, field
from PySide6.QtCore import SignalInstance
from PySide6.QtWidgets import QDockWidget, QMainWindow

from app.controllers.controller import Controller
from app.engine.scheduler import Scheduler
from app.files.examples import Example
from app.files.settings import Settings
from app.scene.feature import FeatureTable
from solver import Grid

from .task_runner import TaskRunner


class AskWhere(Protocol):
    """Ask for a file to write: `name` is proposed, `kinds` maps titles to suffixes; ``use(path)`` gets the answer."""

    def __call__(
        self, title: str, object_name: str, name: str, kinds: dict[str, str], use: Callable[[Path], object]
    ) -> None: ...


class Docks(Protocol):
    """The docks beside the pictures, by name, and the open windows of features."""

    windows: dict[str, Any]

    @property
    def docked(self) -> tuple[str, ...]: ...
    def docks(self, names: Iterable[str]) -> list[QDockWidget]: ...
    def show_only(self, names: Collection[str]) -> None: ...
    def hide(self, names: Iterable[str]) -> None: ...
    def toggle(self, name: str) -> None: ...
    def reveal(self, name: str) -> Any: ...


class Surroundings(Struct, frozen=True):
    """The objects of the window that actions, panels and dialogs may use; each takes those it needs.

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
    docks : callable
        Return the docks.
    switch : callable
        ``switch(names, among)`` turns those commands of `among` on that are in `names`, and the others off.
    when_drawn : callable
        ``when_drawn(act)`` calls `act` once the present state is drawn, and all parts are laid out.
    open_table : callable
        ``open_table(table)`` previews a table of real data, and imports it if the user agrees.
    open_example : callable
        ``open_example(example)`` opens an example with its panels, after asking about unsaved changes.
    text_size : callable
        Return the size of the text in presenter mode (pixels); 0 outside it.
    parts : dict
        Parts of the window that features have made, by their factories.
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
    docks: Callable[[], Docks]
    switch: Callable[[Collection[str], Iterable[str]], None]
    when_drawn: Callable[[Callable[[], object]], None]
    open_example: Callable[[Example], None]
    open_table: Callable[[Any], None]
    text_size: Callable[[], int]
    parts: dict[object, Any] = field(default_factory=dict)

    def part(self, factory: Callable[[Surroundings], Any]) -> Any:
        """Return the part of the window that `factory` makes; it is made when first needed."""
        if factory not in self.parts:
            self.parts[factory] = factory(self)
        return self.parts[factory]
