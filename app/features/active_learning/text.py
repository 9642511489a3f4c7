"""Wording of active learning: every sentence of its panel, made from values; no Qt."""

from __future__ import annotations

import math

from app.core.number_format import count, grouped, percent, short
from app.state.document import Lane

from .query import Curves
from .state import STRATEGIES, ActiveLearningRun, Source, Strategy

SOURCES: dict[Source, str] = {"points": "The points", "generator": "New sample"}
ASKED: dict[Strategy, str] = {"closest": "Least sure", "random": "Random"}
#: Shares of the accuracy with all labels for which the number of labels needed is reported.
SHARES = (0.95, 0.99)
PREPARING = "Preparing the fast solver…"


def formula(lane: Lane, strategy: Strategy, n_classes: int) -> str:
    """Return the formula of the next point."""
    if strategy == "random":
        return "next = any unlabelled x, all equally likely"
    return f"next = argmin {_signs(lane, n_classes)[1]}"


def measure(lane: Lane, certainty: float, n_classes: int) -> str:
    """Return how certain the model is of a point, in the symbols of `formula`."""
    return f"{_signs(lane, n_classes)[0]} = {short(certainty)}"


def _signs(lane: Lane, n_classes: int) -> tuple[str, str]:
    """Return the certainty of a model as a symbol, and as a formula with its meaning."""
    if lane.trainer is None:
        return "p₁ − p₂", "p₁(x) − p₂(x): the two largest shares of the vote"
    if n_classes == 2:
        return "|f|", "|f(x)|: closest to the boundary"
    if lane.multiclass == "one-vs-rest":
        return "f₁ − f₂", "f₁(x) − f₂(x): the two largest f"
    return "lead", "of the lead: the two best classes, by duels won, then by f"


def progress(asking: ActiveLearningRun) -> str:
    """Return the number of labels given so far, and the accuracy with them."""
    text = f"Asked {len(asking.answers)} of {grouped(len(asking.pool) - len(asking.given))}"
    return (
        f"{text}: accuracy {percent(asking.last_step.score.shown)}"
        if asking.last_step is not None
        else f"{text}: learning…"
    )


def measured(asking: ActiveLearningRun) -> str:
    """Return what the accuracy is a share of."""
    pool = asking.pool
    if not len(pool.tests):
        sample = f", a sample of {grouped(pool.of)}" if pool.of > len(pool) else ""
        return f"of the pool ({count(len(pool), 'point')}{sample})."
    return f"of {count(len(pool.tests), 'new point')}."


def against_random(asking: ActiveLearningRun, curves: Curves | None) -> str:
    """Return the number of labels that random choice needs for the present accuracy, or why it is not known."""
    last_step = asking.last_step
    if curves is not None and curves.failure:
        return f"No comparison: {curves.failure}"
    if curves is None or last_step is None or not len(curves.labels):
        return ""
    here = f"this run has {len(asking.labelled)} ({len(asking.given)} given)"
    needed, last = curves.needed("random", last_step.score.shown), int(curves.labels[-1])
    if needed is not None:
        return f"Random needs about {count(needed, 'label')} for that; {here}."
    if curves.finished and last == len(curves.pool):
        return f"Random does not come to that, even with all {last} labels; {here}."
    return f"Random needs more than {count(last, 'label')} for that{_so_far(curves)}; {here}."


def verdict(curves: Curves | None) -> tuple[str, ...]:
    """Return the result of the comparison, in lines."""
    if curves is None or curves.failure:
        return ()
    if math.isnan(curves.full) or not len(curves.labels):
        return ("Comparing…",)
    lines = [
        f"All {grouped(len(curves.pool))} labels give {percent(curves.full)}. Needed"
        f" (mean of {count(curves.repetitions, 'run')}{_so_far(curves)}):"
    ]
    for share in SHARES:
        closest, random = (_needed(curves, strategy, share * curves.full) for strategy in STRATEGIES)
        lines.append(f"for {100 * share:g} % of that: least sure {closest} labels, random {random}")
    return tuple(lines)


def details(asking: ActiveLearningRun, curves: Curves | None) -> str:
    """Return what the accuracy is a share of, and the result of the comparison."""
    return "\n".join((f"Accuracy: {measured(asking)}", *verdict(curves)))


def _needed(curves: Curves, strategy: Strategy, accuracy: float) -> str:
    needed = curves.needed(strategy, accuracy)
    return f"> {curves.labels[-1]}" if needed is None else str(needed)


def _so_far(curves: Curves) -> str:
    return "" if curves.finished else ", still counting"


def question(asking: ActiveLearningRun) -> str:
    """Return the question, and why it is about this point."""
    if asking.finished:
        return "All points have their labels."
    if asking.chosen is not None:
        return "Your own choice: which class is the ringed point? Esc goes back to the one asked for."
    asked = asking.question
    if asked is None:
        return "Learning…"
    value = measure(asking.lane, asked.certainty, len(asking.pool.classes))
    if asking.plan.strategy == "random":
        return f"Random ({value}): which class is the ringed point?"
    return f"Least sure of the ringed point ({value}): which class is it?"


def remarks(asking: ActiveLearningRun) -> str:
    """Return further remarks about the run."""
    parts = []
    if asking.wrong:
        verb = "answer is" if asking.wrong == 1 else "answers are"
        parts.append(f"{asking.wrong} {verb} not the truth (≠ in the picture).")
    if asking.own:
        parts.append(f"{count(asking.own, 'point')} of your own choice.")
    lane, chosen = asking.lane, asking.plan.strategy == "closest"
    if (able := lane.family.asking) is not None:
        parts.append(able.remark(lane.settings, len(asking.labelled), chosen))
    if asking.last_step is not None and not asking.last_step.optimal:
        parts.append("The training found no solution for these labels; it stopped early.")
    return " ".join(filter(None, parts))
