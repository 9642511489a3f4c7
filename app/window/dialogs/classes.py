"""ClassesDialog: names of classes and axes, and colours of the classes."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QIcon, QPixmap, QShowEvent
from PySide6.QtWidgets import QColorDialog, QGroupBox, QLabel, QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.points import MAX_CLASSES
from app.scene.model import Scene
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import DARK, LIGHT, SHAPE_NAMES, Theme, contrast, rgb_of
from app.views.widgets.boxes import grid_on, in_column
from app.views.widgets.inputs import NameField, describe, filled, label_for, named
from app.views.widgets.qt_dialogs import NamedDialog, open_dialog
from app.views.widgets.scrolling_form import Scrolled

LEAST_CONTRAST = 3.0


def warning(colour: str) -> str:
    """Return a warning if a class colour "#rrggbb" is hard to see, or ""; a theme's own colours ("") never are."""
    if not colour:
        return ""
    for theme, where in ((LIGHT, "white"), (DARK, "dark grey")):
        ratio = contrast(rgb_of(colour), theme.background)
        if ratio < LEAST_CONTRAST:
            # rounded down: 2.96 must not be shown as 3.0
            return f"Hard to see on {where} ({int(10 * ratio) / 10:.1f} : 1)"
    return ""


class _Row:
    """The controls of one class."""

    def __init__(self, label: int) -> None:
        number, what = label + 1, f"class {label + 1}"
        self.symbol, self.number = QLabel(), QLabel(f"Class {number}")
        tip = f"What {what}, drawn as {SHAPE_NAMES[label]}, stands for."
        self.name = describe(NameField(40), f"classes.name{number}", f"Name of {what}", tip)
        self.name.setMinimumWidth(self.name.fontMetrics().horizontalAdvance("0" * 18))
        self.name.setPlaceholderText(what)
        self.number.setBuddy(self.name)
        self.colour = describe(
            QPushButton(autoDefault=False), f"classes.colour{number}", f"Colour of {what}", "Choose another colour."
        )
        self.reset = describe(
            QPushButton("Theme colour", autoDefault=False),
            f"classes.reset{number}",
            f"Theme colour for {what}",
            "Back to the theme's own colour, which is easy to see and safe for colour-blind eyes.",
        )
        self.warning = named(QLabel(), f"classes.warning{number}")


class ClassesDialog(NamedDialog):
    """Names and colours, in step with the document; each change takes effect at once and is one undo step."""

    def __init__(self, parent: QWidget, controller: Controller) -> None:
        super().__init__(parent, "classes", "Classes and axes")
        self._controller = controller
        self._shown: tuple[object, ...] = ()
        # A tool window, so that the keys of the main window, above all undo, work while the dialog is open.
        self.setWindowFlag(Qt.WindowType.Tool)
        self._rows = [_Row(label) for label in range(MAX_CLASSES)]
        classes = QGroupBox("Classes")
        grid = grid_on(classes)
        grid.setColumnStretch(2, 1)
        for label, row in enumerate(self._rows):
            for column, widget in enumerate((row.symbol, row.number, row.name, row.colour, row.reset, row.warning)):
                grid.addWidget(widget, label, column)
            row.name.committed.connect(lambda name, label=label: controller.set_style(label, name=name))
            row.colour.clicked.connect(lambda checked, label=label: self._choose_colour(label))
            row.reset.clicked.connect(lambda checked, label=label: controller.set_style(label, colour=""))
        # Space for the longest warning, so that nothing moves when a warning appears.
        grid.setColumnMinimumWidth(5, self.fontMetrics().horizontalAdvance("Hard to see on dark grey (2.9 : 1) "))
        axes = QGroupBox("Axes")
        axis_grid = grid_on(axes)
        self._axes = (NameField(60), NameField(60))
        for index, (letter, field) in enumerate(zip("xy", self._axes, strict=True)):
            field.setPlaceholderText(letter)
            describe(
                field, f"classes.{letter}", f"Name of the {letter} axis", f"What {letter} stands for, with its unit."
            )
            field.committed.connect(lambda name, index=index: self._name_axis(index, name))
            axis_grid.addWidget(label_for(f"{letter} axis", field), 0, 2 * index)
            axis_grid.addWidget(field, 0, 2 * index + 1)
        buttons = self.button_box()
        for button in buttons.buttons():
            button.setToolTip("Close; everything is in effect already.")
            if isinstance(button, QPushButton):
                button.setAutoDefault(False)
        self._inner = in_column(classes, axes, 1)
        self._scroll = Scrolled(self._inner)  # for large text on a small screen
        filled(QVBoxLayout(self), self._scroll, buttons)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        inner, frame = self._inner.sizeHint(), self.size() - self._scroll.viewport().size()
        self.resize((inner + frame).boundedTo(self.screen().availableSize()))

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's names and colours."""
        shown = (scene.document.styles, scene.document.axes, theme)
        if shown == self._shown:
            return
        self._shown = shown
        ratio = self.devicePixelRatioF()
        for label, (row, style) in enumerate(zip(self._rows, scene.document.styles, strict=True)):
            row.symbol.setPixmap(symbol_pixmap(theme, str(label), ratio=ratio))
            row.name.show_name(style.name)
            colour = QColor(*theme.classes[label])
            swatch = QPixmap(18, 18)
            swatch.fill(colour)
            row.colour.setIcon(QIcon(swatch))
            row.colour.setText(colour.name())
            row.reset.setEnabled(bool(style.colour))
            row.warning.setText(warning(style.colour))
        for field, name in zip(self._axes, scene.document.axes, strict=True):
            field.show_name(name)

    def _name_axis(self, index: int, name: str) -> None:
        x, y = self._controller.document.axes
        self._controller.set_axes((x, name) if index else (name, y))

    def _choose_colour(self, label: int) -> None:
        """Ask for a colour; the pictures show it while the user chooses, and Cancel restores the old one."""
        drag = object()
        chosen = self._rows[label].colour.text()
        dialog = named(QColorDialog(QColor(chosen), self), "classes.chooser")
        dialog.setOption(QColorDialog.ColorDialogOption.DontUseNativeDialog)
        dialog.setWindowTitle(f"Colour of class {label + 1}")
        dialog.currentColorChanged.connect(lambda c: self._controller.set_style(label, drag, colour=c.name()))
        dialog.rejected.connect(lambda: self._controller.store.abandon(drag))
        open_dialog(dialog)
