"""Labels share the baseline of their fields, dialogs have no icons of Qt, and tips begin with names."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import (
    QAbstractButton,
    QDialogButtonBox,
    QFormLayout,
    QLabel,
    QMessageBox,
    QPushButton,
    QToolButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.window.main_window import MainWindow
from tests.make_accessible import dialogs
from tests.windows import Make, settle


def crooked(top: QWidget) -> list[str]:
    """Return the labels of forms whose middle is not that of their field."""
    found = []
    for form in top.findChildren(QFormLayout):
        for row in range(form.rowCount()):
            label = form.itemAt(row, QFormLayout.ItemRole.LabelRole)
            field = form.itemAt(row, QFormLayout.ItemRole.FieldRole)
            if label is None or field is None or not isinstance(label.widget(), QLabel) or label.isEmpty():
                continue
            one_line = field.geometry().height() <= 3 * label.sizeHint().height()
            if one_line and abs(label.geometry().center().y() - field.geometry().center().y()) > 1:
                found.append(label.widget().text())
    return found


def icons(top: QWidget) -> list[str]:
    boxes = top.findChildren(QDialogButtonBox)
    return [each.text() for box in boxes for each in box.findChildren(QPushButton) if not each.icon().isNull()]


def test_labels_and_buttons(make: Make, qtbot: QtBot) -> None:
    window: MainWindow = make()
    more = window.findChild(QAbstractButton, "generator.more")
    assert more is not None
    more.click()
    popover = window.bar.generator.findChild(QWidget, "generator.seed").window()
    assert popover.isVisible() and not crooked(popover)
    popover.close()
    for name, dialog in dialogs(window):
        assert not crooked(dialog), name
        assert not icons(dialog), name
    window.named_actions["select_all"].trigger()
    window.named_actions["remove"].trigger()
    settle(qtbot, window)
    window.named_actions["new"].trigger()
    box = window.findChild(QMessageBox, "unsaved")
    assert box is not None and not icons(box)
    sign = box.iconPixmap().toImage()
    ink = box.palette().windowText().color()
    middle = [sign.pixelColor(QPoint(x, y)) for x in range(sign.width()) for y in range(sign.height())]
    assert {colour.name() for colour in middle if colour.alpha() == 255} == {ink.name()}, "drawn in the theme's ink"
    box.button(QMessageBox.StandardButton.Discard).click()


def test_tips_begin_with_the_name_of_the_command(make: Make) -> None:
    window = make()
    for name, action in window.named_actions.items():
        assert action.toolTip().startswith(action.iconText().rstrip("…")), name
    assert window.named_actions["fit"].toolTip() == "Fit (F): Show all."
    assert window.named_actions["undo"].toolTip() == "Undo (Ctrl+Z): There is nothing to undo."
    for button in window.findChildren(QToolButton):
        name = button.accessibleName().replace(":", ",").partition(",")[0]
        if button.toolTip() and not any(sign.isalpha() for sign in button.text()):
            assert button.toolTip().startswith(name), (button.objectName(), button.toolTip())
    window.controller.clear()
    window.refresh()
    assert window.named_actions["undo"].toolTip() == "Undo (Ctrl+Z): Clear 200 points"
