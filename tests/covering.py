"""Selections from long enumerations: every pair of values in each run of the tests, all combinations in `make soak`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations, product
from typing import Any

import pytest


def pairwise_cover(axes: Sequence[Sequence[Any]]) -> set[tuple[int, ...]]:
    """Return indices of a few combinations in which each value of an axis meets each value of every other axis."""
    left = {
        (a, i, b, j)
        for a, b in combinations(range(len(axes)), 2)
        for i, j in product(range(len(axes[a])), range(len(axes[b])))
    }
    chosen = set()
    pairs = {
        locations: {(a, locations[a], b, locations[b]) for a, b in combinations(range(len(axes)), 2)}
        for locations in product(*(range(len(axis)) for axis in axes))
    }
    while left:
        best = max(pairs, key=lambda locations: len(pairs[locations] & left))
        chosen.add(best)
        left -= pairs[best]
    return chosen


def pairwise_params(*axes: Iterable[Any], quick: int | None = None) -> list[Any]:
    """Return all combinations as parameters of a test; those not needed to cover all pairs are marked as soak.

    With `quick`, only that number of the others is not marked.
    """
    lists = [list(axis) for axis in axes]
    chosen = set(sorted(pairwise_cover(lists))[:quick])
    return [
        pytest.param(
            *(axis[index] for axis, index in zip(lists, locations, strict=True)),
            marks=() if locations in chosen else pytest.mark.soak,
        )
        for locations in product(*(range(len(axis)) for axis in lists))
    ]


def first_of(values: Iterable[Any], count: int) -> list[Any]:
    """Return the values as parameters of a test, all but the first `count` marked as soak."""
    return [pytest.param(value, marks=() if at < count else pytest.mark.soak) for at, value in enumerate(values)]


def first_rows(rows: Iterable[Sequence[Any]], count: int) -> list[Any]:
    """Return the rows as parameters of a test, all but the first `count` marked as soak."""
    return [pytest.param(*row, marks=() if at < count else pytest.mark.soak) for at, row in enumerate(rows)]
