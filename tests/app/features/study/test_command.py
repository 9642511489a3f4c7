"""`classifier-playground study` as a user runs it: files, kills, Ctrl+C, shards, tables and the map."""

from __future__ import annotations

import argparse
import errno
import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from PySide6.QtGui import QImage

from app.core.points import Points
from app.features.study import command, results
from app.features.study.arguments import PRESETS, add_to
from app.features.study.cells import paths
from app.features.study.map_reading import cell_text
from app.features.study.model import PRESETS as STUDIES
from app.features.study.model import Study
from app.features.study.reading import written
from app.files.documents import FileError
from app.learners.svm import SvmSettings
from app.main import main
from app.state.document import Lane
from tests import playground_files

from .studies import FAILING, GRID, KNN, computed, document_of, exported, no_document, plain

ROOT = Path(__file__).parents[4]


def study(*words: str | Path) -> int:
    try:
        return main(["study", *map(str, words)])
    except SystemExit as end:
        return int(end.code or 0)


def start(*words: str | Path) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "app", "study", *map(str, words)],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT), "QT_QPA_PLATFORM": "offscreen"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def file_of(made: Study, folder: Path) -> Path:
    path = folder / "study.toml"
    path.write_text(written(made, "A study."), encoding="utf-8")
    return path


def n_lines(folder: Path) -> int:
    return sum(path.read_bytes().count(b"\n") for path in folder.glob("part-*"))


def wait_for_lines(folder: Path, n: int, process: subprocess.Popen[str]) -> None:
    while n_lines(folder) < n and process.poll() is None:
        time.sleep(0.005)


@pytest.fixture(autouse=True)
def signals() -> object:
    """Restore the handlers of signals: a run handles Ctrl+C itself."""
    before = {number: signal.getsignal(number) for number in command.ENDING}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def test_from_the_example_to_table_map_and_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file, out = tmp_path / "s.toml", tmp_path / "deep" / "results"
    assert study("init", file) == 0
    file.write_text(file.read_text().replace("count = 100", "count = 15"), encoding="utf-8")
    assert study("run", file, "--out", out, "--shard", "2/2") == 0
    assert study("status", out) == 0
    assert "17 of 35 paths, 119 of 245 results, 0 failed; 1 part" in capsys.readouterr().out
    assert study("run", file, "--out", out) == 0
    report = capsys.readouterr()
    assert "126 trainings in 18 paths to do." in report.err and "35 paths of 35 are in" in report.out
    assert study("show", out) == 0
    table = capsys.readouterr().out
    assert len(table.splitlines()) == 9 and table.startswith("accuracy\n") and "gamma=100.0" in table and "±" in table
    assert study("show", out, "--value", "support_vectors") == 0
    assert study("show", out, "--out", tmp_path / "map.png") == 0
    picture = QImage(str(tmp_path / "map.png"))
    assert picture.width() > 300 and len({picture.pixel(x, picture.height() // 2) for x in range(90, 400)}) >= 3
    assert study("export", out, "--csv", tmp_path / "t.csv") == 0
    lines = (tmp_path / "t.csv").read_text().splitlines()
    assert lines[0] == "cell,C,gamma,repetition,fold,accuracy,support_vectors,status,error,seconds"
    assert len(lines) == 246 and len({line.split(",")[0] for line in lines}) == 246


def test_a_document_becomes_a_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "docs").mkdir()
    playground_files.write(document_of(), tmp_path / "docs" / "points.playground")
    file = tmp_path / "s.toml"
    assert study("init", file, "--from", tmp_path / "docs" / "points.playground") == 0
    text = file.read_text(encoding="utf-8")
    assert 'document = "docs/points.playground"' in text
    file.write_text(text.replace("C = [", "C = [1.0] #").replace("gamma = [", "gamma = [2.0] #"), encoding="utf-8")
    lines = [line for line in file.read_text().splitlines() if not line.startswith(("C = 1.0", "gamma = 1.0"))]
    file.write_text("\n".join(lines), encoding="utf-8")
    assert study("run", file, "--out", tmp_path / "r") == 0
    assert study("show", tmp_path / "r") == 0 and "gamma=2.0" in capsys.readouterr().out


def test_points_and_settings_come_from_a_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    document = document_of(15)
    lane = Lane("svm", svm=SvmSettings(kernel="laplacian", tol=1e-5, gamma=7.0))
    document = replace(document, lanes=(Lane("difference"), lane), shown=2)
    playground_files.write(document, tmp_path / "lesson.playground")
    head, axes = 'folds = 3\nvalues = ["accuracy", "dual"]\n', "[axes]\nC = [0.5, 4.0]\ntol = [1e-5, 1e-2]\n"
    (tmp_path / "s.toml").write_text(f'{head}[classifier]\nkernel = "linear"\n[data]\nname = "xor"\n{axes}')
    assert study("run", tmp_path / "s.toml", "--from", tmp_path / "lesson.playground", "--out", tmp_path / "r") == 0
    given = '[data]\ndocument = "lesson.playground"\n[classifier]\nkernel = "laplacian"\ngamma = 7.0\n'
    (tmp_path / "t.toml").write_text(f"{head}{given}{axes}")
    assert study("run", tmp_path / "t.toml", "--out", tmp_path / "t") == 0
    assert exported(tmp_path / "r") == exported(tmp_path / "t")
    # The second classifier of the document.
    two = replace(document, lanes=(lane, Lane("difference"), Lane("knn")), shown=3)
    playground_files.write(two, tmp_path / "two.playground")
    (tmp_path / "d.toml").write_text('folds = 3\nvalues = ["disagreement"]\n[axes]\nC = [0.5, 4.0]\ngamma = [7.0]\n')
    assert study("run", tmp_path / "d.toml", "--from", tmp_path / "two.playground", "--out", tmp_path / "d") == 0
    found = results.read(tmp_path / "d").study
    assert found is not None and found.other == Lane("knn")
    assert study("run", tmp_path / "d.toml", "--from", tmp_path / "lesson.playground", "--out", tmp_path / "x") == 2
    # Without a file: the study that init --from writes.
    small = replace(document, lanes=(Lane("knn"),), shown=1)
    playground_files.write(small, tmp_path / "small.playground")
    assert study("run", "--from", tmp_path / "small.playground", "--out", tmp_path / "k") == 0
    assert study("init", tmp_path / "k.toml", "--from", tmp_path / "small.playground") == 0
    assert study("run", tmp_path / "k.toml", "--out", tmp_path / "k") == 0
    assert "0 trainings in 0 paths to do" in capsys.readouterr().err
    (tmp_path / "s.toml").write_text("folds = 3\n[axes]\nC = [1.0]\nn = [5]\n")
    assert study("run", tmp_path / "s.toml", "--from", tmp_path / "small.playground", "--out", tmp_path / "x") == 2
    assert "s.toml, axes.C: is unknown; here may stand" in capsys.readouterr().err
    empty = replace(document, points=Points())
    playground_files.write(empty, tmp_path / "empty.playground")
    for words in ([tmp_path / "s.toml"], []):
        assert study("run", *words, "--from", tmp_path / "empty.playground", "--out", tmp_path / "x") == 2
        assert "fewer than two points" in capsys.readouterr().err
    assert not (tmp_path / "x").exists()


WRONG: dict[str, tuple[list[str], str]] = {
    "no action": ([], "ACTION"),
    "unknown action": (["walk"], "walk"),
    "no results": (["status", "nowhere"], "nowhere holds no results of a study"),
    "no file": (["run", "nowhere.toml", "--out", "r"], "nowhere.toml"),
    "no folder": (["run", "nowhere.toml"], "--out"),
    "no study": (["run", "--out", "r"], "name a STUDY.toml, or a document with --from"),
    "no document": (["run", "--from", "nowhere.playground", "--out", "r"], "nowhere.playground"),
    "shard 0": (["run", "s", "--out", "r", "--shard", "0/2"], "is no shard"),
    "shard beyond": (["run", "s", "--out", "r", "--shard", "3/2"], "is no shard"),
    "no limit": (["run", "s", "--out", "r", "--cell-limit", "0"], "is no number of seconds; write 60 or 0.5"),
    "a limit without end": (["run", "s", "--out", "r", "--cell-limit", "inf"], "is no number of seconds"),
    "json beside a picture": (["show", "r", "--json", "--out", "m.png"], "not allowed with argument --json"),
    "no file to export to": (["export", "r"], "one of the arguments --csv --json is required"),
    "no jobs": (["run", "s", "--out", "r", "--jobs", "0"], "is no number of processes"),
    "empty name": (["status", ""], "the file name is empty"),
}


@pytest.mark.parametrize("name", WRONG)
def test_invalid_words_are_reported(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: object) -> None:
    monkeypatch.chdir(tmp_path)
    words, report = WRONG[name]
    assert study(*words) == 2
    assert report in capsys.readouterr().err  # type: ignore[attr-defined]


def test_what_is_there_is_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = file_of(KNN, tmp_path)
    assert study("init", file) == 2 and "is there already" in capsys.readouterr().err
    for words in ([], ["--dry-run"]):
        assert study("run", file, "--out", file, *words) == 2 and "cannot be made" in capsys.readouterr().err
    assert study("run", file, "--out", tmp_path / "r") == 0
    assert study("show", tmp_path / "r", "--value", "dual") == 2 and "it has accuracy" in capsys.readouterr().err
    assert study("show", tmp_path / "r", "--out", "map.jpg") == 2 and "must end in .png" in capsys.readouterr().err
    file.write_text(file.read_text().replace("draws = 3", "draws = 4"), encoding="utf-8")
    assert study("run", file, "--out", tmp_path / "r") == 2
    assert "is of another study: draws is 4 here and 3 there" in capsys.readouterr().err


def test_all_faults_of_a_file_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.toml").write_text("folds = 1.5\n[data]\nnoise = -1\n[axes]\nC = [1]\n", encoding="utf-8")
    assert study("run", tmp_path / "s.toml", "--out", tmp_path / "r") == 2
    report = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in report] == ["s.toml, folds", "s.toml, data.noise"]
    assert not (tmp_path / "r").exists()


def test_failures_are_counted_and_retried(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = file_of(FAILING, tmp_path)
    for words in ([], ["--retry"]):
        assert study("run", file, "--out", tmp_path / "r", *words) == 1
        assert "12 failed" in capsys.readouterr().out
    assert study("run", file, "--out", tmp_path / "r") == 0  # finished, apart from the failures
    assert study("status", tmp_path / "r") == 0
    assert "12 failed; 2 parts" in (report := capsys.readouterr().out) and len(report.splitlines()) > 1
    assert study("show", tmp_path / "r") == 0 and "failed" in capsys.readouterr().out


def test_every_command_names_a_damaged_line_and_the_next_run_mends_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = file_of(KNN, tmp_path), tmp_path / "r"
    assert study("run", file, "--out", out) == 0
    whole = exported(out)
    (part,) = out.glob("part-*")
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join([*lines[:2], b"noise\n", *lines[3:]]))
    capsys.readouterr()
    commands = (
        ["status", out],
        ["show", out],
        ["export", out, "--csv", tmp_path / "t.csv"],
        ["run", file, "--out", out],
    )
    for words in commands:
        assert study(*words) == 0
        report = capsys.readouterr().err.splitlines()[0]
        assert report == f"1 damaged line set aside, to be computed again: {part.name}, line 3."
    assert exported(out) == whole
    for words in commands:  # the damaged line is not reported after its result has been computed again
        assert study(*words) == 0
        assert "damaged" not in capsys.readouterr().err


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Return the content of a folder, and the time of the last change of each file."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}


@pytest.mark.slow
def test_a_dry_run_reports_what_a_run_would_do_and_changes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = file_of(GRID, tmp_path), tmp_path / "r"
    words = ("run", file, "--out", out)
    before = tree(tmp_path)
    assert study(*words, "--dry-run") == 0
    report = capsys.readouterr()
    assert report.out.startswith(
        "6 cells, 3 folds, 2 repetitions, 1 draw: 36 trainings.\n"
        "0 of 36 results are there already, 36 in 12 paths are to be computed.\nThat takes about "
    )
    assert report.out.endswith(f"estimated from some cells timed for this; a new file in {out} is written.\n")
    assert tree(tmp_path) == before and not out.exists() and not report.err
    assert study(*words, "--shard", "1/2") == 0
    (part,) = out.glob("part-*")
    part.write_bytes(part.read_bytes().replace(b'"seconds":', b'"seconds":1', 1))  # a damaged line stays damaged
    capsys.readouterr()
    before = tree(tmp_path)
    assert study(*words, "--dry-run", "--json", "--jobs", "2") == 0
    report = capsys.readouterr()
    found = json.loads(report.out)
    assert report.out.count("\n") == 1 and "1 damaged line" in report.err and "36 trainings" in report.err
    assert (found["trainings"], found["there"], found["to_do"], found["folder"]) == (36, 17, 21, str(out))
    assert found["damaged"] == [f"{part.name}, line 2"] and found["estimate"]["seconds"] > 0.0
    assert tree(tmp_path) == before


def test_json_is_one_object_on_standard_output_and_sentences_are_on_standard_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = msgspec.structs.replace(KNN, k_up_to_n=False)
    file, out = file_of(made, tmp_path), tmp_path / "r"

    def reports(*words: str | Path) -> tuple[dict[str, Any], str]:
        assert study(*words, "--json") == 0
        report = capsys.readouterr()
        assert report.out.count("\n") == 1 and report.out.endswith("}\n")
        return json.loads(report.out), report.err

    ran, sentence = reports("run", file, "--out", out)
    assert (ran["computed"], ran["results"], ran["there"], ran["failed"], ran["not_defined"]) == (48, 48, 48, 0, 4)
    assert "12 paths of 12 are in" in sentence
    again, _ = reports("run", file, "--out", out)
    assert again["computed"] == 0 and again["there"] == 48
    status, sentence = reports("status", out)
    assert status == {key: value for key, value in ran.items() if key not in ("folder", "computed")} | {"errors": []}
    assert "48 of 48 results, 0 failed, 4 not defined; 1 part" in sentence
    shown, _ = reports("show", out)
    assert msgspec.convert(shown["study"], Study) == made and len(shown["cells"]) == 24
    beyond = [cell for cell in shown["cells"] if (cell["n"], cell["k"]) == (5, 20)]
    assert len(beyond) == 2 and all(cell["mean"] is None and cell["state"] == "not defined" for cell in beyond)
    cell = next(cell for cell in shown["cells"] if (cell["n"], cell["k"], cell["weights"]) == (20, 5, "uniform"))
    mean = results.read(out).means("accuracy")
    assert (cell["mean"], cell["spread"], cell["results"]) == (mean.mean[2, 1, 0], mean.spread[2, 1, 0], 2)


def test_cells_that_cannot_exist_are_not_defined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for made in (KNN, msgspec.structs.replace(KNN, k_up_to_n=False)):
        out = tmp_path / str(made.k_up_to_n)
        assert study("run", file_of(made, tmp_path), "--out", out) == 0
        capsys.readouterr()
        assert study("show", out) == 0
        table = capsys.readouterr().out
        assert "failed" not in table and "–" not in table
        # k = 20 of 5 points per class; for k = 10 the limit is n, or the number of points.
        assert table.count("not defined") == (6 if made.k_up_to_n else 2)
        means = results.read(out).means("accuracy")
        text = cell_text(results.read(out), means, "accuracy", (0, 3, 0))
        assert text.endswith(": not defined, k is above n")


def killed_and_resumed(made: Study, folder: Path, kills: int, seed: int, *words: str) -> None:
    """Kill a run again and again at random moments, then let it end: only paths in progress may be lost."""
    file, out, chance = file_of(made, folder), folder / "r", random.Random(seed)
    done: set[tuple[tuple[int, ...], int, int]] = set()
    per_kill = sum(len(path.cells) for path in paths(made)) // (kills + 1)
    for _ in range(kills):
        process = start("run", file, "--out", out, *words)
        wait_for_lines(out, n_lines(out) + chance.randrange(1, max(2, per_kill)), process)
        time.sleep(chance.uniform(0.0, 0.02))
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        found = results.read(out, made)
        keys = {(record.cell, record.repetition, record.fold) for record in found.records()}
        assert done <= keys
        done = keys
        finished = len(paths(made)) - len(found.missing())
        in_flight = sum(0 < sum(made_key in done for made_key in keys) < len(keys) for keys in keys_of(made))
        assert in_flight <= kills * (int(words[1]) if words else 1), (finished, in_flight)
    last = start("run", file, "--out", out)
    assert last.wait(120) == 0
    assert last.stderr is not None
    last.stderr.close()
    assert exported(out) == plain(made, computed(made))


def keys_of(made: Study) -> list[list[tuple[tuple[int, ...], int, int]]]:
    return [[(locations, path.repetition, path.fold) for locations in path.cells] for path in paths(made)]


LONGER = KNN.__class__(KNN.kind, KNN.axes, KNN.values, KNN.lane, KNN.generator, "", 0, 20, 15, 100, "square", True)


@pytest.mark.slow
def test_killed_runs_go_on(tmp_path: Path) -> None:
    killed_and_resumed(LONGER, tmp_path, 1, 1)


@pytest.mark.soak
@pytest.mark.parametrize("words", [(), ("--jobs", "2")])
def test_runs_killed_at_twenty_moments_go_on(tmp_path: Path, words: tuple[str, ...]) -> None:
    killed_and_resumed(
        Study(GRID.kind, GRID.axes, GRID.values, GRID.lane, GRID.generator, folds=5, repetitions=400),
        tmp_path,
        20,
        2,
        *words,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        (),
        pytest.param(("--jobs", "2"), marks=pytest.mark.soak),
        pytest.param(("--dask", "local"), marks=pytest.mark.soak),
    ],
)
def test_ctrl_c_ends_at_once_and_loses_nothing(tmp_path: Path, words: tuple[str, ...]) -> None:
    endless = Study("grid", GRID.axes, ("accuracy",), GRID.lane, GRID.generator, folds=5, repetitions=100_000 // 10)
    file, out = file_of(endless, tmp_path), tmp_path / "r"
    process = start("run", file, "--out", out, *words)
    wait_for_lines(out, 20, process)
    before = n_lines(out)
    process.send_signal(signal.SIGINT)
    assert process.wait(300) == command.STOPPED, "its end is far away"
    assert process.stderr is not None and "Stopped: " in process.stderr.read()
    process.stderr.close()
    assert results.read(out, endless).done >= before - 2


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    ("words", "n_processes"),
    [
        (("--jobs", "2"), 1),
        # Two workers, and multiprocessing's resource tracker.
        pytest.param(
            ("--dask", "local"),
            3,
            marks=pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="dask is not installed"),
        ),
    ],
)
@pytest.mark.parametrize("at_work", [True, False])
@pytest.mark.parametrize("sent", ["SIGKILL", "SIGHUP"])
def test_a_killed_run_leaves_no_process(
    tmp_path: Path, words: tuple[str, ...], n_processes: int, at_work: bool, sent: str
) -> None:
    endless = Study("grid", GRID.axes, ("accuracy",), GRID.lane, GRID.generator, folds=5, repetitions=10_000)
    process, out = start("run", file_of(endless, tmp_path), "--out", tmp_path / "r", *words), tmp_path / "r"
    deadline = time.monotonic() + 120
    while len(left := descendants(process.pid)) < n_processes:
        assert process.poll() is None and time.monotonic() < deadline, "it starts no process"
        time.sleep(0.005)
    if at_work:
        wait_for_lines(out, n_lines(out) + 4_000, process)
        left = descendants(process.pid)
        assert len(left) == n_processes
    semaphores = {name for each in (process.pid, *left) for name in semaphores_of(each)}
    if at_work:  # Dask's, in the queues between its processes
        assert bool(semaphores) == ("--dask" in words)
    process.send_signal(getattr(signal, sent))
    process.communicate(timeout=300)
    if at_work and sent == "SIGHUP":
        assert process.returncode == command.STOPPED
    deadline = time.monotonic() + 60
    while any(begun_at(each) == begun for each, begun in left.items()) or semaphores & set(os.listdir("/dev/shm")):
        assert time.monotonic() < deadline, "a process or a semaphore outlives the run"
        time.sleep(0.02)


def semaphores_of(process: int) -> set[str]:
    """Return the names of the shared semaphores that the process has mapped."""
    try:
        lines = Path(f"/proc/{process}/maps").read_text().splitlines()
    except OSError:
        return set()
    return {line.rpartition("/dev/shm/")[2].removesuffix(" (deleted)") for line in lines if "/dev/shm/" in line}


def descendants(process: int) -> dict[int, int]:
    """Return the processes that `process` has started, directly or not, with the ticks at which each began."""
    children: dict[int, list[int]] = {}
    for number in map(int, filter(str.isdecimal, os.listdir("/proc"))):
        if fields := status_of(number):
            children.setdefault(int(fields[1]), []).append(number)
    found: list[int] = [process]
    for parent in found:  # the list grows
        found += children.get(parent, [])
    return {each: begun for each in found[1:] if (begun := begun_at(each)) is not None}


def begun_at(process: int) -> int | None:
    """Return the ticks at which the process began; None for one that has ended, reaped or not."""
    fields = status_of(process)
    return int(fields[19]) if fields and fields[0] != "Z" else None


def status_of(process: int) -> list[str]:
    """Return the fields of /proc/…/stat from the state on; empty without such a process."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return []


def test_the_help_lists_the_presets() -> None:
    assert tuple(STUDIES) == PRESETS
    parser = argparse.ArgumentParser()
    add_to(parser)
    assert parser.parse_args(["run", "s", "--out", "r"]).jobs == 1


def test_joblib_is_not_imported_with_the_program() -> None:
    code = (
        "import sys, app.main, app.features.table, app.features.study.command\n"
        "assert not {'joblib', 'dask', 'distributed', 'sklearn'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=600)


def test_a_missing_dask_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert study("run", file_of(KNN, tmp_path), "--out", tmp_path / "r", "--dask", "local") == 2
    assert "Dask is not installed" in (report := capsys.readouterr().err) and "Warning" not in report
    assert study("run", file_of(KNN, tmp_path), "--out", tmp_path / "r", "--dask", "tcp://127.0.0.1:9") == 2
    assert "Warning: the connection to the Dask scheduler at tcp://127.0.0.1:9" in capsys.readouterr().err


@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="dask is not installed")
def test_unusable_tls_and_schedulers_without_it_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("run", file_of(KNN, tmp_path), "--out", tmp_path / "r")
    files = ("--tls", tmp_path / "ca", tmp_path / "cert", tmp_path / "key")
    nobody = "127.0.0.1:9"

    def report(*more: str | Path) -> str:
        assert study(*words, *more) == 2
        return capsys.readouterr().err

    for dask in ((), ("--dask", "local"), ("--dask", nobody)):
        assert "--tls is for a Dask scheduler at tls://" in report(*dask, *files)
    assert "files of --tls cannot be used: no such file" in (text := report("--dask", f"tls://{nobody}", *files))
    assert "Warning" not in text
    assert "needs a certificate: --tls CA CERT KEY" in report("--dask", f"tls://{nobody}")
    monkeypatch.setitem(sys.modules, "cryptography", None)
    assert "--dask local needs the package cryptography" in (text := report("--dask", "local"))
    assert "Warning" not in text


def test_a_document_without_a_classifier_or_points_makes_no_study() -> None:
    with pytest.raises(FileError, match="fewer than two points"):
        command.study_of(document_of().__class__())
    with pytest.raises(AssertionError):
        no_document(None)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_full_disk_stops_the_run_with_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], jobs: str
) -> None:
    add = results.ResultsFile.add

    def full(file: results.ResultsFile, *lines: Any) -> None:
        if not isinstance(lines[0], dict):  # the first line
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        add(file, *lines)

    monkeypatch.setattr(results.ResultsFile, "add", full)
    assert study("run", file_of(KNN, tmp_path), "--out", tmp_path / "r", "--jobs", jobs) == 2
    assert "cannot be written to" in capsys.readouterr().err


def test_a_run_with_nothing_to_do_names_the_study_again(tmp_path: Path) -> None:
    file, out = file_of(KNN, tmp_path), tmp_path / "r"
    assert study("run", file, "--out", out) == 0
    (part,) = out.glob("part-*")
    part.write_bytes(b"#" + part.read_bytes())
    assert study("status", out) == 2
    for _ in range(2):
        assert study("run", file, "--out", out) == 0
    assert study("status", out) == 0 and len(list(out.glob("part-*"))) == 2
