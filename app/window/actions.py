"""Actions: the window's commands with names, keys and tips; menus and toolbars are built from them."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QToolButton

from app.controllers.controller import Controller
from app.scene.feature import MENUS, Action, FeatureTable
from app.views.theme import Theme
from app.views.widgets.icons import ICON_SIZE, icon, icon_size
from app.views.widgets.inputs import named, take_typed_number

#: Actions of the window itself; the actions of features follow them in each menu.
OWN: tuple[Action, ...] = (
    Action("new", "&File", "&New", ("Ctrl+N",), "An empty plane, no file; classifiers stay.", "New"),
    Action("open", "&File", "&Open…", ("Ctrl+O",), "Open a .playground file.", "Open"),
    Action(
        "start_over",
        "&File",
        "S&tart this example over",
        ("Ctrl+Alt+R",),
        "As it was at first; undo brings your changes back.",
        able=lambda controller: controller.examples.present is not None,
    ),
    Action("save", "&File", "&Save", ("Ctrl+S",), "Save points and settings.", "Save"),
    Action("save_as", "&File", "Save &as…", ("Ctrl+Shift+S",), "Save under another name."),
    Action(
        "revert",
        "&File",
        "Re&vert",
        (),
        "Back to what is saved; undo brings the changes back.",
        able=lambda controller: controller.store.path is not None,
    ),
    Action(
        "import", "&File", "&Import points…", ("Ctrl+Shift+I",), "From a table, workbook, svmlight or .npz.", gap=True
    ),
    Action(
        "import_clipboard",
        "&File",
        "Import from the clip&board…",
        ("Ctrl+Shift+V",),
        "A table of a spreadsheet: choose columns and class.",
    ),
    Action(
        "export",
        "&File",
        "&Export points…",
        ("Ctrl+Shift+E",),
        "As a table, ARFF, svmlight or .npz file.",
        able=lambda controller: len(controller.document.points) > 0,
    ),
    Action("picture", "&File", "Export &picture…", ("Ctrl+E",), "PNG, SVG, or to the clipboard."),
    Action(
        "undo",
        "&Edit",
        "&Undo",
        ("Ctrl+Z",),
        "Take the last change back.",
        "Undo",
        gap=True,
        able=lambda controller: bool(controller.session.gesture_undo) or controller.store.undo_name is not None,
    ),
    Action(
        "redo",
        "&Edit",
        "&Redo",
        ("Ctrl+Shift+Z", "Ctrl+Y"),
        "Do it again.",
        "Redo",
        able=lambda controller: controller.store.redo_name is not None,
    ),
    Action("cut", "&Edit", "Cu&t", ("Ctrl+X",), "Selected points into the clipboard, as a table.", gap=True),
    Action("copy", "&Edit", "&Copy", ("Ctrl+C",), "Selected points as a table of x, y, class."),
    Action(
        "paste",
        "&Edit",
        "&Paste",
        ("Ctrl+V",),
        "Points from the clipboard: columns x, y and perhaps class; or a document that was copied as text.",
    ),
    Action(
        "copy_text",
        "&Edit",
        "Copy as te&xt…",
        ("Ctrl+Alt+C",),
        "Points, classifiers and view as one text, for a mail or a chat.",
    ),
    Action("duplicate", "&Edit", "&Duplicate", ("Ctrl+D",), "A copy of the selected points beside them."),
    Action("relabel", "&Edit", "Re&label", ("Ctrl+R",), "Give the selected points the active class."),
    Action("remove", "&Edit", "Remo&ve", ("Delete",), "The selected points, or the one nearest to the pointer."),
    Action("select_all", "&Edit", "Select &all", ("Ctrl+A",), "Select all points.", gap=True),
    Action("select_none", "&Edit", "Select &none", ("Ctrl+Shift+A",), "Select no point. Esc does the same."),
    Action("invert", "&Edit", "&Invert selection", ("Ctrl+I",), "Select the points that are not selected."),
    Action("classes", "&Edit", "Cla&sses and axes…", ("Ctrl+K",), "Names of classes and axes, colours.", gap=True),
    Action(
        "clear",
        "&Edit",
        "Cl&ear",
        (),
        "Remove all points; undo brings them back.",
        "Clear",
        gap=True,
        able=lambda controller: len(controller.document.points) > 0,
    ),
    Action("generate", "&Edit", "&Generate points", ("G",), "New points from the generator."),
    Action("smaller_brush", "&Tools", "&Smaller brush", ("[",), "A smaller radius.", gap=True),
    Action("larger_brush", "&Tools", "&Larger brush", ("]",), "A larger radius."),
    Action("fit", "&View", "&Fit", ("F",), "Show all.", "Fit", gap=True),
    Action(
        "own_scales",
        "&View",
        "Own scale for each a&xis",
        (),
        "x and y are each fitted to their own values. Distances are drawn as they are: circles become ellipses.",
        checkable=True,
        run=lambda around: around.controller.toggle_scales(),
        on=lambda scene: scene.document.view.owns_scales,
        able=lambda controller: len(controller.document.points) > 0,
    ),
    Action(
        "simple",
        "&View",
        "&Simple",
        ("F8",),
        "Show the most used controls only; off: every tool, command, classifier and setting.",
        checkable=True,
        on=lambda scene: scene.session.simple,
    ),
    Action(
        "lanes",
        "&View",
        "Side &by side",
        ("L",),
        "One classifier, or all side by side.",
        "Side by side",
        True,
        run=lambda around: around.controller.toggle_lanes(),
        on=lambda scene: scene.shown > 1,
    ),
    Action("legend", "&View", "&Legend", ("F9",), "What the symbols mean.", "Legend", True, switch="legend"),
    Action(
        "marks",
        "&View",
        "Support &vectors and errors",
        ("M",),
        "Their marks; held, the key puts all points away.",
        "",
        True,
        switch="marks",
    ),
    Action(
        "settings",
        "&View",
        "Settin&gs",
        ("Ctrl+,",),
        "All settings of the selected classifier, with their formulas.",
        "",
        True,
        True,
    ),
    Action("table", "&View", "Points &table", ("Ctrl+T",), "Exact coordinates, to read and edit.", "", True),
    Action("history", "&View", "&History", ("Ctrl+H",), "All steps; click one to go there.", "", True),
    Action("notes", "&View", "&Notes", ("Ctrl+J",), "Notes, saved with the document.", "", True),
    Action("larger", "&View", "L&arger text", ("Ctrl++", "Ctrl+="), "Larger text, for projectors.", gap=True),
    Action("smaller", "&View", "Smalle&r text", ("Ctrl+-",), "Smaller text."),
    Action(
        "presenter",
        "&View",
        "&Presenter mode",
        ("F5",),
        "Nothing but the pictures, with large text; Esc ends it.",
        "",
        True,
        run=lambda around: around.controller.presenting.toggle(),
        on=lambda scene: scene.session.presents_here,
    ),
    Action(
        "audience",
        "&View",
        "Audience &window",
        ("Shift+F5",),
        "The pictures on a window of their own, for the projector; this one keeps the controls.",
        "",
        True,
        run=lambda around: around.controller.presenting.toggle_audience(),
        on=lambda scene: scene.session.has_audience,
    ),
    Action(
        "freeze_audience",
        "&View",
        "Free&ze the audience window",
        ("Alt+F5",),
        "The audience window keeps its present pictures, whatever is done here.",
        "",
        True,
        run=lambda around: around.controller.presenting.toggle_frozen(),
        on=lambda scene: scene.session.presenting is not None and scene.session.presenting.frozen,
        able=lambda controller: controller.session.has_audience,
    ),
    Action(
        "peek",
        "&View",
        "See what is c&overed",
        ("Ctrl+Shift+F5",),
        "The pictures a lesson covers, in this window only: the audience sees them when they are revealed.",
        "",
        True,
        run=lambda around: around.controller.presenting.toggle_peek(),
        on=lambda scene: scene.session.peeks,
        able=lambda controller: controller.session.has_audience,
    ),
    Action("full_screen", "&View", "F&ull screen", ("F11",), "The window fills the screen.", "", True),
    Action(
        "pause",
        "T&raining",
        "&Play or pause",
        (),
        "Replay the training step by step, or stop it where it is. Space on a picture does the same.",
        "Play or pause",
        gap=True,
        run=lambda around: around.controller.toggle_pause(),
    ),
    Action("step_forward", "T&raining", "Step &forward", (".",), "One step of the learner.", gap=True),
    Action("step_back", "T&raining", "Step &back", (",",), "The state one step earlier, exactly."),
    Action(
        "next_change",
        "T&raining",
        "&Next change",
        ("Alt+.",),
        "The next step at which a point enters or leaves the SVs.",
    ),
    Action("previous_change", "T&raining", "Pre&vious change", ("Alt+,",), "The change before this one."),
    Action("to_start", "T&raining", "To the &start", ("Alt+Home",), "Before the first step."),
    Action("to_end", "T&raining", "To the &end", ("Alt+End",), "Run to the end, and stop there."),
    Action(
        "add_lane",
        "&Compare",
        "&Add a classifier",
        ("Ctrl+L",),
        "One more on the same points, up to four.",
        run=lambda around: around.controller.lanes.add(around.controller.document.shown - 1),
    ),
    Action(
        "help",
        "&Help",
        "&Pictures and keys",
        ("F1",),
        "What the pictures show, and what the mouse and the keys do.",
        gap=True,
    ),
    Action("whats_this", "&Help", "What's &this?", ("Shift+F1",), "Then click a control for its explanation."),
    Action("log", "&Help", "Show &log", (), "Errors of this program, for a report."),
    Action("about", "&Help", "&About", (), "Versions and folders of this program, for a report.", gap=True),
)


#: Actions at the end of the File menu, after those of features.
QUIT = Action("quit", "&File", "&Quit", ("Ctrl+Q",), "Close the window.", gap=True)


@cache
def every(features: FeatureTable) -> tuple[Action, ...]:
    """Return all actions, in the order of their menus."""
    ordered = list(OWN)
    for action in features.actions():
        follows = next((index for index, each in enumerate(ordered, 1) if each.name == action.after), len(ordered))
        ordered.insert(follows, action)
    return (*ordered, QUIT)


def make_actions(
    window: QMainWindow,
    features: FeatureTable,
    handlers: dict[str, Callable[[], object]],
    put: Callable[[QToolButton, bool], None],
) -> tuple[dict[str, QAction], dict[str, QMenu]]:
    """Return all actions, connected to their handlers, and the menus of `window` by title.

    The buttons of actions with a short name are passed to ``put(button, gap)``.
    """
    menus = {title: window.menuBar().addMenu(title) for title in MENUS}
    actions = {}
    for spec in every(features):
        icon_text = spec.short or spec.text.replace("&", "")
        action = QAction(spec.text, window, iconText=icon_text, checkable=spec.checkable)
        action.setObjectName(f"action.{spec.name}")
        action.setShortcuts([QKeySequence(keys) for keys in spec.keys])
        action.setToolTip(tip_of(action, spec.tip))
        action.setWhatsThis(action.toolTip())
        action.triggered.connect(lambda checked, run=handlers[spec.name]: _do(run))
        window.addAction(action)  # its keys also work while the menu bar is hidden
        if spec.short:
            put(icon_button(action, spec.short, 30), spec.gap)
        actions[spec.name] = action
    for title, menu in menus.items():
        fill_menu(menu, features, title, actions, simple=False)
    return actions, menus


#: A command, and ``able(controller)``: whether it is enabled.
Rule = tuple[QAction | QShortcut, Callable[[Controller], bool]]


def fill_menu(menu: QMenu, features: FeatureTable, title: str, actions: dict[str, QAction], simple: bool) -> None:
    """Fill a menu with its actions, above the menus that others have added; what Simple hides is in More at its end."""
    specs = [spec for spec in every(features) if spec.menu == title]
    name = f"more.{title.replace('&', '').lower()}"
    more = menu.findChild(QMenu, name) or QMenu("&More", menu)
    more.setObjectName(name)
    added = [action for action in menu.actions() if action.menu() not in (None, more)]
    for each in (menu, more):
        each.clear()
    for spec in specs:
        there = more if simple and not spec.simple else menu
        if spec.gap and not there.isEmpty():
            there.addSeparator()
        there.addAction(actions[spec.name])
    menu.addActions(added)
    if not more.isEmpty():
        menu.addSeparator()
        menu.addMenu(more)


def tip_of(action: QAction, sentence: str) -> str:
    """Return a tip that begins with the name of a command and its key: "Fit (F): Show all."."""
    keys = action.shortcut().toString()
    return f"{action.iconText().rstrip('…')}{f' ({keys})' if keys else ''}: {sentence}"


def has_more(features: FeatureTable, title: str) -> bool:
    """Return whether Simple hides some of the actions of a menu."""
    return any(spec.menu == title and not spec.simple for spec in every(features))


def _do(run: Callable[[], object]) -> None:
    take_typed_number()
    run()


def icon_button(action: QAction, title: str, side: int) -> QToolButton:
    """Return a button with `title` that shows the icon of `action`, at least `side` pixels wide, and triggers it.

    QToolBar.addAction would make `action` the button's default action, and Qt 6.11 then connects the two anew at every
    change of the action (QToolButton::actionEvent calls setDefaultAction): after 20 000 edits each new undo text took
    0.3 ms.
    """
    style = Qt.ToolButtonStyle.ToolButtonIconOnly
    name = f"tool.{action.objectName().removeprefix('action.')}"
    button = named(QToolButton(toolButtonStyle=style, autoRaise=True), name)
    room = QSize(1, 1) * (side - ICON_SIZE)
    button.setAccessibleName(title)
    button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    button.setCheckable(action.isCheckable())

    def follow() -> None:
        button.setText(action.iconText())
        button.setIcon(action.icon())
        button.setIconSize(QSize(1, 1) * icon_size(QApplication.font()))
        button.setMinimumSize(button.iconSize() + room)
        button.setToolTip(action.toolTip())
        button.setEnabled(action.isEnabled())
        button.setChecked(action.isChecked())

    def clicked() -> None:
        action.trigger()
        follow()  # an action of a group may still be checked after the click has unchecked the button

    follow()
    action.changed.connect(follow)
    button.clicked.connect(clicked)
    return button


def set_icons(actions: dict[str, QAction], theme: Theme, ratio: float) -> None:
    """Draw the icons of the toolbar in the theme's ink."""
    for name, action in actions.items():
        drawn = icon(name, theme, ratio * icon_size(QApplication.font()) / ICON_SIZE)
        if not drawn.isNull():
            action.setIcon(drawn)
