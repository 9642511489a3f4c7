"""The words around a lesson: in its language wherever the panel shows them, whole in every language."""

from __future__ import annotations

import re
from string import Formatter

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QComboBox, QLabel, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from app.features.answers.hand_in import encode, made_of
from app.features.lessons.controller import LessonController
from app.features.lessons.feature import STAGE
from app.features.lessons.goals import check, sentence
from app.features.lessons.model import ENGLISH, Lesson, Prediction, Start, Step
from app.features.lessons.panel import LessonText
from app.features.lessons.phrases import languages, phrases, unbroken
from app.features.lessons.state import LessonSession
from app.window.main_window import MainWindow
from tests.app.features.lessons.rehearsal import context_of
from tests.app.features.lessons.test_goals import BLOBS, SVM, of
from tests.windows import Make, finish_tasks, settle

SPACE = "\N{NO-BREAK SPACE}"


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def test_every_phrase_exists_in_every_language_with_the_same_placeholders() -> None:
    assert next(iter(languages())) == ENGLISH and "de" in languages()
    english = phrases(ENGLISH)
    for language in languages():
        other = phrases(language)
        assert set(other) == set(english), language
        for name, text in english.items():
            assert other[name] and placeholders(other[name]) == placeholders(text), (language, name)


def test_a_goal_has_words_and_units() -> None:
    context = context_of(of(BLOBS, SVM))
    text = check("margin above 0.25 and exactly 1 wrong", context).text
    assert re.fullmatch(r"margin above 0\.25 \(now [0-9.]+\), exactly 1 point wrong \(now \d+\)", text), text
    text = check("margin above 0.25 and at most 2 wrong", context, "de").text
    assert re.fullmatch(r"Rand über 0,25 \(jetzt [0-9,]+\), höchstens 2 Punkte falsch \(jetzt \d+\)", text), text
    assert sentence("training accuracy exactly 100 %", "de") == f"Trainingsgenauigkeit genau 100{SPACE}%"
    assert sentence("steps below 1000", "en") == "fewer than 1\N{NARROW NO-BREAK SPACE}000 steps"
    assert sentence("test accuracy of both above 87.3 %", "de") == f"Testgenauigkeit über 87,3{SPACE}% bei beiden"


def test_a_number_and_its_unit_stay_on_one_line() -> None:
    assert unbroken("86,8 % in 5 ms, 3 kg, 12 Schritte") == f"86,8{SPACE}% in 5{SPACE}ms, 3{SPACE}kg, 12 Schritte"


def click(window: MainWindow, qtbot: QtBot, name: str) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None and button.isVisible() and button.isEnabled(), name
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, pos=QPoint(10, button.height() // 2))
    finish_tasks(window)
    settle(qtbot, window)


def texts(root: QWidget, lesson: Lesson) -> list[str]:
    """Return the texts and tips that `root` displays, without those of `lesson` itself."""
    found = []
    for each in root.findChildren(QWidget):
        if not each.isVisible():
            continue
        found.append(re.sub("<[^>]*>", "", each.toolTip()))
        if isinstance(each, QComboBox):
            found += [each.itemText(index) for index in range(each.count())]
        elif isinstance(each, (QLabel, QAbstractButton)):
            found.append(each.text())
    own = [lesson.title, lesson.author, lesson.level]
    for step in lesson.steps:
        asked = step.prediction
        own += [step.title, *((asked.question, *asked.answers) if asked is not None else ())]
    for text in sorted(filter(None, map(unbroken, own)), key=len, reverse=True):
        found = [each.replace(text, "") for each in found]
    return found


#: The words of each English phrase that no German one has.
ENGLISH_PIECES = {
    piece
    for name, text in phrases(ENGLISH).items()
    for part in re.split(r"\{\w+\}", text)
    if len(piece := part.strip(" .:,*&")) > 2 and piece not in phrases("de")[name]
}


def english_in(found: list[str]) -> list[tuple[str, str]]:
    words = {piece: re.compile(rf"(?<!\w){re.escape(piece)}(?!\w)") for piece in ENGLISH_PIECES}
    return [(piece, text) for text in found for piece, word in words.items() if word.search(text)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["outlier", "neighbours"])
def test_a_german_lesson_has_no_english_word_around_it(make: Make, qtbot: QtBot, name: str) -> None:
    window = make()
    window.surroundings.part(STAGE).choose_language("de")
    window.surroundings.part(STAGE).open_shipped(name)
    finish_tasks(window)
    settle(qtbot, window)
    now = window.controller.session.of(LessonSession)
    panel, lesson = window.findChild(QWidget, "lesson"), now.lesson
    assert panel is not None and lesson is not None and lesson.language == "de"
    window.named_actions["class_answers"].trigger()
    settle(qtbot, window)
    seen: list[str] = []

    def look() -> None:
        found = texts(panel, lesson)
        assert not english_in([*found, window.status_line.text()])
        seen.extend(found)

    while not now.ended:
        look()
        asked = now.prediction
        if asked is not None:
            wrong = (asked.right + 1) % len(asked.answers)
            for answer in (wrong, asked.right):
                QTest.mouseClick(
                    window.findChild(QAbstractButton, f"lesson.answer{answer + 1}"), Qt.MouseButton.LeftButton
                )
                settle(qtbot, window)
                if not now.stays_open:
                    click(window, qtbot, "lesson.reveal")
                look()
        click(window, qtbot, "lesson.next")
        now = window.controller.session.of(LessonSession)
    look()
    text = panel.findChild(LessonText, "lesson.text")
    assert text is not None and "Richtig vorhergesagt: 0 von" in text.toPlainText()
    assert "Ziel nicht erreicht: Schritt" in text.toPlainText()
    everything = "\n".join(seen)
    assert all(word in everything for word in ("Weiter", "Stimmt nicht.", "Aufdecken", "Ziel: ", "(jetzt ", "Fertig"))
    click(window, qtbot, "lesson.hand_in")
    dialog = window.findChild(QWidget, "hand_in")
    assert dialog is not None
    assert not english_in([each for each in texts(dialog, lesson) if each not in ("Close", "&Close")])
    dialog.close()


ASKED = Prediction("choice", "Which?", ("One", "Two"), 1)
GOAL = Step("Reach", "Try.", Start("example", "margin"), goal="at most 1 point")
SHORT = Lesson(
    "Short", "", "", 5, (Step("Ask", "Look.", Start("example", "margin"), prediction=ASKED), GOAL), digest="d" * 16
)


def test_the_end_names_goals_that_were_not_reached_and_shows_who_handed_in(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.surroundings.part(STAGE).begin(SHORT)
    settle(qtbot, window)
    assert window.status_line.text().startswith("Step 1 of 2: Ask"), "not the sentence of the example"
    window.controller.feature(LessonController).choose(1)
    settle(qtbot, window)
    for name in ("reveal", "next", "next"):
        click(window, qtbot, f"lesson.{name}")
    text = window.findChild(LessonText, "lesson.text")
    assert text is not None and "Goal not reached: step 2, Reach." in text.toPlainText()
    click(window, qtbot, "lesson.hand_in")
    summary = window.findChild(QLabel, "hand_in.summary")
    assert summary is not None and summary.text() == "Questions answered: 1 of 1.  Goals reached: 0 of 1."
    dialog = window.findChild(QWidget, "hand_in")
    assert dialog is not None
    dialog.close()
    made = made_of(window.controller.session.of(LessonSession), "0" * 12, "")
    others = [encode(replace(made, number=f"{number:012x}")) for number in range(3)]
    QApplication.clipboard().setText("\n".join(others))
    window.named_actions["paste_answers"].trigger()
    finish_tasks(window)
    settle(qtbot, window)
    head, facts = (window.findChild(QLabel, f"class.{name}") for name in ("head", "facts"))
    assert head is not None and facts is not None and head.isVisible()
    assert head.text() == "The class: 3 handed in"
    assert facts.text() == "Step 1: 3 of 3 answered right at once.\nStep 2: 0 of 3 solved it."


def test_the_audience_reads_questions_from_the_left(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.named_actions["audience"].trigger()
    settle(qtbot, window)
    window.surroundings.part(STAGE).begin(SHORT)
    settle(qtbot, window)
    labels = [each for top in QApplication.topLevelWidgets() for each in top.findChildren(QLabel, "audience.message")]
    assert labels and all(not each.alignment() & Qt.AlignmentFlag.AlignHCenter for each in labels)
    assert any(each.text() == "Which?\nA  One\nB  Two" for each in labels)
