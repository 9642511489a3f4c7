"""Sheet process: read a sheet of a workbook in a second process, which a hostile workbook may end.

The workbook is the standard input.  The arguments are the name of the sheet, "" for the first that may be a table, and
the most rows, or 0.  The first line of the output is a `Report`, each other line the texts of a row; all are JSON.
"""

from __future__ import annotations

import datetime
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import islice

import msgspec

if sys.platform != "win32":
    import resource

#: Most bytes of memory, where the system has such a limit, and of the output.
MOST_MEMORY, MOST_OUTPUT = 2_000_000_000, 200_000_000
#: Fault of a workbook that is encrypted.
PASSWORD = "password"


class Report(msgspec.Struct):
    """Names of the sheets, the sheet whose rows follow, and the reason if there is none."""

    sheets: list[str] = []
    sheet: str = ""
    fault: str = ""


def text_of(value: object) -> str:
    """Return the text of a cell: a number without loss, a date as ISO 8601 has it, true or false."""
    if isinstance(value, float):
        return f"{value:.0f}" if value.is_integer() and abs(value) < 1e15 else repr(value)
    if isinstance(value, datetime.datetime) and value.time() == datetime.time():
        value = value.date()
    return str(value).lower() if isinstance(value, bool) else str(value)


def read(data: bytes, sheet: str) -> tuple[Report, Iterator[Sequence[object]]]:
    """Return what the workbook has, and the rows of the sheet `sheet`, or for "" of the first with two columns."""
    import python_calamine

    report = Report()
    try:
        book = python_calamine.load_workbook(io.BytesIO(data))
        report.sheets = book.sheet_names
        for name in [sheet] if sheet else book.sheet_names:
            report.sheet, found = name, book.get_sheet_by_name(name)
            if found.width > 1 or sheet or name == book.sheet_names[-1]:
                return report, found.iter_rows()
    except python_calamine.PasswordError:
        report.fault = PASSWORD
    except (python_calamine.CalamineError, ValueError) as error:
        report.fault = str(error) or type(error).__name__
    return report, iter(())


def main() -> None:
    """Read the workbook, and write the rows of the sheet."""
    if sys.platform != "win32":
        with suppress(ValueError, OSError):  # not on every system
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    sheet, most = sys.argv[1:]
    report, rows = read(sys.stdin.buffer.read(), sheet)
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
    left = MOST_OUTPUT
    for row in islice(rows, int(most) or None):
        line = msgspec.json.encode([*map(text_of, row)]) + b"\n"
        left -= len(line)
        if left < 0:
            sys.exit(1)
        sys.stdout.buffer.write(line)


if __name__ == "__main__":
    main()
