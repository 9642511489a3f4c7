"""Support vector machines: settings, trainers, form and words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, TypeAlias

import msgspec
import numpy as np
from msgspec import Meta
from msgspec.structs import replace

from app.core.number_format import count, grouped, percent, short
from solver import KERNELS, RULES, SCHEMES, Certificate, DualAscentSnapshot, Kernel, LasvmSnapshot, Status
from solver.kernels.table import PARAMETERS

from .base import Asking, FastTraining, Learner, Measured, Trainer, Verdict, in_each, passes, several
from .code import FIT, NOTHING_LIKE_IT, TIES, Code, call
from .fields import INTERCEPT, Field

if TYPE_CHECKING:
    from app.core.points import Points
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
        runs_plain=True,
    ),
    "lasvm": Trainer(
        "LASVM",
        "Online: sees one point after the other, keeps only those it may need (Bordes and others 2005).",
        "PROCESS: a new point moves with a partner.  REPROCESS: the best pair of those kept moves, others leave",
        "operation",
        "operations",
    ),
    "dual-ascent": Trainer(
        "Dual ascent",
        "All multipliers at once, up the gradient of the dual, then back onto the feasible set.",
        "β ← project(β + s v),  β = y α,  v = y − K β",
        "gradient step",
        "gradient steps",
    ),
}
if not TYPE_CHECKING:  # the names in the tables
    KernelName = Literal[tuple(KERNELS)]
    Selection = Literal[tuple(RULES)]
    Multiclass = Literal[tuple(SCHEMES)]
    SvmTrainer = Literal[tuple(TRAINERS)]
#: Most training points for which SMO is recorded step by step.
STEPPED = 10_000
#: Size of the cache of kernel rows of a lane (MB): while points are edited, two or three trainings exist at a time, and
#: with three times as much 10^4 points train no faster.
CACHE_SIZE = 64
#: Model of the training time (s): Newton's method, for a point and a feature of the kernel; SMO, for a point and a
#: support vector, without and with recorded steps; and an addition for each point.
PER_FEATURE, PER_PAIR, PER_RECORDED, PER_POINT = 1e-8, 1.6e-8, 3e-8, 1e-6
POWER_OF_C = 0.35
#: Parameters without effect on the optimum, if the training ends there; nor has the working-set rule.
OF_TRAINERS = ("trainer", "partner", "n_epochs", "finish", "step_size", "fit_intercept")
#: Most features of a kernel for which Newton's method is considered.
MOST_RANK = 2000
#: Weights of the classes: equal, n / (k n_c), or custom.
ClassWeight = Literal["equal", "balanced", "own"]
_Weight = Annotated[float, Meta(ge=0.01, le=100.0)]
#: Largest relative gap that counts as optimal at the limit of double precision.
SMALL_GAP = 0.01
INDEFINITE = "This kernel is not positive semidefinite, so it has no hard margin: choose a finite C."
_LASVM = {
    "none": "",
    "insert": "One of the first points joins the points kept.",
    "process": "PROCESS: a new point joins and moves with the partner that fits it best.",
    "reprocess": "REPROCESS: the best pair of the points kept moves; points far from the margin leave.",
    "sweep": "FINISH checks the points that were dropped once more.",
}


class SvmSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Parameters of the support vector machine, named as in scikit-learn; a hard margin is C = infinity."""

    kernel: KernelName = "rbf"
    C: Annotated[float, Meta(ge=1e-8, le=1e8, extra={"decades": (-4, 6)})] = 1.0
    hard_margin: bool = False
    gamma: Annotated[float, Meta(ge=1e-8, le=1e8, extra={"decades": (-4, 4)})] = 1.0
    degree: Annotated[int, Meta(ge=1, le=9, extra={"steps": (1, 9, 1)})] = 3
    coef0: Annotated[float, Meta(ge=-1e6, le=1e6, extra={"steps": (-5, 5, 0.25)})] = 1.0
    tol: Annotated[float, Meta(ge=1e-9, le=1.0)] = 1e-3
    selection: Selection = "second-order"
    multiclass: Multiclass = "one-vs-one"
    class_weight: ClassWeight = "equal"
    #: Custom weights of classes 1 to 8.
    own_weights: tuple[_Weight, _Weight, _Weight, _Weight, _Weight, _Weight, _Weight, _Weight] = (1.0,) * 8
    trainer: SvmTrainer = "smo"
    #: LASVM: choice of a partner, passes over the points, and whether it continues to the optimum.
    partner: Literal["first-order", "second-order"] = "second-order"
    n_epochs: Annotated[int, Meta(ge=1, le=100)] = 1
    finish: bool = True
    #: Gradient ascent.
    step_size: Literal["barzilai-borwein", "constant"] = "barzilai-borwein"
    fit_intercept: bool = True

    def as_kernel(self) -> Kernel:
        """Return the kernel function of these settings."""
        return Kernel(self.kernel, **{name: getattr(self, name) for name in PARAMETERS})


CLASS_WEIGHTS: dict[str, tuple[str, str]] = {
    "equal": ("Equal", "An error costs the same in every class."),
    "balanced": (
        "Balanced",
        "A class of few points weighs as much as one of many: w = n / (k · m), for n points, k classes, m of them in"
        " this class.",
    ),
    "own": ("Own", "A weight of your choice for each class."),
}
STEP_SIZES: dict[str, tuple[str, str]] = {
    "barzilai-borwein": (
        "Adaptive",
        "s from the step d before, by turns ⟨d, d⟩ / ⟨d, Kd⟩ and ⟨d, Kd⟩ / ⟨Kd, Kd⟩: far fewer steps"
        " (Barzilai and Borwein 1988).",
    ),
    "constant": ("Constant", "s = 1 / maxᵢ Σⱼ |Kᵢⱼ|: the ascent of the textbooks."),
}
PARTNERS: dict[str, str] = {
    "first-order": "The most violating one (the rule of 2005).",
    "second-order": "The one that promises the largest gain: fewer support vectors after one pass (2008).",
}


def class_weight_formula(settings: SvmSettings) -> str:
    """Return the formula of a point's C with these class weights."""
    if settings.hard_margin:
        return "C = ∞ whatever the weight"
    formulas = {"equal": "C", "balanced": "C · n / (k · m)", "own": "C · w of its class"}
    return f"C of a point: {formulas[settings.class_weight]}"


Shown = Callable[[SvmSettings, Sequence[int]], bool]


def _of_kernel(parameter: str) -> Shown:
    return lambda settings, classes: parameter in KERNELS[settings.kernel].parameters


def _of_trainer(trainer: str) -> Shown:
    return lambda settings, classes: settings.trainer == trainer


def _noted(table: dict[str, tuple[str, str]]) -> tuple[tuple[str, str, str], ...]:
    return tuple((title, name, note) for name, (title, note) in table.items())


FIELDS = (
    Field(
        "kernel",
        "choice",
        "Kernel",
        "How alike two points are; it decides which boundaries are possible.",
        choices=tuple((kind.title, name, "") for name, kind in KERNELS.items()),
        primary=True,
    ),
    Field(
        "C",
        "slider",
        "C",
        "Price of slack: large C forbids errors, small C widens the margin.  At the end: hard margin, C = ∞.",
        primary=True,
        end="hard_margin",
        has_curve=True,
    ),
    Field(
        "hard_margin",
        "check",
        "Hard margin",
        "C = ∞: no point may be inside the margin; needs separable data.",
        simple=True,
        change="Set hard margin",
        off="Set soft margin",
    ),
    Field(
        "gamma",
        "slider",
        "γ",
        "How fast likeness fades with distance: large γ makes small islands.",
        title="gamma",
        shown=_of_kernel("gamma"),
        tried=(0.01, 100, 7, True),
        primary=True,
        has_curve=True,
        change="Set γ to {value}",
    ),
    Field(
        "coef0",
        "slider",
        "c₀",
        "c₀ trades high against low powers; below 0 the kernel is not positive semidefinite.",
        title="coef0",
        shown=_of_kernel("coef0"),
        tried=(0, 2, 5, False),
        simple=True,
        presented=True,
        change="Set c₀ to {value}",
    ),
    Field(
        "degree",
        "slider",
        "d",
        "Degree d of the polynomial.",
        title="Degree",
        shown=_of_kernel("degree"),
        simple=True,
        presented=True,
        change="Set the degree to {value}",
    ),
    Field(
        "class_weight",
        "choice",
        "Class weights",
        "What an error costs in each class: C of a point is C times the weight w of its class.",
        choices=_noted(CLASS_WEIGHTS),
        change="Set {value} class weights",
    ),
    Field(
        "weight_formula",
        "text",
        "",
        "",
        parameter="class_weight",
        choices=_noted(CLASS_WEIGHTS),
        shown=lambda settings, classes: settings.class_weight != "equal",
        formula=class_weight_formula,
    ),
    Field(
        "weights_of_classes",
        "numbers of classes",
        "",
        "Weight 3: an error on this class costs three times as much.",
        title="Weight",
        parameter="own_weights",
        shown=lambda settings, classes: settings.class_weight == "own",
        change="Set the class weights",
    ),
    Field(
        "trainer",
        "choice",
        "Trainer",
        "",
        choices=tuple((each.title, name, f"{each.note}\n{each.formula}") for name, each in TRAINERS.items()),
        change="Set the trainer to {value}",
        group="Training",
    ),
    Field(
        "rule",
        "choice",
        "Working-set rule",
        "Which two multipliers SMO moves next. All reach the same optimum, in more or fewer steps.",
        parameter="selection",
        choices=tuple((rule.title, name, rule.note) for name, rule in RULES.items()),
        shown=_of_trainer("smo"),
        change="Set the rule to {value}",
        group="Training",
    ),
    Field(
        "partner",
        "choice",
        "Partner",
        "The kept point with which a new point moves.",
        choices=tuple((RULES[name].title, name, note) for name, note in PARTNERS.items()),
        shown=_of_trainer("lasvm"),
        change="Set the partner to {value}",
        group="Training",
    ),
    Field(
        "step_size",
        "choice",
        "Length of a step",
        "How far along the gradient, s. Both end at the same optimum.",
        choices=_noted(STEP_SIZES),
        shown=_of_trainer("dual-ascent"),
        change="Set the length of a step to {value}",
        group="Training",
    ),
    Field(
        "tol",
        "number",
        "Tolerance",
        "Stop below this KKT violation.",
        tried=(1e-6, 0.1, 6, True),
        change="Set the tolerance to {value}",
        group="Training",
    ),
    Field(
        "epochs",
        "integer",
        "Passes",
        "How often LASVM sees each point.",
        parameter="n_epochs",
        tried=(1, 10, 5, False),
        shown=_of_trainer("lasvm"),
        change="Set the passes to {value}",
        group="Training",
    ),
    Field(
        "finish",
        "check",
        "Go on to the optimum",
        "After the passes, go on to the optimum. Without it, LASVM ends with the last point.",
        title="Finish",
        shown=_of_trainer("lasvm"),
        change="Finish",
        off="Do not finish",
        group="Training",
    ),
    replace(INTERCEPT, shown=_of_trainer("dual-ascent")),
    Field(
        "multiclass",
        "choice",
        "Many classes",
        "How an SVM, which separates two classes, handles more: each pair of them, or each against the rest.",
        choices=tuple((scheme.title, name, scheme.note) for name, scheme in SCHEMES.items()),
        shown=lambda settings, classes: len(classes) > 2,
        change="Set {text}",
    ),
)


def trains_fast(settings: SvmSettings, n: int) -> bool:
    """Return whether `n` points are trained by the fastest algorithm."""
    return settings.trainer == "smo" and n > STEPPED


def same_optimum(settings: SvmSettings) -> bool:
    """Return whether the training ends at the optimum that does not depend on the trainer."""
    return {"smo": True, "lasvm": settings.finish, "dual-ascent": settings.fit_intercept}[settings.trainer]


def with_defaults(settings: SvmSettings) -> SvmSettings:
    """Return the settings with defaults for all that has no effect on the end of the training."""
    unused = ("selection", *OF_TRAINERS) if same_optimum(settings) else ("selection",)
    return replace(settings, **{name: getattr(SvmSettings(), name) for name in unused})


def why_slow(settings: SvmSettings) -> str:
    """Return a few words on why the fastest algorithm takes long."""
    if settings.hard_margin:
        return "No fast algorithm for a hard margin"
    if settings.kernel == "rbf":
        return f"No fast algorithm with γ = {short(settings.gamma)}"
    return f"No fast algorithm with the {settings.as_kernel().kind.title} kernel"


class Machine(Learner[SvmSettings]):
    """The support vector machine, trained by any of `TRAINERS`."""

    title = "Support vector machine"
    short = "SVM"
    note = "The widest margin, also with kernels."
    settings = SvmSettings
    fields = FIELDS
    trainers: ClassVar = TRAINERS
    n_classes_needed = 2
    simple = True
    growth = 2.0
    fast = FastTraining(trains_fast, same_optimum, lambda settings: svc_of(with_defaults(settings), "auto"), why_slow)
    asking = Asking(lambda settings: svc_of(settings))

    def formula(self, settings: SvmSettings) -> str:
        kernel = settings.as_kernel()
        return kernel.kind.formula

    def remark(self, settings: SvmSettings) -> str:
        return settings.as_kernel().kind.note

    def name(self, settings: SvmSettings) -> str:
        parts = [f"SVM, {settings.as_kernel().kind.title}", f"C = {'∞' if settings.hard_margin else short(settings.C)}"]
        parameters = settings.as_kernel().kind.parameters
        parts += [f"{self.field(name).called} = {short(getattr(settings, name))}" for name in parameters]
        if settings.multiclass != "one-vs-one":
            parts.append(SCHEMES[settings.multiclass].title.lower())
        if settings.class_weight != "equal":
            parts.append(f"{settings.class_weight} weights")
        if settings.trainer != "smo":
            parts.append(TRAINERS[settings.trainer].title)
        if settings.trainer == "dual-ascent" and not settings.fit_intercept:
            parts.append("no intercept")
        return ", ".join(parts)

    def all_tied(self, settings: SvmSettings) -> str:
        kernel = settings.as_kernel()
        if kernel.kind.rate(kernel) is not None:  # the kernel decays with the distance
            return (
                f"All grey: with γ = {short(settings.gamma)} no point reaches far enough for f to differ from 0."
                "  Make γ smaller, or standardise x and y in Settings."
            )
        return "All grey: f is 0 everywhere, so that no class is ahead."

    def decision(self, settings: SvmSettings) -> str:
        return f"f(x) = Σ αᵢ yᵢ K(xᵢ, x) + b;  {self.formula(settings)}"

    def distance(self, certificate: Certificate) -> float:
        return certificate.kkt_violation

    def verdict(self, certificates: Sequence[Certificate], settings: SvmSettings) -> Verdict:
        by_status = {c.status: c for c in certificates}
        tol, through = short(settings.tol), ""
        violation, gaps = short(max([0.0, *(c.kkt_violation for c in certificates)])), [c.gap for c in certificates]
        proved = f"KKT {violation}" + ("" if any(map(math.isnan, gaps)) else f", gap {percent(max(gaps, default=0.0))}")
        if Status.NOT_SEPARABLE in by_status:
            bound = short(min(c.margin_bound for c in certificates if c.status is Status.NOT_SEPARABLE))
            text = f"Not separable with a margin above {bound}"
            return Verdict(False, text, f"not separable: the margin is below {bound}")
        if Status.STOPPED_EARLY in by_status:
            steps = grouped(by_status[Status.STOPPED_EARLY].n_iter)
            if settings.trainer == "lasvm" and not settings.finish:
                over = f"Over after {passes(settings.n_epochs)}, without FINISH: {_not_yet(certificates, settings)}"
                return Verdict(False, over, f"not finished: without FINISH, {proved}")
            waits = settings.trainer == "smo" and settings.selection == "cyclic"
            waiting = "; in cyclic order late partners may wait very long" if waits else ""
            text = f"Stopped early after {steps} steps: {_not_yet(certificates, settings)}{waiting}"
            return Verdict(False, text, f"stopped early: at step {steps}, {proved}")
        if Status.PRECISION in by_status:
            if all(c.gap <= SMALL_GAP for c in certificates):
                text = f"Optimal to double precision (KKT violation {violation})"
                return Verdict(True, text, f"optimal: to double precision, {proved}")
            text = f"Not shown optimal: double precision ends here (KKT violation {violation})"
            return Verdict(False, text, f"not certified: double precision ends here, {proved}")
        if Status.STATIONARY in by_status:
            return Verdict(True, f"Stationary to {tol} (kernel not positive semidefinite)", f"stationary: {proved}")
        if settings.trainer == "dual-ascent" and not settings.fit_intercept:
            through = " of all f without intercept"
        return Verdict(True, f"Optimal to {tol}{through}", f"optimal: {proved}")

    def so_far(self, certificates: Sequence[Certificate], settings: SvmSettings) -> str:
        return _not_yet(certificates, settings)

    def numbers(self, certificates: Sequence[Certificate], settings: SvmSettings) -> list[str]:
        gaps = [c.gap for c in certificates]
        free, bounded = sum(c.n_free for c in certificates), sum(c.n_bounded for c in certificates)
        ended = all(c.status in (Status.OPTIMAL, Status.STATIONARY) for c in certificates)
        noun = "pair" if settings.multiclass == "one-vs-one" else "problem"
        where = " among the points kept" if settings.trainer == "lasvm" and not ended else ""
        return [
            count(sum(c.n_iter for c in certificates), "step") + several(certificates, noun),
            f"KKT violation {short(max([0.0, *(c.kkt_violation for c in certificates)]))}{where}",
            (f"gap {percent(max(gaps))}" if not any(map(math.isnan, gaps)) else "gap unknown")
            + _error_of_f(certificates, settings.tol),
            f"support vectors: {free} free + {bounded} bounded" + in_each(certificates, noun),
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

    def refusal(self, settings: SvmSettings) -> str:
        if settings.hard_margin and settings.trainer != "smo":
            title = TRAINERS[settings.trainer].title
            return f"{title} needs a box, 0 ≤ α ≤ C, so it has no hard margin: choose a finite C, or SMO."
        return INDEFINITE if _is_indefinite(settings) else ""

    def training_key(self, settings: SvmSettings, fast: bool = False) -> SvmSettings:
        return with_defaults(settings) if fast else settings

    def estimate(
        self,
        settings: SvmSettings,
        n: int,
        extent: tuple[float, float],
        known: Measured | None = None,
        n_classes: int = 2,
    ) -> float:
        if settings.trainer != "smo":
            return super().estimate(settings, n, extent, known, n_classes)
        fast = trains_fast(settings, n)
        modelled = self._modelled(settings, n, extent, known, n_classes)
        if known is None or trains_fast(settings, known.n) != fast:
            return modelled
        # A measured time corrects the model, which ignores how difficult points and settings are.
        before = self._modelled(settings, known.n, extent, known, n_classes)
        return modelled * known.seconds / before if before > 0 else math.nan

    def _modelled(
        self, settings: SvmSettings, n: int, extent: tuple[float, float], known: Measured | None, n_classes: int
    ) -> float:
        s, pairs = settings, math.nan if known is None else known.support * float(n) * n
        if not trains_fast(settings, n):
            slower: float = max(1.0, s.C) ** POWER_OF_C
            return PER_POINT * n + PER_RECORDED * pairs * slower
        rank = kernel_rank(s, extent)
        by_newton = PER_FEATURE * rank * (n + n * rank / 80 + rank**2 / 4) if rank <= MOST_RANK else math.inf
        # With k classes, each point is in k - 1 problems, or in k.
        problems = 1 if n_classes == 2 else n_classes - (s.multiclass == "one-vs-one")
        by_newton = math.inf if s.hard_margin else by_newton * problems
        by_smo = PER_PAIR * pairs * problems
        fastest = by_newton if math.isnan(by_smo) else min(by_newton, by_smo)
        return PER_POINT * n + fastest if math.isfinite(fastest) else math.nan

    def code(self, settings: SvmSettings, points: Points) -> Code | str:
        s, classes = settings, points.classes
        if s.kernel not in SCIKIT_LEARN:
            return NOTHING_LIKE_IT
        several, through = len(classes) > 2, _goes_through_origin(s)
        own = f"{{{', '.join(f'{c}: {s.own_weights[c]!r}' for c in classes)}}}"
        weights = {"equal": "", "balanced": '"balanced"', "own": own}[s.class_weight]
        # Each of several machines has classes 0 and 1, so weights of classes are passed as weights of points.
        wrapped = several and (s.multiclass == "one-vs-rest" or through)
        asks = wrapped and bool(weights)
        make = _without_intercept if through else _as_svc
        model, imports = make(s, "" if wrapped else weights, asks)
        far = not through and s.kernel in ("linear", "rbf") and np.abs(points.xy).max() > FAR * max(points.extent)
        fitted = "{model}[-1]" if far else "{model}"
        before, fit, support = "", FIT, "" if through else f"X[{fitted}.support_]"
        if wrapped:
            scheme = "OneVsRestClassifier" if s.multiclass == "one-vs-rest" else "OneVsOneClassifier"
            model, imports = call(scheme, model), [*imports, ("sklearn.multiclass", scheme)]
            each = f"X[np.concatenate(\n    [each.support_ for each in {fitted}.estimators_]\n)]"
            support = each if support else ""
        if asks:
            imports += [("sklearn", "set_config"), ("sklearn.utils.class_weight", "compute_sample_weight")]
            before = "set_config(enable_metadata_routing=True)  # weights reach each SVM"
            fit = f"{{model}}.fit(X, y, sample_weight=compute_sample_weight(\n    {weights}, y\n))"
        if through and s.kernel != "linear":
            model, more = _with_features(s, model)
            imports = [*imports, *more]
        remarks = _code_remarks(s, several)
        if trains_fast(settings, len(points)):
            remarks = (*remarks, "The time of SVC grows with the square of the number of points, which is large.")
        if far:
            centred = call("StandardScaler", with_std="False", then=".set_fit_request(sample_weight=False)" * asks)
            model = call("make_pipeline", centred, model)
            imports += [("sklearn.pipeline", "make_pipeline"), ("sklearn.preprocessing", "StandardScaler")]
            remarks = (
                *remarks,
                "The points are far from the origin: without centring, LIBSVM's kernel is rounding error.",
            )
        return Code(model, tuple(imports), before, fit, "", remarks, True, support)

    def estimator(self, settings: SvmSettings) -> PairClassifier:
        # Imported here: the window starts without estimators that no lane uses.
        import solver

        if settings.trainer == "lasvm":
            own: dict[str, Any] = {name: getattr(settings, name) for name in ("n_epochs", "finish")}
            return solver.OnlineSVC(settings.C, selection=settings.partner, random_state=0, **_shared(settings), **own)
        if settings.trainer == "dual-ascent":
            own = {name: getattr(settings, name) for name in ("fit_intercept", "step_size")}
            return solver.DualAscentSVC(settings.C, **_shared(settings), **own)
        return svc_of(settings, cache_size=CACHE_SIZE)


#: Kernels that scikit-learn has, all but one by name.
SCIKIT_LEARN = ("linear", "poly", "rbf", "sigmoid", "laplacian")
#: Value in place of C = infinity for LIBSVM, and the C from which its steps are limited, to this number.
HARD, LARGE_C, MOST_STEPS = 1e10, 1e6, "10_000_000"
#: Components of Nystroem for a kernel machine without an intercept.
COMPONENTS = 500
#: Distance from the origin, in widths of the points, from which they are centred: else LIBSVM's distances lose digits.
FAR = 300.0
_ASKING = ".set_fit_request(sample_weight=True)"
_Made = tuple[str, list[tuple[str, str]]]


def _as_svc(settings: SvmSettings, class_weight: str, asks: bool) -> _Made:
    """Return the call of SVC with these settings, and its imports; `asks`: with weights of points."""
    parameters: dict[str, str] = _kernel_code(settings)
    imports: list[tuple[str, str]] = []
    if settings.kernel == "laplacian":
        parameters = {"kernel": f"partial(laplacian_kernel, gamma={settings.gamma!r})"}
        imports += [("functools", "partial"), ("sklearn.metrics.pairwise", "laplacian_kernel")]
    parameters["C"] = repr(HARD if settings.hard_margin else settings.C)
    if settings.tol != 1e-3:
        parameters["tol"] = repr(settings.tol)
    if class_weight:
        parameters["class_weight"] = class_weight
    if settings.hard_margin or settings.C >= LARGE_C:
        parameters["max_iter"] = MOST_STEPS
    return call("SVC", then=_ASKING * asks, **parameters), [*imports, ("sklearn.svm", "SVC")]


def _without_intercept(settings: SvmSettings, class_weight: str, asks: bool) -> _Made:
    """Return the call of a linear SVM without an intercept, and its imports."""
    parameters = {"C": repr(settings.C), "loss": '"hinge"', "fit_intercept": "False"}
    parameters |= {"class_weight": class_weight} if class_weight else {}
    parameters |= {"tol": "1e-6", "max_iter": "1_000_000", "random_state": "0"}
    return call("LinearSVC", then=_ASKING * asks, **parameters), [("sklearn.svm", "LinearSVC")]


def _with_features(settings: SvmSettings, model: str) -> _Made:
    """Return a pipeline of the kernel's features and `model`, and its imports."""
    components = f"min(len(X), {COMPONENTS})"
    features = call("Nystroem", **_kernel_code(settings), n_components=components, random_state="0")
    imports = [("sklearn.kernel_approximation", "Nystroem"), ("sklearn.pipeline", "make_pipeline")]
    return call("make_pipeline", features, model), imports


def _kernel_code(settings: SvmSettings) -> dict[str, str]:
    parameters = {name: repr(getattr(settings, name)) for name in KERNELS[settings.kernel].parameters}
    return {"kernel": f'"{settings.kernel}"', **parameters}


def _goes_through_origin(settings: SvmSettings) -> bool:
    """Return whether f has no intercept, in a way that scikit-learn supports."""
    without = settings.trainer == "dual-ascent" and not settings.fit_intercept
    return without and settings.as_kernel().is_positive_semidefinite


def _code_remarks(settings: SvmSettings, several: bool) -> tuple[str, ...]:
    """Return remarks on the differences to scikit-learn."""
    s, remarks = settings, []
    if s.hard_margin:
        remarks.append("A hard margin is C = infinity: here, C is so large that no point may be inside.")
    if s.trainer == "lasvm" and s.finish:
        remarks.append("LASVM ends at the same optimum.")
    elif s.trainer == "lasvm":
        remarks.append(
            "LASVM without Finish stops before the optimum, to which SVC goes: its boundary may be elsewhere."
        )
    elif s.trainer == "dual-ascent" and s.fit_intercept:
        remarks.append("Dual ascent ends at the same optimum.")
    elif s.trainer == "dual-ascent" and not s.as_kernel().is_positive_semidefinite:
        remarks.append(
            "There is no SVM without an intercept for this kernel: this one has one, so its boundary is elsewhere."
        )
    elif s.trainer == "dual-ascent" and s.kernel != "linear":
        remarks.append("No intercept: Nystroem makes features of the kernel, where LinearSVC finds a line.")
    elif s.selection != "second-order":
        remarks.append("SVC has a working-set rule of its own, and the same optimum.")
    if not s.as_kernel().is_positive_semidefinite:
        remarks.append("This kernel is not positive semidefinite: SVC may end at another stationary point.")
    if several and s.multiclass == "one-vs-one" and _goes_through_origin(s):
        remarks.append("Of classes with as many duels won, the largest sum of f wins; in the playground, they tie.")
    elif several and s.multiclass == "one-vs-one":
        remarks.append(TIES)
    return tuple(remarks)


def svc_of(settings: SvmSettings, solver: str = "smo", **others: Any) -> SVC:
    """Return an `SVC` with the parameters of a lane, and `others`; raise a ValueError with a sentence if impossible."""
    if _is_indefinite(settings):
        raise ValueError(INDEFINITE)
    from solver import SVC

    C = math.inf if settings.hard_margin else settings.C
    return SVC(C, selection=settings.selection, random_state=0, solver=solver, **_shared(settings), **others)


def kernel_rank(settings: SvmSettings, extent: tuple[float, float]) -> float:
    """Estimate the number of features of the kernel for points in a box of this `extent`; inf for too many."""
    if settings.kernel == "rbf":  # an axis of length L needs about 2.4 L sqrt(gamma) functions
        return math.prod(2.4 * length * math.sqrt(settings.gamma) + 6.0 for length in extent)
    if settings.kernel in ("linear", "poly") and settings.as_kernel().is_positive_semidefinite:
        degree = settings.degree if settings.kernel == "poly" else 1
        return (degree + 1) * (degree + 2) / 2 if degree <= 8 else math.inf
    return math.inf


def _shared(settings: SvmSettings) -> dict[str, Any]:
    """Return the parameters common to all estimators of support vector machines, except C."""
    names = ("kernel", *PARAMETERS, "tol", "multiclass")
    weights: dict[str, Any] = {"equal": None, "balanced": "balanced", "own": dict(enumerate(settings.own_weights))}
    return {name: getattr(settings, name) for name in names} | {"class_weight": weights[settings.class_weight]}


def _is_indefinite(settings: SvmSettings) -> bool:
    return settings.hard_margin and not settings.as_kernel().is_positive_semidefinite


def _error_of_f(certificates: Sequence[Certificate], tol: float) -> str:
    """Return the suffix on the error of f, which the gap includes; "" where it is less than 1e-8 of `tol`."""
    error = max(c.kernel_error for c in certificates)
    return f", an error of f of {short(error)} included" if error > 1e-8 * tol else ""


def _not_yet(certificates: Sequence[Certificate], settings: SvmSettings) -> str:
    """Return the state of multipliers without a proof of optimality, which may only lack a check of all points."""
    there = all(c.kkt_violation <= settings.tol for c in certificates)
    return "not shown optimal yet" if there else "not optimal yet"
