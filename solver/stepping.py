"""SteppedSolver: what it means for a solver to be stepped, stopped and run to its end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from .certificate import Status

#: Asked by a solver every few milliseconds of work; True interrupts it.
Stop = Callable[[], bool]


def never() -> bool:
    """The `Stop` that lets a solver go on."""
    return False


class SteppedSolver(ABC):
    """A solver that works in small steps and can be looked at between any two of them.

    Attributes
    ----------
    status : Status
        ``Status.RUNNING`` until it has finished.
    """

    status: Status

    @abstractmethod
    def step(self, n: int = 1, stop: Stop = never) -> int:
        """At most `n` elementary updates; returns how many were made, fewer only when finished or stopped.

        ``step(5); step(5)`` equals ``step(10)`` bit for bit, whenever `stop` interrupted them.
        """

    def run(self) -> Status:
        """Step until the solver has finished; returns how it finished."""
        while self.status is Status.RUNNING:
            self.step(1_000_000)
        return self.status
