"""Kernels: the table of all kernels, expansions ``f(x) = sum_s coef_s k(x_s, x)`` in them, and their pictures.

Points and coefficients come in; kernel values, values of f, and pictures of f on a grid go out.  Read `table` first,
then `expansion`.
"""

from .kinds import KernelKind
from .table import KERNELS, Kernel

__all__ = ["KERNELS", "Kernel", "KernelKind"]
