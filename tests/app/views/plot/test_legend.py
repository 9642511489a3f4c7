"""The legend: complete, and without entries for anything that is not displayed."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.scene.text import LEGEND
from app.views.plot.legend_card import LegendCard
from tests.windows import Make, settle


def test_it_has_the_signs_in_sight_and_no_others(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.named_actions["legend"].trigger()
    settle(qtbot, window)
    card = window.findChild(LegendCard)
    assert card is not None and card.isVisible()

    def shown() -> list[str]:
        return [label.text() for label in card.findChildren(QLabel) if label.isVisible() and label.text()]

    texts = dict(LEGEND)
    there = ["boundary", "margin", "free", "bounded", "wrong"]
    assert shown() == [texts[kind] for kind in texts if kind in there]
    window.controller.set_lane(1, classifier="knn")
    settle(qtbot, window)
    assert shown() == [texts["boundary"], texts["wrong"]]
    window.controller.clear()
    settle(qtbot, window)
    assert shown() == []
