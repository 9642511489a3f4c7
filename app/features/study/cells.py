"""Cells: the trainings of a study, their order, the name of each, and the seed of its random numbers.

The unit of work is a *path*: the cells along one axis (every C for one gamma), for one repetition and one fold.  A cell
is named by the hash of everything that its result depends on.  Its seed depends on the data part of that only, so all
cells of a repetition have the same points and folds, wherever and whenever they are computed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from itertools import product
from typing import Any

import msgspec
import numpy as np

from app.core.points import Points

from .model import Study, existing_cells

#: Oldest version of the numerics whose results a document still shows, with the offer to compute them again.
OLDEST = 2
#: Strides along an axis, in the order of computing: every fourth value first, then every second, then all.
COARSE = (4, 2, 1)

CellIndex = tuple[int, ...]


class Path(msgspec.Struct, frozen=True):
    """Cells that one process computes in one go.

    Attributes
    ----------
    number : int
        Its index in the list of all paths.
    cells : tuple of tuple of int
        Index on each axis of each cell, in the order of computing.
    repetition, fold : int
    """

    number: int
    cells: tuple[CellIndex, ...]
    repetition: int
    fold: int

    def only(self, wanted: Callable[[tuple[int, ...]], Any]) -> Path:
        """Return the path with only those cells whose result, by its index in the arrays, is `wanted`."""
        cells = tuple(cell for cell in self.cells if wanted((*cell, self.repetition, self.fold)))
        return msgspec.structs.replace(self, cells=cells)


def paths(study: Study) -> list[Path]:
    """Return all paths, the same list on every machine: map by map, coarse cells first.

    The first repetition and fold of all cells come before the second, so that a whole map is there soon.
    """
    along = study.path_axis
    sides = [range(1) if a == along else range(len(axis.values)) for a, axis in enumerate(study.axes)]
    ordered = sorted(product(*sides), key=lambda each: (each[2:], _level(study, each, along), each))
    exists, chains = existing_cells(study), []
    for start in ordered:
        steps = range(len(study.axes[along].values)) if along >= 0 else range(1)
        cells = ((*start[:along], step, *start[along + 1 :]) if along >= 0 else start for step in steps)
        chains.append(tuple(each for each in cells if exists[each]))
    rounds = product(range(study.repetitions), range(max(1, study.folds)), filter(None, chains))
    return [Path(number, cells, repetition, fold) for number, (repetition, fold, cells) in enumerate(rounds)]


def _level(study: Study, cell: CellIndex, along: int) -> int:
    """Return the round in which the cells are computed, 0 for the first; only the sides of the map have rounds."""
    sides = ((index, axis) for a, (index, axis) in enumerate(zip(cell[:2], study.axes, strict=False)) if a != along)
    coarse = (index for index, axis in sides if index < len(axis.values) - 1)
    return max((next(i for i, every in enumerate(COARSE) if index % every == 0) for index in coarse), default=0)


def shard(all_paths: list[Path], number: int, count: int) -> list[Path]:
    """Return part `number` of `count` parts, counted from 1."""
    return all_paths[number - 1 :: count]


def data_of(study: Study, cell: CellIndex) -> dict[str, Any]:
    """Return what the points of a cell depend on, besides the repetition."""
    choice = study.choice(cell)
    generator = study.generator_at(choice)
    return {"points": study.digest, "n": choice.get("n", 0)} if generator is None else {"generator": generator}


def numerics_of(study: Study) -> int:
    """Return the version of the numerics that computes `study`."""
    return study.lane.family.numerics


def key_of(study: Study, cell: CellIndex, repetition: int, fold: int) -> str:
    """Return the name of a cell's result: the hash of everything that it depends on."""
    lane = study.lane_at(study.choice(cell))
    whole = {
        "numerics": numerics_of(study),
        "data": data_of(study, cell),
        "classifier": lane.classifier,
        "settings": lane.settings,
        "repetition": repetition,
        "fold": fold,
        "values": study.values,
        "path": _beginning(study, cell),
        "other": study.other,
        **{name: getattr(study, name) for name in ("folds", "draws", "test", "test_on", "most_steps")},
    }
    return str(_digest(whole).hexdigest()[:24])


def _beginning(study: Study, cell: CellIndex) -> list[Any]:
    """Return the values before a cell on its path: the multipliers depend on them, within the tolerance."""
    along = study.path_axis
    warm = along >= 0 and study.axes[along].name == "C"
    return list(study.axes[along].values[: cell[along]]) if warm else []


def seed_of(data: dict[str, Any], repetition: int, draw: int, purpose: str) -> int:
    """Return a seed for one purpose ("points", "tests"), from the data part alone."""
    whole = {"data": data, "repetition": repetition, "draw": draw, "purpose": purpose}
    return int.from_bytes(_digest(whole).digest()[:8], "little")


def _digest(value: dict[str, Any]) -> Any:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted"))


def digest_of(*parts: Points) -> str:
    """Return the hash that names given points: their locations and labels, in order."""
    digest = hashlib.sha256()
    for points in parts:
        digest.update(len(points).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(points.xy, dtype="<f8").tobytes())
        digest.update(np.ascontiguousarray(points.labels, dtype="u1").tobytes())
    return digest.hexdigest()[:24]
