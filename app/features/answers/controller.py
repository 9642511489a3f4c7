"""AnswersController: hand in what was done in a lesson, and collect what a class has handed in.  No Qt.

The modules that read and write texts are imported at the first use, since they would delay the start.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from app.controllers.controller import Controller
from app.controllers.host import SubjectController
from app.features.lessons.controller import LessonController
from app.features.lessons.model import Lesson
from app.features.lessons.phrases import say
from app.features.lessons.state import LessonSession
from app.files.background_task import Task

from .scene import ClassSession

if TYPE_CHECKING:
    from .hand_in import AnswerSource, Collected, HandIn

NO_LESSON = "Open the lesson that was answered first, then the answers."


class AnswersController(SubjectController):
    """Translate user actions on hand-ins into session changes."""

    _host: Controller

    def _answers(self, lesson: Lesson) -> ClassSession:
        """Return the answers of the class to the open `lesson`."""
        answers = self._host.session.of(ClassSession)
        return answers if answers.digest == lesson.digest else ClassSession(lesson.digest, own=answers.own)

    def toggle(self) -> None:
        """Show the answers of a class to the open lesson, or hide them."""
        now = self._host.session.of(LessonSession)
        if now.lesson is not None:
            self._host.set_session(self._answers(now.lesson), replace(now, for_class=not now.for_class))

    def collecting(self, sources: Callable[[], list[AnswerSource]]) -> Task[Collected] | None:
        """Return the task that reads answers of a class; None, with a sentence, if no lesson is open."""
        from .hand_in import collected

        lesson = self._host.session.of(LessonSession).lesson
        if lesson is None:
            self._host.say(NO_LESSON)
            return None
        before = self._answers(lesson).hand_ins
        failure = "The answers were not read"
        return Task("Reading answers", lambda progress: collected(lesson, sources(), before), failure, kept=False)

    def take(self, found: Collected) -> None:
        """Show the collected answers, unless another lesson is open by now."""
        now = self._host.session.of(LessonSession)
        if now.lesson is None or now.lesson.digest != found.digest:
            return
        answers = self._answers(now.lesson)
        all_of_them = {
            each.number: each for each in (*answers.hand_ins, *found.hand_ins)
        }  # several tasks may read side by side
        more = len(all_of_them) - len(answers.hand_ins)
        answers = replace(answers, hand_ins=tuple(all_of_them.values()), left_out=found.left_out)
        self._host.set_session(answers, replace(now, for_class=True))
        self._host.say(say(now.language, "class_added", number=more, left_out=len(found.left_out)))

    def raise_hands(self, answer: int, number: int) -> None:
        """Record the number of hands raised for an answer of the current step."""
        at = self._host.session.of(LessonSession).at
        self._host.set_session(self._host.session.of(ClassSession).with_hands(at, answer, number))

    def hand_in(self, nickname: str) -> HandIn | None:
        """Return the hand-in of the open lesson; None if no lesson is open."""
        from .hand_in import made_of

        now = self._host.feature(LessonController).graded
        if now.lesson is None:
            return None
        own = self._host.session.of(ClassSession).own
        if own is None or own[0] is not now.lesson:
            own = now.lesson, secrets.token_hex(6)
            self._host.change(ClassSession, own=own)
        return made_of(now, own[1], nickname)
