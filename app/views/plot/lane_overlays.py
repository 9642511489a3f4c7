"""Lane overlays: what lies over the points of a picture and is of one lane: its study, and its part of the probe."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QRect, QRectF
from PySide6.QtGui import QFont, QPainter

from app.features.kkt.overlay import StudyOverlay, to_repaint
from app.features.kkt.view_layout import study_overlay
from app.features.probe.overlay import ProbeOverlay, overlay_of
from app.scene.compose import LaneScene, Scene
from app.views.theme import Theme
from solver import Grid


class LaneOverlays:
    """Slacks, working pair and card; crosshair, rings and lines of the probe."""

    def __init__(self) -> None:
        self.run_state: StudyOverlay | None = None
        self.probe: ProbeOverlay | None = None

    def lay_study(self, scene: Scene, lane: LaneScene, grid: Grid, area: QRectF, font: QFont) -> list[QRect]:
        """Lay the study out for `area`, which shows `grid`; returns what must be painted anew."""
        run_state, old = lane.run_state, self.run_state
        if run_state is not None:
            pair = run_state.pair if lane.shows_pair else (-1, -1)
            run_state = replace(run_state, pair=pair, slacks=run_state.slacks if scene.session.kkt else None)
        hovered = scene.session.hovered if scene.studying else None
        self.run_state = study_overlay(run_state, grid, area, hovered, font, old, lane.steps_seen)
        return to_repaint(old, self.run_state, area)

    def lay_probe(self, scene: Scene, slot: int, grid: Grid, area: QRectF, hovering: bool) -> list[QRect]:
        """The same of the probe; `hovering` when the pointer itself is over this picture."""
        old = self.probe
        self.probe = overlay_of(scene, slot, grid, area, hovering, old)
        return [each.bounds() for each in (old, self.probe) if each is not None] if self.probe is not old else []

    def paint(self, painter: QPainter, theme: Theme, rect: QRectF) -> None:
        """Paint the part in `rect`."""
        if self.probe is not None:
            self.probe.paint(painter, theme)
        if self.run_state is not None:
            self.run_state.paint(painter, theme, rect)
