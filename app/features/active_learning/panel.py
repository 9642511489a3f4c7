"""ActiveLearningPanel: the point the model is least sure of is asked about, against asking by chance."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from html import escape

from msgspec.structs import replace
from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QGridLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.controllers.controller import Controller
from app.core.points import MAX_CLASSES
from app.engine.scheduler import Scheduler
from app.scene.model import Scene
from app.state.document import Lane
from app.views.theme import Theme
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.form_fields import (
    WholeField,
    combo_box,
    describe,
    filled,
    label_for,
    named,
    show_choice,
    show_entries,
    show_number,
    show_text,
    spin_box,
)
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm
from solver.core import fast_loops

from . import text as asking_words
from .controller import ActiveLearningController
from .state import MOST_GIVEN, ActiveLearningRun, Plan, begin
from .view_buttons import ClassButtons
from .view_curve import LearningCurve
from .view_picture import PoolPicture

SPACING = 6


class PlanForm(QWidget):
    """Shows a plan; hands changed ones to `changed`."""

    def __init__(self, changed: Callable[[Plan], None]) -> None:
        super().__init__()
        self._changed = changed
        self._plan = Plan()
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(3)
        self._grid.setHorizontalSpacing(SPACING)
        self._columns = 0
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
            "Which of the unlabelled points is asked for next: the one the model is least sure of, or any.",
            [(text, strategy) for strategy, text in asking_words.ASKED.items()],
        )
        self._lane = self._combo("lane", "Learner", "Whose settings learn, as they are when it starts.", [])
        self._formula = named(QLabel(wordWrap=True), "asking.formula")
        self._given = self._spin(
            "per_class",
            "Given per class",
            1,
            MOST_GIVEN,
            "Labels of so many points of each class are given at the start.",
        )
        self._draw = self._spin("draw", "Draw", 1, 9999, "Seed of all that is drawn: the same number, the same run.")
        fields: tuple[QWidget, ...] = (self._source, self._strategy, self._lane, self._given, self._draw)
        self._pairs = [(label_for(field.accessibleName(), field), field) for field in fields]
        self._arrange()

    def _combo(self, name: str, title: str, tip: str, entries: Sequence[tuple[str, str]]) -> QComboBox:
        combo = describe(combo_box(entries, 8), f"asking.{name}", title, tip)
        combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        combo.activated.connect(lambda: self._changed(replace(self._plan, **{name: combo.currentData()})))
        return combo

    def _spin(self, name: str, title: str, low: int, high: int, tip: str) -> QSpinBox:
        spin = describe(spin_box(low, high), f"asking.{name}", title, tip)
        spin.valueChanged.connect(lambda value: self._changed(replace(self._plan, **{name: value})))
        return spin

    # -- room ------------------------------------------------------------------------------------------------------

    def _width_of(self, columns: int) -> int:
        """What so many fields beside each other need."""
        source, strategy, lane, given, draw = self._pairs
        stacks = [[source, lane, given], [strategy, draw]] if columns == 2 else [self._pairs]
        labels = [max(label.sizeHint().width() for label, _ in stack) for stack in stacks]
        fields = [max(field.minimumSizeHint().width() for _, field in stack) for stack in stacks]
        return sum(labels) + sum(fields) + (2 * columns - 1) * SPACING

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width_of(1), self._grid.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # the text has another size
            self._arrange()
        return super().event(event)

    def _arrange(self) -> None:
        """Two fields in a row, or one where there is no room for two; the learner's name needs a whole row."""
        columns = 2 if self._width_of(2) <= self.width() else 1
        if columns == self._columns:
            return
        self._columns = columns
        source, strategy, lane, given, draw = self._pairs
        two, one = (
            [(source, strategy), (lane,), (), (given, draw)],
            [(source,), (strategy,), (lane,), (), (given,), (draw,)],
        )
        rows: Sequence[Sequence[tuple[QLabel, QWidget]]] = two if columns == 2 else one
        for row, fields in enumerate(rows):
            for place, (label, widget) in enumerate(fields):
                self._grid.addWidget(label, row, 2 * place)
                self._grid.addWidget(widget, row, 2 * place + 1, 1, 1 if len(fields) == columns else 3)
            if not fields:
                self._grid.addWidget(self._formula, row, 0, 1, 2 * columns)
        for column in (1, 3):
            self._grid.setColumnStretch(column, int(column < 2 * columns))
        self.updateGeometry()

    def show_plan(
        self, plan: Plan, lanes: Sequence[Lane], asking: ActiveLearningRun | None, classes: Sequence[int]
    ) -> None:
        """Show `plan`, the classifiers to choose from, and the formula of the next question."""
        self._plan = plan
        show_entries(self._lane, [(lane.title, index) for index, lane in enumerate(lanes)])
        show_choice(self._source, plan.source)
        show_choice(self._lane, plan.lane)
        show_choice(self._strategy, plan.strategy)
        show_number(self._given, plan.per_class)
        show_number(self._draw, plan.draw)
        number = len(asking.pool.classes) if asking is not None else len(classes)
        show_text(self._formula, asking_words.formula(lanes[plan.lane], plan.strategy, number))


#: Milliseconds between two answers of the truth that goes on answering.
PLAY_INTERVAL = 300
#: Pixels of width from which on the picture stands beside the rest, if the panel is wider than it is tall.
WIDE = 600
#: Pixels of height from which on the settings are shown at first, if nothing stands beside the picture.
TALL = 780


class ActiveLearningPanel(QWidget):
    """A run of active learning, of its own: of the document it takes points, settings and names, and changes nothing
    before it is told to put the labelled points into it.

    Parameters
    ----------
    controller : Controller
    scheduler : Scheduler
        Whose compute threads learn, paint and compare.
    """

    def __init__(self, controller: Controller, scheduler: Scheduler) -> None:
        super().__init__()
        self._controller = controller
        self._shown: tuple[Scene, Theme] | None = None
        self._plan = Plan()
        self._begun = self._seen = False
        self._refusal = asking_words.PREPARING  # why there is no run
        self.desk = ActiveLearningController(scheduler)
        self._clock = QTimer(self, interval=PLAY_INTERVAL)
        self._clock.timeout.connect(self._tick)
        describe(self, "asking", "Active learning", "Ask for the label that teaches most.")
        self.setToolTip("")
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
        self._truth_button = self._button(
            "truth", "Label automatically", "The true label of the ringed point (Enter in the picture).", self._truth
        )
        self._play_button = self._button(
            "play", "Label all", "One true label after the other (Space in the picture).", self._toggle_play
        )
        self._back_button = self._button("back", "Step back", "Take the newest answer back (Backspace).", self._back)
        answers = ButtonRows([self._truth_button, self._play_button, self._back_button])
        self._words = RoomyLabel("asking.words", title="Where the run stands", rich=True)
        self._question = RoomyLabel("asking.question", title="What is asked", rich=True)
        self._curve = LearningCurve()
        self._start_button = self._button(
            "start", "Start again", "Forget the answers and begin with these settings.", self._start
        )
        self._put_button = self._button(
            "put",
            "Use these labels",
            "Put the labelled points, with the labels told, in place of the document's points: one undo step.",
            self._put,
        )
        self._form = PlanForm(self._set_plan)
        for spin in self._form.findChildren(WholeField):
            spin.refused.connect(self._controller.say)
        self._form.hide()
        self._settings_button = self._button(
            "settings", "Settings", "Show or hide how the next run is to begin.", self._show_settings
        )
        self._settings_button.setCheckable(True)
        left = filled(QVBoxLayout(), self._question, (self._board, 1), self._classes, answers, spacing=4)
        runs = ButtonRows([self._start_button, self._settings_button, self._put_button])
        right = filled(QVBoxLayout(), self._words, (self._curve, 1), runs, self._form, spacing=4)
        inner = QWidget()
        columns = QBoxLayout(QBoxLayout.Direction.TopToBottom, inner)
        self._columns = filled(columns, (left, 3), (right, 2), margins=(8, 6, 8, 6))
        filled(QVBoxLayout(self), ScrollingForm(inner), margins=0)
        self.first_stop = self._board

    def _button(self, name: str, text: str, tip: str, run: object) -> QPushButton:
        button = describe(QPushButton(text), f"asking.{name}", text, tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the keys still belong to the picture
        button.clicked.connect(run)
        return button

    def sizeHint(self) -> QSize:
        return QSize(360, 650)

    # -- what is shown ---------------------------------------------------------------------------------------------

    @property
    def playing(self) -> bool:
        """The truth goes on answering."""
        return self._clock.isActive()

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show what the scene changes: colours, names, and whether the run is still of its points and settings."""
        self._shown = scene, theme
        self.desk.collect()
        if not self._begun and fast_loops.ready():
            self._begun = True
            lanes = enumerate(each.lane for each in scene.lanes)
            trained = (index for index, lane in lanes if lane.family.asks and lane.trainer is not None)
            self._plan = replace(self._plan, lane=next(trained, 0))
            self._start()
        self._show()

    @Slot()
    def _show(self) -> None:
        if self._shown is None:
            return
        (scene, theme), desk = self._shown, self.desk
        if self._plan.lane >= len(self._controller.document.lanes):  # it has been removed, perhaps just now
            self._plan = replace(self._plan, lane=0)
        asking = desk.asking
        message = desk.failure if asking is not None else self._refusal
        self._board.show_board(asking, desk.picture, message, theme)
        if self.isVisible():
            desk.want(self._board.grid(), theme.shades)
        self._curve.show_curves(asking, desk.curves, theme)
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

    def _text_of(self, asking: ActiveLearningRun) -> str:
        """Where the run stands."""
        curves, stale = self.desk.curves, asking.stale(self._controller.document)
        changed = "" if asking.plan == self._plan else "Other settings are chosen: “Start again” begins with them."
        first = (asking_words.measured(asking), asking_words.against_random(asking, curves))
        lines = [
            f"{_html(asking_words.progress(asking), bold=True)} {_html(' '.join(text for text in first if text))}",
            _html(asking_words.remarks(asking)),
            _html(f"{stale} “Start again” takes the new ones." if stale else changed, bold=True),
            *map(_html, asking_words.verdict(curves)),
        ]
        return "<br>".join(line for line in lines if line)

    # -- the user --------------------------------------------------------------------------------------------------

    def _answer(self, label: int, *_: object) -> None:
        asking = self.desk.asking
        if asking is not None and label not in asking.pool.classes:
            self._controller.say(f"No point of this pool is of class {label + 1}.")
        self._change(lambda asking: asking.answered(label))

    @Slot()
    def _truth(self, *_: object) -> None:
        self._change(ActiveLearningRun.told_truth)

    @Slot(int)
    def _choose(self, index: int) -> None:
        self._change(lambda asking: asking.choosing(index if index >= 0 else None))

    @Slot()
    def _back(self, *_: object) -> None:
        self._clock.stop()
        self._change(ActiveLearningRun.back)

    @Slot()
    def _toggle_play(self, *_: object) -> None:
        if self.playing:
            self._clock.stop()
        else:
            self._clock.start()
            self._tick()
        self._show()

    @Slot()
    def _tick(self) -> None:
        """The next answer of the truth, unless the model is not ready for a question yet."""
        if self.desk.asking is None or self.desk.asking.finished or self.desk.failure:
            self._clock.stop()
            self._show()
        else:
            self._truth()

    @Slot()
    def _start(self, *_: object) -> None:
        """Begin with the plan, on the document as it is now."""
        self._clock.stop()
        self._words.forget()
        try:
            self.desk.start(begin(self._controller.document, self._plan))
        except ValueError as error:
            self.desk.start(None)
            self._refusal = str(error)
        if self.isVisible():
            self.desk.compare()
        self._show()

    @Slot()
    def _show_settings(self) -> None:
        self._form.setVisible(self._settings_button.isChecked())

    def _set_plan(self, plan: Plan) -> None:
        """Other settings: at once while no answer can be lost, else from the next start on."""
        if plan != self._plan:
            self._plan = plan
            if self._begun and (self.desk.asking is None or not self.desk.asking.answers):
                self._start()
            else:
                self._show()

    @Slot()
    def _put(self, *_: object) -> None:
        if self.desk.asking is not None:
            self._controller.dispatch(self.desk.asking.command(self._controller.document))

    def _change(self, change: Callable[[ActiveLearningRun], ActiveLearningRun]) -> None:
        """Go on with the run as it is after `change`; nothing happens where that hands back the same one."""
        before = self.desk.asking
        after = before if before is None else change(before)
        if after is not None and after is not before:
            self.desk.go_on(after)
            if after.finished:
                self._clock.stop()
            self._show()

    def event(self, event: QEvent) -> bool:
        # The window's own keys 1 to 8 choose the class of the next point; here they answer.
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride and _own_key(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not _own_key(event):
            super().keyPressEvent(event)
        elif event.key() == Qt.Key.Key_Backspace:
            self._back()
        else:
            self._answer(event.key() - Qt.Key.Key_1)

    # -- room ------------------------------------------------------------------------------------------------------

    @property
    def _wide(self) -> bool:
        return self.width() >= WIDE and self.width() > self.height()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        direction = QBoxLayout.Direction.LeftToRight if self._wide else QBoxLayout.Direction.TopToBottom
        self._columns.setDirection(direction)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._seen:  # from here on the user decides whether the settings are shown
            self._seen = True
            self._settings_button.setChecked(self._wide or self.height() >= TALL)
            self._show_settings()
        self.desk.compare()
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        """Hidden: what is under way comes to rest."""
        super().hideEvent(event)
        self._clock.stop()
        self.desk.rest()


def _own_key(event: QKeyEvent) -> bool:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    number = Qt.Key.Key_1 <= event.key() < Qt.Key.Key_1 + MAX_CLASSES
    return plain and (number or event.key() == Qt.Key.Key_Backspace)


def _html(text: str, bold: bool = False) -> str:
    return f"<b>{escape(text)}</b>" if text and bold else escape(text)
