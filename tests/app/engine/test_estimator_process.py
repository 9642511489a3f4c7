"""Classifiers of scikit-learn as lanes: the library's own predictions, from a process that may raise, hang or crash."""

from __future__ import annotations

import errno
import io
import math
import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from importlib import import_module

import numpy as np
import pytest
from msgspec.structs import replace

from app.engine import estimator_worker, worker_pipe, worker_process
from app.engine.estimator_process import EstimatorProcess
from app.engine.fitting import BACKGROUND, fitted, predictions
from app.engine.frames import FastProgress, Frame, LaneRequest, LaneSpec, Phase
from app.engine.lane_job import LaneJob
from app.engine.outcome import outcome
from app.engine.pacing import Pace, Step
from app.engine.pool import Delay
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from app.engine.surface_values import source_of, surface
from app.features.evaluation.scene import ScoreGrid
from app.features.probe.scene import LaneProbe, ProbeQuery, heavy, probe_lane
from app.features.probe.tables import NamedPoints
from app.learners.estimators import ESTIMATORS, ROWS, parameters_of
from app.scene import text
from app.scene.status_badge import Mood, badge
from app.state.document import GeneratorSettings, Lane
from solver import Grid

GRID = Grid(-2.0, 3.0, -2.0, 2.0, 83, 61)
SHADES = Shades((255, 255, 255), tuple((30 * c, 10 * c, 200) for c in range(8)), (128, 128, 128))
MOONS = GeneratorSettings("moons", 60, 0.25).points()
BLOBS = GeneratorSettings("blobs", 30, 0.6, n_classes=4).points()


@pytest.fixture
def process() -> Iterator[EstimatorProcess]:
    made = EstimatorProcess()
    yield made
    made.end()


@pytest.fixture(autouse=True, scope="module")
def processes() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patience:
        patience.setattr(EstimatorProcess, "longest", math.inf)  # however busy the machine is
        yield
    JOB.close()
    BACKGROUND.end()


#: One lane for all tests: the process is started once.
FRAMES: list[Frame] = []
JOB = LaneJob(FRAMES.append)


def run(job: Iterator[Step]) -> object:
    """Return the result of a generator, sleeping where it waits."""
    while True:
        try:
            step = next(job)
        except StopIteration as end:
            return end.value
        if isinstance(step, Delay):
            time.sleep(step.seconds)


def scikit(name: str) -> object:
    """Return the estimator of a row, made in this process."""
    row = ROWS[name]
    kind = getattr(import_module(row.module), row.kind)
    return kind(**parameters_of(row, ESTIMATORS[name].settings()))


@pytest.mark.slow
@pytest.mark.parametrize("name", ROWS)
@pytest.mark.parametrize("points", [MOONS, BLOBS], ids=["two classes", "four classes"])
def test_a_picture_is_what_the_library_predicts(name: str, points: object) -> None:
    spec = LaneSpec(points, Lane(name), GRID, SHADES, False, math.inf, 0, True)  # type: ignore[arg-type]
    run(JOB(LaneRequest(1, 0, spec), lambda: False))
    frame = FRAMES[-1]
    reference = scikit(name).fit(points.xy, points.labels)  # type: ignore[attr-defined]
    assert frame.phase is Phase.DONE and frame.full and frame.model is not None and frame.picture is not None
    found = run(surface(source_of(frame.model, frame.lane), GRID, Pace()))
    x, y = np.meshgrid(GRID.xs, GRID.ys)
    expected = reference.predict(np.column_stack((x.ravel(), y.ravel()))).reshape(x.shape)
    assert np.array_equal(found.classes, expected)  # type: ignore[attr-defined]
    shares = reference.predict_proba(points.xy)  # type: ignore[attr-defined]
    assert np.array_equal(frame.model.predict_proba(points.xy), shares)  # type: ignore[union-attr]
    untied = (shares == shares.max(axis=1, keepdims=True)).sum(axis=1) == 1
    right = reference.predict(points.xy) == points.labels  # type: ignore[attr-defined]
    assert set(frame.marks.wrong) == set(np.flatnonzero(~right & untied)) or not untied.all()
    assert frame.accuracy == pytest.approx(right.mean(), abs=1e-12) or not untied.all()


@pytest.mark.slow
def test_questions_use_a_process_too() -> None:
    found = run(fitted(Lane("tree"), MOONS, Pace()))
    reference = scikit("tree").fit(MOONS.xy, MOONS.labels)  # type: ignore[attr-defined]
    assert np.array_equal(run(predictions(found.model, MOONS.xy, Pace())), reference.predict(MOONS.xy))  # type: ignore
    assert run(outcome(found.model, MOONS.xy, MOONS.labels, Pace())).accuracy == reference.score(MOONS.xy, MOONS.labels)  # type: ignore


@pytest.mark.slow
def test_a_badge_reports_that_nothing_is_proved_and_a_lane_with_one_class_waits() -> None:
    spec = LaneSpec(MOONS, Lane("tree"), GRID, SHADES, False, math.inf, 0, True)
    run(JOB(LaneRequest(2, 0, spec), lambda: False))
    assert badge(FRAMES[-1]).mood is Mood.UNPROVED and badge(FRAMES[-1]).short == "trained"
    slow = replace(FRAMES[-1], phase=Phase.TRAINING, fast_run=FastProgress(slow=True))
    assert badge(slow).mood is Mood.MOVING and not text.fast_training(slow, 5000)
    assert text.headline(replace(slow, model=None), slow.lane) == "Training on 120 points at once…"
    one = MOONS.chosen(MOONS.labels == 0)
    run(JOB(LaneRequest(3, 0, replace(spec, points=one, lane=Lane("logistic"))), lambda: False))
    assert (
        FRAMES[-1].phase is Phase.EMPTY and text.headline(FRAMES[-1], Lane("logistic")) == "Waiting for a second class"
    )
    assert text.empty_sentence(Lane("logistic"), [0], 60).startswith("Logistic regression needs two classes.")
    with pytest.raises(ValueError, match="two classes"):
        run(fitted(Lane("logistic"), one, Pace()))


@pytest.mark.slow
def test_a_process_ends_when_its_lane_gets_another_classifier() -> None:
    spec = LaneSpec(MOONS, Lane("tree"), GRID, SHADES, False, math.inf, 0, True)
    run(JOB(LaneRequest(4, 0, spec), lambda: False))
    process = JOB._process._process
    assert process is not None and process.poll() is None
    run(JOB(LaneRequest(5, 0, replace(spec, lane=Lane("knn"))), lambda: False))
    assert process.wait(300) is not None and JOB._process._process is None


@pytest.mark.slow
def test_no_process_is_left_when_the_window_is_closed() -> None:
    scheduler = Scheduler(1, lambda: None)
    spec = LaneSpec(MOONS, Lane("tree"), GRID, SHADES, False, math.inf, 0, True)
    scheduler.request_picture(0, spec)
    while not scheduler.idle:
        scheduler.collect()
        time.sleep(0.005)
    processes = [scheduler._jobs[0]._process._process, BACKGROUND._process]
    assert processes[0] is not None
    scheduler.close()
    assert all(process is None or process.wait(300) is not None for process in processes)


#: Trains a forest that takes minutes, prints the number of its process once it trains, and waits or ends.
FOREST = """import sys
import numpy as np
from app.core.points import Points
from app.engine.estimator_process import EstimatorProcess
from app.state.document import Lane
process, random = EstimatorProcess(), np.random.default_rng(0)
few, many = (Points.of(random.uniform(-1, 1, (n, 2)), np.arange(n) % 2) for n in (10, 2_000_000))
process.fit(Lane("forest"), few)[1].result()
process.fit(Lane("forest"), many)
print(process._process.pid, flush=True)
sys.stdin.read()"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL there")
@pytest.mark.parametrize("killed", [False, True])
def test_a_forest_that_trains_ends_with_the_program(killed: bool) -> None:
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", FOREST], stdin=pipe, stdout=pipe, stderr=pipe) as program:
        assert program.stdin is not None and program.stdout is not None and program.stderr is not None
        child = int(program.stdout.readline())
        watch = os.pidfd_open(child) if hasattr(os, "pidfd_open") else None
        if killed:
            program.kill()
        program.communicate()
        try:
            if watch is not None:
                assert select.select([watch], [], [], 30)[0], "it trains on"
        finally:
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


class Maker:
    """A family of `Odd`; the process also finds it in this file."""

    title = "Odd"

    def __init__(self, does: str) -> None:
        self.does = does

    def maker(self, settings: object) -> tuple[str, str, dict[str, str]]:
        return "tests.app.engine.odd_estimator", "Odd", {"does": self.does}


class OddLane:
    standardises = False

    def __init__(self, does: str) -> None:
        self.family, self.settings = Maker(does), None


FAULTS = {
    "raise": "Odd could not be trained: RuntimeError: no luck today",
    "die": "Odd could not be trained: its process has ended.  The next change tries again.",
    "short": "Odd could not be trained: ValueError: Odd.predict returned shape (1,) for 120 points.",
    "unknown": "Odd could not be trained: ValueError: Odd.predict returned 77, which is no class.",
    "nan": "Odd could not be trained: ValueError: Odd.predict_proba returned a value that is not a number.",
}


@pytest.mark.parametrize("does", FAULTS)
def test_what_goes_wrong_is_one_sentence_and_the_next_run_works(
    does: str, process: EstimatorProcess, caplog: pytest.LogCaptureFixture
) -> None:
    def ask(does: str) -> np.ndarray:
        model, pending = process.fit(OddLane(does), MOONS)  # type: ignore[arg-type]
        pending.result()
        return model.predict_proba(MOONS.xy)

    with pytest.raises(ValueError) as reports:
        ask(does)
    assert str(reports.value) == FAULTS[does]
    assert ("Traceback" in caplog.text) == (does != "die"), "the log has more than the sentence"
    shares = ask("print")  # its output is no answer
    assert np.array_equal(shares.argmax(axis=1), MOONS.xy[:, 0] > 0.5)
    assert shares.max() == 1.0, "where the class predicted is not the likeliest, the class is what is shown"


def test_one_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch, process: EstimatorProcess) -> None:
    monkeypatch.setattr(process, "longest", 0.3)
    _, pending = process.fit(OddLane("hang"), MOONS)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="took longer"):
        pending.result()
    monkeypatch.setattr(process, "longest", math.inf)
    model, pending = process.fit(OddLane(""), MOONS)  # type: ignore[arg-type]
    pending.result()
    assert model.predict(MOONS.xy).tolist() == (MOONS.xy[:, 0] > 0.5).astype(int).tolist()


def test_a_message_that_breaks_off_is_the_end_of_its_process() -> None:
    whole = io.BytesIO()
    worker_pipe.write(whole, np.arange(1000))
    for length in (0, 5, 8, 100, len(whole.getvalue()) - 1):
        with pytest.raises(EOFError):
            worker_pipe.read(io.BytesIO(whole.getvalue()[:length]))


def test_where_no_process_can_be_started_the_next_change_tries_again(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(*args: object, **named: object) -> None:
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    process = EstimatorProcess()
    with monkeypatch.context() as patched:
        patched.setattr(worker_process.subprocess, "Popen", none)
        _, pending = process.fit(OddLane(""), MOONS)  # type: ignore[arg-type]
        with pytest.raises(ValueError, match="its process has ended"):
            pending.result()
    _, pending = process.fit(OddLane(""), MOONS)  # type: ignore[arg-type]
    pending.result()
    process.end("the test is over.")


def test_unreferenced_models_are_dropped(process: EstimatorProcess) -> None:
    model, pending = process.fit(OddLane(""), MOONS)  # type: ignore[arg-type]
    pending.result()
    number = model.number
    del model, pending
    _, pending = process.fit(OddLane(""), MOONS)  # type: ignore[arg-type]
    pending.result()
    with pytest.raises(ValueError, match=r"^Odd could not be trained: its process was ended"):
        process.send("Odd could not be trained", "shares", number, MOONS.xy).result()


def test_values_of_decision_function_grade_the_colours() -> None:
    from sklearn.svm import LinearSVC

    two, four = LinearSVC().fit(MOONS.xy, MOONS.labels), LinearSVC().fit(BLOBS.xy, BLOBS.labels)
    shares = estimator_worker.shares_of(two, MOONS.xy, np.array([0, 1]))
    assert np.array_equal(shares.argmax(axis=1), two.predict(MOONS.xy)) and len(np.unique(shares)) > 50
    shares = estimator_worker.shares_of(four, BLOBS.xy, np.arange(4))
    assert np.array_equal(shares.argmax(axis=1), four.predict(BLOBS.xy)) and np.allclose(shares.sum(axis=1), 1)


@pytest.mark.slow
def test_probe_and_score_of_a_model_in_another_process_wait_in_the_background() -> None:
    lane = Lane("forest")
    made = run(fitted(lane, MOONS, Pace()))
    model, location = made.model, (0.3, 0.2)  # type: ignore[attr-defined]
    peer = scikit("forest").fit(MOONS.xy, MOONS.labels)  # type: ignore[attr-defined]
    assert heavy(model)
    probes: list[LaneProbe] = []
    who = NamedPoints(MOONS, MOONS, tuple(f"class {c + 1}" for c in range(8)))
    run(ProbeQuery(model, lane, who, location, probe_lane).answer(probes.append, bool))
    (share,) = peer.predict_proba([location])
    assert probes[0].label == share.argmax() and f"{100 * share.max():.1f} %" in probes[0].headline
    values = run(ScoreGrid(model, GRID).values(Pace()))
    x, y = np.meshgrid(GRID.xs, GRID.ys)
    expected = peer.predict_proba(np.column_stack((x.ravel(), y.ravel())))[:, 1].reshape(x.shape)
    np.testing.assert_allclose(values, expected, atol=1e-12)
