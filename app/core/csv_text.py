"""CSV text: the rows of a table as text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable


def csv_text(rows: Iterable[Iterable[object]], separator: str = ",", quote_all: bool = False) -> str:
    """Return a table as text, a line for each row; cells are quoted where they must be, or all of them."""
    text = io.StringIO()
    writer = csv.writer(
        text, delimiter=separator, quoting=csv.QUOTE_ALL if quote_all else csv.QUOTE_MINIMAL, lineterminator="\n"
    )
    writer.writerows(rows)
    return text.getvalue()
