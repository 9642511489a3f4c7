"""Packed text: bytes as one text for a mail or a chat: compressed by zlib, in base64url without padding.

All shared texts are packed like this, after a prefix for their kind.
"""

from __future__ import annotations

import base64
import zlib

from app.core.number_format import grouped
from app.files.documents import FileError

#: Most characters of a text.
MOST_CHARACTERS = 2_000_000


def damaged(name: str, why: str) -> FileError:
    """Return the error for a damaged text with this `name`."""
    return FileError(f"{name} is damaged, or a part is missing ({why}); copy it once more.")


def joined(text: str, name: str) -> str:
    """Return `text` without spaces and line ends, which mail adds; raise a FileError if it is too long."""
    if len(text) > MOST_CHARACTERS:
        raise FileError(f"{name} is longer than {grouped(MOST_CHARACTERS)} characters, so it was not read.")
    return "".join(text.removeprefix("\ufeff").split())


def packed(data: bytes) -> str:
    """Return the text of `data`."""
    return _encoded(zlib.compress(data, 9))


def unpacked(text: str, name: str, most: int) -> bytes:
    """Return the bytes in `text`, at most `most`.

    Raises
    ------
    FileError
        If the text is damaged or too long; one sentence about `name`.
    """
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except ValueError:
        data = b""
    if _encoded(data) != text:
        raise damaged(name, "it has characters that do not belong there")
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
