"""Diagnosis: what a finished training says about its parameters and its data, worked out in the background.

A parameter is called unsuitable only if two things hold: a length or a share in the data lies beyond a threshold that
is explained here, and a better value was tried and did better.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from typing import Any, TypeAlias

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.points import MAX_CLASSES, Points, copies, first_at
from app.engine.fitting import f_at, fitted
from app.engine.frames import Frame
from app.engine.outcome import outcome
from app.engine.pacing import Pace, Step
from app.scene.status_badge import Try
from app.state.document import UNLIKE, Lane
from app.state.split import folds_of
from solver.core.arrays import Array

#: What is known, by name.  "tried" is what did better, by the name of its remark: the values, and accuracies now and
#: then.
Facts: TypeAlias = dict[str, Any]
#: Likeness K of a typical point and its nearest neighbour, and of two typical points, below which points may be
#: islands; likeness of two typical points above which f may be unable to bend.
ISLAND, APART, ALIKE = 0.5, 1e-4, 0.9
#: Share of points at their bound C from which the margin may be too wide; training accuracy below which a line may be
#: the wrong boundary.
BOUNDED, BENT = 0.9, 0.75
#: Least gain in balanced accuracy worth a remark; and the same in standard errors on points left out, to exclude luck.
GAIN, ERRORS = 0.05, 1.5
#: Number of folds for points left out, largest number of points of a trial, and updates after which it stops.
FOLDS, COMPARED, UPDATES = 5, 1000, 20_000
#: Largest numbers of points whose distances to all others are measured, and among which equal ones are sought at once.
MEASURED, SEARCHED = 200, 20_000
#: Tolerance of a second training, and distance of y f from 1 that is still on the margin after it.
TIGHT, ON_MARGIN = 1e-8, 1e-6


class Diagnosis(Struct, frozen=True):
    """Query: the facts about the finished training of `frame`, and about the test points."""

    frame: Frame
    test: Points

    def answer(self, post: Callable[[Facts], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post the facts once."""
        pace, frame = Pace(overtaken), self.frame
        lane, points, n = frame.lane, frame.points, len(frame.points)
        yield from pace.pause()
        wide, high = points.xy.std(axis=0).tolist()
        facts: Facts = {"ratio": wide / high if wide and high else 1.0, "n test": len(self.test)}
        alpha, room = np.zeros(n), np.full(MAX_CLASSES, np.inf)
        if is_machine(frame):
            facts |= (yield from lengths(lane, points, pace)) | {"bounded": len(frame.marks.bounded) / n}
        # Weights that count the points, and means, would change without a copy.
        if is_machine(frame) and not lane.standardises and lane.svm.class_weight != "balanced":
            model: Any = frame.model
            alpha[model.expansion.support] = np.abs(model.expansion.coef[:, 0])
            room = room if lane.svm.hard_margin else lane.svm.C * weights_of(lane)
            if n <= MEASURED and len(frame.marks.free):  # without a free one, b may depend on any point
                exact: Any = yield from fitted(lane.with_part("svm", replace(lane.svm, tol=TIGHT)), points, pace)
                f = yield from f_at(exact.model, points.xy, pace)
                facts["on margin"] = int(((alpha == 0.0) & (np.abs(np.abs(f[:, 0]) - 1.0) <= ON_MARGIN)).sum())
        if n <= SEARCHED:
            yield from pace.pause()
            facts |= equal_points(points, alpha, room) | {"copies": copies(self.test, points)}
        if not lane.family.own_process and len(points.classes) > 1:
            facts["tried"] = yield from tried(frame, facts, points.sample(COMPARED), pace)
        post(facts)


def is_machine(frame: Frame) -> bool:
    """Return whether the frame shows the optimum of a support vector machine for two classes."""
    return frame.lane.classifier == "svm" and frame.lane.same_optimum and len(frame.points.classes) == 2


def lengths(lane: Lane, points: Points, pace: Pace) -> Generator[Step, None, Facts]:
    """Return the median distance to the nearest other location, and between two points, and the likeness K there.

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
    return {"near": near ** (1 / power), "far": far ** (1 / power), "scale": float(f"{1 / far:.2g}"), **alike}


def weights_of(lane: Lane) -> Array:
    """Return the factor of C for each class, shape (MAX_CLASSES,), if the points do not change it."""
    return np.array(lane.svm.own_weights) if lane.svm.class_weight == "own" else np.ones(MAX_CLASSES)


def equal_points(points: Points, alpha: Array, room: Array) -> Facts:
    """Return numbers of points: at locations of two classes (clashing), and of copies of support vectors.

    Equal points share their multipliers as they like: copies are spare if one alone may have the sum, up to the `room`
    for one of its class; else they pull, and without them f moves.
    """
    if (first := first_at(points)) is None:
        return {}
    kinds, group, size = np.unique(first * MAX_CLASSES + points.labels, return_inverse=True, return_counts=True)
    locations, n_classes = np.unique(kinds // MAX_CLASSES, return_counts=True)
    total, most = np.bincount(group, alpha), (1.0 + 1e-6) * room[kinds % MAX_CLASSES]
    return {
        "clashing": int(np.isin(first, locations[n_classes > 1]).sum()),
        "spare": int((size - 1)[(total > 0.0) & (total <= most)].sum()),
        "pulling": int((size - 1)[total > most].sum()),
    }


# -- values that are tried ---------------------------------------------------------------------------------------------


def tried(frame: Frame, facts: Facts, points: Points, pace: Pace) -> Generator[Step, None, dict[str, Any]]:
    """Return what does better, as "tried" of `Facts`: on points left out, or at all where one class is lost."""
    lost, found = is_machine(frame) and loses_a_class(frame), dict[str, Any]()
    wanted, smallest = list(candidates(frame, facts, lost)), min(points.counts[label] for label in points.classes)
    folds = 1 if lost and smallest < FOLDS else FOLDS
    if not wanted or smallest < folds:
        return found
    now = yield from credit(frame.lane, points, folds, pace)
    for name, values in wanted:
        good: list[tuple[Try, float]] = []
        for each in values:
            then = yield from credit(changed(frame.lane, each), points, folds, pace)
            gain, noise = float((then - now).mean()), float(np.linalg.norm(then - now)) / len(now)
            if gain >= GAIN and (folds == 1 or gain >= ERRORS * noise):
                good.append((each, float(then.mean())))
        if good and good[0][0] is values[0]:
            found[name] = tuple(each for each, _ in good), float(now.mean()), good[0][1]
    return found


def candidates(frame: Frame, facts: Facts, lost: bool) -> Iterator[tuple[str, tuple[Try, ...]]]:
    """Yield the names of remarks with the values to try; the remark is made if the first of these does better."""
    lane, machine = frame.lane, is_machine(frame)
    svm, near, far = lane.svm, facts.get("alike near", 1.0), facts.get("alike far", 0.5)
    wide = machine and facts["bounded"] >= BOUNDED and not svm.hard_margin
    weights: tuple[Try, ...] = ({"part": "svm", "class_weight": "balanced"},) * (svm.class_weight == "equal")
    larger: Try = {"part": "svm", "C": min(max(100.0 * svm.C, 1.0), 1e8)}
    gamma: Try = {"part": "svm", "gamma": facts.get("scale")}
    for name, applies, values in (
        ("constant", lost and not svm.hard_margin, (larger, *weights)),
        ("outvoted", lost, weights),
        (
            "straight",
            (lost or frame.accuracy < BENT) and svm.kernel == "linear" and machine,
            ({"part": "svm", "kernel": "rbf"},),
        ),
        ("axes", not (lane.standardises or 1 / UNLIKE <= facts["ratio"] <= UNLIKE), ({"standardise": True},)),
        ("large gamma", near < ISLAND or far < APART, (gamma,)),
        ("small gamma", far > ALIKE, (gamma,)),
        ("bounded", not lost and wide, ({"part": "svm", "C": min(10.0 * svm.C, 1e8)},)),
    ):
        if applies and values:
            yield name, values


def loses_a_class(frame: Frame) -> bool:
    """Return whether all points of the smaller of two classes, and no others, are wrong, and all of them at their C."""
    points, marks = frame.points, frame.marks
    smaller = np.flatnonzero(points.labels == min(points.classes, key=lambda label: points.counts[label]))
    return np.array_equal(marks.wrong, smaller) and bool(np.isin(smaller, marks.bounded).all())


def changed(lane: Lane, values: Try) -> Lane:
    """Return the lane with these values, which are arguments of `Controller.set_lane`."""
    own = {name: value for name, value in values.items() if name != "part"}
    part = values.get("part")
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
