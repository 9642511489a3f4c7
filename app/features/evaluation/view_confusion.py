"""ConfusionView: a confusion matrix, its cells shaded by their share of the row."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QSize

from app.core.number_format import counted
from app.engine.shading import RGB
from app.views.chart.axis import ChartAxis
from app.views.chart.chart import EDGE, Chart
from app.views.chart.marks import Cells, Line, Mark, Texts, class_symbols
from app.views.theme import Theme, mixed
from app.views.widgets.inputs import describe
from solver.core.arrays import Integers

from . import text as words
from .scene import Evaluation, LaneEvaluation

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
