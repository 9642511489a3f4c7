"""Results: parts that are torn, of another study, or hold a cell twice; and the same numbers from every engine."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
from pathlib import Path

import msgspec
import pytest

from app.features.study import engines, results
from app.features.study.cells import paths, shard
from app.features.study.model import Study
from app.features.study.results import Part, difference, manifest, summaries
from app.files.documents import FileError

from .studies import GRID, KNN, computed, document_of, exported, given_of, plain


def run(study: Study, folder: Path, **options: object) -> None:
    folder.mkdir(exist_ok=True)
    for _ in engines.run(study, None, paths(study), folder, **options):  # type: ignore[arg-type]
        pass


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob("part-*.jsonl"))


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other processes begin with the first cell."""
    monkeypatch.setattr(engines, "LOOK", -1.0)
    monkeypatch.setattr(engines, "WORTHWHILE", -1.0)


def test_two_shards_and_three_processes_have_the_results_of_one(tmp_path: Path, at_once: None) -> None:
    expected = plain(KNN, computed(KNN))
    merged, several = tmp_path / "merged", tmp_path / "several"
    for folder in (merged, several):
        folder.mkdir()
    for number in (1, 2):
        mine = shard(paths(KNN), number, 2)
        assert sum(map(len, engines.run(KNN, None, mine, merged))) == sum(len(path.cells) for path in mine)
    assert len(parts(merged)) == 2 and exported(merged) == expected
    (tmp_path / "of C").mkdir()
    for number in (2, 1):
        list(engines.run(GRID, None, shard(paths(GRID), number, 2), tmp_path / "of C"))
    assert exported(tmp_path / "of C") == plain(GRID, computed(GRID))
    run(KNN, several, jobs=3)
    assert len(parts(several)) >= 2 and exported(several) == expected
    assert {path.read_bytes().splitlines()[0] for path in (*parts(merged), *parts(several))} == {
        msgspec.json.encode({"manifest": manifest(KNN)})
    }


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


def test_little_work_starts_no_process(tmp_path: Path) -> None:
    run(KNN, tmp_path, jobs=8)
    assert len(parts(tmp_path)) == 1 and exported(tmp_path) == plain(KNN, computed(KNN))


def test_a_process_that_dies_is_told(tmp_path: Path, at_once: None) -> None:
    others: list[int] = []
    study = msgspec.structs.replace(GRID, repetitions=5000)
    with pytest.raises(engines.EngineError, match="has ended by itself"):
        for _ in engines.run(study, None, paths(study), tmp_path, jobs=2):
            theirs = [part for part in parts(tmp_path) if f"-{os.getpid()}-" not in part.name]
            if theirs and not others:
                others.append(int(theirs[0].name.split("-")[-2]))
                os.kill(others[0], signal.SIGKILL)
    assert others and results.read(tmp_path, study).records


@pytest.mark.soak
def test_four_processes_have_the_results_of_one(tmp_path: Path, at_once: None) -> None:
    study = msgspec.structs.replace(GRID, repetitions=300)
    run(study, tmp_path / "grid", jobs=4)
    assert len(parts(tmp_path / "grid")) == 4 and exported(tmp_path / "grid") == plain(study, computed(study))


@pytest.mark.soak
def test_large_given_points_reach_the_workers(tmp_path: Path, at_once: None) -> None:
    given = given_of(document_of(40_000).training_points)
    study = msgspec.structs.replace(GRID, generator=None, digest="d", axes=(GRID.axes[1].__class__("n", (5, 6)),))
    expected = plain(study, computed(study, given))
    (tmp_path / "r").mkdir()
    found = [each for records in engines.run(study, given, paths(study), tmp_path / "r", jobs=2) for each in records]
    assert plain(study, found) == expected and not any(record.error for record in found)


@pytest.mark.parametrize("cut", [1, 30, 10_000])
def test_a_torn_last_line_is_dropped_and_computed_again(tmp_path: Path, cut: int) -> None:
    run(KNN, tmp_path)
    (part,) = parts(tmp_path)
    whole = exported(tmp_path)
    data = part.read_bytes()
    part.write_bytes(data[: max(20, len(data) - cut)])
    found = results.read(tmp_path, KNN)
    todo = found.missing(KNN, paths(KNN))
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
    todo = results.read(tmp_path, GRID).missing(GRID, paths(GRID))
    assert todo == paths(GRID)[-1:]
    assert sum(map(len, engines.run(GRID, None, todo, tmp_path))) == 3
    assert exported(tmp_path) == plain(GRID, computed(GRID))


def test_results_of_another_study_are_refused_with_what_differs(tmp_path: Path) -> None:
    run(KNN, tmp_path)
    other = msgspec.structs.replace(KNN, draws=4)
    with pytest.raises(FileError, match=r"is of another study: draws is 4 here and 3 there\."):
        results.read(tmp_path, other)
    Part(tmp_path, other).close()
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
    "no JSON": (b"{]\n{}\n", "line 1, is not JSON"),
    "no manifest": (b'{"key": 1}\n', "does not begin with the study"),
    "a list": (b"[]\n{}\n", "line 1, is not a result"),
    "an unknown study": (b'{"manifest": {"study": {"kind": "x"}, "numerics": 1}}\n', "does not know"),
    "no result": (msgspec.json.encode({"manifest": manifest(KNN)}) + b'\n{"key": 1}\n{}\n', "line 2, is not a result"),
    "a result beyond measure": (
        msgspec.json.encode({"manifest": manifest(KNN)})
        + b'\n{"key": "a", "places": [0], "repetition": 0, "fold": 0, "values": {"accuracy": 1e300}}\n{}\n',
        "line 2, is not a result",
    ),
    "a deep line": (b"[" * 100_000 + b"\n{}\n", "line 1, is not"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_broken_parts_are_refused_in_a_sentence(tmp_path: Path, name: str) -> None:
    data, said = BROKEN[name]
    (tmp_path / "part-a.jsonl").write_bytes(data)
    with pytest.raises(FileError, match=said):
        results.read(tmp_path)


def test_a_part_without_its_first_line_counts_for_nothing(tmp_path: Path) -> None:
    (tmp_path / "part-a.jsonl").write_bytes(b'{"manif')
    (tmp_path / "part-b.jsonl").write_bytes(b"")
    found = results.read(tmp_path, KNN)
    assert not found.records and found.n_parts == 0


def test_failures_are_done_until_they_are_tried_again(tmp_path: Path) -> None:
    study = msgspec.structs.replace(KNN, k_up_to_n=False, repetitions=1)
    run(study, tmp_path)
    found = results.read(tmp_path, study)
    failed = {record.key for record in found.records.values() if record.error}
    assert failed and not found.missing(study, paths(study))
    again = found.missing(study, paths(study), retry=True)
    assert again and len(again) < len(paths(study))
    for key in failed:  # of a failure and a result, the result counts, in whichever order they come
        record = found.records[key]
        part = Part(tmp_path, study)
        part.add(msgspec.structs.replace(record, error="", values={"accuracy": 0.5}))
        part.close()
    assert not any(record.error for record in results.read(tmp_path).records.values())


def test_a_summary_does_not_depend_on_the_order() -> None:
    records = computed(GRID)
    forth, back = summaries(records, "dual"), summaries(reversed(records), "dual")
    assert forth == back and list(forth) == sorted(forth) and all(each.count == 6 for each in forth.values())
