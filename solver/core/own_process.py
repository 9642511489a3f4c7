"""The command line of a process of this program's own, in which a module runs as a program."""

from __future__ import annotations

import json
import sys

_CODE = """import json, runpy, sys
sys.path[:] = json.loads({path!r})
runpy.run_module({module!r}, run_name='__main__', alter_sys=True)"""


def command(module: str, *arguments: str) -> list[str]:
    """What starts `module` in another process, which finds modules where this one does, not in the working folder.

    A bundle is its own interpreter: it takes ``-m``, for modules that it knows of.
    """
    if getattr(sys, "frozen", False):
        return [sys.executable, "-m", module, *arguments]
    return [sys.executable, "-P", "-c", _CODE.format(path=json.dumps(sys.path), module=module), *arguments]
