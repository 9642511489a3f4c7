"""Plain text: make names of files, classes and axes safe to display within other text; no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence

#: Characters that change text direction, break lines or are invisible, other control characters, and lone surrogates.
#: Joiners and non-joiners are not included: some scripts need them.
_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb\ud800-\udfff]"
)


def plain(name: str) -> str:
    """Return `name` with a visible character in place of each invisible one that affects its surroundings."""
    return _ACTING.sub("\ufffd", name)


def plain_line(text: str) -> str:
    """Return `text` on one line, with single spaces, as `plain` makes it."""
    return " ".join(plain(" ".join(text.split())).split())


def first_line(text: str) -> str:
    """Return the first line of `text` that is not empty, as `plain` makes it; "" without one."""
    return plain(next((line.strip() for line in text.splitlines() if line.strip()), ""))


def listed(names: Sequence[str]) -> str:
    """Return names as a list in words: "a", "a and b", "a, b and c"."""
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
