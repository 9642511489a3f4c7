"""SteppedSolver: what it means for a solver to be stepped, stopped and run to its end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

from .arrays import Array, Integers
from .certificate import Status
from .step_log import Notes

#: Asked by a solver every few milliseconds of work; True interrupts it.
Stop = Callable[[], bool]


def never() -> bool:
    """The `Stop` that lets a solver go on."""
    return False


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """A solver's state at one moment, for `SteppedSolver.restore` of the same solver.

    Attributes
    ----------
    state : object
        Copies only, never written to again.
    nbytes : int
        Its memory.
    """

    state: Any
    nbytes: int


class SteppedSolver(ABC):
    """A solver that works in small steps and can be looked at between any two of them.

    Attributes
    ----------
    NOTES : tuple of str
        What is noted after each step once `start_notes` was called; names as in `trace`.
    KEPT_EVERY : int
        Steps between two states that a recording keeps at first: the fewer, the more one costs.
    status : Status
        ``Status.RUNNING`` until it has finished.
    """

    NOTES: ClassVar[tuple[str, ...]] = ()
    KEPT_EVERY: ClassVar[int] = 64
    status: Status
    _notes: Notes

    @property
    @abstractmethod
    def n_iter(self) -> int:
        """Elementary updates so far."""

    @property
    def pending(self) -> bool:
        """Whether work is left that belongs to the updates made: ``step(0)`` does it."""
        return False

    @property
    def is_optimal(self) -> bool:
        """No step is left to make, though no step has shown that yet; False where the solver cannot tell."""
        return False

    def expected(self, spent: float) -> float:
        """Seconds that the run takes in all, estimated after `spent` of them; 0 where it is short or not known."""
        return 0.0

    @abstractmethod
    def checkpoint(self) -> Checkpoint:
        """The present state.

        Raises
        ------
        RuntimeError
            Something is `pending`.
        """

    @abstractmethod
    def restore(self, checkpoint: Checkpoint) -> None:
        """Back (or forth) to a state of this very solver: what follows is, bit for bit, what followed then.

        What `take_notes` has not given out yet is forgotten.
        """

    @property
    @abstractmethod
    def _present(self) -> Array:
        """The values of `NOTES` now."""

    def start_notes(self) -> Array:
        """Note each step from now on; returns the present values, shape (n_names,).

        Raises
        ------
        ValueError
            A solver that does not know them after each step.
        """
        self._begin_notes()
        return self._notes.present

    def _begin_notes(self) -> None:
        """Note from the present state on."""
        self._notes.start(self._present)

    def take_notes(self) -> tuple[Array, Integers]:
        """The notes of the steps since the last call, shape (m, n_names), and how many points entered or left the
        support vectors in each of them, shape (m,)."""
        return self._notes.take()

    @abstractmethod
    def step(self, n: int = 1, stop: Stop = never) -> int:
        """At most `n` elementary updates; returns how many were made, fewer only when finished or stopped.

        ``step(0)`` does what is `pending` and no more.
        ``step(5); step(5)`` equals ``step(10)`` bit for bit, whenever `stop` interrupted them.
        """

    def run(self) -> Status:
        """Step until the solver has finished; returns how it finished."""
        while self.status is Status.RUNNING:
            self.step(1_000_000)
        return self.status
