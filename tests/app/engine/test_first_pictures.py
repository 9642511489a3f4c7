"""First pictures come first: threads for them alone, one piece of work each, and what has to wait for them."""

from __future__ import annotations

import math
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from app.core.points import Points
from app.engine import compile_ahead, lane_job, pacing, surface_values, training_run
from app.engine.compile_ahead import CompileAhead
from app.engine.frames import Frame, LaneRequest, LaneSpec, Phase
from app.engine.lane_job import BREATH, PLAIN_SHARE, PLAIN_SIZE, LaneJob
from app.engine.pacing import Pace
from app.engine.pool import Delay, Pool, Priority
from app.engine.shading import Shades
from app.state.commands import AddPoints, MovePoints
from app.state.document import Document, GeneratorSettings, Lane, View
from solver import Grid, Status
from solver.core import fast_loops
from tests.copies import replace
from tests.without_compiler import machine_code

PATIENCE = 300.0
SHADES = Shades((255, 255, 255), ((0, 0, 200), (200, 0, 0)), (128, 128, 128))


def _spec(lane: Lane, compiled: bool = True) -> LaneSpec:
    points = GeneratorSettings(count=60).points()
    view = View.fitting(points)
    grid = Grid(view.x - 2, view.x + 2, view.y - 2, view.y + 2, 400, 400)
    return LaneSpec(points, lane, grid, SHADES, False, float("inf"), 0, compiled)


def _piece(work: Callable[[], object]) -> Iterator[Priority | Delay]:
    work()
    return
    yield Priority.BACKGROUND


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Pool, threading.Event]]:
    """A pool for two cores, whose general thread is frozen until the event is set."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    pool, go, frozen = Pool(), threading.Event(), threading.Event()

    def freeze() -> None:
        frozen.set()
        go.wait(PATIENCE)

    pool.submit(_piece(freeze), Priority.BACKGROUND)
    assert frozen.wait(PATIENCE)
    yield pool, go
    go.set()
    assert pool.close(PATIENCE)


def test_a_first_picture_does_not_wait_for_other_work(busy: tuple[Pool, threading.Event]) -> None:
    pool, _ = busy
    made = threading.Event()
    pool.submit(_piece(made.set), Priority.FIRST_PICTURE)
    assert made.wait(PATIENCE)


@pytest.mark.slow
def test_the_thread_for_first_pictures_makes_nothing_else(busy: tuple[Pool, threading.Event]) -> None:
    pool, go = busy
    ran, picture = [], threading.Event()
    for priority in (Priority.TRAINING, Priority.FULL_PICTURE, Priority.BACKGROUND):
        pool.submit(_piece(lambda priority=priority: ran.append((priority, threading.current_thread().name))), priority)
    for _ in range(20):  # checked between pictures, too
        picture.clear()
        pool.submit(_piece(picture.set), Priority.FIRST_PICTURE)
        assert picture.wait(PATIENCE)
    assert ran == []
    go.set()
    done = threading.Event()
    pool.submit(_piece(done.set), Priority.BACKGROUND)
    assert done.wait(PATIENCE)
    assert [name for _, name in ran] == ["compute-0"] * 3


def test_a_job_that_is_hurried_is_taken_by_the_thread_for_first_pictures(busy: tuple[Pool, threading.Event]) -> None:
    pool, _ = busy
    made = threading.Event()
    job = _piece(made.set)
    pool.submit(job, Priority.TRAINING)
    pool.hurry(job)
    assert made.wait(PATIENCE)


def test_both_lanes_first_pictures_are_made_side_by_side(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    pool, both = Pool(), threading.Barrier(2)
    met = [threading.Event(), threading.Event()]

    def meet(event: threading.Event) -> None:
        both.wait(PATIENCE)  # breaks if one waits for the end of the other
        event.set()

    for event in met:
        pool.submit(_piece(lambda event=event: meet(event)), Priority.FIRST_PICTURE)
    assert all(event.wait(PATIENCE) for event in met)
    assert pool.close(PATIENCE)


@pytest.mark.parametrize("lane", [Lane("knn"), Lane("svm")], ids=lambda lane: lane.classifier)
def test_the_full_picture_is_begun_when_the_first_can_have_been_drawn(lane: Lane) -> None:
    posted: list[Frame] = []
    overtaken = False
    steps = LaneJob(posted.append)(LaneRequest(1, 0, _spec(lane)), lambda: overtaken)
    for step in steps:
        if isinstance(step, Delay):
            break
    assert step == Delay(BREATH, Priority.FULL_PICTURE)
    assert posted and not any(frame.full for frame in posted)
    overtaken, before = True, len(posted)
    assert list(steps) == [] and len(posted) == before  # no obsolete piece
    overtaken = False
    list(LaneJob(posted.append)(LaneRequest(2, 0, _spec(lane)), lambda: False))
    assert posted[-1].full and posted[-1].picture is not None and posted[-1].picture.grid.width == 400


@pytest.mark.parametrize("lane", [Lane("knn"), Lane("svm")], ids=lambda lane: lane.classifier)
@pytest.mark.parametrize(
    ("milliseconds", "before", "halved", "rows"),
    [
        (math.inf, 160_000, 5, 16),  # its duration is not known yet
        (1.0, 0, 0, 400),
        (10.0, 0, 0, 200),  # two pieces
        (14.0, 0, 1, None),  # but the last one was longer, too
        (14.0, 160_000, 0, None),  # but so was the last
        (20.0, 160_000, 1, None),
        (30.0, 283 * 283, 1, None),
        (40.0, 0, 2, None),
        (1e4, 160_000, 5, 2),
    ],
)
def test_the_first_picture_has_as_many_samples_as_a_frame_allows(
    lane: Lane, milliseconds: float, before: int, halved: int, rows: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """160 000 samples take `milliseconds`; the previous picture had `before` samples."""
    sizes, surface = [], surface_values.surface
    posted: list[Frame] = []

    def kept(source: Any, grid: Grid, *args: Any, size: int, **more: Any) -> Any:
        sizes.append(size)
        return surface(source, grid, *args, size=size, **more)

    monkeypatch.setattr(surface_values, "surface", kept)
    monkeypatch.setattr(lane_job, "TOO_LATE", math.inf)
    job, spec = LaneJob(posted.append), _spec(lane)
    job._per_sample, job._samples = 1e-3 * milliseconds / 160_000, before
    list(job(LaneRequest(1, 0, spec), lambda: True))
    (frame,) = posted
    assert frame.picture is not None and frame.picture.grid == spec.grid.coarse(share=0.5**halved)
    assert frame.full == (halved == 0) and (rows is None or sizes == [rows])
    assert 0.0 < job._per_sample < 1.0 and job._samples == frame.picture.argb.size


def test_what_a_picture_took_is_processor_time(monkeypatch: pytest.MonkeyPatch) -> None:
    seconds, clock = [0.0], [0.0]

    def in_blocks(self: Pace, count: int, work: Any, **more: Any) -> Any:
        for begin in range(0, count, 10):
            work(slice(begin, min(begin + 10, count)))
            clock[0] += 0.001
            seconds[0] += 0.001
            yield Priority.FIRST_PICTURE

    monkeypatch.setattr(Pace, "in_blocks", in_blocks)
    monkeypatch.setattr(
        lane_job, "time", SimpleNamespace(perf_counter=lambda: 1e3 * clock[0], thread_time=lambda: clock[0])
    )
    job = LaneJob(lambda frame: None)
    for _ in job(LaneRequest(1, 0, _spec(Lane("knn"))), lambda: True):
        clock[0] += 0.5
    assert job._per_sample * job._samples == pytest.approx(seconds[0]) and seconds[0] < 0.1


@pytest.mark.parametrize("lane", [Lane("knn"), Lane("svm")], ids=lambda lane: lane.classifier)
def test_a_full_first_picture_is_a_promise_and_the_only_one(lane: Lane, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lane_job, "TOO_LATE", math.inf)  # however busy the machine is
    posted: list[Frame] = []
    job, spec = LaneJob(posted.append), _spec(lane)
    for number, overtaken in enumerate((True, False), 1):
        job._per_sample = 0.0
        steps = list(job(LaneRequest(number, 0, spec), lambda overtaken=overtaken: overtaken))
        assert [frame.full for frame in posted if frame.picture is not None][:1] == [True]
        assert not any(isinstance(step, Delay) for step in steps), "nothing is waited for"
        assert len({id(frame.picture) for frame in posted}) == 1
        posted.clear()


@pytest.mark.parametrize("lane", [Lane("knn"), Lane("svm")], ids=lambda lane: lane.classifier)
def test_a_full_first_picture_that_takes_longer_than_expected_is_replaced_by_a_coarse_one(
    lane: Lane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lane_job, "TOO_LATE", -1.0)
    monkeypatch.setattr(pacing, "PIECE", 0.0)  # checked after each block
    posted: list[Frame] = []
    job, spec = LaneJob(posted.append), _spec(lane)
    job._per_sample = 0.012 / 160_000
    list(job(LaneRequest(1, 0, spec), lambda: True))
    (frame,) = posted
    assert frame.picture is not None and frame.picture.grid == spec.grid.coarse()
    list(job(LaneRequest(2, 0, spec), lambda: False))
    anew: list[Frame] = []
    list(LaneJob(anew.append)(LaneRequest(1, 0, spec), lambda: False))
    assert posted[-1].full and np.array_equal(posted[-1].picture.argb, anew[-1].picture.argb)


def test_pictures_of_many_neighbours_are_not_cut_thinner_than_a_tile(monkeypatch: pytest.MonkeyPatch) -> None:
    blocks: list[int] = []

    def in_blocks(self: Pace, count: int, work: Any, *, size: int = 16, least: int = 2, **more: Any) -> Any:
        for begin in range(0, count, least):
            blocks.append(least)
            work(slice(begin, min(begin + least, count)))
        yield from ()

    monkeypatch.setattr(Pace, "in_blocks", in_blocks)
    rng = np.random.default_rng(0)
    for n, least in ((1600, lane_job.TILE), (1400, 2)):
        blocks.clear()
        points = Points.of(rng.normal(size=(n, 2)), rng.integers(0, 2, n))
        list(LaneJob(lambda frame: None)(LaneRequest(1, 0, replace(_spec(Lane("knn")), points=points)), lambda: True))
        assert set(blocks) == {least}


def test_blocks_have_the_least_size_however_long_they_take(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(float(second) for second in range(1000))
    monkeypatch.setattr(pacing, "time", SimpleNamespace(perf_counter=lambda: next(clock)))  # each takes a second
    found: list[slice] = []
    list(Pace().in_blocks(100, found.append, size=16, least=16))
    assert [block.stop - block.start for block in found] == [16] * 6 + [4]


def test_plain_numpy_makes_a_coarser_first_picture_and_then_the_full_one() -> None:
    posted: list[Frame] = []
    spec = _spec(Lane("knn"), compiled=False)
    job = LaneJob(posted.append)
    job._per_sample = 0.0  # however quick the last one was
    with machine_code(False):
        list(job(LaneRequest(1, 0, spec), lambda: False))
    first, last = posted[0].picture, posted[-1].picture
    assert first is not None and last is not None
    assert first.grid == spec.grid.coarse(*PLAIN_SIZE, share=PLAIN_SHARE) and not posted[0].full
    assert first.grid.width * first.grid.height < 0.3 * spec.grid.coarse().width * spec.grid.coarse().height
    assert last.grid == spec.grid and posted[-1].full


def test_machine_code_is_loaded_when_the_first_pictures_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    begun, done = threading.Event(), threading.Event()
    monkeypatch.setattr(CompileAhead, "_loaded", False)
    monkeypatch.setattr(compile_ahead, "compile_all", lambda *_, **__: begun.set())
    ahead = CompileAhead(done.set, waiting=PATIENCE)
    assert ahead.running and not begun.is_set() and not fast_loops.ready()
    ahead.begin()
    assert done.wait(PATIENCE / 2) and begun.is_set() and fast_loops.ready()
    done.clear()
    CompileAhead(done.set, waiting=PATIENCE)  # in this process, where everything is loaded
    assert done.wait(PATIENCE / 2)


def test_machine_code_is_loaded_in_the_end_even_if_no_picture_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    done = threading.Event()
    monkeypatch.setattr(CompileAhead, "_loaded", False)
    monkeypatch.setattr(compile_ahead, "compile_all", lambda *_, **__: None)
    CompileAhead(done.set, waiting=0.01)
    assert done.wait(PATIENCE)


def test_what_is_imported_before_qt_needs_none() -> None:
    program = (
        "import sys; from app.views.application import import_plain_parts; import_plain_parts();"
        "found = [name for name in sys.modules if name.startswith(('PySide6', 'shiboken6', 'pyqtgraph'))];"
        "assert 'numpy' in sys.modules and 'numba' not in sys.modules and not found, found"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_first_picture_of_many_points_does_not_wait_for_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    posted: list[Frame] = []
    job, spec = LaneJob(posted.append), _spec(Lane("svm"))
    list(job(LaneRequest(1, 0, spec), lambda: False))
    monkeypatch.setattr(training_run, "PROVED_FIRST", 10)
    more = AddPoints(xy=[[5.0, 5.0]], labels=0).apply(Document(points=spec.points)).points
    posted.clear()
    for _ in job(LaneRequest(2, 0, replace(spec, points=more)), lambda: False):
        if posted:
            break
    assert posted[0].picture is not None and posted[0].phase is Phase.TRAINING
    solver = job._training.recordings[0].solver
    assert solver.pending and solver.n_iter > 0, "all steps, and no proof"
    posted.clear()
    list(job(LaneRequest(3, 0, replace(spec, points=more)), lambda: False))
    assert posted[-1].full and posted[-1].phase is Phase.DONE
    assert posted[-1].certificates[0].status is Status.OPTIMAL


def test_pictures_of_neighbours_that_build_on_the_last_are_those_of_their_own_points() -> None:
    posted: list[Frame] = []
    job, spec = LaneJob(posted.append), _spec(Lane("knn"))
    document = Document(points=spec.points)
    for number in range(1, 6):
        xy = spec.points.xy[7] + 0.1 * number
        points = MovePoints(ids=spec.points.ids[[7]], xy=xy[None]).apply(document).points
        # One picture is overtaken, and one has another view.
        now = replace(spec, points=points, grid=replace(spec.grid, left=-3.0) if number == 4 else spec.grid)
        posted.clear()
        job._per_sample = math.inf  # a coarse one first
        list(job(LaneRequest(number, 0, now), lambda number=number: number == 2))
        anew: list[Frame] = []
        list(LaneJob(anew.append)(LaneRequest(number, 0, now), lambda: False))
        assert len(posted) == (1 if number == 2 else 2)
        for ours, theirs in zip(posted, anew, strict=False):
            assert ours.picture.grid == theirs.picture.grid
            assert np.array_equal(ours.picture.argb, theirs.picture.argb)
            assert np.array_equal(ours.picture.boundary, theirs.picture.boundary)
    assert len(job._votes) <= 2
