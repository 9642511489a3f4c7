"""Png: encode a picture as PNG, in pieces, so that it can be cancelled.  No Qt."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

#: Size of the piece that is compressed in one call (bytes); the compressor releases the interpreter lock.
PIECE_BYTES = 1_000_000


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a part of a PNG file: its length, kind, data and check sum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


#: The last part of a file.
END = chunk(b"IEND", b"")


def head(width: int, height: int) -> bytes:
    """Return the first parts of the file of an opaque picture."""
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))


def encode(
    argb: NDArray[np.uint32], pixels_per_metre: int = 0, progress: Callable[[float], object] = lambda share: None
) -> bytes:
    """Return the PNG file of opaque pixels 0xffrrggbb, shape (height, width).

    Parameters
    ----------
    argb : ndarray of shape (height, width), uint32
    pixels_per_metre : int, default=0
        Resolution in print; 0 for unspecified.
    progress : callable, optional
        ``progress(share)`` is called before each piece; an exception from it ends the encoding.
    """
    height, width = argb.shape
    parts = [head(width, height)]
    if pixels_per_metre:
        parts.append(chunk(b"pHYs", struct.pack(">IIB", pixels_per_metre, pixels_per_metre, 1)))
    parts += [chunk(b"IDAT", data) for data in compressed(argb, progress)]
    return b"".join((*parts, END))


def compressed(argb: NDArray[np.uint32], progress: Callable[[float], object] = lambda share: None) -> Iterator[bytes]:
    """Yield the data of a picture in pieces for a PNG file; arguments as in `encode`."""
    height, width = argb.shape
    compressor = zlib.compressobj(6)
    rows = max(1, PIECE_BYTES // (3 * width))
    above = np.zeros((1, 3 * width), dtype=np.uint8)
    for start in range(0, height, rows):
        progress(start / height)
        block = argb[start : start + rows]
        rgb = np.stack([(block >> shift).astype(np.uint8) for shift in (16, 8, 0)], axis=-1).reshape(len(block), -1)
        # Filter 2: each byte minus the one above it, because surfaces change little from row to row.
        lines = np.full((len(block), 1 + 3 * width), 2, dtype=np.uint8)
        np.subtract(rgb, np.concatenate((above, rgb[:-1])), out=lines[:, 1:])
        above = rgb[-1:].copy()
        yield compressor.compress(lines.data)
    yield compressor.flush()
