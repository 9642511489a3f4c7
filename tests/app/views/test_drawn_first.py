"""A form acts on the document it shows: whatever changes before the next drawing, no control acts on what has gone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QDialog,
    QLineEdit,
    QMenu,
    QPlainTextEdit,
    QSlider,
    QWidget,
)
from pytest import MonkeyPatch
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.exchange.columns import Imported
from app.features.study.planning import StudySession
from app.features.table import FEATURES
from app.main import create_window
from app.state.commands import ImportPoints
from app.state.document import Document, Lane, default_document
from app.window.main_window import MainWindow
from tests.windows import Make, discard, settle

DOCUMENT = default_document()
ONE_LANE = replace(Document(Points.of([(0.0, 0.0), (1.0, 1.0)], [0, 1])), lanes=(Lane("pegasos"),) * 2, shown=1)
CONTROLS = (QComboBox, QAbstractButton, QAbstractSpinBox, QLineEdit, QPlainTextEdit, QSlider, QAbstractItemView)
Change = Callable[[MainWindow], object]
#: Changes of what forms offer: classifiers, lanes, points, classes, the whole document.
CHANGES: dict[str, Change] = {
    "another classifier": lambda window: window.controller.set_lane(1, classifier="knn"),
    "the other classifier": lambda window: window.controller.set_lane(0, classifier="perceptron"),
    "one lane": lambda window: window.controller.toggle_lanes(),
    "another lane in its place": lambda window: window.controller.lanes.move(0, 1),
    "no points": lambda window: window.controller.clear(),
    "one class": lambda window: window.controller.dispatch(ImportPoints(xy=((0.0, 0.0), (1.0, 1.0)))),
    "many classes": lambda window: window.controller.dispatch(
        ImportPoints(xy=[(float(x), float(x % 3)) for x in range(18)], labels=[x % 6 for x in range(18)])
    ),
    "another document": lambda window: window.controller.put(ONE_LANE, None),
}
PANELS = [each.dock.name for each in FEATURES if each.dock is not None]


def operate(control: QWidget) -> None:
    """Act on a control with real events, as the user does."""
    if isinstance(control, QAbstractButton):
        QTest.mouseClick(control, Qt.MouseButton.LeftButton)
        return
    if isinstance(control, (QLineEdit, QAbstractSpinBox)):
        QTest.keyClick(control, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        QTest.keyClicks(control, "3")
        QTest.keyClick(control, Qt.Key.Key_Return)
    elif isinstance(control, QPlainTextEdit):
        QTest.keyClicks(control, "a")
    else:
        for key in (Qt.Key.Key_Down, Qt.Key.Key_End, Qt.Key.Key_Return, Qt.Key.Key_Right):
            QTest.keyClick(control, key)


def tidy(window: MainWindow) -> None:
    """Close what the control has opened."""
    while isinstance(menu := QApplication.activePopupWidget(), QWidget) and menu.close():
        pass
    for dialog in window.findChildren(QDialog):
        dialog.reject()
        dialog.deleteLater()


def names_within(panel: QWidget) -> list[str]:
    """Return the object names of the visible controls that the user can operate, each once."""
    found = (each for each in panel.findChildren(QWidget) if isinstance(each, CONTROLS) and each.isVisible())
    return list(dict.fromkeys(each.objectName() for each in found if each.objectName() and each.isEnabled()))


def walk(window: MainWindow, panel: QWidget, changes: list[str], each_with: int) -> list[tuple[str, str]]:
    """Operate each control of `panel` right after `each_with` of the changes; return the pairs of the two."""
    done, order = [], cycle(changes)
    for name in names_within(panel):
        for _ in range(each_with):
            change = next(order)
            window.controller.put(DOCUMENT, None)
            window.refresh()
            control = panel.findChild(QWidget, name)
            if control is None or not control.isVisible() or not control.isEnabled():
                continue
            control.setFocus()
            CHANGES[change](window)
            operate(control)
            done.append((change, name))
            QApplication.processEvents()
            tidy(window)
    return done


@pytest.mark.slow
@pytest.mark.parametrize("name", PANELS)
def test_each_control_of_each_panel(make: Make, qtbot: QtBot, name: str) -> None:
    """An exception in the event loop fails the test."""
    window = make(DOCUMENT, wait=False)
    window.named_actions[name].trigger()
    settle(qtbot, window)
    walk(window, window.dock_manager.docks((name,))[0], list(CHANGES), len(CHANGES))


@pytest.mark.slow
def test_each_control_of_the_lanes_and_bars(make: Make, qtbot: QtBot) -> None:
    window = make(DOCUMENT)
    for part in (window.lanes_view, window.bar, window.tool_palette):
        assert len(walk(window, part, list(CHANGES), len(CHANGES))) > 50


def combo(window: MainWindow, name: str) -> QComboBox:
    found = window.findChild(QComboBox, name)
    assert found is not None
    return found


def test_an_axis_of_a_study_is_one_of_the_present_classifier(make: Make) -> None:
    window = make(DOCUMENT, wait=False)
    window.dock_manager.reveal("study")
    lane, axis, classifier = (combo(window, name) for name in ("study.lane", "study.axis0", "lane1.classifier"))
    window.refresh()
    QTest.keyClick(lane, Qt.Key.Key_End)
    window.refresh()
    assert axis.itemText(0) == "Kernel"
    QTest.keyClick(classifier, Qt.Key.Key_Home)
    assert window.document.lanes[1].classifier == "knn" and axis.itemText(0) == "Kernel", "not drawn yet"
    QTest.keyClick(axis, Qt.Key.Key_Down)
    assert "Kernel" not in [axis.itemText(at) for at in range(axis.count())]
    plan = window.controller.session.of(StudySession).plan
    assert plan is not None and plan.axes[0].name == axis.currentData()


def test_a_control_of_a_lane_that_has_gone_does_nothing(make: Make) -> None:
    window = make(DOCUMENT)
    button = window.findChild(QAbstractButton, "lane1.settings")
    assert button.isVisible()
    window.controller.put(ONE_LANE, None)
    before = window.document, window.controller.session.selected_slot
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert (window.document, window.controller.session.selected_slot) == before and not button.isVisible()


def test_a_held_slider_of_a_lane_that_has_gone_does_nothing(make: Make) -> None:
    window = make(DOCUMENT)
    sliders = window.lanes_view.findChildren(QSlider)
    slider = next(each for each in sliders if each.objectName().startswith("lane1.") and each.isVisible())
    handle = slider.rect().center()
    QTest.mousePress(slider, Qt.MouseButton.LeftButton, pos=handle)
    window.controller.put(ONE_LANE, None)
    before = window.document
    QTest.mouseMove(slider, handle + QPoint(20, 0))
    QTest.mouseRelease(slider, Qt.MouseButton.LeftButton, pos=handle + QPoint(20, 0))
    assert window.document is before and not slider.isVisible()


def test_input_on_a_picture_is_drawn_together_with_what_came_before(make: Make, monkeypatch: MonkeyPatch) -> None:
    """Nor does anything watch the input once all is drawn."""
    window, drawn = make(DOCUMENT, wait=False), []
    view, draw = window.canvases[0].viewport(), window._draw
    monkeypatch.setattr(window, "_draw", lambda scene: (drawn.append(scene), draw(scene)))
    for x in (100, 140, 180):
        QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(x, 150))
    QTest.keyClick(window, Qt.Key.Key_Period)
    assert len(window.document.points) == len(DOCUMENT.points) + 3 and not drawn
    window.refresh()
    QTest.mouseClick(window.findChild(QAbstractButton, "lane1.settings"), Qt.MouseButton.RightButton)
    assert len(drawn) == 1


def menu_at(window: MainWindow, lane: int, at: QPoint) -> QMenu:
    QTest.mouseClick(window.canvases[lane].viewport(), Qt.MouseButton.RightButton, pos=at)
    menu = QApplication.activePopupWidget()
    assert isinstance(menu, QMenu) and menu.isVisible()
    return menu


def test_a_menu_of_a_lane_or_a_point_that_goes_closes(make: Make) -> None:
    """A file that was being read arrives while the menu is open."""
    window = make(DOCUMENT, wait=False)
    menu = menu_at(window, 1, QPoint(5, 60))
    window.controller.put(ONE_LANE, None)
    assert not menu.isVisible()
    window.controller.put(DOCUMENT, None)
    window.refresh()
    menu = menu_at(window, 0, window.to_widget(0, *DOCUMENT.points.xy[0]))
    classes = menu.findChild(QMenu, "picture.menu.classes")
    classes.popup(menu.mapToGlobal(QPoint(5, 5)))
    window.controller.set_lane(0, "knn", n_neighbors=1)
    assert menu.isVisible() and classes.isVisible(), "it is about none of that"
    window.controller.import_points(
        Imported(DOCUMENT.points.xy[:1], np.zeros(1, np.uint8), (), ("", ""), ("x", "y")), False
    )
    assert not menu.isVisible() and not classes.isVisible()


def test_input_is_watched_from_when_the_window_is_shown(qtbot: QtBot, tmp_path: Path) -> None:
    """While it is made and not shown, each of its thousands of events would be looked at."""
    window = create_window(profile_dir=tmp_path)
    chip = window.findChild(QAbstractButton, "class1")
    assert chip is not None
    looked: list[bool] = []
    window._drawn_first._lanes_kept = lambda: not looked.append(True)
    none, at = Qt.MouseButton.NoButton, QPointF(1.0, 1.0)
    move = QMouseEvent(QEvent.Type.MouseMove, at, at, none, none, Qt.KeyboardModifier.NoModifier)
    window.controller.set_lane(1, classifier="knn")
    QApplication.sendEvent(chip, move)
    assert not looked
    window.show()
    QApplication.sendEvent(chip, move)
    assert looked and window.scene is not None and window.scene.lanes[1].lane.classifier == "svm"
    QTest.mousePress(chip, Qt.MouseButton.LeftButton)
    assert window.scene.lanes[1].lane.classifier == "knn", "what has changed before is drawn before the first click"
    QTest.mouseRelease(chip, Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    discard(window)
    window.deleteLater()
