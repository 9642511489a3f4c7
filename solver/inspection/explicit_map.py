"""ExplicitMap: three coordinates of the feature space of a quadratic kernel in which the boundary is a plane.

Legend: ``phi(x)`` in R^6, `kernels.feature_maps.quadratic_features`, with ``K(x, z) = (gamma <x, z> + c)^2 =
<phi(x), phi(z)>``; ``w = sum_s coef_s phi(x_s)`` and ``f(x) = <w, phi(x)> + b``.

Three coordinates can be drawn.  With c = 0, phi has only three coordinates other than 0.  With c > 0 it has five, and a
constant one.  Drawn are the two of first order and the component of the three of second order along those of w,
``q = <w_2, phi_2(x)> / |w_2|``.  This is an orthogonal projection of the feature space on a subspace that contains w
without its constant coordinate.  So f is exactly ``<normal, drawn> + offset``, and does not depend on the directions
that are left out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from solver.core.arrays import Array
from solver.core.scaler import Scaler
from solver.kernels.expansion import Expansion
from solver.kernels.feature_maps import quadratic_features
from solver.kernels.table import Kernel


@dataclass(frozen=True, eq=False)
class ExplicitMap:
    """Map from points of the plane to the three drawn coordinates of feature space.

    Attributes
    ----------
    gamma, coef0 : float
        Parameters of the kernel.
    axes : ndarray of shape (3, 6)
        Orthonormal directions of the drawn coordinates in phi.
    normal : ndarray of shape (3,)
    offset : float
        f is ``<normal, drawn> + offset``.
    scaler : Scaler or None
        What points of the plane are transformed by first.
    """

    gamma: float
    coef0: float
    axes: Array
    normal: Array
    offset: float
    scaler: Scaler | None = None

    def __call__(self, X: Array) -> Array:
        """Return the drawn coordinates of points of the plane, shape (n, 3)."""
        X = X if self.scaler is None else self.scaler.transform(X)
        return quadratic_features(X, self.gamma, self.coef0) @ self.axes.T


def explicit_map(expansion: Expansion, problem: int, scaler: Scaler | None = None) -> ExplicitMap | None:
    """Return the map of one binary problem; None if the kernel is not quadratic, or has no map (coef0 below 0)."""
    kernel = expansion.kernel
    if not isinstance(kernel, Kernel) or kernel.name != "poly" or kernel.degree != 2 or kernel.coef0 < 0:
        return None
    features = quadratic_features(expansion.points, kernel.gamma, kernel.coef0)
    w = features.T @ expansion.coef[:, problem]
    unit = np.eye(6)
    if kernel.coef0 == 0:
        axes = unit[[0, 2, 1]]
    else:
        size = float(np.linalg.norm(w[:3]))
        along = np.array([1.0, 0.0, 1.0]) / np.sqrt(2.0) if size == 0 else w[:3] / size
        axes = np.vstack([unit[[3, 4]], [[*along, 0.0, 0.0, 0.0]]])
    return ExplicitMap(
        kernel.gamma, kernel.coef0, axes, axes @ w, float(expansion.offset[problem] + w[5] * kernel.coef0), scaler
    )
