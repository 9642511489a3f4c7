"""EditorMaker: make the widget of each kind of field of a learner, with its names and tips, and its change of
the lane.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct, field
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QCheckBox, QComboBox, QLabel, QSlider, QSpinBox, QWidget

from app.controllers.controller import Controller
from app.core.points import MAX_CLASSES
from app.learners.fields import Field
from app.learners.scales import PER_DECADE, LogScale, Parameter
from app.scene.feature import FeatureTable
from app.views.widgets.boxes import grid_on, in_row
from app.views.widgets.inputs import (
    Described,
    Gestures,
    NumberField,
    combo_box,
    describe,
    label_for,
    named,
    show_check,
    show_choice,
    show_number,
    show_tip,
    spin_box,
)
from app.views.widgets.scale_slider import ScaleSlider

#: Number of digits of an exact field beside a slider.
DIGITS = 5


class Editor(Struct):
    """The widget that shows and changes one field.

    Attributes
    ----------
    widget : QWidget
        The whole of it, except the label.
    show : callable
        ``show(value)`` shows a value.
    inputs : list of QWidget
        Widgets that take the focus, in tab order.
    parts : dict of str to list of QWidget
        Widgets that are shown and hidden together, by name: that of the field, and those of its numbers.
    label : QLabel or None
    slider : ScaleSlider or None
    fit : callable or None
        ``fit(digits)`` makes the exact field beside a slider wide enough for `digits` at the present size of text; 0
        restores its own width.
    below : list
        Widgets of features below the slider.
    """

    widget: QWidget
    show: Callable[[Any], None]
    inputs: list[QWidget]
    parts: dict[str, list[QWidget]] = field(default_factory=dict)
    label: QLabel | None = None
    slider: ScaleSlider | None = None
    fit: Callable[[int], None] | None = None
    below: list[Any] = field(default_factory=list)


def beside(*widgets: QWidget, wide: QWidget | None = None) -> QWidget:
    """Return widgets in a row; sliders, and `wide`, take the free width."""
    parts = [(widget, int(isinstance(widget, QSlider) or widget is wide)) for widget in widgets]
    return in_row(*parts, spacing=4)


class EditorMaker(QWidget):
    """Makes the editors of lane `index`.

    Attributes
    ----------
    index : int
    controller : Controller
    gestures : Gestures
    owners : dict of int to str
        Learner whose settings each editor changes: of several that share it, the one shown last.
    """

    def __init__(self, index: int, controller: Controller, features: FeatureTable) -> None:
        super().__init__()
        self.index, self.controller, self._features = index, controller, features
        self.owners: dict[int, str] = {}
        self.gestures = Gestures(self)

    def change(self, field: Field, value: Any, dragged: bool = False) -> None:
        """Change the field's parameter; all changes of one drag are one undo step."""
        key = (self.index, field.name, self.gestures.count) if dragged else None
        self.controller.lanes.select(self.index)
        self.controller.set_lane(self.index, self.owners[field.editor], key, **field.values(value))

    def named(self, widget: Described, name: str, title: str, tip: str) -> Described:
        """Give `widget` the names of the field `name`, and return it."""
        return describe(widget, f"lane{self.index}.{name}", f"{title}, classifier {self.index + 1}", tip)

    def combo(self, name: str, title: str, tip: str, entries: tuple[tuple[str, Any, str], ...] = ()) -> QComboBox:
        """Return a combo box with entries (text, data, note)."""
        combo = self.named(combo_box(((text, data) for text, data, _ in entries), width=7), name, title, tip)
        for row, (_, _, note) in enumerate(entries):
            combo.setItemData(row, note, Qt.ItemDataRole.ToolTipRole)
        return combo

    def editor(self, field: Field, part: str) -> Editor:
        """Return the editor of a field of the learner `part`."""
        self.owners[field.editor] = part
        make = {
            "choice": self._choice,
            "slider": self._slider,
            "number": self._number,
            "integer": self._integer,
            "large integer": self._integer,
            "check": self._check,
            "numbers of classes": self._numbers,
            "text": self._text,
        }[field.kind]
        made: Editor = make(field, field.limits)  # type: ignore[operator]
        if field.label and field.kind != "check":
            made.label = label_for(field.label, made.widget)
        made.parts[field.name] = [made.widget, *filter(None, [made.label])]
        for widget in (each for widgets in made.parts.values() for each in widgets if each.parent() is None):
            widget.setParent(self)
        return made

    def _choice(self, field: Field, limits: None) -> Editor:
        combo = self.combo(field.name, field.title, field.tip, field.choices)
        combo.activated.connect(lambda: self.change(field, combo.currentData()))
        notes = {value: note for _, value, note in field.choices}

        def show(value: Any) -> None:
            show_choice(combo, value)
            if not field.tip:
                show_tip(combo, notes[value])

        return Editor(combo, show, [combo])

    def _text(self, field: Field, limits: None) -> Editor:
        label = named(QLabel(wordWrap=True), f"lane{self.index}.{field.name}")
        notes = {value: note for _, value, note in field.choices}
        return Editor(label, lambda value: label.setToolTip(field.tip or notes[value]), [])

    def _check(self, field: Field, limits: None) -> Editor:
        box = self.named(QCheckBox(field.label), field.name, field.title, field.tip)
        box.clicked.connect(lambda on: self.change(field, on))
        return Editor(box, lambda value: show_check(box, value), [box])

    def _number(self, field: Field, limits: Parameter, name: str = "", title: str = "") -> Editor:
        edit = self.named(
            NumberField(title or field.called, limits.least, limits.most, endless=bool(field.end)),
            name or field.name,
            title or field.title,
            field.tip,
        )
        edit.refused.connect(self.controller.say)
        if not name:
            edit.committed.connect(lambda value: self.change(field, value))
        return Editor(edit, edit.show_value, [edit])

    def _integer(self, field: Field, limits: Parameter) -> Editor:
        spin = self.named(spin_box(limits.least, limits.most), field.name, field.title, field.tip)
        spin.refused.connect(self.controller.say)
        if field.kind == "large integer":
            spin.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        self.gestures.watch(spin)
        spin.valueChanged.connect(lambda value: self.change(field, value, dragged=True))
        return Editor(spin, lambda value: show_number(spin, value), [spin])

    def _slider(self, field: Field, limits: Parameter) -> Editor:
        """Return a slider and an exact field, on the scale of the number's type, or else of a number of neighbours."""
        scale, whole = field.scale(0), field.is_whole
        number = int if whole else float
        page = PER_DECADE if isinstance(scale, LogScale) else 5
        slider = self.named(
            ScaleSlider(scale, page=page, endless=bool(field.end)),
            f"{field.name}.slider",
            f"{field.title} slider",
            field.tip,
        )
        self.gestures.watch(slider)
        slider.actionTriggered.connect(
            lambda action: self.change(field, number(slider.value_at(slider.sliderPosition())), dragged=True)
        )
        exact = self._integer(field, limits) if whole else self._number(field, limits)

        def fit(digits: int) -> None:
            digit = exact.widget.fontMetrics().horizontalAdvance("0")
            exact.widget.setFixedWidth(digit * (digits or DIGITS) + (30 if whole else 14))

        fit(0)

        def show(value: Any) -> None:
            slider.show_number(value)
            exact.show(value)

        made = Editor(beside(slider, exact.widget), show, [slider, exact.widget])
        made.slider, made.fit = slider, fit
        for kind in self._features.views("below slider") if field.has_curve else ():
            view = kind(slider, field.name, lambda value: self.change(field, value, dragged=True))
            for watched in (view, *view.findChildren(QWidget)):  # the mouse is over its viewport
                self.gestures.watch(watched)
            self.named(view, f"{field.name}.{kind.name}", f"{kind.title} {field.name}", "")
            view.setAccessibleDescription(kind.use)
            view.setParent(self)
            made.below.append(view)
            made.inputs.append(view)
        return made

    def _numbers(self, field: Field, limits: Parameter) -> Editor:
        """Return the fields of the classes' weights, four to a row, in positions that do not depend on the classes."""
        table = QWidget()
        grid = grid_on(table, across=4, down=3)
        parts: dict[str, list[QWidget]] = {}
        for label in range(MAX_CLASSES):
            edit = self._number(field, limits, f"weight{label + 1}", f"{field.title} of class {label + 1}").widget
            assert isinstance(edit, NumberField)
            edit.setMinimumWidth(40)
            edit.committed.connect(lambda value, c=label: self.controller.set_class_weight(self.index, c, value))
            name = label_for(f"w{chr(ord('₁') + label)}", edit)
            row, column = divmod(label, 4)
            grid.addWidget(name, row, 2 * column)
            grid.addWidget(edit, row, 2 * column + 1)
            parts[f"weight{label + 1}"] = [name, edit]
        edits = [edit for _, edit in parts.values()]

        def show(values: Any) -> None:
            for edit, value in zip(edits, values, strict=True):
                edit.show_value(value)  # type: ignore[attr-defined]

        return Editor(table, show, edits, parts)
