"""A typed number counts, whatever is clicked next; Enter and Escape return the keys to the picture."""

from __future__ import annotations

from itertools import product

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLineEdit, QSpinBox, QWidget
from pytestqt.qtbot import QtBot

from app.state.document import Document, Lane
from app.window.main_window import MainWindow
from tests.windows import Make, choose_entry, open_settings, settle


def type_into(window: MainWindow, name: str, text: str) -> QWidget:
    """Click the field, select its content and type, without Enter."""
    field = window.findChild(QWidget, name)
    assert isinstance(field, (QSpinBox, QLineEdit))
    QTest.mouseClick(field, Qt.MouseButton.LeftButton)
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, text)
    return field


def click(window: MainWindow, name: str) -> None:
    button = window.findChild(QAbstractButton, name)
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


@pytest.mark.parametrize("button", ["generate", "generate.add"])
def test_generate_uses_the_number_of_classes_just_typed(make: Make, qtbot: QtBot, button: str) -> None:
    window = make()
    window.controller.choose_generator("blobs")
    window.refresh()
    click(window, "generator.more")
    type_into(window, "generator.n_classes", "5")
    click(window, button)
    assert window.document.generator.n_classes == 5
    assert len(window.document.points.classes) == 5
    settle(qtbot, window)


def test_a_click_beside_the_popup_takes_the_number(make: Make, qtbot: QtBot) -> None:
    window = make()
    click(window, "generator.more")
    form = window.bar.generator.findChild(QWidget, "generator.seed").window()
    type_into(window, "generator.seed", "7")
    form.hide()  # as a click beside it does
    assert window.document.generator.seed == 7
    settle(qtbot, window)


# A popup comes last: a field clicked after it would not have the focus.
@pytest.mark.slow
@pytest.mark.parametrize(
    "buttons", [("generate", "class2", "lane0.settings", "tool.clear", "lane0.menu"), ("generator.more",)], ids=len
)
@pytest.mark.parametrize(("name", "numbers"), [("count", (30, 31, 32, 33, 34)), ("noise", (0.5, 0.55, 0.6, 0.65, 0.7))])
def test_buttons_take_the_number_just_typed(
    make: Make, qtbot: QtBot, name: str, numbers: tuple[float, ...], buttons: tuple[str, ...]
) -> None:
    window = make()
    for button, number in zip(buttons, numbers, strict=False):
        type_into(window, f"generator.{name}", f"{number:g}")
        click(window, button)
        assert getattr(window.document.generator, name) == number, button
        for popup in window.findChildren(QWidget):
            if popup.isWindow() and popup is not window and popup.isVisible():
                popup.hide()
        settle(qtbot, window)


def test_duplicating_a_classifier_takes_the_number_just_typed(make: Make, qtbot: QtBot) -> None:
    window = make()
    type_into(window, "lane1.C", "7")
    choose_entry(window, "lane1.menu", "lane1.duplicate")
    lanes = window.document.lanes
    assert len(lanes) == 3
    assert lanes[1].svm.C == lanes[2].svm.C == 7.0
    settle(qtbot, window)


def test_restarting_a_training_takes_the_number_just_typed(make: Make, qtbot: QtBot) -> None:
    window = make(Document(lanes=(Lane("svm"), Lane("svm"))))
    open_settings(window, 1)
    window.refresh()
    type_into(window, "lane1.C", "3")
    click(window, "lane1.restart")
    assert window.document.lanes[1].svm.C == 3.0
    settle(qtbot, window)


@pytest.mark.slow
def test_enter_and_escape_return_the_keys_to_the_picture(make: Make, qtbot: QtBot) -> None:
    window = make()
    fields = (("lane0.k", "canvas0"), ("lane1.C", "canvas1"), ("generator.noise", "canvas0"))
    for key, (name, picture) in product((Qt.Key.Key_Escape, Qt.Key.Key_Return), fields):
        window.controller.set_session(tool="pointer", active_class=0)
        before = window.document
        field = type_into(window, name, "9")
        QTest.keyClick(field, key)
        focused = QApplication.focusWidget()
        assert focused is not None
        assert focused.objectName() == picture
        assert (window.document is before) == (key == Qt.Key.Key_Escape)
        window.refresh()
        if key == Qt.Key.Key_Escape:
            assert field.text() != "9"  # type: ignore[attr-defined]
        QTest.keyClick(focused, Qt.Key.Key_B)  # the letters are commands again
        assert window.controller.session.tool == "brush"
        QTest.keyClick(focused, Qt.Key.Key_3)
        assert window.controller.session.active_class == 2
        settle(qtbot, window)


def test_enter_and_escape_in_the_popup_return_the_keys(make: Make, qtbot: QtBot) -> None:
    window = make()
    for key in (Qt.Key.Key_Escape, Qt.Key.Key_Return):
        click(window, "generator.more")
        field = type_into(window, "generator.seed", "12")
        QTest.keyClick(field, key)
        assert not field.isVisible(), key
        assert window.document.generator.seed == (12 if key == Qt.Key.Key_Return else 0)
        focused = QApplication.focusWidget()
        assert focused is window.canvases[0], key
        settle(qtbot, window)


def test_a_refused_number_keeps_the_focus(make: Make, qtbot: QtBot) -> None:
    window = make()
    field = type_into(window, "generator.noise", "99")
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert QApplication.focusWidget() is field
    assert field.property("bad")
    settle(qtbot, window)
