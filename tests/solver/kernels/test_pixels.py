"""Pixels of pictures: winners, ties, shades and colours by their definitions, compiled or not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from solver.core.arrays import Array
from solver.core.multiclass import leaders, one_vs_one, one_vs_rest, winners
from solver.kernels.pixels import (
    LEVELS,
    TIED,
    Pixels,
    Ramp,
    Regions,
    colour,
    colours_at,
    of_one_vs_one,
    of_one_vs_rest,
    of_probabilities,
    of_shares,
    of_two_classes,
)
from tests.without_compiler import machine_code

NOISE = 1e-3
#: Equal values, those within the noise and those beyond the last shade are all frequent.
NUMBERS = st.one_of(
    st.sampled_from((-1.0, -0.5, 0.0, -0.0, 0.5, 1.0, NOISE, -NOISE, 0.5 + NOISE, 3.0)), st.floats(-4.0, 4.0)
)
RAMPS = st.sampled_from((Ramp(0.5), Ramp(0.0, 0.6)))
SHAPE = st.tuples(st.integers(1, 5), st.integers(1, 6))


def values(n_planes: int) -> st.SearchStrategy[Array]:
    return SHAPE.flatmap(lambda shape: arrays.arrays(np.float64, (n_planes, *shape), elements=NUMBERS))


def both_ways(make: Callable[[], Pixels]) -> Pixels:
    """Return the pixels, after checking that compiled and plain ones are equal."""
    with machine_code(True):
        fast = make()
    with machine_code(False):
        plain = make()
    for one, other in zip(fast, plain, strict=True):
        assert one.dtype == other.dtype and np.array_equal(one, other)
    return fast


def shades(distance: Array, ramp: Ramp) -> Array:
    """Return the shade nearest to how sure the model is."""
    return np.minimum((distance * ramp.slope + ramp.least) * (LEVELS - 1), LEVELS - 1)


@given(f=values(1), ramp=RAMPS)
def test_two_classes(f: Array, ramp: Ramp) -> None:
    names = np.array([2, 5], dtype=np.int8)
    changed = [f[0].copy(), f[0].copy()]
    todo = iter(changed)
    classes, tie, shade = both_ways(lambda: of_two_classes(next(todo), NOISE, ramp, names))
    known = np.where(np.abs(f[0]) <= NOISE, 0.0, f[0])
    assert (changed[0] == known).all() and (changed[1] == known).all()
    assert (tie == (known == 0.0)).all() and (classes == np.where(known > 0.0, 5, 2)).all()
    assert np.abs(shade - shades(np.abs(known), ramp)).max() <= 0.5 + 1e-9


@given(n_classes=st.integers(3, 8), data=st.data(), ramp=RAMPS)
def test_one_vs_rest(n_classes: int, data: st.DataObject, ramp: Ramp) -> None:
    f, names = data.draw(values(n_classes)), np.arange(n_classes, dtype=np.int8)[::-1].copy()
    pairs = one_vs_rest(np.arange(n_classes), n_classes)
    classes, tie, shade = both_ways(lambda: of_one_vs_rest(f, NOISE, ramp, names))
    by_class = np.moveaxis(f, 0, 2)
    ordered = np.sort(by_class, axis=2)
    lead = ordered[..., -1] - ordered[..., -2]
    assert (classes == names[winners(by_class, pairs, n_classes)]).all() and (tie == (lead <= NOISE)).all()
    assert np.abs(shade - shades(0.5 * lead, ramp)).max() <= 0.5 + 1e-9


@given(n_classes=st.integers(3, 8), data=st.data(), ramp=RAMPS)
def test_one_vs_one(n_classes: int, data: st.DataObject, ramp: Ramp) -> None:
    pairs = one_vs_one(np.arange(n_classes), n_classes)
    f, names = data.draw(values(len(pairs))), np.arange(n_classes, dtype=np.int8)[::-1].copy()
    classes, tie, shade = both_ways(lambda: of_one_vs_one(f, pairs, NOISE, ramp, names))
    by_pair = np.moveaxis(f, 0, 2)
    winner = winners(by_pair, pairs, n_classes)
    duels = [
        np.where(winner == pair.positive, f[p], np.where(winner == pair.negative, -f[p], np.inf))
        for p, pair in enumerate(pairs)
    ]
    closest = np.min(duels, axis=0)
    level = leaders(by_pair, pairs, n_classes, NOISE).sum(axis=2) > 1
    assert (classes == names[winner]).all() and (tie == ((closest <= NOISE) & level)).all()
    assert np.abs(shade - shades(np.maximum(closest, 0.0), ramp)).max() <= 0.5 + 1e-9


@pytest.mark.parametrize("dtype", [np.uint8, np.int64])
@given(n_classes=st.integers(1, 8), data=st.data())
def test_shares(dtype: type, n_classes: int, data: st.DataObject) -> None:
    shape, names = data.draw(SHAPE), np.arange(n_classes, dtype=np.int8)[::-1].copy()
    top = data.draw(arrays.arrays(np.int64, shape, elements=st.integers(0, n_classes - 1)))
    share = data.draw(arrays.arrays(np.float64, shape, elements=st.floats(1.0 / n_classes, 1.0)))
    tie = data.draw(arrays.arrays(np.bool_, shape))
    classes, shown, shade = both_ways(lambda: of_shares(top.astype(dtype), share, tie, names))
    assert (classes == names[top]).all() and (shown == tie).all()
    even = 1.0 / n_classes
    sureness = (share - even) / (1.0 - even) if n_classes > 1 else np.ones(shape)
    assert np.abs(shade - shades(sureness, Ramp(1.0))).max() <= 0.5 + 1e-9


@given(n_classes=st.integers(2, 8), data=st.data())
def test_probabilities(n_classes: int, data: st.DataObject) -> None:
    shape, names = data.draw(SHAPE), np.arange(n_classes, dtype=np.int8)[::-1].copy()
    parts = data.draw(arrays.arrays(np.int64, (n_classes, *shape), elements=st.integers(1, 3)))
    shares = parts / parts.sum(axis=0)
    (classes, tie, shade), best = of_probabilities(shares, names)
    assert (best == shares.max(axis=0)).all() and (classes == names[parts.argmax(axis=0)]).all()
    assert (tie == ((parts == parts.max(axis=0)).sum(axis=0) > 1)).all()
    even = 1.0 / n_classes
    assert np.abs(shade - shades((best - even) / (1.0 - even), Ramp(1.0))).max() <= 0.5 + 1e-9


@given(shape=SHAPE, n_classes=st.integers(1, 8), data=st.data())
def test_colours(shape: tuple[int, int], n_classes: int, data: st.DataObject) -> None:
    classes: Regions = data.draw(arrays.arrays(np.int8, shape, elements=st.integers(0, n_classes - 1)))
    shade = data.draw(arrays.arrays(np.uint8, shape, elements=st.integers(0, LEVELS - 1)))
    pixels = Pixels(classes, data.draw(arrays.arrays(np.bool_, shape)), shade)
    table = np.random.default_rng(0).integers(0, 2**32, n_classes * LEVELS + 1, dtype=np.uint32)
    for used in (True, False):
        out = np.zeros(shape, dtype=np.uint32)
        with machine_code(used):
            colour(pixels, table, out)
        for row in range(shape[0]):
            for column in range(shape[1]):
                at = shape[0] - 1 - row, column
                index = int(classes[at]) * LEVELS + int(shade[at])
                assert out[row, column] == (table[-1] if pixels.tie[at] else table[index])
    assert (colours_at(pixels, table) == out[::-1]).all()
    assert (pixels.regions == np.where(pixels.tie, TIED, classes)).all()
