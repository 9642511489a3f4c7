"""Compiled loops over the cells of a nearest-neighbour picture; notation as in `_knn_loops`.

The cell of a pixel is the set of locations up to the distance of its k-th nearest point: those that vote there.  As in
`_knn_grid`, a location is nowhere in a rectangle among the q nearest if it is farther from the centre than the q-th
nearest plus twice the distance to the farthest pixel.  So the candidates of a tile are found first, among these the
candidates of each small part of the tile, and only these are compared at each pixel, by the same distances as the vote.
"""

from __future__ import annotations

import math

import numpy as np

from solver.core._compile import jit, lean_part

from ._knn_bounds import radius_of, reach_of, thresholds
from ._knn_grid import LEAF, TILE, box_of, gather, measure, only_class
from ._knn_loops import EUCLIDEAN, FIRST, INVERSE, NOBODY, UNIFORM, nearest_first, vote_in_order
from ._knn_records import AbsentVoter, Tally, TilePart
from ._knn_select import LANES, kth, separate

LISTS = 3
ROUNDING = 1e-9  # far more than the rounding error of a share of the votes
PLAIN = np.bool_(False)  # candidates are tagged with their location; a plain literal would be compiled for again
TINY = 1e-140  # distance up to which a weight may be limited to the largest weight


@lean_part
def _nearest(metric, q, C, a, b, x, y):  # type: ignore[no-untyped-def]
    """Write the distances of the candidates [a, b) from (x, y) to `C.d`; return that of the q-th nearest."""
    d = C.d[: measure(metric, C, a, b, x, y)]
    value, _ = separate(d, min(q, b - a), 0.0, d[0])
    return kth(d, value)


@lean_part
def _narrow(metric, q, zeros, box, C, a, b, first):  # type: ignore[no-untyped-def]
    """Copy the candidates of [a, b) that may be among the q nearest in a rectangle to the indices from `first` on.

    Returns their end, and the distance of the q-th nearest from the centre.
    """
    cx, cy = 0.5 * box.x0 + 0.5 * box.x1, 0.5 * box.y0 + 0.5 * box.y1
    t = _nearest(metric, q, C, a, b, cx, cy)
    far, _ = thresholds(metric, t, radius_of(metric, cx, cy, box), zeros)
    end = first
    for i in range(b - a):
        C.x[end] = C.x[a + i]
        C.y[end] = C.y[a + i]
        C.tag[end] = C.tag[a + i]
        end += 1 if C.d[i] <= far else 0
    return end, t


@lean_part
def _identity(k, plane, C, a, b, value, near, keys):  # type: ignore[no-untyped-def]
    """Return the sum of the keys of the locations up to the k-th point; `value`: distance of the k-th location."""
    start, count, d, total = plane.entries.start, plane.entries.counts, C.d, np.int64(0)
    if plane.single:
        for i in range(b - a):
            total += keys[C.tag[a + i]] if d[i] <= value else 0
        return total
    found = nearest_first(C, a, b, value, near)
    checked = 0
    for i in range(found):
        for e in range(start[near[i]], start[near[i] + 1]):
            checked += count[e]
        if checked >= k:
            value = d[i]
            break
    for i in range(found):
        total += keys[near[i]] if d[i] <= value else 0
    return total


@lean_part
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


@lean_part
def _relative(weights, squared, least, distance):  # type: ignore[no-untyped-def]
    """Return the weight of a vote at `distance`, as a share of the weight at the `least` distance."""
    if weights == UNIFORM:
        return 1.0
    ratio = least / distance
    if weights == INVERSE:
        return math.sqrt(ratio) if squared else ratio
    return ratio if squared else ratio * ratio


@lean_part
def _mark(V, entries, C, a, b, value, near, tally, kept):  # type: ignore[no-untyped-def]
    """Mark the entries that a pixel needs, as `cells_on_grid` defines it.

    `value` is the distance of the (k + 1)-th location: all locations up to it may vote if one point is left out.
    """
    start, weights, squared, k = entries.start, V.weights, V.metric.code == EUCLIDEAN, V.k
    found = nearest_first(C, a, b, value, near)
    d, near = C.d[:found], near[:found]
    vote_in_order(V, entries, d, near, NOBODY, tally)
    best, lead = _winner(tally.shares)
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
            checked += entries.counts[e]
            if changes and not kept[e]:
                vote_in_order(V, entries, d, near, AbsentVoter(near[i], entries.label[e]), tally)
                other, others_lead = _winner(tally.shares)
                kept[e] = other != best or (others_lead == 0.0) != (lead == 0.0)


@lean_part
def _none_needed(plane, C, a, b, kept):  # type: ignore[no-untyped-def]
    """Return whether the candidates [a, b) are of one class, or all of their entries are marked already."""
    if only_class(plane, PLAIN, C, a, b) >= 0:
        return True
    for i in range(a, b):
        for e in range(plane.entries.start[C.tag[i]], plane.entries.start[C.tag[i] + 1]):
            if not kept[e]:
                return False
    return True


@lean_part
def _part_of_tile(V, plane, pixels, C, part, near, tally, keys, cells, kept):  # type: ignore[no-untyped-def]
    """Write the cells of all pixels of a part, or mark the entries that they need, as `cells_on_grid` does."""
    metric, a, b = V.metric, part.a, part.b
    marks = keys.size == 0
    q = part.left
    same = not marks and plane.single and b - a == q  # the same points vote everywhere
    for j in range(part.y0, part.y1):
        for i in range(part.x0, part.x1):
            value = np.inf if same else _nearest(metric, q, C, a, b, pixels.xs[i], pixels.ys[j])
            if marks:
                _mark(V, plane.entries, C, a, b, value, near, tally, kept)
            else:
                cells[j, i] = _identity(V.k, plane, C, a, b, value, near, keys)


@jit
def cells_on_grid(V, plane, pixels, C, keys, cells, kept):  # type: ignore[no-untyped-def]
    """Write the cell of each (xs[i], ys[j]) to cells[j, i], or mark in `kept` the entries that some pixel needs.

    If `keys` (locations,) is not empty, cells[j, i] is the sum of the keys of the locations that vote there, modulo
    2^64.  Else kept[e] becomes True if a point of entry e cannot be left out without changing what wins at a pixel, or
    whether that is tied; entries that are marked before are not looked at.  There must be more than k points then.
    `C` has room for LISTS lists of all locations: the candidates of a turn, of a tile and of a part of it.
    """
    width, height, n = pixels.xs.size, pixels.ys.size, plane.at.shape[1]
    metric, marks = V.metric, keys.size == 0
    q = min(V.k + 1 if marks else V.k, n)
    near = np.zeros(n + LANES, np.int64)
    n_classes = np.max(plane.entries.label) + 1
    tally = Tally(level=np.zeros(n_classes), shares=np.empty(n_classes))
    last = np.array([0.0, 0.0, -1.0])
    back = (width - 1) // TILE * TILE
    for y0 in range(0, height, TILE):
        for turn in range(0, width, TILE):
            x0 = turn if y0 // TILE % 2 == 0 else back - turn  # there and back, so that the last tile is a neighbour
            x1, y1 = min(x0 + TILE, width), min(y0 + TILE, height)
            box = box_of(pixels, x0, x1, y0, y1)
            cx, cy = 0.5 * box.x0 + 0.5 * box.x1, 0.5 * box.y0 + 0.5 * box.y1
            reach = reach_of(metric, q, cx, cy, radius_of(metric, cx, cy, box), last, plane)
            a = gather(cx, cy, reach, plane, PLAIN, C)
            b, t = _narrow(metric, q, plane.zeros, box, C, FIRST, a, a)
            last[0], last[1] = cx, cy
            last[2] = math.sqrt(t) if metric.code == EUCLIDEAN else t
            if marks and _none_needed(plane, C, a, b, kept):
                continue
            for j0 in range(y0, y1, LEAF):
                for i0 in range(x0, x1, LEAF):
                    j1, i1 = min(j0 + LEAF, y1), min(i0 + LEAF, x1)
                    c, _ = _narrow(metric, q, plane.zeros, box_of(pixels, i0, i1, j0, j1), C, a, b, b)
                    if not marks or not _none_needed(plane, C, b, c, kept):
                        part = TilePart(i0, i1, j0, j1, b, c, FIRST, q)
                        _part_of_tile(V, plane, pixels, C, part, near, tally, keys, cells, kept)
