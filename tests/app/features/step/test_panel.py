"""The step panel: its texts and pixels against the numbers of the step, and its use by mouse and keyboard."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.controllers.controller import Controller
from app.core.points import Points
from app.engine.run_state import RunState
from app.features.step import text as words
from app.features.step.panel import GainView, StepPanel
from app.features.step.view_box import BoxView
from app.features.step.view_drawing import TextView
from app.features.step.view_ranking import RankingView, sizes_of
from app.learners.table import TRAINERS
from app.scene.model import Scene
from app.views import theme as themes
from app.views.plot.symbols import HIGHLIGHT
from app.views.theme import DARK, LIGHT, Theme
from solver.inspection.step_explanation import Explanation, explain
from solver.recording import Recording
from tests.app.features.step.test_views import solver_of


class EditTarget:
    """Stand-in for the controller: records the highlighted point."""

    def __init__(self) -> None:
        self.hovered: list[int | None] = []
        self.playback = SimpleNamespace(hover=self.hovered.append)


class StepStage:
    """A panel, and a run that it shows."""

    def __init__(self, qtbot: QtBot, size: tuple[int, int], theme: Theme = LIGHT, **problem: Any) -> None:
        self.user = EditTarget()
        self.theme = theme
        self.solver = solver_of(1, **{"C": 1.0, "selection": "second-order", **problem})
        self.run = Recording(self.solver)
        rng = np.random.default_rng(0)
        labels = np.where(self.solver.y > 0, 2, 4)
        # The document has points before and between those trained on, so that rows, ids and indices differ.
        every = Points.of(rng.uniform(-1, 1, (40, 2)), np.zeros(40)).remove([0, 1, 2])
        ids = every.ids[np.arange(24) + np.arange(24) // 4]
        self.points = every
        self.trained = Points.of(rng.uniform(-1, 1, (24, 2)), labels, ids)
        self.last: Explanation | None = None
        self.panel = StepPanel(cast(Controller, self.user))
        qtbot.addWidget(self.panel)
        themes.apply(theme, self.panel, 0)
        self.panel.resize(*size)
        self.panel.show()
        qtbot.waitExposed(self.panel)
        self.hovered: int | None = None

    def run_state(self, **changes: Any) -> RunState:
        s, run = self.solver, self.run
        step = explain(s) or self.last
        run_state = RunState(
            recording=1,
            trainer=TRAINERS["smo"],
            rule=s.selection,
            name="",
            step=run.position,
            length=run.length,
            ended=run.ended,
            points=self.trained,
            index=np.arange(24),
            y=s.y,
            f=s.y - s.v,
            alpha=s.alpha,
            C=s.C,
            v=s.v,
            kkt=None,
            intercept=s.intercept,
            tol=s.tol,
            certificate=s.certificate(),
            trace=run.trace.view(),
            explanation=step,
        )
        return msgspec.structs.replace(run_state, **changes)

    def show(self, run_state: RunState | None, theme: Theme | None = None) -> None:
        session = SimpleNamespace(hovered=self.hovered)
        scene = SimpleNamespace(run_state=run_state, no_run="", run_lane=0, points=self.points, session=session)
        self.panel.render_scene(cast(Scene, scene), theme or self.theme)
        for _ in range(3):
            QApplication.processEvents()

    def show_step(self, number: int = 12) -> RunState:
        self.run.go_to(number)
        run_state = self.run_state()
        self.show(run_state)
        assert run_state.explanation is not None
        return run_state

    def strips(self) -> list[RankingView]:
        return self.panel.findChildren(RankingView)

    def view(self, kind: Any) -> Any:
        found = self.panel.findChild(kind)
        assert found is not None
        return found


def text_of(stage: StepStage, name: str = "step.words") -> str:
    view = stage.panel.findChild(TextView, name)
    assert view is not None
    return "\n".join(paragraph.text for paragraph in view.paragraphs)


def colour_at(widget: QWidget, x: float, y: float) -> tuple[int, int, int]:
    return parts(QColor(widget.grab().toImage().pixel(int(x), int(y))))


def parts(colour: QColor) -> tuple[int, int, int]:
    return colour.red(), colour.green(), colour.blue()


def near(colour: tuple[int, int, int], wanted: tuple[int, int, int], slack: int = 40) -> bool:
    return max(abs(a - b) for a, b in zip(colour, wanted, strict=True)) <= slack


@pytest.mark.parametrize("theme", [LIGHT, DARK])
@pytest.mark.parametrize("size", [(330, 1500), (900, 1500)])
def test_the_box_is_painted_where_the_numbers_are(qtbot: QtBot, theme: Theme, size: tuple[int, int]) -> None:
    stage = StepStage(qtbot, size, theme)
    for number in range(0, 20, 3):
        run_state = stage.show_step(number)
        step = run_state.explanation
        assert step is not None
        view: BoxView = stage.view(BoxView)
        _, frame, flat = view.placed(step)
        assert flat
        image = view.grab().toImage()
        line = view.line()

        def pixel(x: float, y: float, image: Any = image) -> tuple[int, int, int]:
            return parts(QColor(image.pixel(int(x), int(y))))

        # Locations from the multipliers themselves.
        left, bottom = frame.left, frame.top + frame.height
        now = left + frame.width * step.alpha_i / step.C_i, bottom - frame.height * step.alpha_j / step.C_j
        after = left + frame.width * step.after[0] / step.C_i, bottom - frame.height * step.after[1] / step.C_j
        way = math.dist(now, after)
        if way > 1.2 * line:
            assert near(pixel(*now), theme.ink)
            middle = 0.5 * (now[0] + after[0]), 0.5 * (now[1] + after[1])
            assert near(pixel(*middle), theme.accent)
        ring = [
            pixel(after[0] + 0.46 * line * math.cos(turn), after[1] + 0.46 * line * math.sin(turn))
            for turn in np.linspace(0.0, 2 * np.pi, 24)
        ]
        assert sum(near(colour, theme.accent, 60) for colour in ring) >= (12 if way > 1.2 * line else 8)
        for x in (left, left + frame.width):
            assert near(pixel(x, frame.top + 0.31 * frame.height), theme.ink, 140)
        if not step.clipped and way > 1.2 * line:
            assert near(pixel(*after), theme.background)  # the hollow diamond


def test_alpha_i_and_alpha_j_are_distinct_wherever_they_are_painted(qtbot: QtBot, monkeypatch: Any) -> None:
    drawn: list[tuple[str, float]] = []

    class WatchedStep(QPainter):
        def drawText(self, *args: Any) -> None:
            drawn.append((args[-1], self.font().pointSizeF()))
            super().drawText(*args)

    stage = StepStage(qtbot, (330, 1500))
    monkeypatch.setattr("app.views.widgets.painting.QPainter", WatchedStep)
    stage.show_step(12)
    stage.panel.grab()
    texts = [text for text, _ in drawn]
    assert not any(sign in text for text in texts for sign in "ᵢⱼₖ"), "dots of a pixel"
    after_alpha = [drawn[at_index + 1] for at_index, text in enumerate(texts) if text.endswith("α")]
    assert {text for text, _ in after_alpha} == {"i", "j", "k"}
    assert min(size for _, size in after_alpha) >= 0.75 * stage.panel.font().pointSizeF()


def test_the_parabola_is_painted_where_the_numbers_are(qtbot: QtBot) -> None:
    stage = StepStage(qtbot, (330, 1500))
    tested = 0
    for number in range(0, 20, 3):
        step = stage.show_step(number).explanation
        assert step is not None
        view: GainView = stage.view(GainView)
        chart = view.chart
        image = chart.grab().toImage()
        for length in np.linspace(0.1, 0.6, 6) * step.step:
            value = length * (step.v_i - step.v_j) - 0.5 * step.eta * length**2
            at = chart.pixel(float(length), float(value))
            column = [
                QColor(image.pixel(round(at.x()), round(at.y()) + shift)).lightness() for shift in (-2, -1, 0, 1, 2)
            ]
            if abs(at.x() - chart.pixel(step.step, 0.0).x()) > 50:  # clear of the number of the gain
                assert min(column) < 120
                tested += 1
        lines = [paragraph.text for paragraph in view.formulas.paragraphs]
        assert words.FORMULA in lines and words.length(step) in lines and words.gain_line(step) in lines
        assert words.clipping(step) in lines and words.curvature(step) == lines[0]
    assert tested > 8


@pytest.mark.parametrize("rule", ["second-order", "random"])
def test_hovering_a_bar_shows_its_point_in_the_plane_and_back(qtbot: QtBot, rule: str) -> None:
    stage = StepStage(qtbot, (420, 1000), selection=rule)
    run_state = stage.show_step(8)
    assert run_state.explanation is not None
    for strip, ranking in zip(stage.strips(), (run_state.explanation.first, run_state.explanation.second), strict=True):
        assert strip.objectName() == ("step.first" if ranking is run_state.explanation.first else "step.second")
        for at_index in strip.shown()[:4]:
            stage.user.hovered.clear()
            point = int(stage.trained.ids[ranking.candidates[at_index]])
            bar = strip.bar(at_index)
            assert bar.height() >= 24
            QTest.mouseMove(strip, bar.center().toPoint())
            QTest.mouseMove(strip, bar.center().toPoint() + QPoint(3, 2))  # the same bar: reported once
            assert stage.user.hovered == [point]
            assert strip.row_at(bar.top() + 1) == at_index == strip.row_at(bar.bottom() - 1)
            inside = bar.right() - 6, bar.top() + 5
            assert not near(colour_at(strip, *inside), HIGHLIGHT)
            stage.hovered = point  # as in the present scene
            stage.show(run_state)
            assert near(colour_at(strip, *inside), HIGHLIGHT)
            stage.hovered = None
            stage.show(run_state)
        QTest.mouseMove(strip, QPoint(5, 3))  # the header
        assert stage.user.hovered[-1] is None
        QTest.mouseMove(strip, strip.bar(0).center().toPoint())
        QApplication.sendEvent(strip, QEvent(QEvent.Type.Leave))
        assert stage.user.hovered[-1] is None


def test_bars_are_reached_with_the_keyboard(qtbot: QtBot) -> None:
    stage = StepStage(qtbot, (420, 1000))
    run_state = stage.show_step(8)
    assert run_state.explanation is not None
    strip, ranking = stage.strips()[0], run_state.explanation.first
    assert strip.focusPolicy() & Qt.FocusPolicy.TabFocus
    stage.panel.activateWindow()
    strip.setFocus()
    ids = [int(stage.trained.ids[point]) for point in ranking.candidates[strip.shown()]]
    for key, at_index in (
        (Qt.Key.Key_Down, 0),
        (Qt.Key.Key_Down, 1),
        (Qt.Key.Key_End, len(ids) - 1),
        (Qt.Key.Key_Down, len(ids) - 1),
        (Qt.Key.Key_Up, len(ids) - 2),
        (Qt.Key.Key_Home, 0),
        (Qt.Key.Key_Up, 0),
    ):
        QTest.keyClick(strip, key)
        assert stage.user.hovered[-1] == ids[at_index]
        stage.hovered = ids[at_index]
        stage.show(run_state)
    strip.clearFocus()
    QApplication.processEvents()
    assert stage.user.hovered[-1] is None


def test_bars_and_numbers_come_from_the_ranking(qtbot: QtBot) -> None:
    stage = StepStage(qtbot, (330, 1300), selection="first-order")
    step = stage.show_step(12).explanation
    assert step is not None
    M, m = step.first.base, step.second.base
    assert (sizes_of(step.first) == np.maximum(step.first.values - M, 0.0)).all()
    assert (sizes_of(step.second) == np.maximum(m - step.second.values, 0.0)).all()
    assert step.first.values[0] == m and step.second.values[0] == M
    strip = stage.strips()[0]
    shown = strip.shown()
    image, begin = strip.grab().toImage(), round(2.1 * stage.view(BoxView).line()) + 2
    lengths = []
    for at_index in shown:
        middle = round(strip.bar(at_index).center().y())
        row = [QColor(image.pixel(x, middle)) for x in range(begin, image.width())]
        lengths.append([near(parts(colour), LIGHT.window, 5) for colour in row].index(True))
    assert lengths[0] > 30
    for length, size in zip(lengths, sizes_of(step.first)[shown], strict=True):
        assert length / lengths[0] == pytest.approx(size / (m - M), abs=3 / lengths[0])
    assert "bars from M = " in " ".join(strip._footer(len(shown)))
    assert strip.toolTip() == step.first.sentence == strip.accessibleDescription()


def test_the_sentences_about_a_step(qtbot: QtBot) -> None:
    stage = StepStage(qtbot, (420, 1000))
    run_state = stage.show_step(12)
    step = run_state.explanation
    assert step is not None
    rows = stage.points.rows_of(run_state.points.ids[run_state.index[[step.i, step.j]]])
    for row, point in zip(rows, (step.i, step.j), strict=True):
        assert stage.points.ids[row - 1] == stage.trained.ids[point] and row - 1 != point
    assert text_of(stage).split("\n") == [
        "Next: step 13",
        step.sentence,
        f"i = point {rows[0]}",
        f"j = point {rows[1]}",
        step.effect,
    ]
    assert text_of(stage, "step.because").split("\n") == [step.first.sentence, step.second.sentence]
    panel_text = stage.panel.accessibleDescription()
    report = (
        step.sentence,
        step.effect,
        *words.moves(step),
        words.length(step),
        words.gain_line(step),
        f"point {rows[0]}",
    )
    assert all(part in panel_text for part in report)
    stage.points = stage.points.remove([rows[0] - 1])  # removed from the document since
    stage.show(run_state)
    assert "i = a point that is gone" in text_of(stage)
    assert f"j = point {rows[1] - (rows[1] > rows[0])}" in text_of(stage)


def test_the_end_of_a_run(qtbot: QtBot) -> None:
    stage = StepStage(qtbot, (420, 1000))
    stage.run.advance(10**6)
    end = stage.run.length
    stage.show(stage.run_state())  # the reason of the last step is not known yet
    assert text_of(stage).startswith(f"After step {end}\nOptimal: no pair is left")
    assert stage.view(BoxView).isVisible() and stage.view(BoxView).step is None
    stage.run.go_to(end - 1)
    stage.last = explain(stage.solver, newest=True)
    stage.run.go_to(end)
    stage.show(stage.run_state())
    assert text_of(stage).startswith(f"Last step: {end}\n") and stage.last is not None
    assert stage.last.sentence in text_of(stage) and "Optimal: no pair is left" in text_of(stage)
    assert stage.view(BoxView).step is stage.last
    stage.run.go_to(end - 1)
    stage.show(stage.run_state())
    assert text_of(stage).startswith(f"Next: step {end}\n") and "Optimal" not in text_of(stage)


def test_without_a_step_there_is_one_sentence(qtbot: QtBot) -> None:
    stage = StepStage(qtbot, (330, 650))
    stage.show(None)
    assert text_of(stage) == words.TEACHING == stage.panel.accessibleDescription()
    assert not stage.view(BoxView).isVisible() and not stage.strips()[0].isVisible()
    stage.show_step(3)
    assert stage.view(BoxView).isVisible() and stage.strips()[0].isVisible()
    stage.show(
        stage.run_state(trainer=TRAINERS["perceptron"], explanation=None, operation="Point 3 was on the wrong side.")
    )
    report = "Point 3 was on the wrong side. Box, gain and candidates are shown for SMO only."
    assert text_of(stage) == f"After step 3\n{report}"
    assert not stage.view(BoxView).isVisible()
    stage.show(stage.run_state(trainer=TRAINERS["lasvm"], explanation=None))
    assert "takes no pairs by a rule" in text_of(stage)
    stage.show(stage.run_state(explanation=None, step=0, length=0, ended=True))
    assert text_of(stage).startswith("Before the first step\nThere was no step to make.")
    assert not stage.view(BoxView).isVisible()


class Paints(QObject):
    """Counts the paint events of some widgets."""

    def __init__(self, widgets: list[QWidget]) -> None:
        super().__init__()
        self.count = 0
        for widget in widgets:
            widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_nothing_is_painted_when_nothing_changed(qtbot: QtBot) -> None:
    stage = StepStage(qtbot, (420, 1000))
    run_state = stage.show_step(12)
    views = [
        *stage.strips(),
        stage.view(BoxView),
        stage.view(GainView).chart.viewport(),
        *stage.panel.findChildren(TextView),
    ]
    paints = Paints(views)
    for _ in range(3):
        stage.show(run_state)
    stage.show(msgspec.structs.replace(run_state))  # another frame of the same step
    assert paints.count == 0
    stage.hovered = int(stage.trained.ids[0])
    stage.show(run_state)
    assert paints.count == len(stage.strips())
    paints.count = 0
    stage.show_step(13)
    assert paints.count >= 5
    paints.count = 0
    stage.show(stage.run_state(explanation=stage.view(BoxView).step), DARK)
    assert paints.count == len(views)


def shown_in(panel: StepPanel, widget: QWidget) -> QRect:
    return QRect(widget.mapTo(panel, QPoint(0, 0)), widget.size())


def test_it_stands_one_below_another(qtbot: QtBot) -> None:
    stage = StepStage(qtbot, (330, 900))
    stage.show_step(12)

    def areas() -> list[QRect]:
        kinds = [stage.view(BoxView), stage.view(GainView), *stage.strips()]
        return [shown_in(stage.panel, widget) for widget in kinds]

    def apart_from_each_other() -> bool:
        found = [*areas(), shown_in(stage.panel, stage.panel.findChild(TextView, "step.words"))]
        return not any(a.intersects(b) for at_index, a in enumerate(found) for b in found[:at_index])

    box, gain, first, second = areas()
    assert box.bottom() < gain.top() and gain.bottom() < first.top() and first.right() < second.left()
    assert apart_from_each_other() and max(area.right() for area in areas()) <= 330
    assert stage.panel.findChild(TextView, "step.because").isVisible()


def test_the_words_leave_the_pictures_where_they_are(qtbot: QtBot) -> None:
    """A longer sentence changes the layout once; the pictures do not jump with every step of a run."""
    stage = StepStage(qtbot, (330, 900), selection="platt")
    tops = []
    for number in range(30):
        stage.run.go_to(number)
        stage.show(stage.run_state())
        tops.append(shown_in(stage.panel, stage.view(BoxView)).top())
    assert tops == sorted(tops) and len(set(tops)) <= 4
    stage.show(stage.run_state(recording=2))
    assert stage.panel.findChild(TextView, "step.words").height() <= max(tops)
