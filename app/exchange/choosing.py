"""Choosing: a table becomes a document without a dialog, its columns chosen by name, as on the command line."""

from __future__ import annotations

import difflib
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.number_format import grouped
from app.files.documents import FileError
from app.state.commands import ImportPoints
from app.state.document import Document, default_document

from .columns import Choice, Imported, default_choice, first_import
from .roles import quoted
from .table import Table

#: Most columns that a sentence names.
_MOST_NAMED = 12


class Wanted(Struct, frozen=True):
    """What the user says about a table; None where the program shall choose.

    Attributes
    ----------
    x, y : str or None
        Names of columns, or their numbers from 1.
    label : str or None
        Column of the class; "none" if there shall be none.
    standardise : bool or None
        Whether the classifiers standardise.
    sheet : str or None
        Sheet of a workbook.
    """

    x: str | None = None
    y: str | None = None
    label: str | None = None
    standardise: bool | None = None
    sheet: str | None = None


class Chosen(Struct, frozen=True, eq=False):
    """A document made from a table, and the choice it was made by."""

    document: Document
    table: Table
    choice: Choice
    imported: Imported

    def fields(self) -> dict[str, Any]:
        """Return the choice and what came of it, for other programs."""
        (x, y), label = self.imported.columns, self.choice.label
        times = enumerate(np.bincount(self.imported.labels).tolist())
        return {
            "x": x,
            "y": y,
            "class": None if label is None else self.table.columns[label].name,
            "standardise": self.imported.standardise,
            "points": len(self.imported.xy),
            "classes": {self.document.class_name(number): n for number, n in times if n},
            "left_out": [f"{self.table.row_name} {line}: {reason}" for line, reason in self.imported.left_out],
            "n_left_out": self.imported.n_left_out,
            "notes": [*self.table.notes],
        }

    @property
    def line(self) -> str:
        """Return the choice in one line."""
        fields = self.fields()
        words = [f"{name} {quoted(fields[name]) if fields[name] else 'none'}" for name in ("x", "y", "class")]
        standardise = "the classifiers standardise" if fields["standardise"] else "not standardised"
        return "  ".join(
            [f"{self.table.name}: {', '.join(words)}, {standardise}.", self.imported.summary, *self.table.notes]
        )


def choose(table: Table, wanted: Wanted) -> Chosen:
    """Return the document for a table; raise a FileError with one sentence if a column is not there or not usable."""
    choice = default_choice(table)
    label = choice.label if wanted.label is None else None if wanted.label == "none" else _column(table, wanted.label)
    x, y = (None if name is None else _column(table, name) for name in (wanted.x, wanted.y))
    if (wanted.x or wanted.y) and wanted.label is None and label in (x, y):
        label = None  # the column was chosen as a coordinate
    free = [each for each in (choice.x, choice.y, *range(len(table.columns))) if each not in (x, y, label)]
    x = (free.pop(0) if free else 0) if x is None else x
    y = next((each for each in free if each != x), x) if y is None else y
    choice, imported = first_import(table, Choice(x, y, label))
    if wanted.standardise is not None:
        imported = replace(imported, standardise=wanted.standardise)
    return Chosen(import_command(imported).apply(default_document()), table, choice, imported)


def import_command(points: Imported, add: bool = False) -> ImportPoints:
    """Return the command that imports these points."""
    return ImportPoints(
        xy=points.xy,
        labels=points.labels,
        class_names=points.class_names,
        axes=points.axes,
        standardise=points.standardise,
        add=add,
        dates=points.dates,
    )


def _column(table: Table, name: str) -> int:
    """Return the index of a column by its name, or its number from 1."""
    names = [column.name for column in table.columns]
    for known in (names, [*map(str, range(1, len(names) + 1))]):
        if name in known:
            return known.index(name)
    folded = {each.casefold(): each for each in reversed(names)}
    if close := difflib.get_close_matches(name.casefold(), folded, 1):
        raise FileError(f"{table.name} has no column {quoted(name)}; did you mean {quoted(folded[close[0]])}?")
    more = f" and {grouped(len(names) - _MOST_NAMED)} more" if len(names) > _MOST_NAMED else ""
    raise FileError(f"{table.name} has no column {quoted(name)}; it has {', '.join(names[:_MOST_NAMED])}{more}.")
