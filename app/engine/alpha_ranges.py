"""Alpha ranges: between which values the multipliers of a finished training may be, over all optima."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import numpy as np
from msgspec import Struct

from solver import BinaryProblem
from solver.core.arrays import Array, Indices
from solver.core.certificate import joined

#: Largest number of points of a problem for which they are computed: whether alpha is unique takes up to 20 ms in one
#: piece, and each of at most 200 points that may be support vectors then two linear programmes, 2 ms.
MOST = 500
#: Least and largest alpha, by the point's position in its problem.
Ranges = dict[int, tuple[float, float]]


class AlphaRanges(Struct, frozen=True, eq=False):
    """The multipliers that differ between optima.

    Attributes
    ----------
    unique : bool or None
        Whether none differs; None if that is not decided, and for problems of more than `MOST` points not computed.
    ranges : tuple of dict
        For each problem, those of the points whose multiplier differs.
    maybe : ndarray of shape (m,)
        Indices of the points that are support vectors in some optima, but not in all.
    """

    unique: bool | None
    ranges: tuple[Ranges, ...]
    maybe: Indices


def alpha_ranges(
    certificates: Sequence[Any], pairs: Sequence[BinaryProblem], multipliers: Sequence[tuple[Array, Array]], n: int
) -> Generator[None, None, AlphaRanges]:
    """Return the ranges after a training on `n` points from its certificates, alpha and C; pause after each point."""
    known = all(len(pair.index) <= MOST for pair in pairs)
    ranges: list[Ranges] = []
    ends = np.zeros((2, n))
    for certificate, pair, (alpha, _) in zip(certificates, pairs, multipliers, strict=True):
        ranges.append({})
        own = np.array((alpha, alpha))
        yield
        for point, low, high in certificate.optima[0].ranges() if known and certificate.unique is False else ():
            ranges[-1][point] = own[:, point] = low, high
            yield
        ends[:, pair.index] = np.maximum(ends[:, pair.index], own)
    unique = joined(certificates).unique if known else None
    return AlphaRanges(unique, tuple(ranges), np.flatnonzero((ends[0] == 0.0) & (ends[1] > 0.0)))
