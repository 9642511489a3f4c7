"""ScaleSlider: a slider over the positions of a scale, and the pixel of each of them."""

from __future__ import annotations

import math

from PySide6.QtCore import QRect, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QStyle, QStyleOptionSlider

from app.learners.scales import PER_DECADE, Scale

from .slider import Slider

#: Minimum width (pixels).
LEAST = 36
#: Length of the track reported to Qt's style: positions follow the scale, they are not evenly spaced.
FINE = 1 << 20


class ScaleSlider(Slider):
    """A slider over the positions of a scale, and with `endless` an additional one for infinity.

    A press beside the handle moves the handle there.
    """

    def __init__(self, scale: Scale, page: int = PER_DECADE, endless: bool = False) -> None:
        self.scale, self._beyond = scale, int(endless)  # first: Qt requests the handle as soon as it sets the style
        super().__init__()
        self._centres: list[float] = []
        self._measured_for: tuple[object, ...] = ()
        self._grip = 0.0  # distance from the handle's centre to the pointer
        self.setRange(scale.low, scale.high + self._beyond)
        self.setPageStep(page)

    def sizeHint(self) -> QSize:
        """Return a short size; layouts extend it if there is room."""
        return QSize(64, super().sizeHint().height())

    def show_scale(self, scale: Scale) -> None:
        """Change the scale, and keep the number."""
        if scale != self.scale:
            number, self.scale = self.value_at(self.value()), scale
            with QSignalBlocker(self):
                self.setRange(scale.low, scale.high + self._beyond)
            self.show_number(number)
            self.update()

    def show_number(self, number: float) -> None:
        """Move the handle to `number`, even during a drag, which goes on with the next movement of the pointer."""
        with QSignalBlocker(self):
            self.setValue(self.position_of(number))

    def minimumSizeHint(self) -> QSize:
        """Return the smallest usable size."""
        return QSize(LEAST, super().minimumSizeHint().height())

    def position_of(self, value: float) -> int:
        """Return the position nearest to `value`."""
        return self.scale.high + 1 if math.isinf(value) else self.scale.position_of(value)

    def value_at(self, position: int) -> float:
        """Return the number at `position`."""
        return math.inf if position > self.scale.high else self.scale.value_at(position)

    def _share(self, position: int) -> float:
        """Return the share of the track before `position`, from 0 to 1."""
        steps = self.scale.high - self.scale.low
        if position > self.scale.high:
            return 1.0
        return self.scale.share(position) * (steps / (steps + self._beyond) if self._beyond else 1.0)

    def initStyleOption(self, option: QStyleOptionSlider) -> None:
        """Set the location of the handle in the style option."""
        super().initStyleOption(option)
        option.minimum, option.maximum = 0, FINE
        option.sliderPosition = option.sliderValue = round(FINE * self._share(self.sliderPosition()))

    def _handle(self, share: float | None = None) -> QRect:
        """Return the handle's rectangle, at present or at a share of the track."""
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        if share is not None:
            option.sliderPosition = option.sliderValue = round(FINE * share)
        slider, handle = QStyle.ComplexControl.CC_Slider, QStyle.SubControl.SC_SliderHandle
        return self.style().subControlRect(slider, option, handle, self)

    def centres(self) -> list[float]:
        """Return the handle's centre at each position of the scale, in pixels from the slider's left edge."""
        first, last = self._handle(0.0), self._handle(1.0)
        key = (first.getRect(), last.getRect(), self.scale)
        if key != self._measured_for:
            self._measured_for = key
            shares = [self._share(position) for position in range(self.scale.low, self.scale.high + 1)]
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
