"""ImportDialog: what a table of another program holds, which columns become what, and what will come of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialogButtonBox,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QPlainTextEdit,
    QRadioButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.core.number_format import count, grouped
from app.core.plain_text import plain
from app.exchange.columns import BadRows, Choice, Imported, convert, default_choice
from app.exchange.delimited import DECIMALS, SEPARATORS
from app.exchange.table import Column, Dialect, DialectError, Table
from app.files.background_task import Task
from app.files.documents import FileError
from app.views.chart.axis import Axis
from app.views.chart.chart import Chart
from app.views.chart.marks import Mark, class_spots
from app.views.task_runner import TaskRunner
from app.views.theme import theme_of
from app.views.widgets.clickable import clickable
from app.views.widgets.form_fields import combo_box, describe, filled, label_for, named, show_check, show_choice
from app.views.widgets.painting import bold
from app.views.widgets.qt_dialogs import NamedDialog

ROWS, COLUMNS = 12, 50
_LONGEST_CELL = 60
_MOST_DRAWN = 800


class Rows(QTableWidget):
    """The first rows and columns of a table, with the line each row has in the file."""

    def __init__(self) -> None:
        super().__init__(  # type: ignore[call-overload]  # properties of its bases
            editTriggers=QTableWidget.EditTrigger.NoEditTriggers,
            selectionMode=QTableWidget.SelectionMode.NoSelection,
            tabKeyNavigation=False,
            wordWrap=False,
            cornerButtonEnabled=False,
            alternatingRowColors=True,
        )
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
        self.verticalHeader().setDefaultSectionSize(max(self.fontMetrics().height() + 6, 24))
        self.resizeColumnsToContents()


def _shown(column: Column, row: int) -> str:
    """A cell on one line; of a number the digits that say something to the eye."""
    if row in column.texts or column.categories:
        return plain(" ".join(column.cell(row)[:_LONGEST_CELL].split()))
    return f"{column.values[row]:.12g}"


class Picture(Chart):
    """The points as the canvas would show them, both axes equally scaled; of many only some."""

    equal = True

    def show_points(self, imported: Imported | None) -> None:
        """Show these points, or none."""
        theme, marks = theme_of(self.palette().window().color().lightness() < 128), list[Mark]()
        x_axis, y_axis = Axis(), Axis()
        if imported is not None:
            xy, labels = imported.xy, imported.labels
            low, size = xy.min(axis=0), np.ptp(xy, axis=0)
            # Round a single place the axes reach as far as from there to 0.
            size = size if size.max() > 1e-9 * np.abs(low).max() + 1e-30 else np.maximum(np.abs(low), 1.0)
            x_axis, y_axis = (
                Axis(low=at - by, high=at + each + by) for at, each, by in zip(low, size, 0.05 * size, strict=True)
            )
            # By chance: every tenth of a table that repeats itself could be of one class.
            some = np.random.default_rng(0).choice(len(xy), min(len(xy), _MOST_DRAWN), replace=False)
            for label in np.unique(labels[some]).tolist():
                x, y = xy[some[labels[some] == label]].T
                marks.append(class_spots(theme, label, x, y, 7.7))
        self.show_marks(marks, theme, x_axis, y_axis)


#: The entry of the class box that is no column.
NO_CLASS = -1


@dataclass(frozen=True, eq=False)
class _Answer:
    """What came of a request."""

    table: Table
    choice: Choice
    result: Imported | FileError


def _converted(table: Table, choice: Choice) -> _Answer:
    try:
        return _Answer(table, choice, convert(table, choice))
    except FileError as error:
        return _Answer(table, choice, error)


class ImportDialog(NamedDialog):
    """Asks how to import a table; it reads on a thread of its own and holds no window up.

    Parameters
    ----------
    parent : QWidget
    read : callable
        Reads the table in a dialect, None in it meaning "find out"; called from another thread, may raise FileError.
    take : callable
        Given the points and whether to add them to the present ones, when the user agrees.
    add : bool
        What of the two is offered first.
    """

    def __init__(
        self,
        parent: QWidget,
        read: Callable[[Dialect], Table],
        take: Callable[[Imported, bool], object],
        add: bool = False,
    ) -> None:
        super().__init__(parent, "import", "Import points", once=True)
        self._read, self._take = read, take
        self._spec = Dialect()
        self._table: Table | None = None
        self._imported: Imported | None = None
        self._text_row = self._dialect()
        self._rows = describe(
            Rows(), "import.rows", "First rows", "The first rows of the table, with their lines in the file."
        )
        self._rows.setMinimumHeight(110)
        self._more = named(QLabel(), "import.more")
        self._picture = describe(
            Picture(), "import.picture", "Picture of the points", "The points, both axes equally scaled."
        )
        middle = filled(QHBoxLayout(), (self._columns(), 3), (self._picture, 2))
        # It quotes the file.
        self._summary = named(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True), "import.summary")
        self._doubt = named(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True), "import.doubt")
        self._doubt.setFont(bold(self._doubt.font()))
        self._doubt.hide()
        tip = "Import the other rows without these."
        self._leave_out = clickable(QCheckBox(), "import.leave_out", "Leave out", tip, self._rechoose)
        self._leave_out.hide()
        self._bad = describe(
            QPlainTextEdit(readOnly=True, tabChangesFocus=True),
            "import.bad",
            "Rows that cannot be used",
            "The rows that cannot be used, by line, and why.",
        )
        self._bad.setMinimumHeight(60)
        end = filled(QHBoxLayout(), self._leave_out, (self._buttons(), 1))
        parts = ((self._rows, 3), self._more, (middle, 2), self._summary, self._doubt, (self._bad, 1), end)
        filled(QVBoxLayout(self), self._text_row, *parts)
        self._add.setChecked(add)
        self._tasks = TaskRunner(self)
        self.resize(860, 660)
        self._reread()

    def _dialect(self) -> QWidget:
        row = QWidget()
        layout = filled(QHBoxLayout(row), margins=0)
        self._separator = describe(
            combo_box((title, sign) for sign, title in SEPARATORS.items()),
            "import.separator",
            "Separator",
            "What stands between two cells of a row.",
        )
        self._decimal = describe(
            combo_box((title, sign) for sign, title in DECIMALS.items()),
            "import.decimal",
            "Decimal sign",
            "How numbers are written in this file.",
        )
        self._header = describe(
            QCheckBox("&First row names the columns"),
            "import.header",
            "First row names the columns",
            "Else it holds a point like the others.",
        )
        self._separator.activated.connect(lambda: self._ask(separator=self._separator.currentData()))
        self._decimal.activated.connect(lambda: self._ask(decimal=self._decimal.currentData()))
        self._header.clicked.connect(lambda on: self._ask(header=on))
        for title, box in (("&Separator", self._separator), ("&Decimal sign", self._decimal)):
            filled(layout, label_for(title, box), box)
            layout.addSpacing(12)
        filled(layout, self._header, 1)
        row.hide()  # until it is known that the file is a text
        return row

    def _columns(self) -> QGridLayout:
        grid = QGridLayout()  # a form layout sets its labels a little too high beside these boxes
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        # Not as wide as the longest of ten thousand names.
        self._x = describe(combo_box(width=16), "import.x", "Column for x", "Which column runs to the right.")
        self._y = describe(combo_box(width=16), "import.y", "Column for y", "Which column runs upwards.")
        tip = "Which column says the class: at most 8 values."
        self._class = describe(combo_box(width=16), "import.class", "Column for the class", tip)
        for box in (self._x, self._y, self._class):
            box.activated.connect(self._rechoose)
        self._standardise = clickable(
            QCheckBox("S&tandardise: mean 0, variance 1"),
            "import.standardise",
            "Standardise",
            "Shift and scale x and y alike: distances then weigh both columns the same, whatever their units."
            " The axes say so; exported points have their own units again.",
            self._rechoose,
        )
        # It quotes the file.
        self._advice = named(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True), "import.advice")
        self._advice.hide()
        for line, (title, box) in enumerate((("&x", self._x), ("&y", self._y), ("&Class", self._class))):
            grid.addWidget(label_for(title, box), line, 0)
            grid.addWidget(box, line, 1)
        grid.addWidget(self._standardise, 3, 1)
        replace_points = describe(
            QRadioButton("&Replace the points"),
            "import.replace",
            "Replace the points",
            "The present points go; Undo brings them.",
        )
        self._add = describe(
            QRadioButton("&Add to the points"), "import.add", "Add to the points", "The present points stay."
        )
        replace_points.setChecked(True)
        group = QButtonGroup(self)
        where = QHBoxLayout()
        for button in (replace_points, self._add):
            button.setMinimumHeight(26)
            group.addButton(button)
            filled(where, button).addSpacing(12)
        where.addStretch(1)
        grid.addWidget(self._advice, 4, 1)
        grid.addLayout(where, 5, 1)
        grid.setRowStretch(6, 1)
        return grid

    def _buttons(self) -> QDialogButtonBox:
        box = self.button_box(QDialogButtonBox.StandardButton.Cancel)
        self._import = box.addButton("&Import", QDialogButtonBox.ButtonRole.AcceptRole)
        describe(self._import, "import.import", "Import", "Take these points over.")
        self._import.setDefault(True)
        box.accepted.connect(self._accept)
        return box

    # -- asking ----------------------------------------------------------------------------------------------------

    def _ask(self, **spec: str | bool) -> None:
        self._spec = replace(self._spec, **spec)  # type: ignore[arg-type]
        self._reread()

    def _reread(self) -> None:
        read, spec, standardise = self._read, self._spec, self._standardise.isChecked()

        def work() -> _Answer:
            table = read(spec)
            return _converted(table, replace(default_choice(table), standardise=standardise))

        self._leave_out.setChecked(False)
        self._expect(work)
        self._summary.setText("Reading…")
        for part in (self._bad, self._leave_out, self._advice):
            part.hide()

    def _rechoose(self) -> None:
        table = self._table
        if table is None:
            return
        label = int(self._class.currentData())
        choice = Choice(
            int(self._x.currentData()),
            int(self._y.currentData()),
            None if label == NO_CLASS else label,
            self._standardise.isChecked(),
            self._leave_out.isChecked(),
        )
        self._expect(lambda: _converted(table, choice))

    def _expect(self, work: Callable[[], _Answer]) -> None:
        self._imported = None  # until the answer is there, nothing can be imported
        self._import.setEnabled(False)
        task = Task("Reading a table", lambda progress: work(), "This file could not be read", kept=False)
        self._tasks.run_newest(task, self._show_answer, self._show_failure)

    # -- showing ---------------------------------------------------------------------------------------------------

    def _show_failure(self, error: FileError) -> None:
        self._show_table(None)
        if isinstance(error, DialectError):
            self._show_dialect(error.dialect)
        self._show_result(error)

    def _show_answer(self, answer: _Answer) -> None:
        first = self._table is None
        if answer.table is not self._table:
            self._show_table(answer.table)
        for box, place in ((self._x, answer.choice.x), (self._y, answer.choice.y)):
            if box.findData(place) < 0:  # a column of words, for want of numbers
                box.addItem(answer.table.columns[place].name, place)
            show_choice(box, place)
        show_choice(self._class, NO_CLASS if answer.choice.label is None else answer.choice.label)
        self._show_result(answer.result, answer.table.place)
        if first and self._spec == Dialect():  # no hand is on the separator already
            self._x.setFocus()

    def _show_table(self, table: Table | None) -> None:
        self._table = table
        self._rows.show_table(table)
        for box in (self._x, self._y, self._class):
            box.clear()
            box.setEnabled(table is not None)
        self._more.setVisible(table is not None and len(table.columns) > COLUMNS)
        self._doubt.setText(table.doubt if table is not None else "")
        self._doubt.setVisible(table is not None and bool(table.doubt))
        if table is None:
            return
        self.setWindowTitle(f"Import points – {table.name}".replace("[*]", "[*][*]"))
        self._more.setText(f"The first {COLUMNS} of {grouped(len(table.columns))} columns are shown.")
        self._class.addItem("none: all of class 1", NO_CLASS)
        for place, column in enumerate(table.columns):
            self._class.addItem(column.name, place)
            if column.is_numeric:
                self._x.addItem(column.name, place)
                self._y.addItem(column.name, place)
        self._show_dialect(table.dialect)

    def _show_dialect(self, dialect: Dialect | None) -> None:
        self._text_row.setVisible(dialect is not None)
        if dialect is not None:
            show_choice(self._separator, dialect.separator)
            show_choice(self._decimal, dialect.decimal)
            show_check(self._header, bool(dialect.header))

    def _show_result(self, result: Imported | FileError, place: str = "line") -> None:
        self._imported = result if isinstance(result, Imported) else None
        self._picture.show_points(self._imported)
        self._import.setEnabled(self._imported is not None)
        self._summary.setText(result.summary if isinstance(result, Imported) else str(result))
        advice = result.advice if isinstance(result, Imported) else ""
        self._advice.setText(advice)
        self._advice.setVisible(bool(advice))
        rows: tuple[tuple[int, str], ...] = ()
        number = 0
        if isinstance(result, BadRows):
            rows, number = result.rows, result.count
        elif isinstance(result, Imported):
            rows, number = result.left_out, result.n_left_out
        # Where no row would be left, there is nothing to offer.
        some = number < (0 if self._table is None else len(self._table))
        self._leave_out.setVisible(number > 0 and some)
        self._leave_out.setText(f"&Leave out {count(number, 'row')}")
        self._bad.setVisible(number > 0)
        if number:
            lines = [f"{place} {line}: {reason}" for line, reason in rows]
            if number > len(lines):
                lines.append(f"and {grouped(number - len(lines))} more")
            self._bad.setPlainText("\n".join(lines))

    # -- the end ---------------------------------------------------------------------------------------------------

    def _accept(self) -> None:
        imported = self._imported
        if imported is None:
            return
        add = self._add.isChecked()
        self.accept()
        self._take(imported, add)

    def done(self, result: int) -> None:
        self._tasks.close()
        super().done(result)
