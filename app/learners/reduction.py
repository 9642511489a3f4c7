"""Condensed and edited nearest neighbours: settings, form and words."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, TypeVar

import msgspec
from msgspec import Meta
from msgspec.structs import replace

from app.core.number_format import count, grouped, short
from app.core.points import Points
from solver.core.certificate import Status

from .base import Learner, Seed, Trainer, Verdict, passes
from .code import Code, call
from .fields import SEED, SHUFFLE, Field
from .knn import METRIC, METRICS, K, KnnSettings, Metric, Neighbors, P, metric_of

if TYPE_CHECKING:
    from solver import ReductionCertificate, ReductionSnapshot
    from solver.knn.reduction import Reduction

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
