"""Exporting: results as a table, in a fixed order, whoever computed them where and when."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from .computing import Record
from .model import Study


def ordered(records: Iterable[Record]) -> list[Record]:
    """By cell, repetition and fold."""
    return sorted(records, key=lambda each: (each.places, each.repetition, each.fold))


def table(study: Study, records: Iterable[Record]) -> bytes:
    """A CSV file: configuration, repetition and fold, values, how it ended, error, and seconds.

    Nothing but the last column depends on where, when or in which process a cell was computed.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    names = [axis.name for axis in study.axes]
    measured = [name for name in study.values if name != "seconds"]
    writer.writerow(["cell", *names, "repetition", "fold", *measured, "status", "error", "seconds"])
    for each in ordered(records):
        choice = study.choice(each.places)
        values = [repr(each.values[name]) if name in each.values else "" for name in measured]
        row = [each.key, *(choice[name] for name in names), each.repetition + 1, each.fold + 1, *values]
        writer.writerow([*row, each.status, each.error, f"{each.seconds:.6f}"])
    return text.getvalue().encode()
