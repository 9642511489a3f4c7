"""The background: order and fairness of the pool, lanes and mailbox, and the frames that LaneJob posts."""

from __future__ import annotations

import itertools
import math
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from app.core.points import Points
from app.engine import compile_ahead as preparation_module
from app.engine import lane_job as work_module
from app.engine import pacing, surface_values
from app.engine import pool as pool_module
from app.engine import training_run as training_module
from app.engine.frames import Frame, LaneRequest, LaneSpec, Phase
from app.engine.lane_job import PLAIN_LIMIT, LaneJob
from app.engine.mailbox import Mailbox
from app.engine.pool import Delay, Job, LatestQueue, Pool, Priority
from app.engine.results import Results
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from app.engine.surface_values import Values, pair_source, unless_too_dense
from app.learners.knn import METRICS, WEIGHTS, neighbors_of
from app.scene import text as words
from app.state.document import GeneratorSettings, KnnSettings, Lane, PegasosSettings, PerceptronSettings, SvmSettings
from app.state.session import Seek
from solver import KERNELS, SVC, Grid, KNeighborsClassifier, Status
from solver.core import fast_loops
from solver.kernels.pixels import LEVELS
from tests.stepped import stepped
from tests.without_compiler import machine_code

PATIENCE = 300.0  #: seconds after which an expected event counts as missing
SMALL = Grid(-2.0, 2.0, -1.5, 1.5, 40, 30)
WIDE = Grid(-2.0, 2.0, -1.5, 1.5, 400, 300)
LIGHT = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))
DARK = replace(LIGHT, background=(0, 0, 0))


OWN = (3.0, 0.25, 1.0, 10.0, 1.0, 1.0, 1.0, 1.0)


def two_moons(count: int = 40, noise: float = 0.3) -> Points:
    return GeneratorSettings(count=count, noise=noise).points()


def four_blobs(count: int = 25) -> Points:
    return GeneratorSettings(name="blobs", count=count, noise=0.5, n_classes=4).points()


def svm(**settings: Any) -> Lane:
    return Lane("svm", svm=SvmSettings(**{"tol": 1e-7, "gamma": 2.0, **settings}))


def replace_pair(lane: Lane, pair: tuple[int, int]) -> Lane:
    return Lane("svm", svm=lane.svm, pair=pair)


def knn(**settings: Any) -> Lane:
    return Lane("knn", knn=KnnSettings(**settings))


def spec(points: Points, lane: Lane, **changes: Any) -> LaneSpec:
    plain = LaneSpec(points, lane, SMALL, LIGHT, False, math.inf, 0, True)
    return replace(plain, **changes)


class Background:
    """A LaneJob driven in the test's own thread; collects its frames."""

    def __init__(self) -> None:
        self.frames: list[Frame] = []
        self.work = LaneJob(self.frames.append)
        self.numbers = itertools.count(1)

    @property
    def training(self) -> Any:
        """The training that the job keeps to continue."""
        return self.work._training

    def start(self, wanted: LaneSpec, overtaken: Callable[[], bool] = lambda: False) -> Job:
        self.frames.clear()
        return self.work(LaneRequest(next(self.numbers), 0, wanted), overtaken)

    def finish(self, wanted: LaneSpec, enough: float = math.inf) -> Frame:
        """Return the last frame of `wanted`, which is overtaken after `enough` seconds of work."""
        begun = time.thread_time()  # time of other processes on the same cores does not count
        with machine_code(wanted.compiled):
            for _ in self.start(wanted, lambda: time.thread_time() > begun + enough):
                assert time.thread_time() < begun + PATIENCE, "endless"
        return self.frames[-1]


class Clock:
    """A clock that stands still unless the test advances it."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    for module in (work_module, training_module):
        monkeypatch.setattr(module, "time", SimpleNamespace(perf_counter=made, thread_time=made))
    return made


def drive(job: Job, clock: Clock, seconds: float) -> None:
    """Run `job` for `seconds` of the clock."""
    end = clock.now + seconds
    for step in job:
        if isinstance(step, Delay):
            clock.now += step.seconds
        if clock.now > end:
            return


def steps_of(frame: Frame) -> int:
    return sum(c.n_iter for c in frame.certificates)


def dual_of(frame: Frame) -> float:
    return sum(c.dual for c in frame.certificates)


def direct(points: Points, lane: Lane) -> SVC:
    s = lane.svm
    C = math.inf if s.hard_margin else s.C
    weights = {"equal": None, "balanced": "balanced", "own": dict(enumerate(s.own_weights))}[s.class_weight]
    model = SVC(
        C,
        s.kernel,
        s.degree,
        s.gamma,
        s.coef0,
        s.tol,
        -1,
        s.selection,
        0,
        weights,
        multiclass=s.multiclass,
        solver="smo",
    )
    return stepped(model, points.xy, points.labels)


# -- the pool ------------------------------------------------------------------------------------------------------


@pytest.fixture
def pool() -> Iterator[Pool]:
    before = set(threading.enumerate())
    made = Pool(1)
    yield made
    assert made.close(PATIENCE)
    assert set(threading.enumerate()) <= before


class Hold:
    """Keep the only thread of a pool busy until `release`."""

    def __init__(
        self, pool: Pool, request_after: Priority | Delay | None = None, then: Callable[[], Any] = int
    ) -> None:
        self._begun, self._go = threading.Event(), threading.Event()
        self.job = self._job(request_after, then)
        pool.submit(self.job, Priority.FIRST_PICTURE)
        assert self._begun.wait(PATIENCE)

    def _job(self, request_after: Priority | Delay | None, then: Callable[[], Any]) -> Job:
        self._begun.set()
        self._go.wait(PATIENCE)
        if request_after is not None:
            yield request_after
            then()

    def release(self) -> None:
        self._go.set()


def noting(log: list[str], name: str, *specs: Priority | Delay) -> Job:
    log.append(name)
    for each in specs:
        yield each
        log.append(name)


def last(pool: Pool) -> threading.Event:
    """Return an event that is set when everything queued before is done: a job after all others."""
    done = threading.Event()

    def job() -> Job:
        done.set()
        return
        yield

    pool.submit(job(), Priority.BACKGROUND)
    return done


def test_a_piece_of_low_priority_comes_to_its_turn_behind_one_that_never_ends(
    pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_module, "LONG", 0.0)
    log: list[str] = []
    done = threading.Event()

    def endless() -> Job:
        while not done.is_set():
            log.append("training")
            yield Priority.TRAINING

    def patient() -> Job:
        for _ in range(3):
            log.append("picture")
            yield Priority.FULL_PICTURE
        done.set()

    hold = Hold(pool)
    pool.submit(endless(), Priority.TRAINING)
    pool.submit(patient(), Priority.FULL_PICTURE)
    hold.release()
    assert done.wait(PATIENCE)
    assert log.count("picture") == 3
    assert 3 * (pool_module.SHARE - 2) <= log.count("training") <= 5 * pool_module.SHARE, "a share, and no more"


def test_priorities_then_first_come_first_served(pool: Pool) -> None:
    log: list[str] = []
    hold = Hold(pool)
    for priority in (*reversed(Priority), *Priority):
        pool.submit(noting(log, priority.name), priority)
    pool.submit(noting(log, "steps", Priority.TRAINING, Priority.BACKGROUND), Priority.FIRST_PICTURE)
    done = last(pool)
    assert not pool.idle
    hold.release()
    assert done.wait(PATIENCE)
    two = [priority.name for priority in Priority for _ in range(2)]
    assert [name for name in log if name != "steps"] == two
    # Its pieces: after both first pictures, after both trainings, at the end.
    assert [i for i, name in enumerate(log) if name == "steps"][:2] == [2, 5]


def test_jobs_of_one_priority_take_turns(pool: Pool) -> None:
    log: list[str] = []
    hold = Hold(pool)
    for name in "abc":
        pool.submit(noting(log, name, *[Priority.TRAINING] * 3), Priority.TRAINING)
    done = last(pool)
    hold.release()
    assert done.wait(PATIENCE)
    assert "".join(log) == "abc" * 4


@pytest.fixture
def seconds(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pool's time, which the test sets; a wait lasts as long as the pool means to wait."""
    made = [100.0]
    monkeypatch.setattr(pool_module, "time", SimpleNamespace(monotonic=lambda: made[0]))
    return made


def ending(log: list[str], name: str, end: threading.Event, *specs: Priority | Delay) -> Job:
    """Return a job as `noting` does; `end` is set when all is done."""
    yield from noting(log, name, *specs)
    end.set()


def test_later_waits_and_lets_others_work(seconds: list[float], pool: Pool) -> None:
    log: list[str] = []
    others, done = threading.Event(), threading.Event()
    hold = Hold(pool)
    pool.submit(ending(log, "patient", done, Delay(0.05, Priority.FIRST_PICTURE)), Priority.FIRST_PICTURE)
    pool.submit(ending(log, "other", others, Priority.BACKGROUND), Priority.BACKGROUND)
    hold.release()
    assert others.wait(PATIENCE) and log == ["patient", "other", "other"]
    seconds[0] += 0.049
    assert not done.wait(0.1), "not yet"
    seconds[0] += 0.002
    assert done.wait(PATIENCE) and log == ["patient", "other", "other", "patient"]


def test_the_background_pauses_after_an_edit_and_everything_else_continues(seconds: list[float], pool: Pool) -> None:
    log: list[str] = []
    trained, done = threading.Event(), threading.Event()
    hold = Hold(pool)
    pool.submit(ending(log, "background", done, Priority.BACKGROUND), Priority.BACKGROUND)
    pool.pause(0.05)
    training = ending(log, "training", trained, *[Priority.TRAINING] * 20, Priority.FULL_PICTURE)
    pool.submit(training, Priority.TRAINING)
    hold.release()
    assert trained.wait(PATIENCE) and log == ["training"] * 22
    seconds[0] += 0.049
    assert not done.wait(0.1), "not yet"
    seconds[0] += 0.002
    assert done.wait(PATIENCE) and log == ["training"] * 22 + ["background"] * 2
    assert last(pool).wait(PATIENCE), "and then it takes its turns as ever"


def test_hurry_ends_every_wait(pool: Pool) -> None:
    log: list[str] = []
    waiting = noting(log, "a", Delay(3600.0, Priority.BACKGROUND))
    pool.submit(waiting, Priority.FIRST_PICTURE)
    assert last(pool).wait(PATIENCE)
    assert log == ["a"] and not pool.idle
    hold = Hold(pool)
    behind = noting(log, "b")
    pool.submit(noting(log, "c"), Priority.TRAINING)
    pool.submit(behind, Priority.BACKGROUND)
    pool.hurry(behind)
    pool.hurry(waiting)
    pool.hurry(noting(log, "never submitted"))
    done = last(pool)
    hold.release()
    assert done.wait(PATIENCE)
    assert "".join(log) == "abac"


def test_hurry_reaches_a_piece_in_hand(pool: Pool) -> None:
    """A request that arrives while its lane decides to wait for its next slow step is not delayed."""
    done = threading.Event()
    hold = Hold(pool, Delay(3600.0, Priority.TRAINING), done.set)
    pool.hurry(hold.job)
    hold.release()
    assert done.wait(PATIENCE)


def test_hurry_never_loses_a_position(pool: Pool) -> None:
    log: list[str] = []
    hold = Hold(pool)
    first, second = noting(log, "first"), noting(log, "second")
    pool.submit(first, Priority.FIRST_PICTURE)
    pool.submit(second, Priority.FIRST_PICTURE)
    for _ in range(3):
        pool.hurry(first)
    done = last(pool)
    hold.release()
    assert done.wait(PATIENCE)
    assert log == ["first", "second"]


def test_a_job_that_raises_leaves_the_thread(pool: Pool, caplog: pytest.LogCaptureFixture) -> None:
    def bad() -> Job:
        raise RuntimeError("broken on purpose")
        yield

    pool.submit(bad(), Priority.FIRST_PICTURE)
    assert last(pool).wait(PATIENCE)
    assert "broken on purpose" in caplog.text


def test_close_drops_what_waits_and_ends_in_time() -> None:
    before = set(threading.enumerate())
    log: list[str] = []
    pool = Pool(2)
    holds = [Hold(pool, Priority.TRAINING, lambda: log.append("next piece")) for _ in range(2)]
    pool.submit(noting(log, "queued"), Priority.FIRST_PICTURE)
    assert not pool.close(0.02), "pieces in hand cannot be stopped"
    for hold in holds:
        hold.release()
    assert pool.close(PATIENCE)
    pool.submit(noting(log, "after"), Priority.FIRST_PICTURE)
    assert log == [] and pool.idle
    assert set(threading.enumerate()) == before


def test_close_does_not_wait_for_later() -> None:
    pool = Pool(2)
    log: list[str] = []
    pool.submit(noting(log, "a", Delay(3600.0, Priority.TRAINING)), Priority.FIRST_PICTURE)
    assert last(pool).wait(PATIENCE)
    assert pool.close(PATIENCE), "far less than an hour"


# -- one lane's queue ----------------------------------------------------------------------------------------------

ANY = spec(two_moons(2), knn())


def request(number: int, index: int = 0) -> LaneRequest:
    return LaneRequest(number, index, ANY)


def test_only_the_newest_request_runs(pool: Pool) -> None:
    found: list[int] = []

    def work(asked: LaneRequest, overtaken: Callable[[], bool]) -> Job:
        found.append(asked.number)
        return
        yield

    queue = LatestQueue(pool, work)
    hold = Hold(pool)
    for number in range(1, 6):
        queue.submit(request(number))
    done = last(pool)
    hold.release()
    assert done.wait(PATIENCE)
    assert found == [5]
    queue.submit(request(6))
    assert last(pool).wait(PATIENCE)
    assert found == [5, 6]


class Held:
    """Work whose first request waits for `go`, and which notes of each whether it was overtaken; ends with number 3."""

    def __init__(self) -> None:
        self.found: list[tuple[int, bool]] = []
        self.begun, self.go, self.done = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, asked: LaneRequest, overtaken: Callable[[], bool]) -> Job:
        assert not overtaken()
        if asked.number == 1:
            self.begun.set()
            self.go.wait(PATIENCE)
        yield Priority.FIRST_PICTURE
        self.found.append((asked.number, overtaken()))
        if asked.number == 3:
            self.done.set()


def test_a_running_request_is_notified_of_a_newer_one(pool: Pool) -> None:
    held = Held()
    queue = LatestQueue(pool, held)
    queue.submit(request(1))
    assert held.begun.wait(PATIENCE)
    queue.submit(request(2))
    queue.submit(request(3))
    held.go.set()
    assert held.done.wait(PATIENCE)
    assert held.found == [(1, True), (3, False)]


def test_a_cancelled_request_ends_or_never_begins(pool: Pool) -> None:
    held = Held()
    queue = LatestQueue(pool, held)
    queue.cancel()
    assert pool.idle
    queue.submit(request(1))
    assert held.begun.wait(PATIENCE)
    queue.submit(request(2))
    queue.cancel()
    held.go.set()
    assert last(pool).wait(PATIENCE)
    queue.submit(request(3))
    assert held.done.wait(PATIENCE)
    assert held.found == [(1, True), (3, False)]


def test_two_lanes_share_the_thread_under_a_flood(pool: Pool) -> None:
    """Both get a new request at every piece of work, as in a drag: neither keeps the other from its pictures."""
    pictures = [0, 0]
    numbers = itertools.count(1)
    done = threading.Event()
    queues: list[LatestQueue] = []

    def work(asked: LaneRequest, overtaken: Callable[[], bool]) -> Job:
        for _ in range(3):  # a picture takes three pieces
            for index in (1, 0, 1):
                queues[index].submit(request(next(numbers), index))
            yield Priority.FIRST_PICTURE
        pictures[asked.index] += 1
        if sum(pictures) == 200:
            done.set()
        if done.is_set():
            yield Delay(3600.0, Priority.BACKGROUND)

    queues += [LatestQueue(pool, work), LatestQueue(pool, work)]
    hold = Hold(pool)
    for index in (0, 1):
        queues[index].submit(request(next(numbers), index))
    hold.release()
    assert done.wait(PATIENCE)
    assert min(pictures) >= 95


def test_a_flood_of_requests_paints_by_each_promise(pool: Pool) -> None:
    """A lane with long work is overtaken all the time, and each request that began still delivers one picture."""
    frames: list[Frame] = []
    numbers = itertools.count(1)
    points = two_moons()
    enough = threading.Event()
    queue: LatestQueue

    def post(frame: Frame) -> None:
        frames.append(frame)
        if len(frames) < 20:
            queue.submit(LaneRequest(next(numbers), 0, spec(points, svm(C=1.0 + len(frames)), grid=WIDE)))
        elif frame.full and frame.phase is Phase.DONE:
            enough.set()

    queue = LatestQueue(pool, LaneJob(post))
    queue.submit(LaneRequest(next(numbers), 0, spec(points, svm(), grid=WIDE)))
    assert enough.wait(PATIENCE)
    assert [f.job for f in frames[:20]] == list(range(1, 21))
    assert all(f.picture is not None for f in frames)


@pytest.mark.parametrize("lane", [knn(), svm()], ids=["knn", "svm"])
def test_the_first_picture_is_a_promise(lane: Lane) -> None:
    background = Background()
    asked: list[int] = []

    def overtaken() -> bool:
        asked.append(len(background.frames))
        return True

    list(background.start(spec(two_moons(), lane, grid=WIDE), overtaken))
    assert [(f.full, f.picture is not None) for f in background.frames] == [(False, True)]
    assert asked and min(asked) == 1, "the job looked before it had delivered"


@pytest.mark.parametrize("lane", [knn(), svm()], ids=["knn", "svm"])
def test_the_full_picture_comes_last(lane: Lane) -> None:
    background = Background()
    frame = background.finish(spec(two_moons(), lane, grid=WIDE))
    assert frame.full and frame.phase is Phase.DONE and frame.picture is not None
    assert frame.picture.argb.shape == (300, 400) and frame.picture.grid == WIDE
    assert not background.frames[0].full
    assert (frame.picture.argb >> 24 == 0xFF).all()


def test_a_slow_step_does_not_hold_up_a_newer_request(pool: Pool) -> None:
    """One step in three hours: a change meanwhile does not wait for the next one."""
    frames: list[Frame] = []
    done = threading.Event()

    def post(frame: Frame) -> None:
        frames.append(frame)
        if frame.phase is Phase.DONE:
            done.set()

    queue = LatestQueue(pool, LaneJob(post))
    points = two_moons()
    slow = spec(points, svm(), steps_per_second=1e-4)
    queue.submit(LaneRequest(1, 0, slow))
    assert last(pool).wait(PATIENCE)
    assert not pool.idle and [f.job for f in frames] == [1] and steps_of(frames[0]) == 1
    for number, change in ((2, {"shades": DARK}), (3, {"paused": True})):
        queue.submit(LaneRequest(number, 0, replace(slow, **change)))
        assert last(pool).wait(PATIENCE)
        assert frames[-1].job == number and steps_of(frames[-1]) == 1
    queue.submit(LaneRequest(4, 0, replace(slow, steps_per_second=math.inf)))
    assert done.wait(PATIENCE)
    assert frames[-1].job == 4


def test_a_slow_step_does_not_hold_up_the_end_of_a_lane(pool: Pool) -> None:
    queue = LatestQueue(pool, lambda asked, overtaken: iter([Delay(1e4, Priority.TRAINING)]))
    queue.submit(request(1))
    assert last(pool).wait(PATIENCE)
    assert not pool.idle
    queue.cancel()
    assert last(pool).wait(PATIENCE)
    assert not pool._later, "nothing waits for the step any more"


def test_close_ends_in_time_in_the_middle_of_trainings() -> None:
    """Endless trainings on every thread: each piece is short, so none of them keeps the window from closing."""
    before = set(threading.enumerate())
    pool = Pool(2)
    begun = [threading.Event(), threading.Event(), threading.Event()]
    points = GeneratorSettings(count=400, noise=2.0).points()
    endless = svm(C=1e8, gamma=0.5, tol=1e-9)
    for index, event in enumerate(begun):
        queue = LatestQueue(pool, LaneJob(lambda frame, event=event: event.set()))
        queue.submit(LaneRequest(1, index, spec(points, endless, grid=WIDE)))
    assert all(event.wait(PATIENCE) for event in begun)
    assert not pool.idle
    assert pool.close(PATIENCE) and set(threading.enumerate()) == before


def flood(requests: int) -> None:
    """Send random requests to two lanes from a thread of its own, as a user does; job numbers never decrease."""
    rng = np.random.default_rng(0)
    woken = threading.Event()
    scheduler = Scheduler(2, woken.set)
    shown: list[list[int]] = [[], []]

    def collect() -> None:
        scheduler.collect()
        for index, found in enumerate(shown):
            frame = scheduler.results.frame(index)
            if frame is not None:
                assert frame.phase is not Phase.FAILED, frame.message
                found.append(frame.job)

    points = [two_moons(10), four_blobs(5), Points(), Points.of([(0.0, 0.0)], [1])]
    lanes = [knn(), svm(tol=1e-3), svm(tol=1e-3, kernel="linear")]
    for _ in range(requests):
        scheduler.request_picture(
            int(rng.integers(2)),
            spec(
                points[rng.integers(4)],
                lanes[rng.integers(3)],
                grid=(SMALL, WIDE)[rng.integers(2)],
                shades=(LIGHT, DARK)[rng.integers(2)],
                paused=bool(rng.random() < 0.2),
                steps_per_second=(0.5, 30.0, math.inf)[rng.integers(3)],
                restart=int(rng.integers(2)),
                compiled=bool(rng.random() < 0.8),
            ),
        )
        if woken.wait(float(rng.choice([0.0, 0.002, 0.03]))):
            woken.clear()
            collect()
    for index in (0, 1):
        scheduler.request_picture(index, spec(points[0], lanes[index]))
    deadline = time.monotonic() + PATIENCE
    while not scheduler.idle and time.monotonic() < deadline:
        woken.wait(0.01)
        collect()
    collect()
    for index, found in enumerate(shown):
        assert found == sorted(found) and found[-1] == scheduler.newest(index)
    assert scheduler.close()


def test_a_flood_of_requests_ends_with_the_newest() -> None:
    flood(50)


@pytest.mark.soak
def test_a_long_flood_of_requests_ends_with_the_newest() -> None:
    flood(10_000)


# -- pictures ------------------------------------------------------------------------------------------------------

#: Colours that differ in which of red, green and blue they contain; white is a tie.
PLAIN_COLOURS = Shades((0, 0, 0), ((200, 0, 0), (0, 200, 0), (0, 0, 200), (200, 200, 0)) * 2, (255, 255, 255))


def classes_shown(frame: Frame) -> np.ndarray:
    """Return the class of each pixel of the frame's picture, lowest row first; -1 for a tie."""
    assert frame.picture is not None
    argb = frame.picture.argb[::-1]
    present = [(argb >> shift & 0xFF > 0).astype(int) for shift in (16, 8, 0)]
    of_pattern = {0b100: 0, 0b010: 1, 0b001: 2, 0b110: 3, 0b111: -1}
    return np.vectorize(of_pattern.__getitem__)(present[0] * 4 + present[1] * 2 + present[2])


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("points", [two_moons(20), four_blobs(8)], ids=["two", "four"])
@pytest.mark.parametrize(
    "lane",
    [knn(n_neighbors=4), knn(weights="distance"), svm(), svm(multiclass="one-vs-rest")],
    ids=["ties", "knn", "svm", "rest"],
)
def test_each_pixel_has_the_colour_of_the_prediction(lane: Lane, points: Points, compiled: bool) -> None:
    grid = Grid(-1.5, 2.5, -1.0, 1.5, 64, 40)
    frame = Background().finish(spec(points, lane, grid=grid, shades=PLAIN_COLOURS, compiled=compiled))
    found = classes_shown(frame)
    locations = np.stack(np.meshgrid(grid.xs, grid.ys), axis=-1).reshape(-1, 2)
    assert frame.model is not None
    expected = frame.model.predict(locations).astype(int)
    if isinstance(frame.model, KNeighborsClassifier):
        shares = np.sort(frame.model.predict_proba(locations), axis=1)
        expected[shares[:, -1] - shares[:, -2] < 1e-12] = -1
        assert (expected == -1).any() == (lane.knn.n_neighbors == 4), "an even k ties somewhere"
    elif len(points.classes) > 2 and lane.svm.multiclass == "one-vs-one":
        won = np.zeros((len(locations), 4))
        for f, pair in zip(frame.model.pair_decision_function(locations).T, frame.model.pairs_, strict=True):
            won[np.arange(len(won)), np.where(f > 0, pair.positive, pair.negative)] += 1
        expected[np.sort(won, axis=1)[:, -1] == np.sort(won, axis=1)[:, -2]] = -1
        assert (expected == -1).any(), "three may each win a duel of the others"
    assert (found.ravel() == expected).all()
    assert set(points.classes) <= set(found.flat), "a picture of one class proves nothing"


@pytest.mark.parametrize("lane", [knn(n_neighbors=2), svm(kernel="linear"), svm()], ids=["knn", "linear", "rbf"])
def test_contradicting_points_are_a_tie_everywhere(lane: Lane) -> None:
    twins = Points.of([(0.5, 0.5), (0.5, 0.5)], [0, 1])
    assert (classes_shown(Background().finish(spec(twins, lane, shades=PLAIN_COLOURS))) == -1).all()


def test_the_lines_of_an_svm_lie_where_its_function_has_their_value() -> None:
    frame = Background().finish(spec(two_moons(), svm(C=10.0), grid=WIDE))
    assert isinstance(frame.model, SVC) and frame.picture is not None
    for line, value in ((frame.picture.boundary, 0.0), (frame.picture.margins, 1.0)):
        line = line[~np.isnan(line[:, 0])]
        assert len(line) > 20
        assert np.abs(np.abs(frame.model.decision_function(line)) - value).max() < 0.02


def values_of(points: Points, lane: Lane, grid: Grid) -> tuple[Values, np.ndarray]:
    """Return the values that a picture is made of, and f of the model's binary problems at the same locations."""
    model = direct(points, lane)
    return pair_source(model, lane).on(grid.xs)(grid.ys), model.pair_surface_on(grid.xs)(grid.ys)


@pytest.mark.parametrize("chosen", [0, 2])
def test_one_vs_rest_is_as_sure_as_half_its_lead(chosen: int) -> None:
    lane = replace_pair(svm(multiclass="one-vs-rest"), (chosen, chosen))
    values, f = values_of(four_blobs(), lane, SMALL)
    ordered = np.sort(f, axis=2)
    classes, tie, shade = values.pixels
    assert (classes == f.argmax(axis=2)).all() and not tie.any()
    sureness = np.minimum((ordered[..., -1] - ordered[..., -2]) / 4.0, 1.0)
    assert np.abs(shade / (LEVELS - 1) - sureness).max() <= 0.5001 / (LEVELS - 1)
    assert values.f is not None and (values.f == f[..., chosen]).all()
    boundary = shade <= 1
    assert boundary.any() and np.abs(f.max(axis=2)[boundary]).max() > 0.1, "a boundary is not where f is 0"


def test_equal_leaders_are_a_tie() -> None:
    corners = Points.of([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)], [0, 1, 2])
    far = Grid(60.0, 61.0, 60.0, 61.0, 4, 3)
    lane = svm(multiclass="one-vs-rest", kernel="rbf")
    values, f = values_of(corners, lane, far)
    ordered = np.sort(f, axis=2)
    # So far away each f is its intercept; two of the three are equal by symmetry, and lead or trail together.
    assert (values.pixels.tie == (ordered[..., -1] - ordered[..., -2] <= 1e-12)).all()
    twins = Points.of([(0.5, 0.5)] * 3, [0, 1, 2])
    assert values_of(twins, lane, far)[0].pixels.tie.all()


def test_the_margins_of_a_class_against_the_rest() -> None:
    lane = replace_pair(svm(multiclass="one-vs-rest", C=10.0), (1, 1))
    frame = Background().finish(spec(four_blobs(), lane, grid=WIDE))
    assert isinstance(frame.model, SVC) and frame.picture is not None
    line = frame.picture.margins[~np.isnan(frame.picture.margins[:, 0])]
    assert len(line) > 20
    assert np.abs(np.abs(frame.model.pair_decision_function(line)[:, 1]) - 1.0).max() < 0.02


# -- the way back --------------------------------------------------------------------------------------------------


def a_frame(job: int, index: int = 0) -> Frame:
    return Frame(job, index, Points(), Lane(), Phase.EMPTY)


def test_the_mailbox_keeps_the_newest_and_wakes_once() -> None:
    woken: list[int] = []
    box = Mailbox(lambda: woken.append(1))
    assert box.empty and box.take() == []
    for job in range(100):
        box.post(a_frame(job, job % 2))
    assert len(woken) == 1 and not box.empty
    assert sorted(f.job for f in box.take()) == [98, 99]
    assert box.empty and box.take() == []
    box.post(a_frame(100))
    assert len(woken) == 2


def test_the_mailbox_may_be_emptied_from_the_wake() -> None:
    taken: list[Frame] = []
    box = Mailbox(lambda: taken.extend(box.take()))
    box.post(a_frame(1))
    box.post(a_frame(2))
    assert [f.job for f in taken] == [1, 2]


def test_results_never_go_back() -> None:
    results = Results()
    assert results.frame(0) is None
    newest = a_frame(5)
    assert results.accept(a_frame(3)) and results.accept(newest)
    assert not results.accept(a_frame(4)) and results.frame(0) is newest
    assert results.accept(a_frame(1, index=1))
    again = a_frame(5)
    assert results.accept(again) and results.frame(0) is again


def test_the_conductor_asks_only_for_what_differs() -> None:
    before = set(threading.enumerate())
    came = threading.Event()
    scheduler = Scheduler(2, came.set)
    wanted = spec(two_moons(), knn())
    scheduler.request_picture(0, wanted)
    scheduler.request_picture(0, wanted)
    assert (scheduler.newest(0), scheduler.newest(1)) == (1, 0)
    scheduler.request_picture(1, spec(wanted.points, svm()))
    scheduler.request_picture(0, replace(wanted, shades=DARK))
    assert (scheduler.newest(0), scheduler.newest(1)) == (3, 2)
    deadline = time.monotonic() + PATIENCE
    while not scheduler.idle and time.monotonic() < deadline:
        came.wait(0.05)
        came.clear()
        scheduler.collect()
    shown = [scheduler.results.frame(i) for i in (0, 1)]
    assert [f.job for f in shown if f] == [3, 2]
    assert not scheduler.collect()
    assert scheduler.close()
    assert set(threading.enumerate()) == before


@dataclass(frozen=True)
class Slow:
    """A query that is answered when the test allows it."""

    what: str
    begun: threading.Event = field(default_factory=threading.Event, compare=False)
    may: threading.Event = field(default_factory=threading.Event, compare=False)

    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Iterator[Priority]:
        self.begun.set()
        assert self.may.wait(PATIENCE)
        post(self.what)
        yield Priority.BACKGROUND


def test_an_answer_to_an_older_question_of_a_name_is_news_still() -> None:
    came, first, second = threading.Event(), Slow("first"), Slow("second")
    scheduler = Scheduler(1, came.set)
    scheduler.request_answers({"x": first})
    assert first.begun.wait(PATIENCE)
    scheduler.request_answers({"x": second})
    first.may.set()
    assert came.wait(PATIENCE) and scheduler.collect()
    answer = scheduler.results.answer("x")
    assert answer is not None and answer.value == "first"
    second.may.set()
    assert scheduler.close()


def test_a_lane_that_is_forgotten_shows_nothing_of_what_was_still_on_its_way() -> None:
    came = threading.Event()
    scheduler = Scheduler(1, came.set)
    scheduler.request_picture(0, spec(two_moons(), knn()))
    assert came.wait(PATIENCE)
    scheduler.forget(0)
    assert not scheduler.collect() and scheduler.results.frame(0) is None
    assert scheduler.close()


# -- what goes wrong -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lane", [knn(), svm()], ids=["knn", "svm"])
@pytest.mark.parametrize(
    ("error", "reported"),
    [
        (ValueError("X is odd."), "X is odd."),
        (MemoryError("Unable to allocate 64 MiB"), "Stopped: there is not enough memory. The next change tries again."),
        (ZeroDivisionError("x"), "Stopped by an internal error (ZeroDivisionError: x). The next change tries again."),
    ],
)
def test_an_exception_becomes_a_sentence(
    lane: Lane, error: Exception, reported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: Any) -> None:
        raise error

    background = Background()
    with monkeypatch.context() as patched:
        patched.setattr(surface_values, "colour", broken)
        frame = background.finish(spec(two_moons(), lane))
    assert frame.phase is Phase.FAILED and frame.message == reported
    assert words.headline(frame, lane) == "No picture"
    assert background.finish(spec(two_moons(), lane)).phase is Phase.DONE


def test_a_failed_lane_goes_on_in_the_pool(pool: Pool) -> None:
    frames: list[Frame] = []
    done = threading.Event()

    def post(frame: Frame) -> None:
        frames.append(frame)
        if frame.phase is Phase.DONE:
            done.set()

    queue = LatestQueue(pool, LaneJob(post))
    far = Points.of([(1e12, 1e12), (-1e12, 3.0)], [0, 1])
    queue.submit(LaneRequest(1, 0, spec(far, svm(kernel="poly", degree=9))))
    assert last(pool).wait(PATIENCE)
    assert [f.phase for f in frames] == [Phase.FAILED]
    queue.submit(LaneRequest(2, 0, spec(two_moons(), svm())))
    assert done.wait(PATIENCE)


# -- training ------------------------------------------------------------------------------------------------------


def assert_like(frame: Frame, reference: SVC) -> None:
    """Check that the frame's model is the optimum that `reference` found."""
    expected = sum(c.dual for c in reference.certificates_)
    assert dual_of(frame) == pytest.approx(expected, rel=1e-4, abs=1e-9)
    assert isinstance(frame.model, SVC)
    assert all(c.status in (Status.OPTIMAL, Status.PRECISION) for c in frame.certificates)
    probe = np.random.default_rng(0).uniform(-2, 2, (500, 2))
    sure = (np.abs(reference.pair_decision_function(probe)) > 1e-3).all(axis=1)
    assert sure.sum() > 300
    assert (frame.model.predict(probe)[sure] == reference.predict(probe)[sure]).all()


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("points", [two_moons(), four_blobs()], ids=["two", "four"])
@pytest.mark.parametrize(
    "lane",
    [
        svm(),
        svm(kernel="poly", C=0.3),
        svm(kernel="linear"),
        svm(multiclass="one-vs-rest"),
        svm(class_weight="balanced", C=0.3),
        svm(class_weight="own", own_weights=OWN),
        svm(class_weight="own", own_weights=OWN, multiclass="one-vs-rest"),
    ],
    ids=["rbf", "poly", "linear", "rest", "balanced", "own", "own rest"],
)
def test_svm_to_the_end_is_a_fit(points: Points, lane: Lane, compiled: bool) -> None:
    frame = Background().finish(spec(points, lane, compiled=compiled))
    reference = direct(points, lane)
    assert frame.phase is Phase.DONE and frame.full
    assert_like(frame, reference)
    wrong = np.flatnonzero(reference.predict(points.xy) != points.labels)
    unsure = np.flatnonzero((np.abs(reference.pair_decision_function(points.xy)) <= 1e-3).any(axis=1))
    tied = frame.marks.tied  # three classes, each of which wins one duel, or two
    assert (set(frame.marks.wrong) ^ set(wrong)) - set(tied) <= set(unsure)
    least = 1.0 - (len(frame.marks.wrong) + len(tied)) / len(points)
    assert (
        least + len(tied) / (4 * len(points)) <= frame.accuracy <= least + (len(tied) / 2 + 1e-9) / len(points) + 1e-12
    )
    marked = np.sort(np.concatenate((frame.marks.free, frame.marks.bounded)))
    assert frame.model is not None and (marked == np.sort(frame.model.support_)).all()


@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("points", [two_moons(), four_blobs()], ids=["two", "four"])
@pytest.mark.parametrize("lane", [knn(), knn(n_neighbors=3, weights="distance", metric="minkowski")])
def test_knn_is_a_fit(points: Points, lane: Lane, compiled: bool) -> None:
    frame = Background().finish(spec(points, lane, compiled=compiled))
    s = lane.knn
    reference = neighbors_of(s, len(points)).fit(points.xy, points.labels)
    probe = np.random.default_rng(0).uniform(-2, 2, (500, 2))
    assert frame.model is not None and (frame.model.predict(probe) == reference.predict(probe)).all()
    wrong = np.flatnonzero(reference.predict(points.xy) != points.labels)
    assert (frame.marks.wrong == wrong).all() and frame.accuracy == 1.0 - len(wrong) / len(points)


@pytest.mark.parametrize("compiled", [True, False])
def test_knn_of_many_points_draws_first_and_counts_wrong_points_in_pieces(compiled: bool) -> None:
    points = GeneratorSettings("moons", 1200, 0.4, 0).points()
    background = Background()
    wanted = spec(points, knn(n_neighbors=3), grid=WIDE, compiled=compiled)
    pieces = list(background.start(wanted))
    assert Priority.BACKGROUND in pieces
    first, last = background.frames[0], background.frames[-1]
    assert math.isnan(first.accuracy) and first.picture is not None and not len(first.marks.wrong)
    assert isinstance(last.model, KNeighborsClassifier) and last.full and last.picture is not None
    wrong = np.flatnonzero(last.model.predict(points.xy) != points.labels)
    assert len(wrong) and (last.marks.wrong == wrong).all()
    assert last.accuracy == pytest.approx(1.0 - len(wrong) / len(points))
    assert "counting wrong points" in words.details(first) and "training accuracy" in words.details(last)
    counting = threading.Event()
    stopped = Background()
    for step in stopped.start(wanted, counting.is_set):
        if step is Priority.BACKGROUND:
            counting.set()
    assert stopped.frames[-1].full and math.isnan(stopped.frames[-1].accuracy)
    overtaken = Background()
    list(overtaken.start(wanted, lambda: overtaken.frames != []))
    assert len(overtaken.frames) == 1 and math.isnan(overtaken.frames[0].accuracy)


def test_another_view_or_theme_continues_the_training(clock: Clock) -> None:
    background = Background()
    points = two_moons()
    slow = spec(points, svm(), steps_per_second=10.0)
    drive(background.start(slow), clock, 1.0)
    made = steps_of(background.frames[-1])
    assert made >= 9
    changes: tuple[dict[str, Any], ...] = (
        {"shades": DARK},
        {"grid": WIDE},
        {"paused": True},
        {"steps_per_second": 5.0},
        {"lane": Lane("svm", svm=slow.lane.svm, pair=(1, 2))},
    )
    for change in changes:
        job = background.start(replace(slow, **change))
        while not background.frames:
            next(job, None)
        again = steps_of(background.frames[0])
        assert made <= again <= made + 1
        made = again
    done = background.finish(replace(slow, steps_per_second=math.inf))
    straight = Background().finish(replace(slow, steps_per_second=math.inf))
    assert steps_of(done) == steps_of(straight), "the same steps, however they were cut"
    repainted = background.finish(replace(slow, shades=DARK, steps_per_second=math.inf))
    assert steps_of(repainted) == steps_of(done)


@pytest.mark.parametrize("hard", [False, True])
def test_warm_start_reaches_the_same_optimum(hard: bool) -> None:
    points = GeneratorSettings(name="blobs", count=30, noise=0.25).points() if hard else two_moons()
    lane = svm(hard_margin=True, gamma=8.0) if hard else svm(C=3.0)
    background = Background()
    before = background.finish(spec(points, lane))
    steps: dict[str, tuple[int, int]] = {}
    for name, after in edits(points).items():
        background.finish(spec(points, lane))
        warm = background.finish(spec(after, lane))
        assert_like(warm, direct(after, lane))
        cold = Background().finish(spec(after, lane))
        steps[name] = (steps_of(warm), steps_of(cold))
    assert steps["far point"][0] < steps["far point"][1], "nothing to learn anew, nearly"
    assert steps["moved"][0] < steps["moved"][1] and steps["added"][0] < steps["added"][1]
    total = np.sum(list(steps.values()), axis=0)
    assert total[0] < 0.9 * total[1], steps
    for C in () if hard else (0.5, 2.0, 4.0, 6.0, 30.0):
        other = svm(C=C)
        background.finish(spec(points, lane))
        warm, cold = background.finish(spec(points, other)), Background().finish(spec(points, other))
        assert_like(warm, direct(points, other))
        # Far away the old multipliers are worse than none, and are not used.
        assert steps_of(warm) < steps_of(cold) or (C in (0.5, 30.0) and steps_of(warm) == steps_of(cold))
    back = background.finish(spec(points, lane))
    assert dual_of(back) == pytest.approx(dual_of(before), rel=1e-4)


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-rest"])
def test_warm_start_when_classes_and_weights_change(multiclass: str) -> None:
    points = four_blobs()
    lane = svm(multiclass=multiclass, C=3.0, class_weight="own", own_weights=OWN)
    steps = []
    for after, other in (
        (points, svm(multiclass=multiclass, C=3.0, class_weight="own", own_weights=(*OWN[:3], 12.0, *OWN[4:]))),
        (points, svm(multiclass=multiclass, C=4.0, class_weight="own", own_weights=OWN)),
        (points.append([(30.0, -40.0)], [2]), lane),
        (points.remove([1, 5]), lane),
        (points, svm(multiclass="one-vs-one", C=3.0)),
        (points, svm(multiclass="one-vs-rest", C=3.0, class_weight="balanced")),
    ):
        background = Background()
        background.finish(spec(points, lane))
        warm = background.finish(spec(after, other))
        assert_like(warm, direct(after, other))
        steps.append((steps_of(warm), steps_of(Background().finish(spec(after, other)))))
    for warm_steps, cold_steps in (steps[0], steps[2], steps[3]):
        assert warm_steps < 0.8 * cold_steps, steps


@pytest.mark.parametrize("multiclass", ["one-vs-one", "one-vs-rest"])
def test_bounded_is_at_the_bound_of_the_point_itself(multiclass: str) -> None:
    points = four_blobs()
    lane = svm(multiclass=multiclass, class_weight="own", own_weights=OWN, C=0.5)
    frame = Background().finish(spec(points, lane))
    assert isinstance(frame.model, SVC)
    own = 0.5 * np.array(OWN)[points.labels[frame.model.support_]]
    alpha = np.abs(frame.model.dual_coef_)
    at_bound = (alpha == own).any(axis=0)
    assert set(frame.marks.bounded) == set(frame.model.support_[at_bound])
    assert len(frame.marks.bounded) > 3 and len(frame.marks.free) > 3
    assert {int(points.labels[i]) for i in frame.marks.bounded} == {0, 1, 2, 3}


def edits(points: Points) -> dict[str, Points]:
    """Return `points` after edits as by a user; a relabelled point is removed and added, as another point."""
    first = points.xy[0]
    return {
        "moved": points.move([3], points.xy[3] + 0.05),
        "added": points.append([(0.3, 0.2), (-0.4, 0.9)], [0, 1]),
        "far point": points.append([(-30.0, 40.0)], [0]),
        "removed": points.remove([0, 7, len(points) - 1]),
        "relabelled": points.remove([0]).append([first + 0.01], [1 - points.labels[0]]),
        "third class": points.append([(3.0, 3.0)], [2]),
        "emptied class": points.remove(np.flatnonzero(points.labels == 0)[1:]),
    }


def test_restart_counts_from_zero(clock: Clock) -> None:
    background = Background()
    first = background.finish(spec(two_moons(), svm()))
    assert steps_of(first) > 10
    again = background.finish(spec(two_moons(), svm(), restart=1, paused=True))
    assert steps_of(again) == 0 and again.phase is Phase.PAUSED
    points = two_moons()
    background.finish(spec(points, svm()))
    assert steps_of(background.finish(spec(points, svm(), restart=1, paused=True))) == 0
    full = background.finish(spec(points, svm(), restart=1))
    assert steps_of(full) == steps_of(first)


def test_paused_makes_no_step(clock: Clock) -> None:
    background = Background()
    slow = spec(two_moons(), svm(), steps_per_second=10.0)
    drive(background.start(slow), clock, 0.5)
    made = steps_of(background.frames[-1])
    for _ in range(5):
        clock.now += 10.0
        paused = background.finish(replace(slow, paused=True))
        assert paused.phase is Phase.PAUSED and steps_of(paused) == made
    job = background.start(slow)
    while not background.frames:  # on a busy machine the first piece may end before its picture
        next(job)
    assert steps_of(background.frames[0]) == made + 1, "the pause is not made up for"


@pytest.mark.parametrize("speed", [0.5, 2.0, 10.0, 30.0, 100.0, 1000.0])
def test_slow_speed_makes_the_steps_that_are_due(speed: float, clock: Clock) -> None:
    background = Background()
    points = GeneratorSettings(count=150, noise=0.4).points()
    seconds = 20.0 / speed
    drive(background.start(spec(points, svm(C=100.0), steps_per_second=speed)), clock, seconds)
    solvers = background.training.trainer.solvers  # frames are rarer than steps
    assert solvers[0].n_iter == pytest.approx(20, abs=2)
    assert background.frames[-1].phase is Phase.TRAINING
    if speed <= 30.0:
        counts = [steps_of(f) for f in background.frames]
        assert set(range(1, max(counts) + 1)) <= set(counts), "each step is shown"


@pytest.mark.slow
@pytest.mark.parametrize(
    "lane",
    [
        svm(C=100.0),
        svm(C=100.0, trainer="lasvm"),
        Lane("perceptron", perceptron=PerceptronSettings(max_iter=20)),
        Lane("pegasos", pegasos=PegasosSettings(n_iter=3000)),
    ],
    ids=["smo", "lasvm", "perceptron", "pegasos"],
)
@pytest.mark.parametrize("ended", [True, False])
def test_a_replay_of_any_learner_takes_ten_seconds(
    lane: Lane, ended: bool, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    # No piece of work may end early on a slow machine: the run would stand still until the next.
    monkeypatch.setattr(pacing, "time", SimpleNamespace(perf_counter=clock))
    background = Background()
    points = GeneratorSettings(count=60, noise=0.2).points()
    first = background.finish(spec(points, lane, paused=not ended)).run_state
    assert first is not None and first.at_end == ended
    begun, shown = clock.now, [(0.0, 0)]
    seek = Seek(first.recording, 0, "replay", 1)
    for step in itertools.chain(background.start(spec(points, lane, seek=seek)), [None]):
        newest = background.frames[-1].run_state if background.frames else None
        if newest is not None and newest.step != shown[-1][1]:
            shown.append((clock.now - begun, newest.step))
        clock.now += step.seconds if isinstance(step, Delay) else 0.0
    assert newest is not None and newest.at_end and shown[-1] == (pytest.approx(10.0, abs=0.5), newest.length)
    assert len(shown) <= 10.0 / work_module.STEADY_INTERVAL + 1, "what is shown can be drawn"
    parts = zip(shown[1:], shown, strict=False)
    assert all(0 < after[1] - before[1] <= newest.length / 100 + 1 for after, before in parts)


def test_a_replay_is_as_fast_as_chosen_and_of_its_own_run_only(clock: Clock) -> None:
    background = Background()
    points = two_moons()
    run = background.finish(spec(points, svm(C=20.0))).run_state
    assert run is not None
    seek = Seek(run.recording, 0, "replay", 1)
    drive(background.start(spec(points, svm(C=20.0), seek=seek, replay_factor=2.0)), clock, 2.5)
    assert background.training.recordings[0].position == pytest.approx(run.length / 2, abs=2)
    moved = background.finish(spec(two_moons(41), svm(C=20.0), seek=seek)).run_state
    assert moved is not None and moved.at_end, "other points are trained on at full speed"
    slow = spec(two_moons(42), svm(C=20.0), steps_per_second=10.0)
    drive(background.start(slow), clock, 1.0)
    run = background.frames[-1].run_state
    assert run is not None and not run.ended
    drive(background.start(replace(slow, seek=Seek(run.recording, run.step, "replay", 2))), clock, 1.0)
    assert background.training.recordings[0].position == pytest.approx(20, abs=3), "a speed of its own is kept"


def test_a_late_lane_makes_up_for_a_tenth_of_a_second_at_most(clock: Clock) -> None:
    background = Background()
    points = GeneratorSettings(count=150, noise=0.4).points()
    job = background.start(spec(points, svm(C=100.0), steps_per_second=100.0))
    next(job)
    made = background.training.trainer.n_iter
    clock.now += 60.0
    next(job)
    assert background.training.trainer.n_iter - made <= 10


# -- without the compiler ------------------------------------------------------------------------------------------


def test_without_the_compiler_only_small_sets_are_trained() -> None:
    many = two_moons(PLAIN_LIMIT // 2 + 1)
    frame = Background().finish(spec(many, svm(), compiled=False))
    assert frame.phase is Phase.EMPTY
    with machine_code(False):
        assert words.headline(frame, svm()) == "Preparing the fast solver… "
    background = Background()
    few = two_moons(30)
    plain = background.finish(spec(few, svm(), compiled=False))
    fast = background.finish(spec(few, svm()))
    assert dual_of(plain) == pytest.approx(dual_of(fast), rel=1e-6)
    assert steps_of(fast) == steps_of(Background().finish(spec(few, svm()))), "counted by the chosen rule, from zero"


def test_a_paused_run_stays_at_its_step_when_the_fast_solver_is_ready() -> None:
    background = Background()
    resting = spec(two_moons(30), svm(), compiled=False)
    run_state = background.finish(resting).run_state
    resting = replace(resting, paused=True, seek=Seek(run_state.recording, 5, serial=1))
    before = background.finish(resting).run_state
    after = background.finish(replace(resting, compiled=True)).run_state
    assert (after.recording, after.step) == (before.recording, 5)
    assert after.alpha == pytest.approx(before.alpha, abs=1e-9), "made anew by the fast solver"
    assert background.training.spec.compiled
    on = background.finish(replace(resting, compiled=True, paused=False)).run_state
    assert on.recording == before.recording and on.at_end, "playing goes on from there"


def test_a_seek_is_not_repeated_when_the_fast_solver_is_ready() -> None:
    background = Background()
    resting = spec(two_moons(30), svm(), compiled=False, paused=True)
    recording = background.finish(resting).run_state.recording
    sent = replace(resting, seek=Seek(recording, 5, serial=1))
    assert background.finish(sent).run_state.step == 5
    assert background.finish(replace(sent, paused=False)).run_state.at_end
    assert background.finish(replace(sent, compiled=True)).run_state.at_end


def test_the_fast_solver_reaches_the_step_where_the_plain_one_paused_however_long_that_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    background = Background()
    resting = spec(two_moons(30), svm(), compiled=False)
    assert background.finish(resting).run_state.at_end
    monkeypatch.setattr(training_module, "Pace", lambda: SimpleNamespace(late=lambda: True))
    assert background.finish(replace(resting, compiled=True, paused=True)).run_state.at_end


@pytest.mark.parametrize("error", [None, OSError("no compiler here")])
def test_preparation_is_done_once_and_reports_its_failure(
    error: OSError | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    go, done = threading.Event(), threading.Event()

    def compile_all(report: object, *, in_window: bool) -> None:
        go.wait(PATIENCE)
        if error is not None:
            raise error

    monkeypatch.setattr(preparation_module, "compile_all", compile_all)
    monkeypatch.setattr(preparation_module.CompileAhead, "_loaded", False)
    preparation = preparation_module.CompileAhead(done.set)
    assert preparation.running and not fast_loops.ready() and not done.is_set()
    go.set()
    assert done.wait(PATIENCE)
    preparation._thread.join(PATIENCE)
    assert not preparation.running and fast_loops.ready() == (error is None)
    reported = "The fast solver could not be compiled (OSError: no compiler here)."
    assert preparation.failure == (reported if error else "")


# -- extremes ------------------------------------------------------------------------------------------------------

ONE = Points.of([(0.5, 0.5)], [3])
EXTREMES: dict[str, Points] = {
    "none": Points(),
    "one": ONE,
    "one class": Points.of([(0.0, 0.0), (1.0, 1.0)], [5, 5]),
    "two": Points.of([(0.0, 0.0), (1.0, 1.0)], [7, 0]),
    "opposite twins": Points.of([(0.0, 0.0)] * 2 + [(1.0, 1.0)] * 2 + [(0.0, 1.0)], [0, 1, 0, 1, 1]),
    "all equal": Points.of([(0.3, 0.3)] * 12, [0, 1, 2] * 4),
    "all at zero": Points.of([(0.0, 0.0)] * 6, [0, 1] * 3),
    "far away": Points.of([(1e12, 1e12), (1e12 + 1, 1e12), (1e12, 1e12 + 2), (1e12 + 1, 1e12 + 2)], [0, 1, 1, 0]),
    "far apart": Points.of([(-1e12, 0.0), (1e12, 1e12), (1e-12, 0.0), (2e-12, 0.0)], [0, 1, 0, 1]),
    "at the limit": Points.of([(-1e15, 1e15), (1e15, -1e15), (1e15, 1e15)], [0, 1, 7]),
    "moons": two_moons(12),
}
LANES = [
    *(svm(kernel=k, C=C, tol=1e-3) for k in KERNELS for C in (1e-6, 1e8)),
    *(svm(kernel=k, hard_margin=True, tol=1e-3) for k in KERNELS),
    svm(gamma=1e8, tol=1e-9),
    svm(gamma=1e-8, tol=1e-9),
    svm(kernel="poly", degree=9, coef0=-1e6, gamma=1e8),
    *(knn(weights=w, metric=m) for w in WEIGHTS for m in METRICS),
    knn(n_neighbors=9999),
    knn(metric="minkowski", p=100.0),
]


@pytest.mark.slow
@pytest.mark.parametrize("name", EXTREMES)
def test_extremes_have_a_picture_or_a_sentence(name: str) -> None:
    points = EXTREMES[name]
    grids = (SMALL, Grid(-2e15, 2e15, -2e15, 2e15, 12, 10), Grid(1e12, 1e12 + 4, 1e12, 1e12 + 3, 12, 9))
    for lane, compiled in itertools.product(LANES, (True, False)):
        for grid in grids if compiled else grids[:1]:
            # Ten million steps of an ill-posed problem are not awaited; it matters that they can be overtaken.
            frame = Background().finish(spec(points, lane, grid=grid, compiled=compiled), enough=0.03)
            sentence = words.empty_sentence(lane, points.classes, len(points))
            about = f"{lane} on {grid}: {frame.message}"
            if frame.phase is Phase.FAILED:
                assert lane.classifier == "svm" and "internal error" not in frame.message, about
                assert frame.message.endswith("."), about
            elif frame.phase is Phase.EMPTY:
                assert sentence, about
            else:
                assert frame.phase in (Phase.DONE, Phase.TRAINING) and frame.picture is not None, about
                hard = lane.svm.hard_margin or lane.svm.C > 1e7 or lane.svm.gamma != 2.0 or name.startswith("far")
                assert frame.phase is Phase.DONE or hard, about
                assert 0.0 <= frame.accuracy <= 1.0
                assert (frame.picture.argb >> 24 == 0xFF).all()
            text = words.headline(frame, lane) + words.details(frame) + frame.message
            assert "nan" not in text.replace("(NaN or infinity)", "").lower(), about
            assert text


def test_lines_denser_than_a_picture_are_left_out() -> None:
    """Cosine on scattered points: hundreds of thousands of vertices would make a black picture, after seconds."""
    few, many = np.zeros((5, 2)), np.zeros((6, 2))
    assert unless_too_dense(few, 5) is few and unless_too_dense(many, 5).shape == (0, 2)


@pytest.mark.parametrize("speed", [100.0, 300.0, 1000.0])
def test_at_a_chosen_speed_there_is_a_picture_for_nearly_every_frame_of_the_screen(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, speed: float
) -> None:
    made: list[float] = []

    def slowly(*given: Any, **named: Any) -> Any:
        made.append(clock.now)
        clock.now += 0.008
        return surface_values.painted(*given, **named)

    monkeypatch.setattr(work_module, "painted", slowly)
    hard = svm(C=1e4, gamma=20.0, selection="random")
    for step in Background().start(spec(two_moons(100), hard, steps_per_second=speed), lambda: clock.now > 101.0):
        clock.now += step.seconds if isinstance(step, Delay) else 0.0005
    assert 45 <= len(made) <= 78
    assert min(np.diff(made)) >= 0.0125
