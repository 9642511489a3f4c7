"""Labels that reserve the space of their longest text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.views.widgets.roomy_label import RoomyLabel


@pytest.fixture
def placed(qtbot: QtBot) -> Callable[[RoomyLabel], RoomyLabel]:
    """Put a label into a window, 200 pixels wide."""
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(500, 500)
    window.show()

    def build(label: RoomyLabel) -> RoomyLabel:
        label.setParent(window)
        label.resize(200, 10)
        label.show()
        return label

    return build


def test_text_keeps_the_room_of_its_longest(placed: Callable[[RoomyLabel], RoomyLabel]) -> None:
    label = placed(RoomyLabel("a", "many words " * 20))
    room = label.sizeHint().height()
    label.say("few words")
    assert label.sizeHint().height() == room >= 5 * label.fontMetrics().lineSpacing()
    label.say("far more words " * 40)
    taller = label.sizeHint().height()
    assert taller > room
    label.say("few words")
    assert label.sizeHint().height() == taller
    label.resize(400, 10)
    assert label.sizeHint().height() < taller
    font = label.font()
    font.setPointSize(2 * font.pointSize())
    before = label.sizeHint().height()
    label.setFont(font)
    assert label.sizeHint().height() > before


@pytest.mark.parametrize("rich", [False, True])
def test_a_text_has_the_height_that_was_reported_for_its_width(qtbot: QtBot, rich: bool) -> None:
    label = RoomyLabel("label", "bounded: misclassified, slack above 1 " * 4, rich=rich)
    qtbot.addWidget(label)
    label.say("free: exactly on the margin")
    for width in range(60, 400, 7):
        before = label.heightForWidth(width)
        label.resize(width, before)
        assert label.heightForWidth(width) == label.sizeHint().height() == before


def test_text_without_a_longest_releases_its_space_on_request(placed: Callable[[RoomyLabel], RoomyLabel]) -> None:
    label = placed(RoomyLabel("b", title="What it says", rich=True))
    label.say("<b>many words</b> &amp; " * 20)
    tall = label.sizeHint().height()
    assert "many words" in label.accessibleDescription() and "<b>" not in label.accessibleDescription()
    label.say("few")
    assert label.sizeHint().height() == tall
    label.say("fewer", keep=False)
    assert label.sizeHint().height() < tall / 3
