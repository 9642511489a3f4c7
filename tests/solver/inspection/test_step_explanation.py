"""Explanations against the solver's steps, a dense dual, and the compiled choice of pairs in random states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import msgspec
import numpy as np
import pytest
from numpy.typing import NDArray

from app.state.document import SvmSettings
from solver import SVC
from solver.core.certificate import Status
from solver.inspection.step_explanation import Explanation, explain
from solver.kernels._kernel_rows import PRECOMPUTED, new_cache
from solver.kernels.table import Kernel, PrecomputedKernel
from solver.recording import Recording
from solver.svm import _smo_loops as loops
from solver.svm.shrinking import FIRST_REVIEW, Subproblem
from solver.svm.smo import SmoSolver
from solver.svm.working_set_candidates import (
    CLIPPED_GAIN,
    DIFFERENCE,
    ERROR_DIFFERENCE,
    GAIN,
    MOST,
    V_ABOVE,
    V_BELOW,
    VIOLATION,
    Ranking,
    RuleState,
)
from solver.svm.working_set_rules import RULES
from tests.solver.inside import active_of, generator_of
from tests.solver.svm_reference import Formula
from tests.without_compiler import machine_code

Array = NDArray[np.float64]
FORMULAS = (
    Formula("linear"),
    Formula("rbf", 1.0),
    Formula("laplacian", 1.0),
    Formula("poly", 1.0, 1.0, 3),
    Formula("rbf", 50.0),
    Formula("sigmoid", 1.0, -1.0),
    Formula("sigmoid", 2.0, 1.0),
)


@dataclass
class Run:
    """A solver, and the same problem in dense numpy."""

    solver: SmoSolver
    K: Array

    @property
    def v(self) -> Array:
        return self.solver.y - self.K @ (self.solver.y * self.solver.alpha)

    @property
    def up(self) -> NDArray[np.bool_]:
        s = self.solver
        return np.where(s.y > 0, s.alpha < s.C, s.alpha > 0)

    @property
    def low(self) -> NDArray[np.bool_]:
        s = self.solver
        return np.where(s.y > 0, s.alpha > 0, s.alpha < s.C)

    def dual(self, alpha: Array) -> np.longdouble:
        beta = np.asarray(self.solver.y * alpha, dtype=np.longdouble)
        return np.asarray(alpha, dtype=np.longdouble).sum() - 0.5 * beta @ (self.K.astype(np.longdouble) @ beta)


def run_of(seed: int) -> Run:
    """Return problem `seed`: rules, kernels and bounds in varying combinations, with duplicates in every third."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    X = rng.uniform(-1.0, 1.0, (n, 2))
    if seed % 3 == 0:
        X = np.round(2.0 * X) / 2.0
    y = np.where(rng.uniform(size=n) < 0.5, -1.0, 1.0)
    y[:2] = 1.0, -1.0
    formula = FORMULAS[int(rng.integers(len(FORMULAS)))]
    C = np.full(n, (0.1, 10.0, 1.0, np.inf)[int(rng.integers(4))])
    if rng.uniform() < 0.4:
        C = rng.uniform(0.1, 5.0, n)
        if rng.uniform() < 0.3:
            C[rng.uniform(size=n) < 0.3] = np.inf
    if formula.name == "sigmoid":
        C = np.minimum(C, 3.0)
    start = rng.uniform(0.0, 1.0, n) if rng.uniform() < 0.3 else None
    kernel = Kernel(formula.name, formula.gamma, formula.coef0, formula.degree)
    with machine_code(seed % 11 > 0):
        solver = SmoSolver(X, y, kernel, C=C, alpha=start, selection=list(RULES)[seed % 6], random_state=seed)
    at = X - solver.centre
    return Run(solver, formula(at, at))


def reports(solver: SmoSolver, steps: int) -> Iterator[Explanation]:
    """Yield the explanations of the next steps, each before the step is made."""
    for _ in range(steps):
        explanation = explain(solver)
        if explanation is None:
            return
        yield explanation
        assert solver.step(1) == 1


def rankings_hold(explanation: Explanation) -> None:
    """Check that both rankings are in order and name the moved points; under rules that compare, the chosen one is
    best.
    """
    names = {"i": explanation.i, "j": explanation.j}
    assert {explanation.first.member, explanation.second.member} == {"i", "j"}
    for ranking in (explanation.first, explanation.second):
        assert ranking.candidates[ranking.chosen] == names[ranking.member]
        assert len(ranking.candidates) == len(set(ranking.candidates.tolist())) == min(ranking.total, MOST)
        if not ranking.compared:
            continue
        assert ranking.chosen == 0
        worse = ranking.values if ranking.measure == V_BELOW else -ranking.values
        assert (np.diff(worse) >= 0).all()
        assert (worse == worse[0]).sum() == min(ranking.tied, MOST)
        if ranking.total > 2:  # equal ones by index; the two of the last pair keep their own order
            assert (np.diff(ranking.candidates)[np.diff(worse) == 0] > 0).all()


def measured(run: Run, ranking: Ranking, other: int) -> tuple[Array, int]:
    """Return the measures of the candidates and their number, from the dense problem; `other` is their partner."""
    s, v, K = run.solver, run.v, run.K
    m, M = v[run.up].max(), v[run.low].min()
    at, diagonal = ranking.candidates, K.diagonal()
    floor = 1e-12 * (np.abs(diagonal) + abs(diagonal[other]))
    curvature = np.maximum(diagonal + diagonal[other] - 2.0 * K[other], floor)
    if ranking.measure == V_ABOVE:
        assert abs(ranking.base - M) < 1e-9
        return v[at], int(run.up.sum())
    if ranking.measure == V_BELOW:
        assert abs(ranking.base - m) < 1e-9
        return v[at], int(run.low.sum())
    assert ranking.base == 0.0
    if ranking.measure == GAIN:
        total = [int((run.low & (v < v[other] + nudge)).sum()) for nudge in (-1e-9, 1e-9)]  # of duplicates of i
        assert total[0] <= ranking.total <= total[1]
        return ((v[other] - v) ** 2 / (2.0 * curvature))[at], ranking.total
    if ranking.measure == ERROR_DIFFERENCE:
        errors = K @ (s.y * s.alpha) - s.y  # apart from the intercept
        return np.abs(errors - errors[other])[at], len(v) - 1
    only_free = run.up & run.low if "free" in ranking.sentence else run.up | run.low
    if ranking.measure == VIOLATION:
        beyond = np.maximum(np.where(run.up, v - M, -np.inf), np.where(run.low, m - v, -np.inf))
        if "No free point" in ranking.sentence:
            assert not (beyond > s.tol)[run.up & run.low].any()
            only_free[:] = True
        return beyond[at], int(((beyond > s.tol) & only_free).sum())
    assert ranking.measure == DIFFERENCE
    return np.abs(v - v[other])[at], int((movers(run, other) & only_free).sum())


def movers(run: Run, other: int) -> NDArray[np.bool_]:
    """Return the points that move with `other`."""
    v, tol = run.v, run.solver.tol
    return (run.low & (v[other] - v > tol) & run.up[other]) | (run.up & (v - v[other] > tol) & run.low[other])


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 240, 40))
def test_explanations_agree_with_the_steps(first: int) -> None:
    """Over whole runs: the pair, the alphas after it, the candidates and their numbers."""
    steps = 0
    for seed in range(first, first + 40):
        run = run_of(seed)
        s, twin = run.solver, run_of(seed).solver
        for explanation in reports(s, 25):
            steps += 1
            twin.step(1)
            before = s.alpha.copy()
            assert (explanation.alpha_i, explanation.alpha_j) == (before[explanation.i], before[explanation.j])
            assert (explanation.i, explanation.j) == twin.working_set
            assert explanation.after == (twin.alpha[explanation.i], twin.alpha[explanation.j])
            rankings_hold(explanation)
            pairs = ((explanation.first, explanation.second), (explanation.second, explanation.first))
            for ranking, opposite in pairs:
                if ranking.measure == CLIPPED_GAIN:
                    continue  # see below
                other = int(opposite.candidates[opposite.chosen])
                values, total = measured(run, ranking, other)
                np.testing.assert_allclose(ranking.values, values, rtol=1e-6, atol=1e-9)
                assert ranking.total == total
        # Explaining changes nothing: the solver has the state of its twin, which was never explained.
        assert (s.alpha == twin.alpha).all() and (s.v == twin.v).all() and generator_of(s) == generator_of(twin)
    assert steps > 500


def best_on_segment(run: Run, i: int, j: int) -> float:
    """Return the largest gain of the dual with points i and j alone, in either direction, by trying many steps."""
    s = run.solver
    most = 0.0
    for a, b in ((i, j), (j, i)):
        room_a = s.C[a] - s.alpha[a] if s.y[a] > 0 else s.alpha[a]
        room_b = s.alpha[b] if s.y[b] > 0 else s.C[b] - s.alpha[b]
        rise, curvature = run.v[a] - run.v[b], run.K[a, a] + run.K[b, b] - 2.0 * run.K[a, b]
        tried = np.linspace(0.0, min(room_a, room_b, 3.0 * abs(rise) / curvature), 2001)
        most = max(most, float((tried * rise - 0.5 * curvature * tried**2).max()))
    return most


def test_clipped_gains_are_the_best_that_the_box_allows() -> None:
    shown = 0
    for seed in range(5, 480, 6):
        run = run_of(seed)
        s = run.solver
        if not s.compiled:
            continue
        last = s.working_set
        for explanation in reports(s, 12):
            if explanation.first.measure != CLIPPED_GAIN:
                last = explanation.i, explanation.j
                continue
            shown += 1
            kept = int(explanation.first.candidates[0])
            assert sorted(explanation.first.candidates.tolist()) == sorted(last)
            assert explanation.first.values[0] == explanation.second.values[0]
            assert not explanation.curved or explanation.gain == pytest.approx(explanation.first.values[0], rel=1e-9)
            for index, point in enumerate(explanation.second.candidates[:4]):
                if run.K[kept, kept] + run.K[point, point] - 2.0 * run.K[kept, point] < 1e-9:
                    continue  # the rule does not count what an upward bend adds
                best = best_on_segment(run, kept, int(point))
                assert explanation.second.values[index] == pytest.approx(best, rel=2e-3, abs=1e-9)
            last = explanation.i, explanation.j
    assert shown > 100


@pytest.mark.slow
def test_the_numbers_of_the_box() -> None:
    """L, H, both steps and the gain against a search on the segment, the other form of the step, and the dual."""
    clipped = free = open_ = 0
    for seed in range(240):
        run = run_of(seed)
        s = run.solver
        for e in reports(s, 8):
            assert e.v_i == pytest.approx(run.v[e.i], rel=1e-9, abs=1e-9)
            # Along the segment alpha_j = t, alpha_i follows from y_i alpha_i + y_j alpha_j = const.
            const = e.y_i * e.alpha_i + e.y_j * e.alpha_j
            for bound, inside in ((e.low, 1.0), (e.high, -1.0)):
                if np.isinf(bound):
                    assert e.C_j == np.inf and inside < 0
                    open_ += 1
                    continue
                for nudge, good in ((inside, True), (-inside, False)):
                    t = bound + 1e-7 * nudge
                    alpha_i = e.y_i * (const - e.y_j * t)
                    within = -1e-9 <= t <= e.C_j + 1e-9 and -1e-9 <= alpha_i <= e.C_i + 1e-9
                    assert within is good or e.high - e.low < 1e-6
            way_back = e.alpha_j + e.y_j * e.back
            assert way_back == pytest.approx(e.high if e.y_j > 0 else e.low, rel=1e-9, abs=1e-12)
            eta = max(e.curvature, 1e-12 * (abs(e.k_ii) + abs(e.k_jj)))
            assert e.eta == pytest.approx(eta, rel=1e-12) and e.curved is (e.curvature == e.eta)
            E_i, E_j = -e.v_i, -e.v_j  # f - y, apart from the intercept
            best = e.alpha_j + e.y_j * (E_i - E_j) / e.eta
            if e.curved:
                assert e.after[1] == pytest.approx(min(max(best, e.low), e.high), rel=1e-9, abs=1e-12)
                assert e.optimum[1] == pytest.approx(best, rel=1e-9, abs=1e-9)
                top = run.dual(_moved(s, e, e.unclipped)) - run.dual(s.alpha)
                assert float(top) == pytest.approx(e.gain_unclipped, rel=1e-7, abs=1e-12)
                assert e.gain + e.lost == pytest.approx(e.gain_unclipped, rel=1e-12)
                tried = np.linspace(0.0, min(e.longest, 3.0 * e.unclipped), 301)
                rise = tried * (e.v_i - e.v_j) - 0.5 * e.curvature * tried**2
                assert tried[rise.argmax()] == pytest.approx(e.step, abs=tried[1])
                assert rise.max() <= e.gain * (1 + 1e-12)
            else:
                assert e.gain_unclipped == e.lost == np.inf
            clipped, free = clipped + e.clipped, free + (not e.clipped)
            assert e.clipped is (e.step < e.unclipped) and e.step <= e.longest
            before, alpha = run.dual(s.alpha), s.alpha.copy()
            alpha[[e.i, e.j]] = e.after
            assert e.ends == (e.C_i if e.y_i > 0 else 0.0, 0.0 if e.y_j > 0 else e.C_j)
            assert e.reached == tuple(a == end for a, end in zip(e.after, e.ends, strict=True))
            rounding = 8 * np.finfo(float).eps * float(np.abs(run.v).max() * alpha.max() + np.abs(alpha).sum())
            assert float(run.dual(alpha) - before) == pytest.approx(e.gain, rel=1e-9, abs=rounding)
    assert clipped > 300 and free > 300 and open_ > 50


def _moved(s: SmoSolver, e: Explanation, step: float) -> Array:
    alpha = s.alpha.copy()
    alpha[e.i] += e.y_i * step
    alpha[e.j] -= e.y_j * step
    return alpha


@pytest.mark.slow
@pytest.mark.parametrize("tol", [1e-3, 0.0012])
def test_every_choice_of_the_compiled_rules_on_wild_states(tol: float) -> None:
    """v of few values, so with many ties; with the second tol, so large that v + tol rounds to a neighbour of v."""
    too_large: set[str] = set()
    cases = 0
    for seed in range(500):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(2, 14))
        A = rng.integers(-2, 3, (n, 2)).astype(float)
        K = np.ascontiguousarray(A @ A.T)
        y = np.where(np.arange(n) % 2, -1.0, 1.0)
        C = rng.choice([1.0, 2.0, np.inf], n)
        lo, hi = np.where(y > 0, 0.0, -C), np.where(y > 0, C, 0.0)
        beta = y * np.minimum(rng.choice([0.0, 0.5, 1.0, 2.0], n), C)
        v = rng.integers(-3, 4, n) * (1.0 if seed % 2 else 1e-3)
        if tol == 0.0012:
            v = 2.0**43 + rng.integers(0, 2, n) * 2.0**-9
        for name, rule in RULES.items():
            cache, own = new_cache((PRECOMPUTED, 1.0, 0.0, 3), K, 1.0), K.diagonal().copy()
            part = Subproblem(np.arange(n), cache, lo=lo, hi=hi, diagonal=own, beta=beta.copy(), v=v.copy())
            if not ((part.up == 0).any() and (part.low == 0).any()):
                continue
            ints, random = np.zeros(5, dtype=np.int64), rng.integers(1, 2**63, 1).astype(np.uint64)
            ints[loops.CURSOR], ints[loops.FREE_TURN] = rng.integers(n), rng.integers(2)
            ints[[loops.LAST_I, loops.LAST_J]] = rng.choice(n, 2, replace=False) if rng.uniform() < 0.7 else -1
            state = RuleState(
                part.index,
                lo,
                hi,
                beta,
                v,
                part.diagonal,
                part.up == 0,
                part.low == 0,
                tol,
                ints.copy(),
                int(random[0]),
                lambda i, K=K: K[i],
                0,
            )
            m, M = state.bounds
            if not m - M > tol:
                continue
            cases += 1
            part.run(rule.code, ints, random, tol, 1, 10**9, np.empty((0, 4)))
            moved = int(ints[loops.LAST_I]), int(ints[loops.LAST_J])
            pair, first, second, sentence = rule.choose(state)
            assert pair == moved, (seed, name)
            for ranking in (first, second):
                assert ranking.candidates[ranking.chosen] == dict(zip("ij", pair, strict=True))[ranking.member]
                assert ranking.chosen == 0 or not ranking.compared
            if sentence.startswith("v is too large"):
                too_large.add(name)
    assert cases > 1000
    assert too_large == ({"cyclic", "random", "platt"} if tol == 0.0012 else set())


@pytest.mark.parametrize("name", RULES)
def test_a_row_of_the_table_is_complete(name: str) -> None:
    rule = RULES[name]
    assert rule.title and rule.note.endswith(".") and [each.code for each in RULES.values()].count(rule.code) == 1
    solver = line(name)
    assert solver.step(1) == 1  # its compiled branch; the choice and its reason are tested above
    explanation = explain(line(name))
    assert explanation is not None and (explanation.i, explanation.j) == solver.working_set
    for ranking in (explanation.first, explanation.second):
        assert ranking.sentence and ranking.measure.formula and (ranking.measure.title or not ranking.compared)


@pytest.mark.parametrize("code", [-1, 6, 100])
def test_a_code_without_a_compiled_branch_is_an_error(code: int) -> None:
    solver = line()
    assert code not in {rule.code for rule in RULES.values()}
    with pytest.raises(ValueError, match="No compiled working-set rule has this code"):
        solver._active.run(code, solver._ints, solver._rng, 1e-3, 1, 10**9, np.empty((0, 5)))


def test_an_unknown_rule_is_an_error_wherever_one_is_named() -> None:
    with pytest.raises(ValueError, match="selection is 'best'; it must be one of 'cyclic'"):
        line("best")
    with pytest.raises(ValueError, match="selection is 'best'; it must be one of 'cyclic'"):
        SVC(selection="best").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(msgspec.ValidationError, match="best"):
        msgspec.convert({"selection": "best"}, SvmSettings)


# -- words ---------------------------------------------------------------------------------------------------------


def line(rule: str = "second-order", C: float | Array = 1.0, **more: int) -> SmoSolver:
    """Return two points above and two below, on a line at -3, -1, 1, 3."""
    X = np.array([[-3.0], [-1.0], [1.0], [3.0]])
    return SmoSolver(X, np.array([-1.0, -1.0, 1.0, 1.0]), Kernel("linear"), C=C, selection=rule, **more)


def first_of(solver: SmoSolver) -> Explanation:
    explanation = explain(solver)
    assert explanation is not None
    return explanation


def test_the_first_steps_of_four_points_in_words() -> None:
    e = first_of(line())
    assert (e.i, e.j) == (2, 1) and e.step == e.unclipped == 0.5 and e.gain == 0.5
    assert e.sentence == "i is the first of 2 that violate their conditions most, j promises the largest gain."
    assert e.first.sentence == "All 2 points whose y·α can still increase share the largest v; i is the first of these."
    assert e.second.sentence == (
        "j promises the largest gain of the 2 points with a smaller v than i whose y·α can still decrease."
    )
    assert e.second.values.tolist() == [0.5, 0.125] and e.second.candidates.tolist() == [1, 0]
    assert e.effect == "The top of the parabola lies inside the box: the full step is taken."
    e = first_of(line("first-order", C=0.05))
    assert (e.i, e.j) == (2, 0) and e.after == (0.05, 0.05) and e.clipped
    assert e.sentence == (
        "i is the first of 2 that violate their conditions most, j the first of 2 in the other direction."
    )
    assert e.effect == "The top of the parabola lies outside the box: the step ends where αᵢ = C and αⱼ = C."
    e = first_of(line("first-order", C=np.array([0.05, 1.0, 1.0, 1.0])))
    assert e.effect == "The top of the parabola lies outside the box: the step ends where αⱼ = Cⱼ."
    e = first_of(line("maximum-gain"))
    assert e.sentence.startswith("There is no last pair yet, so as second-order: i is the first of 2")
    e = first_of(line("cyclic"))
    assert e.sentence == "j is the next violator in order, i the first partner in order that moves with it."
    assert e.first.sentence == "j is the next of the 4 violators, in order of their numbers."
    assert (e.i, e.j) == (2, 0) and e.first.candidates.tolist() == [0, 1, 2, 3] and not e.first.compared
    e = first_of(line("random"))
    assert "was drawn from the 4 violators" in e.sentence and "from the 2 points that move with it." in e.sentence
    e = first_of(line("platt"))
    assert e.sentence.startswith("Turn of all points: ") and e.sentence.endswith(" has the largest |Eᵢ − Eⱼ|.")


@pytest.mark.slow
def test_every_kind_of_sentence_is_met_and_fits_its_state() -> None:
    sentences: set[str] = set()
    for seed in range(240):
        run = run_of(seed)
        s = run.solver
        for e in reports(s, 20):
            sentences |= {e.sentence, e.effect}
            violators = ((run.v > run.v[run.low].min() + s.tol) & run.up) | (
                (run.v < run.v[run.up].max() - s.tol) & run.low
            )
            free = violators & run.up & run.low
            if e.sentence.startswith("No free point violates"):
                assert not free.any()
            elif e.sentence.startswith("Turn of the free points"):
                assert free.any() and e.first.total == free.sum()
            elif e.sentence.startswith("Turn of all points"):
                assert e.first.total == violators.sum()
            if "nor does any free point" in e.sentence:
                first = int(e.first.candidates[e.first.chosen])
                assert not (movers(run, first) & run.up & run.low).any()
            if e.effect.startswith("D bends upwards"):
                assert s.kernel.name == "sigmoid" and e.curvature < 0
            if "two labels" in e.effect:
                assert e.y_i != e.y_j and e.curvature == 0 and (run.K[e.i] == run.K[e.j]).all()
            assert ("inside the box" in e.effect) is (e.curved and not any(e.reached))
    for part in (
        "Both points of the last pair are at a bound, so as second-order",
        "There is no last pair yet",
        "Neither point of the last pair moves",
        "stays from the last pair",
        "No free point violates",
        "Turn of the free points",
        "Turn of all points",
        "nor does any free point",
        "the first free point that does",
        "is the only point that moves with it",
        "is the only free violator",
        "next violator in order",
        "one point with two labels: no curvature",
        "no upper bound: D rises without end",
        "D bends upwards",
        "hardly tells i and j apart",
        "on the edge of the box",
        "lies outside the box",
        "first of 2 that promise",
    ):
        assert any(part in sentence for sentence in sentences), part


def test_one_point_with_two_labels() -> None:
    X, y = np.array([[0.0], [0.0], [1.0]]), np.array([1.0, -1.0, 1.0])
    e = first_of(SmoSolver(X, y, Kernel("rbf"), C=2.0))
    assert (e.i, e.j, e.curvature, e.step, e.gain, e.after) == (0, 1, 0.0, 2.0, 4.0, (2.0, 2.0))
    assert not e.curved and e.lost == np.inf
    e = first_of(SmoSolver(X, y, Kernel("rbf"), C=1e14))  # further than the number in place of the curvature says
    assert (e.unclipped, e.step, e.gain, e.after, e.clipped) == (1e12, 1e14, 2e14, (1e14, 1e14), False)
    assert e.effect.endswith("no curvature, so the step goes on until αᵢ = C and αⱼ = C.")
    solver = SmoSolver(X, y, Kernel("rbf"), C=np.inf)
    e = first_of(solver)
    assert (e.longest, e.high) == (np.inf, np.inf) and "nothing separates them" in e.effect
    solver.run()
    assert solver.status is Status.NOT_SEPARABLE and explain(solver) is None


def test_at_the_end_there_is_nothing_to_explain_but_the_last_step() -> None:
    solver = line()
    before = solver.checkpoint()
    assert solver.run() is Status.OPTIMAL
    assert explain(solver) is None
    end = solver.checkpoint()
    solver.restore(before)
    e = explain(solver, newest=True)
    assert e is not None and e.newest and not first_of(solver).newest
    solver.restore(end)
    assert e.after == (solver.alpha[e.i], solver.alpha[e.j])


def test_a_recorded_run_continues_as_without_explanations() -> None:
    recordings = []
    for looked_at in (True, False):
        run = run_of(4 + 6 * 9)
        recording = Recording(run.solver)
        while not recording.ended:
            recording.advance(1)
            if looked_at:
                explain(run.solver)
                assert len(run.solver.take_notes()[0]) == 0
        recordings.append(recording)
    first, second = recordings
    assert first.length == second.length > 20
    edges = np.arange(first.length + 1)
    for name in run.solver.NOTES:
        for mine, other in zip(
            first.trace.view().extremes(name, edges), second.trace.view().extremes(name, edges), strict=True
        ):
            np.testing.assert_array_equal(mine, other)


def test_candidates_are_few_and_the_chosen_one_is_among_them() -> None:
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (300, 2))
    y = np.where(rng.uniform(size=300) < 0.5, 1.0, -1.0)
    behind = 0
    for rule in ("random", "platt", "cyclic", "second-order"):
        solver = SmoSolver(X, y, Kernel("rbf"), selection=rule)
        solver.step(100)
        for e in reports(solver, 20):
            rankings_hold(e)
            for ranking in (e.first, e.second):
                behind += ranking.total > MOST and ranking.chosen == MOST - 1
    assert behind > 10


@pytest.mark.parametrize("rule", ["first-order", "second-order", "maximum-gain"])
def test_points_left_out_for_a_while_are_no_candidates(rule: str) -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.0, 1.0, (300, 2))
    y = np.where(X[:, 0] * X[:, 1] + rng.normal(0.0, 0.2, 300) > 0, 1.0, -1.0)
    solver = SmoSolver(X, y, Kernel("rbf"), C=30.0, tol=1e-7, selection=rule)
    left_out = set()
    for start in (FIRST_REVIEW, 2 * FIRST_REVIEW):
        solver.step(start - 8 - solver.n_iter)
        for e in reports(solver, 16):
            rankings_hold(e)
            left_out.add(e.left_out)
            under_work = set(active_of(solver).part.index.tolist())
            assert e.left_out == 300 - len(under_work) and {*e.first.candidates, *e.second.candidates} <= under_work
            assert ("left out for now" in e.sentence) is (e.left_out > 0)
            pair = e.i, e.j
        assert solver.working_set == pair
    assert min(left_out) == 0 and max(left_out) > 50


def test_v_is_brought_up_to_date_before_the_pair_is_chosen() -> None:
    """As after very many steps, when rounding errors make a state look settled that is not."""
    run = run_of(4)
    run.solver.step(5)
    active_of(run.solver).replace(run.solver.beta, np.zeros_like(run.solver.v))
    e = first_of(run.solver)
    assert (e.v_i, e.v_j) == pytest.approx((run.v[e.i], run.v[e.j]), rel=1e-9)
    assert not run.solver.v.any()
    run.solver.step(1)
    assert run.solver.working_set == (e.i, e.j) and run.solver.v.any()


def test_work_that_is_pending_is_done_first() -> None:
    run = run_of(10)
    s = run.solver
    while s.status is Status.RUNNING:
        s.step(1, stop=lambda: True)
        if s.pending:
            break
    assert s.pending
    explain(s)
    assert not s.pending


def test_a_given_matrix() -> None:
    rng = np.random.default_rng(3)
    A = rng.normal(size=(20, 3))
    y = np.where(A[:, 0] + rng.normal(size=20) > 0, 1.0, -1.0)
    solver = SmoSolver(A @ A.T, y, PrecomputedKernel(), C=5.0)
    for e in reports(solver, 30):
        rankings_hold(e)
        assert e.k_ij == (A @ A.T)[e.i, e.j]
