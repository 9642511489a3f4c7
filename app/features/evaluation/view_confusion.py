"""ConfusionView: a confusion matrix, with precision, recall and F1 of each class below it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from app.core.number_format import counted
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.painted import LEFT, Painted

from . import text as words
from .scene import Evaluation, LaneEvaluation

#: Pixels of a class's symbol, and opacity of the fullest cell, of 255.
SYMBOL, FULLEST = 18, 150
CENTRE = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignVCenter


class ConfusionView(Painted):
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
