"""Docks: the table of the panels that stand beside the pictures, each made when it is first seen."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from PySide6.QtWidgets import QWidget

from app.controllers.controller import Controller
from app.engine.scheduler import Scheduler
from app.scene.compose import Scene
from app.views.panels.history_panel import HistoryPanel
from app.views.panels.notes_panel import NotesPanel
from app.views.panels.table_panel import TablePanel

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
    make: Callable[[Controller, Scheduler], QWidget]
    wide: bool = False  #: it opens with a share of the window's width
    tab: str = ""  #: a shorter title, for where several stand behind one another


def _table(controller: Controller, scheduler: Scheduler) -> QWidget:
    return TablePanel(controller)


def _history(controller: Controller, scheduler: Scheduler) -> QWidget:
    return HistoryPanel(controller)


def _notes(controller: Controller, scheduler: Scheduler) -> QWidget:
    return NotesPanel(controller)


def _step(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.step.panel import StepPanel

    return StepPanel(controller)


def _asking(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.active_learning.panel import ActiveLearningPanel

    return ActiveLearningPanel(controller, scheduler)


def _curves(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.curves.panel import CurvesPanel

    return CurvesPanel(controller)


def _alphas(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.multipliers.panel import MultipliersPanel

    return MultipliersPanel(controller)


def _loss(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.losses.panel import LossPanel

    return LossPanel(controller)


def _compare(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.difference.panel import DifferencePanel

    return DifferencePanel(controller)


def _truth(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.ground_truth.panel import GroundTruthPanel

    return GroundTruthPanel(controller)


def _probe(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.probe.panel import ProbePanel

    return ProbePanel(controller)


def _whatif(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.what_if.panel import WhatIfPanel

    return WhatIfPanel(controller)


def _evaluation(controller: Controller, scheduler: Scheduler) -> QWidget:
    from app.features.evaluation.panel import EvaluationPanel

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
