"""StatusStrip: the status line below a picture; the numbers are in its tool tip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QSizePolicy

from app.scene.model import LaneScene
from app.scene.status_badge import SIGNS, Badge, Mood, StatusPart
from app.views.theme import Theme
from app.views.widgets.inputs import describe, plain_tip, show_tip
from app.views.widgets.painting import bold
from app.views.widgets.stable_label import StableLabel

#: Least height (pixels).
LEAST_HEIGHT = 24


class StatusStrip(StableLabel):
    """Badge and scores of lane `index`; a click on "Try it" calls `attempt`, without which there is none."""

    def __init__(self, index: int, attempt: Callable[[str], object] | None = None) -> None:
        super().__init__()
        describe(self.label, f"lane{index}.status", f"Status, classifier {index + 1}", "")
        self.label.setTextFormat(Qt.TextFormat.RichText)
        self.label.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.LinksAccessibleByMouse
        )
        self._attempt = attempt
        if attempt is not None:
            self.label.linkActivated.connect(attempt)
        self.label.setContentsMargins(8, 1, 8, 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._shown: tuple[Badge, str, str, tuple[StatusPart, ...], Theme] | None = None
        self._keep_room()

    def _keep_room(self) -> None:
        self.setFixedHeight(max(self.fontMetrics().lineSpacing() + 2, LEAST_HEIGHT))

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
        show_tip(self.label, tip)

    def _write(self, badge: Badge, headline: str, remark: str, scores: tuple[StatusPart, ...], theme: Theme) -> None:
        """Write badge, scores and remark, as far as they fit."""
        strong = bold(self.font())
        room = max(self.width() - 16, 40)
        dressed, plain = QFontMetrics(strong), self.fontMetrics()
        marked = badge.mood is not Mood.NONE
        sign = SIGNS[badge.mood]
        words = f"{sign} {badge.short}" if marked else headline
        gap, sides = (
            plain.horizontalAdvance("\xa0 " + " Try it" * any(score.tries for score in scores)),
            dressed.horizontalAdvance("\xa0\xa0") if marked else 0,
        )
        ways = _ways([score for score in scores if score.text], remark.removeprefix(" · "))
        # The scores matter most: the badge's words are dropped before them.  The tool tip has the whole text.
        pairs = [*((words, way) for way in ways), (sign if marked else words, ways[-1])]
        first, rest = next(
            (pair for pair in pairs if _length(pair, dressed, plain) + sides + gap <= room), (words, ways[-1])
        )
        first = _fitted(first, dressed, room - sides)
        used = sides + dressed.horizontalAdvance(first)
        html = f"<b>{escape(first)}</b>"
        if marked:
            ink, background = theme.moods[badge.mood]
            pill = escape(first.replace(" ", "\xa0"))
            colours = f"color: rgb{ink}; background-color: rgb{background}"
            html = f'<span style="{colours}"><b>&nbsp;{pill}&nbsp;</b></span>'
        rest = _fitted(rest, plain, room - used - gap)
        offered = [score.tries[0][0] for score in scores if score.tries and score.text and score.text in rest]
        link = f' <a href="{escape(offered[0])}">Try it</a>' if offered and self._attempt is not None else ""
        text = f"&nbsp; {escape(rest)}{link}" if rest else ""
        self.label.setText(f'<span style="white-space: pre">{html}{text}</span>')


def _ways(scores: Sequence[StatusPart], remark: str) -> list[str]:
    """Return the texts after a badge, longest first: narrower spaces, no remark, shorter words, fewer words.

    The last one is the last score alone.
    """
    whole = [score.text for score in scores]
    brief = [score.brief or score.text for score in scores]
    needed = [text.partition(" (")[0] for text, score in zip(brief, scores, strict=True) if not score.aside] or brief
    all_of_it = "  ·  ".join(each for each in (*whole, remark) if each)
    return [all_of_it, "  ·  ".join(whole), *(" · ".join(each) for each in (whole, brief, needed, needed[-1:]))]


def _length(pair: tuple[str, str], dressed: QFontMetrics, plain: QFontMetrics) -> int:
    """Return the width of a badge and the text after it (pixels)."""
    return dressed.horizontalAdvance(pair[0]) + plain.horizontalAdvance(pair[1])


def _fitted(text: str, metrics: QFontMetrics, room: int) -> str:
    """Return as much of a text as fits; Qt counts fractions of a pixel, and would cut a text of exact width."""
    if metrics.horizontalAdvance(text) <= room:
        return text
    return metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(room, 0))
