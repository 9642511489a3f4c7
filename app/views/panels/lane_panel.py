"""LanePanel: the form of one lane, above its picture: classifier, parameters, formula."""

from __future__ import annotations

import math
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSlider,
    QSpinBox,
    QWidget,
)  # fmt: skip

from app import words
from app.controller import Controller
from app.document import LARGEST_WEIGHT, LEAST_WEIGHT
from app.points import MAX_CLASSES
from app.scene import LaneScene
from app.session import SPEEDS
from app.views.bind import Gestures, NumberField, describe, show_check, show_choice, show_number
from solver import KERNELS, RULES, SCHEMES

#: Slider steps per factor of ten.
PER_DECADE = 20


class LogSlider(QSlider):
    """A slider over powers of ten, from 10^low to 10^high."""

    def __init__(self, low: int, high: int) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._low, self._high = low, high
        self.setRange(low * PER_DECADE, high * PER_DECADE)
        self.setPageStep(PER_DECADE)

    def place_of(self, value: float) -> int:
        """The position nearest to `value`."""
        return round(PER_DECADE * min(max(math.log10(value), self._low), self._high))

    def value_at(self, position: int) -> float:
        """The number at `position`, in three digits."""
        return float(f"{10 ** (position / PER_DECADE):.3g}")


class LanePanel(QWidget):
    """The form of lane `index`; it shows what the scene says and hands changes to the controller."""

    def __init__(self, index: int, controller: Controller) -> None:
        super().__init__()
        self._index = index
        self._controller = controller
        self._gestures = Gestures(self)
        self._lane_text = f"lane {index + 1}"
        self._labels: dict[str, list[QWidget]] = {}
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(2, 4, 6, 2)
        self._grid.setHorizontalSpacing(5)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 3)
        self._grid.setColumnStretch(3, 2)
        self._build()

    def _build(self) -> None:
        self._classifier = self._combo(
            "classifier", "Classifier", [("k nearest neighbours", "knn"), ("Support vector machine", "svm")],
            "kNN lets the nearest points vote; the SVM looks for the widest margin.",
        )  # fmt: skip
        self._classifier.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._classifier.setMinimumContentsLength(0)  # its longest entry is its least width
        self._classifier.activated.connect(lambda: self._set(classifier=self._classifier.currentData()))
        self._kernel = self._combo(
            "kernel", "Kernel", [(kind.title, name) for name, kind in KERNELS.items()],
            "How alike two points are; it decides which boundaries are possible.",
        )  # fmt: skip
        self._kernel.setMinimumContentsLength(7)  # leaves room for the bar of a form that scrolls
        self._kernel.activated.connect(lambda: self._set("svm", kernel=self._kernel.currentData()))
        self._formula = QLabel()
        self._formula.setObjectName(f"lane{self._index}.formula")
        self._formula.setWordWrap(True)
        self._formula.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._note = QLabel()
        self._note.setObjectName(f"lane{self._index}.note")
        self._note.setWordWrap(True)

        self._k = QSpinBox()
        self._k.setRange(1, 9999)
        self._k.setKeyboardTracking(False)  # typing 15 is not asking for 1
        self._gestures.watch(self._k)
        describe(
            self._k,
            self._name("k"),
            f"k, {self._lane_text}",
            "How many of the nearest points vote. Small k: ragged; large k: smooth.",
        )
        self._k.valueChanged.connect(lambda value: self._set("knn", n_neighbors=value, drag="k"))
        self._weights = self._combo(
            "weights", "Weights", [(title, name) for name, (title, _) in words.WEIGHTS.items()],
            "With 1/d or 1/d², nearer points count more; a point at distance 0 decides alone.",
        )  # fmt: skip
        self._weights.activated.connect(lambda: self._set("knn", weights=self._weights.currentData()))
        self._metric = self._combo(
            "metric", "Metric", [(title, name) for name, (title, _) in words.METRICS.items()],
            "What near means. Cosine looks at the direction from the origin only.",
        )  # fmt: skip
        self._metric.activated.connect(lambda: self._set("knn", metric=self._metric.currentData()))
        self._p = self._number(
            "p", "p of Minkowski", 1.0, 100.0, "1 is Manhattan, 2 Euclidean, large p near Chebyshev."
        )
        self._p.committed.connect(lambda value: self._set("knn", p=value))

        self._c_slider, self._c = self._logarithmic(
            "C", -4, 6, 1e-8, 1e8, "Price of slack: large C forbids errors, small C widens the margin."
        )
        self._hard = QCheckBox("Hard margin")
        describe(
            self._hard,
            self._name("hard_margin"),
            f"Hard margin, {self._lane_text}",
            "C = ∞: no point may be inside the margin; needs separable data.",
        )
        self._hard.clicked.connect(lambda on: self._set("svm", hard_margin=on))
        self._gamma_slider, self._gamma = self._logarithmic(
            "gamma", -4, 4, 1e-8, 1e8, "How fast likeness fades with distance: large γ makes small islands."
        )
        self._degree = QSpinBox()
        self._degree.setRange(1, 9)
        self._degree.setKeyboardTracking(False)
        self._gestures.watch(self._degree)
        describe(self._degree, self._name("degree"), f"Degree, {self._lane_text}", "Degree d of the polynomial.")
        self._degree.valueChanged.connect(lambda value: self._set("svm", degree=value, drag="degree"))
        self._coef0 = self._number(
            "coef0",
            "coef0",
            -1e6,
            1e6,
            "c₀ trades high against low powers; below 0 the kernel is not positive semidefinite.",
        )
        self._coef0.committed.connect(lambda value: self._set("svm", coef0=value))
        self._class_weight = self._combo(
            "class_weight", "Class weights", [(title, name) for name, (title, _) in words.CLASS_WEIGHTS.items()],
            "What an error costs in each class: C of a point is C times the weight w of its class.",
        )  # fmt: skip
        for row, (_, note) in enumerate(words.CLASS_WEIGHTS.values()):
            self._class_weight.setItemData(row, note, Qt.ItemDataRole.ToolTipRole)
        self._class_weight.activated.connect(lambda: self._set("svm", class_weight=self._class_weight.currentData()))
        self._weight_formula = QLabel()
        self._weight_formula.setObjectName(f"lane{self._index}.weight_formula")
        self._own_weights = [self._weight(label) for label in range(MAX_CLASSES)]
        self._rule = self._combo(
            "rule", "Working-set rule", [(rule.title, name) for name, rule in RULES.items()],
            "Which two multipliers SMO moves next. All reach the same optimum, in more or fewer steps.",
        )  # fmt: skip
        for row, rule in enumerate(RULES.values()):
            self._rule.setItemData(row, rule.note, Qt.ItemDataRole.ToolTipRole)
        self._rule.activated.connect(lambda: self._set("svm", selection=self._rule.currentData()))
        self._tol = self._number("tol", "Tolerance", 1e-9, 1.0, "Largest KKT violation that is called optimal.")
        self._tol.committed.connect(lambda value: self._set("svm", tol=value))
        self._speed = QSlider(Qt.Orientation.Horizontal)
        self._speed.setRange(0, len(SPEEDS) - 1)
        describe(
            self._speed,
            self._name("speed"),
            f"Speed of training, {self._lane_text}",
            "Steps a second: one step moves two multipliers.",
        )
        self._speed.actionTriggered.connect(
            lambda action: self._controller.transport.set_speed(self._index, self._speed.sliderPosition())
        )
        self._speed_text = QLabel()
        self._restart = QPushButton("Restart")
        describe(
            self._restart,
            self._name("restart"),
            f"Restart training, {self._lane_text}",
            "Train again from zero multipliers.",
        )
        self._restart.clicked.connect(lambda: self._controller.transport.restart(self._index))
        self._multiclass = self._combo(
            "multiclass", "Many classes", [(scheme.title, name) for name, scheme in SCHEMES.items()],
            "How an SVM, which parts two, parts more: each pair of classes, or each class against the rest.",
        )  # fmt: skip
        for row, scheme in enumerate(SCHEMES.values()):
            self._multiclass.setItemData(row, scheme.note, Qt.ItemDataRole.ToolTipRole)
        self._multiclass.activated.connect(lambda: self._set("svm", multiclass=self._multiclass.currentData()))
        self._pair = self._combo(
            "pair", "SVM of the margins", [], "Each SVM has margins of its own; the dashed lines are those of this one."
        )
        self._pair.activated.connect(lambda: self._set(pair=self._pair.currentData()))
        self._lay_out()

    def _lay_out(self) -> None:
        self._grid.addWidget(self._classifier, 0, 0, 1, 2)
        self._row(0, "kernel", "Kernel", self._kernel, 2)
        self._row(0, "k", "k", self._k, 2)
        self._grid.addWidget(self._formula, 1, 0, 1, 4)
        self._grid.addWidget(self._note, 2, 0, 1, 4)
        self._row(3, "weights", "Weights", self._weights)
        self._row(3, "metric", "Metric", self._metric, 2)
        self._row(4, "p", "p", self._p)
        self._row(3, "C", "C", self._beside(self._c_slider, self._c, self._hard), span=3)
        self._row(4, "gamma", "γ", self._beside(self._gamma_slider, self._gamma), span=3)
        self._row(5, "coef0", "c₀", self._coef0)
        self._row(5, "degree", "Degree d", self._degree, 2)
        self._row(6, "class_weight", "Weights", self._class_weight)
        self._grid.addWidget(self._weight_formula, 6, 2, 1, 2)
        self._labels["class_weight"].append(self._weight_formula)
        self._grid.addWidget(self._weight_table(), 7, 0, 1, 4)
        self._row(8, "rule", "Rule", self._rule)
        self._row(8, "tol", "Tolerance", self._tol, 2)
        self._row(9, "speed", "Speed", self._beside(self._speed, self._speed_text, self._restart), span=3)
        # One line of its own, so that "class 2 against the rest" is not cut off.
        several = self._beside(self._multiclass, QLabel("Margins"), self._pair, wide=self._pair)
        self._grid.addWidget(several, 10, 0, 1, 4)
        self._labels["multiclass"] = [several]
        self._grid.setRowStretch(11, 1)

    def _weight_table(self) -> QWidget:
        """The weights of one's own, four to a row; each stays in its place whichever classes there are."""
        table = QWidget()
        grid = QGridLayout(table)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(3)
        for label, edit in enumerate(self._own_weights):
            row, column = divmod(label, 4)
            name = QLabel(f"w{chr(ord('₁') + label)}")
            name.setBuddy(edit)
            grid.addWidget(name, row, 2 * column)
            grid.addWidget(edit, row, 2 * column + 1)
            self._labels[f"weight{label + 1}"] = [name, edit]
        grid.setColumnStretch(8, 1)  # on a wide screen the room is at the end, not between name and field
        self._labels["weights_of_classes"] = [table]
        return table

    def render_scene(self, lane: LaneScene, drawing: bool = False) -> None:
        """Show the lane's settings; while someone is `drawing`, no row comes or goes: the picture would jump."""
        settings = lane.lane
        show_choice(self._classifier, settings.classifier)
        for name, widgets in self._labels.items() if not drawing else ():
            for widget in widgets:
                widget.setVisible(name in lane.fields)
        if self._formula.text() != lane.formula:
            self._formula.setText(lane.formula)
        if self._note.text() != lane.note:
            self._note.setText(lane.note)
        self._note.setVisible(bool(lane.note))
        show_number(self._k, settings.knn.n_neighbors)
        show_choice(self._weights, settings.knn.weights)
        show_choice(self._metric, settings.knn.metric)
        self._p.show_value(settings.knn.p)
        svm = settings.svm
        show_choice(self._kernel, svm.kernel)
        show_number(self._c_slider, self._c_slider.place_of(svm.C))
        self._c.show_value(svm.C)
        show_check(self._hard, svm.hard_margin)
        self._c_slider.setEnabled(not svm.hard_margin)
        self._c.setEnabled(not svm.hard_margin)
        show_number(self._gamma_slider, self._gamma_slider.place_of(svm.gamma))
        self._gamma.show_value(svm.gamma)
        show_number(self._degree, svm.degree)
        self._coef0.show_value(svm.coef0)
        show_choice(self._class_weight, svm.class_weight)
        self._weight_formula.setText(lane.weight_formula)
        self._weight_formula.setToolTip(words.CLASS_WEIGHTS[svm.class_weight][1])
        for edit, weight in zip(self._own_weights, svm.own_weights, strict=True):
            edit.show_value(weight)
        show_choice(self._multiclass, svm.multiclass)
        show_choice(self._rule, svm.selection)
        self._tol.show_value(svm.tol)
        show_number(self._speed, lane.speed)
        self._speed_text.setText(lane.speed_text)
        self._show_pairs(lane)

    def _show_pairs(self, lane: LaneScene) -> None:
        rows = range(self._pair.count())
        shown = [(self._pair.itemText(row), self._pair.itemData(row)) for row in rows]
        wanted = list(zip(lane.pair_names, lane.pairs, strict=True))
        if shown != wanted:
            self._pair.clear()
            for name, pair in wanted:
                self._pair.addItem(name, pair)
        if lane.pairs:
            self._pair.setCurrentIndex(lane.pair)

    # -- small parts -----------------------------------------------------------------------------------------------

    def _set(self, part: str = "", drag: str = "", **values: Any) -> None:
        key = (self._index, drag, self._gestures.count) if drag else None
        self._controller.set_lane(self._index, part, key, **values)

    def _name(self, field: str) -> str:
        return f"lane{self._index}.{field}"

    def _combo(self, field: str, title: str, entries: list[tuple[str, str]], tip: str) -> QComboBox:
        combo = QComboBox()
        for text, data in entries:
            combo.addItem(text, data)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(8)
        describe(combo, self._name(field), f"{title}, {self._lane_text}", tip)
        return combo

    def _number(self, field: str, title: str, low: float, high: float, tip: str) -> NumberField:
        edit = NumberField(title, low, high)
        edit.setMaximumWidth(110)
        describe(edit, self._name(field), f"{title}, {self._lane_text}", tip)
        edit.refused.connect(self._controller.say)
        return edit

    def _weight(self, label: int) -> NumberField:
        edit = self._number(
            f"weight{label + 1}", f"Weight of class {label + 1}", LEAST_WEIGHT, LARGEST_WEIGHT, words.WEIGHT_NOTE
        )
        edit.setMinimumWidth(44)
        edit.setMaximumWidth(80)
        edit.committed.connect(lambda value: self._controller.set_class_weight(self._index, label, value))
        return edit

    def _logarithmic(
        self, field: str, low: int, high: int, least: float, most: float, tip: str
    ) -> tuple[LogSlider, NumberField]:
        slider = LogSlider(low, high)
        describe(slider, self._name(f"{field}.slider"), f"{field} slider, {self._lane_text}", tip)
        self._gestures.watch(slider)
        slider.actionTriggered.connect(
            lambda action: self._set("svm", drag=field, **{field: slider.value_at(slider.sliderPosition())})
        )
        edit = self._number(field, field, least, most, tip)
        edit.committed.connect(lambda value: self._set("svm", **{field: value}))
        return slider, edit

    @staticmethod
    def _beside(*widgets: QWidget, wide: QWidget | None = None) -> QWidget:
        box = QWidget()
        layout = QHBoxLayout(box)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        for widget in widgets:
            layout.addWidget(widget, 1 if isinstance(widget, QSlider) or widget is wide else 0)
        return box

    def _row(self, row: int, field: str, text: str, widget: QWidget, column: int = 0, span: int = 1) -> None:
        label = QLabel(text)
        label.setBuddy(widget)
        self._grid.addWidget(label, row, column)
        self._grid.addWidget(widget, row, column + 1, 1, span)
        self._labels[field] = [label, widget]
