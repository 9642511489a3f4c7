"""Principal components: the plane in which standardised columns vary most, its share of the variance, and its axes.

Legend: Z (n, m) are the columns with mean 0 and variance 1.  The eigenvectors v of their correlations Z'Z / n are the
components, and Z v the points' coordinates.  A component's share of the variance is its eigenvalue's share of the sum.

The eigenvectors of Z'Z are the right singular vectors of Z.  scikit-learn's PCA uses the same method for large n
("covariance_eigh").  A singular value decomposition of 100 000 rows and 50 columns takes 1.2 s of processor time, and
a QR decomposition by numpy, which would shorten it, holds the interpreter for 0.3 s.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from app.core.number_format import percent
from app.state.scaling import LONGEST
from solver.core.arrays import Array

#: Most columns for components: 1000 take about a second, in one call that cannot be stopped.
MOST_COLUMNS = 1000
#: Loadings below this would be displayed as 0.00.
_LEAST_LOADING = 0.005
#: Rows that are standardised at a time.
_PIECE = 10_000


class Components(Struct, frozen=True, eq=False):
    """The first two principal components of standardised columns.

    Attributes
    ----------
    mean, deviation : ndarray of shape (m,)
        Mean and deviation of the columns.
    loadings : ndarray of shape (2, m)
        Unit vectors.  The entry of largest size in each is positive, as in scikit-learn's PCA.
    shares : (float, float)
        Share of the variance of each component.
    """

    mean: Array
    deviation: Array
    loadings: Array
    shares: tuple[float, float]

    def project(self, values: Array) -> Array:
        """Return the coordinates of rows (n, m) in the plane, shape (n, 2); NaN for a row with NaN."""
        coordinates: Array = ((values - self.mean) / self.deviation) @ self.loadings.T
        return coordinates

    @property
    def share(self) -> str:
        """Return the plane's share of the variance, in per cent."""
        return percent(min(sum(self.shares), 1.0))

    def axis_names(self, names: Sequence[str]) -> tuple[str, str]:
        """Return names of the two axes: "PC 1: 0.58 petal length + 0.56 petal width − …"."""
        # "petal length" for "petal length (cm)": standardised columns have no unit.
        short = [re.sub(r"\s*\([^()]*\)$", "", name) or name for name in names]
        first, second = (
            _axis_name(k, self.loadings[k], short if len(set(short)) == len(names) else names) for k in (0, 1)
        )
        return first, second


def principal_components(values: Array | Sequence[Array]) -> Components:
    """Return the first two principal components of columns of finite numbers.

    Parameters
    ----------
    values : ndarray of shape (n, m), or sequence of m arrays of shape (n,)
        n is at least 1, m at least 2.
    """
    columns = values.T if isinstance(values, np.ndarray) else values
    moments = zip(*(standardised(column)[1:] for column in columns), strict=True)
    mean, deviation = (np.array(each)[:, np.newaxis] for each in moments)
    # All of Z at once would take the memory of another table.
    starts = range(0, len(columns[0]), _PIECE)
    pieces = ((np.stack([each[at : at + _PIECE] for each in columns]) - mean) / deviation for at in starts)
    variances, vectors = np.linalg.eigh(sum(piece @ piece.T for piece in pieces) / len(columns[0]))
    loadings = vectors.T[:-3:-1]
    loadings = loadings * np.sign(loadings[[0, 1], np.abs(loadings).argmax(axis=1)])[:, np.newaxis]
    variances = np.maximum(variances, 0.0)  # rounding may make them negative
    first, second = (variances[:-3:-1] / (float(variances.sum()) or 1.0)).tolist()
    return Components(mean[:, 0], deviation[:, 0], loadings, (first, second))


def standardised(values: Array) -> tuple[Array, float, float]:
    """Return values shifted and scaled to mean 0 and variance 1, and the mean and deviation that undo it.

    A constant column becomes 0, with a deviation of 1.  NaN remains, and counts nowhere.
    """
    low = float(np.fmin.reduce(values))
    width = float(np.fmax.reduce(values)) - low or 1.0
    # Scaled to [0, 1] first, so that no square over- or underflows.
    unit = (values - low) / width
    n = max(int(np.count_nonzero(~np.isnan(unit))), 1)
    mean = float(np.nansum(unit) / n)
    unit -= mean
    deviation = float(np.sqrt(np.nansum(unit * unit) / n)) or 1.0
    return unit / deviation, low + width * mean, width * deviation or 1.0


def _axis_name(index: int, loadings: Array, names: Sequence[str]) -> str:
    """Return the name of one axis, with as many of the largest loadings as fit."""
    text = f"PC {index + 1}:"
    order = [m for m in np.argsort(-np.abs(loadings), kind="stable").tolist() if abs(loadings[m]) >= _LEAST_LOADING]
    for number, m in enumerate(order):
        sign = "−" if loadings[m] < 0 else "+"
        between = f" {sign} " if number else f" {sign}" if sign == "−" else " "
        longer, last = f"{text}{between}{abs(loadings[m]):.2f} {names[m]}", number == len(order) - 1
        if len(longer) + (0 if last else len(" + …")) > LONGEST:
            return f"{text} + …" if number else f"{longer[: LONGEST - 1]}…"
        text = longer
    return text
