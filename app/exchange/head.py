"""Head: the lines above the rows of a table: prose, titles, units, and the types and roles of Orange.

Prose is left out, and that is noted.  The titles are the lines directly above the first row with numbers.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from itertools import compress

from msgspec import Struct

from .table import CLASS_NAMES, ROLE_PREFIX, Dialect, cell_number

#: The signs in which numbers are tried.
DECIMALS = {".": "Point: 1.5", ",": "Comma: 1,5"}

#: A line of a file and its cells.
Row = tuple[int, list[str]]

#: Hints by the types and the roles of Orange; a time is a number or a text.
_TYPES = (
    dict.fromkeys(("c", "continuous", "n", "numeric"), "continuous")
    | dict.fromkeys(("d", "discrete", "categorical"), "discrete")
    | dict.fromkeys(("s", "string", "text"), "left out")
    | dict.fromkeys(("t", "time"), "")
)
_ROLES = dict.fromkeys(("m", "meta", "i", "ignore", "w", "weight"), "left out") | dict.fromkeys(("c", "class"), "class")
#: Cells of a line of units: one of them in brackets, or a unit by its look.
_UNIT = re.compile(r"[(\[].*[)\]]|%|°.?|[mckµn]?(m|g|s|l|V|A|Hz|Pa)[23²³]?|min|h|K|N|J|W|years?", re.DOTALL)
_MISSING = frozenset({"", "?", "-", ".", "na", "n/a", "nan", "null", "none", "missing"})


class Layout(Struct, frozen=True):
    """Number of columns, and indices of the first row of the table and of the first with numbers."""

    width: int
    top: int = 0
    first: int = 0


class Head(Struct, frozen=True):
    """What the lines above the rows say.

    Attributes
    ----------
    titles : list of str
        Empty without a header.
    hints : list of str
        The role of each column by the file, as in `Column`; empty without any.
    start : int
        First line that may be a row.
    line : int
        Line of the titles.
    notes : tuple of str
        Sentences on what was left out or joined.
    """

    titles: list[str] = []
    hints: list[str] = []
    start: int = 0
    line: int = 0
    notes: tuple[str, ...] = ()


def is_number(cell: str, decimal: str) -> bool:
    """Return whether `cell` is a number, or "nan"."""
    return not math.isnan(cell_number(cell, decimal)) or cell.strip().casefold() == "nan"


def sampled(row: Sequence[str]) -> Sequence[str]:
    """Return a thousand cells of a longer row."""
    return row[:: 1 + len(row) // 1000]


def is_any_number(cell: str) -> bool:
    """Return whether `cell` is a number with any decimal sign, and so no title of a column."""
    return any(is_number(cell, decimal) for decimal in DECIMALS)


def layout(rows: Sequence[Sequence[str]], decimal: str, header: bool | None, separator: str) -> Layout:
    """Return how the first rows of a text are laid out, if they are those of a table."""
    numeric = [any(is_number(cell, decimal) for cell in sampled(row)) for row in rows]
    lengths = Counter(map(len, compress(rows, numeric))) or Counter(map(len, rows[1:] or rows))
    width = max(lengths, key=lambda length: (lengths[length], length), default=0)
    if header is False:
        return Layout(width)

    def is_full(index: int) -> bool:
        """Return whether a row has a cell for each column, and does not only begin with one, as prose does."""
        row = rows[index]
        begins = not row[0] or (numeric[index] and is_number(row[0], decimal))
        return len(row) == width and (begins or 2 * sum(map(bool, row)) > width)

    first = next((k for k, counts in enumerate(numeric) if counts and is_full(k)), 0)
    # Rows that lack cells may stand between the titles and the first that lacks none.
    tops = (k for k in range(first) if is_full(k) and all(numeric[j] or is_full(j) for j in range(k, first)))
    top = next(tops, first)
    if types := next((k for k in range(1, min(first + 2, len(rows))) if is_types(rows[k])), 0):
        return Layout(width, types - 1, first)
    if top == first and top:
        above, body = len(rows[top - 1]), [row for row in rows[first:] if len(row) == width]
        starts = [row[0] for row in body]
        names = len(set(starts)) == len(starts) and not any(decimal in start for start in starts)
        # Titles without that of the row names, of a column that is always empty, or too many, which are refused.
        top -= (
            (above == width - 1 and (names or (width > 2 and separator != " ")))
            or (above == width - 1 > 1 and not any(row[-1] for row in body))
            or (above > width and separator != " ")
        )
    numbers = any(all(is_number(cell, decimal) for cell in row) for row in rows[:top])  # which are no prose
    return Layout(width) if numbers else Layout(width, top, first)


def has_header(rows: Sequence[Sequence[str]], decimal: str) -> bool:
    """Return whether the first row has the names of the columns.

    It does if it has no number while others do, if it has the word "class" in a column that has it nowhere else, or if
    it has words above two columns of numbers only; a word above one such column may be an error in the first row.
    """
    if len(rows) > 1 and is_types(rows[1]):
        return True
    over_numbers = 0
    for index, cell in enumerate(rows[0]):
        over_numbers += (
            not is_any_number(cell)
            and len(rows) > 2
            and all(index < len(row) and is_number(row[index], decimal) for row in rows[1:])
        )
        words = {row[index].strip().casefold() for row in rows[1:] if index < len(row)}
        named = (word := cell.strip().casefold()) in CLASS_NAMES and words and word not in words
        if named or over_numbers > 1:
            return True
    below = (cell for row in rows[1:] for cell in row)
    return not any(map(is_any_number, rows[0])) and (len(rows) == 1 or any(is_number(cell, decimal) for cell in below))


def head_of(rows: Sequence[Row], place: Layout, dialect: Dialect, row_name: str = "line") -> Head:
    """Return what the rows above the first row of a table say; `rows` are the first of the text."""
    at, notes = place.top, list[str]()
    if at:
        notes.append(f"Left out above the table: {span(row_name, rows[:at])}.")
    if not dialect.header:
        return Head(start=rows[at][0] if at else 0, notes=tuple(notes))
    (line, titles), at = rows[at], at + 1
    hints = list[str]()
    if at < len(rows) and is_types(rows[at][1]):
        hints, at = [_TYPES.get(cell.strip().casefold(), "discrete") for cell in rows[at][1]], at + 1
        roles = [cell.strip().casefold() for cell in rows[at][1]] if at < len(rows) else []
        if any(roles) and {*roles} <= {"", *_ROLES}:
            hints, at = [_ROLES.get(role) or hint for role, hint in zip(roles, hints, strict=False)], at + 1
        notes.append(f"Types and roles of the columns: {span(row_name, rows[place.top + 1 : at])}.")
    elif any(marked := [ROLE_PREFIX.fullmatch(title) for title in titles]):
        hints = ["" if it is None else _ROLES.get(it[1]) or _TYPES.get(it[2].lower(), "") for it in marked]
        titles = [title if it is None else it[3] for it, title in zip(marked, titles, strict=True)]
    below = [cells for _, cells in rows[place.first :] if len(cells) == place.width]
    while at < place.first and len(rows[at][1]) == len(titles) and _goes_on(rows[at][1], below, dialect.decimal or "."):
        titles = _joined(titles, rows[at][1])
        notes.append(f"Joined to the titles: {span(row_name, rows[at : at + 1])}.")
        at += 1
    return Head(titles, hints, rows[at - 1][0] + 1, line, tuple(notes))


def is_types(cells: Sequence[str]) -> bool:
    """Return whether `cells` are types of Orange: names of types, or the values of a class separated by blanks."""
    types = [cell.strip().casefold() in _TYPES for cell in cells]
    return any(types) and all(known or " " in cell.strip() for known, cell in zip(types, cells, strict=True))


def span(row_name: str, rows: Sequence[Row]) -> str:
    """Return the place of `rows`: "line 2", "lines 2 to 3"."""
    first, last = rows[0][0], rows[-1][0]
    return f"{row_name} {first}" if first == last else f"{row_name}s {first} to {last}"


def _goes_on(cells: Sequence[str], body: Sequence[Sequence[str]], decimal: str) -> bool:
    """Return whether `cells` are a line of titles or units, not a row that lacks its numbers."""
    above = False
    for cell, column in zip(cells, zip(*body, strict=True), strict=False):
        if any(is_number(each, decimal) for each in column):
            if cell and cell.strip().casefold() in _MISSING:
                return False
            above |= bool(cell)
        elif cell and cell in column:
            return False
        if is_any_number(cell):
            return False
    return above


def _joined(titles: Sequence[str], cells: Sequence[str]) -> list[str]:
    """Return titles of several lines: units in brackets, other words after a blank."""
    if any(_UNIT.fullmatch(cell.strip()) for cell in cells):
        cells = [cell if cell[:1] in ("", "(", "[") else f"({cell})" for cell in cells]
    return [f"{title} {cell}".strip() for title, cell in zip(titles, cells, strict=True)]
