"""Results: torn parts, parts of another study, or with a cell twice; and the same numbers from every engine."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import threading
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from subprocess import Popen
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import msgspec
import numpy as np
import pytest

from app.engine.worker_process import WorkerProcess
from app.features.study import engines, results, running
from app.features.study.cells import Path as CellPath
from app.features.study.cells import paths, shard
from app.features.study.computing import Record
from app.features.study.model import Study, StudyAxis
from app.features.study.results import ResultsFile, difference, manifest
from app.features.study.running import StudyProcesses
from app.files.documents import FileError
from app.state.document import Lane

from .studies import FAILING, GRID, KNN, computed, document_of, exported, given_of, plain, results_of


def run(study: Study, folder: Path, **options: object) -> None:
    folder.mkdir(exist_ok=True)
    for _ in engines.run(study, None, paths(study), folder, **options):  # type: ignore[arg-type]
        pass


def n_results(study: Study, todo: list[CellPath], folder: Path) -> int:
    """Compute `todo` into `folder`."""
    return sum(len(records) for records, _ in engines.run(study, None, todo, folder))


def whole_missing(study: Study, folder: Path, retry: bool = False) -> list[CellPath]:
    """Return the paths of which some cell is missing."""
    found = results.read(folder, study)
    return [path for path in paths(study) if found.missing([path], retry)]


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.jsonl"))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Start other processes with the first cell."""
    monkeypatch.setattr(running, "DELAY", 0.0)
    monkeypatch.setattr(running, "WORTHWHILE", -1.0)


def test_two_shards_and_three_processes_have_the_results_of_one(tmp_path: Path, at_once: None) -> None:
    expected = plain(KNN, computed(KNN))
    merged, several = tmp_path / "merged", tmp_path / "several"
    for folder in (merged, several):
        folder.mkdir()
    for number in (1, 2):
        mine = shard(paths(KNN), number, 2)
        assert n_results(KNN, mine, merged) == sum(len(path.cells) for path in mine)
    assert len(parts(merged)) == 2 and exported(merged) == expected
    (tmp_path / "of C").mkdir()
    for number in (2, 1):
        list(engines.run(GRID, None, shard(paths(GRID), number, 2), tmp_path / "of C"))
    assert exported(tmp_path / "of C") == plain(GRID, computed(GRID))
    run(KNN, several, jobs=3)
    assert len(parts(several)) == 1 and exported(several) == expected
    (head,) = {path.read_bytes().splitlines()[0] for path in (*parts(merged), *parts(several))}
    assert head.startswith(msgspec.json.encode({"manifest": manifest(KNN)})[:-1] + b',"crc":')


@pytest.mark.soak
@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="dask is not installed")
def test_a_dask_cluster_has_the_results_of_one_process(tmp_path: Path) -> None:
    for name, study in (("knn", KNN), ("grid", GRID)):
        run(study, tmp_path / name, dask="local", jobs=2)
        assert exported(tmp_path / name) == plain(study, computed(study))
    given = given_of(document_of().training_points)
    study = msgspec.structs.replace(GRID, generator=None, digest="d")
    (tmp_path / "given").mkdir()
    for _ in engines.run(study, given, paths(study), tmp_path / "given", dask="local", jobs=2):
        pass
    assert exported(tmp_path / "given") == plain(study, computed(study, given))


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("distributed") is None, reason="dask is not installed")
def test_only_the_run_itself_can_use_its_local_cluster() -> None:
    distributed = importlib.import_module("distributed")
    with closing(engines.run(GRID, None, paths(GRID), None, dask="local")) as computing:  # type: ignore[type-var]
        assert next(computing)[0]
        own = distributed.default_client()
        address = own.scheduler.address
        assert address.startswith("tls://127.0.0.1:") and own.run_on_scheduler(int) == 0
        strangers = [(address, distributed.Security.temporary()), (address.replace("tls:", "tcp:"), None)]
        for at, security in strangers:
            with pytest.raises((OSError, AssertionError)):  # Dask's errors for a closed connection
                distributed.Client(at, security=security, timeout=3, set_as_default=False)
        host, port = own.run_on_scheduler(_http_server)
        assert host == "127.0.0.1"
        with pytest.raises(HTTPError, match="404"):
            urlopen(f"http://127.0.0.1:{port}/info/main/workers.html", timeout=10)


def _http_server(dask_scheduler: Any) -> tuple[str, int]:
    server = dask_scheduler.services["dashboard"]
    return server.address, server.port


def test_little_work_starts_no_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "DELAY", 300.0)  # the others wait until there is no work left
    monkeypatch.setattr(WorkerProcess, "_started", None)
    run(KNN, tmp_path, jobs=8)
    assert len(parts(tmp_path)) == 1 and exported(tmp_path) == plain(KNN, computed(KNN))


@pytest.mark.slow
def test_what_a_process_was_at_when_it_died_is_computed_by_another(
    tmp_path: Path, at_once: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    workers: list[int] = []
    begin = WorkerProcess._started

    def noted(worker: WorkerProcess) -> Popen[bytes]:
        process = begin(worker)
        workers.append(process.pid)
        return process

    monkeypatch.setattr(WorkerProcess, "_started", noted)
    study = msgspec.structs.replace(GRID, repetitions=1000)
    posted, killed = StudyProcesses._post, threading.Event()

    def kill(run: StudyProcesses, records: Sequence[Record], done: int) -> None:
        posted(run, records, done)
        if threading.current_thread() is run.threads[1] and not killed.is_set():  # that of the other process
            os.kill(workers[0], signal.SIGKILL)
            killed.set()

    monkeypatch.setattr(StudyProcesses, "_post", kill)
    for _ in engines.run(study, None, paths(study), tmp_path, jobs=2):
        pass
    assert killed.is_set() and len(workers) >= 2 and not results.read(tmp_path, study).missing()
    assert not results.read(tmp_path, study).errors


@pytest.mark.soak
def test_four_processes_have_the_results_of_one(tmp_path: Path, at_once: None) -> None:
    study = msgspec.structs.replace(GRID, repetitions=300)
    run(study, tmp_path / "grid", jobs=4)
    assert exported(tmp_path / "grid") == plain(study, computed(study))


@pytest.mark.soak
def test_large_given_points_reach_the_workers(tmp_path: Path, at_once: None) -> None:
    given = given_of(document_of(40_000).training_points)
    study = msgspec.structs.replace(GRID, generator=None, digest="d", axes=(GRID.axes[1].__class__("n", (5, 6)),))
    expected = plain(study, computed(study, given))
    found = computed(study, given, jobs=2)
    assert plain(study, found) == expected and not any(record.error for record in found)


@pytest.mark.parametrize("cut", [1, 30, 10_000])
def test_a_torn_last_line_is_dropped_and_computed_again(tmp_path: Path, cut: int) -> None:
    run(KNN, tmp_path)
    (part,) = parts(tmp_path)
    whole = exported(tmp_path)
    data = part.read_bytes()
    part.write_bytes(data[: max(20, len(data) - cut)])
    todo = whole_missing(KNN, tmp_path)
    assert (todo and len(todo) < len(paths(KNN))) or cut == 10_000
    for _ in engines.run(KNN, None, todo, tmp_path):
        pass
    assert exported(tmp_path) == whole
    assert len({line.split(",")[0] for line in whole}) == len(whole)  # no cell twice


def test_a_broken_off_path_is_computed_again_whole(tmp_path: Path) -> None:
    run(GRID, tmp_path)
    (part,) = parts(tmp_path)
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join(lines[:-2]))  # the last path has its first C only
    todo = whole_missing(GRID, tmp_path)
    assert todo == paths(GRID)[-1:]
    assert n_results(GRID, todo, tmp_path) == 3
    assert exported(tmp_path) == plain(GRID, computed(GRID))


def test_results_of_another_study_are_refused_with_what_differs(tmp_path: Path) -> None:
    run(KNN, tmp_path)
    other = msgspec.structs.replace(KNN, draws=4)
    with pytest.raises(FileError, match=r"is of another study: draws is 4 here and 3 there\."):
        results.read(tmp_path, other)
    ResultsFile(tmp_path, other).close()
    with pytest.raises(FileError, match="is of another study: draws is"):
        results.read(tmp_path)
    assert difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == "a[2].b is 2 here and 3 there"
    assert difference({"a": [1]}, {"a": [1, 2]}) == "a has 1 entries here and 2 there"
    assert difference({"a": 1}, {}) == "a is set in one only"


def test_other_numerics_are_refused(tmp_path: Path) -> None:
    old = manifest(KNN) | {"numerics": 0}
    (tmp_path / "part-a.jsonl").write_bytes(json.dumps({"manifest": old}).encode() + b"\n")
    with pytest.raises(FileError, match="numerics"):
        results.read(tmp_path, KNN)
    with pytest.raises(FileError, match="numerics 0"):
        results.read(tmp_path)


BROKEN = {
    "no JSON": (b"{]\n{}\n", "is damaged in its first line, which names its study: run the study again"),
    "no manifest": (b'{"key": 1}\n', "is damaged in its first line"),
    "a list": (b"[]\n{}\n", "is damaged in its first line"),
    "an unknown study": (b'{"manifest": {"study": {"kind": "x"}, "numerics": 1}}\n', "does not know"),
    "a deep line": (b"[" * 100_000 + b"\n{}\n", "is damaged in its first line"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_parts_are_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    data, shown = BROKEN[name]
    (tmp_path / "part-a.jsonl").write_bytes(data)
    with pytest.raises(FileError, match=shown):
        results.read(tmp_path)


#: Changes of a line of `KNN`, by description; each is a dict of keys, or the bytes of the whole line.
DAMAGES: dict[str, dict[str, object] | bytes] = {
    "no JSON": b"{]",
    "a deep line": b"[" * 100_000,
    "no UTF-8": b'{"places": "\xff"}',
    "not an object": b"null",
    "no result": b'{"key": 1}',
    "a value beyond measure": {"values": {"accuracy": 1e300}},
    "an accuracy above 1": {"values": {"accuracy": 9.95}},
    "a negative accuracy": {"values": {"accuracy": -0.1}},
    "an unknown measure": {"values": {"acuracy": 0.5}},
    "a negative time": {"seconds": -1.0},
    "a place beyond the axes": {"places": [99, 0, 0]},
    "a negative place": {"places": [-1, 0, 0]},
    "too few places": {"places": [0, 0]},
    "a cell that does not exist": {"places": [0, 3, 0]},
    "another repetition": {"repetition": 2},
    "a negative fold": {"fold": -1},
}


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_line_is_named_and_its_cell_computed_again(tmp_path: Path, name: str) -> None:
    run(KNN, tmp_path)
    (part,) = parts(tmp_path)
    whole, lines = exported(tmp_path), part.read_bytes().splitlines()
    damage = DAMAGES[name]
    if isinstance(damage, dict):  # as a program without checksums would have written it
        damage = json.dumps({key: each for key, each in json.loads(lines[4]).items() if key != "crc"} | damage).encode()
    lines[4] = damage
    part.write_bytes(b"\n".join([*lines, b""]))
    found = results.read(tmp_path, KNN)
    assert found.damaged == [f"{part.name}, line 5"] and found.done == len(whole) - 2  # without the header
    assert found.damage == f"1 damaged line set aside, to be computed again: {part.name}, line 5."
    todo = whole_missing(KNN, tmp_path)
    assert len(todo) == 1 and n_results(KNN, todo, tmp_path)
    assert exported(tmp_path) == whole


def test_a_checksum_finds_what_is_in_range_but_changed(tmp_path: Path) -> None:
    run(KNN, tmp_path)
    (part,) = parts(tmp_path)
    lines = part.read_bytes().splitlines()
    changed = json.loads(lines[4])
    changed["values"]["accuracy"] = 0.123
    lines[4] = json.dumps(changed).encode()
    part.write_bytes(b"\n".join([*lines, b""]))
    assert results.read(tmp_path).damaged == [f"{part.name}, line 5"]


def test_lines_of_earlier_versions_have_no_checksum(tmp_path: Path) -> None:
    run(KNN, tmp_path)
    (part,) = parts(tmp_path)
    whole, lines = exported(tmp_path), map(json.loads, part.read_bytes().splitlines())
    part.write_text("".join(f"{json.dumps({n: v for n, v in line.items() if n != 'crc'})}\n" for line in lines))
    assert exported(tmp_path) == whole and not results.read(tmp_path).damage


def without_head(part: Path) -> None:
    """Damage the first line of a file."""
    head, rest = part.read_bytes().split(b"\n", 1)
    part.write_bytes(head[:40] + b"#" + head[41:] + b"\n" + rest)


def test_a_damaged_first_line_is_made_up_for_by_the_study_or_another_file(tmp_path: Path) -> None:
    run(KNN, tmp_path)
    (part,) = parts(tmp_path)
    whole = exported(tmp_path)
    without_head(part)
    with pytest.raises(FileError, match=r"is damaged in its first line.* run the study again with its STUDY\.toml"):
        results.read(tmp_path)
    found = results.read(tmp_path, KNN)
    assert plain(KNN, found.records()) == whole and not (found.damaged or found.n_files)
    ResultsFile(tmp_path, KNN).close()  # as the next run does
    assert exported(tmp_path) == whole and not results.read(tmp_path).damaged


def test_lines_of_another_study_are_not_confused_with_those_of_this_one(tmp_path: Path) -> None:
    run(msgspec.structs.replace(KNN, draws=4), tmp_path)
    (part,) = parts(tmp_path)
    without_head(part)
    with pytest.raises(FileError, match="no other line proves it: move the file out of the folder"):
        results.read(tmp_path, KNN)
    line = json.loads(part.read_bytes().splitlines()[1])
    del line["crc"]  # of an earlier version: of any study
    part.write_bytes(b"{]\n" + json.dumps(line).encode() + b"\n")
    with pytest.raises(FileError, match="no other line proves it"):
        results.read(tmp_path, KNN)


def test_a_damaged_line_is_named_while_results_are_missing(tmp_path: Path) -> None:
    run(KNN, tmp_path)
    (part,) = parts(tmp_path)
    lines = part.read_bytes().splitlines(keepends=True)
    part.write_bytes(b"".join([*lines, b"noise\n", lines[1]]))
    assert not results.read(tmp_path).damage
    # Earlier versions noted lines that had been computed again.
    part.write_bytes(b"".join([*lines[:-1], b"noise\n", b'{"settled":["part-a.jsonl, line 2"]}\n']))
    assert results.read(tmp_path).damaged == [f"{part.name}, line {len(lines)}"]


def test_lines_of_the_version_before_have_checksums_of_themselves_alone(tmp_path: Path) -> None:
    run(KNN, tmp_path)
    (part,) = parts(tmp_path)
    whole, lines = exported(tmp_path), map(json.loads, part.read_bytes().splitlines())
    bare = [{name: value for name, value in line.items() if name != "crc"} for line in lines]
    part.write_bytes(b"".join(results._line(line, 0) for line in bare))
    assert exported(tmp_path) == whole and not results.read(tmp_path).damage


def test_of_many_damaged_lines_the_first_are_named(tmp_path: Path) -> None:
    head = json.dumps({"manifest": manifest(KNN)})
    (tmp_path / "part-a.jsonl").write_text(f"{head}\n" + "{}\n" * 8)
    assert results.read(tmp_path).damage.endswith("part-a.jsonl, line 6; and 3 more.")


def test_a_part_without_its_first_line_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "part-a.jsonl").write_bytes(b'{"manif')
    (tmp_path / "part-b.jsonl").write_bytes(b"")
    found = results.read(tmp_path, KNN)
    assert not found.done and found.n_files == 0


def test_tables_name_parameters_without_their_classifier() -> None:
    study = Study(
        "grid", (StudyAxis("tree_max_depth", (1, 2)), StudyAxis("noise", (0.1,))), lane=Lane("tree"), digest="d"
    )
    head, *_ = results.StudyResults(study).table().decode().splitlines()
    assert head == "cell,max_depth,noise,repetition,fold,accuracy,status,error,seconds"


def test_failures_are_done_until_they_are_tried_again(tmp_path: Path) -> None:
    study = msgspec.structs.replace(FAILING, repetitions=1)
    run(study, tmp_path)
    found = results.read(tmp_path, study)
    failed = [record for record in found.records() if record.error]
    assert failed and not found.missing()
    again = whole_missing(study, tmp_path, retry=True)
    assert again and len(again) < len(paths(study))
    for record in failed:  # of a failure and a result, the result counts, in either order
        file = ResultsFile(tmp_path, study)
        file.add(msgspec.structs.replace(record, status="", error="", values={"accuracy": 0.5}))
        file.close()
    assert not results.read(tmp_path).errors


def test_means_do_not_depend_on_the_order() -> None:
    records = computed(GRID)
    forth, back = (results_of(GRID, some).means("dual") for some in (records, records[::-1]))
    assert np.array_equal(forth.mean, back.mean) and np.array_equal(forth.spread, back.spread)
    assert (forth.count == 6).all()
