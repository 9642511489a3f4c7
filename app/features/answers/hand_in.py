"""Hand-in: what one learner did in a lesson, as a value and as a text.

The text is a prefix, the packed JSON of a `HandIn`, and a full stop, which is missing if the text was cut off.  The
text contains the lesson's name and digest, the answers, drawn boundaries, which steps were solved, a nickname if one
was given, and a random number, so that the same hand-in counts only once; nothing else.

Hand-ins are read from pasted texts and files; what cannot be used is reported in one sentence each.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta, Struct

from app.core.number_format import grouped
from app.core.plain_text import plain
from app.core.points import LIMIT
from app.exchange.opening import ANSWERS_PREFIX
from app.exchange.packed_text import packed, unpacked
from app.features.lessons.model import Lesson, Step
from app.features.lessons.reading import MOST_STEPS
from app.features.lessons.state import LessonSession, Line, StepState
from app.files.documents import FileError, read_bytes
from solver.core.arrays import Array

#: Limits: answers of a question, drawn lines of a step, and points of a line.
MOST_CHOICES, MOST_LINES, MOST_POINTS = 4, 10, 100
#: Limits of names (characters).
LONGEST_NICKNAME, LONGEST_NAME = 40, 255
#: Limit of one text (characters).
MOST_CHARACTERS = 100_000
#: Tolerances as shares of a line's extent, less than a pixel: points closer than `NEAR` to the simplified line are left
#: out, and the others are rounded to `FINEST`.
NEAR, FINEST = 1e-3, 1e-4
END = "."

Coordinate = Annotated[float, Meta(ge=-LIMIT, le=LIMIT)]
DrawnLine = Annotated[tuple[tuple[Coordinate, Coordinate], ...], Meta(min_length=2, max_length=MOST_POINTS)]
Choice = Annotated[int, Meta(ge=0, lt=MOST_CHOICES)]


class StepAnswers(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What was done in one step: indices of the answers in the order given, drawn lines, and whether it was solved."""

    choices: Annotated[tuple[Choice, ...], Meta(max_length=MOST_CHOICES)] = ()
    lines: Annotated[tuple[DrawnLine, ...], Meta(max_length=MOST_LINES)] = ()
    solved: bool = False


class HandIn(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What one learner did in a lesson."""

    version: Literal[1]
    lesson: Annotated[str, Meta(max_length=LONGEST_NAME)]
    digest: Annotated[str, Meta(pattern="^[0-9a-f]{16}$")]
    #: Random for each learner and lesson.
    number: Annotated[str, Meta(pattern="^[0-9a-f]{12}$")]
    steps: Annotated[tuple[StepAnswers, ...], Meta(min_length=1, max_length=MOST_STEPS)]
    nickname: Annotated[str, Meta(max_length=LONGEST_NICKNAME)] = ""


def made_of(now: LessonSession, number: str, nickname: str) -> HandIn:
    """Return the hand-in of the open lesson, all of whose steps have been graded."""
    lesson = now.lesson
    assert lesson is not None
    steps = tuple(_answers(step, state) for step, state in zip(lesson.steps, now.states, strict=True))
    name = plain(nickname).strip()[:LONGEST_NICKNAME]
    return HandIn(1, lesson.name[:LONGEST_NAME], lesson.digest, number, steps, name)


def _answers(step: Step, state: StepState) -> StepAnswers:
    guess = state.guess
    last = () if guess.answer < 0 or guess.answer in guess.tried else (guess.answer,)
    ratio = 1.0 if guess.boundary is None else guess.boundary.ratio
    lines = tuple(rounded(line, ratio) for line in guess.lines[:MOST_LINES] if len(line) > 1)
    return StepAnswers((*guess.tried, *last), lines, state.has_solved(step))


def rounded(line: Line, ratio: float = 1.0) -> Line:
    """Return `line` with only the points that shape it, at most `MOST_POINTS`, rounded to less than a pixel.

    `ratio` is that of the view in which it was drawn.
    """
    sides = np.array([1.0, ratio])
    xy = np.asarray(line, dtype=np.float64) / sides
    extent = float(np.ptp(xy, axis=0).max())
    xy = simplified(xy, NEAR * extent)
    if len(xy) > MOST_POINTS:
        xy = xy[np.linspace(0, len(xy) - 1, MOST_POINTS).round().astype(np.intp)]
    x, y = (
        values.round(-math.floor(math.log10(max(FINEST * extent * side, 1e-15)))).tolist()
        for values, side in zip((xy * sides).T, sides.tolist(), strict=True)
    )
    return tuple(zip(x, y, strict=True))


def simplified(xy: Array, tolerance: float) -> Array:
    """Return the points of a line that are farther than `tolerance` from the line without them.

    This is the algorithm of Ramer (1972), Douglas and Peucker (1973).
    """
    kept = np.zeros(len(xy), dtype=bool)
    kept[[0, -1]] = True
    pieces = [(0, len(xy) - 1)]
    while pieces:
        first, last = pieces.pop()
        away = _distances(xy[first + 1 : last], xy[first], xy[last])
        if len(away) and away.max() > tolerance:
            farthest = first + 1 + int(away.argmax())
            kept[farthest] = True
            pieces += [(first, farthest), (farthest, last)]
    return xy[kept]


def _distances(xy: Array, first: Array, last: Array) -> Array:
    """Return the distance of each point from the segment between two points."""
    way = last - first
    squared = float(way @ way)
    along = np.clip((xy - first) @ way / squared, 0.0, 1.0) if squared > 0.0 else np.zeros(len(xy))
    distances: Array = np.hypot(*(xy - first - along[:, None] * way).T)
    return distances


def encode(hand_in: HandIn) -> str:
    """Return the text of `hand_in`; raise FileError with one sentence if it is too long."""
    text = ANSWERS_PREFIX + packed(msgspec.json.encode(hand_in)) + END
    if len(text) > MOST_CHARACTERS:
        raise FileError("The drawn boundaries are too long to hand in: draw fewer lines.")
    return text


#: Limits: hand-ins of one class, size of a file or of pasted text (bytes), and size of the JSON of one hand-in (bytes).
MOST_HAND_INS, MOST_BYTES, MOST_JSON = 500, 10_000_000, 1_000_000


class AnswerSource(Struct, frozen=True):
    """A text in which answers were found: its name, and the part after the prefix, or why it was not read."""

    name: str
    text: str = ""
    fault: str = ""


class Collected(Struct, frozen=True):
    """The hand-ins to a lesson, and a sentence about each text that was left out."""

    digest: str
    hand_ins: tuple[HandIn, ...] = ()
    left_out: tuple[str, ...] = ()


def sources_in(text: str, name: str) -> list[AnswerSource]:
    """Return the answers in `text`, whatever is between them; `name` is that of the file, or "" for pasted text."""
    found = [] if len(text) > MOST_BYTES else "".join(text.split()).split(ANSWERS_PREFIX)[1:]
    faults = (
        (len(text) > MOST_BYTES, f"is longer than {grouped(MOST_BYTES)} characters, so it was not read"),
        (not found, "has no answers in it"),
        (len(found) > MOST_HAND_INS, f"holds more than {MOST_HAND_INS} hand-ins, so it was not read"),
    )
    if fault := next((sentence for applies, sentence in faults if applies), ""):
        return [AnswerSource(name or "The text", fault=fault)]
    if name and len(found) == 1:
        return [AnswerSource(name, found[0])]
    of = f" of {name}" if name else ""
    return [AnswerSource(f"Text {at}{of}", each) for at, each in enumerate(found, 1)]


def sources_of(path: Path) -> list[AnswerSource]:
    """Return the answers in the file at `path`."""
    name = plain(path.name)
    try:
        return sources_in(read_bytes(path, MOST_BYTES).decode("utf-8", "replace"), name)
    except FileError as error:
        return [AnswerSource(name, fault=str(error).removeprefix(f"{path.name} ").rstrip("."))]


def decode(source: AnswerSource) -> HandIn:
    """Return the hand-in of `source`; raise FileError with one sentence if it is none."""
    if source.fault:
        raise FileError(f"{source.name} {source.fault}.")
    body, end, _ = source.text.partition(END)
    if len(body) > MOST_CHARACTERS:
        raise FileError(f"{source.name} is longer than {grouped(MOST_CHARACTERS)} characters, so it was not read.")
    if not end:
        raise FileError(f"{source.name} is damaged: its end is missing.")
    data = unpacked(body, source.name, MOST_JSON)
    try:
        hand_in = msgspec.json.decode(data, type=HandIn)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        raise FileError(f"{source.name} holds something else than answers to a lesson.") from None
    if plain(hand_in.nickname + hand_in.lesson) != hand_in.nickname + hand_in.lesson:
        raise FileError(f"{source.name} has a name with characters that are no text.")
    return hand_in


def collected(lesson: Lesson, sources: Iterable[AnswerSource], before: Sequence[HandIn] = ()) -> Collected:
    """Return the `sources` that answer `lesson`, and a sentence about each of the others.

    Parameters
    ----------
    lesson : Lesson
    sources : iterable of AnswerSource
    before : sequence of HandIn, default=()
        Collected before; a hand-in with the same number replaces the first.
    """
    found = {each.number: each for each in before}
    left_out = []
    for source in sources:
        try:
            hand_in = decode(source)
            if fault := _fault(hand_in, lesson):
                raise FileError(f"{source.name} {fault}.")
            if hand_in.number in found:
                left_out.append(f"{source.name} was handed in before: the last one counts.")
            elif len(found) == MOST_HAND_INS:
                raise FileError(f"{source.name} is one more than {MOST_HAND_INS}.")
        except FileError as error:
            left_out.append(str(error))
        else:
            found[hand_in.number] = hand_in
    return Collected(lesson.digest, tuple(found.values()), tuple(left_out))


def _fault(hand_in: HandIn, lesson: Lesson) -> str:
    """Return why `hand_in` does not answer `lesson`; "" if it does."""
    if hand_in.digest != lesson.digest:
        if hand_in.lesson != lesson.name:
            return f"answers another lesson, “{hand_in.lesson}”"
        return "answers another version of this lesson"
    fits = len(hand_in.steps) == len(lesson.steps) and all(map(_fits, hand_in.steps, lesson.steps))
    return "" if fits else "has answers that this lesson does not ask for"


def _fits(answers: StepAnswers, step: Step) -> bool:
    """Whether `answers` are possible answers to the question of `step`."""
    asked = step.prediction
    n_answers = 0 if asked is None else len(asked.answers)
    sound = len(set(answers.choices)) == len(answers.choices) and all(each < n_answers for each in answers.choices)
    return sound and (not answers.lines or (asked is not None and asked.kind == "boundary"))
