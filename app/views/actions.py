"""Actions: the window's commands with their names, keys and teaching sentences; menus and toolbar, and the bar of tools
at the left, are made of them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QAction, QActionGroup, QColor, QIcon, QKeySequence
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QMainWindow, QMenu, QToolBar, QToolButton

from app.controllers.editing import Editing
from app.features import table
from app.features.feature import Action
from app.scene.model import Scene
from app.tools import TOOLS
from app.views.widgets.form_fields import named, take_typed_number
from app.views.widgets.painting import blank, painter_on

from .theme import Theme


def _icons() -> Traversable:
    """The folder of icons: inside the package where it is installed, beside it in a source tree."""
    package = files("app")
    installed = package / "assets"
    return (installed if installed.is_dir() else Path(str(package)).parent / "assets") / "icons"


ICONS = _icons()
ICON_SIZE = 20  # pixels


#: The window's own; those of features follow in their menus.
OWN: tuple[Action, ...] = (
    Action("new", "&File", "&New", ("Ctrl+N",), "An empty document with these classifiers.", "New"),
    Action("open", "&File", "&Open…", ("Ctrl+O",), "Open a .playground file.", "Open"),
    Action("save", "&File", "&Save", ("Ctrl+S",), "Save points and settings.", "Save"),
    Action("save_as", "&File", "Save &as…", ("Ctrl+Shift+S",), "Save under another name."),
    Action("revert", "&File", "Re&vert", (), "Back to what is saved; undo brings the changes back."),
    Action("import", "&File", "&Import points…", ("Ctrl+Shift+I",), "From a table, svmlight or .npz.", gap=True),
    Action(
        "import_clipboard",
        "&File",
        "Import from the clip&board…",
        ("Ctrl+Shift+V",),
        "A table of a spreadsheet: choose columns and class.",
    ),
    Action("export", "&File", "&Export points…", ("Ctrl+Shift+E",), "As a table, svmlight or .npz file."),
    Action("picture", "&File", "Export &picture…", ("Ctrl+E",), "PNG, SVG, or to the clipboard."),
    Action("quit", "&File", "&Quit", ("Ctrl+Q",), "Close the window.", gap=True),
    Action("undo", "&Edit", "&Undo", ("Ctrl+Z",), "Take the last change back.", "Undo", gap=True),
    Action("redo", "&Edit", "&Redo", ("Ctrl+Shift+Z", "Ctrl+Y"), "Do it again.", "Redo"),
    Action("cut", "&Edit", "Cu&t", ("Ctrl+X",), "Selected points into the clipboard, as a table.", gap=True),
    Action("copy", "&Edit", "&Copy", ("Ctrl+C",), "Selected points as a table of x, y, class."),
    Action("paste", "&Edit", "&Paste", ("Ctrl+V",), "Points from the clipboard: columns x, y and perhaps class."),
    Action("duplicate", "&Edit", "&Duplicate", ("Ctrl+D",), "A copy of the selected points beside them."),
    Action("relabel", "&Edit", "Re&label", ("Ctrl+R",), "Give the selected points the active class."),
    Action("remove", "&Edit", "Remo&ve", ("Delete",), "The selected points, or the one nearest to the pointer."),
    Action("select_all", "&Edit", "Select &all", ("Ctrl+A",), "Select all points.", gap=True),
    Action("select_none", "&Edit", "Select &none", ("Ctrl+Shift+A",), "Select no point. Esc does the same."),
    Action("invert", "&Edit", "&Invert selection", ("Ctrl+I",), "Select the points that are not selected."),
    Action("classes", "&Edit", "Cla&sses and axes…", ("Ctrl+K",), "Names of classes and axes, colours.", gap=True),
    Action("clear", "&Edit", "Cl&ear", (), "Remove all points; undo brings them back.", "Clear", gap=True),
    Action("generate", "&Edit", "&Generate points", ("G",), "New points from the generator.", "Generate"),
    Action("smaller_brush", "&Tools", "&Smaller brush", ("[",), "A smaller radius.", gap=True),
    Action("larger_brush", "&Tools", "&Larger brush", ("]",), "A larger radius."),
    Action("fit", "&View", "&Fit", ("F",), "Show all.", "Fit", gap=True),
    Action(
        "lanes",
        "&View",
        "Side &by side",
        ("L",),
        "One classifier, or all side by side.",
        "Side by side",
        True,
        run=lambda controller: controller.toggle_lanes(),
        on=lambda scene: scene.shown > 1,
    ),
    Action("sidebar", "&View", "&Sidebar", ("F9",), "Classes, generator and legend.", "", True),
    Action("legend", "&View", "&Legend", (), "What the signs in the pictures mean.", "", True, switch="legend"),
    Action("table", "&View", "Points &table", ("Ctrl+T",), "Exact places, to read and type.", "", True, True),
    Action("history", "&View", "&History", ("Ctrl+H",), "All steps; a click goes to one.", "", True),
    Action("notes", "&View", "&Notes", ("Ctrl+J",), "Notes, saved with the document.", "", True),
    Action("larger", "&View", "L&arger text", ("Ctrl++", "Ctrl+="), "Larger text, for projectors.", gap=True),
    Action("smaller", "&View", "S&maller text", ("Ctrl+-",), "Smaller text."),
    Action("full_screen", "&View", "F&ull screen", ("F11",), "The window fills the screen.", "", True),
    Action(
        "pause",
        "&Training",
        "&Pause training",
        (),
        "Space on a picture does the same.",
        "Pause",
        True,
        True,
        run=lambda controller: controller.toggle_pause(),
        on=lambda scene: scene.paused,
    ),
    Action("step_forward", "&Training", "Step &forward", (".",), "One step of the learner.", gap=True),
    Action("step_back", "&Training", "Step &back", (",",), "The state one step earlier, exactly."),
    Action("next_change", "&Training", "&Next change", ("Alt+.",), "Where a point enters or leaves the SVs."),
    Action("previous_change", "&Training", "&Previous change", ("Alt+,",), "The change before this one."),
    Action("to_start", "&Training", "To the &start", ("Alt+Home",), "Before the first step."),
    Action("to_end", "&Training", "To the &end", ("Alt+End",), "Run to the end, and rest there."),
    Action(
        "add_lane",
        "&Compare",
        "&Add a classifier",
        ("Ctrl+L",),
        "One more on the same points, up to four.",
        run=lambda controller: controller.lanes.add(controller.document.shown - 1),
    ),
    Action("help", "&Help", "&Keys and gestures", ("F1",), "What can be done, and what is seen.", "Help", gap=True),
    Action("log", "&Help", "Show &log", (), "What went wrong, for a report."),
)


def every() -> tuple[Action, ...]:
    """All actions, in the order of their menus."""
    return (*OWN, *table.actions())


def make_actions(
    window: QMainWindow, handlers: dict[str, Callable[[], object]]
) -> tuple[dict[str, QAction], dict[str, QMenu]]:
    """All actions, each triggering its handler, in menus and toolbar of `window`; and the menus by title."""
    bar = window.addToolBar("Tools")
    bar.setObjectName("toolbar")
    bar.setMovable(False)
    menus = {title: window.menuBar().addMenu(title) for title in dict.fromkeys(spec.menu for spec in OWN)}
    actions = {}
    for spec in every():
        action = QAction(spec.text, window)
        action.setObjectName(f"action.{spec.name}")
        action.setIconText(spec.short or spec.text.replace("&", ""))
        action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
        action.setCheckable(spec.checkable)
        keys = f" ({spec.keys[0]})" if spec.keys else ""
        action.setToolTip(spec.tip + keys)
        action.triggered.connect(lambda checked, run=handlers[spec.name]: _do(run))
        menu = menus[spec.menu]
        if spec.gap and not menu.isEmpty():
            menu.addSeparator()
        menu.addAction(action)
        if spec.short:
            if spec.gap:
                bar.addSeparator()
            bar.addWidget(tool_button(action))
        actions[spec.name] = action
    return actions, menus


def _do(run: Callable[[], object]) -> None:
    take_typed_number()
    run()


def tool_button(action: QAction) -> QToolButton:
    """A button that shows and triggers `action`.

    QToolBar.addAction would make it a button's default action, and Qt 6.11 then connects the two anew at every change
    of the action (QToolButton::actionEvent calls setDefaultAction): after 20 000 edits each new undo text cost 0.3 ms.
    """
    button = named(
        QToolButton(toolButtonStyle=Qt.ToolButtonStyle.ToolButtonTextBesideIcon),
        f"tool.{action.objectName().removeprefix('action.')}",
    )
    button.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    button.setCheckable(action.isCheckable())

    def follow() -> None:
        button.setText(action.iconText())
        button.setIcon(action.icon())
        button.setToolTip(action.toolTip())
        button.setEnabled(action.isEnabled())
        button.setChecked(action.isChecked())

    def clicked() -> None:
        action.trigger()
        follow()  # of a group the action may be down still, while the click has raised the button

    follow()
    action.changed.connect(follow)
    button.clicked.connect(clicked)
    return button


def set_icons(actions: dict[str, QAction], theme: Theme, ratio: float) -> None:
    """Draw the icons of the toolbar in the theme's ink."""
    for name, action in actions.items():
        drawn = icon(name, theme, ratio)
        if not drawn.isNull():
            action.setIcon(drawn)


@lru_cache(maxsize=256)
def icon(name: str, theme: Theme, ratio: float) -> QIcon:
    """The icon of this name in the theme's ink; none where there is none that can be read."""
    try:
        svg = _source(name).replace("currentColor", QColor(*theme.ink).name())
    except OSError:
        return QIcon()
    pixmap = blank(ICON_SIZE, ICON_SIZE, ratio)
    with painter_on(pixmap) as painter:
        QSvgRenderer(QByteArray(svg.encode())).render(painter, QRectF(0, 0, ICON_SIZE, ICON_SIZE))
    return QIcon(pixmap)


@cache
def _source(name: str) -> str:
    return (ICONS / f"{name}.svg").read_text(encoding="utf-8")


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
