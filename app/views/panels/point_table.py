"""PointTable: the table of the points; it shows the selection of the scene and edits one cell at a time."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QItemSelectionModel, QLocale, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QKeyEvent, QKeySequence, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyledItemDelegate, QTableView, QWidget

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.state.points import Ids
from app.state.session import NOTHING, Selection
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.painting import painter_on

from .point_cells import CellDelegate
from .point_model import CLASS, MOST_DIGITS, NUMBER, PointModel, X

_TYPING = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
EMPTY = "No points yet: click in a picture, or type x and y below."


class _Current(QItemSelectionModel):
    """Knows the current cell and selects nothing, whatever Qt asks for."""

    def select(self, *what: object) -> None:
        pass


class PointTable(QTableView):
    """The points, a row each.

    Which rows are selected is the scene's business: `setSelection`, which Qt calls for what the user does, asks the
    controller for other points, and the delegate draws those of the scene.  Qt's own selection stays empty.
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self._model = PointModel(controller)
        self._cells = CellDelegate(self, self._model)
        self._theme: Theme | None = None
        self._selected: np.ndarray | None = None
        self._selection: Selection = NOTHING  # shown last
        self._chosen: Selection | None = None  # by the user, here
        self._base: Ids = NOTHING.ids  # what was selected before the range that is being drawn
        self._adding = True  # the range is added to it, not taken away
        describe(
            self,
            "table",
            "Table of the points",
            "A row for each point. F2, Enter or typing edits a cell, Delete removes the selected points.",
        )
        self.setToolTip("")
        self.setModel(self._model)
        self.setSelectionModel(_Current(self._model, self))
        self.setItemDelegate(self._cells)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setTabKeyNavigation(False)
        self.setWordWrap(False)
        self.setLocale(QLocale.c())
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        header.setTextElideMode(Qt.TextElideMode.ElideRight)
        header.setMinimumSectionSize(30)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(NUMBER, QHeaderView.ResizeMode.Fixed)
        self._size_rows()

    def minimumSizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("0" * 20) + 40, 120)

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("0" * 32) + 60, 300)

    def _size_rows(self) -> None:
        metrics = self.fontMetrics()
        self.verticalHeader().setDefaultSectionSize(max(28, metrics.height() + 12))
        digits = max(3, len(str(len(self._model.ids))))
        self.horizontalHeader().resizeSection(NUMBER, metrics.horizontalAdvance("0" * digits) + 14)
        self._fit_digits()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_digits()

    def _fit_digits(self) -> None:
        """As many digits as the columns have room for behind "-0.0"."""
        characters = (self.columnWidth(X) - 8) // max(1, self.fontMetrics().horizontalAdvance("0"))
        self._model.digits = min(max(characters - 4, 3), MOST_DIGITS)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._size_rows()

    # -- following the scene -----------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's points, names and selection; what has not changed is left alone."""
        if theme is not self._theme:
            self._theme = theme
            self._cells.show_theme(theme, self.devicePixelRatioF())
            self.viewport().update()
        self._model.show_names(scene)
        if scene.points is not self._model.points:
            self._show_points(scene)
        if scene.selected is not self._selected:
            self._selected = scene.selected
            selected = np.zeros(len(scene.points), dtype=bool)
            selected[scene.selected] = True
            if not np.array_equal(selected, self._cells.selected):
                self._cells.selected = selected
                self.viewport().update()
        if scene.session.selection is not self._selection:
            self._selection = scene.session.selection
            if self._selection is not self._chosen:
                self._bring_into_sight(scene.selected)

    def _show_points(self, scene: Scene) -> None:
        current, digits = self.currentIndex(), len(str(len(self._model.ids)))
        row, column, at = current.row(), current.column(), self.verticalScrollBar().value()
        point = self._model.ids[row] if current.isValid() else -1
        if self._model.show_points(scene.points):
            self.verticalScrollBar().setValue(at)
            if point >= 0 and len(self._model.ids):
                row = min(int(np.searchsorted(self._model.ids, point)), len(self._model.ids) - 1)
                self._go_to(row, column)
        if len(str(len(self._model.ids))) != digits:
            self._size_rows()

    def _bring_into_sight(self, rows: np.ndarray) -> None:
        """Show the first of these rows, unless one of them is in sight."""
        if not len(rows):
            return
        top, bottom = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        seen = rows[np.searchsorted(rows, top) :]
        row = int(seen[0]) if len(seen) and (bottom < 0 or seen[0] <= bottom) else int(rows[0])
        self._go_to(row, max(self.currentIndex().column(), NUMBER))
        self.scrollTo(self._model.index(row, NUMBER))

    def _go_to(self, row: int, column: int) -> None:
        index = self._model.index(row, column)
        self.selectionModel().setCurrentIndex(index, QItemSelectionModel.SelectionFlag.NoUpdate)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not len(self._model.ids):
            with painter_on(self.viewport()) as painter:
                painter.setPen(self.palette().placeholderText().color())
                area = self.viewport().rect().adjusted(12, 12, -12, -12)
                flags = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap
                painter.drawText(area, int(flags), EMPTY)

    # -- the user --------------------------------------------------------------------------------------------------

    def setSelection(self, rect: QRect, command: QItemSelectionModel.SelectionFlag) -> None:
        flag = QItemSelectionModel.SelectionFlag
        first, last = self.rowAt(min(rect.top(), rect.bottom())), self.rowAt(max(rect.top(), rect.bottom()))
        if command == flag.NoUpdate or first < 0 or not len(self._model.ids):
            return
        ids = self._model.ids[first : (last if last >= 0 else len(self._model.ids) - 1) + 1]
        if command & flag.Clear:
            self._base, self._adding = NOTHING.ids, True
        elif not command & flag.Current:  # a row more, or less
            self._base = self._controller.session.selection.ids
            self._adding = not np.isin(ids, self._base).all()
        chosen = np.union1d(self._base, ids) if self._adding else np.setdiff1d(self._base, ids)
        self._choose(chosen)

    def _choose(self, ids: Ids) -> None:
        if not np.array_equal(ids, self._controller.session.selection.ids):
            self._controller.editing.select(ids)
            self._chosen = self._controller.session.selection

    def selectAll(self) -> None:
        self._choose(self._controller.document.points.ids)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride and self._is_mine(event):
            event.accept()
            return True
        return super().event(event)

    def _is_mine(self, event: QKeyEvent) -> bool:
        """True for keys that mean something else to the window: a digit begins a number here."""
        if event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Space, Qt.Key.Key_Escape):
            return not event.modifiers()
        if event.matches(QKeySequence.StandardKey.SelectAll):
            return True
        column, text = self.currentIndex().column(), event.text()
        if not text.isprintable() or not text or event.modifiers() & ~_TYPING:
            return False
        return text.isalnum() if column == CLASS else column > NUMBER and text in "0123456789.,+-−"

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key, plain = event.key(), not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        if self.state() == QAbstractItemView.State.EditingState or not plain:
            self._other_key(event)
        elif key == Qt.Key.Key_Delete:
            self._remove()
        elif key == Qt.Key.Key_Escape:
            self._controller.editing.escape()
        elif key == Qt.Key.Key_Space:
            self._toggle_current()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            index = self.currentIndex()
            if index.isValid():
                self.edit(index.siblingAtColumn(max(index.column(), 1)))
        elif key < Qt.Key.Key_Escape and not self._is_mine(event):
            event.ignore()  # no letter begins a number
        else:
            self._other_key(event)

    def _other_key(self, event: QKeyEvent) -> None:
        before = self.currentIndex().row()
        super().keyPressEvent(event)
        ranges = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
        if self.currentIndex().row() != before and not event.modifiers() & ranges:
            # Qt asks its selection, not `setSelection`, for the row that an arrow key alone comes to.
            self.setSelection(self.visualRect(self.currentIndex()), QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def closeEditor(self, editor: QWidget, hint: QStyledItemDelegate.EndEditHint) -> None:
        hints, index = QStyledItemDelegate.EndEditHint, QPersistentModelIndex(self.currentIndex())
        step = {hints.EditNextItem: 1, hints.EditPreviousItem: -1}.get(hint, 0)
        super().closeEditor(editor, hints.NoHint if step else hint)
        if step and index.isValid():  # Tab: the next cell that can be edited, of the next row after a class
            row, place = divmod(3 * index.row() + index.column() - X + step, 3)
            if 0 <= row < len(self._model.ids):
                self._go_to(row, X + place)
                if len(self._controller.session.selection):
                    self._choose(self._model.ids[[row]])  # or Delete would mean a row that is left
                self.edit(self.currentIndex())

    def _remove(self) -> None:
        if len(self._controller.session.selection):
            self._controller.editing.remove_selected()
        else:
            self._controller.say("Select rows first, then press Delete to remove their points.")

    def _toggle_current(self) -> None:
        index: QModelIndex = self.currentIndex()
        if index.isValid():
            self.setSelection(self.visualRect(index), QItemSelectionModel.SelectionFlag.Toggle)
