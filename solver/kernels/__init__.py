"""Kernels: the table of all kernels, expansions in them, and their pictures."""

from .kinds import KernelKind
from .table import KERNELS, Kernel

__all__ = ["KERNELS", "Kernel", "KernelKind"]
