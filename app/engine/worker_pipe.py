"""Worker pipe: the messages between this program and a second process of it, and the loop of that process.

Messages on standard input and output are pickles; both ends are this program, and nothing else is unpickled.  What a
library prints goes to standard error.  An answer brings the log messages of its process with it.
"""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Callable
from typing import IO, Any

from app.core import log


class RefusedError(Exception):
    """A request cannot be answered, for a reason that is no fault: the end of a sentence."""


class _Notes(logging.Handler):
    """Keep log messages for the process that has the log."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.texts.append(self.format(record))


def write(pipe: IO[bytes], message: object) -> None:
    """Write a message to `pipe`."""
    pipe.write(pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL))
    pipe.flush()


def read(pipe: IO[bytes]) -> Any:
    """Return the next message; raise EOFError if the other process has ended."""
    try:
        return pickle.load(pipe)
    except pickle.UnpicklingError:  # it was killed within a message
        raise EOFError from None


def serve(answer: Callable[[Any], Any]) -> None:
    """Write ``answer(request)`` for each request, one after the other, until the program ends."""
    for number in {signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)}:  # the program decides what happens then
        signal.signal(number, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdin = open(os.devnull)  # noqa: SIM115 - for as long as the process lives
    log.LOGGER.addHandler(notes := _Notes())
    while True:
        try:
            request = read(requests)
        except EOFError:
            return
        try:
            found: tuple[bool, Any] = (True, answer(request))
        except RefusedError as error:
            found = (False, str(error))
        except BaseException as error:  # a library may raise anything: the program reports it
            log.caught("A request failed in its process.", error)
            found = (False, f"{type(error).__name__}: {error}")
        write(answers, (*found, notes.texts))
        notes.texts = []
