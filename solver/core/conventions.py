"""Exceptions and warnings that scikit-learn has as well: what is raised where that is not in use."""


class NotFittedError(ValueError, AttributeError):
    """A learned attribute or a prediction was asked for before `fit`."""


class ConvergenceWarning(UserWarning):
    """A training ended before it reached its `tol`."""


class DataConversionWarning(UserWarning):
    """Data came in another shape than the one asked for, and was brought into it."""
