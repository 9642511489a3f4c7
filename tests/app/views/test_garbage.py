"""Garbage: while a window is open, dead widgets are destroyed by the event loop, never while objects are made."""

from __future__ import annotations

import gc
import sys
import weakref
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QTimerEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core import caches
from app.engine.compile_ahead import CompileAhead
from app.views import garbage
from app.views.garbage import Garbage, collect_due


@pytest.fixture
def enabled() -> Iterator[None]:
    """As in the program: Python collects by itself."""
    gc.enable()
    yield
    gc.disable()


def dead_widget() -> weakref.ref[QWidget]:
    """Return a weak reference to a widget that only a cycle keeps alive."""
    widget = QWidget()
    widget.itself = widget  # type: ignore[attr-defined]
    return weakref.ref(widget)


def make_many() -> list[list[int]]:
    """Make enough objects for Python to collect each generation by itself."""
    return [[n] for n in range(200_000)]


@pytest.mark.usefixtures("enabled")
def test_without_a_window_python_collects_wherever_something_is_made(qtbot: QtBot) -> None:
    gone = dead_widget()
    made = make_many()
    assert gone() is None and made


@pytest.mark.usefixtures("enabled")
def test_with_a_window_the_event_loop_collects(
    qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "INTERVAL", 1)
    collector = Garbage(qapp)
    gone = dead_widget()
    made = make_many()
    assert gone() is not None and made, "not in the midst of this"
    qtbot.waitUntil(lambda: gone() is None)
    collector.stop()


@pytest.mark.usefixtures("enabled")
def test_the_last_window_restores_the_collector(qapp: QApplication) -> None:
    first, second = Garbage(qapp), Garbage(qapp)
    first.stop()
    assert not gc.isenabled()
    second.stop()
    assert gc.isenabled()


def test_a_disabled_collector_stays_disabled(qapp: QApplication) -> None:
    Garbage(qapp).stop()
    assert not gc.isenabled()


def test_nothing_is_collected_before_its_time(qtbot: QtBot) -> None:
    gc.collect()
    gone = dead_widget()
    collect_due()
    assert gone() is not None
    gc.collect()
    assert gone() is None


def test_the_memory_of_a_replaced_document_is_returned(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    trimmed: list[int] = []
    monkeypatch.setattr(garbage, "malloc_trim", trimmed.append)
    collector = Garbage(qapp)
    caches.forget()
    for _ in range(3):
        collector.timerEvent(QTimerEvent(0))
    collector.stop()
    assert trimmed == [0]


def test_nothing_is_searched_while_the_fast_loops_load(qapp: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    collected: list[int] = []
    monkeypatch.setattr(gc, "collect", collected.append)
    monkeypatch.setattr(CompileAhead, "loading", True)
    collector, made = Garbage(qapp), make_many()
    collector.timerEvent(QTimerEvent(0))
    assert collected == [] and made
    monkeypatch.setattr(CompileAhead, "loading", False)
    collector.timerEvent(QTimerEvent(0))
    collector.stop()
    assert collected == [0]


@pytest.mark.skipif(sys.platform != "linux", reason="the option is that of Linux")
def test_with_a_window_the_memory_of_a_picture_is_kept_for_the_next(qapp: QApplication) -> None:
    import resource

    def pages() -> int:
        before = resource.getrusage(resource.RUSAGE_THREAD).ru_minflt
        made = [np.ones(500_000) for _ in range(5)]
        return resource.getrusage(resource.RUSAGE_THREAD).ru_minflt - before if made else 0

    collector = Garbage(qapp)
    first = [pages() for _ in range(3)][-1]
    garbage.malloc_trim(0)  # type: ignore[misc]
    assert first < 100 < pages()
    collector.stop()
