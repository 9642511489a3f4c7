"""Generated points: which points of a document its generator made, so that a share text can omit them."""

from __future__ import annotations

import zlib

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.points import Points
from app.state.document import GeneratorSettings

#: Most points that are generated for a share text, in 0.01 s.
MOST_MADE = 50_000

_Mask = NDArray[np.bool_]


class Made(Struct, frozen=True, eq=False):
    """The generator's points in a document.

    Attributes
    ----------
    points : Points
        All points that the generator makes.
    kept : ndarray of shape (len(points),), bool
        Which of them are still in the document.
    own : ndarray of shape (n,), bool
        Which points of the document are not generated; the others are `points[kept]`, in that order.
    """

    points: Points
    kept: _Mask
    own: _Mask

    @property
    def checksum(self) -> int:
        """Return a checksum of the generator's points; another program, or version of numpy, may make others."""
        return zlib.crc32(np.rint(self.points.xy * 1e6).astype("<i8").tobytes() + self.points.labels.tobytes())

    def with_own(self, points: Points) -> Points:
        """Return the document's points, where `points` are those that are not generated."""
        xy, labels = np.empty((len(self.own), 2)), np.empty(len(self.own), dtype=np.uint8)
        xy[self.own], xy[~self.own] = points.xy, self.points.xy[self.kept]
        labels[self.own], labels[~self.own] = points.labels, self.points.labels[self.kept]
        return Points.of(xy, labels)


def made_by(settings: GeneratorSettings) -> Points | None:
    """Return the generator's points; None if there are none, or too many for a share text."""
    if settings.count * settings.n_classes > MOST_MADE:
        return None
    try:
        return settings.points()
    except ValueError:  # a document may have settings that no generator accepts
        return None


def find(points: Points, settings: GeneratorSettings | None) -> Made | None:
    """Return which of `points` are, bit for bit, those of the generator; None if none are.

    A point that has been moved, relabelled or reordered is no longer the generator's.
    """
    made = None if settings is None or len(points) > MOST_MADE else made_by(settings)
    if made is None or not len(points):
        return None
    first, second = _rows(made), _rows(points)
    if np.array_equal(first, second):
        return Made(made, np.ones(len(made), dtype=bool), np.zeros(len(points), dtype=bool))
    _, codes = np.unique(np.concatenate((first, second)), return_inverse=True)
    theirs, ours = _numbered(codes[: len(first)]), _numbered(codes[len(first) :])
    _, index, partner = np.intersect1d(ours, theirs, return_indices=True)
    order = np.argsort(index)
    index, partner = index[order], partner[order]
    before = np.maximum.accumulate(np.concatenate(([-1], partner[:-1])))
    rising = partner > before
    kept, own = np.zeros(len(made), dtype=bool), np.ones(len(points), dtype=bool)
    kept[partner[rising]], own[index[rising]] = True, False
    return Made(made, kept, own) if kept.any() else None


def _rows(points: Points) -> NDArray[np.void]:
    """Return each point as one value of its bits, so that only identical points are equal."""
    rows = np.column_stack((points.xy, points.labels.astype(np.float64))) + 0.0
    return np.ascontiguousarray(rows).view(np.dtype((np.void, 24)))[:, 0]


def _numbered(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return each value combined with the number of its earlier occurrences, so that all are different."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    begins = np.flatnonzero(np.diff(ordered, prepend=-1))
    occurred = np.arange(len(codes)) - np.repeat(begins, np.diff(begins, append=len(codes)))
    numbered = np.empty_like(codes)
    numbered[order] = ordered * (MOST_MADE + 1) + occurred
    return numbered
