"""StatusStrip: below a picture, where its classifier stands, in words and numbers."""

from __future__ import annotations

import math
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from app.scene.model import LaneScene
from app.scene.status_badge import SIGNS, Mood
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.stable_label import StableLabel


class StatusStrip(StableLabel):
    """Headline and details of lane `index`."""

    def __init__(self, index: int) -> None:
        super().__init__()
        describe(
            self.label,
            f"lane{index}.status",
            f"Status, lane {index + 1}",
            "KKT violation: how far the multipliers are from optimal. "
            "Gap: how much the objective could still improve, at most.",
        )
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setContentsMargins(8, 2, 8, 4)
        self.label.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._shown: tuple[object, ...] = ()
        self._compact = False
        self._first = self._details = ""

    def _keep_room(self) -> None:
        # As many lines as the longest words take at this width, so that the picture above does not jump.
        metrics = self.fontMetrics()
        lines = 2 + math.ceil(metrics.horizontalAdvance("x" * 105) / max(self.width() - 20, 100))
        self.setFixedHeight(min(lines, 2 if self._compact else 6) * metrics.lineSpacing() + 8)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._keep_room()
        if self._compact:
            self._write()

    def render_scene(self, lane: LaneScene, theme: Theme, compact: bool = False) -> None:
        """Show the lane's badge and words; `compact` in two lines, and all of it as a tip."""
        self._compact = compact
        self._keep_room()
        shown = (lane.badge, lane.headline, lane.remark, lane.details, theme.dark, compact and self.width())
        if shown != self._shown:
            self._shown = shown
            said = (lane.badge.text or lane.headline, lane.remark, lane.details)
            self.label.setToolTip("\n".join(text for text in said if text) if compact else "")
            mood, text = lane.badge.mood, lane.badge.text
            self._first = f"<b>{escape(lane.headline)}</b>"
            if mood is not Mood.NONE:
                ink, ground = theme.moods[mood]
                colours = f"color: rgb{ink}; background-color: rgb{ground}"
                pill = f"{SIGNS[mood]} {text}"
                if compact:
                    bold = QFont(self.font())
                    bold.setBold(True)
                    metrics = QFontMetrics(bold)
                    room = max(self.width() - 2 * metrics.horizontalAdvance("\xa0") - 20, 40)
                    pill = metrics.elidedText(pill, Qt.TextElideMode.ElideRight, room)
                pill = escape(pill.replace(" ", "\xa0"))
                self._first = f'<span style="{colours}"><b>&nbsp;{pill}&nbsp;</b></span> {escape(lane.remark)}'
            self._details = lane.details
            self._write()

    def _write(self) -> None:
        details, space = self._details, "pre-wrap"
        if self._compact:
            details = self.fontMetrics().elidedText(details, Qt.TextElideMode.ElideRight, max(self.width() - 20, 40))
            space = "nowrap"
        # Qt breaks lines at narrow spaces that must not be broken, unless it is told to keep them.
        self.label.setText(f'<span style="white-space: {space}">{self._first}<br>{escape(details)}</span>')
