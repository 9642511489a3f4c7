"""Compiled k-d tree of the locations: each node is a range of them, with its bounding box.

Node 1 is the root; nodes 2 i and 2 i + 1 are the halves of node i.  Level l has the nodes 2^l to 2^(l + 1) - 1, and the
j-th of them has the locations [m j >> l, m (j + 1) >> l), so no bounds need to be stored.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.core._compile import jit
from solver.core.arrays import Array, Integers

from ._knn_records import Entries
from ._knn_select import LANES

LEAF = 32  # largest number of locations of a leaf


class Tree(NamedTuple):
    """The locations of an index in the order of the tree."""

    points: Array
    """(features, locations + LANES), padded with zeros."""
    norms: Array
    """|location|^2."""
    boxes: Array
    """(nodes, 2, features): smallest and largest coordinates of each node."""
    cuts: Array
    """(inner nodes,): coordinate at which each is halved, across the feature in `sides`."""
    sides: Integers
    entries: Entries


def grow(columns: Array, norms: Array, own: Entries, unit: bool, leaf: int = LEAF) -> tuple[Tree, Integers]:
    """Return the tree of the locations `columns` with points `own`, and the position of each location in it.

    `unit`: boxes are of directions.  `leaf`: largest number of locations of a leaf, at least 2, because some leaves
    would else be empty.
    """
    m = columns.shape[1]
    coordinates = columns / np.sqrt(np.where(norms > 0.0, norms, 1.0)) if unit else columns.copy()
    levels = max(0, -(-m // leaf) - 1).bit_length()
    boxes = np.empty((2 << levels, 2, len(columns)))
    order = np.arange(m)
    cuts, sides = np.zeros(1 << levels), np.zeros(1 << levels, dtype=np.int64)
    build(coordinates, order, boxes, cuts, sides)
    position = np.empty(m, dtype=np.int64)
    position[order] = np.arange(m)
    size = np.diff(own.start)[order]
    first = np.concatenate(([0], np.cumsum(size)))
    entries = np.repeat(own.start[order] - first[:-1], size) + np.arange(first[-1])
    points, squares = np.zeros((len(columns), m + LANES)), np.zeros(m + LANES)
    points[:, :m], squares[:m] = columns[:, order] if unit else coordinates, norms[order]
    of_tree = Entries(first, own.label[entries], own.counts[entries])
    return Tree(points, squares, boxes, cuts, sides, of_tree), position


@jit
def build(coordinates, order, boxes, cuts, sides):  # type: ignore[no-untyped-def]
    """Sort `coordinates` (features, m) and `order` into the order of the tree, and fill the other arrays.

    Every node is halved across its widest side.
    """
    features, m = coordinates.shape
    levels = 0
    while cuts.size >> levels > 1:
        levels += 1
    for level in range(levels + 1):
        for j in range(1 << level):
            a = m * j >> level
            b = m * (j + 1) >> level
            node = (1 << level) + j
            widest = 0
            width = -1.0
            for f in range(features):
                low = coordinates[f, a]
                high = low
                for i in range(a + 1, b):
                    v = coordinates[f, i]
                    low = v if v < low else low
                    high = v if v > high else high
                boxes[node, 0, f] = low
                boxes[node, 1, f] = high
                if high - low > width:
                    width = high - low
                    widest = f
            if level == levels:
                continue
            middle = m * (2 * j + 1) >> (level + 1)
            b -= 1
            while a < b:  # Hoare's selection
                pivot = coordinates[widest, (a + b) // 2]
                i = a
                e = b
                while i <= e:
                    while coordinates[widest, i] < pivot:
                        i += 1
                    while coordinates[widest, e] > pivot:
                        e -= 1
                    if i <= e:
                        for f in range(features):
                            coordinates[f, i], coordinates[f, e] = coordinates[f, e], coordinates[f, i]
                        order[i], order[e] = order[e], order[i]
                        i += 1
                        e -= 1
                if middle <= e:
                    b = e
                elif middle >= i:
                    a = i
                else:
                    break
            cuts[node] = coordinates[widest, middle]
            sides[node] = widest
