"""Importing: read a file of points or a pasted text, by the reader for its format."""

from __future__ import annotations

import re
from pathlib import Path

from app.core.plain_text import plain
from app.files import documents
from app.files.documents import FileError

from .delimited import read_delimited
from .npz import read_archive
from .svmlight import looks_like_svmlight, read_svmlight
from .table import Dialect, Table

CLIPBOARD = "The clipboard"
#: Suffixes of files that can be imported, for the file dialog.
IMPORTS = {
    "Tables": (".csv", ".tsv", ".txt", ".dat", ".data"),
    "svmlight, LIBSVM": (".svmlight", ".libsvm", ".svm"),
    "NumPy arrays": (".npz",),
}
_SVMLIGHT = IMPORTS["svmlight, LIBSVM"]
#: Suffixes of several formats, between which the content decides.
_EITHER = (".txt", ".dat", ".data", "")


def read(path: Path, dialect: Dialect | None = None) -> Table:
    """Return the table in the file at `path`; raise a FileError with one sentence if it cannot be read.

    Parameters
    ----------
    path : Path
    dialect : Dialect, optional
        Dialect of a separated text, if it is not to be detected.
    """
    return decode(documents.read_bytes(path), plain(path.name or str(path)), path.suffix.lower(), dialect)


def read_text(text: str, dialect: Dialect | None = None) -> Table:
    """Return the table in a text, as spreadsheets put it on the clipboard; raise a FileError if there is none."""
    if len(text) > documents.MAX_BYTES:
        raise FileError(f"{CLIPBOARD} holds more than {documents.MAX_BYTES // 10**6} MB, so it was not read.")
    return decode(b"\xef\xbb\xbf" + text.removeprefix("\ufeff").encode("utf-8", "replace"), CLIPBOARD, "", dialect)


def decode(data: bytes, name: str, suffix: str, dialect: Dialect | None = None) -> Table:
    """Return the table in the bytes of a file whose name ends in `suffix`."""
    spec = dialect or Dialect()
    if re.search(rb"[^ \t\r\n\xef\xbb\xbf]", data) is None:
        raise FileError(f"{name} is empty.")
    if suffix == ".npz":
        return read_archive(data, name)
    if suffix in _SVMLIGHT or (suffix in _EITHER and spec == Dialect() and looks_like_svmlight(data, name)):
        return read_svmlight(data, name)
    return read_delimited(data, name, spec)
