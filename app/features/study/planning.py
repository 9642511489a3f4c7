"""Planning: make a study of what the form holds, or a sentence for each wrong field; and estimate its duration.

A plan holds numbers as typed, so that each can be checked in its field.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace

from app.core.number_format import grouped, number_of, share_of, share_text
from app.learners.base import Learner
from app.learners.scales import LogScale, parameter
from app.learners.table import LEARNERS
from app.state.document import Document, Lane
from app.state.session import FeatureSession
from solver.core.arrays import Array

from . import reading
from .cells import digest_of
from .computing import Given
from .model import (
    LEARNING,
    NOTES,
    RULES,
    STANDARDISES,
    AxisKind,
    Study,
    StudyAxis,
    Value,
    axis_fields,
    axis_kinds,
    axis_names,
    existing_cells,
    heading_of,
    measures_of,
    plain_lane,
    spaced,
    values_along,
)
from .results import MOST_RESULTS, shape_of

#: Why a study of a classifier without a file format is refused: studies are files, too.
PASSED = "A classifier passed from Python cannot be studied: choose another one."
#: Largest number of values of an axis, and titles and limits of the whole numbers of the form.
MOST_VALUES = 100
WHOLE: dict[str, tuple[str, int, int]] = {
    "folds": ("Folds", 0, 100),
    "repetitions": ("Repetitions", 1, 1000),
    "draws": ("Draws", 1, 1000),
    "test": ("New points", 1, 100_000),
}


class AxisPlan(Struct, frozen=True):
    """An axis as the form holds it: from, to and number of values as typed, in equal ratios or equal steps.

    A parameter with choices takes all of them, without numbers.
    """

    name: str
    start: str = ""
    stop: str = ""
    count: str = ""
    log: bool = False


class FormKind(Struct, frozen=True):
    """A kind of study in the form.

    Attributes
    ----------
    title, sentence : str
    base : Study
        Provides what the form has no fields for, further axes included, and the initial contents of its fields.
    axes : tuple of AxisPlan
        Initial axes; empty: those that the classifier proposes.
    own_points : bool
        The points come from the generator of `base`, not from the document.
    suits : callable
        ``suits(learner)``: whether the study can be about this learner.
    """

    title: str
    sentence: str
    base: Study
    axes: tuple[AxisPlan, ...] = ()
    own_points: bool = False
    suits: Callable[[Learner[Any]], bool] = lambda learner: not learner.compares


_N_AND_K = (AxisPlan("n", "5", "95", "10"), AxisPlan("k", "5", "95", "10"))
KINDS: dict[str, FormKind] = {
    "grid": FormKind("Grid", "Any two parameters over their ranges: a map.", Study("grid", folds=5)),
    "efficiency": FormKind(
        "Efficiency map",
        "kNN on new points of the generator, over n and k.",
        Study("efficiency", repetitions=10, k_up_to_n=True),
        _N_AND_K,
        suits=lambda learner: bool(learner.searched),
    ),
    "learning-curve": FormKind(
        "Learning curve",
        "Against the number of points, with the spread over repetitions.",
        LEARNING,
        (AxisPlan("n", "5", "200", "6", True),),
    ),
    "rules": FormKind(
        "Working-set rules",
        "What the six rules cost as n grows.",
        msgspec.structs.replace(RULES, values=("steps", "seconds")),
        (AxisPlan("n", "20", "200", "4", True), AxisPlan("rule")),
        suits=lambda learner: any(each.has_rules for each in learner.trainers.values()),
    ),
    "notes": FormKind(
        "kNN efficiency (lecture notes)",
        "Accuracy over n and k on lines and circles that touch, overlap or leave a gap; the published weighted figures"
        " used 1/d², tested on points uniform on the whole square.",
        NOTES,
        _N_AND_K,
        own_points=True,
        suits=lambda learner: bool(learner.searched),
    ),
}


class StudyPlan(Struct, frozen=True):
    """The contents of the form.

    Attributes
    ----------
    kind : str
        A key of `KINDS`.
    generated : bool
        New points of the generator; else those of the document.
    axes : tuple of AxisPlan
        One or two.
    value : str
    folds, repetitions, draws, test : str
    """

    kind: str = "grid"
    generated: bool = False
    axes: tuple[AxisPlan, ...] = ()
    value: str = "accuracy"
    folds: str = "5"
    repetitions: str = "1"
    draws: str = "1"
    test: str = "1000"

    @property
    def base(self) -> Study:
        """The study whose fields the plan changes."""
        return KINDS[self.kind].base

    @property
    def further(self) -> tuple[StudyAxis, ...]:
        """Axes that the form has no fields for."""
        return self.base.axes[len(self.axes) :]


class StudySession(FeatureSession, frozen=True):
    """The user's choices for studies.

    Attributes
    ----------
    plan : StudyPlan or None
        None until something is chosen in the form.
    slot : int or None
        Slot of the lane whose settings the study begins with, and to which a cell is applied.
    value : str
        Measure that is displayed; "" for the first.
    rest : tuple of int
        Index on each axis beyond the second.
    midpoint, level : float or None
        Midpoint of the colours, and value of the contour.
    """

    plan: StudyPlan | None = None
    slot: int | None = None
    value: str = ""
    rest: tuple[int, ...] = ()
    midpoint: float | None = None
    level: float | None = None

    def of_new_document(self) -> StudySession:
        return StudySession()

    def of_new_lane(self, slot: int) -> StudySession:
        return replace(self, slot=None) if slot == self.slot else self


#: A sentence for each wrong field of the form.
Faults = dict[str, str]


class Planned(Struct, frozen=True, eq=False):
    """The study of a plan, or its faults.

    Attributes
    ----------
    study : Study or None
    given : Given or None
        The points, if no generator draws them.
    faults : dict of str to str
        A sentence for each wrong field.
    trainings : int
    seconds : float
        Estimated duration on one processor.
    """

    study: Study | None = None
    given: Given | None = None
    faults: Mapping[str, str] = field(default_factory=dict)
    trainings: int = 0
    seconds: float = 0.0


# -- what the form offers ----------------------------------------------------------------------------------------------


def lane_of(plan: StudyPlan, lane: Lane) -> Lane:
    """Return the classifier that is studied: that of `lane`, or the first one that suits this kind of study."""
    names = (lane.classifier, Lane().classifier, *LEARNERS)
    classifier = next(name for name in names if KINDS[plan.kind].suits(LEARNERS[name]))
    return plain_lane(Lane(classifier, standardise=lane.standardise).with_part(classifier, lane.part(classifier)))


def titles(lane: Lane, generated: bool) -> dict[str, str]:
    """Return the possible axes with their titles."""
    kinds = axis_kinds(lane.classifier)
    return {name: kinds[name].title for name in axis_names(lane.classifier, generated)}


def axis_plan(name: str, lane: Lane, document: Document, generated: bool) -> AxisPlan:
    """Return an axis with its proposed range."""
    kind = axis_kinds(lane.classifier)[name]
    if kind.choices:
        return AxisPlan(name)
    counts = [number for number in document.training_points.counts if number]
    low, high, whole = kind.limits
    scale = parameter(kind.struct, kind.parameter).scale
    proposal = kind.proposal
    if name == "n":
        most = 200 if generated else max(min(counts, default=1), 1)
        proposal = 5 if most >= 10 else 1, most, min(6, most), True
    elif lane.family.searched and name == lane.family.searched.field:
        proposal = 1, max(min(len(document.training_points) * 3 // 5, 50), 1), 8, True
    elif proposal is None and isinstance(scale, LogScale):
        proposal = 10.0 ** max(scale.least, -2), 10.0 ** min(scale.most, 4), 7, True
    start, stop, count, log = proposal or (low, high, int(min(high - low + 1, 9)) if whole else 5, False)
    return AxisPlan(name, _shown(kind, start), _shown(kind, stop), str(count), log)


def _shown(kind: AxisKind, value: float) -> str:
    """Return a value of an axis as the user would type it."""
    return share_text(value) if kind.per_cent else f"{value:g}"


def plan_of(kind: str, lane: Lane, document: Document) -> StudyPlan:
    """Return the initial plan of a kind of study."""
    row = KINDS[kind]
    numbers = {name: str(getattr(row.base, name)) for name in WHOLE}
    plan = StudyPlan(kind, True, row.axes, row.base.values[0], **numbers)
    if row.axes:
        return plan
    lane = lane_of(plan, lane)
    fields = axis_fields(lane.classifier)
    curves = (name for name, field in fields.items() if field.has_curve and field.shown(lane.settings, (0, 1)))
    names = list(dict.fromkeys([*curves, "n", *fields]))
    generated = len(names) < 2  # of given points n alone can be varied
    axes = tuple(axis_plan(name, lane, document, generated) for name in (("n", "noise") if generated else names[:2]))
    return replace(plan, generated=generated, axes=axes, folds="0" if generated else plan.folds)


def values_of(plan: StudyPlan, lane: Lane, other: bool) -> dict[str, str]:
    """Return the possible measures, alone or beside an `other` classifier, with their headings."""
    folds = plan.folds.strip() != "0"
    names = measures_of(lane_of(plan, lane), other)
    return {name: heading_of(name, plan.generated, folds, plan.base.test_on == "square") for name in names}


# -- from the form to a study ------------------------------------------------------------------------------------------


def planned(plan: StudyPlan, lane: Lane, document: Document, other: Lane | None = None) -> Planned:
    """Return the study of `plan` with the settings of `lane`; `other` is the classifier for "disagreement"."""
    if other is not None and other.standardises != lane.standardises:
        return Planned(faults={"": STANDARDISES})
    lane = lane_of(plan, lane)
    if not (lane.family.in_files and (other is None or other.family.in_files)):
        return Planned(faults={"": PASSED})
    faults: Faults = {}
    table = {axis.name: _range(axis, index, lane, faults) for index, axis in enumerate(plan.axes)}
    if len(table) < len(plan.axes):
        faults["axis1.name"] = "The second axis must be another parameter than the first."
    whole = {name: _whole(name, getattr(plan, name), faults) for name in WHOLE}
    if not plan.generated and len(document.training_points.classes) < 2:
        sentence = "There are no points of two classes to learn from: draw some, or take those of the generator."
        faults.setdefault("data", sentence)
    if not faults:
        given = None if plan.generated else Given(document.training_points, document.test_points)
        study = _study(plan, lane, document, table, whole, other)
        faults = _faults_of(study, given)
    if faults:
        return Planned(faults=faults)
    return Planned(study, given, {}, trainings_of(study), seconds_of(study, given))


def _range(axis: AxisPlan, index: int, lane: Lane, faults: Faults) -> tuple[Value, ...]:
    """Return the values of an axis; empty, with a fault noted, if one of its fields is wrong."""
    kind, field = axis_kinds(lane.classifier).get(axis.name), f"axis{index}."
    if kind is None:
        faults[f"{field}name"] = "Choose another parameter: this classifier does not have this one."
        return ()
    if kind.choices:
        return tuple(kind.choices)
    title, (least, most, whole), own, ends = kind.title, kind.limits, Faults(), []
    for name, typed, word in (("start", axis.start, "from"), ("stop", axis.stop, "to")):
        number = share_of(number_of(typed.strip().removesuffix("%"))) if kind.per_cent else number_of(typed)
        if not least <= number <= most or (whole and number != int(number)):
            what = f"a{' whole' if whole else ''} number from {_shown(kind, least)} to {_shown(kind, most)}"
            own[f"{field}{name}"] = f"{title} {word} must be {what}; “{typed[:20]}” is not."
        elif axis.log and number <= 0:
            own[f"{field}{name}"] = f"{title} {word} must be above 0 where values are in equal ratios."
        ends.append(number)
    count = number_of(axis.count)
    if not (2 <= count <= MOST_VALUES and count == int(count)):
        own[f"{field}count"] = f"{title} must have 2 to {MOST_VALUES} values; “{axis.count[:20]}” is not such a number."
    elif not own and not ends[0] < ends[1]:
        own[f"{field}stop"] = f"{title} to must be above {_shown(kind, ends[0])}, where it begins."
    faults |= own
    if own:
        return ()
    values = spaced(ends[0], ends[1], int(count), axis.log, whole)
    if len(values) < count and not whole:
        sentence = f"{title} has only {len(values)} of {int(count)} values: its ends are too close for more."
        faults[f"{field}count"] = sentence
    return values


def _whole(name: str, typed: str, faults: Faults) -> int:
    title, least, most = WHOLE[name]
    number = number_of(typed)
    if not least <= number <= most or number != int(number):
        faults[name] = f"{title} must be a whole number from {least} to {grouped(most)}; “{typed[:20]}” is not."
        return least
    return int(number)


def _study(
    plan: StudyPlan, lane: Lane, document: Document, table: Any, whole: dict[str, int], other: Lane | None
) -> Study:
    own = plan.base.generator if KINDS[plan.kind].own_points else document.generator
    value = plan.value if plan.value in measures_of(lane, other is not None) else "accuracy"
    more = (each for each in plan.base.values[1:] if each in measures_of(lane))
    values = tuple(dict.fromkeys((value, *more)))
    return msgspec.structs.replace(
        plan.base,
        axes=(*(StudyAxis(name, found) for name, found in table.items()), *plan.further),
        values=values,
        lane=lane,
        generator=own if plan.generated else None,
        digest="" if plan.generated else digest_of(document.training_points, document.test_points),
        other=plain_lane(other) if other is not None and "disagreement" in values else None,
        **{**whole, "draws": whole["draws"] if plan.generated else 1},
    )


#: Fields of the form by the table or key of a study file that a fault is about.
_FIELDS = {"folds": "folds", "draws": "draws", "values": "value", "test_on": "data", "data": "data"}


def _faults_of(study: Study, given: Given | None) -> Faults:
    """Return faults between fields, by the rules of study files, and the fault of too many results for the window."""
    size = math.prod(shape_of(study))
    if size > MOST_RESULTS:
        sentence = f"That makes {grouped(size)} results; the window takes {grouped(MOST_RESULTS)} at most."
        return {"": f"{sentence} The command line takes more."}
    found, names = Faults(), [axis.name for axis in study.axes[:2]]
    for fault in reading.faults_of(study, given):
        key, _, sentence = fault.partition(": ")
        table, _, name = key.partition(".")
        where = f"axis{names.index(name)}.stop" if table == "axes" and name in names else _FIELDS.get(table, "")
        what = "The axes" if key == "axes" else name or table
        found.setdefault(where, f"{what[0].upper()}{what[1:]} {sentence}")
    return found


# -- what it costs -----------------------------------------------------------------------------------------------------


def trainings_of(study: Study) -> int:
    """Return the number of trainings of the study."""
    return study.draws * study.repetitions * max(1, study.folds) * int(existing_cells(study).sum())


def costs_of(study: Study, given: Given | None) -> Array:
    """Return the seconds for a result of each cell, by the model of costs."""
    sizes = values_along(study, "n", 0)
    each = [study.draws * seconds_of_one(study, given, int(n)) for n in sizes.flat]
    return np.broadcast_to(np.array(each).reshape(sizes.shape), study.shape)


def seconds_of(study: Study, given: Given | None) -> float:
    """Return the seconds for the whole study on one processor, by the model of costs; `timing` corrects them."""
    return study.repetitions * max(1, study.folds) * float(costs_of(study, given).sum(where=existing_cells(study)))


def seconds_of_one(study: Study, given: Given | None, n: int) -> float:
    """Return the seconds for one training on `n` points per class; 0: those of the generator, or all given ones."""
    if given is None:
        assert study.generator is not None
        number, test = (n or study.generator.count) * study.generator.n_classes, study.test
    else:
        number, test = n * len(given.points.classes) if n else len(given.points), len(given.tests)
    if study.folds:
        test, number = number // study.folds, number - number // study.folds
    if study.lane.family.searched:
        along = len(study.axes[study.path_axis].values) if study.path_axis >= 0 else 1
        return (3e-4 + 1.3e-5 * test * (1.0 + number / 400)) / along
    if study.lane.trainer is not None and study.lane.trainer.has_multipliers:
        cold = 4.0 if study.kind == "rules" or "steps" in study.values else 1.0
        return cold * (5e-4 + 2.2e-8 * number**2) + 1e-8 * number * test
    return 1e-2 + 1e-6 * number + 1e-8 * test
