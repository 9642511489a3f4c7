"""Points: the labelled points of a document, an immutable value whose unchanged parts are shared.

The points are stored in blocks of at most `BLOCK`; an edit makes new blocks only where it changed something, so a long
undo history of a large document stays small.  An edit of most points works on whole arrays, and the blocks become
slices of these.  Otherwise the joined arrays that all other code uses are cached for the newest few values only, for
the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.core.caches import kept
from solver.core.arrays import Array

BLOCK = 256
#: Number of blocks of chosen points that are cached for the next choice.
_SHARED = 4096
#: Number of points from which one is found faster by bisection.
_MANY = 20
MAX_CLASSES = 8
#: Beyond this coordinate, points silently disappear from the drawing.
LIMIT = 1e15

Labels = NDArray[np.uint8]
Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False, slots=True)
class _Block:
    xy: Array
    labels: Labels
    ids: Ids

    def __post_init__(self) -> None:
        for array in (self.xy, self.labels, self.ids):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.ids)


#: Creates an edited block: (block, indices inside it, their positions in the request) -> block.
_Edit = Callable[[_Block, Ids, Ids | slice], _Block]


@dataclass(frozen=True, eq=False)
class Points:
    """An ordered collection of labelled points; each keeps its id for life, and ids ascend.

    Attributes
    ----------
    xy : ndarray of shape (n, 2)
    labels : ndarray of shape (n,), uint8
        Class of each point, 0 to 7.
    ids : ndarray of shape (n,), int64
    """

    blocks: tuple[_Block, ...] = ()
    next_id: int = 0
    #: The arrays that all blocks are slices of, if there are such arrays.
    _whole: _Block | None = field(default=None, repr=False)

    @staticmethod
    def of(xy: ArrayLike, labels: ArrayLike, ids: Ids | None = None) -> Points:
        """Return points from coordinates (n, 2) and labels (n,), with ascending `ids` or 0, 1, 2, ..."""
        points = Points().append(xy, labels)
        if ids is None or not len(points):
            return points
        return _of(_Block(points.xy, points.labels, np.array(ids, dtype=np.int64)), int(ids[-1]) + 1)

    def __len__(self) -> int:
        return self._length

    @cached_property
    def _length(self) -> int:
        # Needed several times per frame: for 100 000 points it would be the slowest part of one.
        return sum(len(block.ids) for block in self.blocks)

    @property
    def _joined(self) -> _Block:
        return self._whole or _concatenated(self)

    @property
    def xy(self) -> Array:
        """Coordinates, shape (n, 2), read-only."""
        return self._joined.xy

    @property
    def labels(self) -> Labels:
        """Class of each point, shape (n,), read-only."""
        return self._joined.labels

    @property
    def ids(self) -> Ids:
        """Lifelong number of each point, shape (n,), ascending, read-only."""
        return self._joined.ids

    @property
    def classes(self) -> list[int]:
        """The classes that occur, ascending."""
        return [label for label, number in enumerate(self.counts) if number]

    @property
    def counts(self) -> tuple[int, ...]:
        """The number of points of each of the eight classes."""
        return _counts(self)

    def indices_of(self, ids: Sequence[int] | Ids) -> Ids:
        """Return the indices of the points with these `ids`, ascending; unknown ids are skipped."""
        wanted = np.asarray(ids, dtype=np.int64)
        if len(self) < _MANY * len(wanted):  # a lookup of all points is faster than sorting `wanted`
            return np.flatnonzero(np.isin(self.ids, wanted))
        if not len(self):
            return wanted[:0]
        at = np.minimum(np.searchsorted(self.ids, wanted), len(self) - 1)
        found: Ids = np.sort(at[self.ids[at] == wanted])
        return found[np.diff(found, prepend=-1) > 0]  # `np.unique` hashes: 100 times as slow

    def rows_of(self, ids: Sequence[int] | Ids) -> list[int]:
        """Return the table rows, counted from 1, of the points with these `ids`, in their order; 0 for unknown ids."""
        rows = np.searchsorted(self.ids, ids)
        return np.where(np.isin(ids, self.ids), rows + 1, 0).tolist()  # type: ignore[no-any-return]

    def stack(self, index: int) -> Ids:
        """Return the indices of the points at the location of the point at `index`, ascending."""
        x, y = self.xy[index]
        return np.flatnonzero((self.xy[:, 0] == x) & (self.xy[:, 1] == y))

    def changed_since(self, before: Points) -> int:
        """Return how many points have another location or class than in `before`, which has the same ids."""
        if len(self) != len(before):
            return max(len(self), len(before))
        pairs = list(self._unshared(before))
        if 2 * len(pairs) > len(self.blocks) or any(len(new) != len(old) for new, old in pairs):
            pairs = [(self._joined, before._joined)]
        return sum(int(np.count_nonzero(_moved(new.xy, old.xy) | (new.labels != old.labels))) for new, old in pairs)

    def _unshared(self, other: Points) -> Iterator[tuple[_Block, _Block]]:
        """Yield pairs of corresponding blocks that are not identical."""
        if len(self.blocks) != len(other.blocks):
            return iter(((self._joined, other._joined),))
        return (pair for pair in zip(self.blocks, other.blocks, strict=True) if pair[0] is not pair[1])

    def sample(self, most: int) -> Points:
        """Return these points, or `most` of them: a proportional share of each class, at least one.

        The choice depends on the ids alone, so adding or moving a point leaves nearly all others in.
        """
        return self if len(self) <= most else _sampled(self, most)

    def chosen(self, which: NDArray[np.bool_]) -> Points:
        """Return the points where `which`, of shape (n,), is True; they keep their ids.

        Blocks from which the same points were chosen before share the earlier result.
        """
        if len(self.blocks) > _SHARED // 2:
            return _of(_picked(self._joined, which), self.next_id)
        cuts = zip(self.blocks, self._ends[:-1].tolist(), self._ends[1:].tolist(), strict=True)
        parts = tuple(_chosen(block, which[start:end].tobytes()) for block, start, end in cuts)
        return Points(tuple(part for part in parts if len(part)), self.next_id)

    def same_as(self, other: Points) -> bool:
        """Return True if `other` has the same points with the same ids; fast if the two share blocks."""
        if len(self) != len(other):
            return False
        pairs = list(self._unshared(other))
        if any(len(mine) != len(its) for mine, its in pairs):
            pairs = [(self._joined, other._joined)]
        return all(_alike(mine, its) for mine, its in pairs)

    def looks_like(self, other: Points) -> bool:
        """Return True if `other` has the same locations and classes, whatever the ids."""
        return np.array_equal(self.xy, other.xy) and np.array_equal(self.labels, other.labels)

    @cached_property
    def extent(self) -> tuple[float, float]:
        """Return width and height of the points' bounding box."""
        if not len(self):
            return 0.0, 0.0
        # Column by column: numpy is a hundred times as slow along so short an axis.
        columns = (self.xy[:, 0], self.xy[:, 1])
        width, height = (float(column.max() - column.min()) for column in columns)
        return width, height

    @cached_property
    def _ends(self) -> Ids:
        """The start of the first block and the end of each block."""
        return np.cumsum([0, *map(len, self.blocks)], dtype=np.int64)

    def append(self, xy: ArrayLike, labels: ArrayLike) -> Points:
        """Return these points with new ones appended."""
        new_xy = np.array(xy, dtype=np.float64).reshape(-1, 2)
        new_labels = np.array(np.broadcast_to(np.asarray(labels, dtype=np.uint8), (len(new_xy),)))
        if len(new_xy) == 0:
            return self
        new_ids = np.arange(self.next_id, self.next_id + len(new_xy), dtype=np.int64)
        blocks = list(self.blocks)
        if blocks and len(blocks[-1]) < BLOCK:
            last = blocks.pop()
            new_xy = np.concatenate((last.xy, new_xy))
            new_labels = np.concatenate((last.labels, new_labels))
            new_ids = np.concatenate((last.ids, new_ids))
        new = _Block(new_xy, new_labels, new_ids)
        return Points((*blocks, *_cut(new)), int(new_ids[-1]) + 1, None if blocks else new)

    def move(self, indices: Sequence[int] | Ids, xy: ArrayLike) -> Points:
        """Return these points with those at `indices` moved to `xy`, shape (len(indices), 2)."""
        targets = np.asarray(xy, dtype=np.float64).reshape(-1, 2)

        def moved(block: _Block, inside: Ids, which: Ids | slice) -> _Block:
            new_xy = block.xy.copy()
            for axis in (0, 1):  # assigning rows of two numbers would take five times as long
                new_xy[inside, axis] = targets[which, axis]
            return _Block(new_xy, block.labels, block.ids)

        return self._edited(indices, moved)

    def relabel(self, indices: Sequence[int] | Ids, label: int) -> Points:
        """Return these points with those at `indices` in class `label`."""

        def relabelled(block: _Block, inside: Ids, which: Ids | slice) -> _Block:
            new_labels = block.labels.copy()
            new_labels[inside] = label
            return _Block(block.xy, new_labels, block.ids)

        return self._edited(indices, relabelled)

    def remove(self, indices: Sequence[int] | Ids) -> Points:
        """Return these points without those at `indices`."""

        def kept(block: _Block, inside: Ids, which: Ids | slice) -> _Block:
            keep = np.ones(len(block), dtype=bool)
            keep[inside] = False
            return _picked(block, keep)

        left = self._edited(indices, kept)
        if left._whole is not None:
            return left
        blocks = tuple(block for block in left.blocks if len(block))
        if len(blocks) > 2 * (len(left) // BLOCK) + 4:  # many small blocks: join them
            return _of(left._joined, self.next_id)
        return Points(blocks, self.next_id)

    def _edited(self, indices: Sequence[int] | Ids, edit: _Edit) -> Points:
        chosen = np.asarray(indices, dtype=np.int64)
        order = None if (chosen[1:] >= chosen[:-1]).all() else np.argsort(chosen, kind="stable")
        if order is not None:
            chosen = chosen[order]
        cuts = np.searchsorted(chosen, self._ends)
        touched = np.flatnonzero(np.diff(cuts)).tolist()

        def edited(block: _Block, first: int, last: int) -> _Block:
            part = slice(*cuts[[first, last]].tolist())
            return edit(block, chosen[part] - self._ends[first], part if order is None else order[part])

        if 2 * len(touched) > len(self.blocks):
            return _of(edited(self._joined, 0, -1), self.next_id)
        blocks = list(self.blocks)
        for b in touched:
            blocks[b] = edited(blocks[b], b, b + 1)
        return Points(tuple(blocks), self.next_id)


def _of(whole: _Block, next_id: int) -> Points:
    return Points(_cut(whole), next_id, whole)


def _cut(whole: _Block) -> tuple[_Block, ...]:
    xy, labels, ids = whole.xy, whole.labels, whole.ids
    cuts = [slice(start, start + BLOCK) for start in range(0, len(ids), BLOCK)]
    return tuple(_Block(xy[cut], labels[cut], ids[cut]) for cut in cuts)


def _picked(block: _Block, which: NDArray[np.bool_]) -> _Block:
    at = np.flatnonzero(which)
    return _Block(block.xy.take(at, axis=0), block.labels[at], block.ids[at])


def _moved(xy: Array, old: Array) -> NDArray[np.bool_]:
    # numpy's `any` is ten times as slow along so short an axis.
    return np.asarray((xy[:, 0] != old[:, 0]) | (xy[:, 1] != old[:, 1]))


@kept(_SHARED)
def _chosen(block: _Block, which: bytes) -> _Block:
    kept = np.frombuffer(which, dtype=bool)
    return block if kept.all() else _picked(block, kept)


def _alike(first: _Block, second: _Block) -> bool:
    return (
        np.array_equal(first.ids, second.ids)
        and np.array_equal(first.labels, second.labels)
        and np.array_equal(first.xy, second.xy)
    )


@kept(16)
def _counts(points: Points) -> tuple[int, ...]:
    return tuple(int(number) for number in np.bincount(points.labels, minlength=MAX_CLASSES))


@kept(8)
def first_at(points: Points) -> Ids | None:
    """Return the index of the first point at the location of each point; None if all locations differ."""
    # Sorting one number for each location, which equal locations share, is ten times as fast as sorting locations; with
    # the index in its last bits, the sorted numbers hold the order, too, which is three times as fast as `argsort`.
    x, y = (np.add(column, 0.0).view(np.int64) for column in points.xy.T)  # -0.0 becomes 0.0
    bits, first = np.uint64(len(points).bit_length()), np.arange(len(points))
    keys = np.sort(shuffled(shuffled(x).view(np.int64) ^ y) >> bits << bits | first.astype(np.uint64))
    follows = np.flatnonzero(keys[1:] >> bits == keys[:-1] >> bits) + 1
    order = (keys & ((np.uint64(1) << bits) - np.uint64(1))).view(np.int64)
    after, before = order[follows], order[follows - 1]
    same = ~_moved(points.xy[after], points.xy[before])  # two locations share a number once in some thousand tables
    if not same.any():
        return None
    begins = np.ones(len(points), dtype=bool)
    begins[follows[same]] = False
    starts = np.flatnonzero(begins)
    first[order] = np.repeat(order[starts], np.diff(starts, append=len(points)))
    return first


def keys_of(points: Points) -> Ids:
    """Return a number of each point that only equal points share: that of its location, times 8, plus its class."""
    first = first_at(points)
    return (np.arange(len(points)) if first is None else first) * MAX_CLASSES + points.labels


@kept(4)
def copies(points: Points, of: Points) -> int:
    """Return how many of `points` have location and class of one of the points `of`."""
    keys = keys_of(both := of.append(points.xy, points.labels))
    return 0 if first_at(both) is None else int(np.isin(keys[len(of) :], keys[: len(of)]).sum())


@kept(8)
def _concatenated(points: Points) -> _Block:
    blocks = points.blocks
    if not blocks:
        return _Block(np.empty((0, 2)), np.empty(0, dtype=np.uint8), np.empty(0, dtype=np.int64))
    return _Block(
        np.concatenate([block.xy for block in blocks]),
        np.concatenate([block.labels for block in blocks]),
        np.concatenate([block.ids for block in blocks]),
    )


@kept(4)
def _sampled(points: Points, most: int) -> Points:
    labels = points.labels
    counts = np.array(points.counts)
    quota = np.where(counts > 0, np.maximum(counts * most // len(labels), 1), 0)
    # the rest after rounding down goes to the largest class that has enough points
    for label in np.argsort(-quota, kind="stable"):
        quota[label] += min(most - int(quota.sum()), int(counts[label] - quota[label]))
    draw = shuffled(points.ids)
    drawn = []
    for label in points.classes:
        own = np.flatnonzero(labels == label)
        first = np.argpartition(draw[own], quota[label] - 1)[: quota[label]]
        drawn.append(own[first])
    chosen = np.sort(np.concatenate(drawn))
    return _of(_Block(points.xy[chosen], labels[chosen], points.ids[chosen]), points.next_id)


def shuffled(ids: Ids, seed: int | None = None) -> NDArray[np.uint64]:
    """Return a pseudo-random number for each id, the same on every machine (splitmix64, Steele et al. 2014).

    Each seed gives other numbers, all different from those without a seed.
    """
    z = ids.astype(np.uint64)
    if seed is not None:  # each seed uses a section of the generator's period of its own
        z += shuffled(np.array([-1 - seed], dtype=np.int64))
    z *= np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return result
