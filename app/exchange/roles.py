"""Roles: which columns of a table are x, y and the class at first, and why.

A column gets points as a class for what the file says of it, for its name, its place and its values (`_class_points`);
what speaks against it as a coordinate stands in `AGAINST`.  How well the classes are separated counts nowhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import islice
from weakref import WeakKeyDictionary

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.dates import seconds_of
from app.core.number_format import count, grouped
from app.core.plain_text import plain
from app.core.points import MAX_CLASSES

from .table import CLASS_NAMES, LONGEST_NAME, Column, Table

#: What speaks against a column as x or y, from the least: such columns are chosen only if others are lacking.
AGAINST = (
    "",
    "few values",
    "a date",
    "numbers the rows",
    "constant",
    "set aside by the file",
    "holds the class",
    "mostly empty",
    "words",
)
#: The first of them with which a column is not among the pairs either.
_ASIDE = AGAINST.index("numbers the rows")
#: Most excluded columns that are named; the others are counted.
MOST_NAMED = 3
#: Rows in which it is no chance that three columns exclude each other.
_MANY = 20
#: Fewest points of a class column; points of one that the file names; most cells whose values are counted.
LEAST_POINTS, _CERTAIN, _SAMPLE = 4, 10, 2000
#: Names that a class column often has, without saying so.
_OFTEN = frozenset(
    {
        "digit",
        "klasse",
        "outcome",
        "result",
        "diagnosis",
        "type",
        "kind",
        "group",
        "survived",
        "purchased",
        "quality",
        "status",
        "response",
        "variety",
        "cultivar",
        "churn",
        "default",
        "admitted",
        "admission",
        "approved",
        "spam",
        "exited",
    }
)
_COUNTERS = re.compile(r"(?i)(.*[\s_.-])?(id|index|row|rows|rownames|nr|no|number|serial|unnamed: 0)\.?")
#: What dates begin with, by `day_first` of `seconds_of`.
_ORDERS: dict[bool | None, str] = {True: "the day", False: "the month", None: "the year"}
_CAMEL = re.compile(r".*[a-z](Id|ID|Nr|No)")
_DATES = frozenset(
    {"year", "date", "time", "timestamp", "datetime", "month", "day", "jahr", "datum", "zeit", "monat", "tag"}
)


class Choice(Struct, frozen=True):
    """The roles of columns, by their indices in the table.

    Attributes
    ----------
    x, y : int
    label : int or None
        None: all points have class 1.
    standardise : bool
        The lanes standardise x and y; the points keep their units.
    leave_out : bool
        Leave out unusable rows; else there must be none.
    components : tuple of int
        If not empty, x and y are the first two principal components of these columns.
    merge : bool
        Of more than eight classes, the seven most frequent are kept, and the rest is one class; else the eight most
        frequent are kept, and the rows of the others are left out.
    why : str
        Why the program has chosen the class.
    """

    x: int
    y: int
    label: int | None = None
    standardise: bool = False
    leave_out: bool = False
    components: tuple[int, ...] = ()
    merge: bool = True
    why: str = ""


def default_choice(table: Table) -> Choice:
    """Return the first choice of columns: the class has most points, x and y are the first with least against."""
    against = [AGAINST.index(reason) for reason in _against(table)]
    label, reason = _class_column(table, against)
    # Columns called x and y come first.
    plain = [
        not (column.name.casefold() in ("x", "y") and n < _ASIDE)
        for n, column in zip(against, table.columns, strict=True)
    ]
    order = sorted({*range(len(against))} - {label}, key=lambda index: (plain[index], against[index], index))
    x, y = sorted([*order, 0, 0][:2])  # with too few columns, `convert` reports the error
    return Choice(x, y, label, why=reason)


def _class_column(table: Table, against: Sequence[int]) -> tuple[int | None, str]:
    """Return the index of the class column, and why; None if no column has enough points."""
    varied = [each < AGAINST.index("constant") for each in against]
    last = max((index for index, each in enumerate(against) if varied[index] or AGAINST[each] == "words"), default=-1)
    found = list[tuple[int, int, str]]()
    for index in range(len(against) if len(against) > 2 else 0):
        points, reasons = _class_points(table, index, last)
        if points >= _CERTAIN or sum(varied) - varied[index] > 1:
            found.append((points, index, reasons))
    points, best, reasons = max(found, default=(0, 0, ""))
    if points < LEAST_POINTS:
        return None, "No column looks like a class."
    return best, f"Class: {quoted(table.columns[best].name)} ({reasons})."


def _class_points(table: Table, index: int, last: int) -> tuple[int, str]:
    """Return how much speaks for a column as the class, and what."""
    column, name = table.columns[index], table.columns[index].name.casefold()
    called = name in CLASS_NAMES or (name == "y" and all(each.name.casefold() != "x" for each in table.columns))
    if not (called or column.hint or column.words or name in _OFTEN) and _measured([column], 50):
        return 0, ""
    values, n_sampled = _values(column)
    n_values = len(values)
    numbers = [value for value in values if not isinstance(value, str)]
    whole = all(value == int(value) for value in numbers)
    if column.hint == "class" or called:
        why = "as the file says" if column.hint else "by its name"
        return (2 * _CERTAIN if column.hint else _CERTAIN) + (index > 0), why
    if column.hint in ("continuous", "left out") or n_values < (2 if n_sampled > 1 or numbers else 1):
        return 0, ""
    if n_values > MAX_CLASSES and (not whole or n_values > n_sampled // 2):
        return 0, ""  # a measurement, or a name of each row
    few = n_values <= MAX_CLASSES
    apart = max(numbers, default=0.0) - min(numbers, default=0.0)
    facts = (
        (name in _OFTEN, 5, "by its name"),
        (not numbers, 4, "words"),
        (few and not numbers, 1, ""),
        (whole and few and bool(numbers), 2, ""),
        (whole and few and apart in (n_values - 1, 2), 1, ""),
        (index == last, 2, "last column"),
        (index == 0 and (n_values < 4 or not numbers), 1, "first column"),
        (not whole, -2, ""),
    )
    reasons = [count(n_values, "value"), *(reason for true, _, reason in facts if true and reason)]
    return sum(points for true, points, _ in facts if true), ", ".join(reasons)


def _values(column: Column) -> tuple[list[float | str], int]:
    """Return the different values of a column, or of many of its cells, and the number of these cells."""
    rows = np.linspace(0, len(column.values) - 1, min(len(column.values), _SAMPLE)).astype(np.intp)
    cells = column.values[rows]
    if column.categories:
        return [column.categories[int(code)] for code in np.unique(cells).tolist()], len(rows)
    numbers: list[float | str] = [*np.unique(cells[np.isfinite(cells)]).tolist()]
    codes = np.unique(column.codes[rows]).tolist() if column.words else []
    return [*numbers, *sorted({column.words[code] for code in codes if code >= 0} - {""})], len(rows)


#: What speaks against the columns of tables: of ten thousand columns, it is found in half a second.
_found = WeakKeyDictionary[Table, list[str]]()


def _against(table: Table) -> list[str]:
    """Return what speaks against each column as x or y, one of `AGAINST`."""
    if table not in _found:
        _found[table] = [_weakness(table, index) for index in range(len(table.columns))]
    return _found[table]


def _weakness(table: Table, index: int) -> str:
    column = table.columns[index]
    name, finite = column.name.casefold(), column.values[np.isfinite(column.values)]
    if column.hint in ("left out", "class"):
        return "holds the class" if column.hint == "class" else "set aside by the file"
    if not column.is_numeric:
        blank = np.array([*(not word for word in column.words), False])[column.codes] if column.words else ()
        return "mostly empty" if 2 * np.count_nonzero(blank) >= len(column.values) > 0 else "words"
    if len(finite) > 1 and finite.min() == finite.max():
        return "constant"
    if column.date:
        return "a date"
    if len(np.unique(finite[:50])) > MAX_CLASSES and _measured([column], 50):
        return "a date" if name in _DATES else ""  # a measurement: the rest need not be sorted
    values = np.unique(finite)
    if bool((values == np.floor(values)).all()):
        called = bool(_COUNTERS.fullmatch(name) or _CAMEL.fullmatch(column.name))
        distinct, outer = 2 < len(values) == len(finite), index in (0, len(table.columns) - 1)
        steps = outer and distinct and len(values) > 4 and values[-1] - values[0] == len(values) - 1
        # Without a name, different whole numbers before measurements are names of the rows.
        unnamed = name == "column 1" and _measured(table.columns[1:])
        unnamed = index == 0 and distinct and (unnamed or name.endswith("id"))
        if (called and 2 * len(values) > len(finite)) or steps or unnamed:
            return "numbers the rows"
    if name in _DATES:
        return "a date"
    return "few values" if len(values) <= MAX_CLASSES and 2 * len(values) < len(finite) else ""


def _measured(columns: Sequence[Column], most: int | None = None) -> bool:
    """Return whether any of these columns has a number with a fraction, in its first `most` rows."""
    return any((column.values[:most] % 1 > 0).any() for column in columns)


def usable_columns(table: Table, label: int | None) -> tuple[tuple[int, ...], str]:
    """Return the indices of the columns that can be x or y, and a sentence on the others, or ""."""
    usable, aside = [], []
    for index, (column, reason) in enumerate(zip(table.columns, _against(table), strict=True)):
        if index != label:
            if AGAINST.index(reason) < _ASIDE:
                usable.append(index)
            else:
                aside.append(f"{quoted(column.name)} ({reason})")
    more = f" and {grouped(len(aside) - MOST_NAMED)} more" if len(aside) > MOST_NAMED else ""
    return tuple(usable), f"Set aside: {', '.join(aside[:MOST_NAMED])}{more}." if aside else ""


def with_dates(table: Table) -> Table:
    """Return the table with its dates as numbers, and a note for each column in which their order was not certain."""
    columns, notes = zip(*map(_dated, table.columns), strict=True)
    return replace(table, columns=columns, notes=(*table.notes, *filter(None, notes)))


def _dated(column: Column) -> tuple[Column, str]:
    """Return a column with its dates as numbers, and a note, if most of its cells are dates and none are numbers.

    Whether 05/02/2024 begins with the day is taken from the whole column: one of the two orders must fit it better.
    """
    first_words = islice(column.words, _MANY)
    few = [word for word in first_words if not np.isnan([seconds_of(word, order) for order in _ORDERS]).all()]
    if not few or column.categories or column.hint in ("class", "discrete") or (column.codes < 0).any():
        return column, ""
    orders = [True, False] if np.isnan(seconds_of(few[0])) else [None]
    read = {order: np.array([seconds_of(word, order) for word in column.words]) for order in orders}
    known = {order: np.isfinite(seconds) for order, seconds in read.items()}
    first, *_, second = sorted(orders * 2, key=lambda order: -np.count_nonzero(known[order]))
    values, note = read[first][column.codes], ""
    if 2 * np.count_nonzero(np.isfinite(values)) <= len(values):
        return column, ""
    if not np.array_equal(read[first], read[second], equal_nan=True):
        if (known[first] == known[second]).all() or (known[second] > known[first]).any():
            return column, f"{quoted(column.name)} may be dates, the day or the month first: no date shows which."
        note = f"{quoted(column.name)} is read as dates, {_ORDERS[first]} first."
    codes = np.where(np.isfinite(values), np.int32(-1), column.codes)
    numbers = replace(column, values=values, codes=codes, hint=column.hint or "continuous", date=True)
    return numbers if (codes >= 0).any() else replace(numbers, words=(), codes=codes[:0]), note


def with_groups(table: Table) -> Table:
    """Return the table with a column of words for each group of columns of which exactly one is 1 in every row.

    Such columns stand side by side, and their names share their beginning: Class0, Class1, Class2; or at least three of
    them exclude each other in many rows: setosa, versicolor, virginica.  They are set aside.
    """
    columns, first = [*table.columns], 0
    while first < len(table.columns):
        last = _group_from(table.columns, first)
        if last - first > 1:
            group = table.columns[first:last]
            stem = _stem([column.name for column in group])
            names = tuple(column.name[len(stem) :] or column.name for column in group)
            codes = np.argmax(np.column_stack([column.values for column in group]), axis=1).astype(np.int32)
            columns[first:last] = [replace(column, hint="left out") for column in group]
            name = stem.rstrip(" _.-=:[(") or ", ".join(names)[:LONGEST_NAME]
            columns.append(Column(name, np.full(len(codes), np.nan), names, codes))
        first = max(last, first + 1)
    return table if len(columns) == len(table.columns) else replace(table, columns=tuple(columns))


def _group_from(columns: Sequence[Column], first: int) -> int:
    """Return the end of the group of 0/1 columns that begins at `first`; `first` if there is none."""
    total, last = np.zeros(len(columns[first].values)), first
    while last < len(columns) and not columns[last].words and not columns[last].categories:
        values = columns[last].values
        if not np.isin(values, (0, 1)).all() or not values.any() or (total + values > 1).any():
            break
        total, last = total + values, last + 1
        if total.all():
            names = [column.name for column in columns[first:last]]
            sure = last - first > 2 and len(total) >= _MANY
            return last if last - first > 1 and (sure or _stem(names)) else first
    return first


def _stem(names: Sequence[str]) -> str:
    """Return the common beginning of names."""
    low, high = min(names), max(names)
    return next((low[:end] for end, sign in enumerate(low) if end >= len(high) or high[end] != sign), low)


def quoted(text: str) -> str:
    """Return a text of the file in quotation marks, shortened."""
    text = plain(text)
    return f"'{text}'" if len(text) <= 40 else f"'{text[:39]}…'"
