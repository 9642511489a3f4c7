"""Table: the content of a file of points before columns are chosen; columns of numbers and of words."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import repeat
from typing import Any

import numpy as np
from msgspec import Struct, field
from numpy.typing import NDArray

from app.core.dates import date_text
from app.core.number_format import grouped, number_in
from app.core.plain_text import plain
from app.files.documents import FileError
from solver.core.arrays import Array

#: Most cells of a table, whose numbers take 80 MB; a text may have half as many as it has bytes, which no text exceeds
#: that has all its cells.
MAX_CELLS = 10_000_000
MAX_COLUMNS = 10_000
#: Most words of a column that are kept only once: a column with more of them names the rows, so they do not repeat.
_MOST_KNOWN = 1000
#: Longest name of a column (characters).
LONGEST_NAME = 60
#: A role and a type of Orange before a title: ``cD#species``.
ROLE_PREFIX = re.compile(r"(?!#)([cmiw]?)([CDNST]?)#(.+)", re.DOTALL)
#: Names of class columns.
CLASS_NAMES = frozenset({"class", "classes", "label", "labels", "target", "species", "category"})


#: ``report(share)`` is called with the share of a table that has been read, and may raise an error to end that.
OnProgress = Callable[[float], object]


def unheard(share: float) -> None:
    """Ignore that this share of a table has been read."""


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
    words : sequence of str
        Texts of those other cells; a text may occur twice.
    codes : ndarray of shape (n,), int32
        Index into `words` of each of those cells, -1 for a number; empty if there are no words.
    categories : tuple of str
        If not empty, `values` are indices into it: a class column with names and order.
    title : str or None
        Title in the file, or ""; None if it is the name.
    hint : str
        Role by the file: "class", "continuous", "discrete" or "left out"; "" if the file gives none.
    date : bool
        The numbers are dates: seconds since 1970.
    """

    name: str
    values: Array
    words: Sequence[str] = ()
    codes: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    categories: tuple[str, ...] = ()
    title: str | None = None
    hint: str = ""
    date: bool = False

    @property
    def is_numeric(self) -> bool:
        """Return whether most cells are numbers."""
        return not self.categories and bool(2 * np.count_nonzero(self.codes >= 0) < max(len(self.values), 1))

    @property
    def names_rows(self) -> bool:
        """Return whether the cells are as row names are: words or whole numbers, all different."""
        numbers = different(self.values[np.isfinite(self.values)])
        words = different(np.fromiter(map(hash, self.words), np.int64, len(self.words)))
        return len(numbers) + len(words) == len(self.values) and not np.any(numbers % 1)

    def word(self, row: int) -> str | None:
        """Return the text of one cell; None for a finite number."""
        return self.words[self.codes[row]] if self.words and self.codes[row] >= 0 else None

    def cell(self, row: int) -> str:
        """Return the text of one cell; a number is formatted anew."""
        if (word := self.word(row)) is not None:
            return word
        value = float(self.values[row])
        write = date_text if self.date else number_text
        return self.categories[int(value)] if self.categories else write(value)


class Table(Struct, frozen=True, eq=False, weakref=True):
    """A rectangular table.

    Attributes
    ----------
    name : str
        Name of the file; sentences about the table begin with it.
    columns : tuple of Column
        Columns of equal length, with different names.
    lines : ndarray of shape (n,), of integers
        First line of each row in the file, from 1.
    faults : mapping of int to str
        Rows that are unusable with every choice of columns, with the reason.
    row_name : str
        Unit of `lines`: "line" or "row".
    dialect : Dialect or None
        Dialect of the text; None if the format has no dialects.
    doubt : str
        Sentence on an ambiguity in the text, or "".
    notes : tuple of str
        Sentences on what of the file was left out or joined.
    sheets : tuple of str
        Names of the sheets of a workbook.
    sheet : str
        The one that was read.
    """

    name: str
    columns: tuple[Column, ...]
    lines: NDArray[np.signedinteger[Any]]
    faults: Mapping[int, str] = field(default_factory=dict)
    row_name: str = "line"
    dialect: Dialect | None = None
    doubt: str = ""
    notes: tuple[str, ...] = ()
    sheets: tuple[str, ...] = ()
    sheet: str = ""

    def __len__(self) -> int:
        return len(self.lines)


def different(values: NDArray[Any]) -> NDArray[Any]:
    """Return the different ones of `values`, sorted.  `np.unique` would block all other threads."""
    ordered = np.sort(values)
    return np.compress(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)], ordered)


def number_text(value: float) -> str:
    """Return the shortest text that is read as the same number: 1, 0.1, 1e+300."""
    return str(int(value)) if value == int(value) and abs(value) < 1e16 else repr(value)


#: By the decimal sign, thousands between which is an apostrophe or a space: plain, no-break, figure, thin or narrow
#: no-break; or the other sign, if it occurs twice or before decimals: 1.234 alone may be a number with three decimals.
_GROUPED = {
    decimal: re.compile(
        rf"\s*[-+]?([1-9]\d{{0,2}}(([ '’\u00a0\u2007\u2009\u202f]\d{{3}})+(\{decimal}\d*)?"
        rf"|(\{other}\d{{3}}){{2,}}(\{decimal}\d+)?|\{other}\d{{3}}\{decimal}\d+))([eE][-+]?\d+)?\s*"
    )
    for decimal, other in (".,", ",.")
}


def cell_number(cell: str, decimal: str = ".") -> float:
    """Return the number in a cell, NaN if there is none; with true minus signs, and spaces between thousands."""
    value = number_in(cell, decimal)
    if math.isnan(value) and not cell[:1].isalpha():
        cell = cell.replace("−", "-")
        value = number_in(
            re.sub(rf"[^\d{decimal}eE+-]", "", cell) if _GROUPED[decimal].fullmatch(cell) else cell, decimal
        )
    return value


class Commas:
    """Check whether decimal commas of a table may be separators of thousands: 1,000 may, but not beside 1,5."""

    _GROUPS = re.compile(r"\s*[-+]?[1-9]\d{0,2},\d{3}\s*")

    def __init__(self) -> None:
        self._first, self._sure = "", False

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
        number = f"{self._first} is read as {number_text(number_in(self._first or '0', ','))}, with a decimal comma."
        return "" if self._sure or not self._first else f"{number} If it separates thousands, remove it first."


class PackedWords(Sequence[str]):
    """Words in the memory of their UTF-8; as texts of Python each would take fifty bytes more."""

    def __init__(self) -> None:
        self._text, self._ends = bytearray(), array("I", [0])

    def append(self, word: str) -> None:
        self._text += word.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._text))

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __getitem__(self, index: Any) -> Any:
        return self._text[self._ends[index] : self._ends[index + 1]].decode("utf-8", "surrogatepass")


class CellCollector:
    """Collect the cells of one column, many at a time."""

    def __init__(self, decimal: str = ".", commas: Commas | None = None) -> None:
        self._decimal, self._commas = decimal, commas
        # Arrays that grow: an array for each part would take more memory than the file.  The values end with the last
        # number, and the codes with the last word.
        self._values, self._codes, self._words = array("d"), array("i"), PackedWords()
        self._known: dict[str, int] = {}

    def add(self, cells: Sequence[str]) -> None:
        """Append `cells`."""
        if self._commas is not None:
            self._commas.check(cells)
        codes = [*map(self._known.get, cells, repeat(-1))] if self._known else [-1] * len(cells)
        others = (
            [cell for cell, code in zip(cells, codes, strict=True) if code < 0]
            if max(codes, default=-1) >= 0
            else cells
        )
        numbers: list[float] = []
        joined, comma = "".join(others), self._decimal == ","
        if "_" not in joined and not (comma and "." in joined):  # `number_in` is stricter than Python
            with suppress(ValueError):
                numbers = [*map(float, [cell.replace(",", ".") for cell in others] if comma else others)]
        if len(numbers) < len(others) or not math.isfinite(sum(numbers)):
            codes = []
            numbers = [self._number(cell, codes) for cell in cells]
        elif others is not cells:
            left = iter(numbers)
            numbers = [math.nan if code >= 0 else next(left) for code in codes]
        n_before = len(self)
        if max(codes, default=-1) >= 0:
            self._codes.extend([*repeat(-1, n_before - len(self._codes)), *codes])
        if min(codes, default=0) < 0:
            self._values.extend([*repeat(math.nan, n_before - len(self._values)), *numbers])

    def __len__(self) -> int:
        return max(len(self._values), len(self._codes))

    def _number(self, cell: str, codes: list[int]) -> float:
        """Return the number in a cell, or NaN; append its code to `codes`."""
        code = self._known.get(cell, -1)  # cells repeat the same few words
        # Of what begins with a letter, only "nan" and "inf" are numbers of Python, and none is finite.
        value = math.nan if code >= 0 or cell[:1].isalpha() else cell_number(cell, self._decimal)
        if code < 0 and not math.isfinite(value):
            code, value = len(self._words), math.nan
            self._words.append(unguarded(cell.strip()))
            if code < _MOST_KNOWN:
                self._known[cell] = code
        codes.append(code)
        return value

    @property
    def blank(self) -> bool:
        """Return whether all cells are empty."""
        return not self._values and not any(self._words)

    def column(self, name: str, title: str | None = None, hint: str = "") -> Column:
        """Return the column so far; without a number, its values are all the same NaN."""
        n_cells, words = len(self), self._words if len(self._words) > _MOST_KNOWN else tuple(self._words)
        if self._values:
            self._values.extend(repeat(math.nan, n_cells - len(self._values)))
        if words:
            self._codes.extend(repeat(-1, n_cells - len(self._codes)))
        values: Array = np.asarray(self._values) if self._values else np.broadcast_to(math.nan, n_cells)
        return Column(name, values, words, np.asarray(self._codes), (), title, hint)


def column_of(name: str, values: Array) -> Column:
    """Return a column of numbers, some of which may not be finite."""
    values = np.asarray(values, dtype=np.float64)
    if np.isfinite(values).all():
        return Column(name, values)
    words = np.select([np.isnan(values), values == np.inf, values == -np.inf], [0, 1, 2], -1).astype(np.int32)
    return Column(name, np.where(words < 0, values, np.nan), ("nan", "inf", "-inf"), words)


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
_MAY_RUN = re.compile(rf"'*{_FORMULA}")
_GUARDED = re.compile(rf"'+({_FORMULA}|{ROLE_PREFIX.pattern})", re.DOTALL)


def may_run(name: str) -> bool:
    """Return whether a spreadsheet may run `name` as a formula; numbers as written here are not formulas."""
    return re.match(_FORMULA, name) is not None and not _is_plain_number(name)


def guarded(name: str, always: bool = True) -> str:
    """Return `name` for a table: after an apostrophe if a spreadsheet may run it as a formula, unless not `always`.

    A name that already has such an apostrophe always gets another, so that `unguarded` restores every name.  One that
    begins as Orange marks roles gets one, too.
    """
    special = _GUARDED.match(name) or ROLE_PREFIX.match(name) or (always and _MAY_RUN.match(name))
    return f"'{name}" if special and not _is_plain_number(name) else name


def unguarded(cell: str) -> str:
    """Return the name from which `guarded` has made `cell`."""
    return cell[1:] if cell[:1] == "'" and _GUARDED.match(cell) else cell


def _is_plain_number(name: str) -> bool:
    value = number_in(name)
    return math.isfinite(value) and number_text(value) == name


def check_size(name: str, n_rows: int, n_columns: int, n_bytes: int = 0) -> None:
    """Raise a FileError if a table of this size, in a text of `n_bytes`, is too large."""
    most = max(MAX_CELLS, n_bytes // 2)
    if n_columns > MAX_COLUMNS:
        raise FileError(
            f"{name} has {grouped(n_columns)} columns; {grouped(MAX_COLUMNS)} are the most that can be read."
        )
    if n_rows * n_columns > most:
        raise FileError(f"{name} has more than {most // 10**6} million cells, so it was not read.")
