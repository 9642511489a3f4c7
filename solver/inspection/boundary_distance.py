"""Nearest: the boundary point nearest to a place, and the norm of w: what it takes to say how far away f = 0 is.

With a linear kernel the distance is |f| / ||w||.  With any other kernel that is the distance in feature space only; in
the plane the nearest place where f = 0 has to be looked for: between the samples of a grid, then downhill.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array
from solver.core.binary_reduction import PairClassifier
from solver.kernels.grids import GridRows

from .margin_rays import Decision

#: Support vectors that f is computed at between two pauses: a few milliseconds.
BLOCK = 400
#: Rows of a grid between two pauses.
ROWS = 16
#: How exactly the nearest place is found, as a share of the length of a cell; steps of the search at most.
EXACT, STEPS = 1e-4, 40


@dataclass(frozen=True, eq=False)
class Crossings:
    """Where f changes its sign between two neighbouring samples of a grid.

    Attributes
    ----------
    start, end : ndarray of shape (m, 2)
        The two samples.
    at : ndarray of shape (m, 2)
        Where f = 0 between them if it is straight.
    cell : float
        Distance of two samples, the longer side of a cell.
    """

    start: Array
    end: Array
    at: Array
    cell: float


@dataclass(frozen=True)
class Nearest:
    """A place where f = 0.

    Attributes
    ----------
    place : (x, y)
    distance : float
        From the place asked for; no boundary point of the picture is much nearer.
    refined : bool
        No place round about is nearer.  Else the nearest one may be up to a cell nearer.
    """

    place: tuple[float, float]
    distance: float
    refined: bool


def crossings(rows: GridRows, problem: int, xs: Array, ys: Array) -> Generator[None, None, Crossings]:
    """All changes of sign of f on a grid; yields every few milliseconds, and returns them.

    Parameters
    ----------
    rows : callable
        ``rows(ys) -> (len(ys), len(xs), n_problems)``, prepared for `xs`.
    problem : int
    xs, ys : ndarray of shape (width,), (height,)
        Rising.
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
    cell = max(float(np.diff(xs).max(initial=0.0)), float(np.diff(ys).max(initial=0.0)))
    return Crossings(first, last, at, cell)


def squared_norm(model: PairClassifier, problem: int) -> Generator[None, None, float]:
    """||w||^2 = sum_s coef_s (f(x_s) - b) over the support vectors; yields every few milliseconds, and returns it.

    Of a kernel that is not positive semidefinite it may be below 0.
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


def nearest_zero(decision: Decision, place: Array, found: Crossings) -> Nearest | None:
    """The place nearest to `place` where f = 0, from the crossing nearest to it; None where there is no crossing.

    Each step goes to the place nearest to `place` on the line where f would be 0 if it were straight (Hasofer and
    Lind 1974), shortened until distance and |f| together fall.
    """
    if not len(found.at):
        return None
    away = np.hypot(*(found.at - place).T)
    first = int(away.argmin())
    if decision.kernel.kind.has_edges:  # f has an edge at each support vector, which no slope tells of
        return _on_the_edge(decision, place, found, first)
    z = found.at[first]
    exact = EXACT * found.cell
    for _ in range(STEPS):
        slope, size = (each[0] for each in decision.gradient(z[None, :]))
        f = float(decision.value(z[None, :])[0])
        square = float(slope @ slope)
        if not (np.isfinite(f) and square > (1e-12 * float(size)) ** 2):
            break
        goal = place - slope * ((f + float(slope @ (place - z))) / square)
        way = goal - z
        if float(np.hypot(*way)) <= exact:
            return _verified(decision, place, z, slope / np.sqrt(square), found, first)
        price = 2.0 * float(np.hypot(*(z - place))) / np.sqrt(square) + found.cell / np.sqrt(square)
        before = 0.5 * float((z - place) @ (z - place)) + price * abs(f)
        share = 1.0
        while share > 1e-3:
            there = z + share * way
            value = float(decision.value(there[None, :])[0])
            if 0.5 * float((there - place) @ (there - place)) + price * abs(value) < before:
                break
            share *= 0.5
        else:
            break
        z = there
    return _on_the_edge(decision, place, found, first)


def _verified(decision: Decision, place: Array, z: Array, unit: Array, found: Crossings, first: int) -> Nearest | None:
    """`z`, if f really changes its sign there and it is no farther away than the crossing."""
    step = 2.0 * EXACT * found.cell * unit
    below, above = decision.value(np.stack((z - step, z + step))).tolist()
    distance = float(np.hypot(*(z - place)))
    near = distance <= float(np.hypot(*(found.at[first] - place))) + found.cell
    if below <= 0.0 <= above and near:
        return Nearest((float(z[0]), float(z[1])), distance, True)
    return _on_the_edge(decision, place, found, first)


def _on_the_edge(decision: Decision, place: Array, found: Crossings, first: int) -> Nearest:
    """Between the two samples: by bisection."""
    low, high = found.start[first], found.end[first]
    positive = float(decision.value(low[None, :])[0]) > 0.0
    for _ in range(50):
        middle = 0.5 * (low + high)
        if (float(decision.value(middle[None, :])[0]) > 0.0) == positive:
            low = middle
        else:
            high = middle
    return Nearest((float(high[0]), float(high[1])), float(np.hypot(*(high - place))), False)
