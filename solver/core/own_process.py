"""Second processes of this program: the command line that runs a module in one, and its end with the first process."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from contextlib import suppress
from functools import cache

if sys.platform == "win32":
    import _winapi
else:
    import fcntl
    import signal

#: Time (s) between two looks at the first process, where the system cannot be waited for.
INTERVAL = 0.25
_CODE = """import json, runpy, sys
sys.path[:] = json.loads({path!r})
from solver.core import own_process
own_process.end_with({parent}, {lifeline})
runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"""


def command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs `module` in another process, which ends with this one.

    That process imports from this process's path, and not from the working folder.  A bundle is its own interpreter,
    and takes ``-m`` for its own modules.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, "-m", module, *arguments]
    code = _CODE.format(path=json.dumps(sys.path), parent=os.getpid(), lifeline=_lifeline(os.getpid()), module=module)
    return [sys.executable, "-P", "-c", code, *arguments]


@cache
def _lifeline(pid: int) -> int:
    """Return the reading end of a pipe that this process, `pid`, keeps open and never writes to.

    It is closed when the process ends.  A process that was forked from it has a pipe of its own.
    """
    return os.pipe()[0]


def end_with(parent: int, lifeline: int = -1) -> None:
    """End this process when the process `parent` ends, however that ends and whatever this one computes.

    Parameters
    ----------
    parent : int
        The process that has started this one.
    lifeline : int, default=-1
        A pipe of it, if there is one: with it, Linux kills this process even in a computation that never gives the
        interpreter away.  A thread watches in any case.  (PR_SET_PDEATHSIG would count the starting thread's end, too.)
    """
    if sys.platform == "linux" and lifeline >= 0:
        with suppress(OSError):  # no /proc, or its process has just ended: the thread finds out
            pipe = os.open(f"/proc/{parent}/fd/{lifeline}", os.O_RDONLY | os.O_NONBLOCK)
            fcntl.fcntl(pipe, fcntl.F_SETOWN, os.getpid())
            fcntl.fcntl(pipe, fcntl.F_SETSIG, signal.SIGKILL)
            fcntl.fcntl(pipe, fcntl.F_SETFL, fcntl.fcntl(pipe, fcntl.F_GETFL) | os.O_ASYNC)
    threading.Thread(target=_watch, args=(parent,), name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    if sys.platform == "win32":
        with suppress(OSError):  # it has ended
            _winapi.WaitForSingleObject(_winapi.OpenProcess(_winapi.SYNCHRONIZE, False, parent), _winapi.INFINITE)
    else:
        while os.getppid() == parent:
            time.sleep(INTERVAL)
    os._exit(1)
