"""The probe where each axis has its own scale."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPoint
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.state.document import Document, View
from tests.windows import Make, settle


def test_the_probed_location_is_that_of_the_pointer(make: Make, qtbot: QtBot) -> None:
    """One pixel is 10 000 wide and 0.01 high: rounding y as x is rounded made it 0."""
    xy = np.column_stack((np.linspace(0.0, 5e6, 40), np.sin(np.arange(40.0))))
    points = Points.of(xy, np.arange(40) % 2)
    window = make(Document(points, view=View.fitting(points, own_scales=True)))
    window.named_actions["probe"].trigger()
    settle(qtbot, window)
    for x, y in ((1e6, 0.5), (4e6, -0.25)):
        QTest.mouseMove(window.canvases[0].viewport(), window.to_widget(0, x, y) - QPoint(0, 0))
        window.refreshing.flush()
        assert window.controller.pointer is not None
        unit = window.canvases[0].unit()
        away = (np.array(window.controller.pointer) - (x, y)) / (unit, unit * window.document.view.ratio)
        assert np.abs(away).max() <= 1.5
