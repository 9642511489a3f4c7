"""RaceBoard: a small picture with numbers for each rule.  RaceTable: all numbers side by side.

RaceCurves: the distance of each racer from the optimum, against what it has spent; both axes are logarithmic.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from html import escape
from itertools import product

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QIcon, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QSizePolicy,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.core.number_format import count
from app.core.points import MAX_CLASSES, Points
from app.engine.frames import NO_MARKS, Marks, Picture
from app.engine.shading import RGB
from app.scene.status_badge import SIGNS, Badge
from app.views.chart.axis import ChartAxis, exact, exact_percent, whole
from app.views.chart.chart import Chart
from app.views.chart.marks import DASHES, LevelLine, Line, Mark, Scatter, Texts
from app.views.plot import symbols
from app.views.plot.picture import paint_lines, paint_surface
from app.views.plot.symbol_painting import on_screen
from app.views.theme import Theme, theme_of
from app.views.widgets.boxes import grid_on
from app.views.widgets.fitted import FittedWidget
from app.views.widgets.inputs import describe, filled, named
from app.views.widgets.painting import blank, bold, paint_with, painter_on
from app.views.widgets.roomy_label import RoomyLabel
from solver import RULES, Grid
from solver.core.arrays import Array

from . import text as race_words
from .race_frame import CURVE, MOST_RACERS, NEAR_GAP, RaceFrame, RacerFrame

#: Choices of the vertical and horizontal axis: columns of a curve, with their titles.
UPWARDS = {"gap": "Gap", "violation": "KKT violation"}
RIGHTWARDS = {"steps": "Steps", "evaluations": "Evaluations", "seconds": "Time"}
NAMES = {"steps": "Steps →", "evaluations": "Kernel evaluations →", "seconds": "Solver time →"}
MARKERS = ("o", "s", "t1", "d")
#: Size of a marker (pixels), and largest number of markers on a line.
MARKER, MOST_MARKERS = 7.0, 9
#: Lower end of the vertical axis: smaller gaps and violations are drawn there.
LOWEST = 1e-9
EMPTY = "The curves appear when the race runs."
#: Units of the axes, and exact texts of the values that are read off; others are counts.
UNITS: dict[str, tuple[str, Callable[[float], str]]] = {
    "gap": ("%", exact_percent),
    "violation": ("", exact),
    "seconds": ("s", lambda seconds: f"{exact(seconds)} s"),
}


def colour_of(theme: Theme, slot: int) -> RGB:
    """Return the colour of the racer with index `slot`: none of the first classes' colours, which stand for points."""
    theme = theme_of(theme.dark)  # its own colours: those of the document may be too faint for lines
    return (theme.ink, theme.classes[5], theme.classes[4], theme.classes[2])[slot % 4]


def racer_line(theme: Theme, slot: int, xy: Array, name: str, symbols_at: Sequence[int] = ()) -> Line:
    """Return the line of the racer with index `slot`, with its marker at some of its points."""
    dash, marker = DASHES[slot % 4], MARKERS[slot % 4]
    return Line(
        x=xy[:, 0],
        y=xy[:, 1],
        colour=colour_of(theme, slot),
        dash=dash,
        symbol=marker,
        symbols_at=symbols_at,
        name=name,
    )


def key_pixmap(theme: Theme, slot: int, ratio: float, height: int, longish: float) -> QPixmap:
    """Return a piece of the racer's line with its marker, `longish` times as long as high, for headings and table."""
    width = round(longish * height)
    pixmap = blank(width, height, ratio)
    with painter_on(pixmap, smooth=True) as painter:
        racer_line(theme, slot, np.empty((0, 2)), "").draw_sample(painter, QRectF(0, 0, width, height), theme)
    return pixmap


class RaceCurves(Chart):
    """The plot; the table beside it names the lines."""

    preferred = (420, 140)

    def __init__(self) -> None:
        super().__init__()
        self._frame: RaceFrame | None = None
        self.upwards, self.rightwards = "gap", "steps"
        self.setMinimumSize(200, 120)

    def show_frame(self, frame: RaceFrame | None, theme: Theme) -> None:
        """Show the curves of `frame`."""
        if frame is not self._frame or theme is not self.theme or not self.marks:
            self._frame, self.theme = frame, theme
            self._show()

    def choose(self, upwards: str, rightwards: str) -> None:
        """Choose the axes, keys of `UPWARDS` and `RIGHTWARDS`."""
        self.upwards, self.rightwards = upwards, rightwards
        self._show()

    def lines_of(self) -> list[tuple[int, Array]]:
        """Return (index, xy of shape (m, 2)) of each racer with something to show, in the units of the axes."""
        if self._frame is None:
            return []
        x, y = CURVE.index(self.rightwards), CURVE.index(self.upwards)
        found = []
        for slot, racer in enumerate(self._frame.racers):
            xy = racer.curve[:, (x, y)]
            xy = xy[np.isfinite(xy).all(axis=1) & (xy[:, 0] > 0)]
            if len(xy):
                found.append((slot, xy))
        return found

    @property
    def goal(self) -> float:
        """Height of the finish line."""
        return NEAR_GAP if self.upwards == "gap" else self._frame.tol if self._frame is not None else 1e-3

    def named(self) -> list[Mark]:
        return []

    def _show(self) -> None:
        found, theme = self.lines_of(), self.theme
        if not found or self._frame is None:
            missing = self._frame is not None and self._frame.begun
            what = UPWARDS[self.upwards].lower()
            self.show_marks((), theme, message=f"There is no {what} to be drawn here." if missing else EMPTY)
            return
        goal = f"{NEAR_GAP:.0%}".replace("%", "\u202f%") if self.upwards == "gap" else "tolerance"
        least = min(float(xy[0, 0]) for _, xy in found)
        most = max(float(xy[-1, 0]) for _, xy in found)
        marks: list[Mark] = [LevelLine(at=self.goal, colour=theme.accent, width=1.5, name=goal)]
        for slot, xy in found:
            # Markers at equal ratios to the right, each racer's beside the others'.
            shares = (np.arange(1, MOST_MARKERS) + 0.2 * slot) / MOST_MARKERS
            wanted = least * (most / least) ** shares
            at = sorted({int(np.searchsorted(xy[:, 0], each)) for each in wanted if xy[0, 0] <= each < xy[-1, 0]})
            marks.append(racer_line(theme, slot, xy, race_words.title(self._frame.racers[slot].rule), at))
        size, edge = 1.6 * MARKER, theme.base
        marks += [  # the present state of each
            Scatter(x=xy[-1:, 0], y=xy[-1:, 1], colour=colour_of(theme, n), symbol=MARKERS[n % 4], size=size, edge=edge)
            for n, xy in found
        ]
        marks.append(
            Texts(x=[most], y=[self.goal], texts=[goal], colour=theme.accent, anchor=(1.0, 1.1), plate=theme.background)
        )
        x, y = _axis(NAMES[self.rightwards], self.rightwards), replace(_axis("", self.upwards), floor=LOWEST)
        self.show_marks(marks, theme, x, y)


@cache
def _axis(title: str, name: str) -> ChartAxis:
    unit, read = UNITS.get(name, ("", whole))
    return ChartAxis(title, log=True, whole=name not in UNITS, unit=unit, exact=read)


#: Widths (pixels) of decision boundary and margins, and dash and gap of the margins relative to their width.
BOUNDARY, MARGIN, DASH = 1.8, 1.1, (4.0, 3.0)
#: Smallest shorter side of a picture (pixels) for each size of points (pixels).
SIZES = ((420, 9), (260, 7), (0, 5))
#: Number of points from which they have the smallest size.
MANY = 1500
#: Symbols: the classes, then the marks; excess size of a mark over its point (pixels); widths of outlines.
KINDS = (*map(str, range(MAX_CLASSES)), *symbols.BOUNDED_OF, *symbols.FREE_OF)
LARGER = 5.0
OUTLINE, EDGE, RING = 0.6, 2.0, 1.1
EXPANDING = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
NO_POINTS, NOWHERE = Points(), Grid(0.0, 1.0, 0.0, 1.0, 1, 1)


@lru_cache(maxsize=8)
def _stamps(theme: Theme, size: int, ratio: float) -> tuple[QPixmap, int]:
    """Return the symbols of `KINDS` in a row of square cells, and the odd side of a cell, which so has a middle pixel.

    The symbols of large pictures would be all outline in small ones.
    """
    cell = 2 * int(np.ceil(0.5 * (size + 8) * ratio)) + 1

    def draw_cell(painter: QPainter, index: int) -> None:
        kind = KINDS[index]
        free = kind in symbols.FREE_OF
        width = RING if free else EDGE if kind in symbols.BOUNDED_OF else OUTLINE
        scale = (size + LARGER) / symbols.FREE if free else size / symbols.POINT
        for path, pen, brush in symbols.shapes(theme, kind, scale):
            paint_with(painter, QPen(pen.color(), width), brush)
            painter.drawPath(path)

    return symbols.cells(len(KINDS), cell, ratio, draw_cell), cell


class RacePicture(QWidget):
    """A picture that fills the widget; emits a signal when its size has changed."""

    resized = Signal()

    def __init__(self) -> None:
        super().__init__(minimumSize=QSize(130, 100), sizePolicy=EXPANDING)
        self._shown: tuple[Theme, Points, Picture | None, Marks, Grid] | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)

    def sizeHint(self) -> QSize:
        return QSize(220, 110)

    def show_frame(
        self,
        theme: Theme,
        points: Points = NO_POINTS,
        picture: Picture | None = None,
        marks: Marks = NO_MARKS,
        view: Grid = NOWHERE,
    ) -> None:
        """Show a picture and marks of `points` over the part `view` of the plane; or nothing."""
        shown = theme, points, picture, marks, view
        if shown != self._shown:
            self._shown = shown
            self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.resized.emit()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._shown is not None:
            with painter_on(self) as painter:
                self._paint(painter, *self._shown)

    def _paint(
        self, painter: QPainter, theme: Theme, points: Points, picture: Picture | None, marks: Marks, view: Grid
    ) -> None:
        ratio = self.devicePixelRatioF()
        painter.scale(1.0 / ratio, 1.0 / ratio)  # in device pixels
        area = QRectF(0, 0, round(self.width() * ratio), round(self.height() * ratio))
        painter.fillRect(area, QColor(*theme.background))
        corners = QRectF(view.left, view.bottom, view.right - view.left, view.top - view.bottom)
        if picture is not None:
            paint_surface(painter, picture, corners, area, area)
            paint_lines(painter, picture, corners, area, area, theme, ratio, (BOUNDARY, MARGIN), DASH)
        if len(points):
            side, n = min(self.width(), self.height()), len(points)
            size = SIZES[-1][1] if n > MANY else next(size for least, size in SIZES if side >= least)
            chosen, labels = (marks.bounded, marks.free), points.labels.astype(np.intp)  # marks are above the points
            kinds = [MAX_CLASSES * (1 + group) + labels[index] for group, index in enumerate(chosen)]
            x, y = on_screen(np.concatenate((points.xy, *(points.xy[index] for index in chosen))), corners, area)
            pixmap, cell = _stamps(theme, size, ratio)
            left = np.concatenate((labels, *kinds)) * cell
            # The middle of a symbol is the middle of its pixel.
            symbols.copy_cells(painter, pixmap, np.floor(x) + 0.5, np.floor(y) + 0.5, left, cell)
        painter.setPen(QPen(QColor(*theme.faint), 1))
        painter.drawRect(area.adjusted(0.5, 0.5, -0.5, -0.5))


GAP = 8  # pixels between two pictures
#: Width (pixels) of each of more than two pictures side by side.
COMFORTABLE = 180
#: Height (pixels) of a row of pictures from which the rules are explained below their names.
TALL = 320


def pill(badge: Badge, theme: Theme) -> str:
    """Return a badge as rich text: its sign and words on its background."""
    ink, background = theme.moods[badge.mood]
    words = escape(f"{SIGNS[badge.mood]} {badge.short}").replace(" ", "&nbsp;")
    return f'<span style="color: rgb{ink}; background-color: rgb{background}"><b>&nbsp;{words}&nbsp;</b></span>'


class RacerView(QWidget):
    """One racer: sign and name, steps and badge, picture."""

    def __init__(self, slot: int) -> None:
        super().__init__()
        self._slot = slot
        self._shown: tuple[object, ...] = ()
        self._key, self._name = QLabel(), named(QLabel(), f"race.title{slot}")
        self._name.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._badge = RoomyLabel(
            f"race.badge{slot}", "88\u202f888\u202f888 steps   <b>✓ 1st,&nbsp;stationary</b>", rich=True
        )
        self.note = RoomyLabel(longest=escape(max((rule.note for rule in RULES.values()), key=len)), rich=True)
        self.picture = RacePicture()
        first = filled(QHBoxLayout(), self._key, (self._name, 1), spacing=4)
        filled(QVBoxLayout(self), first, self.note, self._badge, (self.picture, 1), margins=0, spacing=2)

    def show_rule(self, rule: str, theme: Theme) -> None:
        """Show the name of the rule."""
        title = race_words.title(rule)
        self._key.setPixmap(key_pixmap(theme, self._slot, self.devicePixelRatioF(), self.fontMetrics().height(), 1.6))
        self._name.setText(f"<b>{escape(title)}</b>")
        self._name.setToolTip(RULES[rule].note)
        self.note.say(escape(RULES[rule].note))
        describe(self.picture, f"race.picture{self._slot}", f"Picture of {title}", RULES[rule].note)

    def show_racer(self, frame: RaceFrame, racer: RacerFrame, playing: bool, view: Grid, theme: Theme) -> None:
        """Show the state of the racer."""
        badge = race_words.badge(racer, playing)
        shown = (racer.steps, badge, theme.dark)
        if shown != self._shown:
            self._shown = shown
            steps = escape(count(racer.steps, "step")).replace(" ", "&nbsp;")
            self._badge.say(f"{steps} &nbsp;{pill(badge, theme)}")
            self._badge.setToolTip(badge.text)
            self.picture.setAccessibleDescription(f"{count(racer.steps, 'step')}, {badge.text}")
        self.picture.show_frame(theme, frame.points, racer.picture, racer.marks, view)

    def clear(self, theme: Theme) -> None:
        """Show only the name."""
        self._shown = ()
        self._badge.say("")
        self.picture.show_frame(theme)


class RaceBoard(FittedWidget):
    """The racers side by side, or in two rows, all of the same size."""

    def __init__(self) -> None:
        super().__init__(sizePolicy=EXPANDING)
        self._shown: tuple[tuple[str, ...], Theme | None, int] = (), None, 0
        self.racers = [RacerView(slot) for slot in range(MOST_RACERS)]
        self._columns = 0
        self._grid = grid_on(self, across=GAP, down=GAP)

    def fit(self) -> None:
        """Arrange the pictures in rows; leave surplus pixels empty, since one more would change a picture."""
        n = max(len(self._shown[0]), 1)
        columns = n if n < 3 or self.width() >= n * (COMFORTABLE + GAP) else 2
        rows = -(-n // columns)
        if columns != self._columns:
            self._columns = columns
            for index, racer in enumerate(self.racers):
                self._grid.addWidget(racer, *divmod(index, columns))
        for racer in self.racers:
            racer.note.setVisible(self.height() >= rows * TALL)
        for index in range(MOST_RACERS):
            self._grid.setColumnStretch(index, int(index < columns))
            self._grid.setRowStretch(index, int(index < rows))
        beside = (self.width() - (columns - 1) * GAP) % columns
        self._grid.setContentsMargins(0, 0, beside, (self.height() - (rows - 1) * GAP) % rows)

    def show_rules(self, rules: tuple[str, ...], theme: Theme) -> None:
        """Show the racers of these rules; their signs are as high as the text."""
        shown = rules, theme, self.fontMetrics().height()
        if shown == self._shown:
            return
        self._shown = shown
        for slot, racer in enumerate(self.racers):
            racer.setVisible(slot < len(rules))
            if slot < len(rules):
                racer.show_rule(rules[slot], theme)
        self.fit()

    def show_frame(self, frame: RaceFrame | None, playing: bool, view: Grid | None, theme: Theme) -> None:
        """Show the state of all racers."""
        for slot, each in enumerate(self.racers):
            if frame is not None and view is not None and slot < len(frame.racers):
                each.show_racer(frame, frame.racers[slot], playing, view, theme)
            elif not each.isHidden():
                each.clear(theme)


class RaceTable(QTableWidget):
    """All numbers; the best of each column is bold."""

    #: Texts as long as any, for each column.
    LONGEST = ("Maximum gain", "88 888 888", "88 888 888", "88.8 ms", "8.8e-4", "< 0.001 %", "888 + 888")

    def __init__(self) -> None:
        super().__init__(  # type: ignore[call-overload]  # properties of its bases
            0,
            len(race_words.COLUMNS),
            editTriggers=QAbstractItemView.EditTrigger.NoEditTriggers,
            selectionMode=QAbstractItemView.SelectionMode.NoSelection,
            verticalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            horizontalScrollBarPolicy=Qt.ScrollBarPolicy.ScrollBarAlwaysOff,
            tabKeyNavigation=False,
            wordWrap=False,
            minimumWidth=200,
            sizePolicy=QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed),
        )
        describe(self, "race.table", "Numbers of the race", "A row for each rule; the best of a column is bold.")
        for column, (title, tip) in enumerate(race_words.COLUMNS):
            item = QTableWidgetItem(title.replace(" ", "\n", 1))
            item.setToolTip(tip)
            self.setHorizontalHeaderItem(column, item)
        self.verticalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setHighlightSections(False)
        self._made_for: tuple[int, Theme | None, int] = 0, None, 0
        self.fit()

    def fit(self) -> None:
        """Fit columns and height to the font."""
        metrics, strong = self.fontMetrics(), QFontMetrics(bold(self.font()))
        key = round(1.6 * metrics.height()) + 6
        widths = []
        for longest, (title, _) in zip(self.LONGEST, race_words.COLUMNS, strict=True):
            header = max(metrics.horizontalAdvance(word) for word in title.split(" ", 1))
            widths.append(max(header, strong.horizontalAdvance(longest)) + 9)
        widths[0] += key
        for column, width in enumerate(widths):  # the last ones need a wider panel
            self.setColumnWidth(column, width)
            self.setColumnHidden(column, sum(widths[: column + 1]) > self.width() - 2 * self.frameWidth())
        self.setMaximumWidth(sum(widths) + 2 * self.frameWidth())
        self.setIconSize(QSize(round(1.6 * metrics.height()), metrics.height()))
        row = max(metrics.height() + 8, 24)
        self.verticalHeader().setDefaultSectionSize(row)
        self.verticalHeader().setMinimumSectionSize(row)
        header = 2 * metrics.lineSpacing() + 10
        self.horizontalHeader().setFixedHeight(header)
        self.setFixedHeight(header + row * max(self.rowCount(), 2) + 2 * self.frameWidth())

    def sizeHint(self) -> QSize:
        return self.maximumSize()  # at this size no column is cut off

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def show_frame(self, frame: RaceFrame | None, theme: Theme) -> None:
        """Show the numbers of `frame`."""
        rows = race_words.table(frame) if frame is not None else []
        made_for = len(rows), theme, self.fontMetrics().height()
        if made_for != self._made_for:
            self._made_for = made_for
            self.setRowCount(len(rows))
            for row, column in product(range(len(rows)), range(self.columnCount())):
                item = QTableWidgetItem()
                side = Qt.AlignmentFlag.AlignLeft if column == 0 else Qt.AlignmentFlag.AlignRight
                item.setTextAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                item.setFlags(Qt.ItemFlag.ItemIsEnabled)
                if column == 0:
                    item.setIcon(QIcon(key_pixmap(theme, row, self.devicePixelRatioF(), made_for[2], 1.6)))
                self.setItem(row, column, item)
            self.fit()
        for row, cells in enumerate(rows):
            for column, cell in enumerate(cells):
                shown = self.item(row, column)
                assert shown is not None
                shown.setText(cell.text)
                font = shown.font()
                if font.bold() != cell.best:
                    font.setBold(cell.best)
                    shown.setFont(font)
