"""svmlight: the text format of SVMlight and LIBSVM, ``label index:value ... # comment``; absent values are zero."""

from __future__ import annotations

import re
from array import array
from contextlib import suppress
from itertools import islice

import numpy as np

from app.core.number_format import grouped
from app.files.documents import FileError

from .delimited import TextLines, by_lines
from .table import MAX_COLUMNS, OnProgress, Table, check_size, column_of, unheard

#: Lines that are read between two reports of the progress.
_PIECE = 1000
_NUMBER = r"[-+]?(\d+(\.\d*)?|\.\d+)([eE][-+]?\d+)?"
_LINE = re.compile(rf"\s*{_NUMBER}(\s+qid:\d+)?(\s+\d+:{_NUMBER})+\s*(#.*)?", re.DOTALL)


def looks_like_svmlight(data: bytes, encoding: str, name: str) -> bool:
    """Return whether the first lines are all in this format."""
    lines = TextLines(data[:200_000], encoding, name)
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
        label, indices, values = float(first), [int(index) for index, _ in pairs], [float(value) for _, value in pairs]
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
    wrong = (pair for pair in pairs if len(pair) != 2 or not pair[0].isdecimal() or not re.fullmatch(_NUMBER, pair[1]))
    return next((f"{':'.join(pair)[:40]!r} is not index:value" for pair in wrong), "it is not label index:value ...")


def read_svmlight(data: bytes, encoding: str, name: str, progress: OnProgress = unheard) -> Table:
    """Return the table in an svmlight text, with columns x1, x2, ... and class; raise a FileError if there is none."""
    lines, report, n_columns = TextLines(data, encoding, name), by_lines(data, progress), 0
    labels, starts, faults = array("d"), array("i"), dict[int, str]()
    # Row, column and value of every entry; in arrays, because a list of millions of numbers is slow to free.
    rows, columns, values = array("i"), array("H"), array("d")
    for line in lines.records():
        if not line.partition("#")[0].strip():
            continue
        try:
            label, found, numbers = _parse(line)
        except ValueError as error:
            (label, found, numbers), faults[len(labels)] = (0.0, [], []), str(error)
        rows.extend([len(labels)] * len(found))
        columns.extend(found)
        values.extend(numbers)
        labels.append(label)
        starts.append(lines.start)
        n_columns = max([n_columns, *found])
        check_size(name, len(labels), n_columns + 1, len(data))
        if len(labels) % _PIECE == 0:
            report(lines.start)
    if not labels:
        raise FileError(f"{name} holds no rows.")
    dense = np.zeros((n_columns, len(labels)))
    dense[np.asarray(columns) - 1, np.asarray(rows)] = values
    features = [column_of(f"x{number}", each) for number, each in enumerate(dense, 1)]
    return Table(name, (*features, column_of("class", np.asarray(labels))), np.asarray(starts), faults)
