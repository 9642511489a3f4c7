"""Support vector machines: their parameters, the ways to train them, and their words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

import msgspec
from msgspec import Meta

from app.state.number_format import count, grouped, percent, short
from solver import KERNELS, RULES, SCHEMES, Certificate, DualAscentSnapshot, Kernel, LasvmSnapshot, Status

from .base import Learner, Trainer, Verdict, in_each, passes, several
from .model import LaneSettings

if TYPE_CHECKING:
    from solver import SVC
    from solver.core.binary_reduction import PairClassifier

    KernelName: TypeAlias = str
    Selection: TypeAlias = str
    Multiclass: TypeAlias = str
    SvmTrainer: TypeAlias = str

#: Ways to train a support vector machine.
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
}
if not TYPE_CHECKING:  # the tables say which there are
    KernelName = Literal[tuple(KERNELS)]
    Selection = Literal[tuple(RULES)]
    Multiclass = Literal[tuple(SCHEMES)]
    SvmTrainer = Literal[tuple(TRAINERS)]
#: What the classes weigh: the same, n / (k n_c), or what was typed.
ClassWeight = Literal["equal", "balanced", "own"]
_Weight = Annotated[float, Meta(ge=0.01, le=100.0)]
#: Largest relative gap of multipliers that are called optimal where double precision ends.
SMALL_GAP = 0.01
INDEFINITE = "This kernel is not positive semidefinite, so it has no hard margin: choose a finite C."
_LASVM = {
    "none": "",
    "insert": "One of the first points joins the points kept.",
    "process": "PROCESS: a new point joins and moves with the partner that fits it best.",
    "reprocess": "REPROCESS: the best pair of the points kept moves; who is far from the margin leaves.",
    "sweep": "FINISH looks once more at the points that were dropped.",
}


class SvmSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of the support vector machine, named as in scikit-learn; a hard margin is C = infinity."""

    kernel: KernelName = "rbf"
    C: Annotated[float, Meta(ge=1e-8, le=1e8, extra={"decades": (-4, 6)})] = 1.0
    hard_margin: bool = False
    gamma: Annotated[float, Meta(ge=1e-8, le=1e8, extra={"decades": (-4, 4)})] = 1.0
    degree: Annotated[int, Meta(ge=1, le=9)] = 3
    coef0: Annotated[float, Meta(ge=-1e6, le=1e6)] = 1.0
    tol: Annotated[float, Meta(ge=1e-9, le=1.0)] = 1e-3
    selection: Selection = "second-order"
    multiclass: Multiclass = "one-vs-one"
    class_weight: ClassWeight = "equal"
    #: The weights of classes 1 to 8 when they are one's own.
    own_weights: tuple[_Weight, _Weight, _Weight, _Weight, _Weight, _Weight, _Weight, _Weight] = (1.0,) * 8
    trainer: SvmTrainer = "smo"
    #: LASVM: how it chooses a partner, passes over the points, and whether it goes on to the optimum.
    partner: Literal["first-order", "second-order"] = "second-order"
    n_epochs: Annotated[int, Meta(ge=1, le=100)] = 1
    finish: bool = True
    #: Gradient ascent.
    step_size: Literal["barzilai-borwein", "constant"] = "barzilai-borwein"
    fit_intercept: bool = True

    def as_kernel(self) -> Kernel:
        """The kernel function these settings stand for."""
        return Kernel(self.kernel, self.gamma, self.coef0, self.degree)


class Machine(Learner):
    """The widest margin, by any of `TRAINERS`."""

    title = "Support vector machine"
    note = "The widest margin, also with kernels."
    settings = SvmSettings

    def formula(self, lane: LaneSettings) -> str:
        kernel: Kernel = lane.svm.as_kernel()
        return kernel.kind.formula

    def remark(self, lane: LaneSettings) -> str:
        kernel: Kernel = lane.svm.as_kernel()
        if not kernel.is_positive_semidefinite:
            return (
                "Not positive semidefinite here: the dual can have several stationary points, "
                "so the answer is called stationary, not optimal."
            )
        return kernel.kind.note

    def name(self, lane: LaneSettings) -> str:
        s = lane.svm
        parts = [f"SVM, {lane.svm.as_kernel().kind.title}", f"C = {'∞' if s.hard_margin else short(s.C)}"]
        names = {"gamma": f"γ = {short(s.gamma)}", "degree": f"d = {s.degree}", "coef0": f"c₀ = {short(s.coef0)}"}
        parts += [names[parameter] for parameter in lane.svm.as_kernel().kind.parameters]
        if s.multiclass != "one-vs-one":
            parts.append(SCHEMES[s.multiclass].title.lower())
        if s.class_weight != "equal":
            parts.append(f"{s.class_weight} weights")
        if s.trainer != "smo":
            parts.append(TRAINERS[s.trainer].title)
        if s.trainer == "dual-ascent" and not s.fit_intercept:
            parts.append("no intercept")
        return ", ".join(parts)

    def verdict(self, certificates: Sequence[Certificate], lane: LaneSettings) -> Verdict:
        by_status = {c.status: c for c in certificates}
        if Status.NOT_SEPARABLE in by_status:
            bound = min(c.margin_bound for c in certificates if c.status is Status.NOT_SEPARABLE)
            return Verdict(False, f"Not separable with a margin above {short(bound)}")
        if Status.STOPPED_EARLY in by_status:
            if lane.learner == "lasvm" and not lane.svm.finish:
                missing = _not_yet(certificates, lane)
                return Verdict(False, f"Over after {passes(lane.svm.n_epochs)}, without FINISH: {missing}")
            steps = grouped(by_status[Status.STOPPED_EARLY].n_iter)
            waiting = ""
            if lane.learner == "smo" and lane.svm.selection == "cyclic":
                waiting = "; in cyclic order late partners may wait very long"
            return Verdict(False, f"Stopped early after {steps} steps: {_not_yet(certificates, lane)}{waiting}")
        if Status.PRECISION in by_status:
            worst = max([0.0, *(c.kkt_violation for c in certificates)])
            if all(c.gap <= SMALL_GAP for c in certificates):
                return Verdict(True, f"Optimal to double precision (KKT violation {short(worst)})")
            return Verdict(False, f"Not shown optimal: double precision ends here (KKT violation {short(worst)})")
        if Status.STATIONARY in by_status:
            return Verdict(True, f"Stationary to {short(lane.svm.tol)} (kernel not positive semidefinite)")
        through = " of all f without intercept" if lane.learner == "dual-ascent" and not lane.svm.fit_intercept else ""
        return Verdict(True, f"Optimal to {short(lane.svm.tol)}{through}")

    def brief(self, certificates: Sequence[Certificate], lane: LaneSettings) -> Verdict:
        certified = self.verdict(certificates, lane).certified
        by_status = {each.status: each for each in certificates}
        numbers = _worst(certificates)
        if Status.NOT_SEPARABLE in by_status:
            bound = min(each.margin_bound for each in certificates if each.status is Status.NOT_SEPARABLE)
            return Verdict(certified, f"not separable: the margin is below {short(bound)}")
        if Status.STOPPED_EARLY in by_status:
            step = grouped(by_status[Status.STOPPED_EARLY].n_iter)
            unfinished = lane.learner == "lasvm" and not lane.svm.finish
            how = "over, without FINISH" if unfinished else f"stopped early at step {step}"
        elif Status.PRECISION in by_status:
            how = "optimal to double precision" if certified else "not shown optimal, double precision ends here"
        else:
            how = "stationary" if Status.STATIONARY in by_status else "optimal"
        return Verdict(certified, f"{how}: {numbers}")

    def so_far(self, certificates: Sequence[Certificate], lane: LaneSettings) -> str:
        return _not_yet(certificates, lane)

    def numbers(self, certificates: Sequence[Certificate], lane: LaneSettings) -> list[str]:
        gaps = [c.gap for c in certificates]
        free, bounded = sum(c.n_free for c in certificates), sum(c.n_bounded for c in certificates)
        ended = all(c.status in (Status.OPTIMAL, Status.STATIONARY) for c in certificates)
        where = " among the points kept" if lane.learner == "lasvm" and not ended else ""
        return [
            count(sum(c.n_iter for c in certificates), "step") + several(certificates, lane),
            f"KKT violation {short(max([0.0, *(c.kkt_violation for c in certificates)]))}{where}",
            f"gap {percent(max(gaps))}" if not any(map(math.isnan, gaps)) else "gap unknown",
            f"support vectors: {free} free + {bounded} bounded" + in_each(certificates, lane),
        ]

    def operation(self, snapshot: Any) -> str:
        if isinstance(snapshot, LasvmSnapshot):
            return _LASVM[snapshot.operation]
        if isinstance(snapshot, DualAscentSnapshot):
            moved = int(snapshot.moved.sum())
            if snapshot.certificate.n_iter == 0:
                return ""
            length = short(snapshot.step_size)
            return f"{count(moved, 'multiplier')} moved along the gradient, by {length} times v, and back onto the set."
        return ""

    def refusal(self, lane: LaneSettings) -> str:
        if lane.svm.hard_margin and not TRAINERS[lane.learner].allows_hard_margin:
            title = TRAINERS[lane.learner].title
            return f"{title} needs a box, 0 ≤ α ≤ C, so it has no hard margin: choose a finite C, or SMO."
        return INDEFINITE if _is_indefinite(lane.svm) else ""

    def estimator(self, lane: LaneSettings) -> PairClassifier:
        # Fetched one by one: the window starts without those that no lane uses.
        import solver

        s = lane.svm
        if s.trainer == "lasvm":
            own: dict[str, Any] = {"selection": s.partner, "n_epochs": s.n_epochs, "finish": s.finish}
            return solver.OnlineSVC(s.C, random_state=0, **_shared(s), **own)
        if s.trainer == "dual-ascent":
            return solver.DualAscentSVC(s.C, fit_intercept=s.fit_intercept, step_size=s.step_size, **_shared(s))
        return svc_of(s)


def svc_of(settings: SvmSettings, **others: Any) -> SVC:
    """`SVC` with the parameters of a lane, and `others`; ValueError with a sentence where that does not exist."""
    if _is_indefinite(settings):
        raise ValueError(INDEFINITE)
    from solver import SVC

    C = math.inf if settings.hard_margin else settings.C
    return SVC(C, selection=settings.selection, random_state=0, **_shared(settings), **others)


def _shared(settings: SvmSettings) -> dict[str, Any]:
    """What all that train a support vector machine take, but for C."""
    names = ("kernel", "degree", "gamma", "coef0", "tol", "multiclass")
    weights: dict[str, Any] = {"equal": None, "balanced": "balanced", "own": dict(enumerate(settings.own_weights))}
    return {name: getattr(settings, name) for name in names} | {"class_weight": weights[settings.class_weight]}


def _is_indefinite(settings: SvmSettings) -> bool:
    return settings.hard_margin and not settings.as_kernel().is_positive_semidefinite


def _not_yet(certificates: Sequence[Certificate], lane: LaneSettings) -> str:
    """What is missing of multipliers that nobody has called optimal: it may be no more than a look at all points."""
    there = all(c.kkt_violation <= lane.svm.tol for c in certificates)
    return "not shown optimal yet" if there else "not optimal yet"


def _worst(certificates: Sequence[Certificate]) -> str:
    """The worst KKT violation and gap."""
    text = f"KKT {short(max([0.0, *(each.kkt_violation for each in certificates)]))}"
    gaps = [each.gap for each in certificates]
    return text if any(map(math.isnan, gaps)) else f"{text}, gap {percent(max(gaps))}"
