"""Lesson text: a lesson as one text, for a mail or a chat, as challenges are shared.

The packed Markdown of its file follows a prefix.  Anyone who unpacks the text can read all its answers.
"""

from __future__ import annotations

from app.files.documents import FileError

from .opening import LESSON_PREFIX
from .packed_text import joined, packed, unpacked

#: Bytes of a lesson's Markdown (as `lessons.reading.LARGEST`).
MOST_BYTES = 1_000_000
_NAME = "The lesson text"


def encode(markdown: str) -> str:
    """Return the text of a lesson; raise a FileError with one sentence if it is too long."""
    data = markdown.encode("utf-8", "replace")
    if len(data) > MOST_BYTES:
        raise FileError(f"{_NAME} would hold more than {MOST_BYTES / 10**6:g} MB.")
    return LESSON_PREFIX + packed(data)


def decode(text: str) -> bytes:
    """Return the Markdown in `text`, ignoring spaces and line ends; raise a FileError with one sentence if damaged."""
    return unpacked(joined(text, _NAME).removeprefix(LESSON_PREFIX), _NAME, MOST_BYTES)
