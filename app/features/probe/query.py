"""Queries of the probe: the norm of w, the zeros of f, and whole probes of models too large for the window's thread."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any

import numpy as np
from msgspec import Struct

from app.engine.fitting import begun_shares
from app.engine.pacing import Pace, Step
from app.learners.model import Model
from app.state.document import Lane
from solver.core.arrays import Array
from solver.core.binary_reduction import PairClassifier
from solver.inspection.boundary_distance import Crossings, Nearest, crossings, nearest_zero, squared_norm
from solver.inspection.margin_rays import Decision

from .tables import NamedPoints

#: Samples along the longer side of a picture; largest numbers of support vectors for which the norm is computed, and
#: for which the window's thread may search the nearest boundary point.
SAMPLES, MOST_SQUARED, MOST_REFINED = 160, 6000, 2500


class BoundaryFacts(Struct, frozen=True, eq=False):
    """What is known about one binary problem of a model.

    Attributes
    ----------
    decision : Decision
    norm : float or None
        ||w|| in feature space; None if the kernel is not positive semidefinite, or there are too many support vectors.
    crossings : Crossings
        Zeros of f in the displayed part of the plane.
    """

    decision: Decision
    norm: float | None
    crossings: Crossings

    def nearest(self, at: Array) -> Nearest | None:
        """Return the boundary point closest to a location, if one has been found."""
        return nearest_zero(self.decision, at, self.crossings) if len(self.decision.coef) <= MOST_REFINED else None


class BoundaryQuery(Struct, frozen=True):
    """Query: the `BoundaryFacts` of a problem of a model, within (left, right, bottom, top)."""

    model: PairClassifier
    problem: int
    limits: tuple[float, float, float, float]

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post a `BoundaryFacts` once."""
        left, right, bottom, top = self.limits
        decision = Decision.of(self.model.expansion, self.problem, self.model.scaler)
        pace, norm = Pace(overtaken), None
        yield from pace.pause()
        if len(decision.coef) <= MOST_SQUARED:
            square = yield from pace.through(squared_norm(self.model, self.problem))
            known = decision.kernel.is_positive_semidefinite and square > 0.0
            norm = math.sqrt(square) if known else None
        cell = max(right - left, top - bottom) / SAMPLES
        xs = np.linspace(left, right, max(2, round((right - left) / cell)))
        ys = np.linspace(bottom, top, max(2, round((top - bottom) / cell)))
        found = yield from pace.through(crossings(self.model.pair_surface_on(xs), self.problem, xs, ys))
        post(BoundaryFacts(decision, norm, found))


class ProbeQuery(Struct, frozen=True):
    """Query: the probe of a model that is too large for the window's thread."""

    model: Model
    lane: Lane
    named: NamedPoints
    location: tuple[float, float]
    probe: Callable[..., Any]

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post a `LaneProbe` once."""
        pace = Pace(overtaken)
        yield from pace.pause()
        pending = begun_shares(self.model, np.array([self.location]))
        shares = None if pending is None else (yield from pace.wait(pending))
        post(self.probe(self.model, self.lane, self.named, self.location, shares=shares))
