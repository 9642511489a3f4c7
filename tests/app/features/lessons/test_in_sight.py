"""Question, answers and Reveal of each step of the supplied lessons are in sight, and stay in their place."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from app.features.lessons.controller import LessonController
from app.features.lessons.feature import STAGE
from app.features.lessons.panel import LessonPanel
from app.features.lessons.phrases import languages
from app.features.lessons.shipped import NAMES, lesson
from app.features.lessons.state import LessonSession
from app.features.table import FEATURES
from app.window.main_window import MainWindow
from tests.windows import Make, settle

PARTS = ("title", "steps", "text", "question", *(f"answer{number}" for number in range(1, 5)), "reveal", "next")


def lay_out(window: MainWindow) -> None:
    """Draw the present state, and finish the layout."""
    window.refreshing.flush()
    for _ in range(6):
        QApplication.processEvents()


def out_of_sight(panel: LessonPanel) -> list[str]:
    """Return the parts of the step that are cut or scrolled out of sight."""
    found = []
    for name in PARTS:
        part = panel.findChild(QWidget, f"lesson.{name}")
        assert part is not None or name.startswith("answer"), name
        if part is not None and part.isVisible():
            seen = part.visibleRegion().boundingRect()
            if seen.height() < part.height() or seen.width() < part.width() - 1:
                found.append(f"{name}: {seen.height()} of {part.height()}")
    return found


@pytest.mark.slow
@pytest.mark.parametrize("size", [(1280, 800), (1024, 768)])
@pytest.mark.parametrize("language", languages())
def test_each_step_is_in_sight(make: Make, qtbot: QtBot, language: str, size: tuple[int, int]) -> None:
    window = make(size=size)
    lessons = window.controller.feature(LessonController)
    problems = []
    for name in NAMES:
        window.surroundings.part(STAGE).begin(lesson(FEATURES, name, language))
        lay_out(window)
        for at in range(len(window.controller.session.of(LessonSession).lesson.steps)):
            lessons.go(at)
            lay_out(window)
            panel = window.dock_manager.panel("lesson")
            assert panel.isVisible()
            problems += [f"{name} {at + 1}: {each}" for each in out_of_sight(panel)]
        lessons.leave()
    assert problems == []


def test_reveal_stays_where_it_is_whatever_is_chosen(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    window.surroundings.part(STAGE).begin(lesson(FEATURES, "promise", "en"))
    settle(qtbot, window)
    panel = window.dock_manager.panel("lesson")
    reveal = panel.findChild(QAbstractButton, "lesson.reveal")
    text = panel.findChild(QWidget, "lesson.text")
    assert reveal is not None and text is not None
    before, size = reveal.mapTo(window, QPoint(0, 0)), text.fontInfo().pixelSize()
    for number in (1, 2, 3):
        window.controller.feature(LessonController).choose(number - 1)
        lay_out(window)
        assert reveal.mapTo(window, QPoint(0, 0)) == before and text.fontInfo().pixelSize() == size, number


def test_a_panel_whose_answer_is_covered_says_so(make: Make, qtbot: QtBot) -> None:
    window = make(size=(1280, 800))
    window.surroundings.part(STAGE).begin(lesson(FEATURES, "promise", "en"))
    settle(qtbot, window)
    panel = window.dock_manager.panel("reliability")
    sentence = window.findChild(QLabel, "reliability.offer.sentence")
    window.dock_manager.reveal("reliability")
    lay_out(window)
    assert sentence is not None and sentence.isVisible() and not panel.isVisible()
    assert sentence.text() == "Covered until the reveal."
    lessons = window.controller.feature(LessonController)
    lessons.choose(window.controller.session.of(LessonSession).prediction.right)
    lessons.reveal()
    settle(qtbot, window)
    lay_out(window)
    assert panel.isVisible() and not sentence.isVisible()
