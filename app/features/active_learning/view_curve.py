"""LearningCurve: accuracy against the number of labels, of the least sure point and of random ones, and this run."""

from __future__ import annotations

import math

import numpy as np
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from app.core.number_format import percent
from app.views.charts.chart import Chart, Plot, legend_size, paint_columns, paint_legend, paint_rows, plate
from app.views.plot.symbols import path
from app.views.theme import Theme
from app.views.widgets.form_fields import describe

from .query import Curves
from .state import STRATEGIES, ActiveLearningRun

#: Ticks are at multiples of one of these.
STEPS = (1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500)


class LearningCurve(Chart):
    """Draws a comparison and a run with its present place, once; then the drawing is copied."""

    def __init__(self) -> None:
        super().__init__()
        describe(
            self,
            "asking.curve",
            "Accuracy against the number of labels",
            "Solid: the least sure point is asked for. Dashed: a random point. Lines are means, bands hold half of"
            " the runs. Dotted: the accuracy with all labels. The disc is this run, here.",
        )
        self._asking: ActiveLearningRun | None = None
        self._curves: Curves | None = None

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()  # it takes what the others leave

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 7 * self.fontMetrics().height())

    def show_curves(self, asking: ActiveLearningRun | None, curves: Curves | None, theme: Theme) -> None:
        """Draw the comparison as far as it has come, and the run."""
        self._asking, self._curves, self._theme = asking, curves, theme
        self.update()

    def paint(self, painter: QPainter, theme: Theme) -> None:
        asking, curves = self._asking, self._curves
        key = (None if asking is None else (asking.pool, asking.looks), curves, theme)
        drawn = self.kept(key, QColor(*theme.background), lambda onto: self._draw(onto, asking, curves))
        painter.drawPixmap(0, 0, drawn)

    def _draw(self, painter: QPainter, asking: ActiveLearningRun | None, curves: Curves | None) -> None:
        """Axes, bands, lines, the run, and what is what."""
        if asking is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        run = [look.score.shown for look in asking.looks]
        plot = self._plot(asking, run, curves)
        self._paint_axes(painter, plot)
        if curves is not None:
            self._paint_curves(painter, plot, curves)
        if run:
            self._paint_run(painter, plot, run, len(asking.given))
        self._paint_legend(painter, plot, curves, bool(run))

    def _plot(self, asking: ActiveLearningRun, run: list[float], curves: Curves | None) -> Plot:
        metrics = self.fontMetrics()
        line, left = metrics.height(), metrics.horizontalAdvance("100 %") + 10
        right, below = metrics.horizontalAdvance("1000") // 2 + 4, 1.35 * line + 4
        area = QRectF(left, 0.6 * line, self.width() - left - right, self.height() - 0.6 * line - below)
        last = max(len(asking.pool) if curves is None else curves.last, len(asking.given) + len(run) - 1)
        bands = [] if curves is None else [float(band.low.min(initial=1.0)) for band in curves.bands.values()]
        return Plot.over(area, (0.0, last), (min(0.9, math.floor(min([1.0, *run, *bands]) * 10) / 10), 1.0))

    def _pen(self, kind: str) -> QPen:
        # No class has grey; and the lines differ besides.
        colours = {"closest": self._theme.accent, "random": self._theme.faint}
        widths = {"closest": 2.2, "random": 2.0, "full": 1.1, "run": 1.2}
        pen = QPen(QColor(*colours.get(kind, self._theme.ink)), widths[kind])
        if kind in ("random", "full"):
            pen.setDashPattern([3.2, 2.0] if kind == "random" else [1.2, 2.6])
            pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        return pen

    def _paint_axes(self, painter: QPainter, plot: Plot) -> None:
        area, metrics, faint = plot.area, painter.fontMetrics(), QColor(*self._theme.faint)
        rows, range_ = max(1, int(area.height() / (1.7 * metrics.height()))), 1.0 - plot.y.low
        step = next(s for s in (0.05, 0.1, 0.2, 0.25, 0.5, 1.0) if range_ / s <= rows + 1e-9 or s == 1.0)
        values = [1.0 - k * step for k in range(int(range_ / step + 1e-9) + 1)]
        ticks = [(plot.y.place_one(value), f"{100 * value:.0f} %") for value in values]
        paint_rows(painter, area, ticks, self._theme, QPen(QColor(*self._theme.faint, 70), 1.0))
        many, last = max(1, int(area.width() / (1.6 * metrics.horizontalAdvance("0000")))), int(plot.x.high)
        every = next((s for s in STEPS if last / s <= many), STEPS[-1])
        columns = [(plot.x.place_one(labels), str(labels)) for labels in range(0, last + 1, every)]
        paint_columns(painter, area, columns, "labels", 3, self._theme)
        painter.setPen(QPen(faint, 1.0))
        for x, _ in columns:
            painter.drawLine(QPointF(x, area.bottom()), QPointF(x, area.bottom() + 3))
        painter.drawPolyline([area.topLeft(), area.bottomLeft(), area.bottomRight()])

    def _paint_curves(self, painter: QPainter, plot: Plot, curves: Curves) -> None:
        # Chance first: where the two are the same, both can be seen.
        strategies = STRATEGIES[::-1] if len(curves.labels) > 1 else ()
        painter.setPen(Qt.PenStyle.NoPen)
        for strategy in strategies:
            band, colour = curves.bands[strategy], self._pen(strategy).color()
            colour.setAlpha(60)
            painter.setBrush(colour)
            there_and_back = np.concatenate((curves.labels, curves.labels[::-1]))
            painter.drawPath(path(*plot.places(there_and_back, np.concatenate((band.high, band.low[::-1])))))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for strategy in strategies:
            painter.setPen(self._pen(strategy))
            painter.drawPath(path(*plot.places(curves.labels, curves.bands[strategy].mean)))
        if not math.isnan(curves.full):
            painter.setPen(self._pen("full"))
            painter.drawLine(plot.line(0.0, curves.full, plot.x.high, curves.full))

    def _paint_run(self, painter: QPainter, plot: Plot, run: list[float], first: int) -> None:
        last = first + len(run) - 1
        painter.setPen(self._pen("run"))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if len(run) > 1:
            painter.drawPath(path(*plot.places(np.arange(first, last + 1), run)))
        here = plot.point(last, run[-1])
        painter.setPen(QPen(QColor(*self._theme.ink, 110), 1.0))
        painter.drawLine(here, QPointF(here.x(), plot.area.bottom()))
        self._dot(painter, here)

    def _dot(self, painter: QPainter, at: QPointF) -> None:
        painter.setPen(QPen(QColor(*self._theme.background), 1.5))
        painter.setBrush(QColor(*self._theme.ink))
        painter.drawEllipse(at, 4.6, 4.6)

    def _paint_legend(self, painter: QPainter, plot: Plot, curves: Curves | None, run: bool) -> None:
        """At the lower right, where no curve comes."""
        rows = {"closest": "least sure point", "random": "random"}
        if curves is not None and not math.isnan(curves.full):
            rows["full"] = f"all labels: {percent(curves.full)}"
        if run:
            rows["run"] = "this run"
        most = max(1, int((plot.area.height() - 8) // self.metrics().lineSpacing()))
        lines = [(self._pen(kind), text) for kind, text in rows.items()][:most]
        box = QRectF(QPointF(), legend_size(self.metrics(), list(rows.values())[:most]))
        box.moveBottomRight(plot.area.bottomRight() - QPointF(3, 3))
        plate(painter, box, self._theme)
        middles = paint_legend(painter, box, lines, self._theme)
        if run and len(rows) <= most:
            self._dot(painter, middles[-1])
