"""Folds: the fold of each point, for files from which a study can be repeated elsewhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from .computing import Given, dealt
from .model import DATA_AXES, Study


def folds_of_study(study: Study, given: Given | None) -> Iterator[dict[str, Any]]:
    """Yield each set of points that the study assigns to folds; those of a document if they are `given`.

    Each has the values of the data axes, the repetition and the draw; and for each point, in lists, the location `X`,
    the class `y`, and the fold as in the results, from 1.
    """
    sides = (range(len(axis.values) if axis.name in DATA_AXES else 1) for axis in study.axes)
    for cell, repetition, draw in product(product(*sides), range(study.repetitions), range(study.draws)):
        points, folds = dealt(study, cell, given, repetition, draw)
        yield {
            **{name: value for name, value in study.choice(cell).items() if name in DATA_AXES},
            "repetition": repetition + 1,
            "draw": draw + 1,
            "X": points.xy.tolist(),
            "y": points.labels.tolist(),
            "fold": (folds + 1).tolist(),
        }


def rows_of(sets: Iterable[dict[str, Any]]) -> Iterator[list[Any]]:
    """Yield the heads of a table, and a row for each point of these sets."""
    for number, each in enumerate(sets):
        *same, X, y, folds = each.values()
        if not number:
            yield [*list(each)[:-3], "row", "x", "y", "class", "fold"]
        yield from (
            [*same, row, *xy, label, fold] for row, (xy, label, fold) in enumerate(zip(X, y, folds, strict=True))
        )
