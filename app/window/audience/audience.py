"""Audience: open and close the audience window, choose its screen, and give it its scenes."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QActionGroup, QGuiApplication, QScreen
from PySide6.QtWidgets import QMenu, QWidget

from app.controllers.controller import Controller
from app.core.plain_text import plain
from app.files.settings import Settings
from app.scene.feature import FeatureTable
from app.scene.model import Scene, grid_over
from app.state.document import View
from app.tools import PointerPosition
from app.views.theme import Theme
from app.views.widgets.deferred import later
from app.views.widgets.inputs import named
from solver import Grid

from .audience_window import SIZE, AudienceWindow

#: Saved in place of a screen's name: the audience window is an ordinary window.
PLAIN = "window"


class Audience(QObject):
    """
    Parameters
    ----------
    window : QWidget
        The window with the controls.
    controller : Controller
    features : FeatureTable
    settings : Settings
        Remembers the screen.
    resized : callable
        Called after a picture of the audience has changed its size, or has been removed.

    Attributes
    ----------
    view : AudienceWindow or None
    """

    def __init__(
        self,
        window: QWidget,
        controller: Controller,
        features: FeatureTable,
        settings: Settings,
        resized: Callable[[], None],
    ) -> None:
        super().__init__(window)
        self._window, self._controller, self._features, self._settings = window, controller, features, settings
        self._resized = resized
        self.view: AudienceWindow | None = None
        self._due: tuple[Scene, Theme] | None = None
        application = cast(QGuiApplication, QGuiApplication.instance())
        application.screenRemoved.connect(self._screens_changed)
        application.screenAdded.connect(self._screens_changed)

    def add_menu(self, view: QMenu) -> None:
        """Add the choice of the screen to the menu `view`."""
        menu = view.addMenu("Au&dience's screen")
        menu.setObjectName("menu.audience_screen")
        group = QActionGroup(self)

        def fill() -> None:
            menu.clear()
            screen = self._screen()
            chosen = PLAIN if screen is None else screen.name()
            for name, text in (*_screens(), (PLAIN, "A window like any other")):
                action = named(group.addAction(text.replace("&", "&&")), f"action.audience_screen.{name}")
                action.setCheckable(True)
                action.setChecked(name == chosen)
                action.triggered.connect(lambda checked, name=name: self.choose_screen(name))
                menu.addAction(action)

        menu.aboutToShow.connect(fill)
        fill()

    # -- the window --------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, dress: Theme) -> None:
        """Draw the scene on the audience window, unless that is frozen; close the window without an audience."""
        if not scene.session.has_audience:
            self.close()
        elif self.view is None:
            self.view = AudienceWindow(self._controller, self._features, self._resized, self._closed_by_user)
            self.view.render_scene(scene, dress)
            # Its keys are those of the controls, except F11, which it handles itself.
            self.view.addActions([each for each in self._window.actions() if each.objectName() != "action.full_screen"])
            self._place(self.view)
        elif not self._is_frozen:
            # The user's own pictures are painted first.
            self._due = scene, dress
            later(self, self._draw)

    def _draw(self) -> None:
        """Draw the scene that is due."""
        if self.view is not None and self._due is not None and not self._is_frozen:
            self.view.render_scene(*self._due)
        self._due = None

    def follow_pointer(self, scene: Scene) -> None:
        """Draw the parts of the scene that follow the pointer."""
        self._draw()
        if self.view is not None and not self._is_frozen and not scene.session.peeks:
            self.view.follow_pointer(scene)

    def aim(self, pointer: PointerPosition | None) -> None:
        """Move the spotlight to the pointer."""
        if self.view is not None and not self._is_frozen:
            self.view.aim(pointer)

    def grid(self, index: int, own: Grid, view: View) -> Grid:
        """Return the grid of the picture at `index`: `own`, or one that also serves the audience window."""
        if self.view is None or self._is_frozen or index >= len(self.view.canvases):
            return own
        return grid_over(own, self.view.canvases[index].grid_for(view))

    @property
    def unpainted(self) -> bool:
        """Whether the audience window has drawn changes that are not painted yet."""
        return self.view is not None and (self._due is not None or self.view.unpainted)

    @property
    def _is_frozen(self) -> bool:
        presenting = self._controller.session.presenting
        return presenting is not None and presenting.frozen

    @property
    def note(self) -> str:
        """Return the text about the audience window in this window, or ""."""
        if self._is_frozen:
            return "Audience window frozen (Alt+F5)"
        return "Covered pictures are seen here only" if self._controller.session.peeks else ""

    def close(self) -> None:
        """Close the window, if it is open."""
        view, self.view = self.view, None
        if view is not None:
            view.close()
            view.deleteLater()
            self._window.activateWindow()
            self._resized()

    def _closed_by_user(self) -> None:
        if self.view is not None and self._controller.session.has_audience:
            self._controller.presenting.toggle_audience()

    # -- its screen --------------------------------------------------------------------------------------------------

    def choose_screen(self, name: str) -> None:
        """Let the window fill the screen of this name, or be an ordinary window."""
        self._settings.write(audience_screen=name)
        if self.view is not None:
            self._place(self.view)

    def _screen(self) -> QScreen | None:
        """Return the screen to fill: the chosen one, else one without the controls."""
        wanted, own = self._settings.values.audience_screen, self._window.screen()
        if wanted == PLAIN:
            return None
        others = [screen for screen in QGuiApplication.screens() if screen is not own]
        return next((each for each in QGuiApplication.screens() if each.name() == wanted), next(iter(others), None))

    def _place(self, view: AudienceWindow) -> None:
        """Let the window fill its screen; without one, show it as an ordinary window."""
        screen = self._screen()
        if screen is None:
            if view.isFullScreen():
                view.showNormal()
                view.resize(*SIZE)
            room = self._window.screen().availableGeometry()
            view.resize(view.size().boundedTo(room.size()))
            if not room.contains(view.geometry()):
                view.move(room.topLeft())
            view.show()
            view.raise_()  # some desktops would open it behind the window
            view.activateWindow()
            return
        if view.isFullScreen():
            view.showNormal()  # else Qt does not move it
        view.setScreen(screen)
        view.setGeometry(screen.geometry())
        view.showFullScreen()
        self._window.activateWindow()

    @Slot(QScreen)
    def _screens_changed(self, screen: QScreen) -> None:
        """Place the window again: as an ordinary one without its screen, so that it does not cover the controls."""
        later(self, self._place_again)

    def _place_again(self) -> None:
        if self.view is not None:
            filled = self.view.isFullScreen()
            self._place(self.view)
            if filled and not self.view.isFullScreen():
                self._controller.say("The audience's screen is gone: its pictures are in a window on this screen.")


def _screens() -> list[tuple[str, str]]:
    """Return the name of each screen, with its text in the menu."""
    found = []
    for number, screen in enumerate(QGuiApplication.screens(), 1):
        size, called = screen.size(), plain(f"{screen.manufacturer()} {screen.model()}".strip() or screen.name())
        found.append((screen.name(), f"Screen {number}: {called}, {size.width()} × {size.height()}"))
    return found
