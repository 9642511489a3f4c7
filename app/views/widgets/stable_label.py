"""StableLabel: a label whose new texts leave the layout alone; Qt's own has the whole window laid out for each."""

from __future__ import annotations

from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget


class StableLabel(QWidget):
    """A place with a label of its size, which is for others to fix, or `grow` with the texts.

    Parameters
    ----------
    label : QLabel, optional
        Default: a new one.
    """

    def __init__(self, label: QLabel | None = None) -> None:
        super().__init__()
        self.label = QLabel() if label is None else label
        self.label.setParent(self)
        self._font: QFont | None = None

    def grow(self) -> None:
        """Have room for this text, and for any before it in the same font."""
        font, least = self.label.font(), self.label.minimumSizeHint()
        self.setMinimumSize(least.expandedTo(self.minimumSize()) if font == self._font else least)
        self._font = font

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.label.resize(event.size())
