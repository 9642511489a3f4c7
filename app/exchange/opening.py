"""Opening: the kind of a file or a text, and the document in it.  All kinds are distinguished here."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path

from msgspec import Struct

from app.files import documents, recovery
from app.files.documents import FileError, Fingerprint
from app.files.file_format import FORMAT
from app.state.document import Document

LESSON_SUFFIX = ".lesson.md"
#: Prefixes of a lesson, and of answers to one, as a text; other texts of the program are share texts.
LESSON_PREFIX, ANSWERS_PREFIX = f"{FORMAT}:lesson#", f"{FORMAT}:answers#"
#: Characters in which the prefix of a share text is searched.
_SHARE_START = 200


class Kind(Enum):
    """Kinds of files; OTHER may be points of another program, or a document with another suffix."""

    DOCUMENT = auto()
    SHARE_TEXT = auto()
    RECOVERY_COPY = auto()
    LESSON = auto()
    ANSWERS = auto()
    OTHER = auto()


#: Kinds of texts, by their prefixes.
_TEXTS = {LESSON_PREFIX: Kind.LESSON, ANSWERS_PREFIX: Kind.ANSWERS, f"{FORMAT}:": Kind.SHARE_TEXT}


class Contents(Struct, frozen=True, eq=False):
    """A document that was read.

    Attributes
    ----------
    document : Document
    kind : Kind
        Kind of the file it was read from.
    path : Path or None
        The document's file; None if saving would replace a file of another kind.
    on_disk : Fingerprint or None
        Fingerprint of that file.
    """

    document: Document
    kind: Kind = Kind.DOCUMENT
    path: Path | None = None
    on_disk: Fingerprint | None = None


def is_share_text(text: str) -> bool:
    """Return whether `text` begins like a text of the program; the rest may be damaged."""
    return kind_of_text(text) is not Kind.OTHER


def kind_of_text(text: str) -> Kind:
    """Return the kind of `text` by its prefix: a share text, a lesson, answers to one, or OTHER."""
    begins = "".join(text[:_SHARE_START].removeprefix("\ufeff").split())
    return next((kind for prefix, kind in _TEXTS.items() if begins.startswith(prefix)), Kind.OTHER)


def kind_of(path: Path) -> Kind:
    """Return the kind of the file at `path`, which may be a text instead, on the command line."""
    if path.name.lower().endswith(LESSON_SUFFIX):
        return Kind.LESSON
    if path.suffix in (recovery.SUFFIX, documents.ASIDE):
        return Kind.RECOVERY_COPY
    for text in (str(path), _beginning(path)):
        if (kind := kind_of_text(text)) is not Kind.OTHER:
            return kind
    return Kind.DOCUMENT if path.suffix.lower() == documents.SUFFIX else Kind.OTHER


def is_document(data: bytes) -> bool:
    """Return whether the bytes of a file begin like a document; the rest may be damaged."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" and f'"{FORMAT}"'.encode() in data[:_SHARE_START]


def _beginning(path: Path) -> str:
    """Return the first characters of the file at `path`; "" if it cannot be read."""
    try:
        with documents.open_ordinary(path) as file:
            return documents.read_at_most(file, _SHARE_START).decode("utf-8", "replace")
    except (OSError, ValueError, FileError):  # ValueError: an impossible name
        return ""


def read(path: Path, most: int = 0) -> Contents:
    """Read the file at `path` as a document, a share text or a recovery copy, by its kind.

    Parameters
    ----------
    path : Path
        Name of a file, or a share text.
    most : int
        Largest number of bytes, as for `documents.read_bytes`.

    Raises
    ------
    FileError
        If there is no document in it; one sentence.
    """
    kind = kind_of(path)
    if kind is Kind.RECOVERY_COPY:
        return Contents(recovery.read(path), kind)
    if is_share_text(str(path)):  # converting it to a path does not change it
        return of_text(str(path))
    data = documents.read_bytes(path, most)
    if kind in (Kind.SHARE_TEXT, Kind.ANSWERS):
        return of_text(data.decode("utf-8", "replace"))
    return Contents(documents.decode(data, path.name or str(path)), Kind.DOCUMENT, path, Fingerprint.of(data))


def of_text(text: str) -> Contents:
    """Read a share text; raise a FileError with one sentence if it is none."""
    if kind_of_text(text) is Kind.ANSWERS:
        raise FileError("These are answers to a lesson: open them with Lessons > Answers of the class, in that lesson.")
    from . import share_text  # here, because the start of the program does not need it

    return Contents(share_text.decode(text), Kind.SHARE_TEXT)
