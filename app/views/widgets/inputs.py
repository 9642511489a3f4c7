"""Form fields: fill layouts, show values in input widgets without emitting the user's signals, and fields for numbers
and
names.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from html import escape
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QKeySequence, QMouseEvent, QPaintEvent, QValidator
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
    QToolButton,
    QToolTip,
    QWidget,
)
from shiboken6 import isValid

from app.core.dates import Coordinates
from app.core.number_format import number_of, share_of, share_text
from app.core.plain_text import plain

Box = TypeVar("Box", bound=QBoxLayout)
ENTER = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
LEAVING = (Qt.Key.Key_Escape, *ENTER)
#: Reasons of losing the focus after which a field gets it back: another window is in front, or a menu is open.
STAYS = (Qt.FocusReason.ActiveWindowFocusReason, Qt.FocusReason.PopupFocusReason, Qt.FocusReason.MenuBarFocusReason)
#: A widget or layout, alone or with its stretch (and alignment); a number is an empty stretch.
Part = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]


def filled(
    layout: Box, *parts: Part, margins: int | tuple[int, int, int, int] | None = None, spacing: int | None = None
) -> Box:
    """Add `parts` to `layout` in order, and set its margins and spacing where they are not Qt's.

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


#: Longest list of a combo box that is measured: of ten thousand columns, it would take half a second.
MEASURED = 200
Named = TypeVar("Named", bound=QObject)
Described = TypeVar("Described", bound=QWidget)


def show_number(widget: QSpinBox | QSlider, value: int) -> None:
    """Set a spin box or slider without signals; a handle that is being dragged stays in place."""
    if isinstance(widget, QSlider) and widget.isSliderDown():
        return
    if widget.value() != value:
        with QSignalBlocker(widget):
            widget.setValue(value)
        mark_bad(widget, bad=False)


def show_choice(combo: QComboBox, data: object) -> None:
    """Select the entry whose data equals `data`; none if there is no such entry."""
    if combo.currentIndex() < 0 or combo.currentData() != data:  # (findData treats only the identical tuple as equal)
        combo.setCurrentIndex(next((at for at in range(combo.count()) if combo.itemData(at) == data), -1))


def show_entries(combo: QComboBox, entries: Iterable[tuple[str, object]]) -> None:
    """Set the entries, texts with their data, unless they are already there."""
    wanted = list(entries)
    if [(combo.itemText(at), combo.itemData(at)) for at in range(combo.count())] != wanted:
        combo.clear()
        for text, data in wanted:
            combo.addItem(text, data)


def show_options(combo: QComboBox, entries: Iterable[tuple[str, object]], chosen: object) -> None:
    """Set the entries as `show_entries`, and select the one whose data equals `chosen`."""
    show_entries(combo, entries)
    show_choice(combo, chosen)


def show_check(box: QCheckBox, on: bool) -> None:
    """Set a check box without signals."""
    if box.isChecked() != on:
        with QSignalBlocker(box):
            box.setChecked(on)


def named(item: Named, object_name: str) -> Named:
    """Set the object name of `item`, and return the item."""
    item.setObjectName(object_name)
    return item


def describe(widget: Described, object_name: str, accessible: str, tip: str, hover: bool = True) -> Described:
    """Set a control's object name, accessible name and teaching sentence (its tip), and return the control.

    The tip of a button without text begins with its name.  Without `hover`, as for whole panels, only screen readers
    get the sentence.

    Pressing a button or list commits what is being typed elsewhere: many of them take no focus, so no field would
    notice. A click on a list or a check box leaves the keyboard focus with the picture: Space would open the list
    otherwise.
    """
    if isinstance(widget, QAbstractButton) and not widget.objectName():  # the first time
        widget.pressed.connect(take_typed_number)
    widget.setObjectName(object_name)
    widget.setAccessibleName(accessible)
    widget.setAccessibleDescription(tip)
    title = accessible.partition(",")[0].partition(":")[0]
    wordless = isinstance(widget, QToolButton) and not any(sign.isalpha() for sign in widget.text())
    begins = f"{title}: " if wordless and tip and not tip.startswith(title) else ""
    widget.setToolTip(plain_tip(f"{begins}{tip}") if hover else "")
    if isinstance(widget, TURNED):
        pass_wheel_on(widget)
    if isinstance(widget, (QComboBox, QCheckBox)):
        widget.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return widget


#: Controls that Qt changes with the wheel.
TURNED = (QComboBox, QAbstractSpinBox, QSlider)


class _WheelFilter(QObject):
    """Redirect the wheel from the watched controls to the widget behind them.  A press commits what was typed."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.MouseButtonPress and isinstance(watched, QComboBox):
            take_typed_number()
        if event.type() is not QEvent.Type.Wheel:
            return False
        event.ignore()
        return True


_wheel_filter: _WheelFilter | None = None


def pass_wheel_on(control: QWidget) -> None:
    """Let the wheel over `control` scroll what is behind it: it neither changes the control nor focuses it.

    The filter watches each control, not the application: a filter for every event of every widget would slow down all
    of them during training.
    """
    global _wheel_filter
    if _wheel_filter is None or not isValid(_wheel_filter):
        _wheel_filter = _WheelFilter(QCoreApplication.instance())
    control.installEventFilter(_wheel_filter)
    if control.focusPolicy() == Qt.FocusPolicy.WheelFocus:
        control.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


def label_for(text: str, field: QWidget) -> QLabel:
    """Return a label whose shortcut key leads to `field`."""
    label = QLabel(text, textFormat=Qt.TextFormat.PlainText)
    label.setBuddy(field)
    return label


def _option_of(combo: QComboBox) -> QStyleOptionComboBox:
    option = QStyleOptionComboBox()
    combo.initStyleOption(option)
    return option


def combo_size(combo: QComboBox, width: int) -> QSize:
    """Return the size of `combo` with a text of `width` pixels."""
    text = QSize(width, combo.fontMetrics().height())
    return combo.style().sizeFromContents(QStyle.ContentsType.CT_ComboBox, _option_of(combo), text, combo)


def draw_combo(combo: QComboBox, text: str) -> None:
    """Paint `combo` with `text` in place of its entry."""
    option, painter = _option_of(combo), QStylePainter(combo)
    option.currentText = text
    painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
    painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)


class ListCombo(QComboBox):
    """A combo box whose list is as wide as its widest entry."""

    def showPopup(self) -> None:
        if self.count() <= MEASURED:
            self.view().setMinimumWidth(self.view().sizeHintForColumn(0) + 24)
        super().showPopup()


class ShortCombo(ListCombo):
    """A combo box that may be narrower than its entry: the entry is then elided, and the tip begins with it."""

    def is_whole(self) -> bool:
        """Return True if all of the entry is visible."""
        return self.fontMetrics().horizontalAdvance(self.currentText()) < self._room()  # Qt elides what just fits

    def _room(self) -> int:
        whole, field = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        return self.style().subControlRect(whole, _option_of(self), field, self).width()

    def minimumSizeHint(self) -> QSize:
        """Return the minimum size; Qt caches its own from before the contents' length or the font changed."""
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip and not self.is_whole():
            tip = plain_tip(self.currentText())
            QToolTip.showText(event.globalPos(), f"<p>{tip}</p><p>{self.toolTip()}</p>", self)
            return True
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        metrics, right = self.fontMetrics(), Qt.TextElideMode.ElideRight
        draw_combo(self, metrics.elidedText(self.currentText(), right, self._room()))


def combo_box(entries: Iterable[tuple[str, object]] = (), width: int = 0) -> QComboBox:
    """Return a combo box of `entries`, texts with their data, `width` characters wide if given."""
    policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
    combo = ShortCombo(sizeAdjustPolicy=policy, minimumContentsLength=width) if width else ShortCombo()
    show_entries(combo, entries)
    return combo


class WholeField(QSpinBox):
    """A field for a whole number that reports it once it has been typed, not at every digit.

    Qt would swallow the digit that exceeds the limits (100000 became 10000) and anything that is no digit (2.5 became
    25), and silently restore the old number for values below the limits.  Here everything can be typed, and invalid
    input emits `refused`: it stays to be corrected until Escape or a change of focus restores the old number.
    """

    refused = Signal(str)

    def __init__(self, low: int = 0, high: int = 99, step: int = 1, suffix: str = "") -> None:
        super().__init__(minimum=low, maximum=high, singleStep=step, suffix=suffix)
        self.setKeyboardTracking(False)
        self.lineEdit().setTextMargins(4, 0, 0, 0)  # Qt ignores a padding in the style sheet
        self.lineEdit().textEdited.connect(lambda: mark_bad(self, bad=False))

    def validate(self, text: str, pos: int) -> tuple[QValidator.State, str, int]:
        state = super().validate(text, pos)[0]
        refusable = state is QValidator.State.Invalid and text.endswith(self.suffix())  # the suffix cannot be edited
        return QValidator.State.Intermediate if refusable else state, text, pos

    def _typed(self, text: str) -> str:
        return text.removeprefix(self.prefix()).removesuffix(self.suffix()).strip()

    def event(self, event: QEvent) -> bool:
        return keeps_escape(self, event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.restore()
        if event.key() in ENTER and not self.commit():
            return
        super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return not self.commit() or super().focusNextPrevChild(forward)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.commit()
        super().focusOutEvent(event)  # restores the old number
        mark_bad(self, bad=False)

    def restore(self) -> None:
        """Discard what was typed."""
        with QSignalBlocker(self):
            self.setValue(self.value())  # rewrites the text
        mark_bad(self, bad=False)

    def commit(self) -> bool:
        """Commit what was typed, if anything; return False if it is refused."""
        if self.hasAcceptableInput():
            self.interpretText()
            return True
        if not is_refused(self):
            typed, stays = self._typed(self.text()), self.textFromValue(self.value())
            refuse(self, self.accessibleName(), self.limits(), typed, stays)
        return False

    def limits(self) -> str:
        """Return the description of valid input."""
        return f"a whole number from {self.minimum()} to {self.maximum()}"


def spin_box(low: int, high: int, step: int = 1, suffix: str = "") -> WholeField:
    """Return a field for a whole number."""
    return WholeField(low, high, step, suffix)


def show_text(label: QLabel, text: str) -> None:
    """Set the text of a label if it differs: Qt would repeat the layout even for the same text."""
    if label.text() != text:
        label.setText(text)


def show_or_hide(label: QLabel, text: str) -> None:
    """Set the text of a label, which is hidden while it is empty."""
    show_text(label, text)
    label.setVisible(bool(text))


class Gestures(QObject):
    """Count the user's gestures on the watched widgets: a drag or a held key counts once.

    Changes of a value with the same `count` form one undo step.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.count = 0

    def watch(self, widget: QWidget) -> None:
        """Count the gestures on `widget` as well."""
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        pressed = kind is QEvent.Type.MouseButtonPress
        pressed |= isinstance(event, QKeyEvent) and kind is QEvent.Type.KeyPress and not event.isAutoRepeat()
        self.count += pressed
        return False


def take_typed_number() -> None:
    """Commit what is being typed into a field, as leaving it would: shortcuts and the toolbar do not leave it."""
    popup = QApplication.activePopupWidget()
    # The field of a popup receives the keys, but is not the application's focus widget.
    for field in {QApplication.focusWidget(), None if popup is None else popup.focusWidget()}:
        _commit(field)


def _commit(field: QWidget | None) -> None:
    commit = getattr(field, "commit", None)
    if commit is not None:
        commit()


def commit_within(widget: QWidget) -> None:
    """Commit what is being typed into a field inside `widget`."""
    _commit(widget.focusWidget())


def leave_field(event: QKeyEvent, within: QWidget, lane: int = 0) -> bool:
    """Handle a key that a field inside `within` did not use: Enter and Escape return the focus to a lane's picture.

    Letters are then commands again.  Return False for other keys, or if no field for numbers has the focus; a field
    whose number is refused uses Enter itself.
    """
    if event.key() not in LEAVING or not isinstance(within.focusWidget(), (WholeField, NumberField)):
        return False
    focus_picture(within, lane)
    return True


def focus_picture(near: QWidget, lane: int = 0) -> None:
    """Move the focus to the picture of `lane` in the window that contains or owns `near`."""
    window = near.window()
    while (owner := window.parentWidget()) is not None:  # a popup's owner
        window = owner.window()
    picture = window.findChild(QWidget, f"canvas{lane}")
    if picture is not None:
        picture.setFocus(Qt.FocusReason.OtherFocusReason)


def plain_tip(text: str) -> str:
    """Return `text` for a tooltip that shows it verbatim, even if a name in it looks like HTML."""
    text = "\n".join(plain(line) for line in text.split("\n"))
    return f'<p style="white-space: pre-wrap">{escape(text)}</p>' if "<" in text or "&" in text else text


def mark_bad(widget: QWidget, bad: bool) -> None:
    """Frame a field whose text was refused, or remove the frame."""
    if bool(widget.property("bad")) != bad:
        widget.setProperty("bad", bad)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def show_tip(widget: QWidget, tip: str) -> None:
    """Set a tip that depends on what is displayed."""
    if widget.toolTip() != tip:
        widget.setToolTip(tip)
        widget.setAccessibleDescription(tip)


def is_refused(field: QWidget | None) -> bool:
    """Return True if a field shows invalid input."""
    return field is not None and bool(field.property("bad"))


def refuse(field: WholeField | NumberField, name: str, limits: str, typed: str, stays: str) -> None:
    """Mark invalid input, and report why it cannot be used: below the field, and by its signal."""
    mark_bad(field, bad=True)
    unused = f". “{typed[:20]}” was not used" if typed else ""
    sentence = f"{name} must be {limits}{unused}; the value is still {stays}."
    if field.isVisible():
        QToolTip.showText(field.mapToGlobal(QPoint(0, field.height())), plain_tip(sentence), field)
    field.refused.emit(sentence)


def keeps_key(event: QEvent, own: Callable[[QKeyEvent], object]) -> bool:
    """Keep a key from the window's shortcuts if ``own(event)`` is true: the widget with the focus then gets it."""
    if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.ShortcutOverride or not own(event):
        return False
    event.accept()
    return True


def keeps_escape(field: QWidget, event: QEvent) -> bool:
    """Keep Escape from the window's shortcuts when it restores the old value of a refused number."""
    return keeps_key(event, lambda key: key.key() == Qt.Key.Key_Escape and is_refused(field))


def is_undo(event: QEvent) -> bool:
    """Return True if undo or redo is offered to a field before it goes to the window."""
    keys = QKeySequence.StandardKey
    offered = isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride
    return offered and (event.matches(keys.Undo) or event.matches(keys.Redo))  # type: ignore[attr-defined]


class NameField(QLineEdit):
    """A field for a name; `committed` reports a name that was typed and differs."""

    committed = Signal(str)

    def __init__(self, longest: int) -> None:
        super().__init__(maxLength=longest)
        self._shown = ""
        self.editingFinished.connect(self.commit)

    def show_name(self, name: str) -> None:
        """Show `name`, unless another one is being typed."""
        self._shown = name
        if self.text() != name and not (self.hasFocus() and self.isModified()):
            self.setText(name)
            self.setCursorPosition(0)

    def event(self, event: QEvent) -> bool:
        if is_undo(event) and not self.isModified():  # if nothing has been typed, undo means that of the document
            event.ignore()
            return False
        return super().event(event)

    def commit(self) -> None:
        """Commit what was typed, if anything."""
        if self.isModified():
            self.setModified(False)
            name = " ".join(self.text().split())
            if name != self.text():
                self.setText(name)
            if name != self._shown:
                self.committed.emit(name)


class NumberField(QLineEdit):
    """A field for an exact number, displayed with every digit.

    A spin box rounds to its decimals and would edit the rounded value; this emits `committed` only for a number that
    was typed, is within the limits and differs.  Anything else emits `refused`, and stays to be corrected until Escape
    or a change of focus restores the old number.

    Parameters
    ----------
    name : str
    low, high : float
    endless : bool
        Infinity is allowed.
    percent : bool
        Show and read shares in per cent: 0.1 is "10 %", typed as 10, 10% or 10 %.
    """

    committed = Signal(float)
    refused = Signal(str)

    def __init__(self, name: str, low: float, high: float, endless: bool = False, percent: bool = False) -> None:
        super().__init__()
        self.name, self._low, self._high, self._endless, self._percent = name, low, high, endless, percent
        self._value, self._coordinates = low, Coordinates()
        self.setMinimumWidth(64)
        self.editingFinished.connect(self.commit)
        self.textEdited.connect(lambda: mark_bad(self, bad=False))

    def show_value(self, value: float) -> None:
        """Show `value`, unless a number is being typed."""
        typing = self.hasFocus() and self.isModified()
        if value != self._value or not (self.text() or typing):
            self._value = value
            self.restore()

    def show_percent(self, percent: bool) -> None:
        """Show and read shares in per cent, or else plain numbers."""
        if percent != self._percent:
            self._percent = percent
            self.restore()

    def show_coordinates(self, coordinates: Coordinates) -> None:
        """Show and read dates, or else plain numbers."""
        if coordinates != self._coordinates:
            self._coordinates = coordinates
            self.restore()

    def value(self) -> float:
        """Return the number displayed last, not what is being typed."""
        return self._value

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        self.selectAll()  # Qt would select the digits on one side of the point

    def event(self, event: QEvent) -> bool:
        untouched = not (self.isModified() or is_refused(self))
        if is_undo(event) and untouched:  # if nothing has been typed, undo means that of the document
            event.ignore()
            return False
        return keeps_escape(self, event) or super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.restore()
        typed = self.isModified()
        if event.key() in ENTER and not self.commit():
            return
        if event.key() in ENTER and typed:
            event.ignore()  # no `returnPressed`: Enter alone commits what is displayed
        else:
            super().keyPressEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        return not self.commit() or super().focusNextPrevChild(forward)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if is_refused(self) and event.reason() not in STAYS:
            self.restore()

    def restore(self) -> None:
        """Discard what was typed."""
        self.setText(self._text(self._value))
        self.setModified(False)
        mark_bad(self, bad=False)

    def commit(self) -> bool:
        """Commit what was typed, if anything; return False if it is refused."""
        if not self.isModified():
            return not is_refused(self)
        self.setModified(False)
        typed = self.text().strip().replace(",", ".")
        value = self._number(typed)
        if not self._low <= value <= self._high and not (self._endless and value == math.inf):
            self.refuse(typed)
            return False
        if value != self._value:
            self.committed.emit(value)
        if not is_refused(self):
            self.setText(self._text(self._value))
        return not is_refused(self)

    def refuse(self, typed: str) -> None:
        """Refuse `typed`, and report the limits."""
        low, high = map(self._text, (self._low, self._high))
        wanted = self._coordinates.wanted(self._low, self._high)
        limits = f"a number from {low} to {high}" if self._percent else wanted
        refuse(self, self.name, limits, typed, self._text(self._value))

    def _number(self, typed: str) -> float:
        return share_of(number_of(typed.removesuffix("%"))) if self._percent else self._coordinates.value(typed)

    def _text(self, value: float) -> str:
        return share_text(value) if self._percent else self._coordinates.text(value)
