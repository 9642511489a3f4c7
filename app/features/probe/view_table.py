"""ProbeTable: a table of a probe in rows: text, symbols of classes, and signed bars; only visible rows are painted."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from app.views.plot.symbols import symbol_pixmap
from app.views.theme import LIGHT, Theme
from app.views.widgets.inputs import describe
from app.views.widgets.painting import bold
from app.views.widgets.rows_model import Index, RowsModel

from .tables import TableRows

#: Least height of a row (pixels), its height in lines; number of rows whose text is measured for the column widths.
ROW, ROW_LINES, MEASURED = 24, 1.4, 12
#: Width of a symbol with its gap, and of the space beside a text (pixels).
ICON, PAD = 20.0, 4.0


class _Cells(QStyledItemDelegate):
    """Paint cells: the symbol of a class before the text, a bar behind the number of the last column."""

    def __init__(self, owner: ProbeTable) -> None:
        super().__init__(owner)
        self._owner = owner

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        # Straight from the table: Qt would query eight roles of each cell at every move.
        table = self._owner.table
        if table is None:
            return
        theme, row, column = self._owner.theme, index.row(), index.column()
        text, box = table.cell(row, column), QRectF(option.rect)
        if option.state & QStyle.StateFlag.State_Selected and self._owner.hasFocus():
            painter.fillRect(box, QColor(*theme.accent, 60))
        if row == table.chosen:
            painter.fillRect(box, QColor(*theme.ink, 20))
            if column == 0:
                painter.fillRect(QRectF(box.left(), box.top(), 3, box.height()), QColor(*theme.accent))
            painter.setFont(self._owner.bold)
        painter.setPen(QColor(*theme.ink))
        if column == len(table.header) - 1:
            self._paint_bar(painter, table, row, box, text, theme)
            return
        left = box.left() + PAD
        if column == table.symbol_column and int(table.symbols[row]) >= 0:
            pixmap = symbol_pixmap(theme, str(int(table.symbols[row])), 18, self._owner.devicePixelRatioF())
            painter.drawPixmap(QPointF(left - 2, box.center().y() - 9), pixmap)
            left += ICON
        remainder = QRectF(left, box.top(), box.right() - left, box.height())
        shown = QFontMetricsF(painter.font()).elidedText(text, Qt.TextElideMode.ElideRight, remainder.width())
        painter.drawText(remainder, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)

    def _paint_bar(self, painter: QPainter, table: TableRows, row: int, box: QRectF, text: str, theme: Theme) -> None:
        room = min(self._owner.number_room, box.width())
        number = QRectF(box.left(), box.top(), room, box.height()).adjusted(PAD, 0, -PAD, 0)
        painter.drawText(number, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, text)
        bars = QRectF(box.left() + room, box.top() + 4, box.width() - room - 4, box.height() - 8)
        if bars.width() < 8:
            return
        value, largest, label = float(table.values[row]), self._owner.largest, int(table.colours[row])
        zero, reach = (bars.center().x(), bars.width() / 2) if (table.values < 0).any() else (bars.left(), bars.width())
        length = (reach - 1) * value / largest if largest > 0 else 0.0
        colour = QColor(*(theme.classes[label] if label >= 0 else theme.faint))
        painter.setPen(QPen(colour, 1))
        # Negative values differ not only in colour.
        painter.setBrush(QBrush(colour, Qt.BrushStyle.Dense4Pattern if value < 0 else Qt.BrushStyle.SolidPattern))
        if abs(length) >= 0.5:
            painter.drawRect(QRectF(QPointF(zero, bars.top()), QPointF(zero + length, bars.bottom())).normalized())
        painter.setPen(QPen(QColor(*theme.faint), 1))
        painter.drawLine(QPointF(zero, box.top()), QPointF(zero, box.bottom()))


class ProbeTable(QTableView):
    """A view of one table.

    Parameters
    ----------
    pick : callable
        ``pick(row)`` is called after a click on a row, or Enter.
    """

    def __init__(self, pick: Callable[[int], None]) -> None:
        super().__init__(  # type: ignore[call-arg]  # properties of its bases
            showGrid=False,
            frameShape=QFrame.Shape.NoFrame,
            wordWrap=False,
            tabKeyNavigation=False,
            editTriggers=QAbstractItemView.EditTrigger.NoEditTriggers,
            selectionBehavior=QAbstractItemView.SelectionBehavior.SelectRows,
            selectionMode=QAbstractItemView.SelectionMode.SingleSelection,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            verticalScrollMode=QAbstractItemView.ScrollMode.ScrollPerPixel,
        )
        self._pick = pick
        self.theme: Theme = LIGHT
        self.number_room = 0.0
        self.largest = 1.0
        self.bold = QFont()
        self._widths: list[float] = []
        self._header: tuple[str, ...] = ()
        self.table: TableRows | None = None
        self._model = RowsModel()
        self.setModel(self._model)
        self.setItemDelegate(_Cells(self))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setSectionsClickable(False)
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.clicked.connect(lambda index: self._pick(index.row()))

    def show_table(self, table: TableRows, lane: str, theme: Theme) -> None:
        """Show `table` of the lane with this title."""
        if table is self.table and theme is self.theme:
            return
        self.table, self.theme = table, theme
        self.largest = float(np.abs(table.values).max(initial=0.0))
        if table.header != self._header:
            self._header, self._widths = table.header, []
            describe(self, self.objectName(), f"{table.title}, {lane}", "")
        self._model.show_table(table)
        self._measure(table)
        self.viewport().update()

    def _measure(self, table: TableRows) -> None:
        """Set the heights of rows by the font, and the widths of columns by their texts; columns never get narrower."""
        metrics = QFontMetricsF(self.font())
        row = max(ROW, math.ceil(ROW_LINES * metrics.height()))
        if self.verticalHeader().defaultSectionSize() != row:
            self.verticalHeader().setMinimumSectionSize(row)
            self.verticalHeader().setDefaultSectionSize(row)
            self._widths = []
        self.bold = bold(self.font())
        measure = QFontMetricsF(self.bold).horizontalAdvance
        widths = self._widths = self._widths or [0.0] * len(table.header)
        rows = [*range(min(table.rows, MEASURED)), *range(max(table.rows - 2, MEASURED), table.rows)]
        for column, title in enumerate(table.header):
            icon = ICON if column == table.symbol_column and (table.symbols >= 0).any() else 0.0
            longest = max((table.cell(row, column) for row in rows), key=len, default="")
            widths[column] = max(widths[column], measure(title), measure(longest) + icon)
        self.number_room = widths[-1] + 2 * PAD
        room = max(self.viewport().width(), 180) - self.number_room
        wanted = [width + 2 * PAD for width in widths[:-1]]
        left_out = set()
        for column in table.spare:
            if sum(wanted) > room:
                wanted[column] = 0.0
                left_out.add(column)
        squeeze = min(1.0, room / max(sum(wanted), 1.0))
        for column, width in enumerate(wanted):
            self.setColumnHidden(column, column in left_out)
            if column not in left_out:
                self.setColumnWidth(column, int(width * squeeze))
        height = math.ceil(1.5 * metrics.height()) + 2
        self.horizontalHeader().setFixedHeight(height)
        self.setFixedHeight(height + table.room * row + 2)

    def resizeEvent(self, event: object) -> None:
        super().resizeEvent(event)  # type: ignore[arg-type]
        if self.table is not None:
            self._measure(self.table)

    def changeEvent(self, event: object) -> None:
        super().changeEvent(event)  # type: ignore[arg-type]
        if hasattr(self, "_model") and self.table is not None:
            self._widths = []
            self._measure(self.table)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 60)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self._pick(self.currentIndex().row())
        elif event.text().strip() or event.key() == Qt.Key.Key_Escape:  # the window's keys
            event.ignore()
        else:
            super().keyPressEvent(event)
