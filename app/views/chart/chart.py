"""Chart: marks over two axes with a legend; the user can read off values, zoom, save and copy.

The ViewBox is pyqtgraph's; the axes are painted here, because its PlotItem takes 12 ms to create and this takes 2.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFont,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPaintDevice,
    QPainter,
    QPen,
    QResizeEvent,
    QShowEvent,
    QTransform,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.theme import LIGHT, Theme, mixed
from app.views.widgets.inputs import keeps_key
from app.views.widgets.painted import paint_frame
from app.views.widgets.painting import paint_with, painter_on, saved
from solver.core.arrays import Array

from . import saving
from .axis import ChartAxis
from .legend import CENTRE, GAP, LEFT, RIGHT, SAMPLE, flow
from .marks import ChartFrame, Line, Mark, MarksItem

#: Space (pixels) around the area, between the area and its numbers, and between the data and the ends of the axes.
EDGE, BESIDE, INSET = 4.0, 7.0, 4.0
#: Opacity of the grid lines: the share of ink mixed into the background.
GRID = 0.25
#: Largest share of the width that names at the left take.
NAMES = 0.3
#: Distance (pixels) within which the pointer finds a value.
REACH = 40.0
#: Factor of the visible range for one key press.
ZOOM = 0.7
KEY = Qt.Key
#: Keys that read off values; those of the number pad count as well.
READING = frozenset((KEY.Key_Left, KEY.Key_Right, KEY.Key_Up, KEY.Key_Down, KEY.Key_Home, KEY.Key_End, KEY.Key_Escape))
ZOOMS = {KEY.Key_Plus: ZOOM, KEY.Key_Minus: 1 / ZOOM}


def goal_of(key: int, here: int, first: int, last: int, page: int = 0, upright: bool = False) -> int | None:
    """Return the index that a key moves to along a curve, or None for a key that moves nowhere.

    Parameters
    ----------
    key : int
    here : int
        The current index; one less than `first` stands for none: from there "left" goes to the last.
    first, last : int
        Targets of Home and End.
    page : int
        Step of the page keys; 0 where they have no meaning.
    upright : bool
        Up and down act like right and left.
    """
    back, on = last if here < first else here - 1, here + 1
    ways = {KEY.Key_Left: back, KEY.Key_Right: on, KEY.Key_Home: first, KEY.Key_End: last}
    if page:
        ways |= {KEY.Key_PageDown: here - page, KEY.Key_PageUp: here + page}
    if upright:
        ways |= {KEY.Key_Down: back, KEY.Key_Up: on}
    goal = ways.get(KEY(key))
    return None if goal is None else min(max(goal, first), last)


def is_plain(event: QKeyEvent) -> bool:
    """Return True for a key without modifiers; keys of the number pad count as such."""
    return not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


#: Least height (pixels).
LEAST = 120


class _View(pg.GraphicsView):
    """A view that leaves the wheel to the panel behind it, unless it has the focus."""

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.window().focusWidget() is self:
            super().wheelEvent(event)
        else:
            event.ignore()


class Chart(_View):
    """A widget that displays marks.  Subclasses choose the marks, and handle clicks and keys beyond reading and
    zooming.

    Attributes
    ----------
    box : ViewBox
    sets : bool
        A click or a drag calls `put` instead of zooming.
    framed : bool
        Paint the frame without the focus as well.
    square : bool
        Keep the area as wide as high.
    equal : bool
        Both axes have the same scale; with a `ratio`, that number of units of y is as long as one of x.
    fixed : bool
        Keep the preferred height.
    under : bool
        The chart is part of a form: its legend is below the area, the numbers of its vertical axis at the right.
    short : float
        A title that takes less than this share of the width is written beside the numbers.
    least_height : (int, int)
        Least height: pixels, and lines of text in addition.
    preferred : (int, int)
        Preferred width and height (pixels), if larger than the least ones.
    """

    sets = framed = square = equal = fixed = under = False
    ratio = 1.0
    short = 0.3
    least_height = (0, 7)
    preferred = (0, 0)

    def __init__(self, x: ChartAxis | None = None, y: ChartAxis | None = None) -> None:
        super().__init__(background=None)
        self.x, self.y = x or ChartAxis(), y or ChartAxis()
        self.marks: tuple[Mark, ...] = ()
        #: Marks that change often, such as a cursor or a reading; painted over the others.
        self.over: tuple[Mark, ...] = ()
        self.theme: Theme = LIGHT
        self._message = ""
        self._stale = False  # to be repainted when it becomes visible
        self.zoomed = False
        #: True during a drag that sets a value; setting it to False ends the drag.
        self.dragging = False
        #: The value that is read off, as (index of the line, index on the line); None for none.
        self.reading: tuple[int, int] | None = None
        self._by_keys = False  # read with the keys, not with the pointer
        #: Minimum width of the left side: charts above each other share their left edge.
        self.least_left = 0.0
        #: Width of the numbers at the left (pixels).
        self.needed_left = 0.0
        self._boxes: list[QRectF] = []  # bounding boxes of the legend entries
        self._inline = False  # the title is at the end of the row of numbers
        self._made_for: object = None
        self._axes: object = None  # what the axes were last drawn for
        self._least = QSize()  # size requested last
        self.box = pg.ViewBox(enableMenu=False, defaultPadding=0.0)
        self.box.setMouseMode(pg.ViewBox.RectMode)
        self.scene().addItem(self.box)
        self._item = MarksItem()
        self.box.addItem(self._item, ignoreBounds=True)
        self.box.sigRangeChangedManually.connect(self._zoom)
        policies = QSizePolicy.Policy
        self.setSizePolicy(policies.Expanding, policies.Fixed if self.fixed else policies.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def letters(self) -> QFont:
        """Return the font of all text."""
        return QFont(self.font())

    def metrics(self) -> QFontMetricsF:
        """Return the metrics of the font."""
        return QFontMetricsF(self.letters())

    # -- contents -------------------------------------------------------------------------------------------------

    def show_marks(
        self,
        marks: Sequence[Mark],
        theme: Theme,
        x: ChartAxis | None = None,
        y: ChartAxis | None = None,
        message: str = "",
        over: Sequence[Mark] = (),
    ) -> None:
        """Display `marks`, the first at the bottom, or a `message` instead; replace the axes if new ones are given.

        The marks in `over` are painted above all others: they may change without the others being painted again.
        """
        if (x or self.x, y or self.y) != (self.x, self.y):
            self.x, self.y, self.zoomed = x or self.x, y or self.y, False
        self.marks, self.over, self.theme, self._message = tuple(marks), tuple(over), theme, message
        if self.reading is not None and not self._is_there(*self.reading):
            self.reading = None
        self._stale = not self.isVisible()
        if not self._stale:
            self._renew()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._renew()

    def _renew(self) -> None:
        self._stale = False
        self._item.display(self.marks, self.x, self.y, self.theme)
        self.arrange()

    def made_for(self) -> object:
        """Return what the marks depend on besides their data, such as the width in pixels."""
        return None

    def remake(self) -> None:
        """Display the marks again for the present `made_for`."""

    def arrange(self) -> None:
        """Lay out area, numbers and legend, and repaint all."""
        if self.width() < 2 or self._stale:
            return
        metrics = self.metrics()
        line = metrics.lineSpacing()
        self._boxes = flow(self.named(), self.y.title, metrics, self.width() - 2 * EDGE - self.free_right())
        if not self.under:
            self._boxes = [box for box in self._boxes if box.top() < max(0.4 * self.height(), line) - 1]
        self._inline = metrics.horizontalAdvance(self.x.title) < self.short * self.width()
        top, below = EDGE + (0.0 if self.y.bare else 0.35 * line), EDGE
        if self.under:
            below += self.legend_height()
        elif self._boxes or self.y.title:
            top += self.legend_height()
        below += (0.0 if self.x.bare else line + 2) + (line if self.x.title and not self._inline else 0.0)
        high = max(self.height() - top - below, 8.0)
        ends = [axis.ends(self._values(way)) for way, axis in enumerate((self.x, self.y))]
        left, right = self.sides(metrics, ends[1], high)
        wide = max(right - left, 8.0)
        if self.square:
            wide = high = min(wide, high)
        if self.equal:
            sizes, middles = (wide, high * self.ratio), [0.5 * (low + end) for low, end in ends]
            half = 0.5 * max((end - low) / size for (low, end), size in zip(ends, sizes, strict=True))
            ends = [(at - half * size, at + half * size) for at, size in zip(middles, sizes, strict=True)]
        area = QRectF(left, top, wide, high)
        self.box.setGeometry(area)
        self._fit(ends, area)
        self.box.setVisible(not self._message)
        axes = area.getRect(), self.box.viewRange(), self.x, self.y, self.theme, self.letters(), self._message
        if axes != self._axes:
            self._axes = axes
            self.resetCachedContent()  # pyqtgraph caches the background
        self.viewport().update()
        if (least := self.minimumSizeHint()) != self._least:
            self._least = least
            self.updateGeometry()
        if self.isVisible() and (made_for := self.made_for()) != self._made_for:
            self._made_for = made_for
            self.remake()

    def legend_height(self) -> float:
        """Return the height of the legend (pixels)."""
        return max((box.bottom() for box in self._boxes), default=self.metrics().lineSpacing() + 2)

    def sides(self, metrics: QFontMetricsF, ends: tuple[float, float], high: float) -> tuple[float, float]:
        """Return the x of the area's sides; the vertical axis has the given `ends` and is `high` pixels long."""
        texts = [] if self.y.bare else self.numbers(1, high, ends)
        widest = max((metrics.horizontalAdvance(text) for _, text in texts), default=0.0)
        widest = min(widest, NAMES * self.width()) if self.y.names else widest
        needed = np.ceil(max(widest, metrics.horizontalAdvance("0.00")) + BESIDE + EDGE)
        self.needed_left = EDGE if self.y.bare else float(needed)
        return max(self.needed_left, self.least_left), self.width() - self.right_of(metrics)

    def stand_at(self, left: float) -> None:
        """Let the area begin at x = `left` or further right, to align it with the charts above and below."""
        if left != self.least_left:
            self.least_left = left
            self.arrange()

    def named(self) -> list[Mark]:
        """Return the marks that have a legend entry, the topmost first."""
        return [mark for mark in reversed(self.marks) if mark.name]

    def free_right(self) -> float:
        """Return the width at the upper right that the legend leaves free."""
        return 0.0

    def right_of(self, metrics: QFontMetricsF) -> float:
        """Return the width to the right of the area."""
        return 0.5 * metrics.horizontalAdvance("00 000") + EDGE

    def numbers(self, way: int, size: float, ends: tuple[float, float] | None = None) -> list[tuple[float, str]]:
        """Return positions and texts of the numbers along `size` pixels of an axis, with these `ends` unless zoomed."""
        metrics, axis = self.metrics(), (self.x, self.y)[way]
        longest = max(axis.names, key=len) if axis.names else "00 000"
        room = 1.35 * metrics.lineSpacing() if way else metrics.horizontalAdvance(longest) + 14
        low, high = self.box.viewRange()[way] if ends is None or self.zoomed else ends
        found = axis.marks(low, high, size / room)
        widest = 0.0 if way or axis.names else max((metrics.horizontalAdvance(text) for _, text in found), default=0.0)
        return axis.marks(low, high, size / (widest + 14)) if widest + 14 > room else found

    def _values(self, way: int) -> Array:
        """Return all values that axis 0 (horizontal) or 1 has to include; none if both of its ends are fixed."""
        axis = (self.x, self.y)[way]
        marks = self.marks if axis.low is None or axis.high is None else ()
        return np.concatenate([np.empty(0), *(np.ravel(np.asarray(m.span()[way], dtype=float)) for m in marks)])

    def _fit(self, ends: list[tuple[float, float]], area: QRectF) -> None:
        """Show all unless the user has zoomed, and limit zooming out to that."""
        ranges = []
        for axis, (low, high), size in zip((self.x, self.y), ends, (area.width(), area.height()), strict=True):
            beside = 0.0 if axis.names and not axis.at else INSET / max(size - 2 * INSET, 1.0) * (high - low)
            ranges.append((low - beside, high + beside))
        (left, right), (bottom, top) = ranges
        self.box.setLimits(xMin=left, xMax=right, yMin=bottom, yMax=top)
        if not self.zoomed:
            self.box.setRange(xRange=ranges[0], yRange=ranges[1], padding=0.0)

    # -- geometry -------------------------------------------------------------------------------------------------

    def area(self) -> QRectF:
        """Return the rectangle between the axes (pixels)."""
        return QRectF(self.box.geometry())

    def displayed(self) -> ChartFrame:
        """Return the part of the plane that is displayed."""
        area, ((left, right), (bottom, top)) = self.area(), self.box.viewRange()
        wide, high = area.width() / (right - left), area.height() / (bottom - top)
        to = QTransform(wide, 0.0, 0.0, high, area.left() - wide * left, area.bottom() - high * bottom)
        return ChartFrame(self.x, self.y, to, area, self.theme)

    def pixels(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """Return the pixels of values."""
        displayed = self.displayed()
        return displayed.across(x), displayed.up(y)

    def pixel(self, x: float, y: float) -> QPointF:
        """Return the pixel of a pair of values."""
        (across,), (up,) = self.pixels([x], [y])
        return QPointF(float(across), float(up))

    def values_at(self, position: QPointF) -> tuple[float, float]:
        """Return the values at a pixel."""
        area, (across, up) = self.area(), self.box.viewRange()
        x = across[0] + (position.x() - area.left()) / area.width() * (across[1] - across[0])
        y = up[0] + (area.bottom() - position.y()) / area.height() * (up[1] - up[0])
        return self.x.value(x), self.y.value(y)

    # -- reading ---------------------------------------------------------------------------------------------------

    def lines(self) -> list[Line]:
        """Return the lines that can be read off."""
        return [mark for mark in self.marks if isinstance(mark, Line) and mark.read and mark.name]

    def _is_there(self, line: int, index: int) -> bool:
        lines = self.lines()
        return line < len(lines) and index < len(np.asarray(lines[line].x))

    def nearest(self, position: QPointF) -> tuple[int, int] | None:
        """Return the line and the index on it nearest to a pixel; None if all are too far away."""
        found, least = None, REACH**2
        for number, line in enumerate(self.lines()):
            x, y = self.pixels(line.x, line.y)
            far = np.nan_to_num((x - position.x()) ** 2 + (y - position.y()) ** 2, nan=np.inf)
            index = int(far.argmin()) if len(far) else 0
            if len(far) and far[index] < least:
                found, least = (number, index), float(far[index])
        return found

    def description(self, line: Line, index: int) -> str:
        """Return the text for the value of `line` that is read off."""
        x, y = float(np.asarray(line.x)[index]), float(np.asarray(line.y)[index])
        title = self.x.title.removesuffix(" →")
        return f"{line.name}: {self.y.exact(y)} at {f'{title} ' if title else ''}{self.x.exact(x)}"

    def read_by_keys(self, found: tuple[int, int] | None) -> None:
        """Read off a value, or none, until the focus leaves."""
        self._by_keys = True
        self.read(found)

    def read(self, found: tuple[int, int] | None) -> None:
        """Read off a value, or none."""
        if found != self.reading:
            self.reading = found
            if found is not None:
                self.setAccessibleDescription(self.description(self.lines()[found[0]], found[1]))
            self.viewport().update()

    # -- mouse and keys --------------------------------------------------------------------------------------------

    def put(self, position: QPointF) -> None:
        """Set what a click at, or a drag to, a pixel sets."""

    def put_down(self) -> None:
        """Finish the drag that called `put`."""

    def pointed(self, position: QPointF | None) -> None:
        """Handle the pointer at a pixel; None when it has left."""
        self._by_keys = False
        self.read(None if position is None or not self.area().contains(position) else self.nearest(position))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if self.sets and event.button() == Qt.MouseButton.LeftButton:
            self.dragging = True
            self.put(event.position())
        elif event.button() == Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            event.accept()
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.dragging:
            self.put(event.position())
            return
        self.pointed(event.position())
        if not self.sets and event.buttons() != Qt.MouseButton.NoButton:
            super().mouseMoveEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.sets and self.dragging:
            self.dragging = False
            self.put_down()
        elif not self.sets:
            super().mouseReleaseEvent(event)
            event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if self.zoomed:
            self.show_all()
        elif self.sets:
            self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.pointed(None)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if self._by_keys:
            self.read(None)
        self.viewport().update()

    def takes(self, event: QKeyEvent) -> bool:
        """Return True if the chart handles the key, rather than the window."""
        return event.key() in READING and bool(self.lines())

    def event(self, event: QEvent) -> bool:
        if keeps_key(event, lambda key: is_plain(key) and self.takes(key)):
            return True
        if event.type() is QEvent.Type.FontChange and self.isVisible():  # else it is arranged when it is shown
            self.arrange()
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = KEY(event.key())
        if key in ZOOMS and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.box.scaleBy([ZOOMS[key] if enabled else 1.0 for enabled in self.box.state["mouseEnabled"]])
            self._zoom()
        elif not is_plain(event) or not self._read_key(key):
            event.ignore()

    def _read_key(self, key: Qt.Key) -> bool:
        lines = self.lines()
        if key == KEY.Key_Escape and (self.reading is not None or self.zoomed):
            self.show_all()
            self.read(None)
            return True
        if not lines:
            return False
        number, index = self.reading or (0, -1)
        if key in (KEY.Key_Up, KEY.Key_Down):
            number, index = (number + (1 if key == KEY.Key_Down else -1)) % len(lines), max(index, 0)
        else:
            goal = goal_of(key, index, 0, len(np.asarray(lines[number].x)) - 1)
            if goal is None:
                return False
            index = goal
        self.read_by_keys((number, min(index, len(np.asarray(lines[number].x)) - 1)))
        return True

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        saving.open_menu(self, event.globalPos())

    def _zoom(self, *_: object) -> None:
        self.zoomed = True
        self.arrange()

    def show_all(self) -> None:
        """Undo the zoom."""
        self.zoomed = False
        self.arrange()

    def close(self) -> bool:
        return bool(QWidget.close(self))  # pyqtgraph's close() removes the viewport, after which Qt may crash

    # -- painting --------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if getattr(self, "box", None) is not None:
            self.arrange()

    def sizeHint(self) -> QSize:
        return QSize(*self.preferred).expandedTo(self.minimumSizeHint())

    def minimumSizeHint(self) -> QSize:
        pixels, lines = self.least_height
        return QSize(180, max(LEAST, pixels + lines * self.fontMetrics().height()))

    def drawBackground(self, painter: QPainter, rect: QRectF) -> None:
        """Paint what is below the marks: the axes with their numbers."""
        painter.fillRect(rect, self.palette().window() if self.under else QColor(*self.theme.background))
        painter.fillRect(self.area(), QColor(*self.theme.background))
        if not self._message:
            painter.setFont(self.letters())
            self._paint_axes(painter)

    def _paint_axes(self, painter: QPainter) -> None:
        area, theme, metrics = self.area(), self.theme, self.metrics()
        high, end = metrics.lineSpacing() + 2, float(self.width())
        if self.x.title and self._inline:
            end -= metrics.horizontalAdvance(self.x.title) + EDGE + 8
        numbers, grid = [], []
        for at, text in self.numbers(0, area.width()):
            x, half = self.pixel(self.x.value(at), 0.0).x(), 0.5 * metrics.horizontalAdvance(text)
            if half <= x <= min(area.right(), end - half):
                numbers.append((QRectF(x - 200, area.bottom() + 3, 400, high), CENTRE, text, self.x))
            grid += [QLineF(round(x), area.top(), round(x), area.bottom())] if self.x.lined else []
        side, align = (area.right() + BESIDE - 2, LEFT) if self.under else (0.0, RIGHT)
        for at, text in self.numbers(1, area.height()):
            y = self.pixel(0.0, self.y.value(at)).y()
            wide = self.width() - side if self.under else area.left() - BESIDE + 2
            text = text if self.under else metrics.elidedText(text, Qt.TextElideMode.ElideRight, wide)
            numbers.append((QRectF(side, y - high / 2, wide, high), align, text, self.y))
            grid += [QLineF(area.left(), round(y), area.right(), round(y))] if self.y.lined else []
        # Opaque: Qt needs 0.4 ms for each transparent line.
        painter.setPen(QColor(*mixed(theme.faint, theme.background, GRID)))
        painter.drawLines(grid)
        painter.setPen(QColor(*theme.faint))
        painter.drawLines([QLineF(area.topLeft(), area.bottomLeft()), QLineF(area.bottomLeft(), area.bottomRight())])
        painter.setPen(QColor(*theme.ink))
        for box, flags, text, axis in numbers:
            if not axis.bare:
                painter.drawText(box, flags, text)

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        """Paint what is above the marks: legend, titles, the reading and the frame."""
        painter.setFont(self.letters())
        if self._message:
            painter.setPen(QColor(*self.theme.faint))
            inner = QRectF(self.rect()).adjusted(10, 6, -10, -6)
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), self._message)
        else:
            self._paint_words(painter)
            for mark in self.over:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setClipRect(self.area().adjusted(-2, -2, 2, 2))
                mark.draw(painter, self.displayed())
            painter.setClipping(False)
            self._paint_reading(painter)
        if self.framed or self.hasFocus():
            paint_frame(painter, self.frame(), self.theme, self.hasFocus())

    def frame(self) -> QRectF:
        """Return the rectangle of the frame."""
        return QRectF(self.rect()).adjusted(0, 0, -1, -1)

    def _paint_words(self, painter: QPainter) -> None:
        """Paint the legend and the titles."""
        area = self.area()
        corner = QPointF(EDGE, self.height() - self.legend_height() if self.under else 0.5 * EDGE)
        high = painter.fontMetrics().lineSpacing()
        painter.setPen(QColor(*self.theme.ink))
        painter.drawText(QRectF(corner.x(), corner.y(), 1e4, high + 2), LEFT, self.y.title)
        for mark, box in zip(self.named(), self._boxes, strict=False):
            self._paint_entry(painter, mark, box.translated(corner))
        row = QRectF(area.left(), area.bottom() + 3, self.width() - area.left() - EDGE, high)
        if not self._inline:
            row.moveTop(self.height() - high - 2)
        across = Qt.AlignmentFlag.AlignRight if self._inline else Qt.AlignmentFlag.AlignHCenter
        painter.drawText(row, across | Qt.AlignmentFlag.AlignVCenter, self.x.title)

    def _paint_entry(self, painter: QPainter, mark: Mark, box: QRectF) -> None:
        """Paint the legend entry of a mark; leaves the pen in the theme's ink."""
        metrics, ink = self.metrics(), QColor(*self.theme.ink)
        with saved(painter):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            mark.draw_sample(painter, QRectF(box.left(), box.top(), SAMPLE, box.height()), self.theme)
        box.setLeft(box.left() + SAMPLE + GAP)
        room = box.width() - (metrics.horizontalAdvance(mark.value) + 1 if mark.value else 0.0)
        label = metrics.elidedText(mark.name, Qt.TextElideMode.ElideRight, room + 2)
        painter.setPen(QColor(*self.theme.faint) if mark.value else ink)
        painter.drawText(box.adjusted(0, 0, 2, 0), LEFT, label)
        painter.setPen(ink)
        box.setLeft(box.left() + metrics.horizontalAdvance(f"{label} "))
        painter.drawText(box.adjusted(0, 0, 40, 0), LEFT, mark.value)

    def _paint_reading(self, painter: QPainter) -> None:
        if self.reading is None or not self.lines():
            return
        number, index = self.reading
        line = self.lines()[number]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        at = self.pixel(float(np.asarray(line.x)[index]), float(np.asarray(line.y)[index]))
        if not np.isfinite(at.y()):
            at.setY(self.area().bottom())
        paint_with(painter, QPen(QColor(*self.theme.ink), 2), QColor(*self.theme.background))
        painter.drawEllipse(at, 4.5, 4.5)
        metrics, area = self.metrics(), self.area()
        text = metrics.elidedText(self.description(line, index), Qt.TextElideMode.ElideRight, self.width() - 16)
        box = QRectF(0, 0, metrics.horizontalAdvance(text) + 12, metrics.lineSpacing() + 4)
        box.moveCenter(at)
        box.moveBottom(at.y() - 8 if at.y() - 8 - box.height() > area.top() else at.y() + 8 + box.height())
        box.moveLeft(min(max(box.left(), 2.0), self.width() - box.width() - 2))
        paint_with(painter, QPen(QColor(*self.theme.edge), 1), QColor(*self.theme.base))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(QColor(*self.theme.ink))
        painter.drawText(box, CENTRE, text)

    def widget(self) -> QWidget:
        """Return the widget itself."""
        return self

    def paint_on(self, device: QPaintDevice) -> None:
        """Paint all of the chart on an image or a vector file."""
        self._item.setCacheMode(self._item.CacheMode.NoCache)  # a cached item would be a bitmap in a vector file
        with painter_on(device) as painter:
            self.render(painter, QRectF(self.rect()), self.viewport().rect())
        self._item.setCacheMode(self._item.CacheMode.DeviceCoordinateCache)
