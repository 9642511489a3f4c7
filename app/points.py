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
    def of(xy: ArrayLike, labels: ArrayLike) -> Points:
        """Points from coordinates (n, 2) and labels (n,)."""
        return Points().append(xy, labels)

    def __len__(self) -> int:
        return self._count

    @cached_property
    def _count(self) -> int:
        # Asked several times a frame: of 100 000 points it would be the slowest part of one.
        return sum(len(block) for block in self.blocks)

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
        return [label for label, count in enumerate(self.counts) if count]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many points there are of each of the 8 classes."""
        return _counted(self)

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
        for start in range(0, len(new_ids), BLOCK):
            cut = slice(start, start + BLOCK)
            blocks.append(_Block(new_xy[cut].copy(), new_labels[cut].copy(), new_ids[cut].copy()))
        return Points(tuple(blocks), int(new_ids[-1]) + 1)

    def move(self, indices: Sequence[int] | Ids, xy: ArrayLike) -> Points:
        """The points at `indices` at new places (len(indices), 2)."""
        targets = np.asarray(xy, dtype=np.float64).reshape(-1, 2)

        def moved(block: _Block, inside: Ids, which: Ids) -> _Block:
            new_xy = block.xy.copy()
            new_xy[inside] = targets[which]
            return _Block(new_xy, block.labels, block.ids)

        return self._edited(indices, moved)

    def remove(self, indices: Sequence[int] | Ids) -> Points:
        """All but the points at `indices`."""

        def kept(block: _Block, inside: Ids, which: Ids) -> _Block:
            keep = np.ones(len(block), dtype=bool)
            keep[inside] = False
            return _Block(block.xy[keep], block.labels[keep], block.ids[keep])

        left = self._edited(indices, kept)
        blocks = tuple(block for block in left.blocks if len(block))
        if len(blocks) > 2 * (len(left) // BLOCK) + 4:  # many thin blocks: join them anew
            xy, labels, ids = _arrays_of(blocks)
            cuts = [slice(s, s + BLOCK) for s in range(0, len(ids), BLOCK)]
            blocks = tuple(_Block(xy[c].copy(), labels[c].copy(), ids[c].copy()) for c in cuts)
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


def _arrays_of(blocks: Sequence[_Block]) -> tuple[Array, Labels, Ids]:
    if not blocks:
        return np.empty((0, 2)), np.empty(0, dtype=np.uint8), np.empty(0, dtype=np.int64)
    return (
        np.concatenate([block.xy for block in blocks]),
        np.concatenate([block.labels for block in blocks]),
        np.concatenate([block.ids for block in blocks]),
    )


@lru_cache(maxsize=4)
def _joined(points: Points) -> tuple[Array, Labels, Ids]:
    arrays = _arrays_of(points.blocks)
    for array in arrays:
        array.flags.writeable = False
    return arrays


@lru_cache(maxsize=8)
def _counted(points: Points) -> tuple[int, ...]:
    # Every frame asks; the labels are gone through once.
    return tuple(np.bincount(points.labels, minlength=MAX_CLASSES).tolist())
