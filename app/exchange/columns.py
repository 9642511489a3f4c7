"""Columns: convert a table, with a choice of its columns, into labelled points."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from itertools import compress

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from app.core.dates import NO_DATES, seconds_of
from app.core.number_format import count, grouped, number_in
from app.core.plain_text import plain
from app.core.points import LIMIT, MAX_CLASSES
from app.files.documents import FileError
from solver.core.arrays import Array

from .components import principal_components, standardised
from .roles import Choice as Choice
from .roles import default_choice as default_choice
from .roles import quoted, usable_columns
from .table import Column, Table, different, number_text

#: Most unusable rows that are listed; the count has no limit.
MOST_LISTED = 200
#: Largest ratio of the axes' deviations, and the range of both, without the advice to standardise: units outside them
#: make one classifier tie everywhere, and another use a single axis.
UNLIKE, LEAST_DEVIATION, MOST_DEVIATION = 5.0, 0.05, 5.0
#: Name of the class that holds the rare ones, and the word in place of those that are left out, which no file has.
OTHERS, _RARE = "others", "\0"


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
    standardise : bool
        The lanes are to standardise x and y.
    left_out : tuple of (int, str)
        Line and reason for the first `MOST_LISTED` rows that were left out.
    n_left_out : int
        Number of rows left out.
    advice : str
        Sentence that advises to standardise, or "".
    limits : str
        Sentence on what these two of several columns cannot show, or "".
    n_rare : int
        Number of classes beyond the most frequent ones, which are merged or left out.
    n_equal : int
        Number of points that repeat an earlier one of the same class.
    merged : bool
        The rare classes are merged, not left out.
    dates : tuple of (float, float)
        1 where x or y are dates, 0 where they are numbers.
    """

    xy: Array
    labels: NDArray[np.uint8]
    class_names: tuple[str, ...]
    axes: tuple[str, str]
    columns: tuple[str, str]
    standardise: bool = False
    left_out: tuple[tuple[int, str], ...] = ()
    n_left_out: int = 0
    advice: str = ""
    limits: str = ""
    n_rare: int = 0
    n_equal: int = 0
    merged: bool = True
    dates: tuple[float, float] = NO_DATES

    @property
    def summary(self) -> str:
        """Return a line on the points to be imported."""
        parts, times_of = list[str](), np.bincount(self.labels)
        for label, times in zip(np.flatnonzero(times_of).tolist(), times_of[times_of > 0].tolist(), strict=True):
            name = plain(self.class_names[label]) if label < len(self.class_names) else ""
            alone = name and not name[-1].isdigit()  # "50 0" would be two numbers
            parts.append(f"{grouped(times)} {name}" if alone else f"{grouped(times)} of class {name or label + 1}")
        text = f"{count(len(self.labels), 'point')}: {', '.join(parts)}; {self.columns[1]} against {self.columns[0]}."
        fate = f"merged as “{OTHERS}”" if self.merged else "left out"
        rare = f" {grouped(self.n_rare)} of the classes, the rarest, {fate}." if self.n_rare else ""
        equal = f" {grouped(self.n_equal)} of them {'repeat others' if self.n_equal > 1 else 'repeats another'}."
        left_out = f" {count(self.n_left_out, 'row')} left out." if self.n_left_out else ""
        return f"{text}{rare}{equal if self.n_equal else ''}{left_out}"


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


def first_import(
    table: Table, choice: Choice | None = None, report: Callable[[], object] = int
) -> tuple[Choice, Imported]:
    """Return the first choice and its points: unusable rows are left out, and lanes standardise where it is advised."""
    choice = replace(choice or default_choice(table), leave_out=True)
    imported = convert(table, choice, report)
    advised = choice.standardise or imported.advice != ""
    return replace(choice, standardise=advised), replace(imported, standardise=advised)


def convert(table: Table, choice: Choice, report: Callable[[], object] = int) -> Imported:
    """Return the points of `table` by `choice`; raise BadRows or FileError, with a sentence, if a row is unusable.

    Classes written as whole numbers 1 to 8 keep their numbers.  Other numbers are sorted, and words alphabetically, so
    that the two halves of a file get the same classes, which the order of appearance would not ensure.  Between pieces
    of the work, ``report()`` is called.
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
            raise FileError(f"{refused}: column {quoted(column.name)} holds names, not numbers.")
    label, n_rare = _frequent(None if choice.label is None else table.columns[choice.label], choice.merge, refused)
    bad_rows, reasons = bad_rows_of(table, columns, label)
    report()
    if len(bad_rows) > (len(table) - 1 if choice.leave_out else 0):
        raise _refusal(table, bad_rows, reasons)
    if len(bad_rows):
        kept = np.delete(np.arange(len(table)), bad_rows)
        columns, label = [_only(column, kept) for column in columns], None if label is None else _only(label, kept)
    labels, names = (np.zeros(len(columns[0].values), np.uint8), ("",)) if label is None else _labels(label)
    values, advice, share, dates = np.column_stack([column.values for column in columns]), "", "", NO_DATES
    axes = tuple(column.name if column.title is None else column.title for column in columns)
    titles = tuple(column.name for column in columns)
    if choice.components:
        plane = principal_components(values)
        values, axes, titles, share = plane.project(values), plane.axis_names(titles), ("PC 1", "PC 2"), plane.share
    else:
        advice, dates = _advice(*columns), (float(columns[0].date), float(columns[1].date))
    report()
    alike = (values[labels == label].view(complex)[:, 0] for label in range(len(names)))
    return Imported(
        values,
        labels,
        names,
        (axes[0], axes[1]),
        (titles[0], titles[1]),
        choice.standardise and not choice.components,
        reasons,
        len(bad_rows),
        advice,
        _limits(len(usable_columns(table, choice.label)[0]), share, label is not None),
        n_rare,
        sum(len(points) - len(different(points)) for points in alike),
        choice.merge,
        dates,
    )


def classes_of(table: Table, label: int | None) -> tuple[NDArray[np.intp], NDArray[np.uint8]]:
    """Return the rows with a class, ascending, and their classes, 0 to 7; raise a FileError for a measurement."""
    column, _ = _frequent(None if label is None else table.columns[label], True, f"{table.name} cannot be ranked")
    rows = np.delete(np.arange(len(table)), bad_rows_of(table, (), column)[0])
    return rows, np.zeros(len(rows), np.uint8) if column is None or not len(rows) else _labels(_only(column, rows))[0]


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
    names = [quoted(column.name) for column in (x, y)]
    if len(x.values) < 3:
        return ""
    if max(first, second) > UNLIKE * min(first, second):
        (wide, narrow), times = names if first > second else names[::-1], max(first, second) / min(first, second)
        more = f"{f'{times:.0f}' if times < 1000 else 'very many'} times as much as"
        return f"{wide} varies {more} {narrow} and would decide alone: standardise."
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
        nameless = np.fromiter((not _names_class(word) for word in label.words), bool, len(label.words))
        bad |= np.append(nameless, False)[label.codes]
    found, rows = np.flatnonzero(bad), []
    for row in found[:MOST_LISTED].tolist():
        reason = table.faults.get(row) or next(filter(None, (_reason(column, row) for column in columns)), "")
        if not reason and label is not None:
            rare = label.word(row) == _RARE
            reason = f"column {quoted(label.name)} has {'a rare' if rare else 'no'} class"
        rows.append((int(table.lines[row]), reason))
    return found, tuple(rows)


def _refusal(table: Table, bad: NDArray[np.intp], rows: tuple[tuple[int, str], ...]) -> BadRows:
    (line, reason), n = rows[0], len(bad)
    return BadRows(
        f"{table.name} cannot be imported yet: {grouped(n)} of {count(len(table), 'row')} cannot be used,"
        f" {'first ' if n > 1 else ''}{table.row_name} {line}: {reason}.",
        rows,
        n,
    )


def _reason(column: Column, row: int) -> str:
    where = f"column {quoted(column.name)}"
    if (text := column.word(row)) is not None:
        if not text:
            return f"{where} is empty"
        infinite = not _names_class(text) or math.isinf(number_in(text))
        if not math.isnan(seconds_of(text, True)):
            return f"{quoted(text)} in {where} may begin with the day or with the month"
        kind = "date" if column.date else f"{'finite ' if infinite else ''}number"
        return f"{quoted(text)} in {where} is not a {kind}"
    value = float(column.values[row])
    return f"{number_text(value)} in {where} is not between ±{LIMIT:g}" if abs(value) > LIMIT else ""


def _names_class(text: str) -> bool:
    return text not in ("", _RARE) and not re.fullmatch(r"(?i)[-+]?(nan|inf|infinity)", text)


def _frequent(column: Column | None, merge: bool, refused: str) -> tuple[Column | None, int]:
    """Return a class column with `OTHERS`, or no class, in place of its rare classes, and their number."""
    if column is None or column.categories:
        return column, 0
    names, codes = _different(column)
    named = np.array([_names_class(name) for name in names])
    n_classes = int(named.sum())
    if n_classes <= MAX_CLASSES:
        return column, 0
    numbers = column.values[np.isfinite(column.values)]
    if 2 * n_classes > len(codes) or (numbers != np.floor(numbers)).any():
        raise FileError(
            f"{refused}: column {quoted(column.name)} holds {grouped(n_classes)} different values, too many for"
            " classes."
        )
    rare, times = named.copy(), np.where(named, np.bincount(codes, minlength=len(names)), 0)
    rare[np.argsort(-times, kind="stable")[: MAX_CLASSES - merge]] = False
    words = [(OTHERS if merge else _RARE) if rare[code] else name for code, name in enumerate(names)]
    return Column(column.name, np.full(len(codes), np.nan), tuple(words), codes.astype(np.int32)), int(rare.sum())


def _different(column: Column) -> tuple[list[str], NDArray[np.int32]]:
    """Return the different texts of a column in order, and the index of each cell's text."""
    numbers = different(column.values[np.isfinite(column.values)])
    texts = [*map(number_text, numbers.tolist())]
    if not column.words:
        return texts, np.searchsorted(numbers, column.values).astype(np.int32)
    used = np.bincount(column.codes + 1, minlength=len(column.words) + 1)[1:]
    found = {*texts, *compress(column.words, used)}
    names = sorted(found, key=lambda name: (name == OTHERS, _natural(name)))
    at = {name: index for index, name in enumerate(names)}
    codes = np.fromiter((at.get(word, 0) for word in column.words), np.int32, len(column.words))[column.codes]
    codes[column.codes < 0] = np.array([at[text] for text in texts], np.int32)[
        np.searchsorted(numbers, column.values[column.codes < 0])
    ]
    return names, codes


def _labels(column: Column) -> tuple[NDArray[np.uint8], tuple[str, ...]]:
    if column.categories:
        return column.values.astype(np.uint8), tuple(own_names(column.categories))
    if not column.words and set(different(column.values).tolist()) <= set(range(1, MAX_CLASSES + 1)):
        return (column.values - 1).astype(np.uint8), ("",) * int(column.values.max())
    names, codes = _different(column)
    return codes.astype(np.uint8), tuple(own_names(names))


def _natural(name: str) -> tuple[list[tuple[int, str]], str]:
    """Return the sort key by which "b" follows "A", and "class 10" follows "class 9"."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [(int(part), "") if part.isdecimal() and len(part) < 20 else (10**20, part) for part in parts], name


def own_names(names: Iterable[str]) -> list[str]:
    """Return names of the classes in order, "" for a name that is the class's number."""
    return ["" if name == str(label) else name for label, name in enumerate(names, 1)]
