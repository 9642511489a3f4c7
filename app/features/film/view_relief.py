"""Picture of a film that shows the relief: two lines of words above `relief_image`.

It can be made on any thread.
"""

from __future__ import annotations

import math

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF

from app.engine.frames import Frame
from app.features.relief import text
from app.features.relief.query import Relief, relief_of
from app.features.relief.view_image import relief_image
from app.state.document import Document
from app.views.export.layout import GAP, TEXT, TITLE, PictureSpec, font_of
from app.views.plot.picture import image_of
from app.views.theme import dressed, theme_of
from app.views.widgets.painting import painter_on
from solver import Grid

from .plan import ReliefView

AS_IT_IS = ReliefView()


class ReliefShot(Struct, frozen=True, eq=False):
    """The data of a picture.

    Attributes
    ----------
    relief : Relief
    words : str
        State of the training.
    document : Document
        Provides names and colours.
    view : ReliefView
    """

    relief: Relief
    words: str
    document: Document
    view: ReliefView = AS_IT_IS


def relief_shot(frame: Frame, words: str, document: Document, grid: Grid) -> ReliefShot:
    """Return the relief of a frame over `grid`; raise ValueError with a sentence if the frame has no f."""
    if frame.model is None:
        raise ValueError(text.without(frame.lane))
    points = frame.points if frame.run_state is None else frame.run_state.points
    relief = relief_of(frame.model, frame.lane, points, (grid.left, grid.right, grid.bottom, grid.top))
    return ReliefShot(relief, words, document)


def band(spec: PictureSpec) -> int:
    """Return the height (pixels) of the words above the relief."""
    lines = (QFontMetricsF(font_of(size)).height() for size in (TITLE, TEXT))
    return round((2 * GAP + math.ceil(sum(lines))) * spec.scale)


def painted(shot: ReliefShot, spec: PictureSpec, limit: float) -> NDArray[np.uint32]:
    """Return the pixels, 0xffrrggbb, shape (height, width)."""
    relief, document, view = shot.relief, shot.document, shot.view
    if view.morph is not None and relief.map is None:
        raise ValueError(text.NO_MAP)
    pixels = np.empty((spec.height, spec.width), dtype=np.uint32)
    theme, top, width = dressed(theme_of(spec.dark), document.styles), band(spec), spec.width
    pixels[top:] = relief_image(
        relief,
        width,
        spec.height - top,
        camera=view.camera,
        theme=theme,
        morph=view.morph,
        ratio=spec.scale,
        font=font_of(TEXT),
        names=(document.axes[0] or "x₁", document.axes[1] or "x₂"),
        limit=limit,
    )
    image = image_of(pixels[:top])
    image.fill(QColor(*theme.background))
    with painter_on(image) as painter:
        painter.scale(spec.scale, spec.scale)
        painter.setPen(QColor(*theme.ink))
        y, room = float(GAP), width / spec.scale - 2 * GAP
        for font, words in ((font_of(TITLE, bold=True), relief.title), (font_of(TEXT), shot.words)):
            metrics = QFontMetricsF(font)
            painter.setFont(font)
            line = metrics.elidedText(words, Qt.TextElideMode.ElideRight, room)
            painter.drawText(QRectF(GAP, y, room, metrics.height()), Qt.AlignmentFlag.AlignLeft, line)
            y += metrics.height()
    return pixels
