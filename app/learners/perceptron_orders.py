"""Orders: a perceptron trained again in other orders of the points, beside the line of widest margin.

Many lines separate, and which of them a perceptron finds depends on the order; one of them is widest.
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

from .perceptron import PerceptronSettings

#: Seconds a piece of work aims at.
PIECE = 0.005
#: Updates after which the search for the widest margin gives up: the classes are separable by next to nothing, if so.
MOST_UPDATES = 300_000
#: KKT violation at which the widest margin is found: its width is then right to about as many digits.
TOL = 1e-6
#: A margin of at most this share of the largest distance from the origin is none, as for an SVM.
NOTHING = 1e-6


class Orders(Struct, frozen=True, eq=False):
    """What is known of the runs in other orders.

    Attributes
    ----------
    asked : int
        How many orders there will be.
    weights : ndarray of shape (n_runs, 3)
        (w1, w2, b) at the end of each run that is over: f(x) = w1 x1 + w2 x2 + b.
    margins : ndarray of shape (n_runs,)
        Distance of the nearest point from the line, below 0 if some point is on its wrong side; nan where w = 0.
    mistakes : ndarray of shape (n_runs,)
        Corrected in each run.
    rested : ndarray of shape (n_runs,), bool
        The run ended with a pass without a mistake.
    widest : ndarray of shape (3,) or None
        The line of widest margin, through the origin if the perceptron has no intercept; None while it is not known,
        and if there is none.
    widest_margin : float
        Its margin; nan if there is none.
    separable : bool or None
        False when it is shown that no line separates the classes: then no order would come to rest, and none is tried.
        None while that is not known.
    fit_intercept : bool
        False when only lines through the origin count.
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
        """Nothing more will come."""
        return self.separable is False or len(self.weights) == self.asked

    def lines(self, grid: Grid, rested: bool = True) -> Array:
        """The ends of the lines that cross the picture, shape (m, 2, 2): of the runs that came to rest, or others."""
        return clipped(self.weights[self.rested == rested], grid)

    def widest_line(self, grid: Grid) -> Array:
        """The ends of the widest line in the picture, shape (1, 2, 2), or (0, 2, 2)."""
        return clipped(np.empty((0, 3)) if self.widest is None else self.widest[None], grid)


def other_orders(X: Array, y: Array, settings: PerceptronSettings) -> Iterator[Orders | None]:
    """Train `settings.orders` perceptrons, each in an order of its own, and look for the line of widest margin.

    Yields after every few milliseconds of work: what is known when that is more than before, else None.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    y : ndarray of shape (n,)
        -1 and +1, both present.
    settings : PerceptronSettings
        With `shuffle`, run k draws an order for each pass, from the seed ``random_state + 1 + k``; without, it keeps
        one order, drawn from that seed.
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
    """The line (w1, w2, b) of widest margin, if it is found, and whether there is one, if that is shown.

    Yields (None, None) while it looks; the last pair is the answer.
    """
    if not fit_intercept:  # the nearest point of a hull of the plane: a few small steps
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
    # The width of a direction is that of the gap between the classes; b puts the line into its middle.
    f = X @ w
    low, high = f[y > 0].min(), f[y < 0].max()
    if low > high:
        yield np.append(w, -0.5 * (low + high)), True
    else:
        yield None, False if trainer.status is Status.NOT_SEPARABLE else None


def margin_of(line: Array, X: Array, y: Array) -> float:
    """Distance of the nearest point from the line (w1, w2, b), negative if some point is on its wrong side."""
    norm = math.hypot(line[0], line[1])
    return float((y * (X @ line[:2] + line[2])).min()) / norm if norm > 0.0 else math.nan


@np.errstate(all="ignore")  # what is as good as at infinity misses the rectangle
def clipped(weights: Array, grid: Grid) -> Array:
    """The parts of the lines ``w1 x + w2 y + b = 0`` in the rectangle of `grid`: ends, shape (m, 2, 2).

    Lines that miss it, or are none, are left out.
    """
    size = np.hypot(weights[:, 0], weights[:, 1])
    weights = weights[size > 0] / size[size > 0, None]
    low, high = np.array([grid.left, grid.bottom]), np.array([grid.right, grid.top])
    centre = 0.5 * (low + high)
    normal = weights[:, :2]
    start = centre - (normal @ centre + weights[:, 2])[:, None] * normal  # the point nearest to the centre
    along = np.column_stack((-normal[:, 1], normal[:, 0]))
    one, other = (low - start) / along, (high - start) / along
    inside = (low <= start) & (start <= high)  # of a line that keeps one coordinate, that one must be in range
    first = np.where(along == 0, np.where(inside, -np.inf, np.inf), np.minimum(one, other)).max(axis=1)
    last = np.where(along == 0, np.where(inside, np.inf, -np.inf), np.maximum(one, other)).min(axis=1)
    crosses = first < last
    ends = np.stack((first, last), axis=1)[crosses]
    lines: Array = start[crosses, None, :] + ends[:, :, None] * along[crosses, None, :]
    return lines


def _late() -> Stop:
    """True from now on in `PIECE` seconds."""
    end = time.perf_counter() + PIECE
    return lambda: time.perf_counter() >= end


def of_orders(orders: Orders) -> str:
    """What a perceptron's runs in other orders come to, in one sentence; "" while nothing is known."""
    n = len(orders.weights)
    if orders.separable is False:
        line = "line" if orders.fit_intercept else "line through the origin"
        return f"No {line} separates the classes: in no order would a perceptron come to rest"
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
    widths = 2 * orders.margins[orders.rested]  # from margin to margin, as they are drawn
    least, most = (grouped(int(number)) for number in (mistakes.min(), mistakes.max()))
    told = [
        f"{least} mistake{'' if least == '1' else 's'}" if least == most else f"{least} to {most} mistakes",
        f"margin {short(widths[0])}" if at_rest == 1 else f"margins {short(widths.min())} to {short(widths.max())}",
    ]
    widest = "" if orders.widest is None else f"; the widest {possible} is {short(2 * orders.widest_margin)}"
    return f"{who}{some}: {', '.join(told)}{widest}"
