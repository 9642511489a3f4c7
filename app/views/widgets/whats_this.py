"""What's this: the tooltip of a control as the answer to Shift+F1 and a click on it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QWhatsThis, QWidget

from app.views.widgets.later import later


def teaching(widget: QWidget | None) -> str:
    """What is known of a widget: its text, else its tooltip, else those of what it is in."""
    while widget is not None:
        if text := widget.whatsThis() or widget.toolTip():
            return text
        widget = None if widget.isWindow() else widget.parentWidget()
    return ""


class _Answers(QObject):
    """Answers for a window while a click asks what something is; not always: each event would go through Python."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LeaveWhatsThisMode:
            watched.removeEventFilter(self)
            later(self, self.deleteLater)
        return isinstance(watched, QWidget) and answer(watched, event)


def begin(window: QWidget) -> None:
    """Have the next click in `window` say what it is on."""
    window.installEventFilter(_Answers(window))
    QWhatsThis.enterWhatsThisMode()


def answer(window: QWidget, event: QEvent) -> bool:
    """Answer an event that asks what stands at its place in `window`; False for any other event, and for no answer."""
    if event.type() not in (QEvent.Type.WhatsThis, QEvent.Type.QueryWhatsThis) or not isinstance(event, QHelpEvent):
        return False
    text = teaching(window.childAt(window.mapFromGlobal(event.globalPos())))
    if text and event.type() is QEvent.Type.WhatsThis:
        QWhatsThis.showText(event.globalPos(), text, window)
    event.setAccepted(bool(text))
    return bool(text)


def show_of_focused(window: QWidget) -> None:
    """What is known of the control that has the focus, beside it."""
    widget = window.focusWidget()
    if widget is not None and (text := teaching(widget)):
        QWhatsThis.showText(widget.mapToGlobal(widget.rect().bottomLeft()), text, widget)
