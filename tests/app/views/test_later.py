"""Deferred calls: in order, whatever happens to the previous one, and without leaving references."""

from __future__ import annotations

import gc
import weakref

from PySide6.QtCore import QEventLoop, QObject
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot
from shiboken6 import delete

from app.views.widgets.deferred import later


class Counter:
    """No QObject, like most owners of deferred calls."""

    calls = 0

    def count(self) -> None:
        self.calls += 1


def process_events() -> None:
    for _ in range(20):
        QApplication.processEvents()


def test_calls_come_in_their_order_and_after_the_events_at_hand(qapp: QApplication) -> None:
    owner, called = QObject(), []
    for number in range(3):
        later(owner, lambda number=number: called.append(number))
    later(owner, lambda: later(owner, lambda: called.append(3)))
    assert called == []
    QApplication.processEvents()
    assert called == [0, 1, 2], "what is added meanwhile waits for the next events"
    process_events()
    assert called == [0, 1, 2, 3]


def test_a_deleted_owner_is_not_called(qapp: QApplication) -> None:
    owner, other, called = QObject(), QObject(), []
    later(owner, lambda: called.append("gone"))
    later(other, lambda: called.append("there"))
    delete(owner)
    process_events()
    assert called == ["there"]


def test_a_call_that_waits_or_fails_holds_up_no_other(qtbot: QtBot) -> None:
    owner, called, loop = QObject(), [], QEventLoop()

    def fail() -> None:
        raise ValueError("as planned")

    later(owner, loop.exec)
    later(owner, fail)
    later(owner, lambda: called.append(1))
    later(owner, loop.quit)
    with qtbot.captureExceptions() as errors:
        process_events()
    assert called == [1] and [str(error[1]) for error in errors] == ["as planned"]


def test_nothing_is_kept_of_a_call(qapp: QApplication) -> None:
    owner, counter = QObject(), Counter()
    process_events()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(200):
        for _ in range(5):
            later(owner, counter.count)
        QApplication.processEvents()
    gc.collect()
    assert counter.calls == 1000, "all of them at once"
    assert len(gc.get_objects()) - before < 20
    gone = weakref.ref(owner)
    del owner
    gc.collect()
    assert gone() is None
