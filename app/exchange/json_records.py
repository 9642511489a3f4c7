"""JSON: records, columns, rows or lines of records, as pandas writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, count
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from app.core.validation import reason_of
from app.files.documents import FileError

from .delimited import read_rows, table_of
from .head import Head, Row
from .table import CellCollector, Dialect, OnProgress, Table, check_size, distinct_names, one_line, unheard

#: Bytes that are decoded in one call, during which all other threads wait.
_PIECE = 100_000
#: Rows whose names are titles.
_TITLED = 1000
_OPENING, _RECORDS = re.compile(rb"\s*([\[{])(?=\s*(.?))", re.DOTALL), re.compile(rb"\[\s*\{")
#: A first line that is a list or an object, and the beginning of another one; or one plain record, which is all.
_LINES = re.compile(
    rb"\s*(?:[\[{][^\n]{0,1000000}[\]}][^\S\n]*\n\s*[\[{]"
    rb'|\{(?=\s*"[^\n]{0,1000000}+\s*\Z)(?:[^][{}"]|"(?:[^"\\]|\\.)*+")*+\}\s*\Z)'
)
#: Position of a byte in a message of msgspec.
_PLACE = re.compile(r"(?<=\(byte )\d+")


def read_json(data: bytes, encoding: str, name: str, progress: OnProgress = unheard) -> Table:
    """Return the table in a JSON text; raise a FileError with one sentence if there is none."""
    text = data if encoding == "utf-8" else data.decode(encoding).encode()
    try:
        return _table(text, name, progress)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FileError(f"{name} is damaged, or no JSON of records or columns ({reason_of(error)}).") from None


def _table(text: bytes, name: str, progress: OnProgress) -> Table:
    titles = list[str]()
    lines = _LINES.match(text) is not None
    if not lines and re.match(rb"\s*\{", text):
        whole = msgspec.json.decode(text, type=dict[str, msgspec.Raw])
        lists = [each for each in whole.values() if _RECORDS.match(memoryview(each))]
        if {"columns", "data"} <= {*whole}:
            titles = [*map(_text, msgspec.json.decode(whole["columns"], type=list[Any]))]
            lists = [whole["data"]]
        if len(lists) != 1:
            return _of_columns(whole, name, progress)
        text = bytes(lists[0])
    first: list[Any] = next(_pieces(text, lines), (1.0, []))[1]
    if first and isinstance(first[0], dict):
        titles = [*dict.fromkeys(chain.from_iterable(first[:_TITLED]))]
    known = {*titles}

    def rows() -> Iterator[Row]:
        numbers = count(1)
        for share, piece in _pieces(text, lines):
            progress(share)
            for row in piece:
                if isinstance(row, dict):
                    row = [*map(row.get, titles), *(row[key] for key in row.keys() - known)]
                yield next(numbers), [*map(_text, row)]

    if not titles:
        return read_rows(rows, name, "row", len(text))
    return replace(
        table_of(rows(), name, Dialect(",", ".", True), len(titles), Head([*titles]), n_bytes=len(text)),
        dialect=None,
        row_name="row",
    )


def _pieces(text: bytes, lines: bool = False, kind: Any = None) -> Iterator[tuple[float, list[Any]]]:
    """Yield the share of `text` that is read, and the entries of its list or object, or its lines, some at a time.

    It is cut at a comma, or at the end of a line.  If that is not between two entries, a longer piece is tried.

    Parameters
    ----------
    text : bytes
    lines : bool
        Each line is a value.
    kind : optional
        Type of the entries; rows, which are lists or objects, if it is not given.
    """
    if (opened := _OPENING.match(text)) is None:
        raise msgspec.ValidationError("Expected `array | object`")
    end = len(text) if lines else max(text.rfind(b"]"), text.rfind(b"}"))
    if text[end + 1 :].strip():
        raise msgspec.DecodeError("Input data was truncated")
    left, right, first = (b"[", b"]", opened[1]) if lines else (opened[1], text[end : end + 1], opened[2])
    kind = kind or (dict[str, Any] if first == b"{" else list[Any])
    decoder: Any = msgspec.json.Decoder(dict[str, kind] if left == b"{" else list[kind])
    cut = re.compile(b"\n" if lines else {b"{": rb"\}\s*,", b"[": rb"\]\s*,"}.get(first, b","))
    start, size = opened.start(1) if lines else opened.end(1), _PIECE
    while start < end:
        found = cut.search(text, start + size, end)
        stop = found.end() - 1 if found else end
        piece = (
            text[start:stop] if not lines else b",".join(filter(None, map(bytes.strip, text[start:stop].split(b"\n"))))
        )
        try:
            values = decoder.decode(b"%b%b%b" % (left, piece, right))
        except msgspec.DecodeError as error:
            if not found or isinstance(error, msgspec.ValidationError):
                # The position in the piece becomes that in the text.
                raise type(error)(_PLACE.sub(lambda at: str(int(at[0]) + start - 1), str(error))) from None  # noqa: B023
            size *= 2
        else:
            yield stop / len(text), [*values.values()] if left == b"{" else values
            start, size = stop + 1, _PIECE


def _of_columns(columns: dict[str, msgspec.Raw], name: str, progress: OnProgress) -> Table:
    """Return the table in an object of columns, each a list, or an object by row, as pandas writes it."""
    collected = [CellCollector() for _ in columns]
    for index, (raw, cells) in enumerate(zip(columns.values(), collected, strict=True)):
        for share, values in _pieces(bytes(raw), kind=Any):
            progress((index + share) / len(columns))
            cells.add([*map(_text, values)])
            check_size(name, len(cells), len(columns), sum(map(len, columns.values())))
    if len({*map(len, collected)}) != 1 or not len(collected[0]):
        raise FileError(f"{name} cannot be used: its columns are empty, or of different lengths.")
    titles = [*map(one_line, columns)]
    found = tuple(cells.column(*each) for cells, *each in zip(collected, distinct_names(titles), titles, strict=True))
    return Table(name, found, np.arange(1, len(found[0].values) + 1), row_name="row")


def _text(value: object) -> str:
    """Return the text of a value, by which the same number is read."""
    if isinstance(value, str) or value is None:
        return value or ""
    return repr(value) if isinstance(value, float) else msgspec.json.encode(value).decode()
