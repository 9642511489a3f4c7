"""The column beside the pictures: its width is the user's, and panels are stacked only where each is of use."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QDockWidget, QScrollArea
from pytestqt.qtbot import QtBot

from app.features.evaluation.scene import Evaluation
from app.learners.svm import SvmSettings
from app.state.document import Lane, default_document
from app.window.main_window import MainWindow
from tests.windows import Make, discard, finish_layout, settle


def dock(window: MainWindow, name: str) -> QDockWidget:
    found = window.findChild(QDockWidget, f"dock.{name}")
    assert found is not None, name
    return found


def toggle(window: MainWindow, qtbot: QtBot, *names: str) -> None:
    for name in names:
        window.named_actions[name].trigger()
        settle(qtbot, window)
        finish_layout()
    settle(qtbot, window)


def in_sight(window: MainWindow, *names: str) -> list[str]:
    return [name for name in names if not dock(window, name).visibleRegion().isEmpty()]


def test_panels_open_as_wide_as_the_user_left_the_last_one(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1600, 900))
    toggle(window, qtbot, "notes")
    first = dock(window, "notes").width()
    toggle(window, qtbot, "evaluation")
    assert dock(window, "evaluation").width() == dock(window, "notes").width() == first, "no panel has its own width"
    window.resizeDocks([dock(window, "notes")], [520], Qt.Orientation.Horizontal)
    settle(qtbot, window)
    toggle(window, qtbot, "curves")
    assert dock(window, "curves").width() == 520
    window.dock_manager.hide(window.dock_manager.docked)
    settle(qtbot, window)
    toggle(window, qtbot, "settings")
    assert dock(window, "settings").width() == 520


@pytest.mark.parametrize("name", ["settings", "evaluation", "step"])
def test_no_panel_scrolls_sideways_beside_larger_text(make: Make, qtbot: QtBot, name: str) -> None:
    window = make(size=(1280, 800), simple=False)
    window.appearance.set_text_size(13)
    window.named_actions[name].trigger()
    settle(qtbot, window)
    finish_layout()
    dock = window.dock_manager.docks([name])[0]
    bars = [area.horizontalScrollBar() for area in dock.findChildren(QScrollArea)]
    assert bars and not any(bar.isVisible() for bar in bars)


def test_panels_are_stacked_where_each_has_a_useful_height_and_tabs_else(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    toggle(window, qtbot, "notes", "alphas")
    assert in_sight(window, "notes", "alphas") == ["notes", "alphas"]
    assert not window.tabifiedDockWidgets(dock(window, "notes"))
    assert dock(window, "alphas").height() >= 280
    toggle(window, qtbot, "evaluation")
    for name in in_sight(window, "notes", "alphas", "evaluation"):
        assert dock(window, name).height() >= {"notes": 160, "alphas": 280, "evaluation": 340}[name], name
    assert "evaluation" in in_sight(window, "evaluation"), "the one just opened is in front"
    assert len(in_sight(window, "notes", "alphas", "evaluation")) == 2


def test_what_the_user_has_arranged_stays_while_it_is_of_use(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 1000))
    toggle(window, qtbot, "notes", "alphas")
    window.resizeDocks([dock(window, "notes"), dock(window, "alphas")], [450, 450], Qt.Orientation.Vertical)
    finish_layout()
    settle(qtbot, window)
    before = dock(window, "notes").height()
    window.controller.set_lane(1, "svm", C=3.0)
    settle(qtbot, window)
    assert dock(window, "notes").height() == before


@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_a_panel_floats_comes_back_and_is_remembered(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    toggle(window, qtbot, "notes", "history")
    dock(window, "notes").setFloating(True)
    settle(qtbot, window)
    toggle(window, qtbot, "table")
    assert dock(window, "notes").isFloating() and window.dock_manager.docked == ("table", "history")
    dock(window, "notes").setFloating(False)
    settle(qtbot, window)
    assert in_sight(window, "notes", "history", "table") == ["notes", "history", "table"]
    discard(window)
    again = make(size=(1280, 800))
    settle(qtbot, again)
    assert in_sight(again, "notes", "history", "table") == ["notes", "history", "table"]


def test_a_pinned_panel_keeps_its_classifier(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    window.controller.splitting.choose("ratio")
    toggle(window, qtbot, "evaluation")

    def judged() -> int:
        assert window.scene is not None
        found = window.scene.feature(Evaluation)
        assert found is not None
        return found.judged

    pin = dock(window, "evaluation").findChild(QAbstractButton, "dock.evaluation.pin")
    assert pin is not None and pin.isVisible() and judged() == 1
    for pinned, wanted in ((False, 0), (True, 1), (False, 0)):
        window.controller.lanes.select(1)
        if pin.isChecked() != pinned:
            QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
        window.controller.lanes.select(0)
        settle(qtbot, window)
        assert judged() == wanted and pin.isChecked() is pinned
    window.named_actions["lanes"].trigger()
    settle(qtbot, window)
    assert not pin.isVisible(), "one classifier alone needs none"


@pytest.mark.parametrize("name", ["curves", "alphas", "loss", "step"])
def test_a_panel_about_training_follows_the_selected_classifier_unless_pinned(
    make: Make, qtbot: QtBot, name: str
) -> None:
    lanes = tuple(Lane("svm", svm=SvmSettings("rbf", C=C)) for C in (0.01, 100.0))
    window = make(replace(default_document(), lanes=lanes), size=(1280, 800))
    toggle(window, qtbot, name)
    pin = dock(window, name).findChild(QAbstractButton, f"dock.{name}.pin")

    def shown(lane: int) -> QImage:
        """Select a classifier, and return what the panel shows then."""
        window.controller.lanes.select(lane)
        settle(qtbot, window)
        finish_layout()
        return window.dock_manager.panel(name).grab().toImage()

    first, second = shown(0), shown(1)
    assert first != second and shown(0) == first
    QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
    assert shown(1) == first, "pinned"
    QTest.mouseClick(pin, Qt.MouseButton.LeftButton)
    assert shown(1) == second, "it follows again"


def test_a_panel_pinned_to_a_removed_classifier_follows_the_selected_one(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    controller = window.controller
    controller.lanes.add(1)
    for lane in (2, 0):
        controller.lanes.select(lane)
        if lane:
            controller.lanes.toggle_pin("evaluation")
    assert controller.session.selected_lane(controller.document, "evaluation") == 2
    controller.lanes.remove(2)
    controller.lanes.select(1)
    assert controller.session.selected_lane(controller.document, "evaluation") == 1
    controller.new()
    assert controller.session.pins == (), "another document, other classifiers"
