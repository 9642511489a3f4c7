"""Lines and fragments are painted the same with pyqtgraph's private class and without it."""

from __future__ import annotations

import sys
from importlib.util import module_from_spec, spec_from_file_location
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QPixmap
from pytestqt.qtbot import QtBot

from app.views.plot import bulk_drawing


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return the module as it is where the import fails."""
    monkeypatch.setitem(sys.modules, "pyqtgraph.Qt.internals", None)
    spec = spec_from_file_location("bulk_drawing_without", bulk_drawing.__file__)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def painted(module: Any) -> QImage:
    """Return lines, and fragments of a pixmap with two coloured halves, as `module` paints them."""
    random = np.random.default_rng(0)
    pixmap = QPixmap(20, 10)
    pixmap.fill(QColor("red"))
    part = QPainter(pixmap)
    part.fillRect(10, 0, 10, 10, QColor("blue"))
    part.end()
    fragments = np.column_stack(
        (
            random.uniform(10, 190, (40, 2)),
            random.choice([0.0, 10.0], 40),
            np.zeros(40),
            np.full((40, 2), 10.0),
            random.uniform(0.5, 2, 40),
            random.uniform(0.5, 2, 40),
            random.uniform(0, 90, 40),
            random.choice([0.4, 1.0], 40),
        )
    )
    image = QImage(200, 200, QImage.Format.Format_RGB32)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setPen(QPen(QColor("black"), 1.5))
    module.draw_lines(painter, random.uniform(0, 200, (30, 4)))
    module.draw_fragments(painter, fragments, pixmap)
    painter.end()
    return image


def test_the_same_pixels_are_painted_without_the_private_class(qtbot: QtBot, without: Any) -> None:
    assert bulk_drawing.PrimitiveArray is not None and without.PrimitiveArray is None
    image = painted(bulk_drawing)
    assert image == painted(without)
    colours = {image.pixel(x, y) for x in range(200) for y in range(200)}
    assert {QColor(name).rgb() for name in ("red", "blue", "black", "white")} <= colours
