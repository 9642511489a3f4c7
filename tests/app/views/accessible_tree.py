"""The accessibility tree of a window, as for a screen reader, as lines of text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QComboBox, QTabBar, QWidget

#: Roles of controls.
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
#: Roles whose content is left out: it is data, and may be very long.
CLOSED = {QAccessible.Role.Table, QAccessible.Role.List, QAccessible.Role.Tree, QAccessible.Role.ComboBox}
#: Roles of containers.
HOLDERS = {QAccessible.Role.Client, QAccessible.Role.Grouping, QAccessible.Role.Border, QAccessible.Role.Grip}
#: Texts that depend on the machine or on the trained models.
PATH = re.compile("File: .*")
NUMBER = re.compile(r"\d+(?:[.,:\N{NARROW NO-BREAK SPACE}]\d+)+|\d{2,}")
DIGITS = re.compile(r"[+−-]?\d+(?:[.,:\N{NARROW NO-BREAK SPACE}]\d+)*")


class Node:
    """The texts of one control for a screen reader.

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
        # On X11 and Wayland the name of a combo box is its present choice; its title is provided in other ways.
        if isinstance(widget, QComboBox):
            self.name = widget.accessibleName() or labels_of(widget)
        self.widget = widget if isinstance(widget, QWidget) else None

    @property
    def line(self) -> str:
        state = self.item.state()
        marks = [word for word, on in (("focusable", state.focusable), ("checkable", state.checkable)) if on]
        named = " ".join(PATH.sub("File: #", self.name).split())
        # Texts contain results, which may differ in their last digits; names of controls may have fixed numbers.
        named = (DIGITS if self.role is QAccessible.Role.StaticText else NUMBER).sub("#", named)
        return f"{'  ' * self.depth}{self.role.name} “{named}”{''.join(f' {mark}' for mark in marks)}"


def labels_of(widget: QWidget) -> str:
    """Return the text of the label whose shortcut leads to `widget`."""
    item = QAccessible.queryAccessibleInterface(widget)
    for other, relation in item.relations():
        if relation == QAccessible.RelationFlag.Label:
            return other.text(QAccessible.Text.Name)
    return ""


def nodes(window: QWidget) -> list[Node]:
    """Return all visible nodes except containers without a name."""

    def within(item: QAccessibleInterface | None, depth: int) -> Iterator[Node]:
        if item is None or not item.isValid() or item.state().invisible:
            return
        if isinstance(item.object(), QTabBar) and item.object().visibleRegion().isEmpty():
            return  # a closed dock, whose title bar Qt keeps far outside the window
        node = Node(item, depth)
        reports = bool(node.name) or node.role not in HOLDERS
        if reports:
            yield node
        if node.role not in CLOSED:
            for index in range(item.childCount()):
                child = item.child(index)
                if child is not None and child.role() is not QAccessible.Role.Window:
                    yield from within(child, depth + reports)

    return list(within(QAccessible.queryAccessibleInterface(window), 0))
