"""KKT overlay: what the state of a run adds to a plot: slacks, the working pair, a card of one point.

The marks of the cases are kinds of a `Cloud`, painted with the other marks; this overlay is painted above the picture,
in the canvas's pixels, without painting the picture again.
"""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field
from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.engine.run_state import Slacks
from app.views import kkt_style
from app.views.plot.lines import clipped, draw_pieces
from app.views.theme import Theme
from app.views.widgets.painting import bold, paint_with
from solver import Grid
from solver.core.arrays import Array, Integers, Mask
from solver.inspection.metrics import KktCase

#: Radii (pixels) of the rings around the points of the pair, and around the point of the card.
PAIR, CARD = 17.0, 14.0
#: Half the length (pixels) of the bar at the foot of a slack.
FOOT = 5.0
#: Number of slacks up to which each has a seam of the background's colour: more would take a frame's time and hide the
#: points.  With more, they have this opacity (of 255).
SEAMED, CROWDED = 600, 110
#: Distances (pixels) between a ring and its plate, and between a plate's edge and its text.
GAP, PAD = 5.0, 5.0
#: x and y in pixels.
Pixel = tuple[float, float]


class SlackLines(Struct, frozen=True, eq=False):
    """The slacks in pixels: a line each, from the point to where f reaches its margin.

    Attributes
    ----------
    ends : ndarray of shape (m, 4)
        x, y of the point, and x, y of the end.
    capped : ndarray of shape (m,)
        True if the end is not the margin, which is not reached in the view.
    cases : ndarray of shape (m,)
        KKT case of each point.
    made_of : tuple
        The slacks, and where they were drawn.
    """

    ends: Array
    capped: Mask
    cases: Integers
    made_of: tuple[Slacks, Grid, tuple[float, ...]]

    def bounds(self) -> QRectF:
        """Return the pixels that they cover."""
        if not len(self.ends):
            return QRectF()
        x, y = self.ends[:, ::2], self.ends[:, 1::2]
        reach = FOOT + 4
        low, high = QPointF(x.min() - reach, y.min() - reach), QPointF(x.max() + reach, y.max() + reach)
        return QRectF(low, high)

    def strokes(self, within: QRectF) -> dict[KktCase, Array]:
        """Return the lines to draw, shape (k, 4), by case, of the slacks that reach into `within`."""
        reach = FOOT + 4
        x, y = self.ends[:, ::2], self.ends[:, 1::2]
        visible = (x.max(axis=1) >= within.left() - reach) & (x.min(axis=1) <= within.right() + reach)
        visible &= (y.max(axis=1) >= within.top() - reach) & (y.min(axis=1) <= within.bottom() + reach)
        ends, capped, cases = self.ends[visible], self.capped[visible], self.cases[visible]
        along = ends[:, 2:] - ends[:, :2]
        along /= np.hypot(along[:, 0], along[:, 1])[:, None]
        across = np.column_stack((-along[:, 1], along[:, 0]))
        # A bar at the margin; two slanting ones, the sign of a broken axis, if it is farther away.
        slant = np.where(capped[:, None], 0.5 * along, 0.0)
        tip = ends[:, 2:]
        foot = np.concatenate((tip - FOOT * (across + slant), tip + FOOT * (across + slant)), axis=1)
        result = {}
        for case in KktCase:
            mine = cases == case
            if mine.any():
                second = foot[mine & capped] - np.tile(4.0 * along[mine & capped], 2)
                result[case] = np.concatenate((ends[mine], foot[mine], second))
        return result


class Label(Struct, frozen=True):
    """Text on a plate.

    Attributes
    ----------
    rect : QRectF
        In pixels, with the padding.
    lines : tuple of str
    bold : tuple of bool
        For each line.
    """

    rect: QRectF
    lines: tuple[str, ...]
    bold: tuple[bool, ...]


class PairMark(Struct, frozen=True):
    """The points at work: a ring around each visible one, lines from the first to the others, and labels.

    Attributes
    ----------
    at : tuple of (x, y)
        The points, in pixels: a pair; a point and its neighbours; or a single one, if the learner moves one point.
    labels : tuple of Label
        Labels of visible points.
    rings : tuple of (x, y)
        The visible points.
    """

    at: tuple[Pixel, ...]
    rings: tuple[Pixel, ...]
    labels: tuple[Label, ...]

    def bounds(self) -> QRectF:
        """Return the pixels that it covers."""
        area = QRectF()
        for each in (*(square(at, PAIR + 4) for at in self.at), *(label.rect for label in self.labels)):
            area |= each
        return area


class PointCard(Struct, frozen=True):
    """The hovered point: a ring, with its numbers beside it."""

    at: Pixel
    label: Label

    def bounds(self) -> QRectF:
        """Return the pixels that it covers."""
        return square(self.at, CARD + 4) | self.label.rect


class RunOverlay(Struct, frozen=True, eq=False):
    """The overlay of a lane, in the canvas's pixels.

    Attributes
    ----------
    slacks : SlackLines or None
    pair : PairMark or None
    card : PointCard or None
    font : QFont
        Of the labels.
    """

    slacks: SlackLines | None = None
    pair: PairMark | None = None
    card: PointCard | None = None
    font: QFont = field(default_factory=QFont)

    def paint(self, painter: QPainter, theme: Theme, within: QRectF) -> None:
        """Draw what reaches into `within`, the pixels to paint again."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if self.slacks is not None:
            _paint_slacks(painter, theme, self.slacks.strokes(within), len(self.slacks.ends) <= SEAMED)
        labels: list[Label] = []
        if self.pair is not None:
            _paint_pair(painter, theme, self.pair, within)
            labels += self.pair.labels
        if self.card is not None:
            _paint_ring(painter, theme, self.card.at, CARD, QColor(*theme.accent))
            labels.append(self.card.label)
        for label in labels:
            _paint_label(painter, theme, label, self.font)


def to_repaint(old: RunOverlay | None, new: RunOverlay | None, area: QRectF) -> list[QRect]:
    """Return the pixels of `area` that differ between two overlays, as few rectangles."""
    before, after = ((each.slacks, each.pair, each.card) for each in (old or RunOverlay(), new or RunOverlay()))
    changed = [part for pair in zip(before, after, strict=True) if pair[0] != pair[1] for part in pair]
    areas = [part.bounds() for part in changed if part is not None]
    return [(each.adjusted(-2, -2, 2, 2) & area).toAlignedRect() for each in areas if each.intersects(area)]


def square(at: Pixel, radius: float) -> QRectF:
    """Return the square around a location, in pixels."""
    return QRectF(at[0] - radius, at[1] - radius, 2 * radius, 2 * radius)


# -- drawing -----------------------------------------------------------------------------------------------------------


def _paint_slacks(painter: QPainter, theme: Theme, strokes: dict[KktCase, Array], few: bool) -> None:
    seam = QPen(QColor(*theme.background), 3.4)
    pens = [(seam, lines) for lines in strokes.values() if few]
    for case, lines in strokes.items():
        colour = kkt_style.CASES[case].colour(theme)
        colour.setAlpha(255 if few else CROWDED)
        pens.append((QPen(colour, 1.5), lines))
    for pen, lines in pens:
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        draw_pieces(painter, lines, pen)


def _paint_pair(painter: QPainter, theme: Theme, pair: PairMark, within: QRectF) -> None:
    ink = QColor(*theme.ink)
    for other in pair.at[1:]:
        ends = np.array((pair.at[0], other))
        length = float(np.hypot(*(ends[1] - ends[0])))
        if length > 2 * PAIR:  # from ring to ring
            unit = (ends[1] - ends[0]) * (PAIR / length)
            line = clipped(np.concatenate((ends[0] + unit, ends[1] - unit))[None], within)[0]
            for pen in (QPen(QColor(*theme.background), 4.5), QPen(ink, 2.0)):
                draw_pieces(painter, line, pen)
    for at in pair.rings:
        _paint_ring(painter, theme, at, PAIR, ink)


def _paint_ring(painter: QPainter, theme: Theme, at: Pixel, radius: float, colour: QColor) -> None:
    for pen in (QPen(QColor(*theme.background), 6.0), QPen(colour, 3.0)):
        painter.setPen(pen)
        painter.drawEllipse(QPointF(*at), radius, radius)


def _paint_label(painter: QPainter, theme: Theme, label: Label, font: QFont) -> None:
    box, strong = label.rect, bold(font)
    paint_with(painter, QPen(QColor(*theme.faint), 1), QColor(*theme.background, 225))
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QColor(*theme.ink))
    metrics = QFontMetricsF(strong)
    y = box.top() + PAD - 2 + metrics.ascent()
    for text, is_bold in zip(label.lines, label.bold, strict=True):
        painter.setFont(strong if is_bold else font)
        painter.drawText(QPointF(box.left() + PAD, y), text)
        y += np.ceil(metrics.lineSpacing())
