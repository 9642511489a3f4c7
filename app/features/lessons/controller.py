"""LessonController: open a lesson, move between its steps, accept guesses and reveal the pictures.  No Qt.

What the student does in a step is kept in the session; each step has a document of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from msgspec.structs import replace

from app.controllers.controller import Controller
from app.core.plain_text import plain
from app.engine.frames import Frame, Phase
from app.features.evaluation.scene import EvaluationSession
from app.files.documents import FileError
from app.scene.model import Context, is_present
from app.state.document import MAX_LANES
from app.state.session import FULL_SPEED
from app.state.split import Validation
from app.tools import PointerPosition, Tool, point_at

from .model import Lesson
from .phrases import say
from .scene import gain_of, graded
from .state import Gains, Guess, LessonSession, ModelBoundary, StepState
from .text import announced

#: Events of a lesson: a step is entered, its prediction is compared, its end is reached, or it is left.
Event = Literal["entered", "revealed", "ended", "left"]
#: Least distance between two corners of a line drawn by hand (pixels).
APART = 3.0


class LessonController:
    """Translate user actions on a lesson into session changes and documents.

    Parameters
    ----------
    host : Controller
    """

    def __init__(self, host: Controller) -> None:
        self._host = host
        self._host.editing.own_gesture = self._tool
        self._host.own_undo, self._host.own_number = self.take_back, self.choose
        #: Opens the next lesson; set by the window, which has the files.
        self.open_next: Callable[[], object] = lambda: None
        #: Called with each event: the window arranges its panels and layers, and records the score.
        self.report: Callable[[Event], object] = lambda event: None

    @property
    def _now(self) -> LessonSession:
        return self._host.session.of(LessonSession)

    def _say(self, name: str) -> None:
        """Show a phrase in the language of the lesson."""
        self._host.say(say(self._now.language, name))

    @property
    def graded(self) -> LessonSession:
        """The session with what the results say about the current step: agreement and goal."""
        from .goals import check  # only now: it costs the start nothing

        now = graded(self._now, self._host.results)
        step = now.step
        if step is None or not step.goal or now.state.reached or now.prediction is not None or now.ended:
            return now
        context = Context(self._host.document, self._host.session, self._host.results)
        return now.with_state(reached=bool(check(step.goal, context).reached))

    # -- going through -----------------------------------------------------------------------------------------------

    def begin(self, lesson: Lesson) -> None:
        """Open the lesson at its first step, in place of the document; raise FileError if that step has no document."""
        states = (StepState(),) * len(lesson.steps)
        self._enter(replace(self._now, lesson=lesson, at=0, ended=False, states=states, for_class=False))

    def leave(self) -> None:
        """Close the lesson, and restore the previous document with its history and its file."""
        now = self._now
        if now.lesson is not None:
            self._host.put_back()
            self._host.set_session(now.of_new_document())
            self.report("left")
            self._host.say(f"Back in {self._host.store.title}, as it was before the lesson.")

    def go(self, at: int) -> None:
        """Go to step `at` as it was left; the present step is kept."""
        now = self._now
        if now.lesson is None or not 0 <= at < len(now.lesson.steps):
            return
        if at == now.at:
            self._host.set_session(replace(now, ended=False))
            return
        self._host.editing.finish()
        self._enter_or_say(replace(self.graded.with_state(document=self._host.document), at=at, ended=False))

    def next(self) -> None:
        """Check the guess if there is one, else go to the next step; an open question takes a second call."""
        now = self._now
        guess, lesson = now.state.guess, now.lesson
        if lesson is None:
            return
        answered = now.prediction is None or guess.is_made or now.for_class
        if now.prediction is not None and answered and not now.stays_open:
            self.reveal()
        elif not answered and not guess.passed and not now.is_late:
            self._set(replace(guess, passed=True))
            self._say("pass")
        elif now.at + 1 < len(lesson.steps):
            self.go(now.at + 1)
        elif now.ended:
            self._say("over")
        else:
            self._host.editing.finish()
            self._host.set_session(replace(self.graded, ended=True))
            self.report("ended")

    def back(self) -> None:
        """Go to the previous step, or from the end to the last step."""
        now = self._now
        if now.ended:
            self.go(now.at)
        elif now.at:
            self.go(now.at - 1)
        elif now.lesson is not None:
            self._say("first")

    def reset(self) -> None:
        """Begin the step again, without a guess."""
        now = self._now
        if now.lesson is not None:
            anew = StepState(guess=now.state.guess) if now.is_late else StepState()
            states = (*now.states[: now.at], anew, *now.states[now.at + 1 :])
            self._enter_or_say(replace(now, states=states, ended=False))

    def _enter_or_say(self, now: LessonSession) -> None:
        try:
            self._enter(now)
        except FileError as error:
            self._host.say(str(error))

    def _enter(self, now: LessonSession) -> None:
        """Replace the document by that of a step, as it was left; every run starts from zero, or waits."""
        from .starting import start_of  # only now: reading lessons costs the start nothing

        lesson, step = now.lesson, now.step
        assert lesson is not None and step is not None
        document = now.state.document or start_of(lesson, now.at)
        self._host.stage(document, plain(lesson.title))  # nothing is drawn before the end of this method
        self._host.set_session(
            now,
            playing=(not step.paused,) * MAX_LANES,
            speeds=(FULL_SPEED,) * MAX_LANES,
            seeks=(None,) * MAX_LANES,
            restarts=self._host.session.restarted,
            selected_slot=document.slots[document.shown - 1],
            **_taken_over(now),
        )
        if "validation" in step.goal.lower():
            self._host.change(EvaluationSession, validation=Validation("folds"))
        if step.show is not None and "tools" not in step.show:
            self._host.editing.choose("pointer")
        self.report("entered")
        self._host.say("")

    def unfold_hint(self, unfolded: bool) -> None:
        """Show or hide the hint."""
        if self._now.lesson is not None:
            self._host.set_session(self._now.with_state(hint=unfolded))

    # -- predicting --------------------------------------------------------------------------------------------------

    def _set(self, guess: Guess) -> None:
        was_open = self._now.prediction is not None
        now = self._now.with_state(guess=guess)
        self._host.set_session(now, **_taken_over(now))
        if was_open and now.prediction is None:
            self.report("revealed")

    def choose(self, answer: int) -> bool:
        """Choose this answer; return False if there is none to choose."""
        prediction = self._now.prediction
        if prediction is None or not 0 <= answer < len(prediction.answers):
            return False
        guess = self._now.state.guess
        if answer not in guess.tried and not self._now.is_late:
            self._set(replace(guess, answer=answer))
        return True

    def take_back(self) -> bool:
        """Remove the last line, or the last picked point; return False if there is none."""
        if not self._now.can_take_back:
            return False
        guess = self._now.state.guess
        self._host.editing.cancel()
        self._set(replace(guess, lines=guess.lines[:-1], pair=guess.pair[:-1]))
        return True

    def _tool(self) -> Tool:
        prediction = self._now.prediction
        return (PickTool if prediction is not None and prediction.kind == "pair" else PencilTool)(self)

    def draw(self, x: float, y: float, begin: bool = False) -> None:
        """Continue the drawn line to (x, y), or begin one there."""
        guess = self._now.state.guess
        if self._now.prediction is not None:
            *others, line = (*guess.lines, ()) if begin or not guess.lines else guess.lines
            self._set(replace(guess, lines=(*others, (*line, (x, y)))))

    def end_line(self) -> None:
        """End the drawn line; one of a single point is removed."""
        guess = self._now.state.guess
        if guess.lines and len(guess.lines[-1]) < 2:
            self._set(replace(guess, lines=guess.lines[:-1]))

    def pick(self, pointer: PointerPosition) -> None:
        """Pick the point under the pointer, or unpick it; a third point replaces the second."""
        document, guess = self._host.document, self._now.state.guess
        index = point_at(document, pointer)
        point = -1 if index is None else int(document.points.ids[index])
        if self._now.prediction is None:
            return
        if index is None:
            self._say("no_point")
        elif point not in document.training_points.ids:
            self._say("test_point")
        else:
            others = tuple(each for each in guess.pair if each != point)
            self._set(replace(guess, pair=others if point in guess.pair else (*others[:1], point)))

    # -- revealing ---------------------------------------------------------------------------------------------------

    def reveal(self) -> None:
        """Reveal the picture with the guess; after a wrong answer, first why it is wrong.

        Report a sentence if there is no guess, or nothing to compare it with.
        """
        now = self._now
        prediction, guess = now.prediction, now.state.guess
        if prediction is None or now.stays_open:
            return
        if not guess.is_made:
            if now.for_class:
                self._set(replace(guess, revealed=True))
            else:
                self._say("predict_first")
            return
        if prediction.kind == "choice":
            known = guess.answer == prediction.right or guess.answer in guess.tried
            self._set(replace(guess, revealed=True) if known else replace(guess, tried=(*guess.tried, guess.answer)))
            return
        document, lane = self._host.document, prediction.lane
        frame = self._host.results.frame(document.slots[lane])
        ready = lane < document.shown and is_present(document, lane, frame)
        if not ready or frame is None or frame.phase not in (Phase.DONE, Phase.PAUSED):
            self._say("not_ready")
        elif prediction.kind == "pair":
            self._compare_pair(guess, frame)
        elif frame.model is None or frame.picture is None:
            self._say("not_ready")
        else:
            grid = frame.picture.grid
            box = grid.left, grid.right, grid.bottom, grid.top
            boundary = ModelBoundary(frame.model, document.points, box, document.view.ratio)
            self._set(replace(guess, revealed=True, boundary=boundary))

    def _compare_pair(self, guess: Guess, frame: Frame) -> None:
        run, model = frame.run_state, frame.model
        if run is None or run.v is None or run.alpha is None or model is None or model.kind != "f":
            self._say("not_trained")
            return
        why, ids = run.explanation, run.points.ids[run.index].tolist()
        if why is None or why.newest:  # the run has continued to its end
            self._host.set_session(playing=(False,) * MAX_LANES, restarts=self._host.session.restarted)
            self._say("set_back")
        elif not set(guess.pair) <= set(ids):
            self._say("other_problem")
        else:
            first, second = map(ids.index, guess.pair)
            gain = gain_of(run, model.expansion.kernel, first, second, model.scaler)
            gains = Gains((ids[why.i], ids[why.j]), gain, why.gain, run.rule)
            self._set(replace(guess, revealed=True, gains=gains))


def _taken_over(now: LessonSession) -> dict[str, Any]:
    """Return the fields of the session that a step sets: its controls, and its question while that is open."""
    step, asked, lesson = now.step, now.prediction, now.lesson
    idle = "" if lesson is None or step is None else plain(step.title)
    if lesson is not None:
        idle = say(now.language, "status", at=now.at + 1, number=len(lesson.steps), title=idle)
    return {
        "controls": None if step is None or step.show is None else frozenset(step.show),
        "announcement": "" if asked is None else announced(asked.question, asked.answers),
        "gesture_hint": ("" if asked is None or asked.kind == "choice" else say(now.language, f"gesture_{asked.kind}")),
        "idle_hint": idle,
        "gesture_undo": "the last of the guess" if now.can_take_back else "",
    }


class _GuessTool(Tool):
    """A tool whose gestures make a guess."""

    def __init__(self, lessons: LessonController) -> None:
        self._lessons = lessons
        super().__init__(lessons._host.editing)


class PencilTool(_GuessTool):
    """Draw a boundary by hand."""

    def begin(self, pointer: PointerPosition) -> None:
        self._last = pointer
        self._lessons.draw(pointer.x, pointer.y, begin=True)

    def go(self, pointer: PointerPosition) -> None:
        if pointer.pixels_to(self._last.x, self._last.y) >= APART:
            self._last = pointer
            self._lessons.draw(pointer.x, pointer.y)

    def end(self, pointer: PointerPosition) -> None:
        self._lessons.end_line()

    def cancel(self) -> object:
        """Discard the line that is being drawn."""
        key = super().cancel()
        self._lessons.take_back()
        return key


class PickTool(_GuessTool):
    """Pick two points."""

    clicks = True

    def begin(self, pointer: PointerPosition) -> None:
        if not self.keys.double:  # a double click would unpick the point
            self._lessons.pick(pointer)
