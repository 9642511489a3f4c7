"""A change is drawn once, with its new pictures if they are near, and without them if they are not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.engine.frames import LaneRequest
from app.engine.pool import Job
from app.engine.query import Query
from app.features.probe.scene import Probe
from app.scene.feature import FeatureTable
from app.scene.model import Context, Scene
from app.window import main_window as window_module
from app.window.main_window import MainWindow
from tests.windows import Make, finish_layout, settle

LONG = 20.0


class Frozen:
    """The lanes' jobs of a window, which begin when the test releases them, as on a fast machine."""

    def __init__(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        self.go = [threading.Event(), threading.Event()]
        for event, queue in zip(self.go, window.scheduler._queues, strict=False):
            monkeypatch.setattr(queue, "_work", self._frozen(event, queue._work))
        self.delay = 0.001
        monkeypatch.setattr(window.scheduler, "delay", lambda slot: self.delay)
        self.scenes: list[Scene] = []
        draw = window._draw
        monkeypatch.setattr(window, "_draw", lambda scene: (self.scenes.append(scene), draw(scene)))

    @property
    def drawn(self) -> list[int]:
        """Return the number of points in each drawing."""
        return [len(scene.points) for scene in self.scenes]

    @staticmethod
    def _frozen(event: threading.Event, work: Callable[..., Job]) -> Callable[..., Job]:
        def job(request: LaneRequest, overtaken: Callable[[], bool]) -> Job:
            event.wait(LONG)
            yield from work(request, overtaken)

        return job


class Counted:
    """Numbers of composed scenes, requested pictures and collected queries, with their reasons."""

    def __init__(self, window: MainWindow, monkeypatch: pytest.MonkeyPatch) -> None:
        self.window = window
        self.composed = self.ordered = self.delivered = self.pointer = 0
        self.asked: list[tuple[object, ...]] = []
        compose, collect, requests = window._compose, window.scheduler.collect, window._requests
        order, others, following = requests._order, requests._others, requests._following

        def counted_compose() -> Scene:
            self.composed += 1
            return compose()

        def counted_collect() -> bool:
            news = collect()
            self.delivered += news
            return news

        def counted_order(*what: Any) -> None:
            self.ordered += 1
            order(*what)

        def counted_queries(context: Context) -> dict[str, Query]:
            self.asked.append((context.document, context.session, window.scheduler.results.news))
            return FeatureTable.queries(others, context)

        def counted_pointer(context: Context) -> dict[str, Query]:
            self.pointer += 1
            return FeatureTable.queries(following, context)

        monkeypatch.setattr(window, "_compose", counted_compose)
        monkeypatch.setattr(window.scheduler, "collect", counted_collect)
        monkeypatch.setattr(requests, "_order", counted_order)
        monkeypatch.setattr(requests, "_others", SimpleNamespace(queries=counted_queries))
        monkeypatch.setattr(requests, "_following", SimpleNamespace(queries=counted_pointer))

    def reset(self) -> None:
        self.composed = self.ordered = self.delivered = self.pointer = 0
        self.asked.clear()


@pytest.fixture
def frozen(make: Make, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[MainWindow, Frozen]]:
    window = make()
    held = Frozen(window, monkeypatch)
    yield window, held
    for event in held.go:
        event.set()


def _click(window: MainWindow) -> int:
    """Add a point by a click; return the number of points."""
    view = window.document.view
    at = window.to_widget(0, view.x + 0.1, view.y + 0.9)
    before = len(window.document.points)
    alt = Qt.KeyboardModifier.AltModifier  # also on top of another
    QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, alt, at)
    assert len(window.document.points) == before + 1
    return before + 1


def _turn(window: MainWindow) -> None:
    """Handle all pending events."""
    for _ in range(5):
        QApplication.processEvents()


def test_a_click_is_drawn_once_with_both_pictures(
    frozen: tuple[MainWindow, Frozen], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    job = window.scheduler.newest(0)
    count = _click(window)
    _turn(window)
    assert held.drawn == [] and not window.idle()
    assert window.scheduler.newest(0) > job, "ordered before anything is drawn"
    held.go[0].set()
    qtbot.waitUntil(lambda: (frame := window.result(0)) is not None and frame.job > job)
    _turn(window)
    assert held.drawn == [], "the other lane's is near"
    held.go[1].set()
    qtbot.waitUntil(lambda: bool(held.drawn))
    assert held.drawn[0] == count  # pictures of full resolution may have followed
    assert all(
        lane.picture is not None and lane.job == window.scheduler.newest(lane.slot) for lane in held.scenes[0].lanes
    )
    settle(qtbot, window)
    assert all(window.result(lane).full for lane in (0, 1))


def test_a_click_is_ordered_once_and_composed_once_more_for_each_delivery(
    make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make()
    counted = Counted(window, monkeypatch)
    _click(window)
    settle(qtbot, window)
    assert counted.ordered == 1
    assert 1 <= counted.composed <= 1 + counted.delivered
    assert len(set(counted.asked)) == len(counted.asked), "asked once of the same document, session and results"
    assert len(counted.asked) <= 1 + counted.delivered


def test_each_step_of_a_drag_is_ordered_once(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make()
    counted = Counted(window, monkeypatch)
    pictures, at = window.canvases[0].viewport(), window.to_widget(0, *window.document.points.xy[7])
    QTest.mousePress(pictures, Qt.MouseButton.LeftButton, pos=at)
    settle(qtbot, window)
    for step in range(1, 4):
        counted.reset()
        before = window.document
        QTest.mouseMove(pictures, at + QPoint(8 * step, 3))
        settle(qtbot, window)
        assert window.document is not before and counted.ordered == 1
        assert counted.composed <= 1 + counted.delivered and len(set(counted.asked)) == len(counted.asked)
    QTest.mouseRelease(pictures, Qt.MouseButton.LeftButton, pos=at + QPoint(24, 3))


@pytest.mark.parametrize("opened", [False, True])
def test_a_move_of_the_pointer_touches_the_probe_alone(
    opened: bool, make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make()
    if opened:
        window.named_actions["probe"].trigger()
        settle(qtbot, window)
    pictures = window.canvases[0].viewport()
    QTest.mouseMove(pictures, QPoint(100, 150))
    settle(qtbot, window)
    counted, session = Counted(window, monkeypatch), window.controller.session
    laid = window.canvases[1].overlays
    for step in range(1, 6):
        marked = [layer.laid for layer in laid.layers]
        QTest.mouseMove(pictures, QPoint(100 + 9 * step, 150))
        _turn(window)
        probe = window.scene.feature(Probe)
        assert probe.aim == window.controller.pointer and (probe.location == probe.aim) is opened
        assert [layer.laid for layer in laid.layers] != marked, "the other picture marks it"
    assert counted.pointer == 5 and window.controller.session is session
    assert (counted.composed, counted.ordered, counted.asked) == (0, 0, [])


def test_a_click_is_drawn_in_a_moment_where_no_picture_comes(
    frozen: tuple[MainWindow, Frozen], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", 0.05)
    count = _click(window)
    qtbot.waitUntil(lambda: bool(held.drawn))
    assert held.drawn == [count] and not held.go[0].is_set()


def test_pictures_that_take_a_little_longer_are_waited_for(
    frozen: tuple[MainWindow, Frozen], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", 0.0)
    monkeypatch.setattr(window_module, "SOON", LONG)
    held.delay = 0.4 * LONG
    count = _click(window)
    _turn(window)
    assert held.drawn == []
    for event in held.go:
        event.set()
    qtbot.waitUntil(lambda: bool(held.drawn))
    assert held.drawn[0] == count and all(lane.picture is not None for lane in held.scenes[0].lanes)


def test_what_takes_long_is_not_waited_for(
    frozen: tuple[MainWindow, Frozen], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    held.delay = 10.0
    count = _click(window)
    _turn(window)
    assert held.drawn == [count]


def test_what_no_picture_follows_from_is_drawn_at_once(
    frozen: tuple[MainWindow, Frozen], monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    window.controller.set_class(1)
    _turn(window)
    assert len(held.drawn) == 1 and window.scene.session.active_class == 1


def test_further_changes_do_not_put_the_drawing_off(
    frozen: tuple[MainWindow, Frozen], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    _click(window)
    _turn(window)
    since = window.refreshing.since
    window.controller.set_class(1)
    _turn(window)
    assert window.refreshing.since == since and held.drawn == []


def test_a_question_draws_nothing_and_is_answered_by_the_present_state(
    frozen: tuple[MainWindow, Frozen], monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    count = _click(window)
    x, y = window.document.points.xy[0]
    before = window.to_widget(0, x, y)
    window.controller.pan(0.5, 0.0)
    _turn(window)
    assert window.shoot("lane0").scene.points is window.document.points and len(window.document.points) == count
    assert window.to_widget(0, x, y).x() < before.x()
    window.controller.playback.toggle_all()
    window.named_actions["picture"].trigger()
    assert held.drawn == []
    window.refresh()
    shown = window.canvases[0].position_of(x, y)
    assert abs(window.to_widget(0, x, y).x() - shown.x()) <= 1.0, "the same once it is drawn"


def test_a_requested_refresh_is_done_once(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make()
    drawn: list[int] = []
    draw = window._draw
    monkeypatch.setattr(window, "_draw", lambda scene: (drawn.append(1), draw(scene)))
    window.refreshing.request()
    window.refreshing.flush()
    _turn(window)
    assert drawn == [1]


def test_each_drawing_requests_once(frozen: tuple[MainWindow, Frozen], monkeypatch: pytest.MonkeyPatch) -> None:
    window, held = frozen
    requests: list[int] = []
    update = window._requests.update
    monkeypatch.setattr(window._requests, "update", lambda *what: (requests.append(1), update(*what)))
    window.controller.set_class(1)
    _turn(window)
    assert len(held.drawn) == 1 and len(requests) == 1
    window.controller.set_class(2)
    window.refreshing.flush()  # before anything was requested
    assert len(held.drawn) == 2 and len(requests) == 2
    _turn(window)
    assert len(held.drawn) == 2 and len(requests) == 2


class Heard(QObject):
    """Counts the events of one type that an object receives."""

    def __init__(self, watched: QObject, kind: QEvent.Type) -> None:
        super().__init__(watched)
        self.kind, self.count = kind, 0
        watched.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        self.count += event.type() == self.kind
        return False


def test_a_moving_pointer_has_nothing_laid_out(make: Make, qtbot: QtBot) -> None:
    window = make()
    viewport, heard = window.canvases[0].viewport(), Heard(window, QEvent.Type.LayoutRequest)
    point_at = window.findChild(QLabel, "coordinates")
    assert point_at is not None
    for _ in range(2):
        heard.count, texts = 0, set()
        for x in (0.123456, -0.123456, 0.5, 0.0, -0.25):
            QTest.mouseMove(viewport, window.to_widget(0, x, 0.4))
            settle(qtbot, window)
            finish_layout()
            texts.add(point_at.text())
            assert point_at.minimumSizeHint().width() <= point_at.width(), "whole"
    assert len(texts) == 5 and heard.count == 0, "the widest has been there"


def test_a_dragged_point_is_painted_with_its_picture_only(
    frozen: tuple[MainWindow, Frozen], monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    viewport = window.canvases[0].viewport()
    at = window.to_widget(0, *window.document.points.xy[0])
    QTest.mouseMove(viewport, at)
    QTest.mousePress(viewport, Qt.MouseButton.LeftButton, pos=at)
    QTest.mouseMove(viewport, at + QPoint(9, 9))
    _turn(window)
    heard = Heard(viewport, QEvent.Type.Paint)
    QTest.mouseMove(viewport, at + QPoint(30, 20))
    _turn(window)
    assert window.document.points is not window.scene.document.points and heard.count == 0
    for event in held.go:
        event.set()
    QTest.mouseRelease(viewport, Qt.MouseButton.LeftButton, pos=at + QPoint(30, 20))
