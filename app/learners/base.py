"""Learner: what the program needs of a family of classifiers: settings, form, words and training."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.number_format import grouped, short
from app.core.points import Points
from solver.core.arrays import Array, Indices, Integers, Mask
from solver.core.certificate import Status

from .code import NOTHING_LIKE_IT, Code
from .fields import Field
from .model import Model, Stepwise

S = TypeVar("S", bound=msgspec.Struct)
#: ``ahead(queries, values, left_out)``: the classes with the most votes, bool of shape (n, n_classes, n_values); for
#: each query, `left_out` is the index of the point to leave out, and None leaves out none.
Ahead = Callable[[Array, Integers, Indices | None], Mask]
#: Badge of a classifier about which nothing can be proved.
UNPROVED = "trained: the end of its training proves nothing about the result"
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
    certified : bool or None
        Whether the optimum, or the learner's other aim, has been reached, with a proof; None where there is nothing to
        prove.
    text : str
        The result in one sentence.
    badge : str
        Text of the badge: at most two words, a colon, and the rest, which its tool tip shows.
    """

    certified: bool | None
    text: str
    badge: str


class FastTraining(Struct, frozen=True):
    """Training by the fastest algorithm, whose steps are not recorded; each attribute is a function of the settings.

    Attributes
    ----------
    applies : callable
        ``applies(settings, n)``: whether `n` points are trained this way.
    same_optimum : callable
        ``same_optimum(settings)``: whether the training by steps ends at the optimum that this one finds.
    estimator : callable
        ``estimator(settings)``: the estimator, for settings with the same optimum.
    why_slow : callable
        ``why_slow(settings)``: a few words on why it takes long.
    """

    applies: Callable[[Any, int], bool]
    same_optimum: Callable[[Any], bool]
    estimator: Callable[[Any], Stepwise]
    why_slow: Callable[[Any], str]


class Asking(Struct, frozen=True):
    """Active learning: finding the point of least certainty, and learning one more label.

    Attributes
    ----------
    estimator : callable or None
        ``estimator(settings)``: the estimator that trains with one more label to the optimum, from the earlier
        multipliers; None for a learner that does not train by steps.
    remark : callable
        ``remark(settings, n_labels, chosen)``: a remark on the classifier with few labels, or ""; `chosen`: the learner
        chose them itself.
    """

    estimator: Callable[[Any], Stepwise] | None = None
    remark: Callable[[Any, int, bool], str] = lambda settings, n_labels, chosen: ""


class FieldSearch(Struct, frozen=True):
    """One search that finds the predictions for all values of a field, also without the point that is predicted.

    Attributes
    ----------
    field : str
        Name of the field.
    ahead : callable
        ``ahead(settings, xy, labels)``: the function that finds the classes ahead.
    """

    field: str
    ahead: Callable[[Any, Array, NDArray[Any]], Ahead]


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
    fast : FastTraining or None
    asking : Asking or None
    searched : FieldSearch or None
        With one, `fit` takes `left_out`.
    simple : bool
        Simple offers it.
    compares : bool
        It has no model, but shows where those of two other lanes differ.
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
    fast: FastTraining | None = None
    asking: Asking | None = None
    searched: FieldSearch | None = None
    compares = False
    simple = False
    numerics = 3
    answers = "it gives each class a share"
    growth = 1.0
    own_process = False
    has_probability = True
    is_available = True
    in_files = True
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

    # -- what is proved about a training, by the certificates of all its binary problems -----------------------------

    def fit_verdict(self, settings: S, n_points: int) -> Verdict:
        """Return the result for a learner that does not train by steps."""
        return Verdict(None, self.note.rstrip("."), UNPROVED)

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

        With `searched`, the model can predict with this many of the points `left_out`.
        """
        raise ValueError(self.refusal(settings))

    def maker(self, settings: S) -> tuple[str, str, dict[str, Any]] | tuple[bytes, dict[str, Any]]:
        """Return what creates the estimator in its `own_process`: module and class, or a pickle; and parameters."""
        raise NotImplementedError

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

    def distance(self, certificate: Any) -> float:
        """Return the distance of a problem's training from its end."""
        return float(certificate.gap)

    def code(self, settings: S, points: Points) -> Code | str:
        """Return the program for scikit-learn that trains the same classifier on `points`, or why there is none."""
        return NOTHING_LIKE_IT


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
