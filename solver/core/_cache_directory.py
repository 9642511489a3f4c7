"""The directory of the compiled machine code: one for each version of the compiled sources."""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
import time
from contextlib import suppress
from functools import cache
from pathlib import Path

import platformdirs

#: Packages with compiled functions, in files named "_*.py", whose machine code is kept there.
PACKAGES = (
    "app.features.relief",
    "solver.core",
    "solver.kernels",
    "solver.knn",
    "solver.linear",
    "solver.online",
    "solver.svm",
)
#: Time (s) after which machine code of an unused version is removed: a month.
KEPT_FOR = 30 * 86_400


def _fingerprint() -> str:
    """Return a hash of everything the machine code depends on: compiled files, numba's version, this Python."""
    from importlib.metadata import version  # only now: it costs the window's start 25 ms

    digest = hashlib.sha256(f"{version('numba')} {sys.version}".encode())
    for package in PACKAGES:
        for path in sorted(Path(__file__).parents[2].joinpath(*package.split(".")).glob("_[!_]*.py")):
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _forget_others(used: Path) -> None:
    """Mark the directory `used` as used now, and remove those of other versions unused for `KEPT_FOR`."""
    with suppress(OSError):  # another user's directory, or another process removes the same one
        os.utime(used)
        for other in used.parent.glob("compiled-*"):
            if other.stat().st_mtime < time.time() - KEPT_FOR:
                shutil.rmtree(other, ignore_errors=True)


@cache
def cache_directory() -> Path:
    """Return the directory of this version: in NUMBA_CACHE_DIR, in the user's cache, or a temporary one."""
    directory = Path(os.environ.get("NUMBA_CACHE_DIR") or platformdirs.user_cache_dir("classifier-playground", False))
    try:
        directory /= f"compiled-{_fingerprint()}"
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            _forget_others(directory)
            return directory
    except OSError:
        pass
    try:
        temporary = tempfile.mkdtemp(prefix="classifier-playground-")
    except OSError:  # nothing can be written anywhere: everything is compiled every time
        return directory
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    return Path(temporary)
