"""Hand-ins: written and read again, collected from texts and files; those that are not counted are named."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from app.core.plain_text import plain
from app.exchange.opening import ANSWERS_PREFIX, Kind, kind_of, of_text
from app.features.answers import hand_in as texts_of
from app.features.answers.hand_in import (
    FINEST,
    LONGEST_NICKNAME,
    MOST_BYTES,
    MOST_HAND_INS,
    MOST_LINES,
    MOST_POINTS,
    NEAR,
    AnswerSource,
    HandIn,
    StepAnswers,
    collected,
    decode,
    encode,
    made_of,
    rounded,
    sources_in,
    sources_of,
)
from app.features.answers.scene import tally_of
from app.features.lessons.state import Guess, LessonSession, StepState
from app.files.documents import FileError
from app.main import main

from .classes import NAME, SMALL, TEXT, as_text, damaged_texts, drawn, hand_in, plain_values

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)
LINES = st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=2 * MOST_POINTS).map(tuple)
GUESSES = st.builds(
    Guess,
    answer=st.integers(-1, 2),
    tried=st.lists(st.sampled_from((0, 2)), unique=True).map(tuple),
    lines=st.lists(LINES, max_size=3).map(tuple),
)


def collect(*texts: str) -> texts_of.Collected:
    return collected(SMALL, [source for text in texts for source in sources_in(text, "")])


def test_twenty_texts_are_read_at_once_and_ten_damaged_ones_named() -> None:
    sound = [hand_in(seed) for seed in range(20)]
    damaged = list(damaged_texts().values())
    texts = [f"From learner {at}:\n  {encode(each)}\nBest wishes." for at, each in enumerate(sound)]
    for at, (text, _) in enumerate(damaged[:10]):
        texts.insert(2 * at + 1, text if text.endswith(".") else f"{text}\n")
    wrapped = "\n\n".join(text[:70] + "\n" + text[70:] for text in texts)
    found = collect(wrapped)
    assert found.hand_ins == tuple(sound)
    assert len(found.left_out) == 10
    for at, (sentence, (_, words)) in enumerate(zip(found.left_out, damaged, strict=False)):
        assert words in sentence and sentence.startswith(f"Text {2 * at + 2} "), sentence


@pytest.mark.parametrize("what", list(damaged_texts()))
def test_what_is_damaged_foreign_or_hostile_gets_one_plain_sentence(what: str) -> None:
    text, words = damaged_texts()[what]
    found = collect(text, encode(hand_in(1)))
    assert found.hand_ins == (hand_in(1),), "the others count all the same"
    (sentence,) = found.left_out
    assert words in sentence and sentence.endswith(".") and len(sentence) < 200 and plain(sentence) == sentence


def test_one_that_is_handed_in_again_counts_once_as_it_was_last() -> None:
    first = hand_in(1)
    later = msgspec.structs.replace(first, nickname="Later")
    found = collect(encode(first), encode(hand_in(2)), encode(later))
    assert [each.nickname for each in found.hand_ins] == ["Later", "Nick 2"]
    assert found.left_out == ("Text 1 was handed in before: the last one counts.",)
    again = collected(SMALL, sources_in(encode(later), ""), found.hand_ins)
    assert again.hand_ins == found.hand_ins and len(again.left_out) == 1


def test_size_and_number_are_looked_at_before_anything_is_parsed(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def fails(*args: object, **kinds: object) -> None:
        raise AssertionError("parsed")

    monkeypatch.setattr(texts_of, "unpacked", fails)
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(MOST_BYTES + 1)
    for sources in (
        sources_in(f"{ANSWERS_PREFIX}{'A' * 200_000}.", ""),
        sources_in(f"{ANSWERS_PREFIX}A." * (MOST_HAND_INS + 1), ""),
        sources_in("x" * (MOST_BYTES + 1), ""),
        sources_of(large),
    ):
        found = collected(SMALL, sources)
        assert not found.hand_ins and len(found.left_out) == 1 and "read" in found.left_out[0]


def test_no_more_are_collected_than_a_class_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_of, "MOST_HAND_INS", 3)
    found = collected(SMALL, [source for seed in range(5) for source in sources_in(encode(hand_in(seed)), "")])
    assert (
        len(found.hand_ins) == 3
        and [sentence[-18:] for sentence in found.left_out] == ["is one more than 3."[-18:]] * 2
    )


@given(st.lists(st.tuples(GUESSES, st.booleans()), min_size=3, max_size=3), st.text(max_size=60))
def test_what_is_handed_in_is_read_again_as_it_was_made(made: list[tuple[Guess, bool]], nickname: str) -> None:
    states = tuple(
        StepState(guess=guess if step.prediction is not None else Guess(), reached=reached)
        for step, (guess, reached) in zip(SMALL.steps, made, strict=True)
    )
    choice, line, goal = states
    states = (
        replace(choice, guess=replace(choice.guess, lines=())),
        replace(line, guess=replace(line.guess, answer=-1, tried=())),
        goal,
    )
    given_in = made_of(LessonSession(SMALL, 0, states), "0123456789ab", nickname)
    text = encode(given_in)
    assert len(given_in.nickname) <= LONGEST_NICKNAME and plain(given_in.nickname) == given_in.nickname
    found = collect(f"Hello {text} bye")
    assert found.hand_ins == (given_in,) and not found.left_out
    first = choice.guess.tried[:1] or ((choice.guess.answer,) if choice.guess.answer >= 0 else ())
    assert given_in.steps[0].choices[:1] == first and given_in.steps[2].solved == goal.reached


def away(xy: np.ndarray, line: np.ndarray) -> float:
    """Return the distance of the farthest of `xy` from `line`, by sampling the line."""
    tried = np.concatenate([a + np.linspace(0, 1, 400)[:, None] * (b - a) for a, b in pairwise(line)])
    return float(np.sqrt(((xy[:, None] - tried[None]) ** 2).sum(axis=2)).min(axis=1).max())


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=25).map(tuple))
def test_a_line_is_accurate_to_less_than_a_pixel(line: tuple[tuple[float, float], ...]) -> None:
    whole, reports = np.array(line), np.array(rounded(line))
    extent = float(np.ptp(whole, axis=0).max())
    digits = 1e-9 * max(1.0, float(np.abs(whole).max()))
    near = (NEAR + 2 * FINEST + 0.004) * extent + digits  # 0.004: between two samples
    assert len(reports) <= len(whole) and away(whole, reports) <= near
    for index in (0, -1):
        assert tuple(reports[index]) == pytest.approx(line[index], abs=FINEST * extent + digits)


def test_a_hand_that_trembles_less_than_a_pixel_draws_few_points() -> None:
    x = np.linspace(0.0, 1.0, 200)
    straight = tuple(zip(x.tolist(), (0.0004 * np.sin(40 * x)).tolist(), strict=True))
    assert len(rounded(straight)) == 2
    arc = tuple(zip(np.cos(3 * x).tolist(), np.sin(3 * x).tolist(), strict=True))
    assert 10 <= len(rounded(arc)) <= 40
    scribble = tuple(map(tuple, np.random.default_rng(0).random((5 * MOST_POINTS, 2)).tolist()))
    assert len(rounded(scribble)) == MOST_POINTS


@given(st.binary(max_size=300))
def test_any_bytes_are_a_hand_in_or_one_sentence(data: bytes) -> None:
    try:
        assert isinstance(decode(AnswerSource("Text 1", as_text(data).removeprefix(ANSWERS_PREFIX))), HandIn)
    except FileError as error:
        assert str(error).startswith("Text 1 ") and str(error).endswith(".")


@given(st.integers(0, 10_000), st.integers(0, 255))
def test_no_other_letter_is_accepted_for_the_same(at: int, letter: int) -> None:
    text = encode(hand_in(3))
    at = len(ANSWERS_PREFIX) + at % (len(text) - len(ANSWERS_PREFIX))
    other = text[:at] + chr(letter) + text[at + 1 :]
    found = collect(other)
    assert found.hand_ins == ((hand_in(3),) if other == text else ())
    assert bool(found.left_out) == (other != text)


def test_nothing_else_is_handed_in() -> None:
    values = plain_values(hand_in(2))
    assert set(values) == {"version", "lesson", "digest", "number", "steps", "nickname"}
    assert set().union(*(set(step) for step in values["steps"])) <= {"choices", "lines", "solved"}  # type: ignore[attr-defined]
    assert set(plain_values(hand_in(3))) == set(values) - {"nickname"}


@pytest.mark.slow
def test_too_long_a_drawing_is_refused_where_it_is_handed_in() -> None:
    rng = np.random.default_rng(0)

    def scribbles() -> StepAnswers:
        return StepAnswers(lines=tuple(rounded(tuple(map(tuple, rng.random((300, 2))))) for _ in range(MOST_LINES)))

    few = msgspec.structs.replace(hand_in(1), steps=(scribbles(),))
    assert len(encode(few)) < 20_000
    with pytest.raises(FileError, match="draw fewer lines"):
        encode(msgspec.structs.replace(few, steps=tuple(scribbles() for _ in range(20))))


def test_a_tally_counts_first_answers_and_raised_hands() -> None:
    answers = [StepAnswers((0, 1), solved=False), StepAnswers((1,), solved=True), StepAnswers()]
    found = tally_of(SMALL.steps[0], answers, (5,))
    assert found.choices == (6, 1, 0) and (found.n_drawn, found.n_solved, found.n_hand_ins) == (0, 1, 3)
    assert tally_of(SMALL.steps[1], [StepAnswers(lines=(drawn(1),)), StepAnswers()]).n_drawn == 1


# -- files and the command line ----------------------------------------------------------------------------------------


def test_a_file_of_answers_is_distinguished_from_a_document(tmp_path: Path) -> None:
    path = tmp_path / "anna.txt"
    path.write_text(encode(hand_in(1)))
    assert kind_of(path) is Kind.ANSWERS
    with pytest.raises(FileError, match="answers to a lesson"):
        of_text(encode(hand_in(1)))


def test_the_command_prints_a_table_and_writes_a_csv(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lesson = tmp_path / f"{NAME}.lesson.md"
    lesson.write_text(TEXT)
    files = []
    for seed in range(20):
        files.append(tmp_path / f"{seed}.txt")
        made = hand_in(seed)
        files[-1].write_text(encode(msgspec.structs.replace(made, nickname="=1+1") if seed == 5 else made))
    for at, (text, _) in enumerate(list(damaged_texts().values())[:10]):
        files.append(tmp_path / f"damaged{at}.txt")
        files[-1].write_text(text, encoding="utf-8")
    out = tmp_path / "class.csv"
    assert main(["lesson", "answers", str(lesson), *map(str, files), "--csv", str(out)]) == 0
    printed = capsys.readouterr().out
    assert "A small lesson: 20 hand-ins, 10 left out" in printed and "The right one (right)" in printed
    assert "drawn  20 of 20" in printed and "solved  10 of 20" in printed and "damaged3.txt holds more than" in printed
    head, *rows = csv.reader(out.read_text(encoding="utf-8").splitlines())
    assert head == ["nickname", "1 answer", "1 solved", "2 lines", "2 solved", "3 solved"] and len(rows) == 20
    assert rows[5][0] == "'=1+1" and {row[3] for row in rows} == {"1"}
    firsts = ["".join("ABC"[each] for each in hand_in(seed).steps[0].choices[:1]) for seed in range(20)]
    assert [row[1] for row in rows] == firsts


def test_the_command_needs_the_lesson(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "anna.txt"
    path.write_text(encode(hand_in(1)))
    with pytest.raises(SystemExit):
        main(["lesson", "answers", str(path)])
    assert "name its .lesson.md file, too" in capsys.readouterr().err
    path.write_text("Dear teacher, I have lost it.")
    with pytest.raises(SystemExit):
        main(["lesson", "answers", str(path)])
    assert "There are no answers that can be read." in capsys.readouterr().err
