"""Points are dragged while a forest and a network train in their own processes: the window never stops."""

from __future__ import annotations

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.state.document import Document, GeneratorSettings, Lane, View
from tests.app.views.watchdog import Watchdog
from tests.windows import Make, settle

POINTS = GeneratorSettings("moons", 100, 0.2).points()
LEFT = Qt.MouseButton.LeftButton


@pytest.mark.soak
def test_the_window_never_stops_for_50_ms_while_points_are_dragged(make: Make, qtbot: QtBot) -> None:
    window = make(Document(POINTS, (Lane("forest"), Lane("mlp")), view=View.fitting(POINTS)))
    settle(qtbot, window)
    view, at = window.canvases[0].viewport(), window.to_widget(0, *POINTS.xy[0])
    jobs = set()
    dog = Watchdog(0.05)
    dog.start()
    QTest.mousePress(view, LEFT, pos=at)
    for step in range(500):
        QTest.mouseMove(view, at + QPoint(round(60 * math.sin(step / 25)), round(60 * math.cos(step / 40) - 60)))
        qtbot.wait(8)
        jobs.add(tuple(window.result(lane).job for lane in (0, 1)))
    QTest.mouseRelease(view, LEFT, pos=at + QPoint(40, 0))
    dog.stop()
    assert len(jobs) > 10, "both were trained again and again meanwhile"
    assert not dog.stops, "\n".join(f"{stop.seconds:.3f} s, busy {stop.busy:.3f}: {stop.where}" for stop in dog.stops)
    settle(qtbot, window)
    assert window.result(0).points is window.result(1).points is not POINTS
