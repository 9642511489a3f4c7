"""RacePanel: the race of the working-set rules."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QVBoxLayout,
    QWidget,
)

from app.controllers.controller import Controller
from app.engine.scheduler import Scheduler
from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets.flow_layout import FlowLayout
from app.views.widgets.form_fields import (
    combo_box,
    describe,
    filled,
    label_for,
    show_check,
    show_choice,
    show_entries,
    show_number,
)
from app.views.widgets.roomy_label import NEW_FONT, RoomyLabel
from solver import RULES

from .controller import RaceController, RaceScene
from .race_frame import MODES
from .view_board import RaceBoard, RaceTable
from .view_curves import RIGHTWARDS, UPWARDS, RaceCurves


def combo(name: str, title: str, entries: list[tuple[str, str]], tip: str) -> QComboBox:
    """A box of `entries`, texts with their data."""
    made = combo_box(entries)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return describe(made, f"race.{name}", title, tip)


def labelled(text: str, *widgets: QWidget) -> QWidget:
    """`widgets` behind their label, which is the first one's."""
    box = QWidget()
    filled(QHBoxLayout(box), label_for(text, widgets[0]), *widgets, margins=0, spacing=5)
    return box


class RaceControls(QWidget):
    """Two lines of controls, or more where they are narrow."""

    def __init__(self, desk: RaceController) -> None:
        super().__init__()
        self._desk = desk
        self._scene: RaceScene | None = None
        filled(QVBoxLayout(self), self._rule_row(), self._control_row(), margins=0, spacing=4)
        for widget in (*self._rules.values(), self._play, self._restart, self._mode, self._lane, self._problem):
            widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click Space still plays and pauses

    def _rule_row(self) -> QWidget:
        row = QWidget()
        flow = FlowLayout(row, 14)
        flow.addWidget(QLabel("Rules"))
        self._rules: dict[str, QCheckBox] = {}
        for name, rule in RULES.items():
            box = self._rules[name] = describe(
                QCheckBox(rule.title),
                f"race.rule.{name}",
                f"{rule.title} races",
                f"{rule.note} Two to four rules race.",
            )
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
        show_entries(self._lane, [(text, index) for index, text in scene.lanes])
        show_choice(self._lane, scene.lane)
        self._lane.setEnabled(len(scene.lanes) > 0)
        show_entries(self._problem, [(text, problem) for problem, text in scene.problems])
        place = [problem for problem, _ in scene.problems].index(scene.problem) if scene.problem else -1
        if self._problem.currentIndex() != place:
            self._problem.setCurrentIndex(place)
        several = len(scene.problems) > 1
        self._problem_box.setVisible(several)


#: Width in pixels that the curves need beside the table.
LEAST_CURVES = 270
LONGEST_NEWS = (
    "Second order wins: 888 steps; First order needs 8.8 times as many, Maximum gain 8.8 times; Random is still"
    " moving after 88 888 steps.",
    "Gap at most 1 %: 1. Second order (888 steps), 2. Maximum gain (888 steps), 3. First order (8 888 steps), not"
    " yet: Random.",
)
#: Keys that play and pause.
PLAYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class RacePanel(QWidget):
    """Controls, pictures, table and curves of the race; out of sight it pauses.

    Parameters
    ----------
    controller : Controller
    scheduler : Scheduler
    """

    def __init__(self, controller: Controller, scheduler: Scheduler) -> None:
        super().__init__()
        self.setObjectName("race")
        self._theme: Theme | None = None
        self._scene: RaceScene | None = None
        self._drawn: tuple[RaceScene, Theme] | None = None
        self.desk = RaceController(controller, scheduler, self._show)
        self._build()
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)  # with the focus on the first rule, Space would choose that

    # -- parts -----------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._sentence = RoomyLabel(
            "race.sentence", "The settings of the classifier have changed: Restart races with the new ones.", rich=True
        )
        self._sentence.hide()
        self._controls = RaceControls(self.desk)
        self.board = RaceBoard(self._resized)
        self._news = describe(
            RoomyLabel(longest="<br>".join(LONGEST_NEWS), rich=True),
            "race.winner",
            "Who wins",
            "The first with a KKT violation of at most the tolerance; and by when a gap of at most 1 % was seen.",
        )
        self.table, self.curves = RaceTable(), RaceCurves()
        describe(
            self.curves,
            "race.curves",
            "Curves of the race",
            "How far each rule is from the optimum, against what it has spent. Both axes are logarithmic.",
        )
        stack = filled(
            QVBoxLayout(self), self._controls, self._sentence, (self.board, 3), self._news, margins=8, spacing=6
        )
        self._bottom = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._bottom.setSpacing(10)
        self._bottom.addWidget(self.table, 0, Qt.AlignmentFlag.AlignTop)
        plot = filled(QVBoxLayout(), self._axes_row(), (self.curves, 1))
        self._bottom.addLayout(plot, 1)
        stack.addLayout(self._bottom, 2)

    def _axes_row(self) -> QWidget:
        row = QWidget()
        flow = FlowLayout(row, 5)
        entries = [(title, name) for name, title in UPWARDS.items()]
        self._upwards = combo("upwards", "Upwards", entries, "What the curves show.")
        entries = [(title, name) for name, title in RIGHTWARDS.items()]
        self._rightwards = combo("rightwards", "To the right", entries, "What the curves are drawn against.")
        for each in (self._upwards, self._rightwards):
            each.activated.connect(self._choose_axes)
            each.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        flow.addWidget(self._upwards)
        flow.addWidget(labelled("&over", self._rightwards))
        return row

    # -- the user --------------------------------------------------------------------------------------------------

    @Slot()
    def _choose_axes(self) -> None:
        self.curves.choose(self._upwards.currentData(), self._rightwards.currentData())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # These keys come here when nothing that has the focus takes them.
        if event.key() in PLAYS and not event.isAutoRepeat():
            if self._scene is not None and (self._scene.can_play or self._scene.playing):
                self.desk.toggle()
        else:
            super().keyPressEvent(event)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """A frame may have come, the document or the theme may have changed."""
        if theme is not self._theme:
            self._theme = theme
            self.desk.show_in(theme.shades)
        self.desk.look()

    def _show(self) -> None:
        """Draw what the desk says now."""
        if self._theme is None:
            return
        scene, theme = self.desk.scene(), self._theme
        if self._drawn == (scene, theme):
            return
        self._scene = scene
        self._drawn = scene, theme
        self._controls.show_scene(scene)
        self._show_sentence(scene)
        self.board.show_rules(scene.rules, theme)
        self.board.show_frame(scene.frame, scene.playing, scene.grid, theme)
        self._news.say(f"<b>{escape(scene.winner)}</b><br>{escape(scene.near)}" if scene.winner else "")
        self._news.setAccessibleName(f"{scene.winner} {scene.near}".strip() or "Who wins")  # else only that is read out
        self.table.show_frame(scene.frame, theme)
        self.curves.show_frame(scene.frame, theme, moving=scene.playing)

    def _show_sentence(self, scene: RaceScene) -> None:
        text = f"<b>{escape(scene.sentence)}</b>" if scene.alarming else escape(scene.sentence)
        self._sentence.say(text)
        self._sentence.setVisible(bool(text))

    # -- sizes -----------------------------------------------------------------------------------------------------

    def _resized(self) -> None:
        picture = self.board.racers[0].picture
        self.desk.show_on(picture.width(), picture.height(), picture.devicePixelRatioF())
        self._drawn = None
        self._show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._turn_bottom()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in NEW_FONT and hasattr(self, "_bottom"):
            self._turn_bottom()
            self.board.show_font()

    def _turn_bottom(self) -> None:
        """The curves stand beside the table, or below it where there is no room."""
        beside = self.width() >= self.table.wanted_width + LEAST_CURVES
        direction = QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom
        if self._bottom.direction() != direction:
            self._bottom.setDirection(direction)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():  # as when the window is minimised
            self.desk.pause()
