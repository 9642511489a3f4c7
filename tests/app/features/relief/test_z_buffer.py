"""The z-buffer against a slow renderer in plain numpy, pixel by pixel, and what must not be drawn."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from app.features.relief.z_buffer import MOST_PIXELS, ZBuffer

WHITE, BLACK = (255, 255, 255), (0, 0, 0)
NO_LEVELS = np.empty(0)


def surface(buffer: ZBuffer, at: np.ndarray, value: np.ndarray, triangles: np.ndarray, limit: float = np.inf) -> None:
    table = np.array([[200.0, 0.0, 0.0], [0.0, 0.0, 200.0]])
    buffer.surface(
        np.ascontiguousarray(at, dtype=float),
        np.ascontiguousarray(value, dtype=float),
        np.asarray(triangles, dtype=np.int32),
        table,
        1.0,
        limit,
        NO_LEVELS,
        NO_LEVELS,
        BLACK,
    )


def by_hand(
    width: int, height: int, at: np.ndarray, value: np.ndarray, triangles: np.ndarray, limit: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return nearest triangle, depth, and where rounding may decide, testing each triangle at each pixel's centre."""
    x, y = np.meshgrid(np.arange(width) + 0.5, np.arange(height) + 0.5)
    centres = np.stack((x, y), axis=-1)
    depth = np.full((len(triangles), height, width), np.inf)
    doubt = np.zeros((height, width), dtype=bool)
    for t, corners in enumerate(triangles):
        a, b, c = at[corners]
        if not np.isfinite(at[corners]).all() or not np.isfinite(value[corners]).all():
            continue
        matrix = np.column_stack((b[:2] - a[:2], c[:2] - a[:2]))
        if len(set(corners.tolist())) < 3:
            continue
        two = (centres - a[:2]) @ np.linalg.inv(matrix).T
        shares = np.concatenate((1.0 - two.sum(axis=-1, keepdims=True), two), axis=-1)
        worth = shares @ value[corners]
        doubt |= (np.abs(shares).min(axis=-1) < 1e-7) | (np.abs(np.abs(worth) - limit) < 1e-9)
        inside = (shares >= 0).all(axis=-1) & (np.abs(worth) <= limit)
        depth[t][inside] = (shares @ at[corners][:, 2])[inside]
    order = np.sort(depth, axis=0)
    if len(triangles) > 1:
        with np.errstate(invalid="ignore"):
            doubt |= order[1] - order[0] < 1e-6  # the same triangle twice; False for none and none
    face = np.where(np.isfinite(order[0]), depth.argmin(axis=0), -1)
    return face, order[0], doubt


@pytest.mark.parametrize("seed", range(12))
def test_each_pixel_shows_the_nearest_triangle(seed: int) -> None:
    rng = np.random.default_rng(seed)
    width, height, count = 37, 29, 14
    at = rng.uniform(-8, 45, (count, 3))
    if seed % 3 == 0:
        at[:2] *= 1e3  # far outside, and across the whole picture
    value = rng.normal(size=count)
    triangles = rng.integers(0, count, (22, 3))  # some of them degenerate
    if seed % 2:
        at[3, seed % 3], value[5] = np.nan, np.inf
    limit = 0.8 if seed % 4 == 0 else np.inf
    buffer = ZBuffer(width, height, WHITE)
    surface(buffer, at, value, triangles, limit)
    face, depth, doubt = by_hand(width, height, at, value, triangles, limit)
    assert (face >= 0).sum() > 100 and len(np.unique(face)) > 3 and doubt.mean() < 0.2
    assert (buffer.face == face)[~doubt].all()
    shown = ~doubt & (face >= 0)
    assert buffer.depth[shown] == pytest.approx(depth[shown])
    assert (buffer.rgb[buffer.face < 0] == 255).all() and (buffer.rgb[..., 3] == 255).all()


def test_neighbours_leave_no_gap() -> None:
    """A net whose corners lie on the centres of pixels: each pixel inside is covered, however coordinates are
    rounded.
    """
    side = 12
    y, x = np.mgrid[0 : side + 1, 0 : side + 1] * 3.0 + 0.5
    corners = np.column_stack((x.ravel(), y.ravel(), np.sin(x.ravel())))
    first = (np.arange(side)[:, None] * (side + 1) + np.arange(side)).ravel()
    triangles = np.concatenate(
        [
            np.column_stack((first, first + 1, first + side + 2)),
            np.column_stack((first, first + side + 2, first + side + 1)),
        ]
    )
    buffer = ZBuffer(37, 37, WHITE)
    surface(buffer, corners, corners[:, 0], triangles)
    assert (buffer.face >= 0).all()


def test_colour_follows_the_sign_and_lines_have_their_width() -> None:
    """f = (x - 20) / 10 on a plane that faces the viewer: two colours, and a line of f = 0 that is four pixels wide."""
    at = np.array([[0.0, 0.0, 5.0], [40.0, 0.0, 5.0], [40.0, 20.0, 5.0], [0.0, 20.0, 5.0]])
    triangles = np.array([[0, 1, 2], [0, 2, 3]], dtype=np.int32)
    table = np.array([[200.0, 0.0, 0.0], [0.0, 0.0, 200.0]])
    buffer = ZBuffer(40, 20, WHITE)
    f = (at[:, 0] - 20.0) / 10.0
    buffer.surface(at, f, triangles, table, 1.0, np.inf, np.array([0.0]), np.array([4.0]), WHITE)
    row = buffer.rgb[10].astype(int)
    assert (row[:17, 2] == 0).all() and (row[:17, 0] > 100).all() and (row[23:, 0] == 0).all()
    assert (row[18:22, :3] == 255).all()
    steep = ZBuffer(40, 20, WHITE)
    steep.surface(at, 5.0 * f, triangles, table, 1.0, 3.0, np.array([0.0]), np.array([4.0]), WHITE)
    assert (steep.rgb[10, 18:22, :3] == 255).all() and (steep.rgb[10, :17, 0] < 255)[14:].all()
    assert (steep.face[10] >= 0).sum() == 12  # |f| <= 3 is 12 pixels wide


def test_brightness_follows_the_lamp_on_either_side() -> None:
    def shade(tilt: float, flip: bool = False) -> int:
        at = np.array([[0.0, 0.0, 0.0], [9.0, 0.0, 0.0], [0.0, 9.0, 9.0 * tilt]])
        buffer = ZBuffer(9, 9, WHITE)
        surface(buffer, at, np.ones(3), np.array([[0, 2, 1] if flip else [0, 1, 2]]))
        return int(buffer.rgb[2, 2, 2])

    # A plane that leans back faces the lamp, which is above; the orientation of its corners does not matter.
    assert shade(-1.0) > shade(0.0) > shade(1.0) and shade(-1.0) == shade(-1.0, flip=True)


def wall(buffer: ZBuffer, depth: float = 10.0) -> None:
    """Fill the left half of the picture at this depth."""
    at = np.array([[-5.0, -5.0, depth], [20.0, -5.0, depth], [20.0, 60.0, depth], [-5.0, 60.0, depth]])
    surface(buffer, at, -np.ones(4), np.array([[0, 1, 2], [0, 2, 3]]))


def test_lines_are_hidden_by_what_is_nearer() -> None:
    ink = np.array([[0.0, 255.0, 0.0, 1.0]])

    def drawn(first: tuple[float, ...], last: tuple[float, ...], nearer: float = 0.0, width: float = 3.0) -> np.ndarray:
        buffer = ZBuffer(40, 30, WHITE)
        wall(buffer)
        buffer.lines(np.array([[first, last]]), ink, width, nearer)
        green: np.ndarray = (buffer.rgb[..., 1] == 255) & (buffer.rgb[..., 0] == 0)
        return green

    behind = drawn((2, 15, 20), (38, 15, 20))
    assert not behind[:, :20].any() and behind[14:16, 21:37].all() and behind.sum() < 3.1 * 20
    assert drawn((2, 15, 5), (38, 15, 5))[15, 3:37].all()
    through = drawn((2, 15, 0), (38, 15, 36))  # its depth is x - 2
    assert through[15, 3:12].all() and not through[15, 12:20].any()
    assert drawn((2, 15, 11), (18, 15, 11), nearer=2.0)[15, 3:17].all()
    upright = drawn((30, 3, 0), (30, 27, 0), width=4.0)
    assert upright[4:26, 28:32].all() and not upright[:, :27].any() and not upright[:2].any()
    slanted = drawn((22, 2, 0), (38, 28, 0))
    assert all(slanted[y, round(22 + (y + 0.5 - 2) * 16 / 26 - 0.5)] for y in range(4, 26))
    assert not drawn((2, np.nan, 0), (38, 15, 0)).any() and not drawn((5, 5, 0), (5, 5, 0)).any()
    assert not drawn((1e300, 15, 0), (-1e300, 16, 0))[:10].any()


def test_symbols_are_hidden_by_what_is_nearer() -> None:
    pictures = np.zeros((2, 5, 5, 4))
    pictures[0, :, :] = (0, 255, 0, 1)
    pictures[1, 1:4, 1:4] = (9, 9, 9, 1)
    centres = np.array(
        [[10.5, 10.5, 20.0], [10.5, 22.5, 5.0], [30.5, 10.5, 99.0], [31.5, 10.5, 50.0], [-1.5, 3.5, 0.0]]
    )
    buffer = ZBuffer(40, 30, WHITE)
    wall(buffer)
    kinds = np.array([0, 0, 0, 1, 0])
    buffer.stamps(np.vstack([centres, [np.nan, 5, 5], [1e300, 5, 5]]), np.append(kinds, [0, 0]), pictures)
    green = (buffer.rgb[..., 1] == 255) & (buffer.rgb[..., 0] == 0)
    expected = np.zeros_like(green)
    expected[20:25, 8:13] = expected[8:13, 28:33] = expected[1:6, 0:1] = True
    expected[9:12, 30:33] = False  # the second kind is nearer
    assert (green == expected).all() and (buffer.rgb[9:12, 30:33, 0] == 9).all()
    assert (buffer.depth[20:25, 8:13] == 5.0).all()
    edge = ZBuffer(40, 30, WHITE)
    wall(edge)
    edge.stamps(np.array([[18.5, 5.5, 11.0], [21.5, 20.5, 11.0]]), np.zeros(2, dtype=np.intp), pictures)
    assert not (edge.rgb[..., 1] == 255)[3:8, :20].any()  # its middle is hidden, and so is all of it
    assert (edge.rgb[18:23, 19:24, 1] == 255).all() and (edge.depth[20, 19] == 10.0)


def test_sheets_lie_over_what_is_behind_them() -> None:
    """A tilted sheet against the same plane, evaluated at each pixel."""
    corners = np.array([[3.0, 2.0, 0.0], [37.0, 6.0, 34.0], [35.0, 27.0, 40.0], [1.0, 23.0, 6.0]])  # parallelogram
    buffer = ZBuffer(40, 30, WHITE)
    wall(buffer)
    before = buffer.rgb.copy()
    depth = buffer.depth.copy()
    buffer.sheet(corners, BLACK, 0.5)
    x, y = np.meshgrid(np.arange(40) + 0.5, np.arange(30) + 0.5)
    plane = np.linalg.lstsq(np.column_stack((corners[:, :2], np.ones(4))), corners[:, 2], rcond=None)[0]
    edges = [
        (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])
        for a, b in zip(corners, np.roll(corners, -1, axis=0), strict=True)
    ]
    away = plane[0] * x + plane[1] * y + plane[2] - depth
    over = np.all([edge > 0 for edge in edges], axis=0) & (away < 0)
    doubt = (np.abs(np.min(np.abs(edges), axis=0)) < 1e-6) | (np.abs(away) < 1e-6)
    changed = (buffer.rgb != before).any(axis=-1)
    assert (changed == over)[~doubt].all() and 200 < over.sum() < 900 and doubt.mean() < 0.1
    white = over & ~doubt & (before[..., 1] == 255)
    assert (buffer.rgb[white][:, :3] == 128).all() and (buffer.depth == depth).all()
    for odd in (corners[:2], corners * np.nan, corners * (1.0, 0.0, 1.0)):
        again = ZBuffer(40, 30, WHITE)
        again.sheet(odd, BLACK, 0.5)
        assert (again.rgb == 255).all()


def test_four_samples_are_one_pixel() -> None:
    coarse, fine = ZBuffer(20, 16, WHITE, samples=2), ZBuffer(40, 32, WHITE)
    at = np.array([[1.0, 1.0, 0.0], [18.0, 3.0, 0.0], [7.0, 15.0, 0.0]])
    surface(coarse, at, at[:, 0] - 9, np.array([[0, 1, 2]]))
    surface(fine, 2 * at, at[:, 0] - 9, np.array([[0, 1, 2]]))
    mean = fine.picture().reshape(16, 2, 20, 2, 4).astype(int).sum(axis=(1, 3))
    assert (coarse.picture() == (mean + 2) // 4).all()


def test_memory_is_bounded() -> None:
    for size in ((0, 5), (5, 0), (MOST_PIXELS, 2), (100_000, 100_000)):
        with pytest.raises(ValueError, match="pixels cannot be drawn"):
            ZBuffer(*size, WHITE)
    tracemalloc.start()
    buffer = ZBuffer(640, 480, WHITE)
    surface(buffer, np.array([[-1e9, 0, 0], [1e9, 0, 0], [0, 1e9, 0]]), np.zeros(3), np.array([[0, 1, 2]]))
    buffer.picture()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 21 * 640 * 480 and (buffer.face[1:] == 0).all()
