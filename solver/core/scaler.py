"""Scaler: subtracts means from coordinates and divides by standard deviations, as scikit-learn's StandardScaler."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Array


@dataclass(frozen=True, eq=False)
class Scaler:
    """Means and scales of the features of some training points.

    Attributes
    ----------
    mean : ndarray of shape (n_features,)
    scale : ndarray of shape (n_features,)
        Standard deviation; 1 for a feature that is constant up to rounding, as in scikit-learn.
    """

    mean: Array
    scale: Array

    @classmethod
    def of(cls, X: Array) -> Scaler:
        """Return the scaler of the training points `X`, shape (n, n_features)."""
        mean, variance, eps = X.mean(axis=0), X.var(axis=0), float(np.finfo(np.float64).eps)
        rounding = len(X) * eps * variance + (len(X) * eps * mean) ** 2
        return cls(mean, np.where(variance <= rounding, 1.0, np.sqrt(variance)))

    def transform(self, X: Array) -> Array:
        """Return the points `X`, shape (n, n_features), standardised."""
        return (X - self.mean) / self.scale

    def inverse_transform(self, X: Array) -> Array:
        """Return standardised points `X`, shape (n, n_features), in the units of the data."""
        return X * self.scale + self.mean

    def axis(self, feature: int, values: Array) -> Array:
        """Return `values` of one feature standardised."""
        scaled: Array = (values - self.mean[feature]) / self.scale[feature]
        return scaled
