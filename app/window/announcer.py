"""Announcer: tell a screen reader what has changed, once, when it has come to rest."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from app.scene.model import Scene
from app.scene.spoken import of_lane, of_state
from app.views.widgets.announcement import announce

#: Time without a change (ms) after which it is told: each step of a drag or a training would be a flood of words.
REST = 400


class Announcer:
    """
    Parameters
    ----------
    window : QWidget
    pictures : sequence of QWidget
        The pictures, whose descriptions say what matters of them.
    """

    def __init__(self, window: QWidget, pictures: Sequence[QWidget]) -> None:
        self._window, self._pictures = window, pictures
        self._scene: Scene | None = None
        #: What is to be reported of the state, and what has been.
        self._now: tuple[str, ...] = ()
        self._reported: tuple[str, ...] = ()
        self._rest = QTimer(window, singleShot=True, interval=REST)
        self._rest.timeout.connect(self._report)

    def follow(self, scene: Scene | None, message: str) -> None:
        """Tell soon what has changed in the state, and the `message` in the status line."""
        if scene is not None and QAccessible.isActive():
            now = (message, *of_state(scene), *map(of_lane, scene.lanes))
            if now != self._now:
                self._scene, self._now = scene, now
                self._rest.start()

    def _report(self) -> None:
        if self._scene is None or any("…" in each for each in self._now):  # something is still computed
            return
        known, self._reported = self._reported, self._now
        news = [each for each in self._now if each and each not in known]
        for picture, lane in zip(self._pictures, self._scene.lanes, strict=False):
            sentence = of_lane(lane)
            if picture.accessibleDescription() != sentence:
                picture.setAccessibleDescription(sentence)
                if picture.hasFocus() and sentence in news:  # its new description is read by itself
                    news.remove(sentence)
        announce(self._window, "  ".join(news))
