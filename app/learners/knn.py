"""k nearest neighbours, also condensed and edited: settings, forms and words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Protocol, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.number_format import count, grouped, short
from app.core.points import Points
from solver.core.arrays import Array
from solver.core.certificate import Status

from .base import Ahead, Asking, FieldSearch, Learner, Measured, Seed, Trainer, Verdict, passes
from .code import TIES, Code, call
from .fields import SEED, SHUFFLE, Field

if TYPE_CHECKING:
    from solver import KNeighborsClassifier, ReductionCertificate, ReductionSnapshot
    from solver.knn.reduction import Reduction


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
    "cosine": ("Cosine", "d = 1 − cos ∠(x, z)"),
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
    simple=True,
)
P = Field(
    "p",
    "number",
    "p",
    "1 is Manhattan, 2 Euclidean, large p near Chebyshev.",
    title="p of Minkowski",
    shown=lambda settings, classes: settings.metric == "minkowski",
    simple=True,
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


#: Most passes of repeated editing, never reached: each pass but the last removes a point.
UNLIMITED = 10**9
_LIBRARY = "solver is the library of Classifier Playground: pip install classifier-playground."

CONDENSING = Trainer(
    "Condensing",
    "Keeps a point only where those kept before would get it wrong (Hart 1968).",
    "if the nearest point kept is of another class than x:  keep x",
    "step",
    "steps",
    has_multipliers=False,
    has_margins=False,
    has_f=False,
    runs_plain=True,
    subject="Condensed kNN",
)
EDITING = Trainer(
    "Editing",
    "Removes the points that their nearest neighbours outvote (Wilson 1972).",
    "if the k nearest others outvote x:  remove x when the pass is over",
    "step",
    "steps",
    has_multipliers=False,
    has_margins=False,
    has_f=False,
    subject="Edited kNN",
)


class CondensedSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of condensed nearest neighbours; one neighbour decides."""

    metric: Metric = "euclidean"
    p: Annotated[float, Meta(ge=1, le=100)] = 3.0
    #: A new random order for each pass over the points.
    shuffle: bool = True
    random_state: Seed = 0


class EditedSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of edited nearest neighbours, named as in imbalanced-learn."""

    n_neighbors: Annotated[int, Meta(ge=1, le=9999)] = 3
    metric: Metric = "euclidean"
    p: Annotated[float, Meta(ge=1, le=100)] = 3.0
    #: Pass after pass until none removes a point.
    repeated: bool = True


REPEATED = Field(
    "repeated",
    "check",
    "Repeat",
    "Pass after pass until no point is outvoted by its neighbours; else one pass.",
    primary=True,
    change="Repeat the editing",
    off="Edit once",
)
S = TypeVar("S", CondensedSettings, EditedSettings)


class Reduced(Learner[S]):
    """kNN on a subset of the points, which the training chooses one by one."""

    answers = "it counts votes"

    @abstractmethod
    def neighbors(self, settings: S) -> int:
        """Return the number of neighbours that vote."""

    @abstractmethod
    def estimator(self, settings: S) -> Reduction:
        """Return the estimator that chooses the points."""

    def decision(self, settings: S) -> str:
        return f"k = {self.neighbors(settings)}, of the points kept;  {METRICS[settings.metric][1]}"

    def distance(self, certificate: ReductionCertificate) -> float:
        return certificate.n_wrong

    def numbers(self, certificates: Sequence[ReductionCertificate], settings: S) -> list[str]:
        c = certificates[0]
        return [count(c.n_iter, "step"), f"{_some(c)} kept", passes(c.n_epochs)]

    def code(self, settings: S, points: Points) -> Code:
        sampler = self.estimator(settings)
        kept = Points.of(*sampler.fit_resample(points.xy, points.labels))
        voting = KnnSettings(n_neighbors=self.neighbors(settings), metric=settings.metric, p=settings.p)
        made: Code = Neighbors().code(voting, kept)
        given = {name: value for name, value in sampler.get_params().items() if name != "p" or value != 2.0}
        parameters = {name: f'"{value}"' if name == "metric" else repr(value) for name, value in given.items()}
        kind = type(sampler).__name__
        return replace(
            made,
            imports=(*made.imports, ("solver", kind)),
            before=call(kind, then=".fit_resample(X, y)", **parameters).join(("X_kept, y_kept = ", "")),
            fit="{model}.fit(X_kept, y_kept)",
            remarks=(_LIBRARY, *made.remarks),
        )


class Condensed(Reduced[CondensedSettings]):
    """1-NN on the points that it needs, by Hart's rule."""

    title = short = "Condensed kNN"
    note = CONDENSING.note
    settings = CondensedSettings
    fields = (METRIC, P, SHUFFLE, SEED)
    trainers: ClassVar = {"condensed_knn": CONDENSING}

    def neighbors(self, settings: CondensedSettings) -> int:
        return 1

    def remark(self, settings: CondensedSettings) -> str:
        return "1-NN on the points kept. Another order of the points keeps others, and perhaps fewer."

    def name(self, settings: CondensedSettings) -> str:
        order = f"random orders (seed {settings.random_state})" if settings.shuffle else "order of the points"
        return f"{self.title}, {METRICS[settings.metric][0]}, {order}"

    def verdict(self, certificates: Sequence[ReductionCertificate], settings: CondensedSettings) -> Verdict:
        c = certificates[0]
        some = _some(c)
        if c.status is Status.OPTIMAL:
            text = f"Consistent: 1-NN on {some} classifies all {grouped(c.n_points)} as they are labelled"
            return Verdict(True, text, f"consistent: {some} kept after {passes(c.n_epochs)}")
        wrong = f"{count(c.n_wrong, 'point')} {'lies' if c.n_wrong == 1 else 'lie'} where points of other classes lie"
        text = f"1-NN on {some} classifies all others as they are labelled, but {wrong}"
        return Verdict(False, text, f"never consistent: {wrong}")

    def so_far(self, certificates: Sequence[ReductionCertificate], settings: CondensedSettings) -> str:
        c = certificates[0]
        return f"1-NN on the {count(c.n_kept, 'point')} kept so far gets {grouped(c.n_wrong)} wrong"

    def operation(self, snapshot: ReductionSnapshot) -> str:
        if snapshot.touched < 0:
            return "The first point of the order is kept."
        if not snapshot.changed:
            return "The nearest point kept is of its class: this point is not needed."
        if snapshot.own:
            return "The nearest points kept are of several classes: this point is kept, too."
        return "The nearest point kept is of another class: this point is kept, too."

    def estimator(self, settings: CondensedSettings) -> Reduction:
        from solver import CondensedNearestNeighbour

        return CondensedNearestNeighbour(
            **metric_of(settings), shuffle=settings.shuffle, random_state=settings.random_state
        )


class Edited(Reduced[EditedSettings]):
    """kNN on the points that their neighbours do not outvote, by Wilson's rule."""

    title = short = "Edited kNN"
    note = EDITING.note
    settings = EditedSettings
    fields = (K, REPEATED, METRIC, P)
    trainers: ClassVar = {"edited_knn": EDITING}

    def neighbors(self, settings: EditedSettings) -> int:
        return settings.n_neighbors

    def remark(self, settings: EditedSettings) -> str:
        return "kNN on the points kept. A point that is removed votes on others until the pass is over."

    def name(self, settings: EditedSettings) -> str:
        often = "repeated" if settings.repeated else "once"
        return f"{self.title}, k = {settings.n_neighbors}, {often}, {METRICS[settings.metric][0]}"

    def verdict(self, certificates: Sequence[ReductionCertificate], settings: EditedSettings) -> Verdict:
        c = certificates[0]
        some = _some(c)
        if c.status is not Status.OPTIMAL:
            text = "Stopped: the others outvote every point of some class, and a further pass would remove them all"
            return Verdict(False, text, f"a class would go: {some} kept")
        if settings.repeated or c.n_kept == c.n_points:
            text = f"No point left that its neighbours outvote: {some} kept after {passes(c.n_epochs)}"
            return Verdict(True, text, f"none outvoted: {some} kept after {passes(c.n_epochs)}")
        text = f"Edited once: {some} kept, the others were outvoted by their neighbours"
        return Verdict(True, text, f"edited once: {some} kept")

    def so_far(self, certificates: Sequence[ReductionCertificate], settings: EditedSettings) -> str:
        c = certificates[0]
        return f"{_some(c)} kept so far, in pass {grouped(c.n_epochs)}"

    def operation(self, snapshot: ReductionSnapshot) -> str:
        if snapshot.touched < 0:
            return ""
        votes = f"Its nearest others: {_votes(snapshot.own)} for its class, {short(snapshot.against)} for another."
        outvoted = "This point is outvoted and removed; it votes on others until the pass is over."
        return f"{votes} {outvoted if snapshot.changed else 'This point stays.'}"

    def estimator(self, settings: EditedSettings) -> Reduction:
        from solver import EditedNearestNeighbours, RepeatedEditedNearestNeighbours

        parameters: dict[str, Any] = {"n_neighbors": settings.n_neighbors, **metric_of(settings)}
        if settings.repeated:
            return RepeatedEditedNearestNeighbours(**parameters, max_iter=UNLIMITED)
        return EditedNearestNeighbours(**parameters)


def _some(certificate: ReductionCertificate) -> str:
    return f"{grouped(certificate.n_kept)} of {count(certificate.n_points, 'point')}"


def _votes(number: float) -> str:
    return f"{short(number)} {'vote' if number == 1 else 'votes'}"
