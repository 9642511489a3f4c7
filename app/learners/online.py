"""Perceptron and Pegasos, which see one point at a time: settings, forms and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta

from app.core.number_format import count, grouped, percent, short
from solver import PegasosCertificate, PegasosSnapshot, PerceptronCertificate, PerceptronSnapshot, Status

from .base import PLANE, Learner, Seed, Trainer, Verdict, in_each, passes, several, whole
from .code import NOTHING_LIKE_IT, Code, call
from .fields import INTERCEPT, SEED, SHUFFLE, Field

if TYPE_CHECKING:
    from app.core.points import Points
    from solver import PegasosClassifier, Perceptron


PERCEPTRON = Trainer(
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

    title, note = PERCEPTRON.title, PERCEPTRON.note
    short = "Perceptron"
    settings = PerceptronSettings
    fields = (
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
            "Train again with this many other random orders and draw all the lines, with the one of widest margin on"
            " top: many lines separate, one is widest.",
            tried=(0, 10, 6, False),
            primary=True,
            change="Set the other orders to {value}",
        ),
        SHUFFLE,
        INTERCEPT,
    )
    trainers: ClassVar = {"perceptron": PERCEPTRON}
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


PEGASOS = Trainer(
    "Pegasos",
    "Stochastic subgradient descent: one random point each step; the average of all w is the answer.",
    "w = θ / (λ t);  if y ⟨w, x⟩ < 1:  θ += y x",
    "step",
    "steps",
    has_multipliers=False,
    subject="Pegasos",
)


class PegasosSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of Pegasos."""

    #: lambda of ``lambda/2 ||w||^2 + mean hinge``.
    lam: Annotated[float, Meta(ge=1e-8, le=1e4, extra={"decades": (-6, 2)})] = 0.01
    n_iter: Annotated[int, Meta(ge=1, le=10_000_000)] = 100_000
    random_state: Seed = 0


_STEPS = """\
{model}.t_ = 2.0  # w = theta / (lambda t): the first step of all leaves w = 0
rng = np.random.default_rng({seed})
drawn = rng.integers(len(X), size={steps})
{model}.partial_fit(X[drawn], y[drawn], classes=np.unique(y))"""


class Subgradients(Learner[PegasosSettings]):
    """Stochastic subgradient descent, with one random point in each step."""

    title, note = PEGASOS.title, PEGASOS.note
    short = "Pegasos"
    settings = PegasosSettings
    fields = (
        Field(
            "lam",
            "slider",
            "λ",
            "λ of λ/2 ‖w‖² + mean hinge loss. Small λ forbids errors, large λ widens the margin: C = 1 / (n λ).",
            title="lam",
            primary=True,
            change="Set λ to {value}",
        ),
        Field(
            "steps",
            "large integer",
            "Steps",
            "Steps in all; each uses one random point.",
            parameter="n_iter",
            tried=(1000, 1_000_000, 4, True),
            change="Set the steps to {value}",
            group="Training",
        ),
        SEED,
    )
    trainers: ClassVar = {"pegasos": PEGASOS}
    n_classes_needed = 2

    def remark(self, settings: PegasosSettings) -> str:
        return "No intercept: every line goes through the origin. The answer is the average of all w."

    def decision(self, settings: PegasosSettings) -> str:
        return PLANE

    def name(self, settings: PegasosSettings) -> str:
        return f"Pegasos, λ = {short(settings.lam)}, {grouped(settings.n_iter)} steps"

    def verdict(self, certificates: Sequence[PegasosCertificate], settings: PegasosSettings) -> Verdict:
        gap = max(c.gap for c in certificates)
        line = "the averaged line is" if len(certificates) == 1 else "the averaged lines are"
        certified = all(c.status is Status.OPTIMAL for c in certificates)
        badge = f"{'near optimal' if certified else 'stopped early'}: at most {percent(gap)} from optimal"
        if certified:
            text = f"At most {percent(gap)} from optimal: {line} that close to the best through the origin"
        else:
            steps = grouped(max(c.n_iter for c in certificates))
            text = f"All {steps} steps made: at most {percent(gap)} from optimal; more steps come closer"
        return Verdict(certified, text, "not begun" if math.isnan(gap) else badge)

    def so_far(self, certificates: Sequence[PegasosCertificate], settings: PegasosSettings) -> str:
        gap = max(c.gap for c in certificates)
        return "before the first step" if math.isnan(gap) else f"at most {percent(gap)} from optimal"

    def numbers(self, certificates: Sequence[PegasosCertificate], settings: PegasosSettings) -> list[str]:
        gaps = [c.gap for c in certificates]
        return [
            count(sum(c.n_iter for c in certificates), "step") + several(certificates),
            "gap unknown" if any(map(math.isnan, gaps)) else f"gap {percent(max(gaps))}",
            f"inside the margin or wrong: {count(sum(c.n_violating for c in certificates), 'point')}"
            + in_each(certificates),
        ]

    def operation(self, snapshot: PegasosSnapshot) -> str:
        if snapshot.touched < 0:
            return ""
        if snapshot.hit:
            return "A hit, y ⟨w, x⟩ < 1: θ += y x, and the average of all w follows."
        return "No hit, y ⟨w, x⟩ ≥ 1: θ stays, w shrinks, and the average of all w follows."

    def estimator(self, settings: PegasosSettings) -> PegasosClassifier:
        from solver import PegasosClassifier

        return PegasosClassifier(settings.lam, settings.n_iter, random_state=settings.random_state)

    def code(self, settings: PegasosSettings, points: Points) -> Code | str:
        if settings.n_iter < 2:  # w = 0
            return NOTHING_LIKE_IT
        model = call(
            "SGDClassifier",
            loss='"hinge"',
            alpha=repr(settings.lam),
            fit_intercept="False",
            learning_rate='"invscaling"',
            eta0=f"1 / {settings.lam!r}",
            power_t="1.0",
            shuffle="False",
            average="True",
        )
        return Code(
            model,
            (("sklearn.linear_model", "SGDClassifier"),),
            fit=_STEPS.format(model="{model}", seed=settings.random_state, steps=settings.n_iter - 1),
            remarks=(
                "Pegasos: steps of length 1 / (lambda t), each at a drawn point; the answer is the mean of all w.",
            ),
            has_margins=True,
        )
