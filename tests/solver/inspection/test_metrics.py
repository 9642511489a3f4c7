"""The KKT table row by row, and invalid arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from solver import Kernel, SmoSolver, kkt_case
from solver.inspection.metrics import KKT_WORDS, KktCase
from tests.solver.svm_reference import points

C = 2.0


#: alpha, y f, case, satisfied, and the distance of y f from what the table requires; tol is 0.1.
TABLE = [
    (0.0, 5.0, KktCase.NOT_SUPPORT, True, 0.0),
    (0.0, 1.0, KktCase.NOT_SUPPORT, True, 0.0),
    (0.0, 0.95, KktCase.NOT_SUPPORT, True, 0.05),
    (0.0, 0.85, KktCase.NOT_SUPPORT, False, 0.15),
    (0.0, -2.0, KktCase.NOT_SUPPORT, False, 3.0),
    (1e-12, 1.0, KktCase.FREE, True, 0.0),
    (1.0, 1.0, KktCase.FREE, True, 0.0),
    (1.0, 1.05, KktCase.FREE, True, 0.05),
    (1.0, 0.95, KktCase.FREE, True, 0.05),
    (1.0, 1.15, KktCase.FREE, False, 0.15),
    (1.0, 0.85, KktCase.FREE, False, 0.15),
    (1.0, -1.0, KktCase.FREE, False, 2.0),
    (2.0 - 1e-12, 0.5, KktCase.FREE, False, 0.5),
    (2.0, 1.0, KktCase.INSIDE, True, 0.0),
    (2.0, 0.5, KktCase.INSIDE, True, 0.0),
    (2.0, 1.05, KktCase.INSIDE, True, 0.05),
    (2.0, 1.15, KktCase.INSIDE, False, 0.15),
    (2.0, 7.0, KktCase.INSIDE, False, 6.0),
    (2.0, 0.0, KktCase.INSIDE, True, 0.0),  # xi = 1 is not yet misclassified
    (2.0, -1e-9, KktCase.MISCLASSIFIED, True, 0.0),
    (2.0, -4.0, KktCase.MISCLASSIFIED, True, 0.0),
]


@pytest.mark.parametrize("y", [1.0, -1.0])
@pytest.mark.parametrize(("alpha", "margin", "case", "satisfied", "violation"), TABLE)
def test_the_table_row_by_row(
    y: float, alpha: float, margin: float, case: KktCase, satisfied: bool, violation: float
) -> None:
    report = kkt_case([alpha], C, [y], [y * margin], tol=0.1)
    assert report.case[0] == case and report.satisfied[0] == satisfied
    assert report.violation[0] == pytest.approx(violation)
    side = 0 if abs(margin - 1.0) <= 0.1 else -1 if margin < 1.0 else 1
    assert report.side[0] == side and report.words(0) == KKT_WORDS[case, side]
    # Conversely: y f < 1 forces alpha = C, y f > 1 forces alpha = 0.
    if satisfied and margin < 0.9:
        assert alpha == C
    if satisfied and margin > 1.1:
        assert alpha == 0


def test_words_for_every_case_that_can_be() -> None:
    assert len(set(KKT_WORDS.values())) == 10
    assert KKT_WORDS[KktCase.FREE, 0] == "Free support vector: exactly on the margin"
    assert [side for case, side in KKT_WORDS if case is not KktCase.MISCLASSIFIED] == [1, 0, -1] * 3
    assert kkt_case([1.0], 1.0, [1], [-0.5], tol=2.0).words(0) == KKT_WORDS[KktCase.MISCLASSIFIED, -1]


def test_a_price_for_each_point_and_the_hard_margin() -> None:
    report = kkt_case([1.0, 1.0, 0.0], [1.0, 2.0, 3.0], [1, 1, -1], [0.0, 1.0, -1.0])
    assert report.case.tolist() == [KktCase.INSIDE, KktCase.FREE, KktCase.NOT_SUPPORT]
    report = kkt_case([0.0, 1e30], np.inf, [1, -1], [3.0, -1.0])
    assert report.case.tolist() == [KktCase.NOT_SUPPORT, KktCase.FREE] and report.satisfied.all()
    near = kkt_case([1e-9, 2.0 - 1e-9, 1.0], 2.0, [1, 1, 1], [2.0, 0.5, 1.0], alpha_tol=1e-6)
    assert near.case.tolist() == [KktCase.NOT_SUPPORT, KktCase.INSIDE, KktCase.FREE] and near.satisfied.all()


@pytest.mark.parametrize("C", [0.1, 1.0, 50.0])
def test_a_trained_machine_satisfies_the_table(C: float) -> None:
    X, y = points("noisy circle", 80, 2)
    solver = SmoSolver(X, y, Kernel("rbf", 2.0), C=C, tol=1e-6)
    early = kkt_case(solver.alpha, C, y, y - solver.v + solver.intercept)
    assert not early.satisfied.all()
    solver.run()
    report = kkt_case(solver.alpha, C, y, y - solver.v + solver.intercept, tol=1e-5)
    assert report.satisfied.all()
    certificate = solver.certificate()
    assert (report.case == KktCase.FREE).sum() == certificate.n_free
    assert (report.case >= KktCase.INSIDE).sum() == certificate.n_bounded


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: kkt_case(0.0, 1.0, [1, 0], [1.0, 2.0]), "y must hold -1 and \\+1, one for each point"),
        (lambda: kkt_case(0.0, 1.0, [1], [1.0, 2.0]), "y must hold -1 and \\+1, one for each point"),
        (lambda: kkt_case(0.0, 1.0, [1], [np.nan]), "f must hold one finite number"),
        (lambda: kkt_case(0.0, 1.0, [], []), "f must hold one finite number for each of at least one point"),
        (lambda: kkt_case(0.0, 1.0, [1], ["x"]), "f must hold numbers only"),
        (lambda: kkt_case(0.0, 1.0, [1], [[1.0]]), "its shape is \\(1, 1\\)"),
        (lambda: kkt_case([3.0], 2.0, [1], [1.0]), "alpha is 3 at point 0; it must be from 0 to 2"),
        (lambda: kkt_case([0.0, -1.0], 2.0, [1, 1], [1.0, 1.0]), "alpha is -1 at point 1; it must be from 0 to 2"),
        (lambda: kkt_case([np.nan], 2.0, [1], [1.0]), "alpha is nan"),
        (lambda: kkt_case([np.inf], np.inf, [1], [1.0]), "alpha is inf"),
        (lambda: kkt_case([1.0], [2.0, 2.0], [1], [1.0]), "C has shape \\(2,\\)"),
        (lambda: kkt_case([0.0], 0.0, [1], [1.0]), "C is 0; it must be above 0"),
        (lambda: kkt_case([0.0, 0.0], 1.0, [1], [1.0]), "alpha has shape \\(2,\\)"),
        (lambda: kkt_case([0.0], 1.0, [1], [1.0], tol=-1), "tol is -1"),
        (lambda: kkt_case([0.0], 1.0, [1], [1.0], alpha_tol=0.5), "alpha_tol is 0.5; it must be a number in"),
    ],
)
def test_bad_input(call: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        call()
