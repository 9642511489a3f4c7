"""What is raised where scikit-learn is in use: classes that are ours and theirs.

scikit-learn is never imported from here unasked.  Where it has been imported already, what is raised is of a class of
`_scikit` that is derived from both, so that filters and handlers written for either are met.
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import Any, TypeVar

Kind = TypeVar("Kind", bound=Exception)


def as_scikit_learn(kind: type[Kind]) -> type[Kind]:
    """`kind`, a class of `conventions`; if scikit-learn is imported, the class that is scikit-learn's as well."""
    if "sklearn.exceptions" not in sys.modules:
        return kind
    from . import _scikit

    both: type[Kind] = getattr(_scikit, kind.__name__)
    return both


def of_scikit_learn(module: str, name: str) -> Any:
    """What scikit-learn has under this name; ImportError with a sentence where it is not installed."""
    try:
        return getattr(import_module(f"sklearn.{module}"), name)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "sklearn":
            raise
        raise ImportError("to_sklearn makes an estimator of scikit-learn, which is not installed.") from None
