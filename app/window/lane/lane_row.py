"""LaneRow: the line above a picture: choice of the classifier, the most used controls, and buttons for the others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QMenu, QSizePolicy, QWidget

from app.controllers.lanes import LaneController
from app.learners.table import LEARNERS, LISTED_TRAINERS, entries
from app.scene.model import LaneScene
from app.state.document import MAX_LANES, chosen_entry, entry_of
from app.views.theme import Theme
from app.views.widgets.deferred import later
from app.views.widgets.flow_layout import FlowLayout, n_lines
from app.views.widgets.inputs import filled, leave_field, named, show_choice, show_tip
from app.views.widgets.painting import painter_on
from app.window.flat_button import FlatButton, flat_button

from .classifier_dialog import ClassifierDialog
from .form_parts import EditorMaker
from .named_combo import MORE, NamedCombo

SIZE, GAP = 26, 4  # side of a button, and gap between parts (pixels)
#: Width (pixels) of the mark beside the selected lane.
MARK = 2
SETTINGS = "Its other settings, with their formulas, beside the pictures."
SLIDERS = "The sliders of this classifier, in place of those of another."
WATCH = "Watch the training, step by step."
_RUNS: dict[str, tuple[str, str, Callable[[LaneController, int], None]]] = {
    "left": ("Move left", "Exchange with the classifier before.", lambda lanes, at: lanes.move(at, -1)),
    "right": ("Move right", "Exchange with the next classifier.", lambda lanes, at: lanes.move(at, 1)),
    "add": ("Add another", "Another classifier beside this one (Ctrl+L).", lambda lanes, at: lanes.add(at)),
    "duplicate": (
        "Duplicate",
        "The same classifier once more: change one thing, and compare.",
        lambda lanes, at: lanes.duplicate(at),
    ),
    "remove": ("Remove", "Take this classifier away; undo brings it back.", lambda lanes, at: lanes.remove(at)),
}


class _End(QWidget):
    """The buttons after the controls; `more` has words if they fit, else their number."""

    def __init__(self, sliders: FlatButton, play: FlatButton, more: FlatButton, menu: FlatButton) -> None:
        super().__init__()
        self._icons, self._more = (sliders, play, more, menu), more
        self.words: tuple[str, ...] = ()
        filled(QHBoxLayout(self), *self._icons, margins=0, spacing=0)

    def show_words(self) -> None:
        """Show the words if they fit, else how many they are."""
        styles, whole = Qt.ToolButtonStyle, ", ".join(self.words)
        self._more.setText(whole if self.width() >= self._length(whole) else self._brief())
        self._more.setToolButtonStyle(styles.ToolButtonTextBesideIcon if whole else styles.ToolButtonIconOnly)
        self.updateGeometry()

    def _brief(self) -> str:
        return f"+{len(self.words)}" if self.words else ""

    def _length(self, words: str) -> int:
        """Return the width (pixels) with these words, and the gap before them."""
        icons = sum(button.side.width() for button in self._icons if not button.isHidden())
        if not words or self._more.isHidden():
            return icons
        return icons + self._more.fontMetrics().horizontalAdvance(words) + 2 * GAP

    def shortest(self) -> int:
        """Return the width with the number of the words (pixels)."""
        return self._length(self._brief())

    def sizeHint(self) -> QSize:
        return QSize(self._length(", ".join(self.words)), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        later(self, self.show_words)


class LaneRow(QWidget):
    """The line of the lane of `maker`, which makes the editors; `place` inserts the controls.

    A press selects the lane; ``show_settings()`` shows its other settings, or hides them.
    """

    def __init__(self, maker: EditorMaker, show_settings: Callable[[], None]) -> None:
        super().__init__()
        self._maker, self._index = maker, maker.index
        self._scene: tuple[LaneScene, Theme] | None = None
        self._selected = False
        self._simple: bool | None = None
        self.flow = FlowLayout(self, GAP)
        self.flow.setContentsMargins(4, 2, 4, 2)
        self.classifier = maker.named(
            NamedCombo(tuple(entries()), [name for name, learner in LEARNERS.items() if not learner.is_available]),
            "classifier",
            "Classifier",
            "kNN lets the nearest points vote; the SVM finds the widest margin; the others find a line.",
        )
        self.classifier.activated.connect(lambda: self._chosen(self.classifier.currentData()))
        self.flow.addWidget(self.classifier)
        #: Shown if the classifier cannot be chosen.
        self._title = named(QLabel(), f"lane{self._index}.title")
        self._title.setMinimumHeight(SIZE)
        self._title.hide()
        self.flow.addWidget(self._title)
        controller = maker.controller
        watch, select = controller.playback.watch, controller.lanes.select
        self._more = self._button("settings", "Settings", SETTINGS, show_settings)
        self._more.setCheckable(True)
        self._play = self._button("watch", "Watch the training", WATCH, lambda: watch(self._index))
        self._entries = QMenu(self, toolTipsVisible=True)
        self._menu: FlatButton = self._button(
            "menu",
            "More",
            "Move, add, duplicate or remove classifiers.",
            lambda: self._entries.popup(self._menu.mapToGlobal(QPoint(0, self._menu.height()))),
        )
        self._actions = {name: self._entry(name, *rest) for name, rest in _RUNS.items()}
        self._sliders = self._button("sliders", "Sliders", SLIDERS, lambda: select(self._index))
        self._sliders.hide()
        #: The buttons after the controls, and the widget that holds them.
        self.ends = (self._sliders, self._play, self._more, self._menu)
        self._end = _End(*self.ends)
        #: Size of text in presenter mode (pixels); 0 otherwise.
        self._text = 0
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def _chosen(self, name: str) -> None:
        """Set the classifier, and the trainer of an SVM; or ask which one."""
        self._maker.controller.lanes.select(self._index)
        lane = self._maker.controller.document.lanes[self._index]
        if name == MORE:
            show_choice(self.classifier, entry_of(lane))
            dialog = ClassifierDialog(self.window(), self.classifier.others, entry_of(lane), self._chosen)
            later(self, dialog.show)
        else:
            self._maker.controller.set_lane(self._index, **chosen_entry(lane, name))

    def _button(self, name: str, title: str, tip: str, act: Callable[[], object]) -> FlatButton:
        called = f"{title}, classifier {self._index + 1}"
        return flat_button(f"lane{self._index}.{name}", called, tip or title, act, (SIZE, SIZE))

    def _entry(self, name: str, title: str, tip: str, run: Callable[[LaneController, int], None]) -> QAction:
        entry = named(self._entries.addAction(title), f"lane{self._index}.{name}")
        entry.setToolTip(tip)
        entry.triggered.connect(lambda: run(self._maker.controller.lanes, self._index))
        return entry

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._maker.controller.lanes.select(self._index)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._selected:
            with painter_on(self) as painter:
                painter.fillRect(0, 4, MARK, self.height() - 8, self.palette().highlight())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not leave_field(event, self, self._index):
            super().keyPressEvent(event)

    def place(self, groups: Sequence[QWidget]) -> None:
        """Insert these controls in their order."""
        self.flow.removeWidget(self._end)
        for widget in (*groups, self._end):
            self.flow.addWidget(widget)
        self._end.raise_()  # so that a screen reader reads it last, too

    def break_lines(self, groups: Sequence[Any], width: int | None) -> int:
        """Return the number of lines of `width` pixels that the row has with these groups.

        Of two lines the second has all sliders, if they fit; None: lines break only if the window is too narrow.
        """
        if width is None:
            self.flow.break_before(None)
            return 1
        around = self.flow.contentsMargins()
        room = width - around.left() - around.right()
        first = self._title if self.classifier.isHidden() else self.classifier
        ends = [sum(button.side.width() for button in self.ends_shown)] if self.ends_shown else []
        lengths = [group.length() for group in groups]
        lines = n_lines((first.sizeHint().width(), *lengths, *ends), room, GAP)
        at = next((index for index, group in enumerate(groups) if group.has_slider), len(groups))
        fits = lines == 2 and at < len(groups) and n_lines((*lengths[at:], *ends), room, GAP) == 1
        self.flow.break_before(groups[at] if fits else None)
        return lines

    @property
    def ends_shown(self) -> list[FlatButton]:
        """Return the buttons after the controls that are not hidden."""
        return [button for button in self.ends if not button.isHidden() and button is not self._sliders]

    def present(self, text: int) -> None:
        """In presenter mode, at this size of `text` (pixels), keep only the play button; 0 restores all buttons."""
        if text != self._text:
            self._text = text
            self.flow.setContentsMargins(4, 1 if text else 2, 4, 1 if text else 2)
            if self._scene is not None:
                self._show_ends(*self._scene)

    def offer_sliders(self, offered: bool) -> None:
        """Show or hide the button that brings the sliders to this lane."""
        self._sliders.setVisible(offered)
        self._end.setVisible(not self._text or offered or bool(self.ends_shown))

    def _show_ends(self, lane: LaneScene, theme: Theme) -> None:
        """Show the buttons after the controls that apply to the present state."""
        for button, name in zip(self.ends, ("lane.open", "transport.play", "lane.open", "lane.menu"), strict=True):
            button.show_icon(name, theme)
        hidden, presenting = lane.hidden, self._text > 0
        self._play.setVisible(lane.lane.trainer is not None and not lane.watched and "playback" not in hidden)
        self._more.setVisible("settings" not in hidden and not presenting)
        self._menu.setVisible("classifiers" not in hidden and not presenting)
        self._end.setVisible(not presenting or not self._sliders.isHidden() or bool(self.ends_shown))

    def render_scene(self, lane: LaneScene, number: int, theme: Theme) -> None:
        """Show the lane, one of `number` on screen."""
        show_choice(self.classifier, entry_of(lane.lane))
        if lane.simple != self._simple:
            self._simple = lane.simple
            able = {name: each for name, each in LEARNERS.items() if each.is_available}
            first = [name for name, each in able.items() if each.simple or not (lane.simple or each.own_process)]
            first += () if lane.simple else LISTED_TRAINERS
            self.classifier.offer(first, "More classifiers…" if len(first) < len(able) else "")
        self.classifier.show_prefix(f"{self._index + 1}  " if number > 1 else "")
        self._scene = lane, theme
        self._show_ends(lane, theme)
        self._more.setChecked(lane.settings_open)
        if (selected := lane.selected and number > 1) != self._selected:
            self._selected = selected
            self.update()
        words = () if lane.settings_open else lane.not_default
        if words != self._end.words:
            self._end.words = words
            self._end.show_words()
            show_tip(self._more, f"Settings: {SETTINGS} {', '.join(words)}".strip())
        hidden = lane.hidden
        self._play.setEnabled(not lane.no_steps)
        show_tip(self._play, lane.no_steps or WATCH)
        self.classifier.setVisible("classifier" not in hidden)
        self._title.setVisible("classifier" in hidden)
        called = lane.lane.family.short
        self._title.setText(f"{self._index + 1}  {called}" if number > 1 else called)
        for name, useful in (
            ("left", self._index > 0),
            ("right", self._index < number - 1),
            ("remove", number > 1),
            ("duplicate", number < MAX_LANES),
            ("add", number < MAX_LANES),
        ):
            self._actions[name].setEnabled(useful)
