"""Answers about lanes that a lesson covers are withheld, by what they are about, not by their names."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, ClassVar

from app.engine.cover import Cover
from app.engine.pacing import Step
from app.engine.query import Answer, LaneQuestion
from app.engine.results import Results


@dataclass(frozen=True)
class Anything:
    def answer(self, post: Callable[[Any], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        yield from ()


@dataclass(frozen=True)
class Accuracy(Anything):
    reveals: ClassVar[Cover] = Cover.TEST


def shown(covers: dict[int, Cover], **queries: Anything) -> set[str]:
    """Return the names of the displayed answers to questions about lane 1, lane 2 and all lanes."""
    results = Results()
    for number, (what, query) in enumerate(queries.items()):
        for name in (LaneQuestion(what, 1), LaneQuestion(what, 2), what):
            assert results.accept(Answer(name, number, query, 0.5, True))
    return {name for name in ("a1", "a2", "a", "b1", "b2", "b") if results.without(covers).answer(name) is not None}


def test_an_answer_is_withheld_with_its_lane() -> None:
    assert shown({}, a=Anything()) == {"a1", "a2", "a"}
    assert shown({1: Cover.MARKS}, a=Anything()) == {"a2"}
    assert shown({3: Cover.PICTURE}, a=Anything()) == {"a1", "a2"}, "what is about all lanes is about that one, too"


def test_an_answer_is_shown_if_it_reveals_nothing() -> None:
    assert shown({2: Cover.TRAINING}, a=Anything(), b=Accuracy()) == {"a1", "b1", "b2", "b"}
    assert shown({2: Cover.NUMBERS}, b=Accuracy()) == {"b1"}


def test_a_digit_in_a_name_has_no_meaning() -> None:
    results = Results()
    results.accept(Answer("top 1", 1, Anything(), 0.5, True))
    assert results.without({2: Cover.PICTURE}).answer("top 1") is None
