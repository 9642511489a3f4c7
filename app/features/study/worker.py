"""Worker: the program of a process that computes paths of a study at the lowest priority."""

from __future__ import annotations

import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain

from app.core import log
from app.engine.worker_pipe import serve

from .cells import Path
from .computing import Given, Record, compute
from .model import Study

#: Interval (s) between two answers with results.
EVERY = 0.05
#: A study, its given points, and the largest time (s) for a cell.
Work = tuple[Study, Given | None, float]
#: Results since the last answer, whether these were the last of the paths, and texts for the log.
Answer = tuple[list[Record], bool, list[str]]


class _Notes(logging.Handler):
    """Keep log messages for the process that has the log."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


class StudyWorker:
    """Answer ``(work, paths)`` with results of the paths, and ``(None, ())`` with further ones.

    The `work` comes with the first request.
    """

    def __init__(self) -> None:
        self._notes = _Notes()
        self._work: Work
        self._records: Iterator[Record] = iter(())
        log.LOGGER.addHandler(self._notes)

    def answer(self, request: tuple[Work | None, Sequence[Path]]) -> Answer:
        """Carry out a request."""
        work, paths = request
        self._work = work or self._work
        if paths:
            study, given, limit = self._work
            self._records = chain.from_iterable(compute(study, path, given, limit) for path in paths)
        begun, found, over = time.monotonic(), list[Record](), True
        for record in self._records:
            found.append(record)
            if time.monotonic() - begun > EVERY:
                over = False
                break
        texts, self._notes.texts = self._notes.texts, []
        return found, over, texts


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    serve(StudyWorker().answer)
