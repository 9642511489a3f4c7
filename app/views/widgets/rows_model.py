"""RowsModel: Qt model of a read-only table, made of a `TextRows`."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.scene.text_rows import TextRows

Index = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()


class RowsModel(QAbstractTableModel):
    """The rows shown last; a screen reader gets a whole row from its first cell."""

    def __init__(self) -> None:
        super().__init__()
        self._table = TextRows()

    def show_table(self, table: TextRows) -> None:
        """Show other rows; a table of the same shape keeps scroll position and selection."""
        old, self._table = self._table, table
        if (old.rows, old.header) != (table.rows, table.header):
            self.beginResetModel()
            self.endResetModel()
        elif table.rows:
            self.dataChanged.emit(self.index(0, 0), self.index(table.rows - 1, len(table.header) - 1))

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else self._table.rows

    def columnCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._table.header)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return self._table.spoken(index.row())
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self._table.right:
            return int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        shown = index.isValid() and role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole)
        return self._table.cell(index.row(), index.column()) if shown else None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        shown = orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return self._table.header[section] if shown else None
