"""DrawnFirst: draw a change before the user's next input, so that a form acts on the document it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from app.views.plot.canvas import Canvas

#: Input with which a control acts.
ACTS = {
    QEvent.Type.MouseButtonPress,
    QEvent.Type.MouseButtonRelease,
    QEvent.Type.MouseButtonDblClick,
    QEvent.Type.KeyPress,
    QEvent.Type.Shortcut,
}


class DrawnFirst(QObject):
    """Watch all input between a change and its drawing; pictures need no drawing, as they hold no choices.

    Parameters
    ----------
    window : QWidget
    draw : callable
    lanes_kept : callable
        Whether the lanes are displayed at their present indices: if not, a drag would act on another one.
    """

    def __init__(self, window: QWidget, draw: Callable[[], object], lanes_kept: Callable[[], bool]) -> None:
        super().__init__(window)
        self._window, self._draw, self._lanes_kept = window, draw, lanes_kept
        self._application = cast(QApplication, QApplication.instance())

    def begin(self) -> None:
        """Watch from now on: there is a change.  A window that is not shown gets no input."""
        if self._window.isVisible():
            self._application.installEventFilter(self)

    def end(self) -> None:
        """Stop: it is drawn.  An application-wide filter would slow down all that is painted in between."""
        self._application.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        acts = kind in ACTS or (kind is QEvent.Type.MouseMove and not self._lanes_kept())
        if not acts or not isinstance(watched, QWidget) or watched is self._window:
            return False
        if isinstance(watched.parentWidget(), Canvas) or not watched.isVisible():
            return False
        self.end()
        self._draw()
        return not (isValid(watched) and watched.isVisible())  # what has gone does not act
