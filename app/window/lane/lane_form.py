"""LaneForm: the further settings of a lane in one aligned form, in groups, with its formula and numbers."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from itertools import count
from typing import get_args

from msgspec import UNSET
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QLabel, QPushButton, QSizePolicy, QWidget

from app.controllers.controller import Controller
from app.learners.fields import Group
from app.scene import text
from app.scene.feature import FeatureTable
from app.scene.model import LaneScene
from app.scene.status_badge import StatusPart
from app.state.commands import SetLane
from app.state.document import Lane
from app.state.session import FULL_SPEED, SPEEDS
from app.views.theme import LIGHT, Theme
from app.views.widgets.boxes import grid_on
from app.views.widgets.clickable import check_box, clickable, slider
from app.views.widgets.inputs import (
    label_for,
    leave_field,
    named,
    show_check,
    show_entries,
    show_number,
    show_or_hide,
    show_tip,
)
from app.views.widgets.painting import bold
from app.window.flat_button import FlatButton, flat_button

from .form_parts import Editor, EditorMaker, beside
from .lane_row import LaneRow
from .learner_fields import LearnerFields

#: Columns of the form: label, field, reset.
LABEL, FIELD, RESET = 0, 1, 2
#: A row after all others, which takes the free height.
LAST = 99
#: Groups of settings, in order.
GROUPS: tuple[Group, ...] = get_args(Group)


class LaneForm(EditorMaker):
    """The form of lane `index`: shows its scene, and passes changes to the controller.

    Parameters
    ----------
    index : int
    controller : Controller
    features : FeatureTable
    show_settings : callable
        ``show_settings(index)`` shows or hides the panel with the form of a lane.

    Attributes
    ----------
    row : LaneRow
        The line above the picture, with the most used fields.
    fields : LearnerFields
    """

    def __init__(
        self, index: int, controller: Controller, features: FeatureTable, show_settings: Callable[[int], None]
    ) -> None:
        super().__init__(index, controller, features)
        self._grid = grid_on(self, (8, 6, 4, 8), across=6, down=4)
        self._grid.setColumnStretch(FIELD, 1)
        self._grid.setRowStretch(LAST, 1)
        self.row = LaneRow(self, partial(show_settings, index))
        self.fields = LearnerFields(self, self.row)
        self._title, self._formula, self._note, self._remarks, self._details = (
            self._line(name) for name in ("heading", "formula", "note", "remarks", "details")
        )
        self._remarks.setTextFormat(Qt.TextFormat.RichText)
        self._remarks.setTextInteractionFlags(Qt.TextInteractionFlag.TextBrowserInteraction)
        self._remarks.linkActivated.connect(self.attempt)
        self._offered: dict[str, Lane] = {}
        self._headings = {group: self._line(group.lower()) for group in GROUPS}
        for group, heading in self._headings.items():
            heading.setText(group)
            heading.setProperty("heading", True)
        self._title.setFont(bold(self._title.font()))
        self._standardise = check_box(
            "Standardise x and y",
            f"lane{self.index}.standardise",
            f"Standardise, classifier {self.index + 1}",
            "Subtract the mean of each axis and divide by its standard deviation, both of the training points: then the"
            " units of x and y no longer matter.",
            self._set_standardise,
        )
        self._rows: dict[str, Editor] = {
            "standardise": Editor(self._standardise, partial(show_check, self._standardise), [self._standardise]),
            **self._build_speed(),
            "shading": self._build_shading(),
            "pair": self._build_problems(),
        }
        for made in self._rows.values():
            for part in filter(None, (made.widget, made.label)):
                part.setParent(self)
                part.hide()
        self._resets: dict[str, FlatButton] = {}
        self._placed: object = None
        #: What `_quieten` was last applied to.
        self._quiet: object = None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not leave_field(event, self, self.index):
            super().keyPressEvent(event)

    def _line(self, name: str) -> QLabel:
        selectable = Qt.TextInteractionFlag.TextSelectableByMouse
        label = named(QLabel(self, wordWrap=True, textInteractionFlags=selectable), f"lane{self.index}.{name}")
        label.hide()
        return label

    def attempt(self, text: str) -> None:
        """Make the change of this name that a remark offers."""
        self.controller.dispatch(SetLane(index=self.index, lane=self._offered[text], text=text))

    def _set_standardise(self, on: bool) -> None:
        text = "Standardise x and y" if on else "Do not standardise x and y"
        self.controller.set_lane(self.index, text=text, standardise=on)

    def _build_speed(self) -> dict[str, Editor]:
        self._speed = slider(
            f"lane{self.index}.speed",
            f"Speed of training, classifier {self.index + 1}",
            "Steps a second.",
            partial(self.controller.playback.set_speed, self.index),
            len(SPEEDS) - 1,
        )
        self._speed_text = QLabel()
        restart = clickable(
            QPushButton("Restart"),
            f"lane{self.index}.restart",
            f"Restart training, classifier {self.index + 1}",
            "Train again from zero.",
            partial(self.controller.playback.restart, self.index),
        )
        box = beside(self._speed, self._speed_text)
        show = partial(show_number, self._speed)
        return {
            "speed": Editor(box, show, [self._speed], label=label_for("Speed", self._speed)),
            "restart": Editor(restart, restart.setEnabled, [restart]),
        }

    def _build_problems(self) -> Editor:
        self._pair = self.combo(
            "pair",
            "Problem that is drawn",
            "More than two classes make several problems, each with its own f; lines and panels show this one's.",
        )
        self._pair.activated.connect(lambda: self.controller.set_lane(self.index, pair=self._pair.currentData()))
        return Editor(self._pair, self._pair.setCurrentIndex, [self._pair], label=label_for("Margins", self._pair))

    def _build_shading(self) -> Editor:
        self._shading = self.combo("shading", "What the colours show", "The stronger a colour, the larger this is.")
        self._shading.activated.connect(self._set_shading)
        label = label_for("Colours show", self._shading)
        return Editor(self._shading, self._shading.setCurrentIndex, [self._shading], label=label)

    def _set_shading(self, row: int) -> None:
        _, value, _, name = text.shadings(self.controller.document.lanes[self.index])[row]
        self.controller.set_lane(self.index, text=name, shading=value or UNSET)

    def _reset(self, name: str) -> None:
        """Restore the default of a setting."""
        lane = self.controller.document.lanes[self.index]
        own = {
            "standardise": lambda: self._set_standardise(False),
            "shading": lambda: self._set_shading(0),
            "speed": lambda: self.controller.playback.set_speed(self.index, FULL_SPEED),
        }
        if name in own:
            own[name]()
            return
        field = next(each for each in lane.family.fields if each.name == name)
        default = lane.family.settings()
        values = {each: getattr(default, each) for each in (field.parameter, field.end) if each}
        self.controller.set_lane(self.index, lane.classifier, **values)

    def render_scene(self, lane: LaneScene, number: int, drawing: bool = False, theme: Theme = LIGHT) -> None:
        """Show the settings of the lane, one of `number`; while a gesture is `drawing`, no row appears or vanishes."""
        self.row.render_scene(lane, number, theme)
        self.fields.render(lane, drawing, theme)
        remarks = [] if lane.hidden else [score for score in lane.scores if score.tries is not None]
        self._offered = {text: each for remark in remarks for text, each in remark.tries or ()}
        if not lane.settings_open:
            return
        if not drawing:
            self._place(lane)
        family = lane.lane.family
        show_or_hide(self._title, f"{self.index + 1}  {family.title}" if number > 1 else family.title)
        show_or_hide(self._remarks, "<br><br>".join(map(_with_links, remarks)))
        for label, words in ((self._formula, lane.formula), (self._note, lane.note), (self._details, lane.details)):
            show_or_hide(label, "" if lane.hidden else words)  # a lesson shows only the controls that it names
        self._rows["standardise"].show(lane.lane.standardises)
        self._rows["speed"].show(lane.speed)
        show_tip(self._speed, lane.no_steps or text.speed_note(lane.lane))
        self._speed.setEnabled(not lane.no_steps)
        self._speed_text.setText("not step by step" if lane.no_steps else lane.speed_text)
        offered = text.shadings(lane.lane)
        show_entries(self._shading, ((title, value) for title, value, _, _ in offered))
        for row, (_, _, note, _) in enumerate(offered):
            self._shading.setItemData(row, note, Qt.ItemDataRole.ToolTipRole)
        self._rows["shading"].show(int(lane.lane.shading == "probability"))
        show_entries(self._pair, zip(lane.pair_names, lane.pairs, strict=True))
        self._rows["pair"].show(lane.pair if lane.pairs else -1)
        trainer = lane.lane.trainer
        of_pair = self._rows["pair"].label
        assert of_pair is not None
        of_pair.setText("Margins" if trainer is None or trainer.has_margins else "Line of")
        self._quieten(lane, theme)

    def _inside(self, lane: LaneScene) -> list[tuple[str, Group, Editor]]:
        """Return name, group and editor of each displayed setting."""
        of_learner = [(field.name, field.group, self.fields.editors[field.editor]) for field in self.fields.in_form]
        also = {"restart"} if "speed" in lane.fields else set()
        own: tuple[tuple[str, Group], ...] = (
            ("speed", "Training"),
            ("restart", "Training"),
            ("standardise", "Data"),
            ("shading", "Picture"),
            ("pair", "Picture"),
        )
        return [*of_learner, *((name, group, self._rows[name]) for name, group in own if name in lane.fields | also)]

    def _place(self, lane: LaneScene) -> None:
        """Place headings and settings, one below the other, in tab order."""
        inside = self._inside(lane)
        placed = [(name, id(made.widget)) for name, _, made in inside]
        if placed == self._placed:
            return
        self._placed = placed
        for made in self._rows.values():
            for part in filter(None, (made.widget, made.label)):
                part.setVisible(any(each is made for _, _, each in inside))
        for button in self._resets.values():
            button.hide()
        rows = count()
        before: QWidget | None = None
        for line in (self._title, self._formula, self._note, self._remarks):
            self._grid.addWidget(line, next(rows), LABEL, 1, RESET)
        for group, heading in self._headings.items():
            within = [(name, made) for name, own, made in inside if own == group]
            heading.setVisible(bool(within))
            self._grid.addWidget(heading, next(rows), LABEL, 1, RESET)
            for name, made in within:
                at, across = next(rows), made.label is None and len(made.parts) > 1
                self._grid.addWidget(made.widget, at, LABEL if across else FIELD, 1, RESET if across else 1)
                if made.label is not None:
                    self._grid.addWidget(made.label, at, LABEL)
                resets = [self._resets[name]] if name in self._resets else []
                for button in resets:
                    self._grid.addWidget(button, at, RESET)
                for widget in (*made.inputs, *resets):
                    if before is not None:
                        QWidget.setTabOrder(before, widget)
                    before = widget
        self._grid.addWidget(self._details, next(rows), LABEL, 1, RESET)

    def _quieten(self, lane: LaneScene, theme: Theme) -> None:
        """Mute the labels of settings at their defaults, and offer to reset the others."""
        settings, default = lane.lane.settings, lane.lane.family.settings()
        changed = {
            field.name
            for field in self.fields.in_form
            if field.kind != "text" and getattr(settings, field.parameter) != getattr(default, field.parameter)
        }
        changed |= {"standardise"} if lane.lane.standardises else set()
        changed |= {"shading"} if lane.lane.shading is not UNSET else set()
        changed |= {"speed"} if lane.speed != FULL_SPEED else set()
        quiet = frozenset(changed), self._placed, theme
        if quiet == self._quiet:  # Qt would paint all labels anew, and lay the form out, with each picture
            return
        self._quiet = quiet
        for name, _, made in self._inside(lane):
            if made.label is not None:
                made.label.setForegroundRole(
                    QPalette.ColorRole.WindowText if name in changed else QPalette.ColorRole.PlaceholderText
                )
            if name in changed and name not in self._resets:
                self._resets[name] = self._reset_button(name, made)
            if name in self._resets:
                self._resets[name].setVisible(name in changed)
                self._resets[name].show_icon("undo", theme)

    def _reset_button(self, name: str, made: Editor) -> FlatButton:
        """Return the button that restores the default of a setting, in its row."""
        title = f"Reset {made.inputs[0].accessibleName()}"
        button = flat_button(
            f"lane{self.index}.{name}.reset", title, "Back to the default.", partial(self._reset, name), (24, 24)
        )
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)  # its row stays as high as it was
        at = self._grid.getItemPosition(self._grid.indexOf(made.widget))[0]  # type: ignore[index]
        self._grid.addWidget(button, at, RESET)
        QWidget.setTabOrder(made.inputs[-1], button)
        return button


def _with_links(remark: StatusPart) -> str:
    """Return a remark as HTML, with a link to each change that it offers."""
    links = (f'<a href="{escape(text)}">Try it: {escape(text)}</a>' for text, _ in remark.tries or ())
    return " ".join((escape(remark.tip).replace(" %", "\u00a0%"), *links))
