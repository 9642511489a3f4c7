"""Wording of lessons: the sentences that are not in a lesson file; no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence

from app.core.number_format import grouped, percent
from app.core.plain_text import plain

from .model import Lesson, Prediction
from .state import Guess, LessonSession

#: Gestures while a guess is made, by the kind of prediction.
GESTURE_HINT = {
    "choice": "",
    "boundary": "Drag: draw where the boundary will be  ·  Ctrl+Z: take a line back  ·  arrows and Enter do it, too",
    "pair": "Click the two points that move next  ·  arrows and Enter do it, too",
}
#: What to do, below the question, by the kind of prediction.
ASKED = {
    "choice": "",
    "boundary": "Draw on the covered picture{of}: drag, or move the cursor with the arrow keys and press Enter at both"
    " ends of a line.",
    "pair": "Click two points{of}, or go to them with the arrow keys and press Enter.",
}
PASS = "Not answered yet.  Next once more goes on without an answer."
OVER = "The lesson is over.  Its panel leads to other lessons, and back to your own document."
NOT_READY = "It is still learning; reveal in a moment."
NOT_TRAINED = "This classifier does not move two multipliers at a time."
SET_BACK = "The run had continued: it is back at its first step.  Reveal again."
#: `![words](address)` and `![words][name]`.
_PICTURE = re.compile(r"!\[([^\]\n]*)\](\([^)\n]*\)|\[[^\]\n]*\])?")


def without_pictures(markdown: str) -> str:
    """Return `markdown` with the words of each picture in its place: no picture is read or fetched."""
    return _PICTURE.sub(r"\1", markdown)


def of_lane(index: int, number: int) -> str:
    """Return " of classifier 2", or "" if there is only one."""
    return f" of classifier {index + 1}" if number > 1 else ""


def agreement(share: float | None) -> str:
    """Return how well a drawn boundary fits."""
    if share is None:
        return "Comparing…"
    return f"Your line and the model agree on {percent(share)} of the view."


_ATTEMPTS = ("Right.", "Right, at the second attempt.", "Right, at the third attempt.", "Right, at the last attempt.")


def outcome(prediction: Prediction, guess: Guess) -> str:
    """Return the result of an answer: "Right.", "Not so."; "" while it has not been checked."""
    if guess.revealed and guess.answer == prediction.right:
        return _ATTEMPTS[len(guess.tried)]
    wrong = "Not so." if guess.revealed else "Not so.  Try again."
    return wrong if guess.answer in guess.tried else ""


def reason(prediction: Prediction, guess: Guess) -> str:
    """Return why the last checked answer is wrong, if the lesson gives a reason."""
    wrong = guess.answer in guess.tried and guess.answer < len(prediction.reasons)
    return prediction.reasons[guess.answer] if wrong else ""


def ending(lesson: Lesson, right: int, answered: int, onward: str) -> str:
    """Return the end of a lesson in Markdown: the score, what was learnt, and the next lesson."""
    asked, parts = lesson.n_predictions, []
    if asked:
        left = f", {asked - answered} not answered" if answered < asked else ""
        parts.append(f"**Predicted right: {right} of {asked}**{left}.")
    if lesson.learnt:
        parts += ["What you have learnt:", *lesson.learnt]
    if onward:
        parts.append(f"Next: *{onward}*.")
    return "\n\n".join(parts) or "This was the last step."


def for_teacher(now: LessonSession, lesson: Lesson) -> str:
    """Return what the audience does not see yet: the right answer, why, and the next step."""
    prediction, following = now.prediction, lesson.steps[now.at + 1 :]
    lines = ["*Seen here only*"]
    if prediction is not None and prediction.answers:
        lines.append(f"**Answer:** {prediction.answers[prediction.right]}")
    if prediction is not None and prediction.because:
        lines.append(prediction.because)
    lines.append(f"**Next:** {following[0].title}" if following else "This is the last step.")
    return "\n\n".join(lines)


def gains(picked: tuple[int, ...], taken: tuple[int, ...], gain: float, best: float, rule: str) -> str:
    """Return the gain of a pair and that of the rule's pair; points by their rows in the table."""
    yours = f"Your pair, points {grouped(picked[0])} and {grouped(picked[1])}, raises the dual by {gain:.3g}."
    if set(picked) == set(taken):
        return f"{yours}  The {rule} rule takes the same pair."
    theirs = f"The {rule} rule takes points {grouped(taken[0])} and {grouped(taken[1])}: {best:.3g}"
    share = f", so yours gains {percent(gain / best)} of that." if 0.0 <= gain <= best and best > 0 else "."
    return f"{yours}  {theirs}{share}"


def announced(question: str, answers: Sequence[str]) -> str:
    """Return a question and its answers, each after its letter."""
    lettered = (f"{letter}  {answer}" for letter, answer in zip("ABCD", answers, strict=False))
    return "\n".join(map(plain, (question, *lettered)))
