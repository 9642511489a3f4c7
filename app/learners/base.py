"""Learner: what a family of classifiers is to form, words, worker and files; each family has a file of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import ArrayLike, NDArray

from app.state.number_format import grouped, short

from .model import LaneSettings, Model

if TYPE_CHECKING:
    from app.state.points import Points
    from solver.core.binary_reduction import PairClassifier

#: Seed of what draws.
Seed = Annotated[int, Meta(ge=0, le=2**31 - 1)]


@dataclass(frozen=True)
class Trainer:
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
    has_rules : bool
        It chooses by a working-set rule of `solver.RULES`.
    allows_hard_margin : bool
        C may be infinite.
    fields : tuple of str
        The parameter fields that only it has.
    """

    title: str
    note: str
    formula: str
    step: str
    steps: str
    has_multipliers: bool = True
    has_margins: bool = True
    has_rules: bool = False
    allows_hard_margin: bool = False
    fields: tuple[str, ...] = ()


@dataclass(frozen=True)
class Verdict:
    """How a finished training ended.

    Attributes
    ----------
    certified : bool
        What the learner set out to find is found, and that is proved.
    text : str
        In one sentence.
    """

    certified: bool
    text: str


class Learner:
    """A family of classifiers, by the name that `Lane.classifier` has; `lane` is one of it.

    Attributes
    ----------
    title, note : str
        Its name, and in one sentence what it is.
    settings : type of msgspec.Struct
        Its parameters.
    """

    title: str
    note: str
    settings: type[msgspec.Struct]

    # -- words -----------------------------------------------------------------------------------------------------

    def formula(self, lane: LaneSettings) -> str:
        """What it computes, or the step of its training."""
        return lane.trainer.formula if lane.trainer is not None else ""

    def remark(self, lane: LaneSettings) -> str:
        """What it warns of, or teaches."""
        return ""

    def name(self, lane: LaneSettings) -> str:
        """Title and parameters in a few words, such as "kNN, k = 5, uniform, Euclidean"."""
        return self.title

    def headline(self, lane: LaneSettings, n_points: int) -> str:
        """Of one that does not train: what its model of so many points is, in a few words."""
        return self.note.rstrip(".")

    # -- what is proved of a training: the certificates are those of all its binary problems -------------------------

    def verdict(self, certificates: Sequence[Any], lane: LaneSettings) -> Verdict:
        """How a finished training ended."""
        raise NotImplementedError

    def brief(self, certificates: Sequence[Any], lane: LaneSettings) -> Verdict:
        """The verdict in so few words that they can stand on a badge."""
        return self.verdict(certificates, lane)

    def so_far(self, certificates: Sequence[Any], lane: LaneSettings) -> str:
        """What can be said of a training that rests on its way."""
        raise NotImplementedError

    def numbers(self, certificates: Sequence[Any], lane: LaneSettings) -> list[str]:
        """The numbers of a training, each with its name; [] for one that does not train."""
        return []

    def operation(self, snapshot: Any) -> str:
        """The newest step in one sentence; "" before the first, and for SMO, whose steps are explained at length."""
        return ""

    # -- training --------------------------------------------------------------------------------------------------

    def refusal(self, lane: LaneSettings) -> str:
        """Why what the lane asks for does not exist, in one sentence; "" when it does."""
        return ""

    def estimator(self, lane: LaneSettings) -> PairClassifier:
        """What trains the lane by steps, with `prepare` and `snapshot_model`."""
        raise NotImplementedError

    def fit(self, lane: LaneSettings, points: Points) -> Model:
        """The model of one that does not train by steps; ValueError with a sentence where there is none."""
        raise NotImplementedError

    def training_key(self, lane: LaneSettings) -> Any:
        """What of the lane a training depends on: it goes on while this stays the same."""
        return lane.settings


class SharesClassifier:
    """A model that gives each class a share; whoever says how, in `predict_proba`, has the rest from here.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    """

    classes_: NDArray[Any]

    def predict_proba(self, X: ArrayLike, compiled: bool = True) -> NDArray[np.float64]:
        """The share of each class, shape (n, n_classes); each row adds up to 1."""
        raise NotImplementedError

    def predict(self, X: ArrayLike, compiled: bool = True) -> NDArray[Any]:
        """The lowest class of the largest share, shape (n,)."""
        labels: NDArray[Any] = self.classes_[self.predict_proba(X, compiled).argmax(axis=1)]
        return labels

    def surface_on(self, xs: ArrayLike, compiled: bool = True) -> Callable[[ArrayLike], NDArray[np.float64]]:
        """``rows(ys)`` gives the shares on these columns, shape (len(ys), len(xs), n_classes)."""

        def rows(ys: ArrayLike) -> NDArray[np.float64]:
            x, y = np.meshgrid(xs, ys)
            return self.predict_proba(np.column_stack((x.ravel(), y.ravel())), compiled).reshape(*x.shape, -1)

        return rows

    def surface_classes_on(self, xs: ArrayLike, compiled: bool = True) -> Callable[[ArrayLike], Any]:
        """As `surface_on`: the places of the winners in `classes_`, their shares, and whether others are equal."""
        rows = self.surface_on(xs, compiled)

        def winners(ys: ArrayLike) -> tuple[NDArray[np.intp], NDArray[np.float64], NDArray[np.bool_]]:
            shares = rows(ys)
            best = shares.max(axis=-1)
            return shares.argmax(axis=-1), best, (shares == best[..., None]).sum(axis=-1) > 1

        return winners


def passes(number: int) -> str:
    """ "1 pass", "2 passes"."""
    return f"{grouped(number)} {'pass' if number == 1 else 'passes'}"


def whole(bound: float) -> str:
    """A bound of a whole number, which may be very large."""
    return grouped(math.floor(bound)) if bound < 1e15 else short(bound)


def several(certificates: Sequence[Any], lane: LaneSettings) -> str:
    """How many binary problems the numbers are of, where there are several."""
    noun = "pair" if lane.multiclass == "one-vs-one" else "problem"
    return f" in {len(certificates)} {noun}s" if len(certificates) > 1 else ""


def in_each(certificates: Sequence[Any], lane: LaneSettings) -> str:
    """What is to be known of a sum over several binary problems."""
    noun = "pair" if lane.multiclass == "one-vs-one" else "problem"
    return f", counted in each {noun}" if len(certificates) > 1 else ""
