"""GroundTruthPanel: the models compared with the generator's truth on new points, and on resampled points."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TypeVar

from PySide6.QtCore import QSize, QTimer, Slot
from PySide6.QtGui import QHideEvent
from PySide6.QtWidgets import QCheckBox, QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import count, grouped, percent
from app.features.evaluation.text import state_words, unbroken
from app.scene.model import Scene
from app.state.session import Session
from app.views.theme import Theme
from app.views.widgets.boxes import headed, in_column, labelled
from app.views.widgets.button_rows import ButtonRows
from app.views.widgets.clickable import check_box, clickable, number_box
from app.views.widgets.inputs import describe, filled, show_check, show_number
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm

from . import text as words
from .bootstrap import LEAST, MOST
from .controller import FEWEST_POINTS, MOST_POINTS, GroundTruthController
from .model import GroundTruthScene, GroundTruthSession, TruthRow

Button = TypeVar("Button", QCheckBox, QPushButton)
#: Shortest interval (ms) between two draws that add up.
PACE = 400
#: Padding (pixels) around the text of a cell.
PADDING = 2


class GroundTruthPanel(QWidget):
    """Truth and stability of the scene; a timer draws the points that add up.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller, self._truth_controller = controller, controller.feature(GroundTruthController)
        self._shown: tuple[GroundTruthScene, Session] | None = None
        self._tables = (False, False, 0)
        describe(
            self,
            "truth",
            "Truth and stability",
            "The models against the truth, and against resampled points.",
            hover=False,
        )
        self._clock = QTimer(self, interval=PACE)
        self._clock.timeout.connect(self._tick)
        self._details = RoomyLabel("truth.details", title="What the numbers mean", rich=True)
        self._details.hide()
        more = check_box("More", "truth.more", "More", "What the numbers mean.", self._details.setVisible)
        inner = in_column(self._truth(), self._stability(), more, self._details, 1, margins=(8, 6, 8, 6))
        filled(QVBoxLayout(self), ScrollingForm(inner), margins=0)
        self.first_stop: QWidget = self._throw

    def _truth(self) -> QWidget:
        self._origin = RoomyLabel("truth.origin", title="Where the points come from", rich=True)
        self._ideal = clickable(
            QCheckBox("Show the boundary (U)"),
            "truth.ideal",
            "Show the boundary (U)",
            "The true or ideal boundary in every picture.",
            self._truth_controller.toggle_ideal,
        )
        self._bayes = RoomyLabel("truth.bayes", title="Error of the ideal classifier", rich=True)
        self._count = number_box(
            "truth.count",
            "New points to draw",
            "How many new points of the generator are drawn at once.",
            self._truth_controller.set_count,
            FEWEST_POINTS,
            MOST_POINTS,
            1000,
        )
        self._count.refused.connect(self._controller.say)
        self._throw = clickable(
            QPushButton("Draw"),
            "truth.throw",
            "Draw",
            "New points of the same kind, with their classes, the same for all models.",
            self._truth_controller.draw_fresh,
        )
        self._keep = clickable(
            QPushButton("Keep drawing"),
            "truth.keep",
            "Keep drawing",
            "More of them, again and again: the counts add up.",
            self._toggle_keep,
        )
        self._keep.setCheckable(True)
        self._pick_up = clickable(
            QPushButton("Remove"),
            "truth.pick_up",
            "Remove",
            "No drawn points in the pictures any more.",
            self._truth_controller.pick_up,
        )
        self._errors = RoomyLabel("truth.errors", title="Failures of each model on new points", rich=True)
        self._throwing = in_column(
            labelled("New points", self._count, 1, spacing=4),
            ButtonRows([self._throw, self._keep, self._pick_up]),
            self._errors,
            spacing=4,
        )
        return headed("Truth", self._origin, self._ideal, self._bayes, self._throwing)

    def _stability(self) -> QWidget:
        self._haze = clickable(
            QCheckBox("Show the haze (H)"),
            "truth.haze",
            "Show the haze (H)",
            "Boundaries of models that learn from resampled points.",
            lambda: self._controller.toggle("bootstrap", GroundTruthSession),
        )
        tip, chosen = "How many models learn from resampled points.", self._truth_controller.set_resamples
        self._resamples = number_box("truth.resamples", "Resamples B", tip, chosen, LEAST, MOST)
        self._resamples.refused.connect(self._controller.say)
        self._disagreements = RoomyLabel("truth.disagreements", title="How far resampled models disagree", rich=True)
        row = labelled("Resamples B", self._resamples, 1, spacing=4)
        return headed("Stability", self._haze, row, self._disagreements)

    def sizeHint(self) -> QSize:
        return QSize(380, 640)

    # -- the display -----------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the known values."""
        truth, session = scene.feature(GroundTruthScene), scene.session
        if truth is None:
            return
        self._shown = truth, session
        law = truth.law
        if law is None or truth.origin is None:
            _say(self._origin, words.NO_POINTS if not len(scene.points) else words.NO_ORIGIN)
        else:
            self._origin.reserve(unbroken(words.origin_words(truth.origin, law, True)))
            _say(self._origin, words.origin_words(truth.origin, law, truth.edited))
        for part in (self._ideal, self._bayes, self._throwing):
            part.setVisible(law is not None)
        if law is not None:
            self._ideal.setText(f"{words.short_name(law)} (U)")
            self._ideal.setEnabled(law.has_truth or law.has_density)
            _say(self._bayes, words.bayes_words(law, truth.bayes))
        _say(self._details, "<br>".join(words.details(truth)))
        self.first_stop = self._throw if law is not None else self._haze
        chosen = session.of(GroundTruthSession)
        show_check(self._ideal, chosen.ideal)
        show_number(self._count, chosen.fresh_count)
        self._throw.setText(f"Draw {grouped(chosen.fresh_count)} new points")
        self._keep.setText("Stop drawing" if chosen.fresh_going else "Keep drawing")
        self._keep.setChecked(chosen.fresh_going)
        if not chosen.fresh_draw.batches and self._pick_up.hasFocus():
            self._throw.setFocus()  # disabling a button moves the focus to any widget
        self._pick_up.setEnabled(chosen.fresh_draw.batches > 0)
        show_check(self._haze, chosen.bootstrap)
        show_number(self._resamples, chosen.resamples)
        self._show_tables(truth, chosen)
        if chosen.fresh_going and law is not None and self.isVisible():
            if not self._clock.isActive():
                self._clock.start()
        else:
            self._clock.stop()

    def _show_tables(self, truth: GroundTruthScene, chosen: GroundTruthSession) -> None:
        tables = chosen.bootstrap, chosen.fresh_draw.batches > 0, len(truth.rows)
        if tables != self._tables:  # other contents need other heights
            self._tables = tables
            self._errors.forget()
            self._disagreements.forget()
        if truth.law is not None:
            self._errors.say(errors_html(truth, tables[1]))
        self._disagreements.say(stability_html(truth, tables[0]))

    # -- the user --------------------------------------------------------------------------------------------------

    @Slot()
    def _toggle_keep(self) -> None:
        going = not self._controller.session.of(GroundTruthSession).fresh_going
        self._truth_controller.keep_drawing_fresh(going)
        if going:
            self._truth_controller.draw_more_fresh()

    @Slot()
    def _tick(self) -> None:
        """Draw the next points after all models have been counted on the last ones."""
        chosen = self._controller.session.of(GroundTruthSession)
        if self._shown is None or not chosen.fresh_going:
            self._clock.stop()
            return
        fresh_draw = chosen.fresh_draw
        truth = self._shown[0]
        tallies = [truth.ideal_tally, *(row.tally for row in counted(truth))]
        if all(tally is not None and tally.fresh_draw == fresh_draw for tally in tallies):
            self._truth_controller.draw_more_fresh()

    def hideEvent(self, event: QHideEvent) -> None:
        """Stop drawing when the panel is hidden."""
        super().hideEvent(event)
        self._clock.stop()
        self._truth_controller.keep_drawing_fresh(False)


def _say(label: RoomyLabel, text: str) -> None:
    """Show a text in as much room as it needs."""
    label.say(unbroken(text), keep=False)


def counted(truth: GroundTruthScene) -> list[TruthRow]:
    """Return the lanes that have a model to count."""
    return [row for row in truth.rows if row.counting or row.tally is not None]


def errors_html(truth: GroundTruthScene, thrown: bool) -> str:
    """Return the errors of each lane and of the ideal classifier, in lines that wrap."""
    assert truth.law is not None
    square = truth.law.has_truth
    if not (thrown or square):
        return escape(words.NOTHING_THROWN)
    head = (["fails", "error", "95 %", "excess"] if thrown else []) + (["area"] if square else [])
    rows: list[tuple[str, list[str]]] = []
    for row in truth.rows:
        cells = _cells(row, truth, square)[0 if thrown else 4 :]
        busy = row.counting and row.tally is not None
        rows.append((f"{row.number}  {row.title}" + (" (counting…)" if busy else ""), cells))
    lines = [] if thrown else [words.NOTHING_THROWN]
    tally = truth.ideal_tally
    if tally is not None:
        lines.append(f"{count(tally.thrown, 'new point')}, the same for all.")
        rows.append(("Ideal classifier", [*words.error_words(tally), "0", *(["–"] if square else [])]))
    if truth.has_neighbours and thrown and truth.bayes is not None:
        rows.append(("1-NN with ever more points", ["–", percent(truth.bayes.nearest), *["–"] * (2 + square)]))
    lines += states(truth)
    parts = []
    for title, cells in rows:
        known = [f"{name} {cell}" for name, cell in zip(head, cells, strict=True) if cell != "–"]
        named = ", ".join(each.replace("95 % ", "95 % in ").replace(" ", "\u00a0") for each in known)
        parts.append(f"<b>{escape(title)}</b><br>{escape(named)}<br>")
    return "".join(parts) + "<br>".join(map(escape, lines))


def states(truth: GroundTruthScene) -> list[str]:
    """Return a line about each training that is not complete."""
    lines = [f"{row.number}: {state}" for row in truth.rows if (state := state_words(row.state))]
    training = any(row.state == "training" for row in truth.rows)
    return [*lines, words.WAITING] if training and any(row.counting for row in truth.rows) else lines


def _cells(row: TruthRow, truth: GroundTruthScene, square: bool) -> list[str]:
    if row.tally is None:
        cells = ["…" if row.counting and truth.ideal_tally is not None else "–"] * 4
    else:
        cells = [*words.error_words(row.tally), words.excess_words(row.tally, truth.ideal_tally)]
    if square:
        cells.append("…" if row.area is None else percent(row.area.share) + ("…" if row.measuring else ""))
    return cells


def stability_html(truth: GroundTruthScene, shown: bool) -> str:
    """Return the table of disagreements, or how to get one."""
    if not shown:
        return escape("Switch the haze on to learn how the boundaries would differ for another random sample.")
    rows, remarks = [], []
    if any(row.state == "training" for row in truth.rows) and any(row.resampling for row in truth.rows):
        remarks.append(words.WAITING)
    for row in truth.rows:
        bootstrap = row.bootstrap
        title = f"{row.number}  {row.title}" + (" (resampling…)" if row.resampling and not row.message else "")
        if bootstrap is None:
            rows.append((title, [row.message or "…"]))
            continue
        rows.append((title, [f"{bootstrap.done} of {bootstrap.of}", *words.disagreement_words(bootstrap)]))
        remark = " ".join(text for text in (words.haze_remarks(bootstrap), row.message) if text)
        if remark:
            remarks.append(f"{row.number}: {remark}")
    return _table(["Models", "Disagree: view", "At points"], rows) + "<br>".join(map(escape, remarks))


def _table(head: Sequence[str], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return an HTML table with a line for each row's title above its cells."""
    parts = ["".join(f"<th align='left'>{escape(each)}</th>" for each in head)]
    for title, cells in rows:
        parts.append(f"<td colspan='{len(head)}'><b>{escape(title)}</b></td>")
        span = f" colspan='{len(head)}'" if len(cells) == 1 else ""
        keep = "" if span else " style='white-space: nowrap'"
        parts.append("".join(f"<td{span}{keep}>{escape(cell)}</td>" for cell in cells))
    body = "".join(f"<tr>{part}</tr>" for part in parts)
    return f"<table width='100%' cellspacing='0' cellpadding='{PADDING}'>{body}</table>"
