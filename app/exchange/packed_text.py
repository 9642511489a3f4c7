"""Packed text: bytes as one text for a mail or a chat: base64url, without padding, of what zlib makes of them.

Everything that is shared as a text is packed like this, behind a prefix that says what it is.
"""

from __future__ import annotations

import base64
import zlib

from app.files.documents import FileError


def damaged(name: str, why: str) -> FileError:
    """Return the error for a text called `name` that arrived other than it was sent."""
    return FileError(f"{name} is damaged, or a part is missing ({why}); copy it once more.")


def packed(data: bytes) -> str:
    """Return the text of `data`."""
    return _encoded(zlib.compress(data, 9))


def unpacked(text: str, name: str, most: int) -> bytes:
    """Return the bytes in `text`, never more than `most`, whatever it would inflate to.

    FileError with one sentence about `name` where there are none.
    """
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        raise damaged(name, "it has signs that do not belong there") from None
    if _encoded(data) != text:
        raise damaged(name, "it has signs that do not belong there")
    inflate = zlib.decompressobj()
    try:
        found = inflate.decompress(data, most + 1)
    except zlib.error:
        raise damaged(name, "it does not unpack") from None
    if len(found) > most:
        raise FileError(f"{name} holds more than {most / 10**6:g} MB, so it was not read.")
    if not inflate.eof or inflate.unused_data:
        raise damaged(name, "it ends too early or too late")
    return found


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
