"""ExpandedSolver: SMO that computes sums of kernel rows by an expansion.

In the plane the expansion of `plane_sums` takes time linear in the points, with a proved bound on its error.  It is
used where it is cheaper and this bound is far below tol.  `Certificate.kernel_error` is the bound, and primal and dual
of the certificate allow for it.
"""

from __future__ import annotations

from solver.core.one_thread import ONE_THREAD
from solver.core.stepping import Stop, never
from solver.kernels.plane_sums import plane_sums

from .smo import SmoSolver

#: Largest error of v by the expansion, as a share of tol.
ERROR_SHARE = 1e-2


class ExpandedSolver(SmoSolver):
    """`SmoSolver` that computes sums of kernel rows by an expansion after `_use_expansion` was called."""

    def _use_expansion(self) -> None:
        """Use the expansion from now on, if the kernel has one."""
        self._active.plane = plane_sums(self.kernel, self.points)
        self._active.largest_error = ERROR_SHARE * self.tol

    def step(self, n: int = 1, stop: Stop = never) -> int:
        """As `SmoSolver.step`."""
        if self._active.plane is None:
            return super().step(n, stop)
        with ONE_THREAD:
            return super().step(n, stop)

    @property
    def error(self) -> float:
        """Bound on the error of v by expansions."""
        return self._active.error
