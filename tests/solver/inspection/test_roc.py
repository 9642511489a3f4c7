"""Scores of classes and ROC curves against scikit-learn and by counting; leaving one out by refitting."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn import metrics as theirs

from solver import KNeighborsClassifier, class_scores, roc_curve
from solver.inspection.metrics import balanced_accuracy_of
from solver.knn.neighbors import METRICS, WEIGHTS
from tests.covering import first_of
from tests.examples import examples


@pytest.mark.parametrize("seed", range(100))
def test_class_scores_as_scikit_learn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    classes = np.arange(rng.integers(1, 9))
    n = rng.integers(1, 60)
    truth, guess = rng.choice(classes, n), rng.choice(classes[: rng.integers(1, len(classes) + 1)], n)
    matrix = np.zeros((len(classes), len(classes)), dtype=int)
    np.add.at(matrix, (truth, guess), 1)
    scores = class_scores(matrix)
    precision, recall, f1, support = theirs.precision_recall_fscore_support(
        truth, guess, labels=classes, zero_division=0.0
    )
    for ours, his in ((scores.precision, precision), (scores.recall, recall), (scores.f1, f1)):
        assert ours == pytest.approx(his, abs=1e-15)
    assert scores.support.tolist() == support.tolist()
    assert scores.called.tolist() == [int((guess == c).sum()) for c in classes]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # classes that were predicted and do not occur
        assert balanced_accuracy_of(matrix) == pytest.approx(theirs.balanced_accuracy_score(truth, guess))


def test_class_scores_by_hand() -> None:
    scores = class_scores([[2, 1, 0], [0, 3, 0], [0, 0, 0]])
    assert scores.precision.tolist() == [1.0, 0.75, 0.0] and scores.recall.tolist() == [2 / 3, 1.0, 0.0]
    assert scores.f1 == pytest.approx([0.8, 6 / 7, 0.0]) and scores.called.tolist() == [2, 4, 0]
    assert balanced_accuracy_of([[2, 1, 0], [0, 3, 0], [0, 0, 0]]) == pytest.approx(5 / 6)
    assert np.isnan(balanced_accuracy_of(np.zeros((2, 2), dtype=int)))


@pytest.mark.parametrize(
    "bad", [[[1, 2]], [1, 2], [[np.nan, 0], [0, 1]], [[True, False], [False, True]], [[-1, 0], [0, 1]], [[[1]]]]
)
def test_what_is_no_confusion_matrix(bad: Any) -> None:
    with pytest.raises(ValueError, match="square of counts"):
        class_scores(bad)


def test_a_point_may_count_in_parts() -> None:
    """A tie of two classes is half a point for each: precision, recall and F1 are those of twice the counts."""
    halves, whole = class_scores([[1.5, 0.5], [0.0, 2.0]]), class_scores([[3, 1], [0, 4]])
    for name in ("precision", "recall", "f1"):
        assert getattr(halves, name) == pytest.approx(getattr(whole, name))
    assert class_scores([[0.25, 0.0], [0.0, 0.0]]).recall.tolist() == [1.0, 0.0]


def a_score(seed: int) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 80))
    truth = rng.random(n) < rng.random()
    truth[:2] = True, False
    score = rng.normal(size=n) + truth
    if seed % 2:  # ties, as kNN has them
        score = np.round(score * rng.integers(1, 5)) / 5
    return truth, score


@pytest.mark.parametrize("seed", first_of(range(200), 60))
def test_roc_curves_as_scikit_learn(seed: int) -> None:
    truth, score = a_score(seed)
    curve = roc_curve(truth, score)
    fpr, tpr, thresholds = theirs.roc_curve(truth, score, drop_intermediate=False)
    assert curve.fpr == pytest.approx(fpr) and curve.tpr == pytest.approx(tpr)
    assert curve.thresholds.tolist() == thresholds.tolist()
    assert curve.auc == pytest.approx(theirs.roc_auc_score(truth, score), abs=1e-14)
    above = score[truth][:, None] - score[~truth]
    assert curve.auc == ((above > 0).sum() + 0.5 * (above == 0).sum()) / above.size


def test_a_curve_by_hand() -> None:
    """A small version of Fawcett's example: a tie is one slanting step."""
    curve = roc_curve([True, True, False, True, False], [0.9, 0.8, 0.8, 0.4, 0.1])
    assert list(zip(curve.fp.tolist(), curve.tp.tolist(), strict=True)) == [(0, 0), (0, 1), (1, 2), (1, 3), (2, 3)]
    assert curve.auc == 4.5 / 6


@pytest.mark.parametrize(
    ("truth", "score", "shown"),
    [
        ([True, True], [1.0, 2.0], "both classes"),
        ([False], [1.0], "both classes"),
        ([1, 0], [1.0, 2.0], "True or"),
        ([True, False], [1.0], "one finite number"),
        ([True, False], [1.0, np.nan], "one finite number"),
    ],
)
def test_curves_that_cannot_be(truth: Any, score: Any, shown: str) -> None:
    with pytest.raises(ValueError, match=shown):
        roc_curve(truth, score)


def refits(model: KNeighborsClassifier, X: Any, y: Any, rows: Any) -> list[Any]:
    """Return the prediction for each row after a fit without it."""
    found = []
    for row in rows:
        rest = np.arange(len(X)) != row
        again = KNeighborsClassifier(**model.get_params()).fit(X[rest], y[rest])
        found.append(again.predict(X[row : row + 1])[0])
    return found


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("weights", WEIGHTS)
def test_leaving_one_out_is_refitting_without_it(metric: str, weights: str) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 40))
        X = rng.normal(size=(n, 2))
        if seed % 3:  # points on one another, equal distances, and the origin
            X = np.round(X * seed / 3)
        y = rng.choice([3, 5, 8], n)
        p = 3.0 if metric == "minkowski" else 2.0
        model = KNeighborsClassifier(int(rng.integers(1, n)), weights, metric, p).fit(X, y)
        rows = rng.permutation(n)[:15]
        assert model.leave_one_out(rows).tolist() == refits(model, X, y, rows)


@given(
    st.lists(st.tuples(st.integers(-2, 2), st.integers(-2, 2), st.integers(0, 2)), min_size=2, max_size=25), st.data()
)
@examples(150)
def test_leaving_one_out_among_many_ties(rows: list[tuple[int, int, int]], data: st.DataObject) -> None:
    table = np.array(rows, dtype=float)
    X, y = table[:, :2], table[:, 2].astype(int)
    k = data.draw(st.integers(1, len(rows) - 1))
    weights = data.draw(st.sampled_from(list(WEIGHTS)))
    model = KNeighborsClassifier(k, weights).fit(X, y)
    assert model.leave_one_out().tolist() == refits(model, X, y, range(len(X)))


def test_leaving_one_out_wants_enough_points() -> None:
    model = KNeighborsClassifier(3).fit([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]], [0, 1, 1])
    with pytest.raises(ValueError, match="other training points, 2"):
        model.leave_one_out()
    model.set_params(n_neighbors=2)
    assert model.leave_one_out().tolist() == [1, 0, 0]
    for bad in ([3], [-1], [[0]]):
        with pytest.raises(ValueError, match="from 0 to 2"):
            model.leave_one_out(bad)
    with pytest.raises(ValueError, match="not fitted"):
        KNeighborsClassifier().leave_one_out()
