"""LanePanel: the form of one lane, above its picture: classifier, parameters, formula."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QPushButton, QSlider, QWidget

from app.controllers.controller import Controller
from app.learners.knn import METRICS, WEIGHTS
from app.learners.table import LEARNERS
from app.scene import text
from app.scene.model import LaneScene
from app.state.points import MAX_CLASSES
from app.state.session import SPEEDS
from app.state.slider_scales import RankScale, parameter
from app.views.theme import LIGHT, Theme
from app.views.widgets.form_fields import NumberField, show_check, show_choice, show_number
from app.views.widgets.scale_slider import ScaleSlider
from solver import KERNELS, SCHEMES

from .form_parts import LaneForm
from .learner_fields import LearnerRows


class LanePanel(LaneForm):
    """The form of lane `index`; it shows what the scene says and hands changes to the controller."""

    def __init__(self, index: int, controller: Controller) -> None:
        super().__init__(index, controller)
        self._build_head()
        self._build_knn()
        self._build_svm()
        self._learner = LearnerRows(self)
        self._build_foot()

    def _build_head(self) -> None:
        self._classifier = self.explained(
            "classifier",
            "Classifier",
            [(learner.title, name, learner.note) for name, learner in LEARNERS.items()],
            "kNN lets the nearest points vote; the SVM looks for the widest margin; the others look for a line.",
        )
        self._classifier.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._classifier.setMinimumContentsLength(0)  # its longest entry is its least width
        self._classifier.activated.connect(lambda: self.set_lane(classifier=self._classifier.currentData()))
        self.grid.addWidget(self._classifier, 0, 0, 1, 2)
        self._kernel = self.combo(
            "kernel",
            "Kernel",
            [(kind.title, name) for name, kind in KERNELS.items()],
            "How alike two points are; it decides which boundaries are possible.",
        )
        self._kernel.setMinimumContentsLength(7)  # leaves room for the bar of a form that scrolls
        self._kernel.activated.connect(lambda: self.set_lane("svm", kernel=self._kernel.currentData()))
        self.put(0, "kernel", "Kernel", self._kernel, 2)
        self._formula = QLabel()
        self._formula.setObjectName(f"lane{self.index}.formula")
        self._formula.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._note = QLabel()
        self._note.setObjectName(f"lane{self.index}.note")
        for row, label in enumerate((self._formula, self._note), 1):
            label.setWordWrap(True)
            self.grid.addWidget(label, row, 0, 1, 4)

    def _build_knn(self) -> None:
        tip = "How many of the nearest points vote. Small k: ragged; large k: smooth."
        self._k_slider = ScaleSlider(RankScale(1), page=5)
        self.named(self._k_slider, "k.slider", "k slider", tip)
        self.gestures.watch(self._k_slider)
        self._k_slider.actionTriggered.connect(
            lambda action: self.set_lane(
                "knn", n_neighbors=self._k_slider.value_at(self._k_slider.sliderPosition()), drag="k"
            )
        )
        self._k = self.spin("k", "k", parameter("knn", "n_neighbors"), tip)
        self._k.setMinimumWidth(110)  # the legend of the strip stands below it
        self._k.valueChanged.connect(lambda value: self.set_lane("knn", n_neighbors=value, drag="k"))
        self.put(3, "k", "k", self.beside(self._k_slider, self._k), span=3)
        self.put_below(4, "knn", "k", "n_neighbors", self._k_slider)
        self._weights = self.combo(
            "weights",
            "Weights",
            [(title, name) for name, (title, _) in WEIGHTS.items()],
            "With 1/d or 1/d², nearer points count more; a point at distance 0 decides alone.",
        )
        self._weights.activated.connect(lambda: self.set_lane("knn", weights=self._weights.currentData()))
        self.put(5, "weights", "Weights", self._weights)
        self._metric = self.combo(
            "metric",
            "Metric",
            [(title, name) for name, (title, _) in METRICS.items()],
            "What near means. Cosine looks at the direction from the origin only.",
        )
        self._metric.activated.connect(lambda: self.set_lane("knn", metric=self._metric.currentData()))
        self.put(5, "metric", "Metric", self._metric, 2)
        self._p = self.number(
            "p", "p of Minkowski", parameter("knn", "p"), "1 is Manhattan, 2 Euclidean, large p near Chebyshev."
        )
        self._p.committed.connect(lambda value: self.set_lane("knn", p=value))
        self.put(6, "p", "p", self._p)

    def _build_svm(self) -> None:
        self._c_slider, self._c = self.logarithmic(
            "svm", "C", "Price of slack: large C forbids errors, small C widens the margin."
        )
        self._hard = self.check(
            "hard_margin", "Hard margin", "C = ∞: no point may be inside the margin; needs separable data."
        )
        self._hard.clicked.connect(lambda on: self.set_lane("svm", hard_margin=on))
        self.put(3, "C", "C", self.beside(self._c_slider, self._c, self._hard), span=3)
        self.put_below(4, "svm", "C", "C", self._c_slider)
        self._gamma_slider, self._gamma = self.logarithmic(
            "svm", "gamma", "How fast likeness fades with distance: large γ makes small islands."
        )
        self.put(5, "gamma", "γ", self.beside(self._gamma_slider, self._gamma), span=3)
        self.put_below(6, "svm", "gamma", "gamma", self._gamma_slider)
        self._degree = self.spin("degree", "Degree", parameter("svm", "degree"), "Degree d of the polynomial.")
        self._degree.valueChanged.connect(lambda value: self.set_lane("svm", degree=value, drag="degree"))
        self._coef0 = self.number(
            "coef0",
            "coef0",
            parameter("svm", "coef0"),
            "c₀ trades high against low powers; below 0 the kernel is not positive semidefinite.",
        )
        self._coef0.committed.connect(lambda value: self.set_lane("svm", coef0=value))
        self.put(7, "coef0", "c₀", self._coef0)
        self.put(7, "degree", "Degree d", self._degree, 2)
        self._class_weight = self.explained(
            "class_weight",
            "Class weights",
            [(title, name, note) for name, (title, note) in text.CLASS_WEIGHTS.items()],
            "What an error costs in each class: C of a point is C times the weight w of its class.",
        )
        self._class_weight.activated.connect(
            lambda: self.set_lane("svm", class_weight=self._class_weight.currentData())
        )
        self._weight_formula = QLabel()
        self._weight_formula.setObjectName(f"lane{self.index}.weight_formula")
        self.put(8, "class_weight", "Weights", self._class_weight)
        self.grid.addWidget(self._weight_formula, 8, 2, 1, 2)
        self.parts["class_weight"].append(self._weight_formula)
        self._own_weights = [self._weight(label) for label in range(MAX_CLASSES)]
        self.grid.addWidget(self._weight_table(), 9, 0, 1, 4)

    def _build_foot(self) -> None:
        self._speed = QSlider(Qt.Orientation.Horizontal)
        self._speed.setRange(0, len(SPEEDS) - 1)
        self.named(self._speed, "speed", "Speed of training", "Steps a second.")
        self._speed.actionTriggered.connect(
            lambda action: self.controller.playback.set_speed(self.index, self._speed.sliderPosition())
        )
        self._speed_text = QLabel()
        self._restart = QPushButton("Restart")
        self.named(self._restart, "restart", "Restart training", "Train again from zero.")
        self._restart.clicked.connect(lambda: self.controller.playback.restart(self.index))
        self.put(12, "speed", "Speed", self.beside(self._speed, self._speed_text, self._restart), span=3)
        self._multiclass = self.explained(
            "multiclass",
            "Many classes",
            [(scheme.title, name, scheme.note) for name, scheme in SCHEMES.items()],
            "How an SVM, which parts two, parts more: each pair of classes, or each class against the rest.",
        )
        self._multiclass.activated.connect(lambda: self.set_lane("svm", multiclass=self._multiclass.currentData()))
        self._pair = self.combo(
            "pair",
            "Problem that is drawn",
            [],
            "More than two classes are several problems, each with an f of its own; lines and panels show this one's.",
        )
        self._pair.activated.connect(lambda: self.set_lane(pair=self._pair.currentData()))
        self._margins = QLabel()
        # One line of its own, so that "class 2 against the rest" is not cut off.
        several = self.beside(self._multiclass, self._margins, self._pair, wide=self._pair)
        self.grid.addWidget(several, 13, 0, 1, 4)
        self.parts["multiclass"] = [self._multiclass]
        self.parts["pair"] = [several]
        self.grid.setRowStretch(14, 1)

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
            self.parts[f"weight{label + 1}"] = [name, edit]
        grid.setColumnStretch(8, 1)  # on a wide screen the room is at the end, not between name and field
        self.parts["weights_of_classes"] = [table]
        return table

    def _weight(self, label: int) -> NumberField:
        edit = self.number(
            f"weight{label + 1}", f"Weight of class {label + 1}", parameter("svm", "own_weights"), text.WEIGHT_NOTE
        )
        edit.setMinimumWidth(44)
        edit.setMaximumWidth(80)
        edit.committed.connect(lambda value: self.controller.set_class_weight(self.index, label, value))
        return edit

    def render_scene(self, lane: LaneScene, drawing: bool = False, theme: Theme = LIGHT) -> None:
        """Show the lane's settings; while someone is `drawing`, no row comes or goes: the picture would jump."""
        settings = lane.lane
        show_choice(self._classifier, settings.classifier)
        if not drawing:
            for name, widgets in self.parts.items():
                for widget in widgets:
                    widget.setVisible(name in lane.fields)
        if self._formula.text() != lane.formula:
            self._formula.setText(lane.formula)
        if self._note.text() != lane.note:
            self._note.setText(lane.note)
        self._note.setVisible(bool(lane.note))
        self._k_slider.show_scale(lane.k_scale)
        for view in self.below:
            wanted = view.render_lane(lane, theme)
            view.setVisible(view.isVisibleTo(self) if drawing else wanted)
        show_number(self._k_slider, self._k_slider.place_of(settings.knn.n_neighbors))
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
        self._weight_formula.setToolTip(text.CLASS_WEIGHTS[svm.class_weight][1])
        for edit, weight in zip(self._own_weights, svm.own_weights, strict=True):
            edit.show_value(weight)
        self._learner.render(settings)
        show_number(self._speed, lane.speed)
        tip = text.speed_note(settings)
        if self._speed.toolTip() != tip:
            self._speed.setToolTip(tip)
            self._speed.setAccessibleDescription(tip)
        self._speed_text.setText(lane.speed_text)
        show_choice(self._multiclass, svm.multiclass)
        self._show_pairs(lane)

    def _show_pairs(self, lane: LaneScene) -> None:
        trainer = lane.lane.trainer
        self._margins.setText("Margins" if trainer is None or trainer.has_margins else "Line of")
        rows = range(self._pair.count())
        shown = [(self._pair.itemText(row), self._pair.itemData(row)) for row in rows]
        wanted = list(zip(lane.pair_names, lane.pairs, strict=True))
        if shown != wanted:
            self._pair.clear()
            for name, pair in wanted:
                self._pair.addItem(name, pair)
        if lane.pairs:
            self._pair.setCurrentIndex(lane.pair)
