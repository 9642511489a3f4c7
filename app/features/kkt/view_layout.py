"""KKT layout: place slacks, working pair and card over a picture, with their labels."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QPointF, QRect, QRectF, QSizeF
from PySide6.QtGui import QFont, QFontMetricsF

from app.core.number_format import signed
from app.engine.run_state import RunState
from app.scene.model import LaneScene, Scene
from app.views.plot.label_placing import place_box
from app.views.plot.lines import clipped, to_pixels
from app.views.widgets import painting
from solver import Grid

from .overlay import CARD, GAP, PAD, PAIR, Label, PairMark, Pixel, PointCard, RunOverlay, SlackLines, square, to_repaint
from .scene import KktSession
from .text import number, point_words

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
