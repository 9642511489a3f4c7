"""Requests and frames: what the window asks of the background, and what comes back; both never change."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from app.core.points import Points
from app.learners.model import Model
from app.learners.perceptron_orders import Orders
from app.state.document import Lane
from app.state.session import Seek
from solver import Certificate, Grid, PegasosCertificate, PerceptronCertificate, ReductionCertificate
from solver.core.arrays import Array
from solver.core.certificate import GRAVITY
from solver.kernels.kernel_classifier import UNFINISHED

from .cover import Cover
from .probability import Probability
from .run_state import RunState
from .shading import Shades

if TYPE_CHECKING:
    from solver import KNeighborsClassifier

AnyCertificate = Certificate | PerceptronCertificate | PegasosCertificate | ReductionCertificate


class Side(Struct, frozen=True):
    """One of two models that are compared, with the lane it belongs to; the same while it is the same object."""

    model: Model
    lane: Lane


Sides = tuple[Side, Side]


class Starts(Struct, frozen=True, eq=False):
    """Where a training began: the multipliers of each binary problem, None where they were zero."""

    multipliers: tuple[Array | None, ...] = ()


class LaneSpec(Struct, frozen=True):
    """What a lane's picture depends on; a lane is asked anew when, and only when, its wish differs."""

    points: Points
    lane: Lane
    grid: Grid
    shades: Shades
    paused: bool
    steps_per_second: float
    restart: int
    compiled: bool
    seek: Seek | None = None
    sides: Sides | None = None  #: the two models whose difference is the picture
    surveyed: bool = False  #: primal and gap are looked at all along the run
    slacks: bool = False  #: slacks are looked at
    replay_factor: float = 1.0  #: how many times as fast as usual a run is replayed
    starts: Starts | None = None  #: what a new training begins from, in place of what was trained before


class LaneRequest(Struct, frozen=True):
    """A wish with a number; numbers ascend, and the answer carries the number."""

    number: int
    index: int
    spec: LaneSpec


class Phase(StrEnum):
    """Where a lane stands."""

    TRAINING = "training"
    PAUSED = "paused"
    DONE = "done"
    EMPTY = "empty"  #: nothing to show a picture of; `message` says why
    FAILED = "failed"  #: `message` says how


class Picture(Struct, frozen=True, eq=False):
    """A coloured surface.

    Attributes
    ----------
    argb : ndarray of shape (height, width), uint32
        Colours 0xffrrggbb; row 0 is the highest, as screens have it.
    grid : Grid
    boundary, margins : ndarray of shape (m, 2)
        Polylines joined with NaN rows; of a difference, the boundaries of the two models.
    differing : float
        Of a difference, the share of the pixels in which the two models predict different classes.
    tied : float
        Share of the pixels in which no class is ahead.
    """

    argb: NDArray[np.uint32]
    grid: Grid
    boundary: Array
    margins: Array
    differing: float = float("nan")
    tied: float = 0.0


def _none() -> NDArray[np.intp]:
    return np.empty(0, dtype=np.intp)


class Marks(Struct, frozen=True, eq=False):
    """Indices of points to be marked: free and bounded support vectors, points classified wrongly, points under a tie
    of their own class with another, points without which a picture of neighbours is another, and points that a training
    has chosen which keeps some only."""

    free: NDArray[np.intp] = field(default_factory=_none)
    bounded: NDArray[np.intp] = field(default_factory=_none)
    wrong: NDArray[np.intp] = field(default_factory=_none)
    tied: NDArray[np.intp] = field(default_factory=_none)
    kept: NDArray[np.intp] = field(default_factory=_none)
    chosen: NDArray[np.intp] = field(default_factory=_none)


NO_MARKS = Marks()


class AtOnce(Struct, frozen=True):
    """What is known of a training on all points at once, which has no steps to follow.

    Attributes
    ----------
    expected : float
        Seconds that it takes, roughly; nan where that is not known.
    slow : bool
        There is no short way with these settings.
    """

    expected: float = float("nan")
    slow: bool = False


class Frame(Struct, frozen=True, eq=False):
    """One picture of one lane, with the numbers that belong to it.

    Attributes
    ----------
    job : int
        Number of the request this answers.
    index : int
        The lane.
    points : Points
        What it was trained on.
    phase : Phase
    full : bool
        The picture has the resolution asked for.
    model : Model or None
        Never changes; predicts what the picture shows.
    certificates : tuple of Certificate, PerceptronCertificate, PegasosCertificate or ReductionCertificate
        One per binary problem, or one of all points; empty for what does not train.
    marks, accuracy, seconds, message
        Marked points, share of the training points classified rightly (see `outcome`), training time, a sentence.
    run_state : RunState or None
        The binary problem whose run the transport drives.
    orders : Orders or None
        A perceptron's runs in other orders, as far as they are known.
    sides : tuple of Side or None
        The two models whose difference this is a picture of; there is no model then.
    provisional : bool
        The surface is not that of a finished training, and will not be in a moment.
    starts : Starts or None
        Where the training began.
    at_once : AtOnce or None
        It is trained at once: there is no run of steps.
    probability : Probability or None
        What the picture shades in place of f.
    cover : Cover
        What has been withheld of it.
    """

    job: int
    index: int
    points: Points
    lane: Lane
    phase: Phase
    full: bool = True
    model: Model | None = None
    certificates: tuple[AnyCertificate, ...] = ()
    picture: Picture | None = None
    marks: Marks = NO_MARKS
    accuracy: float = float("nan")
    seconds: float = 0.0
    message: str = ""
    run_state: RunState | None = None
    provisional: bool = False
    orders: Orders | None = None
    sides: Sides | None = None
    starts: Starts | None = None
    at_once: AtOnce | None = None
    probability: Probability | None = None
    cover: Cover = Cover.NOTHING

    @property
    def neighbours(self) -> KNeighborsClassifier | None:
        """The nearest neighbours whose votes the picture shows; None of any other classifier."""
        return None if self.model is None or self.model.kind == "f" else self.model.neighbours

    @property
    def shaded_probability(self) -> Probability | None:
        """The probability that the picture shades in place of f; None where it shades something else."""
        return None if self.probability is None or self.probability.refused else self.probability

    @property
    def shows_probability(self) -> bool:
        """Whether the picture shades the probability, fitted to f or a model's own, and has lines of it."""
        if self.model is None or not self.lane.shows_probability:
            return False
        return self.model.kind != "f" or self.shaded_probability is not None

    @property
    def ended(self) -> bool:
        """Whether this shows the model of a training that came to its end, as all problems' certificates say."""
        if self.phase is not Phase.DONE or self.provisional or self.model is None:
            return False
        return all(certificate.status not in UNFINISHED for certificate in self.certificates)

    @property
    def certificate(self) -> AnyCertificate | None:
        """The certificate of the only problem, or of the gravest, and of these the farthest from its end."""
        distance = self.lane.family.distance
        return min(self.certificates, key=lambda each: (GRAVITY.index(each.status), -distance(each)), default=None)
