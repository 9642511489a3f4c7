"""The race in the background: equal shares, results of single runs, honest counts, sentences for the impossible."""

from __future__ import annotations

import itertools
import math
import random
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import msgspec
import numpy as np
import pytest
from sklearn import svm
from sklearn.preprocessing import StandardScaler

from app.core.points import Points
from app.engine.pool import Delay, Job, Priority
from app.engine.query import Answer, work_out
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from app.features.race import race_run, racer, text
from app.features.race.race_frame import CURVE, NEAR_GAP, Course, Finish, RaceFrame
from app.features.race.race_run import FRAME_INTERVAL, INDEFINITE, NO_SECOND_CLASS, RaceQuery, RaceRun, placed
from app.features.race.racer import CLOSE_MARKS, FINENESS, MARKS, CostProbe, Racer
from app.scene.model import grid_of
from app.scene.status_badge import Mood
from app.state.document import GeneratorSettings, SvmSettings, View
from solver import RULES, SVC, Certificate, Grid, SmoSolver, Status
from tests.copies import replace
from tests.covering import first_of
from tests.stepped import stepped
from tests.without_compiler import machine_code

PATIENCE = 60.0
SHADES = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))
GRID = Grid(-2.0, 3.0, -1.5, 2.0, 20, 14)
FOUR = ("random", "first-order", "second-order", "maximum-gain")
OTHERS = ("cyclic", "platt", "second-order")


def moons(count: int = 20, noise: float = 0.3) -> Points:
    return GeneratorSettings(count=count, noise=noise).points()


@dataclass(frozen=True)
class Asked:
    """A course, and whether its race plays on."""

    course: Course
    pace: float = math.inf
    grid: Grid = GRID
    playing: bool = True


def request(points: Points, settings: SvmSettings, **changes: Any) -> Asked:
    plain = Asked(Course(points, settings, (0, 1), FOUR))
    of_course = {name: value for name, value in changes.items() if hasattr(plain.course, name)}
    others = {name: value for name, value in changes.items() if name not in of_course}
    return replace(plain, course=replace(plain.course, **of_course), **others)


class Driver:
    """Races driven in the test's own thread; collects what is posted."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.race = RaceRun(Course(Points()))

    def query(self, asked: Asked) -> RaceQuery:
        """Return the query that continues the race of the same course, or begins another one."""
        if self.race.course != asked.course:
            self.race = RaceRun(asked.course)
        return RaceQuery(self.race, asked.pace, asked.grid, SHADES, asked.playing)

    def run(self, asked: Asked, overtaken: Callable[[], bool] = lambda: False) -> list[Priority | Delay]:
        """Run the job of `asked` to its end, without waiting for delays."""
        return list(work_out(Answer("race", 1, self.query(asked)), self.answers.append, overtaken))

    @property
    def frames(self) -> list[RaceFrame]:
        return [answer.value for answer in self.answers if not answer.done]

    @property
    def message(self) -> str:
        return self.answers[-1].message

    def solvers(self) -> dict[str, SmoSolver]:
        return {runner.rule: runner.solver for runner in self.race.racers}

    def last(self) -> RaceFrame:
        return self.frames[-1]


@pytest.fixture
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every frame due at once."""
    monkeypatch.setattr(race_run, "FRAME_INTERVAL", -1.0)


@pytest.fixture
def quick(no_pauses: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every frame due at once, and its gaps on the way cheap."""
    monkeypatch.setattr(racer, "THOROUGH", 0)


def alone(points: Points, settings: SvmSettings, rule: str, **arguments: Any) -> SmoSolver:
    """Return the solver of the rule by itself, with labels and bounds computed here."""
    C = math.inf if settings.hard_margin else settings.C
    y = np.where(points.labels == points.labels.max(), 1.0, -1.0)
    return SmoSolver(
        points.xy, y, settings.as_kernel(), C=C, tol=settings.tol, selection=rule, **{"shrinking": False, **arguments}
    )


# -- the same results, in equal shares -------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("rules", [FOUR, OTHERS])
@pytest.mark.parametrize(("mode", "pace"), [("steps", 37), ("steps", math.inf), ("time", 0.3), ("time", math.inf)])
def test_a_racer_does_what_its_rule_does_alone(mode: str, pace: float, rules: tuple[str, ...]) -> None:
    points, settings = moons(), SvmSettings(C=10.0)
    driver = Driver()
    driver.run(request(points, settings, mode=mode, pace=pace, rules=rules))
    if mode == "steps":
        equal_shares(driver.frames)
    for runner in driver.last().racers:
        single = alone(points, settings, runner.rule)
        single.run()
        solver = driver.solvers()[runner.rule]
        assert solver.alpha.tobytes() == single.alpha.tobytes()
        assert runner.steps == single.n_iter == runner.finish.steps
        assert runner.certificate == single.certificate()
        assert runner.evaluations == single.n_kernel_evaluations
        at_bound = single.alpha == 10.0
        assert runner.marks.bounded.tolist() == np.flatnonzero(at_bound).tolist()
        assert runner.marks.free.tolist() == np.flatnonzero((single.alpha > 0) & ~at_bound).tolist()


def test_no_point_is_left_out_for_a_while() -> None:
    points, settings = moons(100), SvmSettings(C=100.0)
    driver = Driver()
    driver.run(request(points, settings, rules=("first-order", "second-order")))
    for runner in driver.last().racers:
        single, shrunk = alone(points, settings, runner.rule), alone(points, settings, runner.rule, shrinking=True)
        single.run()
        shrunk.run()
        assert runner.steps == single.n_iter and runner.evaluations == single.n_kernel_evaluations
    assert shrunk.n_kernel_evaluations != single.n_kernel_evaluations, "it would have been noticed"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("seed", first_of(range(4), 2))
def test_rounds_stay_equal_whatever_interrupts_them(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    one_call_a_piece(monkeypatch)
    rng = random.Random(seed)
    points, settings = moons(), SvmSettings(C=10.0)
    driver = Driver()
    for number in itertools.count(1):
        pieces = itertools.count()
        enough = rng.randrange(1, 90)
        driver.run(
            request(points, settings, pace=rng.choice([1, 3, 20, 50]), playing=number % 5 > 0),
            lambda pieces=pieces, enough=enough: next(pieces) >= enough,
        )
        if driver.frames and driver.last().over:
            break
    assert len(equal_shares(driver.frames)) > 5, "there were rounds to be looked at"
    for rule, solver in driver.solvers().items():
        single = alone(points, settings, rule)
        single.run()
        assert solver.alpha.tobytes() == single.alpha.tobytes() and solver.n_iter == single.n_iter


def one_call_a_piece(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each piece of work one call of a solver, however long that takes."""

    def work(self: Racer, mode: str, goal: float) -> None:
        while self._probe_is_needed(mode, goal):
            self.cost_probe.run_ahead(60.0)
        self._step(self._target(mode, goal), math.inf)

    monkeypatch.setattr(Racer, "work", work)


def equal_shares(frames: list[RaceFrame]) -> set[int]:
    """Check that in each frame all running racers have the same number of steps, and the others no more."""
    visible = set()
    for frame in frames:
        running = {runner.steps for runner in frame.racers if runner.running}
        assert len(running) <= 1
        assert all(runner.steps <= max(running, default=math.inf) for runner in frame.racers)
        visible |= running
    return visible


@pytest.mark.usefixtures("quick")
def test_a_pause_ends_the_round_where_the_first_racer_stands(monkeypatch: pytest.MonkeyPatch) -> None:
    one_call_a_piece(monkeypatch)
    points, settings = moons(), SvmSettings(C=10.0)
    stands = set()
    for enough in range(20, 40):
        driver, pieces = Driver(), itertools.count()
        driver.run(request(points, settings, pace=50), lambda pieces=pieces, enough=enough: next(pieces) >= enough)
        driver.run(request(points, settings, pace=50, playing=False))
        (stand,) = {runner.steps for runner in driver.last().racers}
        stands.add(stand)
    assert len(stands) > 3 and max(stands) < 50, "nobody went on to the end of the round"


class RacePaper:
    """A simulated solver, whose gap after s steps is 1 / s."""

    def __init__(self) -> None:
        self.y, self.C, self.alpha = np.ones(4), np.ones(4), np.zeros(4)
        self.n_iter, self.status, self.n_kernel_evaluations = 0, Status.RUNNING, 0
        self.looked: list[int] = []

    def step(self, n: int, stop: Callable[[], bool]) -> int:
        self.n_iter += n
        if self.n_iter >= 5000:
            self.status = Status.OPTIMAL
        return n

    def certificate(self, thorough: bool) -> Certificate:
        self.looked.append(self.n_iter)
        return Certificate(self.status, 0.1, 1.0, 2.0, 1.0 / max(self.n_iter, 1), 0, 0, self.n_iter, math.nan)


def test_a_racer_is_looked_at_more_often_where_the_small_gap_is_in_sight() -> None:
    paper = RacePaper()
    runner = Racer("random", paper, CostProbe(RacePaper(), 0.0))  # type: ignore[arg-type]
    while runner.running:
        runner.work("steps", 10_000)
    assert runner.near is not None and 100 <= runner.near.steps <= 104
    looked = np.array(paper.looked)
    assert looked[0] == 1 and (np.diff(looked) > 0).all()
    growth = looked[1:] / looked[:-1]
    far = (looked[:-1] >= 110) | ((looked[:-1] < 19) & (looked[:-1] > 11))
    assert (growth[far] < MARKS + 0.09).all() and (growth[looked[:-1] >= 110] > 1.05).sum() > 10
    in_sight = (looked[:-1] >= 35) & (looked[:-1] < 99)
    assert in_sight.sum() > 20 and (growth[in_sight] <= CLOSE_MARKS + 0.03).all()


COSTS = {"random": 3e-5, "first-order": 1e-5, "second-order": 2e-5, "maximum-gain": 7e-5}


class RaceClock:
    """A clock that advances only by the cost of the solvers' steps."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> RaceClock:
    made, step = RaceClock(), SmoSolver.step

    def timed(self: SmoSolver, n: int = 1, stop: Callable[[], bool] = lambda: False) -> int:
        steps = step(self, n, stop)
        made.now += steps * COSTS[self.selection]
        return steps

    monkeypatch.setattr(SmoSolver, "step", timed)
    monkeypatch.setattr(racer, "stopwatch", made)
    monkeypatch.setattr(race_run, "call_cost", lambda: 0.0)
    return made


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("pace", [0.4, 2.0, math.inf])
def test_in_the_same_time_each_gets_the_same_time(clock: RaceClock, pace: float) -> None:
    driver = Driver()
    driver.run(request(moons(), SvmSettings(C=10.0), mode="time", pace=pace))
    shares = 0
    for frame in driver.frames:
        running = [runner for runner in frame.racers if runner.running and runner.steps]
        for runner in running:
            assert runner.seconds == pytest.approx(runner.steps * COSTS[runner.rule])
            # No racer is further behind than the step that it could not make.
            assert runner.seconds > max(other.seconds for other in running) - 1.01 * COSTS[runner.rule]
        shares += len(running) > 1
    assert shares >= {0.4: 10, 2.0: 2}.get(pace, 1)
    final = driver.last()
    locations = sorted(final.racers, key=lambda runner: runner.finish.rank)
    assert [r.seconds for r in locations] == sorted(r.seconds for r in final.racers)
    # If steps cost unequally, time decides differently from steps.
    assert [r.rule for r in locations] != [r.rule for r in sorted(final.racers, key=lambda runner: runner.steps)]


@pytest.mark.parametrize("pace", [29, math.inf])
def test_the_cost_of_a_call_is_left_out(clock: RaceClock, monkeypatch: pytest.MonkeyPatch, pace: float) -> None:
    step = SmoSolver.step

    def called(self: SmoSolver, n: int = 1, stop: Callable[[], bool] = lambda: False) -> int:
        clock.now += 1e-5
        return step(self, n, stop)

    monkeypatch.setattr(SmoSolver, "step", called)
    monkeypatch.setattr(race_run, "call_cost", lambda: 1e-5)
    driver = Driver()
    driver.run(request(moons(), SvmSettings(C=10.0), pace=pace))
    for runner in driver.last().racers:
        assert runner.seconds == pytest.approx(runner.steps * COSTS[runner.rule])


def test_a_cost_probe_returns_steps_and_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    paper, now = RacePaper(), [0.0]
    step = paper.step

    def timed(n: int, stop: Callable[[], bool]) -> int:
        made = step(n, stop)
        now[0] += 1e-3 * made if paper.n_iter < 1000 else 2e-3 * made
        return made

    monkeypatch.setattr(paper, "step", timed)
    monkeypatch.setattr(racer, "stopwatch", lambda: now[0])
    cost_probe = CostProbe(paper, 0.0)  # type: ignore[arg-type]
    assert (cost_probe.steps, cost_probe.seconds, cost_probe.seconds_at(0), cost_probe.steps_at(0.0)) == (
        0,
        0.0,
        0.0,
        0,
    )
    cost_probe.run_ahead(60.0)
    assert cost_probe.ended and cost_probe.steps == paper.n_iter and cost_probe.seconds == pytest.approx(now[0])
    assert [cost_probe.seconds_at(steps) for steps in (1, 77, 500)] == pytest.approx([0.001, 0.077, 0.5])
    assert np.diff([cost_probe.seconds_at(steps) for steps in range(cost_probe.steps + 1)]).min() > 0.9e-3
    for steps in (0, 1, 63, 64, 65, 999, 1001, 4000, cost_probe.steps):
        assert cost_probe.steps_at(cost_probe.seconds_at(steps)) == steps
        assert cost_probe.steps_at(cost_probe.seconds_at(steps) + 4e-4) == steps
    assert cost_probe.steps_at(1e9) == cost_probe.steps and cost_probe.seconds_at(10**9) == cost_probe.seconds


@pytest.mark.parametrize(("mode", "goal"), [("steps", 1000), ("time", 1.0)])
def test_no_racer_overtakes_its_cost_probe(monkeypatch: pytest.MonkeyPatch, mode: str, goal: float) -> None:
    now, run_ahead = [0.0], CostProbe.run_ahead

    def a_stretch(self: CostProbe, seconds: float) -> None:
        self._together = 64
        run_ahead(self, 1.5)

    seconds = itertools.count()
    monkeypatch.setattr(racer, "time", SimpleNamespace(perf_counter=lambda: next(seconds)))
    monkeypatch.setattr(racer, "PIECE", 1e9)
    monkeypatch.setattr(CostProbe, "run_ahead", a_stretch)
    twin = RacePaper()
    step = twin.step

    def timed(n: int, stop: Callable[[], bool]) -> int:
        now[0] += 1e-3 * n
        return step(n, stop)

    monkeypatch.setattr(twin, "step", timed)
    monkeypatch.setattr(racer, "stopwatch", lambda: now[0])
    cost_probe = CostProbe(twin, 0.0)  # type: ignore[arg-type]
    runner = Racer("random", RacePaper(), cost_probe)  # type: ignore[arg-type]
    runner.work(mode, goal)
    assert not runner.behind(mode, goal)
    assert runner.solver.n_iter == 1000 and 1000 <= cost_probe.steps < 1000 + 64
    assert runner.seconds == pytest.approx(1.0)


def test_what_a_call_costs_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    now = itertools.count()
    measured = racer.call_cost.__wrapped__
    step = SmoSolver.step

    def costly(self: SmoSolver, n: int = 1, stop: Callable[[], bool] = lambda: False) -> int:
        made = step(self, n, stop)
        assert made == n, "the small problem is not finished while it is measured"
        for _ in range(14 + 2 * made):
            next(now)
        return made

    monkeypatch.setattr(SmoSolver, "step", costly)
    monkeypatch.setattr(racer, "stopwatch", lambda: next(now) * 1e-6)
    assert measured() == pytest.approx(15e-6, rel=1e-9)  # the clock itself counts one


# -- what is counted -------------------------------------------------------------------------------------------------


def touched(solver: SmoSolver) -> list[tuple[int, int]]:
    """Return the pairs of all steps, one by one."""
    pairs = []
    while solver.status is Status.RUNNING:
        if solver.step(1):
            pairs.append(solver.working_set)
    return pairs


@pytest.mark.parametrize("rule", RULES)
def test_kernel_evaluations_are_the_rows_touched(rule: str) -> None:
    points = moons(20)
    solver = alone(points, SvmSettings(C=10.0), rule)
    assert solver.n_kernel_evaluations == 0
    pairs = touched(solver)
    assert solver.n_kernel_evaluations == len(points) * len(set(itertools.chain(*pairs)))


@pytest.mark.parametrize("rule", ["random", "second-order"])
def test_a_small_cache_computes_rows_again(rule: str) -> None:
    points, settings = moons(20), SvmSettings(C=10.0)
    solver = alone(points, settings, rule, cache_size=1e-6)
    kept: OrderedDict[int, None] = OrderedDict()  # the two rows requested last
    misses = 0

    def ask(row: int) -> None:
        nonlocal misses
        if row in kept:
            kept.move_to_end(row)
            return
        misses += 1
        kept[row] = None
        if len(kept) > 2:
            kept.popitem(last=False)

    for i, j in touched(solver):
        for row in (i, j):
            ask(row)
    for row in np.flatnonzero(solver.alpha):  # v from its definition, at the end
        ask(int(row))
    assert solver.n_kernel_evaluations == len(points) * misses
    large = alone(points, settings, rule)
    large.run()
    assert large.alpha.tobytes() == solver.alpha.tobytes()
    assert large.n_kernel_evaluations < solver.n_kernel_evaluations


@pytest.mark.parametrize(("count", "C"), [(60, 100.0), (60, 1000.0), (150, 1000.0)])
def test_evaluations_of_parts_are_counted_too(count: int, C: float) -> None:
    points = moons(count)  # of the first two, the same part is chosen twice
    solver = alone(points, SvmSettings(C=C), "first-order", shrinking=True)
    parts = {}  # kept alive, so that no two have one id
    while solver.status is Status.RUNNING:
        solver.step(100)
        active = solver._active
        parts[id(active.part)] = active.part
    assert len(parts) > 1
    parts[id(active.whole)] = active.whole
    rows = [int(part.cache.head[1]) * len(part.index) for part in parts.values()]
    assert solver.n_kernel_evaluations == sum(rows)


def test_plain_numpy_computes_the_whole_matrix() -> None:
    points = moons(20)
    with machine_code(False):
        assert alone(points, SvmSettings(), "second-order").n_kernel_evaluations == len(points) ** 2


def test_a_curve_has_the_values_of_a_single_run_at_its_steps() -> None:
    points, settings = moons(), SvmSettings(C=10.0)
    driver, slow = Driver(), Driver()
    driver.run(request(points, settings))
    slow.run(request(points, settings, pace=61))
    for runner in driver.last().racers:
        steps = runner.curve[:, CURVE.index("steps")]
        assert len(steps) > 10 and (np.diff(steps) > 0).all() and steps[-1] == runner.steps
        assert np.bincount((FINENESS * np.log2(steps)).astype(int)).max() == 1
        single = alone(points, settings, runner.rule)
        for row in runner.curve:
            while single.n_iter < row[0]:
                single.step(int(row[0]) - single.n_iter)
            last = row[0] == steps[-1]
            if last:
                single.run()
            certificate = single.certificate()
            assert row[CURVE.index("evaluations")] == single.n_kernel_evaluations
            assert row[CURVE.index("gap")] == certificate.gap
            assert row[CURVE.index("violation")] == certificate.kkt_violation
        assert (np.diff(runner.curve[:, CURVE.index("seconds")]) >= 0).all()
    but_time = [CURVE.index(name) for name in CURVE if name != "seconds"]
    for runner, other in zip(driver.last().racers, slow.last().racers, strict=True):
        assert np.array_equal(runner.curve[:, but_time], other.curve[:, but_time]), "the pace is no part of it"
    for frame in slow.frames:
        assert all(runner.curve[-1, 0] == runner.steps for runner in frame.racers if runner.steps)


def test_no_curve_has_more_than_400_points() -> None:
    assert FINENESS * math.log2(100 * 10_000_000) < 400  # of ten million points


@pytest.mark.usefixtures("no_pauses")
def test_the_small_gap_is_found_soon_and_never_too_early() -> None:
    points, settings = moons(), SvmSettings(C=10.0)
    found = []
    for pace in (67, math.inf):
        driver = Driver()
        driver.run(request(points, settings, pace=pace, rules=("first-order", "second-order")))
        found.append([runner.near.steps for runner in driver.last().racers])
        assert [runner.near.rank for runner in driver.last().racers] == [2, 1]
    assert found[0] == found[1], "the pace is no part of it"
    for runner in driver.last().racers:
        before = runner.curve[:, 0] < runner.near.steps
        assert (runner.curve[before, CURVE.index("gap")] > NEAR_GAP).all()
        single = alone(points, settings, runner.rule)
        above = 0  # the last step whose gap is larger
        while single.step(1):
            gap = single.certificate().gap
            above = single.n_iter if gap > NEAR_GAP else above
            if single.n_iter == runner.near.steps:
                assert gap <= NEAR_GAP
                assert runner.near.evaluations == single.n_kernel_evaluations
        assert runner.near.steps <= math.ceil(MARKS * (above + 1)) + 1
    assert CLOSE_MARKS < 1.05 < MARKS


def test_ranks() -> None:
    def finish(steps: int, seconds: float) -> Finish:
        return Finish(steps, 0, seconds)

    finishes = [finish(20, 1.0), None, finish(10, 3.0), finish(20, 2.0), finish(30, 0.5)]
    assert [f and f.rank for f in placed(finishes, "steps")] == [2, None, 1, 2, 4]
    assert [f and f.rank for f in placed(finishes, "time")] == [2, None, 4, 3, 1]
    assert placed([None, None], "steps") == [None, None]


# -- pictures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["rbf", "linear", "poly", "laplacian", "sigmoid"])
def test_the_pictures_are_those_of_the_model(kernel: str) -> None:
    points, settings = moons(), SvmSettings(C=1.0, kernel=kernel, gamma=0.7, coef0=0.5)
    points = points.move(range(len(points)), points.xy + 3.0)
    grid = Grid(1.0, 6.0, 1.5, 5.0, 300, 210)
    driver = Driver()
    driver.run(request(points, settings, grid=grid, rules=("first-order", "second-order")))
    model = SVC(1.0, kernel, settings.degree, 0.7, 0.5, settings.tol, solver="smo")
    stepped(model, points.xy, points.labels)
    picture = driver.last().racers[1].picture
    assert picture.grid == grid and picture.argb.shape == (210, 300)
    x, y = np.meshgrid(grid.xs, grid.ys[::-1])
    f = model.decision_function(np.column_stack((x.ravel(), y.ravel()))).reshape(x.shape)
    sure = np.abs(f) > 1e-6
    # More of class 1 means more of its red: 0x1e against 0 of class 0.
    colours = np.array([colour_of_value(value) for value in f[sure][::97]], dtype=np.uint32)
    assert (picture.argb[sure][::97] == colours).mean() > 0.99
    for lines, levels in ((picture.boundary, [0.0]), (picture.margins, [-1.0, 1.0])):
        ends = lines[np.isfinite(lines).all(axis=1)]
        off = np.abs(model.decision_function(ends)[:, None] - levels).min(axis=1) if len(ends) else np.zeros(1)
        assert off.max() < 0.05


def test_a_lane_that_standardises_races_on_standardised_points() -> None:
    """Three classes, of which two race, in units that differ: the pictures are those of a pipeline of scikit-learn."""
    points = GeneratorSettings("blobs", 20, n_classes=3).points()
    points = points.move(range(len(points)), points.xy * (1000.0, 1.0) + (1e5, 0.0))
    (left, bottom), (right, top) = points.xy.min(axis=0), points.xy.max(axis=0)
    grid = Grid(float(left), float(right), float(bottom), float(top), 120, 90)
    driver, rules = Driver(), ("first-order", "second-order")
    driver.run(request(points, SvmSettings(C=5.0), grid=grid, rules=rules, standardises=True))
    own = points.labels < 2
    scaler = StandardScaler().fit(points.xy)
    model = svm.SVC(C=5.0, gamma=1.0, tol=1e-3).fit(scaler.transform(points.xy[own]), points.labels[own])
    for each in driver.last().racers:
        ends = each.picture.boundary[np.isfinite(each.picture.boundary).all(axis=1)]
        assert len(ends) and np.abs(model.decision_function(scaler.transform(ends))).max() < 0.05


def colour_of_value(f: float) -> int:
    """Return the colour of a value of f, from its definition."""
    level = int(min(abs(f) / 2.0 * 63 + 0.5, 63))
    share = 0.16 + (0.52 - 0.16) * level / 63
    rgb = [round(255 * (1 - share) + c * share) for c in SHADES.classes[int(f > 0)]]
    return 0xFF000000 + rgb[0] * 0x10000 + rgb[1] * 0x100 + rgb[2]


@pytest.mark.usefixtures("quick")
def test_pictures_are_small_while_running_and_full_when_paused() -> None:
    driver = Driver()
    grid = replace(GRID, width=600, height=420)
    driver.run(request(moons(), SvmSettings(), pace=20, grid=grid))
    sizes = [frame.racers[0].picture.argb.size for frame in driver.frames]
    few = grid.coarse()
    assert len(sizes) > 3 and sizes[-1] == 600 * 420 and set(sizes[:-1]) == {few.width * few.height}
    frames = len(driver.frames)
    driver.run(request(moons(21), SvmSettings(), playing=False, grid=grid))  # other points: a separate race
    assert len(driver.frames) == frames + 2
    assert not driver.last().begun and (driver.last().racers[0].picture.argb == 0xFF808080).all()


def test_a_race_of_one_class_against_the_rest_draws_the_rest_grey() -> None:
    points = GeneratorSettings(name="blobs", count=15, noise=0.5, n_classes=3).points()
    driver = Driver()
    grid = grid_of(View.fitting(points), 60, 60)
    settings = SvmSettings(multiclass="one-vs-rest")
    driver.run(request(points, settings, problem=(1, 1), grid=grid))
    frame = driver.last()
    assert len(frame.points) == len(points)
    solver = driver.solvers()["random"]
    assert solver.y.tolist() == np.where(points.labels == 1, 1.0, -1.0).tolist()
    grey = [colour for colour in np.unique(frame.racers[0].picture.argb) if len({*_rgb(int(colour))}) == 1]
    assert grey, "a class that is no class has no colour"


def _rgb(colour: int) -> tuple[int, int, int]:
    return colour >> 16 & 255, colour >> 8 & 255, colour & 255


def test_a_race_of_two_of_several_classes() -> None:
    points = GeneratorSettings(name="blobs", count=15, noise=0.5, n_classes=4).points()
    weights = (1.0, 2.0, 1.0, 5.0, 1.0, 1.0, 1.0, 1.0)
    settings = SvmSettings(C=3.0, class_weight="own", own_weights=weights)
    driver = Driver()
    driver.run(request(points, settings, problem=(1, 3)))
    own = np.flatnonzero((points.labels == 1) | (points.labels == 3))
    assert driver.last().points.ids.tolist() == points.ids[own].tolist()
    solver = driver.solvers()["second-order"]
    assert solver.C.tolist() == np.where(points.labels[own] == 1, 6.0, 15.0).tolist()
    assert all(runner.finish is not None for runner in driver.last().racers)


# -- impossible races -------------------------------------------------------------------------------------------------


ONE_CLASS = Points.of([[0.0, 0.0], [1.0, 0.0]], [2, 2])
SIGMOID = SvmSettings(kernel="sigmoid", gamma=2.0, coef0=-1.0)
HARD_SIGMOID = msgspec.structs.replace(SIGMOID, hard_margin=True)


@pytest.mark.parametrize(
    ("points", "settings", "changes", "shown"),
    [
        (Points(), SvmSettings(), {}, NO_SECOND_CLASS),
        (ONE_CLASS, SvmSettings(), {}, NO_SECOND_CLASS),
        (moons(), HARD_SIGMOID, {}, "This kernel is not positive semidefinite, so it has no hard margin"),
        (Points.of([[0.0, 1e80], [1.0, 0.0]], [0, 1]), SvmSettings(), {}, "X"),
    ],
)
def test_impossible_races_are_reported_in_one_sentence(
    points: Points, settings: SvmSettings, changes: dict[str, Any], shown: str
) -> None:
    driver = Driver()
    driver.run(request(points, settings, **changes))
    assert driver.frames == [] and driver.answers[-1].done
    assert driver.message.startswith(shown) and "\n" not in driver.message and "Error" not in driver.message
    driver.run(request(moons(), SvmSettings()))
    assert driver.message == "" and driver.last().over, "the next one races all the same"


@pytest.mark.parametrize("mode", ["steps", "time"])
def test_without_a_hard_margin_there_is_no_winner(mode: str) -> None:
    driver = Driver()
    settings = SvmSettings(kernel="linear", hard_margin=True)
    driver.run(request(moons(), settings, mode=mode, rules=("second-order", "random")))
    frame = driver.last()
    assert frame.over and frame.message.startswith("Not separable with a margin above ")
    bound = float(frame.message.split()[6].rstrip(":"))
    single = alone(moons(), settings, "second-order")
    single.run()
    assert 0 < bound < 10 * single.certificate().margin_bound
    assert all(runner.finish is None for runner in frame.racers) and text.winner(frame) == frame.message


def test_a_hard_margin_that_exists_is_raced_for() -> None:
    driver = Driver()
    points = GeneratorSettings(name="line", count=20, shift=0.2).points()
    driver.run(request(points, SvmSettings(kernel="linear", hard_margin=True)))
    assert driver.last().message == ""
    assert all(runner.finish is not None and runner.near is not None for runner in driver.last().racers)


def test_an_indefinite_kernel_has_no_gap_and_a_note() -> None:
    driver = Driver()
    driver.run(request(moons(), SIGMOID))
    frame = driver.last()
    assert frame.note == INDEFINITE and not frame.message and frame.over
    assert {runner.certificate.status for runner in frame.racers} <= {Status.STATIONARY, Status.PRECISION}
    assert any(runner.finish is not None for runner in frame.racers)
    for runner in frame.racers:
        assert np.isnan(runner.curve[:, CURVE.index("gap")]).all() and runner.near is None
        assert (runner.curve[:-1, CURVE.index("violation")] > 0).all()
    assert text.near(frame) == ""
    assert {row[5].text for row in text.table(frame)} == {"unknown"}
    assert ", stationary: KKT " in text.badge(frame.racers[0], False).text


def test_a_racer_that_stops_early_has_not_arrived(monkeypatch: pytest.MonkeyPatch) -> None:
    def tired(*args: Any, **named: Any) -> SmoSolver:
        return SmoSolver(*args, **named, max_iter=100)

    monkeypatch.setattr(race_run, "SmoSolver", tired)
    driver = Driver()
    driver.run(request(moons(100), SvmSettings(C=10.0), rules=("random", "second-order")))
    frame = driver.last()
    assert [runner.certificate.status for runner in frame.racers] == [Status.STOPPED_EARLY] * 2
    assert [runner.steps for runner in frame.racers] == [100, 100] and frame.over and not frame.message
    assert text.winner(frame) == (
        "Nobody wins: Random stopped early after 100 steps; Second order stopped early after 100 steps."
    )
    badge = text.badge(frame.racers[0], False)
    assert badge.mood is Mood.DOUBTFUL and badge.text.startswith("stopped early: KKT ")


def test_an_internal_error_is_a_sentence_too(monkeypatch: pytest.MonkeyPatch) -> None:
    driver, points = Driver(), moons()
    driver.run(request(points, SvmSettings(), playing=False))
    with monkeypatch.context() as broken:
        broken.setattr(Racer, "work", lambda *_: 1 // 0)
        driver.run(request(points, SvmSettings()))
        assert driver.message.startswith("Stopped by an internal error (ZeroDivisionError: ")
    with monkeypatch.context() as broken:
        broken.setattr(RaceRun, "_line_up", lambda *_: exec("raise MemoryError"))
        driver.run(request(moons(30), SvmSettings()))
        assert driver.message == "There is not enough memory for a race on this many points."
    driver.run(request(points, SvmSettings()))
    assert driver.last().over and not driver.message


# -- among other work ------------------------------------------------------------------------------------------------


def test_no_piece_is_put_before_first_pictures() -> None:
    driver = Driver()
    specs = driver.run(request(moons(), SvmSettings(C=10.0), pace=30))
    priorities = {spec.priority if isinstance(spec, Delay) else spec for spec in specs}
    assert priorities == {Priority.TRAINING}
    assert any(isinstance(spec, Delay) for spec in specs)


def test_frames_keep_their_distance(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(race_run, "time", SimpleNamespace(perf_counter=lambda: now))
    posted: list[tuple[float, int]] = []
    driver = Driver()

    def post(frame: RaceFrame) -> None:
        posted.append((now, frame.racers[0].steps))

    for spec in driver.query(request(moons(), SvmSettings(), pace=5)).answer(post, lambda: False):
        now += spec.seconds if isinstance(spec, Delay) else 0.001
    times = np.array([at for at, _ in posted])
    assert len(times) > 10 and (np.diff(times)[:-2] >= FRAME_INTERVAL - 1e-9).all()
    assert [steps for _, steps in posted[:6]] == [5, 10, 15, 20, 25, 30], "a round for each picture"
    posted.clear()
    for _ in driver.query(request(moons(100), SvmSettings(C=10.0), pace=math.inf)).answer(post, lambda: False):
        now += 0.005
    times = np.array([at for at, _ in posted])
    assert len(times) > 3 and (np.diff(times)[:-2] >= FRAME_INTERVAL - 1e-9).all()


@pytest.mark.usefixtures("quick")
def test_a_paused_race_stands_still_and_goes_on() -> None:
    driver, pieces = Driver(), itertools.count()
    points = moons()
    driver.run(request(points, SvmSettings(C=10.0), pace=4), lambda: next(pieces) > 40)
    driver.run(request(points, SvmSettings(C=10.0), playing=False))
    stand = [runner.steps for runner in driver.last().racers]
    assert 0 < stand[0] == stand[1] and not driver.last().over
    for _ in range(3):
        driver.run(request(points, SvmSettings(C=10.0), playing=False))
        assert [runner.steps for runner in driver.last().racers] == stand
    same = driver.last().racers[0].picture
    driver.run(request(points, SvmSettings(C=10.0), playing=False, grid=replace(GRID, width=50)))
    assert driver.last().racers[0].picture is not same and driver.last().racers[0].picture.grid.width == 50
    driver.run(request(points, SvmSettings(C=10.0)))
    assert driver.last().over and min(runner.steps for runner in driver.last().racers) > stand[0]


@pytest.mark.parametrize(
    "change",
    [
        {"rules": ("random", "platt")},
        {"mode": "time"},
        {"points": moons(25)},
        {"settings": SIGMOID},
        {"cache_size": 1.0},
    ],
)
def test_another_race_begins_at_zero(change: dict[str, Any]) -> None:
    driver, points = Driver(), moons()
    driver.run(request(points, SvmSettings()))
    assert driver.last().begun
    driver.run(request(**{"points": points, "settings": SvmSettings(), "playing": False, **change}))
    assert not driver.last().begun and driver.last().racers


def test_a_new_race_of_the_same_course_begins_at_zero() -> None:
    driver, points = Driver(), moons()
    driver.run(request(points, SvmSettings()))
    assert driver.last().begun
    driver.race = RaceRun(driver.race.course)
    driver.run(request(points, SvmSettings(), playing=False))
    assert not driver.last().begun


@pytest.fixture
def scheduler() -> Iterator[Scheduler]:
    made = Scheduler(1, lambda: None)
    yield made
    assert made.close()


def wait_until(condition: Callable[[], bool]) -> None:
    """Wait by polling: no event reports the condition."""
    for _ in range(int(PATIENCE / 0.002)):
        if condition():
            return
        threading.Event().wait(0.002)
    raise AssertionError("it never came")


def newest(scheduler: Scheduler) -> Answer | None:
    scheduler.collect()
    return scheduler.results.answer("race")


def ask(scheduler: Scheduler, query: RaceQuery) -> None:
    scheduler.request_answers({"race": query}, "race")


def answered(scheduler: Scheduler, query: RaceQuery) -> Callable[[], bool]:
    """Return whether `query` has its last answer."""

    def known() -> bool:
        answer = newest(scheduler)
        return answer is not None and answer.query is query and answer.done

    return known


def test_a_race_continues_with_the_newest_query_and_ends_without_one(scheduler: Scheduler) -> None:
    driver, points = Driver(), moons()
    asked = [request(points, SvmSettings(), playing=False, pace=pace) for pace in range(1, 9)]
    queries = [driver.query(each) for each in asked]
    for query in queries:
        ask(scheduler, query)
    wait_until(answered(scheduler, queries[-1]))
    last = driver.query(request(points, SvmSettings()))
    ask(scheduler, last)
    wait_until(answered(scheduler, last))
    answer = newest(scheduler)
    assert answer is not None and answer.value.over and answer.value.begun
    long = driver.query(request(moons(200), SvmSettings(C=1e4), rules=("cyclic", "random")))
    ask(scheduler, long)
    wait_until(lambda: (answer := newest(scheduler)) is not None and answer.query is long)
    scheduler.request_answers({}, "race")
    wait_until(lambda: scheduler.collect() or scheduler.idle)
    assert long.race.racers and not long.race.over, "it was given up on the way"
    assert newest(scheduler) is None


def test_a_lane_that_trains_for_ever_does_not_hold_a_race_up(scheduler: Scheduler) -> None:
    enough = threading.Event()

    def training() -> Job:
        while not enough.is_set():
            yield Priority.TRAINING

    scheduler.queue(lambda *_: training(), Priority.TRAINING).submit("for ever")
    driver = Driver()
    for playing in (False, True):
        query = driver.query(request(moons(), SvmSettings(), playing=playing))
        ask(scheduler, query)
        wait_until(answered(scheduler, query))
    assert driver.race.over
    enough.set()
    wait_until(lambda: scheduler.collect() or scheduler.idle)


def test_a_first_picture_comes_in_between(scheduler: Scheduler) -> None:
    driver = Driver()
    ask(scheduler, driver.query(request(moons(200), SvmSettings(C=1e5), rules=("cyclic", "random"))))  # many seconds
    for number in range(5):
        done = threading.Event()

        def picture(done: threading.Event = done) -> Job:
            done.set()
            return
            yield

        scheduler.queue(lambda *_, job=picture: job(), Priority.FIRST_PICTURE).submit(number)
        assert done.wait(PATIENCE) and not scheduler.idle
    scheduler.request_answers({}, "race")
    wait_until(lambda: scheduler.collect() or scheduler.idle)
