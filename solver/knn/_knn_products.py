"""Compiled search for nearest neighbours in many dimensions, where the boxes of a tree exclude hardly any location.

Squared distances of many queries come from one product of matrices, as in scikit-learn's ArgKmin, but only to find
candidates: the exact distance of each candidate, summed as in `_knn_loops.search`, decides.

Let s be an exact squared distance, x a query and y a location, both without the same vector, the mean of the locations
or none.  All rounding together, of s as well, changes it by no more than c (|x|^2 + |y|^2), c = 4 (features + 4) eps,
and |y|^2 <= 2 (|x|^2 + s).  If a is the q-th smallest of the rounded numbers, then all locations up to the q-th exact
distance have rounded numbers of at most a + 8 c (a + |x|^2).
"""

from __future__ import annotations

import numpy as np

from solver.core._compile import jit
from solver.core._vector import larger, smaller

from ._knn_loops import EPS, sort_by_distance, tighten
from ._knn_records import Slack
from ._knn_select import LANES, separate

#: Number of locations of a group, whose smallest distance is computed before they are compared one by one.
IN_GROUP = 16
LEAST = 1e-300  # more than the smallest numbers lose by rounding


@jit
def search_products(q, queries, order, points, norms, products, squares, lists):  # type: ignore[no-untyped-def]
    """Search as `_knn_loops.search` does, in the Euclidean metric, for the queries `order`; return their number.

    The r-th of them has products[r, j] = -2 <x, y_j> and squares[r] = |x|^2; norms[j] = |y_j|^2.  `points`: the
    locations as they are, of shape (m, features).
    """
    m, features = points.shape
    share = 32.0 * (features + 4) * EPS
    groups = max((m + IN_GROUP - 1) // IN_GROUP, min(m, 2 * q))
    least = np.empty((groups + LANES - 1) // LANES * LANES)
    d, who, ends = lists.d, lists.who, lists.ends
    done = 0
    ends[0] = 0
    while done < ends.size - 1 and done < order.size and ends[done] + m + LANES <= d.size:
        base = ends[done]
        square = squares[done]
        slack = Slack(1.0 + share, share * square + LEAST)
        # Every groups-th location is one group, so the loops vectorise, and neighbours in the tree are in other groups.
        least[:] = np.inf
        for start in range(0, m, groups):
            for g in range(np.uint64(min(groups, m - start))):
                least[g] = smaller(least[g], products[done, np.uint64(start) + g] + norms[np.uint64(start) + g])
        for g in range(np.uint64(groups)):
            least[g] = larger(least[g] + square, 0.0)
        bound, _ = separate(least, q, 0.0, least[0])  # q groups have a location up to here
        bound = bound * slack.wide + slack.extra
        found = 0
        for g in range(groups):
            if least[g] <= bound:
                for j in range(g, m, groups):
                    v = larger(products[done, j] + norms[j] + square, 0.0)
                    d[base + found] = v
                    who[base + found] = j
                    found += 1 if v <= bound else 0
        if found > q:
            found, bound = tighten(d[base:], who[base:], found, q, slack)
        for i in range(base, base + found):
            v = 0.0
            for f in range(features):
                t = queries[order[done], f] - points[who[i], f]
                v += t * t
            d[i] = v
        if found > q:
            found, bound = tighten(d[base:], who[base:], found, q, Slack(1.0, 0.0))
        sort_by_distance(d[base:], who[base:], found)
        done += 1
        ends[done] = base + found
    return done
