"""PointModel: the points of a document as rows of a table, and the checks of what is typed into its cells."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from app.controllers.controller import Controller
from app.core.dates import NUMBERS, Coordinates
from app.core.plain_text import plain
from app.core.points import LIMIT, MAX_CLASSES, Points
from app.scene.model import Scene
from app.scene.text import stacked
from app.state.commands import MovePoints, RelabelPoints
from app.views.widgets.inputs import plain_tip

Index = QModelIndex | QPersistentModelIndex
NUMBER, X, Y, CLASS = range(4)
_NOWHERE = QModelIndex()
#: Most digits of a displayed number; the editor and the tool tip have all of them.
MOST_DIGITS = 5


class PointModel(QAbstractTableModel):
    """Rows of the points shown last; editing a cell changes the document, and the rows follow it."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self.points = Points()
        self.xy, self.labels, self.ids = self.points.xy, self.points.labels, self.points.ids
        self.axes, self.coordinates = ("x", "y"), NUMBERS
        self.names: tuple[str, ...] = ("",) * MAX_CLASSES
        self.digits = MOST_DIGITS

    # -- following the scene -----------------------------------------------------------------------------------------

    def show_names(self, scene: Scene) -> None:
        """Set the names of axes and classes."""
        axes = (plain(scene.document.axes[0]) or "x", plain(scene.document.axes[1]) or "y")
        if (axes, scene.document.coordinates) != (self.axes, self.coordinates):
            self.axes, self.coordinates = axes, scene.document.coordinates
            self.headerDataChanged.emit(Qt.Orientation.Horizontal, X, Y)
        names = tuple(style.name for style in scene.document.styles)
        if names != self.names:
            self.names = names
            if len(self.ids):
                self.dataChanged.emit(self.index(0, CLASS), self.index(len(self.ids) - 1, CLASS))

    def show_points(self, points: Points) -> bool:
        """Follow the points with the fewest signals; return whether all rows were reset."""
        if points is self.points:
            return False
        start, end, new_end = _differing(self.points, points)
        old_ids, new_ids = self.ids[start:end], points.ids[start:new_end]
        old_xy, old_labels = self.xy[start:end], self.labels[start:end]
        kept, more = min(len(old_ids), len(new_ids)), len(new_ids) - len(old_ids)
        unlike = old_ids[:kept] != new_ids[:kept]
        gap = int(unlike.argmax()) if unlike.any() else kept  # where rows are inserted or removed, if in one place
        stay, become = np.delete(old_ids, np.s_[gap : gap - more]), np.delete(new_ids, np.s_[gap : gap + more])
        if more > 0 and np.array_equal(old_ids, become):
            self.beginInsertRows(_NOWHERE, start + gap, start + gap + more - 1)
            self._take(points)
            self.endInsertRows()
            self._emit_changes(start, old_xy[:gap], old_labels[:gap])
            self._emit_changes(start + gap + more, old_xy[gap:], old_labels[gap:])
        elif more < 0 and np.array_equal(stay, new_ids):
            self.beginRemoveRows(_NOWHERE, start + gap, start + gap - more - 1)
            self._take(points)
            self.endRemoveRows()
            self._emit_changes(start, old_xy[:gap], old_labels[:gap])
            self._emit_changes(start + gap, old_xy[gap - more :], old_labels[gap - more :])
        elif not more and gap == kept:
            self._take(points)
            self._emit_changes(start, old_xy, old_labels)
        else:
            self.beginResetModel()
            self._take(points)
            self.endResetModel()
            return True
        return False

    def _take(self, points: Points) -> None:
        self.points = points
        self.xy, self.labels, self.ids = points.xy, points.labels, points.ids

    def _emit_changes(self, start: int, xy: np.ndarray, labels: np.ndarray) -> None:
        """Report as changed the rows from `start` on, from the first to the last that differ from these."""
        stop = start + len(xy)
        new = self.xy[start:stop]
        changed = (new[:, 0] != xy[:, 0]) | (new[:, 1] != xy[:, 1]) | (self.labels[start:stop] != labels)
        rows = np.flatnonzero(changed)
        if len(rows):
            self.dataChanged.emit(self.index(start + int(rows[0]), X), self.index(start + int(rows[-1]), CLASS))

    # -- contents of the cells
    # ------------------------------------------------------------------------------------------

    def rowCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else len(self.ids)

    def columnCount(self, parent: Index = _NOWHERE) -> int:
        return 0 if parent.isValid() else 4

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemNeverHasChildren
        return flags if index.column() == NUMBER else flags | Qt.ItemFlag.ItemIsEditable

    def class_text(self, label: int) -> str:
        """Return the name of a class, or its number."""
        return self.names[label] or str(label + 1)

    def text(self, row: int, column: int) -> str:
        """Return the text of a cell."""
        if column == NUMBER:
            return str(row + 1)
        if column == CLASS:
            return self.class_text(int(self.labels[row]))
        value, span = float(self.xy[row, column - X]), self.points.extent[column - X]
        return self.coordinates[column - X].brief(value, span, self.digits)

    def editable_text(self, row: int, column: int) -> str:
        """Return the initial text of a cell's editor, with all digits."""
        if column == CLASS:
            return self.text(row, column)
        return self.coordinates[column - X].text(float(self.xy[row, column - X]))

    def _tip(self, row: int, column: int) -> str:
        label = int(self.labels[row])
        name = f": {self.names[label]}" if self.names[label] else ""
        if column == NUMBER:
            return f"Point {row + 1} of {len(self.ids)}"
        here = stacked(self._controller.document, row) if self._controller.document.points is self.points else ""
        own = f"Class {label + 1}{name}" if column == CLASS else self.editable_text(row, column)
        return f"{own}; {here}" if here else own

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid() or index.row() >= len(self.ids):
            return None
        row, column = index.row(), index.column()
        if role == Qt.ItemDataRole.DisplayRole:
            return plain(self.text(row, column))
        if role == Qt.ItemDataRole.EditRole:
            return self.editable_text(row, column)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(self._tip(row, column))
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        title = ("#", *self.axes, "class")[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return title
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignLeft if section == CLASS else Qt.AlignmentFlag.AlignRight
            return side | Qt.AlignmentFlag.AlignVCenter
        return plain_tip(title) if role == Qt.ItemDataRole.ToolTipRole and section in (X, Y) else None

    # -- editing ---------------------------------------------------------------------------------------------------

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Change the document by what was typed (text) or chosen (the index of a class, 0 to 7)."""
        if role != Qt.ItemDataRole.EditRole or not index.isValid() or index.row() >= len(self.ids):
            return False
        if self._controller.editing.busy:
            return False
        row, column = index.row(), index.column()
        if column == CLASS:
            return self._set_class(row, value)
        return column != NUMBER and self._set_number(row, column, str(value))

    def _set_number(self, row: int, column: int, text: str) -> bool:
        number = self.coordinates[column - X].value(text)
        if not abs(number) <= LIMIT:
            sentence = refusal(self.axes[column - X], self.coordinates[column - X], text)
            self._controller.say(f"{sentence}: it stays {self.text(row, column)}.")
            return False
        points = self._controller.document.points  # the displayed points may be older
        location = points.xy[points.indices_of(self.ids[[row]])]
        location[:, column - X] = number
        self._controller.dispatch(MovePoints(ids=self.ids[[row]][: len(location)], xy=location))
        return True

    def _set_class(self, row: int, value: Any) -> bool:
        label = value if isinstance(value, int) else self.label_of(str(value))
        if label is None:
            stays = f"it stays {self._controller.document.class_name(int(self.labels[row]))}"
            self._controller.say(f"“{str(value)[:20]}” is no class: type a number from 1 to 8 or a name; {stays}.")
            return False
        self._controller.dispatch(RelabelPoints(ids=self.ids[[row]], label=label))
        return True

    def label_of(self, text: str) -> int | None:
        """Return the class that was typed as its number, "class 3", or its name; None if there is no such class."""
        typed = text.strip().casefold()
        number = typed.removeprefix("class").strip()
        if number.isdecimal() and number.isascii() and 1 <= int(number) <= MAX_CLASSES:
            return int(number) - 1
        names = [name.casefold() for name in self.names]
        return names.index(typed) if typed and typed in names else None


def _differing(old: Points, new: Points) -> tuple[int, int, int]:
    """Return the first row, the end of the old rows and the end of the new ones of the block that differs."""
    least = min(len(old.blocks), len(new.blocks))
    before = next((b for b in range(least) if old.blocks[b] is not new.blocks[b]), least)
    behind = next((b for b in range(least - before) if old.blocks[-1 - b] is not new.blocks[-1 - b]), least - before)
    same = sum(map(len, old.blocks[len(old.blocks) - behind :]))
    return sum(map(len, old.blocks[:before])), len(old) - same, len(new) - same


def refusal(what: str, kind: Coordinates, text: str) -> str:
    """Return a sentence on why `text` is no coordinate."""
    return f"{what} must be {kind.wanted()}; “{text.strip()[:20]}” is not"
