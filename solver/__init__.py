"""Classifiers one can step, look into and trust: numbers only, no window."""

from .certificate import Certificate, NotSeparableError, Status
from .kernels import KERNELS, Kernel
from .multiclass import REST, SCHEMES, Pair, PairTrainer
from .neighbors import KNeighborsClassifier
from .selection import RULES
from .smo import SmoSnapshot, SmoSolver
from .surface import Grid, RunningExpansion
from .svc import SVC

__all__ = [
    "KERNELS", "REST", "RULES", "SCHEMES", "SVC", "Certificate", "Grid", "KNeighborsClassifier", "Kernel",
    "NotSeparableError", "Pair", "PairTrainer", "RunningExpansion", "SmoSnapshot", "SmoSolver", "Status",
]  # fmt: skip
