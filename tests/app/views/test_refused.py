"""Typed input that is refused stays in its field, keeps the focus and the popup, and no key goes elsewhere."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.window.main_window import MainWindow
from tests.windows import Make, settle

KEY = Qt.Key


def field_of(window: MainWindow, name: str) -> QLineEdit | QSpinBox:
    found = window.findChild(QWidget, name)
    assert isinstance(found, (QLineEdit, QSpinBox))
    return found


def open_more(window: MainWindow, name: str) -> QLineEdit | QSpinBox:
    """Return the field of this name in the popup of the data set, clicked."""
    more = window.findChild(QAbstractButton, "generator.more")
    assert more is not None
    QTest.mouseClick(more, Qt.MouseButton.LeftButton)
    field = field_of(window, name)
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    assert field.isVisible() and field.window().focusWidget() is field
    return field


def type_anew(field: QLineEdit | QSpinBox, text: str, end: Qt.Key | None = KEY.Key_Return) -> None:
    """Type `text` in place of the field's content."""
    field.selectAll()
    press(field, KEY.Key_Delete)
    QTest.keyClicks(field, text)
    if end is not None:
        press(field, end)


def press(field: QWidget, key: Qt.Key) -> None:
    """Press a key; the focused widget in the field's window gets it."""
    QTest.keyClick(field.window().windowHandle(), key)


def test_per_cent_is_typed_where_per_cent_is_shown(make: Make) -> None:
    window = make()
    for typed in ("10", "10%", "10 %", " 10,0 % "):
        field = open_more(window, "generator.flipped")
        assert field.text() == "0 %"
        type_anew(field, typed)
        assert window.document.generator.flipped == 0.1 and not field.isVisible(), typed
        window.refresh()
        assert field.text() == "10 %" and window.controller.store.undo_name == "Flip 10 % of the labels", typed
        window.controller.undo()
        window.refresh()


def test_it_keeps_the_popover_and_its_keys(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.activateWindow()
    window.canvases[0].setFocus()
    field = open_more(window, "generator.flipped")
    document, session = window.document, window.controller.session
    type_anew(field, "80 %")
    assert field.isVisible() and field.window().focusWidget() is field and field.text() == "80 %"
    assert field.property("bad") and "must be a number from 0 % to 50 %" in window.status_line.text()
    for key in (KEY.Key_Return, KEY.Key_Tab, KEY.Key_2, KEY.Key_Backspace, KEY.Key_Tab):
        press(field, key)
        assert field.isVisible() and field.window().focusWidget() is field
    assert field.text() == "80 %" and field.property("bad")
    assert window.document is document and window.controller.session is session
    type_anew(field, "7")
    assert not field.isVisible() and window.document.generator.flipped == 0.07 and not field.property("bad")
    settle(qtbot, window)
    field = open_more(window, "generator.flipped")
    type_anew(field, "abc", KEY.Key_Escape)
    assert not field.isVisible() and field.text() == "7 %" and window.document.generator.flipped == 0.07


def test_a_click_beside_the_popover_closes_it_the_second_time(make: Make) -> None:
    window = make()
    field = open_more(window, "generator.flipped")
    form = field.window()
    type_anew(field, "80", None)
    beside = QPoint(-20, -20)
    QTest.mouseClick(form, Qt.MouseButton.LeftButton, pos=beside)
    assert form.isVisible() and field.property("bad") and field.text() == "80"
    QTest.mouseClick(form, Qt.MouseButton.LeftButton, pos=beside)
    assert not form.isVisible() and field.text() == "0 %" and not field.property("bad")
    assert window.document.generator.flipped == 0


def test_a_field_of_the_bar_keeps_the_focus(make: Make) -> None:
    window = make()
    window.activateWindow()
    for name, typed, report in (
        ("generator.noise", "99", "Noise must be a number from 0 to 10. “99” was not used; the value is still 0.2."),
        ("generator.count", "100000", "Points per class must be a whole number from 1 to 50000. “100000” was"),
        ("lane0.k", "0", "must be a whole number from 1 to"),
        ("lane0.k", "2.5", "“2.5” was not used; the value is still 5."),
        ("lane1.C", "-3", "must be a number from"),
    ):
        field = field_of(window, name)
        field.setFocus()
        shown, document = field.text(), window.document
        for end in (KEY.Key_Return, KEY.Key_Tab, KEY.Key_Enter):
            type_anew(field, typed, end)
            assert field.hasFocus() and field.text() == typed and field.property("bad"), (name, end)
            assert report in window.status_line.text()
        press(field, KEY.Key_Tab)
        press(field, KEY.Key_Return)
        assert field.hasFocus() and window.document is document, name
        press(field, KEY.Key_Escape)
        assert field.text() == shown and not field.property("bad") and not field.hasFocus(), name
        field.setFocus()
        type_anew(field, typed)
        window.canvases[0].setFocus(Qt.FocusReason.MouseFocusReason)
        assert field.text() == shown and not field.property("bad") and window.document is document, name
        field.setFocus()
        type_anew(field, "7")
        assert window.document is not document and not field.hasFocus(), name
        window.controller.undo()
        window.refresh()
        assert field.text() == shown, name


def test_escape_brings_the_old_number_back_before_it_ends_presenter_mode(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.activateWindow()
    window.named_actions["presenter"].trigger()
    settle(qtbot, window)
    field = field_of(window, "lane1.C")
    if not field.isVisible():
        pytest.skip("no field for numbers in presenter mode")
    field.setFocus()
    type_anew(field, "-3")
    press(field, KEY.Key_Escape)
    assert window.controller.session.presenting is not None and field.text() == "1"


def test_an_option_of_a_tool_reports_what_it_refused(make: Make) -> None:
    window = make()
    window.activateWindow()
    window.controller.editing.choose("brush")
    window.refreshing.flush()
    field = field_of(window, "tool.radius")
    field.setFocus()
    for typed in ("2.5", "b", "1e2"):
        type_anew(field, typed)
        assert field.hasFocus() and field.text() == f"{typed} px" and field.property("bad")
        assert f"“{typed}” was not used; the value is still 30" in window.status_line.text()
    press(field, KEY.Key_Escape)
    assert field.text() == "30 px" and window.controller.session.tool == "brush"
