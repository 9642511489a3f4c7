"""The perceptron: settings, form and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta

from app.core.number_format import count
from solver import PerceptronCertificate, PerceptronSnapshot, Status

from .base import PLANE, Learner, Seed, Trainer, Verdict, passes, several, whole
from .code import Code, call
from .fields import INTERCEPT, SEED, SHUFFLE, Field

if TYPE_CHECKING:
    from app.core.points import Points
    from solver import Perceptron


TRAINER = Trainer(
    "Perceptron",
    "Corrects one mistake after the other until none is left (Rosenblatt 1958).",
    "if y f(x) ≤ 0:  w += y x,  b += y;   f(x) = ⟨w, x⟩ + b",
    "mistake",
    "mistakes",
    has_multipliers=False,
    has_margins=False,
    subject="The perceptron",
)


class PerceptronSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of the perceptron, named as in scikit-learn."""

    fit_intercept: bool = True
    #: A new random order for each pass over the points.
    shuffle: bool = True
    random_state: Seed = 0
    #: Most passes over the points.
    max_iter: Annotated[int, Meta(ge=1, le=1_000_000)] = 1000
    #: Number of other orders whose lines are drawn.
    orders: Annotated[int, Meta(ge=0, le=100)] = 0


FIELDS = (
    Field(
        "passes",
        "large integer",
        "Passes",
        "Passes over the points at most: on classes that no line separates a perceptron never stops.",
        parameter="max_iter",
        tried=(10, 1000, 5, True),
        change="Set the passes to {value}",
        group="Training",
    ),
    SEED,
    Field(
        "orders",
        "integer",
        "Other orders",
        "Train again with this many other random orders and draw all the lines, with the one of widest margin on top:"
        " many lines separate, one is widest.",
        tried=(0, 10, 6, False),
        primary=True,
        change="Set the other orders to {value}",
    ),
    SHUFFLE,
    INTERCEPT,
)


_PASSES = """\
rng = np.random.default_rng({seed})
before = None
for _ in range({passes}):  # passes over the points
    order = rng.permutation(len(X))
    {model}.partial_fit(X[order], y[order], classes=np.unique(y))
    weights = np.column_stack(({model}.coef_, {model}.intercept_))
    if np.array_equal(weights, before):
        break  # a pass without a mistake
    before = weights"""


class Mistakes(Learner[PerceptronSettings]):
    """The perceptron, which corrects one mistake after the other."""

    title, note = TRAINER.title, TRAINER.note
    short = "Perceptron"
    settings = PerceptronSettings
    fields = FIELDS
    trainers: ClassVar = {"perceptron": TRAINER}
    n_classes_needed = 2

    def remark(self, settings: PerceptronSettings) -> str:
        sentence = "Stops at the first line that makes no mistake; another order of the points gives another line."
        return sentence if settings.fit_intercept else f"Every line goes through the origin. {sentence}"

    def name(self, settings: PerceptronSettings) -> str:
        order = f"random orders (seed {settings.random_state})" if settings.shuffle else "order of the points"
        return f"Perceptron, {order}" + ("" if settings.fit_intercept else ", no intercept")

    def decision(self, settings: PerceptronSettings) -> str:
        return PLANE + (" + b" if settings.fit_intercept else "")

    def distance(self, certificate: PerceptronCertificate) -> float:
        return certificate.n_wrong

    def verdict(self, certificates: Sequence[PerceptronCertificate], settings: PerceptronSettings) -> Verdict:
        made, bound = sum(c.mistakes for c in certificates), sum(c.mistake_bound for c in certificates)
        known = math.isfinite(bound)
        square = "(R² + 1)/γ²" if settings.fit_intercept else "R²/γ²"
        theorem = f"{square} = {whole(bound)}" if len(certificates) == 1 else f"{whole(bound)} in all"
        so_many = passes(max(c.n_epochs for c in certificates))
        if all(c.status is Status.OPTIMAL for c in certificates):
            who = "this line separates" if len(certificates) == 1 else "each line separates its class from the rest"
            what = f"{who}{' the classes' if len(certificates) == 1 else ''}"
            limit = f", at most {theorem} were possible" if known else ""
            text = f"No mistakes left: {what} ({count(made, 'mistake')} made{limit})"
            theory = f" (theory: at most {whole(bound)})" if known else ""
            return Verdict(True, text, f"separated: after {count(made, 'mistake')}{theory}")
        text = f"Still making mistakes after {so_many}: the classes may not be separable by a line"
        if known:
            text = f"Stopped after {so_many}, too early: the classes are separable, at most {theorem} mistakes in all"
        return Verdict(False, text, f"mistakes left: after {so_many}")

    def so_far(self, certificates: Sequence[PerceptronCertificate], settings: PerceptronSettings) -> str:
        return f"{count(sum(c.n_wrong for c in certificates), 'point')} on the wrong side"

    def numbers(self, certificates: Sequence[PerceptronCertificate], settings: PerceptronSettings) -> list[str]:
        mistakes, bound = sum(c.mistakes for c in certificates), sum(c.mistake_bound for c in certificates)
        return [
            count(mistakes, "mistake") + several(certificates),
            f"at most {whole(bound)} are possible" if math.isfinite(bound) else "no bound on the mistakes",
            passes(max(c.n_epochs for c in certificates)),
        ]

    def operation(self, snapshot: PerceptronSnapshot) -> str:
        return "A mistake, y f ≤ 0: w += y x turned the line towards this point." if snapshot.touched >= 0 else ""

    def estimator(self, settings: PerceptronSettings) -> Perceptron:
        from solver import Perceptron

        return Perceptron(settings.fit_intercept, settings.max_iter, settings.shuffle, settings.random_state)

    def code(self, settings: PerceptronSettings, points: Points) -> Code:
        parameters = {} if settings.fit_intercept else {"fit_intercept": "False"}
        imports = (("sklearn.linear_model", "Perceptron"),)
        others = f"Not here: the {count(settings.orders, 'other order')} that the playground shows beside it."
        remarks = (others,) if settings.orders else ()
        if not settings.shuffle:
            whole = {"max_iter": str(settings.max_iter), "tol": "None", "shuffle": "False"}
            return Code(call("Perceptron", **parameters, **whole), imports, remarks=remarks)
        return Code(
            call("Perceptron", **parameters, shuffle="False"),
            imports,
            fit=_PASSES.format(model="{model}", seed=settings.random_state, passes=settings.max_iter),
            remarks=("Each pass has a random order, the same one as in the playground: so has the line.", *remarks),
        )

    def training_key(self, settings: PerceptronSettings, fast: bool = False) -> PerceptronSettings:
        return msgspec.structs.replace(settings, orders=0)  # the other orders are trained beside it
