"""A monkey: random real events on everything in sight, queued without waiting, leave no exception and no leak.

``MONKEY_EVENTS=2000 make soak ARGS="-k monkey -s"`` is shorter; ``MONKEY_SEED=7`` does something else.
"""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from traceback import format_exception

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer
from PySide6.QtGui import QContextMenuEvent, QDesktopServices, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from app.core import log
from app.features.lessons.feature import STAGE
from app.features.lessons.shipped import NAMES
from app.files import recovery
from app.learners.table import LEARNERS
from app.main import create_window
from tests.app.views.test_leaks import LEFT_OUT, Visitor
from tests.app.views.test_soak import Look, look, reset
from tests.windows import finish_tasks

EVENTS, SEED = int(os.environ.get("MONKEY_EVENTS", "20000")), int(os.environ.get("MONKEY_SEED", "1"))
#: Events between two measurements, and from which memory no longer grows; caches have filled by then.
EVERY, WARM = 2500, 5000
#: Largest growth after that (MB): memory that is partly reused varies.
MOST_GROWTH = 60.0

KEYS = [
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_End),
    *(Qt.Key.Key_Return, Qt.Key.Key_Escape, Qt.Key.Key_Tab, Qt.Key.Key_Space, Qt.Key.Key_Delete, Qt.Key.Key_Backspace),
    *(Qt.Key.Key_1, Qt.Key.Key_2, Qt.Key.Key_0, Qt.Key.Key_9, Qt.Key.Key_Minus, Qt.Key.Key_Comma, Qt.Key.Key_Period),
    *(Qt.Key.Key_F, Qt.Key.Key_E, Qt.Key.Key_X, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown, Qt.Key.Key_F2, Qt.Key.Key_F5),
]
NONE, CONTROL, SHIFT = (
    Qt.KeyboardModifier.NoModifier,
    Qt.KeyboardModifier.ControlModifier,
    Qt.KeyboardModifier.ShiftModifier,
)


class Monkey(Visitor):
    """Sends random events to random widgets, most of them through the queue."""

    def release(self) -> None:
        """End what waits for an answer in an event loop of its own, such as the menu of a number's field."""
        popup = QApplication.activePopupWidget()
        if popup is not None:
            popup.close()
        self.answer()

    def target(self) -> tuple[QWidget, QPointF]:
        """Return a widget in sight, more often a picture, and a location in it."""
        popup = QApplication.activePopupWidget()
        if popup is not None and self.rng.random() < 0.7:
            widget: QWidget = popup
        elif self.rng.random() < 0.35:
            widget = self.rng.choice(self.window.canvases[: self.window.document.shown]).viewport()
        else:
            found = [
                each
                for top in QApplication.topLevelWidgets()
                if top.isVisible() and not top.testAttribute(Qt.WidgetAttribute.WA_DontShowOnScreen)
                for each in top.findChildren(QWidget)
                if each.isVisible() and each.isEnabled() and not each.visibleRegion().isEmpty()
            ]
            widget = self.rng.choice(found or [self.window])
        return widget, QPointF(self.rng.uniform(0, widget.width()), self.rng.uniform(0, widget.height()))

    def post(self, widget: QWidget, event: QEvent) -> None:
        self.events += 1
        QApplication.postEvent(widget, event)

    def mouse(self, widget: QWidget, kind: QEvent.Type, at: QPointF, button: Qt.MouseButton, held: bool) -> None:
        buttons = button if held else Qt.MouseButton.NoButton
        modifiers = self.rng.choice([NONE] * 6 + [CONTROL, SHIFT])
        self.post(widget, QMouseEvent(kind, at, QPointF(widget.mapToGlobal(at)), button, buttons, modifiers))

    def press(self) -> None:
        """Press, perhaps drag, and release; now and then twice."""
        widget, at = self.target()
        button = self.rng.choice(
            [Qt.MouseButton.LeftButton] * 6 + [Qt.MouseButton.RightButton, Qt.MouseButton.MiddleButton]
        )
        first = QEvent.Type.MouseButtonDblClick if self.rng.random() < 0.1 else QEvent.Type.MouseButtonPress
        self.mouse(widget, first, at, button, True)
        for _ in range(self.rng.choice([0, 0, 0, 1, 3])):
            at = at + QPointF(self.rng.uniform(-60, 60), self.rng.uniform(-60, 60))
            self.mouse(widget, QEvent.Type.MouseMove, at, Qt.MouseButton.NoButton, False)
        self.mouse(widget, QEvent.Type.MouseButtonRelease, at, button, False)
        if button is Qt.MouseButton.RightButton:
            place = QPoint(int(at.x()), int(at.y()))
            reason = QContextMenuEvent.Reason.Mouse
            self.post(widget, QContextMenuEvent(reason, place, widget.mapToGlobal(place)))

    def turn(self) -> None:
        widget, at = self.target()
        for _ in range(self.rng.choice([1, 1, 2, 5])):
            turn = QPoint(0, self.rng.choice([-120, 120]))
            phase, where = Qt.ScrollPhase.NoScrollPhase, QPointF(widget.mapToGlobal(at))
            self.post(widget, QWheelEvent(at, where, QPoint(), turn, Qt.MouseButton.NoButton, NONE, phase, False))

    def type(self) -> None:
        widget = QApplication.focusWidget() or self.window
        for _ in range(self.rng.choice([1, 1, 3])):
            key, modifiers = self.rng.choice(KEYS), self.rng.choice([NONE] * 5 + [SHIFT])
            text = chr(int(key)) if int(key) < 128 and self.rng.random() < 0.9 else ""
            for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
                self.post(widget, QKeyEvent(kind, key, modifiers, text))

    def undo(self) -> None:
        for _ in range(self.rng.randrange(1, 6)):
            self.window.named_actions[self.rng.choice(["undo", "undo", "redo"])].trigger()

    def learner(self) -> None:
        lane = self.rng.randrange(self.window.document.shown)
        self.controller.set_lane(lane, classifier=self.rng.choice(sorted(LEARNERS)))

    def resize(self) -> None:
        self.window.resize(self.rng.randrange(980, 1500), self.rng.randrange(560, 1000))
        self.window.named_actions[self.rng.choice(["larger", "smaller"])].trigger()

    def toggle(self) -> None:
        names = [name for name, each in self.window.named_actions.items() if each.isEnabled() and name not in LEFT_OUT]
        self.window.named_actions[self.rng.choice(names)].trigger()

    def lesson(self) -> None:
        self.window.surroundings.part(STAGE).open_shipped(self.rng.choice(NAMES))

    def act(self) -> None:
        """Queue something; process the queue only now and then, so that events meet a window that is out of date."""
        doings = [self.press] * 10 + [self.turn] * 3 + [self.type] * 5 + [self.toggle] * 3 + [self.undo, self.undo]
        rare = [self.learner, self.settings, self.run, self.tool, self.theme, self.file, self.resize, self.lesson]
        self.rng.choice([*doings, *rare])()
        if self.rng.random() < 0.4:
            QApplication.processEvents()
            for _ in range(4):
                self.answer()
            for _ in range(8):
                popup = QApplication.activePopupWidget()
                if popup is None or self.rng.random() < 0.5:
                    break
                popup.close()
        if len(self.window.document.points) > 1500:
            self.controller.clear()


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_monkey_finds_no_exception_and_no_leak(
    qapp: QApplication, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recovery, "INTERVAL", 0.5)
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: True)
    errors: list[object] = []
    monkeypatch.setattr(threading, "excepthook", errors.append)
    monkeypatch.setattr(sys, "unraisablehook", errors.append)
    monkeypatch.setattr(sys, "excepthook", lambda *error: errors.append("".join(format_exception(*error))))
    window = create_window(None, tmp_path)
    window.controller.prefer_simple(False)
    window.resize(1280, 800)
    window.show()
    qtbot.waitExposed(window)
    visitor, looks = Monkey(window, tmp_path, SEED), list[Look]()
    reset(qtbot, window, visitor)
    waiting = QTimer(interval=50)  # runs only in a loop within `processEvents`
    waiting.timeout.connect(visitor.release)
    waiting.start()
    while visitor.events < EVENTS:
        visitor.act()
        assert not errors, f"event {visitor.events}: " + "\n".join(map(str, errors))
        assert "Traceback" not in log.text(), f"event {visitor.events}: {log.text()[-4000:]}"
        if visitor.events >= EVERY * (len(looks) + 1):
            reset(qtbot, window, visitor)
            looks.append(look(window, 0.0, visitor.events))
            print(looks[-1], flush=True)
    waiting.stop()
    reset(qtbot, window, visitor)
    finish_tasks(window)
    window.asks_to_save = False  # a number that was typed last changes the document
    assert window.close()
    warm = [each.memory for each in looks if each.acts >= WARM]
    assert not warm or max(warm) - warm[0] < MOST_GROWTH, warm
