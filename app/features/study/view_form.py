"""StudyForm: the fields of a study: kind, classifier, points, axes, measure; and a sentence below each wrong field."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from msgspec.structs import asdict, replace
from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QComboBox, QLabel, QLineEdit, QSizePolicy, QVBoxLayout, QWidget

from app.scene.model import Scene
from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.boxes import in_lines, in_row, labelled
from app.views.widgets.clickable import check_box, choosable, chooser
from app.views.widgets.inputs import (
    ShortCombo,
    combo_size,
    describe,
    filled,
    mark_bad,
    named,
    show_check,
    show_choice,
    show_entries,
    show_options,
    show_or_hide,
    show_text,
)

from .controller import StudyController
from .model import MEASURES, axis_kinds
from .planning import KINDS, WHOLE, StudyPlan, lane_of, titles, values_of

SIDES = ("x axis", "y axis")
#: Kinds of studies and fields of whole numbers that are listed after a click on Advanced.
ADVANCED = ("efficiency", "notes", "folds", "draws", "test")
#: Fields of an axis, with their labels and tips.
NUMBERS = (
    ("start", "from", "The smallest value."),
    ("stop", "to", "The largest value."),
    ("count", "values", "The number of values."),
)
#: Tips of the fields of whole numbers.
TIPS = {
    "folds": "Parts of a cross-validation, each left out and then predicted; 0: test points are used.",
    "repetitions": "Each with new points, or new folds.",
    "draws": "Sets of training points in each repetition.",
    "test": "New points of the generator for measuring each model.",
}


class PlanField(QLineEdit):
    """A field for a number as typed; a sentence below reports what is wrong with it.

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
        """Show `text`, and mark it if it is wrong."""
        if self.text() != text:
            self.setText(text)
        mark_bad(self, bool(fault))
        self.setAccessibleDescription(fault or self.toolTip())


class WholeCombo(ShortCombo):
    """A combo box as long as its entry, if there is room."""

    def __init__(self) -> None:
        shortest = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        super().__init__(sizeAdjustPolicy=shortest, minimumContentsLength=9)
        self.currentTextChanged.connect(self.updateGeometry)

    def sizeHint(self) -> QSize:
        whole = combo_size(self, self.fontMetrics().horizontalAdvance(self.currentText()) + 6)
        return super().sizeHint().expandedTo(QSize(whole.width(), 0))

    def minimumSizeHint(self) -> QSize:
        return super().sizeHint()


def sentence_row(form: AlignedForm, name: str) -> QLabel:
    """Add a row below the last field, for a sentence that is not always there."""
    label = named(QLabel(wordWrap=True), f"study.{name}")
    label.hide()
    form.addRow("", label)
    return label


class AxisFields:
    """The fields of one axis: parameter, ends, number of values and spacing.

    Parameters
    ----------
    index : int
    studies : StudyController
    form : AlignedForm
        Gets rows for parameter, numbers, and a sentence about what is wrong.
    """

    def __init__(self, index: int, studies: StudyController, form: AlignedForm) -> None:
        self._index, self._studies, self._form = index, studies, form
        name, word = f"axis{index}", SIDES[index]
        self.parameter = chooser(
            f"study.{name}",
            f"{word}: what is varied",
            "A parameter of the classifier or of the points.",
            lambda chosen: self._put(**asdict(studies.axis_plan(chosen))),
            width=5,
        )
        tip = "Values in equal ratios, such as 1, 10, 100; else in equal steps, such as 1, 2, 3."
        self.spacing = check_box(
            "logarithmic", f"study.{name}.spacing", f"{word}: logarithmic", tip, lambda on: self._put(log=on)
        )
        self.fields = {
            key: PlanField(f"{name}.{key}", f"{word}: {text}", tip, key, self._put) for key, text, tip in NUMBERS
        }
        self._first = in_row((self.parameter, 1), self.spacing, spacing=8)
        self._numbers = in_lines(8, *(labelled(text, self.fields[key], spacing=4) for key, text, _ in NUMBERS))
        form.add((word, self._first, self.parameter), ("", self._numbers))
        self._all, self.fault = sentence_row(form, f"{name}.all"), sentence_row(form, f"{name}.fault")

    def _put(self, **changes: Any) -> None:
        axes = list(self._studies.plan.axes)
        axes[self._index] = replace(axes[self._index], **changes)
        self._studies.choose(axes=tuple(axes))

    def show_axis(self, plan: StudyPlan, faults: Mapping[str, str]) -> None:
        """Show the plan of the axis; nothing if there is no such axis."""
        there = self._index < len(plan.axes)
        self._form.setRowVisible(self._first, there)
        if not there:
            for below in (self._numbers, self._all, self.fault):
                below.hide()
            return
        axis, lane = plan.axes[self._index], lane_of(plan, self._studies.lane)
        show_options(self.parameter, ((text, name) for name, text in titles(lane, plan.generated).items()), axis.name)
        self.parameter.setEnabled(plan.kind == "grid")
        kind = axis_kinds(lane.classifier).get(axis.name)
        values = kind.choices if kind is not None else {}
        self._numbers.setVisible(not values)
        self.spacing.setVisible(not values)
        show_or_hide(self._all, f"All {len(values)}." if values else "")
        show_check(self.spacing, axis.log)
        own = {key: faults.get(f"axis{self._index}.{key}", "") for key in ("name", *self.fields)}
        for key, field in self.fields.items():
            field.show_typed(getattr(axis, key), own[key])
        show_or_hide(self.fault, next(filter(None, own.values()), ""))


class StudyForm(QWidget):
    """The fields of a study.

    Parameters
    ----------
    studies : StudyController
    """

    def __init__(self, studies: StudyController) -> None:
        super().__init__()
        self._studies = studies
        self._form = AlignedForm(
            horizontalSpacing=8,
            verticalSpacing=5,
            labelAlignment=Qt.AlignmentFlag.AlignRight,
            fieldGrowthPolicy=AlignedForm.FieldGrowthPolicy.AllNonFixedFieldsGrow,
        )
        self._form.setContentsMargins(0, 0, 4, 0)
        self.kind = self._choice("&Kind", "kind", "Kind of study", "What is varied.", studies.choose_kind)
        self.lane = self._choice(
            "C&lassifier",
            "lane",
            "Classifier",
            "Provides the settings that no axis changes; a chosen cell is put into it.",
            studies.choose_lane,
        )
        self.data = self._choice(
            "&Points",
            "data",
            "Points",
            "Points of the document, or new ones of the generator for each repetition.",
            studies.choose_data,
        )
        show_entries(self.data, (("those of the document", False), ("new ones of the generator", True)))
        self.sentence = named(QLabel(wordWrap=True), "study.sentence")
        policy = self.sentence.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)  # otherwise it widens the column of the labels
        self.sentence.setSizePolicy(policy)
        self._form.addRow(self.sentence)
        self.faults = {"data": sentence_row(self._form, "data.fault")}
        self.axes = [AxisFields(index, studies, self._form) for index in range(len(SIDES))]
        self.value = self._choice(
            "&Measure",
            "value",
            "What is measured",
            "The number that each cell shows.",
            lambda value: studies.choose(value=value),
        )
        self.faults["value"] = sentence_row(self._form, "value.fault")
        self._scene: Scene | None = None
        tip = "More kinds of studies, and the numbers of folds, draws and test points."
        self.advanced = check_box("Advanced", "study.advanced", "Advanced", tip, lambda on: self._show_again())
        self._form.addRow("", self.advanced)
        self._fields: dict[str, PlanField] = {}
        for name, (title, _, _) in WHOLE.items():
            self._fields[name] = PlanField(name, title, TIPS[name], name, studies.choose)
            self._form.addRow(title, self._fields[name])
            self.faults[name] = sentence_row(self._form, f"{name}.fault")
        self.faults[""] = sentence_row(self._form, "whole.fault")
        filled(QVBoxLayout(self), self._form, 1, margins=0)

    def _choice(self, label: str, name: str, title: str, tip: str, choose: Callable[[Any], object]) -> WholeCombo:
        combo = choosable(WholeCombo(), f"study.{name}", title, tip, choose)
        self._form.addRow(label, combo)
        return combo

    def _show_again(self) -> None:
        if self._scene is not None:
            self.show_plan(self._scene)

    def show_plan(self, scene: Scene) -> None:
        """Show the plan, and its faults; what is advanced only if it is wanted, chosen or wrong."""
        self._scene = scene
        studies, plan = self._studies, self._studies.plan
        faults = studies.planned().faults
        every = self.advanced.isChecked()
        kinds = (
            (kind.title, name) for name, kind in KINDS.items() if every or name not in ADVANCED or name == plan.kind
        )
        show_options(self.kind, kinds, plan.kind)
        lanes = [
            (f"{index + 1}  {lane.lane.family.short}", lane.slot)
            for index, lane in enumerate(scene.lanes)
            if not lane.lane.is_difference
        ]
        show_options(
            self.lane, lanes, scene.lanes[studies.lane_index].slot if studies.lane_index < len(scene.lanes) else None
        )
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
        show_options(self.value, ((text, name) for name, text in values.items()), plan.value)
        self.value.setToolTip(MEASURES[plan.value].note if plan.value in MEASURES else "")
        for name, field in self._fields.items():
            field.show_typed(getattr(plan, name), faults.get(name, ""))
            wanted = every or name not in ADVANCED or name in faults
            self._form.setRowVisible(field, wanted and (plan.generated or name not in ("draws", "test")))
        for name, sentence in self.faults.items():
            show_or_hide(sentence, faults.get(name, ""))
