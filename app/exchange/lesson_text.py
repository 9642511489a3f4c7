"""Lesson text: a lesson as one text, for a mail or a chat, as challenges are shared.

After the prefix stands the Markdown of its file, packed.  Whoever unpacks the text can read all answers in it.
"""

from __future__ import annotations

from app.core.number_format import grouped
from app.files.documents import FileError

from .opening import LESSON_PREFIX
from .packed_text import packed, unpacked

#: Bytes of a lesson's Markdown (as `lessons.reading.LARGEST`), and characters of a text.
MOST_BYTES, MOST_CHARACTERS = 1_000_000, 2_000_000
_NAME = "The lesson text"


def encode(markdown: str) -> str:
    """Return the text of a lesson; FileError with one sentence where it is too long."""
    data = markdown.encode("utf-8", "replace")
    if len(data) > MOST_BYTES:
        raise FileError(f"{_NAME} would hold more than {MOST_BYTES / 10**6:g} MB.")
    return LESSON_PREFIX + packed(data)


def decode(text: str) -> bytes:
    """Return the Markdown in `text`, in which spaces and line ends do not count; FileError with one sentence."""
    if len(text) > MOST_CHARACTERS:
        raise FileError(f"{_NAME} is longer than {grouped(MOST_CHARACTERS)} characters, so it was not read.")
    body = "".join(text.removeprefix("\ufeff").split())
    return unpacked(body.removeprefix(LESSON_PREFIX), _NAME, MOST_BYTES)
