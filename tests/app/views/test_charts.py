"""What all charts share: places, keys, the numbers beside the axes, the kept picture; and text that keeps its room."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QKeyEvent, QPainter
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.views.charts.chart import Chart, Plot, goal_of
from app.views.charts.scales import powers
from app.views.theme import Theme
from app.views.widgets.roomy_label import RoomyLabel

KEY = Qt.Key


def test_places_of_values() -> None:
    plot = Plot.over(QRectF(10, 20, 100, 50), (0.0, 4.0), (-1.0, 1.0))
    x, y = plot.places([0.0, 1.0, 4.0, 9.0], [-1.0, 0.0, 1.0, -7.0])
    assert x.tolist() == [10, 35, 110, 110] and y.tolist() == [70, 45, 20, 70]
    log = Plot.over(QRectF(0, 0, 100, 100), (1.0, 100.0), (1e-2, 1.0), log=True)
    np.testing.assert_allclose(log.places([1.0, 10.0, 100.0], [1e-2, 1e-1, 1.0]), [[0, 50, 100], [100, 50, 0]])


@pytest.mark.parametrize("first", [0, -80])
def test_keys_lead_along_a_curve(first: int) -> None:
    last, here = first + 50, first + 10

    def goal(key: Qt.Key, at: int = here, **options: object) -> int | None:
        return goal_of(QKeyEvent(QEvent.Type.KeyPress, key, Qt.KeyboardModifier.NoModifier), at, first, last, **options)  # type: ignore[arg-type]

    assert (goal(KEY.Key_Left), goal(KEY.Key_Right)) == (here - 1, here + 1)
    assert (goal(KEY.Key_Home), goal(KEY.Key_End)) == (first, last)
    assert (goal(KEY.Key_Left, first - 1), goal(KEY.Key_Right, first - 1)) == (last, first)
    assert (goal(KEY.Key_Left, first), goal(KEY.Key_Right, last)) == (first, last)
    assert (goal(KEY.Key_PageUp), goal(KEY.Key_Up), goal(KEY.Key_A)) == (None, None, None)
    assert goal(KEY.Key_PageUp, page=100) == last and goal(KEY.Key_Up, upright=True) == here + 1
    held = QKeyEvent(QEvent.Type.KeyPress, KEY.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert goal_of(held, here, first, last) is None


def test_powers_of_ten() -> None:
    assert powers(1e-3, 1e3, 10) == [-3, -2, -1, 0, 1, 2, 3]
    assert powers(1e-3, 1e3, 4) == [-2, 0, 2]
    assert powers(2.0, 50.0, 3) == [1]


class Counted(Chart):
    drawn = 0

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.drawPixmap(0, 0, self.kept((theme,), QColor("white"), self._draw))

    def _draw(self, painter: QPainter) -> None:
        self.drawn += 1


def test_a_picture_is_kept_until_something_changes(qtbot: QtBot) -> None:
    chart = Counted()
    qtbot.addWidget(chart)
    chart.resize(80, 60)
    for _ in range(3):
        chart.grab()
    assert chart.drawn == 1
    chart.resize(90, 60)
    chart.grab()
    font = chart.font()
    font.setPointSize(font.pointSize() + 3)
    chart.setFont(font)
    chart.grab()
    assert chart.drawn == 3


@pytest.fixture
def placed(qtbot: QtBot) -> Callable[[RoomyLabel], RoomyLabel]:
    """Puts a label into a window, 200 pixels wide."""
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
def test_a_text_is_as_high_at_a_width_as_it_says_before(qtbot: QtBot, rich: bool) -> None:
    label = RoomyLabel("label", "bounded: misclassified, slack above 1 " * 4, rich=rich)
    qtbot.addWidget(label)
    label.say("free: exactly on the margin")
    for width in range(60, 400, 7):
        before = label.heightForWidth(width)
        label.resize(width, before)
        assert label.heightForWidth(width) == label.sizeHint().height() == before


def test_text_without_a_longest_gives_its_room_back_when_told(placed: Callable[[RoomyLabel], RoomyLabel]) -> None:
    label = placed(RoomyLabel("b", title="What it says", rich=True))
    label.say("<b>many words</b> &amp; " * 20)
    tall = label.sizeHint().height()
    assert "many words" in label.accessibleDescription() and "<b>" not in label.accessibleDescription()
    label.say("few")
    assert label.sizeHint().height() == tall
    label.say("fewer", keep=False)
    assert label.sizeHint().height() < tall / 3
