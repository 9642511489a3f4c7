"""LaneJob: the background work for one lane: train in short pieces, paint pictures, post frames."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Generator
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from app.core import log
from app.learners.model import Model
from solver import Grid
from solver.knn.running_votes import RunningVotes

from .estimator_process import EstimatorProcess
from .fast_run import FastRun
from .frames import FastProgress, Frame, LaneRequest, LaneSpec, Marks, Phase, Picture, Sides
from .outcome import Outcome, judged, outcome
from .pacing import PATIENCE, PIECE, POLL, OvertakenError, Pace, Step, never
from .pool import Delay, Priority
from .probability import Calibration
from .surface_values import Source, difference_source, painted, pair_source, probability_source, source_of, vote_source
from .training_run import TrainingRun

#: Interval from the end of a picture of a training at full speed to the next one (s), and from the beginning of one at
#: a chosen speed: less than a frame, because the piece of work in which the next falls due comes first.
FRAME_INTERVAL, STEADY_INTERVAL = 0.025, 0.013
#: Size of the first picture, and share of the samples, while plain numpy replaces the compiled loops.
PLAIN_SIZE, PLAIN_SHARE = (80, 60), 1.0 / 128.0
#: Processor time of a first picture (s), a frame of most screens: it limits the number of samples.
FRAME = 0.016
#: Wall-clock time (s) after which a first picture that is slower than expected is discarded for a coarse one.
TOO_LATE = 3 * FRAME
#: Share of `FRAME` that a first picture with more samples than the last one may be expected to take: without it, the
#: picture would alternate between two sizes.
SURE = 0.75
#: Delay (s) between a coarse first picture and the work on the full one, while the window draws the first.
BREATH = 0.008
#: Largest kNN picture (pixels) that is kept for the next one, with 11 bytes a pixel.
MOST_KEPT = 1 << 21
#: Most points for which plain numpy replaces the compiled loops until they are ready.
PLAIN_LIMIT = 600
#: Most points for which kNN computes its training accuracy, one search for each, before its first picture.
COUNTED_FIRST = 1500
#: Rows that kNN computes together: fewer take nearly as long.
TILE = 16

#: Function that returns the source of pictures on a grid.
SourceOn = Callable[[Grid], Source]


class LaneJob:
    """The background state of one lane; only the lane's running job uses it, and there is one at a time.

    Parameters
    ----------
    post : callable
        ``post(frame)`` delivers a frame.
    """

    def __init__(self, post: Callable[[Frame], None]) -> None:
        self._post = post
        #: Processor time per sample of the last picture (s), and its number of samples.
        self._per_sample, self._samples = math.inf, 0
        self._process = EstimatorProcess()
        #: The last frame of a classifier of another library.
        self._last: Frame | None = None
        self._training: TrainingRun | None = None
        self._whole: FastRun | None = None
        #: Calibration of the last model whose probability was requested.
        self._calibration: Calibration | None = None
        #: Last kNN pictures, by grid.
        self._votes: dict[Grid, RunningVotes] = {}

    def __call__(self, request: LaneRequest, overtaken: Callable[[], bool]) -> Generator[Step]:
        """Run `request`; an error becomes a frame with a sentence, and the next request starts from scratch."""
        spec = request.spec
        frame = Frame(request.number, request.index, spec.points, spec.lane, Phase.DONE)
        try:
            if spec.sides is not None:
                yield from self._difference(spec.sides, spec, frame, overtaken)
            elif spec.lane.family.own_process:
                yield from self._elsewhere(spec, frame, overtaken)
            elif spec.lane.trainer is None:
                yield from self._at_once(spec, frame, overtaken)
            else:
                yield from self._step_by_step(spec, frame, overtaken)
            if not spec.lane.family.own_process:  # until now, views may have used the process's model
                self.close()
        except OvertakenError:
            pass
        except ValueError as error:  # one sentence, by the solver
            self._forget()
            self._post(replace(frame, phase=Phase.FAILED, message=str(error)))
        except Exception as error:
            text = log.stopped("The training of a lane failed.", error)
            self._forget()
            self._post(replace(frame, phase=Phase.FAILED, message=text))

    def _forget(self) -> None:
        """Discard the state of a run that failed."""
        self._training = self._whole = self._last = None
        self._votes = {}

    def close(self) -> None:
        """End the process of this lane; safe to call from any thread."""
        self._last = None
        self._process.end()

    def _at_once(self, spec: LaneSpec, frame: Frame, overtaken: Callable[[], bool]) -> Generator[Step]:
        points = spec.points
        if len(points) == 0:
            self._post(replace(frame, phase=Phase.EMPTY))
            return
        start = time.perf_counter()
        model = spec.lane.fit(points)
        frame = replace(frame, model=model, seconds=time.perf_counter() - start)
        few = len(points) <= COUNTED_FIRST
        if few:  # in one block: pauses, and a call for each block, would delay the first picture
            frame = _marked(frame, judged(model, points.xy, points.labels))
        frame = yield from self._pictures(lambda grid: self._source(model, spec, grid), spec, frame, overtaken)
        if not few:
            pace = Pace(overtaken)
            yield from pace.pause()
            found = yield from outcome(model, points.xy, points.labels, pace)
            self._post(_marked(frame, found))

    def _elsewhere(self, spec: LaneSpec, frame: Frame, overtaken: Callable[[], bool]) -> Generator[Step]:
        """Train a classifier of another library, in the lane's process; the last picture stays until the next."""
        self._training, self._whole, self._votes = None, None, {}
        if len(spec.points.classes) < spec.lane.family.n_classes_needed:
            self._post(replace(frame, phase=Phase.EMPTY))
            return
        model, pending = self._process.fit(spec.lane, spec.points)
        posted = 0.0
        while not pending.done:
            yield Delay(POLL, Priority.TRAINING)
            if pending.seconds > posted + PATIENCE:
                if overtaken():
                    pending.discard()
                    return
                posted = pending.seconds
                self._post(
                    replace(self._last or frame, job=frame.job, phase=Phase.TRAINING, fast_run=FastProgress(slow=True))
                )
        seconds = pending.seconds
        pending.result()
        pace = Pace(never, Priority.FIRST_PICTURE)
        found = yield from outcome(model, spec.points.xy, spec.points.labels, pace)
        frame = _marked(replace(frame, model=model, seconds=seconds), found)
        source = source_of(model, spec.lane)
        frame = self._last = yield from self._painted(source, self._coarse_grid(spec), spec, frame, pace)
        self._last = yield from self._full(_same(source), spec, frame, overtaken)

    def _source(self, model: Model, spec: LaneSpec, grid: Grid) -> Source:
        """Return the source of pictures on `grid`; kNN recomputes only the pixels that changed points affect."""
        if model.kind != "f" and model.neighbours and spec.compiled and grid.width * grid.height <= MOST_KEPT:
            running = self._votes.get(grid)
            if running is None:
                self._votes = {each: kept for each, kept in self._votes.items() if each == spec.grid}
                running = self._votes[grid] = RunningVotes(grid)
            return vote_source(model, spec.lane, running)
        return source_of(model, spec.lane)

    def _difference(self, sides: Sides, spec: LaneSpec, frame: Frame, overtaken: Callable[[], bool]) -> Generator[Step]:
        self._training = None
        yield from self._pictures(_same(difference_source(sides)), spec, replace(frame, sides=sides), overtaken)

    def _step_by_step(self, spec: LaneSpec, frame: Frame, overtaken: Callable[[], bool]) -> Generator[Step]:
        if len(spec.points.classes) < spec.lane.family.n_classes_needed:
            self._training = None
            self._post(replace(frame, phase=Phase.EMPTY))
            return
        trainer = spec.lane.trainer
        assert trainer is not None
        if trainer.has_f:
            self._votes = {}
        if not spec.compiled and (len(spec.points) > PLAIN_LIMIT or not trainer.runs_plain):
            self._post(replace(frame, phase=Phase.EMPTY))
            return
        if spec.lane.trains_fast(len(spec.points)):
            self._training = None
            yield from self._as_a_whole(spec, frame, overtaken)
            return
        self._whole = None
        # Empty meanwhile: if a new training fails to start, it may have used up the one before.
        before, self._training = self._training, None
        training = self._training = TrainingRun.continuing(before, spec, frame.job)
        last = -math.inf
        while True:
            stepped = training.advance(first=last < 0)
            resting, speed = training.settled, training.speed
            # At a chosen speed there is time for more pictures: only at full speed would they delay the training.
            interval = FRAME_INTERVAL if math.isinf(speed) else STEADY_INTERVAL
            now = time.perf_counter()
            due = now - last >= interval or (stepped > 0 and speed <= 1.0 / interval)
            if last < 0 or resting or due:
                frame = training.frame(frame, resting)
                model = frame.model
                assert model is not None
                source_on = partial(self._source, model, spec)
                if resting:
                    frame = yield from self._finished(model, source_on, spec, frame, overtaken)
                else:
                    first = partial(training.source, model) if model.kind == "f" else source_on
                    frame = yield from self._first(first, spec, frame)
                    last = time.perf_counter() if math.isinf(speed) else now
                    if speed <= 10:
                        frame = yield from self._full(source_on, spec, frame, overtaken)
            if resting and not overtaken():
                # The run has stopped: compute the numbers that open panels need.
                for newer in training.details(frame):
                    if newer is not None:
                        self._post(newer)
                    yield Priority.BACKGROUND
                    if overtaken():
                        break
            if resting or overtaken():
                return
            pause = training.seconds_to_next_step
            yield Delay(pause, Priority.TRAINING) if pause > 0 else Priority.TRAINING

    def _as_a_whole(self, spec: LaneSpec, frame: Frame, overtaken: Callable[[], bool]) -> Generator[Step]:
        run = self._whole = FastRun.continuing(self._whole, spec)
        if not run.ended:
            assert run.rough is not None
            frame = run.unfinished(frame, spec.paused)
            frame = yield from self._pictures(_same(pair_source(run.rough, spec.lane)), spec, frame, overtaken)
            if spec.paused:
                return
        # Every fourth piece precedes other lanes' pictures: a lane that trains for minutes cannot block this one.
        turns = itertools.cycle((*[Priority.FULL_PICTURE] * 3, Priority.TRAINING))
        while not run.trained:
            yield next(turns)
            if overtaken():
                return
            if run.advance(Pace().late):
                frame = replace(frame, fast_run=run.state)
                self._post(frame)
        frame = yield from run.frame(frame, Pace(overtaken, Priority.TRAINING))
        assert frame.model is not None
        source = source_of(frame.model, spec.lane)
        yield from self._finished(frame.model, _same(source), spec, frame, overtaken)

    def _finished(
        self, model: Model, source_on: SourceOn, spec: LaneSpec, frame: Frame, overtaken: Callable[[], bool]
    ) -> Generator[Step, None, Frame]:
        """Post the pictures of a finished training: of f, or of the probability, which may have to be fitted first."""
        ready = spec.compiled and frame.phase is Phase.DONE
        if not (ready and spec.lane.shows_probability and model.kind == "f"):
            return (yield from self._pictures(source_on, spec, frame, overtaken))
        calibration = self._calibration
        if calibration is None or not calibration.belongs_to(spec.lane, spec.points):
            calibration = self._calibration = Calibration(spec.lane, spec.points)
        if calibration.found is None:
            frame = yield from self._pictures(source_on, spec, frame, overtaken)
            if overtaken():
                return frame
        found = yield from calibration.run(model, Pace(overtaken))
        source_on = source_on if found.refused else _same(probability_source(model, found))
        return (yield from self._pictures(source_on, spec, replace(frame, probability=found, full=False), overtaken))

    def _coarse_grid(self, spec: LaneSpec) -> Grid:
        """Return the grid of a coarse first picture, coarser in plain numpy."""
        return spec.grid.coarse() if spec.compiled else spec.grid.coarse(*PLAIN_SIZE, share=PLAIN_SHARE)

    def _first_grid(self, spec: LaneSpec) -> Grid:
        """Return the full grid, or the finest with 1/2, 1/4, ... of its samples, expected to take a frame at most."""
        for halved in range(5 if spec.compiled else 0):
            grid = spec.grid.coarse(share=0.5**halved)
            samples = grid.width * grid.height
            if samples * self._per_sample <= FRAME * (SURE if samples > self._samples else 1.0):
                return grid
        return self._coarse_grid(spec)

    def _pictures(
        self, source_on: SourceOn, spec: LaneSpec, frame: Frame, overtaken: Callable[[], bool]
    ) -> Generator[Step, None, Frame]:
        """Post the promised first picture and, if that was coarse, the full one, from the source `source_on(grid)`."""
        frame = yield from self._first(source_on, spec, frame)
        return (yield from self._full(source_on, spec, frame, overtaken))

    def _first(self, source_on: SourceOn, spec: LaneSpec, frame: Frame) -> Generator[Step, None, Frame]:
        """Post the promised first picture, full or coarse, which no newer request stops."""
        grid, coarse, late = self._first_grid(spec), self._coarse_grid(spec), time.perf_counter() + TOO_LATE
        if grid != coarse:
            pace = Pace(lambda: time.perf_counter() > late, Priority.FIRST_PICTURE)
            with suppress(OvertakenError):
                return (yield from self._painted(source_on(grid), grid, spec, frame, pace))
        pace = Pace(never, Priority.FIRST_PICTURE)
        return (yield from self._painted(source_on(coarse), coarse, spec, frame, pace))

    def _full(
        self, source_on: SourceOn, spec: LaneSpec, frame: Frame, overtaken: Callable[[], bool]
    ) -> Generator[Step, None, Frame]:
        if not (frame.full or overtaken()):
            # Meanwhile the window draws the first picture; work here would make it wait at each call of Qt.
            yield Delay(BREATH, Priority.FULL_PICTURE)
            if not overtaken():
                pace = Pace(overtaken, Priority.FULL_PICTURE)
                return (yield from self._painted(source_on(spec.grid), spec.grid, spec, frame, pace))
        return frame

    def _painted(
        self, source: Source, grid: Grid, spec: LaneSpec, frame: Frame, pace: Pace
    ) -> Generator[Step, None, Frame]:
        """Post `frame` with its picture on `grid`, and return it."""
        shares = frame.model is not None and frame.model.kind != "f"
        least = TILE if shares and len(frame.points) > COUNTED_FIRST else 2
        # In one block if that is a short piece: each further block and pause would delay the picture.
        samples, seconds = grid.width * grid.height, 0.0
        expected = samples * self._per_sample
        size = 16 if math.isinf(expected) else math.ceil(grid.height / max(round(expected / PIECE), 1))
        steps = painted(source, grid, spec.shades, len(spec.points.classes), pace, max(size, least), least)
        while True:
            begun = time.thread_time()  # wall-clock time would include waiting for other threads
            try:
                step = next(steps)
            except StopIteration as end:
                picture: Picture = end.value
                break
            finally:
                seconds += time.thread_time() - begun
            yield step
        self._per_sample, self._samples = seconds / samples, samples
        frame = replace(frame, picture=picture, full=grid == spec.grid)
        self._post(frame)
        return frame


def _same(source: Source) -> SourceOn:
    """Return a function that returns `source` for any grid."""
    return lambda grid: source


def _marked(frame: Frame, found: Outcome) -> Frame:
    """Return `frame` with the outcome of its model at the training points."""
    return replace(frame, marks=Marks(wrong=found.wrong, tied=found.tied), accuracy=found.accuracy)
