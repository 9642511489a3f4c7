"""Pool: the compute threads.  A job is an iterator of short pieces of work; between two pieces anyone may overtake it.

Each piece should take at most about 8 ms.  What a job yields says when its next piece is wanted: a `Priority`, or a
`Later` for a moment that has not come yet.  So fairness, priorities, pacing and cancelling are one mechanism.

LatestQueue: of the requests in one place only the newest matters, and only one runs at a time.
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

#: Of so many pieces one is that which has waited longest, if it has for so many seconds, unless a first picture is
#: wanted: else a lane that trains for minutes would leave the other lane's picture coarse for as long.
SHARE, LONG = 8, 0.1


class Priority(IntEnum):
    """Order in which waiting pieces are taken; first come, first served within one."""

    FIRST_PICTURE = 0
    TRAINING = 1
    FULL_PICTURE = 2
    BACKGROUND = 3


class Later(Struct, frozen=True):
    """Continue after `seconds`, with `priority`."""

    seconds: float
    priority: Priority


Job = Iterator[Priority | Later]


class Pool:
    """Runs jobs piece by piece on a few threads.

    Parameters
    ----------
    threads : int, optional
        Default max(1, cores - 1), so that the window keeps a core.  Where there are several cores, one thread more does
        nothing but first pictures: none waits for the end of another piece of work, and two lanes' are made side by
        side, in a moment in which the window waits for just them.
    """

    def __init__(self, threads: int | None = None) -> None:
        self._ready: list[tuple[Priority, int, Job, float]] = []  # and since when
        self._later: list[tuple[float, int, Priority, Job]] = []
        self._order = itertools.count()
        self._taken = 0
        self._resting_until = 0.0
        self._running: set[Job] = set()
        self._hurried: set[Job] = set()  # of the running ones: what they wish next is overruled
        self._closed = False
        lock = threading.RLock()
        self._changed, self._urgent = threading.Condition(lock), threading.Condition(lock)
        # Matrix products on one thread each: more would wait for one another on the core the window lives on.
        threadpool_limits(1, user_api="blas")
        cores = os.cpu_count() or 2
        count = threads or max(1, cores - 1)
        #: How many threads do any work; the others only first pictures.
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
        """Let `job`, if it waits for anything, wait no longer than a first picture does: its reason to wait is gone."""
        with self._changed:
            if job in self._running:
                self._hurried.add(job)
            # One that waits as a first picture keeps its place: else a flood of requests would hold back its own lane.
            late = [entry for entry in self._later if entry[3] is job]
            behind = [entry for entry in self._ready if entry[2] is job and entry[0] != Priority.FIRST_PICTURE]
            if late or behind:
                self._later = [entry for entry in self._later if entry[3] is not job]
                self._ready = [entry for entry in self._ready if entry[2] is not job]
                heapq.heapify(self._later)
                heapq.heapify(self._ready)
                self._push(Priority.FIRST_PICTURE, job)

    def rest(self, seconds: float) -> None:
        """Begin nothing of `BACKGROUND` for so long: the user has done something, and the window's thread, which waits
        for the interpreter at every call of Qt, is to have it to itself."""
        with self._changed:
            self._resting_until = time.monotonic() + seconds

    @property
    def idle(self) -> bool:
        """True when no job is queued, waiting or running."""
        with self._changed:
            return not (self._ready or self._later or self._running)

    def close(self, timeout: float = 2.0) -> bool:
        """Drop what is queued, let the pieces in hand finish; True when every thread has ended in time."""
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
        """What a thread does; an `urgent` one nothing but first pictures."""
        while True:
            with self._changed:
                while (job := self._next_urgent() if urgent else self._next()) is None:
                    if self._closed:
                        return
                    (self._urgent if urgent else self._changed).wait(None if urgent else self._wait())
                self._running.add(job)
            try:
                spec = next(job, None)
            except Exception:  # a job reports its own failures; one that cannot must not take the thread with it
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
        """Seconds until something is due that nobody will tell of."""
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

    def _queue(self, job: Job, spec: Priority | Later) -> None:
        if isinstance(spec, Later):
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
    """Runs the newest request of one lane, or of one question.

    A request that has not begun is replaced by a newer one.  One that runs hears of a newer one through `overtaken`,
    which that of a lane asks only after its first picture, full or coarse: that picture is a promise, else a long drag
    would paint nothing.

    Parameters
    ----------
    pool : Pool
    work : callable
        ``work(request, overtaken) -> Job``.
    priority : Priority, default=Priority.FIRST_PICTURE
        Of the beginning of each request.
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
        """Nothing is wanted any more."""
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
            # It may be waiting for its next slow step, or behind other lanes with what nobody wants any more.
            self._pool.hurry(job)

    def _run(self) -> Iterator[Priority | Later]:
        while True:
            with self._lock:
                request, self._waiting = self._waiting, None
                self._changed = False
                if request is None:
                    self._job = None
                    return
            yield from self._work(request, lambda: self._changed)
            yield self._priority  # one piece ends here: other lanes may want theirs
