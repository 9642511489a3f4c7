"""Command line of a second process of this program, which runs a module."""

from __future__ import annotations

import json
import sys

_CODE = """import json, runpy, sys
sys.path[:] = json.loads({path!r})
runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"""


def command(module: str, *arguments: str) -> list[str]:
    """Return the command that runs `module` in another process.

    That process imports from this process's path, and not from the working folder.  A bundle is its own interpreter,
    and takes ``-m`` for its own modules.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, "-m", module, *arguments]
    return [sys.executable, "-P", "-c", _CODE.format(path=json.dumps(sys.path), module=module), *arguments]
