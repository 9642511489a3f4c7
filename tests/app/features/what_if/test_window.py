"""What if in the window: W and the dock, real edits, the dashed line in the picture, provisional while it trains."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.engine.overlays import Lines
from app.engine.pool import Priority
from app.features.what_if.panel import WhatIfPanel
from app.features.what_if.scene import WhatIfSession
from app.features.what_if.text import ARMED, DISARMED
from app.state.commands import RemovePoints
from app.state.document import Document, GeneratorSettings, Lane, PerceptronSettings, SvmSettings, View
from app.tools import PointerPosition
from app.window.main_window import MainWindow
from solver import SVC, KNeighborsClassifier
from tests.covering import first_of
from tests.windows import Make, finish_layout, settle

CTRL_SHIFT = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
KEY = Qt.Key


def two(*lanes: Lane) -> Document:
    points = GeneratorSettings(count=20, noise=0.25).points()
    lanes = lanes or (Lane("knn"), Lane("svm"))
    return Document(points, lanes, len(lanes), view=View.fitting(points))


def open_dock(window: MainWindow, qtbot: QtBot) -> WhatIfPanel:
    QTest.keyClick(window, KEY.Key_W, CTRL_SHIFT)
    settle(qtbot, window)
    panel = window.findChild(WhatIfPanel)
    assert panel is not None and panel.isVisible()
    return panel


def text(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text()


def press(window: MainWindow, name: str) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None and button.isVisible() and button.isEnabled()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def ghost(window: MainWindow, lane: int) -> Lines | None:
    window.refreshing.flush()
    assert window.scene is not None
    return next((s for s in window.scene.lanes[lane].sheets if isinstance(s, Lines) and s.style == "ghost"), None)


def drag(window: MainWindow, qtbot: QtBot, start: tuple[float, float], end: tuple[float, float]) -> None:
    """Drag a point of lane 0 as a user does, in several moves."""
    viewport = window.canvases[0].viewport()
    a, b = window.to_widget(0, *start), window.to_widget(0, *end)
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=a)
    for t in np.linspace(0.2, 1.0, 5):
        QTest.mouseMove(viewport, QPoint(round(a.x() + t * (b.x() - a.x())), round(a.y() + t * (b.y() - a.y()))))
        window.refresh()
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=b)
    settle(qtbot, window)


def test_a_drag_shows_the_boundary_before_it(make: Make, qtbot: QtBot) -> None:
    window = make(two())
    models = [window.result(lane).model for lane in (0, 1)]  # type: ignore[union-attr]
    QTest.keyClick(window, KEY.Key_W)
    assert window.controller.session.of(WhatIfSession).armed
    settle(qtbot, window)
    assert window.named_actions["arm_whatif"].isChecked() and ghost(window, 0) is None
    x, y = window.document.points.xy[4]
    drag(window, qtbot, (x, y), (x + 0.6, y - 1.0))
    assert len(window.controller.store.history) == 1
    for lane, model in enumerate(models):
        lines = ghost(window, lane)
        assert lines is not None
        answer = window.scheduler.results.answer(f"ghost{lane}")
        assert answer is not None and answer.query.side.model is model, "the model of before the first move"
        assert ghost(window, lane) is lines, "the same sheet while nothing changes"
        xy = lines.xy[~np.isnan(lines.xy[:, 0])]
        if isinstance(model, SVC):
            assert np.abs(model.decision_function(xy)).max() < 0.02
        else:
            assert isinstance(model, KNeighborsClassifier) and len(xy) > 10
    window.controller.zoom(0.3, PointerPosition(0.5, 0.2, 0.01))
    settle(qtbot, window)
    lines = ghost(window, 1)
    assert lines is not None and isinstance(models[1], SVC)
    finer = lines.xy[~np.isnan(lines.xy[:, 0])]
    assert len(finer) and np.abs(models[1].decision_function(finer)).max() < 0.003, "computed anew for the new view"
    QTest.keyClick(window, KEY.Key_W)
    settle(qtbot, window)
    assert ghost(window, 0) is None and window.controller.session.of(WhatIfSession).baseline is None
    assert not answered(window)


def answered(window: MainWindow) -> set[str]:
    """Return the queries about the edit, which have their answers by now."""
    names = {f"{kind}{lane}" for kind in ("ghost", "whatif") for lane in (0, 1)}
    return {name for name in names if window.scheduler.results.answer(name) is not None}


def test_the_ghost_is_drawn(make: Make, qtbot: QtBot) -> None:
    window = make(two(), size=(1300, 850))
    QTest.keyClick(window, KEY.Key_W)
    settle(qtbot, window)
    x, y = window.document.points.xy[4]
    drag(window, qtbot, (x, y), (x + 0.6, y - 1.0))
    lines = ghost(window, 1)
    assert lines is not None
    with_it = window.canvases[1].grab().toImage()
    window.named_actions["arm_whatif"].trigger()
    settle(qtbot, window)
    without = window.canvases[1].grab().toImage()
    ratio = window.canvases[1].devicePixelRatioF()
    xy = lines.xy[~np.isnan(lines.xy[:, 0])]
    pixels = [window.to_widget(1, *index) for index in xy[:: max(1, len(xy) // 60)]]
    differ = [
        with_it.pixelColor(round(p.x() * ratio), round(p.y() * ratio))
        != without.pixelColor(round(p.x() * ratio), round(p.y() * ratio))
        for p in pixels
    ]
    assert np.mean(differ) > 0.4, "dashes, and gaps between them"


@pytest.mark.slow
def test_the_panel_reports_what_changed(make: Make, qtbot: QtBot) -> None:
    window = make(two(), size=(1400, 900))
    panel = open_dock(window, qtbot)
    assert panel.hint.text() == DISARMED and not panel.armed.isChecked()
    box = window.findChild(QCheckBox, "whatif.armed")
    assert box is not None
    QTest.mouseClick(box, Qt.MouseButton.LeftButton, pos=QPoint(8, box.height() // 2))
    settle(qtbot, window)
    assert window.controller.session.of(WhatIfSession).armed and panel.hint.text() == ARMED
    old = window.result(1)
    x, y = window.document.points.xy[4]
    drag(window, qtbot, (x, y), (x + 0.6, y - 1.0))
    assert panel.hint.text() == ""
    new = window.result(1)
    assert old is not None and new is not None
    svm, knn = text(window, "whatif.lane1").replace("&nbsp;", " "), text(window, "whatif.lane0")
    assert "Moved: largest change of f on a" in svm and "Provisional" not in svm
    a, b = old.certificates[0], new.certificates[0]
    for certificate in (a, b):
        assert f"{certificate.n_free + certificate.n_bounded} ({certificate.n_free} + {certificate.n_bounded})" in svm  # type: ignore[union-attr]
    for words in ("Margin width 2/‖w‖", "Dual optimum", "Training accuracy"):
        assert words in svm
    assert (
        "another class at" in knn
        and "Margin" not in knn
        and "An idle point can go" in text(window, "whatif.lane0.note")
    )
    window.controller.undo()
    settle(qtbot, window)
    undone = text(window, "whatif.lane1")
    assert "Moved: largest" in undone and undone.replace("&nbsp;", " ") != svm
    assert ghost(window, 1) is not None and len(answered(window)) == 4
    QTest.keyClick(window, KEY.Key_W, CTRL_SHIFT)
    settle(qtbot, window)
    assert answered(window) == {"ghost0", "ghost1"}


@pytest.mark.slow
def test_all_that_are_no_support_vectors_go_and_nothing_moves(make: Make, qtbot: QtBot) -> None:
    window = make(two(Lane("svm"), Lane("svm", svm=SvmSettings("linear"))), size=(1400, 900))
    open_dock(window, qtbot)
    for lane in (0, 1):
        frame = window.result(lane)
        assert frame is not None
        kept = len(frame.marks.free) + len(frame.marks.bounded)
        press(window, f"whatif.lane{lane}.remove_others")
        settle(qtbot, window)
        assert len(window.document.points) == kept
        assert window.controller.store.undo_name == f"Remove {40 - kept} non-support vectors"
        assert "Nothing moved: largest change of f on a" in text(window, f"whatif.lane{lane}")
        button = window.findChild(QPushButton, f"whatif.lane{lane}.remove_others")
        assert button is not None and not button.isEnabled()
        assert "delete one" in text(window, f"whatif.lane{lane}.note")
        press(window, f"whatif.lane{lane}.remove_support")
        settle(qtbot, window)
        assert text(window, f"whatif.lane{lane}").count("<b>Moved") == 1
        window.controller.undo()
        window.controller.undo()
        settle(qtbot, window)
        assert len(window.document.points) == 40


def test_provisional_until_certified(make: Make, qtbot: QtBot) -> None:
    """Paused after the first step, the numbers are called provisional; at the end they are not."""
    window = make(two(Lane("svm")), size=(1400, 900))
    open_dock(window, qtbot)
    QTest.keyClick(window, KEY.Key_W)
    window.controller.playback.toggle(0)  # a run at its end begins anew
    window.controller.set_session(playing=(False,) * 4)
    x, y = window.document.points.xy[4]
    drag(window, qtbot, (x, y), (x + 0.6, y - 1.0))
    frame = window.result(0)
    assert frame is not None and frame.phase == "paused"
    shown = text(window, "whatif.lane0")
    assert "Provisional, the training goes on." in shown
    note = text(window, "whatif.lane0.note")
    others = window.findChild(QPushButton, "whatif.lane0.remove_others")
    assert "Wait until" in note and others is not None and others.isVisible() and not others.isEnabled()
    window.controller.set_session(playing=(True,) * 4)
    settle(qtbot, window)
    assert "Provisional" not in text(window, "whatif.lane0")


def test_edits_do_not_wait_for_it(make: Make, qtbot: QtBot) -> None:
    """With the background frozen, arming and editing still work; the ghost appears when it continues."""
    window = make(two(), size=(1400, 900))
    open_dock(window, qtbot)
    model = window.result(1).model  # type: ignore[union-attr]
    frozen, release = threading.Event(), threading.Event()

    def freeze() -> Iterator[Priority]:
        frozen.set()
        release.wait(300)
        yield Priority.BACKGROUND

    window.scheduler.queue(lambda *_: freeze(), Priority.FIRST_PICTURE).submit("wait")
    assert frozen.wait(300)
    try:
        QTest.keyClick(window, KEY.Key_W)
        pointer = window.to_widget(0, *window.document.points.xy[7])
        QTest.mouseMove(window.canvases[0].viewport(), pointer)
        QTest.keyClick(window, KEY.Key_Delete)
        assert len(window.document.points) == 39
        window.refresh()
        assert ghost(window, 1) is None and "Comparing" in text(window, "whatif.lane1")
    finally:
        release.set()
    settle(qtbot, window)
    answer = window.scheduler.results.answer("ghost1")
    assert answer is not None and answer.query.side.model is model and ghost(window, 1) is not None


@pytest.mark.slow
def test_several_classes_and_empty_documents(make: Make, qtbot: QtBot) -> None:
    points = GeneratorSettings(name="blobs", count=10, n_classes=3, noise=0.5).points()
    window = make(Document(points, (Lane("knn"), Lane("svm")), view=View.fitting(points)), size=(1400, 900))
    open_dock(window, qtbot)
    QTest.keyClick(window, KEY.Key_W)
    window.controller.set_class(2)
    QTest.mouseMove(window.canvases[0].viewport(), window.to_widget(0, *points.xy[0]))
    x, y = points.xy[0]
    drag(window, qtbot, (x, y), (x + 1.0, y + 1.0))
    assert ghost(window, 0) is not None and ghost(window, 1) is not None
    assert "largest change of f" in text(window, "whatif.lane1") and "problem that is drawn" in text(
        window, "whatif.lane1"
    )
    window.controller.clear()
    settle(qtbot, window)
    assert ghost(window, 0) is not None, "what was there before is still seen"
    panel = window.findChild(WhatIfPanel)
    assert panel is not None
    panel.grab()
    QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, pos=window.to_widget(0, 0.0, 0.0))
    settle(qtbot, window)
    assert len(window.document.points) == 1
    assert ghost(window, 0) is None and "no model before" in text(window, "whatif.lane1")


@pytest.mark.parametrize("dark", first_of([True, False], 1))
def test_nothing_is_cut_off(make: Make, qtbot: QtBot, tmp_path: Path, dark: bool) -> None:
    """Each label has the height that its text needs at its width."""
    window = make(two(), size=(1024, 768))
    window.appearance.choose_theme("dark" if dark else "light")
    panel = open_dock(window, qtbot)
    QTest.keyClick(window, KEY.Key_W)
    window.controller.dispatch(RemovePoints(ids=window.document.points.ids[:1]))
    settle(qtbot, window)
    finish_layout()
    for label in panel.findChildren(QLabel):
        if label.isVisible() and label.text():
            assert label.height() >= label.heightForWidth(label.width()), label.objectName()
            assert label.width() <= panel.width()


def test_a_training_that_stopped_early_is_not_called_certified(make: Make, qtbot: QtBot) -> None:
    """A perceptron on classes that no line separates."""
    window = make(two(Lane("perceptron", perceptron=PerceptronSettings(max_iter=5))), size=(1400, 900))
    open_dock(window, qtbot)
    QTest.keyClick(window, KEY.Key_W)
    window.controller.dispatch(RemovePoints(ids=window.document.points.ids[:1]))
    settle(qtbot, window)
    assert "Not certified, the training stopped early." in text(window, "whatif.lane0")
    assert ghost(window, 0) is not None


def test_the_focus_stays_in_the_panel(make: Make, qtbot: QtBot) -> None:
    """Pressing Space on a button that disappears with its action: the next button has the focus, never
    another panel.
    """
    window = make(two(Lane("svm")), size=(1400, 900))
    window.activateWindow()
    panel = open_dock(window, qtbot)
    button, one = (
        window.findChild(QPushButton, f"whatif.lane0.{name}") for name in ("remove_others", "remove_support")
    )
    assert button is not None and one is not None
    button.setFocus()
    assert button.hasFocus()
    QTest.keyClick(button, KEY.Key_Space)
    window.refresh()
    focus = window.focusWidget()
    assert focus is not None and panel.isAncestorOf(focus)
    settle(qtbot, window)
    assert not button.isEnabled() and window.focusWidget() is one
    QTest.keyClick(one, KEY.Key_Space)
    settle(qtbot, window)
    focus = window.focusWidget()
    assert focus is not None and focus in (one, button)
