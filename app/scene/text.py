"""Text: sentences and numbers on screen that belong to no feature.  No Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.core.number_format import about, coordinate, count, grouped, percent, span_of_time
from app.core.plain_text import listed
from app.core.points import Points
from app.engine.cover import Cover
from app.engine.frames import FastProgress, Frame, Phase
from app.learners.svm import STEPPED
from app.state.document import CLASS_NAMES, Document, Lane
from solver.core import fast_loops
from solver.data.datasets import DATASETS
from solver.inspection.metrics import KktCase

#: Text over a picture that is covered until the user predicts.
COVERED = "Covered until the reveal"
#: The same for numbers.
NUMBERS_COVERED = "Numbers are covered"


def headline(frame: Frame | None, lane: Lane) -> str:
    """Return the state of a lane in a few words."""
    preparing = "" if fast_loops.ready() else "Preparing the fast solver… "
    if lane.is_difference:
        picture = None if frame is None else frame.picture
        if frame is None or picture is None or not picture.differing >= 0:
            return "Comparing…"
        return f"They differ on {'' if frame.full else 'about '}{percent(picture.differing)} of the area in view"
    if frame is None:
        return preparing or "Starting…"
    if Cover.TRAINING in frame.cover and frame.lane.trainer is not None:
        return NUMBERS_COVERED
    if frame.phase is Phase.EMPTY:
        return preparing + waiting(frame.points) or "Starting…"
    if frame.phase is Phase.FAILED:
        return "No picture"
    if is_all_tied(frame):
        preparing += "All tied, no class is ahead · "
    if frame.phase is Phase.TRAINING and frame.fast_run is not None:
        return f"Training on {grouped(len(frame.points))} points at once{_expected(frame.fast_run)}…"
    if frame.lane.trainer is None:
        return preparing + frame.lane.family.fit_verdict(frame.lane.settings, len(frame.points)).text
    if frame.phase is Phase.TRAINING:
        return f"{preparing}Training…"
    if frame.phase is Phase.PAUSED and frame.fast_run is not None:
        return f"Paused: not trained on all points yet{_expected(frame.fast_run)}"
    if frame.phase is Phase.PAUSED:
        return f"{preparing}Paused, {frame.lane.family.so_far(frame.certificates, frame.lane.settings)}"
    return preparing + frame.lane.family.verdict(frame.certificates, frame.lane.settings).text


def waiting(points: Points) -> str:
    """Return what a lane without a model waits for, in a few words; "" if `points` are all it needs."""
    if not len(points):
        return "Waiting for points"
    return "Waiting for a second class" if len(points.classes) < 2 else ""


def counts_sentence(points: Points, names: Sequence[str]) -> str:
    """Return "200 points: 100 of class 1, 100 of class 2"."""
    present = [f"{grouped(n)} of {name}" for n, name in zip(points.counts, names, strict=True) if n]
    return count(len(points), "point") + (": " + ", ".join(present) if present else "")


#: Share of tied pixels from which a picture counts as all tied.
ALL_TIED = 0.98


def is_all_tied(frame: Frame) -> bool:
    """Return whether the finished picture of a lane is grey all over."""
    return frame.phase is Phase.DONE and frame.picture is not None and frame.picture.tied >= ALL_TIED


def copies_words(n_copies: int, n_test: int) -> str:
    """Return how many test points are training points as well, which makes the test accuracy too good; else ""."""
    are = "is also a training point" if n_copies == 1 else "are also training points"
    words = f"{grouped(n_copies)} of {count(n_test, 'test point')} {are}: the accuracy is too good."
    return words if n_copies else ""


#: How every accuracy on screen counts ties.
TIE_RULE = "A point whose class ties with m − 1 others counts 1/m."


def accuracy(share: float, n_tied: int, n_classes: int) -> str:
    """Return an accuracy in words: "97.4 %", "50.0 % (200 ties count ½)"."""
    if not n_tied:
        return percent(share)
    part = "½" if n_classes == 2 else "½ or less"
    return f"{percent(share)} ({count(n_tied, 'tie')} {'counts' if n_tied == 1 else 'count'} {part})"


def without_rule(number: str) -> str:
    """Return the result of `accuracy` in fewer words: "50.0 % (200 ties)"."""
    return f"{number.partition(' count')[0]})" if " count" in number else number


def training_accuracy(frame: Frame) -> str:
    """Return the training accuracy of a lane in words; "…" while it is computed."""
    n_classes = 0 if frame.model is None else len(frame.model.classes_)
    return accuracy(frame.accuracy, len(frame.marks.tied), n_classes) if frame.accuracy >= 0 else "…"


def sampled(frame: Frame | None, number: int, limit: int) -> str:
    """Return the addition to the headline of a lane that has learnt from a sample of `number` points, or ""."""
    if frame is None or frame.phase is Phase.EMPTY or number <= limit:
        return ""
    return f" · learnt from a sample: {grouped(len(frame.points))} of {count(number, 'point')}"


def _expected(progress: FastProgress) -> str:
    return f", {about(progress.expected)}" if progress.expected > 0 else ""


#: Why a training has no steps to follow, and how to get them.
NO_STEPS = (
    f"More than {grouped(STEPPED)} points are trained on at once, not step by step.  To follow the steps, let it learn"
    " from fewer: ⋯ beside the data set, Learn from at most."
)


def fast_training(frame: Frame | None, n_trainable: int) -> str:
    """Return how a lane without steps to follow is trained, or ""."""
    if frame is None or frame.fast_run is None or frame.lane.trainer is None:
        return ""
    if frame.phase is not Phase.DONE:
        fast = frame.lane.family.fast if frame.fast_run.slow else None
        return fast.why_slow(frame.lane.settings) if fast else "Rough picture, from a sample of the points"
    return "Not trained step by step" if len(frame.points) < n_trainable else "Trained on all points; not step by step"


def more_settings(lane: Lane) -> str:
    """Return which settings only Full has, in place of a lane's numbers in Simple."""
    titles = [
        each.title.lower() for each in lane.family.fields if not each.simple and each.shown(lane.settings, (0, 1))
    ]
    return f"Full (F8) has more settings: {', '.join(titles[:2])}." if titles else ""


def details(frame: Frame | None) -> str:
    """Return the lane's numbers in one line."""
    if frame is None or frame.model is None or (frame.fast_run is not None and frame.phase is not Phase.DONE):
        return ""
    if Cover.TRAINING in frame.cover:
        return NUMBERS_COVERED
    parts = frame.lane.family.numbers(frame.certificates, frame.lane.settings) if frame.certificates else []
    if frame.fast_run is not None:  # the first is the number of steps
        parts = parts[1:]
    parts.append(f"training accuracy {training_accuracy(frame)}" if frame.accuracy >= 0 else "counting wrong points…")
    parts.append(span_of_time(frame.seconds))
    return "  ·  ".join(parts)


def waits_for_a_class(lane: Lane, classes: Sequence[int]) -> bool:
    """Return whether the lane needs two classes, and all points are of one."""
    return len(classes) == 1 < lane.family.n_classes_needed


def empty_sentence(
    lane: Lane, classes: list[int], n_points: int, names: Sequence[str] = CLASS_NAMES, n_test: int = 0
) -> str:
    """Return what to do for an empty lane; `classes` and `n_points` are those of its training points."""
    if n_points == 0 and n_test:
        return "All points are test points: nothing is left to learn from.\nShift and the brush N gives points back."
    if n_points == 0:
        return "Click to add points.\nKeys 1–8 choose their class; or generate a data set."
    if waits_for_a_class(lane, classes):
        who = lane.trainer.subject if lane.trainer else lane.family.title
        which = "All points but test points" if n_test else "All points"
        return f"{who} needs two classes.\n{which} are of {names[classes[0]]}: press another number and click."
    return "" if fast_loops.ready() else "Preparing the fast solver for this many points…"


def speed(steps_per_second: float) -> str:
    """Return a speed in words: "full speed", "1 step in 2 s", "30 steps a second"."""
    if math.isinf(steps_per_second):
        return "full speed"
    if steps_per_second < 1:
        return f"1 step in {1 / steps_per_second:g} s"
    return f"{count(int(steps_per_second), 'step')} a second"


def speed_note(lane: Lane) -> str:
    """Return the tool tip of a lane's speed."""
    own = "" if lane.trainer is None or lane.trainer.step == "step" else f"; one step is one {lane.trainer.step}"
    return f"Steps a second while it trains (a replay has a speed of its own, beside its timeline){own}."


#: Choices of what the colours show: text, the lane's `shading`, an explanation, and the name of the undo step.
SHADINGS_OF_F = (
    ("Value of f", "", "How far f is from the boundary; the dashed lines are the margins.", "Shade f"),
    (
        "Probability",
        "probability",
        "Platt's sigmoid of f, fitted to points that five trainings left out; the dashed lines are 10, 50 and 90 %, of"
        " several classes 50 and 90 % of the most probable one.",
        "Shade the probability",
    ),
)
#: Choices for a classifier with probabilities of its own.
SHADINGS_OF_SHARES = (
    (
        "Probability",
        "",
        "The classifier's own: the share of its votes, or what it computes.",
        "Hide lines of probability",
    ),
    (
        "Probability, with lines",
        "probability",
        "The same colours; dashed lines at 10 and 90 %, of several classes at 50 and 90 % of the most probable one.",
        "Show lines of probability",
    ),
)


def shadings(lane: Lane) -> tuple[tuple[str, str, str, str], ...]:
    """Return the choices of what the colours of a lane's picture show."""
    return SHADINGS_OF_F if lane.has_f else SHADINGS_OF_SHARES


#: Kinds of legend entries, and their texts.
LEGEND: tuple[tuple[str, str], ...] = (
    ("boundary", "Decision boundary"),
    ("margin", "Margins, thin and dashed: f = −1 and f = +1"),
    ("probability", "Lines of probability: 10 %, 50 % and 90 %"),
    ("free", "Free support vector: exactly on the margin"),
    ("bounded", "Bounded support vector: inside the margin or misclassified"),
    ("maybe", "May be a support vector: α is not unique"),
    ("chosen", "Kept: the classifier consists of these points"),
    ("kept", "Kept by kNN: without this point the picture changes"),
    ("test", "Test point: nothing is trained on it"),
    ("pie3", "Points of several classes at one location: a part for each"),
    ("wrong", "The model gets this point wrong"),
    ("tied", "Tied: neither right nor wrong"),
    ("tie", "Tie: no class is ahead"),
    ("orders", "Lines from other orders of the points: dotted if mistakes are left; the thick blue one is widest"),
    ("selected", "Selected point"),
    ("second", "Boundary of the second of two that are compared"),
)
#: Short name, formula and location of each KKT case.
KKT_CASES: dict[KktCase, tuple[str, str, str]] = {
    KktCase.NOT_SUPPORT: ("zero", "α = 0", "on the margin or beyond it"),
    KktCase.FREE: ("free", "0 < α < C", "exactly on the margin"),
    KktCase.INSIDE: ("bounded", "α = C", "on the margin or inside it"),
    KktCase.MISCLASSIFIED: ("bounded", "α = C", "misclassified, slack above 1"),
}
#: Largest number of points that a remark names by their coordinates.
MOST_NAMED = 4
#: Legend entries of KKT cases, which take the place of "free", "bounded" and "chosen".
KKT_LEGEND: tuple[tuple[str, str], ...] = (
    *(
        (f"kkt{case:d}", f"{name.capitalize()}: {', '.join(words)}")
        for case, (name, *words) in KKT_CASES.items()
        if case
    ),
    ("kkt1!", "Violated: y·f contradicts this case"),
    ("slack", "Slack ξ: from the point to its own margin; a double bar where that is not in view"),
)
#: Legend entry of a picture that is not certified.
PROVISIONAL = ("provisional", "Hatched: the training has not ended, nothing is certified yet")


def stacked(document: Document, index: int) -> str:
    """Return "2 points here: 1 of setosa, 1 of virginica" for the location of a point; "" if it is there alone."""
    labels = document.points.labels[document.points.stack(index)].tolist()
    each = [f"{labels.count(label)} of {document.class_name(label)}" for label in sorted(set(labels))]
    return f"{count(len(labels), 'point')} here: {', '.join(each)}" if len(labels) > 1 else ""


def own_points(document: Document) -> str:
    """Return the title of the data set if the points are not as generated: "Own points", "Moons, edited"; else ""."""
    if document.is_generated:
        return ""
    origin = document.origin
    return "Own points" if origin is None or not len(document.points) else f"{DATASETS[origin.name].title}, edited"


def alpha_remark(frame: Frame) -> str:
    """Return that other multipliers are optimal, too, and which points may be support vectors; "" if none are known."""
    if frame.run_state is None or not frame.run_state.ranges:
        return ""
    always, maybe = sorted((*frame.marks.free.tolist(), *frame.marks.bounded.tolist())), frame.marks.maybe.tolist()
    parts = [
        f"{_points_named(frame.points, index)} {one if len(index) == 1 else more}"
        for index, one, more in (
            (always, "is a support vector in every optimum", "are support vectors in every optimum"),
            (
                maybe,
                "may be" if always else "may be a support vector",
                "may be" if always else "may be support vectors",
            ),
        )
        if index
    ]
    return f"f and the margin are unique, α is not: {', '.join(parts)}."


def _points_named(points: Points, index: list[int]) -> str:
    """Return the coordinates of a few points, or the number of many."""
    named = [f"({', '.join(coordinate(x, max(points.extent)) for x in at)})" for at in points.xy[index].tolist()]
    return listed(named) if len(named) <= MOST_NAMED else count(len(named), "point")
