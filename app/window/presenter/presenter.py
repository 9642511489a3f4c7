"""Presenter: hide everything around the pictures, and restore it exactly."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from PySide6.QtCore import QByteArray, QEvent, QObject, QRect, Qt, QTimer
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QApplication, QFrame, QLabel, QLayout, QMainWindow, QWidget
from shiboken6 import isValid

from app.controllers.controller import Controller
from app.scene.model import Scene
from app.state.session import Presenting
from app.tools import PointerPosition
from app.views.theme import Theme
from app.views.widgets.deferred import later
from app.views.widgets.inputs import named
from app.window.actions import Rule
from app.window.dock_manager import VERSION, DockManager
from app.window.held_key import HeldKey
from app.window.lane.lanes import Lanes

from .caption import Caption
from .pen_layer import PenLayers
from .tray import Tray

#: Shares of the window for a panel, and for one that belongs to the presentation.
PANEL, PRESENTED = 0.5, 0.28
FOLLOW = ("next_example", "previous_example")
#: Hint shown first, in the first picture; its duration (ms); margin around it (pixels).
HINT, HINT_FOR, PADDING = (
    "Esc ends presenter mode  ·  Z spotlight  ·  C, Shift+C pen  ·  Ctrl+F5 panel  ·  PageDown next ",
    6000,
    8,
)
#: Platforms without a window manager, where no window can fill the screen.
BARE = ("offscreen", "minimal")


class _Before(Struct, frozen=True):
    """State to restore: bars and docks, the window, the focused widget, and the panel in front."""

    bars: tuple[tuple[QWidget, bool], ...]
    state: QByteArray
    window_state: Qt.WindowState
    geometry: QRect
    focus: QWidget | None
    panel: str


class Presenter(QObject):
    """Presenter mode of `window`.

    Parameters
    ----------
    window : QMainWindow
    controller : Controller
    lanes : Lanes
    docks : DockManager
    bars : tuple of QWidget
        Widgets around the pictures, which are hidden.
    resting : tuple of QAction
        Commands that are disabled in this mode.
    follow : callable
        ``follow(by)`` opens the example `by` positions further on.

    Attributes
    ----------
    actions : dict of QAction
        Commands of this mode by name, enabled only in it.
    caption : Caption
        Line above the pictures.
    """

    def __init__(
        self,
        window: QMainWindow,
        controller: Controller,
        lanes: Lanes,
        docks: DockManager,
        bars: tuple[QWidget, ...],
        resting: tuple[QAction, ...],
        follow: Callable[[int], object],
    ) -> None:
        super().__init__(window)
        self.caption = Caption(controller)
        self._tray = Tray(lanes.canvases[0], controller)
        self._window, self._controller, self._lanes, self._docks = window, controller, lanes, docks
        self._bars, self._resting = bars, resting
        self._before: _Before | None = None
        self._glasses = PenLayers(controller)
        self._docked: tuple[str, ...] = ()
        presenting = controller.presenting
        self.actions = {
            name: self._action(name, title, key, run)
            for name, title, key, run in (
                ("spotlight", "Spotlight", "Z", presenting.toggle_light),
                ("pen", "Pen", "C", presenting.toggle_pen),
                ("second_pen", "Second pen", "Shift+C", lambda: presenting.toggle_pen(1)),
                ("pen_eraser", "Eraser of the pen", "Shift+E", presenting.toggle_eraser),
                ("clear_pen", "Clear the pen", "Backspace", presenting.clear),
                (FOLLOW[0], "Next example", "PgDown", lambda: follow(1)),
                (FOLLOW[1], "Previous example", "PgUp", lambda: follow(-1)),
                ("zoom_panel", "Panel on half the screen", "Ctrl+F5", self.toggle_panel),
            )
        }
        HeldKey(window, self.actions["spotlight"], presenting.light)
        hint = QLabel("", lanes.canvases[0], wordWrap=True, alignment=Qt.AlignmentFlag.AlignCenter, margin=PADDING)
        self._hint = named(hint, "presenter.hint")
        self._hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._hint.setAutoFillBackground(True)
        self._hint.setFrameShape(QFrame.Shape.StyledPanel)
        self._hint.hide()
        self._hint_timer = QTimer(self, singleShot=True, interval=HINT_FOR)
        self._hint_timer.timeout.connect(self._hint.hide)
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), window)
        self._escape.activated.connect(self._leave_off)

    def _action(self, name: str, title: str, key: str, run: Callable[[], object]) -> QAction:
        action = named(QAction(title, self._window, shortcut=QKeySequence(key)), f"action.{name}")
        action.triggered.connect(lambda: run())
        self._window.addAction(action)
        return action

    def _leave_off(self) -> None:
        """Handle Esc: cancel the present gesture, else end the mode."""
        if self._controller.editing.busy:
            self._controller.editing.escape()
        else:
            self._controller.presenting.end()

    # -- drawing ---------------------------------------------------------------------------------------------------

    def begin_or_end(self, scene: Scene) -> None:
        """Begin or end the mode as the scene requires, before the pictures are drawn."""
        wanted = scene.session.presents_here
        if wanted != (self._before is not None):
            (self._begin if wanted else self.end)()

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Show what lies over the pictures."""
        presenting = scene.session.presenting
        self._glasses.render_scene(scene, self._lanes.canvases, theme)
        if presenting is None or not presenting.here:
            return
        self.caption.show_document(self._lanes.text_size)
        area = self._lanes.canvases[0].plot_area()
        self._tray.render_scene(scene, presenting, theme, area, self._lanes.text_size)
        if replace(presenting, audience=False) != Presenting():  # the user has already used the mode
            self._hint.hide()
        self._place_hint()
        docked = self._docks.docked
        if docked != self._docked:
            self._docked = docked
            self._lanes.dress(self._docks.docks(docked))
            later(self, self._halve)

    def aim(self, pointer: PointerPosition | None) -> None:
        """Move the spotlight to the pointer; without one it stays."""
        self._glasses.aim(pointer)

    # -- panels ----------------------------------------------------------------------------------------------------

    def toggle_panel(self) -> None:
        """Show the panel that was open on half of the screen, or hide the open panel."""
        before, docked = self._before, self._docks.unpresented
        if before is not None and (docked or before.panel):
            self._docks.hide(docked) if docked else self._docks.toggle(before.panel)

    def _halve(self) -> None:
        """Set the width of the panels."""
        docked = self._docks.docks(self._docks.docked)
        if self._before is not None and docked:
            share = PANEL if self._docks.unpresented else PRESENTED
            self._window.resizeDocks(docked[:1], [round(share * self._window.width())], Qt.Orientation.Horizontal)

    def _place_hint(self) -> None:
        """Place the hint inside the axes of the first picture, where it covers no number and the fewest points."""
        if not self._hint.isHidden():
            area = self._lanes.canvases[0].plot_area().toAlignedRect().adjusted(PADDING, PADDING, -PADDING, 0)
            width = min(self._hint.fontMetrics().horizontalAdvance(self._hint.text()) + 2 * PADDING + 8, area.width())
            self._hint.setFixedSize(width, self._hint.heightForWidth(width))
            below = self._tray.height() + PADDING if self._tray.isVisible() else 0
            left, first = area.left() + (area.width() - width) // 2, area.top() + below
            self._hint.move(left, self._freest(QRect(left, first, width, self._hint.height()), area.bottom()))
            self._hint.raise_()

    def _freest(self, place: QRect, bottom: int) -> int:
        """Return the top of `place`, moved down to where it covers the fewest points; the highest of several."""
        canvas = self._lanes.canvases[0]
        area, grid = canvas.plot_area(), canvas.grid()
        reach = canvas.layers.point_size(area.width(), area.height())
        around = place.adjusted(-reach, -reach, reach, reach)
        points, sides = (
            self._controller.document.points,
            (canvas.unit(), canvas.unit() * self._controller.document.view.ratio),
        )
        x, y = ((points.xy - (grid.left, grid.bottom)) / sides).T
        beside = (x > around.left() - area.left()) & (x < around.right() - area.left())
        rows = area.bottom() - y[beside] - around.top()
        down = range(0, max(bottom - place.bottom(), 1), PADDING)
        return place.top() + min(down, key=lambda by: np.count_nonzero((rows > by) & (rows < by + around.height())))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            later(self, self._halve)
        return False

    # -- beginning and end -----------------------------------------------------------------------------------------

    def _begin(self) -> None:
        window = self._window
        focus, docked = window.focusWidget(), self._docks.unpresented
        self._before = _Before(
            tuple((bar, bar.isHidden()) for bar in self._bars),
            window.saveState(VERSION),
            window.windowState(),
            window.geometry(),
            focus,
            self._docks.front(docked),
        )
        self._docks.hide(docked)
        self._docked = ()
        for bar in self._bars:
            bar.hide()
        self._lanes.canvases[0].setFocus()  # keys act on the picture, and type nothing into a field
        window.installEventFilter(self)
        self._hint.setText(HINT + ("example" if _follows(self._controller) else "step"))
        self._hint.show()
        self._hint_timer.start()
        if QApplication.platformName() not in BARE:
            window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)

    def end(self) -> None:
        """Restore everything; do nothing outside the mode."""
        before, self._before = self._before, None
        if before is None:
            return
        window = self._window
        window.removeEventFilter(self)
        for over in (self._hint, self._tray, self.caption):
            over.hide()
        self._lanes.dress([])
        if window.windowState() != before.window_state:
            window.setWindowState(before.window_state)
        layout = cast(QLayout, window.layout())
        layout.setEnabled(False)  # else it is laid out for each bar
        for bar, hidden in before.bars:
            bar.setHidden(hidden)
        layout.setEnabled(True)
        layout.activate()  # else docks get the sizes that they had without the bars
        plain = Qt.WindowState.WindowMaximized | Qt.WindowState.WindowFullScreen | Qt.WindowState.WindowMinimized
        if not before.window_state & plain and window.geometry() != before.geometry:
            window.setGeometry(before.geometry)
        self._docks.hide(self._docks.docked)  # those opened meanwhile are not in Qt's state
        window.restoreState(before.state, VERSION)
        if before.focus is not None and isValid(before.focus):
            before.focus.setFocus()

    def rules(self) -> list[Rule]:
        """Return when the commands of the mode are enabled, and those that are disabled in it."""
        return [
            (self._escape, _presents_here),
            *(
                (each, RULES.get(name, lambda controller: controller.session.presenting is not None))
                for name, each in self.actions.items()
            ),
            *((each, lambda controller: not _presents_here(controller)) for each in self._resting),
        ]


def _presents_here(controller: Controller) -> bool:
    return controller.session.presents_here


def _follows(controller: Controller) -> bool:
    """Return whether keys open the next example: in place of the user's document, others may use them."""
    return _presents_here(controller) and controller.aside is None


#: When commands that only this mode has are enabled.
RULES = {"zoom_panel": _presents_here, **dict.fromkeys(FOLLOW, _follows)}
