"""Scheduler: request pictures whose inputs have changed, and answers to queries; collect the results."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Mapping

from solver import Grid

from .export_surface import enlarge
from .fitting import BACKGROUND
from .frames import Frame, LaneRequest, LaneSpec, Picture
from .lane_job import LaneJob
from .mailbox import Mailbox
from .pool import Job, LatestQueue, Pool, Priority, Wanted
from .query import Answer, Query, work_out
from .results import Results
from .shading import Shades

#: Pause of background work (s) after the user has changed a lane's picture.
PAUSE = 0.2


class Scheduler:
    """Request the pictures of the lanes and the answers to queries, and collect them.

    Parameters
    ----------
    lanes : int
        Largest number of lanes.
    wake : callable
        Called from a compute thread when results have arrived; must make the window call `collect`, and return at
        once.
    """

    def __init__(self, lanes: int, wake: Callable[[], None]) -> None:
        self.results = Results()
        self._pool = Pool()
        self._mailbox = Mailbox(wake)
        self._jobs = [LaneJob(self._mailbox.post) for _ in range(lanes)]
        self._queues = [LatestQueue(self._pool, job) for job in self._jobs]
        self._specs: list[LaneSpec | None] = [None] * lanes
        self._numbers = itertools.count(1)
        self._newest = [0] * lanes
        self._requested_at = [0.0] * lanes  # time of the newest request
        self._took = [0.0] * lanes  # time from a lane's last request to its first picture (s)
        self._least = [0] * lanes
        self._query_queues: dict[str, LatestQueue[Answer]] = {}
        self._requested: dict[str, Answer] = {}
        self._since: dict[str, int] = {}  # by name, number of the first query since when the name was always in use

    def request_picture(self, index: int, spec: LaneSpec) -> None:
        """Request the picture of lane `index`, unless the same was requested last."""
        if self._specs[index] != spec:
            self._specs[index] = spec
            self._newest[index] = next(self._numbers)
            self._requested_at[index] = time.perf_counter()
            if spec.sides is None:  # a difference follows its models, not the user
                self._pool.pause(PAUSE)
            self._queues[index].submit(LaneRequest(self._newest[index], index, spec))

    def stop(self, index: int) -> None:
        """Stop the work for lane `index`, which is no longer displayed."""
        if self._specs[index] is not None:
            self._specs[index] = None
            self._queues[index].cancel()

    def forget(self, index: int) -> None:
        """Discard all of lane `index`, which has been deleted: the next of this number is another."""
        if self._newest[index] > self._least[index]:
            self.stop(index)
            self._jobs[index].close()
            self._least[index] = next(self._numbers)
            self.results.forget(index)

    def request_answers(self, queries: Mapping[str, Query], owner: str = "") -> None:
        """Request answers to `queries`, by name, when nothing is more urgent; discard all other queries of `owner`.

        A query that equals the last of its name continues, or keeps its answer.

        Parameters
        ----------
        queries : mapping of str to Query
        owner : str, optional
            A panel with a state of its own; "" for queries that depend on document and session only.
        """
        for name in [name for name, each in self._requested.items() if each.owner == owner and name not in queries]:
            del self._requested[name], self._since[name]
            self._query_queues[name].cancel()
            self.results.forget(name)
        for name, query in queries.items():
            answer = self._requested.get(name)
            if answer is None or answer.query != query:
                answer = self._requested[name] = Answer(name, next(self._numbers), query, owner=owner)
                self._since.setdefault(name, answer.job)
                self._queue_of(name, getattr(query, "priority", Priority.BACKGROUND)).submit(answer)

    def _queue_of(self, name: str, priority: Priority) -> LatestQueue[Answer]:
        queue = self._query_queues.get(name)
        if queue is None:
            queue = self._query_queues[name] = LatestQueue(
                self._pool, lambda answer, overtaken: work_out(answer, self._mailbox.post, overtaken), priority
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
        """Make the picture of a frame's model on any grid, when nothing is more urgent.

        A compute thread calls `done` with the picture, or with a sentence that says why there is none.
        """
        self._pool.submit(enlarge(frame, grid, shades, done, given_up), Priority.BACKGROUND)

    def queue(self, work: Callable[[Wanted, Callable[[], bool]], Job], priority: Priority) -> LatestQueue[Wanted]:
        """Return a queue for jobs that deliver their own results; their pieces run among those of the lanes."""
        return LatestQueue(self._pool, work, priority)

    def newest(self, index: int) -> int:
        """Return the number of the lane's newest request; 0 before the first."""
        return self._newest[index]

    def are_near(self, drawn: Mapping[int, int], soon: float) -> bool:
        """Return whether a lane awaits a newer picture than the job in `drawn`, and none of them for `soon` (s)."""
        frames = {slot: self.results.frame(slot) for slot, job in drawn.items() if self._newest[slot] > job}
        missing = [slot for slot, frame in frames.items() if frame is None or frame.job <= drawn[slot]]
        return bool(missing) and all(0 < self.delay(slot) < soon for slot in missing)

    def delay(self, index: int) -> float:
        """Return the time (s) from the lane's last request to its first picture; 0 before the first."""
        return self._took[index]

    def collect(self) -> bool:
        """Take the frames and answers that have arrived; return whether any is to be displayed."""
        found = self._mailbox.take()
        frames = [each for each in found if isinstance(each, Frame) and each.job >= self._least[each.index]]
        now = time.perf_counter()
        for frame in frames:
            before = self.results.frame(frame.index)
            if frame.job == self._newest[frame.index] and (before is None or before.job != frame.job):
                self._took[frame.index] = now - self._requested_at[frame.index]
        # Discard answers to queries no longer made; an answer to an older query of a name is still of use.
        answers = [a for a in found if isinstance(a, Answer) and a.job >= self._since.get(a.name, a.job + 1)]
        return any([self.results.accept(each) for each in frames] + [self.results.accept(each) for each in answers])

    @property
    def idle(self) -> bool:
        """Whether nothing is queued, running or waiting to be collected."""
        return self._pool.idle and self._mailbox.empty

    def close(self) -> bool:
        """Stop the compute threads, and kill the processes of classifiers; return whether the threads ended in time."""
        ended = self._pool.close()
        for job in self._jobs:
            job.close()
        BACKGROUND.end()
        return ended
