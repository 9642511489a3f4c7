"""A forecast counts what the processes measure themselves, never their start; without a result, nothing is known."""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest

from app.features.study import timing
from app.features.study.cells import Path as CellPath
from app.features.study.computing import Given, Record
from app.features.study.model import NOTES, Study
from app.features.study.planning import costs_of
from app.features.study.timing import LONGEST, MEASURED, Trial
from tests.app.features.study.studies import GRID

from .test_command import file_of, study


class Run:
    """Stand-in for the processes: `computed` paths arrive when the test says so."""

    state = "running"
    failure, start = "", 4.0

    def __init__(
        self, study: Study, given: Given | None, todo: Callable[[], deque[CellPath]], *rest: object, niceness: int
    ) -> None:
        self.paths, self.costs, self.niceness = todo(), costs_of(study, given), niceness
        self._records: list[Record] = []
        RUNS.append(self)

    def compute(self, factor: float) -> CellPath:
        """Finish the next path, in the seconds of the model times `factor`."""
        path = self.paths.popleft()
        self._records += [
            Record(cell, path.repetition, path.fold, seconds=factor * float(self.costs[cell])) for cell in path.cells
        ]
        return path

    def take(self) -> list[Record]:
        found, self._records = self._records, []
        return found

    def cancel(self) -> None:
        self.state = "ended"


RUNS: list[Run] = []


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """Processes without work, and a clock that the test moves."""
    RUNS.clear()
    made = SimpleNamespace(now=100.0)
    monkeypatch.setattr(timing, "StudyProcesses", Run)
    monkeypatch.setattr(timing, "time", SimpleNamespace(monotonic=lambda: made.now))
    return made


def test_without_a_result_nothing_is_known(clock: SimpleNamespace) -> None:
    trial = Trial(NOTES, None)
    clock.now += LONGEST + 1.0
    trial.collect()
    assert trial.ended and math.isnan(trial.factor)


def test_the_start_of_a_process_counts_for_no_cell(clock: SimpleNamespace) -> None:
    trial, run = Trial(NOTES, None), RUNS[0]
    clock.now += 30.0  # loading and compiling
    trial.collect()
    assert not trial.ended
    run.compute(3.0)
    trial.collect()
    clock.now += MEASURED + 0.1
    run.compute(3.0)
    trial.collect()
    assert trial.ended and trial.factor == pytest.approx(3.0)
    assert trial.beginning == 2.0 * run.start, "a busy machine starts the processes of the run as slowly"


def test_a_path_that_takes_longer_than_the_others_counts_with_its_time_so_far(clock: SimpleNamespace) -> None:
    trial, run = Trial(GRID, None), RUNS[0]
    first = run.compute(1.0)
    trial.collect()
    clock.now += 5.0
    trial.collect()
    before, at_hand = (sum(float(run.costs[cell]) for cell in path.cells) for path in (first, run.paths[0]))
    assert trial.ended and trial.factor == pytest.approx((before + 5.0) / (before + at_hand))


def test_a_path_that_is_not_late_leaves_the_forecast(clock: SimpleNamespace) -> None:
    """The path at hand may have the most points: until its own time is over, it is no slower than the others."""
    trial, run = Trial(NOTES, None), RUNS[0]
    run.compute(1e4)
    trial.collect()
    longest = 1e4 * sum(float(run.costs[cell]) for cell in run.paths[0].cells)
    assert longest > MEASURED
    clock.now += MEASURED + 0.9 * (longest - MEASURED)
    trial.collect()
    assert trial.ended and trial.factor == pytest.approx(1e4)


def test_a_dry_run_without_a_result_names_no_duration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, clock: SimpleNamespace
) -> None:
    monkeypatch.setattr(timing, "LONGEST", -1.0)
    words = ("run", file_of(GRID, tmp_path), "--out", tmp_path / "r", "--dry-run")
    assert study(*words) == 0
    report = capsys.readouterr().out
    assert "How long that takes is not known yet: no cell was finished within " in report and "about" not in report
    assert study(*words, "--json", "--cell-limit", "3") == 0
    assert json.loads(capsys.readouterr().out)["estimate"]["seconds"] is None
    assert [run.niceness for run in RUNS] == [0, 0], "measured at the priority of the run"
