"""Traces: every note is kept and found again, within bounded memory and time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from solver.core import trace
from solver.core.trace import FACTOR, LANDMARKS, Trace, TraceView
from tests.examples import examples

Array = NDArray[np.float64]
NAMES = ("first", "second")


def filled(notes: Array, changes: NDArray[np.int64], cuts: list[int], limit: int = trace.LIMIT) -> Trace:
    """Return a trace that received the notes in portions, and was read between some of them."""
    made = Trace(NAMES[: notes.shape[1]], np.full(notes.shape[1], 0.5), limit)
    begin, turn = 0, 0
    while begin < len(notes):
        end = begin + cuts[turn % len(cuts)]
        made.append(notes[begin:end], changes[begin:end])
        if turn % 3 == 0:
            made.view()
        begin, turn = end, turn + 1
    return made


def noise(n: int, seed: int, n_names: int = 2) -> tuple[Array, NDArray[np.int64]]:
    """Return notes with rare peaks, and rare changes."""
    rng = np.random.default_rng(seed)
    notes = rng.normal(size=(n, n_names)) * np.where(rng.random((n, n_names)) < 0.01, 50.0, 1.0)
    return notes, np.where(rng.random(n) < rng.choice([0.0, 0.002, 0.3]), rng.integers(1, 3, n), 0)


def check(view: TraceView, notes: Array, changes: NDArray[np.int64], edges: NDArray[np.int64]) -> None:
    """Check that the envelope has the true extremes of each cell, and none beyond those of the cell widened by an
    eighth.
    """
    n = len(notes)
    for k, name in enumerate(view.names):
        low, high = view.extremes(name, edges)
        for c, (first, last) in enumerate(pairwise(edges)):
            inside = notes[max(first, 0) : max(0, min(last, n)), k]
            if first < 0 <= last:
                inside = np.append(inside, 0.5)
            if not len(inside):
                assert np.isnan(low[c]) and np.isnan(high[c])
                continue
            assert low[c] <= inside.min() and inside.max() <= high[c]
            width = min(last, n) - max(first, 0)
            margin = width // 8 if width >= 8 * FACTOR * view.bucket else view.bucket - 1
            around = notes[max(0, max(first, 0) - margin) : min(last, n) + margin, k]
            if first < 0 <= last:
                around = np.append(around, 0.5)
            assert around.min() <= low[c] and high[c] <= around.max()
            if margin == 0:
                assert low[c] == inside.min() and high[c] == inside.max()
    marked = view.changes(edges)
    for c, (first, last) in enumerate(pairwise(edges)):
        width = min(last, n) - max(first, 0)
        margin = max(0, width // 8 if width >= 8 * FACTOR * view.bucket else view.bucket - 1)
        assert marked[c] >= changes[max(first, 0) : max(last, 0)].any()
        assert marked[c] <= changes[max(0, first - margin) : max(last, 0) + margin].any()


@examples(60)
@given(
    n=st.integers(0, 6000),
    seed=st.integers(0, 99),
    cuts=st.lists(st.integers(1, 700), min_size=1, max_size=5),
    limit=st.sampled_from([trace.LIMIT, 2000, 100, 3]),
    n_cells=st.integers(1, 40),
    data=st.data(),
)
def test_the_envelope_holds_every_note(
    n: int, seed: int, cuts: list[int], limit: int, n_cells: int, data: st.DataObject
) -> None:
    notes, changes = noise(n, seed)
    view = filled(notes, changes, cuts, limit).view()
    assert view.length == n
    assert view.bucket == 1 or n > limit
    assert len(view.levels[0].changes) <= limit or len(view.levels) == 1
    ends = sorted(data.draw(st.lists(st.integers(-5, n + 50), min_size=2, max_size=2)))
    check(view, notes, changes, np.unique(np.linspace(*ends, n_cells + 1).astype(np.int64)))
    check(view, notes, changes, np.array([-1, n]))


@examples(60)
@given(n=st.integers(1, 3000), seed=st.integers(0, 99), limit=st.sampled_from([trace.LIMIT, 100]), data=st.data())
def test_changes_are_found_both_ways(n: int, seed: int, limit: int, data: st.DataObject) -> None:
    notes, changes = noise(n, seed)
    view = filled(notes, changes, [97], limit).view()
    at = data.draw(st.integers(-3, n + 3))
    steps = np.flatnonzero(changes) + 1
    after, before = steps[steps > at], steps[steps < at]
    found = view.next_change(at)
    if view.bucket == 1:
        assert found == ((after[0], after[0]) if len(after) else None)
    elif len(after):
        assert found is not None and at < found[0] <= after[0] and found[1] - found[0] < view.bucket
    if found is not None:  # named steps, and none beyond the requested one is skipped
        assert max(at, 0) < found[0] <= found[1] <= n
        assert not len(after) or after[0] >= found[0]
    found = view.previous_change(at)
    if view.bucket == 1:
        assert found == ((before[-1], before[-1]) if len(before) else None)
    elif len(before):
        assert found is not None and before[-1] <= found[1] < at and found[1] - found[0] < view.bucket


def test_a_change_far_away_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trace, "SEARCHED", 10)
    notes, changes = np.zeros((1000, 1)), np.zeros(1000, dtype=np.int64)
    changes[[4, 899]] = 1
    view = filled(notes, changes, [50]).view()
    for at, following, previous in (
        (0, 5, None),
        (4, 5, None),
        (5, 900, None),
        (6, 900, 5),
        (899, 900, 5),
        (900, None, 5),
        (901, None, 900),
    ):
        assert view.next_change(at) == (following and (following, following))
        assert view.previous_change(at) == (previous and (previous, previous))
    assert view.next_change(5000) is None
    assert view.previous_change(5000) == (900, 900)


def test_each_note_is_found_as_it_was_and_the_start_too() -> None:
    notes, changes = noise(500, 1)
    view = filled(notes, changes, [1, 64]).view()
    assert all(view.at("second", step) == (notes[step - 1, 1],) * 2 for step in range(1, 501))
    assert view.at("first", 0) == view.at("first", -4) == (0.5, 0.5)
    assert view.at("first", 10_000) == (notes[-1, 0],) * 2
    assert [level.bucket for level in view.levels] == [1, 16, 256, 4096, 65536]


def test_of_a_long_run_the_extremes_about_a_step_stay() -> None:
    notes, changes = noise(1000, 2)
    view = filled(notes, changes, [33], limit=50).view()
    assert view.bucket == 256
    low, high = view.at("first", 300)
    assert (low, high) == (notes[256:512, 0].min(), notes[256:512, 0].max())


def test_entries_stay_except_the_newest() -> None:
    notes, changes = noise(5000, 3)
    made = filled(notes[:2000], changes[:2000], [100])
    early = made.view()
    copies = [(level.low.copy(), level.changes.copy()) for level in early.levels]
    for start in range(2000, 5000, 37):
        made.append(notes[start : start + 37], changes[start : start + 37])
        made.view()
    for level, (low, counts) in zip(early.levels, copies, strict=True):
        whole = 2000 // level.bucket
        assert np.array_equal(level.low[:, :whole], low[:, :whole])
        assert np.array_equal(level.changes[:whole], counts[:whole])


def test_without_names_changes_are_kept() -> None:
    made = Trace((), np.empty(0), limit=20)
    for step in range(100):
        made.append(np.empty((1, 0)), np.array([step == 70], dtype=np.int64))
    view = made.view()
    assert view.bucket == 16
    assert view.next_change(0) == (65, 80)
    assert view.changes([0, 64, 80, 100]).tolist() == [False, True, False]


def test_memory_is_bounded() -> None:
    made = Trace(NAMES, np.zeros(2), limit=1000)
    biggest = 0
    for _ in range(400):
        made.append(np.ones((1000, 2)), np.zeros(1000, dtype=np.int64))
        biggest = max(biggest, made.nbytes)
    # At most two levels are large: the finest and, a sixteenth of it, the next; buffers may be half empty.
    assert biggest < 2 * 1000 * 5 * 8 * 17 / 16 + 5 * 256 * 5 * 8
    assert made.view().length == 400_000


def test_landmarks_rise_and_the_tightest_bound_stays() -> None:
    made = Trace(NAMES, np.zeros(2))
    for step, primal in ((5, 9.0), (2, 8.0), (5, 7.0), (5, 8.0), (9, np.inf)):
        made.mark(step, 1.0, primal, 0.5)
    assert made.view().landmarks[:, [0, 2]].tolist() == [[2.0, 8.0], [5.0, 7.0], [9.0, np.inf]]


def test_many_landmarks_are_thinned_but_for_the_first_and_the_newest() -> None:
    made = Trace(NAMES, np.zeros(2))
    for step in range(2 * LANDMARKS):
        made.mark(step, 1.0, 2.0, 0.5)
    steps = made.view().landmarks[:, 0]
    assert len(steps) <= LANDMARKS
    assert steps[0] == 0 and steps[-1] == 2 * LANDMARKS - 1
    assert (np.diff(steps) > 0).all() and np.diff(steps).max() <= 4
