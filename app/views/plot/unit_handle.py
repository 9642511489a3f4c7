"""UnitHandle: the handle at the end of an axis that changes its unit, by dragging or with the keyboard."""

from __future__ import annotations

import math
from itertools import count

from PySide6.QtCore import QEvent, QRectF, Qt
from PySide6.QtGui import QColor, QEnterEvent, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from app.controllers.controller import Controller
from app.core.number_format import short
from app.views.theme import Theme
from app.views.widgets.inputs import describe
from app.views.widgets.painting import paint_with, painter_on

#: Least height and width (pixels), for fingers.
LEAST = 24
#: Length of a drag (pixels) that multiplies by ten; share of that within which a power of ten attracts.
DECADE, NEAR = 80.0, 0.12
#: Powers of ten between which the factor lies.
ENDS = (-3, 3)
TIP = (
    "Drag: the coordinates of all points are multiplied, as by another unit. Double click: the unit they came in."
    " Arrow keys: ten times as large, or as small; Home: the unit they came in."
)
_UP, _DOWN = (Qt.Key.Key_Right, Qt.Key.Key_Up), (Qt.Key.Key_Left, Qt.Key.Key_Down)
_drags = count()


def dragged(factor: float, pixels: float) -> float:
    """Return the factor after a drag by `pixels` from `factor`: two digits, or a power of ten nearby."""
    power = min(max(math.log10(factor) + pixels / DECADE, ENDS[0]), ENDS[1])
    if abs(power - round(power)) <= NEAR:
        return float(f"1e{round(power)}")
    return float(f"{10**power:.2g}")


class UnitHandle(QWidget):
    """The handle of an axis, 0 for x, of picture `index`.

    It is painted while the pointer is over it, while it has the focus, and while the factor is not 1.

    Parameters
    ----------
    parent : QWidget
    axis, index : int
    controller : Controller
    """

    def __init__(self, parent: QWidget, axis: int, index: int, controller: Controller) -> None:
        super().__init__(parent)
        self._axis, self._controller = axis, controller
        self._factor = 1.0
        self._theme: Theme | None = None
        self._over = False
        #: Start of the drag along the axis, the factor then, and the key that makes it one undo step.
        self._drag: tuple[float, float, object] | None = None
        describe(self, f"lane{index}.unit.{'xy'[axis]}", f"Unit of {'xy'[axis]}, picture {index + 1}", TIP)
        # all pictures have the same axes: the Tab key stops at those of the first one
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus if index else Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.SizeVerCursor if axis else Qt.CursorShape.SizeHorCursor)

    @property
    def text(self) -> str:
        """Factor as text, such as "× 10"."""
        return f"× {short(self._factor)}"

    def show_factor(self, factor: float, theme: Theme) -> None:
        """Show the factor of the axis's coordinates."""
        if (factor, theme) != (self._factor, self._theme):
            self._factor, self._theme = factor, theme
            self.update()

    def place(self, area: QRectF, height: int) -> None:
        """Move to the end of the axis, outside the `area` of the plot, in a picture of height `height` (pixels)."""
        size = max(LEAST, self.fontMetrics().height() + 6)
        width = max(LEAST, self.fontMetrics().horizontalAdvance("× 0.001") + 10)
        if self._axis:
            self.setGeometry(0, round(area.top()), max(LEAST, min(width, round(area.left()) - 1)), size)
        else:
            bottom = min(round(area.bottom()) + 1, height - size)
            self.setGeometry(round(area.right()) - width, bottom, width, size)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._theme is None or not (self._over or self.hasFocus() or self._drag or self._factor != 1.0):
            return
        theme = self._theme
        with painter_on(self, smooth=True) as painter:
            strong = self._over or self.hasFocus() or self._drag is not None
            paint_with(
                painter,
                QPen(QColor(*(theme.accent if strong else theme.faint)), 1.6 if strong else 1.0),
                QColor(*theme.base),
            )
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 5, 5)
            painter.setPen(QColor(*theme.ink))
            self._draw_text(painter)

    def _draw_text(self, painter: QPainter) -> None:
        """Draw the factor, in a smaller font if it does not fit."""
        room, font = self.width() - 6, self.font()
        while painter.fontMetrics().horizontalAdvance(self.text) > room and font.pixelSize() > 6:
            font.setPixelSize(font.pixelSize() - 1)
            painter.setFont(font)
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text)

    # -- the user --------------------------------------------------------------------------------------------------

    @property
    def _present(self) -> float:
        """Factor in the document; the handle may show it later."""
        return self._controller.document.units[self._axis]

    def _change(self, factor: float, drag: object = None) -> None:
        self._controller.set_unit(self._axis, factor, drag)

    def _along(self, event: QMouseEvent) -> float:
        at = event.globalPosition()
        return -at.y() if self._axis else at.x()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._drag = self._along(event), self._present, ("unit", self._axis, next(_drags))
            self.update()
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._drag is not None:
            begin, factor, key = self._drag
            self._change(dragged(factor, self._along(event) - begin), key)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._drag = None
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self._change(1.0)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in (*_UP, *_DOWN):
            self._change(dragged(self._present, DECADE if key in _UP else -DECADE))
        elif key == Qt.Key.Key_Home:
            self._change(1.0)
        elif key == Qt.Key.Key_Escape and self._drag is not None:
            _, factor, undo = self._drag
            self._drag = None
            self._change(factor, undo)
        else:
            super().keyPressEvent(event)

    def enterEvent(self, event: QEnterEvent) -> None:
        self._over = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._over = False
        self.update()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._drag = None
        super().focusOutEvent(event)
        self.update()
