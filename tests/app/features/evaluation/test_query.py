"""Evaluation: answers of the background against scikit-learn, brute force and manual counts, for every learner."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import numpy as np
import pytest
from msgspec.structs import replace
from sklearn import metrics as theirs
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import PredefinedSplit, cross_val_score

from app.core.points import Points
from app.engine import pacing
from app.engine.cross_validation import Validated
from app.engine.frames import Frame, Phase
from app.engine.pool import Priority
from app.engine.query import Answer, work_out
from app.engine.results import Results
from app.engine.shading import Shades
from app.features.evaluation import scene as evaluating
from app.features.evaluation import text as words
from app.features.evaluation.scene import (
    CrossValidation,
    EvaluationSession,
    ScoreGrid,
    Threshold,
    ThresholdLine,
    at_threshold,
    index_of,
    queries,
    scene,
    sheets,
    threshold_at,
)
from app.features.scores import scene as scored
from app.features.scores.scene import Scoring, plain_lane, threshold_of
from app.learners.knn import neighbors_of
from app.scene.model import Context
from app.state.document import (
    Document,
    GeneratorSettings,
    KnnSettings,
    Lane,
    PegasosSettings,
    PerceptronSettings,
    SvmSettings,
    View,
)
from app.state.session import Session
from app.state.split import IdSet, Split, Validation, folds_of
from solver import Grid, KNeighborsClassifier, class_scores
from tests.stepped import stepped

LANES: dict[str, Lane] = {
    "knn": Lane("knn"),
    "knn weighted": Lane("knn", KnnSettings(7, "distance", "manhattan")),
    "smo": Lane("svm"),
    "smo linear": Lane("svm", svm=SvmSettings(kernel="linear", C=3.0)),
    "one-vs-rest": Lane("svm", svm=SvmSettings(multiclass="one-vs-rest", class_weight="balanced")),
    "lasvm": Lane("svm", svm=SvmSettings(trainer="lasvm")),
    "dual ascent": Lane("svm", svm=SvmSettings(trainer="dual-ascent", C=0.5)),
    "perceptron": Lane("perceptron", perceptron=PerceptronSettings(max_iter=20)),
    "pegasos": Lane("pegasos", pegasos=PegasosSettings(n_iter=300)),
}
GRID = Grid(-2.0, 3.0, -2.0, 2.5, 60, 50)
SHADES = Shades((255, 255, 255), ((0, 0, 0),) * 8, (128, 128, 128))


def never() -> bool:
    return False


def work(query: Any, overtaken: Callable[[], bool] = never) -> tuple[list[Any], str]:
    """Return all posted answers, and the sentence."""
    answers: list[Any] = []
    for step in work_out(Answer("q", 1, query), answers.append, overtaken):
        assert step is Priority.BACKGROUND
    if not answers:
        return [], ""
    assert (answers[-1].done or overtaken is not never) and not any(each.done for each in answers[:-1])
    return [each.value for each in answers], answers[-1].message


def blobs(seed: int, classes: int = 2, count: int = 25, noise: float = 0.6) -> Points:
    return GeneratorSettings("blobs", count, noise, seed, 0.0, classes).points()


def parts(points: Points, seed: int, ratio: float = 0.4) -> tuple[Points, Points]:
    document = Document(points, split=Split("ratio", ratio, seed))
    return document.training_points, document.test_points


def model_of(lane: Lane, points: Points) -> Any:
    if lane.classifier == "knn":
        s = lane.knn
        model = neighbors_of(s, len(points))
        return model.fit(points.xy, points.labels)
    return stepped(lane.estimator(), points.xy, points.labels)


def score_of(model: Any, xy: Any) -> Any:
    """Return f, or the share of the votes for the second class."""
    votes = isinstance(model, KNeighborsClassifier)
    return model.predict_proba(xy)[:, 1] if votes else model.decision_function(xy)


def with_ties(model: Any, xy: Any, labels: Any) -> float:
    """Return the mean accuracy, where a tie of m classes counts 1/m, by counting votes here."""
    model = getattr(model, "model_", model)
    if isinstance(model, KNeighborsClassifier):
        votes = model.predict_proba(xy)
    elif len(model.classes_) > 2 and model.pairs_[0].negative >= 0:
        f, votes = model.pair_decision_function(xy), np.zeros((len(xy), len(model.classes_)))
        for p, pair in enumerate(model.pairs_):
            votes[:, pair.positive] += f[:, p] > 0
            votes[:, pair.negative] += f[:, p] < 0
    else:
        return float((model.predict(xy) == labels).mean())
    ahead = np.isclose(votes, votes.max(axis=1, keepdims=True), rtol=0, atol=1e-12)
    return float(((ahead & (model.classes_ == labels[:, None])) / ahead.sum(axis=1, keepdims=True)).sum(axis=1).mean())


# -- scores ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("classes", [2, 4])
@pytest.mark.parametrize("name", LANES)
def test_scores_are_scikit_learns_but_for_ties(name: str, classes: int) -> None:
    tied_somewhere: set[str] = set()
    for seed in range(4):
        training, test = parts(blobs(seed, classes), seed)
        model = model_of(LANES[name], training)
        (scores, again), message = work(Scoring(test, model))
        assert scores is again and message == ""
        called = model.predict(test.xy)
        expected = np.zeros((classes, classes))
        for row, label in enumerate(test.labels):  # by counting: a tie of m classes counts 1/m for each
            ahead = [called[row]]
            if isinstance(model, KNeighborsClassifier):
                votes = model.predict_proba(test.xy[[row]])[0]
                ahead = np.flatnonzero(votes == votes.max())
            expected[label, ahead] += 1.0 / len(ahead)
        assert scores.confusion == pytest.approx(expected)
        assert scores.accuracy == pytest.approx(expected.trace() / len(test))
        if len(scores.tied):
            tied_somewhere.add(name)
        else:
            assert expected.tolist() == theirs.confusion_matrix(test.labels, called, labels=range(classes)).tolist()
            assert scores.wrong.tolist() == np.flatnonzero(called != test.labels).tolist()
            precision, recall, f1, support = theirs.precision_recall_fscore_support(
                test.labels, called, labels=range(classes), zero_division=0.0
            )
            ours = class_scores(scores.confusion)
            assert ours.precision == pytest.approx(precision) and ours.recall == pytest.approx(recall)
            assert ours.f1 == pytest.approx(f1) and ours.support.tolist() == support.tolist()
        assert (scores.roc is None) == (classes > 2)
        if scores.roc is not None:
            score = score_of(model, test.xy)
            assert scores.roc.auc == pytest.approx(theirs.roc_auc_score(test.labels, score), abs=1e-12)
            at_own = at_threshold(scores, threshold_of(model))
            assert at_own.tolist() == scores.confusion.tolist(), "at its own threshold the model says what it says"
    assert tied_somewhere == ({"knn"} if (name, classes) == ("knn", 4) else set())


def test_scores_of_test_points_of_one_class() -> None:
    points = blobs(1)
    model = model_of(LANES["smo"], points)
    one = Document(points, split=Split("painted", painted=IdSet(points.ids[points.labels == 1][:5])))
    scores = work(Scoring(one.test_points, model))[0][-1]
    assert scores.roc is None and scores.confusion.sum() == 5


def test_a_class_that_is_in_no_training_point_is_always_wrong() -> None:
    points = blobs(2, 3)
    document = Document(points, split=Split("painted", painted=IdSet(points.ids[points.labels == 2])))
    model = model_of(LANES["knn"], document.training_points)
    scores = work(Scoring(document.test_points, model))[0][-1]
    assert scores.classes == (0, 1, 2) and scores.confusion.shape == (3, 3)
    assert scores.confusion[2, :2].sum() == 25 and scores.confusion[2, 2] == 0 and len(scores.wrong) == 25
    assert scores.roc is None


def test_questions_are_equal_when_they_ask_the_same() -> None:
    training, test = parts(blobs(3), 0)
    model = model_of(LANES["knn"], training)
    assert Scoring(test, model) == Scoring(test, model)
    assert Scoring(test, model) != Scoring(test, model_of(LANES["knn"], training))
    assert CrossValidation(Lane(), training, 5, 0) == CrossValidation(Lane(), training, 5, 0)


# -- cross-validation --------------------------------------------------------------------------------------------------


def test_folds_are_even_in_all_and_in_each_class() -> None:
    for seed in range(60):
        rng = np.random.default_rng(seed)
        points = Points.of(rng.normal(size=(70, 2)), rng.choice(8, 70, p=rng.dirichlet(np.ones(8))))
        k = int(rng.integers(2, 21))
        fold = folds_of(points, k, seed)
        sizes = np.bincount(fold, minlength=k)
        assert sizes.max() - sizes.min() <= 1 and len(sizes) == k
        for label in points.classes:
            own = np.bincount(fold[points.labels == label], minlength=k)
            assert own.max() - own.min() <= 1
        assert (folds_of(points.move([0], [(9.0, 9.0)]), k, seed) == fold).all(), "moving a point leaves them"
        assert sorted(folds_of(points, 70, seed).tolist()) == list(range(70))
    assert len({folds_of(points, 5, seed).tobytes() for seed in range(30)}) == 30


class OfLane(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A lane's estimator with the interface of scikit-learn."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane

    def fit(self, X: Any, y: Any) -> Any:
        self.model_ = model_of(self.lane, Points.of(X, y))
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("name", LANES)
def test_cross_validation_is_scikit_learns_on_the_same_folds(name: str, classes: int) -> None:
    lane = LANES[name]
    for seed, k in ((0, 2), (1, 5), (2, 7)):
        points = blobs(seed, classes, 15)
        posted, message = work(CrossValidation(lane, points, k, seed))
        assert message == "" and [len(each.sizes) for each in posted] == [*range(1, k + 1), k]
        value: Validated = posted[-1]
        folds = PredefinedSplit(folds_of(points, k, seed))
        expected = cross_val_score(OfLane(lane), points.xy, points.labels, cv=folds, scoring=with_ties)
        assert value.accuracies == pytest.approx(expected, abs=1e-12)
        assert value.mean == pytest.approx(expected.mean()) and value.spread == pytest.approx(expected.std())
        assert (value.folds, value.left_out, value.each) == (k, len(points), False)
        if lane.classifier in ("knn", "svm"):
            assert value.unfinished == 0


@pytest.mark.parametrize("name", ["knn", "knn weighted", "smo", "perceptron"])
def test_leaving_one_out_is_refitting_for_each_point(name: str) -> None:
    lane = LANES[name]
    for seed, classes in ((0, 2), (1, 3)):
        points = blobs(seed, classes, 8)
        value = work(CrossValidation(lane, points, 0, 0))[0][-1]
        right = 0
        for i in range(len(points)):
            rest = np.arange(len(points)) != i
            model = model_of(lane, Points.of(points.xy[rest], points.labels[rest]))
            right += with_ties(model, points.xy[[i]], points.labels[[i]])
        assert value.each and (value.right.sum(), value.sizes.sum()) == (pytest.approx(right), len(points))
        assert value.mean == pytest.approx(right / len(points))


def test_leaving_one_out_of_few_points_lets_all_others_vote() -> None:
    points = Points.of([(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)], [0, 1, 1])
    value = work(CrossValidation(Lane("knn", KnnSettings(9)), points, 0, 0))[0][-1]
    assert (value.right.sum(), value.sizes.sum()) == (1.0, 3), "two of a class outvote the third, else a tie"


@pytest.mark.parametrize(
    ("lane", "n", "k", "report"),
    [
        ("smo", 400, 0, "Leaving out each of 400 points means 400 trainings"),
        ("smo", 6, 10, "10 folds need"),
        ("knn", 1, 0, "at least two"),
        ("knn", 1, 2, "2 folds need"),
        ("perceptron", 0, 3, "3 folds need"),
    ],
)
def test_what_cannot_be_validated_is_one_sentence(lane: str, n: int, k: int, report: str) -> None:
    points = Points.of(np.random.default_rng(0).normal(size=(n, 2)), np.arange(n) % 2)
    posted, message = work(CrossValidation(LANES[lane], points, k, 0))
    assert report in message and message.endswith(".") and posted[-1] is None


def test_folds_that_leave_one_class_are_counted_as_always_saying_it() -> None:
    points = Points.of([(0.0, 0.0), *((2.0 + 0.1 * i, 0.0) for i in range(8))], [1, *[0] * 8])
    posted, message = work(CrossValidation(LANES["smo"], points, 3, 0))
    value: Validated = posted[-1]
    alone = int(folds_of(points, 3, 0)[0])
    assert message == "" and len(value.sizes) == 3 and value.one_class == 1
    assert value.right[alone] == value.sizes[alone] - 1, "the only point of its class is called the other"
    value = work(CrossValidation(LANES["smo"], points, 0, 0))[0][-1]
    assert (value.right.sum(), value.sizes.sum(), value.one_class) == (8, 9, 1)
    assert work(CrossValidation(LANES["knn"], points, 3, 0))[0][-1].one_class == 0
    only = Points.of(points.xy, np.zeros(9))
    posted, message = work(CrossValidation(LANES["smo"], only, 3, 0))
    assert posted == [None] and "two classes" in message


def test_a_validation_that_breaks_off_shows_no_number() -> None:
    found = Displayed(two(), validation=Validation("folds", 3))
    query = found.asked()["validated1"]
    value = Validated(np.array([20]), np.array([20]), 3, 20, 0, False)
    found.results.accept(Answer("validated1", 1, query, value, True, "It was too much."))
    lane = found.shown().lanes[1]
    assert words.validated_cell(lane) == words.DASH
    assert words.validated_words(lane) == "broken off after 1 of 3 folds. It was too much."


def test_validation_that_is_overtaken_ends_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pacing, "PIECE", 0.0)
    points = blobs(0, 2, 400)
    asked = iter([False, True])
    assert work(CrossValidation(LANES["smo"], points, 10, 0), lambda: next(asked, True)) == ([], "")
    found = iter([False] * 3)
    assert work(CrossValidation(LANES["knn"], points, 0, 0), lambda: next(found, True)) == ([], "")


@pytest.mark.parametrize("bad", [{"kind": "holdout"}, {"k": 1}, {"k": 21}, {"seed": -1}])
def test_validations_that_cannot_be(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^[A-Z].*\.$"):
        Validation(**bad)


# -- thresholds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["knn", "knn weighted", "smo", "perceptron"])
def test_indices_and_thresholds_of_a_curve_belong_together(name: str) -> None:
    training, test = parts(blobs(5, noise=1.0), 1)
    scores = work(Scoring(test, model_of(LANES[name], training)))[0][-1]
    roc, score = scores.roc, score_of(model_of(LANES[name], training), test.xy)
    for index in range(len(roc.thresholds)):
        threshold = threshold_at(roc, index)
        assert index_of(roc, threshold) == index
        called = score > threshold
        expected = theirs.confusion_matrix(test.labels == 1, called, labels=[False, True])
        assert at_threshold(scores, threshold).tolist() == expected.tolist()
    assert threshold_at(roc, -5) == threshold_at(roc, 0) and threshold_at(roc, 999) == threshold_at(roc, len(score))


@pytest.mark.parametrize("name", ["smo", "smo linear", "pegasos"])
def test_a_threshold_line_is_where_the_score_is_the_threshold(name: str) -> None:
    points = blobs(1)
    model = model_of(LANES[name], points)
    field = ScoreGrid(model, Grid(-3.0, 3.0, -3.0, 3.0, 300, 300))
    inside = model.pair_decision_function(points.xy)[:, 0]
    for threshold in np.quantile(inside, (0.3, 0.5, 0.7)):
        line = work(ThresholdLine(field, float(threshold)))[0][-1][0].xy
        locations = line[np.isfinite(line[:, 0])]
        assert len(locations) > 5
        f = model.pair_decision_function(locations)[:, 0]
        assert np.abs(f - threshold).max() < 0.02 * np.ptp(inside)


def test_a_threshold_line_of_votes_separates_the_pixels() -> None:
    points = blobs(1, noise=1.0)
    model = model_of(LANES["knn"], points)
    field = ScoreGrid(model, GRID)
    for threshold in (0.1, 0.7):
        line = work(ThresholdLine(field, threshold))[0][-1][0].xy
        share = model.surface(GRID.xs, GRID.ys)[..., 1]
        above = share > threshold
        differ = (above[:, 1:] != above[:, :-1]).sum() + (above[1:] != above[:-1]).sum()
        assert differ > 0 and len(line) >= 0.3 * differ


def test_a_field_goes_on_where_it_was_left() -> None:
    model = model_of(LANES["smo"], blobs(1, 2, 60))
    grid = Grid(-3.0, 3.0, -3.0, 3.0, 200, 200)
    broken, whole = ScoreGrid(model, grid), ScoreGrid(model, grid)
    for _ in range(400):
        overtaken = iter([True])
        if work(ThresholdLine(broken, 0.0), lambda turn=overtaken: next(turn, True))[0]:
            break
    first, second = (work(ThresholdLine(each, 0.25))[0][-1][0].xy for each in (broken, whole))
    assert first == pytest.approx(second, nan_ok=True), "but for the rounding of other blocks of rows"


# -- requests and display ----------------------------------------------------------------------------------------------


class Displayed:
    """A document with models in its lanes, displayed."""

    def __init__(self, document: Document, **session: Any) -> None:
        self.document = document
        self.session = Session(open_panels=frozenset({"evaluation"})).having(EvaluationSession(**session))
        self.results = Results()
        self.job = 0
        for index in range(document.shown):
            self.train(index)

    def train(self, index: int, phase: Phase = Phase.DONE) -> None:
        self.job += 1
        points, lane = self.document.training_points, self.document.lanes[index]
        frame = Frame(self.job, self.document.slots[index], points, lane, phase, model=model_of(lane, points))
        assert self.results.accept(frame)

    def asked(self) -> dict[str, Any]:
        grids = (GRID,) * self.document.shown
        context = Context(self.document, self.session, self.results, grids)
        return scored.queries(context) | queries(context)

    def answer(self, *names: str) -> None:
        for number, (name, asked) in enumerate(self.asked().items(), 100):
            if not names or name in names:
                for _ in work_out(Answer(name, number, asked), self.results.accept, never):
                    pass

    def shown(self) -> Any:
        return next(iter(scene(Context(self.document, self.session, self.results), ())), None)

    def wrong(self, index: int) -> Any:
        return scored.marks_of_test_points(Context(self.document, self.session, self.results), index)

    def sheets(self, index: int) -> Any:
        return sheets(Context(self.document, self.session, self.results), index)


def two(split: Split | None = None, **more: Any) -> Document:
    points = blobs(7, 2, 30, 1.0)
    split = Split("ratio", 0.3) if split is None else split
    return Document(points, (Lane("knn"), Lane("svm")), view=View.fitting(points), split=split, **more)


def test_while_hidden_only_wrong_test_points_are_requested() -> None:
    moved = Threshold(0.3, plain_lane(two().lanes[0]))
    found = Displayed(two(), thresholds=(moved, None, None, None), validation=Validation("folds"))
    assert set(found.asked()) == {"scores0", "scores1", "threshold0", "validated0", "validated1"}
    found.session = Session()
    assert set(found.asked()) == {"scores0", "scores1"} and found.shown() is None
    found.train(1, Phase.TRAINING)
    assert set(found.asked()) == {"scores0"}
    found = Displayed(two(Split()))
    found.session = Session()
    assert found.asked() == {}


def test_the_same_is_shown_while_nothing_has_changed() -> None:
    found = Displayed(two(), validation=Validation("folds", 5))
    assert found.shown() is found.shown()
    found.answer()
    shown = found.shown()
    assert shown is found.shown() and not shown.lanes[0].stale and not shown.lanes[0].validating
    assert (shown.n_test, shown.n_trainable, shown.n_trained) == (18, 42, 42)
    assert len(shown.lanes[1].validated.sizes) == 5 and np.isnan(shown.lanes[0].training)
    marks = found.wrong(1)
    assert marks is found.wrong(1)
    wrong = found.document.points.ids[marks.wrong]
    model = found.results.frame(1).model  # type: ignore[union-attr]
    test = found.document.test_points
    assert wrong.tolist() == test.ids[model.predict(test.xy) != test.labels].tolist()


def test_numbers_of_an_earlier_model_are_marked() -> None:
    found = Displayed(two())
    found.answer()
    found.train(1)
    shown = found.shown()
    assert (shown.lanes[0].stale, shown.lanes[1].stale) == (False, True)
    assert shown.lanes[1].confusion is not None, "better an old number that says so than none"
    assert not len(found.wrong(1).wrong), "but no mark that may be false"
    found.answer()
    assert not found.shown().lanes[1].stale


def test_a_threshold_changes_the_confusion_and_draws_a_line() -> None:
    found = Displayed(two())
    found.answer()
    before = found.shown().lanes[0]
    assert not before.moved and before.threshold == before.own_threshold == 0.5
    assert found.sheets(0) == ()
    found.session = found.session.having(
        EvaluationSession(thresholds=(Threshold(0.9, plain_lane(two().lanes[0])), None, None, None))
    )
    found.answer()
    after = found.shown().lanes[0]
    assert after.moved and after.threshold == 0.9 and after.confusion.sum() == 18
    assert after.confusion[:, 1].sum() < before.confusion[:, 1].sum()
    lines = found.sheets(0)
    assert len(lines) == 1 and lines[0].style == "other" and lines is found.sheets(0)
    assert found.sheets(1) == ()
    found.session = replace(found.session, open_panels=frozenset())
    assert found.sheets(0) == ()


def test_cross_validation_does_not_depend_on_what_trains_nothing() -> None:
    found = Displayed(two(), validation=Validation("folds", 4))
    before = found.asked()["validated1"]
    lane = msgspec.structs.replace(found.document.lanes[1], pair=(1, 1))
    found.document = replace(found.document, lanes=(found.document.lanes[0], lane))
    assert found.asked()["validated1"] == before
    other = msgspec.structs.replace(lane, svm=SvmSettings(C=7.0))
    found.document = replace(found.document, lanes=(found.document.lanes[0], other))
    assert found.asked()["validated1"] != before


def length_of(line: Any) -> float:
    steps = np.hypot(*np.diff(line, axis=0).T)
    return float(np.nansum(steps))


@pytest.mark.parametrize("name", ["smo", "knn"])
def test_lines_of_large_pictures_are_made_in_strips(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(LANES[name], blobs(1, noise=1.0))
    field = ScoreGrid(model, Grid(-3.0, 3.0, -3.0, 3.0, 200, 180))
    whole = work(ThresholdLine(field, 0.3))[0][-1][0].xy
    monkeypatch.setattr(evaluating, "STRIP", 200 * 17)
    strips = work(ThresholdLine(field, 0.3))[0][-1][0].xy
    assert length_of(strips) == pytest.approx(length_of(whole), rel=0.01) and length_of(whole) > 3
    assert np.nanmin(strips, axis=0) == pytest.approx(np.nanmin(whole, axis=0), abs=0.01)
    assert np.nanmax(strips, axis=0) == pytest.approx(np.nanmax(whole, axis=0), abs=0.01)


def with_lane(found: Displayed, lane: Lane) -> None:
    found.document = replace(found.document, lanes=(found.document.lanes[0], lane))


def test_a_threshold_holds_only_for_the_settings_it_was_moved_under() -> None:
    found = Displayed(two())
    found.answer()
    svm = found.document.lanes[1]
    found.session = found.session.having(
        EvaluationSession(thresholds=(None, Threshold(0.3, plain_lane(found.shown().lanes[1].lane)), None, None))
    )
    found.answer()
    own = found.shown().lanes[1]
    assert own.moved and own.threshold == 0.3 and "threshold1" in found.asked()
    for other in (Lane("knn"), Lane("svm", svm=SvmSettings(C=7.0)), Lane("svm", svm=SvmSettings(kernel="linear"))):
        with_lane(found, other)
        found.train(1)
        found.answer()
        lane = found.shown().lanes[1]
        assert not lane.moved and lane.threshold == lane.own_threshold and "threshold1" not in found.asked()
        assert found.sheets(1) == ()
        test = found.document.test_points
        model = found.results.frame(1).model  # type: ignore[union-attr]
        assert lane.accuracy == (model.predict(test.xy) == test.labels).mean()
    with_lane(found, msgspec.structs.replace(svm, pair=(1, 1)))
    assert "threshold1" not in found.asked()
    with_lane(found, svm)  # as undo does
    found.train(1)
    found.answer()
    assert found.shown().lanes[1].moved


def test_old_numbers_under_new_settings_are_marked() -> None:
    found = Displayed(two())
    found.answer()
    assert len(found.wrong(1).wrong)
    old = found.asked()["scores1"]
    with_lane(found, Lane("svm", svm=SvmSettings(C=1e-3)))
    lane = found.shown().lanes[1]
    assert lane.stale and lane.scores is not None and not found.shown().lanes[0].stale
    assert found.asked()["scores1"] == old, "what is shown is not forgotten"
    assert not len(found.wrong(1).wrong)
    found.train(1)
    assert found.asked()["scores1"] != old and found.shown().lanes[1].stale
    found.answer()
    assert not found.shown().lanes[1].stale
    found.document = replace(found.document, points=Points())
    assert "scores1" not in found.asked()


@pytest.mark.parametrize(
    ("phase", "provisional", "state"),
    [
        (Phase.DONE, False, ""),
        (Phase.TRAINING, False, "training"),
        (Phase.PAUSED, False, "paused"),
        (Phase.DONE, True, "uncertified"),
    ],
)
def test_numbers_of_unfinished_trainings_are_marked(phase: Phase, provisional: bool, state: str) -> None:
    found = Displayed(two())
    frame = found.results.frame(1)
    assert frame is not None
    found.results.accept(replace(frame, phase=phase, provisional=provisional))
    found.answer()
    assert [lane.state for lane in found.shown().lanes] == ["", state]
    report = words.state_words(state)
    assert any(word in report for word in ("not certified", "without proof")) == bool(state)


def test_scores_are_not_made_of_rounding_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    points = blobs(3)
    for name in ("smo", "smo linear", "perceptron"):
        model = model_of(LANES[name], points)
        noise = np.where(points.labels == 1, 0.5, -0.5)[:, None] * model.rounding
        location = {tuple(xy): i for i, xy in enumerate(points.xy.tolist())}
        monkeypatch.setattr(
            model,
            "pair_decision_function",
            lambda xy, f=noise, of=location: f[[of[tuple(each)] for each in xy.tolist()]],
        )
        scores = work(Scoring(points, model))[0][-1]
        assert scores.roc.auc == 0.5 and scores.accuracy == 0.5, "f has no sign, and so ranks nothing"
        assert len(scores.tied) == len(points) and (scores.confusion == len(points) / 4).all()


@pytest.mark.parametrize(("value", "report"), [(1.0, "1.000"), (0.99978, "0.999+"), (0.9994, "0.999"), (0.5, "0.500")])
def test_an_area_is_never_rounded_to_one(value: float, report: str) -> None:
    assert words.auc(value) == report
