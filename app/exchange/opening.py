"""Opening: which kind a file or a text is of, and the document in it.  The one place that knows all kinds."""

from __future__ import annotations

from enum import Enum, auto
from pathlib import Path

from msgspec import Struct

from app.files import documents, recovery
from app.files.documents import FileError, Fingerprint
from app.files.file_format import FORMAT
from app.state.document import Document

LESSON_SUFFIX = ".lesson.md"
#: How a lesson, and answers to one, begin as a text; other texts of the program are share texts.
LESSON_PREFIX, ANSWERS_PREFIX = f"{FORMAT}:lesson#", f"{FORMAT}:answers#"
#: Characters in which the beginning of a share text is looked for.
_SHARE_LOOK = 200


class Kind(Enum):
    """What a file can be; OTHER may be points of another program, or a document under another name."""

    DOCUMENT = auto()
    SHARE_TEXT = auto()
    RECOVERY_COPY = auto()
    LESSON = auto()
    ANSWERS = auto()
    OTHER = auto()


class Contents(Struct, frozen=True, eq=False):
    """The document that was read.

    Attributes
    ----------
    document : Document
    kind : Kind
        Of what it was read from.
    path : Path or None
        The document's file; None where saving there would put something else in its place.
    on_disk : Fingerprint or None
        What that file held.
    """

    document: Document
    kind: Kind = Kind.DOCUMENT
    path: Path | None = None
    on_disk: Fingerprint | None = None


def is_share_text(text: str) -> bool:
    """Return whether `text` begins as a text of the program does; the rest of it may be damaged."""
    return kind_of_text(text) is not Kind.OTHER


def kind_of_text(text: str) -> Kind:
    """Return what `text` begins as: a share text, a lesson, answers to one, or OTHER."""
    begins = "".join(text[:_SHARE_LOOK].removeprefix("\ufeff").split())
    if begins.startswith(LESSON_PREFIX):
        return Kind.LESSON
    if begins.startswith(ANSWERS_PREFIX):
        return Kind.ANSWERS
    return Kind.SHARE_TEXT if begins.startswith(f"{FORMAT}:") else Kind.OTHER


def kind_of(path: Path) -> Kind:
    """Return the kind of the file at `path`; on the command line a text may stand in place of the name."""
    if path.name.lower().endswith(LESSON_SUFFIX):
        return Kind.LESSON
    if path.suffix in (recovery.SUFFIX, documents.ASIDE):
        return Kind.RECOVERY_COPY
    for text in (str(path), _beginning(path)):
        if (kind := kind_of_text(text)) is not Kind.OTHER:
            return kind
    return Kind.DOCUMENT if path.suffix.lower() == documents.SUFFIX else Kind.OTHER


def _beginning(path: Path) -> str:
    """Return how the file at `path` begins; "" where it cannot be read."""
    try:
        with documents.open_ordinary(path) as file:
            return documents.read_at_most(file, _SHARE_LOOK).decode("utf-8", "replace")
    except (OSError, ValueError, FileError):  # ValueError: of an impossible name
        return ""


def read(path: Path, most: int = 0) -> Contents:
    """Read the file at `path` as a document, a share text or a recovery copy, by its kind.

    Parameters
    ----------
    path : Path
        Or a share text in place of the name.
    most : int
        Bytes, as for `documents.read_bytes`.

    Raises
    ------
    FileError
        With one sentence, when it holds no document.
    """
    kind = kind_of(path)
    if kind is Kind.RECOVERY_COPY:
        return Contents(recovery.read(path), kind)
    if is_share_text(str(path)):  # nothing in one is changed by being taken for a name
        return of_text(str(path))
    data = documents.read_bytes(path, most)
    if kind in (Kind.SHARE_TEXT, Kind.ANSWERS):
        return of_text(data.decode("utf-8", "replace"))
    document = documents.decode(data, path.name or str(path))
    return Contents(document, Kind.DOCUMENT, path, Fingerprint.of(data))


def of_text(text: str) -> Contents:
    """Read a share text; FileError with one sentence when it is none."""
    if kind_of_text(text) is Kind.ANSWERS:
        raise FileError("These are answers to a lesson: open them with Help > Answers of the class, in that lesson.")
    from . import share_text  # only now: nothing of it is needed to start

    return Contents(share_text.decode(text), Kind.SHARE_TEXT)
