"""Exported files as one piece."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.exchange.exporting import Labels, encode_pieces
from solver.core.arrays import Array


def encode(
    xy: Array, labels: Labels, class_names: Sequence[str], axes: tuple[str, str], path: Path, guard: bool = True
) -> bytes:
    """Return the bytes of all pieces."""
    return b"".join(piece for piece, _ in encode_pieces(xy, labels, class_names, axes, path, guard))
