"""Slider: a horizontal slider that grows with the text."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QSlider

from app.views.theme import slider_rules


class Slider(QSlider):
    """A horizontal slider whose handle and groove have the size of the text."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._rules = slider_rules(0)  # those of the window's style sheet
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def _fit(self) -> None:
        if (rules := slider_rules(QFontInfo(self.font()).pixelSize())) != self._rules:
            self._rules = rules
            self.setStyleSheet(rules)
