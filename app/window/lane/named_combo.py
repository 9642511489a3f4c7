"""NamedCombo: a combo box with short names on itself, and whole names in its list."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QStandardItemModel
from PySide6.QtWidgets import QListView

from app.views.widgets.inputs import ListCombo, combo_size, draw_combo

#: Data of the entry for all others.
MORE = "more"


class NamedCombo(ListCombo):
    """
    Parameters
    ----------
    entries : tuple of (str, str, str, str)
        Whole name, short name, data and note of each.
    Data of entries that are never listed: programs and files can still choose them.
    """

    def __init__(self, entries: tuple[tuple[str, str, str, str], ...], missing: Collection[str] = ()) -> None:
        super().__init__()
        self._missing = missing
        self._short = {data: short for _, short, data, _ in entries}
        self._prefix = ""
        for row, (title, _, data, note) in enumerate(entries):
            self.addItem(title, data)
            self.setItemData(row, note, Qt.ItemDataRole.ToolTipRole)
        self._offered: Collection[str] = {data for _, _, data, _ in entries}
        self.currentIndexChanged.connect(self.updateGeometry)

    @property
    def others(self) -> list[tuple[str, str, str]]:
        """Return title, data and note of all entries that can be chosen."""
        tip = Qt.ItemDataRole.ToolTipRole
        rows = [row for row in range(self.count()) if self.itemData(row) not in (*self._missing, MORE)]
        return [(self.itemText(row), self.itemData(row), self.itemData(row, tip)) for row in rows]

    def offer(self, names: Collection[str], more: str = "") -> None:
        """List only these; `more` is the text of a last entry."""
        self._offered = names
        row = self.findData(MORE)
        if row >= 0:
            self.removeItem(row)
        if more:
            last = max(row for row in range(self.count()) if self.itemData(row) in names)
            self.insertItem(last + 1, more, MORE)
        self._show_offered()

    def _show_offered(self) -> None:
        """Show the offered entries and the current one in the list."""
        view, model = cast(QListView, self.view()), cast(QStandardItemModel, self.model())
        for row in range(self.count()):
            offered = self.itemData(row) in self._offered or self.itemData(row) == MORE or row == self.currentIndex()
            view.setRowHidden(row, not offered)
            model.item(row).setEnabled(offered)  # the arrow keys skip disabled entries

    def show_prefix(self, prefix: str) -> None:
        """Show this before the short name."""
        if prefix != self._prefix:
            self._prefix = prefix
            self.updateGeometry()
            self.update()

    def shown_text(self) -> str:
        """Return the text that is shown while the list is closed."""
        return self._prefix + self._short.get(self.currentData(), "")

    def sizeHint(self) -> QSize:
        """Return the size for the short name."""
        size = combo_size(self, self.fontMetrics().horizontalAdvance(self.shown_text()) + 2)
        return size.expandedTo(QSize(0, super().sizeHint().height()))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def showPopup(self) -> None:
        """Open the list, as wide as its whole names."""
        self._show_offered()
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 24)
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        draw_combo(self, self.shown_text())
