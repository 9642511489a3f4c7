"""Help: F1 begins with the pictures; What's this answers at every control; the first line points to the examples."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QTextBrowser, QWhatsThis, QWidget
from pytestqt.qtbot import QtBot

from app.scene.help import sections
from app.state.session import FULL_SPEED
from app.views.bars.popup import PopupButton
from app.views.dialogs.help import HelpDialog
from app.views.widgets.whats_this import teaching
from app.views.window import MainWindow
from tests.covering import first_of
from tests.windows import Make, listed, settle

#: Said by the screenless platform, too.
NO_GRAB = pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)
LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def asked(qapp: QApplication) -> Iterator[None]:
    """What's this is over after the test."""
    yield
    QWhatsThis.leaveWhatsThisMode()
    QWhatsThis.hideText()


def answer() -> str | None:
    """The text of the answer on screen."""
    found = [w for w in listed(QApplication.topLevelWidgets) if w.metaObject().className() == "QWhatsThat"]
    return next((str(w.property("_q_text") or "shown") for w in found if w.isVisible()), None)


def controls(window: MainWindow) -> list[QWidget]:
    """What one can click or type into."""
    return [
        each
        for each in window.findChildren(QWidget)
        if each.isVisible()
        and each.isEnabled()
        and each.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not isinstance(each, QLabel)
    ]


def test_the_page_begins_with_the_pictures(make: Make) -> None:
    window = make()
    QTest.keyClick(window, Qt.Key.Key_F1)
    dialog = window.findChild(HelpDialog)
    text = dialog.findChild(QTextBrowser, "help.keys").toPlainText()
    places = [text.index(title) for title in sections()]
    assert places == sorted(places)
    assert list(sections())[:2] == ["What the pictures say", "Round the pictures"]
    assert text.index("decision boundary") < text.index("Mouse on a picture") < text.index("Ctrl+Z")
    dialog.close()


@pytest.mark.parametrize("simple", first_of([False, True], 1))
def test_every_control_has_an_answer(make: Make, qtbot: QtBot, simple: bool) -> None:
    window = make(simple=simple)
    window.controller.playback.watch(1)
    window.controller.playback.set_speed(1, FULL_SPEED)  # the bar stays, and nobody waits for the run
    for lane in (0, 1):
        window.controller.lanes.fold(lane, False)
    for panel in ("evaluation", "table", "step"):
        window.named_actions[panel].trigger()
        settle(qtbot, window)
        silent = [each.objectName() or type(each).__name__ for each in controls(window) if not teaching(each)]
        assert silent == [], panel
    for action in window.named_actions.values():
        assert action.whatsThis(), action.objectName()


@NO_GRAB
def test_a_click_is_answered_and_does_nothing_else(make: Make, qtbot: QtBot, asked: None) -> None:
    window = make()
    before = window.document
    weights = window.findChild(QWidget, "lane0.weights")
    QTest.keyClick(window, Qt.Key.Key_F1, SHIFT)
    assert QWhatsThis.inWhatsThisMode()
    QTest.mouseClick(weights, LEFT)
    assert not QWhatsThis.inWhatsThisMode() and answer() is not None
    assert window.document is before and not [w for w in window.findChildren(QDialog) if w.isVisible()]
    QWhatsThis.hideText()
    QTest.keyClick(window, Qt.Key.Key_F1, SHIFT)
    canvas = window.canvases[0]
    QTest.mouseClick(canvas.viewport(), LEFT, pos=canvas.to_widget(0.0, 0.0))
    assert window.document is before, "no point is added"


def test_the_text_is_that_of_the_tooltip(make: Make) -> None:
    window = make()
    field = window.findChild(QWidget, "lane1.C.slider")
    assert "Price of slack" in teaching(field) and teaching(field) == field.toolTip()
    inside = window.findChild(QWidget, "lane0.k").findChildren(QWidget)[0]
    assert "How many of the nearest points vote" in teaching(inside), "parts of a control speak for it"
    assert "decision boundary" in teaching(window.canvases[0].viewport())
    assert teaching(None) == ""


@NO_GRAB
def test_in_a_form_that_pops_up_the_field_with_the_focus_is_explained(make: Make, asked: None) -> None:
    window = make()
    button = window.findChild(PopupButton, "generator.more")
    button.open()
    seed = window.findChild(QWidget, "generator.seed")
    seed.setFocus()
    QTest.keyClick(seed, Qt.Key.Key_F1, SHIFT)
    assert answer() is not None
    QWhatsThis.hideText()
    button.form.hide()


def test_the_first_line_points_to_the_examples(make: Make, qtbot: QtBot) -> None:
    window = make(simple=True, size=(1024, 768))
    assert "Examples: Ctrl+Shift+O" in window.status_line.text()
    assert window.document.generator.name == "moons" and window.result(1).accuracy > 0.9
    hint = window.findChild(QWidget, "hint")
    assert hint.fontMetrics().horizontalAdvance(window.status_line.text()) <= hint.width() - 6
    assert window.childAt(QPoint(5, 5)) is not None
