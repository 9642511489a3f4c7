"""What's this: show the tooltip of a control in answer to Shift+F1 or a click on it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QWhatsThis, QWidget

from app.views.widgets.deferred import later


def teaching(widget: QWidget | None) -> str:
    """Return the help text of a widget: its What's This text, else its tooltip, else those of its parents."""
    while widget is not None:
        if text := widget.whatsThis() or widget.toolTip():
            return text
        widget = None if widget.isWindow() else widget.parentWidget()
    return ""


class _Answers(QObject):
    """An event filter for the duration of a What's This click; always active, it would run Python for every event."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LeaveWhatsThisMode:
            watched.removeEventFilter(self)
            later(self, self.deleteLater)
        return isinstance(watched, QWidget) and answer(watched, event)


def begin(window: QWidget) -> None:
    """Let the next click in `window` show the help text of its target."""
    window.installEventFilter(_Answers(window))
    QWhatsThis.enterWhatsThisMode()


def answer(window: QWidget, event: QEvent) -> bool:
    """Answer a What's This event in `window`; return False for any other event, and if there is no help text."""
    if event.type() not in (QEvent.Type.WhatsThis, QEvent.Type.QueryWhatsThis) or not isinstance(event, QHelpEvent):
        return False
    text = teaching(window.childAt(window.mapFromGlobal(event.globalPos())))
    if text and event.type() is QEvent.Type.WhatsThis:
        QWhatsThis.showText(event.globalPos(), text, window)
    event.setAccepted(bool(text))
    return bool(text)


def show_of_focused(window: QWidget) -> None:
    """Show the help text of the focused control beside it."""
    widget = window.focusWidget()
    if widget is not None and (text := teaching(widget)):
        QWhatsThis.showText(widget.mapToGlobal(widget.rect().bottomLeft()), text, widget)
