"""Score: how often a model is right on points that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from app.engine.cover import Cover
from app.engine.fitting import predictions
from app.engine.pieces import Pace, Step
from app.learners.model import Model
from app.state.points import Points
from solver.data.distribution import Law

#: How many new points of a generator; the share of right answers has a standard error of at most 1.6 points.
FRESH = 1000
#: Seed of the new points.
SEED = (1000, 1)


@lru_cache(maxsize=4)
def fresh_points(law: Law) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """New points and their classes: the same for every model, so that two can be compared."""
    return law.draw(FRESH, SEED)


@dataclass(frozen=True)
class Score:
    """Query: share of points that a model classifies rightly.

    Parameters
    ----------
    of : Points or Law
        The test points, or what new points are drawn from.
    model : Model
    compiled : bool
    """

    of: Points | Law
    model: Model
    compiled: bool
    tells: ClassVar[Cover] = Cover.TEST

    def answer(self, post: Callable[[float], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post the share, from 0 to 1."""
        xy, labels = (self.of.xy, self.of.labels) if isinstance(self.of, Points) else fresh_points(self.of)
        predicted = yield from predictions(self.model, xy, self.compiled, Pace(overtaken))
        post(float((predicted == labels).mean()))
