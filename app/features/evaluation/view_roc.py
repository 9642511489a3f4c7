"""RocView: the ROC curves of all lanes; pointer and keys move the threshold of one of them along its curve."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent

from app.features.scores.scene import plain_lane
from app.views.chart.axis import of_shares
from app.views.chart.chart import Chart, goal_of, is_plain
from app.views.chart.marks import DASHES, DOTTED, Line, Mark, Scatter
from app.views.theme import Theme
from app.views.widgets.inputs import describe

from . import text as words
from .scene import Evaluation, LaneEvaluation, Threshold, index_of, threshold_at

#: Width of the chosen lane's curve and of the others (pixels).
CHOSEN, OTHER = 2.4, 1.4
RATE = of_shares(low=0.0)


class RocView(Chart):
    """Chart of the true positive rate against the false positive rate.

    Parameters
    ----------
    moved : callable
        ``moved(slot, threshold)`` is called when the user moves the threshold; None for the model's own.
    """

    sets = square = fixed = True
    least_height, preferred = (200, 5), (300, 0)

    def __init__(self, moved: Callable[[int, Threshold | None], None]) -> None:
        super().__init__(replace(RATE, title="false positives →"), replace(RATE, title="true positives ↑"))
        self._moved = moved
        self._shown: Evaluation | None = None
        self._sent: int | None = None  # index of the threshold sent to `moved` since the last scene
        describe(
            self,
            "evaluation.roc",
            "ROC curve",
            "Drag along the curve, or use ← and → (Page for longer ways), to move the threshold; Backspace takes it "
            "back to the model's own.",
        )

    def show_evaluation(self, evaluation: Evaluation, theme: Theme) -> None:
        """Show the curves."""
        if evaluation is self._shown and theme is self.theme:
            return
        self._shown, self._sent = evaluation, None
        lane = self.lane
        order = [p for p in range(len(evaluation.lanes)) if p != evaluation.judged] + [evaluation.judged]
        marks: list[Mark] = [Line(x=[0, 1], y=[0, 1], colour=theme.faint, width=1.0, dash=DOTTED)]
        marks += [_curve(evaluation, index, theme) for index in order if evaluation.lanes[index].roc is not None]
        if lane is not None and lane.roc is not None:
            own, here = index_of(lane.roc, lane.own_threshold), self.index
            x, y = lane.roc.fpr, lane.roc.tpr
            ink, background = theme.ink, theme.background
            marks += [
                Scatter(x=[x[own]], y=[y[own]], symbol="d", size=11.0, colour=background, edge=ink, edge_width=1.6),
                Scatter(x=[x[here]], y=[y[here]], size=17.0, colour=background, edge=ink, edge_width=1.4),
                Scatter(x=[x[here]], y=[y[here]], size=12.0, colour=theme.accent),
            ]
        self.show_marks(marks, theme, message="" if len(marks) > 1 else words.NO_ROC)
        self.setAccessibleDescription("" if lane is None else words.threshold_words(evaluation, lane))

    @property
    def lane(self) -> LaneEvaluation | None:
        """The chosen lane if it has a curve."""
        if self._shown is None or not self._shown.lanes:
            return None
        lane = self._shown.lanes[self._shown.judged]
        return lane if lane.roc is not None else None

    # -- the user --------------------------------------------------------------------------------------------------

    def _go(self, index: int) -> None:
        lane = self.lane
        if lane is not None and lane.roc is not None:
            index = min(max(index, 0), len(lane.roc.thresholds) - 1)
            if index != self._heading:
                self._sent = index
                self._moved(lane.slot, Threshold(threshold_at(lane.roc, index), plain_lane(lane.lane)))

    @property
    def index(self) -> int:
        """Index of the threshold on the chosen curve."""
        lane = self.lane
        return -1 if lane is None or lane.roc is None else index_of(lane.roc, lane.threshold)

    @property
    def _heading(self) -> int:
        """Index of the newest threshold, which may not be drawn yet."""
        return self.index if self._sent is None else self._sent

    def put(self, position: QPointF) -> None:
        lane = self.lane
        if lane is not None and lane.roc is not None:
            x, y = self.pixels(lane.roc.fpr, lane.roc.tpr)
            self._go(int(((x - position.x()) ** 2 + (y - position.y()) ** 2).argmin()))

    def takes(self, event: QKeyEvent) -> bool:
        # The window uses Home, End and Backspace, too; here they move the threshold.
        return super().takes(event) or event.key() == Qt.Key.Key_Backspace

    def keyPressEvent(self, event: QKeyEvent) -> None:
        lane = self.lane
        last = -1 if lane is None or lane.roc is None else len(lane.roc.thresholds) - 1
        page = max(1, round(0.1 * last))
        goal = goal_of(event.key(), self._heading, 0, last, page, upright=True) if is_plain(event) else None
        if lane is not None and goal is not None:
            self._go(goal)
        elif lane is not None and event.key() == Qt.Key.Key_Backspace:
            self._sent = None
            self._moved(lane.slot, None)
        else:
            super().keyPressEvent(event)


def _curve(evaluation: Evaluation, index: int, theme: Theme) -> Line:
    lane, chosen = evaluation.lanes[index], index == evaluation.judged
    assert lane.roc is not None
    return Line(
        x=lane.roc.fpr,
        y=lane.roc.tpr,
        colour=theme.accent if chosen else theme.ink,
        width=CHOSEN if chosen else OTHER,
        dash=DASHES[index % 4],
        name=words.lane_title(index, lane),
        value=f"AUC {words.auc(lane.roc.auc)}",
    )
