"""Presenter mode: nothing but the pictures, large text, spotlight, pen and panel; and everything is restored."""

from __future__ import annotations

import math
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QFontInfo, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QDockWidget, QLabel, QLineEdit, QToolBar, QWidget
from pytestqt.qtbot import QtBot

from app.core.points import Points
from app.features.lessons.feature import STAGE
from app.features.lessons.state import LessonSession
from app.files.examples import EXAMPLES
from app.state.commands import AddPoints
from app.state.document import Document, View
from app.state.session import Presenting
from app.window.dock_manager import VERSION
from app.window.lane.lanes import presenter_text
from app.window.main_window import MainWindow
from app.window.presenter.pen_layer import PenLayer
from tests.covering import first_of, first_rows
from tests.windows import Make, control, settle

SIZE = (1024, 768)
CONTROL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


def press(window: MainWindow, qtbot: QtBot, key: Qt.Key, held: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier):
    QTest.keyClick(window.canvases[0], key, held)
    settle_layout(window, qtbot)


def settle_layout(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until all parts have their sizes."""
    for _ in range(2):
        settle(qtbot, window)
        QTest.qWait(10)


def begin(window: MainWindow, qtbot: QtBot) -> None:
    press(window, qtbot, Qt.Key.Key_F5)
    assert window.controller.session.presenting is not None


def share(window: MainWindow) -> float:
    areas = [canvas.plot_area() for canvas in window.canvases[: window.document.shown]]
    return sum(area.width() * area.height() for area in areas) / (window.width() * window.height())


def pixels(widget: QWidget) -> np.ndarray:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.asarray(image.constBits()).reshape(image.height(), image.width(), 4)[:, :, :3].astype(int)


def glass(window: MainWindow, lane: int) -> PenLayer:
    found = window.canvases[lane].findChild(PenLayer)
    assert found is not None and found.isVisible()
    return found


def state(window: MainWindow) -> dict[str, object]:
    """Return everything that must be equal afterwards."""
    docks = {dock.objectName(): dock for dock in window.findChildren(QDockWidget)}
    bars = [*window.findChildren(QToolBar), window.menuBar(), window.statusBar(), window.bar]
    parts = [docks[name] for name in sorted(docks)] + bars
    parts += [*window.lanes_view.rows, *window.lanes_view.strips, *window.canvases]
    return {
        "geometry": window.geometry(),
        "window": window.windowState(),
        "docks": bytes(window.saveState(VERSION).data()),
        "parts": sorted((part.objectName(), str(part.isHidden() or part.geometry())) for part in parts),
        "fields": [
            (each.objectName(), each.width()) for each in window.lanes_view.findChildren(QLineEdit) if each.isVisible()
        ],
        "fonts": {each: each.font().toString() for each in window.lanes_view.findChildren(QWidget)},
        "plots": [canvas.plot_area().getRect() for canvas in window.canvases],
        "focus": window.focusWidget(),
        "panels": window.controller.session.open_panels,
        "pixels": pixels(window.lanes_view),
    }


@pytest.mark.parametrize("size", first_of([SIZE, (1920, 1080)], 1))
@pytest.mark.parametrize("shown", [1, 2])
def test_the_pictures_have_three_quarters_of_the_window(
    make: Make, qtbot: QtBot, size: tuple[int, int], shown: int
) -> None:
    window = make(size=size)
    if shown == 1:
        window.named_actions["lanes"].trigger()
        settle(qtbot, window)
    before = share(window)
    begin(window, qtbot)
    assert share(window) >= max(0.75, before)
    around = (window.menuBar(), window.bar, window.statusBar(), window.findChild(QToolBar, "palette"))
    assert not any(part.isVisible() for part in around)  # type: ignore[union-attr]
    assert not any(bar.isVisible() for bar in window.lanes_view.bars)
    height = window.canvases[0].plot_area().height()
    row, strip = window.lanes_view.rows[0], window.lanes_view.strips[0]
    for part in (window.canvases[0], row.classifier, strip.label, row.findChild(QLineEdit)):
        assert abs(QFontInfo(part.font()).pixelSize() - height / 32) <= 1, part
    for row in window.lanes_view.rows[:shown]:
        inside = [each for each in row.children() if isinstance(each, QWidget) and each.isVisible()]
        assert len(inside) >= 3 and row.height() < 2.5 * (height / 32) * 2, "in two lines at most"
        assert all(row.rect().contains(each.geometry()) for each in inside)


@pytest.mark.slow
def test_lines_and_symbols_go_with_the_text(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1920, 1080))
    canvas = window.canvases[1]

    def ink() -> float:
        """Return how much of the picture is the ink of lines and marks, as a share of its height."""
        drawn = pixels(canvas)
        return float((drawn.max(axis=2) < 40).sum() / canvas.plot_area().height())

    before = ink()
    begin(window, qtbot)
    assert ink() > 1.4 * before


@pytest.mark.slow
@pytest.mark.parametrize(("dark", "plus"), first_rows([(True, 2), (False, 0)], 1))
def test_escape_brings_everything_back(make: Make, qtbot: QtBot, tmp_path: Path, dark: bool, plus: int) -> None:
    window = make(size=(1300, 800))
    window.controller.set_session(first_start=False)  # else the first click removes the buttons of the first start
    window.appearance.choose_theme("dark" if dark else "light")
    for _ in range(plus):
        window.named_actions["larger"].trigger()
    for panel in ("history", "alphas"):
        window.named_actions[panel].trigger()
        settle_layout(window, qtbot)
    field = window.findChild(QLineEdit, "lane1.C")
    assert field is not None
    field.setFocus()
    settle_layout(window, qtbot)
    before, document, position = state(window), window.document, window.controller.store.position
    settings = (tmp_path / "settings.json").read_bytes()
    begin(window, qtbot)
    assert not any(dock.isVisible() for dock in window.findChildren(QDockWidget))
    for key, held in ((Qt.Key.Key_C, None), (Qt.Key.Key_Z, None), (Qt.Key.Key_F5, CONTROL), (Qt.Key.Key_Plus, CONTROL)):
        press(window, qtbot, key, held or Qt.KeyboardModifier.NoModifier)
    window.resize(900, 700)
    draw(window, qtbot, 0)
    press(window, qtbot, Qt.Key.Key_Escape)
    assert window.controller.session.presenting is None
    settle_layout(window, qtbot)
    after = state(window)
    for name, value in before.items():
        if name == "pixels":
            where = np.argwhere((after[name] != value).any(axis=2))
            # The symbol at the pointer, which has moved over a picture meanwhile, its cross in the other picture, and a
            # blinking text cursor.
            assert len(where) <= 400, (len(where), where.min(axis=0), where.max(axis=0))
        elif name == "fonts":  # fields that are first in sight in presenter mode were made there
            assert value.items() <= after[name].items() and {*after[name].values()} == {*value.values()}
        else:
            assert after[name] == value, name
    assert window.document is document and window.controller.store.position == position
    assert not window.controller.store.modified
    assert (tmp_path / "settings.json").read_bytes() == settings
    begin(window, qtbot)
    assert window.controller.session.presenting.strokes == (), "nor does it remember the last time"


@pytest.mark.slow
def test_quitting_meanwhile_restores_the_window(make: Make, qtbot: QtBot, tmp_path: Path) -> None:
    remembered = []
    for presenting in (False, True):
        window = make(size=(1300, 800))
        if not presenting:
            window.named_actions["history"].trigger()
        window.move(0, 0)
        settle_layout(window, qtbot)
        assert window.findChild(QDockWidget, "dock.history").isVisible()  # type: ignore[union-attr]
        if presenting:
            begin(window, qtbot)
        window.close()
        remembered.append((tmp_path / "settings.json").read_bytes())
    assert remembered[0] == remembered[1]


@pytest.mark.slow
def test_the_keys_of_all_commands_work_meanwhile(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    begin(window, qtbot)
    points = len(window.document.points)
    press(window, qtbot, Qt.Key.Key_A, CONTROL)
    assert len(window.controller.session.selection) == points
    press(window, qtbot, Qt.Key.Key_B)
    assert window.controller.session.tool == "brush", "a tool's key"
    press(window, qtbot, Qt.Key.Key_3)
    assert window.controller.session.active_class == 2
    press(window, qtbot, Qt.Key.Key_M)
    assert not window.controller.session.marks
    press(window, qtbot, Qt.Key.Key_G)
    press(window, qtbot, Qt.Key.Key_Z, CONTROL)
    press(window, qtbot, Qt.Key.Key_L)
    assert window.document.shown == 1
    press(window, qtbot, Qt.Key.Key_F9)
    assert window.scene.session.legend
    press(window, qtbot, Qt.Key.Key_F5)
    assert window.controller.session.presenting is None, "its own key ends it, too"


@pytest.mark.slow
def test_classifiers_added_meanwhile_look_like_the_others(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1024, 768), simple=True)
    window.named_actions["presenter"].trigger()
    settle(qtbot, window)
    for _ in range(2):
        window.named_actions["add_lane"].trigger()
        settle(qtbot, window)
    areas = [canvas.plot_area() for canvas in window.canvases]
    assert len(areas) == 4 and len({(area.left(), area.width()) for area in areas}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("size", first_of([(800, 600), (1920, 1080), (1024, 768), (1100, 760)], 2))
def test_text_of_four_is_fitted_in_a_few_tries_and_scores_are_whole(
    make: Make, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window = make(size=size)
    while window.document.shown < 4:
        window.controller.lanes.add(window.document.shown - 1)
    settle_layout(window, qtbot)
    view = window.lanes_view
    with patch.object(view, "_show_text", wraps=view._show_text) as show_text:
        begin(window, qtbot)
        window.resize(*size)  # not full screen: the least size allowed
        settle_layout(window, qtbot)
        assert 1 <= show_text.call_count <= 6
    for row, strip in zip(view.rows, view.strips, strict=True):
        assert row.height() <= max(76, 4 * row.fontMetrics().lineSpacing()), "two lines"
        assert QFontInfo(strip.label.font()).pixelSize() >= 13, "not smaller than otherwise"
        assert size[0] < 1024 or "…" not in strip.label.text().rpartition("</b>")[2]


def test_text_that_is_too_large_and_too_small_in_turns_stays_small(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    begin(window, qtbot)
    view, tried = window.lanes_view, []
    heights = {20: 32 * 16.0, 16: 32 * 20.0}  # as when a row wraps with the larger text

    def show_text(size: int) -> None:
        tried.append(size)
        view._text = size
        for canvas in view.canvases:
            area = QRectF(0, 0, 5000, heights[size])
            canvas.plot_area = lambda area=area: area  # type: ignore[method-assign]
        view._fit_soon()

    with patch.object(view, "_show_text", show_text):
        show_text(20)
        qtbot.waitUntil(lambda: not view._fitting)
        for _ in range(20):
            QApplication.processEvents()
    assert 2 <= len(tried) <= 6 and tried[-1] == 16


@pytest.mark.slow
def test_steps_bring_the_transport_and_closing_it_takes_it_away(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    begin(window, qtbot)
    bar = window.lanes_view.bars[1]
    length = window.scene.lanes[1].run_state.step
    press(window, qtbot, Qt.Key.Key_Comma)
    press(window, qtbot, Qt.Key.Key_Comma)
    assert bar.isVisible() and window.scene.lanes[1].run_state.step == length - 2
    press(window, qtbot, Qt.Key.Key_Period)
    assert window.scene.lanes[1].run_state.step == length - 1
    close = bar.findChild(QWidget, "lane1.transport.close")
    QTest.mouseClick(close, Qt.MouseButton.LeftButton)
    settle_layout(window, qtbot)
    assert not bar.isVisible()
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: 0 < window.scene.lanes[1].run_state.step < length)
    assert bar.isVisible(), "what Play replays has its timeline here, too"
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Space)
    settle_layout(window, qtbot)


@pytest.mark.slow
def test_clicks_still_add_points(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    begin(window, qtbot)
    number = len(window.document.points)
    at = window.canvases[1].mapTo(window, window.to_widget(1, -1.2, 2.0))
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=at)
    settle_layout(window, qtbot)
    assert len(window.document.points) == number + 1


def draw(window: MainWindow, qtbot: QtBot, lane: int) -> list[QPoint]:
    """Draw a line with the mouse, whose events the window passes on; return its corners on the layer."""
    settle_layout(window, qtbot)
    over = glass(window, lane)
    corners = [QPoint(60 + 12 * step, 80 + 5 * step) for step in range(12)]
    at = [over.mapTo(window, corner) for corner in corners]
    handle = window.windowHandle()
    QTest.mousePress(handle, Qt.MouseButton.LeftButton, pos=at[0])
    for corner in at[1:]:
        QTest.mouseMove(handle, corner)
        QApplication.processEvents()
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=at[-1])
    settle_layout(window, qtbot)
    return corners


@pytest.mark.slow
def test_the_pen_draws_over_a_picture_and_one_key_clears_it(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    begin(window, qtbot)
    before = pixels(window.canvases[1])
    document = window.document
    press(window, qtbot, Qt.Key.Key_C)
    corners = draw(window, qtbot, 1)
    (stroke,) = window.controller.session.presenting.strokes
    assert stroke.slot == document.slots[1] and len(stroke.xy) == len(corners)
    drawn = pixels(window.canvases[1])
    location = glass(window, 1).pos()
    for corner in corners[1:-1]:
        red, green = drawn[(location + corner).y(), (location + corner).x()][[2, 1]]
        assert red > 180 and green < 60, "a line of its own colour"
    other = pixels(window.canvases[0])
    tray = window.findChild(QWidget, "presenter.tray").geometry()
    other[tray.top() : tray.bottom() + 1, tray.left() : tray.right() + 1] = 128  # it shows the pen's colours
    assert not ((other[:, :, 2] > 180) & (other[:, :, 1] < 40)).any(), "over the one picture only"
    QTest.mouseMove(window.windowHandle(), QPoint(2, 2))  # the pointer is marked in all pictures
    press(window, qtbot, Qt.Key.Key_Backspace)
    assert (pixels(window.canvases[1]) == before).all()
    assert window.document is document and not window.controller.store.modified, "it draws no points"
    press(window, qtbot, Qt.Key.Key_C)
    at = window.canvases[1].mapTo(window, window.to_widget(1, -1.2, 2.0))
    QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=at)
    settle_layout(window, qtbot)
    assert len(window.document.points) == len(document.points) + 1, "without the pen the tool is back"


@pytest.mark.slow
def test_what_the_pen_drew_stays_where_it_is_in_the_plane(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    begin(window, qtbot)
    press(window, qtbot, Qt.Key.Key_C)
    draw(window, qtbot, 0)
    (stroke,) = window.controller.session.presenting.strokes
    window.controller.pan(0.3, 0.2)
    settle_layout(window, qtbot)
    x, y = stroke.xy[5]
    at = window.to_widget(0, x, y)
    assert pixels(window.canvases[0])[at.y(), at.x()][2] > 180
    assert pixels(window.canvases[0])[at.y(), at.x()][1] < 60


@pytest.mark.slow
def test_the_spotlight_follows_the_pointer_in_every_picture(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    begin(window, qtbot)
    bright = [pixels(canvas) for canvas in window.canvases[:2]]

    def lit(x: float, y: float) -> list[bool]:
        found = []
        for lane in (0, 1):
            at = window.to_widget(lane, x, y)
            found.append(bool((pixels(window.canvases[lane])[at.y(), at.x()] == bright[lane][at.y(), at.x()]).all()))
        return found

    def point(x: float, y: float) -> None:
        at = window.canvases[0].mapTo(window, window.to_widget(0, x, y))
        QTest.mouseMove(window.windowHandle(), at)
        settle_layout(window, qtbot)

    press(window, qtbot, Qt.Key.Key_P)
    point(1.0, 2.0)
    press(window, qtbot, Qt.Key.Key_Z)
    assert lit(1.4, 1.5) == [True, True] and lit(-0.6, -1.7) == [False, False]
    point(-1.0, -2.1)
    assert lit(-0.6, -1.7) == [True, True] and lit(1.4, 1.5) == [False, False], "in every picture at the same place"
    press(window, qtbot, Qt.Key.Key_Z)
    assert lit(1.4, 1.5) == [True, True]
    QTest.keyPress(window.canvases[0], Qt.Key.Key_Z)  # held
    qtbot.waitUntil(lambda: window.controller.session.presenting.spotlight)
    settle_layout(window, qtbot)
    assert lit(1.4, 1.5) == [False, False]
    QTest.keyRelease(window.canvases[0], Qt.Key.Key_Z)
    settle_layout(window, qtbot)
    assert lit(1.4, 1.5) == [True, True] and not window.controller.session.presenting.spotlight


@pytest.mark.slow
def test_a_panel_takes_half_of_the_screen_and_goes_away_again(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1300, 800))
    window.named_actions["alphas"].trigger()
    settle_layout(window, qtbot)
    begin(window, qtbot)
    dock = window.findChild(QDockWidget, "dock.alphas")
    assert dock is not None and not dock.isVisible()
    for _ in range(2):
        press(window, qtbot, Qt.Key.Key_F5, CONTROL)
        assert dock.isVisible() and abs(dock.width() / window.width() - 0.5) < 0.02
        assert QFontInfo(window.dock_manager.panel("alphas").font()).pixelSize() > 18, "to be read from afar"
        press(window, qtbot, Qt.Key.Key_F5, CONTROL)
        assert not dock.isVisible()
    other = window.findChild(QDockWidget, "dock.curves")
    press(window, qtbot, Qt.Key.Key_2, CONTROL)
    assert other.isVisible() and abs(other.width() / window.width() - 0.5) < 0.02, "by its own key"
    press(window, qtbot, Qt.Key.Key_Escape)
    assert dock.isVisible() and not other.isVisible()


def test_outside_of_it_its_keys_do_nothing(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    before, number = window.controller.session, len(window.document.points)
    for key in (Qt.Key.Key_Z, Qt.Key.Key_C, Qt.Key.Key_Backspace):
        press(window, qtbot, key)
    press(window, qtbot, Qt.Key.Key_F5, CONTROL)
    assert window.controller.session == before and len(window.document.points) == number
    assert window.canvases[0].findChild(PenLayer) is None


def in_window(part: QWidget, window: MainWindow) -> QRect:
    return QRect(part.mapTo(window, QPoint(0, 0)), part.size())


def test_the_hint_explains_how_to_end_and_covers_no_number(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    hint = window.findChild(QLabel, "presenter.hint")
    assert hint is not None and not hint.isVisible()
    begin(window, qtbot)
    assert hint.isVisible() and "Esc" in hint.text()
    assert QFontInfo(hint.font()).pixelSize() == window.lanes_view.text_size, "in the mode's text size"
    assert hint.heightForWidth(hint.width()) <= hint.height(), "whole"
    canvas = window.canvases[0]
    area = canvas.plot_area().toAlignedRect()
    assert area.contains(hint.geometry()), "within the axes: their numbers stay in sight"
    assert hint.geometry().bottom() < area.top() + 0.3 * area.height(), "at the top"
    for part in (*window.lanes_view.rows, *window.lanes_view.strips):
        assert not in_window(part, window).intersects(in_window(hint, window))
    timer = window.presenter.findChild(QTimer)
    assert timer is not None and timer.isActive()
    timer.setInterval(1)
    qtbot.waitUntil(lambda: not hint.isVisible())


@pytest.mark.parametrize(("lanes", "size"), [(1, (1920, 1080)), (2, (1280, 800)), (2, (1024, 768))])
def test_the_hint_is_as_high_as_its_text_and_covers_no_point(
    make: Make, qtbot: QtBot, lanes: int, size: tuple[int, int]
) -> None:
    x = np.linspace(-3.0, 3.0, 60)
    rows = [np.column_stack([x, np.full(60, y)]) for y in (2.5, 2.0, -2.0, -2.5)]
    points = Points.of(np.vstack(rows), np.repeat([0, 1], 120))
    window = make(Document(points, shown=lanes, view=View.fitting(points)), size=size)
    begin(window, qtbot)
    hint, canvas = window.findChild(QLabel, "presenter.hint"), window.canvases[0]
    assert hint.isVisible() and canvas.plot_area().toAlignedRect().contains(hint.geometry())
    assert hint.height() == hint.heightForWidth(hint.width()), "no higher than its text"
    radius = math.ceil(canvas.layers.point_size(canvas.plot_area().width(), canvas.plot_area().height()) / 2)
    covered = hint.geometry().adjusted(-radius, -radius, radius, radius)
    assert not any(covered.contains(canvas.to_widget(*each)) for each in points.xy)


def ink(window: MainWindow, lane: int, at: QPoint) -> tuple[int, ...]:
    """Return red, green and blue of a pixel under the layer."""
    found = pixels(window.canvases[lane])[(glass(window, lane).pos() + at).y(), (glass(window, lane).pos() + at).x()]
    return tuple(int(each) for each in found[::-1])


@pytest.mark.slow
def test_the_pen_has_a_second_colour_and_an_eraser(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    begin(window, qtbot)
    tray = window.findChild(QWidget, "presenter.tray")
    assert tray is not None and tray.isVisible() and not window.findChild(QWidget, "presenter.pen1").isVisible()
    press(window, qtbot, Qt.Key.Key_C, SHIFT)
    corners = draw(window, qtbot, 1)
    red, green, blue = ink(window, 1, corners[5])
    assert blue > 200 and red < 80 and green < 80, "another colour than the first"
    QTest.mouseClick(window.findChild(QWidget, "presenter.pen1"), Qt.MouseButton.LeftButton)
    settle_layout(window, qtbot)
    assert [stroke.ink for stroke in window.controller.session.presenting.strokes] == [1]
    draw(window, qtbot, 0)
    assert ink(window, 0, corners[5])[0] > 180
    press(window, qtbot, Qt.Key.Key_E, SHIFT)
    assert window.findChild(QWidget, "presenter.eraser").isChecked()
    over = glass(window, 1)
    for at, left in ((QPoint(60, 300), 2), (corners[3], 1)):
        QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, pos=over.mapTo(window, at))
        settle_layout(window, qtbot)
        assert len(window.controller.session.presenting.strokes) == left, "the line it touches, and no other"
    assert window.controller.session.tool != "eraser" and not window.controller.store.modified
    press(window, qtbot, Qt.Key.Key_E, SHIFT)
    assert not window.controller.session.presenting.pen


@pytest.mark.slow
def test_swatches_choose_the_class(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    begin(window, qtbot)
    second, third = (window.findChild(QWidget, f"presenter.class{n}") for n in (2, 3))
    assert second.isVisible() and not third.isVisible(), "the classes that have points"
    QTest.mouseClick(second, Qt.MouseButton.LeftButton)
    settle_layout(window, qtbot)
    assert window.controller.session.active_class == 1 and second.isChecked()
    press(window, qtbot, Qt.Key.Key_3)
    assert third.isVisible() and third.isChecked()
    assert min(second.width(), second.height()) >= 24
    press(window, qtbot, Qt.Key.Key_Escape)
    assert not second.isVisible()


@pytest.mark.slow
def test_page_down_opens_the_next_example_as_one_step(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    window.controller.dispatch(AddPoints(xy=[(0.5, 0.5)], labels=[0]))
    own = window.document.points
    begin(window, qtbot)
    name, sentence = (window.findChild(QLabel, f"presenter.{part}") for part in ("name", "sentence"))
    assert not name.isVisible(), "there is nothing to say"
    position = window.controller.store.position
    press(window, qtbot, Qt.Key.Key_PageDown)
    settle_layout(window, qtbot)
    assert name.isVisible() and EXAMPLES[0].title in name.text() and sentence.text() == EXAMPLES[0].sentence
    assert window.document.points is not own and window.controller.store.modified, "own points are not saved yet"
    assert window.controller.store.position == position + 1
    press(window, qtbot, Qt.Key.Key_PageDown)
    settle_layout(window, qtbot)
    assert EXAMPLES[1].title in name.text()
    press(window, qtbot, Qt.Key.Key_PageUp)
    settle_layout(window, qtbot)
    assert EXAMPLES[0].title in name.text() and window.controller.session.presenting is not None
    for _ in range(3):
        press(window, qtbot, Qt.Key.Key_Z, CONTROL)
    settle_layout(window, qtbot)
    assert (window.document.points.xy == own.xy).all() and not name.isVisible()
    press(window, qtbot, Qt.Key.Key_PageUp)
    assert EXAMPLES[0].title in name.text(), "from own points to the first"
    press(window, qtbot, Qt.Key.Key_PageUp)
    assert "first example" in window.status_line.text()


@pytest.mark.slow
def test_a_lesson_has_page_down_for_itself(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    window.surroundings.part(STAGE).open_shipped("neighbours")
    qtbot.waitUntil(lambda: window.controller.session.of(LessonSession).lesson is not None)
    begin(window, qtbot)
    assert not window.presenter.actions["next_example"].isEnabled()
    assert window.findChild(QLabel, "presenter.hint").text().endswith("PageDown next step")
    assert not window.findChild(QLabel, "presenter.name").isVisible()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["race", "step", "curves"])
def test_panels_grow_with_the_text(make: Make, qtbot: QtBot, name: str) -> None:
    window = make(size=SIZE)
    window.named_actions["lanes"].trigger()
    begin(window, qtbot)
    window.named_actions[name].trigger()
    settle_layout(window, qtbot)
    panel, text = window.dock_manager.panel(name), window.lanes_view.text_size
    assert text > 15 and QFontInfo(panel.font()).pixelSize() == text
    smaller = [each for each in panel.findChildren(QWidget) if QFontInfo(each.font()).pixelSize() < text]
    assert not [each for each in smaller if each.isVisible()]
    dock, canvas = window.findChild(QDockWidget, f"dock.{name}"), window.canvases[0]
    assert window.size().toTuple() == SIZE and abs(dock.width() - SIZE[0] / 2) < 0.05 * SIZE[0]
    area = canvas.plot_area()
    assert area.width() > 0.4 * SIZE[0] and area.height() > 0.7 * SIZE[1], "the picture has the other half"


@pytest.mark.slow
def test_the_gallery_grows_with_the_text(make: Make, qtbot: QtBot) -> None:
    window = make(size=SIZE)
    widths = []
    for _ in range(2):
        window.named_actions["examples"].trigger()
        gallery = window.findChild(QDialog, "gallery")
        assert gallery is not None and gallery.isVisible()
        pictures = [each for each in gallery.findChildren(QLabel) if not each.pixmap().isNull()]
        widths.append((pictures[0].width(), QFontInfo(gallery.font()).pixelSize()))
        gallery.close()
        QApplication.sendPostedEvents(gallery, QEvent.Type.DeferredDelete)
        window.controller.set_session(presenting=Presenting())
        settle_layout(window, qtbot)
    (plain, _), (larger, text) = widths
    assert text == window.lanes_view.text_size and larger > 1.3 * plain


def test_keys_act_on_the_picture_although_a_number_box_had_the_focus(make: Make, qtbot: QtBot) -> None:
    window = make()
    box = control(window, "lane1.C")
    box.setFocus()
    written = box.text()
    assert window.focusWidget() is box
    begin(window, qtbot)
    QTest.keyClick(window.focusWidget(), Qt.Key.Key_Z)
    settle_layout(window, qtbot)
    presenting = window.controller.session.presenting
    assert presenting is not None and presenting.spotlight and box.text() == written
    press(window, qtbot, Qt.Key.Key_Escape)
    assert window.focusWidget() is box


@pytest.mark.parametrize("shown", [1, 2, 4])
def test_text_is_readable_from_the_last_row(shown: int) -> None:
    assert 48 * presenter_text(QSize(1920, 1080), shown, min(shown, 2)) >= 1080
