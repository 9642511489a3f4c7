"""RacePanel: the race of the working-set rules."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QHideEvent, QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QComboBox, QLabel, QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.engine.scheduler import Scheduler
from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets.boxes import in_lines, labelled
from app.views.widgets.clickable import check_box, chooser, clickable, slider
from app.views.widgets.fitted import FittedWidget
from app.views.widgets.inputs import (
    describe,
    filled,
    named,
    show_check,
    show_choice,
    show_number,
    show_options,
    show_or_hide,
)
from app.views.widgets.roomy_label import RoomyLabel
from solver import RULES

from . import text as race_words
from .controller import PACES, RaceController
from .race_frame import MODES
from .view_board import RIGHTWARDS, UPWARDS, RaceBoard, RaceCurves, RaceTable


def combo(name: str, title: str, entries: list[tuple[str, str]], tip: str, chosen: Callable[[Any], None]) -> QComboBox:
    """Return a combo box of `entries`, texts with their data; `chosen` receives the data of the user's choice."""
    made = chooser(f"race.{name}", title, tip, chosen, entries)
    made.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
    return made


class RaceControls(QWidget):
    """Two rows of controls, more if the panel is narrow."""

    def __init__(self, racing: RaceController) -> None:
        super().__init__()
        self._racing = racing
        filled(QVBoxLayout(self), self._rule_row(), self._control_row(), margins=0, spacing=4)

    def _rule_row(self) -> QWidget:
        self._rules = {
            name: check_box(
                rule.title,
                f"race.rule.{name}",
                f"{rule.title} races",
                f"{rule.note} Two to four rules race.",
                partial(self._racing.choose_rule, name),
            )
            for name, rule in RULES.items()
        }
        return in_lines(14, QLabel("Rules"), *self._rules.values())

    def _control_row(self) -> QWidget:
        self._play = clickable(
            QPushButton("&Play"),
            "race.play",
            "Play",
            "Let the race go on, or pause it. Space does the same.",
            self._racing.toggle,
        )
        self._restart = clickable(
            QPushButton("&Restart"),
            "race.restart",
            "Restart",
            "From zero multipliers, on the present points and settings.",
            self._racing.restart,
        )
        for button in (self._play, self._restart):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click Space still plays and pauses
        self._mode = combo(
            "mode",
            "What all rules get alike",
            [(title, name) for name, (title, _) in MODES.items()],
            " ".join(note for _, note in MODES.values()),
            self._racing.choose_mode,
        )
        self._pace = slider(
            "race.pace",
            "Pace",
            "How much each rule gets before the next picture; there are 25 pictures a second, or as many as can be.",
            self._racing.choose_pace,
            page=1,
        )
        self._pace.setMinimumWidth(130)
        self._pace_text = named(QLabel(), "race.pace_text")
        tip = "Kernel, C and all but the rule come from the selected classifier."
        self._lane = describe(QLabel(), "race.lane", "Settings of", tip)
        self._problem = combo(
            "problem",
            "Problem",
            [],
            "Of several classes: the binary problem that is raced on.",
            self._racing.choose_problem,
        )
        self._problem_box = labelled("Pro&blem", self._problem, spacing=5)
        return in_lines(
            12,
            self._play,
            self._restart,
            labelled("&Mode", self._mode, spacing=5),
            labelled("Pac&e", self._pace, self._pace_text, spacing=5),
            self._lane,
            self._problem_box,
        )

    def show_choice(self) -> None:
        """Show what is chosen, and the possible choices."""
        racing = self._racing
        choice, course, last = (racing.choice, racing.course, len(PACES[racing.choice.mode]) - 1)
        for name, box in self._rules.items():
            show_check(box, name in choice.rules)
        show_choice(self._mode, choice.mode)
        play = "Pause" if choice.playing else "Play"
        self._play.setText(f"&{play}")
        if play != self._play.accessibleName():
            self._play.setAccessibleName(play)
        self._play.setEnabled(racing.can_play or choice.playing)
        self._restart.setEnabled(course.lane is not None)
        self._pace.setMaximum(last)
        show_number(self._pace, racing.position)
        self._pace_text.setText(race_words.pace(choice.mode, racing.pace))
        show_or_hide(self._lane, "" if course.lane is None else f"Settings of classifier {course.lane + 1}")
        show_options(self._problem, racing.problems, course.problem)
        self._problem_box.setVisible(len(course.problems) > 1)


#: Width (pixels) of the curves beside the table.
LEAST_CURVES = 270
LONGEST_NEWS = (
    "Second order wins: 888 steps; First order needs 8.8 times as many, Maximum gain 8.8 times; Random is still"
    " moving after 88 888 steps.",
    "Gap at most 1 %: 1. Second order (888 steps), 2. Maximum gain (888 steps), 3. First order (8 888 steps), not"
    " yet: Random.",
)
#: Keys that play and pause.
PLAYS = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


class RacePanel(FittedWidget):
    """Controls, pictures, table and curves of the race; it pauses while hidden.

    Parameters
    ----------
    controller : Controller
    scheduler : Scheduler
    """

    def __init__(self, controller: Controller, scheduler: Scheduler) -> None:
        # Clicks focus it: with the focus on the first rule, Space would toggle that rule.
        super().__init__(focusPolicy=Qt.FocusPolicy.ClickFocus)
        self.setObjectName("race")
        self._theme: Theme | None = None
        self.racing = RaceController(controller, scheduler, self._show)
        self._build()

    # -- parts -----------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self._sentence = RoomyLabel(
            "race.sentence",
            "The settings of the classifier have changed: Restart races with the new ones.",
            rich=True,
            hides=True,
        )
        self._controls = RaceControls(self.racing)
        self.board = RaceBoard()
        self.board.racers[0].picture.resized.connect(self._resized)  # all have the same size
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
        plot = filled(QVBoxLayout(), self._axes_row(), (self.curves, 1))
        bottom, top = QBoxLayout(QBoxLayout.Direction.LeftToRight), Qt.AlignmentFlag.AlignTop
        self._bottom = filled(bottom, (self.table, 0, top), (plot, 1), spacing=10)
        parts = (self._controls, self._sentence, (self.board, 3), self._news, (self._bottom, 2))
        filled(QVBoxLayout(self), *parts, margins=8, spacing=6)

    def _axes_row(self) -> QWidget:
        def choose(_: str) -> None:
            self.curves.choose(upwards.currentData(), rightwards.currentData())

        entries = [(title, name) for name, title in UPWARDS.items()]
        upwards = combo("upwards", "Upwards", entries, "What the curves show.", choose)
        entries = [(title, name) for name, title in RIGHTWARDS.items()]
        rightwards = combo("rightwards", "To the right", entries, "What the curves are drawn against.", choose)
        return in_lines(5, upwards, labelled("&over", rightwards, spacing=5))

    # -- the user --------------------------------------------------------------------------------------------------

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # Other widgets with the focus use these keys first.
        if event.key() in PLAYS and not event.isAutoRepeat():
            if self.racing.can_play or self.racing.choice.playing:
                self.racing.toggle()
        else:
            super().keyPressEvent(event)

    # -- drawing ---------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Follow new frames, the document and the theme."""
        self._theme = theme
        self.racing.shades = theme.shades
        self.racing.update()

    def _show(self) -> None:
        """Draw the state of the race."""
        theme, frame, choice = self._theme, self.racing.frame, self.racing.choice
        if theme is None:
            return
        self._controls.show_choice()
        alarm, note = escape(self.racing.alarm), escape(frame.note) if frame is not None else ""
        self._sentence.say(f"<b>{alarm}</b>" if alarm else note)
        self.board.show_rules(choice.rules, theme)
        self.board.show_frame(frame, choice.playing, self.racing.grid, theme)
        winner, near = ("", "") if frame is None else (race_words.winner(frame), race_words.near(frame))
        self._news.say(f"<b>{escape(winner)}</b><br>{escape(near)}" if winner else "")
        name = f"{winner} {near}".strip() or "Who wins"  # otherwise only this is read out
        if name != self._news.accessibleName():
            self._news.setAccessibleName(name)
        self.table.show_frame(frame, theme)
        self.curves.show_frame(frame, theme)

    # -- sizes -----------------------------------------------------------------------------------------------------

    def _resized(self) -> None:
        picture = self.board.racers[0].picture
        self.racing.size = picture.width(), picture.height(), picture.devicePixelRatioF()
        self.racing.update()

    def fit(self) -> None:
        """Put the curves beside the table, or below it if there is no room."""
        if not hasattr(self, "_bottom"):
            return
        beside = self.width() >= self.table.maximumWidth() + LEAST_CURVES
        self._bottom.setDirection(QBoxLayout.Direction.LeftToRight if beside else QBoxLayout.Direction.TopToBottom)
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if not event.spontaneous():  # spontaneous: the window was minimised
            self.racing.pause()
