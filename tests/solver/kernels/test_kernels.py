"""Kernel functions against their formulas, and the fast grid expansions against plain sums over support vectors."""

from __future__ import annotations

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from app.state.document import SvmSettings
from solver import SVC, DualAscentSVC, OnlineSVC
from solver.core._vector import exp_of_negative
from solver.kernels import _kernel_rows, grids
from solver.kernels.grids import row_by_row_on
from solver.kernels.table import KERNELS, Kernel, PrecomputedKernel
from tests.examples import examples
from tests.solver.svm_reference import Formula

Array = NDArray[np.float64]
GAMMAS = (0.0, 1e-4, 0.7, 30.0, 1e4)


def variants(degrees: range = range(10)) -> list[Formula]:
    """Return every kernel, with every degree if it has one."""
    return [
        Formula("linear"),
        *(Formula("poly", 0.7, c, d) for d in degrees for c in (0.0, 1.0, -0.5)),
        *(Formula(name, gamma) for name in ("rbf", "laplacian") for gamma in GAMMAS),
        Formula("sigmoid", 0.5, -1.0),
    ]


def kernel_of(formula: Formula) -> Kernel:
    return Kernel(formula.name, formula.gamma, formula.coef0, formula.degree)


def largest_term(formula: Formula, A: Array, B: Array) -> Array:
    """Return a bound on the terms whose sum is k(a, b): its rounding is relative to this, not to k."""
    if formula.name in ("linear", "poly"):
        absolute = Formula(formula.name, formula.gamma, abs(formula.coef0), formula.degree)
        return absolute(np.abs(A), np.abs(B))
    return np.ones((len(A), len(B)))


def test_the_table_has_every_kernel_once() -> None:
    assert {each.name for each in variants()} == set(KERNELS), "variants has every kernel"
    assert len({kind.code for kind in KERNELS.values()}) == len(KERNELS)


def test_a_kernel_of_the_distance_needs_only_its_function(monkeypatch: pytest.MonkeyPatch) -> None:
    """1 / (1 + gamma ||x - z||^2), as another row of the same kind as RBF: values, gradient and picture."""
    row = replace(
        KERNELS["rbf"],
        value=lambda argument: 1.0 / (1.0 + argument),
        fall=lambda argument: (1.0 + argument) ** -2.0,
        expansion_on=row_by_row_on,
    )
    monkeypatch.setitem(KERNELS, "inverse", row)
    rng, kernel, coef = np.random.default_rng(2), Kernel("inverse", 0.7), np.arange(1.0, 6.0)
    A, x = rng.normal(size=(5, 2)), rng.normal(size=(1, 2))
    values = 1.0 / (1.0 + 0.7 * ((x - A) ** 2).sum(axis=1))
    np.testing.assert_allclose(kernel.gram(x, A)[0], values, rtol=1e-14)
    slope, _ = kernel.gradient(x, A, coef)
    np.testing.assert_allclose(slope[0], (-1.4 * coef * values**2) @ (x - A), rtol=1e-12)
    picture = kernel.expansion_on(A, coef[:, None], x[:, 0])(x[:, 1])
    np.testing.assert_allclose(picture.ravel(), [coef @ values], rtol=1e-14)


@pytest.mark.parametrize("name", KERNELS)
def test_a_row_of_the_table_is_complete(name: str) -> None:
    """Everything that a kernel provides, from its row alone; each result against the kernel values themselves."""
    kernel = Kernel(name, 0.7, 0.5, 3)
    kind = kernel.kind
    assert kind.title and kind.formula.startswith("K(x, z) = ") and kind.note.endswith(".")
    assert set(kind.parameters) <= {"gamma", "coef0", "degree"}
    for parameter in ("gamma", "coef0", "degree"):  # parameters that the row does not name change nothing
        other = replace(kernel, **{parameter: 2})
        A = np.random.default_rng(1).normal(size=(5, 2))
        assert (parameter in kind.parameters) == (not np.array_equal(kernel.gram(A, A), other.gram(A, A)))
    K = kernel.gram(A, A)
    row = np.empty(len(A))
    _kernel_rows.kernel_row(kernel.numbers, np.ascontiguousarray(A.T), 2, row)
    for values, wanted in ((row, K[2]), (kernel.diagonal(A), np.diagonal(K)), (kernel.gram_by_row(A, A), K)):
        np.testing.assert_allclose(values, wanted, rtol=1e-13)
    assert np.abs(K).max() <= kernel.largest(A) * (1 + 1e-12)
    coef = np.arange(1.0, 6.0)
    picture = kernel.expansion_on(A, coef[:, None], A[:, 0])(A[:1, 1])[0, :, 0]
    at = np.column_stack([A[:, 0], np.full(5, A[0, 1])])
    np.testing.assert_allclose(picture, kernel.gram(at, A) @ coef, rtol=1e-12)
    step = np.array([[1e-6, 0.0]])
    slope, size = kernel.gradient(A + 0.1, A, coef)
    rise = (kernel.gram(A + 0.1 + step, A) - kernel.gram(A + 0.1 - step, A)) @ coef / 2e-6
    np.testing.assert_allclose(slope[:, 0], rise, rtol=1e-7)
    assert (size > 0).all() and kernel.is_positive_semidefinite is (name != "sigmoid")
    rate = kind.rate(kernel)
    assert rate is None or rate > 0
    shifted = kernel.gram(A + 3.0, A + 3.0) - K
    constant = np.ptp(shifted - shifted.mean(axis=0) - shifted.mean(axis=1)[:, None]) < 1e-12
    assert kind.is_linear == (constant and rate is None)


@pytest.mark.parametrize("features", [1, 2, 3, 4, 5, 8, 11])
@pytest.mark.parametrize("name", ["linear", "poly"])
def test_products_of_many_features_are_added_in_their_order(name: str, features: int) -> None:
    rng = np.random.default_rng(features)
    A, kernel = rng.normal(size=(37, features)) * 10.0 ** rng.uniform(-3, 3, (37, 1)), Kernel(name, 0.7, 0.5, 1)
    total = np.zeros((37, 37))
    for values in A.T:
        total += np.multiply.outer(values, values)
    np.testing.assert_array_equal(kernel.gram_by_row(A, A), total if name == "linear" else 0.7 * total + 0.5)


@pytest.mark.parametrize("place", ["before", "after", "far"])
def test_a_code_without_a_compiled_branch_is_an_error(place: str) -> None:
    codes = {_kernel_rows.PRECOMPUTED, *(kind.code for kind in KERNELS.values())}
    code = {"before": min(codes) - 1, "after": max(codes) + 1, "far": 100}[place]
    with pytest.raises(ValueError, match="No compiled kernel has this code"):
        _kernel_rows.kernel_row((code, 1.0, 0.0, 3), np.ones((2, 4)), 0, np.empty(4))


def test_an_unknown_kernel_is_an_error_wherever_one_is_named() -> None:
    X, y = [[0.0, 0.0], [1.0, 1.0]], [0, 1]
    for learner in (SVC, OnlineSVC, DualAscentSVC):
        with pytest.raises(ValueError, match="kernel is 'gauss'; it must be one of 'linear'"):
            learner(kernel="gauss").fit(X, y)
    for learner in (OnlineSVC, DualAscentSVC):
        for kernel in ("precomputed", np.dot):
            with pytest.raises(ValueError, match=r"'sigmoid'\. SVC takes a function or a Gram matrix"):
                learner(kernel=kernel).fit(X, y)
    with pytest.raises(msgspec.ValidationError, match="gauss"):
        msgspec.convert({"kernel": "gauss"}, SvmSettings)


@pytest.mark.parametrize("formula", variants(), ids=str)
@pytest.mark.parametrize("n_features", [1, 2, 7])
def test_gram_diagonal_and_compiled_row(formula: Formula, n_features: int) -> None:
    rng = np.random.default_rng(n_features)
    A, B = rng.normal(size=(13, n_features)), rng.normal(size=(6, n_features))
    kernel = kernel_of(formula)
    K = formula(A, B)
    limit = 1e-13 * (np.abs(largest_term(formula, A, B)).max() + 1.0)
    np.testing.assert_allclose(kernel.gram(A, B), K, rtol=1e-12, atol=limit)
    np.testing.assert_allclose(kernel.diagonal(A), np.diagonal(formula(A, A)), rtol=1e-12, atol=limit)
    row = np.empty(len(A))
    for i in range(len(A)):
        _kernel_rows.kernel_row(kernel.numbers, np.ascontiguousarray(A.T), i, row)
        np.testing.assert_allclose(row, formula(A, A)[i], rtol=1e-12, atol=limit)
    assert np.abs(kernel.gram(A, A)).max() <= kernel.largest(A) * (1 + 1e-12)


@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_distances_keep_their_digits_far_from_the_origin(name: str) -> None:
    A = np.array([[0.0, 0.0], [0.5, 0.25], [-1.0, 0.125]])
    near, far = Kernel(name, 2.0).gram(A, A), Kernel(name, 2.0).gram(A + 2.0**30, A + 2.0**30)
    assert (near == far).all()


@pytest.mark.parametrize("formula", variants(), ids=str)
@pytest.mark.parametrize("centre", [(0.0, 0.0), (5.0, -3.0), (1e3, 1e4)])
def test_grid_expansion(formula: Formula, centre: tuple[float, float]) -> None:
    """Against the plain sum; far grids and far support vectors too, relative to the terms that make up the sum."""
    rng = np.random.default_rng(0)
    for shift in (np.zeros(2), np.array(centre)):
        points = rng.uniform(-1.0, 1.0, (9, 2)) + shift
        coefficients = rng.normal(0.0, 5.0, (9, 3))
        xs, ys = centre[0] + np.linspace(-2.0, 1.5, 12), centre[1] + np.linspace(-1.0, 1.2, 7)
        at = np.array([(x, y) for y in ys for x in xs])
        plain = formula(at, points) @ coefficients
        terms = np.abs(largest_term(formula, at, points)) @ np.abs(coefficients)
        values = kernel_of(formula).expansion_on(points, coefficients, xs)(ys)
        assert values.shape == (7, 12, 3)
        # The polynomial is expanded about the middle of the grid: its terms may be a little larger.
        assert (np.abs(values.reshape(-1, 3) - plain) <= 1e-9 * np.maximum(terms.max(), 1.0)).all()


@pytest.mark.parametrize("formula", [*variants(range(1, 10))[:28:3], *variants()[-6:]], ids=str)
def test_grid_expansion_in_the_window(formula: Formula) -> None:
    """In the usual window the bound is absolute: 1e-9 max(1, sum of the absolute coefficients)."""
    rng = np.random.default_rng(1)
    points = rng.uniform(-1.0, 1.0, (40, 2))
    coefficients = rng.normal(0.0, 100.0, (40, 1))
    xs, ys = np.linspace(-1.2, 1.2, 31), np.linspace(-1.0, 1.0, 17)
    at = np.array([(x, y) for y in ys for x in xs])
    values = kernel_of(formula).expansion_on(points, coefficients, xs)(ys)
    worst = np.abs(values.ravel() - (formula(at, points) @ coefficients).ravel()).max()
    assert worst <= 1e-9 * max(1.0, np.abs(coefficients).sum())


@examples(60)
@given(
    formula=st.sampled_from(variants()),
    width=st.integers(0, 5),
    height=st.integers(0, 5),
    n_points=st.integers(0, 4),
    n_outputs=st.integers(1, 3),
    seed=st.integers(0, 10**6),
)
def test_grid_expansion_of_any_shape(
    formula: Formula, width: int, height: int, n_points: int, n_outputs: int, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    points, coefficients = rng.normal(size=(n_points, 2)), rng.normal(size=(n_points, n_outputs))
    xs, ys = rng.normal(size=width), rng.normal(size=height)  # columns in any order
    values = kernel_of(formula).expansion_on(points, coefficients, xs)(ys)
    assert values.shape == (height, width, n_outputs)
    at = np.array([(x, y) for y in ys for x in xs]).reshape(-1, 2)
    plain = (formula(at, points) @ coefficients).reshape(values.shape)
    limit = 1e-9 * max(1.0, float(np.max(np.abs(largest_term(formula, at, points)) @ np.abs(coefficients), initial=0)))
    assert np.abs(values - plain).max(initial=0.0) <= limit


def test_bad_kernels() -> None:
    for arguments, sentence in (
        (("gauss",), "kernel is 'gauss'; it must be one of 'linear'"),
        (("rbf", -1.0), r"gamma is -1.0; it must be a number in \[0, inf\)"),
        (("rbf", np.nan), "gamma is nan"),
        (("poly", 1.0, np.inf), "coef0 is inf"),
        (("poly", 1.0, 0.0, 1.5), "degree is 1.5; it must be a whole number from 0 to 100"),
    ):
        with pytest.raises(ValueError, match=sentence):
            Kernel(*arguments)  # type: ignore[arg-type]


@pytest.mark.parametrize("formula", variants(), ids=str)
def test_positive_semidefinite_as_reported(formula: Formula) -> None:
    kernel = kernel_of(formula)
    X = np.random.default_rng(0).normal(size=(30, 2))
    K = kernel.gram(X, X)
    if kernel.is_positive_semidefinite:
        assert np.linalg.eigvalsh(K).min() >= -1e-12 * np.abs(K).max() * 30


def test_the_vectorised_exponential_is_as_good_as_the_library() -> None:
    x = np.concatenate([np.linspace(0.0, 750.0, 100_001), 10.0 ** np.linspace(-300, 300, 10_001), [0.0, np.inf]])
    out = x.copy()
    exp_of_negative(out)
    below = x < 708.0
    np.testing.assert_allclose(out[below], np.exp(-x[below]), rtol=4e-16)
    assert (out[~below] == 0.0).all() and out[-2] == 1.0


@pytest.mark.parametrize("gamma", [0.0, 1e-4, 0.05, 1.0, 7.0, 60.0, 1e4])
@pytest.mark.parametrize("name", ["rbf", "laplacian"])
def test_a_whole_picture_is_right_to_rounding(name: str, gamma: float) -> None:
    """Many columns and support vectors, where the fast methods are used; also outside the points and on top of them."""
    rng = np.random.default_rng(3)
    xs, ys = np.linspace(-3.0, 5.0, 640), np.linspace(-2.0, 2.0, 37)
    points = rng.normal(0.0, 1.5, (150, 2))
    points[:20, 0], points[20:30, 1] = xs[::32], ys[:10]
    coefficients, offset = rng.normal(0.0, 100.0, (150, 2)), np.array([0.25, -3.0])
    at = np.array([(x, y) for y in ys for x in xs])
    plain = Formula(name, gamma)(at, points) @ coefficients + offset
    values = Kernel(name, gamma).expansion_on(points, coefficients, xs, offset)(ys).reshape(-1, 2)
    assert np.abs(values - plain).max() <= 3e-14 * np.abs(coefficients).sum()


@pytest.mark.parametrize("spread", [0.0, 0.1, 1.0, 16.0, 200.0])
def test_enough_chebyshev_points_and_not_many_more(spread: float) -> None:
    xs = np.linspace(-1.0, 1.0, 501)

    def worst(count: int) -> float:
        nodes, matrix = grids._interpolation(xs, count)
        return max(
            float(np.abs(np.exp(-spread * (nodes - centre) ** 2) @ matrix - np.exp(-spread * (xs - centre) ** 2)).max())
            for centre in (0.0, 0.3, 1.0, 1.5)
        )

    count = grids.chebyshev_count(spread)
    assert worst(count) < 3e-15
    assert spread < 1.0 or worst(count // 2) > 1e-12


def test_a_gram_matrix_is_checked_for_positive_semidefiniteness() -> None:
    X = np.random.default_rng(0).normal(size=(40, 2))
    matrices = [Kernel("rbf", 1.0).gram(X, X), Kernel("linear").gram(X, X), np.zeros((3, 3)), np.ones((5, 5))]
    assert all(PrecomputedKernel().is_positive_semidefinite_on(K) for K in matrices)
    least = np.linalg.eigvalsh(matrices[0])[0]
    for K in (matrices[0] - (least + 1e-6) * np.eye(40), np.array([[0.0, 1.0], [1.0, 0.0]]), -np.eye(2)):
        assert not PrecomputedKernel().is_positive_semidefinite_on(K)
