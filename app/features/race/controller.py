"""RaceController: what is chosen for the race of the rules, asked of the background, and what has come; no Qt.

It stands beside the controller: a race changes neither the document nor the session.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import lru_cache

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from app.controllers.controller import Controller
from app.core.points import Points
from app.engine.scheduler import Scheduler
from app.engine.shading import Shades
from app.learners.svm import STEPPED, SvmSettings
from app.scene.model import grid_of
from app.state.document import Document, View, problems_of
from app.state.document import problem as problem_name
from solver import RULES, Grid
from solver.core import fast_loops

from . import text
from .race_frame import LEAST_RACERS, MOST_RACERS, Course, RaceFrame
from .race_run import RaceQuery, RaceRun

#: Name of the query, and owner of it.
NAME = "race"
#: What the pace slider offers: steps, or milliseconds of solver time, per picture; the last is full speed.
PACES: dict[str, tuple[float, ...]] = {
    "steps": (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, math.inf),
    "time": (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, math.inf),
}
#: At first slow enough to see a rule of few steps arrive.
FIRST_PACES = {"steps": 2, "time": 1}
FIRST_RULES = ("random", "second-order")


class RaceChoice(Struct, frozen=True):
    """What the user has chosen.

    Attributes
    ----------
    rules : tuple of str
    mode : str
    paces : mapping of str to int
        Position of the slider in each mode.
    lane : int or None
        The lane whose settings are raced with; None is the first that can be.
    problem : tuple of int or None
        The binary problem; None is the lane's own.
    playing, started : bool
    """

    rules: tuple[str, ...] = FIRST_RULES
    mode: str = "steps"
    paces: Mapping[str, int] = field(default_factory=lambda: FIRST_PACES)
    lane: int | None = None
    problem: tuple[int, int] | None = None
    playing: bool = False
    started: bool = False


def lanes_of(document: Document) -> tuple[int, ...]:
    """The lanes on screen whose learner has a working-set rule, but for those that standardise."""
    lanes = ((index, lane) for index, lane in enumerate(document.lanes[: document.shown]) if not lane.standardises)
    return tuple(index for index, lane in lanes if lane.trainer is not None and lane.trainer.has_rules)


class RaceController:
    """What the user has chosen for a race, asked of the background.

    Parameters
    ----------
    controller : Controller
        Knows the document.
    scheduler : Scheduler
        Answers the query, and keeps the newest frame of the present race.
    changed : callable
        Called whenever there is something new to be drawn.

    Attributes
    ----------
    choice : RaceChoice
    course : Course
        What the present race is on.
    asked : RaceQuery or None
        What the background was asked for last, if anything is wanted.
    size : (int, int, float) or None
        Width and height of each picture in pixels, of so many device pixels each; None before there are any.
    shades : Shades or None
        The colours of the pictures.
    """

    def __init__(self, controller: Controller, scheduler: Scheduler, changed: Callable[[], None]) -> None:
        self._controller, self._scheduler, self._changed = controller, scheduler, changed
        self.choice = RaceChoice()
        self.size: tuple[int, int, float] | None = None
        self.shades: Shades | None = None
        self._refusal = ""
        self._set_up()

    # -- the user --------------------------------------------------------------------------------------------------

    def choose_rule(self, rule: str, on: bool) -> None:
        """Let a rule race, or take it out; a fifth one is refused with a sentence."""
        chosen = tuple(name for name in RULES if (on if name == rule else name in self.choice.rules))
        if len(chosen) > MOST_RACERS:
            self._refusal = text.TOO_MANY
            self._changed()
        elif chosen != self.choice.rules:
            self._begin(rules=chosen)

    def choose_mode(self, mode: str) -> None:
        """Same steps or same time, a name of `MODES`."""
        if mode != self.choice.mode:
            self._begin(mode=mode)

    def choose_lane(self, lane: int) -> None:
        """Race with the settings of `lane`."""
        if lane in self.lanes:
            self._begin(lane=lane, problem=None)

    def choose_problem(self, problem: tuple[int, int]) -> None:
        """Race on another binary problem."""
        if problem != self.course.problem:
            self._begin(problem=problem)

    def choose_pace(self, position: int) -> None:
        """Move the slider; the race goes on."""
        mode = self.choice.mode
        position = min(max(position, 0), len(PACES[mode]) - 1)
        self._change(paces={**self.choice.paces, mode: position})

    def toggle(self) -> None:
        """Play or pause; a race that is over begins anew."""
        if self._failure or (self.frame is not None and self.frame.over):
            self.restart()
        elif not self._obstacle:
            self._change(playing=not self.choice.playing, started=True)

    def restart(self) -> None:
        """From zero multipliers, on the present points and settings, and go."""
        self._begin(playing=True, started=True)

    # -- what comes from elsewhere ---------------------------------------------------------------------------------

    def look(self) -> None:
        """Take what has come, and ask for what `size` and `shades` need.  The document may have changed: a race that
        has not started takes it in, another goes on as it was."""
        frame = self.frame
        if self._failure or (frame is not None and frame.over and (frame.begun or frame.message)):
            self.choice = replace(self.choice, playing=False)
        if not self.choice.started and self._news():
            self._begin()
        else:
            self._order()
            self._changed()

    def pause(self) -> None:
        """Stop where the race is."""
        if self.choice.playing:
            self._change(playing=False)

    # -- what is shown ---------------------------------------------------------------------------------------------

    @property
    def lanes(self) -> tuple[int, ...]:
        """The lanes whose settings can be raced with."""
        return lanes_of(self._controller.document)

    @property
    def problems(self) -> list[tuple[str, tuple[int, int]]]:
        """The binary problems to choose from, with what they are called."""
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
        """The newest of the present race."""
        answer = self._scheduler.results.answer(NAME)
        return None if answer is None else answer.value

    @property
    def grid(self) -> Grid | None:
        """What the pictures show."""
        return None if self.size is None else _grid_for(self.course.points, *self.size)

    @property
    def can_play(self) -> bool:
        """Nothing is in the way of a race."""
        return not (self._obstacle or self._failure)

    @property
    def alarm(self) -> str:
        """What is in the way or has changed, in a sentence; or ""."""
        news = self._news() if self.choice.started else ""
        return self._refusal or self._obstacle or self._failure or news

    # -- inside ----------------------------------------------------------------------------------------------------

    @property
    def _failure(self) -> str:
        """Why the background could not race (any more), or ""."""
        answer = self._scheduler.results.answer(NAME)
        return "" if answer is None else answer.message

    @property
    def _obstacle(self) -> str:
        """Why there can be no race just now, or ""."""
        if self.course.lane is None:
            return text.NO_LANE
        if len(self.course.points) > STEPPED:
            return text.TOO_LARGE
        if len(self.choice.rules) < LEAST_RACERS:
            return text.TOO_FEW
        return "" if fast_loops.ready() else text.PREPARING

    def _news(self) -> str:
        """What has changed in the document since the race was set up, in a sentence, or ""."""
        now, course = self._present(), self.course
        if now.lane is None:
            return text.NO_LANE
        if now.points is not course.points:
            return "The points have changed: Restart races on the new ones."
        if (now.lane, now.settings) != (course.lane, course.settings):
            return "The settings of the classifier have changed: Restart races with the new ones."
        if (now.problem, now.problems) != (course.problem, course.problems):
            return "Another problem is drawn in the lane: Restart races on it."
        return ""

    def _present(self) -> Course:
        """The course as the document has it now."""
        document, choice = self._controller.document, self.choice
        points, lanes = document.training_points, lanes_of(document)
        if not lanes:
            return Course(points)
        index = choice.lane if choice.lane in lanes else lanes[0]
        lane = document.lanes[index]
        problems = problems_of(points.classes, lane.multiclass)
        if choice.problem in problems:
            problem = choice.problem
        else:
            problem = problems[lane.drawn(problems)] if problems else (0, 1)
        # The rule is chosen here, and says nothing about the course.
        settings = msgspec.structs.replace(lane.settings, selection=SvmSettings().selection)
        return Course(points, settings, problem, choice.rules, choice.mode, index, problems)

    def _set_up(self) -> None:
        self._ask(None)  # two races at once would need twice the memory
        self.course = self._present()
        self._race = RaceRun(self.course)

    def _ask(self, asked: RaceQuery | None) -> None:
        self.asked = asked
        self._scheduler.ask({} if asked is None else {NAME: asked}, NAME)

    def _begin(self, **changes: object) -> None:
        """Set a new race up, with other choices; one that was going goes on from zero."""
        self.choice = replace(self.choice, **{"started": self.choice.playing, **changes})
        self._set_up()
        self._change(**({"playing": False, "started": False} if self._obstacle else {}))

    def _change(self, **changes: object) -> None:
        self.choice = replace(self.choice, **changes)
        self._refusal = ""
        self._order()
        self._changed()

    def _order(self) -> None:
        """Ask the background for what should be shown; what was asked last goes on."""
        if self.grid is not None and self.shades is not None:
            query = RaceQuery(self._race, self.pace, self.grid, self.shades, self.choice.playing)
            self._ask(None if self._obstacle else query)


@lru_cache(maxsize=4)
def _grid_for(points: Points, width: int, height: int, ratio: float) -> Grid:
    """The part of the plane that shows all points on so many pixels, as large as they can be."""
    view = View.fitting(points)
    if len(points):
        size = points.xy.max(axis=0) - points.xy.min(axis=0)
        unit = 1.15 * max(size[0] / width, size[1] / height)
        if 0 < unit * min(width, height) < view.span:
            view = View(view.x, view.y, max(float(unit * min(width, height)), 1e-3 * view.span))
    return grid_of(view, width, height, ratio)
