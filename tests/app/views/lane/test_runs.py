"""Runs in the window: keys, buttons and panels go through a training; pictures and panels show the same step."""

from __future__ import annotations

import math

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QTabBar, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.controllers.playback import NO_RUN
from app.engine.frames import Phase
from app.scene.marks import kkt_marks
from app.scene.model import Scene
from app.scene.status_badge import Mood
from app.state.commands import SetLane
from app.state.document import (
    Document,
    GeneratorSettings,
    Lane,
    PegasosSettings,
    PerceptronSettings,
    SvmSettings,
    View,
    default_document,
)
from app.views.theme import Theme
from app.window.main_window import MainWindow
from solver import SmoSolver
from tests.windows import Make, settle

SVM = Lane("svm", svm=SvmSettings(C=10.0, selection="random"))


def document(*lanes: Lane, **generator: object) -> Document:
    points = GeneratorSettings(**{"count": 30, "noise": 0.25, **generator}).points()  # type: ignore[arg-type]
    both = (*lanes, *lanes)[:2]
    return Document(points=points, view=View.fitting(points), lanes=both, shown=len(lanes))  # type: ignore[arg-type]


def step(window: MainWindow, lane: int = 0) -> int:
    run_state = window.scene.lanes[lane].run_state  # type: ignore[union-attr]
    assert run_state is not None
    return run_state.step


def press(window: MainWindow, qtbot: QtBot, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(window.canvases[0], key, held)
    settle(qtbot, window)


@pytest.mark.slow
def test_the_keys_go_through_a_run(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM))
    length = step(window)
    assert length > 20 and window.scene.run_state.at_end
    alt = Qt.KeyboardModifier.AltModifier
    press(window, qtbot, Qt.Key.Key_Home, alt)
    assert step(window) == 0 and window.result(0).phase is Phase.PAUSED
    for expected in (1, 2, 3):
        press(window, qtbot, Qt.Key.Key_Period)
        assert step(window) == expected
    press(window, qtbot, Qt.Key.Key_Comma)
    assert step(window) == 2
    for _ in range(5):  # faster than pictures arrive
        QTest.keyClick(window.canvases[0], Qt.Key.Key_Period)
    settle(qtbot, window)
    assert step(window) == 7
    press(window, qtbot, Qt.Key.Key_End, alt)
    assert step(window) == length and window.result(0).phase is Phase.DONE
    changes = [s for s in range(1, length + 1) if window.scene.run_state.trace.changes([s - 1, s])[0]]
    press(window, qtbot, Qt.Key.Key_Comma, alt)
    assert step(window) == max(change for change in changes if change < length)
    press(window, qtbot, Qt.Key.Key_Home, alt)
    press(window, qtbot, Qt.Key.Key_Period, alt)
    assert step(window) == changes[0] == 1, "the first step brings the first support vectors"
    window.controller.playback.set_replay(1e6)
    press(window, qtbot, Qt.Key.Key_Space)
    assert step(window) == length, "Space plays on to the end"


LEARNERS = (
    SVM,
    Lane("svm", svm=SvmSettings(C=2.0, trainer="dual-ascent")),
    Lane("perceptron", perceptron=PerceptronSettings(max_iter=5)),
    Lane("pegasos", pegasos=PegasosSettings(n_iter=500)),
)


@pytest.mark.slow
def test_space_and_play_replay_the_run_of_any_learner_and_the_timeline_stays(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM))
    bar, speeds = window.lanes_view.bars[0], window.controller.session.speeds
    play = window.findChild(QToolButton, "lane0.transport.play")
    watch = window.findChild(QToolButton, "lane0.watch")
    assert play is not None and watch is not None
    ways = (
        lambda: QTest.keyClick(window.canvases[0], Qt.Key.Key_Space),
        lambda: QTest.mouseClick(watch, Qt.MouseButton.LeftButton),
        lambda: window.named_actions["pause"].trigger(),
    )
    for lane in LEARNERS:
        window.controller.dispatch(SetLane(index=0, lane=lane))
        for begin in ways:
            window.controller.playback.leave(0)
            settle(qtbot, window)
            length = step(window)
            assert window.scene.run_state.at_end and length > 10 and not bar.isVisible()
            begin()
            qtbot.waitUntil(lambda n=length: 0 < step(window) < n)
            assert bar.isVisible() and window.scene.lanes[0].playing and step(window) < max(5, length / 20)
            QTest.mouseClick(play, Qt.MouseButton.LeftButton)
            settle(qtbot, window)
            here = step(window)
            assert bar.isVisible() and here < length / 5 and window.result(0).phase is Phase.PAUSED
        QTest.mouseClick(play, Qt.MouseButton.LeftButton)
        qtbot.waitUntil(lambda at=here: step(window) > at)
        press(window, qtbot, Qt.Key.Key_End, Qt.KeyboardModifier.AltModifier)
        assert window.scene.run_state.at_end and bar.isVisible()
    assert window.controller.session.speeds == speeds, "live training keeps its speed"


@pytest.mark.slow
def test_the_end_is_reported_and_the_way_back_begins_there(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM))
    bar, length = window.lanes_view.bars[0], step(window)
    press(window, qtbot, Qt.Key.Key_Period)
    assert window.status_line.text() == "optimal: no step left" and bar.isVisible()
    assert "no step left" in window.lanes_view.strips[0].label.text()
    press(window, qtbot, Qt.Key.Key_Comma)
    assert step(window) == length - 1 and "no step left" not in window.status_line.text()
    assert "no step left" not in window.lanes_view.strips[0].label.text()
    window.controller.dispatch(SetLane(index=0, lane=Lane("perceptron", perceptron=PerceptronSettings(max_iter=1))))
    settle(qtbot, window)
    press(window, qtbot, Qt.Key.Key_End, Qt.KeyboardModifier.AltModifier)
    press(window, qtbot, Qt.Key.Key_Period)
    assert window.status_line.text() == "mistakes left: no step left"
    window.controller.dispatch(SetLane(index=0, lane=Lane("knn")))
    settle(qtbot, window)
    press(window, qtbot, Qt.Key.Key_Period)
    assert window.status_line.text() == NO_RUN


def test_the_speed_of_the_replay_is_chosen_on_its_bar(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM))
    press(window, qtbot, Qt.Key.Key_Period)
    speed = window.findChild(QComboBox, "lane0.transport.speed")
    assert speed is not None and speed.isVisible() and speed.currentText() == "1×"
    speed.setFocus()
    QTest.keyClick(speed, Qt.Key.Key_Down)
    assert window.controller.session.replay_factor == 2.0 and speed.currentText() == "2×"


@pytest.mark.slow
def test_the_buttons_drive_their_own_lane(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM, replace_rule("second-order")))
    for lane in (1, 0):
        window.controller.playback.to_end(lane)  # shows the bar
    settle(qtbot, window)

    def click(lane: int, name: str) -> None:
        button = window.findChild(QToolButton, f"lane{lane}.transport.{name}")
        assert isinstance(button, QToolButton) and button.isVisible()
        QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        settle(qtbot, window)

    ends = step(window, 0), step(window, 1)
    click(0, "start")
    assert (step(window, 0), step(window, 1)) == (0, ends[1])
    click(0, "forward")
    click(1, "back")
    assert (step(window, 0), step(window, 1)) == (1, ends[1] - 1)
    assert window.scene.run_lane == 1, "the panels show the lane that was touched last"
    click(0, "next_change")
    assert step(window, 0) == 2 or window.scene.lanes[0].run_state.trace.changes([1, 2])[0] == 0
    click(0, "end")
    window.controller.playback.set_replay(1e6)
    click(1, "play")
    assert (step(window, 0), step(window, 1)) == ends


def replace_rule(rule: str) -> Lane:
    return Lane("svm", svm=SvmSettings(C=10.0, selection=rule))


def test_what_is_shown_at_a_step_is_a_run_to_that_step(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM))
    length, points = step(window), window.document.points
    y = np.where(points.labels == 1, 1.0, -1.0)
    for target in (length // 3, 2, length - 1):
        window.controller.playback.seek(0, target)
        settle(qtbot, window)
        solver = SmoSolver(points.xy, y, SVM.svm.as_kernel(), C=10.0, selection="random", shrinking=False)
        solver.step(target)
        run_state, frame = window.scene.run_state, window.result(0)
        assert np.array_equal(run_state.alpha, solver.alpha) and np.array_equal(run_state.v, solver.v)
        # The surface is that of these multipliers.
        xs, ys = frame.picture.grid.xs, frame.picture.grid.ys
        i, j = len(ys) // 3, len(xs) // 2
        K = SVM.svm.as_kernel().gram(np.array([[xs[j], ys[i]]]), points.xy)[0]
        assert frame.model.surface(xs[[j]], ys[[i]])[0, 0] == pytest.approx(
            K @ (y * solver.alpha) + solver.intercept, abs=1e-9
        )


def test_the_plain_window_is_plain_and_a_paused_one_shows_the_pair(make: Make, qtbot: QtBot) -> None:
    window = make()
    canvas = window.canvases[1]
    assert window.controller.session.open_panels == frozenset()
    overlay = canvas.overlays.layers[0].laid
    assert overlay.pair is None and overlay.card is None and overlay.slacks is None
    assert not window.scene.lanes[1].provisional and window.scene.lanes[1].badge.mood is Mood.CERTIFIED
    window.controller.playback.seek(1, 9)
    settle(qtbot, window)
    run_state, overlay = window.scene.run_state, canvas.overlays.layers[0].laid
    assert overlay.pair is not None and len(overlay.pair.rings) == 2
    for ring, index in zip(overlay.pair.at, run_state.pair, strict=True):
        assert QPoint(*map(int, ring)) in [
            canvas.to_widget(*run_state.points.xy[index]) + QPoint(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1)
        ]
    assert window.scene.lanes[1].provisional and window.scene.lanes[1].badge.mood is Mood.RESTING
    assert "step 9" in window.scene.lanes[1].badge.text
    hatched = canvas.grab().toImage()
    final = replace(window.scene.lanes[1], provisional=False)
    canvas.layers.show_lane(final, canvas._theme, points_away=False)
    clean = canvas.grab().toImage()
    corner = canvas.to_widget(*points_away(window))
    around = [corner + QPoint(dx, dy) for dx in range(8) for dy in range(8)]
    differ = [hatched.pixel(at) != clean.pixel(at) for at in around]
    assert 4 < sum(differ) < 60, "lines across the surface, which can be seen between them"
    window.controller.playback.to_end(1)
    settle(qtbot, window)
    assert canvas.overlays.layers[0].laid.pair is None and not window.scene.lanes[1].provisional
    text = window.scene.lanes[1].badge.text
    assert text.startswith("optimal: KKT") and "gap" in text


def points_away(window: MainWindow) -> tuple[float, float]:
    """Return a location in the picture without points or lines: near its lower left corner."""
    grid = window.canvases[1].grid()
    return grid.left + 0.04 * (grid.right - grid.left), grid.bottom + 0.06 * (grid.top - grid.bottom)


def test_a_point_under_the_pointer_is_described(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM))
    canvas = window.canvases[0]
    beside = QPoint(3, canvas.height() // 2)  # on the axis, between its numbers and the handle of its unit
    run_state = window.scene.run_state
    position = int(np.flatnonzero((run_state.alpha > 0) & (run_state.alpha < run_state.C))[0])
    at = canvas.to_widget(*run_state.points.xy[run_state.index[position]])
    QTest.mouseMove(canvas.viewport(), at)
    settle(qtbot, window)
    assert canvas.overlays.layers[0].laid.card is None, "the plain window stays plain"
    QTest.mouseMove(canvas.viewport(), beside)
    window.controller.playback.seek(0, run_state.length - 1)
    settle(qtbot, window)
    at = canvas.to_widget(*run_state.points.xy[run_state.index[position]])  # the bar has taken space from the picture
    QTest.mouseMove(canvas.viewport(), at)
    settle(qtbot, window)
    hovered = window.controller.session.hovered
    assert hovered is not None
    found = run_state.points.indices_of(np.array([hovered]))[0]
    assert np.allclose(run_state.points.xy[found], run_state.points.xy[run_state.index[position]], atol=0.1)
    lines = " ".join(canvas.overlays.layers[0].laid.card.label.lines)
    assert "α = " in lines and "slack" in lines and "support vector" in lines
    QTest.mouseMove(canvas.viewport(), beside)
    settle(qtbot, window)
    assert canvas.overlays.layers[0].laid.card is None


def test_the_kkt_cases_replace_the_marks(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM))
    canvas = window.canvases[0]
    plain = canvas.grab().toImage()
    press(window, qtbot, Qt.Key.Key_K)
    run_state = window.scene.run_state
    index = kkt_marks(run_state, run_state.points).index
    assert len(canvas.layers.marks) == len(index) > 0
    assert np.array_equal(canvas.layers.marks.xy, run_state.points.xy[index])
    assert canvas.grab().toImage() != plain
    slacks = run_state.slacks
    slack = np.maximum(0.0, 1.0 - run_state.y * run_state.f)
    assert set(slacks.point.tolist()) == set(np.flatnonzero(slack > run_state.tol).tolist())
    model = window.result(0).model
    met = slacks.end[~slacks.capped]
    f = model.decision_function(met)
    np.testing.assert_allclose(run_state.y[slacks.point[~slacks.capped]] * f, 1.0, atol=1e-6)
    assert {"kkt1", "slack"} <= window.scene.legend_kinds and not {"free", "bounded"} & window.scene.legend_kinds
    press(window, qtbot, Qt.Key.Key_K)
    assert canvas.grab().toImage() == plain


def test_the_cases_of_a_sample_mark_the_right_points(make: Make, qtbot: QtBot) -> None:
    window = make(replace(document(SVM, count=60), training_limit=40))
    press(window, qtbot, Qt.Key.Key_K)
    run_state, canvas = window.scene.run_state, window.canvases[0]
    assert len(run_state.points) == 40 and len(window.document.points) == 120
    index = kkt_marks(run_state, run_state.points).index
    assert np.array_equal(canvas.layers.marks.xy, run_state.points.xy[index])


@pytest.mark.slow
def test_the_panels_take_turns_while_a_run_plays_and_agree_when_it_pauses(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM), size=(1500, 900))
    for name in ("step", "alphas"):
        window.named_actions[name].trigger()
        settle(qtbot, window)
    drawn: dict[str, list[object]] = {name: [] for name in ("step", "alphas")}
    for name, visible in drawn.items():
        panel = window.dock_manager.panel(name)
        usual = panel.render_scene

        def noted(scene: Scene, theme: Theme, usual=usual, visible=visible) -> None:  # type: ignore[no-untyped-def]
            visible.append(scene.run_state)
            usual(scene, theme)

        panel.render_scene = noted
    run_state = window.scene.run_state
    assert run_state is not None
    playing = replace(window.scene.lanes[0], playing=True)
    scene = replace(window.scene, lanes=(playing,))
    dress, _ = window.appearance.dress(scene)
    for _ in range(6):
        window.dock_manager.render_scene(scene, dress, window.named_actions)
        QApplication.processEvents()
    assert [len(visible) for visible in drawn.values()] == [3, 3], "each gets its turn"
    window.controller.playback.seek(0, 5)
    settle(qtbot, window)
    assert all(visible[-1].step == 5 for visible in drawn.values())
    for name in ("step", "alphas"):
        window.named_actions[name].trigger()
    settle(qtbot, window)
    assert window.controller.session.open_panels == frozenset()


def test_of_several_classes_the_chosen_pair_is_driven(make: Make, qtbot: QtBot) -> None:
    lane = Lane("svm", svm=SVM.svm, pair=(0, 2))
    window = make(document(lane, name="blobs", n_classes=3))
    points = window.document.points
    run_state = window.scene.run_state
    assert set(points.labels[run_state.index].tolist()) == {0, 2} and run_state.name == "class 1 against class 3"
    window.controller.playback.seek(0, 4)
    settle(qtbot, window)
    certificates = window.result(0).certificates
    assert sorted(c.n_iter for c in certificates)[0] == 4
    assert sum(c.kkt_violation <= SVM.svm.tol for c in certificates) == 2, "the others are at their end"
    window.controller.set_lane(0, pair=(1, 2))
    settle(qtbot, window)
    assert set(points.labels[window.scene.run_state.index].tolist()) == {1, 2} and window.scene.run_state.at_end


def test_an_edit_starts_another_run_and_old_requests_do_not_count(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM))
    window.controller.playback.seek(0, 6)
    settle(qtbot, window)
    before = window.scene.run_state.recording
    QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, pos=QPoint(150, 60))
    settle(qtbot, window)
    run_state = window.scene.run_state
    assert run_state.recording != before and run_state.step == 0, "paused, it stands at its start"
    assert len(run_state.points) == len(window.document.points)
    window.controller.undo()
    settle(qtbot, window)
    window.controller.playback.set_replay(1e6)
    press(window, qtbot, Qt.Key.Key_Space)
    assert window.scene.run_state.at_end


def test_a_perceptron_shows_other_orders_and_the_widest_line(make: Make, qtbot: QtBot) -> None:
    lane = Lane("perceptron", perceptron=PerceptronSettings(orders=8))
    window = make(document(lane, name="line", noise=0.0, shift=0.2))
    orders = window.scene.lanes[0].orders
    assert orders.complete and orders.separable and len(orders.weights) == 8
    assert "8 orders" in window.scene.lanes[0].remark
    X, y = window.document.points.xy, np.where(window.document.points.labels == 1, 1.0, -1.0)
    for line, margin in zip(orders.weights, orders.margins, strict=True):
        assert margin == pytest.approx((y * (X @ line[:2] + line[2])).min() / math.hypot(line[0], line[1]))
        assert margin <= orders.widest_margin + 1e-9
    with_lines = window.canvases[0].grab().toImage()
    window.controller.set_lane(0, "perceptron", orders=0)
    settle(qtbot, window)
    assert window.scene.lanes[0].orders is None and window.canvases[0].grab().toImage() != with_lines


@pytest.mark.parametrize("trainer", ["lasvm", "dual-ascent"])
def test_other_trainers_have_the_same_transport(make: Make, qtbot: QtBot, trainer: str) -> None:
    window = make(document(Lane("svm", svm=SvmSettings(C=2.0, trainer=trainer))))  # type: ignore[arg-type]
    end = window.scene.run_state
    assert end.at_end and end.kkt is not None
    window.controller.playback.seek(0, 3)
    settle(qtbot, window)
    assert step(window) == 3 and window.scene.run_state.operation
    press(window, qtbot, Qt.Key.Key_Period)
    assert step(window) == 4
    window.controller.playback.to_end(0)
    settle(qtbot, window)
    assert np.array_equal(window.scene.run_state.alpha, end.alpha)


def test_every_control_of_a_run_can_be_hit_and_has_a_name(make: Make, qtbot: QtBot) -> None:
    window = make(replace(default_document(), lanes=(SVM, SVM)), size=(1024, 740))
    for lane in (0, 1):
        window.controller.playback.to_end(lane)
    settle(qtbot, window)
    for name in ("start", "previous_change", "back", "play", "forward", "next_change", "end", "timeline"):
        for lane in (0, 1):
            widget = window.findChild(QWidget, f"lane{lane}.transport.{name}")
            assert widget is not None and widget.isVisible() and widget.accessibleName()
            assert widget.height() >= 24 and widget.width() >= 24


@pytest.mark.slow
def test_tabs_are_visible_only_if_there_is_a_choice(make: Make, qtbot: QtBot) -> None:
    window = make(document(SVM), size=(1500, 900))

    def tabs() -> list[list[str]]:
        qtbot.wait(300)
        bars = window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly)
        visible = [bar for bar in bars if bar.isVisible() and bar.geometry().intersects(window.rect())]
        return [[bar.tabText(k) for k in range(bar.count())] for bar in visible]

    assert tabs() == []
    for name, expected in (("step", []), ("curves", [["Step", "Curves"]])):
        window.named_actions[name].trigger()
        settle(qtbot, window)
        assert tabs() == expected
    window.named_actions["curves"].trigger()
    settle(qtbot, window)
    assert tabs() == []
