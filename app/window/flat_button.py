"""Flat buttons: small buttons with a symbol, without a frame until the pointer is over them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QSize
from PySide6.QtWidgets import QToolButton

from app.views.theme import Theme
from app.views.widgets.fitted import NEW_FONT
from app.views.widgets.icons import ICON_SIZE, icon, icon_size
from app.views.widgets.inputs import describe


class FlatButton(QToolButton):
    """A button that grows with its text, and so does its icon; `least` is its size beside text of usual size."""

    def __init__(self, least: tuple[int, int], text: str) -> None:
        super().__init__(text=text, autoRaise=True)  # type: ignore[call-arg]  # properties of its bases
        self._room = QSize(*least) - QSize(ICON_SIZE, ICON_SIZE)
        self._shown: tuple[str, Theme] | None = None
        self._grow()

    @property
    def side(self) -> QSize:
        """Return the size without words."""
        return self.iconSize() + self._room

    def show_icon(self, name: str, theme: Theme) -> None:
        """Show the icon of this name in the theme's ink."""
        if (name, theme) != self._shown:
            self._shown = name, theme
            self._grow()

    def _grow(self) -> None:
        width = icon_size(self.font(), bounded=False)
        self.setIconSize(QSize(width, width))
        self.setMinimumSize(self.side)
        if self._shown is not None:
            self.setIcon(icon(*self._shown, self.devicePixelRatioF() * width / ICON_SIZE))

    def sizeHint(self) -> QSize:
        return super().sizeHint() if self.text() else self.side

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in NEW_FONT:  # the style has set the least height, too
            self._grow()


def flat_button(
    name: str, title: str, tip: str, act: Callable[[], object], size: tuple[int, int] = (30, 30), text: str = ""
) -> FlatButton:
    """Return a button that calls `act()`, with room for an icon; a click leaves the keyboard focus with the picture.

    Parameters
    ----------
    name, title, tip : str
        As for `describe`.
    act : callable
    size : (int, int)
        Minimum width and height in pixels, beside text of usual size.
    text : str
        A symbol in place of an icon.
    """
    button = FlatButton(size, text)
    button.clicked.connect(lambda: act())
    return describe(button, name, title, tip)
