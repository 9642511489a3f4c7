"""SteppedSolver: base class of the solvers that can be stepped, interrupted, and run to their end."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from .arrays import Array, Integers
from .certificate import Status
from .checks import check_integer
from .step_log import Notes

#: Called by a solver every few milliseconds of work; True interrupts it.
Stop = Callable[[], bool]


def never() -> bool:
    """Return False: the `Stop` that never interrupts a solver."""
    return False


@dataclass(frozen=True, eq=False)
class Checkpoint:
    """State of a solver at one moment, for `SteppedSolver.restore` of the same solver.

    Attributes
    ----------
    state : object
        Copies, which are never written to again.
    nbytes : int
        Memory of the state, in bytes.
    noted : ndarray of shape (n_names,) or None
        Newest notes, if steps were noted.
    """

    state: Any
    nbytes: int
    noted: Array | None


class SteppedSolver(ABC):
    """A solver that works in small steps and can be inspected between any two of them.

    Attributes
    ----------
    NOTES : tuple of str
        Names of the values noted after each step once `start_notes` was called; names as in `trace`.
    KEPT_EVERY : int
        Number of steps between two states that a recording keeps at first; smaller where a step costs more.
    status : Status
        ``Status.RUNNING`` until the solver has finished.
    """

    NOTES: ClassVar[tuple[str, ...]] = ()
    #: Attributes of which a state consists: values that are replaced, never written to, and arrays that are written to.
    VALUES: ClassVar[tuple[str, ...]] = ("status",)
    ARRAYS: ClassVar[tuple[str, ...]] = ()
    KEPT_EVERY: ClassVar[int] = 64
    status: Status = Status.RUNNING
    #: Source of the random numbers of some solvers.
    _random: np.random.Generator

    @property
    @abstractmethod
    def n_iter(self) -> int:
        """Number of steps so far."""

    @cached_property
    def _notes(self) -> Notes:
        return Notes(len(self.NOTES))

    @property
    def pending(self) -> bool:
        """Whether work is left that belongs to the steps made; ``step(0)`` does it."""
        return False

    @property
    def is_optimal(self) -> bool:
        """Whether no step is left to make, even if `status` is still RUNNING; False where that is not known."""
        return False

    def expected(self, spent: float) -> float:
        """Return the estimated duration of the whole run (s) from the part `spent`; 0 where it is short or unknown."""
        return 0.0

    def give_up(self) -> None:
        """Stop early, with the present answer, unless the solver has finished already."""
        if self.status is Status.RUNNING:
            self.status = Status.STOPPED_EARLY

    @property
    def _random_state(self) -> Any:
        """State of `_random`."""
        return self._random.bit_generator.state

    @_random_state.setter
    def _random_state(self, state: Any) -> None:
        self._random.bit_generator.state = state

    def checkpoint(self) -> Checkpoint:
        """Return the present state, for `restore`.

        Raises
        ------
        RuntimeError
            If work is `pending`.
        """
        if self.pending:
            raise RuntimeError("A checkpoint was requested while work is pending; call step(0) first.")
        values = {name: getattr(self, name) for name in self.VALUES}
        arrays = {name: getattr(self, name).copy() for name in self.ARRAYS}
        nbytes = sum(getattr(part, "nbytes", 0) for part in (*values.values(), *arrays.values()))
        return Checkpoint((values, arrays), nbytes + 1000, self._notes.present if self._notes else None)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Go back (or forward) to a state of this solver; the steps from there on are the same, bit for bit.

        Notes that `take_notes` has not returned yet are discarded.
        """
        values, arrays = checkpoint.state
        for name, value in values.items():
            setattr(self, name, value)
        for name, array in arrays.items():
            getattr(self, name)[:] = array
        if self._notes:
            self._begin_notes(checkpoint.noted)

    @property
    @abstractmethod
    def _present(self) -> Array:
        """Present values of `NOTES`."""

    def start_notes(self) -> Array:
        """Note the values of each step from now on, and return the present ones, shape (n_names,).

        Raises
        ------
        ValueError
            If the solver does not know them after each step.
        """
        self._begin_notes()
        return self._notes.present

    def _begin_notes(self, present: Array | None = None) -> None:
        """Note the values of each step from now on; `present` are the present ones if they are known."""
        self._notes.start(self._present if present is None else present)

    def take_notes(self) -> tuple[Array, Integers]:
        """Return the notes of the steps since the last call.

        Returns
        -------
        values : ndarray of shape (m, n_names)
            One row per step.
        changes : ndarray of shape (m,), int
            Numbers of points that entered or left the support vectors in each step.
        """
        return self._notes.take()

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """Make at most `n` steps, and return how many were made.

        ``step(5); step(5)`` equals ``step(10)`` bit for bit, even where `stop` interrupted them.

        Parameters
        ----------
        n : int, default=1
            At least 0; ``step(0)`` does only the work that is `pending`.
        stop : callable, optional
            Called without arguments every few milliseconds; the solver pauses when it returns True.

        Returns
        -------
        int
            Less than `n` only when the solver has finished or was interrupted.

        Raises
        ------
        ValueError
            If `n` is not a whole number of at least 0.
        """
        start = self.n_iter
        goal = start + check_integer("n", n, 0)
        while self.status is Status.RUNNING and self._work(goal):
            if stop():
                break
        return self.n_iter - start

    def _work(self, goal: int) -> bool:
        """Work for some milliseconds, at most up to step number `goal`; return False if there was nothing to do.

        A solver with a `step` of its own does not need it.
        """
        return False

    def run(self) -> Status:
        """Step until the solver has finished, and return its final status."""
        while self.status is Status.RUNNING:
            self.step(1_000_000)
        return self.status
