"""Writing lessons: the present state as one more step, read again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from msgspec.structs import replace

from app.engine.cover import Cover
from app.features.lessons import starting
from app.features.lessons.model import Prediction
from app.features.lessons.reading import parse
from app.features.lessons.writing import NewStep, WrittenAnswer, added
from app.features.table import FEATURES
from app.files.documents import FileError
from app.state.document import Document, GeneratorSettings, default_document

pytest.importorskip("app.exchange.share_text")


def same(one: Document, other: Document) -> bool:
    """Compare two documents as far as a share text keeps them: its points are rounded."""
    near = one.points.labels.tolist() == other.points.labels.tolist()
    near = near and np.abs(one.points.xy - other.points.xy).max() < 0.001
    return near and one.lanes == other.lanes and one.shown == other.shown and one.view == other.view


def test_a_lesson_is_made_by_doing() -> None:
    first = default_document()
    second = replace(first, points=GeneratorSettings("circle", 30).points(), shown=1)
    text = added(None, first, NewStep("  # Two\nmoons # ", lesson="# Mine"))
    text = added(text, second, NewStep("A disc", show=("k", "weights")))
    text = added(text, first, NewStep("", show=()))
    lesson = parse(FEATURES, text, "x.lesson.md", None)
    assert [step.title for step in lesson.steps] == ["Two moons", "A disc", "A step"]
    assert (lesson.title, lesson.minutes) == ("Mine", 5)
    assert [step.show for step in lesson.steps] == [None, ("k", "weights"), ()]
    for index, document in enumerate((first, second, first)):
        assert same(starting.start_of(lesson, index), document)
    assert [starting.start_of(lesson, index).is_generated for index in range(3)] == [True, False, True]


@pytest.mark.parametrize("before", ["# S\n\n```\ncode", "# S\n\n~~~\n", "# S\nshow: k", "# S\r\n\r\nText   \n\n\n\n"])
def test_what_stands_in_the_lesson_stays(before: str) -> None:
    text = f"---\ntitle: T\nminutes: 7\n---\n{before}"
    lesson = parse(FEATURES, added(text, default_document(), NewStep("T" * 200)), "x.lesson.md", None)
    assert len(lesson.steps) == 2 and lesson.steps[1].title == "T" * 80 and lesson.minutes == 7
    assert added(text, default_document(), NewStep("U")).startswith(text.rstrip())


def test_a_state_of_too_many_points_is_a_sentence() -> None:
    with pytest.raises(FileError):
        added(None, replace(default_document(), points=GeneratorSettings(count=400).points()), NewStep("S"))


ASKED = NewStep(
    "Smooth",
    "# Look\n\n* at the *boundary*\n\n## twice\n#hash",
    ("k", "data set"),
    "choice",
    question=" What  happens\nwhen k grows? ",
    because="More neighbours vote.",
    answers=(
        WrittenAnswer("It gets rough", "One point\ncounts less."),
        WrittenAnswer(" "),
        WrittenAnswer("It gets smooth", "never told"),
    ),
    right=2,
    cover="numbers, marks",
)


def test_a_question_is_written_as_a_lesson_has_it() -> None:
    step = parse(FEATURES, added(None, default_document(), ASKED), "x.lesson.md", None).steps[0]
    assert step.prediction == Prediction(
        "choice",
        "What happens when k grows?",
        ("It gets rough", "It gets smooth"),
        1,
        "More neighbours vote.",
        reasons=("One point counts less.", ""),
    )
    assert (step.show, step.cover) == (("k", "data set"), Cover.NUMBERS | Cover.MARKS)
    assert step.text == "### Look\n\n* at the *boundary*\n\n### twice\n#hash", "no heading that would be another step"
    drawn = replace(ASKED, kind="boundary", lane=1)
    pair = replace(ASKED, kind="pair", lane=1, cover="marks")
    for written, cover in ((drawn, Cover.PICTURE), (pair, Cover.MARKS)):
        step = parse(FEATURES, added(None, default_document(), written), "x.lesson.md", None).steps[0]
        assert step.prediction is not None and not step.prediction.answers
        assert (step.prediction.kind, step.prediction.lane, step.cover) == (written.kind, 1, cover)


@pytest.mark.parametrize(
    ("changes", "report"),
    [
        ({}, ""),
        ({"title": " "}, "Write the title of the step."),
        ({"question": "\n"}, "Write the question."),
        ({"answers": (WrittenAnswer("a"), WrittenAnswer(" "))}, "Write at least two answers."),
        ({"answers": (WrittenAnswer("a"), WrittenAnswer("b "), WrittenAnswer(" b"))}, "Two answers are the same."),
        ({"right": -1}, "Mark the answer that is right."),
        ({"right": 1}, "Mark the answer that is right."),
        ({"kind": "boundary", "answers": ()}, ""),
        ({"kind": None, "question": ""}, ""),
    ],
)
def test_missing_parts_are_reported(changes: dict[str, Any], report: str) -> None:
    assert replace(ASKED, **changes).missing == report
