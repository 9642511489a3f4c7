"""JSON in pieces: a document's bytes taken apart into long lists of numbers and the short rest.

Decoding a list holds the interpreter until its end, a third of a second for a million points, and the window with it,
whichever thread decodes.  Only what this program writes is taken apart; any other file, and any list that does not
hold what it should, is decoded in one go, which also tells what is wrong with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from app.state.points import LIMIT, MAX_CLASSES

#: Bytes that are decoded at a time: some tenths of a millisecond of work.
PIECE = 32_768
_BEGINNING = re.compile(rb'\{"format":"[a-z-]{1,40}","version":\d{1,3},"points":\{"x":\[')
_BETWEEN = (b',"y":[', b',"class":[')
_KINDS: tuple[Any, ...] = (
    *(list[Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]],) * 2,
    list[Annotated[int, Meta(ge=1, le=MAX_CLASSES)]],
)


class Lists(NamedTuple):
    """The numbers of all points."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    labels: NDArray[np.int64]


def parted(data: bytes, step: Callable[[float], object]) -> tuple[bytes, Lists | None]:
    """`data` with empty lists in place of those of its points, and these; or `data` as it is, and None.

    ``step(share)`` is called after each piece.
    """
    begun = _BEGINNING.match(data, 0, 200)
    if begun is None or len(data) <= PIECE:
        return data, None
    start, rest, arrays = begun.end(), data[: begun.end()], []
    for kind, after in zip(_KINDS, (*_BETWEEN, b""), strict=True):
        end = data.find(b"]", start)
        if end < 0 or not data.startswith(after, end + 1):
            return data, None
        array = _numbers(data, start, end, kind, step)
        if array is None:
            return data, None
        arrays.append(array)
        start = end + 1 + len(after)
        rest += b"]" + after
    return rest + data[start:], Lists(*arrays)


def _numbers(data: bytes, start: int, end: int, kind: Any, step: Callable[[float], object]) -> NDArray[Any] | None:
    """The list between `start` and `end`, exclusive; None when it is not simply one of numbers."""
    decoder, parts = msgspec.json.Decoder(kind), []
    dtype = np.int64 if kind is _KINDS[-1] else np.float64
    while True:
        comma = data.find(b",", min(start + PIECE, end), end)
        stop = end if comma < 0 else comma
        try:
            values = decoder.decode(b"[" + data[start:stop] + b"]")
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            return None
        if not values:
            return None
        parts.append(np.array(values, dtype=dtype))
        step(stop / len(data))
        if stop == end:
            return np.concatenate(parts)
        start = stop + 1
