"""Requests for the lanes' pictures, and the frames that answer them; frozen values."""

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
    """One of two compared models, with its lane; compared by identity of the model."""

    model: Model
    lane: Lane


Sides = tuple[Side, Side]


class Starts(Struct, frozen=True, eq=False):
    """Initial multipliers of a training, for each binary problem; None if they were zero."""

    multipliers: tuple[Array | None, ...] = ()


class LaneSpec(Struct, frozen=True):
    """Everything a lane's picture depends on; a lane is requested again if, and only if, this differs."""

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
    surveyed: bool = False  #: primal and gap are displayed along the whole run
    slacks: bool = False  #: slacks are displayed
    replay_factor: float = 1.0  #: how many times as fast as usual a run is replayed
    starts: Starts | None = None  #: initial multipliers of a new training, in place of the previous model's


class LaneRequest(Struct, frozen=True):
    """A request with a number; numbers ascend, and a frame carries that of its request."""

    number: int
    index: int
    spec: LaneSpec


class Phase(StrEnum):
    """State of a lane."""

    TRAINING = "training"
    PAUSED = "paused"
    DONE = "done"
    EMPTY = "empty"  #: there is no picture; `message` gives the reason
    FAILED = "failed"  #: `message` gives the error


class Picture(Struct, frozen=True, eq=False):
    """A coloured surface, with its lines.

    Attributes
    ----------
    argb : ndarray of shape (height, width), uint32
        Colours 0xffrrggbb; row 0 is the top, as on screens.
    grid : Grid
    boundary, margins : ndarray of shape (m, 2)
        Polylines separated by NaN rows; for a difference, the boundaries of the two models.
    differing : float
        For a difference, the share of the pixels in which the two models predict different classes.
    tied : float
        Share of the pixels in which classes tie.
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
    """Indices of marked points.

    Attributes
    ----------
    free, bounded : ndarray of shape (n,)
        Free and bounded support vectors.
    wrong, tied : ndarray of shape (n,)
        Points classified wrongly, and points whose class ties with another.
    kept : ndarray of shape (n,)
        Points that determine the boundary of a kNN picture.
    chosen : ndarray of shape (n,)
        Points that a condensing or editing training has kept.
    maybe : ndarray of shape (n,)
        Points that are support vectors in some optima, but not in all; they are neither `free` nor `bounded`.
    """

    free: NDArray[np.intp] = field(default_factory=_none)
    bounded: NDArray[np.intp] = field(default_factory=_none)
    wrong: NDArray[np.intp] = field(default_factory=_none)
    tied: NDArray[np.intp] = field(default_factory=_none)
    kept: NDArray[np.intp] = field(default_factory=_none)
    chosen: NDArray[np.intp] = field(default_factory=_none)
    maybe: NDArray[np.intp] = field(default_factory=_none)


NO_MARKS = Marks()


class FastProgress(Struct, frozen=True):
    """Progress of a training without recorded steps.

    Attributes
    ----------
    expected : float
        Estimated duration (s); nan if unknown.
    slow : bool
        Whether these settings have no fast algorithm.
    """

    expected: float = float("nan")
    slow: bool = False


class Frame(Struct, frozen=True, eq=False):
    """One picture of one lane, with its numbers.

    Attributes
    ----------
    job : int
        Number of the request.
    index : int
        Index of the lane.
    points : Points
        Training points.
    phase : Phase
    full : bool
        Whether the picture has the requested resolution.
    model : Model or None
        Frozen model that predicts what the picture shows.
    certificates : tuple of Certificate, PerceptronCertificate, PegasosCertificate or ReductionCertificate
        One for each binary problem, or one for all points; empty for learners without training.
    marks, accuracy, seconds, message
        Marked points, training accuracy (see `outcome`), training time (s), and a sentence.
    run_state : RunState or None
        State of the binary problem that the playback controls.
    orders : Orders or None
        A perceptron's runs in other orders, as far as they are computed.
    sides : tuple of Side or None
        The two models whose difference the picture shows; `model` is None then.
    provisional : bool
        Whether the surface is not that of a finished training, and the training has lasted for a while.
    starts : Starts or None
        Initial multipliers of the training.
    fast_run : FastProgress or None
        Progress of a training without recorded steps.
    probability : Probability or None
        Probability that the picture shades in place of f.
    cover : Cover
        Parts that have been withheld.
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
    fast_run: FastProgress | None = None
    probability: Probability | None = None
    cover: Cover = Cover.NOTHING

    @property
    def continues(self) -> bool:
        """Whether the training began with the multipliers of an earlier one."""
        starts = () if self.starts is None else self.starts.multipliers
        return any(each is not None and bool(each.any()) for each in starts)

    @property
    def neighbours(self) -> KNeighborsClassifier | None:
        """The kNN classifier whose votes the picture shows, or None."""
        return None if self.model is None or self.model.kind == "f" else self.model.neighbours

    @property
    def shaded_probability(self) -> Probability | None:
        """The probability that the picture shades in place of f, or None."""
        return None if self.probability is None or self.probability.refused else self.probability

    @property
    def shows_probability(self) -> bool:
        """Whether the picture shades a probability, fitted to f or the model's own, and draws its lines."""
        if self.model is None or not self.lane.shows_probability:
            return False
        return self.model.kind != "f" or self.shaded_probability is not None

    @property
    def ended(self) -> bool:
        """Whether the training has finished, by the certificates of all problems."""
        if self.phase is not Phase.DONE or self.provisional or self.model is None:
            return False
        return all(certificate.status not in UNFINISHED for certificate in self.certificates)

    @property
    def certificate(self) -> AnyCertificate | None:
        """The certificate with the gravest status; of several, the one farthest from the optimum."""
        distance = self.lane.family.distance
        return min(self.certificates, key=lambda each: (GRAVITY.index(each.status), -distance(each)), default=None)
