"""Pictures of a race: the small ones of a race: the surface of one binary problem, in short pieces."""

from __future__ import annotations

import time
from collections.abc import Generator

import numpy as np

from app.engine.pieces import PIECE, Pace, Step
from app.engine.pool import Priority
from app.engine.raster import unless_too_dense
from app.engine.requests import Picture
from app.engine.shading import FULL_VALUE, Shades, colour, level_lines
from solver import Grid, Kernel, RunningExpansion
from solver.core.arrays import Array

#: What a picture costs: the processor time of the thread, which knows nothing of waiting for the window; where that
#: clock is too coarse, the time that has passed.
stopwatch = time.thread_time if time.get_clock_info("thread_time").resolution < 1e-5 else time.perf_counter
#: Ends of line segments in a small picture, from which on they would hide the colours.
MOST_VERTICES = 8000


def in_fewer_pixels(grid: Grid, most: int) -> Grid:
    """The same rectangle in at most about `most` pixels."""
    share = min(1.0, (most / (grid.width * grid.height)) ** 0.5)
    width, height = max(2, round(grid.width * share)), max(2, round(grid.height * share))
    return Grid(grid.left, grid.right, grid.bottom, grid.top, width, height)


class Sketcher:
    """The pictures of one racer, one after the other.

    Parameters
    ----------
    kernel : Kernel
    points : ndarray of shape (n, 2)
        Of the binary problem.
    centre : ndarray of shape (2,)
        The solver's shift of the points.
    problem : tuple of int
        Class numbers where f > 0 and f < 0; the second is -1 for the rest of the classes, which is drawn grey.
    """

    def __init__(self, kernel: Kernel, points: Array, centre: Array, problem: tuple[int, int]) -> None:
        self._kernel, self._points, self._centre, self._problem = kernel, points - centre, centre, problem
        self._running: RunningExpansion | None = None
        self._kept: tuple[tuple[object, ...], Picture] | None = None
        #: Seconds that the newest picture took.
        self.seconds = 0.0

    def draw(
        self, step: int, beta: Array, intercept: float, grid: Grid, shades: Shades
    ) -> Generator[Step, None, Picture]:
        """The picture after `step` steps, with `beta` and `intercept`; the one before serves again if it is that."""
        key = (step, grid, shades)
        if self._kept is not None and self._kept[0] == key:
            return self._kept[1]
        picture = yield from self._drawn(beta, intercept, grid, self._colours(shades))
        self._kept = key, picture
        return picture

    def _colours(self, shades: Shades) -> Shades:
        positive, negative = self._problem
        other = shades.tie if negative < 0 else shades.classes[negative]
        return Shades(shades.background, (other, shades.classes[positive]), shades.tie)

    def _drawn(self, beta: Array, intercept: float, grid: Grid, shades: Shades) -> Generator[Step, None, Picture]:
        x, y = self._centre
        shifted = Grid(grid.left - x, grid.right - x, grid.bottom - y, grid.top - y, grid.width, grid.height)
        ys, pace = shifted.ys, Pace(priority=Priority.TRAINING)
        begun = stopwatch()
        if not self._kernel.kind.pays_per_point:
            used = beta != 0
            offset = np.array([intercept])
            rows = self._kernel.expansion_on(self._points[used], beta[used, None], shifted.xs, offset)
        else:
            if self._running is None or self._running.grid != shifted:
                self._running = RunningExpansion(self._kernel, self._points, shifted)
            rows = self._running.rows(beta[:, None], np.array([intercept]))
        # Below its own rounding error f has no sign.
        noise = 8 * np.finfo(np.float64).eps * float(np.abs(beta).sum() + abs(intercept))
        f = np.empty((grid.height, grid.width))
        argb = np.empty((grid.height, grid.width), dtype=np.uint32)
        self.seconds = stopwatch() - begun

        def fill(block: slice) -> None:
            begun = stopwatch()
            values = rows(ys[block])[..., 0]
            values[np.abs(values) <= noise] = 0.0
            f[block] = values
            argb[::-1][block] = colour(shades, (values > 0).view(np.int8), np.abs(values) / FULL_VALUE, values == 0.0)
            self.seconds += stopwatch() - begun

        yield from pace.in_blocks(grid.height, fill)
        lines = []
        for levels in ((0.0,), (-1.0, 1.0)):
            if self.seconds > 0.5 * PIECE:
                yield from pace.pause()
            begun = stopwatch()
            lines.append(unless_too_dense(level_lines(grid, f, levels), MOST_VERTICES))
            self.seconds += stopwatch() - begun
        return Picture(argb, grid, lines[0], lines[1])
