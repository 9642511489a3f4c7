"""Translations: the supplied ones have the structure of their originals, and each difference gets a sentence."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.features.lessons import shipped, view_stage
from app.features.lessons.check import check, differences
from app.features.lessons.model import ENGLISH
from app.features.lessons.phrases import languages
from app.features.lessons.reading import parse
from app.features.lessons.view_stage import system_language
from app.features.table import FEATURES
from app.files.assets import assets
from app.files.documents import FileError
from app.main import main

#: `test_shipped` lists the lessons that are not translated.
PAIRS = [
    (name, language)
    for name in shipped.NAMES
    for language in languages()
    if shipped.file_of(name, language) != shipped.file_of(name, ENGLISH)
]

ORIGINAL = """---
title: A title
level: beginner
minutes: 5
learnt: 3 is a number.
---

# One of 2
start: example neighbours
show: k
hide: marks
k = 15
predict: Which of the 200?
- The 51 (right)
- The 14
  reason: 7 is odd.
because: It is −0.5.
hint: Try 9.
goal: test accuracy above 80 %

Text with 12, 13 and 13.

# Two

Text.
"""
#: The same in another language, with the decimal comma.
TRANSLATED = (
    ORIGINAL.replace("A title", "Ein Titel")
    .replace("3 is a number", "Eine Zahl ist 3")
    .replace("One of 2", "2 davon")
    .replace("Which of the 200?", "Welcher der 200?")
    .replace("The 51", "Die 51")
    .replace("The 14", "Die 14")
    .replace("7 is odd", "Ungerade ist 7")
    .replace("It is −0.5", "Es ist −0,5")
    .replace("Try 9", "Nimm 9")
    .replace("Text with 12, 13 and 13", "Text mit 13, 12 und 13")
)


def found(text: str) -> list[tuple[int, str]]:
    lesson, original = (parse(FEATURES, each, "x.lesson.md", None) for each in (text, ORIGINAL))
    return differences(lesson, original)


@pytest.mark.parametrize(("name", "language"), PAIRS)
def test_a_shipped_translation_differs_in_its_language_alone(name: str, language: str) -> None:
    lesson, original = shipped.lesson(FEATURES, name, language), shipped.lesson(FEATURES, name)
    assert (lesson.language, lesson.name, lesson.author) == (language, name, original.author)
    assert lesson.digest == original.digest, "answers count together"
    assert differences(lesson, original) == []
    texts = [(step.title, step.text) for step in lesson.steps]
    assert all(here != there for here, there in zip(texts, [(s.title, s.text) for s in original.steps], strict=True))


def test_another_order_of_words_and_a_decimal_comma_are_no_difference() -> None:
    assert TRANSLATED != ORIGINAL and found(TRANSLATED) == []


#: Text that is replaced in a translation, its replacement, and the difference that is found.
CHANGED = {
    "minutes": ("minutes: 5", "minutes: 6", (1, "the number of minutes is not that of the original.")),
    "level": ("beginner", "advanced", (1, "the level is not that of the original.")),
    "learnt": ("Zahl ist 3", "Zahl ist 4", (1, "sentence 1 of learnt has 4 where the original has 3.")),
    "learnt missing": ("learnt: Eine Zahl ist 3.\n", "", (1, "sentence 1 of learnt is missing.")),
    "steps": ("# Two\n\nText.", "", (1, "the number of steps is 1, in the original 2.")),
    "title": ("# 2 davon", "# Eins", (8, "step 1: title has no number where the original has 2.")),
    "start": ("neighbours", "wrong-labels", (8, "step 1: the start is not that of the original.")),
    "show": ("show: k", "show: none", (8, "step 1: the show line is not that of the original.")),
    "hide": ("hide: marks\n", "", (8, "step 1: the hide line is not that of the original.")),
    "cover": ("hide: marks", "hide: marks\ncover: numbers", (8, "step 1: the cover is not that of the original.")),
    "setting": ("k = 15", "k = 13", (8, "step 1: the list of settings is not that of the original.")),
    "goal": ("above 80 %", "above 81 %", (8, "step 1: the goal is not that of the original.")),
    "panel": ("hide: marks", "hide: marks\npanel: race", (8, "step 1: the panel is not that of the original.")),
    "layer": ("hide: marks", "hide: marks\nlayer: legend", (8, "step 1: the layer line is not that of the original.")),
    "view": ("hide: marks", "hide: marks\nview: 0, 0, 1", (8, "step 1: the view is not that of the original.")),
    "run": ("hide: marks", "hide: marks\nrun: paused", (8, "step 1: the run line is not that of the original.")),
    "question": ("Welcher der 200?", "Welcher?", (8, "step 1: question has no number where the original has 200.")),
    "answer": ("Die 14", "Die 41", (8, "step 1: answer 2 has 41 where the original has 14.")),
    "reason": ("  reason: Ungerade ist 7.\n", "", (8, "step 1: reason of answer 2 is missing.")),
    "sign": ("−0,5", "0,5", (8, "step 1: because has 0.5 where the original has −0.5.")),
    "hint": ("hint: Nimm 9.\n", "", (8, "step 1: hint is missing.")),
    "text": ("13, 12 und 13", "13 und 12", (8, "step 1: text has no number where the original has 13.")),
    "more": ("# Two\n", "# Two\nhint: Hier.\n", (23, "step 2: hint has no counterpart in the original.")),
}


@pytest.mark.parametrize("what", CHANGED)
def test_a_difference_gets_one_sentence(what: str) -> None:
    old, new, difference = CHANGED[what]
    assert TRANSLATED.count(old) == 1
    assert found(TRANSLATED.replace(old, new)) == [difference]


def test_the_right_answer_and_their_number_are_compared() -> None:
    other = (
        TRANSLATED.replace(" (right)", "")
        .replace("  reason: Ungerade ist 7.\n", "")
        .replace("Die 14", "Die 14 (right)")
    )
    assert (8, "step 1: the right answer is not that of the original.") in found(other)
    more = TRANSLATED.replace("because", "- Keiner\nbecause")
    assert found(more)[0] == (8, "step 1: the number of answers is not that of the original.")
    drawn = "predict boundary: Draw it.\n"
    sentences = [each for _, each in found(TRANSLATED.replace("# Two\n", f"# Two\n{drawn}"))]
    assert "step 2: the kind of question is not that of the original." in sentences


def test_the_command_compares_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    original, translated = tmp_path / "x.lesson.md", tmp_path / "x.de.lesson.md"
    original.write_text(ORIGINAL, encoding="utf-8")
    translated.write_text(TRANSLATED.replace("Nimm 9", "Nimm 8"), encoding="utf-8")
    arguments = ["lesson", "check", "--against", str(original), str(translated)]
    assert main(arguments) == 1
    assert capsys.readouterr().out == f"{translated}:8: step 1: hint has 8 where the original has 9.\n"
    translated.write_text(TRANSLATED, encoding="utf-8")
    assert main(arguments) == 0
    assert capsys.readouterr().out == f"{translated}: sound, 2 steps\n"
    original.write_text(ORIGINAL.replace("minutes: 5", "minutes: five"), encoding="utf-8")
    with pytest.raises(FileError, match=r"^x\.lesson\.md:4: minutes is a whole number"):
        check(FEATURES, [translated], original)
    with pytest.raises(SystemExit):
        main(["lesson", "answers", "--against", str(original), str(translated)])
    assert "--against is for lesson check" in capsys.readouterr().err


def test_what_is_not_translated_is_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert shipped.shipped("de")[0].title == "k, die Zahl der Nachbarn"
    for name in shipped.NAMES[:2]:
        (tmp_path / f"{name}.lesson.md").write_bytes((assets("lessons") / f"{name}.lesson.md").read_bytes())
    (tmp_path / f"{shipped.NAMES[0]}.de.lesson.md").write_text(TRANSLATED, encoding="utf-8")
    monkeypatch.setattr(shipped, "assets", lambda folder: tmp_path)
    assert [shipped.file_of(name, "de") for name in shipped.NAMES[:2]] == [
        f"{shipped.NAMES[0]}.de.lesson.md",
        f"{shipped.NAMES[1]}.lesson.md",
    ]


def test_the_next_lesson_is_in_the_same_language() -> None:
    row = shipped.following(shipped.lesson(FEATURES, "neighbours", "de"))
    assert row is not None and (row.name, row.language, row.title) == ("rule", "de", "Kann kNN deine Regel lernen?")


class Locale:
    """A system with these languages."""

    languages: tuple[str, ...] = ()

    @classmethod
    def system(cls) -> type[Locale]:
        return cls

    @classmethod
    def uiLanguages(cls) -> list[str]:
        return list(cls.languages)


@pytest.mark.parametrize(
    ("languages", "chosen"),
    [
        (("de-AT", "de", "en"), "de"),
        (("fr-FR", "fr", "de-CH"), "de"),
        (("en-GB", "de-DE"), "en"),
        (("C",), "en"),
        ((), "en"),
    ],
)
def test_the_first_language_of_the_system_that_there_is(
    languages: tuple[str, ...], chosen: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view_stage, "QLocale", type("Locale", (Locale,), {"languages": languages}))
    assert system_language() == chosen
