"""Background: work that would hold the window up, on a thread of its own; of several requests the newest counts."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot

from app.files import log
from app.files.documents import FileError

Work = Callable[[], Any]


class _Desk:
    """What the two threads share."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.request: tuple[int, Work] | None = None
        self.working = False
        self.closed = False

    def close(self) -> None:
        with self.lock:
            self.closed = True
            self.request = None


class Background(QObject):
    """Runs requests one after another; answers arrive in the thread of this object.

    Parameters
    ----------
    answered : callable
        Given what the newest request returned, or the FileError it raised.
    parent : QObject
        With it, this ends; an answer that comes later is forgotten.
    """

    _finished = Signal(int, object)

    def __init__(self, answered: Callable[[Any], None], parent: QObject) -> None:
        super().__init__(parent)
        self._answered = answered
        self._number = 0
        self._desk = desk = _Desk()
        self._finished.connect(self._deliver, Qt.ConnectionType.QueuedConnection)
        # Also when the parent is taken down without being closed: no answer may reach an object that is gone.
        self.destroyed.connect(desk.close)

    def ask(self, work: Work) -> None:
        """Run `work` soon, in place of any request that has not begun."""
        self._number += 1
        with self._desk.lock:
            self._desk.request = self._number, work
            if self._desk.working:
                return
            self._desk.working = True
        threading.Thread(target=self._run, name="background", daemon=True).start()

    def close(self) -> None:
        """Answer no more."""
        self._desk.close()

    def _run(self) -> None:
        desk, finished = self._desk, self._finished
        while True:
            with desk.lock:
                request, desk.request = desk.request, None
                if request is None or desk.closed:
                    desk.working = False
                    return
            number, work = request
            try:
                answer = work()
            except FileError as error:
                answer = error
            except MemoryError:
                answer = FileError("There is not enough memory for this file.")
            except Exception as error:  # a fault of the program: without an answer it would be waited for for ever
                log.caught("A file could not be read.")
                answer = FileError(f"This file could not be read ({type(error).__name__}: {error}).")
            with desk.lock:
                if not desk.closed:
                    finished.emit(number, answer)
            del request, work, answer  # they may be large, and the next request may be long in coming

    @Slot(int, object)
    def _deliver(self, number: int, answer: Any) -> None:
        if number == self._number and not self._desk.closed:
            self._answered(answer)
