"""Number of examples of hypothesis: all of them in `make soak`, else a quarter, and always the same ones."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def examples(number: int, **more: Any) -> settings:
    """Return settings for a test with this `number` of examples in `make soak`."""
    quick = bool(settings.default and settings.default.derandomize)
    return settings(max_examples=max(number // 4, 25) if quick else number, deadline=None, **more)
