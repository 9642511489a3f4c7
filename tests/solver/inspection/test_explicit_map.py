"""The map of the quadratic kernel: against the kernel, and its plane against f of a trained SVM."""

from __future__ import annotations

import numpy as np
import pytest

from solver import SVC, DualAscentSVC, Kernel
from solver.inspection.explicit_map import explicit_map
from solver.kernels.feature_maps import quadratic_features
from tests.solver.svm_reference import points


@pytest.mark.parametrize(("gamma", "coef0"), [(1.0, 0.0), (0.7, 1.0), (2.5, 0.01), (0.0, 3.0)])
def test_the_inner_product_is_the_kernel(gamma: float, coef0: float) -> None:
    rng = np.random.default_rng(0)
    X, Z = rng.normal(size=(6, 2)), rng.normal(size=(7, 2))
    products = quadratic_features(X, gamma, coef0) @ quadratic_features(Z, gamma, coef0).T
    assert products == pytest.approx((gamma * X @ Z.T + coef0) ** 2)
    assert products == pytest.approx(Kernel("poly", gamma, coef0, 2).gram(X, Z))


@pytest.mark.parametrize(("gamma", "coef0"), [(1.0, 0.0), (0.7, 1.0), (2.5, 0.01), (0.0, 3.0)])
@pytest.mark.parametrize("classes", [2, 3])
def test_f_is_a_plane_in_what_is_drawn(gamma: float, coef0: float, classes: int) -> None:
    X, y = points("noisy circle", 60, 3)
    y = np.where(X[:, 0] > 0.5, 7, y) if classes == 3 else y
    model = SVC(5.0, kernel="poly", degree=2, gamma=gamma, coef0=coef0).fit(X, y)
    queries = np.random.default_rng(1).uniform(-2, 2, (50, 2))
    f = model.pair_decision_function(queries)
    for p in range(len(model.pairs_)):
        found = explicit_map(model.expansion, p)
        assert found is not None
        assert found.axes @ found.axes.T == pytest.approx(np.eye(3), abs=1e-12)
        assert found(queries) @ found.normal + found.offset == pytest.approx(f[:, p], abs=1e-9)
        assert found(queries) == pytest.approx(quadratic_features(queries, gamma, coef0) @ found.axes.T)
        w = quadratic_features(model.support_vectors_, gamma, coef0).T @ model.expansion.coef[:, p]
        if coef0:  # the omitted coordinates have no part in w
            assert np.linalg.norm(found.normal) ** 2 + w[5] ** 2 == pytest.approx(w @ w)
            assert found(queries)[:, :2] == pytest.approx(np.sqrt(2 * gamma * coef0) * queries)
        else:
            x, z = queries.T
            assert found(queries) == pytest.approx(gamma * np.column_stack((x * x, z * z, np.sqrt(2) * x * z)))


def test_the_constant_of_the_kernel_counts() -> None:
    """Without intercept the multipliers of the classes need not balance, and w has a part in c."""
    X, y = points("noisy circle", 60, 3)
    model = DualAscentSVC(1.0, kernel="poly", degree=2, gamma=1.0, coef0=0.6, fit_intercept=False).fit(X, y)
    found = explicit_map(model.expansion, 0)
    assert found is not None and abs(found.offset) > 0.1 and model.intercept_[0] == 0.0
    assert found(X) @ found.normal + found.offset == pytest.approx(model.decision_function(X), abs=1e-9)


@pytest.mark.parametrize(
    "other", [{"kernel": "rbf"}, {"kernel": "linear"}, {"degree": 3}, {"coef0": -0.5}, {"kernel": lambda A, B: A @ B.T}]
)
def test_of_other_kernels_there_is_none(other: dict) -> None:
    X, y = points("noisy circle", 30, 3)
    model = SVC(**({"kernel": "poly", "degree": 2, "max_iter": 100} | other)).fit(X, y)
    assert explicit_map(model.expansion, 0) is None
