"""Where machine code is kept, one directory for each version of its sources."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

import platformdirs


def _fingerprint() -> str:
    """Hash of everything the machine code depends on: the compiled files, numba's version, this Python."""
    from importlib.metadata import version  # only now: it costs the window's start 25 ms

    digest = hashlib.sha256(f"{version('numba')} {sys.version}".encode())
    for path in sorted(Path(__file__).parents[1].rglob("_[!_]*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


@cache
def cache_directory() -> Path:
    """Directory of this version's machine code: under NUMBA_CACHE_DIR, the user's cache, or a temporary one."""
    directory = Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("classifier-playground", False))
    try:
        directory /= f"compiled-{_fingerprint()}"
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except OSError:
        pass
    try:
        temporary = tempfile.mkdtemp(prefix="classifier-playground-")
    except OSError:  # nothing can be written anywhere: everything is compiled every time
        return directory
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return Path(temporary)
