"""Classifier Playground: a window that shows classifiers while they learn; `show` opens it on the caller's points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .core.version import __date__, __version__

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["__date__", "__version__", "show"]


def show(
    X: ArrayLike,
    y: ArrayLike | str,
    lanes: Sequence[str | Mapping[str, Any]] | None = None,
    classifiers: Sequence[Any] = (),
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Open a window on the caller's own points, and return the points as they are when it is closed.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        Coordinates of the points; the axes have the names of a data frame's columns.
    y : array-like of shape (n,), or str
        Labels: numbers, strings, or anything that can be sorted; at most eight different ones.  Of a data frame with
        three columns, the name of one: ``app.show(iris[["length", "width", "species"]], y="species")``.
    lanes : sequence of str or dict, optional
        One to four classifiers, from left to right: names, such as "knn", "svm" or "perceptron", or parameters with
        the name as "classifier", such as ``{"classifier": "svm", "kernel": "poly", "C": 10}``.  Default: kNN and SVM.
    classifiers : sequence of objects, default=()
        Objects with fit and predict, such as ``RandomForestClassifier()`` or a pipeline, shown to the right of `lanes`;
        at most four in all.  Copies of them are trained, in another process; predict_proba or decision_function shade
        the colours, and the form has the parameters that get_params returns.

    Returns
    -------
    X : ndarray of shape (m, 2)
        The points as edited in the window.
    y : ndarray of shape (m,)
        Labels, of the same kind as in `y`.  A new class gets the next number, or, if labels are not numbers, its name
        in the window.

    Raises
    ------
    ValueError
        If something cannot be shown; the message names it.
    RuntimeError
        If there is no display.

    Notes
    -----
    Closing the window saves nothing, without a question.  `show` may be called while a Qt application is running,
    which continues afterwards.

    Examples
    --------
    >>> import app
    >>> X, y = app.show([[0, 0], [1, 1], [0, 1]], ["red", "blue", "red"], lanes=["knn", {"classifier": "svm", "C": 10}])
    ... # doctest: +SKIP
    """
    from .arrays import Arrays
    from .main import work_on

    arrays = Arrays.of(X, y, lanes, classifiers)
    return arrays.edited(work_on(arrays.document))
