"""RaceController: what is chosen for the race of the rules, asked of the background, and shown; no Qt.

It stands beside the controller: a race changes neither the document nor the session.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec

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
from .race_frame import MODES, MOST_RACERS, Course, RaceFrame
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


@dataclass(frozen=True)
class RaceScene:
    """What the panel of the race shows.

    Attributes
    ----------
    rules : tuple of str
        Those that race.
    mode : str
    pace, last_pace : int
        Position of the slider, and its last one.
    pace_text : str
    playing, can_play : bool
    lanes : tuple of (int, str)
        The lanes whose settings can be raced with, and what they are called.
    lane : int or None
    problems : tuple of ((int, int), str)
        The binary problems to choose from, and what they are called.
    problem : tuple of int or None
    sentence : str
        What is to be said before anything else, or "".
    alarming : bool
        The sentence says that something is in the way.
    winner, near : str
        Who wins, and who was first at a small gap.
    frame : RaceFrame or None
        Of the present race.
    grid : Grid or None
        What the pictures show.
    """

    rules: tuple[str, ...]
    mode: str
    pace: int
    last_pace: int
    pace_text: str
    playing: bool
    can_play: bool
    lanes: tuple[tuple[int, str], ...]
    lane: int | None
    problems: tuple[tuple[tuple[int, int], str], ...]
    problem: tuple[int, int] | None
    sentence: str
    alarming: bool
    winner: str
    near: str
    frame: RaceFrame | None
    grid: Grid | None


@dataclass(frozen=True)
class _Choice:
    """What the user has chosen."""

    rules: tuple[str, ...] = FIRST_RULES
    mode: str = "steps"
    paces: tuple[int, int] = (FIRST_PACES["steps"], FIRST_PACES["time"])
    lane: int | None = None
    problem: tuple[int, int] | None = None  #: None is the lane's own
    playing: bool = False
    started: bool = False


def lanes_of(document: Document) -> tuple[int, ...]:
    """The lanes on screen whose learner has a working-set rule."""
    lanes = document.lanes[: document.shown]
    return tuple(index for index, lane in enumerate(lanes) if lane.trainer is not None and lane.trainer.has_rules)


class RaceController:
    """Turns wishes of the user into requests.

    Parameters
    ----------
    controller : Controller
        Knows the document.
    scheduler : Scheduler
        Answers the query.
    changed : callable
        Called whenever there is something new to be drawn.

    Attributes
    ----------
    asked : RaceQuery or None
        What the background was asked for last, if anything is wanted.
    """

    def __init__(self, controller: Controller, scheduler: Scheduler, changed: Callable[[], None]) -> None:
        self._controller, self._scheduler, self._changed = controller, scheduler, changed
        self._choice = _Choice()
        self._size: tuple[int, int, float] | None = None
        self._shades: Shades | None = None
        self._refusal = ""
        self._set_up()

    # -- the user --------------------------------------------------------------------------------------------------

    def choose_rule(self, rule: str, on: bool) -> None:
        """Let a rule race, or take it out; a fifth one is refused with a sentence."""
        chosen = [name for name in RULES if (on if name == rule else name in self._choice.rules)]
        if len(chosen) > MOST_RACERS:
            self._refuse(text.TOO_MANY)
        elif tuple(chosen) != self._choice.rules:
            self._begin(rules=tuple(chosen))

    def choose_mode(self, mode: str) -> None:
        """Same steps or same time, a name of `MODES`."""
        if mode in MODES and mode != self._choice.mode:
            self._begin(mode=mode)

    def choose_lane(self, lane: int) -> None:
        """Race with the settings of `lane`."""
        if lane in lanes_of(self._controller.document):
            self._begin(lane=lane, problem=None)

    def choose_problem(self, problem: tuple[int, int]) -> None:
        """Race on another binary problem."""
        if problem != self._race.course.problem:
            self._begin(problem=problem)

    def choose_pace(self, position: int) -> None:
        """Move the slider; the race goes on."""
        paces = list(self._choice.paces)
        place = list(MODES).index(self._choice.mode)
        paces[place] = min(max(position, 0), len(PACES[self._choice.mode]) - 1)
        self._change(paces=tuple(paces))

    def toggle(self) -> None:
        """Play or pause; a race that is over begins anew."""
        if self._over:
            self.restart()
        elif self._obstacle():
            self._refuse(self._obstacle())
        else:
            self._change(playing=not self._choice.playing, started=True)

    def restart(self) -> None:
        """From zero multipliers, on the present points and settings, and go."""
        self._begin(playing=True, started=True)

    # -- what comes from elsewhere ---------------------------------------------------------------------------------

    def look(self) -> None:
        """Take what has come.  The document may have changed: a race that has not started takes it in, another goes on
        as it was."""
        self._collect()
        if not self._choice.started and self._news():
            self._begin()
        else:
            self._order()
            self._changed()

    def show_on(self, width: int, height: int, ratio: float) -> None:
        """Each picture has so many pixels, of so many device pixels each."""
        if (width, height, ratio) != self._size:
            self._size = width, height, ratio
            self._order()

    def show_in(self, shades: Shades) -> None:
        """The colours of the pictures."""
        if shades != self._shades:
            self._shades = shades
            self._order()

    def pause(self) -> None:
        """Stop where the race is."""
        if self._choice.playing:
            self._change(playing=False)

    # -- what is shown ---------------------------------------------------------------------------------------------

    def scene(self) -> RaceScene:
        """The scene of this moment."""
        choice, course, document = self._choice, self._race.course, self._controller.document
        names = document.class_names
        paces, position = PACES[choice.mode], self._position
        obstacle, frame = self._obstacle(), self._frame
        news = self._news() if choice.started else ""
        note = frame.note if frame is not None else ""
        return RaceScene(
            rules=choice.rules,
            mode=choice.mode,
            pace=position,
            last_pace=len(paces) - 1,
            pace_text=text.pace(choice.mode, paces[position]),
            playing=choice.playing,
            can_play=not obstacle and not self._failure,
            lanes=tuple((index, f"Classifier {index + 1}") for index in lanes_of(document)),
            lane=course.lane,
            problems=tuple((each, problem_name(*each, names)) for each in course.problems),
            problem=course.problem if course.problems else None,
            sentence=self._refusal or obstacle or self._failure or news or note,
            alarming=bool(self._refusal or obstacle or self._failure or news),
            winner=text.winner(frame) if frame is not None else "",
            near=text.near(frame) if frame is not None else "",
            frame=frame,
            grid=None if self._size is None else _grid_for(course.points, *self._size),
        )

    # -- inside ----------------------------------------------------------------------------------------------------

    @property
    def _position(self) -> int:
        return self._choice.paces[list(MODES).index(self._choice.mode)]

    @property
    def _over(self) -> bool:
        return bool(self._failure) or (self._frame is not None and self._frame.over)

    def _obstacle(self) -> str:
        """Why there can be no race just now, or ""."""
        if self._race.course.lane is None:
            return text.NO_LANE
        if len(self._race.course.points) > STEPPED:
            return text.TOO_LARGE
        if len(self._choice.rules) < 2:
            return text.TOO_FEW
        return "" if fast_loops.ready() else text.PREPARING

    def _news(self) -> str:
        """What has changed in the document since the race was set up, in a sentence, or ""."""
        now, course = self._present(), self._race.course
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
        document, choice = self._controller.document, self._choice
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
        self._race = RaceRun(self._present())
        self._frame: RaceFrame | None = None
        self._failure = ""

    def _ask(self, asked: RaceQuery | None) -> None:
        self.asked = asked
        self._scheduler.ask({} if asked is None else {NAME: asked}, NAME)

    def _collect(self) -> None:
        """Take the newest frame of the present race."""
        answer = self._scheduler.results.answer(NAME)
        if answer is None:
            return
        self._frame, self._failure = answer.value, answer.message
        frame = self._frame
        if self._failure or (frame is not None and frame.over and (frame.begun or frame.message)):
            self._choice = replace(self._choice, playing=False)

    def _begin(self, **changes: object) -> None:
        """Set a new race up, with other choices; one that was going goes on from zero."""
        going = self._choice.playing
        self._choice = replace(self._choice, **{"started": going, **changes})  # type: ignore[arg-type]
        self._set_up()
        if self._obstacle():
            self._choice = replace(self._choice, playing=False, started=False)
        self._refusal = ""
        self._order()
        self._changed()

    def _change(self, **changes: object) -> None:
        self._choice = replace(self._choice, **changes)  # type: ignore[arg-type]
        self._refusal = ""
        self._order()
        self._changed()

    def _refuse(self, sentence: str) -> None:
        self._refusal = sentence
        self._changed()

    def _order(self) -> None:
        """Ask the background for what should be shown, if that is anything else than before."""
        if self._size is None or self._shades is None:
            return
        asked: RaceQuery | None = None
        if not self._obstacle():
            grid = _grid_for(self._race.course.points, *self._size)
            pace = PACES[self._choice.mode][self._position]
            asked = RaceQuery(self._race, pace, grid, self._shades, self._choice.playing)
        if asked != self.asked:
            self._ask(asked)


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
