"""Distance of a location from the boundary f = 0: the nearest boundary point, and the norm of w.

With a linear kernel the distance is |f| / ||w||.  With any other kernel, that is the distance in feature space only.
In the plane, the nearest boundary point is found by search: first between the samples of a grid, then iteratively.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array
from solver.core.binary_reduction import PairClassifier
from solver.kernels.grids import GridRows

from .margin_rays import Decision

#: Number of support vectors at which f is computed between two pauses: a few milliseconds.
BLOCK = 400
#: Number of grid rows computed between two pauses.
ROWS = 16
#: Tolerance of the nearest boundary point, as a share of the length of a cell, and largest number of steps.
EXACT, STEPS = 1e-4, 40


@dataclass(frozen=True, eq=False)
class Crossings:
    """Changes of the sign of f between two neighbouring samples of a grid.

    Attributes
    ----------
    start, end : ndarray of shape (m, 2)
        The two samples.
    at : ndarray of shape (m, 2)
        Root of the linear interpolation of f between the two samples.
    cell, fine : float
        Largest distance of two neighbouring samples, and that along the axis where they are closer.
    """

    start: Array
    end: Array
    at: Array
    cell: float
    fine: float


@dataclass(frozen=True)
class Nearest:
    """The boundary point nearest to a location.

    Attributes
    ----------
    point : (x, y)
        The boundary point.
    distance : float
        Its distance from the location.
    refined : bool
        True if `point` is a local minimum of the distance; else a boundary point up to a cell nearer may exist.
    """

    point: tuple[float, float]
    distance: float
    refined: bool


def crossings(rows: GridRows, problem: int, xs: Array, ys: Array) -> Generator[None, None, Crossings]:
    """Return all changes of sign of f on a grid; the generator yields every few milliseconds.

    Parameters
    ----------
    rows : callable
        ``rows(ys) -> (len(ys), len(xs), n_problems)``, prepared for `xs`.
    problem : int
        Index of the binary problem.
    xs, ys : ndarray of shape (width,), (height,)
        Coordinates of columns and rows, increasing.

    Returns
    -------
    Crossings
    """
    f = np.empty((len(ys), len(xs)))
    for below in range(0, len(ys), ROWS):
        f[below : below + ROWS] = rows(ys[below : below + ROWS])[..., problem]
        yield
    right = f > 0.0
    beside, above = np.nonzero(right[:, 1:] != right[:, :-1]), np.nonzero(right[1:] != right[:-1])
    start, end, share = [], [], []
    for (row, column), (dr, dc) in ((beside, (0, 1)), (above, (1, 0))):
        a, b = f[row, column], f[row + dr, column + dc]
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            share.append(np.clip(np.nan_to_num(a / (a - b), nan=0.5), 0.0, 1.0))
        start.append(np.column_stack((xs[column], ys[row])))
        end.append(np.column_stack((xs[column + dc], ys[row + dr])))
    first, last = np.concatenate(start), np.concatenate(end)
    at = first + np.concatenate(share)[:, None] * (last - first)
    fine, cell = sorted(float(np.diff(each).max(initial=0.0)) for each in (xs, ys))
    return Crossings(first, last, at, cell, fine)


def squared_norm(model: PairClassifier, problem: int) -> Generator[None, None, float]:
    """Return ||w||^2 = sum_s coef_s (f(x_s) - b) over the support vectors; yields every few milliseconds.

    The value may be negative if the kernel is not positive semidefinite.
    """
    expansion = model.expansion
    if expansion.is_linear:
        w = model.plane_weights[problem]
        return float(w @ w)
    coef = expansion.coef[:, problem]
    used = np.flatnonzero(coef)
    total = 0.0
    for first in range(0, len(used), BLOCK):
        part = used[first : first + BLOCK]
        f = expansion(expansion.points[part])[:, problem] - model.intercept_[problem]
        total += float(coef[part] @ f)
        yield
    return total


def nearest_zero(decision: Decision, point: Array, found: Crossings) -> Nearest | None:
    """Return the boundary point nearest to `point`, searched from the nearest of the crossings; None without crossings.

    Each step of the search leads to the point nearest to `point` on the line where the linearised f is 0.  It is
    shortened until the sum of squared distance and weighted |f| decreases.

    References
    ----------
    Hasofer, Lind, "Exact and invariant second-moment code format", J. Eng. Mech. Div. ASCE 100, 1974.  Step length:
    Zhang, Der Kiureghian, "Two improved algorithms for reliability analysis", IFIP WG 7.5, 1995.
    """
    if not len(found.at):
        return None
    first = int(np.hypot(*(found.at - point).T).argmin())
    # f has an edge at each support vector of some kernels, which its slope does not show.
    refined = None if decision.kernel.kind.has_edges else _refined(decision, point, found.at[first], found)
    z = _bisected(decision, found.start[first], found.end[first]) if refined is None else refined
    return Nearest((float(z[0]), float(z[1])), float(np.hypot(*(z - point))), refined is not None)


def _refined(decision: Decision, point: Array, z: Array, found: Crossings) -> Array | None:
    """Return the boundary point nearest to `point` near `z`; None if the search fails or leads farther away."""
    cell, exact = found.cell, EXACT * found.fine
    farthest = float(np.hypot(*(z - point))) + cell
    for _ in range(STEPS):
        slope, size = (each[0] for each in decision.gradient(z[None, :]))
        f = float(decision.value(z[None, :])[0])
        square = float(slope @ slope)
        if not (np.isfinite(f) and square > (1e-12 * float(size)) ** 2):
            return None
        goal = point - slope * ((f + float(slope @ (point - z))) / square)
        way = goal - z
        if float(np.hypot(*way)) <= exact:
            step = 2.0 * exact * slope / np.sqrt(square)
            below, above = decision.value(np.stack((z - step, z + step))).tolist()
            return z if below <= 0.0 <= above and float(np.hypot(*(z - point))) <= farthest else None
        price = 2.0 * float(np.hypot(*(z - point))) / np.sqrt(square) + cell / np.sqrt(square)
        before = 0.5 * float((z - point) @ (z - point)) + price * abs(f)
        share = 1.0
        while share > 1e-3:
            there = z + share * way
            value = float(decision.value(there[None, :])[0])
            if 0.5 * float((there - point) @ (there - point)) + price * abs(value) < before:
                break
            share *= 0.5
        else:
            return None
        z = there
    return None


def _bisected(decision: Decision, low: Array, high: Array) -> Array:
    """Return where f changes its sign between two samples, by bisection."""
    positive = float(decision.value(low[None, :])[0]) > 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        if (float(decision.value(middle[None, :])[0]) > 0.0) == positive:
            low = middle
        else:
            high = middle
    return high
