"""Classifiers one can step, look into and trust: numbers only, no window.

Importing the package imports none of its modules, nor numba: each name is fetched when it is first asked for, so that
who wants one learner does not wait for all of them.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .active import certainty, most_informative
    from .certificate import Certificate, NotSeparableError, Status
    from .conventions import ConvergenceWarning, DataConversionWarning, NotFittedError
    from .dual_ascent import DualAscentSVC
    from .features import polynomial_features
    from .kernels import KERNELS, Kernel
    from .lasvm import LasvmSnapshot, LasvmSolver
    from .linear import PegasosClassifier, Perceptron
    from .metrics import (
        ClassScores,
        KktCase,
        KktReport,
        accuracy,
        balanced_accuracy,
        class_scores,
        confusion_matrix,
        hinge_loss,
        kkt_case,
        margins,
        slacks,
    )
    from .multiclass import REST, SCHEMES, Pair, PairTrainer
    from .neighbors import KNeighborsClassifier
    from .online import OnlineSVC
    from .pegasos import PegasosCertificate, PegasosSnapshot, PegasosSolver
    from .perceptron import LargestMargin, PerceptronCertificate, PerceptronSnapshot, PerceptronSolver, largest_margin
    from .projected_gradient import DualAscentSnapshot, DualAscentSolver
    from .projection import project
    from .roc import RocCurve, ThresholdTable, confusion_at, roc_curve, threshold_table
    from .selection import RULES
    from .smo import SmoSnapshot, SmoSolver
    from .surface import Grid, RunningExpansion
    from .svc import SVC

#: Where the public names live.
_HOMES = {
    "active": "certainty most_informative",
    "certificate": "Certificate NotSeparableError Status",
    "conventions": "ConvergenceWarning DataConversionWarning NotFittedError",
    "dual_ascent": "DualAscentSVC",
    "features": "polynomial_features",
    "kernels": "KERNELS Kernel",
    "lasvm": "LasvmSnapshot LasvmSolver",
    "linear": "PegasosClassifier Perceptron",
    "metrics": (
        "ClassScores KktCase KktReport accuracy balanced_accuracy class_scores confusion_matrix hinge_loss kkt_case"
        " margins slacks"
    ),
    "multiclass": "REST SCHEMES Pair PairTrainer",
    "neighbors": "KNeighborsClassifier",
    "online": "OnlineSVC",
    "pegasos": "PegasosCertificate PegasosSnapshot PegasosSolver",
    "perceptron": "LargestMargin PerceptronCertificate PerceptronSnapshot PerceptronSolver largest_margin",
    "projected_gradient": "DualAscentSnapshot DualAscentSolver",
    "projection": "project",
    "roc": "RocCurve ThresholdTable confusion_at roc_curve threshold_table",
    "selection": "RULES",
    "smo": "SmoSnapshot SmoSolver",
    "surface": "Grid RunningExpansion",
    "svc": "SVC",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "KERNELS", "REST", "RULES", "SCHEMES", "SVC", "Certificate", "ClassScores", "ConvergenceWarning",
    "DataConversionWarning", "DualAscentSVC", "DualAscentSnapshot", "DualAscentSolver", "Grid", "KNeighborsClassifier",
    "Kernel", "KktCase", "KktReport", "LargestMargin", "LasvmSnapshot", "LasvmSolver", "NotFittedError",
    "NotSeparableError", "OnlineSVC", "Pair", "PairTrainer", "PegasosCertificate", "PegasosClassifier",
    "PegasosSnapshot", "PegasosSolver", "Perceptron", "PerceptronCertificate",
    "PerceptronSnapshot", "PerceptronSolver", "RocCurve", "RunningExpansion", "SmoSnapshot", "SmoSolver", "Status",
    "ThresholdTable", "accuracy", "balanced_accuracy", "certainty", "class_scores", "confusion_at", "confusion_matrix",
    "hinge_loss", "kkt_case", "largest_margin", "margins", "most_informative", "polynomial_features", "project",
    "roc_curve", "slacks", "threshold_table",
]  # fmt: skip


def __getattr__(name: str) -> Any:
    """The public name `name`, imported now."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    """The public names."""
    return __all__
