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
from app.core.points import MAX_CLASSES, Points, copies, first_at
from app.engine.fitting import f_at, fitted
from app.engine.outcome import outcome
from app.engine.pacing import Pace, Step
from app.scene.status_badge import Try
from app.state.document import UNLIKE, Lane
from app.state.split import folds_of
from solver.core.arrays import Array

#: What is known, by name.  "tried" is what did better, by the name of its remark: the values, and a sentence.
Facts: TypeAlias = dict[str, Any]
#: Likeness K of a typical point and its nearest neighbour, and of two typical points, below which points may be
#: islands; likeness of two typical points above which f may be unable to bend.
ISLAND, APART, ALIKE = 0.5, 1e-4, 0.9
#: Balanced training accuracy below which a straight line may be the wrong boundary.
BENT = 0.75
#: Least gain in balanced accuracy worth a remark; and the same in standard errors on points left out, to exclude luck.
GAIN, ERRORS = 0.05, 1.5
#: Number of folds for points left out, largest number of points of a trial, and updates after which it stops.
FOLDS, COMPARED, UPDATES = 5, 1000, 20_000
#: Largest numbers of points that are looked at one by one, and among which equal ones are sought at once.
MEASURED, SEARCHED = 200, 20_000
#: Tolerance of an exact training, and distance of y f from 1 that is still on the margin after it.
TIGHT, ON_MARGIN = 1e-8, 1e-6


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
        if is_machine(lane, points):
            facts |= yield from lengths(lane, points, pace)
            # Weights that count the points, and means, would change without a copy.
            if len(points) <= MEASURED and not lane.standardises and lane.svm.class_weight == "equal":
                facts |= yield from spared(lane, points, pace)
        if len(points.classes) > 1 and not lane.family.own_process:
            facts["tried"] = yield from tried(lane, facts, points.sample(COMPARED), pace)
        post(facts)


def is_machine(lane: Lane, points: Points) -> bool:
    """Return whether the lane shows the optimum of a support vector machine for two classes."""
    return lane.classifier == "svm" and lane.same_optimum and len(points.classes) == 2


def lengths(lane: Lane, points: Points, pace: Pace) -> Generator[Step, None, Facts]:
    """Return the median distances, in words, to the nearest other location and between two points, and K there.

    Distances are those of the kernel; nothing is returned for one that does not fall with them.  With `scale` as gamma,
    K of two typical points is 1/e.
    """
    power = {"rbf": 2, "laplacian": 1}.get(lane.svm.kernel)
    if power is None:
        return {}
    inputs = lane.inputs(points).xy
    some = inputs[:: len(inputs) // MEASURED + 1]
    nearest = np.empty(len(some))

    def measure(block: slice) -> None:
        away = (np.abs(some[block, None] - inputs) ** power).sum(axis=2)
        nearest[block] = np.where(away > 0.0, away, np.inf).min(axis=1)

    yield from pace.in_blocks(len(some), measure, size=2)
    two = np.median((np.abs(some[:, None] - some) ** power).sum(axis=2))
    near, far = float(np.median(nearest)), max(float(two), 1e-8)
    alike = {"alike near": np.exp(-lane.svm.gamma * near), "alike far": np.exp(-lane.svm.gamma * far)}
    unit = " standardised units" * lane.standardises
    words = {"near": f"{short(near ** (1 / power))}{unit}", "far": f"{short(far ** (1 / power))}{unit}"}
    return {"scale": float(f"{1 / far:.2g}"), **words, **alike}


def clashing(points: Points) -> int:
    """Return the number of points at the location of a point of another class."""
    if (first := first_at(points)) is None:
        return 0
    at = np.unique(first * MAX_CLASSES + points.labels) // MAX_CLASSES
    return int(np.isin(first, at[1:][at[1:] == at[:-1]]).sum())


def spared(lane: Lane, points: Points, pace: Pace) -> Generator[Step, None, Facts]:
    """Return points without which nothing moves, by an exact training: on the margin with alpha = 0, and copies.

    Equal points share their multipliers as they like: copies of a support vector are spare if one alone may have the
    sum, up to C; else they pull, and without them f moves.
    """
    exact: Any = yield from fitted(lane.with_part("svm", replace(lane.svm, tol=TIGHT)), points, pace, most=UPDATES)
    f = yield from f_at(exact.model, points.xy, pace)
    alpha, first = np.zeros(len(points)), first_at(points)
    alpha[exact.model.expansion.support] = np.abs(exact.model.expansion.coef[:, 0])
    # Without a free support vector, b may depend on any point; and where f is constant, all points are on a margin.
    moves = exact.model.certificates_[0].n_free > 0 and np.ptp(f) > 1.0
    idle = (alpha == 0.0) & (np.abs(np.abs(f[:, 0]) - 1.0) <= ON_MARGIN) & moves
    groups = np.arange(len(points)) if first is None else first * MAX_CLASSES + points.labels
    _, group, size = np.unique(groups, return_inverse=True, return_counts=True)
    total, room = np.bincount(group, alpha), np.inf if lane.svm.hard_margin else lane.svm.C * (1.0 + 1e-6)
    spare, pulling = (size - 1)[(total > 0.0) & (total <= room)].sum(), (size - 1)[total > room].sum()
    return {"on margin": np.flatnonzero(idle), "spare": int(spare), "pulling": int(pulling)}


# -- values that are tried ---------------------------------------------------------------------------------------------


def tried(lane: Lane, facts: Facts, points: Points, pace: Pace) -> Generator[Step, None, dict[str, Any]]:
    """Return what does better, as "tried" of `Facts`: on points left out, or on all if these are too few."""
    now, found = (yield from credit(lane, points, 1, pace)), dict[str, Any]()
    svm, machine = lane.svm, is_machine(lane, points)
    lost = machine and not svm.hard_margin and len(np.unique(points.labels[now > 0.0])) == 1
    near, far = facts.get("alike near", 1.0), facts.get("alike far", 0.5)
    larger, scale = min(max(100.0 * svm.C, 1.0), 1e8), facts.get("scale", 0.0)
    gamma: Try = {"text": f"Set γ to {scale:g}", "part": "svm", "gamma": scale}
    rows: tuple[tuple[str, bool, Try], ...] = (
        ("constant", lost, {"text": f"Set C to {larger:g}", "part": "svm", "C": larger}),
        ("outvoted", lost, {"text": "Set balanced class weights", "part": "svm", "class_weight": "balanced"}),
        (
            "straight",
            machine and svm.kernel == "linear" and now.mean() < BENT,
            {"text": "Set the RBF kernel", "part": "svm", "kernel": "rbf"},
        ),
        (
            "axes",
            not (lane.standardises or 1 / UNLIKE <= facts["ratio"] <= UNLIKE),
            {"text": "Standardise x and y", "standardise": True},
        ),
        ("large gamma", near < ISLAND or far < APART, gamma),
        ("small gamma", far > ALIKE, gamma),
    )
    folds = FOLDS if min(points.counts[label] for label in points.classes) >= FOLDS else 1
    if folds > 1 and any(applies for _, applies, _ in rows):
        now = yield from credit(lane, points, folds, pace)
    for name, _, values in (row for row in rows if row[1]):
        then = yield from credit(changed(lane, values), points, folds, pace)
        gain, noise = then.mean() - now.mean(), float(np.linalg.norm(then - now)) / len(now)
        if gain >= GAIN and (folds == 1 or gain >= ERRORS * noise):
            measured = f"  Balanced accuracy{' on points left out' * (folds > 1)}: {percent(now.mean())}"
            found[name] = (values,), f"{measured}; {percent(then.mean())} after “{values['text']}”."
    if "constant" in found and "outvoted" in found:  # both help
        found["constant"] = found["constant"][0] + found.pop("outvoted")[0], found["constant"][1]
    return found


def changed(lane: Lane, values: Try) -> Lane:
    """Return the lane with these values."""
    part, own = values.get("part"), {name: value for name, value in values.items() if name not in ("part", "text")}
    return replace(lane, **own) if part is None else lane.with_part(part, replace(lane.part(part), **own))


def credit(lane: Lane, points: Points, folds: int, pace: Pace) -> Generator[Step, None, Array]:
    """Return what each point adds to the balanced accuracy, shape (n,): where it was left out, or with one fold not."""
    found, fold = np.empty(len(points)), folds_of(points, folds, 0)
    for number in range(folds):
        out = fold == number
        rest = Points.of(points.xy[~out], points.labels[~out]) if folds > 1 else points
        made = yield from fitted(lane, rest, pace, most=UPDATES)
        met = yield from outcome(made.model, points.xy[out], points.labels[out], pace)
        found[out] = met.credit
    weights: Array = len(points) / (len(points.classes) * np.array(points.counts)[points.labels])
    return weights * found
