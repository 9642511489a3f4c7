"""The first lesson hour of docs/tutorial.md, by real events: what it says is what happens."""

from __future__ import annotations

import re

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMessageBox, QPushButton, QSlider, QWidget
from pytestqt.qtbot import QtBot

from app.features.lessons.scene import covers
from app.features.lessons.view_gallery import Card
from app.window.main_window import MainWindow
from tests.windows import Make, settle

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
CTRL, SHIFT, ALT = (
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
    Qt.KeyboardModifier.AltModifier,
)
#: Points of the two classes that the class clicks, left and right of the middle.
CLICKED = [(side * (0.5 + 0.1 * (row % 4)), 0.2 * row - 0.9) for side in (-1, 1) for row in range(10)]


class Hour:
    """What the teacher does, one gesture a method."""

    def __init__(self, window: MainWindow, qtbot: QtBot) -> None:
        self.window, self._qtbot = window, qtbot

    def press(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = NONE) -> None:
        self.window.activateWindow()
        assert QTest.qWaitForWindowActive(self.window)
        QTest.keyClick(self.window, key, modifiers)
        settle(self._qtbot, self.window)

    def at(self, x: float, y: float) -> QPoint:
        return self.window.to_widget(0, x, y)

    def click(self, x: float, y: float, button: Qt.MouseButton = LEFT) -> None:
        QTest.mouseClick(self.window.canvases[0].viewport(), button, NONE, self.at(x, y))
        settle(self._qtbot, self.window)

    def drag(self, start: QPoint, end: QPoint, within: QWidget) -> None:
        QTest.mousePress(within, LEFT, NONE, start)
        for share in (0.3, 0.7, 1.0):
            QTest.mouseMove(within, start + share * (end - start))
        QTest.mouseRelease(within, LEFT, NONE, end)
        settle(self._qtbot, self.window)

    def slide(self, name: str, share: float) -> None:
        """Drag the handle of a slider from where it is to a share of its length."""
        slider = self.window.findChild(QSlider, name)
        middle = slider.rect().center()
        start = QPoint(slider._handle().center().x(), middle.y())
        self.drag(start, QPoint(round(share * (slider.width() - 1)), middle.y()), slider)

    def open(self, name: str, keys: Qt.Key = Qt.Key.Key_O, modifiers: Qt.KeyboardModifier = CTRL | SHIFT) -> None:
        self.press(keys, modifiers)
        QTest.mouseClick(self.window.findChild(Card, name), LEFT)
        settle(self._qtbot, self.window)
        assert self.window.findChild(QMessageBox) is None, "it asks nothing"

    def accuracies(self, lane: int) -> list[float]:
        return [float(each) for each in re.findall(r"([\d.]+) %", self.window.lanes_view.strips[lane].label.text())]

    def predicted(self, lane: int) -> np.ndarray:
        """Return the classes that a picture shows, at 100 by 100 places."""
        x, y = np.meshgrid(np.linspace(-2, 2, 100), np.linspace(-2, 2, 100))
        return self.window.result(lane).model.predict(np.column_stack((x.ravel(), y.ravel())))

    def wait(self, condition) -> None:
        self._qtbot.waitUntil(condition)


@pytest.mark.slow
def test_the_first_lesson_hour(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800), simple=True)
    hour = Hour(window, qtbot)
    hour.press(Qt.Key.Key_F5)
    assert window.controller.session.presents_here
    hour.press(Qt.Key.Key_F5)

    # 1. What a classifier is
    hour.press(Qt.Key.Key_N, CTRL)
    assert len(window.document.points) == 0
    for each in CLICKED[:10]:
        hour.click(*each)
    hour.press(Qt.Key.Key_2)
    for each in CLICKED[10:]:
        hour.click(*each)
    assert window.document.points.labels.tolist() == [0] * 10 + [1] * 10
    before = [hour.predicted(lane) for lane in (0, 1)]
    hour.drag(hour.at(*CLICKED[4]), hour.at(0.75, 0.0), window.canvases[0].viewport())
    assert len(window.document.points) == 20
    shares = [(hour.predicted(lane) != before[lane]).mean() for lane in (0, 1)]
    assert min(shares) > 0 and shares[0] != shares[1], "both boundaries follow, one of them more"
    drawn = window.document.points

    # 2. Nearest neighbours
    hour.open("example.neighbours")
    window.controller.undo()
    assert window.document.points is drawn
    window.controller.redo()
    settle(qtbot, window)
    hour.slide("lane0.k.slider", 0.0)
    few = hour.accuracies(0)
    assert window.document.lanes[0].knn.n_neighbors == 1 and few[0] == 100.0 and round(few[1]) == 85
    hour.slide("lane0.k.slider", 0.5)
    middle = hour.accuracies(0)
    hour.slide("lane0.k.slider", 1.0)
    assert window.document.lanes[0].knn.n_neighbors > 51
    assert middle[0] < 100 and 86.5 < middle[1] < 88.5 and hour.accuracies(0)[0] < middle[0]

    # 3. The widest margin
    hour.open("example.support-vectors")
    unchanged, points = hour.predicted(0), window.document.points
    ringed = {*window.result(0).marks.free.tolist(), *window.result(0).marks.bounded.tolist()}
    assert 0 < len(ringed) <= 4
    free = next(index for index in range(len(points)) if index not in ringed)
    hour.click(*points.xy[free])
    hour.press(Qt.Key.Key_Delete)
    assert len(window.document.points) == len(points) - 1 and np.array_equal(hour.predicted(0), unchanged)
    hour.click(*points.xy[min(ringed)])
    hour.press(Qt.Key.Key_Delete)
    assert len(window.document.points) == len(points) - 2 and not np.array_equal(hour.predicted(0), unchanged)

    # 4. When no line will do
    hour.open("example.outlier")
    hour.slide("lane0.C.slider", 0.2)
    small = hour.accuracies(0)[0]
    hour.slide("lane0.C.slider", 0.95)
    assert small < 100.0 == hour.accuracies(0)[0]
    hour.open("example.circle")
    assert hour.accuracies(0)[0] < 60 and hour.accuracies(1)[0] == 100.0
    lift = window.findChild(QPushButton, "relief.lift")
    QTest.mouseClick(lift, LEFT)
    hour.wait(lambda: lift.text().replace("&", "") == "Flatten")

    # 5. A question for everybody
    hour.open("lesson.margin", Qt.Key.Key_L, CTRL | ALT)
    assert covers(window.document, window.controller.session), "the picture is covered"
    entries = [entry.text().replace("&", "") for menu in window.menuBar().actions() for entry in menu.menu().actions()]
    assert {"Hand in answers…", "Answers of the class"} <= set(entries)
