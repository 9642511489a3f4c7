"""Form fields and boxes: a layout with its parts, showing values in input widgets without signals of the user, and
fields for numbers and names.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from html import escape
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QKeySequence, QPaintEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QBoxLayout,
    QCheckBox,
    QComboBox,
    QLabel,
    QLayout,
    QLineEdit,
    QSlider,
    QSpinBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QToolTip,
    QWidget,
)
from shiboken6 import isValid

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
    """Choose the entry whose data equals `data`; none where there is no such entry."""
    if combo.currentIndex() < 0 or combo.currentData() != data:  # (findData takes only the very same tuple for equal)
        combo.setCurrentIndex(next((at for at in range(combo.count()) if combo.itemData(at) == data), -1))


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
    """Give a control its name for programs, its name for people and its teaching sentence, and hand it back.

    A button takes what is being typed elsewhere when it is pressed: many take no focus, and no field would notice.
    """
    if isinstance(widget, QAbstractButton) and not widget.objectName():  # the first time
        widget.pressed.connect(take_typed_number)
    widget.setObjectName(object_name)
    widget.setAccessibleName(accessible)
    widget.setAccessibleDescription(tip)
    widget.setToolTip(plain_tip(tip))
    if isinstance(widget, TURNED):
        pass_wheel_on(widget)
    return widget


#: Controls that Qt lets the wheel change.
TURNED = (QComboBox, QAbstractSpinBox, QSlider)


class _WheelFilter(QObject):
    """Ignores the wheel over the controls it watches: the widget behind them gets it."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is not QEvent.Type.Wheel:
            return False
        event.ignore()
        return True


_wheel_filter: _WheelFilter | None = None


def pass_wheel_on(control: QWidget) -> None:
    """Let the wheel over `control` scroll what lies behind it: it neither changes the control nor gives it the focus.

    The filter watches each control, not the application: one for every event of every widget would hold up all of
    them while something trains.
    """
    global _wheel_filter
    if _wheel_filter is None or not isValid(_wheel_filter):
        _wheel_filter = _WheelFilter(QCoreApplication.instance())
    control.installEventFilter(_wheel_filter)
    if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


def label_for(text: str, field: QWidget) -> QLabel:
    """A label whose key leads to `field`."""
    label = QLabel(text)
    label.setBuddy(field)
    return label


class ShortCombo(QComboBox):
    """A choice that may have less room than its entry: that ends in dots then, and begins the tip."""

    def is_whole(self) -> bool:
        """Whether all of the entry is in sight."""
        return self.fontMetrics().horizontalAdvance(self.currentText()) <= self._room()

    def _room(self) -> int:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        whole, field = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        return self.style().subControlRect(whole, option, field, self).width() - 2

    def minimumSizeHint(self) -> QSize:
        """Qt keeps its own from before the length of the contents was changed."""
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and not self.is_whole():
            tip = plain_tip(self.currentText())
            QToolTip.showText(event.globalPos(), f"<p>{tip}</p><p>{self.toolTip()}</p>", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        option.currentText = self.fontMetrics().elidedText(
            self.currentText(), Qt.TextElideMode.ElideRight, self._room()
        )
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


def combo_box(entries: Iterable[tuple[str, object]] = (), width: int = 0) -> QComboBox:
    """A box of `entries`, texts with their data; if `width` is given, of so many characters however long the texts."""
    combo = ShortCombo() if width else QComboBox()
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


class Gestures(QObject):
    """Counts what the user does on the widgets it watches: a drag or a held key counts once.

    Changes of a value with the same `count` are one undo step.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.count = 0

    def watch(self, widget: QWidget) -> None:
        """Count the gestures on `widget`, too."""
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        pressed = kind is QEvent.Type.MouseButtonPress
        pressed |= isinstance(event, QKeyEvent) and kind is QEvent.Type.KeyPress and not event.isAutoRepeat()
        self.count += pressed
        return False


def take_typed_number() -> None:
    """Commit what is being typed into a field, as leaving it would: keys and toolbar leave none."""
    popup = QApplication.activePopupWidget()
    # The field of a popup has its keys, but not the application's focus.
    for field in {QApplication.focusWidget(), None if popup is None else popup.focusWidget()}:
        _commit(field)


def _commit(field: QWidget | None) -> None:
    commit = getattr(field, "commit", None)
    if commit is not None:
        commit()
    elif isinstance(field, QSpinBox):
        field.interpretText()


def commit_within(widget: QWidget) -> None:
    """Commit what is being typed into a field inside `widget`."""
    _commit(widget.focusWidget())


def leave_field(event: QKeyEvent, within: QWidget, lane: int = 0) -> bool:
    """For a key that a field inside `within` has left over: Enter and Escape give the focus back to a lane's picture.

    The letters then are commands again.  Escape brings the old number back first, and a number that was refused keeps
    the focus.  False where the key is another, or comes from no field for numbers.
    """
    field = within.focusWidget()
    escape = event.key() == Qt.Key.Key_Escape
    if not escape and event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        return False
    if not isinstance(field, (QSpinBox, NumberField)):
        return False
    if escape and isinstance(field, QSpinBox):
        with QSignalBlocker(field):
            field.setValue(field.value())  # writes the text anew
    elif escape and isinstance(field, NumberField):
        field.restore()
    if not field.property("bad"):
        focus_picture(within, lane)
    return True


def focus_picture(near: QWidget, lane: int = 0) -> None:
    """Give the focus to the picture of `lane` in the window that `near` is in, or belongs to."""
    window = near.window()
    while (owner := window.parentWidget()) is not None:  # a popup's
        window = owner.window()
    picture = window.findChild(QWidget, f"canvas{lane}")
    if picture is not None:
        picture.setFocus(Qt.FocusReason.OtherFocusReason)


def number_of(text: str) -> float:
    """The number that was typed, with point or comma; NaN when it is none."""
    typed = text.strip().replace(",", ".").replace("−", "-").replace("∞", "inf")
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


def _digits(value: float) -> str:
    return "∞" if math.isinf(value) else repr(value).removesuffix(".0")


class NumberField(QLineEdit):
    """A field for an exact number, which shows what it was given to every digit.

    A spin box rounds to its decimals and would edit what it shows; this emits `committed` only for a number that was
    typed, within the limits and different; anything else is answered with `refused` and the old number.  With
    `endless` infinity is a number, too.
    """

    committed = Signal(float)
    refused = Signal(str)

    def __init__(self, name: str, low: float, high: float, endless: bool = False) -> None:
        super().__init__()
        self._name, self._low, self._high, self._endless = name, low, high, endless
        self._value = low
        self.setMinimumWidth(64)
        self.editingFinished.connect(self.commit)
        self.textEdited.connect(lambda: mark_bad(self, bad=False))

    def show_value(self, value: float) -> None:
        """Show `value`, unless a number is being typed."""
        typing = self.hasFocus() and self.isModified()
        if value != self._value or not (self.text() or typing):
            self._value = value
            self.setText(_digits(value))
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

    def restore(self) -> None:
        """Forget what was typed."""
        self.setText(_digits(self._value))
        self.setModified(False)
        mark_bad(self, bad=False)

    def commit(self) -> None:
        """Take what was typed, if anything was."""
        if not self.isModified():
            return
        self.setModified(False)
        typed = self.text().strip().replace(",", ".")
        value = number_of(typed)
        if not self._low <= value <= self._high and not (self._endless and value == math.inf):
            self.setText(_digits(self._value))
            mark_bad(self, bad=True)
            limits = f"a number from {self._low:g} to {self._high:g}"
            self.refused.emit(f"{self._name} must be {limits}; “{typed[:20]}” is not: it stays {self._value:g}.")
            return
        mark_bad(self, bad=False)
        if value != self._value:
            self.committed.emit(value)
        self.setText(_digits(self._value))
