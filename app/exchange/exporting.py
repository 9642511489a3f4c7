"""Exporting: labelled points as a table, svmlight text, NumPy arrays, and text for the clipboard, with its reader."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.csv_text import csv_text
from app.core.dates import NO_DATES, NUMBERS, Coordinates
from app.core.points import MAX_CLASSES
from app.files.documents import FileError
from solver.core.arrays import Array

from .columns import Choice, convert
from .delimited import COMMENTS
from .head import is_any_number
from .importing import CLIPBOARD, read_text
from .table import CLASS_NAMES, Dialect, cell_number, guarded, may_run, number_text, one_line

Labels = NDArray[np.uint8]
#: How x and y are written.
Axes = tuple[Coordinates, Coordinates]
_CHOOSE = "Import from the clipboard (Ctrl+Shift+V) lets you choose."
#: Suffixes of tables that a spreadsheet may open.
TABLES = (".csv", ".tsv", ".tab")
#: Rows that are encoded together: some tenths of a millisecond of work.
_TOGETHER = 400


class DoubtError(FileError):
    """The numbers of a text are ambiguous."""


class Content(Struct, frozen=True):
    """Content of an export.

    Attributes
    ----------
    xy, labels : ndarray
        Points and their classes.
    names : sequence of str
        Names of all eight classes.
    titles : sequence of str
        Names of the axes.
    guard : bool
        Whether names are guarded.
    used : sequence of int
        The classes that have points, in the whole file.
    coordinates : tuple of Coordinates
        How x and y are written.
    """

    xy: Array
    labels: Labels
    names: Sequence[str]
    titles: Sequence[str]
    guard: bool
    used: Sequence[int]
    coordinates: Axes

    def kinds(self, number: str, date: str) -> tuple[str, ...]:
        """Return the words of a format for numbers or for dates, for x and y."""
        return tuple(date if axis.second else number for axis in self.coordinates)


class ExportFormat(Struct, frozen=True):
    """A kind of file.

    Attributes
    ----------
    title : str
        Title in the file dialog.
    encode : callable
        Returns the bytes of a file for some content.
    in_pieces : bool, default=True
        A file is the file without points followed by lines of points, so that it can be written in pieces.
    """

    title: str
    encode: Callable[[Content], bytes]
    in_pieces: bool = True


def _table(content: Content, separator: str, orange: bool = False) -> bytes:
    head = [guarded(title, content.guard) for title in content.titles]
    head.append(_class_title(content.titles, content.names))
    # Within quotes, a name such as "#1" does not begin a comment.
    text = csv_text([head], separator, quote_all=head[0].startswith(COMMENTS))
    cells = [guarded(name, content.guard) for name in content.names]
    if orange:  # types and roles of the columns
        text += "\t".join((*content.kinds("continuous", "time"), "discrete\n\t\tclass\n"))
    text += _rows(content.xy, content.labels, cells, separator, content.coordinates)
    return text.encode("utf-8", "replace")


def _arff(content: Content) -> bytes:
    x, y, *names = [
        "'" + re.sub(r"(['\\])", r"\\\1", guarded(name, False)) + "'" for name in (*content.titles, *content.names)
    ]
    classes = ",".join(names[label] for label in content.used)
    kinds = content.kinds("numeric", "date \"yyyy-MM-dd'T'HH:mm:ss\"")
    times = _cells(content.xy, content.coordinates, lambda date: date + "0000-00-00T00:00:00"[len(date) :])
    triples = zip(*times, content.labels.tolist(), strict=True)
    rows = "".join(f"{x},{y},{names[label]}\n" for x, y, label in triples)
    attributes = f"@attribute {x} {kinds[0]}\n@attribute {y} {kinds[1]}\n@attribute class {{{classes}}}\n"
    return f"@relation points\n{attributes}@data\n{rows}".encode("utf-8", "replace")


def _svmlight(content: Content) -> bytes:
    numbers = _numbers(content.names, content.used)
    # LIBSVM reads no comments in lines of their own, and stops at what has no colon.
    ends = [f" # {name.replace(':', ' ')}" * (not numbers) for name in content.names]
    labels = numbers or range(1, MAX_CLASSES + 1)
    triples = zip(content.labels.tolist(), *content.xy.T.tolist(), strict=True)
    return "".join(f"{labels[label]} 1:{x!r} 2:{y!r}{ends[label]}\n" for label, x, y in triples).encode(
        "utf-8", "replace"
    )


def _numbers(names: Sequence[str], used: Sequence[int]) -> list[str]:
    """Return the names as numbers, if those of all classes used are numbers; else an empty list."""
    return [*map(_key, names)] if all(math.isfinite(cell_number(names[label])) for label in used) else []


def numbered(labels: Labels, class_names: Sequence[str], path: Path) -> str:
    """Return the sentence on numbers that stand for the names of classes in the file at `path`, or ""."""
    used = np.unique(labels).tolist()
    names = names_of(class_names, used)
    if path.suffix.lower() != ".svmlight" or _numbers(names, used):
        return ""
    return f" The format has only numbers: {', '.join(f'{label + 1} is {names[label]}' for label in used)}."


def _numpy(content: Content) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(
        file,
        X=np.asarray(content.xy, dtype=np.float64),
        y=np.asarray(content.labels, dtype=np.int64),
        class_names=np.array(content.names, dtype=np.str_),
        feature_names=np.array(content.titles, dtype=np.str_),
    )
    return file.getvalue()


#: What can be exported, by suffix.
EXPORTS: dict[str, ExportFormat] = {
    ".csv": ExportFormat("Comma-separated table", partial(_table, separator=",")),
    ".tsv": ExportFormat("Tab-separated table", partial(_table, separator="\t")),
    ".svmlight": ExportFormat("svmlight, LIBSVM", _svmlight),
    ".arff": ExportFormat("Weka's ARFF", _arff),
    ".tab": ExportFormat("Orange table", partial(_table, separator="\t", orange=True)),
    ".npz": ExportFormat("NumPy arrays", _numpy, in_pieces=False),  # compression does not block other threads
}


def running(labels: Labels, class_names: Sequence[str], axes: tuple[str, str], path: Path) -> str:
    """Return the first name that a spreadsheet might run as a formula if it opened the table at `path`, or ""."""
    if path.suffix.lower() not in TABLES:
        return ""
    used = np.unique(labels).tolist()
    names = names_of(class_names, used)
    return next((name for name in (*_titles(axes), *(names[label] for label in used)) if may_run(name)), "")


def _titles(axes: tuple[str, str]) -> list[str]:
    return [one_line(axes[0]) or "x", one_line(axes[1]) or "y"]


def _class_title(titles: Sequence[str], names: Sequence[str]) -> str:
    """Return the title of the class column, which must not be a class's name if axes are named like numbers."""
    if not any(is_any_number(title) for title in titles):
        return "class"
    taken = {name.casefold() for name in names}
    return next((title for title in ("class", *sorted(CLASS_NAMES)) if title not in taken), "class")


def encode_pieces(
    xy: Array,
    labels: Labels,
    class_names: Sequence[str],
    axes: tuple[str, str],
    path: Path,
    guard: bool = True,
    coordinates: Axes = NUMBERS,
) -> Iterator[tuple[bytes, float]]:
    """Yield the bytes of a file in the format of its suffix.

    Parameters
    ----------
    xy : ndarray of shape (n, 2)
    labels : ndarray of shape (n,)
        Class of each point, 0 to 7.
    class_names : sequence of str
        Names of the classes, from the first on; a class without a name has its number.
    axes : tuple of (str, str)
        Names of x and y; "" for "x" and "y".
    path : Path
    guard : bool
        In a table, put an apostrophe before names that a spreadsheet would run as formulas; reading removes it.
    coordinates : tuple of Coordinates
        How x and y are written in a format that has dates.

    Yields
    ------
    piece : bytes
        Bytes; less than a millisecond's work if the format can be written in pieces.
    share : float
        Share of the whole that is done.

    Raises
    ------
    FileError
        If the suffix has no format; one sentence.
    """
    form, used, titles = EXPORTS.get(path.suffix.lower()), np.unique(labels).tolist(), _titles(axes)
    names = names_of(class_names, used)
    if form is None:
        raise FileError(f"{path.name} was not exported: its name must end in {', '.join(EXPORTS)}.")
    rest = names, titles, guard, used, coordinates
    together = _TOGETHER if form.in_pieces else len(xy)
    head = len(form.encode(Content(xy[:0], labels[:0], *rest))) if form.in_pieces else 0
    for start in range(0, max(len(xy), 1), max(together, 1)):
        part = slice(start, start + together)
        piece = form.encode(Content(xy[part], labels[part], *rest))
        yield piece if start == 0 else piece[head:], min(part.stop / max(len(xy), 1), 1.0)


def as_text(xy: Array, labels: Labels, class_names: Sequence[str], coordinates: Axes = NUMBERS) -> str:
    """Return the points as lines of x, y and class, for a spreadsheet."""
    return _rows(xy, labels, [guarded(name) for name in names_of(class_names)], "\t", coordinates)


def text_pieces(
    xy: Array, labels: Labels, class_names: Sequence[str], coordinates: Axes = NUMBERS
) -> Iterator[tuple[str, float]]:
    """Yield the text of `as_text` in pieces, like `encode_pieces`."""
    for start in range(0, len(xy), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        yield as_text(xy[part], labels[part], class_names, coordinates), min(part.stop / len(xy), 1.0)


def from_text(
    text: str,
    class_names: Sequence[str],
    label: int = 0,
    used: Collection[int] = (),
    dates: tuple[float, float] = NO_DATES,
) -> tuple[Array, Labels, list[str]]:
    """Return the points in a text of two or three columns: x, y and a class by name or number.

    Parameters
    ----------
    text : str
        Text by `as_text`, or any table that `read_text` reads.
    class_names : sequence of str
        As for `as_text`.
    label : int
        Class of the points if the text has none.
    used : collection of int
        Classes that have points; a new name goes to the first class without points and name.
    dates : tuple of (float, float)
        Lengths of a second along x and y, as in `Document`.

    Returns
    -------
    xy : ndarray of shape (n, 2)
    labels : ndarray of shape (n,)
    names : list of str
        Names of the eight classes, new ones included; "" for a class without a name.

    Raises
    ------
    DoubtError
        If the numbers are ambiguous, so that the user should check them.
    FileError
        If a row is not a point; one sentence.
    """
    # Spreadsheets, and this program, put tabs between cells, so that spaces belong to names.
    tabs = all(line.count("\t") in (1, 2) for line in text.splitlines() if line.strip())
    plain = Dialect(header=False, separator="\t" if tabs else None)
    table = read_text(text, dialect=plain)
    if len(table) > 1 and all(column.word(0) is not None for column in table.columns[:2]):
        # Only words above x and y are a header: a class may be named "target".
        table = read_text(text, dialect=replace(plain, header=True))
    n_columns = len(table.columns)
    if table.doubt:
        raise DoubtError(f"{CLIPBOARD} may hold other numbers: {table.doubt}")
    if n_columns not in (2, 3):
        raise FileError(
            f"{CLIPBOARD} holds {n_columns} column{'' if n_columns == 1 else 's'}; points have two, x and y, or three"
            f" with the class.  {_CHOOSE}"
        )
    points = convert(table, Choice(0, 1))
    if [*map(bool, points.dates)] != [*map(bool, dates)]:
        raise FileError(f"{CLIPBOARD} cannot be pasted: dates and numbers do not share an axis.  {_CHOOSE}")
    xy = points.xy * np.where(dates, dates, 1.0)
    names = [*class_names, *[""] * MAX_CLASSES][:MAX_CLASSES]
    if n_columns == 2:
        return xy, np.full(len(xy), label, dtype=np.uint8), names
    own = {_key(name): number for number, name in enumerate(names_of(class_names))}
    known = {str(number + 1): number for number in range(MAX_CLASSES)} | own
    cells = [table.columns[2].cell(row) for row in range(len(table))]
    keys = [*map(cache(_key), cells)]
    taken = {*used, *(known[key] for key in set(keys) & known.keys())}
    for row, key in enumerate(keys):
        if key not in known:
            known[key] = _named(cells[row], names, taken, f"in {table.row_name} {table.lines[row]}")
    return xy, np.array([known[key] for key in keys], dtype=np.uint8), names


def _named(name: str, names: list[str], taken: set[int], where: str) -> int:
    """Give `name` to the first class without name and points, and return that class."""
    title, fault = one_line(name), ""
    free = next((c for c in range(MAX_CLASSES) if not names[c] and c not in taken), -1)
    if not title:
        fault = "the class is missing"
    elif not math.isnan(cell_number(title)):
        fault = f"'{name[:40]}' is neither a class from 1 to {MAX_CLASSES} nor the name of one"
    elif free < 0:
        fault = f"'{name[:40]}' would be one class more than {MAX_CLASSES}"
    if fault:
        raise FileError(f"{CLIPBOARD} cannot be pasted: {where}, {fault}.")
    names[free] = title
    taken.add(free)
    return free


def names_of(class_names: Iterable[str], used: Collection[int] = range(MAX_CLASSES)) -> list[str]:
    """Return the text of each of the eight classes in a file: its name, or its number if one is ambiguous.

    Two classes of one name, or a name that is another class's number, would be read as one class.  Only the names of
    the classes in `used` are written.
    """
    given = [*map(one_line, class_names), *[""] * MAX_CLASSES][:MAX_CLASSES]
    names = [name or str(number) for number, name in enumerate(given, 1)]
    keys = [_key(names[label]) for label in used]
    odd = any(key.lstrip("+-").casefold() in ("nan", "inf", "infinity") for key in keys)
    return [str(number) for number in range(1, MAX_CLASSES + 1)] if odd or len(set(keys)) < len(keys) else names


def _key(name: str) -> str:
    """Return the name as it is read from a cell: "1" for "1.0"."""
    value = cell_number(name)
    return number_text(value) if math.isfinite(value) else name.strip()


def _rows(xy: Array, labels: Labels, names: Sequence[str], separator: str, coordinates: Axes) -> str:
    cells = zip(*_cells(xy, coordinates), [names[c] for c in labels.tolist()])  # noqa: B905
    return csv_text(cells, separator)


def _cells(xy: Array, coordinates: Axes, write: Callable[[str], str] = str) -> Iterator[Iterable[str]]:
    """Yield the texts of x, and those of y, from which the same numbers are read; dates go through `write`."""
    for axis, values in zip(coordinates, xy.T.tolist(), strict=True):
        yield map(write, map(axis.text, values)) if axis.second else map(repr, values)
