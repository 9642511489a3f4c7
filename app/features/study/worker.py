"""Worker: compute paths of a study, in answers of short duration; and the program of a process that does."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator, Sequence
from itertools import chain

from app.engine.worker_pipe import serve

from .cells import Path
from .computing import Given, Record, compute
from .model import Study

#: Interval (s) between two answers with results.
EVERY = 0.05
#: A study, its given points, and the largest time (s) for a cell.
Work = tuple[Study, Given | None, float]
#: Results since the last answer, and whether these were the last of the paths.
Answer = tuple[list[Record], bool]


class StudyWorker:
    """Answer ``(work, paths)`` with results of the paths, and ``(None, ())`` with further ones.

    The `work` comes with the first request.
    """

    def __init__(self) -> None:
        self._work: Work
        self._records: Iterator[Record] = iter(())

    def answer(self, request: tuple[Work | None, Sequence[Path]]) -> Answer:
        """Carry out a request."""
        work, paths = request
        self._work = work or self._work
        if paths:
            study, given, limit = self._work
            self._records = chain.from_iterable(compute(study, path, given, limit) for path in paths)
        begun, found = time.monotonic(), list[Record]()
        for record in self._records:
            found.append(record)
            if time.monotonic() - begun > EVERY:
                return found, False
        return found, True


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(int(sys.argv[1]))
    serve(StudyWorker().answer)
