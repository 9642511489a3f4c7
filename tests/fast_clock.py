"""Plugin of pytest, ``-p tests.fast_clock``: clocks run `FACTOR` times too fast, as on a busy machine.

What a test proves may not depend on the time that something takes.  `make soak` runs the tests of `make test` with it.
"""

from __future__ import annotations

import time

#: A quiet machine is at most this much faster than the busiest one that the tests pass on.
FACTOR = 25.0


def _hurry(name: str) -> None:
    clock = getattr(time, name)
    begun = clock()
    setattr(time, name, lambda: begun + FACTOR * (clock() - begun))


for _name in ("perf_counter", "monotonic"):
    _hurry(_name)
