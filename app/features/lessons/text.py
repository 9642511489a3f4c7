"""Wording of lessons: the sentences around the text of a lesson, in its language; no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.core.number_format import grouped
from app.core.plain_text import plain

from .model import Lesson, Prediction
from .phrases import numeral, say, share_in, unbroken
from .state import Gains, Guess, LessonSession

#: `![words](address)` and `![words][name]`.
_PICTURE = re.compile(r"!\[([^\]\n]*)\](\([^)\n]*\)|\[[^\]\n]*\])?")


def without_pictures(markdown: str) -> str:
    """Return `markdown` for display: the words of each picture in its place, as no picture is read or fetched."""
    return unbroken(_PICTURE.sub(r"\1", markdown))


def of_lane(language: str, index: int, number: int) -> str:
    """Return " of classifier 2", or "" if there is only one."""
    return say(language, "of_one", number=index + 1) if number > 1 else ""


def asked(language: str, prediction: Prediction, number: int) -> str:
    """Return what to do below the question of a step with that `number` of classifiers; "" for a choice."""
    of = of_lane(language, prediction.lane, number)
    return "" if prediction.kind == "choice" else say(language, f"asked_{prediction.kind}", of=of)


def agreement(language: str, share: float | None) -> str:
    """Return how well a drawn boundary fits."""
    return say(language, "comparing") if share is None else say(language, "agree", share=share_in(language, share))


def outcome(language: str, prediction: Prediction, guess: Guess) -> str:
    """Return the result of an answer: "Right.", "Not so."; "" while it has not been checked."""
    if guess.revealed and guess.answer == prediction.right:
        return say(language, f"right_{len(guess.tried) + 1}")
    return say(language, "wrong" if guess.revealed else "try_again") if guess.answer in guess.tried else ""


def reason(prediction: Prediction, guess: Guess) -> str:
    """Return why the last checked answer is wrong, if the lesson gives a reason."""
    wrong = guess.answer in guess.tried and guess.answer < len(prediction.reasons)
    return prediction.reasons[guess.answer] if wrong else ""


def ending(now: LessonSession, lesson: Lesson, following: Lesson | None) -> str:
    """Return the end of a lesson in Markdown: score, goals that were not reached, what was learnt, and what is next."""
    language, number, parts = lesson.language, lesson.n_predictions, []
    right, answered = now.score
    if number:
        left = say(language, "not_answered", number=number - answered) if answered < number else ""
        parts.append(f"{say(language, 'predicted', right=right, asked=number)}{left}.")
    for at, (step, state) in enumerate(zip(lesson.steps, now.states, strict=True), 1):
        if step.goal and not state.reached:
            parts.append(say(language, "missed", at=at, title=plain(step.title)))
    if lesson.learnt:
        parts += [say(language, "learnt"), *lesson.learnt]
    if following is not None:
        parts.append(say(language, "onward", title=following.title, minutes=following.minutes))
    return "\n\n".join(parts) or say(language, "last")


def for_teacher(now: LessonSession, lesson: Lesson) -> str:
    """Return what the audience does not see yet: the right answer, why, and the next step."""
    language, prediction, following = lesson.language, now.prediction, lesson.steps[now.at + 1 :]
    lines = [say(language, "teacher")]
    if prediction is not None and prediction.answers:
        lines.append(say(language, "teacher_answer", answer=prediction.answers[prediction.right]))
    if prediction is not None and prediction.because:
        lines.append(prediction.because)
    last = say(language, "teacher_last")
    lines.append(say(language, "teacher_next", title=following[0].title) if following else last)
    return "\n\n".join(lines)


def gains(language: str, picked: tuple[int, ...], taken: tuple[int, ...], made: Gains) -> str:
    """Return the gain of a pair and that of the rule's pair; points by their rows in the table."""

    def pair(name: str, rows: tuple[int, ...], gain: float) -> str:
        first, second = map(grouped, rows)
        return say(language, name, first=first, second=second, gain=numeral(language, f"{gain:.3g}"), rule=made.rule)

    yours = pair("your_pair", picked, made.gain)
    if set(picked) == set(taken):
        return f"{yours}  {say(language, 'same_pair', rule=made.rule)}"
    known = 0.0 <= made.gain <= made.best and made.best > 0
    share = f"  {say(language, 'share_of_pair', share=share_in(language, made.gain / made.best))}" if known else ""
    return f"{yours}  {pair('rule_pair', taken, made.best)}{share}"


def announced(question: str, answers: Sequence[str]) -> str:
    """Return a question and its answers, each after its letter."""
    lettered = (f"{letter}  {answer}" for letter, answer in zip("ABCD", answers, strict=False))
    return "\n".join(unbroken(plain(each)) for each in (question, *lettered))
