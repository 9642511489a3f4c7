"""A lane that trains at once, by real events: its texts, what is disabled and why, what stops and continues it."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QComboBox, QLabel, QSlider, QToolButton, QWidget
from pytestqt.qtbot import QtBot
from sklearn import svm as theirs

from app.core.number_format import percent
from app.core.points import Points
from app.engine.fast_run import FastRun
from app.engine.frames import Phase
from app.features.film.plan import TrainingFilm, can_film, check
from app.learners import svm
from app.scene.text import NO_STEPS
from app.state.document import Document, Lane, SvmSettings, View
from app.state.split import Split
from app.views.theme import DARK, LIGHT
from app.window.main_window import MainWindow
from solver.data.datasets import generate
from tests import playground_files
from tests.covering import first_of
from tests.windows import Make, settle

LEFT, KEY = Qt.MouseButton.LeftButton, Qt.Key
STEPPING = ("start", "previous_change", "back", "forward", "next_change", "end")


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(svm, "STEPPED", 500)


def document(n: int = 1200, split: Split | None = None, **settings: Any) -> Document:
    points = Points.of(*generate("moons", n // 2, noise=0.3, seed=0))
    lanes = (Lane("knn"), Lane("svm", svm=SvmSettings(**settings)))
    return Document(points, lanes, 2, view=View.fitting(points), split=split or Split())


def part(window: MainWindow, kind: type[Any], name: str) -> Any:
    found = window.findChild(kind, name)
    assert found is not None, name
    return found


def status(window: MainWindow, lane: int = 1) -> str:
    return str(part(window, QLabel, f"lane{lane}.status").text())


def shown(window: MainWindow, lane: int = 1) -> str:
    return " · ".join(each.text for each in window.scene.lanes[lane].scores)


class Held:
    """Trainings wait until the test releases them; the requested pieces are counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.free, self.asked = threading.Event(), 0
        advance = FastRun.advance

        def held(run: FastRun, late: Any) -> bool:
            self.asked += 1
            return advance(run, late) if self.free.is_set() else False

        monkeypatch.setattr(FastRun, "advance", held)


@pytest.mark.slow
def test_it_is_reported_and_stepping_is_disabled_with_the_reason(make: Make, qtbot: QtBot) -> None:
    window = make(document(2400))
    lane = window.scene.lanes[1]
    assert "Trained on all points; not step by step" in shown(window) and "optimal" in status(window)
    assert lane.headline.endswith("Trained on all points; not step by step") and lane.run_state is None
    watch = part(window, QToolButton, "lane1.watch")
    assert watch.isVisible() and not watch.isEnabled() and watch.toolTip() == NO_STEPS
    QTest.mouseClick(watch, LEFT)
    assert window.scene.lanes[1].speed_text == "full speed", "nothing happens"
    window.named_actions["step"].trigger()  # the bar is part of step-by-step display
    settle(qtbot, window)
    for name in STEPPING:
        button = part(window, QToolButton, f"lane1.transport.{name}")
        assert button.isVisible() and not button.isEnabled() and button.toolTip().endswith(f": {NO_STEPS}")
    timeline = part(window, QSlider, "lane1.transport.timeline")
    assert not timeline.isEnabled() and timeline.toolTip() == NO_STEPS
    assert "step" in part(window, QLabel, "lane1.transport.step").text()
    for name in ("step_forward", "step_back", "to_start", "to_end", "next_change", "previous_change"):
        action = window.named_actions[name]
        assert not action.isEnabled() and action.toolTip().endswith(f": {NO_STEPS}")
    part(window, QToolButton, "lane1.settings").click()
    settle(qtbot, window)
    speed = part(window, QSlider, "lane1.speed")
    assert speed.isVisible() and not speed.isEnabled() and speed.toolTip() == NO_STEPS
    # With fewer points, all of it comes back.
    combo = part(window, QComboBox, "training_limit")
    part(window, QToolButton, "generator.more").click()
    combo.setFocus()
    QTest.keyClick(combo, KEY.Key_Home)  # 1000
    settle(qtbot, window)
    assert "Not trained step by step" in shown(window) and "sample" in window.scene.lanes[1].headline
    window.controller.set_training_limit(500)
    settle(qtbot, window)
    assert window.scene.lanes[1].run_state is not None and window.named_actions["step_back"].isEnabled()
    assert speed.isEnabled() and "Step" not in shown(window)
    window.dock_manager.docks(("step",))[0].raise_()  # from behind the settings
    settle(qtbot, window)
    assert part(window, QToolButton, "lane1.transport.back").isEnabled() and timeline.isEnabled()
    assert timeline.toolTip() != NO_STEPS
    QTest.mouseClick(part(window, QToolButton, "lane1.transport.back"), LEFT)
    settle(qtbot, window)
    assert window.scene.lanes[1].run_state.step == window.scene.lanes[1].run_state.length - 1


@pytest.mark.slow
def test_panels_about_steps_explain_why_they_are_empty(make: Make, qtbot: QtBot) -> None:
    window = make(document())
    for name, described in (("curves", ""), ("step", "step"), ("alphas", ""), ("loss", ""), ("relief", "")):
        window.named_actions[name].trigger()
        settle(qtbot, window)
        assert window.scene.no_run == NO_STEPS
        if described:
            assert part(window, QWidget, described).accessibleDescription() == NO_STEPS
        else:
            words = [each.text() for each in window.findChildren(QLabel) if each.isVisible()]
            assert NO_STEPS in words, name
        window.named_actions[name].trigger()
    assert "training" not in can_film(window.document, 1) and "C" in can_film(window.document, 1)
    with pytest.raises(ValueError, match="has no steps to film"):
        check(window.document, TrainingFilm(1))


@pytest.mark.slow
def test_a_click_on_the_slider_of_c_retrains_it_and_undo_brings_the_answer_back(make: Make, qtbot: QtBot) -> None:
    window = make(document(tol=1e-5), size=(1280, 800))
    other, before = window.result(0), window.result(1)
    slider = part(window, QSlider, "lane1.C.slider")
    QTest.mouseClick(slider, LEFT, pos=QPoint(round(0.55 * slider.width()), slider.height() // 2))
    settle(qtbot, window)
    C = window.document.lanes[1].svm.C
    frame, points = window.result(1), window.document.points
    peer = theirs.SVC(C=C, gamma=1.0, tol=1e-6).fit(points.xy, points.labels)
    assert C > 1.0 and frame.phase is Phase.DONE and frame.run_state is None
    assert np.abs(frame.model.decision_function(points.xy) - peer.decision_function(points.xy)).max() < 5e-3
    assert window.result(0).model is other.model, "the other lane has nothing to do"
    QTest.keyClick(window.canvases[0], KEY.Key_Z, Qt.KeyboardModifier.ControlModifier)
    settle(qtbot, window)
    assert window.document.lanes[1].svm.C == 1.0
    assert window.result(1).certificate.dual == pytest.approx(before.certificate.dual, rel=1e-6)


@pytest.mark.slow
def test_space_stops_it_and_space_goes_on(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make(document())
    held = Held(monkeypatch)
    window.controller.set_lane(1, "svm", C=3.0)
    qtbot.waitUntil(lambda: held.asked > 3)
    window.refresh()
    lane = window.scene.lanes[1]
    assert lane.provisional and lane.picture is not None and lane.badge.short.startswith("training")
    assert lane.headline.startswith("Training on 1\u202f200 points at once") and "Rough picture" in shown(window)
    # The window and the other lane respond meanwhile.
    n = len(window.document.points)
    QTest.mouseClick(window.canvases[0].viewport(), LEFT, pos=window.to_widget(0, -1.5, 1.5))
    qtbot.waitUntil(lambda: window.result(0).points is window.document.points and window.result(0).full)
    assert len(window.document.points) == n + 1 and window.result(0).phase is Phase.DONE
    QTest.keyClick(window.canvases[0], KEY.Key_Space)
    settle(qtbot, window)
    asked = held.asked
    assert window.scheduler.idle and window.result(1).phase is Phase.PAUSED
    assert window.scene.lanes[1].badge.short == "paused" and "Space: continue" in shown(window)
    play = part(window, QToolButton, "lane1.transport.play")
    assert play.isVisible() and play.isEnabled()
    held.free.set()
    QTest.mouseClick(play, LEFT)
    settle(qtbot, window)
    assert held.asked > asked and window.result(1).phase is Phase.DONE and len(window.result(1).points) == n + 1


def test_a_failure_is_reported_in_its_picture(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make(document())
    with monkeypatch.context() as patch:
        patch.setattr(FastRun, "advance", lambda run, late: 1 / 0)
        window.controller.set_lane(1, "svm", C=3.0)
        settle(qtbot, window)
    message = part(window, QLabel, "lane1.message")
    assert message.isVisible() and message.text().startswith("Stopped by an internal error (ZeroDivisionError")
    assert window.scene.lanes[0].message == "" and window.result(0).phase is Phase.DONE
    window.controller.set_lane(1, "svm", C=4.0)
    settle(qtbot, window)
    assert not message.isVisible() and window.result(1).phase is Phase.DONE


@pytest.mark.slow
def test_test_points_are_evaluated_for_both_lanes(make: Make, qtbot: QtBot) -> None:
    window = make(document(2400, Split("ratio", 0.5), tol=1e-5))
    window.named_actions["evaluation"].trigger()
    settle(qtbot, window)
    training, test = window.document.training_points, window.document.test_points
    assert len(training) == len(test) == 1200
    peer = theirs.SVC(C=1.0, gamma=1.0, tol=1e-6).fit(training.xy, training.labels)
    right = (peer.predict(test.xy) == test.labels).mean()
    assert f"test {percent(right)}" in shown(window)
    confusion = window.scheduler.results.answer("scores1").value.confusion
    assert confusion.sum() == 1200 and confusion.trace() == round(1200 * right)


@pytest.mark.slow
def test_it_is_saved_and_opened_and_exported_as_code(make: Make, qtbot: QtBot, tmp_path: Any) -> None:
    window = make(document(C=2.0))
    path = tmp_path / "many.playground"
    playground_files.write(window.document, path)
    opened = playground_files.read(path)
    assert opened.lanes == window.document.lanes and opened.training_points.same_as(window.document.points)
    from app.features.code.program import program

    assert "grows with the square of the number of points" in program(window.document).text
    assert "grows with the square" not in program(document(400)).text


@pytest.mark.slow
@pytest.mark.parametrize("theme", first_of([LIGHT, DARK], 1), ids=["light", "dark"])
def test_its_picture_is_hatched_until_it_is_certified(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch, theme: Any
) -> None:
    window = make(document(), wait=True)
    window.appearance.choose_theme("dark" if theme.dark else "light")
    settle(qtbot, window)
    held = Held(monkeypatch)
    window.controller.set_lane(1, "svm", gamma=1.01)  # hardly another picture
    qtbot.waitUntil(lambda: held.asked > 3 and window.result(1).full)
    window.refresh()
    canvas = window.canvases[1]
    canvas.viewport().repaint()

    def surface() -> Any:
        image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        area = canvas.plot_area().toRect()
        pixels = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.width())
        return pixels[area.top() + 5 : area.top() + 45, area.left() + 5 : area.left() + 45].copy()

    rough = surface()
    held.free.set()
    settle(qtbot, window)
    done = surface()
    changes = [int((np.diff(each.astype(np.int64), axis=1) != 0).sum()) for each in (rough, done)]
    assert changes[0] > 3 * changes[1], "lines lie across the rough one"
