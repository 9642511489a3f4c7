"""KKT cases in the pictures: the marked points, and their marks."""

from __future__ import annotations

import numpy as np

from app.core.caches import kept
from app.core.points import Points
from app.engine.run_state import RunState
from app.scene.marks import KKT_MARKS, PointMarks, mark_of
from app.state.session import FeatureSession
from solver.inspection.metrics import KktCase


class KktSession(FeatureSession, frozen=True):
    """The user's choice for the KKT cases.

    Attributes
    ----------
    kkt : bool
        True if the pictures mark each point's KKT case and draw its slack.
    """

    kkt: bool = False


_RANKS = np.array(
    [
        KKT_MARKS.index(mark) if mark in KKT_MARKS else -1
        for case in KktCase
        for mark in (mark_of(case, True), mark_of(case, False))
    ],
    dtype=np.intp,
)


@kept(8)
def marks(run_state: RunState, points: Points) -> PointMarks | None:
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
