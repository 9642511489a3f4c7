"""Appearance: theme, text size and simplicity of the window, chosen by the user and remembered."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Slot
from PySide6.QtGui import QActionGroup
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu

from app.controllers.controller import Controller
from app.files.settings import LEAST_TEXT, MOST_TEXT, Settings
from app.scene.model import Scene
from app.views import theme
from app.views.widgets.inputs import named

#: Change of the text size by one command (points).
TEXT_STEP = 2


class Appearance(QObject):
    """Apply theme and text size to `window` and its dialogs.

    Parameters
    ----------
    window : QMainWindow
    controller : Controller
        Keeps the theme in the session.
    settings : Settings
    redraw : callable
        Called when everything has to be drawn anew.
    """

    def __init__(
        self, window: QMainWindow, controller: Controller, settings: Settings, redraw: Callable[[], None]
    ) -> None:
        super().__init__(window)
        self._window, self._controller, self._settings, self._redraw = window, controller, settings, redraw
        self._text_size = settings.values.text_size or 0
        self._applied: theme.Theme | None = None

    def begin(self, view: QMenu) -> None:
        """Add the menu of themes to the menu `view`, and apply the remembered theme and text size."""
        menu = view.addMenu("Th&eme")
        group = QActionGroup(self)
        self._actions = {}
        for name, text in (("system", "Same as &system"), ("light", "&Light"), ("dark", "&Dark")):
            action = self._actions[name] = named(group.addAction(text), f"action.theme.{name}")
            action.setCheckable(True)
            action.triggered.connect(lambda checked, name=name: self.choose_theme(name))
        menu.addActions(group.actions())
        self.choose_theme(self._settings.values.theme)
        QApplication.styleHints().colorSchemeChanged.connect(self._system_theme_changed)

    def dress(self, scene: Scene) -> tuple[theme.Theme, bool]:
        """Return the scene's theme with the document's colours, and whether it was newly applied."""
        self._actions[scene.session.theme].setChecked(True)
        plain = theme.theme_of(scene.session.dark)
        anew = plain is not self._applied
        if anew:
            self._applied = plain
            theme.apply(plain, self._window, self._text_size)
        return theme.dressed(plain, scene.document.styles), anew

    def choose_theme(self, name: str) -> None:
        """Choose the light or dark theme, or that of the system."""
        dark = theme.system_is_dark() if name == "system" else name == "dark"
        self._settings.write(theme=name)
        self._controller.set_session(theme=name, dark=dark)

    @Slot()
    def _system_theme_changed(self) -> None:
        if self._controller.session.theme == "system":
            self.choose_theme("system")

    def toggle_simple(self) -> None:
        """Switch between Simple and Full."""
        self._controller.toggle_simple()
        self._settings.write(simple=self._controller.prefers_simple)

    def change_text(self, by: int) -> None:
        """Make the text larger by `points`; panels that no longer fit fold or scroll."""
        self.set_text_size((self._text_size or QApplication.font().pointSize()) + by)

    def set_text_size(self, points: int) -> None:
        """Set the size of the text in points, within its limits, and remember it."""
        self._text_size = min(max(points, LEAST_TEXT), MOST_TEXT)
        self._settings.write(text_size=self._text_size)
        self._applied = None
        self._redraw()
