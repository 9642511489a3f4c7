"""LearnerRows: the fields of a lane's form that say how it is trained: the trainer, and what only it can be told."""

from __future__ import annotations

from PySide6.QtWidgets import QLabel, QSpinBox

from app.learners.table import SVM_TRAINERS, TRAINERS
from app.scene import text
from app.state.document import Lane
from app.state.slider_scales import Parameter, parameter
from app.views.widgets.form_fields import show_check, show_choice, show_number
from solver import RULES
from solver.online.lasvm import SELECTIONS

from .form_parts import LaneForm


class LearnerRows:
    """Puts its fields into the rows 3, 10 and 11 of `form`."""

    def __init__(self, form: LaneForm) -> None:
        self._form = form
        self._part = "svm"  # of the lane that is shown
        self._build_svm()
        self._build_linear()

    def _build_svm(self) -> None:
        form = self._form
        self._trainer = form.explained(
            "trainer",
            "Trainer",
            [(TRAINERS[name].title, name, f"{TRAINERS[name].note}\n{TRAINERS[name].formula}") for name in SVM_TRAINERS],
            "",
        )
        self._trainer.activated.connect(lambda: form.set_lane("svm", trainer=self._trainer.currentData()))
        form.put(10, "trainer", "Trainer", self._trainer)
        self._rule = form.explained(
            "rule",
            "Working-set rule",
            [(rule.title, name, rule.note) for name, rule in RULES.items()],
            "Which two multipliers SMO moves next. All reach the same optimum, in more or fewer steps.",
        )
        self._rule.activated.connect(lambda: form.set_lane("svm", selection=self._rule.currentData()))
        form.put(10, "rule", "Rule", self._rule, 2)
        self._partner = form.explained(
            "partner",
            "Partner",
            [(RULES[name].title, name, text.PARTNERS[name]) for name in SELECTIONS],
            "With which of the points kept a new point moves.",
        )
        self._partner.activated.connect(lambda: form.set_lane("svm", partner=self._partner.currentData()))
        form.put(10, "partner", "Partner", self._partner, 2)
        self._length = form.explained(
            "step_size",
            "Length of a step",
            [(title, name, note) for name, (title, note) in text.STEP_SIZES.items()],
            "How far along the gradient, s. Both end at the same optimum.",
        )
        self._length.activated.connect(lambda: form.set_lane("svm", step_size=self._length.currentData()))
        form.put(10, "step_size", "Length", self._length, 2)
        for combo in (self._rule, self._partner, self._length):
            combo.setMinimumContentsLength(7)  # leaves room for the bar of a form that scrolls
        self._tol = form.number(
            "tol", "Tolerance", parameter("svm", "tol"), "Largest KKT violation that is called optimal."
        )
        self._tol.committed.connect(lambda value: form.set_lane("svm", tol=value))
        form.put(11, "tol", "Tolerance", self._tol)
        self._epochs = form.spin("epochs", "Passes", parameter("svm", "n_epochs"), "How often LASVM sees each point.")
        self._epochs.valueChanged.connect(lambda value: form.set_lane("svm", n_epochs=value, drag="epochs"))
        self._finish = form.check(
            "finish", "Finish", "After the passes, go on to the optimum. Without it, LASVM ends with the last point."
        )
        self._finish.clicked.connect(lambda on: form.set_lane("svm", finish=on))
        label = QLabel("Passes")
        label.setBuddy(self._epochs)
        form.grid.addWidget(form.beside(label, self._epochs, self._finish, wide=self._epochs), 11, 2, 1, 2)
        form.parts["epochs"] = [label, self._epochs]
        form.parts["finish"] = [self._finish]

    def _build_linear(self) -> None:
        form = self._form
        self._lam_slider, self._lam = form.logarithmic(
            "pegasos",
            "lam",
            "λ of λ/2 ‖w‖² + mean hinge loss. Small λ forbids errors, large λ widens the margin: C = 1 / (n λ).",
        )
        form.put(3, "lam", "λ", form.beside(self._lam_slider, self._lam), span=3)
        self._steps = self._many(
            "steps", "Steps", parameter("pegasos", "n_iter"), "Steps in all; each looks at one random point."
        )
        self._steps.valueChanged.connect(lambda value: form.set_lane("pegasos", n_iter=value, drag="steps"))
        form.put(10, "steps", "Steps", self._steps)
        self._passes = self._many(
            "passes",
            "Passes",
            parameter("perceptron", "max_iter"),
            "Passes over the points at most: on classes that no line separates a perceptron never comes to rest.",
        )
        self._passes.valueChanged.connect(lambda value: form.set_lane("perceptron", max_iter=value, drag="passes"))
        form.put(10, "passes", "Passes", self._passes)
        self._seed = form.spin(
            "seed",
            "Seed",
            parameter("perceptron", "random_state"),
            "Of the random order. The same seed: the same line.",
        )
        self._seed.valueChanged.connect(lambda value: form.set_lane(self._part, random_state=value, drag="seed"))
        form.put(10, "seed", "Seed", self._seed, 2)
        self._orders = form.spin(
            "orders",
            "Other orders",
            parameter("perceptron", "orders"),
            "Train again in so many other random orders and draw all the lines, with the one of widest margin on top:"
            " many lines separate, one is widest.",
        )
        self._orders.setSpecialValueText("none")
        self._orders.valueChanged.connect(lambda value: form.set_lane("perceptron", orders=value, drag="orders"))
        form.put(11, "orders", "Orders", self._orders)
        self._shuffle = form.check(
            "shuffle", "Shuffle", "A new random order for each pass over the points; else that of the points."
        )
        self._shuffle.clicked.connect(lambda on: form.set_lane("perceptron", shuffle=on))
        self._intercept = form.check("intercept", "Intercept", "Whether f has a constant b; without it f(0) = 0.")
        self._intercept.clicked.connect(lambda on: form.set_lane(self._part, fit_intercept=on))
        form.grid.addWidget(form.beside(self._shuffle, self._intercept, wide=self._intercept), 11, 2, 1, 2)
        form.parts["shuffle"] = [self._shuffle]
        form.parts["intercept"] = [self._intercept]

    def _many(self, field: str, title: str, limits: Parameter, tip: str) -> QSpinBox:
        spin = self._form.spin(field, title, limits, tip)
        spin.setStepType(QSpinBox.StepType.AdaptiveDecimalStepType)
        return spin

    def render(self, lane: Lane) -> None:
        """Show the settings of `lane`."""
        self._part = lane.classifier
        svm, perceptron, pegasos = lane.svm, lane.perceptron, lane.pegasos
        show_choice(self._trainer, svm.trainer)
        trainer = TRAINERS[svm.trainer]
        tip = f"{trainer.note}\n{trainer.formula}"
        if self._trainer.toolTip() != tip:
            self._trainer.setToolTip(tip)
            self._trainer.setAccessibleDescription(tip)
        show_choice(self._rule, svm.selection)
        show_choice(self._partner, svm.partner)
        show_choice(self._length, svm.step_size)
        self._tol.show_value(svm.tol)
        show_number(self._epochs, svm.n_epochs)
        show_check(self._finish, svm.finish)
        show_number(self._lam_slider, self._lam_slider.place_of(pegasos.lam))
        self._lam.show_value(pegasos.lam)
        show_number(self._steps, pegasos.n_iter)
        show_number(self._passes, perceptron.max_iter)
        show_number(self._seed, (pegasos if lane.classifier == "pegasos" else perceptron).random_state)
        show_number(self._orders, perceptron.orders)
        show_check(self._shuffle, perceptron.shuffle)
        show_check(self._intercept, (svm if lane.classifier == "svm" else perceptron).fit_intercept)
