"""Worksheet task: run the program in a process of its own to make the worksheet of what is open in the window."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

from app.files import file_format
from app.files.background_task import Progress, Task
from app.files.documents import FileError
from app.state.document import Document
from solver.core.own_process import command

from . import shipped
from .model import Lesson

#: Suffixes of the kinds of files by their titles.
KINDS = {"Worksheet, A4": ".pdf", "Quiz for Moodle": ".xml"}
#: Time between two checks for cancellation (s).
LOOK = 0.1


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
                            _, output = process.communicate(timeout=LOOK)
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
        source = folder / f"{title}.playground"
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
