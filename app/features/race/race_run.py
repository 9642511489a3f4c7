"""RaceRun: the racers of one race, one solver per rule, and their turns.  RaceQuery continues it in the background."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator
from itertools import cycle
from typing import ClassVar

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.points import Points
from app.engine.frames import Picture
from app.engine.pacing import Pace, Step
from app.engine.pool import Delay, Priority
from app.engine.shading import Shades
from app.engine.surface_values import painted, pair_source, problem_of
from app.learners.svm import svc_of
from app.state.document import Lane
from solver import REST, SVC, BinaryProblem, Grid, SmoSolver, Status
from solver.core.scaler import Scaler

from .race_frame import Course, Finish, RaceFrame
from .racer import CostProbe, Racer, call_cost

#: Duration (s) that a round of all racers aims at when the race runs at full speed.
ROUND = 0.012
#: Number of ends of line segments in a small picture from which they would hide the colours.
MOST_VERTICES = 8000
#: Interval (s) between two frames.
FRAME_INTERVAL = 0.04
NO_SECOND_CLASS = "A race needs points of two classes: add some in a picture."
INDEFINITE = (
    "This kernel is not positive semidefinite here: there is no gap, and the rules may end at different"
    " stationary points."
)


class RaceRun:
    """All racers of a course, from the same start.

    Only the job of its query uses it, and there is one such job at a time.

    Parameters
    ----------
    course : Course

    Attributes
    ----------
    racers : list of Racer
        Empty until the background has made them.
    points : Points
        Those of the binary problem.
    """

    def __init__(self, course: Course) -> None:
        self.course = course
        self.points, self.racers = Points(), list[Racer]()
        self._pair: BinaryProblem  # these are set with the racers
        self._estimator: SVC
        self._turns: Iterator[Racer]
        #: Steps or seconds that every racer will have spent at the end of the round.
        self.goal = 0.0
        self._round_steps = 16
        self._round_worked = 0.0
        self._posted = -math.inf
        self._making = 0.0  # seconds from the start of a round to its frame

    @property
    def over(self) -> bool:
        """True if no racer can win any more, or all racers have ended."""
        return bool(self.message) or not any(racer.running for racer in self.racers)

    @property
    def message(self) -> str:
        """Why the race ended without a winner, or ""."""
        for racer in self.racers:
            if racer.solver.status is Status.NOT_SEPARABLE:
                bound = racer.certify().margin_bound
                return f"Not separable with a margin above {bound:.2g}: nobody can win. Choose a finite C."
        return ""

    # -- rounds ----------------------------------------------------------------------------------------------------

    @property
    def between_rounds(self) -> bool:
        """True if every racer has spent what the round allows."""
        return not any(map(self._behind, self.racers))

    def _behind(self, racer: Racer) -> bool:
        return racer.behind(self.course.mode, self.goal)

    def begin_round(self, pace: float) -> None:
        """Allow every racer `pace` more steps or milliseconds; inf chooses them for a short round."""
        if math.isinf(pace) and self.course.mode == "steps":
            if self._round_worked:
                factor = ROUND / self._round_worked
                self._round_steps = int(np.clip(self._round_steps * factor, 1, 2 * self._round_steps))
            pace = self._round_steps
        elif math.isinf(pace):
            pace = ROUND / len(self.racers)
        elif self.course.mode == "time":
            pace *= 1e-3
        self.goal += pace
        self._round_worked = 0.0

    def cut_round_short(self) -> None:
        """End the round at the racer that is ahead: the others still catch up with it."""
        ahead = max((racer.now.spent(self.course.mode) for racer in self.racers if racer.running), default=0.0)
        self.goal = min(self.goal, ahead)

    def work(self) -> None:
        """Let the next racer that is behind work for a piece of the round."""
        begun = time.perf_counter()
        next(filter(self._behind, self._turns)).work(self.course.mode, self.goal)
        self._round_worked += time.perf_counter() - begun

    # -- the frames ------------------------------------------------------------------------------------------------

    def frame(self, grid: Grid, shades: Shades) -> Generator[Step, None, RaceFrame]:
        """Return the present state, with pictures on `grid`.

        It has the priority of the lanes' training: with a lower one it, and the next query, might wait for ever.
        """
        frames, mode, settings = [], self.course.mode, self.course.settings
        for racer in self.racers:
            racer.certify()
            yield Priority.TRAINING
            frames.append(racer.frame((yield from self._painted(racer, grid, shades))))
            yield Priority.TRAINING
        both = placed([each.finish for each in frames], mode), placed([each.near for each in frames], mode)
        racers = tuple(replace(each, finish=f, near=g) for each, f, g in zip(frames, *both, strict=True))
        note = "" if settings.as_kernel().is_positive_semidefinite else INDEFINITE
        return RaceFrame(self.points, mode, settings.tol, racers, self.message, note)

    def _painted(self, racer: Racer, grid: Grid, shades: Shades) -> Generator[Step, None, Picture]:
        """Return the picture of a racer, the previous one if nothing has changed."""
        solver, kept = racer.solver, racer.picture
        if kept is not None and (kept[0], kept[1].grid, kept[2]) == (solver.n_iter, grid, shades):
            return kept[1]
        model = self._estimator.snapshot_model([solver.snapshot(thorough=False)])
        running = racer.running_expansion
        if model.scaler is None and (running is None or running.grid != grid):
            running = racer.running_expansion = model.expansion.running(self.points.xy, grid)
        source, pace = pair_source(model, Lane("svm"), running), Pace(priority=Priority.TRAINING)
        picture = yield from painted(source, grid, self._colours(shades), 2, pace, most_vertices=MOST_VERTICES)
        racer.picture = solver.n_iter, picture, shades
        return picture

    def _colours(self, shades: Shades) -> Shades:
        """Return the colours for f < 0 and f > 0: those of the two classes, or grey for the rest of the classes."""
        pair, classes = self._pair, self.course.points.classes
        other = shades.tie if pair.negative == REST else shades.classes[classes[pair.negative]]
        return Shades(shades.background, (other, shades.classes[classes[pair.positive]]), shades.tie)

    # -- in the background -----------------------------------------------------------------------------------------

    def _line_up(self) -> Generator[Step]:
        """Make the racers; raise ValueError with a sentence if there can be no race."""
        s, points = self.course.settings, self.course.points
        if len(points.classes) < 2:
            raise ValueError(NO_SECOND_CLASS)
        scaler = Scaler.of(points.xy) if self.course.standardises else None
        inputs = points.xy if scaler is None else scaler.transform(points.xy)
        whole = svc_of(s, cache_size=0.0).prepare(inputs, points.labels)
        index = [problem_of(pair, points.classes) for pair in whole.pairs].index(self.course.problem)
        pair, C = whole.pairs[index], whole.solvers[index].C
        self._pair = pair
        self.points = Points.of(points.xy[pair.index], points.labels[pair.index], points.ids[pair.index])
        yield Priority.TRAINING
        self._estimator = svc_of(s, cache_size=0.0)
        self._estimator.prepare(inputs[pair.index], pair.y > 0)  # makes the models of the pictures
        self._estimator.scaler = scaler  # of all points, as the lane's
        cost = call_cost()
        yield Priority.TRAINING
        racers = []
        for rule in self.course.rules:
            solver, twin = (
                SmoSolver(
                    inputs[pair.index],
                    pair.y,
                    s.as_kernel(),
                    C=C,
                    tol=s.tol,
                    selection=rule,
                    cache_size=self.course.cache_size,
                    shrinking=False,
                )
                for _ in range(2)
            )
            racers.append(Racer(rule, solver, CostProbe(twin, cost)))
            yield Priority.TRAINING
        self.racers, self._turns = racers, cycle(racers)

    def run(
        self, wanted: RaceQuery, post: Callable[[RaceFrame], None], overtaken: Callable[[], bool]
    ) -> Generator[Step]:
        """Continue the race as `wanted`, and post frames."""
        if not self.racers:
            yield from self._line_up()
        if not wanted.playing:
            self.cut_round_short()
        pace, begun, few = Pace(overtaken, Priority.TRAINING), time.perf_counter(), wanted.grid.coarse()
        while not self.over and (wanted.playing or not self.between_rounds):
            if self.between_rounds:
                pause = self._due_in() - self._making if math.isfinite(wanted.pace) else 0.0
                if pause > 0:
                    yield Delay(pause, Priority.TRAINING)
                    if overtaken():
                        return
                begun = time.perf_counter()
                self.begin_round(wanted.pace)
            while not self.between_rounds:
                self.work()
                yield from pace.pause()
            if not wanted.playing or self.over:
                break
            if math.isfinite(wanted.pace):
                frame = yield from self.frame(few, wanted.shades)
                self._making = time.perf_counter() - begun
                if self._due_in() > 0:
                    yield Delay(self._due_in(), Priority.TRAINING)
                self._deliver(frame, post)
            elif self._due_in() <= 0:
                self._deliver((yield from self.frame(few, wanted.shades)), post)
        self._deliver((yield from self.frame(few, wanted.shades)), post)
        if not overtaken():
            self._deliver((yield from self.frame(wanted.grid, wanted.shades)), post)

    def _due_in(self) -> float:
        """Return the seconds until the next frame is due."""
        return self._posted + FRAME_INTERVAL - time.perf_counter()

    def _deliver(self, frame: RaceFrame, post: Callable[[RaceFrame], None]) -> None:
        self._posted = time.perf_counter()
        post(frame)


class RaceQuery(Struct, frozen=True):
    """Query: continue a race, and draw it.

    Attributes
    ----------
    race : RaceRun
    pace : float
        Steps, or milliseconds of solver time, that each racer gets per picture; inf is full speed.
    grid : Grid
        Grid of the small pictures of a paused race; a running one has fewer pixels.
    shades : Shades
    playing : bool
        False pauses the race.
    """

    race: RaceRun
    pace: float
    grid: Grid
    shades: Shades
    playing: bool
    priority: ClassVar[Priority] = Priority.TRAINING

    def answer(self, post: Callable[[RaceFrame], None], overtaken: Callable[[], bool]) -> Generator[Step]:
        """Post a `RaceFrame` for each picture; raise ValueError with a sentence if there can be no race."""
        try:
            yield from self.race.run(self, post, overtaken)
        except MemoryError:
            raise ValueError("There is not enough memory for a race on this many points.") from None


def placed(finishes: list[Finish | None], mode: str) -> list[Finish | None]:
    """Return `finishes` with their ranks: the one who spent less comes first."""
    spent = [each.spent(mode) for each in finishes if each is not None]
    return [
        None if each is None else replace(each, rank=1 + sum(other < each.spent(mode) for other in spent))
        for each in finishes
    ]
