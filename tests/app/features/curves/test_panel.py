"""The curves of a run: the painted curves are the recorded notes, the numbers are exact, and clicks go to
their step.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QLabel, QScrollArea, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.number_format import grouped
from app.engine.run_state import RunState
from app.features.curves.panel import RECENT, CurveChart, CurvesPanel, number
from app.features.curves.view_cells import COLOURS, CURVES, PLOTS, cells_of, curves_of
from app.learners.table import TRAINERS
from app.views import theme
from app.views.chart.axis import exact
from app.views.chart.marks import Line, Strokes
from app.views.chart.steps import StepScale, cell_edges
from app.views.theme import contrast
from solver.core.trace import Trace
from tests.app.features.runs import hands, made, run_state_of, scene_of, smo
from tests.examples import examples
from tests.windows import finish_layout

Array = NDArray[np.float64]
Show = Callable[..., CurvesPanel]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Return a function ``show(study)`` that opens a panel with the run."""
    panels: list[CurvesPanel] = []

    def build(
        run_state: RunState | None = None, size: tuple[int, int] = (500, 450), points: int = 0, dark: bool = False
    ) -> CurvesPanel:
        setup = hands()
        panel = CurvesPanel(setup)
        panel.reports = setup.playback  # type: ignore[attr-defined]
        panels.append(panel)
        qtbot.addWidget(panel)
        theme.apply(theme.theme_of(dark), panel, points)
        panel.resize(*size)
        panel.show()
        qtbot.waitExposed(panel)
        panel.render_scene(scene_of(run_state), theme.theme_of(dark))
        QApplication.sendPostedEvents()
        panel.grab()  # lays out the buttons
        return panel

    return build


def asked(panel: CurvesPanel) -> list[tuple[Any, ...]]:
    playback = panel.reports  # type: ignore[attr-defined]
    calls = [(name, *args, *kwargs.values()) for name, args, kwargs in playback.mock_calls]
    playback.reset_mock()
    return calls


def choose(panel: CurvesPanel, name: str, row: int) -> None:
    """Select an entry of a choice with the arrow keys."""
    combo = panel.findChild(QComboBox, f"curves.{name}")
    combo.setFocus()
    for _ in range(combo.count()):
        QTest.keyClick(combo, Qt.Key.Key_Up)
    for _ in range(row):
        QTest.keyClick(combo, Qt.Key.Key_Down)


def chart_of(panel: CurvesPanel, name: str) -> CurveChart:
    return panel.charts[name]


def legend(panel: CurvesPanel, plot: str) -> dict[str, str]:
    """Return label and value of each entry."""
    return {each.name: each.value for each in chart_of(panel, plot).named()}


# -- cells -------------------------------------------------------------------------------------------------------------


@given(
    length=st.integers(0, 3000),
    columns=st.integers(30, 300),
    first=st.integers(0, 3000),
    log=st.booleans(),
    seed=st.integers(0, 9),
)
@examples(120)
def test_each_cell_has_the_extremes_of_the_steps_drawn_there(
    length: int, columns: int, first: int, log: bool, seed: int
) -> None:
    run = made(length, ("violation",), seed)
    columns *= 8 if log else 1  # no cell is so wide that it is read from a coarser level
    scale = StepScale(min(first, length), length, columns, log)
    assert (cell_edges(scale) == scale.edges()).all()
    cells = cells_of(run.trace.view(), "violation", scale)
    steps = np.arange(scale.start, length + 1)
    if not len(steps):
        assert not len(cells)
        return
    values, locations = run.values("violation")[steps], scale.pixels(steps)
    # Rounded both ways: a step between two pixels may belong to either.
    pixel = np.ceil(locations - 0.5 - 1e-7)
    other = np.ceil(locations - 0.5 + 1e-7)
    column = np.ceil(cells.x - 0.5 - 1e-7)
    assert (np.diff(column) > 0).all(), "at most one cell for each pixel"
    assert set(column) <= set(pixel) | set(other)
    for x, low, high in zip(column, cells.low, cells.high, strict=True):
        surely, perhaps = values[(pixel == x) & (other == x)], values[(pixel == x) | (other == x)]
        assert perhaps.min() <= low <= surely.min(initial=np.inf)
        assert perhaps.max() >= high >= surely.max(initial=-np.inf)
    alone = np.array([(pixel == x).sum() == 1 for x in column])
    exactly = np.isclose(cells.x[alone][:, None], locations, atol=1e-6).any(axis=1)
    assert exactly.all(), "a step of its own stands where it belongs, not in the middle of a pixel"
    assert cells.low.min() == values.min() and cells.high.max() == values.max(), "no step is left out"


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize("length", [60_000, 300_000])
def test_cells_of_many_steps_are_exact_too(length: int, log: bool) -> None:
    run = made(length, ("violation",), seed=1)
    scale = StepScale(0, length, 400, log)
    edges = cell_edges(scale)
    cells = cells_of(run.trace.view(), "violation", scale)
    values = run.values("violation")
    parts = [values[a + 1 : b + 1] for a, b in pairwise(edges) if b > a]
    assert cells.low.tolist() == [part.min() for part in parts]
    assert cells.high.tolist() == [part.max() for part in parts]
    assert edges[0] == scale.start - 1 and edges[-1] == length, "every step is in one cell"
    apart = np.abs(edges - scale.edges())[1:-1]
    width = np.diff(scale.edges())
    assert (apart <= np.maximum(width[:-1], width[1:]) / 14 + 1).all()


def test_a_run_too_long_for_every_note_is_shown_within_its_bounds() -> None:
    run = made(200_000, ("violation",), seed=2, limit=5000)
    view = run.trace.view()
    assert view.bucket > 1
    scale = StepScale(0, 200_000, 300)
    edges, cells = cell_edges(scale), cells_of(view, "violation", scale)
    values = run.values("violation")
    parts = [values[a + 1 : b + 1] for a, b in pairwise(edges)]
    assert (cells.low <= [part.min() for part in parts]).all() and (cells.high >= [part.max() for part in parts]).all()
    assert cells.low.min() == values.min() and cells.high.max() == values.max()


def test_a_recorded_run_of_smo_has_the_certificate_of_every_step() -> None:
    run = smo()
    view = run.trace.view()
    assert view.length < 400
    for log in (False, True):
        scale = StepScale(0, view.length, 2500, log)  # each step has a pixel of its own
        for name in view.names:
            cells = cells_of(view, name, scale)
            steps = np.array([scale.step_at(x) for x in cells.x])
            np.testing.assert_allclose(cells.low, run.values(name)[steps], rtol=1e-9, atol=1e-9)
            assert steps.tolist() == list(range(log, view.length + 1)) and (cells.low == cells.high).all()


@given(
    steps=st.sets(st.integers(0, 5000), min_size=1, max_size=60),
    first=st.integers(0, 5000),
    columns=st.integers(10, 300),
    log=st.booleans(),
)
@examples(80)
def test_landmarks_are_where_they_are_known_and_nowhere_else(
    steps: set[int], first: int, columns: int, log: bool
) -> None:
    trace = Trace((), np.empty(0))
    for step in steps:
        trace.mark(step, 1.0 + step, 10.0 + step, 0.5)
    if 5000 not in steps:
        trace.mark(5000, 1.0, np.inf, np.nan)  # no bound was known there
    scale = StepScale(first, 5000, columns, log)
    cells = cells_of(trace.view(), "primal", scale)
    known = sorted(step for step in steps if step > 0 or not log)
    earlier = [step for step in known if step < scale.start][-1:]  # the line from there is visible
    expected: dict[float, list[float]] = {}
    for step in earlier + [step for step in known if step >= scale.start]:
        expected.setdefault(float(np.ceil(scale.pixels(step) - 0.5)), []).append(10.0 + step)
    assert np.ceil(cells.x - 0.5).tolist() == list(expected)
    assert cells.low.tolist() == [min(values) for values in expected.values()]
    assert cells.high.tolist() == [max(values) for values in expected.values()]


# -- pixels ------------------------------------------------------------------------------------------------------------


def test_a_line_goes_on_to_the_landmarks_on_either_side() -> None:
    trace = Trace(("violation",), np.zeros(1))
    trace.append(np.zeros((100, 1)), np.zeros(100, dtype=np.int64))
    for step in (5, 20, 50, 80, 95):
        trace.mark(step, 1.0, float(step), 0.5)
    for log in (False, True):
        cells = cells_of(trace.view(), "primal", StepScale(40, 60, 201, log))
        assert cells.low.tolist() == [20.0, 50.0, 80.0] and cells.x[0] < 0 and cells.x[-1] > 200


@pytest.mark.parametrize("length", [150, 5000, 40_000])
@pytest.mark.parametrize("log", [False, True])
def test_what_is_painted_is_what_was_noted(show: Show, length: int, log: bool) -> None:
    run = made(length, ("margin",), seed=length, share=0.0)
    panel = show(run_state_of(run.trace, step=0))
    choose(panel, "steps", int(log))
    chart = chart_of(panel, "margin")
    area, image = chart.area(), chart.grab().toImage()
    left, top = round(area.left()), round(area.top())
    found = np.array(
        [
            [QColor(image.pixel(left + c, top + r)).lightness() < 140 for c in range(round(area.width()))]
            for r in range(round(area.height()))
        ]
    )
    values = run.values("margin")
    steps = np.arange(int(log), length + 1)
    x, y = chart.pixels(steps, values[steps])
    column = np.floor(x - left).astype(int)
    for at in range(8, found.shape[1] - 8):  # the cursor covers the first ones
        own, drawn = y[column == at] - top, np.flatnonzero(found[:, at])
        if len(own) and len(drawn):
            drawn = np.flatnonzero(found[:, at - 1 : at + 2].any(axis=1))  # a step between two pixels belongs to either
            assert drawn[0] <= own.min() + 1.5 and drawn[-1] >= own.max() - 2.5, "all of it is there"
        near = np.abs(column - at) <= 2
        if len(drawn) and len(set(column[near])) == 5:  # else a line enters from further away
            about = y[near] - top
            drawn = np.flatnonzero(found[:, at])
            assert drawn[0] >= about.min() - 3 and drawn[-1] <= about.max() + 3, "and nothing else"
    assert found.any(axis=0)[8:-8].mean() > 0.9


def test_strokes_at_the_foot_mark_the_changes(show: Show) -> None:
    run = made(300, seed=5, share=0.05)
    chart = chart_of(show(run_state_of(run.trace, step=0)), "counts")
    (feet,) = (mark for mark in chart.marks if isinstance(mark, Strokes))
    expected = np.flatnonzero(run.changes) + 1
    wide = 300 / chart.area().width()
    assert len(expected) > 5
    assert all(np.abs(np.asarray(feet.x) - step).min() <= wide for step in expected)
    assert all(np.abs(expected - x).min() <= wide for x in np.asarray(feet.x))


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_the_legend_has_the_numbers_at_the_cursor(show: Show) -> None:
    run = made(400, seed=4)
    run.trace.mark(120, 3.0, 4.5, 0.012345678)
    run.trace.mark(300, 3.0, 4.25, 0.001)
    panel = show(run_state_of(run.trace, step=137))
    dual, violation, free, bounded = run.notes[137]
    first = legend(panel, "objective")
    assert first["dual D"] == f"{dual:#.5g}" and first["primal P"] == "4.5000 at 120"
    assert legend(panel, "gap") == {"gap (P − D)/P": "1.2346 % at 120"}
    assert legend(panel, "violation") == {"KKT violation m − M": f"{violation:#.5g}", "tolerance": "1e-3"}
    counts = legend(panel, "counts")
    assert (counts["free SVs, 0<α<C"], counts["bounded, α=C"]) == (f"{free:.0f}", f"{bounded:.0f}")
    shown = chart_of(panel, "violation").accessibleDescription()
    assert (
        shown.startswith("Step 137 of 400.") and f"Dual {dual:#.5g}." in shown and "Primal 4.5000 at step 120." in shown
    )
    assert f"KKT violation {violation:#.5g}." in shown and f"{free:.0f}." in shown
    panel.render_scene(scene_of(run_state_of(run.trace, step=300)), theme.LIGHT)
    assert legend(panel, "objective")["primal P"] == "4.2500"
    panel.render_scene(scene_of(run_state_of(run.trace, step=50)), theme.LIGHT)
    assert legend(panel, "objective")["primal P"] == "–", "not known so early"
    long = made(9000, seed=6, limit=500)
    panel.render_scene(scene_of(run_state_of(long.trace, step=4321)), theme.LIGHT)
    low, high = long.trace.view().at("dual", 4321)
    assert low < high and legend(panel, "objective")["dual D"] == f"{exact(low)} to {exact(high)}"


def test_numbers_are_exact_to_five_digits() -> None:
    for value, text in (
        (0.0, "0"),
        (193.3726, "193.37"),
        (-0.0123456, "−0.012346"),
        (1e-9, "1.0000e-9"),
        (123456.7, "1.2346e5"),
        (12345.6, "12346"),
        (0.00012345, "0.00012345"),
        (4.5, "4.5000"),
        (np.pi, "3.1416"),
    ):
        assert exact(value) == text
    assert number(0.5, percent=True) == "50.000 %" and number(12345, counts=True) == "12\u202f345"


# -- which plots -------------------------------------------------------------------------------------------------------


def test_each_learner_has_the_plots_of_its_notes(show: Show) -> None:
    assert curves_of(made(10).trace.view()) == {
        "objective": ["dual"],
        "violation": ["violation"],
        "counts": ["free", "bounded"],
    }
    assert curves_of(made(10, ("wrong", "margin")).trace.view()) == {"margin": ["margin"], "counts": ["wrong"]}
    assert curves_of(made(10, ("something new",)).trace.view()) == {}
    pegasos = Trace((), np.empty(0))
    pegasos.append(np.empty((500, 0)), np.zeros(500, dtype=np.int64))
    assert curves_of(pegasos.view()) == {}
    pegasos.mark(0, 0.0, np.inf, np.nan)
    pegasos.mark(200, 0.5, 0.75, 1 / 3)
    pegasos.mark(400, 0.6, 0.7, 1 / 7)
    assert curves_of(pegasos.view()) == {"objective": ["dual", "primal"], "gap": ["gap"]}
    panel = show(run_state_of(pegasos, step=450, trainer=TRAINERS["pegasos"]))
    assert legend(panel, "objective") == {"dual D": "0.60000 at 400", "primal P": "0.70000 at 400"}
    assert list(legend(panel, "gap").values()) == ["14.286 % at 400"]
    panel.render_scene(scene_of(run_state_of(made(10, ("wrong", "margin")).trace)), theme.LIGHT)
    assert set(legend(panel, "counts")) == {"wrong points", "first mistake on a point"}
    panel.grab()


def test_every_row_of_the_table_can_be_drawn() -> None:
    for name, spec in CURVES.items():
        assert spec.plot in PLOTS and 0 <= spec.colour < len(COLOURS), name
    for plot in PLOTS:  # by dash or colour, and never by colour alone
        own = [(spec.dash, spec.symbol if spec.landmark > 0 else "") for spec in CURVES.values() if spec.plot == plot]
        assert len(set(own)) == len(own)
    for row in COLOURS:
        assert contrast(row[0], theme.LIGHT.background) >= 4.5 and contrast(row[1], theme.DARK.background) >= 4.5


def test_nothing_to_draw(show: Show) -> None:
    empty = show(None)
    message = next(each for each in empty.findChildren(QLabel) if each.isVisible() and len(each.text()) > 20)
    assert "No run" in message.text()
    assert not any(chart.isVisible() for chart in empty.charts.values())
    for run_state in (run_state_of(Trace((), np.empty(0))), run_state_of(made(0).trace, ended=False)):
        empty.render_scene(scene_of(run_state), theme.LIGHT)
        empty.grab()
    assert chart_of(empty, "counts").isVisible()
    for row in (0, 1):  # a run without steps already has axes
        choose(empty, "steps", row)
        empty.grab()
    press(empty, 200)
    QTest.mouseRelease(viewport_of(empty), Qt.MouseButton.LeftButton)
    assert asked(empty) == [], "there is no other step to go to"
    empty.render_scene(scene_of(None), theme.LIGHT)
    assert message.isVisible() and not chart_of(empty, "counts").isVisible()


# -- mouse and keys ----------------------------------------------------------------------------------------------------


def viewport_of(panel: CurvesPanel) -> QWidget:
    return next(chart for chart in panel.charts.values() if chart.isVisible()).viewport()


def press(panel: CurvesPanel, x: float) -> None:
    QTest.mousePress(viewport_of(panel), Qt.MouseButton.LeftButton, pos=QPoint(round(x), 40))


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("length", "first"), [(1, 0), (400, 0), (90_000, 0), (90_000, 89_000)])
def test_clicks_go_to_the_step_under_the_pointer(show: Show, length: int, first: int, log: bool) -> None:
    panel = show(run_state_of(made(length, ("violation",)).trace, step=0))
    choose(panel, "steps", int(log))
    choose(panel, "range", int(first > 0))
    chart = chart_of(panel, "violation")
    area, begin = chart.area(), max(first, int(log))
    steps = np.unique(np.linspace(begin, length, 5).astype(int)).tolist()
    ways = [(chart.pixels([step], [1])[0][0], step) for step in steps]
    for x, expected in [*ways, (area.right() + 30, length), (area.left() - 10, first)]:
        press(panel, x)
        QTest.mouseRelease(viewport_of(panel), Qt.MouseButton.LeftButton, pos=QPoint(round(x), 200))
        near = abs(chart.values_at(QPointF(x + 1, 0))[0] - chart.values_at(QPointF(x - 1, 0))[0])
        assert panel.cursor_step == pytest.approx(expected, abs=0.5 * near)
        assert asked(panel) == ([("seek", 0, panel.cursor_step)] if panel.cursor_step != previous_of(panel) else [])
        panel.previous = panel.cursor_step


def previous_of(panel: CurvesPanel) -> int:
    return getattr(panel, "previous", 0)


def test_the_cursor_follows_the_drag_and_the_axis_stays(show: Show) -> None:
    run, longer = made(1000, seed=7), made(4000, seed=7)
    panel = show(run_state_of(run.trace, step=100))
    chart = chart_of(panel, "violation")
    x, later = (round(float(chart.pixels([step], [1])[0][0])) for step in (400, 600))
    press(panel, x)
    step = panel.cursor_step
    assert asked(panel) == [("seek", 0, step)] and abs(step - 400) <= 2
    panel.render_scene(scene_of(run_state_of(longer.trace, step=110)), theme.LIGHT)
    assert panel.cursor_step == step and chart.scale().last == 1000
    assert legend(panel, "violation")["KKT violation m − M"] == exact(longer.values("violation")[step])
    assert cursor_at(panel) == pytest.approx(x, abs=1.5)
    drag(panel, x, 60)
    assert asked(panel) == [], "up and down is no other step"
    drag(panel, later, 60)
    moved = panel.cursor_step
    assert asked(panel) == [("seek", 0, moved)] and abs(moved - 600) <= 2
    assert cursor_at(panel) == pytest.approx(later, abs=1.5)
    QTest.mouseRelease(viewport_of(panel), Qt.MouseButton.LeftButton, pos=QPoint(later, 60))
    assert asked(panel) == [] and panel.cursor_step == moved and chart.scale().last == 4000
    panel.render_scene(scene_of(run_state_of(longer.trace, step=moved - 1)), theme.LIGHT)
    assert panel.cursor_step == moved - 1, "without a hand, the scene rules"
    QTest.mouseMove(viewport_of(panel), QPoint(later + 40, 60))
    assert asked(panel) == []


def drag(panel: CurvesPanel, x: int, y: int) -> None:
    """Move with the left button held, which QTest does not do."""
    at, left = QPointF(x, y), Qt.MouseButton.LeftButton
    over = QPointF(viewport_of(panel).mapToGlobal(at.toPoint()))
    moved = QMouseEvent(QMouseEvent.Type.MouseMove, at, over, left, left, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(viewport_of(panel), moved)


def cursor_at(panel: CurvesPanel) -> float:
    """Return where the cursor is painted (pixels)."""
    chart = chart_of(panel, "violation")
    image, accent = chart.grab().toImage(), QColor(*theme.LIGHT.accent).rgb()
    row = round(chart.area().top()) + 2
    columns = [x for x in range(image.width()) if image.pixel(x, row) == accent]
    assert columns
    return 0.5 * (columns[0] + columns[-1])


def test_another_run_ends_the_drag(show: Show) -> None:
    panel = show(run_state_of(made(1000).trace, step=100))
    left = chart_of(panel, "violation").area().left()
    press(panel, left + 200)
    asked(panel)
    panel.render_scene(scene_of(run_state_of(made(50).trace, step=5, recording=2)), theme.LIGHT)
    assert panel.cursor_step == 5
    drag(panel, round(left) + 250, 60)
    assert asked(panel) == []
    press(panel, left + 200)
    asked(panel)
    panel.render_scene(scene_of(run_state_of(made(50).trace, step=6, recording=2), lane=1), theme.LIGHT)
    drag(panel, round(left) + 250, 60)
    assert asked(panel) == [] and panel.cursor_step == 6
    QTest.mouseRelease(viewport_of(panel), Qt.MouseButton.LeftButton)


def test_keys_go_step_by_step(show: Show) -> None:
    panel = show(run_state_of(made(400).trace, step=137))
    for key, expected in (
        (Qt.Key.Key_Left, ("step", 0, -1)),
        (Qt.Key.Key_PageUp, ("step", 0, 20)),
        (Qt.Key.Key_Period, ("step", 0, 1)),
        (Qt.Key.Key_Home, ("to_start", 0)),
    ):
        QTest.keyClick(chart_of(panel, "violation"), key)
        assert asked(panel) == [expected]


# -- choices -----------------------------------------------------------------------------------------------------------


def test_choices_of_the_axes(show: Show) -> None:
    panel = show(run_state_of(made(5000).trace, step=2000))
    plot = chart_of(panel, "counts")
    scale = plot.scale()
    assert (scale.first, scale.last, scale.log) == (0, 5000, False)
    assert scale.columns == pytest.approx(plot.area().width() - 7, abs=1)
    choose(panel, "range", 1)
    assert plot.scale().first == 5000 - RECENT
    choose(panel, "steps", 1)
    assert plot.scale().log and plot.scale().start == 4000
    choose(panel, "range", 0)
    assert plot.scale().start == 1, "there is no step 0 on a logarithmic axis"
    toggles = {name: panel.findChild(QToolButton, f"curves.log.{name}") for name in ("objective", "violation")}
    assert [button.isChecked() for button in toggles.values()] == [False, True]
    for name, button in toggles.items():
        before = chart_of(panel, name).y
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        button.setDown(False)
        assert chart_of(panel, name).y.log != before.log
    assert [button.isChecked() for button in toggles.values()] == [True, False]


def test_values_that_are_not_positive_leave_a_logarithmic_axis_alive(show: Show) -> None:
    trace = Trace(("dual", "violation"), np.array([0.0, 2.0]))
    trace.append(np.array([[-1.0, 1.0], [0.0, 0.0], [3.0, -1e-16]]), np.zeros(3, dtype=np.int64))
    panel = show(run_state_of(trace))
    QTest.mouseClick(panel.findChild(QToolButton, "curves.log.objective"), Qt.MouseButton.LeftButton)
    panel.grab()
    assert legend(panel, "violation")["KKT violation m − M"] == "−1.0000e-16", "the number is the true one"
    none = Trace(("dual", "violation"), np.array([0.0, 0.0]))
    none.append(np.array([[-1.0, -1.0]]), np.zeros(1, dtype=np.int64))
    panel.render_scene(scene_of(run_state_of(none, recording=2, tol=1e-3)), theme.LIGHT)
    panel.grab()


@pytest.mark.parametrize(("size", "points"), [((500, 450), 0), ((300, 300), 0), ((360, 520), 14), ((900, 600), 14)])
def test_everything_stays_inside_and_can_be_hit(show: Show, size: tuple[int, int], points: int) -> None:
    run = made(5000)
    run.trace.mark(4000, 1.0, 2.0, 0.5)
    panel = show(run_state_of(run.trace), size, points)
    finish_layout()
    assert panel.minimumSizeHint().width() <= 360
    parts: list[QWidget] = [*panel.findChildren(QComboBox), *panel.findChildren(QToolButton)]
    assert len(parts) == 4
    for part in parts:
        assert part.width() >= 24 and part.height() >= 24 and part.accessibleName() and part.toolTip()
        corner = part.mapTo(panel, QPoint(0, 0))
        assert corner.x() >= 0 and corner.x() + part.width() <= panel.width()
        assert part.focusPolicy() & Qt.FocusPolicy.TabFocus
    charts = [chart for chart in panel.charts.values() if chart.isVisible()]
    areas = [chart.area() for chart in charts]
    assert len({(area.left(), area.width()) for area in areas}) == 1, "one step axis for all"
    assert all(area.bottom() <= chart.height() for chart, area in zip(charts, areas, strict=True))
    assert areas[-1].bottom() + charts[-1].fontMetrics().height() <= charts[-1].height(), "numbers of steps, too"
    assert all(area.height() >= 40 for area in areas), "where there is not enough room, one scrolls"
    scrolled = panel.findChild(QScrollArea)
    assert scrolled.verticalScrollBar().isVisible() == (scrolled.widget().height() > scrolled.viewport().height())


def test_curves_are_made_once_while_only_the_cursor_moves(show: Show) -> None:
    run = made(5000)
    panel = show(run_state_of(run.trace, step=100))
    chart = chart_of(panel, "violation")
    first = chart._curves
    panel.render_scene(scene_of(run_state_of(run.trace, step=200)), theme.LIGHT)
    assert chart._curves is first
    for change in (
        lambda: run.trace.mark(10, 1.0, 2.0, 0.5),
        lambda: run.trace.append(run.notes[:5], run.changes[:5]),
        lambda: panel.resize(510, 450),
        lambda: choose(panel, "steps", 1),
    ):
        change()
        QApplication.sendPostedEvents()
        panel.render_scene(scene_of(run_state_of(run.trace, step=200)), theme.LIGHT)
        assert chart._curves is not first
        first = chart._curves
    panel.render_scene(scene_of(run_state_of(run.trace, step=200)), theme.DARK)
    assert chart._curves is not first
    assert re.match(r"Step 200 of 5\s?005", chart.accessibleDescription())


def test_the_wheel_zooms_all_plots_and_shows_single_steps(show: Show) -> None:
    run = made(100_000, seed=8)
    panel = show(run_state_of(run.trace, step=100))
    chart, other = chart_of(panel, "violation"), chart_of(panel, "counts")
    chart.grab()
    chart.box.scaleBy((1e-4, 1.0))
    chart.box.sigRangeChangedManually.emit(None)
    assert other.box.viewRange()[0] == pytest.approx(chart.box.viewRange()[0])
    scale = chart.scale()
    assert scale.last - scale.first < 30
    (line,) = (mark for mark in chart.marks if isinstance(mark, Line))
    steps = np.asarray(line.x)[::2]
    np.testing.assert_allclose(np.asarray(line.y)[::2], run.values("violation")[np.round(steps).astype(int)])
    QTest.mouseDClick(chart.viewport(), Qt.MouseButton.LeftButton, pos=chart.area().center().toPoint())
    assert not chart.zoomed and not other.zoomed and chart.scale().last == 100_000


def test_the_pointer_reads_what_was_noted_at_the_step(show: Show) -> None:
    """Also where a pixel covers many steps, and where a value is below a logarithmic axis."""
    run = made(100_000, seed=3)
    chart = chart_of(show(run_state_of(run.trace, step=5)), "violation")
    (line,) = chart.lines()
    for index in (0, 101, 350):
        step = round(float(np.asarray(line.x)[index]))
        low, high = run.trace.view().at("violation", step)
        shown = chart.description(line, index)
        assert shown.startswith(f"KKT violation m − M: {exact(low)}") and shown.endswith(f"at step {grouped(step)}")
        assert low <= run.values("violation")[step] <= high
    trace = Trace(("violation",), np.array([2.0]))
    trace.append(np.array([[1.0], [-1e-16]]), np.zeros(2, dtype=np.int64))
    chart = chart_of(show(run_state_of(trace)), "violation")
    (line,) = chart.lines()
    last = len(np.asarray(line.x)) - 1
    assert chart.description(line, last) == "KKT violation m − M: −1.0000e-16 at step 2"
    assert chart.pixels(line.x, line.y)[1][last] == pytest.approx(chart.area().bottom(), abs=6)
