"""Exceptions and warnings that scikit-learn has as well: ours, and theirs too for whoever uses both.

scikit-learn is never imported from here.  Where it has been imported already, what is raised is of a class of
`_scikit` that is derived from both, so that filters and handlers written for either are met.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TypeVar, cast

Kind = TypeVar("Kind", bound=Exception)


class NotFittedError(ValueError, AttributeError):
    """A learned attribute or a prediction was asked for before `fit`."""


class ConvergenceWarning(UserWarning):
    """A training ended before it reached its `tol`."""


class DataConversionWarning(UserWarning):
    """Data came in another shape than the one asked for, and was brought into it."""


def as_scikit_learn(kind: type[Kind]) -> type[Kind]:
    """`kind`, a class of this module; if scikit-learn is imported, the class that is scikit-learn's as well."""
    if "sklearn.exceptions" not in sys.modules:
        return kind
    return cast(type[Kind], getattr(import_module("._scikit", __package__), kind.__name__))
