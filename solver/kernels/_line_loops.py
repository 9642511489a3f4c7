"""Loops that follow the lines of a picture from cell to cell, compiled or not.

A cell lies between four samples and has the index of its lower left one, row by row; those in the last column and the
last row have no cell.  The code of a cell has a bit for each corner above the level: 8 for the upper left one, 4 for
the upper right, 2 for the lower left, 1 for the lower right; and `MIDDLE` if two lines pass through it and its middle
is above the level, too.  Values above the level are on the left of a line.
"""

from __future__ import annotations

import numpy as np

from solver.core._compile import jit, part
from solver.core.arrays import Integers

MIDDLE = 16
#: Bit of a cell in which a line could begin, but has already been followed.
KNOWN = 32
#: Least code of a cell without lines: beyond the edge of the picture, or with a corner that is not finite.
NONE = 128
EAST, NORTH, WEST, SOUTH = range(4)
#: Bits of the corners of a cell on the left and on the right of a line that enters in each of the four directions.
LEFT, RIGHT = (8, 2, 1, 4), (2, 1, 4, 8)
#: Starts of lines: at the edge of the picture, in these directions, else in the first cell of a closed line in which it
#: turns from west to north or from south to east around a corner.  They are contourpy's, in the same order.
AT_EDGE, INSIDE = (NORTH, EAST, WEST, SOUTH), (WEST, SOUTH)
#: Rounds of thinning, each of which may drop every second vertex.
ROUNDS = 3


def _turns() -> Integers:
    """Return the direction in which a line leaves a cell, for each code and each direction in which it enters."""
    turns = np.zeros((32, 4), dtype=np.int64)
    for code in range(32):
        for entry in range(4):
            left, right = code & RIGHT[(entry + 2) % 4], code & LEFT[(entry + 2) % 4]  # the corners ahead
            turn = 0 if left and not right else -1 if left or (right and code & MIDDLE) else 1
            turns[code, entry] = (entry + turn) % 4
    return turns


TURNS = _turns()


def follow(codes, crossed, values, level, xs, ys, points):  # type: ignore[no-untyped-def]
    """Write the vertices of all lines into `points`, as polylines separated by NaN rows; return the number of rows.

    Parameters
    ----------
    codes : ndarray of shape (n,), uint8
        Codes of the cells; changed.
    crossed : ndarray of shape (m,), int64
        Indices of the cells with lines, ascending.
    values : ndarray of shape (n,) or (0,)
        Values of the samples; if empty, lines run in the middle between samples.
    level : float
    xs, ys : ndarray
        Coordinates of the columns and rows.
    points : ndarray of shape (6 m, 2)
    """
    width, n = len(xs), 0
    ahead = (1, width, -1, -width)
    # Offsets of the corners from the index of the cell.
    left, right = (width, 0, 1, width + 1), (0, 1, width + 1, width)
    for found in range(2):  # lines from edge to edge come first, so that none of them is taken for a closed line
        for k in range(len(crossed)):
            start = int(crossed[k])
            for kind in range(6 if found else 4):
                code = int(codes[start])
                if kind < 4:
                    begin = AT_EDGE[kind]
                    if codes[start - ahead[begin]] < NONE or not code & LEFT[begin] or code & RIGHT[begin]:
                        continue
                else:
                    begin = INSIDE[kind - 4]
                    if not (code == 11 or code == 9 | MIDDLE) if begin == WEST else not (code == 4 or code == 6):
                        continue
                index, direction, first = start, begin, True
                if found and n:
                    points[n, 0] = points[n, 1] = np.nan
                    n += 1
                while True:
                    if found:
                        a, b, share = index + left[direction], index + right[direction], 0.5
                        if len(values):
                            share = (values[b] - level) / (values[b] - values[a])
                        points[n, 0] = xs[a % width] * share + xs[b % width] * (1.0 - share)
                        points[n, 1] = ys[a // width] * share + ys[b // width] * (1.0 - share)
                        n += 1
                    code = int(codes[index])
                    if code >= NONE or (kind >= 4 and index == start and direction == begin and not first):
                        break
                    first = False
                    code &= MIDDLE | 15
                    if (direction == WEST and (code == 11 or code == 9 | MIDDLE)) or (
                        direction == SOUTH and (code == 4 or code == 6)
                    ):
                        codes[index] |= KNOWN
                    direction = TURNS[code, direction]
                    index += ahead[direction]
    return n


def straighten(points, n, tolerance, ratio):  # type: ignore[no-untyped-def]
    """Drop vertices of the first `n` points, polylines separated by NaN rows; return the number of rows left.

    A vertex at most `tolerance` from the straight line between its neighbours is dropped: this makes drawing several
    times faster.  A pixel is 1 / `ratio` times as high as wide; the tolerance is in units of its width.
    """
    for _ in range(ROUNDS if tolerance > 0.0 else 0):
        kept = min(n, 1)
        for k in range(1, n):
            if k % 2 and k + 1 < n:
                across, up = points[k + 1, 0] - points[kept - 1, 0], ratio * (points[k + 1, 1] - points[kept - 1, 1])
                x, y = points[k, 0] - points[kept - 1, 0], ratio * (points[k, 1] - points[kept - 1, 1])
                # A comparison with NaN is false: ends of lines are kept.
                if abs(across * y - up * x) <= tolerance * np.hypot(across, up):
                    continue
            points[kept, 0], points[kept, 1] = points[k, 0], points[k, 1]
            kept += 1
        n = kept
    return n


compiled_follow, compiled_straighten = jit(follow), jit(straighten)


@jit
def follow_boundaries(cells, across, along, crossed, xs, ys, points):  # type: ignore[no-untyped-def]
    """Write the vertices of the boundaries between pixels of different `cells` into `points`, as `follow` does.

    Lines run in the middle between samples.  They end at the edge of the picture and in the middle of four samples
    where three or four boundaries meet.

    Parameters
    ----------
    cells : ndarray of shape (height, width), int64
    across, along : ndarray of shape (height, width - 1) and (height - 1, width), bool
        Whether a sample differs from the next in its row, and from the one above it; all become False.
    crossed : ndarray of shape (m,), int64
        Indices of the lower left ones of four samples that are not all of one cell, in rows of width - 1.
    xs, ys : ndarray
        Coordinates of the columns and rows.
    points : ndarray of shape (4 * boundaries + 1, 2)
    """
    height, width = cells.shape
    n = 0
    # First lines that begin where several meet, then those from an edge of the picture; the remaining ones are closed.
    for stage in range(3):
        for index in crossed:
            for begin in range(4 if stage < 2 else 1):
                row, column = index // (width - 1), index % (width - 1)
                if stage == 0 and _n_boundaries(cells, row, column) < 3:
                    break
                direction = begin
                if stage == 1:  # from beyond the edge
                    at = (column == 0, row == 0, column == width - 2, row == height - 2)
                    if not at[begin]:
                        continue
                    row -= (0, 1, 0, -1)[begin]
                    column -= (1, 0, -1, 0)[begin]
                first = n
                while True:
                    r, c = row + (direction == NORTH), column + (direction == EAST)
                    level = direction % 2 == EAST
                    there = along[r, c] if level else across[r, c]
                    if not there:
                        if n > first:  # a closed line
                            points[n, 0], points[n, 1] = points[first + 1, 0], points[first + 1, 1]
                            n += 1
                        break
                    if n == first:
                        points[n, 0], points[n, 1] = np.nan, np.nan  # a whole row takes 2 s to compile
                        n += 1
                        if stage == 0:
                            points[n, 0], points[n, 1] = _middle(xs, column), _middle(ys, row)
                            n += 1
                    if level:
                        along[r, c] = False
                        points[n, 0], points[n, 1] = xs[c], _middle(ys, r)
                    else:
                        across[r, c] = False
                        points[n, 0], points[n, 1] = _middle(xs, c), ys[r]
                    n += 1
                    row += (0, 1, 0, -1)[direction]
                    column += (1, 0, -1, 0)[direction]
                    if row < 0 or column < 0 or row > height - 2 or column > width - 2:
                        break
                    if _n_boundaries(cells, row, column) > 2:
                        points[n, 0], points[n, 1] = _middle(xs, column), _middle(ys, row)
                        n += 1
                        break
                    for turn in (-1, 0, 1):
                        if _leaves(cells, row, column, (direction + turn) % 4):
                            direction = (direction + turn) % 4
                            break
    return n


@part
def _middle(values, index):  # type: ignore[no-untyped-def]
    return 0.5 * (values[index] + values[index + 1])


@part
def _leaves(cells, row, column, direction):  # type: ignore[no-untyped-def]
    """Return whether a boundary leaves the middle of four samples in this direction."""
    if direction == EAST:
        return cells[row, column + 1] != cells[row + 1, column + 1]
    if direction == NORTH:
        return cells[row + 1, column] != cells[row + 1, column + 1]
    if direction == WEST:
        return cells[row, column] != cells[row + 1, column]
    return cells[row, column] != cells[row, column + 1]


@part
def _n_boundaries(cells, row, column):  # type: ignore[no-untyped-def]
    """Return the number of boundaries that meet in the middle of four samples."""
    total = 0
    for direction in range(4):
        total += 1 if _leaves(cells, row, column, direction) else 0
    return total
