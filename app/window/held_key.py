"""HeldKey: a key with one effect when tapped, and another while held."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Slot
from PySide6.QtGui import QAction, QKeyEvent, QShortcut
from PySide6.QtWidgets import QApplication, QWidget

#: Time after which a key counts as held (ms).
HELD = 300


class HeldKey(QObject):
    """The key of `action`, a letter: a tap triggers it.

    The press arrives as a shortcut, so that a text field keeps its letters; the release is watched in all windows,
    since the focus may have moved on.

    Parameters
    ----------
    window : QWidget
    action : QAction
        Its own shortcut no longer fires; the menu still shows it.
    hold : callable
        ``hold(True)`` once the key has been held long enough, ``hold(False)`` when it is released.
    """

    def __init__(self, window: QWidget, action: QAction, hold: Callable[[bool], object]) -> None:
        super().__init__(window)
        self._action, self._hold = action, hold
        self._key = ord(action.shortcut().toString())  # Qt's keys of letters are their codes
        self._application = cast(QApplication, QApplication.instance())
        self._held = False
        action.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)  # inactive: a menu never has the focus
        self._shortcut = QShortcut(action.shortcut(), window)
        self._shortcut.setAutoRepeat(False)
        self._shortcut.activated.connect(self._press)
        self._timer = QTimer(self, singleShot=True, interval=HELD)
        self._timer.timeout.connect(self._take_hold)

    @Slot()
    def _press(self) -> None:
        if self._action.isEnabled() and not (self._held or self._timer.isActive()):
            self._timer.start()
            self._application.installEventFilter(self)

    @Slot()
    def _take_hold(self) -> None:
        self._held = True
        self._hold(True)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.KeyRelease and isinstance(event, QKeyEvent):
            if event.key() == self._key and not event.isAutoRepeat():
                self._let_go(tapped=not self._held)
        elif kind in (QEvent.Type.WindowDeactivate, QEvent.Type.ApplicationDeactivate):
            self._let_go(tapped=False)  # its release will reach another window
        return False

    def _let_go(self, tapped: bool) -> None:
        self._application.removeEventFilter(self)
        self._timer.stop()
        held, self._held = self._held, False
        if held:
            self._hold(False)
        elif tapped:
            self._action.trigger()
