"""ConjugateSolver: SMO in fewer and cheaper steps, for ``SVC(solver="smo").fit``; its steps are not those of the lanes.

Notation as in `smo`.  Three things are added to pairs, bounds and the certificate, which stay what they are:

* Conjugate directions (Torres-Barran, Alaiz, Dorronsoro, Pattern Recognition 2021).  A pair is moved along
  ``d = e_i - e_j + gamma d'``, d' being the last direction, with ``gamma = -(q'_i - q'_j) / d'Kd'``, ``q' = K d'``: so
  d is conjugate to d', and as the last step was the best along d', the gain is ``(v_i - v_j)^2 / (2 d'Kd)``, never less
  than that of the pair alone; j is chosen for it.  Where a bound is met the next step begins with a pair.
* Thousands of points of the plane are not all looked at from the start.  A tenth of them, each as dear as those it
  stands for together, is trained first, in the same way.  By its f, the points clearly outside the margin are left out
  at first; all begin at 0.
* Points are left out more boldly than in `shrinking`: those at a bound and far on its side of the middle, too; and a
  part is worked on until its violation is a tenth of what it was for all points.  Then v of all points is brought up to
  date, by an expansion where there is one (`expanded`), and the choice is made anew.

The end is that of `SmoSolver`: v of all points from its definition, and no pair violates by more than tol.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array
from solver.core.certificate import Status
from solver.core.stepping import Checkpoint
from solver.kernels.table import KERNELS, Kernel

from . import smo
from .auto import ROUGH, SHARE_OF_POINTS, some_of
from .expanded import ExpandedSolver
from .shrinking import CONJUGATE

#: Points from which on there are sums by expansion, and, with one, from which on some points are trained first: at
#: most, and for each entry that a point costs it.
LEAST, MANY, PER_COST = 1000, 2500, 4
#: Distance from the margin, in f, up to which points are looked at first, and from the middle, in v, later.
MARGIN, NEAR = 0.1, 0.3


class ConjugateSolver(ExpandedSolver):
    """`SmoSolver` with conjugate directions and bolder choices of points; the same optimum and certificate.

    Parameters
    ----------
    X : array-like of shape (n, n_features)
    y : array-like of shape (n,)
    kernel : Kernel
    **parameters
        As in `SmoSolver`, whose steps are made where the kernel is not positive semidefinite, C is infinite, the rule
        is not "second-order" or `compiled` is False.

    Raises
    ------
    ValueError
        As in `SmoSolver`.

    Notes
    -----
    `n_iter` counts the updates of the problem itself, not those of the tenth of the points that are trained first.
    """

    SMALL_GAP = 1e-4

    def __init__(self, X: ArrayLike, y: ArrayLike, kernel: Kernel, **parameters: Any) -> None:
        super().__init__(X, y, kernel, **parameters)
        self._conjugate = (
            self._definite and bool(np.isfinite(self.C).all()) and self.compiled and self.selection == "second-order"
        )
        #: What comes before the first update, until it is done.
        self._start: Iterator[None] | None = None
        active, n = self._active, len(self.y)
        suitable = self._conjugate and kernel.name in KERNELS and active.shrinking
        if suitable and n >= LEAST and self.max_iter >= n and not self.beta.any():
            self._use_expansion()
            if active.plane is not None and n >= min(MANY, PER_COST * active.plane.cost):
                self._start = self._predict()

    def checkpoint(self) -> Checkpoint:
        """Not possible: the direction of the last step is not kept.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("A training by conjugate directions cannot be gone back; that of SmoSolver can.")

    def start_notes(self) -> Array:
        """Not possible: the updates note nothing.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("A training by conjugate directions notes no steps; that of SmoSolver does.")

    def move_points(self, X: ArrayLike, y: ArrayLike | None = None, C: float | ArrayLike | None = None) -> None:
        """Not possible: what was left out was chosen for the points as they are.

        Raises
        ------
        ValueError
            Always.
        """
        raise ValueError("Points of a training by conjugate directions cannot be moved; those of SmoSolver can.")

    def give_up(self) -> None:
        """As in `SmoSolver`."""
        self._start = None
        super().give_up()

    def _advance(self, goal: int) -> None:
        if self._start is None:
            super()._advance(goal)
        elif next(self._start, self) is self:
            self._start = None

    def _updates(self, n: int, tol: float) -> int:
        if not self._conjugate:
            return super()._updates(n, tol)
        active = self._active
        return active.run(CONJUGATE, self._ints, self._rng, max(tol, active.enough), n, smo.PIECE, self._notes.record)

    def _predict(self) -> Iterator[None]:
        """Train some of the points, and leave out those that their f puts clearly outside the margin; in pieces."""
        active, y = self._active, self.y
        index, factor = some_of(y, SHARE_OF_POINTS)
        few = ConjugateSolver(
            self.points[:, index].T,
            y[index],
            self.kernel,
            C=np.minimum(self.C[index] * factor, smo.LARGEST_C),
            tol=max(self.tol, ROUGH),
            max_iter=self.max_iter,
            cache_size=active.megabytes,
        )
        while few.status is Status.RUNNING:
            few.step(smo.PIECE, stop=lambda: True)
            yield
        weights = np.zeros(len(y))
        weights[index] = few.beta
        found = active.sum_of_rows(weights)
        while not found.work(smo.PIECE):
            yield
        active.near = NEAR
        # Points that stand for others are looked at in any case: so there is a pair.
        active.work_on(np.flatnonzero((y * (found.total + few.intercept) < 1.0 + MARGIN) | (weights != 0.0)))
        active.review_at = max(active.review_at, len(active.part.index))  # most of its points move, at first
