"""Reading: a lesson from its Markdown file, and every fault of it with its line.

Nothing of a lesson is executed or fetched.
"""

from __future__ import annotations

import re
from operator import itemgetter
from pathlib import Path

from app.core.plain_text import plain
from app.exchange.opening import LESSON_SUFFIX
from app.files.documents import FileError, read_bytes
from app.scene.feature_table import FeatureTable

from .model import Lesson, Step
from .parts import Faults, front_matter, lines_of, parts_of
from .step_reader import StepReader

#: Bytes of a lesson, and its steps.
LARGEST, MOST_STEPS = 1_000_000, 100
_ACTING = re.compile("[\x00-\x08\x0b-\x1f\x7f]")


def parse(features: FeatureTable, text: str, name: str, folder: Path | None) -> Lesson:
    """The lesson; FileError with the first fault where there is one."""
    lesson, faults = examined(features, text, name, folder)
    if faults:
        raise FileError(faults[0])
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
    return front_matter(lines_of(text), Faults())[0]


def examined(features: FeatureTable, text: str, name: str, folder: Path | None) -> tuple[Lesson, list[str]]:
    """A lesson as far as it can be read, and what is wrong with it, by its lines: "name:LINE: sentence"."""
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
    steps: list[Step] = []
    document = None
    for part in parts[:MOST_STEPS]:
        step, document = StepReader(features, part, folder, found).step(document, not steps)
        steps.append(step)
    lesson = Lesson(
        front["title"],
        front["author"],
        front["level"],
        int(front["minutes"] or 0),
        tuple(steps),
        Path(name).name.removesuffix(LESSON_SUFFIX),
        folder,
        tuple(front["learnt"].split("\n")) if front["learnt"] else (),
    )
    return lesson, [f"{plain(name)}:{line}: {sentence}" for line, sentence in sorted(found.found, key=itemgetter(0))]
