"""Points: every edit against a plain list, and the memory of a long undo history of many points."""

from __future__ import annotations

import itertools
import time
import tracemalloc
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.core.points import BLOCK, Points, copies, first_at
from app.state.commands import MovePoints
from app.state.document import Document
from app.state.store import Store
from tests.examples import examples

Plain = list[tuple[int, float, float, int]]  #: id, x, y, class
Edit = tuple[str, int, int]


def plain(points: Points) -> Plain:
    return [
        (int(i), float(x), float(y), int(c)) for i, (x, y), c in zip(points.ids, points.xy, points.labels, strict=True)
    ]


def check(points: Points, model: Plain, next_id: int) -> None:
    assert plain(points) == model
    assert len(points) == len(model) and points.next_id == next_id
    assert points.classes == sorted({c for *_, c in model})
    assert all(0 < len(block) <= BLOCK for block in points.blocks)
    assert (np.diff(points.ids) > 0).all()


EDITS = st.lists(
    st.tuples(st.sampled_from(["append", "move", "remove"]), st.integers(0, 700), st.integers(0, 2**32 - 1)), max_size=8
)


def as_a_plain_list(edits: list[Edit]) -> None:
    points, model, next_id = Points(), list[tuple[int, float, float, int]](), 0
    history = [(points, list(model))]
    for kind, size, seed in edits:
        rng = np.random.default_rng(seed)
        xy = rng.normal(size=(size, 2))
        if kind == "append":
            labels = rng.integers(0, 8, size)
            points = points.append(xy, labels)
            model += [(next_id + i, float(xy[i, 0]), float(xy[i, 1]), int(labels[i])) for i in range(size)]
            next_id += size
        else:
            chosen = rng.permutation(len(model))[:size]
            if kind == "move":
                points = points.move(chosen, xy[: len(chosen)])
                for position, (x, y) in zip(chosen, xy, strict=False):
                    model[position] = (model[position][0], float(x), float(y), model[position][3])
            else:
                points = points.remove(chosen)
                gone = set(chosen.tolist())
                model = [row for i, row in enumerate(model) if i not in gone]
        check(points, model, next_id)
        history.append((points, list(model)))
    for old, rows in history:
        assert plain(old) == rows, "an edit changed an older value"


@given(EDITS)
@examples(60)
def test_as_a_plain_list(edits: list[Edit]) -> None:
    as_a_plain_list(edits)


@pytest.mark.soak
@given(EDITS)
@examples(3000)
def test_as_a_plain_list_many_times(edits: list[Edit]) -> None:
    as_a_plain_list(edits)


def test_arrays_are_read_only_and_copies() -> None:
    xy, labels = np.zeros((3, 2)), np.array([0, 1, 2], dtype=np.uint8)
    points = Points.of(xy, labels)
    xy[:] = 9.0
    labels[:] = 7
    assert (points.xy == 0).all() and points.labels.tolist() == [0, 1, 2]
    for array in (points.xy, points.labels, points.ids, points.blocks[0].xy, points.blocks[0].ids):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


def test_nothing_appended_is_the_same_object() -> None:
    points = Points.of([(1.0, 2.0)], [3])
    assert points.append(np.empty((0, 2)), []) is points


def test_one_label_for_many() -> None:
    assert Points().append([(0.0, 0.0), (1.0, 1.0)], 4).labels.tolist() == [4, 4]


def test_an_id_is_never_used_again() -> None:
    points = Points.of(np.zeros((5, 2)), 0).remove([4, 0])
    assert points.append([(1.0, 1.0)], 0).ids.tolist() == [1, 2, 3, 5]
    assert points.remove([0, 1, 2]).append([(1.0, 1.0)], 0).ids.tolist() == [5]


def test_unchanged_blocks_are_shared() -> None:
    points = Points.of(np.zeros((10 * BLOCK, 2)), 0)
    moved = points.move([3 * BLOCK + 1], (1.0, 1.0))
    differ = [a is not b for a, b in zip(points.blocks, moved.blocks, strict=True)]
    assert differ == [b == 3 for b in range(10)]


def test_thin_blocks_are_joined() -> None:
    points = Points.of(np.zeros((40 * BLOCK, 2)), 0)
    kept = np.arange(0, 40 * BLOCK, BLOCK // 2)
    points = points.remove(np.setdiff1d(np.arange(40 * BLOCK), kept))
    assert points.ids.tolist() == kept.tolist() and len(points.blocks) == 1


@pytest.mark.slow
def test_a_thousand_undo_steps_of_ten_thousand_points_stay_small() -> None:
    rng = np.random.default_rng(0)
    store = Store(Document(Points.of(rng.normal(size=(10_000, 2)), rng.integers(0, 8, 10_000))))
    start = plain(store.document.points)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for step in range(1000):
            store.dispatch(MovePoints(ids=[int(rng.integers(10_000))], xy=(float(step), 0.0)))
            assert len(store.document.points.xy) == 10_000  # as every view requests it
        used = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert used < 30e6
    for _ in range(1000):
        store.undo()
    assert store.undo_name is None and plain(store.document.points) == start


def test_a_sample_keeps_the_shares_and_every_class() -> None:
    rng = np.random.default_rng(1)
    labels = np.concatenate((np.zeros(60_000), np.ones(30_000), np.full(9_995, 5), np.full(5, 7)))
    points = Points.of(rng.normal(size=(100_000, 2)), rng.permutation(labels))
    sample = points.sample(10_000)
    assert len(sample) == 10_000 and points.sample(10_000) is sample and points.sample(100_000) is points
    assert sample.counts[0] == pytest.approx(6000, abs=2) and sample.counts[7] == 1
    at = points.indices_of(sample.ids)
    assert (points.xy[at] == sample.xy).all() and (points.labels[at] == sample.labels).all()
    # Random: the ids have no pattern.
    parity = np.mean(sample.ids % 2)
    assert parity == pytest.approx(0.5, abs=0.02) and np.mean(sample.ids < 50_000) == pytest.approx(0.5, abs=0.02)


def test_a_sample_hardly_changes_when_a_point_does() -> None:
    points = Points.of(np.random.default_rng(2).normal(size=(5000, 2)), np.arange(5000) % 3)
    before = set(points.sample(500).ids.tolist())
    for changed in (points.move([7], (9.0, 9.0)), points.remove([3]), points.append((0.0, 0.0), 1)):
        after = set(changed.sample(500).ids.tolist())
        assert 497 <= len(after) <= 500 and len(before & after) >= 497


def test_points_by_their_ids() -> None:
    points = Points.of(np.zeros((10, 2)), 0).remove([2, 5])
    assert points.indices_of([9, 0, 2, 5, 3, -1, 10, 3]).tolist() == [0, 2, 7]
    assert points.indices_of([]).tolist() == [] and Points().indices_of([1]).tolist() == []
    relabelled = points.relabel([0, 7], 4)
    assert relabelled.labels.tolist() == [4, 0, 0, 0, 0, 0, 0, 4] and relabelled.changed_since(points) == 2
    assert relabelled.counts == (6, 0, 0, 0, 2, 0, 0, 0) and relabelled.classes == [0, 4]


def test_a_sample_of_nearly_all_points_takes_no_more_of_a_class_than_there_are() -> None:
    for counts in itertools.product((1, 2, 7), (0, 1, 6), (0, 1, 2), (0, 1), (0, 1)):
        labels = np.repeat(np.arange(5), counts)
        points = Points.of(np.arange(2.0 * len(labels)).reshape(-1, 2), labels)
        for most in range(np.count_nonzero(counts), len(labels)):
            sample = points.sample(most)
            assert len(sample) == most and sample.classes == points.classes
            assert all(some <= there for some, there in zip(sample.counts, points.counts, strict=True))


def test_an_edit_of_most_points_is_one_of_whole_arrays() -> None:
    """The result equals that of many small edits, whatever blocks the two are made of."""
    rng = np.random.default_rng(2)
    n = 8 * BLOCK + 17
    points = Points.of(rng.normal(size=(n, 2)), rng.integers(0, 8, n)).remove(np.arange(0, n, 50))
    points = points.append(rng.normal(size=(30, 2)), 1)
    n = len(points)
    for size in (1, 7, n // 3, n):
        chosen, xy = rng.permutation(n)[:size], rng.normal(size=(size, 2))
        by_one, at_once = points, points.move(chosen, xy).relabel(chosen, 7)
        for part in np.array_split(np.arange(size), min(size, 40)):
            by_one = by_one.move(chosen[part], xy[part]).relabel(chosen[part], 7)
        assert plain(at_once) == plain(by_one) and at_once.same_as(by_one) and by_one.same_as(at_once)
        changed = (at_once.xy != points.xy).any(axis=1) | (at_once.labels != points.labels)
        assert at_once.changed_since(points) == by_one.changed_since(points) == changed.sum()
        assert at_once.changed_since(by_one) == 0 and not at_once.same_as(points)
        assert plain(at_once.remove(chosen)) == [row for i, row in enumerate(plain(points)) if i not in set(chosen)]
        for array in (at_once.xy, at_once.labels, at_once.ids, at_once.blocks[0].xy):
            assert not array.flags.writeable
    wanted = rng.permutation(np.concatenate((points.ids, [-5, 10**12])))
    for some in (wanted, wanted[:3], wanted[:0], np.repeat(wanted, 2)):
        assert points.indices_of(some).tolist() == np.flatnonzero(np.isin(points.ids, some)).tolist()


def test_points_of_a_sample_are_found_without_hashing_their_ids() -> None:
    points = Points.of(np.zeros((100_000, 2)), 0)
    with patch("numpy.unique", side_effect=AssertionError("`np.unique` takes 6 ms, in every frame")):
        assert points.indices_of(np.arange(4000)[::-1]).tolist() == list(range(4000))


def test_an_edit_of_all_points_costs_in_proportion_to_them() -> None:
    """16 times the points: 16 times the time, and not 256 times, as if every block searched all indices."""

    def cost(n: int) -> float:
        points, best = Points.of(np.zeros((n, 2)), 0), np.inf
        for label in range(1, 4):
            start = time.thread_time()
            index = points.indices_of(points.ids)
            assert points.relabel(index, label).changed_since(points) == n
            best = min(best, time.thread_time() - start)
        return best

    assert cost(512_000) < 60 * cost(32_000)


def test_many_points_are_chosen_at_once() -> None:
    n = 3000 * BLOCK
    points = Points.of(np.arange(2 * n).reshape(n, 2), 3)
    which = np.arange(n) % 3 == 0
    part = points.chosen(which)
    assert (part.ids == np.flatnonzero(which)).all() and (part.xy == points.xy[which]).all()
    assert part.next_id == n and all(0 < len(block) <= BLOCK for block in part.blocks)


def test_lists_of_ids_are_looked_up() -> None:
    points = Points.of(np.zeros((5, 2)), 0, np.array([2, 3, 5, 7, 11]))
    assert points.indices_of([11, 4, 2, 2]).tolist() == [0, 4] and Points().indices_of([1]).tolist() == []


def test_the_same_points_in_other_blocks_are_the_same() -> None:
    rng = np.random.default_rng(3)
    points = Points.of(rng.normal(size=(2 * BLOCK, 2)), 1).remove(np.arange(10))
    again = Points.of(points.xy, points.labels, points.ids)
    assert [len(block) for block in points.blocks] == [BLOCK - 10, BLOCK]
    assert [len(block) for block in again.blocks] == [BLOCK, BLOCK - 10]
    assert points.same_as(again) and again.changed_since(points) == 0
    other = again.move([5, BLOCK + 5], [(0.0, 0.0), (1.0, 1.0)])
    assert not points.same_as(other) and other.changed_since(points) == 2


@pytest.mark.parametrize("decimals", [0, 1, 12])
def test_coincident_points_are_found(decimals: int) -> None:
    rng = np.random.default_rng(decimals)
    xy = np.round(rng.normal(size=(3000, 2)), decimals)
    xy[5], xy[9], xy[2000] = (0.0, -0.0), (-0.0, 0.0), (0.0, 1.0)
    _, first, group = np.unique(xy + 0.0, axis=0, return_index=True, return_inverse=True)
    assert np.array_equal(first_at(Points.of(xy, np.zeros(3000))), first[group.ravel()])
    apart = Points.of(np.column_stack((np.repeat([1.0, 2.0], 50), np.arange(100) / 3)), np.zeros(100))
    assert first_at(apart) is None and first_at(Points()) is None


def test_copies_have_location_and_class() -> None:
    training = Points.of([[0, 0], [0, 0], [1, 0], [2, 0]], [0, 1, 0, 0])
    test = Points.of([[0, 0], [0, 0], [1, 0], [2, 0], [3, 0], [3, 0]], [0, 2, 1, 0, 0, 0])
    assert copies(test, training) == 2 and copies(Points(), training) == 0 and copies(test, Points()) == 0
