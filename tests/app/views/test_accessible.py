"""Texts of screen readers, the order of Tab, sizes of targets: of the window, each panel and each dialog."""

from __future__ import annotations

import difflib
import sys
from itertools import pairwise

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractScrollArea,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QMenu,
    QScrollBar,
    QSlider,
    QTabBar,
    QTableView,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.features.active_learning import controller
from app.features.active_learning.query import Comparison
from tests.app.views.accessible_tree import ACTIVE, Node
from tests.app.views.wheel import turned
from tests.make_accessible import COMMAND, FILE, SIZE, collect, naming, tab_stops
from tests.windows import Make

#: Side of the smallest target (pixels), as WCAG 2.2 requires.
TARGET = 24
CLICKED = (QAbstractButton, QComboBox, QAbstractSpinBox, QLineEdit, QSlider)


def where(widget: QWidget) -> str:
    named = widget
    while not named.objectName() and named.parentWidget() is not None:
        named = named.parentWidget()
    return f"{type(widget).__name__} in {named.objectName()}, {widget.width()} x {widget.height()}"


def part_of_another(widget: QWidget) -> bool:
    return isinstance(widget.parentWidget(), (QAbstractSpinBox, QComboBox, QScrollBar, QTableView))


@pytest.mark.parametrize("reported", [False, True])
def test_a_panel_that_fails_is_named(reported: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "excepthook", lambda *about: None)
    before, error = sys.excepthook, ValueError("no such one")
    with pytest.raises(AssertionError, match=r"^panel losses fails: ValueError: no such one$"), naming("panel losses"):
        if not reported:
            raise error
        sys.excepthook(ValueError, error, None)
    assert sys.excepthook is before


def small(top: QWidget) -> list[str]:
    """Return the clickable controls that are too small."""
    found = []
    for widget in [top, *top.findChildren(QWidget)]:
        if not widget.isVisible() or widget.window() is not top.window() or part_of_another(widget):
            continue
        if isinstance(widget, CLICKED) and min(widget.width(), widget.height()) < TARGET:
            found.append(where(widget))
        if isinstance(widget, QTabBar) and not widget.visibleRegion().isEmpty():
            sizes = [widget.tabRect(index).size() for index in range(widget.count())]
            found += [f"tab of {where(widget)}" for size in sizes if min(size.width(), size.height()) < TARGET]
        if isinstance(widget, QAbstractItemView) and widget.model() is not None and widget.model().rowCount():
            height = widget.rowHeight(0) if isinstance(widget, QTableView) else widget.sizeHintForRow(0)
            if height < TARGET:
                found.append(f"row {height} of {where(widget)}")
    return found


def by_tab(top: QWidget) -> list[str]:
    """Return what Tab should visit and does not, what it visits although hidden, and where it goes back."""
    wanted = [widget for widget in top.findChildren(QWidget) if takes_tab(widget, top)]
    if not wanted:
        return []
    stops = tab_stops(top, wanted[0])
    there = {id(proxied(widget)) for widget in stops}
    missed = [each for each in wanted if id(proxied(each)) not in there and not in_visited_group(each, stops)]
    unseen = [f"unseen: {where(each)}" for each in stops if not each.isVisible()]
    return [f"not reached: {where(each)}" for each in missed] + unseen + backwards(stops)


def takes_tab(widget: QWidget, top: QWidget) -> bool:
    if not widget.isVisible() or not widget.isEnabled() or widget.window() is not top.window():
        return False
    if part_of_another(widget) or isinstance(widget.parentWidget(), QAbstractScrollArea):
        return False
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus)


def proxied(widget: QWidget) -> QWidget:
    return widget.focusProxy() or widget


def in_visited_group(widget: QWidget, stops: list[QWidget]) -> bool:
    """Arrow keys go from one to the next of exclusive buttons."""
    if not isinstance(widget, QAbstractButton):
        return False
    group = widget.group().buttons() if widget.group() is not None else None
    if group is None and widget.autoExclusive():
        group = [each for each in widget.parentWidget().findChildren(type(widget)) if each.autoExclusive()]
    return bool(group) and any(each in stops for each in group)


def backwards(stops: list[QWidget]) -> list[str]:
    """Return where Tab goes up, or left at one height, within one container."""
    found = []
    for before, after in pairwise(stops):
        if before.parentWidget() is not after.parentWidget():
            continue
        one, other = before.geometry(), after.geometry()
        if other.bottom() < one.top() or (other.right() < one.left() and other.top() < one.bottom()):
            found.append(f"goes back from {where(before)} to {where(after)}")
    return found


@pytest.mark.slow
def test_it_is_read_out_reached_and_hit(make: Make, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    """One pass over everything: the tree against the file, names for all controls, targets, Tab, wheel."""
    monkeypatch.setattr(controller, "Comparison", lambda asking: Comparison(asking, 2))  # its curves have no texts
    window = make(size=SIZE)
    faults: list[str] = []

    def check(title: str, top: QWidget, found: list[Node]) -> None:
        for node in found:
            # A scroll bar has no name of its own in Qt.
            if node.role in ACTIVE and not any(sign.isalpha() for sign in node.name):
                faults.append(f"{title}: {node.role.name} without a name: {node.widget and where(node.widget)}")
            if node.widget is not None and node.item.state().focusable and len(node.name) < 1:
                faults.append(f"{title}: focusable without a name: {where(node.widget)}")
        faults.extend(f"{title}: small: {each}" for each in small(top))
        faults.extend(f"{title}: Tab: {each}" for each in by_tab(top))
        faults.extend(f"{title}: the wheel: {each}" for each in turned(top))

    # Buttons that Tab skips, as in any tool bar, are in the menus, which F10 and Alt open.
    in_menus = {
        action.objectName().replace("action.", "tool.", 1)
        for menu in window.menuBar().findChildren(QMenu)
        for action in menu.actions()
    }
    for button in window.findChildren(QToolButton):
        if button.isVisible() and button.isEnabled() and button.focusPolicy() is Qt.FocusPolicy.NoFocus:
            assert button.objectName() in in_menus, where(button)
    try:
        text = collect(window, check)
    finally:
        QAccessible.setActive(False)  # the following tests need no texts for screen readers
    assert not faults, "\n".join(dict.fromkeys(faults))
    kept = FILE.read_text(encoding="utf-8")
    reports = "\n".join(difflib.unified_diff(kept.splitlines(), text.splitlines(), "kept", "now", lineterm="", n=2))
    assert text == kept, f"Another tree is read out.  If that is meant: {COMMAND}\n{reports}"
