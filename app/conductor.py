"""Conductor: asks the background for whatever pictures differ from what was asked before, and collects the answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from solver import Grid

from .jobs.enlarging import enlarge
from .jobs.lane import LaneQueue
from .jobs.mailbox import Mailbox
from .jobs.pool import Job, Pool, Priority
from .jobs.requests import Frame, Picture, Request, Wish
from .jobs.work import LaneWork
from .results import Results
from .shading import Shades


class Conductor:
    """Keeps each lane's picture on its way to what is wished.

    Parameters
    ----------
    lanes : int
        How many lanes there can be.
    wake : callable
        Called from a compute thread when frames have come; must make the window call `collect`, and return at once.
    """

    def __init__(self, lanes: int, wake: Callable[[], None]) -> None:
        self.results = Results()
        self._pool = Pool()
        self._mailbox: Mailbox[Frame] = Mailbox(wake)
        self._queues = [LaneQueue(self._pool, LaneWork(self._mailbox.post)) for _ in range(lanes)]
        self._wishes: list[Wish | None] = [None] * lanes
        self._numbers = itertools.count(1)
        self._newest = [0] * lanes

    def want(self, index: int, wish: Wish) -> None:
        """Ask for lane `index` as wished; nothing happens when that is what was asked last."""
        if self._wishes[index] != wish:
            self._wishes[index] = wish
            self._newest[index] = next(self._numbers)
            self._queues[index].submit(Request(self._newest[index], index, wish))

    def stop(self, index: int) -> None:
        """Nobody looks at lane `index` any more: what it is doing ends soon."""
        if self._wishes[index] is not None:
            self._wishes[index] = None
            self._queues[index].cancel()

    def enlarge(
        self, frame: Frame, grid: Grid, shades: Shades, done: Callable[[Picture | str], None],
        given_up: Callable[[], bool],
    ) -> None:  # fmt: skip
        """Make the picture of a frame's model on any grid, when nothing else is wanted.

        `done` is called from a compute thread with the picture, or with a sentence that says why there is none.
        """
        self._pool.submit(enlarge(frame, grid, shades, done, given_up), Priority.BACKGROUND)

    def submit(self, job: Job, priority: Priority) -> None:
        """Run a job that answers by itself, piece by piece among the lanes' own."""
        self._pool.submit(job, priority)

    def newest(self, index: int) -> int:
        """Number of the lane's newest request; 0 before the first."""
        return self._newest[index]

    def collect(self) -> bool:
        """Take the frames that have come; True when any of them is to be shown."""
        return any([self.results.accept(frame) for frame in self._mailbox.take()])

    @property
    def idle(self) -> bool:
        """True when nothing is queued, running or waiting to be collected."""
        return self._pool.idle and self._mailbox.empty

    def close(self) -> bool:
        """Stop the compute threads; True when they ended in time."""
        return self._pool.close()
