"""Tray: in presenter mode, over a corner of the first picture: buttons for the classes and the pens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from app.controllers.controller import Controller
from app.core.points import MAX_CLASSES
from app.scene.model import Scene
from app.state.session import Presenting
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import SHAPE_NAMES, Theme
from app.views.widgets.icons import drawn
from app.views.widgets.inputs import describe, filled
from app.window.flat_button import flat_button

from .pen_layer import INKS

#: Width and height of a button as a multiple of the size of text; least size (pixels); margin (pixels).
BUTTON, LEAST, MARGIN = 1.5, 26, 6


class Tray(QFrame):
    """Buttons for the classes that have points and, while the pen is used, for its colours and the eraser."""

    def __init__(self, picture: QWidget, controller: Controller) -> None:
        super().__init__(picture)
        presenting = controller.presenting
        self.setObjectName("presenter.tray")
        self.setAutoFillBackground(True)
        self.setFrameShape(QFrame.Shape.StyledPanel)
        self._shown: tuple[object, ...] = ()
        self._classes = [
            self._button(f"class{label + 1}", f"Class {label + 1}", partial(controller.set_class, label))
            for label in range(MAX_CLASSES)
        ]
        self._pens = [
            self._button("pen1", "Pen", presenting.toggle_pen, "Draw over the pictures (C)."),
            self._button("pen2", "Second pen", lambda: presenting.toggle_pen(1), "Draw in another colour (Shift+C)."),
            self._button("eraser", "Eraser of the pen", presenting.toggle_eraser, "Remove lines (Shift+E)."),
        ]
        filled(QHBoxLayout(self), *self._classes, *self._pens, margins=2, spacing=0)
        self.hide()

    def _button(self, name: str, title: str, run: Callable[[], object], tip: str = "") -> QToolButton:
        button = flat_button(f"presenter.{name}", title, tip, run)
        button.setCheckable(True)
        button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        return button

    def render_scene(self, scene: Scene, presenting: Presenting, theme: Theme, area: QRectF, text: int) -> None:
        """Show the scene's classes and the pens in the upper right corner of `area`, with text of `text` pixels."""
        shown = (
            scene.session.active_class,
            scene.document.class_names,
            scene.points.counts,
            theme,
            area,
            text,
            presenting,
            scene.session.legend,
        )
        if shown != self._shown:
            self._shown = shown
            side = max(LEAST, round(BUTTON * text))
            for label, button in enumerate(self._classes):
                self._show_class(scene, theme, label, button, side)
            on = (presenting.ink if not presenting.erasing else len(INKS)) if presenting.pen else -1
            signs = (*(("pen", ink[theme.dark]) for ink in INKS), ("tool.eraser", theme.ink))
            for index, (button, (sign, ink)) in enumerate(zip(self._pens, signs, strict=True)):
                button.setVisible(presenting.pen)
                button.setChecked(index == on)
                _show(button, side, drawn(sign, QColor(*ink), side, self.devicePixelRatioF()))
            self.adjustSize()
            self.move(round(area.right()) - self.width() - MARGIN, round(area.top()) + MARGIN)
        self.setHidden(self.width() + 2 * MARGIN > area.width())
        self.raise_()

    def _show_class(self, scene: Scene, theme: Theme, label: int, button: QToolButton, side: int) -> None:
        name, own = scene.document.class_names[label], f"class {label + 1}"
        button.setVisible(scene.points.counts[label] > 0 or label == scene.session.active_class)
        button.setChecked(label == scene.session.active_class)
        _show(button, side, symbol_pixmap(theme, str(label), ratio=self.devicePixelRatioF() * side / LEAST))
        called = "" if name == own else name
        styles = Qt.ToolButtonStyle
        button.setToolButtonStyle(styles.ToolButtonTextBesideIcon if called else styles.ToolButtonIconOnly)
        button.setText(called)
        tip = f"New points are of {name}, drawn as {SHAPE_NAMES[label]} (key {label + 1})."
        describe(button, button.objectName(), f"Class {label + 1}, {called or SHAPE_NAMES[label]}", tip)


def _show(button: QToolButton, side: int, picture: QPixmap) -> None:
    """Show a picture on a button of this height."""
    button.setIcon(QIcon(picture))
    button.setIconSize(QSize(round(0.8 * side), round(0.8 * side)))
    button.setMinimumSize(side, side)
