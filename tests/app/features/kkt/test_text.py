"""Sentences about points, cases and losses, against the table of the KKT conditions and scikit-learn's losses."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from sklearn.metrics import hinge_loss, zero_one_loss

from app.core.number_format import short
from app.core.points import Points
from app.engine.run_state import RunState
from app.features.kkt import text as words
from app.learners.table import TRAINERS
from app.scene.text import KKT_CASES, KKT_LEGEND
from solver import Certificate, Status
from solver.core.trace import TraceView
from solver.inspection.metrics import KKT_WORDS, KktCase, kkt_case

TOL = 1e-3
TRACE = TraceView((), 0, np.empty(0), (), np.empty((0, 4)))
CERTIFICATE = Certificate(Status.RUNNING, 1.0, 0.0, 1.0, 1.0, 0, 0, 0, math.nan)


def run_state_of(
    y: list[float], f: list[float], alpha: list[float] | None, C: list[float] | None, name: str = "smo"
) -> RunState:
    signs, values = np.array(y), np.array(f)
    report = None if alpha is None or C is None else kkt_case(alpha, C, signs, values, tol=TOL)
    points = Points.of(np.arange(2.0 * len(y)).reshape(-1, 2), (signs > 0).astype(int))
    return RunState(
        1,
        TRAINERS[name],
        "",
        "",
        0,
        0,
        False,
        points,
        np.arange(len(y)),
        signs,
        values,
        None if alpha is None else np.array(alpha),
        None if C is None else np.array(C),
        None,
        report,
        0.0,
        TOL,
        CERTIFICATE,
        TRACE,
    )


@pytest.mark.parametrize(
    ("y", "f", "alpha", "C", "lines"),
    [
        (1.0, 2.5, 0.0, 1.0, ("α = 0, C = 1", "y f = 2.5, slack ξ = 0", "Not a support vector: beyond the margin")),
        (
            -1.0,
            0.25,
            0.0,
            2.0,
            ("α = 0, C = 2", "y f = −0.25, slack ξ = 1.25", "No multiplier yet, but inside the margin: α must grow"),
        ),
        (
            -1.0,
            -1.0,
            0.125,
            1.0,
            ("α = 0.125, C = 1", "y f = 1, slack ξ = 0", "Free support vector: exactly on the margin"),
        ),
        (1.0, 0.5, 1.0, 1.0, ("α = 1, C = 1", "y f = 0.5, slack ξ = 0.5", "Bounded support vector: inside the margin")),
        (
            1.0,
            -0.5,
            3.0,
            3.0,
            ("α = 3, C = 3", "y f = −0.5, slack ξ = 1.5", "Bounded support vector: misclassified, slack above 1"),
        ),
        (
            1.0,
            1.0,
            7.5,
            math.inf,
            ("α = 7.5, no bound (C = ∞)", "y f = 1, slack ξ = 0", "Free support vector: exactly on the margin"),
        ),
    ],
)
def test_a_point_with_a_multiplier(y: float, f: float, alpha: float, C: float, lines: tuple[str, ...]) -> None:
    assert words.point_words(run_state_of([-y, y], [0.0, f], [0.0, alpha], [C, C]), 1) == lines


def test_the_five_cases_of_an_optimum_have_their_own_words() -> None:
    y, f = [1.0, 1.0, 1.0, 1.0, 1.0, -1.0], [2.0, 1.0, 1.0, 1.0, 0.5, -1.0]
    run_state = run_state_of(y, f, [0.0, 0.0, 0.5, 1.0, 1.0, 1.0], [1.0] * 6)
    assert [words.case_line(run_state, index) for index in range(5)] == [
        "Not a support vector: beyond the margin",
        "Not a support vector: on the margin, with α = 0",
        "Free support vector: exactly on the margin",
        "Bounded support vector: on the margin, with α = C",
        "Bounded support vector: inside the margin",
    ]
    ranged = replace(run_state, ranges={1: (0.0, 0.25), 2: (0.125, 0.5)})
    assert words.case_line(ranged, 1) == "May be a support vector: α is not unique (0 to 0.25)"
    assert words.case_line(ranged, 2).endswith("exactly on the margin; α is not unique (0.125 to 0.5)")
    assert words.point_words(ranged, 1)[-1] == words.case_line(ranged, 1)


@given(st.sampled_from([-1.0, 1.0]), st.floats(-4, 4), st.floats(0.1, 10), st.sampled_from([0.0, 0.3, 0.999, 1.0]))
def test_the_case_is_the_row_of_the_table(y: float, f: float, C: float, share: float) -> None:
    """The table of the conditions, written out again as branches."""
    margin, alpha = y * f, share * C
    side = 0 if abs(margin - 1) <= TOL else 1 if margin > 1 else -1
    if alpha == 0:
        case = KktCase.NOT_SUPPORT
    elif alpha < C:
        case = KktCase.FREE
    else:
        case = KktCase.MISCLASSIFIED if margin < 0 else KktCase.INSIDE
    lines = words.point_words(run_state_of([y], [f], [alpha], [C]), 0)
    if abs(abs(margin - 1) - TOL) > 1e-9:  # not where rounding decides
        assert lines[-1] == KKT_WORDS[case, side]
    shown = re.fullmatch(r"y f = (\S+), slack ξ = (\S+)", lines[1])
    assert shown is not None
    assert float(shown[1].replace("−", "-")) == pytest.approx(margin, rel=0.06, abs=1e-11)
    assert float(shown[2]) == pytest.approx(max(0.0, 1.0 - margin), rel=0.06, abs=1e-11)


def test_what_rounding_leaves_is_called_zero() -> None:
    lines = words.point_words(run_state_of([1.0, -1.0], [1.0 - 1e-15, -0.0], [0.5, 0.5], [1.0, 1.0]), 0)
    assert lines[1] == "y f = 1, slack ξ = 0"
    assert words.number(-0.0) == "0" and words.number(-3e-13) == "0"
    assert words.number(1e-9) == short(1e-9) != "0"


@pytest.mark.parametrize(
    ("learner", "f", "first", "second"),
    [
        ("perceptron", -2.0, "y f = −2, loss max(0, −y f) = 2", "Wrong side of the boundary: an error"),
        ("perceptron", 0.5, "y f = 0.5, loss max(0, −y f) = 0", "Right side of the boundary"),
        ("perceptron", 0.0, "y f = 0, loss max(0, −y f) = 0", "On the boundary: a tie; its 0-1 loss is 1"),
        ("pegasos", 0.5, "y f = 0.5, hinge loss max(0, 1 − y f) = 0.5", "Right side, but inside the margin"),
        ("pegasos", 1.0, "y f = 1, hinge loss max(0, 1 − y f) = 0", "On the margin or beyond it: no loss"),
        ("pegasos", -1.0, "y f = −1, hinge loss max(0, 1 − y f) = 2", "Wrong side of the boundary: an error"),
    ],
)
def test_a_point_without_multiplier(learner: str, f: float, first: str, second: str) -> None:
    assert words.point_words(run_state_of([1.0, -1.0], [f, 0.0], None, None, learner), 0) == (first, second)


def test_cases_are_counted() -> None:
    rng = np.random.default_rng(5)
    y, f = rng.choice([-1.0, 1.0], 300), rng.normal(0, 1.5, 300)
    alpha = rng.choice([0.0, 0.4, 1.0], 300)
    f[:40] = y[:40]  # some exactly on the margin
    run_state = run_state_of(y.tolist(), f.tolist(), alpha.tolist(), [1.0] * 300)
    assert run_state.kkt is not None
    counts = words.case_counts(run_state.kkt)
    margin = y * f
    masks = {
        KktCase.NOT_SUPPORT: alpha == 0,
        KktCase.FREE: alpha == 0.4,
        KktCase.INSIDE: (alpha == 1) & (margin >= 0),
        KktCase.MISCLASSIFIED: (alpha == 1) & (margin < 0),
    }
    bad = {
        KktCase.NOT_SUPPORT: margin < 1 - TOL,
        KktCase.FREE: np.abs(margin - 1) > TOL,
        KktCase.INSIDE: margin > 1 + TOL,
        KktCase.MISCLASSIFIED: np.zeros(300, dtype=bool),
    }
    assert counts == {case: (int(masks[case].sum()), int((masks[case] & bad[case]).sum())) for case in KktCase}
    assert counts[KktCase.FREE][0] > counts[KktCase.FREE][1] > 0


def test_counts_in_words() -> None:
    assert words.case_words(KktCase.FREE, 12, 0) == "12 free, 0 < α < C: exactly on the margin"
    assert words.case_words(KktCase.FREE, 12, 3) == "12 free, 0 < α < C: exactly on the margin; 3 not yet"
    assert words.case_words(KktCase.INSIDE, 1234, 0).startswith("1\u202f234 bounded, α = C: ")
    legend = dict(KKT_LEGEND)
    for case in (KktCase.FREE, KktCase.INSIDE, KktCase.MISCLASSIFIED):  # panel and legend have the same words
        name, formula, location = KKT_CASES[case]
        assert words.case_words(case, 1, 0) == f"1 {name}, {formula}: {location}"
        assert legend[f"kkt{case:d}"] == f"{name.capitalize()}: {formula}, {location}"
    assert "1 point violates" in words.violation_words(1) and "2 points violate" in words.violation_words(2)
    assert "hold" in words.violation_words(0)
    assert "each bar is the largest of 12 multipliers" in words.bars_words(1200, 12)
    assert "a bar for each" in words.bars_words(5, 1)
    assert words.without_alpha(TRAINERS["perceptron"]).startswith("The perceptron has no multipliers")
    assert words.without_alpha(TRAINERS["pegasos"]).startswith("Pegasos has no multipliers")
    assert words.beyond_words(3, "left") == "3 further left"


@pytest.mark.parametrize("learner", ["smo", "perceptron"])
def test_losses_are_those_of_scikit_learn(learner: str) -> None:
    rng = np.random.default_rng(8)
    y, f = rng.choice([-1.0, 1.0], 70), rng.normal(0.3, 1.2, 70)
    lines = words.loss_words(run_state_of(y.tolist(), f.tolist(), None, None, learner))
    assert lines[0] == f"Hinge loss: 1/n Σ max(0, 1 − y f) = {short(hinge_loss(y, f))}"
    errors = zero_one_loss(y, np.where(f > 0, 1.0, -1.0), normalize=False)
    assert f"= {errors:.0f} / 70 = {100 * errors / 70:.1f} %" in lines[1]
    assert (learner == "perceptron") == any("max(0, −y f)" in line for line in lines)
    if learner == "perceptron":
        assert lines[2].endswith(f"= {short(float(np.mean([max(0.0, -a * b) for a, b in zip(y, f, strict=True)])))}")
    assert "upper bound" in lines[-1]


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30))
def test_the_hinge_loss_is_an_upper_bound(margins: list[float]) -> None:
    hinge, wrong = words.losses_of(np.array(margins))
    assert (hinge >= wrong).all() and hinge.min() >= 0
    assert [bool(each) for each in wrong] == [margin <= 0 for margin in margins]


def test_margins_need_the_sign() -> None:
    run_state = run_state_of([1.0, -1.0], [0.5, 0.5], None, None)
    assert words.margins_of(run_state).tolist() == [0.5, -0.5]
    assert words.margins_of(replace(run_state, f=-run_state.f)).tolist() == [-0.5, 0.5]
