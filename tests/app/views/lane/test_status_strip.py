"""StatusStrip: the order in which parts are dropped from a line that is too long."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any, cast

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.scene.status_badge import Badge, Mood, StatusPart
from app.views import theme
from app.window.lane.status_strip import StatusStrip

TRAINING = StatusPart("training 97.5 %", "On its points.", brief="train 97.5 %")
TEST = StatusPart("test 97.4 %", "On others.")
AT_ONCE = StatusPart("Trained on all points; not step by step", "No steps.", aside=True)


@pytest.fixture
def strip(qtbot: QtBot) -> StatusStrip:
    made = StatusStrip(0)
    qtbot.addWidget(made)
    theme.apply(theme.LIGHT, made, 0)
    made.show()
    return made


def written(strip: StatusStrip, width: int, *scores: StatusPart, remark: str = "") -> str:
    strip.resize(width, strip.height())
    lane = SimpleNamespace(badge=Badge(Mood.CERTIFIED, "optimal: gap 0.0005"), headline="", message="", scores=scores)
    lane.remark, lane.details, lane.note = remark, "", ""
    strip.render_scene(cast(Any, lane), theme.LIGHT)
    QApplication.processEvents()
    text = re.sub("<[^>]*>", "", strip.label.text()).replace("&nbsp;", " ").replace("\xa0", " ")
    return re.sub(" +", " ", text).strip()


def test_with_less_room_fewer_words_stand_there_and_the_badge_is_whole(strip: StatusStrip) -> None:
    shown = [written(strip, width, TRAINING, TEST, AT_ONCE, remark=" · a sample") for width in range(900, 120, -4)]
    assert list(dict.fromkeys(shown)) == [
        "✓ optimal training 97.5 % · test 97.4 % · Trained on all points; not step by step · a sample",
        "✓ optimal training 97.5 % · test 97.4 % · Trained on all points; not step by step",
        "✓ optimal train 97.5 % · test 97.4 % · Trained on all points; not step by step",
        "✓ optimal train 97.5 % · test 97.4 %",
        "✓ optimal test 97.4 %",
        "✓ test 97.4 %",
    ]


def test_the_remark_stays_if_it_is_the_only_text(strip: StatusStrip) -> None:
    assert written(strip, 200, AT_ONCE).startswith("✓ opt") and "Trained on" in written(strip, 200, AT_ONCE)


def test_all_of_it_is_in_the_tip(strip: StatusStrip) -> None:
    written(strip, 200, TRAINING, TEST, AT_ONCE)
    assert [each in strip.label.toolTip() for each in ("gap 0.0005", "On its points", "On others", "No steps")] == [
        True
    ] * 4
