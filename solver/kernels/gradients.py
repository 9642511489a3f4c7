"""Gradients of sums of kernel functions: which way f rises, and how much of that is rounding."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .table import KERNELS, Kernel

Array = NDArray[np.float64]


def gradient(kernel: Kernel, queries: Array, points: Array, coef: Array) -> tuple[Array, Array]:
    """The gradient of ``f(x) = sum_s coef_s k(points_s, x)``.

    With k the kernel value and p = <x, z>, the gradient of k(z, x) with respect to x is

        linear      z
        poly        degree gamma (gamma p + coef0)^(degree - 1) z
        rbf         -2 gamma k (x - z)
        laplacian   -gamma k sign(x - z), feature by feature; 0 where a feature is equal, and k has an edge
        sigmoid     gamma (1 - k^2) z

    Parameters
    ----------
    kernel : Kernel
    queries : ndarray of shape (m, d)
    points : ndarray of shape (n_support, d)
    coef : ndarray of shape (n_support,)

    Returns
    -------
    gradient : ndarray of shape (m, d)
    size : ndarray of shape (m,)
        The sum of the lengths of the terms: a gradient not much longer than 1e-16 of that is rounding.

    Raises
    ------
    ValueError
        A kernel that is no formula.
    """
    if kernel.name not in KERNELS:
        raise ValueError(f"kernel is {kernel.name!r}, which has no gradient; it must be one of {', '.join(KERNELS)}.")
    with np.errstate(over="ignore", invalid="ignore"):
        if kernel.name in ("rbf", "laplacian"):
            return _of_differences(kernel, queries, points, coef)
        product = queries @ points.T
        if kernel.name == "linear":
            slope = np.ones_like(product)
        elif kernel.name == "poly":
            power = kernel.degree - 1
            slope = np.zeros_like(product) if power < 0 else (kernel.gamma * product + kernel.coef0) ** power
            slope *= kernel.degree * kernel.gamma
        else:
            slope = kernel.gamma * (1.0 - kernel.of_product(product) ** 2)
        weights = slope * coef
        lengths = np.sqrt(np.einsum("ij,ij->i", points, points))
        return weights @ points, np.abs(weights) @ lengths


def _of_differences(kernel: Kernel, queries: Array, points: Array, coef: Array) -> tuple[Array, Array]:
    """That of the kernels that are functions of x - z."""
    weights = kernel.gram(queries, points) * coef
    out, squares = np.empty(queries.shape), np.zeros(weights.shape)
    for feature in range(queries.shape[1]):
        difference = queries[:, feature, None] - points[None, :, feature]
        slope = -kernel.gamma * np.sign(difference) if kernel.name == "laplacian" else -2.0 * kernel.gamma * difference
        out[:, feature] = np.einsum("ij,ij->i", weights, slope)
        squares += slope * slope
    return out, np.einsum("ij,ij->i", np.abs(weights), np.sqrt(squares))
