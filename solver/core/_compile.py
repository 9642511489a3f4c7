"""The one way this package compiles: numba without the interpreter lock, cached, never broken by the cache.

numba's own cache has four weak spots, all met here once: a change in a function that lives in another
file goes unnoticed, a damaged or unreadable cache file raises from the call, a full disk raises from the
call, and an index that was written without its machine code (a full disk, two processes at once) names that
of other argument types.  So the cache directory carries a fingerprint of every compiled source file, machine
code carries what it is for, and whatever goes wrong costs a compilation, not the answer.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import numba
import platformdirs
from numba.core import config
from numba.core.caching import FunctionCache, IndexDataCacheFile


def _fingerprint() -> str:
    """Hash of everything the machine code depends on: the compiled files, numba's version, this Python."""
    digest = hashlib.sha256(f"{numba.__version__} {sys.version}".encode())
    for path in sorted(Path(__file__).parents[1].rglob("_*.py")):
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


class _KeyedFile(IndexDataCacheFile):  # type: ignore[misc]  # numba has no types
    """numba's files, except that machine code is used only for the argument types and processor it was made for."""

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None


class _ForgivingCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache, except that a bad or unwritable file means "not cached" instead of an exception."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _KeyedFile(self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except OSError:  # what is stored may well be sound
            return None
        except Exception:  # truncated pickles raise nearly anything
            with suppress(Exception):
                self.flush()  # else the damaged index would prevent saving for ever
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:  # a full or read-only disk; the function in memory is fine
            return


#: Plain IEEE arithmetic, without the interpreter lock.
#: No `fastmath`: fused or reordered sums would let two machines disagree about a tie.  No `parallel`: numba's default
#: threading layer aborts the process when two threads enter it at once, which two lanes do.
_OPTIONS = {"nogil": True, "error_model": "numpy"}


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on its first call, without the interpreter lock, in plain IEEE arithmetic; cached."""
    dispatcher: Any = numba.njit(**_OPTIONS)(function)
    previous, config.CACHE_DIR = config.CACHE_DIR, str(cache_directory())
    try:
        dispatcher._cache = _ForgivingCache(dispatcher.py_func)
    except Exception:  # no usable cache place at all: compile every time
        return dispatcher  # type: ignore[no-any-return]
    finally:
        config.CACHE_DIR = previous
    return dispatcher  # type: ignore[no-any-return]


def part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile as `jit` does, but for calls from compiled code only: without an entry for Python, and so much sooner.

    The machine code is stored with that of its callers, so nothing is cached here.
    """
    compiled: Callable[..., Any] = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)
    return compiled


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `part`, but pasted into each caller before that is compiled.

    Handing over an array costs several nanoseconds, too much for what is done millions of times.
    """
    compiled: Callable[..., Any] = numba.njit(inline="always", **_OPTIONS)(function)
    return compiled
