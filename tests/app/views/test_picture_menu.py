"""The context menu of the pictures by right clicks and keys, and other effects of a right click and of Delete."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QCheckBox, QLineEdit, QMenu, QWidget
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.probe.scene import ProbeSession
from app.state.document import Document, View
from app.tools import TOOLS
from app.views.plot import pointer_input
from app.window.dialogs.export_picture import PictureDialog
from app.window.main_window import MainWindow
from tests.windows import Make, finish_layout, settle

LEFT, RIGHT = Qt.MouseButton.LeftButton, Qt.MouseButton.RightButton
KEY, NO, SHIFT = Qt.Key, Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
XY = [(-1.0, -1.0), (-1.0, 1.0), (0.0, 0.0), (1.0, -1.0), (1.0, 1.0)]


def five() -> Document:
    return Document(Points.of(XY, [0, 0, 0, 1, 1]), view=View(0.0, 0.0, 3.0))


def right_click(window: MainWindow, x: float, y: float, lane: int = 0) -> None:
    QTest.mouseClick(window.canvases[lane].viewport(), RIGHT, NO, window.to_widget(lane, x, y))


def menu_of(window: MainWindow) -> QMenu:
    menu = window.findChild(QMenu, "picture.menu")
    assert menu is not None and menu.isVisible()
    return menu


def texts(menu: QMenu) -> list[str]:
    return [action.text().replace("&", "") for action in menu.actions()]


def choose(menu: QMenu, start: str) -> None:
    """Click the entry whose text begins with `text`."""
    action = next(each for each in menu.actions() if each.text().replace("&", "").startswith(start))
    QTest.mouseClick(menu, LEFT, NO, menu.actionGeometry(action).center())
    QApplication.processEvents()


def selected(window: MainWindow) -> list[int]:
    return window.controller.session.selection.ids.tolist()


def test_the_menu_of_a_point_applies_to_it_or_to_the_selection_it_belongs_to(make: Make) -> None:
    window = make(five())
    right_click(window, *XY[2], lane=1)
    menu = menu_of(window)
    assert texts(menu) == ["Remove", "Class", "Make it a test point", "Why this class, here", "Exact coordinates"]
    assert selected(window) == [2] and window.controller.store.history == ()
    choose(menu, "Why this class, here")
    assert window.controller.session.of(ProbeSession).probe == XY[2]
    right_click(window, *XY[2])
    choose(menu_of(window), "Remove")
    assert len(window.document.points) == 4 and selected(window) == []
    window.controller.undo()
    window.controller.editing.select(window.document.points.ids[[1, 4]])
    right_click(window, *XY[4])
    assert selected(window) == [1, 4] and "Make them test points" in texts(menu_of(window))
    choose(menu_of(window), "Make them")
    assert window.document.test_points.ids.tolist() == [1, 4]
    right_click(window, *XY[1])
    choose(menu_of(window), "Train on them again")
    assert len(window.document.test_points) == 0
    right_click(window, *XY[1])
    classes = menu_of(window).findChild(QMenu, "picture.menu.classes")
    assert classes is not None and not any(action.isChecked() for action in classes.actions())
    classes.popup(QPoint(0, 0))
    choose(classes, "class 3")
    assert window.document.points.labels.tolist() == [0, 2, 0, 1, 2]
    right_click(window, *XY[3])
    assert selected(window) == [3] and classes.actions()[1].isChecked()
    menu.close()
    assert window.controller.store.history == (
        "Keep 2 points for testing",
        "Train on 2 points again",
        "Relabel 2 points",
    )


def test_exact_coordinates_are_typed_in_the_table(make: Make, qtbot: QtBot) -> None:
    window = make(five())
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    for turn, x in enumerate(("0.75", "-0.5")):  # with the table closed, then with it open
        right_click(window, *window.document.points.xy[3])
        finish_layout()  # the offscreen platform activates the menu, and does not return the activation
        choose(menu_of(window), "Exact")
        window.activateWindow()
        settle(qtbot, window)
        finish_layout()
        field = window.findChild(QLineEdit, "table.cell")
        assert field is not None and field.isVisible() and field.hasFocus(), turn
        assert float(field.text()) == window.document.points.xy[3, 0] and field.selectedText() == field.text()
        QTest.keyClicks(field, x)
        QTest.keyClick(field, KEY.Key_Return)
        finish_layout()
        assert window.document.points.xy[3].tolist() == [float(x), -1.0]
    assert window.dock_manager.docked == ("table",)


def test_the_menu_beside_points_is_that_of_the_picture(make: Make, qtbot: QtBot) -> None:
    window = make(five())
    window.controller.editing.select(window.document.points.ids[:1])
    right_click(window, 0.5, 0.5, lane=1)
    assert texts(menu_of(window)) == ["Fit", "Copy picture", "Export picture…"]
    assert selected(window) == [0] and len(window.document.points) == 5
    QApplication.clipboard().clear()
    choose(menu_of(window), "Copy picture")
    qtbot.waitUntil(lambda: not window.picture_maker.busy)
    image = QApplication.clipboard().image()
    assert image.width() < window.width() * 0.6 and image.height() > 300, "of one classifier"
    right_click(window, 0.5, 0.5)
    choose(menu_of(window), "Fit")
    assert window.document.view == View.fitting(window.document.points)
    right_click(window, 0.5, 0.5)
    choose(menu_of(window), "Export picture")
    dialog = window.findChild(PictureDialog)
    assert dialog is not None and dialog.isVisible()
    dialog.reject()


@pytest.mark.parametrize(("key", "held"), [(KEY.Key_Menu, NO), (KEY.Key_F10, SHIFT)])
def test_a_key_opens_the_menu_of_cursor_selection_or_pointer(
    make: Make, key: Qt.Key, held: Qt.KeyboardModifier
) -> None:
    window = make(five())
    canvas = window.canvases[0]
    canvas.setFocus()

    def opened() -> list[str]:
        QTest.keyClick(canvas, key, held)
        menu = menu_of(window)
        found = texts(menu)
        menu.close()
        return found

    assert opened()[0] == "Fit", "nothing is pointed at"
    QTest.mouseMove(canvas.viewport(), window.to_widget(0, *XY[4]))
    assert opened()[0] == "Remove" and selected(window) == [4]
    QTest.mouseMove(canvas.viewport(), window.to_widget(0, 0.5, 0.5))
    assert opened()[0] == "Remove" and selected(window) == [4], "the selected point comes before the pointer"
    window.controller.editing.select_none()
    QTest.keyClick(canvas, KEY.Key_Right)  # shows the cursor, on the point in the middle
    assert opened()[0] == "Remove" and selected(window) == [2]
    QTest.keyClick(canvas, KEY.Key_Escape)
    QTest.keyClick(canvas, KEY.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert opened()[0] == "Fit" and selected(window) == []


def test_with_the_eraser_a_right_click_removes_if_it_is_set_to(make: Make) -> None:
    window = make(five())
    window.controller.editing.choose("eraser")
    window.refreshing.flush()
    box = window.findChild(QCheckBox, "tool.right_removes")
    assert box is not None and box.isVisible() and not box.isChecked()
    right_click(window, *XY[2])
    menu = menu_of(window)
    menu.close()
    QTest.mouseClick(box, LEFT, NO, QPoint(8, box.height() // 2))
    assert box.isChecked()
    right_click(window, 0.5, 0.5)
    assert "12 pixels" in window.status_line.text()
    right_click(window, *XY[2])
    assert len(window.document.points) == 4 and not menu.isVisible()
    window.controller.editing.choose("pointer")
    right_click(window, *XY[3])
    assert len(window.document.points) == 4 and menu.isVisible()
    menu.close()


def test_the_pen_of_presenter_mode_leaves_the_right_button_to_the_menu(make: Make, qtbot: QtBot) -> None:
    window = make(five())
    window.controller.presenting.toggle()
    window.controller.presenting.toggle_pen()
    settle(qtbot, window)
    glass = window.findChild(QWidget, "glass1")
    assert glass is not None and glass.isVisible()
    at = window.to_widget(1, *XY[4]) - glass.pos()
    QTest.mouseClick(glass, RIGHT, NO, at)
    assert texts(menu_of(window))[0] == "Remove" and selected(window) == [4]
    menu_of(window).close()
    assert window.controller.session.presenting is not None
    assert window.controller.session.presenting.strokes == ()


def test_a_right_click_in_a_stroke_does_nothing(make: Make) -> None:
    window = make(five())
    view, at = window.canvases[0].viewport(), window.to_widget(0, *XY[2])
    QTest.mousePress(view, LEFT, NO, at)
    right_click(window, *XY[2])
    assert window.findChild(QMenu, "picture.menu") is None and window.controller.editing.busy
    QTest.mouseMove(view, at + QPoint(30, 0))
    QTest.mouseRelease(view, LEFT, NO, at + QPoint(30, 0))
    assert window.controller.store.history == ("Move 1 point",)


@pytest.mark.slow
def test_a_finger_that_stays_opens_the_menu(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pointer_input, "LONG_PRESS", 150)
    window = make(five())
    canvas, screen = window.canvases[0], QTest.createTouchDevice()
    view, at = canvas.viewport(), window.to_widget(0, *XY[2]) + QPoint(8, 0)
    QTest.touchEvent(view, screen).press(0, at, view)
    QTest.touchEvent(view, screen).move(0, at + QPoint(30, 0), view)
    qtbot.wait(200)
    QTest.touchEvent(view, screen).release(0, at + QPoint(30, 0), view)
    assert window.controller.store.history == ("Move 1 point",) and window.findChild(QMenu, "picture.menu") is None
    window.controller.undo()
    for tool in ("pointer", "eraser"):
        window.controller.editing.choose(tool)
        finish_layout()
        at = window.to_widget(0, *XY[2]) + QPoint(8, 0)
        QTest.touchEvent(view, screen).press(0, at, view)
        qtbot.wait(200)
        QTest.touchEvent(view, screen).release(0, at, view)
        assert texts(menu_of(window))[0] == "Remove" and selected(window) == [2]
        menu_of(window).close()
        window.controller.editing.select_none()
        assert (window.document.points.xy == XY).all() and window.controller.store.position == 0


def test_delete_removes_with_every_tool(make: Make, qtbot: QtBot) -> None:
    window = make(five())
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    canvas = window.canvases[0]
    canvas.setFocus()
    for tool in TOOLS:
        window.controller.editing.choose(tool)
        finish_layout()  # its options may have moved the picture
        QTest.mouseMove(canvas.viewport(), window.to_widget(0, *XY[2]) + QPoint(3, 0))
        QTest.keyClick(canvas, KEY.Key_Delete)
        assert len(window.document.points) == 4, tool
        window.controller.undo()
        window.controller.editing.select(window.document.points.ids[[0, 1]])
        QTest.keyClick(canvas, KEY.Key_Delete)
        assert window.document.points.ids.tolist() == [2, 3, 4], tool
        window.controller.undo()
