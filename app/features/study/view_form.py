"""StudyForm: what is studied: kind, classifier, points, axes, what is measured; and a sentence at each wrong field."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QVBoxLayout,
    QWidget,
)

from app.scene.model import Scene
from app.views.widgets.flow_layout import FlowLayout
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
from .planning import KINDS, WHOLE, AxisPlan, Plan, lane_of, titles, values_of

PLACES = ("x axis", "y axis")


class PlanField(QLineEdit):
    """A number as it is typed; what is wrong with it is said below."""

    def __init__(self, name: str, title: str, tip: str) -> None:
        super().__init__()
        describe(self, f"study.{name}", title, tip)
        self.setMaxLength(30)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

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


def fault_label(name: str) -> QLabel:
    """Where a sentence stands that is not always there."""
    label = named(QLabel(wordWrap=True), f"study.{name}.fault")
    label.hide()
    return label


def say(label: QLabel, text: str) -> None:
    """Show a sentence, or nothing."""
    show_text(label, text)
    label.setVisible(bool(text))


class WholeCombo(ShortCombo):
    """A choice that is as long as its entry, where there is a line for that."""

    def __init__(self, entries: Iterable[tuple[str, object]] = ()) -> None:
        super().__init__()
        show_entries(self, entries)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(9)
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
    box = QWidget()
    if isinstance(widget, QComboBox) and not isinstance(widget, WholeCombo):  # as long as there is room for it
        widget.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
    filled(QHBoxLayout(box), label_for(text, widget), widget, margins=0, spacing=4)
    return box


def fill(combo: QComboBox, entries: Iterable[tuple[str, Any]], chosen: Any) -> None:
    """Offer `entries`, texts with their data."""
    show_entries(combo, entries)
    show_choice(combo, chosen)


def add_row(grid: QGridLayout, label: QLabel | None, widget: QWidget) -> None:
    """A row of a form: `widget` behind its label, or under the fields above it."""
    row = grid.rowCount()
    if label is not None:
        grid.addWidget(label, row, 0, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
    grid.addWidget(widget, row, 1)


class AxisFields:
    """One axis: which parameter, from where to where, how many values and how they are spaced.

    Parameters
    ----------
    place : int
    studies : StudyController
    grid : QGridLayout
        Gets three rows: parameter, numbers, and a sentence where something is wrong.
    """

    def __init__(self, place: int, studies: StudyController, grid: QGridLayout) -> None:
        self._place, self._studies = place, studies
        name, word = f"axis{place}", PLACES[place]
        self.parameter = describe(
            combo_box(width=5),
            f"study.{name}",
            f"{word}: what is varied",
            "A parameter of the classifier or of the points.",
        )
        self.parameter.activated.connect(self._choose)
        self.spacing = describe(
            QCheckBox("logarithmic"),
            f"study.{name}.spacing",
            f"{word}: logarithmic",
            "Values in equal ratios, such as 1, 10, 100; else in equal steps, such as 1, 2, 3.",
        )
        self.spacing.clicked.connect(lambda on: self._set(log=on))
        texts = (
            ("start", "from", "The least value."),
            ("stop", "to", "The greatest value."),
            ("count", "values", "How many."),
        )
        self.fields: dict[str, PlanField] = {}
        self._numbers = QWidget()
        flow = FlowLayout(self._numbers, 8)
        for key, text, tip in texts:
            field = self.fields[key] = PlanField(f"{name}.{key}", f"{word}: {text}", tip)
            field.textEdited.connect(lambda typed, key=key: self._set(**{key: typed}))
            flow.addWidget(labelled(text, field))
        self._first = QWidget()
        filled(QHBoxLayout(self._first), (self.parameter, 1), self.spacing, margins=0, spacing=8)
        self._all = named(QLabel(wordWrap=True), f"study.{name}.all")
        self.fault = fault_label(name)
        self._label = label_for(word, self.parameter)
        add_row(grid, self._label, self._first)
        for widget in (self._numbers, self._all, self.fault):
            add_row(grid, None, widget)

    def _axis(self) -> AxisPlan:
        return self._studies.plan.axes[self._place]

    def _put(self, axis: AxisPlan) -> None:
        axes = list(self._studies.plan.axes)
        axes[self._place] = axis
        self._studies.choose(axes=tuple(axes))

    def _set(self, **changes: Any) -> None:
        self._put(replace(self._axis(), **changes))

    def _choose(self) -> None:
        self._put(self._studies.axis_plan(str(self.parameter.currentData())))

    def show_axis(self, plan: Plan, faults: Any) -> None:
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
        name = f"axis{self._place}"
        found = [
            faults[key] for key in (f"{name}.name", f"{name}.start", f"{name}.stop", f"{name}.count") if key in faults
        ]
        for key, field in self.fields.items():
            field.show_typed(getattr(axis, key), faults.get(f"{name}.{key}", ""))
        say(self.fault, found[0] if found else "")


class StudyForm(QWidget):
    """All fields.

    Parameters
    ----------
    studies : StudyController
    """

    def __init__(self, studies: StudyController) -> None:
        super().__init__()
        self._studies = studies
        kinds = [(row.title, name) for name, row in KINDS.items()]
        self.kind = describe(WholeCombo(kinds), "study.kind", "Kind of study", "What is varied.")
        self.kind.activated.connect(lambda: studies.choose_kind(self.kind.currentData()))
        self.lane = describe(
            WholeCombo(), "study.lane", "Classifier", "Its settings are those that no axis changes; a cell goes to it."
        )
        self.lane.activated.connect(lambda: studies.choose_lane(self.lane.currentData()))
        self.data = describe(
            WholeCombo((("those of the document", False), ("new ones of the generator", True))),
            "study.data",
            "Points",
            "Those of the document, or new ones of the generator for each repetition.",
        )
        self.data.activated.connect(lambda: studies.choose_data(bool(self.data.currentData())))
        self.value = describe(WholeCombo(), "study.value", "What is measured", "In each cell.")
        self.value.activated.connect(lambda: studies.choose(value=str(self.value.currentData())))
        tips = {
            "folds": "Parts of a cross-validation, each left out and then predicted; 0: test points decide.",
            "repetitions": "Each with other points, or other folds.",
            "draws": "Sets of training points in each repetition.",
            "test": "New points of the generator that each model is measured on.",
        }
        self.fields = {name: PlanField(name, title, tips[name]) for name, (title, _, _) in WHOLE.items()}
        for name, field in self.fields.items():
            field.textEdited.connect(lambda typed, name=name: studies.choose(**{name: typed}))
        self.sentence = named(QLabel(wordWrap=True), "study.sentence")
        policy = self.sentence.sizePolicy()
        policy.setHorizontalPolicy(QSizePolicy.Policy.Ignored)  # else it widens the column of the labels
        self.sentence.setSizePolicy(policy)
        self.faults = {name: fault_label(name) for name in ("data", "value", *WHOLE, "whole")}
        self._lay_out()

    def _lay_out(self) -> None:
        """One grid for all: labels end, and fields begin, in one line."""
        grid = QGridLayout()
        grid.setContentsMargins(0, 0, 4, 0)
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(5)
        grid.setColumnStretch(1, 1)
        add_row(grid, label_for("&Kind", self.kind), self.kind)
        add_row(grid, label_for("C&lassifier", self.lane), self.lane)
        add_row(grid, label_for("&Points", self.data), self.data)
        grid.addWidget(self.sentence, grid.rowCount(), 0, 1, 2)
        add_row(grid, None, self.faults["data"])
        self.axes = (AxisFields(0, self._studies, grid), AxisFields(1, self._studies, grid))
        add_row(grid, label_for("&Measure", self.value), self.value)
        add_row(grid, None, self.faults["value"])
        self._labels = {name: label_for(WHOLE[name][0], field) for name, field in self.fields.items()}
        for name, field in self.fields.items():
            add_row(grid, self._labels[name], field)
            add_row(grid, None, self.faults[name])
        add_row(grid, None, self.faults["whole"])
        filled(QVBoxLayout(self), grid, 1, margins=0)

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
        varied = f"  Also varied: {further}." if further else ""
        show_text(self.sentence, f"{KINDS[plan.kind].sentence}{varied}")
        for axis in self.axes:
            axis.show_axis(plan, faults)
        lane = lane_of(plan, studies.lane)
        other = studies.other
        values = values_of(plan, lane, other is not None)
        if other is not None:
            values["disagreement"] = f"Disagreement with {other.title}"
        fill(self.value, ((text, name) for name, text in values.items()), plan.value)
        self.value.setToolTip(MEASURES[plan.value].note if plan.value in MEASURES else "")
        for name, field in self.fields.items():
            field.show_typed(getattr(plan, name), faults.get(name, ""))
        for name in ("draws", "test"):
            self._labels[name].setVisible(plan.generated)
            self.fields[name].setVisible(plan.generated)
        for name, label in self.faults.items():
            say(label, faults.get("" if name == "whole" else name, ""))
