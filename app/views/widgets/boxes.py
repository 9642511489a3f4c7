"""Boxes: widgets beside or below each other, as one widget."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from .flow_layout import FlowLayout
from .form_fields import Part, filled


def in_row(*parts: Part, margins: Any = 0, spacing: int | None = None) -> QWidget:
    """Parts beside each other, see `filled`."""
    box = QWidget()
    filled(QHBoxLayout(box), *parts, margins=margins, spacing=spacing)
    return box


def in_column(*parts: Part, margins: Any = 0, spacing: int | None = None) -> QWidget:
    """Parts below each other, see `filled`."""
    box = QWidget()
    filled(QVBoxLayout(box), *parts, margins=margins, spacing=spacing)
    return box


def in_lines(gap: int, *parts: QWidget) -> QWidget:
    """Parts beside each other, in as many lines as there must be."""
    box = QWidget()
    layout = FlowLayout(box, gap)
    for part in parts:
        layout.addWidget(part)
    return box
