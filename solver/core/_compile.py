"""Decorators for compiled functions: numba without the interpreter lock, with a cache that cannot break a call.

numba's own cache has five weaknesses, all of which have occurred here: a change of a function in another file goes
unnoticed; a damaged or unreadable cache file raises from the call, and so does a full disk; an index that was written
without its machine code (on a full disk, or by two processes at once) names code for other argument types; and machine
code of which one bit has changed is run, which can end the process.
Therefore the name of the cache directory has a fingerprint of all compiled source files, each piece of machine code is
stored with its argument types and a checksum, and any failure costs a compilation, not the answer.

Importing numba takes as long as opening a window.  Therefore the decorators only collect the functions, and numba is
loaded when the first of them is called: the program does that on a thread of its own once its window shows pictures.
"""

from __future__ import annotations

import sys
from _thread import RLock  # only a lock: no module here starts threads
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ._cache_directory import cache_directory

__all__ = ["Deferred", "cache_directory", "inlined", "intrinsic", "jit", "lean_part", "part", "settle"]


class Deferred:
    """A function that is compiled later; a call, or reading an attribute, loads numba."""

    def __init__(self, how: str, function: Callable[..., Any]) -> None:
        self._how, self._function = how, function
        self._made: Any = None
        self.__doc__, self.__name__, self.__module__ = function.__doc__, function.__name__, function.__module__

    def __call__(self, *arguments: Any) -> Any:
        return self.made()(*arguments)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.made(), name)

    def made(self) -> Any:
        """Return the compiled function, and `settle` if it has just been made."""
        if self._made is None:
            self.make()
            settle()
        return self._made

    def make(self) -> Any:
        """Return the compiled function; it must not be called before `settle`."""
        from . import _machine_code  # outside the lock: the import takes long

        _machine_code.before_compiling = settle
        with _LOCK:
            if self._made is None:
                self._made = getattr(_machine_code, self._how)(self._function)
        return self._made


_LOCK = RLock()
#: Modules outside this package that may have `Deferred` functions in their globals.
_others: set[str] = set()


def settle() -> None:
    """Replace `Deferred` functions in the globals of all modules by compiled ones, which compiled code can call.

    This is repeated before each compilation, because another thread may be importing a module meanwhile.
    """
    package = __name__.partition(".")[0] + "."
    for name, module in list(sys.modules.items()):
        if isinstance(module, ModuleType) and (name.startswith(package) or name in _others):
            for key, value in list(vars(module).items()):
                if type(value) is Deferred:
                    setattr(module, key, value.make())


def _deferred(how: str, function: Callable[..., Any]) -> Callable[..., Any]:
    _others.add(function.__module__)
    return Deferred(how, function)


def jit(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` on its first call, without the interpreter lock, in plain IEEE arithmetic; cached."""
    return _deferred("jit", function)


def part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `jit` does, for calls from compiled code only.

    Without an entry for Python it compiles much faster.  Its machine code is cached as a part of its callers'.
    """
    return _deferred("part", function)


def lean_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile `function` as `part` does, without counting references to arrays: for loops of very many short turns.

    numba counts a reference to each array that is passed to an `inlined` function, by atomic instructions, which can
    cost more than work on a hundred numbers.  A function that makes an array is refused; functions it calls may do so.
    """
    return _deferred("lean_part", function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Insert the source of `function` into each caller before the caller is compiled.

    Passing an array to a function costs several nanoseconds, too much for a function that is called millions of times.
    """
    return _deferred("inlined", function)


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """Make a numba intrinsic of `function`, which generates LLVM instructions."""
    return _deferred("intrinsic", function)
