"""Scheduler: asks the background for whatever pictures differ from what was asked before, and collects the answers."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping

from solver import Grid

from .estimator_process import ENDED
from .export_surface import enlarge
from .fitting import BACKGROUND
from .lane_job import LaneJob
from .mailbox import Mailbox
from .pool import Job, LatestQueue, Pool, Priority, Wanted
from .query import Answer, Query, work_out
from .requests import Frame, LaneRequest, LaneSpec, Picture
from .results import Results
from .shading import Shades

#: Seconds that the background rests after the user has changed what a lane is to show.
REST = 0.2


class Scheduler:
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
        self._jobs = [LaneJob(self._mailbox.post) for _ in range(lanes)]
        self._queues = [LatestQueue(self._pool, job) for job in self._jobs]
        self._specs: list[LaneSpec | None] = [None] * lanes
        self._numbers = itertools.count(1)
        self._newest = [0] * lanes
        self._asked_at = [0.0] * lanes  # when the newest request was made
        self._took = [0.0] * lanes  # seconds from a lane's last request to its first picture
        self._least = [0] * lanes
        self._answers: Mailbox[Answer] = Mailbox(wake)
        self._inquiries: dict[str, LatestQueue[Answer]] = {}
        self._asked: dict[str, Answer] = {}
        self._since: dict[str, int] = {}  # number of the first question of a name without a pause

    def want(self, index: int, spec: LaneSpec) -> None:
        """Ask for lane `index` as wished; nothing happens when that is what was asked last."""
        if self._specs[index] != spec:
            self._specs[index] = spec
            self._newest[index] = next(self._numbers)
            self._asked_at[index] = time.perf_counter()
            if spec.sides is None:  # a difference follows its models, not the user
                self._pool.rest(REST)
            self._queues[index].submit(LaneRequest(self._newest[index], index, spec))

    def stop(self, index: int) -> None:
        """Lane `index` is not displayed any more: what it is doing ends soon."""
        if self._specs[index] is not None:
            self._specs[index] = None
            self._queues[index].cancel()

    def forget(self, index: int) -> None:
        """Lane `index` is gone: the next of this number is another, and shows nothing of this one."""
        if self._newest[index] > self._least[index]:
            self.stop(index)
            self._jobs[index].close()
            self._least[index] = next(self._numbers)
            self.results.forget(index)

    def ask(self, queries: Mapping[str, Query], owner: str = "") -> None:
        """Have these questions, by name, answered when nothing else is wanted; all others of `owner` are dropped.

        A question that equals the one asked last under its name goes on, or keeps its answer.

        Parameters
        ----------
        queries : mapping of str to Query
        owner : str, optional
            A panel with a state of its own; what depends on document and session has none.
        """
        for name in [each.name for each in self._asked.values() if each.owner == owner and each.name not in queries]:
            del self._asked[name], self._since[name]
            self._inquiries[name].cancel()
            self.results.forget_answer(name)
        for name, query in queries.items():
            asked = self._asked.get(name)
            if asked is None or asked.query != query:
                asked = self._asked[name] = Answer(name, next(self._numbers), query, owner=owner)
                self._since.setdefault(name, asked.number)
                self._inquiry(name, getattr(query, "priority", Priority.BACKGROUND)).submit(asked)

    def _inquiry(self, name: str, priority: Priority) -> LatestQueue[Answer]:
        queue = self._inquiries.get(name)
        if queue is None:
            queue = self._inquiries[name] = LatestQueue(
                self._pool, lambda asked, overtaken: work_out(asked, self._answers.post, overtaken), priority
            )
        return queue

    def enlarge(
        self,
        frame: Frame,
        grid: Grid,
        shades: Shades,
        done: Callable[[Picture | str], None],
        given_up: Callable[[], bool],
    ) -> None:
        """Make the picture of a frame's model on any grid, when nothing else is wanted.

        `done` is called from a compute thread with the picture, or with a sentence that says why there is none.
        """
        self._pool.submit(enlarge(frame, grid, shades, done, given_up), Priority.BACKGROUND)

    def queue(self, work: Callable[[Wanted, Callable[[], bool]], Job], priority: Priority) -> LatestQueue[Wanted]:
        """A queue for jobs that answer by themselves, piece by piece among the lanes' own."""
        return LatestQueue(self._pool, work, priority)

    def newest(self, index: int) -> int:
        """Number of the lane's newest request; 0 before the first."""
        return self._newest[index]

    def delay(self, index: int) -> float:
        """Seconds that the lane's last first picture took from the request on; 0 before there was one."""
        return self._took[index]

    def collect(self) -> bool:
        """Take the frames and answers that have come; True when any of them is to be shown."""
        frames = [frame for frame in self._mailbox.take() if frame.job >= self._least[frame.index]]
        now = time.perf_counter()
        for frame in frames:
            before = self.results.frame(frame.index)
            if frame.job == self._newest[frame.index] and (before is None or before.job != frame.job):
                self._took[frame.index] = now - self._asked_at[frame.index]
        # An answer to what is asked no more has come too late; one to an older question of a name is news still.
        answers = [a for a in self._answers.take() if a.number >= self._since.get(a.name, a.number + 1)]
        return any([self.results.accept(frame) for frame in frames] + [self.results.accept_answer(a) for a in answers])

    @property
    def idle(self) -> bool:
        """True when nothing is queued, running or waiting to be collected."""
        return self._pool.idle and self._mailbox.empty and self._answers.empty

    def close(self) -> bool:
        """Stop the compute threads, and end the processes of classifiers; True when the threads ended in time."""
        ended = self._pool.close()
        for job in self._jobs:
            job.close()
        BACKGROUND.end(ENDED)
        return ended
