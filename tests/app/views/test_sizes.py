"""A window returns to the size that it exceeded for a moment."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QSize
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget
from pytestqt.qtbot import QtBot

from app.views.widgets.window_size import shrink


@pytest.mark.qt_log_ignore("propagateSizeHints")
def test_a_window_shrinks_to_where_it_was_at_once(qtbot: QtBot) -> None:
    window, inside = QMainWindow(), QWidget()
    qtbot.addWidget(window)
    window.setCentralWidget(inside)
    window.resize(400, 300)
    window.show()
    qtbot.waitExposed(window)
    inside.setMinimumSize(600, 320)
    QApplication.sendPostedEvents()
    assert window.width() >= 600
    inside.setMinimumSize(0, 0)
    shrink(window, QSize(400, 300))
    assert window.size() == QSize(400, 300)
    shrink(window, QSize(900, 900))
    assert window.size() == QSize(400, 300), "it only becomes smaller"
