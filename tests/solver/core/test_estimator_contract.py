"""The learners keep scikit-learn's contract of estimators: its own checks, and its tools, work with them."""

from __future__ import annotations

import pickle
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock

import numpy as np
import pytest
from scipy import sparse
from sklearn import config_context, exceptions, neighbors
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import make_blobs
from sklearn.ensemble import BaggingClassifier, StackingClassifier, VotingClassifier
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.metrics import get_scorer
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import check_array
from sklearn.utils.estimator_checks import parametrize_with_checks

import solver
from solver import (
    SVC,
    CalibratedSVC,
    CondensedNearestNeighbour,
    DualAscentSVC,
    EditedNearestNeighbours,
    KNeighborsClassifier,
    OnlineSVC,
    PegasosClassifier,
    Perceptron,
    RepeatedEditedNearestNeighbours,
)
from solver.core import checks, conventions, scikit_learn
from solver.core.estimator import Estimator

#: Each learner, with the settings for the checks.
LEARNERS: list[Estimator] = [
    KNeighborsClassifier(),
    SVC(),
    SVC(tol=1e-10, gamma="auto"),
    SVC(multiclass="one-vs-rest", tol=1e-10, gamma=0.1),
    SVC(kernel="precomputed", tol=1e-10),
    Perceptron(),
    PegasosClassifier(n_iter=20_000),
    DualAscentSVC(),
    OnlineSVC(),
    CalibratedSVC(cv=2),
    CondensedNearestNeighbour(),
    EditedNearestNeighbours(),
    RepeatedEditedNearestNeighbours(),
]
#: Checks that one learner does not pass, with the reason, by the learner's repr.
LEFT_OUT: dict[str, dict[str, str]] = {
    repr(SVC()): {
        "check_sample_weight_equivalence_on_dense_data": "It compares to 1e-7 what is solved to tol=1e-3, and"
        " gamma='scale' counts points, not weights, as scikit-learn's own SVC does; the settings below pass."
    },
    repr(CalibratedSVC(cv=2)): {
        "check_sample_weight_equivalence_on_dense_data": "The folds of repeated points are others;"
        " scikit-learn's own CalibratedClassifierCV does not pass either."
    },
    repr(Perceptron()): {
        "check_sample_weight_equivalence_on_dense_data": "A step of weight 2 is not two steps, and the orders of fewer"
        " points are others; scikit-learn's own Perceptron does not pass either."
    },
    repr(PegasosClassifier(n_iter=20_000)): {
        "check_sample_weight_equivalence_on_dense_data": "Other points are drawn where points are repeated: the"
        " equivalence is that of the objective; scikit-learn's own SGDClassifier does not pass either."
    },
}
for _checks in LEFT_OUT.values():  # the same check of sparse data
    _checks |= {name.replace("_dense_", "_sparse_"): reason for name, reason in _checks.items()}
SIX = [
    KNeighborsClassifier(3),
    SVC(),
    Perceptron(),
    PegasosClassifier(n_iter=5_000, tol=0.5),
    DualAscentSVC(),
    OnlineSVC(),
]
X, y = make_blobs(90, cluster_std=0.5, centers=[[-3.0, -3.0], [5.0, -1.0], [-1.0, 5.0]], random_state=0)
each_learner = pytest.mark.parametrize("learner", SIX, ids=lambda learner: type(learner).__name__)


def test_the_list_has_each_learner_of_the_package() -> None:
    public = [getattr(solver, name) for name in solver.__all__]
    learners = {kind for kind in public if isinstance(kind, type) and issubclass(kind, Estimator)}
    lacking = learners - {*map(type, LEARNERS)}
    assert not lacking, f"LEARNERS in {__name__} lacks {lacking}, which scikit-learn's checks then never see."


@parametrize_with_checks(LEARNERS, expected_failed_checks=lambda learner: LEFT_OUT.get(repr(learner), {}))
def test_scikit_learns_checks_pass(estimator: Estimator, check: Any) -> None:
    check(estimator)


@each_learner
def test_what_is_no_number_at_all_is_a_type_error(learner: Estimator) -> None:
    with pytest.raises(TypeError, match=r"X must hold numbers only: .* not 'dict'"):
        clone(learner).fit(np.array([[0.0, 1.0], [{}, 2.0]], dtype=object), [0, 1])


def test_what_is_left_out_exists() -> None:
    assert LEFT_OUT.keys() <= {repr(learner) for learner in LEARNERS}


def test_keywords_of_scikit_learn_that_change_nothing_are_taken() -> None:
    plain, named = KNeighborsClassifier(3), KNeighborsClassifier(3, algorithm="ball_tree", leaf_size=9, n_jobs=-1)
    assert (plain.fit(X, y).predict_proba(X) == named.fit(X, y).predict_proba(X)).all()
    plain_svc, named_svc = SVC(), SVC(shrinking=False, verbose=True)
    assert (plain_svc.fit(X, y).decision_function(X) == named_svc.fit(X, y).decision_function(X)).all()
    assert repr(named_svc) == "SVC(shrinking=False, verbose=True)"


def test_other_names_of_metrics_are_those_of_scikit_learn() -> None:
    for name, metric in (("cityblock", "manhattan"), ("l1", "manhattan"), ("l2", "euclidean")):
        ours, theirs = (
            KNeighborsClassifier(metric=name).fit(X, y),
            neighbors.KNeighborsClassifier(metric=name).fit(X, y),
        )
        distances, index = ours.kneighbors(X + 0.1)
        expected = theirs.kneighbors(X + 0.1)
        assert distances == pytest.approx(expected[0]) and (index == expected[1]).all()
        assert ours.to_sklearn().get_params()["metric"] == metric


def test_a_perceptron_takes_the_tol_that_sets_no_end() -> None:
    assert (Perceptron(tol=None).fit(X, y).coef_ == Perceptron().fit(X, y).coef_).all()
    with pytest.raises(ValueError, match=r"tol is 0\.001; it must be None"):
        Perceptron(tol=1e-3).fit(X, y)


def test_probabilities_are_refused_with_an_alternative() -> None:
    with pytest.raises(ValueError) as caught:
        SVC(probability=True).fit(X, y)
    shown = "probability is True; an SVM has none: fit CalibratedSVC(SVC())."
    assert str(caught.value) == shown
    assert CalibratedSVC(SVC()).fit(X, y).predict_proba(X).shape == (90, 3)


@pytest.mark.parametrize("kernel", solver.KERNELS)
def test_a_kernel_goes_to_scikit_learn_or_is_refused_with_a_sentence(kernel: str) -> None:
    ours = SVC(kernel=kernel, gamma=0.1)
    try:
        theirs = ours.to_sklearn()
    except ValueError as refused:
        assert kernel in str(refused), "to_sklearn names a kernel that scikit-learn lacks"
    else:
        assert theirs.fit(X, y).score(X, y) == pytest.approx(ours.fit(X, y).score(X, y), abs=0.05)


def test_a_gram_matrix_is_cut_by_rows_and_columns_in_a_search() -> None:
    K = np.exp(-0.1 * ((X[:, None] - X[None]) ** 2).sum(axis=2))
    given, computed = (
        GridSearchCV(SVC(**parameters), {"C": [0.01, 1.0]}, cv=3).fit(data, y)
        for parameters, data in (({"kernel": "precomputed"}, K), ({"gamma": 0.1}, X))
    )
    assert given.best_params_ == computed.best_params_
    assert given.cv_results_["mean_test_score"] == pytest.approx(computed.cv_results_["mean_test_score"])


@pytest.mark.parametrize("parameters", [{"weights": lambda distances: distances}, {"metric": "precomputed"}])
def test_what_knn_does_not_take_is_refused_with_an_alternative(parameters: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"taken by sklearn\.neighbors\.KNeighborsClassifier\.$"):
        KNeighborsClassifier(**parameters).fit(X, y)
    neighbors.KNeighborsClassifier(**parameters).fit(abs(X @ X.T), y)


@each_learner
def test_it_has_a_diagram_in_a_notebook(learner: Estimator, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = clone(learner).fit(X, y)._repr_html_()
    assert shown is not None and type(learner).__name__ in shown and "<pre>" in shown
    monkeypatch.delitem(sys.modules, "sklearn")
    assert learner._repr_html_() is None, "the text is shown, and scikit-learn is not imported for that"


def test_weights_are_routed_where_they_are_requested() -> None:
    weight = np.where(y == 0, 0.0, 1.0)
    with config_context(enable_metadata_routing=True):
        asking = clone(SVC().set_fit_request(sample_weight="importance"))
        made = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), asking)
        assert made.fit(X, y, importance=weight)[-1].classes_.tolist() == [1, 2], "class 0 has no weight"
        search = GridSearchCV(asking.set_score_request(sample_weight=False), {"C": [1.0]}).fit(X, y, importance=weight)
        assert search.best_estimator_.classes_.tolist() == [1, 2]
        with pytest.raises(ValueError, match="sample_weight"):
            make_pipeline(StandardScaler(), SVC()).fit(X, y, sample_weight=weight)
        assert not hasattr(KNeighborsClassifier(), "set_fit_request"), "its fit has no weights"
        assert (pickle.loads(pickle.dumps(asking)).fit(X, y).predict(X) == SVC().fit(X, y).predict(X)).all()


def test_samplers_are_samplers() -> None:
    for sampler in (CondensedNearestNeighbour(), EditedNearestNeighbours()):
        assert not is_classifier(sampler) and not hasattr(sampler, "predict")
        assert clone(sampler).fit(X, y).sample_indices_.tolist() == sampler.fit(X, y).sample_indices_.tolist()
        points, labels = sampler.fit_resample(sparse.csr_array(X), y)
        assert (points == X[sampler.sample_indices_]).all() and (labels == y[sampler.sample_indices_]).all()


@each_learner
def test_it_is_a_classifier_that_can_be_cloned_and_copied(learner: Estimator) -> None:
    assert is_classifier(learner)
    twin = clone(learner)
    assert twin is not learner and twin.get_params() == learner.get_params()
    fitted = clone(learner).fit(X, y)
    assert (pickle.loads(pickle.dumps(fitted)).predict(X) == fitted.predict(X)).all()


@each_learner
def test_pipelines_searches_and_scorers_take_it(learner: Estimator) -> None:
    pipeline = make_pipeline(StandardScaler(), clone(learner)).fit(X, y)
    assert pipeline.score(X, y) > 0.9
    name = {KNeighborsClassifier: "n_neighbors", PegasosClassifier: "alpha", Perceptron: "max_iter"}.get(
        type(learner), "C"
    )
    value = getattr(learner, name)
    search = GridSearchCV(pipeline, {f"{type(learner).__name__.lower()}__{name}": [value, 2 * value]}, cv=2).fit(X, y)
    assert search.best_score_ > 0.9
    assert cross_val_score(clone(learner), X, y, cv=3).min() > 0.8
    two = y < 2
    binary = clone(learner).fit(X[two], y[two])
    for scorer in ("accuracy", "balanced_accuracy", "roc_auc", "f1"):
        assert get_scorer(scorer)(binary, X[two], y[two]) > 0.9


def test_weights_reach_it_through_pipelines_and_searches() -> None:
    weights = np.where(y == 2, 0.0, 1.0)
    for learner in (SVC(), Perceptron(), PegasosClassifier(n_iter=5_000)):
        name = type(learner).__name__.lower()
        pipeline = make_pipeline(StandardScaler(), learner).fit(X, y, **{f"{name}__sample_weight": weights})
        assert pipeline.classes_.tolist() == [0, 1]
        search = GridSearchCV(learner, {"random_state": [0, 1]}, cv=2).fit(X, y, sample_weight=weights)
        assert search.best_estimator_.classes_.tolist() == [0, 1]


@pytest.mark.slow
@each_learner
def test_ensembles_and_calibration_take_it(learner: Estimator) -> None:
    for ensemble in (
        BaggingClassifier(clone(learner), 3, random_state=0),
        VotingClassifier([("a", clone(learner)), ("b", SVC())]),
        StackingClassifier([("a", clone(learner))], clone(learner), cv=2),
        OneVsRestClassifier(clone(learner)),
    ):
        assert ensemble.fit(X, y).score(X, y) > 0.9, ensemble
    calibrated = CalibratedClassifierCV(clone(learner), cv=2).fit(X, y)
    assert calibrated.predict_proba(X).shape == (90, 3) and calibrated.score(X, y) > 0.9


@each_learner
def test_its_boundary_can_be_displayed(learner: Estimator, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib = MagicMock()  # the numbers are the estimator's part, the drawing is not
    matplotlib.pyplot.subplots.return_value = MagicMock(), MagicMock()
    for name, module in (("", matplotlib), (".pyplot", matplotlib.pyplot), (".colors", matplotlib.colors)):
        monkeypatch.setitem(sys.modules, f"matplotlib{name}", module)
    two = y < 2
    fitted = clone(learner).fit(X[two], y[two])
    for method in ("predict", "auto"):
        display = DecisionBoundaryDisplay.from_estimator(fitted, X, grid_resolution=10, response_method=method)
        assert display.response.shape == (10, 10)
        assert display.response.ravel()[0] < display.response.ravel()[9]  # one class left, the other right


# -- warnings and exceptions ---------------------------------------------------------------------------------------


def test_a_training_cut_short_warns_in_both_tongues() -> None:
    rng = np.random.default_rng(0)
    mixed = rng.normal(size=(60, 2)), np.arange(60) % 2
    for learner, limit in (
        (SVC(max_iter=3), "max_iter=3"),
        (DualAscentSVC(max_iter=1), "max_iter=1"),
        (OnlineSVC(max_iter=1), "max_iter=1"),
        (Perceptron(max_iter=2), "max_iter=2"),
    ):
        with pytest.warns(exceptions.ConvergenceWarning, match=limit) as caught:
            learner.fit(*mixed)
        assert caught[0].filename == __file__  # the caller's line is named
        assert issubclass(caught[0].category, solver.ConvergenceWarning)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            warnings.filterwarnings("ignore", category=exceptions.ConvergenceWarning)
            learner.fit(*mixed)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for learner in (SVC(), DualAscentSVC(), OnlineSVC(), OnlineSVC(finish=False), PegasosClassifier(n_iter=2)):
            learner.fit(*mixed)  # the last two make the requested number of steps


def test_double_precision_that_ends_a_training_warns() -> None:
    with pytest.warns(solver.ConvergenceWarning, match="double precision"):
        SVC(kernel="poly", degree=4, gamma=1.0).fit([[1000.0]] * 10, [0, 1] * 5)


def test_exceptions_and_warnings_can_be_pickled() -> None:
    with pytest.raises(exceptions.NotFittedError) as caught:
        SVC().predict(X)
    again = pickle.loads(pickle.dumps(caught.value))
    assert isinstance(again, conventions.NotFittedError) and isinstance(again, exceptions.NotFittedError)
    assert scikit_learn.as_scikit_learn(conventions.ConvergenceWarning).__module__ == "solver.core._scikit"


def test_without_scikit_learn_the_warnings_are_ours() -> None:
    code = (
        "import sys, warnings, solver\n"
        "with warnings.catch_warnings(record=True) as caught:\n"
        "    warnings.simplefilter('always')\n"
        "    solver.Perceptron(max_iter=1).fit([[0.], [0.]], [[0], [1]])\n"
        "assert [w.category for w in caught] == [solver.DataConversionWarning, solver.ConvergenceWarning], caught\n"
        "assert not [name for name in sys.modules if name.startswith(('sklearn', 'pandas'))]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(solver.__file__).parents[1])


# -- data ----------------------------------------------------------------------------------------------------------


class Frame:
    """The part of a data frame that an estimator reads."""

    def __init__(self, values: Any, columns: list[Any]) -> None:
        self.values, self.columns = np.asarray(values), columns

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values.astype(dtype or self.values.dtype)


@each_learner
def test_names_of_features_are_kept_and_checked(learner: Estimator) -> None:
    model = clone(learner).fit(Frame(X, ["height", "width"]), y)
    assert model.feature_names_in_.dtype == object and model.feature_names_in_.tolist() == ["height", "width"]
    expected = clone(learner).fit(X, y).predict(X)
    methods = [m for m in ("predict", "decision_function", "predict_proba", "kneighbors") if hasattr(model, m)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert (model.predict(Frame(X, ["height", "width"])) == expected).all()
    for method in methods:
        with pytest.raises(ValueError, match=r"The feature names should match.*\n.*in the same order"):
            getattr(model, method)(Frame(X, ["width", "height"]))
        with pytest.raises(ValueError, match=r"unseen at fit time:\n- depth\n.*now missing:\n- width"):
            getattr(model, method)(Frame(X, ["height", "depth"]))
        with pytest.warns(UserWarning, match="X does not have valid feature names") as caught:
            getattr(model, method)(X)
        assert len(caught) == 1
    model.fit(Frame(X, [0, 1]), y)  # numbers are no names
    assert not hasattr(model, "feature_names_in_")
    with pytest.warns(UserWarning, match="X has feature names, but .* was fitted without"):
        model.predict(Frame(X, ["height", "width"]))
    before = dict(vars(model))
    with pytest.raises(TypeError, match="Feature names are only supported if all"):
        model.fit(Frame(X, ["height", 1]), y)
    assert all(vars(model)[name] is value for name, value in before.items()) and len(vars(model)) == len(before)


def test_names_of_features_with_partial_fit() -> None:
    model = OnlineSVC().partial_fit(Frame(X, ["a", "b"]), y).partial_fit(Frame(X, ["a", "b"]), y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="The feature names should match"):
        model.partial_fit(Frame(X, ["b", "a"]), y)
    assert model.n_samples_seen_ == 180 and model.fit(X[:50], y[:50]).n_samples_seen_ == 50


@each_learner
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_points_are_taken_up_to_a_size(learner: Estimator, kind: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fitted = clone(learner).fit(X, y)
    assert (clone(learner).fit(kind(X), y).predict(kind(X)) == fitted.predict(X)).all()
    monkeypatch.setattr(checks, "DENSE", X.size - 1)
    with pytest.raises(TypeError, match=r"dense data is required\. Use '\.toarray\(\)' .* \(Up to 179 entries this is"):
        fitted.predict(kind(X))


@each_learner
@pytest.mark.parametrize("kind", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array])
def test_sparse_labels_and_large_sparse_points_are_refused_as_by_scikit_learn(
    learner: Estimator, kind: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = clone(learner).fit(X, y)
    monkeypatch.setattr(checks, "DENSE", 0)
    calls: list[tuple[str, Any, Any]] = [
        ("X", clone(learner).fit, (kind(X), y)),
        ("y", clone(learner).fit, (X, kind(y[:, None]))),
        ("y", fitted.score, (X, kind(y[:, None]))),
        ("sample_weight", fitted.score, (X, y, kind(y[:, None]))),
    ]
    queries = ("predict", "predict_proba", "decision_function", "pair_decision_function", "leaders", "kneighbors")
    calls += [("X", getattr(fitted, query), (kind(X),)) for query in queries if hasattr(fitted, query)]
    if isinstance(learner, OnlineSVC):
        calls += [
            ("X", clone(learner).partial_fit, (kind(X), y)),
            ("y", clone(learner).partial_fit, (X, kind(y[:, None]))),
        ]
    for name, call, data in calls:
        with pytest.raises(TypeError) as theirs:
            check_array(kind(X), input_name=name)
        with pytest.raises(TypeError) as ours:
            call(*data)
        assert str(ours.value) == str(theirs.value)


@each_learner
def test_data_of_another_kind_is_named(learner: Estimator) -> None:
    with pytest.raises(ValueError, match=r"y is continuous: it holds 0\.5"):
        clone(learner).fit(X, y + 0.5)
    with pytest.raises(ValueError, match="Complex data not supported: X"):
        clone(learner).fit(X * 1j, y)
    plain = clone(learner).fit(X, y.astype(float))  # whole numbers are labels, of any type
    with pytest.warns(exceptions.DataConversionWarning, match="A column-vector y was passed") as caught:
        column = clone(learner).fit(X, y[:, None])
    assert len(caught) == 1
    assert (column.predict(X) == plain.predict(X)).all()
    with pytest.warns(solver.DataConversionWarning):
        assert column.score(X, y[:, None]) == plain.score(X, y)


@pytest.mark.parametrize(
    "learner",
    [SVC(selection="random"), Perceptron(), PegasosClassifier(n_iter=50, tol=1e9), OnlineSVC()],
    ids=lambda learner: type(learner).__name__,
)
def test_random_state_may_be_a_generator(learner: Estimator) -> None:
    def fitted(random_state: Any) -> Any:
        model = clone(learner).set_params(random_state=random_state).fit(X, y)
        return model.coef_ if hasattr(model, "mistakes_") or hasattr(model, "newest_coef_") else model.dual_coef_

    first = fitted(np.random.RandomState(3))
    assert np.array_equal(first, fitted(np.random.RandomState(3)))
    generator = np.random.RandomState(3)
    clone(learner).set_params(random_state=generator).fit(X, y)
    assert not np.array_equal(first, fitted(generator)) or learner.__class__ is SVC  # the generator has advanced
    with pytest.raises(ValueError, match="random_state is 'now'"):
        fitted("now")


def test_coef_cannot_be_written_to() -> None:
    for learner in (SVC(kernel="linear"), DualAscentSVC(kernel="linear"), OnlineSVC(kernel="linear")):
        model = learner.fit(X, y)
        with pytest.raises(AttributeError):
            model.coef_ = np.zeros((3, 2))
        with pytest.raises(ValueError, match="read-only"):
            model.coef_[0, 0] = 1.0


def test_on_the_boundary_the_lower_class_wins() -> None:
    """Both classes at one point: f = 0 everywhere, up to rounding exactly so."""
    for learner in (SVC(), DualAscentSVC()):
        model = learner.fit([[0.0], [0.0]], ["a", "b"])
        assert model.decision_function([[0.0], [1.0]]).tolist() == [0.0, 0.0]
        assert model.predict([[0.0], [1.0]]).tolist() == ["a", "a"]
        assert "f = 0" in (type(model).predict.__doc__ or "")
