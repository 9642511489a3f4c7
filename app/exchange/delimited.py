"""Delimited text: tables separated by commas, semicolons, tabs, bars or blanks; the dialect is detected.

Also the text format of SVMlight and LIBSVM, ``label index:value ... # comment``; absent values are zero.
"""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
import sys
from array import array
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice, starmap

import numpy as np

from app.core.number_format import count, grouped, number_in
from app.files.documents import FileError

from .table import (
    CLASS_NAMES,
    MAX_COLUMNS,
    CellCollector,
    Commas,
    Dialect,
    DialectError,
    Table,
    check_size,
    column_of,
    distinct_names,
    one_line,
    unguarded,
)

#: In order of preference between equally good ones: those that are also decimal signs, or within words, are last.
SEPARATORS = {"\t": "Tab", ";": "Semicolon ;", ",": "Comma ,", "|": "Bar |", " ": "Blanks"}
DECIMALS = {".": "Point: 1.5", ",": "Comma: 1,5"}

_LONGEST_LINE = 2_000_000
#: Rows by which the dialect is detected, and characters after which two are enough.  Rows are read completely: a part
#: of a row has another number of cells.
_SAMPLE_ROWS, _SAMPLE_SIZE = 100, 100_000
#: Cells that are converted in one call, during which other threads wait.
_CHUNK = 20_000
#: Fewest rows that are converted together: a call for some cells of a column takes as long as thirty cells.
_LEAST_ROWS = 32
_BLOCK = 1_000_000


def encoding_of(data: bytes, name: str) -> str:
    """Return the encoding: UTF-8 or UTF-16 with a byte order mark, else UTF-8, else Windows-1252.

    Raises
    ------
    FileError
        If it is not a text.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        tried = ["utf-16"]
    elif data.startswith(codecs.BOM_UTF8):
        tried = ["utf-8-sig"]
    else:
        tried = ["utf-8", "cp1252"]
    for encoding in tried:
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for start in range(0, len(data), _BLOCK):  # in blocks: one call would block all other threads
                if "\0" in decoder.decode(data[start : start + _BLOCK]):
                    raise FileError(f"{name} is not a text file: it holds NUL characters.")
            decoder.decode(b"", True)
        except UnicodeError:
            continue
        return encoding
    raise FileError(f"{name} is not text in UTF-8, UTF-16 or Windows-1252.")


class TextLines:
    """The lines of a text, for the csv reader; blank lines and comments between two records are skipped.

    `fresh` is set before each record, because within a quoted cell no line is skipped.
    """

    def __init__(self, data: bytes, encoding: str, name: str, by_blanks: bool = False) -> None:
        self._file = io.TextIOWrapper(io.BytesIO(data), encoding, errors="replace", newline="")
        self._name = name
        self._by_blanks = by_blanks
        self._number = 0
        self.fresh = True
        #: Number of the first line of the present record.
        self.start = 0

    def records(self) -> Iterator[str]:
        """Yield the lines of a text in which each line is a record."""
        for line in self:
            yield line
            self.fresh = True

    def __iter__(self) -> Iterator[str]:
        while line := self._file.readline(_LONGEST_LINE + 1):
            self._number += 1
            if len(line) > _LONGEST_LINE:
                at = f"line {self._number} is longer than {grouped(_LONGEST_LINE)} characters"
                raise FileError(f"{self._name} cannot be used: {at}.")
            if self.fresh:
                if not line.strip() or line.lstrip(" ").startswith("#") or (self._number == 1 and hint_in(line)):
                    continue
                self.fresh = False
                self.start = self._number
            if self._by_blanks:
                line = " ".join(line.split()) if '"' not in line else line.lstrip()
            yield line


def hint_in(line: str) -> str:
    """Return the separator named by a first line such as ``sep=;``, which spreadsheets use, or ""."""
    found = re.fullmatch(r"sep=([\t;,| ])", line.rstrip("\r\n"), re.IGNORECASE)
    return found[1] if found else ""


def _records(data: bytes, encoding: str, name: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    lines = TextLines(data, encoding, name, separator == " ")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=True, strict=True)
    try:
        for cells in reader:
            if any(cells):  # spreadsheets end a table with rows of separators only
                yield lines.start, cells
            lines.fresh = True
    except csv.Error as error:
        if "field limit" in str(error):
            most = grouped(csv.field_size_limit())
            reason = f"a cell is longer than {most} characters (a quotation mark may be missing)."
        elif "end of data" in str(error):
            reason = "a quotation mark is never closed."
        else:
            reason = "there is a quotation mark within a cell."
        raise FileError(f"{name} cannot be used: in the row of line {lines.start}, {reason}") from None


def _sample(data: bytes, encoding: str, name: str, separator: str) -> tuple[list[list[str]], bool]:
    """Return the first rows, and whether they could be read without error."""
    rows, size = list[list[str]](), 0
    try:
        for _, cells in _records(data, encoding, name, separator):
            rows.append(cells)
            size += sum(map(len, cells), len(cells))
            if len(rows) > _SAMPLE_ROWS or (size > _SAMPLE_SIZE and len(rows) > 1):
                break
    except FileError:
        return rows, False
    return rows, True


def _width(rows: Sequence[Sequence[str]]) -> int:
    """Return the number of cells of most rows; the first may be a header with another number."""
    counts = Counter(len(row) for row in (rows[1:] or rows))
    return counts.most_common(1)[0][0] if counts else 0


def _merit(rows: Sequence[Sequence[str]], decimal: str) -> float:
    """Return the merit of a separator and a decimal sign: rows of equal length, many numbers, several columns."""
    body = rows[1:] or rows
    width = _width(rows)
    if width < 2:
        return 0.0
    even = sum(len(row) == width for row in rows) / len(rows)
    cells = [cell for row in body for cell in row if cell]
    numbers = sum(_is_number(cell, decimal) for cell in cells) / max(len(cells), 1)
    # If the other rows are ambiguous, like 3 and 4, the first one decides: 1,5 is a number.
    return even * (0.05 + numbers + 0.001 * sum(_is_number(cell, decimal) for cell in rows[0]) / len(rows[0]))


def _has_header(rows: Sequence[Sequence[str]], decimal: str) -> bool:
    """Return whether the first row has the names of the columns.

    It does if it has no number while others do, if it has the word "class" in a column that has it nowhere else, or if
    it has words above two columns of numbers only; a word above one such column may be an error in the first row.
    """
    over_numbers = 0
    for index, cell in enumerate(rows[0]):
        over_numbers += (
            not is_any_number(cell)
            and len(rows) > 2
            and all(index < len(row) and _is_number(row[index], decimal) for row in rows[1:])
        )
        word = cell.strip().casefold()
        below = {row[index].strip().casefold() for row in rows[1:] if index < len(row)}
        if word in CLASS_NAMES and below and word not in below:
            return True
    if over_numbers > 1:
        return True
    if any(is_any_number(cell) for cell in rows[0]):
        return False
    return len(rows) == 1 or any(_is_number(cell, decimal) for row in rows[1:] for cell in row)


def _is_number(cell: str, decimal: str) -> bool:
    return not math.isnan(number_in(cell, decimal)) or cell.strip().casefold() == "nan"


def is_any_number(cell: str) -> bool:
    """Return whether `cell` is a number with any decimal sign, and so no title of a column."""
    return any(_is_number(cell, decimal) for decimal in DECIMALS)


def _find_out(data: bytes, encoding: str, name: str, spec: Dialect) -> tuple[Dialect, int]:
    """Return the dialect and the number of columns."""
    first = io.TextIOWrapper(io.BytesIO(data[:100]), encoding, errors="replace", newline="").readline()
    given = spec.separator or hint_in(first)
    best: tuple[float, str, str, list[list[str]]] | None = None
    for separator in [given] if given else SEPARATORS:
        rows, sound = _sample(data, encoding, name, separator)
        for decimal in [spec.decimal] if spec.decimal else DECIMALS:
            merit = _merit(rows, decimal) - (0.0 if sound else 2.0)
            if rows and (best is None or merit > best[0]):
                best = merit, separator, decimal, rows
    if best is None:
        next(_records(data, encoding, name, given or ","), None)  # raises the error of the first row
        raise FileError(f"{name} holds no rows.")
    merit, separator, decimal, rows = best
    if not given and merit == 0.0:
        separator = ","  # a single column: the preference for tabs does not apply
    header = _has_header(rows, decimal) if spec.header is None else spec.header
    return Dialect(separator, decimal, header), _width(rows if header else rows[:1] + rows)


def read_delimited(data: bytes, name: str, spec: Dialect) -> Table:
    """Return the table in a separated text; raise a FileError with one sentence if there is none.

    Rows with another number of cells than most are the table's faults.
    """
    encoding = encoding_of(data, name)
    dialect, width = _find_out(data, encoding, name, spec)
    try:
        check_size(name, 1, width)
        commas = Commas() if spec.decimal is None and dialect.decimal == "," else None
        return _table(data, encoding, name, dialect, width, commas)
    except FileError as error:
        raise DialectError(str(error), dialect) from None


def _table(data: bytes, encoding: str, name: str, dialect: Dialect, width: int, commas: Commas | None) -> Table:
    separator, header = dialect.separator or ",", dialect.header
    columns = [CellCollector(dialect.decimal or ".", commas) for _ in range(width)]
    lines = array("q")
    faults: dict[int, str] = {}
    chunk: list[list[str]] = []
    records = _records(data, encoding, name, separator)
    title_line, titles = next(records, (0, [""])) if header else (0, [""] * width)

    def take_over() -> None:
        for column, cells in zip(columns, zip(*chunk, strict=True), strict=False):
            column.add(cells)
        chunk.clear()
        check_size(name, len(lines), width)

    for line, cells in records:
        if len(cells) != width:  # one sentence, shared by all such rows
            faults[len(lines)] = sys.intern(f"it has {count(len(cells), 'cell')} instead of {width}")
            cells = (cells + [""] * width)[:width]
        lines.append(line)
        chunk.append(cells)
        if len(chunk) >= max(_LEAST_ROWS, _CHUNK // width):
            take_over()
    take_over()
    if not lines:
        raise FileError(f"{name} holds {'a header but ' if header else ''}no rows.")
    if columns[-1].blank and width > 2 and (len(titles) == width - 1 or not titles[-1].strip()):
        columns.pop()  # every row ends with a separator
        titles = titles[: width - 1]
    if len(titles) == len(columns) - 1:
        titles = ["", *titles]  # R writes no title above the names of the rows
    if len(titles) != len(columns):
        raise FileError(
            f"{name} cannot be used: the header in line {title_line} has {len(titles)} cells, the rows below have"
            f" {width}."
        )
    titles = [one_line(unguarded(title.strip())) for title in titles]
    named = zip(columns, distinct_names(titles), titles, strict=True)
    return Table(
        name,
        tuple(cells.column(distinct, title) for cells, distinct, title in named),
        np.asarray(lines),
        faults,
        "line",
        dialect,
        commas.doubt if commas is not None else "",
    )


_NUMBER = r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?"
_LINE = re.compile(rf"\s*{_NUMBER}(\s+qid:\d+)?(\s+\d+:{_NUMBER})+\s*(#.*)?", re.DOTALL)


def looks_like_svmlight(data: bytes, name: str) -> bool:
    """Return whether the first lines are all in this format."""
    lines = TextLines(data[:200_000], encoding_of(data, name), name)
    n_lines = 0
    with suppress(FileError):
        for line in islice(lines.records(), 20):
            if not _LINE.fullmatch(line):
                # A line cut off by the end of the sample.
                return n_lines > 0 and len(data) > 200_000 and next(iter(lines), None) is None
            n_lines += 1
    return n_lines > 0


def _parse(line: str) -> tuple[float, list[int], list[float]]:
    """Return label, indices from 1, and values; raise a ValueError with the reason if the line is invalid."""
    parts = line.partition("#")[0].split()
    first, pairs = parts[0], [part.split(":") for part in parts[1:]]
    if pairs and pairs[0][0] == "qid":
        del pairs[0]
    try:
        if "_" in line and "_" in "".join(parts):
            raise ValueError
        label = float(first)
        indices = [int(index) for index, _ in pairs]
        values = [float(value) for _, value in pairs]
    except ValueError:
        raise ValueError(_fault(first, pairs)) from None
    if indices and not 1 <= min(indices) <= max(indices) <= MAX_COLUMNS:
        raise ValueError(f"an index is not from 1 to {grouped(MAX_COLUMNS)}")
    if len(set(indices)) != len(indices):
        raise ValueError("an index occurs twice")
    return label, indices, values


def _fault(first: str, pairs: list[list[str]]) -> str:
    if not re.fullmatch(_NUMBER, first):
        return f"the label {first[:40]!r} is not a number"
    for pair in pairs:
        if len(pair) != 2 or not pair[0].isdecimal() or not re.fullmatch(_NUMBER, pair[1]):
            return f"{':'.join(pair)[:40]!r} is not index:value"
    return "it is not label index:value ..."


def read_svmlight(data: bytes, name: str) -> Table:
    """Return the table in an svmlight text, with columns x1, x2, ... and class; raise a FileError if there is none."""
    lines = TextLines(data, encoding_of(data, name), name)
    labels: list[float] = []
    starts: list[int] = []
    faults: dict[int, str] = {}
    # Row, column and value of every entry; in arrays, because a list of millions of numbers is slow to free.
    rows, columns, values = array("q"), array("q"), array("d")
    n_columns = 0

    for line in lines.records():
        if not line.partition("#")[0].strip():
            continue
        try:
            label, found, numbers = _parse(line)
        except ValueError as error:
            label, found, numbers = 0.0, [], []
            faults[len(labels)] = str(error)
        rows.extend([len(labels)] * len(found))
        columns.extend(found)
        values.extend(numbers)
        labels.append(label)
        starts.append(lines.start)
        n_columns = max([n_columns, *found])
        check_size(name, len(labels), n_columns + 1)
    if not labels:
        raise FileError(f"{name} holds no rows.")
    dense = np.zeros((n_columns, len(labels)))
    dense[np.array(columns) - 1, np.array(rows)] = values
    titled = [*((f"x{number}", each) for number, each in enumerate(dense, 1)), ("class", np.array(labels))]
    return Table(name, tuple(starmap(column_of, titled)), np.array(starts, dtype=np.int64), faults)
