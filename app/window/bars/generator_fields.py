"""GeneratorFields: data set, number of points and noise; a popup form has the other settings of the generator."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import Qt
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QSizePolicy, QSpinBox, QWidget

from app.controllers.controller import Controller
from app.core.number_format import count
from app.core.points import MAX_CLASSES
from app.scene.model import Scene
from app.scene.text import counts_sentence
from app.state.document import NO_LIMIT
from app.views.theme import Theme
from app.views.widgets.clickable import choosable, clickable
from app.views.widgets.inputs import (
    Gestures,
    NameField,
    NumberField,
    ShortCombo,
    describe,
    filled,
    is_refused,
    label_for,
    mark_bad,
    named,
    show_choice,
    show_number,
    spin_box,
    take_typed_number,
)
from app.window.flat_button import flat_button
from solver.data.datasets import DATASETS, MOST_FLIPPED, RULE, SQUARE
from solver.data.rules import FARTHEST

from .popup import PopupButton

#: Usual and largest width of the number of points in the bar (pixels), and the first row of fields in the form.
COUNT, MOST, FIELDS = 72, (1 << 24) - 1, 2
RULE_TIP = (
    "Class 1 is where it holds: comparisons of x and y by < or >, joined by and, or, not; + − * / ^, pi, e, sin, cos,"
    " exp, log, sqrt, abs, min, max.  With the root or logarithm of a negative number, no comparison holds."
)
#: Text if the points are not as generated.
OWN = "Own points"


class GeneratorFields(QWidget):
    """Choosing a data set generates it; the other fields act at once while the points are as generated."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self._gestures = Gestures(self)
        self._shown: object = None
        self._times: object = None
        self._own: str | None = None
        self._simple = self._opening = False
        self._set = choosable(
            ShortCombo(), "generator.name", "Data set", "Which kind of data set to generate.", self._choose
        )
        for name, kind in DATASETS.items():
            self._set.addItem(kind.title, name)
            self._set.setItemData(self._set.count() - 1, kind.sentence, Qt.ItemDataRole.ToolTipRole)
        self._set.addItem(OWN, "")
        own = cast(QStandardItemModel, self._set.model()).item(self._set.count() - 1)
        own.setEnabled(False)  # displayed, but not for choosing
        self._count = self._spin("count", "Points per class", 1, 50_000, "How many points of each class.")
        self._noise = self._number("noise", "Noise", 0, 10, "Standard deviation of what is added to each coordinate.")
        self._seed = self._spin("seed", "Seed", 0, 2**31 - 1, "The same seed gives the same points on every machine.")
        self._shift = self._number("shift", "Shift", -1, 1, "Above 0 a gap between the classes, below 0 an overlap.")
        self._n_classes = self._spin("n_classes", "Classes", 2, MAX_CLASSES, "How many classes.")
        self._flipped = self._number(
            "flipped",
            "Flipped labels",
            0,
            MOST_FLIPPED,
            "Share of each class that gets another class's label: 10 % is one point in ten.",
            percent=True,
        )
        for edit in (self._noise, self._shift, self._flipped):
            edit.setMaximumWidth(64)
        self._rule = describe(NameField(1 << 24), "generator.rule", "Rule", RULE_TIP)
        self._rule.committed.connect(self._set_rule)
        self._rule.textEdited.connect(lambda: mark_bad(self._rule, bad=False))
        self._low, self._high = (
            self._number(name, f"Square {word}", -FARTHEST, FARTHEST, f"{size} x and y of the points before noise.")
            for name, word, size in (("low", "from", "Smallest"), ("high", "to", "Largest"))
        )
        more = self._more = PopupButton(
            "generator.more", "⋯", "More of the data set", "All settings of the data set; new points, or more of them."
        )
        self._build(more)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)
        self._n = label_for("n", self._count)
        self._noise_label = label_for("Noise", self._noise)
        bar = (self._set, self._n, self._count, self._noise_label, self._noise)
        self._row = filled(QHBoxLayout(self), *bar, margins=0, spacing=4)
        self._count.setMaximumWidth(COUNT)
        tip = "Put these points in place of the present ones (G)."
        self._go = flat_button("generate", "Generate points", tip, self._generate)
        self._go.setAutoRaise(False)
        filled(self._row, self._go, more)

    def _build(self, more: PopupButton) -> None:
        self._form = more.form.rows
        self._note = named(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True), "generator.note")
        self._counts = named(QLabel(textFormat=Qt.TextFormat.PlainText, wordWrap=True), "counts")
        for label in (self._note, self._counts):
            label.setMinimumWidth(260)
            self._form.addRow(label)
        self._rows: dict[str, QWidget] = {}
        for title, name, field in (
            ("Rule", "rule", self._rule),
            ("Square from", "low", self._low),
            ("to", "high", self._high),
            ("Classes", "n_classes", self._n_classes),
            ("Shift", "shift", self._shift),
            ("Flipped labels", "flipped", self._flipped),
            ("Seed", "seed", self._seed),
        ):
            self._rows[name] = field
            self._form.addRow(title, field)
        self._limits = choosable(
            ShortCombo(minimumContentsLength=24),  # a number of points, with the estimated time
            "training_limit",
            "Learn from at most this many points",
            "More points than this: classifiers learn from a sample drawn evenly from each class; the picture says so.",
            self._controller.set_training_limit,
        )
        self._form.addRow("Learn from at most", self._limits)
        tip, act = "Put these points beside the present ones.", lambda: self._generate(add=True)
        self._form.addRow(clickable(QPushButton("Add to the points"), "generate.add", "Add generated points", tip, act))

    def _show_simple(self, simple: bool) -> None:
        """Move the number of points and the button Generate into the form in Simple, else into the bar."""
        self._simple, more = simple, self._more
        parts = (self._n, self._count, self._go)
        if simple:
            self._form.insertRow(FIELDS, self._n, self._count)
            self._form.insertRow(self._form.rowCount() - 1, self._go)
        else:
            self._form.takeRow(self._count)
            self._form.takeRow(self._go)
            before: QWidget = self._set
            for index, part, behind in zip((1, 2, 5), parts, (self._noise_label, self._noise_label, more), strict=True):
                self._row.insertWidget(index, part)
                part.stackUnder(behind)  # the same order for screen readers
            for part in (self._count, self._noise, self._go, more):
                QWidget.setTabOrder(before, part)
                before = part
        for part in parts:
            part.show()
        self._n.setText("Points per class" if simple else "n")
        self._count.setMaximumWidth(MOST if simple else COUNT)
        self._go.setText("Generate points" if simple else "")
        styles = Qt.ToolButtonStyle
        self._go.setToolButtonStyle(styles.ToolButtonTextBesideIcon if simple else styles.ToolButtonIconOnly)

    def _choose(self, name: str) -> None:
        self._opening = name == "rule"  # its form opens when it shows the rule
        self._controller.choose_generator(name)

    def _set_rule(self, rule: str) -> None:
        accepted = self._controller.set_generator(None, rule=rule)
        self._rule.setModified(not accepted)  # what was refused stays to be corrected
        mark_bad(self._rule, not accepted)

    def _generate(self, add: bool = False) -> None:
        take_typed_number()
        self._controller.generate(add=add)

    def _spin(self, field: str, title: str, low: int, high: int, tip: str) -> QSpinBox:
        spin = describe(spin_box(low, high), f"generator.{field}", title, tip)
        spin.refused.connect(self._controller.say)
        self._gestures.watch(spin)
        spin.valueChanged.connect(
            lambda value: self._controller.set_generator((field, self._gestures.count), **{field: value})
        )
        return spin

    def _number(self, field: str, title: str, low: float, high: float, tip: str, percent: bool = False) -> NumberField:
        edit = describe(NumberField(title, low, high, percent=percent), f"generator.{field}", title, tip)
        edit.committed.connect(lambda value: mark_bad(edit, not self._controller.set_generator(None, **{field: value})))
        edit.refused.connect(self._controller.say)
        return edit

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the generator's settings."""
        self._go.show_icon("generate", theme)
        if scene.session.simple != self._simple:
            self._show_simple(scene.session.simple)
        generator = scene.document.generator
        if scene.own_points != self._own:
            self._own = scene.own_points
            self._set.setItemText(self._set.count() - 1, self._own or OWN)
            self._set.view().setRowHidden(self._set.count() - 1, not self._own)  # type: ignore[attr-defined]
        show_choice(self._set, "" if self._own else generator.name)
        show_number(self._count, generator.count)
        self._noise.show_value(generator.noise)
        show_number(self._seed, generator.seed)
        self._shift.show_value(generator.shift)
        self._flipped.show_value(generator.flipped)
        show_number(self._n_classes, generator.n_classes)
        self._rule.show_name(generator.rule or RULE)
        mark_bad(self._rule, is_refused(self._rule) and self._rule.text() != generator.rule)
        for edge, value in zip((self._low, self._high), generator.square or SQUARE, strict=True):
            edge.show_value(value)
        self._note.setText(scene.generator_note)
        self._counts.setText(counts_sentence(scene.points, scene.document.class_names))
        shown = (scene.generator_note, scene.generator_fields, scene.limited)
        if shown != self._shown:
            self._shown = shown
            self._set.setToolTip(f"Data set: {scene.generator_note}")
            for name, field in self._rows.items():
                self._form.setRowVisible(field, name in scene.generator_fields)
            self._form.setRowVisible(self._limits, scene.limited)
        self._show_limits(scene)
        if self._opening:
            self._opening = False
            self._more.open()
            self._rule.setFocus()
            self._rule.selectAll()

    def _show_limits(self, scene: Scene) -> None:
        """Show the choices of the limit on training points, with estimated times."""
        times = scene.training_times
        if times == self._times and self._limits.currentData() == scene.document.training_limit:
            return
        self._times = times
        if [self._limits.itemData(row) for row in range(self._limits.count())] != [each.limit for each in times]:
            self._limits.clear()
            for each in times:
                self._limits.addItem("", each.limit)
        for row, each in enumerate(times):
            points = "all points" if each.limit >= NO_LIMIT else count(each.limit, "point")
            self._limits.setItemText(row, f"{points}: {each.total}" if each.total else points)
            self._limits.setItemData(row, each.each, Qt.ItemDataRole.ToolTipRole)
        show_choice(self._limits, scene.document.training_limit)
