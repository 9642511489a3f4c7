"""The curves of a run: what is painted is what was noted, the numbers are exact, and the hand goes where it points."""

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
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QScrollArea, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.engine.run_state import RunState
from app.features.curves.panel import RECENT, CurvesPanel
from app.features.curves.view_axes import exact
from app.features.curves.view_cells import COLOURS, CURVES, PLOTS, cells_of, curves_of
from app.learners.table import TRAINERS
from app.views import theme
from app.views.charts import strokes
from app.views.charts.scales import StepScale, ValueScale, cell_edges
from app.views.charts.strokes import DASHED, Cells
from app.views.theme import contrast
from solver.core.trace import Trace
from tests.app.features.runs import hands, made, scene_of, smo, study_of
from tests.examples import examples

Array = NDArray[np.float64]
Show = Callable[..., CurvesPanel]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """``show(study)`` opens a panel that shows it."""
    panels: list[CurvesPanel] = []

    def build(
        run_state: RunState | None = None, size: tuple[int, int] = (500, 450), points: int = 0, dark: bool = False
    ) -> CurvesPanel:
        desk = hands()
        panel = CurvesPanel(desk)
        panel.told = desk.playback  # type: ignore[attr-defined]
        panels.append(panel)
        qtbot.addWidget(panel)
        theme.apply(theme.theme_of(dark), panel, points)
        panel.resize(*size)
        panel.show()
        qtbot.waitExposed(panel)
        panel.render_scene(scene_of(run_state), theme.theme_of(dark))
        QApplication.sendPostedEvents()
        panel.grab()  # places the buttons
        return panel

    return build


def asked(panel: CurvesPanel) -> list[tuple[Any, ...]]:
    playback = panel.told  # type: ignore[attr-defined]
    calls = [(name, *args, *kwargs.values()) for name, args, kwargs in playback.mock_calls]
    playback.reset_mock()
    return calls


def choose(panel: CurvesPanel, name: str, row: int) -> None:
    """Go to a row of a choice with the arrow keys."""
    combo = panel.findChild(QComboBox, f"curves.{name}")
    combo.setFocus()
    for _ in range(combo.count()):
        QTest.keyClick(combo, Qt.Key.Key_Up)
    for _ in range(row):
        QTest.keyClick(combo, Qt.Key.Key_Down)


def legend(panel: CurvesPanel, plot: str) -> dict[str, str]:
    """Label and value of each entry."""
    return {each.label: each.value for p in panel.plot.plots() if p.name == plot for each in p.entries}


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
    values, places = run.values("violation")[steps], scale.place(steps)
    # Both roads round: a step at the very edge of two pixels may be told of either.
    pixel = np.ceil(places - 0.5 - 1e-7)
    other = np.ceil(places - 0.5 + 1e-7)
    column = np.ceil(cells.x - 0.5 - 1e-7)
    assert (np.diff(column) > 0).all(), "at most one cell for each pixel"
    assert set(column) <= set(pixel) | set(other)
    for x, low, high in zip(column, cells.low, cells.high, strict=True):
        surely, perhaps = values[(pixel == x) & (other == x)], values[(pixel == x) | (other == x)]
        assert perhaps.min() <= low <= surely.min(initial=np.inf)
        assert perhaps.max() >= high >= surely.max(initial=-np.inf)
    alone = np.array([(pixel == x).sum() == 1 for x in column])
    exactly = np.isclose(cells.x[alone][:, None], places, atol=1e-6).any(axis=1)
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


def test_a_recorded_run_of_smo_is_what_certificates_say_of_every_step() -> None:
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
        trace.mark(5000, 1.0, np.inf, np.nan)  # there was no bound there
    scale = StepScale(first, 5000, columns, log)
    cells = cells_of(trace.view(), "primal", scale)
    known = sorted(step for step in steps if step > 0 or not log)
    earlier = [step for step in known if step < scale.start][-1:]  # the line from there is seen
    expected: dict[float, list[float]] = {}
    for step in earlier + [step for step in known if step >= scale.start]:
        expected.setdefault(float(np.ceil(scale.place(step) - 0.5)), []).append(10.0 + step)
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


@given(
    n=st.integers(2, 200),
    columns=st.integers(20, 200),
    seed=st.integers(0, 99),
    width=st.floats(2, 5),
    wild=st.booleans(),
)
@examples(60)
def test_a_line_covers_the_way_through_its_points(n: int, columns: int, seed: int, width: float, wild: bool) -> None:
    rng = np.random.default_rng(seed)
    rows = 90
    scale = ValueScale(0.0, 1.0, rows - 6.0, 6.0)
    x = np.sort(rng.uniform(0, columns - 1, n)) if not wild else np.linspace(0, columns - 1, min(n, columns))
    x = x[np.concatenate(([True], np.diff(np.ceil(x - 0.5)) > 0))]
    values = rng.uniform(0, 1, len(x)) if wild else np.linspace(0.1, 0.9, len(x)) ** 2
    covered = strokes.coverage(Cells(x, values, values), scale, columns, rows, width)
    # Another road: walk along the polyline in small steps, column by column.
    top, bottom = np.full(columns, np.inf), np.full(columns, -np.inf)
    for column in range(columns):
        inside = x[(x > column - 0.5) & (x <= column + 0.5)]
        at = np.concatenate((np.linspace(column - 0.5, column + 0.5, 50), inside))
        at = at[(at >= x[0]) & (at <= x[-1])]
        if len(at):
            y = np.interp(at, x, scale.place(values))
            top[column], bottom[column] = y.min(), y.max()
    side, half = round(0.5 * (width - 1)), 0.5 * width
    for column in range(columns):
        drawn = np.flatnonzero(covered[:, column])
        if np.isfinite(top[column]):
            whole = covered[int(np.ceil(top[column])) : int(np.floor(bottom[column])), column]
            assert (whole == 255).all() and len(drawn), "no hole in the line"
        near = slice(max(column - side, 0), column + side + 1)
        if len(drawn):
            assert drawn[0] >= np.floor(top[near].min() - half) and drawn[-1] <= bottom[near].max() + half, "no more"


def test_cells_are_joined_at_their_nearest_ends() -> None:
    cells = Cells(np.arange(4.0), np.array([0.1, 0.6, 0.5, 0.0]), np.array([0.2, 0.7, 0.9, 0.1]))
    top, bottom, entry = strokes.spans(cells, ValueScale(0.0, 1.0, 100.0, 0.0), 4)
    # Half-way between 0.2 and 0.6 from the first to the second; these two overlap; then down from 0.5 to 0.1.
    np.testing.assert_allclose(top, [60, 30, 10, 70])
    np.testing.assert_allclose(bottom, [90, 60, 70, 100])
    np.testing.assert_allclose(entry[1:], [60, 30, 70])


def test_lines_are_two_pixels_wide_in_every_direction() -> None:
    flat = strokes.coverage(Cells(np.array([0.0, 50.0]), *(2 * [np.array([0.5, 0.5])])), unit(60), 51, 60, 2.5)
    assert (flat.sum(axis=0) / 255 >= 2.4).all() and (flat.sum(axis=0) / 255 <= 2.6).all()
    steep = strokes.coverage(Cells(np.array([25.0, 26.0]), *(2 * [np.array([0.0, 1.0])])), unit(60), 51, 60, 2.5)
    assert ((steep > 200).sum(axis=1)[5:55] >= 2).all() and ((steep > 0).sum(axis=1)[5:55] <= 4).all()
    slope = np.linspace(0, 1, 51)
    sloping = strokes.coverage(Cells(np.arange(51.0), slope, slope), unit(60), 51, 60, 2.5)
    assert (sloping.sum(axis=0)[3:48] / 255 >= 2 * np.sqrt(2)).all() and (sloping.sum(axis=0) / 255 <= 6).all()


def unit(rows: int) -> ValueScale:
    return ValueScale(0.0, 1.0, rows - 4.0, 4.0)


def test_dashes_are_counted_along_the_line() -> None:
    flat = Cells(np.array([0.0, 219.0]), *(2 * [np.array([0.5, 0.5])]))
    row = strokes.coverage(flat, unit(40), 220, 40, 2.0, DASHED)[20] > 0
    assert np.flatnonzero(np.diff(row.astype(int)) == 1)[:4].tolist() == [10, 21, 32, 43], "a period of 11 pixels"
    assert 0.5 < row.mean() < 0.7
    steep = Cells(np.array([30.0, 31.0]), *(2 * [np.array([0.0, 1.0])]))
    column = strokes.coverage(steep, unit(400), 60, 400, 2.0, DASHED)[:, 30] > 0
    assert 0.5 < column[210:390].mean() < 0.7, "up and down, too"


def ink_of(image: QImage, area: Any, colour: QColor) -> NDArray[np.bool_]:
    """Which pixels of `area` have exactly this colour."""
    x, y, w, h = (round(v) for v in area.getRect())
    return np.array([[image.pixel(x + c, y + r) == colour.rgb() for c in range(w)] for r in range(h)])


@pytest.mark.parametrize("length", [150, 5000, 40_000])
@pytest.mark.parametrize("log", [False, True])
def test_what_is_painted_is_what_was_noted(show: Show, length: int, log: bool) -> None:
    run = made(length, ("margin",), seed=length)
    panel = show(study_of(run.trace, step=0))
    choose(panel, "steps", int(log))
    area = panel.plot.area("margin")
    seen = ink_of(panel.plot.grab().toImage(), area, QColor(*COLOURS[0][0]))
    rows, columns = seen.shape
    scale = StepScale(0, length, columns, log)
    values = run.values("margin")
    heights = ValueScale(0.0, 100.0, rows - 3.0, 4.0).place(values)
    steps = np.arange(scale.start, length + 1)
    pixel = np.ceil(scale.place(steps) - 0.5).astype(int)
    for column in range(6, columns - 6):  # the cursor lies over the first ones
        own = heights[steps[pixel == column]]
        drawn = np.flatnonzero(seen[:, column])
        if len(own) and len(drawn):
            assert drawn[0] <= own.min() + 1 and drawn[-1] >= own.max() - 2, "all of it is there"
        near = np.abs(pixel - column) <= 2
        if len(drawn) and len(set(pixel[near])) == 5:  # else a line comes in from further away
            about = heights[steps[near]]
            assert drawn[0] >= about.min() - 2.5 and drawn[-1] <= about.max() + 2.5, "and nothing else"
    assert seen.any(axis=0)[6:-6].mean() > 0.9


def test_strokes_below_mark_the_changes(show: Show) -> None:
    run = made(2000, seed=5, share=0.02)
    panel = show(study_of(run.trace, step=0))
    area = panel.plot.area("counts")
    image, columns = panel.plot.grab().toImage(), round(area.width())
    ink, row = QColor(*theme.LIGHT.ink).rgb(), round(area.bottom()) + 2
    seen = [image.pixel(round(area.left()) + x, row) == ink for x in range(columns)]
    expected = np.zeros(columns, dtype=bool)
    expected[np.ceil((np.flatnonzero(run.changes) + 1) / 2000 * (columns - 1) - 0.5).astype(int)] = True
    assert seen[6:] == expected[6:].tolist() and 10 < expected.sum() < columns / 3


# -- numbers -----------------------------------------------------------------------------------------------------------


def test_the_legend_gives_the_numbers_at_the_cursor(show: Show) -> None:
    run = made(400, seed=4)
    run.trace.mark(120, 3.0, 4.5, 0.012345678)
    run.trace.mark(300, 3.0, 4.25, 0.001)
    panel = show(study_of(run.trace, step=137))
    dual, violation, free, bounded = run.notes[137]
    first = legend(panel, "objective")
    assert first["dual D"] == f"{dual:#.5g}" and first["primal P"] == "4.5000" and first["gap (P − D)/P"] == "1.2346 %"
    assert "(P, gap: at 2 marked steps; here 120)" in first
    assert legend(panel, "violation") == {"KKT violation m − M": f"{violation:#.5g}", "tolerance": "1e-3"}
    counts = legend(panel, "counts")
    assert (counts["free SVs, 0<α<C"], counts["bounded, α=C"]) == (f"{free:.0f}", f"{bounded:.0f}")
    said = panel.plot.accessibleDescription()
    assert said.startswith("Step 137 of 400.") and f"Dual {dual:#.5g}." in said and "Primal 4.5000 at step 120." in said
    assert f"KKT violation {violation:#.5g}." in said and f"{free:.0f}." in said
    panel.render_scene(scene_of(study_of(run.trace, step=300)), theme.LIGHT)
    assert "(P, gap: at 2 marked steps)" in legend(panel, "objective")
    panel.render_scene(scene_of(study_of(run.trace, step=50)), theme.LIGHT)
    assert legend(panel, "objective")["primal P"] == "–", "not known so early"
    long = made(9000, seed=6, limit=500)
    panel.render_scene(scene_of(study_of(long.trace, step=4321)), theme.LIGHT)
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
    assert exact(0.5, percent=True) == "50.000 %" and exact(12345, whole=True) == "12\u202f345"


@given(
    low=st.floats(-1e6, 1e6),
    span=st.one_of(st.just(0.0), st.floats(1e-6, 1e6)),
    log=st.booleans(),
    whole=st.booleans(),
    height=st.integers(20, 600),
)
@examples(200)
def test_axes_hold_their_values_and_name_round_numbers(
    low: float, span: float, log: bool, whole: bool, height: int
) -> None:
    if log or whole:
        low = abs(low) + 1e-3
    high = low + span
    scale = ValueScale.around(low, high, height - 3.0, 4.0, log=log, whole=whole)
    slight = 1e-8 * max(abs(low), abs(high))
    assert scale.low <= low + slight and scale.high >= high - slight and scale.low < scale.high
    assert 4.0 <= scale.place(high) <= scale.place(low) <= height - 3.0
    ticks = scale.ticks(18)
    assert ticks and all(4.0 - 1e-6 <= place <= height - 3.0 + 1e-6 for place, _ in ticks)
    assert len({text for _, text in ticks}) == len(ticks), "no number twice"
    texts = [text for _, text in ticks]
    assert any("e" in text for text in texts) or log or len({len(text.partition(".")[2]) for text in texts}) == 1
    assert not any(text.startswith("-") for text in texts)
    for place, text in ticks:
        number = float(text.replace("−", "-"))
        assert abs(scale.place(number) - place) <= 0.5
        assert not (whole and not log) or number == round(number)
    if len(ticks) > 2:
        assert np.abs(np.diff([place for place, _ in ticks])).min() >= 17.9


@given(first=st.integers(0, 10**7), span=st.integers(0, 10**7), columns=st.integers(50, 2000), log=st.booleans())
@examples(200)
def test_the_step_axis_names_steps(first: int, span: int, columns: int, log: bool) -> None:
    scale = StepScale(first, first + span, columns, log)
    ticks = scale.ticks(60)
    for place, text in ticks:
        step = int(text.replace("\u202f", ""))
        assert scale.first <= step <= scale.last and abs(float(scale.place(step)) - place) < 1e-6
    assert len(ticks) <= max(2, columns / 60) + 1


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
    assert curves_of(pegasos.view()) == {"objective": ["dual", "primal", "gap"]}
    panel = show(study_of(pegasos, step=450, trainer=TRAINERS["pegasos"]))
    assert legend(panel, "objective") == {
        "dual D": "0.60000",
        "primal P": "0.70000",
        "gap (P − D)/P": "14.286 %",
        "(D, P, gap: at 2 marked steps; here 400)": "",
    }
    panel.render_scene(scene_of(study_of(made(10, ("wrong", "margin")).trace)), theme.LIGHT)
    assert set(legend(panel, "counts")) == {"wrong points", "first mistake on a point"}
    panel.grab()


def test_every_row_of_the_table_can_be_drawn() -> None:
    for name, spec in CURVES.items():
        assert spec.plot in PLOTS and 0 <= spec.colour < len(COLOURS), name
    for plot in PLOTS:  # by dash or colour, and never by colour alone
        own = [(spec.dash, spec.sign if spec.landmark > 0 else "") for spec in CURVES.values() if spec.plot == plot]
        assert len(set(own)) == len(own)
    for row in COLOURS:
        assert contrast(row[0], theme.LIGHT.background) >= 4.5 and contrast(row[1], theme.DARK.background) >= 4.5


def test_nothing_to_draw(show: Show) -> None:
    empty = show(None)
    blank = empty.plot.grab().toImage()
    assert "No run" in empty.plot.accessibleDescription()
    QTest.mouseClick(empty.plot, Qt.MouseButton.LeftButton, pos=QPoint(200, 200))
    QTest.keyClick(empty.plot, Qt.Key.Key_Right)
    assert asked(empty) == []
    toggles = empty.findChildren(QToolButton)
    assert toggles and not any(button.isVisible() for button in toggles)
    for run_state in (study_of(Trace((), np.empty(0))), study_of(made(0).trace, ended=False)):
        empty.render_scene(scene_of(run_state), theme.LIGHT)
        assert empty.plot.grab().toImage() != blank
    for row in (0, 1):  # a run without any step has axes already
        choose(empty, "steps", row)
        empty.plot.grab()
    QTest.mouseClick(empty.plot, Qt.MouseButton.LeftButton, pos=QPoint(200, 200))
    assert asked(empty) == [], "there is no other step to go to"
    empty.render_scene(scene_of(None), theme.LIGHT)
    assert empty.plot.grab().toImage() == blank


# -- the hand ----------------------------------------------------------------------------------------------------------


def press(panel: CurvesPanel, x: float) -> None:
    QTest.mousePress(panel.plot, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 200))


@pytest.mark.parametrize("log", [False, True])
@pytest.mark.parametrize(("length", "first"), [(1, 0), (400, 0), (90_000, 0), (90_000, 89_000)])
def test_clicks_go_to_the_step_under_the_pointer(show: Show, length: int, first: int, log: bool) -> None:
    panel = show(study_of(made(length, ("violation",)).trace, step=0))
    choose(panel, "steps", int(log))
    choose(panel, "range", int(first > 0))
    left, width = panel.plot.area("violation").left(), panel.plot.area("violation").width()
    for x, expected in (
        (left + width - 1, length),
        (left, max(first, int(log))),
        (left + width + 30, length),
        (left - 10, first),
    ):
        press(panel, x)
        QTest.mouseRelease(panel.plot, Qt.MouseButton.LeftButton, pos=QPoint(round(x), 200))
        assert asked(panel) == ([("seek", 0, expected)] if expected != previous_of(panel) else [])
        assert panel.plot.cursor_step == expected
        panel.previous = expected
    scale = StepScale(first, length, round(width), log)
    for place in (0.25, 0.5, 0.75):
        x = round(left + place * width)
        press(panel, x)
        QTest.mouseRelease(panel.plot, Qt.MouseButton.LeftButton, pos=QPoint(x, 200))
        expected = scale.step_at(x - left)
        assert asked(panel) in ([("seek", 0, expected)], []) and panel.plot.cursor_step == expected


def previous_of(panel: CurvesPanel) -> int:
    return getattr(panel, "previous", 0)


def test_the_cursor_follows_the_hand_and_the_axis_stands_still(show: Show) -> None:
    run, longer = made(1000, seed=7), made(4000, seed=7)
    panel = show(study_of(run.trace, step=100))
    plot = panel.plot
    left, width = plot.area("violation").left(), plot.area("violation").width()
    press(panel, left + 200)
    step = round(200 / (width - 1) * 1000)
    assert asked(panel) == [("seek", 0, step)]
    panel.render_scene(scene_of(study_of(longer.trace, step=110)), theme.LIGHT)
    assert plot.cursor_step == step and plot.step_scale().last == 1000
    assert legend(panel, "violation")["KKT violation m − M"] == exact(longer.values("violation")[step])
    assert cursor_at(panel) == pytest.approx(left + 200, abs=1.5)
    QTest.mouseMove(plot, QPoint(round(left) + 200, 260))
    assert asked(panel) == [], "up and down is no other step"
    QTest.mouseMove(plot, QPoint(round(left) + 260, 260))
    moved = round(260 / (width - 1) * 1000)
    assert asked(panel) == [("seek", 0, moved)] and cursor_at(panel) == pytest.approx(left + 260, abs=1.5)
    QTest.mouseRelease(plot, Qt.MouseButton.LeftButton, pos=QPoint(round(left) + 260, 260))
    assert asked(panel) == [] and plot.cursor_step == moved and plot.step_scale().last == 4000
    panel.render_scene(scene_of(study_of(longer.trace, step=moved - 1)), theme.LIGHT)
    assert plot.cursor_step == moved - 1, "without a hand, the scene rules"
    QTest.mouseMove(plot, QPoint(round(left) + 300, 260))
    assert asked(panel) == []


def cursor_at(panel: CurvesPanel) -> float:
    area = panel.plot.area("violation")
    image, accent = panel.plot.grab().toImage(), QColor(*theme.LIGHT.accent).rgb()
    row = round(area.top()) + 2
    columns = [x for x in range(image.width()) if image.pixel(x, row) == accent]
    assert columns
    return 0.5 * (columns[0] + columns[-1])


def test_another_run_ends_the_drag(show: Show) -> None:
    panel = show(study_of(made(1000).trace, step=100))
    left = panel.plot.area("violation").left()
    press(panel, left + 200)
    asked(panel)
    panel.render_scene(scene_of(study_of(made(50).trace, step=5, recording=2)), theme.LIGHT)
    assert panel.plot.cursor_step == 5
    QTest.mouseMove(panel.plot, QPoint(round(left) + 250, 200))
    assert asked(panel) == []
    press(panel, left + 200)
    asked(panel)
    panel.render_scene(scene_of(study_of(made(50).trace, step=6, recording=2), lane=1), theme.LIGHT)
    QTest.mouseMove(panel.plot, QPoint(round(left) + 250, 200))
    assert asked(panel) == [] and panel.plot.cursor_step == 6


def test_keys_go_step_by_step(show: Show) -> None:
    panel = show(study_of(made(400).trace, step=137))
    for key, expected in (
        (Qt.Key.Key_Left, ("step", 0, -1)),
        (Qt.Key.Key_PageUp, ("step", 0, 20)),
        (Qt.Key.Key_Period, ("step", 0, 1)),
        (Qt.Key.Key_Home, ("to_start", 0)),
    ):
        QTest.keyClick(panel.plot, key)
        assert asked(panel) == [expected]


# -- choices -----------------------------------------------------------------------------------------------------------


def test_choices_of_the_axes(show: Show) -> None:
    panel = show(study_of(made(5000).trace, step=2000))
    plot = panel.plot
    assert plot.step_scale() == StepScale(0, 5000, round(plot.area("counts").width()), log=False)
    choose(panel, "range", 1)
    assert plot.step_scale().first == 5000 - RECENT
    choose(panel, "steps", 1)
    assert plot.step_scale().log and plot.step_scale().start == 4000
    choose(panel, "range", 0)
    assert plot.step_scale().start == 1, "there is no step 0 on a logarithmic axis"
    toggles = {name: panel.findChild(QToolButton, f"curves.log.{name}") for name in ("objective", "violation")}
    assert [button.isChecked() for button in toggles.values()] == [False, True]
    for button in toggles.values():
        before = plot.grab().toImage()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        button.setDown(False)
        assert plot.grab().toImage() != before
    assert [button.isChecked() for button in toggles.values()] == [True, False]


def test_values_that_are_not_positive_leave_a_logarithmic_axis_alive(show: Show) -> None:
    trace = Trace(("dual", "violation"), np.array([0.0, 2.0]))
    trace.append(np.array([[-1.0, 1.0], [0.0, 0.0], [3.0, -1e-16]]), np.zeros(3, dtype=np.int64))
    panel = show(study_of(trace))
    QTest.mouseClick(panel.findChild(QToolButton, "curves.log.objective"), Qt.MouseButton.LeftButton)
    panel.grab()
    assert legend(panel, "violation")["KKT violation m − M"] == "−1.0000e-16", "the number is the true one"
    none = Trace(("dual", "violation"), np.array([0.0, 0.0]))
    none.append(np.array([[-1.0, -1.0]]), np.zeros(1, dtype=np.int64))
    panel.render_scene(scene_of(study_of(none, recording=2, tol=1e-3)), theme.LIGHT)
    panel.grab()


@pytest.mark.parametrize(("size", "points"), [((500, 450), 0), ((300, 300), 0), ((360, 520), 14), ((900, 600), 14)])
def test_everything_stays_inside_and_can_be_hit(show: Show, size: tuple[int, int], points: int) -> None:
    run = made(5000)
    run.trace.mark(4000, 1.0, 2.0, 0.5)
    panel = show(study_of(run.trace), size, points)
    assert panel.minimumSizeHint().width() <= 360
    parts: list[QWidget] = [*panel.findChildren(QComboBox), *panel.findChildren(QToolButton)]
    assert len(parts) == 4
    for part in parts:
        assert part.width() >= 24 and part.height() >= 24 and part.accessibleName() and part.toolTip()
        corner = part.mapTo(panel, QPoint(0, 0))
        assert corner.x() >= 0 and corner.x() + part.width() <= panel.width()
        assert part.focusPolicy() & Qt.FocusPolicy.TabFocus
    plots = panel.plot.plots()
    areas = [plot.area for plot in plots]
    assert len({(area.left(), area.width()) for area in areas}) == 1, "one step axis for all"
    for above, below in pairwise(plots):
        assert above.area.bottom() <= below.legend.top() and below.legend.bottom() <= below.area.top()
    assert areas[-1].bottom() + panel.plot.fontMetrics().height() <= panel.plot.height(), "numbers of steps, too"
    assert all(area.height() >= 44 for area in areas), "where there is not enough room, one scrolls"
    scrolled = panel.findChild(QScrollArea)
    cut = panel.plot.height() > scrolled.viewport().height()
    assert scrolled.verticalScrollBar().isVisible() == cut and (cut if size[1] == 300 else not cut or points)


def test_a_cursor_that_is_not_on_the_axis_is_shown_at_its_edge(show: Show) -> None:
    panel = show(study_of(made(5000).trace, step=2000))
    choose(panel, "range", 1)
    area = panel.plot.area("objective")
    image, accent = panel.plot.grab().toImage(), QColor(*theme.LIGHT.accent).rgb()
    columns, rows = range(int(area.left()), int(area.right())), range(int(area.top()), int(area.bottom()))
    found = [(x, y) for y in rows for x in columns if image.pixel(x, y) == accent]
    assert found and all(x <= area.left() + 10 and y <= area.top() + 20 for x, y in found)


def test_the_same_picture_is_kept_while_only_the_cursor_moves(show: Show) -> None:
    def kept() -> int:
        return int(panel.plot._picture.cacheKey())

    run = made(5000)
    panel = show(study_of(run.trace, step=100))
    first = kept()
    panel.render_scene(scene_of(study_of(run.trace, step=200)), theme.LIGHT)
    panel.plot.grab()
    assert kept() == first
    for change in (
        lambda: run.trace.mark(10, 1.0, 2.0, 0.5),
        lambda: run.trace.mark(20, 1.0, 3.0, 0.5),
        lambda: run.trace.append(run.notes[:5], run.changes[:5]),
        lambda: panel.resize(510, 450),
        lambda: choose(panel, "steps", 1),
    ):
        change()
        panel.render_scene(scene_of(study_of(run.trace, step=200)), theme.LIGHT)
        QApplication.sendPostedEvents()
        panel.plot.grab()
        assert kept() != first
        panel.plot.grab()  # numbers of another width may ask for more room
        first = kept()
    panel.render_scene(scene_of(study_of(run.trace, step=200)), theme.DARK)
    panel.plot.grab()
    assert kept() != first
    assert re.match(r"Step 200 of 5\s?005", panel.plot.accessibleDescription())
