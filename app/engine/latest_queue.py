"""LatestQueue: of the requests in one place only the newest matters, and only one runs at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

from .pool import Job, Later, Pool, Priority

Wanted = TypeVar("Wanted")


class LatestQueue(Generic[Wanted]):
    """Runs the newest request of one lane, or of one question.

    A request that has not begun is replaced by a newer one.  One that runs hears of a newer one through `overtaken`,
    which that of a lane asks only after its first picture: that picture is a promise, else a long drag would paint
    nothing.

    Parameters
    ----------
    pool : Pool
    work : callable
        ``work(request, overtaken) -> Job``.
    priority : Priority, default=Priority.FIRST_PICTURE
        Of the beginning of each request.
    forget : callable, optional
        Called when nothing is wanted any more, once nothing runs.
    """

    def __init__(
        self,
        pool: Pool,
        work: Callable[[Wanted, Callable[[], bool]], Job],
        priority: Priority = Priority.FIRST_PICTURE,
        forget: Callable[[], None] = lambda: None,
    ) -> None:
        self._pool, self._work, self._priority, self._forget = pool, work, priority, forget
        self._lock = threading.Lock()
        self._waiting: Wanted | None = None
        self._changed = False  # since the running request began
        self._job: Job | None = None

    def submit(self, request: Wanted) -> None:
        """Make `request` the newest one."""
        self._change(request)

    def cancel(self) -> None:
        """Nothing is wanted any more."""
        self._change(None)

    def _change(self, request: Wanted | None) -> None:
        with self._lock:
            self._waiting = request
            self._changed = True
            running = self._job
            if request is None and running is None:
                self._forget()
                return
            job = self._job = running or self._run()
        if running is None:
            self._pool.submit(job, self._priority)
        elif self._priority is Priority.FIRST_PICTURE:
            # It may be waiting for its next slow step, or behind other lanes with what nobody wants any more.
            self._pool.hurry(job)

    def _overtaken(self) -> bool:
        return self._changed

    def _run(self) -> Iterator[Priority | Later]:
        while True:
            with self._lock:
                request, self._waiting = self._waiting, None
                stopped, self._changed = self._changed and request is None, False
                if stopped:
                    self._forget()
                if request is None:
                    self._job = None
                    return
            yield from self._work(request, self._overtaken)
            yield self._priority  # one piece ends here: other lanes may want theirs
