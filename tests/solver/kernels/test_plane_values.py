"""f of many support vectors by sums of products: equal to the sum of kernel values, and independent of other
queries.
"""

from __future__ import annotations

import numpy as np
import pytest

from solver import SVC, Kernel
from solver.kernels.expansion import Expansion
from solver.kernels.plane_values import BLOCK, LEAST, SCALES

RBF, POLY = Kernel("rbf", 0.7), Kernel("poly", 0.4, 1.0, 3)
Array = np.ndarray


def expansion(kernel: Kernel, n: int = LEAST, n_problems: int = 2, seed: int = 0) -> Expansion:
    rng = np.random.default_rng(seed)
    points = rng.normal(scale=(1.5, 0.8), size=(n, 2)) + np.array([3.0, -1.0])
    coef = rng.normal(size=(n, n_problems))
    offset, centre = rng.normal(size=n_problems), np.zeros(2)
    return Expansion(kernel, points, np.arange(n, dtype=np.int32), coef, offset, centre)


def by_definition(f: Expansion, queries: Array) -> tuple[Array, Array]:
    """Return f with more digits, and the scale of its rounding error."""
    gram = f.kernel.gram(queries, f.points).astype(np.longdouble)  # type: ignore[union-attr]
    return gram @ f.coef + f.offset, np.abs(gram) @ np.abs(f.coef) + np.abs(f.offset)


def locations(f: Expansion, n: int, reach: float, seed: int = 1) -> Array:
    """Return locations of a box `reach` times as large as that of the support vectors."""
    low, high = f.points.min(axis=0), f.points.max(axis=0)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    return middle + reach * half * np.random.default_rng(seed).uniform(-1, 1, (n, 2))


@pytest.mark.parametrize("kernel", [RBF, POLY, Kernel("rbf", 3.0)], ids=["rbf", "poly", "narrow"])
@pytest.mark.parametrize("reach", [1.0, SCALES[0] * 1.5, SCALES[-1] * 1.5])
def test_they_are_the_sums_of_kernel_values_wherever_one_asks(kernel: Kernel, reach: float) -> None:
    f = expansion(kernel)
    queries = locations(f, 3 * BLOCK // 2, reach)
    exact, size = by_definition(f, queries)
    assert f.together == BLOCK, "there is a short way"
    scale = size if kernel.name == "poly" else np.abs(f.coef).sum(axis=0)  # the accuracy of an expansion in the plane
    assert (np.abs(f(queries) - exact) <= 1e-13 * scale).all()


@pytest.mark.parametrize("kernel", [RBF, POLY])
def test_bits_do_not_depend_on_the_other_locations(kernel: Kernel) -> None:
    f = expansion(kernel)
    queries = locations(f, 2 * BLOCK + 7, 2.0 * SCALES[0])  # in both rectangles
    whole = f(queries)
    for cut in (1, 5, BLOCK - 1, BLOCK, BLOCK + 1):
        assert np.array_equal(whole, np.concatenate([f(queries[:cut]), f(queries[cut:])]))
    assert np.array_equal(whole[:40], np.concatenate([f(query[None]) for query in queries[:40]]))
    assert np.array_equal(whole[::-1], f(queries[::-1]))


@pytest.mark.parametrize(
    "f",
    [
        expansion(RBF, LEAST - 1),
        expansion(Kernel("laplacian", 1.0)),
        expansion(Kernel("linear")),
        expansion(Kernel("rbf", 1e4)),
    ],
    ids=["few", "laplacian", "linear", "too narrow"],
)  # fmt: skip
def test_without_a_short_way_kernel_values_are_summed(f: Expansion) -> None:
    queries = locations(f, 50, 1.0)
    exact, size = by_definition(f, queries)
    assert f.together == 1
    assert (np.abs(f(queries) - exact) <= 1e-14 * 20 * size).all()


def test_points_on_a_line_and_points_far_from_the_origin() -> None:
    rng = np.random.default_rng(3)
    for points in (np.column_stack([rng.normal(size=LEAST), np.full(LEAST, 2.0)]), rng.normal(size=(LEAST, 2)) + 1e6):
        f = Expansion(RBF, points, np.arange(LEAST), rng.normal(size=(LEAST, 1)), np.zeros(1), np.zeros(2))
        queries = points[:100] + rng.normal(scale=0.1, size=(100, 2))
        exact, _ = by_definition(f, queries)
        assert (np.abs(f(queries) - exact) <= 1e-13 * np.abs(f.coef).sum()).all()


def test_what_a_classifier_with_many_support_vectors_predicts_is_what_it_predicted() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(1500, 2)), rng.integers(0, 3, 1500)
    model = SVC(C=1e-2, gamma=1.0, max_iter=5000).fit(X, y)
    assert len(model.support_) >= LEAST and model.expansion.together == BLOCK
    exact, _ = by_definition(model.expansion, X)
    assert np.allclose(model.pair_decision_function(X), exact.astype(float), rtol=0, atol=1e-11)
    few = np.concatenate([model.predict(X[i : i + 1]) for i in range(30)])
    assert np.array_equal(model.predict(X)[:30], few)
