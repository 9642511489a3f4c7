"""PerceptronSolver: Rosenblatt's rule, one mistake at a time, and Novikoff's bound on the number of mistakes.

Legend: points ``x_i`` (n, d), labels ``y_i`` -1 or +1; ``z_i = x_i`` without intercept and ``z_i = (x_i, 1)`` with;
``w`` the weights that belong to z, the intercept being the last of them.

    rule        visit the points in order; on a mistake, y_i <w, z_i> <= 0, set  w <- w + y_i z_i
    end         a whole pass without a mistake

A point of sample weight s takes part as s z_i: ``w <- w + s_i y_i z_i``, and the bound is that of the points s_i z_i.

The bound (Novikoff 1962).  Let ``gamma = max over unit vectors u of min_i y_i <u, z_i>`` and ``R_z = max_i ||z_i||``.
Each mistake raises <w, u> by at least gamma and ||w||^2 by at most R_z^2, so after k of them
``k gamma <= <w, u> <= ||w|| <= sqrt(k) R_z``:

    k <= R_z^2 / gamma^2,      R_z^2 = max ||x_i||^2  without,  max ||x_i||^2 + 1  with an intercept,

with gamma measured in the space of z: (R^2 + 1) / gamma^2, not R^2 / gamma^2, once there is an intercept.

The margin gamma is the distance of the origin from the convex hull of the points ``p_i = y_i z_i``: the hard-margin
dual without an equality constraint.  `largest_margin` finds the nearest point of the hull by Wolfe's algorithm (1976)
and proves its answer from both sides: every point h of the hull gives ``gamma <= ||h||``, and its direction
``gamma >= min_i <h, p_i> / ||h||``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Integers
from solver.core.certificate import EPS, NoMultipliers, Status
from solver.core.checks import check_flag, check_integer, check_points, check_signs, check_size
from solver.core.class_weights import positive_weights
from solver.core.stepping import SteppedSolver, Stop, never

from . import _linear_loops as loops

#: Number of mistakes corrected between two calls of `stop`.
AT_ONCE = 500
#: Bound with which <w, x> stays finite in every training of practical length.
LARGEST_COORDINATE = 1e140


@dataclass(frozen=True)
class LargestMargin:
    """What is proved about the margin of a binary problem, for hyperplanes through the origin of the space of z.

    Attributes
    ----------
    low, high : float
        ``low <= gamma <= high``, in the units of X; `low` is 0 where nothing shows that the classes are separable.
    radius : float
        R_z, the largest ||z_i||.
    direction : ndarray of shape (d,) or (d + 1,)
        Unit vector whose margin is `low`, with the intercept last; zeros where `low` is 0.
    mistakes : float
        Upper bound of the number of the perceptron's mistakes, ``(radius / low)^2``; inf where `low` is 0.

    See Also
    --------
    largest_margin : Returns it.

    Examples
    --------
    >>> from solver import largest_margin
    >>> margin = largest_margin([[3, 4], [5, 4], [-3, -4]], [1, 1, -1], fit_intercept=False)
    >>> round(margin.low, 6), round(margin.high, 6), margin.direction.round(6).tolist()
    (5.0, 5.0, [0.6, 0.8])
    """

    low: float
    high: float
    radius: float
    direction: Array
    mistakes: float


def largest_margin(X: ArrayLike, y: ArrayLike, *, fit_intercept: bool = True, max_iter: int = 1000) -> LargestMargin:
    """Enclose the largest margin of a hyperplane through the origin, and bound the perceptron's mistakes by it.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Coordinates of at most 1e140.
    y : array-like of shape (n,)
        -1 and +1, both present.
    fit_intercept : bool, default=True
        Whether each point gets a constant feature 1, so that z = (x, 1); else z = x.
    max_iter : int, default=1000
        Largest number of points added to the corral (the vertices that span the nearest point); an early end leaves
        wider bounds, which are valid all the same.

    Returns
    -------
    LargestMargin

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it, its value and what is allowed.
    TypeError
        If `X` or `y` holds an object that is not a number.

    References
    ----------
    Wolfe, "Finding the nearest point in a polytope", Mathematical Programming 11, 1976.  Novikoff, "On convergence
    proofs on perceptrons", 1962.

    Examples
    --------
    How many mistakes a perceptron can make at most, before it has trained:

    >>> from solver import largest_margin
    >>> margin = largest_margin([[2, 1], [3, 2], [-1, 0], [-2, 1]], [1, 1, -1, -1])
    >>> int(margin.mistakes)
    7

    Nothing is proved where the classes are not separable:

    >>> largest_margin([[0], [1], [2]], [1, -1, 1]).mistakes
    inf
    """
    points = check_points(X, LARGEST_COORDINATE)
    signs = check_signs(y, len(points))
    check_integer("max_iter", max_iter, 1)
    z = np.hstack([points, np.ones((len(points), 1))]) if fit_intercept else points
    scale = float(np.abs(z).max()) or 1.0
    p = signs[:, None] * (z / scale)
    squares = np.einsum("ij,ij->i", p, p)
    radius = float(np.sqrt(squares.max()))
    low, high, direction = _nearest_of_hull(p, squares, max_iter)
    # Subtract the largest rounding error of <u, p_i> and of the scaling, so that the bound is proved.
    low -= 8.0 * EPS * (p.shape[1] + 4) * radius
    if low <= 0.0:
        low, direction = 0.0, np.zeros(p.shape[1])
    mistakes = (radius / low) ** 2 * (1.0 + 1e-12) if low > 0.0 else np.inf
    direction.flags.writeable = False
    return LargestMargin(low * scale, high * scale, radius * scale, direction, mistakes)


def _nearest_of_hull(p: Array, squares: Array, max_iter: int) -> tuple[float, float, Array]:
    """Return lower and upper bound of the distance of the hull of `p` from 0, and the unit vector of the lower one."""
    corral = [int(squares.argmin())]
    share = np.ones(1)
    low, high, best = -np.inf, np.inf, np.zeros(p.shape[1])
    for _ in range(max_iter):
        nearest = share @ p[corral]
        norm = float(np.sqrt(nearest @ nearest))
        if norm < high:
            high = norm
        if norm <= 1e-15:
            break  # the origin lies in the hull
        products = p @ nearest
        j = int(products.argmin())
        if products[j] / norm > low:
            low, best = float(products[j]) / norm, nearest / norm
        if j in corral or norm - products[j] / norm <= 1e-13 * norm:
            break
        corral.append(j)
        share = np.append(share, 0.0)
        while True:  # move towards the nearest point of the affine hull; points whose share would be negative leave
            affine = _nearest_of_plane(p[corral])
            if (affine > 1e-14).all():
                share = affine
                break
            shrinking = affine <= 1e-14
            with np.errstate(divide="ignore", invalid="ignore"):
                reach = np.where(shrinking & (share > affine), share / (share - affine), 1.0)
            share = share + min(1.0, float(reach.min())) * (affine - share)
            keep = share > 1e-14
            if not keep.any():
                keep[share.argmax()] = True
            elif keep.all():
                keep[np.where(shrinking, share, np.inf).argmin()] = False
            corral = [index for index, kept in zip(corral, keep, strict=True) if kept]
            share = np.maximum(share[keep], 0.0) / np.maximum(share[keep], 0.0).sum()
    return low, high, best


def _nearest_of_plane(points: Array) -> Array:
    """Return the coefficients, of sum 1, of the point nearest to 0 in the affine hull of `points`."""
    if len(points) == 1:
        return np.ones(1)
    edges = points[1:] - points[0]
    inner: Array = np.linalg.lstsq(edges.T, -points[0], rcond=None)[0]
    return np.concatenate(([1.0 - inner.sum()], inner))


@dataclass(frozen=True)
class PerceptronCertificate(NoMultipliers):
    """What is proved about the weights of a perceptron.

    Attributes
    ----------
    status : Status
        RUNNING; OPTIMAL after a whole pass without a mistake; STOPPED_EARLY after `max_iter` passes.
    n_wrong : int
        Number of training points with y f <= 0 now.
    margin : float
        ``min_i y_i <w, z_i> / ||w||`` in the space of z, in the units of X: above 0 these weights separate the classes.
        nan while w = 0.
    mistakes : int
        Number of mistakes corrected so far.
    mistake_bound : float
        No order of the points leads to more mistakes, proved; inf where nothing is proved: because the classes are not
        separable or, without `thorough`, because these weights do not yet separate them.
    n_epochs : int
        Number of passes begun.
    n_free, n_bounded : int
        0: there are no multipliers.

    References
    ----------
    Novikoff, "On convergence proofs on perceptrons", 1962; the proof is in `solver.linear.perceptron`.

    Examples
    --------
    >>> from solver import PerceptronSolver
    >>> solver = PerceptronSolver([[2, 1], [3, 2], [-1, 0], [-2, 1]], [1, 1, -1, -1])
    >>> print(solver.run())
    optimal
    >>> certificate = solver.certificate()
    >>> certificate.n_wrong, certificate.margin > 0, certificate.mistakes <= certificate.mistake_bound
    (0, True, True)
    """

    status: Status
    n_wrong: int
    margin: float
    mistakes: int
    mistake_bound: float
    n_epochs: int

    @property
    def n_iter(self) -> int:
        """Number of steps so far; each corrects a mistake."""
        return self.mistakes


@dataclass(frozen=True)
class PerceptronSnapshot:
    """State of a `PerceptronSolver` at one moment, in arrays that are never written to again.

    Attributes
    ----------
    coef : ndarray of shape (d,)
        The weights w.
    intercept : float
        0 without `fit_intercept`.
    count : ndarray of shape (n,), int
        Number of mistakes on each point: ``coef = sum_i s_i count_i y_i x_i``, ``intercept = sum_i s_i count_i y_i``.
    touched : int
        Index of the point of the newest mistake; -1 before the first.
    certificate : PerceptronCertificate

    Examples
    --------
    The points of the first two mistakes, and the number of mistakes on each point:

    >>> from solver import PerceptronSolver
    >>> solver = PerceptronSolver([[1, 2], [2, 1], [0, 0]], [1, 1, -1])
    >>> snapshots = [solver.snapshot() for _ in range(2) if solver.step()]
    >>> [snapshot.touched for snapshot in snapshots], snapshots[-1].count.tolist()
    ([0, 2], [1, 0, 1])
    """

    coef: Array
    intercept: float
    count: Integers
    touched: int
    certificate: PerceptronCertificate


class PerceptronSolver(SteppedSolver):
    """The perceptron for one binary problem, which can be interrupted and continued after any number of mistakes.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Coordinates of at most 1e140.
    y : array-like of shape (n,)
        -1 and +1, both present.
    fit_intercept : bool, default=True
        Whether each point gets a constant feature 1.
    max_iter : int, default=1000
        Largest number of passes over the points, at least 1.
    shuffle : bool, default=False
        Whether each pass has a new random order.
    random_state : int, default=0
        Seed of the orders.
    sample_weight : array-like of shape (n,), optional
        Factors s_i of the steps, above 0; times the point at most 1e140.

    Attributes
    ----------
    status : Status
        RUNNING until a pass without a mistake, or until `max_iter` passes are made.
    n_epochs : int
        Number of passes begun.

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it, its value and what is allowed.
    TypeError
        If `X` or `y` holds an object that is not a number.

    References
    ----------
    Rosenblatt, "The perceptron", Psychological Review 65, 1958.  Novikoff, "On convergence proofs on perceptrons",
    1962.

    Examples
    --------
    Weights and intercept after each mistake:

    >>> from solver import PerceptronSolver
    >>> solver = PerceptronSolver([[1, 2], [2, 1], [0, 0]], [1, 1, -1])
    >>> while solver.step():
    ...     print(solver.coef.tolist(), solver.intercept)
    [1.0, 2.0] 1.0
    [1.0, 2.0] 0.0
    [1.0, 2.0] -1.0
    >>> print(solver.status, solver.n_epochs)
    optimal 3
    """

    #: As in `PerceptronCertificate`, but the margin is 0 while w = 0.  The first mistake on a point counts as a
    #: change of the support vectors in `take_notes`.
    NOTES = ("wrong", "margin")
    VALUES = ("status", "n_epochs", "_mistakes_before", "_order", "_random_state")
    ARRAYS = ("_w", "_count", "_ints")

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        fit_intercept: bool = True,
        max_iter: int = 1000,
        shuffle: bool = False,
        random_state: int = 0,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.X = check_points(X, LARGEST_COORDINATE)
        n, d = self.X.shape
        self.y = check_signs(y, n)
        self._weight = positive_weights(sample_weight, n)
        self.fit_intercept = check_flag("fit_intercept", fit_intercept)
        check_size("X with an intercept, times sample_weight,", self._z, LARGEST_COORDINATE)
        self.max_iter = check_integer("max_iter", max_iter, 1)
        self.shuffle = check_flag("shuffle", shuffle)
        self._random = np.random.default_rng(check_integer("random_state", random_state, 0))
        self._w = np.zeros(d + 1)
        self._count = np.zeros(n, dtype=np.int64)
        self._ints = np.zeros(3, dtype=np.int64)
        self._ints[loops.LAST] = -1
        self._margin: LargestMargin | None = None
        self.n_epochs = 0
        self._mistakes_before = 0
        self._order = np.arange(n)
        self._next_epoch()

    @property
    def n_iter(self) -> int:
        """Number of mistakes corrected so far."""
        return int(self._ints[loops.MISTAKES])

    @property
    def coef(self) -> Array:
        """The weights, shape (d,)."""
        return self._w[:-1].copy()

    @property
    def intercept(self) -> float:
        """Constant of f; 0 without `fit_intercept`."""
        return float(self._w[-1])

    @property
    def _z(self) -> Array:
        """The points s_i z_i, shape (n, d) or (n, d + 1)."""
        weight = self._weight[:, None]
        return np.hstack([self.X * weight, weight]) if self.fit_intercept else self.X * weight

    @property
    def largest_margin(self) -> LargestMargin:
        """Largest margin of the points s_i z_i, and the mistake bound; computed once."""
        if self._margin is None:
            self._margin = largest_margin(self._z, self.y, fit_intercept=False)
        return self._margin

    def certificate(self, thorough: bool = True) -> PerceptronCertificate:
        """Return what is proved about the weights.

        Parameters
        ----------
        thorough : bool, default=True
            Whether the mistake bound is that of `largest_margin`; else it is that of the present weights, inf unless
            they separate the classes.
        """
        values = self.y * (self.X @ self._w[:-1] + self._w[-1])
        size = float(np.abs(self._w).max())
        norm = size * float(np.linalg.norm(self._w / size)) if size > 0.0 else np.nan
        margin = float(values.min()) / norm
        if thorough:
            bound = self.largest_margin.mistakes
        else:
            z = self._z
            scale = float(np.abs(z).max())
            radius = scale * float(np.linalg.norm(z / (scale or 1.0), axis=1).max())
            safe = float((self._weight * values).min()) / norm - 8.0 * EPS * (self.X.shape[1] + 4) * radius
            bound = (radius / safe) ** 2 * (1.0 + 1e-12) if safe > 0.0 else np.inf
        wrong = int((values <= 0.0).sum())
        return PerceptronCertificate(self.status, wrong, margin, self.n_iter, bound, self.n_epochs)

    def snapshot(self, thorough: bool = True) -> PerceptronSnapshot:
        """Return the present state, in arrays of its own; `thorough` as in `certificate`."""
        coef, count = self.coef, self._count.copy()
        coef.flags.writeable = count.flags.writeable = False
        return PerceptronSnapshot(coef, self.intercept, count, int(self._ints[loops.LAST]), self.certificate(thorough))

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """Correct at most `n` mistakes, and return how many: fewer only when finished or interrupted by `stop`.

        A mistake costs at most two visits of each point.  ``step(5); step(5)`` equals ``step(10)`` bit for bit.
        """
        check_integer("n", n, 0)
        made, stopped = 0, False
        while made < n and self.status is Status.RUNNING:
            asked = 1 if stopped else min(n - made, AT_ONCE)
            done = self._correct(asked)
            made += done
            stopped = stopped or stop()
            if stopped and done == asked:  # pause just after a mistake, not between two of them
                break
        return made

    def _correct(self, asked: int) -> int:
        """Correct at most `asked` mistakes of the present pass, and return how many."""
        unit = 1.0 if self.fit_intercept else 0.0
        done = int(
            loops.perceptron(
                self.X,
                self.y,
                self._weight,
                self._order,
                unit,
                self._w,
                self._count,
                self._ints,
                asked,
                self._notes.record,
            )
        )
        self._notes.add(done)
        if done < asked:  # the pass is over
            if self.n_iter == self._mistakes_before:
                self.status = Status.OPTIMAL
            elif self.n_epochs >= self.max_iter:
                self.status = Status.STOPPED_EARLY
            else:
                self._next_epoch()
        return done

    @property
    def _present(self) -> Array:
        return np.array(loops.margin(self.X, self.y, 1.0 if self.fit_intercept else 0.0, self._w), dtype=np.float64)

    def _next_epoch(self) -> None:
        self.n_epochs += 1
        self._mistakes_before = self.n_iter
        self._ints[loops.CURSOR] = 0
        if self.shuffle:
            self._order = self._random.permutation(len(self.y))
