"""Writing: labelled points as a table, as svmlight text, as NumPy arrays, and as text for the clipboard and back."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from app.files import FileError, write_bytes
from app.points import MAX_CLASSES

from .convert import Choice, convert
from .reading import CLIPBOARD, read_text
from .table import Column, Dialect, Values, number_in, number_text

Labels = NDArray[np.uint8]

#: Suffixes of what can be exported, for the file dialog.
EXPORTS = {
    ".csv": "Comma-separated table",
    ".tsv": "Tab-separated table",
    ".svmlight": "svmlight, LIBSVM",
    ".npz": "NumPy arrays",
}


def export(xy: Values, labels: Labels, class_names: Sequence[str], axes: tuple[str, str], path: Path) -> None:
    """Write points to `path`, in the format of its suffix; FileError with one sentence when that fails.

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
        Its old content stays whole until the new one is.
    """
    write_bytes(encode(xy, labels, class_names, axes, path), path)


def encode(xy: Values, labels: Labels, class_names: Sequence[str], axes: tuple[str, str], path: Path) -> bytes:
    """The bytes that `export` writes."""
    suffix = path.suffix.lower()
    names = names_of(class_names)
    titles = [_one_line(axes[0]) or "x", _one_line(axes[1]) or "y"]
    if suffix in (".csv", ".tsv"):
        separator = "," if suffix == ".csv" else "\t"
        # In quotes a name that begins with # does not begin a comment.
        head = _text([[*titles, "class"]], separator, csv.QUOTE_ALL if titles[0].startswith("#") else csv.QUOTE_MINIMAL)
        return (head + _rows(xy, labels, names, separator)).encode("utf-8", "replace")
    if suffix == ".svmlight":
        triples = zip(labels.tolist(), *xy.T.tolist(), strict=True)
        return "".join(f"{label + 1} 1:{x!r} 2:{y!r}\n" for label, x, y in triples).encode()
    if suffix == ".npz":
        file = io.BytesIO()
        np.savez_compressed(
            file, X=np.asarray(xy, dtype=np.float64), y=np.asarray(labels, dtype=np.int64),
            class_names=np.array(names, dtype=np.str_), feature_names=np.array(titles, dtype=np.str_),
        )  # fmt: skip
        return file.getvalue()
    raise FileError(f"{path.name} was not exported: its name must end in {', '.join(EXPORTS)}.")


def as_text(xy: Values, labels: Labels, class_names: Sequence[str]) -> str:
    """The points as lines of x, y and class, for a spreadsheet."""
    return _rows(xy, labels, names_of(class_names), "\t")


def from_text(text: str, class_names: Sequence[str], label: int = 0) -> tuple[Values, Labels]:
    """The points in a text of two or three columns: x, y and a class by name or number.

    Parameters
    ----------
    text : str
        As `as_text` writes it, or any table that `read_text` reads.
    class_names : sequence of str
        As for `as_text`.
    label : int
        The class of the points of a text without one.

    Returns
    -------
    xy : ndarray of shape (n, 2)
    labels : ndarray of shape (n,)

    Raises
    ------
    FileError
        With one sentence, when any row is no such point.
    """
    table = read_text(text, dialect=Dialect(header=False))
    if len(table) > 1 and all(0 in column.texts for column in table.columns[:2]):
        # Only words above x and y are a header: a class may be called "target".
        table = read_text(text, dialect=Dialect(header=True))
    n_columns = len(table.columns)
    if n_columns not in (2, 3):
        raise FileError(
            f"{CLIPBOARD} holds {n_columns} column{'' if n_columns == 1 else 's'}; points have two, x and y, or three"
            " with the class."
        )
    xy = convert(table, Choice(0, 1)).xy
    if n_columns == 2:
        return xy, np.full(len(xy), label, dtype=np.uint8)
    known = {str(number): number - 1 for number in range(1, MAX_CLASSES + 1)}
    known |= {_key(name): number for number, name in enumerate(names_of(class_names))}
    labels = np.zeros(len(xy), dtype=np.uint8)
    said: dict[str, int] = {}
    for row, cell in enumerate(_cells(table.columns[2])):
        if cell not in said:
            found = known.get(_key(cell))
            if found is None:
                raise FileError(
                    f"{CLIPBOARD} cannot be pasted: in {table.place} {table.lines[row]}, '{cell[:40]}' is neither a"
                    f" class from 1 to {MAX_CLASSES} nor the name of one."
                )
            said[cell] = found
        labels[row] = said[cell]
    return xy, labels


def names_of(class_names: Iterable[str]) -> list[str]:
    """What stands for each of the eight classes in a file: its name, or its number where that is not clear.

    Two classes of one name, or a name that is another class's number, would come back as one class.
    """
    given = [_one_line(name) for name in class_names][:MAX_CLASSES]
    given += [""] * (MAX_CLASSES - len(given))
    names = [name or str(number) for number, name in enumerate(given, 1)]
    keys = [_key(name) for name in names]
    odd = any(key.lstrip("+-").casefold() in ("nan", "inf", "infinity") for key in keys)
    return [str(number) for number in range(1, MAX_CLASSES + 1)] if odd or len(set(keys)) < MAX_CLASSES else names


def _key(name: str) -> str:
    """What a cell with this name is read as: 1.0 is 1."""
    value = number_in(name)
    return number_text(value) if math.isfinite(value) else name.strip()


def _cells(column: Column) -> Iterable[str]:
    return (column.cell(row) for row in range(len(column.values)))


def _one_line(name: str) -> str:
    return " ".join(name.replace("\0", " ").split())


def _rows(xy: Values, labels: Labels, names: Sequence[str], separator: str) -> str:
    # repr is the shortest text that gives the same number back.
    cells = zip(map(repr, xy[:, 0].tolist()), map(repr, xy[:, 1].tolist()), [names[c] for c in labels.tolist()])  # noqa: B905
    return _text(cells, separator)


def _text(rows: Iterable[Iterable[str]], separator: str, quoting: int = csv.QUOTE_MINIMAL) -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=separator, quoting=quoting, lineterminator="\n").writerows(rows)  # type: ignore[arg-type]
    return file.getvalue()
