"""Markdown of lessons: what of it is not shown; no Qt."""

from __future__ import annotations

import re

#: `![words](address)` and `![words][name]`.
_PICTURE = re.compile(r"!\[([^\]\n]*)\](\([^)\n]*\)|\[[^\]\n]*\])?")


def without_pictures(text: str) -> str:
    """`text` with the words of each picture in place of it: no picture is read or fetched."""
    return _PICTURE.sub(r"\1", text)
