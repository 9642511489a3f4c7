"""Shipped: the lessons that come with the program."""

from __future__ import annotations

from contextlib import suppress
from functools import cache

from msgspec.structs import replace

from app.exchange.opening import LESSON_SUFFIX
from app.files.assets import asset, assets, card
from app.files.documents import FileError
from app.files.examples import BY_NAME, thumbnail
from app.scene.feature import FeatureTable

from .model import ENGLISH, Lesson
from .reading import decoded, digest_of, front_of, parse

#: Names in the order of the list; each lesson begins with the example of its name, if there is one.
NAMES = (
    "neighbours",
    "rule",
    "weights",
    "cells",
    "kept",
    "margin",
    "support-vectors",
    "whose",
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
    """Return the readable lessons in the order of the list, without their steps."""
    rows = []
    for name in NAMES:
        with suppress(FileError):  # a damaged one does not hide the others
            rows.append(front_of(text(name, language), file_of(name, language)))
    return tuple(rows)


def is_shipped(lesson: Lesson) -> bool:
    """Whether a lesson comes with the program, and is not a file of the user."""
    return lesson.folder is None and lesson.name in NAMES


def following(lesson: Lesson) -> Lesson | None:
    """Return the shipped lesson after this one, in its language; None after the last and after other lessons."""
    rows = shipped(lesson.language) if is_shipped(lesson) else ()
    index = next((index for index, row in enumerate(rows) if row.name == lesson.name), len(rows))
    return rows[index + 1] if index + 1 < len(rows) else None


def lesson(features: FeatureTable, name: str, language: str = ENGLISH) -> Lesson:
    """Return the lesson of this name; raise FileError with one sentence if it cannot be read.

    Its digest is that of the English text, so that hand-ins in all languages belong to the same lesson.
    """
    original, found = text(name), text(name, language)
    return replace(parse(features, found, file_of(name, language), None), digest=digest_of(original))


def picture(name: str, dark: bool) -> bytes:
    """Return the PNG of a lesson's card: that of the example of its name, or its own; empty if there is none."""
    return thumbnail(BY_NAME[name], dark) if name in BY_NAME else card("lessons", name, dark)


def file_of(name: str, language: str) -> str:
    """Return the lesson's file name in that language, or the English one if it is not translated."""
    file = f"{name}.{language}{LESSON_SUFFIX}"
    with suppress(OSError):  # the English one may exist
        if (assets("lessons") / file).is_file():
            return file
    return name + LESSON_SUFFIX


def text(name: str, language: str = ENGLISH) -> str:
    """Return the lesson's Markdown; raise FileError with one sentence if it cannot be read."""
    file = file_of(name, language)
    return decoded(asset("lessons", file), file)
