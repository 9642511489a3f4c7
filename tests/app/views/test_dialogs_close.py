"""Every dialog closes by Escape, by its button, and by the frame of its window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialogButtonBox, QWidget

from app.window.main_window import MainWindow
from tests.make_accessible import DIALOGS, TABLE, finish
from tests.windows import Make


def press_button(dialog: QWidget) -> None:
    box = dialog.findChild(QDialogButtonBox)
    kinds = (QDialogButtonBox.StandardButton.Close, QDialogButtonBox.StandardButton.Cancel)
    button = next(filter(None, map(box.button, kinds)), None) if box is not None else None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton) if button is not None else dialog.close()


WAYS = {
    "Escape": lambda dialog: QTest.keyClick(dialog, Qt.Key.Key_Escape),
    "button": press_button,
    "frame": lambda dialog: dialog.close(),
}


def tops(window: MainWindow) -> list[QWidget]:
    return [each for each in QApplication.topLevelWidgets() if each.isVisible() and each is not window]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_every_dialog_closes(make: Make, way: str) -> None:
    window = make()
    QApplication.clipboard().setText(TABLE)
    for name in DIALOGS:
        for _ in range(2):
            window.named_actions[name].trigger()
            finish(window)
            (dialog,) = tops(window)
            WAYS[way](dialog)
            finish(window)
            QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
            assert not tops(window), name
            assert name not in window.dock_manager.windows, name
