"""ScrollingForm: a form that is as tall as it wants to be, and scrolls where there is no room for that."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

LEAST_HEIGHT = 150


class Scrolled(QScrollArea):
    """`content`, as wide as there is room, with bars where it does not fit; no stop of the Tab key."""

    def __init__(self, content: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a field that gets the focus is shown
        self.setWidget(content)


def scrolling(content: QWidget) -> QScrollArea:
    """Return `content` in a scroll area."""
    return Scrolled(content)


class ScrollingForm(Scrolled):
    """`form`, with a bar beside it when it is cut off below, and one below it when it is wider than its place.

    Signals
    -------
    wants : ()
        It has come to want another height.
    """

    wants = Signal()

    def __init__(self, form: QWidget) -> None:
        super().__init__(form)
        layout = form.layout()
        assert layout is not None
        self._form, self._layout = form, layout
        self._margins = layout.contentsMargins()
        self._wanted = 0
        form.installEventFilter(self)

    def sizeHint(self) -> QSize:
        return QSize(self._form.sizeHint().width(), self._wanted + self._below())

    def minimumSizeHint(self) -> QSize:
        """As wide as the form with the bar, which stands in the form's right margin; less tall."""
        inner = self._form_width()
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(inner + max(self._margins.right(), bar), min(self._wanted, LEAST_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()  # the least width follows the form's, as with larger text
            self._measure()
        elif event.type() is QEvent.Type.Show:
            self._layout.update()  # what the form was resized to while it came into sight, Qt has not told it
        return super().eventFilter(watched, event)

    def _below(self) -> int:
        """Height of the bar below, where large text makes the form wider than its place."""
        return self.horizontalScrollBar().sizeHint().height() if self.width() < self._form_width() else 0

    def _form_width(self) -> int:
        return self._form.minimumSizeHint().width() - self._layout.contentsMargins().right()

    def _measure(self) -> None:
        # The height is asked for the width without a bar, so that the answer does not depend on the bar: with one, the
        # layout has no margin at the right.
        beside = self._margins.right() - self._layout.contentsMargins().right()
        wanted = self._layout.totalHeightForWidth(max(self.width(), self._form_width()) - beside)
        wanted = max(wanted, self._form.minimumSizeHint().height()) if wanted < 0 else wanted
        if wanted != self._wanted:
            self._wanted = wanted
            self.updateGeometry()
            self.wants.emit()
        short = self.height() < self._wanted + self._below()
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if short else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if policy is not self.verticalScrollBarPolicy():
            self.setVerticalScrollBarPolicy(policy)
            margins = self._margins
            right = 0 if short else margins.right()
            self._layout.setContentsMargins(margins.left(), margins.top(), right, margins.bottom())
