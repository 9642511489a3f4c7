"""AtOnceRun: a lane trained on many points as fast as can be, without steps to follow, and the frames it gives.

First a rough picture: of the answer for a sample of the points.
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

from .outcome import outcome, outcome_of_values
from .pieces import Pace, Step
from .requests import AtOnce, Frame, LaneSpec, Phase
from .run_report import values_of
from .training_run import marks_of

#: Points of the rough answer, its largest C, and the seconds of the processor after which it is taken as it is: these
#: take 5 to 30 ms, where a larger C would take as long as the training itself.
ROUGH, ROUGH_C, ROUGH_SECONDS = 1000, 100.0, 0.1
#: Seconds after which it is looked at first why a training takes long.
LONG = 2.0
#: Updates that are asked for in one go; the clock ends them.
ROUND = 1_000_000


class AtOnceRun:
    """The training of a lane's request; only the lane's job touches it.

    Attributes
    ----------
    ended : bool
        The answer is there.
    state : AtOnce
        What is known of how long it takes.
    """

    def __init__(self, spec: LaneSpec) -> None:
        lane, points = spec.lane, spec.points
        self._key, self._points, self._restart = _key(lane), points, spec.restart
        self._estimator: Any = lane.estimator(at_once=True)  # an SVM's
        self._trainer: PairTrainer[Any] | None = None
        self._seconds = 0.0
        self._found: Frame | None = None
        self.rough: SVC | None = _rough(lane, points)
        share = len(self.rough.support_) / min(ROUGH, len(points))
        known = Measured(0, math.nan, share)
        self.state = AtOnce(
            lane.family.estimate(lane.settings, len(points), lane.inputs(points).extent, known, len(points.classes))
        )
        self._look_at = LONG

    @staticmethod
    def continuing(before: AtOnceRun | None, spec: LaneSpec) -> AtOnceRun:
        """`before` where it is of this very problem, else a new one."""
        if before is None or before._points is not spec.points:
            return AtOnceRun(spec)
        same = before._key == _key(spec.lane) and before._restart == spec.restart
        return before if same else AtOnceRun(spec)

    @property
    def ended(self) -> bool:
        return self._found is not None

    def advance(self, late: Callable[[], bool]) -> bool:
        """Train until it is `late`; True when there is news to show."""
        begun = time.perf_counter()
        assert self._estimator is not None
        if self._trainer is None:
            self._trainer = self._estimator.prepare(self._points.xy, self._points.labels)
        else:
            self._trainer.step(ROUND, late)
        self._seconds += time.perf_counter() - begun
        if self._seconds < self._look_at or self.trained:
            return False
        self._look_at *= 2.0
        running = [each for each in self._trainer.solvers if each.status is Status.RUNNING]
        expected = max((each.expected(self._seconds) for each in running[:1]), default=0.0)
        before = self.state
        if expected > 0.0:
            self.state = AtOnce(expected, slow=True)
        elif self._seconds > 2.0 * before.expected:  # it was wrong
            self.state = AtOnce(math.nan, before.slow)
        return repr(self.state) != repr(before)

    @property
    def trained(self) -> bool:
        """Nothing is left to train."""
        return self.ended or (self._trainer is not None and self._trainer.status is not Status.RUNNING)

    def unfinished(self, frame: Frame, paused: bool) -> Frame:
        """`frame` with the rough answer."""
        phase = Phase.PAUSED if paused else Phase.TRAINING
        return replace(
            frame, phase=phase, model=self.rough, seconds=self._seconds, provisional=True, at_once=self.state
        )

    def frame(self, frame: Frame, pace: Pace) -> Generator[Step, None, Frame]:
        """`frame` with the answer and its numbers, in pieces."""
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
                at_once=AtOnce(),
            )
            self._trainer = self._estimator = self.rough = None  # hundreds of megabytes
        found = self._found
        return replace(found, job=frame.job, index=frame.index, lane=frame.lane)


def _key(lane: Lane) -> tuple[str, Any, bool]:
    return lane.classifier, lane.family.training_key(lane.settings, at_once=True), lane.standardises


def _rough(lane: Lane, points: Points) -> SVC:
    """The answer for some of the points, as far as it is found in a moment."""
    some = points.sample(ROUGH)
    estimator: Any = lane.estimator(at_once=True)
    estimator.C = min(estimator.C, ROUGH_C)
    trainer = estimator.prepare(some.xy, some.labels)
    end = time.thread_time() + ROUGH_SECONDS
    while trainer.status is Status.RUNNING and time.thread_time() < end:
        trainer.step(ROUND, lambda: time.thread_time() >= end)
    model: SVC = estimator.snapshot_model(trainer.snapshot(thorough=False))
    return model
