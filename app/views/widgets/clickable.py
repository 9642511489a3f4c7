"""Buttons and boxes with their names, their teaching sentence and what a click on them does."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtWidgets import QAbstractButton

from .form_fields import describe

Button = TypeVar("Button", bound=QAbstractButton)


def clickable(button: Button, name: str, title: str, tip: str, act: Callable[[], object]) -> Button:
    """Have `button`, named `name` for programs and `title` for people, do `act`; hand it back."""
    button.clicked.connect(lambda: act())
    return describe(button, name, title, tip)
