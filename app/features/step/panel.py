"""StepPanel: why SMO chooses its pair, and what the step does: sentences, box, gain and candidates."""

from __future__ import annotations

import math

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF
from PySide6.QtWidgets import QVBoxLayout

from app.controllers.controller import Controller
from app.core.number_format import grouped
from app.core.points import Points
from app.engine.run_state import RunState
from app.scene.model import Scene
from app.views.chart.axis import ChartAxis
from app.views.chart.chart import EDGE, Chart
from app.views.chart.marks import DASHED, DOTTED, SOLID, Dash, LevelLine, Line, Mark, Region, Scatter, Texts
from app.views.theme import LARGE, LIGHT, Theme
from app.views.widgets.boxes import in_column, in_row
from app.views.widgets.fitted import FittedWidget
from app.views.widgets.inputs import describe, filled
from app.views.widgets.scrolling_form import ScrollingForm
from solver.inspection.step_explanation import Explanation
from solver.svm.working_set_candidates import Ranking

from . import text as words
from .geometry import StepGain, gain_of
from .view_box import BoxView
from .view_drawing import Paragraph, TextView
from .view_ranking import RankedPoints, RankingView

#: Minimum height (lines) of the picture.
LINES = 6.0


class GainChart(Chart):
    """The parabola."""

    def __init__(self) -> None:
        super().__init__()
        self._step: Explanation | None = None

    def minimumSizeHint(self) -> QSize:
        return QSize(120, math.ceil(LINES * self.metrics().height()))

    def named(self) -> list[Mark]:
        return []  # the legend above the box explains the signs

    def right_of(self, metrics: QFontMetricsF) -> float:
        return EDGE

    def show_step(self, step: Explanation | None, theme: Theme) -> None:
        """Show the gain of `step`."""
        self._step, self.theme = step, theme
        if step is None:
            return
        gain = gain_of(step)
        low, high = max(gain.left, -step.back), min(gain.right, step.longest)
        at, texts = zip(*words.ticks(step, gain), strict=True)
        marks: list[Mark] = [
            Region(low=begin, high=end, colour=theme.faint, opacity=130, pattern=Qt.BrushStyle.BDiagPattern)
            for begin, end in ((gain.left, low), (high, gain.right))
            if end > begin
        ]
        marks.append(LevelLine(at=0.0, colour=theme.faint, dash=SOLID))
        curve: tuple[tuple[float, float, Dash], ...] = (
            (gain.left, low, DASHED),
            (high, gain.right, DASHED),
            (low, high, SOLID),
        )
        for begin, end, dash in curve:
            if end > begin:
                x, y = zip(*gain.between(begin, end), strict=True)
                marks.append(Line(x=x, y=y, colour=theme.ink, dash=dash, name="gain" if dash is SOLID else ""))
        marks += [LevelLine(at=at, upright=True, colour=theme.ink, dash=SOLID) for at in gain.limits if at is not None]
        marks += self._symbols(step, gain, theme)
        x_axis = ChartAxis(low=gain.left, high=gain.right, names=texts, at=at, grid=False, exact=words.number)
        room = 0.14 * (gain.top - gain.bottom)  # for the ring at the top
        y_axis = ChartAxis(
            "Gain of D along the segment",
            low=gain.bottom - room,
            high=gain.top + room,
            bare=True,
            grid=False,
            exact=words.number,
        )
        self.show_marks(marks, theme, x_axis, y_axis)

    def _symbols(self, step: Explanation, gain: StepGain, theme: Theme) -> list[Mark]:
        """Return the step with its gain, and the top of the parabola if the step does not end there."""
        length, up = step.step, step.gain
        ink, background, size = theme.ink, theme.background, self.metrics().height()
        marks: list[Mark] = [Line(x=[length, length], y=[0.0, up], colour=theme.accent, width=0.2 * size, read=False)]
        if up > 0.35 * (gain.top - gain.bottom):
            text = words.number(step.gain)
            marks.append(
                Texts(x=[length], y=[0.5 * up], texts=[text], colour=ink, anchor=(1.08, 0.5), plate=background)
            )
        if gain.vertex is not None and step.clipped and gain.vertex_inside:
            x, top = gain.vertex
            marks.append(Line(x=[length, length, x], y=[up, top, top], colour=theme.faint, dash=DOTTED, read=False))
            text = f"costs {words.number(step.lost)}"
            marks.append(Texts(x=[length], y=[top], texts=[text], colour=ink, anchor=(-0.08, -0.1), plate=background))
        elif gain.vertex is not None and step.clipped:
            y = float(gain.curve[-1, 1])
            text = f"λ* = {words.number(step.unclipped)} →"
            marks.append(Texts(x=[gain.right], y=[y], texts=[text], colour=ink, anchor=(1.0, 0.0), plate=background))
        marks.append(Scatter(x=[0.0], y=[0.0], size=0.56 * size, colour=ink, edge=background))
        for colour, width in ((background, 0.32), (theme.accent, 0.17)):
            marks.append(
                Scatter(x=[length], y=[up], size=0.92 * size, colour=colour, edge_width=width * size, hollow=True)
            )
        if gain.vertex is not None and gain.vertex_inside:
            x, top = gain.vertex
            marks.append(
                Scatter(
                    x=[x], y=[top], symbol="d", size=0.6 * size, colour=background, edge=ink, edge_width=0.12 * size
                )
            )
        return marks

    def numbers(self, way: int, size: float, ends: tuple[float, float] | None = None) -> list[tuple[float, str]]:
        """Return the most important positions first; one without room is left out."""
        shown: list[tuple[float, str]] = []
        width, (left, right) = self.metrics().horizontalAdvance, self.box.viewRange()[0]
        for at, text in zip(self.x.at, self.x.names, strict=True) if way == 0 else ():
            free = [0.5 * (width(text) + width(other)) + 6 for _, other in shown]
            away = [abs(at - position) / (right - left) * size for position, _ in shown]
            if left <= at <= right and all(far > least for far, least in zip(away, free, strict=True)):
                shown.append((at, text))
        return shown


class GainView(FittedWidget):
    """The gain of a step, and below it the formulas with its numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.step: Explanation | None = None
        self.theme, self._least = LIGHT, 0
        self.chart, self.formulas = GainChart(), TextView()
        describe(
            self.chart,
            "step.gain",
            "Gain along the segment",
            "D along the segment is a parabola with its top at λ*. Hatched: outside the box.",
        )
        filled(QVBoxLayout(self), (self.chart, 1), self.formulas, margins=0, spacing=2)

    def show_step(self, step: Explanation | None, theme: Theme) -> None:
        """Show the gain of `step`; draws nothing if it is already shown."""
        if step is not self.step or theme is not self.theme:
            self.step, self.theme = step, theme
            self.chart.show_step(step, theme)
            self.fit()

    def keep(self, least: int) -> None:
        """Request a height of at least this many pixels."""
        if least != self._least:
            self._least = least
            self.updateGeometry()

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(0, self._least))

    def fit(self) -> None:
        if self.step is not None:
            lines = [words.curvature(self.step), words.FORMULA]
            lines += [words.length(self.step), words.clipping(self.step), words.gain_line(self.step)]
            self.formulas.show_text(tuple(map(Paragraph, lines)), self.theme)


#: Heights of box and gain, relative to the width.
TALL_BOX, TALL_GAIN = 0.58, 0.54


class StepPanel(FittedWidget):
    """The next step of the displayed run, or its last step once it has ended.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        describe(self, "step", "Step", words.TEACHING, hover=False)
        self._shown: tuple[RunState | None, Theme, Points, str] | None = None
        self._strips: tuple[()] | tuple[RankedPoints, RankedPoints] = ()
        self._run = -1
        self._any = False  # there are pictures
        self._words = describe(TextView(), "step.words", "Why this pair", "")
        self._because = describe(TextView(), "step.because", "How the pair was found", "")
        self._box, self._gain = BoxView(), GainView()
        self._first = RankingView("step.first", controller.playback.hover)
        self._second = RankingView("step.second", controller.playback.hover)
        candidates = in_row((self._first, 1), (self._second, 1), spacing=12)
        self._pictures = (self._box, self._gain, candidates, self._because)
        form = in_column(self._words, *self._pictures, 1, margins=(10, 8, 10, 8), spacing=10)
        filled(QVBoxLayout(self), ScrollingForm(form), margins=0)
        self.fit()

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(240, 0))

    # -- layout ----------------------------------------------------------------------------------------------------

    def fit(self) -> None:
        """Give box and gain heights that go with the width; without a run there are no pictures."""
        for picture in self._pictures:
            picture.setVisible(self._any)
        self._box.setMinimumHeight(max(round(TALL_BOX * self.width()), self._box.minimumSizeHint().height()))
        self._gain.keep(round(TALL_GAIN * self.width()))

    # -- the scene ---------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the step of the scene's run."""
        run_state, points = scene.run_state, scene.points
        teaching = scene.no_run or words.TEACHING
        shown = run_state, theme, points, teaching
        if self._shown is None or any(new is not old for new, old in zip(shown, self._shown, strict=True)):
            self._show_words(run_state, teaching, points, theme)
            self._show_pictures(run_state, points, theme)
            self._shown = shown
            # At the end it takes a moment until the last step is known: the pictures keep their room meanwhile.
            coming = run_state is not None and run_state.trainer.has_rules and run_state.length > 0
            if self._any is not (coming or bool(self._strips)):
                self._any = not self._any
                self.fit()
        for view, strip in zip((self._first, self._second), self._strips, strict=False):
            view.show_strip(strip, scene.session.hovered, theme)

    def _show_words(self, run_state: RunState | None, teaching: str, points: Points, theme: Theme) -> None:
        if run_state is None:
            self._words.show_text((Paragraph(teaching, LARGE),), theme)
            self.setAccessibleDescription(teaching)
            return
        step = run_state.explanation
        paragraphs = [
            Paragraph(words.heading(run_state, step), LARGE, bold=True),
            Paragraph(words.sentence(run_state), LARGE, goes_on=True),
        ]
        names: list[str] = []
        if not run_state.trainer.has_f and (at_work := run_state.pair[0]) >= 0:
            row = points.rows_of(run_state.points.ids[[at_work]])[0]
            names = [f"x = {called(row)}"]
            paragraphs.insert(1, Paragraph(names[0], bold=True, symbol=int(run_state.points.labels[at_work])))
        if step is not None:
            at = run_state.index[[step.i, step.j]]
            rows, labels = points.rows_of(run_state.points.ids[at]), run_state.points.labels[at].tolist()
            names = [f"{name} = {called(row)}" for name, row in zip("ij", rows, strict=True)]
            paragraphs += [
                Paragraph(names[0], bold=True, symbol=labels[0]),
                Paragraph(names[1], bold=True, symbol=labels[1], goes_on=True),
                Paragraph(step.effect, goes_on=True),
            ]
        if closing := words.closing(run_state):
            paragraphs.append(Paragraph(closing, bold=True))
        if run_state.recording != self._run:  # as high as its texts, until another run begins
            self._run = run_state.recording
            self._words.release()
            self._because.release()
        self._words.show_text(tuple(paragraph for paragraph in paragraphs if paragraph.text), theme)
        self.setAccessibleDescription(words.panel_text(run_state, ", ".join(names)))

    def _show_pictures(self, run_state: RunState | None, points: Points, theme: Theme) -> None:
        step = None if run_state is None else run_state.explanation
        anew = step is not self._box.step or self._shown is None or points is not self._shown[2]
        self._box.show_step(step, theme)
        self._gain.show_step(step, theme)
        if run_state is None or step is None:
            self._strips = ()
            self._because.show_text((), theme)
            self._first.clear()
            self._second.clear()
            return
        label_i, label_j = run_state.points.labels[run_state.index[[step.i, step.j]]].tolist()
        self._box.show_classes((label_i, label_j))
        self._because.show_text((Paragraph(step.first.sentence), Paragraph(step.second.sentence, goes_on=True)), theme)
        if anew:
            self._strips = strip_of(run_state, step.first, points), strip_of(run_state, step.second, points)


def called(row: int) -> str:
    """Return "point 12", by its row in the table; a deleted point has none."""
    return f"point {grouped(row)}" if row else "a point that is gone"


def strip_of(run_state: RunState, ranking: Ranking, points: Points) -> RankedPoints:
    """Return `ranking` with the identity of its candidates."""
    at = run_state.index[ranking.candidates]
    ids, labels = run_state.points.ids[at], run_state.points.labels[at]
    return RankedPoints(ranking, tuple(ids.tolist()), tuple(labels.tolist()), tuple(points.rows_of(ids)))
