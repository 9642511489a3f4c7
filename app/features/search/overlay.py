"""Search overlay: the k-d tree over the picture of its lane, with the boxes that the search has opened and pruned."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QPainter, QPen

from app.features.probe.overlay import ProbeOverlay, probe_overlay
from app.scene.model import LaneScene, Scene
from app.views.plot.lines import BEYOND, clipped, draw_pieces, to_pixels
from app.views.plot.overlays import LaidLayer
from app.views.theme import Theme
from solver import Grid
from solver.core.arrays import Array
from solver.knn.search_tree import SearchTree

from .scene import SearchScene
from .state import Search

#: Number of splits up to which each line has a seam of the background's colour: more would hide the picture.
SEAMED = 600
#: Line widths (pixels): splits, a measured or pruned box, box and split of the step.
SPLIT, BOX, NOW = 1.3, 1.6, 3.0
#: Distance (pixels) between a box and its outermost points: a box may be a single line.
ROOM = 2.0
NO_LINES = np.empty((0, 4))


class SearchOverlay(Struct, frozen=True, eq=False):
    """The overlay in the canvas's pixels.

    Attributes
    ----------
    splits : ndarray of shape (m, 4)
        Lines that halve boxes.
    measured, pruned : tuple of QRectF
    now : tuple of QRectF
        The box of the step, if it is in view.
    split : ndarray of shape (0 or 1, 4)
        The line of the step.
    gap : ndarray of shape (0 or 1, 4)
        From the query to the nearest location of the step's box.
    probe : ProbeOverlay or None
        The query, the nearest locations so far, and the distance of the last of them.
    """

    splits: Array
    measured: tuple[QRectF, ...]
    pruned: tuple[QRectF, ...]
    now: tuple[QRectF, ...]
    split: Array
    gap: Array
    probe: ProbeOverlay | None

    def paint(self, painter: QPainter, theme: Theme, within: QRectF) -> None:
        """Draw the overlay; last what the step is about, over a seam of the background's colour."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        ink, seam, accent = QColor(*theme.ink), QColor(*theme.background, 170), QColor(*theme.accent)
        veil, stripes = QColor(*theme.background, 120), QColor(*theme.ink, 150)
        for box in self.pruned:
            painter.fillRect(box, veil)
            painter.fillRect(box, QBrush(stripes, Qt.BrushStyle.BDiagPattern))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        few = len(self.splits) <= SEAMED
        for lines, boxes, colour, width, dashes in (
            (self.splits, (), QColor(*theme.ink, 255 if few else 130), SPLIT, []),
            (NO_LINES, self.pruned + self.measured, ink, BOX, []),
            (NO_LINES, self.now, accent, NOW, []),
            (self.split, (), accent, NOW, []),
            (self.gap, (), accent, NOW, [3.0, 2.0]),
        ):
            pens = QPen(seam, width + 2.0), QPen(colour, width)
            pens[1].setDashPattern(dashes)
            for pen in pens if few or lines is not self.splits else pens[1:]:
                pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
                pen.setCapStyle(Qt.PenCapStyle.FlatCap if colour is accent else Qt.PenCapStyle.SquareCap)
                draw_pieces(painter, lines, pen)
                painter.drawRects(boxes)
        if self.probe is not None:
            self.probe.paint(painter, theme, within)


class SearchLayer(LaidLayer[SearchOverlay]):
    """The search over the picture of its lane."""

    def lay(self, scene: Scene, lane: LaneScene, grid: Grid, area: QRectF, font: QFont, hovering: bool) -> list[QRect]:
        """Lay the search out for `area`, which shows `grid`; return the areas to paint again."""
        shown = scene.feature(SearchScene)
        search = None if shown is None or shown.slot != lane.slot else shown.search
        if shown is None or search is None:
            return [area.toAlignedRect()] * self.renew(None, lambda: None)
        made_of = (search, shown.step, shown.probe.pinned, hovering, grid, area.getRect())
        return [area.toAlignedRect()] * self.renew(made_of, lambda: search_overlay(shown, search, grid, area, hovering))


def search_overlay(shown: SearchScene, search: Search, grid: Grid, area: QRectF, hovering: bool) -> SearchOverlay:
    """Lay a search out for `area`, which shows `grid`; `hovering`: the pointer itself marks the query."""
    tree, step = search.kd_tree, shown.step
    done = step - search.n_splits
    steps = () if search.walk is None or done <= 0 else search.walk.steps[:done]
    boxes = {
        outcome: _boxes(tree, [each.node for each in steps if each.outcome == outcome], grid, area)
        for outcome in ("measure", "prune")
    }
    node = steps[-1].node if steps else max(step, 1) if step <= search.n_splits else 0
    gap = NO_LINES
    if steps and search.walk is not None and steps[-1].box_distance > 0.0:
        query = search.walk.query
        gap = _pieces(query[None], np.clip(query, tree.low[node], tree.high[node])[None], grid, area)
    splits = split_lines(tree, min(step, search.n_splits), grid, area)
    inner = node < tree.n_leaves and step > 0 and (not steps or steps[-1].outcome == "descend")
    return SearchOverlay(
        splits,
        boxes["measure"],
        boxes["prune"],
        _boxes(tree, [node] if node else [], grid, area),
        split_lines(tree, node, grid, area, node) if inner else NO_LINES,
        gap,
        probe_overlay(shown.probe, shown.sketch, grid, area, hovering),
    )


def split_lines(tree: SearchTree, last: int, grid: Grid, area: QRectF, first: int = 1) -> Array:
    """Return the lines that halve the nodes from `first` to `last`, within their boxes."""
    nodes = np.arange(first, last + 1)
    rows = np.arange(len(nodes))
    begin, end = tree.low[nodes].copy(), tree.high[nodes].copy()
    begin[rows, tree.sides[nodes]] = end[rows, tree.sides[nodes]] = tree.cuts[nodes]
    return _pieces(begin, end, grid, area)


def _pieces(begin: Array, end: Array, grid: Grid, area: QRectF) -> Array:
    """Return the visible parts of straight lines between locations, in pixels."""
    return clipped(np.column_stack((to_pixels(begin, grid, area), to_pixels(end, grid, area))), area)[0]


def _boxes(tree: SearchTree, nodes: list[int], grid: Grid, area: QRectF) -> tuple[QRectF, ...]:
    """Return the visible parts of the boxes of nodes, in pixels."""
    low, high = (to_pixels(each[nodes], grid, area) for each in (tree.low, tree.high))
    visible = area.adjusted(-BEYOND, -BEYOND, BEYOND, BEYOND)
    x = np.clip((low[:, 0] - ROOM, high[:, 0] + ROOM), visible.left(), visible.right())
    y = np.clip((high[:, 1] - ROOM, low[:, 1] + ROOM), visible.top(), visible.bottom())
    shown = (x[0] < x[1]) & (y[0] < y[1])
    return tuple(QRectF(*box) for box in np.array((x[0], y[0], x[1] - x[0], y[1] - y[0])).T[shown].tolist())
