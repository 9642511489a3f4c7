"""Marks of the points a model was trained on, and of others, as indices of all points."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from app.engine.requests import NO_MARKS, Marks
from app.state.points import Points


def among_all(marks: Marks, sample: Points, points: Points, others: Marks) -> Marks:
    """Marks of a sample as indices of all points, with those of other points that are wrong, too."""
    if (sample is points or marks is NO_MARKS) and others is NO_MARKS:
        return marks
    return _joined(marks, sample, points, others)


@lru_cache(maxsize=8)
def _joined(marks: Marks, sample: Points, points: Points, others: Marks) -> Marks:
    found = [points.indices_of(sample.ids[index]) for index in (marks.free, marks.bounded, marks.wrong)]
    return Marks(found[0], found[1], np.concatenate((found[2], others.wrong)))
