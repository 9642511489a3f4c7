"""Log: what went wrong, with its traceback, in a file of the state folder that stays small.  No Qt."""

from __future__ import annotations

import logging
import logging.handlers
import sys
import threading
from pathlib import Path
from types import TracebackType

#: Bytes of the file, of which there are two: the newest, and the one before.
LARGEST = 500_000
LOGGER = logging.getLogger("classifier-playground")
LOGGER.addHandler(logging.NullHandler())  # else what is logged before `start` would be printed


def start(folder: Path) -> None:
    """Write to `folder`/log.txt from now on, made when there is something to write.  Where it cannot be written,
    nothing is: a log is no reason to stop."""
    for handler in LOGGER.handlers[:]:
        LOGGER.removeHandler(handler)
        handler.close()
    logging.raiseExceptions = False
    handler = _Quiet(folder / "log.txt", maxBytes=LARGEST, backupCount=1, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s  %(threadName)s  %(message)s"))
    LOGGER.addHandler(handler)


class _Quiet(logging.handlers.RotatingFileHandler):
    """Makes its folder when it is needed, and readable for its owner alone: a traceback may name files."""

    def _open(self):  # type: ignore[no-untyped-def]
        path = Path(self.baseFilename)
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = super()._open()
        path.chmod(0o600)
        return stream


def caught(what: str, error: BaseException | None = None) -> None:
    """Note an exception that was caught, by default the one being handled, and `what` could not be done."""
    LOGGER.error(what, exc_info=error or True)


def path() -> Path | None:
    """The file; None before `start`."""
    files = [handler for handler in LOGGER.handlers if isinstance(handler, _Quiet)]
    return Path(files[0].baseFilename) if files else None


def text(most: int = 100_000) -> str:
    """The newest `most` characters of the file; "" when there is none."""
    file = path()
    try:
        return "" if file is None else file.read_text(encoding="utf-8", errors="replace")[-most:]
    except OSError:
        return ""


def take_uncaught() -> None:
    """Note exceptions that nothing catches as well, in any thread; they are printed as before."""
    printed, printed_in_thread = sys.excepthook, threading.excepthook

    def uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        caught("An exception was not caught.", error)
        printed(kind, error, trace)

    def uncaught_in_thread(arguments: threading.ExceptHookArgs) -> None:
        caught("An exception was not caught.", arguments.exc_value)
        printed_in_thread(arguments)

    sys.excepthook, threading.excepthook = uncaught, uncaught_in_thread
