"""ProbePanel: why the probed location gets its class, lane by lane: headline, formula, sentences and tables."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QKeyEvent, QPainter, QPen
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from app.controllers.controller import Controller
from app.core.plain_text import plain
from app.core.points import LIMIT
from app.scene.model import LaneScene, Scene
from app.state.document import MAX_LANES
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import LARGE, LIGHT, Theme
from app.views.widgets.boxes import in_column, in_lines, in_row
from app.views.widgets.clickable import clickable
from app.views.widgets.inputs import NumberField, describe, filled, label_for, named
from app.views.widgets.painting import bold, scale_font
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.rows_model import Index, RowsModel
from app.views.widgets.scrolling_form import ScrollingForm

from .controller import ProbeController
from .scene import NO_PROBE, LaneProbe, Probe, ProbeSession
from .tables import TableRows
from .text import NOWHERE

#: Least height of a row (pixels), its height in lines; number of rows whose text is measured for the column widths.
ROW, ROW_LINES, MEASURED = 24, 1.4, 12
#: Width of a symbol with its gap, and of the space beside a text (pixels).
ICON, PAD = 20.0, 4.0
#: Greatest width of the name of an axis beside its field (pixels).
LONGEST = 120


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


#: Largest number of tables of a lane: for several classes the duels, their votes, and the terms of one.
MOST_TABLES = 3


class _Text(RoomyLabel):
    """Text as high as it needs to be; hidden if empty."""

    def __init__(self, name: str, bold: bool = False, large: bool = False) -> None:
        super().__init__(name, hides=True)
        self._bold, self._large = bold, large

    def dress(self, base: QFont) -> None:
        """Use the panel's font, in this label's weight and size."""
        font = QFont(base)
        font.setBold(self._bold)
        if self._large:
            scale_font(font, LARGE)
        if font != self.font():
            self.setFont(font)


class Section(QWidget):
    """The explanation for one lane.

    Parameters
    ----------
    index : int
        Index of the lane.
    controller : Controller
    """

    def __init__(self, index: int, controller: Controller) -> None:
        super().__init__()
        self._index, self._probe = index, controller.feature(ProbeController)
        self._shown: LaneProbe | None = None
        self._theme: Theme | None = None
        self._title = _Text(f"probe{index}.title", bold=True)
        self._sign = QLabel()
        self._headline = _Text(f"probe{index}.headline", bold=True, large=True)
        self._formula = _Text(f"probe{index}.formula")
        self._lines = _Text(f"probe{index}.lines")
        self._message = _Text(f"probe{index}.message")
        line = QFrame(frameShape=QFrame.Shape.HLine)
        if index == 0:  # setVisible(True) would open a window, since it has no parent yet
            line.hide()
        head = filled(QHBoxLayout(), (self._sign, 0, Qt.AlignmentFlag.AlignTop), (self._headline, 1))
        fixed = (self._formula, self._lines, self._message)
        self._tables = [self._table(index) for index in range(MOST_TABLES)]
        tables = (widget for table in self._tables for widget in table)
        filled(QVBoxLayout(self), line, self._title, head, *fixed, *tables, margins=(0, 0, 0, 4), spacing=4)

    def _table(self, index: int) -> tuple[_Text, ProbeTable, _Text]:
        """Return a table with the labels above and below it."""
        caption = _Text(f"probe{self._index}.caption{index}", bold=True)
        table = named(ProbeTable(lambda row: self._pick(index, row)), f"probe{self._index}.table{index}")
        return caption, table, _Text(f"probe{self._index}.more{index}")

    def show_probe(self, lane: LaneScene, probe: LaneProbe, theme: Theme) -> None:
        """Show the probe of the lane."""
        for text in self.findChildren(_Text):
            text.dress(self.font())
        self._title.say(lane.title, keep=False)
        if probe is self._shown and theme is self._theme:
            return
        self._shown, self._theme = probe, theme
        self._headline.say(probe.headline, keep=False)
        self._formula.say(probe.formula, keep=False)
        self._lines.say("\n".join(probe.lines), keep=False)
        self._message.say(probe.message, keep=False)
        self._sign.setVisible(probe.label >= 0)
        if probe.label >= 0:
            self._sign.setPixmap(symbol_pixmap(theme, str(probe.label), 22, self.devicePixelRatioF()))
        for index, (caption, table, more) in enumerate(self._tables):
            shown = probe.tables[index] if index < len(probe.tables) else None
            table.setVisible(shown is not None)
            caption.say("" if shown is None else shown.title, keep=False)
            more.say("" if shown is None else shown.more, keep=False)
            if shown is not None:
                table.show_table(shown, lane.title, theme)

    def _pick(self, index: int, row: int) -> None:
        table = self._tables[index][1].table
        if table is not None and table.picks:
            self._probe.choose(self._index, table.picks[row])


class ProbePanel(QWidget):
    """All lanes, and the probed location.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller, self._probe = controller, controller.feature(ProbeController)
        tip = "Why the probed location gets its class, for each classifier."
        describe(self, "probe", "Why this class", tip, hover=False)
        self._fields = {axis: NumberField(axis, -LIMIT, LIMIT) for axis in "xy"}
        self._labels = {axis: label_for("", field) for axis, field in self._fields.items()}
        for axis, field in self._fields.items():
            self._name_axis(axis, "")
            field.show_value(0.0)
            field.committed.connect(lambda value, axis=axis: self._typed(axis, value))
            field.returnPressed.connect(self._entered)
            field.refused.connect(controller.say)
        tip = "Keep explaining this location; again to unpin (Q)."
        self._pin = clickable(QPushButton("Pin"), "probe.pin", "Pin the location", tip, self._toggle)
        self._pin.setCheckable(True)
        nowhere = QLabel(NOWHERE, wordWrap=True, margin=12, alignment=Qt.AlignmentFlag.AlignCenter)
        self._nowhere = named(nowhere, "probe.nowhere")
        self.sections = [Section(index, controller) for index in range(MAX_LANES)]
        self._scrolled = ScrollingForm(in_column(*self.sections, 1, margins=(8, 4, 8, 4), spacing=6))
        rows = (
            in_row(label, (field, 1)) for label, field in zip(self._labels.values(), self._fields.values(), strict=True)
        )
        asked = in_lines(6, *rows, self._pin)
        asked.setContentsMargins(8, 0, 8, 0)
        filled(QVBoxLayout(self), asked, (self._nowhere, 1), (self._scrolled, 1), margins=(0, 6, 0, 0))
        self.first_stop = self._fields["x"]

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(max(hint.width(), 260), hint.height())

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's probe."""
        for letter, name, kind in zip(self._fields, scene.document.axes, scene.document.coordinates, strict=True):
            self._name_axis(letter, name)
            self._fields[letter].show_coordinates(kind)
        probe = scene.feature(Probe) or NO_PROBE
        if probe.location is not None:
            for field, value in zip(self._fields.values(), probe.location, strict=True):
                before = field.text()
                field.show_value(value)
                if field.text() != before and not field.hasFocus():
                    field.setCursorPosition(0)
        self._pin.setChecked(probe.pinned)
        self._pin.setText("Unpin" if probe.pinned else "Pin")
        self._nowhere.setVisible(probe.location is None)
        self._scrolled.setVisible(probe.location is not None)
        for index, section in enumerate(self.sections if probe.location is not None else ()):
            section.setVisible(index < len(probe.lanes))
            if index < len(probe.lanes):
                section.show_probe(scene.lanes[index], probe.lanes[index], theme)

    def _name_axis(self, letter: str, name: str) -> None:
        """Show the name of an axis beside its field."""
        field, label, name = self._fields[letter], self._labels[letter], plain(name) or letter
        if name != field.name or not field.objectName():
            field.name = name
            describe(field, f"probe.{letter}", f"{name} of the probed location", f"Type {name}, then Enter pins it.")
            shown = label.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, LONGEST)
            label.setText(shown.replace("&", "&&"))

    # -- the user --------------------------------------------------------------------------------------------------

    def _typed(self, axis: str, value: float) -> None:
        """Pin the location with this coordinate, and the other one unchanged."""
        self._probe.pin(*(value if name == axis else field.value() for name, field in self._fields.items()))

    def _entered(self) -> None:
        """Pin the location in the fields, after Enter without typing."""
        self._probe.pin(*(each.value() for each in self._fields.values()))

    def _toggle(self) -> None:
        chosen = self._controller.session.of(ProbeSession)
        self._pin.setChecked(chosen.probe is not None)  # only a scene changes it
        if chosen.probe is None and self._controller.pointer is None:
            self._entered()
        else:
            self._probe.toggle()
