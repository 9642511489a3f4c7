"""ToolOptions: the options of the chosen tool, if any, beside the data set."""

from __future__ import annotations

from functools import partial

from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QSlider, QSpinBox, QWidget

from app.controllers.editing import Editing
from app.scene.model import Scene
from app.state.session import OPTION_LIMITS
from app.tools import TOOLS
from app.views.widgets.clickable import check_box, chooser, slider
from app.views.widgets.inputs import describe, filled, label_for, show_check, show_choice, show_number, spin_box

#: By option, its title, unit and tip.
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
CHECKS: dict[str, tuple[str, str, str]] = {
    "filled": ("Fill it", "Fill the ellipse", "Points all over the ellipse, not only on its rim."),
    "right_removes": (
        "Right click removes",
        "Right click removes a point",
        "A right click removes the nearest point; off: it opens a menu.",
    ),
}


class ToolOptions(QWidget):
    """Show the options of the session's tool, and pass changes to `editing`."""

    def __init__(self, editing: Editing) -> None:
        super().__init__()
        self._editing = editing
        self.setObjectName("tool")
        self._line = filled(QHBoxLayout(self), margins=0, spacing=4)
        self._parts: dict[str, tuple[QWidget, ...]] = {}
        self._numbers = {name: self._number(name) for name in NUMBERS}
        self._choices = {name: self._choice(name) for name in CHOICES}
        self._checks = {name: self._check(name) for name in CHECKS}
        self._line.addStretch(1)  # so that no space appears between a label and its field

    def _number(self, name: str) -> tuple[QSlider, QSpinBox]:
        title, unit, sentence = NUMBERS[name]
        low, high = OPTION_LIMITS[name]
        set_number = partial(self._editing.set_option, name)
        handle = slider(f"tool.{name}.slider", f"{title} slider", sentence, set_number, high, low)
        handle.setFixedWidth(90)
        spin = describe(spin_box(low, high, suffix=unit), f"tool.{name}", title, sentence)
        spin.valueChanged.connect(set_number)
        spin.refused.connect(self._editing.say)
        self._add(name, label_for(title, spin), handle, spin)
        return handle, spin

    def _choice(self, name: str) -> QComboBox:
        title, sentence, entries = CHOICES[name]
        combo = chooser(f"tool.{name}", title, sentence, partial(self._editing.set_option, name), entries)
        self._add(name, label_for(title, combo), combo)
        return combo

    def _check(self, name: str) -> QCheckBox:
        text, title, sentence = CHECKS[name]
        box = check_box(text, f"tool.{name}", title, sentence, partial(self._editing.set_option, name))
        self._add(name, box)
        return box

    def _add(self, name: str, *parts: QWidget) -> None:
        filled(self._line, *parts)
        self._parts[name] = parts

    def render_scene(self, scene: Scene) -> None:
        """Show the options of the tool."""
        session = scene.session
        options = TOOLS[session.tool].options
        for name, parts in self._parts.items():
            for part in parts:
                part.setVisible(name in options)
        self.setVisible(bool(options) and "tools" not in scene.hidden)
        for name, (handle, spin) in self._numbers.items():
            show_number(handle, getattr(session, name))
            show_number(spin, getattr(session, name))
        for name, combo in self._choices.items():
            show_choice(combo, getattr(session, name))
        for name, box in self._checks.items():
            show_check(box, getattr(session, name))
