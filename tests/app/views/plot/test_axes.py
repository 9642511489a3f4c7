"""Numbers of the axes: whole ones only, whatever part of the plane is displayed, and all alike."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from app.state.commands import SetView
from app.state.document import View
from app.views.plot.canvas import Canvas
from app.views.widgets.painting import painter_on
from tests.covering import first_of
from tests.windows import Make, settle


def numbers(canvas: Canvas, side: str) -> list[tuple[QRectF, str]]:
    """Return the numbers of an axis, and their rectangles on the canvas."""
    axis = canvas.plot.axes[side]
    with painter_on(QImage(10, 10, QImage.Format.Format_RGB32)) as painter:
        texts = axis.generateDrawSpecs(painter)[2]
    return [(axis.mapRectToScene(rect), text) for rect, _, text in texts]


@pytest.mark.slow
@pytest.mark.parametrize("size", first_of([(1100, 761), (1024, 768)], 1))
def test_no_number_is_cut_off(make: Make, qtbot: QtBot, size: tuple[int, int]) -> None:
    window = make(size=size)
    canvas = window.canvases[1]
    whole = QRectF(canvas.rect())
    shown = set()
    for shift in range(12):  # the view moves, so that a tick comes near each edge
        window.controller.dispatch(SetView(view=View(0.08 * shift, 0.08 * shift, 6.0)))
        settle(qtbot, window)
        for side in ("left", "bottom"):
            found = numbers(canvas, side)
            assert len(found) > 3
            for rect, text in found:
                assert whole.top() <= rect.top() and rect.right() <= whole.right(), (side, text, rect)
                shown.add(text)
            assert len({len(text.partition(".")[2]) for _, text in found}) == 1, [text for _, text in found]
    assert any(text.startswith("−") for text in shown) and not any("-" in text for text in shown)
