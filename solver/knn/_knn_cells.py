"""Compiled loops over the cells of a nearest-neighbour picture; notation as in `_knn_loops`.

The cell of a pixel is the set of locations up to the distance of its k-th nearest point: those that vote there.  As in
`_knn_grid`, a location is nowhere in a rectangle among the q nearest if it is farther from the centre than the q-th
nearest plus twice the distance to the farthest pixel.  So the candidates of a tile are found first, among these the
candidates of each small part of the tile, and only these are compared at each pixel, by the same distances as the vote.
"""

from __future__ import annotations

import math

import numpy as np

from solver.core._compile import jit, part

from ._knn_bounds import radius_of, reach_of, thresholds
from ._knn_grid import LEAF, TILE, gather, only_class
from ._knn_loops import EUCLIDEAN, FIRST, INVERSE, UNIFORM, nearest_first, plane_distances, vote_in_order
from ._knn_select import LANES, kth, separate

ROUNDING = 1e-9  # far more than the rounding error of a share of the votes
TINY = 1e-140  # distance up to which a weight may be limited to the largest weight


@part
def _nearest(metric, p, q, x, y, px, py, a, b, d):  # type: ignore[no-untyped-def]
    """Write the distances of the candidates [a, b) from (x, y) to `d`; return that of the q-th nearest."""
    m = b - a
    padded = (m + LANES - 1) // LANES * LANES
    plane_distances(metric, p, x, y, px[a:b], py[a:b], d)
    for i in range(m, padded):
        d[i] = np.inf
    dd = d[:padded]
    bits = dd.view(np.int64)
    value, _ = separate(dd, bits, min(q, m), 0.0, dd[0])
    return kth(dd, bits, value)


@part
def _narrow(metric, p, q, zeros, x0, x1, y0, y1, px, py, who, a, b, first, d):  # type: ignore[no-untyped-def]
    """Copy the candidates of [a, b) that may be among the q nearest in a rectangle to the indices from `first` on.

    Returns their end, and the distance of the q-th nearest from the centre.
    """
    cx = 0.5 * x0 + 0.5 * x1
    cy = 0.5 * y0 + 0.5 * y1
    t = _nearest(metric, p, q, cx, cy, px, py, a, b, d)
    far, _ = thresholds(metric, t, radius_of(metric, p, cx, cy, x0, x1, y0, y1), zeros)
    end = first
    for i in range(b - a):
        px[end] = px[a + i]
        py[end] = py[a + i]
        who[end] = who[a + i]
        end += 1 if d[i] <= far else 0
    return end, t


@part
def _identity(k, single, m, value, d, who, a, near, start, count, keys):  # type: ignore[no-untyped-def]
    """Return the sum of the keys of the locations up to the k-th point; `value`: distance of the k-th location."""
    if not single:
        found = nearest_first(d, m, value, who, a, near)
        checked = 0
        for i in range(found):
            for e in range(start[near[i]], start[near[i] + 1]):
                checked += count[e]
            if checked >= k:
                value = d[i]
                break
        total = np.int64(0)
        for i in range(found):
            total += keys[near[i]] if d[i] <= value else 0
        return total
    total = np.int64(0)
    for i in range(m):
        total += keys[who[a + i]] if d[i] <= value else 0
    return total


@part
def _winner(shares):  # type: ignore[no-untyped-def]
    """Return the lowest class with the largest share, and the difference from the second largest share."""
    best = 0
    second = 0.0
    for c in range(1, shares.size):
        if shares[c] > shares[best]:
            second = shares[best]
            best = c
        elif shares[c] > second:
            second = shares[c]
    return best, shares[best] - second


@part
def _relative(weights, squared, least, distance):  # type: ignore[no-untyped-def]
    """Return the weight of a vote at `distance`, as a share of the weight at the `least` distance."""
    if weights == UNIFORM:
        return 1.0
    ratio = least / distance
    if weights == INVERSE:
        return math.sqrt(ratio) if squared else ratio
    return ratio if squared else ratio * ratio


@part
def _mark(  # type: ignore[no-untyped-def]
    weights, squared, k, m, value, d, who, a, near, start, label, count, level, shares, kept
):
    """Mark the entries that a pixel needs, as `cells_on_grid` defines it.

    `value` is the distance of the (k + 1)-th location: all locations up to it may vote if one point is left out.
    """
    found = nearest_first(d, m, value, who, a, near)
    vote_in_order(weights, squared, k, d, near, FIRST, found, start, label, count, FIRST - 1, FIRST, level, shares)
    best, lead = _winner(shares)
    sure = weights == UNIFORM or d[0] > TINY
    total = 0.0
    for i in range(min(k, found) if sure else 0):
        total += _relative(weights, squared, d[0], d[i])
    checked = 0
    for i in range(found):
        if checked >= k and d[i] > d[i - 1]:
            break
        # The vote of a class is removed, and one with at most the same weight is added to another class.
        changes = not sure or lead - ROUNDING <= 2.0 * _relative(weights, squared, d[0], d[i]) / total
        for e in range(start[near[i]], start[near[i] + 1]):
            checked += count[e]
            if changes and not kept[e]:
                own = label[e]
                vote_in_order(
                    weights, squared, k, d, near, FIRST, found, start, label, count, near[i], own, level, shares
                )
                other, others_lead = _winner(shares)
                kept[e] = other != best or (others_lead == 0.0) != (lead == 0.0)


@part
def _all_kept(who, a, b, start, kept):  # type: ignore[no-untyped-def]
    """Return whether all entries of the candidates [a, b) are marked already."""
    for i in range(a, b):
        for e in range(start[who[i]], start[who[i] + 1]):
            if not kept[e]:
                return False
    return True


@jit
def cells_on_grid(  # type: ignore[no-untyped-def]
    metric, p, weights, k, plane, start, label, count, sole, single, zeros, strips, edges, xs, ys, keys, cells, kept
):
    """Write the cell of each (xs[i], ys[j]) to cells[j, i], or mark in `kept` the entries that some pixel needs.

    Parameters are those of `vote_on_grid`.  If `keys` (locations,) is not empty, cells[j, i] is the sum of the keys of
    the locations that vote there, modulo 2^64.  Else kept[e] becomes True if a point of entry e (of `label` and
    `count`) cannot be left out without changing what wins at a pixel, or whether that is tied; entries that are marked
    before are not looked at.  There must be more than k points then.
    """
    width = xs.size
    height = ys.size
    marks = keys.size == 0
    n = plane.shape[1]
    q = min(k + 1 if marks else k, n)
    room = 3 * (n + LANES)  # the candidates of a turn, of a tile and of a part of it
    px = np.zeros(room)
    py = np.zeros(room)
    who = np.zeros(room, np.int64)
    d = np.empty(n + LANES)
    near = np.zeros(n + LANES, np.int64)
    level = np.zeros(np.max(label) + 1)
    shares = np.empty(level.size)
    last = np.array([0.0, 0.0, -1.0])
    back = (width - 1) // TILE * TILE
    for y0 in range(0, height, TILE):
        for turn in range(0, width, TILE):
            x0 = turn if y0 // TILE % 2 == 0 else back - turn  # there and back, so that the last tile is a neighbour
            x1 = min(x0 + TILE, width)
            y1 = min(y0 + TILE, height)
            cx = 0.5 * xs[x0] + 0.5 * xs[x1 - 1]
            cy = 0.5 * ys[y0] + 0.5 * ys[y1 - 1]
            radius = radius_of(metric, p, cx, cy, xs[x0], xs[x1 - 1], ys[y0], ys[y1 - 1])
            reach = reach_of(metric, p, q, cx, cy, radius, last, plane, strips, edges)
            a = gather(cx, cy, reach, plane, strips, edges, False, sole, px, py, who)
            b, t = _narrow(metric, p, q, zeros, xs[x0], xs[x1 - 1], ys[y0], ys[y1 - 1], px, py, who, FIRST, a, a, d)
            last[0] = cx
            last[1] = cy
            last[2] = math.sqrt(t) if metric == EUCLIDEAN else t
            if marks and (only_class(False, who, sole, a, b) >= 0 or _all_kept(who, a, b, start, kept)):
                continue
            for j0 in range(y0, y1, LEAF):
                for i0 in range(x0, x1, LEAF):
                    j1 = min(j0 + LEAF, y1)
                    i1 = min(i0 + LEAF, x1)
                    c, _ = _narrow(metric, p, q, zeros, xs[i0], xs[i1 - 1], ys[j0], ys[j1 - 1], px, py, who, a, b, b, d)
                    if marks and (only_class(False, who, sole, b, c) >= 0 or _all_kept(who, b, c, start, kept)):
                        continue
                    if not marks and single and c - b == q:  # the same everywhere in this part
                        total = np.int64(0)
                        for i in range(b, c):
                            total += keys[who[i]]
                        cells[j0:j1, i0:i1] = total
                        continue
                    for j in range(j0, j1):
                        for i in range(i0, i1):
                            value = _nearest(metric, p, q, xs[i], ys[j], px, py, b, c, d)
                            if marks:
                                _mark(
                                    weights,
                                    metric == EUCLIDEAN,
                                    k,
                                    c - b,
                                    value,
                                    d,
                                    who,
                                    b,
                                    near,
                                    start,
                                    label,
                                    count,
                                    level,
                                    shares,
                                    kept,
                                )
                            else:
                                cells[j, i] = _identity(k, single, c - b, value, d, who, b, near, start, count, keys)
