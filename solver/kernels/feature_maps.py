"""Explicit feature maps, which show the kernel trick by example.

``psi(x) = (1, x_1, .., x_d, x_1 x_1, x_1 x_2, .., x_d x_d)``, all d^2 ordered products, so that

    <psi(x), psi(z)> = 1 + s + s^2,   s = <x, z>

Computing it by psi takes Theta(d^2) work, by the right-hand side Theta(d).  As ``1 + s + s^2 = (s + 1/2)^2 + 3/4``, and
a constant added to a kernel changes no classifier with sum alpha_i y_i = 0, a linear SVM on psi and an SVM with the
polynomial kernel of degree 2, gamma 1, coef0 0.5 have the same f.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from solver.core.arrays import Array
from solver.core.checks import check_points


def polynomial_features(X: ArrayLike) -> Array:
    """Return psi of each point: 1, the coordinates, and all ordered products of two coordinates.

    Parameters
    ----------
    X : array-like of shape (n, d)
        Coordinates of at most 1e140.

    Returns
    -------
    ndarray of shape (n, 1 + d + d^2)
        The product x_i x_j (i, j from 0) is in column ``1 + d + i d + j``.

    Raises
    ------
    ValueError
        If `X` does not hold finite numbers in this shape and range.
    TypeError
        If `X` holds an object that is not a number.

    References
    ----------
    Schölkopf, Smola, "Learning with kernels", MIT Press, 2002, section 2.1 (product features).

    Examples
    --------
    XOR becomes separable by the product of the two coordinates, column 4:

    >>> from solver import SVC, polynomial_features
    >>> X, y = [[-1, -1], [1, 1], [-1, 1], [1, -1]], ["same", "same", "different", "different"]
    >>> features = polynomial_features(X)
    >>> features[:, 4].tolist()
    [1.0, 1.0, -1.0, -1.0]
    >>> SVC(kernel="linear").fit(features, y).score(features, y)
    1.0
    """
    points = check_points(X, 1e140)
    products = points[:, :, None] * points[:, None, :]
    return np.hstack([np.ones((len(points), 1)), points, products.reshape(len(points), -1)])


def quadratic_features(X: Array, gamma: float = 1.0, coef0: float = 0.0) -> Array:
    """Return phi of points of the plane, with ``<phi(x), phi(z)> = (gamma <x, z> + coef0)^2`` for coef0 of at least 0.

    Parameters
    ----------
    X : ndarray of shape (n, 2)
    gamma, coef0 : float
        As in the polynomial kernel.

    Returns
    -------
    ndarray of shape (n, 6)
        ``g x_1^2, sqrt(2) g x_1 x_2, g x_2^2, sqrt(2 g c) x_1, sqrt(2 g c) x_2, c``, where g is gamma and c is coef0;
        without coef0 the last three are 0.
    """
    first, second = X[:, 0], X[:, 1]
    linear = np.sqrt(2.0 * gamma * coef0)
    squares = (gamma * first * first, np.sqrt(2.0) * gamma * first * second, gamma * second * second)
    return np.column_stack((*squares, linear * first, linear * second, np.full(len(X), coef0)))
