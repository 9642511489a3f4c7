"""Spoilers: visible answers are found if they are planted, and the supplied lessons have none."""

from __future__ import annotations

import re

import pytest

from app.features.lessons import shipped
from app.features.lessons.check import _values, check, spoilers
from app.features.lessons.reading import parse
from app.features.table import FEATURES

FRONT = "---\ntitle: T\nminutes: 5\n---\n"


def found(text: str) -> list[str]:
    return [sentence for _, sentence in spoilers(FEATURES, parse(FEATURES, text, "x.lesson.md", None))]


@pytest.mark.parametrize("name", shipped.NAMES)
def test_no_supplied_lesson_reveals_an_answer(name: str) -> None:
    assert found(shipped.text(name)) == []


#: Lines of supplied lessons that hide an answer, with a word of what is found without them.
HIDING = [
    ("neighbours", "hide: test accuracy", "step 1 shows the test accuracy"),
    ("neighbours", "cover: test accuracy", None),  # then the whole picture is covered
    ("margin", "hide: marks, numbers", "step 1 shows the rings on support vectors"),
    ("gamma", "hide: test accuracy", "step 2 shows the test accuracy"),
    ("step", "hide: marks", "step 1 shows the pair that moves"),
    ("race", "hide: numbers", "step 1 shows the number of steps"),
    ("wrong-labels", "hide: marks", "step 1 shows the crosses on wrong points"),
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
#: Lessons with a visible answer, and words of what is found.
PLANTED: dict[str, tuple[str, str]] = {
    "a share in the status line": (
        lesson("start: example weights\nclassifiers = knn", ASK.format("How often is it right?", "64 in 100 times")),
        "step 1 shows 64 %, the answer; write “hide: numbers, marks” there",
    ),
    "a rough share": (
        lesson("start: example neighbours\nclassifiers = knn\nk = 1", ASK.format("How well will it do?", "About 86 %")),
        "step 1 shows 84.9 %",
    ),
    "a number in a tip": (
        lesson(
            "start: example race\nclassifiers = svm\nC = 100\ngamma = 2\nrule = random",
            ASK.format("How long does it take?", "8066 times two"),
        ),
        "step 1 shows 8066",
    ),
    "a number of marks": (
        lesson("start: example margin\nclassifiers = svm", ASK.format("How many hold the street?", "2")),
        "step 1 shows 2",
    ),
    "a comparison": (
        lesson("start: example gamma", ASK.format("Which is better on the test points?", "The left one")),
        "step 1 shows the test accuracy",
    ),
    "a comparison beside a difference": (
        lesson(
            "start: example gamma\nclassifiers = svm, svm, difference",
            ASK.format("Which is better on the test points?", "The left one"),
        ),
        "step 1 shows the test accuracy",
    ),
    "a boundary": (
        lesson("start: example margin", "predict boundary: Draw it."),
        "step 1 shows this boundary; write “hide: ",
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
        lesson("start: example gamma\ncover: marks\n" + ASK.format("Which test accuracy is better?", "The left one")),
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
    text, _ = PLANTED["a share in the status line"]
    for harmless in ("\nk = 3", "\nhide: numbers", "\nhide: picture"):
        assert (
            found(
                text.replace("classifiers = knn", f"classifiers = knn{harmless}", 1).replace(
                    "predict", "k = 15\npredict"
                )
            )
            == []
        ), harmless
    assert found(text.replace("# S\npredict", "# S\nstart: example circle\nclassifiers = knn\npredict")) == []


def test_the_check_reports_the_line_of_the_question(tmp_path: object) -> None:
    path = tmp_path / "x.lesson.md"  # type: ignore[operator]
    path.write_text(PLANTED["a boundary"][0], encoding="utf-8")
    lines, sound = check(FEATURES, [path])
    assert not sound and len(lines) == 1 and re.search(r"x\.lesson\.md:8: step 1 shows this boundary", lines[0])


def test_seconds_and_settings_are_no_answers() -> None:
    assert _values("k = 7 · 2.0 s · 3.4\N{NO-BREAK SPACE}ms · 4 steps") == {(4.0, False)}
