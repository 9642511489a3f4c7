"""ElidedLabel: a line of text that ends in dots if it does not fit."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QLabel

from app.views.widgets.painting import painter_on


class ElidedLabel(QLabel):
    """A sentence in one line; if it does not fit, it ends in dots, and the tip has the full text."""

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self) as painter:
            room, metrics = self.contentsRect(), self.fontMetrics()
            shown = metrics.elidedText(self.text(), Qt.TextElideMode.ElideRight, room.width())
            align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            painter.setPen(self.palette().windowText().color())
            painter.drawText(room, align.value, shown)

    def is_whole(self) -> bool:
        """Return True if all of the text is visible."""
        return self.fontMetrics().horizontalAdvance(self.text()) <= self.contentsRect().width()
