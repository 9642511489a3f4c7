"""Shipped: the lessons that come with the program."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from msgspec.structs import replace

from app.exchange.opening import LESSON_SUFFIX
from app.files.assets import asset, assets, card
from app.files.documents import FileError
from app.files.examples import BY_NAME, thumbnail
from app.scene.feature_table import FeatureTable

from .model import ENGLISH, Lesson
from .reading import decoded, digest_of, front_of, parse

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
    "promise",
)


@cache
def shipped(language: str = ENGLISH) -> tuple[Lesson, ...]:
    """The lessons that can be read, in the order of the list, without their steps."""
    rows = []
    for name in NAMES:
        with suppress(FileError):  # the others are there all the same
            rows.append(front_of(text(name, language), file_of(name, language)))
    return tuple(rows)


def is_shipped(lesson: Lesson) -> bool:
    """Whether it comes with the program, and is no file of the user's."""
    return lesson.folder is None and lesson.name in NAMES


def following(lesson: Lesson) -> Lesson | None:
    """The lesson after one that comes with the program, in its language; None after the last and after others."""
    rows = shipped(lesson.language) if is_shipped(lesson) else ()
    place = next((place for place, row in enumerate(rows) if row.name == lesson.name), len(rows))
    return rows[place + 1] if place + 1 < len(rows) else None


def lesson(features: FeatureTable, name: str, language: str = ENGLISH) -> Lesson:
    """The lesson of this name; FileError with one sentence when it cannot be read.

    Its digest is that of the English text, so that answers to it count together in every language.
    """
    original, found = text(name), text(name, language)
    return replace(parse(features, found, file_of(name, language), None), digest=digest_of(original))


def picture(name: str, dark: bool) -> bytes:
    """The PNG of a lesson's card: that of the example of its name, or one of its own; empty where there is none."""
    return thumbnail(BY_NAME[name], dark) if name in BY_NAME else card("lessons", name, dark)


def file_of(name: str, language: str) -> str:
    """Name of the lesson's file in that language; of the English one where the lesson is not translated."""
    file = f"{name}.{language}{LESSON_SUFFIX}"
    with suppress(OSError):  # the English one may be there all the same
        if (assets("lessons") / file).is_file():
            return file
    return name + LESSON_SUFFIX


def text(name: str, language: str = ENGLISH) -> str:
    """Its Markdown; FileError with one sentence when it cannot be read."""
    file = file_of(name, language)
    return decoded(asset("lessons", file), file)
