"""Work in short pieces: when a piece has lasted long enough, who may take over then, and how much comes next."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import Any, TypeVar

from app.learners.model import Pending

from .pool import Later, Priority

Step = Priority | Later
T = TypeVar("T")
#: Seconds a piece of work aims at; with what it takes to notice, none lasts longer than 8 ms.
PIECE = 0.005
#: Seconds between two looks at whether another process has answered.
LOOK = 0.002
#: Seconds of work of another process from which on it is ended where nobody waits for it any more.
PATIENCE = 2.0


class OvertakenError(Exception):
    """Nobody waits for the result any more."""


def never() -> bool:
    """What is promised is not overtaken."""
    return False


class Pace:
    """Says when a job is to pause, and ends it where it was overtaken meanwhile.

    Parameters
    ----------
    overtaken : callable, default=never
        True when nobody waits for the result any more.
    priority : Priority, default=Priority.BACKGROUND
        Of each next piece.
    """

    def __init__(self, overtaken: Callable[[], bool] = never, priority: Priority = Priority.BACKGROUND) -> None:
        self._overtaken, self._priority = overtaken, priority
        self._begun = time.perf_counter()

    def late(self) -> bool:
        """The present piece has lasted long enough."""
        return time.perf_counter() - self._begun >= PIECE

    def pause(self) -> Generator[Step]:
        """End the present piece; OvertakenError when nothing more is wanted."""
        yield self._priority
        if self._overtaken():
            raise OvertakenError
        self._begun = time.perf_counter()

    def wait(self, pending: Pending) -> Generator[Step, None, Any]:
        """Return the answer of another process; OvertakenError, and no answer, when nothing more is wanted."""
        while not pending.done:
            yield Later(LOOK, self._priority)
            if self._overtaken():
                if pending.seconds > PATIENCE:
                    pending.give_up()
                raise OvertakenError
        self._begun = time.perf_counter()
        return pending.result()

    def through(self, work: Generator[None, None, T]) -> Generator[Step, None, T]:
        """What `work` returns, with a pause wherever it yields."""
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
        """Have `work(block)` done for the places from `begin` to `count`, with pauses.

        Parameters
        ----------
        size : int
            Of the first block; the next ones aim at the seconds of a piece.
        least : int
            Of any block but the last.
        """
        while begin < count:
            begun = time.perf_counter()
            block = slice(begin, min(begin + size, count))
            work(block)
            begin, now = block.stop, time.perf_counter()
            size = int(min(max(size * PIECE / max(now - begun, 1e-5), least), 2 * size))
            # Of the block alone: the short ones before it were half as long together, and a pause lets other lanes in.
            if begin < count and now - begun > 0.5 * PIECE:
                yield from self.pause()
