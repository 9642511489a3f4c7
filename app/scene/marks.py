"""Marks of the points, training points and others, as indices of all points; and pies, for points at one location."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from app.core.caches import kept
from app.core.points import MAX_CLASSES, Points, first_at
from app.engine.frames import NO_MARKS, Marks
from app.engine.run_state import RunState
from app.state.split import SplitPoints
from solver.core.arrays import Indices
from solver.inspection.metrics import KktCase


class PointMarks(Struct, frozen=True, eq=False):
    """Marks that replace a model's own.

    Attributes
    ----------
    index : ndarray of shape (m,), intp
        Indices of all points, the lowest mark first.
    kinds : tuple of str
        Names of symbols in the plots.
    kind : ndarray of shape (m,), intp
        For each mark, an index into `kinds`.
    """

    index: Indices
    kinds: tuple[str, ...]
    kind: Indices


def mark_of(case: KktCase, satisfied: bool) -> str:
    """Return the name of a case's mark on a plot, or ""; a final "!" means that y f violates the case's condition."""
    if case is KktCase.NOT_SUPPORT and satisfied:
        return ""
    return f"kkt{int(case)}" + ("" if satisfied else "!")


#: Marks of a plot, the lowest first.  (A misclassified point satisfies the condition of its case for every y f.)
KKT_MARKS: tuple[str, ...] = ("kkt0!", "kkt3", "kkt2", "kkt2!", "kkt1", "kkt1!")


def case_of(mark: str) -> tuple[KktCase, bool]:
    """Return the case of a mark, and whether it is satisfied."""
    return KktCase(int(mark[3])), not mark.endswith("!")


def among_all(marks: Marks, sample: Points, points: Points, others: tuple[Marks, ...]) -> Marks:
    """Return the marks of a sample as indices of all points, together with marks of other points."""
    if (sample is points or marks is NO_MARKS) and not others:
        return marks
    return _joined(marks, sample, points, others)


@kept(8)
def _joined(marks: Marks, sample: Points, points: Points, others: tuple[Marks, ...]) -> Marks:
    def of_all(name: str) -> Indices:
        own = points.indices_of(sample.ids[getattr(marks, name)])
        return np.concatenate((own, *(getattr(each, name) for each in others)))

    return Marks(*(of_all(name) for name in Marks.__struct_fields__))


_RANKS = np.array(
    [
        KKT_MARKS.index(mark) if mark in KKT_MARKS else -1
        for case in KktCase
        for mark in (mark_of(case, True), mark_of(case, False))
    ],
    dtype=np.intp,
)


#: Largest number of points with pies, found in 0.3 ms: symbols of more points are too small for parts.
MOST_WITH_PIES = 5000
#: Largest number of different pies; with more, the pies have no holes.
MOST_PIES = 255


@kept(8)
def pies(points: Points, parts: SplitPoints) -> PointMarks | None:
    """Return a symbol for each location of points of several classes, or of training and test points; None if none.

    A kind is "pie" with the sum of the powers of 2 of its classes: 0 to 7, and 8 to 15 for the classes' test points.
    """
    first = first_at(points) if len(points) <= MOST_WITH_PIES else None
    if first is None:
        return None
    powers = points.labels.astype(np.intp)
    powers[parts.held_out] += MAX_CLASSES
    sums = np.zeros(len(points), dtype=np.intp)
    np.bitwise_or.at(sums, first, 1 << powers)
    index = np.flatnonzero(sums & (sums - 1))
    kinds, kind = np.unique(sums[index], return_inverse=True)
    if len(kinds) > MOST_PIES:
        kinds, kind = np.unique((sums[index] | sums[index] >> MAX_CLASSES) % 2**MAX_CLASSES, return_inverse=True)
    return PointMarks(index, tuple(f"pie{each}" for each in kinds), kind) if len(index) else None


@kept(8)
def kkt_marks(run_state: RunState, points: Points) -> PointMarks | None:
    """Return the marks of the cases, the lowest first; None for a run without multipliers."""
    if run_state.kkt is None:
        return None
    ranks = _RANKS[2 * run_state.kkt.case + ~run_state.kkt.satisfied]
    marked = np.flatnonzero(ranks >= 0)
    marked = marked[np.argsort(ranks[marked], kind="stable")]
    index = run_state.index[marked]
    if run_state.points is not points:
        index = points.indices_of(run_state.points.ids)[index]
    return PointMarks(index.astype(np.intp), KKT_MARKS, ranks[marked])
