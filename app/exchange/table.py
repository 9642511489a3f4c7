"""Table: the content of a file of points before columns are chosen; columns of numbers and of words."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial

import numpy as np
from msgspec import Struct, field

from app.core.number_format import grouped, number_in
from app.core.plain_text import plain
from app.files.documents import FileError
from solver.core.arrays import Array, Integers

#: Most cells of a table, whose numbers take 80 MB.
MAX_CELLS = 10_000_000
MAX_COLUMNS = 10_000
#: Longest name of a column (characters).
LONGEST_NAME = 60
#: Names of class columns.
CLASS_NAMES = frozenset({"class", "classes", "label", "labels", "target", "species", "category"})


class Dialect(Struct, frozen=True):
    """Format of a table in a text file; None for a field to be detected.

    Attributes
    ----------
    separator : str or None
        "," ";" "|" or a tab; a blank for any run of blanks and tabs.
    decimal : str or None
        "." or ",".
    header : bool or None
        Whether the first row names the columns.
    """

    separator: str | None = None
    decimal: str | None = None
    header: bool | None = None


class DialectError(FileError):
    """A text is not a table in `dialect`, but may be one in another."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        super().__init__(text)
        self.dialect = dialect


class Column(Struct, frozen=True, eq=False):
    """The cells of one column.

    Attributes
    ----------
    name : str
    values : ndarray of shape (n,)
        Numbers; NaN for a cell that is not a finite number.
    texts : mapping of int to str
        Texts of those other cells, by row.
    categories : tuple of str
        If not empty, `values` are indices into it: a class column with names and order.
    title : str or None
        Title in the file, or ""; None if it is the name.
    """

    name: str
    values: Array
    texts: Mapping[int, str] = field(default_factory=dict)
    categories: tuple[str, ...] = ()
    title: str | None = None

    @property
    def is_numeric(self) -> bool:
        """Return whether most cells are numbers."""
        return not self.categories and 2 * len(self.texts) < max(len(self.values), 1)

    def cell(self, row: int) -> str:
        """Return the text of one cell; a number is formatted anew."""
        if row in self.texts:
            return self.texts[row]
        value = float(self.values[row])
        return self.categories[int(value)] if self.categories else number_text(value)


class Table(Struct, frozen=True, eq=False):
    """A rectangular table.

    Attributes
    ----------
    name : str
        Name of the file; sentences about the table begin with it.
    columns : tuple of Column
        Columns of equal length, with different names.
    lines : ndarray of shape (n,), int64
        First line of each row in the file, from 1.
    faults : mapping of int to str
        Rows that are unusable with every choice of columns, with the reason.
    row_name : str
        Unit of `lines`: "line" or "row".
    dialect : Dialect or None
        Dialect of the text; None if the format has no dialects.
    doubt : str
        Sentence on an ambiguity in the text, or "".
    """

    name: str
    columns: tuple[Column, ...]
    lines: Integers
    faults: Mapping[int, str] = field(default_factory=dict)
    row_name: str = "line"
    dialect: Dialect | None = None
    doubt: str = ""

    def __len__(self) -> int:
        return len(self.lines)


def number_text(value: float) -> str:
    """Return the shortest text that is read as the same number: 1, 0.1, 1e+300."""
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(value)


class Commas:
    """Check whether decimal commas of a table may be separators of thousands: 1,000 may, but not beside 1,5."""

    _GROUPS = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*")

    def __init__(self) -> None:
        self._first = ""
        self._sure = False

    def check(self, cells: Sequence[str]) -> None:
        """Check cells that are numbers with a decimal comma."""
        for cell in () if self._sure else cells:
            if "," in cell:
                if self._GROUPS.fullmatch(cell):
                    self._first = self._first or cell.strip()
                elif math.isfinite(number_in(cell, ",")):
                    self._sure = True
                    break

    @property
    def doubt(self) -> str:
        """Return a sentence on the ambiguity, or ""."""
        if self._sure or not self._first:
            return ""
        value = number_text(number_in(self._first, ","))
        return f"{self._first} is read as {value}, with a decimal comma. If it separates thousands, remove it first."


class CellCollector:
    """Collect the cells of one column, many at a time."""

    def __init__(self, decimal: str = ".", commas: Commas | None = None) -> None:
        self._decimal = decimal
        self._commas = commas
        self._parts: list[Array] = []
        self._texts: dict[int, str] = {}
        self._number = cache(partial(number_in, decimal=decimal))  # cells repeat the same few words
        self._count = 0

    def add(self, cells: Sequence[str]) -> None:
        """Append `cells`."""
        if self._commas is not None:
            self._commas.check(cells)
        values = self._all_numbers(cells)
        if values is None:
            values = np.array([self._number(cell) for cell in cells], dtype=np.float64)
            for row in np.flatnonzero(~np.isfinite(values)).tolist():
                self._texts[self._count + row] = unguarded(cells[row].strip())
            values[~np.isfinite(values)] = np.nan
        self._parts.append(values)
        self._count += len(cells)

    def _all_numbers(self, cells: Sequence[str]) -> Array | None:
        joined = "".join(cells)
        if "_" in joined:
            return None
        if self._decimal == ",":
            if "." in joined:
                return None
            cells = [cell.replace(",", ".") for cell in cells]
        try:
            values = np.fromiter(map(float, cells), dtype=np.float64, count=len(cells))
        except ValueError:
            return None
        return values if np.isfinite(values).all() else None

    @property
    def blank(self) -> bool:
        """Return whether all cells are empty."""
        return len(self._texts) == self._count and not any(self._texts.values())

    def column(self, name: str, title: str | None = None) -> Column:
        """Return the column so far."""
        values = np.concatenate(self._parts) if self._parts else np.empty(0)
        return Column(name, values, self._texts, title=title)


def column_of(name: str, values: Array) -> Column:
    """Return a column of numbers, some of which may not be finite."""
    values = np.array(values, dtype=np.float64)
    odd = np.flatnonzero(~np.isfinite(values))
    texts = {row: str(float(values[row])) for row in odd.tolist()}
    values[odd] = np.nan
    return Column(name, values, texts)


def one_line(name: str) -> str:
    """Return a name without the blanks and line breaks that a file would lose."""
    return " ".join(name.replace("\0", " ").split())


def distinct_names(titles: Iterable[str]) -> list[str]:
    """Return distinct names of columns: on one line, none empty, none twice.

    Of several columns named "class", the last keeps that name: exported points may have an axis of that name, too.
    """
    names = [plain(one_line(title))[:LONGEST_NAME] or f"column {number}" for number, title in enumerate(titles, 1)]
    kept = {name: index for index, name in enumerate(names) if name.casefold() in CLASS_NAMES}
    found = dict.fromkeys(kept, 1)  # how often each has been given, so that equal titles are not counted anew
    for index, name in enumerate(names):
        while names[index] in found and kept.get(name) != index:
            found[name] = found.get(name, 1) + 1
            names[index] = f"{name} ({found[name]})"
        found.setdefault(names[index], 1)
    return names


#: First characters of a formula in spreadsheets; full-width ones count in some languages.
_FORMULA = r"[=+\-@＝＋－＠]"
_MAY_RUN, _GUARDED = re.compile(rf"'*{_FORMULA}"), re.compile(rf"'+{_FORMULA}")


def may_run(name: str) -> bool:
    """Return whether a spreadsheet may run `name` as a formula; numbers as written here are not formulas."""
    return re.match(_FORMULA, name) is not None and not _is_plain_number(name)


def guarded(name: str, always: bool = True) -> str:
    """Return `name` for a table: after an apostrophe if a spreadsheet may run it as a formula, unless not `always`.

    A name that already has such an apostrophe always gets another, so that `unguarded` restores every name.
    """
    pattern = _MAY_RUN if always else _GUARDED
    return f"'{name}" if pattern.match(name) and not _is_plain_number(name) else name


def unguarded(cell: str) -> str:
    """Return the name from which `guarded` has made `cell`."""
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell) else cell


def _is_plain_number(name: str) -> bool:
    value = number_in(name)
    return math.isfinite(value) and number_text(value) == name


def check_size(name: str, n_rows: int, n_columns: int) -> None:
    """Raise a FileError if a table of this size is too large."""
    if n_columns > MAX_COLUMNS:
        most = grouped(MAX_COLUMNS)
        raise FileError(f"{name} has {grouped(n_columns)} columns; {most} are the most that can be read.")
    if n_rows * n_columns > MAX_CELLS:
        raise FileError(f"{name} has more than {MAX_CELLS // 10**6} million cells, so it was not read.")
