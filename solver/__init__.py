"""Classifiers that train step by step, can be inspected at each step, and certify their results.  No Qt.

Names and subpackages are imported when they are first used (SPEC 1, https://scientific-python.org/specs/spec-0001):
`import solver` loads neither numpy nor numba, and one learner does not load the others.

Start with `svm.svc` for SVC and `svm.smo` for its solver, `knn.neighbors` for nearest neighbours.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .core.certificate import Certificate, NotSeparableError, Status
    from .core.conventions import ConvergenceWarning, DataConversionWarning, NotFittedError
    from .core.multiclass import REST, SCHEMES, BinaryProblem, Pair, PairTrainer
    from .inspection.active_learning import certainty, most_informative
    from .inspection.metrics import ClassScores, KktCase, KktReport, RocCurve, class_scores, kkt_case, roc_curve
    from .kernels.feature_maps import polynomial_features
    from .kernels.surface import Grid, RunningExpansion
    from .kernels.table import KERNELS, Kernel
    from .knn.neighbors import KNeighborsClassifier
    from .knn.reduction import (
        CondensedNearestNeighbour,
        EditedNearestNeighbours,
        ReductionCertificate,
        ReductionSnapshot,
        RepeatedEditedNearestNeighbours,
    )
    from .linear.classifiers import PegasosClassifier, Perceptron
    from .linear.pegasos import PegasosCertificate, PegasosSnapshot, PegasosSolver
    from .linear.perceptron import (
        LargestMargin,
        PerceptronCertificate,
        PerceptronSnapshot,
        PerceptronSolver,
        largest_margin,
    )
    from .online.lasvm import LasvmSnapshot, LasvmSolver
    from .online.online_svc import OnlineSVC
    from .svm.calibration import CalibratedSVC
    from .svm.dual_ascent import DualAscentSVC
    from .svm.projected_gradient import DualAscentSnapshot, DualAscentSolver
    from .svm.projection import project
    from .svm.smo import SmoSnapshot, SmoSolver
    from .svm.svc import SVC
    from .svm.working_set_rules import RULES

_SUBPACKAGES = ("core", "data", "inspection", "kernels", "knn", "linear", "online", "svm")
#: Module of each public name.
_HOMES = {
    "inspection.active_learning": "certainty most_informative",
    "core.certificate": "Certificate NotSeparableError Status",
    "core.conventions": "ConvergenceWarning DataConversionWarning NotFittedError",
    "svm.calibration": "CalibratedSVC",
    "svm.dual_ascent": "DualAscentSVC",
    "kernels.feature_maps": "polynomial_features",
    "kernels.table": "KERNELS Kernel",
    "online.lasvm": "LasvmSnapshot LasvmSolver",
    "linear.classifiers": "PegasosClassifier Perceptron",
    "inspection.metrics": "ClassScores KktCase KktReport RocCurve class_scores kkt_case roc_curve",
    "core.multiclass": "BinaryProblem REST SCHEMES Pair PairTrainer",
    "knn.neighbors": "KNeighborsClassifier",
    "knn.reduction": "CondensedNearestNeighbour EditedNearestNeighbours ReductionCertificate ReductionSnapshot"
    " RepeatedEditedNearestNeighbours",
    "online.online_svc": "OnlineSVC",
    "linear.pegasos": "PegasosCertificate PegasosSnapshot PegasosSolver",
    "linear.perceptron": "LargestMargin PerceptronCertificate PerceptronSnapshot PerceptronSolver largest_margin",
    "svm.projected_gradient": "DualAscentSnapshot DualAscentSolver",
    "svm.projection": "project",
    "svm.working_set_rules": "RULES",
    "svm.smo": "SmoSnapshot SmoSolver",
    "kernels.surface": "Grid RunningExpansion",
    "svm.svc": "SVC",
}
_HOME = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "KERNELS",
    "REST",
    "RULES",
    "SCHEMES",
    "SVC",
    "BinaryProblem",
    "CalibratedSVC",
    "Certificate",
    "ClassScores",
    "CondensedNearestNeighbour",
    "ConvergenceWarning",
    "DataConversionWarning",
    "DualAscentSVC",
    "DualAscentSnapshot",
    "DualAscentSolver",
    "EditedNearestNeighbours",
    "Grid",
    "KNeighborsClassifier",
    "Kernel",
    "KktCase",
    "KktReport",
    "LargestMargin",
    "LasvmSnapshot",
    "LasvmSolver",
    "NotFittedError",
    "NotSeparableError",
    "OnlineSVC",
    "Pair",
    "PairTrainer",
    "PegasosCertificate",
    "PegasosClassifier",
    "PegasosSnapshot",
    "PegasosSolver",
    "Perceptron",
    "PerceptronCertificate",
    "PerceptronSnapshot",
    "PerceptronSolver",
    "ReductionCertificate",
    "ReductionSnapshot",
    "RepeatedEditedNearestNeighbours",
    "RocCurve",
    "RunningExpansion",
    "SmoSnapshot",
    "SmoSolver",
    "Status",
    "certainty",
    "class_scores",
    "kkt_case",
    "largest_margin",
    "most_informative",
    "polynomial_features",
    "project",
    "roc_curve",
]


def __getattr__(name: str) -> Any:
    """Import the public name or subpackage `name`."""
    if name in _SUBPACKAGES:
        return import_module(f".{name}", __name__)
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{_HOME[name]}", __name__), name)


def __dir__() -> list[str]:
    """Return the public names and the subpackages."""
    return [*__all__, *_SUBPACKAGES, "__version__"]
