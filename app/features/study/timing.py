"""Timing: how long a study takes on this machine: forecast from some of its cells, and what is left of one on its way.

A model of costs says how the cells compare; the seconds of those that are done say by which factor this machine is
slower just now, whatever else it computes.
"""

from __future__ import annotations

import random
import time
from collections import deque
from collections.abc import Callable

from .cells import Path, paths
from .computing import Given, Record
from .model import Study
from .planning import costs_of
from .results import StudyResults
from .running import Run, jobs

#: Seconds of a trial after its first result, and in all: starting a process takes one to three of them.
MEASURED, LONGEST = 2.0, 8.0
#: Seconds that a process takes to begin, about.
BEGINNING = 1.0
#: Seconds after the first result from which the pace of a run is known; before, processes are still beginning.
PACE = 5.0


class TimedRun:
    """A run whose seconds are compared with what the model of costs says.

    Parameters
    ----------
    study : Study
    given : Given or None
    todo : callable
        As of `Run`.
    n_jobs : int, optional

    Attributes
    ----------
    run : Run
    costs : ndarray
        Seconds of one result of each cell, by the model.
    cost, took : float
        What the results so far cost by the model, and the seconds that they took.
    begun : float
        When it began.
    """

    def __init__(self, study: Study, given: Given | None, todo: Callable[[], deque[Path]], n_jobs: int = 0) -> None:
        self.study = study
        self.costs = costs_of(study, given)
        self.cost = self.took = 0.0
        self.begun = time.monotonic()
        self.run = Run(study, given, todo, lambda: None, n_jobs)

    @property
    def factor(self) -> float:
        """How much longer the cells took than the model says; NaN while none is done."""
        return self.took / self.cost if self.cost > 0 else float("nan")

    def take(self) -> list[Record]:
        """What has been found since the last time."""
        found = self.run.take()
        for record in found:
            self.cost += float(self.costs[record.places])
            self.took += record.seconds
        return found


class StudyRun(TimedRun):
    """The run that computes what is missing of the results that are shown.

    Parameters
    ----------
    kept : StudyResults
    given : Given or None

    Attributes
    ----------
    whole : float
        What it costs by the model.
    since : tuple of float
        When the first results were there, in active seconds, and what they had cost.
    """

    def __init__(self, kept: StudyResults, given: Given | None) -> None:
        super().__init__(kept.study, given, lambda: deque(kept.missing()))
        self.whole = float((kept.lacking.sum(axis=(-2, -1)) * self.costs).sum())
        self.since = (0.0, 0.0)
        self._paused_at: float | None = None

    def take(self) -> list[Record]:
        found = super().take()
        if found and not self.since[1]:
            self.since = self.active, self.cost
        return found

    def pause(self) -> None:
        """Rest, or go on."""
        rests = self.run.state == "running"
        self.run.pause(rests)
        self.begun = time.monotonic() - self.active  # the pause does not count
        self._paused_at = time.monotonic() if rests else None

    @property
    def active(self) -> float:
        """Seconds since the beginning, without pauses."""
        return (time.monotonic() if self._paused_at is None else self._paused_at) - self.begun

    @property
    def share(self) -> float:
        """How much of it is done, from 0 to 1."""
        return min(self.cost / self.whole, 1.0) if self.whole else 0.0

    def left(self, slower: float) -> str:
        """How far it is, with the time left; before there is a pace, as forecast for a machine so much slower."""
        percent = f"{100 * self.share:.0f} %"
        if self.run.state == "paused":
            return f"Paused at {percent}"
        if self.cost <= 0:
            return "Beginning…"
        active, cost = self.since
        elapsed, lacking = self.active - active, self.whole - self.cost
        paced = elapsed >= PACE and self.cost > cost
        seconds = elapsed * lacking / (self.cost - cost) if paced else lacking * slower / jobs()
        return f"{percent}, {duration(seconds)} left"


class Trial(TimedRun):
    """Some cells of `study`, computed in a process of their own; their results are not kept.

    Paths are drawn at random, so that slow and fast settings count as often as in the whole study.

    Parameters
    ----------
    study : Study
    given : Given or None

    Attributes
    ----------
    ended : bool
        Nothing more is measured.
    """

    def __init__(self, study: Study, given: Given | None) -> None:
        super().__init__(study, given, self._drawn, 1)
        self.ended = False
        self._first = self._last = 0.0

    def _drawn(self) -> deque[Path]:
        every = paths(self.study)
        random.Random(0).shuffle(every)
        return deque(every)

    def collect(self) -> None:
        """Take what was computed; end the trial when it is long enough."""
        if self.ended:
            return
        over, now = self.run.state == "ended", time.monotonic()
        if self.take():
            self._first, self._last = self._first or now, now
        late = now - self.begun > LONGEST or (self._first > 0 and now - self._first > MEASURED)
        if late and not over:
            # The cell at hand counts with what it took so far: of slow ones, few are done in time.
            self.took += max(now - (self._last or self.begun + BEGINNING), 0.0)
            self.cost += float(self.costs.min())
        if late or over:
            self.end()

    def end(self) -> None:
        """End the process."""
        self.ended = True
        self.run.cancel()


def duration(seconds: float) -> str:
    """ "12 s", "3 min", "2 h"."""
    if seconds < 100:
        return f"{max(round(seconds), 1) if seconds < 20 else 5 * round(seconds / 5)} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
