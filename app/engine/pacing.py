"""Work in short pieces: a clock that ends a piece of a job, and the sizes of blocks that fit into one."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from app.learners.model import Pending

from .pool import Delay, Priority

Step = Priority | Delay
T = TypeVar("T")
#: Target duration of a piece of work (s); including the delay until its end is noticed, none exceeds 8 ms.
PIECE = 0.005
#: Polling interval (s) while another process works.
POLL = 0.002
#: Time that another process may spend on a request (s) before it is killed when the answer is no longer needed.
PATIENCE = 2.0


class OvertakenError(Exception):
    """A newer request has replaced this one."""


def result_of(work: Generator[Any, None, T]) -> T:
    """Run `work` to its end on this thread, and return its result."""
    try:
        while True:
            next(work)
    except StopIteration as end:
        result: T = end.value
        return result


def never() -> bool:
    """Return False: a promised picture is never overtaken."""
    return False


class Pace:
    """Divide a job into pieces, and end it if it was overtaken meanwhile.

    Parameters
    ----------
    overtaken : callable, default=never
        Returns True if the result is no longer needed.
    priority : Priority, default=Priority.BACKGROUND
        Priority of each following piece.
    """

    def __init__(self, overtaken: Callable[[], bool] = never, priority: Priority = Priority.BACKGROUND) -> None:
        self._overtaken, self._priority = overtaken, priority
        self._begun = time.perf_counter()

    def late(self) -> bool:
        """Return whether the present piece has lasted long enough."""
        return time.perf_counter() - self._begun >= PIECE

    def pause(self) -> Generator[Step]:
        """End the present piece; raise OvertakenError if the result is no longer needed."""
        yield self._priority
        if self._overtaken():
            raise OvertakenError
        self._begun = time.perf_counter()

    def wait(self, pending: Pending) -> Generator[Step, None, Any]:
        """Wait for another process and return its answer; raise OvertakenError if that is no longer needed."""
        while not pending.done:
            yield Delay(POLL, self._priority)
            if self._overtaken():
                if pending.seconds > PATIENCE:
                    pending.discard()
                raise OvertakenError
        self._begun = time.perf_counter()
        return pending.result()

    def through(self, work: Generator[None, None, T]) -> Generator[Step, None, T]:
        """Run `work` with a pause wherever it yields, and return its result."""
        while True:
            try:
                next(work)
            except StopIteration as end:
                result: T = end.value
                return result
            yield from self.pause()

    def in_blocks(
        self, count: int, work: Callable[[slice], None], *, size: int = 16, least: int = 2, begin: int = 0
    ) -> Generator[Step]:
        """Call `work(block)` for blocks of the indices from `begin` to `count`, with pauses.

        Parameters
        ----------
        size : int
            Size of the first block; that of the others adapts to the duration of a piece.
        least : int
            Smallest size of any block but the last.
        """
        while begin < count:
            begun = time.perf_counter()
            block = slice(begin, min(begin + size, count))
            work(block)
            begin, now = block.stop, time.perf_counter()
            size = int(min(max(size * PIECE / max(now - begun, 1e-5), least), 2 * size))
            # This block alone decides: the smaller ones before it took half as long together, so no pause was due.
            if begin < count and now - begun > 0.5 * PIECE:
                yield from self.pause()
