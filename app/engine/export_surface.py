"""Export surface: the picture of a model at any resolution, in short pieces; for files and print."""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np

from app.core import log
from solver import Grid
from solver.core.arrays import Array
from solver.kernels.pixels import colour

from .frames import Frame, Picture
from .pacing import OvertakenError, Pace, Step
from .shading import Shades, colours_of
from .surface_values import Values, band, difference_source, probability_source, source_of

#: Pixels of a band, whose values are held in memory together, and whose lines are found together.
MOST_PIXELS = 100_000
#: Most ends of line segments per pixel of width plus height: more lines would hide the colours.
MOST_VERTICES = 50


def enlarge(
    frame: Frame, grid: Grid, shades: Shades, done: Callable[[Picture | str], None], given_up: Callable[[], bool]
) -> Generator[Step]:
    """Make the picture of `frame`'s model on `grid`; a compute thread calls `done` with it, or with a sentence."""
    try:
        picture = yield from picture_of(frame, grid, shades, Pace(given_up))
    except OvertakenError:
        pass
    except MemoryError:
        done(f"There is not enough memory for a picture of {grid.width} × {grid.height} pixels.")
    except Exception as error:
        log.caught("A picture for export could not be computed.")
        done(f"The picture could not be computed ({type(error).__name__}: {error}).")
    else:
        done(picture)


def picture_of(frame: Frame, grid: Grid, shades: Shades, pace: Pace) -> Generator[Step, None, Picture]:
    """Return the picture of `frame`'s model on `grid`."""
    if frame.sides is not None:
        source = difference_source(frame.sides)
    else:
        model, probability = frame.model, frame.shaded_probability
        assert model is not None
        if probability is not None and model.kind == "f":
            source = probability_source(model, probability)
        else:
            source = source_of(model, frame.lane)
    argb, table = np.empty((grid.height, grid.width), dtype=np.uint32), colours_of(shades)
    yield from pace.pause()
    values_at = source.on(grid.xs)
    yield from pace.pause()
    boundary: list[Array] = []
    margins: list[Array] = []

    def show(block: slice, values: Values) -> None:
        colour(values.pixels, table, argb[grid.height - block.stop : grid.height - block.start])

    # The bands depend on the size alone, not on how fast the blocks were, so that dashes begin at the same places in
    # each picture.
    height = max(4, MOST_PIXELS // grid.width)
    for start in range(0, grid.height, height):
        # It overlaps the last row of the band below, so that no line is missing between the two.
        rows = range(max(start - 1, 0), min(start + height, grid.height))
        found = yield from band(source, values_at, grid, rows, pace, show)
        yield from pace.pause()
        boundary.append(found.boundary(len(frame.points.classes)))
        margins.append(found.margins())
    limit = MOST_VERTICES * (grid.width + grid.height)
    lines = []
    for bands in (boundary, margins):
        yield from pace.pause()
        few = sum(map(len, bands)) <= limit
        lines.append(joined(bands, grid.pixel) if few else np.empty((0, 2)))
    yield from pace.pause()
    return Picture(argb, grid, lines[0], lines[1])


def joined(bands: list[Array], pixel: tuple[float, float]) -> Array:
    """Return the polylines of all `bands`, separated by NaN rows, joining those that end where another begins.

    `pixel` is width and height of a pixel.

    In a dashed line of several polylines, the dashes would begin anew in each.
    """
    pieces = [piece for band in bands for piece in _pieces(band)]
    at: dict[tuple[int, int], list[int]] = {}

    def key(point: Array) -> tuple[int, int]:
        return round(float(point[0]) / pixel[0] * 1e3), round(float(point[1]) / pixel[1] * 1e3)

    for number, piece in enumerate(pieces):
        for end in {key(piece[0]), key(piece[-1])}:
            at.setdefault(end, []).append(number)
    used = [False] * len(pieces)

    def onward(chain: list[Array]) -> None:
        """Append polylines to the end of `chain` until none fits."""
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
