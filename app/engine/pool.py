"""Pool: the compute threads.  A job is an iterator of short pieces of work; other jobs may run between two pieces.

Each piece should take at most about 8 ms.  After each, a job yields the `Priority` of its next piece, or a `Delay` with
a delay.  So fairness, priorities, pacing and cancelling are one mechanism.

`LatestQueue` runs the requests of one lane or query: one at a time, and of those that wait only the newest.
"""

from __future__ import annotations

import heapq
import itertools
import os
import threading
import time
from collections.abc import Callable, Iterator
from enum import IntEnum
from typing import Generic, TypeVar

from msgspec import Struct
from threadpoolctl import threadpool_limits

from app.core import log

#: One of `SHARE` pieces is the one that has waited longest, if for more than `LONG` seconds and no first picture waits:
#: without this, a lane that trains for minutes would keep the other lane's picture coarse for as long.
SHARE, LONG = 8, 0.1


class Priority(IntEnum):
    """Order in which waiting pieces run; first come, first served at equal priority."""

    FIRST_PICTURE = 0
    TRAINING = 1
    FULL_PICTURE = 2
    BACKGROUND = 3


class Delay(Struct, frozen=True):
    """Continue after `seconds`, with `priority`."""

    seconds: float
    priority: Priority


Job = Iterator[Priority | Delay]


class Pool:
    """Run jobs piece by piece on a few threads.

    Parameters
    ----------
    threads : int, optional
        Default max(1, cores - 1), so that the window keeps a core.  With several cores, one more thread makes only
        first pictures: none of them waits for the end of another piece, and those of two lanes are made at the same
        time, while the window waits for them.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._ready: list[tuple[Priority, int, Job, float]] = []  # the last is the time since when
        self._later: list[tuple[float, int, Priority, Job]] = []
        self._order = itertools.count()
        self._taken = 0
        self._resting_until = 0.0
        self._running: set[Job] = set()
        self._hurried: set[Job] = set()  # running jobs whose next piece gets the priority of a first picture
        self._closed = False
        lock = threading.RLock()
        self._changed, self._urgent = threading.Condition(lock), threading.Condition(lock)
        # One thread for each matrix product: more would compete for the window's core.
        threadpool_limits(1, user_api="blas")
        cores = os.cpu_count() or 2
        count = threads or max(1, cores - 1)
        # The threads from `count` on make only first pictures.
        extra = int(threads is None and cores > 1)
        self._threads = [
            threading.Thread(target=self._work, args=(i >= count,), name=f"compute-{i}", daemon=True)
            for i in range(count + extra)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job, priority: Priority) -> None:
        """Queue `job`; after `close` it is dropped."""
        with self._changed:
            if not self._closed:
                self._push(priority, job)

    def hurry(self, job: Job) -> None:
        """Give `job`, if it waits, the priority of a first picture: its reason to wait is gone."""
        with self._changed:
            if job in self._running:
                self._hurried.add(job)
            # A waiting first picture keeps its position: else a flood of requests would delay its own lane.
            late = [entry for entry in self._later if entry[3] is job]
            behind = [entry for entry in self._ready if entry[2] is job and entry[0] != Priority.FIRST_PICTURE]
            if late or behind:
                self._later = [entry for entry in self._later if entry[3] is not job]
                self._ready = [entry for entry in self._ready if entry[2] is not job]
                heapq.heapify(self._later)
                heapq.heapify(self._ready)
                self._push(Priority.FIRST_PICTURE, job)

    def pause(self, seconds: float) -> None:
        """Start no `BACKGROUND` piece for some `seconds`, in which the window's thread responds to the user.

        That thread would have to wait for the interpreter at every call of Qt.
        """
        with self._changed:
            self._resting_until = time.monotonic() + seconds

    @property
    def idle(self) -> bool:
        """Whether no job is queued, waiting or running."""
        with self._changed:
            return not (self._ready or self._later or self._running)

    def close(self, timeout: float = 2.0) -> bool:
        """Discard queued jobs and let running pieces finish; return whether every thread has ended in time."""
        with self._changed:
            self._closed = True
            self._ready.clear()
            self._later.clear()
            self._changed.notify_all()
            self._urgent.notify_all()
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _work(self, urgent: bool) -> None:
        """Run pieces until `close`; an `urgent` thread runs only first pictures."""
        while True:
            with self._changed:
                while (job := self._next_urgent() if urgent else self._next()) is None:
                    if self._closed:
                        return
                    (self._urgent if urgent else self._changed).wait(None if urgent else self._wait())
                self._running.add(job)
            try:
                spec = next(job, None)
            except Exception:  # a job reports its own failures; one that cannot must not end the thread
                log.caught("A job failed.")
                spec = None
            with self._changed:
                self._running.remove(job)
                if job in self._hurried:
                    self._hurried.remove(job)
                    spec = None if spec is None else Priority.FIRST_PICTURE
                if spec is not None and not self._closed:
                    self._queue(job, spec)

    def _wait(self) -> float | None:
        """Return the seconds until the next delayed job, or None."""
        due = [self._later[0][0]] if self._later else []
        due += [self._resting_until] if self._ready else []
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _next_urgent(self) -> Job | None:
        if self._ready and self._ready[0][0] == Priority.FIRST_PICTURE:
            return heapq.heappop(self._ready)[2]
        return None

    def _next(self) -> Job | None:
        now = time.monotonic()
        while self._later and self._later[0][0] <= now:
            _, order, priority, job = heapq.heappop(self._later)
            heapq.heappush(self._ready, (priority, order, job, now))
        resting = now < self._resting_until
        if not self._ready or (resting and self._ready[0][0] == Priority.BACKGROUND):
            return None
        self._taken += 1
        longest = min(self._ready, key=lambda entry: entry[3])
        first = resting or self._taken % SHARE or self._ready[0][0] == Priority.FIRST_PICTURE
        if first or now - longest[3] < LONG:
            return heapq.heappop(self._ready)[2]
        self._ready.remove(longest)
        heapq.heapify(self._ready)
        return longest[2]

    def _queue(self, job: Job, spec: Priority | Delay) -> None:
        if isinstance(spec, Delay):
            heapq.heappush(self._later, (time.monotonic() + spec.seconds, next(self._order), spec.priority, job))
            self._changed.notify()
        else:
            self._push(spec, job)

    def _push(self, priority: Priority, job: Job) -> None:
        heapq.heappush(self._ready, (priority, next(self._order), job, time.monotonic()))
        self._changed.notify()
        if priority is Priority.FIRST_PICTURE:  # whichever of the two comes first
            self._urgent.notify()


Wanted = TypeVar("Wanted")


class LatestQueue(Generic[Wanted]):
    """Run the newest request of one lane or query.

    A newer request replaces one that has not begun.  One that runs checks `overtaken`; that of a lane does so only
    after its first picture, full or coarse, which is a promise: otherwise a long drag would paint nothing.

    Parameters
    ----------
    pool : Pool
    work : callable
        ``work(request, overtaken) -> Job``.
    priority : Priority, default=Priority.FIRST_PICTURE
        Priority of the first piece of each request.
    """

    def __init__(
        self, pool: Pool, work: Callable[[Wanted, Callable[[], bool]], Job], priority: Priority = Priority.FIRST_PICTURE
    ) -> None:
        self._pool, self._work, self._priority = pool, work, priority
        self._lock = threading.Lock()
        self._waiting: Wanted | None = None
        self._changed = False  # since the running request began
        self._job: Job | None = None

    def cancel(self) -> None:
        """Discard the waiting request, and end the running one at its next check."""
        self.submit(None)

    def submit(self, request: Wanted | None) -> None:
        """Make `request` the newest one; None cancels."""
        with self._lock:
            self._waiting = request
            self._changed = True
            running = self._job
            if request is None and running is None:
                return
            job = self._job = running or self._run()
        if running is None:
            self._pool.submit(job, self._priority)
        elif self._priority is Priority.FIRST_PICTURE:
            # The job may be waiting for its next slow step, or behind other lanes, for a result no longer needed.
            self._pool.hurry(job)

    def _run(self) -> Iterator[Priority | Delay]:
        while True:
            with self._lock:
                request, self._waiting = self._waiting, None
                self._changed = False
                if request is None:
                    self._job = None
                    return
            yield from self._work(request, lambda: self._changed)
            yield self._priority  # a piece ends here, so that other lanes get their turn
