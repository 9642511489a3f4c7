"""Exchange: points from and for other programs: separated text, svmlight, NumPy arrays, the clipboard."""

from .columns import BadRows, Choice, Imported, convert, default_choice
from .delimited import DECIMALS, SEPARATORS
from .exporting import EXPORTS, DoubtError, as_text, encode_pieces, export, from_text, running, text_pieces
from .importing import IMPORTS, read, read_text
from .table import Column, Dialect, DialectError, Table

__all__ = [
    "DECIMALS",
    "EXPORTS",
    "IMPORTS",
    "SEPARATORS",
    "BadRows",
    "Choice",
    "Column",
    "Dialect",
    "DialectError",
    "DoubtError",
    "Imported",
    "Table",
    "as_text",
    "convert",
    "default_choice",
    "encode_pieces",
    "export",
    "from_text",
    "read",
    "read_text",
    "running",
    "text_pieces",
]
