"""Classifier Playground: a window in which classifiers are watched while they learn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .core.version import __date__, __version__

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["__date__", "__version__", "show"]


def show(
    X: ArrayLike, y: ArrayLike, lanes: Sequence[str | Mapping[str, Any]] | None = None, classifiers: Sequence[Any] = ()
) -> tuple[NDArray[Any], NDArray[Any]]:
    """Open a window on points of one's own, and return them as they are when it is closed.

    Parameters
    ----------
    X : array-like of shape (n, 2)
        Places.
    y : array-like of shape (n,)
        Labels: numbers, texts, or anything that can be sorted; at most eight different ones.
    lanes : sequence of str or dict, optional
        One to four classifiers, from left to right: names, such as "knn", "svm" or "perceptron", or parameters with
        the name as "classifier", such as ``{"classifier": "svm", "kernel": "poly", "C": 10}``.  Default: kNN and SVM.

    classifiers : sequence of objects, default=()
        With fit and predict, such as ``RandomForestClassifier()`` or a pipeline: each is a lane behind `lanes`, four in
        all.  Copies are trained, in another process; predict_proba or decision_function grade the colours, and the
        parameters that get_params has are in the form.

    Returns
    -------
    X : ndarray of shape (m, 2)
        As edited in the window.
    y : ndarray of shape (m,)
        Labels of the kind that was given.  A class that is new gets the next number; where labels are no numbers, it
        gets its name in the window.

    Raises
    ------
    ValueError
        What cannot be shown, in one sentence.
    RuntimeError
        There is no display.

    Notes
    -----
    Closing the window asks nothing and saves nothing.  It may be called where a Qt application is running; that goes
    on.

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
