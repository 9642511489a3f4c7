"""StudyPanel: plan a study, watch its picture fill, read it, and put a cell into a classifier."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt, QTimer, Signal, SignalInstance, Slot
from PySide6.QtWidgets import (
    QCheckBox,
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.controllers.controller import Controller
from app.core.number_format import grouped
from app.files.background_task import Progress, Task, saving
from app.files.documents import FileError
from app.scene.model import Scene
from app.views.task_runner import TaskRunner
from app.views.theme import Theme
from app.views.widgets.flow_layout import FlowLayout
from app.views.widgets.form_fields import NumberField, combo_box, describe, filled, named, show_check, show_text
from app.views.widgets.qt_dialogs import ask_path, ask_where
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm

from . import reading, results
from .controller import StudyController
from .map_reading import cell_text, standing, value_text
from .model import MEASURES, Study
from .planning import titles
from .results import StudyResults, check
from .view_form import StudyForm, fill, labelled
from .view_picture import Drawn, StudyPicture, picture_bytes

#: Milliseconds from one picture of a running study to the next.
TICK = 150
#: Milliseconds that a plan stays as it is before it is measured how long it will take.
SETTLED = 500
HINT = "Point at a cell, or go there with the arrow keys; a click or Enter puts its settings into the classifier."
EMPTY = "Nothing is computed yet: choose what to vary, and start."
#: What the results are saved as, by suffix.
FILES = {
    ".png": "PNG picture",
    ".svg": "SVG picture",
    ".csv": "Table of all results",
    ".toml": "Study for the command line",
}
#: Beyond what any number of the results can be.
FAR = 1e12


class _Level(QWidget):
    """A number that may be switched off."""

    def __init__(self, name: str, text: str, tip: str, studies: StudyController) -> None:
        super().__init__()
        self._name, self._studies = name, studies
        self.check = describe(QCheckBox(text), f"study.{name}", text, tip)
        self.field = describe(NumberField(text.replace("&", ""), -FAR, FAR), f"study.{name}.value", f"{text} at", tip)
        self.field.setMinimumWidth(52)
        self.field.setMaximumWidth(84)
        self.check.clicked.connect(self._switch)
        self.field.committed.connect(lambda value: studies.look_at(**{name: value}))
        self._proposal = 0.0
        filled(QHBoxLayout(self), self.check, self.field, margins=0, spacing=4)

    def _switch(self, on: bool) -> None:
        self._studies.look_at(**{self._name: self._proposal if on else None})

    def show_level(self, level: float | None, proposal: float, percent: bool) -> None:
        """Show it, a share in per cent; `proposal` is what it is at first."""
        self._proposal = proposal
        self.field.show_percent(percent)
        show_check(self.check, level is not None)
        self.field.setEnabled(level is not None)
        self.field.show_value(proposal if level is None else level)


class StudyPanel(QWidget):
    """Form, progress, picture and its words.

    Parameters
    ----------
    controller : Controller
    tasks : TaskRunner
        For files.
    closed : SignalInstance
        With it, what is computed ends.
    """

    _rung = Signal()

    def __init__(self, controller: Controller, tasks: TaskRunner, closed: SignalInstance) -> None:
        super().__init__()
        self._controller, self._tasks = controller, tasks
        self.studies = studies = controller.feature(StudyController)
        self._scene: tuple[Scene, Theme] | None = None
        self._picture_of: tuple[object, ...] = ()
        self._drawn: Drawn | None = None
        self._open: bool | None = None
        describe(self, "study", "Study", "Many trainings over a table of settings, as one picture.")
        self.setToolTip("")
        self._clock = QTimer(self, singleShot=True, interval=TICK)
        self._clock.timeout.connect(self._collect)
        self._measuring = QTimer(self, singleShot=True)
        self._measuring.timeout.connect(self._measure)
        self._planned: Study | None = None
        self._rung.connect(self._ring, Qt.ConnectionType.QueuedConnection)
        studies.wake = self._rung.emit
        studies.aside = lambda work, done: tasks.run(
            Task("Keeping the study", lambda progress: work(), "The study was not kept", kept=False), done
        )
        closed.connect(studies.close)
        self.destroyed.connect(studies.close)
        self.form = StudyForm(studies)
        self._build()

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _build(self) -> None:
        self.fold = describe(QToolButton(), "study.fold", "Set up", "What is studied: shown, or folded away.")
        self.fold.setText("Set up")
        self.fold.setCheckable(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.clicked.connect(self._folded)
        self.forecast = named(QLabel(wordWrap=True), "study.forecast")
        self.open = describe(
            QPushButton("&Open…"), "study.open", "Open results", "Those that the command line has put into a folder."
        )
        self.open.clicked.connect(self._ask_folder)
        self.start = describe(QPushButton("&Start"), "study.start", "Start", "Compute all of it in the background.")
        self.start.clicked.connect(self._start)
        self.pause = describe(QPushButton("Pa&use"), "study.pause", "Pause", "Rest after the cell at hand, or go on.")
        self.pause.clicked.connect(self._act(self.studies.pause))
        self.cancel = describe(
            QPushButton("&Cancel"),
            "study.cancel",
            "Cancel",
            "End it; what was computed stays, and can be gone on with.",
        )
        self.cancel.clicked.connect(self._act(self.studies.cancel))
        self.bar = describe(QProgressBar(), "study.progress", "Progress", "How much of the study is computed.")
        self.bar.setTextVisible(False)
        self.bar.setMaximumHeight(10)
        self.left = named(QLabel(), "study.left")
        first, self._going = QWidget(), QWidget()
        filled(QHBoxLayout(first), self.fold, 1, self.open, self.start, margins=0, spacing=6)
        buttons = QWidget()
        flow = FlowLayout(buttons, 8)
        for widget in (self.left, self.pause, self.cancel):
            flow.addWidget(widget)
        filled(QVBoxLayout(self._going), self.bar, buttons, margins=0, spacing=4)
        self.warning = named(QLabel(wordWrap=True), "study.warning")
        self.remedy = describe(QPushButton(), "study.remedy", "Extend", "Compute what the sentence asks for.")
        self.remedy.clicked.connect(self._remedy)
        self._warned = QWidget()
        filled(QHBoxLayout(self._warned), (self.warning, 1), self.remedy, margins=0, spacing=6)
        self.picture = describe(
            StudyPicture(lambda places: self._say(), self.studies.apply),
            "study.picture",
            "Results",
            "Arrow keys go from cell to cell, Enter puts its settings into the classifier.",
        )
        self.picture.setToolTip("")
        self.empty = named(QLabel(EMPTY, wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter), "study.empty")
        self.words = RoomyLabel("study.words", title="The cell that is read")
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self._options = self._option_row()
        self._scrolled = ScrollingForm(self.form)
        filled(
            QVBoxLayout(self),
            first,
            self.forecast,
            (self._scrolled, 1),
            self._going,
            self._warned,
            self._options,
            (self.picture, 3),
            (self.empty, 1),
            self.words,
            margins=(8, 6, 8, 6),
            spacing=5,
        )

    def _option_row(self) -> QWidget:
        row = QWidget()
        flow = FlowLayout(row, 10)
        self.value = describe(combo_box(width=10), "study.shown", "What is shown", "Of what was measured.")
        self.value.activated.connect(
            lambda: self.studies.look_at(value=str(self.value.currentData()), midpoint=None, level=None)
        )
        self._value_box = labelled("Sh&ow", self.value)
        flow.addWidget(self._value_box)
        self.rests, self._rest_boxes = [], []
        for number in range(4):
            choice = describe(combo_box(width=7), f"study.rest{number}", "Further axis", "The map of this value.")
            choice.activated.connect(self._choose_rest)
            self.rests.append(choice)
            box = QWidget()
            filled(QHBoxLayout(box), QLabel(), choice, margins=0, spacing=4)
            self._rest_boxes.append(box)
            flow.addWidget(box)
        self.midpoint = _Level("midpoint", "Midpoint", "Blue below it, orange above it.", self.studies)
        self.level = _Level("level", "Contour", "A line where the mean is this.", self.studies)
        for each in (self.midpoint, self.level):
            each.field.refused.connect(self._controller.say)
            flow.addWidget(each)
        self.save = describe(
            QPushButton("Sa&ve…"),
            "study.save",
            "Save the results",
            "The picture as PNG or SVG, the results as CSV, the study as a file.",
        )
        self.save.clicked.connect(self._ask_path)
        flow.addWidget(self.save)
        return row

    # -- the user ------------------------------------------------------------------------------------------------------

    def _act(self, act: Any) -> Any:
        def done() -> None:
            act()
            self._again()

        return done

    def _folded(self, on: bool) -> None:
        self._open = on
        self._again()

    def _start(self) -> None:
        self._open = False
        self.studies.start()
        self._again()
        self.picture.setFocus()

    def _remedy(self) -> None:
        if self.studies.state != "ended":
            return
        if self.studies.outdated:
            self.studies.again()
        elif self.studies.missing:
            self.studies.go_on()
        else:
            self.studies.extend()
        self._again()

    def _choose_rest(self) -> None:
        kept = self.studies.kept
        if kept is not None:
            rest = tuple(int(choice.currentData()) for choice in self.rests[: len(kept.study.axes) - 2])
            self.studies.look_at(rest=rest)

    # -- what comes in -------------------------------------------------------------------------------------------------

    @Slot()
    def _ring(self) -> None:
        if not self._clock.isActive():
            self._clock.start()

    @Slot()
    def _collect(self) -> None:
        if self.studies.collect():
            self._again()

    def _again(self) -> None:
        if self._scene is not None:
            self.render_scene(*self._scene)

    @Slot()
    def _measure(self) -> None:
        """Measure how long the plan will take while it is displayed; again when it has changed."""
        if self.form.isVisible() and self.studies.measure():
            self._measuring.start(TICK)
        self._again()

    # -- drawing -------------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show plan, progress and results."""
        self._scene = scene, theme
        studies = self.studies
        studies.look()
        has = studies.kept is not None
        opened = not has if self._open is None else self._open
        self.fold.setChecked(opened)
        self.fold.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self._scrolled.setVisible(opened)
        self.first_stop = self.form.kind if opened else self.picture
        if opened:
            self.form.show_plan(scene)
            study = studies.planned().study
            if study != self._planned and self.isVisible():
                self._planned = study
                self._measuring.start(SETTLED)
        running = studies.state != "ended"
        sound = studies.planned().study is not None
        forecast = studies.forecast() if sound else "Not ready: see what is said below."
        show_text(self.forecast, forecast)
        self.forecast.setVisible(not running)
        self.start.setVisible(not running)
        self.open.setVisible(not running)
        self.start.setEnabled(sound)
        self._show_progress()
        self._show_warning(opened)
        for part in (self._options, self.picture, self.words):
            part.setVisible(has and not opened)  # there is no room for both
        self.empty.setVisible(not has and not opened)
        self._show_picture(scene, theme)

    def _show_progress(self) -> None:
        state = self.studies.state
        self._going.setVisible(state != "ended")
        self.bar.setRange(0, 1000)
        self.bar.setValue(round(1000 * self.studies.share))
        show_text(self.left, self.studies.left if state != "ended" else "")
        word = "&Resume" if state == "paused" else "Pa&use"
        show_text(self.pause, word)  # type: ignore[arg-type]
        self.pause.setAccessibleName(word.replace("&", ""))

    def _show_warning(self, opened: bool) -> None:
        studies, sentence, remedy = self.studies, self.studies.failure, ""
        kept = studies.kept
        if kept is not None and studies.outdated:
            sentence, remedy = studies.why_outdated, "&Run again"
        elif kept is not None and studies.state == "ended":
            missing = studies.missing
            best = studies.best()
            if missing:
                done = kept.done
                sentence = f"{studies.failure} {grouped(done)} of {grouped(done + missing)} results are there.".strip()
                remedy = "&Go on"
            elif best is not None and best.axis >= 0:
                name = kept.study.axes[best.axis].name
                sentence = f"The best is at the edge of {titles(kept.study.lane, True)[name]}: extend."
                remedy = "&Extend"
        self._warned.setVisible(bool(sentence) and (kept is None or not opened))
        show_text(self.warning, sentence)
        self.remedy.setText(remedy)
        self.remedy.setAccessibleName(remedy.replace("&", "") or "Extend")
        self.remedy.setVisible(bool(remedy))
        self.remedy.setEnabled(studies.state == "ended")

    def _show_picture(self, scene: Scene, theme: Theme) -> None:
        studies, kept = self.studies, self.studies.kept
        if kept is None:
            self._drawn, self._picture_of = None, ()
            self.picture.show_results(None, theme)
            return
        study, session, value, rest = kept.study, studies.session, studies.value, studies.rest
        fill(self.value, ((study.heading(name), name) for name in study.values), value)
        self._value_box.setVisible(len(study.values) > 1)
        names = titles(study.lane, True)
        for number, (choice, box) in enumerate(zip(self.rests, self._rest_boxes, strict=True)):
            box.setVisible(number + 2 < len(study.axes))
            if number + 2 < len(study.axes):
                axis = study.axes[number + 2]
                entries = [(value_text(study, number + 2, each), place) for place, each in enumerate(axis.values)]
                fill(choice, entries, rest[number])
                label = box.findChild(QLabel)
                if label is not None:
                    show_text(label, names.get(axis.name, axis.name))
                choice.setAccessibleName(names.get(axis.name, axis.name))
        stands = standing(study, studies.lane, scene.generator)
        key = (kept, studies.changes, value, rest, session.midpoint, session.level, stands)
        if key != self._picture_of:
            self._picture_of = key
            means = kept.means(value)
            cross, same = stands if stands is not None else (None, True)
            best = studies.best()
            self._drawn = Drawn(kept, means, value, rest, best, cross, same, session.midpoint, session.level)
        assert self._drawn is not None
        flat = self._drawn.curves
        self.midpoint.setVisible(not flat)
        self.level.setVisible(not flat)
        self._show_levels()
        self.picture.show_results(self._drawn, theme)
        self._say()

    def _show_levels(self) -> None:
        assert self._drawn is not None
        drawn, session = self._drawn, self.studies.session
        best, proposal = drawn.best, 0.5
        if best is not None:
            spread = drawn.means.spread[best.places]
            mean = float(drawn.means.mean[best.places])
            proposal = float(f"{mean - (spread if spread > 0 else 0.02 * abs(mean)):.3g}")
        self.midpoint.show_level(session.midpoint, proposal, MEASURES[drawn.value].share)
        self.level.show_level(session.level, proposal, MEASURES[drawn.value].share)

    def _say(self) -> None:
        """What is known of the cell that is read, or else of the best one."""
        drawn = self._drawn
        if drawn is None:
            return
        places = self.picture.places(self.picture.cell)
        if places is not None:
            said = cell_text(drawn.kept, drawn.means, drawn.value, places)
            self.words.say(said)
            self.picture.setAccessibleDescription(said)
        elif drawn.best is not None:
            best = cell_text(drawn.kept, drawn.means, drawn.value, drawn.best.places)
            self.words.say(f"Best (star): {best}. The cross is the classifier.")
        else:
            self.words.say(HINT if not drawn.curves else HINT.replace("cell", "value"))

    # -- files ---------------------------------------------------------------------------------------------------------

    def _folder(self) -> Path:
        """Where files are first looked for: beside the document."""
        path = self._controller.store.path
        return path.parent if path is not None else Path.home()

    def _ask_path(self) -> None:
        def chosen(path: Path) -> None:
            suffix = dialog.selectedNameFilter().partition("*")[2].rstrip(")")
            self.save_as(path if path.suffix.lower() in FILES else Path(f"{path}{suffix}"))

        kinds = {what: suffix for suffix, what in FILES.items()}
        dialog = ask_where(self, "study.path", "Save the results as", self._folder() / "study.png", kinds, chosen)

    def save_as(self, path: Path) -> None:
        """Write the picture, or with the suffixes .csv and .toml all results or the study, on a thread."""
        drawn = self._drawn
        if drawn is None:
            return
        kept, kind, document = drawn.kept.copy(), path.suffix.lower()[1:], self._controller.store.path

        def encode(progress: Progress) -> bytes:
            if kind == "csv":
                return kept.table()
            if kind == "toml":
                return study_file(kept.study, path, document)
            return picture_bytes([drawn], kind)

        self._tasks.run(saving(path, encode), self._controller.say)

    def _ask_folder(self) -> None:
        dialog = QFileDialog(self, "Open the results in a folder", str(self._folder()))
        dialog.setFileMode(QFileDialog.FileMode.Directory)
        ask_path(dialog, "study.folder", self.open_results)

    def open_results(self, folder: Path) -> None:
        """Show what the command line has computed, and keep it with the document."""
        task = Task(f"Reading {folder.name}", lambda progress: of_folder(folder), "It was not read", False)
        self._tasks.run(task, self._opened)

    def _opened(self, kept: StudyResults) -> None:
        self._open = False
        self.studies.take(kept)
        self._again()


def study_file(study: Study, path: Path, document: Path | None) -> bytes:
    """The study as a file at `path` that the command line runs; FileError where it would name no document."""
    name = ""
    if study.digest:
        if document is None:
            raise FileError("The study names the document that has its points: save that first.")
        name = os.path.relpath(document, path.parent).replace(os.sep, "/")
    return reading.written(study, "A study of Classifier Playground.", name).encode()


def of_folder(folder: Path) -> StudyResults:
    """The results in a folder; FileError where there are none, or too many for the window."""
    found = results.read(folder)
    try:
        check(found.study)
    except ValueError as error:
        raise FileError(f"The study in {folder.name} cannot be shown here: {error}.") from None
    return found
