"""Writing lessons: the present state as one more step, read again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.features.lessons import starting
from app.features.lessons.reading import parse
from app.features.lessons.writing import added
from app.files.documents import FileError
from app.state.document import Document, GeneratorSettings, default_document

pytest.importorskip("app.exchange.share_text")


def same(one: Document, other: Document) -> bool:
    """As far as a share text tells: its points are rounded."""
    near = one.points.labels.tolist() == other.points.labels.tolist()
    near = near and np.abs(one.points.xy - other.points.xy).max() < 0.001
    return near and one.lanes == other.lanes and one.shown == other.shown and one.view == other.view


def test_a_lesson_is_made_by_doing() -> None:
    first = default_document()
    second = replace(first, points=GeneratorSettings("circle", 30).points(), shown=1)
    text = added(None, first, "  # Two\nmoons # ", None)
    text = added(text, second, "A disc", ("k", "weights"))
    text = added(text, first, "", ())
    lesson = parse(text, "x.lesson.md", None)
    assert [step.title for step in lesson.steps] == ["Two moons", "A disc", "A step"]
    assert (lesson.title, lesson.minutes) == ("Two moons", 5)
    assert [step.show for step in lesson.steps] == [None, ("k", "weights"), ()]
    for place, document in enumerate((first, second, first)):
        assert same(starting.start_of(lesson, place), document) and lesson.steps[place].text
    assert [starting.start_of(lesson, place).is_generated for place in range(3)] == [True, False, True]


@pytest.mark.parametrize("before", ["# S\n\n```\ncode", "# S\n\n~~~\n", "# S\nshow: k", "# S\r\n\r\nText   \n\n\n\n"])
def test_what_stands_in_the_lesson_stays(before: str) -> None:
    text = f"---\ntitle: T\nminutes: 7\n---\n{before}"
    lesson = parse(added(text, default_document(), "T" * 200, None), "x.lesson.md", None)
    assert len(lesson.steps) == 2 and lesson.steps[1].title == "T" * 80 and lesson.minutes == 7
    assert added(text, default_document(), "U", None).startswith(text.rstrip())


def test_a_state_of_too_many_points_is_a_sentence() -> None:
    with pytest.raises(FileError):
        added(None, replace(default_document(), points=GeneratorSettings(count=400).points()), "S", None)
