"""Strokes: draws a curve of cells into an image, in time that does not depend on how wild the curve is.

Qt strokes a wide polyline of 900 corners that go up and down in 45 ms; here each column of pixels is covered from the
least to the largest value that the curve has within it, which is exact and takes a tenth of a millisecond.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF
from PySide6.QtGui import QImage, QPainter

from app.engine.shading import RGB
from solver.core.arrays import Array

from .scales import ValueScale

#: Of the signs at single steps: half their size in pixels at a ratio of 1, and how far apart they are at least.
SIGN, APART = 3, 9
#: Lengths of stroke and gap in pixels, and the share of it that is stroke.
Dash = tuple[float, float]
SOLID, DASHED, DOTTED, LONG = (1.0, 1.0), (11.0, 0.6), (6.0, 0.5), (18.0, 0.78)


@dataclass(frozen=True, eq=False)
class Cells:
    """A curve on a step axis, at most one cell for each pixel, from left to right.

    Attributes
    ----------
    x : ndarray of shape (n_cells,)
        In pixels from the middle of the first: that of the step exactly, where the cell is of one step, else the
        middle of the pixel.
    low, high : ndarray of shape (n_cells,)
        Least and largest value in the cell.
    """

    x: Array
    low: Array
    high: Array

    def __len__(self) -> int:
        return len(self.x)


NO_CELLS = Cells(np.empty(0), np.empty(0), np.empty(0))


def joints(top: Array, bottom: Array) -> tuple[Array, Array]:
    """Where the line from each cell to the next begins and ends: at their nearest ends, where they do not overlap."""
    above, below = bottom[:-1] < top[1:], top[:-1] > bottom[1:]
    shared = np.maximum(top[:-1], top[1:])
    leave = np.where(above, bottom[:-1], np.where(below, top[:-1], shared))
    reach = np.where(above, top[1:], np.where(below, bottom[1:], shared))
    return leave, reach


def spans(cells: Cells, scale: ValueScale, columns: int) -> tuple[Array, Array, Array]:
    """From where to where, in pixels from above, the line through `cells` goes in each column, and where it enters.

    Each of shape (columns,): top, bottom, entry; top and bottom nan, and entry 0, where the line does not go.
    """
    x, top, bottom = cells.x, scale.place(cells.high), scale.place(cells.low)
    at_edge = np.full(columns + 1, np.nan)  # the height at which the line goes from one column to the next
    if len(x) > 1:
        edges = np.arange(columns + 1) - 0.5
        place = np.searchsorted(x, edges) - 1
        inside = np.flatnonzero((place >= 0) & (place < len(x) - 1))
        i = place[inside]
        leave, reach = joints(top, bottom)
        at_edge[inside] = leave[i] + (reach[i] - leave[i]) * (edges[inside] - x[i]) / (x[i + 1] - x[i])
    high, low = np.fmin(at_edge[:-1], at_edge[1:]), np.fmax(at_edge[:-1], at_edge[1:])
    column = np.ceil(x - 0.5).astype(np.intp)
    seen = (column >= 0) & (column < columns)
    column = column[seen]
    high[column], low[column] = np.fmin(high[column], top[seen]), np.fmax(low[column], bottom[seen])
    entry = np.where(np.isnan(at_edge[:-1]), np.where(np.isnan(high), 0.0, high), at_edge[:-1])
    return high, low, entry


def coverage(
    cells: Cells, scale: ValueScale, columns: int, rows: int, width: float, dash: Dash = SOLID
) -> NDArray[np.uint8]:
    """How much of each pixel the line through `cells` covers, 0 to 255.

    Parameters
    ----------
    cells : Cells
    scale : ValueScale
        Its pixels are those of the image.
    columns, rows : int
        Size of the image.
    width : float
        Of the line, in pixels.
    dash : (float, float)
        Period in pixels along the line, and the share of it that is drawn.

    Returns
    -------
    coverage : ndarray of shape (rows, columns)
    """
    if not len(cells):
        return np.zeros((rows, columns), dtype=np.uint8)
    high, low, entry = spans(cells, scale, columns)
    empty = np.isnan(high)
    high[empty], low[empty] = np.inf, -np.inf
    height = np.maximum(low - high, 0.0)
    side = round(0.5 * (width - 1))
    # A steep line is widened to its sides, a flat one up and down.
    half = 0.5 * (width - side * np.minimum(height, 1.0))
    top = _dilated(high - half, side, np.minimum).astype(np.float32)
    bottom = _dilated(low + half, side, np.maximum).astype(np.float32)
    row = np.arange(rows, dtype=np.float32)[:, None]
    share, other = _scratch(rows, columns)
    np.minimum(row + 1, bottom, out=share)
    share -= np.maximum(row, top, out=other)
    np.minimum(share, 1, out=share)
    np.maximum(share, 0, out=share)
    share *= 255
    covered: NDArray[np.uint8] = share.astype(np.uint8)
    if dash is not SOLID:
        covered[_gaps(height, entry, row, dash)] = 0
    return covered


@lru_cache(maxsize=4)
def _scratch(rows: int, columns: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Room for intermediate results: taken anew each time, its pages cost more than the arithmetic."""
    return np.empty((rows, columns), dtype=np.float32), np.empty((rows, columns), dtype=np.float32)


def _dilated(values: Array, side: int, outer: np.ufunc) -> Array:
    """The outermost of `values` up to `side` columns away."""
    for _ in range(side):
        wider = values.copy()
        outer(wider[1:], values[:-1], out=wider[1:])
        outer(wider[:-1], values[1:], out=wider[:-1])
        values = wider
    return values


def _gaps(height: Array, entry: Array, row: NDArray[np.float32], dash: Dash) -> NDArray[np.bool_]:
    """The pixels in the gaps of the dashes, which are counted along the line: it is `height` high in each column."""
    period, drawn = dash
    length = np.sqrt(1.0 + height**2)
    before = np.concatenate(([0.0], np.cumsum(length[:-1])))
    turns, whole = _scratch(len(row), len(height))
    np.subtract(row + np.float32(0.5), entry.astype(np.float32), out=turns)
    np.abs(turns, out=turns)
    np.minimum(turns, height.astype(np.float32), out=turns)
    turns += (before % period).astype(np.float32)
    turns *= np.float32(1.0 / period)
    turns -= np.floor(turns, out=whole)
    return np.asarray(turns >= drawn)


def stamp(covered: NDArray[np.uint8], cells: Cells, scale: ValueScale, sign: str, ratio: float) -> None:
    """Draw a sign at each cell, but none so near to another that they could not be told apart."""
    rows, columns = covered.shape
    reach = round(SIGN * ratio)
    offsets = np.arange(-reach, reach + 1)
    dy, dx = np.meshgrid(offsets, offsets, indexing="ij")
    shape = np.abs(dy) + np.abs(dx) <= reach + 0.5 if sign == "diamond" else np.maximum(abs(dy), abs(dx)) < reach
    column = np.ceil(cells.x - 0.5).astype(np.intp)
    kept, last = [], -np.inf
    for place, x in enumerate(column.tolist()):
        if x - last >= APART * ratio and 0 <= x < columns:
            kept.append(place)
            last = x
    y = np.floor(scale.place(0.5 * (cells.low[kept] + cells.high[kept]))).astype(np.intp)
    at_row = np.clip(y[:, None] + dy[shape], 0, rows - 1)
    at_column = np.clip(column[kept][:, None] + dx[shape], 0, columns - 1)
    covered[at_row, at_column] = 255


def column_marks(marks: NDArray[np.bool_], height: int) -> NDArray[np.uint8]:
    """`coverage` of strokes that are one column wide and `height` high, where `marks` says so."""
    return np.where(marks, np.uint8(255), np.uint8(0))[None, :].repeat(height, axis=0)


def paint(painter: QPainter, at: QPointF, covered: NDArray[np.uint8], colour: RGB, ratio: float = 1.0) -> None:
    """Paint in one colour what is `covered`, its upper left corner at `at`; `ratio` of its pixels are one of Qt's."""
    rows, columns = covered.shape
    pixels = _shades(colour)[covered]
    image = QImage(pixels.data, columns, rows, 4 * columns, QImage.Format.Format_ARGB32_Premultiplied)
    image.setDevicePixelRatio(ratio)
    painter.drawImage(at, image)


@lru_cache(maxsize=32)
def _shades(colour: RGB) -> NDArray[np.uint32]:
    """A colour in each opacity, as Qt's raster engine wants it: multiplied already."""
    alpha = np.arange(256, dtype=np.uint32)
    r, g, b = ((alpha * part + 127) // 255 for part in colour)
    return np.asarray((alpha << 24) | (r << 16) | (g << 8) | b, dtype=np.uint32)
