"""The twelve demonstrations of a lesson, from a fresh window by real events, with the actions counted.

An action is a click, a drag, a chord of keys, a choice from a list with its opening, or a number typed with Enter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QComboBox, QDialog, QLineEdit, QSlider, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.features.race import controller
from app.window.lane.named_combo import MORE
from app.window.main_window import MainWindow
from tests.windows import Make, settle

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


class Teacher:
    """Acts as a user does, and counts the actions."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self._qtbot = window, qtbot
        self.actions = self.points = 0

    def _done(self) -> None:
        QApplication.processEvents()
        settle(self._qtbot, self.window)

    def _find(self, name: str) -> QWidget:
        found = next((w.findChild(QWidget, name) for w in self._windows() if w.findChild(QWidget, name)), None)
        assert found is not None, name
        return found

    def _windows(self) -> Iterator[QWidget]:
        yield self.window
        yield from self.window.dock_manager.windows.values()
        yield from self.window.findChildren(QDialog)

    def wait(self, until: Callable[[], bool]) -> None:
        """Wait while a demonstration plays."""
        self._qtbot.waitUntil(until)

    def click(self, name: str) -> None:
        """Click the button `name`."""
        self.actions += 1
        button = self._find(name)
        assert button.isVisible() and button.isEnabled(), name
        QTest.mouseClick(button, LEFT)
        self._done()

    def type(self, name: str, text: str) -> None:
        """Type a number with Enter into the field `name`."""
        self.actions += 1
        field = self._find(name)
        assert isinstance(field, (QSpinBox, QLineEdit)) and field.isVisible(), name
        QTest.mouseClick(field, LEFT)
        field.setFocus()
        field.selectAll()
        QTest.keyClicks(field, text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        self._done()

    def choose(self, name: str, data: str) -> None:
        """Choose an entry of the list `name`."""
        self.actions += 1
        combo = self._find(name)
        assert isinstance(combo, QComboBox) and combo.isVisible() and combo.isEnabled(), name
        row = combo.findData(data)
        assert row >= 0, data
        combo.showPopup()
        if combo.view().isRowHidden(row):  # type: ignore[attr-defined]  # the last entry opens a dialog
            more = combo.view().visualRect(combo.model().index(combo.findData(MORE), 0)).center()
            QTest.mouseClick(combo.view().viewport(), LEFT, NONE, more)
            QApplication.processEvents()
            search = self.window.findChild(QLineEdit, "classifiers.search")
            QTest.keyClicks(search, combo.itemText(row))
            QTest.keyClick(search, Qt.Key.Key_Return)
            self._done()
            return
        location = combo.view().visualRect(combo.model().index(row, 0)).center()
        QTest.mouseClick(combo.view().viewport(), LEFT, NONE, location)
        self._done()

    def press(self, action: str) -> None:
        """Press the keys of an action, or use its entry in a menu."""
        self.actions += 1
        self.window.named_actions[action].trigger()
        self._done()

    def point(self, x: float, y: float, label: int = 0) -> None:
        """Click a point of this class into the first picture."""
        self.points += 1
        canvas = self.window.canvases[0]
        QTest.mouseClick(self._find(f"class{label + 1}"), LEFT)
        QTest.mouseClick(canvas.viewport(), LEFT, NONE, self.window.to_widget(0, x, y))
        self._done()

    def drag(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Drag the point at `start`."""
        self.actions += 1
        view = self.window.canvases[0].viewport()
        a, b = (self.window.to_widget(0, *location) for location in (start, end))
        QTest.mousePress(view, LEFT, NONE, a)
        for share in (0.3, 0.7, 1.0):
            QTest.mouseMove(view, a + QPoint(round(share * (b - a).x()), round(share * (b - a).y())))
        QTest.mouseRelease(view, LEFT, NONE, b)
        self._done()

    def status(self, lane: int) -> str:
        """Return the text below the picture."""
        return self.window.lanes_view.strips[lane].label.text()

    def model(self, lane: int) -> object:
        frame = self.window.result(lane)
        assert frame is not None
        return frame.model


@pytest.fixture
def teacher(make: Make, qtbot: QtBot) -> Teacher:
    return Teacher(make(size=(1024, 768), simple=True), qtbot)


def test_1_k_from_1_to_51(teacher: Teacher) -> None:
    teacher.type("generator.noise", "0.35")
    teacher.type("lane0.k", "1")
    assert "training 100" in teacher.status(0) and "test" in teacher.status(0)
    teacher.type("lane0.k", "51")
    assert teacher.window.document.lanes[0].knn.n_neighbors == 51 and teacher.actions <= 3


def test_2_weighted_against_unweighted(teacher: Teacher) -> None:
    teacher.choose("lane1.classifier", "knn")
    teacher.choose("lane1.weights", "distance")
    assert [lane.knn.weights for lane in teacher.window.document.lanes] == ["uniform", "distance"]
    assert teacher.actions <= 3


def test_3_the_widest_margin_by_hand(teacher: Teacher) -> None:
    teacher.press("clear")
    teacher.choose("lane1.kernel", "linear")
    for x, y, label in ((-0.6, 0.5, 0), (-0.3, 0.8, 0), (0.5, -0.6, 1), (0.8, -0.2, 1)):
        teacher.point(x, y, label)
    before = teacher.model(1)
    teacher.drag((0.5, -0.6), (0.2, -0.3))
    assert teacher.model(1) is not before and teacher.actions <= 3


def test_4_only_support_vectors_matter(teacher: Teacher) -> None:
    teacher.press("whatif")
    number = len(teacher.window.document.points)
    teacher.click("whatif.lane1.remove_others")
    assert len(teacher.window.document.points) < number and teacher.actions <= 2


def test_5_c_with_an_outlier(teacher: Teacher) -> None:
    teacher.press("clear")
    teacher.choose("lane1.kernel", "linear")
    for x, y, label in ((-0.6, 0.6, 0), (-0.2, 0.8, 0), (0.3, -0.6, 1), (0.7, -0.4, 1), (-0.2, 0.2, 1)):
        teacher.point(x, y, label)
    widths = []
    for C in ("1000", "0.1"):
        teacher.type("lane1.C", C)
        widths.append(float(np.linalg.norm(teacher.model(1).coef_)))  # type: ignore[attr-defined]
    assert widths[0] > 2 * widths[1] and teacher.actions <= 4


def test_6_the_kernel_trick(teacher: Teacher) -> None:
    teacher.choose("generator.name", "circle")
    teacher.choose("lane1.kernel", "linear")
    teacher.choose("lane1.kernel", "rbf")
    assert teacher.window.document.generator.name == "circle" and teacher.actions <= 3


@pytest.mark.slow
def test_6_the_kernel_trick_lifts_the_points(teacher: Teacher) -> None:
    teacher.press("examples")
    teacher.click("example.circle")
    lift = teacher.window.findChild(QWidget, "relief.lift")
    assert lift is not None and lift.text() == "&Lift"  # type: ignore[attr-defined]
    teacher.click("relief.lift")
    slider = teacher.window.findChild(QSlider, "relief.morph")
    teacher.wait(lambda: slider.value() == slider.maximum())
    assert teacher.actions <= 3


def test_7_gamma_with_a_test_set(teacher: Teacher) -> None:
    teacher.type("lane1.gamma", "300")
    assert "training 100" in teacher.status(1) and "test" in teacher.status(1) and teacher.actions <= 2


def test_8_one_step_by_the_box(teacher: Teacher) -> None:
    teacher.press("step")
    teacher.press("step_back")
    scene = teacher.window.scene
    assert scene is not None and scene.run_state is not None and scene.run_state.step == scene.run_state.length - 1
    assert teacher.actions <= 2


def test_9_random_against_second_order(teacher: Teacher, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(controller.PACES, "steps", (math.inf,) * len(controller.PACES["steps"]))
    teacher.press("race")
    teacher.click("race.play")
    assert teacher.actions <= 2


def test_10_where_do_two_disagree(teacher: Teacher) -> None:
    teacher.press("differing")
    assert all(lane.sheets for lane in teacher.window.scene.lanes) and teacher.actions <= 1  # type: ignore[union-attr]


def test_11_wrong_labels(teacher: Teacher) -> None:
    teacher.click("generator.more")
    teacher.type("generator.flipped", "10%")
    made = teacher.window.document.origin
    assert made is not None and made.flipped == 0.1 and teacher.actions <= 2


def test_12_lines_of_a_perceptron_against_the_margin(teacher: Teacher) -> None:
    teacher.press("clear")
    for x, y, label in ((-0.6, 0.5, 0), (-0.3, 0.8, 0), (0.5, -0.6, 1), (0.8, -0.2, 1)):
        teacher.point(x, y, label)
    teacher.choose("lane0.classifier", "perceptron")
    teacher.type("lane0.orders", "20")
    teacher.choose("lane1.kernel", "linear")
    assert teacher.window.scene.lanes[0].orders is not None and teacher.actions <= 4  # type: ignore[union-attr]
    assert teacher.window.controller.session.simple, "nothing but Simple is needed for it"
