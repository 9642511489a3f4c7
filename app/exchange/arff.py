"""ARFF: the tables of Weka, with the types of their columns; rows may be sparse."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from app.files.documents import FileError

from .delimited import by_lines, table_of
from .head import Head
from .table import Dialect, OnProgress, Table, unheard

_QUOTED = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\""""
_ATTRIBUTE = re.compile(rf"@attribute\s+({_QUOTED}|[^\s{{]+)\s*(.+)", re.IGNORECASE)
#: A cell, up to the next comma, blank or comment.
_CELL = re.compile(rf"\s*({_QUOTED}|[^,%]*)\s*(?:,|$|%.*)", re.DOTALL)
_HINTS = dict.fromkeys(("numeric", "real", "integer"), "continuous") | {"string": "left out", "date": ""}


def looks_like_arff(lines: Iterable[str]) -> bool:
    """Return whether the first of `lines` that is no comment begins an ARFF file."""
    texts = (line.strip().casefold() for line in lines)
    return next((text for text in texts if text and text[0] != "%"), "").startswith(("@relation", "@attribute"))


def read_arff(data: bytes, encoding: str, name: str, progress: OnProgress = unheard) -> Table:
    """Return the table in an ARFF file; raise a FileError with one sentence if there is none."""
    lines = enumerate(io.TextIOWrapper(io.BytesIO(data), encoding), 1)
    titles, hints, zeros = list[str](), list[str](), list[str]()
    for number, line in lines:
        text = line.strip()
        if text.casefold().startswith("@data"):
            break
        if found := _ATTRIBUTE.match(text):
            kind = found[2].split()[0].casefold()
            values = _cells(found[2].strip("{} ")) if kind[0] == "{" else []
            if not values and kind not in _HINTS:
                raise FileError(f"{name} cannot be used: in line {number}, the type {kind[:40]!r} is not known.")
            titles.append(_unquoted(found[1]))
            hints.append("discrete" if values else _HINTS[kind])
            zeros.append(values[0] if values else "0")
        elif text and not text.startswith("%") and not text.casefold().startswith("@relation"):
            raise FileError(f"{name} cannot be used: line {number} is neither @relation, @attribute nor @data.")
    if not titles:
        raise FileError(f"{name} cannot be used: it has no @attribute.")
    rows = ((number, _row(line.strip(), zeros)) for number, line in lines if line.strip() and line.lstrip()[0] != "%")
    head, report = Head(titles, hints), by_lines(data, progress)
    return replace(
        table_of(rows, name, Dialect(",", ".", True), len(titles), head, None, report, len(data)), dialect=None
    )


def _row(line: str, zeros: Sequence[str]) -> list[str]:
    """Return the cells of a row; a sparse one, ``{index value, ...}``, has 0, or the first word, for the others."""
    if not line.startswith("{"):
        return [*map(_unquoted, _cells(line))]
    cells = [*zeros]
    try:
        for pair in filter(None, _cells(line.strip("{} \t") + ",")):
            index, value = pair.split(None, 1)
            cells[int(index)] = _unquoted(value)
    except (ValueError, IndexError):
        return []
    return cells


def _cells(line: str) -> list[str]:
    """Return the cells of a line, still in quotes."""
    if "'" in line or '"' in line:
        return [found[1].strip() for found in _CELL.finditer(line) if found.end() > found.start()]
    line = line.partition("%")[0]
    return [cell.strip() for cell in (line.split(",") if "," in line else line.split())]


def _unquoted(cell: str) -> str:
    """Return the text of a cell, "" for a missing one."""
    cell = cell.strip()
    if len(cell) < 2 or cell[0] not in "'\"" or cell[0] != cell[-1]:
        return "" if cell == "?" else cell
    return re.sub(r"\\(.)", lambda found: " " if found[1] in "ntr" else found[1], cell[1:-1])
