"""StableLabel: a label whose new texts do not change the layout; a QLabel has the whole window laid out for each."""

from __future__ import annotations

from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget


class StableLabel(QWidget):
    """A widget that contains a label; the caller fixes its size, or lets it `grow` with the texts.

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
        """Extend the minimum size for this text; it never shrinks unless the font changes."""
        font, least = self.label.font(), self.label.minimumSizeHint()
        self.setMinimumSize(least.expandedTo(self.minimumSize()) if font == self._font else least)
        self._font = font

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.label.resize(event.size())
