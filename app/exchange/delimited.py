"""Delimited text: tables separated by commas, semicolons, tabs, bars or blanks; the dialect is detected."""

from __future__ import annotations

import codecs
import csv
import io
import math
import re
import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import dropwhile, islice

import numpy as np
from msgspec.structs import replace

from app.core.number_format import count, grouped
from app.files.documents import FileError

from .head import DECIMALS as DECIMALS
from .head import Head, Layout, Row, has_header, head_of, is_any_number, is_number, is_types, layout, sampled
from .table import (
    CellCollector,
    Commas,
    Dialect,
    DialectError,
    OnProgress,
    Table,
    check_size,
    distinct_names,
    one_line,
    unguarded,
    unheard,
)

#: In order of preference between equally good ones: those that are also decimal signs, or within words, are last.
SEPARATORS = {"\t": "Tab", ";": "Semicolon ;", ",": "Comma ,", "|": "Bar |", " ": "Blanks"}

#: Beginnings of a comment.
COMMENTS = ("#", "%", "//")

_LONGEST_LINE = 2_000_000
#: Rows by which the dialect is detected, and characters after which few are enough.  Rows are read completely: a part
#: of a row has another number of cells.
_SAMPLE_ROWS, _SAMPLE_SIZE = 100, 100_000
#: Least difference between the merits of two separators that counts.
_TIE = 0.002
#: Titles, units, and two rows.
_FEWEST_SAMPLED = 4
#: Cells that are converted in one call, during which other threads wait.
_CHUNK = 20_000
#: Fewest rows that are converted together: a call for some cells of a column takes as long as thirty cells.
_LEAST_ROWS = 32
_BLOCK = 1_000_000


#: Letters with accents and typographic signs in UTF-8; in Windows-1252, a capital before a sign.
_UTF_8 = re.compile(rb"[\xc3-\xc5][\x80-\xbf]|\xe2\x80[\x80-\xbf]")


def encoding_of(data: bytes, name: str, progress: OnProgress = unheard) -> str:
    """Return the encoding: UTF-8 or UTF-16 with a byte order mark, else UTF-8, else Windows-1252.

    Between pieces of the work, ``progress(0.0)`` is called.

    Raises
    ------
    FileError
        If it is not a text.
    """
    sixteen = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    marked = data.startswith(codecs.BOM_UTF8)
    for encoding in ["utf-16"] if sixteen else ["utf-8-sig"] if marked else ["utf-8", "cp1252"]:
        decoder, found = codecs.getincrementaldecoder(encoding)(), None
        try:
            for start in range(0, len(data), _BLOCK):  # in blocks: one call would block all other threads
                progress(0.0)
                if encoding == "cp1252":
                    found = found or _UTF_8.search(data, start, start + _BLOCK + 2)
                if "\0" in decoder.decode(data[start : start + _BLOCK]):
                    raise FileError(f"{name} is not a text file: it holds NUL characters.")
            decoder.decode(b"", True)
        except UnicodeError:
            continue
        if found:
            line = data.count(b"\n", 0, found.start()) + 1
            raise FileError(f"{name} mixes UTF-8 (line {line}) with another encoding: save it anew as UTF-8.")
        return encoding
    raise FileError(f"{name} is not text in UTF-8, UTF-16 or Windows-1252.")


class TextLines:
    """The lines of a text, for the csv reader; blank lines and comments between two records are skipped.

    `fresh` is set before each record, because within a quoted cell no line is skipped.
    """

    def __init__(self, data: bytes, encoding: str, name: str, by_blanks: bool = False) -> None:
        self._file = io.TextIOWrapper(io.BytesIO(data), encoding, errors="replace", newline="")
        self._name, self._by_blanks = name, by_blanks
        # Number of the present line, and of the first one of its record, which has not begun.
        self._number, self.start, self.fresh = 0, 0, True

    def records(self) -> Iterator[str]:
        """Yield the lines of a text in which each line is a record."""
        for line in self:
            yield line
            self.fresh = True

    def __iter__(self) -> Iterator[str]:
        while line := self._file.readline(_LONGEST_LINE + 1):
            self._number += 1
            if len(line) > _LONGEST_LINE:
                numbers = [*map(line.count, "\t;,|")]
                while line and line[-1] not in "\r\n":  # in pieces: one call would block all other threads
                    line = self._file.readline(_LONGEST_LINE)
                    numbers = [number + line.count(sign) for number, sign in zip(numbers, "\t;,|", strict=True)]
                check_size(self._name, 1, 1 + max(numbers))
                at = f"line {self._number} is longer than {grouped(_LONGEST_LINE)} characters"
                raise FileError(f"{self._name} cannot be used: {at}.")
            if self.fresh:
                if not line.strip() or line.lstrip(" ").startswith(COMMENTS) or (self._number == 1 and hint_in(line)):
                    continue
                self.fresh = False
                self.start = self._number
            if self._by_blanks:
                # Other blanks, as between thousands, are within a cell.
                line = re.sub("[ \t]+", " ", line.strip()) if '"' not in line else line.lstrip()
            yield line


def hint_in(line: str) -> str:
    """Return the separator named by a first line such as ``sep=;``, which spreadsheets use, or ""."""
    found = re.fullmatch(r'"?sep=([\t;,| ])"?', line.rstrip("\r\n"), re.IGNORECASE)
    return found[1] if found else ""


def records_of(data: bytes, encoding: str, name: str, separator: str) -> Iterator[Row]:
    """Yield the line and the cells of each row; raise a FileError for a quotation mark where none may be."""
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


def _sample(records: Iterator[Row]) -> tuple[list[Row], bool]:
    """Return the first rows, and whether they could be read without error."""
    rows, size = list[Row](), 0
    try:
        for line, cells in records:
            rows.append((line, cells))
            size += sum(map(len, cells), len(cells))
            if len(rows) > _SAMPLE_ROWS or (size > _SAMPLE_SIZE and len(rows) >= _FEWEST_SAMPLED):
                break
    except FileError:
        return rows, False
    return rows, True


def _merit(rows: Sequence[Sequence[str]], decimal: str, place: Layout) -> float:
    """Return the merit of a separator and a decimal sign: rows of equal length, many numbers, several columns."""
    if place.width < 2:
        return 0.0
    head, *below = rows[place.top :]
    even = sum(len(row) == place.width for row in (head, *below)) / (len(below) + 1)
    body = below[2:] if below and is_types(below[0]) else below
    cells = [cell for row in body or [head] for cell in sampled(row) if cell]
    numbers, first = (
        sum(is_number(cell, decimal) for cell in each) / max(len(each), 1) for each in (cells, sampled(head))
    )
    # If the other rows are ambiguous, like 3 and 4, the first one decides: 1,5 is a number.
    return even * (0.05 + numbers + 0.001 * first)


def _find_out(
    records: Callable[[str], Iterator[Row]],
    given: str | None,
    name: str,
    spec: Dialect,
    bare: bool = False,
    row_name: str = "line",
) -> tuple[Dialect, int, Head]:
    """Return the dialect, the number of columns and the head.

    Parameters
    ----------
    records : callable
        ``records(separator)`` yields the rows.
    given : str or None
        The separator, if it is known.
    name : str
    spec : Dialect
    bare : bool
        No cell is in quotation marks.
    row_name : str
    """
    best: tuple[float, str, str, list[Row], Layout] | None = None
    for separator in SEPARATORS if given is None else [given]:
        widths = {len(cells) for _, cells in best[3]} if best is not None and best[1] == "\t" else set()
        if separator == " " and len(widths) == 1 and widths != {1}:
            break  # blanks would split at the tabs, of which all rows have as many, and within titles
        rows, sound = _sample(records(separator))
        cells = [each for _, each in rows]
        for decimal in [spec.decimal] if spec.decimal else DECIMALS:
            place = layout(cells, decimal, spec.header, separator)
            merit = _merit(cells, decimal, place) - (0.0 if sound else 2.0) if rows else -math.inf
            if rows and (best is None or merit > best[0] + _TIE * (separator != best[1])):
                best = merit, separator, decimal, rows, place
    if best is None:
        next(records(given or ","), None)  # raises the error of the first row
        raise FileError(f"{name} holds no rows.")
    merit, separator, decimal, rows, place = best
    if given is None and merit == 0.0:
        separator = ","  # a single column: the preference for tabs does not apply
    if spec == Dialect() and given is None and bare and _is_one_decimal_column(rows):
        dialect = Dialect(";", ",", True)
        return dialect, 1, head_of(rows, Layout(1), dialect)
    header = has_header([cells for _, cells in rows[place.top :]], decimal) if spec.header is None else spec.header
    dialect = Dialect(separator, decimal, header)
    return dialect, place.width, head_of(rows, place, dialect, row_name)


def _is_one_decimal_column(rows: Sequence[Row]) -> bool:
    """Return whether the lines below a single title are numbers with a decimal comma, which is no separator."""
    (_, title), *body = rows
    return (
        len(title) == 1
        and not is_any_number(title[0])
        and all(len(cells) > 1 and is_number(",".join(cells), ",") for _, cells in body)
    )


def by_lines(data: bytes, progress: OnProgress) -> Callable[[int], object]:
    """Return a function that reports as progress that a line of `data` was read, by its number."""
    n_lines = data.count(b"\n") + 1
    return lambda line: progress(line / n_lines)


def read_delimited(data: bytes, encoding: str, name: str, spec: Dialect, progress: OnProgress = unheard) -> Table:
    """Return the table in a separated text; raise a FileError with one sentence if there is none.

    Rows with another number of cells than most are the table's faults.
    """
    first = io.TextIOWrapper(io.BytesIO(data[:100]), encoding, errors="replace", newline="").readline()
    deque(islice(TextLines(data, encoding, name).records(), _SAMPLE_ROWS), 0)  # a line that is too long is read once
    read = partial(records_of, data, encoding, name)
    given, bare = spec.separator or hint_in(first) or None, b'"' not in data[:_SAMPLE_SIZE]
    dialect, width, head = _find_out(read, given, name, spec, bare)
    try:
        check_size(name, 1, width)
        commas = Commas() if spec.decimal is None and dialect.decimal == "," else None
        records, report = read(dialect.separator or ","), by_lines(data, progress)
        report(0)
        return table_of(records, name, dialect, width, head, commas, report, len(data))
    except FileError as error:
        raise DialectError(str(error), dialect) from None


def read_rows(
    rows: Callable[[], Iterator[Row]], name: str, row_name: str, n_bytes: int, report: Callable[[int], object] = unheard
) -> Table:
    """Return the table in rows of texts, which are given anew by each call; its head is found as in a text.

    Parameters `n_bytes` and `report` as in `table_of`.
    """
    dialect, width, head = _find_out(lambda _: rows(), "", name, Dialect(), row_name=row_name)
    check_size(name, 1, width)
    commas = Commas() if dialect.decimal == "," else None
    return replace(
        table_of(rows(), name, dialect, width, head, commas, report, n_bytes), dialect=None, row_name=row_name
    )


def table_of(
    records: Iterable[Row],
    name: str,
    dialect: Dialect,
    width: int,
    head: Head,
    commas: Commas | None = None,
    report: Callable[[int], object] = unheard,
    n_bytes: int = 0,
) -> Table:
    """Return the table of `records` below `head`; rows with another number of cells than `width` are its faults.

    In their file, the records take `n_bytes`.  Between pieces of the work, ``report(line)`` is called.
    """
    columns = [CellCollector(dialect.decimal or ".", commas) for _ in range(width)]
    lines, faults = array("i"), dict[int, str]()
    chunk, most = list[list[str]](), max(_LEAST_ROWS, _CHUNK // width)

    def take_over() -> None:
        for column, cells in zip(columns, zip(*chunk, strict=True), strict=False):
            column.add(cells)
        chunk.clear()
        check_size(name, len(lines), width, n_bytes)
        report(lines[-1] if lines else 0)

    for line, cells in dropwhile(lambda record: record[0] < head.start, records):
        if len(cells) != width:  # one sentence, shared by all such rows
            faults[len(lines)] = sys.intern(f"it has {count(len(cells), 'cell')} instead of {width}")
            cells = (cells + [""] * width)[:width]
        lines.append(line)
        chunk.append(cells)
        if len(chunk) >= most:
            take_over()
    take_over()
    if not lines:
        raise FileError(f"{name} holds {'a header but ' if dialect.header else ''}no rows.")
    titles, hints = head.titles if dialect.header else [""] * width, [*head.hints, *[""] * width]
    if columns[-1].blank and width > 2 and (len(titles) == width - 1 or not titles[-1].strip()):
        columns.pop()  # every row ends with a separator
        titles = titles[: width - 1]
    if len(titles) == len(columns) - 1 and columns[0].column("").names_rows:
        titles, hints = ["", *titles], ["", *hints]  # R writes no title above the names of the rows
    if len(titles) != len(columns):
        raise FileError(
            f"{name} cannot be used: the header in line {head.line} has {len(titles)} cells, the rows below have"
            f" {width}."
        )
    titles = [one_line(unguarded(title.strip())) for title in titles]
    names = titles
    if dialect.header and not titles[0] and columns[0].column("").names_rows:
        hints, names = ["left out", *hints[1:]], ["row", *titles[1:]]
    return Table(
        name,
        tuple(cells.column(*each) for cells, *each in zip(columns, distinct_names(names), titles, hints, strict=False)),
        np.asarray(lines),
        faults,
        "line",
        dialect,
        commas.doubt if commas is not None else "",
        head.notes,
    )
