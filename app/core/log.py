"""Log: errors with their tracebacks, in a file of limited size in the state folder.  No Qt."""

from __future__ import annotations

import logging
import logging.handlers
import sys
import threading
from pathlib import Path
from types import TracebackType

#: Largest size of a log file (bytes); there are two, the newest and the one before.
LARGEST = 500_000
LOGGER = logging.getLogger("classifier-playground")
LOGGER.addHandler(logging.NullHandler())  # else messages before `start` would be printed


def start(folder: Path) -> None:
    """Write to `folder`/log.txt from now on; the file is created with the first message.  If it cannot be written,
    messages are dropped: a log is no reason to stop."""
    for handler in LOGGER.handlers[:]:
        LOGGER.removeHandler(handler)
        handler.close()
    logging.raiseExceptions = False
    handler = _Quiet(folder / "log.txt", maxBytes=LARGEST, backupCount=1, encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s  %(threadName)s  %(message)s"))
    LOGGER.addHandler(handler)


class _Quiet(logging.handlers.RotatingFileHandler):
    """A handler that creates its folder when needed, readable by its owner alone: a traceback may name files."""

    def _open(self):  # type: ignore[no-untyped-def]
        path = Path(self.baseFilename)
        path.parent.mkdir(parents=True, exist_ok=True)
        stream = super()._open()
        path.chmod(0o600)
        return stream


def caught(what: str, error: BaseException | None = None) -> None:
    """Log an exception, by default the one being handled, with the sentence `what` on what has failed."""
    LOGGER.error(what, exc_info=error or True)


def stopped(what: str, error: Exception) -> str:
    """Log the exception that is being handled, with `what`, and return the sentence about it for the user."""
    caught(what)
    fault = f" by an internal error ({type(error).__name__}: {error})"
    why = ": there is not enough memory" if isinstance(error, MemoryError) else fault
    return f"Stopped{why}. The next change tries again."


def path() -> Path | None:
    """Return the path of the log file; None before `start`."""
    files = [handler for handler in LOGGER.handlers if isinstance(handler, _Quiet)]
    return Path(files[0].baseFilename) if files else None


def text(most: int = 100_000) -> str:
    """Return the newest `most` characters of the log; "" if it is empty."""
    file = path()
    try:
        return "" if file is None else file.read_text(encoding="utf-8", errors="replace")[-most:]
    except OSError:
        return ""


def take_uncaught() -> None:
    """Log uncaught exceptions as well, in any thread; they are printed as before."""
    printed, printed_in_thread = sys.excepthook, threading.excepthook

    def uncaught(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        caught("An exception was not caught.", error)
        printed(kind, error, trace)

    def uncaught_in_thread(arguments: threading.ExceptHookArgs) -> None:
        caught("An exception was not caught.", arguments.exc_value)
        printed_in_thread(arguments)

    sys.excepthook, threading.excepthook = uncaught, uncaught_in_thread
