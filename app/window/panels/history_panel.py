"""HistoryPanel: the steps that can be undone and redone; a click goes to one."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets.inputs import describe
from app.views.widgets.painting import bold

START = "Start"
_NOWHERE = QModelIndex()
_PAGE = 10  # steps per page key


class HistoryModel(QAbstractListModel):
    """One row for the start and one for each step; `position` is the row of the present state."""

    def __init__(self) -> None:
        super().__init__()
        self.steps: tuple[str, ...] = ()
        self.position = 0
        self.saved: int | None = None
        self.faint = QColor()
        #: Font of the row of the present state.
        self.bold = bold(QFont())

    def show_steps(self, steps: tuple[str, ...], position: int, saved: int | None) -> None:
        """Follow the history, and leave unchanged rows alone."""
        old = self.steps
        if steps is not old:
            kept = min(len(old), len(steps))
            same = kept
            if old[:kept] != steps[:kept]:
                same = next(row for row in range(kept) if old[row] != steps[row])
            if len(steps) < len(old):
                self.beginRemoveRows(_NOWHERE, len(steps) + 1, len(old))
                self.steps = steps
                self.endRemoveRows()
            elif len(steps) > len(old):
                self.beginInsertRows(_NOWHERE, len(old) + 1, len(steps))
                self.steps = steps
                self.endInsertRows()
            self.steps = steps
            if same < kept:
                self.dataChanged.emit(self.index(same + 1), self.index(kept))
        if (position, saved) != (self.position, self.saved):
            rows = [self.position, position] + [row for row in (self.saved, saved) if row is not None]
            self.position, self.saved = position, saved
            last = len(steps)
            self.dataChanged.emit(self.index(min(*rows, last)), self.index(min(max(rows), last)))

    def rowCount(self, parent: QModelIndex | QPersistentModelIndex = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.steps) + 1

    def data(self, index: QModelIndex | QPersistentModelIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = index.row()
        if not index.isValid() or row > len(self.steps):
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            name = self.steps[row - 1] if row else START
            return f"{name}  (saved)" if row == self.saved and row else name
        if role == Qt.ItemDataRole.FontRole and row == self.position:
            return self.bold
        if role == Qt.ItemDataRole.ForegroundRole and row > self.position:
            return self.faint
        if role == Qt.ItemDataRole.ToolTipRole:
            name = self.steps[row - 1] if row else START
            where = "here" if row == self.position else "undone" if row > self.position else "done"
            return f"{name} ({where}{', as saved' if row == self.saved else ''}). Click to go there."
        return None


class HistoryPanel(QTableView):
    """The list of the steps; its current row is the present state, and is set by the scene only.

    It is a table of one column: at each new row, a QListView of 5 000 rows lays all of them out, which takes 10 ms.
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__(  # type: ignore[call-arg]  # properties of its bases
            showGrid=False,
            wordWrap=False,
            tabKeyNavigation=False,
            editTriggers=QAbstractItemView.EditTrigger.NoEditTriggers,
            selectionBehavior=QAbstractItemView.SelectionBehavior.SelectRows,
            selectionMode=QAbstractItemView.SelectionMode.SingleSelection,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            textElideMode=Qt.TextElideMode.ElideRight,
        )
        self._controller = controller
        self._theme: Theme | None = None
        self._model = HistoryModel()
        describe(
            self,
            "history",
            "History",
            "The steps since the start. Click one to go there; the arrow keys undo and redo step by step.",
        )
        self.setToolTip("")
        self.setModel(self._model)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self._measure()

    def minimumSizeHint(self) -> QSize:
        return QSize(160, 100)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()

    def _measure(self) -> None:
        self.verticalHeader().setDefaultSectionSize(max(26, self.fontMetrics().height() + 10))
        self._model.bold = bold(self.font())

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's history and the document's position in it."""
        if theme is not self._theme:
            self._theme = theme
            self._model.faint = QColor(*theme.faint)
            self.viewport().update()
        moved = scene.position != self._model.position or scene.history is not self._model.steps
        self._model.show_steps(scene.history, scene.position, scene.saved_at)
        if moved or self.currentIndex().row() != scene.position:
            here = self._model.index(scene.position)
            self.selectionModel().setCurrentIndex(here, QItemSelectionModel.SelectionFlag.ClearAndSelect)
            self.scrollTo(here)

    # Actions of the user go to the controller, and the current row follows the scene.

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and index.isValid():
            self._controller.go_to(index.row())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        here, key = self._controller.store.position, Qt.Key
        rows = {
            key.Key_Up: here - 1,
            key.Key_Down: here + 1,
            key.Key_Home: 0,
            key.Key_End: len(self._controller.store.history),
            key.Key_PageUp: here - _PAGE,
            key.Key_PageDown: here + _PAGE,
        }
        row = rows.get(key(event.key()))
        if row is None or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            event.ignore()
        else:
            self._controller.go_to(row)
