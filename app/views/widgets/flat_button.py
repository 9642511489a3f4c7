"""Flat buttons: small buttons with a sign, without a frame until the pointer is on them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QToolButton

from .form_fields import describe
from .icons import ICON_SIZE


def flat_button(
    name: str, title: str, tip: str, act: Callable[[], object], size: tuple[int, int] = (30, 30), text: str = ""
) -> QToolButton:
    """Return a button that calls `act()`, with room for an icon; after a click the keys still belong to the picture.

    Parameters
    ----------
    name, title, tip : str
        As for `describe`.
    act : callable
    size : (int, int)
        Its least width and height in pixels.
    text : str
        A sign in place of an icon.
    """
    button = QToolButton(autoRaise=True)
    button.setText(text)
    button.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
    button.setMinimumSize(*size)
    button.clicked.connect(lambda: act())
    return describe(button, name, title, tip)
