"""The vote neighbour by neighbour: bit for bit the shares of `predict_proba`, and the tie rule by exact fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.neighbors import KNeighborsClassifier as Theirs

from solver import KNeighborsClassifier
from solver.knn.neighbors import METRICS, WEIGHTS
from solver.knn.vote import Vote
from tests.examples import examples
from tests.solver.inside import index_of

CASES = list(product(METRICS, WEIGHTS))


def model_of(n: int, k: int, metric: str, weights: str, seed: int, lattice: bool = False) -> KNeighborsClassifier:
    rng = np.random.default_rng(seed)
    X = rng.integers(-4, 5, (n, 2)).astype(float) if lattice else rng.normal(size=(n, 2))
    return KNeighborsClassifier(k, weights, metric, 3.0 if metric == "minkowski" else 2.0).fit(X, rng.integers(0, 4, n))


def checked(model: KNeighborsClassifier, location: np.ndarray) -> Vote:
    """Return the vote at `place`, after checking the properties of every vote."""
    vote = model.vote_at(location)
    assert np.array_equal(vote.shares, model.predict_proba([location])[0])
    assert model.classes_[vote.winner] == model.predict([location])[0]
    m, k = len(vote.index), model.n_neighbors
    assert m >= k and (np.diff(vote.distance) >= 0).all() and len(np.unique(vote.index)) == m
    assert np.array_equal(np.lexsort((vote.index, vote.distance)), np.arange(m))  # equal ones by index
    assert np.array_equal(vote.code, index_of(model).codes[vote.index])
    shown = np.bincount(vote.code, vote.share * vote.weight, minlength=len(model.classes_))
    assert np.allclose(shown, vote.votes, rtol=1e-12)
    if vote.at_zero:
        assert (vote.distance[: vote.at_zero] == 0).all() and (vote.share[vote.at_zero :] == 0).all()
        assert vote.share.sum() == vote.at_zero
    else:
        assert vote.share.sum() == pytest.approx(k) and (vote.distance[-vote.n_tied :] == vote.radius).all()
        assert vote.room + (vote.distance < vote.radius).sum() == k
        assert vote.is_shared == (m > k)
    return vote


@pytest.mark.parametrize(("metric", "weights"), CASES)
def test_shares_are_those_of_predict_proba(metric: str, weights: str) -> None:
    rng = np.random.default_rng(1)
    for seed in range(4):
        n = int(rng.integers(5, 300))
        model = model_of(n, int(rng.integers(1, min(n, 40))), metric, weights, seed)
        for location in rng.normal(scale=1.5, size=(50, 2)):
            checked(model, location)
        for location in index_of(model).points[:5]:  # at distance 0
            checked(model, location)


@pytest.mark.parametrize(("metric", "weights"), CASES)
def test_on_a_lattice(metric: str, weights: str) -> None:
    """Where many distances are equal."""
    rng = np.random.default_rng(2)
    shared = 0
    for seed in range(4):
        model = model_of(60, int(rng.integers(1, 20)), metric, weights, seed, lattice=True)
        for location in rng.integers(-10, 11, (50, 2)) / 2.0:
            shared += checked(model, location).is_shared
    assert shared > 20


def exact(
    points: list[tuple[int, int]], codes: list[int], location: tuple[int, int], k: int, metric: str
) -> list[Fraction]:
    """Return uniform votes by the rule as it is written, in fractions."""
    apart = [(abs(x - location[0]), abs(y - location[1])) for x, y in points]
    d = [{"euclidean": a * a + b * b, "manhattan": a + b, "chebyshev": max(a, b)}[metric] for a, b in apart]
    kth = sorted(d)[k - 1]
    tied = sum(each == kth for each in d)
    room = k - sum(each < kth for each in d)
    votes = [Fraction(0)] * 3
    for each, code in zip(d, codes, strict=True):
        votes[code] += 1 if each < kth else Fraction(room, tied) if each == kth else 0
    return votes


@examples(300)
@given(st.data())
def test_the_tie_rule_in_fractions(data: st.DataObject) -> None:
    n = data.draw(st.integers(3, 14))
    locations = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
    points = data.draw(st.lists(locations, min_size=n, max_size=n))
    codes = [0, 1, 2, *data.draw(st.lists(st.integers(0, 2), min_size=n - 3, max_size=n - 3))]
    k, location = data.draw(st.integers(1, n)), data.draw(locations)
    metric = data.draw(st.sampled_from(["euclidean", "manhattan", "chebyshev"]))
    model = KNeighborsClassifier(k, "uniform", metric).fit(np.array(points, dtype=float), codes)
    vote, votes = checked(model, np.array(location, dtype=float)), exact(points, codes, location, k, metric)
    assert [Fraction(float(v)).limit_denominator(1000) for v in vote.votes] == votes
    assert vote.leaders.tolist() == [c for c in range(3) if votes[c] == max(votes)]
    assert vote.winner == min(vote.leaders)


@examples(200)
@given(st.data())
def test_equal_points_and_locations_at_distance_zero(data: st.DataObject) -> None:
    """At a location with several points: with weights these alone decide, by count."""
    pile = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=6))
    around = data.draw(st.lists(st.tuples(st.integers(1, 3), st.integers(0, 2)), min_size=4, max_size=9))
    X = np.array([(0.0, 0.0)] * len(pile) + [(float(x), 0.0) for x, _ in around])
    y = np.array(pile + [code for _, code in around])
    k = data.draw(st.integers(1, len(X)))
    weights = data.draw(st.sampled_from(["distance", "distance-squared"]))
    model = KNeighborsClassifier(k, weights).fit(X, y)
    vote = checked(model, np.zeros(2))
    assert vote.at_zero == len(pile) and sorted(vote.index[: len(pile)]) == list(range(len(pile)))
    counts = [pile.count(c) for c in model.classes_]
    assert vote.votes.tolist() == counts and model.classes_[vote.winner] == model.classes_[int(np.argmax(counts))]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "cosine"])
def test_neighbours_are_those_of_scikit_learn(metric: str) -> None:
    model = model_of(400, 9, metric, "uniform", 5)
    theirs = Theirs(9, metric=metric).fit(index_of(model).points, index_of(model).codes)
    for location in np.random.default_rng(6).normal(size=(40, 2)):
        vote = model.vote_at(location)
        distance, index = theirs.kneighbors([location])
        assert np.array_equal(vote.index, index[0]) and np.allclose(vote.distance, distance[0], atol=1e-12)


@pytest.mark.parametrize("p", [1.0, 1.2, 2.0, 3.0, 50.0, np.inf])
def test_minkowski_looks_at_few_and_misses_none(p: float) -> None:
    rng = np.random.default_rng(7)
    X = np.concatenate((rng.normal(size=(300, 2)), rng.integers(-2, 3, (100, 2)) / 2.0))
    model = KNeighborsClassifier(7, "uniform", "minkowski", p).fit(X, rng.integers(0, 3, 400))
    for location in rng.integers(-3, 4, (60, 2)) / 2.0:
        vote = checked(model, location)
        away = np.abs(X - location)
        norms = away.max(axis=1) if np.isinf(p) else (away**p).sum(axis=1) ** (1 / p)
        assert np.allclose(np.sort(norms)[: len(vote.distance)], vote.distance, rtol=1e-12)
