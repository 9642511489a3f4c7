"""Studies against independent loops: scikit-learn's SVM and neighbours on the same points and folds."""

from __future__ import annotations

from typing import Any

import msgspec
import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from app.core.points import Points
from app.features.study import computing
from app.features.study.cells import data_of, paths, seed_of
from app.features.study.computing import NOT_DEFINED, Given, Record, compute
from app.features.study.model import NOTES, Study, StudyAxis, measures_of
from app.learners.knn import CondensedSettings, EditedSettings, KnnSettings
from app.learners.svm import SvmSettings
from app.learners.table import LEARNERS
from app.state.document import GeneratorSettings, Lane
from app.state.split import folds_of
from solver import SmoSolver
from solver.data import datasets
from solver.kernels.table import Kernel
from solver.svm.c_path import PathSolver
from tests.app.learners.test_new_learner import CentroidModel, Centroids, CentroidSettings

from .studies import GRID, KNN, computed, given_of, results_of, with_tol


def test_a_grid_is_that_of_scikit_learn_on_the_same_folds() -> None:
    study = with_tol(GRID, 1e-6)
    found = computed(study)
    assert len(found) == 3 * 2 * 3 * 2
    for record in found:
        choice = study.choice(record.cell)
        data = data_of(study, record.cell)
        X, y = datasets.generate("circle", 30, 0.2, seed_of(data, record.repetition, 0, "points"))
        fold = folds_of(Points.of(X, y), 3, record.repetition)
        inside = fold != record.fold
        peer = SVC(C=choice["C"], gamma=choice["gamma"], tol=1e-6).fit(X[inside], y[inside])
        assert record.values["accuracy"] == peer.score(X[~inside], y[~inside])
        assert record.values["support_vectors"] == len(peer.support_)
        beta, K = (
            peer.dual_coef_[0],
            np.exp(-choice["gamma"] * ((peer.support_vectors_[:, None] - peer.support_vectors_) ** 2).sum(axis=2)),
        )
        assert record.values["dual"] == pytest.approx(np.abs(beta).sum() - 0.5 * beta @ K @ beta, rel=1e-4)
        assert record.status == "optimal" and not record.error


def varied(axes: tuple[StudyAxis, ...], **changes: object) -> list[tuple[dict[str, Any], dict[str, float], Any, Any]]:
    """Yield, for each cell and fold of a study, its choice and values, and its training and test points."""
    study = msgspec.structs.replace(with_tol(GRID, 1e-6), axes=axes, repetitions=1, **changes)
    cases = []
    for record in computed(study):
        assert not record.error, record.error
        choice, data = study.choice(record.cell), data_of(study, record.cell)
        n, noise = int(choice.get("n", 30)), float(choice.get("noise", 0.2))
        X, y = datasets.generate("circle", n, noise, seed_of(data, 0, 0, "points"))
        inside = folds_of(Points.of(X, y), 3, 0) != record.fold
        cases.append((choice, record.values, (X[inside], y[inside]), (X[~inside], y[~inside])))
    return cases


NOISE, N = StudyAxis("noise", (0.05, 0.4)), StudyAxis("n", (9, 24))


def test_degree_and_tolerance_are_those_of_a_loop() -> None:
    lane = Lane("svm", svm=SvmSettings(kernel="poly", gamma=0.7, coef0=1.0))
    axes = StudyAxis("degree", (1, 2, 4)), StudyAxis("tol", (1e-6, 0.3))
    for choice, values, train, test in varied(axes, lane=lane, values=("accuracy", "support_vectors")):
        if choice["tol"] == 1e-6:
            peer = SVC(kernel="poly", gamma=0.7, coef0=1.0, degree=choice["degree"], tol=1e-6).fit(*train)
            assert values == {"accuracy": peer.score(*test), "support_vectors": len(peer.support_)}
    rough = varied((StudyAxis("degree", (4,)), StudyAxis("tol", (1e-6, 0.3))), lane=lane, values=("steps",))
    assert all(a[1]["steps"] > b[1]["steps"] for a, b in zip(rough[::2], rough[1::2], strict=True))


def test_noise_n_C_and_gamma_are_those_of_a_loop() -> None:
    axes = NOISE, N, StudyAxis("C", (0.3, 30.0)), StudyAxis("gamma", (0.5, 4.0))
    cases = varied(axes, values=("accuracy", "training_accuracy", "margin"))
    assert len(cases) == 16 * 3
    for choice, values, train, test in cases:
        peer = SVC(C=choice["C"], gamma=choice["gamma"], tol=1e-6).fit(*train)
        assert (values["accuracy"], values["training_accuracy"]) == (peer.score(*test), peer.score(*train))
        S, beta = peer.support_vectors_, peer.dual_coef_[0]
        K = np.exp(-choice["gamma"] * ((S[:, None] - S) ** 2).sum(axis=2))
        assert values["margin"] == pytest.approx((beta @ K @ beta) ** -0.5, rel=1e-4)


def with_ties(peer: SVC, X: np.ndarray, y: np.ndarray) -> float:
    """Return the accuracy of an SVM of three classes, where a tie of three counts 1/3."""
    duels = peer.decision_function(X) > 0
    first, second, third = duels.T.astype(int)
    won = np.column_stack((first + second, 1 - first + third, 2 - second - third))
    ahead = won == won.max(axis=1, keepdims=True)
    return float((ahead[np.arange(len(y)), y] / ahead.sum(axis=1)).mean())


def test_three_classes_with_weights_are_those_of_a_loop() -> None:
    generator = GeneratorSettings("blobs", 30, 0.6, n_classes=3)
    lane = Lane(
        "svm", svm=SvmSettings(tol=1e-6, class_weight="own", own_weights=(1.0, 5.0, 0.2, 1.0, 1.0, 1.0, 1.0, 1.0))
    )
    study = msgspec.structs.replace(GRID, generator=generator, lane=lane, repetitions=1)
    study = msgspec.structs.replace(study, values=("accuracy", "training_accuracy", "support_vectors"))
    scores = set()
    for record in computed(study):
        choice, data = study.choice(record.cell), data_of(study, record.cell)
        X, y = datasets.generate("blobs", 30, 0.6, seed_of(data, 0, 0, "points"), n_classes=3)
        inside = folds_of(Points.of(X, y), 3, 0) != record.fold
        weights = {1: 5.0, 2: 0.2}
        peer = SVC(C=choice["C"], gamma=choice["gamma"], tol=1e-6, class_weight=weights, decision_function_shape="ovo")
        peer.fit(X[inside], y[inside])
        assert record.values["accuracy"] == pytest.approx(with_ties(peer, X[~inside], y[~inside]), abs=1e-12)
        assert record.values["training_accuracy"] == pytest.approx(with_ties(peer, X[inside], y[inside]), abs=1e-12)
        assert record.values["support_vectors"] == len(peer.support_)
        scores.add(record.values["accuracy"])
    assert len(scores) > 3


def test_k_and_noise_are_those_of_a_loop() -> None:
    for choice, values, train, test in varied(
        (NOISE, StudyAxis("k", (1, 3, 11))), lane=Lane("knn"), values=("accuracy",)
    ):
        assert values["accuracy"] == KNeighborsClassifier(int(choice["k"])).fit(*train).score(*test)


def condensed(X: np.ndarray, y: np.ndarray) -> int:
    """Return the number of points that Hart's rule keeps in the order of the points, by a direct loop."""
    kept, added = [0], True
    while added:
        added = False
        for i in range(len(X)):
            if i not in kept and y[kept[np.hypot(*(X[kept] - X[i]).T).argmin()]] != y[i]:
                kept.append(i)
                added = True
    return len(kept)


def edited(X: np.ndarray, y: np.ndarray, k: int) -> int:
    """Return the number of points that Wilson's rule keeps in one pass; k is odd, so that two classes never tie."""
    apart = np.hypot(*(X[:, None] - X).T)
    np.fill_diagonal(apart, np.inf)
    nearest = apart.argsort(axis=0)[:k]
    return int(((y[nearest] == y).sum(axis=0) > k / 2).sum())


def test_points_kept_are_those_of_a_loop() -> None:
    for name, settings, axes in (
        ("condensed_knn", CondensedSettings(shuffle=False), (NOISE, N)),
        ("edited_knn", EditedSettings(repeated=False), (NOISE, StudyAxis("k", (1, 3, 7)))),
    ):
        cases = varied(axes, lane=Lane(name).with_part(name, settings), values=("points_kept", "accuracy"))
        for choice, values, train, _ in cases:
            expected = edited(*train, choice["k"]) if "k" in choice else condensed(*train)
            assert values["points_kept"] == expected < len(train[0])
        assert len({values["points_kept"] for _, values, _, _ in cases}) > 3
    for name in LEARNERS:
        assert ("points_kept" in measures_of(Lane(name))) == (name in ("condensed_knn", "edited_knn"))


OTHERS = {
    "svm": (Lane("svm", svm=SvmSettings(kernel="linear", tol=1e-6)), SVC(kernel="linear", tol=1e-6)),
    "knn": (Lane("knn", knn=KnnSettings(n_neighbors=3)), KNeighborsClassifier(3)),
}


@pytest.mark.parametrize("name", OTHERS)
def test_disagreement_is_that_of_a_loop(name: str) -> None:
    lane, peer = OTHERS[name]
    values: dict[str, Any] = {"values": ("disagreement", "accuracy"), "other": lane}
    shown = set()
    for choice, found, train, test in varied((StudyAxis("C", (0.3, 30.0)), StudyAxis("gamma", (0.5, 4.0))), **values):
        one = SVC(C=choice["C"], gamma=choice["gamma"], tol=1e-6).fit(*train).predict(test[0])
        assert found["disagreement"] == (one != peer.fit(*train).predict(test[0])).mean()
        shown.add(found["disagreement"])
    for choice, found, train, test in varied((NOISE, StudyAxis("k", (1, 11))), lane=Lane("knn"), **values):
        one = KNeighborsClassifier(int(choice["k"])).fit(*train).predict(test[0])
        assert found["disagreement"] == pytest.approx((one != peer.fit(*train).predict(test[0])).mean(), abs=1e-12)
    assert len(shown) > 3


def test_a_learner_without_steps_is_studied_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A learner with nothing but `fit` is the studied classifier, and the other one."""
    monkeypatch.setitem(LEARNERS, "centroid", Centroids())
    lane, axes = Lane("centroid"), (NOISE, StudyAxis("shrinkage", (0.0, 0.5)))
    assert measures_of(lane, other=True) == ["accuracy", "training_accuracy", "disagreement", "seconds"]
    values = "accuracy", "training_accuracy", "disagreement"
    study = msgspec.structs.replace(GRID, lane=lane, axes=axes, values=values, other=lane, repetitions=1)
    for record in computed(study):
        assert not record.error and record.status == "exact"
        choice, data = study.choice(record.cell), data_of(study, record.cell)
        X, y = datasets.generate("circle", 30, float(choice["noise"]), seed_of(data, 0, 0, "points"))
        inside = folds_of(Points.of(X, y), 3, 0) != record.fold
        points = Points.of(X[inside], y[inside])
        one, other = (CentroidModel(points, CentroidSettings(shrinkage=s)) for s in (float(choice["shrinkage"]), 0.0))
        predicted = one.predict(X[~inside])
        assert record.values["accuracy"] == (predicted == y[~inside]).mean()
        assert record.values["training_accuracy"] == (one.predict(X[inside]) == y[inside]).mean()
        assert record.values["disagreement"] == (predicted != other.predict(X[~inside])).mean()


def test_a_classifier_of_scikit_learn_is_studied_as_it_is() -> None:
    study = msgspec.structs.replace(
        GRID, lane=Lane("naive_bayes"), axes=(NOISE, N), values=("accuracy", "training_accuracy"), repetitions=1
    )
    for record in computed(study):
        assert not record.error and record.status == "exact"
        choice, data = study.choice(record.cell), data_of(study, record.cell)
        X, y = datasets.generate("circle", int(choice["n"]), float(choice["noise"]), seed_of(data, 0, 0, "points"))
        inside = folds_of(Points.of(X, y), 3, 0) != record.fold
        peer = GaussianNB().fit(X[inside], y[inside])
        assert record.values["accuracy"] == peer.score(X[~inside], y[~inside])
        assert record.values["training_accuracy"] == peer.score(X[inside], y[inside])


def test_what_a_classifier_of_scikit_learn_raises_is_the_text_of_its_cell(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    odd = "tests.app.engine.odd_estimator", "Odd", {"does": "raise"}
    monkeypatch.setattr(type(LEARNERS["naive_bayes"]), "maker", lambda self, settings: odd)
    study = msgspec.structs.replace(GRID, lane=Lane("naive_bayes"), axes=(NOISE,), values=("accuracy",), repetitions=1)
    assert {record.error for record in computed(study)} == {
        "Naive Bayes could not be trained: RuntimeError: no luck today"
    }
    assert "Traceback" in caplog.text, "it may be a fault of the program"


def test_a_cell_without_memory_says_so_in_plain_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> None:
        raise MemoryError("Unable to allocate 63.9 MiB for an array with shape (838, 10000)")

    monkeypatch.setattr(computing, "_drawn", fail)
    study = msgspec.structs.replace(GRID, axes=(NOISE,), values=("accuracy",), repetitions=1)
    assert {record.error for record in computed(study)} == {"There is not enough memory."}


@pytest.mark.parametrize("lane", [Lane("svm"), Lane("knn"), Lane("perceptron")], ids=lambda lane: lane.classifier)
def test_seconds_are_a_value_and_stand_once_in_the_table(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    study = msgspec.structs.replace(
        GRID, axes=(N, NOISE), lane=lane, values=("seconds", "accuracy"), folds=0, test=20, repetitions=1, draws=3
    )
    clock = iter(range(10**6))
    monkeypatch.setattr(computing.time, "perf_counter", lambda: float(next(clock)))
    records = computed(study)
    assert all(record.values["seconds"] == record.seconds == 1.0 for record in records)
    table = results_of(study, records).table().decode().splitlines()
    assert table[0] == "cell,n,noise,repetition,fold,accuracy,status,error,seconds"
    assert all(row.endswith(",1.0") for row in table[1:])


def test_a_learning_curve_is_that_of_a_loop() -> None:
    study = Study(
        "learning-curve",
        (StudyAxis("n", (5, 25)),),
        ("accuracy", "training_accuracy"),
        Lane("svm", svm=SvmSettings(tol=1e-6, C=10.0)),
        GeneratorSettings("moons", 5, 0.3),
        repetitions=3,
        test=300,
    )
    means = results_of(study, computed(study)).means("accuracy")
    for index, n in enumerate((5, 25)):
        right = []
        for repetition in range(3):
            data = data_of(study, (index,))
            X, y = datasets.generate("moons", n, 0.3, seed_of(data, repetition, 0, "points"))
            Q, truth = datasets.generate("moons", 150, 0.3, seed_of(data, repetition, 0, "tests"))
            right.append(SVC(C=10.0, gamma=1.0, tol=1e-6).fit(X, y).score(Q, truth))
        assert means.mean[index] == pytest.approx(np.mean(right), abs=1e-12)
        assert means.spread[index] == pytest.approx(np.std(right, ddof=1), abs=1e-12)
        assert means.count[index] == 3


def inverse_square(distances: np.ndarray) -> np.ndarray:
    return 1.0 / distances**2


@pytest.mark.slow
def test_an_efficiency_map_is_that_of_a_loop() -> None:
    found = computed(KNN)
    locations = {record.cell for record in found}
    assert locations == {
        (i, j, w) for i, n in enumerate((5, 10, 20)) for j, k in enumerate((1, 5, 10, 20)) if k <= n for w in range(2)
    }
    for record in found:
        choice, data = KNN.choice(record.cell), data_of(KNN, record.cell)
        shares = []
        for draw in range(3):
            X, y = datasets.generate("line", int(choice["n"]), 0.0, seed_of(data, record.repetition, draw, "points"))
            random = np.random.Generator(np.random.PCG64(seed_of(data, record.repetition, draw, "tests")))
            Q = random.uniform(-1.0, 1.0, (40, 2))
            weights = "uniform" if choice["weights"] == "uniform" else inverse_square
            votes = KNeighborsClassifier(int(choice["k"]), weights=weights).fit(X, y).predict_proba(Q)
            truth = np.where(Q[:, 1] > Q[:, 0], 0, 1)
            tie = votes[:, 1] == votes[:, 0]
            shares.append(np.where(tie, 0.5, votes.argmax(axis=1) == truth).mean())
        assert record.values["accuracy"] == pytest.approx(np.mean(shares), abs=1e-12)


def independent(name: str, shift: float, n: int, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """The data sets of the exercise, generated independently: by rejection instead of a formula."""
    if name == "line":
        # The smaller of two uniform numbers has a density proportional to 1 - x; a gap leaves no y for the largest.
        x = random.uniform(-1.0, 1.0, (2, 10 * n + 100)).min(axis=0)
        x = x[x <= 1.0 - shift][: 2 * n]
        low = np.maximum(x + shift, -1.0)
        points = np.column_stack([x, low + (1.0 - low) * random.uniform(size=2 * n)])
        return np.concatenate([points[:n], -points[n:]]), np.repeat([0, 1], n)
    X, Z = random.uniform(-1.0, 1.0, (2, 20 * n + 200, 2))
    inside, square = X[(X * X).sum(axis=1) <= 0.5 - shift][:n], (Z * Z).sum(axis=1)
    return np.concatenate([inside, Z[(square >= 0.5 + shift) & (square <= 1.0)][:n]]), np.repeat([0, 1], n)


def simulated(name: str, shift: float, n: int, draws: int, seed: int) -> np.ndarray:
    """Return the efficiency for k = 5, 15, ... up to n, shape (3 weights, number of k): 100 tests for each of
    `draws`.
    """
    random, right = np.random.default_rng(seed), np.zeros((3, n // 10 + 1))
    for _ in range(draws):
        X, y = independent(name, shift, n, random)
        Q = random.uniform(-1.0, 1.0, (100, 2))
        truth = Q[:, 1] < Q[:, 0] if name == "line" else (Q * Q).sum(axis=1) >= 0.5
        d = np.hypot(Q[:, :1] - X[:, 0], Q[:, 1:] - X[:, 1])
        order = np.argsort(d, axis=1)[:, :n]
        votes, d = np.where(y[order] == 1, 1.0, -1.0), np.take_along_axis(d, order, axis=1)
        for way, weight in enumerate((np.ones_like(d), 1.0 / d, 1.0 / d**2)):
            ahead = np.cumsum(votes * weight, axis=1)[:, 4::10]  # k is odd: no ties
            right[way] += ((ahead > 0.0) == truth[:, None]).sum(axis=0)
    return right / (100.0 * draws)


@pytest.mark.soak
@pytest.mark.parametrize("shift", [-0.1, 0.0, 0.1])
@pytest.mark.parametrize("name", ["line", "circle"])
def test_the_maps_of_the_notes_agree_with_an_independent_simulation(name: str, shift: float) -> None:
    axes = (*NOTES.axes[:3], StudyAxis("data", (name,)), StudyAxis("shift", (shift,)))
    study = msgspec.structs.replace(NOTES, axes=axes)
    assert study.repetitions * study.draws * study.test == 100_000
    means = results_of(study, computed(study)).means("accuracy")
    peers = [simulated(name, shift, n, 1000, n) for n in NOTES.axes[0].values]
    cells = np.argwhere(means.count > 0).tolist()
    apart = np.array([means.mean[tuple(at)] - peers[at[0]][at[2], at[1]] for at in cells])
    size = np.abs(apart)
    print(
        f"{name}, shift {shift:+}: mean difference {apart.mean():+.5f}, size {size.mean():.5f}, most {size.max():.5f}"
    )
    assert len(apart) == 55 * 3 and size.mean() < 0.003 and size.max() < 0.015


def test_a_path_ends_each_cell_as_a_training_from_nothing() -> None:
    study = msgspec.structs.replace(
        with_tol(GRID, 1e-8), axes=(StudyAxis("C", (0.1, 1.0, 50.0, 1e4)), StudyAxis("gamma", (2.0,))), repetitions=1
    )
    for record in computed(study):
        choice = study.choice(record.cell)
        axes = tuple(StudyAxis(name, (value,)) for name, value in choice.items())
        alone = msgspec.structs.replace(study, axes=axes)
        cold = next(each for each in computed(alone) if each.fold == record.fold)
        assert record.values["dual"] == pytest.approx(cold.values["dual"], rel=1e-7)
        assert {k: v for k, v in record.values.items() if k != "dual"} == {
            k: v for k, v in cold.values.items() if k != "dual"
        }


def test_what_is_counted_or_timed_goes_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise ValueError("a path")

    monkeypatch.setattr(PathSolver, "__init__", fail)
    for values, error in ((("seconds",), ""), (("dual", "steps"), ""), (("dual",), "a path")):
        records = computed(msgspec.structs.replace(GRID, values=values, repetitions=1))
        assert {record.error for record in records} == {error}


def test_steps_are_counted_from_nothing() -> None:
    study = msgspec.structs.replace(GRID, values=("steps",), folds=0, test=10, repetitions=1)
    for record in computed(study):
        X, y = datasets.generate("circle", 30, 0.2, seed_of(data_of(study, record.cell), 0, 0, "points"))
        choice = study.choice(record.cell)
        solver = SmoSolver(X, np.where(y == 1, 1.0, -1.0), Kernel("rbf", float(choice["gamma"])), C=choice["C"])
        solver.step(10_000_000)
        assert record.values["steps"] == solver.n_iter


def test_a_cell_that_cannot_exist_is_not_defined_and_the_path_goes_on() -> None:
    study = msgspec.structs.replace(
        KNN, axes=(StudyAxis("n", (5,)), StudyAxis("k", (5, 11))), k_up_to_n=False, repetitions=1, draws=2
    )
    fine, beyond = computed(study)
    assert fine.values and fine.status == "exact" and not fine.error
    assert beyond.status == NOT_DEFINED and not beyond.values and not beyond.error
    found = results_of(study, (fine, beyond))
    assert found.states.tolist() == [["", NOT_DEFINED]] and found.defined.tolist() == [[True, False]]


def test_a_failing_cell_is_a_line_and_the_path_goes_on() -> None:
    few = msgspec.structs.replace(GRID, generator=GeneratorSettings("circle", 1, 0.2), folds=2, repetitions=1)
    records = computed(few)  # each fold has one class
    assert len(records) == 12 and all(record.error and not record.values for record in records)
    short = msgspec.structs.replace(GRID, generator=GeneratorSettings("circle", 30, 0.2, shift=0.9))
    assert all("shift" in record.error for record in computed(short))


@pytest.mark.parametrize("lane", [Lane("knn"), Lane("svm")])
def test_a_fold_without_points_to_test_on_is_a_line(lane: Lane) -> None:
    """Where one search serves all k, the share of no points came as NaN, and the process of the study ended of it."""
    axes = (StudyAxis("noise", (0.1, 0.2)),)
    study = msgspec.structs.replace(
        GRID, axes=axes, values=("accuracy",), lane=lane, generator=GeneratorSettings("moons", 2), folds=5
    )
    records = computed(study)
    assert {record.error for record in records if record.fold == 4} == {"There are no points to test on."}
    assert msgspec.json.decode(msgspec.json.encode(records), type=list[Record]) == records


def test_given_points_are_sampled_by_class() -> None:
    points = GeneratorSettings("moons", 20, 0.2).points()
    study = msgspec.structs.replace(
        GRID, axes=(StudyAxis("C", (1.0,)), StudyAxis("n", (4, 20))), generator=None, digest="d", repetitions=1, folds=2
    )
    records = computed(study, given_of(points))
    assert [record.error for record in records] == [""] * 4
    # Two folds of 4 in each class: the share of correct points is a multiple of 1/4.
    assert all(record.values["accuracy"] * 4 % 1 == 0 for record in records if record.cell[1] == 0)
    few = msgspec.structs.replace(study, axes=(StudyAxis("C", (1.0,)), StudyAxis("n", (21,))))
    assert computed(few, given_of(points))[0].error == "n is 21, but class 1 has only 20 points."


def test_a_training_that_is_stopped_early_reports_it() -> None:
    study = msgspec.structs.replace(GRID, most_steps=1, repetitions=1)
    assert "stopped early" in {record.status for record in computed(study)}


def test_the_first_results_come_before_the_path_ends() -> None:
    path = paths(GRID)[0]
    stream = compute(GRID, path, None)
    assert next(stream).cell == path.cells[0]


@pytest.mark.parametrize("name", ["svm", "knn"])
def test_a_classifier_that_standardises_is_a_pipeline_on_the_points_of_each_fold(name: str) -> None:
    X, y = datasets.generate("moons", 40, 0.25, 3)
    X = X * [12.0, 30_000.0] + [40.0, 50_000.0]  # years and money
    axis, made = {
        "svm": (StudyAxis("C", (0.1, 10.0)), lambda value: SVC(C=value, gamma=1.0, tol=1e-6)),
        "knn": (StudyAxis("k", (1, 9)), KNeighborsClassifier),
    }[name]
    lane = msgspec.structs.replace(Lane("svm", svm=SvmSettings(tol=1e-6)), classifier=name, standardise=True)
    study = Study("grid", (axis,), ("accuracy", "training_accuracy"), lane, folds=3, digest="0" * 64)
    points = Points.of(X, y)
    for record in computed(study, Given(points, Points())):
        assert not record.error, record.error
        inside = folds_of(points, 3, 0) != record.fold
        peer = make_pipeline(StandardScaler(), made(study.choice(record.cell)[axis.name])).fit(X[inside], y[inside])
        assert record.values["accuracy"] == pytest.approx(peer.score(X[~inside], y[~inside]), abs=1e-12)
        assert record.values["training_accuracy"] == pytest.approx(peer.score(X[inside], y[inside]), abs=1e-12)
