"""KKT overlay: what the state of a run adds to a plot: slacks, the working pair, a card of one point.

The marks of the cases are kinds of a `Cloud`, painted with the other marks; this overlay is painted above the picture,
in the canvas's pixels, without painting the picture again.  `KktLayer` places slacks, pair, card and their labels.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.core.number_format import signed
from app.engine.run_state import RunState, Slacks
from app.scene.model import LaneScene, Scene
from app.views import kkt_style
from app.views.plot.label_placing import place_box
from app.views.plot.lines import clipped, draw_pieces, to_pixels
from app.views.theme import Theme
from app.views.widgets import painting
from app.views.widgets.painting import bold, paint_with
from solver import Grid
from solver.core.arrays import Array, Integers, Mask
from solver.inspection.metrics import KktCase

from .scene import KktSession
from .text import number, point_words

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


#: Shortest slack (pixels) that is drawn.
LEAST = 0.5


class KktLayer:
    """Slacks, working pair and card over the picture of a lane."""

    def __init__(self) -> None:
        self.laid: RunOverlay | None = None

    def lay(self, scene: Scene, lane: LaneScene, grid: Grid, area: QRectF, font: QFont, hovering: bool) -> list[QRect]:
        """Lay them out for `area`, which shows `grid`; return the areas to paint again."""
        run_state, old = lane.run_state, self.laid
        if run_state is not None:
            pair = run_state.pair if lane.shows_pair else (-1, -1)
            run_state = replace(
                run_state, pair=pair, slacks=run_state.slacks if scene.session.of(KktSession).kkt else None
            )
        hovered = scene.session.hovered if scene.shows_run else None
        self.laid = run_overlay(run_state, grid, area, hovered, font, old, lane.steps_visible)
        return to_repaint(old, self.laid, area)


def run_overlay(
    run_state: RunState | None,
    grid: Grid,
    area: QRectF,
    hovered: int | None,
    font: QFont,
    old: RunOverlay | None = None,
    labelled: bool = True,
) -> RunOverlay | None:
    """Return the overlay of a picture.

    Parameters
    ----------
    run_state : RunState or None
        None: no overlay.
    grid : Grid
        The part of the plane on screen.
    area : QRectF
        Its pixels.
    hovered : int or None
        Permanent id of the point under the pointer.
    font : QFont
        Of the labels.
    old : RunOverlay, optional
        The last overlay, parts of which may be reused.
    labelled : bool, default=True
        False leaves out the numbers beside the pair, which are illegible at full speed.
    """
    if run_state is None:
        return None
    slacks = _slack_lines(run_state, grid, area, old.slacks if old is not None else None)
    pair = _pair_mark(run_state, grid, area, font, labelled)
    busy = [] if pair is None else [square(at, PAIR) for at in pair.rings] + [label.rect for label in pair.labels]
    card = None if hovered is None else _card(run_state, grid, area, hovered, font, busy)
    return RunOverlay(slacks, pair, card, font)


def _slack_lines(run_state: RunState, grid: Grid, area: QRectF, old: SlackLines | None) -> SlackLines | None:
    slacks = run_state.slacks
    if slacks is None:
        return None
    made_of = (slacks, grid, (area.left(), area.top(), area.width(), area.height()))
    if old is not None and old.made_of[0] is slacks and old.made_of[1:] == made_of[1:]:
        return old
    start = to_pixels(run_state.points.xy[run_state.index[slacks.point]], grid, area)
    ends = np.concatenate((start, to_pixels(slacks.end, grid, area)), axis=1)
    cases = np.zeros(len(slacks.point), dtype=np.int64) if run_state.kkt is None else run_state.kkt.case[slacks.point]
    # A slack that ends out of view has no visible foot, wherever it is cut off.
    ends, kept, _ = clipped(ends, area)
    drawn = np.hypot(ends[:, 2] - ends[:, 0], ends[:, 3] - ends[:, 1]) >= LEAST
    return SlackLines(ends[drawn], slacks.capped[kept][drawn], cases[kept][drawn], made_of)


def _pair_mark(run_state: RunState, grid: Grid, area: QRectF, font: QFont, labelled: bool) -> PairMark | None:
    names = "ij" if run_state.trainer.has_f else ["x", *[""] * (len(run_state.pair) - 1)]
    members = [(name, index) for name, index in zip(names, run_state.pair, strict=True) if index >= 0]
    if not members:
        return None
    pixels = [(x, y) for x, y in to_pixels(run_state.points.xy[[at for _, at in members]], grid, area).tolist()]
    inside = [pixel for pixel in pixels if area.contains(QPointF(*pixel))]
    busy = [square(pixel, PAIR) for pixel in inside]
    labels = []
    for (name, index), pixel in zip(members, pixels, strict=True):
        if labelled and name and pixel in inside:
            v = [] if run_state.v is None else run_state.v[run_state.index == index].tolist()
            text = f"{name}: v = {_before(run_state, name)}{_signed(v[0])}" if v else name
            others = [other for other in pixels if other != pixel]
            labels.append(_label((text,), (True,), pixel, PAIR + GAP, area, font, busy, others))
            busy.append(labels[-1].rect)
    return PairMark(tuple(pixels), tuple(inside), tuple(labels))


def _before(run_state: RunState, name: str) -> str:
    """Return v before the last step, if the end of a run shows that."""
    step = run_state.explanation
    return "" if step is None or not step.newest else f"{_signed(step.v_i if name == 'i' else step.v_j)} → "


def _signed(value: float) -> str:
    """Return the number with a true minus sign, as in the panel."""
    return signed(number(value))


def _card(
    run_state: RunState, grid: Grid, area: QRectF, hovered: int, font: QFont, busy: Sequence[QRectF]
) -> PointCard | None:
    found = np.flatnonzero(run_state.points.ids[run_state.index] == hovered)
    if not len(found):
        return None
    index = int(found[0])
    x, y = to_pixels(run_state.points.xy[[run_state.index[index]]], grid, area)[0].tolist()
    if not area.contains(QPointF(x, y)):
        return None
    lines = point_words(run_state, index)
    bold = tuple(at == len(lines) - 1 for at in range(len(lines)))
    return PointCard((x, y), _label(lines, bold, (x, y), CARD + GAP, area, font, [*busy, square((x, y), CARD)]))


def _label(
    lines: tuple[str, ...],
    bold: tuple[bool, ...],
    at: Pixel,
    reach: float,
    area: QRectF,
    font: QFont,
    busy: Sequence[QRectF],
    away: Sequence[Pixel] = (),
) -> Label:
    """Return lines on a plate beside `at`, within `area`; long lines are broken."""
    plain, bolder = QFontMetricsF(font), QFontMetricsF(painting.bold(font))
    most = max(min(area.width() - 2 * PAD - 8, max(0.5 * area.width(), 22 * plain.averageCharWidth())), 1.0)
    broken: list[tuple[str, bool]] = []
    for line, is_bold in zip(lines, bold, strict=True):
        measure = (bolder if is_bold else plain).horizontalAdvance
        broken += [(part, is_bold) for part in painting.broken(line, measure, most)]
    wide = max((bolder if is_bold else plain).horizontalAdvance(text) for text, is_bold in broken)
    size = QSizeF(np.ceil(wide) + 2 * PAD, len(broken) * np.ceil(bolder.lineSpacing()) + 2 * PAD - 4)
    box = place_box(size, at, reach, area, busy, away)
    return Label(box, tuple(text for text, _ in broken), tuple(is_bold for _, is_bold in broken))
