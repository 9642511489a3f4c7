"""Recordings: every state of every solver is restored bit for bit, and every note is true."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from solver import recording
from solver.core.certificate import Status
from solver.core.stepping import SteppedSolver
from solver.kernels.table import Kernel, PrecomputedKernel
from solver.knn.neighbors import KNeighborsClassifier
from solver.knn.reduction import CondensingSolver, EditingSolver, ReductionSolver
from solver.linear.pegasos import PegasosSolver
from solver.linear.perceptron import PerceptronSolver
from solver.online.lasvm import LasvmSolver
from solver.recording import Recording
from solver.svm import projected_gradient, smo
from solver.svm.auto import AutoSolver
from solver.svm.projected_gradient import DualAscentSolver
from solver.svm.smo import SmoSolver
from solver.svm.svc import SVC
from solver.svm.working_set_rules import RULES
from tests.examples import examples
from tests.solver.inside import active_of, generator_of
from tests.without_compiler import machine_code

Array = NDArray[np.float64]
State = list[Any]
Maker = Callable[[], SteppedSolver]
#: Number of steps after which a run is no longer compared.
FOLLOWED = 150
KERNELS = (
    Kernel("rbf", gamma=1.5),
    Kernel("linear"),
    Kernel("poly", gamma=1.0, coef0=1.0, degree=3),
    Kernel("sigmoid", gamma=0.7, coef0=-0.3),
    Kernel("laplacian", gamma=0.8),
)


@pytest.fixture(autouse=True, scope="module")
def in_small_portions() -> Iterator[None]:
    """Use few steps between checkpoints, few checkpoints, and little work between two calls of `stop`."""
    with pytest.MonkeyPatch.context() as patch:
        for kind in (SteppedSolver, DualAscentSolver):
            patch.setattr(kind, "KEPT_EVERY", 3)
        patch.setattr(recording, "MOST_CHECKPOINTS", 6)
        patch.setattr(smo, "PIECE", 60)
        patch.setattr(projected_gradient, "PIECE", 400)
        yield


def points(seed: int, n: int) -> tuple[Array, Array]:
    """Return points of two overlapping classes, a few of them twice."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(n, 2)), 2)
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=n) > 0.2, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    X[-2:] = X[2:4]
    return X, y


def smo_maker(
    seed: int = 0,
    n: int = 20,
    rule: str = "second-order",
    kernel: Kernel = KERNELS[0],
    prices: str = "finite",
    warm: bool = False,
    **others: Any,
) -> Callable[[], SmoSolver]:
    X, y = points(seed, n)
    rng = np.random.default_rng(seed + 1)
    if prices == "inf" and not kernel.is_positive_semidefinite:
        prices = "unequal"
    C = {"finite": 10.0, "inf": np.inf, "unequal": rng.choice([0.5, 3.0, 40.0], n), "some inf": 5.0}[prices]
    if prices == "some inf":
        C = np.where(rng.random(n) < 0.2, np.inf if kernel.is_positive_semidefinite else 90.0, C)
    alpha = rng.uniform(0.0, 1.0, n) if warm else None
    return lambda: SmoSolver(
        X, y, kernel, C=C, selection=rule, random_state=seed, alpha=alpha, **{"shrinking": False, **others}
    )


MAKERS: dict[str, Callable[[int], Maker]] = {
    "lasvm": lambda seed: (
        lambda: LasvmSolver(
            *points(seed, 20 + seed % 40),
            KERNELS[seed % 5],
            C=(0.3, 5.0, 200.0)[seed % 3],
            selection=("first-order", "second-order")[seed % 2],
            shuffle=seed % 4 == 0,
            n_epochs=1 + seed % 2,
            finish=seed % 5 != 1,
            random_state=seed,
            cache_size=(0.0, 100.0)[seed % 2],
        )
    ),
    "dual-ascent": lambda seed: (
        lambda: DualAscentSolver(
            *points(seed, 12 + seed % 20),
            KERNELS[seed % 5],
            C=(0.3, 5.0, 100.0)[seed % 3],
            fit_intercept=seed % 2 == 0,
            step_size=("barzilai-borwein", "constant")[seed % 4 // 2],
            max_iter=130 if seed % 7 == 0 else -1,
            cache_size=(0.0, 100.0)[seed % 3 > 0],
        )
    ),
    "perceptron": lambda seed: (
        lambda: PerceptronSolver(
            *points(seed, 15),
            fit_intercept=seed % 2 == 0,
            shuffle=seed % 3 > 0,
            random_state=seed,
            max_iter=5 if seed % 5 == 0 else 50,
        )
    ),
    "pegasos": lambda seed: (
        lambda: PegasosSolver(
            *points(seed, 15), lam=0.05, max_iter=FOLLOWED if seed % 3 else FOLLOWED + 9, random_state=seed
        )
    ),
    "condensing": lambda seed: (
        lambda: CondensingSolver(
            KNeighborsClassifier(1).fit(*points(seed, 15 + seed % 30)), shuffle=seed % 3 > 0, random_state=seed
        )
    ),
    "editing": lambda seed: (
        lambda: EditingSolver(
            KNeighborsClassifier(1 + seed % 4).fit(*points(seed, 15 + seed % 30)), max_iter=(1, 2, 100)[seed % 3]
        )
    ),
}


def state_of(solver: SteppedSolver) -> State:
    """Return everything that can be read of a solver, and its random generator."""
    if isinstance(solver, SmoSolver):
        own = [solver.beta, solver.v, generator_of(solver), solver.working_set, astuple(solver.certificate())]
    elif isinstance(solver, LasvmSolver):
        shown = solver.snapshot()
        own = [shown.expansion, solver.beta, shown.v, shown.working_set, shown.operation, astuple(shown.certificate)]
        own += [solver.alpha, solver.points]
    elif isinstance(solver, DualAscentSolver):
        own = [solver.beta, solver.v, solver._moved, solver._newest_size, astuple(solver.certificate())]
    elif isinstance(solver, PerceptronSolver):
        shown = solver.snapshot(thorough=False)
        own = [shown.coef, shown.intercept, shown.count, solver._ints, solver._order, astuple(solver.certificate())]
        own += [generator_of(solver)]
    elif isinstance(solver, ReductionSolver):
        now = solver.snapshot()
        own = [now.kept, now.touched, now.neighbors, now.own, now.against, now.changed, astuple(now.certificate)]
        own += [solver._due, solver._order]
    else:
        assert isinstance(solver, PegasosSolver)
        own = [*(getattr(solver, name) for name in solver.ARRAYS), generator_of(solver), astuple(solver.certificate())]
    return [
        solver.status,
        solver.n_iter,
        *(np.array(each, dtype=object if isinstance(each, tuple) else None) for each in own),
    ]


def same(one: State, other: State) -> bool:
    """Return whether two states are equal to the last bit."""
    return len(one) == len(other) and all(
        a == b
        if not isinstance(a, np.ndarray)
        else a.shape == b.shape and (a.astype(str) == b.astype(str)).all()
        if a.dtype == object
        else np.array_equal(a, b)
        for a, b in zip(one, other, strict=True)
    )


class Followed:
    """A run made step by step, and all its states; the reference for a recording."""

    def __init__(self, make: Maker) -> None:
        solver = make()
        solver.start_notes()
        self.states, self.solvers = [state_of(solver)], [make()]
        self.multipliers = [self._multipliers(solver)]
        self.truth = [self._notes(solver)]
        while solver.status is Status.RUNNING and solver.n_iter < FOLLOWED:
            solver.step(1)
            while solver.pending or (solver.n_iter < len(self.states) and solver.status is Status.RUNNING):
                solver.step(0 if solver.pending else 1)
            if solver.n_iter == len(self.states):
                self.states.append(state_of(solver))
                self.multipliers.append(self._multipliers(solver))
                self.truth.append(self._notes(solver))
        self.length = len(self.states) - 1
        self.end = state_of(solver) if solver.status is not Status.RUNNING else None
        support = [set(np.flatnonzero(each)) for each in self.multipliers]
        self.changes = [len(a ^ b) for a, b in pairwise(support)]

    @staticmethod
    def _multipliers(solver: Any) -> Array:
        if isinstance(solver, ReductionSolver):
            return np.array(solver.snapshot().kept, dtype=np.float64)
        counted = isinstance(solver, PerceptronSolver | PegasosSolver)
        return np.array(solver.snapshot(thorough=False).count if counted else solver.alpha, dtype=np.float64)

    @staticmethod
    def _notes(solver: Any) -> tuple[Array, Array]:
        """Return what is to be noted, and the unit of its rounding errors."""
        if isinstance(solver, PegasosSolver):
            return np.empty(0), np.empty(0)
        if isinstance(solver, ReductionSolver):
            certificate = solver.certificate()
            return np.array([certificate.n_kept, certificate.n_wrong]), np.zeros(2)
        if isinstance(solver, PerceptronSolver):
            w = np.append(solver.coef, solver.intercept)
            values = solver.y * (np.column_stack((solver.X, np.ones(len(solver.y)))) @ w)
            norm = np.linalg.norm(w)
            return np.array([(values <= 0).sum(), values.min() / norm if norm > 0 else 0.0]), np.array([0.0, 1.0])
        beta = solver.beta
        if isinstance(solver, LasvmSolver):
            X = solver.points - solver.centre
            _, _, lo, hi = solver._state()
            y = np.where(hi > 0, 1.0, -1.0)
        else:
            X, y, lo, hi = solver_points(solver), solver.y, solver._lo, solver._hi
        K = solver.kernel.gram(X, X)
        v = y - K @ beta
        above, below = v[beta < hi], v[beta > lo]
        violation = above.max() - below.min() if len(above) and len(below) else 0.0
        if isinstance(solver, DualAscentSolver) and not solver.fit_intercept:
            violation = max(0.0, above.max(initial=-np.inf), -below.min(initial=np.inf))
        inside = (lo < beta) & (beta < hi)
        dual = np.abs(beta).sum() - 0.5 * beta @ K @ beta
        sizes = np.abs(K) @ np.abs(beta)
        unit = np.array([np.abs(beta).sum() + np.abs(beta) @ sizes, 1.0 + sizes.max(initial=0.0), 0.0, 0.0])
        return np.array([dual, violation, inside.sum(), ((beta != 0) & ~inside).sum()]), unit

    def expected(self, at: Recording) -> State:
        """Return the state in which a recording at this step must be."""
        if at.at_end:
            assert self.end is not None
            return self.end
        return self.states[at.position]


def solver_points(solver: Any) -> Array:
    """Return the shifted points of a solver."""
    points: Array = solver._X if isinstance(solver, DualAscentSolver) else active_of(solver).whole.cache.XT.T
    return points


def check_notes(recorded: Recording, followed: Followed) -> None:
    """Check that each note follows from the multipliers, and that changes are steps where multipliers became
    0 or more.
    """
    view = recorded.trace.view()
    assert view.length == recorded.length
    assert view.bucket == 1
    known = min(recorded.length, followed.length)  # a run that searched for a change may be a little ahead
    assert view.levels[0].changes[:known].tolist() == followed.changes[:known]
    for step in range(known + 1):
        values, unit = followed.truth[step]
        noted = np.array([view.at(name, step)[0] for name in view.names])
        assert (np.abs(noted - values) <= 1e-9 * unit).all(), (step, noted, values)


def wander(make: Maker, seed: int, n_moves: int = 25, **limits: float) -> tuple[Recording, Followed]:
    """Go to and fro at random, with interruptions, and compare each state with that of a run made step by step."""
    rng = np.random.default_rng(seed)
    followed = Followed(make)
    recorded = Recording(make(), **limits)  # type: ignore[arg-type]
    chance = rng.choice([0.0, 0.2, 0.7])

    def stop() -> bool:
        return bool(rng.random() < chance)

    changed = np.flatnonzero(followed.changes) + 1
    farthest = followed.length if followed.end is None else followed.length + 5
    for _ in range(n_moves):
        move, before = rng.choice(["advance", "go", "next", "previous"], p=[0.2, 0.4, 0.2, 0.2]), recorded.position
        spec = int(rng.integers(0, farthest + 1)) if rng.random() < 0.8 else before
        if move == "advance":
            n = min(int(rng.integers(0, 20)), farthest - before)
            made = recorded.advance(n, stop)
            assert recorded.position == before + made and 0 <= made <= n
        elif move == "go":
            reached = recorded.go_to(spec, stop)
            while not reached:
                assert chance > 0.0
                reached = recorded.go_to(spec, stop)
            assert recorded.position == min(spec, followed.length)
        elif move == "next":
            following = changed[changed > spec]
            if not len(following) and followed.end is None:
                continue
            while not recorded.to_next_change(spec, stop):
                assert chance > 0.0
            assert recorded.position == (following[0] if len(following) else followed.length)
        else:
            earlier = changed[(changed < spec) & (changed <= recorded.length)]
            while not recorded.to_previous_change(spec, stop):
                assert chance > 0.0
            assert recorded.position == (earlier[-1] if len(earlier) else 0)
        if not recorded.solver.pending:
            assert same(state_of(recorded.solver), followed.expected(recorded)), move
    while not recorded.ended and recorded.length < followed.length:
        recorded.go_to(followed.length)
    return recorded, followed


@pytest.mark.slow
@examples(80)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(6, 30),
    rule=st.sampled_from(sorted(RULES)),
    kernel=st.sampled_from(KERNELS),
    prices=st.sampled_from(["finite", "inf", "unequal", "some inf"]),
    warm=st.booleans(),
    cache=st.sampled_from([0.0, 200.0]),
    max_iter=st.sampled_from([-1, 0, 7, 60]),
)
def test_every_state_of_smo_is_found_again(
    seed: int, n: int, rule: str, kernel: Kernel, prices: str, warm: bool, cache: float, max_iter: int
) -> None:
    make = smo_maker(seed, n, rule, kernel, prices, warm, cache_size=cache, max_iter=max_iter)
    check_notes(*wander(make, seed))


# Always the same examples: a point exactly on a perceptron's line may be wrong by its sum and right by numpy's.
@pytest.mark.slow
@pytest.mark.parametrize("name", MAKERS)
@settings(max_examples=20, deadline=None, derandomize=True)
@given(seed=st.integers(0, 10_000))
def test_every_state_of_the_others_is_found_again(name: str, seed: int) -> None:
    check_notes(*wander(MAKERS[name](seed), seed))


@pytest.mark.parametrize(
    "make",
    [
        smo_maker(3, 14, "random"),
        smo_maker(3, 14, "platt", tol=1e-18),
        smo_maker(4, 12, "maximum-gain", warm=True),
        smo_maker(5, 14, "cyclic", prices="inf"),
        *(MAKERS[name](9) for name in MAKERS),
        lambda: LasvmSolver(*points(1, 12), KERNELS[0], C=2.0, tol=1e-18),
        lambda: DualAscentSolver(*points(1, 12), KERNELS[0], C=2.0, tol=1e-18),
    ],
)
def test_what_follows_is_what_followed_then(make: Maker) -> None:
    """From each of its states, restored in any order, a run has the same end; sometimes by way of the first."""
    solver, kept = make(), []
    while solver.status is Status.RUNNING and len(kept) < 2000:
        if not solver.pending:
            kept.append(solver.checkpoint())
        solver.step(0 if solver.pending else 1)
    solver.run()
    end = state_of(solver)
    for turn, one in enumerate(np.random.default_rng(0).permutation(len(kept))[:80]):
        if turn % 2:
            solver.restore(kept[0])
        solver.restore(kept[one])
        solver.run()
        assert same(state_of(solver), end), one


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), name=st.sampled_from(["smo", *MAKERS]), limit=st.sampled_from([1, 8, 40]))
def test_with_little_memory_every_state_is_found_again(seed: int, name: str, limit: int) -> None:
    make = smo_maker(seed) if name == "smo" else MAKERS[name](seed)
    recorded, _ = wander(make, seed, limit=limit, megabytes=0.003)
    assert recorded.trace.view().bucket > 1 or recorded.length <= limit
    sizes = [each.nbytes for each in recorded._checkpoints]
    assert len(sizes) <= max(2, 0.003 * 2**20 // sizes[0])
    assert sum(sizes) == recorded._used


def test_plain_numpy_notes_the_same() -> None:
    for seed in range(5):
        make = smo_maker(seed, warm=seed % 2 == 0, prices=("finite", "inf", "unequal")[seed % 3])
        with machine_code(False):
            check_notes(*wander(make, seed))


@pytest.mark.parametrize("prices", ["finite", "inf"])
@pytest.mark.parametrize("rule", RULES)
def test_a_long_run_is_the_same_with_notes(rule: str, prices: str) -> None:
    """Over several records, and refreshes of v in between."""
    rng = np.random.default_rng(3)
    X = rng.uniform(-1.0, 1.0, (150, 2))
    y = np.where((np.floor(X * 3.0).sum(axis=1) % 2 == 0) ^ (rng.random(150) < 0.05), 1.0, -1.0)
    C = 1e4 if prices == "finite" else np.inf

    def make() -> SmoSolver:
        return SmoSolver(X, y, Kernel("rbf", gamma=8.0), C=C, selection=rule, shrinking=False, tol=1e-9)

    free, recorded = make(), Recording(make())
    steps = 1500 if rule in ("cyclic", "random", "platt") else 5000
    free.step(steps)
    recorded.advance(steps)
    assert same(state_of(free), state_of(recorded.solver))
    dual, violation, n_free, n_bounded = (recorded.trace.view().at(name, steps)[0] for name in SmoSolver.NOTES)
    assert dual == pytest.approx(free.dual, rel=1e-11)
    assert violation == pytest.approx(free.kkt_violation, rel=1e-9)
    certificate = free.certificate()
    assert (n_free, n_bounded) == (certificate.n_free, certificate.n_bounded)
    recorded.go_to(1100)
    again = make()
    again.step(1100)
    assert same(state_of(again), state_of(recorded.solver))
    recorded.go_to(recorded.length)
    assert same(state_of(free), state_of(recorded.solver))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "make"),
    [
        (Status.OPTIMAL, smo_maker(n=20)),
        (Status.STATIONARY, smo_maker(n=20, kernel=KERNELS[3])),
        (Status.STOPPED_EARLY, smo_maker(n=20, max_iter=11)),
        (Status.STOPPED_EARLY, smo_maker(n=20, max_iter=0)),
        (Status.NOT_SEPARABLE, smo_maker(n=20, kernel=KERNELS[1], prices="inf")),
        (Status.PRECISION, smo_maker(n=20, tol=1e-18)),
        (Status.PRECISION, smo_maker(n=20, tol=1e-18, kernel=KERNELS[3])),
        (Status.PRECISION, smo_maker(n=20, tol=1e-18, rule="maximum-gain", prices="inf")),
        (Status.OPTIMAL, lambda: DualAscentSolver(*points(0, 20), KERNELS[0])),
        (Status.PRECISION, lambda: DualAscentSolver(*points(0, 20), KERNELS[0], tol=1e-18)),
        (Status.STOPPED_EARLY, lambda: DualAscentSolver(*points(0, 20), KERNELS[0], max_iter=5)),
        (Status.OPTIMAL, lambda: LasvmSolver(*points(0, 20), KERNELS[0])),
        (Status.STOPPED_EARLY, lambda: PerceptronSolver(*points(0, 20))),
        (Status.OPTIMAL, lambda: PerceptronSolver([[0.0, 1.0], [1.0, 0.0]], [-1, 1], shuffle=True)),
    ],
)
def test_every_end_is_found_again(status: Status, make: Maker) -> None:
    through = make()
    through.run()
    assert through.status is status
    recorded = Recording(make())
    while not recorded.go_to(10**9, lambda: True):
        pass
    assert recorded.at_end and recorded.ended and recorded.length == through.n_iter
    end = state_of(through)
    assert same(state_of(recorded.solver), end)
    assert recorded.advance(5) == 0
    for away in (0, through.n_iter // 2, max(0, through.n_iter - 1)):
        assert recorded.go_to(away)
        assert recorded.position == away
        assert recorded.at_end == (away == through.n_iter)
        while not recorded.go_to(through.n_iter + 3, lambda: True):
            pass
        assert recorded.at_end and same(state_of(recorded.solver), end)
        assert recorded.to_next_change(through.n_iter) and recorded.at_end
    recorded.go_to(0)
    assert recorded.advance(10**9) == through.n_iter
    assert same(state_of(recorded.solver), end)


def test_a_run_that_starts_at_the_optimum_has_no_steps() -> None:
    X, y = points(0, 20)
    optimum = SmoSolver(X, y, KERNELS[0], tol=1e-9)
    optimum.run()
    recorded = Recording(SmoSolver(X, y, KERNELS[0], alpha=optimum.alpha))
    assert not recorded.ended
    assert recorded.to_next_change(0)
    assert recorded.at_end and recorded.length == 0
    assert recorded.go_to(7) and recorded.go_to(0) and recorded.to_previous_change(0) and recorded.at_end
    assert recorded.trace.view().at("dual", 0)[0] == pytest.approx(optimum.dual)


def test_work_that_is_pending_is_done_before_a_state_is_kept() -> None:
    """Hard margin: v is recomputed every max(1000, n) steps, here in hundreds of pieces."""
    rng = np.random.default_rng(0)
    X = rng.uniform(-1.0, 1.0, (60, 2))
    y = np.where(rng.random(60) < 0.5, 1.0, -1.0)

    def make() -> SmoSolver:
        return SmoSolver(X, y, Kernel("rbf", gamma=30.0), C=np.inf, selection="cyclic", shrinking=False, tol=1e-10)

    recorded = Recording(make())
    while recorded.position < 1000:
        recorded.advance(1000 - recorded.position, lambda: True)
    assert recorded.solver.pending and recorded.length == 1000
    with pytest.raises(RuntimeError, match="pending"):
        recorded.solver.checkpoint()
    assert not recorded.go_to(10, lambda: True)  # the newest state is not complete yet
    assert recorded.position == 1000
    assert not recorded.go_to(1000, lambda: True)
    assert recorded.go_to(10) and recorded.go_to(1000) and not recorded.solver.pending
    assert recorded.solver._notes.present[0] == recorded.solver.dual  # type: ignore[attr-defined]
    fresh = make()
    fresh.step(1000)
    assert same(state_of(fresh), state_of(recorded.solver))
    recorded.go_to(10)
    while not recorded.solver.pending:  # in progress again
        recorded.advance(1000, lambda: recorded.position >= 1000 or recorded.solver.pending)
        if recorded.position == 1000:
            break
    recorded.go_to(1400)
    fresh.step(400)
    assert same(state_of(fresh), state_of(recorded.solver))


def test_of_gradient_ascent_v_belongs_to_the_step_after_which_it_is_computed_anew() -> None:
    recorded = Recording(DualAscentSolver(*points(0, 30), KERNELS[0], C=1e3, tol=1e-12))
    while recorded.position < 100:
        recorded.advance(100 - recorded.position, lambda: True)
    assert recorded.solver.pending
    with pytest.raises(RuntimeError, match="pending"):
        recorded.solver.checkpoint()
    assert recorded.solver.step(0) == 0 and not recorded.solver.pending
    there = state_of(recorded.solver)
    assert recorded.go_to(40) and recorded.go_to(100)
    assert same(state_of(recorded.solver), there)
    solver: Any = recorded.solver
    terms = solver._matrix * solver.beta
    assert (np.abs(solver.v - solver.y + terms.sum(axis=1)) <= 1e-15 * np.abs(terms).sum(axis=1)).all()


def test_checkpoints_lie_ever_wider_apart() -> None:
    make = smo_maker(5, 30, "random", prices="unequal", tol=1e-12)
    recorded = Recording(make())
    recorded.advance(2000)
    steps, interval = recorded._steps, recorded._interval
    assert 3 <= len(steps) <= recording.MOST_CHECKPOINTS
    assert steps[0] == 0 and (np.diff(steps) == interval).all()
    assert recorded.length - steps[-1] <= interval


def test_each_seek_replays_from_the_nearest_state() -> None:
    """At most one interval of steps is repeated, and none to the solver's present state or to the newest one."""
    recorded = Recording(smo_maker(5, 30, "random", prices="unequal", tol=1e-12)())
    recorded.advance(500)
    steps: list[int] = []
    own = recorded.solver.step

    def counted(n: int = 1, stop: Any = None) -> int:
        made = own(n)
        steps.append(made)
        return made

    recorded.solver.step = counted  # type: ignore[method-assign]
    for goal in (499, 3, 250, 251, 250, 500, 500, 1, 0):
        before = recorded.position
        steps.clear()
        recorded.go_to(goal)
        interval = recorded._interval
        assert sum(steps) <= min(goal - before if goal >= before else interval, interval)
        assert goal != 500 or not sum(steps)


@pytest.mark.parametrize("kind", ["smo", *MAKERS])
def test_going_back_forgets_the_notes_not_taken(kind: str) -> None:
    solver = smo_maker()() if kind == "smo" else MAKERS[kind](0)()
    solver.start_notes()
    start = solver.checkpoint()

    def after(steps: int) -> None:
        solver.restore(start)
        while solver.n_iter < steps or solver.pending:
            solver.step(1 if solver.n_iter < steps else 0)

    after(2)
    first = list(solver.take_notes())
    after(3)
    after(2)
    assert len(first[0]) == 2 and same(list(solver.take_notes()), first)


def test_a_solver_that_shrinks_is_restored_but_not_noted() -> None:
    rng = np.random.default_rng(1)
    X = rng.uniform(-1.0, 1.0, (200, 2))
    y = np.where((np.floor(X * 3.0).sum(axis=1) % 2 == 0) ^ (rng.random(200) < 0.1), 1.0, -1.0)

    def make() -> SmoSolver:
        return SmoSolver(X, y, Kernel("rbf", gamma=8.0), C=10.0, tol=1e-9)

    with pytest.raises(ValueError, match=r"^shrinking is True; it must be False"):
        make().start_notes()
    solver = make()
    solver.step(1200)
    while solver.pending:
        solver.step(0)
    assert not active_of(solver).part.is_whole
    kept, there = solver.checkpoint(), state_of(solver)
    solver.step(400)
    later = state_of(solver)
    solver.run()
    end = state_of(solver)
    for _ in range(2):
        solver.restore(kept)
        assert same(state_of(solver), there)
    solver.step(400)
    assert same(state_of(solver), later)
    solver.run()
    assert same(state_of(solver), end)


def test_kernel_rows_are_computed_again_to_the_same_bits() -> None:
    for kernel in KERNELS:
        for matrix in (False, True):
            X, y = points(2, 40)
            if matrix:
                X, kernel = kernel.gram(X, X), PrecomputedKernel()
            one = SmoSolver(X, y, kernel, shrinking=False, cache_size=0.0, tol=1e-6)
            other = SmoSolver(X, y, kernel, shrinking=False, tol=1e-6)
            one.step(30)
            other.step(30)
            kept = other.checkpoint()
            other.run()
            other.restore(kept)
            assert same(state_of(one), state_of(other))
            one.run()
            other.run()
            assert same(state_of(one), state_of(other))


def test_the_expansion_finds_room_again() -> None:
    """To a state with more points than the arrays have slots, and to one before a batch was forgotten."""
    X, y = points(4, 300)
    solver = LasvmSolver(X[:200], y[:200], KERNELS[0], C=2.0, finish=False, cache_size=0.01)
    start = solver.checkpoint()
    solver.run()
    kept, there = solver.checkpoint(), state_of(solver)
    solver.extend(X[200:], y[200:], 2.0)
    solver.run()
    end = state_of(solver)
    fresh = LasvmSolver(X[:200], y[:200], KERNELS[0], C=2.0, finish=False, cache_size=0.01)
    fresh.restore(kept)
    assert same(state_of(fresh), there)
    fresh.extend(X[200:], y[200:], 2.0)
    fresh.run()
    assert same(state_of(fresh), end)
    solver.restore(kept)
    assert same(state_of(solver), there)
    solver.restore(start)
    solver.run()
    assert same(state_of(solver), there)


def test_pegasos_draws_the_same_points_however_the_steps_are_cut() -> None:
    X, y = points(0, 13)
    whole, cut = (PegasosSolver(X, y, max_iter=10_000, random_state=5) for _ in range(2))
    whole.step(5000)
    rng = np.random.default_rng(0)
    kept = []
    while cut.n_iter < 5000:
        cut.step(min(int(rng.integers(1, 9)), 5000 - cut.n_iter))
        kept.append(cut.checkpoint())
    assert same(state_of(whole), state_of(cut))
    for one in rng.integers(0, len(kept), 20):
        cut.restore(kept[one])
        cut.step(5000 - cut.n_iter)
        assert same(state_of(whole), state_of(cut))


def test_a_recording_begins_before_the_first_step() -> None:
    solver = smo_maker()()
    solver.step(3)
    with pytest.raises(ValueError, match=r"has made 3 steps already"):
        Recording(solver)


def test_auto_cannot_be_noted() -> None:
    solver = AutoSolver(*points(0, 20), KERNELS[0], shrinking=False)
    with pytest.raises(ValueError, match=r"^solver is 'auto'"):
        solver.start_notes()
    with pytest.raises(ValueError, match=r"^solver is 'auto'"):
        solver.checkpoint()
    assert solver.run() is Status.OPTIMAL


def test_svc_prepares_solvers_that_do_not_shrink() -> None:
    X, y = points(0, 150)
    for shrinking in (False, True):
        trainer = SVC().prepare(X, np.where(X[:, 1] > 0.5, 2.0, y), shrinking=shrinking)
        assert len(trainer.solvers) == 3
        assert [active_of(solver).shrinking for solver in trainer.solvers] == [
            shrinking and len(solver.y) >= 100 for solver in trainer.solvers
        ]
