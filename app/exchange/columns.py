"""Columns: convert a table, with a choice of its columns, into labelled points."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from operator import not_

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.number_format import count, grouped, number_in
from app.core.plain_text import plain
from app.core.points import LIMIT, MAX_CLASSES
from app.files.documents import FileError
from app.state.scaling import Scaling
from solver.core.arrays import Array

from .components import principal_components, standardised
from .table import CLASS_NAMES, Column, Table, number_text

#: Most unusable rows that are listed; the count has no limit.
MOST_LISTED = 200
#: Most excluded columns that are named; the others are counted.
MOST_NAMED = 3
#: Largest ratio of the axes' deviations, and the range of both, without the advice to standardise: units outside them
#: make one classifier tie everywhere, and another use a single axis.
UNLIKE, LEAST_DEVIATION, MOST_DEVIATION = 5.0, 0.05, 5.0
_COUNTERS = frozenset({"id", "index", "row", "nr", "no"})


class Choice(Struct, frozen=True):
    """The roles of columns, by their indices in the table.

    Attributes
    ----------
    x, y : int
    label : int or None
        None: all points have class 1.
    standardise : bool
        Shift and scale x and y to mean 0 and variance 1 over the imported points.
    leave_out : bool
        Leave out unusable rows; else there must be none.
    components : tuple of int
        If not empty, x and y are the first two principal components of these columns.
    """

    x: int
    y: int
    label: int | None = None
    standardise: bool = False
    leave_out: bool = False
    components: tuple[int, ...] = ()


class Imported(Struct, frozen=True, eq=False):
    """Imported points, ready for a document.

    Attributes
    ----------
    xy : ndarray of shape (n, 2)
    labels : ndarray of shape (n,), uint8
        Class of each point, 0 to 7.
    class_names : tuple of str
        Names of the classes, from the first on; "" if the class has only its number.
    axes : tuple of (str, str)
        Names of x and y in the file, or "".
    columns : tuple of (str, str)
        Distinct names of the columns of x and y.
    scaling : Scaling or None
        Scaling by which x and y were standardised.
    left_out : tuple of (int, str)
        Line and reason for the first `MOST_LISTED` rows that were left out.
    n_left_out : int
        Number of rows left out.
    advice : str
        Sentence that advises to standardise, or "".
    limits : str
        Sentence on what these two of several columns cannot show, or "".
    """

    xy: Array
    labels: NDArray[np.uint8]
    class_names: tuple[str, ...]
    axes: tuple[str, str]
    columns: tuple[str, str]
    scaling: Scaling | None = None
    left_out: tuple[tuple[int, str], ...] = ()
    n_left_out: int = 0
    advice: str = ""
    limits: str = ""

    @property
    def summary(self) -> str:
        """Return a line on the points to be imported."""
        parts = []
        times_of = np.bincount(self.labels)
        for label, times in zip(np.flatnonzero(times_of).tolist(), times_of[times_of > 0].tolist(), strict=True):
            name = plain(self.class_names[label]) if label < len(self.class_names) else ""
            alone = name and not name[-1].isdigit()  # "50 0" would be two numbers
            parts.append(f"{grouped(times)} {name}" if alone else f"{grouped(times)} of class {name or label + 1}")
        text = f"{count(len(self.labels), 'point')}: {', '.join(parts)}; {self.columns[1]} against {self.columns[0]}."
        return f"{text} {count(self.n_left_out, 'row')} left out." if self.n_left_out else text


class BadRows(FileError):  # noqa: N818 (it is mainly a list of rows)
    """An import with unusable rows.

    Attributes
    ----------
    rows : tuple of (int, str)
        Line number and reason for the first `MOST_LISTED` of them.
    count : int
        Number of unusable rows.
    """

    def __init__(self, text: str, rows: tuple[tuple[int, str], ...], count: int) -> None:
        super().__init__(text)
        self.rows, self.count = rows, count


def default_choice(table: Table) -> Choice:
    """Return the first choice: the class is a column named so, else the last if it has few values; x and y are the
    first other columns of numbers.
    """
    label = _class_column(table)
    numeric = [index for index, column in enumerate(table.columns) if column.is_numeric and index != label]
    if len(numeric) > 2 and _counts(table.columns[numeric[0]]):
        del numeric[0]
    # With too few columns, `convert` reports the error.
    x, y, *_ = [*numeric, *sorted(set(range(len(table.columns))) - {*numeric, label}), 0, 0]
    return Choice(x, y, label)


def _class_column(table: Table) -> int | None:
    names = [column.name.casefold() for column in table.columns]
    if len(names) < 3:
        return None
    if called := [index for index, name in enumerate(names) if name in CLASS_NAMES]:
        return called[-1]  # the usual column, and always that of a file exported here
    if "y" in names and "x" not in names:
        return names.index("y")
    last = table.columns[-1]
    if sum(column.is_numeric for column in table.columns[:-1]) < 2:
        return None
    # Measurements of few points have few values, too; classes are whole numbers.
    if last.is_numeric and not (np.nan_to_num(last.values) == np.floor(np.nan_to_num(last.values))).all():
        return None
    return len(names) - 1 if _n_values(last) <= MAX_CLASSES else None


def _n_values(column: Column) -> int:
    numbers = np.unique(column.values[np.isfinite(column.values)])
    return len(numbers) + len({column.words[code] for code in np.unique(column.codes).tolist() if code >= 0})


def _counts(column: Column) -> bool:
    """Return whether a column only numbers the rows."""
    if column.name.casefold() in _COUNTERS:
        return True
    values = column.values
    return column.name == "column 1" and len(values) > 2 and values[0] in (0, 1) and bool((np.diff(values) == 1).all())


def usable_columns(table: Table, label: int | None) -> tuple[tuple[int, ...], str]:
    """Return the indices of the columns that can be x or y, and a sentence on the others, or ""."""
    usable, aside = [], []
    for index, column in enumerate(table.columns):
        if index == label:
            continue
        finite = column.values[np.isfinite(column.values)]
        if not column.is_numeric:
            empty = 2 * np.count_nonzero(_rows_whose(column, not_)) >= len(column.values)
            aside.append(f"{_quoted(column.name)} ({'mostly empty' if empty else 'words'})")
        elif _counts(column):
            aside.append(f"{_quoted(column.name)} (numbers the rows)")
        elif not len(finite) or finite.min() == finite.max():
            aside.append(f"{_quoted(column.name)} (constant)")
        else:
            usable.append(index)
    more = f" and {grouped(len(aside) - MOST_NAMED)} more" if len(aside) > MOST_NAMED else ""
    return tuple(usable), f"Set aside: {', '.join(aside[:MOST_NAMED])}{more}." if aside else ""


def convert(table: Table, choice: Choice) -> Imported:
    """Return the points of `table` by `choice`; raise BadRows or FileError, with a sentence, if a row is unusable.

    Classes written as whole numbers 1 to 8 keep their numbers.  Other numbers are sorted, and words alphabetically, so
    that the two halves of a file get the same classes, which the order of appearance would not ensure.
    """
    refused = f"{table.name} cannot be imported yet"
    if len(table.columns) < 2:
        bad_rows, reasons = bad_rows_of(table, table.columns, None)
        if len(bad_rows):  # they may be the cause
            raise _refusal(table, bad_rows, reasons)
        raise FileError(f"{refused}: it has only one column, and points need two, x and y.")
    if choice.x == choice.y and not choice.components:
        raise FileError(f"{refused}: x and y are the same column, {table.columns[choice.x].name!r}.")
    columns = [table.columns[index] for index in choice.components or (choice.x, choice.y)]
    for column in columns:
        if column.categories:
            raise FileError(f"{refused}: column {_quoted(column.name)} holds names, not numbers.")
    label = None if choice.label is None else table.columns[choice.label]
    bad_rows, reasons = bad_rows_of(table, columns, label)
    if len(bad_rows) > (len(table) - 1 if choice.leave_out else 0):
        raise _refusal(table, bad_rows, reasons)
    if len(bad_rows):
        kept = np.setdiff1d(np.arange(len(table)), bad_rows)
        columns, label = [_only(column, kept) for column in columns], None if label is None else _only(label, kept)
    labels, names = (
        (np.zeros(len(columns[0].values), dtype=np.uint8), ("",)) if label is None else _labels(label, refused)
    )
    values, scaling, advice, share = np.column_stack([column.values for column in columns]), None, "", ""
    axes = tuple(column.name if column.title is None else column.title for column in columns)
    titles = tuple(column.name for column in columns)
    if choice.components:
        plane = principal_components(values)
        values, axes, titles, share = plane.project(values), plane.axis_names(titles), ("PC 1", "PC 2"), plane.share
    elif choice.standardise:
        (first, mean_x, deviation_x), (second, mean_y, deviation_y) = map(standardised, values.T)
        values, scaling = np.column_stack((first, second)), Scaling((mean_x, mean_y), (deviation_x, deviation_y))
    else:
        advice = _advice(*columns)
    return Imported(
        values,
        labels,
        names,
        (axes[0], axes[1]),
        (titles[0], titles[1]),
        scaling,
        reasons,
        len(bad_rows),
        advice,
        _limits(len(usable_columns(table, choice.label)[0]), share, label is not None),
    )


def classes_of(table: Table, label: int | None) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """Return the rows with a class, ascending, and their classes, 0 to 7; raise a FileError for more than 8 classes."""
    column = None if label is None else table.columns[label]
    rows = np.setdiff1d(np.arange(len(table)), bad_rows_of(table, (), column)[0])
    if column is None or not len(rows):
        return rows, np.zeros(len(rows), dtype=np.uint8)
    return rows, _labels(_only(column, rows), f"{table.name} cannot be ranked")[0]


def _limits(n_columns: int, share: str, classes: bool) -> str:
    """Return the sentence on what a view of `n_columns` columns cannot show; "" for two columns."""
    if n_columns < 3:
        return ""
    shown = (
        f"{share} of the variance of {grouped(n_columns)} columns" if share else f"Two of {grouped(n_columns)} columns"
    )
    hidden = "classes that overlap here may be separate" if classes else "points that lie together here may be apart"
    return f"{shown}: {hidden} in the {'rest' if share else 'other' if n_columns == 3 else 'others'}."


def _only(column: Column, rows: NDArray[np.intp]) -> Column:
    """Return some rows of a column, ascending."""
    codes = column.codes[rows] if column.words else column.codes
    return replace(column, values=column.values[rows], words=column.words if (codes >= 0).any() else (), codes=codes)


def _advice(x: Column, y: Column) -> str:
    """Return the advice to standardise two columns, or "": distances, and so k, C and γ, expect numbers near 1."""
    first, second = (standardised(column.values)[2] for column in (x, y))
    names = [_quoted(column.name) for column in (x, y)]
    if len(x.values) < 3:
        return ""
    if max(first, second) > UNLIKE * min(first, second):
        wide, narrow = names if first > second else names[::-1]
        times = max(first, second) / min(first, second)
        times_text = f"{times:.0f}" if times < 1000 else "very many"
        return f"{wide} varies {times_text} times as much as {narrow} and would decide alone: standardise."
    if not LEAST_DEVIATION <= max(first, second) <= MOST_DEVIATION:
        far = "far apart" if first > 1 else "close together"
        return f"In these units the points lie {far} (deviation {first:.2g} and {second:.2g}): standardise."
    return ""


def bad_rows_of(
    table: Table, columns: Sequence[Column], label: Column | None
) -> tuple[NDArray[np.intp], tuple[tuple[int, str], ...]]:
    """Return the unusable rows, ascending, and line and reason for the first `MOST_LISTED` of them."""
    bad = np.zeros(len(table), dtype=bool)
    for column in columns:
        bad |= ~(np.abs(column.values) <= LIMIT)  # true for NaN
    bad[list(table.faults)] = True
    if label is not None and label.words:
        bad |= _rows_whose(label, lambda word: not _names_class(word))
    found, rows = np.flatnonzero(bad), []
    for row in found[:MOST_LISTED].tolist():
        reason = table.faults.get(row) or next(filter(None, (_reason(column, row) for column in columns)), "")
        if not reason and label is not None:
            reason = f"column {_quoted(label.name)} has no class"
        rows.append((int(table.lines[row]), reason))
    return found, tuple(rows)


def _rows_whose(column: Column, test: Callable[[str], bool]) -> NDArray[np.bool_]:
    """Return which rows have a word that passes `test`; an empty array if the column has no words."""
    return np.array([*map(test, column.words), False])[column.codes]


def _refusal(table: Table, bad: NDArray[np.intp], rows: tuple[tuple[int, str], ...]) -> BadRows:
    (line, reason), n = rows[0], len(bad)
    return BadRows(
        f"{table.name} cannot be imported yet: {grouped(n)} of {count(len(table), 'row')} cannot be used,"
        f" {'first ' if n > 1 else ''}{table.row_name} {line}: {reason}.",
        rows,
        n,
    )


def _reason(column: Column, row: int) -> str:
    where = f"column {_quoted(column.name)}"
    if (text := column.word(row)) is not None:
        if not text:
            return f"{where} is empty"
        infinite = not _names_class(text) or math.isinf(number_in(text))
        return f"{_quoted(text)} in {where} is not a {'finite ' if infinite else ''}number"
    value = float(column.values[row])
    return f"{number_text(value)} in {where} is not between ±{LIMIT:g}" if abs(value) > LIMIT else ""


def _quoted(text: str) -> str:
    text = plain(text)
    return f"'{text}'" if len(text) <= 40 else f"'{text[:39]}…'"


def _names_class(text: str) -> bool:
    return bool(text) and not re.fullmatch(r"(?i)[-+]?(nan|inf|infinity)", text)


def _labels(column: Column, refused: str) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    if column.categories:
        return column.values.astype(np.uint8), tuple(own_names(column.categories))
    if not column.words:
        numbers, codes = np.unique(column.values, return_inverse=True)
        if set(numbers.tolist()) <= set(range(1, MAX_CLASSES + 1)):
            return (column.values - 1).astype(np.uint8), ("",) * int(numbers[-1])
        _check_classes(len(numbers), column.name, refused)
        return codes.astype(np.uint8), tuple(own_names([number_text(value) for value in numbers.tolist()]))
    # Pairs of a number and a code, one of which is the same for all words, and for all numbers.
    _, first, codes = np.unique(
        np.nan_to_num(column.values) + 1j * column.codes, return_index=True, return_inverse=True
    )
    cells = [*map(column.cell, first.tolist())]
    _check_classes(len(set(cells)), column.name, refused)
    names = sorted(set(cells), key=_natural)
    return np.array([*map(names.index, cells)], dtype=np.uint8)[codes], tuple(own_names(names))


def _check_classes(n: int, column: str, refused: str) -> None:
    if n > MAX_CLASSES:
        raise FileError(
            f"{refused}: column {_quoted(column)} holds {grouped(n)} different values, and there are {MAX_CLASSES}"
            " classes at most."
        )


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """Return the sort key by which "b" follows "A", and "class 10" follows "class 9"."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [(int(part), "") if part.isdecimal() and len(part) < 20 else (10**20, part) for part in parts], name


def own_names(names: Iterable[str]) -> list[str]:
    """Return names of the classes in order, "" for a name that is the class's number."""
    return ["" if name == str(label) else name for label, name in enumerate(names, 1)]
