"""Predictions in pieces: the same bits however the queries are cut, little memory, and a linear kernel by its w."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from solver import SVC, DualAscentSVC, Kernel, OnlineSVC
from solver.kernels.expansion import Expansion
from solver.kernels.kernel_classifier import KernelClassifier
from solver.kernels.table import KERNELS, PrecomputedKernel
from tests.examples import examples


def expansion(
    rng: np.random.Generator, kernel: Any, n_support: int, n_features: int, n_problems: int, n_training: int = 0
) -> Expansion:
    points = rng.normal(size=(n_support, n_features))
    support = rng.choice(max(n_support, n_training), n_support, replace=False).astype(np.int32)
    centre = points.mean(axis=0) if kernel.is_translation_invariant else np.zeros(n_features)
    return Expansion(
        kernel, points, support, rng.normal(size=(n_support, n_problems)) * 10.0, rng.normal(size=n_problems), centre
    )


def summed(f: Expansion, queries: Any) -> Any:
    """Return f by its definition, in extended precision, and the bound on its rounding error."""
    gram = f.kernel.gram(queries - f.centre, f.points - f.centre).astype(np.longdouble)  # type: ignore[union-attr]
    return gram @ f.coef + f.offset, np.abs(gram) @ np.abs(f.coef) + np.abs(f.offset)


@pytest.mark.parametrize("kernel", ["linear", "poly", "rbf"])
@pytest.mark.parametrize("n_problems", [1, 3])
def test_problems_use_some_support_vectors_or_none(kernel: str, n_problems: int) -> None:
    rng = np.random.default_rng(n_problems)
    f = expansion(rng, Kernel(kernel, 0.3, 0.5, 3), 40, 7, n_problems)
    f.coef[::3] = 0.0
    f.coef[10:30, -1] = 0.0
    queries = rng.normal(size=(20, 7))
    for _ in range(2):
        expected, size = summed(f, queries)
        assert (np.abs(f(queries) - expected) <= 1e-13 * size).all()
        f = replace(f, coef=f.coef * (np.arange(n_problems) > 0))  # now the first problem has none


def test_a_query_does_not_copy_the_support_vectors() -> None:
    f = expansion(np.random.default_rng(0), Kernel("rbf", 0.3), 20_000, 20, 2)
    queries = np.zeros((1, 20))
    f(queries)
    tracemalloc.start()
    f(queries)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * f.points.nbytes


@examples(60)
@given(
    kernel=st.sampled_from([*KERNELS, "precomputed"]),
    n_support=st.integers(1, 70),
    n_features=st.integers(1, 40),
    n_problems=st.integers(1, 4),
    piece=st.integers(1, 500),
    seed=st.integers(0, 2**32 - 1),
)
def test_bits_do_not_depend_on_the_other_queries(
    kernel: str, n_support: int, n_features: int, n_problems: int, piece: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    width = n_features if kernel != "precomputed" else 90
    f = expansion(
        rng,
        PrecomputedKernel() if kernel == "precomputed" else Kernel(kernel, 0.3, 0.5, 3),
        n_support,
        width,
        n_problems,
        width,
    )
    queries = rng.normal(size=(50, width))
    whole = f(queries)
    if kernel != "precomputed":
        exact, size = summed(f, queries)
        assert (np.abs(whole - exact) <= 1e-14 * (n_features + 10) * size).all()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("solver.kernels.expansion.PIECE", piece)
        assert np.array_equal(whole, f(queries))
    cut = int(rng.integers(1, 50))
    assert np.array_equal(whole, np.concatenate([f(queries[:cut]), f(queries[cut:])]))
    assert np.array_equal(whole, np.concatenate([f(queries[i : i + 1]) for i in range(50)]))


def far_model(kernel: str = "rbf", n_classes: int = 2, n: int = 1500) -> KernelClassifier:
    """Return a model in which nearly all points are support vectors: random classes, small C."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(n, 2)), rng.integers(0, n_classes, n)
    return SVC(kernel=kernel, C=1e-3, gamma=1.0, max_iter=3000).fit(X, y)


@pytest.mark.parametrize(("kernel", "n_classes"), [("rbf", 2), ("laplacian", 2), ("linear", 2), ("rbf", 8)])
def test_little_memory_beside_the_answer(kernel: str, n_classes: int) -> None:
    model = far_model(kernel, n_classes)
    queries = np.random.default_rng(1).normal(size=(5000, 2))
    block = len(queries) * len(model.support_) * 8
    assert block > 50e6  # the memory of all kernel values at once
    answers = {
        "decision_function": lambda: model.decision_function(queries),
        "predict": lambda: model.predict(queries),
        "score": lambda: model.score(queries, np.zeros(len(queries), dtype=int)),
    }
    for name, ask in answers.items():
        tracemalloc.start()
        answer = ask()
        peak = tracemalloc.get_traced_memory()[1] - np.asarray(answer).nbytes
        tracemalloc.stop()
        assert peak < 15e6, (name, peak)


def test_a_gram_matrix_of_queries_is_not_copied() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 2))
    model = SVC(kernel="precomputed").fit(X @ X.T, rng.integers(0, 2, 400))
    queries = rng.normal(size=(20_000, 2)) @ X.T
    tracemalloc.start()
    model.decision_function(queries)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 15e6 < queries.nbytes / 4
    before = queries.copy()
    model.predict(queries)
    assert np.array_equal(queries, before)


@pytest.mark.slow
@pytest.mark.parametrize("learner", [SVC, DualAscentSVC, OnlineSVC])
def test_answers_are_those_of_single_queries(learner: Any) -> None:
    rng = np.random.default_rng(2)
    X, y = rng.normal(size=(90, 2)), rng.integers(0, 3, 90)
    queries = rng.normal(size=(40, 2))
    for kernel in KERNELS:
        for multiclass in ("one-vs-one", "one-vs-rest"):
            model = learner(kernel=kernel, multiclass=multiclass, max_iter=200, degree=2, gamma=0.5).fit(X, y)
            for method in (model.decision_function, model.predict, model.pair_decision_function):
                assert np.array_equal(method(queries), np.concatenate([method(q[None, :]) for q in queries]))


def test_a_linear_kernel_far_from_the_origin_keeps_its_digits() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 3)) + 1e6
    y = (X[:, 0] + 0.5 * rng.normal(size=200) > 1e6).astype(int)
    model = SVC(kernel="linear", C=100.0).fit(X, y)
    exact, size = summed(model.expansion, X)
    assert (np.abs(model.pair_decision_function(X) - exact) <= 1e-14 * size).all()
