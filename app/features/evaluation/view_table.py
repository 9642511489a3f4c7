"""EvaluationTable: the scores of all lanes side by side, a column for each."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QSizePolicy, QWidget

from app.state.document import MAX_LANES
from app.views.widgets.form_fields import describe

from . import text as words
from .scene import Evaluation, LaneEvaluation

#: Name, title and sentence of each row.
ROWS = (
    ("test", "Test accuracy", "Share of the test points that are called rightly."),
    ("training", "Training accuracy", "Share of the points it was trained on that are called rightly."),
    ("balanced", "Balanced accuracy", "Mean recall of the classes of the test points: each class counts the same."),
    ("auc", "AUC", "Area under the ROC curve: how often a point of the second class scores above one of the first."),
    ("validated", "Cross-validation", "Mean accuracy of the folds ± their standard deviation."),
)


class EvaluationTable(QWidget):
    """One label for each number, so that those who listen can go from one to the next."""

    def __init__(self) -> None:
        super().__init__()
        describe(self, "evaluation.table", "Scores of all classifiers", "")
        grid = self._grid = QGridLayout(self)
        grid.setContentsMargins(0, 2, 0, 2)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(0, 2)
        self._heads = [self._label(f"evaluation.lane{place}", grid, 0, place + 1) for place in range(MAX_LANES)]
        self._cells: dict[str, list[QLabel]] = {}
        self._titles: dict[str, QLabel] = {}
        for row, (name, title, sentence) in enumerate(ROWS, 1):
            head = self._titles[name] = QLabel(title)
            head.setToolTip(sentence)
            head.setWordWrap(True)
            grid.addWidget(head, row, 0)
            self._cells[name] = [
                self._label(f"evaluation.{name}{place}", grid, row, place + 1) for place in range(MAX_LANES)
            ]
        for place in range(MAX_LANES):
            font = self._heads[place].font()
            font.setBold(True)
            self._heads[place].setFont(font)

    @staticmethod
    def _label(name: str, grid: QGridLayout, row: int, column: int) -> QLabel:
        label = QLabel()
        label.setObjectName(name)
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        grid.addWidget(label, row, column)
        return label

    def show_evaluation(self, evaluation: Evaluation) -> None:
        """Show the numbers; only what has changed is touched."""
        several = len(evaluation.lanes) > 2
        for place in range(MAX_LANES):
            here = place < len(evaluation.lanes)
            self._grid.setColumnStretch(place + 1, int(here))
            for label in (self._heads[place], *(cells[place] for cells in self._cells.values())):
                if label.isHidden() == here:
                    label.setVisible(here)
            if here:
                self._show_lane(evaluation, place, evaluation.lanes[place], several)
        validating = evaluation.validation.kind != "none"
        for label in (self._titles["validated"], *self._cells["validated"][: len(evaluation.lanes)]):
            if label.isHidden() == validating:
                label.setVisible(validating)
        title = "Leave-one-out" if evaluation.validation.kind == "leave-one-out" else f"{evaluation.validation.k} folds"
        _say(self._titles["validated"], title)
        with_curves = any(lane.roc is not None for lane in evaluation.lanes)
        for label in (self._titles["auc"], *self._cells["auc"][: len(evaluation.lanes)]):
            if label.isHidden() == with_curves:
                label.setVisible(with_curves)

    def _show_lane(self, evaluation: Evaluation, place: int, lane: LaneEvaluation, several: bool) -> None:
        head = words.lane_title(place, lane)
        _say(self._heads[place], head.replace(" ", "\n", 1) if several else head)
        self._heads[place].setToolTip(lane.name)
        texts = {
            "test": words.share(lane.accuracy, lane.stale),
            "training": words.share(lane.training, lane.stale),
            "balanced": words.share(lane.balanced, lane.stale),
            "auc": words.DASH if lane.roc is None else f"{words.auc(lane.roc.auc)}{'…' if lane.stale else ''}",
            "validated": words.validated_cell(lane),
        }
        for name, title, sentence in ROWS:
            cell = self._cells[name][place]
            _say(cell, texts[name])
            cell.setAccessibleName(f"{title} of {head}: {texts[name]}")
            more = words.STALE if lane.stale and name != "validated" else ""
            cell.setToolTip(words.validated_words(lane) or sentence if name == "validated" else more or sentence)


def _say(label: QLabel, text: str) -> None:
    if label.text() != text:
        label.setText(text)
