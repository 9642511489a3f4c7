"""StatusStrip: below a picture, where its classifier stands, in words and numbers."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import Qt
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

    def render_scene(self, lane: LaneScene) -> None:
        """Show the lane's words; three lines are kept free, so that the picture above does not jump."""
        self.setFixedHeight(3 * self.fontMetrics().lineSpacing() + 10)
        if (lane.headline, lane.details) != self._words:
            self._words = (lane.headline, lane.details)
            self.setText(f"<b>{escape(lane.headline)}</b><br>{escape(lane.details)}")
