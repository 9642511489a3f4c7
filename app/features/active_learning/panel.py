"""ActiveLearningPanel: the point the model is least sure of is asked about, against asking by chance."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from html import escape

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.engine.scheduler import Scheduler
from app.scene.model import Scene
from app.state.points import MAX_CLASSES
from app.views.theme import Theme
from app.views.widgets.boxes import filled
from app.views.widgets.form_fields import describe
from app.views.widgets.scrolling_form import ScrollingForm

from . import text as asking_words
from .state import ActiveLearningRun, Plan, begin
from .view_controller import ActiveLearningController
from .view_curve import LearningCurve, Sheet
from .view_parts import ButtonRows, ClassButtons, Words
from .view_picture import PoolPicture, PoolScene
from .view_plan import PlanForm

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
        self._controller, self._scheduler = controller, scheduler
        self._scene: Scene | None = None
        self._theme: Theme | None = None
        self._plan = Plan()
        self._begun = self._seen = False
        self._refusal = asking_words.PREPARING  # why there is no run
        self._desk = ActiveLearningController(scheduler, self._show, self)
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
            "truth", "Truth answers", "The true label of the ringed point (Enter in the picture).", self._truth
        )
        self._play_button = self._button(
            "play", "Let the truth answer", "One true label after the other (Space in the picture).", self._toggle_play
        )
        self._back_button = self._button("back", "Step back", "Take the newest answer back (Backspace).", self._back)
        answers = ButtonRows([self._truth_button, self._play_button, self._back_button])
        self._words = Words("asking.words", "Where the run stands")
        self._question = Words("asking.question", "What is asked")
        self._curve = LearningCurve()
        self._start_button = self._button(
            "start", "Start again", "Forget the answers and begin with these settings.", self._start
        )
        self._put_button = self._button(
            "put",
            "Put into document",
            "Put the labelled points, with the labels told, in place of the document's points: one undo step.",
            self._put,
        )
        self._settings_button = self._button(
            "settings", "Settings", "Show or hide how the next run is to begin.", self._toggle_settings
        )
        self._settings_button.setCheckable(True)
        self._form = PlanForm(self._set_plan)
        self._form.hide()
        left = filled(QVBoxLayout(), self._question, (self._board, 1), self._classes, answers, spacing=4)
        runs = ButtonRows([self._start_button, self._settings_button, self._put_button])
        right = filled(QVBoxLayout(), self._words, (self._curve, 1), runs, self._form, spacing=4)
        inner = QWidget()
        columns = QBoxLayout(QBoxLayout.Direction.TopToBottom, inner)
        self._columns = filled(columns, (left, 3), (right, 2), margins=(8, 6, 8, 6))
        filled(QVBoxLayout(self), ScrollingForm(inner), margins=0)
        self.setFocusProxy(self._board)

    def _button(self, name: str, text: str, tip: str, run: object) -> QPushButton:
        button = describe(QPushButton(text), f"asking.{name}", text, tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the keys still belong to the picture
        button.clicked.connect(run)
        return button

    def sizeHint(self) -> QSize:
        return QSize(360, 650)

    # -- what is shown ---------------------------------------------------------------------------------------------

    @property
    def desk(self) -> ActiveLearningController:
        """What is known of the run."""
        return self._desk

    @property
    def playing(self) -> bool:
        """The truth goes on answering."""
        return self._clock.isActive()

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show what the scene changes: colours, names, and whether the run is still of its points and settings."""
        self._scene, self._theme = scene, theme
        if self._plan.lane >= len(self._controller.document.lanes):  # it has been removed
            self._plan = replace(self._plan, lane=0)
        if not self._begun and self._ready():
            self._begun = True
            lane = next((index for index, lane in enumerate(scene.lanes) if lane.lane.classifier == "svm"), 0)
            self._plan = replace(self._plan, lane=lane)
            self._start()
        self._show()

    def _ready(self) -> bool:
        """The compiled loops can be used."""
        frames = (self._scheduler.results.frame(slot) for slot in self._controller.document.slots)
        return any(frame is not None and frame.compiled for frame in frames)

    @Slot()
    def _show(self) -> None:
        scene, theme, desk = self._scene, self._theme, self._desk
        if scene is None or theme is None:
            return
        asking = desk.asking
        message = desk.failure if asking is not None else self._refusal
        self._board.show_board(PoolScene(asking, desk.picture, message, theme))
        if self.isVisible():
            desk.want(self._board.grid(), theme.shades)
        self._curve.show_sheet(Sheet(asking, desk.curves, theme))
        lanes = self._controller.document.lanes[: max(scene.shown, self._plan.lane + 1)]
        self._form.show_plan(self._plan, lanes, asking, scene.points.classes)
        classes = asking.pool.classes if asking is not None else []
        self._classes.show_classes(classes, scene.class_names, theme)
        target = asking is not None and asking.target is not None
        for button in (*self._classes.buttons, self._truth_button):
            button.setEnabled(target)
        self._play_button.setEnabled(asking is not None and not asking.finished)
        self._back_button.setEnabled(asking is not None and bool(asking.answers))
        self._start_button.setEnabled(self._begun)
        self._start_button.setText("Start" if asking is None else "Start again")
        self._put_button.setEnabled(asking is not None)
        self._play_button.setText("Stop" if self.playing else "Let the truth answer")
        self._say()

    def _say(self) -> None:
        asking, curves = self._desk.asking, self._desk.curves
        if asking is None:
            self._question.say("")
            self._words.say("")
            return
        stale = asking.stale(self._controller.document)
        changed = "" if asking.plan == self._plan else "Other settings are chosen: “Start again” begins with them."
        self._question.say(_html(asking_words.question(asking), bold=True))
        first = (asking_words.measured(asking), asking_words.against_random(asking, curves))
        lines = [
            f"{_html(asking_words.progress(asking), bold=True)} {_html(' '.join(text for text in first if text))}",
            _html(asking_words.remarks(asking)),
            _html(f"{stale} “Start again” takes the new ones." if stale else changed, bold=True),
            *map(_html, asking_words.verdict(curves)),
        ]
        self._words.say("<br>".join(line for line in lines if line))

    # -- the hand --------------------------------------------------------------------------------------------------

    def _answer(self, label: int, *_: object) -> None:
        if self._desk.asking is None:
            return
        if label not in self._desk.asking.pool.classes:
            self._controller.say(f"No point of this pool is of class {label + 1}.")
        self._go_on(self._desk.asking.answered(label))

    @Slot()
    def _truth(self, *_: object) -> None:
        if self._desk.asking is not None:
            self._go_on(self._desk.asking.told_truth())

    @Slot(int)
    def _choose(self, index: int) -> None:
        if self._desk.asking is not None:
            self._go_on(self._desk.asking.choosing(index if index >= 0 else None))

    @Slot()
    def _back(self, *_: object) -> None:
        self._clock.stop()
        if self._desk.asking is not None:
            self._go_on(self._desk.asking.back())

    @Slot()
    def _toggle_play(self, *_: object) -> None:
        if self.playing or self._desk.asking is None or self._desk.asking.finished:
            self._clock.stop()
        else:
            self._clock.start()
            self._truth()
        self._show()

    @Slot()
    def _tick(self) -> None:
        """The next answer of the truth, unless the model is not ready for a question yet."""
        if self._desk.asking is None or self._desk.asking.finished or self._desk.failure:
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
            self._desk.start(begin(self._controller.document, self._plan))
        except ValueError as error:
            self._desk.start(None)
            self._refusal = str(error)
        if self.isVisible():
            self._desk.compare()
        self._show()

    @Slot()
    def _toggle_settings(self, *_: object) -> None:
        self._form.setVisible(self._settings_button.isChecked())

    def _set_plan(self, plan: Plan) -> None:
        """Other settings: at once while no answer can be lost, else from the next start on."""
        if plan != self._plan:
            self._plan = plan
            if self._begun and (self._desk.asking is None or not self._desk.asking.answers):
                self._start()
            else:
                self._show()

    @Slot()
    def _put(self, *_: object) -> None:
        if self._desk.asking is not None:
            self._controller.dispatch(self._desk.asking.command(self._controller.document))

    def _go_on(self, asking: ActiveLearningRun) -> None:
        if asking is not self._desk.asking:
            self._desk.go_on(asking)
            if asking.finished:
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
        if direction is not self._columns.direction():
            self._columns.setDirection(direction)
        self._show()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._seen:  # from here on the hand says whether the settings are shown
            self._seen = True
            self._settings_button.setChecked(self._wide or self.height() >= TALL)
            self._toggle_settings()
        self._desk.compare()
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: what is under way comes to rest."""
        super().hideEvent(event)
        self._clock.stop()
        self._desk.rest()


def _own_key(event: QKeyEvent) -> bool:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    number = Qt.Key.Key_1 <= event.key() < Qt.Key.Key_1 + MAX_CLASSES
    return plain and (number or event.key() == Qt.Key.Key_Backspace)


def _html(text: str, bold: bool = False) -> str:
    if not text:
        return ""
    return f"<b>{escape(text)}</b>" if bold else escape(text)
