"""DataPanel: the sidebar: tool with its options, class of the next point, the generator, the legend."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QComboBox,
    QFormLayout,
    QFrame,
    QGridLayout,
    QGroupBox,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QSlider,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from app.controllers.controller import Controller
from app.controllers.editing import Editing
from app.features import table
from app.scene.model import Scene
from app.scene.text import LEGEND, PROVISIONAL
from app.state.document import NO_LIMIT, Document
from app.state.number_format import count, grouped
from app.state.points import MAX_CLASSES
from app.state.session import OPTION_LIMITS
from app.tools import TOOLS
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import SHAPE_NAMES, Theme
from app.views.widgets.form_fields import (
    Gestures,
    NumberField,
    combo_box,
    describe,
    filled,
    label_for,
    named,
    show_check,
    show_choice,
    show_number,
    show_text,
    spin_box,
)
from solver.data.datasets import DATASETS

#: Option: title, unit, sentence.
NUMBERS: dict[str, tuple[str, str, str]] = {
    "radius": ("Radius", " px", "Radius of the brush in pixels.  [ makes it smaller, ] larger."),
    "density": ("Points", "", "Points of one spray: at the press, and each time the brush has gone half its radius."),
    "count": ("Points", "", "How many points the shape consists of."),
    "scatter": ("Scatter", " px", "Standard deviation by which the points miss the shape, in pixels."),
}
CHOICES: dict[str, tuple[str, str, tuple[tuple[str, str], ...]]] = {
    "spread": (
        "Spread",
        "Uniform: all over the circle. Normal: dense in the middle; the circle is two standard deviations.",
        (("Uniform", "uniform"), ("Normal", "normal")),
    ),
    "moves": (
        "Moves",
        "What a press on a point that is not selected takes hold of.",
        (("Point or selection", "point"), ("Whole class", "class")),
    ),
}


class ToolPanel(QGroupBox):
    """Shows the tool of the scene's session; hands changes of its options to `editing`."""

    def __init__(self, editing: Editing) -> None:
        super().__init__("Tool")
        self._editing = editing
        self.setObjectName("tool")
        self._form = QFormLayout(self)
        self._form.setContentsMargins(6, 4, 6, 6)
        self._form.setVerticalSpacing(3)
        self._sentence = named(QLabel(wordWrap=True), "tool.sentence")
        self._form.addRow(self._sentence)
        self._rows: dict[str, QWidget] = {}
        self._numbers = {name: self._number(name) for name in NUMBERS}
        self._choices = {name: self._choice(name) for name in CHOICES}
        self._filled = describe(
            QCheckBox("Fill it"), "tool.filled", "Fill the ellipse", "Points all over the ellipse, not only on its rim."
        )
        self._filled.clicked.connect(lambda on: self._editing.set_option("filled", on))
        self._form.addRow("", self._filled)
        self._rows["filled"] = self._filled

    def _number(self, name: str) -> tuple[QSlider, QSpinBox]:
        title, unit, sentence = NUMBERS[name]
        low, high = OPTION_LIMITS[name]
        slider = describe(QSlider(Qt.Orientation.Horizontal), f"tool.{name}.slider", f"{title} slider", sentence)
        slider.setRange(low, high)
        slider.setPageStep(10)
        spin = describe(spin_box(low, high, suffix=unit), f"tool.{name}", title, sentence)
        slider.actionTriggered.connect(lambda action: self._editing.set_option(name, slider.sliderPosition()))
        spin.valueChanged.connect(lambda value: self._editing.set_option(name, value))
        box = QWidget()
        filled(QHBoxLayout(box), (slider, 1), spin, margins=0)
        self._add(name, title, spin, box)
        return slider, spin

    def _choice(self, name: str) -> QComboBox:
        title, sentence, entries = CHOICES[name]
        combo = describe(combo_box(entries), f"tool.{name}", title, sentence)
        combo.activated.connect(lambda: self._editing.set_option(name, combo.currentData()))
        self._add(name, title, combo, combo)
        return combo

    def _add(self, name: str, title: str, widget: QWidget, row: QWidget) -> None:
        self._form.addRow(label_for(title, widget), row)
        self._rows[name] = row

    def render_scene(self, scene: Scene) -> None:
        """Show the tool and its options."""
        session = scene.session
        kind = TOOLS[session.tool]
        self.setTitle(f"Tool: {kind.title}")
        show_text(self._sentence, kind.sentence)
        for name, row in self._rows.items():
            self._form.setRowVisible(row, name in kind.options)
        for name, (slider, spin) in self._numbers.items():
            show_number(slider, getattr(session, name))
            show_number(spin, getattr(session, name))
        for name, combo in self._choices.items():
            show_choice(combo, getattr(session, name))
        show_check(self._filled, session.filled)


LIMITS = (1000, 2000, 5000, 10_000, 20_000, 50_000, NO_LIMIT)


class DataPanel(QScrollArea):
    """The sidebar; it shows what the scene says and hands changes to the controller."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self._theme: Theme | None = None
        self._names: tuple[str, ...] = ()
        self._gestures = Gestures(self)
        self.setObjectName("sidebar")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # no stop of the Tab key: there is nothing to do here
        self._inner = QWidget()
        self._tool = ToolPanel(controller.editing)
        parts = (self._tool, self._classes(), self._generator(), self._legend())
        filled(QVBoxLayout(self._inner), *parts, 1, margins=(6, 4, 6, 4))
        self.setWidget(self._inner)

    def minimumSizeHint(self) -> QSize:
        """Wide enough for all it holds: it scrolls up and down only."""
        return QSize(self._inner.minimumSizeHint().width() + self.verticalScrollBar().sizeHint().width(), 100)

    def sizeHint(self) -> QSize:
        return self.minimumSizeHint()

    def _classes(self) -> QWidget:
        box = QGroupBox("Class of the next point")
        grid = QGridLayout(box)
        grid.setContentsMargins(6, 4, 6, 6)
        grid.setSpacing(3)
        self._group = QButtonGroup(self)
        self._class_buttons = []
        for label in range(MAX_CLASSES):
            button = QToolButton()
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the keys still belong to the picture
            button.setCheckable(True)
            button.setText(str(label + 1))
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
            button.setIconSize(QSize(22, 22))
            button.setMinimumSize(46, 28)
            button.clicked.connect(lambda checked, label=label: self._controller.set_class(label))
            self._group.addButton(button)
            self._class_buttons.append(button)
            grid.addWidget(button, label // 4, label % 4)
        self._counts = named(QLabel(wordWrap=True, textFormat=Qt.TextFormat.PlainText), "counts")
        grid.addWidget(self._counts, 2, 0, 1, 4)
        grid.addWidget(self._limit(), 3, 0, 1, 4)
        return box

    def _limit(self) -> QWidget:
        self._limit_row = QWidget()
        self._limits = describe(
            QComboBox(),
            "training_limit",
            "Learn from at most so many points",
            "More points than this: the lanes learn from a sample drawn evenly from each class; the picture says so.",
        )
        self._limits.activated.connect(lambda: self._controller.set_training_limit(self._limits.currentData()))
        title = label_for("Learn from at most", self._limits)
        # Beside each other they would make the sidebar wider.
        filled(QVBoxLayout(self._limit_row), title, self._limits, margins=(0, 2, 0, 0), spacing=2)
        return self._limit_row

    def _show_limit(self, scene: Scene) -> None:
        self._limit_row.setVisible(scene.limited or scene.training_limit != Document.training_limit)
        if self._limits.currentData() != scene.training_limit:
            self._limits.clear()
            for limit in sorted({*LIMITS, scene.training_limit}):
                self._limits.addItem("all points" if limit >= NO_LIMIT else count(limit, "point"), limit)
            show_choice(self._limits, scene.training_limit)

    def _show_names(self, names: tuple[str, ...]) -> None:
        if names == self._names:
            return
        self._names = names
        for label, (button, name) in enumerate(zip(self._class_buttons, names, strict=True)):
            number, shape = f"class {label + 1}", SHAPE_NAMES[label]
            called = number if name == number else f"{name} ({number})"
            tip = f"New points are of {called}, drawn as {shape} (key {label + 1})."
            spoken = f"Class {label + 1}, {shape}" if name == number else f"Class {label + 1}, {name}, {shape}"
            describe(button, f"class{label + 1}", spoken, tip)

    def _generator(self) -> QWidget:
        box = QGroupBox("Generate points")
        form = self._form = QFormLayout(box)
        form.setContentsMargins(6, 4, 6, 6)
        form.setVerticalSpacing(3)
        kinds = combo_box((kind.title, name) for name, kind in DATASETS.items())
        self._set = describe(kinds, "generator.name", "Data set", "Which kind of data set to generate.")
        self._set.activated.connect(lambda: self._controller.choose_generator(self._set.currentData()))
        self._count = self._spin("count", "Points per class", 1, 50_000, "How many points of each class.")
        self._noise = self._number("noise", "Noise", 0, 10, "Standard deviation of what is added to each coordinate.")
        self._seed = self._spin("seed", "Seed", 0, 2**31 - 1, "The same seed gives the same points on every machine.")
        self._shift = self._number("shift", "Shift", -1, 1, "Above 0 a gap between the classes, below 0 an overlap.")
        self._n_classes = self._spin("n_classes", "Classes", 2, MAX_CLASSES, "How many classes.")
        self._fields: dict[str, QWidget] = {
            "count": self._count,
            "noise": self._noise,
            "shift": self._shift,
            "n_classes": self._n_classes,
            "seed": self._seed,
        }
        form.addRow(self._set)
        self._note = named(QLabel(wordWrap=True), "generator.note")
        form.addRow(self._note)
        for title, name in (
            ("Per class", "count"),
            ("Classes", "n_classes"),
            ("Noise", "noise"),
            ("Shift", "shift"),
            ("Seed", "seed"),
        ):
            form.addRow(title, self._fields[name])
        generate, add = QPushButton("Generate"), QPushButton("Add")
        for button in (generate, add):
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        describe(generate, "generate", "Generate points", "Put these points in place of the present ones (G).")
        describe(add, "generate.add", "Add generated points", "Put these points beside the present ones.")
        generate.clicked.connect(lambda: self._controller.generate())
        add.clicked.connect(lambda: self._controller.generate(add=True))
        form.addRow(filled(QHBoxLayout(), (generate, 2), (add, 1)))
        return box

    def _legend(self) -> QWidget:
        self._legend_box = named(QGroupBox("Legend"), "legend")
        grid = QGridLayout(self._legend_box)
        grid.setContentsMargins(6, 4, 6, 6)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        self._legend_rows: dict[str, tuple[QLabel, QLabel]] = {}
        of_marks = [(sign.kind, sign.text) for feature in table.FEATURES for sign in feature.mark_signs]
        of_sheets = [(sign.kind, sign.text) for sign in table.signs()]
        entries = (*((kind, text) for kind, text, _ in LEGEND), *of_marks, PROVISIONAL, *of_sheets)
        for row, (kind, text) in enumerate(entries):
            picture, words = QLabel(), QLabel(text)
            words.setWordWrap(True)
            grid.addWidget(picture, row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(words, row, 1)
            self._legend_rows[kind] = (picture, words)
        return self._legend_box

    def _spin(self, field: str, title: str, low: int, high: int, tip: str) -> QSpinBox:
        spin = describe(spin_box(low, high), f"generator.{field}", title, tip)
        self._gestures.watch(spin)
        spin.valueChanged.connect(
            lambda value: self._controller.set_generator((field, self._gestures.count), **{field: value})
        )
        return spin

    def _number(self, field: str, title: str, low: float, high: float, tip: str) -> NumberField:
        edit = describe(NumberField(title, low, high), f"generator.{field}", title, tip)
        edit.committed.connect(lambda value: self._controller.set_generator(None, **{field: value}))
        edit.refused.connect(self._controller.say)
        return edit

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's classes, generator and legend."""
        if theme is not self._theme:
            self._theme = theme
            ratio = self.devicePixelRatioF()
            for label, button in enumerate(self._class_buttons):
                button.setIcon(symbol_pixmap(theme, str(label), ratio=ratio))
            for kind, (picture, _) in self._legend_rows.items():
                picture.setPixmap(symbol_pixmap(theme, kind, ratio=ratio))
        self._tool.render_scene(scene)
        self._show_names(scene.class_names)
        self._show_limit(scene)
        self._class_buttons[scene.active_class].setChecked(True)
        total = sum(scene.counts)
        present = [f"{grouped(n)} of {name}" for n, name in zip(scene.counts, scene.class_names, strict=True) if n]
        self._counts.setText(count(total, "point") + (": " + ", ".join(present) if present else ""))
        generator = scene.generator
        show_choice(self._set, generator.name)
        show_number(self._count, generator.count)
        self._noise.show_value(generator.noise)
        show_number(self._seed, generator.seed)
        self._shift.show_value(generator.shift)
        show_number(self._n_classes, generator.n_classes)
        for name, field in self._fields.items():
            self._form.setRowVisible(field, name in scene.generator_fields)
        show_text(self._note, scene.generator_note)
        for sign in table.signs():
            if sign.called is not None:
                self._legend_rows[sign.kind][1].setText(sign.called(scene))
        self._legend_box.setVisible(scene.legend)
        for kind, parts in self._legend_rows.items():
            for part in parts:
                part.setVisible(kind in scene.signs)
