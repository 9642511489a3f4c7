"""LanePanel: the form of one lane, above its picture: classifier, parameters, formula."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QPushButton, QSlider, QWidget

from app.controllers.controller import Controller
from app.learners.table import LEARNERS
from app.scene import text
from app.scene.model import LaneScene
from app.state.session import SPEEDS
from app.views.theme import LIGHT, Theme
from app.views.widgets.form_fields import label_for, named, show_choice, show_number, show_text

from .form_parts import EditorMaker, beside, show_tip
from .learner_fields import COLUMNS, LearnerFields

#: Rows of the grid: the fields of the learner have those between; those without a visible widget take no room.
FIELDS, SPEED, PROBLEMS, REST = 3, 60, 61, 62


class LanePanel(EditorMaker):
    """The form of lane `index`; it shows what the scene says and hands changes to the controller."""

    def __init__(self, index: int, controller: Controller) -> None:
        super().__init__(index, controller)
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(2, 4, 6, 2)
        self.grid.setHorizontalSpacing(5)
        self.grid.setVerticalSpacing(3)
        self.grid.setColumnStretch(1, 3)
        self.grid.setColumnStretch(3, 2)
        self.grid.setRowStretch(REST, 1)
        self._build_head()
        self._fields = LearnerFields(self, self.grid, FIELDS)
        self._parts = {"speed": self._build_speed(), "pair": self._build_problems()}

    def _build_head(self) -> None:
        self._classifier = self.combo(
            "classifier",
            "Classifier",
            "kNN lets the nearest points vote; the SVM looks for the widest margin; the others look for a line.",
            tuple((learner.title, name, learner.note) for name, learner in LEARNERS.items()),
        )
        self._classifier.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._classifier.setMinimumContentsLength(0)  # its longest entry is its least width
        self._classifier.activated.connect(
            lambda: self.controller.set_lane(self.index, classifier=self._classifier.currentData())
        )
        self.grid.addWidget(self._classifier, 0, 0, 1, 2)
        self._formula = named(QLabel(wordWrap=True), f"lane{self.index}.formula")
        self._formula.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._note = named(QLabel(wordWrap=True), f"lane{self.index}.note")
        for row, label in enumerate((self._formula, self._note), 1):
            self.grid.addWidget(label, row, 0, 1, COLUMNS)

    def _build_speed(self) -> list[QWidget]:
        self._speed = QSlider(Qt.Orientation.Horizontal)
        self._speed.setRange(0, len(SPEEDS) - 1)
        self.named(self._speed, "speed", "Speed of training", "Steps a second.")
        self._speed.actionTriggered.connect(
            lambda action: self.controller.playback.set_speed(self.index, self._speed.sliderPosition())
        )
        self._speed_text = QLabel()
        self._restart = QPushButton("Restart")
        self.named(self._restart, "restart", "Restart training", "Train again from zero.")
        self._restart.clicked.connect(lambda: self.controller.playback.restart(self.index))
        box = beside(self._speed, self._speed_text, self._restart)
        label = label_for("Speed", box)
        self.grid.addWidget(label, SPEED, 0)
        self.grid.addWidget(box, SPEED, 1, 1, COLUMNS - 1)
        return [label, box]

    def _build_problems(self) -> list[QWidget]:
        self._pair = self.combo(
            "pair",
            "Problem that is drawn",
            "More than two classes are several problems, each with an f of its own; lines and panels show this one's.",
        )
        self._pair.setMinimumContentsLength(8)
        self._pair.activated.connect(lambda: self.controller.set_lane(self.index, pair=self._pair.currentData()))
        self._margins = QLabel()
        # One line of its own, so that "class 2 against the rest" is not cut off.
        several = beside(*self._fields.of_problems, self._margins, self._pair, wide=self._pair)
        self.grid.addWidget(several, PROBLEMS, 0, 1, COLUMNS)
        return [several]

    def render_scene(self, lane: LaneScene, drawing: bool = False, theme: Theme = LIGHT) -> None:
        """Show the lane's settings; while someone is `drawing`, no row comes or goes: the picture would jump."""
        show_choice(self._classifier, lane.lane.classifier)
        for name, widgets in self._parts.items() if not drawing else ():
            for widget in widgets:
                widget.setVisible(name in lane.fields)
        show_text(self._formula, lane.formula)
        show_text(self._note, lane.note)
        self._note.setVisible(bool(lane.note))
        self._fields.render(lane, drawing, theme, self._classifier)
        show_number(self._speed, lane.speed)
        show_tip(self._speed, text.speed_note(lane.lane))
        self._speed_text.setText(lane.speed_text)
        self._show_pairs(lane)

    def _show_pairs(self, lane: LaneScene) -> None:
        trainer = lane.lane.trainer
        self._margins.setText("Margins" if trainer is None or trainer.has_margins else "Line of")
        shown = [(self._pair.itemText(row), self._pair.itemData(row)) for row in range(self._pair.count())]
        wanted = list(zip(lane.pair_names, lane.pairs, strict=True))
        if shown != wanted:
            self._pair.clear()
            for name, pair in wanted:
                self._pair.addItem(name, pair)
        if lane.pairs:
            self._pair.setCurrentIndex(lane.pair)
