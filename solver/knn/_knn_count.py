"""Compiled counting of uniform votes: numbers of the nearest candidates by class, without moving them."""

from __future__ import annotations

import math

import numpy as np

from solver.core._compile import lean_part

from ._knn_loops import COSINE, MINKOWSKI, plane_distances
from ._knn_select import LANES


@lean_part
def count_upto(d, kind, limit, votes, floor):  # type: ignore[no-untyped-def]
    """Set votes[floor + 1, c] to votes[floor, c] + number of distances d[i] <= limit with class kind[i] = c."""
    for c in range(votes.shape[1]):
        count = 0
        for i in range(d.size):
            count += 1 if (d[i] <= limit) & (kind[i] == c) else 0
        votes[floor + 1, c] = votes[floor, c] + count


@lean_part
def share_ties(d, kind, value, excess, k, votes, tally):  # type: ignore[no-untyped-def]
    """Compute the vote shares at one pixel with `excess` votes too many: points at distance `value` share the rest."""
    equal, shares, size = tally.level, tally.shares, 0
    for i in range(d.size):
        if d[i] == value:
            equal[kind[i]] += 1.0
            size += 1
    for c in range(shares.size):
        shares[c] = ((votes[c] - equal[c]) * size + equal[c] * (size - excess)) / (np.float64(k) * size)
        equal[c] = 0.0


@lean_part
def count_together(V, pixels, part, C, certain, work, votes):  # type: ignore[no-untyped-def]
    """Set votes[c, i] to the share of class c at the i-th pixel of `part`, row by row.

    The votes are those that are certain there, and those of the nearest candidates, all single points.  Returns whether
    the shares are right: they are not if several points are exactly at the k-th distance of a pixel.

    The k-th distance comes from an insertion sort of the few nearest candidates of each pixel or, if those are fewer,
    of the few farthest; each step of it is the minimum and the maximum of two rows.
    """
    area = (part.x1 - part.x0) * (part.y1 - part.y0)
    lanes = (area + LANES - 1) // LANES * LANES
    used = area if V.metric.code == MINKOWSKI else lanes  # powers are too slow to compute for padding
    gx = work[0, :used]
    gy = work[1, :used]
    limit = work[2]
    total = work[3]
    m = part.b - part.a
    q = min(part.left, m)
    deep = min(q, m - q + 1)
    sign = 1.0 if deep == q else -1.0
    kept = work[4 : 4 + deep]
    d = work[4 + deep : 4 + deep + m]
    lane = 0
    for j in range(part.y0, part.y1):
        for i in range(part.x0, part.x1):
            gx[lane] = pixels.xs[i]
            gy[lane] = pixels.ys[j]
            lane += 1
    for i in range(area, used):
        gx[i] = gx[0]
        gy[i] = gy[0]
    if V.metric.code == COSINE:  # as in `plane_distances`, where candidates and pixels are exchanged here
        for lane in range(used):
            exponent = math.frexp(max(abs(gx[lane]), abs(gy[lane])))[1]
            gx[lane] = math.ldexp(gx[lane], -exponent)
            gy[lane] = math.ldexp(gy[lane], -exponent)
    for i in range(m):
        plane_distances(V.metric, C.x[part.a + i], C.y[part.a + i], gx, gy, d[i])
        for lane in range(lanes):
            limit[lane] = sign * d[i, lane]
        for j in range(min(i, deep)):
            for lane in range(lanes):
                a = kept[j, lane]
                b = limit[lane]
                kept[j, lane] = a if a < b else b
                limit[lane] = b if a < b else a
        if i < deep:
            for lane in range(lanes):
                kept[i, lane] = limit[lane]
    for lane in range(lanes):
        limit[lane] = sign * kept[deep - 1, lane]
        total[lane] = 0.0
    for c in range(votes.shape[0]):
        for lane in range(lanes):
            votes[c, lane] = certain[part.floor, c]
    for i in range(m):
        c = C.tag[part.a + i]
        for lane in range(lanes):
            votes[c, lane] += 1.0 if d[i, lane] <= limit[lane] else 0.0
    for c in range(votes.shape[0]):
        for lane in range(lanes):
            total[lane] += votes[c, lane]
            votes[c, lane] /= V.k
    clear = True
    for lane in range(area):
        clear &= total[lane] == V.k
    return clear
