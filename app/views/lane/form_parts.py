"""LaneForm: the parts that the form of a lane is built of: its grid, named fields, and how they change the lane."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSlider,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from app.controllers.controller import Controller
from app.features import table
from app.state.slider_scales import Parameter, parameter
from app.views.widgets.form_fields import Gestures, NumberField, describe
from app.views.widgets.scale_slider import ScaleSlider


class LaneForm(QWidget):
    """The grid of lane `index`, and what makes fields for it.

    Attributes
    ----------
    index : int
    controller : Controller
    gestures : Gestures
    grid : QGridLayout
        Four columns: label, field, label, field.
    parts : dict
        The widgets of each field of `scene.fields_of`, which come and go together.
    below : list
        What features have put below sliders.
    """

    def __init__(self, index: int, controller: Controller) -> None:
        super().__init__()
        self.index, self.controller = index, controller
        self.gestures = Gestures(self)
        self.parts: dict[str, list[QWidget]] = {}
        self.below: list[Any] = []
        self.grid = QGridLayout(self)
        self.grid.setContentsMargins(2, 4, 6, 2)
        self.grid.setHorizontalSpacing(5)
        self.grid.setVerticalSpacing(3)
        self.grid.setColumnStretch(1, 3)
        self.grid.setColumnStretch(3, 2)

    def set_lane(self, part: str = "", drag: str = "", **values: Any) -> None:
        """Change fields of the lane or of one of its parts; what one gesture drags is one undo step."""
        key = (self.index, drag, self.gestures.count) if drag else None
        self.controller.set_lane(self.index, part, key, **values)

    def named(self, widget: QWidget, field: str, title: str, tip: str) -> None:
        """Give `widget` the names of the field `field`."""
        describe(widget, f"lane{self.index}.{field}", f"{title}, lane {self.index + 1}", tip)

    def combo(self, field: str, title: str, entries: list[tuple[str, Any]], tip: str) -> QComboBox:
        """A choice among (text, data)."""
        combo = QComboBox()
        for text, data in entries:
            combo.addItem(text, data)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(8)
        self.named(combo, field, title, tip)
        return combo

    def explained(self, field: str, title: str, entries: list[tuple[str, str, str]], tip: str) -> QComboBox:
        """A choice among (text, data, sentence)."""
        combo = self.combo(field, title, [(text, data) for text, data, _ in entries], tip)
        for row, (_, _, sentence) in enumerate(entries):
            combo.setItemData(row, sentence, Qt.ItemDataRole.ToolTipRole)
        return combo

    def number(self, field: str, title: str, limits: Parameter, tip: str) -> NumberField:
        """A field for an exact number."""
        edit = NumberField(title, limits.least, limits.most)
        edit.setMaximumWidth(110)
        self.named(edit, field, title, tip)
        edit.refused.connect(self.controller.say)
        return edit

    def spin(self, field: str, title: str, limits: Parameter, tip: str) -> QSpinBox:
        """A field for a whole number; typing 15 is not asking for 1."""
        spin = QSpinBox()
        spin.setRange(limits.least, limits.most)
        spin.setKeyboardTracking(False)
        self.gestures.watch(spin)
        self.named(spin, field, title, tip)
        return spin

    def check(self, field: str, text: str, tip: str) -> QCheckBox:
        """A box to be ticked."""
        box = QCheckBox(text)
        self.named(box, field, text, tip)
        return box

    def logarithmic(self, part: str, field: str, tip: str) -> tuple[ScaleSlider, NumberField]:
        """Slider and exact field of a number of the lane's part `part` that may have any size."""
        limits = parameter(part, field)
        assert limits.scale is not None
        slider = ScaleSlider(limits.scale)
        self.named(slider, f"{field}.slider", f"{field} slider", tip)
        self.gestures.watch(slider)
        slider.actionTriggered.connect(
            lambda action: self.set_lane(part, drag=field, **{field: slider.value_at(slider.sliderPosition())})
        )
        edit = self.number(field, field, limits, tip)
        edit.setMaximumWidth(100)  # the slider, and the curve below it, need the room more
        edit.committed.connect(lambda value: self.set_lane(part, **{field: value}))
        return slider, edit

    def put_below(self, row: int, part: str, control: str, field: str, slider: ScaleSlider) -> None:
        """What features have to say below `slider`, whose place sets `field` of the lane's part `part`."""
        column = QVBoxLayout()
        self.grid.addLayout(column, row, 0, 1, 4)
        for kind in table.views("below slider"):
            view = kind(slider, control, lambda value: self.set_lane(part, **{field: value}))
            self.named(view, f"{control}.{kind.name}", f"{kind.title} {control}", "")
            view.setAccessibleDescription(kind.use)
            column.addWidget(view)
            self.below.append(view)

    @staticmethod
    def beside(*widgets: QWidget, wide: QWidget | None = None) -> QWidget:
        """Widgets in a row; sliders, and `wide`, take the room."""
        box = QWidget()
        layout = QHBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(4)
        for widget in widgets:
            layout.addWidget(widget, 1 if isinstance(widget, QSlider) or widget is wide else 0)
        return box

    def put(self, row: int, field: str, text: str, widget: QWidget, column: int = 0, span: int = 1) -> None:
        """A field with its label into the grid."""
        label = QLabel(text)
        label.setBuddy(widget)
        self.grid.addWidget(label, row, column)
        self.grid.addWidget(widget, row, column + 1, 1, span)
        self.parts[field] = [label, widget]
