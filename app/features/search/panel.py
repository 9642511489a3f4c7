"""SearchPanel: how kNN finds its neighbours: the displayed step, and a sentence about it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.features.probe.controller import ProbeController
from app.features.probe.scene import ProbeSession
from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets import timeline_keys
from app.views.widgets.boxes import in_column, in_row
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.clickable import chooser, clickable, slider
from app.views.widgets.inputs import describe, filled, keeps_key, label_for, show_choice, show_number
from app.views.widgets.painting import bold
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm

from . import text as words
from .controller import SearchController
from .scene import SearchScene
from .state import LEAF_SIZES, SearchSession

#: Keys of a timeline that the window would otherwise use for a run of a learner.
OWN_KEYS = (Qt.Key.Key_Comma, Qt.Key.Key_Period)


class SearchPanel(QWidget):
    """Buttons and a slider for the steps, the sentence of the step, counts, and how the program itself searches.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller, self._searching = controller, controller.feature(SearchController)
        self._length = self._splits = 0
        describe(self, "search", "Neighbour search", "How kNN finds its neighbours, step by step.", hover=False)
        self._message = RoomyLabel("search.message", hides=True)
        self._heading, sentence, counts, own = self._labels = tuple(
            RoomyLabel(f"search.{name}", title=title)
            for name, title in (
                ("heading", ""),
                ("sentence", "What this step does"),
                ("counts", "What has been looked at"),
                ("own", "How the program itself searches"),
            )
        )
        legend = RoomyLabel("search.legend", title="What the picture shows")
        legend.say(words.LEGEND)
        self._slider = slider(
            "search.step", "Step", "First the splits of the tree, then the search.", self._searching.seek
        )
        labels = (sentence, counts, legend, own)
        self._search = in_column(self._choices(), self._heading, self._slider, self._buttons(), *labels, spacing=6)
        form = in_column(self._message, self._search, 1, margins=(8, 4, 8, 4), spacing=6)
        filled(QVBoxLayout(self), ScrollingForm(form), margins=0)
        self.first_stop = self._forward

    def _choices(self) -> QWidget:
        self._leaf = chooser(
            "search.leaf_size",
            "Points in a leaf",
            "A box of more points is split again. Small leaves: many boxes, few distances.",
            lambda size: self._searching.choose(leaf_size=size),
            [(f"up to {each}" + " (the program's)" * (each == LEAF_SIZES[-1]), each) for each in LEAF_SIZES],
        )
        return in_row(label_for("Points in a leaf", self._leaf), (self._leaf, 1))

    def _buttons(self) -> QWidget:
        searching = self._searching
        rows = (
            ("start", "Start", "To the start", "The box of all points (Home).", lambda: searching.to_start(0)),
            ("back", "Back", "Step back", "One step earlier (< or comma).", lambda: searching.step(0, -1)),
            ("forward", "Forward", "Step forward", "The next step (> or full stop).", lambda: searching.step(0, 1)),
            ("search", "To search", "To the search", "The whole tree, before the search begins.",
             lambda: searching.choose(step=self._splits)),
            ("end", "End", "To the end", "The end of the search, also while the query moves (End).",
             lambda: searching.to_end(0)),
        )  # fmt: skip
        made = [clickable(QPushButton(row[1]), f"search.{row[0]}", *row[2:]) for row in rows]
        self._pin = clickable(
            QPushButton("Pin"),
            "search.pin",
            "Pin the query",
            "Keep this query; again to follow the pointer (Q).",
            self._toggle_pin,
        )
        self._pin.setCheckable(True)
        self._forward = made[2]
        return ButtonRows([*made, self._pin])

    def minimumSizeHint(self) -> QSize:
        return super().minimumSizeHint().expandedTo(QSize(240, 0))

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's search."""
        shown = scene.feature(SearchScene) or SearchScene(message=words.WAITING)
        search = shown.search
        self._message.say(shown.message, keep=False)
        self._search.setVisible(search is not None)
        show_choice(self._leaf, scene.session.of(SearchSession).leaf_size)
        self._length, self._splits = (0, 0) if search is None else (search.length, search.n_splits)
        self._slider.setMaximum(self._length)
        self._slider.setPageStep(timeline_keys.page_of(self._length))
        show_number(self._slider, shown.step)
        self._heading.setFont(bold(self.font()))
        for label, text in zip(self._labels, shown.texts, strict=True):
            label.say(text, keep=label in self._labels[1:3])
        self._show_pin()

    def _show_pin(self) -> None:
        pinned = self._controller.session.of(ProbeSession).probe is not None
        self._pin.setChecked(pinned)
        self._pin.setText("Unpin" if pinned else "Pin")

    # -- the user ----------------------------------------------------------------------------------------------------

    def _toggle_pin(self) -> None:
        self._controller.feature(ProbeController).toggle()
        self._show_pin()  # if there was nothing to pin, no new scene comes

    def event(self, event: QEvent) -> bool:
        return keeps_key(event, lambda key: key.key() in OWN_KEYS) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not timeline_keys.take_key(event, self._searching, 0, self._length):
            super().keyPressEvent(event)
