"""The report on a run, against plain numpy: random problems, learners and steps, all of it recomputed densely."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.core.points import Points
from app.engine.frames import Frame, Phase
from app.engine.run_state import RunState
from app.state.document import Lane, SvmSettings, problems_of
from solver import KERNELS, RULES, Kernel, SmoSolver, Status
from tests.app.engine.test_lane_job import Background, spec
from tests.app.engine.test_training_run import Run, run_state_of
from tests.examples import examples
from tests.solver.svm_reference import Formula

Array = np.ndarray
OWN = (3.0, 0.25, 1.0, 10.0, 1.0, 1.0, 1.0, 1.0)


def some_points(seed: int, n_classes: int, n: int) -> Points:
    """Overlapping classes on a coarse grid: points that coincide, with one label or two, are among them."""
    rng = np.random.default_rng(seed)
    labels = np.concatenate((np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)))
    centres = rng.normal(size=(n_classes, 2))
    return Points.of((centres[labels] + 0.7 * rng.normal(size=(n, 2))).round(1), labels)


@st.composite
def lanes(draw: st.DrawFn) -> Lane:
    """Return any SVM of the window that trains quickly."""
    trainer = draw(st.sampled_from(("smo", "smo", "lasvm", "dual-ascent")))
    kernel = draw(st.sampled_from(list(KERNELS)))
    hard = trainer == "smo" and kernel in ("rbf", "laplacian") and draw(st.booleans())
    return Lane(
        "svm",
        svm=SvmSettings(
            kernel,
            draw(st.sampled_from((0.01, 1.0, 20.0))),
            hard,
            gamma=draw(st.sampled_from((0.3, 2.0))),
            degree=2,
            tol=draw(st.sampled_from((1e-3, 1e-2, 0.3))),
            selection=draw(st.sampled_from(tuple(RULES))),
            multiclass=draw(st.sampled_from(("one-vs-one", "one-vs-rest"))),
            class_weight=draw(st.sampled_from(("equal", "balanced", "own"))),
            own_weights=OWN,
            trainer=trainer,
            fit_intercept=draw(st.booleans()),
        ),
        pair=draw(st.sampled_from(((0, 1), (1, 2), (2, 2)))),
    )


class Dense:
    """The binary problem of a run, from points and settings alone, and its multipliers."""

    def __init__(self, points: Points, lane: Lane, run_state: RunState) -> None:
        s, labels = lane.svm, points.labels.astype(int)
        problems = problems_of(points.classes, s.multiclass)
        first, second = problems[lane.drawn(problems)]
        if len(points.classes) == 2:
            first, second = second, first  # f > 0 is the higher class
        alone = first == second
        self.index = np.arange(len(labels)) if alone else np.flatnonzero((labels == first) | (labels == second))
        self.y = np.where(labels[self.index] == first, 1.0, -1.0)
        counts = {c: (labels == c).sum() for c in points.classes}
        weight = {
            "equal": lambda c: 1.0,
            "balanced": lambda c: len(labels) / len(counts) / counts[c],
            "own": lambda c: OWN[c],
        }[s.class_weight]
        prices = [math.inf if s.hard_margin else s.C * weight(c) for c in labels[self.index].tolist()]
        assert run_state.alpha is not None and run_state.C is not None and np.allclose(run_state.C, prices, rtol=1e-14)
        self.C = run_state.C  # to the last bit: a multiplier is bounded if it equals C
        self.with_intercept = s.trainer != "dual-ascent" or s.fit_intercept
        X = points.xy[self.index]
        if s.kernel == "linear" and self.with_intercept:
            X = X - X.mean(axis=0)
        self.K = Formula(s.kernel, s.gamma, s.coef0, s.degree)(X, X)
        self.alpha, y, C = run_state.alpha, self.y, self.C
        self.beta = y * self.alpha
        self.v = y - self.K @ self.beta
        up, low = np.where(y > 0, self.alpha < C, self.alpha > 0), np.where(y > 0, self.alpha > 0, self.alpha < C)
        self.m, self.M = float(self.v[up].max(initial=-np.inf)), float(self.v[low].min(initial=np.inf))
        self.violation = self.m - self.M if self.with_intercept else max(0.0, self.m, -self.M)
        self.dual = float(self.alpha.sum() - 0.5 * self.beta @ self.K @ self.beta)
        self.free = (self.alpha > 0) & (self.alpha < C)
        #: Bounds on the rounding errors of v, and of D.
        self.small = 1e-12 * (1.0 + float((np.abs(self.K) @ self.alpha).max()))
        self.small_dual = self.small * (1.0 + float(self.alpha.sum()))

    @property
    def primal(self) -> float:
        """Return the primal value of the w of these multipliers, at the best intercept."""
        g = self.y - self.v
        square = float(self.beta @ g)
        if np.isinf(self.C).all():
            half = 0.5 * float(g[self.y > 0].min() - g[self.y < 0].max())
            return 0.5 * square / half**2 if half > 0 else math.inf
        b = self.v[:, None] if self.with_intercept else np.zeros((1, 1))
        return 0.5 * square + float((np.maximum(0.0, 1.0 - self.y * (g + b)) @ self.C).min())


def check(frame: Frame, points: Points, lane: Lane) -> None:
    """Check everything that a frame at rest reports of its run."""
    run_state = run_state_of(frame)
    now, report = Dense(points, lane, run_state), run_state.certificate
    alpha, y, small = now.alpha, now.y, now.small
    assert np.array_equal(run_state.index, now.index) and np.array_equal(run_state.y, y)
    assert (alpha >= 0).all() and (alpha <= now.C).all()
    assert abs(now.beta.sum()) <= 1e-10 * (1.0 + alpha.sum()) or not now.with_intercept
    assert (run_state.v is None) == (lane.learner == "lasvm")
    if run_state.v is not None:
        assert run_state.v == pytest.approx(now.v, abs=small)
    if now.free.any() or lane.learner != "lasvm":
        b = (float(now.v[now.free].mean()) if now.free.any() else 0.5 * (now.m + now.M)) if now.with_intercept else 0.0
        assert run_state.f == pytest.approx(now.K @ now.beta + b, abs=20 * small)
    # KKT cases: the table of the theory, from the displayed y f.
    margin = y * run_state.f
    case = np.where(alpha == 0, 0, np.where(now.free, 1, np.where(margin < 0, 3, 2)))
    short, beyond = np.maximum(0.0, 1.0 - margin), np.maximum(0.0, margin - 1.0)
    assert run_state.kkt is not None and np.array_equal(run_state.kkt.case, case)
    broken = np.where(alpha == 0, short, np.where(now.free, short + beyond, beyond))
    assert run_state.kkt.violation == pytest.approx(broken, abs=1e-14)
    # The certificate, and what the curves have at this step.
    counts = int(now.free.sum()), int(((alpha == now.C) & (alpha > 0)).sum())
    assert report.n_iter == run_state.step and (report.n_free, report.n_bounded) == counts
    assert report.dual == pytest.approx(now.dual, abs=now.small_dual)
    definite = lane.svm.kernel != "sigmoid"
    if lane.learner != "lasvm" or report.status in (Status.OPTIMAL, Status.STATIONARY):
        assert max(0.0, report.kkt_violation) == pytest.approx(max(0.0, now.violation), abs=4 * small)
    if report.status in (Status.OPTIMAL, Status.STATIONARY):
        assert now.violation <= run_state.tol + 4 * small  # of all points
        assert (report.status is Status.OPTIMAL) == definite or report.status is Status.OPTIMAL
    for name, value, error in (
        ("dual", now.dual, 100 * now.small_dual),
        ("free", counts[0], 0.0),
        ("bounded", counts[1], 0.0),
    ):
        assert run_state.trace.at(name, run_state.step) == pytest.approx((value, value), abs=error)
    marked = run_state.trace.landmarks[run_state.trace.landmarks[:, 0] == run_state.step]
    assert len(marked) == 1 and marked[0, 1] == pytest.approx(now.dual, abs=100 * now.small_dual)
    # A primal of a real f: no better than the optimum, no worse than these multipliers with the best b.
    assert math.isfinite(report.primal) or not definite or lane.svm.hard_margin
    if math.isfinite(report.primal):
        assert report.primal <= now.primal * (1 + 1e-9) + now.small_dual
        assert report.gap == pytest.approx(max(0.0, 1.0 - report.dual / report.primal), abs=1e-12)
        rows = run_state.trace.landmarks
        assert rows[:, 2].min() >= rows[:, 1].max() * (1 - 1e-9) - now.small_dual, "every P is above every D"
    if run_state.explanation is not None and not run_state.explanation.newest:
        check_step(run_state, now)


def check_step(run_state: RunState, now: Dense) -> None:
    """Check the coming step: the pair may move, L and H are those of the (E, L, H) form, the gain is that of D."""
    step = run_state.explanation
    assert step is not None
    i, j, y, alpha = step.i, step.j, now.y, now.alpha
    assert run_state.pair == (int(run_state.index[i]), int(run_state.index[j]))
    assert (step.alpha_i, step.alpha_j) == (alpha[i], alpha[j])
    assert (step.v_i, step.v_j) == pytest.approx((now.v[i], now.v[j]), abs=now.small)
    if run_state.rule in ("first-order", "second-order"):
        assert step.v_i == pytest.approx(now.m, abs=now.small)
    if run_state.rule == "first-order":
        assert step.v_j == pytest.approx(now.M, abs=now.small)
    if y[i] == y[j]:
        low, high = max(0.0, alpha[i] + alpha[j] - now.C[i]), min(now.C[j], alpha[i] + alpha[j])
    else:
        low, high = max(0.0, alpha[j] - alpha[i]), min(now.C[j], now.C[i] + alpha[j] - alpha[i])
    assert (step.low, step.high) == pytest.approx((low, high), rel=1e-12)
    after = alpha.copy()
    if step.curved:  # E_i - E_j = v_j - v_i
        after[j] = min(max(alpha[j] + y[j] * (step.v_j - step.v_i) / step.curvature, low), high)
        after[i] = alpha[i] + y[i] * y[j] * (alpha[j] - after[j])
        assert step.after == pytest.approx((after[i], after[j]), rel=1e-9, abs=1e-12 * float(after.max()))
    after[i], after[j] = step.after
    beta = y * after
    assert step.gain == pytest.approx(after.sum() - 0.5 * beta @ now.K @ beta - now.dual, abs=100 * now.small_dual)
    for ranking in (step.first, step.second):
        assert ranking.candidates[ranking.chosen] == (i if ranking.member == "i" else j)


@pytest.mark.slow
@examples(40)
@given(st.integers(0, 10**6), st.sampled_from((2, 2, 3, 5)), st.integers(6, 24), lanes(), st.data())
def test_everything_reported_of_a_step_is_true(seed: int, n_classes: int, n: int, lane: Lane, data: Any) -> None:
    points = some_points(seed, n_classes, n)
    run = Run(lane, points, surveyed=True)
    assert run.frame.phase is Phase.DONE, run.frame.message
    check(run.frame, points, lane)
    length = run_state_of(run.frame).length
    for step in data.draw(st.lists(st.integers(0, length), max_size=3)):
        assert run.go(step).step == step
        check(run.frame, points, lane)


@pytest.mark.slow
@settings(max_examples=10, deadline=None)
@given(st.integers(0, 10**6), lanes().filter(lambda lane: lane.learner == "smo"), st.data())
def test_a_run_on_old_multipliers_is_that_of_a_solver_that_begins_with_them(seed: int, lane: Lane, data: Any) -> None:
    points = some_points(seed, 2, 20)
    run = Run(lane, points)
    for _ in range(2):
        points = points.move([int(data.draw(st.integers(0, 19)))], [[0.3, 0.1]])
        background = run.background
        new = spec(points, lane)
        if data.draw(st.booleans()):  # overtaken by what follows before it is finished
            next(background.start(new, lambda: True), None)
        run.spec, run.frame = new, background.finish(new)
        end = run_state_of(run.frame)
        begin = run.go(0).alpha
        assert begin is not None
        for step in (end.length, data.draw(st.integers(0, end.length))):
            shown = run.go(step)
            fresh = SmoSolver(
                points.xy,
                shown.y,
                Kernel(lane.svm.kernel, lane.svm.gamma, lane.svm.coef0, lane.svm.degree),
                C=shown.C,
                tol=lane.svm.tol,
                selection=lane.svm.selection,
                shrinking=False,
                alpha=begin,
            )
            if np.array_equal(fresh.alpha, begin):
                fresh.step(step)
                fresh.step(0)
                assert np.array_equal(shown.alpha, fresh.alpha) and np.array_equal(shown.v, fresh.v)


def test_the_v_of_kept_points_is_not_confused_with_that_of_all() -> None:
    # LASVM keeps all six points, but in its own order.
    points = Points.of([[0, 0], [1, 0], [0, 1], [3, 3], [2.5, 3], [3, 2]], [0, 1, 1, 0, 1, 0])
    lane = Lane("svm", svm=SvmSettings(C=0.03, gamma=2.0, trainer="lasvm"))
    shown = run_state_of(Background().finish(spec(points, lane)))
    assert shown.alpha is not None and (shown.alpha > 0).all()
    assert shown.v is None


def test_a_pause_completes_the_step_it_falls_into(monkeypatch: pytest.MonkeyPatch) -> None:
    # Many points: v is recomputed in pieces, and the pause comes between two of them.
    monkeypatch.setattr("solver.svm.smo.PIECE", 50)
    points = some_points(0, 2, 60)
    lane = Lane("svm", svm=SvmSettings(C=1.0, gamma=2.0))
    background = Background()
    whole = run_state_of(background.finish(spec(points, lane)))
    background.finish(spec(points, lane, paused=True, restart=1))
    training = background.training
    assert training is not None
    run = training.recordings[0]
    while not run.solver.pending:  # as far as the last step, but not to the end
        run.advance(1, lambda: True)
    assert run.length == whole.length
    frame = background.finish(spec(points, lane, paused=True, restart=1, steps_per_second=100.0))
    assert run_state_of(frame).at_end and frame.phase is Phase.DONE
