"""Scaling: what standardising has taken from the axes, so that it can be given back."""

from __future__ import annotations

from typing import Annotated

import msgspec
import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from app.core.points import LIMIT

Array = NDArray[np.float64]
#: What the name of such an axis ends in; and how long a name may be.
SUFFIX = " (standardised)"
LONGEST = 60
#: Digits that survive standardising and its undoing: 170.2 comes back as 170.2.
DIGITS = 13

_Mean = Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]
_Deviation = Annotated[float, Meta(gt=0, le=2 * LIMIT)]


class Scaling(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mean and standard deviation of x and of y in the units they were measured in."""

    mean: tuple[_Mean, _Mean]
    deviation: tuple[_Deviation, _Deviation]

    def apply(self, xy: Array) -> Array:
        """Places in units of the deviation, about the mean."""
        scaled: Array = (np.asarray(xy, dtype=np.float64) - self.mean) / self.deviation
        return scaled

    def undo(self, xy: Array) -> Array:
        """Places in the units they were measured in, rounded to the digits that are known."""
        columns = []
        for column, mean, deviation in zip(np.asarray(xy, dtype=np.float64).T, self.mean, self.deviation, strict=True):
            first = int(np.floor(np.log10(max(abs(mean), deviation, 1e-300))))
            with np.errstate(over="ignore", invalid="ignore"):
                values = column * deviation + mean
                rounded = np.round(values, DIGITS - 1 - first)
            columns.append(np.where(np.isfinite(rounded), rounded, values))
        return np.column_stack(columns)


def named(axes: tuple[str, str]) -> tuple[str, str]:
    """The names of standardised axes: "height (standardised)"."""
    x, y = (
        name if name.endswith(SUFFIX) else (name or unnamed)[: LONGEST - len(SUFFIX)] + SUFFIX
        for name, unnamed in zip(axes, ("x", "y"), strict=True)
    )
    return x, y


def measured(axes: tuple[str, str]) -> tuple[str, str]:
    """The names that `named` was given."""
    return axes[0].removesuffix(SUFFIX), axes[1].removesuffix(SUFFIX)
