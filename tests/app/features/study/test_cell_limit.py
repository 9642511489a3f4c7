"""Time limits of cells: a longer one is stopped and reported as such, in this process, in others, and with Dask."""

from __future__ import annotations

import importlib.util
import math
import os
import time
from pathlib import Path

import msgspec
import pytest

from app.features.study import computing, results, running
from app.features.study.cells import paths
from app.features.study.computing import TOOK_LONGER, compute
from app.features.study.model import Study, StudyAxis
from app.learners.svm import SvmSettings
from app.state.document import GeneratorSettings, Lane

from .studies import GRID, KNN, computed, plain, results_of
from .test_command import file_of, study

#: The second cell is a training of at least a second, in rounds; the others take almost no time.
ROUNDS = Study(
    "grid",
    (StudyAxis("C", (1.0, 1e5, 2e5)), StudyAxis("tol", (1e-2,))),
    ("steps",),
    Lane("svm", svm=SvmSettings(kernel="rbf")),
    GeneratorSettings("moons", 1000, 0.5),
    test=10,
    most_steps=10_000_000,
)
#: The second cell of each path is a call of scikit-learn that takes many seconds.
ONE_CALL = Study(
    "grid",
    (StudyAxis("forest_n_estimators", (1, 500)), StudyAxis("forest_max_depth", (20,))),
    ("accuracy",),
    Lane("forest"),
    GeneratorSettings("moons", 10_000, 0.5),
    test=10,
)


class CellClock:
    """A clock that advances by one second at each call."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 1.0
        return self.now


def test_a_training_is_stopped_between_its_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also if most of it remains: each reading of the clock takes a second, and there are few."""
    (path,) = paths(ROUNDS)
    assert next(compute(ROUNDS, path, None)).status == "optimal"
    monkeypatch.setattr(computing.time, "perf_counter", clock := CellClock())
    first, second, third = compute(ROUNDS, path, None, 50.0)
    assert first.status == "optimal" and first.values and clock.now < 200.0
    for record in (second, third):
        assert record.status == TOOK_LONGER and record.error == "It took longer than 50 s." and record.seconds == 50.0


def test_cells_of_one_search_share_its_time_and_draws_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    path = max(paths(KNN), key=lambda path: len(path.cells))
    assert len(path.cells) == 4
    per_cell = [record.seconds for record in compute(KNN, path, None)]
    assert max(per_cell) == min(per_cell) > 0.0
    monkeypatch.setattr(computing.time, "perf_counter", CellClock())
    seconds = [record.seconds for record in compute(KNN, path, None, 1000.0)]
    assert seconds[0] == seconds[-1] and seconds[0] > 3 * 0.5
    # Enough for two draws of three: no draw alone exceeds it.
    limit = 2.5 * seconds[0] / 3
    assert {record.status for record in compute(KNN, path, None, limit)} == {TOOK_LONGER}
    assert {record.status for record in compute(KNN, path, None, math.inf)} == {"exact"}


@pytest.mark.slow
def test_what_took_longer_is_computed_again_with_a_larger_limit_only(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = file_of(ROUNDS, tmp_path), tmp_path / "r"
    words = ("run", file, "--out", out)
    assert study(*words, "--cell-limit", "1") == 0
    assert "took longer than 1 s, which a larger --cell-limit computes again" in capsys.readouterr().out
    late = [record for record in results.read(out).records() if record.status == TOOK_LONGER]
    assert late and all(record.seconds == 1.0 for record in late)
    for more in (["--cell-limit", "1"], ["--cell-limit", "0.5", "--retry"]):
        assert study(*words, *more) == 0
        assert "0 trainings in 0 paths to do" in capsys.readouterr().err
    assert study("status", out) == 0
    assert f", 0 failed, {len(late)} took longer than their limit; " in (shown := capsys.readouterr().out)
    assert "  It took longer than 1 s.\n" in shown
    assert study("show", out) == 0 and TOOK_LONGER in capsys.readouterr().out
    assert study(*words, "--dry-run", "--cell-limit", "2") == 0
    assert "3 in 1 path are to be computed" in capsys.readouterr().out


def test_a_raised_limit_computes_again_and_a_lower_one_leaves_out() -> None:
    path = paths(GRID)[0]
    late = computing.longer(path.cells[1], path.repetition, path.fold, 5.0)
    found = results_of(GRID, [late])
    everything = paths(GRID)
    assert path.cells[1] not in found.todo(everything, True, 5.0)[0].cells
    assert path.cells[1] in found.todo(everything, False, 5.1)[0].cells
    assert found.states[path.cells[1]] == TOOK_LONGER
    higher, lower = (computing.longer(path.cells[1], path.repetition, path.fold, limit) for limit in (7.0, 6.0))
    for each in (higher, lower, msgspec.structs.replace(late, status="", error="failed")):
        found.merge(each)
    assert found.seconds[(*path.cells[1], path.repetition, path.fold)] == 7.0
    value = msgspec.structs.replace(late, status="optimal", error="", values={"accuracy": 0.5})
    found.merge(value)
    found.merge(higher)
    assert not found.errors and not found.states[path.cells[1]]


#: Runs as each process begins: the training with depth 2 stays in compiled code that nothing interrupts.
STUCK = """
import ctypes, sys
if "estimator_worker" in str(sys.orig_argv):
    from sklearn.tree import DecisionTreeClassifier
    fit = DecisionTreeClassifier.fit
    def stuck(self, X, y):
        if self.max_depth == 2 and len(X) > 20:
            ctypes.PyDLL(None).sleep(600)
        return fit(self, X, y)
    DecisionTreeClassifier.fit = stuck
"""


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("ctypes") is None or os.name == "nt", reason="calls the C library")
@pytest.mark.parametrize("jobs", [1, 2])
def test_a_process_in_compiled_code_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int) -> None:
    (tmp_path / "sitecustomize.py").write_text(STUCK)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=os.pathsep)
    computing.ESTIMATORS.end()  # the next one begins with that
    monkeypatch.setattr(running, "DELAY", 0.0)
    monkeypatch.setattr(running, "WORTHWHILE", -1.0)
    made = Study(
        "grid",
        (StudyAxis("tree_max_depth", (1, 2, 3)), StudyAxis("noise", (0.1, 0.3))),
        ("accuracy",),
        Lane("tree"),
        GeneratorSettings("moons", 50, 0.2),
        test=20,
    )
    begun = time.monotonic()
    assert study("run", file_of(made, tmp_path), "--out", tmp_path / "r", "--cell-limit", "2", "--jobs", str(jobs)) == 0
    assert time.monotonic() - begun < 500, "it waited for the compiled code"
    (tmp_path / "sitecustomize.py").unlink()
    computing.ESTIMATORS.end()
    found = results.read(tmp_path / "r")
    assert not found.missing() and found.ended(TOOK_LONGER).sum() == 2
    assert found.ended(TOOK_LONGER)[1].all() and found.seconds[1].tolist() == [[[2.0]], [[2.0]]]
    sound = [record for record in found.records() if not record.error]
    assert plain(made, sound) == plain(made, [record for record in computed(made) if record.cell[0] != 1])


@pytest.mark.slow
@pytest.mark.parametrize(
    "made", [pytest.param(ROUNDS, id="rounds"), pytest.param(ONE_CALL, id="one call of scikit-learn")]
)
@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="dask is not installed")
def test_the_limit_holds_on_a_dask_cluster(tmp_path: Path, made: Study) -> None:
    limit = "2" if made is ONE_CALL else "1"
    words = ("--dask", "local", "--cell-limit", limit)
    assert study("run", file_of(made, tmp_path), "--out", tmp_path / "r", *words) == 0
    found = results.read(tmp_path / "r")
    assert not found.missing() and not found.ended(results.FAILED).any()
    assert found.ended(TOOK_LONGER)[1].all() and not found.ended(TOOK_LONGER)[0].any()
