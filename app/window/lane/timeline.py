"""Timeline: a slider over the steps of a run, with a mark wherever a point entered or left the support vectors."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QRectF, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPaintEvent, QPen

from app.controllers.playback import PlaybackController
from app.engine.run_state import RunState
from app.views.chart.steps import StepScale, cell_edges
from app.views.plot.lines import draw_pieces
from app.views.theme import Theme
from app.views.widgets import timeline_keys
from app.views.widgets.inputs import describe, show_number, show_tip
from app.views.widgets.painting import painter_on
from app.views.widgets.slider import Slider

#: Margin at both ends, so that the handle fits; sizes of groove, handle and marks (pixels).
SIDE, GROOVE, HANDLE, MARK = 7, 4, (8, 18), 6
#: Height (pixels) above which all sizes grow, and the largest factor.
USUAL, MOST = 34, 1.75
LEAST = QSize(64, 28)
TIP = (
    "The steps of the training. Drag or click: go to a step. Arrow keys: one step; page keys: a twentieth;"
    " Home, End. The strokes below: a point enters or leaves the support vectors, or the points kept."
)


class Timeline(Slider):
    """The timeline of lane `index`.

    It is a QSlider to screen readers and to drags: during a drag it takes neither step nor length from the scenes.
    """

    def __init__(self, index: int, playback: PlaybackController) -> None:
        super().__init__()
        self._index, self._playback = index, playback
        self._run_state: RunState | None = None
        self._theme: Theme | None = None
        self._requested = 0  # last step displayed or requested
        self.setTracking(False)  # the value follows the scene, the position follows the drag
        self.setRange(0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        describe(self, f"lane{index}.transport.timeline", f"Timeline, classifier {index + 1}", TIP)
        # `sliderMoved` comes from drags; scenes block `valueChanged`, so that it comes from assistive programs only.
        self.sliderMoved.connect(self._go)
        self.valueChanged.connect(self._go)

    def sizeHint(self) -> QSize:
        return QSize(160, LEAST.height())

    def minimumSizeHint(self) -> QSize:
        return LEAST

    def render_run_state(self, run_state: RunState | None, theme: Theme, no_steps: str = "") -> None:
        """Show step and length of the run, or `no_steps`, the reason why there is none."""
        show_tip(self, no_steps or TIP)
        if run_state is self._run_state and theme is self._theme:
            return
        old, new = (None if each is None else each.recording for each in (self._run_state, run_state))
        if old != new and self.isSliderDown():
            self._requested = self.sliderPosition()  # the earlier seek is obsolete
            self.setSliderDown(False)
        self._run_state, self._theme = run_state, theme
        self.setEnabled(run_state is not None)
        if not self.isSliderDown():
            self._show()
        self.update()

    def _show(self) -> None:
        self._show_length()
        self._requested = 0 if self._run_state is None else self._run_state.step
        show_number(self, self._requested)

    def _show_length(self) -> None:
        length = 0 if self._run_state is None else self._run_state.length
        if self.maximum() != length:
            with QSignalBlocker(self):
                self.setRange(0, length)
            self.setPageStep(timeline_keys.page_of(length))

    def _go(self, step: int) -> None:
        if step != self._requested:
            self._requested = step
            self._playback.seek(self._index, step)

    def scale(self) -> StepScale:
        """Return the scale of the pixels from `SIDE` to as far from the right; it does not change during a drag."""
        return StepScale(0, self.maximum(), max(2, self.width() - 2 * SIDE))

    # -- drags ----------------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self._run_state is None:
            event.ignore()
            return
        self.setSliderDown(True)
        at = round(event.position().x()) - SIDE
        if at != round(float(self.scale().pixels(self.sliderPosition()))):  # a press on the handle does not move it
            self._follow(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self.isSliderDown():
            self._follow(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and self.isSliderDown():
            self.setSliderDown(False)
            self._show_length()  # keep the dragged step until the next scene
            self.update()

    def _follow(self, event: QMouseEvent) -> None:
        self.setSliderPosition(self.scale().step_at(event.position().x() - SIDE))
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        run_state = self._run_state
        if run_state is None or not timeline_keys.take_key(event, self._playback, self._index, run_state.length):
            event.ignore()

    # -- painting --------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, run_state = self._theme, self._run_state
        if theme is None:
            return
        scale = self.scale()
        grown = min(max(1.0, self.height() / USUAL), MOST)
        thick, (width, height), mark = GROOVE * grown, (HANDLE[0] * grown, HANDLE[1] * grown), MARK * grown
        middle = 0.5 * (self.height() - mark)
        if run_state is not None:
            with painter_on(self) as painter:  # not smooth: each mark is one pixel wide
                at = SIDE + np.flatnonzero(run_state.trace.changes(cell_edges(scale))) + 0.5
                top = np.full(len(at), round(middle + 0.5 * height - 3) + 0.5)
                pieces = np.column_stack((at, top, at, top + round(mark) - 1))
                draw_pieces(painter, pieces, QPen(QColor(*theme.ink), 1))
        with painter_on(self, smooth=True) as painter:
            painter.setPen(Qt.PenStyle.NoPen)
            faint, accent = QColor(*theme.faint), QColor(*theme.accent)
            groove = QRectF(SIDE, middle - 0.5 * thick, scale.columns, thick)
            faint.setAlpha(130)
            painter.setBrush(faint)
            painter.drawRoundedRect(groove, 2, 2)
            if run_state is not None:
                x = SIDE + float(scale.pixels(self.sliderPosition())) + 0.5
                painter.setBrush(accent)
                painter.drawRoundedRect(QRectF(SIDE, groove.top(), x - SIDE, thick), 2, 2)
                if run_state.ended:  # a wall: no further step exists
                    painter.fillRect(QRectF(groove.right() - 1, middle - 6, 2, 12), QColor(*theme.ink))
                painter.setPen(QColor(*theme.window))  # separates the handle from the marks
                painter.drawRoundedRect(QRectF(x - 0.5 * width, middle - 0.5 * height, width, height), 3, 3)
            if self.hasFocus():
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.setPen(accent)
                painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
