"""Marks of the points: of those a model was trained on, and of others, as indices of all points."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from msgspec import Struct
from msgspec.structs import fields

from app.core.points import Points
from app.engine.requests import NO_MARKS, Marks
from solver.core.arrays import Indices
from solver.inspection.metrics import KktCase


class PointMarks(Struct, frozen=True, eq=False):
    """Marks that take the place of a model's own.

    Attributes
    ----------
    index : ndarray of shape (m,), intp
        Indices of all points, the lowest mark first.
    kinds : tuple of str
        As the plots name their symbols.
    kind : ndarray of shape (m,), intp
        Which of `kinds` each is.
    """

    index: Indices
    kinds: tuple[str, ...]
    kind: Indices


def mark_of(case: KktCase, satisfied: bool) -> str:
    """Name of a case's mark on a plot; "" for none.  A "!" at the end: it has not the y f that its case asks for."""
    if case is KktCase.NOT_SUPPORT and satisfied:
        return ""
    return f"kkt{int(case)}" + ("" if satisfied else "!")


#: Marks of a plot, the lowest first.  (Who is misclassified satisfies the conditions of its case, whatever y f is.)
KKT_MARKS: tuple[str, ...] = ("kkt0!", "kkt3", "kkt2", "kkt2!", "kkt1", "kkt1!")


def case_of(mark: str) -> tuple[KktCase, bool]:
    """The case of a mark, and whether it is satisfied."""
    return KktCase(int(mark[3])), not mark.endswith("!")


def among_all(marks: Marks, sample: Points, points: Points, others: tuple[Marks, ...]) -> Marks:
    """Marks of a sample as indices of all points, with those of other points, too."""
    if (sample is points or marks is NO_MARKS) and not others:
        return marks
    return _joined(marks, sample, points, others)


@lru_cache(maxsize=8)
def _joined(marks: Marks, sample: Points, points: Points, others: tuple[Marks, ...]) -> Marks:
    def of_all(name: str) -> Indices:
        own = points.indices_of(sample.ids[getattr(marks, name)])
        return np.concatenate((own, *(getattr(each, name) for each in others)))

    return Marks(*(of_all(each.name) for each in fields(Marks)))
