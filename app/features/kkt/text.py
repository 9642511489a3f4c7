"""Text about the points of a run: their KKT cases and their losses; no Qt.

Legend: margin ``y f``, slack ``ξ = max(0, 1 − y f)``, which is the hinge loss of the point; multiplier ``α`` in [0, C].
"""

from __future__ import annotations

import numpy as np

from app.core.number_format import count, grouped, percent, short
from app.engine.run_state import RunState
from app.learners.base import Trainer
from app.scene.text import KKT_CASES
from solver.core.arrays import Array, Mask
from solver.inspection.metrics import KktCase, KktReport

#: Size of a margin below which it may be its own rounding error.
ROUNDING = 1e-12

NO_RUN = "No training to look into: choose an SVM and let it learn from points of two classes."


def number(value: float) -> str:
    """Return `short`, with 0 for a rounding error."""
    return short(0.0 if abs(value) < ROUNDING else float(value))


def margins_of(run_state: RunState) -> Array:
    """Return y f of each point, shape (n,)."""
    margins: Array = run_state.y * run_state.f
    return margins


def losses_of(margins: Array) -> tuple[Array, Mask]:
    """Return hinge loss and 0-1 loss of these margins; f = 0 decides nothing and counts as an error."""
    return np.maximum(0.0, 1.0 - margins), margins <= 0.0


def point_words(run_state: RunState, index: int) -> tuple[str, ...]:
    """Return the text for one point of a run, in lines: numbers, then the case in words.

    Parameters
    ----------
    run_state : RunState
    index : int
        Index of the point in `run_state.index`.
    """
    margin = float(run_state.y[index] * run_state.f[index])
    slack = max(0.0, 1.0 - margin)
    if run_state.alpha is not None and run_state.C is not None:
        bound = "no bound (C = ∞)" if np.isinf(run_state.C[index]) else f"C = {short(float(run_state.C[index]))}"
        numbers = f"α = {number(float(run_state.alpha[index]))}, {bound}"
        measured = f"y f = {number(margin)}, slack ξ = {number(slack)}"
        return (numbers, measured, case_line(run_state, index)) if run_state.kkt is not None else (numbers, measured)
    if not run_state.trainer.has_margins:
        loss = f"loss max(0, −y f) = {number(max(0.0, -margin))}"
        return f"y f = {number(margin)}, {loss}", _side(margin, within="Right side of the boundary")
    loss = f"hinge loss max(0, 1 − y f) = {number(slack)}"
    beyond = margin >= 1.0 - ROUNDING
    within = "On the margin or beyond it: no loss" if beyond else "Right side, but inside the margin"
    return f"y f = {number(margin)}, {loss}", _side(margin, within)


def case_line(run_state: RunState, index: int) -> str:
    """Return the KKT case of one point of a run in words, or that it may be a support vector."""
    words, ends = "" if run_state.kkt is None else run_state.kkt.words(index), (run_state.ranges or {}).get(index)
    if ends is None:
        return words
    between = f"α is not unique ({' to '.join(map(number, ends))})"
    return f"{words}; {between}" if ends[0] > 0.0 else f"May be a support vector: {between}"


def _side(margin: float, within: str) -> str:
    if abs(margin) < ROUNDING:
        return "On the boundary: a tie; its 0-1 loss is 1"
    return within if margin > 0 else "Wrong side of the boundary: an error"


def case_counts(report: KktReport) -> dict[KktCase, tuple[int, int]]:
    """Return, for each case, the number of its points, and of those whose y f does not match it."""
    every = np.bincount(report.case, minlength=len(KktCase))
    open_ones = np.bincount(report.case[~report.satisfied], minlength=len(KktCase))
    return {case: (int(every[case]), int(open_ones[case])) for case in KktCase}


def case_words(case: KktCase, number_of: int, not_yet: int) -> str:
    """Return "12 free, 0 < α < C: exactly on the margin; 3 not yet"."""
    name, formula, location = KKT_CASES[case]
    words = f"{grouped(number_of)} {name}, {formula}: {location}"
    return f"{words}; {grouped(not_yet)} not yet" if not_yet else words


def violation_words(not_yet: int) -> str:
    """Return the sentence about the marked violations."""
    if not not_yet:
        return "Every y f is as the case of its α asks: the KKT conditions hold"
    verb = "violates" if not_yet == 1 else "violate"
    return f"{count(not_yet, 'point')} {verb} the KKT conditions: y f is not yet as the case asks"


def bars_words(n_points: int, per_bar: int) -> str:
    """Return how to read the bars."""
    if per_bar > 1:
        return f"{count(n_points, 'point')}: each bar is the largest of {per_bar} multipliers"
    return f"{count(n_points, 'point')}, a bar for each multiplier α"


def without_alpha(trainer: Trainer) -> str:
    """Return why a learner has no bars."""
    step = "moves the weights w themselves" if trainer.has_f else "looks at one point, and keeps it or does not"
    return f"{trainer.subject} has no multipliers: each step {step}."


def without_f(trainer: Trainer) -> str:
    """Return why a learner has no losses."""
    return f"{trainer.subject} has no f, so that no y f says how far a point is on the right side: it counts votes."


def loss_words(run_state: RunState) -> tuple[str, ...]:
    """Return the losses of a run in numbers, with their formulas, in lines."""
    margins = margins_of(run_state)
    hinge, wrong = losses_of(margins)
    errors = int(wrong.sum())
    lines = [
        f"Hinge loss: 1/n Σ max(0, 1 − y f) = {number(float(hinge.mean()))}",
        f"0-1 loss: 1/n Σ [y f ≤ 0] = {grouped(errors)} / {grouped(len(margins))} = {percent(errors / len(margins))}",
    ]
    if not run_state.trainer.has_margins:
        own = float(np.maximum(0.0, -margins).mean())
        lines.append(f"{run_state.trainer.title}'s loss: 1/n Σ max(0, −y f) = {number(own)}")
    lines.append("The hinge loss is an upper bound: it is never below the 0-1 loss.")
    return tuple(lines)


def beyond_words(number_of: int, side: str) -> str:
    """Return "3 further left"."""
    return f"{grouped(number_of)} further {side}"
