"""Worksheet task: run the program in a process of its own to make the worksheet of what is open in the window."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from app.exchange import opening, share_text
from app.files import examples, file_format
from app.files.background_task import Progress, Task
from app.files.documents import FileError
from app.scene.feature import FeatureTable
from app.state.document import Document
from solver.core.own_process import command

from . import reading, shipped
from .model import ENGLISH, Lesson, Prediction, Start, Step
from .phrases import say
from .text import of_lane

#: Suffixes of worksheets.
SUFFIXES = (".pdf", ".xml")
#: Suffixes of the kinds of files by their titles.
KINDS = {"Worksheet, A4": ".pdf", "Quiz for Moodle": ".xml"}
#: Time between two checks for cancellation (s).
POLL = 0.1


def making(lesson: Lesson | None, document: Document, title: str, path: Path) -> Task[str]:
    """Return the task that writes the worksheet of `lesson`, or of `document` if no lesson is open, to `path`.

    Its result is a sentence.
    """

    def work(progress: Progress) -> str:
        with tempfile.TemporaryDirectory() as folder:
            source = _source(lesson, document, title, Path(folder))
            words = command("app", "lesson", "worksheet", str(source), "--out", str(path))
            environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
            with subprocess.Popen(words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                try:
                    while True:
                        try:
                            _, output = process.communicate(timeout=POLL)
                            break
                        except subprocess.TimeoutExpired:
                            progress()
                finally:
                    process.kill()
        if process.returncode:
            lines = output.decode(errors="replace").strip().splitlines() or [f": {path.name} was not made."]
            raise FileError(lines[-1].partition(": ")[2].partition(" (see ")[0])
        return f"{path.name} is made."

    return Task(f"Making {path.name}", work, f"{path.name} was not made", kept=False)


def _source(lesson: Lesson | None, document: Document, title: str, folder: Path) -> Path:
    """Return the file to make a worksheet of, which is written into `folder` if there is none."""
    if lesson is None:
        source = folder / f"{title.replace('/', '-')}.playground"
        source.write_bytes(file_format.encode(document))
        return source
    name = shipped.file_of(lesson.name, lesson.language)
    if lesson.folder is not None:
        return lesson.folder / name
    if not shipped.is_shipped(lesson):
        raise FileError("This lesson has no file: a worksheet is made of one.")
    source = folder / name
    source.write_text(shipped.text(lesson.name, lesson.language), encoding="utf-8")
    return source


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
    questions = {
        index: say(ENGLISH, "sheet_where", of=of_lane(ENGLISH, index, document.shown))
        for index, lane in enumerate(document.lanes[: document.shown])
        if not lane.is_difference
    }
    steps = tuple(
        Step(text, "", start, prediction=Prediction("boundary", text, lane=index)) for index, text in questions.items()
    )
    if not steps:
        raise FileError(f"{title} shows no classifier with a boundary of its own.")
    return Lesson(title, "", "", 1, steps)
