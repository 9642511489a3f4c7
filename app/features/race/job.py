"""Race: the same binary problem under several working-set rules at once, in short pieces between the lanes' work."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator

from app.engine.pieces import Step
from app.engine.pool import Later, Priority
from app.files import log
from app.state.points import Points

from .field import Field, line_up
from .requests import RaceFrame, RaceRequest

#: Seconds between two frames.
FRAME_INTERVAL = 0.04


class RaceWork:
    """The background half of the race; only its running job touches it, and there is one at a time.

    Parameters
    ----------
    post : callable
        ``post(frame)`` delivers a frame.
    """

    def __init__(self, post: Callable[[RaceFrame], None]) -> None:
        self._post = post
        self._field: Field | None = None
        self._posted = -math.inf
        self._making = 0.0  # seconds from the beginning of a round to its frame

    def forget(self) -> None:
        """Let go of the racers."""
        self._field = None

    def __call__(self, request: RaceRequest, overtaken: Callable[[], bool]) -> Generator[Step]:
        """The job of `request`; whatever goes wrong becomes a frame with a sentence; the next request starts anew."""
        sentence = ""
        try:
            yield from self._race(request, overtaken)
        except ValueError as error:  # sentences already
            sentence = str(error)
        except MemoryError:
            sentence = "There is not enough memory for a race on so many points."
        except Exception as error:
            log.caught("The race failed.")
            sentence = f"Stopped by an internal error ({type(error).__name__}: {error}). Restart tries again."
        if sentence:
            self._field = None
            number, race, mode, tol = request.number, request.race, request.mode, request.settings.tol
            self._post(RaceFrame(number, race, Points(), mode, tol, message=sentence))

    def _race(self, request: RaceRequest, overtaken: Callable[[], bool]) -> Generator[Step]:
        field = self._field
        if field is None or not field.continues(request):
            self._field = None  # two fields at once would need twice the memory
            field = self._field = yield from line_up(request)
            self._posted = -math.inf
        if not request.playing:
            field.cut_round_short()
        begun = time.perf_counter()
        while not field.over and (request.playing or not field.between_rounds):
            if field.between_rounds:
                pause = self._due_in() - self._making if math.isfinite(request.pace) else 0.0
                if pause > 0:
                    yield Later(pause, Priority.TRAINING)
                    if overtaken():
                        return
                begun = time.perf_counter()
                field.begin_round(request.pace)
            while not field.between_rounds:
                field.work()
                yield Priority.TRAINING
                if overtaken():
                    return
            if not request.playing or field.over:
                break
            if math.isfinite(request.pace):
                frame = yield from field.frame(request, False)
                self._making = time.perf_counter() - begun
                if self._due_in() > 0:
                    yield Later(self._due_in(), Priority.TRAINING)
                self._deliver(frame)
            elif self._due_in() <= 0:
                yield from self._show(field, request, full=False)
        yield from self._show(field, request, full=False)
        if not overtaken():
            yield from self._show(field, request, full=True)

    def _due_in(self) -> float:
        """Seconds until it is time for the next frame."""
        return self._posted + FRAME_INTERVAL - time.perf_counter()

    def _show(self, field: Field, request: RaceRequest, full: bool) -> Generator[Step]:
        frame = yield from field.frame(request, full)
        self._deliver(frame)

    def _deliver(self, frame: RaceFrame) -> None:
        self._posted = time.perf_counter()
        self._post(frame)
