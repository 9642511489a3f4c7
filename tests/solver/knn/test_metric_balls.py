"""Outlines of metric balls: every location at the k-th distance, closed, and as fine as requested."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial import distance

from app.tools.base import inside_polygon
from solver import KNeighborsClassifier
from solver.knn.metric_balls import outline


def thick(locations: np.ndarray, pieces: int = 7) -> np.ndarray:
    """Return locations on the polyline between its corners, too."""
    share = np.arange(pieces)[:, None, None] / pieces
    return ((1 - share) * locations[:-1] + share * locations[1:]).reshape(-1, 2)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
@pytest.mark.parametrize("p", [1.0, 1.3, 2.0, 3.0, 100.0])
@pytest.mark.parametrize("radius", [1e-6, 0.7, 4e5])
def test_every_location_is_at_the_distance(metric: str, p: float, radius: float) -> None:
    centre, fineness = (3.0, -2.0), radius * 1e-4
    locations = outline(metric, p, centre, radius, 1.0, fineness)
    assert np.array_equal(locations[0], locations[-1]) and len(locations) < 10_000
    scipys = {"euclidean": "euclidean", "manhattan": "cityblock", "chebyshev": "chebyshev", "minkowski": "minkowski"}
    more = {"p": p} if metric == "minkowski" else {}
    unit = (locations - centre) / radius  # scipy's powers overflow
    assert distance.cdist([(0, 0)], thick(unit), scipys[metric], **more)[0] == pytest.approx(1.0, abs=5e-4)
    assert distance.cdist([(0, 0)], unit, scipys[metric], **more)[0] == pytest.approx(1.0, rel=1e-8)
    turned = np.unwrap(np.arctan2(*(locations - centre).T[::-1]))
    assert abs(turned[-1] - turned[0]) == pytest.approx(2 * np.pi, rel=1e-6)
    assert (np.diff(turned) >= -1e-6).all()


def test_the_shapes_have_their_corners() -> None:
    diamond = outline("manhattan", 2.0, (1.0, 1.0), 2.0, 1.0, 0.01)
    assert {tuple(corner) for corner in diamond} == {(3.0, 1.0), (1.0, 3.0), (-1.0, 1.0), (1.0, -1.0)}
    square = outline("minkowski", np.inf, (0.0, 0.0), 1.0, 1.0, 0.01)
    assert {tuple(corner) for corner in square} == {(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)}
    assert np.array_equal(outline("minkowski", 1.0, (1.0, 1.0), 2.0, 1.0, 0.01), diamond)


@pytest.mark.parametrize("location", [(1.0, 0.0), (-2.0, 3.0), (0.1, -5.0)])
@pytest.mark.parametrize("radius", [0.0, 1e-12, 0.01, 1.0, 1.9])
def test_the_cosine_has_two_rays(location: tuple[float, float], radius: float) -> None:
    ends = outline("cosine", 2.0, location, radius, 7.0, 0.01)
    assert ends.shape == (3, 2) and (ends[1] == 0).all()
    assert np.hypot(*ends[[0, 2]].T) == pytest.approx(7.0)
    away = distance.cdist([location], ends[[0, 2]], "cosine")[0]
    assert away == pytest.approx(radius, abs=1e-12)


def test_the_cosine_without_an_outline() -> None:
    for location, radius in (((0.0, 0.0), 1.0), ((1.0, 2.0), 2.0)):
        assert len(outline("cosine", 2.0, location, radius, 7.0, 0.01)) == 0
    with pytest.raises(ValueError, match="no outline"):
        outline("hamming", 2.0, (0.0, 0.0), 1.0, 1.0, 0.01)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev", "minkowski"])
def test_it_separates_neighbours_from_others(metric: str) -> None:
    """By the polygon's own inside, on real votes."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(300, 2))
    p = 3.0 if metric == "minkowski" else 2.0
    model = KNeighborsClassifier(12, "uniform", metric, p).fit(X, rng.integers(0, 2, 300))
    for location in rng.normal(size=(10, 2)):
        vote = model.vote_at(location)
        polygon = outline(metric, 3.0, tuple(location), vote.radius * (1 + 1e-4), 1.0, 1e-6 * vote.radius)
        assert set(np.flatnonzero(inside_polygon(X, polygon[:-1]))) == set(vote.index)
