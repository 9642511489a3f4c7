"""Study: a table of trainings, as a frozen value; its possible axes, and the measures.

A study varies parameters of a classifier, and of its data, over given values: its axes.  The first two are the sides of
the map; each combination of the others has a map of its own.  A *cell* is one value on each axis.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct, field
from numpy.typing import NDArray

from app.learners.fields import Field
from app.learners.scales import parameter
from app.learners.table import LEARNERS
from app.state.document import GeneratorSettings, Lane
from app.state.edit_struct import changed_struct
from solver.core.arrays import Array
from solver.data.datasets import DATASETS

Kind = Literal["grid", "efficiency", "learning-curve", "rules"]
Value = int | float | str
#: Parameters along which a path goes: the training for one value speeds up the next.
PATH_AXES = ("C", "k")
_EDITED = ("slider", "number", "integer", "large integer", "choice")


class AxisKind(Struct, frozen=True, eq=False):
    """A possible axis: a setting of the generator (a row of `DATA_AXES`) or a parameter of a classifier.

    Attributes
    ----------
    struct : type
        The settings that have the parameter.
    parameter, title : str
    choices : dict of str to str
        Title of each value of a parameter without numbers.
    proposal : tuple or None
        From, to, number of values, and whether they are in equal ratios: the range that the form proposes.
    per_cent : bool
        Displayed and typed as a percentage.
    """

    struct: Any
    parameter: str
    title: str
    choices: Mapping[str, str] = field(default_factory=dict)
    proposal: tuple[float, float, int, bool] | None = None
    per_cent: bool = False

    @property
    def limits(self) -> tuple[float, float, bool]:
        """The smallest and largest number, and whether only whole numbers are allowed."""
        found = parameter(self.struct, self.parameter)
        return float(found.least), float(found.most), type(getattr(self.struct(), self.parameter)) is int


#: Axes of the data.
DATA_AXES: Mapping[str, AxisKind] = {
    "n": AxisKind(GeneratorSettings, "count", "n per class"),
    "data": AxisKind(GeneratorSettings, "name", "Data set", {name: row.title for name, row in DATASETS.items()}),
    "noise": AxisKind(GeneratorSettings, "noise", "Noise", proposal=(0, 0.5, 6, False)),
    "shift": AxisKind(GeneratorSettings, "shift", "Shift", proposal=(-0.1, 0.1, 5, False)),
    "flipped": AxisKind(GeneratorSettings, "flipped", "Flipped labels", proposal=(0, 0.3, 7, False), per_cent=True),
}


class StudyMeasure(Struct, frozen=True):
    """A row of `MEASURES`.

    Attributes
    ----------
    title, note : str
    of : callable
        ``of(trained)``: its value for a `computing.Trained`.
    best : {"", "largest", "smallest"}
    share : bool
        At most 1, and displayed as a percentage.
    log : bool
        Drawn on a logarithmic axis.
    least : float
        Its lower bound.
    only : {"", "steps", "multipliers", "kept"}
        The ability a classifier needs to have it: training by steps, a multiplier for each point, or a choice of the
        points that it keeps.
    """

    title: str
    note: str
    of: Callable[[Any], float]
    best: Literal["", "largest", "smallest"] = ""
    share: bool = False
    log: bool = False
    least: float = 0.0
    only: Literal["", "steps", "multipliers", "kept"] = ""

    def holds(self, value: float) -> bool:
        """Return True if the measure can have this value; a share may exceed 1 by its rounding error."""
        return self.least <= value <= (1.0 + 1e-9 if self.share else math.inf)


def _support_vectors(trained: Any) -> int:
    trainer = trained.trainer
    found = [pair.index[solver.beta != 0.0] for pair, solver in zip(trainer.pairs, trainer.solvers, strict=True)]
    return len(np.unique(np.concatenate(found)))


def _margin(trained: Any) -> float:
    norm = max(solver.squared_norm for solver in trained.trainer.solvers)
    return float(1.0 / np.sqrt(norm)) if norm > 0.0 else 0.0


#: The measures of a study, by their names in its file.
MEASURES: dict[str, StudyMeasure] = {
    "accuracy": StudyMeasure(
        "accuracy",
        "share of points classified rightly that nothing was trained on",
        lambda trained: trained.outcome(True).accuracy,
        "largest",
        share=True,
    ),
    "training_accuracy": StudyMeasure(
        "training accuracy",
        "the same of the points that were trained on",
        lambda trained: trained.outcome(False).accuracy,
        "largest",
        share=True,
    ),
    "support_vectors": StudyMeasure(
        "support vectors", "how many points have a multiplier above 0", _support_vectors, only="multipliers"
    ),
    "points_kept": StudyMeasure(
        "points kept",
        "how many of the points that were trained on are kept",
        lambda trained: trained.trainer.solvers[0].certificate().n_kept,
        only="kept",
    ),
    "disagreement": StudyMeasure(
        "disagreement",
        "share of these points where another classifier predicts another class",
        lambda trained: (trained.outcome(True).predicted != trained.other).mean(),
        "smallest",
        share=True,
    ),
    "seconds": StudyMeasure(
        "seconds",
        "of the training, which then begins at zero for each C; of kNN, of its answers",
        lambda trained: trained.seconds,
        "smallest",
        log=True,
    ),
    "steps": StudyMeasure(
        "steps",
        "of the training, which then begins at zero for each C",
        lambda trained: trained.trainer.n_iter,
        "smallest",
        log=True,
        only="steps",
    ),
    "dual": StudyMeasure(
        "dual",
        "the dual objective at the end, summed over the binary problems",
        lambda trained: sum(solver.dual for solver in trained.trainer.solvers),
        least=-math.inf,
        only="multipliers",
    ),
    "margin": StudyMeasure(
        "margin", "1/||w||, the smallest of the binary problems", _margin, "largest", only="multipliers"
    ),
}


def heading_of(name: str, generated: bool, folds: bool, square: bool = False) -> str:
    """Return the heading of a measure; that of an accuracy names its points.

    These are the points of the left-out folds, points on the whole square with their true classes, new points of the
    generator, or the test points of the document.
    """
    if name != "accuracy":
        title = MEASURES[name].title
        return title[0].upper() + title[1:]
    if folds:
        return "Validation accuracy"
    if square:
        return "Accuracy on the whole square"
    return "Accuracy on new points" if generated else "Test accuracy"


class StudyAxis(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A parameter and its values; numbers ascend."""

    name: str
    values: Annotated[tuple[Value, ...], Meta(min_length=1, max_length=1000)]


class Study(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything that the results of a study depend on.

    Attributes
    ----------
    kind : {"grid", "efficiency", "learning-curve", "rules"}
    axes : tuple of StudyAxis
    values : tuple of str
        Names of `MEASURES`.
    lane : Lane
        Holds the settings that no axis changes; settings of other classifiers have their defaults.
    generator : GeneratorSettings or None
        Draws the points, anew for each repetition; None for given points.
    digest : str
        Hash of the given points, see `cells.digest_of`; "" with a generator.
    folds : int
        Number of folds of a cross-validation; 0: test points are used.
    repetitions, draws : int
        Each repetition is the mean over this number of sets of training points.
    test : int
        Test points for each draw.
    test_on : {"generator", "square"}
        "generator": drawn like the training points; "square": uniform on [-1, 1]^2, with the true classes of the data
        set.
    k_up_to_n : bool
        Cells with k above n, the points per class, do not exist.
    most_steps : int
        Number of steps after which a training is stopped early.
    other : Lane or None
        The classifier for the measure "disagreement"; no axis changes it.
    """

    kind: Kind = "grid"
    axes: Annotated[tuple[StudyAxis, ...], Meta(min_length=1, max_length=6)] = ()
    values: Annotated[tuple[str, ...], Meta(min_length=1)] = ("accuracy",)
    lane: Lane = Lane()
    generator: GeneratorSettings | None = None
    digest: str = ""
    folds: Annotated[int, Meta(ge=0, le=1000)] = 0
    repetitions: Annotated[int, Meta(ge=1, le=100_000)] = 1
    draws: Annotated[int, Meta(ge=1, le=100_000)] = 1
    test: Annotated[int, Meta(ge=1, le=1_000_000)] = 1000
    test_on: Literal["generator", "square"] = "generator"
    k_up_to_n: bool = False
    most_steps: Annotated[int, Meta(ge=1, le=1_000_000_000)] = 10_000_000
    other: Lane | None = None

    def heading(self, name: str) -> str:
        """Return the heading of a measure in this study."""
        return heading_of(name, self.generator is not None, self.folds > 0, self.test_on == "square")

    @property
    def path_axis(self) -> int:
        """Index of the axis along which paths go; -1 if each cell is a path."""
        return next((index for index, axis in enumerate(self.axes) if axis.name in PATH_AXES), -1)

    def head(self, axis: StudyAxis) -> str:
        """Return the name of an axis for tables: without the prefix of the classifier, which a form for all of them
        needs.
        """
        return axis.name.removeprefix(f"{self.lane.classifier}_")

    def choice(self, cell: tuple[int, ...]) -> dict[str, Value]:
        """Return the value of each axis in the cell with these indices."""
        return {axis.name: axis.values[index] for axis, index in zip(self.axes, cell, strict=True)}

    def lane_at(self, choice: Mapping[str, Value]) -> Lane:
        """Return the classifier of a cell."""
        return _lane_at(self.lane, tuple((name, value) for name, value in choice.items() if name not in DATA_AXES))

    def generator_at(self, choice: Mapping[str, Value]) -> GeneratorSettings | None:
        """Return the generator of a cell's points; None for given points."""
        if self.generator is None:
            return None
        changes = {DATA_AXES[name].parameter: value for name, value in choice.items() if name in DATA_AXES}
        return msgspec.structs.replace(self.generator, **changes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each axis."""
        return tuple(len(axis.values) for axis in self.axes)


@lru_cache(maxsize=8)
def existing_cells(study: Study) -> NDArray[np.bool_]:
    """Return which cells the study has, over all axes."""
    if not study.k_up_to_n:
        return np.broadcast_to(np.True_, study.shape)
    n = study.generator.count if study.generator is not None else math.inf
    return np.broadcast_to(values_along(study, "k", 0) <= values_along(study, "n", n), study.shape)


def values_along(study: Study, name: str, otherwise: float) -> Array:
    """Return the numbers of an axis, with a dimension for each axis of the study; without such an axis, `otherwise`."""
    sides = [-1 if axis.name == name else 1 for axis in study.axes]
    values = next((axis.values for axis in study.axes if axis.name == name), (otherwise,))
    return np.array(values, dtype=np.float64).reshape(sides if -1 in sides else [1] * len(sides))


@lru_cache(maxsize=4096)
def _lane_at(lane: Lane, changes: tuple[tuple[str, Value], ...]) -> Lane:
    kinds = axis_kinds(lane.classifier)
    new = {kinds[name].parameter: value for name, value in changes}
    return lane.with_part(lane.classifier, changed_struct(lane.settings, new)) if new else lane


def axis_fields(classifier: str) -> dict[str, Field]:
    """Return the fields of a learner that can be an axis, by name."""
    return {field.name: field for field in LEARNERS[classifier].fields if field.kind in _EDITED}


@cache
def axis_kinds(classifier: str) -> dict[str, AxisKind]:
    """Return the possible axes of a study of `classifier`, by name."""
    struct = LEARNERS[classifier].settings
    own = {
        name: AxisKind(
            struct, row.parameter, row.label or row.title, {value: text for text, value, _ in row.choices}, row.tried
        )
        for name, row in axis_fields(classifier).items()
    }
    return {**own, **DATA_AXES}


def axis_names(classifier: str, generated: bool) -> list[str]:
    """Return the names of the possible axes; with given points, only n of the data can be varied."""
    return [*axis_fields(classifier), *(DATA_AXES if generated else ("n",))]


def measures_of(lane: Lane, other: bool = False) -> list[str]:
    """Return the measures that exist for the classifier of `lane`, alone or beside an `other` one."""
    trainer = lane.trainer
    has = {
        "": True,
        "steps": trainer is not None,
        "multipliers": trainer is not None and trainer.has_multipliers,
        "kept": trainer is not None and not trainer.has_f,
    }
    return [name for name, row in MEASURES.items() if has[row.only] and (other or name != "disagreement")]


def log_steps(start: float, stop: float, count: int) -> tuple[float, ...]:
    """Return numbers in equal ratios, with three digits."""
    if count == 1:
        return (start,)
    return tuple(float(f"{start * (stop / start) ** (i / (count - 1)):.3g}") for i in range(count))


def spaced(start: float, stop: float, count: int, log: bool, whole: bool = False) -> tuple[Value, ...]:
    """Return numbers in equal ratios or steps, without repetitions."""
    if log:
        found = log_steps(start, stop, count)
    else:
        found = tuple(float(f"{start + (stop - start) * i / max(count - 1, 1):.6g}") for i in range(count))
    return tuple(dict.fromkeys(round(each) for each in found)) if whole else tuple(dict.fromkeys(found))


#: The study that `study init` writes: 7 x 7, five folds, well below a minute.
EXAMPLE = Study(
    "grid",
    (StudyAxis("C", log_steps(0.01, 10_000.0, 7)), StudyAxis("gamma", log_steps(0.01, 100.0, 7))),
    ("accuracy", "support_vectors"),
    Lane("svm"),
    GeneratorSettings("moons", 100, 0.2),
    folds=5,
)
_TENS = tuple(range(5, 96, 10))
#: The efficiency study of the lecture notes: six set-ups, three kinds of votes, 10^5 tests for each cell.
NOTES = Study(
    "efficiency",
    (
        StudyAxis("n", _TENS),
        StudyAxis("k", _TENS),
        StudyAxis("weights", ("uniform", "distance", "distance-squared")),
        StudyAxis("data", ("line", "circle")),
        StudyAxis("shift", (-0.1, 0.0, 0.1)),
    ),
    ("accuracy",),
    Lane("knn"),
    GeneratorSettings("line", 50, 0.0),
    repetitions=10,
    draws=100,
    test=100,
    test_on="square",
    k_up_to_n=True,
)
LEARNING = Study(
    "learning-curve",
    (StudyAxis("n", (5, 10, 20, 50, 100, 200)),),
    ("accuracy", "training_accuracy"),
    Lane("svm"),
    GeneratorSettings("circle", 50, 0.0),
    repetitions=10,
    test=2000,
)
RULES = Study(
    "rules",
    (
        StudyAxis("n", (20, 50, 100, 200)),
        StudyAxis("rule", ("cyclic", "random", "platt", "first-order", "second-order", "maximum-gain")),
    ),
    ("steps", "seconds", "dual"),
    Lane("svm"),
    GeneratorSettings("circle", 50, 0.1),
    repetitions=5,
    test=100,
    most_steps=1_000_000,
)
#: The accuracy of kNN as the number of points grows, towards its limit.
LIMIT = Study(
    "learning-curve",
    (StudyAxis("n", (5, 10, 20, 50, 100, 200, 500, 1000)), StudyAxis("k", (1, 5, 25, 125))),
    ("accuracy",),
    Lane("knn"),
    GeneratorSettings("moons", 50, 0.3),
    repetitions=10,
    draws=10,
    test=1000,
    k_up_to_n=True,
)
#: The studies that `study init --preset` writes, each with the sentence at its head.
PRESETS: dict[str, tuple[Study, str]] = {
    "grid": (EXAMPLE, "C and gamma of a support vector machine, judged by five folds."),
    "knn-notes": (
        NOTES,
        "kNN efficiency (lecture notes): accuracy over n and k on lines and circles that touch, overlap or leave a"
        " gap; the published weighted figures used 1/d^2, tested with points even on the whole square.",
    ),
    "knn-limit": (
        LIMIT,
        "kNN against the number of points, on moons with noise 0.3: the accuracy of 1-NN approaches 87.5 %, above the"
        " 84.4 % of Cover and Hart's bound; with a k that grows with n it approaches 91.5 %, 1 minus the Bayes error.",
    ),
    "learning-curve": (LEARNING, "Accuracy against the number of points, with the spread over repetitions."),
    "rules": (RULES, "Steps and seconds of the six working-set rules against the number of points."),
}


#: Why a study that compares with another classifier is refused.
STANDARDISES = "Both classifiers must standardise x and y, or neither, to be compared in a study."


def plain_lane(lane: Lane) -> Lane:
    """Return `lane` without the settings that its classifier does not use."""
    return Lane(lane.classifier, standardise=lane.standardise).with_part(lane.classifier, lane.settings)
