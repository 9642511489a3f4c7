"""Relief: f of one binary problem on a net over the view, with its points; computed in the background."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec import Struct

from app.core.points import Points
from app.engine.pacing import Pace, Step, never
from app.engine.run_state import RunState
from app.engine.surface_values import problem_of, shown_pair
from app.learners.model import Model
from app.state.document import CLASS_NAMES, Lane, problem
from solver.core.arrays import Array, Integers
from solver.core.binary_reduction import PairClassifier
from solver.core.multiclass import REST
from solver.inspection.explicit_map import ExplicitMap, explicit_map

#: Number of net lines along the longer side, at first and in the end.
COARSE, FINE = 33, 145
#: Left, right, bottom and top of a part of the plane.
Area = tuple[float, float, float, float]


class Relief(Struct, frozen=True, eq=False):
    """The values that the picture of a relief shows.

    Attributes
    ----------
    xs, ys : ndarray of shape (n_columns,) and (n_rows,)
        The net; it reaches from edge to edge of the view.
    f : ndarray of shape (n_rows, n_columns)
        Values of the model.
    xy : ndarray of shape (n, 2)
        The visible points of the problem.
    labels : ndarray of shape (n,)
    y, f_points : ndarray of shape (n,)
        -1 or +1 for each point, and f there.
    classes : tuple of (int, int)
        Class numbers for f < 0 and f > 0; -1 for the rest of the classes.
    has_margins : bool
        True if f = -1 and f = +1 have a meaning.
    map : ExplicitMap or None
        Map of a polynomial kernel of degree 2; else None.
    title : str
        The classifier, and which of its binary problems this is.
    ratio : float
        Number of units of y that are as long in the picture as one of x.
    """

    xs: Array
    ys: Array
    f: Array
    xy: Array
    labels: Integers
    y: Array
    f_points: Array
    classes: tuple[int, int]
    has_margins: bool
    map: ExplicitMap | None
    title: str
    ratio: float = 1.0

    @property
    def losses(self) -> Array:
        """Hinge losses of the points; of a learner without margins its own losses, max(0, -y f)."""
        return np.asarray(np.maximum(0.0, float(self.has_margins) - self.y * self.f_points))


@dataclass(frozen=True)
class ReliefQuery:
    """Query: the relief of a model's displayed problem over an area; `run_state` has its points, with f."""

    model: PairClassifier
    lane: Lane
    area: Area
    names: tuple[str, ...] = CLASS_NAMES
    ratio: float = 1.0
    run_state: RunState | None = field(default=None, compare=False)

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post a `Relief`, coarse in any case, then fine."""
        if self.run_state is None:
            raise ValueError("There is no training to look into.")
        run = self.run_state
        points = run.points.xy[run.index], run.points.labels[run.index], run.y, run.f
        yield from self.relief(points, COARSE, Pace(never), post)
        yield from self.relief(points, FINE, Pace(overtaken), post)

    def relief(
        self, points: tuple[Array, Any, Array, Array], fineness: int, pace: Pace, post: Callable[[Relief], None]
    ) -> Generator[Step]:
        """Post a relief with `fineness` net lines along the longer side; `points` are locations, labels, y and f."""
        model, lane = self.model, self.lane
        p = shown_pair(model, lane)
        pair, classes = model.pairs_[p], model.classes_.tolist()
        left, right, bottom, top = self.area
        wide, high = right - left, (top - bottom) / self.ratio
        unit = max(wide, high) / (fineness - 1)
        xs = np.linspace(left, right, max(2, round(wide / unit) + 1))
        ys = np.linspace(bottom, top, max(2, round(high / unit) + 1))
        rows, f = model.pair_surface_on(xs), np.empty((len(ys), len(xs)))

        def fill(block: slice) -> None:
            f[block] = rows(ys[block])[..., p]

        yield from pace.pause()
        yield from pace.in_blocks(len(ys), fill)
        xy, labels, y, f_points = points
        visible = (xy[:, 0] >= left) & (xy[:, 0] <= right) & (xy[:, 1] >= bottom) & (xy[:, 1] <= top)
        several = f" – {problem(*problem_of(pair, classes), self.names)}" if len(classes) > 2 else ""
        post(
            Relief(
                xs,
                ys,
                f,
                xy[visible],
                labels[visible].astype(np.int64),
                y[visible],
                f_points[visible],
                (-1 if pair.negative == REST else classes[pair.negative], classes[pair.positive]),
                lane.trainer is None or lane.trainer.has_margins,
                explicit_map(model.expansion, p, model.scaler),
                lane.title + several,
                self.ratio,
            )
        )


def has_map(lane: Lane) -> bool:
    """Return True if the map of its kernel can be drawn once it is trained."""
    return map_change(lane) == {}


def map_change(lane: Lane) -> dict[str, Any] | None:
    """Return the changes needed to draw the kernel's map: {} if it can be drawn already, None without a kernel."""
    if not hasattr(lane.settings, "kernel"):
        return None
    wanted = {"kernel": "poly", "degree": 2, "coef0": max(lane.settings.coef0, 0.0)}
    return {name: value for name, value in wanted.items() if getattr(lane.settings, name) != value}


def relief_of(model: Model, lane: Lane, points: Points, area: Area, fineness: int = FINE, ratio: float = 1.0) -> Relief:
    """Return the relief of any model with an f, at once; raise ValueError with a sentence for one without.

    Parameters
    ----------
    model : Model
    lane : Lane
        The lane of the model.
    points : Points
        Its training points.
    area : tuple of float
        Left, right, bottom and top of the part of the plane.
    fineness : int
        Number of net lines along the longer side.
    ratio : float
        As of a `Relief`.
    """
    if model.kind != "f":
        raise ValueError("This classifier has no f, so there is no relief of it.")
    p = shown_pair(model, lane)
    own = model.pairs_[p].among(np.searchsorted(model.classes_, points.labels))
    xy = points.xy[own.index]
    of_points = xy, points.labels[own.index], own.y, model.pair_decision_function(xy)[:, p]
    found: list[Relief] = []
    for _ in ReliefQuery(model, lane, area, ratio=ratio).relief(of_points, fineness, Pace(never), found.append):
        pass
    return found[0]
