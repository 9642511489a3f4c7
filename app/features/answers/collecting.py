"""Collecting: read hand-ins from pasted texts and files; report in one sentence each what cannot be used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from app.core.number_format import grouped
from app.core.plain_text import plain
from app.exchange.opening import ANSWERS_PREFIX
from app.exchange.packed_text import unpacked
from app.features.lessons.model import Lesson, Step
from app.files.documents import FileError, read_bytes

from .hand_in import END, MOST_CHARACTERS, HandIn, StepAnswers

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
