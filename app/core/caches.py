"""Caches of what is computed from a document: another document in its place empties them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

#: Whether caches were emptied since the freed memory was last returned to the system.
forgotten = False
#: Empties a cache, for each cache.
clears: list[Callable[[], object]] = []


def kept(most: int) -> Callable[[Function], Function]:
    """Return a decorator like `lru_cache`, for a function of points, pictures or models: it keeps `most` results."""

    def decorate(function: Function) -> Function:
        cached: Any = lru_cache(maxsize=most)(function)
        clears.append(cached.cache_clear)
        return cached  # type: ignore[no-any-return]

    return decorate


def forget() -> None:
    """Empty all caches, so that the arrays of the document before are freed."""
    global forgotten
    forgotten = True
    for clear in clears:
        clear()
