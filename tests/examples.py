"""How many examples hypothesis draws: all of them at `make soak`, a quarter, and always the same, at each other run."""

from __future__ import annotations

from typing import Any

from hypothesis import settings


def examples(number: int, **more: Any) -> settings:
    """Settings of a test for which so many are drawn at `make soak`."""
    quick = bool(settings.default and settings.default.derandomize)
    return settings(max_examples=max(number // 4, 25) if quick else number, deadline=None, **more)
