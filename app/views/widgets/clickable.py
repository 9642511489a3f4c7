"""Buttons and check boxes with their names, teaching sentence and click handler."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QAbstractButton

from .inputs import describe

Button = TypeVar("Button", bound=QAbstractButton)


def clickable(button: Button, name: str, title: str, tip: str, act: Callable[[], object]) -> Button:
    """Give `button` its object name, its `title` for people, its `tip` and the handler `act`; return the button."""
    button.clicked.connect(lambda: act())
    return describe(button, name, title, tip)
