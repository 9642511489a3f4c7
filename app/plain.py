"""Plain: names of files, classes and axes as they can be shown among other words; no Qt."""

from __future__ import annotations

import re

#: Signs that turn the words around them or break the line, other control characters, and halves of characters.
_ACTING = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(name: str) -> str:
    """`name` with a visible sign in place of each that does not show itself but acts on what is beside it."""
    return _ACTING.sub("\ufffd", name)
