"""Scroll areas around a text whose height follows its width: bars come to rest, at any size."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QEvent, QObject, QSize
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.features.step.view_drawing import Paragraph, TextView
from app.views.theme import LIGHT
from app.views.widgets.boxes import in_column
from app.views.widgets.inputs import filled
from app.views.widgets.scrolling_form import Scrolled, ScrollingForm
from tests.windows import finish_layout


class Panel(QWidget):
    """A text in a form that scrolls, never narrower than 240 pixels."""

    def __init__(self, text: TextView) -> None:
        super().__init__()
        filled(QVBoxLayout(self), ScrollingForm(in_column(text, 1, margins=(10, 8, 10, 8))), margins=0)

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(240, 0))


class Resizes(QObject):
    """Counts the resizes of what it watches."""

    count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() is QEvent.Type.Resize
        return False


@pytest.mark.parametrize("width", range(296, 312, 3))
def test_the_bars_come_to_rest(qtbot: QtBot, qapp: QApplication, width: int) -> None:
    text, resizes = TextView(), Resizes()
    frame = Scrolled(Panel(text))
    qtbot.addWidget(frame)
    frame.resize(width, 300)
    frame.show()
    sentence = "More than 10 000 points are trained at once, all of them, and not step by step; show fewer to see it."
    text.show_text((Paragraph(sentence, 1.25),), LIGHT)
    text.installEventFilter(resizes)
    finish_layout()
    for height in (*range(12, 130, 4), 16):
        frame.resize(width, height)
        finish_layout()
        resizes.count = 0
        finish_layout()
        assert resizes.count == 0, height
