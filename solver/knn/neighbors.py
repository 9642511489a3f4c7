"""KNeighborsClassifier: the vote of the k nearest points, with its metrics, weights, tie rule and picture.

The tie rule makes the answer a function of the training *set*, not of the order of its points:

* Distances are compared as float64 computes them: squared for the Euclidean metric, features added in order.  So equal
  distances tie where the differences are whole numbers, or those times a power of two, of moderate size; Minkowski
  distances too if p is whole and at most 64.  Else equal ones may differ in the last digit or two.
* The cosine metric compares directions only: training points in exactly the same direction are at the same distance
  from any query, whatever their lengths.  A query in exactly their direction is at distance 0, and so is one so close
  to it that rounding cannot tell the two apart (within about 5e-8 radians).
* Points strictly nearer than the k-th distance have one vote each; the m points at exactly the k-th distance
  share the remaining votes equally.
* A vote counts 1, 1/d or 1/d^2.  Votes are added per class in order of increasing distance.  With the weights
  1/d and 1/d^2, if any points are at distance 0, only these vote, one vote each.
* Classes with equal votes are a tie, in `predict_proba` and in the picture; `predict` returns the lowest one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Integers, Mask
from solver.core.checks import check_axis, check_choice, check_integer, check_labels, check_number, check_points
from solver.core.estimator import Classifier
from solver.core.scikit_learn import of_scikit_learn

from . import _knn_loops as loops
from ._knn_index import Index, LateIndex, SurfaceClasses
from ._knn_records import PixelAxes
from ._knn_tree import LEAF
from .metric_balls import OF_NORMS
from .running_votes import RunningVotes
from .search_tree import SearchTree
from .vote import Vote, vote

METRICS = {
    "euclidean": loops.EUCLIDEAN,
    "manhattan": loops.MANHATTAN,
    "chebyshev": loops.CHEBYSHEV,
    "minkowski": loops.MINKOWSKI,
    "cosine": loops.COSINE,
}
#: Other names that scikit-learn has for the same metrics.
_SYNONYMS = {"cityblock": "manhattan", "l1": "manhattan", "l2": "euclidean"}
WEIGHTS = {"uniform": loops.UNIFORM, "distance": loops.INVERSE, "distance-squared": loops.INVERSE_SQUARE}
#: What else scikit-learn's classifier takes: here the votes are counted before any distance is handed out.
ELSEWHERE = " A function and precomputed distances are taken by sklearn.neighbors.KNeighborsClassifier."


def inverse_square(distances: Array) -> Array:
    """Return the votes 1/d^2 of distances (n_queries, k), for scikit-learn; points at distance 0 vote alone."""
    with np.errstate(divide="ignore", over="ignore"):
        votes: Array = 1.0 / (distances * distances)
    alone = np.isinf(votes)
    here = alone.any(axis=1)
    votes[here] = alone[here]
    return votes


@dataclass(repr=False, eq=False)
class KNeighborsClassifier(Classifier):
    """Classifier that predicts the class with most votes among the k nearest training points.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of votes, at least 1.  It takes effect at the next query, and must be at most the number of training
        points then.
    weights : {"uniform", "distance", "distance-squared"}, default="uniform"
        Weight of a vote: 1, 1/d or 1/d^2.  It takes effect at the next query.
    metric : {"minkowski", "euclidean", "manhattan", "chebyshev", "cosine"}, default="minkowski"
        Distance d; as in scikit-learn, "cityblock" and "l1" are other names of "manhattan", and "l2" of "euclidean".
        The cosine distance is 1 - <x, z> / sqrt(|x|^2 |z|^2), and 1 if one of the two is the zero vector.  It is
        computed once for each direction, so that parallel points tie, and is 0 where it is at most
        (n_features + 4) eps, which is rounding error.
    p : float, default=2
        Exponent of the Minkowski metric, from 1 to inf; 1, 2 and inf are exactly Manhattan, Euclidean and Chebyshev.
        With another metric it must stay 2, because it would have no effect.
    algorithm, leaf_size, n_jobs : ignored
        Accepted as in scikit-learn, without effect: the search is chosen by the data and always exact.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels seen in `fit`, sorted.
    n_features_in_ : int
        Number of features.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Only if `fit` was given a data frame whose column names are strings.
    n_samples_fit_ : int
        Number of training points.
    kind : "votes"
        The classifier's values are shares of votes, not those of a function f.

    See Also
    --------
    solver.knn.neighbors : The tie rule in full.

    Notes
    -----
    Points at exactly the k-th distance share the remaining votes, and classes with equal votes are a tie, of which
    `predict` returns the lowest class: the order of the training points never matters.  In scikit-learn it does.

    References
    ----------
    Cover, Hart, "Nearest neighbor pattern classification", IEEE Trans. Inf. Theory 13, 1967.  Weighted votes: Dudani,
    "The distance-weighted k-nearest-neighbor rule", IEEE Trans. Syst. Man Cybern. 6, 1976.

    Examples
    --------
    >>> from solver import KNeighborsClassifier
    >>> X, y = [[0, 0], [0, 1], [3, 0], [4, 0], [4, 1]], ["red", "red", "blue", "blue", "blue"]
    >>> model = KNeighborsClassifier(n_neighbors=3).fit(X, y)
    >>> model.predict([[1, 0]]).tolist(), model.predict_proba([[1, 0]]).round(2).tolist()
    (['red'], [[0.33, 0.67]])

    Number of leave-one-out errors, without training again:

    >>> int((model.leave_one_out() != y).sum())
    2
    """

    kind: ClassVar[Literal["votes"]] = "votes"
    _largest_coordinate = 1e140  # squares, and sums of squares over many features, stay finite

    n_neighbors: int = 5
    weights: str = "uniform"
    metric: str = "minkowski"
    p: float = 2
    algorithm: str = field(default="auto", kw_only=True)
    leaf_size: int = field(default=30, kw_only=True)
    n_jobs: int | None = field(default=None, kw_only=True)

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Store the training points and their labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers of at most 1e140.  As in scikit-learn, an array of more than 15 features is kept itself,
            and must not change while there are queries.
        y : array-like of shape (n_samples,)
            Labels that can be sorted: whole numbers or strings.  One class is enough.

        Returns
        -------
        Self
            This estimator, fitted.

        Raises
        ------
        ValueError
            If the data or a parameter is invalid; the estimator is then unchanged.
        TypeError
            If `X` holds an object that is not a number, such as a dict or a date, or if only some of its column names
            are strings.
        """
        self._voting()
        name, p = self._distance()
        points = self._scaled_to_learn(check_points(X, self._largest_coordinate, copy=False))
        classes, codes = check_labels(y, len(points))
        if name == "minkowski":
            name = OF_NORMS.get(p, name)
        self._late = LateIndex(points, codes.astype(np.int64), len(classes), METRICS[name], p)
        self.classes_ = classes
        self.n_samples_fit_, self.n_features_in_ = points.shape
        return self._learned_from(X)

    def predict(self, X: ArrayLike | None) -> NDArray[Any]:
        """Return the label of each query: the class with the largest share of votes, the lowest of equals.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or None
            As in `predict_proba`.

        Returns
        -------
        ndarray of shape (n_queries,)

        Raises
        ------
        ValueError, TypeError
            As `predict_proba`.
        """
        best = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def predict_proba(self, X: ArrayLike | None) -> Array:
        """Return the share of each class in the votes.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or None
            None means the training points themselves, each without its own vote; see `leave_one_out`.

        Returns
        -------
        ndarray of shape (n_queries, n_classes)
            Each row adds up to 1.

        Raises
        ------
        ValueError
            If the estimator is not fitted (NotFittedError), if `X` does not hold finite numbers of `n_features_in_`
            features, or if `n_neighbors` is larger than the number of points that can vote.
        TypeError
            If `X` holds an object that is not a number, such as a dict or a date.

        Notes
        -----
        While `fast_loops.ready` is False, uniform votes are the same numbers; weighted ones may differ in the last
        digits, because numpy adds in another order.
        """
        if X is None:
            return self.shares_without_self()
        queries = self._queries(X)
        index, k, weights = self._ready(n_queries=len(queries))
        return index.shares(queries, k, weights)

    def leave_one_out(self, rows: ArrayLike | None = None) -> NDArray[Any]:
        """Return the label of each training point as predicted by a `fit` without that point.

        Parameters
        ----------
        rows : array-like of int, optional
            Indices of training points, as rows of the `X` given to `fit`; default all.

        Returns
        -------
        ndarray of shape (len(rows),)

        Raises
        ------
        ValueError
            If the estimator is not fitted (NotFittedError), if a row does not exist, or if `n_neighbors` is larger than
            the number of other points.

        Notes
        -----
        The result is exact, ties included.

        References
        ----------
        Lachenbruch, Mickey, "Estimation of error rates in discriminant analysis", Technometrics 10, 1968.
        """
        best = self.shares_without_self(rows).argmax(axis=1)
        return np.asarray(self.classes_[best])

    def kneighbors(
        self, X: ArrayLike | None = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> tuple[Array, Integers] | Integers:
        """Return the nearest training points of each query, nearest first; equal distances in order of their index.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), optional
            None means the training points themselves, none of which is its own neighbor.
        n_neighbors : int, optional
            None means the parameter of the estimator.
        return_distance : bool, default=True
            Whether to return the distances as well.

        Returns
        -------
        distances : ndarray of shape (n_queries, n_neighbors)
            Only if `return_distance`; in the units of the metric.
        indices : ndarray of shape (n_queries, n_neighbors), int
            Rows of the `X` given to `fit`.

        Raises
        ------
        ValueError, TypeError
            As `predict_proba`.
        """
        given = self._fitted()._index.own if X is None else self._queries(X)
        k = check_integer("n_neighbors", self.n_neighbors if n_neighbors is None else n_neighbors, 1)
        self._check_enough(k, X is None)
        index = self._late.get(len(given))
        distances, indices = index.neighbors(index.scaled(given), k, X is None)
        if index.metric == loops.EUCLIDEAN:
            distances = np.sqrt(distances)
        return (distances, indices) if return_distance else indices

    def kneighbors_graph(
        self, X: ArrayLike | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """Return the nearest training points of each query as a sparse matrix, as scikit-learn's method of this name.

        Parameters
        ----------
        X, n_neighbors
            As in `kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            Value at a neighbor: 1, or its distance.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_queries, n_samples_fit_)
            Each row has the `n_neighbors` columns that `kneighbors` returns, nearest first.

        Raises
        ------
        ValueError
            As `kneighbors`, or if `mode` is another.
        TypeError
            As `kneighbors`.
        ImportError
            If scipy is not installed, which only this method needs.
        """
        check_choice("mode", mode, ("connectivity", "distance"))
        try:
            from scipy.sparse import csr_matrix
        except ImportError:
            raise ImportError("kneighbors_graph makes a sparse matrix of scipy, which is not installed.") from None
        distances, indices = self.kneighbors(X, n_neighbors)
        values = np.ones(indices.size) if mode == "connectivity" else distances.ravel()
        starts = np.arange(0, indices.size + 1, indices.shape[1])
        return csr_matrix((values, indices.ravel(), starts), shape=(len(indices), self.n_samples_fit_))

    def to_sklearn(self) -> Any:
        """Return the `sklearn.neighbors.KNeighborsClassifier` with the corresponding parameters, not fitted.

        It decides ties by the order of the points.

        Raises
        ------
        ValueError
            If a parameter is invalid.
        ImportError
            If scikit-learn is not installed.
        """
        k, _ = self._voting()
        metric, p = self._distance()
        if metric == "minkowski" and np.isinf(p):
            metric, p = "chebyshev", 2.0
        weights: Any = inverse_square if self.weights == "distance-squared" else self.weights
        make = of_scikit_learn("neighbors", "KNeighborsClassifier")
        return make(k, weights=weights, metric=metric, **({"p": p} if metric == "minkowski" else {}))

    @property
    def neighbours(self) -> Self:
        """This estimator: the votes that it counts are those of nearest neighbours."""
        return self

    def vote_at(self, point: ArrayLike) -> Vote:
        """Return the points that vote at a location, and the weight of each vote; computed in plain numpy.

        Parameters
        ----------
        point : array-like of shape (n_features,)
            Location of the query.

        Returns
        -------
        Vote

        Raises
        ------
        ValueError, TypeError
            As `predict_proba`.
        """
        query = self._queries(np.atleast_2d(point))
        index, k, weights = self._ready()
        return vote(index, query[0], k, weights)

    def search_tree(self, leaf_size: int = LEAF) -> SearchTree:
        """Return the k-d tree that `predict` and `kneighbors` search, with leaves of at most `leaf_size` locations.

        Raises
        ------
        ValueError
            If the estimator is not fitted (NotFittedError), if the metric is the cosine, or if `leaf_size` is below 2.
        """
        return SearchTree.of(self._fitted()._index, leaf_size)

    def surface(self, xs: ArrayLike, ys: ArrayLike) -> Array:
        """Return the vote shares at all points (xs[i], ys[j]), much faster than point by point.

        Parameters
        ----------
        xs, ys : array-like of shape (n_columns,), (n_rows,)
            Coordinates of columns and rows; they must not decrease, but need not be equally spaced.

        Returns
        -------
        ndarray of shape (n_rows, n_columns, n_classes)
            Equal to `predict_proba` at these points, bit for bit.

        Raises
        ------
        ValueError
            If the estimator is not fitted (NotFittedError) or has other than two features, or if an axis decreases or
            is not finite.
        TypeError
            If an axis holds an object that is not a number.
        """
        return self.surface_on(xs)(ys)

    def surface_on(self, xs: ArrayLike) -> Callable[[ArrayLike], Array]:
        """Prepare the columns `xs` of a picture, and return a function ``rows(ys)`` that returns `surface(xs, ys)`.

        The function ignores a later `fit` or changed parameter, and may be called from any thread.  It raises what
        `surface` raises.
        """
        index, k, weights = self._ready()
        columns = self._axis("xs", xs)
        return lambda ys: index.picture(columns, self._axis("ys", ys), k, weights, False)[0]

    def surface_classes_on(self, xs: ArrayLike) -> Callable[[ArrayLike], SurfaceClasses]:
        """Prepare columns `xs` as `surface_on`; the function returns the winning class only (`SurfaceClasses`)."""
        index, k, weights = self._ready()
        columns = self._axis("xs", xs)
        return lambda ys: index.picture(columns, self._axis("ys", ys), k, weights, True)[1]

    def next_surface_classes(self, running: RunningVotes) -> Callable[[Array], SurfaceClasses]:
        """Prepare `surface_classes_on` the grid of `running`, reusing its last picture where few points have changed.

        What the returned function returns is overwritten by the next picture.
        """
        index, k, weights = self._ready()
        if self.scaler is not None:  # whose points all move with each that does
            return self.surface_classes_on(running.grid.xs)
        self._axis("xs", running.grid.xs)
        self._axis("ys", running.grid.ys)
        return running.rows(index, k, weights, tuple(self.classes_.tolist()))

    def cells_on(self, xs: ArrayLike) -> Callable[[ArrayLike], Integers]:
        """Prepare the columns `xs` of a picture, and return a function ``rows(ys)`` that returns the cells of rows.

        The cell of a pixel is the set of points that vote there: the k nearest, and those as far as the k-th.

        Parameters
        ----------
        xs : array-like of shape (n_columns,)
            Coordinates of the columns, as of `surface`.

        Returns
        -------
        callable
            ``rows(ys)`` returns a number for each pixel (xs[i], ys[j]), shape (n_rows, n_columns): the same one where
            the same points vote.

        Raises
        ------
        ValueError, TypeError
            As `surface`.

        Notes
        -----
        For k = 1 the cells are the Voronoi cells of the points, else those of order k.  Numbers are sums of random
        keys: two different cells have the same one with a probability of 2^-64.

        References
        ----------
        Aurenhammer, "Voronoi diagrams: a survey of a fundamental geometric data structure", ACM Computing Surveys 23,
        1991.

        Examples
        --------
        >>> from solver import KNeighborsClassifier
        >>> classifier = KNeighborsClassifier(n_neighbors=1).fit([[0.0, 0.0], [1.0, 0.0]], [0, 1])
        >>> cells = classifier.cells_on([-0.2, 0.2, 0.8])([0.0])
        >>> (cells[:, 1:] != cells[:, :-1]).tolist()
        [[False, True]]
        """
        index, k, _ = self._ready()
        columns, n = self._axis("xs", xs), len(index.norms)
        keys = np.random.default_rng(n).integers(-(2**63), 2**63, n, dtype=np.int64)

        def rows(ys: ArrayLike) -> Integers:
            lines = self._axis("ys", ys)
            cells = np.empty((len(lines), len(columns)), dtype=np.int64)
            kept = np.empty(0, dtype=np.bool_)
            index.cells(PixelAxes(columns, lines), k, loops.UNIFORM, keys, cells, kept)
            return cells

        return rows

    def kept_on(self, xs: ArrayLike, rows: ArrayLike | None = None) -> Callable[[ArrayLike], Mask]:
        """Prepare the columns `xs` of a picture, and return a function ``needed(ys)`` that finds the points it needs.

        A pixel needs a point if `fit` without the point would predict another class there, or a tie in place of a
        class, or the other way round.

        Parameters
        ----------
        xs : array-like of shape (n_columns,)
            Coordinates of the columns, as of `surface`.
        rows : array-like of int, default=None
            Training points to check, as rows of the `X` given to `fit`; all if None.

        Returns
        -------
        callable
            ``needed(ys)`` returns, for each of these points, whether a pixel (xs[i], ys[j]) of this call or of an
            earlier one needs it.  With no more than k points every point is needed.

        Raises
        ------
        ValueError, TypeError
            As `surface`.

        Notes
        -----
        A point that no pixel needs is *idle*, the counterpart of a multiplier that is 0.  Each point is checked by
        itself: two equal points may both be idle, although one of them is needed.

        Examples
        --------
        >>> from solver import KNeighborsClassifier
        >>> classifier = KNeighborsClassifier(n_neighbors=1).fit([[-1.0, 0.0], [-0.9, 0.0], [1.0, 0.0]], [0, 0, 1])
        >>> classifier.kept_on([-2.0, -1.0, 1.0])([0.0]).tolist()
        [False, False, True]
        """
        index, k, weights = self._ready()
        columns, nothing, no_cells = self._axis("xs", xs), np.empty(0, np.int64), np.empty((0, 0), np.int64)
        entries = index.entry if rows is None else index.entry[np.asarray(rows, dtype=np.int64)]
        kept = np.ones(len(index.entries.label), dtype=np.bool_)
        if self.n_samples_fit_ > k:
            kept[entries] = False

        def needed(ys: ArrayLike) -> Mask:
            index.cells(PixelAxes(columns, self._axis("ys", ys)), k, weights, nothing, no_cells, kept)
            return kept[entries]

        return needed

    @property
    def _index(self) -> Index:
        return self._late.get()

    def _voting(self) -> tuple[int, int]:
        k = check_integer("n_neighbors", self.n_neighbors, 1)
        return k, WEIGHTS[check_choice("weights", self.weights, WEIGHTS, ELSEWHERE)]

    def _distance(self) -> tuple[str, float]:
        """Return the name of the metric and its exponent, checked."""
        named = _SYNONYMS.get(self.metric, self.metric) if isinstance(self.metric, str) else self.metric
        metric, p = check_choice("metric", named, METRICS, ELSEWHERE), check_number("p", self.p, 1.0)
        if metric != "minkowski" and p != 2:
            raise ValueError(f"p is {self.p!r}, but metric {metric!r} has no p; leave it 2, or choose 'minkowski'.")
        return metric, p

    def _ready(self, without_self: bool = False, n_queries: float = np.inf) -> tuple[Index, int, int]:
        self._fitted()
        k, weights = self._voting()
        self._check_enough(k, without_self)
        return self._late.get(n_queries), k, weights

    def shares_without_self(self, rows: ArrayLike | None = None) -> Array:
        """Return the vote shares of `leave_one_out`, shape (len(rows), n_classes)."""
        index, k, weights = self._ready(without_self=True)
        wanted = np.arange(self.n_samples_fit_) if rows is None else np.asarray(rows, dtype=np.int64)
        if wanted.ndim != 1 or (wanted < 0).any() or (wanted >= self.n_samples_fit_).any():
            raise ValueError(f"rows must be numbers of training points, from 0 to {self.n_samples_fit_ - 1}.")
        return index.shares(index.own[wanted], k, weights, wanted)

    def _check_enough(self, k: int, without_self: bool) -> None:
        available = self.n_samples_fit_ - without_self
        if k > available:
            most = f"the number of {'other ' * without_self}training points, {available}"
            raise ValueError(f"n_neighbors is {k}; it must be at most {most}.")

    def _axis(self, name: str, values: ArrayLike) -> Array:
        axis = check_axis(name, values, self.n_features_in_, self._largest_coordinate)
        falls = np.flatnonzero(np.diff(axis) < 0)
        if falls.size:
            at = falls[0] + 1
            raise ValueError(f"{name} must not decrease; {name}[{at}] is {axis[at]:g}, less than the one before.")
        return axis if self.scaler is None else self.scaler.axis(int(name == "ys"), axis)
