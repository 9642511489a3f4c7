"""DropWindow: a main window that accepts dropped files and share texts."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QFrame, QLabel, QMainWindow, QVBoxLayout, QWidget

from app.core.plain_text import plain
from app.exchange.opening import is_share_text


class DropWindow(QMainWindow):
    """A main window that passes dropped files to `take_files`, or a share text to `take_text`; it announces this while
    they are held over it."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(True)
        self._highlight = _Highlight(self)

    def take_files(self, paths: list[Path]) -> None:
        """Handle dropped files."""
        raise NotImplementedError

    def take_text(self, text: str) -> None:
        """Handle a dropped share text."""
        raise NotImplementedError

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        paths = _files(event)
        if paths:
            event.acceptProposedAction()
            self._highlight.show_over(f"Drop {plain(paths[0].name)} to open or import it")
        elif _share_text(event):
            event.acceptProposedAction()
            self._highlight.show_over("Drop the share text to open it")

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._highlight.hide()

    def dropEvent(self, event: QDropEvent) -> None:
        self._highlight.hide()
        paths = _files(event)
        if paths:
            event.acceptProposedAction()
            self.take_files(paths)
        elif text := _share_text(event):
            event.acceptProposedAction()
            self.take_text(text)


class _Highlight(QFrame):
    """An overlay on the whole window that ignores the pointer."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.setObjectName("drop")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._label = QLabel(alignment=Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self).addWidget(self._label, 0, Qt.AlignmentFlag.AlignCenter)
        self.hide()

    def show_over(self, text: str) -> None:
        """Show `text` over the present contents of the window."""
        window = self.parentWidget()
        assert window is not None
        elided = self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, window.width() - 80)
        self._label.setText(elided)
        self.setAccessibleName(text)
        self.setGeometry(window.rect())
        self.show()
        self.raise_()


def _files(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]


def _share_text(event: QDropEvent) -> str:
    text = event.mimeData().text()
    return text if is_share_text(text) else ""
