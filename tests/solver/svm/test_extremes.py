"""Problems of extreme numbers: `auto` reaches the optimum, or states the limit of precision, and soon."""

from __future__ import annotations

import time
import warnings
from collections import Counter

import numpy as np
import pytest
from sklearn import svm

from solver import SVC
from solver.core.arrays import Array
from solver.core.certificate import Status
from solver.kernels import Kernel

from .test_certified import Problem, drawn, fitted

#: Updates after which nothing should still go on: less than a second for the points of these problems.
SOON = 1_000_000


def dual_of(problem: Problem, beta: Array) -> float:
    kernel: Kernel = problem.kernel
    centred = problem.X - (problem.X.mean(axis=0) if kernel.is_translation_invariant else 0.0)
    return float(np.abs(beta).sum() - 0.5 * beta @ kernel.gram(centred, centred) @ beta)


def of_libsvm(problem: Problem) -> float:
    """Return the dual objective of LIBSVM, after at most 100 000 steps."""
    kernel = problem.kernel
    own = dict(kernel=kernel.name, gamma=kernel.gamma, coef0=kernel.coef0, degree=kernel.degree)
    if kernel.name == "laplacian":
        own = dict(kernel=kernel.gram)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = svm.SVC(C=problem.C, max_iter=100_000, **own).fit(problem.X, problem.y)
        except ValueError:  # an overflow
            return 0.0
    beta = np.zeros(len(problem.y))
    beta[model.support_] = model.dual_coef_[0]
    return dual_of(problem, beta)


def survey(seeds: range) -> tuple[Counter[str], list[str]]:
    """Train on the problems of these seeds; return the statuses, and those stopped early or worse than LIBSVM's."""
    statuses: Counter[str] = Counter()
    wrong, longest = [], 0.0
    for seed in seeds:
        problem = drawn(seed)
        begun = time.perf_counter()
        try:
            model: SVC = fitted(problem, max_iter=SOON)
        except ValueError:
            statuses["refused"] += 1
            continue
        longest = max(longest, time.perf_counter() - begun)
        proof = model.certificate_
        statuses[proof.status.value] += 1
        if proof.status is Status.STOPPED_EARLY:
            wrong.append(f"{seed}: {problem} {proof}")
        elif proof.status is Status.OPTIMAL and not proof.gap <= 1e-2:
            theirs = of_libsvm(problem)
            if theirs - proof.dual > 1e-6 * theirs + proof.kernel_error * float(np.abs(model.dual_coef_).sum()):
                wrong.append(f"{seed}: {problem} {proof}, LIBSVM {theirs}")
    print(f"{dict(statuses)}, longest {longest:.2f} s", *wrong, sep="\n")
    return statuses, wrong


@pytest.mark.slow
def test_extreme_problems_end_soon() -> None:
    statuses, wrong = survey(range(150))
    assert not wrong, wrong
    assert statuses["precision"] < 0.25 * statuses.total()


@pytest.mark.soak
def test_thousands_of_extreme_problems_end_soon() -> None:
    statuses, wrong = survey(range(150, 5400))
    assert len(wrong) <= 0.005 * statuses.total(), wrong  # nearly all of degree 5 to 7
    assert statuses["precision"] < 0.25 * statuses.total()
