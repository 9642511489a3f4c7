"""EvaluationPanel: test points, scores of all lanes, cross-validation, confusion matrix, ROC curve and threshold."""

from __future__ import annotations

from html import escape

import numpy as np
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import counted
from app.engine.shading import RGB
from app.scene.model import Scene
from app.scene.text import TIE_RULE, copies_words
from app.state.document import MAX_LANES
from app.state.split import FEWEST_FOLDS, LEAST_RATIO, MOST_FOLDS, MOST_RATIO, MOST_SEED
from app.views.chart.axis import ChartAxis
from app.views.chart.chart import EDGE, Chart
from app.views.chart.marks import Cells, Line, Mark, Texts, class_symbols
from app.views.theme import Theme, mixed
from app.views.widgets.boxes import grid_on, headed, in_column, in_row
from app.views.widgets.clickable import chooser, clickable, number_box
from app.views.widgets.inputs import Gestures, describe, filled, label_for, named, show_choice, show_number, show_text
from app.views.widgets.painting import bold
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm
from app.views.widgets.slider import Slider
from solver.core.arrays import Integers

from . import text as words
from .controller import EvaluationController
from .scene import Evaluation, LaneEvaluation
from .view_roc import RocView

#: Size of a class's symbol (pixels).
SYMBOL = 13.0
#: Share of the accent colour in the fullest cell; share of the width for the symbols beside the cells.
FULLEST, BESIDE = 0.58, 0.1
#: Corners of a cell's frame, relative to its middle.
FRAME_X, FRAME_Y = 0.5 * np.array([[-1, 1, 1, -1, -1, np.nan], [-1, -1, 1, 1, -1, np.nan]])


class ConfusionView(Chart):
    """Chart of the matrix: rows are true classes, columns predicted ones."""

    fixed, short = True, 0.0

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[LaneEvaluation, tuple[str, ...], Theme] | None = None
        self._rows = 0
        describe(self, "evaluation.confusion", "Confusion matrix", "")

    def minimumSizeHint(self) -> QSize:
        line = self.metrics().lineSpacing()
        row = max(1.45 * line, 22.0)  # each has room for its name
        return QSize(200, round((self._rows + 1) * row + 3.4 * line + 2 * EDGE + 6) if self._rows else 0)

    def show_lane(self, evaluation: Evaluation, lane: LaneEvaluation, theme: Theme) -> None:
        """Show the matrix of one lane."""
        shown = lane, evaluation.class_names, theme
        if shown == self._shown:
            return
        self._shown = shown
        self.setAccessibleDescription(words.matrix_words(evaluation, lane))
        classes = () if lane.scores is None or lane.confusion is None else lane.scores.classes
        self._rows = n = len(classes)
        if lane.confusion is None or not n:
            self.show_marks((), theme)
            return
        counts = lane.confusion[::-1]  # the first class is the highest row
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1e-300)
        grounds = [[mixed(theme.accent, theme.background, FULLEST * share) for share in row] for row in shares.tolist()]
        pixels = np.array(grounds, dtype=np.uint32) @ np.array([1 << 16, 1 << 8, 1], dtype=np.uint32) | 0xFF000000
        y, x = np.divmod(np.arange(n * n), n)
        right, left, below = x == n - 1 - y, -0.5 - 0.5 * BESIDE * n, -1.0
        marks: list[Mark] = [
            Cells(pixels=pixels.astype(np.uint32), values=counts),
            _frames(x[~right], y[~right], theme.faint, 0.6),
            # Right answers differ not only in shade.
            _frames(x[right], y[right], theme.ink, 2.0),
            Texts(x=x.tolist(), y=y.tolist(), texts=[*map(counted, counts.ravel().tolist())], colour=theme.ink),
            *(class_symbols(theme, c, [k, left], [below, n - 1 - k], SYMBOL) for k, c in enumerate(classes)),
        ]
        names = tuple(evaluation.class_names[label] for label in classes)
        end = n - 0.5 + 0.01 * n  # with room for the frames
        across = ChartAxis("predicted", names=names, low=-0.5 - BESIDE * n, high=end)
        self.show_marks(marks, theme, across, ChartAxis("true", names=names[::-1], low=-1.5, high=end))


def _frames(x: Integers, y: Integers, colour: RGB, width: float) -> Line:
    """Return the frames of the cells with these middles."""
    across, up = np.add.outer(x, FRAME_X).ravel(), np.add.outer(y, FRAME_Y).ravel()
    return Line(x=across, y=up, colour=colour, width=width, read=False)


#: Name and explanation of each row; `text.titles` has the titles.
ROWS = (
    ("test", f"Share of points that it was not trained on that are classified rightly. {TIE_RULE}"),
    ("training", f"Share of the points it was trained on that are classified rightly. {TIE_RULE}"),
    ("balanced", "Mean recall of the classes of these points: each class counts the same."),
    ("auc", "Area under the ROC curve: how often a point of the second class scores above one of the first."),
    ("validated", "Mean accuracy of the folds ± their standard deviation: each fold is left out and then predicted."),
)


class EvaluationTable(QWidget):
    """A table of one label per number, so that a screen reader can go from one to the next."""

    def __init__(self) -> None:
        super().__init__()
        describe(self, "evaluation.table", "Scores of all classifiers", "")
        grid = self._grid = grid_on(self, (0, 2, 0, 2), across=6, down=3)
        grid.setColumnStretch(0, 2)
        self._heads = self._labels("lane", 0)
        for head in self._heads:
            head.setFont(bold(head.font()))
        self._cells: dict[str, list[QLabel]] = {}
        self._titles: dict[str, QLabel] = {}
        for row, (name, sentence) in enumerate(ROWS, 1):
            title = self._titles[name] = named(QLabel(wordWrap=True), f"evaluation.{name}")
            title.setToolTip(sentence)
            grid.addWidget(title, row, 0)
            self._cells[name] = self._labels(name, row)  # after its title, in reading order

    def _labels(self, name: str, row: int) -> list[QLabel]:
        """Return a label for each lane."""
        right, plain = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, Qt.TextFormat.PlainText
        labels = [
            named(QLabel(textFormat=plain, alignment=right), f"evaluation.{name}{index}") for index in range(MAX_LANES)
        ]
        for column, label in enumerate(labels, 1):
            self._grid.addWidget(label, row, column)
        return labels

    def show_evaluation(self, evaluation: Evaluation) -> None:
        """Show the numbers; only labels that have changed are touched."""
        lanes = evaluation.lanes
        for index, head in enumerate(self._heads):
            self._grid.setColumnStretch(index + 1, int(index < len(lanes)))
            head.setVisible(index < len(lanes))
            if index < len(lanes):
                self._show_lane(evaluation, index, lanes[index], len(lanes) > 2)
        visible = {
            "validated": evaluation.validation.kind != "none",
            "auc": any(lane.roc is not None for lane in lanes),
        }
        for name, title in words.titles(evaluation).items():
            show_text(self._titles[name], title)
            self._titles[name].setVisible(visible.get(name, True))
            for index, cell in enumerate(self._cells[name]):
                cell.setVisible(index < len(lanes) and visible.get(name, True))

    def _show_lane(self, evaluation: Evaluation, index: int, lane: LaneEvaluation, several: bool) -> None:
        head = words.lane_title(index, lane)
        show_text(self._heads[index], head.replace(" ", "\n", 1) if several else head)
        self._heads[index].setToolTip(lane.name)
        texts = {
            "test": words.share(lane.accuracy, lane.stale),
            "training": words.share(lane.training, lane.stale),
            "balanced": words.share(lane.balanced, lane.stale),
            "auc": words.DASH if lane.roc is None else f"{words.auc(lane.roc.auc)}{'…' if lane.stale else ''}",
            "validated": words.validated_cell(lane),
        }
        titles = words.titles(evaluation)
        for name, sentence in ROWS:
            cell = self._cells[name][index]
            show_text(cell, texts[name])
            cell.setAccessibleName(f"{titles[name]} of {head}: {texts[name]}")
            more = words.validated_words(lane) if name == "validated" else words.STALE if lane.stale else ""
            cell.setToolTip(more or sentence)


SPLITS = (("None", "none"), ("A share of each class", "ratio"), ("Painted by hand (N)", "painted"))
VALIDATIONS = (("Off", "none"), ("k folds", "folds"), ("Leave one out", "leave-one-out"))


class EvaluationPanel(QWidget):
    """The evaluation in the scene; the panel keeps no state of its own.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._split_controller = controller.splitting
        self._evaluation = controller.feature(EvaluationController)
        self._shown: tuple[Evaluation, Theme] | None = None
        tip = "The classifiers on points they were not trained on."
        describe(self, "evaluation", "Evaluation", tip, hover=False)
        inner = in_column(self._split_box(), self._scores_box(), self._lane_box(), 1, margins=(8, 6, 8, 6))
        for spin in (self._seed, self._k, self._fold_seed):
            spin.refused.connect(controller.say)
        filled(QVBoxLayout(self), ScrollingForm(inner), margins=0)
        self.first_stop = self._split

    def sizeHint(self) -> QSize:
        return QSize(380, 640)

    # -- parts -----------------------------------------------------------------------------------------------------

    def _split_box(self) -> QWidget:
        self._split = chooser(
            "evaluation.split",
            "Test points",
            "Which points are kept back: nothing is trained on them.",
            self._split_controller.choose,
            SPLITS,
        )
        self._ratio = describe(
            Slider(), "evaluation.ratio", "Share of test points", "Percentage of each class that is kept back."
        )
        self._ratio.setRange(round(100 * LEAST_RATIO), round(100 * MOST_RATIO))
        gestures = Gestures(self)
        gestures.watch(self._ratio)
        self._ratio.valueChanged.connect(
            lambda value: self._split_controller.set_ratio(value / 100.0, ("split", gestures.count))
        )
        self._percent = QLabel()
        tip, choose = "Another seed chooses other points.", self._split_controller.set_seed
        self._seed = number_box("evaluation.seed", "Seed of the split", tip, choose, 0, MOST_SEED)
        self._drawing = in_row((self._ratio, 1), self._percent, label_for("Seed", self._seed), self._seed)
        self._counts_label = RoomyLabel("evaluation.counts", title="How many points are kept back", rich=True)
        return headed("Test points", self._split, self._drawing, self._counts_label)

    def _scores_box(self) -> QWidget:
        self._table = EvaluationTable()
        self._validation = chooser(
            "evaluation.validation",
            "Cross-validation",
            "Without test points: train on all folds but one and test on that one, each in turn.",
            lambda kind: self._evaluation.validate(kind=kind),
            VALIDATIONS,
        )
        self._k = number_box(
            "evaluation.k",
            "Folds k",
            "The number of parts that the points are split into.",
            lambda value: self._evaluation.validate(k=value),
            FEWEST_FOLDS,
            MOST_FOLDS,
        )
        self._fold_seed = number_box(
            "evaluation.fold_seed",
            "Seed of the folds",
            "Another seed splits them differently.",
            lambda value: self._evaluation.validate(seed=value),
            0,
            MOST_SEED,
        )
        of_k, of_seed = label_for("k", self._k), label_for("Seed", self._fold_seed)
        self._folds = in_row(of_k, (self._k, 1), of_seed, (self._fold_seed, 1))
        self._remarks = RoomyLabel("evaluation.remarks", title="More about the scores", rich=True, hides=True)
        kind = filled(QHBoxLayout(), label_for("Cross-validation", self._validation), (self._validation, 1))
        return headed("Scores", self._table, kind, self._folds, self._remarks)

    def _lane_box(self) -> QWidget:
        self._confusion = ConfusionView()
        self._class_scores = RoomyLabel("evaluation.class_scores", title="Scores of the classes", rich=True)
        self._undefined = RoomyLabel("evaluation.undefined", title="Scores that are not defined", rich=True, hides=True)
        self._roc = RocView(self._evaluation.set_threshold)
        self._threshold = RoomyLabel("evaluation.threshold", title="The threshold", rich=True)
        self._rates = RoomyLabel("evaluation.rates", title="Rates at the threshold", rich=True)
        self._own = clickable(
            QPushButton("Back to the model's own threshold"),
            "evaluation.own",
            "The model's own threshold",
            "f = 0, or half of the votes (Backspace).",
            self._take_back,
        )
        self._lane = headed(
            "", self._roc, self._threshold, self._own, self._rates, self._confusion, self._class_scores, self._undefined
        )
        return self._lane

    # -- the user --------------------------------------------------------------------------------------------------

    def _take_back(self) -> None:
        if self._shown is not None:
            evaluation = self._shown[0]
            self._evaluation.set_threshold(evaluation.lanes[evaluation.judged].slot, None)

    # -- what is shown ---------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the evaluation of the scene."""
        evaluation = scene.feature(Evaluation)
        if evaluation is None or self._shown == (evaluation, theme):
            return
        self._shown = evaluation, theme
        split, validation = evaluation.split, evaluation.validation
        show_choice(self._split, split.kind)
        self._drawing.setVisible(split.kind == "ratio")
        show_number(self._ratio, round(100 * split.ratio))
        self._percent.setText(f"{split.ratio:.0%}".replace("%", " %"))
        show_number(self._seed, split.seed)
        self._counts_label.say(words.unbroken(words.split_words(evaluation)))
        self._table.show_evaluation(evaluation)
        show_choice(self._validation, validation.kind)
        self._folds.setVisible(validation.kind == "folds")
        show_number(self._k, validation.k)
        show_number(self._fold_seed, validation.seed)
        self._say_remarks(evaluation)
        self._show_lane(evaluation, theme)

    def _say_remarks(self, evaluation: Evaluation) -> None:
        remarks = [words.STALE] if any(lane.stale for lane in evaluation.lanes) else []
        training = any(lane.state == "training" for lane in evaluation.lanes)
        if training and any(lane.scores is None or lane.stale or lane.validating for lane in evaluation.lanes):
            remarks = [words.WAITING]
        remarks += [
            f"{words.lane_title(index, lane)}: {sentence}"
            for index, lane in enumerate(evaluation.lanes)
            for sentence in (words.state_words(lane.state), words.moved_words(lane), words.validated_words(lane))
            if sentence
        ]
        if not training and not any(lane.validating for lane in evaluation.lanes):
            self._remarks.forget()  # while folds are running, keep the room so that nothing moves
        self._remarks.say(
            "<br>".join(
                words.unbroken(each)
                for each in (copies_words(evaluation.n_copies, evaluation.n_test), *remarks)
                if each
            )
        )

    def _show_lane(self, evaluation: Evaluation, theme: Theme) -> None:
        lane = evaluation.lanes[evaluation.judged]
        self._lane.setVisible(bool(evaluation.measured))
        if not evaluation.measured:
            return
        self._lane.setTitle(f"{words.lane_title(evaluation.judged, lane)}, on {evaluation.measured}")
        self._confusion.show_lane(evaluation, lane, theme)
        table = words.class_scores(evaluation, lane)
        self._class_scores.say(table, keep=False)
        remarks = [words.UNDEFINED] if f">{words.UNDEFINED_SCORE}<" in table else []
        remarks += [words.TIES] if lane.scores is not None and len(lane.scores.tied) and not lane.moved else []
        self._undefined.say(escape("  ".join(remarks)))
        self._roc.show_evaluation(evaluation, theme)
        any_curve = any(each.roc is not None for each in evaluation.lanes)
        self._roc.setVisible(any_curve)
        self._threshold.say(words.unbroken(words.threshold_words(evaluation, lane)))
        self._rates.say(words.unbroken(words.roc_words(evaluation, lane)))
        self._own.setVisible(lane.roc is not None)
        if not lane.moved and self._own.hasFocus():  # Qt moves the focus of a disabled button anywhere
            self._roc.setFocus()
        self._own.setEnabled(lane.moved)
