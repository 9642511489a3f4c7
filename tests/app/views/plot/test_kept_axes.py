"""Axes whose pixels are kept: they are those that would be painted anew, whatever changes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtWidgets import QGraphicsItem
from pytestqt.qtbot import QtBot

from app.state.commands import ImportPoints, SetView
from app.state.document import Document, View
from app.views.plot.canvas import Canvas
from app.window.main_window import MainWindow
from tests.app.views.export.test_export import pixels_of
from tests.windows import Make, settle

CacheMode = QGraphicsItem.CacheMode
POINTS = np.random.default_rng(0).normal(size=(20, 2))


def imported(window: MainWindow, **fields: object) -> None:
    command = ImportPoints(xy=POINTS, labels=np.arange(20) % 2, class_names=("no", "yes"))
    window.controller.dispatch(replace(command, **fields))


CHANGES: dict[str, Callable[[MainWindow], object]] = {
    "view": lambda window: window.controller.dispatch(SetView(View((7.0, 300.0), 500.0))),
    "names": lambda window: imported(window, axes=("Age", "Income")),
    "dates": lambda window: imported(window, dates=(1e-9, 0.0)),
    "theme": lambda window: window.controller.set_session(dark=True),
    "presenter mode": lambda window: window.named_actions["presenter"].trigger(),
    "size": lambda window: window.resize(window.width() - 37, window.height() - 23),
    "panel": lambda window: window.dock_manager.toggle("evaluation"),
}


def painted(canvas: Canvas, kept: bool) -> np.ndarray:
    if not kept:
        for axis in canvas.plot.axes.values():
            axis.setCacheMode(CacheMode.NoCache)
    image = pixels_of(canvas.grab().toImage())
    for axis in canvas.plot.axes.values():
        axis.setCacheMode(CacheMode.DeviceCoordinateCache)
    return image


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES)
def test_the_pixels_that_are_kept_are_those_of_the_present_axes(make: Make, qtbot: QtBot, change: str) -> None:
    window = make(Document())
    imported(window)
    settle(qtbot, window)
    canvas = window.canvases[0]
    assert all(axis.cacheMode() is CacheMode.DeviceCoordinateCache for axis in canvas.plot.axes.values())
    before = painted(canvas, kept=True)
    CHANGES[change](window)
    settle(qtbot, window)
    after = painted(canvas, kept=True)
    assert before.shape != after.shape or (before != after).any()
    assert np.array_equal(after, painted(canvas, kept=False))
