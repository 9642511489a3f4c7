"""A perceptron for other orders of the points: against scikit-learn, each run by itself, lines in a
rectangle, words.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from numpy.typing import NDArray
from sklearn import svm
from sklearn.linear_model import Perceptron as TheirPerceptron

from app.learners import perceptron_orders as module
from app.learners.perceptron_orders import Orders, clipped, margin_of, of_orders, other_orders
from app.state.document import PerceptronSettings
from solver import Grid, PerceptronSolver, Status
from solver.data.datasets import generate
from tests.covering import first_of
from tests.examples import examples

Array = NDArray[np.float64]
GRID = Grid(-1.0, 3.0, -2.0, 1.0, 40, 30)


def apart(n: int = 40, seed: int = 0, gap: float = 0.2, shift: float = 0.3) -> tuple[Array, Array]:
    """Return two classes with a gap between them."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-1.0, 1.0, (n, 2))
    u = np.array([math.cos(seed), math.sin(seed)])
    f = X @ u - shift
    y = np.where(f > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    return X + np.maximum(0.0, gap - y * f)[:, None] * y[:, None] * u, y


def last(X: Array, y: Array, settings: PerceptronSettings) -> Orders:
    found = [each for each in other_orders(X, y, settings) if each is not None]
    for before, after in pairwise(found):
        assert (after.weights[: len(before.weights)] == before.weights).all(), "what was found stays"
        assert not before.complete
    assert found[-1].complete
    return found[-1]


@pytest.mark.parametrize("shuffle", [True, False])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_each_run_is_a_perceptron_by_itself(shuffle: bool, fit_intercept: bool) -> None:
    X, y = apart(shift=0.3 if fit_intercept else 0.0)
    found = last(X, y, PerceptronSettings(fit_intercept, shuffle, 5, 1000, 8))
    for run in range(8):
        order = np.arange(40) if shuffle else np.random.default_rng(6 + run).permutation(40)
        solver = PerceptronSolver(
            X[order], y[order], fit_intercept=fit_intercept, shuffle=shuffle, random_state=6 + run
        )
        assert solver.run() is Status.OPTIMAL
        assert found.weights[run].tolist() == [*solver.coef.tolist(), solver.intercept]
        assert found.mistakes[run] == solver.n_iter and found.rested[run]
        distance = np.abs(X @ solver.coef + solver.intercept) / np.linalg.norm(solver.coef)
        assert found.margins[run] == pytest.approx(distance.min())
    assert len(found.weights) == 8 and len({tuple(w) for w in found.weights.tolist()}) == 8, "many lines separate"
    assert (found.margins > 0).all() and (found.margins <= found.widest_margin * (1 + 1e-6)).all()
    assert fit_intercept == bool(found.widest[2] != 0)


def test_the_rule_is_that_of_scikit_learn() -> None:
    X, y = apart()
    found = last(X, y, PerceptronSettings(shuffle=False, random_state=3, orders=4))
    for run in range(4):
        order = np.random.default_rng(4 + run).permutation(40)
        theirs = TheirPerceptron(shuffle=False, tol=None, max_iter=1000).fit(X[order], y[order])
        assert found.weights[run] == pytest.approx([*theirs.coef_[0], theirs.intercept_[0]])


@pytest.mark.parametrize("seed", first_of(range(6), 2))
def test_the_widest_line_is_that_of_libsvm(seed: int) -> None:
    X, y = apart(60, seed, gap=0.05 * (1 + seed))
    found = last(X, y, PerceptronSettings(orders=3))
    theirs = svm.SVC(C=1e6, kernel="linear", tol=1e-4).fit(X, y)
    assert found.widest_margin == pytest.approx(1 / np.linalg.norm(theirs.coef_[0]), rel=1e-3)
    line = np.append(theirs.coef_[0], theirs.intercept_[0])
    assert found.widest / np.linalg.norm(found.widest[:2]) == pytest.approx(line / np.linalg.norm(line[:2]), abs=1e-3)
    assert found.separable
    # None of very many directions is better.
    angles = np.linspace(0, 2 * np.pi, 100_000)
    f = np.column_stack((np.cos(angles), np.sin(angles))) @ X.T
    best = 0.5 * (f[:, y > 0].min(axis=1) - f[:, y < 0].max(axis=1)).max()
    assert best * (1 - 1e-6) <= found.widest_margin <= best + 1e-4
    # Lines through the origin.
    X, y = apart(60, seed, gap=0.1, shift=0.0)
    found = last(X, y, PerceptronSettings(False, orders=1))
    best = (y * (np.column_stack((np.cos(angles), np.sin(angles))) @ X.T)).min(axis=1).max()
    assert best * (1 - 1e-9) <= found.widest_margin <= best + 1e-4 and found.widest[2] == 0.0


def test_classes_that_no_line_separates() -> None:
    X, labels = generate("moons", 30, noise=0.3, seed=1)
    y = np.where(labels > 0, 1.0, -1.0)
    for intercept in (True, False):
        found = last(X, y, PerceptronSettings(intercept, max_iter=20, orders=5))
        assert found.separable is False and found.widest is None and math.isnan(found.widest_margin)
        assert len(found.weights) == len(found.lines(GRID)) == len(found.widest_line(GRID)) == 0
        line = "line" if intercept else "line through the origin"
        assert of_orders(found) == f"No {line} separates the classes: with no order would a perceptron stop"


def test_orders_that_are_given_too_little_time() -> None:
    X, y = apart(gap=0.01)
    early = last(X, y, PerceptronSettings(max_iter=1, orders=5))
    assert early.separable and early.widest is not None and not early.rested.any()
    assert len(early.lines(GRID)) == 0 and len(early.lines(GRID, rested=False)) > 0
    assert early.margins.max() <= 0 and of_orders(early) == "5 orders: none comes to rest in time"


def test_a_stopped_search_claims_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_UPDATES", 1)
    found = last(*apart(gap=0.02, seed=2), PerceptronSettings(orders=2))
    assert found.separable is None and found.widest is None and found.complete and found.rested.all()
    assert of_orders(found).startswith("2 orders: ") and "widest" not in of_orders(found)


def test_nothing_is_done_for_no_orders() -> None:
    assert list(other_orders(*apart(), PerceptronSettings())) == []


def test_the_work_is_cut_into_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    X, y = apart(60, gap=0.05)
    whole = last(X, y, PerceptronSettings(orders=3))
    monkeypatch.setattr(module, "PIECE", 0.0)
    pieces = list(other_orders(X, y, PerceptronSettings(orders=3)))
    assert pieces.count(None) > 10
    cut = pieces[-1]
    assert cut is not None and (cut.weights == whole.weights).all() and (cut.widest == whole.widest).all()


# -- lines in a rectangle ----------------------------------------------------------------------------------------------


NUMBER = st.floats(-5.0, 5.0, allow_subnormal=False)


@examples(300)
@given(st.tuples(NUMBER, NUMBER, NUMBER))
def test_a_clipped_line_is_the_part_of_it_inside(line: tuple[float, float, float]) -> None:
    weights = np.array([line])
    norm = np.hypot(*line[:2])
    ends = clipped(weights, GRID)
    corners = np.array([[x, y] for x in (-1.0, 3.0) for y in (-2.0, 1.0)])
    with np.errstate(over="ignore"):
        f = (corners @ weights[0, :2] + line[2]) / norm if norm > 0 else np.zeros(4)
    if norm == 0:
        assert len(ends) == 0
    elif len(ends) == 0:
        assert f.min() >= -1e-9 or f.max() <= 1e-9, "it misses the rectangle"
    else:
        assert f.min() <= 1e-9 and f.max() >= -1e-9
        for x, y in ends[0]:
            assert abs(weights[0, 0] * x + weights[0, 1] * y + line[2]) / norm < 1e-9, "on the line"
            assert -1 - 1e-9 <= x <= 3 + 1e-9 and -2 - 1e-9 <= y <= 1 + 1e-9
            assert min(abs(x + 1), abs(x - 3), abs(y + 2), abs(y - 1)) < 1e-9, "at the edge"


def test_upright_and_level_lines() -> None:
    weights = np.array([[1.0, 0.0, -0.5], [0.0, 2.0, 1.0], [1.0, 0.0, 5.0], [0.0, -1.0, 4.0], [0.0, 0.0, 1.0]])
    ends = clipped(weights, GRID)
    assert sorted(map(tuple, ends[0].tolist())) == [(0.5, -2.0), (0.5, 1.0)]
    assert sorted(map(tuple, ends[1].tolist())) == [(-1.0, -0.5), (3.0, -0.5)]
    assert len(ends) == 2 and clipped(np.empty((0, 3)), GRID).shape == (0, 2, 2)


def test_the_margin_of_a_line() -> None:
    X, y = np.array([[0.0, 2.0], [0.0, -1.0]]), np.array([1.0, -1.0])
    assert margin_of(np.array([0.0, 3.0, 0.0]), X, y) == 1.0
    assert margin_of(np.array([0.0, -3.0, 0.0]), X, y) == -2.0
    assert math.isnan(margin_of(np.zeros(3), X, y))


# -- words -------------------------------------------------------------------------------------------------------------


def known(margins: list[float], mistakes: list[int], rested: list[bool], asked: int = 0, **rest: object) -> Orders:
    n = len(margins)
    return replace(
        Orders(asked or n, np.ones((n, 3)), np.array(margins), np.array(mistakes), np.array(rested, dtype=bool)),
        **rest,  # type: ignore[arg-type]
    )


def test_the_sentences() -> None:
    three = ([0.09, 0.01, 0.05], [60, 17, 20], [True] * 3)
    end = {"widest": np.ones(3), "widest_margin": 0.12, "separable": True}
    assert of_orders(known(*three, **end)) == (
        "3 orders: 17 to 60 mistakes, margins 0.02 to 0.18; the widest possible is 0.24"
    )
    assert of_orders(known(*three, **end, fit_intercept=False)).endswith("; the widest through the origin is 0.24")
    assert of_orders(known(*three, asked=20)) == "3 of 20 orders: 17 to 60 mistakes, margins 0.02 to 0.18"
    some = known([0.09, -1.0, 0.05], [60, 999, 60], [True, False, True], **end)
    assert of_orders(some) == "3 orders, 2 at rest: 60 mistakes, margins 0.1 to 0.18; the widest possible is 0.24"
    assert of_orders(known([0.05], [1], [True])) == "1 order: 1 mistake, margin 0.1"
    assert of_orders(known([], [], [], asked=3)) == ""
    assert of_orders(known([], [], [], asked=3, **end)) == "the widest margin possible is 0.24"
    assert of_orders(known([-1.0], [9], [False])) == "1 order: it does not come to rest in time"
    assert of_orders(known([-1.0, -1.0], [9, 9], [False] * 2, **end)) == "2 orders: none comes to rest in time"
