"""Reading: a lesson from its Markdown file, and every fault of it with its line.

Nothing of a lesson is executed or fetched.
"""

from __future__ import annotations

import re
from pathlib import Path

from app.core.plain_text import plain
from app.exchange.opening import LESSON_SUFFIX
from app.files.documents import FileError, read_bytes
from app.scene.feature_table import FeatureTable

from .model import Lesson
from .parts import FRONT, Faults, front_matter, lines_of, parts_of
from .step_reader import StepReader

#: Bytes of a lesson, and its steps.
LARGEST, MOST_STEPS = 1_000_000, 100
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


def faults(features: FeatureTable, text: str, name: str, folder: Path | None) -> list[str]:
    """What is wrong with a lesson, in the order of its lines: "name:LINE: sentence"."""
    return examined(features, text, name, folder)[1]


def examined(features: FeatureTable, text: str, name: str, folder: Path | None) -> tuple[Lesson, list[str]]:
    """A lesson as far as it can be read, and what is wrong with it."""
    lesson, found = _read(features, text, name, folder)
    told = [f"{plain(name)}:{line}: {sentence}" for line, sentence in sorted(found, key=lambda each: each[0])]
    return lesson, told


def parse(features: FeatureTable, text: str, name: str, folder: Path | None) -> Lesson:
    """The lesson; FileError with the first fault where there is one."""
    lesson, found = _read(features, text, name, folder)
    if found:
        line, sentence = min(found, key=lambda each: each[0])
        raise FileError(f"{name}:{line}: {sentence}")
    return lesson


def read(features: FeatureTable, path: Path) -> Lesson:
    """The lesson in the file at `path`; FileError with one sentence where there is none."""
    return parse(features, text_of(path), path.name, path.parent)


def text_of(path: Path) -> str:
    """What stands in the file at `path`; FileError with one sentence when it cannot be read."""
    return decoded(read_bytes(path, LARGEST), path.name)


def decoded(data: bytes, name: str) -> str:
    """`data` as text; FileError with one sentence where it is none."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise FileError(f"{name}:{line}: this is not UTF-8 text; save the lesson as UTF-8.") from None


def front_of(text: str) -> dict[str, str]:
    """What the front matter says, as far as it can be read; "" for what it does not say."""
    said = front_matter(lines_of(text), Faults())[0]
    return {key: said.get(key, "") for key in FRONT}


def _read(features: FeatureTable, text: str, name: str, folder: Path | None) -> tuple[Lesson, list[tuple[int, str]]]:
    found = Faults()
    lines = lines_of(text)
    for number, line in enumerate(lines, 1):
        if sign := _ACTING.search(line):
            found.add(number, f"there is a character that is no text (code {ord(sign.group()):#04x}).")
        lines[number - 1] = _ACTING.sub(" ", line)
    front, begin = front_matter(lines, found)
    parts = parts_of(lines, begin, found)
    if not parts and begin < len(lines):
        found.add(len(lines), "there is no step: each begins with a heading, “# Title”.")
    if len(parts) > MOST_STEPS:
        found.add(parts[MOST_STEPS].line, f"there are more than {MOST_STEPS} steps.")
    steps, document = [], None
    for place, part in enumerate(parts[:MOST_STEPS]):
        step, document = StepReader(features, part, folder, found).step(document, place == 0)
        steps.append(step)
    lesson = Lesson(
        front.get("title", ""),
        front.get("author", ""),
        front.get("level", ""),
        int(front.get("minutes", "0")),
        tuple(steps),
        Path(name).name.removesuffix(LESSON_SUFFIX),
        folder,
        tuple(front["learnt"].split("\n")) if front.get("learnt") else (),
    )
    return lesson, found.found
