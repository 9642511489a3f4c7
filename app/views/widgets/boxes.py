"""Boxes: a box layout and what stands in it, in one expression."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QLayout, QWidget

Box = TypeVar("Box", bound=QBoxLayout)
#: A widget or layout, alone or with its stretch (and alignment); a number is a stretch without anything in it.
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]


def filled(
    layout: Box, *parts: Part, margins: int | tuple[int, int, int, int] | None = None, spacing: int | None = None
) -> Box:
    """Put `parts` into `layout` one after the other, and give it its margins and spacing where they are not Qt's.

    Parameters
    ----------
    layout : QBoxLayout
    parts : sequence of Part
    margins : int or tuple of int, optional
        On all sides, or left, top, right and bottom.
    spacing : int, optional
    """
    if margins is not None:
        layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
            continue
        item, *room = part if isinstance(part, tuple) else (part,)
        if isinstance(item, QLayout):
            layout.addLayout(item, *room)
        else:
            layout.addWidget(item, *room)  # type: ignore[arg-type]  # a stretch, or a stretch and an alignment
    return layout
