"""DropWindow: a main window on which files can be dropped."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QMainWindow


class DropWindow(QMainWindow):
    """Hands the first file that is dropped on it to `take_file`."""

    def __init__(self) -> None:
        super().__init__()
        self.setAcceptDrops(True)

    def take_file(self, path: Path) -> None:
        """A file was dropped."""
        raise NotImplementedError

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _files(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = _files(event)
        if paths:
            event.acceptProposedAction()
            self.take_file(paths[0])


def _files(event: QDropEvent) -> list[Path]:
    return [Path(url.toLocalFile()) for url in event.mimeData().urls() if url.isLocalFile()]
