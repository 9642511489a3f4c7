"""KNeighborsClassifier against the tie rule in pure Python, and scikit-learn where nothing ties."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.neighbors import KNeighborsClassifier as Reference

from solver.knn import _knn_grid as grid
from solver.knn import _knn_loops as loops
from solver.knn.neighbors import KNeighborsClassifier
from tests.covering import pairwise_params
from tests.examples import examples
from tests.solver.inside import index_of
from tests.without_compiler import machine_code

WEIGHTS = ("uniform", "distance", "distance-squared")
METRICS = (("euclidean", 2.0), ("manhattan", 2.0), ("chebyshev", 2.0), ("minkowski", 3.0), ("cosine", 2.0))
EPS = float(np.finfo(np.float64).eps)
# Blue (class 0) and orange (class 1) of the worked example, and its query.
EXAMPLE = [(-3, -1), (-1, -2), (2, -2), (-1, 2), (1, 1), (-2, 1)]
EXAMPLE_Y = [0, 0, 0, 1, 1, 1]
EXAMPLE_QUERY = [[-1, -1]]


def as_compared(x: Sequence[float], z: Sequence[float], metric: str, p: float) -> float:
    """Return the distance of the tie rule, one float operation after another."""
    differences = [abs(a - b) for a, b in zip(x, z, strict=True)]
    if metric == "euclidean":
        total = 0.0
        for t in differences:
            total += t * t
        return total
    if metric == "manhattan":
        return float(sum(differences))
    if metric == "chebyshev":
        return max(differences)
    if metric == "minkowski":
        largest = max(differences)
        if largest == 0:
            return 0.0
        if p == int(p) and p <= 64 and abs(math.log2(largest)) < 1000 / p:
            return math.pow(sum(whole_power(t, int(p)) for t in differences), 1 / p)
        return largest * math.pow(sum(math.pow(t / largest, p) for t in differences), 1 / p)
    dot = own = other = 0.0
    for a, b in zip(x, whole_direction(z), strict=True):
        dot, own, other = dot + a * b, own + a * a, other + b * b
    cosine = 1.0 - dot / math.sqrt(own * other) if own * other > 0 else 1.0
    return cosine if cosine > (len(x) + 4) * EPS else 0.0


def whole_power(t: float, p: int) -> float:
    """Return t^p by multiplications: t^3 = t (t t)."""
    value = 1.0
    while p:
        value, t, p = (value * t if p % 2 else value), t * t, p // 2
    return value


def whole_direction(z: Sequence[float]) -> list[float]:
    """Return the shortest vector of whole numbers in the direction of `z`."""
    parts = [Fraction(value) for value in z]
    scale = math.lcm(*(part.denominator for part in parts))
    whole = [int(part * scale) for part in parts]
    divisor = math.gcd(*whole) or 1
    return [float(value // divisor) for value in whole]


def true_distance(d: float, metric: str) -> float:
    return math.sqrt(d) if metric == "euclidean" else d


def vote(query: Any, X: Any, y: Any, k: int, weights: str, metric: str, p: float, n_classes: int) -> list[Fraction]:
    """Return the shares under the tie rule in exact arithmetic, from distances as float64 rounds them."""
    d = [as_compared(list(map(float, query)), list(map(float, z)), metric, p) for z in X]
    kth = sorted(d)[k - 1]
    room = Fraction(k - sum(v < kth for v in d), sum(v == kth for v in d))
    shares = [Fraction(0)] * n_classes
    for value, c in zip(d, y, strict=True):
        part = Fraction(1) if value < kth else room if value == kth else Fraction(0)
        if weights != "uniform" and min(d) == 0:
            part = Fraction(int(value == 0))
        elif part and weights == "distance":
            part /= Fraction(true_distance(value, metric))
        elif part and weights == "distance-squared":
            part /= Fraction(value) if metric == "euclidean" else Fraction(value) ** 2
        shares[c] += part
    return [s / sum(shares) for s in shares]


def rounded(shares: list[list[Fraction]]) -> np.ndarray:
    return np.array([[float(s) for s in row] for row in shares])  # float() of a Fraction is correctly rounded


def at_grid(xs: np.ndarray, ys: np.ndarray) -> np.ndarray:
    return np.array([(x, y) for y in ys for x in xs], dtype=float).reshape(-1, 2)


def check_picture(model: KNeighborsClassifier, xs: Any, ys: Any) -> np.ndarray:
    """Return the picture, after checking that all four ways to compute it are equal."""
    xs, ys = np.asarray(xs, dtype=float), np.asarray(ys, dtype=float)
    surface = model.surface(xs, ys)
    assert surface.shape == (len(ys), len(xs), len(model.classes_))
    np.testing.assert_array_equal(model.predict_proba(at_grid(xs, ys)), surface.reshape(-1, surface.shape[2]))
    rows = model.surface_on(xs)
    np.testing.assert_array_equal(np.concatenate([rows(ys[:3]), rows(ys[3:])]), surface)
    top, share, tie = model.surface_classes_on(xs)(ys)
    np.testing.assert_array_equal(top, surface.argmax(axis=2))
    np.testing.assert_array_equal(share, surface.max(axis=2))
    np.testing.assert_array_equal(tie, (surface == share[..., None]).sum(axis=2) > 1)
    with machine_code(False):
        plain = model.surface_on(xs)(ys)
        again = model.surface_classes_on(xs)(ys)
    if model.weights == "uniform":
        np.testing.assert_array_equal(plain, surface)
    else:
        np.testing.assert_allclose(plain, surface, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(again.top, plain.argmax(axis=2))
    np.testing.assert_array_equal(again.share, plain.max(axis=2))
    np.testing.assert_array_equal(again.tie, (plain == again.share[..., None]).sum(axis=2) > 1)
    assert again.top.dtype == top.dtype == (np.uint8 if len(model.classes_) <= 256 else np.int64)
    return surface


# The worked example


def test_worked_example_unweighted() -> None:
    blue = [Fraction(1), Fraction(1), Fraction(2, 3), Fraction(1, 2), Fraction(2, 5), Fraction(1, 2)]
    for k, share in enumerate(blue, start=1):
        model = KNeighborsClassifier(k).fit(EXAMPLE, EXAMPLE_Y)
        for compiled in (True, False):
            with machine_code(compiled):
                assert model.predict_proba(EXAMPLE_QUERY)[0, 0] == float(share)
        assert model.predict(EXAMPLE_QUERY)[0] == (1 if k == 5 else 0)
        assert bool(model.surface_classes_on([-1.0])([-1.0]).tie[0, 0]) == (k in (4, 6))


def test_worked_example_inverse_square() -> None:
    scores = [(1, 0), (1.25, 0), (1.25, 0.2), (1.25, 0.325), (1.25, 0.325 + 1 / 9), (1.35, 0.325 + 1 / 9)]
    for k, (blue, orange) in enumerate(scores, start=1):
        model = KNeighborsClassifier(k, "distance-squared").fit(EXAMPLE, EXAMPLE_Y)
        for compiled in (True, False):
            with machine_code(compiled):
                shares = model.predict_proba(EXAMPLE_QUERY)[0]
            np.testing.assert_allclose(shares, [blue / (blue + orange), orange / (blue + orange)], rtol=1e-15)
        assert model.predict(EXAMPLE_QUERY)[0] == 0


def test_worked_example_neighbors() -> None:
    distances, indices = KNeighborsClassifier(6).fit(EXAMPLE, EXAMPLE_Y).kneighbors(EXAMPLE_QUERY)
    np.testing.assert_array_equal(distances[0] ** 2, np.sqrt([1, 4, 5, 8, 9, 10]) ** 2)
    assert indices[0].tolist() == [1, 0, 5, 4, 3, 2]


# The tie rule against exact arithmetic

coordinate = st.integers(-3, 3)
training_sets = st.lists(st.tuples(coordinate, coordinate, st.integers(0, 2)), min_size=1, max_size=14)


@examples(150)
@given(data=training_sets, k=st.integers(1, 14), weights=st.sampled_from(WEIGHTS), metric=st.sampled_from(METRICS))
def test_integer_grids(data: list[tuple[int, int, int]], k: int, weights: str, metric: tuple[str, float]) -> None:
    X = [row[:2] for row in data]
    y = [row[2] for row in data]
    k = min(k, len(X))
    model = KNeighborsClassifier(k, weights, *metric).fit(X, y)
    xs = ys = np.arange(-4.0, 5.0)
    surface = check_picture(model, xs, ys).reshape(81, -1)
    expected = rounded([vote(q, X, y, k, weights, *metric, n_classes=3) for q in at_grid(xs, ys)])
    expected = expected[:, np.unique(y)]
    if weights == "uniform":
        np.testing.assert_array_equal(surface, expected)
    else:
        np.testing.assert_allclose(surface, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_array_equal(model.predict(at_grid(xs, ys)), model.classes_[surface.argmax(axis=1)])


@examples(60)
@given(
    data=training_sets,
    k=st.integers(1, 14),
    weights=st.sampled_from(WEIGHTS),
    metric=st.sampled_from(METRICS),
    seed=st.integers(0, 1000),
)
def test_order_of_data_is_irrelevant(
    data: list[tuple[int, int, int]], k: int, weights: str, metric: tuple[str, float], seed: int
) -> None:
    table = np.array(data, dtype=float)
    shuffled = np.random.default_rng(seed).permutation(table)
    k = min(k, len(table))
    one, two = (KNeighborsClassifier(k, weights, *metric).fit(t[:, :2] / 3.0, t[:, 2]) for t in (table, shuffled))
    xs = np.linspace(-1.3, 1.2, 20)
    np.testing.assert_array_equal(one.surface(xs, xs), two.surface(xs, xs))
    np.testing.assert_array_equal(one.predict_proba(table[:, :2]), two.predict_proba(table[:, :2]))
    # Equal points share one location, else a thousand of them would take a thousand times the work
    first, second = map(index_of, (one, two))
    assert first.columns.shape[1] == len(np.unique(first.points, axis=0))
    np.testing.assert_array_equal(first.columns, second.columns)


@pytest.mark.parametrize(("p", "features", "reach"), [(3, 2, 40), (3, 3, 12), (4, 3, 12), (5, 4, 6)])
def test_equal_minkowski_distances_on_lattices_tie(p: int, features: int, reach: int) -> None:
    """By sums of powers of whole numbers, as 1^3 + 12^3 = 9^3 + 10^3, and those of 3, 4 and 5 in any order."""
    rng = np.random.default_rng(p)
    lattice = np.array(list(product(range(reach + 1), repeat=features)))
    sums = (lattice**p).sum(axis=1)
    rows = np.sort(lattice, axis=1) if features == 2 else lattice  # of two, an exchange alone is no test
    totals, counts = np.unique(np.unique(np.column_stack([sums, rows]), axis=0)[:, 0], return_counts=True)
    tied_sums = totals[counts > 1]
    for total in rng.choice(tied_sums, 12 if features == 2 else 40):
        group = rng.permutation(lattice[sums == total])[:7]
        nearer = rng.permutation(lattice[sums < total])[: rng.integers(0, 4)]
        place = rng.integers(-20, 20, features)
        X = 0.25 * (place + np.concatenate([nearer, group]) * rng.choice([-1, 1], features))
        order, y = rng.permutation(len(X)), rng.permutation(len(X)) % 3
        k = len(nearer) + int(rng.integers(1, len(group) + 1))
        inside, tied = (np.bincount(some, minlength=3) for some in np.split(y, [len(nearer)]))
        expected = (inside * len(group) + tied * (k - len(nearer))) / (k * len(group))
        model = KNeighborsClassifier(k, p=p).fit(X[order], np.array([*y])[order])
        expected = expected[model.classes_]
        queries = np.concatenate([0.25 * place[None], rng.normal(size=(100, features))])
        found = [model.predict_proba(queries)[0], model.predict_proba(queries[:1])[0], model.vote_at(queries[0]).shares]
        with machine_code(False):
            found.append(model.predict_proba(queries)[0])
        if features == 2:
            x, y_ = queries[0]
            found.append(check_picture(model, [x - 1.0, x, x + 2.0], [y_, y_ + 1.0])[0, 1])
        for shares in found:
            np.testing.assert_array_equal(shares, expected, err_msg=f"{total}: {group.tolist()}")


@examples(60)
@given(
    st.lists(st.tuples(st.tuples(*[st.integers(-1, 1)] * 4), st.integers(0, 1)), min_size=2, max_size=12),
    st.integers(1, 12),
    st.sampled_from(WEIGHTS),
    st.sampled_from(METRICS),
)
def test_four_features(
    data: list[tuple[tuple[int, ...], int]], k: int, weights: str, metric: tuple[str, float]
) -> None:
    X, y = [row[0] for row in data], [row[1] for row in data]
    k = min(k, len(X))
    model = KNeighborsClassifier(k, weights, *metric).fit(X, y)
    queries = list(product((-1, 0, 2), repeat=4))
    expected = rounded([vote(q, X, y, k, weights, *metric, n_classes=2) for q in queries])
    expected = expected[:, np.unique(y)]
    for compiled in (True, False):
        with machine_code(compiled):
            shares = model.predict_proba(queries)
        if weights == "uniform":
            np.testing.assert_array_equal(shares, expected)
        else:
            np.testing.assert_allclose(shares, expected, rtol=1e-12, atol=1e-15)


def test_votes_are_added_in_order_of_distance() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(40, 2)), rng.integers(0, 2, 40)
    model = KNeighborsClassifier(31, "distance").fit(X, y)
    queries = rng.normal(size=(50, 2))
    for query, shares in zip(queries, model.predict_proba(queries), strict=True):
        nearest = sorted((as_compared(query, z, "euclidean", 2), int(c)) for z, c in zip(X, y, strict=True))
        votes = [0.0, 0.0]
        for d, c in nearest[:31]:
            votes[c] += 1.0 / math.sqrt(d)
        assert shares.tolist() == [v / (votes[0] + votes[1]) for v in votes]


def test_six_sixths_are_one() -> None:
    """One vote of 1 against six of 1/6: a tie, though six sixths added one by one are less than 1."""
    X = [(1, 0), (6, 0), (-6, 0), (0, 6), (0, -6), (6, 0), (0, 6), (9, 9)]
    y = [0, 1, 1, 1, 1, 1, 1, 2]
    for k in (7, 8):
        model = KNeighborsClassifier(k, "distance").fit(X, y)
        shares = model.predict_proba([[0, 0]])[0]
        assert shares[0] == shares[1]
        assert model.surface_classes_on([0.0])([0.0]).tie[0, 0]


# Against scikit-learn, where nothing ties


@pytest.mark.parametrize(("metric", "p"), [*METRICS[:4], ("minkowski", 1.5), METRICS[4]])
@pytest.mark.parametrize("features", [1, 2, 5])
def test_scikit_learn(metric: str, p: float, features: int) -> None:
    rng = np.random.default_rng(features)
    X, queries = rng.normal(size=(150, features)), rng.normal(size=(200, features))
    if metric == "cosine" and features == 1:
        pytest.skip("on a line the cosine knows two directions only: everything ties")
    y = np.array(["ash", "birch", "cedar"])[rng.integers(0, 3, 150)]
    for k in (1, 4, 150):
        for weights in WEIGHTS:
            own = KNeighborsClassifier(k, weights, metric, p).fit(X, y)
            theirs: Any = weights if weights != "distance-squared" else lambda d: 1 / d**2
            # Its brute force rounds Euclidean distances too coarsely, but has the cosine
            algorithm = "brute" if metric == "cosine" else "kd_tree"
            other = Reference(k, weights=theirs, metric=metric, p=p, algorithm=algorithm).fit(X, y)
            expected = other.predict_proba(queries)
            close = 1e-6 if metric == "cosine" else 1e-9
            np.testing.assert_allclose(own.predict_proba(queries), expected, rtol=close, atol=1e-12)
            with machine_code(False):
                np.testing.assert_allclose(own.predict_proba(queries), expected, rtol=close, atol=1e-12)
            np.testing.assert_array_equal(own.predict(queries), own.classes_[expected.argmax(axis=1)])
            assert own.score(queries, other.predict(queries)) == 1.0
        distances, indices = own.kneighbors(queries)
        their_distances, their_indices = other.kneighbors(queries)
        np.testing.assert_allclose(distances, their_distances, rtol=1e-9, atol=1e-12)
        np.testing.assert_array_equal(indices, their_indices)
    distances, indices = own.kneighbors(n_neighbors=3)
    their_distances, their_indices = other.kneighbors(n_neighbors=3)
    np.testing.assert_allclose(distances, their_distances, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(indices, their_indices)


def test_clone_and_parameters() -> None:
    model = KNeighborsClassifier(3, "distance", "minkowski", 4.0)
    assert (
        clone(model).get_params()
        == model.get_params()
        == {"n_neighbors": 3, "weights": "distance", "metric": "minkowski", "p": 4.0}
        | {"algorithm": "auto", "leaf_size": 30, "n_jobs": None}
    )
    assert model.set_params(n_neighbors=1).n_neighbors == 1
    assert repr(model) == "KNeighborsClassifier(n_neighbors=1, weights='distance', p=4.0)"


def test_p_counts_unless_another_metric_is_named() -> None:
    # With p = 1 the query is nearer to (3, 0) than to (2, 2); with p = 2 and p = inf the opposite.
    X, y = [[3.0, 0.0], [2.0, 2.0]], [0, 1]
    for p, expected in ((1, 0), (2, 1), (np.inf, 1)):
        assert (
            KNeighborsClassifier(1, p=p).fit(X, y).predict([[0.0, 0.0]])
            == Reference(1, p=p).fit(X, y).predict([[0.0, 0.0]])
            == [expected]
        )
    for metric in ("euclidean", "manhattan", "chebyshev", "cosine"):
        with pytest.raises(ValueError) as caught:
            KNeighborsClassifier(metric=metric, p=1).fit(X, y)
        shown = f"p is 1, but metric '{metric}' has no p; leave it 2, or choose 'minkowski'."
        assert str(caught.value) == shown


def test_neighbors_break_ties_by_index() -> None:
    model = KNeighborsClassifier(3).fit([[1, 0], [0, 1], [0, 0], [-1, 0], [0, 0]], [0, 1, 0, 1, 0])
    assert model.kneighbors([[0, 0]], return_distance=False)[0].tolist() == [2, 4, 0]
    distances, indices = model.kneighbors()
    assert indices[2].tolist() == [4, 0, 1] and distances[2].tolist() == [0, 1, 1]


# Pictures


@pytest.mark.slow
@pytest.mark.parametrize(("weights", "measure", "k"), pairwise_params(WEIGHTS, METRICS, [1, 2, 7, 40]))
def test_pictures_of_scattered_points(weights: str, measure: tuple[str, float], k: int) -> None:
    metric, p = measure
    rng = np.random.default_rng(k)
    X, y = rng.normal(size=(400, 2)), rng.integers(0, 4, 400)
    model = KNeighborsClassifier(k, weights, metric, p).fit(X, y)
    check_picture(model, np.linspace(-2, 2, 37), np.linspace(-1.5, 1.5, 41))
    check_picture(model, np.linspace(100, 140, 33), np.linspace(-20, 1, 18))  # all points far to one side
    check_picture(model, np.sort(rng.normal(size=35)) ** 3, np.sort(rng.normal(size=19)))  # unequal spacing


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("metric", "p"), METRICS)
def test_pictures_of_rounded_points(weights: str, metric: str, p: float) -> None:
    """Many points at few locations, and pixels exactly on and between them: ties everywhere."""
    rng = np.random.default_rng(5)
    X, y = rng.integers(-6, 7, (500, 2)), rng.integers(0, 3, 500)
    for k in (1, 6, 30):
        model = KNeighborsClassifier(k, weights, metric, p).fit(X, y)
        check_picture(model, np.arange(-8, 9) * 0.5, np.arange(-20, 21) * 0.5)


@pytest.mark.slow
def test_picture_of_distinct_grid_points() -> None:
    """No two points at one location, but ties at nearly every pixel."""
    X = np.array(list(product(range(12), repeat=2)))
    y = (X[:, 0] * 7 + X[:, 1] * 3) % 5
    for k in (1, 3, 4, 11):
        for metric, p in METRICS[:4]:
            model = KNeighborsClassifier(k, "uniform", metric, p).fit(X, y)
            xs, ys = np.arange(-2, 26) * 0.5, np.arange(-1, 24) * 0.5
            surface = check_picture(model, xs, ys)
            for j, i in product(range(0, len(ys), 6), range(0, len(xs), 5)):
                expected = vote((xs[i], ys[j]), X, y, k, "uniform", metric, p, n_classes=5)
                assert surface[j, i].tolist() == [float(s) for s in expected]


@pytest.mark.parametrize("weights", WEIGHTS)
def test_all_points_equal(weights: str) -> None:
    X = np.full((3000, 2), 0.25)
    y = np.arange(3000) % 3 == 0
    for k in (1, 5, 3000):
        surface = check_picture(KNeighborsClassifier(k, weights).fit(X, y), np.linspace(-1, 1, 17), [0.25, 0.3])
        np.testing.assert_allclose(surface, np.broadcast_to([2 / 3, 1 / 3], surface.shape), rtol=1e-15)
        if weights == "uniform":
            assert (surface[..., 1] == 1 / 3).all()


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("metric", "p"), METRICS)
def test_all_points_vote(weights: str, metric: str, p: float) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 2)), rng.integers(0, 3, 60)
    model = KNeighborsClassifier(60, weights, metric, p).fit(X, y)
    surface = check_picture(model, np.linspace(-2, 2, 20), [0, 1])
    if weights == "uniform":
        np.testing.assert_array_equal(surface, np.broadcast_to(np.bincount(y) / 60, surface.shape))


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize(("metric", "p"), METRICS)
def test_huge_coordinates_and_an_outlier(weights: str, metric: str, p: float) -> None:
    rng = np.random.default_rng(4)
    X = np.concatenate([rng.normal(size=(200, 2)), 1e12 * rng.normal(size=(50, 2)), [[1e12, -1e12]]])
    y = rng.integers(0, 2, len(X))
    model = KNeighborsClassifier(5, weights, metric, p).fit(X, y)
    for scale in (1.0, 1e6, 1e12):
        xs, ys = np.linspace(-2, 2, 21) * scale, np.linspace(-2, 1, 18) * scale
        surface = check_picture(model, xs, ys)
        assert np.isfinite(surface).all()
        np.testing.assert_allclose(surface.sum(axis=2), 1.0, rtol=1e-12)
    check_picture(model, 1e12 + np.arange(20) * 0.01, -1e12 + np.arange(18) * 0.01)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_nearly_zero_distances_stay_finite(weights: str) -> None:
    X = np.array([[0.0, 0.0], [1e-310, 0.0], [1e-170, 1e-170], [1.0, 1.0]])
    for metric, p in METRICS[:4]:
        model = KNeighborsClassifier(3, weights, metric, p).fit(X, [0, 1, 0, 1])
        surface = check_picture(model, [-1e-160, 0.0, 1e-310, 1e-170, 1e-150], [0.0, 1e-300])
        assert np.isfinite(surface).all()
    model = KNeighborsClassifier(2, weights, "manhattan").fit([[1e-305, 0.0], [-1e-306, 0.0], [1.0, 1.0]], [0, 1, 1])
    for compiled in (True, False):  # both weights are limited to the same 1e300
        with machine_code(compiled):
            assert model.predict_proba([[0, 0]])[0].tolist() == [0.5, 0.5]


def test_large_exponent_does_not_vanish() -> None:
    """(1e-3)^200 underflows; the distance must still be close to the Chebyshev one, and positive."""
    model = KNeighborsClassifier(2, "distance", "minkowski", 200.0).fit([[1e-3, 0], [3e-3, 1e-3]], [0, 1])
    distances, _ = model.kneighbors([[0, 0]])
    np.testing.assert_allclose(distances[0], [1e-3, 3e-3], rtol=1e-12)
    for compiled in (True, False):
        with machine_code(compiled):
            np.testing.assert_allclose(model.predict_proba([[0, 0]])[0], [0.75, 0.25], rtol=1e-12)


@pytest.mark.parametrize(("p", "metric"), [(1, "manhattan"), (2, "euclidean"), (np.inf, "chebyshev")])
def test_special_exponents(p: float, metric: str) -> None:
    rng = np.random.default_rng(0)
    X, y, xs = rng.normal(size=(50, 2)), rng.integers(0, 2, 50), np.linspace(-1, 1, 9)
    one = KNeighborsClassifier(7, "distance", "minkowski", p).fit(X, y)
    np.testing.assert_array_equal(
        one.surface(xs, xs), KNeighborsClassifier(7, "distance", metric).fit(X, y).surface(xs, xs)
    )


def test_cosine_zero_vectors() -> None:
    """A zero vector is at distance 1 from everything; opposite directions are farther, at 2."""
    X, y = [[0, 0], [1, 1], [-3, -3]], [0, 1, 2]
    model = KNeighborsClassifier(2, metric="cosine").fit(X, y)
    assert model.kneighbors([[1e-100, 1e-100]])[0].tolist() == [[0, 1]]
    assert model.predict_proba([[2, 2]])[0].tolist() == [0.5, 0.5, 0]
    assert model.predict_proba([[0, 0]])[0].tolist() == [1 / 3, 1 / 3, 1 / 3]
    check_picture(model, np.arange(-20, 21) * 0.25, np.arange(-20, 21) * 0.25)
    check_picture(model, np.arange(-20, 21) * 1e-120, np.arange(-3, 21) * 1e120)


def test_the_graph_of_neighbors_is_that_of_scikit_learn(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y, queries = rng.normal(size=(30, 3)), np.arange(30) % 2, rng.normal(size=(7, 3))
    model, theirs = (kind(4).fit(X, y) for kind in (KNeighborsClassifier, Reference))
    for mode in ("connectivity", "distance"):
        for arguments in ((queries,), (None,), (queries, 2), (None, 29)):
            ours, reference = (each.kneighbors_graph(*arguments, mode=mode) for each in (model, theirs))
            assert type(ours) is type(reference) and ours.shape == reference.shape
            assert np.array_equal(ours.indptr, reference.indptr) and np.array_equal(ours.indices, reference.indices)
            assert np.allclose(ours.data, reference.data, rtol=1e-12)
    with pytest.raises(ValueError, match="mode is 'both'; it must be one of 'connectivity', 'distance'"):
        model.kneighbors_graph(mode="both")
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    with pytest.raises(ImportError, match="kneighbors_graph makes a sparse matrix of scipy, which is not installed"):
        model.kneighbors_graph()


def test_no_queries_are_the_training_points_without_themselves() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 4, (25, 2)), rng.integers(0, 3, 25)
    model = KNeighborsClassifier(3, "distance").fit(X, y)
    without = [KNeighborsClassifier(3, "distance").fit(np.delete(X, i, 0), np.delete(y, i)) for i in range(25)]
    expected = np.concatenate([each.predict_proba(X[[i]]) for i, each in enumerate(without)])
    assert np.allclose(model.predict_proba(None), expected)
    assert (model.predict(None) == model.leave_one_out()).all()
    assert model.score(None, y) == np.mean(model.leave_one_out() == y)
    with pytest.raises(ValueError, match="n_neighbors is 25; it must be at most the number of other training points"):
        model.set_params(n_neighbors=25).predict(None)


def exact_cosine(x: Sequence[float], z: Sequence[float]) -> Fraction:
    """Return cos^2 with the sign of cos."""
    a, b = [Fraction(v) for v in x], [Fraction(v) for v in z]
    dot = sum(u * v for u, v in zip(a, b, strict=True))
    return dot * abs(dot) / (sum(u * u for u in a) * sum(v * v for v in b))


@examples(150)
@given(
    directions=st.lists(
        st.tuples(st.integers(-30, 30), st.integers(-30, 30), st.integers(-30, 30)).filter(any),
        min_size=1,
        max_size=5,
        unique_by=lambda v: tuple(u // math.gcd(*v) for u in v),
    ),
    members=st.lists(st.tuples(st.integers(0, 4), st.integers(1, 10**6), st.integers(0, 2)), min_size=2, max_size=14),
    exponent=st.integers(-300, 300),
    query=st.tuples(*[st.integers(-50, 50)] * 3).filter(any),
    features=st.integers(2, 3),
    k=st.integers(1, 14),
    weights=st.sampled_from(WEIGHTS),
)
def test_parallel_points_tie(
    directions: list[tuple[int, ...]],
    members: list[tuple[int, int, int]],
    exponent: int,
    query: tuple[int, ...],
    features: int,
    k: int,
    weights: str,
) -> None:
    """Whole multiples of a direction, against cosines in exact arithmetic: equal there, equal here."""
    directions = [d for d in (each[:features] for each in directions) if any(d)]
    at = query[:features]
    if not directions or not any(at):
        return
    X = [[math.ldexp(v * times, exponent) for v in directions[which % len(directions)]] for which, times, _ in members]
    y = [c for *_, c in members]
    k = min(k, len(X))
    model = KNeighborsClassifier(k, weights, "cosine").fit(X, y)
    cosines = [exact_cosine(at, x) for x in X]
    rows = [[float(v) for v in at], [3e140 * v / 200 for v in at]]
    distance, index = model.kneighbors(rows, len(X))
    for d, i in zip(distance, index, strict=True):
        near = [cosines[j] for j in i]
        assert near == sorted(near, reverse=True) or all(
            abs(a - b) < Fraction(1, 10**12) for a, b in zip(near, sorted(near, reverse=True), strict=True)
        )
        parallel = {tuple(whole_direction(X[j])): value for j, value in zip(i, d, strict=True)}
        assert all(parallel[tuple(whole_direction(X[j]))] == value for j, value in zip(i, d, strict=True))
        assert all((value == 0.0) == (cosine == 1) for value, cosine in zip(d, near, strict=True))
    if len(set(cosines)) == len({tuple(whole_direction(x)) for x in X}):  # only parallel points tie
        value = sorted(cosines, reverse=True)[k - 1]
        inside = [cosine > value for cosine in cosines]
        room = Fraction(k - sum(inside), sum(cosine == value for cosine in cosines))
        shares = [Fraction(0)] * 3
        for cosine, nearer, c in zip(cosines, inside, y, strict=True):
            if weights == "uniform":
                shares[c] += 1 if nearer else room if cosine == value else 0
            elif max(cosines) == 1:
                shares[c] += cosine == 1
            elif cosine >= value:
                root = math.sqrt(abs(cosine)) * (1 if cosine > 0 else -1)
                weight = Fraction(1 / (1 - root) ** (1 if weights == "distance" else 2))
                shares[c] += weight * (1 if nearer else room)
        expected = [float(shares[c] / sum(shares)) for c in model.classes_]
        for compiled in (True, False):
            with machine_code(compiled):
                got = model.predict_proba(rows)
            assert np.allclose(got, expected, rtol=0, atol=0 if max(cosines) == 1 and weights != "uniform" else 1e-6)
    whole = np.random.default_rng(0).permutation(len(X))
    again = KNeighborsClassifier(k, weights, "cosine").fit(np.array(X)[whole], np.array(y)[whole])
    assert np.array_equal(again.predict_proba(rows), model.predict_proba(rows))
    if features == 2:
        check_picture(model, np.arange(-3.0, 4.0), np.arange(-2.0, 3.0))


def test_parallel_points_of_any_length_are_one_direction() -> None:
    """Lengths and ratios of coordinates across the range of floats, and coordinates that are no whole numbers."""
    model = KNeighborsClassifier(1, metric="cosine").fit([[1, 1], [3, 3]], [0, 1])
    assert model.predict_proba([[1, 0]]).tolist() == [[0.5, 0.5]]
    rng = np.random.default_rng(5)
    for scale in (1.0, 1e-200, 1e130):
        base = rng.normal(size=(40, 3)) * np.array([1.0, 0.3, 1e-150]) * scale
        base = (base.view(np.int64) >> 24 << 24).view(np.float64)  # room for the factors
        times = rng.integers(1, 2**20, size=(40, 4))
        X = np.concatenate([base * times[:, [j]] for j in range(4)])
        model = KNeighborsClassifier(2, metric="cosine").fit(X, np.arange(160) // 40)
        assert (model.kneighbors(X, 4)[0] == 0.0).all() and (model.kneighbors()[0] == 0.0).all()
        assert np.array_equal(model.predict_proba(X), np.full((160, 4), 0.25))
        y = rng.integers(0, 3, 160)
        shares = np.array([np.bincount(y[i::40], minlength=3) / 4 for i in range(40)])
        weighted = KNeighborsClassifier(8, "distance", "cosine").fit(X, y)
        for compiled in (True, False):  # those at distance 0 alone decide
            with machine_code(compiled):
                assert np.array_equal(weighted.predict_proba(X), np.tile(shares, (4, 1)))
    xs, ys = (np.sort(rng.integers(1, 2**40, size=n)).astype(float) for n in (20, 12))
    X = np.array(list(product(xs, ys)))
    model = KNeighborsClassifier(30, "distance", "cosine").fit(X, rng.integers(0, 3, len(X)))
    check_picture(model, 3.0 * xs, 3.0 * ys)


def test_cosine_far_from_the_origin() -> None:
    """From the pixels of a small distant window all candidates differ by tiny angles."""
    rng = np.random.default_rng(8)
    X, y = 1000.0 + rng.normal(size=(300, 2)), rng.integers(0, 2, 300)
    for k in (1, 9):
        model = KNeighborsClassifier(k, metric="cosine").fit(X, y)
        check_picture(model, np.linspace(998, 1002, 40), [999, 1000, 1001])


def test_many_points_and_blocks() -> None:
    """Several strips, full tiles, and blocks of any height give the same picture."""
    rng = np.random.default_rng(2)
    X, y = rng.uniform(-1, 1, (1500, 2)), rng.integers(0, 3, 1500)
    xs, ys = np.linspace(-1, 1, 70), np.linspace(-1, 1, 50)
    for k, weights in ((1, "uniform"), (15, "uniform"), (15, "distance")):
        model = KNeighborsClassifier(k, weights).fit(X, y)
        surface = check_picture(model, xs, ys)
        rows = model.surface_on(xs)
        for height in (1, 16, 23):
            blocks = [rows(ys[j : j + height]) for j in range(0, len(ys), height)]
            np.testing.assert_array_equal(np.concatenate(blocks), surface)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("weights", WEIGHTS[:2])
def test_crowded_points(metric: str, weights: str) -> None:
    """Clouds smaller than a pixel and points on lines: many candidates hidden by others from a tile."""
    rng = np.random.default_rng(6)
    cloud = rng.normal(size=(600, 2))
    line = np.linspace(-1, 1, 600)
    sets = (
        1e-3 * cloud + 0.3,
        1e-6 * np.round(cloud, 1) + [5.0, -3.0],  # many exact ties
        np.column_stack([line, 0 * line]),
        np.column_stack([0 * line, line]),
        np.column_stack([np.cos(3 * line), np.sin(3 * line)]),
        np.concatenate([1e-9 * cloud, [[1e12, 1e12]]]),
    )
    for X in sets:
        model = KNeighborsClassifier(9, weights, metric).fit(X, rng.integers(0, 2, len(X)))
        check_picture(model, np.linspace(-1, 1, 40), np.linspace(-1, 1, 20))


@pytest.mark.parametrize(("measure", "n_classes", "k"), pairwise_params(METRICS, [1, 2, 5], [1, 2, 9, 60, 700]))
def test_mixed_labels_leave_no_shortcut(measure: tuple[str, float], n_classes: int, k: int) -> None:
    """Random classes: tiles with few and with many undecided points, down to single pixels."""
    rng = np.random.default_rng(n_classes)
    X, y = rng.uniform(-1, 1, (900, 2)), rng.integers(0, n_classes, 900)
    y[:n_classes] = np.arange(n_classes)
    model = KNeighborsClassifier(k, "uniform", *measure).fit(X, y)
    check_picture(model, np.linspace(-1.1, 1.1, 37), np.linspace(-1, 1.2, 19))


@pytest.mark.parametrize("weights", WEIGHTS)
def test_regions_of_one_class(weights: str) -> None:
    """Whole tiles of one class beside a noisy boundary, some points twice and one location with both classes."""
    rng = np.random.default_rng(11)
    X = rng.uniform(-1, 1, (800, 2))
    y = (X[:, 1] + 0.1 * rng.normal(size=800) > X[:, 0]).astype(int)
    for points, labels in ((X, y), (np.concatenate([X, X[:9], X[:1]]), np.concatenate([y, y[:9], 1 - y[:1]]))):
        for k in (1, 4, 25):
            check_picture(
                KNeighborsClassifier(k, weights).fit(points, labels), np.linspace(-1, 1, 90), np.linspace(-1, 1, 33)
            )


@pytest.mark.parametrize("weights", WEIGHTS[:2])
def test_single_rows_columns_and_pixels(weights: str) -> None:
    rng = np.random.default_rng(12)
    X, y = np.round(rng.normal(size=(300, 2)), 1), rng.integers(0, 3, 300)
    for k in (1, 7, 300):
        model = KNeighborsClassifier(k, weights).fit(X, y)
        for xs, ys in (
            ([0.1], [0.2]),
            (np.linspace(-2, 2, 41), [0.2]),
            ([0.1], np.linspace(-2, 2, 41)),
            ([5e-324, 5e-324, 0.1], [-5e-324, 0.0]),
        ):
            check_picture(model, xs, ys)


def test_distances_of_all_sizes() -> None:
    """The search for the k-th distance guesses by size: from 1e-150 to 1e15, with hundreds of equal ones between."""
    rng = np.random.default_rng(13)
    radii = np.concatenate([10.0 ** rng.uniform(-150, 15, 300), np.ones(200)])
    angles = np.concatenate([rng.uniform(0, 7, 300), np.repeat(np.arange(4) * (np.pi / 2), 50)])
    X = np.column_stack([np.cos(angles), np.sin(angles)]) * radii[:, None]
    X[300:] = np.round(X[300:])
    ring = np.array([(x, y) for x in range(-65, 66) for y in range(-65, 66) if x * x + y * y == 65 * 65], dtype=float)
    X = np.concatenate([X, ring])
    y = rng.integers(0, 2, len(X))
    for k in (1, 2, 40, 299, 310, 320, len(X) - 1, len(X)):
        for metric, p in METRICS[:4]:
            model = KNeighborsClassifier(k, "uniform", metric, p).fit(X, y)
            check_picture(model, [-1e10, 0.0, 1e-140, 0.5, 65.0], [0.0, 1.0])
    model = KNeighborsClassifier(5).fit(ring, np.arange(len(ring)) % 3)
    expected = [float(s) for s in vote((0.0, 0.0), ring, np.arange(len(ring)) % 3, 5, "uniform", "euclidean", 2, 3)]
    assert check_picture(model, [0.0], [0.0])[0, 0].tolist() == expected


def test_rows_keep_the_model_they_were_made_from() -> None:
    model = KNeighborsClassifier(1).fit([[0, 0], [1, 1]], [0, 1])
    rows = model.surface_on([0.0])
    model.set_params(n_neighbors=2).fit([[0, 0], [1, 1]], [1, 0])
    assert rows([0.0]).tolist() == [[[1.0, 0.0]]]


def test_inputs_may_be_read_only_and_stay_untouched() -> None:
    X, y, xs = np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([0, 1]), np.array([0.0, 1.0])
    for array in (X, y, xs):
        array.flags.writeable = False
    model = KNeighborsClassifier(1, metric="cosine").fit(X, y)
    before = [len(f.signatures) for f in (loops.vote_at, grid.vote_on_grid)]  # type: ignore[attr-defined]
    model.predict_proba(X)
    model.surface(xs, xs)
    after = [len(f.signatures) for f in (loops.vote_at, grid.vote_on_grid)]  # type: ignore[attr-defined]
    assert after == [max(1, n) for n in before]


def test_plain_version_compiles_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "vote_at", None)
    monkeypatch.setattr(grid, "vote_on_grid", None)
    model = KNeighborsClassifier(1).fit([[0, 0], [1, 1]], [0, 1])
    with machine_code(False):
        model.predict_proba([[0, 0]])
        model.surface_on([0.0])([0.0])
        model.surface_classes_on([0.0])([0.0])
    model.kneighbors([[0, 0]])
    with pytest.raises(TypeError):
        model.predict([[0, 0]])


def test_empty_pictures() -> None:
    model = KNeighborsClassifier(1).fit([[0, 0], [1, 1]], [0, 1])
    assert model.surface([], [0.0]).shape == (1, 0, 2)
    assert model.surface([0.0], []).shape == (0, 1, 2)
    assert model.surface_classes_on([0.0])([]).top.shape == (0, 1)


def test_more_classes_than_a_byte() -> None:
    X = np.column_stack([np.arange(300), np.zeros(300)])
    model = KNeighborsClassifier(1).fit(X, np.arange(300))
    check_picture(model, np.arange(280, 300), [0.0])
    assert model.surface_classes_on([299.0])([0.0]).top[0, 0] == 299


# Sentences

POINTS = [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]]


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"n_neighbors": 0}, "n_neighbors is 0; it must be a whole number of at least 1."),
        ({"n_neighbors": 2.0}, "n_neighbors is 2.0; it must be a whole number of at least 1."),
        ({"n_neighbors": True}, "n_neighbors is True; it must be a whole number of at least 1."),
        ({"weights": "heavy"}, "weights is 'heavy'; it must be one of 'uniform', 'distance', 'distance-squared'."),
        (
            {"metric": "taxi"},
            "metric is 'taxi'; it must be one of 'euclidean', 'manhattan', 'chebyshev', 'minkowski', 'cosine'.",
        ),
        (
            {"metric": None},
            "metric is None; it must be one of 'euclidean', 'manhattan', 'chebyshev', 'minkowski', 'cosine'.",
        ),
        ({"p": 0.5}, "p is 0.5; it must be a number in [1, inf]."),
        ({"p": math.nan}, "p is nan; it must be a number in [1, inf]."),
        ({"p": "2"}, "p is '2'; it must be a number in [1, inf]."),
    ],
)
def test_bad_parameters(parameters: dict[str, Any], sentence: str) -> None:
    model = KNeighborsClassifier(**parameters)  # not checked until fit
    with pytest.raises(ValueError) as caught:
        model.fit(POINTS, [0, 1, 1])
    assert str(caught.value) == sentence


@pytest.mark.parametrize(
    ("X", "y", "sentence"),
    [
        ([[0.0, math.nan]], [0], "X holds a value that is not finite (NaN or infinity), first in row 0."),
        ([[0.0, math.inf]], [0], "X holds a value that is not finite (NaN or infinity), first in row 0."),
        ([[0.0, -1e200]], [0], "X holds the value -1e+200; coordinates must lie in [-1e+140, 1e+140]."),
        (np.empty((0, 2)), [], "X has 0 sample(s) (shape=(0, 2)) while a minimum of 1 is required."),
        ([1.0, 2.0], [0, 1], "X: Expected 2D array, got 1D array instead. Reshape your data, as by X.reshape(1, -1)."),
        ([["a", "b"]], [0], "X must hold numbers only."),
        (POINTS, [0, 1], "y must have one label for each of the 3 points; its shape is (2,)."),
        (POINTS, [[0, 0], [1, 1], [1, 1]], "y must have one label for each of the 3 points; its shape is (3, 2)."),
        (POINTS, [0, 1, math.nan], "y holds a label that is not finite (NaN or infinity)."),
        (POINTS, np.array([0, "a", None], dtype=object), "y "),
    ],
)
def test_bad_data(X: Any, y: Any, sentence: str) -> None:
    with pytest.raises(ValueError) as caught:
        KNeighborsClassifier(1).fit(X, y)
    assert str(caught.value).startswith(sentence)


def test_bad_queries() -> None:
    model = KNeighborsClassifier(1)
    sentences = {}

    def sentence(call: Any, *arguments: Any, **named: Any) -> str:
        with pytest.raises(ValueError) as caught:
            call(*arguments, **named)
        sentences[str(caught.value)] = 1
        return str(caught.value)

    unfitted = "This KNeighborsClassifier is not fitted yet; call fit first."
    for call in (model.predict, model.predict_proba, model.kneighbors, model.surface_on):
        assert sentence(call, [[0, 0]]) == unfitted
    model.fit(POINTS, [0, 1, 1])
    assert (
        sentence(model.predict, [[0.0]])
        == "X has 1 features, but KNeighborsClassifier is expecting 2 features as input."
    )
    assert "not finite" in sentence(model.predict, [[0.0, math.nan]])
    assert "1e+141" in sentence(model.predict, [[0.0, 1e141]])
    assert sentence(model.score, POINTS, [0]) == ("y must have one label for each of the 3 queries; its shape is (1,).")
    assert sentence(model.kneighbors, POINTS, 0) == "n_neighbors is 0; it must be a whole number of at least 1."
    assert sentence(model.kneighbors, POINTS, 4) == (
        "n_neighbors is 4; it must be at most the number of training points, 3."
    )
    assert sentence(model.kneighbors, None, 3) == (
        "n_neighbors is 3; it must be at most the number of other training points, 2."
    )
    assert sentence(model.surface, [0.0, -1.0], [0.0]) == (
        "xs must not decrease; xs[1] is -1, less than the one before."
    )
    assert sentence(model.surface, [0.0], [2.0, 1.0]) == ("ys must not decrease; ys[1] is 1, less than the one before.")
    assert sentence(model.surface, ["a"], [0.0]) == "xs must hold numbers only."
    for bad in ([math.nan], [[0.0]], 3.0):
        assert sentence(model.surface, bad, [0.0]) == "xs must be a one-dimensional array of finite numbers."
        assert sentence(model.surface_on([0.0]), bad) == "ys must be a one-dimensional array of finite numbers."
    assert "1e+150" in sentence(model.surface, [1e150], [0.0])
    assert "parameter name is 'k'; it must be one of 'n_neighbors'" in sentence(model.set_params, k=3)
    model.set_params(n_neighbors=4)
    for call in (model.predict, model.predict_proba, model.surface_on):
        assert sentence(call, [[0, 0]]).startswith("n_neighbors is 4; it must be at most")
    model.set_params(n_neighbors=1, weights="none")
    assert sentence(model.predict, POINTS).startswith("weights is 'none'; it must be one of 'uniform'")
    flat = KNeighborsClassifier(1).fit([[0.0], [1.0]], [0, 1])
    assert "2 features" in sentence(flat.surface, [0.0], [0.0])
    assert all(text.endswith(".") and text.count(". ") == 0 for text in sentences)
