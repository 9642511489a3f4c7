"""What the race window asks of the background, and what comes back; both never change."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from app.core.points import Points
from app.engine.requests import NO_MARKS, Marks, Picture
from app.engine.shading import Shades
from app.learners.svm import SvmSettings
from solver import Certificate, Grid, Status
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


@dataclass(frozen=True)
class RaceRequest:
    """How the race is to go on.

    Attributes
    ----------
    number : int
        Requests are numbered upwards.
    race : int
        Another number begins a new race, from zero multipliers; so do other points, settings, rules and modes.
    points : Points
    settings : SvmSettings
        Everything but the rule.
    problem : tuple of int
        Of several binary problems the one that is raced on, as `app.state.document.problems_of` has them.
    rules : tuple of str
        Two to four names of `solver.RULES`.
    mode : str
        A name of `MODES`.
    pace : float
        Steps, or milliseconds of solver time, that each racer gets per picture; inf is full speed.
    grid : Grid
        Where the small pictures are sampled once the race rests; on the way in fewer pixels.
    shades : Shades
    playing : bool
        False keeps the race where it is.
    cache_size : float, default=50.0
        Megabytes of kernel rows that each racer may keep, and its twin for the time once more.
    """

    number: int
    race: int
    points: Points
    settings: SvmSettings
    problem: tuple[int, int]
    rules: tuple[str, ...]
    mode: str
    pace: float
    grid: Grid
    shades: Shades
    playing: bool
    cache_size: float = 50.0


@dataclass(frozen=True)
class Finish:
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


@dataclass(frozen=True, eq=False)
class RacerFrame:
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


@dataclass(frozen=True, eq=False)
class RaceFrame:
    """All racers at one moment.

    Attributes
    ----------
    number, race : int
        Of the newest request this answers.
    points : Points
        Those of the binary problem.
    mode : str
    tol : float
        Largest KKT violation that is the finish.
    racers : tuple of RacerFrame
        In the order of the request's rules; empty where there is no race.
    message : str
        Why there is no race, or why it ended without a winner; or "".
    note : str
        What is to be known about it; or "".
    index : int
        The slot of the mailbox: there is one.
    """

    number: int
    race: int
    points: Points
    mode: str
    tol: float
    racers: tuple[RacerFrame, ...] = ()
    message: str = ""
    note: str = ""
    index: int = 0

    @property
    def over(self) -> bool:
        """Nobody runs any more."""
        return bool(self.message) or not any(racer.running for racer in self.racers)

    @property
    def begun(self) -> bool:
        """Some step has been made."""
        return any(racer.steps for racer in self.racers)
