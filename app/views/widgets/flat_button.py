"""Flat buttons: small buttons with a symbol, without a frame until the pointer is over them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QToolButton

from .icons import ICON_SIZE
from .inputs import describe


def flat_button(
    name: str, title: str, tip: str, act: Callable[[], object], size: tuple[int, int] = (30, 30), text: str = ""
) -> QToolButton:
    """Return a button that calls `act()`, with room for an icon; a click leaves the keyboard focus with the picture.

    Parameters
    ----------
    name, title, tip : str
        As for `describe`.
    act : callable
    size : (int, int)
        Minimum width and height in pixels.
    text : str
        A symbol in place of an icon.
    """
    button = QToolButton(  # type: ignore[call-arg]  # properties of its bases
        text=text, autoRaise=True, iconSize=QSize(ICON_SIZE, ICON_SIZE), minimumSize=QSize(*size)
    )
    button.clicked.connect(lambda: act())
    return describe(button, name, title, tip)
