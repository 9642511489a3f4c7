"""WhatIfPanel: what an edit changed in each lane, old beside new; and buttons that remove points without effect."""

from __future__ import annotations

from collections.abc import Callable
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QLabel, QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.state.document import MAX_LANES
from app.views.task_runner import TaskRunner
from app.views.theme import Theme
from app.views.widgets.boxes import in_column
from app.views.widgets.clickable import clickable
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.inputs import describe, filled, named, plain_tip, show_check, show_or_hide, show_text
from app.views.widgets.scrolling_form import ScrollingForm
from solver import Grid

from . import text as words
from .controller import WhatIf
from .scene import WhatIfSession
from .text import LaneWhatIf


class _Section(QWidget):
    """The buttons of lane `index`, and its `report`, which is below all buttons so that they never move.

    `armed` gets the focus while the section's own buttons are disabled.
    """

    def __init__(
        self, index: int, controller: Controller, armed: QWidget, remove_idle: Callable[[int], object]
    ) -> None:
        super().__init__()
        self._armed, self._moved = armed, False
        self._shown: tuple[object, ...] = ()
        name, what_if = f"whatif.lane{index}", controller.feature(WhatIf)
        self.text = named(
            QLabel(
                textFormat=Qt.TextFormat.RichText,
                wordWrap=True,
                textInteractionFlags=Qt.TextInteractionFlag.TextSelectableByMouse,
            ),
            name,
        )
        self.note = named(QLabel(wordWrap=True), f"{name}.note")
        self.others = clickable(
            QPushButton(),
            f"{name}.remove_others",
            f"Remove all non-support vectors, classifier {index + 1}",
            "All points with α = 0 at once, as one step: w depends on the others alone.",
            lambda: what_if.remove_non_support(index),
        )
        self.one = clickable(
            QPushButton("Remove one support vector"),
            f"{name}.remove_support",
            f"Remove one support vector, classifier {index + 1}",
            "One point with α > 0: the boundary depends on it, and moves.",
            lambda: what_if.remove_support(index),
        )
        self.idle = clickable(
            QPushButton("Remove idle points"),
            f"{name}.remove_idle",
            f"Remove idle points, classifier {index + 1}",
            "One after the other, each checked again, as long as no pixel in view changes class; as one step.",
            lambda: remove_idle(index),
        )
        self.title = ElidedLabel()
        self.report = in_column(self.text, self.note, margins=(0, 0, 0, 8), spacing=4)
        filled(QVBoxLayout(self), self.title, self.others, self.one, self.idle, margins=0, spacing=4)

    def show_lane(self, lane: LaneWhatIf, index: int, several: bool, theme: Theme) -> None:
        """Show the state of the lane."""
        shown = (lane, several, theme.dark)
        if shown == self._shown:
            return
        self._shown = shown
        title = f"{index + 1}  {lane.title}" if several else lane.title
        self.text.setText(_html(lane, title, theme))
        show_or_hide(self.note, lane.note)
        show_text(self.title, title)
        self.title.setToolTip(plain_tip(title))
        self.others.setText(words.button(lane.removable))
        # Qt would move the focus from a disabled button to a widget outside the panel.
        if not lane.support and (self.others.hasFocus() or self.one.hasFocus()):
            self._armed.setFocus()
            self._moved = True
        elif lane.support and not lane.removable and self.others.hasFocus():
            self.one.setFocus()
        self.others.setEnabled(lane.removable > 0)
        self.one.setEnabled(lane.support > 0)
        for button, visible in (
            (self.others, lane.has_vectors),
            (self.one, lane.has_vectors),
            (self.idle, lane.is_knn),
        ):
            button.setVisible(visible)
        self.idle.setEnabled(lane.has_idle)
        self.setVisible(lane.has_vectors or lane.is_knn)
        if lane.support and self._moved:
            self._moved = False
            if self._armed.hasFocus():
                (self.others if lane.removable else self.one).setFocus()

    def forget(self) -> None:
        """Hide the section; its buttons do not get the focus back."""
        if self.others.hasFocus() or self.one.hasFocus():
            self._armed.setFocus()
        self._moved = False
        self._shown = ()
        self.hide()
        self.report.hide()


class WhatIfPanel(QWidget):
    """A switch, the buttons of each lane, and below them what changed in each.

    Parameters
    ----------
    controller : Controller
    tasks : TaskRunner
        Runs the search for idle points.
    grids : callable
        Return the grid of each displayed lane, one sample per device pixel.
    """

    def __init__(self, controller: Controller, tasks: TaskRunner, grids: Callable[[], tuple[Grid, ...]]) -> None:
        super().__init__()
        what_if = controller.feature(WhatIf)

        def remove_idle(index: int) -> None:
            task = what_if.idle_removal(index, grids()[index])
            if task is not None:
                tasks.run(task, what_if.take_idle)

        describe(self, "whatif", "What if", "What the last edit changed in each classifier.", hover=False)
        self.armed = clickable(
            QCheckBox("Watch each edit (W)"),
            "whatif.armed",
            "What if: armed",
            "While it is on, the boundary before the last edit is drawn as a dashed line.",
            lambda: controller.feature(WhatIf).toggle(),
        )
        self.hint = named(QLabel(wordWrap=True), "whatif.hint")
        self.sections = [_Section(index, controller, self.armed, remove_idle) for index in range(MAX_LANES)]
        reports = [section.report for section in self.sections]
        form = in_column(*self.sections, self.hint, *reports, 1, margins=(0, 0, 4, 0), spacing=6)
        filled(QVBoxLayout(self), self.armed, (ScrollingForm(form), 1), margins=(8, 6, 8, 6))
        self.first_stop = self.armed

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene."""
        chosen = scene.session.of(WhatIfSession)
        show_check(self.armed, chosen.armed)
        hint = words.DISARMED if not chosen.armed else words.ARMED if chosen.baseline is None else ""
        show_or_hide(self.hint, hint)
        for index, section in enumerate(self.sections):
            lane = scene.lanes[index].feature(LaneWhatIf) if index < len(scene.lanes) else None
            if lane is None:
                section.forget()
            else:
                section.show_lane(lane, index, scene.shown > 1, theme)
                section.report.show()


def _html(lane: LaneWhatIf, title: str, theme: Theme) -> str:
    """Return title, verdict and the table of numbers as HTML."""
    faint = "rgb({}, {}, {})".format(*theme.faint)
    parts = [f"<b>{escape(title)}</b>"]
    if lane.verdict:
        verdict = escape(lane.verdict).replace(" %", "&nbsp;%")
        parts.append(verdict if lane.provisional else f"<b>{verdict}</b>")
    text = "<br>".join(parts)
    if lane.rows:
        style = f' style="color: {faint}"' if lane.provisional else ""
        head = "".join(
            f'<td align="right" width="33%">&nbsp;&nbsp;<i>{each}</i></td>' for each in ("before", "now", "change")
        )
        lines = "".join(
            f'<tr><td colspan="3"{style}>{escape(name)}</td></tr><tr>'
            + "".join(f'<td align="right"{style}>&nbsp;&nbsp;{_whole(each)}</td>' for each in values)
            + "</tr>"
            for name, *values in lane.rows
        )
        text += f'<table cellspacing="2" width="100%"><tr>{head}</tr>{lines}</table>'
    return text


def _whole(number: str) -> str:
    """Return a number without line breaks; the two kinds of support vectors may be below their sum."""
    total, bracket, rest = escape(number).partition(" (")
    return total.replace(" ", "&nbsp;") + (f" ({rest}".replace(" + ", "&nbsp;+&nbsp;") if bracket else "")
