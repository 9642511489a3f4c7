"""A watchdog: reports when the window's thread does not handle its events, and what it was doing."""

from __future__ import annotations

import faulthandler
import re
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

#: Interval between two beats of an idle window (s), and between two checks of them.
BEAT, LOOK = 0.005, 0.01


@dataclass(frozen=True)
class Stop:
    """A stop of the window's thread.

    Attributes
    ----------
    seconds : float
        Duration, without the time in which other processes had the processors.
    busy : float
        Processor time that the thread used meanwhile (s).
    where : str
        Innermost calls of the thread when the limit was exceeded.
    """

    seconds: float
    busy: float
    where: str


class Watchdog(QObject):
    """Watch the thread in which it was created, between ``start()`` and ``stop()``.

    Parameters
    ----------
    limit : float
        Longest time without a beat (s) that is not a stop.
    """

    def __init__(self, limit: float) -> None:
        super().__init__()
        self.limit = limit
        self.stops: list[Stop] = []
        #: The longest time between two beats.
        self.longest = 0.0
        self._watched = threading.get_ident()
        self._schedule = Path(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._last = self._now()
        self._where = ""
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="watchdog", daemon=True)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._beat)

    @property
    def watches(self) -> bool:
        """Whether a stop in progress has been found."""
        return bool(self._where)

    def start(self) -> None:
        self._last = self._now()
        self._timer.start(round(1000 * BEAT))
        self._thread.start()

    def stop(self) -> None:
        self._beat()
        self._timer.stop()
        self._over.set()
        self._thread.join()

    def _beat(self) -> None:
        now = self._now()
        seconds, busy = (new - old for new, old in zip(now, self._last, strict=True))
        self.longest = max(self.longest, seconds)
        if seconds > self.limit:
            self.stops.append(Stop(seconds, busy, self._where))
        self._last, self._where = now, ""

    def _now(self) -> tuple[float, float]:
        """Return the time that has passed for the watched thread (s), and its processor time."""
        try:
            busy, queued, _ = self._schedule.read_text().split()
        except OSError:  # not Linux: all time counts
            return time.perf_counter(), time.thread_time()
        return time.clock_gettime(time.CLOCK_MONOTONIC) - 1e-9 * int(queued), 1e-9 * int(busy)

    def _watch(self) -> None:
        """Note where the thread is when the limit is exceeded.

        The location is kept as text: a reference to a frame keeps the painter of a `paintEvent` and the wrappers of
        Qt's objects alive after their end, and drops them in this thread.
        """
        with tempfile.TemporaryFile() as file:
            while not self._over.wait(LOOK):
                if not self._where and self._now()[0] - self._last[0] > self.limit:
                    file.seek(0)
                    file.truncate()
                    faulthandler.dump_traceback(file)
                    file.seek(0)
                    threads = file.read().decode(errors="replace").split("\n\n")
                    calls = next((each for each in threads if f"{self._watched:#018x}" in each.partition("\n")[0]), "")
                    self._where = " < ".join(
                        f"{name}:{line}" for line, name in re.findall(r", line (\d+) in (.+)", calls)[:8]
                    )
