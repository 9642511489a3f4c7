"""RoomyLabel: wrapped text with room for the longest of its texts, so that nothing around it moves."""

from __future__ import annotations

import re
from html import unescape

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QResizeEvent, QTextDocument
from PySide6.QtWidgets import QLabel, QSizePolicy

from .fitted import NEW_FONT

#: Width (pixels) at which a text is measured before its real width is known.
LEAST_WIDTH = 60


class RoomyLabel(QLabel):
    """A label as high as the highest of its texts at the present width and font; `forget()` releases that room.

    Parameters
    ----------
    name : str
        Object name.
    longest : str
        Text for which it reserves room from the beginning.
    title : str
        Accessible name; the text, which can be selected, is then the accessible description.
    rich : bool
        The texts are HTML.
    hides : bool
        It is hidden while its text is empty.
    """

    def __init__(
        self, name: str = "", longest: str = "", *, title: str = "", rich: bool = False, hides: bool = False
    ) -> None:
        super().__init__(
            wordWrap=True,
            textFormat=Qt.TextFormat.RichText if rich else Qt.TextFormat.PlainText,
            alignment=Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft,
        )
        self.setObjectName(name)
        self._longest, self._rich, self._hides = longest, rich, hides
        self._kept = (0, 0)  # the width, and the height there
        self._heights: dict[int, int] = {}  # by width, for the present texts: layouts request them again and again
        if title:
            self.setAccessibleName(title)
            self.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        if hides:
            self.hide()

    def say(self, text: str, keep: bool = True) -> None:
        """Show `text`; if `keep`, keep the room of earlier texts."""
        if text != self.text():
            self.setText(text)
            self._heights.clear()
            if not keep:
                self.forget()
            if self.accessibleName():  # else the text itself is what a screen reader reads out
                self.setAccessibleDescription(unescape(re.sub(r"<[^>]*>", " ", text)) if self._rich else text)
            self._fit()
        if self._hides:
            self.setVisible(bool(text))

    def reserve(self, longest: str) -> None:
        """Reserve room for this text as well."""
        if longest != self._longest:
            self._longest = longest
            self._heights.clear()
            self._fit()

    def forget(self) -> None:
        """Release the room of earlier texts."""
        self._kept = (0, 0)

    def heightForWidth(self, width: int) -> int:
        """Return the height for any width, the same before and after the label has that width."""
        width = max(width, LEAST_WIDTH)
        kept = self._kept[1] if self._kept[0] == width else 0
        if width not in self._heights:
            self._heights[width] = max(self._room(text, width) for text in {self._longest, self.text()})
        return max(kept, self._heights[width])

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
        """Return the height in pixels that `text` needs; a label itself returns at least its present height."""
        if not self._rich:
            wrapped = Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap
            return self.fontMetrics().boundingRect(QRect(0, 0, width, 100_000), wrapped, text).height() + 2
        document = QTextDocument(documentMargin=0, defaultFont=self.font(), textWidth=width)
        document.setHtml(text)
        return round(document.size().height()) + 2
