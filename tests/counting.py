"""Count the work of a call: a limit on calls does not depend on the speed of the machine, as a limit on time would."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any


def calls_of(act: Callable[[], object]) -> int:
    """Return the number of functions, of Python and of C, that `act` calls in this thread."""
    count = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count
