"""ScrollingForm: a form that has its preferred height, and scrolls if there is less room."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

LEAST_HEIGHT = 150


class Scrolled(QScrollArea):
    """A scroll area for `content`, as wide as there is room, with bars where needed; Tab skips the area."""

    def __init__(self, content: QWidget) -> None:
        super().__init__(widgetResizable=True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # a field that gets the focus is scrolled into view
        self.setWidget(content)


class ScrollingForm(Scrolled):
    """`form` in a scroll area, with a bar beside it if it is too tall, and one below it if it is too wide."""

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
        """Return a size as wide as the form with the bar, which uses the form's right margin, but less tall."""
        inner = self._form_width()
        bar = self.verticalScrollBar().sizeHint().width()
        return QSize(inner + max(self._margins.right(), bar), min(self._wanted, LEAST_HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._measure()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self.updateGeometry()  # the minimum width follows the form's, as with larger text
            self._measure()
        elif event.type() is QEvent.Type.Show:
            self._layout.update()  # Qt has not notified it of a resize during showing
        return super().eventFilter(watched, event)

    def _below(self) -> int:
        """Return the height of the bar below, needed where large text makes the form wider than its area."""
        return self.horizontalScrollBar().sizeHint().height() if self.width() < self._form_width() else 0

    def _form_width(self) -> int:
        return self._form.minimumSizeHint().width() - self._layout.contentsMargins().right()

    def _measure(self) -> None:
        # The height is requested for the width without a bar, so that the result does not depend on the bar: with a
        # bar, the layout has no margin at the right.
        beside = self._margins.right() - self._layout.contentsMargins().right()
        wanted = self._layout.totalHeightForWidth(max(self.width(), self._form_width()) - beside)
        wanted = max(wanted, self._form.minimumSizeHint().height()) if wanted < 0 else wanted
        if wanted != self._wanted:
            self._wanted = wanted
            self.updateGeometry()
        short = self.height() < self._wanted + self._below()
        policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if short else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        if policy is not self.verticalScrollBarPolicy():
            self.setVerticalScrollBarPolicy(policy)
            margins = self._margins
            right = 0 if short else margins.right()
            self._layout.setContentsMargins(margins.left(), margins.top(), right, margins.bottom())
