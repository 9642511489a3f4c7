"""Another theme reaches every widget, in sight or not, without a new style sheet; a size of text what is in sight."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QColor, QFontInfo
from PySide6.QtWidgets import QLineEdit, QSlider, QWidget
from pytestqt.qtbot import QtBot

from app.views.theme import DARK, LIGHT
from tests.windows import Make, finish_layout, open_settings, settle


def colours(widget: QWidget) -> set[str]:
    image = widget.grab().toImage()
    return {image.pixelColor(x, y).name() for x in range(image.width()) for y in range(image.height())}


def name(rgb: tuple[int, int, int]) -> str:
    return QColor(*rgb).name()


def test_another_theme_reaches_what_is_in_sight_and_what_is_not(make: Make, qtbot: QtBot) -> None:
    window = make()
    panel = window.dock_manager.panel("race")  # created, but hidden
    finish_layout()
    sheet, changes = window.styleSheet(), []

    class Spy(QObject):
        def eventFilter(self, watched: QObject, event: QEvent) -> bool:
            changes.append(event.type())
            return False

    spy = Spy()
    window.lanes_view.installEventFilter(spy)
    for chosen, theme, other in (("dark", DARK, LIGHT), ("light", LIGHT, DARK), ("dark", DARK, LIGHT)):
        window.appearance.choose_theme(chosen)
        window.refresh()
        palettes = {each.palette().window().color().name() for each in window.findChildren(QWidget)}
        assert name(theme.window) in palettes and name(other.window) not in palettes
    assert window.styleSheet() == sheet and QEvent.Type.StyleChange not in changes
    window.named_actions["race"].trigger()
    settle(qtbot, window)
    window.lanes_view.removeEventFilter(spy)
    for parts, shown, gone in (
        (window.lanes_view.rows[0].findChildren(QSlider), DARK.accent, LIGHT.accent),
        (panel.findChildren(QSlider), DARK.accent, LIGHT.accent),
        (window.lanes_view.rows[1].findChildren(QLineEdit), DARK.edge, LIGHT.edge),
    ):
        seen = [each for each in parts if each.isVisible()]
        assert seen
        for each in seen:
            found = colours(each)
            assert name(shown) in found and name(gone) not in found, each.objectName()


def test_presenter_mode_gives_its_text_to_what_is_in_sight(make: Make, qtbot: QtBot) -> None:
    window = make()
    lanes = window.lanes_view

    def sizes(*parts: QWidget) -> set[int]:
        return {QFontInfo(each.font()).pixelSize() for each in parts}

    plain = sizes(lanes.rows[0].classifier)
    window.controller.presenting.toggle()
    settle(qtbot, window)
    assert lanes.text_size not in plain
    assert sizes(lanes.rows[0].classifier, lanes.strips[1], lanes.canvases[0]) == {lanes.text_size}
    assert sizes(*lanes.settings.forms) == plain, "no time is spent on what nobody sees"
    window.controller.lanes.add(1)
    settle(qtbot, window)
    assert sizes(lanes.rows[2].classifier, lanes.strips[2]) == {lanes.text_size}, "nor is a new one forgotten"
    window.controller.undo()
    settle(qtbot, window)
    window.controller.presenting.end()
    settle(qtbot, window)
    window.controller.lanes.add(1)
    open_settings(window, 0)
    settle(qtbot, window)
    assert lanes.settings.forms[0].isVisible()
    assert sizes(lanes.rows[2].classifier, lanes.strips[2], lanes.settings.forms[0], lanes.rows[0].classifier) == plain
