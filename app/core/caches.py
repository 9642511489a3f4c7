"""Caches of what is computed from a document: another document in its place empties them all."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

Function = TypeVar("Function", bound=Callable[..., Any])

_clear: list[Callable[[], object]] = []


def forgotten_by(clear: Callable[[], object]) -> None:
    """Call `clear`, which empties a cache, whenever the document is replaced by another."""
    _clear.append(clear)


def kept(most: int) -> Callable[[Function], Function]:
    """Return a decorator like `lru_cache`, for a function of points, pictures or models: it keeps `most` results."""

    def decorate(function: Function) -> Function:
        cached: Any = lru_cache(maxsize=most)(function)
        forgotten_by(cached.cache_clear)
        return cached  # type: ignore[no-any-return]

    return decorate


def forget() -> None:
    """Empty all caches, so that the arrays of the document before are freed."""
    for clear in _clear:
        clear()
