"""Selections from enumerations cover all pairs, and together all combinations."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from .covering import first_of, pairwise_params


@pytest.mark.parametrize("sizes", [(3, 5, 4), (2, 2), (6,) * 3, (14, 4, 6), (1, 3, 2, 2)])
def test_each_pair_of_values_is_met_and_every_combination_stays(sizes: tuple[int, ...]) -> None:
    params = pairwise_params(*map(range, sizes))
    assert [param.values for param in params] == list(product(*map(range, sizes)))
    kept = [param.values for param in params if not param.marks]
    for a, b in combinations(range(len(sizes)), 2):
        assert {(values[a], values[b]) for values in kept} == set(product(range(sizes[a]), range(sizes[b])))
    assert len(kept) < len(params) or len(params) <= sizes[-1] * sizes[-2]


def test_the_first_of_many() -> None:
    params = first_of("abc", 2)
    assert [param.values for param in params] == [("a",), ("b",), ("c",)]
    assert [bool(param.marks) for param in params] == [False, False, True]
