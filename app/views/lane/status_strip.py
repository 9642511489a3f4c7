"""StatusStrip: below a picture, where its classifier stands, in one line; the numbers are in its tip."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from app.scene.model import LaneScene
from app.scene.status_badge import SIGNS, Badge, Mood, Status
from app.views.theme import Theme
from app.views.widgets.form_fields import describe, plain_tip
from app.views.widgets.stable_label import StableLabel


class StatusStrip(StableLabel):
    """Badge and scores of lane `index`."""

    def __init__(self, index: int) -> None:
        super().__init__()
        describe(self.label, f"lane{index}.status", f"Status, classifier {index + 1}", "")
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setContentsMargins(8, 1, 8, 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._shown: tuple[Badge, str, str, tuple[Status, ...], Theme] | None = None
        self._keep_room()

    def _keep_room(self) -> None:
        self.setFixedHeight(self.fontMetrics().lineSpacing() + 8)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._keep_room()
            self._shown = None

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._shown is not None:
            self._write(*self._shown)

    def render_scene(self, lane: LaneScene, theme: Theme) -> None:
        """Show the lane's badge and scores."""
        shown = (lane.badge, lane.headline, lane.remark, lane.scores, theme)
        if shown != self._shown:
            self._shown = shown
            self._write(*shown)
        tip = plain_tip(
            "\n".join(
                each
                for each in (
                    lane.badge.text,
                    lane.message,
                    *(score.tip for score in lane.scores),
                    lane.remark,
                    lane.details,
                    lane.note,
                )
                if each
            )
        )
        if self.label.toolTip() != tip:
            self.label.setToolTip(tip)
            self.label.setAccessibleDescription(tip)

    def _write(self, badge: Badge, headline: str, remark: str, scores: tuple[Status, ...], theme: Theme) -> None:
        """Badge, scores and remark, as much of them as there is room for."""
        bold = QFont(self.font())
        bold.setBold(True)
        room = max(self.width() - 16, 40)
        dressed, plain, end = QFontMetrics(bold), self.fontMetrics(), Qt.TextElideMode.ElideRight
        sign = headline if badge.mood is Mood.NONE else f"\xa0{SIGNS[badge.mood]} {badge.short}\xa0"
        gap = plain.horizontalAdvance("\xa0 ")
        spare = room - gap - dressed.horizontalAdvance(sign)
        ways = _ways([score.text for score in scores], remark.removeprefix(" · "))
        # What is left out stands in the tip; only where the shortest does not fit, either, something ends in dots.
        numbers = rest = next((way for way in ways if plain.horizontalAdvance(way) <= spare), ways[-1])
        # The scores are what one compares: where there is too little room, the badge is the first to be shortened.
        left = max(room - gap - plain.horizontalAdvance(numbers), room // 3) if numbers else room
        if badge.mood is Mood.NONE:
            first = dressed.elidedText(headline, end, left)
            html, used = f"<b>{escape(first)}</b>", dressed.horizontalAdvance(first)
        else:
            ink, ground = theme.moods[badge.mood]
            sides = dressed.horizontalAdvance("\xa0\xa0")
            pill = dressed.elidedText(f"{SIGNS[badge.mood]} {badge.short}", end, left - sides)
            used = dressed.horizontalAdvance(pill) + sides
            pill = escape(pill.replace(" ", "\xa0"))
            colours = f"color: rgb{ink}; background-color: rgb{ground}"
            html = f'<span style="{colours}"><b>&nbsp;{pill}&nbsp;</b></span>'
        rest = plain.elidedText(rest, end, max(room - used - gap, 0)) if rest else ""
        self.label.setText(f'<span style="white-space: pre">{html}{f"&nbsp; {escape(rest)}" if rest else ""}</span>')


def _ways(scores: list[str], remark: str) -> list[str]:
    """What stands behind a badge, from the longest to the shortest: less air, no remark, shorter words."""
    brief = [score.replace("training ", "train ") for score in scores]
    whole = "  ·  ".join(each for each in (*scores, remark) if each)
    return [whole, "  ·  ".join(scores), " · ".join(scores), " · ".join(brief)]
