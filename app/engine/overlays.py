"""Overlays: what features lay between the surface and the points of a lane's picture, as values of the plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from solver import Grid
from solver.core.arrays import Array, Indices, Mask

LineStyle = Literal["ghost", "ideal", "haze", "other"]


@dataclass(frozen=True, eq=False)
class Lines:
    """Polylines that belong together.

    Attributes
    ----------
    xy : ndarray of shape (m, 2)
        In the plane; joined with NaN rows.
    style : {"ghost", "ideal", "haze", "other"}
        What was, what would be best, what might have been, or another lane's boundary.
    """

    xy: Array
    style: LineStyle


@dataclass(frozen=True, eq=False)
class Hatch:
    """A part of the plane that stands out.

    Attributes
    ----------
    mask : ndarray of shape (height, width), bool
        Row 0 is the highest, as in a `Picture`.
    grid : Grid
    """

    mask: Mask
    grid: Grid


@dataclass(frozen=True, eq=False)
class Specks:
    """Symbols beside those of the points.

    Attributes
    ----------
    xy : ndarray of shape (n, 2)
    kinds : tuple of str
        As the plots name their symbols: "0" to "7" for the classes, and the marks.
    kind : ndarray of shape (n,), intp
        Which of `kinds` each is.
    """

    xy: Array
    kinds: tuple[str, ...]
    kind: Indices


Sheet = Lines | Hatch | Specks


def signs_of(sheets: Sequence[Sheet]) -> set[str]:
    """Kinds of the legend's entries that `sheets` need: the styles of lines, and "differ" for a hatching."""
    styles: set[str] = {sheet.style for sheet in sheets if isinstance(sheet, Lines)}
    return styles | ({"differ"} if any(isinstance(sheet, Hatch) for sheet in sheets) else set())
