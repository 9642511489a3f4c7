"""Encoder: a process of its own that makes an animated GIF, WebP or APNG of raw pictures.

A process, since Pillow and the search for colours hold the interpreter, for 16 ms at a time where nothing else is going
on and 67 ms where much is, and since a process can be ended at once.  Pictures are coded one by one; what stands around
them is put together here, so that few of them are in memory, and none is merged with the one before it.

On standard input: a line of JSON (`Film`), the samples of a GIF's palette, and the pictures, ``3 * width * height``
bytes of RGB each.  On standard output, once all have come: the file, or how many bytes each picture took.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from io import BytesIO
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

#: One picture, of shape (height, width, 3).
Rgb = NDArray[np.uint8]
#: Colours of a GIF; of them, those that are just the most frequent ones. The others are means of what is left.
COLOURS, FREQUENT = 256, 192
#: Distances of colours that are worked out at a time.
MOST_DISTANCES = 1 << 22


@dataclass(frozen=True)
class Film:
    """What is to be made.

    Attributes
    ----------
    kind : {"gif", "webp", "png"}
    width, height : int
        Of each picture.
    times : tuple of int
        How long each picture is seen, in milliseconds.
    samples : int
        Pictures that come first and are no part of the film: the palette is made of them.
    measured : bool
        How large each picture gets is wanted, not the film.
    """

    kind: str
    width: int
    height: int
    times: tuple[int, ...]
    samples: int = 0
    measured: bool = False

    def line(self) -> bytes:
        """The first line of what the process is sent."""
        return json.dumps(asdict(self)).encode() + b"\n"

    @staticmethod
    def of_line(line: bytes) -> Film:
        """The film of that line."""
        fields = json.loads(line)
        return Film(**fields | {"times": tuple(fields["times"])})


def encode(film: Film, samples: Iterable[Rgb], pictures: Iterable[Rgb]) -> list[bytes]:
    """The file of a film in pieces: what stands before the pictures, each of them, and what stands behind."""
    if film.kind == "gif":
        return [*_gif(film, Palette(samples), pictures)]
    if film.kind == "png":
        return [*_png(film, pictures)]
    parts = [*_webp(film, pictures)]
    size = sum(map(len, parts)) - 8  # without its own field, which stands first
    return [parts[0][:4] + struct.pack("<I", size) + parts[0][8:], *parts[1:]]


def changed(before: NDArray[Any] | None, now: NDArray[Any]) -> tuple[slice, slice]:
    """Rows and columns of the smallest box about all that is another than before; of one pixel where nothing is.

    Its corner lies on even numbers, as WebP wants it.
    """
    if before is None:
        return slice(0, now.shape[0]), slice(0, now.shape[1])
    differs = now != before
    if differs.ndim == 3:
        differs = differs.any(axis=2)
    sides = []
    for axis in (1, 0):
        found = np.flatnonzero(differs.any(axis=axis))
        sides.append(slice(int(found[0]) & ~1, int(found[-1]) + 1) if len(found) else slice(0, 1))
    return sides[0], sides[1]


# -- GIF ---------------------------------------------------------------------------------------------------------------


class Palette:
    """The colours of a GIF, one palette for all its pictures: with one for each of them, still places would flicker.

    The most frequent colours are kept as they are (pictures are made of few), the others are means of similar ones;
    each colour becomes the nearest of them, and nothing is dithered.
    """

    def __init__(self, samples: Iterable[Rgb]) -> None:
        found: dict[int, int] = {}
        for picture in samples:
            colours, counts = np.unique(_packed(picture), return_counts=True)
            for colour, count in zip(colours.tolist(), counts.tolist(), strict=True):
                found[colour] = found.get(colour, 0) + count
        order = sorted(found, key=lambda colour: (-found[colour], colour))
        rest = order[FREQUENT:]
        if len(order) <= COLOURS:
            chosen = order
        else:
            chosen = order[:FREQUENT] + self._means(rest, [found[colour] for colour in rest])
        #: Of shape (n, 3), n at most `COLOURS`.
        self.colours = _unpacked(np.array(chosen or [0], dtype=np.int32))
        self._place = np.full(1 << 24, -1, dtype=np.int16)

    @staticmethod
    def _means(colours: list[int], counts: list[int]) -> list[int]:
        from PIL import Image

        often = np.repeat(np.array(colours, dtype=np.int32), np.minimum(counts, 64))
        line = Image.fromarray(_unpacked(often)[None])
        flat = line.quantize(COLOURS - FREQUENT, Image.Quantize.MEDIANCUT).getpalette() or []
        return [int(each) for each in _packed(np.array(flat, dtype=np.uint8).reshape(-1, 3))]

    def places(self, picture: Rgb) -> NDArray[np.uint8]:
        """For each pixel, the number of the colour nearest to its own."""
        packed = _packed(picture)
        places = self._place[packed]
        missing = np.unique(packed[places < 0])
        at_once = max(1, MOST_DISTANCES // len(self.colours))
        for start in range(0, len(missing), at_once):
            block = missing[start : start + at_once]
            away = _unpacked(block)[:, None].astype(np.int32) - self.colours[None].astype(np.int32)
            self._place[block] = (away * away).sum(axis=2).argmin(axis=1)
        return (self._place[packed] if len(missing) else places).astype(np.uint8)


def _packed(rgb: Rgb) -> NDArray[np.int32]:
    wide = rgb.astype(np.int32)
    return wide[..., 0] << 16 | wide[..., 1] << 8 | wide[..., 2]


def _unpacked(packed: NDArray[np.int32]) -> Rgb:
    return np.stack([packed >> shift & 255 for shift in (16, 8, 0)], axis=-1).astype(np.uint8)


def _gif(film: Film, palette: Palette, pictures: Iterable[Rgb]) -> Iterator[bytes]:
    from PIL import GifImagePlugin, Image

    table = np.zeros((COLOURS, 3), dtype=np.uint8)
    table[: len(palette.colours)] = palette.colours
    head = b"GIF89a" + struct.pack("<HHBBB", film.width, film.height, 0xF7, 0, 0) + table.tobytes()
    yield head + b"\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00"  # for ever
    before: NDArray[np.uint8] | None = None
    for picture, time in zip(pictures, film.times, strict=True):
        places = palette.places(picture)
        rows, columns = changed(before, places)
        box = Image.fromarray(places[rows, columns])
        box.putpalette(table.tobytes())
        corner = (columns.start, rows.start)
        yield b"".join(GifImagePlugin.getdata(box, corner, duration=time, interlace=0, disposal=1))
        before = places
    yield b";"


# -- WebP --------------------------------------------------------------------------------------------------------------


def _webp(film: Film, pictures: Iterable[Rgb]) -> Iterator[bytes]:
    size = _three(film.width - 1) + _three(film.height - 1)
    animated = _riff(b"VP8X", struct.pack("<I", 0x02) + size)
    yield b"RIFF....WEBP" + animated + _riff(b"ANIM", struct.pack("<IH", 0xFFFFFFFF, 0))  # 0: for ever
    for (rows, columns), box, time in _boxes(film, pictures):
        stored = _stored(box, "WEBP", lossless=True, quality=30, method=2)
        where = (columns.start // 2, rows.start // 2, box.shape[1] - 1, box.shape[0] - 1, time)
        head = b"".join(map(_three, where)) + b"\x02"  # not blended with what is below
        yield _riff(b"ANMF", head + stored[12:])  # without "RIFF", its length, and "WEBP"


def _riff(name: bytes, data: bytes) -> bytes:
    return name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)


def _three(number: int) -> bytes:
    return number.to_bytes(3, "little")


# -- APNG --------------------------------------------------------------------------------------------------------------


def _png(film: Film, pictures: Iterable[Rgb]) -> Iterator[bytes]:
    size = struct.pack(">IIBBBBB", film.width, film.height, 8, 2, 0, 0, 0)
    animated = _chunk(b"acTL", struct.pack(">II", len(film.times), 0))  # 0: for ever
    yield b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", size) + animated
    number = 0
    for (rows, columns), box, time in _boxes(film, pictures):
        first = number == 0
        where = (box.shape[1], box.shape[0], columns.start, rows.start)
        control = _chunk(b"fcTL", struct.pack(">IIIIIHHBB", number, *where, time, 1000, 0, 0))
        data = b"".join(_chunks(_stored(box, "PNG"), b"IDAT"))
        yield control + (_chunk(b"IDAT", data) if first else _chunk(b"fdAT", struct.pack(">I", number + 1) + data))
        number += 1 if first else 2
    yield _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _chunks(png: bytes, wanted: bytes) -> Iterator[bytes]:
    """The data of the chunks of one kind."""
    at = 8
    while at < len(png):
        (length,) = struct.unpack_from(">I", png, at)
        if png[at + 4 : at + 8] == wanted:
            yield png[at + 8 : at + 8 + length]
        at += length + 12


def _boxes(film: Film, pictures: Iterable[Rgb]) -> Iterator[tuple[tuple[slice, slice], Rgb, int]]:
    """For each picture, where it is another than the one before, its pixels there, and its time."""
    before: Rgb | None = None
    for picture, time in zip(pictures, film.times, strict=True):
        box = changed(before, picture)
        yield box, picture[box], time
        before = picture


def _stored(pixels: Rgb, kind: str, **options: Any) -> bytes:
    from PIL import Image

    buffer = BytesIO()
    Image.fromarray(np.ascontiguousarray(pixels)).save(buffer, kind, **options)
    return buffer.getvalue()


# -- the process -------------------------------------------------------------------------------------------------------


def _pictures(source: IO[bytes], film: Film, count: int) -> Iterator[Rgb]:
    for _ in range(count):
        data = source.read(3 * film.width * film.height)
        if len(data) < 3 * film.width * film.height:  # nobody wants the film any more
            raise SystemExit(1)
        yield np.frombuffer(data, dtype=np.uint8).reshape(film.height, film.width, 3)


def main() -> None:
    """Make the film that comes on standard input."""
    source = sys.stdin.buffer
    film = Film.of_line(source.readline())
    samples = list(_pictures(source, film, film.samples))
    parts = encode(film, samples, _pictures(source, film, len(film.times)))
    sizes = [len(part) for part in parts]
    sys.stdout.buffer.write(json.dumps(sizes).encode() if film.measured else b"".join(parts))
    sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
