"""PlaybackBar: buttons and timeline below a picture, for the run of its learner."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy

from app.controllers.controller import Controller
from app.controllers.playback import PlaybackController
from app.core.number_format import grouped
from app.engine.run_state import RunState
from app.scene.model import LaneScene
from app.state.session import REPLAY_FACTORS
from app.views.theme import Theme
from app.views.widgets.clickable import chooser
from app.views.widgets.fitted import FittedWidget
from app.views.widgets.inputs import describe, filled, show_choice
from app.views.widgets.stable_label import StableLabel
from app.window.flat_button import FlatButton, flat_button

from .timeline import Timeline

#: Width and height of a button; least widths of the timeline beside each form of the step counter, the longest form
#: first (pixels).
SIZE, KEPT = (26, 28), (140, 80)
HEIGHT = 34
#: Gap beside the step counter (pixels).
BESIDE = 6


class ButtonSpec(Struct, frozen=True):
    """A button: its name, title, tip with the keys, and action on the lane's run."""

    name: str
    title: str
    tip: str
    run: Callable[[PlaybackController, int], None]
    back: bool = False  #: it leads back: disabled at the start
    repeats: bool = False  #: repeated while it is held


PLAY = "play"
BUTTONS = (
    ButtonSpec(
        "start",
        "To the start",
        "Before the first step (Alt+Home).",
        lambda playback, lane: playback.to_start(lane),
        back=True,
    ),
    ButtonSpec(
        "previous_change",
        "Previous change",
        "Back to the previous step at which the support vectors, or the points kept, changed (Alt+,).",
        lambda playback, lane: playback.to_change(lane, forward=False),
        back=True,
    ),
    ButtonSpec(
        "back",
        "One step back",
        "The state one step earlier, exactly (,).",
        lambda playback, lane: playback.step(lane, -1),
        back=True,
        repeats=True,
    ),
    ButtonSpec(PLAY, "Play", "", lambda playback, lane: playback.toggle(lane)),
    ButtonSpec(
        "forward",
        "One step forward",
        "One step of the learner (.).",
        lambda playback, lane: playback.step(lane, 1),
        repeats=True,
    ),
    ButtonSpec(
        "next_change",
        "Next change",
        "On to the next step at which the support vectors, or the points kept, change (Alt+.).",
        lambda playback, lane: playback.to_change(lane, forward=True),
    ),
    ButtonSpec(
        "end", "To the end", "Run to the end, and stop there (Alt+End).", lambda playback, lane: playback.to_end(lane)
    ),
)


#: After the step counter: hides the bar.
CLOSE = ButtonSpec(
    "close",
    "Back to full speed",
    "Run to the end at full speed, without this bar.",
    lambda playback, lane: playback.leave(lane),
)
ALL = len(BUTTONS) + 1
#: Speeds of a replay, with their texts.
FACTORS = {0.25: "¼×", 0.5: "½×", 1.0: "1×", 2.0: "2×", 4.0: "4×"}
SPEED_TIP = (
    "Speed of the replay: at 1× a whole run takes ten seconds. A run of more than 300 steps makes several at a"
    " time; a very short one makes a step a second."
)
#: Buttons that are hidden first if the bar is too narrow; the menu has them, too.
FIRST_TO_GO = ("previous_change", "next_change")


class PlaybackBar(FittedWidget):
    """The bar of lane `index`."""

    def __init__(self, index: int, controller: Controller) -> None:
        super().__init__()
        self._index, self._playback = index, controller.playback
        self._run_state: RunState | None = None
        self._playing: bool | None = None
        self._no_steps = ""
        self._forms = [("", "")]
        self.setObjectName(f"lane{index}.transport")
        self._buttons = {spec.name: self._button(spec) for spec in BUTTONS}
        self.timeline = Timeline(index, controller.playback)
        self._speed = chooser(
            f"lane{index}.transport.speed",
            f"Speed of the replay, classifier {index + 1}",
            SPEED_TIP,
            self._playback.set_replay,
            [(FACTORS[factor], factor) for factor in REPLAY_FACTORS],
        )
        self._counter = StableLabel()
        self._step = describe(self._counter.label, f"lane{index}.transport.step", f"Step, classifier {index + 1}", "")
        self._step.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._step.setContentsMargins(BESIDE, 0, BESIDE, 0)
        self._counter.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
        self._close = self._button(CLOSE)
        self._line = filled(QHBoxLayout(self), *self._buttons.values(), margins=(4, 1, 4, 1), spacing=0)
        filled(self._line, (self.timeline, 1), self._counter, self._speed, self._close)
        # Otherwise its lane would become wider than the others.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._show_state()

    def _button(self, spec: ButtonSpec) -> FlatButton:
        button = flat_button(*self._words(spec), lambda: spec.run(self._playback, self._index), SIZE)
        button.setAutoRepeat(spec.repeats)
        return button

    def _words(self, spec: ButtonSpec, reason: str = "") -> tuple[str, str, str]:
        """Return a button's names, and its tip, or the `reason` why it is disabled."""
        tip = f"{spec.title}: {spec.tip[:1].lower()}{spec.tip[1:]}"
        name = f"lane{self._index}.transport.{spec.name}"
        return name, f"{spec.title}, classifier {self._index + 1}", reason or tip

    def sizeHint(self) -> QSize:
        return QSize(480, max(HEIGHT, self._close.side.height() + 6, self._step.fontMetrics().height() + 4))

    def minimumSizeHint(self) -> QSize:
        """Return the size for the buttons, the least timeline and the shortest counter; narrower, some are hidden."""
        timeline, counter = self.timeline.minimumSizeHint().width(), self._room(self._forms[-1][1])
        least = ALL * self._close.side.width() + timeline + counter
        margins = self._line.contentsMargins()
        return QSize(least + margins.left() + margins.right(), self.sizeHint().height())

    def render_scene(self, lane: LaneScene, theme: Theme) -> None:
        """Show the step of the lane's run, and whether it plays."""
        self._close.show_icon("close", theme)
        for name, button in self._buttons.items():
            button.show_icon(f"transport.{'pause' if name == PLAY and lane.playing else name}", theme)
        show_choice(self._speed, lane.replay_factor)
        if (lane.run_state, lane.playing, lane.no_steps) != (self._run_state, self._playing, self._no_steps):
            moved = lane.run_state is not self._run_state or lane.no_steps != self._no_steps
            self._run_state, self._playing, self._no_steps = lane.run_state, lane.playing, lane.no_steps
            self._show_play(lane.playing, lane.run_state is not None and lane.run_state.at_end)
            if moved:
                self._show_state()
        self.timeline.render_run_state(lane.run_state, theme, lane.no_steps)

    def _show_play(self, playing: bool, at_end: bool) -> None:
        button = self._buttons[PLAY]
        title = "Pause" if playing else "Play"
        tip = "Pause (Space)." if playing else "Play again from the start (Space)." if at_end else "Play (Space)."
        if button.toolTip() != tip:
            describe(button, button.objectName(), f"{title}, classifier {self._index + 1}", tip)

    def _show_state(self) -> None:
        run_state = self._run_state
        self._speed.setEnabled(not self._no_steps)
        for spec in BUTTONS:
            useful = run_state is not None and (
                spec.name == PLAY or (run_state.step > 0 if spec.back else not run_state.at_end)
            )
            if self._no_steps:
                useful = spec.name == PLAY
            button = self._buttons[spec.name]
            button.setEnabled(useful)
            if spec.name != PLAY:
                describe(button, *self._words(spec, self._no_steps))
        if self._no_steps:
            self._forms = [("not step by step", "not step by step"), ("no steps", "no steps")]
            long = self._no_steps
        elif run_state is None:
            self._forms = [("no run yet", "no run yet"), ("–", "–")]
            long = "No run yet."
        else:
            step, length = grouped(run_state.step), grouped(run_state.length) if run_state.ended else "…"
            # As wide as for the present length of the run, and for at least four digits.
            widest = grouped(10 ** max(len(str(run_state.length)), 4) - 1)
            self._forms = [
                (f"step {step} of {length}", f"step {widest} of {widest}"),
                (f"{step} of {length}", f"{widest} of {widest}"),
                (step, widest),
            ]
            so_far = f"{grouped(run_state.length)} made so far."
            long = f"Step {step} of " + (f"{length}, where the run has ended." if run_state.ended else so_far)
        self._step.setToolTip(long)
        self._step.setAccessibleDescription(long)
        self.fit()

    def _room(self, text: str) -> int:
        return self._step.fontMetrics().horizontalAdvance(text) + 2 * BESIDE

    def fit(self) -> None:
        """Show the longest form of the counter that leaves room for the timeline; if none does, hide buttons."""
        margins = self._line.contentsMargins()
        spare = self.width() - self.minimumSizeHint().width()
        for name in FIRST_TO_GO:
            self._buttons[name].setVisible(spare >= 0)
        self._counter.setVisible(spare + len(FIRST_TO_GO) * self._close.side.width() >= 0)
        rest = self.width() - ALL * self._close.side.width() - margins.left() - margins.right()
        choice = self._speed.sizeHint().width()
        wide, less = (round(kept * self._close.side.width() / SIZE[0]) for kept in KEPT)
        chosen = self._room(self._forms[-2][1]) + less + choice <= rest
        self._speed.setVisible(chosen)
        rest -= choice if chosen else 0
        longer = zip(self._forms, (wide, less), strict=False)
        fitting = (form for form, kept in longer if self._room(form[1]) + kept <= rest)
        text, widest = next(fitting, self._forms[-1])
        self._step.setText(text)
        if self._counter.minimumWidth() != self._room(widest):
            self._counter.setFixedWidth(self._room(widest))
