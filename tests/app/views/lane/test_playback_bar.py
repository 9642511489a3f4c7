"""The bar below a picture and its timeline: the request of each click, drag and key, and the display."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QToolButton, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from app.engine.run_state import RunState
from app.state.session import FULL_SPEED
from app.views import theme
from app.views.chart.steps import StepScale
from app.window.lane.playback_bar import PlaybackBar
from app.window.lane.timeline import SIDE, Timeline
from tests.app.features.runs import hands, lane_of, made, run_state_of, smo
from tests.examples import examples
from tests.windows import Make, settle

BUTTONS = ("start", "previous_change", "back", "play", "forward", "next_change", "end")
Show = Callable[..., PlaybackBar]


@pytest.fixture
def show(qtbot: QtBot) -> Show:
    """Return ``show(run)``, which opens a bar of lane 0 with this run."""
    windows: list[QWidget] = []

    def build(
        run_state: RunState | None = None, playing: bool = False, width: int = 520, points: int = 0, dark: bool = False
    ) -> PlaybackBar:
        window = QWidget()
        windows.append(window)  # qtbot alone does not keep it
        setup = hands()
        bar = PlaybackBar(0, setup)
        bar.reports = setup.playback  # type: ignore[attr-defined]
        layout = QVBoxLayout(window)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(bar)
        qtbot.addWidget(window)
        theme.apply(theme.theme_of(dark), window, points)
        window.resize(width, 60)
        window.show()
        qtbot.waitExposed(window)
        bar.render_scene(lane_of(run_state, playing), theme.theme_of(dark))
        QApplication.sendPostedEvents()
        return bar

    return build


def button(bar: PlaybackBar, name: str) -> QToolButton:
    found = bar.findChild(QToolButton, f"lane0.transport.{name}")
    assert found is not None
    return found


def counter(bar: PlaybackBar) -> QLabel:
    found = bar.findChild(QLabel, "lane0.transport.step")
    assert found is not None
    return found


def asked(bar: PlaybackBar) -> list[tuple[Any, ...]]:
    """Return the calls of the playback since the last time: names and arguments."""
    playback = bar.reports  # type: ignore[attr-defined]
    calls = [(name, *args, *kwargs.values()) for name, args, kwargs in playback.mock_calls]
    playback.reset_mock()
    return calls


def press(line: Timeline, x: int) -> None:
    QTest.mousePress(line, Qt.MouseButton.LeftButton, pos=QPoint(x, line.height() // 2))


def drag(line: Timeline, x: int) -> None:
    QTest.mouseMove(line, QPoint(x, line.height() // 2))


def release(line: Timeline, x: int) -> None:
    QTest.mouseRelease(line, Qt.MouseButton.LeftButton, pos=QPoint(x, line.height() // 2))


def click(line: Timeline, x: int) -> None:
    press(line, x)
    release(line, x)


def right_end(line: Timeline) -> int:
    return line.width() - SIDE - 1


# -- steps and pixels --------------------------------------------------------------------------------------------------


@given(
    first=st.integers(0, 10**6),
    span=st.integers(0, 10**6),
    columns=st.integers(2, 3000),
    log=st.booleans(),
    share=st.floats(0, 1),
)
@examples(200)
def test_a_step_is_at_its_pixel(first: int, span: int, columns: int, log: bool, share: float) -> None:
    scale = StepScale(first, first + span, columns, log)
    assert scale.step_at(0) == min(scale.start, scale.last) and scale.step_at(-5) == scale.step_at(0)
    assert scale.step_at(columns - 1) == scale.last == scale.step_at(columns + 5)
    step = min(scale.start + round(share * span), scale.last)
    if step >= scale.start:
        assert scale.step_at(float(scale.pixels(step))) == step
        assert -1e-9 <= scale.pixels(step) <= columns - 1 + 1e-9


@given(first=st.integers(0, 300), span=st.integers(0, 300), columns=st.integers(2, 200), log=st.booleans())
@examples(60)
def test_each_step_belongs_to_the_pixel_it_is_drawn_at(first: int, span: int, columns: int, log: bool) -> None:
    scale = StepScale(first, first + span, columns, log)
    edges = scale.edges()
    assert (np.diff(edges) >= 0).all() and len(edges) == columns + 1
    steps = np.arange(scale.start, scale.last + 1)
    inside = (edges[:-1, None] < steps) & (steps <= edges[1:, None])
    assert (inside.sum(axis=0) == 1).all()
    assert (np.abs(inside.argmax(axis=0) - scale.pixels(steps)) <= 0.5 + 1e-6).all()


# -- the timeline ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [1, 2, 7, 400, 90_000, 10**6])
def test_clicks_reach_both_ends_and_the_step_under_the_pointer(show: Show, length: int) -> None:
    bar = show(run_state_of(made(length, ("violation",), share=0.0).trace, step=length // 2))
    line = bar.timeline
    click(line, right_end(line))
    assert asked(bar) == [("seek", 0, length)]
    click(line, SIDE)
    assert asked(bar) == [("seek", 0, 0)]
    click(line, line.width() - 1)
    click(line, 0)
    assert asked(bar) == [("seek", 0, length), ("seek", 0, 0)], "beyond the ends lie the ends"
    columns = line.width() - 2 * SIDE
    for x in (SIDE + columns // 3, SIDE + columns - 5):
        click(line, x)
        nearest = round((x - SIDE) / (columns - 1) * length)
        assert asked(bar) in ([("seek", 0, nearest)], [])  # no call if it is there already
        assert line.sliderPosition() == nearest


def test_the_handle_follows_the_drag_and_not_the_frames(show: Show) -> None:
    run = made(1000)
    bar = show(run_state_of(run.trace, step=100))
    line, light = bar.timeline, theme.LIGHT
    columns = line.width() - 2 * SIDE
    press(line, SIDE + columns // 2)
    (first,) = asked(bar)
    assert first[:2] == ("seek", 0) and abs(first[2] - 500) <= 5
    # An older frame, and one of a run that has grown: during the drag, handle and scale stay.
    longer = made(4000)
    for run_state in (run_state_of(run.trace, step=120), run_state_of(longer.trace, step=130)):
        bar.render_scene(lane_of(run_state), light)
        assert line.sliderPosition() == first[2] and line.maximum() == 1000
        assert handle_at(line) == pytest.approx(SIDE + columns // 2, abs=1)
    drag(line, SIDE + columns // 2)
    assert asked(bar) == [], "where it is already"
    drag(line, SIDE + columns // 2 + 40)
    drag(line, SIDE + columns // 2 + 40)
    bar.render_scene(lane_of(run_state_of(longer.trace, step=first[2])), light)
    drag(line, SIDE + columns // 2 + 41)
    steps = [round((columns // 2 + dx) / (columns - 1) * 1000) for dx in (40, 41)]
    assert asked(bar) == [("seek", 0, steps[0]), ("seek", 0, steps[1])], "one wish for each change"
    assert handle_at(line) == pytest.approx(SIDE + columns // 2 + 41, abs=1)
    release(line, SIDE + columns // 2 + 41)
    assert asked(bar) == [] and line.sliderPosition() == steps[1] and line.maximum() == 4000
    bar.render_scene(lane_of(run_state_of(longer.trace, step=steps[1] - 3)), light)
    assert line.value() == line.sliderPosition() == steps[1] - 3, "without a hand, the scene rules"


def test_taking_hold_of_the_handle_moves_nothing(show: Show) -> None:
    bar = show(run_state_of(made(90_000, ("violation",)).trace, step=40_001))
    line = bar.timeline
    at = SIDE + round(40_001 / 90_000 * (line.width() - 2 * SIDE - 1))
    click(line, at)
    assert asked(bar) == [] and line.sliderPosition() == 40_001
    QTest.mouseClick(line, Qt.MouseButton.RightButton, pos=QPoint(at + 30, 10))
    assert asked(bar) == []


def test_another_run_ends_the_drag(show: Show) -> None:
    bar = show(run_state_of(made(1000).trace, step=100))
    line = bar.timeline
    press(line, SIDE + 50)
    asked(bar)
    bar.render_scene(lane_of(run_state_of(made(30).trace, step=3, recording=2)), theme.LIGHT)
    assert not line.isSliderDown() and (line.value(), line.maximum()) == (3, 30)
    drag(line, SIDE + 80)
    release(line, SIDE + 80)
    assert asked(bar) == [], "the wish was said of a run that is no more"


def handle_at(line: Timeline) -> float:
    """Return the middle of the columns whose uppermost rows have the accent: only the handle is so high."""
    image = line.grab().toImage()
    accent = QColor(*theme.LIGHT.accent).rgb()
    row = round(0.5 * (line.height() - 6)) - 6
    columns = [x for x in range(image.width()) if image.pixel(x, row) == accent]
    assert columns
    return 0.5 * (columns[0] + columns[-1])


def marks_of(line: Timeline, image: QImage, ink: int) -> list[bool]:
    """Return whether each column of the groove has a stroke."""
    row = round(0.5 * (line.height() - 6)) + 8
    return [image.pixel(x, row) == ink for x in range(SIDE, line.width() - SIDE)]


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("length", [150, 2000, 60_000])
def test_strokes_stand_exactly_where_the_support_vectors_change(show: Show, length: int, dark: bool) -> None:
    run = made(length, ("violation",), seed=length, share=30 / length)
    bar = show(run_state_of(run.trace, step=0), dark=dark)
    line = bar.timeline
    columns = line.width() - 2 * SIDE
    steps = np.flatnonzero(run.changes) + 1
    expected = np.zeros(columns, dtype=bool)
    expected[np.ceil(steps / length * (columns - 1) - 0.5).astype(int)] = True
    visible = marks_of(line, line.grab().toImage(), QColor(*(theme.DARK if dark else theme.LIGHT).ink).rgb())
    if length / columns < 100:
        assert visible[8:] == expected[8:].tolist(), "(the handle hides some at the start)"
    else:  # cells of many steps end at the trace's entries, up to a fourteenth of a pixel away
        near = np.convolve(expected, [1, 1, 1], "same") > 0
        assert sum(visible) >= 0.9 * expected.sum() - 2 and not (np.array(visible) & ~near)[8:].any()
    assert 5 < sum(visible) < columns


def test_a_recorded_run_shows_its_changes(show: Show) -> None:
    run = smo()
    bar = show(run_state_of(run.trace, step=0), width=600)
    line, columns = bar.timeline, bar.timeline.width() - 2 * SIDE
    length = run.trace.length
    assert length < columns and 3 < (run.changes > 0).sum() < length
    expected = np.ceil((np.flatnonzero(run.changes) + 1) / length * (columns - 1) - 0.5).astype(int)
    visible = np.flatnonzero(marks_of(line, line.grab().toImage(), QColor(*theme.LIGHT.ink).rgb()))
    assert visible[visible > 8].tolist() == expected[expected > 8].tolist()


def test_keys_of_the_timeline(show: Show) -> None:
    bar = show(run_state_of(made(400).trace, step=137))
    line, key = bar.timeline, Qt.Key
    line.window().activateWindow()
    line.setFocus()
    for press_key, expected in (
        (key.Key_Left, ("step", 0, -1)),
        (key.Key_Right, ("step", 0, 1)),
        (key.Key_Down, ("step", 0, -1)),
        (key.Key_Up, ("step", 0, 1)),
        (key.Key_Comma, ("step", 0, -1)),
        (key.Key_Period, ("step", 0, 1)),
        (key.Key_PageUp, ("step", 0, 20)),
        (key.Key_PageDown, ("step", 0, -20)),
        (key.Key_Home, ("to_start", 0)),
        (key.Key_End, ("to_end", 0)),
    ):
        QTest.keyClick(line, press_key)
        assert asked(bar) == [expected], press_key
    for other, held in (
        (key.Key_Space, Qt.KeyboardModifier.NoModifier),
        (key.Key_A, Qt.KeyboardModifier.NoModifier),
        (key.Key_Right, Qt.KeyboardModifier.AltModifier),
    ):
        QTest.keyClick(line, other, held)
        assert asked(bar) == [], "left to the window"
    assert line.value() == 137, "only the scene moves the handle"


def test_screen_readers_read_and_move_it(show: Show) -> None:
    bar = show(run_state_of(made(400).trace, step=137))
    line = bar.timeline
    interface = QAccessible.queryAccessibleInterface(line)
    assert interface.role() == QAccessible.Role.Slider
    assert "classifier 1" in interface.text(QAccessible.Text.Name)
    value = interface.valueInterface()
    assert (value.minimumValue(), value.currentValue(), value.maximumValue()) == (0, 137, 400)
    value.setCurrentValue(200)
    assert asked(bar) == [("seek", 0, 200)]
    assert "Step 137 of 400" in counter(bar).accessibleDescription()


# -- the buttons -------------------------------------------------------------------------------------------------------


def test_each_button_asks_for_its_own(show: Show) -> None:
    bar = show(run_state_of(made(400).trace, step=137, ended=False))
    expected = (
        ("to_start", 0),
        ("to_change", 0, False),
        ("step", 0, -1),
        ("toggle", 0),
        ("step", 0, 1),
        ("to_change", 0, True),
        ("to_end", 0),
    )
    for name, call in zip(BUTTONS, expected, strict=True):
        QTest.mouseClick(button(bar, name), Qt.MouseButton.LeftButton)
        assert asked(bar) == [call], name


def enabled(bar: PlaybackBar) -> list[str]:
    return [name for name in BUTTONS if button(bar, name).isEnabled()]


def test_what_leads_nowhere_is_grey(show: Show) -> None:
    run = made(400)
    bar = show(None)
    assert enabled(bar) == [] and not bar.timeline.isEnabled() and counter(bar).text() == "no run yet"
    click(bar.timeline, 100)
    QTest.keyClick(bar.timeline, Qt.Key.Key_Right)
    assert asked(bar) == []
    back, on = list(BUTTONS[:3]), list(BUTTONS[4:])
    for run_state, expected in (
        (run_state_of(run.trace, step=0), ["play", *on]),
        (run_state_of(run.trace, step=400), [*back, "play"]),
        (run_state_of(run.trace, step=399), list(BUTTONS)),
        (run_state_of(run.trace, step=400, ended=False), list(BUTTONS)),
    ):
        bar.render_scene(lane_of(run_state), theme.LIGHT)
        assert enabled(bar) == expected and bar.timeline.isEnabled()
    bar.render_scene(lane_of(None), theme.LIGHT)
    assert enabled(bar) == [] and bar.timeline.maximum() == 0


def test_the_tip_of_play_explains_what_a_press_does(show: Show) -> None:
    run = made(400)
    bar = show(run_state_of(run.trace, step=10), playing=True)
    play = button(bar, "play")
    pause = play.icon().pixmap(20).toImage()
    assert play.toolTip() == "Pause (Space)." and play.accessibleName() == "Pause, classifier 1"
    bar.render_scene(lane_of(run_state_of(run.trace, step=10)), theme.LIGHT)
    assert play.toolTip() == "Play (Space)." and play.icon().pixmap(20).toImage() != pause
    bar.render_scene(lane_of(run_state_of(run.trace)), theme.LIGHT)
    assert play.toolTip() == "Play again from the start (Space)."
    light = [button(bar, name).icon().pixmap(20).toImage() for name in BUTTONS]
    bar.render_scene(lane_of(run_state_of(run.trace)), theme.DARK)
    dark = [button(bar, name).icon().pixmap(20).toImage() for name in BUTTONS]
    assert all(a != b for a, b in zip(light, dark, strict=True)), "in the theme's ink"
    assert all(a != b for row in (light, dark) for i, a in enumerate(row) for b in row[:i]), "each has its own sign"


@pytest.mark.parametrize(("width", "points"), [(370, 0), (430, 14), (520, 14), (800, 0)])
def test_everything_fits_and_can_be_hit(show: Show, width: int, points: int) -> None:
    bar = show(run_state_of(made(90_000, ("violation",)).trace, step=40_001), width=width, points=points)
    assert bar.minimumSizeHint().width() <= width == bar.width() and bar.height() <= (42 if points else 34)
    parts: list[QWidget] = [*(button(bar, name) for name in BUTTONS), bar.timeline, counter(bar)]
    for part in parts[:-1]:
        assert part.width() >= 24 and part.height() >= 24 and part.toolTip() and part.accessibleName()
        assert part.height() <= bar.height() and part.focusPolicy() & Qt.FocusPolicy.TabFocus
    lefts = [part.mapTo(bar, QPoint(0, 0)).x() for part in parts]
    edges = [(left, left + part.width()) for left, part in zip(lefts, parts, strict=True)]
    assert all(a[1] <= b[0] for a, b in pairwise(edges)) and edges[-1][1] <= width
    text = counter(bar)
    assert "40\u202f001" in text.text()
    assert text.fontMetrics().horizontalAdvance(text.text()) <= text.width(), "not cut off"
    assert bar.timeline.width() >= 64


@pytest.mark.parametrize(("width", "gone", "counted"), [(300, True, True), (240, True, False), (520, False, True)])
def test_where_there_is_little_room_what_has_other_ways_goes(show: Show, width: int, gone: bool, counted: bool) -> None:
    bar = show(run_state_of(made(90_000, ("violation",)).trace, step=40_001), width=width)
    assert bar.width() == width
    for name in BUTTONS:
        assert button(bar, name).isHidden() == (gone and name.endswith("_change"))
    assert counter(bar).isVisible() == counted and bar.timeline.width() >= 64
    shown = [part for part in bar.children() if isinstance(part, QWidget) and part.isVisible()]
    edges = sorted((part.x(), part.x() + part.width()) for part in shown)
    assert all(a[1] <= b[0] for a, b in pairwise(edges)) and edges[-1][1] <= width, "nothing lies over another"
    bar.window().resize(600, 60)
    QApplication.sendPostedEvents()
    assert not any(button(bar, name).isHidden() for name in BUTTONS) and counter(bar).isVisible()


def test_the_counter_in_all_its_forms_keeps_its_width(show: Show) -> None:
    run = made(412)
    bar = show(run_state_of(run.trace, step=137), width=700)
    label = counter(bar)
    assert label.text() == "step 137 of 412" and label.toolTip() == "Step 137 of 412, where the run has ended."
    room, line = label.width(), bar.timeline.width()
    for step in (0, 9, 88, 412):
        bar.render_scene(lane_of(run_state_of(run.trace, step=step, ended=False)), theme.LIGHT)
        QApplication.sendPostedEvents()
        assert (label.width(), bar.timeline.width()) == (room, line)
    assert label.toolTip() == "Step 412 of 412 made so far."
    forms = []
    for width in (700, 400, 342):
        bar.window().resize(width, 60)
        QApplication.sendPostedEvents()
        forms.append(label.text())
    assert forms == ["step 412 of …", "412 of …", "412"]


def test_a_click_on_a_button_leaves_the_keys_where_they_are(show: Show, qtbot: QtBot) -> None:
    bar = show(run_state_of(made(40).trace, step=10))
    bar.window().activateWindow()
    qtbot.waitUntil(bar.window().isActiveWindow)
    bar.timeline.setFocus()
    QTest.mouseClick(button(bar, "forward"), Qt.MouseButton.LeftButton)
    assert bar.timeline.hasFocus()
    plain = bar.timeline.grab().toImage()
    bar.timeline.clearFocus()
    assert bar.timeline.grab().toImage() != plain, "the focus is seen"


# -- in the window -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_run_is_stepped_through_by_hand(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.controller.playback.to_end(1)  # shows the bar

    def find(name: str) -> Any:
        return window.findChild(QWidget, f"lane1.transport.{name}")

    def run_state() -> RunState:
        settle(qtbot, window)
        assert window.scene is not None
        found = window.scene.lanes[1].run_state
        assert found is not None
        return found

    line = find("timeline")
    length = run_state().length
    assert run_state().at_end and length > 20 and line.isVisible() and not window.lanes_view.bars[0].isVisible()
    assert find("step").text().endswith(str(length)) and line.value() == line.maximum() == length
    QTest.mouseClick(find("back"), Qt.MouseButton.LeftButton)
    assert run_state().step == length - 1
    click(line, SIDE)
    assert run_state().step == 0 == line.value() and run_state().length == length
    first = run_state().trace.next_change(0)[0]
    QTest.mouseClick(find("next_change"), Qt.MouseButton.LeftButton)
    assert run_state().step == first == line.value()
    line.setFocus()
    QTest.keyClick(line, Qt.Key.Key_Period)
    QTest.keyClick(line, Qt.Key.Key_Period)
    assert run_state().step == first + 2
    press(line, SIDE + 10)
    for x in range(12, line.width() - SIDE, 9):
        drag(line, SIDE + x)
        window.refresh()
        assert line.sliderPosition() == line.scale().step_at(x), "the hand is not held up"
    release(line, SIDE + x)
    assert run_state().step == line.value() == line.scale().step_at(x)
    QTest.keyClick(line, Qt.Key.Key_End)
    assert run_state().at_end and line.value() == length


@pytest.mark.slow
def test_the_curves_lead_through_the_run_too(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.named_actions["curves"].trigger()
    settle(qtbot, window)
    plot, panel = window.findChild(QWidget, "curves.violation"), window.findChild(QWidget, "curves")
    assert plot.isVisible()
    run_state = window.scene.lanes[1].run_state
    qtbot.waitUntil(lambda: len(window.scene.lanes[1].run_state.trace.landmarks) > 20)
    area = plot.area()
    QTest.mouseClick(
        plot.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(int(area.center().x()), int(area.center().y()))
    )
    settle(qtbot, window)
    step = window.scene.lanes[1].run_state.step
    assert abs(step - run_state.length / 2) < run_state.length / 10 and panel.cursor_step == step
    assert window.findChild(QWidget, "lane1.transport.timeline").value() == step
    assert plot.accessibleDescription().startswith(f"Step {step} of {run_state.length}.")


# -- in the window -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_bar_comes_with_watching_and_goes_with_its_own_button(make: Make, qtbot: QtBot) -> None:
    window = make()
    bars, rows = window.lanes_view.bars, window.lanes_view.rows
    assert not any(bar.isVisible() for bar in bars[:2]), "nobody watches a run at the start"
    area = window.canvases[1].plot_area().height()
    watch = rows[1].findChild(QToolButton, "lane1.watch")
    assert watch is not None and watch.isVisible()
    assert not rows[0].findChild(QToolButton, "lane0.watch").isVisible(), "kNN has no run"  # type: ignore[union-attr]
    QTest.mouseClick(watch, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(bars[1].isVisible)
    assert not bars[0].isVisible() and not watch.isVisible()
    assert window.controller.session.speeds[window.document.slots[1]] == FULL_SPEED, "live training keeps its speed"
    close = bars[1].findChild(QToolButton, "lane1.transport.close")
    assert close is not None and close.isVisible() and close.isEnabled() and not close.icon().isNull()
    assert bars[1].rect().contains(close.geometry())
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    assert not bars[1].isVisible() and watch.isVisible()
    run_state = window.scene.lanes[1].run_state  # type: ignore[union-attr]
    assert run_state is not None and run_state.at_end, "back at its end, at full speed"
    assert window.controller.session.speeds[window.document.slots[1]] == FULL_SPEED
    assert window.canvases[1].plot_area().height() == area, "and the picture has its room again"
