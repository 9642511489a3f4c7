"""Exporting: labelled points as a table, as svmlight text, as NumPy arrays, and as text for the clipboard and back."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.number_format import number_in
from app.core.points import MAX_CLASSES
from app.files.documents import FileError
from solver.core.arrays import Array

from .columns import Choice, convert
from .delimited import is_any_number
from .importing import CLIPBOARD, read_text
from .table import CLASS_NAMES, Dialect, guarded, may_run, number_text, one_line

Labels = NDArray[np.uint8]
#: Separator of the tables, by suffix.
TABLES = {".csv": ",", ".tsv": "\t"}

#: Rows that are written at a time: some tenths of a millisecond of work.
_TOGETHER = 400


class DoubtError(FileError):
    """A text whose numbers can be read in two ways."""


class Content(Struct, frozen=True):
    """What is exported: points, names of all eight classes and of the two axes, and whether names are guarded."""

    xy: Array
    labels: Labels
    names: Sequence[str]
    titles: Sequence[str]
    guard: bool


class ExportFormat(Struct, frozen=True):
    """A kind of file.

    Attributes
    ----------
    title : str
        As in the file dialog.
    encode : callable
        The bytes of a file.
    in_pieces : bool, default=True
        The file of some points is the head of the file of none and then lines of theirs, so that it can be written
        piece by piece.
    """

    title: str
    encode: Callable[[Content], bytes]
    in_pieces: bool = True


def _table(content: Content, separator: str) -> bytes:
    head = [guarded(title, content.guard) for title in content.titles]
    head.append(_class_title(content.titles, content.names))
    # In quotes a name that begins with # does not begin a comment.
    quoting = csv.QUOTE_ALL if head[0].startswith("#") else csv.QUOTE_MINIMAL
    cells = [guarded(name, content.guard) for name in content.names]
    text = _text([head], separator, quoting) + _rows(content.xy, content.labels, cells, separator)
    return text.encode("utf-8", "replace")


def _svmlight(content: Content) -> bytes:
    triples = zip(content.labels.tolist(), *content.xy.T.tolist(), strict=True)
    return "".join(f"{label + 1} 1:{x!r} 2:{y!r}\n" for label, x, y in triples).encode()


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
    ".csv": ExportFormat("Comma-separated table", partial(_table, separator=TABLES[".csv"])),
    ".tsv": ExportFormat("Tab-separated table", partial(_table, separator=TABLES[".tsv"])),
    ".svmlight": ExportFormat("svmlight, LIBSVM", _svmlight),
    ".npz": ExportFormat("NumPy arrays", _numpy, in_pieces=False),  # it compresses without holding others up
}


def running(labels: Labels, class_names: Sequence[str], axes: tuple[str, str], path: Path) -> str:
    """The first name that a spreadsheet might run as a formula if it stood in the table at `path`; "" if none."""
    if path.suffix.lower() not in TABLES:
        return ""
    names = names_of(class_names)
    written = [*_titles(axes), *(names[label] for label in np.unique(labels).tolist())]
    return next((name for name in written if may_run(name)), "")


def _titles(axes: tuple[str, str]) -> list[str]:
    return [one_line(axes[0]) or "x", one_line(axes[1]) or "y"]


def _class_title(titles: Sequence[str], names: Sequence[str]) -> str:
    """What the column of the classes is called: where axes look like numbers, no class may be called so, too."""
    if not any(is_any_number(title) for title in titles):
        return "class"
    taken = {name.casefold() for name in names}
    return next((title for title in ("class", *sorted(CLASS_NAMES)) if title not in taken), "class")


def encode_pieces(
    xy: Array, labels: Labels, class_names: Sequence[str], axes: tuple[str, str], path: Path, guard: bool = True
) -> Iterator[tuple[bytes, float]]:
    """Yield the bytes of a file in the format of its suffix.

    Parameters
    ----------
    xy : ndarray of shape (n, 2)
    labels : ndarray of shape (n,)
        Class of each point, 0 to 7.
    class_names : sequence of str
        Of the classes from the first on; where there is none, the class's number stands for it.
    axes : tuple of (str, str)
        Names of x and y; "" for "x" and "y".
    path : Path
    guard : bool
        Of a table: put an apostrophe before names that a spreadsheet would run as formulas; reading takes it away.

    Yields
    ------
    piece : bytes
        Less than a millisecond's work where the format comes in pieces.
    share : float
        How much of all is done.

    Raises
    ------
    FileError
        With one sentence, where the suffix is of no such format.
    """
    form, names, titles = EXPORTS.get(path.suffix.lower()), names_of(class_names), _titles(axes)
    if form is None:
        raise FileError(f"{path.name} was not exported: its name must end in {', '.join(EXPORTS)}.")
    together = _TOGETHER if form.in_pieces else len(xy)
    head = len(form.encode(Content(xy[:0], labels[:0], names, titles, guard))) if form.in_pieces else 0
    for start in range(0, max(len(xy), 1), max(together, 1)):
        part = slice(start, start + together)
        piece = form.encode(Content(xy[part], labels[part], names, titles, guard))
        yield piece if start == 0 else piece[head:], min(part.stop / max(len(xy), 1), 1.0)


def as_text(xy: Array, labels: Labels, class_names: Sequence[str]) -> str:
    """The points as lines of x, y and class, for a spreadsheet."""
    return _rows(xy, labels, [guarded(name) for name in names_of(class_names)], "\t")


def text_pieces(xy: Array, labels: Labels, class_names: Sequence[str]) -> Iterator[tuple[str, float]]:
    """The same text in pieces, as `encode_pieces`."""
    for start in range(0, len(xy), _TOGETHER):
        part = slice(start, start + _TOGETHER)
        yield as_text(xy[part], labels[part], class_names), min(part.stop / len(xy), 1.0)


def from_text(
    text: str, class_names: Sequence[str], label: int = 0, used: Collection[int] = ()
) -> tuple[Array, Labels, list[str]]:
    """The points in a text of two or three columns: x, y and a class by name or number.

    Parameters
    ----------
    text : str
        As `as_text` writes it, or any table that `read_text` reads.
    class_names : sequence of str
        As for `as_text`.
    label : int
        The class of the points of a text without one.
    used : collection of int
        Classes that have points; a new name goes to the first class without points and name.

    Returns
    -------
    xy : ndarray of shape (n, 2)
    labels : ndarray of shape (n,)
    names : list of str
        Of the eight classes, the new ones included; "" for a class without a name.

    Raises
    ------
    DoubtError
        When the numbers may mean something else, which somebody should look at.
    FileError
        With one sentence, when any row is no such point.
    """
    # Spreadsheets, and this program, put tabs between cells: a space there is one of a name.
    tabs = all(line.count("\t") in (1, 2) for line in text.splitlines() if line.strip())
    plain = Dialect(header=False, separator="\t" if tabs else None)
    table = read_text(text, dialect=plain)
    if len(table) > 1 and all(0 in column.texts for column in table.columns[:2]):
        # Only words above x and y are a header: a class may be called "target".
        table = read_text(text, dialect=replace(plain, header=True))
    n_columns = len(table.columns)
    if table.doubt:
        raise DoubtError(f"{CLIPBOARD} may hold other numbers: {table.doubt}")
    if n_columns not in (2, 3):
        raise FileError(
            f"{CLIPBOARD} holds {n_columns} column{'' if n_columns == 1 else 's'}; points have two, x and y, or three"
            " with the class.  Import from the clipboard (Ctrl+Shift+V) lets you choose."
        )
    xy = convert(table, Choice(0, 1)).xy
    names = [*class_names, *[""] * MAX_CLASSES][:MAX_CLASSES]
    if n_columns == 2:
        return xy, np.full(len(xy), label, dtype=np.uint8), names
    known = {str(number): number - 1 for number in range(1, MAX_CLASSES + 1)}
    known |= {_key(name): number for number, name in enumerate(names_of(class_names))}
    cells = [table.columns[2].cell(row) for row in range(len(table))]
    keys = [*map(cache(_key), cells)]
    taken = {*used, *(known[key] for key in set(keys) & known.keys())}
    for row, key in enumerate(keys):
        if key not in known:
            known[key] = _named(cells[row], names, taken, f"in {table.place} {table.lines[row]}")
    return xy, np.array([known[key] for key in keys], dtype=np.uint8), names


def _named(name: str, names: list[str], taken: set[int], place: str) -> int:
    """Give the first class without name and points `name`; its number."""
    title = one_line(name)
    if not title:
        raise FileError(f"{CLIPBOARD} cannot be pasted: {place}, the class is missing.")
    if not math.isnan(number_in(title)):
        raise FileError(
            f"{CLIPBOARD} cannot be pasted: {place}, '{name[:40]}' is neither a class from 1 to {MAX_CLASSES} nor the"
            " name of one."
        )
    free = next((c for c in range(MAX_CLASSES) if not names[c] and c not in taken), None)
    if free is None:
        raise FileError(
            f"{CLIPBOARD} cannot be pasted: {place}, '{name[:40]}' would be one class more than {MAX_CLASSES}."
        )
    names[free] = title
    taken.add(free)
    return free


def names_of(class_names: Iterable[str]) -> list[str]:
    """What stands for each of the eight classes in a file: its name, or its number where that is not clear.

    Two classes of one name, or a name that is another class's number, would come back as one class.
    """
    given = [one_line(name) for name in class_names][:MAX_CLASSES]
    given += [""] * (MAX_CLASSES - len(given))
    names = [name or str(number) for number, name in enumerate(given, 1)]
    keys = [_key(name) for name in names]
    odd = any(key.lstrip("+-").casefold() in ("nan", "inf", "infinity") for key in keys)
    return [str(number) for number in range(1, MAX_CLASSES + 1)] if odd or len(set(keys)) < MAX_CLASSES else names


def _key(name: str) -> str:
    """What a cell with this name is read as: 1.0 is 1."""
    value = number_in(name)
    return number_text(value) if math.isfinite(value) else name.strip()


def _rows(xy: Array, labels: Labels, names: Sequence[str], separator: str) -> str:
    # repr is the shortest text that gives the same number back.
    cells = zip(map(repr, xy[:, 0].tolist()), map(repr, xy[:, 1].tolist()), [names[c] for c in labels.tolist()])  # noqa: B905
    return _text(cells, separator)


def _text(rows: Iterable[Iterable[str]], separator: str, quoting: int = csv.QUOTE_MINIMAL) -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n").writerows(rows)  # type: ignore[arg-type]
    return file.getvalue()
