"""NamedCombo: a choice whose list has whole names while it shows a short one."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QListView, QStyle, QStyleOptionComboBox, QStylePainter


class NamedCombo(QComboBox):
    """
    Parameters
    ----------
    entries : tuple of (str, str, str, str)
        Whole name, short name, data and note of each.
    """

    def __init__(self, entries: tuple[tuple[str, str, str, str], ...]) -> None:
        super().__init__()
        self._short = {data: short for _, short, data, _ in entries}
        self._prefix = ""
        for row, (title, _, data, note) in enumerate(entries):
            self.addItem(title, data)
            self.setItemData(row, note, Qt.ItemDataRole.ToolTipRole)
        self.currentIndexChanged.connect(lambda: self.updateGeometry())

    def offer(self, names: Collection[str]) -> None:
        """Have only these in the list; programs can still choose the others."""
        view, model = self.view(), self.model()
        assert isinstance(view, QListView) and isinstance(model, QStandardItemModel)
        for row in range(self.count()):
            view.setRowHidden(row, self.itemData(row) not in names)
            model.item(row).setEnabled(self.itemData(row) in names)  # so that the arrow keys pass it by

    def show_prefix(self, prefix: str) -> None:
        """Show this before the short name."""
        if prefix != self._prefix:
            self._prefix = prefix
            self.updateGeometry()
            self.update()

    def shown_text(self) -> str:
        """What it shows while its list is closed."""
        return self._prefix + self._short.get(self.currentData(), "")

    def sizeHint(self) -> QSize:
        """Room for the short name."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        metrics = self.fontMetrics()
        width = metrics.horizontalAdvance(self.shown_text()) + 2
        size = self.style().sizeFromContents(
            QStyle.ContentsType.CT_ComboBox, option, QSize(width, metrics.height()), self
        )
        return size.expandedTo(QSize(0, super().sizeHint().height()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def showPopup(self) -> None:
        """The list is as wide as its whole names."""
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 24)
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QStylePainter(self)
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
