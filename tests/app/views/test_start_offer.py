"""The start buttons at the first start, in an empty picture and in an empty panel: a sentence, and actions."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontInfo
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton
from pytestqt.qtbot import QtBot

from app.features.lessons.view_gallery import GalleryDialog
from app.features.table import FEATURES
from app.main import create_window
from app.scene.model import BEGIN, TRAINING
from app.window.dock_manager import docks
from app.window.main_window import MainWindow
from tests.windows import Make, discard, finish_layout, finish_tasks, settle

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def buttons(window: MainWindow, name: str) -> list[str]:
    """Return the visible start buttons."""
    return [
        each.objectName().removeprefix(f"{name}.")
        for each in window.findChildren(QPushButton)
        if each.objectName().startswith(f"{name}.") and each.isVisible()
    ]


def press(window: MainWindow, qtbot: QtBot, name: str) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None and button.isVisible() and button.isEnabled() and button.height() >= 24
    QTest.mouseClick(button, LEFT)
    finish_tasks(window)
    settle(qtbot, window)
    finish_layout()


def test_the_gallery_is_offered_at_the_first_start_until_the_first_click(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    offer = window.lanes_view.offer
    assert offer.isVisible() and buttons(window, "offer") == ["examples"]
    label = window.findChild(QLabel, "offer.sentence")
    assert label.text() and QFontInfo(label.font()).pixelSize() > QFontInfo(window.font()).pixelSize()
    assert window.canvases[0].geometry().contains(offer.geometry())
    press(window, qtbot, "offer.examples")
    gallery = window.findChild(GalleryDialog)
    assert gallery is not None and gallery.isVisible()
    gallery.reject()
    assert offer.isVisible(), "nothing has been opened"
    number = len(window.document.points)
    background = window.canvases[0].viewport().mapTo(window, window.to_widget(0, 0.3, 2.0))
    QTest.mouseClick(window.windowHandle(), LEFT, NONE, background)
    settle(qtbot, window)
    finish_layout()
    assert len(window.document.points) == number + 1 and not offer.isVisible()


def test_the_offer_grows_with_the_text(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    window.appearance.set_text_size(16)
    settle(qtbot, window)
    finish_layout()
    label, offer = window.findChild(QLabel, "offer.sentence"), window.lanes_view.offer
    assert label is not None and QFontInfo(label.font()).pixelSize() >= QFontInfo(QApplication.font()).pixelSize() > 16
    assert offer.height() >= offer.height_at(offer.width()) and window.canvases[0].geometry().contains(offer.geometry())


def test_any_click_takes_the_offer_away(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    window = make(size=(1280, 800))
    x = window.bar.mapTo(window, QPoint(window.bar.width() - 4, 4))
    QTest.mouseClick(window.windowHandle(), LEFT, NONE, x)
    settle(qtbot, window)
    finish_layout()
    assert not window.lanes_view.offer.isVisible() and not window.controller.store.modified
    discard(window)
    again = create_window(None, tmp_path)
    try:
        again.show()
        settle(qtbot, again)
        assert not again.lanes_view.offer.isVisible(), "only the first start is the first"
    finally:
        discard(again)


@pytest.mark.slow
def test_an_empty_picture_and_every_empty_panel_offer_to_go_on(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    window.named_actions["clear"].trigger()
    settle(qtbot, window)
    assert buttons(window, "offer") == list(BEGIN)
    finish_layout()
    for name in BEGIN:
        button = window.findChild(QPushButton, f"offer.{name}")
        assert button is not None and button.visibleRegion().boundingRect().size() == button.size(), "all of it is seen"
        assert button.height() >= 24
    lacking = []
    for spec in docks(FEATURES):
        window.named_actions[spec.name].trigger()
        settle(qtbot, window)
        finish_layout()
        offered = buttons(window, f"{spec.name}.offer")
        if spec.needs and (
            offered != list(BEGIN) or not window.findChild(QLabel, f"{spec.name}.offer.sentence").text()
        ):
            lacking.append(spec.name)
        assert spec.needs or not offered
        window.dock_manager.hide([spec.name])
    assert lacking == []
    window.named_actions["evaluation"].trigger()
    finish_layout()
    press(window, qtbot, "evaluation.offer.examples")
    gallery = window.findChild(GalleryDialog)
    assert gallery is not None and gallery.isVisible()
    gallery.reject()
    QApplication.clipboard().setText("x,y,class\n0,0,a\n1,1,b\n2,0,a\n")
    press(window, qtbot, "evaluation.offer.paste")
    assert len(window.document.points) == 3
    assert buttons(window, "evaluation.offer") == [] and buttons(window, "offer") == []


@pytest.mark.slow
def test_a_panel_of_runs_offers_a_classifier_that_is_trained(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    window.controller.lanes.remove(1)
    settle(qtbot, window)
    for spec in docks(FEATURES):
        if TRAINING in spec.needs:
            window.named_actions[spec.name].trigger()
            qtbot.waitUntil(lambda name=spec.name: buttons(window, f"{name}.offer") == ["add_lane"])
    press(window, qtbot, f"{window.dock_manager.front(['relief', 'step'])}.offer.add_lane")
    assert window.document.lanes[1].classifier == "svm"
    panels = window.controller.session.open_panels
    assert panels  # the others are tabs behind
    qtbot.waitUntil(lambda: not [name for name in panels if buttons(window, f"{name}.offer")])


@pytest.mark.slow
def test_nothing_is_offered_while_pictures_are_presented(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    window.controller.presenting.toggle()
    settle(qtbot, window)
    assert not window.lanes_view.offer.isVisible()
    window.controller.presenting.end()
    settle(qtbot, window)
