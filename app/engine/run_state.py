"""RunState: one binary problem of a lane at one moment of its training, with everything the panels show of it."""

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

#: Duration of the replay of a whole run (s), and its least speed (steps a second): a shorter run would seem to stand.
WHOLE_RUN, LEAST_SPEED = 10.0, 1.0
#: Least speed of a run whose length is not known yet (steps a second).
SPEED_AT_FIRST = 5.0


def speed_of(seek: Seek | None, recording: int, length: int, ended: bool, live: float, factor: float) -> float:
    """Return the steps per second at which a run plays: those of a replay, or of `live` training.

    A replay takes `WHOLE_RUN` seconds for the whole run, `factor` times as fast.
    A run that has not ended is trained at its own speed, unless that is full speed: nobody could follow it.
    """
    replays = seek is not None and seek.until == "replay" and seek.recording == recording
    if not (replays and (ended or math.isinf(live))):
        return live
    return factor * max(length / WHOLE_RUN, LEAST_SPEED if ended else SPEED_AT_FIRST)


class Slacks(Struct, frozen=True, eq=False):
    """For each point with slack, where f reaches its own margin.

    Attributes
    ----------
    point : ndarray of shape (m,)
        Places in the run's `index`.
    end : ndarray of shape (m, 2)
        Where y f = 1 first, going from the point along the gradient of f; or where its capped bar ends.
    capped : ndarray of shape (m,)
        True where that level is not met in the view: the bar's length is proportional to the slack.
    """

    point: Indices
    end: Array
    capped: Mask


class RunState(Struct, frozen=True, eq=False):
    """The problem whose run the transport drives.

    Attributes
    ----------
    recording : int
        Number of the run; a new one whenever training began anew.
    trainer : Trainer
    rule : str
        Working-set rule, "" for learners without one.
    name : str
        What the problem is called, "" when it is the only one.
    step, length : int
        Where the run stands, and how many steps it has made so far.
    ended : bool
        The run has come to its end, at `length`.
    points : Points
        What the lane was trained on.
    index : ndarray of shape (n,)
        The points of this problem, as indices of `points`; none where there is no binary problem.
    y : ndarray of shape (n,)
        -1 and +1.
    f : ndarray of shape (n,)
        f at these points.
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
        What the newest step was, in words; "" when there is nothing to say.
    verdict : str
        What is proved at the end of a run without binary problems, in words; else "".
    pair : tuple of int
        The points (i, j), as indices of `points`, that the next step moves, or the newest one at the end; of a vote,
        the point looked at in the newest step, and its neighbours.  -1 for none.
    explanation : Explanation or None
        Why these two, and what the step does with them (SMO only).
    slacks : Slacks or None
        Known when the run rests.
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

    @property
    def at_end(self) -> bool:
        """The run stands where it has ended."""
        return self.ended and self.step == self.length
