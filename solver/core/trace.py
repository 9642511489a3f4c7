"""Trace: what a learner noted after each of its steps, kept for all of them in bounded memory.

Up to `LIMIT` steps each note is kept as it is.  Beside it stand coarser levels, each entry of which holds the least and
the largest of `FACTOR` entries below, so that a curve of any length is read in time proportional to its width on
screen; when the finest level is full it is dropped, and the next one takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .arrays import Array, Integers, Mask

#: Entries of the finest level, and how many of them one entry of the next level stands for.
LIMIT, FACTOR = 1 << 20, 16
#: Levels above the finest that are kept from the start: the coarsest entry stands for FACTOR ** LEVELS steps.
LEVELS = 4
#: Steps whose primal and gap are remembered.
LANDMARKS = 4096
#: Entries looked through at once for a change.
SEARCHED = 4096


@dataclass(frozen=True, eq=False)
class Level:
    """One level of a trace: entry e stands for the steps ``e * bucket + 1`` to ``(e + 1) * bucket``.

    Attributes
    ----------
    bucket : int
    low, high : ndarray of shape (n_names, n_entries)
        The same array where `bucket` is 1.
    changes : ndarray of shape (n_entries,)
        How often a point entered or left the support vectors.
    """

    bucket: int
    low: Array
    high: Array
    changes: Integers


#: One note of a level, shape (n_entries,).
Values = Callable[[Level], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class TraceView:
    """A trace as it was at one moment; the entry of the newest steps may still grow, all others never change.

    Attributes
    ----------
    names : tuple of str
        What was noted after each step.
    length : int
        Steps noted.
    start : ndarray of shape (n_names,)
        The values before the first step.
    levels : tuple of Level
        From the finest to the coarsest.
    landmarks : ndarray of shape (n_landmarks, 4)
        Step, dual, primal and relative gap where a certificate was made, by rising step; primal inf and gap nan where
        there was no bound.
    """

    names: tuple[str, ...]
    length: int
    start: Array
    levels: tuple[Level, ...]
    landmarks: Array

    @property
    def bucket(self) -> int:
        """Steps that one entry of the finest level stands for; 1 while each step has its own."""
        return self.levels[0].bucket

    def at(self, name: str, step: int) -> tuple[float, float]:
        """Least and largest value about `step` (0 to `length`): equal while `bucket` is 1."""
        k = self.names.index(name)
        if step <= 0:
            return float(self.start[k]), float(self.start[k])
        level = self.levels[0]
        entry = (min(step, self.length) - 1) // level.bucket
        return float(level.low[k, entry]), float(level.high[k, entry])

    def extremes(self, name: str, edges: ArrayLike) -> tuple[Array, Array]:
        """Least and largest value in each cell ``edges[c] < step <= edges[c + 1]``, nan where there is no step.

        Parameters
        ----------
        name : str
        edges : array-like of shape (n_cells + 1,)
            Whole numbers of steps, rising; the value before the first step is that of step 0.  A cell of 128 steps or
            more is read from a coarser level, and may so take in up to an eighth of its width on either side.  Where
            `bucket` is above 1, no cell reads less than whole entries of the finest level.
        """
        k = self.names.index(name)
        low, high = self._reduced(edges, lambda level: level.low[k], lambda level: level.high[k])
        bounds = np.asarray(edges, dtype=np.int64)
        for cell in np.flatnonzero((bounds[:-1] < 0) & (bounds[1:] >= 0)):
            low[cell], high[cell] = np.fmin(low[cell], self.start[k]), np.fmax(high[cell], self.start[k])
        return low, high

    def changes(self, edges: ArrayLike) -> Mask:
        """For each cell, as in `extremes`, whether a point entered or left the support vectors in it."""
        _, most = self._reduced(edges, lambda level: level.changes, lambda level: level.changes)
        return np.nan_to_num(most) > 0

    def next_change(self, after: int) -> tuple[int, int] | None:
        """(first, last) of the steps above `after` among which the next change is to be looked for; None for none.

        One step while `bucket` is 1.  Else there may be none among them, when the entry's changes lie before them.
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
        """As `next_change`, for the last change at a step below `before`."""
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
        place = np.zeros(len(first), dtype=np.intp)
        for number, level in enumerate(self.levels):
            place[last - first >= 8 * level.bucket] = number
        for number, level in enumerate(self.levels):
            cells = np.flatnonzero((last > first) & (place == number))
            if len(cells):
                begin, end = first[cells] // level.bucket, -(-last[cells] // level.bucket)
                stretch = slice(int(begin[0]), int(end[-1]))
                at = np.column_stack((begin, end)).ravel() - begin[0]
                # `reduceat` takes no index at the very end: a value more stands there, which nobody reads.
                low[cells] = np.minimum.reduceat(np.append(low_of(level)[stretch], np.inf), at)[::2]
                high[cells] = np.maximum.reduceat(np.append(high_of(level)[stretch], -np.inf), at)[::2]
        return low, high


class _Growing:
    """A level that grows at its end.  Buffers are replaced by larger ones, so what a view has taken stays as it was."""

    def __init__(self, bucket: int, n_names: int) -> None:
        self.bucket, self.steps = bucket, 0
        self._low = np.empty((n_names, 256))
        self._high = self._low if bucket == 1 else np.empty((n_names, 256))
        self._changes = np.zeros(256, dtype=np.int64)

    @property
    def entries(self) -> int:
        """Entries, the incomplete last one included."""
        return -(-self.steps // self.bucket)

    @property
    def nbytes(self) -> int:
        """Memory of the buffers."""
        shared = self._low is self._high
        return int(self._low.nbytes * (1 if shared else 2) + self._changes.nbytes)

    def append(self, notes: Array, changes: Integers) -> None:
        """Add steps: `notes` of shape (n_names, m)."""
        rest = self.steps % self.bucket
        # Where each entry's share of the new steps begins; the first may belong to the entry that is not complete.
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

    def follow(self, finer: _Growing) -> None:
        """Take in what the next finer level has got since."""
        begin = self.steps // self.bucket  # the entry that is not complete is made anew
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

    def view(self) -> Level:
        """What there is now."""
        n = self.entries
        return Level(self.bucket, self._low[:, :n], self._high[:, :n], self._changes[:n])


class Trace:
    """The notes of a run that goes on.

    Parameters
    ----------
    names : tuple of str
        What is noted after each step.
    start : ndarray of shape (n_names,)
        The values before the first step.
    limit : int, default=LIMIT
        Entries of the finest level, at most.
    """

    def __init__(self, names: tuple[str, ...], start: Array, limit: int = LIMIT) -> None:
        self.names, self.start, self.length = names, start, 0
        self._limit = limit
        self._levels = [_Growing(FACTOR**power, len(names)) for power in range(LEVELS + 1)]
        self._landmarks = np.empty((0, 4))

    @property
    def bucket(self) -> int:
        """Steps that one entry of the finest level stands for, as in `TraceView`."""
        return self._levels[0].bucket

    @property
    def nbytes(self) -> int:
        """Memory of the notes."""
        return sum(level.nbytes for level in self._levels) + int(self._landmarks.nbytes)

    def append(self, notes: Array, changes: Integers) -> None:
        """Add steps.

        Parameters
        ----------
        notes : ndarray of shape (m, n_names)
        changes : ndarray of shape (m,)
            How many points entered or left the support vectors in each step.
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
        """Bring the coarser levels up to date: only when they are read, and before the finest one goes."""
        for finer, coarser in pairwise(self._levels):
            coarser.follow(finer)

    def mark(self, step: int, dual: float, primal: float, gap: float) -> None:
        """Remember what a certificate said at `step`; the tightest primal bound stays."""
        rows = self._landmarks
        place = int(np.searchsorted(rows[:, 0], step))
        row = [float(step), dual, primal, gap]
        if place == len(rows) or rows[place, 0] != step:
            rows = np.insert(rows, place, row, axis=0)
        elif primal < rows[place, 2]:
            rows = rows.copy()
            rows[place] = row
        if len(rows) > LANDMARKS:  # every second one goes, the first and the newest stay
            rows = np.concatenate((rows[:-1:2], rows[-1:]))
        self._landmarks = rows

    def view(self) -> TraceView:
        """The trace as it is now."""
        self._complete()
        levels = tuple(level.view() for level in self._levels)
        return TraceView(self.names, self.length, self.start, levels, self._landmarks)
