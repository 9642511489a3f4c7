"""Plain text: names of files, classes and axes as they can be shown among other words, one or several; no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Signs that turn the words around them, break the line or take no room, other control characters, half characters.
#: Not those that join letters or keep them apart, which some scripts are written with.
_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def plain(name: str) -> str:
    """`name` with a visible sign in place of each that does not show itself but acts on what is beside it."""
    return _ACTING.sub("\ufffd", name)


def listed(names: Sequence[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
