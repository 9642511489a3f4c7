"""Compiled loops of the nearest-neighbour picture, tile by tile; notation as in `_knn_loops`.

Let c be the centre of a tile of pixels, R the distance from c to its farthest pixel and t the
distance from c to its k-th nearest location.  By the triangle inequality every pixel of the tile has its k-th
neighbour within t + R of itself, so a location farther than t + 2 R from c never votes in the tile, and one
nearer than t - 2 R always does.  A tile is split until it is one pixel, and each part looks only
at the locations its parent left undecided.  Both bounds are widened by `SLACK`, far more than the rounding of
a distance, so that each pixel decides every tie on the same numbers as a brute-force search.

A cloud much smaller than a tile, or many points on a line, passes that test whole.  So a second test asks at
the corners of the tile: if there a location is farther than each of k others, it is so in the whole tile.  For
|x - z|^p - |x - w|^p is a sum over the features of functions monotone in x, and so is least at a corner.  (Used
for p = 1 and 2, where no power can underflow.)

Most tiles need no more than that: once all undecided locations are of one class, or all of them vote, the counts are
the same at every pixel.  A tile with few undecided locations is counted at all its pixels together.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from solver.core._compile import inlined, jit, lean_part
from solver.core.arrays import Array

from ._knn_bounds import radius_of, reach_of, thresholds
from ._knn_count import count_together, count_upto, share_ties
from ._knn_loops import EUCLIDEAN, FIRST, MANHATTAN, MINKOWSKI, UNIFORM, plane_distances, sorted_vote
from ._knn_records import Box, Tally, TilePart
from ._knn_select import LANES, kth, separate

TILE = 16  # pixels per side of the tiles that gather their own candidates; a power of two times LEAF
LEAF = 4  # pixels per side of the tiles that are split into pixels, not in four
LEVELS = 6  # candidate lists alive at once: gathered, of 16, 8, 4 and 1 pixels, and one to spare
SIMPLE = 400  # candidates times depth of the sort up to which the pixels of a small tile are counted together
DEEPEST = 16  # of these sorts: at least 2 * depth - 1 candidates take part in one
WIDEST = TILE * TILE + 8  # not a power of two, or the rows of a list would share cache lines


@lean_part
def _put(picture, part, votes, each):  # type: ignore[no-untyped-def]
    """Write the votes of the pixels of `part`: a row of `votes` for each class if `each` has its own, else a number."""
    n_classes = picture.shares.shape[2]
    by_class, by_pixel = (WIDEST, 1) if each else (1, 0)
    at = 0
    for j in range(part.y0, part.y1):
        for i in range(part.x0, part.x1):
            if picture.compact:
                best = 0
                equal = False
                for c in range(1, n_classes):
                    if votes[c * by_class + at] > votes[best * by_class + at]:
                        best = c
                        equal = False
                    elif votes[c * by_class + at] == votes[best * by_class + at]:
                        equal = True
                picture.top[j, i] = best
                picture.share[j, i] = votes[best * by_class + at]
                picture.tie[j, i] = equal
            else:
                for c in range(n_classes):
                    picture.shares[j, i, c] = votes[c * by_class + at]
            at += by_pixel


@lean_part
def _first_above(values, a, b, limit):  # type: ignore[no-untyped-def]
    """Return the first index in [a, b) of an increasing range with a value above `limit`, else b."""
    while a < b:
        half = (a + b) // 2
        if values[half] <= limit:
            a = half + 1
        else:
            b = half
    return a


@lean_part
def gather(cx, cy, reach, plane, plain, C):  # type: ignore[no-untyped-def]
    """Copy the locations within `reach` of (cx, cy) in both coordinates into the first list; return their number.

    `plain`: only counts matter, so the candidates are tagged with their class.
    """
    ax, ay, strips, edges = plane.at[0], plane.at[1], plane.strips, plane.edges
    low = np.nextafter(cy - reach, -np.inf)  # just below, since a value equal to the limit belongs to the range
    m = 0
    for s in range(strips.size - 1):
        if edges[0, s] <= cx + reach and edges[1, s] >= cx - reach:
            begin = strips[s]
            end = strips[s + 1]
            if strips.size > 2:
                begin = _first_above(ay, begin, end, low)
                end = _first_above(ay, begin, end, cy + reach)
            for i in range(begin, end):
                C.x[m] = ax[i]
                C.y[m] = ay[i]
                C.tag[m] = plane.sole[i] if plain else i
                m += 1 if abs(ax[i] - cx) <= reach else 0
    return m


@lean_part
def measure(metric, C, a, b, x, y):  # type: ignore[no-untyped-def]
    """Write the distances of (x, y) from the candidates [a, b) to `C.d`; return their number, padded with inf."""
    m = b - a
    padded = (m + LANES - 1) // LANES * LANES
    end = b if metric.code == MINKOWSKI else a + padded  # powers are too dear to compute in vain
    plane_distances(metric, x, y, C.x[a:end], C.y[a:end], C.d)
    for i in range(m, padded):
        C.d[i] = np.inf
    return padded


@lean_part
def _sift(metric, C, box, limits, a, b, first):  # type: ignore[no-untyped-def]
    """Copy the candidates of [a, b) that are undecided in the tile to the indices from `first` on; return their end.

    Their distances from the centre are in `C.d`.  The two tests are explained at the top.
    """
    px, py, tag, d = C.x, C.y, C.tag, C.d
    e = first
    for i in range(b - a):
        px[e] = px[a + i]
        py[e] = py[a + i]
        tag[e] = tag[a + i]
        d[e - first] = d[i]
        e += 1 if (d[i] > limits.sure) & (d[i] <= limits.far) else 0
    if metric.code != EUCLIDEAN and metric.code != MANHATTAN:
        return e
    # The margin covers the rounding of four distances, all less than 1.5 times the distance `far` stands for.
    limit_0 = limit_1 = limit_2 = limit_3 = 0.0
    margin = 1e-13 * limits.far + 1e-300
    m = first
    for turn in range(2):
        for i in range(first, e):
            left = abs(box.x0 - px[i])
            right = abs(box.x1 - px[i])
            below = abs(box.y0 - py[i])
            above = abs(box.y1 - py[i])
            if metric.code == EUCLIDEAN:
                left *= left
                right *= right
                below *= below
                above *= above
            if turn == 1:
                px[m] = px[i]
                py[m] = py[i]
                tag[m] = tag[i]
                stays = (
                    (left + below <= limit_0)
                    | (right + below <= limit_1)
                    | (left + above <= limit_2)
                    | (right + above <= limit_3)
                )
                m += 1 if stays else 0
            elif d[i - first] <= limits.kth:
                limit_0 = max(limit_0, left + below + margin)
                limit_1 = max(limit_1, right + below + margin)
                limit_2 = max(limit_2, left + above + margin)
                limit_3 = max(limit_3, right + above + margin)
    return m


@lean_part
def only_class(plane, plain, C, a, b):  # type: ignore[no-untyped-def]
    """Return the class of all points at the candidates [a, b), or -1 if there are several."""
    tag, sole = C.tag, plane.sole
    only = tag[a] if plain else sole[tag[a]]
    for i in range(a + 1, b):
        if (tag[i] if plain else sole[tag[i]]) != only:
            return np.int64(-1)
    return only


@inlined
def box_of(pixels, x0, x1, y0, y1):  # type: ignore[no-untyped-def]
    """Return the rectangle of the centres of the pixels [x0, x1) x [y0, y1)."""
    return Box(x0=pixels.xs[x0], x1=pixels.xs[x1 - 1], y0=pixels.ys[y0], y1=pixels.ys[y1 - 1])


class _PictureScratch(NamedTuple):
    """Scratch of a picture."""

    tally: Tally
    certain: Array
    """(LEVELS, classes): votes that are certain in the tile at each depth, and in its parts."""
    hints: Array
    """(LEVELS, 2): distances, as compared, to the q-th candidate and to the last certain one."""
    rows: Array
    """(4 + DEEPEST + SIMPLE, WIDEST), for `count_together`."""
    votes: Array
    """(classes, WIDEST), its result."""
    flat: Array
    """The same in one dimension; its beginning is `tally.shares`."""
    last: Array
    """Centre of the last tile, and its k-th distance; -1 before the first."""


class _Limits(NamedTuple):
    """Distances from the centre of a tile: of the k-th location, up to which all vote, beyond which none votes."""

    kth: float
    sure: float
    far: float


@lean_part
def _push(node, depth, part):  # type: ignore[no-untyped-def]
    """Write `part` to row `depth` of the stack."""
    for i in range(8):
        node[depth, i] = part[i]


@lean_part
def _vote_at_pixel(V, plane, plain, C, part, value, excess, d, W):  # type: ignore[no-untyped-def]
    """Compute the vote shares at one pixel; `value`: distance up to which `excess` locations too many vote."""
    counts = W.certain[part.floor + 1]
    if not plain:
        sorted_vote(V, plane.entries, C, part.a, part.b, value, W.tally)
    elif excess > 0:
        share_ties(d, C.tag[part.a :], value, excess, V.k, counts, W.tally)
    else:
        for c in range(counts.size):
            W.tally.shares[c] = counts[c] / V.k


@lean_part
def _vote_of_all(V, C, only, part, W):  # type: ignore[no-untyped-def]
    """Compute the vote shares of a part that are the same at all its pixels: of one class, or of all candidates."""
    shares = W.tally.shares
    for c in range(shares.size):
        shares[c] = W.certain[part.floor, c]
    if only >= 0:
        shares[only] += part.left
    else:
        for i in range(part.a, part.b):
            shares[C.tag[i]] += 1.0
    for c in range(shares.size):
        shares[c] /= V.k


@lean_part
def _split(node, depth, part, finely):  # type: ignore[no-untyped-def]
    """Push the pieces of a part, `finely`: its pixels; return the new depth of the stack."""
    across_x, across_y = part.x1 - part.x0, part.y1 - part.y0
    step_x = (across_x + 1) // 2 if across_x > LEAF else across_x
    step_y = (across_y + 1) // 2 if across_y > LEAF else across_y
    if finely or across_x * across_y <= LEAF * LEAF:
        step_x = step_y = 1
    across = (across_x + step_x - 1) // step_x
    for piece in range(across * ((across_y + step_y - 1) // step_y)):
        j = piece // across  # there and back, so that the last pixel is always a neighbour
        i = piece - j * across
        x0 = part.x0 + (across - 1 - i if j & 1 else i) * step_x
        y0 = part.y0 + j * step_y
        x1, y1 = min(x0 + step_x, part.x1), min(y0 + step_y, part.y1)
        _push(node, depth, TilePart(x0, x1, y0, y1, part.a, part.b, part.floor, part.left))
        depth += 1
    return depth


@lean_part
def _draw_tile(V, plane, pixels, C, picture, W, node):  # type: ignore[no-untyped-def]
    """Draw the tile on the stack `node`, depth first; a part's candidates are behind its parent's in the same lists."""
    metric, k, certain, hints = V.metric, V.k, W.certain, W.hints
    plain = V.weights == UNIFORM and plane.single  # then only counts matter, not the order within the k
    # powers are so slow that halving a tile once more, with fewer candidates in each part, is faster
    together = LEAF * LEAF if metric.code == MINKOWSKI else TILE * TILE // 4
    depth = 1
    while depth > 0:
        depth -= 1
        part = TilePart(
            node[depth, 0], node[depth, 1], node[depth, 2], node[depth, 3],
            node[depth, 4], node[depth, 5], node[depth, 6], node[depth, 7],
        )  # fmt: skip
        floor, left = part.floor, part.left
        area = (part.x1 - part.x0) * (part.y1 - part.y0)
        box = box_of(pixels, part.x0, part.x1, part.y0, part.y1)
        cx, cy, radius = box.x0, box.y0, 0.0
        if area > 1:
            cx, cy = 0.5 * box.x0 + 0.5 * box.x1, 0.5 * box.y0 + 0.5 * box.y1
            radius = radius_of(metric, cx, cy, box)
        if floor == 0:
            reach = reach_of(metric, min(k, plane.at.shape[1]), cx, cy, radius, W.last, plane)
            end = gather(cx, cy, reach, plane, plain, C)
            part = TilePart(part.x0, part.x1, part.y0, part.y1, FIRST, end, floor, left)
        a, b = part.a, part.b
        q = min(left, b - a)
        d = C.d[: measure(metric, C, a, b, cx, cy)]
        value, found = separate(d, q, hints[floor, 1], hints[floor, 0] if hints[floor, 0] > 0.0 else d[0])
        t = kth(d, value) if area > 1 or floor == 0 else value
        if floor == 0 and picture.bound.size > 0:
            bound = (math.sqrt(t) if metric.code == EUCLIDEAN else t) + radius
            for j in range(part.y0, part.y1):
                picture.bound[j, part.x0 // TILE] = bound
        far, sure = thresholds(metric, t, radius, plane.zeros) if area > 1 else (value, value)
        if not plain and area > 1:
            sure = -1.0
        if plain:
            count_upto(d, C.tag[a:], sure, certain, floor)
        if area == 1:
            hints[floor, 0] = value
            _vote_at_pixel(V, plane, plain, C, part, value, found - q, d, W)
            _put(picture, part, W.flat, area > 1)
            continue
        for c in range(certain.shape[1] if plain else 0):
            left -= int(certain[floor + 1, c] - certain[floor, c])
        hints[floor + 1, 0], hints[floor + 1, 1] = t, max(sure, 0.0)
        if floor == 0:
            hints[0, 0] = t
            W.last[0], W.last[1] = cx, cy
            W.last[2] = math.sqrt(t) if metric.code == EUCLIDEAN else t
        first = a + d.size
        end = _sift(metric, C, box, _Limits(t, sure, far), a, b, first)
        part = TilePart(part.x0, part.x1, part.y0, part.y1, first, end, floor + 1, left)
        m = end - first
        q = min(left, m)
        only = only_class(plane, plain, C, first, end)
        done, each = True, False
        finely = False
        if only >= 0 or (plain and m == left):  # all votes have the same counts in the whole tile
            _vote_of_all(V, C, only, part, W)
        elif plain and m * min(q, m - q + 1) <= (SIMPLE if area <= together else SIMPLE // 20):
            done = each = count_together(V, pixels, part, C, certain, W.rows, W.votes)
            finely = not done
        else:
            done = False
        if done:
            _put(picture, part, W.flat, each)
        else:
            depth = _split(node, depth, part, finely)


@jit
def vote_on_grid(V, plane, pixels, C, picture):  # type: ignore[no-untyped-def]
    """Draw the vote at every pixel into `picture`; `C` has room for LEVELS lists of all locations."""
    width, height, n_classes = pixels.xs.size, pixels.ys.size, picture.shares.shape[2]
    votes = np.empty((n_classes, WIDEST))
    flat = votes.ravel()
    W = _PictureScratch(
        tally=Tally(level=np.zeros(n_classes), shares=flat[:n_classes]), certain=np.zeros((LEVELS, n_classes)),
        hints=np.zeros((LEVELS, 2)), rows=np.empty((4 + DEEPEST + SIMPLE, WIDEST)), votes=votes, flat=flat,
        last=np.array([0.0, 0.0, -1.0]),
    )  # fmt: skip
    node = np.empty((TILE * TILE + 8, 8), np.int64)
    back = (width - 1) // TILE * TILE
    for y in range(0, height, TILE):
        for turn in range(0, width, TILE):
            # There and back, so that the last tile is always a neighbour.
            x = turn if y // TILE % 2 == 0 else back - turn
            if picture.wanted.size == 0 or picture.wanted[y // TILE, x // TILE]:
                tile = TilePart(x, min(x + TILE, width), y, min(y + TILE, height), FIRST, FIRST, FIRST, V.k)
                _push(node, FIRST, tile)
                _draw_tile(V, plane, pixels, C, picture, W, node)
