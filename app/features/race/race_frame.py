"""Frames of a race: the course, and the state of each racer, as frozen values."""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field

from app.core.points import Points
from app.engine.frames import NO_MARKS, Marks, Picture
from app.learners.svm import SvmSettings
from solver import Certificate, Status
from solver.core.arrays import Array

#: Measures of fairness: equal steps, or equal solver time; title and explanation.
MODES: dict[str, tuple[str, str]] = {
    "steps": ("Same steps", "In each round every rule makes the same number of steps."),
    "time": ("Same time", "In each round every rule gets the same solver time."),
}
LEAST_RACERS, MOST_RACERS = 2, 4
#: Columns of a curve.
CURVE = ("steps", "evaluations", "seconds", "gap", "violation")
#: Relative duality gap of the second finish.
NEAR_GAP = 0.01


class Course(Struct, frozen=True):
    """Problem and rules of a race; constant until the race restarts.

    Attributes
    ----------
    points : Points
    settings : SvmSettings
        All settings but the rule.
    problem : tuple of int
        The binary problem, one of `app.state.document.problems_of`.
    rules : tuple of str
        Two to four names of `solver.RULES`.
    mode : str
        A key of `MODES`.
    lane : int or None
        The lane that provides the settings.
    problems : tuple of (int, int)
        The binary problems to choose from.
    cache_size : float, default=50.0
        Megabytes of kernel rows for each racer, and again for its cost probe.
    standardises : bool
        The racers train on standardised points, as the lane does.
    """

    points: Points
    settings: SvmSettings = field(default_factory=SvmSettings)
    problem: tuple[int, int] = (0, 1)
    rules: tuple[str, ...] = ()
    mode: str = "steps"
    lane: int | None = None
    problems: tuple[tuple[int, int], ...] = ()
    cache_size: float = 50.0
    standardises: bool = False


class Finish(Struct, frozen=True):
    """What a racer had spent at a finish, and its rank.

    Attributes
    ----------
    steps, evaluations : int
        Pair updates, and kernel values computed.
    seconds : float
        Solver time.
    rank : int
        Rank, from 1; equal for those that spent the same.
    """

    steps: int
    evaluations: int
    seconds: float
    rank: int = 0

    def spent(self, mode: str) -> float:
        """Return the quantity that decides a race in this mode."""
        return self.steps if mode == "steps" else self.seconds


class RacerFrame(Struct, frozen=True, eq=False):
    """The state of one rule at one moment of the race.

    Attributes
    ----------
    rule : str
    steps, evaluations, seconds
        Spent so far, as in `Finish`.
    certificate : Certificate
    picture : Picture or None
    marks : Marks
        Indices among the frame's points.
    curve : ndarray of shape (m, 5)
        The columns `CURVE` at some steps, ascending; the gap is NaN without a primal bound.
    finish : Finish or None
        When the KKT violation was at most `tol`.
    near : Finish or None
        When the gap was first seen to be at most `NEAR_GAP`.
    """

    rule: str
    steps: int
    evaluations: int
    seconds: float
    certificate: Certificate
    picture: Picture | None = None
    marks: Marks = NO_MARKS
    curve: Array = field(default_factory=lambda: np.empty((0, len(CURVE))))
    finish: Finish | None = None
    near: Finish | None = None

    @property
    def running(self) -> bool:
        """True until the solver has ended, for whatever reason."""
        return self.certificate.status is Status.RUNNING


class RaceFrame(Struct, frozen=True, eq=False):
    """The state of all racers at one moment.

    Attributes
    ----------
    points : Points
        Those of the binary problem.
    mode : str
    tol : float
        Largest KKT violation at the finish.
    racers : tuple of RacerFrame
        In the order of the course's rules.
    message : str
        Why the race ended without a winner; or "".
    note : str
        A remark on the race; or "".
    """

    points: Points
    mode: str
    tol: float
    racers: tuple[RacerFrame, ...]
    message: str = ""
    note: str = ""

    @property
    def over(self) -> bool:
        """True if no racer is running."""
        return bool(self.message) or not any(racer.running for racer in self.racers)

    @property
    def begun(self) -> bool:
        """True if any step has been made."""
        return any(racer.steps for racer in self.racers)
