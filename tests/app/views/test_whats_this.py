"""Help: F1 begins with the first steps, and finds words; What's this answers at every control; the first hint."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QImage, QTextDocument
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QLineEdit, QTabWidget, QTextBrowser, QWhatsThis, QWidget
from pytestqt.qtbot import QtBot

from app.features.table import FEATURES
from app.scene.help import sections, symbols
from app.views.widgets.whats_this import teaching
from app.window.bars.popup import PopupButton
from app.window.dialogs.help import HelpDialog
from app.window.main_window import MainWindow
from tests.covering import first_of
from tests.windows import Make, open_settings, settle

#: The offscreen platform warns here, too.
NO_GRAB = pytest.mark.qt_log_ignore("grabbing the keyboard", extend=True)
LEFT, SHIFT = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def asked(qapp: QApplication) -> Iterator[None]:
    """End What's this after the test."""
    yield
    QWhatsThis.leaveWhatsThisMode()
    QWhatsThis.hideText()


def answer() -> str | None:
    """Return the text of the displayed answer."""
    found = [w for w in QApplication.topLevelWidgets() if w.metaObject().className() == "QWhatsThat"]
    return next((str(w.property("_q_text") or "shown") for w in found if w.isVisible()), None)


def controls(window: MainWindow) -> list[QWidget]:
    """Return the controls that can be clicked or typed into."""
    return [
        each
        for each in window.findChildren(QWidget)
        if each.isVisible()
        and each.isEnabled()
        and each.focusPolicy() != Qt.FocusPolicy.NoFocus
        and not isinstance(each, QLabel)
    ]


def test_help_begins_with_first_steps_and_drawings_of_the_pictures(make: Make) -> None:
    window = make()
    QTest.keyClick(window, Qt.Key.Key_F1)
    dialog = window.findChild(HelpDialog)
    pages = dialog.findChild(QTabWidget, "help.pages")
    begin = dialog.findChild(QTextBrowser, "help.begin")
    assert pages.currentWidget() is begin and pages.tabText(0) == "Begin here"
    text = begin.toPlainText()
    assert text.index("Click in a picture") < text.index("Decision boundary") < text.index("Free support vector")

    def drawings() -> list[QImage]:
        image = QTextDocument.ResourceType.ImageResource.value
        found = [begin.document().resource(image, QUrl(f"symbol:{kind}")) for kind, _ in symbols()]
        return [each.toImage() for each in found]

    light = drawings()
    assert len(light) > 8 and all(not each.isNull() for each in light)
    assert len({bytes(each.constBits()) for each in light}) == len(light), "each sign has a drawing of its own"
    window.appearance.choose_theme("dark")
    window.refresh()
    assert all(dark != each for dark, each in zip(drawings(), light, strict=True))
    text = dialog.findChild(QTextBrowser, "help.keys").toPlainText()
    locations = [text.index(title) for title in sections(FEATURES)]
    assert locations == sorted(locations)
    dialog.close()


def test_help_finds_a_word_on_any_page(make: Make) -> None:
    window = make()
    QTest.keyClick(window, Qt.Key.Key_F1)
    dialog = window.findChild(HelpDialog)
    pages, field = dialog.findChild(QTabWidget, "help.pages"), dialog.findChild(QLineEdit, "help.search")
    QTest.keyClicks(field, "spotlight")
    page = pages.currentWidget()
    assert page.objectName() == "help.keys" and page.textCursor().selectedText() == "spotlight"
    field.selectAll()
    QTest.keyClicks(field, "point")
    first = (pages.currentWidget(), pages.currentWidget().textCursor().position())
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert (pages.currentWidget(), pages.currentWidget().textCursor().position()) != first and dialog.isVisible()
    for _ in range(2000):  # through all pages, back to the start
        QTest.keyClick(field, Qt.Key.Key_Return)
        if (pages.currentWidget(), pages.currentWidget().textCursor().position()) == first:
            break
    else:
        raise AssertionError("the search does not come round")
    QTest.keyClicks(field, "less nonsense")
    assert field.property("bad")
    field.selectAll()
    QTest.keyClick(field, Qt.Key.Key_Delete)
    assert not field.property("bad")
    dialog.close()


@pytest.mark.parametrize("simple", first_of([False, True], 1))
def test_every_control_has_an_answer(make: Make, qtbot: QtBot, simple: bool) -> None:
    window = make(simple=simple)
    window.controller.playback.set_replay(1e6)  # the bar stays, and the test does not wait for the run
    window.controller.playback.watch(1)
    for lane in (0, 1):
        open_settings(window, lane)
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
