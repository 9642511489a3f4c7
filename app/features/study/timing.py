"""Timing: how long a study will take on this machine, measured on some of its cells.

A model of costs says how the cells compare; the trial says by which factor this machine is slower just now, whatever
else it computes.  Paths are drawn at random, so that slow and fast settings count as often as in the whole study.
"""

from __future__ import annotations

import random
import time
from collections import deque

from .cells import Path, paths
from .computing import Given
from .model import Study
from .planning import costs_of
from .running import Run

#: Seconds of a trial after its first result, and in all: starting a process takes one to three of them.
MEASURED, LONGEST = 2.0, 8.0
#: Seconds that a process takes to begin, about.
BEGINNING = 1.0


class Trial:
    """Some cells of `study`, computed in a process of their own; their results are not kept.

    Parameters
    ----------
    study : Study
    given : Given or None

    Attributes
    ----------
    factor : float
        How much longer the cells took than the model says; NaN while none is done.
    """

    def __init__(self, study: Study, given: Given | None) -> None:
        self.study = study
        self.factor = float("nan")
        self._costs = costs_of(study, given)
        self._cost = self._took = 0.0
        self._begun = self._last = time.monotonic()
        self._first = 0.0
        self._run: Run | None = Run(study, given, self._drawn, lambda: None, 1)

    def _drawn(self) -> deque[Path]:
        every = paths(self.study)
        random.Random(0).shuffle(every)
        return deque(every)

    @property
    def ended(self) -> bool:
        """Nothing more is measured."""
        return self._run is None

    def collect(self) -> None:
        """Take what was computed; end the trial when it is long enough."""
        run = self._run
        if run is None:
            return
        over, now = run.state == "ended", time.monotonic()
        for record in run.take():
            self._first = self._first or now
            self._last = now
            self._took += record.seconds
            self._cost += float(self._costs[record.places])
        late = now - self._begun > LONGEST or (self._first > 0 and now - self._first > MEASURED)
        if late and not over:
            # The cell at hand counts with what it took so far: of slow ones, few are done in time.
            begun = self._last if self._first else self._begun + BEGINNING
            self._took += max(now - begun, 0.0)
            self._cost += float(self._costs.min())
        if self._cost > 0:
            self.factor = self._took / self._cost
        if late or over:
            self.end()

    def end(self) -> None:
        """End the process."""
        run, self._run = self._run, None
        if run is not None:
            run.cancel()
