"""Switch machine code on or off, for tests with and without it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from solver.core import fast_loops


@contextmanager
def machine_code(used: bool) -> Iterator[None]:
    """Let all threads use machine code, or none."""
    before, fast_loops.everywhere = fast_loops.everywhere, used
    try:
        yield
    finally:
        fast_loops.everywhere = before
