"""The words round the box of a step: all of them readable."""

from __future__ import annotations

import dataclasses

import pytest
from PySide6.QtGui import QFont, QFontMetricsF
from pytestqt.qtbot import QtBot

from app.views.panels.box_view import BoxView

from .test_step_panel import Stage


@pytest.mark.parametrize("size", [(320, 700), (420, 900), (520, 700), (900, 900)])
def test_both_multipliers_of_the_last_small_steps_are_said_in_full(qtbot: QtBot, size: tuple[int, int]) -> None:
    stage = Stage(qtbot, size)
    step = stage.show_step().explanation
    assert step is not None
    small = dataclasses.replace(step, alpha_i=0.643430, alpha_j=0.479380, after=(0.642576, 0.480242), low=0.123)
    view: BoxView = stage.view(BoxView)
    said = view.lines_below(small)
    assert ",  ".join(said[:-1]) == "αᵢ: 0.643430 → 0.642576,  αⱼ: 0.479380 → 0.480242"
    if not view.placed(small)[2]:
        assert all(QFontMetricsF(view.font()).horizontalAdvance(each) <= view.width() for each in said[:-1])


@pytest.mark.parametrize("size", [(320, 700), (380, 560), (560, 700)])
def test_the_axis_of_alpha_j_is_named_clear_of_the_legend(qtbot: QtBot, size: tuple[int, int]) -> None:
    stage = Stage(qtbot, size)
    step = stage.show_step().explanation
    assert step is not None
    view: BoxView = stage.view(BoxView)
    _, frame, beside = view.placed(step)
    strong = QFont(view.font())
    strong.setBold(True)
    title = view.title_at(step, frame)
    end = title + 0.6 * view.line() + QFontMetricsF(strong).horizontalAdvance("αⱼ")
    assert title >= 0 and (beside or end < view.legend_left(step))
    assert beside or view.legend_left(step) > 0
