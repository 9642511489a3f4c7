"""Point cells: how the cells of the table of points are drawn, and what they are edited with."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject, QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QKeyEvent, QPalette, QPixmap, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QLineEdit,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from app.state.points import MAX_CLASSES
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import Theme
from app.views.widgets.form_fields import describe

from .point_model import CLASS, NUMBER, Index, PointModel

ICON = 18  # pixels


def _icon(pixmap: QPixmap) -> QIcon:
    """An icon that is not tinted where it is selected."""
    icon = QIcon(pixmap)
    icon.addPixmap(pixmap, QIcon.Mode.Selected)
    return icon


class CellField(QLineEdit):
    """The editor of a coordinate."""

    def __init__(self, parent: QWidget, done: Callable[[QWidget], None]) -> None:
        super().__init__(parent)
        self._done = done

    def commit(self) -> None:
        """Take what was typed, and close."""
        self._done(self)


class ClassField(QComboBox):
    """The editor of a class: choose it, or type its number or name."""

    def __init__(self, parent: QWidget, done: Callable[[QWidget], None]) -> None:
        super().__init__(parent)
        self._done = done
        self.setEditable(True)
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setCompleter(None)  # type: ignore[arg-type]  # it would make another class of what is half typed
        self._listed = False  # the list was opened, and no key pressed since
        self.activated.connect(self._chosen)

    def showPopup(self) -> None:
        self._listed = True
        super().showPopup()

    def _chosen(self) -> None:
        if self._listed:  # an arrow key may be followed by another, and a text be left without Enter
            self.commit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return  # the delegate has seen it
        self._listed = False
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def commit(self) -> None:
        """Take what was chosen or typed, and close."""
        self._done(self)

    def typed(self) -> bool:
        """True when a text was typed since an entry was chosen."""
        field = self.lineEdit()
        return field is not None and field.isModified()


class CellDelegate(QStyledItemDelegate):
    """Draws the cells from the model without asking it for every role, and makes their editors."""

    def __init__(self, table: QTableView, model: PointModel) -> None:
        super().__init__(table)
        self._table, self._model = table, model
        self.icons: list[QIcon] = []
        self.pale, self.ink = QColor(), QColor()  # pale enough for every class to be told on it
        self.selected = np.zeros(0, dtype=bool)

    def show_theme(self, theme: Theme, ratio: float) -> None:
        """Take the symbols of the classes and the colours of selected rows."""
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
            field = describe(
                CellField(parent, self._finish),
                "table.cell",
                f"{self._model.axes[index.column() - 1]} of point {row + 1}",
                "",
            )
            return field
        combo = describe(ClassField(parent, self._finish), "table.cell", f"Class of point {row + 1}", "")
        for label in range(MAX_CLASSES):
            combo.addItem(self.icons[label], self._model.class_text(label), label)
        combo.setCurrentIndex(int(self._model.labels[row]))
        return combo

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        if isinstance(editor, CellField) and not editor.isModified():
            editor.setText(self._model.editable_text(index.row(), index.column()))
            editor.selectAll()
        elif isinstance(editor, ClassField) and not editor.typed():
            field = editor.lineEdit()
            if field is not None:
                field.selectAll()

    def setModelData(self, editor: QWidget, model: QObject, index: Index) -> None:
        if isinstance(editor, ClassField):
            self._model.setData(index, editor.currentText() if editor.typed() else editor.currentData())
        elif isinstance(editor, CellField) and editor.isModified():
            editor.setModified(False)
            self._model.setData(index, editor.text())

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        rect, room = QRect(option.rect), self._table.viewport().width()
        width = min(max(rect.width(), editor.fontMetrics().horizontalAdvance("0" * 20)), room)
        rect.setLeft(min(rect.left(), room - width))
        rect.setWidth(width)
        editor.setGeometry(rect)

    def _finish(self, editor: QWidget) -> None:
        if editor.isHidden():  # closed already; it keeps the focus a moment longer
            return
        self.commitData.emit(editor)
        self.closeEditor.emit(editor, QStyledItemDelegate.EndEditHint.NoHint)
