"""Boxes: combine widgets side by side, or one below the other, into one widget."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QGridLayout, QGroupBox, QHBoxLayout, QVBoxLayout, QWidget

from .flow_layout import FlowLayout
from .inputs import Part, filled, label_for


def in_row(*parts: Part, margins: Any = 0, spacing: int | None = None) -> QWidget:
    """Return a widget with the parts side by side, see `filled`."""
    box = QWidget()
    filled(QHBoxLayout(box), *parts, margins=margins, spacing=spacing)
    return box


def in_column(*parts: Part, margins: Any = 0, spacing: int | None = None) -> QWidget:
    """Return a widget with the parts below each other, see `filled`."""
    box = QWidget()
    filled(QVBoxLayout(box), *parts, margins=margins, spacing=spacing)
    return box


def headed(title: str, *parts: Part) -> QGroupBox:
    """Return a group with the parts below each other, below a heading."""
    box = QGroupBox(title)
    filled(QVBoxLayout(box), *parts, margins=0, spacing=4)
    return box


def labelled(text: str, *parts: Any, spacing: int | None = None) -> QWidget:
    """Return a widget with the parts side by side, the first of them a field with the label `text` before it."""
    return in_row(label_for(text, parts[0]), *parts, spacing=spacing)


def grid_on(
    widget: QWidget, margins: tuple[int, int, int, int] = (0, 0, 0, 0), across: int = -1, down: int = -1
) -> QGridLayout:
    """Return a grid layout on `widget`; distances `across` and `down` (pixels) are those of the style if negative."""
    grid = QGridLayout(widget)
    grid.setContentsMargins(*margins)
    grid.setHorizontalSpacing(across)
    grid.setVerticalSpacing(down)
    return grid


def in_lines(gap: int, *parts: QWidget) -> QWidget:
    """Return a widget with the parts side by side, in as many lines as needed."""
    box = QWidget()
    layout = FlowLayout(box, gap)
    for part in parts:
        layout.addWidget(part)
    return box
