"""Questions asked before and after: written once, answered twice, and told only the second time."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

import pytest
from PySide6.QtCore import QSizeF, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QLabel, QPushButton, QRadioButton
from pytestqt.qtbot import QtBot

from app.features.answers.hand_in import collected, sources_in
from app.features.lessons import view_worksheet
from app.features.lessons.check import check
from app.features.lessons.controller import LessonController
from app.features.lessons.feature import STAGE
from app.features.lessons.model import Lesson
from app.features.lessons.panel import LessonText
from app.features.lessons.reading import examined, parse, read
from app.features.lessons.scene import LessonScene
from app.features.lessons.state import LessonSession
from app.features.table import FEATURES
from app.main import create_window
from app.window.main_window import MainWindow
from tests.windows import Make, settle

from .measured import MEASURED, TEXT


def faults(text: str) -> list[str]:
    return examined(FEATURES, text, "x.lesson.md", None)[1]


def asked(lesson: Lesson, at: int) -> tuple[str, tuple[str, ...], str, str, tuple[str, ...]]:
    """Return question, answers, right answer, explanation and reasons of a step."""
    found = lesson.steps[at].prediction
    assert found is not None
    return found.question, found.answers, found.answers[found.right], found.because, found.reasons


# -- reading -----------------------------------------------------------------------------------------------------------


def test_the_question_is_written_once_and_asked_twice_in_another_order() -> None:
    before, after = asked(MEASURED, 0), asked(MEASURED, 2)
    assert before[0] == after[0] == "What does a larger C do?"
    assert set(before[1]) == set(after[1]) and all(one != other for one, other in zip(before[1], after[1], strict=True))
    assert before[2] == after[2] == "Each error costs more"
    assert [step.measure for step in MEASURED.steps] == ["before", "", "after"] and MEASURED.measured == {2: 0}
    assert MEASURED.n_predictions == 2, "the first time is no prediction that counts"


def test_reasons_and_explanation_are_told_the_second_time_only() -> None:
    assert asked(MEASURED, 0)[3:] == ("", ())
    assert asked(MEASURED, 2)[3] == "C is the price of an error."
    reasons = dict(zip(asked(MEASURED, 2)[1], asked(MEASURED, 2)[4], strict=True))
    assert reasons == {
        "It widens the street": "Errors cost more, so the street gives way.",
        "Each error costs more": "",
        "It lets more points be wrong": "A small C does.",
    }


def test_the_order_is_the_same_each_time_and_in_every_language(tmp_path: Path) -> None:
    german = TEXT.replace("It widens the street", "Er macht die Straße breiter").replace("Guess.", "Rate.")
    path = tmp_path / "measured.de.lesson.md"
    path.write_text(german, encoding="utf-8")
    (tmp_path / "measured.lesson.md").write_text(TEXT, encoding="utf-8")
    assert asked(parse(FEATURES, TEXT, "other.lesson.md", None), 2) == asked(MEASURED, 2)
    translated = asked(read(FEATURES, path), 2)[1]
    assert translated.index("Er macht die Straße breiter") == asked(MEASURED, 2)[1].index("It widens the street")
    assert check(FEATURES, [path], tmp_path / "measured.lesson.md")[1]
    path.write_text(german.replace("measure: after", "predict: Was?\n- Er macht die Straße breiter\n- Beides (right)"))
    lines, sound = check(FEATURES, [path], tmp_path / "measured.lesson.md")
    assert not sound and any("no later step" in line for line in lines)


@pytest.mark.parametrize("number", [2, 3, 4])
def test_no_answer_stands_where_it_stood(number: int) -> None:
    for at in range(1, 5):  # steps between the two
        answers = "\n".join(["- No 0 (right)", *(f"- No {index}" for index in range(1, number))])
        between = "# Look\n\nText.\n\n" * (at - 1)
        first = f"---\ntitle: T\nminutes: 5\n---\n# A\nmeasure: before\npredict: Q?\n{answers}\n\nT.\n\n"
        text = f"{first}{between}# B\nmeasure: after\n\nT.\n"
        lesson = parse(FEATURES, text, "x.lesson.md", None)
        before, after = asked(lesson, 0)[1], asked(lesson, at)[1]
        assert sorted(before) == sorted(after) and not any(map(str.__eq__, before, after))


def test_several_questions_are_asked_again_in_their_order() -> None:
    head, first, between, after = TEXT.partition("# At")[0], *[f"# {part}" for part in TEXT.split("# ")[1:]]
    second = first.replace("At the start", "And").replace("What does a larger C do?", "What is C?")
    lesson = parse(FEATURES, "".join((head, first, second, between, after + "\n", after)), "x.lesson.md", None)
    assert lesson.measured == {3: 0, 4: 1}
    assert [asked(lesson, at)[0] for at in (3, 4)] == ["What does a larger C do?", "What is C?"]


@pytest.mark.parametrize(
    ("old", "new", "line", "words"),
    [
        ("measure: before", "measure: later", 9, "there is no measure “later”"),
        ("measure: after\n", "", 9, "no later step asks it again"),
        ("measure: before\n", "", 30, "no step before it is “measure: before”"),
        ("measure: after", "measure: after\npredict: What?\n- A (right)\n- B", 31, "asks the earlier question"),
        ("measure: before", "measure: before\ngoal: at least 2 points", 9, "has no goal"),
        (TEXT[TEXT.index("predict:") : TEXT.index("because:")], "predict boundary: Where?\n", 9, "with answers"),
    ],
)
def test_what_does_not_fit_is_named_with_its_line(old: str, new: str, line: int, words: str) -> None:
    assert old in TEXT
    found = faults(TEXT.replace(old, new, 1))
    assert any(each.startswith(f"x.lesson.md:{line}: ") and words in each for each in found), found


def test_a_fault_in_the_question_is_reported_once() -> None:
    found = faults(TEXT.replace(" (right)", "", 1))
    assert found == ["x.lesson.md:10: no answer is marked “(right)”."]


def test_the_lesson_between_may_give_the_answer_away() -> None:
    text = TEXT.replace("Look at both.", "Each error costs more where C is larger.")
    lines, sound = check_text(text)
    assert sound, lines
    lines, sound = check_text(text.replace("Guess.", "Each error costs more where C is larger."))
    assert not sound and "give the answer away" in lines[0]


def check_text(text: str) -> tuple[list[str], bool]:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.lesson.md"
        path.write_text(text, encoding="utf-8")
        return check(FEATURES, [path])


# -- in the window -----------------------------------------------------------------------------------------------------


def now(window: MainWindow) -> LessonSession:
    return window.controller.session.of(LessonSession)


def shown(window: MainWindow, name: str) -> str:
    label = window.findChild(QLabel, name)
    assert label is not None
    return label.text() if label.isVisible() else ""


def press(window: MainWindow, qtbot: QtBot, name: str) -> None:
    button = window.findChild(QPushButton, name)
    assert button is not None and button.isVisible() and button.isEnabled(), name
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    settle(qtbot, window)


def answer(window: MainWindow, number: int) -> QRadioButton:
    button = window.findChild(QRadioButton, f"lesson.answer{number}")
    assert button is not None
    return button


def begin(window: MainWindow, qtbot: QtBot) -> None:
    window.surroundings.part(STAGE).begin(MEASURED)
    settle(qtbot, window)


@pytest.mark.slow
def test_the_first_time_nothing_is_revealed_explained_or_counted(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot)
    reveal = window.findChild(QPushButton, "lesson.reveal")
    assert reveal is not None and not reveal.isVisible()
    assert "again at the end" in shown(window, "lesson.asked")
    QTest.mouseClick(answer(window, 1), Qt.MouseButton.LeftButton)  # a wrong one
    settle(qtbot, window)
    because = window.findChild(LessonText, "lesson.because")
    assert because is not None and not because.isVisible() and not shown(window, "lesson.score")
    scene = window.scene
    assert scene is not None and (lesson := scene.feature(LessonScene)) is not None and lesson.covered, "still covered"
    window.controller.feature(LessonController).reveal()
    assert now(window).prediction is not None and now(window).score == (0, 0)
    press(window, qtbot, "lesson.next")
    assert now(window).at == 1 and now(window).states[0].guess.answer == 0 and now(window).score == (0, 0)


def test_the_second_time_is_a_question_as_any_other(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot)
    window.controller.feature(LessonController).go(2)
    settle(qtbot, window)
    order = asked(MEASURED, 2)[1]
    wrong, right = order.index("It widens the street") + 1, order.index("Each error costs more") + 1
    QTest.mouseClick(answer(window, wrong), Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    press(window, qtbot, "lesson.reveal")
    because = window.findChild(LessonText, "lesson.because")
    assert because is not None and "street gives way" in because.toPlainText()
    QTest.keyClick(window.canvases[0], getattr(Qt.Key, f"Key_{right}"))
    settle(qtbot, window)
    press(window, qtbot, "lesson.reveal")
    assert "C is the price" in because.toPlainText() and now(window).score == (0, 1)


def test_the_first_answer_may_be_left_out_and_is_settled_by_what_follows(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot)
    press(window, qtbot, "lesson.next")
    assert now(window).at == 0 and "Not answered yet" in shown(window, "lesson.asked")
    QTest.mouseClick(answer(window, 2), Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    press(window, qtbot, "lesson.next")
    press(window, qtbot, "lesson.back")
    assert now(window).at == 0 and answer(window, 2).isChecked()
    assert not any(answer(window, number).isEnabled() for number in (1, 2, 3))
    assert "no longer" in shown(window, "lesson.asked")
    QTest.keyClick(window.canvases[0], Qt.Key.Key_1)
    settle(qtbot, window)
    assert now(window).state.guess.answer == 1
    window.named_actions["lesson_reset"].trigger()
    settle(qtbot, window)
    assert now(window).state.guess.answer == 1 and answer(window, 2).isChecked(), "nothing is lost"


def test_a_class_goes_on_without_a_reveal(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot)
    window.named_actions["class_answers"].trigger()
    settle(qtbot, window)
    QTest.keyClick(window.canvases[0], Qt.Key.Key_PageDown)
    settle(qtbot, window)
    assert now(window).at == 1 and not now(window).states[0].guess.revealed


@pytest.mark.slow
def test_the_audience_sees_the_question_both_times(make: Make, qtbot: QtBot) -> None:
    window = make()
    window.named_actions["audience"].trigger()
    settle(qtbot, window)
    begin(window, qtbot)
    for at in (0, 2):
        window.controller.feature(LessonController).go(at)
        settle(qtbot, window)
        question, answers, *_ = asked(MEASURED, at)
        whole = "\n".join([question, *(f"{letter}  {each}" for letter, each in zip("ABC", answers, strict=True))])
        labels = [
            each.text()
            for top in QApplication.topLevelWidgets()
            for each in top.findChildren(QLabel, "audience.message")
            if each.isVisible()
        ]
        assert whole in labels


@pytest.mark.slow
def test_what_is_handed_in_has_both_answers(make: Make, qtbot: QtBot) -> None:
    window = make()
    begin(window, qtbot)
    QTest.mouseClick(answer(window, 3), Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    press(window, qtbot, "lesson.next")
    QTest.keyClick(window.canvases[0], Qt.Key.Key_1)
    settle(qtbot, window)
    for button in ("reveal", "next"):
        press(window, qtbot, f"lesson.{button}")
    assert "another order" in shown(window, "lesson.asked")
    right = asked(MEASURED, 2)[1].index("Each error costs more")
    QTest.mouseClick(answer(window, right + 1), Qt.MouseButton.LeftButton)
    settle(qtbot, window)
    for button in ("reveal", "next", "hand_in"):
        press(window, qtbot, f"lesson.{button}")
    press(window, qtbot, "hand_in.copy")
    (made,) = collected(MEASURED, sources_in(QApplication.clipboard().text(), "")).hand_ins
    assert [each.choices for each in made.steps] == [(2,), (0,), (right,)] and not made.nickname
    assert [each.solved for each in made.steps] == [False, True, True]
    dialog = window.findChild(QDialog, "hand_in")
    assert dialog is not None
    dialog.close()


# -- on paper ----------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_paper_has_the_question_twice_and_its_solution_once(qapp: QApplication, tmp_path: Path) -> None:
    exercises = list(view_worksheet._exercises(create_window, MEASURED))
    questions, solutions = (
        view_worksheet.written(MEASURED, exercises, QSizeF(6.8, 10.2)).toPlainText().split("Solutions: ")
    )
    assert questions.count("What does a larger C do?") == 2
    lines = [line for line in questions.splitlines() if line.endswith("Each error costs more")]
    letters = ["ABC"[asked(MEASURED, at)[1].index("Each error costs more")] for at in (0, 2)]
    assert [line[0] for line in lines] == letters and letters[0] != letters[1]
    assert "price of an error." not in questions.partition("At the start")[2]
    assert solutions.count("C is the price of an error.") == 1 and "At the start" not in solutions
    out = tmp_path / "measured.xml"
    options = Namespace(out=out, paper="a4")
    assert view_worksheet.render_worksheet(create_window, MEASURED, options) == "The price of an error: 2 questions"
    quiz = out.read_text(encoding="utf-8")
    assert quiz.count("What does a larger C do?") == 1 and quiz.count("A small C does.") == 1
