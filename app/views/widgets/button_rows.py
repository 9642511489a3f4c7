"""ButtonRows: buttons in as many columns as fit."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from .boxes import grid_on

SPACING = 4


class ButtonRows(QWidget):
    """Buttons side by side as far as there is room, and the rest below."""

    def __init__(self, buttons: Sequence[QAbstractButton]) -> None:
        super().__init__()
        self._grid = grid_on(self, across=SPACING, down=SPACING)
        self._columns = 0
        self._buttons = buttons
        self._shown: list[QAbstractButton] = []
        for button in buttons:
            button.setParent(self)
            button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_only(buttons)

    def show_only(self, buttons: Sequence[QAbstractButton]) -> None:
        """Show only these buttons."""
        if list(buttons) != self._shown:
            self._shown = list(buttons)
            for button in self._buttons:
                button.setVisible(button in buttons)
            self._columns = 0
            self.lay_out()

    def width_of(self, columns: int) -> int:
        """Return the width of this many columns, each as wide as its widest button."""
        widths = [button.sizeHint().width() for button in self._shown]
        widest = [max(widths[column::columns]) for column in range(min(columns, len(widths)))]
        return sum(widest) + SPACING * max(len(widest) - 1, 0)

    def lay_out(self) -> None:
        number = len(self._shown)
        columns = next((each for each in range(number, 1, -1) if self.width_of(each) <= self.width()), 1)
        columns = -(-number // max(1, -(-number // columns)))  # fill the rows as evenly as possible
        if columns == self._columns:
            return
        self._columns = columns
        for button in self._buttons:
            self._grid.removeWidget(button)
        for index, button in enumerate(self._shown):
            self._grid.addWidget(button, index // columns, index % columns)
        self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.width_of(1), self._grid.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.lay_out()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # a text, or the size of a part, has changed
            self.lay_out()
        return super().event(event)
