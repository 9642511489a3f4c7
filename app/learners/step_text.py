"""Step text: what the newest step of a learner was; no Qt."""

from __future__ import annotations

from typing import Any

from app.state.number_format import count, short
from solver import DualAscentSnapshot, LasvmSnapshot, PegasosSnapshot, PerceptronSnapshot

_LASVM = {
    "none": "",
    "insert": "One of the first points joins the points kept.",
    "process": "PROCESS: a new point joins and moves with the partner that fits it best.",
    "reprocess": "REPROCESS: the best pair of the points kept moves; who is far from the margin leaves.",
    "sweep": "FINISH looks once more at the points that were dropped.",
}


def operation_of(snapshot: Any) -> str:
    """The newest step in one sentence; "" before the first, and for SMO, whose steps are explained at length."""
    if isinstance(snapshot, LasvmSnapshot):
        return _LASVM[snapshot.operation]
    if isinstance(snapshot, DualAscentSnapshot):
        moved = int(snapshot.moved.sum())
        if snapshot.certificate.n_iter == 0:
            return ""
        length = short(snapshot.step_size)
        return f"{count(moved, 'multiplier')} moved along the gradient, by {length} times v, and back onto the set."
    if isinstance(snapshot, PerceptronSnapshot):
        return "A mistake, y f ≤ 0: w += y x turned the line towards this point." if snapshot.touched >= 0 else ""
    if isinstance(snapshot, PegasosSnapshot):
        if snapshot.touched < 0:
            return ""
        if snapshot.hit:
            return "A hit, y ⟨w, x⟩ < 1: θ += y x, and the average of all w follows."
        return "No hit, y ⟨w, x⟩ ≥ 1: θ stays, w shrinks, and the average of all w follows."
    return ""
