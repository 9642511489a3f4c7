"""ToolPalette: the bar of tools at the left, and the menu of the same."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar

from app.controllers.editing import Editing
from app.scene.model import Scene
from app.tools import TOOLS
from app.views.actions import tool_button
from app.views.widgets.form_fields import take_typed_number

BUTTON = 34  # pixels


class ToolPalette(QToolBar):
    """One button for each tool; the chosen one is down.

    Parameters
    ----------
    window : QMainWindow
        At whose left it stands.
    menu : QMenu
        That lists the tools, too.
    editing : Editing
    """

    def __init__(self, window: QMainWindow, menu: QMenu, editing: Editing) -> None:
        super().__init__("Drawing tools")
        self.setObjectName("palette")
        self.setMovable(False)
        self.setOrientation(Qt.Orientation.Vertical)
        self._editing = editing
        group = QActionGroup(self)
        first = menu.actions()[0] if menu.actions() else QAction()
        self.actions_by_tool: dict[str, QAction] = {}
        for name, kind in TOOLS.items():
            action = QAction(kind.title, window)
            action.setObjectName(f"action.tool.{name}")
            action.setCheckable(True)
            action.setShortcut(QKeySequence(kind.key))
            action.setToolTip(f"{kind.title} ({kind.key}): {kind.sentence}")
            action.triggered.connect(lambda checked, name=name: self._choose(name))
            group.addAction(action)
            menu.insertAction(first, action)
            window.addAction(action)  # its key works where the menu bar is hidden, too
            button = tool_button(action)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonIconOnly)
            button.setMinimumSize(QSize(BUTTON, BUTTON))
            button.setAccessibleName(kind.title)
            button.setAccessibleDescription(kind.sentence)
            self.addWidget(button)
            self.actions_by_tool[name] = action
        window.addToolBar(Qt.ToolBarArea.LeftToolBarArea, self)

    def _choose(self, name: str) -> None:
        take_typed_number()
        self._editing.choose(name)

    def render_scene(self, scene: Scene) -> None:
        """Show which tool is chosen."""
        self.actions_by_tool[scene.session.tool].setChecked(True)
