"""ZBuffer: a picture of triangles, lines, symbols and translucent sheets, each hidden by what is nearer at a pixel.

The picture has a depth at each pixel.  Opaque things are drawn in any order, but a surface first; sheets are drawn
last, the farthest first.  Coordinates are (x, y, depth) in pixels: x to the right, y downwards from the upper edge; a
smaller depth is nearer.  Nothing is drawn at coordinates that are not finite.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from solver.core.arrays import Array

from . import _raster_loops as loops

#: Largest number of pixels of a picture, which needs 20 bytes for each while it is drawn.
MOST_PIXELS = 12_000_000
RGB = tuple[int, int, int]
#: Direction to the lamp, at the upper left behind the viewer: x to the right, y downwards, depth away from the viewer.
LAMP = np.array([-0.40, -0.65, -0.65]) / np.linalg.norm([-0.40, -0.65, -0.65])
#: Brightness of a surface in the shade, and the additional brightness in full light.
SHADE, GLOW = 0.62, 0.44


class ZBuffer:
    """A picture in three dimensions, empty at first.

    Parameters
    ----------
    width, height : int
        Size of the result in pixels.
    background : tuple of int
        Red, green and blue.
    samples : {1, 2}, default=1
        Samples per pixel in each direction: with 2, each pixel is the mean of four samples.  Coordinates are in pixels.

    Attributes
    ----------
    depth : ndarray of shape (height, width)
        Depth of all samples; inf where nothing is drawn.
    face : ndarray of shape (height, width), int32
        Index of the nearest triangle of the surface; -1 for none.
    rgb : ndarray of shape (height, width, 4), uint8
        Red, green, blue and 255 of all samples.

    Raises
    ------
    ValueError
        If the picture is empty, or larger than `MOST_PIXELS`.
    """

    def __init__(self, width: int, height: int, background: RGB, samples: int = 1) -> None:
        shape = (height * samples, width * samples)
        if min(width, height) < 1 or shape[0] * shape[1] > MOST_PIXELS:
            raise ValueError(
                f"A picture of {width} × {height} pixels cannot be drawn; at most {MOST_PIXELS} have room."
            )
        self.samples = samples
        self.depth: Array = np.full(shape, np.inf)
        self.face = np.full(shape, -1, dtype=np.int32)
        pixel = np.array([*background, 255], dtype=np.uint8).view(np.uint32)
        self.rgb: NDArray[np.uint8] = np.full(shape, pixel[0]).view(np.uint8).reshape(*shape, 4)
        self._visible = np.zeros(shape, dtype=np.float32)

    def surface(
        self,
        at: Array,
        value: Array,
        triangles: NDArray[np.int32],
        table: Array,
        span: float,
        limit: float,
        levels: Array,
        widths: Array,
        ink: RGB,
    ) -> None:
        """Draw a surface of triangles, coloured by a value, lit from the upper left, with level lines.

        Parameters
        ----------
        at : ndarray of shape (n, 3)
            Corners of the triangles.
        value : ndarray of shape (n,)
            Values at the corners, linear between them.
        triangles : ndarray of shape (m, 3), int32
        table : ndarray of shape (n_colours, 3)
            Colours of the values from -span to span; an even number, so that the two signs have different colours.
        span : float
        limit : float
            Absolute value beyond which the surface is cut off.
        levels, widths : ndarray of shape (n_levels,)
            Values of the level lines and their widths in pixels.
        ink : tuple of int
            Colour of the level lines.
        """
        at = at * float(self.samples)
        slope, cosine = np.zeros((2, len(triangles)))
        loops.fill_triangles(at, value, triangles, limit, LAMP, self.depth, self.face, self._visible, slope, cosine)
        light = SHADE + GLOW * cosine
        half, colour = 0.5 * self.samples * widths, np.array(ink, dtype=np.float64)
        loops.shade(self.face, self._visible, slope, light, table, span, levels, half, colour, self.rgb)

    def lines(self, ends: Array, colours: Array, width: float, nearer: float = 0.0) -> None:
        """Draw lines between `ends` (n, 2, 3) in `colours` (n, 4), whose last column is alpha, from 0 to 1."""
        ends = ends * float(self.samples)
        loops.draw_lines(ends, colours, 0.5 * self.samples * width, self.samples * nearer, self.depth, self.rgb)

    def stamps(self, centres: Array, kinds: NDArray[np.intp], pictures: Array, nearer: float = 0.0) -> None:
        """Draw symbols at `centres` (n, 3), the nearest on top: ``pictures[kinds[i]]`` at the i-th.

        A symbol is hidden entirely if its middle is hidden.  `pictures` (k, side, side, 4) have one pixel per sample,
        colours from 0 to 255, and alpha from 0 to 1.
        """
        centres = centres * float(self.samples)
        order = np.argsort(-centres[:, 2], kind="stable")
        loops.stamp(centres[order], kinds[order], pictures, self.samples * nearer, self.depth, self.rgb)

    def sheet(self, corners: Array, colour: RGB, alpha: float) -> None:
        """Draw a translucent, flat, convex polygon with `corners` (n, 3); nothing if it is seen edge-on."""
        corners = corners * float(self.samples)
        if len(corners) < 3 or not np.isfinite(corners).all():
            return
        around = corners - corners.mean(axis=0)
        normal = np.linalg.svd(around)[2][2]  # the corners may not lie in one plane to the last digit
        if abs(normal[2]) < 1e-6:
            return
        right, down = -normal[0] / normal[2], -normal[1] / normal[2]
        middle = corners.mean(axis=0)
        begin = float(middle[2] - right * middle[0] - down * middle[1])
        flat = np.ascontiguousarray(corners[:, :2])
        loops.blend_sheet(
            flat, float(down), float(right), begin, np.array(colour, np.float64), alpha, self.depth, self.rgb
        )

    def picture(self) -> NDArray[np.uint8]:
        """Return the pixels, shape (height, width, 4): red, green, blue and 255."""
        if self.samples == 1:
            return self.rgb
        height, width = (side // self.samples for side in self.depth.shape)
        out = np.empty((height, width, 4), dtype=np.uint8)
        loops.averaged(self.rgb, out)
        return out


def warm_up() -> None:
    """Compile all loops, with a picture of a few pixels."""
    buffer = ZBuffer(4, 4, (0, 0, 0), samples=2)
    corners = np.array([[0.0, 0.0, 1.0], [4.0, 0.0, 1.0], [0.0, 4.0, 1.0]])
    some = np.array([0.0])
    triangle = np.array([[0, 1, 2]], dtype=np.int32)
    buffer.surface(corners, corners[:, 0].copy(), triangle, np.zeros((2, 3)), 1.0, 9.0, some, some, (0, 0, 0))
    buffer.lines(corners[None, :2].copy(), np.zeros((1, 4)), 1.0)
    buffer.stamps(corners[:1].copy(), np.zeros(1, dtype=np.intp), np.zeros((1, 3, 3, 4)))
    buffer.sheet(corners, (0, 0, 0), 0.5)
    buffer.picture()
