"""ActiveLearningPanel: request the label of the least certain point, compared with random points."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QComboBox, QLabel, QPushButton, QSizePolicy, QSpinBox, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.points import MAX_CLASSES
from app.engine.scheduler import Scheduler
from app.scene.model import Scene
from app.state.document import Lane
from app.views.chart.chart import is_plain
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import SHAPE_NAMES, Theme
from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.boxes import in_column, in_row
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.clickable import check_box, chooser, clickable, number_box
from app.views.widgets.inputs import WholeField, describe, filled, keeps_key, named, show_choice, show_number, show_text
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm
from solver.core import fast_loops

from . import text as asking_words
from .controller import ActiveLearningController
from .state import MOST_GIVEN, ActiveLearningRun, LearningPlan, begin
from .view_picture import LearningCurve, PoolPicture


class PlanForm(QWidget):
    """Show a plan; pass changed plans to `changed`."""

    def __init__(self, changed: Callable[[LearningPlan], None]) -> None:
        super().__init__()
        self._changed, self._plan = changed, LearningPlan()
        self._source = self._combo(
            "source",
            "Pool",
            "The points of the document, or a new sample of the generator with its settings, which"
            " is then measured on more new points.",
            [(text, source) for source, text in asking_words.SOURCES.items()],
        )
        self._strategy = self._combo(
            "strategy",
            "Ask for",
            "Which unlabelled point is asked for next: the one of which the model is least sure, or a random one.",
            [(text, strategy) for strategy, text in asking_words.ASKED.items()],
        )
        tip = "The selected classifier, with its settings at the start."
        self._lane = describe(QLabel(wordWrap=True), "asking.lane", "Learner", tip)
        self._formula = named(QLabel(wordWrap=True), "asking.formula")
        self._given = self._spin(
            "per_class",
            "Given per class",
            1,
            MOST_GIVEN,
            "How many points of each class have their labels at the start.",
        )
        self._draw = self._spin(
            "draw", "Draw", 1, 9999, "Seed of the random numbers: the same seed gives the same run."
        )
        fields: tuple[QWidget, ...] = (self._source, self._strategy, self._lane, self._given, self._draw)
        rows = AlignedForm(self)
        rows.add(*((field.accessibleName(), field, field) for field in fields))
        rows.insertRow(3, self._formula)

    def _combo(self, name: str, title: str, tip: str, entries: Sequence[tuple[str, str]]) -> QComboBox:
        combo = chooser(f"asking.{name}", title, tip, lambda chosen: self._change(name, chosen), entries, 8)
        combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        return combo

    def _spin(self, name: str, title: str, low: int, high: int, tip: str) -> QSpinBox:
        return number_box(f"asking.{name}", title, tip, lambda value: self._change(name, value), low, high)

    def _change(self, name: str, value: object) -> None:
        self._changed(replace(self._plan, **{name: value}))

    def show_plan(
        self, plan: LearningPlan, lanes: Sequence[Lane], asking: ActiveLearningRun | None, classes: Sequence[int]
    ) -> None:
        """Show `plan`, the classifiers to choose from, and the formula of the next question."""
        self._plan = plan
        show_choice(self._source, plan.source)
        show_text(self._lane, lanes[plan.lane].title)
        show_choice(self._strategy, plan.strategy)
        show_number(self._given, plan.per_class)
        show_number(self._draw, plan.draw)
        n_classes = len(asking.pool.classes if asking is not None else classes)
        show_text(self._formula, asking_words.formula(lanes[plan.lane], plan.strategy, n_classes))


class ClassButtons(ButtonRows):
    """A button for each class of the pool: its symbol, its key and its name."""

    LONGEST = 12  #: Length (characters) of the longest name.

    def __init__(self) -> None:
        buttons = [QPushButton() for _ in range(MAX_CLASSES)]
        for button in buttons:
            button.setIconSize(QSize(22, 22))
            button.setMinimumSize(64, 30)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the picture keeps the keys
        self.buttons = buttons
        self._dressed: tuple[object, ...] = ()
        super().__init__(buttons)

    def show_classes(self, classes: Sequence[int], names: Sequence[str], theme: Theme) -> None:
        """Show the buttons of these `classes` (0 to 7)."""
        ratio = self.devicePixelRatioF()
        if (tuple(names), theme, ratio) != self._dressed:
            self._dressed = tuple(names), theme, ratio
            for label, (button, name) in enumerate(zip(self.buttons, names, strict=True)):
                short = name if len(name) <= self.LONGEST else f"{name[: self.LONGEST - 1]}…"
                button.setText(f"{label + 1}  {short}".replace("&", "&&"))
                button.setIcon(symbol_pixmap(theme, str(label), ratio=ratio))
                tip = f"The ringed point is of {name}, drawn as {SHAPE_NAMES[label]} (key {label + 1})."
                describe(button, f"asking.class{label + 1}", f"It is of {name}, {SHAPE_NAMES[label]}", tip)
        self.show_only([self.buttons[label] for label in classes])


#: Time between two automatic answers (ms).
PLAY_INTERVAL = 300
#: Least height of the panel (pixels) at which the settings are visible at first.
TALL = 780


class ActiveLearningPanel(QWidget):
    """Display a run of active learning.  The document provides points, settings and names, and is changed only on
    request.

    Parameters
    ----------
    controller : Controller
    scheduler : Scheduler
        Its threads train, paint and compare.
    """

    def __init__(self, controller: Controller, scheduler: Scheduler) -> None:
        super().__init__()
        self._controller = controller
        self._shown: tuple[Scene, Theme] | None = None
        self._plan = LearningPlan()
        self._begun = self._was_shown = False
        self._refusal = asking_words.PREPARING  # the reason why there is no run
        self.runner = ActiveLearningController(scheduler)
        self._clock = QTimer(self, interval=PLAY_INTERVAL)
        self._clock.timeout.connect(self._tick)
        describe(self, "asking", "Active learning", "Ask for the label that teaches most.", hover=False)
        self._build()

    def _build(self) -> None:
        self._board = PoolPicture()
        self._board.chosen.connect(self._choose)
        self._board.truth_wanted.connect(self._truth)
        self._board.play_wanted.connect(self._toggle_play)
        self._board.resized.connect(self._show)
        self._classes = ClassButtons()
        for label, button in enumerate(self._classes.buttons):
            button.clicked.connect(partial(self._answer, label))
        rows: Sequence[tuple[str, str, str, Callable[[], object]]] = (
            ("truth", "Label automatically", "The true label of the ringed point (Enter in the picture).", self._truth),
            ("play", "Label all", "One true label after the other (Space in the picture).", self._toggle_play),
            ("back", "Step back", "Take the last answer back (Backspace).", self._back),
            ("start", "Start again", "Discard the answers and begin again with these settings.", self._start),
            ("settings", "Settings", "Show or hide the settings of the next run.", self._show_settings),
            (
                "put",
                "Use these labels",
                "Replace the document's points by the labelled points, with the labels given here: one undo step.",
                self._put,
            ),
        )
        buttons = [clickable(QPushButton(text), f"asking.{name}", text, tip, run) for name, text, tip, run in rows]
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the keys still belong to the picture
        self._truth_button, self._play_button, self._back_button, *others = buttons
        self._start_button, self._settings_button, self._put_button = others
        self._settings_button.setCheckable(True)
        self._words = RoomyLabel("asking.words", title="Progress of the run", rich=True)
        self._details = RoomyLabel("asking.details", title="Labels needed, against random choice")
        self._details.hide()
        more = check_box("More", "asking.more", "More", "Labels that each way needs.", self._details.setVisible)
        self._question = RoomyLabel("asking.question", title="The question", rich=True)
        self._curve = LearningCurve()
        self._form = PlanForm(self._set_plan)
        for spin in self._form.findChildren(WholeField):
            spin.refused.connect(self._controller.say)
        self._form.hide()
        left = filled(
            QVBoxLayout(), self._question, (self._board, 1), self._classes, ButtonRows(buttons[:3]), spacing=4
        )
        right = filled(
            QVBoxLayout(),
            self._words,
            (self._curve, 1),
            in_row(more, 1),
            self._details,
            ButtonRows(others),
            self._form,
            spacing=4,
        )
        inner = in_column((left, 3), (right, 2), margins=(8, 6, 8, 6))
        filled(QVBoxLayout(self), ScrollingForm(inner), margins=0)
        self.first_stop = self._board

    def sizeHint(self) -> QSize:
        return QSize(360, 650)

    # -- what is shown ---------------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """True while questions are answered automatically."""
        return self._clock.isActive()

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Follow the scene: its colours, its names, and whether points and settings are still those of the run."""
        self._shown = scene, theme
        self.runner.collect()
        if not self._begun and fast_loops.ready():
            self._begun = True
            self._follow(scene)
            self._start()
        self._follow(scene)
        self._show()

    def _follow(self, scene: Scene) -> None:
        """Let the selected classifier learn, if it can; else the first one that can."""
        lanes = [each.lane for each in scene.lanes]
        able = [index for index, lane in enumerate(lanes) if lane.family.asking and lane.trainer is not None]
        selected = scene.session.selected_lane(scene.document, "asking")
        self._plan = replace(self._plan, lane=selected if selected in able else next(iter(able), 0))

    @Slot()
    def _show(self) -> None:
        if self._shown is None:
            return
        (scene, theme), runner = self._shown, self.runner
        if self._plan.lane >= len(self._controller.document.lanes):  # the classifier has been removed
            self._plan = replace(self._plan, lane=0)
        asking = runner.asking
        message = runner.failure if asking is not None else self._refusal
        self._board.show_board(asking, runner.picture, message, theme)
        if self.isVisible():
            runner.request_picture(self._board.grid(), theme.shades)
        self._curve.show_curves(asking, runner.curves, theme)
        lanes = self._controller.document.lanes[: max(scene.shown, self._plan.lane + 1)]
        self._form.show_plan(self._plan, lanes, asking, scene.points.classes)
        self._classes.show_classes(asking.pool.classes if asking is not None else [], scene.document.class_names, theme)
        asks = asking is not None and asking.target is not None
        for button, on in (
            *((button, asks) for button in self._classes.buttons),
            (self._truth_button, asks),
            (self._play_button, asking is not None and not asking.finished),
            (self._back_button, asking is not None and bool(asking.answers)),
            (self._start_button, self._begun),
            (self._put_button, asking is not None),
        ):
            button.setEnabled(on)
        self._start_button.setText("Start" if asking is None else "Start again")
        self._play_button.setText("Stop" if self.playing else "Label all")
        self._question.say("" if asking is None else _html(asking_words.question(asking), bold=True))
        self._words.say("" if asking is None else self._text_of(asking))
        self._details.say("" if asking is None else asking_words.details(asking, runner.curves))

    def _text_of(self, asking: ActiveLearningRun) -> str:
        """Return progress, the labels that random choice needs, and remarks, as HTML."""
        stale = asking.stale(self._controller.document)
        changed = "" if asking.plan == self._plan else "Other settings are chosen: “Start again” begins with them."
        lines = [
            _html(asking_words.progress(asking), bold=True),
            _html(asking_words.against_random(asking, self.runner.curves)),
            _html(asking_words.remarks(asking)),
            _html(f"{stale} “Start again” takes the new ones." if stale else changed, bold=True),
        ]
        return "<br>".join(line for line in lines if line)

    # -- the user --------------------------------------------------------------------------------------------------

    def _answer(self, label: int, *_: object) -> None:
        asking = self.runner.asking
        if asking is not None and label not in asking.pool.classes:
            self._controller.say(f"No point of this pool is of class {label + 1}.")
        self._change(lambda asking: asking.answered(label))

    @Slot()
    def _truth(self) -> None:
        self._change(ActiveLearningRun.shown_truth)

    @Slot(int)
    def _choose(self, index: int) -> None:
        self._change(lambda asking: asking.choosing(index if index >= 0 else None))

    @Slot()
    def _back(self) -> None:
        self._clock.stop()
        self._change(ActiveLearningRun.back)

    @Slot()
    def _toggle_play(self) -> None:
        if self.playing:
            self._clock.stop()
        else:
            self._clock.start()
            self._tick()
        self._show()

    @Slot()
    def _tick(self) -> None:
        """Give the next true label, unless the model is not ready for a question yet."""
        if self.runner.asking is None or self.runner.asking.finished or self.runner.failure:
            self._clock.stop()
            self._show()
        else:
            self._truth()

    @Slot()
    def _start(self) -> None:
        """Begin a run with the plan, on the present document."""
        self._clock.stop()
        self._words.forget()
        try:
            self.runner.start(begin(self._controller.document, self._plan))
        except ValueError as error:
            self.runner.start(None)
            self._refusal = str(error)
        if self.isVisible():
            self.runner.compare()
        self._show()

    @Slot()
    def _show_settings(self) -> None:
        self._form.setVisible(self._settings_button.isChecked())

    def _set_plan(self, plan: LearningPlan) -> None:
        """Use other settings: at once while there are no answers to lose, else from the next start on."""
        if plan != self._plan:
            self._plan = plan
            if self._begun and (self.runner.asking is None or not self.runner.asking.answers):
                self._start()
            else:
                self._show()

    @Slot()
    def _put(self, *_: object) -> None:
        if self.runner.asking is not None:
            self._controller.dispatch(self.runner.asking.command(self._controller.document))

    def _change(self, change: Callable[[ActiveLearningRun], ActiveLearningRun]) -> None:
        """Replace the run by what `change` returns, unless that is the same run."""
        before = self.runner.asking
        after = before if before is None else change(before)
        if after is not None and after is not before:
            self.runner.go_on(after)
            if after.finished:
                self._clock.stop()
            self._show()

    def event(self, event: QEvent) -> bool:
        # The window's keys 1 to 8 choose the class of the next point; here they answer.
        return keeps_key(event, _own_key) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _own_key(event):
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Backspace:
            self._back()
        else:
            self._answer(event.key() - Qt.Key.Key_1)

    # -- room ------------------------------------------------------------------------------------------------------

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._was_shown:  # afterwards the user decides whether the settings are visible
            self._was_shown = True
            self._settings_button.setChecked(self.height() >= TALL)
            self._show_settings()
        self.runner.compare()
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop the automatic answers and the comparison."""
        super().hideEvent(event)
        self._clock.stop()
        self.runner.pause_comparison()


def _own_key(event: QKeyEvent) -> bool:
    number = Qt.Key.Key_1 <= event.key() < Qt.Key.Key_1 + MAX_CLASSES
    return is_plain(event) and (number or event.key() == Qt.Key.Key_Backspace)


def _html(text: str, bold: bool = False) -> str:
    return f"<b>{escape(text)}</b>" if text and bold else escape(text)
