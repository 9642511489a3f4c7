"""PictureMaker: make a picture for a file or the clipboard; a background task compresses and writes it."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QSize, Qt
from PySide6.QtGui import QFontInfo, QGuiApplication, QImage, QPaintDevice

from app.engine.scheduler import Scheduler
from app.files import png
from app.files.background_task import Progress, saving
from app.views.plot.picture import image_of
from app.views.theme import text_font
from app.views.widgets.painting import painter_on, svg_bytes

from . import tikz
from .flow import Flow, PictureFlow
from .layout import TEXT, PictureSpec, Sheet, Shot

#: Length (characters) between that of a single pixel's PNG in an SVG file, which is less, and any other's, which is
#: more.
STAND_IN = 400
_FONT = re.compile(rb'font-family="[^"]*"')
_SURFACE = re.compile(rb'xlink:href="data:image/png;base64,([^"]*)"')


class PictureMaker(PictureFlow):
    """Make one picture at a time.

    Parameters
    ----------
    scheduler : Scheduler
    say, alert : callable
        ``say(sentence)`` reports the progress, ``alert(sentence)`` what must not be overlooked.
    parent : QObject
    """

    def __init__(
        self, scheduler: Scheduler, say: Callable[[str], None], alert: Callable[[str], None], parent: QObject
    ) -> None:
        super().__init__(scheduler, "The picture was not made", parent)
        self._say, self._alert = say, alert

    def make(self, shot: Shot, spec: PictureSpec, path: Path | None) -> bool:
        """Begin the picture `spec` of `shot`, for the file `path` or, if None, for the clipboard.

        The suffix chooses the format: .svg (vector), .tex (LaTeX), else PNG.

        Return False, and report why, while the previous picture is unfinished.
        """
        if self.busy:
            self._say("The last picture is still being made.")
            return False
        self.begin(self._picture(shot, spec, path))
        return self.busy

    def report(self, sentence: str) -> None:
        self._say("")
        self._alert(sentence)

    def _picture(self, shot: Shot, spec: PictureSpec, path: Path | None) -> Flow:
        sheet = self.sheet = Sheet(shot, spec)
        self._say("Making the picture…")
        surfaces = yield from self.show_surfaces(sheet)
        if path is not None and path.suffix.lower() == ".svg":
            data, pictures = draw_svg(sheet), [surface.argb for surface in surfaces if surface is not None]
            self._write(path, lambda progress: _with_surfaces(data, pictures, progress))
            return
        if path is not None and path.suffix.lower() == ".tex":
            text, names = tikz.drawing(sheet, path)
            shown = [surface for surface in surfaces if surface is not None]
            self._write(path, lambda progress: tikz.write(path, text, names, shown, progress))
            return
        pixels = yield from self.painted(sheet)
        if path is not None:
            self._write(path, lambda progress: png.encode(pixels, round(spec.dpi / 0.0254), progress))
            return
        QGuiApplication.clipboard().setImage(image_of(pixels).copy())
        self._finish("The picture is in the clipboard.")

    def _write(self, path: Path, encode: Callable[[Progress], bytes]) -> None:
        self.drop_sheet()
        self.tasks.run(saving(path, encode, self.failure, kept=False), self._finish, self.fail)

    def _finish(self, sentence: str) -> None:
        self.end()
        self._say(sentence)


def draw_svg(sheet: Sheet) -> bytes:
    """Return the sheet as SVG: text as text, lines and symbols as shapes, and a pixel in place of each surface.

    A program that lacks this machine's font uses any sans-serif one.
    """
    spec = sheet.spec
    pixel = QImage(1, 1, QImage.Format.Format_RGB32)
    pixel.fill(Qt.GlobalColor.white)
    for plot in sheet.plots:
        plot.canvas.layers.stand_in = None if plot.model_frame is None else pixel

    def paint(device: QPaintDevice) -> None:
        with painter_on(device) as painter:
            sheet.paint(painter)

    size = QSize(round(spec.width / spec.scale), round(spec.height / spec.scale))
    words = "\n".join(f"{plot.title}: {plot.headline}" for plot in sheet.plots)
    data = svg_bytes(size, "Classifier Playground", paint, description=words)
    family = f'font-family="{escape(QFontInfo(text_font(TEXT)).family())}, sans-serif"'.encode()
    return _FONT.sub(lambda found: family, data)


def _with_surfaces(svg: bytes, surfaces: list[NDArray[np.uint32]], progress: Progress) -> bytes:
    """Return `svg` with its stand-ins replaced by the surfaces, in order."""
    left = iter(surfaces)

    def embedded(found: re.Match[bytes]) -> bytes:
        # (A cloud of very many points is embedded as an image as well, but is no single pixel.)
        surface = next(left, None) if len(found.group(1)) < STAND_IN else None
        if surface is None:
            return found.group(0)
        return b'xlink:href="data:image/png;base64,' + base64.b64encode(png.encode(surface, 0, progress)) + b'"'

    return _SURFACE.sub(embedded, svg)
