"""ScaleSlider: a slider over the positions of a scale, and where on screen each of them is."""

from __future__ import annotations

import math

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import QSlider, QStyle, QStyleOptionSlider

from app.state.slider_scales import PER_DECADE, Scale

#: Width in pixels of the shortest one.
LEAST = 36


class ScaleSlider(QSlider):
    """A slider over the positions of a scale, and with `endless` one more for infinity."""

    def __init__(self, scale: Scale, page: int = PER_DECADE, endless: bool = False) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self.scale, self._beyond = scale, int(endless)
        self._centres: list[float] = []
        self._measured_for: tuple[object, ...] = ()
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

    def minimumSizeHint(self) -> QSize:
        """Room to move in."""
        return QSize(LEAST, super().minimumSizeHint().height())

    def place_of(self, value: float) -> int:
        """The position nearest to `value`."""
        return self.scale.high + 1 if math.isinf(value) else self.scale.place_of(value)

    def value_at(self, position: int) -> float:
        """The number at `position`."""
        return math.inf if position > self.scale.high else self.scale.value_at(position)

    def centres(self) -> list[float]:
        """Where the handle's centre is at each position of the scale, in pixels from the slider's left edge."""
        key = (self.width(), self.height(), self.minimum(), self.maximum(), self.style().objectName())
        if key != self._measured_for:
            option = QStyleOptionSlider()
            self.initStyleOption(option)
            self._centres = []
            for position in range(self.scale.low, self.scale.high + 1):
                option.sliderPosition = option.sliderValue = position
                handle = self.style().subControlRect(
                    QStyle.ComplexControl.CC_Slider, option, QStyle.SubControl.SC_SliderHandle, self
                )
                self._centres.append(handle.left() + 0.5 * handle.width())
            self._measured_for = key
        return self._centres
