"""StudyPanel: plan a study, follow its picture, read it, and put a cell into a classifier."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, SignalInstance, Slot
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.controllers.controller import Controller
from app.files.background_task import Task, saving
from app.files.documents import FileError
from app.scene.model import Scene
from app.views.task_runner import TaskRunner
from app.views.theme import Theme
from app.views.widgets.boxes import in_column, in_lines, in_row, labelled
from app.views.widgets.clickable import check_box, chooser, clickable
from app.views.widgets.inputs import NumberField, describe, filled, named, show_check, show_options, show_text
from app.views.widgets.qt_dialogs import ask_path, ask_where
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm

from . import reading, results
from .controller import StudyController
from .map_reading import axis_title, cell_text, standing, value_text
from .model import MEASURES, Study
from .results import StudyResults, check
from .view_form import StudyForm
from .view_picture import Drawn, StudyPicture, picture_bytes

#: Interval (ms) between two pictures of a running study.
TICK = 150
#: Delay (ms) after the last change of a plan before its duration is measured.
SETTLED = 500
HINT = "Point at a cell, or go there with the arrow keys; a click or Enter puts its settings into the classifier."
EMPTY = "No results yet: choose what to vary, and press Start."
#: Formats of saved results, with the ends of file names.
FILES = {
    "PNG picture": ".png",
    "SVG picture": ".svg",
    "Table of all results": ".csv",
    "Study for the command line": ".toml",
}
#: Bound beyond all numbers of the results.
FAR = 1e12


class _Level(QWidget):
    """A check box with a number."""

    def __init__(self, name: str, text: str, tip: str, studies: StudyController, say: Callable[[str], object]) -> None:
        super().__init__()
        self._proposal = 0.0
        self.check = check_box(
            text, f"study.{name}", text, tip, lambda on: studies.set_display(**{name: self._proposal if on else None})
        )
        self.field = describe(NumberField(text, -FAR, FAR), f"study.{name}.value", f"{text} at", tip)
        self.field.setMinimumWidth(52)
        self.field.setMaximumWidth(84)
        self.field.committed.connect(lambda value: studies.set_display(**{name: value}))
        self.field.refused.connect(say)
        filled(QHBoxLayout(self), self.check, self.field, margins=0, spacing=4)

    def show_level(self, level: float | None, proposal: float, percent: bool) -> None:
        """Show the number, a share as a percentage; `proposal` is its initial value."""
        self._proposal = proposal
        self.field.show_percent(percent)
        show_check(self.check, level is not None)
        self.field.setEnabled(level is not None)
        self.field.show_value(proposal if level is None else level)


class _FurtherAxis(QWidget):
    """The choice of a value of an axis beyond the second, whose map is displayed."""

    def __init__(self, number: int, choose: Callable[[], object]) -> None:
        super().__init__()
        self._label = QLabel()
        self.choice = chooser(
            f"study.rest{number}", "Further axis", "The map of this value.", lambda value: choose(), width=7
        )
        filled(QHBoxLayout(self), self._label, self.choice, margins=0, spacing=4)

    def show_axis(self, study: Study, axis: int, chosen: int) -> None:
        """Show the values of an axis."""
        values = enumerate(study.axes[axis].values)
        show_options(self.choice, [(value_text(study, axis, each), index) for index, each in values], chosen)
        show_text(self._label, axis_title(study, axis))
        self.choice.setAccessibleName(axis_title(study, axis))


class StudyPanel(QWidget):
    """Form, progress, picture and the text of the cell that is read.

    Parameters
    ----------
    controller : Controller
    tasks : TaskRunner
        Writes files.
    closed : SignalInstance
        Emitted when the window closes: the run ends with it.
    """

    def __init__(self, controller: Controller, tasks: TaskRunner, closed: SignalInstance) -> None:
        super().__init__()
        self._controller, self._tasks = controller, tasks
        self.studies = studies = controller.feature(StudyController)
        self._scene: tuple[Scene, Theme] | None = None
        self._picture_of: tuple[object, ...] = ()
        self._drawn: Drawn | None = None
        self._open: bool | None = None
        self._planned: Study | None = None
        describe(self, "study", "Study", "Many trainings over a table of settings, as one picture.", hover=False)
        self._clock = QTimer(self, interval=TICK)
        self._clock.timeout.connect(self._collect)
        self._measuring = QTimer(self, singleShot=True)
        self._measuring.timeout.connect(self._measure)
        studies.aside = lambda work, done: tasks.run(
            Task("Keeping the study", lambda progress: work(), "The study was not kept", kept=False), done
        )
        closed.connect(studies.close)
        self.destroyed.connect(studies.close)
        self.form = StudyForm(studies)
        self._scrolled = ScrollingForm(self.form)
        self.forecast = named(QLabel(wordWrap=True), "study.forecast")
        # Two lines from the start: the map below must not move under the pointer.
        self.forecast.setMinimumHeight(2 * self.forecast.fontMetrics().lineSpacing())
        head, self._going, self._warned = self._head(), self._progress(), self._warning()
        self.picture = describe(
            StudyPicture(lambda cell: self._say(), studies.apply),
            "study.picture",
            "Results",
            "Arrow keys go from cell to cell, Enter puts its settings into the classifier.",
            hover=False,
        )
        self.empty = named(QLabel(EMPTY, wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter), "study.empty")
        self.words = RoomyLabel("study.words", title="The cell that is read")
        self.words.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        self._options = self._option_row()
        below = self._going, self._warned, self._options, (self.picture, 3), (self.empty, 1), self.words
        filled(QVBoxLayout(self), head, self.forecast, (self._scrolled, 1), *below, margins=(8, 6, 8, 6), spacing=5)

    # -- parts ---------------------------------------------------------------------------------------------------------

    def _head(self) -> QWidget:
        self.fold = describe(QToolButton(), "study.fold", "Set up", "Show or hide the form of the study.")
        self.fold.setText("Set up")
        self.fold.setCheckable(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.clicked.connect(self._folded)
        self.open = clickable(
            QPushButton("&Open…"),
            "study.open",
            "Open results",
            "Open results that the command line wrote into a folder.",
            self._ask_folder,
        )
        self.start = clickable(
            QPushButton("&Start"), "study.start", "Start", "Compute all of it in the background.", self._start
        )
        return in_row(self.fold, 1, self.open, self.start, spacing=6)

    def _progress(self) -> QWidget:
        bar = QProgressBar(maximum=1000, textVisible=False)
        self.bar = describe(bar, "study.progress", "Progress", "How much of the study is computed.")
        self.bar.setMaximumHeight(10)
        self.left = named(QLabel(), "study.left")
        self.pause = clickable(
            QPushButton("Pa&use"),
            "study.pause",
            "Pause",
            "Pause after the present cell, or resume.",
            lambda: self._act(self.studies.pause),
        )
        self.cancel = clickable(
            QPushButton("&Cancel"),
            "study.cancel",
            "Cancel",
            "Stop; the results so far are kept, and the study can be continued.",
            lambda: self._act(self.studies.cancel),
        )
        return in_column(self.bar, in_lines(8, self.left, self.pause, self.cancel), spacing=4)

    def _warning(self) -> QWidget:
        self.warning = named(QLabel(wordWrap=True), "study.warning")
        self.remedy = clickable(
            QPushButton(),
            "study.remedy",
            "Extend",
            "Compute what the sentence asks for.",
            lambda: self._act(self.studies.mend),
        )
        return in_row((self.warning, 1), self.remedy, spacing=6)

    def _option_row(self) -> QWidget:
        studies = self.studies
        self.value = chooser(
            "study.shown",
            "What is shown",
            "The measure on the picture.",
            lambda value: studies.set_display(value=value, midpoint=None, level=None),
            width=10,
        )
        self.value.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._value_box = labelled("Sh&ow", self.value, spacing=4)
        self.further_axes = [_FurtherAxis(number, self._choose_rest) for number in range(4)]
        refused, tip = self._controller.say, "Blue below this value, orange above it."
        self.midpoint = _Level("midpoint", "Midpoint", tip, studies, refused)
        self.level = _Level("level", "Contour", "A line where the mean has this value.", studies, refused)
        self.save = clickable(
            QPushButton("Sa&ve…"),
            "study.save",
            "Save the results",
            "The picture as PNG or SVG, the results as CSV, the study as a file.",
            self._ask_path,
        )
        return in_lines(10, self._value_box, *self.further_axes, self.midpoint, self.level, self.save)

    # -- the user ------------------------------------------------------------------------------------------------------

    def _act(self, act: Callable[[], object]) -> None:
        act()
        self._again()

    def _folded(self, on: bool) -> None:
        self._open = on
        self._again()

    def begin(self, kind: str) -> None:
        """Open the form on a kind of study; results of that kind stay in sight."""
        if self.studies.plan.kind != kind:
            self._open = True
            self.studies.choose_kind(kind)

    def _start(self) -> None:
        self._open = False
        self._act(self.studies.start)
        self.picture.setFocus()

    def _choose_rest(self) -> None:
        there = self.further_axes[: len(self.studies.rest)]
        self.studies.set_display(rest=tuple(each.choice.currentData() for each in there))

    # -- new results ---------------------------------------------------------------------------------------------------

    @Slot()
    def _collect(self) -> None:
        if self.studies.collect() or self.studies.state == "ended":
            self._again()

    def _again(self) -> None:
        if self._scene is not None:
            self.render_scene(*self._scene)

    @Slot()
    def _measure(self) -> None:
        """Measure the duration of the planned study while the form is visible; again after each change."""
        if self.form.isVisible() and self.studies.measure():
            self._measuring.start(TICK)
        self._again()

    # -- drawing -------------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show plan, progress and results."""
        self._scene = scene, theme
        studies = self.studies
        studies.load()
        has, running = studies.kept is not None, studies.state != "ended"
        opened = not has if self._open is None else self._open
        self.fold.setChecked(opened)
        self.fold.setArrowType(Qt.ArrowType.DownArrow if opened else Qt.ArrowType.RightArrow)
        self._scrolled.setVisible(opened)
        self.first_stop = self.form.kind if opened else self.picture
        study = studies.planned().study
        if opened:
            self.form.show_plan(scene)
            if study != self._planned and self.isVisible():
                self._planned = study
                self._measuring.start(SETTLED)
        show_text(self.forecast, studies.forecast())
        self.start.setEnabled(study is not None)
        for part in (self.forecast, self.start, self.open):
            part.setHidden(running)
        self._show_progress(running)
        self._show_warning(running, opened and has)
        for below in (self._options, self.picture, self.words):
            below.setVisible(has and not opened)  # there is no room for both
        self.empty.setVisible(not has and not opened)
        self._show_picture(scene, theme)

    def _show_progress(self, running: bool) -> None:
        if not running:
            self._clock.stop()
        elif not self._clock.isActive():
            self._clock.start()
        self._going.setVisible(running)
        self.bar.setValue(round(1000 * self.studies.share))
        show_text(self.left, self.studies.left)
        word = "&Resume" if self.studies.state == "paused" else "Pa&use"
        self.pause.setText(word)
        self.pause.setAccessibleName(word.replace("&", ""))

    def _show_warning(self, running: bool, covered: bool) -> None:
        sentence, remedy, _ = self.studies.remedy()
        self._warned.setVisible(bool(sentence) and not covered)
        show_text(self.warning, sentence)
        self.remedy.setText(remedy)
        self.remedy.setAccessibleName(remedy.replace("&", "") or "Extend")
        self.remedy.setVisible(bool(remedy))
        self.remedy.setEnabled(not running)

    def _show_picture(self, scene: Scene, theme: Theme) -> None:
        studies, kept = self.studies, self.studies.kept
        if kept is None:
            self._drawn, self._picture_of = None, ()
            self.picture.show_results(None, theme)
            return
        study, session, value, rest = kept.study, studies.session, studies.value, studies.rest
        show_options(self.value, ((study.heading(name), name) for name in study.values), value)
        self._value_box.setVisible(len(study.values) > 1)
        for number, further in enumerate(self.further_axes):
            further.setVisible(number < len(rest))
            if number < len(rest):
                further.show_axis(study, number + 2, rest[number])
        stands = standing(study, studies.lane, scene.document.generator)
        key = (kept, studies.changes, value, rest, session.midpoint, session.level, stands)
        if self._drawn is None or key != self._picture_of:
            self._picture_of = key
            cross, same = stands or (None, True)
            marks = studies.best(), cross, same, session.midpoint, session.level
            self._drawn = Drawn(kept, kept.means(value), value, rest, *marks)
        self._show_levels(self._drawn)
        self.picture.show_results(self._drawn, theme)
        self._say()

    def _show_levels(self, drawn: Drawn) -> None:
        best, proposal = drawn.best, 0.5
        if best is not None:
            spread, mean = drawn.means.spread[best.cell], float(drawn.means.mean[best.cell])
            proposal = float(f"{mean - (spread if spread > 0 else 0.02 * abs(mean)):.3g}")
        for shown, level in ((self.midpoint, drawn.midpoint), (self.level, drawn.level)):
            shown.setVisible(not drawn.curves)
            shown.show_level(level, proposal, MEASURES[drawn.value].share)

    def _say(self) -> None:
        """Show the text of the cell that is read, or else of the best one."""
        drawn = self._drawn
        if drawn is None:
            return
        if (cell := self.picture.cell_read()) is not None:
            cell_words = cell_text(drawn.kept, drawn.means, drawn.value, cell)
            self.words.say(cell_words)
            self.picture.setAccessibleDescription(cell_words)
        elif drawn.best is not None:
            best = cell_text(drawn.kept, drawn.means, drawn.value, drawn.best.cell)
            self.words.say(f"Best (star): {best}. The cross marks the classifier's settings.")
        else:
            self.words.say(HINT if not drawn.curves else HINT.replace("cell", "value"))

    # -- files ---------------------------------------------------------------------------------------------------------

    def _ask_path(self) -> None:
        def chosen(path: Path) -> None:
            suffix = dialog.selectedNameFilter().partition("*")[2].rstrip(")")
            self.save_as(path if path.suffix.lower() in FILES.values() else Path(f"{path}{suffix}"))

        offered = self._controller.store.folder / "study.png"
        dialog = ask_where(self, "study.path", "Save the results as", offered, FILES, chosen)

    def save_as(self, path: Path) -> None:
        """Write the picture or, for the suffixes .csv and .toml, all results or the study, on another thread."""
        drawn = self._drawn
        if drawn is None:
            return
        kept, kind, document = drawn.kept.copy(), path.suffix.lower()[1:], self._controller.store.path

        tables: dict[str, Callable[[], bytes]] = {
            "csv": kept.table,
            "toml": lambda: study_file(kept.study, path, document),
        }
        encode = tables.get(kind) or picture_bytes(drawn, kind)
        self._tasks.run(saving(path, lambda progress: encode()), self._controller.say)

    def _ask_folder(self) -> None:
        folder, mode = str(self._controller.store.folder), QFileDialog.FileMode.Directory
        dialog = QFileDialog(self, "Open the results in a folder", folder, fileMode=mode)
        ask_path(dialog, "study.folder", self.open_results)

    def open_results(self, folder: Path) -> None:
        """Show results that the command line has computed, and keep them with the document."""
        task = Task(f"Reading {folder.name}", lambda progress: of_folder(folder), "It was not read", False)
        self._tasks.run(task, self._opened)

    def _opened(self, kept: StudyResults) -> None:
        self._open = False
        self.studies.take(kept)
        self._again()
        if kept.damage:
            self._controller.say(kept.damage)


def study_file(study: Study, path: Path, document: Path | None) -> bytes:
    """Return the study as a file at `path` for the command line; raise FileError if it would need a saved document."""
    name = ""
    if study.digest:
        if document is None:
            raise FileError("The study names the document that has its points: save that first.")
        name = os.path.relpath(document, path.parent).replace(os.sep, "/")
    return reading.written(study, "A study of Classifier Playground.", name).encode()


def of_folder(folder: Path) -> StudyResults:
    """Return the results in a folder; raise FileError if there are none, or too many for the window."""
    found = results.read(folder)
    try:
        check(found.study)
    except ValueError as error:
        raise FileError(f"The study in {folder.name} cannot be shown here: {error}.") from None
    return found
