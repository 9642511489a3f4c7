"""ImportPreview: the first rows of a table that is to be imported, and a small picture of the points it makes."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHeaderView, QSizePolicy, QTableWidget, QTableWidgetItem, QWidget

from app.exchange import Column, Imported, Table
from app.state.plain_text import plain
from app.views.plot.symbols import draw
from app.views.theme import theme_of
from app.views.widgets.painting import painter_on

ROWS, COLUMNS = 12, 50
_LONGEST_CELL = 60
_MOST_DRAWN = 800
_MARGIN = 10


class Rows(QTableWidget):
    """The first rows and columns of a table, with the line each row has in the file."""

    def __init__(self) -> None:
        super().__init__()
        self.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        self.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setCornerButtonEnabled(False)
        self.setAlternatingRowColors(True)
        self.horizontalHeader().setMaximumSectionSize(220)
        self.horizontalHeader().setSectionsClickable(False)
        self.verticalHeader().setSectionsClickable(False)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def show_table(self, table: Table | None) -> None:
        """Show the beginning of `table`."""
        columns = table.columns[:COLUMNS] if table else ()
        n_rows = min(len(table), ROWS) if table else 0
        self.clear()
        self.setRowCount(n_rows)
        self.setColumnCount(len(columns))
        if table is None:
            return
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        for place, column in enumerate(columns):
            aside = (right if column.is_numeric else left) | Qt.AlignmentFlag.AlignVCenter
            title = QTableWidgetItem(column.name)
            title.setTextAlignment(aside)
            self.setHorizontalHeaderItem(place, title)
            for row in range(n_rows):
                item = QTableWidgetItem(_shown(column, row))
                item.setTextAlignment(aside)
                self.setItem(row, place, item)
        self.setVerticalHeaderLabels([str(line) for line in table.lines[:n_rows].tolist()])
        self.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 6)
        self.resizeColumnsToContents()


def _shown(column: Column, row: int) -> str:
    """A cell on one line; of a number the digits that say something to the eye."""
    if row in column.texts or column.categories:
        return plain(" ".join(column.cell(row)[:_LONGEST_CELL].split()))
    return f"{column.values[row]:.12g}"


class Picture(QWidget):
    """The points as the canvas would show them, both axes equally scaled; of many only some."""

    def __init__(self) -> None:
        super().__init__()
        self._imported: Imported | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def sizeHint(self) -> QSize:
        return QSize(260, 190)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 120)

    def show_points(self, imported: Imported | None) -> None:
        """Show these points, or none."""
        self._imported = imported
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        with painter_on(self) as painter:
            theme = theme_of(self.palette().window().color().lightness() < 128)
            painter.fillRect(self.rect(), QColor(*theme.background))
            painter.setPen(QColor(*theme.faint))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))
            if self._imported is not None:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                xy, labels = self._imported.xy, self._imported.labels
                low, high = xy.min(axis=0), xy.max(axis=0)
                room = np.array([self.width(), self.height()]) - 2 * _MARGIN
                size = np.maximum(high - low, 1e-300)
                scale = min(float((room / size).min()), 1e290)
                spots = (xy - (low + (high - low) / 2)) * scale
                # By chance: every tenth of a table that repeats itself could be of one class.
                number = min(len(xy), _MOST_DRAWN)
                some = np.sort(np.random.default_rng(0).choice(len(xy), number, replace=False))
                for (x, y), label in zip(spots[some].tolist(), labels[some].tolist(), strict=True):
                    painter.save()
                    painter.translate(self.width() / 2 + x, self.height() / 2 - y)
                    draw(painter, theme, str(label), 0.7)
                    painter.restore()
