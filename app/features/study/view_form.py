"""StudyForm: what is studied: kind, classifier, points, axes, what is measured; and a sentence at each wrong field."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from msgspec.structs import replace
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QVBoxLayout,
    QWidget,
)

from app.scene.model import Scene
from app.views.widgets.boxes import in_lines, in_row
from app.views.widgets.form_fields import (
    ShortCombo,
    combo_box,
    describe,
    filled,
    label_for,
    mark_bad,
    named,
    show_check,
    show_choice,
    show_entries,
    show_text,
)

from .controller import StudyController
from .model import MEASURES, axis_kinds
from .planning import KINDS, WHOLE, Plan, lane_of, titles, values_of

PLACES = ("x axis", "y axis")
#: Fields of an axis, with their labels and tips.
NUMBERS = (
    ("start", "from", "The least value."),
    ("stop", "to", "The greatest value."),
    ("count", "values", "How many."),
)
#: Tips of the fields of whole numbers.
TIPS = {
    "folds": "Parts of a cross-validation, each left out and then predicted; 0: test points decide.",
    "repetitions": "Each with other points, or other folds.",
    "draws": "Sets of training points in each repetition.",
    "test": "New points of the generator that each model is measured on.",
}


class PlanField(QLineEdit):
    """A number as it is typed; what is wrong with it is said below.

    Parameters
    ----------
    name, title, tip : str
    key : str
        Of the plan, or of one of its axes.
    put : callable
        ``put(key=typed)``.
    """

    def __init__(self, name: str, title: str, tip: str, key: str, put: Callable[..., object]) -> None:
        super().__init__(maxLength=30)
        describe(self, f"study.{name}", title, tip)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.textEdited.connect(lambda typed: put(**{key: typed}))

    def sizeHint(self) -> QSize:
        return QSize(self.fontMetrics().horizontalAdvance("0.00001") + 16, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def show_typed(self, text: str, fault: str) -> None:
        """Show `text`, and whether it is wrong."""
        if self.text() != text:
            self.setText(text)
        mark_bad(self, bool(fault))
        self.setAccessibleDescription(fault or self.toolTip())


class WholeCombo(ShortCombo):
    """A choice that is as long as its entry, where there is a line for that."""

    def __init__(self) -> None:
        shortest = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        super().__init__(sizeAdjustPolicy=shortest, minimumContentsLength=9)
        self.currentTextChanged.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        words = QSize(self.fontMetrics().horizontalAdvance(self.currentText()) + 6, self.fontMetrics().height())
        whole = self.style().sizeFromContents(QStyle.ContentsType.CT_ComboBox, option, words, self)
        return super().sizeHint().expandedTo(QSize(whole.width(), 0))

    def minimumSizeHint(self) -> QSize:
        return super().sizeHint()


def labelled(text: str, widget: QWidget) -> QWidget:
    """A field behind its label."""
    return in_row(label_for(text, widget), widget, spacing=4)


def fill(combo: QComboBox, entries: Iterable[tuple[str, Any]], chosen: Any) -> None:
    """Offer `entries`, texts with their data."""
    show_entries(combo, entries)
    show_choice(combo, chosen)


def say(label: QLabel, text: str) -> None:
    """Show a sentence, or nothing."""
    show_text(label, text)
    label.setVisible(bool(text))


class FormGrid(QGridLayout):
    """Rows of a form: labels end, and fields begin, in one line."""

    def __init__(self) -> None:
        super().__init__()
        self.setHorizontalSpacing(8)
        self.setVerticalSpacing(5)
        self.setContentsMargins(0, 0, 4, 0)
        self.setColumnStretch(1, 1)

    def add(self, text: str, widget: QWidget, buddy: QWidget | None = None) -> QLabel:
        """Add a row: `widget` behind a label, whose key leads to it or to the `buddy` in it."""
        label = label_for(text, buddy or widget)
        at = self.rowCount()
        self.addWidget(label, at, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.addWidget(widget, at, 1)
        return label

    def add_sentence(self, name: str) -> QLabel:
        """Add a row under the fields above it, for a sentence that is not always there."""
        label = named(QLabel(wordWrap=True), f"study.{name}")
        label.hide()
        self.addWidget(label, self.rowCount(), 1)
        return label


class AxisFields:
    """One axis: which parameter, from where to where, how many values and how they are spaced.

    Parameters
    ----------
    place : int
    studies : StudyController
    grid : FormGrid
        Gets rows for parameter, numbers, and a sentence where something is wrong.
    """

    def __init__(self, place: int, studies: StudyController, grid: FormGrid) -> None:
        self._place, self._studies = place, studies
        name, word = f"axis{place}", PLACES[place]
        tip = "A parameter of the classifier or of the points."
        self.parameter = describe(combo_box(width=5), f"study.{name}", f"{word}: what is varied", tip)
        self.parameter.activated.connect(lambda: self._put(**vars(studies.axis_plan(self.parameter.currentData()))))
        tip = "Values in equal ratios, such as 1, 10, 100; else in equal steps, such as 1, 2, 3."
        self.spacing = describe(QCheckBox("logarithmic"), f"study.{name}.spacing", f"{word}: logarithmic", tip)
        self.spacing.clicked.connect(lambda on: self._put(log=on))
        self.fields = {
            key: PlanField(f"{name}.{key}", f"{word}: {text}", tip, key, self._put) for key, text, tip in NUMBERS
        }
        self._first = in_row((self.parameter, 1), self.spacing, spacing=8)
        self._label = grid.add(word, self._first, self.parameter)
        self._numbers = in_lines(8, *(labelled(text, self.fields[key]) for key, text, _ in NUMBERS))
        grid.addWidget(self._numbers, grid.rowCount(), 1)
        self._all, self.fault = grid.add_sentence(f"{name}.all"), grid.add_sentence(f"{name}.fault")

    def _put(self, **changes: Any) -> None:
        axes = list(self._studies.plan.axes)
        axes[self._place] = replace(axes[self._place], **changes)
        self._studies.choose(axes=tuple(axes))

    def show_axis(self, plan: Plan, faults: Mapping[str, str]) -> None:
        """Show what is planned; nothing where there is no such axis."""
        there = self._place < len(plan.axes)
        self._label.setVisible(there)
        self._first.setVisible(there)
        if not there:
            for below in (self._numbers, self._all, self.fault):
                below.hide()
            return
        axis, lane = plan.axes[self._place], lane_of(plan, self._studies.lane)
        fill(self.parameter, ((text, name) for name, text in titles(lane, plan.generated).items()), axis.name)
        self.parameter.setEnabled(plan.kind == "grid")
        kind = axis_kinds(lane.classifier).get(axis.name)
        values = kind.choices if kind is not None else {}
        self._numbers.setVisible(not values)
        self.spacing.setVisible(not values)
        say(self._all, f"All {len(values)}." if values else "")
        show_check(self.spacing, axis.log)
        own = {key: faults.get(f"axis{self._place}.{key}", "") for key in ("name", *self.fields)}
        for key, field in self.fields.items():
            field.show_typed(getattr(axis, key), own[key])
        say(self.fault, next(filter(None, own.values()), ""))


class StudyForm(QWidget):
    """All fields.

    Parameters
    ----------
    studies : StudyController
    """

    def __init__(self, studies: StudyController) -> None:
        super().__init__()
        self._studies, self._grid = studies, FormGrid()
        self.kind = self._choice("&Kind", "kind", "Kind of study", "What is varied.", studies.choose_kind)
        show_entries(self.kind, ((kind.title, name) for name, kind in KINDS.items()))
        tip = "Its settings are those that no axis changes; a cell goes to it."
        self.lane = self._choice("C&lassifier", "lane", "Classifier", tip, studies.choose_lane)
        tip = "Those of the document, or new ones of the generator for each repetition."
        self.data = self._choice("&Points", "data", "Points", tip, studies.choose_data)
        show_entries(self.data, (("those of the document", False), ("new ones of the generator", True)))
        self.sentence = named(QLabel(wordWrap=True), "study.sentence")
        policy = self.sentence.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)  # else it widens the column of the labels
        self.sentence.setSizePolicy(policy)
        self._grid.addWidget(self.sentence, self._grid.rowCount(), 0, 1, 2)
        self.faults = {"data": self._grid.add_sentence("data.fault")}
        self.axes = [AxisFields(place, studies, self._grid) for place in range(len(PLACES))]
        self.value = self._choice(
            "&Measure", "value", "What is measured", "In each cell.", lambda value: studies.choose(value=value)
        )
        self.faults["value"] = self._grid.add_sentence("value.fault")
        self._fields: dict[str, tuple[QLabel, PlanField]] = {}
        for name, (title, _, _) in WHOLE.items():
            field = PlanField(name, title, TIPS[name], name, studies.choose)
            self._fields[name] = self._grid.add(title, field), field
            self.faults[name] = self._grid.add_sentence(f"{name}.fault")
        self.faults[""] = self._grid.add_sentence("whole.fault")
        filled(QVBoxLayout(self), self._grid, 1, margins=0)

    def _choice(self, label: str, name: str, title: str, tip: str, choose: Callable[[Any], object]) -> WholeCombo:
        combo = describe(WholeCombo(), f"study.{name}", title, tip)
        combo.activated.connect(lambda: choose(combo.currentData()))
        self._grid.add(label, combo)
        return combo

    def show_plan(self, scene: Scene) -> None:
        """Show what is planned, and what is wrong with it."""
        studies, plan = self._studies, self._studies.plan
        faults = studies.planned().faults
        show_choice(self.kind, plan.kind)
        lanes = [
            (f"{place + 1}. {lane.lane.title}", lane.slot)
            for place, lane in enumerate(scene.lanes)
            if not lane.lane.is_difference
        ]
        fill(self.lane, lanes, scene.lanes[studies.place].slot if studies.place < len(scene.lanes) else None)
        show_choice(self.data, plan.generated)
        self.data.setEnabled(plan.kind in ("grid", "learning-curve"))
        further = ", ".join(f"{axis.name} ({len(axis.values)})" for axis in plan.further)
        show_text(self.sentence, KINDS[plan.kind].sentence + (f"  Also varied: {further}." if further else ""))
        for axis in self.axes:
            axis.show_axis(plan, faults)
        other = studies.other
        values = values_of(plan, lane_of(plan, studies.lane), other is not None)
        if other is not None:
            values["disagreement"] = f"Disagreement with {other.title}"
        fill(self.value, ((text, name) for name, text in values.items()), plan.value)
        self.value.setToolTip(MEASURES[plan.value].note if plan.value in MEASURES else "")
        for name, (label, field) in self._fields.items():
            field.show_typed(getattr(plan, name), faults.get(name, ""))
            there = plan.generated or name not in ("draws", "test")
            label.setVisible(there)
            field.setVisible(there)
        for name, sentence in self.faults.items():
            say(sentence, faults.get(name, ""))
