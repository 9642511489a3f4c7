"""Compiled loops of the nearest-neighbour vote, at arbitrary queries, by a k-d tree; pictures are in `_knn_grid`.

Notation: a *location* is a distinct training point; `start[j]:start[j + 1]` are its entries in `label` and
`count` (training points of that class in that location).  `d` is the distance as the tie rule compares it:
squared for the Euclidean metric, the distance itself for all others.
"""

from __future__ import annotations

import math

import numpy as np

from solver.core._compile import inlined, jit, part

from ._knn_select import LANES, separate

EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI, COSINE = range(5)
UNIFORM, INVERSE, INVERSE_SQUARE = range(3)
FIRST = np.int64(0)  # numba's integer, because numba compiles a function again for each plain literal handed to it

EPS = float(np.finfo(np.float64).eps)
# A cosine distance of up to (features + ROUNDING) * EPS is 0: between parallel vectors rounding leaves up to
# (features + 1.25) * EPS.
ROUNDING = 4
SHORT = 1.0 - 1e-9  # less than any Minkowski distance is rounded down
# Largest whole p whose powers are products, and binary digits of a sum of powers that neither overflows nor vanishes.
MOST_WHOLE, DIGITS = 64.0, 1000.0
FEW = 64  # number of queries below which sorting them gains nothing
DEEPEST = 64  # largest number of levels of a tree
SMALL = 16  # largest number of neighbors that are kept sorted during the search
MOST_COUNTED = 8 * LANES  # largest number of candidates that are sorted by counting
LARGEST_WEIGHT = 1e300  # so that neither a weight nor a sum of weights is infinite


@inlined
def largest_whole(p):  # type: ignore[no-untyped-def]
    """Return the largest difference whose powers are products, 0 unless p is whole; the smallest is one over it."""
    return math.pow(2.0, DIGITS / p) if p <= MOST_WHOLE and p == math.floor(p) else 0.0


@inlined
def whole_power(t, p):  # type: ignore[no-untyped-def]
    """Return t^p for a whole p by products, so that powers of whole numbers are exact, and equal sums of them tie."""
    value = 1.0
    left = int(p)
    while left > 0:
        value = value * t if left & 1 else value
        t *= t
        left >>= 1
    return value


@part
def plane_distances(metric, p, x, y, px, py, d):  # type: ignore[no-untyped-def]
    """Write the distances of (x, y) from (px, py) to `d`: the same numbers as those of `search`, in one pass."""
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
        most = largest_whole(p)
        for i in range(m):
            s = abs(x - px[i])
            t = abs(y - py[i])
            largest = max(s, t)
            if largest < most and largest * most > 1.0:
                d[i] = math.pow(whole_power(s, p) + whole_power(t, p), 1.0 / p)
            elif largest > 0.0:
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
    """Compute the vote shares at one query from the candidates [a, b) up to the distance `value`.

    Their distances are at the beginning of `d`.  The four lists are permuted so that these candidates come first, in
    order of distance: at the next pixel they are nearly sorted.  `level` (a zero per class) is scratch and is left
    zero.
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
    vote_in_order(weights, squared, k, d, who, a, q, start, label, count, FIRST - 1, FIRST, level, shares)


@part
def vote_in_order(  # type: ignore[no-untyped-def]
    weights, squared, k, d, who, a, q, start, label, count, own, own_class, level, shares
):
    """Compute the vote shares of the locations who[a : a + q] at the increasing distances d[:q], by the tie rule.

    Votes are added in order of distance, all points at one distance at once.  Uniform votes are integers until one
    division, so equal shares are equal floats.  One training point of class `own_class` at the location `own` has no
    vote, unless `own` is -1.  `level` (a zero per class) is scratch and is left zero.
    """
    n_classes = shares.size
    for c in range(n_classes):
        shares[c] = 0.0
    checked = 0
    first = 0
    while True:
        value = d[first]
        end = first
        size = 0
        while end < q and d[end] == value:
            for e in range(start[who[a + end]], start[who[a + end] + 1]):
                level[label[e]] += count[e]
                size += count[e]
            if who[a + end] == own:
                level[own_class] -= 1
                size -= 1
            end += 1
        if size == 0:
            first = end
            continue
        room = min(size, k - checked)
        if weights != UNIFORM and value == 0.0:  # points at distance 0 alone decide, by count
            for c in range(n_classes):
                shares[c] = level[c] / size
                level[c] = 0.0
            return
        if weights == UNIFORM and checked + room == k:
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
        checked += room
        first = end
        if checked == k:
            break
    total = 0.0
    for c in range(n_classes):
        total += shares[c]
    for c in range(n_classes):
        shares[c] /= total


@jit
def by_leaf(metric, queries, own, m, cuts, sides):  # type: ignore[no-untyped-def]
    """Return a leaf near each query, or the leaf of its `own` location if given, and the queries sorted by leaf.

    In this order, most of what the next query reads is in the cache.
    """
    n, features = queries.shape
    leaves = cuts.size
    order = np.empty(n, np.int64)
    leaf = np.empty(n, np.int64)
    for i in range(n):
        order[i] = i
        if own.size > 0:
            leaf[i] = min(leaves - 1, own[i] * leaves // m)
            continue
        squares = 0.0
        for f in range(features):
            squares += queries[i, f] * queries[i, f]
        scale = 1.0 / math.sqrt(squares) if metric == COSINE and squares > 0.0 else 1.0
        node = 1
        while node < leaves:
            node = 2 * node + (1 if queries[i, sides[node]] * scale >= cuts[node] else 0)
        leaf[i] = node - leaves
    if n >= FEW:
        after = np.zeros(leaves + 1, np.int64)
        for i in range(n):
            after[leaf[i] + 1] += 1
        for i in range(leaves):
            after[i + 1] += after[i]
        for i in range(n):
            order[after[leaf[i]]] = i
            after[leaf[i]] += 1
    return leaf, order


@part
def tighten(d, bits, who, found, q, wide, extra):  # type: ignore[no-untyped-def]
    """Remove those of the first `found` candidates beyond a bound; return the number of the others, and the bound.

    The bound is the q-th distance times `wide`, plus `extra`.
    """
    padded = (found + LANES - 1) // LANES * LANES
    for i in range(found, padded):
        d[i] = np.inf
    value, _ = separate(d[:padded], bits[:padded], q, 0.0, d[q - 1])
    value = value * wide + extra
    end = 0
    for i in range(found):
        v = d[i]
        d[end] = v
        who[end] = who[i]
        end += 1 if v <= value else 0
    return end, value


@part
def sort_by_distance(d, who, found):  # type: ignore[no-untyped-def]
    """Sort the first `found` candidates by distance.

    Up to MOST_COUNTED are sorted by counting for each the number before it, which vectorises; more by Shell's sort.
    """
    if found <= MOST_COUNTED:
        rank = np.zeros(MOST_COUNTED, np.int64)
        old_d = np.empty(MOST_COUNTED)
        old_who = np.empty(MOST_COUNTED, np.int64)
        padded = (found + LANES - 1) // LANES * LANES
        for i in range(padded):
            old_d[i] = d[i] if i < found else np.inf
            old_who[i] = who[i]
        for j in range(found):
            v = old_d[j]
            for i in range(padded):
                rank[i] += 1 if (v < old_d[i]) | ((v == old_d[i]) & (j < i)) else 0
        for i in range(found):
            d[rank[i]] = old_d[i]
            who[rank[i]] = old_who[i]
        return
    gap = 1
    while gap < found // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, found):
            v = d[i]
            w = who[i]
            j = i
            while j >= gap and d[j - gap] > v:
                d[j] = d[j - gap]
                who[j] = who[j - gap]
                j -= gap
            d[j] = v
            who[j] = w
        gap //= 3


@part
def nearest_first(d, m, limit, who, a, near):  # type: ignore[no-untyped-def]
    """Sort the candidates of [a, a + m) up to the distance `limit` into `d` and `near`; return their number.

    The distances of all candidates are at the beginning of `d`.
    """
    found = 0
    for i in range(m):
        d[found] = d[i]
        near[found] = who[a + i]
        found += 1 if d[found] <= limit else 0
    sort_by_distance(d, near, found)
    return found


@inlined
def _box_bound(metric, boxes, node, point, features, narrow, margin):  # type: ignore[no-untyped-def]
    """Return a lower bound of the distances, as compared, between `point` and the locations in the box of `node`."""
    low = 0.0
    if metric == EUCLIDEAN or metric == COSINE:  # noqa: SIM109  a tuple costs compiling time
        for f in range(features):
            gap = max(boxes[node, 0, f] - point[f], point[f] - boxes[node, 1, f])
            low += gap * gap if gap > 0.0 else 0.0
        if metric == COSINE:
            low = 0.5 * low - margin
    else:
        largest = 0.0
        for f in range(features):
            gap = max(boxes[node, 0, f] - point[f], point[f] - boxes[node, 1, f])
            low += gap if gap > 0.0 else 0.0
            largest = gap if gap > largest else largest
        if metric == CHEBYSHEV:
            low = largest
        elif metric == MINKOWSKI:
            low = max(largest, low * narrow) * SHORT
    return low


@part
def _work_out_powers(p, query, points, d, who, base, found):  # type: ignore[no-untyped-def]
    """Replace the approximate distances of the candidates [base, base + found) by Minkowski distances."""
    most = largest_whole(p)
    for i in range(base, base + found):
        largest = 0.0
        for f in range(query.size):
            largest = max(largest, abs(query[f] - points[f, who[i]]))
        d[i] = largest
        total = 0.0
        if largest < most and largest * most > 1.0:
            for f in range(query.size):
                total += whole_power(abs(query[f] - points[f, who[i]]), p)
            d[i] = math.pow(total, 1.0 / p)
        elif largest > 0.0:
            for f in range(query.size):
                ratio = abs(query[f] - points[f, who[i]]) / largest
                total += math.pow(ratio, p) if ratio < 1.0 else 1.0
            d[i] = largest * math.pow(total, 1.0 / p)


@jit
def search(  # type: ignore[no-untyped-def]
    metric, p, q, queries, order, leaf, points, norms, boxes, cuts, sides, powers, narrow, wide, extra, d, who, ends
):
    """Find all locations up to the q-th distance from each query of `order`, nearest first, while there is room.

    The locations of the r-th query and their distances are written to who and d, from ends[r] to ends[r + 1].  Returns
    the number of queries, and the number of leaves whose distances were measured.

    From the leaf of a query up to the root, each other half is searched unless its box is farther than the q-th
    distance so far.  The candidates are kept sorted if `q` is small.  Else the farthest are removed when there are
    many, and the others are sorted at the end.

    Powers are slow.  So a Minkowski distance is first approximated by one up to `wide` times smaller: for two features,
    that of the next lower ratio in `powers`, which has (1 + r^p)^(1/p) for ratios r from 0 to 1; else the largest
    difference.  Minkowski distances are computed for the locations up to `wide` times the q-th of these plus `extra`.

    The bound of a box is computed like the distance itself, but from smaller numbers; rounding keeps the order, so no
    location in it is nearer, to the last bit.  Two metrics need a margin: Minkowski, whose bound is the larger of the
    largest difference and `narrow` times the sum of differences, and the cosine, with half the square of a chord.
    """
    features = queries.shape[1]
    m = points.shape[1] - LANES
    leaves = cuts.size
    levels = 0
    while leaves >> levels > 1:
        levels += 1
    bits = d.view(np.int64)
    near = np.empty(LANES)
    stack = np.empty(DEEPEST, np.int64)
    query = np.empty(features)
    scaled = np.empty(features)
    steps = powers.size - 1
    least = (features + ROUNDING) * EPS
    margin = 1e-13 * features
    done = 0
    measured = 0
    ends[0] = 0
    while done < ends.size - 1 and done < order.size and ends[done] + m + LANES <= d.size:
        number = order[done]
        base = ends[done]
        own = 0.0
        for f in range(features):
            query[f] = queries[number, f]
            own += query[f] * query[f]
        scale = 1.0 / math.sqrt(own) if metric == COSINE and own > 0.0 else 1.0
        for f in range(features):
            scaled[f] = query[f] * scale
        bound = np.inf
        found = 0
        most = q - 1  # with more there is a bound
        home = leaves + leaf[number]
        stack[0] = home
        top = 1
        while top > 0 or home > 1:
            if top == 0:  # on to the next half
                stack[0] = home ^ 1
                top = 1
                home >>= 1
            top -= 1
            node = stack[top]
            if bound < np.inf and _box_bound(metric, boxes, node, scaled, features, narrow, margin) > bound:
                continue
            if node < leaves:  # the nearer half comes last, to be searched next
                right = 1 if scaled[sides[node]] >= cuts[node] else 0
                stack[top] = 2 * node + 1 - right
                stack[top + 1] = 2 * node + right
                top += 2
                continue
            a = m * (node - leaves) >> levels
            size = (m * (node - leaves + 1) >> levels) - a
            measured += 1
            # Distances are computed in batches of LANES, so that the loops vectorise without a remainder.
            for i in range(LANES):
                near[i] = 0.0
            for f in range(features):
                x = query[f]
                if metric == EUCLIDEAN:
                    for i in range(LANES):
                        t = x - points[f, a + i]
                        near[i] += t * t
                elif metric == MANHATTAN:
                    for i in range(LANES):
                        near[i] += abs(x - points[f, a + i])
                elif metric == COSINE:
                    for i in range(LANES):
                        near[i] += x * points[f, a + i]
                else:
                    for i in range(LANES):
                        t = abs(x - points[f, a + i])
                        near[i] = t if t > near[i] else near[i]
            if metric == COSINE:
                for i in range(size):
                    cosine = 1.0
                    if own > 0.0 and norms[a + i] > 0.0:
                        cosine -= near[i] / math.sqrt(own * norms[a + i])
                        cosine = cosine if cosine > least else 0.0
                    near[i] = cosine
            elif metric == MINKOWSKI:
                for i in range(size):
                    if features == 2 and near[i] > 0.0:
                        ratio = min(abs(query[0] - points[0, a + i]), abs(query[1] - points[1, a + i])) / near[i]
                        near[i] *= powers[int(ratio * steps)]
                    near[i] *= SHORT
            if q <= SMALL:
                for i in range(size):
                    v = near[i]
                    if v <= bound:
                        j = base + found
                        while j > base and d[j - 1] > v:
                            d[j] = d[j - 1]
                            who[j] = who[j - 1]
                            j -= 1
                        d[j] = v
                        who[j] = a + i
                        found += 1
                        if found >= q:
                            bound = d[base + q - 1] * wide + extra
                            while d[base + found - 1] > bound:
                                found -= 1
            else:
                for i in range(size):
                    v = near[i]
                    d[base + found] = v
                    who[base + found] = a + i
                    found += 1 if v <= bound else 0
                if found > most:
                    found, bound = tighten(d[base:], bits[base:], who[base:], found, q, wide, extra)
                    most = max(2 * q, 2 * found)
        if metric == MINKOWSKI:
            _work_out_powers(p, query, points, d, who, base, found)
        if metric == MINKOWSKI or q > SMALL:
            if found > q:
                found, bound = tighten(d[base:], bits[base:], who[base:], found, q, 1.0, 0.0)
            sort_by_distance(d[base:], who[base:], found)
        done += 1
        ends[done] = base + found
    return done, measured


@jit
def vote_at(  # type: ignore[no-untyped-def]
    weights, squared, k, queries, own, own_class, d, who, ends, start, label, count, out
):
    """Write the vote shares (classes,) of each query i = queries[r] to out[i], from what `search` found.

    `own` (n_queries,), or empty: at query i, one point of class own_class[i] at the location own[i] does not vote.
    """
    n_classes = out.shape[1]
    level = np.zeros(n_classes)
    shares = np.empty(n_classes)
    for r in range(queries.size):
        i = queries[r]
        at = own[i] if own.size > 0 else FIRST - 1
        of = own_class[i] if own.size > 0 else FIRST
        a = ends[r]
        vote_in_order(weights, squared, k, d[a:], who, a, ends[r + 1] - a, start, label, count, at, of, level, shares)
        for c in range(n_classes):
            out[i, c] = shares[c]


@jit
def neighbors_at(  # type: ignore[no-untyped-def]
    queries, own_row, d, who, ends, rows, first_row, distances, indices
):
    """Write the nearest training points of each query i = queries[r] to row i, from what `search` found.

    Nearest first, equal distances in order of index.  `rows`: the training points location by location, increasing;
    those of location j are first_row[j]:first_row[j + 1].  `own_row` (n_queries,), or empty: that row is no neighbor.
    """
    k = indices.shape[1]
    for r in range(queries.size):
        i = queries[r]
        without = own_row[i] if own_row.size > 0 else FIRST - 1
        first = 0  # of those at the present distance
        last = -1.0
        end = 0
        for j in range(ends[r], ends[r + 1]):
            if d[j] != last:
                if end == k:
                    break
                first = end
                last = d[j]
            for e in range(first_row[who[j]], first_row[who[j] + 1]):
                row = rows[e]
                if row == without:
                    continue
                if end == k:
                    if row > indices[i, k - 1]:
                        break
                    end -= 1
                at = end
                while at > first and indices[i, at - 1] > row:
                    indices[i, at] = indices[i, at - 1]
                    at -= 1
                indices[i, at] = row
                distances[i, end] = last
                end += 1
