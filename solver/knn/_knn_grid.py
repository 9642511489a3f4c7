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

import numpy as np

from solver.core._compile import jit, part

from ._knn_bounds import radius_of, reach_of, thresholds
from ._knn_count import count_together, count_upto, share_ties
from ._knn_loops import EUCLIDEAN, MANHATTAN, MINKOWSKI, UNIFORM, plane_distances, sorted_vote
from ._knn_select import LANES, kth, separate

TILE = 16  # pixels per side of the tiles that gather their own candidates; a power of two times LEAF
LEAF = 4  # pixels per side of the tiles that are split into pixels, not in four
LEVELS = 6  # candidate lists alive at once: gathered, of 16, 8, 4 and 1 pixels, and one to spare
SIMPLE = 400  # candidates times depth of the sort up to which the pixels of a small tile are counted together
DEEPEST = 16  # of these sorts: at least 2 * depth - 1 candidates take part in one
WIDEST = TILE * TILE + 8  # not a power of two, or the rows of a list would share cache lines


@part
def _put(compact, x0, x1, y0, y1, shares, by_class, by_pixel, out, top, share, tie):  # type: ignore[no-untyped-def]
    """Write the votes of pixels [x0, x1) x [y0, y1): class c has shares[c * by_class + l * by_pixel] at the l-th."""
    n_classes = out.shape[2]
    at = 0
    for j in range(y0, y1):
        for i in range(x0, x1):
            if compact:
                best = 0
                equal = False
                for c in range(1, n_classes):
                    if shares[c * by_class + at] > shares[best * by_class + at]:
                        best = c
                        equal = False
                    elif shares[c * by_class + at] == shares[best * by_class + at]:
                        equal = True
                top[j, i] = best
                share[j, i] = shares[best * by_class + at]
                tie[j, i] = equal
            else:
                for c in range(n_classes):
                    out[j, i, c] = shares[c * by_class + at]
            at += by_pixel


@part
def _first_above(values, a, b, limit):  # type: ignore[no-untyped-def]
    """Return the first index in [a, b) of an increasing range with a value above `limit`, else b."""
    while a < b:
        half = (a + b) // 2
        if values[half] <= limit:
            a = half + 1
        else:
            b = half
    return a


@part
def gather(cx, cy, reach, plane, strips, edges, plain, sole, px, py, tag):  # type: ignore[no-untyped-def]
    """Copy the locations within `reach` of (cx, cy) in both coordinates into the three lists; return their number."""
    ax = plane[0]
    ay = plane[1]
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
                px[m] = ax[i]
                py[m] = ay[i]
                tag[m] = sole[i] if plain else i
                m += 1 if abs(ax[i] - cx) <= reach else 0
    return m


@part
def _sift(metric, d, sure, t, far, x0, x1, y0, y1, a, b, first, px, py, tag):  # type: ignore[no-untyped-def]
    """Copy the candidates of [a, b) that are undecided in the tile to the indices from `first` on; return their end.

    `d` are the distances from the centre, `t` that of the k-th neighbour.  The two tests are explained at the top.
    """
    e = first
    for i in range(b - a):
        px[e] = px[a + i]
        py[e] = py[a + i]
        tag[e] = tag[a + i]
        d[e - first] = d[i]
        e += 1 if (d[i] > sure) & (d[i] <= far) else 0
    if metric != EUCLIDEAN and metric != MANHATTAN:
        return e
    # The margin covers the rounding of four distances, all less than 1.5 times the distance `far` stands for.
    limit_0 = limit_1 = limit_2 = limit_3 = 0.0
    margin = 1e-13 * far + 1e-300
    m = first
    for turn in range(2):
        for i in range(first, e):
            left = abs(x0 - px[i])
            right = abs(x1 - px[i])
            below = abs(y0 - py[i])
            above = abs(y1 - py[i])
            if metric == EUCLIDEAN:
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
            elif d[i - first] <= t:
                limit_0 = max(limit_0, left + below + margin)
                limit_1 = max(limit_1, right + below + margin)
                limit_2 = max(limit_2, left + above + margin)
                limit_3 = max(limit_3, right + above + margin)
    return m


@part
def only_class(plain, tag, sole, a, b):  # type: ignore[no-untyped-def]
    """Return the class of all points at the candidates [a, b), or -1 if there are several."""
    only = tag[a] if plain else sole[tag[a]]
    for i in range(a + 1, b):
        if (tag[i] if plain else sole[tag[i]]) != only:
            return np.int64(-1)
    return only


@jit
def vote_on_grid(  # type: ignore[no-untyped-def]
    metric,
    p,
    weights,
    k,
    plane,
    start,
    label,
    count,
    sole,
    single,
    zeros,
    strips,
    edges,
    xs,
    ys,
    scratch,
    tag,
    compact,
    wanted,
    bound,
    out,
    top,
    share,
    tie,
):
    """Write the vote shares at every (xs[i], ys[j]) to out[j, i, :], or (`compact`) to top, share and tie.

    `plane` (2, locations) holds the locations strip by strip: strip s is columns strips[s]:strips[s + 1], a
    range of x from edges[0, s] to edges[1, s], sorted by y inside.  `sole` is the class of all points at a location, or
    -1.  `single`: every location is one training point.  `zeros`: one is the zero vector.  `scratch` (2, room) and
    `tag` (room,) are scratch for LEVELS lists of all locations.  If `wanted` is not empty, only its tiles are drawn.
    If `bound` is not empty, no voter of a pixel is farther from it than bound[j, i] (not for the cosine).
    """
    width = xs.size
    height = ys.size
    n_locations = plane.shape[1]
    n_classes = out.shape[2]
    plain = weights == UNIFORM and single  # then only counts matter, not the order within the k
    # powers are so slow that halving a tile once more, with fewer candidates in each part, is faster
    together = LEAF * LEAF if metric == MINKOWSKI else TILE * TILE // 4
    # Candidates: coordinates and, where only counts matter, class, else location.
    px = scratch[0]
    py = scratch[1]
    d = np.empty(n_locations + LANES)
    level = np.zeros(n_classes)
    certain = np.zeros((LEVELS, n_classes))
    hints = np.zeros((LEVELS, 2))  # distances, as compared, to the q-th candidate and to the last certain one
    node = np.empty((TILE * TILE + 8, 8), np.int64)
    work = np.empty((4 + DEEPEST + SIMPLE, WIDEST))
    votes = np.empty((n_classes, WIDEST))
    flat = votes.ravel()
    shares = flat[:n_classes]
    last = np.array([0.0, 0.0, -1.0])  # the centre of the last tile, and its k-th distance
    back = (width - 1) // TILE * TILE
    for tile_y in range(0, height, TILE):
        for turn in range(0, width, TILE):
            # There and back, so that the last tile is always a neighbour.
            tile_x = turn if tile_y // TILE % 2 == 0 else back - turn
            if wanted.size > 0 and not wanted[tile_y // TILE, tile_x // TILE]:
                continue
            depth = 1
            node[0, 0] = tile_x
            node[0, 1] = min(tile_x + TILE, width)
            node[0, 2] = tile_y
            node[0, 3] = min(tile_y + TILE, height)
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
                area = (x1 - x0) * (y1 - y0)
                cx = xs[x0]
                cy = ys[y0]
                radius = 0.0
                if area > 1:
                    cx = 0.5 * cx + 0.5 * xs[x1 - 1]
                    cy = 0.5 * cy + 0.5 * ys[y1 - 1]
                    radius = radius_of(metric, p, cx, cy, xs[x0], xs[x1 - 1], ys[y0], ys[y1 - 1])
                if floor == 0:
                    reach = reach_of(metric, p, min(k, n_locations), cx, cy, radius, last, plane, strips, edges)
                    a = 0
                    b = gather(cx, cy, reach, plane, strips, edges, plain, sole, px, py, tag)
                m = b - a
                q = min(left, m)
                first = a + (m + LANES - 1) // LANES * LANES
                end = b if metric == MINKOWSKI else first  # powers are too dear to compute in vain
                plane_distances(metric, p, cx, cy, px[a:end], py[a:end], d)
                for i in range(m, first - a):
                    d[i] = np.inf
                dd = d[: first - a]
                bits = dd.view(np.int64)
                guess = hints[floor, 0] if hints[floor, 0] > 0.0 else dd[0]
                value, found = separate(dd, bits, q, hints[floor, 1], guess)
                limit = value
                if floor == 0 and bound.size > 0:
                    t = kth(dd, bits, value)
                    t = (math.sqrt(t) if metric == EUCLIDEAN else t) + radius
                    for j in range(y0, y1):
                        for i in range(x0, x1):
                            bound[j, i] = t
                if area > 1:
                    t = kth(dd, bits, value)
                    far, sure = thresholds(metric, t, radius, zeros)
                    limit = sure if plain else -1.0
                if plain:
                    count_upto(dd, tag, a, limit, certain, floor)
                done = True
                tied = False
                by_class = 1
                by_pixel = 0
                if area == 1:
                    hints[floor, 0] = value
                    if not plain:
                        sorted_vote(
                            weights,
                            metric == EUCLIDEAN,
                            k,
                            d,
                            px,
                            py,
                            tag,
                            a,
                            b,
                            value,
                            start,
                            label,
                            count,
                            level,
                            shares,
                        )
                    elif found > q:
                        share_ties(dd, tag, a, value, found - q, k, certain[floor + 1], level, shares)
                    else:
                        for c in range(n_classes):
                            shares[c] = certain[floor + 1, c] / k
                else:
                    if plain:
                        for c in range(n_classes):
                            left -= np.int64(certain[floor + 1, c] - certain[floor, c])
                    hints[floor + 1, 0] = t
                    hints[floor + 1, 1] = max(limit, 0.0)
                    if floor == 0:
                        hints[0, 0] = t
                        last[0] = cx
                        last[1] = cy
                        last[2] = math.sqrt(t) if metric == EUCLIDEAN else t
                    b = _sift(
                        metric, d, limit, t, far, xs[x0], xs[x1 - 1], ys[y0], ys[y1 - 1], a, b, first, px, py, tag
                    )
                    a = first
                    m = b - a
                    q = min(left, m)
                    only = only_class(plain, tag, sole, a, b)
                    if only >= 0 or (plain and m == left):  # all votes have the same counts in the whole tile
                        for c in range(n_classes):
                            shares[c] = certain[floor + 1, c]
                        if only >= 0:
                            shares[only] += left
                        else:
                            for i in range(a, b):
                                shares[tag[i]] += 1.0
                        for c in range(n_classes):
                            shares[c] /= k
                    elif plain and m * min(q, m - q + 1) <= (SIMPLE if area <= together else SIMPLE // 20):
                        done = count_together(
                            metric, p, xs, ys, x0, x1, y0, y1, px, py, tag, a, m, q, k, certain, floor + 1, work, votes
                        )
                        tied = not done
                        by_class = WIDEST
                        by_pixel = 1
                    else:
                        done = False
                if done:
                    _put(compact, x0, x1, y0, y1, flat, by_class, by_pixel, out, top, share, tie)
                    continue
                step_x = (x1 - x0 + 1) // 2 if x1 - x0 > LEAF else x1 - x0
                step_y = (y1 - y0 + 1) // 2 if y1 - y0 > LEAF else y1 - y0
                if tied or area <= LEAF * LEAF:
                    step_x = 1
                    step_y = 1
                across = (x1 - x0 + step_x - 1) // step_x
                for piece in range(across * ((y1 - y0 + step_y - 1) // step_y)):
                    j = piece // across  # there and back, so that the last pixel is always a neighbour
                    i = piece - j * across
                    i = x0 + (across - 1 - i if j & 1 else i) * step_x
                    j = y0 + j * step_y
                    node[depth, 0] = i
                    node[depth, 1] = min(i + step_x, x1)
                    node[depth, 2] = j
                    node[depth, 3] = min(j + step_y, y1)
                    node[depth, 4] = a
                    node[depth, 5] = b
                    node[depth, 6] = floor + 1
                    node[depth, 7] = left
                    depth += 1
