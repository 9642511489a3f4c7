"""The panel in the window, by real clicks and keys: turning, zooming, the kernel trick, the file of a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QImage, QKeyEvent, QPainter, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDockWidget, QFileDialog, QLabel
from pytestqt.qtbot import QtBot

from app.engine.cover import Cover
from app.features.lessons import shipped
from app.features.lessons.controller import LessonController
from app.features.lessons.feature import STAGE
from app.features.lessons.model import Lesson, Step
from app.features.relief import text
from app.features.relief.geometry import Camera
from app.features.relief.panel import TICKS, ReliefPanel
from app.features.relief.scene import ReliefScene
from app.features.table import FEATURES
from app.scene.feature import FeatureTable
from app.state.commands import SetLane
from app.state.document import Document, GeneratorSettings, Lane, SvmSettings, View
from app.window.main_window import MainWindow
from tests.windows import Make, finish_tasks, settle

KEY, NONE, LEFT = Qt.Key, Qt.KeyboardModifier.NoModifier, Qt.MouseButton.LeftButton


def document(*lanes: Lane) -> Document:
    points = GeneratorSettings("circle", 40, 0.05).points()
    return Document(points=points, view=View.fitting(points), lanes=lanes, shown=len(lanes))


def opened(window: MainWindow, qtbot: QtBot) -> ReliefPanel:
    QTest.keyClick(window.canvases[0], KEY.Key_F3)
    settle(qtbot, window)
    panel = window.findChild(ReliefPanel)
    assert panel is not None and panel.isVisible()
    return panel


def shown(panel: ReliefPanel, qtbot: QtBot) -> np.ndarray:
    """Return the pixels of the picture after it has settled."""
    qtbot.waitUntil(lambda: panel.picture.ready)
    image = panel.picture.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.frombuffer(image.constBits(), dtype=np.uint32).reshape(image.height(), image.width()).copy()


def report(panel: ReliefPanel, name: str) -> str:
    label = panel.findChild(QLabel, name)
    assert label is not None
    return label.text()


def wheel(panel: ReliefPanel, notches: int) -> None:
    middle = QPointF(panel.picture.rect().center())
    turn = QPoint(0, 120 * notches)
    event = QWheelEvent(
        middle, panel.picture.mapToGlobal(middle), QPoint(), turn, Qt.MouseButton.NoButton, NONE,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(panel.picture, event)


@pytest.mark.slow
def test_turned_by_mouse_and_keys(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(document(Lane("svm", svm=SvmSettings(gamma=2.0))))
    panel = opened(window, qtbot)
    picture = panel.picture
    assert picture.hasFocus() and picture.accessibleName() == "Relief" and panel.save.isEnabled()
    first, camera = shown(panel, qtbot), picture.camera
    assert len(np.unique(first)) > 200 and camera == Camera()
    # The sentences report what is cut off, and the loss shown by the posts.
    y = np.where(window.document.points.labels == 1, 1.0, -1.0)
    f = window.result(0).model.decision_function(window.document.points.xy)  # type: ignore[union-attr]
    assert f"{np.maximum(0, 1 - y * f).mean():.3g} on average" in report(panel, "relief.words")
    limit = min(each for each in (2, 3, 4, 6, 8) if each >= np.abs(f).max())
    assert f"Cut off at |f| = {limit}." in report(panel, "relief.words")

    # Dragging right turns the near side right; a drag ends when the button is released.
    middle = picture.rect().center()
    QTest.mousePress(picture, LEFT, NONE, middle)
    QTest.mouseMove(picture, middle + QPoint(40, 20))
    QTest.mouseRelease(picture, LEFT, NONE, middle + QPoint(40, 20))
    QTest.mouseMove(picture, middle + QPoint(90, 90))
    assert picture.camera == camera.turned(20.0, 10.0)
    turned = shown(panel, qtbot)
    assert (turned != first).mean() > 0.05
    near = np.array([[0.0, -1.0, 0.0]])  # nearest to the viewer at azimuth 0
    before, after = (Camera(a, 20.0).project(near, 0, 0, 100.0)[0, 0] for a in (0.0, 20.0))
    assert after > before

    QTest.mouseDClick(picture, LEFT, NONE, middle)
    QTest.mouseRelease(picture, LEFT, NONE, middle)
    assert picture.camera == camera and (shown(panel, qtbot) == first).all()

    # Keys that are commands of the window elsewhere belong to the picture here.
    for key, wanted in (
        (KEY.Key_Right, camera.turned(5, 0)),
        (KEY.Key_Down, camera.turned(5, 5)),
        (KEY.Key_Left, camera.turned(0, 5)),
        (KEY.Key_Up, camera),
        (KEY.Key_Plus, camera.zoomed(1.2)),
        (KEY.Key_Minus, camera.zoomed(1.2).zoomed(1 / 1.2)),
    ):
        QTest.keyClick(picture, key)
        assert picture.camera == wanted, key
    wheel(panel, 2)
    assert picture.camera.zoom == pytest.approx(1.44)
    wheel(panel, -1)
    assert picture.camera.zoom == pytest.approx(1.2)
    tool = window.controller.session.tool
    QTest.keyClick(picture, KEY.Key_R)
    assert picture.camera == camera and window.controller.session.tool == tool
    other = QKeyEvent(QEvent.Type.ShortcutOverride, KEY.Key_Plus, Qt.KeyboardModifier.ControlModifier, "+")
    other.ignore()
    picture.event(other)
    assert not other.isAccepted()  # the key for larger text

    # Another theme, larger text, a narrower window: only the relief is redrawn.
    window.appearance.choose_theme("dark")
    settle(qtbot, window)
    dark = shown(panel, qtbot)
    assert dark[3, 3] == 0xFF202020
    for _ in range(4):
        window.named_actions["larger"].trigger()
    window.resize(1024, 700)
    settle(qtbot, window)
    assert shown(panel, qtbot).shape == (picture.height(), picture.width())

    # A file of the displayed relief, with twice the resolution.
    QTest.mouseClick(panel.save, LEFT)
    dialog = window.findChild(QFileDialog, "relief.path")
    assert dialog is not None
    dialog.fileSelected.emit(str(tmp_path / "hill.png"))
    dialog.reject()
    finish_tasks(window)
    saved = QImage(str(tmp_path / "hill.png"))
    assert (saved.width(), saved.height()) == (2 * picture.width(), 2 * picture.height())
    small = saved.scaled(picture.size(), mode=Qt.TransformationMode.SmoothTransformation)
    small = small.convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(small.constBits(), dtype=np.uint8).reshape(small.height(), small.width(), 4)[8:-8, 8:-8]
    now = shown(panel, qtbot).view(np.uint8).reshape(rows.shape[0] + 16, -1, 4)[8:-8, 8:-8]
    assert np.abs(rows.astype(int) - now)[..., :3].mean() < 4
    panel.save_picture(tmp_path / "none" / "hill.png")
    alerts: list[str] = []
    window.tasks._alert = alerts.append
    finish_tasks(window)
    assert len(alerts) == 1 and alerts[0].startswith("hill.png was not saved:")


@pytest.mark.slow
def test_the_kernel_trick_by_clicks(make: Make, qtbot: QtBot) -> None:
    window = make(document(Lane("svm", svm=SvmSettings(coef0=0.0, C=10.0)), Lane("knn")))
    panel = opened(window, qtbot)
    shown(panel, qtbot)
    assert not panel.lift.isVisible() and not panel.use.isVisible()
    panel.mode.setFocus()
    QTest.keyClick(panel.mode, KEY.Key_Down)
    assert report(panel, "relief.message") == text.NO_MAP and not panel.save.isEnabled()
    QTest.mouseClick(panel.use, LEFT)
    settle(qtbot, window)
    lane = window.document.lanes[0]
    assert (lane.svm.kernel, lane.svm.degree) == ("poly", 2) and not report(panel, "relief.message")
    assert window.scene is not None and window.scene.undo == "Use the polynomial kernel of degree 2"
    flat = shown(panel, qtbot)
    assert (
        panel.lift.isVisible() and panel.lift.text() == "&Lift" and "All of φ is drawn" in report(panel, "relief.words")
    )
    # By the slider's keys, by its button to the end, and back.
    panel.morph.setFocus()
    QTest.keyClick(panel.morph, KEY.Key_PageUp)
    assert panel.morph.value() == TICKS // 6 and (shown(panel, qtbot) != flat).any()
    QTest.mouseClick(panel.lift, LEFT)
    assert panel.lift.text() == "&Stop"
    QTest.mouseClick(panel.lift, LEFT)
    assert panel.lift.text() == "&Lift" and panel.morph.value() < TICKS
    panel._clock.setInterval(0)
    QTest.mouseClick(panel.lift, LEFT)
    qtbot.waitUntil(lambda: panel.lift.text() == "F&latten")
    assert panel.morph.value() == TICKS and (shown(panel, qtbot) != flat).mean() > 0.05
    QTest.mouseClick(panel.lift, LEFT)
    qtbot.waitUntil(lambda: not panel._clock.isActive())
    assert panel.morph.value() == 0 and (shown(panel, qtbot) == flat).all()
    # Other points, another model: it follows; for a kernel without such a map, a sentence.
    before = window.scene.feature(ReliefScene)
    window.controller.generate()
    settle(qtbot, window)
    after = window.scene.feature(ReliefScene)
    assert before is not None and after is not None and after.relief is not before.relief
    window.controller.dispatch(SetLane(index=0, lane=Lane("svm"), text=""))
    settle(qtbot, window)
    assert report(panel, "relief.message") == text.NO_MAP
    QTest.keyClick(panel.mode, KEY.Key_Up)
    assert not report(panel, "relief.message")
    # Without points, without an f: a sentence each.
    window.controller.clear()
    settle(qtbot, window)
    assert "Click to add points" in report(panel, "relief.message")
    window.controller.undo()
    window.controller.lanes.remove(0)
    settle(qtbot, window)
    assert report(panel, "relief.message") == text.without(Lane("knn")) and "counts votes" in text.without(Lane("knn"))
    dock = window.findChild(QDockWidget, "dock.relief")
    window.named_actions["relief"].trigger()
    settle(qtbot, window)
    assert dock is not None and dock.isHidden() and window.scene.feature(ReliefScene) is None
    assert not [name for name in window.scheduler._requested if name.startswith("relief")]


def test_what_a_lesson_covers_is_not_shown(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make(document(Lane("svm"), Lane("svm", svm=SvmSettings(gamma=3.0))))
    panel = opened(window, qtbot)
    shown(panel, qtbot)
    slot = window.document.slots[window.scene.run_lane]  # type: ignore[union-attr]
    assert "γ = 3" in report(panel, "relief.words")
    with monkeypatch.context() as planted:
        planted.setattr(FeatureTable, "covered", lambda *of: {slot: Cover.PICTURE})
        window.refresh()
        assert report(panel, "relief.message") == "Covered until the reveal." and not panel.picture.isVisible()
        assert not panel.save.isEnabled() and not report(panel, "relief.words")
    window.refresh()
    assert panel.picture.isVisible() and not report(panel, "relief.message")


def test_the_newest_request_wins(qtbot: QtBot, qapp: QApplication, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """However fast it is turned: one picture at a time, none of them in the window's thread, and the last one stays."""
    import threading

    from app.features.relief import panel as module

    window = make(document(Lane("svm")))
    panel = opened(window, qtbot)
    shown(panel, qtbot)
    drawn: list[float] = []
    gate, whole = threading.Event(), module.draw

    def slow(solid: object, camera: Camera, *rest: object) -> object:
        assert threading.current_thread() is not threading.main_thread()
        drawn.append(camera.azimuth)
        assert gate.wait(300)
        return whole(solid, camera, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "draw", slow)
    for _ in range(30):
        QTest.keyClick(panel.picture, KEY.Key_Right)
    qtbot.waitUntil(lambda: not panel.picture._rest.isActive())  # the fine picture also waits for the first
    gate.set()
    shown(panel, qtbot)
    assert len(drawn) <= 3 and drawn[-1] == panel.picture.camera.azimuth == Camera().turned(150, 0).azimuth
    monkeypatch.setattr(module, "draw", lambda *_: 1 / 0)
    QTest.keyClick(panel.picture, KEY.Key_Right)
    qtbot.waitUntil(lambda: "could not be drawn" in panel.picture._failure)
    panel.picture.grab()


def test_a_missing_first_picture_is_reported(qtbot: QtBot, make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """Loops that are not compiled yet take seconds."""
    import threading

    from app.features.relief import panel as module

    gate, whole = threading.Event(), module.draw
    monkeypatch.setattr(module, "draw", lambda *given: gate.wait(300) and whole(*given))
    painted: list[str] = []
    paint = QPainter.drawText
    monkeypatch.setattr(QPainter, "drawText", lambda self, *given: painted.append(given[-1]) or paint(self, *given))
    window = make(document(Lane("svm")))
    panel = opened(window, qtbot)
    panel.picture.grab()
    assert painted.count(text.PREPARING) and "f = 0" not in painted
    gate.set()
    shown(panel, qtbot)
    painted.clear()
    panel.picture.grab()
    assert text.PREPARING not in painted and "f = 0" in painted


@pytest.mark.slow
def test_lessons_open_it_and_their_claims_about_it_are_true(make: Make, qtbot: QtBot) -> None:
    window = make(document(Lane("svm")))
    step = Step("Hill", "Turn it.", panel="relief")
    window.surroundings.part(STAGE).begin(Lesson("Small", "", "", 5, (step,)))
    settle(qtbot, window)
    panel = window.findChild(ReliefPanel)
    assert panel is not None and panel.isVisible() and panel.picture.isVisible()
    # In the lesson on the kernel trick, with degree 2: F3, "Kernel trick" and "Lift" show how a plane separates the
    # points.
    lesson = shipped.lesson(FEATURES, "circle")
    window.surroundings.part(STAGE).begin(lesson)
    settle(qtbot, window)
    at = next(number for number, step in enumerate(lesson.steps) if "(F3)" in step.text)
    window.controller.feature(LessonController).go(at)
    settle(qtbot, window)
    assert not panel.isVisible()
    window.controller.set_lane(0, "svm", text="", degree=2)
    settle(qtbot, window)
    panel = opened(window, qtbot)
    panel.mode.setFocus()
    QTest.keyClick(panel.mode, KEY.Key_Down)
    panel._clock.setInterval(0)
    QTest.mouseClick(panel.lift, LEFT)
    qtbot.waitUntil(lambda: panel.lift.text() == "F&latten")
    assert "with 200 of 200 points in view on the right side" in report(panel, "relief.words")
