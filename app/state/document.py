"""Document: what is saved and undone, a frozen value; and the settings it is made of.

A parameter's type says all that forms, sliders and files know of it: its least and largest value, its default, and,
of a number of any size, the powers of ten that its slider spans (see `learners.scales`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta, Struct, field
from numpy.typing import NDArray

from app.core.number_format import number_in
from app.core.plain_text import plain
from app.core.points import LIMIT, MAX_CLASSES, Points
from app.learners.base import Learner, Seed, Trainer
from app.learners.fields import Field
from app.learners.knn import KnnSettings
from app.learners.model import Model, Stepwise
from app.learners.passed import LONGEST_NAME, PLACEHOLDER
from app.learners.pegasos import PegasosSettings
from app.learners.perceptron import PerceptronSettings
from app.learners.svm import SvmSettings
from app.learners.table import LEARNERS
from solver import Grid
from solver.core.scaler import Scaler
from solver.data import datasets

from .scaling import Scaling, measured
from .test_split import NO_SPLIT, Parts, Split, parts_of

if TYPE_CHECKING:
    GeneratorName: TypeAlias = str
else:  # the table says which there are
    GeneratorName = Literal[tuple(datasets.DATASETS)]


#: What is said behind the name of a classifier that learns from standardised coordinates.
STANDARDISED = ", standardised"
#: What is said behind its formulas.
OF_STANDARDISED = ";  x and y standardised"
#: What is said of other orders where they are not tried.
UNDRAWN = "  Other orders are not tried while it standardises."


class Lane(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One classifier of the comparison; the settings of those not chosen are kept for when they are."""

    classifier: str = "svm"
    knn: KnnSettings = KnnSettings()
    svm: SvmSettings = SvmSettings()
    #: The two classes whose margins are drawn, when there are more than two; twice the same is that class against
    #: the rest.
    pair: tuple[Annotated[int, Meta(ge=0, le=7)], Annotated[int, Meta(ge=0, le=7)]] = (0, 1)
    perceptron: PerceptronSettings = PerceptronSettings()
    pegasos: PegasosSettings = PegasosSettings()
    #: What the picture shades in place of f, with lines at 10, 50 and 90 %; not in a file that shades f.
    shading: Literal["probability"] | msgspec.UnsetType = msgspec.UNSET
    #: The settings of learners that have no field of their own, by name; not in a file that has none.
    others: tuple[tuple[str, Any], ...] | msgspec.UnsetType = msgspec.UNSET
    #: Whether the classifier learns from x and y minus their means, divided by their standard deviations, of the
    #: training points; not in a file of one that does not.
    standardise: bool | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        """ValueError, with a sentence, where the table of learners does not have what is asked for."""
        others = self._others
        for name in (self.classifier, *others):
            if name not in LEARNERS:
                raise ValueError(f"there is no classifier {name!r}")
        if self.standardise is False:  # one value for one meaning: lanes are compared
            msgspec.structs.force_setattr(self, "standardise", msgspec.UNSET)
        if any(name in self.__struct_fields__ for name in others):
            raise ValueError("the settings of a classifier stand in the wrong place")
        if others:  # from a file, or after a change, they come as plain values
            made = tuple((name, msgspec.convert(value, LEARNERS[name].settings)) for name, value in others.items())
            msgspec.structs.force_setattr(self, "others", made)

    @property
    def _others(self) -> dict[str, Any]:
        return {} if self.others is msgspec.UNSET else dict(self.others)

    def part(self, name: str) -> Any:
        """The settings of the learner `name`."""
        if name in self.__struct_fields__:
            return getattr(self, name)
        return self._others.get(name, LEARNERS[name].settings())

    def with_part(self, name: str, settings: Any) -> Lane:
        """With other settings of the learner `name`."""
        if name in self.__struct_fields__:
            return msgspec.structs.replace(self, **{name: settings})
        return msgspec.structs.replace(self, others=tuple((self._others | {name: settings}).items()))

    def with_value(self, field: Field, value: Any) -> Lane:
        """With another value of a parameter of its learner."""
        return self.with_part(self.classifier, msgspec.structs.replace(self.settings, **{field.parameter: value}))

    @property
    def family(self) -> Learner[Any]:
        """The row of `LEARNERS` of its classifier."""
        return LEARNERS[self.classifier]

    @property
    def settings(self) -> Any:
        """The parameters of its classifier."""
        return self.part(self.classifier)

    @property
    def filed(self) -> Lane:
        """As files have it: of a classifier passed from Python the name alone."""
        kept = tuple((name, settings) for name, settings in self._others.items() if LEARNERS[name].in_files)
        lane = self if len(kept) == len(self._others) else msgspec.structs.replace(self, others=kept or msgspec.UNSET)
        if self.family.in_files:
            return lane
        named = LEARNERS[PLACEHOLDER].settings(name=self.family.name(self.settings)[:LONGEST_NAME])
        return msgspec.structs.replace(lane, classifier=PLACEHOLDER).with_part(PLACEHOLDER, named)

    @property
    def title(self) -> str:
        """ "kNN, k = 5, uniform, Euclidean" or "SVM, RBF, C = 1, γ = 1, LASVM, standardised"."""
        return self.family.name(self.settings) + STANDARDISED * self.standardises

    @property
    def formula(self) -> str:
        """What its classifier computes, as `Learner.formula`."""
        return self.family.formula(self.settings) + OF_STANDARDISED * self.standardises

    @property
    def decision(self) -> str:
        """How it decides a class, as `Learner.decision`."""
        return self.family.decision(self.settings) + OF_STANDARDISED * self.standardises

    @property
    def remark(self) -> str:
        """What its classifier warns of, or teaches, as `Learner.remark`."""
        undrawn = self.standardises and getattr(self.settings, "orders", 0) > 0
        return self.family.remark(self.settings) + UNDRAWN * undrawn

    @property
    def standardises(self) -> bool:
        """Whether its classifier learns from standardised coordinates."""
        return self.standardise is True

    @property
    def learner(self) -> str:
        """The name in `TRAINERS` of what trains this lane; "" for what does not train."""
        name = getattr(self.settings, "trainer", self.classifier)
        return name if name in self.family.trainers else ""

    def estimator(self, at_once: bool = False) -> Stepwise:
        """Return what trains this lane, with `prepare` and `snapshot_model`.

        Parameters
        ----------
        at_once : bool, default=False
            Nobody follows the steps: the shortest way to the same optimum will do.

        Raises
        ------
        ValueError
            What the settings ask for does not exist; in one sentence.
        """
        family, settings = self.family, self.settings
        if sentence := family.refusal(settings):
            raise ValueError(sentence)
        made = family.estimator_at_once(settings) if at_once else family.estimator(settings)
        return made.standardised() if self.standardises else made

    def label_estimator(self) -> Stepwise:
        """Return what trains on one label more, as `Learner.label_estimator`."""
        made = self.family.label_estimator(self.settings)
        return made.standardised() if self.standardises else made

    def fit(self, points: Points, left_out: int = 0) -> Model:
        """Return the model of a classifier that does not train by steps, as `Learner.fit`."""
        model = self.family.fit(self.settings, self.inputs(points), left_out)
        if self.standardises:
            model.scaler = Scaler.of(points.xy)
        return model

    def inputs(self, points: Points) -> Points:
        """Return the points that the classifier itself learns from where it is given `points`."""
        if not (self.standardises and len(points)):
            return points
        return Points.of(Scaler.of(points.xy).transform(points.xy), points.labels, points.ids)

    @property
    def training_key(self) -> tuple[str, Any, bool]:
        """What its model depends on: a training goes on while this stays the same."""
        return self.classifier, self.family.training_key(self.settings), self.standardises

    @property
    def is_difference(self) -> bool:
        """It has no model of its own: it shows where those of the two compared lanes differ."""
        return self.family.compares

    @property
    def trainer(self) -> Trainer | None:
        """The row of `TRAINERS` of what trains this lane; None for what does not train."""
        return self.family.trainers.get(self.learner)

    @property
    def has_f(self) -> bool:
        """Its model is made of binary problems, each with an f."""
        return self.trainer is not None and self.trainer.has_f

    @property
    def shows_probability(self) -> bool:
        """Its picture shades the probability, and has lines of it."""
        return self.shading == "probability" and self.family.has_probability

    @property
    def multiclass(self) -> str:
        """How more than two classes become binary problems; linear learners have one w for each class."""
        return str(getattr(self.settings, "multiclass", "one-vs-rest"))

    def drawn(self, problems: Sequence[tuple[int, int]]) -> int:
        """Which of `problems`, as `problems_of` has them, has its margins drawn: the chosen one, else the first."""
        first = self.pair[0]
        for p, problem in enumerate(problems):
            if set(problem) == set(self.pair) or problem == (first, first):
                return p
        return 0


def problems_of(classes: Sequence[int], multiclass: str) -> tuple[tuple[int, int], ...]:
    """The binary problems of several classes: pairs of class numbers, twice the same for a class against the rest."""
    if multiclass == "one-vs-rest" and len(classes) > 2:
        return tuple((c, c) for c in classes)
    return tuple(combinations(classes, 2))


#: What classes are called that have no name of their own, inside a sentence.
CLASS_NAMES = tuple(f"class {label + 1}" for label in range(MAX_CLASSES))


def problem(first: int, second: int, names: Sequence[str] = CLASS_NAMES) -> str:
    """Return "class 1 against class 2", or "class 1 against the rest" for twice the same class number."""
    return f"{names[first]} against {'the rest' if first == second else names[second]}"


class GeneratorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the generator makes next."""

    name: GeneratorName = "moons"
    count: Annotated[int, Meta(ge=1, le=50_000)] = 100
    noise: Annotated[float, Meta(ge=0, le=10)] = 0.2
    seed: Seed = 0
    shift: Annotated[float, Meta(ge=-1, le=1)] = 0.0
    n_classes: Annotated[int, Meta(ge=2, le=MAX_CLASSES)] = 2
    #: Share of each class that gets another class's label.
    flipped: Annotated[float, Meta(ge=0, le=datasets.MOST_FLIPPED)] = 0.0

    def points(self) -> Points:
        """The points these settings stand for; ValueError with a sentence when they cannot be."""
        return _points_of(self)


@lru_cache(maxsize=1)  # whoever asks whether the points are the generator's asks right after they were made
def _points_of(settings: GeneratorSettings) -> Points:
    X, y = datasets.generate(
        settings.name,
        settings.count,
        noise=settings.noise,
        seed=settings.seed,
        shift=settings.shift,
        n_classes=settings.n_classes,
        flipped=settings.flipped,
    )
    return Points.of(X, y)


#: No view spans a smaller share of its distance from the origin: its pixels would be the same numbers.
FINEST = 1e-12


class View(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What part of the plane is shown: its centre, and the length that the shorter side of a canvas spans."""

    x: Annotated[float, Meta(ge=-LIMIT, le=LIMIT)] = 0.0
    y: Annotated[float, Meta(ge=-LIMIT, le=LIMIT)] = 0.0
    span: Annotated[float, Meta(ge=1e-9, le=4 * LIMIT)] = 2.4

    @staticmethod
    def fitting(points: Points) -> View:
        """The view that shows all points with a margin; the unit square about the origin when there are none."""
        if len(points) == 0:
            return View()
        # Column by column: along so short an axis it takes ten times as long.
        low, high = (np.array([extreme(points.xy[:, 0]), extreme(points.xy[:, 1])]) for extreme in (np.min, np.max))
        size = float((high - low).max())
        # A single point, or points too close to tell apart at their distance from the origin, still get some room.
        least = max(1e-9, 1e-6 * float(max(np.abs(low).max(), np.abs(high).max())))
        span = 1.2 * size if size > least else max(2.0, 2.0 * least)
        middle = low + 0.5 * (high - low)
        return View(float(middle[0]), float(middle[1]), span)

    def shows(self, points: Points) -> bool:
        """Some point lies in the square about the middle that any canvas shows; True when there is none at all."""
        away = np.maximum(np.abs(points.xy[:, 0] - self.x), np.abs(points.xy[:, 1] - self.y))
        return len(away) == 0 or bool(away.min() <= 0.5 * self.span)

    def holds(self, points: Points) -> bool:
        """All points lie in that square."""
        away = np.maximum(np.abs(points.xy[:, 0] - self.x), np.abs(points.xy[:, 1] - self.y))
        return len(away) == 0 or bool(away.max() <= 0.5 * self.span)

    def showing(self, xy: NDArray[np.float64]) -> View:
        """The view that shows these places, too; the same where it shows them already."""
        half = 0.5 * self.span
        middle = np.array([self.x, self.y])
        low, high = np.minimum(xy.min(axis=0), middle - half), np.maximum(xy.max(axis=0), middle + half)
        if bool((low == middle - half).all() and (high == middle + half).all()):
            return self
        centre = low + 0.5 * (high - low)
        return View(float(centre[0]), float(centre[1]), min(1.1 * float((high - low).max()), 4 * LIMIT))

    def is_seen_on(self, grid: Grid) -> bool:
        """The grid is of this part of the plane."""
        off = abs(0.5 * (grid.left + grid.right) - self.x) + abs(0.5 * (grid.bottom + grid.top) - self.y)
        side = min(grid.right - grid.left, grid.top - grid.bottom)
        return off + abs(side - self.span) <= 1e-6 * self.span

    @property
    def shown_span(self) -> float:
        """The length that is really spanned: so far out, places nearer to each other could not be told apart."""
        return max(self.span, FINEST * max(abs(self.x), abs(self.y)))

    def zoomed(self, factor: float, x: float, y: float) -> View:
        """Spanning `factor` times as much, with the plane's point (x, y) staying where it is on screen."""
        span = min(max(self.span * factor, 1e-9, FINEST * max(abs(x), abs(y))), 4 * LIMIT)
        factor = span / self.span
        return View(_within(x + (self.x - x) * factor), _within(y + (self.y - y) * factor), span)

    def panned(self, dx: float, dy: float) -> View:
        """Moved by (dx, dy) in units of the plane."""
        return View(_within(self.x + dx), _within(self.y + dy), self.span)


def _within(value: float) -> float:
    return min(max(value, -LIMIT), LIMIT)


class ClassStyle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a class is called and how it is coloured; "" leaves its number and the theme's colour."""

    name: Annotated[str, Meta(max_length=40)] = ""
    colour: Annotated[str, Meta(pattern="^(#[0-9a-f]{6})?$")] = ""


#: How many lanes there can be.
MAX_LANES = 4
ClassStyles = Annotated[tuple[ClassStyle, ...], Meta(min_length=MAX_CLASSES, max_length=MAX_CLASSES)]
PLAIN_STYLES = (ClassStyle(),) * MAX_CLASSES
AxisName = Annotated[str, Meta(max_length=60)]
Notes = Annotated[str, Meta(max_length=100_000)]
#: Factors of x and y: smallest and largest, and those of the units that the points came in.
LEAST_UNIT, MOST_UNIT = 0.001, 1000.0
_Unit = Annotated[float, Meta(ge=LEAST_UNIT, le=MOST_UNIT)]
Units: TypeAlias = tuple[_Unit, _Unit]
NO_UNITS = (1.0, 1.0)
#: How many points the lanes train on at most.
LEAST_LIMIT, NO_LIMIT = 10, 10_000_000
TrainingLimit = Annotated[int, Meta(ge=LEAST_LIMIT, le=NO_LIMIT)]


class Document(Struct, frozen=True, eq=False):
    """Everything that is saved.

    Attributes
    ----------
    points : Points
    lanes : tuple of Lane
        One to `MAX_LANES`, from left to right; the first `shown` of them are on screen, so that hiding some loses none
        of their settings.
    shown : int
    slots : tuple of int
        The numbers 0 to 3, first those of the lanes: a lane keeps its number wherever it moves, and what was learnt
        for it keeps to that number.  Not saved.
    compared : tuple of (int, int)
        Places of the two lanes that are compared.
    origin : GeneratorSettings or None
        What the points were generated with, though they may have been edited since; None when no generator made them.
    generator : GeneratorSettings
    view : View
    styles : tuple of ClassStyle
        Of classes 1 to 8.
    axes : tuple of (str, str)
        What x and y mean; "" when that was not said.
    notes : str
    training_limit : int
        Of more points than this, the lanes train on a sample.
    split : Split
        Which points are kept back to test on.
    scaling : Scaling or None
        What the points were standardised by when they were imported; None when they were not.
    units : tuple of (float, float)
        What x and y have been multiplied by since the points were drawn, made or imported.
    attached : tuple of (str, bytes)
        What features keep with it, by name: JSON that they read themselves.  Undo passes over it.
    """

    points: Points = field(default_factory=Points)
    lanes: tuple[Lane, ...] = (Lane("knn"), Lane("svm"))
    shown: int = 2
    generator: GeneratorSettings = GeneratorSettings()
    view: View = View()
    styles: ClassStyles = PLAIN_STYLES
    axes: tuple[AxisName, AxisName] = ("", "")
    notes: Notes = ""
    training_limit: TrainingLimit = 10_000
    slots: tuple[int, ...] = tuple(range(MAX_LANES))
    compared: tuple[int, int] = (0, 1)
    split: Split = NO_SPLIT
    origin: GeneratorSettings | None = None
    scaling: Scaling | None = None
    attached: tuple[tuple[str, bytes], ...] = ()
    units: Units = NO_UNITS

    @property
    def has_passed(self) -> bool:
        """A lane has a classifier passed from Python: files and texts hold its name only."""
        return not all(lane.family.in_files for lane in self.lanes)

    @property
    def measured(self) -> tuple[NDArray[np.float64], tuple[AxisName, AxisName]]:
        """The points' places and the names of the axes for other programs: not standardised."""
        if self.scaling is None:
            return self.points.xy, self.axes
        return self.scaling.undo(self.points.xy), measured(self.axes)

    @property
    def parts(self) -> Parts:
        """What the split comes to; the same object while nothing has changed."""
        return _parts_of(self)

    @property
    def is_simple(self) -> bool:
        """Simple has a control for everything that the classifiers on screen use."""
        return all(lane.family.is_simple(lane.settings) for lane in self.lanes[: self.shown])

    @property
    def is_generated(self) -> bool:
        """The points are exactly those that the generator made, none of them edited since."""
        return self.origin is not None and _are_made_by(self.origin, self.points)

    @property
    def test_points(self) -> Points:
        """What nothing is trained on; the same object while they are the same."""
        return self.parts.test

    @property
    def training_points(self) -> Points:
        """What the lanes train on: the points that are not for testing, or a sample of them.

        The same object while they are the same: a new test point retrains nothing.
        """
        return self.parts.training

    def class_name(self, label: int) -> str:
        """What class `label` (0 to 7) is called: "setosa", or "class 1"; a name that is a number is "class 0"."""
        name = plain(self.styles[label].name)
        return name if name and math.isnan(number_in(name)) else f"class {name or label + 1}"

    @property
    def class_names(self) -> tuple[str, ...]:
        """What all eight are called."""
        return tuple(self.class_name(label) for label in range(MAX_CLASSES))


@lru_cache(maxsize=8)  # looked up by identity: a composed scene asks some hundred times
def _parts_of(document: Document) -> Parts:
    return parts_of(document.points, document.split, document.training_limit)


@lru_cache(maxsize=4)
def _are_made_by(settings: GeneratorSettings, points: Points) -> bool:
    if len(points) not in (2 * settings.count, settings.n_classes * settings.count):
        return False
    try:
        return settings.points().looks_like(points)
    except ValueError:  # a file may hold what no generator accepts
        return False


def default_document() -> Document:
    """What the first start shows: two moons, kNN beside an SVM."""
    settings = GeneratorSettings()
    points = settings.points()
    return Document(points=points, view=View.fitting(points), origin=settings)
