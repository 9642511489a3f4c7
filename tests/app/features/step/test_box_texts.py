"""Texts in the picture of a step's box: none is written over another, or beyond the edge."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QFontMetricsF, QPainter
from PySide6.QtWidgets import QApplication

from app.features.step import view_drawing
from app.features.step.view_box import BoxView
from app.views.theme import LIGHT
from solver.inspection.step_explanation import Explanation, explain
from tests.app.features.step.test_views import solver_of, steps


def near_the_optimum(number: int) -> Iterator[Explanation]:
    """Return the last explanation of each run."""
    for seed in range(number):
        solver, last = solver_of(seed), None
        for _ in range(200):
            step = explain(solver)
            if step is None:
                break
            last = step
            solver.step(1)
        if last is not None:
            yield last


@pytest.mark.slow
@pytest.mark.parametrize("size", [(234, 150), (276, 174), (296, 186), (400, 232), (300, 300)])
def test_no_text_is_written_over_another(
    qapp: QApplication, monkeypatch: pytest.MonkeyPatch, size: tuple[int, int]
) -> None:
    written: list[tuple[QRectF, str]] = []
    draw_text = view_drawing.draw_text

    def recorded(painter: QPainter, at: QPointF, text: str) -> None:
        metrics = QFontMetricsF(painter.font())
        width = view_drawing.width_of(text, painter.font())
        written.append((QRectF(at.x(), at.y() - metrics.ascent(), width, metrics.height()), text))
        draw_text(painter, at, text)

    monkeypatch.setattr(view_drawing, "draw_text", recorded)
    view = BoxView()
    view.resize(size[0], max(size[1], view.minimumSizeHint().height()))
    inside = QRectF(view.rect()).adjusted(-1, -1, 1, 1)
    number = 0
    for step in (*steps(24, 4), *near_the_optimum(24)):
        written.clear()
        view.show_step(step, LIGHT)
        view.grab()
        number += len(written)
        assert all(inside.contains(rect) for rect, _ in written), written
        for (first, text), (second, other) in combinations(written, 2):
            # Between the lines of text there is room without ink.
            apart = not first.adjusted(1, 2.5, -1, -2.5).intersects(second.adjusted(1, 2.5, -1, -2.5))
            assert apart, (text, first, other, second)
    assert number > 1000
