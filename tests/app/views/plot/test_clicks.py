"""Clicks and drags of the point tool by real events: their effect on a point and elsewhere, and the hints."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QMouseEvent, QPointingDevice
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from app.core.points import Points
from app.state.document import Document, View
from app.window.main_window import MainWindow
from tests.windows import Make

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
NO, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier
CONTROL, ALT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier
XY = [(-1.0, -1.0), (-1.0, 1.0), (0.0, 0.0), (1.0, -1.0), (1.0, 1.0)]


def five() -> Document:
    return Document(Points.of(XY, [0, 0, 0, 1, 1]), view=View(0.0, 0.0, 3.0))


def pixel(window: MainWindow, x: float, y: float) -> QPoint:
    return window.to_widget(0, x, y)


def click(window: MainWindow, at: QPoint, held: Qt.KeyboardModifier = NO) -> None:
    QTest.mouseClick(window.canvases[0].viewport(), LEFT, held, at)
    window.refreshing.flush()


def double_click(window: MainWindow, at: QPoint, held: Qt.KeyboardModifier = NO) -> None:
    """Double click as the desktop sends it: the second press is an event of another type."""
    view = window.canvases[0].viewport()
    QTest.mouseClick(view, LEFT, held, at)
    send(view, QEvent.Type.MouseButtonDblClick, at, held)
    send(view, QEvent.Type.MouseButtonRelease, at, held)
    window.refreshing.flush()


def send(view: QWidget, kind: QEvent.Type, at: QPoint, held: Qt.KeyboardModifier = NO) -> None:
    """Send the event of a second press, which QTest cannot make."""
    button = NONE if kind is QEvent.Type.MouseMove else LEFT
    down = NONE if kind is QEvent.Type.MouseButtonRelease else LEFT
    location = at.toPointF()
    QApplication.sendEvent(view, QMouseEvent(kind, location, view.mapToGlobal(at).toPointF(), button, down, held))


def drag(window: MainWindow, start: QPoint, end: QPoint, held: Qt.KeyboardModifier = NO) -> None:
    view = window.canvases[0].viewport()
    QTest.mousePress(view, LEFT, held, start)
    for share in (0.3, 0.7, 1.0):
        QTest.mouseMove(view, start + QPoint(round(share * (end - start).x()), round(share * (end - start).y())))
        QApplication.processEvents()
    QTest.mouseRelease(view, LEFT, held, end)
    window.refreshing.flush()


def hover(window: MainWindow, at: QPoint) -> str:
    QTest.mouseMove(window.canvases[0].viewport(), at)
    return window.status_line.text()


def selected(window: MainWindow) -> list[int]:
    return window.controller.session.selection.ids.tolist()


def history(window: MainWindow) -> tuple[str, ...]:
    return window.controller.store.history


def test_a_click_on_a_point_selects_it_and_one_elsewhere_adds_a_point(make: Make) -> None:
    window = make(five())
    click(window, pixel(window, *XY[2]) + QPoint(4, -3))
    assert selected(window) == [2]
    click(window, pixel(window, *XY[0]), SHIFT)
    assert selected(window) == [0, 2]
    click(window, pixel(window, *XY[2]), CONTROL)
    click(window, pixel(window, *XY[4]), CONTROL)
    assert selected(window) == [0, 4]
    click(window, pixel(window, *XY[0]))
    assert selected(window) == [0]
    for held in (SHIFT, CONTROL):
        click(window, pixel(window, 0.5, 0.5), held)
        assert selected(window) == [0]
    assert len(window.document.points) == 5 and history(window) == (), "selecting is no step"
    click(window, pixel(window, 0.5, 0.5))
    assert selected(window) == [] and len(window.document.points) == 6
    assert history(window) == ("Add 1 point",)


def test_a_double_click_adds_one_point_and_selects_or_drags_one(make: Make) -> None:
    window = make(five())
    double_click(window, pixel(window, 0.5, 0.5))
    assert len(window.document.points) == 6 and selected(window) == [] and history(window) == ("Add 1 point",)
    double_click(window, pixel(window, *XY[2]), CONTROL)
    assert selected(window) == [2], "it is selected once, not once more"
    view, at = window.canvases[0].viewport(), pixel(window, *XY[3])
    QTest.mouseClick(view, LEFT, NO, at)
    send(view, QEvent.Type.MouseButtonDblClick, at)
    send(view, QEvent.Type.MouseMove, at + QPoint(-30, 0))
    send(view, QEvent.Type.MouseButtonRelease, at + QPoint(-30, 0))
    assert len(window.document.points) == 6
    assert window.document.points.xy[3] == pytest.approx((1.0 - 30 * window.canvases[0].unit(), -1.0), abs=1e-9)


def test_drags_move_points_or_draw_a_rubber_band(make: Make) -> None:
    window = make(five())
    unit = window.canvases[0].unit()
    drag(window, pixel(window, -1.3, -1.3), pixel(window, 0.2, 1.3), SHIFT)
    assert selected(window) == [0, 1, 2] and len(window.document.points) == 5
    drag(window, pixel(window, -0.3, -1.3), pixel(window, 1.3, 0.3), CONTROL)
    assert selected(window) == [0, 1, 3] and len(window.document.points) == 5 and history(window) == ()
    at = pixel(window, *XY[4])
    drag(window, at, at + QPoint(0, 20))
    assert selected(window) == [0, 1, 3] and history(window) == ("Move 1 point",)
    at = pixel(window, *XY[0])
    drag(window, at, at + QPoint(20, 0))
    moved = (window.document.points.xy - XY) / unit
    assert moved == pytest.approx(np.array([(20, 0), (20, 0), (0, 0), (20, 0), (0, -20)]), abs=1e-6)
    assert selected(window) == [0, 1, 3] and history(window) == ("Move 1 point", "Move 3 points")
    view = window.canvases[0].viewport()
    QTest.mousePress(view, LEFT, SHIFT, pixel(window, -0.3, -0.3))
    QTest.mouseMove(view, pixel(window, 0.3, 0.3))
    assert window.controller.session.outline is not None and window.controller.session.outline.kind == "rectangle"
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Escape)
    QTest.mouseRelease(view, LEFT, SHIFT, pixel(window, 0.3, 0.3))
    assert selected(window) == [0, 1, 3]


def test_hovering_explains_what_a_click_does(make: Make) -> None:
    window = make(five())
    canvas = window.canvases[0]
    background, point, other = pixel(window, 0.5, 0.5), pixel(window, *XY[2]), pixel(window, *XY[4])
    shape = Qt.CursorShape

    def shown() -> tuple[Qt.CursorShape, int]:
        window.refreshing.flush()
        assert canvas._overlay is not None
        return canvas.viewport().cursor().shape(), canvas._overlay.paints

    assert hover(window, background).startswith("Click: add a point of class 1  ") and shown() == (shape.CrossCursor, 0)
    assert "click: select it" in hover(window, point) and shown() == (shape.ArrowCursor, -1)
    click(window, point)
    assert hover(window, point).startswith("The selected point, of class 1")
    assert "Shift+click: it as well" in hover(window, other)
    click(window, other, SHIFT)
    assert hover(window, other).startswith("One of 2 selected points")
    assert hover(window, background).startswith("Click: add a point of class 1, select none") and shown()[1] == 0
    click(window, background)
    assert "click: select it" in window.status_line.text() and shown() == (shape.ArrowCursor, -1), (
        "it is on the new one"
    )
    window.controller.undo()
    assert shown() == (shape.CrossCursor, 0)
    canvas.setFocus()
    QTest.mouseMove(canvas.viewport(), point)
    QTest.keyClick(canvas, "b")
    assert shown() == (shape.CrossCursor, 0), "a brush sprays on points, too"


def test_the_pointer_is_on_a_point_where_its_symbol_is_drawn(make: Make) -> None:
    window = make(five(), size=(760, 620))
    for size in ((760, 620), (1900, 1300)):
        window.resize(*size)
        QApplication.processEvents()
        window.refresh()
        area = window.canvases[0].plot_area()
        drawn = window.canvases[0].layers.point_size(area.width(), area.height())
        reach = max(6.0, drawn / 2)
        at = pixel(window, *XY[2])
        inside, outside = at + QPoint(int(reach - 0.8), 0), at + QPoint(int(reach + 1.6), 0)
        assert "click: select it" in hover(window, inside) and hover(window, outside).startswith("Click: add")
    assert reach > 9.0, "of large symbols the least distance is not the test"


def test_a_point_on_top_of_another_is_added_with_alt_and_by_the_keyboard(make: Make) -> None:
    window = make(five())
    canvas = window.canvases[0]
    click(window, pixel(window, *XY[3]), ALT)
    assert len(window.document.points) == 6
    canvas.setFocus()
    for _ in range(2):
        QTest.keyClick(canvas, Qt.Key.Key_Return)  # shows the cursor, in the middle, then uses it
    assert len(window.document.points) == 7 and tuple(window.document.points.xy[6]) == XY[2]
    assert selected(window) == [] and history(window) == ("Add 1 point", "Add 1 point")


@pytest.fixture(scope="module")
def screen() -> QPointingDevice:
    return QTest.createTouchDevice()


def test_a_tap_is_a_click(make: Make, screen: QPointingDevice) -> None:
    window = make(five())
    view = window.canvases[0].viewport()

    def tap(at: QPoint) -> None:
        QTest.touchEvent(view, screen).press(0, at, view)
        QTest.touchEvent(view, screen).release(0, at, view)

    tap(pixel(window, *XY[2]) + QPoint(9, 0))
    assert selected(window) == [2] and len(window.document.points) == 5, "a finger aims less well"
    for _ in range(2):
        tap(pixel(window, 0.5, 0.5))
    assert selected(window) == [] and len(window.document.points) == 6, "a double tap adds one point"


def test_enter_adds_a_point_on_top_of_a_selected_one(make: Make) -> None:
    window = make(five())
    click(window, pixel(window, -1.0, 1.0))
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Return)
    assert window.controller.session.cursor == (-1.0, 1.0)
    assert "arrow keys move what is selected" in window.status_line.text()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Return)
    assert len(window.document.points) == 6
    assert tuple(window.document.points.xy[-1]) == (-1.0, 1.0)
