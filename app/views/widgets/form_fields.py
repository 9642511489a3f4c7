"""Form fields and boxes: a layout with its parts, showing values in input widgets without signals of the user, and
fields for numbers and names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from html import escape
from typing import TypeVar

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QLabel,
    QLayout,
    QLineEdit,
    QSlider,
    QSpinBox,
    QWidget,
)

from app.state.plain_text import plain

Box = TypeVar("Box", bound=QBoxLayout)
#: A widget or layout, alone or with its stretch (and alignment); a number is a stretch without anything in it.
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]


def filled(
    layout: Box, *parts: Part, margins: int | tuple[int, int, int, int] | None = None, spacing: int | None = None
) -> Box:
    """Put `parts` into `layout` one after the other, and give it its margins and spacing where they are not Qt's.

    Parameters
    ----------
    layout : QBoxLayout
    parts : sequence of Part
    margins : int or tuple of int, optional
        On all sides, or left, top, right and bottom.
    spacing : int, optional
    """
    if margins is not None:
        layout.setContentsMargins(*((margins,) * 4 if isinstance(margins, int) else margins))
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        if isinstance(part, int):
            layout.addStretch(part)
            continue
        item, *room = part if isinstance(part, tuple) else (part,)
        if isinstance(item, QLayout):
            layout.addLayout(item, *room)
        else:
            layout.addWidget(item, *room)  # type: ignore[arg-type]  # a stretch, or a stretch and an alignment
    return layout


Named = TypeVar("Named", bound=QObject)
Described = TypeVar("Described", bound=QWidget)


def show_number(widget: QSpinBox | QSlider, value: int) -> None:
    """Set a spin box or slider silently; a handle that is dragged stays where it is."""
    if isinstance(widget, QSlider) and widget.isSliderDown():
        return
    if widget.value() != value:
        with QSignalBlocker(widget):
            widget.setValue(value)


def show_choice(combo: QComboBox, data: object) -> None:
    """Choose the entry whose data is `data`."""
    index = combo.findData(data)
    if index != combo.currentIndex():
        combo.setCurrentIndex(index)


def show_check(box: QCheckBox, on: bool) -> None:
    """Set a check box silently."""
    if box.isChecked() != on:
        with QSignalBlocker(box):
            box.setChecked(on)


def named(item: Named, object_name: str) -> Named:
    """Give `item` its name for programs, and hand it back."""
    item.setObjectName(object_name)
    return item


def describe(widget: Described, object_name: str, accessible: str, tip: str) -> Described:
    """Give a control its name for programs, its name for people and its teaching sentence, and hand it back."""
    widget.setObjectName(object_name)
    widget.setAccessibleName(accessible)
    widget.setAccessibleDescription(tip)
    widget.setToolTip(plain_tip(tip))
    return widget


def label_for(text: str, field: QWidget) -> QLabel:
    """A label whose key leads to `field`."""
    label = QLabel(text)
    label.setBuddy(field)
    return label


def combo_box(entries: Iterable[tuple[str, object]] = (), width: int = 0) -> QComboBox:
    """A box of `entries`, texts with their data; if `width` is given, of so many characters however long the texts."""
    combo = QComboBox()
    for text, data in entries:
        combo.addItem(text, data)
    if width:
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        combo.setMinimumContentsLength(width)
    return combo


def spin_box(low: int, high: int, step: int = 1, suffix: str = "") -> QSpinBox:
    """A field for a whole number that tells of it once it is typed, not of every digit."""
    spin = QSpinBox(minimum=low, maximum=high, singleStep=step, suffix=suffix)
    spin.setKeyboardTracking(False)
    return spin


def show_text(label: QLabel, text: str) -> None:
    """Set the text of a label where it is another: Qt would lay out anew for the same, too."""
    if label.text() != text:
        label.setText(text)


def later(owner: QObject, act: Callable[[], object]) -> None:
    """Call `act` when the events at hand are done with, unless `owner` is gone by then.

    Not `QTimer.singleShot`: where its owner goes first, it keeps `act`, and with it the whole window, for ever.
    """
    timer = QTimer(owner, singleShot=True)
    timer.timeout.connect(act)
    timer.timeout.connect(timer.deleteLater)
    timer.start(0)


class Gestures(QObject):
    """Counts what the user does on the widgets it watches: a drag, a held key or a turn of the wheel counts once.

    Changes of a value with the same `count` are one undo step.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.count = 0
        self._turning = False

    def watch(self, widget: QWidget) -> None:
        """Count the gestures on `widget`, too."""
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        turns = kind is QEvent.Type.Wheel
        pressed = kind is QEvent.Type.MouseButtonPress
        pressed |= isinstance(event, QKeyEvent) and kind is QEvent.Type.KeyPress and not event.isAutoRepeat()
        if pressed or (turns and not self._turning):
            self.count += 1
        if pressed or turns:
            self._turning = turns
        return False


def take_typed_number() -> None:
    """Commit what is being typed into a field, as leaving it would: keys and toolbar leave none."""
    field = QApplication.focusWidget()
    commit = getattr(field, "commit", None)
    if commit is not None:
        commit()
    elif isinstance(field, QSpinBox):
        field.interpretText()


def number_of(text: str) -> float:
    """The number that was typed, with point or comma; NaN when it is none."""
    typed = text.strip().replace(",", ".").replace("−", "-")
    try:
        return math.nan if "_" in typed else float(typed)
    except ValueError:
        return math.nan


def plain_tip(text: str) -> str:
    """`text` for a tooltip that shows it as it is, even where a name in it looks like HTML."""
    text = "\n".join(plain(line) for line in text.split("\n"))
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>' if "<" in text or "&" in text else text


def mark_bad(widget: QWidget, bad: bool) -> None:
    """Frame a field whose text was refused, or take the frame away."""
    if bool(widget.property("bad")) != bad:
        widget.setProperty("bad", bad)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def is_undo(event: QEvent) -> bool:
    """True for the keys of undo and redo being offered to a field before they go to the window."""
    keys = QKeySequence.StandardKey
    offered = isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride
    return offered and (event.matches(keys.Undo) or event.matches(keys.Redo))  # type: ignore[attr-defined]


class NameField(QLineEdit):
    """A field for a name; `committed` tells of one that was typed and is another."""

    committed = Signal(str)

    def __init__(self, longest: int) -> None:
        super().__init__()
        self._shown = ""
        self.setMaxLength(longest)
        self.editingFinished.connect(self.commit)

    def show_name(self, name: str) -> None:
        """Show `name`, unless another is being typed."""
        self._shown = name
        if self.text() != name and not (self.hasFocus() and self.isModified()):
            self.setText(name)
            self.setCursorPosition(0)

    def event(self, event: QEvent) -> bool:
        if is_undo(event) and not self.isModified():  # with nothing typed, undo is that of the document
            event.ignore()
            return False
        return super().event(event)

    def commit(self) -> None:
        """Take what was typed, if anything was."""
        if self.isModified():
            self.setModified(False)
            name = " ".join(self.text().split())
            if name != self.text():
                self.setText(name)
            if name != self._shown:
                self.committed.emit(name)


class NumberField(QLineEdit):
    """A field for an exact number, which shows what it was given to every digit.

    A spin box rounds to its decimals and would edit what it shows; this emits `committed` only for a number that was
    typed, within the limits and different; anything else is answered with `refused` and the old number.
    """

    committed = Signal(float)
    refused = Signal(str)

    def __init__(self, name: str, low: float, high: float) -> None:
        super().__init__()
        self._name, self._low, self._high = name, low, high
        self._value = low
        self.setMinimumWidth(64)
        self.editingFinished.connect(self.commit)
        self.textEdited.connect(lambda: mark_bad(self, bad=False))

    def show_value(self, value: float) -> None:
        """Show `value`, unless a number is being typed."""
        typing = self.hasFocus() and self.isModified()
        if value != self._value or not (self.text() or typing):
            self._value = value
            self.setText(repr(value).removesuffix(".0"))
            mark_bad(self, bad=False)

    def value(self) -> float:
        """The number shown last, not what is being typed."""
        return self._value

    def event(self, event: QEvent) -> bool:
        if is_undo(event) and not self.isModified():  # with nothing typed, undo is that of the document
            event.ignore()
            return False
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        mark_bad(self, bad=False)

    def commit(self) -> None:
        """Take what was typed, if anything was."""
        if not self.isModified():
            return
        self.setModified(False)
        typed = self.text().strip().replace(",", ".")
        value = number_of(typed)
        if not self._low <= value <= self._high:
            self.setText(repr(self._value).removesuffix(".0"))
            mark_bad(self, bad=True)
            limits = f"a number from {self._low:g} to {self._high:g}"
            self.refused.emit(f"{self._name} must be {limits}; “{typed[:20]}” is not: it stays {self._value:g}.")
            return
        mark_bad(self, bad=False)
        if value != self._value:
            self.committed.emit(value)
        self.setText(repr(self._value).removesuffix(".0"))
