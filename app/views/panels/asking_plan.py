"""PlanForm: how a run of active learning is to begin: pool, classifier, strategy, labels given, draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QComboBox, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QSpinBox, QWidget

from app import asking_words
from app.asking import MOST_GIVEN, Asking, Plan
from app.document import Lane
from app.views.bind import describe, show_choice, show_number
from app.words import classifier_name


class PlanForm(QWidget):
    """Shows a plan; hands changed ones to `changed`."""

    def __init__(self, changed: Callable[[Plan], None]) -> None:
        super().__init__()
        self._changed = changed
        self._plan = Plan()
        self._lanes: list[str] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(1, 1)
        self._grid.setColumnStretch(3, 1)
        self._source = self._combo(
            "source", "Pool", "The points of the document, or a fresh sample of the generator with its settings, which"
            " is then measured on more fresh points.", list(asking_words.SOURCES.items()), 0, 0,
        )  # fmt: skip
        self._strategy = self._combo(
            "strategy", "Ask for", "Which of the unlabelled points is asked for next: the one the model is least sure"
            " of, or any.", list(asking_words.ASKED.items()), 0, 2,
        )  # fmt: skip
        self._lane = self._combo("lane", "Learner", "Whose settings learn, as they are when it starts.", [], 1, 0)
        self._formula = QLabel()
        self._formula.setObjectName("asking.formula")
        self._formula.setWordWrap(True)
        self._grid.addWidget(self._formula, 2, 0, 1, 4)
        row = QHBoxLayout()
        row.setSpacing(6)
        self._given = self._spin(
            row, "per_class", "Given per class", 1, MOST_GIVEN,
            "Labels of so many points of each class are given at the start.",
        )  # fmt: skip
        row.addSpacing(8)
        self._draw = self._spin(
            row, "draw", "Draw", 1, 9999, "Seed of all that is drawn: the same number, the same run."
        )
        self._grid.addLayout(row, 3, 0, 1, 4)

    def _combo(
        self, name: str, title: str, tip: str, entries: Sequence[tuple[str, str]], row: int, column: int
    ) -> QComboBox:
        combo = QComboBox()
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(8)
        combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        for value, text in entries:
            combo.addItem(text, value)
        describe(combo, f"asking.{name}", title, tip)
        combo.activated.connect(lambda: self._changed(replace(self._plan, **{name: combo.currentData()})))
        label = QLabel(title)
        label.setBuddy(combo)
        self._grid.addWidget(label, row, column)
        self._grid.addWidget(combo, row, column + 1, 1, 1 if entries else 3)
        return combo

    def _spin(self, row: QHBoxLayout, name: str, title: str, low: int, high: int, tip: str) -> QSpinBox:
        spin = QSpinBox()
        spin.setRange(low, high)
        spin.setKeyboardTracking(False)
        describe(spin, f"asking.{name}", title, tip)
        spin.valueChanged.connect(lambda value: self._changed(replace(self._plan, **{name: value})))
        label = QLabel(title)
        label.setBuddy(spin)
        row.addWidget(label)
        row.addWidget(spin, 1)
        return spin

    def show_plan(self, plan: Plan, lanes: Sequence[Lane], asking: Asking | None, classes: Sequence[int]) -> None:
        """Show `plan`, the classifiers to choose from, and the formula of the next question."""
        self._plan = plan
        names = [classifier_name(lane) for lane in lanes]
        if names != self._lanes:
            self._lanes = names
            self._lane.clear()
            for index, name in enumerate(names):
                self._lane.addItem(name, index)
        show_choice(self._source, plan.source)
        show_choice(self._lane, plan.lane)
        show_choice(self._strategy, plan.strategy)
        show_number(self._given, plan.per_class)
        show_number(self._draw, plan.draw)
        number = len(asking.pool.classes) if asking is not None else len(classes)
        formula = asking_words.formula(lanes[plan.lane], plan.strategy, number)
        if self._formula.text() != formula:
            self._formula.setText(formula)
