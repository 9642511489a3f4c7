"""ProbePanel: why the probed location gets its class, lane by lane: headline, formula, sentences and tables."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.points import LIMIT
from app.scene.model import LaneScene, Scene
from app.state.document import MAX_LANES
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import Theme
from app.views.widgets.boxes import in_column
from app.views.widgets.clickable import clickable
from app.views.widgets.inputs import NumberField, describe, filled, label_for, named
from app.views.widgets.painting import scale_font
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm

from .controller import ProbeController
from .scene import NO_PROBE, LaneProbe, Probe, ProbeSession
from .text import NOWHERE
from .view_table import ProbeTable

#: Size of the headline as a multiple of the panel's font.
LARGE = 1.2
#: Largest number of tables of a lane: for several classes the duels, their votes, and the terms of one.
MOST_TABLES = 3


class _Text(RoomyLabel):
    """Text as high as it needs to be; hidden if empty."""

    def __init__(self, name: str, bold: bool = False, large: bool = False) -> None:
        super().__init__(name, hides=True)
        self._bold, self._large = bold, large

    def dress(self, base: QFont) -> None:
        """Use the panel's font, in this label's weight and size."""
        font = QFont(base)
        font.setBold(self._bold)
        if self._large:
            scale_font(font, LARGE)
        if font != self.font():
            self.setFont(font)


class Section(QWidget):
    """The explanation for one lane.

    Parameters
    ----------
    index : int
        Index of the lane.
    controller : Controller
    """

    def __init__(self, index: int, controller: Controller) -> None:
        super().__init__()
        self._index, self._probe = index, controller.feature(ProbeController)
        self._shown: LaneProbe | None = None
        self._theme: Theme | None = None
        self._title = _Text(f"probe{index}.title", bold=True)
        self._sign = QLabel()
        self._headline = _Text(f"probe{index}.headline", bold=True, large=True)
        self._formula = _Text(f"probe{index}.formula")
        self._lines = _Text(f"probe{index}.lines")
        self._message = _Text(f"probe{index}.message")
        line = QFrame(frameShape=QFrame.Shape.HLine)
        if index == 0:  # setVisible(True) would open a window, since it has no parent yet
            line.hide()
        head = filled(QHBoxLayout(), (self._sign, 0, Qt.AlignmentFlag.AlignTop), (self._headline, 1))
        fixed = (self._formula, self._lines, self._message)
        self._tables = [self._table(index) for index in range(MOST_TABLES)]
        tables = (widget for table in self._tables for widget in table)
        filled(QVBoxLayout(self), line, self._title, head, *fixed, *tables, margins=(0, 0, 0, 4), spacing=4)

    def _table(self, index: int) -> tuple[_Text, ProbeTable, _Text]:
        """Return a table with the labels above and below it."""
        caption = _Text(f"probe{self._index}.caption{index}", bold=True)
        table = named(ProbeTable(lambda row: self._pick(index, row)), f"probe{self._index}.table{index}")
        return caption, table, _Text(f"probe{self._index}.more{index}")

    def show_probe(self, lane: LaneScene, probe: LaneProbe, theme: Theme) -> None:
        """Show the probe of the lane."""
        for text in self.findChildren(_Text):
            text.dress(self.font())
        self._title.say(lane.title, keep=False)
        if probe is self._shown and theme is self._theme:
            return
        self._shown, self._theme = probe, theme
        self._headline.say(probe.headline, keep=False)
        self._formula.say(probe.formula, keep=False)
        self._lines.say("\n".join(probe.lines), keep=False)
        self._message.say(probe.message, keep=False)
        self._sign.setVisible(probe.label >= 0)
        if probe.label >= 0:
            self._sign.setPixmap(symbol_pixmap(theme, str(probe.label), 22, self.devicePixelRatioF()))
        for index, (caption, table, more) in enumerate(self._tables):
            shown = probe.tables[index] if index < len(probe.tables) else None
            table.setVisible(shown is not None)
            caption.say("" if shown is None else shown.title, keep=False)
            more.say("" if shown is None else shown.more, keep=False)
            if shown is not None:
                table.show_table(shown, lane.title, theme)

    def _pick(self, index: int, row: int) -> None:
        table = self._tables[index][1].table
        if table is not None and table.picks:
            self._probe.choose(self._index, table.picks[row])


class ProbePanel(QWidget):
    """All lanes, and the probed location.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller, self._probe = controller, controller.feature(ProbeController)
        tip = "Why the probed location gets its class, for each classifier."
        describe(self, "probe", "Why this class", tip, hover=False)
        self._fields = {axis: NumberField(axis, -LIMIT, LIMIT) for axis in "xy"}
        index = QHBoxLayout()
        for axis, field in self._fields.items():
            describe(field, f"probe.{axis}", f"{axis} of the probed location", f"Type {axis}, then Enter pins it.")
            field.show_value(0.0)
            field.committed.connect(lambda value, axis=axis: self._typed(axis, value))
            field.returnPressed.connect(self._entered)
            field.refused.connect(controller.say)
            filled(index, label_for(axis, field), (field, 1))
        tip = "Keep explaining this location; again to unpin (Q)."
        self._pin = clickable(QPushButton("Pin"), "probe.pin", "Pin the location", tip, self._toggle)
        self._pin.setCheckable(True)
        nowhere = QLabel(NOWHERE, wordWrap=True, margin=12, alignment=Qt.AlignmentFlag.AlignCenter)
        self._nowhere = named(nowhere, "probe.nowhere")
        self.sections = [Section(index, controller) for index in range(MAX_LANES)]
        self._scrolled = ScrollingForm(in_column(*self.sections, 1, margins=(8, 4, 8, 4), spacing=6))
        filled(index, self._pin, margins=(8, 0, 8, 0))
        filled(QVBoxLayout(self), index, (self._nowhere, 1), (self._scrolled, 1), margins=(0, 6, 0, 0))
        self.first_stop = self._fields["x"]

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(max(hint.width(), 260), hint.height())

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's probe."""
        probe = scene.feature(Probe) or NO_PROBE
        if probe.location is not None:
            for field, value in zip(self._fields.values(), probe.location, strict=True):
                before = field.text()
                field.show_value(value)
                if field.text() != before and not field.hasFocus():
                    field.setCursorPosition(0)
        self._pin.setChecked(probe.pinned)
        self._pin.setText("Unpin" if probe.pinned else "Pin")
        self._nowhere.setVisible(probe.location is None)
        self._scrolled.setVisible(probe.location is not None)
        for index, section in enumerate(self.sections if probe.location is not None else ()):
            section.setVisible(index < len(probe.lanes))
            if index < len(probe.lanes):
                section.show_probe(scene.lanes[index], probe.lanes[index], theme)

    # -- the user --------------------------------------------------------------------------------------------------

    def _typed(self, axis: str, value: float) -> None:
        """Pin the location with this coordinate, and the other one unchanged."""
        self._probe.pin(*(value if name == axis else field.value() for name, field in self._fields.items()))

    def _entered(self) -> None:
        """Pin the location in the fields, after Enter without typing."""
        self._probe.pin(*(each.value() for each in self._fields.values()))

    def _toggle(self) -> None:
        chosen = self._controller.session.of(ProbeSession)
        self._pin.setChecked(chosen.probe is not None)  # only a scene changes it
        if chosen.probe is None and self._controller.pointer is None:
            self._entered()
        else:
            self._probe.toggle()
