"""KNeighborsClassifier: the vote of the k nearest points, its metrics, weights and tie rule, and its picture.

The tie rule makes the answer a function of the training *set*, not of the order in which it was written down:

* Distances are compared as float64 computes them: squared for the Euclidean metric, features added in order.
* Points strictly nearer than the k-th distance have one vote each; the m points at exactly the k-th distance
  share the votes that remain equally.
* A vote counts 1, 1/d or 1/d^2.  Votes are added per class in order of increasing distance.  With the weights
  1/d and 1/d^2, points at distance 0 alone decide, by count.
* Classes with equal votes are a tie, in `predict_proba` and in the picture; `predict` takes the lowest one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import product, repeat
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _knn_loops as loops
from .problem import check_choice, check_grid, check_integer, check_labels, check_number, check_points

Array = NDArray[np.float64]
Integers = NDArray[np.int64]

METRICS = {
    "euclidean": loops.EUCLIDEAN,
    "manhattan": loops.MANHATTAN,
    "chebyshev": loops.CHEBYSHEV,
    "minkowski": loops.MINKOWSKI,
    "cosine": loops.COSINE,
}
WEIGHTS = {
    "uniform": loops.UNIFORM,
    "distance": loops.INVERSE,
    "distance-squared": loops.INVERSE_SQUARE,
}
LARGEST_COORDINATE = 1e140  # squares, and sums of squares over many features, stay finite
PIECE = 1 << 19  # distances held at once by the plain version: 4 MB


class SurfaceClasses(NamedTuple):
    """The winning class of each pixel without the shares of the others: three arrays (rows, columns)."""

    top: NDArray[Any]
    """Index into `classes_` of the winning class, the lowest of a tie; uint8 up to 256 classes."""
    share: Array
    """Its share of the votes, float64."""
    tie: NDArray[np.bool_]
    """Whether two or more classes share the maximum."""


class KNeighborsClassifier:
    """Classifier that lets the k nearest training points vote.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of votes, at least 1.  Read at each query, then at most the number of training points.
    weights : {"uniform", "distance", "distance-squared"}, default="uniform"
        What a vote counts: 1, 1/d or 1/d^2.  Read at each query.
    metric : {"euclidean", "manhattan", "chebyshev", "minkowski", "cosine"}, default="euclidean"
        Distance d.  Cosine is 1 - <x, z> / sqrt(|x|^2 |z|^2), and 1 if one of the two is the zero vector.
    p : float, default=2
        Exponent of the Minkowski metric, from 1 to inf; 1, 2 and inf are exactly Manhattan, Euclidean and
        Chebyshev.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels seen in `fit`, sorted.
    n_features_in_ : int
    n_samples_fit_ : int

    Notes
    -----
    The tie rule stands at the top of the module.  In scikit-learn the order of the data decides instead.

    Source: Cover, Hart, "Nearest neighbor pattern classification", IEEE Trans. Inf. Theory 13, 1967; weighted
    votes: Dudani, "The distance-weighted k-nearest-neighbor rule", IEEE Trans. Syst. Man Cybern. 6, 1976.
    """

    def __init__(
        self, n_neighbors: int = 5, weights: str = "uniform", metric: str = "euclidean", p: float = 2
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.metric = metric
        self.p = p

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Keep `X` (n_samples, n_features) and the labels `y` (n_samples,), of any type that can be sorted.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence.
        """
        self._voting()
        metric = METRICS[check_choice("metric", self.metric, METRICS)]
        p = check_number("p", self.p, 1.0)
        points = _checked_points(X)
        classes, codes = check_labels(y, len(points))
        if metric == loops.MINKOWSKI:
            metric = {1.0: loops.MANHATTAN, 2.0: loops.EUCLIDEAN, np.inf: loops.CHEBYSHEV}.get(p, metric)
        self._index = _Index.build(points, codes.astype(np.int64), len(classes), metric, p)
        self.classes_ = classes
        self.n_samples_fit_, self.n_features_in_ = points.shape
        return self

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Labels of the queries `X` (n_queries, n_features): the lowest class with the largest share.

        Raises
        ------
        ValueError
            As `predict_proba`.
        """
        best = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: ArrayLike, compiled: bool = True) -> Array:
        """Share of each class in the votes, shape (n_queries, n_classes); each row adds up to 1.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features)
        compiled : bool, default=True
            False runs plain numpy: slower, but without waiting for a compiler.  Uniform votes are the same
            numbers; weighted ones may differ in the last digits, because numpy adds in another order.

        Raises
        ------
        ValueError
            Not fitted, bad queries, or more neighbors asked for than there are.
        """
        index, k, weights = self._ready()
        return index.shares(_checked_points(X, self.n_features_in_), k, weights, compiled)

    def kneighbors(
        self, X: ArrayLike | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[Array, Integers] | Integers:
        """Nearest training points of each query, nearest first; equal distances in order of their index.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), optional
            None means the training points themselves, none of which is its own neighbor.
        n_neighbors : int, optional
            None means the parameter of the estimator.
        return_distance : bool, default=True

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Only if `return_distance`.
        indices : ndarray of shape (n_queries, n_neighbors)
            Rows of the `X` given to `fit`.

        Raises
        ------
        ValueError
            Not fitted, bad queries, or more neighbors asked for than there are.
        """
        index = self._fitted()._index
        k = check_integer("n_neighbors", self.n_neighbors if n_neighbors is None else n_neighbors, 1)
        if X is None:
            self._check_enough(k, self.n_samples_fit_ - 1, "other training points")
            queries = index.points
        else:
            self._check_enough(k, self.n_samples_fit_, "training points")
            queries = index.scaled(_checked_points(X, self.n_features_in_))
        distances = np.empty((len(queries), k))
        indices = np.empty((len(queries), k), dtype=np.int64)
        for piece, d in index.pieces(queries):
            if X is None:
                rows = np.arange(len(d))
                d[rows, rows + piece.start] = np.inf
            kth = np.partition(d, k - 1, axis=1)[:, k - 1]
            for row, values in enumerate(d):
                near = np.flatnonzero(values <= kth[row])
                nearest = near[np.argsort(values[near], kind="stable")[:k]]
                distances[piece.start + row] = values[nearest]
                indices[piece.start + row] = nearest
        if index.metric == loops.EUCLIDEAN:
            distances = np.sqrt(distances)
        return (distances, indices) if return_distance else indices

    def score(self, X: ArrayLike, y: ArrayLike) -> float:
        """Fraction of the queries `X` whose predicted label is the one in `y`.

        Raises
        ------
        ValueError
            As `predict_proba`, or not one label per query.
        """
        predicted = self.predict(X)
        expected = np.asarray(y)
        if expected.shape != predicted.shape:
            wanted = f"one label for each of the {len(predicted)} queries"
            raise ValueError(f"y must have {wanted}; its shape is {expected.shape}.")
        return float(np.mean(predicted == expected))

    def surface(self, xs: ArrayLike, ys: ArrayLike) -> Array:
        """Vote shares at all points (xs[i], ys[j]): shape (len(ys), len(xs), n_classes).

        Bit for bit what `predict_proba` gives there, but far faster: neighbouring pixels share their work.

        Parameters
        ----------
        xs, ys : array-like of shape (n_columns,), (n_rows,)
            Must not decrease; need not be equally spaced.

        Raises
        ------
        ValueError
            Not fitted, other than two features, or a grid that decreases or is not finite.
        """
        return self.surface_on(xs)(ys)

    def surface_on(self, xs: ArrayLike, compiled: bool = True) -> Callable[[ArrayLike], Array]:
        """Prepare the columns `xs` of a picture; the returned function gives `surface(xs, ys)` for some rows.

        It does not notice a later `fit` or a changed parameter, and may be called from any thread.
        `compiled` as in `predict_proba`; raises what `surface` raises.
        """
        rows = self._rows_on(xs, compiled, compact=False)
        return lambda ys: rows(ys)[0]

    def surface_classes_on(
        self, xs: ArrayLike, compiled: bool = True
    ) -> Callable[[ArrayLike], SurfaceClasses]:
        """Like `surface_on`, but the returned function gives the winning class only, as `SurfaceClasses`."""
        rows = self._rows_on(xs, compiled, compact=True)
        return lambda ys: rows(ys)[1]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters by name."""
        return {name: getattr(self, name) for name in ("n_neighbors", "weights", "metric", "p")}

    def set_params(self, **params: Any) -> Self:
        """Set parameters by name; `metric` and `p` take effect at the next `fit`.

        Raises
        ------
        ValueError
            A name that is no parameter; then nothing is set.
        """
        for name in params:
            check_choice("parameter", name, self.get_params())
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return f"KNeighborsClassifier({', '.join(f'{k}={v!r}' for k, v in self.get_params().items())})"

    def _fitted(self) -> Self:
        if not hasattr(self, "_index"):
            raise ValueError("This KNeighborsClassifier is not fitted yet; call fit first.")
        return self

    def _voting(self) -> tuple[int, int]:
        k = check_integer("n_neighbors", self.n_neighbors, 1)
        return k, WEIGHTS[check_choice("weights", self.weights, WEIGHTS)]

    def _ready(self) -> tuple[_Index, int, int]:
        index = self._fitted()._index
        k, weights = self._voting()
        self._check_enough(k, self.n_samples_fit_, "training points")
        return index, k, weights

    def _check_enough(self, k: int, available: int, what: str) -> None:
        if k > available:
            raise ValueError(f"n_neighbors is {k}; it must be at most the number of {what}, {available}.")

    def _rows_on(
        self, xs: ArrayLike, compiled: bool, compact: bool
    ) -> Callable[[ArrayLike], tuple[Array, SurfaceClasses]]:
        index, k, weights = self._ready()
        columns = _checked_grid(xs, "xs", self.n_features_in_)

        def rows(ys: ArrayLike) -> tuple[Array, SurfaceClasses]:
            return index.picture(columns, _checked_grid(ys, "ys", 2), k, weights, compiled, compact)

        return rows


@dataclass(frozen=True)
class _Index:
    """Training points as the loops want them; never changed after it is built.

    Equal points are one *location* with a count per class: a thousand points on one spot cost no more than
    one, and the order in which the points came leaves no trace.
    """

    metric: int
    p: float
    n_classes: int
    points: Array
    """(n, features), in the order given; scaled for the cosine."""
    codes: Integers
    columns: Array
    """(features, locations)."""
    norms: Array
    """|location|^2."""
    start: Integers
    label: Integers
    count: Integers
    strips: Integers
    """Bounds of ranges of locations: x increases from strip to strip, y within one (two features only)."""

    @classmethod
    def build(cls, points: Array, codes: Integers, n_classes: int, metric: int, p: float) -> _Index:
        """Index `points` (n, features) of classes `codes` (n,)."""
        if metric == loops.COSINE:
            points = _unit_exponent(points)
        points = points + 0.0  # -0.0 and 0.0 are one coordinate
        order = np.lexsort((codes, *points.T[::-1]))
        ordered = points[order]
        is_new = np.ones(len(points), dtype=bool)
        is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
        locations = ordered[is_new]
        n = len(locations)
        place = np.arange(n)
        strips = np.array([0, n], dtype=np.int64)
        if points.shape[1] == 2:  # locations are in order of x already: sort by y inside each strip
            strips = np.linspace(0, n, max(1, int(math.sqrt(n) / 3)) + 1).astype(np.int64)
            by_strip = np.lexsort((locations[:, 1], np.searchsorted(strips, place, side="right")))
            locations = locations[by_strip]
            place[by_strip] = np.arange(n)
        cells, count = np.unique(
            place[np.cumsum(is_new) - 1] * n_classes + codes[order], return_counts=True
        )
        start = np.searchsorted(cells // n_classes, np.arange(n + 1)).astype(np.int64)
        norms = np.zeros(n)
        for feature in locations.T:
            norms += feature * feature
        columns = np.array(locations.T, order="C")
        label = (cells % n_classes).astype(np.int64)
        count = count.astype(np.int64)
        return cls(metric, p, n_classes, points, codes, columns, norms, start, label, count, strips)

    def scaled(self, queries: Array) -> Array:
        """The queries as `points` are kept."""
        return _unit_exponent(queries) if self.metric == loops.COSINE else queries

    def shares(self, queries: Array, k: int, weights: int, compiled: bool) -> Array:
        """Vote shares (n_queries, n_classes)."""
        queries = self.scaled(queries)
        out = np.empty((len(queries), self.n_classes))
        if compiled:
            loops.vote_at(
                self.metric, self.p, weights, k, queries, self.columns, self.norms,
                self.start, self.label, self.count, out,
            )  # fmt: skip
            return out
        votes_of = np.equal.outer(self.codes, np.arange(self.n_classes)).astype(np.float64)
        for piece, d in self.pieces(queries):
            out[piece] = _plain_shares(d, k, weights, self.metric == loops.EUCLIDEAN, votes_of)
        return out

    def picture(
        self, xs: Array, ys: Array, k: int, weights: int, compiled: bool, compact: bool
    ) -> tuple[Array, SurfaceClasses]:
        """Shares and classes at (xs[i], ys[j]); only the one of the two that `compact` selects is filled."""
        if not compiled:
            out = np.empty((len(ys), len(xs), self.n_classes))
            for j, i in product(range(0, len(ys), loops.TILE), range(0, len(xs), loops.TILE)):
                tile = slice(j, j + loops.TILE), slice(i, i + loops.TILE)
                out[tile] = self._plain_tile(xs[tile[1]], ys[tile[0]], k, weights)
            top, share = out.argmax(axis=2), out.max(axis=2)
            tie = (out == share[..., None]).sum(axis=2) > 1
        else:
            out = np.empty((*((0, 0) if compact else (len(ys), len(xs))), self.n_classes))
            shape = (len(ys), len(xs)) if compact else (0, 0)
            top, share, tie = np.empty(shape, np.int64), np.empty(shape), np.empty(shape, np.bool_)
            single = bool(len(self.norms) == len(self.points))
            zeros = bool((self.norms == 0.0).any())
            loops.vote_on_grid(
                self.metric, self.p, weights, k, self.columns, self.start, self.label, self.count,
                single, zeros, self.strips, xs, ys, compact, out, top, share, tie,
            )  # fmt: skip
        return out, SurfaceClasses(top.astype(np.uint8) if self.n_classes <= 256 else top, share, tie)

    def _plain_tile(self, xs: Array, ys: Array, k: int, weights: int) -> Array:
        """A few pixels of a picture in plain numpy, with the first of the two tests that `_knn_loops` explains."""
        queries = np.column_stack([np.tile(xs, len(ys)), np.repeat(ys, len(xs))])
        index = self
        if self.metric != loops.COSINE:
            centre = np.array([[0.5 * xs[0] + 0.5 * xs[-1], 0.5 * ys[0] + 0.5 * ys[-1]]])
            corners = np.array([[xs[0], ys[0]], [xs[-1], ys[-1]]])
            d = _plain_distances(self.metric, self.p, centre, np.concatenate([self.points, corners]))[0]
            if self.metric == loops.EUCLIDEAN:
                d = np.sqrt(d)
            d, radius = d[:-2], d[-2:].max()
            near = d <= (np.partition(d, k - 1)[k - 1] + 2.0 * radius) * (1.0 + loops.SLACK) + 1e-150
            index = replace(self, points=self.points[near], codes=self.codes[near])
        return index.shares(queries, k, weights, compiled=False).reshape(len(ys), len(xs), self.n_classes)

    def pieces(self, queries: Array) -> Iterator[tuple[slice, Array]]:
        """Plain distances as compared, (queries of the piece, all points): a bounded number at a time."""
        step = max(1, PIECE // len(self.points))
        for begin in range(0, len(queries), step):
            piece = slice(begin, min(begin + step, len(queries)))
            yield piece, _plain_distances(self.metric, self.p, queries[piece], self.points)


def _plain_distances(metric: int, p: float, queries: Array, points: Array) -> Array:
    """Distances as compared, (n_queries, n_points), operation by operation what the compiled loops do."""
    d = np.zeros((len(queries), len(points)))
    features = list(zip(queries.T, points.T, strict=True))
    if metric == loops.COSINE:
        own, other = np.zeros(len(queries)), np.zeros(len(points))
        for x, z in features:
            d += np.multiply.outer(x, z)
            own += x * x
            other += z * z
        norms = np.multiply.outer(own, other)
        zero = norms == 0.0
        norms[zero] = 1.0
        d = np.maximum(0.0, 1.0 - d / np.sqrt(norms))
        d[zero] = 1.0
    elif metric == loops.MINKOWSKI:
        largest = d
        for x, z in features:
            largest = np.maximum(largest, abs(np.subtract.outer(x, z)))
        divisor = np.where(largest > 0.0, largest, 1.0)
        total = np.zeros_like(d)
        for x, z in features:
            total += _power(abs(np.subtract.outer(x, z)) / divisor, p)
        d = largest * _power(total, 1.0 / p)
    else:
        for x, z in features:
            t = np.subtract.outer(x, z)
            if metric == loops.EUCLIDEAN:
                d += t * t
            elif metric == loops.MANHATTAN:
                d += abs(t)
            else:
                d = np.maximum(d, abs(t))
    return d


def _power(values: Array, exponent: float) -> Array:
    """C's pow, which the compiled loops call: numpy's own rounds differently at times and would undo ties."""
    powers = map(math.pow, values.ravel().tolist(), repeat(exponent))
    return np.fromiter(powers, np.float64, values.size).reshape(values.shape)


def _plain_shares(d: Array, k: int, weights: int, squared: bool, votes_of: Array) -> Array:
    """The tie rule in numpy: shares (queries, classes) from distances `d` and one-hot classes `votes_of`."""
    kth = np.partition(d, k - 1, axis=1)[:, k - 1, None]
    near, tied = d < kth, d == kth
    size = tied.sum(axis=1, keepdims=True).astype(np.float64)
    room = k - near.sum(axis=1, keepdims=True).astype(np.float64)
    votes: Array
    if weights == loops.UNIFORM:
        votes = (near @ votes_of * size + tied @ votes_of * room) / (k * size)
        return votes
    root, square = (np.sqrt(d), d) if squared else (d, d * d)
    with np.errstate(divide="ignore", over="ignore"):
        weight = np.minimum(1.0 / (root if weights == loops.INVERSE else square), loops.LARGEST_WEIGHT)
    votes = np.where(near, weight, np.where(tied, room / size * weight, 0.0)) @ votes_of
    at_zero = d == 0.0
    decided = at_zero.any(axis=1)
    votes[decided] = at_zero[decided] @ votes_of
    votes /= votes.sum(axis=1, keepdims=True)
    return votes


def _unit_exponent(vectors: Array) -> Array:
    """Rows scaled by powers of two to a largest coordinate in [1/2, 1): no square over- or underflows."""
    exponent = np.frexp(abs(vectors).max(axis=1, keepdims=True))[1]
    scaled: Array = np.ldexp(vectors, -exponent)
    return scaled


def _checked_points(X: ArrayLike, n_features: int | None = None) -> Array:
    """A writable copy: the machine code for read-only arrays is another, compiled anew."""
    points = np.array(check_points(X, n_features=n_features), order="C")
    _check_size("X", points)
    return points


def _checked_grid(values: ArrayLike, name: str, n_features: int) -> Array:
    try:
        grid = np.array(check_grid(values, (), n_features)[0])
    except (TypeError, ValueError):
        if n_features != 2:
            raise
        raise ValueError(f"{name} must be a one-dimensional array of finite numbers.") from None
    _check_size(name, grid)
    if (np.diff(grid) < 0).any():
        at = int(np.flatnonzero(np.diff(grid) < 0)[0]) + 1
        raise ValueError(f"{name} must not decrease; {name}[{at}] is {grid[at]:g}, less than the one before.")
    return grid


def _check_size(name: str, values: Array) -> None:
    if values.size and abs(values).max() > LARGEST_COORDINATE:
        worst = values.flat[abs(values).argmax()]
        limit = f"{LARGEST_COORDINATE:g}"
        raise ValueError(f"{name} holds the value {worst:g}; coordinates must lie in [-{limit}, {limit}].")

