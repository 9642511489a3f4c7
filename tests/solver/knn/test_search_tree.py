"""SearchTree and SearchWalk against brute force, and against the boxes that the program's own search opens."""

from __future__ import annotations

import numpy as np
import pytest

from solver import KNeighborsClassifier
from solver.core.arrays import Array
from solver.knn import _knn_loops as loops
from solver.knn import _knn_plain as plain
from solver.knn._knn_records import Found, Metric, Queries
from solver.knn.search_tree import SearchTree, SearchWalk

METRICS = {"euclidean": 2.0, "manhattan": 2.0, "chebyshev": 2.0, "minkowski": 3.0}


def problem(seed: int) -> tuple[SearchTree, Array, int]:
    """Return a tree of random points, with ties and equal points in two thirds of all cases; a query and a k."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 120))
    X = random.normal(size=(n, 2))
    query = random.normal(size=2)
    if seed % 3:
        X, query = np.round(X * (seed % 3)), np.round(query * 2) / 2
    if seed % 7 == 0:
        X[:, 0] = X[0, 0]  # all on one line
    name = list(METRICS)[seed % 4]
    model = KNeighborsClassifier(1, metric=name, p=METRICS[name]).fit(X, np.zeros(n))
    leaf_size = int(random.choice([2, 3, 4, 8, 32]))
    return model.search_tree(leaf_size), query, int(random.integers(1, n + 1))


def brute_force(tree: SearchTree, query: Array) -> Array:
    index = tree.index
    return plain.distances(index.metric, index.p, query[None], index.points)[0]


@pytest.mark.parametrize("first", range(0, 300, 50))
def test_the_neighbours_are_those_of_brute_force_and_no_pruned_box_holds_one(first: int) -> None:
    for seed in range(first, first + 50):
        tree, query, k = problem(seed)
        walk, d = tree.search(query, k), brute_force(tree, query)
        kth = np.sort(d)[k - 1]
        near = np.flatnonzero(d <= kth)
        assert walk.neighbors.tolist() == near[np.argsort(d[near], kind="stable")].tolist(), seed
        for step in walk.steps:
            if step.outcome == "prune":
                begin, end = tree.range_of(step.node)
                assert (d[(tree.location >= begin) & (tree.location < end)] > kth).all(), seed
                assert step.box_distance > step.bound == step.next_bound


@pytest.mark.parametrize("seed", range(40))
def test_every_location_is_measured_or_pruned_once_and_the_counts_are_right(seed: int) -> None:
    tree, query, k = problem(seed)
    walk = tree.search(query, k)
    ends = [tree.range_of(step.node) for step in walk.steps if step.outcome != "descend"]
    assert sorted(position for end in ends for position in range(*end)) == list(range(len(tree.points)))
    measured = 0
    for number, step in enumerate(walk.steps, 1):
        begin, end = tree.range_of(step.node)
        measured += (end - begin) * (step.outcome == "measure")
        assert step.measured == measured
        found = walk.nearest(number)
        assert (np.diff(walk.distances[found]) >= 0).all()
        q = min(k, len(tree.points))
        known = tree._shown(walk.distances[found[q - 1]]) if len(found) >= q else np.inf
        assert step.next_bound == known


@pytest.mark.parametrize("seed", range(40))
def test_the_tree_halves_the_widest_side_and_its_boxes_fit(seed: int) -> None:
    tree, _, _ = problem(seed)
    assert (tree.points[tree.location] == tree.index.points).all()
    for node in range(1, 2 * tree.n_leaves):
        begin, end = tree.range_of(node)
        inside = tree.points[begin:end]
        assert (tree.low[node] == inside.min(axis=0)).all() and (tree.high[node] == inside.max(axis=0)).all()
        if node >= tree.n_leaves:
            assert 1 <= end - begin <= tree.leaf_size
            continue
        side = tree.sides[node]
        assert tree.high[node, side] - tree.low[node, side] == np.ptp(inside, axis=0).max()
        middle = tree.range_of(2 * node + 1)[0]
        assert tree.points[begin:middle, side].max() <= tree.cuts[node] <= tree.points[middle:end, side].min()


def opened_by_the_program(tree: SearchTree, query: Array, q: int, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return the nodes whose boxes the program's own search compares, in its order: its loop, run by Python."""
    compared: list[int] = []
    bound_of = loops._box_bound.py_func  # type: ignore[attr-defined]

    def noted(metric: Metric, boxes: Array, node: int, *rest: object) -> float:
        compared.append(node)
        return float(bound_of(metric, boxes, node, *rest))

    own, _ = tree.index.tree
    leaf, order = loops.by_leaf(
        tree.index.metric, query[None], np.empty(0, dtype=np.int64), len(tree.points), own.cuts, own.sides
    )
    search = loops.search.py_func  # type: ignore[attr-defined]
    with monkeypatch.context() as patched:
        for name in ("_search", "_leaf_distances", "tighten", "_work_out_powers"):
            patched.setattr(loops, name, getattr(loops, name).py_func)
        patched.setattr(loops, "_box_bound", noted)
        room = len(tree.points) + 64
        lists = Found(np.empty(room), np.empty(room, dtype=np.int64), np.empty(2, dtype=np.int64))
        metric = Metric(tree.index.metric, tree.index.p)
        search(metric, q, Queries(query[None], order, leaf), own, tree.index.rough, len(own.cuts), lists)
    return compared


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
def test_the_walk_opens_the_boxes_of_the_programs_own_search_in_its_order(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(3)
    X = random.normal(size=(500, 2))
    tree = KNeighborsClassifier(1, metric=metric).fit(X, np.zeros(500)).search_tree()
    for k in (1, 5, 16):
        assert tree.is_traced(k)
        query = random.normal(size=2)
        walk = tree.search(query, k)
        # Neither of them compares while fewer than k distances are known.
        compared = [step.node for step in walk.steps if np.isfinite(step.bound)]
        assert opened_by_the_program(tree, query, k, monkeypatch) == compared
        assert len(compared) > 3
    assert not tree.is_traced(17)


def test_the_tree_of_the_program_is_shown_not_another_one() -> None:
    X = np.random.default_rng(0).normal(size=(300, 2))
    tree = KNeighborsClassifier().fit(X, np.zeros(300)).search_tree()
    own, _ = tree.index.tree
    assert tree.cuts is own.cuts and tree.leaf_size == 32 and tree.n_leaves == 16


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_equal_points_are_one_location_measured_once(n: int) -> None:
    walk: SearchWalk = KNeighborsClassifier(1).fit(np.ones((n, 2)), np.zeros(n)).search_tree(2).search([0, 1], n)
    assert [(step.outcome, step.measured, step.next_bound) for step in walk.steps] == [("measure", 1, 1.0)]
    assert walk.neighbors.tolist() == list(range(n))


@pytest.mark.parametrize("k", [0, 4])
def test_as_many_neighbours_as_there_are_points_at_most(k: int) -> None:
    tree = KNeighborsClassifier(1).fit([[0, 0], [1, 0], [0, 2]], [0, 1, 1]).search_tree()
    assert tree.search([0, 0], 3).neighbors.tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match=f"n_neighbors is {k}; it must be from 1 to 3"):
        tree.search([0, 0], k)


def test_a_missing_tree_is_reported() -> None:
    X, y = [[0, 1], [1, 0]], [0, 1]
    with pytest.raises(ValueError, match="do not bound directions"):
        KNeighborsClassifier(1, metric="cosine").fit(X, y).search_tree()
    with pytest.raises(ValueError, match="at least 2"):
        KNeighborsClassifier(1).fit(X, y).search_tree(1)


def test_few_points_are_measured() -> None:
    X = np.random.default_rng(1).uniform(size=(10_000, 2))
    walk = KNeighborsClassifier(5).fit(X, np.zeros(10_000)).search_tree(4).search([0.5, 0.5], 5)
    assert walk.steps[-1].measured < 60 and sum(step.outcome == "prune" for step in walk.steps) > 10


def test_the_box_that_no_node_has_is_not_looked_at() -> None:
    tree = KNeighborsClassifier(1).fit(np.random.default_rng(1).normal(size=(20, 2)), np.zeros(20)).search_tree(4)
    tree.low[0], tree.high[0] = -1e300, -1e200  # whatever was in memory: its square would overflow
    assert len(tree.search([0.0, 0.0], 3).neighbors) == 3
