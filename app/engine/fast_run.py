"""FastRun: the fastest training of a lane with many points, without recorded steps, and the frames it yields.

The first frame shows a rough answer, trained on a sample of the points.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator
from typing import Any

from msgspec.structs import replace

from app.core.points import Points
from app.learners.base import Measured
from app.state.document import Lane
from solver import SVC, PairTrainer, Status

from .frames import FastProgress, Frame, LaneSpec, Phase
from .outcome import outcome, outcome_of_values
from .pacing import Pace, Step
from .run_report import values_of
from .training_run import marks_of

#: Points of the rough answer, its largest C, and the processor time (s) after which its training stops: 5 to 30 ms in
#: all, while a larger C would take as long as the training itself.
ROUGH, ROUGH_C, ROUGH_SECONDS = 1000, 100.0, 0.1
#: Training time (s) after which the reason for its length is first estimated.
LONG = 2.0
#: Most updates in one call of the solver, which the clock usually ends earlier.
ROUND = 1_000_000


class FastRun:
    """The training of a lane's request; only the lane's job touches it.

    Attributes
    ----------
    ended : bool
        Whether the model is available.
    state : FastProgress
        Estimate of the training's duration.
    """

    def __init__(self, spec: LaneSpec) -> None:
        lane, points = spec.lane, spec.points
        self._key, self._points, self._restart = _key(lane), points, spec.restart
        self._estimator: Any = lane.estimator(fast=True)  # an SVM's
        self._trainer: PairTrainer[Any] | None = None
        self._seconds = 0.0
        self._found: Frame | None = None
        self.rough: SVC | None = _rough(lane, points)
        share = len(self.rough.support_) / min(ROUGH, len(points))
        known = Measured(0, math.nan, share)
        self.state = FastProgress(
            lane.family.estimate(lane.settings, len(points), lane.inputs(points).extent, known, len(points.classes))
        )
        self._check_at = LONG

    @staticmethod
    def continuing(before: FastRun | None, spec: LaneSpec) -> FastRun:
        """Return `before` if it trains on the same problem, else a new run."""
        if before is None or before._points is not spec.points:
            return FastRun(spec)
        same = before._key == _key(spec.lane) and before._restart == spec.restart
        return before if same else FastRun(spec)

    @property
    def ended(self) -> bool:
        return self._found is not None

    def advance(self, late: Callable[[], bool]) -> bool:
        """Train until `late` returns True; return whether `state` has changed."""
        begun = time.perf_counter()
        assert self._estimator is not None
        if self._trainer is None:
            self._trainer = self._estimator.prepare(self._points.xy, self._points.labels)
        else:
            self._trainer.step(ROUND, late)
        self._seconds += time.perf_counter() - begun
        if self._seconds < self._check_at or self.trained:
            return False
        self._check_at *= 2.0
        running = [each for each in self._trainer.solvers if each.status is Status.RUNNING]
        expected = max((each.expected(self._seconds) for each in running[:1]), default=0.0)
        before = self.state
        if expected > 0.0:
            self.state = FastProgress(expected, slow=True)
        elif self._seconds > 2.0 * before.expected:  # the estimate was wrong
            self.state = FastProgress(math.nan, before.slow)
        return repr(self.state) != repr(before)

    @property
    def trained(self) -> bool:
        """Whether the training is complete."""
        return self.ended or (self._trainer is not None and self._trainer.status is not Status.RUNNING)

    def unfinished(self, frame: Frame, paused: bool) -> Frame:
        """Return `frame` with the rough answer."""
        phase = Phase.PAUSED if paused else Phase.TRAINING
        return replace(
            frame, phase=phase, model=self.rough, seconds=self._seconds, provisional=True, fast_run=self.state
        )

    def frame(self, frame: Frame, pace: Pace) -> Generator[Step, None, Frame]:
        """Return `frame` with the trained model and its numbers, computed in pieces."""
        if self._found is None:
            assert self._trainer is not None and self._estimator is not None
            begun = time.perf_counter()
            points, pairs = self._points, self._trainer.pairs
            snapshots = self._trainer.snapshot()
            model = self._estimator.snapshot_model(snapshots)
            multipliers = self._estimator.pair_multipliers(snapshots)
            if len(pairs) == 1:
                met = outcome_of_values(
                    model, values_of(snapshots[0], pairs[0], model, 0, points)[:, None], points.xy, points.labels
                )
            else:
                met = yield from outcome(model, points.xy, points.labels, pace)
            self._seconds += time.perf_counter() - begun
            self._found = replace(
                frame,
                phase=Phase.DONE,
                model=model,
                certificates=tuple(model.certificates_),
                marks=marks_of(points, pairs, multipliers, met),
                accuracy=met.accuracy,
                seconds=self._seconds,
                provisional=False,
                picture=None,
                fast_run=FastProgress(),
            )
            self._trainer = self._estimator = self.rough = None  # hundreds of megabytes
        found = self._found
        return replace(found, job=frame.job, index=frame.index, lane=frame.lane)


def _key(lane: Lane) -> tuple[str, Any, bool]:
    return lane.classifier, lane.family.training_key(lane.settings, fast=True), lane.standardises


def _rough(lane: Lane, points: Points) -> SVC:
    """Return a model of a sample of the points, trained for `ROUGH_SECONDS` at most."""
    some = points.sample(ROUGH)
    estimator: Any = lane.estimator(fast=True)
    estimator.C = min(estimator.C, ROUGH_C)
    trainer = estimator.prepare(some.xy, some.labels)
    end = time.thread_time() + ROUGH_SECONDS
    while trainer.status is Status.RUNNING and time.thread_time() < end:
        trainer.step(ROUND, lambda: time.thread_time() >= end)
    model: SVC = estimator.snapshot_model(trainer.snapshot(thorough=False))
    return model
