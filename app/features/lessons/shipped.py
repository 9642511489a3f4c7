"""Shipped: the lessons that come with the program."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from app.exchange.opening import LESSON_SUFFIX
from app.files.assets import asset, card
from app.files.documents import FileError
from app.files.examples import BY_NAME, thumbnail
from app.scene.feature_table import FeatureTable

from .model import Lesson
from .reading import decoded, front_of, parse

#: In the order of the list; each begins with the example of its name, if there is one.
NAMES = (
    "neighbours",
    "weights",
    "cells",
    "kept",
    "margin",
    "support-vectors",
    "idle",
    "outlier",
    "circle",
    "gamma",
    "validation",
    "units",
    "step",
    "race",
    "differ",
    "wrong-labels",
    "perceptron",
)


@cache
def shipped() -> tuple[Lesson, ...]:
    """The lessons that can be read, in the order of the list, without their steps."""
    rows = []
    for name in NAMES:
        with suppress(FileError):  # the others are there all the same
            rows.append(front_of(text(name), name))
    return tuple(rows)


def is_shipped(lesson: Lesson) -> bool:
    """Whether it comes with the program, and is no file of the user's."""
    return lesson.folder is None and lesson.name in NAMES


def following(lesson: Lesson) -> Lesson | None:
    """The lesson after one that comes with the program; None after the last and after others."""
    rows = shipped() if is_shipped(lesson) else ()
    place = next((place for place, row in enumerate(rows) if row.name == lesson.name), len(rows))
    return rows[place + 1] if place + 1 < len(rows) else None


def lesson(features: FeatureTable, name: str) -> Lesson:
    """The lesson of this name; FileError with one sentence when it cannot be read."""
    return parse(features, text(name), name + LESSON_SUFFIX, None)


def picture(name: str, dark: bool) -> bytes:
    """The PNG of a lesson's card: that of the example of its name, or one of its own; empty where there is none."""
    return thumbnail(BY_NAME[name], dark) if name in BY_NAME else card("lessons", name, dark)


def text(name: str) -> str:
    """Its Markdown; FileError with one sentence when it cannot be read."""
    file = name + LESSON_SUFFIX
    return decoded(asset("lessons", file), file)
