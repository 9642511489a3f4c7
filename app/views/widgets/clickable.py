"""Buttons, check boxes and combo boxes with their names, teaching sentence and handler."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from PySide6.QtWidgets import QAbstractButton, QComboBox

from .form_fields import combo_box, describe

Button = TypeVar("Button", bound=QAbstractButton)


def clickable(button: Button, name: str, title: str, tip: str, act: Callable[[], object]) -> Button:
    """Give `button` its object name, its `title` for people, its `tip` and the handler `act`; return the button."""
    button.clicked.connect(lambda: act())
    return describe(button, name, title, tip)


def chooser(
    name: str,
    title: str,
    tip: str,
    act: Callable[[Any], object],
    entries: Iterable[tuple[str, object]] = (),
    width: int = 0,
) -> QComboBox:
    """Return a combo box as `combo_box`, with its names and `tip`; `act` receives the data of the user's choice."""
    combo = describe(combo_box(entries, width), name, title, tip)
    combo.activated.connect(lambda: act(combo.currentData()))
    return combo
