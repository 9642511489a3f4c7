"""Text: sentences and numbers on screen that belong to no feature, made from values; no Qt."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.engine.requests import Frame, Phase
from app.learners.table import SVM_TRAINERS, TRAINERS
from app.state.document import Lane
from app.state.number_format import count, grouped, percent, short, span_of_time
from app.state.points import MAX_CLASSES
from solver import SCHEMES, KNeighborsClassifier

from . import certificate_text

#: Title and note of each.
CLASSIFIERS: dict[str, tuple[str, str]] = {
    "knn": ("k nearest neighbours", "The k nearest points vote."),
    "svm": ("Support vector machine", "The widest margin, also with kernels."),
    **{name: (TRAINERS[name].title, TRAINERS[name].note) for name in TRAINERS if name not in SVM_TRAINERS},
    "difference": ("Difference", "Where two of the other classifiers predict different classes."),
}
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
CLASS_WEIGHTS: dict[str, tuple[str, str]] = {
    "equal": ("Equal", "An error costs the same in every class."),
    "balanced": (
        "Balanced",
        "A class of few points weighs as much as one of many: w = n / (k · m), for n points, k classes, m of them in"
        " this class.",
    ),
    "own": ("Own", "A weight of your choice for each class."),
}
PARTNERS: dict[str, str] = {
    "first-order": "The most violating one (the rule of 2005).",
    "second-order": "The one that promises the largest gain: fewer support vectors after one pass (2008).",
}
STEP_SIZES: dict[str, tuple[str, str]] = {
    "barzilai-borwein": (
        "Adaptive",
        "s from the step d before, by turns ⟨d, d⟩ / ⟨d, Kd⟩ and ⟨d, Kd⟩ / ⟨Kd, Kd⟩: far fewer steps"
        " (Barzilai and Borwein 1988).",
    ),
    "constant": ("Constant", "s = 1 / maxᵢ Σⱼ |Kᵢⱼ|: the ascent of the textbooks."),
}
WEIGHT_NOTE = "Weight 3: an error on this class costs three times as much."


def formula(lane: Lane) -> str:
    """The formula of the chosen kernel or vote, or of a linear learner's step."""
    if lane.classifier == "svm":
        return lane.svm.as_kernel().kind.formula
    if lane.trainer is not None:
        return lane.trainer.formula
    if lane.is_difference:
        return "share = places where the two predict different classes / all places in view"
    return f"{METRICS[lane.knn.metric][1]};  {WEIGHTS[lane.knn.weights][1]}"


def note(lane: Lane) -> str:
    """What the lane's kernel or learner warns of, or teaches."""
    if lane.classifier == "knn":
        return ""
    if lane.is_difference:
        return (
            "Stripes: the two classes that are predicted there. Solid line: the boundary of the first; dashed: of the"
            " second. Ctrl+7 chooses which two, and lists the points."
        )
    if lane.classifier == "pegasos":
        return "No intercept: every line goes through the origin. The answer is the average of all w."
    if lane.classifier == "perceptron":
        sentence = "Stops at the first line that makes no mistake; another order of the points gives another line."
        return sentence if lane.perceptron.fit_intercept else f"Every line goes through the origin. {sentence}"
    kernel = lane.svm.as_kernel()
    if not kernel.is_positive_semidefinite:
        return (
            "Not positive semidefinite here: the dual can have several stationary points, "
            "so the answer is called stationary, not optimal."
        )
    return kernel.kind.note


def classifier_name(lane: Lane) -> str:
    """ "kNN, k = 5, uniform, Euclidean" or "SVM, RBF, C = 1, γ = 1, LASVM"."""
    if lane.is_difference:
        return "Difference of two"
    if lane.classifier == "knn":
        knn = lane.knn
        return f"kNN, k = {knn.n_neighbors}, {WEIGHTS[knn.weights][0]}, {METRICS[knn.metric][0]}"
    if lane.classifier == "perceptron":
        p = lane.perceptron
        order = f"random orders (seed {p.random_state})" if p.shuffle else "order of the points"
        return f"Perceptron, {order}" + ("" if p.fit_intercept else ", no intercept")
    if lane.classifier == "pegasos":
        return f"Pegasos, λ = {short(lane.pegasos.lam)}, {grouped(lane.pegasos.n_iter)} steps"
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


def class_weight_formula(lane: Lane) -> str:
    """What an error on a point costs under the lane's class weights, in a few signs."""
    s = lane.svm
    if s.hard_margin:
        return "C = ∞ whatever the weight"
    return {"equal": "Cᵢ = C", "balanced": "Cᵢ = C · n / (k · m)", "own": "Cᵢ = C · w of its class"}[s.class_weight]


CLASS_NAMES = tuple(f"class {label + 1}" for label in range(MAX_CLASSES))


def problem(first: int, second: int, names: Sequence[str] = CLASS_NAMES) -> str:
    """ "class 1 against class 2", or "class 1 against the rest" for twice the same class number."""
    return f"{names[first]} against {'the rest' if first == second else names[second]}"


def headline(frame: Frame | None, lane: Lane, compiled: bool) -> str:
    """Where a lane stands, in a few plain words."""
    preparing = "Preparing the fast solver… " if not compiled else ""
    if lane.is_difference:
        picture = None if frame is None else frame.picture
        if frame is None or picture is None or not picture.differing >= 0:
            return "Comparing…"
        return f"They differ on {'' if frame.full else 'about '}{percent(picture.differing)} of the area in view"
    if frame is None:
        return preparing or "Starting…"
    if frame.phase is Phase.EMPTY:
        if len(frame.points) and len(frame.points.classes) < 2:
            return preparing + "Waiting for a second class"
        return preparing + "Waiting for points" if not len(frame.points) else preparing or "Starting…"
    if frame.phase is Phase.FAILED:
        return "No picture"
    if isinstance(frame.model, KNeighborsClassifier):
        used, asked = frame.model.n_neighbors, frame.lane.knn.n_neighbors
        if used < asked:
            return f"{preparing}k = {asked}, but there {_only(used)}"
        return f"{preparing}Exact: the {used} nearest of {grouped(len(frame.points))} vote"
    if frame.phase is Phase.TRAINING:
        return f"{preparing}Training…"
    if frame.phase is Phase.PAUSED:
        return f"{preparing}Paused, {certificate_text.so_far(frame.certificates, frame.lane)}"
    return preparing + certificate_text.verdict(frame.certificates, frame.lane).text


def sampled(frame: Frame | None, number: int, limit: int) -> str:
    """What to add to a headline when a lane has learnt from a sample of so many points, which are above the limit."""
    if frame is None or frame.phase is Phase.EMPTY or number <= limit:
        return ""
    return f" · learnt from a sample: {grouped(len(frame.points))} of {count(number, 'point')}"


def _only(number: int) -> str:
    return "is only 1 point: it alone votes" if number == 1 else f"are only {number} points: all of them vote"


def details(frame: Frame | None) -> str:
    """The lane's numbers in one line."""
    if frame is None or frame.model is None:
        return ""
    parts = certificate_text.numbers(frame.certificates, frame.lane)
    parts.append(f"training accuracy {percent(frame.accuracy)}" if frame.accuracy >= 0 else "counting wrong points…")
    parts.append(span_of_time(frame.seconds))
    return "  ·  ".join(parts)


def waits_for_a_class(lane: Lane, classes: Sequence[int]) -> bool:
    """The lane would part two classes, and all points are of one."""
    return lane.trainer is not None and len(classes) == 1


def empty_sentence(
    lane: Lane, classes: list[int], n_points: int, compiled: bool, names: Sequence[str] = CLASS_NAMES, n_test: int = 0
) -> str:
    """What to do when a lane has nothing to show; `classes` and `n_points` are of what it trains on."""
    if n_points == 0 and n_test:
        return "All points are test points: nothing is left to learn from.\nShift and the brush N gives points back."
    if n_points == 0:
        return "Click to add points.\nKeys 1–8 choose their class; or generate a data set."
    if waits_for_a_class(lane, classes):
        who = "An SVM" if lane.classifier == "svm" else f"{lane.trainer.title}" if lane.trainer else ""
        which = "All points but test points" if n_test else "All points"
        return f"{who} needs two classes.\n{which} are of {names[classes[0]]}: press another number and click."
    if not compiled:
        return "Preparing the fast solver for this many points…"
    return ""


def speed(steps_per_second: float) -> str:
    """ "full speed", "1 step in 2 s", "30 steps a second"."""
    if math.isinf(steps_per_second):
        return "full speed"
    if steps_per_second < 1:
        return f"1 step in {1 / steps_per_second:g} s"
    return f"{count(int(steps_per_second), 'step')} a second"


def speed_note(lane: Lane) -> str:
    """What the speed of a lane counts."""
    if lane.trainer is None or lane.trainer.step == "step":
        return "Steps a second."
    return f"Steps a second; one step is one {lane.trainer.step}."


#: Signs in the pictures, what they mean, and whether only an SVM has them.
LEGEND: tuple[tuple[str, str, bool], ...] = (
    ("boundary", "Decision boundary", False),
    ("margin", "Margins: f = −1 and f = +1", True),
    ("free", "Free support vector: exactly on the margin", True),
    ("bounded", "Bounded support vector: inside the margin or misclassified", True),
    ("test", "Test point: nothing is trained on it", False),
    ("wrong", "The model gets this point wrong", False),
    ("tie", "Tie: no class is ahead", False),
)
#: Signs of a picture that marks KKT cases, in place of those of support vectors; and of one that is not certified.
KKT_LEGEND: tuple[tuple[str, str], ...] = (
    ("kkt1", "Free: 0 < α < C, exactly on the margin"),
    ("kkt2", "Bounded: α = C, on the margin or inside it"),
    ("kkt3", "Bounded: α = C, misclassified, slack above 1"),
    ("kkt1!", "Broken: y f is not yet as the case asks"),
    ("slack", "Slack ξ: from the point to its own margin; a double bar where that is not in view"),
)
#: Signs of what lies between surface and points, as `sheets.signs_of` names them.
SHEET_LEGEND: tuple[tuple[str, str], ...] = (
    ("ideal", "True or ideal boundary"),
    ("haze", "Haze: boundaries on resampled points"),
    ("ghost", "Boundary before the last edit"),
    ("other", "Threshold: here the score is t"),
    ("differ", "Striped: the two compared classifiers predict different classes"),
)
PROVISIONAL = ("provisional", "Hatched: not certified yet")
