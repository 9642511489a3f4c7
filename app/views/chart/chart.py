"""Chart: marks over two axes, with a legend, to be read off, zoomed, saved and copied.

ViewBox and axes are pyqtgraph's, put in their places by hand: its PlotItem takes 12 ms to make, this 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from numpy.typing import ArrayLike
from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPaintDevice,
    QPainter,
    QPen,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.views.theme import LIGHT, Theme
from app.views.widgets.painting import painter_on
from solver.core.arrays import Array

from . import saving
from .axis import Axis, Ruler
from .items import item_of
from .legend import column, flow, paint_legend
from .marks import Line, Mark, drawn_alike

#: Free around the area and between it and the numbers, and between what is drawn and the ends of the axes, in pixels.
EDGE, BESIDE, INSET = 4.0, 7.0, 4.0
#: Pixels up to which the pointer finds a value.
REACH = 40.0
#: How much a key zooms.
ZOOM = 0.7
KEY = Qt.Key
#: The pad's signs, too.
READING = frozenset((KEY.Key_Left, KEY.Key_Right, KEY.Key_Up, KEY.Key_Down, KEY.Key_Home, KEY.Key_End, KEY.Key_Escape))
ZOOMS = {KEY.Key_Plus: ZOOM, KEY.Key_Minus: 1 / ZOOM}


def goal_of(key: int, here: int, first: int, last: int, page: int = 0, upright: bool = False) -> int | None:
    """Where a key leads along a curve, None for one that leads nowhere.

    Parameters
    ----------
    key : int
    here : int
        The present place; one before `first` is none: from there "left" leads to the last.
    first, last : int
        Home and End.
    page : int
        How far the page keys lead; 0 where they have no meaning.
    upright : bool
        Up and down are as right and left.
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
    """A key alone, or one of the pad of numbers."""
    return not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


class Chart(pg.GraphicsView):
    """Displays marks.  A subclass says which, and what clicks and keys do beside reading and zooming.

    Attributes
    ----------
    box : ViewBox
    sets : bool
        A click or a drag calls `put`, instead of zooming.
    framed : bool
        There is a frame without the focus, too.
    square : bool
        As wide as high.
    short : float
        A title that takes less than this share of the width stands beside the numbers.
    corner : tuple of float or None
        The legend stands in this corner of the area, (0, 0) the upper left, (1, 1) the lower right; None for above it.
    """

    sets = framed = square = False
    short = 0.3
    corner: tuple[float, float] | None = None

    def __init__(self, x: Axis | None = None, y: Axis | None = None) -> None:
        super().__init__(background=None)
        self.x, self.y = x or Axis(), y or Axis()
        self.marks: tuple[Mark, ...] = ()
        self.theme: Theme = LIGHT
        self._message = ""
        self._stale = False  # is to be drawn anew once it is seen
        self.zoomed = False
        #: A drag sets something: set to False, it ends.
        self.dragging = False
        #: Which of the lines that can be read is, and its place there.
        self.reading: tuple[int, int] | None = None
        self._by_keys = False  # it is read by keys, not by the pointer
        #: The left side is at least so wide: charts above each other begin at the same x.
        self.least_left = 0.0
        self._left = 0.0
        self._boxes: list[QRectF] = []
        self._inline = False  # the title stands at the end of the numbers below
        self.box = pg.ViewBox(enableMenu=False, defaultPadding=0.0)
        self.box.setMouseMode(pg.ViewBox.RectMode)
        self.scene().addItem(self.box)
        self._rulers = Ruler("bottom", self.box), Ruler("left", self.box)
        for ruler in self._rulers:
            self.scene().addItem(ruler)
            ruler.setZValue(self.box.zValue() - 1)  # its lines lie below what is drawn
        self._items: list[Any] = []
        self._kinds: list[type[Mark]] = []
        self._drawn: tuple[Mark, ...] = ()
        self._look: tuple[object, ...] = ()
        self.box.sigRangeChangedManually.connect(self._zoom)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # -- what is shown ---------------------------------------------------------------------------------------------

    def show_marks(
        self, marks: Sequence[Mark], theme: Theme, x: Axis | None = None, y: Axis | None = None, message: str = ""
    ) -> None:
        """Display `marks`, the first lowest, or a `message` in place of them; with other axes if they are given."""
        if (x or self.x, y or self.y) != (self.x, self.y):
            self.x, self.y, self.zoomed = x or self.x, y or self.y, False
        self.marks, self.theme, self._message = tuple(marks), theme, message
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
        self.setBackground(QColor(*self.theme.background))
        kinds = [type(mark) for mark in self.marks]
        kept = next((k for k, (a, b) in enumerate(zip(kinds, self._kinds, strict=False)) if a is not b), None)
        kept = min(len(kinds), len(self._kinds)) if kept is None else kept
        for item in self._items[kept:]:
            self.box.removeItem(item)
        self._items[kept:] = [item_of(mark) for mark in self.marks[kept:]]
        for item in self._items[kept:]:
            self.box.addItem(item, ignoreBounds=True)
        self._kinds, drawn = kinds, self._drawn[:kept]
        look = self.x, self.y, self.theme
        for place, (item, mark) in enumerate(zip(self._items, self.marks, strict=True)):
            if look != self._look or place >= len(drawn) or not drawn_alike(mark, drawn[place]):
                item.display(mark, *look)
        self._drawn, self._look = self.marks, look
        self.arrange()

    def arrange(self) -> None:
        """Put area, numbers and legend in their places, and have all painted."""
        if self.width() < 2 or self._stale:
            return
        metrics, theme = QFontMetricsF(self.font()), self.theme
        line, bare = metrics.lineSpacing(), (self.x.bare, self.y.bare)
        named, self._boxes = self.named() if self.corner is None else [], []
        top = EDGE
        if named or self.y.title:
            self._boxes = flow(named, self.y.title, metrics, self.width() - 2 * EDGE - self.free_right())
            most = max(1, int(0.4 * self.height() / (line + 2)))
            self._boxes = [box for box in self._boxes if box.top() < most * (line + 2) - 1]
            top += max((box.bottom() for box in self._boxes), default=line + 2)
        top += 0.0 if bare[1] else 0.35 * line
        self._inline = metrics.horizontalAdvance(self.x.title) < self.short * self.width()
        below = EDGE + (0.0 if bare[0] else line + 2) + (line if self.x.title and not self._inline else 0.0)
        high = max(self.height() - top - below, 8.0)
        for ruler, axis, room in zip(
            self._rulers, (self.x, self.y), (self.room_across(metrics), 1.35 * line), strict=True
        ):
            ruler.dress(theme, self.font())
            ruler.show_axis(axis, room)
        self._rulers[0].leave(metrics.horizontalAdvance(self.x.title) + 8 if self.x.title and self._inline else 0.0)
        ends = [self.x.ends(self._values(0)), self.y.ends(self._values(1))]
        self._left = self._left_of(metrics, ends[1], high)
        left = max(self._left, self.least_left)
        wide = max(self.width() - left - self.right_of(metrics), 8.0)
        if self.square:
            wide = high = min(wide, high)
        area = QRectF(left, top, wide, high)
        across, up = self._rulers
        self.box.setGeometry(area)
        up.setWidth(left)
        across.setHeight(line + 2)
        up.setGeometry(QRectF(0, top, left, high))
        across.setGeometry(QRectF(left, top + high, wide, line + 2))
        self._fit(ends, area)
        if self.corner is not None:
            self._boxes = column(self.named(), metrics, high - 6)
        visible = not self._message
        for item in (self.box, across, up):
            item.setVisible(visible)
        self.viewport().update()

    @property
    def needed_left(self) -> float:
        """Width of the numbers at the left, in pixels."""
        return self._left

    def stand_at(self, left: float) -> None:
        """Have the area begin at x = `left` at least, as those of the charts above and below it."""
        if left != self.least_left:
            self.least_left = left
            self.arrange()

    def named(self) -> list[Mark]:
        """Return the marks of the legend, the one on top first."""
        return [mark for mark in reversed(self.marks) if mark.name]

    def free_right(self) -> float:
        """Return the width at the upper right that the legend leaves free."""
        return 0.0

    def room_across(self, metrics: QFontMetricsF) -> float:
        """Return the least distance of two numbers below, in pixels."""
        longest = max(self.x.names, key=len) if self.x.names else "00 000"
        return metrics.horizontalAdvance(longest) + 14

    def right_of(self, metrics: QFontMetricsF) -> float:
        """Return the width at the right of the area."""
        return 0.5 * metrics.horizontalAdvance("100 %") + EDGE if not self.x.bare else EDGE

    def _left_of(self, metrics: QFontMetricsF, ends: tuple[float, float], high: float) -> float:
        if self.y.bare:
            return EDGE
        low, top = self.box.viewRange()[1] if self.zoomed else ends
        texts = self.y.marks(low, top, int(high / (1.35 * metrics.lineSpacing())))
        widest = max((metrics.horizontalAdvance(text) for _, text in texts), default=0.0)
        return float(np.ceil(max(widest, metrics.horizontalAdvance("0.00")) + BESIDE + EDGE))

    def _values(self, way: int) -> Array:
        """Return all that the axis to the right (0) or upwards (1) has to reach; nothing where its ends are given."""
        axis = (self.x, self.y)[way]
        marks = self.marks if axis.low is None or axis.high is None else ()
        return np.concatenate([np.empty(0), *(np.ravel(np.asarray(m.span()[way], dtype=float)) for m in marks)])

    def _fit(self, ends: list[tuple[float, float]], area: QRectF) -> None:
        """Show all, unless somebody has zoomed; nobody can go beyond it."""
        ranges = []
        for axis, (low, high), size in zip((self.x, self.y), ends, (area.width(), area.height()), strict=True):
            beside = 0.0 if axis.names and not axis.at else INSET / max(size - 2 * INSET, 1.0) * (high - low)
            ranges.append((low - beside, high + beside))
        (left, right), (bottom, top) = ranges
        self.box.setLimits(xMin=left, xMax=right, yMin=bottom, yMax=top)
        if not self.zoomed:
            self.box.setRange(xRange=ranges[0], yRange=ranges[1], padding=0.0)

    # -- where things are ------------------------------------------------------------------------------------------

    def area(self) -> QRectF:
        """Return the rectangle between the axes, in pixels."""
        return QRectF(self.box.geometry())

    def places(self, x: ArrayLike, y: ArrayLike) -> tuple[Array, Array]:
        """Return the pixels of values."""
        area, (across, up) = self.area(), self.box.viewRange()
        at_x = area.left() + (self.x.place(x) - across[0]) * (area.width() / (across[1] - across[0]))
        return at_x, area.bottom() - (self.y.place(y) - up[0]) * (area.height() / (up[1] - up[0]))

    def pixel(self, x: float, y: float) -> QPointF:
        """Return the pixel of a pair of values."""
        (across,), (up,) = self.places([x], [y])
        return QPointF(float(across), float(up))

    def values_at(self, position: QPointF) -> tuple[float, float]:
        """Return the values at a pixel."""
        area, (across, up) = self.area(), self.box.viewRange()
        x = across[0] + (position.x() - area.left()) / area.width() * (across[1] - across[0])
        y = up[0] + (area.bottom() - position.y()) / area.height() * (up[1] - up[0])
        return self.x.value(x), self.y.value(y)

    # -- reading ---------------------------------------------------------------------------------------------------

    def lines(self) -> list[Line]:
        """Return the lines that are read off."""
        return [mark for mark in self.marks if isinstance(mark, Line) and mark.read and mark.name]

    def _is_there(self, line: int, place: int) -> bool:
        lines = self.lines()
        return line < len(lines) and place < len(np.asarray(lines[line].x))

    def nearest(self, position: QPointF) -> tuple[int, int] | None:
        """Return the line and its place nearest to a pixel, None where all are far away."""
        found, least = None, REACH**2
        for number, line in enumerate(self.lines()):
            x, y = self.places(line.x, line.y)
            far = np.nan_to_num((x - position.x()) ** 2 + (y - position.y()) ** 2, nan=np.inf)
            place = int(far.argmin()) if len(far) else 0
            if len(far) and far[place] < least:
                found, least = (number, place), float(far[place])
        return found

    def said(self, line: Line, place: int) -> str:
        """Return in words what is read at a place of `line`."""
        x, y = float(np.asarray(line.x)[place]), float(np.asarray(line.y)[place])
        title = self.x.title.removesuffix(" →")
        return f"{line.name}: {self.y.exact(y)} at {f'{title} ' if title else ''}{self.x.exact(x)}"

    def read(self, found: tuple[int, int] | None) -> None:
        """Read a place, or none."""
        if found != self.reading:
            self.reading = found
            if found is not None:
                self.setAccessibleDescription(self.said(self.lines()[found[0]], found[1]))
            self.viewport().update()

    # -- the user --------------------------------------------------------------------------------------------------

    def put(self, position: QPointF) -> None:
        """Set what a click or a drag to a pixel sets."""

    def put_down(self) -> None:
        """The drag has ended."""

    def pointed(self, position: QPointF | None) -> None:
        """The pointer is at a pixel, or has left."""
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
        """A key is the chart's, not the window's."""
        return event.key() in READING and bool(self.lines())

    def event(self, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.ShortcutOverride
            and is_plain(event)
            and self.takes(event)
        ):
            event.accept()
            return True
        if event.type() is QEvent.Type.FontChange:
            self.arrange()
        return bool(super().event(event))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = KEY(event.key())
        if key in ZOOMS and not event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.box.scaleBy((ZOOMS[key], ZOOMS[key]))
            self._zoom()
        elif not is_plain(event) or not self._read_key(key):
            event.ignore()

    def _read_key(self, key: Qt.Key) -> bool:
        self._by_keys = True
        lines = self.lines()
        if key == KEY.Key_Escape and (self.reading is not None or self.zoomed):
            self.show_all()
            self.read(None)
            return True
        number, place = self.reading or (0, -1)
        if key in (KEY.Key_Up, KEY.Key_Down) and lines:
            number = (number + (1 if key == KEY.Key_Down else -1)) % len(lines)
            place = min(max(place, 0), len(np.asarray(lines[number].x)) - 1)
            self.read((number, place))
            return True
        goal = goal_of(key, place, 0, len(np.asarray(lines[number].x)) - 1) if lines else None
        if goal is not None:
            self.read((number, goal))
        return goal is not None

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        saving.open_menu(self, event.globalPos())

    def _zoom(self, *_: object) -> None:
        self.zoomed = True
        self.arrange()

    def show_all(self) -> None:
        """Show all again."""
        self.zoomed = False
        self.arrange()

    def close(self) -> bool:
        return bool(QWidget.close(self))  # pyqtgraph's takes the viewport away, and Qt may crash then

    # -- painting --------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if getattr(self, "box", None) is not None:
            self.arrange()

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()  # it takes what the others leave

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 7 * self.fontMetrics().height())

    def drawForeground(self, painter: QPainter, rect: QRectF) -> None:
        """What stands over the marks: the legend, titles, what is read, and the frame."""
        theme, area = self.theme, self.area()
        painter.setFont(self.font())
        if self._message:
            painter.setPen(QColor(*theme.faint))
            inner = QRectF(self.rect()).adjusted(10, 6, -10, -6)
            painter.drawText(inner, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), self._message)
        else:
            self._paint_words(painter, theme, area)
            self.paint_over(painter)
        if self.framed or self.hasFocus():
            focused = self.hasFocus()
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            painter.setPen(QPen(QColor(*(theme.accent if focused else theme.faint)), 2 if focused else 1))
            painter.drawRect(
                QRectF(self.rect()).adjusted(1, 1, -1, -1) if focused else QRectF(self.rect()).adjusted(0, 0, -1, -1)
            )

    def _paint_words(self, painter: QPainter, theme: Theme, area: QRectF) -> None:
        """Paint legend and titles."""
        at = QPointF(EDGE, 0.5 * EDGE)
        if self.corner is None:
            paint_legend(painter, at, self.named(), self._boxes, self.y.title, theme)
        else:
            paint_legend(painter, at, (), (), self.y.title, theme)
        if self.corner is not None and self._boxes:
            wide, high = self._boxes[-1].right() + 6, self._boxes[-1].bottom() + 2
            free = area.width() - wide - 4, area.height() - high - 4
            box = QRectF(
                area.left() + 2 + self.corner[0] * free[0], area.top() + 2 + self.corner[1] * free[1], wide, high
            )
            painter.fillRect(box, QColor(*theme.background, 215))
            paint_legend(painter, box.topLeft() + QPointF(3, 1), self.named(), self._boxes, "", theme)
        if self.x.title:
            painter.setPen(QColor(*theme.ink))
            high = painter.fontMetrics().lineSpacing()
            middle = self.height() - high - 2 if not self._inline else area.bottom() + 3
            across = Qt.AlignmentFlag.AlignRight if self._inline else Qt.AlignmentFlag.AlignHCenter
            row = QRectF(area.left(), middle, self.width() - area.left() - EDGE, high)
            painter.drawText(row, across | Qt.AlignmentFlag.AlignVCenter, self.x.title)

    def paint_over(self, painter: QPainter) -> None:
        """Paint what is read."""
        if self.reading is None:
            return
        number, place = self.reading
        line = self.lines()[number]
        at = self.pixel(float(np.asarray(line.x)[place]), float(np.asarray(line.y)[place]))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(*self.theme.ink), 2))
        painter.setBrush(QColor(*self.theme.background))
        painter.drawEllipse(at, 4.5, 4.5)
        self.plate(painter, self.said(line, place), at)

    def plate(self, painter: QPainter, text: str, at: QPointF) -> None:
        """Write `text` near a pixel, on a ground of its own, within the area."""
        metrics, area = QFontMetricsF(painter.font()), self.area()
        box = QRectF(0, 0, min(metrics.horizontalAdvance(text) + 12, self.width() - 4), metrics.lineSpacing() + 4)
        box.moveCenter(at)
        box.moveBottom(at.y() - 8 if at.y() - 8 - box.height() > area.top() else at.y() + 8 + box.height())
        box.moveLeft(min(max(box.left(), 2.0), self.width() - box.width() - 2))
        painter.setPen(QPen(QColor(*self.theme.edge), 1))
        painter.setBrush(QColor(*self.theme.base))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(QColor(*self.theme.ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def widget(self) -> QWidget:
        """Return what is displayed."""
        return self

    def paint_on(self, device: QPaintDevice) -> None:
        """Paint all of it on an image or a file of shapes."""
        cached = [item for item in self._items if item.cacheMode() is not item.CacheMode.NoCache]
        for item in cached:
            item.setCacheMode(item.CacheMode.NoCache)  # shapes stay shapes
        with painter_on(device) as painter:
            self.render(painter, QRectF(self.rect()), self.viewport().rect())
        for item in cached:
            item.setCacheMode(item.CacheMode.DeviceCoordinateCache)
