"""RoomyLabel: text that wraps, with room for the longest of its texts, so that nothing around it jumps."""

from __future__ import annotations

import re
from html import unescape

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QTextDocument
from PySide6.QtWidgets import QLabel, QSizePolicy

#: What tells of another font.
NEW_FONT = (QEvent.Type.FontChange, QEvent.Type.StyleChange)
#: Pixels at which a text is measured that has not its width yet.
LEAST_WIDTH = 60
#: Heights that are remembered.
MOST_KNOWN = 100


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
        super().__init__(
            wordWrap=True,
            textFormat=Qt.TextFormat.RichText if rich else Qt.TextFormat.PlainText,
            alignment=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft,
        )
        self._longest, self._rich = longest, rich
        self._kept = (0, 0)  # the width, and the height there
        self._heights: dict[tuple[str, int], int] = {}  # by text and width
        self.setObjectName(name)
        if title:
            self.setAccessibleName(title)
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def say(self, text: str, keep: bool = True) -> None:
        """Show `text`; the room of those before it is kept, or not."""
        if text != self.text():
            self.setText(text)
            if not keep:
                self.forget()
            if self.accessibleName():  # else the text is what is read out
                self.setAccessibleDescription(unescape(re.sub(r"<[^>]*>", " ", text)) if self._rich else text)
            self._fit()

    def reserve(self, longest: str) -> None:
        """Keep room for this text, too."""
        if longest != self._longest:
            self._longest = longest
            self._fit()

    def forget(self) -> None:
        """Take the room of earlier texts back."""
        self._kept = (0, 0)

    def heightForWidth(self, width: int) -> int:
        """Of any width, so that who asks before it has that width is answered as afterwards."""
        width = max(width, LEAST_WIDTH)
        kept = self._kept[1] if self._kept[0] == width else 0
        return max(kept, self._room(self._longest or self.text(), width), self._room(self.text(), width))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self.heightForWidth(self.width()))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.heightForWidth(self.width()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in NEW_FONT:
            self._heights.clear()
            self.forget()
            self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        width = max(self.width(), LEAST_WIDTH)
        height = self.heightForWidth(width)
        self._kept = width, height
        if height != self.height():
            self.updateGeometry()

    def _room(self, text: str, width: int) -> int:
        """Pixels that `text` needs; a label itself says no less than it has been given."""
        known = self._heights.get((text, width))
        if known is None:
            if len(self._heights) > MOST_KNOWN:
                self._heights.clear()
            known = self._heights[text, width] = self._measured(text, width)
        return known

    def _measured(self, text: str, width: int) -> int:
        if not self._rich:
            wrapped = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
            return self.fontMetrics().boundingRect(QRect(0, 0, width, 100_000), wrapped, text).height() + 2
        document = QTextDocument()
        document.setDocumentMargin(0)
        document.setDefaultFont(self.font())
        document.setHtml(text)
        document.setTextWidth(width)
        return round(document.size().height()) + 2
