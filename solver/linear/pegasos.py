"""PegasosSolver: stochastic subgradient descent on the regularised hinge loss, with a proved gap.

The problem, without intercept (Shalev-Shwartz, Singer, Srebro 2007), over ``w in R^d``:

    minimise  P(w) = lambda/2 ||w||^2 + sum_i p_i max(0, 1 - y_i <w, x_i>)

Legend: ``p_i`` is the share of point i, 1/n, or its sample weight divided by their sum; ``theta`` the sum of y_i x_i
over the hits so far; ``i_t`` the point drawn at step t; ``w-bar`` the answer.

    theta_1 = 0
    step t = 1, 2, ..:   w_t = theta_t / (lambda t);   i_t = i with probability p_i;
                         theta_{t+1} = theta_t + y_i x_i  if  y_i <w_t, x_i> < 1  (a hit),  else  theta_t
    answer after T:      w-bar = (w_1 + .. + w_T) / T

The gap.  For ``a_i`` in [0, p_i] and every w, ``D(a) = sum a_i - ||sum a_i y_i x_i||^2 / (2 lambda) <= P(w)``.
The average is itself such a sum, ``lambda w-bar = sum abar_i y_i x_i`` with ``abar_i`` = the mean over t of (hits of i
before t) / t.  A point that is drawn more often than its share may exceed p_i; cut to the box, and scaled to the best
length, abar is feasible: any feasible a gives a valid lower bound.  In the notation of `smo`, ``C_i = p_i / lambda``
and ``alpha_i = a_i / lambda``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array, Integers
from solver.core.certificate import NoMultipliers, Status
from solver.core.checks import check_integer, check_number, check_points, check_signs
from solver.core.class_weights import positive_weights
from solver.core.step_log import AT_ONCE
from solver.core.stepping import SteppedSolver

from . import _linear_loops as loops

#: Bounds that exclude overflows: <w, x> may reach steps * LARGEST_COORDINATE^2 / SMALLEST_LAMBDA.
LARGEST_COORDINATE = 1e75
SMALLEST_LAMBDA, LARGEST_LAMBDA = 1e-50, 1e50
#: Number of points drawn at once: bounds the memory.
DRAWN_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class PegasosCertificate(NoMultipliers):
    """What is proved about the averaged weights of Pegasos.

    Attributes
    ----------
    status : Status
        RUNNING; after the last step OPTIMAL if the gap is at most `tol`, else STOPPED_EARLY.
    primal : float
        Objective of the average, P(w-bar); inf before the first step, when there is no average.
    dual : float
        Lower bound of the objective.
    gap : float
        Relative duality gap, (primal - dual) / primal, from 0 to 1; nan before the first step.
    n_violating : int
        Number of training points with y f < 1 for the average.
    n_iter : int
        Number of steps so far.
    n_free, n_bounded : int
        0: there are no multipliers.

    References
    ----------
    The bound is derived in `solver.linear.pegasos`.

    Examples
    --------
    The optimum lies between the two objectives:

    >>> from solver import PegasosSolver
    >>> solver = PegasosSolver([[1, 0], [0, 1], [-1, 0]], [1, 1, -1], lam=0.1, max_iter=5000)
    >>> solver.run().value
    'optimal'
    >>> certificate = solver.certificate()
    >>> certificate.dual <= certificate.primal, certificate.gap <= solver.tol
    (True, True)
    """

    status: Status
    primal: float
    dual: float
    gap: float
    n_violating: int
    n_iter: int


@dataclass(frozen=True)
class PegasosSnapshot:
    """State of a `PegasosSolver` at one moment, in arrays that are never written to again.

    Attributes
    ----------
    coef : ndarray of shape (d,)
        The answer, the average of w_1 .. w_T; zeros before the first step.
    newest : ndarray of shape (d,)
        w_{T+1}, which the next step will use.
    count : ndarray of shape (n,), int
        Number of hits of each point: ``theta = sum_i count_i y_i x_i``.
    touched : int
        Index of the point drawn in the newest step; -1 before the first.
    hit : bool
        Whether that step changed theta.
    certificate : PegasosCertificate

    Examples
    --------
    >>> from solver import PegasosSolver
    >>> solver = PegasosSolver([[1, 0], [-1, 0]], [1, -1], lam=0.5)
    >>> solver.step()
    1
    >>> first = solver.snapshot()
    >>> first.hit, first.coef.tolist(), first.newest.tolist()
    (True, [0.0, 0.0], [1.0, 0.0])
    """

    coef: Array
    newest: Array
    count: Integers
    touched: int
    hit: bool
    certificate: PegasosCertificate


class PegasosSolver(SteppedSolver):
    """Pegasos for one binary problem, which can be interrupted and continued after any number of steps.

    It minimises ``lambda/2 ||w||^2 + 1/n sum_i max(0, 1 - y_i <w, x_i>)``, without an intercept, by subgradient steps
    on points drawn at random.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Coordinates of at most 1e75.
    y : array-like of shape (n,)
        -1 and +1, both present.
    lam : float, default=1e-2
        lambda, from 1e-50 to 1e50.
    max_iter : int, default=100_000
        Number of steps in all, at least 1; the solver makes all of them.
    tol : float, default=1e-2
        Largest relative duality gap that is called optimal after the last step.
    random_state : int, default=0
        Seed of the points drawn.
    sample_weight : array-like of shape (n,), optional
        Above 0; points are drawn, and their losses averaged, with these weights.

    Attributes
    ----------
    status : Status
        RUNNING until all steps are made.

    Raises
    ------
    ValueError
        If an argument is invalid; the message names it, its value and what is allowed.
    TypeError
        If `X` or `y` holds an object that is not a number.

    References
    ----------
    Shalev-Shwartz, Singer, Srebro, "Pegasos: primal estimated sub-gradient solver for SVM", ICML 2007, figure 1 with k
    = 1 and without the optional projection.  Shalev-Shwartz, Ben-David, "Understanding machine learning", 2014, section
    15.5, for the form with theta and the average.

    Examples
    --------
    Watch the duality gap close:

    >>> from solver import PegasosSolver
    >>> solver = PegasosSolver([[1, 0], [0, 1], [-1, 0]], [1, 1, -1], lam=0.1)
    >>> gaps = []
    >>> for _ in range(3):
    ...     n_steps = solver.step(1000)
    ...     gaps.append(solver.certificate().gap)
    >>> gaps[0] > gaps[-1], n_steps, solver.n_iter
    (True, 1000, 3000)
    """

    VALUES = ("status", "_random_state")
    ARRAYS = ("_theta", "_total", "_count", "_late", "_ints", "_reals")

    def __init__(
        self,
        X: ArrayLike,
        y: ArrayLike,
        *,
        lam: float = 1e-2,
        max_iter: int = 100_000,
        tol: float = 1e-2,
        random_state: int = 0,
        sample_weight: ArrayLike | None = None,
    ) -> None:
        self.X = check_points(X, LARGEST_COORDINATE)
        n, d = self.X.shape
        self.y = check_signs(y, n)
        self._weight = positive_weights(sample_weight, n)
        self._share = self._weight / self._weight.sum()
        #: For each point, the end of the interval in [0, 1) whose random numbers draw it; None if all are equal.
        self._ends = None if sample_weight is None else self._share.cumsum()
        self.lam = check_number("lam", lam, SMALLEST_LAMBDA, LARGEST_LAMBDA)
        self.max_iter = check_integer("max_iter", max_iter, 1)
        self.tol = check_number("tol", tol, 0.0, open_high=True)
        self._random = np.random.default_rng(check_integer("random_state", random_state, 0))
        self._theta, self._total = np.zeros(d), np.zeros(d)
        self._count, self._late = np.zeros(n, dtype=np.int64), np.zeros(n)
        self._ints = np.zeros(3, dtype=np.int64)
        self._ints[loops.LAST_DRAWN] = -1
        self._reals = np.zeros(1)

    @property
    def n_iter(self) -> int:
        """Number of steps so far."""
        return int(self._ints[loops.STEPS])

    @property
    def coef(self) -> Array:
        """The answer: the average of w_1 .. w_T, shape (d,); zeros before the first step."""
        return self._total / max(1, self.n_iter)

    @property
    def newest(self) -> Array:
        """w_{T+1} = theta_{T+1} / (lambda (T + 1)), shape (d,)."""
        return self._theta / (self.lam * (self.n_iter + 1))

    @property
    def multipliers(self) -> Array:
        """``abar``, shape (n,), with ``lambda coef = sum_i abar_i y_i x_i``; entries may exceed the share p_i."""
        steps = max(1, self.n_iter)
        abar: Array = np.maximum(0.0, (self._count * self._reals[loops.HARMONIC] - self._late) / steps)
        return abar

    def certificate(self, thorough: bool = True) -> PegasosCertificate:
        """Return status, objective of the answer and its lower bound, in O(n d); `thorough` has no effect."""
        dual = self._dual()
        if self.n_iter == 0:
            return PegasosCertificate(self.status, np.inf, dual, np.nan, len(self.y), 0)
        coef = self.coef
        slack = np.maximum(0.0, 1.0 - self.y * (self.X @ coef))
        primal = 0.5 * self.lam * float(coef @ coef) + float(self._weight @ slack) / float(self._weight.sum())
        gap = max(0.0, (primal - dual) / primal) if primal > 0.0 else 0.0
        return PegasosCertificate(self.status, primal, dual, gap, int((slack > 0.0).sum()), self.n_iter)

    def snapshot(self, thorough: bool = True) -> PegasosSnapshot:
        """Return the present state, in arrays of its own; `thorough` has no effect."""
        coef, newest, count = self.coef, self.newest, self._count.copy()
        coef.flags.writeable = newest.flags.writeable = count.flags.writeable = False
        touched, hit = int(self._ints[loops.LAST_DRAWN]), bool(self._ints[loops.LAST_HIT])
        return PegasosSnapshot(coef, newest, count, touched, hit, self.certificate())

    def _work(self, goal: int) -> bool:
        todo = min(goal, self.max_iter) - self.n_iter
        if not todo:
            return False
        drawn = self._draw(min(todo, AT_ONCE if self._notes else DRAWN_AT_ONCE))
        loops.pegasos(
            self.X,
            self.y,
            drawn,
            self.lam,
            self._theta,
            self._total,
            self._count,
            self._late,
            self._ints,
            self._reals,
            self._notes.record,
        )
        self._notes.add(len(drawn))
        if self.n_iter >= self.max_iter:
            self.status = Status.OPTIMAL if self.certificate().gap <= self.tol else Status.STOPPED_EARLY
        return True

    def _draw(self, n: int) -> Integers:
        if self._ends is None:
            return self._random.integers(len(self.y), size=n)
        found = np.searchsorted(self._ends, self._random.random(n), side="right")
        return np.minimum(found, len(self.y) - 1)  # the last end may be a rounding error below 1

    @property
    def _present(self) -> Array:
        # No value is known at a cost below O(n).  Only the changes are noted: the first hit of a point.
        return np.empty(0)

    def _dual(self) -> float:
        """Return the larger of D(0) = 0 and D(s a), with a cut to the box and the best scale s within the box."""
        a = np.minimum(self.multipliers, self._share)
        largest = float((a / self._share).max())
        if largest == 0.0:
            return 0.0
        sum_of_points = (a * self.y) @ self.X
        square = float(sum_of_points @ sum_of_points) / self.lam
        room = 1.0 / largest
        total = float(a.sum())
        scale = min(room, total / square) if square > 0.0 else room
        return max(0.0, scale * total - 0.5 * scale * scale * square)
