"""PictureFlow: compute and paint pictures piece by piece, so that the window stays responsive.

The work is a generator that runs in the window's thread.  It yields where it waits for the background or gives the
window its turn; the answer is sent to it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial
from types import GeneratorType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.core import log
from app.engine.frames import Frame, Picture
from app.engine.scheduler import Scheduler
from app.files.documents import FileError
from app.views.plot.picture import image_of
from app.views.task_runner import TaskRunner
from app.views.widgets.deferred import later
from app.views.widgets.painting import painter_on
from solver import Grid

from .layout import Sheet

#: Device pixels painted at a time.
STRIP_PIXELS = 300_000
#: Painting time (s) after which the window gets its turn.
TURN = 0.008
#: The work between two answers of the background; each answer is sent to it.
Flow = Generator[None, Any, Any]


class PictureFlow(QObject):
    """Run one flow at a time.

    Parameters
    ----------
    scheduler : Scheduler
    failure : str
        Beginning of the sentence about a failure: "The film was not made".
    parent : QObject, optional
    """

    _came = Signal(int, object)

    def __init__(self, scheduler: Scheduler, failure: str, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.scheduler = scheduler
        self.tasks = TaskRunner(self)
        self.sheet: Sheet | None = None
        self.failure = failure
        self._numbers = itertools.count(1)
        self._awaited = 0
        self._flow: Flow | None = None
        self._surfaces: dict[tuple[Frame, Grid], Picture] = {}
        self._came.connect(self._take, Qt.ConnectionType.QueuedConnection)

    @property
    def busy(self) -> bool:
        """Whether something is being made."""
        return self._flow is not None

    def cancel(self) -> bool:
        """Cancel what is being made, without a trace; return False if it is already being written."""
        if not self.tasks.cancel_all():
            return False
        self.end()
        return True

    def close(self) -> None:
        """Cancel what is being made, and wait for what cannot be cancelled."""
        self.cancel()
        self.end()
        self.tasks.close(patience=5.0)

    # -- running a flow --------------------------------------------------------------------------------------------

    def begin(self, flow: Flow) -> None:
        """Start a flow, in place of the previous one."""
        self.cancel()
        self.end()
        self._flow = flow
        self._take(self._awaited, None)

    def end(self) -> None:
        """Stop the flow, and release what it used."""
        flow, self._flow, self._awaited = self._flow, None, 0
        if flow is not None and not cast("GeneratorType[None, Any, Any]", flow).gi_running:
            flow.close()
        self._surfaces = {}
        self.drop_sheet()

    def fail(self, error: Exception) -> None:
        """Stop the flow because of an error, and report it."""
        self.tasks.cancel_all()
        self.end()
        self.report(self.sentence(error))

    def report(self, sentence: str) -> None:
        """Report to the user why nothing was made."""
        raise NotImplementedError

    def sentence(self, error: Exception) -> str:
        """Return the sentence about an error; errors of the program itself are logged."""
        if isinstance(error, FileError):
            return str(error)
        log.caught(f"{self.failure}.", error)
        if isinstance(error, MemoryError):
            return f"{self.failure}: there is not enough memory for one of this size."
        return f"{self.failure} ({type(error).__name__}: {error})."

    def drop_sheet(self) -> None:
        """Release the sheet."""
        if self.sheet is not None:
            with suppress(RuntimeError):  # the window has been closed in the meantime
                self.sheet.close()
            self.sheet = None

    def wait_for(self, begin: Callable[[Callable[[Any], None]], object]) -> Flow:
        """Return the value that ``begin(done)`` passes to `done` from any thread; raise it if it is an exception."""
        number = self._awaited = next(self._numbers)

        def done(answer: Any) -> None:
            with suppress(RuntimeError):  # the window has been closed in the meantime
                self._came.emit(number, answer)

        begin(done)
        return (yield)

    def turn(self) -> Flow:
        """Give the window its turn."""
        yield from self.wait_for(lambda done: later(self, lambda: done(None)))

    @Slot(int, object)
    def _take(self, number: int, answer: Any) -> None:
        """Continue with the answer that the flow waits for."""
        if number != self._awaited or self._flow is None:
            return
        try:
            if isinstance(answer, Exception):
                self._flow.throw(answer)
            else:
                self._flow.send(answer)
        except StopIteration:  # a task does the rest
            pass
        except Exception as error:
            self.fail(error)

    # -- a picture -------------------------------------------------------------------------------------------------

    def show_surfaces(self, sheet: Sheet) -> Flow:
        """Compute the surfaces of a sheet's plots in parallel, show them, and return them in the order of the plots.

        Those of the previous sheet are reused.
        """
        keys = [None if plot.model_frame is None else (plot.model_frame, plot.grid) for plot in sheet.plots]
        wanted = {key for key in keys if key is not None}
        found: dict[tuple[Frame, Grid], Any] = {key: self._surfaces[key] for key in wanted & self._surfaces.keys()}
        missing = wanted - found.keys()

        def begin(done: Callable[[Any], None]) -> None:
            mine = self._awaited

            def take(key: tuple[Frame, Grid], answer: Picture | str) -> None:
                found[key] = answer
                if len(found) == len(wanted):
                    done(None)

            for key in missing:
                self.scheduler.enlarge(*key, sheet.theme.shades, partial(take, key), lambda: self._awaited != mine)

        if missing:
            yield from self.wait_for(begin)
        for answer in found.values():
            if isinstance(answer, str):
                raise FileError(answer)
        self._surfaces = found
        surfaces = [None if key is None else found[key] for key in keys]
        yield from self.turn()
        sheet.show(surfaces)
        return surfaces

    def painted(self, sheet: Sheet) -> Flow:
        """Return the pixels of a sheet, 0xffrrggbb of shape (height, width)."""
        spec = sheet.spec
        pixels: NDArray[np.uint32] = np.empty((spec.height, spec.width), dtype=np.uint32)
        row, begun = 0, time.perf_counter()
        while row < spec.height:
            row = paint_strip(sheet, pixels, row)
            if time.perf_counter() - begun > TURN:
                yield from self.turn()
                begun = time.perf_counter()
        return pixels


def paint_strip(sheet: Sheet, pixels: NDArray[np.uint32], row: int) -> int:
    """Paint the strip of `sheet` that begins at `row` of its pixels; return the row of the next strip."""
    spec, step = sheet.spec, sheet.step
    # A whole number of units that is a whole number of pixels: nothing in the strip is shifted by a fraction of a
    # pixel.
    units = max(1, round(STRIP_PIXELS / spec.width / spec.scale / step)) * step
    end = min(row + round(units * spec.scale), spec.height)
    image = image_of(pixels[row:end])
    image.setDevicePixelRatio(spec.scale)
    with painter_on(image) as painter:
        painter.translate(0, -row / spec.scale)
        sheet.paint(painter)
    return end
