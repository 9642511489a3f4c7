"""RoomyLabel: text that wraps, with room for the longest of its texts, so that nothing around it jumps."""

from __future__ import annotations

import re
from html import unescape

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QResizeEvent, QTextDocument
from PySide6.QtWidgets import QLabel, QSizePolicy

#: What tells of another font.
NEW_FONT = (QEvent.Type.FontChange, QEvent.Type.StyleChange)
#: Pixels at which a text is measured that has not its width yet.
LEAST_WIDTH = 60


class RoomyLabel(QLabel):
    """As high as the highest of its texts at this width and in this font; `forget()` takes the room back.

    Parameters
    ----------
    name : str
        Its object name.
    longest : str
        It has room for this one from the beginning.
    title : str
        What it is called; its text, which can be selected, is then its description.
    rich : bool
        Its texts are HTML.
    """

    def __init__(self, name: str = "", longest: str = "", *, title: str = "", rich: bool = False) -> None:
        super().__init__()
        self._longest, self._rich = longest, rich
        self._kept = (0, 0)  # the width, and the height there
        self.setObjectName(name)
        if title:
            self.setAccessibleName(title)
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText if rich else Qt.TextFormat.PlainText)
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def say(self, text: str, keep: bool = True) -> None:
        """Show `text`; the room of those before it is kept, or not."""
        if text != self.text():
            self.setText(text)
            if not keep:
                self.forget()
            if self.accessibleName():  # else the text is what is read out
                self.setAccessibleDescription(unescape(re.sub(r"<[^>]*>", " ", text)) if self._rich else text)
            self._fit()

    def forget(self) -> None:
        """Take the room of earlier texts back."""
        self._kept = (0, 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in NEW_FONT:
            self.forget()
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        width = max(self.width(), LEAST_WIDTH)
        height = self._room(self.text(), width)
        if self._kept[0] == width:
            height = max(height, self._kept[1])
        elif self._longest:
            height = max(height, self._room(self._longest, width))
        self._kept = (width, height)
        if height != self.minimumHeight():
            self.setFixedHeight(height)

    def _room(self, text: str, width: int) -> int:
        """Pixels that `text` needs; a label itself says no less than it has been given."""
        if not self._rich:
            wrapped = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
            return self.fontMetrics().boundingRect(QRect(0, 0, width, 100_000), wrapped, text).height() + 2
        document = QTextDocument()
        document.setDocumentMargin(0)
        document.setDefaultFont(self.font())
        document.setHtml(text)
        document.setTextWidth(width)
        return round(document.size().height()) + 2
