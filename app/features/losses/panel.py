"""LossPanel: hinge and 0-1 loss as curves over y f, with every point of a study on them."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import signed
from app.core.points import MAX_CLASSES
from app.engine.run_state import RunState
from app.features.kkt import text as words
from app.scene.model import Scene
from app.views.charts.chart import Plot, legend_size, paint_columns, paint_legend, paint_rows, plate
from app.views.charts.linked_chart import Hover, LinkedChart
from app.views.plot.clouds import Cloud, size_for
from app.views.plot.symbols import draw
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.picture_beside_text import PictureBesideText
from app.views.widgets.roomy_label import RoomyLabel
from solver.core.arrays import Array, Indices
from solver.inspection.metrics import KKT_WORDS

#: Margins y f beyond these are counted, not drawn; the picture reaches at least from the first to the second of these.
FARTHEST, LEAST_RANGE = 6.0, (-1.5, 2.5)
#: Pixels from which the pointer finds a point.
REACH = 14.0
#: The tick of a point's 0-1 loss: half its length, and how far below the axis that of 0 stands.
TICK, BELOW = 4.0, 10.0


def x_range(margins: Array) -> tuple[float, float]:
    """What the picture shows of these margins: all of them within bounds, in half steps so that it rarely jumps."""
    low, high = float(margins.min()), float(margins.max())
    left = min(LEAST_RANGE[0], np.floor(2.0 * max(low, -FARTHEST)) / 2.0)
    right = max(LEAST_RANGE[1], np.ceil(2.0 * min(high, FARTHEST)) / 2.0)
    return max(float(left), -FARTHEST), min(float(right), FARTHEST)


class LossPicture(LinkedChart):
    """Curves and points."""

    def __init__(self, hover: Hover) -> None:
        super().__init__(hover)
        self.cloud = Cloud()
        self._margins: Array = np.empty(0)
        self._range = LEAST_RANGE
        self._shown_for: tuple[object, ...] = ()

    def sizeHint(self) -> QSize:
        return QSize(300, 240)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, round(4 * self.metrics().lineSpacing()) + 80)

    def _changed(self) -> None:
        self._shown_for = ()
        if self._study is not None and len(self._study.y):
            self._margins = words.margins_of(self._study)
            self._range = x_range(self._margins)

    # -- where things are ------------------------------------------------------------------------------------------

    def plot_area(self) -> QRectF:
        """The rectangle between the axes."""
        metrics = self.metrics()
        left, above = int(metrics.horizontalAdvance("00")) + 12, int(metrics.height()) + 12
        below = int(metrics.height() + BELOW + TICK) + 6
        return QRectF(left, above, max(self.width() - left - 12, 1), max(self.height() - above - below, 1))

    def plot(self) -> Plot:
        """The axes: margins y f to the right, losses upwards."""
        return Plot.over(self.plot_area(), self._range, (0.0, 1.0 - self._range[0]))

    def to_widget(self, margin: Array, loss: Array) -> tuple[Array, Array]:
        """Pixels of margins and losses; what lies beyond the picture stands at its edge."""
        return self.plot().places(margin, loss)

    def spots(self) -> tuple[Array, Array]:
        """Pixels of all points on the hinge curve."""
        return self.to_widget(self._margins, np.maximum(0.0, 1.0 - self._margins))

    def tick_spots(self) -> tuple[Array, Array]:
        """Pixels of the middles of their ticks at the 0-1 loss."""
        wrong = self._margins <= 0.0
        x, y = self.to_widget(self._margins, wrong.astype(np.float64))
        return x, np.where(wrong, y, y + BELOW)

    def order(self) -> Indices:
        return np.argsort(self._margins, kind="stable").astype(np.intp)

    def place_at(self, position: QPointF) -> int:
        if not len(self._margins):
            return -1
        squares = [(x - position.x()) ** 2 + (y - position.y()) ** 2 for x, y in (self.spots(), self.tick_spots())]
        nearest = np.minimum(*squares)
        place = int(nearest.argmin())
        return place if nearest[place] <= REACH**2 else -1

    # -- drawing ---------------------------------------------------------------------------------------------------

    def paint_study(self, painter: QPainter, run_state: RunState) -> None:
        plot = self.plot()
        self._paint_ground(painter, plot)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_curves(painter, plot, run_state)
        self._paint_ticks(painter, plot)
        self._paint_points(painter, plot.area, run_state)
        self._paint_edges(painter, plot)
        self._paint_legend(painter, plot, run_state)
        if self.place >= 0:
            self._paint_hovered(painter, run_state)

    def _paint_ground(self, painter: QPainter, plot: Plot) -> None:
        """Axes, the wrong side and the margin with their names."""
        theme, metrics, area = self._theme, self.metrics(), plot.area
        ink = QColor(*theme.ink)
        zero, one = (round(plot.x.place_one(margin)) + 0.5 for margin in (0.0, 1.0))
        painter.fillRect(QRectF(QPointF(area.left(), area.top()), QPointF(zero, area.bottom())), QColor(*theme.ink, 34))
        painter.fillRect(QRectF(QPointF(zero, area.top()), QPointF(one, area.bottom())), QColor(*theme.ink, 16))
        left, right = self._range
        every = max(1, int(np.ceil(1.6 * metrics.horizontalAdvance("-0") * (right - left) / area.width())))
        margins = [each for each in range(int(np.ceil(left)), int(np.floor(right)) + 1) if each % every == 0]
        columns = [(plot.x.place_one(each), signed(str(each))) for each in margins]
        paint_columns(painter, area, columns, "y f", BELOW + TICK + 2, theme)
        tall = max(1, int(np.ceil(1.3 * metrics.height() * (1.0 - left) / area.height())))
        losses = range(0, int(1.0 - left) + 1, tall)
        rows = [(round(plot.y.place_one(each)) + 0.5, str(each)) for each in losses]
        paint_rows(painter, area, rows, theme, QPen(QColor(*theme.faint), 1, Qt.PenStyle.DotLine), beyond=3)
        for x in (zero, one):
            painter.setPen(QPen(ink, 1.3, Qt.PenStyle.SolidLine if x == zero else Qt.PenStyle.DashLine))
            painter.drawLine(QLineF(x, area.top() - 4, x, area.bottom()))
        baseline = 4 + metrics.ascent()
        long, far = metrics.horizontalAdvance("on the margin"), metrics.horizontalAdvance("wrong side")
        at = min(one - 6, self.width() - 6 - long)
        painter.setPen(ink)
        painter.drawText(QPointF(at, baseline), "on the margin")
        if zero - far >= 8 and zero + 4 <= at:
            painter.drawText(QPointF(zero - 4 - far, baseline), "wrong side")
        between = at - zero - metrics.horizontalAdvance("inside")
        if between > 12:
            painter.drawText(QPointF(zero + between / 2, baseline), "inside")

    def _pens(self, run_state: RunState) -> list[tuple[QPen, str]]:
        """Pens and formulas of the curves."""
        ink, accent = QColor(*self._theme.ink), QColor(*self._theme.accent)
        pens = [(QPen(ink, 2.2), "hinge: max(0, 1 − y f)"), (QPen(accent, 2.2), "0-1: 1 if y f ≤ 0, else 0")]
        if not run_state.trainer.has_margins:
            dashed = QPen(ink, 2.0)
            dashed.setDashPattern([3.0, 2.0])
            pens.append((dashed, f"{run_state.trainer.title.lower()}: max(0, −y f)"))
        return pens

    def _paint_curves(self, painter: QPainter, plot: Plot, run_state: RunState) -> None:
        left, right = self._range
        hinge, step, *own = [pen for pen, _ in self._pens(run_state)]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(step)
        painter.drawLines([plot.line(left, 1.0, 0.0, 1.0), plot.line(0.0, 0.0, right, 0.0)])
        for pen, knee in [*((pen, 0.0) for pen in own), (hinge, 1.0)]:
            painter.setPen(pen)
            painter.drawPolyline([plot.point(left, knee - left), plot.point(knee, 0.0), plot.point(right, 0.0)])
        # At y f = 0 it is the upper one of the two that counts.
        painter.setPen(QPen(step.color(), 1.6))
        for loss, ground in ((1.0, step.color()), (0.0, QColor(*self._theme.background))):
            painter.setBrush(ground)
            painter.drawEllipse(plot.point(0.0, loss), 3.0, 3.0)

    def _paint_ticks(self, painter: QPainter, plot: Plot) -> None:
        x, _ = self.tick_spots()
        # One for each pixel; several at one place look like one.
        lines, wrong = [], self._margins <= 0.0
        for mask, middle in ((~wrong, plot.y.place_one(0.0) + BELOW), (wrong, plot.y.place_one(1.0))):
            lines += [
                QLineF(at + 0.5, middle - TICK, at + 0.5, middle + TICK)
                for at in np.unique(x[mask].astype(np.intp)).tolist()
            ]
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        painter.setPen(QPen(QColor(*self._theme.accent), 1))
        painter.drawLines(lines)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def _paint_points(self, painter: QPainter, area: QRectF, run_state: RunState) -> None:
        ratio = self.devicePixelRatioF()
        left, right = self._range
        key = (run_state, area.getRect(), ratio)
        if key != self._shown_for:
            self._shown_for = key
            labels = run_state.points.labels[run_state.index].astype(np.intp)
            at = np.clip(self._margins, left, right)
            # All lie on one line: of a class, one for each pixel is all that can be seen.
            columns = max(int(area.width() * ratio), 1)
            pixel = ((at - left) * ((columns - 1) / (right - left))).astype(np.intp) * MAX_CLASSES + labels
            newest = np.full(columns * MAX_CLASSES, -1, dtype=np.intp)
            newest[pixel] = np.arange(len(at))
            drawn = newest[newest >= 0]
            self.cloud.show(np.column_stack((at, np.maximum(0.0, 1.0 - at)))[drawn], labels[drawn])
        painter.save()
        painter.scale(1.0 / ratio, 1.0 / ratio)
        pixels = QRectF(area.left() * ratio, area.top() * ratio, area.width() * ratio, area.height() * ratio)
        corners = QRectF(left, 0.0, right - left, 1.0 - left)
        self.cloud.paint(painter, corners, pixels, self._theme, size_for(len(self._margins)), ratio)
        painter.restore()

    def _paint_edges(self, painter: QPainter, plot: Plot) -> None:
        """How many points lie beyond the picture."""
        area, metrics, (left, right) = plot.area, self.metrics(), self._range
        beyond = (("left", self._margins < left), ("right", self._margins > right))
        for side, number in ((side, int(mask.sum())) for side, mask in beyond):
            if not number:
                continue
            text = words.beyond_words(number, side)
            room = plot.x.place_one(0.0) - area.left() if side == "left" else area.right() - plot.x.place_one(1.0)
            if metrics.horizontalAdvance(text) + 20 > room:
                text = text.partition(" ")[0]
            box = QRectF(0, 0, metrics.horizontalAdvance(text) + 20, metrics.height() + 2)
            box.moveBottom(area.bottom() - 10)
            tip, way = (area.left() + 2, 1) if side == "left" else (area.right() - 2, -1)
            box.moveLeft(tip) if way > 0 else box.moveRight(tip)
            plate(painter, box, self._theme)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(*self._theme.ink))
            y = box.center().y()
            painter.drawPolygon(
                QPolygonF([QPointF(tip, y), QPointF(tip + 9 * way, y - 5), QPointF(tip + 9 * way, y + 5)])
            )
            painter.setPen(QColor(*self._theme.ink))
            aligned = Qt.AlignmentFlag.AlignRight if way > 0 else Qt.AlignmentFlag.AlignLeft
            painter.drawText(box.adjusted(3, 0, -3, 0), aligned | Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_legend(self, painter: QPainter, plot: Plot, run_state: RunState) -> None:
        area, pens = plot.area, self._pens(run_state)
        box = QRectF(area.topLeft(), legend_size(self.metrics(), [text for _, text in pens]))
        box.moveTopRight(area.topRight() + QPointF(-2, 2))
        # Else there is no room beside the curve; the lines below say it, too.
        if box.left() >= plot.x.place_one(-0.5 * (1.0 - self._range[0])) and box.height() <= 0.5 * area.height():
            plate(painter, box, self._theme)
            paint_legend(painter, box, pens, self._theme)

    def _paint_hovered(self, painter: QPainter, run_state: RunState) -> None:
        """The point that stands out, joined with its tick."""
        (x,), (y,) = (each[[self.place]] for each in self.spots())
        (tick_x,), (tick_y,) = (each[[self.place]] for each in self.tick_spots())
        accent = QColor(*self._theme.accent)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(accent, 2, Qt.PenStyle.DotLine))
        painter.drawLine(QLineF(x, y, tick_x, tick_y))
        painter.setPen(QPen(accent, 3))
        painter.drawLine(QLineF(tick_x, tick_y - TICK - 2, tick_x, tick_y + TICK + 2))
        painter.setBrush(QColor(*self._theme.background))
        painter.setPen(QPen(accent, 2.5))
        painter.drawEllipse(QPointF(x, y), 10, 10)
        painter.translate(x, y)
        draw(painter, self._theme, str(int(run_state.points.labels[run_state.index[self.place]])))
        painter.translate(-x, -y)


class LossPanel(QWidget):
    """The picture, the losses in numbers, and the numbers of one point.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        describe(self, "loss", "Loss", "Hinge loss and 0-1 loss of the training points.")
        self.setToolTip("")
        self.picture = LossPicture(lambda point: controller.playback.hover(point))
        describe(
            self.picture,
            "loss.picture",
            "Losses over y f",
            "Each point at its y f and its hinge loss. Arrow keys go from point to point.",
        )
        self.picture.setToolTip("")
        longest = "y f = −0.00123, hinge loss max(0, 1 − y f) = 0.00123\n\n" + max(KKT_WORDS.values(), key=len)
        self._point = RoomyLabel("loss.point", longest)
        self._numbers = RoomyLabel(
            "loss.numbers",
            "\n".join(
                (
                    "Hinge loss: 1/n Σ max(0, 1 − y f) = 0.00123",
                    "0-1 loss: 1/n Σ [y f ≤ 0] = 10 000 / 10 000 = 99.9 %",
                    "Perceptron's loss: 1/n Σ max(0, −y f) = 0.00123",
                    "The hinge loss is an upper bound: it is never below the 0-1 loss.",
                )
            ),
        )
        self._spread = PictureBesideText("loss.message", self.picture, self._point, (self._numbers,))
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._spread)
        self.first_stop = self.picture

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the losses of the scene's study."""
        run_state = scene.run_state
        self._spread.show_plain("" if run_state is not None else scene.no_run or words.NO_STUDY)
        self.picture.show_study(run_state, scene.session.hovered, theme)
        if run_state is None or not len(run_state.y):
            return
        self._numbers.say("\n".join(words.loss_words(run_state)))
        hint = "Point at a point, or go from one to the next with ← and →."
        place = self.picture.place
        self._point.say("\n".join(words.point_words(run_state, place)) if place >= 0 else hint)
