"""The explicit map of degree 2 against its kernel, entry by entry and through a trained SVM."""

from __future__ import annotations

import numpy as np
import pytest

from solver import Kernel, SmoSolver, polynomial_features
from tests.solver.svm_reference import points


def test_every_ordered_product() -> None:
    assert polynomial_features([[2.0, 3.0]]).tolist() == [[1.0, 2.0, 3.0, 4.0, 6.0, 6.0, 9.0]]
    assert polynomial_features([[2.0]]).tolist() == [[1.0, 2.0, 4.0]]
    X = np.random.default_rng(0).normal(size=(5, 4))
    psi = polynomial_features(X)
    assert psi.shape == (5, 1 + 4 + 16)
    for i in range(4):
        for j in range(4):
            assert (psi[:, 1 + 4 + 4 * i + j] == X[:, i] * X[:, j]).all()


@pytest.mark.parametrize("d", [1, 2, 3, 10])
def test_the_inner_product_is_the_kernel(d: int) -> None:
    rng = np.random.default_rng(d)
    X, Z = rng.normal(size=(6, d)), rng.normal(size=(7, d))
    s = X @ Z.T
    assert polynomial_features(X) @ polynomial_features(Z).T == pytest.approx(1 + s + s**2)
    assert Kernel("poly", 1.0, 0.5, 2).gram(X, Z) + 0.75 == pytest.approx(1 + s + s**2)


@pytest.mark.parametrize("C", [0.1, 10.0])
def test_a_linear_machine_on_the_features_is_the_polynomial_machine(C: float) -> None:
    X, y = points("noisy circle", 60, 3)
    explicit = SmoSolver(polynomial_features(X), y, Kernel("linear"), C=C, tol=1e-8)
    implicit = SmoSolver(X, y, Kernel("poly", 1.0, 0.5, 2), C=C, tol=1e-8)
    explicit.run()
    implicit.run()
    assert explicit.dual == pytest.approx(implicit.dual, rel=1e-9)
    f, g = (solver.y - solver.v + solver.intercept for solver in (explicit, implicit))
    assert f == pytest.approx(g, abs=1e-5)


@pytest.mark.parametrize(
    ("X", "sentence"),
    [
        ([1.0, 2.0], "X: Expected 2D array, got 1D array instead"),
        ([[]], "X has 0 "),
        ([[np.nan]], "X holds a value that is not finite"),
        ([["a"]], "X must hold numbers only"),
        ([[1e200]], "coordinates must lie in"),
    ],
)
def test_bad_input(X: list[list[float]], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        polynomial_features(X)
