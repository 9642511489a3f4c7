"""Popup: a button that opens a form below itself, for settings that are rarely needed."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QCloseEvent, QHideEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QToolButton

from app.views.widgets.aligned_form import AlignedForm
from app.views.widgets.inputs import ENTER, NumberField, WholeField, commit_within, describe, is_refused, leave_field
from app.views.widgets.whats_this import answer, show_of_focused


class PopupForm(QFrame):
    """The form; a click outside, Enter and Escape close it, and Shift+F1 explains the field."""

    def __init__(self, button: QToolButton) -> None:
        super().__init__(button, Qt.WindowType.Popup, frameShape=QFrame.Shape.StyledPanel)
        self.rows = AlignedForm(self)

    def event(self, event: QEvent) -> bool:
        return answer(self, event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        left = leave_field(event, self)
        if event.key() == Qt.Key.Key_F1 and event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            show_of_focused(self)  # keys of the window's actions do not reach popups
        elif left or event.key() == Qt.Key.Key_Escape or (event.key() in ENTER and not is_refused(self.focusWidget())):
            self.hide()
        else:
            super().keyPressEvent(event)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Handle a click outside: a refused value keeps the form open until the next click."""
        field = self.focusWidget()
        refused_before = is_refused(field)
        commit_within(self)
        if is_refused(field) and not refused_before:
            event.ignore()

    def hideEvent(self, event: QHideEvent) -> None:
        commit_within(self)  # a click outside does not take the focus from a field
        if isinstance(field := self.focusWidget(), NumberField | WholeField):
            field.restore()
        super().hideEvent(event)


class PopupButton(QToolButton):
    """A button that opens a popup; the caller fills its `form`.

    Parameters
    ----------
    name, sign : str
        Its object name, and its text.
    title, tip : str
        Its name for screen readers, and the sentence of its tool tip.
    """

    def __init__(self, name: str, sign: str, title: str, tip: str) -> None:
        super().__init__()
        self.setText(sign)
        describe(self, name, title, tip)
        self.form = PopupForm(self)
        self.clicked.connect(self.open)

    def open(self) -> None:
        """Show the form below the button, within the screen."""
        self.form.adjustSize()
        corner = self.mapToGlobal(QPoint(0, self.height()))
        screen = self.screen().availableGeometry()
        size = self.form.size()
        x = min(corner.x(), screen.right() - size.width())
        y = min(corner.y(), screen.bottom() - size.height())
        self.form.move(max(x, screen.left()), max(y, screen.top()))
        self.form.show()
        self.form.setFocus(Qt.FocusReason.PopupFocusReason)
