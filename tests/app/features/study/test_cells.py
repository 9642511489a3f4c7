"""Cells: their order, their names and their seeds."""

from __future__ import annotations

from itertools import product

import msgspec
import pytest

from app.features.study.cells import data_of, digest_of, key_of, paths, seed_of, shard
from app.features.study.model import NOTES, Study, StudyAxis, existing_cells
from app.features.study.planning import costs_of, seconds_of, trainings_of
from app.learners.svm import SvmSettings
from app.state.document import GeneratorSettings, Lane

from .studies import GRID, KNN


def test_paths_hold_every_cell_once() -> None:
    for study in (GRID, KNN):
        found = [(cell, path.repetition, path.fold) for path in paths(study) for cell in path.cells]
        assert len(found) == len(set(found))
        assert [path.number for path in paths(study)] == list(range(len(paths(study))))
    assert trainings_of(GRID) == 3 * 2 * 3 * 2 == sum(len(path.cells) for path in paths(GRID))
    assert trainings_of(NOTES) == 55 * 3 * 2 * 3 * 1000 == 100 * sum(len(path.cells) for path in paths(NOTES))


def test_a_path_goes_along_C_from_the_first() -> None:
    for path in paths(GRID):
        assert [cell[0] for cell in path.cells] == [0, 1, 2] and len({cell[1] for cell in path.cells}) == 1


def test_coarse_cells_come_first() -> None:
    study = Study(
        "grid", (StudyAxis("gamma", tuple(map(float, range(1, 10)))), StudyAxis("degree", tuple(range(1, 10))))
    )
    order = [path.cells[0] for path in paths(study)]
    assert set(order[:9]) == {(i, j) for i in (0, 4, 8) for j in (0, 4, 8)}
    assert set(order[:25]) == {(i, j) for i in range(0, 9, 2) for j in range(0, 9, 2)}


def test_shards_part_the_work() -> None:
    every = paths(GRID)
    parts = [shard(every, i, 5) for i in range(1, 6)]
    assert sorted(path.number for part in parts for path in part) == list(range(len(every)))
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_names_depend_on_everything() -> None:
    base = key_of(GRID, (0, 0), 0, 0)
    others = [
        key_of(GRID, (1, 0), 0, 0),
        key_of(GRID, (0, 1), 0, 0),
        key_of(GRID, (0, 0), 1, 0),
        key_of(GRID, (0, 0), 0, 1),
    ]
    changes = [
        {"folds": 4},
        {"lane": Lane("svm", svm=SvmSettings(tol=1e-2))},
        {"generator": GeneratorSettings("circle", 30, 0.2, seed=1)},
        {"most_steps": 7},
        {"test": 7},
        {"draws": 2},
        {"test_on": "square"},
        {"values": ("accuracy",)},
    ]
    others += [key_of(msgspec.structs.replace(GRID, **change), (0, 0), 0, 0) for change in changes]
    assert len({base, *others}) == len(others) + 1
    # Not part of a cell: repetitions, and values after it.
    more = msgspec.structs.replace(
        GRID, repetitions=9, axes=(StudyAxis("C", (0.1, 7.0)), StudyAxis("gamma", (0.3, 9.0, 10.0)))
    )
    assert key_of(more, (0, 0), 0, 0) == base
    # A training begins from the result of the C before.
    assert key_of(msgspec.structs.replace(GRID, axes=(StudyAxis("C", (1.0,)), GRID.axes[1])), (0, 0), 0, 0) != key_of(
        GRID, (1, 0), 0, 0
    )


def test_seeds_follow_from_the_data_alone() -> None:
    of = {seed_of(data_of(GRID, locations), 0, 0, "points") for locations in ((0, 0), (2, 1))}
    other = msgspec.structs.replace(
        GRID, lane=Lane("knn"), axes=(StudyAxis("k", (1,)), StudyAxis("weights", ("uniform",)))
    )
    assert of == {seed_of(data_of(other, (0, 0)), 0, 0, "points")}
    data = data_of(GRID, (0, 0))
    assert len({seed_of(data, r, d, p) for r in (0, 1) for d in (0, 1) for p in ("points", "tests")}) == 8
    assert seed_of(data_of(KNN, (0, 0, 0)), 0, 0, "points") != seed_of(data_of(KNN, (1, 0, 0)), 0, 0, "points")


def test_points_are_named_by_what_they_are() -> None:
    points = GeneratorSettings("moons", 5, 0.2).points()
    moved = points.move([0], points.xy[:1] + 1e-9)
    assert len({digest_of(points), digest_of(moved), digest_of(points.relabel([0], 3)), digest_of(points, moved)}) == 4


def test_there_is_a_whole_map_soon_and_repetitions_refine_it() -> None:
    """With the example of the lecture notes: 10 paths of 1800 are the first map, 3 s where the whole takes 10
    minutes.
    """
    every = paths(NOTES)
    first = {cell for path in every[:10] for cell in path.cells}
    sides = [range(len(axis.values)) for axis in NOTES.axes[:2]]
    assert first == {(*each, 0, 0, 0) for each in product(*sides) if existing_cells(NOTES)[(*each, 0, 0, 0)]}
    assert all(path.repetition == 0 for path in every[:180]), "all maps come once before one is refined"
    seconds, costs = seconds_of(NOTES, None), costs_of(NOTES, None)
    assert sum(costs[cell] for cell in first) < seconds / 150
    assert seconds == pytest.approx(sum(costs[cell] for path in every for cell in path.cells))
    assert [path.fold for path in paths(GRID)][: len(paths(GRID)) // 6] == [0] * (len(paths(GRID)) // 6)
