"""FittedWidget: a widget that arranges its contents anew when its size or its font changes."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

#: Events after which texts may need another room.
NEW_FONT = (QEvent.Type.FontChange, QEvent.Type.StyleChange)


class FittedWidget(QWidget):
    """A widget that calls `fit` after each change of its size or its font."""

    def fit(self) -> None:
        """Arrange the contents for the present size and font."""
        raise NotImplementedError

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in NEW_FONT:
            self.fit()
