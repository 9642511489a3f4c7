"""Orders: a perceptron trained with other orders of the points, and the line of widest margin.

Many lines separate the classes, and the order decides which of them a perceptron finds; one has the widest margin.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.number_format import grouped, short
from solver import SVC, Grid, PerceptronSolver, Status, largest_margin
from solver.core.arrays import Array, Integers, Mask
from solver.core.stepping import Stop

from .online import PerceptronSettings

#: Target duration of a piece of work (s).
PIECE = 0.005
#: Most updates in the search for the widest margin: with more, the margin would be next to nothing.
MOST_UPDATES = 300_000
#: KKT violation at which the search for the widest margin stops: its width then has about as many correct digits.
TOL = 1e-6
#: A margin below this share of the largest distance from the origin counts as none, as for an SVM.
NOTHING = 1e-6


class Orders(Struct, frozen=True, eq=False):
    """Results of the runs in other orders, complete or in progress.

    Attributes
    ----------
    asked : int
        Number of orders requested.
    weights : ndarray of shape (n_runs, 3)
        (w1, w2, b) at the end of each finished run: f(x) = w1 x1 + w2 x2 + b.
    margins : ndarray of shape (n_runs,)
        Distance of the nearest point from the line, below 0 if a point is on the wrong side; nan for w = 0.
    mistakes : ndarray of shape (n_runs,)
        Mistakes corrected in each run.
    rested : ndarray of shape (n_runs,), bool
        Whether the run ended with a pass without a mistake.
    widest : ndarray of shape (3,) or None
        The line of widest margin, through the origin if the perceptron has no intercept; None if unknown, or if there
        is none.
    widest_margin : float
        Its margin; nan if there is none.
    separable : bool or None
        False if no line separates the classes, which is proved: then no run would end, and none is tried.  None if
        unknown.
    fit_intercept : bool
        False if only lines through the origin count.
    """

    asked: int
    weights: Array
    margins: Array
    mistakes: Integers
    rested: Mask
    widest: Array | None = None
    widest_margin: float = math.nan
    separable: bool | None = None
    fit_intercept: bool = True

    @property
    def complete(self) -> bool:
        """Whether all results are computed."""
        return self.separable is False or len(self.weights) == self.asked

    def lines(self, grid: Grid, rested: bool = True) -> Array:
        """Return the ends in the picture, shape (m, 2, 2), of lines of runs that ended without mistakes, or others."""
        return clipped(self.weights[self.rested == rested], grid)

    def widest_line(self, grid: Grid) -> Array:
        """Return the ends of the line of widest margin in the picture, shape (1, 2, 2), or (0, 2, 2)."""
        return clipped(np.empty((0, 3)) if self.widest is None else self.widest[None], grid)


def other_orders(X: Array, y: Array, settings: PerceptronSettings) -> Iterator[Orders | None]:
    """Train `settings.orders` perceptrons, each with an order of its own, and search the line of widest margin.

    Yield every few milliseconds: the results so far if there are new ones, else None.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        Classes -1 and +1, both present.
    settings : PerceptronSettings
        With `shuffle`, run k draws an order for each pass, from the seed ``random_state + 1 + k``; without, it draws
        one order for all passes.
    """
    found = Orders(
        settings.orders,
        np.empty((0, 3)),
        np.empty(0),
        np.empty(0, dtype=np.int64),
        np.empty(0, dtype=bool),
        fit_intercept=settings.fit_intercept,
    )
    if not settings.orders:
        return
    for widest, separable in widest_of(X, y, settings.fit_intercept):
        if widest is not None:
            found = replace(found, widest=widest, widest_margin=margin_of(widest, X, y), separable=True)
        elif separable is False:
            found = replace(found, separable=False)
        yield found if found.separable is not None else None
    if found.separable is False:
        return
    for run in range(settings.orders):
        seed = settings.random_state + 1 + run
        order = slice(None) if settings.shuffle else np.random.default_rng(seed).permutation(len(y))
        solver = PerceptronSolver(
            X[order],
            y[order],
            fit_intercept=settings.fit_intercept,
            max_iter=settings.max_iter,
            shuffle=settings.shuffle,
            random_state=seed,
        )
        while solver.status is Status.RUNNING:
            solver.step(1_000_000, _late())
            if solver.status is Status.RUNNING:
                yield None
        line = np.append(solver.coef, solver.intercept)
        found = replace(
            found,
            weights=np.vstack((found.weights, line)),
            margins=np.append(found.margins, margin_of(line, X, y)),
            mistakes=np.append(found.mistakes, solver.n_iter),
            rested=np.append(found.rested, solver.status is Status.OPTIMAL),
        )
        yield found


def widest_of(X: Array, y: Array, fit_intercept: bool) -> Iterator[tuple[Array | None, bool | None]]:
    """Yield the line (w1, w2, b) of widest margin, or None, and whether there is one, or None if unknown.

    The search yields (None, None) until the result, which is last.
    """
    if not fit_intercept:  # the nearest point of a convex hull in the plane: a few small steps
        known = largest_margin(X, y, fit_intercept=False)
        if known.low > 0.0:
            yield np.append(known.direction, 0.0), True
        else:
            yield None, False if known.high <= NOTHING * known.radius else None
        return
    machine = SVC(math.inf, "linear", tol=TOL, max_iter=MOST_UPDATES)
    trainer = machine.prepare(X, y)
    while trainer.status is Status.RUNNING:
        trainer.step(1_000_000, _late())
        yield None, None
    w = machine.adopt(trainer.snapshot()).coef_[0]
    # The width for a direction is the gap between the classes; b puts the line into its middle.
    f = X @ w
    low, high = f[y > 0].min(), f[y < 0].max()
    if low > high:
        yield np.append(w, -0.5 * (low + high)), True
    else:
        yield None, False if trainer.status is Status.NOT_SEPARABLE else None


def margin_of(line: Array, X: Array, y: Array) -> float:
    """Return the distance of the nearest point from the line (w1, w2, b), negative if a point is on the wrong side."""
    norm = math.hypot(line[0], line[1])
    return float((y * (X @ line[:2] + line[2])).min()) / norm if norm > 0.0 else math.nan


@np.errstate(all="ignore")  # lines near infinity miss the rectangle
def clipped(weights: Array, grid: Grid) -> Array:
    """Return the ends, shape (m, 2, 2), of the lines ``w1 x + w2 y + b = 0`` within the rectangle of `grid`.

    Lines that miss it, and w = 0, are left out.
    """
    size = np.hypot(weights[:, 0], weights[:, 1])
    weights = weights[size > 0] / size[size > 0, None]
    low, high = np.array([grid.left, grid.bottom]), np.array([grid.right, grid.top])
    centre = 0.5 * (low + high)
    normal = weights[:, :2]
    start = centre - (normal @ centre + weights[:, 2])[:, None] * normal  # the point nearest to the centre
    along = np.column_stack((-normal[:, 1], normal[:, 0]))
    one, other = (low - start) / along, (high - start) / along
    inside = (low <= start) & (start <= high)  # a vertical or horizontal line must have its coordinate in range
    first = np.where(along == 0, np.where(inside, -np.inf, np.inf), np.minimum(one, other)).max(axis=1)
    last = np.where(along == 0, np.where(inside, np.inf, -np.inf), np.maximum(one, other)).min(axis=1)
    crosses = first < last
    ends = np.stack((first, last), axis=1)[crosses]
    lines: Array = start[crosses, None, :] + ends[:, :, None] * along[crosses, None, :]
    return lines


def _late() -> Stop:
    """Return a stop condition that is true after `PIECE` seconds."""
    end = time.perf_counter() + PIECE
    return lambda: time.perf_counter() >= end


def of_orders(orders: Orders) -> str:
    """Return a sentence on a perceptron's runs in other orders; "" without results."""
    n = len(orders.weights)
    if orders.separable is False:
        line = "line" if orders.fit_intercept else "line through the origin"
        return f"No {line} separates the classes: with no order would a perceptron stop"
    possible = "possible" if orders.fit_intercept else "through the origin"
    if not n:
        return "" if orders.widest is None else f"the widest margin {possible} is {short(2 * orders.widest_margin)}"
    so_many = f"{n} of {orders.asked}" if n < orders.asked else f"{n}"
    who = f"{so_many} {'order' if orders.asked == 1 else 'orders'}"
    if not orders.rested.any():
        return f"{who}: {'it does not come' if orders.asked == 1 else 'none comes'} to rest in time"
    at_rest = int(orders.rested.sum())
    some = "" if at_rest == n else f", {at_rest} at rest"
    mistakes = orders.mistakes[orders.rested]
    widths = 2 * orders.margins[orders.rested]  # from margin to margin, as drawn
    least, most = (grouped(int(number)) for number in (mistakes.min(), mistakes.max()))
    parts = [
        f"{least} mistake{'' if least == '1' else 's'}" if least == most else f"{least} to {most} mistakes",
        f"margin {short(widths[0])}" if at_rest == 1 else f"margins {short(widths.min())} to {short(widths.max())}",
    ]
    widest = "" if orders.widest is None else f"; the widest {possible} is {short(2 * orders.widest_margin)}"
    return f"{who}{some}: {', '.join(parts)}{widest}"
