"""Docks: the table of the panels that stand beside the pictures, each made when it is first seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtWidgets import QWidget

from app.conductor import Conductor
from app.controller import Controller
from app.scene import Scene

from .panels.history_panel import HistoryPanel
from .panels.notes_panel import NotesPanel
from .panels.table_panel import TablePanel
from .theme import Theme


class Panel(Protocol):
    """What stands in a dock: a widget that draws scenes."""

    def render_scene(self, scene: Scene, theme: Theme) -> None: ...


@dataclass(frozen=True)
class PanelSpec:
    """A dock: its name, title, group, and what makes its panel when it is first seen.

    The docks of a group are tabs in one place; the groups stand one above the other beside the pictures.
    """

    name: str
    title: str
    group: int
    make: Callable[[Controller, Conductor], QWidget]
    wide: bool = False  #: it opens with a share of the window's width
    tab: str = ""  #: a shorter title, for where several stand behind one another


def _table(controller: Controller, conductor: Conductor) -> QWidget:
    return TablePanel(controller)


def _history(controller: Controller, conductor: Conductor) -> QWidget:
    return HistoryPanel(controller)


def _notes(controller: Controller, conductor: Conductor) -> QWidget:
    return NotesPanel(controller)


def _step(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.step_panel import StepPanel

    return StepPanel(controller)


def _asking(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.asking_panel import AskingPanel

    return AskingPanel(controller, conductor)


def _curves(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.curves_panel import CurvesPanel

    return CurvesPanel(controller)


def _alphas(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.alphas_panel import AlphasPanel

    return AlphasPanel(controller)


def _loss(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.loss_panel import LossPanel

    return LossPanel(controller)


def _compare(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.compare_panel import ComparePanel

    return ComparePanel(controller)


def _truth(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.truth_panel import TruthPanel

    return TruthPanel(controller)


def _probe(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.probe_panel import ProbePanel

    return ProbePanel(controller)


def _whatif(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.whatif_panel import WhatIfPanel

    return WhatIfPanel(controller)


def _evaluation(controller: Controller, conductor: Conductor) -> QWidget:
    from .panels.evaluation_panel import EvaluationPanel

    return EvaluationPanel(controller)


PANELS = (
    PanelSpec("table", "Points table", 0, _table, tab="Points"),
    PanelSpec("history", "History", 0, _history),
    PanelSpec("notes", "Notes", 0, _notes),
    PanelSpec("step", "Why this step", 0, _step, wide=True, tab="Step"),
    PanelSpec("asking", "Active learning", 0, _asking, wide=True, tab="Asking"),
    PanelSpec("compare", "Compare", 0, _compare, wide=True),
    PanelSpec("probe", "Why this class", 0, _probe, wide=True, tab="Class"),
    PanelSpec("whatif", "What if", 0, _whatif, wide=True),
    PanelSpec("curves", "Curves", 1, _curves, wide=True),
    PanelSpec("alphas", "Multipliers", 1, _alphas, wide=True),
    PanelSpec("loss", "Loss", 1, _loss, wide=True),
    PanelSpec("evaluation", "Evaluation", 0, _evaluation, wide=True, tab="Scores"),
    PanelSpec("truth", "Truth and stability", 0, _truth, wide=True, tab="Truth"),
)
