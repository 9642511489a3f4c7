"""ClassChips: one small button for each class, with its symbol: the class of the next point."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from app.controllers.controller import Controller
from app.core.number_format import count, grouped
from app.core.points import MAX_CLASSES
from app.scene.model import Scene
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import SHAPE_NAMES, Theme
from app.views.widgets.form_fields import describe

#: Width and height of a chip, in pixels.
SIZE = (30, 30)


class ClassChips(QWidget):
    """The classes, and in Simple "+" for one more; what is drawn next is of the one that is down."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._theme: Theme | None = None
        self._said: tuple[tuple[str, int], ...] = ()
        self._group = QButtonGroup(self)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._chips = []
        for label in range(MAX_CLASSES):
            chip = QToolButton()
            chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # after a click the keys still belong to the picture
            chip.setCheckable(True)
            chip.setAutoRaise(True)
            chip.setIconSize(QSize(20, 20))
            chip.setMinimumSize(*SIZE)
            chip.clicked.connect(lambda checked, label=label: controller.set_class(label))
            self._group.addButton(chip)
            self._chips.append(chip)
            row.addWidget(chip)
        self._shown = 0
        self._more = QToolButton()
        self._more.setText("+")
        self._more.setAutoRaise(True)
        self._more.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._more.setMinimumSize(*SIZE)
        describe(self._more, "class.more", "One more class", "One more class: the next points are of it.")
        self._more.clicked.connect(lambda: controller.set_class(self._shown))
        row.addWidget(self._more)

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the active class, the classes' names, and how many points each has."""
        if theme is not self._theme:
            self._theme = theme
            for label, chip in enumerate(self._chips):
                chip.setIcon(symbol_pixmap(theme, str(label), ratio=self.devicePixelRatioF()))
        self._chips[scene.active_class].setChecked(True)
        if scene.n_classes != self._shown:
            self._shown = scene.n_classes
            for label, chip in enumerate(self._chips):
                chip.setVisible(label < self._shown)
            self._more.setVisible(self._shown < MAX_CLASSES)
        said = tuple(zip(scene.class_names, scene.counts, strict=True))
        for label, (old, new) in enumerate(zip(self._said or ((),) * MAX_CLASSES, said, strict=True)):
            if old != new:
                self._describe(label, *new)
        self._said = said

    def _describe(self, label: int, name: str, number: int) -> None:
        own, shape = f"class {label + 1}", SHAPE_NAMES[label]
        called = name if name == own else f"{name} ({own})"
        tip = f"New points are of {called}, drawn as {shape} (key {label + 1}). {count(number, 'point')} now."
        spoken = f"Class {label + 1}, {shape}" if name == own else f"Class {label + 1}, {name}, {shape}"
        describe(self._chips[label], f"class{label + 1}", spoken, tip)


def counts_sentence(scene: Scene) -> str:
    """ "200 points: 100 of class 1, 100 of class 2"."""
    present = [f"{grouped(n)} of {name}" for n, name in zip(scene.counts, scene.class_names, strict=True) if n]
    return count(sum(scene.counts), "point") + (": " + ", ".join(present) if present else "")
