"""Pegasos: settings, form and words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from msgspec import Meta

from app.core.number_format import count, grouped, percent, short
from solver import PegasosCertificate, PegasosSnapshot, Status

from .base import PLANE, Learner, Seed, Trainer, Verdict, in_each, several
from .code import NOTHING_LIKE_IT, Code, call
from .fields import SEED, Field

if TYPE_CHECKING:
    from app.core.points import Points
    from solver import PegasosClassifier

TRAINER = Trainer(
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


FIELDS = (
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


_STEPS = """\
{model}.t_ = 2.0  # w = theta / (lambda t): the first step of all leaves w = 0
rng = np.random.default_rng({seed})
drawn = rng.integers(len(X), size={steps})
{model}.partial_fit(X[drawn], y[drawn], classes=np.unique(y))"""


class Subgradients(Learner[PegasosSettings]):
    """Stochastic subgradient descent, with one random point in each step."""

    title, note = TRAINER.title, TRAINER.note
    short = "Pegasos"
    settings = PegasosSettings
    fields = FIELDS
    trainers: ClassVar = {"pegasos": TRAINER}
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
