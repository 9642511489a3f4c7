"""Document: everything that is saved and undone, as a frozen value; and its settings.

The type of a parameter defines it for forms, sliders and files: smallest and largest value, default, and, for a
logarithmic slider, the powers of ten that it spans (see `learners.scales`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta, Struct, field
from numpy.typing import NDArray

from app.core.caches import kept
from app.core.dates import NO_DATES, Coordinates
from app.core.number_format import number_in
from app.core.plain_text import plain
from app.core.points import LIMIT, MAX_CLASSES, Points
from app.learners.base import Learner, Seed, Trainer
from app.learners.fields import Field
from app.learners.knn import KnnSettings
from app.learners.model import Model, Stepwise
from app.learners.online import PegasosSettings, PerceptronSettings
from app.learners.passed import LONGEST_NAME, PLACEHOLDER
from app.learners.svm import SvmSettings
from app.learners.table import LEARNERS, LISTED_TRAINERS
from solver import Grid
from solver.core.scaler import Scaler
from solver.data import datasets

from .scaling import Scaling, measured
from .split import NO_SPLIT, Split, SplitPoints, parts_of

if TYPE_CHECKING:
    GeneratorName: TypeAlias = str
else:  # the names in the table
    GeneratorName = Literal[tuple(datasets.DATASETS)]


#: Suffix to the name of a classifier that learns from standardised coordinates.
STANDARDISED = ", standardised"
#: Suffix to its formulas.
OF_STANDARDISED = ";  x and y standardised"
#: Suffix to the remark on a perceptron whose other orders are not tried.
UNDRAWN = "  Other orders are not tried while it standardises."


class Lane(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One classifier of the comparison; it also keeps the settings of classifiers that are not chosen."""

    classifier: str = "svm"
    knn: KnnSettings = KnnSettings()
    svm: SvmSettings = SvmSettings()
    #: With more than two classes, the two whose margins are drawn; two equal ones are that class against the rest.
    pair: tuple[Annotated[int, Meta(ge=0, le=7)], Annotated[int, Meta(ge=0, le=7)]] = (0, 1)
    perceptron: PerceptronSettings = PerceptronSettings()
    pegasos: PegasosSettings = PegasosSettings()
    #: Shading of the probability in place of f, with lines at 10, 50 and 90 %; absent from files that shade f.
    shading: Literal["probability"] | msgspec.UnsetType = msgspec.UNSET
    #: Settings, by name, of learners without a field of their own; absent from files without any.
    others: tuple[tuple[str, Any], ...] | msgspec.UnsetType = msgspec.UNSET
    #: Whether the classifier standardises x and y: subtracts the mean of the training points and divides by their
    #: standard deviation; absent from files if not.
    standardise: bool | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        """Raise a ValueError, with a sentence, if a classifier is not in the table of learners."""
        others = self._others
        for name in (self.classifier, *others):
            if name not in LEARNERS:
                raise ValueError(f"there is no classifier {name!r}")
        if self.standardise is False:  # the same as UNSET; lanes are compared
            msgspec.structs.force_setattr(self, "standardise", msgspec.UNSET)
        if any(name in self.__struct_fields__ for name in others):
            raise ValueError("the settings of a classifier are in the wrong place")
        if others:  # from a file, or after a change, they are plain values
            made = tuple((name, _settings(name, value)) for name, value in others.items())
            msgspec.structs.force_setattr(self, "others", made)

    @property
    def _others(self) -> dict[str, Any]:
        return {} if self.others is msgspec.UNSET else dict(self.others)

    def part(self, name: str) -> Any:
        """Return the settings of the learner `name`."""
        if name in self.__struct_fields__:
            return getattr(self, name)
        return self._others.get(name, LEARNERS[name].settings())

    def with_part(self, name: str, settings: Any) -> Lane:
        """Return the lane with other settings of the learner `name`."""
        if name in self.__struct_fields__:
            return msgspec.structs.replace(self, **{name: settings})
        return msgspec.structs.replace(self, others=tuple((self._others | {name: settings}).items()))

    def with_value(self, field: Field, value: Any) -> Lane:
        """Return the lane with another value of a parameter of its learner."""
        return self.with_part(self.classifier, msgspec.structs.replace(self.settings, **{field.parameter: value}))

    @property
    def family(self) -> Learner[Any]:
        """Row of `LEARNERS` of the classifier."""
        return LEARNERS[self.classifier]

    @property
    def settings(self) -> Any:
        """Parameters of the classifier."""
        return self.part(self.classifier)

    @property
    def filed(self) -> Lane:
        """Return the lane as saved: of a classifier passed from Python, only the name."""
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
        """Formula of the classifier, as `Learner.formula`."""
        return self.family.formula(self.settings) + OF_STANDARDISED * self.standardises

    @property
    def decision(self) -> str:
        """Rule for the predicted class, as `Learner.decision`."""
        return self.family.decision(self.settings) + OF_STANDARDISED * self.standardises

    @property
    def remark(self) -> str:
        """Warning or hint on the classifier, as `Learner.remark`."""
        undrawn = self.standardises and getattr(self.settings, "orders", 0) > 0
        return self.family.remark(self.settings) + UNDRAWN * undrawn

    @property
    def standardises(self) -> bool:
        """Whether the classifier learns from standardised coordinates."""
        return self.standardise is True

    @property
    def learner(self) -> str:
        """Name in `TRAINERS` of the trainer of this lane; "" for learners without training."""
        name = getattr(self.settings, "trainer", self.classifier)
        return name if name in self.family.trainers else ""

    def estimator(self, fast: bool = False) -> Stepwise:
        """Return the estimator that trains this lane, with `prepare` and `snapshot_model`.

        Parameters
        ----------
        fast : bool, default=False
            Use the fastest algorithm, if there is one for the same optimum: the steps are not displayed.

        Raises
        ------
        ValueError
            If there is no estimator for the settings; one sentence.
        """
        family, settings = self.family, self.settings
        if sentence := family.refusal(settings):
            raise ValueError(sentence)
        fastest = family.fast if fast and self.same_optimum else None
        made = (fastest or family).estimator(settings)
        return made.standardised() if self.standardises else made

    def label_estimator(self) -> Stepwise:
        """Return the estimator that trains with one more label, as `Asking.estimator`."""
        assert self.family.asking is not None and self.family.asking.estimator is not None
        made = self.family.asking.estimator(self.settings)
        return made.standardised() if self.standardises else made

    def trains_fast(self, n: int) -> bool:
        """Return whether `n` points are trained by the fastest algorithm, without recorded steps."""
        return self.family.fast is not None and self.family.fast.applies(self.settings, n)

    @property
    def same_optimum(self) -> bool:
        """Whether the training by steps ends at the optimum that the fastest algorithm finds."""
        return self.family.fast is not None and self.family.fast.same_optimum(self.settings)

    def fit(self, points: Points, left_out: int = 0) -> Model:
        """Return the model of a classifier that does not train by steps, as `Learner.fit`."""
        model = self.family.fit(self.settings, self.inputs(points), left_out)
        if self.standardises:
            model.scaler = Scaler.of(points.xy)
        return model

    def inputs(self, points: Points) -> Points:
        """Return `points`, standardised if the classifier standardises."""
        if not (self.standardises and len(points)):
            return points
        return Points.of(Scaler.of(points.xy).transform(points.xy), points.labels, points.ids)

    @property
    def training_key(self) -> tuple[str, Any, bool]:
        """Everything the model depends on beside the points; a training continues while this is unchanged."""
        return self.classifier, self.family.training_key(self.settings), self.standardises

    @property
    def is_difference(self) -> bool:
        """Whether the lane has no model, but shows where those of the two compared lanes differ."""
        return self.family.compares

    @property
    def trainer(self) -> Trainer | None:
        """Row of `TRAINERS` of the trainer of this lane; None for learners without training."""
        return self.family.trainers.get(self.learner)

    @property
    def has_f(self) -> bool:
        """Whether the model consists of binary problems, each with an f."""
        return self.trainer is not None and self.trainer.has_f

    @property
    def shows_probability(self) -> bool:
        """Whether the picture shades the probability and draws its lines."""
        return self.shading == "probability" and self.family.has_probability

    @property
    def multiclass(self) -> str:
        """How more than two classes are reduced to binary problems; linear learners use one against the rest."""
        return str(getattr(self.settings, "multiclass", "one-vs-rest"))

    def drawn(self, problems: Sequence[tuple[int, int]]) -> int:
        """Return the index, in the `problems` of `problems_of`, of the one whose margins are drawn."""
        first = self.pair[0]
        for p, problem in enumerate(problems):
            if set(problem) == set(self.pair) or problem == (first, first):
                return p
        return 0


def entry_of(lane: Lane) -> str:
    """Return the name of a lane's entry in the list of classifiers."""
    listed = lane.classifier == "svm" and lane.svm.trainer in LISTED_TRAINERS
    return lane.svm.trainer if listed else lane.classifier


def chosen_entry(lane: Lane, entry: str) -> dict[str, Any]:
    """Return the changes of a lane, with their text, that choose an entry of the list of classifiers."""
    if entry not in {"svm", *LISTED_TRAINERS}:
        return {"classifier": entry}
    title = LEARNERS["svm"].short if entry == "svm" else LISTED_TRAINERS[entry].title
    svm = msgspec.structs.replace(lane.svm, trainer="smo" if entry == "svm" else entry)
    return {"text": f"Set {title}", "classifier": "svm", "svm": svm}


def _settings(name: str, value: Any) -> Any:
    """Return `value` as the settings of the learner `name`, which an error names."""
    try:
        return msgspec.convert(value, LEARNERS[name].settings)
    except msgspec.ValidationError as error:
        raise msgspec.ValidationError(f"{error} - at `$.{name}`") from None


def problems_of(classes: Sequence[int], multiclass: str) -> tuple[tuple[int, int], ...]:
    """Return the binary problems of several classes: pairs of class numbers, equal for a class against the rest."""
    if multiclass == "one-vs-rest" and len(classes) > 2:
        return tuple((c, c) for c in classes)
    return tuple(combinations(classes, 2))


#: Names of classes without a name of their own, within a sentence.
CLASS_NAMES = tuple(f"class {label + 1}" for label in range(MAX_CLASSES))


def problem(first: int, second: int, names: Sequence[str] = CLASS_NAMES) -> str:
    """Return "class 1 against class 2", or "class 1 against the rest" for two equal class numbers."""
    return f"{names[first]} against {'the rest' if first == second else names[second]}"


class GeneratorSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the generator."""

    name: GeneratorName = "moons"
    count: Annotated[int, Meta(ge=1, le=50_000)] = 100
    noise: Annotated[float, Meta(ge=0, le=10)] = 0.2
    seed: Seed = 0
    shift: Annotated[float, Meta(ge=-1, le=1)] = 0.0
    n_classes: Annotated[int, Meta(ge=2, le=MAX_CLASSES)] = 2
    #: Share of each class that gets another class's label.
    flipped: Annotated[float, Meta(ge=0, le=datasets.MOST_FLIPPED)] = 0.0
    #: The rule of the data set "rule", and its square, the ends of x and y; absent from files with other data sets.
    rule: str | msgspec.UnsetType = msgspec.UNSET
    square: tuple[float, float] | msgspec.UnsetType = msgspec.UNSET

    def __post_init__(self) -> None:
        """Raise a ValueError, with a sentence, if a rule cannot be read."""
        ruled = self.name == "rule"
        for name, default in (("rule", datasets.RULE), ("square", datasets.SQUARE)):
            value = (getattr(self, name) or default) if ruled else msgspec.UNSET
            msgspec.structs.force_setattr(self, name, value)
        datasets.dataset_of(self.name, **self.own)

    @property
    def own(self) -> dict[str, Any]:
        """The user's own rule and its square, if the data set is of these."""
        return {"rule": self.rule, "square": self.square} if self.name == "rule" else {}

    def points(self) -> Points:
        """Return the points of these settings; raise a ValueError with a sentence if they cannot be generated."""
        return _points_of(self)


@kept(1)  # `is_generated` follows right after the points were generated
def _points_of(settings: GeneratorSettings) -> Points:
    X, y = datasets.generate(
        settings.name,
        settings.count,
        noise=settings.noise,
        seed=settings.seed,
        shift=settings.shift,
        n_classes=settings.n_classes,
        flipped=settings.flipped,
        **settings.own,
    )
    return Points.of(X, y)


#: Smallest span of a view, relative to its distance from the origin: below it, pixels would share coordinates.
FINEST = 1e-12


#: Limits of the ratio of two scales, and the ratio of two extents from which points are unlike along x and y.
_Ratio = Annotated[float, Meta(ge=1e-12, le=1e12)]
UNLIKE = 3.0


class View(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"own_ratio": "ratio"}):
    """The displayed part of the plane: its centre, and the length along x that the shorter side of a canvas spans.

    Along y, that side spans `ratio` times this length.
    """

    x: Annotated[float, Meta(ge=-LIMIT, le=LIMIT)] = 0.0
    y: Annotated[float, Meta(ge=-LIMIT, le=LIMIT)] = 0.0
    span: Annotated[float, Meta(ge=1e-9, le=4 * LIMIT)] = 2.4
    #: The ratio if each axis has its own scale, which may be 1; absent from files if they share one.
    own_ratio: _Ratio | msgspec.UnsetType = msgspec.UNSET

    @property
    def ratio(self) -> float:
        """Number of units of y that are as long on screen as one of x."""
        return 1.0 if self.own_ratio is msgspec.UNSET else self.own_ratio

    @property
    def owns_scales(self) -> bool:
        """Whether each axis has its own scale."""
        return self.own_ratio is not msgspec.UNSET

    @staticmethod
    def fitting(points: Points, own_scales: bool = False) -> View:
        """Return the view that shows all points with some space around; a square about the origin without points.

        With `own_scales`, the points extend equally far on screen along both axes.
        """
        if len(points) == 0:
            return View()
        low, high = _extremes(points)
        sizes, middle = high - low, low + 0.5 * (high - low)
        # A single point, or points that coincide at the precision of their coordinates, still get some space.
        least = np.maximum(1e-9, 10.0 * FINEST * np.maximum(np.abs(low), np.abs(high)))
        fits = own_scales and bool((sizes > least).all())
        ratio = min(max(float(sizes[1] / sizes[0]), 1e-12), 1e12) if fits else 1.0
        size, room = float(max(sizes[0], sizes[1] / ratio)), float(least.max())
        span = 1.2 * size if fits or size > room else max(2.0, 2.0 * room)
        return View(float(middle[0]), float(middle[1]), span, ratio if own_scales else msgspec.UNSET)

    def _away(self, points: Points) -> NDArray[np.float64]:
        """Return how far each point is from the centre along the axis where it is farther, in units of x."""
        x, y = points.xy[:, 0], points.xy[:, 1]
        return np.asarray(np.maximum(np.abs(x - self.x), np.abs(y - self.y) / self.ratio))

    def shows(self, points: Points) -> bool:
        """Return whether any point is in the central square that every canvas shows; True without points."""
        return len(points) == 0 or bool(self._away(points).min() <= 0.5 * self.span)

    def holds(self, points: Points) -> bool:
        """Return whether all points are in that square."""
        return len(points) == 0 or bool(self._away(points).max() <= 0.5 * self.span)

    def showing(self, xy: NDArray[np.float64]) -> View:
        """Return the view, extended to show the locations `xy` if necessary."""
        middle, sides = np.array([self.x, self.y]), np.array([1.0, self.ratio])
        half = 0.5 * self.span * sides
        low, high = np.minimum(xy.min(axis=0), middle - half), np.maximum(xy.max(axis=0), middle + half)
        if bool((low == middle - half).all() and (high == middle + half).all()):
            return self
        centre, span = low + 0.5 * (high - low), 1.1 * float(((high - low) / sides).max())
        return msgspec.structs.replace(self, x=float(centre[0]), y=float(centre[1]), span=min(span, 4 * LIMIT))

    def is_of(self, grid: Grid) -> bool:
        """Return whether `grid` covers this part of the plane."""
        off_x, off_y = 0.5 * (grid.left + grid.right) - self.x, 0.5 * (grid.bottom + grid.top) - self.y
        width, height = grid.right - grid.left, (grid.top - grid.bottom) / self.ratio
        off = abs(off_x) + abs(off_y) / self.ratio + abs(min(width, height) - self.span)
        # Numbers of pixels are rounded.
        return off <= 1e-6 * self.span and math.isclose(width * grid.height, height * grid.width, rel_tol=0.1)

    @property
    def shown_span(self) -> float:
        """The length that is spanned, limited by the precision of coordinates far from the origin."""
        return max(self.span, FINEST * max(abs(self.x), abs(self.y) / self.ratio))

    def zoomed(self, factor: float, x: float, y: float) -> View:
        """Return the view that spans `factor` times as much, with the location (x, y) fixed on screen."""
        least = max(1e-9, 1e-9 / self.ratio, FINEST * max(abs(x), abs(y) / self.ratio))
        span = min(max(self.span * factor, least), 4 * LIMIT / max(1.0, self.ratio))
        factor = span / self.span
        x, y = _within(x + (self.x - x) * factor), _within(y + (self.y - y) * factor)
        return msgspec.structs.replace(self, x=x, y=y, span=span)

    def panned(self, dx: float, dy: float) -> View:
        """Return the view moved by (dx, dy) in units of the plane."""
        return msgspec.structs.replace(self, x=_within(self.x + dx), y=_within(self.y + dy))


def are_unlike(points: Points) -> bool:
    """Return whether the points extend so much farther along one axis that each is to have its own scale."""
    if not len(points):
        return False
    low, high = _extremes(points)
    least, most = sorted((high - low).tolist())
    return bool(0.0 < UNLIKE * least < most)


def _extremes(points: Points) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the least and the largest x and y."""
    # Column by column: along so short an axis it takes ten times as long.
    x, y = points.xy[:, 0], points.xy[:, 1]
    return np.array([x.min(), y.min()]), np.array([x.max(), y.max()])


def _within(value: float) -> float:
    return min(max(value, -LIMIT), LIMIT)


class ClassStyle(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Name and colour of a class; "" for its number and the theme's colour."""

    name: Annotated[str, Meta(max_length=40)] = ""
    colour: Annotated[str, Meta(pattern="^(#[0-9a-f]{6})?$")] = ""


#: Largest number of lanes.
MAX_LANES = 4
ClassStyles = Annotated[tuple[ClassStyle, ...], Meta(min_length=MAX_CLASSES, max_length=MAX_CLASSES)]
PLAIN_STYLES = (ClassStyle(),) * MAX_CLASSES
AxisName = Annotated[str, Meta(max_length=60)]
Notes = Annotated[str, Meta(max_length=100_000)]
#: Smallest and largest factor of x and y.
LEAST_UNIT, MOST_UNIT = 0.001, 1000.0
_Unit = Annotated[float, Meta(ge=LEAST_UNIT, le=MOST_UNIT)]
Units: TypeAlias = tuple[_Unit, _Unit]
NO_UNITS = (1.0, 1.0)
#: Smallest and largest length of a second, which is 0 on an axis of numbers.
LEAST_SECOND, MOST_SECOND = 1e-9, 1e9
_Second = Annotated[float, Meta(ge=0, le=MOST_SECOND)]
Dates: TypeAlias = tuple[_Second, _Second]
#: Range of the limit on the number of training points.
LEAST_LIMIT, NO_LIMIT = 10, 10_000_000
TrainingLimit = Annotated[int, Meta(ge=LEAST_LIMIT, le=NO_LIMIT)]


class Document(Struct, frozen=True, eq=False):
    """Everything that is saved.

    Attributes
    ----------
    points : Points
    lanes : tuple of Lane
        One to `MAX_LANES`, from left to right; the first `shown` are on screen, and hidden ones keep their settings.
    shown : int
    slots : tuple of int
        The numbers 0 to 3, first those of the lanes: a lane keeps its number when it moves, and results are stored by
        that number.  Not saved.
    compared : tuple of (int, int)
        Indices of the two lanes that are compared.
    origin : GeneratorSettings or None
        Settings with which the points were generated, even if they were edited since; None if they were not generated.
    generator : GeneratorSettings
    view : View
    styles : tuple of ClassStyle
        Names and colours of classes 1 to 8.
    axes : tuple of (str, str)
        Names of x and y, or "".
    notes : str
    training_limit : int
        Largest number of training points; with more, the lanes train on a sample.
    split : Split
        Which points are test points.
    scaling : Scaling or None
        The scaling by which the points were standardised when they were imported, or None.
    units : tuple of (float, float)
        Factors by which x and y have been multiplied since the points were drawn, generated or imported.
    attached : tuple of (str, bytes)
        Data of features, by name: JSON that they read themselves.  Undo skips it.
    dates : tuple of (float, float)
        Lengths of a second along x and y where these are dates, counted from 1970; 0 where they are numbers.
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
    dates: Dates = NO_DATES

    @property
    def has_passed(self) -> bool:
        """Whether a lane has a classifier passed from Python, of which files and texts contain only the name."""
        return not all(lane.family.in_files for lane in self.lanes)

    @property
    def measured(self) -> tuple[NDArray[np.float64], tuple[AxisName, AxisName]]:
        """Return the points' coordinates and the names of the axes for other programs: not standardised."""
        if self.scaling is None:
            return self.points.xy, self.axes
        return self.scaling.undo(self.points.xy), measured(self.axes)

    @property
    def coordinates(self) -> tuple[Coordinates, Coordinates]:
        """Return how the coordinates along x and along y are written and read."""
        return Coordinates(self.dates[0]), Coordinates(self.dates[1])

    def location_text(self, location: Sequence[float]) -> list[str]:
        """Return x and y of a location in the digits that tell neighbouring pixels of the view apart."""
        spans = self.view.span, self.view.span * self.view.ratio
        return [*map(Coordinates.brief, self.coordinates, location, spans)]

    @property
    def parts(self) -> SplitPoints:
        """Training and test points by the split; the same object while nothing has changed."""
        return _parts_of(self)

    @property
    def is_generated(self) -> bool:
        """Whether the points are exactly those generated, none of them edited since."""
        return self.origin is not None and _are_made_by(self.origin, self.points)

    @property
    def test_points(self) -> Points:
        """The test points; the same object while they are equal."""
        return self.parts.test

    @property
    def training_points(self) -> Points:
        """The points that lanes train on: those that are not test points, or a sample of them.

        The same object while they are equal: a new test point retrains nothing.
        """
        return self.parts.training

    def class_name(self, label: int) -> str:
        """Return the name of class `label` (0 to 7): "setosa", or "class 1"; "class 0" for the name "0"."""
        name = plain(self.styles[label].name)
        return name if name and math.isnan(number_in(name)) else f"class {name or label + 1}"

    @property
    def class_names(self) -> tuple[str, ...]:
        """Names of all eight classes."""
        return tuple(self.class_name(label) for label in range(MAX_CLASSES))


@kept(8)  # by identity: composing a scene calls this some hundred times
def _parts_of(document: Document) -> SplitPoints:
    return parts_of(document.points, document.split, document.training_limit)


@kept(4)
def _are_made_by(settings: GeneratorSettings, points: Points) -> bool:
    if len(points) not in (2 * settings.count, settings.n_classes * settings.count):
        return False
    try:
        return settings.points().looks_like(points)
    except ValueError:  # a file may contain settings that no generator accepts
        return False


def default_document() -> Document:
    """Return the document of the first start: two moons, kNN beside an SVM."""
    settings = GeneratorSettings()
    points = settings.points()
    return Document(points=points, view=View.fitting(points), origin=settings)
