"""Exceptions, warnings and estimators of scikit-learn, for programs that use it.

These functions import scikit-learn only if the caller requests an estimator.  If a program has already imported it,
exceptions and warnings are of a class in `_scikit` that is derived from ours and scikit-learn's, so that handlers and
filters for either of them work.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=Exception)


def as_scikit_learn(kind: type[Kind]) -> type[Kind]:
    """Return `kind`, a class of `conventions`, or if scikit-learn is imported, its class in `_scikit`."""
    if "sklearn.exceptions" not in sys.modules:
        return kind
    from . import _scikit

    both: type[Kind] = getattr(_scikit, kind.__name__)
    return both


def of_scikit_learn(module: str, name: str) -> Any:
    """Return a class or function of scikit-learn by its name; ImportError if scikit-learn is not installed."""
    try:
        return getattr(import_module(f"sklearn.{module}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sklearn":
            raise
        raise ImportError("This needs scikit-learn, which is not installed.") from None
