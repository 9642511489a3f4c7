"""Table: what `classifier-playground lesson answers FILE...` prints about a class, and the CSV of all hand-ins."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from app.core.csv_text import csv_text
from app.core.number_format import count, percent
from app.core.plain_text import plain
from app.exchange.opening import LESSON_SUFFIX, Kind, kind_of
from app.exchange.table import guarded
from app.features.lessons import reading, shipped
from app.features.lessons.model import ENGLISH, Lesson, Step
from app.features.lessons.phrases import say
from app.files.documents import FileError
from app.scene.feature import FeatureTable

from .hand_in import AnswerSource, HandIn, collected, decode, sources_of
from .learning import Learning, learning_of, sentences
from .scene import LETTERS, tally_of

#: Length of a full bar (characters).
BAR = 20


def report(features: FeatureTable, files: Sequence[Path]) -> tuple[str, str]:
    """Return the table and the CSV of the answers in `files`.

    A lesson among the files is the one that was answered; without it, the lesson must be a shipped one.  Raise
    FileError with one sentence if no lesson is known.
    """
    lessons = [path for path in files if kind_of(path) is Kind.LESSON]
    sources = [each for path in files if path not in lessons for each in sources_of(path)]
    given = [reading.read(features, path) for path in lessons]
    if len(given) > 1:
        raise FileError("Answers are read to one lesson at a time.")
    lesson = given[0] if given else _shipped(features, sources)
    found = collected(lesson, sources)
    return _table(lesson, found.hand_ins, found.left_out), _csv(lesson, found.hand_ins)


def _shipped(features: FeatureTable, sources: Sequence[AnswerSource]) -> Lesson:
    """Return the shipped lesson that the first valid hand-in answers."""
    for source in sources:
        try:
            name = decode(source).lesson
        except FileError:
            continue
        if name in shipped.NAMES:
            return shipped.lesson(features, name)
        raise FileError(f"The lesson “{name}” does not come with the program: name its {LESSON_SUFFIX} file, too.")
    raise FileError("There are no answers that can be read.")


def _table(lesson: Lesson, hand_ins: Sequence[HandIn], left_out: Sequence[str]) -> str:
    lines = [f"{plain(lesson.title)}: {count(len(hand_ins), 'hand-in')}, {len(left_out)} left out"]
    for at, step in enumerate(lesson.steps):
        lines += ["", f"{at + 1}  {step.title}", *_of_step(step, at, hand_ins)]
        learned = learning_of(lesson, at, hand_ins)
        lines += [] if learned is None else _of_learning(learned)
    return "\n".join([*lines, *[""] * bool(left_out), *left_out])


def _of_step(step: Step, at: int, hand_ins: Sequence[HandIn]) -> list[str]:
    asked, tally = step.prediction, tally_of(step, [each.steps[at] for each in hand_ins])
    lines = []
    for letter, answer, number in zip(LETTERS, () if asked is None else asked.answers, tally.choices, strict=False):
        share = number / max(sum(tally.choices), 1)
        right = " (right)" if asked is not None and answer == asked.answers[asked.right] else ""
        lines.append(f"   {letter}  {number:4}  {percent(share):>7}  {'#' * round(BAR * share):{BAR}}  {answer}{right}")
    if asked is not None and asked.kind == "boundary":
        lines.append(f"   drawn  {tally.n_drawn} of {len(hand_ins)}")
    if (asked is not None and step.measure != "before") or step.goal:
        lines.append(f"   solved  {tally.n_solved} of {len(hand_ins)}")
    return lines


def _of_learning(found: Learning) -> list[str]:
    lines = [f"   {each}" for each in (*sentences(ENGLISH, found), say(ENGLISH, "measured_changes"))]
    for (before, after), number in found.changes:
        lines.append(f"   {LETTERS[before]} → {LETTERS[after]}  {number:4}  {'#' * round(BAR * number / found.n)}")
    return lines


def _csv(lesson: Lesson, hand_ins: Sequence[HandIn]) -> str:
    """Return a row for each hand-in: nickname, and for each step the first answer, the number of lines, and solved."""
    columns = []
    for at, step in enumerate(lesson.steps):
        kind = "" if step.prediction is None else step.prediction.kind
        columns += [(f"{at + 1} answer", at)] * (kind == "choice") + [(f"{at + 1} lines", at)] * (kind == "boundary")
        columns += [(f"{at + 1} solved", at)] * bool((kind and step.measure != "before") or step.goal)
    head = ["nickname", *(title for title, _ in columns)]
    rows = ([guarded(each.nickname), *(_cell(title, each, at) for title, at in columns)] for each in hand_ins)
    return csv_text([head, *rows])


def _cell(title: str, hand_in: HandIn, at: int) -> str | int:
    step = hand_in.steps[at]
    if title.endswith("answer"):
        return LETTERS[step.choices[0]] if step.choices else ""
    return len(step.lines) if title.endswith("lines") else int(step.solved)
