"""StatusStrip: below a picture, where its classifier stands, in words and numbers."""

from __future__ import annotations

import math
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

from app.scene import LaneScene
from app.views.bind import describe


class StatusStrip(QLabel):
    """Headline and details of lane `index`."""

    def __init__(self, index: int) -> None:
        super().__init__()
        describe(
            self, f"lane{index}.status", f"Status, lane {index + 1}",
            "KKT violation: how far the multipliers are from optimal. "
            "Gap: how much the objective could still improve, at most.",
        )  # fmt: skip
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setContentsMargins(8, 2, 8, 4)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._words = ("", "")

    def _keep_room(self) -> None:
        # As many lines as the longest words take at this width, so that the picture above does not jump.
        metrics = self.fontMetrics()
        lines = 2 + math.ceil(metrics.horizontalAdvance("x" * 105) / max(self.width() - 20, 100))
        self.setFixedHeight(min(lines, 6) * metrics.lineSpacing() + 8)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_room()

    def render_scene(self, lane: LaneScene) -> None:
        """Show the lane's words."""
        self._keep_room()
        if (lane.headline, lane.details) != self._words:
            self._words = (lane.headline, lane.details)
            self.setText(f"<b>{escape(lane.headline)}</b><br>{escape(lane.details)}")
