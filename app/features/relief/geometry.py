"""Geometry of the relief: the camera, and before it a surface, points, posts, sheets and captions; no Qt.

Everything is in a box around the origin, z upwards, whose longest horizontal side reaches from -1 to 1.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import product

import numpy as np
from msgspec import Struct, field
from msgspec.structs import replace
from numpy.typing import NDArray

from solver.core.arrays import Array, Integers

from .query import Relief

#: Half the height of the box.
HEIGHT = 0.7
#: Choices of |f| at which a relief is cut off: the smallest that keeps all points in the box.
LIMITS = (2.0, 3.0, 4.0, 6.0, 8.0)
#: Smallest and largest zoom; and width of the picture relative to the box at zoom 1, for captions.
ZOOM, ROOM = (0.5, 8.0), 1.08
#: Morph from which the separating plane fades in: it belongs to the end of the map.
FADE = 0.85
#: Numbers of rings and spokes of the net that is mapped.
RINGS, SPOKES = 49, 145


class Camera(Struct, frozen=True):
    """The direction of view, from infinitely far away: parallels stay parallel.

    Attributes
    ----------
    azimuth : float
        Rotation of the box about its vertical axis (degrees), anticlockwise from above.
    tilt : float
        Height above the horizon (degrees): 90 looks straight down, -90 up.
    zoom : float
    """

    azimuth: float = 325.0
    tilt: float = 28.0
    zoom: float = 1.0

    def turned(self, azimuth: float, tilt: float) -> Camera:
        """Return the camera turned by these degrees."""
        return replace(self, azimuth=(self.azimuth + azimuth) % 360.0, tilt=min(max(self.tilt + tilt, -90.0), 90.0))

    def zoomed(self, factor: float) -> Camera:
        """Return the camera with its zoom multiplied by `factor`, within limits."""
        return replace(self, zoom=min(max(self.zoom * factor, ZOOM[0]), ZOOM[1]))

    @property
    def axes(self) -> Array:
        """Rightwards, downwards on screen, and away from the viewer: the rows of a rotation."""
        turn, tilt = np.radians(self.azimuth), np.radians(self.tilt)
        right = np.array([np.cos(turn), -np.sin(turn), 0.0])
        inwards = np.array([np.sin(turn), np.cos(turn), 0.0])  # direction of view at tilt 0
        up = np.array([0.0, 0.0, 1.0])
        return np.array(
            [right, -np.sin(tilt) * inwards - np.cos(tilt) * up, np.cos(tilt) * inwards - np.sin(tilt) * up]
        )

    def project(self, at: Array, width: float, height: float, pixels: float) -> Array:
        """Return (x, y, depth) of locations (..., 3) in the box.

        The middle of the box is that of the picture; a unit is `pixels` pixels.
        """
        return np.asarray(at @ self.axes.T * (self.zoom * pixels) + np.array([0.5 * width, 0.5 * height, 0.0]))


class ReliefCaption(Struct, frozen=True):
    """A short text at one of several locations: the one farthest in the direction `towards`, (x, y) on screen."""

    text: str
    locations: Array
    towards: tuple[int, int]


class Solid(Struct, frozen=True, eq=False):
    """The objects in the box.

    Attributes
    ----------
    relief : Relief
    corners, values : ndarray of shape (n, 3) and (n,)
        The surface; the values are f.
    triangles : ndarray of shape (m, 3), int32
    limit : float
        |f| at which the surface is cut off.
    symbols, labels : ndarray of shape (k, 3) and (k,)
        The points, and their classes.
    posts, post_labels : ndarray of shape (p, 2, 3) and (p,)
        The hinge losses, and the classes of their points.
    sheets : tuple of (float, ndarray of shape (c, 3))
        Level and corners, in order, of each sheet.
    strength : float
        Opacity of the sheets, 0 to 1.
    frame : ndarray of shape (e, 2, 3)
    captions : tuple of ReliefCaption
    """

    relief: Relief
    corners: Array
    values: Array
    triangles: NDArray[np.int32]
    limit: float
    symbols: Array
    labels: Integers
    posts: Array
    post_labels: Integers
    sheets: tuple[tuple[float, Array], ...]
    strength: float
    frame: Array
    captions: tuple[ReliefCaption, ...] = field(default=())

    def pixels(self, width: float, height: float) -> float:
        """Return the pixels per unit of the box at zoom 1, so that it fits however it is turned."""
        across, high = (float(np.linalg.norm(self.frame[0, 0, :n])) for n in (2, 3))
        return 0.5 * min(width / (ROOM * across), height / high)


def limit_of(relief: Relief) -> float:
    """Return |f| at which the relief is cut off."""
    largest = float(np.abs(relief.f_points).max(initial=0.0))
    if relief.has_margins:
        return next((limit for limit in LIMITS if largest <= limit), LIMITS[-1])
    if not np.isfinite(largest) or largest <= 0.0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(largest))
    return float(next(power * k for k in (1.0, 2.0, 5.0, 10.0) if largest <= power * k * (1 + 1e-9)))


@lru_cache(maxsize=4)
def net_triangles(rows: int, columns: int) -> NDArray[np.int32]:
    """Return two triangles for each cell of a net whose corners are numbered row by row, shape (m, 3)."""
    first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
    lower = np.column_stack((first, first + 1, first + columns + 1))
    return np.concatenate((lower, np.column_stack((first, first + columns + 1, first + columns)))).astype(np.int32)


def levels_of(relief: Relief) -> tuple[float, ...]:
    """Return the values of f that have a sheet."""
    return (-1.0, 0.0, 1.0) if relief.has_margins else (0.0,)


def _floor(net: Array, ratio: float) -> tuple[Callable[[Array], Array], tuple[float, float]]:
    """Return the function that puts locations of the plane into the box, and the extents of `net` in the box."""
    low = net.min(axis=0)
    size, middle = net.max(axis=0) - low, low + 0.5 * (net.max(axis=0) - low)
    unit = 2.0 / float((size / (1.0, ratio)).max()) / np.array([1.0, ratio])
    a, b = (0.5 * unit * size).tolist()
    return (lambda xy: (xy - middle) * unit), (a, b)


def _disc(relief: Relief) -> Array:
    """Return the net of the map, ring by ring around the visible points, shape (n, 2)."""
    sides = np.array([1.0, relief.ratio])
    xy, whole = relief.xy / sides, np.array([[relief.xs[0], relief.ys[0]], [relief.xs[-1], relief.ys[-1]]]) / sides
    low, high = (whole[0], whole[1]) if len(xy) < 2 else (xy.min(axis=0), xy.max(axis=0))
    middle, half = low + 0.5 * (high - low), 0.5 * (high - low)
    half = np.maximum(half, 0.05 * max(float(half.max()), 0.1 * float((whole[1] - whole[0]).max())))
    reach = 1.06 * float(np.linalg.norm((xy - middle) / half, axis=1).max(initial=1.0))
    radius, angle = np.meshgrid(np.linspace(0.0, reach, RINGS), np.linspace(0.0, 2.0 * np.pi, SPOKES), indexing="ij")
    circle = np.column_stack(((radius * np.cos(angle)).ravel(), (radius * np.sin(angle)).ravel()))
    return np.asarray((middle + circle * half) * sides)


def _box(extent: tuple[float, float, float], names: tuple[str, str, str]) -> tuple[Array, tuple[ReliefCaption, ...]]:
    """Return the edges of the floor and the vertical edges, and the names of the axes at them."""
    a, b, c = extent
    floor = np.array([[x, y, -c] for x, y in ((-a, -b), (a, -b), (a, b), (-a, b))])
    top = floor * (1.0, 1.0, -1.0)
    frame = np.array([*((floor[n], floor[n - 1]) for n in range(4)), *((floor[n], top[n]) for n in range(4))])
    captions = (
        ReliefCaption(names[0], np.array([[0.0, -b, -c], [0.0, b, -c]]), (0, 1)),
        ReliefCaption(names[1], np.array([[-a, 0.0, -c], [a, 0.0, -c]]), (0, 1)),
        ReliefCaption(names[2], top, (-1, 0)),
    )
    return frame, tuple(caption for caption in captions if caption.text)


def plane_in_box(normal: Array, distance: float, extent: tuple[float, float, float]) -> Array:
    """Return the part of the plane ``normal . x = distance`` in a box: its corners in order, (k, 3), or none."""
    signs = np.array(list(product((-1.0, 1.0), repeat=3)))
    corners = signs * extent
    side = corners @ normal - distance
    found = []
    for first, second in ((i, j) for i in range(8) for j in range(i) if (signs[i] != signs[j]).sum() == 1):
        if (side[first] <= 0) != (side[second] <= 0):
            share = side[first] / (side[first] - side[second])
            found.append(corners[first] + share * (corners[second] - corners[first]))
    if len(found) < 3:
        return np.empty((0, 3))
    crossings = np.array(found)
    around = crossings - crossings.mean(axis=0)
    one = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    angle = np.arctan2(around @ np.cross(normal, one) / np.linalg.norm(normal), around @ one)
    return np.asarray(crossings[np.argsort(angle)])


def _captioned(levels: tuple[tuple[float, Array], ...]) -> tuple[ReliefCaption, ...]:
    names = {-1.0: "f = −1", 0.0: "f = 0", 1.0: "f = 1"}
    ordered = sorted(levels, key=lambda level: abs(level[0]))  # if there is room for one only, it is f = 0
    return tuple(ReliefCaption(names[level], corners, (1, 0)) for level, corners in ordered if len(corners))


def over_plane(relief: Relief, names: tuple[str, str] = ("x₁", "x₂"), limit: float | None = None) -> Solid:
    """Return f over the plane, cut off at its own limit or at `limit`; points are at their f, or at the cut."""
    x, y = np.meshgrid(relief.xs, relief.ys)
    net = np.column_stack((x.ravel(), y.ravel()))
    on_floor, (a, b) = _floor(net, relief.ratio)
    extent, limit = (a, b, HEIGHT), limit_of(relief) if limit is None else limit
    scale = HEIGHT / limit
    # values beyond the cut may be huge, and pixels overflow
    height = np.where(np.abs(relief.f) <= 1e6 * limit, relief.f, np.nan) * scale
    floor = on_floor(relief.xy)
    f = np.clip(relief.f_points, -limit, limit)
    margin = np.clip(relief.y * float(relief.has_margins), -limit, limit)
    lost = np.flatnonzero(relief.losses > 0)
    posts = np.stack([np.column_stack((floor, values * scale))[lost] for values in (f, margin)], axis=1)
    sheets = tuple(
        (level, plane_in_box(np.array([0.0, 0.0, 1.0]), level * scale, extent)) for level in levels_of(relief)
    )
    frame, captions = _box(extent, (*names, ""))
    return Solid(
        relief,
        np.column_stack((on_floor(net), height.ravel())),
        relief.f.ravel(),
        net_triangles(len(relief.ys), len(relief.xs)),
        limit,
        np.column_stack((floor, f * scale)),
        relief.labels,
        posts,
        relief.labels[lost],
        sheets,
        1.0,
        frame,
        captions + _captioned(sheets),
    )


def kernel_map(relief: Relief, morph: float, names: tuple[str, str] = ("x₁", "x₂")) -> Solid:
    """Return the plane around the points on its way into the feature space: flat at morph 0, mapped at 1."""
    explicit = relief.map
    if explicit is None:
        raise ValueError("Only a polynomial kernel of degree 2 has a map that can be drawn.")
    net, homogeneous = _disc(relief), explicit.coef0 == 0
    on_floor, (a, b) = _floor(net, relief.ratio)
    extent = (1.0, 1.0, HEIGHT) if homogeneous else (a, b, HEIGHT)
    drawn = explicit(net)
    low, high = drawn.min(axis=0), drawn.max(axis=0)
    middle, half = low + 0.5 * (high - low), np.where(high > low, 0.5 * (high - low), 1.0)
    scale = np.array(extent) / half
    level = float(np.clip(-middle[2] * scale[2], -HEIGHT, HEIGHT))  # the height of q = 0

    def put(xy: Array) -> Array:
        flat = np.column_stack((on_floor(xy), np.full(len(xy), level)))
        return np.asarray((1.0 - morph) * flat + morph * (explicit(xy) - middle) * scale)

    normal, begin = explicit.normal / scale, explicit.offset + float(explicit.normal @ middle)
    sheets = tuple((each, plane_in_box(normal, each - begin, extent)) for each in levels_of(relief))
    sheets = tuple(sheet for sheet in sheets if len(sheet[1]))
    strength = min(max((morph - FADE) / (1.0 - FADE), 0.0), 1.0)
    first, second = names
    if morph < 0.5:
        axes = first, second, ""
    elif homogeneous:
        axes = f"{first}²", f"{second}²", f"√2 {first}{second}"
    else:
        axes = first, second, "q"
    frame, captions = _box(extent, axes)
    return Solid(
        relief,
        put(net),
        drawn @ explicit.normal + explicit.offset,
        net_triangles(RINGS, SPOKES),
        np.inf,
        put(relief.xy),
        relief.labels,
        np.empty((0, 2, 3)),
        np.empty(0, dtype=np.int64),
        sheets if strength > 0 else (),
        strength,
        frame,
        captions + (_captioned(sheets) if strength == 1.0 else ()),
    )
