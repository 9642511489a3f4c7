"""Compiled loops of the nearest-neighbour picture, tile by tile; notation as in `_knn_loops`.

Let c be the centre of a tile of pixels, R the distance from c to its farthest pixel and t the
distance from c to its k-th nearest location.  By the triangle inequality every pixel of the tile has its k-th
neighbour within t + R of itself, so a location farther than t + 2 R from c never votes in the tile, and one
nearer than t - 2 R always does.  A tile is split in four until it is a few pixels, and each part looks only
at the locations its parent left undecided.  Both bounds are widened by `SLACK`, far more than the rounding of
a distance, so that each pixel decides every tie on the same numbers as a brute-force search.

A cloud much smaller than a tile, or many points on a line, passes that test whole.  So a second test asks at
the corners of the tile: if there a location is farther than each of k others, it is so in the whole tile.  For
|x - z|^p - |x - w|^p is a sum over the features of functions monotone in x, and so is least at a corner.  (Used
for p = 1 and 2, where no power can underflow.)
"""

from __future__ import annotations

import math

import numpy as np

from ._compile import jit
from ._knn_bounds import SLACK, angle_of_tile, first_bound, length, thresholds
from ._knn_loops import (
    COSINE,
    EUCLIDEAN,
    LAST,
    LEAST,
    MANHATTAN,
    NO_REPAIRS,
    UNIFORM,
    plane_distances,
    select,
    sorted_vote,
)

TILE = 16  # pixels per side of the tiles that gather their own candidates; a power of two times LEAF
LEAF = 4  # pixels per side below which a tile is not split again
LEVELS = 5  # candidate lists alive at once: of the whole tile, of 16, 8 and 4 pixels, and one to spare
# numpy's integer, because numba compiles a function again for each plain literal handed to it
REPAIRS = np.int64(12)  # exchanges to try before the order of the last pixel counts as no help


@jit
def _put(compact, x0, x1, y0, y1, shares, out, top, share, tie):  # type: ignore[no-untyped-def]
    """Write one result to the pixels [x0, x1) x [y0, y1)."""
    n_classes = shares.size
    if compact:
        best = 0
        equal = False
        for c in range(1, n_classes):
            if shares[c] > shares[best]:
                best = c
                equal = False
            elif shares[c] == shares[best]:
                equal = True
        for j in range(y0, y1):
            for i in range(x0, x1):
                top[j, i] = best
                share[j, i] = shares[best]
                tie[j, i] = equal
    else:
        for j in range(y0, y1):
            for i in range(x0, x1):
                for c in range(n_classes):
                    out[j, i, c] = shares[c]


@jit
def _first_above(values, a, b, limit):  # type: ignore[no-untyped-def]
    """First index in [a, b) of an increasing range with a value above `limit`, else b."""
    while a < b:
        half = (a + b) // 2
        if values[half] <= limit:
            a = half + 1
        else:
            b = half
    return a


@jit
def _gather(cx, cy, reach, plane, strips, edges, spans, px, py, who):  # type: ignore[no-untyped-def]
    """Copy the locations within `reach` of (cx, cy) in both coordinates into the three lists.

    Returns (their number, the lists), made anew where they are too short for all levels of a tile.
    `edges` (2, strips) holds the least and largest x of each strip, `spans` (2, strips) is scratch.
    """
    ax = plane[0]
    ay = plane[1]
    most = 0
    for s in range(strips.size - 1):
        spans[0, s] = strips[s]
        spans[1, s] = strips[s]
        if edges[0, s] <= cx + reach and edges[1, s] >= cx - reach:
            spans[1, s] = strips[s + 1]
            if strips.size > 2:
                # just below, since a value equal to the limit belongs to the range
                spans[0, s] = _first_above(ay, strips[s], strips[s + 1], np.nextafter(cy - reach, -np.inf))
                spans[1, s] = _first_above(ay, strips[s], strips[s + 1], cy + reach)
        most += spans[1, s] - spans[0, s]
    if LEVELS * most > px.size:
        px = np.empty(LEVELS * most)
        py = np.empty(LEVELS * most)
        who = np.empty(LEVELS * most, np.int64)
    m = 0
    for s in range(strips.size - 1):
        for i in range(spans[0, s], spans[1, s]):
            px[m] = ax[i]
            py[m] = ay[i]
            who[m] = i
            m += 1 if abs(ax[i] - cx) <= reach else 0
    return m, px, py, who


@jit
def _narrow(  # type: ignore[no-untyped-def]
    metric, p, cx, cy, radius, q, plain, zeros, repairs, px, py, who, a, b, label, certain, floor, d
):
    """Sift the parent's candidates [a, b) for a tile around (cx, cy); the undecided are copied to [b, ...).

    Returns (end of the undecided, distance from the centre to the q-th candidate, greatest distance as compared
    from the centre at which a location can vote, votes that became certain).
    Certain votes are added to certain[floor + 1], and only where `plain` votes are counted.
    """
    m = b - a
    dd = d[:m]
    qx = px[a:b]
    qy = py[a:b]
    qw = who[a:b]
    plane_distances(metric, p, cx, cy, qx, qy, dd)
    select(dd, dd.view(np.int64), qx, qy, qw, q, repairs)
    t = 0.0
    for i in range(q):
        t = max(t, dd[i])
    far, sure = thresholds(metric, t, radius, zeros)
    for c in range(certain.shape[1]):
        certain[floor + 1, c] = certain[floor, c]
    e = b
    counted = 0
    for i in range(m):
        if plain and dd[i] < sure:
            certain[floor + 1, label[qw[i]]] += 1.0
            counted += 1
        else:
            px[e] = qx[i]
            py[e] = qy[i]
            who[e] = qw[i]
            e += 1 if dd[i] <= far else 0
    return e, (math.sqrt(t) if metric == EUCLIDEAN else t), far, counted


@jit
def _drop_dominated(metric, q, far, x0, x1, y0, y1, px, py, who):  # type: ignore[no-untyped-def]
    """Drop the candidates that are farther than the first q at all four corners; returns how many stay."""
    # The margin covers the rounding of four distances, all less than 1.5 times the distance `far` stands for.
    margin = 1e-13 * far + 1e-300
    limits = np.empty(4)
    for corner in range(4):
        limits[corner] = margin
        x = x1 if corner & 1 else x0
        y = y1 if corner & 2 else y0
        for i in range(q):
            s = abs(x - px[i])
            t = abs(y - py[i])
            limits[corner] = max(limits[corner], margin + (s * s + t * t if metric == EUCLIDEAN else s + t))
    m = 0
    for i in range(px.size):
        left = abs(x0 - px[i])
        right = abs(x1 - px[i])
        below = abs(y0 - py[i])
        above = abs(y1 - py[i])
        if metric == EUCLIDEAN:
            left *= left
            right *= right
            below *= below
            above *= above
        px[m] = px[i]
        py[m] = py[i]
        who[m] = who[i]
        stays = (
            (left + below <= limits[0])
            | (right + below <= limits[1])
            | (left + above <= limits[2])
            | (right + above <= limits[3])
        )
        m += 1 if stays else 0
    return m


@jit
def _count_votes(  # type: ignore[no-untyped-def]
    bits, who, q, top, low, k, left, label, certain, near, level, shares
):
    """Uniform vote of single points: the `certain` and `left` more among the candidates, q nearest first."""
    for c in range(shares.size):
        near[c] = certain[c]
        level[c] = 0.0
    if top < low:
        for i in range(q):
            near[label[who[i]]] += 1.0
        for c in range(shares.size):
            shares[c] = near[c] / k
        return
    size = 0
    for i in range(bits.size):
        if bits[i] < top:
            near[label[who[i]]] += 1.0
            left -= 1
        elif bits[i] == top:
            level[label[who[i]]] += 1.0
            size += 1
    for c in range(shares.size):
        shares[c] = (near[c] * size + level[c] * left) / (np.float64(k) * size)
        level[c] = 0.0


@jit
def vote_on_grid(  # type: ignore[no-untyped-def]
    metric, p, weights, k, plane, start, label, count, single, zeros, strips, xs, ys,
    compact, out, top, share, tie,
):  # fmt: skip
    """Vote shares at every (xs[i], ys[j]), written to out[j, i, :], or (`compact`) to top, share and tie.

    `plane` (2, locations) holds the locations strip by strip: strip s is columns strips[s]:strips[s + 1], a
    range of x, sorted by y inside.  `single`: every location is one training point.  `zeros`: one is the zero
    vector.
    """
    width = xs.size
    height = ys.size
    n_locations = plane.shape[1]
    n_classes = out.shape[2]
    n_strips = strips.size - 1
    plain = weights == UNIFORM and single  # then only counts matter, not the order within the k
    px = np.empty(4096)
    py = np.empty(4096)
    who = np.empty(4096, np.int64)
    d = np.empty(n_locations)
    edges = np.empty((2, n_strips))
    spans = np.empty((2, n_strips), np.int64)
    for s in range(n_strips):
        edges[0, s] = np.inf
        edges[1, s] = -np.inf
        for i in range(strips[s], strips[s + 1]):
            edges[0, s] = min(edges[0, s], plane[0, i])
            edges[1, s] = max(edges[1, s], plane[0, i])
    level = np.zeros(n_classes)
    near = np.zeros(n_classes)
    shares = np.zeros(n_classes)
    certain = np.zeros((LEVELS, n_classes))
    node = np.empty((64, 8), np.int64)
    last_x = 0.0
    last_y = 0.0
    last_t = -1.0
    columns = (width + TILE - 1) // TILE
    for tile in range(columns * ((height + TILE - 1) // TILE)):
        row = tile // columns
        column = tile % columns
        if row % 2 == 1:  # there and back, so that the last tile is always a neighbour
            column = columns - 1 - column
        depth = 1
        node[0, 0] = column * TILE
        node[0, 1] = min(column * TILE + TILE, width)
        node[0, 2] = row * TILE
        node[0, 3] = min(row * TILE + TILE, height)
        node[0, 6] = 0
        node[0, 7] = k
        # Split the tile, depth first; a part's candidates stand behind its parent's in the same three lists.
        while depth > 0:
            depth -= 1
            x0 = node[depth, 0]
            x1 = node[depth, 1]
            y0 = node[depth, 2]
            y1 = node[depth, 3]
            a = node[depth, 4]
            b = node[depth, 5]
            floor = node[depth, 6]
            left = node[depth, 7]  # votes not yet certain
            cx = 0.5 * xs[x0] + 0.5 * xs[x1 - 1]
            cy = 0.5 * ys[y0] + 0.5 * ys[y1 - 1]
            if metric == COSINE:
                radius = angle_of_tile(cx, cy, xs[x0], xs[x1 - 1], ys[y0], ys[y1 - 1])
            else:
                half_x = max(xs[x1 - 1] - cx, cx - xs[x0])
                half_y = max(ys[y1 - 1] - cy, cy - ys[y0])
                radius = length(metric, p, half_x, half_y)
            if floor == 0:
                if metric == COSINE:
                    reach = np.inf
                elif last_t < 0.0:
                    reach = first_bound(metric, p, min(k, n_locations), cx, cy, plane, strips)
                else:  # at most the distance at the last tile plus the way from there
                    reach = last_t + length(metric, p, last_x - cx, last_y - cy)
                reach = (reach + 2.0 * radius) * (1.0 + SLACK) + 1e-150
                a = 0
                b, px, py, who = _gather(cx, cy, reach, plane, strips, edges, spans, px, py, who)
            repairs = REPAIRS if floor > 0 else NO_REPAIRS
            e, t, far, counted = _narrow(metric, p, cx, cy, radius, min(left, b - a), plain, zeros, repairs,
                                         px, py, who, a, b, label, certain, floor, d)  # fmt: skip
            left -= counted
            if metric in (EUCLIDEAN, MANHATTAN) and e - b > 2 * left + 32:
                e = b + _drop_dominated(metric, left, far, xs[x0], xs[x1 - 1], ys[y0], ys[y1 - 1],
                                        px[b:e], py[b:e], who[b:e])  # fmt: skip
            if floor == 0:
                last_x = cx
                last_y = cy
                last_t = t
            m = e - b
            q = min(left, m)
            dd = d[:m]
            bits = dd.view(np.int64)
            qx = px[b:e]
            qy = py[b:e]
            qw = who[b:e]
            # If the same points vote everywhere in the tile, one result serves it all.
            same = weights == UNIFORM and (m == 1 or (plain and m == left))
            if not same and (x1 - x0 > LEAF or y1 - y0 > LEAF):
                cut_x = (x0 + x1) // 2 if x1 - x0 > LEAF else x1
                cut_y = (y0 + y1) // 2 if y1 - y0 > LEAF else y1
                for part in range(4):
                    node[depth, 0] = cut_x if part & 1 else x0
                    node[depth, 1] = x1 if part & 1 else cut_x
                    node[depth, 2] = cut_y if part & 2 else y0
                    node[depth, 3] = y1 if part & 2 else cut_y
                    node[depth, 4] = b
                    node[depth, 5] = e
                    node[depth, 6] = floor + 1
                    node[depth, 7] = left
                    if node[depth, 0] < node[depth, 1] and node[depth, 2] < node[depth, 3]:
                        depth += 1
                continue
            across = 1 if same else x1 - x0
            fresh = True  # whether `shares` is not the result that an unchanged order would give
            for visit in range(across if same else across * (y1 - y0)):
                if same:
                    dd[:] = 0.0
                    high, low, moved = LEAST, LAST, True
                else:  # there and back, so that the last pixel is always a neighbour
                    j = visit // across
                    i = visit - j * across
                    y0 = node[depth, 2] + j
                    y1 = y0 + 1
                    x0 = node[depth, 0] + (across - 1 - i if j & 1 else i)
                    x1 = x0 + 1
                    plane_distances(metric, p, xs[x0], ys[y0], qx, qy, dd)
                    high, low, moved = select(dd, bits, qx, qy, qw, q, REPAIRS)
                if not plain:
                    sorted_vote(weights, metric == EUCLIDEAN, k, dd, qx, qy, qw, bits, q, high, low,
                                 start, label, count, level, shares)  # fmt: skip
                elif moved or fresh or high == low:
                    fresh = high == low
                    _count_votes(bits, qw, q, high, low, k, left, label, certain[floor + 1],
                                 near, level, shares)  # fmt: skip
                _put(compact, x0, x1, y0, y1, shares, out, top, share, tie)
