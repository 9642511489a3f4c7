"""Racer: one working-set rule in the race, and what it has spent.  CostProbe: a second solver that times it."""

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

#: Measures the cost of a picture: the processor time of the thread, without waiting for the window; if that clock is
#: too coarse, the elapsed time.
stopwatch = time.thread_time if time.get_clock_info("thread_time").resolution < 1e-5 else time.perf_counter
#: Factors by which the steps grow between two certificates of a racer; the smaller one while its gap is nearly closed.
MARKS, CLOSE_MARKS, IN_SIGHT = 2**0.25, 1.03, 5 * NEAR_GAP
#: Largest number of points of a curve per doubling of the steps.
FINENESS = 12
#: Number of points up to which every certificate of a running racer has the tighter primal bound.
THOROUGH = 2000
#: Smallest number of steps that are timed together, and their longest duration (s) beyond that.
TOGETHER, STRETCH = 64, 0.002
#: Statuses with KKT violation <= tol.
ARRIVED = (Status.OPTIMAL, Status.STATIONARY)


class CostProbe:
    """A second solver like the racer's, ahead of it: its measured time is the racer's time.

    A racer is interrupted to be displayed, after every few steps in a slow race; a short call of a solver costs many
    times what its steps do, and more the longer the processor was busy with something else.  The cost probe is never
    interrupted: long stretches of its steps are timed, and between their ends time is interpolated.

    Parameters
    ----------
    solver : SmoSolver
        At its start, like the racer's.
    call_cost : float
        Seconds that a call of the solver takes besides its steps; see `call_cost`.
    """

    def __init__(self, solver: SmoSolver, call_cost: float) -> None:
        self._solver, self._call_cost = solver, call_cost
        self._steps, self._seconds = [0], [0.0]
        self._together = TOGETHER

    @property
    def ended(self) -> bool:
        """True if the solver has ended."""
        return self._solver.status is not Status.RUNNING

    @property
    def steps(self) -> int:
        """Number of steps so far."""
        return self._steps[-1]

    @property
    def seconds(self) -> float:
        """Solver time of these steps."""
        return self._seconds[-1]

    def run_ahead(self, seconds: float) -> None:
        """Continue for about this long."""
        until = time.perf_counter() + seconds
        while not self.ended and time.perf_counter() < until:
            begun = stopwatch()
            made = self._solver.step(self._together, lambda: time.perf_counter() >= until + PIECE)
            took = max(0.0, stopwatch() - begun - self._call_cost)
            if made:
                self._steps.append(self.steps + made)
                self._seconds.append(self.seconds + took)
                self._together = min(max(int(STRETCH * made / max(took, 1e-6)), TOGETHER), 2 * self._together)
            else:  # it worked on the last steps
                self._seconds[-1] += took

    def seconds_at(self, steps: int) -> float:
        """Return the duration of the first `steps` steps, as far as they were made."""
        return _between(steps, self._steps, self._seconds)

    def steps_at(self, seconds: float) -> int:
        """Return the number of steps after this many seconds."""
        return int(_between(seconds, self._seconds, self._steps) + 1e-9)


def _between(at: float, x: Sequence[float], y: Sequence[float]) -> float:
    """Return the value at `at` of the line through points with ascending `x`; beyond the last one, its value."""
    if at >= x[-1]:
        return y[-1]
    k = bisect_right(x, at) - 1
    return y[k] + (at - x[k]) / (x[k + 1] - x[k]) * (y[k + 1] - y[k])


class Racer:
    """One rule with its solver.

    Parameters
    ----------
    rule : str
    solver : SmoSolver
    cost_probe : CostProbe

    Attributes
    ----------
    running_expansion : RunningExpansion or None
        Expansion of the newest picture.
    picture : (int, Picture, Shades) or None
        The newest picture with its step and colours.
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
        """True until the solver has ended."""
        return self.solver.status is Status.RUNNING

    @property
    def seconds(self) -> float:
        """Solver time so far."""
        return self.cost_probe.seconds_at(self.solver.n_iter)

    @property
    def now(self) -> Finish:
        """What the racer has spent so far."""
        return Finish(self.solver.n_iter, self.solver.n_kernel_evaluations, self.seconds)

    def behind(self, mode: str, goal: float) -> bool:
        """Return True if work is left until it has spent `goal`."""
        return self.running and (self._probe_is_needed(mode, goal) or self.solver.n_iter < self._target(mode, goal))

    def _probe_is_needed(self, mode: str, goal: float) -> bool:
        reached = self.cost_probe.steps if mode == "steps" else self.cost_probe.seconds
        return not self.cost_probe.ended and reached < goal

    def _target(self, mode: str, goal: float) -> int:
        """Return the step to go to, once the cost probe is there; one step beyond the last ends the run."""
        if mode == "steps":
            return int(goal)
        return self.cost_probe.steps_at(goal) + int(self.cost_probe.ended and goal >= self.cost_probe.seconds)

    def work(self, mode: str, goal: float) -> None:
        """Continue for about `PIECE` seconds, or until `goal` is reached."""
        until = time.perf_counter() + PIECE
        while self.behind(mode, goal):
            left = until - time.perf_counter()
            if left <= 0:
                return
            if self._probe_is_needed(mode, goal):
                self.cost_probe.run_ahead(left)
            else:
                self._step(self._target(mode, goal), until)

    def _step(self, target: int, until: float) -> None:
        """Call the solver once: up to the step `target` or the next mark, whichever comes first."""
        self.solver.step(min(target, self._mark) - self.solver.n_iter, lambda: time.perf_counter() >= until)
        if self.solver.n_iter >= self._mark or not self.running:
            self._reach_mark()

    def _reach_mark(self) -> None:
        """Take a certificate, and set the step of the next one; these steps do not depend on the pace."""
        certificate = self.certify()
        steps, gap = self.solver.n_iter, certificate.gap
        if steps:
            self._rows[int(FINENESS * math.log2(steps))] = self._row(certificate)
        if self.near is None and gap <= NEAR_GAP:
            self.near = self.now
        in_sight = self.near is None and gap <= IN_SIGHT
        self._mark = max(steps + 1, math.ceil(steps * (CLOSE_MARKS if in_sight else MARKS)))

    def certify(self) -> Certificate:
        """Return the certificate of the present step."""
        steps, status = self.solver.n_iter, self.solver.status
        if self._looked is None or self._looked[:2] != (steps, status):
            certificate = self.solver.certificate(not self.running or len(self.solver.y) <= THOROUGH)
            self._looked = steps, status, certificate
        return self._looked[2]

    def _row(self, certificate: Certificate) -> tuple[float, ...]:
        now = self.now
        return now.steps, now.evaluations, now.seconds, certificate.gap, certificate.kkt_violation

    def _curve(self, certificate: Certificate) -> Array:
        """Return the rows of all marks, and of the present step."""
        rows = list(self._rows.values())
        if rows and rows[-1][0] < self.solver.n_iter:
            rows.append(self._row(certificate))
        return np.array(rows).reshape(-1, len(CURVE))

    def frame(self, picture: Picture) -> RacerFrame:
        """Return the present state with its `picture`."""
        certificate, solver, now = self.certify(), self.solver, self.now
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
    """Return the seconds that a call of a solver takes besides its steps, measured on a small problem.

    The race calls its solvers more often than training does; this cost does not belong to the rule.
    """
    numbers = np.arange(64.0)
    X = np.column_stack((numbers % 8, numbers // 8))
    solver = SmoSolver(X, np.where(numbers % 3 > 0, 1.0, -1.0), Kernel("rbf"), C=1e6, selection="random")

    def seconds(n: int) -> float:
        begun = stopwatch()
        solver.step(n)
        return stopwatch() - begun

    seconds(200)
    return max(0.0, (64 * min(seconds(1) for _ in range(16)) - min(seconds(64) for _ in range(4))) / 63)
