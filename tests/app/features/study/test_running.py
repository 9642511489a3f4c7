"""Runs in worker processes: the results of the command line to the bit; pausing, cancelling, workers that end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from app.core.points import Points
from app.engine import worker_process
from app.engine.worker_process import WorkerProcess
from app.features.study import running
from app.features.study.cells import Path as CellPath
from app.features.study.cells import digest_of, paths
from app.features.study.computing import Record
from app.features.study.model import Study, StudyAxis
from app.features.study.running import StudyProcesses
from app.features.study.worker import Answer
from app.learners.svm import SvmSettings
from app.state.document import GeneratorSettings, Lane
from tests.app.features.study.studies import GRID, computed, given_of, plain

#: A path for each cell, each of a tenth of a second.
SLOW = Study(
    "grid",
    (StudyAxis("gamma", (1.0, 2.0, 3.0, 4.0)), StudyAxis("tol", (1e-8, 2e-8, 4e-8, 8e-8))),
    ("steps",),
    Lane("svm", svm=SvmSettings(C=1e5)),
    GeneratorSettings("moons", 300, 0.5),
    test=10,
    most_steps=20_000,
)


#: Equally many cells in two paths.
PATHS = msgspec.structs.replace(
    SLOW, axes=(StudyAxis("C", tuple(1e5 + each for each in range(8))), StudyAxis("tol", (1e-8, 2e-8)))
)


class NotedWorker(WorkerProcess):
    """A worker that the tests can find."""

    def __init__(self, *words: str, flags: int = 0) -> None:
        super().__init__(*words, flags=flags)
        WORKERS.append(self)

    @property
    def process(self) -> subprocess.Popen[bytes]:
        assert self._process is not None
        return self._process


WORKERS: list[NotedWorker] = []


@pytest.fixture(autouse=True)
def noted(monkeypatch: pytest.MonkeyPatch) -> None:
    WORKERS.clear()
    monkeypatch.setattr(running, "WorkerProcess", NotedWorker)


class Taken:
    """The results of a run."""

    def __init__(self, run: StudyProcesses) -> None:
        self.run, self.records = run, list[Record]()

    def until(self, enough: Callable[[], bool], timeout: float = 300.0) -> None:
        deadline = time.monotonic() + timeout
        while not enough():
            assert time.monotonic() < deadline, "it does not come"
            ended = self.run.state == "ended"
            self.records += self.run.take()
            if ended:
                break
            time.sleep(0.005)

    def all(self) -> list[Record]:
        self.until(lambda: False)
        return self.records


def started(study: Study = SLOW, n_jobs: int = 1) -> Taken:
    return Taken(StudyProcesses(study, None, lambda: deque(paths(study)), n_jobs))


def ended(taken: Taken) -> None:
    """Return whether no process and no thread is left."""
    for thread in taken.run.threads:
        thread.join(300)
    assert not any(thread.is_alive() for thread in taken.run.threads)
    assert all(worker._process is None for worker in WORKERS)


@pytest.mark.slow
@pytest.mark.smoke
def test_results_are_those_of_the_command_line() -> None:
    points = GeneratorSettings("moons", 30, 0.3).points()
    given = given_of(points)
    study = msgspec.structs.replace(GRID, generator=None, digest=digest_of(points, Points()))
    taken = Taken(StudyProcesses(study, given, lambda: deque(paths(study)), 2))
    found = taken.all()
    assert taken.run.n_done == len(paths(study)) and not taken.run.failure
    assert plain(study, found) == plain(study, computed(study, given))
    ended(taken)


@pytest.mark.slow
def test_pause_suspends_and_cancel_ends() -> None:
    taken = started(PATHS)
    taken.until(lambda: len(taken.records) > 0)
    taken.run.pause(True)
    assert taken.run.state == "paused"
    there, since = -1, time.monotonic()
    while time.monotonic() - since < 0.5:  # the present cell is still computed
        taken.records += taken.run.take()
        if len(taken.records) != there:
            there, since = len(taken.records), time.monotonic()
        time.sleep(0.01)
    assert there < 8
    taken.run.pause(False)
    taken.until(lambda: len(taken.records) > there)
    taken.run.cancel()
    ended(taken)
    assert taken.run.state == "ended" and taken.run.n_done < 2


#: A minimal window: starts a run, and prints the process that computes it.
WINDOW = """
import time
from app.features.study.cells import paths
from app.features.study import running
from tests.app.features.study.test_running import SLOW, WORKERS, NotedWorker, started
running.WorkerProcess = NotedWorker
taken = started()
taken.until(lambda: len(taken.records) > 0)
print(WORKERS[0].process.pid, flush=True)
time.sleep(60)
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends signals")
def test_pausing_waits_for_no_worker_that_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many points fill the pipe of a worker that does not read yet; the window's thread pauses it."""
    command, gate = worker_process.command, tmp_path / "gate"
    shut = f"import os, time\nfor _ in range(6000):\n    if os.path.exists({str(gate)!r}): break\n    time.sleep(0.01)"

    def late(*words: str) -> list[str]:
        python, *flags, code, niceness = command(*words)
        return [python, *flags, f"{shut}\n{code}", niceness]

    monkeypatch.setattr(worker_process, "command", late)
    points = GeneratorSettings("moons", 2000, 0.2).points()
    axes = (StudyAxis("C", (1e-3, 2e-3)),)
    study = msgspec.structs.replace(
        GRID, generator=None, digest=digest_of(points, Points()), axes=axes, folds=2, repetitions=1
    )
    run = StudyProcesses(study, given_of(points), lambda: deque(paths(study)), 1)
    taken = Taken(run)
    taken.until(lambda: bool(WORKERS and WORKERS[0]._process))
    for paused in (True, False, True):
        run.pause(paused)
    assert run.state == "paused" and not run.start
    gate.touch()
    taken.until(lambda: run.start > 0.0)
    assert not run.take()
    run.pause(False)
    taken.until(lambda: False)
    assert len(taken.records) == 4 and not run.failure


@pytest.mark.slow
def test_workers_come_last_and_end_with_the_window() -> None:
    with subprocess.Popen([sys.executable, "-c", WINDOW], stdout=subprocess.PIPE, text=True) as window:
        assert window.stdout is not None
        worker = int(window.stdout.readline())
        assert os.getpriority(os.PRIO_PROCESS, worker) == 19
        window.kill()
    deadline = time.monotonic() + 300
    while _runs(worker):
        assert time.monotonic() < deadline, "it outlives the window"
        time.sleep(0.02)


def _runs(process: int) -> bool:
    """Return whether there is such a process that has not ended."""
    try:
        os.kill(process, 0)
        status = Path(f"/proc/{process}/stat")
        return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="sends signals")
def test_a_worker_that_is_killed_loses_nothing() -> None:
    taken = started()
    taken.until(lambda: len(taken.records) > 0)
    WORKERS[0].process.send_signal(signal.SIGKILL)
    found = {record.cell: record for record in taken.all()}
    assert len(found) == 16 and not any(record.error for record in found.values())
    ended(taken)


def test_workers_that_cannot_begin_are_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/bin/false" if os.name != "nt" else "nothing.exe")
    taken = started()
    assert not taken.all() and "No process" in taken.run.failure and taken.run.state == "ended"
    ended(taken)


def test_a_fault_of_the_program_ends_a_run_with_a_sentence(caplog: pytest.LogCaptureFixture) -> None:
    def fault() -> deque[CellPath]:
        raise RuntimeError("no paths")

    taken = Taken(StudyProcesses(SLOW, None, fault, 2))
    assert not taken.all() and "(RuntimeError: no paths)" in taken.run.failure and "no paths" in caplog.text
    ended(taken)


@pytest.mark.soak
def test_a_path_whose_worker_ends_each_time_is_abandoned(monkeypatch: pytest.MonkeyPatch) -> None:
    poison = paths(SLOW)[1].cells[0]
    computed = StudyProcesses._compute

    def killing(run: StudyProcesses, ask: Callable[..., Answer], paths: list[CellPath]) -> None:
        if any(poison in path.cells for path in paths):
            WORKERS[0].process.kill()
        computed(run, ask, paths)

    monkeypatch.setattr(StudyProcesses, "_compute", killing)
    small = Study("grid", SLOW.axes, ("steps",), Lane("svm"), GeneratorSettings("moons", 10, 0.1), test=10)
    found = {record.cell: record for record in started(small).all()}
    assert len(found) == 16 and {locations for locations, record in found.items() if record.error} == {poison}


def test_a_fault_of_the_program_in_a_cell_is_reported_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    command = worker_process.command

    def faulty(*words: str) -> list[str]:
        python, *flags, code, niceness = command(*words)
        fault = "import app.features.study.computing as computing; computing._drawn = None\n"
        position = code.index("runpy.run_module")
        return [python, *flags, code[:position] + fault + code[position:], niceness]

    monkeypatch.setattr(worker_process, "command", faulty)
    (record,) = started(msgspec.structs.replace(GRID, axes=(StudyAxis("C", (1.0,)),), folds=2, repetitions=1)).all()[:1]
    assert record.error.startswith("A fault of the program, see Help > Show log: TypeError: ")
    assert "Traceback" in caplog.text and "computing.py" in caplog.text


#: Two processes of the command line.
TWO = """
from app.features.study import engines, running
from app.features.study.cells import paths
from app.features.study.model import StudyAxis, Study
from app.state.document import GeneratorSettings, Lane

running.DELAY, running.WORTHWHILE = 0.0, -1.0
axes = StudyAxis("k", tuple(range(1, 9))), StudyAxis("noise", (0.1, 0.2))
study = Study("grid", axes, ("accuracy",), Lane("knn"), GeneratorSettings("moons", 10, 0.3), test=10, repetitions=4)
print(sum(len(records) for records, _ in engines.run(study, None, list(paths(study)), None, jobs=2)))
"""


def test_processes_of_the_command_line_end_without_a_word(tmp_path: Path) -> None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [sys.executable, "-c", TWO]
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert (done.stdout, done.stderr) == ("64\n", "")
