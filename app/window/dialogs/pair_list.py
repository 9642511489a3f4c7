"""PairList: the views of a table as small pictures, the best pair of columns first, for the user to choose from."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QIcon, QPen, QPixmap
from PySide6.QtWidgets import QListView

from app.core.number_format import percent
from app.exchange.pairs import Pair, ScoredPair, Views
from app.exchange.table import Table
from app.views.plot.symbols import stamp
from app.views.theme import Theme
from app.views.widgets.inputs import plain_tip
from app.views.widgets.painting import blank, painter_on

#: Size of a picture and free margin at its edges (pixels); size of its symbols as a share of those of a plot.
PICTURE, FREE, SYMBOLS = (96, 72), 6, 0.4
_NOWHERE = QModelIndex()


class _Entry(Struct, frozen=True):
    """Entry of the list: a pair of columns, or the plane of the principal components (`pair` is None), the first."""

    rank: float
    pair: Pair | None
    text: str


class PairModel(QAbstractListModel):
    """Views in the order of their scores; each picture is drawn when it is first displayed."""

    def __init__(self, theme: Theme, ratio: float) -> None:
        super().__init__()
        self._theme, self._ratio = theme, ratio
        self._views: Views | None = None
        self._names: tuple[str, ...] = ()
        self._entries: list[_Entry] = []
        self._pictures: dict[Pair | None, QIcon] = {}

    def show_views(self, table: Table | None, views: Views | None) -> None:
        """Start anew with the plane of the components, if there is one."""
        self.beginResetModel()
        self._views, self._pictures = views, {}
        self._names = () if table is None else tuple(column.name for column in table.columns)
        plane = None if views is None else views.components
        text = "" if plane is None else f"Principal\ncomponents\n{plane.share} of variance"
        self._entries = [] if plane is None else [_Entry(-2.0, None, text)]
        self.endResetModel()

    def add(self, scores: Sequence[ScoredPair]) -> None:
        """Insert pairs by their scores, after others of the same score."""
        for each in scores:
            rank = 0.0 if each.accuracy is None else -each.accuracy
            lines = [self._names[each.x], self._names[each.y]]
            lines += [] if each.accuracy is None else [percent(each.accuracy)]
            entry = _Entry(rank, (each.x, each.y), "\n".join(lines))
            row = bisect_right(self._entries, rank, key=lambda other: other.rank)
            self.beginInsertRows(_NOWHERE, row, row)
            self._entries.insert(row, entry)
            self.endInsertRows()

    def row_of(self, pair: Pair | None) -> int:
        """Return the row of a view, or -1 if it is not listed yet."""
        return next((row for row, entry in enumerate(self._entries) if entry.pair == pair), -1)

    def pair_at(self, row: int) -> Pair | None:
        """Return the pair in a row; None for the plane of the components."""
        return self._entries[row].pair

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self._entries):
            return None
        entry = self._entries[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.text
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(entry.text)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return entry.text.replace("\n", ", ")
        return self._picture(entry.pair) if role == Qt.ItemDataRole.DecorationRole else None

    def _picture(self, pair: Pair | None) -> QIcon:
        """Return the picture of a view; an empty one if drawing it has failed before."""
        if pair not in self._pictures:
            icon = self._pictures[pair] = QIcon()
            pixmap = self._drawn(pair)
            for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):  # else Qt would tint the selected one
                icon.addPixmap(pixmap, mode)
        return self._pictures[pair]

    def _drawn(self, pair: Pair | None) -> QPixmap:
        pixmap = blank(*PICTURE, self._ratio, QColor(*self._theme.background))
        assert self._views is not None
        xy, labels = self._views.points(pair)
        with painter_on(pixmap, smooth=True) as painter:
            if len(xy):
                low, size = xy.min(axis=0), np.maximum(np.ptp(xy, axis=0), 1e-9)
                room = np.array(PICTURE) - 2 * FREE
                pixels = FREE + (xy - low) / size * room
                pixels[:, 1] = PICTURE[1] - pixels[:, 1]
                stamp(painter, self._theme, pixels, labels.astype(np.intp), SYMBOLS, self._ratio)
            painter.setPen(QPen(QColor(*self._theme.edge), 1.0))
            painter.drawRect(QRectF(0.5, 0.5, PICTURE[0] - 1, PICTURE[1] - 1))
        return pixmap


class PairList(QListView):
    """The list of views; the signal `chosen` reports the one that the user selects."""

    chosen = Signal(object)

    def __init__(self) -> None:
        super().__init__(uniformItemSizes=True)
        self.setIconSize(QSize(*PICTURE))
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._showing = False
        self._model: PairModel | None = None

    def begin(self, theme: Theme, table: Table | None, views: Views | None) -> None:
        """Show the views of another table, or for other classes."""
        self._showing = True
        if self._model is None:
            self._model = PairModel(theme, self.devicePixelRatioF())
            self._model.setParent(self)
            self.setModel(self._model)
            self.selectionModel().selectionChanged.connect(self._choose)
        self._model.show_views(table, views)
        self._showing = False

    def add(self, scores: Sequence[ScoredPair], shown: Pair | None) -> None:
        """Insert scored pairs; `shown` is the displayed view."""
        if self._model is not None:
            self._model.add(scores)
            self.show_choice(shown)

    def show_choice(self, pair: Pair | None) -> None:
        """Select the displayed view, or none if it is not listed."""
        if self._model is None:
            return
        row = self._model.row_of(pair)
        self._showing = True
        if row < 0:
            self.clearSelection()
        elif not self.selectionModel().isRowSelected(row, _NOWHERE):
            index = self._model.index(row)
            self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.ClearAndSelect)
        self._showing = False

    def _choose(self) -> None:
        rows = self.selectionModel().selectedRows()
        if rows and not self._showing and self._model is not None:
            self.chosen.emit(self._model.pair_at(rows[0].row()))
