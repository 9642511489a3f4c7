"""Field: the racers, one solver for each rule, and what they have spent; it decides whose turn it is.

RaceWork runs it in the background.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from dataclasses import replace

import numpy as np

from app.core import log
from app.core.points import Points
from app.engine.pieces import Step
from app.engine.pool import Later, Priority
from app.engine.surface_values import problem_of
from app.learners.svm import svc_of
from solver import REST, RULES, Pair, SmoSolver, Status
from solver.core.arrays import Array

from .racer import CostProbe, Racer, Sketcher, call_cost, in_fewer_pixels
from .requests import LEAST_RACERS, MODES, MOST_RACERS, Finish, RaceFrame, RaceRequest

#: Seconds that a round of all racers aims at when the race runs at full speed.
ROUND = 0.012
#: Pixels of a picture on the way, at most and at least.
MOST_PIXELS, LEAST_PIXELS = 25_000, 3000
#: Seconds that a picture on the way may take.
SKETCH = 0.005
NO_SECOND_CLASS = "A race needs points of two classes: add some in a picture."
INDEFINITE = (
    "This kernel is not positive semidefinite here: there is no gap, and the rules may end at different"
    " stationary points."
)


class Field:
    """All racers, from the same start.

    Parameters
    ----------
    request : RaceRequest
    points : Points
        Those of the binary problem.
    racers : list of Racer
    """

    def __init__(self, request: RaceRequest, points: Points, racers: list[Racer]) -> None:
        self._request = request
        self.points, self.racers = points, racers
        self.mode = request.mode
        self.note = "" if request.settings.as_kernel().is_positive_semidefinite else INDEFINITE
        #: Steps or seconds that every racer is to have spent at the end of the round.
        self.goal = 0.0
        self._round_steps = 16
        self._round_began = self._round_worked = 0.0
        self._turn = 0
        self._pixels = MOST_PIXELS

    def continues(self, request: RaceRequest) -> bool:
        """Whether `request` is of this very race."""
        mine = self._request
        same = mine.points is request.points and mine.settings == request.settings and mine.race == request.race
        return same and (mine.problem, mine.rules, mine.mode, mine.cache_size) == (
            request.problem,
            request.rules,
            request.mode,
            request.cache_size,
        )

    @property
    def over(self) -> bool:
        """Nobody can win any more, or everybody has come to an end."""
        return bool(self.message) or not any(racer.running for racer in self.racers)

    @property
    def message(self) -> str:
        """Why the race ended without a winner, or ""."""
        for racer in self.racers:
            if racer.solver.status is Status.NOT_SEPARABLE:
                bound = racer.look().margin_bound
                return f"Not separable with a margin above {bound:.2g}: nobody can win. Choose a finite C."
        return ""

    # -- rounds ----------------------------------------------------------------------------------------------------

    @property
    def between_rounds(self) -> bool:
        """Every racer has had what the round gave it."""
        return not any(map(self._behind, self.racers))

    def _behind(self, racer: Racer) -> bool:
        return racer.behind(self.mode, self.goal)

    def begin_round(self, pace: float) -> None:
        """Give every racer `pace` steps or milliseconds more; inf is as much as is good for a short round."""
        if math.isinf(pace) and self.mode == "steps":
            if self._round_worked:
                factor = ROUND / self._round_worked
                self._round_steps = int(np.clip(self._round_steps * factor, 1, 2 * self._round_steps))
            pace = self._round_steps
        elif math.isinf(pace):
            pace = ROUND / len(self.racers)
        elif self.mode == "time":
            pace *= 1e-3
        self.goal += pace
        self._round_worked = 0.0

    def cut_round_short(self) -> None:
        """Let the round end where the racer that is ahead stands: the others still catch up with it."""
        self.goal = min(self.goal, max((racer.spent(self.mode) for racer in self.racers if racer.running), default=0.0))

    def work(self) -> None:
        """A piece of the round: the next racer that is behind goes on."""
        begun = time.perf_counter()
        for _ in self.racers:
            racer = self.racers[self._turn]
            self._turn = (self._turn + 1) % len(self.racers)
            if self._behind(racer):
                racer.work(self.mode, self.goal)
                break
        self._round_worked += time.perf_counter() - begun

    # -- what is shown ---------------------------------------------------------------------------------------------

    def frame(self, request: RaceRequest, full: bool) -> Generator[Step, None, RaceFrame]:
        """The present state, with pictures in all pixels if `full`.

        Those too take turns with the lanes' training: behind it they, and the next request, might wait for ever.
        """
        grid = request.grid if full else in_fewer_pixels(request.grid, self._pixels)
        frames = []
        for racer in self.racers:
            frame, solver = racer.frame(), racer.solver
            yield Priority.TRAINING
            picture = yield from racer.sketcher.draw(
                solver.n_iter, solver.beta.copy(), solver.intercept, grid, request.shades
            )
            frames.append(replace(frame, picture=picture))
            yield Priority.TRAINING
        if not full:
            slowest = max(racer.sketcher.seconds for racer in self.racers)
            if not 0.3 * SKETCH < slowest < 1.5 * SKETCH:
                wanted = int(self._pixels * min(SKETCH / max(slowest, 1e-5), 1.5))
                self._pixels = min(max(wanted, LEAST_PIXELS), MOST_PIXELS)
        finishes = placed([frame.finish for frame in frames], self.mode)
        near = placed([frame.near for frame in frames], self.mode)
        frames = [replace(each, finish=f, near=g) for each, f, g in zip(frames, finishes, near, strict=True)]
        return RaceFrame(
            request.number,
            request.race,
            self.points,
            self.mode,
            request.settings.tol,
            tuple(frames),
            self.message,
            self.note,
        )


def placed(finishes: list[Finish | None], mode: str) -> list[Finish | None]:
    """`finishes` with their places: who spent less comes first."""
    spent = [each.spent(mode) for each in finishes if each is not None]
    return [
        None if each is None else replace(each, place=1 + sum(other < each.spent(mode) for other in spent))
        for each in finishes
    ]


def line_up(request: RaceRequest) -> Generator[Step, None, Field]:
    """The racers of `request` at the start; ValueError with a sentence when there can be no race."""
    rules, s, points = request.rules, request.settings, request.points
    if not LEAST_RACERS <= len(rules) <= MOST_RACERS or len(set(rules)) < len(rules):
        raise ValueError(f"A race is between two to four different rules; {len(set(rules))} were chosen.")
    for rule in rules:
        if rule not in RULES:
            raise ValueError(f"There is no rule {rule!r}; it must be one of {', '.join(map(repr, RULES))}.")
    if request.mode not in MODES:
        raise ValueError(f"The mode is {request.mode!r}; it must be one of {', '.join(map(repr, MODES))}.")
    if len(points.classes) < 2:
        raise ValueError(NO_SECOND_CLASS)
    pair, C = _problem(request)
    yield Priority.TRAINING
    cost = call_cost()
    yield Priority.TRAINING
    own = Points.of(points.xy[pair.index], points.labels[pair.index], points.ids[pair.index])
    classes = (points.classes[pair.positive], -1 if pair.negative == REST else points.classes[pair.negative])
    racers = []
    for rule in rules:
        solver, twin = (
            SmoSolver(
                own.xy,
                pair.y,
                s.as_kernel(),
                C=C,
                tol=s.tol,
                selection=rule,
                cache_size=request.cache_size,
                shrinking=False,
            )
            for _ in range(2)
        )
        racers.append(
            Racer(rule, solver, CostProbe(twin, cost), Sketcher(solver.kernel, own.xy, solver.centre, classes))
        )
        yield Priority.TRAINING
    return Field(request, own, racers)


def _problem(request: RaceRequest) -> tuple[Pair, Array]:
    """The binary problem that is raced on, and the bounds of its multipliers: what SVC makes of the settings."""
    points = request.points
    trainer = svc_of(request.settings, cache_size=0.0).prepare(points.xy, points.labels)
    names = [problem_of(pair, points.classes) for pair in trainer.pairs]
    place = names.index(request.problem) if request.problem in names else 0
    return trainer.pairs[place], trainer.solvers[place].C


#: Seconds between two frames.
FRAME_INTERVAL = 0.04


class RaceWork:
    """The background half of the race; only its running job touches it, and there is one at a time.

    Parameters
    ----------
    post : callable
        ``post(frame)`` delivers a frame.
    """

    def __init__(self, post: Callable[[RaceFrame], None]) -> None:
        self._post = post
        self._field: Field | None = None
        self._posted = -math.inf
        self._making = 0.0  # seconds from the beginning of a round to its frame

    def forget(self) -> None:
        """Let go of the racers."""
        self._field = None

    def __call__(self, request: RaceRequest, overtaken: Callable[[], bool]) -> Generator[Step]:
        """The job of `request`; whatever goes wrong becomes a frame with a sentence; the next request starts anew."""
        sentence = ""
        try:
            yield from self._race(request, overtaken)
        except ValueError as error:  # sentences already
            sentence = str(error)
        except MemoryError:
            sentence = "There is not enough memory for a race on so many points."
        except Exception as error:
            log.caught("The race failed.")
            sentence = f"Stopped by an internal error ({type(error).__name__}: {error}). Restart tries again."
        if sentence:
            self._field = None
            number, race, mode, tol = request.number, request.race, request.mode, request.settings.tol
            self._post(RaceFrame(number, race, Points(), mode, tol, message=sentence))

    def _race(self, request: RaceRequest, overtaken: Callable[[], bool]) -> Generator[Step]:
        field = self._field
        if field is None or not field.continues(request):
            self._field = None  # two fields at once would need twice the memory
            field = self._field = yield from line_up(request)
            self._posted = -math.inf
        if not request.playing:
            field.cut_round_short()
        begun = time.perf_counter()
        while not field.over and (request.playing or not field.between_rounds):
            if field.between_rounds:
                pause = self._due_in() - self._making if math.isfinite(request.pace) else 0.0
                if pause > 0:
                    yield Later(pause, Priority.TRAINING)
                    if overtaken():
                        return
                begun = time.perf_counter()
                field.begin_round(request.pace)
            while not field.between_rounds:
                field.work()
                yield Priority.TRAINING
                if overtaken():
                    return
            if not request.playing or field.over:
                break
            if math.isfinite(request.pace):
                frame = yield from field.frame(request, False)
                self._making = time.perf_counter() - begun
                if self._due_in() > 0:
                    yield Later(self._due_in(), Priority.TRAINING)
                self._deliver(frame)
            elif self._due_in() <= 0:
                yield from self._show(field, request, full=False)
        yield from self._show(field, request, full=False)
        if not overtaken():
            yield from self._show(field, request, full=True)

    def _due_in(self) -> float:
        """Seconds until it is time for the next frame."""
        return self._posted + FRAME_INTERVAL - time.perf_counter()

    def _show(self, field: Field, request: RaceRequest, full: bool) -> Generator[Step]:
        frame = yield from field.frame(request, full)
        self._deliver(frame)

    def _deliver(self, frame: RaceFrame) -> None:
        self._posted = time.perf_counter()
        self._post(frame)
