"""JSON: records, columns, rows or lines of records, as pandas writes them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import msgspec
import numpy as np
from msgspec.structs import replace

from app.core.validation import reason_of
from app.files.documents import FileError

from .delimited import encoding_of, read_rows, table_of
from .head import Head, Row
from .table import CellCollector, Dialect, Table, check_size, distinct_names, one_line

#: Rows that are decoded in one call.
_TOGETHER = 1000
_HEADED = Dialect(",", ".", True)


def read_json(data: bytes, name: str) -> Table:
    """Return the table in a JSON text; raise a FileError with one sentence if there is none."""
    encoding = encoding_of(data, name)
    text = data if encoding == "utf-8" else data.decode(encoding).encode()
    try:
        return _table(text, name)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise FileError(f"{name} is damaged, or no JSON of records or columns ({reason_of(error)}).") from None


def _table(text: bytes, name: str) -> Table:
    try:
        whole: Any = msgspec.json.decode(text, type=list[msgspec.Raw] | dict[str, msgspec.Raw])
    except msgspec.DecodeError:
        whole = msgspec.json.Decoder(msgspec.Raw).decode_lines(text)  # a record in each line
    titles: Sequence[str] = ()
    if isinstance(whole, dict):
        lists = [each for each in map(bytes, whole.values()) if each[:1] == b"[" and each[1:].lstrip()[:1] == b"{"]
        if {"columns", "data"} <= {*whole}:
            titles = [*map(_text, msgspec.json.decode(whole["columns"], type=list[Any]))]
            lists = [bytes(whole["data"])]
        if len(lists) != 1:
            return _of_columns(whole, name)
        whole = msgspec.json.decode(lists[0], type=list[msgspec.Raw])
    if not whole:
        raise FileError(f"{name} holds no rows.")
    are_objects = bytes(whole[0])[:1] == b"{"
    kind: Any = dict[str, Any] if are_objects else list[Any]
    if are_objects:
        titles = [*dict.fromkeys(chain.from_iterable(islice(_decoded(whole, kind), _TOGETHER)))]
    known = {*titles}

    def rows() -> Iterator[Row]:
        for number, row in enumerate(_decoded(whole, kind), 1):
            cells = row if isinstance(row, list) else [*map(row.get, titles), *(row[key] for key in row.keys() - known)]
            yield number, [*map(_text, cells)]

    if not titles:
        return read_rows(rows, name, "row")
    check_size(name, len(whole), len(titles))
    head = Head([*titles])
    return replace(table_of(rows(), name, _HEADED, len(titles), head), dialect=None, row_name="row")


def _decoded(rows: Sequence[msgspec.Raw], kind: Any) -> Iterator[Any]:
    """Yield the decoded `rows`, of which only some are in memory."""
    for start in range(0, len(rows), _TOGETHER):
        yield from msgspec.json.decode(b"[" + b",".join(rows[start : start + _TOGETHER]) + b"]", type=list[kind])


def _of_columns(columns: dict[str, msgspec.Raw], name: str) -> Table:
    """Return the table in an object of columns, each a list, or an object by row, as pandas writes it."""
    collected = list[CellCollector]()
    lengths = list[int]()
    for raw in columns.values():
        values = msgspec.json.decode(raw, type=list[Any] | dict[str, Any])
        cells = [*map(_text, values.values() if isinstance(values, dict) else values)]
        collected.append(CellCollector())
        collected[-1].add(cells)
        lengths.append(len(cells))
        check_size(name, len(cells), len(columns))
    if len({*lengths}) != 1 or not lengths[0]:
        raise FileError(f"{name} cannot be used: its columns are empty, or of different lengths.")
    titles = [*map(one_line, columns)]
    named = zip(collected, distinct_names(titles), titles, strict=True)
    rows = np.arange(1, lengths[0] + 1)
    return Table(name, tuple(each.column(distinct, title) for each, distinct, title in named), rows, row_name="row")


def _text(value: object) -> str:
    """Return the text of a value, by which the same number is read."""
    if isinstance(value, str) or value is None:
        return value or ""
    return repr(value) if isinstance(value, float) else msgspec.json.encode(value).decode()
