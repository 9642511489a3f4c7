"""Timing: the duration of a study on this machine, forecast from some of its cells, and the time left of a run.

A model of costs compares the cells with each other; the seconds of finished cells give the factor by which this machine
is slower at present, whatever else it computes.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable

from app.core.number_format import about

from .cells import Path, paths
from .computing import Given, Record
from .model import Study
from .planning import costs_of
from .results import StudyResults
from .running import NICENESS, StudyProcesses, jobs

#: Duration (s) of a trial after its first result, and without one: compiling the loops takes up to 20 s of one core.
MEASURED, LONGEST = 2.0, 45.0
#: Time (s) that a process takes to start on an idle machine.
BEGINNING = 1.0
#: Computing time (s) from which the speed of this machine is known.
ENOUGH = 0.2


class TimedRun:
    """A run whose duration is compared with the model of costs.

    Parameters
    ----------
    study : Study
    given : Given or None
    todo : callable
        As in `StudyProcesses`.
    n_jobs, niceness : int, optional

    Attributes
    ----------
    run : StudyProcesses
    costs : ndarray
        Seconds for one result of each cell, by the model.
    cost, took : float
        Seconds for the results so far: by the model, and measured in the processes, once these have started.
    begun : float
        Time (s) when it started.
    """

    def __init__(
        self,
        study: Study,
        given: Given | None,
        todo: Callable[[], deque[Path]],
        n_jobs: int = 0,
        niceness: int = NICENESS,
    ) -> None:
        self.study = study
        self.costs = costs_of(study, given)
        self.cost = self.took = 0.0
        self.begun = time.monotonic()
        self.run = StudyProcesses(study, given, todo, n_jobs, niceness=niceness)

    @property
    def factor(self) -> float:
        """Measured seconds divided by those of the model; NaN before the first result."""
        return self.took / self.cost if self.cost > 0 else float("nan")

    def take(self) -> list[Record]:
        """Return the results since the last call."""
        found = self.run.take()
        for record in found:
            self.cost += float(self.costs[record.cell])
            self.took += record.seconds
        return found


class StudyRun(TimedRun):
    """The run that computes the missing results of those displayed.

    Parameters
    ----------
    kept : StudyResults
    given : Given or None

    Attributes
    ----------
    whole : float
        Its cost by the model.
    """

    def __init__(self, kept: StudyResults, given: Given | None) -> None:
        super().__init__(kept.study, given, lambda: deque(kept.missing()))
        self.whole = float((kept.lacking.sum(axis=(-2, -1)) * self.costs).sum())

    @property
    def share(self) -> float:
        """Share that is done, from 0 to 1."""
        return min(self.cost / self.whole, 1.0) if self.whole else 0.0

    def left(self, slower: float) -> str:
        """Return progress and time left; until the run has computed as long as a trial, for a machine `slower` by this
        factor.
        """
        percent = f"{100 * self.share:.0f} %"
        if self.run.state == "paused":
            return f"Paused at {percent}"
        if self.cost <= 0:
            return "Beginning…"
        factor = self.factor if self.took > MEASURED else slower
        return f"{percent}, {about(max(self.whole - self.cost, 0.0) * factor / jobs())} left"


class Trial(TimedRun):
    """Compute some cells of `study` in a process of its own, to time them; the results are discarded.

    Paths are drawn at random, so that slow and fast settings occur as often as in the whole study.

    Parameters
    ----------
    study : Study
    given : Given or None
    niceness : int, optional
        That of the processes of the run.

    Attributes
    ----------
    ended : bool
        True once the measurement is over; without a result, the duration is not known.
    """

    def __init__(self, study: Study, given: Given | None, niceness: int = NICENESS) -> None:
        self.ended = False
        self._first = self._last = 0.0
        self._n_results = 0
        super().__init__(study, given, self._drawn, 1, niceness)

    def _drawn(self) -> deque[Path]:
        self._paths = paths(self.study)
        random.Random(0).shuffle(self._paths)
        return deque(self._paths)

    def collect(self) -> None:
        """Take new results; end the trial when it is long enough."""
        if self.ended:
            return
        over, now = self.run.state == "ended", time.monotonic()
        if found := len(self.take()):
            self._n_results += found
            self._first, self._last = self._first or now, now
        late = now - (self._first or self.begun) > (MEASURED if self._first else LONGEST)
        if late and not over and self.took > 0:
            # Few slow cells are finished in time: the path at hand counts as if it ended now, if that is late for it.
            took, cost = self.took + now - self._last, self.cost + self._cost_of_present_path()
            if took / cost > self.factor:
                self.took, self.cost = took, cost
        if late or over:
            self.end()

    def _cost_of_present_path(self) -> float:
        """Return the cost of the missing results of the present path, by the model."""
        n_before = self._n_results
        for path in self._paths:
            if n_before < len(path.cells):
                return float(sum(self.costs[cell] for cell in path.cells[n_before:]))
            n_before -= len(path.cells)
        return 0.0

    @property
    def beginning(self) -> float:
        """Time (s) before the first result of a run: loading compiled loops takes a process as long as starting."""
        return max(BEGINNING, 2.0 * self.run.start)

    def end(self) -> None:
        """Kill the process."""
        self.ended = True
        self.run.cancel()
