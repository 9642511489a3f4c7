"""Overlays: lines, hatching and symbols that features draw between the surface and the points, in the plane."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from solver import Grid
from solver.core.arrays import Array, Indices, Mask

Dashes = tuple[float, float]


class LineStyle(str):
    """Style of lines; as a string, the name of their legend entry.

    Parameters
    ----------
    name : str
    height : int
        Lines of greater height are drawn over others.
    width : float
        In pixels.
    dashes, sample : (float, float) or None
        Lengths of dashes and gaps, in line widths; in pictures and in the legend.
    accent : bool
        Drawn in the theme's accent colour rather than its ink.
    faint : bool
        For many lines, each hardly visible.
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
    """Polylines of one style.

    Attributes
    ----------
    xy : ndarray of shape (m, 2)
        Vertices in the plane; NaN rows separate the polylines.
    style : LineStyle
    """

    xy: Array
    style: LineStyle


class Hatch(Struct, frozen=True, eq=False):
    """A hatched region of the plane.

    Attributes
    ----------
    mask : ndarray of shape (height, width), bool
        Row 0 is the top, as in a `Picture`.
    grid : Grid
    """

    mask: Mask
    grid: Grid


class Specks(Struct, frozen=True, eq=False):
    """Symbols in the plane that are not points.

    Attributes
    ----------
    xy : ndarray of shape (n, 2)
    kinds : tuple of str
        Names of symbols in the plots: "0" to "7" for the classes, and the marks.
    kind : ndarray of shape (n,), intp
        For each symbol, an index into `kinds`.
    """

    xy: Array
    kinds: tuple[str, ...]
    kind: Indices


Sheet = Lines | Hatch | Specks


def legend_kinds(sheets: Sequence[Sheet]) -> set[str]:
    """Return the legend entries of `sheets`: the styles of lines, and "differ" for a hatched region."""
    styles: set[str] = {sheet.style for sheet in sheets if isinstance(sheet, Lines)}
    return styles | ({"differ"} if any(isinstance(sheet, Hatch) for sheet in sheets) else set())
