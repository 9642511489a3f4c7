"""Scattered queries: the tree of the compiled loops against plain numpy, which measures every point."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver.core.arrays import Array, Integers
from solver.knn import _knn_index
from solver.knn import _knn_loops as loops
from solver.knn import _knn_plain as plain
from solver.knn import _knn_tree as tree
from solver.knn._knn_products import search_products
from solver.knn.neighbors import KNeighborsClassifier
from tests.covering import pairwise_params
from tests.examples import examples
from tests.without_compiler import machine_code

WEIGHTS = ("uniform", "distance", "distance-squared")
METRICS = (
    ("euclidean", 2.0),
    ("manhattan", 2.0),
    ("chebyshev", 2.0),
    ("minkowski", 1.1),
    ("minkowski", 3.0),
    ("minkowski", 40.0),
    ("cosine", 2.0),
)
KINDS = (
    "scattered",
    "clusters",
    "grid",
    "few places",
    "line",
    "column",
    "heavy tails",
    "far away",
    "one place",
    "circle",
)


def cloud(kind: str, n: int, rng: np.random.Generator, features: int = 2) -> Array:
    """Return points that are difficult for a tree."""
    normal, whole = rng.normal(size=(n, features)), rng.integers(-4, 5, (n, features)).astype(float)
    if kind == "clusters":
        return rng.normal(size=(5, features))[rng.integers(0, 5, n)] + normal * 10.0 ** rng.uniform(-9, 0, (n, 1))
    if kind == "circle" and features == 2:  # whole numbers at one distance from the origin, and it
        ring = [(a, b) for a in range(-65, 66) for b in range(-65, 66) if a * a + b * b in (0, 65 * 65)]
        return np.array(ring, dtype=float)[rng.integers(0, len(ring), n)]
    clouds = {
        "grid": whole,
        "few places": normal[:4][rng.integers(0, min(4, n), n)],
        "line": np.outer(whole[:, 0], np.arange(1.0, features + 1)),
        "column": np.column_stack([np.full(n, 3.0), *normal.T[1:]]),
        "heavy tails": rng.standard_cauchy((n, features)) ** 3,
        "far away": 1e9 + whole * 2.0**-20,
        "one place": np.full((n, features), 0.1),
    }
    return clouds.get(kind, normal)


def locations(X: Array, rng: np.random.Generator) -> Array:
    """Return queries: at points, between them, about them, and far outside."""
    some, others = X[rng.integers(0, len(X), (2, 30))]
    spread = float(np.ptp(X)) + 1.0
    about = rng.uniform(X.min(axis=0) - 0.1 * spread, X.max(axis=0) + 0.1 * spread, (30, X.shape[1]))
    return np.concatenate([some, 0.5 * some + 0.5 * others, about, spread * 1e3 * rng.normal(size=(6, X.shape[1]))])


def left_out(model: KNeighborsClassifier, rows: Integers) -> Array:
    """Return the shares at training points by plain numpy, each from all other points."""
    index, k, weights = model._ready()
    found = []
    for row in rows:
        less = replace(index, points=np.delete(index.points, row, axis=0), codes=np.delete(index.codes, row))
        found.append(less._plain_shares(index.own[[row]], k, weights))
    return np.concatenate(found)


def nearest(model: KNeighborsClassifier, queries: Array | None) -> tuple[Array, Integers]:
    """Return `kneighbors` by measuring every point, one query after the other."""
    index, k, _ = model._ready()
    own = index.own if queries is None else index.scaled(queries)
    distances, indices = [], []
    for row, query in enumerate(own):
        d = plain.distances(index.metric, index.p, query[None], index.points)[0]
        if queries is None:
            d[row] = np.inf
        indices.append(np.argsort(d, kind="stable")[:k])
        distances.append(d[indices[-1]])
    found = np.array(distances)
    return np.sqrt(found) if index.metric == loops.EUCLIDEAN else found, np.array(indices)


def check(model: KNeighborsClassifier, queries: Array | None) -> None:
    """Check that compiled results are the plain ones: bit for bit where the plain version adds in the same order."""
    compiled = model.predict_proba(queries)
    if queries is None:
        expected = left_out(model, np.arange(len(compiled)))
    else:
        with machine_code(False):
            expected = model.predict_proba(queries)
    if model.weights == "uniform":
        np.testing.assert_array_equal(compiled, expected)
    else:
        np.testing.assert_allclose(compiled, expected, rtol=1e-12, atol=1e-300)
    for ours, theirs in zip(model.kneighbors(queries), nearest(model, queries), strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("kind", "measure", "weights", "k", "n"), pairwise_params(KINDS, METRICS, WEIGHTS, [1, 2, 5, 16, 17, 60], [70, 700])
)
def test_the_tree_finds_what_looking_at_all_points_finds(
    kind: str, measure: tuple[str, float], weights: str, k: int, n: int
) -> None:
    rng = np.random.default_rng(n + k)
    X = cloud(kind, n, rng)
    model = KNeighborsClassifier(k, weights, *measure).fit(X, rng.integers(0, 3, n))
    check(model, locations(X, rng))
    if n < 100:
        check(model, None)


@pytest.mark.parametrize(
    ("kind", "weights", "k", "features", "scale"),
    pairwise_params(KINDS, WEIGHTS, [1, 5, 16, 17, 60, 299], [5, 20], [1.0, 1e-158, 1e130]),
)
def test_products_of_matrices_find_what_looking_at_all_points_finds(
    kind: str, weights: str, k: int, features: int, scale: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = []

    def spied(*arguments: Any) -> int:
        calls.append(len(arguments[2]))
        done: int = search_products(*arguments)
        return done

    monkeypatch.setattr(_knn_index, "search_products", spied)
    monkeypatch.setattr(_knn_index, "FEW_LEAVES", 0)
    monkeypatch.setattr(_knn_index, "SHARE", 0.0)
    rng = np.random.default_rng(k)
    X = np.clip(scale * cloud(kind, 300, rng, features), -1e137, 1e137)
    queries = np.clip(locations(X, rng), -1e140, 1e140)
    model = KNeighborsClassifier(k, weights).fit(X, rng.integers(0, 3, 300))
    check(model, queries)
    assert sum(calls) >= 2 * len(queries)
    check(model, None)


def test_the_tree_is_kept_where_it_finds_the_neighbours_in_few_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_knn_index, "search_products", None)
    monkeypatch.setattr(_knn_index, "UNSORTED", 0)
    rng = np.random.default_rng(0)
    X = np.outer(rng.normal(size=2000), np.arange(1.0, 21.0))
    assert KNeighborsClassifier(1).fit(X, np.arange(2000)).predict(X).tolist() == list(range(2000))


def test_one_hard_query_does_not_decide_how_the_others_are_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    together = []

    def spied(*arguments: Any) -> int:
        done: int = search_products(*arguments)
        together.append(done)
        return done

    monkeypatch.setattr(_knn_index, "search_products", spied)
    monkeypatch.setattr(_knn_index, "UNSORTED", 0)
    rng = np.random.default_rng(0)
    line = np.outer(rng.uniform(0.0, 1.0, 4000), np.ones(20))
    hard = np.where(np.arange(20) % 2, 40.0, -39.0)  # as far from one end of the line as from the other
    X = line + 1e-3 * rng.normal(size=line.shape)
    model = KNeighborsClassifier(3).fit(X, rng.integers(0, 3, 4000))
    for easy in (0, 100, 400):
        together.clear()
        model.predict(np.concatenate((X[:easy], [hard], X[easy:800])))
        assert 0 < sum(together) <= 10, (easy, together)


@pytest.mark.parametrize(
    ("kind", "weights", "k", "features"), pairwise_params(KINDS, WEIGHTS, [1, 5, 17, 299], [16, 40])
)
def test_few_queries_of_many_features_get_the_same_answers_without_a_tree(
    kind: str, weights: str, k: int, features: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = np.random.default_rng(k)
    X, labels = cloud(kind, 300, rng, features), rng.integers(0, 3, 300)
    queries = locations(X, rng)
    model = KNeighborsClassifier(k, weights)
    with monkeypatch.context() as context:
        context.setattr(_knn_index.Index, "build", None)
        model.fit(X, labels)
        found = model.predict_proba(queries), *model.kneighbors(queries)
    with monkeypatch.context() as context:
        context.setattr(_knn_index, "unsorted", None)
        context.setattr(_knn_index, "UNSORTED", -np.inf)
        other = KNeighborsClassifier(k, weights).fit(X, labels)
        expected = other.predict_proba(queries), *other.kneighbors(queries)
    for without, with_tree in zip(found, expected, strict=True):
        np.testing.assert_array_equal(without, with_tree)
    check(model, queries)  # asks for the tree
    check(model, None)


@pytest.mark.parametrize(("dimensions", "pays"), [(2, True), (16, False)])
def test_the_tree_is_built_once_as_many_queries_are_asked_as_it_takes_and_only_if_points_are_near(
    dimensions: int, pays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    built = []
    build = _knn_index.Index.build
    monkeypatch.setattr(_knn_index, "UNSORTED", 30)
    monkeypatch.setattr(_knn_index.Index, "build", lambda *given: built.append(1) or build(*given))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, dimensions)) @ np.linalg.qr(rng.normal(size=(16, 16)))[0][:dimensions]
    model, answers = KNeighborsClassifier().fit(X, rng.integers(0, 3, 2000)), []
    for wanted in (0, 0, 0, 1, 1):
        answers.append(model.predict_proba(X[:10]))
        assert len(built) == wanted * pays
        np.testing.assert_array_equal(answers[-1], answers[0])
    model.predict_proba(None)
    assert len(built) == 1, "the tree serves all purposes"
    np.testing.assert_array_equal(model.predict_proba(X[:10]), answers[0])
    few = KNeighborsClassifier().fit(X[:, :15], rng.integers(0, 3, 2000))
    assert len(built) == 2, "fit builds the tree of few features"
    few.predict(X[:, :15])
    assert len(built) == 2


@pytest.mark.parametrize("points", [np.zeros((3, 20)), np.ones((1, 16)), np.repeat(np.eye(20), 50, axis=0)])
def test_equal_points_are_near(points: np.ndarray) -> None:
    assert _knn_index._has_near(points)
    assert not _knn_index._has_near(np.random.default_rng(0).normal(size=(1000, 20)))


def test_points_of_many_features_are_not_copied_and_any_array_gives_the_same_answers() -> None:
    rng = np.random.default_rng(0)
    X, labels = rng.normal(size=(60, 20)), rng.integers(0, 3, 60)
    fixed = X.copy()
    fixed.flags.writeable = False
    expected = KNeighborsClassifier().fit(X, labels).predict_proba(X + 0.1)
    assert np.shares_memory(KNeighborsClassifier().fit(X, labels)._late._given[0], X)
    for array in (fixed, np.asfortranarray(X), X.tolist(), np.repeat(X, 2, axis=0)[::2]):
        np.testing.assert_array_equal(KNeighborsClassifier().fit(array, labels).predict_proba(X + 0.1), expected)
    for features in (2, 20):  # a model with its tree keeps points of its own
        changing = X[:, :features].copy()
        model = KNeighborsClassifier().fit(changing, labels)
        before = model.predict_proba(None)
        changing[:] = 0.0
        np.testing.assert_array_equal(model.predict_proba(None), before)


@pytest.mark.parametrize("features", [16, 21, 50])
def test_many_queries_near_few_points_of_many_features_are_searched_for_at_once(
    features: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = []

    def spied(*arguments: Any) -> int:
        together.append(search_products(*arguments))
        return together[-1]

    monkeypatch.setattr(_knn_index, "search_products", spied)
    rng = np.random.default_rng(0)
    for unsorted in (1000, 0):
        monkeypatch.setattr(_knn_index, "UNSORTED", unsorted)
        model = KNeighborsClassifier().fit(rng.normal(size=(100, features)), rng.integers(0, 3, 100))
        model.predict(rng.normal(size=(200, features)))
    assert together == [200, 200]


@examples(150)
@given(
    kind=st.sampled_from(KINDS),
    n=st.integers(1, 80),
    k=st.integers(1, 80),
    measure=st.sampled_from(METRICS),
    weights=st.sampled_from(WEIGHTS),
    features=st.integers(1, 4),
    exponent=st.sampled_from([0, 0, -300, 300]),
    seed=st.integers(0, 2**32 - 1),
)
def test_few_points(
    kind: str, n: int, k: int, measure: tuple[str, float], weights: str, features: int, exponent: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = np.ldexp(cloud(kind, n, rng, features), exponent)
    model = KNeighborsClassifier(min(k, n), weights, *measure).fit(X, rng.integers(0, 3, n))
    check(model, locations(X, rng))
    if n > 1:
        model.set_params(n_neighbors=min(k, n - 1))
        check(model, None)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("measure", METRICS)
def test_leaving_out_is_fitting_without(weights: str, measure: tuple[str, float]) -> None:
    rng = np.random.default_rng(1)
    X, y = np.concatenate([cloud("grid", 60, rng), cloud("scattered", 60, rng)]), rng.integers(0, 3, 120)
    y[0] = 2
    model = KNeighborsClassifier(4, weights, *measure).fit(X, y)
    shares = model.predict_proba(None)
    for i in range(120):
        without = KNeighborsClassifier(4, weights, *measure).fit(np.delete(X, i, 0), np.delete(y, i))
        np.testing.assert_array_equal(without.predict_proba(X[[i]])[0], shares[i])
        assert model.leave_one_out([i])[0] == model.classes_[shares[i].argmax()]


def test_answers_do_not_depend_on_the_company_of_a_query() -> None:
    rng = np.random.default_rng(2)
    X = rng.integers(0, 30, (3000, 2)) / 7.0
    model = KNeighborsClassifier(9, "distance").fit(X, rng.integers(0, 4, 3000))
    queries = rng.uniform(-1, 6, (500, 2))
    together, neighbors = model.predict_proba(queries), model.kneighbors(queries)
    for i in range(0, 500, 10):
        np.testing.assert_array_equal(model.predict_proba(queries[[i]])[0], together[i])
        for one, all_of_them in zip(model.kneighbors(queries[[i]]), neighbors, strict=True):
            np.testing.assert_array_equal(one[0], all_of_them[i])


def test_more_answers_than_are_held_at_once() -> None:
    rng = np.random.default_rng(3)
    X, queries = rng.normal(size=(300, 2)), rng.normal(size=(700, 2))
    model = KNeighborsClassifier(300).fit(X, rng.integers(0, 2, 300))
    check(model, queries)
    assert len(model.set_params(n_neighbors=3).leave_one_out([])) == 0


def test_any_kind_of_array_is_compiled_for_once() -> None:
    model = KNeighborsClassifier(1).fit([[0, 0], [1, 1], [2, 2]], [0, 1, 2])
    queries = np.array([[0.1, 0.2], [1.1, 1.2], [1.9, 2.0]])
    frozen = queries.copy()
    frozen.flags.writeable = False
    for one in (queries, frozen, np.asfortranarray(queries), queries[::-1], np.repeat(queries, 2, axis=1)[:, ::2]):
        model.predict(one)
        model.kneighbors(one)
    model.leave_one_out()
    for loop in (loops.by_leaf, loops.search, loops.vote_at, loops.neighbors_at, tree.build):
        assert len(loop.signatures) == 1  # type: ignore[attr-defined]


def test_memory_grows_with_the_points_and_the_answers_only() -> None:
    import tracemalloc

    rng = np.random.default_rng(4)
    X = rng.normal(size=(20_000, 2))
    model = KNeighborsClassifier(5).fit(X, rng.integers(0, 2, 20_000))
    model.predict_proba(X[:1])
    tracemalloc.start()
    model.predict_proba(None)
    model.kneighbors(None)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 20_000 * 1000  # all distances would be 3.2 GB


@pytest.mark.soak
@pytest.mark.parametrize("n", [100_000, 1_000_000])
@pytest.mark.parametrize("kind", KINDS)
def test_many_points(kind: str, n: int) -> None:
    rng = np.random.default_rng(n)
    X = cloud(kind, n, rng)
    y = rng.integers(0, 3, n)
    parameters: Any
    for parameters in ((1, "uniform"), (20, "distance"), (100, "uniform", "manhattan"), (7, "uniform", "cosine")):
        model = KNeighborsClassifier(*parameters).fit(X, y)
        check(model, locations(X, rng)[::5])
        rows = rng.integers(0, n, 3)
        np.testing.assert_array_equal(model.leave_one_out(rows), left_out(model, rows).argmax(axis=1))
