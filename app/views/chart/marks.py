"""Marks: what a chart displays, as values: lines, bands, bars, cells.  Each has an item in `items`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import ArrayLike, NDArray
from PySide6.QtGui import QBrush

from app.engine.shading import RGB
from solver.core.arrays import Array

#: Lengths of a dash and of a gap in pixels; None is a solid line.
Dash = tuple[float, float] | None
SOLID, DASHED, DOTTED, LONG = None, (6.6, 4.4), (3.0, 3.0), (14.0, 4.0)
#: For lines that stand beside each other.
DASHES: tuple[Dash, ...] = (SOLID, (12.0, 5.0), (2.5, 3.0), (6.0, 2.5), (9.0, 3.0), (4.0, 6.0))


@dataclass(frozen=True, eq=False, kw_only=True)
class Mark:
    """
    Attributes
    ----------
    colour : (int, int, int)
    name : str
        In the legend, where it is read off, and in saved numbers; none of these without it.
    value : str
        Stands beside the name in the legend.
    """

    colour: RGB = (0, 0, 0)
    name: str = ""
    value: str = ""

    def columns(self) -> dict[str, ArrayLike]:
        """Return its numbers by name, as they are saved."""
        return {}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        """Return the values across and upwards that the axes have to reach."""
        return (), ()


def drawn_alike(first: Mark, second: Mark) -> bool:
    """Return whether two marks of a kind are the same but for what the legend says."""
    names = [each.name for each in fields(first) if each.name not in ("name", "value")]
    pairs = [(getattr(first, name), getattr(second, name)) for name in names]
    return all(a is b or (not isinstance(a, np.ndarray | list) and type(a) is type(b) and a == b) for a, b in pairs)


@dataclass(frozen=True, eq=False, kw_only=True)
class Line(Mark):
    """Straight pieces from place to place, parted by NaN.

    Attributes
    ----------
    x, y : array_like of shape (n,)
    width : float
        In pixels.
    dash : (float, float) or None
    sign : str
        A symbol of pyqtgraph's at the places `signs`.
    signs : array_like of int
    read : bool
        Its places are read off.
    """

    x: ArrayLike
    y: ArrayLike
    width: float = 2.0
    dash: Dash = SOLID
    sign: str = ""
    signs: ArrayLike = ()
    sign_size: float = 7.0
    read: bool = True

    def columns(self) -> dict[str, ArrayLike]:
        return {"x": self.x, "y": self.y}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        return self.x, self.y


@dataclass(frozen=True, eq=False, kw_only=True)
class Band(Mark):
    """The ground between two lines; `opacity` is 0 to 255."""

    x: ArrayLike
    low: ArrayLike
    high: ArrayLike
    opacity: int = 60

    def columns(self) -> dict[str, ArrayLike]:
        return {"x": self.x, "low": self.low, "high": self.high}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        return self.x, np.append(self.low, self.high)


@dataclass(frozen=True, eq=False, kw_only=True)
class Level(Mark):
    """A straight line over the whole chart at height `at`, or at this x where it is `upright`.

    Attributes
    ----------
    at : float
    upright : bool
    width : float
        In pixels.
    dash : (float, float) or None
    reached : bool
        The axis goes so far.
    over : bool
        It lies over everything else.
    """

    at: float
    upright: bool = False
    width: float = 1.4
    dash: Dash = DASHED
    reached: bool = True
    over: bool = False

    def columns(self) -> dict[str, ArrayLike]:
        return {"x" if self.upright else "y": [self.at]}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        ends: tuple[ArrayLike, ArrayLike] = ([self.at], ()) if self.upright else ((), [self.at])
        return ends if self.reached else ((), ())


@dataclass(frozen=True, eq=False, kw_only=True)
class Region(Mark):
    """The ground from one x to another; `opacity` is 0 to 255."""

    low: float
    high: float
    opacity: int = 34


@dataclass(frozen=True, eq=False, kw_only=True)
class Strokes(Mark):
    """Upright pieces, each from `low` to `high`: spreads, ticks; `foot` pixels high at the lower edge without these.

    They stand `aside` pixels at the right of x: those of several lines beside each other.
    """

    x: ArrayLike
    low: ArrayLike = ()
    high: ArrayLike = ()
    width: float = 1.0
    foot: float = 0.0
    aside: float = 0.0

    def columns(self) -> dict[str, ArrayLike]:
        return {"x": self.x} if self.foot else {"x": self.x, "low": self.low, "high": self.high}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        return ((), ()) if self.foot else (self.x, np.append(self.low, self.high))


@dataclass(frozen=True, eq=False, kw_only=True)
class Spots(Mark):
    """Signs at places.

    Attributes
    ----------
    x, y : array_like of shape (n,)
    sign : str
        A symbol of pyqtgraph's.
    size : float
        In pixels.
    edge : (int, int, int) or None
        Colour of the outline.
    edge_width : float
    hollow : bool
        Without filling.
    """

    x: ArrayLike
    y: ArrayLike
    sign: str = "o"
    size: float = 8.0
    edge: RGB | None = None
    edge_width: float = 1.2
    hollow: bool = False

    def columns(self) -> dict[str, ArrayLike]:
        return {"x": self.x, "y": self.y}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        return self.x, self.y


@dataclass(frozen=True, eq=False, kw_only=True)
class Bars(Mark):
    """Bars from 0 upwards.

    Attributes
    ----------
    left, right, height : ndarray of shape (n,)
    brushes : sequence of QBrush
    edges : sequence of (int, int, int)
        Colours of the outlines; none without.
    """

    left: Array
    right: Array
    height: Array
    brushes: Sequence[QBrush]
    edges: Sequence[RGB] = ()

    def columns(self) -> dict[str, ArrayLike]:
        return {"left": self.left, "right": self.right, "y": self.height}

    def span(self) -> tuple[ArrayLike, ArrayLike]:
        return np.append(self.left, self.right), self.height


@dataclass(frozen=True, eq=False, kw_only=True)
class Cells(Mark):
    """Cells of side 1 whose middles are whole numbers, from (0, 0) at the lower left.

    Attributes
    ----------
    pixels : ndarray of shape (rows, columns)
        0xaarrggbb; row 0 is the lowest.
    values : ndarray of shape (rows, columns)
        What is saved.
    """

    pixels: NDArray[np.uint32]
    values: Array

    def columns(self) -> dict[str, ArrayLike]:
        rows, columns = np.indices(self.values.shape)
        return {"x": columns.ravel(), "y": rows.ravel(), "value": self.values.ravel()}


@dataclass(frozen=True, eq=False, kw_only=True)
class Texts(Mark):
    """A text at each place; `anchor` is the part of it, from its upper left corner, that stands there.

    With `in_cells` they are of cells of side 1: none is drawn unless the longest has room in one.
    """

    x: Sequence[float]
    y: Sequence[float]
    texts: Sequence[str]
    colours: Sequence[RGB] = ()
    anchor: tuple[float, float] = (0.5, 0.5)
    plate: RGB | None = None
    in_cells: bool = False
