"""AudienceWindow: the pictures of a scene, large and without controls, for a projector."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QGridLayout, QLabel, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.plain_text import plain
from app.scene.feature import FeatureTable
from app.scene.model import Scene, columns_for
from app.tools import PointerPosition
from app.views.plot.canvas import Canvas
from app.views.theme import Theme, text_font
from app.views.widgets.elided_label import ElidedLabel
from app.views.widgets.inputs import filled, named
from app.window.lane.lanes import GAP, PLAIN_TEXT, presenter_text
from app.window.lane.status_strip import StatusStrip
from app.window.presenter.pen_layer import PenLayers

#: Space beside and above a picture for axes, title and status line, in lines of text.
BESIDE, ABOVE = 2.5, 3.6
#: First size of the window if there is no other screen to fill (pixels).
SIZE = (960, 600)
TITLE, CANVAS, STRIP = range(3)


class AudienceWindow(QWidget):
    """
    Parameters
    ----------
    controller : Controller
    features : FeatureTable
    resized : callable
        Called after a picture has got another size.
    closed : callable
        Called when the user closes the window.

    Attributes
    ----------
    canvases : list of Canvas
    """

    def __init__(
        self, controller: Controller, features: FeatureTable, resized: Callable[[], None], closed: Callable[[], None]
    ) -> None:
        super().__init__(None, Qt.WindowType.Window)
        self._controller, self._features = controller, features
        self._resized, self._closed = resized, closed
        self._scene: Scene | None = None
        self._theme: Theme | None = None
        self._text, self._arranged = 0, (0, 0)
        self.canvases: list[Canvas] = []
        self._titles: list[QLabel] = []
        self._strips: list[StatusStrip] = []
        self._glasses = PenLayers(controller)
        self.setObjectName("audience")
        self.setWindowTitle("Audience – Classifier Playground")
        self.setAutoFillBackground(True)
        self._sentence = named(QLabel(wordWrap=True, alignment=Qt.AlignmentFlag.AlignVCenter), "audience.message")
        self._sentence.setTextFormat(Qt.TextFormat.PlainText)
        self._grid = QGridLayout()
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(0)
        filled(QVBoxLayout(self), self._sentence, (self._grid, 1), margins=0, spacing=0)
        for keys, act in (("F11", self._toggle_full_screen), ("Esc", self.close)):
            QShortcut(QKeySequence(keys), self).activated.connect(act)
        self.resize(*SIZE)

    def _make(self) -> None:
        """Add the parts of one more picture."""
        index, controller = len(self.canvases), self._controller
        canvas = Canvas(index, controller.editing, controller, self._resized, self._features)
        canvas.covers = [kind(controller, canvas) for kind in self._features.views("cover")]
        canvas.setAccessibleName(f"Picture {index + 1}, for the audience")
        self.canvases.append(canvas)
        self._titles.append(ElidedLabel(textFormat=Qt.TextFormat.PlainText))
        self._titles[-1].setContentsMargins(8, 2, 8, 2)
        self._strips.append(StatusStrip(index))
        for part in self._parts(index):
            part.setParent(self)
            part.setObjectName(f"audience.{part.objectName() or f'title{index}'}")
        self._present(index)

    def _parts(self, index: int) -> tuple[QWidget, ...]:
        return self._titles[index], self.canvases[index], self._strips[index]

    # -- arrangement -------------------------------------------------------------------------------------------------

    def _arrange(self, shown: int) -> None:
        """Arrange the pictures, and set the size of all text."""
        columns = columns_for(shown, self.width(), self.height(), BESIDE * PLAIN_TEXT + GAP, ABOVE * PLAIN_TEXT)
        text = presenter_text(self.size(), shown, columns)
        if text != self._text:
            self._text = text
            self.setFont(text_font(text))
            for index in range(len(self.canvases)):
                self._present(index)
        if (shown, columns) == self._arranged:
            return
        self._arranged = shown, columns
        for index in range(len(self.canvases)):
            row, column = divmod(index, columns)
            for position, part in enumerate(self._parts(index)):
                self._grid.removeWidget(part)
                part.setVisible(index < shown)
                if index < shown:
                    self._grid.addWidget(part, 3 * row + position, column)
        for position in range(4):
            self._grid.setColumnStretch(position, int(position < columns))
            self._grid.setRowStretch(3 * position + CANVAS, int(position * columns < shown))

    def _present(self, index: int) -> None:
        if self._text:
            self.canvases[index].present(max(1.0, self._text / PLAIN_TEXT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._scene is not None:
            self._arrange(self._scene.shown)

    def _toggle_full_screen(self) -> None:
        self.setWindowState(self.windowState() ^ Qt.WindowState.WindowFullScreen)

    def closeEvent(self, event: QCloseEvent) -> None:
        super().closeEvent(event)
        self._closed()

    # -- drawing -----------------------------------------------------------------------------------------------------

    def render_scene(self, scene: Scene, dress: Theme) -> None:
        """Draw the pictures of the scene."""
        self._scene = scene
        while len(self.canvases) < scene.shown:
            self._make()
            self._arranged = (0, 0)
        self._arrange(scene.shown)
        self._say(scene)
        for title, strip, canvas, lane in zip(self._titles, self._strips, self.canvases, scene.lanes, strict=False):
            title.setText(plain(lane.title))
            strip.render_scene(lane, dress)
            canvas.render_scene(scene, lane, dress)
        self._glasses.render_scene(scene, self.canvases, dress)

    def _say(self, scene: Scene) -> None:
        """Show the announcement above the pictures."""
        sentence = scene.session.announcement
        if sentence != self._sentence.text():
            self._sentence.setText(sentence)
        self._sentence.setHidden(not sentence)

    def follow_pointer(self, scene: Scene) -> None:
        """Draw the parts of the scene that follow the pointer."""
        self._scene = scene
        for canvas in self.canvases[: scene.shown]:
            canvas.follow_pointer(scene)

    def aim(self, pointer: PointerPosition | None) -> None:
        """Move the spotlight to the pointer."""
        self._glasses.aim(pointer)

    @property
    def unpainted(self) -> bool:
        """Whether changes were drawn that are not painted yet."""
        return self.isVisible() and any(each.isVisible() and each.unpainted for each in self.canvases)
