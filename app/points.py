"""Points: the labelled points of a document, an immutable value whose unchanged parts are shared.

The points live in blocks of at most `BLOCK`; an edit makes new blocks only where it changed something, so a long undo
history of a large document stays small.  The joined arrays that everybody else works with are kept for the newest
few values only, for the same reason.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

BLOCK = 256
MAX_CLASSES = 8
#: Beyond this the drawing loses points without a word.
LIMIT = 1e15

Array = NDArray[np.float64]
Labels = NDArray[np.uint8]
Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Block:
    xy: Array
    labels: Labels
    ids: Ids

    def __post_init__(self) -> None:
        for array in (self.xy, self.labels, self.ids):
            array.flags.writeable = False

    def __len__(self) -> int:
        return len(self.ids)


#: Makes a block anew: (block, indices inside it, their places in the request) -> block.
_Edit = Callable[[_Block, Ids, Ids], _Block]


@dataclass(frozen=True, eq=False)
class Points:
    """An ordered collection of labelled points; each keeps its id for life, ids ascend.

    Attributes
    ----------
    xy : ndarray of shape (n, 2)
    labels : ndarray of shape (n,), uint8
        Class of each point, 0 to 7.
    ids : ndarray of shape (n,), int64
    """

    blocks: tuple[_Block, ...] = ()
    next_id: int = 0

    @staticmethod
    def of(xy: ArrayLike, labels: ArrayLike, ids: Ids | None = None) -> Points:
        """Points from coordinates (n, 2) and labels (n,); with ascending `ids`, or 0, 1, 2, ..."""
        points = Points().append(xy, labels)
        if ids is None or not len(points):
            return points
        return Points(_cut(points.xy, points.labels, ids), int(ids[-1]) + 1)

    def __len__(self) -> int:
        return self._length

    @cached_property
    def _length(self) -> int:
        # Asked several times a frame: of 100 000 points it would be the slowest part of one.
        return sum(len(block.ids) for block in self.blocks)

    @property
    def xy(self) -> Array:
        """Coordinates, shape (n, 2), read-only."""
        return _joined(self)[0]

    @property
    def labels(self) -> Labels:
        """Class of each point, shape (n,), read-only."""
        return _joined(self)[1]

    @property
    def ids(self) -> Ids:
        """Lifelong number of each point, shape (n,), ascending, read-only."""
        return _joined(self)[2]

    @property
    def classes(self) -> list[int]:
        """The classes that occur, ascending."""
        return [label for label, number in enumerate(self.counts) if number]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many points there are of each class, all eight."""
        return _counts(self)

    def indices_of(self, ids: Sequence[int] | Ids) -> Ids:
        """Where the points with these `ids` stand, ascending; those that are not here are left out."""
        wanted = np.unique(np.asarray(ids, dtype=np.int64))
        if not len(self):
            return wanted[:0]
        at = np.minimum(np.searchsorted(self.ids, wanted), len(self) - 1)
        found: Ids = at[self.ids[at] == wanted]
        return found

    def changed_since(self, before: Points) -> int:
        """How many points stand elsewhere or are of another class than in `before`, which has the same ones."""
        if len(self.blocks) != len(before.blocks):
            return max(len(self), len(before))
        count = 0
        for new, old in zip(self.blocks, before.blocks, strict=True):
            if new is not old and len(new) == len(old):
                count += int(((new.xy != old.xy).any(axis=1) | (new.labels != old.labels)).sum())
        return count

    def sample(self, most: int) -> Points:
        """These points, or `most` of them: a share of each class, at least one.

        Which ones follows from their ids alone, so a point that is added or moved leaves nearly all others in.
        """
        return self if len(self) <= most else _sampled(self, most)

    def chosen(self, which: NDArray[np.bool_]) -> Points:
        """These points where `which`, of shape (n,), is True; they keep their ids.

        Blocks of which the same was chosen before are shared with what was made then.
        """
        ends = np.cumsum([len(block) for block in self.blocks], dtype=np.int64).tolist()
        cuts = zip(self.blocks, [0, *ends[:-1]], ends, strict=True) if ends else ()
        parts = tuple(_chosen(block, which[start:end].tobytes()) for block, start, end in cuts)
        return Points(tuple(part for part in parts if len(part)), self.next_id)

    def same_as(self, other: Points) -> bool:
        """`other` has the same points with the same ids; quick where the two share blocks."""
        return len(self.blocks) == len(other.blocks) and all(
            mine is its or _alike(mine, its) for mine, its in zip(self.blocks, other.blocks, strict=True)
        )

    def append(self, xy: ArrayLike, labels: ArrayLike) -> Points:
        """These points behind the present ones."""
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
        return Points((*blocks, *_cut(new_xy, new_labels, new_ids)), int(new_ids[-1]) + 1)

    def move(self, indices: Sequence[int] | Ids, xy: ArrayLike) -> Points:
        """The points at `indices` at new places (len(indices), 2)."""
        targets = np.asarray(xy, dtype=np.float64).reshape(-1, 2)

        def moved(block: _Block, inside: Ids, which: Ids) -> _Block:
            new_xy = block.xy.copy()
            new_xy[inside] = targets[which]
            return _Block(new_xy, block.labels, block.ids)

        return self._edited(indices, moved)

    def relabel(self, indices: Sequence[int] | Ids, label: int) -> Points:
        """The points at `indices` of class `label`."""

        def relabelled(block: _Block, inside: Ids, which: Ids) -> _Block:
            new_labels = block.labels.copy()
            new_labels[inside] = label
            return _Block(block.xy, new_labels, block.ids)

        return self._edited(indices, relabelled)

    def remove(self, indices: Sequence[int] | Ids) -> Points:
        """All but the points at `indices`."""

        def kept(block: _Block, inside: Ids, which: Ids) -> _Block:
            keep = np.ones(len(block), dtype=bool)
            keep[inside] = False
            return _Block(block.xy[keep], block.labels[keep], block.ids[keep])

        left = self._edited(indices, kept)
        blocks = tuple(block for block in left.blocks if len(block))
        if len(blocks) > 2 * (len(left) // BLOCK) + 4:  # many thin blocks: join them anew
            blocks = _cut(*_arrays_of(blocks))
        return Points(blocks, self.next_id)

    def _edited(self, indices: Sequence[int] | Ids, edit: _Edit) -> Points:
        chosen = np.asarray(indices, dtype=np.int64)
        blocks = list(self.blocks)
        start = 0
        for b, block in enumerate(self.blocks):
            which = np.flatnonzero((chosen >= start) & (chosen < start + len(block)))
            if len(which):
                blocks[b] = edit(block, chosen[which] - start, which)
            start += len(block)
        return Points(tuple(blocks), self.next_id)


def _cut(xy: Array, labels: Labels, ids: Ids) -> tuple[_Block, ...]:
    cuts = [slice(start, start + BLOCK) for start in range(0, len(ids), BLOCK)]
    return tuple(_Block(xy[cut].copy(), labels[cut].copy(), ids[cut].copy()) for cut in cuts)


def _arrays_of(blocks: Sequence[_Block]) -> tuple[Array, Labels, Ids]:
    if not blocks:
        return np.empty((0, 2)), np.empty(0, dtype=np.uint8), np.empty(0, dtype=np.int64)
    return (
        np.concatenate([block.xy for block in blocks]),
        np.concatenate([block.labels for block in blocks]),
        np.concatenate([block.ids for block in blocks]),
    )


@lru_cache(maxsize=4096)
def _chosen(block: _Block, which: bytes) -> _Block:
    kept = np.frombuffer(which, dtype=bool)
    return block if kept.all() else _Block(block.xy[kept], block.labels[kept], block.ids[kept])


def _alike(first: _Block, second: _Block) -> bool:
    return (
        np.array_equal(first.ids, second.ids)
        and np.array_equal(first.labels, second.labels)
        and np.array_equal(first.xy, second.xy)
    )


@lru_cache(maxsize=16)
def _counts(points: Points) -> tuple[int, ...]:
    return tuple(int(number) for number in np.bincount(points.labels, minlength=MAX_CLASSES))


@lru_cache(maxsize=8)
def _joined(points: Points) -> tuple[Array, Labels, Ids]:
    arrays = _arrays_of(points.blocks)
    for array in arrays:
        array.flags.writeable = False
    return arrays


@lru_cache(maxsize=4)
def _sampled(points: Points, most: int) -> Points:
    labels = points.labels
    counts = np.array(points.counts)
    quota = np.where(counts > 0, np.maximum(counts * most // len(labels), 1), 0)
    for label in np.argsort(-quota, kind="stable"):  # what rounding left, for the largest class that has so many
        quota[label] += min(most - int(quota.sum()), int(counts[label] - quota[label]))
    draw = shuffled(points.ids)
    drawn = []
    for label in points.classes:
        own = np.flatnonzero(labels == label)
        first = np.argpartition(draw[own], quota[label] - 1)[: quota[label]]
        drawn.append(own[first])
    chosen = np.sort(np.concatenate(drawn))
    return Points(_cut(points.xy[chosen], labels[chosen], points.ids[chosen]), points.next_id)


def shuffled(ids: Ids, seed: int | None = None) -> NDArray[np.uint64]:
    """A number for each id that looks like chance and is the same on every machine (splitmix64, Steele et al. 2014).

    Other seeds give other numbers, none of them those without a seed.
    """
    z = ids.astype(np.uint64)
    if seed is not None:  # each seed has a stretch of the generator's period of its own
        z += shuffled(np.array([-1 - seed], dtype=np.int64))
    z *= np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return result
