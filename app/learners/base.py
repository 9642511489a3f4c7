"""Learner: what a family of classifiers is to form, words, worker and files; each family has a file of its own."""

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
#: ``ahead(queries, values, left_out)``: the classes with the most votes, bool of shape (n, n_classes, n_values), where
#: each query is one of the points, left out, or none of them (None).
Ahead = Callable[[Array, Integers, Indices | None], Mask]
#: f of a linear learner, in signs.
PLANE = "f(x) = w₁ x₁ + w₂ x₂"
#: Seed of what draws.
Seed = Annotated[int, Meta(ge=0, le=2**31 - 1)]


class Trainer(Struct, frozen=True):
    """One way to train.

    Attributes
    ----------
    title : str
    note : str
        What it is, in one sentence for its tooltip.
    formula : str
        Its step.
    step, steps : str
        The word for one step, and for several.
    has_multipliers : bool
        It has an alpha for each point, with a bound C.
    has_margins : bool
        f = -1 and f = +1 mean something.
    has_f : bool
        Its model is made of binary problems, each with an f; else it is one of votes, without problems.
    has_rules : bool
        It chooses by a working-set rule of `solver.RULES`, and says why.
    runs_plain : bool
        Few points can be trained on before its loops are compiled.
    allows_hard_margin : bool
        C may be infinite.
    subject : str
        Who it is, at the beginning of a sentence.
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
    """What a training that has ended took.

    Attributes
    ----------
    n : int
        Points.
    seconds : float
    support : float
        Share of the points that f is a sum over: support vectors; nan for a model without f.
    """

    n: int
    seconds: float
    support: float = math.nan


class Verdict(Struct, frozen=True):
    """How a finished training ended.

    Attributes
    ----------
    certified : bool
        What the learner set out to find is found, and that is proved.
    text : str
        In one sentence.
    badge : str
        As a badge has it: two words at most, a colon, and what stands in its tip.
    """

    certified: bool
    text: str
    badge: str


class Learner(Generic[S]):
    """A family of classifiers, by the name that `Lane.classifier` has; its methods take the settings of one lane.

    Attributes
    ----------
    title, short, note : str
        Its name, also in a word, and in one sentence what it is.
    settings : type of msgspec.Struct
        Its parameters.
    fields : tuple of Field
        How they are shown, in the order of the form.
    trainers : mapping of str to Trainer
        What trains it step by step, by the names that `Lane.learner` has: the one that a parameter `trainer` names,
        else the one of its own name; none for what does not train.
    leaves_out : bool
        What it predicts without one of its points is known without training anew.
    asks : bool
        It can say of which point it is least sure, and learn one label more (see `label_estimator`).
    simple : bool
        Simple offers it.
    compares : bool
        It has no model of its own: it shows where those of two other lanes differ.
    searched : str
        The field for all of whose values one search is enough (see `ahead_of_all`); "" for none.
    numerics : int
        Version of what studies compute of it: to be raised when a change of the program changes any result.
    answers : str
        What its model gives in place of an f, in a clause; of one that has none.
    growth : float
        Its training takes about this power of the number of points.
    n_classes_needed : int
        Fewer classes it cannot be trained on.
    is_available : bool
        What it needs is installed.
    in_files : bool
        Files hold its settings; of one that was passed from Python they hold its name.
    no_code : str
        The sentence of an exported program that cannot have it.
    own_process : bool
        It is trained and asked in a process of its own, since it may hold the interpreter (see `maker`).
    has_probability : bool
        Its models give each class a probability, or have an f to which one can be fitted.
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
        """The field of this name; KeyError where it has none."""
        return {field.name: field for field in self.fields}[name]

    def curves(self, settings: S) -> tuple[Field, ...]:
        """Sliders whose whole range can be tried; one at its end stands for no number of that range."""
        able = [field for field in self.fields if field.has_curve and not math.isinf(field.value(settings))]
        return tuple(field for field in able if field.shown(settings, ()))

    # -- words -----------------------------------------------------------------------------------------------------

    def formula(self, settings: S) -> str:
        """What it computes, or the step of its training by the first of its trainers."""
        return next((trainer.formula for trainer in self.trainers.values()), "")

    def remark(self, settings: S) -> str:
        """What it warns of, or teaches."""
        return ""

    def name(self, settings: S) -> str:
        """Title and parameters in a few words, such as "kNN, k = 5, uniform, Euclidean"."""
        return self.title

    def decision(self, settings: S) -> str:
        """How a class is decided at a place, in signs: f, or the rule of the vote."""
        return self.formula(settings)

    def headline(self, settings: S, n_points: int) -> str:
        """Of one that does not train: what its model of so many points is, in a few words."""
        return self.note.rstrip(".")

    # -- what is proved of a training: the certificates are those of all its binary problems -------------------------

    def verdict(self, certificates: Sequence[Any], settings: S) -> Verdict:
        """How a finished training ended."""
        certified = all(each.status is Status.OPTIMAL for each in certificates)
        text = "Trained to its end" if certified else "Stopped before its end"
        return Verdict(certified, text, text)

    def so_far(self, certificates: Sequence[Any], settings: S) -> str:
        """What can be said of a training that rests on its way."""
        return "not at its end yet"

    def numbers(self, certificates: Sequence[Any], settings: S) -> list[str]:
        """The numbers of a training, each with its name; [] for one that does not train."""
        return []

    def operation(self, snapshot: Any) -> str:
        """The newest step in one sentence; "" before the first, and for SMO, whose steps are explained at length."""
        return ""

    def all_tied(self, settings: S) -> str:
        """Why no class is ahead anywhere in view, in one sentence."""
        return "All grey: no class is ahead anywhere in view."

    # -- training --------------------------------------------------------------------------------------------------

    def refusal(self, settings: S) -> str:
        """Why there is no training by steps of what is asked for, in one sentence; "" when there is."""
        return "" if self.trainers else f"{self.title} does not train by steps."

    def estimator(self, settings: S) -> Stepwise:
        """What trains by steps, with `prepare` and `snapshot_model`."""
        raise ValueError(self.refusal(settings))

    def fit(self, settings: S, points: Points, left_out: int = 0) -> Model:
        """The model of one that does not train by steps; ValueError with a sentence where there is none.

        Of one that `leaves_out`, it can be asked what it predicts with so many of the points `left_out`.
        """
        raise ValueError(self.refusal(settings))

    def maker(self, settings: S) -> tuple[str, str, dict[str, Any]] | tuple[bytes, dict[str, Any]]:
        """What makes the estimator in its `own_process`: module and class, or a pickle, and parameters."""
        raise NotImplementedError

    def trains_at_once(self, settings: S, n: int) -> bool:
        """Whether so many points are trained on as fast as can be, without steps that could be followed."""
        return False

    def estimator_at_once(self, settings: S) -> Stepwise:
        """Return what trains as fast as can be, where nobody follows the steps."""
        return self.estimator(settings)

    def why_slow(self, settings: S) -> str:
        """Why training at once takes long, in a few words."""
        return ""

    def estimate(
        self, settings: S, n: int, extent: tuple[float, float], known: Measured | None = None, n_classes: int = 2
    ) -> float:
        """Seconds that training on `n` points will take, roughly; nan where nothing can be said.

        Parameters
        ----------
        settings : Struct
        n : int
        extent : tuple of (float, float)
            Width and height of the box that the points fill.
        known : Measured, optional
            Of a training with these settings.
        n_classes : int, default=2
        """
        return math.nan if known is None else known.seconds * (n / max(known.n, 1)) ** self.growth

    def training_key(self, settings: S, at_once: bool = False) -> S:
        """The settings with all that no training depends on at its default: it goes on while they stay.

        A training `at_once` does not depend on the way to the optimum either.
        """
        return settings

    def reaches_optimum(self, settings: S) -> bool:
        """Whether the training ends at the optimum that the family has, whichever way it takes."""
        return False

    def is_simple(self, settings: S) -> bool:
        """Whether Simple has a control for every parameter of `settings` that is not at its default."""
        default, shown = self.settings(), [field for field in self.fields if field.simple]
        known = {name for field in shown for name in (field.parameter, field.end)}
        names = (each.name for each in msgspec.structs.fields(self.settings))
        return all(name in known or getattr(settings, name) == getattr(default, name) for name in names)

    def map_change(self, settings: S) -> dict[str, Any] | None:
        """Parameters to change so that the map of its kernel can be drawn: {} where it can be, None without one."""
        return None

    def distance(self, certificate: Any) -> float:
        """How far from its end the training of a problem is."""
        return float(certificate.gap)

    def code(self, settings: S, points: Points) -> Code | None:
        """What scikit-learn has for a classifier that learns from `points`; None where it has nothing like it."""
        return None

    # -- validation curves, for fields with `has_curve`; and active learning, where it `asks` --------------------------

    def curve_settings(self, settings: S, parameter: str) -> S:
        """The settings with all at its default that a curve of `parameter` does not depend on."""
        plain, some = self.settings(), range(MAX_CLASSES)
        unused = {parameter, *(each.parameter for each in self.fields if not each.shown(settings, some))}
        return msgspec.structs.replace(settings, **{name: getattr(plain, name) for name in unused})

    def ahead_of_all(self, settings: S, xy: Array, labels: NDArray[Any]) -> Ahead:
        """What gives the classes ahead for all values of the field `searched`, of one that has it."""
        raise ValueError(f"{self.title} has no field that one search is enough for.")

    def label_estimator(self, settings: S) -> Stepwise:
        """What trains on one label more, from the multipliers of those before, to the optimum."""
        return self.estimator_at_once(settings)

    def label_remark(self, settings: S, n_labels: int, chosen: bool) -> str:
        """What is to be known of the classifier with so few labels; `chosen` are those it is least sure of."""
        return ""


def passes(number: int) -> str:
    """ "1 pass", "2 passes"."""
    return f"{grouped(number)} {'pass' if number == 1 else 'passes'}"


def whole(bound: float) -> str:
    """A bound of a whole number, which may be very large."""
    return grouped(math.floor(bound)) if bound < 1e15 else short(bound)


def several(certificates: Sequence[Any], noun: str = "problem") -> str:
    """How many binary problems the numbers are of, where there are several."""
    return f" in {len(certificates)} {noun}s" if len(certificates) > 1 else ""


def in_each(certificates: Sequence[Any], noun: str = "problem") -> str:
    """What is to be known of a sum over several binary problems."""
    return f", counted in each {noun}" if len(certificates) > 1 else ""
