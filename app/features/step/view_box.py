"""BoxView: the box [0, C_i] x [0, C_j], the segment in it that keeps sum y alpha, and the step along it."""

from __future__ import annotations

import math

from msgspec.structs import replace
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter

from app.views.theme import Theme
from app.views.widgets.inputs import describe
from app.views.widgets.painted import Painted
from app.views.widgets.painting import bold
from solver.inspection.step_explanation import Explanation

from . import text as words
from .geometry import PlotFrame, PlotPoint, StepBox, apart, box_of, fitted, free_corner, leaves
from .view_drawing import LEGEND, arrow, mark, paint_symbol, pen, text_at, width_of

#: Lines of text above the picture and below it; and below it if the words are beside it.
ABOVE, BELOW, BELOW_ALONE = 1.35, 1.3, 1.0
#: Width (lines) below which each change, and the legend, has a line of its own.
NARROW = 23.0
#: Ratio of width to height from which the words are beside the picture, their width, and their lower end (lines).
FLAT, BESIDE, WORDS_END = 1.3, 5.6, 8.6
#: Space (lines) around the box for a lambda* outside it.
ROUND = 1.15
#: Minimum height (lines).
LINES = ABOVE + BELOW + 2 + 2 * ROUND + 3.2
USUAL_LABEL = "H = 0.0000"
DASHES = (3.0, 2.5)
#: Share of an open side that is drawn as a solid line.
SOLID = 0.7


class BoxView(Painted):
    """The box of a step, with the symbols of both points' classes at the axes.

    Attributes
    ----------
    step : Explanation or None
    """

    def __init__(self) -> None:
        super().__init__()
        self.step: Explanation | None = None
        describe(
            self,
            "step.box",
            "Box of the step",
            "The two multipliers move along the segment, which keeps Σ yα as it is, within the box 0 ≤ α ≤ C.",
        )
        self.classes = (0, 0)

    def show_classes(self, classes: tuple[int, int]) -> None:
        """Take the classes of i and j."""
        if classes != self.classes:
            self.classes = classes
            self.update()

    def show_step(self, step: Explanation | None, theme: Theme) -> None:
        """Show `step`; draws nothing if it is already shown."""
        if step is not self.step or theme is not self._theme:
            self.step, self._theme = step, theme
            self.update()

    def line(self) -> float:
        """Return the height of a line of text."""
        return self.metrics().height()

    def minimumSizeHint(self) -> QSize:
        line = self.line()
        return QSize(math.ceil(11 * line), math.ceil(LINES * line))

    @property
    def _is_narrow(self) -> bool:
        return self.width() < NARROW * self.line()

    @property
    def _rows(self) -> int:
        """Number of lines of words below the picture."""
        return 4 if self._is_narrow else 2

    def placed(self, step: Explanation) -> tuple[StepBox, PlotFrame, bool]:
        """Return the box of `step`, where it is drawn, and whether the words are beside it."""
        line, box = self.line(), box_of(step)
        labels = (USUAL_LABEL, *(self._label(step, box, value, names) for value, names in box.labels))
        margin = max(width_of(label, self.font()) for label in labels)
        around, flat = ROUND * line, self.width() > FLAT * self.height()
        widest = max(width_of(text, self.font()) for text in words.moves_below(step))
        frame = fitted(
            box,
            margin + around,
            ABOVE * line + around,
            self.width() - margin - 2 * around - (max(BESIDE * line, widest + line) if flat else 0.5 * line),
            self.height() - (ABOVE + (BELOW_ALONE if flat else BELOW + self._rows)) * line - 2 * around,
        )
        # On the grid of the screen's pixels the sides are sharp.
        frame = replace(
            frame,
            left=math.floor(frame.left) + 0.5,
            top=math.floor(frame.top) + 0.5,
            width=round(frame.width),
            height=round(frame.height),
        )
        return box, frame, flat

    def paint(self, painter: QPainter, theme: Theme) -> None:
        step = self.step
        if step is None:
            return
        line, (box, frame, flat) = self.line(), self.placed(step)
        if frame.width < line or frame.height < line:
            return
        self._paint_box(painter, step, theme, box, frame)
        self._paint_axes(painter, step, theme, box, frame, flat)
        self._paint_step(painter, step, theme, box, frame)
        if flat:
            self._paint_beside(painter, step, theme, frame.left + frame.width + (ROUND + 0.8) * line)
        else:
            self._paint_words(painter, step, theme)

    @staticmethod
    def _label(step: Explanation, box: StepBox, value: float, names: str) -> str:
        """Return the label at a mark of the alpha_j axis: "0", "L = 0", "H = C = 10"."""
        caption = names if step.C_i == step.C_j else names.replace("C", "Cⱼ")
        if value == 0.0:
            return caption
        return f"{caption} = {words.number(value)}{' ↑' if _is_beyond(box, value) else ''}"

    # -- parts -----------------------------------------------------------------------------------------------------

    def _paint_box(self, painter: QPainter, step: Explanation, theme: Theme, box: StepBox, frame: PlotFrame) -> None:
        """Draw bounds as solid sides; at the open side they end dashed, and there is no side."""
        area = QRectF(frame.left, frame.top, frame.width, frame.height)
        painter.fillRect(area, QColor(*theme.background))
        left, top, right, bottom = area.left(), area.top(), area.right(), area.bottom()
        end_x = right if box.bounded_i else left + SOLID * frame.width
        end_y = top if box.bounded_j else bottom - SOLID * frame.height
        rows = [bottom, top] if box.bounded_j else [bottom]
        columns = [left, right] if box.bounded_i else [left]
        painter.setPen(pen(theme.ink, 1.6))
        painter.drawLines([QLineF(left, y, end_x, y) for y in rows] + [QLineF(x, bottom, x, end_y) for x in columns])
        painter.setPen(pen(theme.ink, 1.6, dashes=DASHES))
        beyond = [QLineF(end_x, y, right, y) for y in rows] + [QLineF(x, end_y, x, top) for x in columns]
        painter.drawLines([line for line in beyond if line.length() > 0])
        notes = []
        if math.inf in (step.C_i, step.C_j):
            notes.append("no upper bound")
        elif not (box.bounded_i and box.bounded_j):
            notes.append("C is further out")
        if not box.to_scale:
            notes.append("not to scale")
        line, inside = self.line(), area.adjusted(0.4 * self.line(), 0, -0.4 * self.line(), 0)
        notes = [
            note for note in notes if width_of(note, self.font()) <= inside.width()
        ]  # C → at the axis says it, too
        corner = free_corner(frame, frame.at(box.low_end), frame.at(box.high_end))
        at_right, at_top = corner[0] > area.center().x(), corner[1] < area.center().y()
        for row, note in enumerate(notes if at_top else reversed(notes)):
            y = top + (0.8 + row) * line if at_top else bottom - (0.8 + row) * line
            x = inside.right() if at_right else inside.left()
            text_at(painter, theme, QPointF(x, y), note, inside, right=at_right, faint=True)

    def _paint_axes(
        self, painter: QPainter, step: Explanation, theme: Theme, box: StepBox, frame: PlotFrame, flat: bool
    ) -> None:
        line, around = self.line(), ROUND * self.line()
        whole = QRectF(self.rect())
        same = step.C_i == step.C_j
        bottom, left = frame.top + frame.height, frame.left - around
        # alpha_j: 0, C, L and H with their numbers, and a thin line from L and H to the ends of the segment
        texts, wanted = [], []
        for value, names in box.labels:
            texts.append(self._label(step, box, value, names))
            wanted.append(frame.top if _is_beyond(box, value) else frame.at((0.0, value))[1])
        # from below upwards, which is decreasing in pixels
        rows = apart([-y for y in wanted], 0.95 * line, -bottom - 0.5 * line, -frame.top + 0.5 * line)
        tick, lines = 0.25 * line, list[QLineF]()
        for caption, y, row in zip(texts, wanted, rows, strict=True):
            text_at(painter, theme, QPointF(left, -row), caption, whole, right=True)
            lines += [QLineF(left + 3, -row, frame.left - tick, y), QLineF(frame.left - tick, y, frame.left, y)]
        ends = ((box.low_end, box.low_ends), (box.high_end, box.high_ends))
        inside = [frame.at(end) for end, is_end in ends if is_end and 0.0 < end[1] < box.height]
        painter.setPen(pen(theme.faint, 1.3, Qt.PenStyle.DotLine))
        painter.drawLines([QLineF(frame.left, y, x, y) for x, y in inside])
        # alpha_i: 0 and C
        y = max(bottom + around + 0.3 * line, WORDS_END * line if flat else 0.0)  # below the words beside a short box
        far = [frame.left + frame.width] if box.bounded_i else []
        lines += [QLineF(x, bottom, x, bottom + tick) for x in (frame.left, *far)]
        painter.setPen(pen(theme.faint, 1.0))
        painter.drawLines(lines)
        text_at(painter, theme, QPointF(frame.left, y), "0", whole, middle=True)
        price = words.bound(step.C_i, "ᵢ", same) + ("" if box.bounded_i else " →")
        wide = width_of(price, self.font())
        right = max(frame.left + frame.width + around, frame.left + wide + 3.0 * line)
        text_at(painter, theme, QPointF(right, y), price, whole, right=True)
        title = 0.5 * (frame.left + right - wide) - 0.5 * line  # between both
        self._paint_title(painter, theme, QPointF(title, y), "αᵢ", self.classes[0])
        self._paint_title(painter, theme, QPointF(frame.left, 0.6 * line), "αⱼ", self.classes[1])

    def _paint_title(self, painter: QPainter, theme: Theme, at: QPointF, name: str, label: int) -> None:
        line = self.line()
        paint_symbol(painter, theme, label, at, line)
        font = painter.font()
        painter.setFont(bold(font))
        text_at(painter, theme, at + QPointF(0.6 * line, 0), name, QRectF(self.rect()))
        painter.setFont(font)

    def _paint_step(self, painter: QPainter, step: Explanation, theme: Theme, box: StepBox, frame: PlotFrame) -> None:
        line, around = self.line(), ROUND * self.line()
        low, high, now, after = (_point(frame, corner) for corner in (box.low_end, box.high_end, box.now, box.after))
        dashed = pen(theme.ink, 1.6, dashes=DASHES)
        for end, start, is_end in ((low, high, box.low_ends), (high, low, box.high_ends)):
            if not is_end and QLineF(start, end).length() > 0:  # it continues where nothing is drawn
                beyond = QLineF(start, end)
                beyond.setLength(beyond.length() + around)
                painter.setPen(dashed)
                painter.drawLine(QLineF(end, beyond.p2()))
        painter.setPen(pen(theme.ink, 2.0))
        painter.drawLine(QLineF(low, high))
        top, cut = after, False
        if box.top is not None:
            outside = (
                frame.left - around,
                frame.top - around,
                frame.left + frame.width + around,
                (frame.top + frame.height + around),
            )
            corner, cut = leaves((after.x(), after.y()), frame.at(box.top), *outside)
            top = QPointF(*corner)
            painter.setPen(dashed)
            painter.drawLine(QLineF(after, top))
        painter.setPen(pen(theme.accent, 0.34 * line))
        painter.drawLine(QLineF(now, after))
        mark(painter, theme, "now", now, line)
        mark(painter, theme, "after", after, line)
        if box.top is not None and cut:
            arrow(painter, theme.ink, after, top, 0.75 * line)
            self._paint_far_top(painter, theme, f"λ* = {words.number(step.unclipped)}", frame, top)
        elif box.top is not None:
            mark(painter, theme, "top", top, line)

    def _paint_far_top(self, painter: QPainter, theme: Theme, caption: str, frame: PlotFrame, tip: QPointF) -> None:
        """Write the number of a top that is outside the picture, beside the arrow to it and clear of the axes."""
        line, right, bottom = self.line(), frame.left + frame.width, frame.top + frame.height
        # Clear of labels and words.
        area = QRectF(frame.left - line, 0.0, frame.width + 2.8 * line, self.height()) & QRectF(self.rect())
        if frame.top <= tip.y() <= bottom:  # out at a side: inside the box, above the arrow
            at_right = tip.x() > right
            at = QPointF(right - 0.3 * line if at_right else frame.left + 0.3 * line, tip.y() - 0.75 * line)
            text_at(painter, theme, at, caption, area, right=at_right, halo=True)
            return
        width = QFontMetricsF(self.font()).horizontalAdvance(caption)
        at_left = tip.x() + 0.5 * line + width > right + 2 * ROUND * line
        at = QPointF(tip.x() + (-0.9 if at_left else 0.5) * line, frame.top if tip.y() < frame.top else bottom)
        at += QPointF(0, -0.85 * line if tip.y() < frame.top else 0.6 * line)
        text_at(painter, theme, at, caption, area, right=at_left)

    def _paint_words(self, painter: QPainter, step: Explanation, theme: Theme) -> None:
        """Write legend and numbers, above and below the picture."""
        line, whole = self.line(), QRectF(self.rect())
        metrics = QFontMetricsF(self.font())
        change_i, change_j, limits = words.moves(step)
        caption = [change_i, change_j, limits] if self._is_narrow else [f"{change_i},   {change_j}", limits]
        for row, text in enumerate(caption):
            text_at(painter, theme, QPointF(0, self.height() - (self._rows - row - 0.5) * line), text, whole)
        signs = [sign for sign in LEGEND if sign[0] != "top" or step.curved]
        wide = sum(metrics.horizontalAdvance(name) + 1.5 * line for _, name in signs)
        x, y = (0.5 * line, self.height() - 0.5 * line) if self._is_narrow else (self.width() - wide, 0.6 * line)
        for kind, name in signs:
            mark(painter, theme, kind, QPointF(x, y), line * 0.85)
            text_at(painter, theme, QPointF(x + 0.65 * line, y), name, whole, faint=True)
            x += metrics.horizontalAdvance(name) + 1.6 * line

    def _paint_beside(self, painter: QPainter, step: Explanation, theme: Theme, x: float) -> None:
        """Write legend and numbers below each other."""
        line, whole = self.line(), QRectF(self.rect())
        y = 0.9 * line
        for kind, name in LEGEND:
            if kind == "top" and not step.curved:
                continue
            mark(painter, theme, kind, QPointF(x + 0.5 * line, y), line * 0.85)
            text_at(painter, theme, QPointF(x + 1.25 * line, y), name, whole, faint=True)
            y += 1.05 * line
        y += 0.4 * line
        for caption in words.moves_below(step):
            text_at(painter, theme, QPointF(x, y), caption, whole)
            y += line


def _is_beyond(box: StepBox, value: float) -> bool:
    return value > box.height * (1 + 1e-12)


def _point(frame: PlotFrame, point: PlotPoint) -> QPointF:
    return QPointF(*frame.at(point))
