"""RaceController: the user's choices for a race, its query of the background, and its newest frame; no Qt.

It is independent of document and session: a race changes neither.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from app.controllers.controller import Controller
from app.core.caches import kept
from app.core.points import Points
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from app.learners.svm import STEPPED, SvmSettings
from app.scene.model import grid_of
from app.state.document import Document, View, are_unlike, problems_of
from app.state.document import problem as problem_name
from solver import RULES, Grid
from solver.core import fast_loops

from . import text
from .race_frame import LEAST_RACERS, MOST_RACERS, Course, RaceFrame
from .race_run import RaceQuery, RaceRun

#: Name of the query, and of its owner.
NAME = "race"
#: Choices of the pace slider: steps, or milliseconds of solver time, per picture; the last is full speed.
PACES: dict[str, tuple[float, ...]] = {
    "steps": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, math.inf),
    "time": (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, math.inf),
}
#: Initial positions of the slider: slow enough to follow a rule of few steps.
FIRST_PACES = {"steps": 2, "time": 1}
FIRST_RULES = ("random", "second-order")


class RaceChoice(Struct, frozen=True):
    """The user's choices.

    Attributes
    ----------
    rules : tuple of str
    mode : str
    paces : mapping of str to int
        Position of the slider in each mode.
    problem : tuple of int or None
        The binary problem; None: the lane's own.
    playing, started : bool
    """

    rules: tuple[str, ...] = FIRST_RULES
    mode: str = "steps"
    paces: Mapping[str, int] = field(default_factory=lambda: FIRST_PACES)
    problem: tuple[int, int] | None = None
    playing: bool = False
    started: bool = False


def lanes_of(document: Document) -> tuple[int, ...]:
    """Return the visible lanes whose learner has a working-set rule."""
    lanes = enumerate(document.lanes[: document.shown])
    return tuple(index for index, lane in lanes if lane.trainer is not None and lane.trainer.has_rules)


class RaceController:
    """Keep the user's choices for a race, and request it from the background.

    Parameters
    ----------
    controller : Controller
        Provides the document.
    scheduler : Scheduler
        Answers the query, and keeps the newest frame of the race.
    changed : callable
        Called whenever there is something new to draw.

    Attributes
    ----------
    choice : RaceChoice
    course : Course
        The problem and the rules of the present race.
    asked : RaceQuery or None
        The last request to the background, if any.
    size : (int, int, float) or None
        Width and height of each picture in pixels, and device pixels per pixel; None before there are pictures.
    shades : Shades or None
        Colours of the pictures.
    """

    def __init__(self, controller: Controller, scheduler: Scheduler, changed: Callable[[], None]) -> None:
        self._controller, self._scheduler, self._changed = controller, scheduler, changed
        self.choice = RaceChoice()
        self.size: tuple[int, int, float] | None = None
        self.shades: Shades | None = None
        self._refusal = ""
        self._begun_in = self._place
        self._set_up()

    # -- the user --------------------------------------------------------------------------------------------------

    def choose_rule(self, rule: str, on: bool) -> None:
        """Add a rule to the race, or remove it; a fifth one is refused with a sentence."""
        chosen = tuple(name for name in RULES if (on if name == rule else name in self.choice.rules))
        if len(chosen) > MOST_RACERS:
            self._refusal = text.TOO_MANY
            self._changed()
        elif chosen != self.choice.rules:
            self._begin(rules=chosen)

    def choose_mode(self, mode: str) -> None:
        """Choose equal steps or equal time, a key of `MODES`."""
        if mode != self.choice.mode:
            self._begin(mode=mode)

    def choose_problem(self, problem: tuple[int, int]) -> None:
        """Race on another binary problem."""
        if problem != self.course.problem:
            self._begin(problem=problem)

    def choose_pace(self, position: int) -> None:
        """Move the pace slider; the race continues."""
        mode = self.choice.mode
        position = min(max(position, 0), len(PACES[mode]) - 1)
        self._change(paces={**self.choice.paces, mode: position})

    def toggle(self) -> None:
        """Play or pause; restart a race that has ended."""
        if self._failure or (self.frame is not None and self.frame.over):
            self.restart()
        elif not self._obstacle:
            self._change(playing=not self.choice.playing, started=True)

    def restart(self) -> None:
        """Restart from zero multipliers, with the present points and settings."""
        self._begin(playing=True, started=True)

    # -- what comes from elsewhere ---------------------------------------------------------------------------------

    def update(self) -> None:
        """Take new frames, and request what `size` and `shades` need.

        The document may have changed: a race that has not started follows it, another one continues unchanged, and
        another document or example ends it.
        """
        frame = self.frame
        if (place := self._place) != self._begun_in:
            self._begun_in = place
            self.choice = replace(self.choice, started=False, playing=False)
        if self._failure or (frame is not None and frame.over and (frame.begun or frame.message)):
            self.choice = replace(self.choice, playing=False)
        if not self.choice.started and self._news():
            self._begin()
        else:
            self._order()
            self._changed()

    def pause(self) -> None:
        """Pause the race."""
        if self.choice.playing:
            self._change(playing=False)

    # -- the display -----------------------------------------------------------------------------------------------

    @property
    def problems(self) -> list[tuple[str, tuple[int, int]]]:
        """The binary problems to choose from, with their titles."""
        names = self._controller.document.class_names
        return [(problem_name(*problem, names), problem) for problem in self.course.problems]

    @property
    def position(self) -> int:
        """Position of the pace slider."""
        return self.choice.paces[self.choice.mode]

    @property
    def pace(self) -> float:
        """Steps, or milliseconds of solver time, per picture."""
        return PACES[self.choice.mode][self.position]

    @property
    def frame(self) -> RaceFrame | None:
        """The newest frame of the race."""
        answer = self._scheduler.results.answer(NAME)
        return None if answer is None else answer.value

    @property
    def grid(self) -> Grid | None:
        """The part of the plane that the pictures show."""
        return None if self.size is None else _grid_for(self.course.points, *self.size)

    @property
    def can_play(self) -> bool:
        """True if nothing prevents a race."""
        return not (self._obstacle or self._failure)

    @property
    def alarm(self) -> str:
        """Why there is no race, or what has changed, in a sentence; or ""."""
        news = self._news() if self.choice.started else ""
        return self._refusal or self._obstacle or self._failure or news

    # -- inside ----------------------------------------------------------------------------------------------------

    @property
    def _place(self) -> tuple[int, int]:
        """Numbers of the documents and of the examples opened so far."""
        return self._controller.store.resets, self._controller.examples.openings

    @property
    def _failure(self) -> str:
        """Why the background could not (or no longer) race, or ""."""
        answer = self._scheduler.results.answer(NAME)
        return "" if answer is None else answer.message

    @property
    def _obstacle(self) -> str:
        """Why there can be no race at present, or ""."""
        if self.course.lane is None:
            return text.NO_LANE
        if len(self.course.points) > STEPPED:
            return text.TOO_LARGE
        if len(self.choice.rules) < LEAST_RACERS:
            return text.TOO_FEW
        return "" if fast_loops.ready() else text.PREPARING

    def _news(self) -> str:
        """Return what has changed in the document since the race was set up, in a sentence, or ""."""
        now, course = self._present(), self.course
        if now.lane is None:
            return text.NO_LANE
        if now.points is not course.points:
            return "The points have changed: Restart races on the new ones."
        if (now.lane, now.settings, now.standardises) != (course.lane, course.settings, course.standardises):
            return "The settings of the classifier have changed: Restart races with the new ones."
        if (now.problem, now.problems) != (course.problem, course.problems):
            return "Another problem is drawn in the lane: Restart races on it."
        return ""

    def _present(self) -> Course:
        """Return the course for the present document."""
        document, choice = self._controller.document, self.choice
        points, lanes = document.training_points, lanes_of(document)
        if not lanes:
            return Course(points)
        selected = self._controller.session.selected_lane(document, NAME)
        index = selected if selected in lanes else lanes[0]
        lane = document.lanes[index]
        problems = problems_of(points.classes, lane.multiclass)
        if choice.problem in problems:
            problem = choice.problem
        else:
            problem = problems[lane.drawn(problems)] if problems else (0, 1)
        # The rules are chosen here; the lane's own rule is no part of the course.
        settings = msgspec.structs.replace(lane.settings, selection=SvmSettings().selection)
        return Course(
            points, settings, problem, choice.rules, choice.mode, index, problems, standardises=lane.standardises
        )

    def _set_up(self) -> None:
        self._request(None)  # two races at once would need twice the memory
        self.course = self._present()
        self._race = RaceRun(self.course)

    def _request(self, asked: RaceQuery | None) -> None:
        self.asked = asked
        self._scheduler.request_answers({} if asked is None else {NAME: asked}, NAME)

    def _begin(self, **changes: object) -> None:
        """Set up a new race with other choices; a running one starts again from zero."""
        self.choice = replace(self.choice, **{"started": self.choice.playing, **changes})
        self._set_up()
        self._change(**({"playing": False, "started": False} if self._obstacle else {}))

    def _change(self, **changes: object) -> None:
        self.choice = replace(self.choice, **changes)
        self._refusal = ""
        self._order()
        self._changed()

    def _order(self) -> None:
        """Request what should be shown; an equal request continues."""
        if self.grid is not None and self.shades is not None:
            query = RaceQuery(self._race, self.pace, self.grid, self.shades, self.choice.playing)
            self._request(None if self._obstacle else query)


@kept(4)
def _grid_for(points: Points, width: int, height: int, ratio: float) -> Grid:
    """Return the part of the plane with all points at the largest scale for this size in pixels."""
    view = View.fitting(points, are_unlike(points))
    if len(points):
        size = points.xy.max(axis=0) - points.xy.min(axis=0)
        unit = 1.15 * max(size[0] / width, size[1] / view.ratio / height)
        if 0 < unit * min(width, height) < view.span:
            span = max(float(unit * min(width, height)), 1e-3 * view.span)
            view = msgspec.structs.replace(view, span=span)
    return grid_of(view, width, height, ratio)
