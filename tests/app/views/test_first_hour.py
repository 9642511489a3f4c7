"""First actions of a new user: the menu of themes, the list of classifiers, a number, notes, legend and pointer."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QToolButton
from pytestqt.qtbot import QtBot

from app.features.probe.scene import Probe
from app.files import examples
from app.learners.table import LEARNERS
from app.scene import model
from app.state.commands import AddPoints, SetView
from app.tools import PointerPosition
from app.views.widgets.inputs import NumberField
from app.window.lane.classifier_dialog import ClassifierDialog
from app.window.lane.named_combo import MORE, NamedCombo
from app.window.main_window import MainWindow
from tests.windows import Make, settle

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def view_menu(window: MainWindow) -> QMenu:
    return next(entry.menu() for entry in window.menuBar().actions() if entry.text() == "&View")


def test_the_theme_is_chosen_in_the_view_menu(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    for simple in (True, False, True):
        window.controller.prefer_simple(simple)
        settle(qtbot, window)
        menus = [entry.menu() for entry in view_menu(window).actions() if entry.menu() is not None]
        titles = [menu.title().replace("&", "") for menu in menus]
        assert titles == ["Audience's screen", "Theme", *["More"] * simple]
    dark = next(entry for menu in menus for entry in menu.actions() if entry.text() == "&Dark")
    dark.trigger()
    settle(qtbot, window)
    assert window.controller.session.dark


def test_a_click_on_more_classifiers_opens_them(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    combo = window.findChild(NamedCombo, "lane0.classifier")
    shown = [row for row in range(combo.count()) if not combo.view().isRowHidden(row)]
    QTest.mouseClick(combo, LEFT)
    view, more = combo.view(), combo.model().index(combo.findData(MORE), 0)
    at = view.visualRect(more).center()
    QTest.mouseMove(view.viewport(), at)
    QTest.qWait(QApplication.doubleClickInterval() + 50)  # until then Qt ignores a release after the opening click
    QTest.mousePress(view.viewport(), LEFT, NONE, view.visualRect(more).center())
    QTest.mouseRelease(view.viewport(), LEFT, NONE, view.visualRect(more).center())
    QApplication.processEvents()
    settle(qtbot, window)
    dialog = window.findChild(ClassifierDialog)
    assert dialog is not None and dialog.isVisible() and combo.currentData() == "knn"
    assert len(shown) < len(LEARNERS) and not view.isVisible(), "nothing grows under the pointer"
    dialog.close()


def test_a_double_click_selects_the_whole_number(make: Make) -> None:
    window = make(simple=True)
    field = window.findChild(NumberField, "generator.noise")
    QTest.mouseDClick(field, LEFT, NONE, QPoint(12, field.height() // 2))
    assert field.selectedText() == field.text() == "0.2"


def test_a_new_document_has_no_notes_of_the_old_one(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.examples.open(examples.BY_NAME["differ"])
    settle(qtbot, window)
    assert window.document.notes
    window.controller.new()
    settle(qtbot, window)
    assert window.document.notes == "" and window.controller.examples.present is None


def test_the_legend_takes_the_corner_of_the_first_offer(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    assert window.scene.offer is model.FIRST
    window.named_actions["legend"].trigger()
    settle(qtbot, window)
    assert window.scene.offer is None and window.lanes_view.offer.isHidden()


def test_the_probe_follows_a_still_pointer_after_a_new_layout_and_a_new_view(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    canvas = window.canvases[0]
    at = canvas.plot_area().center().toPoint() + QPoint(60, 0)
    QTest.mouseMove(canvas.viewport(), at)
    settle(qtbot, window)
    for change in ("layout", "view"):
        if change == "layout":
            window.named_actions["probe"].trigger()
        else:
            window.controller.dispatch(SetView(view=window.document.view.panned(0.7, 0.4)))
        settle(qtbot, window)
        pointer = canvas.pointer_position()
        assert pointer is not None

        def follows(pointer: PointerPosition = pointer) -> bool:
            probed = window.scene.feature(Probe).location
            return probed is not None and probed == pytest.approx((pointer.x, pointer.y), abs=2e-3)

        qtbot.waitUntil(follows, timeout=5_000)


def test_play_trains_from_zero_after_an_edit_too(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    window.controller.dispatch(AddPoints(xy=[(0.5, 0.9)], labels=1))
    settle(qtbot, window)
    continued = window.result(1)
    assert continued.continues and continued.run_state.at_end
    QTest.mouseClick(window.findChild(QToolButton, "lane1.watch"), LEFT)

    def replays() -> bool:  # its first step may have passed before it is looked at
        run_state = window.result(1).run_state
        return run_state is not None and run_state.recording != continued.run_state.recording

    qtbot.waitUntil(replays)
    assert not window.result(1).continues
    qtbot.waitUntil(lambda: window.result(1).run_state.step > 0)
    assert window.result(1).run_state.length > continued.run_state.length
    window.controller.playback.to_end(1)
    settle(qtbot, window)
    assert window.result(1).run_state.at_end
    assert (
        np.abs(
            window.result(1).model.decision_function(window.document.points.xy)
            - continued.model.decision_function(window.document.points.xy)
        ).max()
        < 0.02
    )


def test_beside_the_pictures_the_status_line_has_the_notes(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    window.examples.open(examples.BY_NAME["differ"])
    settle(qtbot, window)
    canvas = window.canvases[0]
    QTest.mouseMove(canvas.viewport(), canvas.plot_area().center().toPoint())
    window.controller.dispatch(AddPoints(xy=[(0.5, 0.9)], labels=1))
    settle(qtbot, window)
    assert window.status_line.text().startswith("Click: add a point")
    QTest.mouseMove(canvas.viewport(), QPoint(canvas.width() // 2, canvas.height() - 2))  # over the axis
    assert window.status_line.text() == window.document.notes.splitlines()[0]


def test_who_leaves_at_once_sees_no_replay(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True)
    window.controller.dispatch(AddPoints(xy=[(0.5, 0.9)], labels=1))
    settle(qtbot, window)
    before = window.result(1).run_state.recording
    window.controller.playback.watch(1)
    window.controller.playback.leave(1)  # before the training from zero has begun
    settle(qtbot, window)
    assert window.result(1).run_state.at_end and window.result(1).run_state.recording != before
    assert window.controller.session.seeks[window.document.slots[1]] is None
