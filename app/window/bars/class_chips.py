"""ClassChips: one button for each class, with its symbol, to choose the class of the next point."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QHBoxLayout,
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from app.controllers.controller import Controller
from app.core.number_format import count
from app.core.points import MAX_CLASSES
from app.scene.model import Scene
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import SHAPE_NAMES, Theme
from app.views.widgets.icons import ICON_SIZE
from app.views.widgets.inputs import describe, filled
from app.window.flat_button import flat_button

#: Greatest width of a name beside its symbol, least width of a shortened one, and space around it (pixels).
MOST_NAME, LEAST_NAME, SPACE = 84, 18, 9


class ClassChip(QToolButton):
    """The button of a class: its symbol, and the name that the user gave it as far as there is room for it."""

    def __init__(self, controller: Controller, label: int) -> None:
        super().__init__(  # type: ignore[call-arg]  # properties of its bases
            autoRaise=True, checkable=True, minimumSize=QSize(30, 30), iconSize=QSize(ICON_SIZE, ICON_SIZE)
        )
        describe(self, f"class{label + 1}", f"Class {label + 1}", "")
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.clicked.connect(lambda: controller.set_class(label))
        self._name = ""

    def show_name(self, name: str) -> None:
        """Show `name` beside the symbol, or the symbol alone for ""."""
        self._name = name
        self.setText(name.replace("&", "&&"))

    def sizeHint(self) -> QSize:
        name = min(self.fontMetrics().horizontalAdvance(self._name) + 1, MOST_NAME) + SPACE if self._name else 0
        return QSize(30 + name, 30)

    def minimumSizeHint(self) -> QSize:
        return QSize(30, 30)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        room = self.width() - 30 - SPACE
        name = self.fontMetrics().elidedText(self._name, Qt.TextElideMode.ElideRight, room + 1)
        beside = bool(name) and room >= min(LEAST_NAME, self.sizeHint().width() - 30 - SPACE)
        style = Qt.ToolButtonStyle
        option.toolButtonStyle = style.ToolButtonTextBesideIcon if beside else style.ToolButtonIconOnly
        option.text = name.replace("&", "&&") if beside else ""
        QStylePainter(self).drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)


class ClassChips(QWidget):
    """Buttons of the classes, and in Simple "+" for one more; the checked one is the class of the next point."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._theme: Theme | None = None
        self._described: tuple[tuple[str, int], ...] = ()
        self._group = QButtonGroup(self)
        self._chips = [ClassChip(controller, label) for label in range(MAX_CLASSES)]
        for chip in self._chips:
            self._group.addButton(chip)
        self._shown = 0
        tip = "One more class: the next points are of it."
        self._more = flat_button(
            "class.more", "One more class", tip, lambda: controller.set_class(self._shown), text="+"
        )
        filled(QHBoxLayout(self), *self._chips, self._more, margins=0, spacing=0)

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the active class, and the name and number of points of each class."""
        if theme is not self._theme:
            self._theme = theme
            for label, chip in enumerate(self._chips):
                chip.setIcon(symbol_pixmap(theme, str(label), ratio=self.devicePixelRatioF()))
        self._chips[scene.session.active_class].setChecked(True)
        if scene.n_classes != self._shown:
            self._shown = scene.n_classes
            for label, chip in enumerate(self._chips):
                chip.setVisible(label < self._shown)
            self._more.setVisible(self._shown < MAX_CLASSES)
        described = tuple(zip(scene.document.class_names, scene.points.counts, strict=True))
        for label, (old, new) in enumerate(zip(self._described or ((),) * MAX_CLASSES, described, strict=True)):
            if old != new:
                self._describe(label, *new)
        self._described = described

    def _describe(self, label: int, name: str, number: int) -> None:
        own, shape = f"class {label + 1}", SHAPE_NAMES[label]
        called = name if name == own else f"{name} ({own})"
        tip = f"New points are of {called}, drawn as {shape} (key {label + 1}). {count(number, 'point')} now."
        spoken = f"Class {label + 1}, {shape}" if name == own else f"Class {label + 1}, {name}, {shape}"
        self._chips[label].show_name("" if name == own else name)
        describe(self._chips[label], f"class{label + 1}", spoken, tip)
