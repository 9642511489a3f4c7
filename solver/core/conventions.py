"""Exceptions and warnings under scikit-learn's names, raised where scikit-learn is not imported."""


class NotFittedError(ValueError, AttributeError):
    """A prediction or a learned attribute was requested before `fit`.

    Where scikit-learn is imported, what is raised is a `sklearn.exceptions.NotFittedError` as well; likewise for
    `ConvergenceWarning` and `DataConversionWarning`.

    Examples
    --------
    >>> from solver import SVC, NotFittedError
    >>> try:
    ...     SVC().predict([[0.0, 0.0]])
    ... except NotFittedError as error:
    ...     print(error)
    This SVC is not fitted yet; call fit first.
    """


class ConvergenceWarning(UserWarning):
    """A training ended before it reached `tol`: at `max_iter` or `max_time`, or at the limit of double precision.

    Examples
    --------
    Turn the warning into an error, so that no unfinished model goes unnoticed:

    >>> import warnings
    >>> from solver import SVC, ConvergenceWarning
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", ConvergenceWarning)
    ...     try:
    ...         SVC(max_iter=1).fit([[0], [1], [2], [3]], [0, 1, 0, 1])
    ...     except ConvergenceWarning as warning:
    ...         print(warning)
    SVC did not converge within max_iter=1; allow more, or scale the data.
    """


class DataConversionWarning(UserWarning):
    """Labels `y` came as a column, shape (n, 1), and were read as a vector.

    Examples
    --------
    >>> import warnings
    >>> from solver import KNeighborsClassifier, DataConversionWarning
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     model = KNeighborsClassifier(1).fit([[0], [1]], [["low"], ["high"]])
    >>> issubclass(caught[0].category, DataConversionWarning), model.predict([[0.2]]).tolist()
    (True, ['low'])
    """
