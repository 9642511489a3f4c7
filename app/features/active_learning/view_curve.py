"""LearningCurve: accuracy against the number of labels, asked for the least sure point and by chance, and this run."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.state.number_format import percent
from app.views.plot.symbols import path
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.painting import blank, painter_on
from solver.core.arrays import Array, Indices

from .query import Curves
from .state import STRATEGIES, ActiveLearningRun, Strategy

#: Ticks are at multiples of one of these.
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500)


@dataclass(frozen=True, eq=False)
class Sheet:
    """What the diagram shows: the comparison as far as it has come, and the run with the present place."""

    asking: ActiveLearningRun | None
    curves: Curves | None
    theme: Theme


class LearningCurve(QWidget):
    """Draws a `Sheet`, once; then it is copied."""

    def __init__(self) -> None:
        super().__init__()
        describe(
            self,
            "asking.curve",
            "Accuracy against the number of labels",
            "Solid: the least sure point is asked for. Dashed: a point by chance. Lines are means, bands hold half of"
            " the runs. Dotted: the accuracy with all labels. The disc is this run, here.",
        )
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._sheet: Sheet | None = None
        self._drawn: QPixmap | None = None
        self._made_of: tuple[object, ...] = ()

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()  # it takes what the others leave

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 7 * self.fontMetrics().height())

    def show_sheet(self, sheet: Sheet) -> None:
        """Draw `sheet`."""
        self._sheet = sheet
        self.update()

    def paintEvent(self, event: object) -> None:
        sheet = self._sheet
        if sheet is None:
            return
        with painter_on(self) as painter:
            painter.drawPixmap(0, 0, self._kept(sheet))

    def _kept(self, sheet: Sheet) -> QPixmap:
        """The drawing of `sheet`, made anew when anything about it has changed."""
        ratio = self.devicePixelRatioF()
        run = (sheet.asking.pool, sheet.asking.looks) if sheet.asking is not None else None
        made_of = (run, sheet.curves, sheet.theme, self.size(), ratio, self.font())
        if self._drawn is None or made_of != self._made_of:
            drawn = blank(self.width(), self.height(), ratio, QColor(*sheet.theme.background))
            if sheet.asking is not None:
                self._draw(drawn, sheet.asking, sheet)
            self._drawn, self._made_of = drawn, made_of
        return self._drawn

    def _draw(self, pixmap: QPixmap, asking: ActiveLearningRun, sheet: Sheet) -> None:
        with painter_on(pixmap) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(self.font())
            _Diagram(painter, self, asking, sheet).draw()


class _Diagram:
    """One drawing of a sheet."""

    def __init__(self, painter: QPainter, widget: QWidget, asking: ActiveLearningRun, sheet: Sheet) -> None:
        self._painter, self._sheet, self._theme = painter, sheet, sheet.theme
        metrics = painter.fontMetrics()
        self._line = metrics.height()
        left = metrics.horizontalAdvance("100 %") + 10
        room = metrics.horizontalAdvance("1000") // 2 + 4
        self._area = QRectF(left, 0.6 * self._line, widget.width() - left - room, 0.0)
        self._area.setBottom(widget.height() - 1.35 * self._line - 4)
        curves = sheet.curves
        self._run = [look.score.shown for look in asking.looks]
        self._first = len(asking.given)
        last = curves.last if curves is not None else len(asking.pool)
        self._last = max(last, self._first + len(self._run) - 1)
        lowest = min([1.0, *self._run])
        if curves is not None:
            lowest = min([lowest, *(float(band.low.min(initial=1.0)) for band in curves.bands.values())])
        self._floor = min(0.9, math.floor(lowest * 10) / 10)

    def x(self, labels: float) -> float:
        """Where so many labels are."""
        return self._area.left() + self._area.width() * labels / self._last

    def y(self, accuracy: float) -> float:
        """Where this accuracy is."""
        return self._area.bottom() - self._area.height() * (accuracy - self._floor) / (1.0 - self._floor)

    def _path(self, labels: Indices, accuracies: Array) -> QPainterPath:
        """The line through these places."""
        x: Array = self._area.left() + self._area.width() / self._last * labels.astype(np.float64)
        y: Array = self._area.bottom() - self._area.height() / (1.0 - self._floor) * (accuracies - self._floor)
        return path(x, y)

    def draw(self) -> None:
        """Axes, bands, lines, the run, and what is what."""
        self._axes()
        curves = self._sheet.curves
        if curves is not None:
            # Chance first: where the two are the same, both can be seen.
            for strategy in reversed(STRATEGIES):
                self._band(curves, strategy)
            for strategy in reversed(STRATEGIES):
                self._mean(curves, strategy)
            if not math.isnan(curves.full):
                self._painter.setPen(self._pen("full"))
                y = self.y(curves.full)
                self._painter.drawLine(QPointF(self._area.left(), y), QPointF(self._area.right(), y))
        self._this_run()
        self._legend()

    def _colour(self, strategy: Strategy) -> QColor:
        # No class has grey; and the lines differ besides.
        return QColor(*(self._theme.accent if strategy == "closest" else self._theme.faint))

    def _pen(self, kind: str) -> QPen:
        if kind == "closest":
            return QPen(self._colour("closest"), 2.2)
        pen = QPen(self._colour("random") if kind == "random" else QColor(*self._theme.ink), 2.0)
        if kind == "random":
            pen.setDashPattern([3.2, 2.0])
        else:
            pen.setWidthF(1.1)
            pen.setDashPattern([1.2, 2.6])
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        return pen

    def _axes(self) -> None:
        painter, area, faint = self._painter, self._area, QColor(*self._theme.faint)
        grid = QColor(faint)
        grid.setAlpha(70)
        rows = max(1, int(area.height() / (1.7 * self._line)))
        step = next(s for s in (0.05, 0.1, 0.2, 0.25, 0.5, 1.0) if (1.0 - self._floor) / s <= rows + 1e-9 or s == 1.0)
        for k in range(int((1.0 - self._floor) / step + 1e-9) + 1):
            value = 1.0 - k * step
            y = self.y(value)
            painter.setPen(QPen(grid, 1.0))
            painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
            painter.setPen(faint)
            label = QRectF(0, y - self._line / 2, area.left() - 5, self._line)
            painter.drawText(label, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, f"{100 * value:.0f} %")
        widest = painter.fontMetrics().horizontalAdvance("0000")
        many = max(1, int(area.width() / (1.6 * widest)))
        every = next((s for s in STEPS if self._last / s <= many), STEPS[-1])
        words = painter.fontMetrics().horizontalAdvance("labels") + 8
        top = area.bottom() + 3
        for labels in range(0, self._last + 1, every):
            x = self.x(labels)
            painter.setPen(QPen(faint, 1.0))
            painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 3))
            if x + widest / 2 < area.right() - words or labels == 0:
                painter.drawText(
                    QRectF(x - widest, top, 2 * widest, self._line), Qt.AlignmentFlag.AlignHCenter, str(labels)
                )
        title = QRectF(area.right() - 2 * words, top, 2 * words + 4, self._line)
        painter.drawText(title, Qt.AlignmentFlag.AlignRight, "labels")
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        painter.drawLine(area.bottomLeft(), area.topLeft())

    def _band(self, curves: Curves, strategy: Strategy) -> None:
        band, labels = curves.bands[strategy], curves.labels
        if len(labels) < 2:
            return
        colour = self._colour(strategy)
        colour.setAlpha(60)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(colour)
        there_and_back = np.concatenate((labels, labels[::-1]))
        self._painter.drawPath(self._path(there_and_back, np.concatenate((band.high, band.low[::-1]))))

    def _mean(self, curves: Curves, strategy: Strategy) -> None:
        if len(curves.labels) < 2:
            return
        self._painter.setPen(self._pen(strategy))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawPath(self._path(curves.labels, curves.bands[strategy].mean))

    def _this_run(self) -> None:
        if not self._run:
            return
        painter, ink = self._painter, QColor(*self._theme.ink)
        last = self._first + len(self._run) - 1
        if len(self._run) > 1:
            painter.setPen(QPen(ink, 1.2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawPath(self._path(np.arange(self._first, last + 1), np.array(self._run)))
        here = QPointF(self.x(last), self.y(self._run[-1]))
        faint = QColor(ink)
        faint.setAlpha(110)
        painter.setPen(QPen(faint, 1.0))
        painter.drawLine(here, QPointF(here.x(), self._area.bottom()))
        self._dot(here)

    def _dot(self, at: QPointF) -> None:
        self._painter.setPen(QPen(QColor(*self._theme.background), 1.5))
        self._painter.setBrush(QColor(*self._theme.ink))
        self._painter.drawEllipse(at, 4.6, 4.6)

    def _legend(self) -> None:
        """At the lower right, where no curve comes."""
        curves, painter = self._sheet.curves, self._painter
        rows = [("closest", "least sure point"), ("random", "by chance")]
        if curves is not None and not math.isnan(curves.full):
            rows.append(("full", f"all labels: {percent(curves.full)}"))
        if self._run:
            rows.append(("run", "this run"))
        height = self._line + 1
        wide = max(painter.fontMetrics().horizontalAdvance(text) for _, text in rows) + 38
        rows = rows[: max(1, int((self._area.height() - 8) // height))]
        box = QRectF(0, 0, wide, len(rows) * height + 4)
        box.moveBottomRight(self._area.bottomRight() - QPointF(3, 3))
        plate = QColor(*self._theme.background)
        plate.setAlpha(215)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(plate)
        painter.drawRect(box)
        for row, (kind, text) in enumerate(rows):
            y = box.top() + 2 + (row + 0.5) * height
            if kind == "run":
                painter.setPen(QPen(QColor(*self._theme.ink), 1.2))
            else:
                painter.setPen(self._pen(kind))
            painter.drawLine(QPointF(box.left() + 4, y), QPointF(box.left() + 28, y))
            if kind == "run":
                self._dot(QPointF(box.left() + 16, y))
            painter.setPen(QColor(*self._theme.ink))
            line = QRectF(box.left() + 33, y - height / 2, wide, height)
            painter.drawText(line, Qt.AlignmentFlag.AlignVCenter, text)
