"""Trace: the values that a solver noted after each of its steps, kept in bounded memory.

Up to `LIMIT` steps all values are kept.  An entry of a coarser level holds the smallest and the largest of `FACTOR`
entries of the next finer level, so that a curve of any length is read in time proportional to its width on screen.
When the finest level is full, it is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, Integers, Mask

#: Largest number of entries of the finest level, and number of entries that one entry of the next level combines.
LIMIT, FACTOR = 1 << 20, 16
#: Number of levels above the finest; an entry of the coarsest covers FACTOR ** LEVELS steps.
LEVELS = 4
#: Largest number of steps whose primal and gap are kept.
LANDMARKS = 4096
#: Number of entries in a block of the search for a change.
SEARCHED = 4096


@dataclass(frozen=True, eq=False)
class TraceLevel:
    """One level of a trace: entry e covers the steps ``e * bucket + 1`` to ``(e + 1) * bucket``.

    Attributes
    ----------
    bucket : int
    low, high : ndarray of shape (n_names, n_entries)
        Smallest and largest values; the same array if `bucket` is 1.
    changes : ndarray of shape (n_entries,)
        Number of points that entered or left the support vectors.
    """

    bucket: int
    low: Array
    high: Array
    changes: Integers


#: Function that returns one noted value of a level, shape (n_entries,).
Values = Callable[[TraceLevel], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class TraceView:
    """State of a trace at one moment; only the entry of the newest steps may still change.

    Attributes
    ----------
    names : tuple of str
        Names of the noted values.
    length : int
        Number of steps noted.
    start : ndarray of shape (n_names,)
        The values before the first step.
    levels : tuple of TraceLevel
        From the finest to the coarsest.
    landmarks : ndarray of shape (n_landmarks, 4)
        Step, dual, primal and relative gap of each certificate, by ascending step; primal inf and gap nan if there was
        no bound.
    """

    names: tuple[str, ...]
    length: int
    start: Array
    levels: tuple[TraceLevel, ...]
    landmarks: Array

    @property
    def bucket(self) -> int:
        """Number of steps that an entry of the finest level covers; 1 while all values are kept."""
        return self.levels[0].bucket

    def at(self, name: str, step: int) -> tuple[float, float]:
        """Return smallest and largest value in the entry of `step` (0 to `length`); equal while `bucket` is 1."""
        k = self.names.index(name)
        if step <= 0:
            return float(self.start[k]), float(self.start[k])
        level = self.levels[0]
        entry = (min(step, self.length) - 1) // level.bucket
        return float(level.low[k, entry]), float(level.high[k, entry])

    def extremes(self, name: str, edges: ArrayLike) -> tuple[Array, Array]:
        """Return smallest and largest value in each cell ``edges[c] < step <= edges[c + 1]``, nan if it has no step.

        Parameters
        ----------
        name : str
        edges : array-like of shape (n_cells + 1,)
            Whole numbers of steps, ascending; the value before the first step is that of step 0.  A cell of 128 steps
            or more is read from a coarser level, and may include up to an eighth of its width on either side.  If
            `bucket` is above 1, a cell includes whole entries of the finest level.
        """
        k = self.names.index(name)
        low, high = self._reduced(edges, lambda level: level.low[k], lambda level: level.high[k])
        bounds = np.asarray(edges, dtype=np.int64)
        for cell in np.flatnonzero((bounds[:-1] < 0) & (bounds[1:] >= 0)):
            low[cell], high[cell] = np.fmin(low[cell], self.start[k]), np.fmax(high[cell], self.start[k])
        return low, high

    def changes(self, edges: ArrayLike) -> Mask:
        """Return for each cell, as in `extremes`, whether a point entered or left the support vectors in it."""
        _, most = self._reduced(edges, lambda level: level.changes, lambda level: level.changes)
        return np.nan_to_num(most) > 0

    def next_change(self, after: int) -> tuple[int, int] | None:
        """Return the first and the last of the steps above `after` that may have the next change; None if none has.

        While `bucket` is 1, it is one step, and has the change.  Otherwise these steps may have none, if all changes of
        their entry are before them.
        """
        level = self.levels[0]
        after = max(after, 0)
        end = len(level.changes) if after < self.length else 0
        for start in range(after // level.bucket, end, SEARCHED):
            found = np.flatnonzero(level.changes[start : start + SEARCHED])
            if len(found):
                entry = start + int(found[0])
                return max(after, entry * level.bucket) + 1, min((entry + 1) * level.bucket, self.length)
        return None

    def previous_change(self, before: int) -> tuple[int, int] | None:
        """Return, as `next_change` does, the steps that may have the last change below step `before`."""
        level = self.levels[0]
        last = min(before - 1, self.length)
        for end in range(-(-last // level.bucket), 0, -SEARCHED):
            start = max(0, end - SEARCHED)
            found = np.flatnonzero(level.changes[start:end])
            if len(found):
                entry = start + int(found[-1])
                return entry * level.bucket + 1, min((entry + 1) * level.bucket, last)
        return None

    def _reduced(self, edges: ArrayLike, low_of: Values, high_of: Values) -> tuple[Array, Array]:
        bounds = np.clip(np.asarray(edges, dtype=np.int64), 0, self.length)
        first, last = bounds[:-1], bounds[1:]  # steps first + 1 .. last
        low, high = np.full(len(first), np.nan), np.full(len(first), np.nan)
        level_of = np.zeros(len(first), dtype=np.intp)
        for number, level in enumerate(self.levels):
            level_of[last - first >= 8 * level.bucket] = number
        for number, level in enumerate(self.levels):
            cells = np.flatnonzero((last > first) & (level_of == number))
            if len(cells):
                begin, end = first[cells] // level.bucket, -(-last[cells] // level.bucket)
                stretch = slice(int(begin[0]), int(end[-1]))
                at = np.column_stack((begin, end)).ravel() - begin[0]
                # `reduceat` takes no index at the very end: one more value, which is never used, makes it valid.
                low[cells] = np.minimum.reduceat(np.append(low_of(level)[stretch], np.inf), at)[::2]
                high[cells] = np.maximum.reduceat(np.append(high_of(level)[stretch], -np.inf), at)[::2]
        return low, high


class _GrowingLevel:
    """A level that grows at its end; its buffers are replaced when full, so that older views stay valid."""

    def __init__(self, bucket: int, n_names: int) -> None:
        self.bucket, self.steps = bucket, 0
        self._low = np.empty((n_names, 256))
        self._high = self._low if bucket == 1 else np.empty((n_names, 256))
        self._changes = np.zeros(256, dtype=np.int64)

    @property
    def entries(self) -> int:
        """Number of entries, including the incomplete last one."""
        return -(-self.steps // self.bucket)

    @property
    def nbytes(self) -> int:
        """Memory of the buffers, in bytes."""
        shared = self._low is self._high
        return int(self._low.nbytes * (1 if shared else 2) + self._changes.nbytes)

    def append(self, notes: Array, changes: Integers) -> None:
        """Add steps: `notes` of shape (n_names, m)."""
        rest = self.steps % self.bucket
        # First new step of each entry; the first entry may be the incomplete one.
        at = np.maximum(np.arange(0, rest + len(changes), self.bucket) - rest, 0)
        begin = self.steps // self.bucket
        new = slice(begin, begin + len(at))
        self._make_room(new.stop)
        if self._low is self._high:
            self._low[:, new], self._changes[new] = notes, changes
        else:
            low, high = np.minimum.reduceat(notes, at, axis=1), np.maximum.reduceat(notes, at, axis=1)
            counts = np.add.reduceat(changes, at)
            if rest:
                low[:, 0] = np.minimum(low[:, 0], self._low[:, begin])
                high[:, 0] = np.maximum(high[:, 0], self._high[:, begin])
                counts[0] += self._changes[begin]
            self._low[:, new], self._high[:, new], self._changes[new] = low, high, counts
        self.steps += len(changes)

    def follow(self, finer: _GrowingLevel) -> None:
        """Add the steps that the next finer level has and this one has not."""
        begin = self.steps // self.bucket  # the incomplete entry is computed again
        source = slice(begin * FACTOR, finer.entries)
        at = np.arange(0, source.stop - source.start, FACTOR)
        if finer.steps > self.steps:
            new = slice(begin, begin + len(at))
            self._make_room(new.stop)
            self._low[:, new] = np.minimum.reduceat(finer._low[:, source], at, axis=1)
            self._high[:, new] = np.maximum.reduceat(finer._high[:, source], at, axis=1)
            self._changes[new] = np.add.reduceat(finer._changes[source], at)
            self.steps = finer.steps

    def _make_room(self, entries: int) -> None:
        have = len(self._changes)
        if entries > have:
            more = max(have, entries - have)
            shared = self._low is self._high
            self._low = np.pad(self._low, ((0, 0), (0, more)))
            self._high = self._low if shared else np.pad(self._high, ((0, 0), (0, more)))
            self._changes = np.pad(self._changes, (0, more))

    def view(self) -> TraceLevel:
        """Return the present state of the level."""
        n = self.entries
        return TraceLevel(self.bucket, self._low[:, :n], self._high[:, :n], self._changes[:n])


class Trace:
    """The noted values of a run that continues.

    Parameters
    ----------
    names : tuple of str
        Names of the noted values.
    start : ndarray of shape (n_names,)
        The values before the first step.
    limit : int, default=LIMIT
        Largest number of entries of the finest level.
    """

    def __init__(self, names: tuple[str, ...], start: Array, limit: int = LIMIT) -> None:
        self.names, self.start, self.length = names, start, 0
        self._limit = limit
        self._levels = [_GrowingLevel(FACTOR**power, len(names)) for power in range(LEVELS + 1)]
        self._landmarks = np.empty((0, 4))

    @property
    def bucket(self) -> int:
        """Number of steps that an entry of the finest level covers."""
        return self._levels[0].bucket

    @property
    def nbytes(self) -> int:
        """Memory of the trace, in bytes."""
        return sum(level.nbytes for level in self._levels) + int(self._landmarks.nbytes)

    def append(self, notes: Array, changes: Integers) -> None:
        """Add steps.

        Parameters
        ----------
        notes : ndarray of shape (m, n_names)
        changes : ndarray of shape (m,)
            Number of points that entered or left the support vectors in each step.
        """
        if not len(changes):
            return
        finest = self._levels[0]
        if -(-(finest.steps + len(changes)) // finest.bucket) > self._limit and len(self._levels) > 1:
            self._complete()
            del self._levels[0]
            self.append(notes, changes)
            return
        finest.append(np.ascontiguousarray(notes.T), changes)
        self.length += len(changes)

    def _complete(self) -> None:
        """Bring the coarser levels up to date, before they are read or the finest one is dropped."""
        for finer, coarser in pairwise(self._levels):
            coarser.follow(finer)

    def mark(self, step: int, dual: float, primal: float, gap: float) -> None:
        """Keep dual, primal and gap of a certificate at `step`; of several, the one with the tightest primal bound."""
        rows = self._landmarks
        index = int(np.searchsorted(rows[:, 0], step))
        row = [float(step), dual, primal, gap]
        if index == len(rows) or rows[index, 0] != step:
            rows = np.insert(rows, index, row, axis=0)
        elif primal < rows[index, 2]:
            rows = rows.copy()
            rows[index] = row
        if len(rows) > LANDMARKS:  # remove every second one, but neither the first nor the newest
            rows = np.concatenate((rows[:-1:2], rows[-1:]))
        self._landmarks = rows

    def view(self) -> TraceView:
        """Return the present state of the trace."""
        self._complete()
        levels = tuple(level.view() for level in self._levels)
        return TraceView(self.names, self.length, self.start, levels, self._landmarks)
