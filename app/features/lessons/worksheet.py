"""Worksheet: the lesson of a worksheet; a document becomes a lesson with one question for each classifier."""

from __future__ import annotations

from pathlib import Path

from app.exchange import opening, share_text
from app.files import examples
from app.files.documents import FileError
from app.scene.feature_table import FeatureTable
from app.state.document import Document

from . import reading, shipped
from .model import Lesson, Prediction, Start, Step

SUFFIXES = (".pdf", ".xml")


def lesson_in(features: FeatureTable, path: Path) -> Lesson:
    """Return the lesson in a file, or the shipped lesson or example of this name; raise FileError if there is none."""
    name = str(path)
    if not path.exists() and name in shipped.NAMES:
        return shipped.lesson(features, name)
    if not path.exists() and name in examples.BY_NAME:
        example = examples.BY_NAME[name]
        return _of_document(examples.read(example), example.title)
    if opening.kind_of(path) is not opening.Kind.LESSON:
        return _of_document(opening.read(path).document, path.stem)
    lesson = reading.read(features, path)
    if not lesson.steps:
        raise FileError(f"{path.name} has no steps.")
    return lesson


def _of_document(document: Document, title: str) -> Lesson:
    start = Start("share", share_text.encode(document))
    steps = tuple(
        Step(lane.title, "", start, prediction=Prediction("boundary", "Where is the boundary?", lane=place))
        for place, lane in enumerate(document.lanes[: document.shown])
        if not lane.is_difference
    )
    if not steps:
        raise FileError(f"{title} shows no classifier with a boundary of its own.")
    return Lesson(title, "", "", 1, steps)
