"""Worker: a process that computes paths of a study at the lowest priority and returns the results as lines of JSON.

It reads orders from its standard input and ends with it, so it never outlives the window.  Nothing is pickled.
"""

from __future__ import annotations

import itertools
import logging
import os
import queue
import signal
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from typing import BinaryIO

import msgspec

from app.core import log

from .cells import CellIndex, Path
from .computing import Given, PointLists, Record, Watch, compute
from .model import Study

#: Interval (s) between two lines of results.
EVERY = 0.05


class WorkerOrder(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line to the worker: paths to compute, or whether to go on or to pause.

    The first line has the study, and may have a time limit (s) for each cell.
    """

    study: Study | None = None
    points: PointLists | None = None
    paths: tuple[Path, ...] = ()
    go: bool | None = None
    limit: float | None = None


class WorkerAnswer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line from the worker; `done` after the last result of an order, and when the worker has started.

    A `note` is for the log.  Under a time limit, the part of a path that is `begun` comes before its results.
    """

    records: tuple[Record, ...] = ()
    done: bool = False
    note: str = ""
    begun: Path | None = None


class _Forward(logging.Handler):
    """Send log messages to the process that has the log."""

    def __init__(self, out: BinaryIO) -> None:
        super().__init__()
        self._out = out

    def emit(self, record: logging.LogRecord) -> None:
        _send(self._out, WorkerAnswer(note=self.format(record)))


def _read(source: BinaryIO, orders: queue.SimpleQueue[WorkerOrder], go: threading.Event) -> None:
    """Pass orders on; on a thread of its own, so that no pipe is ever full."""
    decoder = msgspec.json.Decoder(WorkerOrder)
    for line in source:
        order = decoder.decode(line)
        if order.go is None:
            orders.put(order)
        else:
            (go.set if order.go else go.clear)()
    os._exit(0)  # the window is closed, or needs nothing more


def main(niceness: int) -> None:
    """Compute orders until the input ends, at this niceness."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the window decides what happens then
    if hasattr(os, "nice"):
        os.nice(niceness)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # libraries may print anything
    orders: queue.SimpleQueue[WorkerOrder] = queue.SimpleQueue()
    go = threading.Event()
    go.set()
    threading.Thread(target=_read, args=(sys.stdin.buffer, orders, go), daemon=True).start()
    log.LOGGER.addHandler(_Forward(out))
    order = orders.get()
    assert order.study is not None
    study, limit, given = order.study, order.limit, None if order.points is None else Given.of_lists(order.points)
    found: list[Record] = []

    def records(path: Path) -> Iterator[Record]:
        def begun(cells: Sequence[CellIndex]) -> None:
            _send(out, WorkerAnswer(tuple(found), begun=msgspec.structs.replace(path, cells=tuple(cells))))
            found.clear()

        return compute(study, path, given, Watch() if limit is None else Watch(limit, begun))

    while True:
        sent = time.monotonic()
        for record in itertools.chain.from_iterable(map(records, order.paths)):
            found.append(record)
            if time.monotonic() - sent > EVERY or not go.is_set():
                _send(out, WorkerAnswer(tuple(found)))
                found.clear()
                sent = time.monotonic()
            go.wait()
        _send(out, WorkerAnswer(tuple(found), True))
        found.clear()
        order = orders.get()


def _send(out: BinaryIO, answer: WorkerAnswer) -> None:
    try:
        out.write(msgspec.json.encode(answer) + b"\n")
        out.flush()
    except OSError:
        os._exit(0)  # the reader is gone; an ordinary exit would wait for the lock of the reading thread


if __name__ == "__main__":
    main(int(sys.argv[1]))
