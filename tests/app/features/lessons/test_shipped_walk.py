"""The supplied lessons, worked through to their ends by keys and clicks, by a student and with a clicker."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from app.engine.cover import Cover
from app.features.lessons.feature import STAGE
from app.features.lessons.model import ENGLISH
from app.features.lessons.scene import LessonScene
from app.features.lessons.shipped import NAMES
from app.features.lessons.state import LessonSession
from app.window.main_window import MainWindow
from tests.windows import Make, finish_tasks, settle

#: A lesson with a drawn line, and one with a picked pair; the others are in the soak test.
QUICK = ("circle", "step")
THEMES = ("light", "dark")
#: German texts are longer, and must fit, too.
LANGUAGE = {"light": "en", "dark": "de"}
WALKS = [
    pytest.param(name, theme, marks=() if theme == THEMES[name == "step"] and name in QUICK else pytest.mark.soak)
    for name in NAMES
    for theme in THEMES
]


def here(window: MainWindow) -> LessonSession:
    return window.controller.session.of(LessonSession)


def press(window: MainWindow, qtbot: QtBot, key: Qt.Key) -> None:
    QTest.keyClick(QApplication.focusWidget() or window, key)
    settle(qtbot, window, 60_000)


def guess(window: MainWindow, qtbot: QtBot) -> None:
    """Predict as well as possible."""
    prediction = here(window).prediction
    assert prediction is not None
    view = window.canvases[prediction.lane].viewport()
    button = Qt.MouseButton.LeftButton
    if prediction.kind == "choice":
        press(window, qtbot, Qt.Key(Qt.Key.Key_1 + prediction.right))
    elif prediction.kind == "pair":
        points = window.document.training_points
        for label in points.classes[:2]:
            location = points.xy[points.labels == label][0]
            QTest.mouseClick(view, button, pos=window.to_widget(prediction.lane, *location))
    else:
        area = window.canvases[prediction.lane].plot_area().toRect()
        QTest.mousePress(view, button, pos=area.center())
        for step in range(1, 9):
            QTest.mouseMove(view, area.center() + step * (area.bottomRight() - area.center()) / 10)
        QTest.mouseRelease(view, button, pos=area.center() + 8 * (area.bottomRight() - area.center()) / 10)
    settle(qtbot, window)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "theme"), WALKS)
def test_a_lesson_goes_to_its_end(name: str, theme: str, make: Make, qtbot: QtBot) -> None:
    window = make(size=(1024, 768))
    window.appearance.choose_theme(theme)
    window.surroundings.part(STAGE).choose_language(LANGUAGE[theme])
    window.surroundings.part(STAGE).open_shipped(name)
    finish_tasks(window)
    settle(qtbot, window, 60_000)
    lesson = here(window).lesson
    assert lesson is not None and lesson.language == LANGUAGE[theme] and window.scene is not None, (
        window.status_line.text()
    )
    window.canvases[0].setFocus()
    for index, step in enumerate(lesson.steps):
        assert here(window).at == index
        scene = window.scene.feature(LessonScene)
        assert scene is not None and scene.step is step
        if step.goal and step.prediction is None:
            assert (scene.reached is not None or step.paused) and scene.goal
            assert lesson.language != ENGLISH or step.goal.split()[0] in scene.goal
        if step.prediction is not None:
            covered = [lane for lane in window.scene.lanes if lane.slot in scene.covered]
            assert bool(covered) == (step.cover == Cover.PICTURE)
            assert all(lane.picture is None and not lane.scores for lane in covered)
            guess(window, qtbot)
            assert here(window).state.guess.is_made
        if step.prediction is not None and step.measure != "before":
            press(window, qtbot, Qt.Key.Key_PageDown)
            assert here(window).at == index and here(window).state.guess.revealed, window.status_line.text()
            assert all(lane.picture is not None for lane in window.scene.lanes)
            score = window.findChild(QLabel, "lesson.score")
            assert score is not None and score.isVisible()
            if step.prediction.kind == "choice":
                assert score.text() == {"en": "Right.", "de": "Richtig."}[lesson.language]
            else:
                assert any(sign.isdigit() for sign in score.text())
        assert window.width() == 1024 and window.minimumSizeHint().width() <= 1024
        press(window, qtbot, Qt.Key.Key_PageDown)
    assert here(window).at == len(lesson.steps) - 1 and here(window).ended
    assert here(window).score[1] == lesson.n_predictions
    press(window, qtbot, Qt.Key.Key_PageUp)
    assert not here(window).ended
    for index in reversed(range(len(lesson.steps) - 1)):
        press(window, qtbot, Qt.Key.Key_PageUp)
        assert here(window).at == index
