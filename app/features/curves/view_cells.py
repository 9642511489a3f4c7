"""Curve cells: the table of curves, and the least and largest value of each in every pixel of the step axis.

Nothing is smoothed or left out: a pixel of many steps has the extremes of all of them.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from msgspec import Struct

from app.engine.shading import RGB
from app.views.chart.marks import DASHED, DOTTED, LONG, SOLID, Dash
from app.views.chart.steps import StepScale, cell_edges
from solver.core.arrays import Array, Integers
from solver.core.trace import TraceView

#: Colours of the curves on a light and on a dark background: ink, violet, amber.  They differ for every kind of colour
#: vision (in lightness and along blue and yellow), and the dashes differ as well.
COLOURS: tuple[tuple[RGB, RGB], ...] = (
    ((20, 20, 20), (240, 240, 240)),
    ((112, 48, 190), (190, 160, 255)),
    ((150, 92, 0), (240, 180, 60)),
)
INK, VIOLET, AMBER = range(3)


class CurveCells(Struct, frozen=True, eq=False):
    """A curve on a step axis, at most one cell per pixel, from left to right.

    Attributes
    ----------
    x : ndarray of shape (n_cells,)
        Pixels from the middle of the first one: the exact position of the step if the cell has one, else the middle of
        the pixel.
    low, high : ndarray of shape (n_cells,)
        Least and largest value in the cell.
    """

    x: Array
    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.x)


NO_CELLS = CurveCells(np.empty(0), np.empty(0), np.empty(0))


class PlotSpec(Struct, frozen=True):
    """A plot: title of its axis; whether it may be, and at first is, logarithmic; whether it shows counts or shares."""

    title: str
    may_log: bool = False
    log: bool = False
    whole: bool = False
    percent: bool = False


class CurveSpec(Struct, frozen=True):
    """How a recorded quantity of a run is drawn.

    Attributes
    ----------
    label : str
        Text of the legend, with the formula.
    in_sentence : str
        Name in a sentence.
    plot : str
        Key of `PLOTS`.
    colour : int
        Index in `COLOURS`.
    dash : (float, float) or None
        Lengths of a dash and of a gap (pixels).
    landmark : int
        Column of `TraceView.landmarks` that has it if it is not recorded at every step; -1 for none.
    symbol : str
        Symbol of the steps at which it is known, if these are not all.
    """

    label: str
    in_sentence: str
    plot: str
    colour: int
    dash: Dash = SOLID
    landmark: int = -1
    symbol: str = "s"


PLOTS: dict[str, PlotSpec] = {
    "objective": PlotSpec("objective", may_log=True),
    "gap": PlotSpec("duality gap", log=True, percent=True),
    "violation": PlotSpec("KKT violation", may_log=True, log=True),
    "margin": PlotSpec("margin"),
    "counts": PlotSpec("numbers of points", whole=True),
}
#: The recorded quantities that are drawn, by their names in the trace; others are not drawn.
CURVES: dict[str, CurveSpec] = {
    "dual": CurveSpec("dual D", "Dual", "objective", INK, SOLID, landmark=1),
    "primal": CurveSpec("primal P", "Primal", "objective", VIOLET, DASHED, landmark=2),
    "gap": CurveSpec("gap (P − D)/P", "Gap", "gap", AMBER, landmark=3, symbol="d"),
    "violation": CurveSpec("KKT violation m − M", "KKT violation", "violation", INK),
    "margin": CurveSpec("smallest y f/‖w‖", "Smallest margin", "margin", INK),
    "free": CurveSpec("free SVs, 0<α<C", "Free support vectors", "counts", INK),
    "bounded": CurveSpec("bounded, α=C", "Bounded support vectors", "counts", VIOLET, DASHED),
    "kept": CurveSpec("points kept", "Points kept", "counts", INK, DOTTED),
    "wrong": CurveSpec("wrong points", "Wrong points", "counts", AMBER, LONG),
}
#: What a change of the support vectors is called in the plot of these curves, where its strokes are explained.
CHANGES: dict[str, str] = {
    "free": "SVs change",
    "kept": "a point is kept or removed",
    "wrong": "first mistake on a point",
}


def cells_of(view: TraceView, name: str, scale: StepScale) -> CurveCells:
    """Return the cells of curve `name`: from the values of every step, else from the landmarks."""
    if name not in view.names:
        return _at_landmarks(_landmarks(view, name), scale)
    edges, x = _stretches(scale)
    low, high = view.extremes(name, edges)
    finite = np.isfinite(low) & np.isfinite(high)
    return CurveCells(x[finite], low[finite], high[finite])


@lru_cache(maxsize=8)
def _stretches(scale: StepScale) -> tuple[Integers, Array]:
    """Return the edges of the cells that contain steps, and the positions of these cells."""
    edges = cell_edges(scale)
    filled = np.flatnonzero(np.diff(edges))
    edges = np.concatenate((edges[:1], edges[1:][filled]))
    x = filled.astype(np.float64)
    alone = np.diff(edges) == 1
    x[alone] = scale.pixels(edges[1:][alone])
    return edges, x


def _landmarks(view: TraceView, name: str) -> Array:
    """Return step and value of curve `name` at each landmark, shape (n, 2); empty if it has no values there."""
    column = CURVES[name].landmark
    rows: Array = view.landmarks[:, (0, column)] if column >= 0 else np.empty((0, 2))
    return rows[np.isfinite(rows[:, 1])]


def _at_landmarks(rows: Array, scale: StepScale) -> CurveCells:
    steps = rows[:, 0]
    # One more at either side: the line to it is visible.
    begin = max(int(np.searchsorted(steps, scale.start)) - 1, 0)
    rows = rows[begin : int(np.searchsorted(steps, scale.last, side="right")) + 1]
    if scale.log:
        rows = rows[rows[:, 0] > 0]
    if not len(rows):
        return NO_CELLS
    x, values = scale.pixels(rows[:, 0]), rows[:, 1]
    pixels = np.ceil(x - 0.5)
    first = np.flatnonzero(np.diff(pixels, prepend=-np.inf))
    several = np.diff(first, append=len(x)) > 1
    at = np.where(several, pixels[first], x[first])
    return CurveCells(at, np.minimum.reduceat(values, first), np.maximum.reduceat(values, first))


def value_at(view: TraceView, name: str, step: int) -> tuple[float, float, int] | None:
    """Return the least and largest value of curve `name` at `step`, or at the last step before it that has one, and
    that step; None if there is none.
    """
    if name in view.names:
        low, high = view.at(name, step)
        return (low, high, step) if math.isfinite(low) and math.isfinite(high) else None
    rows = _landmarks(view, name)
    index = int(np.searchsorted(rows[:, 0], step, side="right")) - 1
    return None if index < 0 else (float(rows[index, 1]), float(rows[index, 1]), int(rows[index, 0]))


def curves_of(view: TraceView) -> dict[str, list[str]]:
    """Return the names of the curves in each plot that has any, in the order of `PLOTS` and `CURVES`."""
    found: dict[str, list[str]] = {}
    for name, spec in CURVES.items():
        if name in view.names or len(_landmarks(view, name)):
            found.setdefault(spec.plot, []).append(name)
    return {plot: found[plot] for plot in PLOTS if plot in found}
