"""GainView: the dual along the segment of a step, a parabola, with its top, the box's limits and the formulas."""

from __future__ import annotations

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPolygonF

from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.painting import bold
from solver.inspection.step_explanation import Explanation

from . import text as words
from .geometry import Gain, PlotFrame, gain_of
from .view import StepView, arrow, hatch, mark, pen, text_at, wrapped, write_lines

TITLE, SHORT_TITLE = "Gain of D along the segment", "Gain of D"
#: Texts as long as the formulas get: room is kept for them, so that the picture does not jump.
LONGEST = (
    words.FORMULA,
    "= (1.0000 − (−1.0000)) / 1.370 = 1.46,",
    "clipped to 1.46 by αᵢ = C and αⱼ = C",
    "Gain 0.123; clipping costs 0.0123",
)
ALSO = "Kᵢᵢ + Kⱼⱼ − 2Kᵢⱼ = 1.000 + 1.000 − 2·0.3149 = 1.370"
#: From so many lines of height on the kernel values are told, too.
HIGH = 15.0


class GainView(StepView):
    """The gain of a step."""

    def __init__(self) -> None:
        super().__init__()
        describe(
            self,
            "step.gain",
            "Gain along the segment",
            "D along the segment is a parabola with its top at λ*. Hatched: outside the box.",
        )
        self._kept = 0  # lines for the formulas, in the look of
        self._look: tuple[int, bool, float] | None = None

    def lines_needed(self) -> float:
        return len(LONGEST) + 6.2

    def lines(self, step: Explanation) -> list[str]:
        """The formulas and the numbers in them."""
        said = [words.FORMULA, words.length(step), words.clipping(step), words.gain_line(step)]
        return [words.curvature(step), *said] if self._is_high else said

    @property
    def _is_high(self) -> bool:
        return self.height() >= HIGH * self.line()

    def _written(self, step: Explanation) -> tuple[list[str], float]:
        """The lines below the picture, and the height kept for them."""
        metrics = QFontMetricsF(self.font())
        look = self.width(), self._is_high, metrics.height()
        if look != self._look:
            longest = (*LONGEST, ALSO) if self._is_high else LONGEST
            self._look, self._kept = look, len(wrapped(longest, self.font(), self.width()))
        lines = wrapped(self.lines(step), self.font(), self.width())
        self._kept = max(self._kept, len(lines))
        return lines, self._kept * metrics.lineSpacing()

    def placed(self, step: Explanation) -> tuple[Gain, PlotFrame]:
        """The parabola of `step`, and where it is drawn."""
        line, gain = self.line(), gain_of(step)
        height = self.height() - self._written(step)[1] - 3.5 * line
        return gain, PlotFrame(
            0.5 * line, 1.75 * line, self.width() - line, height, gain.left, gain.right, gain.bottom, gain.top
        )

    def paint(self, painter: QPainter, step: Explanation, theme: Theme) -> None:
        line, (gain, frame) = self.line(), self.placed(step)
        painter.setFont(bold(self.font()))
        fits = painter.fontMetrics().horizontalAdvance(TITLE) <= self.width()
        text_at(painter, theme, QPointF(0, 0.6 * line), TITLE if fits else SHORT_TITLE, QRectF(self.rect()))
        painter.setFont(self.font())
        if frame.height > 1.5 * line:
            self._paint_curve(painter, step, theme, gain, frame)
        lines, kept = self._written(step)
        write_lines(painter, theme, lines, 0, self.height() - kept)

    def _paint_curve(self, painter: QPainter, step: Explanation, theme: Theme, gain: Gain, frame: PlotFrame) -> None:
        line = self.line()
        low, high = max(gain.left, -gain.back), min(gain.right, gain.longest)
        bottom = frame.top + frame.height
        x_low, x_high = frame.at((low, 0))[0], frame.at((high, 0))[0]
        left, right = frame.left, frame.left + frame.width
        room = 0.45 * line  # above the top and below the lowest
        area = QRectF(left, frame.top - room, frame.width, frame.height + 2 * room)
        painter.fillRect(area, QColor(*theme.background))
        outside = hatch(theme.faint, self.devicePixelRatioF())
        for begin, end in ((left, x_low), (x_high, right)):  # outside the box
            if end - begin > 0.5:
                painter.fillRect(QRectF(begin, area.top(), end - begin, area.height()), outside)
        zero = frame.at((0, 0))
        painter.setPen(pen(theme.faint, 1.2))
        painter.drawLine(QLineF(left, zero[1], right, zero[1]))
        dashed = pen(theme.ink, 1.8)
        dashed.setDashPattern([3.0, 2.5])
        for begin, end, style in (
            (gain.left, low, dashed),
            (high, gain.right, dashed),
            (low, high, pen(theme.ink, 2.2)),
        ):
            if end > begin:
                painter.setPen(style)
                painter.drawPolyline(QPolygonF([QPointF(*frame.at(place)) for place in gain.between(begin, end)]))
        painter.setPen(pen(theme.ink, 1.6))
        for limit, x in zip(gain.limits, (x_low, x_high), strict=True):
            if limit is not None:
                painter.drawLine(QLineF(x, area.top(), x, area.bottom()))
        after = QPointF(*frame.at(gain.after))
        painter.setPen(pen(theme.accent, 0.2 * line))
        painter.drawLine(QLineF(after.x(), zero[1], after.x(), after.y()))
        if zero[1] - after.y() > 1.6 * line:
            at = QPointF(after.x() - 0.35 * line, 0.5 * (zero[1] + after.y()))
            text_at(painter, theme, at, words.number(step.gain), area, right=True, halo=True)
        mark(painter, theme, "now", QPointF(*zero), line)
        self._paint_vertex(painter, step, theme, gain, frame, after)
        mark(painter, theme, "after", after, line)
        if gain.vertex is not None and not step.clipped:
            mark(painter, theme, "top", QPointF(*frame.at(gain.vertex)), line)
        self._paint_ticks(painter, step, theme, gain, frame, bottom + room + 0.6 * line)

    def _paint_ticks(
        self, painter: QPainter, step: Explanation, theme: Theme, gain: Gain, frame: PlotFrame, y: float
    ) -> None:
        """The numbers of the axis; one that has no room is left out."""
        metrics = QFontMetricsF(self.font())
        taken: list[tuple[float, float]] = []
        for length, said in words.ticks(step, gain):
            half = 0.5 * metrics.horizontalAdvance(said)
            x = min(max(frame.at((length, 0))[0], half), self.width() - half)
            if all(abs(x - other) > half + other_half + 0.4 * self.line() for other, other_half in taken):
                taken.append((x, half))
                text_at(painter, theme, QPointF(x, y), said, QRectF(self.rect()), middle=True)

    def _paint_vertex(
        self, painter: QPainter, step: Explanation, theme: Theme, gain: Gain, frame: PlotFrame, after: QPointF
    ) -> None:
        """The top of the parabola, where it is not where the step ends."""
        line, whole = self.line(), QRectF(self.rect())
        if gain.vertex is None or not step.clipped:
            return
        if not gain.vertex_inside:
            tip = QPointF(frame.left + frame.width, frame.at((gain.right, float(gain.curve[-1, 1])))[1])
            before = QPointF(*frame.at((float(gain.curve[-2, 0]), float(gain.curve[-2, 1]))))
            arrow(painter, theme.ink, before, tip, 0.75 * line)
            said = f"λ* = {words.number(step.unclipped)}"
            text_at(painter, theme, tip + QPointF(-0.9 * line, 0), said, whole, right=True, halo=True)
            return
        top = QPointF(*frame.at(gain.vertex))
        painter.setPen(pen(theme.faint, 1.2, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(after.x(), top.y(), top.x(), top.y()))
        painter.drawLine(QLineF(after.x(), after.y(), after.x(), top.y()))
        if after.y() - top.y() > 1.7 * line:
            at = QPointF(after.x() + 0.4 * line, top.y() + 0.75 * line)
            text_at(painter, theme, at, f"costs {words.number(step.lost)}", whole, halo=True)
        mark(painter, theme, "top", top, line)
