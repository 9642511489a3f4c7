"""Snapshots of trainings: for every learner, the model of a snapshot is that of its solvers' state."""

from __future__ import annotations

import gc
import pickle
import weakref
from functools import partial
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from solver import (
    KERNELS,
    REST,
    SVC,
    CondensedNearestNeighbour,
    DualAscentSVC,
    EditedNearestNeighbours,
    Grid,
    Kernel,
    OnlineSVC,
    PegasosClassifier,
    Perceptron,
    RunningExpansion,
    Status,
)
from solver.core.binary_reduction import PairClassifier
from tests.solver.svm_reference import Formula

Array = NDArray[np.float64]
GAMMA = 1.5
WEIGHTS = {"ant": 0.5, "bee": 2.0, "cow": 1.0}
LEARNERS: list[PairClassifier] = [
    SVC(gamma=GAMMA, C=3.0),
    OnlineSVC(gamma=GAMMA, C=3.0),
    DualAscentSVC(gamma=GAMMA, C=3.0),
    OnlineSVC(gamma=GAMMA, C=3.0, multiclass="one-vs-rest", n_epochs=2, finish=False),
    DualAscentSVC(gamma=GAMMA, C=3.0, multiclass="one-vs-rest", fit_intercept=False, step_size="constant"),
    Perceptron(max_iter=30),
    Perceptron(max_iter=30, fit_intercept=False, shuffle=False),
    PegasosClassifier(n_iter=2000, alpha=0.05),
]
PARAMETERS = [pytest.param(learner, n, id=f"{learner!r}, {n} classes") for learner in LEARNERS for n in (2, 3)]
T = np.random.default_rng(5).uniform(-2.0, 2.0, (60, 2))


def data(n_classes: int, seed: int = 0) -> tuple[Array, NDArray[np.str_]]:
    """Return three clouds that overlap, two of them on one side."""
    rng = np.random.default_rng(seed)
    codes = np.arange(60) % n_classes
    X = np.array([[-0.8, -0.5], [0.9, 0.2], [0.1, 1.2]])[codes] + rng.normal(0.0, 0.5, (60, 2))
    return X, np.array(["ant", "bee", "cow"])[codes]


def f_of(pair: Any, solver: Any, X: Array, fit_intercept: bool) -> Array:
    """Return f at `T` of one binary problem, from the state of its solver alone."""
    own = X[pair.index]
    if hasattr(solver, "expansion"):  # LASVM: the points of S by their numbers
        K = Formula("rbf", GAMMA)(T, X[solver.expansion])
        return K @ solver.beta + solver.intercept
    if hasattr(solver, "alpha"):
        return Formula("rbf", GAMMA)(T, own) @ (pair.y * solver.alpha) + solver.intercept
    count = solver.snapshot().count
    if hasattr(solver, "lam"):
        return np.asarray(T @ solver.coef)
    # The perceptron's dual form: count_i additions of y_i x_i.
    return T @ ((count * pair.y) @ own) + fit_intercept * float((count * pair.y).sum())


def winner_of(values: Array, pairs: Any, n_classes: int) -> NDArray[np.intp]:
    """Return the class of each row: most duels won, or the largest f against the rest; the lowest of equals."""
    if pairs[0].negative == REST:
        return values.argmax(axis=1)
    wins = np.zeros((len(values), n_classes))
    for f, pair in zip(values.T, pairs, strict=True):
        for row, value in enumerate(f):
            wins[row, pair.positive if value > 0 else pair.negative] += 1
    return wins.argmax(axis=1)


@pytest.mark.parametrize(("learner", "n_classes"), PARAMETERS)
def test_the_model_of_a_moment_is_the_state_of_its_solvers(learner: Any, n_classes: int) -> None:
    X, y = data(n_classes)
    source = type(learner)(**learner.get_params())
    trainer = source.prepare(X, y)
    rest = n_classes > 2 and (getattr(learner, "multiclass", "one-vs-rest") == "one-vs-rest")
    assert len(trainer.pairs) == len(trainer.solvers) == (1 if n_classes == 2 else 3)
    assert all((pair.negative == REST) == rest for pair in trainer.pairs)
    xs, ys = np.array([-1.0, 0.25, 1.5, 2.0]), np.array([-0.5, 0.75, 1.0])
    grid = np.array([[x, y] for y in ys for x in xs])
    kept = []
    for steps in (0, 1, 1, 5, 20, 100):
        trainer.step(steps)
        snapshots = trainer.snapshot(thorough=steps % 2 == 0)
        model = source.snapshot_model(snapshots)
        expected = np.column_stack(
            [
                f_of(pair, solver, X, getattr(learner, "fit_intercept", True))
                for pair, solver in zip(trainer.pairs, trainer.solvers, strict=True)
            ]
        )
        values = model.pair_decision_function(T)
        assert values == pytest.approx(expected, abs=1e-12)
        assert (model.predict(T) == model.classes_[winner_of(values, model.pairs_, n_classes)]).all()
        assert (model.winner(values) == winner_of(values, model.pairs_, n_classes)).all()
        surface = model.pair_surface_on(xs)(ys)
        assert surface.shape == (3, 4, len(model.pairs_))
        assert surface.reshape(12, -1) == pytest.approx(model.pair_decision_function(grid), abs=1e-12)
        assert [c.status for c in model.certificates_] == [solver.status for solver in trainer.solvers]
        assert 0.0 <= model.rounding < 1e-10
        assert len(model.intercept_) == len(model.pairs_)
        kept.append((model, values.copy()))
        pairs = source.pair_multipliers(snapshots)
        assert len(pairs) == (len(trainer.pairs) if hasattr(learner, "C") else 0)
        for (alpha, C), pair, solver in zip(pairs, trainer.pairs, trainer.solvers, strict=False):
            assert (alpha == solver.alpha).all() and (C == learner.C).all() and alpha.shape == pair.y.shape
    while trainer.status is Status.RUNNING:
        trainer.step(500)
    for model, values in kept:
        assert (model.pair_decision_function(T) == values).all(), "a model never changes"
        assert (pickle.loads(pickle.dumps(model)).pair_decision_function(T) == values).all()
    assert not hasattr(source, "classes_"), "the source has learned nothing of its own"
    whole = type(learner)(**learner.get_params()).fit(X, y)
    last = source.snapshot_model(trainer.snapshot())
    assert (last.pair_decision_function(T) == whole.pair_decision_function(T)).all()
    assert (source.adopt(trainer.snapshot()).predict(T) == whole.predict(T)).all()


@pytest.mark.parametrize("learner", [*LEARNERS, CondensedNearestNeighbour(), EditedNearestNeighbours()])
def test_a_training_goes_with_its_last_reference(learner: Any) -> None:
    """A cycle would keep the cached kernel rows, hundreds of megabytes, until the next collection of garbage."""
    collects = gc.isenabled()
    gc.disable()
    try:
        estimator = type(learner)(**learner.get_params())
        trainer = estimator.prepare(*data(3), start=lambda pair, C: None)
        trainer.step(3)
        kept = [weakref.ref(each) for each in (estimator, trainer)]
        del estimator, trainer
        assert [each() for each in kept] == [None, None]
    finally:
        if collects:
            gc.enable()


@pytest.mark.parametrize("kind", [OnlineSVC, DualAscentSVC])
@pytest.mark.parametrize("scheme", ["one-vs-one", "one-vs-rest"])
@pytest.mark.parametrize("weights", [None, "balanced", WEIGHTS])
def test_schemes_and_class_weights_are_those_of_svc(kind: Any, scheme: str, weights: Any) -> None:
    X, y = data(3)
    X, y = X[:50], y[:50]
    y[:8] = "cow"  # of unequal size
    common = {"gamma": GAMMA, "C": 2.0, "tol": 1e-6, "multiclass": scheme, "class_weight": weights}
    ours, theirs = kind(**common).fit(X, y), SVC(**common).fit(X, y)
    assert ours.pair_decision_function(T) == pytest.approx(theirs.pair_decision_function(T), abs=1e-4)
    assert [pair.negative for pair in ours.pairs_] == [pair.negative for pair in theirs.pairs_]
    assert ours.n_support_.tolist() == theirs.n_support_.tolist()
    assert (ours.support_ == theirs.support_).all()
    assert (ours.predict(T) == theirs.predict(T)).all()


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("kind", [SVC, OnlineSVC, DualAscentSVC, partial(DualAscentSVC, fit_intercept=False)])
def test_a_running_picture_is_that_of_the_model(kind: Any, name: str) -> None:
    X, y = data(3)
    X += [3.0, -2.0]  # away from the origin, so that shifting the points matters
    grid = Grid(1, 5, -3, -1, 12, 7)
    nodes = np.array([(x, y) for y in grid.ys for x in grid.xs])
    formula = Formula(name, 0.1, 1.0, 2)
    kernel = Kernel(name, formula.gamma, formula.coef0, formula.degree)
    source = kind(kernel=name, gamma=kernel.gamma, coef0=kernel.coef0, degree=kernel.degree)
    trainer = source.prepare(X, y)
    running = RunningExpansion(kernel, X, grid)
    for steps in (3, 1, 1, 40):
        trainer.step(steps)
        snapshots = trainer.snapshot()
        model = source.snapshot_model(snapshots)
        picture = model.expansion.next_rows(running)(grid.ys)
        assert picture == pytest.approx(model.pair_surface_on(grid.xs)(grid.ys), abs=1e-9)
        coef = np.zeros((len(X), len(trainer.pairs)))
        for p, (pair, (alpha, _)) in enumerate(zip(trainer.pairs, source.pair_multipliers(snapshots), strict=True)):
            coef[pair.index, p] = pair.y * alpha
        by_hand = formula(nodes, X) @ coef + model.intercept_
        assert picture.reshape(len(nodes), -1) == pytest.approx(by_hand, abs=1e-9)


def test_pegasos_answers_with_the_average_and_shows_the_newest() -> None:
    X, y = data(2)
    source = PegasosClassifier(n_iter=500)
    trainer = source.prepare(X, y)
    trainer.step(37)
    model = source.snapshot_model(trainer.snapshot())
    assert (model.coef_[0] == trainer.solvers[0].coef).all()
    assert (model.newest_coef_[0] == trainer.solvers[0].newest).all()
    assert (model.newest_coef_ != model.coef_).any() and model.n_iter_ == 37 and not model.converged_


def test_a_perceptron_that_separates_has_a_bound() -> None:
    X, y = data(2)
    X[y == "bee"] += 3.0
    model = Perceptron(shuffle=False).fit(X, y)
    certificate = model.certificates_[0]
    assert certificate.status is Status.OPTIMAL and certificate.mistakes <= certificate.mistake_bound < np.inf
    wild = Perceptron(max_iter=5).fit(*data(2))
    assert wild.certificates_[0].status is Status.STOPPED_EARLY and wild.certificates_[0].mistake_bound == np.inf


@pytest.mark.parametrize(
    ("learner", "sentence"),
    [
        (OnlineSVC(class_weight={"ant": 0.0}), "Invalid input - all samples with positive weights belong to the same"),
        (DualAscentSVC(class_weight={"ant": -1.0}), "class_weight of 'ant' is -1.0; it must be a number in [0, inf)."),
        (OnlineSVC(multiclass="all"), "multiclass is 'all'; it must be one of 'one-vs-one', 'one-vs-rest'."),
        (DualAscentSVC(C=np.inf), "C is inf; it must be a number in (0, 1e+50]."),
        (DualAscentSVC(C=1e50, class_weight={"ant": 3.0}), "C times the largest weight is 3e+50; it must be at most"),
    ],
)
def test_sentences(learner: Any, sentence: str) -> None:
    for ask in (learner.prepare, learner.fit):
        with pytest.raises(ValueError) as caught:
            ask(*data(2))
        assert str(caught.value).startswith(sentence)


@pytest.mark.parametrize("learner", [OnlineSVC, DualAscentSVC])
def test_a_class_of_weight_zero_is_left_out(learner: Any) -> None:
    X, y = data(3)
    model = learner(gamma=GAMMA, class_weight={"bee": 0.0}).fit(X, y)
    others = learner(gamma=GAMMA).fit(X[y != "bee"], y[y != "bee"])
    assert model.classes_.tolist() == ["ant", "cow"] and not np.isin(np.flatnonzero(y == "bee"), model.support_).any()
    assert (model.decision_function(T) == others.decision_function(T)).all()


def test_batches_have_one_scheme() -> None:
    X, y = data(3)
    with pytest.raises(ValueError, match="class_weight of bee is 0; partial_fit wants weights above 0"):
        OnlineSVC(class_weight={"bee": 0.0}).partial_fit(X, y)
    with pytest.raises(ValueError, match="partial_fit knows 'one-vs-one' only"):
        OnlineSVC(multiclass="one-vs-rest").partial_fit(X, y)
    with pytest.raises(ValueError, match="class_weight is 'balanced'; with partial_fit it must be None or a dict"):
        OnlineSVC(class_weight="balanced").partial_fit(X, y)
    weighted = OnlineSVC(gamma=GAMMA, class_weight=WEIGHTS, shuffle=False, finish=False)
    assert weighted.partial_fit(X, y).dual_coef_ == pytest.approx(
        OnlineSVC(gamma=GAMMA, class_weight=WEIGHTS, shuffle=False, finish=False).fit(X, y).dual_coef_, abs=1e-12
    )
