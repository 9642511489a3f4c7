"""Curve cells: which curves there are, and of each the least and the largest value for every pixel of the step axis.

Nothing is smoothed or left out: a pixel that stands for many steps has the extremes of all of them.
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

#: Colours of the curves on light and on dark ground: ink, violet, amber.  They differ for every kind of colour vision
#: (in lightness and along blue and yellow), and the dashes say the same again.
COLOURS: tuple[tuple[RGB, RGB], ...] = (
    ((20, 20, 20), (240, 240, 240)),
    ((112, 48, 190), (190, 160, 255)),
    ((150, 92, 0), (240, 180, 60)),
)
INK, VIOLET, AMBER = range(3)


class Cells(Struct, frozen=True, eq=False):
    """A curve on a step axis, at most one cell for each pixel, from left to right.

    Attributes
    ----------
    x : ndarray of shape (n_cells,)
        In pixels from the middle of the first: that of the step exactly, where the cell is of one step, else the
        middle of the pixel.
    low, high : ndarray of shape (n_cells,)
        Least and largest value in the cell.
    """

    x: Array
    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.x)


NO_CELLS = Cells(np.empty(0), np.empty(0), np.empty(0))


class PlotSpec(Struct, frozen=True):
    """One of the plots: what its axis is of, whether it may be and at first is logarithmic; counts, or shares only."""

    title: str
    may_log: bool = False
    log: bool = False
    whole: bool = False
    percent: bool = False


class CurveSpec(Struct, frozen=True):
    """How a note of a run is drawn.

    Attributes
    ----------
    label : str
        In the legend, with the formula.
    said : str
        In a sentence.
    plot : str
        A name of `PLOTS`.
    colour : int
        Of `COLOURS`.
    dash : (float, float) or None
        Lengths of a dash and of a gap in pixels.
    landmark : int
        Its column in `TraceView.landmarks`, -1 for none: where it is not noted at every step, it is known there.
    sign : str
        Of the steps at which it is known, where these are not all.
    """

    label: str
    said: str
    plot: str
    colour: int
    dash: Dash = SOLID
    landmark: int = -1
    sign: str = "s"


PLOTS: dict[str, PlotSpec] = {
    "objective": PlotSpec("objective", may_log=True),
    "gap": PlotSpec("duality gap", log=True, percent=True),
    "violation": PlotSpec("KKT violation", may_log=True, log=True),
    "margin": PlotSpec("margin"),
    "counts": PlotSpec("numbers of points", whole=True),
}
#: The one place to add a note: its name in the trace, and how it is drawn.  Names that are not here are not drawn.
CURVES: dict[str, CurveSpec] = {
    "dual": CurveSpec("dual D", "Dual", "objective", INK, SOLID, landmark=1),
    "primal": CurveSpec("primal P", "Primal", "objective", VIOLET, DASHED, landmark=2),
    "gap": CurveSpec("gap (P − D)/P", "Gap", "gap", AMBER, landmark=3, sign="d"),
    "violation": CurveSpec("KKT violation m − M", "KKT violation", "violation", INK),
    "margin": CurveSpec("smallest y f/‖w‖", "Smallest margin", "margin", INK),
    "free": CurveSpec("free SVs, 0<α<C", "Free support vectors", "counts", INK),
    "bounded": CurveSpec("bounded, α=C", "Bounded support vectors", "counts", VIOLET, DASHED),
    "kept": CurveSpec("points kept", "Points kept", "counts", INK, DOTTED),
    "wrong": CurveSpec("wrong points", "Wrong points", "counts", AMBER, LONG),
}
#: What a change of the support vectors is called beside these curves: its strokes are explained in their plot.
CHANGES: dict[str, str] = {
    "free": "SVs change",
    "kept": "a point is kept or removed",
    "wrong": "first mistake on a point",
}


def cells_of(view: TraceView, name: str, scale: StepScale) -> Cells:
    """The cells of curve `name`: from the notes of every step, else from the landmarks."""
    if name in view.names:
        return _noted(view, name, scale)
    column = CURVES[name].landmark
    return _at_landmarks(view, column, scale) if column >= 0 else NO_CELLS


@lru_cache(maxsize=8)
def _stretches(scale: StepScale) -> tuple[Integers, Array]:
    """Edges of the cells that have steps in them, and where these cells are."""
    edges = cell_edges(scale)
    filled = np.flatnonzero(np.diff(edges))
    edges = np.concatenate((edges[:1], edges[1:][filled]))
    x = filled.astype(np.float64)
    alone = np.diff(edges) == 1
    x[alone] = scale.place(edges[1:][alone])
    return edges, x


def _noted(view: TraceView, name: str, scale: StepScale) -> Cells:
    edges, x = _stretches(scale)
    return _finite(x, *view.extremes(name, edges))


def _at_landmarks(view: TraceView, column: int, scale: StepScale) -> Cells:
    rows = view.landmarks[np.isfinite(view.landmarks[:, column])]
    steps = rows[:, 0]
    # One more at either side: the line to it is seen.
    begin = max(int(np.searchsorted(steps, scale.start)) - 1, 0)
    rows = rows[begin : int(np.searchsorted(steps, scale.last, side="right")) + 1]
    if scale.log:
        rows = rows[rows[:, 0] > 0]
    if not len(rows):
        return NO_CELLS
    x, values = scale.place(rows[:, 0]), rows[:, column]
    pixels = np.ceil(x - 0.5)
    first = np.flatnonzero(np.diff(pixels, prepend=-np.inf))
    several = np.diff(first, append=len(x)) > 1
    at = np.where(several, pixels[first], x[first])
    return Cells(at, np.minimum.reduceat(values, first), np.maximum.reduceat(values, first))


def _finite(x: Array, low: Array, high: Array) -> Cells:
    fine = np.isfinite(low) & np.isfinite(high)
    return Cells(x, low, high) if fine.all() else Cells(x[fine], low[fine], high[fine])


def value_at(view: TraceView, name: str, step: int) -> tuple[float, float, int] | None:
    """Least and largest value of curve `name` at `step`, or at the last step before it where it is known, and that
    step; None where there is none."""
    if name in view.names:
        low, high = view.at(name, step)
        return (low, high, step) if math.isfinite(low) and math.isfinite(high) else None
    column = CURVES[name].landmark
    if column < 0:
        return None
    rows = view.landmarks[np.isfinite(view.landmarks[:, column])]
    place = int(np.searchsorted(rows[:, 0], step, side="right")) - 1
    if place < 0:
        return None
    return float(rows[place, column]), float(rows[place, column]), int(rows[place, 0])


def curves_of(view: TraceView) -> dict[str, list[str]]:
    """The names of the curves in each plot that has any, in the order of `PLOTS` and `CURVES`."""
    found: dict[str, list[str]] = {}
    for name, spec in CURVES.items():
        column = spec.landmark
        if name in view.names or (column >= 0 and bool(np.isfinite(view.landmarks[:, column]).any())):
            found.setdefault(spec.plot, []).append(name)
    return {plot: found[plot] for plot in PLOTS if plot in found}
