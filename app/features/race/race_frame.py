"""What is raced on, and how a race stands: values that never change."""

from __future__ import annotations

import numpy as np
from msgspec import Struct, field

from app.core.points import Points
from app.engine.requests import NO_MARKS, Marks, Picture
from app.learners.svm import SvmSettings
from solver import Certificate, Status
from solver.core.arrays import Array

#: What the racers are given in equal measure: steps, or solver time.
MODES: dict[str, tuple[str, str]] = {
    "steps": ("Same steps", "In each round every rule makes the same number of steps."),
    "time": ("Same time", "In each round every rule gets the same solver time."),
}
LEAST_RACERS, MOST_RACERS = 2, 4
#: Columns of a curve.
CURVE = ("steps", "evaluations", "seconds", "gap", "violation")
#: The relative duality gap at which the race has its second finish.
NEAR_GAP = 0.01


class Course(Struct, frozen=True):
    """What is raced on and who races; it stays the same until the race begins anew.

    Attributes
    ----------
    points : Points
    settings : SvmSettings
        Everything but the rule.
    problem : tuple of int
        Of several binary problems the one that is raced on, as `app.state.document.problems_of` has them.
    rules : tuple of str
        Two to four names of `solver.RULES`.
    mode : str
        A name of `MODES`.
    lane : int or None
        The lane that the settings come from.
    problems : tuple of (int, int)
        The binary problems to choose from.
    cache_size : float, default=50.0
        Megabytes of kernel rows that each racer may keep, and its twin for the time once more.
    """

    points: Points
    settings: SvmSettings = field(default_factory=SvmSettings)
    problem: tuple[int, int] = (0, 1)
    rules: tuple[str, ...] = ()
    mode: str = "steps"
    lane: int | None = None
    problems: tuple[tuple[int, int], ...] = ()
    cache_size: float = 50.0


class Finish(Struct, frozen=True):
    """What a racer had spent when it came to a finish, and in which place that was.

    Attributes
    ----------
    steps, evaluations : int
        Pair updates, and kernel values computed.
    seconds : float
        Solver time.
    place : int
        1 for the first; the same for those that spent the same.
    """

    steps: int
    evaluations: int
    seconds: float
    place: int = 0

    def spent(self, mode: str) -> float:
        """What the race of this `mode` is decided by."""
        return self.steps if mode == "steps" else self.seconds


class RacerFrame(Struct, frozen=True, eq=False):
    """One rule at one moment of the race.

    Attributes
    ----------
    rule : str
    steps, evaluations, seconds
        Spent so far, as in `Finish`.
    certificate : Certificate
    picture : Picture or None
    marks : Marks
        Indices of the frame's points.
    curve : ndarray of shape (m, 5)
        The columns `CURVE` at some steps, ascending; the gap is nan where there is no primal bound.
    finish : Finish or None
        Where the KKT violation is at most tol.
    near : Finish or None
        Where the gap was first seen to be at most `NEAR_GAP`.
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
        """True while it has not come to its end, whichever that is."""
        return self.certificate.status is Status.RUNNING


class RaceFrame(Struct, frozen=True, eq=False):
    """All racers at one moment.

    Attributes
    ----------
    points : Points
        Those of the binary problem.
    mode : str
    tol : float
        Largest KKT violation that is the finish.
    racers : tuple of RacerFrame
        In the order of the course's rules.
    message : str
        Why it ended without a winner; or "".
    note : str
        What is to be known about it; or "".
    """

    points: Points
    mode: str
    tol: float
    racers: tuple[RacerFrame, ...]
    message: str = ""
    note: str = ""

    @property
    def over(self) -> bool:
        """Nobody runs any more."""
        return bool(self.message) or not any(racer.running for racer in self.racers)

    @property
    def begun(self) -> bool:
        """Some step has been made."""
        return any(racer.steps for racer in self.racers)
