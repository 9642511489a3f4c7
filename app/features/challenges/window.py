"""ChallengeDialog: what others are to find in the displayed picture, as one text to copy or save."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QMargins, Qt
from PySide6.QtWidgets import QApplication, QCheckBox, QLabel, QLineEdit, QMainWindow, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.number_format import count
from app.files.background_task import Task, saving
from app.scene.model import Scene
from app.state.document import Document
from app.views.surroundings import AskWhere
from app.views.task_runner import TaskRunner
from app.views.theme import Theme
from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.clickable import chooser
from app.views.widgets.flow_layout import FlowLayout
from app.views.widgets.inputs import (
    describe,
    filled,
    named,
    show_choice,
    show_entries,
    show_number,
    show_text,
    spin_box,
)
from app.views.widgets.qt_dialogs import NamedDialog, add_action

from .making import SHARES, Challenge, Kind, encode, hideable, hint_of

#: Width of the dialog (pixels) where there is room, and characters of the narrowest choice.
WIDE, WIDTH = 560, 16
KINDS: tuple[tuple[str, Kind], ...] = (
    ("Settings of the classifier", "settings"),
    ("Classes of points", "labels"),
    ("As few points as possible", "few"),
)
#: Settings that are hidden by default.
USUAL = ("k", "C", "gamma")
ABOUT = "The picture on screen becomes a challenge: others see its boundary, and find what is behind it."
SECRET = "The text is encoded, not encrypted: anyone who unpacks it can read the answer."


class ChallengeDialog(NamedDialog):
    """Dialog that makes a challenge of the present document.

    Parameters
    ----------
    controller : Controller
    window : QMainWindow
    tasks : TaskRunner
    ask_where : AskWhere
    """

    def __init__(self, controller: Controller, window: QMainWindow, tasks: TaskRunner, ask_where: AskWhere) -> None:
        super().__init__(window, "challenge", "New challenge", once=True)
        self._controller, self._tasks, self._ask_where = controller, tasks, ask_where
        self._document: Document | None = None
        self._kind = chooser(
            "challenge.kind",
            "What is to be found",
            "What the challenge hides.",
            lambda kind: self._choose_kind(),
            KINDS,
            WIDTH,
        )
        tip = "The classifier whose picture is to be found."
        self._lane = chooser("challenge.lane", "Classifier", tip, lambda lane: self._follow(), width=WIDTH)
        self._boxes: dict[str, QCheckBox] = {}
        self._settings = QWidget()
        self._row = FlowLayout(self._settings, 8)
        self._points = named(QLabel(wordWrap=True), "challenge.points")
        self._most = describe(spin_box(1, 450), "challenge.most", "Points at most", "How many may be used.")
        self._share = describe(
            spin_box(50, 100, suffix=" %"), "challenge.share", "Solved at", "Share of the view that must agree."
        )
        self._title = describe(
            QLineEdit(placeholderText="Find the classifier"),
            "challenge.title",
            "Title",
            "What the challenge is called.",
        )
        self._hint = describe(
            QLineEdit(),
            "challenge.hint",
            "Hint",
            "It can be unfolded after some changes; if empty, the hint shown here is used.",
        )
        self._form = AlignedForm(contentsMargins=QMargins())  # type: ignore[call-arg]  # a property of its base
        self._form.add(
            ("To be &found", self._kind),
            ("C&lassifier", self._lane),
            ("Hidden", self._settings),
            ("Hidden", self._points),
            ("Points at &most", self._most),
            ("Solved &at", self._share),
            ("&Title", self._title),
            ("H&int", self._hint),
        )
        self._fault = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "challenge.fault")
        buttons = self.button_box()
        add_action(
            buttons,
            "&Copy",
            "challenge.copy",
            "Copy",
            "For a mail or a chat; pasting opens it.",
            partial(self._make, self._copied),
        )
        add_action(buttons, "&Save…", "challenge.save", "Save", "As a small file.", partial(self._make, self._ask_path))
        about, secret = QLabel(ABOUT, wordWrap=True), named(QLabel(SECRET, wordWrap=True), "challenge.secret")
        filled(QVBoxLayout(self), about, self._form, self._fault, 1, secret, buttons)
        show_choice(self._kind, "settings")
        self.render_scene()
        self._lane.setCurrentIndex(max(self._lane.findData(controller.session.selected_lane(controller.document)), 0))
        self._choose_kind()
        show_number(self._most, max(2, min(450, len(controller.document.points) // 2)))
        self.resize(max(WIDE, self.sizeHint().width()), self.sizeHint().height())

    def render_scene(self, scene: Scene | None = None, theme: Theme | None = None) -> None:
        """Follow the document."""
        document = self._controller.document
        if document is not self._document:
            self._document = document
            lanes = [
                (f"{at + 1}  {lane.title}", at)
                for at, lane in enumerate(document.lanes[: document.shown])
                if not lane.is_difference
            ]
            show_entries(self._lane, lanes)
        self._follow()

    def _choose_kind(self) -> None:
        show_number(self._share, SHARES[self._kind.currentData()])
        self._follow()

    def _follow(self) -> None:
        """Show the fields that belong to the kind of challenge and the classifier."""
        document, kind, lane = self._controller.document, self._kind.currentData(), self._lane.currentData()
        fields = [] if lane is None else hideable(document, lane)
        self._offer({field.name: field.title for field in fields})
        chosen = len(self._controller.session.selection)
        which = f"the {count(chosen, 'selected point')}." if chosen else "all points; select some to hide only theirs."
        show_text(self._points, f"The classes of {which}")
        rows: dict[QWidget, bool] = {
            self._settings: kind == "settings",
            self._points: kind == "labels",
            self._most: kind == "few",
            self._lane: self._lane.count() > 1,
        }
        for row, visible in rows.items():
            self._form.setRowVisible(row, visible)
        show_text(self._fault, "")
        if lane is not None:
            self._hint.setPlaceholderText(hint_of(document, self._challenge()))

    def _offer(self, titles: dict[str, str]) -> None:
        """Show a box for each setting that can be hidden."""
        if list(titles) == list(self._boxes):
            return
        for box in self._boxes.values():
            box.setParent(None)
            box.deleteLater()
        self._boxes = {}
        for name, title in titles.items():
            box = describe(QCheckBox(title), f"challenge.hide.{name}", f"Hide {title}", "Its value is to be found.")
            box.setChecked(name in USUAL)
            box.clicked.connect(self._follow)
            self._row.addWidget(box)
            self._boxes[name] = box

    def _challenge(self) -> Challenge:
        return Challenge(
            self._kind.currentData(),
            self._lane.currentData() or 0,
            tuple(name for name, box in self._boxes.items() if box.isChecked()),
            self._controller.session.selection.ids,
            self._most.value(),
            self._share.value(),
            self._title.text(),
            self._hint.text(),
        )

    # -- copy and save -------------------------------------------------------------------------------------------------

    def _make(self, then: Callable[[str], object]) -> None:
        """Make the text in the background, and pass it to `then`; errors are displayed in the dialog."""
        document, challenge = self._controller.document, self._challenge()
        failure = "The challenge was not made"
        task = Task("Making a challenge", lambda progress: encode(document, challenge, progress), failure, kept=False)
        self._tasks.run(task, then, lambda error: show_text(self._fault, str(error)))

    def _copied(self, text: str) -> None:
        QApplication.clipboard().setText(text)
        show_text(self._fault, f"Copied: {count(len(text), 'character')}. To solve it, paste it into this window.")

    def _ask_path(self, text: str) -> None:
        def write(path: Path) -> None:
            self._tasks.run(saving(path, lambda progress: text.encode()), self._controller.say)

        self._ask_where("Save the challenge", "challenge_file", "challenge", {"Challenge": ".txt"}, write)
