"""The audience window: the same pictures at its own size; covered pictures stay covered, and nothing is lost."""

from __future__ import annotations

from threading import Event

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTextBrowser, QWidget
from pytestqt.qtbot import QtBot

from app.engine.frames import Picture
from app.features.lessons import shipped
from app.features.lessons.controller import LessonController
from app.features.lessons.feature import STAGE
from app.features.lessons.shipped import lesson
from app.features.lessons.state import LessonSession
from app.files.settings import Settings
from app.scene.model import grid_of, grid_over
from app.state.commands import AddPoints
from app.state.document import Document, GeneratorSettings, Lane, View
from app.views import theme
from app.window.audience.audience import PLAIN
from app.window.audience.audience_window import AudienceWindow
from app.window.main_window import MainWindow
from app.window.presenter.pen_layer import PenLayer
from tests.windows import Make, settle

SHIFT, ALT = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.AltModifier
LANES = (Lane("knn"), Lane("svm"))


def moons(lanes: tuple[Lane, ...] = LANES) -> Document:
    points = GeneratorSettings(count=30, noise=0.25).points()
    return Document(points=points, view=View.fitting(points), lanes=lanes, shown=len(lanes))


def opened(window: MainWindow, qtbot: QtBot, size: tuple[int, int] = (1500, 700)) -> AudienceWindow:
    QTest.keyClick(window.canvases[0], Qt.Key.Key_F5, SHIFT)
    qtbot.waitUntil(lambda: window.audience.view is not None)
    view = window.audience.view
    assert view is not None and window.named_actions["audience"].isChecked()
    view.resize(*size)
    settle_layout(window, qtbot)
    return view


def settle_layout(window: MainWindow, qtbot: QtBot) -> None:
    """Wait until all parts have their sizes."""
    for _ in range(3):
        settle(qtbot, window)
        QTest.qWait(10)


def pixels(widget: QWidget) -> np.ndarray:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    return np.asarray(image.constBits()).reshape(image.height(), image.width(), 4)[:, :, :3].astype(int)


def exact_picture(window: MainWindow, lane: int, qtbot: QtBot) -> Picture:
    """Return the picture of a lane's model on the pixels of the audience's canvas, made for it alone."""
    view, frame, came, found = window.audience.view, window.result(lane), Event(), []
    assert view is not None and frame is not None
    shades = theme.dressed(theme.theme_of(False), window.document.styles).shades

    def done(picture: Picture | str) -> None:
        found.append(picture)
        came.set()

    window.scheduler.enlarge(frame, view.canvases[lane].grid(), shades, done, lambda: False)
    qtbot.waitUntil(came.is_set)
    assert isinstance(found[0], Picture)
    return found[0]


def distances(corners: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Return the distance of each of `corners` from the nearest piece of `lines`, polylines separated by NaN."""
    corners = corners[np.isfinite(corners).all(axis=1)][:, None, :]
    start, way = lines[:-1], np.diff(lines, axis=0)
    whole = np.isfinite(way).all(axis=1) & (way != 0.0).any(axis=1)
    start, way = start[whole], way[whole]
    share = np.clip(((corners - start) * way).sum(axis=2) / (way * way).sum(axis=1), 0.0, 1.0)
    return np.hypot(*np.moveaxis(corners - start - share[:, :, None] * way, 2, 0)).min(axis=1)


@pytest.mark.parametrize("size", [(1700, 900), (1500, 1300)])
def test_each_pixel_is_that_of_a_picture_made_for_the_audience_alone(
    make: Make, qtbot: QtBot, size: tuple[int, int]
) -> None:
    window = make(moons())
    view = opened(window, qtbot, size)
    for lane in range(2):
        frame, own = window.result(lane), view.canvases[lane].grid()
        assert frame is not None and frame.picture is not None and frame.full
        whole, exact = frame.picture, exact_picture(window, lane, qtbot)
        unit = (own.right - own.left) / own.width
        assert unit <= window.canvases[lane].unit(), "the audience has the larger picture"
        left, top = round((own.left - whole.grid.left) / unit), round((whole.grid.top - own.top) / unit)
        part = whole.argb[top : top + own.height, left : left + own.width]
        assert np.mean(part != exact.argb) < 2e-5, "but for pixels whose middle lies on the edge of two shades"
        if lane:  # boundaries of kNN are thinned: they begin and end at other corners
            for mine, alone in ((whole.boundary, exact.boundary), (whole.margins, exact.margins)):
                assert len(alone) > 50 and distances(alone, mine).max() < 0.1 * unit
        assert view.canvases[lane].painted_job == frame.job


def test_beside_a_smaller_window_the_picture_here_is_made_for_this_one(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    opened(window, qtbot, (700, 450))
    for lane in range(2):
        frame, own = window.result(lane), window.canvases[lane].grid()
        assert frame is not None and frame.picture is not None
        whole = frame.picture.grid
        assert whole.width >= own.width and (whole.right - whole.left) / whole.width == pytest.approx(
            (own.right - own.left) / own.width
        )


def test_both_windows_follow_a_change_and_the_surface_is_computed_once(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    view = opened(window, qtbot)
    numbers = [window.scheduler.newest(slot) for slot in window.document.slots[:2]]
    before = pixels(view)
    window.controller.dispatch(AddPoints(xy=[(0.5, 1.5)], labels=[1]))
    settle_layout(window, qtbot)
    assert [window.scheduler.newest(slot) for slot in window.document.slots[:2]] == [
        number + 2 for number in numbers
    ], "one request of each lane"
    assert (pixels(view) != before).any()
    for lane in range(2):
        assert view.canvases[lane]._lane is window.canvases[lane]._lane


def test_the_users_own_pictures_are_painted_first(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    view = opened(window, qtbot)
    behind: list[bool] = []
    for canvas in window.canvases[:2]:
        canvas.on_painted = lambda job: behind.append(view.canvases[0]._lane is not window.canvases[0]._lane)
    window.controller.dispatch(AddPoints(xy=[(0.5, 1.5)], labels=[1]))
    qtbot.waitUntil(lambda: len(behind) > 1)
    assert all(behind)
    settle_layout(window, qtbot)
    assert not window.audience.unpainted
    assert [each.painted_job for each in view.canvases[:2]] == [each.painted_job for each in window.canvases[:2]]


def test_frozen_it_stays_as_it_is_until_it_follows_again(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    view = opened(window, qtbot)
    before = pixels(view)
    QTest.keyClick(window.canvases[0], Qt.Key.Key_F5, ALT)
    window.controller.dispatch(AddPoints(xy=[(0.5, 1.5)], labels=[1]))
    settle_layout(window, qtbot)
    assert (pixels(view) == before).all()
    window.named_actions["freeze_audience"].trigger()
    settle_layout(window, qtbot)
    assert (pixels(view) != before).any()


def test_covered_pictures_are_visible_here_alone_until_revealed(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    view = opened(window, qtbot)
    window.surroundings.part(STAGE).begin(lesson(window.features, "support-vectors"))
    window.controller.feature(LessonController).go(1)  # the first question is asked again at the end
    settle_layout(window, qtbot)
    session = window.controller.session
    while session.of(LessonSession).prediction is None:
        window.named_actions["lesson_next"].trigger()
        settle_layout(window, qtbot)
        session = window.controller.session
    covered = pixels(view)
    assert session.of(LessonSession).prediction.question.split()[0] in view._sentence.text()
    hidden = [lane.picture is None for lane in window.scene.lanes]
    assert any(hidden)
    window.named_actions["peek"].trigger()
    settle_layout(window, qtbot)
    assert all(lane.picture is not None for lane in window.scene.lanes), "seen here"
    reports = window.findChild(QTextBrowser, "lesson.teacher").toPlainText()
    assert "Answer: Only 2" in reports and "support vectors" in reports and "Next: Take points away" in reports
    assert (pixels(view) == covered).all(), "nothing leaks to the audience"
    window.controller.dispatch(AddPoints(xy=[(0.1, 0.1)], labels=[1]))
    settle_layout(window, qtbot)
    assert [canvas._lane.picture is None for canvas in view.canvases[: len(hidden)]] == hidden
    controller = window.controller.feature(LessonController)
    assert controller.choose(session.of(LessonSession).prediction.right)
    controller.reveal()
    settle_layout(window, qtbot)
    assert all(canvas._lane.picture is not None for canvas in view.canvases[: len(hidden)])


@pytest.mark.slow
@pytest.mark.parametrize("name", shipped.NAMES)
def test_no_step_of_a_lesson_shows_the_audience_what_it_covers(make: Make, qtbot: QtBot, name: str) -> None:
    """Uncovered here or not, the audience's window is the same to the last pixel."""
    window = make(moons())
    view = opened(window, qtbot, (1000, 500))
    reports = shipped.lesson(window.features, name)
    window.surroundings.part(STAGE).begin(reports)
    lessons, asked = window.controller.feature(LessonController), 0
    for at in range(len(reports.steps)):
        lessons.go(at)
        settle_layout(window, qtbot)
        if window.controller.session.of(LessonSession).prediction is None:
            continue
        asked += 1
        visible = [pixels(view)]
        for _ in range(2):
            window.named_actions["peek"].trigger()
            settle_layout(window, qtbot)
            visible.append(pixels(view))
        assert (
            visible[0].shape == visible[1].shape
            and (visible[1] == visible[0]).all()
            and (visible[2] == visible[0]).all()
        ), at
    assert asked == sum(step.prediction is not None for step in reports.steps)


def test_spotlight_and_pen_are_on_both(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    view = opened(window, qtbot)
    presenting = window.controller.presenting
    QTest.keyClick(window.canvases[0], Qt.Key.Key_C)
    settle_layout(window, qtbot)
    glass = window.canvases[0].findChild(PenLayer)
    for kind, at in ((QTest.mousePress, QPoint(60, 60)), (QTest.mouseRelease, QPoint(60, 60))):
        kind(glass, Qt.MouseButton.LeftButton, pos=at)
    settle_layout(window, qtbot)
    assert [len(each.canvases[0].findChild(PenLayer)._strokes) for each in (window, view)] == [1, 1]
    presenting.toggle_pen()
    presenting.light(True)
    QTest.mouseMove(window.canvases[0].viewport(), QPoint(200, 200))
    settle_layout(window, qtbot)
    lit = pixels(view.canvases[1]).mean()
    presenting.light(False)
    settle_layout(window, qtbot)
    assert lit < 0.6 * pixels(view.canvases[1]).mean(), "all but a disc is dark"


@pytest.mark.slow
def test_presenter_mode_and_audience_begin_and_end_each_by_itself(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    opened(window, qtbot)
    assert window.bar.isVisible(), "this window keeps its controls"
    QTest.keyClick(window.canvases[0], Qt.Key.Key_F5)
    settle_layout(window, qtbot)
    assert not window.bar.isVisible() and window.audience.view is not None
    QTest.keyClick(window.canvases[0], Qt.Key.Key_Escape)
    settle_layout(window, qtbot)
    assert window.bar.isVisible() and window.audience.view is not None
    QTest.keyClick(window.canvases[0], Qt.Key.Key_F5, SHIFT)
    settle_layout(window, qtbot)
    assert window.audience.view is None and window.controller.session.presenting is None
    assert window.canvases[0].findChild(PenLayer) is None or not window.canvases[0].findChild(PenLayer).isVisible()


def test_closing_it_by_hand_ends_it_and_the_pictures_have_their_own_size_again(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    view = opened(window, qtbot)
    assert not window.named_actions["freeze_audience"].isChecked()
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    QTest.keyClick(view, Qt.Key.Key_Escape)
    settle_layout(window, qtbot)
    assert window.audience.view is None and not window.named_actions["audience"].isChecked()
    assert not window.named_actions["peek"].isEnabled()
    frame = window.result(0)
    assert frame is not None and frame.picture is not None and frame.picture.grid == window.canvases[0].grid()


@pytest.mark.slow
def test_more_pictures_come_and_go(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    view = opened(window, qtbot, (1200, 1000))
    for _ in range(2):
        window.controller.lanes.add(window.document.shown - 1)
        settle_layout(window, qtbot)
    assert [canvas.isVisible() for canvas in view.canvases] == [True] * 4
    assert len({canvas.y() for canvas in view.canvases}) == 2, "two above two"
    for _ in range(3):
        window.controller.lanes.remove(window.document.shown - 1)
        settle_layout(window, qtbot)
    assert [canvas.isVisible() for canvas in view.canvases] == [True, False, False, False]
    assert all(canvas._lane is not None for canvas in view.canvases)


@pytest.mark.slow
def test_where_there_is_no_other_screen_it_is_a_window(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    for remembered in ("", PLAIN, "no such screen", "\u202e\n"):
        if window.audience.view is not None:
            window.named_actions["audience"].trigger()
            settle_layout(window, qtbot)
        window.settings.write(audience_screen=remembered)
        view = opened(window, qtbot)
        assert view.isVisible() and not view.isFullScreen(), remembered
    window.audience.choose_screen(QGuiApplication.primaryScreen().name())
    settle_layout(window, qtbot)
    assert view.isFullScreen() and view.size() == QGuiApplication.primaryScreen().size()
    window.audience._screens_changed(QGuiApplication.primaryScreen())
    window.audience.choose_screen(PLAIN)
    settle_layout(window, qtbot)
    assert not view.isFullScreen() and view.isVisible()
    assert Settings(window.settings.folder / "settings.json").values.audience_screen == PLAIN


def test_keys_of_the_controls_act_in_it(make: Make, qtbot: QtBot) -> None:
    window = make(moons())
    view = opened(window, qtbot)
    view.activateWindow()
    qtbot.waitUntil(view.isActiveWindow)
    legend = window.controller.session.legend
    QTest.keyClick(view, Qt.Key.Key_F9)
    settle_layout(window, qtbot)
    assert window.controller.session.legend is not legend
    full = window.isFullScreen()
    QTest.keyClick(view, Qt.Key.Key_F11)
    assert window.isFullScreen() is full and view.isFullScreen()
    QTest.keyClick(view, Qt.Key.Key_F5, SHIFT)
    settle_layout(window, qtbot)
    assert window.audience.view is None


def test_without_its_screen_it_is_whole_on_the_one_left_and_says_so(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make(moons())
    view = opened(window, qtbot)
    screen = QGuiApplication.primaryScreen()
    window.audience.choose_screen(screen.name())
    settle_layout(window, qtbot)
    assert view.isFullScreen()
    monkeypatch.setattr(window.audience, "_screen", lambda: None)  # as after the removal of the projector
    window.audience._screens_changed(screen)
    settle_layout(window, qtbot)
    room = screen.availableGeometry()
    assert not view.isFullScreen() and room.contains(view.geometry().center())
    assert view.width() <= room.width() and view.height() <= room.height()
    assert "screen is gone" in window.status_line.text()
    monkeypatch.undo()  # it is plugged in again
    window.audience._screens_changed(screen)
    settle_layout(window, qtbot)
    assert view.isFullScreen()


SIDES = st.integers(40, 900)


@given(SIDES, SIDES, SIDES, SIDES, st.sampled_from([1.0, 1.5, 2.0]))
def test_the_grid_over_two_has_the_samples_of_the_finer_and_reaches_over_both(
    width: int, height: int, other_width: int, other_height: int, ratio: float
) -> None:
    view = View(0.3, -1.2, 4.0)
    first, second = grid_of(view, width, height), grid_of(view, other_width, other_height, ratio)
    over = grid_over(first, second)
    fine = min((first, second), key=lambda grid: (grid.right - grid.left) / grid.width)
    unit, high = (fine.right - fine.left) / fine.width, (fine.top - fine.bottom) / fine.height
    assert (over.right - over.left) / over.width == pytest.approx(unit, rel=1e-9)
    for grid in (first, second):
        slack = 1e-5 * min(unit, high)
        assert over.left <= grid.left + slack and over.right >= grid.right - slack
        assert over.bottom <= grid.bottom + slack and over.top >= grid.top - slack
    for mine, theirs, side in ((over.left, fine.left, unit), (over.top, fine.top, high)):
        shift = (theirs - mine) / side
        assert shift == pytest.approx(round(shift), abs=1e-5)
    reach = max(first.right, second.right) - min(first.left, second.left)
    assert over.right - over.left < reach + 3.0 * unit, "and no further"
