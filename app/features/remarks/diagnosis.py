"""Diagnosis: what training says about a lane's parameters and data, worked out in the background.

A parameter is called unsuitable only if two things hold: a length or a share in the data lies beyond a threshold that
is explained here, and a better value was tried and did better.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.number_format import percent, short
from app.core.points import MAX_CLASSES, Points, copies, keys_of
from app.engine.fitting import f_at, fitted
from app.engine.outcome import outcome
from app.engine.pacing import Pace, Step
from app.state.document import UNLIKE, Lane
from app.state.split import folds_of
from solver.core.arrays import Array
from solver.core.certificate import Status

#: What is known, by name.  "tried" is what did better, by the name of its remark: the values, and a sentence.
Facts: TypeAlias = dict[str, Any]
#: Likeness K of a typical point and its nearest neighbour, and of two typical points, below which points may be
#: islands; likeness of two typical points above which f may be unable to bend; balanced training accuracy below which a
#: straight line may be the wrong boundary.
ISLAND, APART, ALIKE, BENT = 0.5, 1e-4, 0.9, 0.75
#: Least gain in balanced accuracy worth a remark; and the same in standard errors on points left out, to exclude luck.
GAIN, ERRORS = 0.05, 1.5
#: Number of folds for points left out, largest number of points of a trial, and updates after which it stops.
FOLDS, COMPARED, UPDATES = 5, 1000, 20_000
#: Largest numbers of points that are looked at one by one, and among which lengths and equal points are sought.
FEW, SEARCHED = 200, 20_000
#: Number of distances computed at once, and least number of points from which all distances are.
DISTANCES, FEWEST = 200_000, 20
#: Tolerance of an exact training; distance of y f from 1 that is still on the margin after it, and the multiple of C
#: that is still C.
TIGHT, ON_MARGIN, SLACK = 1e-8, 1e-6, 1.0 + 1e-6


class Diagnosis(Struct, frozen=True):
    """Query: the facts about the classifier of `lane` on the training points `points`, and about the test points."""

    lane: Lane
    points: Points
    test: Points

    def answer(self, post: Callable[[Facts], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post the facts once."""
        pace, lane, points = Pace(overtaken), self.lane, self.points
        yield from pace.pause()
        wide, high = points.xy.std(axis=0).tolist()
        facts: Facts = {"ratio": wide / high if wide and high else 1.0, "n test": len(self.test), "tried": {}}
        if len(points) <= SEARCHED:
            facts |= {"copies": copies(self.test, points), "clashing": clashing(points)}
            yield from pace.pause()
            facts |= lengths(lane, points) if is_machine(lane, points) else {}
        # Weights that count the points, and means, would change without a copy.
        if is_machine(lane, points) and lane.settings.class_weight == "equal" and not lane.standardises:
            facts |= (yield from spared(lane, points, pace)) if len(points) <= FEW else {}
        if len(points.classes) > 1 and not lane.family.own_process:
            facts["tried"] = yield from tried(lane, facts, points.sample(COMPARED), pace)
        post(facts)


def is_machine(lane: Lane, points: Points) -> bool:
    """Return whether the lane shows the optimum of a support vector machine for two classes."""
    return bool(lane.trainer and lane.trainer.has_multipliers and lane.same_optimum and len(points.classes) == 2)


def lengths(lane: Lane, points: Points) -> Facts:
    """Return the median distances, in words, to the nearest other location and between two points, and K there.

    Distances are those of the kernel; nothing is returned for one that does not fall with them.  With `scale` as gamma,
    K of two typical points is 1/e.  The more points there are, the fewer are measured, so that this is a short piece.
    """
    if (power := {"rbf": 2, "laplacian": 1}.get(lane.settings.kernel)) is None:
        return {}
    inputs, unit = lane.inputs(points).xy, " standardised units" * lane.standardises
    measured = inputs[:: 1 + len(inputs) // max(DISTANCES // len(inputs), FEWEST)]
    away = (np.abs(measured[:, None] - inputs) ** power).sum(axis=2)
    near = float(np.median(np.where(away > 0.0, away, np.inf).min(axis=1)))
    far = max(float(np.median(away)), 1e-8)
    return {
        "near": f"{short(near ** (1 / power))}{unit}",
        "far": f"{short(far ** (1 / power))}{unit}",
        "alike near": np.exp(-lane.settings.gamma * near),
        "alike far": np.exp(-lane.settings.gamma * far),
        "scale": float(f"{1 / far:.2g}"),
    }


def clashing(points: Points) -> int:
    """Return the number of points at the location of a point of another class."""
    keys = keys_of(points)
    at = np.unique(keys) // MAX_CLASSES
    return int(np.isin(keys // MAX_CLASSES, at[1:][at[1:] == at[:-1]]).sum())


def spared(lane: Lane, points: Points, pace: Pace) -> Generator[Step, None, Facts]:
    """Return points without which nothing moves, by an exact training: on the margin with alpha = 0, and copies.

    Equal points share their multipliers as they like: copies of a support vector are spare if one alone may have the
    sum, up to C; else they pull, and without them f moves.
    """
    exact: Any = yield from fitted(lane.with_value(lane.family.field("tol"), TIGHT), points, pace, most=UPDATES)
    f = yield from f_at(exact.model, points.xy, pace)
    alpha = np.zeros(len(points))
    alpha[exact.model.expansion.support] = np.abs(exact.model.expansion.coef[:, 0])
    certificate, sure = exact.model.certificates_[0], exact.model.certificates_[0].status is Status.OPTIMAL
    # Without a free support vector, b may depend on any point; and where f is constant, all points are on a margin.
    known = sure and certificate.n_free > 0 and np.ptp(f) > 1.0
    _, group, size = np.unique(keys_of(points), return_inverse=True, return_counts=True)
    total, C = np.bincount(group, alpha * sure), np.inf if lane.settings.hard_margin else lane.settings.C
    return {
        "on margin": np.flatnonzero((alpha == 0.0) & (np.abs(np.abs(f[:, 0]) - 1.0) <= ON_MARGIN) & known),
        "spare": int((size - 1)[(total > 0.0) & (total <= SLACK * C)].sum()),
        "pulling": int((size - 1)[total > SLACK * C].sum()),
    }


# -- values that are tried ---------------------------------------------------------------------------------------------


def tried(lane: Lane, facts: Facts, points: Points, pace: Pace) -> Generator[Step, None, dict[str, Any]]:
    """Return what does better, as "tried" of `Facts`: on points left out, or on all if these are too few."""
    now, found = (yield from credit(lane, points, 1, pace)), dict[str, Any]()
    svm, machine = lane.settings, is_machine(lane, points)
    lost = machine and not svm.hard_margin and len(np.unique(points.labels[now > 0.0])) == 1
    near, far, scale = (facts.get(name, 0.5) for name in ("alike near", "alike far", "scale"))
    larger = min(max(100.0 * svm.C, 1.0), 1e8) if lost else 1.0
    rows: list[tuple[str, bool, str, str, Any]] = [
        ("constant", lost, f"Set C to {larger:g}", "C", larger),
        ("outvoted", lost, "Set balanced class weights", "class_weight", "balanced"),
        ("straight", machine and svm.kernel == "linear" and now.mean() < BENT, "Set the RBF kernel", "kernel", "rbf"),
        ("axes", not (lane.standardises or 1 / UNLIKE <= facts["ratio"] <= UNLIKE), "Standardise x and y", "", True),
        ("large gamma", near < ISLAND or far < APART, f"Set γ to {scale:g}", "gamma", scale),
        ("small gamma", far > ALIKE, f"Set γ to {scale:g}", "gamma", scale),
    ]
    folds = FOLDS if min(points.counts[label] for label in points.classes) >= FOLDS else 1
    if folds > 1 and any(applies for _, applies, *_ in rows):
        now = yield from credit(lane, points, folds, pace)
    for name, _, text, field, value in (row for row in rows if row[1]):
        changed = lane.with_value(lane.family.field(field), value) if field else replace(lane, standardise=value)
        then = yield from credit(changed, points, folds, pace)
        gain, noise = then.mean() - now.mean(), float(np.linalg.norm(then - now)) / len(now)
        if gain >= GAIN and (folds == 1 or gain >= ERRORS * noise):
            found[name] = (
                ((text, changed),),
                (
                    f"  Balanced accuracy{' on points left out' * (folds > 1)}: {percent(now.mean())};"
                    f" {percent(then.mean())} after “{text}”."
                ),
            )
    if {"constant", "outvoted"} <= found.keys():  # one sentence, which names both values
        (larger_c, sentence), (balanced, _) = found["constant"], found.pop("outvoted")
        found["constant"] = larger_c + balanced, sentence
    return found


def credit(lane: Lane, points: Points, folds: int, pace: Pace) -> Generator[Step, None, Array]:
    """Return what each point adds to the balanced accuracy, shape (n,): where it was left out, or with one fold not."""
    found, fold = np.empty(len(points)), folds_of(points, folds, 0)
    for number in range(folds):
        out = fold == number
        rest = Points.of(points.xy[~out], points.labels[~out]) if folds > 1 else points
        made = yield from fitted(lane, rest, pace, most=UPDATES)
        found[out] = (yield from outcome(made.model, points.xy[out], points.labels[out], pace)).credit
    return np.asarray(found * len(points) / (len(points.classes) * np.array(points.counts)[points.labels]))
