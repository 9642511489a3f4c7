"""Check: what `classifier-playground lesson check FILE...` prints."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.core.number_format import count
from app.core.plain_text import plain
from app.files.documents import FileError
from app.scene.feature_table import FeatureTable

from .reading import examined, text_of
from .spoilers import spoilers


def check(features: FeatureTable, files: Sequence[Path]) -> tuple[list[str], bool]:
    """A line for each fault, or one that says that a file is sound; and whether all are."""
    lines, sound = [], True
    for path in files:
        name = plain(str(path))
        try:
            lesson, found = examined(features, text_of(path), name, path.parent)
        except FileError as error:
            found = [f"{name}{str(error).removeprefix(plain(path.name))}"]
        else:
            if not found:
                found = [f"{name}:{line}: {plain(sentence)}" for line, sentence in spoilers(features, lesson)]
            if not found:
                lines.append(f"{name}: sound, {count(len(lesson.steps), 'step')}")
        lines += found
        sound &= not found
    return lines, sound
