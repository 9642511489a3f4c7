"""Importing: read a file of points or a pasted text, by the reader for its format, which its content shows."""

from __future__ import annotations

import io
import re
import zipfile
from contextlib import suppress
from pathlib import Path

from app.core.plain_text import plain
from app.files import documents
from app.files.documents import FileError

from .arff import looks_like_arff, read_arff
from .delimited import encoding_of, read_delimited
from .json_records import read_json
from .mldemos import looks_like_mldemos, read_mldemos
from .npz import ARRAY, read_archive
from .roles import with_dates, with_groups
from .svmlight import looks_like_svmlight, read_svmlight
from .table import Dialect, OnProgress, Table, unheard

CLIPBOARD = "The clipboard"
#: Suffixes of files that can be imported, for the file dialog.
IMPORTS = {
    "Tables": (".csv", ".tsv", ".txt", ".dat", ".data"),
    "Excel, LibreOffice": (".xlsx", ".xlsm", ".xls", ".xlsb", ".ods"),
    "Weka, Orange, MLDemos": (".arff", ".tab", ".ml"),
    "svmlight, LIBSVM": (".svmlight", ".libsvm", ".svm"),
    "NumPy arrays": (".npz", ".npy"),
    "JSON": (".json", ".jsonl"),
}
_ARRAYS, _SVMLIGHT, _JSON = (IMPORTS[title] for title in ("NumPy arrays", "svmlight, LIBSVM", "JSON"))
#: Suffixes of files that are read whole also for their first rows.
_WHOLE = (*_ARRAYS, *IMPORTS["Excel, LibreOffice"])
#: Beginning of the workbooks of old versions of Excel, and of encrypted ones.
_OLD_WORKBOOK = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
#: Beginning of the end of a zip file, and most bytes of its list of parts, which takes a second to read.
_DIRECTORY, _MOST_LISTED = b"PK\x05\x06", 2_000_000
#: Beginnings of files of other kinds, in small letters.
_OTHERS = {
    b"%pdf": "a PDF file: copy the table from it, and import from the clipboard",
    b"\x1f\x8b": "packed with gzip: unpack it first",
    b"par1": "a Parquet file: save the table as CSV",
    b"\x89hdf": "an HDF5 file: save the table as CSV",
    b"matlab": "a MATLAB file: save the table as CSV",
    **dict.fromkeys((b"<!doctype", b"<html", b"<?xml"), "a web page or XML: save the table as CSV"),
}
#: Bytes of an empty text.
_BLANK = b" \t\r\n\xef\xbb\xbf"
#: Bytes of a large file that are read for a first preview, within some tenths of a second.
BEGINNING = 500_000
#: By the start of a text, where its beginning is cut and what ends it: lists of records or rows in JSON, and lines.
_ENDS = {rb"\s*\[\s*\{": (b"}", b"]"), rb"\s*\[\s*\[": (b"]", b"]"), b"": (b"\n", b"")}
#: Bytes by which a text is recognised.
_BEGINNING = 100_000


def read(
    path: Path,
    dialect: Dialect | None = None,
    sheet: str | None = None,
    progress: OnProgress = unheard,
    beginning: bool = False,
) -> Table:
    """Return the table in the file at `path`; raise a FileError with one sentence if it cannot be read.

    Parameters
    ----------
    path : Path
    dialect : Dialect, optional
        Dialect of a separated text, if it is not to be detected.
    sheet : str, optional
        Sheet of a workbook, if not the first with two columns.
    progress : callable, optional
        Called between the pieces of the work.
    beginning : bool
        Read only the first rows, for a preview; a FileError if the file is short.
    """
    name, suffix = plain(path.name or str(path)), path.suffix.lower()
    data = documents.read_bytes(path, *(BEGINNING, False) if beginning and suffix not in _WHOLE else ())
    return decode(data, name, suffix, dialect, sheet, progress, beginning)


def read_text(
    text: str, dialect: Dialect | None = None, progress: OnProgress = unheard, beginning: bool = False
) -> Table:
    """Return the table in a text, as spreadsheets put it on the clipboard; raise a FileError if there is none."""
    if len(text) > documents.MAX_BYTES:
        raise FileError(f"{CLIPBOARD} holds more than {documents.MAX_BYTES // 10**6} MB, so it was not read.")
    data = f"\ufeff{text.removeprefix(chr(0xFEFF))}".encode("utf-8", "replace")
    return decode(data, CLIPBOARD, "", dialect, None, progress, beginning)


def decode(
    data: bytes,
    name: str,
    suffix: str,
    dialect: Dialect | None = None,
    sheet: str | None = None,
    progress: OnProgress = unheard,
    beginning: bool = False,
) -> Table:
    """Return the table in the bytes of a file whose name ends in `suffix`.  Parameters as in `read`."""
    if beginning and len(data) < BEGINNING:
        raise FileError(f"{name} is short.")
    first = 1000 * beginning  # rows of arrays and workbooks; 0 for all
    if beginning and suffix not in _WHOLE:
        last, end = next(ends for start, ends in _ENDS.items() if re.match(start, data))
        data = data[: data.rfind(last, 0, BEGINNING) + 1] + end
    if not any(data[start : start + BEGINNING].strip(_BLANK) for start in range(0, len(data), BEGINNING)):
        raise FileError(f"{name} is empty.")
    if data.startswith(b"PK") and int.from_bytes(data[data.rfind(_DIRECTORY) :][12:16], "little") > _MOST_LISTED:
        raise FileError(f"{name} is a zip file of very many parts, so it was not read.")
    if suffix not in _ARRAYS and (data.startswith(_OLD_WORKBOOK) or _is_workbook(data)):
        from .workbook import read_workbook  # here, because few need it

        return with_groups(with_dates(read_workbook(data, name, sheet, progress, first)))
    if suffix in _ARRAYS or data.startswith((ARRAY, b"PK\x03\x04")):
        return read_archive(data, name, first)
    if kind := next((kind for start, kind in _OTHERS.items() if data[:9].lower().startswith(start)), ""):
        raise FileError(f"{name} is {kind}.")
    return _decode_text(data, name, suffix, dialect or Dialect(), progress)


def _is_workbook(data: bytes) -> bool:
    """Return whether `data` is a zip file, though a damaged one, without arrays."""
    with suppress(zipfile.BadZipFile, ValueError, NotImplementedError):
        return data.startswith(b"PK\x03\x04") and not any(
            name.endswith(".npy") for name in zipfile.ZipFile(io.BytesIO(data)).namelist()
        )
    return True


def _decode_text(data: bytes, name: str, suffix: str, spec: Dialect, progress: OnProgress) -> Table:
    """Return the table in a text.  A `spec` with any choice is of a separated text."""
    encoding = encoding_of(data, name, progress)
    if spec == Dialect():
        start = data[:_BEGINNING].decode(encoding, "replace")
        if suffix in _JSON or re.match(r"\s*(\[\s*[\[{]|\{\s*\")", start):
            return with_groups(with_dates(read_json(data, encoding, name, progress)))
        if looks_like_arff(start.splitlines()):
            return with_groups(with_dates(read_arff(data, encoding, name, progress)))
        if looks_like_mldemos(data):
            return read_mldemos(data, name, progress)
    sparse = suffix in _SVMLIGHT or (spec == Dialect() and looks_like_svmlight(data, encoding, name))
    given = data, encoding, name
    if sparse:
        return read_svmlight(*given, progress)
    return with_groups(with_dates(read_delimited(*given, spec, progress)))
