"""Overlays: what features lay between the surface and the points of a lane's picture, as values of the plane."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from solver import Grid
from solver.core.arrays import Array, Indices, Mask

Dashes = tuple[float, float]


class LineStyle(str):
    """How lines are drawn; as a string, the name of their sign in the legend.

    Parameters
    ----------
    name : str
    height : int
        The higher lie over the lower.
    width : float
        In pixels.
    dashes, sample : (float, float) or None
        Strokes and gaps in widths, in pictures and in the legend.
    accent : bool
        In the theme's accent, not in its ink.
    faint : bool
        Many of them, hardly seen each.
    """

    height: int
    width: float
    dashes: Dashes | None
    sample: Dashes | None
    accent: bool
    faint: bool

    def __new__(
        cls,
        name: str,
        height: int,
        width: float,
        dashes: Dashes | None = None,
        sample: Dashes | None = None,
        accent: bool = False,
        faint: bool = False,
    ) -> LineStyle:
        made = super().__new__(cls, name)
        made.height, made.width, made.accent, made.faint = height, width, accent, faint
        made.dashes, made.sample = dashes, sample
        return made


class Lines(Struct, frozen=True, eq=False):
    """Polylines that belong together.

    Attributes
    ----------
    xy : ndarray of shape (m, 2)
        In the plane; joined with NaN rows.
    style : LineStyle
    """

    xy: Array
    style: LineStyle


class Hatch(Struct, frozen=True, eq=False):
    """A part of the plane that stands out.

    Attributes
    ----------
    mask : ndarray of shape (height, width), bool
        Row 0 is the highest, as in a `Picture`.
    grid : Grid
    """

    mask: Mask
    grid: Grid


class Specks(Struct, frozen=True, eq=False):
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
