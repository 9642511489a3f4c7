"""Every tool in the window by real mouse events, in both themes; fingers; the keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPointingDevice
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QSpinBox, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.state.document import Document, View
from app.state.session import OPTION_LIMITS
from app.tools import TOOLS
from app.window.bars.popup import PopupButton
from app.window.main_window import MainWindow
from tests.covering import first_rows
from tests.windows import Make, finish_tasks, settle

LEFT = Qt.MouseButton.LeftButton
MODIFIER = Qt.KeyboardModifier
NO, SHIFT, CONTROL = MODIFIER.NoModifier, MODIFIER.ShiftModifier, MODIFIER.ControlModifier
GRID = np.array([(x, y) for x in np.linspace(-1, 1, 9) for y in np.linspace(-1, 1, 9)])
LABELS = (GRID[:, 0] > 0).astype(int)


def squares() -> Document:
    """Return nine times nine points, class 1 to the left and 2 to the right."""
    return Document(Points.of(GRID, LABELS), view=View(0.0, 0.0, 2.6))


def take(window: MainWindow, tool: str) -> None:
    button = window.findChild(QToolButton, f"tool.tool.{tool}")
    assert button is not None
    QTest.mouseClick(button, LEFT)
    window.refreshing.flush()
    assert window.controller.session.tool == tool and button.isChecked()


def drag(window: MainWindow, *locations: tuple[float, float], lane: int = 0, held: Qt.KeyboardModifier = NO) -> None:
    view = window.canvases[lane].viewport()
    pixels = [window.to_widget(lane, *index) for index in locations]
    QTest.mousePress(view, LEFT, held, pixels[0])
    for start, end in pairwise(pixels):
        for step in range(1, 9):
            QTest.mouseMove(view, start + (end - start) * (step / 8))
            QApplication.processEvents()
    QTest.mouseRelease(view, LEFT, held, pixels[-1])
    window.refreshing.flush()


def put(window: MainWindow, name: str, value: int) -> None:
    spin = window.findChild(QSpinBox, f"tool.{name}")
    assert spin is not None and spin.isVisible()
    spin.setValue(value)


def unit(window: MainWindow) -> float:
    return window.canvases[0].unit()


Act = Callable[[MainWindow], str]


def pointer(window: MainWindow) -> str:
    drag(window, (0.0, 0.0), (0.4, 0.1))
    moved = window.document.points.xy - GRID
    assert np.flatnonzero(moved.any(axis=1)).tolist() == [40]
    assert moved[40] == pytest.approx((0.4, 0.1), abs=unit(window))
    return "Move 1 point"


def brush(window: MainWindow) -> str:
    put(window, "radius", 40)
    put(window, "density", 9)
    drag(window, (-0.8, 0.6), (0.8, 0.6))
    new = window.document.points.xy[81:]
    reach = 40.5 * unit(window)
    assert len(new) > 60 and np.abs(new[:, 1] - 0.6).max() <= reach and np.abs(new[:, 0]).max() <= 0.8 + reach
    assert new[:, 0].min() < -0.6 and new[:, 0].max() > 0.6 and set(window.document.points.labels[81:]) == {0}
    return f"Brush {len(new)} points"


def line(window: MainWindow) -> str:
    put(window, "count", 7)
    drag(window, (-0.9, -0.9), (0.9, 0.3))
    new = window.document.points.xy[81:]
    assert new == pytest.approx(np.linspace((-0.9, -0.9), (0.9, 0.3), 7), abs=1.1 * unit(window))
    return "Draw a line of 7 points"


def ellipse(window: MainWindow) -> str:
    drag(window, (-0.9, -0.5), (0.9, 0.5))
    new = window.document.points.xy[81:]
    assert ((new / (0.9, 0.5)) ** 2).sum(axis=1) == pytest.approx(np.ones(20), abs=0.05)
    return "Draw an ellipse of 20 points"


def eraser(window: MainWindow) -> str:
    put(window, "radius", 10)
    drag(window, (-1.1, 0.5), (1.1, 0.5))
    assert sorted(set(GRID[:, 1]) - set(window.document.points.xy[:, 1])) == [0.5]
    assert len(window.document.points) == 72
    return "Erase 9 points"


def relabel(window: MainWindow) -> str:
    QTest.keyClick(window.canvases[0], Qt.Key.Key_5)
    put(window, "radius", 10)
    drag(window, (-1.1, 0.5), (1.1, 0.5))
    assert set(window.document.points.labels[GRID[:, 1] == 0.5]) == {4}
    assert (window.document.points.labels[GRID[:, 1] != 0.5] == LABELS[GRID[:, 1] != 0.5]).all()
    return "Relabel 9 points"


def move(window: MainWindow) -> str:
    window.controller.editing.set_option("moves", "class")
    drag(window, (1.0, 1.0), (1.1, 0.9))
    moved = window.document.points.xy - GRID
    assert (moved[LABELS == 0] == 0).all() and moved[LABELS == 1] == pytest.approx(
        np.tile([0.1, -0.1], (36, 1)), abs=unit(window)
    )
    return "Move 36 points"


def soft(window: MainWindow) -> str:
    put(window, "radius", 90)
    drag(window, (0.0, 0.0), (0.3, 0.0))
    moved = (window.document.points.xy - GRID)[:, 0]
    order = np.argsort(np.hypot(*GRID.T), kind="stable")
    assert moved[40] == pytest.approx(0.3, abs=unit(window)) and (np.diff(moved[order]) <= 0.02).all() and moved[0] == 0
    return f"Soft-drag {np.count_nonzero(moved)} points"


def jitter(window: MainWindow) -> str:
    put(window, "radius", 60)
    drag(window, (-0.5, -0.5), (-0.5, -0.4))
    moved = (window.document.points.xy - GRID).any(axis=1)
    assert 4 < moved.sum() < 40 and moved[20] and not moved[80]
    return f"Jitter {moved.sum()} points"


def magnet(window: MainWindow) -> str:
    put(window, "radius", 80)
    drag(window, (0.5, 0.5), (0.5, 0.5))
    before, after = (np.hypot(*(xy - (0.5, 0.5)).T) for xy in (GRID, window.document.points.xy))
    pulled = after < before - 1e-9
    assert 4 < pulled.sum() < 60 and (after[before > 81 * unit(window)] == before[before > 81 * unit(window)]).all()
    return f"Pull {(window.document.points.xy != GRID).any(axis=1).sum()} points"


def rectangle(window: MainWindow) -> str:
    drag(window, (-0.63, -0.63), (0.13, 0.13))
    inside = (np.abs(GRID + 0.25) < 0.38).all(axis=1)
    assert window.controller.session.selection.ids.tolist() == np.flatnonzero(inside).tolist()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Delete)
    assert len(window.document.points) == 81 - inside.sum() and not len(window.controller.session.selection)
    return f"Remove {inside.sum()} points"


def lasso(window: MainWindow) -> str:
    drag(window, (-0.1, -0.1), (-0.1, 0.6), (0.6, 0.6))  # closed by the slanting side
    inside = (GRID[:, 0] > -0.1) & (GRID[:, 1] < 0.6) & (GRID[:, 1] > GRID[:, 0] + 0.1)
    touching = np.abs(GRID[:, 1] - GRID[:, 0]) < 0.02
    chosen = np.isin(np.arange(81), window.controller.session.selection.ids)
    assert (chosen == inside)[~touching].all() and chosen.sum() >= 3
    number = chosen.sum()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Right, SHIFT)
    moved = (window.document.points.xy - GRID)[chosen]
    assert moved == pytest.approx(np.tile([unit(window), 0.0], (number, 1)))
    return f"Nudge {number} points"


def held_out(window: MainWindow) -> str:
    put(window, "radius", 10)
    drag(window, (-1.1, 0.5), (1.1, 0.5))
    assert (GRID[window.document.parts.held_out][:, 1] == 0.5).all() and len(window.document.test_points) == 9
    assert len(window.document.training_points) == 72
    return "Keep 9 points for testing"


ACTS: dict[str, Act] = {
    "pointer": pointer,
    "brush": brush,
    "line": line,
    "ellipse": ellipse,
    "eraser": eraser,
    "relabel": relabel,
    "test": held_out,
    "move": move,
    "soft": soft,
    "jitter": jitter,
    "magnet": magnet,
    "rectangle": rectangle,
    "lasso": lasso,
}


def test_every_tool_has_its_test() -> None:
    assert set(ACTS) == set(TOOLS)


#: Each tool in one of the two themes, and as a slow test in the other.
BY_THE_MOUSE = [("light", 0), ("dark", 1), ("dark", 0), ("light", 1)]


@pytest.mark.slow
@pytest.mark.parametrize(("theme", "first"), first_rows(BY_THE_MOUSE, 2))
def test_tools_by_the_mouse(make: Make, qtbot: QtBot, theme: str, first: int) -> None:
    window = make(squares())
    window.appearance.choose_theme(theme)
    before = window.document.points
    for tool in list(TOOLS)[first::2]:
        take(window, tool)
        shown = ACTS[tool](window)
        settle(qtbot, window)
        assert window.controller.store.history == (shown,), f"{tool}: one gesture, one step"
        assert all(window.result(lane).points is window.document.training_points for lane in (0, 1)), tool
        window.named_actions["undo"].trigger()
        assert window.document.points is before and not len(window.document.test_points), tool
        settle(qtbot, window)


def test_the_tool_keys_choose_tools_and_brackets_the_radius(make: Make) -> None:
    window = make(squares())
    for name, kind in TOOLS.items():
        QTest.keyClick(window.canvases[0], kind.key.lower())
        assert window.controller.session.tool == name
        window.refreshing.flush()
        spins = {option: window.findChild(QSpinBox, f"tool.{option}") for option in OPTION_LIMITS}
        assert {option for option, spin in spins.items() if spin.isVisible()} == set(kind.options) & set(OPTION_LIMITS)
    radius = window.controller.session.radius
    QTest.keyClick(window.canvases[0], "]")
    assert window.controller.session.radius > radius
    for _ in range(40):
        QTest.keyClick(window.canvases[0], "[")
    assert window.controller.session.radius == 4


def test_esc_breaks_a_stroke_off_as_if_it_had_not_been(make: Make) -> None:
    window = make(squares())
    before = window.document.points
    take(window, "brush")
    view = window.canvases[0].viewport()
    at = window.to_widget(0, 0.0, 0.0)
    QTest.mousePress(view, LEFT, NO, at)
    QTest.mouseMove(view, at + QPoint(60, 0))
    assert len(window.document.points) > 81
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Escape)
    assert window.document.points is before
    QTest.mouseMove(view, at + QPoint(90, 0))
    QTest.mouseRelease(view, LEFT, NO, at + QPoint(90, 0))
    assert window.document.points is before
    assert window.controller.store.history == () and not window.controller.store.modified


def begin(window: MainWindow, tool: str = "brush") -> QPoint:
    """Begin a stroke in the middle of the left picture, with the button down; return its location."""
    take(window, tool)
    at = window.to_widget(0, 0.125, 0.125)
    window.canvases[0].setFocus()
    QTest.mousePress(window.canvases[0].viewport(), LEFT, NO, at)
    window.refreshing.flush()
    assert window.controller.editing.busy
    return at


def rested(window: MainWindow, qtbot: QtBot) -> bool:
    """Return whether spraying has stopped."""
    points = window.document.points
    qtbot.wait(450)  # longer than a held brush waits before it continues
    return window.document.points is points and not window.controller.editing.busy


@pytest.mark.slow
def test_a_stroke_ends_when_its_release_went_elsewhere(make: Make, qtbot: QtBot) -> None:
    window = make(squares())
    view = window.canvases[0].viewport()
    at = begin(window)
    send_move(view, at + QPoint(30, 0), Qt.MouseButton.NoButton)
    assert rested(window, qtbot)
    at = begin(window)
    QTest.mousePress(view, Qt.MouseButton.MiddleButton, NO, at)
    QTest.mouseRelease(view, LEFT, NO, at)
    QTest.mouseRelease(view, Qt.MouseButton.MiddleButton, NO, at)
    assert rested(window, qtbot)
    begin(window)
    window.findChild(QSpinBox, "tool.radius").setFocus(Qt.FocusReason.PopupFocusReason)
    assert rested(window, qtbot)
    assert len(window.controller.store.history) == 3
    window.named_actions["undo"].trigger()
    assert window.controller.store.position == 2


def test_no_action_out_of_view(make: Make) -> None:
    window = make(squares())
    view, area = window.canvases[0].viewport(), window.canvases[0].plot_area()
    grid = window.canvases[0].grid()
    for tool, reach in (("pointer", 0.0), ("brush", 31 * unit(window))):
        at = begin(window, tool)
        send_move(view, QPoint(-300, at.y()))
        send_move(view, QPoint(-300, round(area.bottom()) + 500))
        QTest.mouseRelease(view, LEFT, NO, QPoint(-300, round(area.bottom()) + 500))
        new = window.document.points.xy[81:]
        assert len(new) and (new >= (grid.left - reach, grid.bottom - reach)).all()
        assert (new <= (grid.right + reach, grid.top + reach)).all()


def send_move(view: QWidget, at: QPoint, down: Qt.MouseButton = LEFT) -> None:
    """Send a move with only this button down, which QTest cannot do."""
    event = QMouseEvent(
        QEvent.Type.MouseMove, at.toPointF(), view.mapToGlobal(at).toPointF(), Qt.MouseButton.NoButton, down, NO
    )
    QApplication.sendEvent(view, event)


def test_the_keyboard_leaves_a_stroke_of_the_mouse_alone(make: Make) -> None:
    window = make(squares())
    at = begin(window)
    before = window.document.points
    for key in (Qt.Key.Key_Right, Qt.Key.Key_Return):
        QTest.keyClick(window.canvases[0], key)
        assert window.document.points is before and window.controller.editing.busy, key
        assert window.controller.session.cursor is None, key
    QTest.mouseRelease(window.canvases[0].viewport(), LEFT, NO, at)
    assert len(window.controller.store.history) == 1


def test_something_else_in_mid_stroke_ends_it_first(make: Make) -> None:
    window = make(squares())
    at = begin(window)
    window.named_actions["undo"].trigger()
    assert "Undo waits" in window.status_line.text() and window.controller.editing.busy
    window.named_actions["generate"].trigger()
    assert not window.controller.editing.busy
    window.controller.editing.escape()
    QTest.mouseRelease(window.canvases[0].viewport(), LEFT, NO, at)
    names = window.controller.store.history
    assert len(names) == 2 and names[0].startswith("Brush") and names[1] == "Generate moons"
    window.named_actions["undo"].trigger()
    window.named_actions["undo"].trigger()
    assert (window.document.points.xy == GRID).all()


def test_another_tool_keeps_what_the_keyboard_has_drawn(make: Make) -> None:
    window = make(squares())
    canvas = window.canvases[0]
    canvas.setFocus()
    QTest.keyClick(canvas, "b")
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    drawn = len(window.document.points)
    assert drawn > 81
    QTest.keyClick(canvas, "e")
    assert len(window.document.points) == drawn and len(window.controller.store.history) == 1


def test_without_a_selection_the_keys_explain_how_to_make_one(make: Make) -> None:
    window = make(squares())
    QApplication.clipboard().setText("before")
    for name in ("cut", "copy", "duplicate", "relabel"):
        window.say("")
        window.named_actions[name].trigger()
        assert "Select points first" in window.status_line.text(), name
    assert QApplication.clipboard().text() == "before" and window.controller.store.history == ()


def test_a_held_arrow_key_waits_for_each_picture(make: Make) -> None:
    window = make(squares())
    window.controller.editing.select_all()
    canvas = window.canvases[0]
    press = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Right, NO)
    repeat = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Right, NO, "", True)
    QApplication.sendEvent(canvas, press)
    first = window.document.points
    for _ in range(5):
        QApplication.sendEvent(canvas, repeat)
    assert window.document.points is first, "nothing has been painted in between"
    canvas.grab()
    QApplication.sendEvent(canvas, repeat)
    moved = window.document.points.xy[:, 0] - GRID[:, 0]
    assert moved == pytest.approx(np.full(81, 20 * unit(window)))
    assert window.controller.store.history == ("Nudge 81 points",)


@pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)  # the offscreen platform warns about a popup
def test_a_click_in_the_bars_leaves_the_keys_to_the_picture(make: Make, qtbot: QtBot) -> None:
    window = make(squares())
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    window.canvases[0].setFocus()
    for name in ("generate", "class3", "lane1.watch", "lane0.settings"):
        QTest.mouseClick(window.findChild(QAbstractButton, name), LEFT)
        assert QApplication.focusWidget() is window.canvases[0], name
    more = window.findChild(PopupButton, "generator.more")
    QTest.mouseClick(more, LEFT)
    number = len(window.document.points)
    QTest.mouseClick(window.findChild(QAbstractButton, "generate.add"), LEFT)
    assert len(window.document.points) > number
    more.form.hide()
    assert window.focusWidget() is window.canvases[0]


@pytest.mark.slow
def test_a_held_brush_goes_on_spraying(make: Make, qtbot: QtBot) -> None:
    window = make(squares())
    take(window, "brush")
    view, at = window.canvases[0].viewport(), window.to_widget(0, 0.0, 0.0)
    QTest.mousePress(view, LEFT, NO, at)
    first = len(window.document.points)
    qtbot.waitUntil(lambda: len(window.document.points) >= first + 15)
    QTest.mouseRelease(view, LEFT, NO, at)
    sprayed = len(window.document.points)
    qtbot.wait(300)
    assert len(window.document.points) == sprayed and len(window.controller.store.history) == 1


def test_shift_and_control_combine_selections(make: Make) -> None:
    window = make(squares())
    take(window, "rectangle")
    drag(window, (-1.1, -1.1), (-0.9, 1.1))
    drag(window, (0.9, -1.1), (1.1, 1.1), held=SHIFT)
    assert len(window.controller.session.selection) == 18
    drag(window, (-1.1, 0.1), (1.1, 1.1), held=CONTROL)
    assert len(window.controller.session.selection) == 10
    assert "10 points selected" in window.status_line.text()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_I, CONTROL)
    assert len(window.controller.session.selection) == 71
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Escape)
    assert len(window.controller.session.selection) == 0


def test_selected_points_are_relabelled_duplicated_cut_and_pasted(make: Make) -> None:
    window = make(squares())
    canvas = window.canvases[0]
    take(window, "rectangle")
    drag(window, (-1.1, -1.1), (-0.9, 1.1))
    QTest.keyClick(canvas, Qt.Key.Key_3)
    QTest.keyClick(canvas, Qt.Key.Key_R, CONTROL)
    assert set(window.document.points.labels[:9]) == {2}
    QTest.keyClick(canvas, Qt.Key.Key_D, CONTROL)
    assert len(window.document.points) == 90
    assert window.controller.session.selection.ids.tolist() == list(range(81, 90))
    beside = GRID[:9] + np.array([12, -12]) * unit(window)
    assert window.document.points.xy[81:] == pytest.approx(beside)
    QTest.keyClick(canvas, Qt.Key.Key_X, CONTROL)
    finish_tasks(window)
    assert len(window.document.points) == 81
    QTest.keyClick(canvas, Qt.Key.Key_V, CONTROL)
    finish_tasks(window)
    assert len(window.document.points) == 90 and set(window.document.points.labels[81:]) == {2}
    assert (window.document.points.xy[81:] == beside).all()
    names = window.controller.store.history
    assert names == ("Relabel 9 points", "Duplicate 9 points", "Cut 9 points", "Paste 9 points")


# -- fingers -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def screen() -> QPointingDevice:
    return QTest.createTouchDevice()


@pytest.mark.slow
def test_a_tap_puts_a_point_and_a_finger_drags(make: Make, screen: QPointingDevice) -> None:
    window = make(squares())
    view = window.canvases[0].viewport()
    at = window.to_widget(0, 0.62, 0.62)
    QTest.touchEvent(view, screen).press(0, at, view)
    QTest.touchEvent(view, screen).release(0, at, view)
    assert len(window.document.points) == 82
    at = window.to_widget(0, 0.0, 0.0)
    QTest.touchEvent(view, screen).press(0, at, view)
    for step in range(1, 6):
        QTest.touchEvent(view, screen).move(0, at + QPoint(8 * step, 0), view)
    QTest.touchEvent(view, screen).release(0, at + QPoint(40, 0), view)
    assert len(window.document.points) == 82
    assert window.document.points.xy[40] == pytest.approx((40 * unit(window), 0.0), abs=1e-9)


@pytest.mark.slow
def test_two_fingers_pinch_and_pan_and_leave_no_stroke_behind(make: Make, screen: QPointingDevice) -> None:
    window = make(squares())
    take(window, "brush")
    view, before = window.canvases[0].viewport(), window.document
    a, b = QPoint(200, 200), QPoint(260, 200)
    middle = window.canvases[0].pointer_at((a + b).toPointF() / 2)
    QTest.touchEvent(view, screen).press(0, a, view)
    assert len(window.document.points) > 81
    QTest.touchEvent(view, screen).move(0, a, view).press(1, b, view)
    assert window.document.points is before.points
    for step in range(1, 7):
        out = QPoint(10 * step, 0)
        QTest.touchEvent(view, screen).move(0, a - out, view).move(1, b + out, view)
    assert window.document.view.span == pytest.approx(before.view.span / 3, rel=1e-6)
    after = window.canvases[0].pointer_at((a + b).toPointF() / 2)
    assert (after.x, after.y) == pytest.approx((middle.x, middle.y), abs=1e-9)
    down = QPoint(0, 30)
    QTest.touchEvent(view, screen).move(0, a - out + down, view).move(1, b + out + down, view)
    assert window.document.view.y == pytest.approx(
        before.view.y + (middle.y - before.view.y) * (1 - 1 / 3) + 30 * unit(window), abs=1e-6
    )
    QTest.touchEvent(view, screen).move(0, a - out + down, view).release(1, b + out + down, view)
    QTest.touchEvent(view, screen).move(0, a, view)
    QTest.touchEvent(view, screen).release(0, a, view)
    assert window.document.points is before.points and window.controller.store.history == ()


# -- the keyboard alone --------------------------------------------------------------------------------------------


def test_points_without_a_mouse(make: Make, qtbot: QtBot) -> None:
    window = make(squares())
    canvas, d = window.canvases[0], unit(window)
    canvas.setFocus()
    QTest.keyClick(canvas, Qt.Key.Key_Return)  # shows the cursor
    assert window.controller.session.cursor == (0.0, 0.0) and len(window.document.points) == 81
    for key, held in ((Qt.Key.Key_Right, NO), (Qt.Key.Key_Up, SHIFT), (Qt.Key.Key_Left, CONTROL)):
        QTest.keyClick(canvas, key, held)
    assert window.controller.session.cursor == pytest.approx((-40 * d, d))
    QTest.keyClick(canvas, Qt.Key.Key_2)
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    assert window.document.points.xy[81] == pytest.approx((-40 * d, d)) and window.document.points.labels[81] == 1
    QTest.keyClick(canvas, Qt.Key.Key_Delete)
    assert len(window.document.points) == 81
    # A rectangle from here to 100 pixels further, by keys.
    QTest.keyClick(canvas, "s")
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    for _ in range(2):
        QTest.keyClick(canvas, Qt.Key.Key_Right, CONTROL)
        QTest.keyClick(canvas, Qt.Key.Key_Up, CONTROL)
    assert window.scene is not None
    QTest.keyClick(canvas, Qt.Key.Key_Return)
    corner = np.array([-40 * d, d])
    inside = ((corner <= GRID) & (corner + 100 * d >= GRID)).all(axis=1)
    assert window.controller.session.selection.ids.tolist() == np.flatnonzero(inside).tolist() and inside.any()
    QTest.keyClick(canvas, Qt.Key.Key_Down)  # moves the selection
    moved = (window.document.points.xy - GRID)[inside]
    assert moved == pytest.approx(np.tile([0.0, -10 * d], (inside.sum(), 1)))
    for _ in range(2):
        QTest.keyClick(canvas, Qt.Key.Key_Escape)
    assert len(window.controller.session.selection) == 0 and window.controller.session.cursor is None


def test_the_cursor_takes_the_view_along(make: Make) -> None:
    window = make(squares())
    canvas = window.canvases[0]
    for _ in range(30):
        QTest.keyClick(canvas, Qt.Key.Key_Right, CONTROL)
    cursor, view = window.controller.session.cursor, window.document.view
    assert cursor is not None and cursor[0] > 3.0 and abs(cursor[0] - view.x) <= 0.5 * view.span
    assert window.controller.store.history == ()
