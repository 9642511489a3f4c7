"""Trainers: the learners that train step by step, one row each: what form, words and worker know of them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Trainer:
    """One way to train.

    Attributes
    ----------
    title : str
    note : str
        What it is, in one sentence for its tooltip.
    formula : str
        Its step.
    step, steps : str
        The word for one step, and for several.
    has_multipliers : bool
        It has an alpha for each point, with a bound C.
    has_margins : bool
        f = -1 and f = +1 mean something.
    has_rules : bool
        It chooses by a working-set rule of `solver.RULES`.
    allows_hard_margin : bool
        C may be infinite.
    fields : tuple of str
        The parameter fields that only it has.
    """

    title: str
    note: str
    formula: str
    step: str
    steps: str
    has_multipliers: bool = True
    has_margins: bool = True
    has_rules: bool = False
    allows_hard_margin: bool = False
    fields: tuple[str, ...] = ()


#: Ways to train a support vector machine, and the linear learners that train by steps.
TRAINERS: dict[str, Trainer] = {
    "smo": Trainer(
        "SMO",
        "Sequential minimal optimisation: two multipliers at a time, to the exact optimum (Platt 1998).",
        "αᵢ += yᵢ λ,  αⱼ −= yⱼ λ;  λ = (vᵢ − vⱼ) / (Kᵢᵢ + Kⱼⱼ − 2 Kᵢⱼ), clipped to the box",
        "pair update",
        "pair updates",
        has_rules=True,
        allows_hard_margin=True,
        fields=("rule",),
    ),
    "lasvm": Trainer(
        "LASVM",
        "Online: sees one point after the other, keeps only those it may need (Bordes and others 2005).",
        "PROCESS: a new point moves with a partner.  REPROCESS: the best pair of those kept moves, others leave",
        "operation",
        "operations",
        fields=("partner", "epochs", "finish"),
    ),
    "dual-ascent": Trainer(
        "Dual ascent",
        "All multipliers at a time, up the gradient of the dual, then back onto the feasible set.",
        "β ← project(β + s v),  β = y α,  v = y − K β",
        "gradient step",
        "gradient steps",
        fields=("step_size", "intercept"),
    ),
    "perceptron": Trainer(
        "Perceptron",
        "Corrects one mistake after the other until none is left (Rosenblatt 1958).",
        "if y f(x) ≤ 0:  w += y x,  b += y;   f(x) = ⟨w, x⟩ + b",
        "mistake",
        "mistakes",
        has_multipliers=False,
        has_margins=False,
        fields=("intercept", "shuffle", "seed", "passes", "orders"),
    ),
    "pegasos": Trainer(
        "Pegasos",
        "Stochastic subgradient descent: one random point each step; the average of all w is the answer.",
        "w = θ / (λ t);  if y ⟨w, x⟩ < 1:  θ += y x",
        "step",
        "steps",
        has_multipliers=False,
        fields=("lam", "steps", "seed"),
    ),
}
#: Those that train a support vector machine; the others are classifiers of their own.
SVM_TRAINERS = ("smo", "lasvm", "dual-ascent")
