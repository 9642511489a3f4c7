"""Dates of a table: columns of texts that are dates become columns of numbers, the seconds since 1970.

Dates that begin with the year are certain.  Whether 05/02/2024 begins with the day is taken from the whole column: one
of the two orders must fit it better.
"""

from __future__ import annotations

from itertools import islice

import numpy as np
from msgspec.structs import replace

from app.core.dates import seconds_of

from .roles import quoted
from .table import Column, Table

#: First words of a column of which one at least must be a date.
_FIRST = 20
_ORDERS = {True: "the day", False: "the month"}


def with_dates(table: Table) -> Table:
    """Return the table with its dates as numbers, and a note for each column in which their order was not certain."""
    columns, notes = zip(*map(_dated, table.columns), strict=True)
    return replace(table, columns=columns, notes=(*table.notes, *filter(None, notes)))


def _dated(column: Column) -> tuple[Column, str]:
    """Return a column with its dates as numbers, and a note, if most of its cells are dates and none are numbers."""
    none = column, ""
    if not column.words or column.categories or column.hint in ("class", "discrete") or (column.codes < 0).any():
        return none
    first = [*islice(filter(None, column.words), _FIRST)]
    if all(np.isnan(seconds_of(word, order)) for word in first for order in _ORDERS):
        return none
    read = {order: np.array([seconds_of(word, order) for word in column.words]) for order in _ORDERS}
    known = {order: np.isfinite(seconds) for order, seconds in read.items()}
    order = bool((known[True] >= known[False]).all())
    values = read[order][column.codes]
    if 2 * np.count_nonzero(np.isfinite(values)) <= len(values):
        return none
    if not np.array_equal(read[True], read[False], equal_nan=True):
        if (known[order] == known[not order]).all() or not (known[order] >= known[not order]).all():
            return column, f"{quoted(column.name)} may be dates, the day or the month first: no date shows which."
        note = f"{quoted(column.name)} is read as dates, {_ORDERS[order]} first."
    else:
        note = ""
    codes = np.where(np.isfinite(values), np.int32(-1), column.codes)
    left = (codes >= 0).any()
    words, codes = (column.words, codes) if left else ((), codes[:0])
    hint = column.hint or "continuous"
    return replace(column, values=values, words=words, codes=codes, hint=hint, date=True), note
