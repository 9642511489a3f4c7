"""Compiled loops of the nearest-neighbour vote, at arbitrary queries, by a k-d tree; pictures are in `_knn_grid`.

Notation: a *location* is a distinct training point, whose points are `Entries`.  `d` is the distance as the tie rule
compares it: squared for the Euclidean metric, the distance itself for all others.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from solver.core._compile import inlined, jit, lean_part, part
from solver.core.arrays import Array, Integers

from ._knn_records import AbsentVoter, Slack, Tally
from ._knn_select import LANES, separate

EUCLIDEAN, MANHATTAN, CHEBYSHEV, MINKOWSKI, COSINE = range(5)
UNIFORM, INVERSE, INVERSE_SQUARE = range(3)
FIRST: Any = np.int64(0)  # numba's integer, because numba compiles a function again for each plain literal handed to it

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
CHORD = 1e-13  # rounding error, for each feature, of a cosine distance computed as half the square of a chord
LARGEST_WEIGHT = 1e300  # so that neither a weight nor a sum of weights is infinite

NOBODY = AbsentVoter(FIRST - 1, FIRST)


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


@lean_part
def plane_distances(metric, x, y, px, py, d):  # type: ignore[no-untyped-def]
    """Write the distances of (x, y) from (px, py) to `d`: the same numbers as those of `search`, in one pass."""
    m, p = px.size, metric.p
    if metric.code == EUCLIDEAN:
        for i in range(m):
            s = x - px[i]
            t = y - py[i]
            d[i] = s * s + t * t
    elif metric.code == MANHATTAN:
        for i in range(m):
            d[i] = abs(x - px[i]) + abs(y - py[i])
    elif metric.code == CHEBYSHEV:
        for i in range(m):
            d[i] = max(abs(x - px[i]), abs(y - py[i]))
    elif metric.code == MINKOWSKI:
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


@lean_part
def sorted_vote(V, entries, C, a, b, value, tally):  # type: ignore[no-untyped-def]
    """Compute the vote shares at one query from the candidates [a, b) up to the distance `value`.

    Their distances are at the beginning of `C.d`.  The four lists are permuted so that these candidates come first, in
    order of distance: at the next pixel they are nearly sorted.
    """
    d, px, py, who = C.d, C.x, C.y, C.tag
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
    vote_in_order(V, entries, d[:q], who[a : a + q], NOBODY, tally)


@lean_part
def vote_in_order(V, entries, d, who, absent, tally):  # type: ignore[no-untyped-def]
    """Compute the vote shares of the locations `who` at the increasing distances `d`, by the tie rule.

    Votes are added in order of distance, all points at one distance at once.  Uniform votes are integers until one
    division, so equal shares are equal floats.
    """
    start, label, count, level, shares = entries.start, entries.label, entries.counts, tally.level, tally.shares
    weights, k, squared = V.weights, V.k, V.metric.code == EUCLIDEAN
    n_classes = shares.size
    for c in range(n_classes):
        shares[c] = 0.0
    checked = 0
    first = 0
    while True:
        value = d[first]
        end = first
        size = 0
        while end < d.size and d[end] == value:
            for e in range(start[who[end]], start[who[end] + 1]):
                level[label[e]] += count[e]
                size += count[e]
            if who[end] == absent.location:
                level[absent.label] -= 1
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
            for e in range(start[who[i]], start[who[i] + 1]):
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


@lean_part
def tighten(d, who, found, q, slack):  # type: ignore[no-untyped-def]
    """Remove those of the first `found` candidates beyond a bound; return the number of the others, and the bound.

    The bound is the q-th distance with its `slack`.
    """
    padded = (found + LANES - 1) // LANES * LANES
    for i in range(found, padded):
        d[i] = np.inf
    value, _ = separate(d[:padded], q, 0.0, d[q - 1])
    value = value * slack.wide + slack.extra
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


@lean_part
def nearest_first(C, a, b, limit, near):  # type: ignore[no-untyped-def]
    """Sort the candidates of [a, b) up to the distance `limit` into `C.d` and `near`; return their number.

    The distances of all candidates are at the beginning of `C.d`.
    """
    d, found = C.d, 0
    for i in range(b - a):
        d[found] = d[i]
        near[found] = C.tag[a + i]
        found += 1 if d[found] <= limit else 0
    sort_by_distance(d, near, found)
    return found


@inlined
def _box_bound(metric, boxes, node, point, narrow):  # type: ignore[no-untyped-def]
    """Return a lower bound of the distances, as compared, between `point` and the locations in the box of `node`."""
    low, features = 0.0, point.size
    if metric.code == EUCLIDEAN or metric.code == COSINE:  # a tuple costs compiling time
        for f in range(features):
            gap = max(boxes[node, 0, f] - point[f], point[f] - boxes[node, 1, f])
            low += gap * gap if gap > 0.0 else 0.0
        if metric.code == COSINE:
            low = 0.5 * low - CHORD * features
    else:
        largest = 0.0
        for f in range(features):
            gap = max(boxes[node, 0, f] - point[f], point[f] - boxes[node, 1, f])
            low += gap if gap > 0.0 else 0.0
            largest = gap if gap > largest else largest
        if metric.code == CHEBYSHEV:
            low = largest
        elif metric.code == MINKOWSKI:
            low = max(largest, low * narrow) * SHORT
    return low


@lean_part
def _work_out_powers(p, query, points, d, who, found):  # type: ignore[no-untyped-def]
    """Replace the approximate distances of the first `found` candidates by Minkowski distances."""
    most = largest_whole(p)
    for i in range(found):
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


@inlined
def _leaf_distances(metric, query, own, tree, a, size, powers, near):  # type: ignore[no-untyped-def]
    """Write the distances, for Minkowski approximate ones, of `size` locations from `a` on to `near`; own: |query|^2.

    They are computed in batches of LANES, so that the loops vectorise without a remainder.
    """
    features = query.size
    for i in range(LANES):
        near[i] = 0.0
    for f in range(features):
        x = query[f]
        if metric.code == EUCLIDEAN:
            for i in range(LANES):
                t = x - tree.points[f, a + i]
                near[i] += t * t
        elif metric.code == MANHATTAN:
            for i in range(LANES):
                near[i] += abs(x - tree.points[f, a + i])
        elif metric.code == COSINE:
            for i in range(LANES):
                near[i] += x * tree.points[f, a + i]
        else:
            for i in range(LANES):
                t = abs(x - tree.points[f, a + i])
                near[i] = t if t > near[i] else near[i]
    if metric.code == COSINE:
        for i in range(size):
            cosine = 1.0
            if own > 0.0 and tree.norms[a + i] > 0.0:
                cosine -= near[i] / math.sqrt(own * tree.norms[a + i])
                cosine = cosine if cosine > (features + ROUNDING) * EPS else 0.0
            near[i] = cosine
    elif metric.code == MINKOWSKI:
        for i in range(size):
            if features == 2 and near[i] > 0.0:
                ratio = min(abs(query[0] - tree.points[0, a + i]), abs(query[1] - tree.points[1, a + i])) / near[i]
                near[i] *= powers[int(ratio * (powers.size - 1))]
            near[i] *= SHORT


class _SearchScratch(NamedTuple):
    """Scratch of a search: distances in a leaf, nodes to search, and a query, also in the scale of the boxes."""

    near: Array
    stack: Integers
    query: Array
    scaled: Array


@lean_part
def _search(metric, q, queries, tree, rough, limit, lists, scratch):  # type: ignore[no-untyped-def]
    """Search as `search` does, with its scratch."""
    near, stack, query, scaled = scratch
    points, sides, cuts, powers = tree.points, tree.sides, tree.cuts, rough.powers
    d, who, ends = lists.d, lists.who, lists.ends
    features = points.shape[0]
    m = points.shape[1] - LANES
    leaves = cuts.size
    levels = 0
    while leaves >> levels > 1:
        levels += 1
    done = 0
    ends[0] = 0
    while done < ends.size - 1 and done < queries.order.size and ends[done] + m + LANES <= d.size:
        number = queries.order[done]
        base = ends[done]
        measured = 0
        own = 0.0
        for f in range(features):
            query[f] = queries.at[number, f]
            own += query[f] * query[f]
        scale = 1.0 / math.sqrt(own) if metric.code == COSINE and own > 0.0 else 1.0
        for f in range(features):
            scaled[f] = query[f] * scale
        bound = np.inf
        found = 0
        most = q - 1  # with more there is a bound
        home = leaves + queries.leaf[number]
        stack[0] = home
        top = 1
        while top > 0 or home > 1:
            if top == 0:  # on to the next half
                stack[0] = home ^ 1
                top = 1
                home >>= 1
            top -= 1
            node = stack[top]
            if bound < np.inf and _box_bound(metric, tree.boxes, node, scaled, rough.narrow) > bound:
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
            if measured > limit:
                return done
            _leaf_distances(metric, query, own, tree, a, size, powers, near)
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
                            bound = d[base + q - 1] * rough.slack.wide + rough.slack.extra
                            while d[base + found - 1] > bound:
                                found -= 1
            else:
                for i in range(size):
                    v = near[i]
                    d[base + found] = v
                    who[base + found] = a + i
                    found += 1 if v <= bound else 0
                if found > most:
                    found, bound = tighten(d[base:], who[base:], found, q, rough.slack)
                    most = max(2 * q, 2 * found)
        if metric.code == MINKOWSKI:
            _work_out_powers(metric.p, query, points, d[base:], who[base:], found)
        if metric.code == MINKOWSKI or q > SMALL:
            if found > q:
                found, bound = tighten(d[base:], who[base:], found, q, Slack(1.0, 0.0))
            sort_by_distance(d[base:], who[base:], found)
        done += 1
        ends[done] = base + found
    return done


@jit
def search(metric, q, queries, tree, rough, limit, lists):  # type: ignore[no-untyped-def]
    """Find all locations up to the q-th distance from each query in `order`, nearest first, while there is room.

    They are written to `lists`.  Ends before a query for which the distances in more than `limit` leaves would be
    measured.  Returns the number of queries.

    From the leaf of a query up to the root, each other half is searched unless its box is farther than the q-th
    distance so far.  The candidates are kept sorted if `q` is small.  Else the farthest are removed when there are
    many, and the others are sorted at the end.

    Powers are slow.  So a Minkowski distance is first approximated by one that is smaller, within its `slack`: for two
    features, that of the next lower ratio in `powers`, which has (1 + r^p)^(1/p) for ratios r from 0 to 1; else the
    largest difference.  Minkowski distances are computed for the locations up to the q-th of these with its slack.

    The bound of a box is computed like the distance itself, but from smaller numbers; rounding keeps the order, so no
    location in it is nearer, to the last bit.  Two metrics need a margin: Minkowski, whose bound is the larger of the
    largest difference and `narrow` times the sum of differences, and the cosine, with half the square of a chord.
    """
    features = tree.points.shape[0]
    scratch = _SearchScratch(
        near=np.empty(LANES), stack=np.empty(DEEPEST, np.int64), query=np.empty(features), scaled=np.empty(features)
    )
    return _search(metric, q, queries, tree, rough, limit, lists, scratch)


@jit
def vote_at(V, entries, found, queries, absent, out):  # type: ignore[no-untyped-def]
    """Write the vote shares (classes,) of each query i = queries[r] to out[i], from what `search` found.

    The arrays of `absent` have the point without a vote at each query, or are empty.
    """
    tally = Tally(np.zeros(out.shape[1]), np.empty(out.shape[1]))
    for r in range(queries.size):
        i = queries[r]
        here = NOBODY
        if absent.location.size > 0:
            here = AbsentVoter(absent.location[i], absent.label[i])
        a, b = found.ends[r], found.ends[r + 1]
        vote_in_order(V, entries, found.d[a:b], found.who[a:b], here, tally)
        for c in range(out.shape[1]):
            out[i, c] = tally.shares[c]


@jit
def neighbors_at(members, found, queries, own_row, distances, indices):  # type: ignore[no-untyped-def]
    """Write the nearest training points of each query i = queries[r] to row i, from what `search` found.

    Nearest first, equal distances in order of index.  `own_row` (n_queries,), or empty: that row is no neighbor.
    """
    d, k = found.d, indices.shape[1]
    for r in range(queries.size):
        i = queries[r]
        without = own_row[i] if own_row.size > 0 else FIRST - 1
        first = 0  # of those at the present distance
        last = -1.0
        end = 0
        for j in range(found.ends[r], found.ends[r + 1]):
            if d[j] != last:
                if end == k:
                    break
                first = end
                last = d[j]
            at = found.who[j]
            for e in range(members.first[at], members.first[at + 1]):
                row = members.rows[e]
                if row == without:
                    continue
                if end == k:
                    if row > indices[i, k - 1]:
                        break
                    end -= 1
                rank = end
                while rank > first and indices[i, rank - 1] > row:
                    indices[i, rank] = indices[i, rank - 1]
                    rank -= 1
                indices[i, rank] = row
                distances[i, end] = last
                end += 1
