"""ToolPalette: the toolbar with the tools, and their menu.

Simple has six of them in sight, and the others in the menu alone; the chosen one is always in sight.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar

from app.controllers.editing import Editing
from app.scene.model import Scene
from app.tools import TOOLS
from app.views.widgets.inputs import take_typed_number
from app.window.actions import icon_button

BUTTON = 30  # pixels


class ToolPalette(QToolBar):
    """One button for each tool; that of the chosen tool is checked.

    Parameters
    ----------
    window : QMainWindow
        At whose left it stands.
    menu : QMenu
        That lists the tools, too.
    editing : Editing
    """

    def __init__(self, window: QMainWindow, menu: QMenu, editing: Editing) -> None:
        super().__init__("Drawing tools", movable=False, orientation=Qt.Orientation.Vertical)
        self.setObjectName("palette")
        self._editing, self._hidden = editing, False
        group = QActionGroup(self)
        first = menu.actions()[0] if menu.actions() else QAction()
        self.actions_by_tool: dict[str, QAction] = {}
        self._entries: dict[str, QAction] = {}
        for name, kind in TOOLS.items():
            tip = f"{kind.title} ({kind.key}): {kind.sentence}"
            action = QAction(kind.title, window, checkable=True, shortcut=QKeySequence(kind.key), toolTip=tip)
            action.setObjectName(f"action.tool.{name}")
            action.triggered.connect(lambda checked, name=name: self._choose(name))
            group.addAction(action)
            menu.insertAction(first, action)
            window.addAction(action)  # its key also works while the menu bar is hidden
            button = icon_button(action, kind.title, BUTTON)
            button.setAccessibleDescription(kind.sentence)
            self._entries[name] = self.addWidget(button)
            self.actions_by_tool[name] = action
        window.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self)

    def _choose(self, name: str) -> None:
        take_typed_number()
        self._editing.choose(name)

    def render_scene(self, scene: Scene) -> None:
        """Show the chosen tool, and show or hide the buttons, or all of it unless presenter mode does that."""
        if (hidden := "tools" in scene.hidden) != self._hidden and not scene.session.presents_here:
            self._hidden = hidden
            self.setHidden(hidden)
        self.actions_by_tool[scene.session.tool].setChecked(True)
        for name, entry in self._entries.items():
            entry.setVisible(not scene.session.simple or TOOLS[name].simple or name == scene.session.tool)
