"""The pictures of a step: the location of every part, against the formulas; and the numbers in the texts."""

from __future__ import annotations

import dataclasses
import math
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.features.step import text as words
from app.features.step.geometry import (
    SLIMMEST,
    PlotFrame,
    apart,
    box_of,
    fitted,
    free_corner,
    gain_of,
    leaves,
    shown_rows,
)
from solver import RULES, Kernel, SmoSolver, Status
from solver.inspection.step_explanation import Explanation, explain
from tests.examples import examples

KERNELS = (Kernel("linear"), Kernel("rbf", 1.0), Kernel("rbf", 30.0), Kernel("sigmoid", 2.0, 1.0))


def solver_of(seed: int, **more: Any) -> SmoSolver:
    """Return a solver of a problem with one class weight, two, or none, in turn."""
    rng = np.random.default_rng(seed)
    n = 24
    X = np.round(rng.uniform(-1.0, 1.0, (n, 2)), 1)
    y = np.where(X[:, 0] + rng.normal(0.0, 0.4, n) > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    prices = (1.0, np.where(y > 0, 6.0, 1.0), np.inf, 1e4, np.where(y > 0, np.inf, 0.5), np.where(y > 0, 0.2, 0.5))
    kernel = KERNELS[seed % len(KERNELS)]
    C: Any = prices[seed % len(prices)] if kernel.name != "sigmoid" else 1.0
    kind = {"kernel": kernel, "C": C, "selection": list(RULES)[seed % 6], **more}
    return SmoSolver(X, y, shrinking=False, **kind)


def steps(number: int = 36, each: int = 10) -> Iterator[Explanation]:
    """Return explanations of all kinds."""
    for seed in range(number):
        solver = solver_of(seed)
        for _ in range(each):
            step = explain(solver)
            if step is None:
                break
            yield step
            solver.step(1)


# -- the box -------------------------------------------------------------------------------------------------------


def test_every_part_of_the_box_is_where_the_formulas_put_it() -> None:
    kinds = set()
    for step in steps():
        box = box_of(step)
        assert box.now == (step.alpha_i, step.alpha_j) and box.after == step.after
        for location in (box.now, box.after, box.low_end, box.high_end):
            assert -1e-12 <= location[0] <= box.width * (1 + 1e-12) and -1e-12 <= location[1] <= box.height * (
                1 + 1e-12
            )
        # All on the segment y_i alpha_i + y_j alpha_j = const.
        const = step.y_i * step.alpha_i + step.y_j * step.alpha_j
        for location in (box.low_end, box.high_end, *([box.top] if box.top else [])):
            scale = 1.0 + abs(location[0]) + abs(location[1])
            assert abs(step.y_i * location[0] + step.y_j * location[1] - const) < 1e-9 * scale
        assert box.low_end[1] <= box.now[1] <= box.high_end[1]
        same = step.y_i == step.y_j
        if same:
            low, high = max(0.0, step.alpha_i + step.alpha_j - step.C_i), min(step.C_j, step.alpha_i + step.alpha_j)
        else:
            low, high = max(0.0, step.alpha_j - step.alpha_i), min(step.C_j, step.C_i + step.alpha_j - step.alpha_i)
        for end, is_end, bound in ((box.low_end, box.low_ends, low), (box.high_end, box.high_ends, high)):
            if is_end:
                assert end[1] == pytest.approx(bound, abs=1e-9)
            else:  # the segment extends beyond the drawn part
                assert not (box.bounded_i and box.bounded_j)
                at_edge = math.isclose(end[0], box.width) or math.isclose(end[1], box.height)
                assert at_edge and bound != end[1]
        # An axis is drawn up to C, or C lies beyond it.
        for extent, bounded, price in ((box.width, box.bounded_i, step.C_i), (box.height, box.bounded_j, step.C_j)):
            assert extent == price if bounded else extent < price
            kinds.add("bounded" if bounded else "none" if price == np.inf else "far")
        ratio = box.width / box.height
        assert box.to_scale is (1 / SLIMMEST <= ratio <= SLIMMEST)
        assert box.aspect == (ratio if box.to_scale else 1.0)
        kinds.add(box.to_scale)
        assert (box.top is None) is not step.curved
        if box.top is not None and not step.clipped:
            assert box.top == pytest.approx(step.after, rel=1e-9, abs=1e-12)
        # L, H, 0 and C occur once each, lowest first, with the formulas' values.
        marks = {name: value for value, names in box.labels for name in names.split(" = ")}
        assert marks == {"0": 0.0, "C": step.C_j, "L": pytest.approx(low), "H": pytest.approx(high)}
        values = [value for value, _ in box.labels]
        assert values == sorted(set(values))
    assert kinds == {"bounded", "none", "far", True, False}


def test_a_frame_keeps_the_proportions_of_the_box() -> None:
    for step in steps(12, 4):
        box = box_of(step)
        frame = fitted(box, 10.0, 20.0, 300.0, 200.0)
        assert frame.width / frame.height == pytest.approx(box.aspect)
        assert frame.left >= 10 and frame.top >= 20 and frame.left + frame.width <= 310.000001
        assert frame.top + frame.height <= 220.000001 and (frame.width > 299 or frame.height > 199)
        assert frame.at((0.0, 0.0)) == pytest.approx((frame.left, frame.top + frame.height))
        assert frame.at((box.width, box.height)) == pytest.approx((frame.left + frame.width, frame.top))
        assert frame.at((0.25 * box.width, 0.5 * box.height)) == pytest.approx(
            (frame.left + 0.25 * frame.width, frame.top + 0.5 * frame.height)
        )


def test_the_hard_margin_is_an_open_square() -> None:
    solver = solver_of(1, C=np.inf, kernel=Kernel("rbf"), selection="second-order")
    solver.step(3)
    step = explain(solver)
    assert step is not None
    box = box_of(step)
    assert not box.bounded_i and not box.bounded_j and box.width == box.height and box.to_scale
    assert max(step.alpha_i, step.alpha_j, *step.after) < box.width < np.inf
    if step.y_i != step.y_j:
        assert box.labels[-1] == (np.inf, "H = C") and not box.high_ends


# -- the parabola --------------------------------------------------------------------------------------------------


def test_the_parabola_is_the_dual_along_the_segment() -> None:
    inside = outside = without = limited = 0
    for seed in range(48):
        solver = solver_of(seed)
        at = np.asarray(np.round(np.random.default_rng(seed).uniform(-1.0, 1.0, (24, 2)), 1)) - solver.centre
        K = solver.kernel.gram(at, at)
        for _ in range(5):
            step = explain(solver)
            if step is None:
                break
            gain = gain_of(step)
            beta = solver.beta.copy()

            def dual(length: float, beta: Any = beta, step: Any = step, K: Any = K, y: Any = solver.y) -> float:
                moved = beta.copy()
                moved[step.i] += length
                moved[step.j] -= length
                return float(y @ moved - 0.5 * moved @ K @ moved)  # sum alpha = y beta

            for length, value in gain.curve[::4]:
                rise = dual(length) - dual(0.0)
                assert value == pytest.approx(rise, rel=1e-6, abs=1e-9 * (1 + abs(dual(0.0))))
            assert gain.left < 0.0 < step.step < gain.right
            assert gain.bottom <= min(0.0, step.gain) and gain.top >= step.gain
            low, high = gain.limits
            assert (low is None) is (-gain.left < step.back) and (high is None) is (gain.right < step.longest)
            assert high is None or high == step.longest
            limited += high is not None
            if step.curved:
                assert gain.vertex == (step.unclipped, step.gain_unclipped)
                assert gain.vertex_inside is (step.unclipped <= gain.right)
                assert not gain.vertex_inside or gain.top >= step.gain_unclipped
                inside, outside = inside + gain.vertex_inside, outside + (not gain.vertex_inside)
            else:
                assert gain.vertex is None
                without += 1
            texts = dict(words.ticks(step, gain))
            assert set(texts) >= {step.step, 0.0}
            if high == step.step:
                assert texts[step.step].startswith("L: " if step.y_j > 0 else "H: ")
            solver.step(1)
    assert inside > 20 and outside > 10 and without > 3 and limited > 50


# -- pixels --------------------------------------------------------------------------------------------------------

_number = st.integers(-200, 200).map(lambda number: 0.7 * number)


@examples(50)
@given(st.tuples(st.floats(1, 99), st.floats(1, 49)), st.tuples(_number, _number))
def test_an_arrow_ends_at_the_edge(start: tuple[float, float], end: tuple[float, float]) -> None:
    location, cut = leaves(start, end, 0.0, 0.0, 100.0, 50.0)
    assert cut is not (0 <= end[0] <= 100 and 0 <= end[1] <= 50)
    assert -1e-9 <= location[0] <= 100 + 1e-9 and -1e-9 <= location[1] <= 50 + 1e-9
    across = (location[0] - start[0]) * (end[1] - start[1]) - (location[1] - start[1]) * (end[0] - start[0])
    assert abs(across) < 1e-6
    if cut:
        assert min(location[0], 100 - location[0], location[1], 50 - location[1]) < 1e-9
    else:
        assert location == pytest.approx(end)


@examples(50)
@given(st.lists(st.floats(0, 100), max_size=4).map(sorted))
def test_labels_keep_apart(locations: list[float]) -> None:
    moved = apart(locations, 15.0, 0.0, 100.0)
    assert all(b - a >= 15.0 - 1e-9 for a, b in pairwise(moved))
    assert all(-1e-9 <= each <= 100 + 1e-9 for each in moved)
    if all(b - a >= 15.0 for a, b in pairwise(locations)):
        assert moved == pytest.approx(locations)


@examples(50)
@given(st.integers(1, 24), st.integers(0, 23), st.integers(-2, 30))
def test_the_chosen_bar_is_always_shown(total: int, chosen: int, room: int) -> None:
    chosen = min(chosen, total - 1)
    rows = shown_rows(total, chosen, room)
    assert len(rows) == max(1, min(total, room)) and chosen in rows and rows == sorted(set(rows))
    assert rows[:-1] == list(range(len(rows) - 1))


def test_notes_stand_in_the_corner_that_is_free() -> None:
    frame = PlotFrame(0.0, 0.0, 100.0, 100.0, 0.0, 1.0, 0.0, 1.0)
    assert free_corner(frame, (0.0, 100.0), (100.0, 0.0)) == (0.0, 0.0)
    assert free_corner(frame, (0.0, 50.0), (50.0, 100.0)) == (100.0, 0.0)
    assert free_corner(frame, (0.0, 50.0), (50.0, 0.0)) == (100.0, 100.0)
    assert free_corner(frame, (80.0, 100.0), (100.0, 20.0)) == (0.0, 0.0)


# -- words ---------------------------------------------------------------------------------------------------------


def value_of(text: str) -> float:
    return float(text.replace("−", "-").replace("(", "").replace(")", "").replace("∞", "inf"))


def test_the_formulas_are_filled_in_with_the_numbers_of_the_step() -> None:
    clipped = free = 0
    for step in steps():
        if not step.curved:
            assert "no top" in words.length(step) and "no top" in words.gain_line(step)
            assert f"λ = {words.number(step.step)}" in words.clipping(step)
            continue
        found = re.fullmatch(r"= \((\S+) − (\(?\S+?\)?)\) / (\S+) = (\S+),", words.length(step))
        assert found is not None, words.length(step)
        v_i, v_j, eta, unclipped = (value_of(text) for text in found.groups())
        assert unclipped == pytest.approx(step.unclipped, rel=0.051)  # two digits in 1.7e-4
        assert v_i - v_j == pytest.approx(step.v_i - step.v_j, rel=0.011)
        assert eta == pytest.approx(step.eta, rel=0.051)
        if step.clipped:
            clipped += 1
            end = re.fullmatch(r"clipped to (\S+) by (.+)", words.clipping(step))
            assert end is not None and value_of(end[1]) == pytest.approx(step.step, rel=0.051)
            names = {"αᵢ": (step.after[0], step.C_i), "αⱼ": (step.after[1], step.C_j)}
            for shown in end[2].split(" and "):
                name, bound = shown.split(" = ")
                value, price = names[name]
                assert value == (0.0 if bound == "0" else price)
                assert bound in ("0", "C" if step.C_i == step.C_j else f"C{name[1]}")
            assert words.gain_line(step) == (
                f"Gain {words.number(step.gain)}; clipping costs {words.number(step.gain_unclipped - step.gain)}"
            )
        else:
            free += 1
            assert words.clipping(step) == "which lies within the box"
            assert words.gain_line(step) == f"Gain {words.number(step.gain)}; the step was not shortened"
        sums = re.fullmatch(r"Kᵢᵢ \+ Kⱼⱼ − 2Kᵢⱼ = (\S+) \+ (\S+) − 2·(\S+) = (\S+)", words.curvature(step))
        assert sums is not None
        k_ii, k_jj, k_ij, total = (value_of(text) for text in sums.groups())
        assert (k_ii, k_jj, k_ij) == pytest.approx((step.k_ii, step.k_jj, step.k_ij), rel=0.01, abs=0.01)
        assert total == pytest.approx(step.curvature, rel=0.051)
        *changes, limits = words.moves(step)
        for text, wanted in zip(
            re.findall(r"[−\d.e]*\d|∞", " ".join([*changes, limits])),
            (step.alpha_i, step.after[0], step.alpha_j, step.after[1], step.low, step.high),
            strict=True,
        ):
            assert value_of(text) == pytest.approx(wanted, rel=0.051, abs=1e-12)
        first = re.findall(r"[−\d.e]*\d", " ".join(changes))
        assert (first[0] != first[1]) and (first[2] != first[3])
    assert clipped > 60 and free > 60


def test_numbers_have_the_digits_that_distinguish_them() -> None:
    assert words.alike((1.0, -1.0)) == ["1.00", "−1.00"]
    assert words.alike((0.432131, 0.430982)) == ["0.43213", "0.43098"]
    assert words.alike((0.5, 0.5)) == ["0.500", "0.500"]
    assert words.alike((120.0, 80.0)) == ["120.0", "80.0"]
    assert words.alike((1e12, 1.0)) == ["1.0e12".replace(".0", ""), "1"]
    assert words.alike((0.0, 0.0)) == ["0.0", "0.0"] and words.alike(()) == []
    assert words.alike((math.inf, 1.0))[0] == "∞"
    assert words.ranked([1.5, 1.5, 1.25, -2.0]) == ["1.50", "1.50", "1.25", "−2.00"]
    assert words.ranked([-0.00358, -0.00421, -0.147]) == ["−0.00358", "−0.00421", "−0.14700"]
    assert words.ranked([4.9e-7, 3.7e-7]) == ["4.9e−7", "3.7e−7"] and words.ranked([29.1, 14.8]) == ["29.1", "14.8"]
    assert words.ranked([]) == [] and words.ranked([2.0]) == ["2.00"] and words.ranked([1e12, 1.0])[0] == "1e12"


@pytest.mark.parametrize(
    ("status", "shown"),
    [
        (Status.OPTIMAL, "Optimal: no pair is left that could raise the dual by more than the tolerance allows (m − M"),
        (Status.STATIONARY, "Stationary: no pair is left"),
        (Status.PRECISION, "Double precision ends here"),
        (Status.STOPPED_EARLY, "Stopped early: pairs are left"),
        (Status.RUNNING, ""),
        (Status.NOT_SEPARABLE, "Not separable: the dual rises"),
    ],
)
def test_the_end_of_a_run_in_words(status: Status, shown: str) -> None:
    certificate = dataclasses.replace(solver_of(0).certificate(), status=status, kkt_violation=5e-4, margin_bound=0.25)
    text = words.ended(certificate, 1e-3)
    assert text.startswith(shown) and bool(text) is bool(shown)
    assert status is not Status.OPTIMAL or "5e−4 ≤ 1e−3" in text
    assert status is not Status.NOT_SEPARABLE or "0.25" in text
