"""Certificate: status, KKT violation and duality gap that are proved for given multipliers.

Notation as in `smo`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import InitVar, dataclass
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from .arrays import Array

if TYPE_CHECKING:
    from solver.kernels.table import Kernel

EPS = float(np.finfo(np.float64).eps)
#: Relative gap up to which no better primal bound is searched for.
SMALL_GAP = 1e-5
#: The search for a primal bound ends when it can improve it by no more than this share, or after this number of cuts.
ENOUGH, MOST_CUTS = 1e-9, 40


class NoMultipliers:
    """Base class of the certificates of learners without multipliers: no free and no bounded ones."""

    n_free: ClassVar[int] = 0
    n_bounded: ClassVar[int] = 0


class Status(StrEnum):
    """State of a solver: still running, or how its training ended.

    Attributes
    ----------
    RUNNING
        Steps are left to make.
    OPTIMAL
        The KKT violation is at most `tol`; for the perceptron, a pass without a mistake; for Pegasos, a duality gap of
        at most `tol`.
    PRECISION
        The KKT violation has reached the limit of double precision: it stays above `tol`, or the rounding errors of f
        are larger than `tol`.
    STATIONARY
        As OPTIMAL, for a kernel that is not positive semidefinite: other stationary points may be better.
    STOPPED_EARLY
        The training ended before it was optimal, at `max_iter` or `max_time`, or after one pass over online data.
    NOT_SEPARABLE
        No function of the kernel separates the classes (hard margin only).

    Examples
    --------
    Step a solver until it has finished:

    >>> from solver import Kernel, SmoSolver, Status
    >>> smo = SmoSolver([[0], [1], [2], [3]], [-1, -1, 1, 1], Kernel("linear"))
    >>> while smo.status is Status.RUNNING:
    ...     n_steps = smo.step(100)
    >>> print(smo.status)
    optimal
    """

    RUNNING = "running"
    OPTIMAL = "optimal"
    PRECISION = "precision"
    STATIONARY = "stationary"
    STOPPED_EARLY = "stopped early"
    NOT_SEPARABLE = "not separable"


#: Statuses from the worst to the best; the status of several problems is the worst of theirs.
GRAVITY = (
    Status.RUNNING,
    Status.NOT_SEPARABLE,
    Status.STOPPED_EARLY,
    Status.PRECISION,
    Status.STATIONARY,
    Status.OPTIMAL,
)


class NotSeparableError(ValueError):
    """A hard margin (C = inf) was requested, but no function of the kernel separates the classes.

    `SVC.fit` raises it.  The trainer that `SVC.prepare` returns ends with `Status.NOT_SEPARABLE` instead.

    Examples
    --------
    >>> from solver import SVC, NotSeparableError
    >>> X, y = [[0.0], [1.0], [2.0]], ["in", "out", "in"]
    >>> try:
    ...     SVC(kernel="linear", C=float("inf")).fit(X, y)
    ... except NotSeparableError:
    ...     print("no threshold separates the classes")
    no threshold separates the classes
    """


@dataclass(frozen=True)
class Certificate:
    """What is proved about the multipliers of a support vector machine.

    Attributes
    ----------
    status : Status
        RUNNING, or how the training ended.
    kkt_violation : float
        Largest violation of the optimality conditions, ``m - M`` in the notation of `solver.svm.smo`; at most `tol`
        when the status is OPTIMAL or STATIONARY.
    dual, primal : float
        Dual objective, and the smallest primal objective found: the optimum lies between the two.  `primal` is inf when
        none is known: for a hard margin before any f separates the data, for a kernel that is not positive
        semidefinite, and for online data that are no longer kept.
    gap : float
        Relative duality gap, (primal - dual) / primal, from 0 to 1; nan without a primal objective.
    n_free, n_bounded : int
        Numbers of support vectors with 0 < alpha < C, and with alpha = C.
    n_iter : int
        Steps so far, as the solver counts them: updates of a pair (SMO), operations (LASVM) or gradient steps.
    margin_bound : float
        Upper bound of the margin's half-width, ||w|| / sum alpha, rounded up; nan unless C is inf.
    kernel_error : float, default=0
        Bound on the error of f at the points: by rounding, and by an expansion of the kernel if one was used.
        `dual` and `primal` allow for it; `kkt_violation` may be larger by twice as much.  While updates are made, it is
        an estimate.
    optima : tuple of Optima or None
        What `unique` and `multiplier_ranges` are computed from, for each problem; () if that is not known, as in a
        pickle or a copy, which have `unique` if that was read before.

    See Also
    --------
    PegasosCertificate, PerceptronCertificate : The counterparts of learners without multipliers.

    References
    ----------
    Keerthi, Shevade, Bhattacharyya, Murthy, "Improvements to Platt's SMO algorithm for SVM classifier design", Neural
    Computation 13, 2001 (the violation m - M).

    Examples
    --------
    The widest margin around these points has the half-width 1, and an objective of 1/2:

    >>> from solver import SVC
    >>> certificate = SVC(kernel="linear", C=10, tol=1e-6).fit([[0], [2], [5]], [0, 1, 1]).certificate_
    >>> print(certificate.status, round(certificate.dual, 3), round(certificate.primal, 3))
    optimal 0.5 0.5
    >>> certificate.gap < 1e-5, certificate.n_free, certificate.n_bounded
    (True, 2, 0)

    f is the same in every optimum, but the multipliers are not if a point is there twice:

    >>> certificate = SVC(kernel="linear", C=10, tol=1e-6).fit([[0], [2], [2]], [0, 1, 1]).certificate_
    >>> certificate.unique, [each.round(3).tolist() for each in certificate.multiplier_ranges()]
    (False, [[0.5, 0.0, 0.0], [0.5, 0.5, 0.5]])
    """

    status: Status
    kkt_violation: float
    dual: float
    primal: float
    gap: float
    n_free: int
    n_bounded: int
    n_iter: int
    margin_bound: float
    kernel_error: float = 0.0
    #: No field: what is proved is compared, printed and made a tuple without it.
    optima: ClassVar[tuple[Any, ...]] = ()
    known_optima: InitVar[tuple[Any, ...]] = ()

    def __post_init__(self, known_optima: tuple[Any, ...]) -> None:
        vars(self)["optima"] = known_optima

    @cached_property
    def unique(self) -> bool | None:
        """Whether no other alpha is optimal; None if that is not decided.

        It is about the problem, so it is decided, too, if the training ended before its optimum.  Not decided are
        kernels other than RBF, Laplacian, linear and polynomial ones of at most 500 features; problems with more than 4
        million kernel values between points and support vectors (unless all points are different and the kernel is RBF
        or Laplacian); problems whose points with y f = 1 double precision does not tell from the others, or only after
        a long training; and problems with more than 200 of these points that others can replace.  For several problems
        it is False if it is for one.
        """
        found = [None if each is None else each.unique for each in self.optima]
        return False if False in found else True if found and None not in found else None

    def multiplier_ranges(self) -> tuple[Array, Array] | None:
        """Return the least and the largest value of each alpha over all optima.

        Where alpha is unique both are as trained.  Else two linear programmes are solved for each of at most 200 points
        with y f = 1, and the other values are as trained.

        Returns
        -------
        (ndarray of shape (n,), ndarray of shape (n,)) or None
            In the order of the points of the problem.  None if `unique` is None, or if the certificate is about several
            problems: each of `certificates_` has its own.
        """
        if self.unique is None or len(self.optima) > 1:
            return None
        least, largest = self.optima[0].alpha.copy(), self.optima[0].alpha.copy()
        for point, *ends in () if self.unique else self.optima[0].ranges():
            least[point], largest[point] = ends
        return least, largest

    def __getstate__(self) -> dict[str, Any]:
        """Return the state of a pickle."""
        return vars(self) | {"optima": ()}


def gap_of(primal: float, dual: float) -> float:
    """Return the relative duality gap, at most 1 because alpha = 0 has a dual of 0; nan without a primal bound."""
    return min(1.0, max(0.0, (primal - dual) / primal)) if 0 < primal < np.inf else np.nan


def joined(certificates: Sequence[Certificate]) -> Certificate:
    """Return one certificate for several binary problems, as for minimising the sum of their primal objectives.

    It has the worst status and the largest KKT violation; the sums of dual, primal, support vectors and steps; the gap
    of these sums, because a sum of bounds is a bound of the sum; and the smallest `margin_bound`.  A small gap of the
    sum can hide a large gap of a small problem, whose own certificate shows it.
    """
    if len(certificates) == 1:
        return certificates[0]
    dual, primal = sum(c.dual for c in certificates), sum(c.primal for c in certificates)
    bounds = [c.margin_bound for c in certificates if not np.isnan(c.margin_bound)]
    return Certificate(
        status=min((c.status for c in certificates), key=GRAVITY.index),
        kkt_violation=max(c.kkt_violation for c in certificates),
        dual=dual,
        primal=primal,
        gap=gap_of(primal, dual),
        n_free=sum(c.n_free for c in certificates),
        n_bounded=sum(c.n_bounded for c in certificates),
        n_iter=sum(c.n_iter for c in certificates),
        margin_bound=min(bounds, default=np.nan),
        kernel_error=max(c.kernel_error for c in certificates),
        known_optima=tuple(each for c in certificates for each in c.optima or (None,)),
    )


def proved(status: Status, rounding: float, tol: float) -> Status:
    """Return `status`, but PRECISION instead of OPTIMAL or STATIONARY if `rounding`, the rounding error, exceeds `tol`.

    Then a violation of at most `tol` is not proved: the terms of f, added in another order, may show a larger one.
    """
    return Status.PRECISION if status in (Status.OPTIMAL, Status.STATIONARY) and rounding > tol else status


def rounding_of(kernel: Kernel, X: Array, beta: Array, enough: float) -> float:
    """Return a bound on the rounding errors of ``f_i = sum_j beta_j k(x_j, x_i)`` at the points X.

    If a quick bound, which may be larger, is at most `enough`, that is returned.
    """
    if not len(X):
        return 0.0
    with np.errstate(over="ignore", invalid="ignore"):
        size = np.abs(beta)
        bound = float(rounding_errors(kernel, X, size, kernel.largest(X) * size.sum(), enough).max())
        if not bound <= enough:
            blocks = [np.abs(kernel.gram(X[b : b + 512], X)) @ size for b in range(0, len(X), 512)]
            bound = float(rounding_errors(kernel, X, size, np.concatenate(blocks), enough).max())
        return bound


def rounding_errors(kernel: Kernel, X: Array, beta: Array, size: Array | float, enough: float) -> Array:
    """Return bounds on the rounding errors of ``sum_j beta_j k(x_j, x_i)`` at the points X, shape (n,).

    Each kernel value has an error; each of the m terms, and each of their m sums, is rounded.  `size` is
    ``sum_j abs(beta_j K_ij)``; `enough` as in `Kernel.errors`.
    """
    n_terms = int(np.count_nonzero(beta))
    return kernel.errors(X, np.abs(beta), enough) + EPS * (0.5 * n_terms + 1.0) * size


def best_primal(y: Array, C: Array, g: Array, squared_norm: float, thorough: bool = True) -> float:
    """Return the smallest primal objective found among the functions ``s g + b``, ``g_i = sum_j beta_j K_ij``.

    P(s, b) = s^2 ||w||^2 / 2 + sum_i C_i max(0, 1 - y_i (s g_i + b)).  With s = 1 and the solver's own b, the relative
    gap of problems that are optimal to 1e-3 would be tens of per cent if C is large.  So b is chosen exactly, at a
    breakpoint of the hinge sum, and if `thorough`, s is searched for by cutting planes; any (s, b) gives a valid bound.
    If g has errors of at most e, the bound of ``g - y e`` is valid.
    """
    if np.isinf(C).all():
        # Hard margin: the best b is in the middle between the classes; f is scaled to 1 at the closest point.
        low, high = g[y > 0].min(), g[y < 0].max()
        half = 0.5 * (low - high)
        return float(0.5 * squared_norm / half**2) if half > 0 else np.inf
    if np.isinf(C).any():
        return np.inf

    positive, Cg = y > 0, C * g
    first = -float(C[positive].sum()), -float(Cg[positive].sum())
    hinges, slope = _best_hinge_sum(y, C, Cg, g, first)
    best = 0.5 * squared_norm + hinges
    if not thorough or not squared_norm > 0.0:
        return best
    # Cutting planes (Kelley 1960): with its best b the hinge sum is convex and piecewise linear in s, so it lies above
    # every tangent.  Two tangents, one on either side of the optimum, give the next s and a lower bound.
    s, left, right = 1.0, None, None
    for _ in range(MOST_CUTS):
        if s * squared_norm + slope < 0.0:
            left = s, hinges, slope
        else:
            right = s, hinges, slope
        lines = [each for each in (left, right) if each is not None]
        ends = [max(0.0, -each[2] / squared_norm) for each in lines]  # where the parabola on each line is lowest
        lowest = ends[0]
        if left is not None and right is not None and left[2] < right[2]:
            rise = left[1] - right[1] + right[2] * (right[0] - left[0])
            lowest = min(max(left[0] + rise / (right[2] - left[2]), ends[1]), ends[0])
        bound = max(hinges + slope * (lowest - s) for s, hinges, slope in lines)
        if not best - (0.5 * lowest * lowest * squared_norm + bound) > ENOUGH * best:
            break
        s = min(lowest, 4.0 * s) if right is None else lowest  # tangents at distant s intersect inexactly
        hinges, slope = _best_hinge_sum(y, C, Cg, s * g, first)
        best = min(best, 0.5 * s * s * squared_norm + hinges)
    return best


@dataclass(frozen=True)
class Evidence:
    """Values from which the certificate of an SVM's multipliers is computed, at once or when it is first read.

    Attributes
    ----------
    status : Status
        Status of the certificate.
    n_iter : int
    y, C, beta, v : ndarray of shape (n,)
        Notation as in `smo`.
    errors : ndarray of shape (n,)
        Bounds on the errors of v.
    is_definite : bool
        Whether the kernel is known to be positive semidefinite.
    known_primal : float
        A primal bound known from earlier, else inf.
    optima : callable or None
        ``optima(alpha)`` returns the `solver.svm.optima.Optima` of the problem.
    """

    status: Status
    n_iter: int
    y: Array
    C: Array
    beta: Array
    v: Array
    errors: Array
    is_definite: bool
    known_primal: float
    optima: Callable[[Array], Any] | None = None

    def certificate(self, thorough: bool = True) -> Certificate:
        """Return the certificate; `thorough` as in `SmoSolver.certificate`."""
        y, v, size = self.y, self.v, np.abs(self.beta)
        total, product, slack = float(size.sum()), float(self.beta @ v), float(size @ self.errors)
        norm = max(0.0, total - product) + slack
        dual = 0.5 * (total + product - slack)
        primal = np.inf
        if self.is_definite:
            g = y - v - y * self.errors
            primal = min(self.known_primal, best_primal(y, self.C, g, norm, False))
            if thorough and gap_of(primal, dual) > SMALL_GAP:
                primal = min(primal, best_primal(y, self.C, g, norm))
        below_C, above_0 = size < self.C, size > 0.0
        m = v[np.where(y > 0, below_C, above_0)].max(initial=-np.inf)
        M = v[np.where(y > 0, above_0, below_C)].min(initial=np.inf)
        n_free = int(np.count_nonzero(above_0 & below_C))
        hard = total > 0.0 and bool(np.isinf(self.C).all())
        return Certificate(
            self.status,
            float(m - M),
            dual,
            primal,
            gap_of(primal, dual),
            n_free,
            int(np.count_nonzero(above_0)) - n_free,
            self.n_iter,
            float(np.sqrt(norm)) / total if hard else np.nan,
            float(self.errors.max()),
            () if self.optima is None else (self.optima(size),),
        )


def _best_hinge_sum(y: Array, C: Array, Cg: Array, f: Array, first: tuple[float, float]) -> tuple[float, float]:
    """Return ``min_b sum_i C_i max(0, 1 - y_i (f_i + b))``, and its slope in s, with ``f = s g`` and ``Cg = C g``.

    The sum is piecewise linear in b, so its minimum is at a breakpoint.  There the slope in b changes its sign: the
    point at the breakpoint counts with the share of its C that makes the slope 0.  `first` are the slopes in b and s
    before the first breakpoint.
    """
    at = y - f
    order = at.argsort()
    pull = C[order].cumsum()  # the slope in b rises by C_i at each breakpoint
    pull += first[0]
    k = int(pull.searchsorted(0.0)) if pull[-1] > 0 else len(order) - 1
    last = order[k]
    hinge = 1.0 - y * (f + at[last])
    np.maximum(hinge, 0.0, out=hinge)
    hinge *= C
    passed = Cg[order[:k]]
    share = 1.0 - pull[k] / C[last] if C[last] > 0 else 0.0
    slope = first[1] + float(passed.sum()) + float(share * Cg[last])
    return float(hinge.sum()), slope  # no product of vectors: it would wait for threads of BLAS
