"""Export surface: the picture of a model that never changes at any resolution, in short pieces; for files and print."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator

import numpy as np
from numpy.typing import NDArray

from solver import Grid

from .pool import Priority
from .requests import Frame, Picture
from .shading import Shades, colour, level_lines, region_lines
from .surface_values import Values, difference_source, source_of

Array = NDArray[np.float64]
#: Seconds a piece of work aims at.
PIECE = 0.006
#: Pixels whose lines are looked for at a time: that holds the interpreter lock.
MOST_PIXELS = 100_000
#: Ends of line segments per pixel of the picture's width and height from which on they would hide the colours.
MOST_VERTICES = 50


def enlarge(
    frame: Frame, grid: Grid, shades: Shades, done: Callable[[Picture | str], None], given_up: Callable[[], bool]
) -> Generator[Priority]:
    """The job that makes `frame`'s model's picture on `grid`; `done` gets it, or a sentence, in a compute thread."""
    try:
        picture = yield from _picture(frame, grid, shades, given_up)
    except MemoryError:
        done(f"There is not enough memory for a picture of {grid.width} × {grid.height} pixels.")
    except Exception as error:
        done(f"The picture could not be computed ({type(error).__name__}: {error}).")
    else:
        if picture is not None:
            done(picture)


def _picture(
    frame: Frame, grid: Grid, shades: Shades, given_up: Callable[[], bool]
) -> Generator[Priority, None, Picture | None]:
    if frame.sides is not None:
        source = difference_source(frame.sides)
    else:
        assert frame.model is not None
        source = source_of(frame.model, frame.lane, frame.compiled)
    argb = np.empty((grid.height, grid.width), dtype=np.uint32)
    ys = grid.ys
    yield Priority.BACKGROUND
    rows = source(grid.xs)
    boundary: list[Array] = []
    margins: list[Array] = []
    before: tuple[NDArray[np.int8], Array | None, NDArray[np.int8] | None] | None = None
    row, height, most = 0, 4, max(4, MOST_PIXELS // grid.width)
    while row < grid.height:
        yield Priority.BACKGROUND
        if given_up():
            return None
        begun = time.perf_counter()
        block = slice(row, min(row + height, grid.height))
        values = rows(ys[block])
        argb[::-1][block] = colour(shades, values.classes, values.sureness, values.tie)
        regions, f, other = _regions(values), values.f, None if values.two is None else values.two[1]
        # A band of lines begins on the last row of the band below, so that none is missing between the two.
        if before is not None:
            regions = np.concatenate((before[0], regions))
            f = None if f is None or before[1] is None else np.concatenate((before[1], f))
            other = None if other is None or before[2] is None else np.concatenate((before[2], other))
        pixel = (grid.top - grid.bottom) / grid.height
        low = block.stop - len(regions)
        band = Grid(
            grid.left, grid.right, grid.bottom + low * pixel, grid.bottom + block.stop * pixel, grid.width, len(regions)
        )
        if f is not None and len(frame.points.classes) == 2:
            boundary.append(level_lines(band, f, (0.0,)))
        else:
            boundary.append(region_lines(band, regions))
        if f is not None:
            margins.append(level_lines(band, f, values.margins))
        if other is not None:
            margins.append(region_lines(band, other))
        before = (
            regions[-1:].copy(),
            None if f is None else f[-1:].copy(),
            None if other is None else other[-1:].copy(),
        )
        row = block.stop
        height = int(np.clip(height * PIECE / max(time.perf_counter() - begun, 1e-5), 4, min(2 * height, most)))
    pixel = (grid.right - grid.left) / grid.width
    yield Priority.BACKGROUND
    limit = MOST_VERTICES * (grid.width + grid.height)
    lines = []
    for bands in (boundary, margins):
        few = sum(map(len, bands)) <= limit
        lines.append(joined(bands, pixel) if few else np.empty((0, 2)))
        yield Priority.BACKGROUND
    return Picture(argb, grid, lines[0], lines[1])


def _regions(values: Values) -> NDArray[np.int8]:
    if values.two is not None:
        return values.two[0]
    regions = values.classes.copy()
    regions[values.tie] = -1
    return regions


def joined(bands: list[Array], pixel: float) -> Array:
    """The polylines of all `bands`, parted by NaN rows, with those put together that end where another begins.

    A dashed line in pieces would begin its dashes anew in each.
    """
    pieces = [piece for band in bands for piece in _pieces(band)]
    at: dict[tuple[int, int], list[int]] = {}

    def key(point: Array) -> tuple[int, int]:
        return round(float(point[0]) / pixel * 1e3), round(float(point[1]) / pixel * 1e3)

    for number, piece in enumerate(pieces):
        for end in {key(piece[0]), key(piece[-1])}:
            at.setdefault(end, []).append(number)
    used = [False] * len(pieces)

    def onward(chain: list[Array]) -> None:
        """Lengthen `chain` at its end as far as it goes."""
        while True:
            end = key(chain[-1][-1])
            following = next((n for n in at[end] if not used[n]), None)
            if following is None:
                return
            used[following] = True
            piece = pieces[following]
            chain.append(piece if key(piece[0]) == end else piece[::-1])

    result: list[Array] = []
    for number, piece in enumerate(pieces):
        if used[number]:
            continue
        used[number] = True
        chain = [piece]
        onward(chain)
        chain = [part[::-1] for part in reversed(chain)]
        onward(chain)
        result += [chain[0], *(part[1:] for part in chain[1:]), np.full((1, 2), np.nan)]
    return np.concatenate(result[:-1]) if result else np.empty((0, 2))


def _pieces(lines: Array) -> list[Array]:
    gaps = np.flatnonzero(np.isnan(lines[:, 0]))
    pieces = (piece[1:] if np.isnan(piece[:1, 0]).any() else piece for piece in np.split(lines, gaps))
    return [piece for piece in pieces if len(piece) > 1]
