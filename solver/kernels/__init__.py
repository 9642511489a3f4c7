"""Kernels: the table of all kernels, expansions in them, and their pictures."""

from .table import KERNELS, Kernel, KernelKind

__all__ = ["KERNELS", "Kernel", "KernelKind"]
