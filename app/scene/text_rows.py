"""TextRows: rows of text for a table; the text of a cell is made on demand.  No Qt."""

from __future__ import annotations


class TextRows:
    """Rows of text: subclasses set the attributes and implement `cell`.

    Attributes
    ----------
    header : tuple of str
        Titles of the columns.
    rows : int
    right : tuple of int
        Columns that are aligned right.
    """

    header: tuple[str, ...] = ()
    rows = 0
    right: tuple[int, ...] = ()

    def cell(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        raise NotImplementedError

    def spoken(self, row: int) -> str:
        """Return a row as one sentence, for screen readers."""
        cells = ((name, self.cell(row, column)) for column, name in enumerate(self.header))
        return ", ".join(f"{name} {text}".strip() for name, text in cells if text)
