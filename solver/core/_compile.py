"""The one way this package compiles: numba without the interpreter lock, cached, never broken by the cache.

numba's own cache has four weak spots, all met here once: a change in a function that lives in another
file goes unnoticed, a damaged or unreadable cache file raises from the call, a full disk raises from the
call, and an index that was written without its machine code (a full disk, two processes at once) names that
of other argument types.  So the cache directory carries a fingerprint of every compiled source file, machine
code carries what it is for, and whatever goes wrong costs a compilation, not the answer.

To import numba takes as long as a window takes to open.  So the functions to be compiled are collected here, and numba
is loaded when the first of them is called: by the window on a thread of its own, once it shows pictures.
"""

from __future__ import annotations

import sys
from _thread import RLock  # a lock is all it takes: no module here starts threads
from collections.abc import Callable
from types import ModuleType
from typing import Any

from ._cache_directory import cache_directory

__all__ = ["Deferred", "cache_directory", "inlined", "intrinsic", "jit", "lean_part", "part", "settle"]


class Deferred:
    """A function that numba has not seen yet; to call it, or to ask for anything of it, loads numba."""

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
        """What numba made of it."""
        if self._made is None:
            self.make()
            settle()
        return self._made

    def make(self) -> Any:
        """The same, while nothing calls it yet."""
        from . import _machine_code  # outside the lock: it takes long

        _machine_code.before_compiling = settle
        with _LOCK:
            if self._made is None:
                self._made = getattr(_machine_code, self._how)(self._function)
        return self._made


_LOCK = RLock()
#: Modules whose names may stand for functions that are `Deferred`, besides those of this package.
_others: set[str] = set()


def settle() -> None:
    """Let the names in all modules stand for what numba made: compiled code cannot call anything else.

    Done before each compilation: a module may be on its way in on another thread, its names not there yet.
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
    """Compile as `jit` does, but for calls from compiled code only: without an entry for Python, and so much sooner.

    The machine code is stored with that of its callers, so nothing is cached here.
    """
    return _deferred("part", function)


def lean_part(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `part`, for a loop of millions of short turns that makes no array: without counting references.

    numba counts one for each array that an `inlined` function is handed, by atomic instructions, which can cost more
    than what is done with a hundred numbers.  A function that makes an array is refused; one it calls may make them.
    """
    return _deferred("lean_part", function)


def inlined(function: Callable[..., Any]) -> Callable[..., Any]:
    """Like `part`, but pasted into each caller before that is compiled.

    Handing over an array costs several nanoseconds, too much for what is done millions of times.
    """
    return _deferred("inlined", function)


def intrinsic(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that writes instructions itself."""
    return _deferred("intrinsic", function)
