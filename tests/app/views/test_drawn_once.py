"""A change is drawn once, with the pictures it leads to, where they are near; and without them where they are not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from app.engine.pool import Job
from app.engine.requests import LaneRequest
from app.scene.model import Scene
from app.window import main_window as window_module
from app.window.main_window import MainWindow
from tests.windows import Make, settle

LONG = 20.0


class Frozen:
    """The lanes' jobs of a window, which begin when they are let go, in a machine that has always been quick."""

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
        """How many points there were in each drawing."""
        return [len(scene.points) for scene in self.scenes]

    @staticmethod
    def _frozen(event: threading.Event, work: Callable[..., Job]) -> Callable[..., Job]:
        def job(request: LaneRequest, overtaken: Callable[[], bool]) -> Job:
            event.wait(LONG)
            yield from work(request, overtaken)

        return job


@pytest.fixture
def frozen(make: Make, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[MainWindow, Frozen]]:
    window = make()
    held = Frozen(window, monkeypatch)
    yield window, held
    for event in held.go:
        event.set()


def _click(window: MainWindow) -> int:
    """Add a point by a click; returns how many there are then."""
    view = window.document.view
    at = window.to_widget(0, view.x + 0.1, view.y + 0.9)
    before = len(window.document.points)
    alt = Qt.KeyboardModifier.AltModifier  # also on top of another
    QTest.mouseClick(window.canvases[0].viewport(), Qt.MouseButton.LeftButton, alt, at)
    assert len(window.document.points) == before + 1
    return before + 1


def _turn(window: MainWindow) -> None:
    """All events that are there."""
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
    assert held.drawn[0] == count  # those of full resolution may have followed
    assert all(
        lane.picture is not None and lane.job == window.scheduler.newest(lane.slot) for lane in held.scenes[0].lanes
    )
    settle(qtbot, window)
    assert all(window.result(lane).full for lane in (0, 1))


def test_a_click_is_drawn_in_a_moment_where_no_picture_comes(
    frozen: tuple[MainWindow, Frozen], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", 0.05)
    count = _click(window)
    qtbot.waitUntil(lambda: bool(held.drawn), timeout=5000)
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
    assert len(held.drawn) == 1 and window.scene.active_class == 1


def test_further_changes_do_not_put_the_drawing_off(
    frozen: tuple[MainWindow, Frozen], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, held = frozen
    monkeypatch.setattr(window_module, "A_MOMENT", LONG)
    _click(window)
    _turn(window)
    since = window._waiting_since
    window.controller.set_class(1)
    _turn(window)
    assert window._waiting_since == since and held.drawn == []
    assert window.to_widget(0, 0.0, 0.0) is not None  # whoever asks where things are gets what is newest
    assert len(held.drawn) == 1 and window.scene.active_class == 1


def test_a_refresh_that_was_asked_for_and_done_is_not_done_again(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make()
    drawn: list[int] = []
    draw = window._draw
    monkeypatch.setattr(window, "_draw", lambda scene: (drawn.append(1), draw(scene)))
    window.ask_refresh()
    window.refresh_if_pending()
    _turn(window)
    assert drawn == [1]
