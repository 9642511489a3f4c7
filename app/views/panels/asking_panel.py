"""AskingPanel: active learning: the point the model is least sure of is asked about, against asking by chance."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from html import escape

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QHideEvent, QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QPushButton, QVBoxLayout, QWidget

from app import asking_words
from app.asking import Answer, Asking, Plan, Pool, begin
from app.conductor import Conductor
from app.controller import Controller
from app.jobs.asking import AskingReply, AskingRequest, Letters, look_for
from app.jobs.comparing import Comparison, Curves
from app.jobs.pool import Priority
from app.jobs.requests import Picture
from app.points import MAX_CLASSES
from app.scene import Scene
from app.shading import Shades
from app.views.bind import describe
from app.views.theme import Theme
from solver import Grid

from .asking_curve import AskingCurve, Sheet
from .asking_parts import ButtonRows, ClassButtons, Words
from .asking_picture import AskingPicture, Board
from .asking_plan import PlanForm
from .scrolling import ScrollingForm

#: Milliseconds between two answers of the truth that goes on answering.
PLAY_INTERVAL = 300
#: Pixels of width from which on the picture stands beside the rest, if the panel is wider than it is tall.
WIDE = 600
#: Pixels of height from which on the settings are shown at first, if nothing stands beside the picture.
TALL = 780


class AskingPanel(QWidget):
    """A run of active learning, of its own: of the document it takes points, settings and names, and changes nothing
    before it is told to put the labelled points into it.

    Parameters
    ----------
    controller : Controller
    conductor : Conductor
        Whose compute threads learn, paint and compare.
    """

    _arrived = Signal()

    def __init__(self, controller: Controller, conductor: Conductor) -> None:
        super().__init__()
        self._controller, self._conductor = controller, conductor
        self._scene: Scene | None = None
        self._theme: Theme | None = None
        self._plan = Plan()
        self._begun = self._seen = False
        self._asking: Asking | None = None
        self._refusal = asking_words.PREPARING  # why there is no run
        self._failure = ""
        self._picture: Picture | None = None
        self._wanted: tuple[Pool, tuple[Answer, ...], Grid, Shades] | None = None
        self._number = self._answered = 0
        self._comparison: Comparison | None = None
        self._curves: Curves | None = None
        self._enough = threading.Event()  # of comparing, for whichever job is at it
        self._letters = Letters(self._arrived.emit)
        self._arrived.connect(self._collect, Qt.ConnectionType.QueuedConnection)
        # Also when it is taken down without being closed: no letter may reach a panel that is gone.
        self.destroyed.connect(self._letters.close)
        self._clock = QTimer(self)
        self._clock.setInterval(PLAY_INTERVAL)
        self._clock.timeout.connect(self._tick)
        describe(self, "asking", "Active learning", "Ask for the label that teaches most.")
        self.setToolTip("")
        self._build()

    def _build(self) -> None:
        self._board = AskingPicture()
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
        self._curve = AskingCurve()
        self._form = PlanForm(self._set_plan)
        self._start_button = self._button(
            "start", "Start again", "Forget the answers and begin with these settings.", self._start
        )
        self._put_button = self._button(
            "put", "Put into document",
            "Put the labelled points, with the labels told, in place of the document's points: one undo step.",
            self._put,
        )  # fmt: skip
        self._settings_button = self._button(
            "settings", "Settings", "Show or hide how the next run is to begin.", self._toggle_settings
        )
        self._settings_button.setCheckable(True)
        self._form.hide()
        left, right = QVBoxLayout(), QVBoxLayout()
        _fill(left, (self._question, self._board, self._classes, answers), self._board)
        runs = ButtonRows([self._start_button, self._settings_button, self._put_button])
        _fill(right, (self._words, self._curve, runs, self._form), self._curve)
        inner = QWidget()
        self._columns = QBoxLayout(QBoxLayout.Direction.TopToBottom, inner)
        self._columns.setContentsMargins(8, 6, 8, 6)
        self._columns.addLayout(left, 3)
        self._columns.addLayout(right, 2)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(ScrollingForm(inner))
        self.setFocusProxy(self._board)

    def _button(self, name: str, text: str, tip: str, run: object) -> QPushButton:
        button = QPushButton(text)
        describe(button, f"asking.{name}", text, tip)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the keys still belong to the picture
        button.clicked.connect(run)
        return button

    def sizeHint(self) -> QSize:
        return QSize(360, 650)

    # -- what is shown ---------------------------------------------------------------------------------------------

    @property
    def asking(self) -> Asking | None:
        """The run; None when there is none."""
        return self._asking

    @property
    def curves(self) -> Curves | None:
        """The comparison as far as it has come."""
        return self._curves

    @property
    def learning(self) -> bool:
        """Something of the present moment is still being learnt or painted."""
        return self._number != self._answered

    @property
    def playing(self) -> bool:
        """The truth goes on answering."""
        return self._clock.isActive()

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show what the scene changes: colours, names, and whether the run is still of its points and settings."""
        self._scene, self._theme = scene, theme
        if not self._begun and self._ready():
            self._begun = True
            lane = next((index for index, lane in enumerate(scene.lanes) if lane.lane.classifier == "svm"), 0)
            self._plan = replace(self._plan, lane=lane)
            self._start()
        self._show()

    def _ready(self) -> bool:
        """The compiled loops can be used."""
        frames = (self._conductor.results.frame(index) for index in range(len(self._controller.document.lanes)))
        return any(frame is not None and frame.compiled for frame in frames)

    @Slot()
    def _show(self) -> None:
        scene, theme, asking = self._scene, self._theme, self._asking
        if scene is None or theme is None:
            return
        message = self._failure if asking is not None else self._refusal
        self._board.show_board(Board(asking, self._picture, message, theme))
        self._want()
        self._curve.show_sheet(Sheet(asking, self._curves, theme))
        self._form.show_plan(self._plan, [lane.lane for lane in scene.lanes], asking, scene.points.classes)
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
        asking, curves = self._asking, self._curves
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
        if self._asking is None:
            return
        if label not in self._asking.pool.classes:
            self._controller.say(f"No point of this pool is of class {label + 1}.")
        self._go_on(self._asking.answered(label))

    @Slot()
    def _truth(self, *_: object) -> None:
        if self._asking is not None:
            self._go_on(self._asking.told_truth())

    @Slot(int)
    def _choose(self, index: int) -> None:
        if self._asking is not None:
            self._go_on(self._asking.choosing(index if index >= 0 else None))

    @Slot()
    def _back(self, *_: object) -> None:
        self._clock.stop()
        if self._asking is not None:
            self._go_on(self._asking.back())

    @Slot()
    def _toggle_play(self, *_: object) -> None:
        if self.playing or self._asking is None or self._asking.finished:
            self._clock.stop()
        else:
            self._clock.start()
            self._truth()
        self._show()

    @Slot()
    def _tick(self) -> None:
        """The next answer of the truth, unless the model is not ready for a question yet."""
        if self._asking is None or self._asking.finished or self._failure:
            self._clock.stop()
            self._show()
        else:
            self._truth()

    @Slot()
    def _start(self, *_: object) -> None:
        """Begin with the plan, on the document as it is now."""
        self._clock.stop()
        self._enough.set()
        self._asking = self._comparison = self._curves = self._picture = self._wanted = None
        self._refusal = self._failure = ""
        self._number += 1
        self._answered = self._number
        self._words.forget()
        if self._scene is not None and self._plan.lane >= self._scene.shown:
            self._plan = replace(self._plan, lane=0)
        try:
            self._asking = begin(self._controller.document, self._plan)
        except ValueError as error:
            self._refusal = str(error)
        else:
            self._comparison = Comparison(self._asking)
            self._curves = self._comparison.curves
            self._compare()
        self._show()

    @Slot()
    def _toggle_settings(self, *_: object) -> None:
        self._form.setVisible(self._settings_button.isChecked())

    def _set_plan(self, plan: Plan) -> None:
        """Other settings: at once while no answer can be lost, else from the next start on."""
        if plan != self._plan:
            self._plan = plan
            if self._begun and (self._asking is None or not self._asking.answers):
                self._start()
            else:
                self._show()

    @Slot()
    def _put(self, *_: object) -> None:
        if self._asking is not None:
            self._controller.dispatch(self._asking.command(self._controller.document))

    def _go_on(self, asking: Asking) -> None:
        if asking is not self._asking:
            self._asking = asking
            self._failure = ""
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

    # -- the background --------------------------------------------------------------------------------------------

    def _want(self) -> None:
        """Ask for what the present moment lacks: what is learnt from its labels, and the picture of it."""
        asking, theme = self._asking, self._theme
        if asking is None or theme is None or not self.isVisible():
            return
        grid, shades = self._board.grid(), theme.shades
        key = (asking.pool, asking.answers, grid, shades)
        if key == self._wanted:
            return
        self._wanted = key
        self._number += 1
        request = AskingRequest(self._number, asking, grid, shades)
        given_up = partial(self._overtaken, self._number)
        self._conductor.submit(look_for(request, self._letters.post, given_up), Priority.TRAINING)

    def _overtaken(self, number: int) -> bool:
        """Asked in compute threads."""
        return number != self._number or self._letters.closed

    def _compare(self) -> None:
        """Go on comparing, while it can be seen."""
        self._enough.set()
        if self._comparison is not None and not self._comparison.finished and self.isVisible():
            self._enough = threading.Event()
            job = self._comparison.job(self._letters.post, partial(self._has_enough, self._enough))
            self._conductor.submit(job, Priority.BACKGROUND)

    def _has_enough(self, enough: threading.Event) -> bool:
        """Asked in compute threads."""
        return enough.is_set() or self._letters.closed

    @Slot()
    def _collect(self) -> None:
        for letter in self._letters.take():
            asking = self._asking
            if isinstance(letter, Curves):
                if asking is not None and letter.pool is asking.pool:
                    self._curves = letter
            elif isinstance(letter, AskingReply) and asking is not None and letter.pool is asking.pool:
                self._take(letter, asking)
        self._show()

    def _take(self, reply: AskingReply, asking: Asking) -> None:
        self._asking = asking.learnt(reply.answers, reply.looks)
        if reply.number == self._number:
            self._failure = reply.failure
            self._picture = reply.picture or self._picture
            if reply.picture is not None or reply.failure:
                self._answered = reply.number

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
        self._compare()
        self._show()

    def hideEvent(self, event: QHideEvent) -> None:
        """Nobody looks: what is under way comes to rest."""
        super().hideEvent(event)
        self._clock.stop()
        self._enough.set()


def _fill(column: QVBoxLayout, parts: Sequence[QWidget], tall: QWidget) -> None:
    """Put `parts` below each other; `tall` takes what room there is."""
    column.setSpacing(4)
    for part in parts:
        column.addWidget(part, int(part is tall))


def _own_key(event: QKeyEvent) -> bool:
    plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
    number = Qt.Key.Key_1 <= event.key() < Qt.Key.Key_1 + MAX_CLASSES
    return plain and (number or event.key() == Qt.Key.Key_Backspace)



def _html(text: str, bold: bool = False) -> str:
    if not text:
        return ""
    return f"<b>{escape(text)}</b>" if bold else escape(text)
