"""DockManager: docks beside the pictures, each created when first shown, and windows of features."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from functools import partial
from typing import Any, cast

from msgspec.structs import replace
from PySide6.QtCore import QByteArray, QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QFontInfo
from PySide6.QtWidgets import QApplication, QDockWidget, QHBoxLayout, QStyle, QTabBar, QTabWidget, QToolBar, QWidget
from shiboken6 import isValid

from app.engine.cover import Cover
from app.files.settings import QtState
from app.scene.feature import Dock, FeatureTable
from app.scene.model import COVERED, SETTINGS, Scene, in_panel, run_of
from app.views.surroundings import Surroundings
from app.views.theme import Theme
from app.views.widgets.boxes import in_column
from app.views.widgets.deferred import in_turns, later
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.inputs import filled, named
from app.views.widgets.scrolling_form import Scrolled
from app.views.widgets.start_buttons import StartButtons
from app.views.widgets.window_size import shrink
from app.window.dialogs.classes import ClassesDialog
from app.window.flat_button import FlatButton, flat_button
from app.window.panels.history_panel import HistoryPanel
from app.window.panels.notes_panel import NotesPanel
from app.window.panels.table_panel import TablePanel

from .actions import every


def docks(features: FeatureTable) -> tuple[Dock, ...]:
    """Return the docks of the window and of features."""
    return (
        Dock(SETTINGS, "Settings", lambda around: around.window.lanes_view.settings, needs=(), reveals=Cover.NOTHING),
        Dock(
            "table",
            "Points table",
            lambda around: TablePanel(around.controller),
            height=240,
            tab="Points",
            reveals=Cover.NOTHING,
        ),
        Dock(
            "history",
            "History",
            lambda around: HistoryPanel(around.controller),
            height=200,
            needs=(),
            reveals=Cover.NOTHING,
        ),
        Dock(
            "notes", "Notes", lambda around: NotesPanel(around.controller), height=160, needs=(), reveals=Cover.NOTHING
        ),
        *features.docks(),
    )


#: Version of the remembered arrangement: increment it when docks are added or removed.
VERSION = 7
RIGHT = Qt.DockWidgetArea.RightDockWidgetArea
#: Width of the column beside the pictures: shares of the window's width at first and at most; the least width at first,
#: and the least to which the user can drag it (pixels).
COLUMN, MOST_COLUMN, FIRST_COLUMN, LEAST_COLUMN = 0.27, 0.36, 320, 300
#: Least width at first beside larger text, as a multiple of its size.
LINE = 26
#: Height of a panel's title with the handle below the panel, and of the tabs above it (pixels).
TITLE, TABS = 36, 28
#: Height of a sentence in place of a panel (pixels).
SENTENCE = 40
#: Height at which a panel below a lesson is still of use (pixels).
LESS = 180
#: Smallest height of a panel that needs more (pixels).
LEAST_HEIGHT = 200


class _Fitting(Scrolled):
    """A panel with scroll bars if the column is too small for it, so that the pictures keep their size."""

    def __init__(self, panel: QWidget) -> None:
        super().__init__(panel)
        self._panel = panel
        panel.installEventFilter(self)

    def sizeHint(self) -> QSize:
        return self._panel.sizeHint()

    def minimumSizeHint(self) -> QSize:
        least = self._panel.minimumSizeHint().expandedTo(self._panel.minimumSize())
        return least.boundedTo(QSize(LEAST_COLUMN, LEAST_HEIGHT))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()  # the smallest size follows the panel's, for example with larger text
        return super().eventFilter(watched, event)


class _Title(QWidget):
    """Title bar of a dock, with large buttons; the rest of it drags the dock."""

    def __init__(self, dock: QDockWidget, spec: Dock, pin: Callable[[], None]) -> None:
        super().__init__()
        name, title = spec.name, spec.title
        text = ElidedLabel(title)
        text.setToolTip(title)
        layout = filled(QHBoxLayout(self), (text, 1), margins=(6, 1, 2, 1), spacing=2)
        self._buttons: dict[str, FlatButton] = {}
        for what, tip, run in (
            *((("pin", "Keep showing this classifier, whichever is selected.", pin),) if spec.pins else ()),
            ("float", "Into a window of its own, or back.", lambda: dock.setFloating(not dock.isFloating())),
            ("close", "Close; the View menu opens it again.", dock.close),
        ):
            title_of = f"{what.title()}: {title}"
            self._buttons[what] = flat_button(f"dock.{name}.{what}", title_of, tip, run, (28, 26))
            layout.addWidget(self._buttons[what])
        if spec.pins:
            self._buttons["pin"].setCheckable(True)

    def show_pin(self, offered: bool, pinned: bool) -> None:
        """Show whether the panel is pinned to a classifier, if there are several."""
        if (button := self._buttons.get("pin")) is not None:
            button.setVisible(offered)
            button.setChecked(pinned)

    def show_theme(self, theme: Theme) -> None:
        """Draw the buttons in the theme's ink."""
        for what, button in self._buttons.items():
            button.show_icon(what, theme)


class DockManager:
    """Create the docks, and open the windows, one of each at a time.

    Parameters
    ----------
    around : Surroundings
        The main window, and what panels are made of.
    changed : callable
        Asks for the scene to be drawn anew.
    one_line : callable
        Returns the least width in pixels at which the rows above the pictures are whole.
    """

    def __init__(self, around: Surroundings, changed: Callable[[], None], one_line: Callable[[], int]) -> None:
        window, features = around.window, around.features
        self._around, self._window, self._controller = around, window, around.controller
        self._settings, self._changed, self._one_line = around.settings, changed, one_line
        self._scene: tuple[Scene, Theme] | None = None
        self._in_sight: set[str] = set()
        #: Width of the column as the user left it, and as it was set last (pixels); 0: not yet.
        self._width = self._set_width = 0
        #: Visibility of docks that changed while the column is being arranged.
        self._visibility: dict[str, bool] | None = None
        #: Useful heights of the panels in sight (pixels), now and those for which the column has been arranged.
        self._asked: frozenset[tuple[str, int]] = frozenset()
        self._answered: set[frozenset[tuple[str, int]]] = set()
        self._turn = 0
        self._panels: dict[str, Any] = {}
        self._offers: dict[str, StartButtons] = {}
        self._frames: dict[str, _Fitting] = {}
        #: Panels that only say that they are covered.
        self._covered: set[str] = set()
        #: Factories of the windows, and the open ones.
        self._makers: dict[str, Callable[[Surroundings], Any]] = {
            "classes": lambda around: ClassesDialog(around.window, around.controller)
        }
        self._makers |= dict(feature.window for feature in features if feature.window is not None)
        self.windows: dict[str, Any] = {}
        self._shared: Sequence[QAction] = ()
        self._specs = {spec.name: spec for spec in docks(features)}
        self._docks: dict[str, QDockWidget] = {}
        tips = {spec.name: spec.tip for spec in every(features)}
        for spec in self._specs.values():
            dock = named(QDockWidget(spec.tab or spec.title, window, allowedAreas=RIGHT), f"dock.{spec.name}")
            dock.setWhatsThis(tips.get(spec.name, spec.title))
            dock.setTitleBarWidget(_Title(dock, spec, partial(self._controller.lanes.toggle_pin, spec.name)))
            dock.visibilityChanged.connect(partial(self._sight, spec.name))
            dock.topLevelChanged.connect(partial(self._float, spec))
            self._docks[spec.name] = dock
        self.hide(self._docks)
        # The column beside the pictures extends down to the status line.
        window.setCorner(Qt.Corner.BottomRightCorner, RIGHT)
        window.setTabPosition(RIGHT, QTabWidget.TabPosition.North)

    def panel(self, name: str) -> Any:
        """Return the panel of a dock, a widget that draws scenes; created when first needed, not at the start."""
        panel = self._panels.get(name)
        if panel is None:
            panel = self._panels[name] = self._specs[name].make(self._around)
            offer = self._offers[name] = StartButtons(f"{name}.offer")
            self._frames[name] = _Fitting(panel)
            self._docks[name].setWidget(in_column(offer, (self._frames[name], 1), spacing=0))
        return panel

    def share_keys(self, actions: Sequence[QAction]) -> None:
        """Make the keys of `actions` work in floating docks and in windows."""
        self._shared = actions
        for dock in self._docks.values():
            dock.addActions(actions)

    def handlers(self) -> dict[str, Callable[[], object]]:
        """Return the handlers of the actions."""
        toggles = {name: partial(self._command, name) for name in self._docks}
        return {**toggles, **{name: partial(self.open, name) for name in self._makers}}

    def render_scene(self, scene: Scene, theme: Theme, actions: dict[str, QAction]) -> None:
        """Draw the open and visible panels and windows."""
        dressed = self._scene is None or self._scene[1] is not theme
        self._scene = scene, theme
        if dressed:
            for dock in self._docks.values():
                cast(_Title, dock.titleBarWidget()).show_theme(theme)
        drawn = self._in_sight - self._taking_turns(scene)
        before, covers = self._covered, [lane.cover for lane in scene.lanes]
        reveals = {name: spec.reveals for name, spec in self._specs.items()} if all(covers) else {}
        self._covered = {name for name, revealed in reveals.items() if all(cover & revealed for cover in covers)}
        for name, dock in self._docks.items():
            actions[name].setChecked(not dock.isHidden())
            if name not in self._in_sight:
                continue
            cast(_Title, dock.titleBarWidget()).show_pin(scene.shown > 1, name in dict(scene.session.pins))
            spec = self._specs[name]
            covered = name in self._covered
            offer = in_panel(spec.needs, len(scene.points.xy), [lane.lane for lane in scene.lanes])
            self._offers[name].show_offer(COVERED if covered else offer, actions)
            self._frames[name].setVisible(not covered)
            if name in drawn:
                self._draw(name)
        for window in tuple(self.windows.values()):
            window.render_scene(scene, theme)
        needs = {name: self._useful(name) for name in drawn}
        low = any(self._docks[name].height() < height for name, height in needs.items())
        asked = frozenset(needs.items())
        # Needs follow the width, and so the arrangement: one that was made for the same before is not made again.
        if before != self._covered or (asked != self._asked and (low or asked not in self._answered)):
            self._answered.add(asked)
            later(self._window, self.arrange)
        self._asked = asked

    def follow_pointer(self, scene: Scene) -> None:
        """Draw the panels that follow the pointer, which alone has changed in `scene`."""
        assert self._scene is not None
        self._scene = scene, self._scene[1]
        following, _ = self._around.features.by_pointer()
        for dock in following.docks():
            self._draw_late(dock.name)

    def _taking_turns(self, scene: Scene) -> set[str]:
        """Return the panels that are drawn in turn while a run plays, so that input is handled in between."""
        of_runs = sorted(name for name in self._in_sight if "run" in self._specs[name].watches)
        if not of_runs or not scene.lanes[scene.run_lane].playing:
            return set()
        self._turn = (self._turn + 1) % len(of_runs)
        later(self._window, partial(self._draw_late, of_runs[self._turn]))
        return set(of_runs)

    def _draw_late(self, name: str) -> None:
        if name in self._in_sight:
            self._draw(name)

    def _draw(self, name: str) -> None:
        """Draw a panel with the run of the classifier to which it is pinned, else of the selected one."""
        assert self._scene is not None
        scene, theme = self._scene
        self.panel(name).render_scene(replace(scene, **run_of(scene.lanes, scene.session.slot_for(name))), theme)

    # -- docks -----------------------------------------------------------------------------------------------------

    def _sight(self, name: str, visible: bool) -> None:
        if not isValid(self._window):  # its docks are deleted, too
            return
        if self._visibility is not None:
            self._visibility[name] = visible
            return
        if visible:
            self.panel(name)
        (self._in_sight.add if visible else self._in_sight.discard)(name)
        self._controller.set_panel_open(name, visible)
        later(self._window, self._tuck_away)
        self._changed()

    def _float(self, spec: Dock, floating: bool) -> None:
        """Show the whole title of a floating dock; place one that has come back."""
        self._docks[spec.name].setWindowTitle(spec.title if floating else spec.tab or spec.title)
        if not floating and self._visibility is None:
            later(self._window, self.arrange)

    def _tuck_away(self) -> None:
        """Hide the tab bars of closed docks, which Qt leaves above the pictures."""
        open_titles = {dock.windowTitle() for dock in self._docks.values() if not dock.isHidden()}
        for bar in self._window.findChildren(QTabBar, options=Qt.FindChildOption.FindDirectChildrenOnly):
            bar.setWhatsThis("Open panels: a click brings one to the front.")
            away = sum(bar.tabText(tab) in open_titles for tab in range(bar.count())) < 2
            bar.setFocusPolicy(Qt.FocusPolicy.NoFocus if away else Qt.FocusPolicy.TabFocus)
            if away:
                bar.move(-bar.width() - 1000, -1000)

    def _command(self, name: str) -> None:
        """Toggle a dock; what a new panel needs is imported, and the panel made, in turns of their own."""
        new = partial(getattr, self._specs[name].make, "kind", None), partial(self.panel, name)
        in_turns(self._window, *(() if name in self._panels else new), partial(self.toggle, name))

    def toggle(self, name: str) -> None:
        """Open a dock, or raise it; close it if it is in front."""
        dock = self._docks[name]
        if not dock.isHidden() and name in self._in_sight:
            dock.hide()
            self._window.setFocus()
        else:
            panel, size = self.panel(name), self._window.size()
            if dock.isFloating():
                dock.show()
            else:
                self.arrange(name)
            dock.raise_()
            # Not a focus proxy: Tab would skip the widgets before it.
            first = getattr(panel, "first_stop", panel)
            (first if first.isVisible() and first.isEnabled() else panel).setFocus()
            if not dock.isFloating() and not self._fits(size):
                self._controller.say("Not all of it fits this screen: show one classifier (L) or smaller text.")
        self._changed()

    def arrange(self, new: str = "") -> None:
        """Arrange the docks beside the pictures, and a `new` one: below each other as far as each has a useful height.

        The others become tabs; what is well arranged already is left to the user.
        """
        if new:
            self._answered.clear()
        among = {*self.docked, new}
        names = sorted((name for name in self._specs if name in among), key=lambda name: self._specs[name].group)
        if not names:
            return
        heights = {name: self._useful(name) for name in names}
        places, now = self._places(names, heights), self._present(names)
        too_low = any(
            self._docks[name].height() < heights[name] for name in self._in_sight & set(names) if len(places) > 1
        )
        if not now or places != now or too_low:
            width = self._column()
            if places != now:
                self._put(places)
            firsts = self.docks(place[0] for place in places)
            needed = [max(heights[name] for name in place) for place in places]
            share = max(self._room() - sum(needed), 0) // len(needed)
            self._window.resizeDocks(firsts, [height + share for height in needed], Qt.Orientation.Vertical)
            self._window.resizeDocks(firsts[:1], [width], Qt.Orientation.Horizontal)
            self._set_width = width

    def _useful(self, name: str) -> int:
        """Return the least height at which a panel is useful, with its title (pixels)."""
        own = getattr(self.panel(name), "useful_height", None)
        if name in self._covered:
            return TITLE + SENTENCE
        # Below a lesson that names it, a panel makes do with less: behind it, its results would not be computed.
        beside = any(self._specs[each].presented for each in self.docked if each != name)
        height = min(self._specs[name].height, LESS) if beside else self._specs[name].height
        return TITLE + int(height if own is None else own())

    def _room(self) -> int:
        """Return the height of the column (pixels)."""
        bars = (self._window.menuWidget(), self._window.statusBar())
        return self._window.height() - sum(bar.height() for bar in bars if bar is not None and bar.isVisible())

    def _places(self, names: Sequence[str], heights: dict[str, int]) -> list[list[str]]:
        """Return the docks to be tabs of each other, from top to bottom."""
        places: list[list[str]] = []
        used = 0
        for name in names:
            if places and used + heights[name] > self._room():
                places[-1].append(name)
            else:
                places.append([name])
                used += heights[name]
        while len(places) > 1 and self._room() < sum(
            max(heights[name] for name in place) + TABS * (len(place) > 1) for place in places
        ):
            places[-2:] = [places[-2] + places[-1]]
        return places

    def _present(self, names: Sequence[str]) -> list[list[str]]:
        """Return the present arrangement, as `_places`."""
        found: list[list[str]] = []
        for name in names:
            if self._docks[name].isHidden() or self._window.dockWidgetArea(self._docks[name]) != RIGHT:
                return []
            beside = [self._docks[name], *self._window.tabifiedDockWidgets(self._docks[name])]
            place = [each for each in names if self._docks[each] in beside]
            if place not in found:
                found.append(place)
        return found

    def _put(self, places: Sequence[Sequence[str]]) -> None:
        """Put the docks into the column."""
        focus, self._visibility = self._window.focusWidget(), {}
        self._window.setUpdatesEnabled(False)
        for dock in self._docks.values():
            if not dock.isFloating():
                self._window.removeDockWidget(dock)
        for place in places:  # before there are tabs, to which Qt would add them
            self._window.addDockWidget(RIGHT, self._docks[place[0]], Qt.Orientation.Vertical)
        for place in places:
            for name in place[1:]:
                self._window.tabifyDockWidget(self._docks[place[0]], self._docks[name])
        for dock in self.docks(name for place in places for name in place):
            dock.show()
        self._window.setUpdatesEnabled(True)
        changed, self._visibility = self._visibility, None
        for name, visible in changed.items():
            if visible != (name in self._in_sight):
                self._sight(name, visible)
        if focus is not None and isValid(focus) and focus.isVisible():
            focus.setFocus()

    def _column(self) -> int:
        """Return the width of the column: as the user left it, else if possible without cutting rows (pixels)."""
        width, pictures = self._window.width(), self._window.centralWidget()
        # Qt leaves the docks behind a tab as wide as they were.
        docked = self.docks(self._in_sight.intersection(self.docked))
        beside = max((each.width() for each in docked if self._window.dockWidgetArea(each) == RIGHT), default=0)
        if self._set_width and beside not in (0, self._set_width):
            self._width = beside
        if self._width:
            return min(self._width, width // 2)
        beside -= self._window.style().pixelMetric(QStyle.PixelMetric.PM_DockWidgetSeparatorExtent)
        left = (0 if pictures is None else pictures.width()) + beside - self._one_line()
        most = round(MOST_COLUMN * width)
        least = max(FIRST_COLUMN, min(round(LINE * QFontInfo(self._window.font()).pixelSize()), most))
        return max(least, min(round(COLUMN * width), most, left))

    def show_only(self, names: Collection[str]) -> None:
        """Close the docks that are not among `names`, and open those that are."""
        self.hide(name for name in self._docks if name not in names)
        for name in names:
            if name in self._docks and self._docks[name].isHidden():
                self.toggle(name)

    @property
    def docked(self) -> tuple[str, ...]:
        """Return the names of the docks beside the pictures."""
        return tuple(name for name, dock in self._docks.items() if not dock.isHidden() and not dock.isFloating())

    @property
    def unpresented(self) -> tuple[str, ...]:
        """The docks beside the pictures that presenter mode hides; the settings that a lesson names stay in sight."""
        stay = {SETTINGS} if self._controller.session.controls is not None else set()
        return tuple(name for name in self.docked if not (self._specs[name].presented or name in stay))

    def docks(self, names: Iterable[str]) -> list[QDockWidget]:
        """Return the docks of these names."""
        return [self._docks[name] for name in names]

    def front(self, names: Sequence[str]) -> str:
        """Return the first of these that no other dock hides, or ""."""
        return next((name for name in names if name in self._in_sight), "")

    def hide(self, names: Iterable[str]) -> None:
        """Hide these docks."""
        for dock in self.docks(names):
            dock.hide()

    def reveal(self, name: str) -> Any:
        """Raise a dock, unless it is visible; return its panel."""
        if name not in self._in_sight:
            self.toggle(name)
        return self.panel(name)

    def _fits(self, size: QSize) -> bool:
        """Return whether all parts fit into the window, which cannot become wider than the screen.

        The window itself has grown to its new least size by now, so that its own width tells nothing.
        """
        # Update the smallest sizes of all parts, without deleting any, as one of them may be handling a click.
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)
        return self._window.minimumSizeHint().width() <= max(
            self._window.screen().availableSize().width(), size.width()
        )

    def restore(self) -> None:
        """Restore the arrangement of the docks, but not of toolbars."""
        state = self._settings.values.docks.data
        if not state:
            return
        bars = [(bar, bar.isHidden()) for bar in self._window.findChildren(QToolBar)]
        if not self._window.restoreState(QByteArray(state), VERSION):
            self.hide(self._docks)
        for bar, hidden in bars:
            bar.setHidden(hidden)
        self.hide(name for name, spec in self._specs.items() if not spec.kept)

    def make_room(self) -> None:
        """Close docks that do not fit when the window is shown on a smaller screen, or with larger text."""
        size, screen = self._window.size(), self._window.screen().availableSize()
        # Before the theme was applied, the parts needed more space, and may have enlarged the window.
        pushed = self._window.width() == self._window.minimumWidth()
        if pushed:
            size = size.boundedTo(screen)
        if self.docked and not self._fits(size):
            self.hide(self.docked)
        if pushed:
            shrink(self._window, size)

    def remember(self) -> None:
        """Save the arrangement for the next start."""
        self._settings.write(docks=QtState.of(bytes(self._window.saveState(VERSION).data())))

    # -- windows -----------------------------------------------------------------------------------------------------

    def open(self, name: str) -> Any:
        """Open a window, or raise it."""
        window = self.windows.get(name)
        if window is None:
            window = self.windows[name] = self._makers[name](self._around)
            window.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
            window.finished.connect(lambda *_: self.windows.pop(name, None))
            window.addActions(self._shared)
        if self._scene is not None:
            window.render_scene(*self._scene)
        window.show()
        window.raise_()
        window.activateWindow()
        return window
