"""What threads do before machine code is there: for tests of both ways."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from solver.core import fast_loops


@contextmanager
def machine_code(used: bool) -> Iterator[None]:
    """Have all threads use machine code, or none."""
    before, fast_loops.everywhere = fast_loops.everywhere, used
    try:
        yield
    finally:
        fast_loops.everywhere = before
