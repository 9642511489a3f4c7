"""TopBar: the bar above the pictures: commands, class of the next point, data set, options of the tool."""

from __future__ import annotations

from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.views.theme import Theme
from app.views.widgets.flow_layout import FlowLayout
from app.views.widgets.inputs import filled, leave_field, named

from .class_chips import ClassChips
from .generator_fields import GeneratorFields
from .tool_options import ToolOptions

#: Buttons of commands that Simple shows; the others are only in the menus.
SIMPLE_COMMANDS = {"tool.undo", "tool.clear"}


class TopBar(QWidget):
    """Parts in one line if they fit, else in several."""

    def __init__(self, controller: Controller) -> None:
        super().__init__()
        self.setObjectName("bar")
        self._flow = FlowLayout(self, 8)
        self._flow.setContentsMargins(4, 2, 4, 2)
        self._full: list[QWidget] = []
        commands = named(QWidget(), "toolbar")
        self._commands = filled(QHBoxLayout(commands), margins=0, spacing=0)
        self.classes = ClassChips(controller)
        self.generator = GeneratorFields(controller)
        self.options = ToolOptions(controller.editing)
        self._groups = {"commands": commands, "classes": self.classes, "data set": self.generator}
        for group in (*self._groups.values(), self.options):
            self._flow.addWidget(group)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def add_command(self, button: QToolButton, gap: bool) -> None:
        """Add a command; `gap` puts a separator before it."""
        parts: list[QWidget] = [button]
        if gap and self._commands.count():
            line = QWidget(autoFillBackground=True)
            line.setBackgroundRole(QPalette.ColorRole.Mid)  # the theme's line: a frame's own is white
            line.setFixedWidth(1)
            parts.insert(0, line)
        in_simple = button.objectName() in SIMPLE_COMMANDS
        first = self._commands.count() == len(self._full)
        for part in parts:
            self._commands.addWidget(part)
            if not in_simple or (first and part is not button):  # no separator before the first button
                self._full.append(part)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not leave_field(event, self):
            super().keyPressEvent(event)

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show the scene's classes, generator and tool."""
        self.classes.render_scene(scene, theme)
        self.generator.render_scene(scene, theme)
        self.options.render_scene(scene)
        for part in self._full:
            part.setHidden(scene.session.simple)
        for name, group in self._groups.items():
            group.setVisible(name not in scene.hidden)
