"""RunState: one binary problem of a lane at one step of its training, with everything the panels show of it."""

from __future__ import annotations

import math

from msgspec import Struct, field

from app.core.points import Points
from app.learners.base import Trainer
from app.state.session import Seek
from solver import Certificate
from solver.core.arrays import Array, Indices, Mask
from solver.core.trace import TraceView
from solver.inspection.metrics import KktReport
from solver.inspection.step_explanation import Explanation

#: Duration of the replay of a whole run (s), and its lowest speed (steps/s): slower, a short run would seem to pause.
WHOLE_RUN, LEAST_SPEED = 10.0, 1.0
#: Lowest speed of a run of unknown length (steps/s).
SPEED_AT_FIRST = 5.0


def speed_of(seek: Seek | None, recording: int, length: int, ended: bool, live: float, factor: float) -> float:
    """Return the speed at which a run plays (steps/s): that of a replay, or of `live` training.

    A replay plays the whole run in `WHOLE_RUN` seconds, and `factor` times as fast.
    A run that has not ended trains at the speed `live`, unless that is infinite, which no user could follow.
    """
    replays = seek is not None and seek.until == "replay" and seek.recording == recording
    if not (replays and (ended or math.isinf(live))):
        return live
    return factor * max(length / WHOLE_RUN, LEAST_SPEED if ended else SPEED_AT_FIRST)


class Slacks(Struct, frozen=True, eq=False):
    """For each point with slack, the location where f reaches its margin.

    Attributes
    ----------
    point : ndarray of shape (m,)
        Positions in the run's `index`.
    end : ndarray of shape (m, 2)
        First location with y f = 1 from the point along the gradient of f, or the end of its capped bar.
    capped : ndarray of shape (m,)
        True if there is none in the view: the bar's length is proportional to the slack.
    """

    point: Indices
    end: Array
    capped: Mask


class RunState(Struct, frozen=True, eq=False):
    """State of the problem that the playback controls.

    Attributes
    ----------
    recording : int
        Number of the run; a new training has another number.
    trainer : Trainer
    rule : str
        Working-set rule; "" for learners without one.
    name : str
        Name of the problem; "" if it is the only one.
    step, length : int
        Present step, and the number of steps made so far.
    ended : bool
        Whether the run has finished, at `length`.
    points : Points
        Training points of the lane.
    index : ndarray of shape (n,)
        The points of this problem, as indices of `points`; empty if there is no binary problem.
    y : ndarray of shape (n,)
        Classes -1 and +1.
    f : ndarray of shape (n,)
        Values of f at these points.
    alpha, C : ndarray of shape (n,), or None
        Multipliers and their bounds; None for learners that have none.
    v : ndarray of shape (n,) or None
        y_i - sum_j y_j alpha_j K_ij, so that f = y - v + intercept.
    kkt : KktReport or None
        The KKT case of each point.
    intercept : float
    tol : float
    certificate : Certificate
    trace : TraceView
    operation : str
        Description of the newest step, or "".
    verdict : str
        Statement of what is proved at the end of a run without binary problems; else "".
    pair : tuple of int
        The points (i, j), as indices of `points`, of the next step, or at the end of the last; for condensing and
        editing, the point examined in the newest step, and its neighbours.  -1 for none.
    explanation : Explanation or None
        Why the step takes this pair, and how it changes it (SMO only).
    slacks : Slacks or None
        Computed when the run stops.
    ranges : dict or None
        Least and largest alpha over all optima, by a point's position in `index`, of those whose alpha differs; known
        after the end of a run of not too many points.
    """

    recording: int
    trainer: Trainer
    rule: str
    name: str
    step: int
    length: int
    ended: bool
    points: Points
    index: Indices
    y: Array
    f: Array
    alpha: Array | None
    C: Array | None
    v: Array | None
    kkt: KktReport | None
    intercept: float
    tol: float
    certificate: Certificate
    trace: TraceView
    operation: str = ""
    verdict: str = ""
    pair: tuple[int, ...] = (-1, -1)
    explanation: Explanation | None = None
    slacks: Slacks | None = field(default=None)
    ranges: dict[int, tuple[float, float]] | None = None

    @property
    def at_end(self) -> bool:
        """Whether the run has finished, and its last step is displayed."""
        return self.ended and self.step == self.length
