"""Worker: a process that computes paths of a study at the lowest priority and tells the results in lines of JSON.

It reads lines from its standard input and ends with it, so that it never outlives the window.  Nothing is pickled.
"""

from __future__ import annotations

import os
import queue
import signal
import sys
import threading
import time
from typing import BinaryIO

import msgspec
import numpy as np

from .cells import Places
from .computing import Given, Record
from .model import Study

#: Seconds between two lines of results.
EVERY = 0.05


class Work(msgspec.Struct, frozen=True):
    """A path, and where it stands in the study's order."""

    number: int
    cells: tuple[Places, ...]
    repetition: int
    fold: int


class Points(msgspec.Struct, frozen=True):
    """Given points, as little-endian bytes: places as doubles, classes as whole numbers."""

    xy: bytes
    labels: bytes
    test_xy: bytes
    test_labels: bytes

    @staticmethod
    def of(given: Given) -> Points:
        """To be sent."""
        xy, test_xy = (np.ascontiguousarray(each, dtype="<f8").tobytes() for each in (given.xy, given.test_xy))
        labels, test = (np.ascontiguousarray(each, dtype="<i8").tobytes() for each in (given.labels, given.test_labels))
        return Points(xy, labels, test_xy, test)

    def given(self) -> Given:
        """As they are computed with."""
        xy, test_xy = (np.frombuffer(each, dtype="<f8").reshape(-1, 2) for each in (self.xy, self.test_xy))
        labels, test = (np.frombuffer(each, dtype="<i8") for each in (self.labels, self.test_labels))
        return Given(xy, labels, test_xy, test)


class Order(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line to the worker: the study first, then paths, and whether to go on."""

    study: Study | None = None
    points: Points | None = None
    paths: tuple[Work, ...] = ()
    go: bool | None = None


class Answer(msgspec.Struct, frozen=True, omit_defaults=True):
    """A line from the worker, the first when it has begun; `done` after the last result of what was ordered."""

    records: tuple[Record, ...] = ()
    done: bool = False


class _Inbox:
    """What the thread that reads hands over."""

    def __init__(self) -> None:
        self.orders: queue.SimpleQueue[Order] = queue.SimpleQueue()
        self.go = threading.Event()
        self.go.set()

    def read(self, source: BinaryIO) -> None:
        decoder = msgspec.json.Decoder(Order)
        for line in source:
            order = decoder.decode(line)
            if order.go is None:
                self.orders.put(order)
            elif order.go:
                self.go.set()
            else:
                self.go.clear()
        os._exit(0)  # the window is gone, or wants no more


def main(niceness: int) -> None:
    """Compute what is ordered until nobody orders any more, behind other processes by so much."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is for the window to say what happens then
    if hasattr(os, "nice"):
        os.nice(niceness)
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever libraries may print
    inbox = _Inbox()
    threading.Thread(target=inbox.read, args=(sys.stdin.buffer,), daemon=True).start()
    from .cells import Path
    from .computing import compute

    first = inbox.orders.get()
    _tell(out, Answer())  # it has begun
    study, given = first.study, None if first.points is None else first.points.given()
    assert study is not None
    while True:
        order = inbox.orders.get()
        found: list[Record] = []
        told = time.monotonic()
        for work in order.paths:
            for record in compute(study, Path(work.number, work.cells, work.repetition, work.fold), given):
                found.append(record)
                if time.monotonic() - told > EVERY or not inbox.go.is_set():
                    _tell(out, Answer(tuple(found)))
                    found, told = [], time.monotonic()
                inbox.go.wait()
        _tell(out, Answer(tuple(found), True))


def _tell(out: BinaryIO, answer: Answer) -> None:
    out.write(msgspec.json.encode(answer) + b"\n")
    out.flush()


if __name__ == "__main__":
    main(int(sys.argv[1]))
