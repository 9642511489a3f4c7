"""The decorators of `_compile` for numba, which is imported only here, when the first compiled function is called."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache, IndexDataCacheFile
from numba.extending import intrinsic

from ._cache_directory import PACKAGES, cache_directory

__all__ = ["inlined", "intrinsic", "jit", "lean_part", "part"]


def before_compiling() -> None:
    """Prepare a compilation; `_compile` replaces this function by its `settle`."""


class _KeyedFile(IndexDataCacheFile):  # type: ignore[misc]  # numba has no types
    """A file of numba's cache whose machine code is used only for its own argument types and processor."""

    def save(self, key: Any, data: Any) -> None:
        super().save(key, (key, data))

    def load(self, key: Any) -> Any:
        found = super().load(key)
        return found[1] if found is not None and found[0] == key else None


class _OwnLocator:
    """Locator that finds machine code of `PACKAGES` by module names, in the directory of this version's sources.

    numba's own locators use path and time of each source file, or the program of a bundle: then each way of installing,
    and each update, would compile everything again.
    """

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file, self._line = file, function.__code__.co_firstlineno
        self._folder = cache_directory() / function.__module__.rpartition(".")[0]
        self._folder.mkdir(exist_ok=True)

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _OwnLocator | None:
        return cls(function, file) if function.__module__.partition(".")[0] in PACKAGES else None

    def ensure_cache_path(self) -> None:
        """Do nothing: the folder exists."""

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return ""

    def get_disambiguator(self) -> str:
        return str(self._line)


class _OwnFiles(CompileResultCacheImpl):  # type: ignore[misc]  # numba has no types
    """numba's storage of compiled functions, which asks `_OwnLocator` first."""

    _locator_classes = (_OwnLocator, *CompileResultCacheImpl._locator_classes)


class _ForgivingCache(FunctionCache):  # type: ignore[misc]  # numba has no types
    """numba's cache, in which an unreadable or unwritable file means "not cached" instead of an exception."""

    _impl_class = _OwnFiles

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _KeyedFile(self._cache_path, self._impl.filename_base, self._impl.locator.get_source_stamp())

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        before_compiling()  # a function that is not cached is compiled next
        try:
            return super().load_overload(sig, target_context)
        except OSError:  # the stored code may be sound
            return None
        except Exception:  # truncated pickles raise nearly anything
            with suppress(Exception):
                self.flush()  # otherwise the damaged index would prevent saving for ever
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except Exception:  # a full or read-only disk; the function in memory is fine
            return


#: Options of numba: plain IEEE arithmetic, without the interpreter lock.
#: No `fastmath`: with fused or reordered sums two machines could disagree about a tie.  No `parallel`: numba's default
#: threading layer aborts the process when two threads enter it at once, as two lanes do.
#: `_nrt` is explicit because a function would inherit it from its first caller, and lean functions have none.
_OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": True}


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `_compile.jit` describes."""
    dispatcher: Any = numba.njit(**_OPTIONS)(function)
    previous, config.CACHE_DIR = config.CACHE_DIR, str(cache_directory())
    try:
        dispatcher._cache = _ForgivingCache(dispatcher.py_func)
    except Exception:  # no usable cache directory: compile every time
        return dispatcher  # type: ignore[no-any-return]
    finally:
        config.CACHE_DIR = previous
    return dispatcher  # type: ignore[no-any-return]


def part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `_compile.part` describes."""
    compiled: Callable[..., Any] = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **_OPTIONS)(function)
    return compiled


def lean_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `_compile.lean_part` describes."""
    options = _OPTIONS | {"_nrt": False}
    compiled: Callable[..., Any] = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(function)
    return compiled


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `_compile.inlined` describes."""
    compiled: Callable[..., Any] = numba.njit(inline="always", **_OPTIONS)(function)
    return compiled
