"""Relief: f of one binary problem at a net of places over the view, with its points; worked out in the background."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from msgspec import Struct

from app.core.points import Points
from app.engine.pieces import Pace, Step, never
from app.engine.run_state import RunState
from app.engine.surface_values import problem_of, shown_pair
from app.learners.model import Model
from app.state.document import CLASS_NAMES, Lane, problem
from solver.core.arrays import Array, Integers
from solver.core.binary_reduction import PairClassifier
from solver.core.multiclass import REST
from solver.inspection.explicit_map import ExplicitMap, explicit_map

#: Places along the longer side, at first and in the end.
COARSE, FINE = 33, 145
#: Left, right, bottom and top of a part of the plane.
Area = tuple[float, float, float, float]


class Relief(Struct, frozen=True, eq=False):
    """What is drawn.

    Attributes
    ----------
    xs, ys : ndarray of shape (n_columns,) and (n_rows,)
        The net; it reaches from edge to edge of the view.
    f : ndarray of shape (n_rows, n_columns)
        The model's own values.
    xy : ndarray of shape (n, 2)
        The points of the problem that lie in view.
    labels : ndarray of shape (n,)
    y, f_points : ndarray of shape (n,)
        -1 or +1, and f there.
    classes : tuple of (int, int)
        Class numbers where f < 0 and where f > 0; -1 for the rest.
    has_margins : bool
        f = -1 and f = +1 mean something.
    map : ExplicitMap or None
        Of a polynomial kernel of degree 2.
    title : str
        The classifier, and which of its problems this is.
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

    @property
    def losses(self) -> Array:
        """Hinge losses of the points; of a learner without margins its own, max(0, -y f)."""
        return np.asarray(np.maximum(0.0, float(self.has_margins) - self.y * self.f_points))


@dataclass(frozen=True)
class ReliefQuery:
    """The relief of a model's drawn problem over an area; `run_state` has its points, with f."""

    model: PairClassifier
    lane: Lane
    area: Area
    names: tuple[str, ...] = CLASS_NAMES
    run_state: RunState | None = field(default=None, compare=False)

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Posts a `Relief` that becomes finer; the first comes whatever happens."""
        if self.run_state is None:
            raise ValueError("There is no training to look into.")
        study = self.run_state
        points = study.points.xy[study.index], study.points.labels[study.index], study.y, study.f
        yield from self.relief(points, COARSE, Pace(never), post)
        yield from self.relief(points, FINE, Pace(overtaken), post)

    def relief(
        self, points: tuple[Array, Any, Array, Array], places: int, pace: Pace, post: Callable[[Relief], None]
    ) -> Generator[Step]:
        """Posts that with so many `places` along the longer side; `points` are places, labels, y and f."""
        model, lane = self.model, self.lane
        p = shown_pair(model, lane)
        pair, classes = model.pairs_[p], model.classes_.tolist()
        left, right, bottom, top = self.area
        unit = max(right - left, top - bottom) / (places - 1)
        xs = np.linspace(left, right, max(2, round((right - left) / unit) + 1))
        ys = np.linspace(bottom, top, max(2, round((top - bottom) / unit) + 1))
        rows, f = model.pair_surface_on(xs), np.empty((len(ys), len(xs)))

        def fill(block: slice) -> None:
            f[block] = rows(ys[block])[..., p]

        yield from pace.pause()
        yield from pace.in_blocks(len(ys), fill)
        xy, labels, y, f_points = points
        seen = (xy[:, 0] >= left) & (xy[:, 0] <= right) & (xy[:, 1] >= bottom) & (xy[:, 1] <= top)
        several = f" – {problem(*problem_of(pair, classes), self.names)}" if len(classes) > 2 else ""
        post(
            Relief(
                xs,
                ys,
                f,
                xy[seen],
                labels[seen].astype(np.int64),
                y[seen],
                f_points[seen],
                (-1 if pair.negative == REST else classes[pair.negative], classes[pair.positive]),
                lane.trainer is None or lane.trainer.has_margins,
                explicit_map(model.expansion, p, model.scaler),
                lane.title + several,
            )
        )


def has_map(lane: Lane) -> bool:
    """The map of its kernel can be drawn, once it is trained."""
    return lane.family.map_change(lane.settings) == {}


def relief_of(model: Model, lane: Lane, points: Points, area: Area, places: int = FINE) -> Relief:
    """The relief of any model with an f, at once; ValueError with a sentence for one without.

    Parameters
    ----------
    model : Model
    lane : Lane
        What it was trained as.
    points : Points
        What it was trained on.
    area : tuple of float
        Left, right, bottom and top of the part of the plane.
    places : int
        Of the net, along the longer side.
    """
    if model.kind != "f":
        raise ValueError("This classifier has no f, so there is no relief of it.")
    p = shown_pair(model, lane)
    own = model.pairs_[p].among(np.searchsorted(model.classes_, points.labels))
    xy = points.xy[own.index]
    of_points = xy, points.labels[own.index], own.y, model.pair_decision_function(xy)[:, p]
    found: list[Relief] = []
    for _ in ReliefQuery(model, lane, area).relief(of_points, places, Pace(never), found.append):
        pass
    return found[0]
