"""Worker pipe: the messages between this program and a second process of it, and the loop of that process.

Messages on standard input and output are pickles, each after its length; both ends are this program, and nothing else
is unpickled.  What a library prints goes to standard error.
"""

from __future__ import annotations

import os
import pickle
import signal
import struct
import sys
import traceback
import warnings
from collections.abc import Callable
from typing import IO, Any

HEAD = struct.Struct("<Q")


class RefusedError(Exception):
    """A request cannot be answered, for a reason that is no fault: the end of a sentence."""


def write(pipe: IO[bytes], message: object) -> None:
    """Write a message to `pipe`."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    pipe.write(HEAD.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def read(pipe: IO[bytes]) -> Any:
    """Return the next message; raise EOFError if the other process has ended."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    length = HEAD.unpack(head)[0]
    data = pipe.read(length)
    if len(data) < length:  # the other process was killed within a message
        raise EOFError
    return pickle.loads(data)


def serve(answer: Callable[[Any], Any]) -> None:
    """Write ``answer(request)`` for each request, one after the other, until the program ends."""
    for number in {signal.SIGINT, getattr(signal, "SIGHUP", signal.SIGINT)}:  # the program decides what happens then
        signal.signal(number, signal.SIG_IGN)
    warnings.simplefilter("ignore")
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdin = open(os.devnull)  # noqa: SIM115 - for as long as the process lives
    while True:
        try:
            request = read(requests)
        except EOFError:
            return
        try:
            found: tuple[bool, Any] = (True, answer(request))
        except RefusedError as error:
            found = (False, (str(error), ""))
        except BaseException as error:  # a library may raise anything: the program reports it
            found = (False, (f"{type(error).__name__}: {error}", traceback.format_exc()))
        write(answers, found)
