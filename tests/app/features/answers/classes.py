"""A class for tests: hand-ins made by script, valid and damaged, to a lesson of two choices, a boundary and a goal."""

from __future__ import annotations

import random
from functools import cache

import msgspec

from app.exchange.opening import ANSWERS_PREFIX
from app.exchange.packed_text import packed
from app.features.answers.hand_in import HandIn, StepAnswers, encode
from app.features.lessons.model import Lesson
from app.features.lessons.reading import parse
from app.features.lessons.state import Line
from app.features.table import FEATURES

TEXT = """---
title: A small lesson
minutes: 5
---

# Which?
show: k
classifiers = knn, knn
predict: Which one is better?
- The left one
- The right one (right)
- Both alike
because: So it is.

Look at both.

# Where?
start: example margin
show: none
classifiers = svm, knn
predict boundary: Where will it run?

Draw it.

# How few?
show: C
goal: at least 2 points

Any will do.
"""
NAME = "small"
SMALL: Lesson = parse(FEATURES, TEXT, f"{NAME}.lesson.md", None)


def drawn(seed: int) -> Line:
    """Return a boundary as a pupil draws it, from left to right, over the example "margin"."""
    chance = random.Random(seed)
    height, slope = chance.uniform(-0.6, 0.6), chance.uniform(-0.5, 0.5)
    return tuple((0.1 * x, height + slope * 0.1 * x + chance.uniform(-0.03, 0.03)) for x in range(-15, 16))


def hand_in(seed: int, lesson: Lesson = SMALL) -> HandIn:
    """Return the hand-in of one learner."""
    chance = random.Random(seed)
    choices = tuple(chance.sample(range(3), chance.randint(0, 3)))
    solved = choices[:1] == (1,)
    steps = (StepAnswers(choices, (), solved), StepAnswers((), (drawn(seed),)), StepAnswers((), (), seed % 2 == 0))
    number, nickname = f"{chance.getrandbits(48):012x}", f"Nick {seed}" if seed % 3 else ""
    return HandIn(1, lesson.name, lesson.digest, number, steps, nickname)


def packed_text(payload: object) -> str:
    """Return the text of any JSON."""
    return as_text(msgspec.json.encode(payload))


def as_text(data: bytes) -> str:
    return f"{ANSWERS_PREFIX}{packed(data)}."


def plain_values(made: HandIn) -> dict[str, object]:
    values: dict[str, object] = msgspec.to_builtins(made)
    return values


def with_values(made: HandIn, **changes: object) -> str:
    """Return the text of a hand-in with other values, valid or not."""
    return packed_text(plain_values(made) | changes)


@cache
def damaged_texts() -> dict[str, tuple[str, str]]:
    """Return texts that are not counted, by their fault, with words of the sentence about each."""
    made = hand_in(1000)
    text, steps = encode(made), list(plain_values(made)["steps"])  # type: ignore[call-overload]
    deep = b'{"version":1,"lesson":' + b"[" * 50_000 + b"]" * 50_000 + b"}"
    nan = msgspec.json.encode(made).replace(b'"solved":true', b'"solved":NaN').replace(b"[-1.5,", b"[NaN,", 1)
    assert b"NaN" in nan
    inside = text.removeprefix(ANSWERS_PREFIX)[:-1]
    return {
        "cut off": (text[:-20], "damaged"),
        "a letter is another": (
            f"{ANSWERS_PREFIX}{inside[:30]}{'A' if inside[30] != 'A' else 'B'}{inside[31:]}.",
            "damaged",
        ),
        "no base64": (f"{ANSWERS_PREFIX}ä!ö?.", "damaged"),
        "a bomb": (as_text(b" " * 50_000_000), "1 MB"),
        "huge": (f"{ANSWERS_PREFIX}{'A' * 200_000}.", "longer than"),
        "deep": (as_text(deep), "something else"),
        "not a number": (as_text(nan), "something else"),
        "control characters": (with_values(made, nickname="a\u202eb\x07"), "no text"),
        "wrong types": (with_values(made, steps="all of them"), "something else"),
        "unknown field": (with_values(made, address="Elm Street"), "something else"),
        "a later version": (with_values(made, version=2), "something else"),
        "too far out": (
            with_values(made, steps=[steps[0], {"lines": [[[1e300, 0.0], [0.0, 0.0]]]}, steps[2]]),
            "something else",
        ),
        "another lesson": (encode(replace_name(made, "circle", "0" * 16)), "another lesson, “circle”"),
        "another version of it": (encode(replace_name(made, NAME, "0" * 16)), "another version"),
        "an answer that there is not": (
            with_values(made, steps=[{"choices": [3]}, steps[1], steps[2]]),
            "does not ask for",
        ),
        "the same answer twice": (with_values(made, steps=[{"choices": [1, 1]}, *steps[1:]]), "does not ask for"),
        "a line where none is drawn": (
            with_values(made, steps=[{"lines": [[[0.0, 0.0], [1.0, 1.0]]]}, *steps[1:]]),
            "does not ask for",
        ),
        "a step too few": (with_values(made, steps=steps[:2]), "does not ask for"),
    }


def replace_name(made: HandIn, lesson: str, digest: str) -> HandIn:
    return msgspec.structs.replace(made, lesson=lesson, digest=digest)
