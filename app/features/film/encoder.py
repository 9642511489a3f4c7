"""Encoder: write an animated GIF, WebP or APNG of pictures that come one by one.  No Qt.

It runs on a thread: its long operations release the interpreter.  Pillow writes WebP files.  The containers of GIF and
APNG are written here, since Pillow would keep all pictures in memory: 0.2 and 0.8 GB for 200 pictures of 1280x800.
"""

from __future__ import annotations

import itertools
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import GifImagePlugin, Image

from app.files import png
from app.files.background_task import CancelledError, Progress

#: One picture, 0xffrrggbb, shape (height, width).
Pixels = NDArray[np.uint32]
#: Number of colours of a GIF, and how many of them are the most frequent ones; the others are means of the rest.
COLOURS, FREQUENT = 256, 192
#: Largest number of distances between colours computed at a time.
MOST_DISTANCES = 1 << 22
#: Distance between two pictures that WebP stores whole: longer than any film.  Without them the file is smaller and
#: encoded faster.
KEY_FRAMES = 1 << 16


class Feed:
    """Pass pictures from the window's thread to the encoder's, one at a time."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[tuple[Pixels, Callable[[None], object]] | None] = SimpleQueue()

    def put(self, picture: Pixels, taken: Callable[[None], object]) -> None:
        """Pass a picture on; ``taken(None)`` is called in the encoder's thread when it wants the next one."""
        self._queue.put((picture, taken))

    def close(self) -> None:
        """End the pictures."""
        self._queue.put(None)

    def take(self, count: int) -> Iterator[Pixels]:
        """Yield this many pictures as they come; raise CancelledError if they do not."""
        for _ in range(count):
            entry = self._queue.get()
            if entry is None:
                raise CancelledError
            picture, taken = entry
            taken(None)
            yield picture


def encode(kind: str, times: Sequence[int], palette: Palette | None, pictures: Iterable[Pixels]) -> bytes:
    """Return the file of a film.

    Parameters
    ----------
    kind : {"gif", "webp", "png"}
    times : sequence of int
        Display time of each picture (ms).
    palette : Palette or None
        For a GIF.
    pictures : iterable of ndarray
    """
    if palette is not None:
        return b"".join(_gif(times, palette, pictures))
    return b"".join(_png(times, pictures)) if kind == "png" else _webp(times, pictures)


def estimated(kind: str, times: Sequence[int], samples: Mapping[int, Pixels], progress: Progress) -> int:
    """Return the approximate size of a film (bytes), given some of its pictures by their indices, the first among them.

    The size of one more picture is known from those that follow a known one.
    """

    def size(*numbers: int) -> int:
        progress()
        return len(encode(kind, times[: len(numbers)], palette, [samples[number] for number in numbers]))

    palette = palette_of(kind, samples.values())
    added = [size(number - 1, number) - size(number - 1) for number in samples if number - 1 in samples]
    return round(size(0) + (len(times) - 1) * (sum(added) / len(added) if added else 0))


def changed(before: NDArray[np.generic] | None, now: NDArray[np.generic]) -> tuple[slice, slice]:
    """Return rows and columns of the smallest box around all differences; a single pixel without any."""
    if before is None:
        return slice(0, now.shape[0]), slice(0, now.shape[1])
    differs = now != before
    sides = []
    for axis in (1, 0):
        found = np.flatnonzero(differs.any(axis=axis))
        sides.append(slice(int(found[0]), int(found[-1]) + 1) if len(found) else slice(0, 1))
    return sides[0], sides[1]


def boxes(frames: Iterable[NDArray[Any]]) -> Iterator[tuple[NDArray[Any], int, int]]:
    """Yield the box of each frame that differs from the one before, with its first column and row."""
    before: NDArray[Any] | None = None
    for frame in frames:
        rows, columns = changed(before, frame)
        yield frame[rows, columns], columns.start, rows.start
        before = frame


def _colours(packed: NDArray[np.integer]) -> NDArray[np.uint8]:
    """Return red, green and blue of 0xrrggbb, as the last axis."""
    return np.stack([(packed >> shift).astype(np.uint8) for shift in (16, 8, 0)], axis=-1)


def palette_of(kind: str, samples: Iterable[Pixels]) -> Palette | None:
    """Return the palette of a film, made from some of its pictures, if its format has one."""
    return Palette(samples) if kind == "gif" else None


# -- GIF ---------------------------------------------------------------------------------------------------------------


class Palette:
    """The colours of a GIF, one palette for all pictures: with a palette for each, unchanged areas would flicker.

    The most frequent colours are exact (pictures have few colours), the others are means of similar ones; each colour
    becomes the nearest one, without dithering.
    """

    def __init__(self, samples: Iterable[Pixels]) -> None:
        counted = [np.unique(picture & 0xFFFFFF, return_counts=True) for picture in samples]
        found, which = np.unique(np.concatenate([colours for colours, _ in counted]), return_inverse=True)
        often = np.bincount(which, np.concatenate([counts for _, counts in counted])).astype(np.intp)
        order = np.lexsort((found, -often))
        chosen = found[order]
        if len(found) > COLOURS:
            rest = order[FREQUENT:]
            chosen = np.concatenate((chosen[:FREQUENT], _means(found[rest], often[rest])))
        #: Of shape (n, 3), n at most `COLOURS`.
        self.colours = _colours(chosen)
        self._index = np.full(1 << 24, -1, dtype=np.int16)

    def indices(self, picture: Pixels) -> NDArray[np.uint8]:
        """Return, for each pixel, the index of the nearest colour."""
        packed = picture & 0xFFFFFF
        indices = self._index[packed]
        missing = np.unique(packed[indices < 0])
        at_once = max(1, MOST_DISTANCES // len(self.colours))
        for start in range(0, len(missing), at_once):
            block = missing[start : start + at_once]
            away = _colours(block)[:, None].astype(np.int32) - self.colours[None].astype(np.int32)
            self._index[block] = (away * away).sum(axis=2).argmin(axis=1)
        return np.asarray((self._index[packed] if len(missing) else indices).astype(np.uint8))


def _means(colours: NDArray[np.uint32], counts: NDArray[np.intp]) -> NDArray[np.integer]:
    line = Image.fromarray(_colours(np.repeat(colours, np.minimum(counts, 64)))[None])
    flat = line.quantize(COLOURS - FREQUENT, Image.Quantize.MEDIANCUT).getpalette() or []
    red, green, blue = np.array(flat, dtype=np.int64).reshape(-1, 3).T
    return np.asarray(red << 16 | green << 8 | blue)


def _gif(times: Sequence[int], palette: Palette, pictures: Iterable[Pixels]) -> Iterator[bytes]:
    table = np.zeros((COLOURS, 3), dtype=np.uint8)
    table[: len(palette.colours)] = palette.colours
    frames = zip(boxes(map(palette.indices, pictures)), times, strict=True)
    for number, ((pixels, column, row), time) in enumerate(frames):
        if not number:
            height, width = pixels.shape
            yield b"GIF89a" + struct.pack("<HHBBB", width, height, 0xF7, 0, 0) + table.tobytes()
            yield b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"  # repeat for ever
        box = Image.fromarray(pixels)
        box.putpalette(table.tobytes())
        yield b"".join(GifImagePlugin.getdata(box, (column, row), duration=time, interlace=0, disposal=1))
    yield b";"


# -- WebP --------------------------------------------------------------------------------------------------------------


class _Sequence(Image.Image):
    """Pictures as the frames of one image, each fetched when it is sought, so that only one is in memory."""

    def __init__(self, pictures: Iterable[Pixels], n_frames: int) -> None:
        super().__init__()
        self._pictures, self.n_frames, self._next = iter(pictures), n_frames, 0
        self.seek(0)

    def seek(self, frame: int) -> None:
        if frame == self._next:  # else it is already loaded, or the writer seeks back at its end
            image = Image.fromarray(_colours(next(self._pictures)))
            self.im, self._mode, self._size = image.im, image.mode, image.size
            self._next += 1


def _webp(times: Sequence[int], pictures: Iterable[Pixels]) -> bytes:
    file, keys = BytesIO(), {"kmin": KEY_FRAMES, "kmax": KEY_FRAMES + 1}
    sequence = _Sequence(pictures, len(times))
    sequence.save(file, "WEBP", save_all=True, duration=times, lossless=True, quality=30, method=2, **keys)
    return file.getvalue()


# -- APNG --------------------------------------------------------------------------------------------------------------


def _png(times: Sequence[int], pictures: Iterable[Pixels]) -> Iterator[bytes]:
    numbers = itertools.count()
    for time, (box, *corner) in zip(times, boxes(pictures), strict=True):
        (height, width), number = box.shape, next(numbers)
        if not number:
            yield png.head(width, height) + png.chunk(b"acTL", struct.pack(">II", len(times), 0))  # 0: repeat for ever
        yield png.chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, width, height, *corner, time, 1000, 0, 0))
        data = b"".join(png.compressed(box))
        later = struct.pack(">I", next(numbers)) if number else b""
        yield png.chunk(b"fdAT" if number else b"IDAT", later + data)
    yield png.END
