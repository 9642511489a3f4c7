"""StepPanel: why SMO takes the pair it takes, and what the step does: words, the box, the gain, the candidates."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import grouped
from app.core.points import Points
from app.engine.run_state import RunState
from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.scrolling_form import ScrollingForm
from solver.inspection.step_explanation import Explanation
from solver.svm.working_set_candidates import Ranking

from . import text as words
from .view_box import BoxView
from .view_gain import GainView
from .view_ranking import RankingView, Strip
from .view_text import Paragraph, TextView

LARGE = 1.25
#: From this many lines of text in width on, everything stands side by side; in a low panel from fewer on.
WIDE, WIDE_AND_LOW = 56.0, 36.0
#: From so many on, box and gain stand beside the candidates, if the panel is not much taller than wide.
MIDDLING, NOT_TALL = 28.0, 1.35
#: In a panel lower than this, the sentences about the candidates are left to the tooltips of the bars.
ROOMY = 20.0
#: Least height of box and gain when they stand below one another, as a share of the width.
TALL_BOX, TALL_GAIN = 0.58, 0.54


class StepPanel(QWidget):
    """The next step of the run that is studied, or at its end the last.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        describe(self, "step", "Step", words.TEACHING)
        self.setToolTip("")
        self._shown: tuple[RunState | None, Explanation | None, Theme, Points, str] | None = None
        self._teaching = words.TEACHING
        self._strips: tuple[Strip, Strip] | None = None
        self._run = -1
        self._columns = 0
        self._any = False  # there are pictures
        self._words, self._because = TextView(), TextView()
        self._box, self._gain = BoxView(), GainView()
        self._first = RankingView("step.first", self._hover)
        self._second = RankingView("step.second", self._hover)
        describe(self._words, "step.words", "Why this pair", "")
        describe(self._because, "step.because", "How the pair was found", "")
        self._form = QWidget()
        self._grid = QGridLayout(self._form)
        self._grid.setContentsMargins(10, 8, 10, 8)
        self._grid.setVerticalSpacing(10)
        self._grid.setHorizontalSpacing(14)
        self._candidates = QWidget()
        self._beside = QGridLayout(self._candidates)
        self._beside.setContentsMargins(0, 0, 0, 0)
        self._beside.setHorizontalSpacing(12)
        self._pictures = (self._box, self._gain, self._candidates, self._because)
        scrolling = ScrollingForm(self._form)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(scrolling)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(max(hint.width(), 240), hint.height())

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._arrange()

    # -- layout ----------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """As many columns as there is width for: three pictures, or box over gain and the candidates, or one."""
        line = self._box.line()
        low = self.height() < ROOMY * line
        if self.width() >= (WIDE_AND_LOW if low else WIDE) * line:
            columns = 3
        else:
            columns = 2 if self.width() >= max(MIDDLING * line, self.height() / NOT_TALL) else 1
        wide = columns == 3
        for picture in self._pictures:
            picture.setVisible(self._any)
        if wide and low:
            self._because.hide()  # the bars' tooltips tell it
        grid = self._grid
        share = (1.0, 0.45, 0.0)[columns - 1]  # of the width, for the pictures
        self._box.keep(round(TALL_BOX * share * self.width()))
        self._gain.keep(round(TALL_GAIN * share * self.width()))
        if columns == self._columns:
            return
        self._columns = columns
        for widget in (self._words, *self._pictures):
            grid.removeWidget(widget)
        for row in range(5):
            grid.setRowStretch(row, 0)
        for column, stretch in enumerate(((1, 0, 0), (3, 2, 0), (6, 5, 6))[columns - 1]):
            grid.setColumnStretch(column, stretch)
        self._beside.removeWidget(self._second)
        self._beside.addWidget(self._first, 0, 0)
        self._beside.addWidget(self._second, *((1, 0) if columns == 2 else (0, 1)))
        for place, stretch in enumerate((1, 0) if columns == 2 else (1, 1)):
            self._beside.setColumnStretch(place, stretch)
        if columns == 2:
            grid.addWidget(self._words, 0, 0, 1, 2)
            grid.addWidget(self._box, 1, 0)
            grid.addWidget(self._gain, 2, 0)
            grid.addWidget(self._candidates, 1, 1, 2, 1)
            grid.addWidget(self._because, 3, 0, 1, 2)
            grid.setRowStretch(1, 6)
            grid.setRowStretch(2, 5)
        elif wide:
            grid.addWidget(self._words, 0, 0, 1, 3)
            for column, picture in enumerate(self._pictures[:3]):
                grid.addWidget(picture, 1, column)
            grid.addWidget(self._because, 2, 0, 1, 3)
            grid.setRowStretch(1, 1)
        else:
            grid.addWidget(self._words, 0, 0)
            for row, picture in enumerate(self._pictures):
                grid.addWidget(picture, row + 1, 0)
                grid.setRowStretch(row + 1, (3, 2, 4, 0)[row])

    # -- the scene ---------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the step of the scene's study."""
        run_state, points = scene.run_state, scene.points
        self._teaching = scene.no_run or words.TEACHING
        step = None if run_state is None else run_state.explanation
        hovered = scene.session.hovered
        shown = run_state, step, theme, points, self._teaching
        if self._shown is None or any(new is not old for new, old in zip(shown, self._shown, strict=True)):
            anew = self._shown is None or step is not self._shown[1] or points is not self._shown[3]
            self._shown = shown
            self._show_words(run_state, step, points, theme)
            if step is not None and run_state is not None:
                self._show_pictures(run_state, step, points, theme, anew)
            else:
                self._show_nothing(theme)
            # At the end it takes a moment until the last step is known: their places are kept meanwhile.
            kept = step is not None or (run_state is not None and run_state.trainer.has_rules and run_state.length > 0)
            if kept is not self._any:
                self._any = kept
                self._arrange()
        if step is not None and self._strips is not None:
            self._first.show_strip(self._strips[0], hovered, theme)
            self._second.show_strip(self._strips[1], hovered, theme)

    def _show_words(self, run_state: RunState | None, step: Explanation | None, points: Points, theme: Theme) -> None:
        if run_state is None:
            self._words.show_text((Paragraph(self._teaching, LARGE),), theme)
            self.setAccessibleDescription(self._teaching)
            return
        paragraphs = [
            Paragraph(words.heading(run_state, step), LARGE, bold=True),
            Paragraph(words.sentence(run_state), LARGE, goes_on=True),
        ]
        names = ""
        if step is not None:
            pair = (step.i, step.j)
            at = run_state.index[list(pair)]
            rows, labels = points.rows_of(run_state.points.ids[at]), run_state.points.labels[at]
            said = [f"{name} = {called(row)}" for name, row in zip("ij", rows, strict=True)]
            names = ", ".join(said)
            paragraphs += [
                Paragraph(text, bold=True, symbol=int(label), goes_on=place > 0)
                for place, (text, label) in enumerate(zip(said, labels, strict=True))
            ]
            paragraphs.append(Paragraph(step.effect, goes_on=True))
        if closing := words.closing(run_state):
            paragraphs.append(Paragraph(closing, bold=True))
        if run_state.recording != self._run:  # as high as its texts, until another run begins
            self._run = run_state.recording
            self._words.release()
            self._because.release()
        self._words.show_text(tuple(paragraph for paragraph in paragraphs if paragraph.text), theme)
        self.setAccessibleDescription(words.told(run_state, names))

    def _show_pictures(self, run_state: RunState, step: Explanation, points: Points, theme: Theme, anew: bool) -> None:
        label_i, label_j = (int(label) for label in run_state.points.labels[run_state.index[[step.i, step.j]]])
        self._box.show_classes((label_i, label_j))
        self._box.show_step(step, theme)
        self._gain.show_step(step, theme)
        self._because.show_text((Paragraph(step.first.sentence), Paragraph(step.second.sentence, goes_on=True)), theme)
        if anew or self._strips is None:
            self._strips = strip_of(run_state, step.first, points), strip_of(run_state, step.second, points)

    def _show_nothing(self, theme: Theme) -> None:
        self._strips = None
        self._box.show_step(None, theme)
        self._gain.show_step(None, theme)
        self._because.show_text((), theme)
        self._first.clear()
        self._second.clear()

    def _hover(self, point: int | None) -> None:
        self._controller.playback.hover(point)


def called(row: int) -> str:
    """ "point 12", by its row in the table; a point that is gone has none."""
    return f"point {grouped(row)}" if row else "a point that is gone"


def strip_of(run_state: RunState, ranking: Ranking, points: Points) -> Strip:
    """`ranking`, with who its candidates are."""
    at = run_state.index[ranking.candidates]
    ids, labels = run_state.points.ids[at], run_state.points.labels[at]
    return Strip(ranking, tuple(ids.tolist()), tuple(labels.tolist()), tuple(points.rows_of(ids)))
