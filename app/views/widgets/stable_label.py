"""StableLabel: a label whose new texts leave the layout alone; Qt's own has the whole window laid out for each."""

from __future__ import annotations

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QWidget


class StableLabel(QWidget):
    """A place with a label of its size, which is for others to fix.

    Attributes
    ----------
    label : QLabel
    """

    def __init__(self) -> None:
        super().__init__()
        self.label = QLabel(self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.label.resize(event.size())
