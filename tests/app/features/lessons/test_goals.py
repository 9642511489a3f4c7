"""Goals: how they are read, and whether they are reached, against scikit-learn and plain counting."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from app.core.number_format import percent, short
from app.engine.frames import Phase
from app.features.ground_truth.scene import law_of
from app.features.lessons.goals import Clause, check, clauses, fault, margin_of
from app.features.lessons.phrases import unbroken
from app.features.scores.scene import FRESH, SEED
from app.files import examples
from app.learners.knn import KnnSettings
from app.learners.online import PerceptronSettings
from app.learners.svm import SvmSettings
from app.state.document import Document, GeneratorSettings, Lane, default_document
from app.state.split import Split
from tests.app.features.lessons.rehearsal import context_of, frame_of
from tests.copies import replace


def of(settings: GeneratorSettings, *lanes: Lane, **fields: object) -> Document:
    made = replace(default_document(), points=settings.points(), origin=settings, lanes=lanes, shown=len(lanes))
    return replace(made, compared=(0, min(1, len(lanes) - 1)), **fields)  # type: ignore[arg-type]


MOONS = GeneratorSettings("moons", 40, 0.3, 2)
BLOBS = GeneratorSettings("blobs", 20, 0.3, 1)
KNN, SVM = Lane("knn", knn=KnnSettings(3)), Lane("svm", svm=SvmSettings(C=2.0, gamma=0.7, tol=1e-6))
READ: dict[str, tuple[Clause, ...]] = {
    "both above 95 %": (Clause("accuracy", (0, 1), "above", 0.95),),
    "Both above 95%.": (Clause("accuracy", (0, 1), "above", 0.95),),
    "accuracy of 2 above 90 %": (Clause("accuracy", (1,), "above", 0.9),),
    "2 at least 90 %": (Clause("accuracy", (1,), "at least", 0.9),),
    "test accuracy of classifier 1 \u2265 62.5\u00a0%": (Clause("test accuracy", (0,), "≥", 0.625),),
    "training accuracy exactly 100 %": (Clause("training accuracy", None, "exactly", 1.0),),
    "all below 50 %": (Clause("accuracy", None, "below", 0.5),),
    "margin above 0.5": (Clause("margin", None, "above", 0.5),),
    "at most 5 support vectors": (Clause("support vectors", None, "at most", 5.0),),
    "at least 1 support vector in 2": (Clause("support vectors", (1,), "at least", 1.0),),
    "steps of 2 below 50": (Clause("steps", (1,), "below", 50.0),),
    "fewer than 3 wrong": (Clause("wrong points", None, "fewer than", 3.0),),
    "at most 20 points and margin below 0.8": (
        Clause("points", None, "at most", 20.0),
        Clause("margin", None, "below", 0.8),
    ),
}
NOT_READ = {
    "": "not understood",
    "win": "not understood",
    "above 95 %": "not understood",
    "both above": "not understood",
    "both above 95": "is a share",
    "margin above 5 %": "is no share",
    "at most 2.5 support vectors": "a whole number",
    "all above 100 %": "can never be reached",
    "all below 0 %": "can never be reached",
    "fewer than 0 wrong": "can never be reached",
    "both above 95 % and": "not understood",
    "both above 9" + "9" * 500 + " %": "not understood",
}


@pytest.mark.parametrize("text", READ)
def test_a_goal_is_read(text: str) -> None:
    assert clauses(text) == READ[text]


@pytest.mark.parametrize("text", NOT_READ)
def test_a_goal_that_is_not_understood_is_a_sentence(text: str) -> None:
    with pytest.raises(ValueError, match=NOT_READ[text]):
        clauses(text)


def test_unreachable_goals() -> None:
    two, three = of(MOONS, KNN, SVM), of(MOONS, KNN, SVM, SVM)
    by_hand = replace(two, origin=None)
    cases = {
        ("both above 95 %", two, False): "",
        ("both above 95 %", three, False): "there are 3 classifiers",
        ("3 above 95 %", two, True): "asks for classifier 3, but there are 2",
        ("margin above 1", two, False): "",
        ("margin of 1 above 1", two, False): "no classifier that is meant has a margin",
        ("margin of 1 above 1", two, True): "",
        ("test accuracy above 50 %", by_hand, False): "has a test accuracy",
        ("accuracy above 50 %", by_hand, False): "",
        ("at least 20 points", by_hand, False): "",
    }
    for (text, document, can_change), report in cases.items():
        found = fault(text, document, can_change)
        assert bool(found) == bool(report) and report in found, text


def test_accuracies_are_those_of_independent_classifiers() -> None:
    document = of(MOONS, KNN, SVM)
    X, y = document.points.xy, document.points.labels
    law = law_of(MOONS)
    assert law is not None
    new, classes = law.draw(FRESH, SEED)
    others = KNeighborsClassifier(3).fit(X, y), SVC(C=2.0, gamma=0.7, tol=1e-6).fit(X, y)
    test = [float((other.predict(new) == classes).mean()) for other in others]
    training = [float((other.predict(X) == y).mean()) for other in others]
    context = context_of(document)
    both = " and ".join(map(percent, test))
    for index, share in enumerate(test):
        for text in (f"test accuracy of {index + 1}", f"{index + 1}"):
            assert check(f"{text} at least {100 * share:.6f} %", context).reached
            assert check(f"{text} above {100 * share:.6f} %", context).reached is False
    report = check("both above 50 %", context)
    assert report.reached and report.text == unbroken(f"test accuracy above 50 % for both (now {both})")
    for number, share in enumerate(training, 1):
        assert check(f"training accuracy of {number} exactly {100 * share:.9f} %", context).reached
        wrong = round((1 - share) * len(X))
        assert check(f"exactly {wrong} wrong in {number}", context).reached and wrong
    assert check("exactly 80 points", context).text == "exactly 80 points (now 80)"


def test_without_test_points_and_generator_the_accuracy_is_that_of_training() -> None:
    context = context_of(replace(of(MOONS, KNN), origin=None))
    report = check("all above 50 %", context)
    assert report.reached and report.text.startswith("training accuracy")
    assert check("test accuracy above 1 %", context).reached is False
    split = of(MOONS, KNN, split=Split("ratio", 0.3))
    held = split.test_points
    other = KNeighborsClassifier(3).fit(split.training_points.xy, split.training_points.labels)
    share = float((other.predict(held.xy) == held.labels).mean())
    assert unbroken(percent(share)) in check("all above 1 %", context_of(split)).text


def test_margins_and_support_vectors_are_those_of_libsvm() -> None:
    for kernel, name in (("rbf", "rbf"), ("linear", "linear")):
        lane = Lane("svm", svm=SvmSettings(kernel=kernel, C=2.0, gamma=0.7, tol=1e-6))
        document = of(MOONS, KNN, lane)
        other = SVC(kernel=name, C=2.0, gamma=0.7, tol=1e-8).fit(document.points.xy, document.points.labels)
        K = np.exp(-0.7 * ((other.support_vectors_[:, None] - other.support_vectors_) ** 2).sum(axis=2))
        K = K if kernel == "rbf" else other.support_vectors_ @ other.support_vectors_.T
        width = 2.0 / np.sqrt(other.dual_coef_[0] @ K @ other.dual_coef_[0])
        context = context_of(document)
        assert margin_of(frame_of(document, 1)) == pytest.approx(width, rel=1e-4)
        assert check(f"margin above {0.999 * width:.6f}", context).text.endswith(f" (now {short(width)})")
        assert check(f"margin below {0.999 * width:.6f}", context).reached is False
        assert check(f"exactly {len(other.support_)} support vectors", context).reached


def test_the_margin_of_a_perceptron_is_twice_its_distance_from_the_nearest_point() -> None:
    document = examples.read(examples.BY_NAME["perceptron"])
    frame = frame_of(document, 0)
    w, b = frame.model.coef_[0], frame.model.intercept_[0]  # type: ignore[union-attr]
    nearest = np.abs(document.points.xy @ w + b).min() / np.hypot(*w)
    assert margin_of(frame) == pytest.approx(2 * nearest)
    overlapping = of(MOONS, Lane("perceptron", perceptron=PerceptronSettings(max_iter=5)))
    context = context_of(overlapping)
    assert check("margin above 0", context).reached is False
    assert frame_of(overlapping, 0).accuracy < 1


def test_nothing_is_known_while_it_moves_and_nothing_stale_counts() -> None:
    document = of(MOONS, KNN, SVM)
    context = context_of(document)
    frame = context.results.frame(1)
    assert frame is not None and frame.phase is Phase.DONE
    goal = "margin above 0"
    assert check(goal, context).reached
    assert check(goal, replace(context, session=replace(context.session, drawing=True))).reached is None
    other = replace(document, lanes=(KNN, Lane("svm", svm=SvmSettings(C=3.0))))
    assert check(goal, replace(context, document=other)).reached is None
    fewer = replace(document, points=document.points.remove(np.array([0])))
    assert check(goal, replace(context, document=fewer)).reached is None
    for phase, words in ((Phase.TRAINING, "still training"), (Phase.PAUSED, "the training is paused")):
        context.results.accept(replace(frame, phase=phase))
        report = check(goal, context)
        assert report.reached is None and report.text == f"margin above 0: {words}"
    context.results.accept(replace(frame, phase=Phase.FAILED, model=None))
    assert check(goal, context).reached is False
    unscored = context_of(document, scored=False)
    assert check("both above 1 %", unscored).reached is None
    assert check("both below 1 %, at least 1 points", unscored).reached is None


def test_what_was_not_separated_has_no_margin() -> None:
    hard = of(MOONS, Lane("svm", svm=SvmSettings(kernel="linear", hard_margin=True)))
    report = check("margin above 0", context_of(hard))
    assert report.reached is False and report.text.endswith(" (now none)")
    one_class = replace(hard, points=hard.points.remove(np.flatnonzero(hard.points.labels == 1)))
    assert check("margin above 0", context_of(one_class)).reached is False


def test_steps_count_only_from_zero() -> None:
    document = of(MOONS, SVM)
    context = context_of(document)
    frame = context.results.frame(0)
    assert frame is not None and frame.run_state is not None
    (certificate,) = frame.certificates
    assert check("steps at least 1", context).text == f"at least 1 step (now {certificate.n_iter})"  # type: ignore[union-attr]
    start = np.array([5.0, *frame.run_state.trace.start[1:]])
    run = replace(frame.run_state, trace=replace(frame.run_state.trace, start=start))
    context.results.accept(replace(frame, run_state=run))
    report = check("steps below 1000", context)
    assert report.reached is False and report.text.endswith("press Restart)")
    made = context_of(of(BLOBS, Lane("perceptron"), Lane("pegasos")))
    assert check("steps of 2 exactly 100000", made).reached
    assert check("steps of 1 at least 1", made).reached
