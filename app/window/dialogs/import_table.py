"""ImportDialog: preview a table of another program, choose its columns, and preview the points."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QDialogButtonBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QListView,
    QPlainTextEdit,
    QRadioButton,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.core.number_format import count, grouped, percent
from app.core.plain_text import plain
from app.core.points import Points
from app.exchange import pairs
from app.exchange.columns import OTHERS, BadRows, Choice, Imported, convert, default_choice, first_import
from app.exchange.delimited import DECIMALS, SEPARATORS
from app.exchange.pairs import Pair, ScoredPair, Views
from app.exchange.table import Column, Dialect, DialectError, OnProgress, Table
from app.files.background_task import Progress, Task
from app.files.documents import FileError
from app.state.document import are_unlike
from app.views.chart.axis import ChartAxis
from app.views.chart.chart import Chart
from app.views.chart.marks import Mark, class_symbols
from app.views.task_runner import TaskRunner
from app.views.theme import theme_of
from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.boxes import in_column, in_row, labelled
from app.views.widgets.clickable import check_box, chooser, clickable
from app.views.widgets.inputs import (
    combo_box,
    describe,
    filled,
    label_for,
    named,
    show_check,
    show_choice,
    show_or_hide,
    show_text,
)
from app.views.widgets.painting import bold
from app.views.widgets.qt_dialogs import NamedDialog
from solver.core.arrays import Array

from .pair_list import PairList

ROWS, COLUMNS = 12, 50
_LONGEST_CELL = 60
_MOST_DRAWN = 800
#: Width of the list of views (pixels).
VIEWS = 300
#: Time (s) for which pairs are scored before the list shows them, and in all: 780 pairs take about two seconds.
SLICE, BUDGET = 0.1, 20.0


class Rows(QTableWidget):
    """The first rows and columns of a table, with the line of each row in the file."""

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
        columns, n_rows = (table.columns[:COLUMNS], min(len(table), ROWS)) if table else ((), 0)
        self.clear()
        self.setRowCount(n_rows)
        self.setColumnCount(len(columns))
        if table is None:
            return
        left, right = Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight
        for index, column in enumerate(columns):
            aside = (right if column.is_numeric else left) | Qt.AlignmentFlag.AlignVCenter
            title = QTableWidgetItem(column.name)
            title.setTextAlignment(aside)
            self.setHorizontalHeaderItem(index, title)
            for row in range(n_rows):
                item = QTableWidgetItem(_shown(column, row))
                item.setTextAlignment(aside)
                self.setItem(row, index, item)
        self.setVerticalHeaderLabels([str(line) for line in table.lines[:n_rows].tolist()])
        self.verticalHeader().setDefaultSectionSize(max(self.fontMetrics().height() + 6, 24))
        self.resizeColumnsToContents()


def _shown(column: Column, row: int) -> str:
    """Return a cell on one line; a number with every digit, so that neighbours differ."""
    return plain(" ".join(column.cell(row)[:_LONGEST_CELL].split()))


class PreviewData(Struct, frozen=True, eq=False):
    """Preview of imported points: ranges of the axes, and a random sample of the points.

    The sample is random because every tenth row of a periodic table could be of one class.
    """

    xy: Array
    labels: NDArray[np.uint8]
    axes: tuple[ChartAxis, ChartAxis]
    equal: bool

    @classmethod
    def of(cls, imported: Imported) -> PreviewData:
        """Return the preview of `imported`, within milliseconds also for many points."""
        xy, labels = imported.xy, imported.labels
        low, size = xy.min(axis=0), np.ptp(xy, axis=0)
        # If all points coincide, the axes reach as far as from there to 0.
        size = size if size.max() > 1e-9 * np.abs(low).max() + 1e-30 else np.maximum(np.abs(low), 1.0)
        sides = zip(low, size, 0.05 * size, imported.dates, strict=True)
        x, y = (ChartAxis(low=at - by, high=at + each + by, bare=date > 0) for at, each, by, date in sides)
        some = np.random.default_rng(0).choice(len(xy), min(len(xy), _MOST_DRAWN), replace=False)
        return cls(xy[some], labels[some], (x, y), not are_unlike(Points.of(xy, labels)))


class PointsPreview(Chart):
    """The points as a canvas would show them; a sample if there are many."""

    def show_points(self, preview: PreviewData | None) -> None:
        """Show these points, or none."""
        theme, marks = theme_of(self.palette().window().color().lightness() < 128), list[Mark]()
        axes, self.equal = ((ChartAxis(), ChartAxis()), True) if preview is None else (preview.axes, preview.equal)
        if preview is not None:
            for label in np.unique(preview.labels).tolist():
                x, y = preview.xy[preview.labels == label].T
                marks.append(class_symbols(theme, label, x, y, 7.7))
        self.show_marks(marks, theme, *axes)


#: Text while a table is read, and beginning of the sentence if that fails.
READING, _UNREAD = "Reading…", "This file could not be read"
#: Entry of the boxes of x and y that is no column: a principal component.
COMPONENTS = -2


class _Answer(Struct, frozen=True, eq=False):
    """Result of a request: table, choice of columns, the columns of numbers, and the points or the error."""

    table: Table
    choice: Choice
    numeric: list[int]
    result: Imported | FileError
    preview: PreviewData | None = None
    why: str = ""
    notes: str = ""


def _converted(table: Table, choice: Choice, report: Callable[[], object], first: bool = False) -> _Answer:
    numeric = [index for index, column in enumerate(table.columns) if column.is_numeric]
    why, notes = choice.why if first else "", " ".join(table.notes)
    try:
        choice, result = first_import(table, choice, report) if first else (choice, convert(table, choice, report))
        return _Answer(table, choice, numeric, result, PreviewData.of(result), why, notes)
    except FileError as error:
        return _Answer(table, choice, numeric, error, why=why, notes=notes)


class ImportDialog(NamedDialog):
    """Ask how to import a table; reads and converts in the background.

    Parameters
    ----------
    parent : QWidget
    read : callable
        ``read(dialect, sheet, progress, beginning)`` returns the table, detecting what is None in the dialect, of a
        sheet, or of the first that may be one if it is None; with `beginning`, the first rows of a large one.  Runs in
        another thread, may raise FileError.
    take : callable
        ``take(imported, add)`` gets the points when the user agrees, and whether to add them to the present ones.
    add : bool
        Whether adding is preselected.
    first : callable
        ``first(table)`` returns the preselected columns.
    """

    def __init__(
        self,
        parent: QWidget,
        read: Callable[[Dialect, str | None, OnProgress, bool], Table],
        take: Callable[[Imported, bool], object],
        add: bool = False,
        first: Callable[[Table], Choice] = default_choice,
    ) -> None:
        super().__init__(parent, "import", "Import points", once=True)
        self._read, self._take, self._first = read, take, first
        self._spec = Dialect()
        self._table: Table | None = None
        self._choice = Choice(0, 0)
        self._reason: tuple[int | None, str] = (None, "")  # the class chosen at first, and why
        self._imported: Imported | None = None
        self._offered: list[int] = []  # columns of the entries for x and y, by position
        self._components: tuple[int, ...] = ()  # columns of which principal components are offered
        self._ranked_for: tuple[Table, int | None] | None = None  # table and class column of the list of views
        self._text_row, self._sheet_row = self._dialect(), self._sheets()
        self._rows = describe(
            Rows(), "import.rows", "First rows", "The first rows of the table, with their lines in the file."
        )
        self._rows.setMinimumHeight(96)
        self._more = named(QLabel(), "import.more")
        self._picture = describe(
            PointsPreview(),
            "import.picture",
            "Picture of the points",
            "The points; each axis has its own scale if they differ much.",
        )
        middle = filled(QHBoxLayout(), (self._columns(), 3), (self._picture, 2))
        self._views_panel = self._make_views()
        texts = [self._text(name) for name in ("summary", "why", "limits", "doubt")]
        self._summary, self._why, self._limits, self._doubt = texts
        self._doubt.setFont(bold(self._doubt.font()))
        tip = "Import the other rows without these."
        self._leave_out = clickable(QCheckBox(), "import.leave_out", "Leave out", tip, self._rechoose)
        rows = self._text_row, self._sheet_row, self._views_panel  # until the file is found to be a text, or has sheets
        for part in (*rows, self._merge, self._advice, self._limits, self._doubt, self._leave_out):
            part.hide()
        self._bad = describe(
            QPlainTextEdit(readOnly=True, tabChangesFocus=True),
            "import.bad",
            "Rows that cannot be used",
            "The rows that cannot be used, by line, and why.",
        )
        self._bad.setMinimumHeight(48)
        end = filled(QHBoxLayout(), self._leave_out, (self._buttons(), 1))
        left = filled(QVBoxLayout(), (self._rows, 3), self._more, (middle, 3), *texts, (self._bad, 1))
        filled(
            QVBoxLayout(self),
            self._text_row,
            self._sheet_row,
            (filled(QHBoxLayout(), (left, 1), self._views_panel), 1),
            end,
        )
        self._add.setChecked(add)
        self._tasks, self._ranking = TaskRunner(self, report=self._show_share), TaskRunner(self)
        self.resize(1000, 660)
        self._reread()

    def _text(self, name: str) -> QLabel:
        """Return a label for a sentence that may quote the file."""
        return named(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True), f"import.{name}")

    def _make_views(self) -> QWidget:
        """Return the list of views of a table with more than two columns."""
        tip = "Pairs of columns, the pair that separates the classes best first; click one or use the arrow keys."
        self._views = describe(PairList(), "import.views", "Views of this table", tip)
        self._views.chosen.connect(self._choose_view)
        self._views_title, self._views_note = self._text("views_title"), self._text("views_note")
        panel = in_column(self._views_title, (self._views, 1), self._views_note)
        panel.setFixedWidth(VIEWS)
        return panel

    def _dialect(self) -> QWidget:
        self._separator = chooser(
            "import.separator",
            "Separator",
            "The character between two cells of a row.",
            lambda sign: self._ask(separator=sign),
            ((title, sign) for sign, title in SEPARATORS.items()),
        )
        self._decimal = chooser(
            "import.decimal",
            "Decimal sign",
            "How numbers are written in this file.",
            lambda sign: self._ask(decimal=sign),
            ((title, sign) for sign, title in DECIMALS.items()),
        )
        self._header = check_box(
            "&First row names the columns",
            "import.header",
            "First row names the columns",
            "Else it holds a point like the others.",
            lambda on: self._ask(header=on),
        )
        labels = label_for("&Separator", self._separator), label_for("&Decimal sign", self._decimal)
        return in_row(labels[0], self._separator, labels[1], self._decimal, self._header, 1, spacing=12)

    def _sheets(self) -> QWidget:
        self._sheet = describe(combo_box(width=16), "import.sheet", "Sheet", "The sheet of the workbook that is read.")
        self._sheet.activated.connect(self._reread)
        return labelled("S&heet", self._sheet, 1)

    def _columns(self) -> AlignedForm:
        # A fixed width: among ten thousand column names one may be very long.
        self._x = chooser(
            "import.x",
            "Column for x",
            "Which column runs to the right.",
            lambda _: self._choose_column(self._offered[self._x.currentIndex()], self._choice.y),
            width=16,
        )
        self._y = chooser(
            "import.y",
            "Column for y",
            "Which column runs upwards.",
            lambda _: self._choose_column(self._choice.x, self._offered[self._y.currentIndex()]),
            width=16,
        )
        tip = "Which column holds the class."
        self._class = describe(combo_box(width=16), "import.class", "Column for the class", tip)
        self._class.activated.connect(self._rechoose)
        self._standardise = clickable(
            QCheckBox("Classifiers s&tandardise x and y"),
            "import.standardise",
            "Standardise",
            "They learn from (x − mean) / deviation of the training points: distances then weigh both columns the same,"
            " whatever their units.  The points and the axes keep their units.  Points that are added change no"
            " classifier.",
            self._rechoose,
        )
        self._merge = clickable(
            QCheckBox(f"&Merge rare classes as “{OTHERS}”"),
            "import.merge",
            "Merge rare classes",
            f"The seven most frequent classes stay, the others become one, “{OTHERS}”.  Else the eight most frequent"
            " stay, and the rows of the others are left out.",
            self._rechoose,
        )
        self._advice = self._text("advice")
        for box in (self._x, self._y, self._class):
            box.setView(QListView(uniformItemSizes=True))  # else Qt would measure every one of ten thousand columns
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
        for button in (replace_points, self._add):
            button.setMinimumHeight(26)
            button.toggled.connect(self._show_standardise)
        form = AlignedForm(verticalSpacing=4, fieldGrowthPolicy=AlignedForm.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.add(
            ("&x", self._x),
            ("&y", self._y),
            ("&Class", self._class),
            ("", self._merge),
            ("", self._standardise),
            ("", self._advice),
            ("", in_row(replace_points, self._add, 1, spacing=12)),
        )
        return form

    def _buttons(self) -> QDialogButtonBox:
        box = self.button_box(QDialogButtonBox.StandardButton.Cancel)
        self._import = box.addButton("&Import", QDialogButtonBox.ButtonRole.AcceptRole)
        describe(self._import, "import.import", "Import", "Take these points over.")
        self._import.setDefault(True)
        box.accepted.connect(self._accept)
        return box

    # -- asking ----------------------------------------------------------------------------------------------------

    def _ask(self, **spec: str | bool) -> None:
        self._spec = replace(self._spec, **spec)
        self._reread()

    def _reread(self) -> None:
        read, first, spec, sheet = self._read, self._first, self._spec, self._sheet.currentText() or None

        def work(progress: Progress, beginning: bool = False) -> _Answer:
            table = read(spec, sheet, (lambda share: progress()) if beginning else progress, beginning)
            if beginning and len(table.columns) > COLUMNS:  # choosing among them would take longer than reading
                return _Answer(table, Choice(0, 0), [], FileError("Not all is read."))
            return _converted(table, first(table), progress, first=True)

        self._expect(work, lambda progress: work(progress, beginning=True))
        self._summary.setText(READING)
        for part in (self._bad, self._leave_out, self._advice):
            part.hide()

    def _choose_column(self, x: int, y: int) -> None:
        """Set the columns of x and y; COMPONENTS as one of them selects both principal components."""
        if COMPONENTS in (x, y):
            self._choose_view(None)
        else:
            self._choice = replace(self._choice, x=x, y=y, components=())
            self._rechoose()

    def _choose_view(self, pair: Pair | None) -> None:
        """Select a view of the list: a pair of columns, or None for the plane of the principal components."""
        if pair is None:
            self._choice = replace(self._choice, components=self._components)
        else:
            self._choice = replace(self._choice, x=pair[0], y=pair[1], components=())
        self._rechoose()

    def _rechoose(self) -> None:
        table = self._table
        if table is None:
            return
        choice = replace(
            self._choice,
            label=self._class.currentIndex() - 1 if self._class.currentIndex() > 0 else None,
            standardise=self._standardise.isChecked(),
            leave_out=self._leave_out.isChecked(),
            merge=self._merge.isChecked(),
        )
        if choice.label in choice.components:  # a column is a class or a coordinate, not both
            choice = replace(choice, components=())
        self._choice = choice
        self._expect(lambda progress: _converted(table, choice, progress))

    def _expect(
        self, work: Callable[[Progress], _Answer], preview: Callable[[Progress], _Answer] | None = None
    ) -> None:
        self._imported = None  # nothing can be imported before the result arrives
        self._import.setEnabled(False)
        tasks = [Task("Reading a table", each, _UNREAD, kept=False) for each in (preview, work) if each is not None]
        if preview is not None:
            self._tasks.run_newest(tasks[0], self._show_beginning, lambda error: None)
        (self._tasks.run if preview else self._tasks.run_newest)(tasks[-1], self._show_answer, self._show_failure)

    # -- showing ---------------------------------------------------------------------------------------------------

    def _show_share(self, share: float) -> None:
        if share > 0 and self._summary.text().startswith(READING):
            self._summary.setText(f"{READING} {percent(share)}")

    def _show_beginning(self, answer: _Answer) -> None:
        """Show the first rows of a large table, until all is read; its columns cannot be chosen yet."""
        self._show_table(None)
        self._rows.show_table(answer.table)
        self._show_dialect(answer.table.dialect)
        self._picture.show_points(answer.preview)

    def _show_failure(self, error: FileError) -> None:
        self._show_table(None)
        if isinstance(error, DialectError):
            self._show_dialect(error.dialect)
        self._show_result(error)

    def _show_answer(self, answer: _Answer) -> None:
        first = self._table is None
        if answer.table is not self._table:
            self._show_table(answer.table, answer.numeric)
        choice = self._choice = answer.choice
        for index in sorted({choice.x, choice.y}.difference(self._offered)):  # columns of words, if numbers are lacking
            self._offer([index], [answer.table.columns[index].name])
        for box, index in ((self._x, choice.x), (self._y, choice.y)):
            box.setCurrentIndex(self._offered.index(COMPONENTS if choice.components else index))
        self._class.setCurrentIndex(0 if choice.label is None else choice.label + 1)
        show_check(self._standardise, choice.standardise)
        show_check(self._leave_out, choice.leave_out)
        show_check(self._merge, choice.merge)
        self._show_standardise()
        if answer.why:
            self._reason = choice.label, answer.why
        why = self._reason[1] if self._reason[0] == choice.label else ""  # else the user has chosen the class
        self._why.setText(f"{why} {answer.notes}".strip())
        self._show_result(answer.result, answer.table.row_name, answer.preview)
        self._views.show_choice(self._shown_pair())
        self._rank(answer.table, choice.label)
        if first and self._spec == Dialect():  # unless the user has already chosen a separator
            self._x.setFocus()

    def _show_standardise(self) -> None:
        # The components are of standardised columns.
        self._standardise.setEnabled(not self._choice.components and not self._add.isChecked())

    def _show_table(self, table: Table | None, numeric: Sequence[int] = ()) -> None:
        self._table = table
        if table is None:
            self._end_ranking()
        self._rows.show_table(table)
        self._offered.clear()
        for box in (self._x, self._y, self._class):
            box.clear()
            box.setEnabled(table is not None)
        self._more.setVisible(table is not None and len(table.columns) > COLUMNS)
        show_or_hide(self._doubt, table.doubt if table is not None else "")
        if table is None:
            return
        self.setWindowTitle(f"Import points – {table.name}".replace("[*]", "[*][*]"))
        self._more.setText(f"The first {COLUMNS} of {grouped(len(table.columns))} columns are shown.")
        self._class.addItems(["none: all of class 1", *(column.name for column in table.columns)])
        self._offer(numeric, [table.columns[index].name for index in numeric])
        self._show_dialect(table.dialect)
        self._sheet.clear()
        self._sheet.addItems(table.sheets)
        self._sheet.setCurrentText(table.sheet)
        self._sheet_row.setVisible(len(table.sheets) > 1)

    def _offer(self, columns: Sequence[int], names: Sequence[str], y_names: Sequence[str] = ()) -> None:
        """Append entries to the boxes of x and y, all in one call: ten thousand calls would take a while."""
        self._offered += columns
        self._x.addItems(names)
        self._y.addItems(y_names or names)

    def _show_dialect(self, dialect: Dialect | None) -> None:
        self._text_row.setVisible(dialect is not None)
        if dialect is not None:
            show_choice(self._separator, dialect.separator)
            show_choice(self._decimal, dialect.decimal)
            show_check(self._header, bool(dialect.header))

    def _show_result(
        self, result: Imported | FileError, unit: str = "line", preview: PreviewData | None = None
    ) -> None:
        imported = self._imported = result if isinstance(result, Imported) else None
        self._picture.show_points(preview)
        self._import.setEnabled(self._imported is not None)
        self._summary.setText(result.summary if isinstance(result, Imported) else str(result))
        self._merge.setVisible(imported is not None and imported.n_rare > 0)
        self._why.setVisible(bool(self._why.text()))
        for label, text in (
            (self._advice, "" if imported is None else imported.advice),
            (self._limits, "" if imported is None else imported.limits),
        ):
            show_or_hide(label, text)
        rows, number = (() if imported is None else imported.left_out, 0 if imported is None else imported.n_left_out)
        if isinstance(result, BadRows):
            rows, number = result.rows, result.count
        # Do not offer to leave rows out if none would be left.
        self._leave_out.setVisible(0 < number < (0 if self._table is None else len(self._table)))
        self._leave_out.setText(f"&Leave out {count(number, 'row')}")
        self._bad.setVisible(number > 0)
        if number:
            more = [f"and {grouped(number - len(rows))} more"] if number > len(rows) else []
            self._bad.setPlainText("\n".join([*(f"{unit} {line}: {reason}" for line, reason in rows), *more]))

    # -- the list of views -----------------------------------------------------------------------------------------

    def _shown_pair(self) -> Pair | None:
        """Return the displayed pair, the column further left first; None for the principal components."""
        choice = self._choice
        return None if choice.components else (min(choice.x, choice.y), max(choice.x, choice.y))

    def _end_ranking(self) -> None:
        self._ranking.cancel_all()
        self._ranked_for = None
        self._views_panel.hide()

    def _rank(self, table: Table, label: int | None) -> None:
        """List the views of a table with the classes of column `label`, unless that is already under way."""
        if self._ranked_for == (table, label):
            return
        self._ranked_for = table, label
        task = Task("Ranking pairs", lambda progress: pairs.views(table, label), "Pairs were not ranked", kept=False)
        self._ranking.run_newest(task, lambda found: self._begin_list(table, found), self._show_unranked)

    def _begin_list(self, table: Table, found: Views | None) -> None:
        self._views.begin(theme_of(self.palette().window().color().lightness() < 128), table, found)
        self._views_panel.setVisible(found is not None)
        self._components = () if found is None or found.components is None else found.columns
        if self._components and COMPONENTS not in self._offered:
            self._offer([COMPONENTS], ["principal component 1"], ["principal component 2"])
        elif not self._components and COMPONENTS in self._offered:
            row = self._offered.index(COMPONENTS)
            for entries in (self._x.removeItem, self._y.removeItem, self._offered.pop):
                entries(row)
        if self._choice.components != self._components and self._choice.components:
            self._choose_view(None)  # of the new columns: another one holds the class
        if found is not None:
            show_or_hide(self._views_note, found.note)
            self._score(found, found.pairs, BUDGET)

    def _score(self, found: Views, left: Sequence[Pair], seconds: float) -> None:
        """Score the pairs that are left, a few at a time, as long as `seconds` last."""
        n, n_scored = len(found.pairs), len(found.pairs) - len(left)
        title = "Pairs of columns, by how many points their 5 nearest neighbours get right"
        if not found.ranked:
            title = "Pairs of columns"
        show_text(self._views_title, f"{title}:" if not left else f"{title} ({n_scored} of {n}):")
        if not left or seconds <= 0:
            return

        def show(scores: list[ScoredPair]) -> None:
            self._views.add(scores, self._shown_pair())
            self._score(found, left[len(scores) :], seconds - SLICE)

        task = Task(
            "Ranking", lambda progress: pairs.score(found, left, progress, SLICE), "Pairs were not ranked", False
        )
        self._ranking.run(task, show, self._show_unranked)

    def _show_unranked(self, error: FileError) -> None:
        """Report a failure of the ranking; the columns can still be chosen."""
        show_text(self._views_note, str(error))
        self._views_note.show()

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
        self._ranking.close()
        super().done(result)
