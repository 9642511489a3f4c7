"""Docks: the panels that stand beside the pictures, each made when it is first seen."""

from __future__ import annotations

from typing import Protocol

from app.features import table
from app.features.feature import Dock
from app.scene.model import Scene
from app.views.panels.history_panel import HistoryPanel
from app.views.panels.notes_panel import NotesPanel
from app.views.panels.table_panel import TablePanel

from .theme import Theme


class Panel(Protocol):
    """What stands in a dock: a widget that draws scenes."""

    def render_scene(self, scene: Scene, theme: Theme) -> None: ...


def docks() -> tuple[Dock, ...]:
    """The window's own, and those of features."""
    return (
        Dock("table", "Points table", lambda around: TablePanel(around.controller), wide=False, tab="Points"),
        Dock("history", "History", lambda around: HistoryPanel(around.controller), wide=False),
        Dock("notes", "Notes", lambda around: NotesPanel(around.controller), wide=False),
        *table.docks(),
    )
