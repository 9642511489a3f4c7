"""Classifiers one can step, look into and trust: numbers only, no window."""

from .active import certainty, most_informative
from .certificate import Certificate, NotSeparableError, Status
from .dual_ascent import DualAscentSnapshot, DualAscentSolver, DualAscentSVC
from .features import polynomial_features
from .kernels import KERNELS, Kernel
from .lasvm import LasvmSnapshot, LasvmSolver
from .linear import PegasosClassifier, Perceptron
from .metrics import KktCase, KktReport, accuracy, confusion_matrix, hinge_loss, kkt_case, margins, slacks
from .multiclass import REST, SCHEMES, Pair, PairTrainer
from .neighbors import KNeighborsClassifier
from .online import OnlineSVC
from .pegasos import PegasosCertificate, PegasosSnapshot, PegasosSolver
from .perceptron import LargestMargin, PerceptronCertificate, PerceptronSnapshot, PerceptronSolver, largest_margin
from .projection import project
from .selection import RULES
from .smo import SmoSnapshot, SmoSolver
from .surface import Grid, RunningExpansion
from .svc import SVC

__all__ = [
    "KERNELS", "REST", "RULES", "SCHEMES", "SVC", "Certificate", "DualAscentSVC", "DualAscentSnapshot",
    "DualAscentSolver", "Grid", "KNeighborsClassifier", "Kernel", "KktCase", "KktReport", "LargestMargin",
    "LasvmSnapshot", "LasvmSolver", "NotSeparableError", "OnlineSVC", "Pair", "PairTrainer", "PegasosCertificate",
    "PegasosClassifier", "PegasosSnapshot", "PegasosSolver", "Perceptron", "PerceptronCertificate",
    "PerceptronSnapshot", "PerceptronSolver", "RunningExpansion", "SmoSnapshot", "SmoSolver", "Status", "accuracy",
    "certainty", "confusion_matrix", "hinge_loss", "kkt_case", "largest_margin", "margins", "most_informative",
    "polynomial_features", "project", "slacks",
]  # fmt: skip
