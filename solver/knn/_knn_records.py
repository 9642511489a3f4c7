"""The records that the compiled loops of nearest neighbours take, so that no two of their arrays can be swapped."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from solver.core.arrays import Array, Integers, Mask

from ._knn_select import LANES


class Metric(NamedTuple):
    """A metric: its code in `_knn_loops`, and the exponent of the Minkowski metric."""

    code: int
    p: float


class Voting(NamedTuple):
    """How votes are counted: metric, code of the weights, and number of votes."""

    metric: Metric
    weights: int
    k: int


class Entries(NamedTuple):
    """The points of each location by class: location j has the entries start[j] to start[j + 1]."""

    start: Integers  #: (locations + 1,)
    label: Integers  #: (entries,) class of the points
    counts: Integers  #: (entries,) their number


class AbsentVoter(NamedTuple):
    """A training point that has no vote, by location (-1: there is none) and class; or those of many queries."""

    location: int | Integers
    label: int | Integers


class Tally(NamedTuple):
    """Scratch of a vote: a zero for each class, left zero, and the vote shares."""

    level: Array
    shares: Array


class Found(NamedTuple):
    """Result of a search: the r-th query has the distances and locations from ends[r] to ends[r + 1]."""

    d: Array
    who: Integers
    ends: Integers


class Queries(NamedTuple):
    """The queries of a search: all of them, the numbers of those to search for, and a leaf near each of all."""

    at: Array
    order: Integers
    leaf: Integers


class Slack(NamedTuple):
    """Margin of a bound: a factor and an addition."""

    wide: float
    extra: float


class Rough(NamedTuple):
    """Approximation of Minkowski distances, see `_knn_loops.search`; without effect for other metrics."""

    powers: Array
    narrow: float
    slack: Slack


class Members(NamedTuple):
    """Rows of the training points, increasing in each location: those of location j from first[j] to first[j + 1]."""

    rows: Integers
    first: Integers


class Plane(NamedTuple):
    """The locations of a picture, strip by strip: strip s is strips[s] to strips[s + 1], sorted by y."""

    at: Array  #: (2, locations)
    entries: Entries
    sole: Integers  #: (locations,) class of all points there, or -1 if there are several
    strips: Integers
    edges: Array  #: (2, strips): least and greatest x of each
    single: bool  #: whether every location is one training point
    zeros: bool  #: whether one is the zero vector


class PixelAxes(NamedTuple):
    """Coordinates of the columns and rows of a picture."""

    xs: Array
    ys: Array


class VotePicture(NamedTuple):
    """What is drawn: shares (rows, columns, classes), or (`compact`) winners, their shares and whether they tie."""

    compact: bool
    wanted: Mask  #: which tiles are drawn; all if it is empty
    bound: Array  #: (rows, tiles in a row): receives a bound on the distances of voters, not for the cosine; or empty
    shares: Array
    top: Integers
    share: Array
    tie: Mask


class Candidates(NamedTuple):
    """Locations that may vote in a tile: several lists, one behind the other in the same three arrays."""

    x: Array
    y: Array
    tag: Integers  #: the location or, where only counts matter, its class
    d: Array  #: distances of one of the lists


def new_candidates(n_locations: int, lists: int) -> Candidates:
    """Return room for `lists` lists of all locations."""
    room = lists * (n_locations + LANES)
    return Candidates(np.zeros(room), np.zeros(room), np.zeros(room, np.int64), np.empty(n_locations + LANES))


class Box(NamedTuple):
    """A rectangle of the plane."""

    x0: float
    x1: float
    y0: float
    y1: float


class TilePart(NamedTuple):
    """A part of a tile: pixels [x0, x1) x [y0, y1), candidates [a, b), its depth, and votes that are not certain."""

    x0: int
    x1: int
    y0: int
    y1: int
    a: int
    b: int
    floor: int
    left: int
