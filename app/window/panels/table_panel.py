"""TablePanel: the table of the points, and a line for typing a new one."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QPushButton, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.plain_text import plain
from app.core.points import LIMIT
from app.scene.model import Scene
from app.state.commands import AddPoints
from app.views.plot.symbols import symbol_pixmap
from app.views.theme import Theme
from app.views.widgets.inputs import describe, filled, mark_bad

from .point_model import refusal
from .point_table import PointTable


class TablePanel(QWidget):
    """Exact coordinates and classes of the points."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self._controller = controller
        self._shown: tuple[object, ...] = ()
        self._axes = ("x", "y")
        self.table = PointTable(controller)
        self._fields = (QLineEdit(), QLineEdit())
        self._add = QPushButton("&Add")
        self._add.setIconSize(QSize(18, 18))
        self._add.clicked.connect(self._add_point)
        line = filled(QHBoxLayout(), margins=0)
        self._titles = (QLabel(textFormat=Qt.TextFormat.PlainText), QLabel(textFormat=Qt.TextFormat.PlainText))
        for name, title, field in zip("xy", self._titles, self._fields, strict=True):
            field.setObjectName(f"table.{name}")
            field.setMinimumWidth(44)
            field.textEdited.connect(lambda typed, field=field: mark_bad(field, False))
            title.setBuddy(field)
            filled(line, title, (field, 1))
        self._fields[0].returnPressed.connect(self._on_to_y)
        self._fields[1].returnPressed.connect(self._add_point)
        line.addWidget(self._add)
        filled(QVBoxLayout(self), (self.table, 1), line, margins=(4, 2, 4, 4), spacing=4)
        self.first_stop = self.table

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's points; a new point is of the active class."""
        self.table.render_scene(scene, theme)
        name = scene.document.class_names[scene.session.active_class]
        shown = (theme, scene.session.active_class, name, scene.document.axes)
        if shown == self._shown:
            return
        self._shown = shown
        self._axes = (plain(scene.document.axes[0]) or "x", plain(scene.document.axes[1]) or "y")
        for axis, title, field, letter in zip(self._axes, self._titles, self._fields, "xy", strict=True):
            title.setText(letter)
            describe(field, f"table.{letter}", f"{axis} of the new point", f"{axis} of the new point.")
        self._add.setIcon(symbol_pixmap(theme, str(scene.session.active_class), 18, self.devicePixelRatioF()))
        describe(self._add, "table.add", "Add a point", f"Add a point of {name} at the typed x and y.")

    def _on_to_y(self) -> None:
        self._fields[1].setFocus()
        self._fields[1].selectAll()

    def _add_point(self) -> None:
        """Add the typed point, select it, and prepare for the next."""
        location = []
        kinds = self._controller.document.coordinates
        for axis, kind, field in zip(self._axes, kinds, self._fields, strict=True):
            number = kind.value(field.text())
            if not abs(number) <= LIMIT:
                typed = field.text().strip()
                self._controller.say(
                    f"{refusal(axis, kind, typed)}." if typed else f"Type {axis} of the new point first."
                )
                mark_bad(field, True)
                field.setFocus()
                field.selectAll()
                return
            location.append(number)
        editing = self._controller.editing
        if editing.busy:
            return
        self._controller.dispatch(AddPoints(xy=[location], labels=self._controller.session.active_class))
        editing.select(self._controller.document.points.ids[-1:])
        for field in self._fields:
            field.clear()
        self._fields[0].setFocus()
