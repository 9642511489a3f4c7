"""The accessibility tree of a window as a screen reader gets it, as lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QComboBox, QTabBar, QWidget

#: Roles of what one does something with.
ACTIVE = {
    QAccessible.Role.Button,
    QAccessible.Role.ButtonDropDown,
    QAccessible.Role.ButtonMenu,
    QAccessible.Role.CheckBox,
    QAccessible.Role.ComboBox,
    QAccessible.Role.EditableText,
    QAccessible.Role.PageTab,
    QAccessible.Role.RadioButton,
    QAccessible.Role.Slider,
    QAccessible.Role.SpinBox,
    QAccessible.Role.Table,
    QAccessible.Role.List,
    QAccessible.Role.Tree,
}
#: Of what is in them nothing is told: it is data, and may be very long.
CLOSED = {QAccessible.Role.Table, QAccessible.Role.List, QAccessible.Role.Tree, QAccessible.Role.ComboBox}
#: Roles that only hold others together.
HOLDERS = {QAccessible.Role.Client, QAccessible.Role.Grouping, QAccessible.Role.Border, QAccessible.Role.Grip}
#: Whatever depends on the machine or on what was learnt.
PATH = re.compile("File: .*")
NUMBER = re.compile(r"\d+(?:[.,:\N{NARROW NO-BREAK SPACE}]\d+)+|\d{2,}")
DIGITS = re.compile(r"[+−-]?\d+(?:[.,:\N{NARROW NO-BREAK SPACE}]\d+)*")


class Node:
    """What is read out of one control.

    Attributes
    ----------
    item : QAccessibleInterface
    depth : int
    name, role : str
    """

    def __init__(self, item: QAccessibleInterface, depth: int) -> None:
        self.item, self.depth = item, depth
        self.role = item.role()
        widget = item.object()
        self.name = item.text(QAccessible.Text.Name)
        # On X11 and Wayland the name of a choice is what is chosen, and its title comes by other ways.
        if isinstance(widget, QComboBox):
            self.name = widget.accessibleName() or labels_of(widget)
        self.widget = widget if isinstance(widget, QWidget) else None

    @property
    def line(self) -> str:
        state = self.item.state()
        marks = [word for word, on in (("focusable", state.focusable), ("checkable", state.checkable)) if on]
        named = " ".join(PATH.sub("File: #", self.name).split())
        # Texts tell results, which may differ in their last digits; the names of controls have numbers of their own.
        named = (DIGITS if self.role is QAccessible.Role.StaticText else NUMBER).sub("#", named)
        return f"{'  ' * self.depth}{self.role.name} “{named}”{''.join(f' {mark}' for mark in marks)}"


def labels_of(widget: QWidget) -> str:
    """The label whose key leads to `widget`."""
    item = QAccessible.queryAccessibleInterface(widget)
    for other, relation in item.relations():
        if relation == QAccessible.RelationFlag.Label:
            return other.text(QAccessible.Text.Name)
    return ""


def nodes(window: QWidget) -> list[Node]:
    """All that is in sight, holders without a name left out."""

    def within(item: QAccessibleInterface | None, depth: int) -> Iterator[Node]:
        if item is None or not item.isValid() or item.state().invisible:
            return
        if isinstance(item.object(), QTabBar) and item.object().visibleRegion().isEmpty():
            return  # of docks that are closed: Qt keeps their bars, far beyond the edge
        node = Node(item, depth)
        told = bool(node.name) or node.role not in HOLDERS
        if told:
            yield node
        if node.role not in CLOSED:
            for place in range(item.childCount()):
                child = item.child(place)
                if child is not None and child.role() is not QAccessible.Role.Window:
                    yield from within(child, depth + told)

    return list(within(QAccessible.queryAccessibleInterface(window), 0))
