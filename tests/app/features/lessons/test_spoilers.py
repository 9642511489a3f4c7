"""Spoilers: visible answers are found if they are planted, and the supplied lessons have none."""

from __future__ import annotations

import re

import pytest

from app.features.lessons import shipped
from app.features.lessons.check import check, spoilers
from app.features.lessons.reading import parse
from app.features.table import FEATURES

FRONT = "---\ntitle: T\nminutes: 5\n---\n"


def found(text: str) -> list[str]:
    return [sentence for _, sentence in spoilers(parse(FEATURES, text, "x.lesson.md", None))]


@pytest.mark.parametrize("name", shipped.NAMES)
def test_no_supplied_lesson_reveals_an_answer(name: str) -> None:
    assert found(shipped.text(name)) == []


#: Lines of supplied lessons that hide an answer, with a word of what is found without them.
HIDING = [
    ("neighbours", "hide: test accuracy", "step 2 shows the test accuracy"),
    ("neighbours", "cover: test accuracy", None),  # then the whole picture is covered
    ("margin", "hide: marks, numbers", "step 1 shows the numbers, marks; write “hide: numbers, marks” there"),
    ("gamma", "hide: test accuracy", "step 2 shows the test accuracy"),
    ("step", "hide: marks", "step 1 shows the pair that moves"),
    ("race", "hide: numbers", "step 1 shows the numbers"),
    ("wrong-labels", "hide: marks", "step 1 shows the marks"),
]


@pytest.mark.parametrize(("name", "line", "shown"), HIDING)
def test_what_hides_an_answer_is_needed(name: str, line: str, shown: str | None) -> None:
    text = shipped.text(name)
    assert text.count(f"\n{line}\n") == 1
    sentences = found(text.replace(f"\n{line}\n", "\n"))
    assert sentences == [] if shown is None else (len(sentences) == 1 and shown in sentences[0])


def lesson(*steps: str) -> str:
    return FRONT + "\n".join(f"# S\n{step}\n" for step in steps)


ASK = "predict: {}\n- {} (right)\n- Something else"


def asking(what: str) -> str:
    """Return a question in no language, and what it asks for."""
    return f"asks: {what}\n{ASK.format('Quid?', 'Hoc')}"


#: Lessons with a visible answer, and words of what is found.
PLANTED: dict[str, tuple[str, str]] = {
    "numbers": (
        lesson("start: example weights\nclassifiers = knn", asking("numbers")),
        "step 1 shows the numbers; write “hide: numbers” there",
    ),
    "test accuracy": (
        lesson("start: example neighbours\nclassifiers = knn\nk = 1", asking("test accuracy")),
        "step 1 shows the test accuracy; write “hide: test accuracy” there",
    ),
    "marks": (
        lesson("start: example margin\nclassifiers = svm\nhide: numbers", asking("numbers, marks")),
        "step 1 shows the numbers, marks; write “hide: numbers, marks” there",
    ),
    "a picture": (lesson("start: example margin\nhide: numbers, marks", asking("picture")), "step 1 shows the picture"),
    "a comparison": (lesson("start: example gamma", asking("test accuracy")), "step 1 shows the test accuracy"),
    "a comparison beside a difference": (
        lesson("start: example gamma\nclassifiers = svm, svm, difference", asking("test accuracy")),
        "step 1 shows the test accuracy",
    ),
    "a boundary": (
        lesson("start: example margin", "predict boundary: Draw it."),
        "step 1 shows this boundary; write “hide: picture” there",
    ),
    "a boundary beside it": (
        lesson("start: example margin\nclassifiers = svm, svm\nkernel = linear\nC = 1\npredict boundary: Draw it."),
        "its own step shows this boundary",
    ),
    "a pair": (
        lesson("start: example step\nrun: paused", "run: paused\npredict pair: Which two?"),
        "step 1 shows the pair that moves",
    ),
    "an open question": (
        lesson("start: example gamma\ncover: marks\n" + asking("test accuracy")),
        "its own step shows the test accuracy; write “cover: test accuracy” there",
    ),
    "words": (
        lesson(
            "start: example gamma\n\nFar away, one class is predicted everywhere.",
            "start: example race\n" + ASK.format("What about far away?", "One class is predicted everywhere"),
        ),
        "the words of step 1 give the answer away",
    ),
}


@pytest.mark.parametrize("name", PLANTED)
def test_a_planted_answer_is_found(name: str) -> None:
    text, shown = PLANTED[name]
    (sentence,) = found(text)
    assert shown in sentence and sentence.endswith(".")


def test_other_points_other_settings_and_hidden_parts_reveal_nothing() -> None:
    text, _ = PLANTED["numbers"]
    for harmless in ("\nk = 3", "\nhide: numbers", "\nhide: picture"):
        shown = text.replace("classifiers = knn", f"classifiers = knn{harmless}", 1)
        assert found(shown.replace("asks", "k = 15\nasks")) == [], harmless
    assert found(text.replace("# S\nasks", "# S\nstart: example circle\nclassifiers = knn\nasks")) == []
    assert found(text.replace("asks: numbers\n", "")) == [], "nothing in sight is asked for"


def test_the_check_reports_the_line_of_the_question(tmp_path: object) -> None:
    path = tmp_path / "x.lesson.md"  # type: ignore[operator]
    path.write_text(PLANTED["a boundary"][0], encoding="utf-8")
    lines, sound = check(FEATURES, [path])
    assert not sound and len(lines) == 1 and re.search(r"x\.lesson\.md:8: step 1 shows this boundary", lines[0])
