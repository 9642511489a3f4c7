"""MLDemos: a line with the numbers of rows and of dimensions; rows with class and flag; sequences and obstacles."""

from __future__ import annotations

import re
from itertools import chain, islice

from msgspec.structs import replace

from .delimited import by_lines, records_of, table_of
from .head import Head, is_number, span
from .table import Dialect, OnProgress, Table, unheard

_COUNTS = re.compile(rb"\s*([1-9]\d{0,8}) ([1-9]\d{0,3})\s*\n([^\n]*)\n")
#: Characters in which the first row ends.
_BEGINNING = 200_000


def looks_like_mldemos(data: bytes) -> bool:
    """Return whether the first line counts rows and dimensions, and the second is such a row with its class."""
    if (found := _COUNTS.match(data[:_BEGINNING])) is None:
        return False
    n_rows, n_dimensions, cells = int(found[1]), int(found[2]), found[3].decode("latin-1").split()
    numbers = all(is_number(cell, ".") for cell in cells)
    return numbers and n_dimensions < len(cells) <= n_dimensions + 2 and data.count(b"\n") >= n_rows


def read_mldemos(data: bytes, name: str, progress: OnProgress = unheard) -> Table:
    """Return the table in a file of MLDemos; raise a FileError with one sentence if there is none."""
    records = records_of(data, "utf-8", name, " ")
    (line, (n_rows, n_dimensions)), first = islice(records, 2)
    hints = [*["continuous"] * int(n_dimensions), "class", "left out"][: len(first[1])]
    head = Head(hints=hints, notes=(f"Left out: the counts in line {line}.",))
    rows = chain([first], islice(records, int(n_rows) - 1))
    table = table_of(rows, name, Dialect(" ", ".", False), len(hints), head, None, by_lines(data, progress), len(data))
    notes = [f"Left out: sequences and obstacles in {span('line', rest)}."] if (rest := [*records]) else []
    return replace(table, dialect=None, notes=(*table.notes, *notes))
