"""KNeighborsClassifier: the vote of the k nearest points, its metrics, weights and tie rule, and its picture.

The tie rule makes the answer a function of the training *set*, not of the order in which it was written down:

* Distances are compared as float64 computes them: squared for the Euclidean metric, features added in order.
* The cosine sees directions only: training points in exactly the same direction are at the same distance from any
  query, whatever their lengths, and a query in exactly their direction is at distance 0, as is one so near it that
  rounding cannot tell (within about 5e-8 radians).
* Points strictly nearer than the k-th distance have one vote each; the m points at exactly the k-th distance
  share the votes that remain equally.
* A vote counts 1, 1/d or 1/d^2.  Votes are added per class in order of increasing distance.  With the weights
  1/d and 1/d^2, points at distance 0 alone decide, by count.
* Classes with equal votes are a tie, in `predict_proba` and in the picture; `predict` takes the lowest one.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from solver.core.arrays import Array, Integers, Mask
from solver.core.checks import check_axis, check_choice, check_integer, check_labels, check_number, check_points
from solver.core.estimator import Estimator
from solver.core.scikit_learn import of_scikit_learn

from . import _knn_loops as loops
from ._knn_index import Index, SurfaceClasses
from .cells import cells_on, kept_on
from .running_votes import RunningVotes
from .vote import Vote, vote

METRICS = {
    "euclidean": loops.EUCLIDEAN,
    "manhattan": loops.MANHATTAN,
    "chebyshev": loops.CHEBYSHEV,
    "minkowski": loops.MINKOWSKI,
    "cosine": loops.COSINE,
}
WEIGHTS = {"uniform": loops.UNIFORM, "distance": loops.INVERSE, "distance-squared": loops.INVERSE_SQUARE}


def inverse_square(distances: Array) -> Array:
    """Votes 1/d^2 as scikit-learn wants them: of distances (n_queries, k); those at distance 0 alone have any."""
    with np.errstate(divide="ignore", over="ignore"):
        votes: Array = 1.0 / (distances * distances)
    alone = np.isinf(votes)
    here = alone.any(axis=1)
    votes[here] = alone[here]
    return votes


@dataclass(repr=False, eq=False)
class KNeighborsClassifier(Estimator):
    """Classifier that lets the k nearest training points vote.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of votes, at least 1.  Read at each query, then at most the number of training points.
    weights : {"uniform", "distance", "distance-squared"}, default="uniform"
        What a vote counts: 1, 1/d or 1/d^2.  Read at each query.
    metric : {"minkowski", "euclidean", "manhattan", "chebyshev", "cosine"}, default="minkowski"
        Distance d.  Cosine is 1 - <x, z> / sqrt(|x|^2 |z|^2), and 1 if one of the two is the zero vector.  It is
        worked out for one vector of each direction, so that parallel points tie, and is 0 where it is at most
        (n_features + 4) eps, which is rounding.
    p : float, default=2
        Exponent of the Minkowski metric, from 1 to inf; 1, 2 and inf are exactly Manhattan, Euclidean and
        Chebyshev.  With another metric it must stay 2, since it would change nothing there.
    algorithm, leaf_size, n_jobs
        Taken as scikit-learn takes them, without effect: the search is chosen by the data, and the same everywhere.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels seen in `fit`, sorted.
    n_features_in_ : int
    n_samples_fit_ : int
    kind : "votes"
        Its values are shares of votes.

    Notes
    -----
    The tie rule stands at the top of the module.  In scikit-learn the order of the data decides instead.

    Source: Cover, Hart, "Nearest neighbor pattern classification", IEEE Trans. Inf. Theory 13, 1967; weighted
    votes: Dudani, "The distance-weighted k-nearest-neighbor rule", IEEE Trans. Syst. Man Cybern. 6, 1976.
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
        """Keep `X` (n_samples, n_features) and the labels `y` (n_samples,), of any type that can be sorted.

        Raises
        ------
        ValueError
            Bad data or a bad parameter, in one sentence.
        """
        self._voting()
        metric, p = self._distance()
        points = check_points(X, self._largest_coordinate)
        classes, codes = check_labels(y, len(points))
        number = METRICS[metric]
        if number == loops.MINKOWSKI:
            number = {1.0: loops.MANHATTAN, 2.0: loops.EUCLIDEAN, np.inf: loops.CHEBYSHEV}.get(p, number)
        self._index = Index.build(points, codes.astype(np.int64), len(classes), number, p)
        self.classes_ = classes
        self.n_samples_fit_, self.n_features_in_ = points.shape
        return self._learned_from(X)

    def predict(self, X: ArrayLike | None) -> NDArray[Any]:
        """Labels of the queries `X` (n_queries, n_features): the lowest class with the largest share.

        `X` as in `predict_proba`.

        Raises
        ------
        ValueError
            As `predict_proba`.
        """
        best = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: ArrayLike | None) -> Array:
        """Share of each class in the votes, shape (n_queries, n_classes); each row adds up to 1.

        Parameters
        ----------
        X : array-like of shape (n_queries, n_features), or None
            None means the training points themselves, none of which has a vote at its own place; see `leave_one_out`.

        Raises
        ------
        ValueError
            Not fitted, bad queries, or more neighbors asked for than there are.

        Notes
        -----
        While `fast_loops.ready` is False, uniform votes are the same numbers; weighted ones may differ in the last
        digits, because numpy adds in another order.
        """
        if X is None:
            return self.shares_without_self()
        queries = self._queries(X)
        index, k, weights = self._ready()
        return index.shares(queries, k, weights)

    def leave_one_out(self, rows: ArrayLike | None = None) -> NDArray[Any]:
        """Labels of training points as all other training points vote: what `fit` without each of them predicts.

        Parameters
        ----------
        rows : array-like of int, optional
            Which training points, as rows of the `X` given to `fit`; default all.

        Returns
        -------
        ndarray of shape (len(rows),)

        Raises
        ------
        ValueError
            Not fitted, no such row, or more neighbors asked for than there are other points.

        Notes
        -----
        Exact, with the tie rule that stands at the top of the module.

        Source: Lachenbruch, Mickey, "Estimation of error rates in discriminant analysis", Technometrics 10, 1968.
        """
        best = self.shares_without_self(rows).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

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
            queries = index.own
        else:
            self._check_enough(k, self.n_samples_fit_, "training points")
            queries = index.scaled(self._queries(X))
        distances, indices = index.neighbors(queries, k, X is None)
        if index.metric == loops.EUCLIDEAN:
            distances = np.sqrt(distances)
        return (distances, indices) if return_distance else indices

    def kneighbors_graph(
        self, X: ArrayLike | None = None, n_neighbors: int | None = None, mode: str = "connectivity"
    ) -> Any:
        """The nearest training points of each query as a sparse matrix, as scikit-learn's method of that name.

        Parameters
        ----------
        X, n_neighbors
            As in `kneighbors`.
        mode : {"connectivity", "distance"}, default="connectivity"
            What stands for a neighbor: 1, or its distance.

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_queries, n_samples_fit_)
            In each row the `n_neighbors` columns that `kneighbors` names, nearest first.

        Raises
        ------
        ValueError
            As `kneighbors`, or another mode.
        ImportError
            scipy, which nothing else here needs, is not installed.
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
        """The `sklearn.neighbors.KNeighborsClassifier` with the corresponding parameters, not fitted.

        Its ties are decided by the order of the points.

        Raises
        ------
        ValueError
            A bad parameter.
        ImportError
            scikit-learn, which nothing else here needs, is not installed.
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
        """The model itself: its votes are those of neighbours."""
        return self

    def vote_at(self, place: ArrayLike) -> Vote:
        """Who votes at `place` (n_features,), and how much each vote counts; in plain numpy, so without a compiler.

        Raises
        ------
        ValueError
            As `predict_proba`.
        """
        query = self._queries(np.atleast_2d(np.asarray(place, dtype=np.float64)))
        index, k, weights = self._ready()
        return vote(index, query[0], k, weights)

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

    def surface_on(self, xs: ArrayLike) -> Callable[[ArrayLike], Array]:
        """Prepare the columns `xs` of a picture; the returned function gives `surface(xs, ys)` for some rows.

        It does not notice a later `fit` or a changed parameter, and may be called from any thread.
        Raises what `surface` raises.
        """
        rows = self._rows_on(xs, compact=False)
        return lambda ys: rows(ys)[0]

    def surface_classes_on(self, xs: ArrayLike) -> Callable[[ArrayLike], SurfaceClasses]:
        """Like `surface_on`, but the returned function gives the winning class only, as `SurfaceClasses`."""
        rows = self._rows_on(xs, compact=True)
        return lambda ys: rows(ys)[1]

    def next_surface_classes(self, running: RunningVotes) -> Callable[[Array], SurfaceClasses]:
        """`surface_classes_on` the grid of `running`: few changed points since its last picture cost next to nothing.

        What the returned function gives is overwritten by the next picture.
        """
        index, k, weights = self._ready()
        for name, axis in (("xs", running.grid.xs), ("ys", running.grid.ys)):
            self._axis(name, axis)
        return running.rows(index, k, weights, tuple(self.classes_.tolist()))

    def cells_on(self, xs: ArrayLike) -> Callable[[ArrayLike], Integers]:
        """Prepare the columns `xs` of a picture; the returned function gives the cells of some rows `ys`.

        Returns
        -------
        callable
            ``rows(ys)`` returns a number for each pixel (xs[i], ys[j]), shape (len(ys), len(xs)).  Two pixels have the
            same number where the same points vote: the k nearest, and those as far as the k-th.

        Raises
        ------
        ValueError
            As `surface`.

        Notes
        -----
        For k = 1 the cells are the Voronoi cells of the points, else those of order k.  Numbers are sums of random
        keys: two different cells have the same one with a probability of 2^-64.

        Source: Aurenhammer, "Voronoi diagrams: a survey of a fundamental geometric data structure", ACM Computing
        Surveys 23, 1991.
        """
        index, k, _ = self._ready()
        rows = cells_on(index, k, self._axis("xs", xs))
        return lambda ys: rows(self._axis("ys", ys))

    def kept_on(self, xs: ArrayLike, rows: ArrayLike | None = None) -> Callable[[ArrayLike], Mask]:
        """Prepare the columns `xs` of a picture; the returned function says which points some rows `ys` need.

        Parameters
        ----------
        xs : array-like of shape (n_columns,)
        rows : array-like of int, optional
            Which training points are asked about, as rows of the `X` given to `fit`; default all.

        Returns
        -------
        callable
            ``look(ys)`` returns, for each of the points, whether `fit` without it would predict another class at a
            pixel (xs[i], ys[j]), or a tie in place of a class or the other way round; at those of this call or of an
            earlier one.  With no more than k points every point is needed.

        Raises
        ------
        ValueError
            As `surface`.

        Notes
        -----
        A point that no pixel needs is *idle*, the counterpart of a multiplier that is 0.  Each is idle by itself: of
        two equal points both may be, though one of them is needed.
        """
        index, k, weights = self._ready()
        of = None if rows is None else np.asarray(rows, dtype=np.int64)
        look = kept_on(index, k, weights, self._axis("xs", xs), of)
        return lambda ys: look(self._axis("ys", ys))

    def _voting(self) -> tuple[int, int]:
        k = check_integer("n_neighbors", self.n_neighbors, 1)
        return k, WEIGHTS[check_choice("weights", self.weights, WEIGHTS)]

    def _distance(self) -> tuple[str, float]:
        """Name of the metric and its exponent, checked."""
        metric, p = check_choice("metric", self.metric, METRICS), check_number("p", self.p, 1.0)
        if metric != "minkowski" and p != 2:
            raise ValueError(f"p is {self.p!r}, but metric {metric!r} has no p; leave it 2, or choose 'minkowski'.")
        return metric, p

    def _ready(self) -> tuple[Index, int, int]:
        index = self._fitted()._index
        k, weights = self._voting()
        self._check_enough(k, self.n_samples_fit_, "training points")
        return index, k, weights

    def shares_without_self(self, rows: ArrayLike | None = None) -> Array:
        """Vote shares at training points as all others vote, shape (len(rows), n_classes); see `leave_one_out`."""
        index = self._fitted()._index
        k, weights = self._voting()
        self._check_enough(k, self.n_samples_fit_ - 1, "other training points")
        wanted = np.arange(self.n_samples_fit_) if rows is None else np.asarray(rows, dtype=np.int64)
        if wanted.ndim != 1 or (wanted < 0).any() or (wanted >= self.n_samples_fit_).any():
            raise ValueError(f"rows must be numbers of training points, from 0 to {self.n_samples_fit_ - 1}.")
        return index.shares(index.own[wanted], k, weights, wanted)

    def _check_enough(self, k: int, available: int, what: str) -> None:
        if k > available:
            raise ValueError(f"n_neighbors is {k}; it must be at most the number of {what}, {available}.")

    def _rows_on(self, xs: ArrayLike, compact: bool) -> Callable[[ArrayLike], tuple[Array, SurfaceClasses]]:
        index, k, weights = self._ready()
        columns = self._axis("xs", xs)

        def rows(ys: ArrayLike) -> tuple[Array, SurfaceClasses]:
            return index.picture(columns, self._axis("ys", ys), k, weights, compact)

        return rows

    def _axis(self, name: str, values: ArrayLike) -> Array:
        axis = check_axis(name, values, self.n_features_in_, self._largest_coordinate)
        if (np.diff(axis) < 0).any():
            at = int(np.flatnonzero(np.diff(axis) < 0)[0]) + 1
            raise ValueError(f"{name} must not decrease; {name}[{at}] is {axis[at]:g}, less than the one before.")
        return axis
