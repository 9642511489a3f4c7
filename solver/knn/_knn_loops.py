"""Compiled loops of the nearest-neighbour vote, at arbitrary queries by brute force; pictures are in `_knn_grid`.

Notation: a *location* is a distinct training point; `start[j]:start[j + 1]` are its entries in `label` and
`count` (so many training points of that class lie there).  `d` is the distance as the tie rule compares it:
squared for the Euclidean metric, the distance itself for all others.
"""

from __future__ import annotations

import math

import numpy as np

from solver.core._compile import jit, part

from ._knn_select import LANES, separate

EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI, COSINE = range(5)
UNIFORM, INVERSE, INVERSE_SQUARE = range(3)
FIRST = np.int64(0)  # numba's integer, because numba compiles a function again for each plain literal handed to it

EPS = float(np.finfo(np.float64).eps)
# A cosine distance of up to (features + ROUNDING) * EPS is 0: between parallel vectors rounding leaves up to
# (features + 1.25) * EPS.
ROUNDING = 4
LARGEST_WEIGHT = 1e300  # so that neither a weight nor a sum of weights is infinite


@part
def _distances(metric, p, query, points, norms, d):  # type: ignore[no-untyped-def]
    """d[j] = distance of `query` (features,) to column j of `points` (features, locations)."""
    features, m = points.shape
    for i in range(m):
        d[i] = 0.0
    if metric == EUCLIDEAN:
        for f in range(features):
            for i in range(m):
                t = query[f] - points[f, i]
                d[i] += t * t
    elif metric == MANHATTAN:
        for f in range(features):
            for i in range(m):
                d[i] += abs(query[f] - points[f, i])
    elif metric == CHEBYSHEV:
        for f in range(features):
            for i in range(m):
                d[i] = max(d[i], abs(query[f] - points[f, i]))
    elif metric == MINKOWSKI:
        for i in range(m):
            largest = 0.0
            for f in range(features):
                largest = max(largest, abs(query[f] - points[f, i]))
            if largest > 0.0:
                total = 0.0
                for f in range(features):
                    total += math.pow(abs(query[f] - points[f, i]) / largest, p)
                d[i] = largest * math.pow(total, 1.0 / p)
    else:
        own = 0.0
        for f in range(features):
            own += query[f] * query[f]
            for i in range(m):
                d[i] += query[f] * points[f, i]
        least = (features + ROUNDING) * EPS
        for i in range(m):
            if own > 0.0 and norms[i] > 0.0:
                cosine = 1.0 - d[i] / math.sqrt(own * norms[i])
                d[i] = cosine if cosine > least else 0.0
            else:
                d[i] = 1.0


@part
def plane_distances(metric, p, x, y, px, py, d):  # type: ignore[no-untyped-def]
    """The same numbers as `_distances`, bit for bit, for two features: one pass, nothing read twice."""
    m = px.size
    if metric == EUCLIDEAN:
        for i in range(m):
            s = x - px[i]
            t = y - py[i]
            d[i] = s * s + t * t
    elif metric == MANHATTAN:
        for i in range(m):
            d[i] = abs(x - px[i]) + abs(y - py[i])
    elif metric == CHEBYSHEV:
        for i in range(m):
            d[i] = max(abs(x - px[i]), abs(y - py[i]))
    elif metric == MINKOWSKI:
        for i in range(m):
            s = abs(x - px[i])
            t = abs(y - py[i])
            largest = max(s, t)
            if largest > 0.0:
                # the larger ratio is exactly 1 and pow(1, p) = 1, so one power is enough
                d[i] = largest * math.pow(1.0 + math.pow(min(s, t) / largest, p), 1.0 / p)
            else:
                d[i] = 0.0
    else:
        # scaled by a power of two like the training points: no square overflows or vanishes
        exponent = math.frexp(max(abs(x), abs(y)))[1]
        x = math.ldexp(x, -exponent)
        y = math.ldexp(y, -exponent)
        own = x * x + y * y
        for i in range(m):
            other = px[i] * px[i] + py[i] * py[i]
            if own > 0.0 and other > 0.0:
                cosine = 1.0 - (x * px[i] + y * py[i]) / math.sqrt(own * other)
                d[i] = cosine if cosine > (2 + ROUNDING) * EPS else 0.0
            else:
                d[i] = 1.0


@part
def sorted_vote(  # type: ignore[no-untyped-def]
    weights, squared, k, d, px, py, who, a, b, value, start, label, count, level, shares
):
    """Vote shares at one query from the candidates [a, b) at a distance of at most `value`; the tie rule lives here.

    Their distances stand at the beginning of `d`.

    One distance after another in increasing order, all points at one distance at once.  Uniform votes stay
    integers until one division, so equal shares are equal floats.  `level` (a zero per class) is scratch
    and is left zero.  The four lists are permuted so that these locations come first, in order of distance: the
    next pixel finds them nearly so.
    """
    q = 0
    j = b - a - 1
    while True:
        while q <= j and d[q] <= value:
            q += 1
        while q <= j and d[j] > value:
            j -= 1
        if q > j:
            break
        d[q], d[j] = d[j], d[q]
        px[a + q], px[a + j] = px[a + j], px[a + q]
        py[a + q], py[a + j] = py[a + j], py[a + q]
        who[a + q], who[a + j] = who[a + j], who[a + q]
    gap = 1
    while gap < q // 3:
        gap = 3 * gap + 1
    while gap > 0:  # Shell's sort: nearly linear on lists that the last pixel left nearly sorted
        for i in range(gap, q):
            if d[i] < d[i - gap]:
                v = d[i]
                x = px[a + i]
                y = py[a + i]
                w = who[a + i]
                j = i
                while j >= gap and d[j - gap] > v:
                    d[j] = d[j - gap]
                    px[a + j] = px[a + j - gap]
                    py[a + j] = py[a + j - gap]
                    who[a + j] = who[a + j - gap]
                    j -= gap
                d[j] = v
                px[a + j] = x
                py[a + j] = y
                who[a + j] = w
        gap //= 3
    n_classes = shares.size
    for c in range(n_classes):
        shares[c] = 0.0
    seen = 0
    first = 0
    while True:
        value = d[first]
        end = first
        size = 0
        while end < q and d[end] == value:
            for e in range(start[who[a + end]], start[who[a + end] + 1]):
                level[label[e]] += count[e]
                size += count[e]
            end += 1
        room = min(size, k - seen)
        if weights != UNIFORM and value == 0.0:  # points at distance 0 alone decide, by count
            for c in range(n_classes):
                shares[c] = level[c] / size
                level[c] = 0.0
            return
        if weights == UNIFORM and seen + room == k:
            for c in range(n_classes):
                shares[c] = (shares[c] * size + level[c] * room) / (np.float64(k) * size)
                level[c] = 0.0
            return
        weight = 1.0
        if weights != UNIFORM:
            if weights == INVERSE:
                weight = 1.0 / (math.sqrt(value) if squared else value)
            else:
                weight = 1.0 / (value if squared else value * value)
            weight = min(weight, LARGEST_WEIGHT)
        for i in range(first, end):
            for e in range(start[who[a + i]], start[who[a + i] + 1]):
                c = label[e]
                if level[c] != 0.0:
                    shares[c] += (level[c] * room / size) * weight
                    level[c] = 0.0
        seen += room
        first = end
        if seen == k:
            break
    total = 0.0
    for c in range(n_classes):
        total += shares[c]
    for c in range(n_classes):
        shares[c] /= total


@jit
def vote_at(  # type: ignore[no-untyped-def]
    metric, p, weights, k, queries, points, norms, start, label, count, out
):
    """out[i] = vote shares (classes,) at queries[i] (features,), each by a search through all locations."""
    n_queries, n_classes = out.shape
    m = points.shape[1]
    d = np.empty((m + LANES - 1) // LANES * LANES)
    d[m:] = np.inf
    bits = d.view(np.int64)
    unused_x = np.empty(m)
    unused_y = np.empty(m)
    who = np.empty(m, np.int64)
    level = np.zeros(n_classes)
    shares = np.empty(n_classes)
    value = 1.0
    for i in range(n_queries):
        for j in range(m):
            who[j] = j
        _distances(metric, p, queries[i], points, norms, d)
        value, _ = separate(d, bits, min(k, m), 0.0, value)
        sorted_vote(
            weights,
            metric == EUCLIDEAN,
            k,
            d,
            unused_x,
            unused_y,
            who,
            FIRST,
            m,
            value,
            start,
            label,
            count,
            level,
            shares,
        )
        for c in range(n_classes):
            out[i, c] = shares[c]
