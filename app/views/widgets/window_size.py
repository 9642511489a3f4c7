"""Window size: how a window comes back to a size that it outgrew for a moment."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QMainWindow


def shrink(window: QMainWindow, size: QSize) -> None:
    """Make the window no larger than this, now that its parts need less room again."""
    QApplication.sendPostedEvents()
    layout = window.layout()
    assert layout is not None
    layout.activate()  # else the least size of before would be kept
    if not window.isMaximized() and not window.isFullScreen():
        window.resize(window.size().boundedTo(size))
