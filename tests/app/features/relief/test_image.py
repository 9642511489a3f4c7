"""The pixels of the relief: colours of the flat picture, hidden parts, and omitted parts."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QRectF
from PySide6.QtGui import QFont, QImage
from PySide6.QtWidgets import QApplication

from app.engine.shading import FULL_VALUE, colour
from app.features.relief.geometry import HEIGHT, Camera, over_plane
from app.features.relief.query import Relief
from app.features.relief.view_image import draw, paint_captions, relief_image
from app.views.theme import DARK, LIGHT, RGB, Theme
from app.views.widgets.painting import painter_on

ABOVE = Camera(0.0, 90.0, 1.0)


def hill(xy: tuple[tuple[float, float], ...] = (), f: tuple[float, ...] = (), **more: object) -> Relief:
    """Return f = 1.8 along a wall at x = 0, else -1.8; points of class 2, or class 1 where f < 0."""
    xs = ys = np.linspace(-1.0, 1.0, 41)
    values = np.tile(np.where(np.abs(xs) < 0.12, 1.8, -1.8), (41, 1))
    y = np.where(np.array(f) < 0, -1.0, 1.0)
    labels = (y > 0).astype(np.int64)
    locations = np.array(xy, dtype=float).reshape(-1, 2)
    parts = dict(classes=(0, 1), has_margins=True, map=None, title="a wall")
    return Relief(xs, ys, values, locations, labels, y, np.array(f, dtype=float), **(parts | more))  # type: ignore[arg-type]


def found(pixels: np.ndarray, rgb: RGB) -> np.ndarray:
    """Return which pixels have exactly this colour."""
    mask: np.ndarray = (pixels[..., :3] == rgb).all(axis=-1)
    return mask


def bare(relief: Relief, camera: Camera, theme: Theme = LIGHT) -> np.ndarray:
    """Return the relief without sheets, which tint everything below them."""
    return draw(replace(over_plane(relief), sheets=()), camera, 300, 240, theme)


def test_points_behind_the_wall_are_hidden() -> None:
    low = Camera(90.0, 10.0, 1.0)  # along the x axis, over a wall across it
    behind, before = (hill(((x, 0.0),), (-1.8,)) for x in (0.6, -0.6))
    shown = [found(bare(each, low), LIGHT.classes[0]).sum() for each in (behind, before)]
    assert sorted(shown)[0] == 0 and sorted(shown)[1] > 8
    # From the other side it hides the other point.
    turned = [found(bare(each, low.turned(180, 0)), LIGHT.classes[0]).sum() for each in (behind, before)]
    assert [number == 0 for number in turned] == [number != 0 for number in shown]
    assert found(bare(behind, ABOVE), LIGHT.classes[0]).sum() > 8


def test_points_stand_where_they_are_projected() -> None:
    relief = hill(((0.5, -0.5), (-0.7, 0.3)), (-1.8, -1.5))
    for camera in (ABOVE, Camera(20.0, 50.0, 1.2)):
        solid = over_plane(relief)
        pixels = bare(relief, camera)
        at = camera.project(solid.symbols, 300, 240, solid.pixels(300, 240))
        assert all(found(pixels, LIGHT.classes[0])[int(y), int(x)] for x, y, _ in at)


def channels(pixels: np.ndarray) -> np.ndarray:
    """Return red, green, blue and opacity of 0xaarrggbb."""
    return np.stack([pixels >> shift & 0xFF for shift in (16, 8, 0, 24)], axis=-1)


def test_a_level_surface_is_no_line() -> None:
    """Before the first step f is 0 everywhere."""
    level = bare(replace(hill(), f=np.zeros((41, 41))), ABOVE)
    assert not found(level, LIGHT.ink).any() and len(np.unique(level[100:140, 120:180].reshape(-1, 4), axis=0)) == 1


def test_a_given_limit_replaces_the_default() -> None:
    relief = hill(((0.5, 0.5),), (-1.8,))
    lower, own = (over_plane(relief, limit=limit) for limit in (4.0, None))
    assert own.limit == 2.0 and lower.limit == 4.0
    np.testing.assert_allclose(2 * lower.symbols[:, 2], own.symbols[:, 2])
    by_image = relief_image(relief, 300, 240, limit=4.0)
    assert (channels(by_image) == draw(lower, Camera(), 300, 240, LIGHT, samples=2)).all()
    assert (by_image != relief_image(relief, 300, 240)).any()


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_from_above_the_colours_are_those_of_the_flat_picture(theme: Theme) -> None:
    xs = np.linspace(-1.0, 1.0, 41)
    relief = replace(hill(), f=np.tile(2.0 * xs, (41, 1)))
    solid = over_plane(relief)
    pixels = bare(relief, ABOVE, theme)
    unit = solid.pixels(300, 240)
    slope = np.array([-2.0 / solid.limit * HEIGHT, 0.0, 1.0])
    columns = [round(150 + unit * x) for x in (-0.75, -0.25, 0.25, 0.75)]
    for column in columns:
        f = 2.0 * (column + 0.5 - 150) / unit
        argb = int(
            colour(theme.shades, np.array([[f > 0]], np.int8), np.array([[abs(f) / FULL_VALUE]]), np.array([[False]]))[
                0, 0
            ]
        )
        flat = np.array([argb >> shift & 0xFF for shift in (16, 8, 0)])
        lighted = pixels[120, column, :3] / flat
        # One brightness for all three, and for the whole plane, because the surface is flat.
        assert lighted == pytest.approx(lighted[0], abs=0.03)
        assert lighted[0] == pytest.approx((pixels[120, columns[0], :3] / flat)[0], abs=1.0) and slope[2]
    ink = found(pixels, theme.ink)
    assert ink[120, 149:151].any() and not ink[120, 160:170].any()  # f = 0


def test_the_remaining_classes_are_grey() -> None:
    pixels = bare(hill(classes=(-1, 3)), Camera(0.0, 40.0))
    side = pixels[60:180, 90:110].reshape(-1, 4)[:, :3].astype(int)
    drawn = side[(side != 255).any(axis=1)]
    assert len(drawn) > 100 and (np.ptp(drawn, axis=1) <= 3).mean() > 0.9


def test_nothing_is_drawn_of_what_is_no_number() -> None:
    relief = hill()
    whole = (bare(relief, ABOVE)[..., :3] != 255).any(axis=-1)
    for bad in (np.nan, np.inf, -1e308):
        f = relief.f.copy()
        f[:, :20] = bad
        half = (bare(replace(relief, f=f), ABOVE)[..., :3] != 255).any(axis=-1)
        assert half[100:140, 155:200].all() and not half[100:140, 75:140].any() and whole[100:140, 75:140].all()
        assert relief_image(replace(relief, f=f), 60, 50).shape == (50, 60)
    lost = hill(((0.5, 0.5), (0.2, -0.4)), (np.nan, -1.0))
    assert relief_image(lost, 80, 60).shape == (60, 80)


def test_a_film_may_draw_in_any_thread(qapp: QApplication) -> None:
    relief, pictures = hill(((0.5, 0.5),), (-0.4,)), []

    def film() -> None:
        pictures.extend(
            relief_image(relief, 120, 90, camera=Camera(a), theme=DARK, font=QFont("Sans", 8)) for a in (0, 20, 0)
        )

    thread = threading.Thread(target=film)
    thread.start()
    thread.join()
    first, turned, again = pictures
    assert first.shape == (90, 120) and first.dtype == np.uint32 and (first >> 24 == 255).all()
    assert (first == again).all() and (first != turned).any()
    assert (relief_image(relief, 120, 90, camera=Camera(0), theme=DARK) != first).any()  # the captions
    assert (channels(first)[0, 0, :3] == DARK.background).all()


def test_posts_go_to_the_sheet_of_their_class() -> None:
    """Seen from the side, a post is a line from f to 1."""
    relief = hill(((0.0, -0.9),), (-0.9,), classes=(0, 1))
    relief = replace(relief, y=np.array([1.0]), labels=np.array([1]), f=np.full((41, 41), -1.9))
    solid = over_plane(relief)
    camera = Camera(0.0, 0.0, 1.0)
    pixels = draw(replace(solid, sheets=()), camera, 300, 240, LIGHT)
    wanted = tuple(int(0.75 * each + 0.5) for each in LIGHT.classes[1])
    rows = np.flatnonzero(found(pixels, wanted)[:, 150])  # type: ignore[arg-type]
    unit = solid.pixels(300, 240) * HEIGHT / solid.limit
    assert rows.min() == pytest.approx(120 - unit, abs=1.5)
    assert rows.max() == pytest.approx(120 + 0.9 * unit, abs=8)  # there the symbol is in front of it


def test_captions_keep_apart_and_inside(qapp: QApplication) -> None:
    solid = over_plane(hill(), ("a rather long name of an axis, in centimetres", "<b>y</b>"))
    image = QImage(300, 240, QImage.Format.Format_RGB32)
    visible = set()
    for azimuth in range(0, 360, 30):
        for tilt in (-90, -20, 0, 28, 90):
            with painter_on(image) as painter:
                boxes = paint_captions(painter, solid, Camera(azimuth, tilt), 300, 240, LIGHT)
            assert all(QRectF(0, 0, 300, 240).contains(box) for box in boxes)
            assert not any(a.intersects(b) for n, a in enumerate(boxes) for b in boxes[:n])
            visible.add(len(boxes))
    assert max(visible) == 5 and min(visible) >= 2
