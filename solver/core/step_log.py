"""Notes: values that a solver records after each of its steps, until a caller takes them."""

from __future__ import annotations

import numpy as np

from .arrays import Array, Integers

#: Largest number of steps between two calls of `Notes.add`: the length of the record.
AT_ONCE = 1024


def of_multipliers(beta: Array, v: Array, lo: Array, hi: Array) -> Array:
    """Return dual, m - M (0 if one of them is over no points), and numbers of free and bounded support vectors."""
    above, below = v[beta < hi], v[beta > lo]
    violation = above.max() - below.min() if len(above) and len(below) else 0.0
    support = beta != 0.0
    bounded = int((support & ((beta == lo) | (beta == hi))).sum())
    dual = 0.5 * float(np.abs(beta).sum() + beta @ v)
    return np.array([dual, violation, int(support.sum()) - bounded, bounded])


class Notes:
    """The recorded values of a solver's steps.

    Parameters
    ----------
    n_names : int
        Numbers noted after each step; a further column counts the points that entered or left the support vectors.

    Attributes
    ----------
    record : ndarray of shape (AT_ONCE + 1, n_names + 1), or (0, n_names + 1) while nothing is noted
        Row 0 holds the present values, row s the values after s more steps.
    """

    def __init__(self, n_names: int) -> None:
        self.record: Array = np.zeros((0, n_names + 1))
        self._parts: list[Array] = []

    def __bool__(self) -> bool:
        """Return whether steps are noted."""
        return len(self.record) > 0

    @property
    def present(self) -> Array:
        """The newest values, shape (n_names,)."""
        return self.record[0, :-1].copy()

    def start(self, present: Array) -> None:
        """Begin to note, or begin again, with the `present` values, shape (n_names,)."""
        self.record = np.zeros((AT_ONCE + 1, self.record.shape[1]))
        self.record[0, :-1] = present
        self._parts = []

    def add(self, steps: int) -> None:
        """Keep the rows 1 to `steps`, which have been written."""
        if steps and self:
            self._parts.append(self.record[1 : steps + 1].copy())
            self.record[0] = self.record[steps]

    def take(self) -> tuple[Array, Integers]:
        """Return values (m, n_names) and changes (m,) since the last call."""
        rows = np.concatenate(self._parts) if self._parts else self.record[:0]
        self._parts = []
        return rows[:, :-1], rows[:, -1].astype(np.int64)
