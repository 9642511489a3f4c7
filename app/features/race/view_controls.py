"""RaceControls: what the hand chooses for the race: rules, what they get alike, pace, and whose settings."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLabel, QPushButton, QSlider, QVBoxLayout, QWidget

from app.views.widgets.flow_layout import FlowLayout
from app.views.widgets.form_fields import describe, show_check, show_choice, show_number
from solver import RULES

from .controller import RaceController, RaceScene
from .requests import MODES


def combo(name: str, title: str, entries: list[tuple[str, str]], tip: str) -> QComboBox:
    """A box of `entries`, texts with their data."""
    made = QComboBox()
    for text, data in entries:
        made.addItem(text, data)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    describe(made, f"race.{name}", title, tip)
    return made


def labelled(text: str, *widgets: QWidget) -> QWidget:
    """`widgets` behind their label, which is the first one's."""
    box = QWidget()
    layout = QHBoxLayout(box)
    layout.setContentsMargins(0, 0, 0, 0)
    layout.setSpacing(5)
    label = QLabel(text)
    label.setBuddy(widgets[0])
    for widget in (label, *widgets):
        layout.addWidget(widget)
    return box


class RaceControls(QWidget):
    """Two lines of controls, or more where they are narrow."""

    def __init__(self, desk: RaceController) -> None:
        super().__init__()
        self._desk = desk
        self._scene: RaceScene | None = None
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        layout.addWidget(self._rule_row())
        layout.addWidget(self._control_row())
        for widget in (*self._rules.values(), self._play, self._restart, self._mode, self._lane, self._problem):
            widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click Space still plays and pauses

    def _rule_row(self) -> QWidget:
        row = QWidget()
        flow = FlowLayout(row, 14)
        flow.addWidget(QLabel("Rules"))
        self._rules: dict[str, QCheckBox] = {}
        for name, rule in RULES.items():
            box = self._rules[name] = QCheckBox(rule.title)
            describe(box, f"race.rule.{name}", f"{rule.title} races", f"{rule.note} Two to four rules race.")
            box.clicked.connect(lambda on, name=name: self._choose_rule(name, on))
            flow.addWidget(box)
        return row

    def _control_row(self) -> QWidget:
        row = QWidget()
        flow = FlowLayout(row)
        self._play, self._restart = QPushButton("&Play"), QPushButton("&Restart")
        describe(self._play, "race.play", "Play", "Let the race go on, or pause it. Space does the same.")
        describe(self._restart, "race.restart", "Restart", "From zero multipliers, on the present points and settings.")
        self._play.clicked.connect(lambda: self._desk.toggle())
        self._restart.clicked.connect(lambda: self._desk.restart())
        self._mode = combo(
            "mode",
            "What all rules get alike",
            [(title, name) for name, (title, _) in MODES.items()],
            " ".join(note for _, note in MODES.values()),
        )
        self._mode.activated.connect(lambda: self._desk.choose_mode(self._mode.currentData()))
        self._pace, self._pace_text = QSlider(Qt.Orientation.Horizontal), QLabel()
        self._pace.setMinimumWidth(130)
        self._pace.setPageStep(1)
        tip = "How much each rule gets before the next picture; there are 25 pictures a second, or as many as can be."
        describe(self._pace, "race.pace", "Pace", tip)
        self._pace.actionTriggered.connect(lambda action: self._desk.choose_pace(self._pace.sliderPosition()))
        self._pace_text.setObjectName("race.pace_text")
        self._lane = combo("lane", "Settings of", [], "Kernel, C and all but the rule come from this lane.")
        self._lane.activated.connect(lambda: self._desk.choose_lane(self._lane.currentData()))
        self._problem = combo("problem", "Problem", [], "Of several classes: the binary problem that is raced on.")
        self._problem.activated.connect(lambda: self._desk.choose_problem(self._problem.currentData()))
        flow.addWidget(self._play)
        flow.addWidget(self._restart)
        flow.addWidget(labelled("&Mode", self._mode))
        flow.addWidget(labelled("Pac&e", self._pace, self._pace_text))
        flow.addWidget(labelled("&Settings of", self._lane))
        self._problem_box = labelled("Pro&blem", self._problem)
        flow.addWidget(self._problem_box)
        return row

    def _choose_rule(self, name: str, on: bool) -> None:
        self._desk.choose_rule(name, on)
        if self._scene is not None:  # refused: the box has changed all the same
            show_check(self._rules[name], name in self._scene.rules)

    def show_scene(self, scene: RaceScene) -> None:
        """Show what is chosen."""
        self._scene = scene
        for name, box in self._rules.items():
            show_check(box, name in scene.rules)
        show_choice(self._mode, scene.mode)
        self._play.setText("&Pause" if scene.playing else "&Play")
        self._play.setAccessibleName("Pause" if scene.playing else "Play")
        self._play.setEnabled(scene.can_play or scene.playing)
        self._restart.setEnabled(scene.lane is not None)
        if self._pace.maximum() != scene.last_pace:
            show_number(self._pace, min(self._pace.value(), scene.last_pace))
            self._pace.blockSignals(True)
            self._pace.setRange(0, scene.last_pace)
            self._pace.blockSignals(False)
        show_number(self._pace, scene.pace)
        self._pace_text.setText(scene.pace_text)
        self._fill(self._lane, [(text, index) for index, text in scene.lanes])
        show_choice(self._lane, scene.lane)
        self._lane.setEnabled(len(scene.lanes) > 0)
        self._fill(self._problem, [(text, problem) for problem, text in scene.problems])
        place = [problem for problem, _ in scene.problems].index(scene.problem) if scene.problem else -1
        if self._problem.currentIndex() != place:
            self._problem.setCurrentIndex(place)
        several = len(scene.problems) > 1
        if self._problem_box.isHidden() == several:
            self._problem_box.setVisible(several)

    @staticmethod
    def _fill(combo: QComboBox, entries: list[tuple[str, object]]) -> None:
        if [(combo.itemText(place), combo.itemData(place)) for place in range(combo.count())] != entries:
            combo.clear()
            for text, data in entries:
                combo.addItem(text, data)
