"""PictureMaker: has a picture computed, painted, written: none of it holds the window up.

Surfaces come from the compute pool; painting goes strip by strip between the window's own events; compressing and
writing are a background task.
"""

from __future__ import annotations

import base64
import itertools
import re
import time
from collections.abc import Callable
from contextlib import suppress
from html import escape
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QObject, QRect, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QFontInfo, QGuiApplication, QImage
from PySide6.QtSvg import QSvgGenerator

from app.core import log
from app.engine.requests import Picture
from app.engine.scheduler import Scheduler
from app.files import documents, png
from app.files.background_task import Progress, Task
from app.views.task_runner import TaskRunner
from app.views.widgets.later import later
from app.views.widgets.painting import painter_on

from .layout import TEXT, PictureSpec, Sheet, Shot, font_of

#: Device pixels painted at a time.
STRIP_PIXELS = 300_000
#: Seconds of painting after which the window gets its turn.
TURN = 0.008
#: More letters than the PNG of a single pixel has in an SVG file, fewer than any other's.
STAND_IN = 400
_FONT = re.compile(rb'font-family="[^"]*"')
_SURFACE = re.compile(rb'xlink:href="data:image/png;base64,([^"]*)"')


class PictureMaker(QObject):
    """Makes one picture at a time.

    Parameters
    ----------
    scheduler : Scheduler
    say, alert : callable
        ``say(sentence)`` tells how it went, ``alert(sentence)`` what must not be overlooked.
    parent : QObject
    """

    #: Number of the picture, which lane's surface, and the surface or a sentence.
    _computed = Signal(int, int, object)

    def __init__(
        self, scheduler: Scheduler, say: Callable[[str], None], alert: Callable[[str], None], parent: QObject
    ) -> None:
        super().__init__(parent)
        self._scheduler, self._say, self._alert = scheduler, say, alert
        self._numbers = itertools.count(1)
        self._wanted = 0  # the number being made; 0 for none
        self._sheet: Sheet | None = None
        self._path: Path | None = None
        self._surfaces: list[Picture | None] = []
        self._missing = 0
        self._pixels: NDArray[np.uint32] = np.empty((0, 0), dtype=np.uint32)
        self._next_row = 0
        self._tasks = TaskRunner(self)
        self._computed.connect(self._take_surface, Qt.ConnectionType.QueuedConnection)
        self._painting = QTimer(self, interval=0)
        self._painting.timeout.connect(self._paint_on)

    @property
    def busy(self) -> bool:
        """True while a picture is being made."""
        return self._wanted != 0

    def make(self, shot: Shot, spec: PictureSpec, path: Path | None) -> bool:
        """Begin the picture `spec` of `shot`, for the file `path` (.svg: shapes, else PNG) or, for None, the clipboard.

        False, with a sentence, when the last one is not finished.
        """
        if self._wanted:
            self._say("The last picture is still being made.")
            return False
        number = self._wanted = next(self._numbers)
        self._path = path
        try:
            self._sheet = Sheet(shot, spec)
        except Exception as error:
            self._fail(_reason(error))
            return False
        self._surfaces = [None] * len(self._sheet.plots)
        self._missing = sum(plot.model_frame is not None for plot in self._sheet.plots)
        self._say("Making the picture…")
        shades = self._sheet.theme.shades
        for index, plot in enumerate(self._sheet.plots):
            if plot.model_frame is None:
                continue

            def done(answer: Picture | str, index: int = index) -> None:
                with suppress(RuntimeError):  # the window has gone meanwhile
                    self._computed.emit(number, index, answer)

            self._scheduler.enlarge(plot.model_frame, plot.grid, shades, done, lambda: self._wanted != number)
        if not self._missing:
            later(self, self._begin_painting)
        return True

    def close(self) -> None:
        """Give up what is being made; a writing thread ends soon."""
        self._wanted = 0
        self._painting.stop()
        self._drop_sheet()
        self._tasks.close(patience=2.0)

    # -- computing -------------------------------------------------------------------------------------------------

    @Slot(int, int, object)
    def _take_surface(self, number: int, index: int, answer: Picture | str) -> None:
        if number != self._wanted:
            return
        if isinstance(answer, str):
            self._fail(answer)
            return
        self._surfaces[index] = answer
        self._missing -= 1
        if not self._missing:
            self._begin_painting()

    # -- painting --------------------------------------------------------------------------------------------------

    @Slot()
    def _begin_painting(self) -> None:
        try:
            self._begin()
        except Exception as error:
            self._fail(_reason(error))

    def _begin(self) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        spec = sheet.spec
        sheet.show(self._surfaces)
        if self._path is not None and self._path.suffix.lower() == ".svg":
            data = draw_svg(sheet)
            surfaces = [surface.argb for surface in self._surfaces if surface is not None]
            self._write(lambda progress: _with_surfaces(data, surfaces, progress))
            return
        self._pixels = np.empty((spec.height, spec.width), dtype=np.uint32)
        self._next_row = 0
        self._painting.start()

    @Slot()
    def _paint_on(self) -> None:
        try:
            self._paint_strips()
        except Exception as error:
            self._fail(_reason(error))

    def _paint_strips(self) -> None:
        """Paint for a moment; go on after the window's other events."""
        begun = time.perf_counter()
        sheet = self._sheet
        if sheet is None or not self._wanted:
            self._painting.stop()
            return
        while self._next_row < sheet.spec.height:
            self._next_row = paint_strip(sheet, self._pixels, self._next_row)
            if time.perf_counter() - begun > TURN:
                return
        self._painting.stop()
        pixels, dpi = self._pixels, sheet.spec.dpi
        if self._path is None:
            height, width = pixels.shape
            image = QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGB32)
            QGuiApplication.clipboard().setImage(image.copy())
            self._finish("The picture is in the clipboard.")
        else:
            self._write(lambda progress: png.encode(pixels, round(dpi / 0.0254), progress))

    # -- writing ---------------------------------------------------------------------------------------------------

    def _write(self, encode: Callable[[Progress], bytes]) -> None:
        path = self._path
        assert path is not None
        self._drop_sheet()

        def work(progress: Progress) -> str:
            data = encode(progress)
            progress.commit()
            documents.write_bytes(data, path)
            return f"Saved {path.name}."

        task = Task(f"Saving {path.name}", work, "The picture was not made", kept=False)
        self._tasks.run(task, self._finish, lambda error: self._fail(str(error)))

    def _finish(self, sentence: str) -> None:
        self._end()
        self._say(sentence)

    def _fail(self, sentence: str) -> None:
        self._end()
        self._say("")
        self._alert(sentence)

    def _end(self) -> None:
        self._wanted = 0
        self._painting.stop()
        self._pixels = np.empty((0, 0), dtype=np.uint32)
        self._surfaces = []
        self._drop_sheet()

    def _drop_sheet(self) -> None:
        if self._sheet is not None:
            self._sheet.close()
            self._sheet = None


def _reason(error: Exception) -> str:
    log.caught("The picture was not made.", error)
    if isinstance(error, MemoryError):
        return "The picture was not made: there is not enough memory for one of this size."
    return f"The picture was not made ({type(error).__name__}: {error})."


def paint_strip(sheet: Sheet, pixels: NDArray[np.uint32], row: int) -> int:
    """Paint the strip of `sheet` that begins at `row` of its pixels; returns where the next one begins."""
    spec, step = sheet.spec, sheet.step
    # A whole number of units, which is a whole number of pixels: so nothing in the strip is shifted by a fraction.
    units = max(1, round(STRIP_PIXELS / spec.width / spec.scale / step)) * step
    end = min(row + round(units * spec.scale), spec.height)
    strip = pixels[row:end]
    image = QImage(strip.data, spec.width, end - row, 4 * spec.width, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(spec.scale)
    with painter_on(image) as painter:
        painter.translate(0, -row / spec.scale)
        sheet.paint(painter)
    return end


def draw_svg(sheet: Sheet) -> bytes:
    """The sheet as SVG: text as text, lines and symbols as shapes, a single pixel in place of each surface.

    A program without the font of this machine takes any without serifs.
    """
    spec = sheet.spec
    images = []
    for plot in sheet.plots:
        image = QImage(1, 1, QImage.Format.Format_RGB32)
        image.fill(Qt.GlobalColor.white)
        images.append(image if plot.model_frame is not None else None)
    sheet.stand_in(images)
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator(QSvgGenerator.SvgVersion.Svg11)  # the older version knows no clipping
    generator.setOutputDevice(buffer)
    size = QSize(round(spec.width / spec.scale), round(spec.height / spec.scale))
    generator.setResolution(96)
    generator.setSize(size)
    generator.setViewBox(QRect(0, 0, size.width(), size.height()))
    generator.setTitle("Classifier Playground")
    generator.setDescription("\n".join(f"{plot.title}: {plot.headline}" for plot in sheet.plots))
    with painter_on(generator) as painter:
        sheet.paint(painter)
    family = f'font-family="{escape(QFontInfo(font_of(TEXT)).family())}, sans-serif"'.encode()
    return _FONT.sub(lambda found: family, bytes(data.data()))


def _with_surfaces(svg: bytes, surfaces: list[NDArray[np.uint32]], progress: Progress) -> bytes:
    """`svg` with the surfaces in the places of their stand-ins, one after the other."""
    left = iter(surfaces)

    def embedded(found: re.Match[bytes]) -> bytes:
        # (A picture of very many points is embedded, too, but is no single pixel.)
        surface = next(left, None) if len(found.group(1)) < STAND_IN else None
        if surface is None:
            return found.group(0)
        return b'xlink:href="data:image/png;base64,' + base64.b64encode(png.encode(surface, 0, progress)) + b'"'

    return _SURFACE.sub(embedded, svg)
