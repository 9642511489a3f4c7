"""LaneHeader: the line above a lane: what it is, and buttons to fold its settings, move, duplicate and remove it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from app.controllers.controller import Controller
from app.controllers.lanes import LaneController
from app.scene.model import LaneScene
from app.state.document import MAX_LANES
from app.views.actions import ICON_SIZE, icon
from app.views.theme import Theme
from app.views.widgets.form_fields import describe
from app.views.widgets.stable_label import StableLabel

SIZE = 26  # of a button, in pixels
_RUNS: dict[str, tuple[str, str, str, Callable[[LaneController, int], None]]] = {
    "left": ("lane.left", "Move left", "Change places with the classifier before.", lambda desk, at: desk.move(at, -1)),
    "right": ("lane.right", "Move right", "Change places with the next classifier.", lambda desk, at: desk.move(at, 1)),
    "add": ("lane.add", "Add", "Another classifier beside this one (Ctrl+L).", lambda desk, at: desk.add(at)),
    "duplicate": (
        "lane.duplicate",
        "Duplicate",
        "The same classifier once more: change one thing, and compare.",
        lambda desk, at: desk.duplicate(at),
    ),
    "remove": ("close", "Remove", "Take this classifier away; undo brings it back.", lambda desk, at: desk.remove(at)),
}


class LaneHeader(QWidget):
    """The header of the lane at place `index`."""

    def __init__(self, index: int, controller: Controller) -> None:
        super().__init__()
        self._index, self._desk = index, controller.lanes
        self._theme: Theme | None = None
        self._folded: bool | None = None
        self._text = ""
        self._fold = self._button("fold", "Settings", "")
        self._fold.clicked.connect(lambda: self._desk.fold(index, not self._folded))
        self._title = StableLabel()
        describe(self._title.label, f"lane{index}.title", f"Classifier, lane {index + 1}", "")
        self._title.label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self._title.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        line = QHBoxLayout(self)
        line.setContentsMargins(2, 2, 6, 0)
        line.setSpacing(1)
        line.addWidget(self._fold)
        line.addWidget(self._title, 1)
        self._buttons: dict[str, QToolButton] = {}
        for name, (_, title, tip, run) in _RUNS.items():
            button = self._buttons[name] = self._button(name, title, tip)
            button.clicked.connect(lambda checked, run=run: run(self._desk, index))
            line.addWidget(button)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def _button(self, name: str, title: str, tip: str) -> QToolButton:
        button = QToolButton()
        button.setIconSize(QSize(ICON_SIZE - 2, ICON_SIZE - 2))
        button.setAutoRaise(True)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a click leaves the keys where they are
        button.setFixedSize(SIZE, SIZE)
        button.setStyleSheet(f"min-height: {SIZE - 4}px; padding: 1px;")
        describe(
            button, f"lane{self._index}.{name}", f"{title}, lane {self._index + 1}", f"{title}: {tip}" if tip else title
        )
        return button

    def minimumSizeHint(self) -> QSize:
        return QSize((1 + len(_RUNS)) * (SIZE + 1) + 60, SIZE + 2)

    def sizeHint(self) -> QSize:
        return QSize(300, max(SIZE + 2, self.fontMetrics().height() + 4))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._write()

    def _write(self) -> None:
        """The title, shortened to the room there is."""
        label = self._title.label
        text = self.fontMetrics().elidedText(self._text, Qt.TextElideMode.ElideRight, max(self._title.width() - 2, 20))
        if label.text() != text:
            label.setText(text)
            label.setToolTip(self._text)

    def render_scene(self, lane: LaneScene, number: int, theme: Theme) -> None:
        """Show the lane, one of `number` on screen."""
        if theme is not self._theme:
            for name, button in self._buttons.items():
                button.setIcon(icon(_RUNS[name][0], theme, self.devicePixelRatioF()))
        if theme is not self._theme or lane.folded != self._folded:
            self._fold.setIcon(icon("lane.open" if lane.folded else "lane.fold", theme, self.devicePixelRatioF()))
            tip = "Open the settings." if lane.folded else "Fold the settings away: more room for the picture."
            self._fold.setToolTip(tip)
            self._fold.setAccessibleDescription(tip)
        self._theme, self._folded = theme, lane.folded
        # Unfolded, the form says it; and where a class weight is of one's own, the title would not fit.
        self._text = f"{self._index + 1}  {lane.title}" if lane.folded else f"Classifier {self._index + 1}"
        self._write()
        for name, useful in (
            ("left", self._index > 0),
            ("right", self._index < number - 1),
            ("remove", number > 1),
            ("duplicate", number < MAX_LANES),
            ("add", number < MAX_LANES),
        ):
            self._buttons[name].setEnabled(useful)
