"""Notes: what a solver writes down after each of its steps, until somebody takes it."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Integers

#: Steps that are noted before the record is emptied: work goes on in portions of at most so many.
AT_ONCE = 1024


def of_multipliers(beta: Array, v: Array, lo: Array, hi: Array) -> Array:
    """Dual, m - M (0 where there is nothing to compare), number of free and of bounded support vectors; see `smo`."""
    above, below = v[beta < hi], v[beta > lo]
    violation = above.max() - below.min() if len(above) and len(below) else 0.0
    support = beta != 0.0
    bounded = int((support & ((beta == lo) | (beta == hi))).sum())
    dual = 0.5 * float(np.abs(beta).sum() + beta @ v)
    return np.array([dual, violation, int(support.sum()) - bounded, bounded])


class Notes:
    """The record of a solver.

    Parameters
    ----------
    n_names : int
        Numbers noted after each step; a further column counts the points that entered or left the support vectors.

    Attributes
    ----------
    record : ndarray of shape (AT_ONCE + 1, n_names + 1), or (0, n_names + 1) while nothing is noted
        Row 0 is the present, row s what is noted after s steps more.
    """

    def __init__(self, n_names: int) -> None:
        self.record: Array = np.zeros((0, n_names + 1))
        self._parts: list[Array] = []

    def __bool__(self) -> bool:
        """Whether steps are noted."""
        return len(self.record) > 0

    @property
    def present(self) -> Array:
        """The newest values, shape (n_names,)."""
        newest: Array = self.record[0, :-1].copy()
        return newest

    def start(self, present: Array) -> None:
        """Note from now on (again): the present values have shape (n_names,)."""
        self.record = np.zeros((AT_ONCE + 1, self.record.shape[1]))
        self.record[0, :-1] = present
        self._parts = []

    def add(self, steps: int) -> None:
        """The rows 1 to `steps` have been written."""
        if steps and self:
            self._parts.append(self.record[1 : steps + 1].copy())
            self.record[0] = self.record[steps]

    def take(self) -> tuple[Array, Integers]:
        """What was noted since the last time: values (m, n_names), and changes (m,)."""
        rows = np.concatenate(self._parts) if self._parts else self.record[:0]
        self._parts = []
        return rows[:, :-1], rows[:, -1].astype(np.int64)
