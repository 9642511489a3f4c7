"""Documents in files, for the tests that need one there, or look at what was saved."""

from __future__ import annotations

from pathlib import Path

from app.files import documents
from app.state.document import Document


def read(path: Path) -> Document:
    """The document in the file at `path`; FileError with one sentence when it cannot be read."""
    return documents.decode(documents.read_bytes(path), path.name or str(path))


def write(document: Document, path: Path) -> None:
    """Save `document` at `path`; FileError when it cannot be written."""
    documents.write_bytes(documents.encode(document), path)
