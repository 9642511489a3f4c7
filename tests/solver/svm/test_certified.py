"""What a certificate states, against sums of exact products in long doubles, over kernels and scales."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from solver import SVC
from solver.core.arrays import Array
from solver.core.certificate import EPS, Status
from solver.kernels import Kernel

KERNELS = ("linear", "poly", "rbf", "laplacian", "sigmoid")


@dataclass(frozen=True)
class Problem:
    """A problem drawn from all scales of its numbers."""

    X: Array
    y: Array
    kernel: Kernel
    C: float

    def __str__(self) -> str:
        return f"{self.kernel} C={self.C:.3g} n={len(self.y)} features to {np.abs(self.X).max():.3g}"


def drawn(seed: int, names: tuple[str, ...] = KERNELS) -> Problem:
    """Return a problem of up to 40 points, drawn by `seed`."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(6, 40)), int(rng.integers(1, 4))
    X = rng.normal(size=(n, d)) + rng.choice([0.0, 0.0, 3.0]) * rng.normal(size=d)
    if rng.random() < 0.3:
        X = X.round()
    y = np.where(X[:, 0] + rng.normal(size=n) * rng.choice([0.0, 0.5, 2.0]) > np.median(X[:, 0]), 1.0, -1.0)
    y[:2] = -1.0, 1.0
    name = names[int(rng.integers(len(names)))]
    scale, gamma = 10.0 ** rng.uniform(-8, 8), 10.0 ** rng.uniform(-6, 6)
    coef0 = float(rng.choice([0.0, 1.0, 1e-6, 1e6, *([-1.0, -1e3] if name == "sigmoid" else [])]))
    if rng.random() < 0.5:  # an argument of moderate size
        gamma = 10.0 ** rng.uniform(-2, 2) / scale**2
    degree = int(rng.integers(1, 8))
    if rng.random() < 0.3:  # products of perpendicular points that are nothing but rounding errors
        X = rng.normal(size=(n, 3))
        X[n // 2 :] = np.cross(X[: n - n // 2], rng.normal(size=3))
        gamma, coef0 = 10.0 ** rng.uniform(13, 17) / scale**2, 0.0
    return Problem(X * scale, y, Kernel(name, gamma, coef0, degree), float(10.0 ** rng.uniform(-6, 8)))


def exact_gram(kernel: Kernel, A: Array, B: Array) -> Any:
    """Return kernel values in long doubles, from arguments and powers without any rounding."""
    a, b = ([[Fraction(float(x)) for x in point] for point in points] for points in (A, B))
    gamma, coef0 = Fraction(float(kernel.gamma)), Fraction(float(kernel.coef0))
    values = np.empty((len(a), len(b)), dtype=np.longdouble)
    for i, x in enumerate(a):
        for j, z in enumerate(b):
            product = sum(s * t for s, t in zip(x, z, strict=True))
            if kernel.name in ("rbf", "laplacian"):
                power = 2 if kernel.name == "rbf" else 1
                distance = sum(abs(s - t) ** power for s, t in zip(x, z, strict=True))
                values[i, j] = np.exp(-_long(gamma * distance))
            elif kernel.name == "sigmoid":
                values[i, j] = np.tanh(_long(gamma * product + coef0))
            elif kernel.name in ("linear", "poly"):
                values[i, j] = _long(product if kernel.name == "linear" else (gamma * product + coef0) ** kernel.degree)
            else:
                raise ValueError(f"exact_gram has no formula of the kernel {kernel.name!r}: add it.")
    return values


def _long(number: Fraction) -> Any:
    """Return the number as a long double, rounded twice: its first 53 digits, and those of the rest."""
    high = float(number)
    return np.longdouble(high) + np.longdouble(float(number - Fraction(high)))


def fitted(problem: Problem, **parameters: Any) -> SVC:
    kernel = problem.kernel
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = SVC(
            problem.C, kernel.name, kernel.degree, kernel.gamma, kernel.coef0, **{"max_iter": 20_000} | parameters
        )
        return model.fit(problem.X, problem.y)


def check(problem: Problem, model: SVC) -> Status:
    """Compare status, violation, dual, primal and f of a fitted model with exact ones."""
    proof, expansion = model.certificate_, model.expansion
    beta = np.zeros(len(problem.y), dtype=np.longdouble)
    beta[model.support_] = model.dual_coef_[0]
    centred = problem.X - expansion.centre
    K = exact_gram(problem.kernel, centred, centred)
    g, y, C, error = K @ beta, problem.y, problem.C, 1.001 * proof.kernel_error
    v = y - g
    violation = v[beta < np.maximum(0, y * C)].max() - v[beta > np.minimum(0, y * C)].min()
    about = f"{problem}: {proof}, exactly {violation}"
    if proof.status is Status.STOPPED_EARLY:  # the errors of the updates since v was last computed are not bounded
        return proof.status
    assert abs(violation - proof.kkt_violation) <= 2 * error + 1e-15, about
    if proof.status in (Status.OPTIMAL, Status.STATIONARY):
        assert violation <= model.tol + 2 * error and error <= 1.001 * model.tol, about
    dual = np.abs(beta).sum() - beta @ g / 2
    assert proof.dual <= dual + 1e-12 * np.abs(beta).sum(), f"{about}, dual {dual}"
    # The sum of the multipliers is 0 but for rounding, and a long double has 11 bits more than a double.
    dual -= abs(beta.sum() * expansion.offset[0]) + 1e-18 * np.abs(beta) @ np.abs(K) @ np.abs(beta)
    assert proof.primal >= dual * (1 - 1e-12), f"{about}, dual {dual}"
    f, found = g + expansion.offset[0], model.decision_function(problem.X)
    wide = 2 * error + 4 * EPS * (np.abs(f).max() + abs(expansion.offset[0]))
    assert np.abs(f - found).max() <= wide, f"{about}, f differs by {np.abs(f - found).max()} > {wide}"
    return proof.status


@pytest.mark.parametrize("name", KERNELS)
@pytest.mark.parametrize("seeds", [range(6), pytest.param(range(6, 150), marks=pytest.mark.slow)])
def test_what_a_certificate_states_is_so(seeds: range, name: str) -> None:
    """Whatever the scale: what is called optimal is, and violation, dual, primal and f are within the stated error."""
    found = []
    for seed in seeds:
        problem = drawn(seed, (name,))
        try:
            model = fitted(problem)
        except ValueError as refused:
            assert "overflows" in str(refused)
        else:
            found.append(check(problem, model))
    good = sum(status in (Status.OPTIMAL, Status.STATIONARY) for status in found)
    assert good >= 0.5 * len(found), "the bounds are not so wide that hardly anything is proved"


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_values_are_as_precise_as_stated(name: str) -> None:
    """Also where the argument is up to 1e16 and its last digit is above 1."""
    worst = 0.0
    for seed in range(25):
        problem = drawn(seed, (name,))
        if seed % 2 and name != "poly":
            reach = float(np.abs(problem.X).max())
            kernel = Kernel(name, 10.0 ** (seed / 24 * 16) / reach**2, problem.kernel.coef0, problem.kernel.degree)
            problem = Problem(problem.X, problem.y, kernel, problem.C)
        A, kernel = problem.X[:12], problem.kernel
        bound = np.column_stack([kernel.errors(A, unit) for unit in np.eye(len(A))])
        exact = exact_gram(kernel, A, A)
        for found in (kernel.gram(A, A), kernel.gram_by_row(A, A)):
            excess = np.abs(found - exact) / np.maximum(bound, 1e-300)
            worst = max(worst, float(excess.max()))
            assert (np.abs(found - exact) <= 1.001 * bound + 1e-300).all(), problem
    assert worst > 0.001, "no bound is far too wide"
