"""Window size: let a window return to a size that it exceeded for a moment."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QMainWindow


def shrink(window: QMainWindow, size: QSize) -> None:
    """Shrink the window to at most this size, once its contents need less room again."""
    QApplication.sendPostedEvents()
    layout = window.layout()
    assert layout is not None
    layout.activate()  # else the earlier minimum size would stay cached
    if not window.isMaximized() and not window.isFullScreen():
        window.resize(window.size().boundedTo(size))
