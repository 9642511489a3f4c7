"""Table: what a file of points holds before its columns are chosen; columns of numbers and of words."""

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

#: Larger tables are refused: their numbers alone would take 80 MB.
MAX_CELLS = 10_000_000
MAX_COLUMNS = 10_000
#: Characters of a column's name.
LONGEST_NAME = 60
#: Names by which a column says that it holds the class.
CLASS_NAMES = frozenset({"class", "classes", "label", "labels", "target", "species", "category"})


class Dialect(Struct, frozen=True):
    """How a text file writes a table; as a wish, None means "find out".

    Attributes
    ----------
    separator : str or None
        "," ";" "|" or a tab; a blank stands for any run of blanks and tabs.
    decimal : str or None
        "." or ",".
    header : bool or None
        Whether the first row names the columns.
    """

    separator: str | None = None
    decimal: str | None = None
    header: bool | None = None


class DialectError(FileError):
    """A text that is no table in `dialect`; in another it may be one."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        super().__init__(text)
        self.dialect = dialect


class Column(Struct, frozen=True, eq=False):
    """The cells of one column.

    Attributes
    ----------
    name : str
    values : ndarray of shape (n,)
        The numbers, NaN where a cell is no finite number.
    texts : mapping of int to str
        What those other cells hold, by row.
    categories : tuple of str
        When not empty, `values` are places in it: a class column that brings names and order along.
    title : str or None
        What the file calls it, "" for nothing; None where that is its name.
    """

    name: str
    values: Array
    texts: Mapping[int, str] = field(default_factory=dict)
    categories: tuple[str, ...] = ()
    title: str | None = None

    @property
    def is_numeric(self) -> bool:
        """Whether most cells are numbers."""
        return not self.categories and 2 * len(self.texts) < max(len(self.values), 1)

    def cell(self, row: int) -> str:
        """The text of one cell; a number is written anew."""
        if row in self.texts:
            return self.texts[row]
        value = float(self.values[row])
        return self.categories[int(value)] if self.categories else number_text(value)


class Table(Struct, frozen=True, eq=False):
    """A rectangular table.

    Attributes
    ----------
    name : str
        Of the file; every sentence about it begins with it.
    columns : tuple of Column
        All as long, with different names.
    lines : ndarray of shape (n,), int64
        Where each row begins in the file, from 1.
    faults : mapping of int to str
        Rows that cannot be used whatever is chosen, with the reason.
    place : str
        What `lines` counts: "line" or "row".
    dialect : Dialect or None
        How the text was read; None when the format leaves nothing to choose.
    doubt : str
        A sentence on what may have been meant otherwise; "" when nothing may.
    """

    name: str
    columns: tuple[Column, ...]
    lines: Integers
    faults: Mapping[int, str] = field(default_factory=dict)
    place: str = "line"
    dialect: Dialect | None = None
    doubt: str = ""

    def __len__(self) -> int:
        return len(self.lines)


def number_text(value: float) -> str:
    """A number as short as it can be read back: 1, 0.1, 1e+300."""
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(value)


class Commas:
    """Whether the decimal commas of a table may part thousands: 1,000 may, but not beside 1,5 or 0,125."""

    _GROUPS = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*")

    def __init__(self) -> None:
        self._first = ""
        self._sure = False

    def look(self, cells: Sequence[str]) -> None:
        """Look at cells that are numbers with a decimal comma, or none."""
        for cell in () if self._sure else cells:
            if "," in cell:
                if self._GROUPS.fullmatch(cell):
                    self._first = self._first or cell.strip()
                elif math.isfinite(number_in(cell, ",")):
                    self._sure = True
                    break

    @property
    def doubt(self) -> str:
        """A sentence; "" when there is no doubt."""
        if self._sure or not self._first:
            return ""
        value = number_text(number_in(self._first, ","))
        return f"{self._first} is read as {value}, with a decimal comma. If it parts thousands, remove it first."


class Cells:
    """Collects the cells of one column, many at a time."""

    def __init__(self, decimal: str = ".", commas: Commas | None = None) -> None:
        self._decimal = decimal
        self._commas = commas
        self._parts: list[Array] = []
        self._texts: dict[int, str] = {}
        self._number = cache(partial(number_in, decimal=decimal))  # the same few words over and over
        self._count = 0

    def add(self, cells: Sequence[str]) -> None:
        """Append these cells."""
        if self._commas is not None:
            self._commas.look(cells)
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
        """Whether there is nothing in any cell."""
        return len(self._texts) == self._count and not any(self._texts.values())

    def column(self, name: str, title: str | None = None) -> Column:
        """The column so far."""
        values = np.concatenate(self._parts) if self._parts else np.empty(0)
        return Column(name, values, self._texts, title=title)


def column_of(name: str, values: Array) -> Column:
    """A column of numbers, some of which may not be finite."""
    values = np.array(values, dtype=np.float64)
    odd = np.flatnonzero(~np.isfinite(values))
    texts = {row: str(float(values[row])) for row in odd.tolist()}
    values[odd] = np.nan
    return Column(name, values, texts)


def one_line(name: str) -> str:
    """A name without the blanks and breaks that a file would not give back."""
    return " ".join(name.replace("\0", " ").split())


def distinct_names(titles: Iterable[str]) -> list[str]:
    """Names of columns that can be told apart: on one line, none empty, none twice.

    Of several columns called "class" the last keeps that name: exported points may have an axis of that name, too.
    """
    names = [plain(one_line(title))[:LONGEST_NAME] or f"column {number}" for number, title in enumerate(titles, 1)]
    kept = {name: place for place, name in enumerate(names) if name.casefold() in CLASS_NAMES}
    found = set(kept)
    for place, name in enumerate(names):
        times = 1
        while names[place] in found and kept.get(name) != place:
            times += 1
            names[place] = f"{name} ({times})"
        found.add(names[place])
    return names


#: What a spreadsheet takes for the beginning of a formula; full-width signs are such in some languages.
_FORMULA = r"[=+\-@＝＋－＠]"
_MAY_RUN, _GUARDED = re.compile(rf"'*{_FORMULA}"), re.compile(rf"'+{_FORMULA}")


def may_run(name: str) -> bool:
    """Whether a spreadsheet may take `name` for a formula; plain numbers, as they are written here, are none."""
    return re.match(_FORMULA, name) is not None and not _is_plain_number(name)


def guarded(name: str, always: bool = True) -> str:
    """`name` as it stands in a table: behind an apostrophe where it may run as a formula, unless not `always`.

    A name with such an apostrophe of its own gets another in any case, so that `unguarded` gives every name back.
    """
    pattern = _MAY_RUN if always else _GUARDED
    return f"'{name}" if pattern.match(name) and not _is_plain_number(name) else name


def unguarded(cell: str) -> str:
    """The name that `guarded` has made `cell` of."""
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell) else cell


def _is_plain_number(name: str) -> bool:
    value = number_in(name)
    return math.isfinite(value) and number_text(value) == name


def check_size(name: str, n_rows: int, n_columns: int) -> None:
    """FileError when a table of this size is too large."""
    if n_columns > MAX_COLUMNS:
        most = grouped(MAX_COLUMNS)
        raise FileError(f"{name} has {grouped(n_columns)} columns; {most} are the most that can be read.")
    if n_rows * n_columns > MAX_CELLS:
        raise FileError(f"{name} has more than {MAX_CELLS // 10**6} million cells, so it was not read.")
