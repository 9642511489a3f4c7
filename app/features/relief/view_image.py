"""Pictures of the relief as pixels: for the panel, for a file, and for a film.

`relief_image` draws one picture and depends on nothing but its arguments, so a film can call it for each step of a
training and for each angle, on any thread:

    relief = relief_of(model, lane, points, (left, right, bottom, top))    # once for each model
    pixels = relief_image(relief, 640, 480, camera=Camera(angle))          # f over the plane
    pixels = relief_image(relief, 640, 480, morph=share)                   # the kernel trick, 0 flat to 1 mapped

Captions need Qt's fonts: without a QGuiApplication leave them out, ``font=None``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from app.core.points import MAX_CLASSES
from app.engine.shading import FULL_VALUE, colour
from app.engine.surface_values import UNKNOWN
from app.views.plot.symbol_painting import size_for
from app.views.plot.symbols import POINT, shapes
from app.views.theme import LIGHT, Theme
from app.views.widgets.painting import paint_with, painter_on
from solver.core.arrays import Array

from .geometry import Camera, Solid, kernel_map, levels_of, over_plane
from .query import Relief
from .z_buffer import MOST_PIXELS, ZBuffer

#: Number of colours of the surface, even: f = 0 is between two.
COLOURS = 512
#: Opacity of the sheet f = 0, of the other sheets, and of their edges.
SHEET, MARGIN, EDGE = 0.22, 0.16, 0.75
#: Widths (pixels): level lines of f = 0 and of the margins, posts, frame.
LINE, THIN, POST, FRAME = 2.4, 1.2, 2.6, 1.0
#: Largest share of the width that a caption takes.
LONGEST = 0.45
FRONT = Camera()


def relief_image(
    relief: Relief,
    width: int,
    height: int,
    *,
    camera: Camera = FRONT,
    theme: Theme = LIGHT,
    morph: float | None = None,
    ratio: float = 1.0,
    font: QFont | None = None,
    names: tuple[str, str] = ("x₁", "x₂"),
    limit: float | None = None,
) -> NDArray[np.uint32]:
    """Return a picture of a relief as pixels.

    Parameters
    ----------
    relief : Relief
        From `query.relief_of`.
    width, height : int
        In pixels.
    camera : Camera
    theme : Theme
        With the document's colours.
    morph : float, optional
        None: f over the plane; else the kernel trick, from 0, the flat plane, to 1, mapped into the feature space.
    ratio : float
        Scale of symbols, lines and text.
    font : QFont, optional
        Of the captions; None leaves them out.
    names : tuple of str
        Of the axes.
    limit : float, optional
        |f| at which f over the plane is cut off; None for its own limit.  With a common limit, films do not jump.

    Returns
    -------
    ndarray of shape (height, width), uint32
        0xffrrggbb, the top row first.
    """
    solid = over_plane(relief, names, limit) if morph is None else kernel_map(relief, morph, names)
    pixels = draw(solid, camera, width, height, theme, ratio, 2 if 4 * width * height <= MOST_PIXELS else 1)
    if font is not None:
        image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
        with painter_on(image) as painter:
            painter.setFont(font)
            painter.scale(ratio, ratio)
            paint_captions(painter, solid, camera, width / ratio, height / ratio, theme)
    red, green, blue, opaque = (pixels[..., channel].astype(np.uint32) for channel in range(4))
    return np.asarray(opaque << 24 | red << 16 | green << 8 | blue, dtype=np.uint32)


def draw(
    solid: Solid, camera: Camera, width: int, height: int, theme: Theme, ratio: float = 1.0, samples: int = 1
) -> NDArray[np.uint8]:
    """Return the picture without captions, shape (height, width, 4)."""
    buffer, relief = ZBuffer(width, height, theme.background, samples), solid.relief
    unit = solid.pixels(width, height)

    def projected(at: Array) -> Array:
        return camera.project(at, width, height, unit)

    levels = np.array(levels_of(relief))
    buffer.surface(
        projected(solid.corners),
        solid.values,
        solid.triangles,
        _table(theme, relief.classes, relief.has_margins),
        FULL_VALUE,
        solid.limit,
        levels,
        ratio * np.where(levels == 0, LINE, THIN),
        theme.ink,
    )
    nearer = 0.03 * camera.zoom * unit
    buffer.lines(projected(solid.frame), _inks(theme, len(solid.frame), 0.45), FRAME * ratio)
    if len(solid.posts):
        colours = 0.75 * np.array(theme.classes, dtype=np.float64)[solid.post_labels]
        buffer.lines(projected(solid.posts), np.column_stack((colours, np.ones(len(colours)))), POST * ratio, nearer)
    size = size_for(len(solid.symbols), min(width, height) / ratio)
    pictures = _symbols(theme, size, ratio * samples)
    buffer.stamps(projected(solid.symbols), solid.labels.astype(np.intp), pictures, nearer + 0.75 * size * ratio)
    for level, corners in sorted(solid.sheets, key=lambda sheet: -float(projected(sheet[1])[:, 2].mean())):
        alpha = solid.strength * (SHEET if level == 0 else MARGIN)
        side = relief.classes[int(level > 0)]
        hue = theme.ink if level == 0 else theme.classes[side] if side >= 0 else theme.faint
        buffer.sheet(projected(corners), hue, alpha)
        around = np.stack((corners, np.roll(corners, -1, axis=0)), axis=1)
        buffer.lines(projected(around), _inks(theme, len(around), solid.strength * EDGE), FRAME * ratio)
    return buffer.picture()


def _inks(theme: Theme, count: int, alpha: float) -> Array:
    return np.tile(np.array([*theme.ink, alpha], dtype=np.float64), (count, 1))


@lru_cache(maxsize=16)
def _table(theme: Theme, classes: tuple[int, int], has_margins: bool) -> Array:
    """Return the colours of f from -`FULL_VALUE` to `FULL_VALUE`, as in flat pictures; the other classes are grey."""
    f = (np.arange(COLOURS) + 0.5) / COLOURS * 2.0 * FULL_VALUE - FULL_VALUE
    predicted = np.where(f < 0, *classes).astype(np.int8)
    sureness = np.abs(f) / FULL_VALUE if has_margins else np.full(COLOURS, UNKNOWN)
    argb = colour(theme.shades, np.maximum(predicted, 0).astype(np.int8), sureness, predicted < 0)
    return np.column_stack([(argb >> shift & 0xFF).astype(np.float64) for shift in (16, 8, 0)])


@lru_cache(maxsize=8)
def _symbols(theme: Theme, size: int, ratio: float) -> Array:
    """Return the symbols of all classes, shape (n_classes, side, side, 4), straight alpha in [0, 1]; `side` is odd."""
    side = 2 * int(np.ceil((0.6 * size + 1.5) * ratio)) + 1
    pictures = np.zeros((MAX_CLASSES, side, side, 4))
    for label in range(MAX_CLASSES):
        image = QImage(side, side, QImage.Format.Format_RGBA8888)
        image.fill(Qt.GlobalColor.transparent)
        with painter_on(image, smooth=True) as painter:
            painter.translate(0.5 * side, 0.5 * side)
            painter.scale(ratio * size / POINT, ratio * size / POINT)
            for path, pen, brush in shapes(theme, str(label)):
                paint_with(painter, pen, brush)
                painter.drawPath(path)
        rows = np.frombuffer(image.constBits(), dtype=np.uint8).reshape(side, image.bytesPerLine() // 4, 4)
        pictures[label] = rows[:, :side]
    pictures[..., 3] /= 255.0
    return pictures


def paint_captions(
    painter: QPainter, solid: Solid, camera: Camera, width: float, height: float, theme: Theme
) -> list[QRectF]:
    """Paint the names of axes and sheets that do not overlap; return the boxes of those painted."""
    metrics, taken = QFontMetricsF(painter.font()), list[QRectF]()
    for caption in solid.captions:
        at = camera.project(caption.locations, width, height, solid.pixels(width, height))[:, :2]
        x, y = at[(at @ np.array(caption.towards, dtype=np.float64)).argmax()]
        words = metrics.elidedText(caption.text, Qt.TextElideMode.ElideRight, LONGEST * width)
        box = QRectF(0, 0, metrics.horizontalAdvance(words) + 6, metrics.height())
        gap = 4.0
        right, down = caption.towards
        box.moveCenter(QPointF(x + right * (0.5 * box.width() + gap), y + down * (0.5 * box.height() + gap)))
        box.moveLeft(min(max(box.left(), 2.0), width - box.width() - 2.0))
        box.moveTop(min(max(box.top(), 2.0), height - box.height() - 2.0))
        if any(box.intersects(other) for other in taken):
            continue
        taken.append(box)
        painter.fillRect(box, QColor(*theme.background, 215))
        painter.setPen(QColor(*theme.ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
    return taken
