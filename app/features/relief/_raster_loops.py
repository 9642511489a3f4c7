"""Compiled loops of the z-buffer: triangles, lines, stamps and translucent sheets, pixel by pixel.

Coordinates are in pixels, x to the right and y downwards; pixel (row, column) has its centre at (column + 0.5, row +
0.5).  A smaller depth is nearer.  Nothing is drawn at coordinates that are not finite.
"""

from __future__ import annotations

import math

import numpy as np

from solver.core._compile import jit, part

#: Share of a triangle by which it is widened, so that rounding leaves no pixel between two neighbours empty.
SLACK = 1e-9


@part
def first_pixel(least):  # type: ignore[no-untyped-def]
    """Return the first pixel whose centre is at `least` or after it; it may lie beyond the picture."""
    return math.ceil(max(least - 0.5, 0.0))


@part
def last_pixel(most, count):  # type: ignore[no-untyped-def]
    """Return the last of `count` pixels whose centre is at `most` or before it; -1 if there is none."""
    return math.floor(max(min(most - 0.5, count - 1.0), -1.0))


@jit
def fill_triangles(at, value, corners, limit, lamp, depth, face, visible, slope, cosine):  # type: ignore[no-untyped-def]
    """Write the nearest triangle at each pixel to `face`, its depth to `depth`, and the value there to `visible`.

    For each triangle, `slope` becomes the change of the value per pixel, and `cosine` that of the angle between the
    direction to the lamp (a unit vector) and the normal on the visible side.  A triangle has a hole where the absolute
    value is above `limit`.
    """
    height, width = depth.shape
    for t in range(corners.shape[0]):
        i, j, k = corners[t, 0], corners[t, 1], corners[t, 2]
        x0, y0, z0, v0 = at[i, 0], at[i, 1], at[i, 2], value[i]
        x1, y1, z1, v1 = at[j, 0] - x0, at[j, 1] - y0, at[j, 2] - z0, value[j] - v0
        x2, y2, z2, v2 = at[k, 0] - x0, at[k, 1] - y0, at[k, 2] - z0, value[k] - v0
        area = x1 * y2 - x2 * y1
        if not math.isfinite(area + z0 + z1 + z2 + v0 + v1 + v2) or area == 0.0:
            continue
        across, down = (v1 * y2 - v2 * y1) / area, (v2 * x1 - v1 * x2) / area
        slope[t] = math.sqrt(across * across + down * down)
        a, b = y1 * z2 - z1 * y2, z1 * x2 - x1 * z2  # the normal is (a, b, area)
        cosine[t] = abs(a * lamp[0] + b * lamp[1] + area * lamp[2]) / math.sqrt(a * a + b * b + area * area)
        left = first_pixel(x0 + min(0.0, x1, x2))
        right = last_pixel(x0 + max(0.0, x1, x2), width)
        bottom = last_pixel(y0 + max(0.0, y1, y2), height)
        for row in range(first_pixel(y0 + min(0.0, y1, y2)), bottom + 1):
            y = row + 0.5 - y0
            for column in range(left, right + 1):
                x = column + 0.5 - x0
                first, second = (x * y2 - x2 * y) / area, (x1 * y - x * y1) / area
                if first < -SLACK or second < -SLACK or first + second > 1.0 + SLACK:
                    continue
                z, v = z0 + first * z1 + second * z2, v0 + first * v1 + second * v2
                if z < depth[row, column] and abs(v) <= limit:
                    depth[row, column] = z
                    face[row, column] = t
                    visible[row, column] = v


@part
def blend(rgb, row, column, red, green, blue, alpha):  # type: ignore[no-untyped-def]
    """Mix a colour into a pixel."""
    rest = 1.0 - alpha
    rgb[row, column, 0] = int(rest * rgb[row, column, 0] + alpha * red + 0.5)
    rgb[row, column, 1] = int(rest * rgb[row, column, 1] + alpha * green + 0.5)
    rgb[row, column, 2] = int(rest * rgb[row, column, 2] + alpha * blue + 0.5)


@jit
def shade(face, visible, slope, light, table, span, levels, half, ink, rgb):  # type: ignore[no-untyped-def]
    """Colour the triangles that `fill_triangles` found by value, from `table` for -span to span, and draw level lines.

    A level line is `2 half` pixels wide, computed from the slope of each triangle; a triangle without slope has none.
    """
    height, width = face.shape
    count = table.shape[0]
    for row in range(height):
        for column in range(width):
            t = face[row, column]
            if t < 0:
                continue
            v = visible[row, column]
            index = int(max(0.0, min(0.5 * (v / span + 1.0) * count, count - 1.0)))
            for c in range(3):
                rgb[row, column, c] = int(min(light[t] * table[index, c] + 0.5, 255.0))
            if not slope[t] > 0.0:
                continue
            for number in range(levels.shape[0]):
                away = abs(v - levels[number]) / slope[t]
                cover = min(half[number] + 0.5 - away, 1.0)
                if cover > 0.0:
                    blend(rgb, row, column, ink[0], ink[1], ink[2], cover)


@jit
def draw_lines(ends, colours, half, nearer, depth, rgb):  # type: ignore[no-untyped-def]
    """Draw lines between `ends` (n, 2, 3), `2 half` pixels wide, in `colours` (n, 4) with alpha in [0, 1].

    Their depths are reduced by `nearer`, so that a line within a surface is visible.
    """
    height, width = depth.shape
    reach = half + 0.5
    for n in range(ends.shape[0]):
        x0, y0, z0 = ends[n, 0, 0], ends[n, 0, 1], ends[n, 0, 2]
        dx, dy, dz = ends[n, 1, 0] - x0, ends[n, 1, 1] - y0, ends[n, 1, 2] - z0
        square = dx * dx + dy * dy
        if not math.isfinite(square + x0 + y0 + z0 + dz) or square < 1e-12:
            continue
        length = math.sqrt(square)
        flat = abs(dx) >= abs(dy)  # then column by column, else row by row
        a0, b0, da, db = (x0, y0, dx, dy) if flat else (y0, x0, dy, dx)
        along, across = (width, height) if flat else (height, width)
        wide = reach * length / abs(da)
        for a in range(first_pixel(a0 + min(da, 0.0) - reach), last_pixel(a0 + max(da, 0.0) + reach, along) + 1):
            b = b0 + (a + 0.5 - a0) * db / da
            for other in range(first_pixel(b - wide), last_pixel(b + wide, across) + 1):
                row, column = (other, a) if flat else (a, other)
                x, y = column + 0.5 - x0, row + 0.5 - y0
                share = (x * dx + y * dy) / square
                if share < 0.0 or share > 1.0:
                    continue
                cover = min(reach - abs(x * dy - y * dx) / length, 1.0)
                z = z0 + share * dz - nearer
                if cover <= 0.0 or z > depth[row, column]:
                    continue
                blend(rgb, row, column, colours[n, 0], colours[n, 1], colours[n, 2], cover * colours[n, 3])
                if cover > 0.5:
                    depth[row, column] = z


@jit
def stamp(centres, kinds, pictures, nearer, depth, rgb):  # type: ignore[no-untyped-def]
    """Draw the picture ``pictures[kinds[n]]`` (side, side, 4), alpha in [0, 1], centred at each of `centres` (n, 3).

    A picture is drawn if the pixel at its middle is visible, at a depth reduced by `nearer`: it is flat, and would else
    sink into the surface below it.
    """
    height, width = depth.shape
    side = pictures.shape[1]
    visible = np.zeros(centres.shape[0], dtype=np.bool_)
    for n in range(centres.shape[0]):  # checked before any is drawn: pictures do not hide each other's middles
        x, y, z = centres[n, 0], centres[n, 1], centres[n, 2] - nearer
        if -side < x < width + side and -side < y < height + side and math.isfinite(z):
            row, column = math.floor(y), math.floor(x)
            outside = row < 0 or row >= height or column < 0 or column >= width
            visible[n] = outside or z <= depth[row, column]
    for n in range(centres.shape[0]):
        if not visible[n]:
            continue
        top, left = math.floor(centres[n, 1]) - side // 2, math.floor(centres[n, 0]) - side // 2
        for r in range(max(0, -top), min(side, height - top)):
            for c in range(max(0, -left), min(side, width - left)):
                picture = pictures[kinds[n], r, c]
                if picture[3] > 0.0:
                    blend(rgb, top + r, left + c, picture[0], picture[1], picture[2], picture[3])
                if picture[3] > 0.5:
                    depth[top + r, left + c] = min(depth[top + r, left + c], centres[n, 2] - nearer)


@jit
def blend_sheet(corners, down, right, begin, colour, alpha, depth, rgb):  # type: ignore[no-untyped-def]
    """Blend a convex polygon (n, 2) at the depth ``begin + right x + down y`` into the pixels that are farther away."""
    height, width = depth.shape
    count = corners.shape[0]
    least, most = math.inf, -math.inf
    for n in range(count):
        least, most = min(least, corners[n, 1]), max(most, corners[n, 1])
    for row in range(first_pixel(least), last_pixel(most, height) + 1):
        y = row + 0.5
        low, high = math.inf, -math.inf
        for n in range(count):
            x0, y0 = corners[n, 0], corners[n, 1]
            x1, y1 = corners[(n + 1) % count, 0], corners[(n + 1) % count, 1]
            if (y0 <= y) != (y1 <= y):
                x = x0 + (y - y0) * (x1 - x0) / (y1 - y0)
                low, high = min(low, x), max(high, x)
        if low > high:
            continue
        for column in range(first_pixel(low), last_pixel(high, width) + 1):
            if begin + right * (column + 0.5) + down * y < depth[row, column]:
                blend(rgb, row, column, colour[0], colour[1], colour[2], alpha)


@jit
def averaged(rgb, out):  # type: ignore[no-untyped-def]
    """Write the mean of four pixels of `rgb` to each pixel of `out`."""
    for row in range(out.shape[0]):
        for column in range(out.shape[1]):
            for c in range(4):
                total = 2
                for r in range(2):
                    total += int(rgb[2 * row + r, 2 * column, c]) + int(rgb[2 * row + r, 2 * column + 1, c])
                out[row, column, c] = total // 4
