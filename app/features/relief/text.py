"""Text about the relief: what is drawn, cut off, and projected away; no Qt."""

from __future__ import annotations

import numpy as np

from app.core.number_format import count, short
from app.state.document import Lane

from .query import Relief

WAITING, PREPARING = "Computing the relief…", "Preparing the relief…"
#: Titles of the two modes.
OVER_PLANE, TRICK = "f over the plane", "Kernel trick"
#: What is drawn, in a plain sentence, in the two modes.
BRIEF = "Height is the value of f. The boundary is where the surface cuts the level f = 0."
TRICK_BRIEF = "Lifted by their squares, the points are separated by a flat plane: in the picture that is the curve."
NO_MAP = (
    "The map is drawn for the polynomial kernel of degree 2 with c₀ of at least 0: three coordinates hold its plane. "
    "Other kernels have more dimensions than a picture, RBF has infinitely many."
)


def without(lane: Lane) -> str:
    """Return why a lane has no relief."""
    if lane.is_difference:
        return "A difference of two classifiers has no f: choose one of the two."
    if not lane.has_f:
        return f"{lane.family.short} has no f: {lane.family.answers}.  Choose an SVM, a perceptron or Pegasos."
    return WAITING


def relief_words(relief: Relief, limit: float) -> str:
    """Return the text about f over the plane."""
    beyond = int((np.abs(relief.f_points) > limit).sum())
    edge = f"  {count(beyond, 'point')} beyond: at the edge." if beyond else ""
    sheets = "f = 0 and f = ±1" if relief.has_margins else "f = 0"
    lines = [relief.title, f"Sheets and lines: {sheets}.  Cut off at |f| = {short(limit)}.{edge}"]
    if len(relief.losses):
        loss = "hinge loss max(0, 1 − y f)" if relief.has_margins else "loss max(0, −y f)"
        lines.append(f"Posts: {loss}, {short(float(relief.losses.mean()))} on average.")
    return "\n".join(lines)


def map_words(relief: Relief) -> str:
    """Return the text about the kernel's map."""
    explicit = relief.map
    assert explicit is not None
    right = int((relief.y * relief.f_points > 0).sum())
    lines = [relief.title]
    if explicit.coef0 == 0:
        lines += [
            "⟨φ(x), φ(z)⟩ = (γ⟨x, z⟩)² with φ(x) = γ (x₁², √2 x₁x₂, x₂²).",
            "All of φ is drawn; x and −x fall on one place.",
        ]
    else:
        lines += [
            "⟨φ(x), φ(z)⟩ = (γ⟨x, z⟩ + c₀)² with φ(x) = (γx₁², √2 γx₁x₂, γx₂², √(2γc₀) x₁, √(2γc₀) x₂, c₀).",
            "Drawn: both coordinates of first order, and upwards q, the squares along w.  Left out: two directions of "
            "the squares in which f does not change, and c₀.",
        ]
    points = f"{right} of {count(len(relief.y), 'point')} in view on the right side" if len(relief.y) else ""
    plane = "f(x) = ⟨w, φ(x)⟩ + b: the boundary is exactly the plane f = 0"
    return "\n".join([*lines, f"{plane}{', with ' + points if points else ''}.  Each axis is scaled to the box."])
