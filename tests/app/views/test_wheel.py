"""The real wheel over controls: the widget behind them scrolls, their values stay, and the focus stays.

`test_accessible` turns it over each control of the window, the panels and the dialogs.
"""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QColorDialog,
    QComboBox,
    QFileDialog,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from app.views.widgets.scrolling_form import ScrollingForm
from app.window.dialogs.classes import ClassesDialog
from tests.app.views.wheel import turned, value
from tests.windows import Make, finish_layout, settle


def wheel(widget: QWidget, angle: int, at: QPoint | None = None) -> None:
    """Turn the wheel as the system sends it, over the middle of `widget` or at a pixel of it."""
    top = widget.window()
    location = widget.mapTo(top, widget.rect().center() if at is None else at)
    QTest.wheelEvent(top.windowHandle(), QPointF(location), QPoint(0, angle))
    QApplication.processEvents()


def test_over_a_control_it_changes_nothing_and_takes_no_focus(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.activateWindow()
    canvas = window.canvases[0]
    canvas.setFocus()
    document = window.document
    names = ("generator.name", "generator.count", "lane0.classifier", "lane0.k", "lane1.kernel", "lane1.C.slider")
    for focused in (False, True):
        for name in names:
            control = window.findChild(QWidget, name)
            assert isinstance(control, (QComboBox, QAbstractSpinBox, QSlider)) and control.isVisible()
            shown = value(control)
            if focused:
                control.setFocus()
            for angle in (-120, 120):
                wheel(control, angle)
                assert value(control) == shown, name
            assert control.hasFocus() == focused, name
    settle(qtbot, window)
    assert window.document is document and window.controller.store.undo_name is None
    wheel(canvas, 120, canvas.plot_area().center().toPoint())
    assert window.document.view.span < document.view.span, "pictures are zoomed as before"


def test_behind_a_control_a_panel_scrolls_and_an_open_list_stays_open(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.named_actions["evaluation"].trigger()
    settle(qtbot, window)
    split = window.findChild(QComboBox, "evaluation.split")
    assert split is not None
    area = next(each for each in window.findChildren(ScrollingForm) if each.isAncestorOf(split))
    area.setFixedHeight(100)
    finish_layout()
    bar = area.verticalScrollBar()
    assert bar.maximum() > 0, "there is something to scroll"
    document, shown = window.document, split.currentIndex()
    wheel(split, -120)
    assert bar.value() > 0 and split.currentIndex() == shown and window.document is document
    kinds = window.findChild(QComboBox, "lane0.classifier")
    assert kinds is not None
    kinds.showPopup()
    finish_layout()
    wheel(kinds.view().viewport(), -120)
    assert kinds.view().isVisible() and window.document is document
    kinds.hidePopup()


@pytest.mark.slow
def test_nor_does_it_in_presenter_mode_and_in_the_dialogs_of_qt(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.named_actions["classes"].trigger()
    classes = window.findChild(ClassesDialog)
    assert classes is not None
    button(classes, "classes.colour1").click()
    colours = classes.findChild(QColorDialog)
    assert colours is not None and colours.isVisible() and not turned(colours)
    colours.reject()
    classes.close()
    for action in ("save_as", "export"):
        window.named_actions[action].trigger()
        finish_layout()
        (files,) = (each for each in window.findChildren(QFileDialog) if each.isVisible())
        assert files.findChild(QComboBox) is not None and not turned(files)
        files.close()
    window.named_actions["presenter"].trigger()
    settle(qtbot, window)
    assert not turned(window)


def button(top: QWidget, name: str) -> QAbstractButton:
    found = top.findChild(QAbstractButton, name)
    assert found is not None
    return found
