"""The command `classifier-playground`, and ``python -m app``."""

from __future__ import annotations

import os
import signal
import sys


def main() -> int:
    """Run the command line and return the exit code.

    Ctrl+C ends the program at any moment of its start, without a traceback of whatever is just being imported.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, lambda *given: os._exit(130))
    from .main import main as run

    return run()


if __name__ == "__main__":
    sys.exit(main())
