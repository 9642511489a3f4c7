"""Cells: which trainings a study is made of, in which order, what each is called and what it draws from.

The unit of work is a *path*: the cells along one axis (all C of one gamma), for one repetition and one fold.  A cell is
named by the hash of everything that its result depends on; its seed follows from the data part of that alone, so all
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

#: The oldest version whose results a document shows, to be computed again.
OLDEST = 2
#: Every how many places of an axis are computed first, then next, then all.
COARSE = (4, 2, 1)

Places = tuple[int, ...]


class Path(msgspec.Struct, frozen=True):
    """What is computed in one go.

    Attributes
    ----------
    number : int
        Its place in the order of all.
    cells : tuple of tuple of int
        The place of each cell on each axis, in the order in which they are computed.
    repetition, fold : int
    """

    number: int
    cells: tuple[Places, ...]
    repetition: int
    fold: int

    def only(self, wanted: Callable[[tuple[int, ...]], Any]) -> Path:
        """Return the path with those cells alone whose result, by its index in the arrays, is `wanted`."""
        cells = tuple(cell for cell in self.cells if wanted((*cell, self.repetition, self.fold)))
        return msgspec.structs.replace(self, cells=cells)


def paths(study: Study) -> list[Path]:
    """All paths, the same list wherever it is made: map by map, coarse cells first; and the first repetition and fold
    of all cells before the second, so that there is a whole map soon."""
    along = study.path_axis
    sides = [range(1) if a == along else range(len(axis.values)) for a, axis in enumerate(study.axes)]
    ordered = sorted(product(*sides), key=lambda each: (each[2:], _level(study, each, along), each))
    exists, chains = existing_cells(study), []
    for places in ordered:
        steps = range(len(study.axes[along].values)) if along >= 0 else range(1)
        cells = ((*places[:along], step, *places[along + 1 :]) if along >= 0 else places for step in steps)
        chains.append(tuple(each for each in cells if exists[each]))
    rounds = product(range(study.repetitions), range(max(1, study.folds)), filter(None, chains))
    return [Path(number, cells, repetition, fold) for number, (repetition, fold, cells) in enumerate(rounds)]


def _level(study: Study, places: Places, along: int) -> int:
    """0 for what is computed first; only the sides of the map have coarse places."""
    sides = ((place, axis) for a, (place, axis) in enumerate(zip(places[:2], study.axes, strict=False)) if a != along)
    coarse = (place for place, axis in sides if place < len(axis.values) - 1)
    return max((next(i for i, every in enumerate(COARSE) if place % every == 0) for place in coarse), default=0)


def shard(all_paths: list[Path], number: int, count: int) -> list[Path]:
    """Part `number` of `count`, from 1."""
    return all_paths[number - 1 :: count]


def data_of(study: Study, places: Places) -> dict[str, Any]:
    """What the points of a cell follow from, but for the repetition."""
    choice = study.choice(places)
    generator = study.generator_at(choice)
    return {"points": study.digest, "n": choice.get("n", 0)} if generator is None else {"generator": generator}


def numerics_of(study: Study) -> int:
    """The version of the numerics that computes `study`."""
    return study.lane.family.numerics


def key_of(study: Study, places: Places, repetition: int, fold: int) -> str:
    """The name of a cell's result."""
    lane = study.lane_at(study.choice(places))
    whole = {
        "numerics": numerics_of(study),
        "data": data_of(study, places),
        "classifier": lane.classifier,
        "settings": lane.settings,
        "repetition": repetition,
        "fold": fold,
        "values": study.values,
        "path": _beginning(study, places),
        "other": study.other,
        **{name: getattr(study, name) for name in ("folds", "draws", "test", "test_on", "most_steps")},
    }
    return str(_digest(whole).hexdigest()[:24])


def _beginning(study: Study, places: Places) -> list[Any]:
    """The values before a cell on its path: within the tolerance its multipliers depend on where they came from."""
    along = study.path_axis
    warm = along >= 0 and study.axes[along].name == "C"
    return list(study.axes[along].values[: places[along]]) if warm else []


def seed_of(data: dict[str, Any], repetition: int, draw: int, purpose: str) -> int:
    """A seed for one purpose ("points", "tests"), from the data part alone."""
    whole = {"data": data, "repetition": repetition, "draw": draw, "purpose": purpose}
    return int.from_bytes(_digest(whole).digest()[:8], "little")


def _digest(value: dict[str, Any]) -> Any:
    return hashlib.sha256(msgspec.json.encode(value, order="sorted"))


def digest_of(*parts: Points) -> str:
    """What names given points: places and labels, in their order."""
    digest = hashlib.sha256()
    for points in parts:
        digest.update(len(points).to_bytes(8, "little"))
        digest.update(np.ascontiguousarray(points.xy, dtype="<f8").tobytes())
        digest.update(np.ascontiguousarray(points.labels, dtype="u1").tobytes())
    return digest.hexdigest()[:24]
