"""Pictures of neighbours that reuse the previous one, against the same pictures made anew."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Grid, KNeighborsClassifier
from solver.knn import running_votes
from solver.knn._knn_grid import TILE
from solver.knn._knn_index import Index
from solver.knn._knn_records import PixelAxes, VotePicture
from solver.knn.running_votes import RunningVotes

GRID = Grid(-2.0, 2.5, -1.5, 1.5, 70, 50)
BLOCKS = ([slice(0, 50)], [slice(0, 16), slice(16, 41), slice(41, 50)], [slice(0, 7), slice(7, 50)])


def _same(model: KNeighborsClassifier, running: RunningVotes, blocks: list[slice], rows: slice = slice(0, 50)) -> None:
    """Check that the next picture of `running`, of which only these `rows` are made, is that of the model."""
    next_rows, anew = model.next_surface_classes(running), model.surface_classes_on(GRID.xs)
    for block in blocks:
        ys = GRID.ys[block]
        if block.stop > rows.stop:
            return
        ours, theirs = next_rows(ys), anew(ys)
        assert ours.top.dtype == theirs.top.dtype and np.array_equal(ours.top, theirs.top)
        assert np.array_equal(ours.tie, theirs.tie)
        assert np.allclose(ours.share, theirs.share, rtol=1e-12, atol=0.0)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski", "cosine"])
@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_each_picture_is_that_of_its_own_points(metric: str, weights: str) -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.normal(size=(250, 2)), np.round(rng.normal(size=(100, 2)), 1)])  # ties, and equal points
    y = rng.integers(0, 3, len(X))
    running = RunningVotes(GRID)
    for turn in range(24):
        X, y, index = X.copy(), y.copy(), int(rng.integers(len(X)))
        if turn % 6 == 1:
            X[index] += rng.normal(scale=0.3, size=2)  # a drag
        elif turn % 6 == 2:
            X, y = np.concatenate([X, rng.normal(size=(2, 2))]), np.append(y, [0, 1])
        elif turn % 6 == 3:
            X, y = np.delete(X, index, axis=0), np.delete(y, index)
        elif turn % 6 == 4:
            y[index] = (y[index] + 1) % 3
        elif turn % 6 == 5:
            X[rng.integers(len(X), size=40)] += 0.1  # many at once
        k = 9 if turn in (8, 9) else 5
        p = 3.0 if metric == "minkowski" else 2.0
        model = KNeighborsClassifier(k, weights, metric, p).fit(X, y)
        # Some pictures are discarded half-way, like overtaken ones.
        _same(model, running, BLOCKS[turn % 3], slice(0, 20 if turn % 4 == 1 else 50))


@pytest.mark.parametrize("n", [1, 4, 6])
def test_few_points_and_equal_ones(n: int) -> None:
    X, y = np.zeros((n, 2)), np.arange(n) % 2
    running = RunningVotes(GRID)
    for turn in range(6):
        X, y = np.concatenate([X, [[0.3 * turn, 0.1]]]), np.append(y, turn % 2)
        _same(KNeighborsClassifier(min(4, n)).fit(X, y), running, BLOCKS[0])


def test_only_what_a_changed_point_reaches_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.uniform(-2, 2.5, (3000, 2)), rng.integers(0, 2, 3000)
    running = RunningVotes(GRID)
    _same(KNeighborsClassifier(5).fit(X, y), running, BLOCKS[0])
    made: list[int] = []
    vote = Index.vote

    def counted(self: Index, pixels: PixelAxes, k: int, weights: int, picture: VotePicture) -> None:
        made.append(int(picture.wanted.sum()) if len(picture.wanted) else -1)
        vote(self, pixels, k, weights, picture)

    monkeypatch.setattr(Index, "vote", counted)
    X = X.copy()
    X[7] = [0.1, 0.1]
    model = KNeighborsClassifier(5).fit(X, y)
    for block in BLOCKS[0]:
        model.next_surface_classes(running)(GRID.ys[block])
    assert made and 1 <= made[0] <= 8, "of 20 tiles, those about the old place and the new one"
    made.clear()
    model.next_surface_classes(running)(GRID.ys)
    assert made == [], "nothing has changed"
    monkeypatch.setattr(running_votes, "MOST", 1)
    X = X.copy()
    X[7] = [0.2, 0.1]
    KNeighborsClassifier(5).fit(X, y).next_surface_classes(running)(GRID.ys)
    assert made == [-1]


def test_the_bound_holds_all_that_vote() -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(200, 2)), rng.integers(0, 2, 200)
    for metric in ("euclidean", "manhattan", "chebyshev", "minkowski"):
        model = KNeighborsClassifier(7, metric=metric, p=2.5 if metric == "minkowski" else 2.0).fit(X, y)
        running = RunningVotes(GRID)
        model.next_surface_classes(running)(GRID.ys)
        queries = np.stack(np.meshgrid(GRID.xs, GRID.ys), axis=-1).reshape(-1, 2)
        kth = model.kneighbors(queries)[0][:, -1].reshape(50, 70)
        bound = running._bound.repeat(TILE, axis=1)[:, :70]
        assert (kth <= bound * (1 + 1e-12)).all()
        assert (bound <= kth + 2.0 * 16 * 0.065 * np.sqrt(2.0)).all(), "and is not empty"
