"""Hand-in: what one learner did in a lesson, as a value and as a text.

The text is a prefix, the packed JSON of a `HandIn`, and a full stop, which is missing if the text was cut off.  The
text contains the lesson's name and digest, the answers, drawn boundaries, which steps were solved, a nickname if one
was given, and a random number, so that the same hand-in counts only once; nothing else.
"""

from __future__ import annotations

import math
from typing import Annotated, Literal

import msgspec
import numpy as np
from msgspec import Meta

from app.core.plain_text import plain
from app.core.points import LIMIT
from app.exchange.opening import ANSWERS_PREFIX
from app.exchange.packed_text import packed
from app.features.lessons.model import Step
from app.features.lessons.reading import MOST_STEPS
from app.features.lessons.state import LessonSession, Line, StepState
from app.files.documents import FileError
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
    lines = tuple(rounded(line) for line in guess.lines[:MOST_LINES] if len(line) > 1)
    return StepAnswers((*guess.tried, *last), lines, state.has_solved(step))


def rounded(line: Line) -> Line:
    """Return `line` with only the points that shape it, at most `MOST_POINTS`, rounded to less than a pixel."""
    xy = np.asarray(line, dtype=np.float64)
    extent = float(np.ptp(xy, axis=0).max())
    xy = simplified(xy, NEAR * extent)
    if len(xy) > MOST_POINTS:
        xy = xy[np.linspace(0, len(xy) - 1, MOST_POINTS).round().astype(np.intp)]
    digits = -math.floor(math.log10(max(FINEST * extent, 1e-15)))
    return tuple((x, y) for x, y in xy.round(digits).tolist())


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
