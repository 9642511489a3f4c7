"""NamedCombo: a combo box with short names on itself, and whole names in its list."""

from __future__ import annotations

from collections.abc import Collection
from typing import cast

from PySide6.QtCore import QEvent, QModelIndex, QObject, QSize, Qt
from PySide6.QtGui import QMouseEvent, QPaintEvent, QStandardItemModel
from PySide6.QtWidgets import QComboBox, QListView

from app.views.widgets.deferred import later
from app.views.widgets.inputs import combo_size, draw_combo

#: Data of the entry that shows all others.
MORE = "more"


class NamedCombo(QComboBox):
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
        self._before = 0
        self.currentIndexChanged.connect(self._remember)
        self.activated.connect(self._choose)
        self.view().entered.connect(self._enter)
        self.view().viewport().installEventFilter(self)

    def offer(self, names: Collection[str], more: str = "") -> None:
        """List only these; `more` is the text of a last entry, which shows all others below itself."""
        self._offered = names
        row = self.findData(MORE)
        if row >= 0:
            self.removeItem(row)
        if more:
            last = max(row for row in range(self.count()) if self.itemData(row) in names)
            self.insertItem(last + 1, more, MORE)
        self._show_offered()

    def _show_offered(self, every: bool = False) -> None:
        """Show the offered entries in the list, or `every` entry; programs can also choose the others."""
        view, model = cast(QListView, self.view()), cast(QStandardItemModel, self.model())
        for row in range(self.count()):
            offered = (every and self.itemData(row) not in self._missing) or self.itemData(row) in self._offered
            view.setRowHidden(row, not offered and self.itemData(row) != MORE)
            # The arrow keys skip disabled entries.
            model.item(row).setEnabled(offered if self.itemData(row) != MORE else not every)

    def _show_all(self) -> None:
        """List all entries."""
        self._show_offered(every=True)
        # The list has the current entry over this box: so no entry moves under the pointer.
        self.view().setCurrentIndex(self.model().index(self.currentIndex(), 0))
        self.showPopup()

    def _remember(self, row: int) -> None:
        if self.itemData(row) != MORE:
            self._before = row
        self.updateGeometry()

    def _choose(self, row: int) -> None:
        """List all entries if the last one was chosen; the choice stays as before."""
        if self.itemData(row) == MORE:
            self.setCurrentIndex(self._before)
            later(self, self._show_all)

    def _enter(self, index: QModelIndex) -> None:
        """List all entries as soon as the pointer is on the last one, like a submenu."""
        if index.data(Qt.ItemDataRole.UserRole) == MORE and index.flags() & Qt.ItemFlag.ItemIsEnabled:
            self._show_all()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Show all classifiers after a click on that entry; Qt would close the list and keep the present one."""
        if event.type() is QEvent.Type.MouseButtonRelease:
            index = self.view().indexAt(cast(QMouseEvent, event).position().toPoint())
            if index.data(Qt.ItemDataRole.UserRole) == MORE:
                self._enter(index)
                return True
        return super().eventFilter(watched, event)

    def hidePopup(self) -> None:
        super().hidePopup()
        self._show_offered()

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
        """Open the list, as wide as its whole names; list all entries if the current one is not offered."""
        if self.currentData() not in self._offered:
            self._show_offered(every=True)
        self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 24)
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        draw_combo(self, self.shown_text())
