"""k nearest neighbours: its parameters and words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import Meta

from app.state.number_format import grouped

from .base import Learner
from .model import LaneSettings

if TYPE_CHECKING:
    from app.state.points import Points
    from solver import KNeighborsClassifier

Weights = Literal["uniform", "distance", "distance-squared"]
Metric = Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine"]


class KnnSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of k nearest neighbours, named as in scikit-learn."""

    n_neighbors: Annotated[int, Meta(ge=1, le=9999)] = 5
    weights: Weights = "uniform"
    metric: Metric = "euclidean"
    p: Annotated[float, Meta(ge=1, le=100)] = 3.0


WEIGHTS: dict[str, tuple[str, str]] = {
    "uniform": ("uniform", "each of the k nearest has one vote"),
    "distance": ("1/d", "a vote weighs 1/d"),
    "distance-squared": ("1/d²", "a vote weighs 1/d²"),
}
METRICS: dict[str, tuple[str, str]] = {
    "euclidean": ("Euclidean", "d = √(Δx² + Δy²)"),
    "manhattan": ("Manhattan", "d = |Δx| + |Δy|"),
    "chebyshev": ("Chebyshev", "d = max(|Δx|, |Δy|)"),
    "minkowski": ("Minkowski", "d = (|Δx|ᵖ + |Δy|ᵖ)^(1/p)"),
    "cosine": ("cosine", "d = 1 − cos ∠(x, z)"),
}


class Neighbors(Learner):
    """The k nearest points vote; nothing is trained."""

    title = "k nearest neighbours"
    note = "The k nearest points vote."
    settings = KnnSettings

    def formula(self, lane: LaneSettings) -> str:
        return f"{METRICS[lane.knn.metric][1]};  {WEIGHTS[lane.knn.weights][1]}"

    def name(self, lane: LaneSettings) -> str:
        knn = lane.knn
        return f"kNN, k = {knn.n_neighbors}, {WEIGHTS[knn.weights][0]}, {METRICS[knn.metric][0]}"

    def headline(self, lane: LaneSettings, n_points: int) -> str:
        asked, there = lane.knn.n_neighbors, n_points
        if there >= asked:
            return f"Exact: the {asked} nearest of {grouped(there)} vote"
        only = "is only 1 point: it alone votes" if there == 1 else f"are only {there} points: all of them vote"
        return f"k = {asked}, but there {only}"

    def fit(self, lane: LaneSettings, points: Points) -> KNeighborsClassifier:
        if not len(points):
            raise ValueError("kNN needs at least one point.")
        return neighbors_of(lane.knn, len(points)).fit(points.xy, points.labels)

    def refusal(self, lane: LaneSettings) -> str:
        return "kNN does not train: it looks at the points themselves."


def neighbors_of(settings: KnnSettings, n: int) -> KNeighborsClassifier:
    """kNN for `n` points with the parameters of a lane: of fewer points than k, all vote."""
    from solver import KNeighborsClassifier

    return KNeighborsClassifier(min(settings.n_neighbors, n), settings.weights, settings.metric, settings.p)
