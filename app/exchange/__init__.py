"""Exchange: points from and for other programs: separated text, svmlight, NumPy arrays, the clipboard."""

from .convert import BadRows, Choice, Imported, convert, default_choice
from .reading import IMPORTS, read, read_text
from .table import Column, Dialect, DialectError, Table
from .text import DECIMALS, SEPARATORS
from .writing import EXPORTS, DoubtError, as_text, encode_pieces, export, from_text, running, text_pieces

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
