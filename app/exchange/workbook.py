"""Workbooks of Excel and LibreOffice: a sheet as a table.  A second process reads it, which may fail without harm."""

from __future__ import annotations

import importlib.util
import io
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import suppress

import msgspec
from msgspec.structs import replace

from app.files.documents import MAX_BYTES, FileError
from solver.core.own_process import command

from .delimited import read_rows
from .head import Row
from .sheet_process import PASSWORD, Report
from .table import OnProgress, Table, unheard

MISSING = (
    "{name} is a workbook, and python-calamine, which reads them, is not installed: pip install"
    " 'classifier-playground[tables]'; or save the sheet as CSV."
)
#: Largest ratio of a workbook's unpacked size to its own; those of spreadsheets are below 100.
_MOST_PACKED, _SMALL = 200, 10_000_000
#: Name of the stream of an encrypted workbook.
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
#: Longest time (s) for a workbook.
_LONGEST = 60
#: Time (s) between two looks at whether it is still wanted.
_INTERVAL = 0.05


def read_workbook(
    data: bytes, name: str, sheet: str | None = None, progress: OnProgress = unheard, first: int = 0
) -> Table:
    """Return the table in a sheet of a workbook; raise a FileError with one sentence if it cannot be read.

    Parameters
    ----------
    data : bytes
    name : str
    sheet : str, optional
        Name of the sheet; the first with two columns if it is not given.
    progress : callable, optional
        Called many times a second; an error that it raises ends the second process.
    first : int
        Most rows, if not 0.
    """
    if importlib.util.find_spec("python_calamine") is None:
        raise FileError(MISSING.format(name=name))
    if data.startswith(b"PK"):
        _check_unpacked(data, name)
    try:
        output, code = _output(command("app.exchange.sheet_process", sheet or "", str(first)), data, progress)
        answer = io.BytesIO(output)
        report = msgspec.json.decode(answer.readline(), type=Report)
    except (OSError, subprocess.SubprocessError, msgspec.MsgspecError):
        raise FileError(f"{name} cannot be read: it is damaged, or too large.") from None
    if report.fault == PASSWORD or (report.fault and _ENCRYPTED in data):
        raise FileError(f"{name} is protected by a password: save it without one, or the sheet as CSV.")
    if sheet and sheet not in report.sheets and report.sheets:
        raise FileError(f"{name} has no sheet {sheet!r}; it has {', '.join(report.sheets)}.")
    if report.fault:
        # Of an old version of Excel, the reader does not know the one from the other.
        protected = "protected by a password, " * data.startswith(b"\xd0\xcf")
        raise FileError(f"{name} is damaged, {protected}or no workbook ({report.fault}).")
    if code:
        raise FileError(f"{name} cannot be read: sheet {report.sheet} is damaged, or too large.")
    start, decoder = answer.tell(), msgspec.json.Decoder(list[str])

    def rows() -> Iterator[Row]:
        answer.seek(start)
        yield from ((number, cells) for number, cells in enumerate(map(decoder.decode, answer), 1) if any(cells))

    table = read_rows(rows, name, "row", len(output), lambda _: progress(answer.tell() / len(output)))
    return replace(table, sheets=tuple(report.sheets), sheet=report.sheet)


def _output(words: list[str], data: bytes, progress: OnProgress) -> tuple[bytes, int]:
    """Return the output and the exit code of a process for `data`; it is killed if it takes long, or is cancelled."""
    # In a file, because an input that a pipe does not hold is lost with the first `communicate` that times out.
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        with subprocess.Popen(words, stdin=file, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
            try:
                for _ in range(round(_LONGEST / _INTERVAL)):
                    progress(0.0)
                    with suppress(subprocess.TimeoutExpired):
                        return process.communicate(timeout=_INTERVAL)[0], process.returncode
                raise OSError("It took too long.")
            finally:
                process.kill()


def _check_unpacked(data: bytes, name: str) -> None:
    """Raise a FileError if a workbook would unpack to very much more."""
    try:
        size = sum(info.file_size for info in zipfile.ZipFile(io.BytesIO(data)).infolist())
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        raise FileError(f"{name} is damaged, or no workbook.") from None
    if size > min(2 * MAX_BYTES, max(_SMALL, _MOST_PACKED * len(data))):
        raise FileError(f"{name} unpacks to {size // 10**6} MB, so it was not read.")
