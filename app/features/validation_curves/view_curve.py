"""ValidationCurveView: under a slider, accuracy over its whole range; each value straight below its handle.

Nothing is smoothed: a value stands where it was computed, straight lines only join neighbours.  Where the training was
given up there is a hollow ring, and the line stops.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFocusEvent,
    QFont,
    QFontInfo,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy

from app.scene.model import LaneScene
from app.views.chart.chart import goal_of, is_plain
from app.views.plot.lines import dashed, draw_pieces
from app.views.theme import Theme
from app.views.widgets.later import later
from app.views.widgets.painted import RIGHT, Painted, plate
from app.views.widgets.scale_slider import ScaleSlider
from solver.core.arrays import Array

from . import text as words
from .query import Curve
from .scene import Strips, ValidationCurve

#: Opacity of a curve that is of other points or settings.
FADED = 0.35
#: Pixels beside the first and last position that still belong to the picture, and above and below it.
BESIDE, ABOVE, BELOW = 7, 5, 5
#: Height of the curves in pixels, but in Simple; the least size of the legend's text in points.
HIGH, LEGEND = 80, 10.0
#: Length of a line's sample in the legend, and the space between two entries, in pixels.
SAMPLE, BETWEEN = 16.0, 8.0


class ValidationCurveView(Painted):
    """The picture below `slider`.

    Parameters
    ----------
    slider : ScaleSlider
        A child of the same form.
    control : str
        What the slider sets.
    jump : callable
        ``jump(value)`` sets the control, as one undo step.
    """

    framed = copied = True
    name, title = "strip", "Accuracy over"
    use = "Accuracy over the whole range: arrow keys read it place by place, Enter or a click goes there."

    def __init__(self, slider: ScaleSlider, control: str, jump: Callable[[float], None]) -> None:
        super().__init__()
        self._slider, self._control, self._jump = slider, control, jump
        self._strip: ValidationCurve | None = None
        self._floor_of: Curve | None = None
        self._floor = 0.5
        #: The slider's position that is read, under the pointer or chosen by keys; None for where the control stands.
        self.read: int | None = None
        self._frame = QRectF()
        self._simple = False
        self._lines = 0  # of the legend, when room was last asked for it
        #: Where the plate with a text over the curves was painted last.
        self.plate = QRectF()
        self.setMouseTracking(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)  # the row makes room for it
        self.hide()

    def render_lane(self, lane: LaneScene, theme: Theme) -> bool:
        """Show the lane's curve; whether it is to be seen."""
        strips = lane.feature(Strips) or Strips(())
        curve = next((curve for curve in strips.curves if curve.field.name == self._control), None)
        if lane.simple != self._simple:
            self._simple = lane.simple
            self.updateGeometry()
        if curve is not None:
            self.show_strip(curve, theme)
        return curve is not None and curve.shown

    def show_strip(self, strip: ValidationCurve, theme: Theme) -> None:
        """Show this one, whose scale is the slider's, too."""
        self._slider.show_scale(strip.scale)
        if strip == self._strip and theme is self._theme:
            return
        if self._strip is not None and strip.scale != self._strip.scale:
            self.read = None
        waits = self._strip is not None and strip.stale and theme is self._theme
        self._strip, self._theme = strip, theme
        if waits:  # a point has changed, and the pictures come first
            later(self, self._renew)
        else:
            self._renew()

    def _renew(self) -> None:
        self.setAccessibleDescription(self.said())
        if self._strip is not None and (notes := words.notes(self._strip)) != self.toolTip():
            self.setToolTip(notes)
        self._ask_for_room()
        self.update()

    def _ask_for_room(self) -> None:
        """Have the row give the legend the room that it needs."""
        if self._lines != (lines := len(self._legend())):
            self._lines = lines
            self.updateGeometry()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        later(self, self._ask_for_room)

    def sizeHint(self) -> QSize:
        legend = math.ceil(len(self._legend()) * QFontMetricsF(self.legend_font()).lineSpacing())
        return QSize(200, self.curves_height() + legend)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    # -- where things are ------------------------------------------------------------------------------------------

    def columns(self) -> Array:
        """x of each of the slider's positions: the centre of its handle there."""
        form = self.parentWidget()
        left = self._slider.mapTo(form, QPoint(0, 0)).x() - self.x() if form is not None else 0
        return np.array(self._slider.centres()) + left

    def depends_on(self) -> tuple[object, ...]:
        return self.read, self.columns().tobytes()

    def plot_area(self) -> QRectF:
        """The rectangle from the first to the last position, from the lowest accuracy to 1."""
        x = self.columns()
        return QRectF(x[0], ABOVE, max(x[-1] - x[0], 1.0), max(self.curves_height() - ABOVE - BELOW, 1))

    def floor(self) -> float:
        """The accuracy at the lower edge: a round one below nearly all of the curve, which may run out of it there."""
        curve = self._strip.curve if self._strip is not None else None
        if curve is not self._floor_of:
            self._floor_of, self._floor = curve, _floor(curve)
        return self._floor

    def heights(self, accuracies: Array) -> Array:
        """y of accuracies."""
        area, floor = self.plot_area(), self.floor()
        return area.bottom() - (accuracies - floor) * (area.height() / (1.0 - floor))

    def position_at(self, x: float) -> int | None:
        """The slider's position nearest to `x`, None beside the picture.

        Of several in one pixel it is that of the control itself, else the one with the roundest number.
        """
        columns, strip = self.columns(), self._strip
        if strip is None or not columns[0] - BESIDE <= x <= columns[-1] + BESIDE:
            return None
        away = np.abs(columns - x)
        near = (strip.scale.low + np.flatnonzero(away == away.min())).tolist()
        return min(near, key=lambda each: (each != strip.place, len(f"{strip.scale.value_at(each):g}")))

    def words(self) -> str:
        """What is read just now, in a sentence."""
        strip = self._strip
        if strip is None or strip.curve is None:
            return ""
        return words.sentence(strip.curve, strip.place if self.read is None else self.read, strip.stale)

    def said(self) -> str:
        """What is read just now, and all that is to be said about the curve."""
        notes = words.notes(self._strip) if self._strip is not None else ""
        return "\n".join(each for each in (self.words(), notes) if each)

    # -- the user --------------------------------------------------------------------------------------------------

    def _look(self, position: int | None) -> None:
        if position != self.read:
            self.read = position
            self.setAccessibleDescription(self.said())
            self.update()

    def _go(self, position: int) -> None:
        if self._strip is not None and position != self._strip.place:
            self._jump(self._strip.scale.value_at(position))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._look(self.position_at(event.position().x() + 0.5))  # the middle of the pixel

    def mousePressEvent(self, event: QMouseEvent) -> None:
        position = self.position_at(event.position().x() + 0.5)
        if event.button() == Qt.MouseButton.LeftButton and position is not None:
            self._look(position)
            self._go(position)
        else:
            event.ignore()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._look(None)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        strip, key = self._strip, Qt.Key
        if strip is None or not is_plain(event):
            event.ignore()
            return
        here = strip.place if self.read is None else self.read
        goal = goal_of(event.key(), here, strip.scale.low, strip.scale.high, self._slider.pageStep())
        if goal is not None:
            self._look(goal)
        elif event.key() in (key.Key_Return, key.Key_Enter):
            self._go(here)
        elif event.key() == key.Key_Escape and self.read is not None:
            self._look(None)
        else:
            event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self._look(None)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def frame(self) -> QRectF:
        return self._frame

    def paint(self, painter: QPainter, theme: Theme) -> None:
        strip, area = self._strip, self.plot_area()
        if strip is None:
            return
        ground = area.adjusted(-BESIDE, -ABOVE + 1, BESIDE, BELOW - 1)
        painter.fillRect(ground, QColor(*theme.background))
        self._paint_axis(painter, area, ground)
        columns = self.columns()
        place = strip.place - strip.scale.low
        x = columns[min(place, len(columns) - 1)]
        painter.setPen(QPen(QColor(*theme.ink, 110), 3))
        painter.drawLine(QLineF(x, ground.top() + 1, x, ground.bottom() - 1))
        curve = strip.curve
        # The curve stands on its own scale: of the points before, k may have reached farther.
        if curve is not None and len(curve.known):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setOpacity(FADED if strip.stale else 1.0)
            painter.setClipRect(ground)
            at = columns if curve.scale == strip.scale else _columns_of(curve, strip, columns)
            for values, pen in self._pens(curve):
                self._paint_series(painter, curve, at, values, pen)
            painter.setOpacity(1.0)
            painter.setClipping(False)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self._frame = self._paint_words(painter, strip, ground, columns)

    def _pens(self, curve: Curve) -> list[tuple[Array, QPen]]:
        """The series, each with its pen, the most telling one last."""
        theme = self._theme
        train = QPen(QColor(*theme.faint), 1.6)
        train.setDashPattern([1.5, 1.8])
        test = QPen(QColor(*theme.ink), 1.6)
        test.setDashPattern([5.0, 2.0])
        return [(curve.train, train), (curve.test, test), (curve.validated, QPen(QColor(*theme.accent), 2.2))]

    def _paint_axis(self, painter: QPainter, area: QRectF, ground: QRectF) -> None:
        metrics, theme = self.metrics(), self._theme
        floor = self.floor()
        for level, text in ((1.0, "100 %"), (floor, f"{100 * floor:.0f} %")):
            y = area.bottom() - (level - floor) * area.height() / (1.0 - floor)
            painter.setPen(QPen(QColor(*theme.faint), 1, Qt.PenStyle.DotLine))
            painter.drawLine(QLineF(ground.left(), round(y) + 0.5, ground.right(), round(y) + 0.5))
            wide, beside = metrics.horizontalAdvance(text) + 1, max(ground.left() - 3, 0)
            # Where the slider's name leaves no room beside the frame: behind it, else inside it, under the curves.
            inside = wide > max(beside, self.width() - ground.right() - 4)
            behind = ground.right() - 2 if inside else ground.right() + 4 + wide
            right = beside if wide <= beside else behind
            box = QRectF(right - wide, y - 0.5 * metrics.height(), wide, metrics.height())
            box.moveTop(min(max(box.top(), 0), self.curves_height() - metrics.height()))
            painter.setPen(QColor(*(theme.faint if inside else theme.ink)))
            painter.drawText(box, RIGHT, text)

    def _paint_series(self, painter: QPainter, curve: Curve, at: Array, values: Array, pen: QPen) -> None:
        known = np.flatnonzero(~np.isnan(values))
        if not len(known):
            return
        x, y = at[known], self.heights(values[known])
        sure = curve.finished[known] & (curve.counted >= curve.total)
        # Neighbours are joined by the series' own line, tried places with others between them by a thin one.
        both = sure[1:] & sure[:-1]
        near = np.diff(known) == 1
        loose = QPen(pen.color(), 1.0)
        for joined, line, dashes in ((both & near, pen, pen.dashPattern()), (both & ~near, loose, [])):
            if not joined.any():
                continue
            ends = np.column_stack((x[:-1], y[:-1], x[1:], y[1:]))[joined]
            if dashes:  # of one length along the whole curve, and drawn far sooner than Qt's own
                runs = np.insert(np.column_stack((x, y)), np.flatnonzero(~joined) + 1, np.nan, axis=0)
                on, off = (each * pen.widthF() for each in dashes)
                ends = dashed(runs[:, 0], runs[:, 1], on, off, QRectF(self.rect()))
            draw_pieces(painter, ends, QPen(line.color(), line.widthF()))
        spot = QPen(pen.color(), 3.4)
        spot.setCapStyle(Qt.PenCapStyle.RoundCap)
        if len(known) < len(values):  # so that one sees which places were tried
            painter.setPen(spot)
            painter.drawPoints([QPointF(a, b) for a, b in zip(x[sure], y[sure], strict=True)])
        painter.setPen(QPen(pen.color(), 1.2))
        painter.setBrush(QColor(*self._theme.background))
        for place in np.flatnonzero(~sure):
            painter.drawEllipse(QPointF(x[place], y[place]), 2.2, 2.2)

    def _paint_words(self, painter: QPainter, strip: ValidationCurve, ground: QRectF, columns: Array) -> QRectF:
        """What is to be read; returns where the frame is."""
        theme, curve = self._theme, strip.curve
        if curve is None or strip.message or not len(curve.known):
            painter.setPen(QColor(*theme.ink))
            return self._paint_message(painter, strip.message or "Trying the whole range…", ground)
        read = strip.place if self.read is None else self.read
        self._paint_legend(painter, curve, read)
        if self.read is not None:
            x = columns[self.read - strip.scale.low]
            painter.setPen(QPen(QColor(*theme.accent), 1.4))
            painter.drawLine(QLineF(x, ground.top(), x, ground.bottom()))
            # In a narrow frame the place alone: the accuracies there stand in the legend.
            ring = "" if curve.finished[_within(curve, self.read)] else " ○"
            head, number = self.words().partition(":")[0], strip.field.number(strip.scale.value_at(self.read))
            self._paint_plate(painter, (self.words(), head + ring, number + ring, number), ground, x)
        elif words.remark(curve):
            self._paint_plate(painter, words.remarks(curve), ground, ground.center().x())
        return ground

    def _paint_message(self, painter: QPainter, text: str, ground: QRectF) -> QRectF:
        """Why there is no curve: in its frame, or over the whole widget where that is too small, never beyond it."""
        wrapped, frame = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, ground

        def fits(box: QRectF, text: str) -> bool:
            return box.contains(self.metrics().boundingRect(box, int(wrapped), text))

        box = ground.adjusted(4, 1, -4, -1)
        if fits(box, text):
            plate(painter, ground.adjusted(1, 1, -1, -1), self._theme)
        else:
            frame = QRectF(self.rect()).adjusted(0, 0, -1, -1)
            box = frame.adjusted(3, 1, -2, 0)
            painter.fillRect(frame, QColor(*self._theme.background))
        shown = text
        while text and not fits(box, shown):  # all of it is in the tooltip
            text = text[:-1].rstrip()
            shown = f"{text}…"
        painter.drawText(box, wrapped, shown)
        return frame

    def _paint_plate(self, painter: QPainter, texts: tuple[str, ...], room: QRectF, x: float) -> None:
        """The first of `texts` that fits into `room`, or the last, cut off, on a line over the curves near `x`."""
        metrics, most = self.metrics(), room.width() - 2
        text = next((each for each in texts if metrics.horizontalAdvance(each) + 8 <= most), texts[-1])
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, most - 3)
        box = QRectF(0, 0, min(metrics.horizontalAdvance(text) + 8, most), metrics.height())
        box.moveCenter(QPointF(x, 0))
        box.moveLeft(min(max(box.left(), room.left() + 1), room.right() - box.width() - 1))
        box.moveBottom(self.curves_height() - 2)
        self.plate = box
        painter.fillRect(box, QColor(*self._theme.background))
        painter.setPen(QColor(*self._theme.ink))
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, text)

    def _paint_legend(self, painter: QPainter, curve: Curve, read: int) -> None:
        """The series by name, with what they come to where one reads, below the curves."""
        pens = {id(each): pen for each, pen in self._pens(curve)}
        by_name = {"training": curve.train, "validation": curve.validated, "test": curve.test}
        values = dict(words.rows(curve, _within(curve, read)))
        painter.setFont(self.legend_font())
        metrics = QFontMetricsF(painter.font())
        lines = self._legend()
        wide = min(self._cell({shown for entries in lines for _, shown in entries}), self.width())
        for row, entries in enumerate(lines):
            y = self.curves_height() + (row + 0.5) * metrics.lineSpacing()
            for column, (name, shown) in enumerate(entries):
                left = column * wide
                painter.setPen(pens[id(by_name[name])])
                painter.drawLine(QLineF(left + 2, y, left + SAMPLE, y))
                painter.setPen(QColor(*self._theme.ink))
                box = QRectF(left + SAMPLE + 4, y - 0.5 * metrics.height(), wide - SAMPLE - 4, metrics.height())
                text = f"{shown} {words.accuracy(values[name])}"
                text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, box.width() + 1)
                painter.drawText(box, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, text)
        painter.setFont(self.font())

    def legend_font(self) -> QFont:
        """Return the font of the legend: the widget's, of `LEGEND` points at least."""
        font = QFont(self.font())
        if QFontInfo(font).pointSizeF() < LEGEND:  # also where a style sheet sets pixels
            font.setPointSizeF(LEGEND)
        return font

    def _cell(self, names: Iterable[str]) -> float:
        """Return the width in pixels of a legend's entry with any of these names."""
        metrics = QFontMetricsF(self.legend_font())
        widest = max(metrics.horizontalAdvance(f"{name} {words.accuracy(1.0)}") for name in names)
        return SAMPLE + 4 + widest + BETWEEN

    def _legend(self) -> list[list[tuple[str, str]]]:
        """Return the lines of the legend, each with series and the names that are displayed.

        Names are short where the others would take more lines, or would be cut off.
        """
        curve = None if self._strip is None else self._strip.curve
        series = ["training", "validation"] if curve is None else [name for name, _ in words.rows(curve, 0)]
        ways = []
        for names in ({name: name for name in series}, words.SHORT):
            cell = self._cell(names[name] for name in series)
            each = min(max(int(self.width() / cell), 1), len(series))
            lines = [[(name, names[name]) for name in series[k : k + each]] for k in range(0, len(series), each)]
            ways.append((cell > self.width() + BETWEEN, len(lines), lines))
        return min(ways, key=lambda way: way[:2])[2]

    def curves_height(self) -> int:
        """Return the height of the curves in pixels, without the legend below them."""
        least = round(3.2 * self.metrics().lineSpacing()) + ABOVE + BELOW
        return least if self._simple else max(least, HIGH)


def _within(curve: Curve, position: int) -> int:
    """The place of the curve at the slider's `position`."""
    return min(max(position - curve.scale.low, 0), len(curve.train) - 1)


def _floor(curve: Curve | None) -> float:
    if curve is None or not len(curve.known):
        return 0.5
    values = np.concatenate((curve.train, curve.validated, curve.test))
    least = float(np.quantile(values[~np.isnan(values)], 0.05))
    return min(0.9, max(0.0, math.floor(10.0 * least - 1e-9) / 10.0))


def _columns_of(curve: Curve, strip: ValidationCurve, columns: Array) -> Array:
    """x of the places of a curve on another scale: where their values would be on this one."""
    scale = curve.scale
    places = [strip.scale.place_of(scale.value_at(scale.low + p)) - strip.scale.low for p in range(len(curve.train))]
    return columns[np.array(places, dtype=np.intp)]
