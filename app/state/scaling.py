"""Scaling: mean and standard deviation of imported points, to standardise them and to undo that."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from app.core.points import LIMIT

Array = NDArray[np.float64]
#: Suffix to the name of a standardised axis, and the longest name.
SUFFIX = " (standardised)"
LONGEST = 60
#: Digits that survive standardising and undoing it: 170.2 remains 170.2.
DIGITS = 13

_Mean = Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]
_Deviation = Annotated[float, Meta(gt=0, le=2 * LIMIT)]


class Scaling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mean and standard deviation of x and of y, in the original units."""

    mean: tuple[_Mean, _Mean]
    deviation: tuple[_Deviation, _Deviation]

    def apply(self, xy: Array) -> Array:
        """Return standardised coordinates."""
        scaled: Array = (np.asarray(xy, dtype=np.float64) - self.mean) / self.deviation
        return scaled

    def undo(self, xy: Array) -> Array:
        """Return coordinates in the original units, rounded to the digits that survive."""
        columns = []
        for column, mean, deviation in zip(np.asarray(xy, dtype=np.float64).T, self.mean, self.deviation, strict=True):
            first = int(np.floor(np.log10(max(abs(mean), deviation, 1e-300))))
            with np.errstate(over="ignore", invalid="ignore"):
                values = column * deviation + mean
                rounded = np.round(values, DIGITS - 1 - first)
            columns.append(np.where(np.isfinite(rounded), rounded, values))
        return np.column_stack(columns)


def named(axes: tuple[str, str]) -> tuple[str, str]:
    """Return the names of standardised axes: "height (standardised)"."""
    x, y = (
        name if name.endswith(SUFFIX) else (name or unnamed)[: LONGEST - len(SUFFIX)] + SUFFIX
        for name, unnamed in zip(axes, ("x", "y"), strict=True)
    )
    return x, y


def measured(axes: tuple[str, str]) -> tuple[str, str]:
    """Return the names of the axes before they were standardised, the inverse of `named`."""
    return axes[0].removesuffix(SUFFIX), axes[1].removesuffix(SUFFIX)
