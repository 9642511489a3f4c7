"""PlanForm: how a run of active learning is to begin: pool, classifier, strategy, labels given, draw."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QGridLayout, QLabel, QSizePolicy, QSpinBox, QWidget

from app.state.document import Lane
from app.views.widgets.form_fields import (
    combo_box,
    describe,
    label_for,
    named,
    show_choice,
    show_number,
    show_text,
    spin_box,
)

from . import text as asking_words
from .state import MOST_GIVEN, ActiveLearningRun, Plan

SPACING = 6


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
        self._grid.setHorizontalSpacing(SPACING)
        self._pairs: list[tuple[QLabel, QWidget]] = []
        self._columns = 0
        self._source = self._combo(
            "source",
            "Pool",
            "The points of the document, or a fresh sample of the generator with its settings, which"
            " is then measured on more fresh points.",
            [(text, source) for source, text in asking_words.SOURCES.items()],
        )
        self._strategy = self._combo(
            "strategy",
            "Ask for",
            "Which of the unlabelled points is asked for next: the one the model is least sure of, or any.",
            [(text, strategy) for strategy, text in asking_words.ASKED.items()],
        )
        self._lane = self._combo("lane", "Learner", "Whose settings learn, as they are when it starts.", [])
        self._formula = named(QLabel(wordWrap=True), "asking.formula")
        self._given = self._spin(
            "per_class",
            "Given per class",
            1,
            MOST_GIVEN,
            "Labels of so many points of each class are given at the start.",
        )
        self._draw = self._spin("draw", "Draw", 1, 9999, "Seed of all that is drawn: the same number, the same run.")
        self._arrange()

    def _combo(self, name: str, title: str, tip: str, entries: Sequence[tuple[str, str]]) -> QComboBox:
        combo = describe(combo_box(entries, 8), f"asking.{name}", title, tip)
        combo.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        combo.activated.connect(lambda: self._changed(replace(self._plan, **{name: combo.currentData()})))
        self._pair(title, combo)
        return combo

    def _spin(self, name: str, title: str, low: int, high: int, tip: str) -> QSpinBox:
        spin = describe(spin_box(low, high), f"asking.{name}", title, tip)
        spin.valueChanged.connect(lambda value: self._changed(replace(self._plan, **{name: value})))
        self._pair(title, spin)
        return spin

    def _pair(self, title: str, widget: QWidget) -> None:
        self._pairs.append((label_for(title, widget), widget))

    # -- room ------------------------------------------------------------------------------------------------------

    def _width_of(self, columns: int) -> int:
        """What so many fields beside each other need."""
        source, strategy, lane, given, draw = self._pairs
        stacks = [[source, lane, given], [strategy, draw]] if columns == 2 else [self._pairs]
        width = -SPACING
        for stack in stacks:
            width += max(label.sizeHint().width() for label, _ in stack) + SPACING
            width += max(widget.minimumSizeHint().width() for _, widget in stack) + SPACING
        return width

    def minimumSizeHint(self) -> QSize:
        return QSize(self._width_of(1), self._grid.minimumSize().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:  # the text has another size
            self._arrange()
        return super().event(event)

    def _arrange(self) -> None:
        """Two fields in a row, or one where there is no room for two; the learner's name needs a whole row."""
        columns = 2 if self._width_of(2) <= self.width() else 1
        if columns == self._columns:
            return
        self._columns = columns
        source, strategy, lane, given, draw = self._pairs
        rows: list[tuple[tuple[QLabel, QWidget], ...]] = [(source, strategy), (lane,), (), (given, draw)]
        if columns == 1:
            rows = [(source,), (strategy,), (lane,), (), (given,), (draw,)]
        for widget in (*(each for pair in self._pairs for each in pair), self._formula):
            self._grid.removeWidget(widget)
        for row, fields in enumerate(rows):
            for place, (label, widget) in enumerate(fields):
                self._grid.addWidget(label, row, 2 * place)
                self._grid.addWidget(widget, row, 2 * place + 1, 1, 1 if len(fields) == columns else 3)
            if not fields:
                self._grid.addWidget(self._formula, row, 0, 1, 2 * columns)
        for column in (1, 3):
            self._grid.setColumnStretch(column, int(column < 2 * columns))
        self.updateGeometry()

    def show_plan(
        self, plan: Plan, lanes: Sequence[Lane], asking: ActiveLearningRun | None, classes: Sequence[int]
    ) -> None:
        """Show `plan`, the classifiers to choose from, and the formula of the next question."""
        self._plan = plan
        names = [lane.title for lane in lanes]
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
        show_text(self._formula, formula)
