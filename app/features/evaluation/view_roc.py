"""The pictures of the evaluation: a confusion matrix with precision, recall and F1 of each class below it; and the ROC
curves of all lanes, with the threshold of one of them, which mouse and keys move along its curve.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QEvent, QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from app.core.number_format import counted
from app.views.charts.chart import LEFT, RIGHT, Chart, Plot, goal_of, legend_size, paint_legend, plate
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.painting import saved
from solver.core.arrays import Array
from solver.inspection.metrics import RocCurve

from . import text as words
from .scene import Evaluation, LaneEvaluation, Threshold, place_of, threshold_at

#: Pixels of a class's symbol, and opacity of the fullest cell, of 255.
SYMBOL, FULLEST = 18, 150
CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter


class ConfusionView(Chart):
    """Paints what it was shown last; rows are true classes, columns what they were called."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Evaluation, LaneEvaluation] | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        describe(self, "evaluation.confusion", "Confusion matrix", "")

    def show_lane(self, evaluation: Evaluation, lane: LaneEvaluation, theme: Theme) -> None:
        """Show the matrix of one lane."""
        before, shown = self._classes, self._shown
        same = shown is not None and shown[1] is lane and shown[0].class_names == evaluation.class_names
        if same and theme is self._theme:
            return
        self._shown, self._theme = (evaluation, lane), theme
        self.setAccessibleDescription(words.matrix_words(evaluation, lane))
        if before != self._classes:
            self.updateGeometry()
        self.update()

    @property
    def _classes(self) -> tuple[int, ...]:
        lane = None if self._shown is None else self._shown[1]
        return () if lane is None or lane.confusion is None or lane.scores is None else lane.scores.classes

    def _row(self) -> float:
        return max(self.metrics().height() + 8, SYMBOL + 4)

    def sizeHint(self) -> QSize:
        rows = 2 * len(self._classes) + 3.5 if self._classes else 0
        return QSize(280, round(rows * self._row()))

    def minimumSizeHint(self) -> QSize:
        return QSize(200, self.sizeHint().height())

    def cell(self, true: int, called: int) -> QRectF:
        """Where a cell of the matrix is."""
        n, row = len(self._classes), self._row()
        left = self._names_width()
        width = (self.width() - left - 1) / max(n, 1)
        return QRectF(left + called * width, (2 + true) * row, width, row)

    def _names_width(self) -> float:
        metrics = self.metrics()
        assert self._shown is not None
        longest = max((metrics.horizontalAdvance(self._shown[0].class_names[c]) for c in self._classes), default=0.0)
        return min(longest, 0.3 * self.width()) + SYMBOL + 10

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if self._classes and self._shown is not None:
            self._paint_matrix(painter, *self._shown)
            self._paint_scores(painter, *self._shown)

    def _paint_matrix(self, painter: QPainter, evaluation: Evaluation, lane: LaneEvaluation) -> None:
        theme, classes, row = self._theme, self._classes, self._row()
        ink, faint = QColor(*theme.ink), QColor(*theme.faint)
        left, counts = self._names_width(), lane.confusion
        assert counts is not None
        painter.setPen(ink)
        painter.drawText(QRectF(left, 0, self.width() - left, row), CENTRE, "predicted")
        painter.drawText(QRectF(0, row, left - 6, row), LEFT, "true")
        for place, label in enumerate(classes):
            self._name(painter, evaluation, label, QRectF(0, (2 + place) * row, left - 4, row))
            self._name(painter, evaluation, label, self.cell(-1, place), middle=True)
        for true in range(len(classes)):
            total = float(counts[true].sum())
            for called in range(len(classes)):
                number, area = float(counts[true, called]), self.cell(true, called).adjusted(1, 1, -1, -1)
                share = number / total if total else 0.0
                painter.fillRect(area, QColor(*theme.accent, round(FULLEST * share)))
                # Right ones lie in a frame, so that nobody has to tell them by their shade.
                painter.setPen(QPen(ink if true == called else faint, 2.0 if true == called else 0.6))
                painter.drawRect(area)
                painter.setPen(ink)
                painter.drawText(area, CENTRE, counted(number))

    def _paint_scores(self, painter: QPainter, evaluation: Evaluation, lane: LaneEvaluation) -> None:
        classes, row, scores = self._classes, self._row(), lane.of_classes
        assert scores is not None
        top = (2.5 + len(classes)) * row
        left = self._names_width()
        width = (self.width() - left - 1) / 3
        painter.setPen(QColor(*self._theme.ink))
        for column, title in enumerate(("precision", "recall", "F1")):
            painter.drawText(QRectF(left + column * width, top, width, row), CENTRE, title)
        for place, label in enumerate(classes):
            y = top + (1 + place) * row
            self._name(painter, evaluation, label, QRectF(0, y, left - 4, row))
            none_of, none_called = scores.support[place] == 0, scores.called[place] == 0
            for column, (value, undefined) in enumerate(
                ((scores.precision, none_called), (scores.recall, none_of), (scores.f1, none_of and none_called))
            ):
                text = "0*" if undefined else words.share(float(value[place]))
                painter.drawText(QRectF(left + column * width, y, width, row), CENTRE, text)

    def _name(self, painter: QPainter, evaluation: Evaluation, label: int, area: QRectF, middle: bool = False) -> None:
        """Symbol and name of a class, or the symbol alone where there is no room for both."""
        metrics = self.metrics()
        pixmap = symbol_pixmap(self._theme, str(label), SYMBOL, self.devicePixelRatioF())
        text = metrics.elidedText(evaluation.class_names[label], Qt.TextElideMode.ElideRight, area.width() - SYMBOL - 4)
        if len(text) < 3 and text != evaluation.class_names[label]:
            text = ""
        wide = SYMBOL + (4 + metrics.horizontalAdvance(text) if text else 0)
        x = area.left() + ((area.width() - wide) / 2 if middle else 2)
        painter.drawPixmap(round(x), round(area.center().y() - SYMBOL / 2), pixmap)
        painter.drawText(QRectF(x + SYMBOL + 4, area.top(), area.right() - x, area.height()), LEFT, text)

    @property
    def has_undefined(self) -> bool:
        """Some score is 0 by convention only."""
        scores = None if self._shown is None else self._shown[1].of_classes
        return scores is not None and bool((scores.support == 0).any() or (scores.called == 0).any())


#: Width of the chosen lane's curve and of the others; dashes of the curve at each place, in widths.
CHOSEN, OTHER = 2.4, 1.4
DASHES: tuple[tuple[float, ...], ...] = ((), (5.0, 2.0), (1.5, 1.5), (6.0, 1.5, 1.5, 1.5))
KEY = Qt.Key


class RocView(Chart):
    """False positive rate to the right, true positive rate upwards.

    Parameters
    ----------
    moved : callable
        ``moved(slot, threshold)`` is told where the user puts the threshold; None for the model's own.
    """

    def __init__(self, moved: Callable[[int, float | None], None]) -> None:
        super().__init__()
        self._moved = moved
        self._shown: Evaluation | None = None
        self._told: int | None = None  # where the threshold was sent since
        self._dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        describe(
            self,
            "evaluation.roc",
            "ROC curve",
            "Drag along the curve, or use ← and → (Page for longer ways), to move the threshold; Backspace takes it "
            "back to the model's own.",
        )

    def show_evaluation(self, evaluation: Evaluation, theme: Theme) -> None:
        """Show the curves."""
        if evaluation is not self._shown or theme is not self._theme:
            self._shown, self._theme, self._told = evaluation, theme, None
            lane = self.lane
            said = "" if lane is None else words.threshold_words(evaluation, lane)
            self.setAccessibleDescription(said)
            self.update()

    @property
    def lane(self) -> LaneEvaluation | None:
        """The chosen lane, if it has a curve."""
        if self._shown is None or not self._shown.lanes:
            return None
        lane = self._shown.lanes[self._shown.judged]
        return lane if lane.roc is not None else None

    def sizeHint(self) -> QSize:
        height = 200 + 3 * round(self.metrics().height())
        return QSize(300, height)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, self.sizeHint().height())

    # -- where things are ------------------------------------------------------------------------------------------

    def plot_area(self) -> QRectF:
        """The square between the axes."""
        metrics = self.metrics()
        left, below = metrics.horizontalAdvance("100 %") + 8, 2 * metrics.height() + 8
        side = max(min(self.width() - left - 12, self.height() - below - 8), 20)
        return QRectF(left, 8, side, side)

    def spots(self, roc: RocCurve) -> tuple[Array, Array]:
        """Pixels of all places of a curve."""
        return Plot.over(self.plot_area(), (0.0, 1.0), (0.0, 1.0)).places(roc.fpr, roc.tpr)

    # -- the user --------------------------------------------------------------------------------------------------

    def _go(self, place: int) -> None:
        lane = self.lane
        if lane is not None and lane.roc is not None:
            place = min(max(place, 0), len(lane.roc.thresholds) - 1)
            if place != self._heading:
                self._told = place
                self._moved(lane.slot, Threshold(threshold_at(lane.roc, place), lane.lane))

    @property
    def place(self) -> int:
        """Where on the chosen curve the threshold stands."""
        lane = self.lane
        return -1 if lane is None or lane.roc is None else place_of(lane.roc, lane.threshold)

    @property
    def _heading(self) -> int:
        """Where the threshold will stand: what is drawn may be a moment older."""
        return self.place if self._told is None else self._told

    def _drag(self, position: QPointF) -> None:
        lane = self.lane
        if lane is not None and lane.roc is not None:
            x, y = self.spots(lane.roc)
            self._go(int(((x - position.x()) ** 2 + (y - position.y()) ** 2).argmin()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.lane is not None:
            self._dragging = True
            self._drag(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._dragging:
            self._drag(event.position())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._dragging = False

    def event(self, event: QEvent) -> bool:
        # Home, End and Backspace are keys of the window, too; here they move the threshold.
        keys = (KEY.Key_Home, KEY.Key_End, KEY.Key_Backspace, KEY.Key_Left, KEY.Key_Right)
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and event.key() in keys:
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        lane = self.lane
        last = -1 if lane is None or lane.roc is None else len(lane.roc.thresholds) - 1
        goal = goal_of(event, self._heading, 0, last, page=max(1, round(0.1 * last)), upright=True)
        if lane is None or last < 0:
            super().keyPressEvent(event)
        elif goal is not None:
            self._go(goal)
        elif event.key() == KEY.Key_Backspace:
            self._told = None
            self._moved(lane.slot, None)
        else:
            super().keyPressEvent(event)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def paint(self, painter: QPainter, theme: Theme) -> None:
        if self._shown is None:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_ground(painter)
        order = [p for p in range(len(self._shown.lanes)) if p != self._shown.judged] + [self._shown.judged]
        for place in order:
            self._paint_curve(painter, place)
        self._paint_legend(painter)
        self._paint_place(painter)

    def _paint_ground(self, painter: QPainter) -> None:
        theme, area, metrics = self._theme, self.plot_area(), self.metrics()
        faint, ink = QColor(*theme.faint), QColor(*theme.ink)
        painter.fillRect(area, QColor(*theme.background))
        painter.setPen(QPen(faint, 1))
        painter.drawRect(area)
        painter.setPen(QPen(faint, 1, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(area.bottomLeft(), area.topRight()))
        painter.setPen(ink)
        high = metrics.height()
        for share in (0, 1):
            y = area.bottom() - share * area.height()
            painter.drawText(
                QRectF(0, y - (high if not share else 4), area.left() - 4, high), RIGHT, f"{100 * share} %"
            )
        below = area.bottom() + 2
        painter.drawText(QRectF(area.left(), below, area.width(), high), Qt.AlignmentFlag.AlignLeft, "0 %")
        painter.drawText(QRectF(area.left(), below, area.width(), high), Qt.AlignmentFlag.AlignRight, "100 %")
        wide = max(area.width(), self.width() - area.left() - 4)
        painter.drawText(QRectF(area.left(), below + high, wide, high), Qt.AlignmentFlag.AlignLeft, "false positives →")
        with saved(painter):
            painter.translate(area.left() - 9, area.top() + 0.5 * area.height())
            painter.rotate(-90)
            half = 0.5 * area.height()
            painter.drawText(QRectF(-half, -high, 2 * half, high), Qt.AlignmentFlag.AlignHCenter, "true positives →")

    def _pen(self, place: int) -> QPen:
        assert self._shown is not None
        chosen = place == self._shown.judged
        pen = QPen(QColor(*(self._theme.accent if chosen else self._theme.ink)), CHOSEN if chosen else OTHER)
        if DASHES[place % len(DASHES)]:
            pen.setDashPattern(list(DASHES[place % len(DASHES)]))
        return pen

    def _paint_curve(self, painter: QPainter, place: int) -> None:
        assert self._shown is not None
        roc = self._shown.lanes[place].roc
        if roc is None:
            return
        x, y = self.spots(roc)
        # A pixel shows no more than its first and last place.
        column = np.round(2.0 * x) * 10_000 + np.round(2.0 * y)
        kept = np.flatnonzero(np.diff(column, append=np.nan) != 0)
        painter.setPen(self._pen(place))
        kept = np.concatenate(([0], kept))
        painter.drawPolyline([QPointF(a, b) for a, b in zip(x[kept].tolist(), y[kept].tolist(), strict=True)])

    def _paint_legend(self, painter: QPainter) -> None:
        assert self._shown is not None
        area = self.plot_area()
        rows = [(p, lane) for p, lane in enumerate(self._shown.lanes) if lane.roc is not None]
        texts = [f"{words.lane_title(p, lane)} {words.auc(lane.roc.auc)}" for p, lane in rows if lane.roc is not None]
        if not rows:
            painter.setPen(QColor(*self._theme.ink))
            painter.drawText(
                area.adjusted(8, 8, -8, -8), Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap, words.NO_ROC
            )
            return
        lines: list[tuple[QPen | None, str]] = [(None, "AUC")]
        lines += [(self._pen(place), text) for (place, _), text in zip(rows, texts, strict=True)]
        box = QRectF(area.topLeft(), legend_size(self.metrics(), ["AUC", *texts]))
        if area.right() + 8 + box.width() <= self.width():
            box.moveLeft(area.right() + 6)
        else:
            box.moveBottomRight(area.bottomRight() - QPointF(2, 2))
            plate(painter, box, self._theme)
        paint_legend(painter, box, lines, self._theme)

    def _paint_place(self, painter: QPainter) -> None:
        lane = self.lane
        if lane is None or lane.roc is None:
            return
        x, y = self.spots(lane.roc)
        theme = self._theme
        own = place_of(lane.roc, lane.own_threshold)
        painter.setPen(QPen(QColor(*theme.ink), 1.6))
        painter.setBrush(QColor(*theme.background))
        with saved(painter):
            painter.translate(x[own], y[own])
            painter.rotate(45)
            painter.drawRect(QRectF(-4, -4, 8, 8))
        at = QPointF(x[self.place], y[self.place])
        painter.setBrush(QColor(*theme.accent))
        painter.setPen(QPen(QColor(*theme.background), 2))
        painter.drawEllipse(at, 7, 7)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(QColor(*theme.ink), 1.4))
        painter.drawEllipse(at, 8, 8)
