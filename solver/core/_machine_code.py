"""The decorators of `_compile` for numba, which is imported only here, when the first compiled function is called."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
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
    """The machine code of a function: a file with a checksum for each combination of argument types and processor.

    There is no index, which could name code of other types, and a file of which a bit has changed is not used: it
    might end the process, or change a number.
    """

    def _file(self, key: Any) -> str:
        return str(self._data_path(self._data_name(zlib.crc32(repr(key).encode()))))

    def save(self, key: Any, data: Any) -> None:
        content = self._dump((key, data))
        with self._open_for_write(self._file(key)) as file:
            file.write(zlib.crc32(content).to_bytes(4, "little") + content)

    def load(self, key: Any) -> Any:
        content = Path(self._file(key)).read_bytes()
        sound = zlib.crc32(content[4:]).to_bytes(4, "little") == content[:4]
        found, data = pickle.loads(content[4:]) if sound else (None, None)
        return data if found == key else None


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
        return cls(function, file) if function.__module__.rpartition(".")[0] in PACKAGES else None

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
        with suppress(Exception):  # a file is missing, or of another program, which raises nearly anything
            return super().load_overload(sig, target_context)

    def save_overload(self, sig: Any, data: Any) -> None:
        with suppress(Exception):  # a full or read-only disk; the function in memory is fine
            super().save_overload(sig, data)


#: Options of numba: plain IEEE arithmetic, without the interpreter lock, no entry for callers in C.
#: No `fastmath`: with fused or reordered sums two machines could disagree about a tie.  No `parallel`: numba's default
#: threading layer aborts the process when two threads enter it at once, as two lanes do.
#: `_nrt` is explicit because a function would inherit it from its first caller, and lean functions have none.
_OPTIONS = {"nogil": True, "error_model": "numpy", "_nrt": True, "no_cfunc_wrapper": True}


_njit: Callable[..., Callable[..., Any]] = numba.njit  # numba has no types


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `_compile.jit` describes."""
    compiled = _njit(function, **_OPTIONS)
    previous, config.CACHE_DIR = config.CACHE_DIR, str(cache_directory())
    try:
        with suppress(Exception):  # no usable cache directory: compile every time
            compiled._cache = _ForgivingCache(function)  # type: ignore[attr-defined]
    finally:
        config.CACHE_DIR = previous
    return compiled


def part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `_compile.part` describes."""
    return _njit(function, no_cpython_wrapper=True, **_OPTIONS)


def lean_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `_compile.lean_part` describes."""
    options = _OPTIONS | {"_nrt": False}
    return _njit(function, no_cpython_wrapper=True, **options)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `_compile.inlined` describes."""
    return _njit(function, inline="always", **_OPTIONS)
