"""Menus: each command stands in one of them, and no two entries of a menu have the same mnemonic."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.features.lessons import shipped
from app.features.lessons.controller import LessonController
from app.features.table import FEATURES
from app.scene.feature import MENUS
from tests.windows import Make


def mnemonics(menu: QMenu) -> dict[str, list[str]]:
    """Return the texts of the entries of a menu by their underlined letter."""
    found: dict[str, list[str]] = {}
    for action in menu.actions():
        _, underlined, rest = action.text().replace("&&", "").partition("&")
        if underlined:
            found.setdefault(rest[0].lower(), []).append(action.text())
    return found


def within(entry: QAction) -> list[str]:
    """Return the names of the commands of a menu and its submenus."""
    menu = entry.menu()
    if isinstance(menu, QMenu):
        return [name for each in menu.actions() for name in within(each)]
    return [] if entry.isSeparator() else [entry.objectName()]


@pytest.mark.parametrize("simple", [True, False], ids=["simple", "full"])
def test_no_letter_is_underlined_twice_and_each_command_is_in_one_menu(make: Make, simple: bool) -> None:
    window = make(simple=simple)
    entries = {action.text(): action for action in window.menuBar().actions()}
    assert tuple(entries) == MENUS
    letters = [title[title.index("&") + 1].lower() for title in MENUS]
    assert len(set(letters)) == len(letters)
    menus = [menu for menu in window.findChildren(QMenu) if menu.actions()]
    assert [texts for menu in menus for texts in mnemonics(menu).values() if len(texts) > 1] == []
    commands = [name for entry in entries.values() for name in within(entry)]
    assert len(set(commands)) == len(commands)
    lessons = {"lessons", "lesson_add", "worksheet", "challenge", "lesson_next", "hand_in", "class_answers"}
    assert {f"action.{name}" for name in lessons} <= set(within(entries["&Lessons"]))


def test_the_tick_of_the_answers_of_the_class_follows_what_is_shown(make: Make) -> None:
    window = make()
    window.controller.feature(LessonController).begin(shipped.lesson(FEATURES, "neighbours"))
    window.refresh()
    action = window.named_actions["class_answers"]
    for shown in (True, False):
        action.trigger()
        window.refresh()
        assert action.isChecked() is shown
