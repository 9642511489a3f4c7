"""Learner: what the program needs of a family of classifiers: settings, form, words and training."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.number_format import grouped, short
from app.core.points import MAX_CLASSES
from solver.core.arrays import Array, Indices, Integers, Mask
from solver.core.certificate import Status

from .code import Code
from .fields import Field
from .model import Model, Stepwise

if TYPE_CHECKING:
    from app.core.points import Points

S = TypeVar("S", bound=msgspec.Struct)
#: ``ahead(queries, values, left_out)``: the classes with the most votes, bool of shape (n, n_classes, n_values); for
#: each query, `left_out` is the index of the point to leave out, and None leaves out none.
Ahead = Callable[[Array, Integers, Indices | None], Mask]
#: Formula of a linear f.
PLANE = "f(x) = w₁ x₁ + w₂ x₂"
#: Type of random seeds.
Seed = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class Trainer(Struct, frozen=True):
    """One way to train by steps.

    Attributes
    ----------
    title : str
    note : str
        Description in one sentence, for its tool tip.
    formula : str
        Formula of a step.
    step, steps : str
        Word for one step, and for several.
    has_multipliers : bool
        It has a multiplier alpha for each point, with a bound C.
    has_margins : bool
        The lines f = -1 and f = +1 have a meaning.
    has_f : bool
        Its model consists of binary problems, each with an f; else the model counts votes.
    has_rules : bool
        It chooses points by a working-set rule of `solver.RULES`, and can explain the choice.
    runs_plain : bool
        It can train on few points before its loops are compiled.
    allows_hard_margin : bool
        C may be infinite.
    subject : str
        Its name at the beginning of a sentence.
    """

    title: str
    note: str
    formula: str
    step: str
    steps: str
    has_multipliers: bool = True
    has_margins: bool = True
    has_f: bool = True
    has_rules: bool = False
    runs_plain: bool = False
    allows_hard_margin: bool = False
    subject: str = "An SVM"


class Measured(Struct, frozen=True):
    """Size and duration of a training that has ended.

    Attributes
    ----------
    n : int
        Number of points.
    seconds : float
    support : float
        Share of support vectors among the points; nan for a model without f.
    """

    n: int
    seconds: float
    support: float = math.nan


class Verdict(Struct, frozen=True):
    """The result of a finished training.

    Attributes
    ----------
    certified : bool
        Whether the optimum, or the learner's other aim, has been reached, with a proof.
    text : str
        The result in one sentence.
    badge : str
        Text of the badge: at most two words, a colon, and the rest, which its tool tip shows.
    """

    certified: bool
    text: str
    badge: str


class Learner(Generic[S]):
    """A family of classifiers, named by `Lane.classifier`; its methods take the settings of one lane.

    Attributes
    ----------
    title, short, note : str
        Its name, also in one word, and a description in one sentence.
    settings : type of msgspec.Struct
        Type of its parameters.
    fields : tuple of Field
        Fields of the parameters, in the order of the form.
    trainers : mapping of str to Trainer
        Its trainers, by the names in `Lane.learner`: a parameter `trainer` chooses one, else there is one with the name
        of the learner; empty for learners without training by steps.
    leaves_out : bool
        It can predict without one of its points, without a new training.
    asks : bool
        It can find the point of least certainty and learn one more label (see `label_estimator`).
    simple : bool
        Simple offers it.
    compares : bool
        It has no model, but shows where those of two other lanes differ.
    searched : str
        Name of the field for all of whose values one search suffices (see `ahead_of_all`), or "".
    numerics : int
        Version of its results in studies: increment it with a change of the program that changes any result.
    answers : str
        Clause that says what a model without f computes instead.
    growth : float
        Exponent of the number of points in its training time.
    n_classes_needed : int
        Smallest number of classes it can be trained on.
    is_available : bool
        The packages it needs are installed.
    in_files : bool
        Files contain its settings; of a classifier passed from Python, they contain only the name.
    no_code : str
        Sentence for an exported program, which cannot include it.
    own_process : bool
        It trains and predicts in another process, because it may hold the interpreter (see `maker`).
    has_probability : bool
        Its models have probabilities, or an f to which they can be fitted.
    """

    title: str
    short: str
    note: str
    settings: type[S]
    fields: tuple[Field, ...] = ()
    trainers: ClassVar[Mapping[str, Trainer]] = {}
    leaves_out = False
    asks = False
    compares = False
    simple = False
    searched = ""
    numerics = 3
    answers = "it gives each class a share"
    growth = 1.0
    own_process = False
    has_probability = True
    is_available = True
    in_files = True
    no_code = "scikit-learn has nothing like it."
    n_classes_needed = 1

    def __init_subclass__(cls, **named: Any) -> None:
        super().__init_subclass__(**named)
        cls.fields = tuple(replace(field, settings=cls.settings) for field in cls.fields)

    def field(self, name: str) -> Field:
        """Return the field of this name; raise a KeyError if there is none."""
        return {field.name: field for field in self.fields}[name]

    def curves(self, settings: S) -> tuple[Field, ...]:
        """Return the fields with a validation curve: sliders with a finite value."""
        able = [field for field in self.fields if field.has_curve and not math.isinf(field.value(settings))]
        return tuple(field for field in able if field.shown(settings, ()))

    # -- words -----------------------------------------------------------------------------------------------------

    def formula(self, settings: S) -> str:
        """Return the formula of the classifier, or of a step of its first trainer."""
        return next((trainer.formula for trainer in self.trainers.values()), "")

    def remark(self, settings: S) -> str:
        """Return a warning or a hint on these settings, or ""."""
        return ""

    def name(self, settings: S) -> str:
        """Return title and parameters in a few words, such as "kNN, k = 5, uniform, Euclidean"."""
        return self.title

    def decision(self, settings: S) -> str:
        """Return the formula of the predicted class: f, or the rule of the vote."""
        return self.formula(settings)

    def headline(self, settings: S, n_points: int) -> str:
        """Return a description of the model of `n_points`, in a few words, for a learner that does not train."""
        return self.note.rstrip(".")

    # -- what is proved about a training, by the certificates of all its binary problems -----------------------------

    def verdict(self, certificates: Sequence[Any], settings: S) -> Verdict:
        """Return the result of a finished training."""
        certified = all(each.status is Status.OPTIMAL for each in certificates)
        text = "Trained to its end" if certified else "Stopped before its end"
        return Verdict(certified, text, text)

    def so_far(self, certificates: Sequence[Any], settings: S) -> str:
        """Return a few words on a training that is paused before its end."""
        return "not at its end yet"

    def numbers(self, certificates: Sequence[Any], settings: S) -> list[str]:
        """Return the numbers of a training, each with its name; [] for a learner that does not train."""
        return []

    def operation(self, snapshot: Any) -> str:
        """Return a sentence on the newest step; "" before the first, and for SMO, whose steps have a panel."""
        return ""

    def all_tied(self, settings: S) -> str:
        """Return a sentence that says why classes tie everywhere in view."""
        return "All grey: no class is ahead anywhere in view."

    # -- training --------------------------------------------------------------------------------------------------

    def refusal(self, settings: S) -> str:
        """Return a sentence that says why there is no training by steps with these settings, or ""."""
        return "" if self.trainers else f"{self.title} does not train by steps."

    def estimator(self, settings: S) -> Stepwise:
        """Return the estimator that trains by steps, with `prepare` and `snapshot_model`."""
        raise ValueError(self.refusal(settings))

    def fit(self, settings: S, points: Points, left_out: int = 0) -> Model:
        """Return the model of a learner that does not train by steps; raise a ValueError with a sentence if impossible.

        With `leaves_out`, the model can predict with this many of the points `left_out`.
        """
        raise ValueError(self.refusal(settings))

    def maker(self, settings: S) -> tuple[str, str, dict[str, Any]] | tuple[bytes, dict[str, Any]]:
        """Return what creates the estimator in its `own_process`: module and class, or a pickle; and parameters."""
        raise NotImplementedError

    def trains_fast(self, settings: S, n: int) -> bool:
        """Return whether `n` points are trained by the fastest algorithm, without recorded steps."""
        return False

    def fast_estimator(self, settings: S) -> Stepwise:
        """Return the estimator of the fastest training, whose steps are not displayed."""
        return self.estimator(settings)

    def why_slow(self, settings: S) -> str:
        """Return a few words on why the fastest training takes long."""
        return ""

    def estimate(
        self, settings: S, n: int, extent: tuple[float, float], known: Measured | None = None, n_classes: int = 2
    ) -> float:
        """Return the estimated duration (s) of training on `n` points; nan if unknown.

        Parameters
        ----------
        settings : Struct
        n : int
        extent : tuple of (float, float)
            Width and height of the box that the points fill.
        known : Measured, optional
            Result of an earlier training with these settings.
        n_classes : int, default=2
        """
        return math.nan if known is None else known.seconds * (n / max(known.n, 1)) ** self.growth

    def training_key(self, settings: S, fast: bool = False) -> S:
        """Return the settings with defaults for all that the training does not depend on; equal ones continue it.

        A `fast` training does not depend on the choice of algorithm either.
        """
        return settings

    def reaches_optimum(self, settings: S) -> bool:
        """Return whether the training ends at the family's optimum, which does not depend on the algorithm."""
        return False

    def is_simple(self, settings: S) -> bool:
        """Return whether Simple has a control for every parameter of `settings` that is not at its default."""
        default, shown = self.settings(), [field for field in self.fields if field.simple]
        known = {name for field in shown for name in (field.parameter, field.end)}
        names = self.settings.__struct_fields__
        return all(name in known or getattr(settings, name) == getattr(default, name) for name in names)

    def map_change(self, settings: S) -> dict[str, Any] | None:
        """Return the changes needed to draw the kernel's map: {} if it can be drawn already, None without a kernel."""
        return None

    def distance(self, certificate: Any) -> float:
        """Return the distance of a problem's training from its end."""
        return float(certificate.gap)

    def code(self, settings: S, points: Points) -> Code | None:
        """Return the program for scikit-learn that trains the same classifier on `points`; None if there is none."""
        return None

    # -- validation curves, for fields with `has_curve`; and active learning, for learners that `asks` -----------------

    def curve_settings(self, settings: S, parameter: str) -> S:
        """Return the settings with defaults for all that a curve of `parameter` does not depend on."""
        plain, some = self.settings(), range(MAX_CLASSES)
        unused = {parameter, *(each.parameter for each in self.fields if not each.shown(settings, some))}
        return msgspec.structs.replace(settings, **{name: getattr(plain, name) for name in unused})

    def ahead_of_all(self, settings: S, xy: Array, labels: NDArray[Any]) -> Ahead:
        """Return the function that finds the classes ahead for all values of the field `searched`."""
        raise ValueError(f"{self.title} has no field for which one search suffices.")

    def label_estimator(self, settings: S) -> Stepwise:
        """Return the estimator that trains with one more label to the optimum, from the earlier multipliers."""
        return self.fast_estimator(settings)

    def label_remark(self, settings: S, n_labels: int, chosen: bool) -> str:
        """Return a remark on the classifier with few labels, or ""; `chosen`: the learner chose them itself."""
        return ""


def passes(number: int) -> str:
    """Return "1 pass", "2 passes"."""
    return f"{grouped(number)} {'pass' if number == 1 else 'passes'}"


def whole(bound: float) -> str:
    """Return the text of a bound on a whole number, which may be very large."""
    return grouped(math.floor(bound)) if bound < 1e15 else short(bound)


def several(certificates: Sequence[Any], noun: str = "problem") -> str:
    """Return the suffix of numbers that are sums over several binary problems, with their number."""
    return f" in {len(certificates)} {noun}s" if len(certificates) > 1 else ""


def in_each(certificates: Sequence[Any], noun: str = "problem") -> str:
    """Return the suffix of a number that is counted in each of several binary problems."""
    return f", counted in each {noun}" if len(certificates) > 1 else ""
