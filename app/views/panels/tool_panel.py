"""ToolPanel: what the chosen tool does, and its options."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QSlider,
    QSpinBox,
    QWidget,
)

from app.controllers.editing import Editing
from app.scene.model import Scene
from app.state.session import OPTION_LIMITS
from app.tools import TOOLS
from app.views.widgets.boxes import filled
from app.views.widgets.form_fields import (
    combo_box,
    describe,
    label_for,
    named,
    show_check,
    show_choice,
    show_number,
    show_text,
    spin_box,
)

#: Option: title, unit, sentence.
NUMBERS: dict[str, tuple[str, str, str]] = {
    "radius": ("Radius", " px", "Radius of the brush in pixels.  [ makes it smaller, ] larger."),
    "density": ("Points", "", "Points of one spray: at the press, and each time the brush has gone half its radius."),
    "count": ("Points", "", "How many points the shape consists of."),
    "scatter": ("Scatter", " px", "Standard deviation by which the points miss the shape, in pixels."),
}
CHOICES: dict[str, tuple[str, str, tuple[tuple[str, str], ...]]] = {
    "spread": (
        "Spread",
        "Uniform: all over the circle. Normal: dense in the middle; the circle is two standard deviations.",
        (("Uniform", "uniform"), ("Normal", "normal")),
    ),
    "moves": (
        "Moves",
        "What a press on a point that is not selected takes hold of.",
        (("Point or selection", "point"), ("Whole class", "class")),
    ),
}


class ToolPanel(QGroupBox):
    """Shows the tool of the scene's session; hands changes of its options to `editing`."""

    def __init__(self, editing: Editing) -> None:
        super().__init__("Tool")
        self._editing = editing
        self.setObjectName("tool")
        self._form = QFormLayout(self)
        self._form.setContentsMargins(6, 4, 6, 6)
        self._form.setVerticalSpacing(3)
        self._sentence = named(QLabel(wordWrap=True), "tool.sentence")
        self._form.addRow(self._sentence)
        self._rows: dict[str, QWidget] = {}
        self._numbers = {name: self._number(name) for name in NUMBERS}
        self._choices = {name: self._choice(name) for name in CHOICES}
        self._filled = describe(
            QCheckBox("Fill it"), "tool.filled", "Fill the ellipse", "Points all over the ellipse, not only on its rim."
        )
        self._filled.clicked.connect(lambda on: self._editing.set_option("filled", on))
        self._form.addRow("", self._filled)
        self._rows["filled"] = self._filled

    def _number(self, name: str) -> tuple[QSlider, QSpinBox]:
        title, unit, sentence = NUMBERS[name]
        low, high = OPTION_LIMITS[name]
        slider = describe(QSlider(Qt.Orientation.Horizontal), f"tool.{name}.slider", f"{title} slider", sentence)
        slider.setRange(low, high)
        slider.setPageStep(10)
        spin = describe(spin_box(low, high, suffix=unit), f"tool.{name}", title, sentence)
        slider.actionTriggered.connect(lambda action: self._editing.set_option(name, slider.sliderPosition()))
        spin.valueChanged.connect(lambda value: self._editing.set_option(name, value))
        box = QWidget()
        filled(QHBoxLayout(box), (slider, 1), spin, margins=0)
        self._add(name, title, spin, box)
        return slider, spin

    def _choice(self, name: str) -> QComboBox:
        title, sentence, entries = CHOICES[name]
        combo = describe(combo_box(entries), f"tool.{name}", title, sentence)
        combo.activated.connect(lambda: self._editing.set_option(name, combo.currentData()))
        self._add(name, title, combo, combo)
        return combo

    def _add(self, name: str, title: str, widget: QWidget, row: QWidget) -> None:
        self._form.addRow(label_for(title, widget), row)
        self._rows[name] = row

    def render_scene(self, scene: Scene) -> None:
        """Show the tool and its options."""
        session = scene.session
        kind = TOOLS[session.tool]
        self.setTitle(f"Tool: {kind.title}")
        show_text(self._sentence, kind.sentence)
        for name, row in self._rows.items():
            self._form.setRowVisible(row, name in kind.options)
        for name, (slider, spin) in self._numbers.items():
            show_number(slider, getattr(session, name))
            show_number(spin, getattr(session, name))
        for name, combo in self._choices.items():
            show_choice(combo, getattr(session, name))
        show_check(self._filled, session.filled)
