"""Pairs: the pairs of a table's columns that separate its classes best, by the accuracy of kNN.

As in Orange's VizRank, the score of a pair is the leave-one-out accuracy of kNN on its two standardised columns, for a
sample of the rows.  Columns that separate the classes best by themselves come first, so that the first tenth of a
second scores promising pairs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from app.core.number_format import grouped
from app.core.points import LIMIT
from app.files.documents import FileError
from solver.core.arrays import Array
from solver.knn.neighbors import KNeighborsClassifier

from .columns import bad_rows_of, classes_of
from .components import MOST_COLUMNS as MOST_OF_PLANE
from .components import Components, principal_components, standardised
from .roles import usable_columns
from .table import Table

#: Most columns whose pairs are scored (780 pairs), rows of the sample, and neighbours that vote.
MOST_COLUMNS, SAMPLE, NEIGHBOURS = 40, 500, 5

Pair = tuple[int, int]


class ScoredPair(Struct, frozen=True):
    """Two columns of a table, x further left than y, with the accuracy of kNN in their plane.

    Attributes
    ----------
    x, y : int
        Indices of columns.
    accuracy : float or None
        None without classes.
    """

    x: int
    y: int
    accuracy: float | None = None


class Views(Struct, frozen=True, eq=False):
    """The views of a table with more than two usable columns.

    Attributes
    ----------
    columns : tuple of int
        Indices of the usable columns.
    pairs : tuple of (int, int)
        Pairs of columns, the most promising first; in the table's order without classes.
    ranked : bool
        There are classes, so pairs can be ranked.
    sample : ndarray of shape (n, len(columns))
        The usable columns of the sampled rows, each standardised; NaN for a cell that is not a number.
    labels : ndarray of shape (n,), uint8
    components : Components or None
        Principal components of all columns, by the rows without a missing cell; None if there are none.
    plane : ndarray of shape (n, 2)
        The sampled rows in the plane of the components; NaN for a row with a missing cell.
    note : str
        Sentences on excluded columns, and on missing ranks, or "".
    """

    columns: tuple[int, ...]
    pairs: tuple[Pair, ...]
    ranked: bool
    sample: Array
    labels: NDArray[np.uint8]
    components: Components | None
    plane: Array
    note: str

    def points(self, pair: Pair | None) -> tuple[Array, NDArray[np.uint8]]:
        """Return the sampled points, with both coordinates, of a pair or of the plane of the components."""
        xy = self.plane if pair is None else self.sample[:, [self.columns.index(index) for index in pair]]
        whole = np.isfinite(xy).all(axis=1)
        return xy[whole], self.labels[whole]


def views(table: Table, label: int | None) -> Views | None:
    """Return the views of `table`, with the classes of column `label`; None for one row or two usable columns."""
    columns, note = usable_columns(table, label)
    if len(columns) < 3 or len(table) < 2:
        return None
    notes = [note]
    try:
        rows, labels = classes_of(table, label)
        ranked = len(np.unique(labels)) > 1
        if not ranked:
            notes.append("Without a class, pairs are in the order of the columns.")
    except FileError:  # reported in the summary
        (rows, labels), ranked = classes_of(table, None), False
    chosen = np.sort(np.random.default_rng(0).choice(len(rows), min(len(rows), SAMPLE), replace=False))
    rows, labels = rows[chosen], labels[chosen]
    values, sample = np.empty((2, len(columns), len(rows))).transpose(0, 2, 1)
    for index, column, scaled in zip(
        columns, values.T, sample.T, strict=True
    ):  # one call would block all other threads
        cells = table.columns[index].values[rows]
        column[:] = np.where(np.abs(cells) <= LIMIT, cells, np.nan)
        scaled[:] = standardised(column)[0]
    order = np.argsort(-_separation(sample, labels), kind="stable") if ranked else np.arange(len(columns))
    best = order[:MOST_COLUMNS]
    if len(columns) > MOST_COLUMNS:
        which = "that separate the classes best one by one" if ranked else "further left"
        notes.append(
            f"Pairs are of the {MOST_COLUMNS} columns {which}; x and y above offer all {grouped(len(columns))}."
        )
    # By sums of ranks, so that each column comes with good partners first.
    ranks = sorted(combinations(range(len(best)), 2), key=lambda pair: (sum(pair), pair) if ranked else pair)
    pairs = tuple(tuple(sorted((columns[best[first]], columns[best[second]]))) for first, second in ranks)
    plane = _plane(table, columns, label)
    if plane is None:
        why = "there are too many columns" if len(columns) > MOST_OF_PLANE else "no row has a number in every column"
        notes.append(f"No principal components: {why}.")
    located = np.full((len(rows), 2), np.nan) if plane is None else plane.project(values)
    return Views(columns, pairs, ranked, sample, labels, plane, located, " ".join(filter(None, notes)))


def _separation(sample: Array, labels: NDArray[np.uint8]) -> Array:
    """Return each column's correlation ratio: the share of its variance that is between the means of the classes."""
    between = np.zeros(sample.shape[1])
    for label in np.unique(labels):
        members = sample[labels == label]
        count = np.isfinite(members).sum(axis=0)
        between += np.nansum(members, axis=0) ** 2 / np.maximum(count, 1)
    ratio: Array = between / np.maximum(np.isfinite(sample).sum(axis=0), 1)
    return ratio


def _plane(table: Table, columns: Sequence[int], label: int | None) -> Components | None:
    """Return the components of the rows that would be imported."""
    if len(columns) > MOST_OF_PLANE:
        return None
    chosen = [table.columns[index] for index in columns]
    bad, _ = bad_rows_of(table, chosen, None if label is None else table.columns[label])
    values = [np.delete(each.values, bad) if len(bad) else each.values for each in chosen]
    return principal_components(values) if len(values[0]) else None


def accuracy(xy: Array, labels: NDArray[np.uint8]) -> float:
    """Return the leave-one-out accuracy of kNN; a point whose class ties with m - 1 others counts 1 / m."""
    model = KNeighborsClassifier(min(NEIGHBOURS, len(xy) - 1)).fit(xy, labels)
    shares = model.predict_proba(None)
    leaders = shares == shares.max(axis=1, keepdims=True)
    own = np.searchsorted(model.classes_, labels)
    return float(np.mean(leaders[np.arange(len(labels)), own] / leaders.sum(axis=1)))


def score(found: Views, pairs: Sequence[Pair], pause: Callable[[], object], seconds: float) -> list[ScoredPair]:
    """Return the scores of the first of `pairs`, as many as possible in about `seconds`, at least one.

    Parameters
    ----------
    found : Views
    pairs : sequence of (int, int)
    pause : callable
        Called after each pair; may wait, or end the work with an exception.
    seconds : float
    """
    scores, begun = list[ScoredPair](), time.monotonic()
    for pair in pairs:
        xy, labels = found.points(pair)
        scores.append(ScoredPair(*pair, accuracy(xy, labels) if found.ranked and len(xy) > 1 else None))
        pause()
        if time.monotonic() - begun > seconds:
            break
    return scores
