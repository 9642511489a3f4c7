"""EncoderProcess: hands pictures to the encoder, which runs in a process of its own, and saves the film.  No Qt."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.core import log
from app.files import documents
from solver.core.own_process import command

from .encoder import Film

ENCODER = f"{__package__}.encoder"
#: Given what came of something: an exception where it failed.
Done = Callable[[Any], object]


class EncoderProcess:
    """One film on its way; everything is done one after the other on a thread, and `Done` is called there.

    Parameters
    ----------
    film : Film
    """

    def __init__(self, film: Film) -> None:
        self._film = film
        self._jobs: SimpleQueue[tuple[Callable[[], Any], Done] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._killed = self._committed = False
        self.thread = threading.Thread(target=self._work, name="film", daemon=True)
        self.thread.start()

    def put(self, pixels: NDArray[np.uint32], done: Done) -> None:
        """Hand over a picture, 0xffrrggbb of shape (height, width)."""

        def write() -> None:
            self._write(np.stack([(pixels >> shift).astype(np.uint8) for shift in (16, 8, 0)], axis=-1).data)

        self._jobs.put((write, done))

    def sizes(self, done: Done) -> None:
        """After the last picture: how many bytes each part of the film takes."""
        self._jobs.put((lambda: json.loads(self._read()), done))
        self._jobs.put(None)

    def save(self, path: Path, done: Done) -> None:
        """After the last picture: write the film; what stands there stays until it is whole."""

        def write() -> None:
            data = self._read()
            with self._lock:
                self._committed = not self._killed
            if self._committed:
                documents.write_bytes(data, path)

        self._jobs.put((write, done))
        self._jobs.put(None)

    def kill(self) -> bool:
        """Give the film up; False when it is too late for that."""
        with self._lock:
            if self._committed:
                return False
            self._killed = True
            if self._process is not None:
                self._process.kill()
        self._jobs.put(None)
        return True

    # -- the thread ------------------------------------------------------------------------------------------------

    def _work(self) -> None:
        failure: Exception | None = None
        try:
            self._begin()
        except OSError as error:
            failure = self._failed(error)
        while (job := self._jobs.get()) is not None:
            act, done = job
            answer: Any = failure
            try:
                answer = failure or act()
            except Exception as error:
                answer = failure = self._failed(error)
            if not self._killed:
                done(answer)
        if self._process is not None:
            self._process.kill()
            self._process.communicate()  # closes the pipes, and waits for its end

    def _begin(self) -> None:
        line, pipe = command(ENCODER), subprocess.PIPE
        flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)  # of Windows
        with self._lock:
            if not self._killed:
                self._process = subprocess.Popen(line, stdin=pipe, stdout=pipe, stderr=pipe, creationflags=flags)
        self._write(self._film.line())

    def _write(self, data: Any) -> None:
        if self._process is not None:
            assert self._process.stdin is not None
            self._process.stdin.write(data)
            self._process.stdin.flush()

    def _read(self) -> bytes:
        """What the encoder answers, once it has all pictures."""
        if self._process is None:
            return b""
        data, said = self._process.communicate()
        if self._process.returncode:
            raise self._sentence(said)
        return data

    def _failed(self, error: Exception) -> Exception:
        """What has gone wrong, in a sentence."""
        if isinstance(error, documents.FileError) or self._killed:
            return error
        log.caught("The film was not made.", error)
        if isinstance(error, BrokenPipeError) and self._process is not None:  # the encoder has ended, and said why
            with suppress(OSError, ValueError):
                return self._sentence(self._process.communicate()[1])
        return documents.FileError(f"The film was not made ({type(error).__name__}: {error}).")

    def _sentence(self, said: bytes) -> documents.FileError:
        """What the encoder ended with."""
        lines = said.decode(errors="replace").strip().splitlines()
        if not self._killed:
            log.caught("The encoder of films failed: " + "\n".join(lines), documents.FileError("it ended"))
        if not lines or "MemoryError" in lines[-1]:  # killed by the system, or out of memory
            return documents.FileError("The film was not made: there is not enough memory for one of this size.")
        return documents.FileError(f"The film was not made ({lines[-1]}).")
