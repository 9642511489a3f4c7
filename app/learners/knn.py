"""k nearest neighbours: settings, form and words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol

import msgspec
from msgspec import Meta
from numpy.typing import NDArray

from app.core.number_format import count, grouped
from solver.core.arrays import Array

from .base import Ahead, Asking, FieldSearch, Learner, Measured, Verdict
from .code import TIES, Code, call
from .fields import Field

if TYPE_CHECKING:
    from app.core.points import Points
    from solver import KNeighborsClassifier

Weights = Literal["uniform", "distance", "distance-squared"]
Metric = Literal["euclidean", "manhattan", "chebyshev", "minkowski", "cosine"]


#: Time for a full picture (s).
PICTURE = 0.1


class Distances(Protocol):
    """Settings with a metric."""

    @property
    def metric(self) -> Metric: ...
    @property
    def p(self) -> float: ...


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


K = Field(
    "k",
    "slider",
    "k",
    "How many of the nearest points vote. Small k: ragged; large k: smooth.",
    parameter="n_neighbors",
    primary=True,
    has_curve=True,
    change="Set k to {value}",
)
METRIC = Field(
    "metric",
    "choice",
    "Metric",
    "What near means. Cosine looks at the direction from the origin only.",
    choices=tuple((title, name, "") for name, (title, _) in METRICS.items()),
)
P = Field(
    "p",
    "number",
    "p",
    "1 is Manhattan, 2 Euclidean, large p near Chebyshev.",
    title="p of Minkowski",
    shown=lambda settings, classes: settings.metric == "minkowski",
    tried=(1, 10, 7, True),
)
FIELDS = (
    K,
    Field(
        "weights",
        "choice",
        "Weights",
        "With 1/d or 1/d², nearer points count more; a point at distance 0 decides alone.",
        choices=tuple((title, name, "") for name, (title, _) in WEIGHTS.items()),
        primary=True,
    ),
    METRIC,
    P,
)


_SQUARED = '''\
def inverse_square(distances):
    """Votes count 1 / d^2; points at distance 0 decide alone."""
    with np.errstate(divide="ignore"):
        votes = 1 / distances**2
    alone = np.isinf(votes)
    here = alone.any(axis=1)
    votes[here] = alone[here]
    return votes
'''


def _ahead_of_all(settings: KnnSettings, xy: Array, labels: NDArray[Any]) -> Ahead:
    from solver.knn.k_path import leaders

    return partial(leaders, neighbors_of(settings, 1).fit(xy, labels))


def _label_remark(settings: KnnSettings, n_labels: int, chosen: bool) -> str:
    k = settings.n_neighbors
    if k > n_labels:
        return f"k = {k}, but only {count(n_labels, 'label')} so far: all of them vote."
    doubtless = "With k = 1 the vote is never in doubt: all points are equally sure, and chance decides."
    return doubtless if k == 1 and chosen else ""


class Neighbors(Learner[KnnSettings]):
    """Classification by the votes of the k nearest points, without training."""

    title = "k nearest neighbours"
    short = "kNN"
    note = "The k nearest points vote."
    settings = KnnSettings
    fields = FIELDS
    simple = True
    asking = Asking(remark=_label_remark)
    searched = FieldSearch("k", _ahead_of_all)
    numerics = 4
    answers = "it counts votes"

    def formula(self, settings: KnnSettings) -> str:
        return f"{METRICS[settings.metric][1]};  {WEIGHTS[settings.weights][1]}"

    def decision(self, settings: KnnSettings) -> str:
        return f"k = {settings.n_neighbors}: {WEIGHTS[settings.weights][1]};  {METRICS[settings.metric][1]}"

    def name(self, settings: KnnSettings) -> str:
        return f"kNN, k = {settings.n_neighbors}, {WEIGHTS[settings.weights][0]}, {METRICS[settings.metric][0]}"

    def fit_verdict(self, settings: KnnSettings, n_points: int) -> Verdict:
        k, text = settings.n_neighbors, f"Exact: the {settings.n_neighbors} nearest of {grouped(n_points)} vote"
        if n_points < k:
            text = f"All vote: k = {k}, but there {'is' if n_points == 1 else 'are'} only {count(n_points, 'point')}"
        return Verdict(True, text, text[0].lower() + text[1:])

    def all_tied(self, settings: KnnSettings) -> str:
        k = settings.n_neighbors
        return f"All grey: everywhere as many of the k = {k} neighbours are of one class as of another.  Try another k."

    def fit(self, settings: KnnSettings, points: Points, left_out: int = 0) -> KNeighborsClassifier:
        if not len(points):
            raise ValueError("kNN needs at least one point.")
        return neighbors_of(settings, len(points) - left_out).fit(points.xy, points.labels)

    def code(self, settings: KnnSettings, points: Points) -> Code:
        n = len(points)
        k = min(settings.n_neighbors, n)
        parameters = {"n_neighbors": str(k)}
        if settings.weights != "uniform":
            parameters["weights"] = '"distance"' if settings.weights == "distance" else "inverse_square"
        parameters["metric"] = f'"{settings.metric}"'
        if settings.metric == "minkowski":
            parameters["p"] = repr(settings.p)
        if settings.metric != "cosine" and 2 * k >= n - 1:  # "brute" is inaccurate far from the origin
            parameters["algorithm"] = '"kd_tree"'
        remarks = ["Of points at the same distance, the first ones vote; in the playground, they share the votes left."]
        remarks.append(TIES)
        if k < settings.n_neighbors:
            remarks.insert(0, f"k = {settings.n_neighbors}, but there are only {k}: all of them vote.")
        return Code(
            call("KNeighborsClassifier", **parameters),
            (("sklearn.neighbors", "KNeighborsClassifier"),),
            function=_SQUARED if settings.weights == "distance-squared" else "",
            remarks=tuple(remarks),
        )

    def estimate(
        self,
        settings: KnnSettings,
        n: int,
        extent: tuple[float, float],
        known: Measured | None = None,
        n_classes: int = 2,
    ) -> float:
        # The index, the picture, and a search for each point.
        k = min(settings.n_neighbors, n)
        return PICTURE + (1.0 + 0.05 * k) * 1e-6 * n

    def refusal(self, settings: KnnSettings) -> str:
        return "kNN does not train: it uses the points themselves."


def neighbors_of(settings: KnnSettings, n: int) -> KNeighborsClassifier:
    """Return kNN for `n` points with the parameters of a lane; if `n` is less than k, all points vote."""
    from solver import KNeighborsClassifier

    return KNeighborsClassifier(min(settings.n_neighbors, n), settings.weights, **metric_of(settings))


def metric_of(settings: Distances) -> dict[str, Any]:
    """Return the keyword arguments of the library for the metric of a lane."""
    return {"metric": settings.metric, "p": settings.p if settings.metric == "minkowski" else 2.0}
