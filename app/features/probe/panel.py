"""ProbePanel: why the probed place gets its class, lane by lane: headline, formula, sentences and tables."""

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
from app.views.widgets.form_fields import NumberField, describe
from app.views.widgets.painting import scale_font
from app.views.widgets.roomy_label import RoomyLabel
from app.views.widgets.scrolling_form import ScrollingForm

from .controller import ProbeController
from .scene import NO_PROBE, LaneProbe, Probe, ProbeSession
from .text import NOWHERE
from .view_table import ProbeTable, named

LARGE = 1.2
#: Tables of a lane: of several classes the duels, their votes, and the terms of one.
MOST_TABLES = 3


class _Text(RoomyLabel):
    """Text that may be long, as tall as it needs; without any, it takes no room."""

    def __init__(self, name: str, bold: bool = False, large: bool = False) -> None:
        super().__init__(name)
        self._bold, self._large = bold, large

    def show_text(self, text: str) -> None:
        """Say `text`; "" hides it."""
        self.say(text, keep=False)
        if self.isHidden() == bool(text):
            self.setVisible(bool(text))

    def dress(self, base: QFont) -> None:
        """Take the size of the panel's font."""
        font = QFont(base)
        font.setBold(self._bold)
        if self._large:
            scale_font(font, LARGE)
        if font != self.font():
            self.setFont(font)


class Section(QWidget):
    """What is said of one lane.

    Parameters
    ----------
    index : int
        Its place on screen.
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
        self._captions: list[_Text] = []
        self._more: list[_Text] = []
        self.tables: list[ProbeTable] = []
        line = QFrame()
        line.setFrameShape(QFrame.Shape.HLine)
        if index == 0:  # and never setVisible(True): without a parent yet, it would be a window
            line.hide()
        head = QHBoxLayout()
        head.addWidget(self._sign, 0, Qt.AlignmentFlag.AlignTop)
        head.addWidget(self._headline, 1)
        self._rows = QVBoxLayout(self)
        self._rows.setContentsMargins(0, 0, 0, 4)
        self._rows.setSpacing(4)
        for widget in (line, self._title):
            self._rows.addWidget(widget)
        self._rows.addLayout(head)
        for widget in (self._formula, self._lines, self._message):
            self._rows.addWidget(widget)
        for _ in range(MOST_TABLES):
            self._add_table()

    def _texts(self) -> list[_Text]:
        fixed = [self._title, self._headline, self._formula, self._lines, self._message]
        return [*fixed, *self._captions, *self._more]

    def show_probe(self, lane: LaneScene, probe: LaneProbe, theme: Theme) -> None:
        """Show what is known of the lane."""
        for text in self._texts():
            text.dress(self.font())
        self._title.show_text(lane.title)
        if probe is self._shown and theme is self._theme:
            return
        self._shown, self._theme = probe, theme
        self._headline.show_text(probe.headline)
        self._formula.show_text(probe.formula)
        self._lines.show_text("\n".join(probe.lines))
        self._message.show_text(probe.message)
        self._sign.setVisible(probe.label >= 0)
        if probe.label >= 0:
            self._sign.setPixmap(symbol_pixmap(theme, str(probe.label), 22, self.devicePixelRatioF()))
        for place, table in enumerate(self.tables):
            there = place < len(probe.tables)
            table.setVisible(there)
            self._captions[place].show_text(probe.tables[place].title if there else "")
            self._more[place].show_text(probe.tables[place].more if there else "")
            if there:
                table.show_table(probe.tables[place], lane.title, theme)

    def _add_table(self) -> None:
        place = len(self.tables)
        caption = _Text(f"probe{self._index}.caption{place}", bold=True)
        table = named(self, f"probe{self._index}.table{place}", lambda row: self._pick(place, row))
        more = _Text(f"probe{self._index}.more{place}")
        for text in (caption, more):
            text.dress(self.font())
        self._captions.append(caption)
        self.tables.append(table)
        self._more.append(more)
        for widget in (caption, table, more):
            self._rows.addWidget(widget)

    def _pick(self, place: int, row: int) -> None:
        table = self.tables[place].table
        if table is not None and table.picks:
            self._probe.choose(self._index, table.picks[row])


class ProbePanel(QWidget):
    """All lanes, and the place that is probed.

    Parameters
    ----------
    controller : Controller
    """

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller, self._probe = controller, controller.feature(ProbeController)
        describe(self, "probe", "Why this class", "Why the probed place gets its class, for each classifier.")
        self.setToolTip("")
        self._fields = {axis: NumberField(axis, -LIMIT, LIMIT) for axis in "xy"}
        place = QHBoxLayout()
        place.setContentsMargins(0, 0, 0, 0)
        for axis, field in self._fields.items():
            describe(field, f"probe.{axis}", f"{axis} of the probed place", f"Type {axis}, then Enter: pins the place.")
            field.show_value(0.0)
            field.committed.connect(lambda value, axis=axis: self._typed(axis, value))
            field.returnPressed.connect(self._entered)
            field.refused.connect(controller.say)
            name = QLabel(axis)
            name.setBuddy(field)
            place.addWidget(name)
            place.addWidget(field, 1)
        self._pin = QPushButton("Pin")
        self._pin.setCheckable(True)
        describe(self._pin, "probe.pin", "Pin the place", "Keep explaining this place; again to unpin (Q).")
        self._pin.clicked.connect(self._toggle)
        place.addWidget(self._pin)
        self._nowhere = QLabel(NOWHERE)
        self._nowhere.setObjectName("probe.nowhere")
        self._nowhere.setWordWrap(True)
        self._nowhere.setMargin(12)
        self._nowhere.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.sections = [Section(place, controller) for place in range(MAX_LANES)]
        self._form = QWidget()
        self._rows = QVBoxLayout(self._form)
        self._rows.setContentsMargins(8, 4, 8, 4)
        self._rows.setSpacing(6)
        for section in self.sections:
            self._rows.addWidget(section)
        self._rows.addStretch(1)
        self._scrolled = ScrollingForm(self._form)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 6, 0, 0)
        top = QWidget()
        top.setLayout(place)
        place.setContentsMargins(8, 0, 8, 0)
        layout.addWidget(top)
        layout.addWidget(self._nowhere, 1)
        layout.addWidget(self._scrolled, 1)
        self.first_stop = self._fields["x"]

    def minimumSizeHint(self) -> QSize:
        hint = super().minimumSizeHint()
        return QSize(max(hint.width(), 260), hint.height())

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's probe."""
        probe = scene.feature(Probe) or NO_PROBE
        if probe.place is not None:
            for field, value in zip(self._fields.values(), probe.place, strict=True):
                before = field.text()
                field.show_value(value)
                if field.text() != before and not field.hasFocus():
                    field.setCursorPosition(0)
        if self._pin.isChecked() != probe.pinned:
            self._pin.setChecked(probe.pinned)
        self._pin.setText("Let go" if probe.pinned else "Pin")
        there = probe.place is not None
        if self._nowhere.isHidden() == (not there):
            self._nowhere.setVisible(not there)
        if self._scrolled.isHidden() == there:
            self._scrolled.setVisible(there)
        if not there:
            return
        for place, section in enumerate(self.sections):
            shown = place < len(probe.lanes)
            if section.isHidden() == shown:
                section.setVisible(shown)
            if shown:
                section.show_probe(scene.lanes[place], probe.lanes[place], theme)

    # -- the hand --------------------------------------------------------------------------------------------------

    def _typed(self, axis: str, value: float) -> None:
        """A coordinate was typed: it is that of the place from now on, the other one stays."""
        place = {name: field.value() for name, field in self._fields.items()} | {axis: value}
        self._probe.pin(place["x"], place["y"])

    def _entered(self) -> None:
        """Enter, with nothing typed, pins what the fields show."""
        self._probe.pin(*(each.value() for each in self._fields.values()))

    def _toggle(self) -> None:
        chosen = self._controller.session.of(ProbeSession)
        self._pin.setChecked(chosen.probe is not None)  # the scene says whether it is down
        if chosen.probe is None and self._controller.pointer is None:
            self._probe.pin(*(each.value() for each in self._fields.values()))
        else:
            self._probe.toggle()
