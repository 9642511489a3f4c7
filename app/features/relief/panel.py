"""ReliefPanel: f over the plane in three dimensions, and the kernel trick, turned by mouse and keys."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPointF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QLayout, QPushButton, QSizePolicy, QVBoxLayout, QWidget

from app.controllers.controller import Controller
from app.core.caches import kept
from app.files import png
from app.files.background_task import Progress, Task, saving
from app.scene.model import Scene
from app.views.chart.chart import is_plain
from app.views.task_runner import TaskRunner
from app.views.theme import Theme
from app.views.widgets.boxes import in_lines, in_row
from app.views.widgets.clickable import check_box, chooser, clickable, slider
from app.views.widgets.inputs import describe, filled, keeps_key, show_choice
from app.views.widgets.painted import Painted
from app.views.widgets.picture_beside_text import PictureBesideText
from app.views.widgets.qt_dialogs import ask_where
from app.views.widgets.roomy_label import RoomyLabel

from . import text
from .geometry import Camera, Solid, kernel_map, limit_of, over_plane
from .query import Relief, map_change
from .scene import ReliefScene
from .view_image import draw, paint_captions, relief_image
from .z_buffer import MOST_PIXELS

#: Degrees turned by a pixel of a drag, and by an arrow key; and zoom factor of a notch of the wheel or a key.
PER_PIXEL, PER_KEY, NOTCH = 0.5, 5.0, 1.2
#: Delay (ms) after the last change before the fine picture is drawn, and its largest size (pixels).
RESTING, FINE_PIXELS = 160, MOST_PIXELS // 8
#: Interval (ms) between two pictures of the morph, and their number.
TICK, TICKS = 33, 60
#: Resolution of a saved picture relative to the screen.
SAVED = 2


@kept(2)
def _solid(relief: Relief, morph: float | None, names: tuple[str, str]) -> Solid:
    return over_plane(relief, names) if morph is None else kernel_map(relief, morph, names)


class ReliefPicture(Painted):
    """The picture; it is drawn on a thread, and the newest request is drawn after the present one.

    Attributes
    ----------
    camera : Camera
    shown : tuple or None
        The request that the picture on screen fulfils.
    """

    framed = True

    def __init__(self) -> None:
        super().__init__()
        self.camera = Camera()
        self.shown: tuple[Any, ...] | None = None
        self._relief: Relief | None = None
        self._morph: float | None = None
        self._names = ("x₁", "x₂")
        self._drawn: tuple[Solid, QImage] | None = None
        self._failure = ""
        self._waiting = False
        self._held: QPointF | None = None
        self._drawer = TaskRunner(self)
        self._rest = QTimer(self, singleShot=True, interval=RESTING)
        self._rest.timeout.connect(lambda: self._draw(2))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def sizeHint(self) -> QSize:
        return QSize(360, 300)

    def minimumSizeHint(self) -> QSize:
        return QSize(180, 140)

    @property
    def ready(self) -> bool:
        """True if the newest request is on screen, in its final resolution."""
        return (
            self.shown is not None
            and not self._drawer.busy
            and not self._rest.isActive()
            and self.shown == self._request(2)
        )

    def show_relief(self, relief: Relief | None, morph: float | None, names: tuple[str, str], theme: Theme) -> None:
        """Draw this relief; a morph of None is f over the plane."""
        if (relief, morph, names) != (self._relief, self._morph, self._names) or theme is not self._theme:
            self._relief, self._morph, self._names, self._theme = relief, morph, names, theme
            self.update()
            self._redraw()

    def set_camera(self, camera: Camera) -> None:
        """Draw the relief from another direction."""
        if camera != self.camera:
            self.camera = camera
            self._redraw()

    # -- drawing ---------------------------------------------------------------------------------------------------

    def _redraw(self) -> None:
        """Draw a quick picture now, and a fine one after a pause."""
        self._rest.start()
        self._draw(1)

    def _request(self, samples: int) -> tuple[Any, ...]:
        ratio = self.devicePixelRatioF()
        width, height = round(self.width() * ratio), round(self.height() * ratio)
        samples = samples if width * height <= FINE_PIXELS else 1
        return self._relief, self._morph, self._names, self.camera, width, height, self._theme, ratio, samples

    def _draw(self, samples: int) -> None:
        if self._relief is None or not self.isVisible():
            return
        if self._drawer.busy:
            self._waiting = True  # the newest request is drawn next
            return
        request = self._request(samples)
        self._waiting = False

        def work(progress: Progress) -> tuple[Solid, NDArray[np.uint8]]:
            relief, morph, names, camera, width, height, theme, ratio, samples = request
            solid = _solid(relief, morph, names)
            return solid, draw(solid, camera, max(width, 1), max(height, 1), theme, ratio, samples)

        def done(drawn: tuple[Solid, NDArray[np.uint8]]) -> None:
            solid, pixels = drawn
            height, width = pixels.shape[:2]
            self._drawn = solid, QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()
            self._show(request)

        task = Task("Drawing the relief", work, "The relief could not be drawn", kept=False)
        self._drawer.run(task, done, lambda error: self._show(request, str(error)))

    def _show(self, request: tuple[Any, ...], failure: str = "") -> None:
        """Show the result of `request`, and draw what was requested meanwhile."""
        self.shown, self._failure = request, failure
        self.update()
        if self._waiting:
            self._draw(1 if self._rest.isActive() else 2)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._redraw()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Show:
            self._redraw()
        # Keys that are also commands of the window belong to the picture while it has the focus.
        return keeps_key(event, self._led_to_by) or super().event(event)

    def paint(self, painter: QPainter, theme: Theme) -> None:
        painter.fillRect(self.rect(), QColor(*theme.background))
        if self._relief is not None and self._failure:
            sentence = self._failure
        else:
            sentence = "" if self._drawn else text.PREPARING
        if sentence:
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.setPen(QColor(*theme.ink))
            painter.drawText(self.rect().adjusted(8, 8, -8, -8), int(flags), sentence)
        elif self._relief is not None and self._drawn is not None and self.shown is not None:
            solid, image = self._drawn
            painter.drawImage(self.rect(), image)
            paint_captions(painter, solid, self.shown[3], self.width(), self.height(), theme)

    # -- the user --------------------------------------------------------------------------------------------------

    def _led_to_by(self, event: QKeyEvent) -> Camera | None:
        """Return the camera after a key; None for other keys."""
        key, kind, camera = Qt.Key, Qt.KeyboardModifier, self.camera
        pressed = key(event.key())
        if pressed in (key.Key_Plus, key.Key_Equal, key.Key_Minus):
            alone = not event.modifiers() & (kind.ControlModifier | kind.AltModifier | kind.MetaModifier)
            return camera.zoomed(1.0 / NOTCH if pressed is key.Key_Minus else NOTCH) if alone else None
        ways = {
            key.Key_Left: camera.turned(-PER_KEY, 0.0),
            key.Key_Right: camera.turned(PER_KEY, 0.0),
            key.Key_Up: camera.turned(0.0, -PER_KEY),
            key.Key_Down: camera.turned(0.0, PER_KEY),
            key.Key_R: Camera(),
            key.Key_Home: Camera(),
        }
        return ways.get(pressed) if is_plain(event) else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (camera := self._led_to_by(event)) is None:
            super().keyPressEvent(event)
        else:
            self.set_camera(camera)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._held = event.position()
            self.setCursor(Qt.CursorShape.ClosedHandCursor)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._held is not None:
            way = event.position() - self._held
            self._held = event.position()
            self.set_camera(self.camera.turned(PER_PIXEL * way.x(), PER_PIXEL * way.y()))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._held = None
        self.setCursor(Qt.CursorShape.OpenHandCursor)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.set_camera(Camera())

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.setAccepted(self.window().focusWidget() is self)  # else the panel scrolls
        if event.isAccepted():
            self.set_camera(self.camera.zoomed(NOTCH ** (event.angleDelta().y() / 120.0)))


class ReliefPanel(QWidget):
    """The picture, the choice of what is drawn, the slider of the morph, and a text.

    Parameters
    ----------
    controller : Controller
    tasks : TaskRunner
        Writes the file of a picture.
    """

    def __init__(self, controller: Controller, tasks: TaskRunner) -> None:
        super().__init__()
        self._controller, self._tasks = controller, tasks
        self._scene: tuple[Scene, Theme] | None = None
        self._picked = False
        describe(self, "relief", "f in 3-D", "f over the plane in three dimensions, and the kernel trick.", hover=False)
        self.picture = describe(
            ReliefPicture(),
            "relief.picture",
            "Relief",
            "Drag or arrow keys: turn. Wheel, + and −: zoom. Double click or R: reset.",
        )
        self.mode = chooser(
            "relief.mode",
            "What is drawn",
            "f over the plane, or the plane in the feature space of the polynomial kernel of degree 2.",
            lambda trick: self._chosen(),
            ((text.OVER_PLANE, False), (text.TRICK, True)),
            width=9,
        )
        self.mode.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.save = clickable(
            QPushButton("&Save…"),
            "relief.save",
            "Save the picture",
            "As a PNG file, as it is displayed now.",
            self._ask_path,
        )
        self.lift = clickable(
            QPushButton("&Lift"), "relief.lift", "Lift or flatten", "Into the feature space, and back.", self._play
        )
        self.lift.setMinimumWidth(max(map(self.fontMetrics().horizontalAdvance, ("Lift", "Flatten", "Stop"))) + 28)
        self.morph = slider(
            "relief.morph", "How far it is lifted", "From the plane to its map.", self._go, TICKS, page=TICKS // 6
        )
        self._lifted = in_row(self.lift, (self.morph, 1))
        self._way = 0
        self._clock = QTimer(self, interval=TICK)
        self._clock.timeout.connect(self._tick)
        self.use = clickable(
            QPushButton("&Use it here"),
            "relief.use",
            "Use the polynomial kernel of degree 2",
            "In this classifier; undo takes it back.",
            self._use_polynomial,
        )
        self._brief = RoomyLabel("relief.brief", title="What is drawn")
        self._words = RoomyLabel("relief.words", title="What is drawn, in formulas")
        self._words.hide()
        more = check_box("More", "relief.more", "More", "The formulas, and what is left out.", self._words.setVisible)
        self._spread = PictureBesideText("relief.message", self.picture, self._lifted, (self._brief, self._words))
        above = in_lines(6, self.mode, self.use, self.save, more)
        filled(QVBoxLayout(self), above, (self._spread, 1), margins=(8, 6, 8, 6), spacing=4)
        cast(QLayout, self._spread.layout()).setContentsMargins(0, 0, 0, 0)
        self.first_stop = self.picture

    def render_scene(self, scene: Scene, theme: Theme) -> None:
        """Draw the known relief of the chosen lane."""
        self._scene = scene, theme
        shown = scene.feature(ReliefScene)
        if shown is None:
            return
        relief = shown.relief
        if relief is not None and relief.map is not None and not self._picked:
            show_choice(self.mode, True)  # the mode that only this kernel has, until the user chooses one
        trick = bool(self.mode.currentData())
        # While a relief is being computed, the picture stays, and keeps the focus.
        message = shown.message if relief is None and shown.message != text.WAITING else ""
        missing = trick and relief is not None and relief.map is None
        self._spread.show_plain(text.NO_MAP if missing else message)
        self._lifted.setVisible(trick)
        self.save.setEnabled(relief is not None and not missing)
        self.use.setVisible(missing and shown.can_map)
        if relief is None or missing:
            self._clock.stop()
            self.picture.show_relief(None, None, ("", ""), theme)
            self._brief.say(shown.message)
            self._words.say("")
            return
        names = (scene.document.axes[0] or "x₁", scene.document.axes[1] or "x₂")
        self.picture.show_relief(relief, self.morph.value() / TICKS if trick else None, names, theme)
        self._brief.say(text.TRICK_BRIEF if trick else text.BRIEF)
        self._words.say(text.map_words(relief) if trick else text.relief_words(relief, limit_of(relief)))
        self._show_lift()

    def _again(self) -> None:
        if self._scene is not None:
            self.render_scene(*self._scene)

    # -- the kernel trick ------------------------------------------------------------------------------------------

    def _chosen(self) -> None:
        self._picked = True
        self._clock.stop()
        self._words.forget()
        self._again()

    def _go(self, tick: int) -> None:
        self._clock.stop()
        self.morph.setValue(tick)
        self._again()

    def _play(self) -> None:
        if self._clock.isActive():
            self._clock.stop()
        else:
            self._way = -1 if self.morph.value() == TICKS else 1
            self._clock.start()
        self._show_lift()

    def _tick(self) -> None:
        self.morph.setValue(self.morph.value() + self._way)
        if self.morph.value() == (TICKS if self._way > 0 else 0):
            self._clock.stop()
        self._again()

    def _show_lift(self) -> None:
        moving, there = self._clock.isActive(), self.morph.value() == TICKS
        self.lift.setText("&Stop" if moving else "F&latten" if there else "&Lift")

    def _use_polynomial(self) -> None:
        shown = None if self._scene is None else self._scene[0].feature(ReliefScene)
        if shown is not None:
            lane = self._controller.document.lanes[shown.lane]
            words, change = "Use the polynomial kernel of degree 2", map_change(lane) or {}
            self._controller.set_lane(shown.lane, lane.classifier, text=words, **change)

    # -- the file of a picture -------------------------------------------------------------------------------------

    def _ask_path(self) -> None:
        offered, kinds = self._controller.store.folder / "relief.png", {"PNG picture": ".png"}
        ask_where(self, "relief.path", "Save the picture as", offered, kinds, self.save_picture)

    def save_picture(self, path: Path) -> None:
        """Write the displayed picture as a PNG file, on a thread."""
        request, font = self.picture._request(1), self.picture.font()
        relief, morph, names, camera, width, height, theme, ratio, _ = request
        if relief is None:
            return

        image = partial(
            relief_image,
            relief,
            SAVED * width,
            SAVED * height,
            camera=camera,
            theme=theme,
            morph=morph,
            ratio=SAVED * ratio,
            font=font,
            names=names,
        )
        self._tasks.run(saving(path, lambda progress: png.encode(image(), 0, progress)), self._controller.say)
