"""LaneDetails: the form with the less used settings, formula and note, over the top of a picture."""

from __future__ import annotations

from functools import partial

from msgspec import UNSET
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLabel, QPushButton, QWidget

from app.controllers.controller import Controller
from app.scene import text
from app.scene.feature import FeatureTable
from app.scene.model import LaneScene
from app.state.session import SPEEDS
from app.views.theme import LIGHT, Theme
from app.views.widgets.boxes import grid_on
from app.views.widgets.clickable import check_box, clickable, slider
from app.views.widgets.inputs import label_for, leave_field, named, show_check, show_entries, show_number, show_tip

from .form_parts import EditorMaker, beside
from .lane_row import LaneRow
from .learner_fields import COLUMNS, LearnerFields

#: Rows of the grid; the fields of the learner have the rows from FIELDS to SCALING. Empty rows take no height.
FORMULA, NOTE, FIELDS, SCALING, SPEED, PROBLEMS, SHADING, NUMBERS, REST = 0, 1, 2, 59, 60, 61, 62, 63, 64


class LaneDetails(EditorMaker):
    """The form of lane `index`: shows its scene, and passes changes to the controller.

    Attributes
    ----------
    row : LaneRow
        The line above the picture, with the most used fields.
    fields : LearnerFields
    """

    def __init__(self, index: int, controller: Controller, features: FeatureTable) -> None:
        super().__init__(index, controller, features)
        self.setAutoFillBackground(True)
        self.grid = grid_on(self, (8, 6, 8, 6), across=5, down=3)
        self.grid.setColumnStretch(1, 3)
        self.grid.setColumnStretch(3, 2)
        self.grid.setRowStretch(REST, 1)
        self.row = LaneRow(self)
        self._formula, self._note, self._details = (self._line(name) for name in ("formula", "note", "details"))
        for row, label in ((FORMULA, self._formula), (NOTE, self._note), (NUMBERS, self._details)):
            self.grid.addWidget(label, row, 0, 1, COLUMNS)
        self.fields = LearnerFields(self, self.row, self.grid, FIELDS)
        self._standardise = check_box(
            "Standardise x and y",
            f"lane{self.index}.standardise",
            f"Standardise, classifier {self.index + 1}",
            "Subtract the mean of each axis and divide by its standard deviation, both of the training points: then the"
            " units of x and y no longer matter.",
            self._set_standardise,
        )
        self.grid.addWidget(self._standardise, SCALING, 0, 1, COLUMNS)
        self._parts: dict[str, list[QWidget]] = {
            "standardise": [self._standardise],
            "speed": self._build_speed(),
            "pair": self._build_problems(),
            "shading": self._build_shading(),
        }
        self.fields.behind += [self._standardise, self._speed, self._restart, *self.fields.of_problems, self._pair]
        self.fields.behind.append(self._shading)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not leave_field(event, self, self.index):
            super().keyPressEvent(event)

    def _line(self, name: str) -> QLabel:
        selectable = Qt.TextInteractionFlag.TextSelectableByMouse
        return named(QLabel(wordWrap=True, textInteractionFlags=selectable), f"lane{self.index}.{name}")

    def _set_standardise(self, on: bool) -> None:
        text = "Standardise x and y" if on else "Do not standardise x and y"
        self.controller.set_lane(self.index, text=text, standardise=on)

    def _build_speed(self) -> list[QWidget]:
        self._speed = slider(
            f"lane{self.index}.speed",
            f"Speed of training, classifier {self.index + 1}",
            "Steps a second.",
            partial(self.controller.playback.set_speed, self.index),
            len(SPEEDS) - 1,
        )
        self._speed_text = QLabel()
        self._restart = clickable(
            QPushButton("Restart"),
            f"lane{self.index}.restart",
            f"Restart training, classifier {self.index + 1}",
            "Train again from zero.",
            partial(self.controller.playback.restart, self.index),
        )
        box = beside(self._speed, self._speed_text, self._restart)
        label = label_for("Speed", box)
        self.grid.addWidget(label, SPEED, 0)
        self.grid.addWidget(box, SPEED, 1, 1, COLUMNS - 1)
        return [label, box]

    def _build_problems(self) -> list[QWidget]:
        self._pair = self.combo(
            "pair",
            "Problem that is drawn",
            "More than two classes make several problems, each with its own f; lines and panels show this one's.",
        )
        self._pair.setMinimumContentsLength(8)
        self._pair.activated.connect(lambda: self.controller.set_lane(self.index, pair=self._pair.currentData()))
        self._margins = QLabel()
        # A line of its own, so that "class 2 against the rest" is not cut off.
        several = beside(*self.fields.of_problems, self._margins, self._pair, wide=self._pair)
        self.grid.addWidget(several, PROBLEMS, 0, 1, COLUMNS)
        return [several]

    def _build_shading(self) -> list[QWidget]:
        self._shading = self.combo("shading", "What the colours show", "The stronger a colour, the larger this is.")
        self._shading.setMinimumContentsLength(8)
        self._shading.activated.connect(self._set_shading)
        label = label_for("Shade", self._shading)
        self.grid.addWidget(label, SHADING, 0)
        self.grid.addWidget(self._shading, SHADING, 1)
        return [label, self._shading]

    def _set_shading(self, row: int) -> None:
        _, value, _, name = text.shadings(self.controller.document.lanes[self.index])[row]
        self.controller.set_lane(self.index, text=name, shading=value or UNSET)

    def render_scene(self, lane: LaneScene, number: int, drawing: bool = False, theme: Theme = LIGHT) -> None:
        """Show the settings of the lane, one of `number`; while a gesture is `drawing`, no row appears or vanishes."""
        self.row.render_scene(lane, number, theme)
        for name, widgets in self._parts.items() if not drawing else ():
            for widget in widgets:
                widget.setVisible(name in lane.fields)
        for label, words in ((self._formula, lane.formula), (self._note, lane.note), (self._details, lane.details)):
            label.setText(words)
            label.setVisible(bool(words) and not lane.hidden)  # a lesson shows only the controls that it names
        self.fields.render(lane, drawing, theme)
        show_check(self._standardise, lane.lane.standardises)
        show_number(self._speed, lane.speed)
        show_tip(self._speed, lane.no_steps or text.speed_note(lane.lane))
        self._speed.setEnabled(not lane.no_steps)
        self._speed_text.setText("not step by step" if lane.no_steps else lane.speed_text)
        self._show_shadings(lane)
        self._show_pairs(lane)

    def _show_shadings(self, lane: LaneScene) -> None:
        offered = text.shadings(lane.lane)
        show_entries(self._shading, ((title, value) for title, value, _, _ in offered))
        for row, (_, _, note, _) in enumerate(offered):
            self._shading.setItemData(row, note, Qt.ItemDataRole.ToolTipRole)
        self._shading.setCurrentIndex(int(lane.lane.shading == "probability"))

    def _show_pairs(self, lane: LaneScene) -> None:
        trainer = lane.lane.trainer
        self._margins.setText("Margins" if trainer is None or trainer.has_margins else "Line of")
        show_entries(self._pair, zip(lane.pair_names, lane.pairs, strict=True))
        if lane.pairs:
            self._pair.setCurrentIndex(lane.pair)
