"""PointTable: the table of the points; it shows the selection of the scene and edits one cell at a time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import (
    QEvent,
    QItemSelectionModel,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
)
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QKeySequence, QPaintEvent, QPalette, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QComboBox,
    QHeaderView,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.controllers.controller import Controller
from app.core.points import MAX_CLASSES, Ids
from app.scene.model import Scene
from app.state.session import NOTHING, Selection
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import Theme
from app.views.widgets.inputs import ENTER, describe, is_refused, keeps_key, mark_bad
from app.views.widgets.painting import painter_on

from .point_model import CLASS, MOST_DIGITS, NUMBER, Index, PointModel, X

ICON = 18  # pixels
CLOSING = (*ENTER, Qt.Key.Key_Tab, Qt.Key.Key_Backtab)


def _icon(pixmap: QPixmap) -> QIcon:
    """Return an icon that Qt does not tint in a selected row."""
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


class CellField(QLineEdit):
    """The editor of a coordinate."""

    def __init__(self, parent: QWidget, done: Callable[[QWidget], None]) -> None:
        super().__init__(parent)
        self._done = done
        self.textEdited.connect(lambda: mark_bad(self, bad=False))

    def commit(self) -> None:
        """Use the typed text, and close."""
        self._done(self)


class ClassField(QComboBox):
    """The editor of a class: choose it, or type its number or name."""

    def __init__(self, parent: QWidget, done: Callable[[QWidget], None]) -> None:
        super().__init__(parent, editable=True, insertPolicy=QComboBox.InsertPolicy.NoInsert)
        self._done = done
        self.setCompleter(None)  # type: ignore[arg-type]  # it would make another class of what is half typed
        self._listed = False  # the list was opened, and no key was pressed since
        self.editTextChanged.connect(lambda: mark_bad(self, bad=False))
        self.activated.connect(self._chosen)

    def showPopup(self) -> None:
        self._listed = True
        super().showPopup()

    def _chosen(self) -> None:
        if self._listed:  # an arrow key may be followed by another, and text may remain without Enter
            self.commit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return  # the delegate has handled it
        self._listed = False
        super().keyPressEvent(event)

    def commit(self) -> None:
        """Use the chosen or typed class, and close."""
        self._done(self)

    def typed(self) -> bool:
        """Return whether a text was typed since an entry was chosen."""
        field = self.lineEdit()
        return field is not None and field.isModified()


class CellDelegate(QStyledItemDelegate):
    """Paint the cells from the model without a call for each role, and make their editors."""

    def __init__(self, table: QTableView, model: PointModel) -> None:
        super().__init__(table)
        self._table, self._model = table, model
        self.icons: list[QIcon] = []
        self.pale, self.ink = QColor(), QColor()  # pale enough for each class symbol to stand out
        self.selected = np.zeros(0, dtype=bool)

    def show_theme(self, theme: Theme, ratio: float) -> None:
        """Set the symbols of the classes and the colours of selected rows."""
        self.icons = [_icon(symbol_pixmap(theme, str(c), ICON, ratio)) for c in range(MAX_CLASSES)]
        pale = (round(0.3 * a + 0.7 * b) for a, b in zip(theme.accent, theme.base, strict=True))
        self.pale, self.ink = QColor(*pale), QColor(*theme.ink)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        row, column = index.row(), index.column()
        option.text = self._model.text(row, column)
        option.features |= QStyleOptionViewItem.ViewItemFeature.HasDisplay
        side = Qt.AlignmentFlag.AlignLeft if column == CLASS else Qt.AlignmentFlag.AlignRight
        option.displayAlignment = side | Qt.AlignmentFlag.AlignVCenter
        if column == CLASS and self.icons:
            option.features |= QStyleOptionViewItem.ViewItemFeature.HasDecoration
            option.icon = self.icons[int(self._model.labels[row])]
            option.decorationSize = QSize(ICON, ICON)
        if column == NUMBER:
            option.palette.setBrush(QPalette.ColorRole.Text, option.palette.placeholderText())
        if row < len(self.selected) and self.selected[row]:
            option.state |= QStyle.StateFlag.State_Selected | QStyle.StateFlag.State_Active
            option.palette.setColor(QPalette.ColorRole.Highlight, self.pale)
            option.palette.setColor(QPalette.ColorRole.HighlightedText, self.ink)
        else:
            option.state &= ~QStyle.StateFlag.State_Selected

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        row = index.row()
        if index.column() != CLASS:
            axis = self._model.axes[index.column() - 1]
            return describe(CellField(parent, self._finish), "table.cell", f"{axis} of point {row + 1}", "")
        combo = describe(ClassField(parent, self._finish), "table.cell", f"Class of point {row + 1}", "")
        for label in range(MAX_CLASSES):
            combo.addItem(self.icons[label], self._model.class_text(label), label)
        combo.setCurrentIndex(int(self._model.labels[row]))
        return combo

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, CellField) and not editor.isModified():
            editor.setText(self._model.editable_text(index.row(), index.column()))
            editor.selectAll()
        elif isinstance(editor, ClassField) and not editor.typed() and (field := editor.lineEdit()) is not None:
            field.selectAll()

    def setModelData(self, editor: QWidget, model: QObject, index: Index) -> None:
        if isinstance(editor, ClassField):
            taken = self._model.setData(index, editor.currentText() if editor.typed() else editor.currentData())
            mark_bad(editor, not taken)
        elif isinstance(editor, CellField) and editor.isModified():
            editor.setModified(False)
            mark_bad(editor, not self._model.setData(index, editor.text()))

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Keep a refused value in its cell, to be corrected: Enter and Tab do not close the editor."""
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.KeyPress and event.key() in CLOSING:
            assert isinstance(editor, CellField | ClassField)
            self.commitData.emit(editor)
            if is_refused(editor):
                return True
        return super().eventFilter(editor, event)

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        rect, room = QRect(option.rect), self._table.viewport().width()
        width = min(max(rect.width(), editor.fontMetrics().horizontalAdvance("0" * 20)), room)
        rect.setLeft(min(rect.left(), room - width))
        rect.setWidth(width)
        editor.setGeometry(rect)

    def _finish(self, editor: QWidget) -> None:
        if editor.isHidden():  # already closed; the focus leaves it later
            return
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)


_EDITING = (
    QAbstractItemView.EditTrigger.DoubleClicked
    | QAbstractItemView.EditTrigger.EditKeyPressed
    | QAbstractItemView.EditTrigger.AnyKeyPressed
)
_TYPING = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.KeypadModifier
EMPTY = "No points yet: click in a picture, or type x and y below."


class _Current(QItemSelectionModel):
    """Keep a current cell, but select nothing."""

    def select(self, *what: object) -> None:
        pass


class PointTable(QTableView):
    """The points, one row each.

    The scene determines the selected rows: `setSelection`, which Qt calls for actions of the user, passes them to the
    controller, and the delegate paints those of the scene.  Qt's own selection stays empty.
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__(  # type: ignore[call-arg]  # properties of its bases
            wordWrap=False,
            tabKeyNavigation=False,
            editTriggers=_EDITING,
            selectionBehavior=QAbstractItemView.SelectionBehavior.SelectRows,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            locale=QLocale.c(),
        )
        self._controller = controller
        self._model = PointModel(controller)
        self._cells = CellDelegate(self, self._model)
        self._theme: Theme | None = None
        self._selected: np.ndarray | None = None
        self._selection: Selection = NOTHING  # displayed last
        self._chosen: Selection | None = None  # by the user, in this table
        self._base: Ids = NOTHING.ids  # selection before the present range
        self._adding = True  # the range is added to it, not removed from it
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
        """Show as many digits as fit after "-0.0"."""
        characters = (self.columnWidth(X) - 8) // max(1, self.fontMetrics().horizontalAdvance("0"))
        self._model.digits = min(max(characters - 4, 3), MOST_DIGITS)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._size_rows()

    # -- following the scene -----------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's points, names and selection; leave unchanged parts alone."""
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
        """Scroll to the first of these rows, unless one of them is visible."""
        if not len(rows):
            return
        top, bottom = self.rowAt(0), self.rowAt(self.viewport().height() - 1)
        visible = rows[np.searchsorted(rows, top) :]
        row = int(visible[0]) if len(visible) and (bottom < 0 or visible[0] <= bottom) else int(rows[0])
        self._go_to(row, max(self.currentIndex().column(), NUMBER))
        self.scrollTo(self._model.index(row, NUMBER))

    def edit_point(self, row: int) -> None:
        """Scroll to the point in this row and begin to edit its x."""
        self._go_to(row, X)
        self.scrollTo(self.currentIndex())
        self.setFocus()
        self.edit(self.currentIndex())

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
        elif not command & flag.Current:  # one row more, or fewer
            self._base = self._controller.session.selection.ids
            self._adding = not np.isin(ids, self._base).all()
        self._choose(np.union1d(self._base, ids) if self._adding else np.setdiff1d(self._base, ids))

    def _choose(self, ids: Ids) -> None:
        points = self._controller.document.points
        if points is not self._model.points:  # older points: some may have been removed
            ids = points.ids[points.indices_of(ids)]
        if not np.array_equal(ids, self._controller.session.selection.ids):
            self._controller.editing.select(ids)
            self._chosen = self._controller.session.selection

    def selectAll(self) -> None:
        self._choose(self._controller.document.points.ids)

    def event(self, event: QEvent) -> bool:
        return keeps_key(event, self._is_mine) or super().event(event)

    def _is_mine(self, event: QKeyEvent) -> bool:
        """Return whether a key has another meaning here than in the window: a digit begins a number."""
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
            # Qt calls its selection model, not `setSelection`, for the row that an arrow key alone reaches.
            self.setSelection(self.visualRect(self.currentIndex()), QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def closeEditor(self, editor: QWidget, hint: QStyledItemDelegate.EndEditHint) -> None:
        hints, index = QStyledItemDelegate.EndEditHint, QPersistentModelIndex(self.currentIndex())
        step = {hints.EditNextItem: 1, hints.EditPreviousItem: -1}.get(hint, 0)
        super().closeEditor(editor, hints.NoHint if step else hint)
        if step and index.isValid():  # Tab: the next editable cell; after a class that of the next row
            row, column = divmod(3 * index.row() + index.column() - X + step, 3)
            if 0 <= row < len(self._model.ids):
                self._go_to(row, X + column)
                if len(self._controller.session.selection):
                    self._choose(self._model.ids[[row]])  # else Delete would remove the row that was left
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
