"""Racer: one working-set rule in the race, what it has spent and how it is drawn; CostProbe: its twin for the time."""

from __future__ import annotations

import math
import time
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from app.engine.frames import Marks, Picture
from app.engine.pacing import PIECE
from app.engine.shading import Shades
from solver import Certificate, Kernel, RunningExpansion, SmoSolver, Status
from solver.core.arrays import Array

from .race_frame import CURVE, NEAR_GAP, Finish, RacerFrame

#: What a picture costs: the processor time of the thread, which knows nothing of waiting for the window; where that
#: clock is too coarse, the time that has passed.
stopwatch = time.thread_time if time.get_clock_info("thread_time").resolution < 1e-5 else time.perf_counter
#: A racer is looked at whenever its steps have grown by this factor; by the second one where its gap is in sight.
MARKS, CLOSE_MARKS, IN_SIGHT = 2**0.25, 1.03, 5 * NEAR_GAP
#: Points of a curve per doubling of the steps, at most.
FINENESS = 12
#: Points up to which every look at a racer takes the tighter primal bound.
THOROUGH = 2000
#: Steps that are timed together at least, and seconds that they take at most, once there are more.
TOGETHER, STRETCH = 64, 0.002
#: Ends at which KKT violation <= tol holds.
ARRIVED = (Status.OPTIMAL, Status.STATIONARY)


class CostProbe:
    """The same solver once more, running ahead of a racer: what it takes is the racer's time.

    A racer is stopped to be looked at, after every few steps when the race is slow; a short call of a solver costs
    many times what its steps do, and more the longer the processor has been busy with something else.  The pilot is
    never looked at: its stretches of many steps are timed, and between their ends time grows evenly.

    Parameters
    ----------
    solver : SmoSolver
        At its start, as the racer's.
    call_cost : float
        Seconds that a call of the solver takes beside its steps; see `call_cost`.
    """

    def __init__(self, solver: SmoSolver, call_cost: float) -> None:
        self._solver, self._call_cost = solver, call_cost
        self._steps, self._seconds = [0], [0.0]
        self._together = TOGETHER

    @property
    def ended(self) -> bool:
        """The solver has come to an end."""
        return self._solver.status is not Status.RUNNING

    @property
    def steps(self) -> int:
        """How far it is."""
        return self._steps[-1]

    @property
    def seconds(self) -> float:
        """What that took."""
        return self._seconds[-1]

    def fly(self, seconds: float) -> None:
        """Go on for about so long."""
        until = time.perf_counter() + seconds
        while not self.ended and time.perf_counter() < until:
            begun = stopwatch()
            made = self._solver.step(self._together, lambda: time.perf_counter() >= until + PIECE)
            took = max(0.0, stopwatch() - begun - self._call_cost)
            if made:
                self._steps.append(self.steps + made)
                self._seconds.append(self.seconds + took)
                wanted = int(STRETCH * made / max(took, 1e-6))
                self._together = min(max(wanted, TOGETHER), 2 * self._together)
            else:  # busy with something that belongs to the steps before
                self._seconds[-1] += took

    def seconds_at(self, steps: int) -> float:
        """What the first so many steps took, of those it has made."""
        return _between(steps, self._steps, self._seconds)

    def steps_at(self, seconds: float) -> int:
        """How many steps it had made after so many seconds."""
        return int(_between(seconds, self._seconds, self._steps) + 1e-9)


def _between(at: float, x: Sequence[float], y: Sequence[float]) -> float:
    """The value at `at` of the line through the points of ascending `x`; behind the last, the last one's."""
    if at >= x[-1]:
        return y[-1]
    k = bisect_right(x, at) - 1
    return y[k] + (at - x[k]) / (x[k + 1] - x[k]) * (y[k + 1] - y[k])


class Racer:
    """One rule at work.

    Parameters
    ----------
    rule : str
    solver : SmoSolver
    cost_probe : CostProbe

    Attributes
    ----------
    running_expansion : RunningExpansion or None
        What the newest picture was made with.
    picture : (int, Picture, Shades) or None
        The newest picture, the step it shows and its colours.
    """

    def __init__(self, rule: str, solver: SmoSolver, cost_probe: CostProbe) -> None:
        self.rule, self.solver, self.cost_probe = rule, solver, cost_probe
        self.running_expansion: RunningExpansion | None = None
        self.picture: tuple[int, Picture, Shades] | None = None
        self.near: Finish | None = None
        self._mark = 1
        self._rows: dict[int, tuple[float, ...]] = {}
        self._looked: tuple[int, Status, Certificate] | None = None

    @property
    def running(self) -> bool:
        """True until the solver has come to an end."""
        return self.solver.status is Status.RUNNING

    @property
    def seconds(self) -> float:
        """Solver time so far."""
        return self.cost_probe.seconds_at(self.solver.n_iter)

    @property
    def now(self) -> Finish:
        """What it has spent so far."""
        return Finish(self.solver.n_iter, self.solver.n_kernel_evaluations, self.seconds)

    def behind(self, mode: str, goal: float) -> bool:
        """Whether there is something left to do until it has spent `goal`."""
        return self.running and (self._pilot_is_wanted(mode, goal) or self.solver.n_iter < self._target(mode, goal))

    def _pilot_is_wanted(self, mode: str, goal: float) -> bool:
        reached = self.cost_probe.steps if mode == "steps" else self.cost_probe.seconds
        return not self.cost_probe.ended and reached < goal

    def _target(self, mode: str, goal: float) -> int:
        """The step to go to, once the pilot is far enough; the one after the last is never made, but ends the run."""
        if mode == "steps":
            return int(goal)
        return self.cost_probe.steps_at(goal) + int(self.cost_probe.ended and goal >= self.cost_probe.seconds)

    def work(self, mode: str, goal: float) -> None:
        """Go on for about `PIECE` seconds, or until `goal` is reached."""
        until = time.perf_counter() + PIECE
        while self.behind(mode, goal):
            left = until - time.perf_counter()
            if left <= 0:
                return
            if self._pilot_is_wanted(mode, goal):
                self.cost_probe.fly(left)
            else:
                self._step(self._target(mode, goal), until)

    def _step(self, target: int, until: float) -> None:
        """One call of the solver: to the step `target` or the next mark, whichever comes first."""
        n = min(target, self._mark) - self.solver.n_iter
        self.solver.step(n, lambda: time.perf_counter() >= until)
        if self.solver.n_iter >= self._mark or not self.running:
            self._reach_mark()

    def _reach_mark(self) -> None:
        """Look, and say at which step to look again: these steps, and so the curve, do not depend on the pace."""
        certificate = self.look()
        steps, gap = self.solver.n_iter, certificate.gap
        if steps:
            self._rows[int(FINENESS * math.log2(steps))] = self._row(certificate)
        if self.near is None and gap <= NEAR_GAP:
            self.near = self.now
        in_sight = self.near is None and gap <= IN_SIGHT
        self._mark = max(steps + 1, math.ceil(steps * (CLOSE_MARKS if in_sight else MARKS)))

    def look(self) -> Certificate:
        """What is proved just now."""
        steps, status = self.solver.n_iter, self.solver.status
        if self._looked is None or self._looked[:2] != (steps, status):
            certificate = self.solver.certificate(not self.running or len(self.solver.y) <= THOROUGH)
            self._looked = steps, status, certificate
        return self._looked[2]

    def _row(self, certificate: Certificate) -> tuple[float, ...]:
        now = self.now
        return now.steps, now.evaluations, now.seconds, certificate.gap, certificate.kkt_violation

    def _curve(self, certificate: Certificate) -> Array:
        """What the marks have said, and the present state."""
        rows = list(self._rows.values())
        if rows and rows[-1][0] < self.solver.n_iter:
            rows.append(self._row(certificate))
        return np.array(rows).reshape(-1, len(CURVE))

    def frame(self, picture: Picture) -> RacerFrame:
        """Return what there is to say of it, with its `picture`."""
        certificate, solver, now = self.look(), self.solver, self.now
        bounded = (solver.alpha == solver.C) & (solver.alpha > 0)
        return RacerFrame(
            self.rule,
            now.steps,
            now.evaluations,
            now.seconds,
            certificate,
            picture,
            Marks(np.flatnonzero((solver.alpha > 0) & ~bounded), np.flatnonzero(bounded)),
            self._curve(certificate),
            now if solver.status in ARRIVED else None,
            self.near,
        )


@lru_cache(maxsize=1)
def call_cost() -> float:
    """Seconds that a call of a solver takes beside its steps, measured on a small problem.

    The race calls its solvers more often than training does; what that costs is not the rule's.
    """
    places = np.arange(64.0)
    X = np.column_stack((places % 8, places // 8))
    solver = SmoSolver(X, np.where(places % 3 > 0, 1.0, -1.0), Kernel("rbf"), C=1e6, selection="random")

    def seconds(n: int) -> float:
        begun = stopwatch()
        solver.step(n)
        return stopwatch() - begun

    seconds(200)
    one = min(seconds(1) for _ in range(16))
    many = min(seconds(64) for _ in range(4))
    return max(0.0, (64 * one - many) / 63)
