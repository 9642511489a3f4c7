"""Documents in files, for tests that read or write them."""

from __future__ import annotations

from pathlib import Path

from app.files import documents
from app.state.document import Document


def read(path: Path) -> Document:
    """Return the document in the file at `path`; raise a FileError with one sentence if it cannot be read."""
    return documents.decode(documents.read_bytes(path), path.name or str(path))


def write(document: Document, path: Path) -> None:
    """Save `document` at `path`; raise a FileError if it cannot be written."""
    documents.write_bytes(documents.encode(document), path)
