"""ScaleSlider: a slider over the positions of a scale, and where on screen each of them is."""

from __future__ import annotations

import math

from PySide6.QtCore import QRect, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider

from app.learners.scales import PER_DECADE, Scale

#: Width in pixels of the shortest one.
LEAST = 36
#: What Qt's style is given as the length of the track: positions stand where the scale has them, not evenly.
FINE = 1 << 20


class ScaleSlider(QSlider):
    """A slider over the positions of a scale, and with `endless` one more for infinity.

    A press beside the handle takes the handle there.
    """

    def __init__(self, scale: Scale, page: int = PER_DECADE, endless: bool = False) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.scale, self._beyond = scale, int(endless)
        self._centres: list[float] = []
        self._measured_for: tuple[object, ...] = ()
        self._grip = 0.0  # from the handle's centre to where the mouse holds it
        self.setRange(scale.low, scale.high + self._beyond)
        self.setPageStep(page)

    def sizeHint(self) -> QSize:
        """A short one will do; where there is room, layouts make it longer."""
        return QSize(64, super().sizeHint().height())

    def show_scale(self, scale: Scale) -> None:
        """Stand for other values, unless it is being dragged."""
        if scale != self.scale and not self.isSliderDown():
            self.scale = scale
            with QSignalBlocker(self):
                self.setRange(scale.low, scale.high + self._beyond)
            self.update()

    def minimumSizeHint(self) -> QSize:
        """Room to move in."""
        return QSize(LEAST, super().minimumSizeHint().height())

    def place_of(self, value: float) -> int:
        """The position nearest to `value`."""
        return self.scale.high + 1 if math.isinf(value) else self.scale.place_of(value)

    def value_at(self, position: int) -> float:
        """The number at `position`."""
        return math.inf if position > self.scale.high else self.scale.value_at(position)

    def _share(self, position: int) -> float:
        """How far along the track `position` is, from 0 to 1."""
        steps = self.scale.high - self.scale.low
        if position > self.scale.high:
            return 1.0
        return self.scale.share(position) * (steps / (steps + self._beyond) if self._beyond else 1.0)

    def initStyleOption(self, option: QStyleOptionSlider) -> None:
        """Tell the style where the handle stands."""
        super().initStyleOption(option)
        option.minimum, option.maximum = 0, FINE
        option.sliderPosition = option.sliderValue = round(FINE * self._share(self.sliderPosition()))

    def _handle(self, share: float | None = None) -> QRect:
        """The handle's rectangle, where it is or at a share of the track."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        if share is not None:
            option.sliderPosition = option.sliderValue = round(FINE * share)
        slider, handle = QStyle.ComplexControl.CC_Slider, QStyle.SubControl.SC_SliderHandle
        return self.style().subControlRect(slider, option, handle, self)

    def centres(self) -> list[float]:
        """Where the handle's centre is at each position of the scale, in pixels from the slider's left edge."""
        first, last = self._handle(0.0), self._handle(1.0)
        key = (first.getRect(), last.getRect(), self.scale)
        if key != self._measured_for:
            self._measured_for = key
            shares = [self._share(place) for place in range(self.scale.low, self.scale.high + 1)]
            self._centres = [handle.left() + 0.5 * handle.width() for handle in map(self._handle, shares)]
        return self._centres

    # -- the mouse ---------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            event.ignore()
            return
        handle, x = self._handle(), event.position().x()
        on_it = handle.left() <= x <= handle.right()
        self._grip = x - (handle.left() + 0.5 * handle.width()) if on_it else 0.0
        self.setSliderDown(True)
        if not on_it:
            self._follow(x)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._follow(event.position().x() - self._grip)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.isSliderDown():
            self.setSliderDown(False)

    def _follow(self, x: float) -> None:
        """Move to the position nearest to the pixel column `x`."""
        end = self._handle(1.0)
        columns = self.centres() + [end.left() + 0.5 * end.width()] * self._beyond
        self.setSliderPosition(min(range(len(columns)), key=lambda at: abs(columns[at] - x)) + self.minimum())
