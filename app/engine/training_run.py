"""TrainingRun: the recorded runs of one lane's binary problems, and the frame of their present steps."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from app.core.points import Points
from app.learners.model import Stepwise
from app.learners.online import PerceptronSettings
from app.learners.perceptron_orders import Orders, other_orders
from app.state.session import Seek
from solver import BinaryProblem, Grid, PairTrainer, RunningExpansion
from solver.core.arrays import Array, Indices
from solver.core.binary_reduction import PairClassifier
from solver.core.stepping import Stop
from solver.inspection.step_explanation import Explanation
from solver.recording import Recording

from .frames import NO_MARKS, Frame, LaneSpec, Marks, Phase, Starts
from .outcome import Outcome, judged, outcome_of_values
from .pacing import Pace
from .run_report import (
    MOST_RANGED,
    alpha_ranges,
    explain_last,
    few_steps,
    mark,
    run_state_of,
    slacks_of,
    survey,
    values_of,
)
from .run_state import RunState, speed_of
from .surface_values import Source, pair_source, problem_of

#: Updates of one binary problem before the next has its turn.
ROUND = 500
#: Most memory for the checkpoints of a lane's runs (MB), and number of steps that are kept one by one.
MEMORY, KEPT = 96.0, 1 << 20
#: Most points for which v is recomputed, and the optimum proved, before the first picture.
PROVED_FIRST = 2000
#: Numbers reserved for the binary problems of one training.
PROBLEMS = 100
#: Step beyond the end of every run.
LAST = 1 << 60
#: Longest delay (s) that a playing run makes up for.
CAUGHT_UP = 0.1
#: Training time (s) from which an uncertified surface is displayed as such: a shorter training would only flicker.
PATIENCE = 0.25

#: The estimator, the trainer of its binary problems, and their initial multipliers.
_Prepared = tuple[Stepwise, PairTrainer[Any], Starts]


class TrainingRun:
    """The recordings of all binary problems of a training, and the position and speed of each.

    The playback controls one of them, the driven one.  The others run to their end.
    """

    def __init__(self, spec: LaneSpec, before: TrainingRun | None, number: int) -> None:
        self.spec, self.points, self.number = spec, spec.points, number
        self.begun = time.perf_counter()
        moved = None if before is None else before._handed_over(spec)
        self.estimator, self.trainer, self.starts = moved or _prepared(spec, before)
        share = 1.0 / len(self.trainer.solvers)
        self.recordings = [Recording(each, MEMORY * share, int(KEPT * share)) for each in self.trainer.solvers]
        self.seconds = time.perf_counter() - self.begun
        self._running: RunningExpansion | None = None
        self._next_step_at = time.perf_counter()
        self._sought = 0
        self._first = 0  # the step to which the driven run goes first
        self._last: dict[int, Explanation] = {}  # by problem, the explanation of the last step
        self._surveyed: defaultdict[int, set[int]] = defaultdict(set)  # by problem, the steps with primal and gap
        self._orders: dict[tuple[int, int], Orders] = {}  # by problem and number of orders
        self._away: tuple[Recording, int] | None = None  # a run at another step, and the step to return to
        self._alphas: tuple[list[Any], Indices] | None = None  # `alpha_ranges` of the finished training

    @staticmethod
    def continuing(before: TrainingRun | None, spec: LaneSpec, number: int) -> TrainingRun:
        """Return `before` if it trains the same problem, else a new run, from the old multipliers if they apply."""
        if before is not None:
            old = before.spec
            same = old.points is spec.points and old.lane.training_key == spec.lane.training_key
            same &= old.restart == spec.restart
            if same and old.compiled == spec.compiled:
                before.spec = spec
                return before
            if same and spec.paused:  # the compiled solver is ready: go to the step where the plain one paused
                return TrainingRun(spec, None, before.number)._taking_over(before)
            if (old.restart, old.compiled) != (spec.restart, spec.compiled):
                before = None  # count the steps from zero
        return TrainingRun(spec, before, number)

    def _handed_over(self, spec: LaneSpec) -> _Prepared | None:
        """Return this run's estimator and trainer, restarted, if only points have moved; else None.

        Afterwards, even after an error, this run must not be used any more.
        """
        old, new = self.points, spec.points
        same = self.spec.lane.training_key == spec.lane.training_key
        if not (same and np.array_equal(old.ids, new.ids) and np.array_equal(old.labels, new.labels)):
            return None
        trainer = self.estimator.move_points(new.xy)
        if trainer is None:
            return None
        return self.estimator, trainer, Starts(tuple(each.alpha for each in trainer.solvers))

    def _taking_over(self, before: TrainingRun) -> TrainingRun:
        """Return this training, which will go to the step at which `before` stopped."""
        run = before.recordings[self.driven]
        self._first = LAST if run.at_end else run.position
        self._sought = before._sought
        return self

    # -- where the runs are ----------------------------------------------------------------------------------------

    @property
    def driven(self) -> int:
        """Index of the problem that the playback controls, whose margins are drawn."""
        classes = self.points.classes
        return self.spec.lane.drawn([problem_of(pair, classes) for pair in self.trainer.pairs])

    @property
    def finished(self) -> bool:
        """Whether every run is at its end."""
        return all(recording.at_end for recording in self.recordings)

    @property
    def _busy(self) -> bool:
        """Whether there is work before the driven run plays, or beside it."""
        driven, awaited = self.driven, self._awaited is not None or self._away is not None
        others = any(not each.at_end for p, each in enumerate(self.recordings) if p != driven)
        return self._first > 0 or awaited or self.recordings[driven].solver.pending or others

    @property
    def settled(self) -> bool:
        """Whether nothing changes until the next request."""
        return not self._busy and (self.spec.paused or self.recordings[self.driven].at_end)

    def advance(self, first: bool = False) -> int:
        """Step for about `PIECE` seconds, or until no step is due; return the number of steps of the driven run.

        Before the `first` picture, postpone a long proof of optimality, which does not change the picture.
        """
        begun, pace, driven = time.perf_counter(), Pace(), self.driven
        solver, unproved = self.recordings[driven].solver, first and len(self.points) > PROVED_FIRST

        def late() -> bool:
            return (unproved and solver.pending) or pace.late()

        new = any(not each.ended for each in self.recordings)
        made = self._drive(self.recordings[driven], late)
        others = [each for p, each in enumerate(self.recordings) if p != driven and not each.at_end]
        while others and not late():
            for each in others:
                each.advance(ROUND, late)
            others = [each for each in others if not each.at_end]
        if new:
            self.seconds += time.perf_counter() - begun
        return made

    def _drive(self, run: Recording, late: Stop) -> int:
        """Advance the driven run for a piece; return its number of steps."""
        spec = self.spec
        if self._away is not None:
            astray, home = self._away
            if not astray.go_to(home, late):
                return 0
            self._away = None
        if self._first:
            if run.go_to(self._first, late):
                self._first = 0
            return 0
        seek = self._awaited
        if seek is not None:
            before = run.position
            if _follow(run, seek, late):
                self._sought = seek.serial
                if run.position != before:  # display the state at which the run begins to play, too
                    self._next_step_at = time.perf_counter() + 1.0 / self.speed
            return abs(run.position - before)
        if spec.paused and run.solver.pending:
            run.advance(0, late)  # complete the newest step
        elif spec.paused and run.position == run.length and not run.ended and run.solver.is_optimal:
            run.advance(1, late)  # no step is left: the solver only sets its status
        if spec.paused or run.at_end:
            return 0
        speed = self.speed
        if math.isinf(speed):
            return run.advance(ROUND if len(self.recordings) > 1 else 10 * ROUND, late)
        if math.isinf(spec.steps_per_second) and not run.ended:
            _compute_ahead(run, late)
            speed, late = self.speed, Pace().late
        now = time.perf_counter()
        if now < self._next_step_at:
            return 0
        missed = int((now - self._next_step_at) * speed)
        made = run.advance(min(1 + missed, max(1, int(speed * CAUGHT_UP))), late)
        if made:  # else the solver was busy with something else, and a step is still due
            self._next_step_at = max(self._next_step_at, now - CAUGHT_UP) + made / speed
        return made

    @property
    def speed(self) -> float:
        """Speed of the driven run while it plays (steps/s)."""
        spec, run, number = self.spec, self.recordings[self.driven], self._driven_number
        return speed_of(spec.seek, number, run.length, run.ended, spec.steps_per_second, spec.replay_factor)

    @property
    def seconds_to_next_step(self) -> float:
        """Time until the next step is due (s)."""
        if self._busy:
            return 0.0
        now = time.perf_counter()
        self._next_step_at = min(self._next_step_at, now + 1.0 / self.speed)
        return max(0.0, self._next_step_at - now)

    @property
    def _awaited(self) -> Seek | None:
        """The seek that has not been completed yet, or None."""
        seek = self.spec.seek
        if seek is None or seek.serial == self._sought or seek.recording != self._driven_number:
            return None
        return seek

    @property
    def _driven_number(self) -> int:
        """Number of the driven run's recording."""
        return self.number * PROBLEMS + self.driven

    # -- what is shown ---------------------------------------------------------------------------------------------

    def source(self, model: PairClassifier, grid: Grid) -> Source:
        """Return the source of pictures on `grid`; each picture computes only what has changed since the last."""
        if model.scaler is not None:
            return pair_source(model, self.spec.lane)
        if self._running is None or self._running.grid != grid:
            self._running = model.expansion.running(self.points.xy, grid)
        return pair_source(model, self.spec.lane, self._running)

    def frame(self, frame: Frame, resting: bool) -> Frame:
        """Return `frame` with the present model and its numbers."""
        snapshots = self.trainer.snapshot(resting)
        model = self.estimator.snapshot_model(snapshots)
        multipliers = self.estimator.pair_multipliers(snapshots)
        p = self.driven
        run, pair = self.recordings[p], self.trainer.pairs[p]
        mark(run, snapshots[p].certificate)
        chosen = NO_MARKS.chosen
        if model.kind != "f":
            f, chosen = pair.y, model.sample_indices_
            found = judged(model, self.points.xy, self.points.labels)
        elif len(self.recordings) == 1:
            f = values_of(snapshots[p], pair, model, 0, self.points)
            found = outcome_of_values(model, f[:, None], self.points.xy, self.points.labels)
        else:
            values = model.pair_decision_function(self.points.xy)
            f = values[pair.index, p]
            found = outcome_of_values(model, values, self.points.xy, self.points.labels)
        phase = Phase.TRAINING
        if resting:
            phase = Phase.DONE if self.finished else Phase.PAUSED
        young = time.perf_counter() - self.begun < PATIENCE
        run_state = run_state_of(
            run,
            self._driven_number,
            self.points,
            self.spec.lane,
            pair,
            snapshots[p],
            f,
            multipliers[p] if multipliers else None,
            self._last.get(p),
        )
        frame = replace(
            frame,
            phase=phase,
            model=model,
            certificates=tuple(model.certificates_),
            marks=marks_of(self.points, self.trainer.pairs, multipliers, found, chosen),
            accuracy=found.accuracy,
            seconds=self.seconds,
            provisional=phase is not Phase.DONE and not (young and phase is Phase.TRAINING),
            run_state=run_state,
            starts=self.starts,
        )
        return self._ranged(frame, run_state, *self._alphas) if self._alphas and self.finished else frame

    def _ranged(self, frame: Frame, run_state: RunState, ranges: Sequence[Any], maybe: Indices) -> Frame:
        """Return the `frame` at the end of the training, with what `alpha_ranges` has found."""
        always = {name: np.setdiff1d(getattr(frame.marks, name), maybe) for name in ("free", "bounded")}
        return replace(
            frame,
            marks=replace(frame.marks, maybe=maybe, **always),
            run_state=replace(run_state, ranges=ranges[self.driven]),
        )

    def details(self, frame: Frame) -> Generator[Frame | None]:
        """Yield the `frame` of a stopped run with numbers that take longer; None between two pieces of work."""
        spec, p = self.spec, self.driven
        run, run_state = self.recordings[p], frame.run_state
        if run_state is None:
            return
        yield None  # the window draws the frame first
        if spec.slacks and run_state.kkt is not None:
            assert frame.model is not None and frame.model.kind == "f"
            slacks = yield from slacks_of(frame.model, run_state, p, spec.grid)
            run_state = replace(run_state, slacks=slacks)
            frame = replace(frame, run_state=run_state)
            yield frame
        if self.finished and self._alphas is None and run_state.alpha is not None and len(self.points) <= MOST_RANGED:
            self._alphas = yield from alpha_ranges(
                self.points,
                self.trainer.pairs,
                frame.certificates,
                self.estimator.pair_multipliers(self.trainer.snapshot(False)),
            )
            yield (frame := self._ranged(frame, run_state, *self._alphas))
            run_state = frame.run_state or run_state
        settings = spec.lane.settings
        if isinstance(settings, PerceptronSettings) and settings.orders and not spec.lane.standardises:
            for orders in self._other_orders(p, settings):
                frame = frame if orders is None else replace(frame, orders=orders)
                yield None if orders is None else frame
        self._away = run, run_state.step
        if run.at_end and p not in self._last and run_state.trainer.has_rules:
            for last in explain_last(run):
                if last is not None:
                    self._last[p] = last
                    i, j = (int(run_state.index[each]) for each in (last.i, last.j))
                    run_state = replace(run_state, explanation=last, pair=(i, j))
                    frame = replace(frame, run_state=run_state)
                    yield frame
                yield None
        if spec.surveyed:
            for known, _ in enumerate(survey(run, self._surveyed[p]), 1):
                if known % 8 == 0:
                    yield replace(frame, run_state=replace(run_state, trace=run.trace.view()))
                yield None
        while not run.go_to(run_state.step, few_steps()):
            yield None
        self._away = None
        if spec.surveyed:
            yield replace(frame, run_state=replace(run_state, trace=run.trace.view()))

    def _other_orders(self, problem: int, settings: PerceptronSettings) -> Iterator[Orders | None]:
        """Yield the runs of a perceptron in other orders, cached or computed now; None between two pieces of work."""
        known = self._orders.get((problem, settings.orders))
        if known is not None:
            yield known
            return
        pair = self.trainer.pairs[problem]
        for orders in other_orders(self.points.xy[pair.index], pair.y, settings):
            if orders is not None and orders.complete:
                self._orders[problem, settings.orders] = orders
            yield orders


class Multipliers(Struct, frozen=True, eq=False):
    """The multipliers of a training.

    Attributes
    ----------
    points : Points
        The points that it trained on.
    problems : mapping of (int, int) to (ndarray, ndarray, ndarray)
        For each binary problem, the indices of its points, their alpha, and its upper bounds C.
    """

    points: Points
    problems: Mapping[tuple[int, int], tuple[Indices, Array, Array]]

    @staticmethod
    def of(estimator: Stepwise, trainer: PairTrainer[Any], points: Points) -> Multipliers:
        """Return the present multipliers of `trainer`, which `estimator` has prepared for `points`."""
        known = estimator.pair_multipliers(trainer.snapshot(False))
        pairs = zip(trainer.pairs, known, strict=False)  # `known` may be empty
        return Multipliers(points, {problem_of(pair, points.classes): (pair.index, *own) for pair, own in pairs})

    def start_for(self, points: Points) -> Callable[[BinaryProblem, Array], Array | None]:
        """Return a function that gives, for a binary problem of a training on `points`, the multipliers to begin with.

        Points that have come, or changed their class, begin at 0.  Multipliers are shares of their bounds: if C or a
        weight changes, bounded ones stay bounded.  (The solver restores the equality constraint.)
        """
        new_ids, new_labels, old_ids, old_labels = points.ids, points.labels, self.points.ids, self.points.labels
        was_hard = any(np.isinf(C).any() for _, _, C in self.problems.values())

        def start(pair: BinaryProblem, C: Array) -> Array | None:
            known = self.problems.get(problem_of(pair, points.classes))
            if known is None:
                return None
            index, alpha, bound = known
            ids = new_ids[pair.index]
            at = np.minimum(np.searchsorted(old_ids[index], ids), len(index) - 1)
            stayed = (old_ids[index][at] == ids) & (old_labels[index][at] == new_labels[pair.index])
            alpha, bound = alpha[at], bound[at]
            if not was_hard and np.isfinite(C).all():  # unchanged to the bit if the bound is unchanged
                alpha = np.where(bound == C, alpha, alpha / bound * C)
            return np.where(stayed, alpha, 0.0)

        return start


def _prepared(spec: LaneSpec, before: TrainingRun | None) -> _Prepared:
    """Return a new training, from the multipliers of `before`, if any."""
    estimator = spec.lane.estimator()
    given = None
    if before is not None:
        given = Multipliers.of(before.estimator, before.trainer, before.points).start_for(spec.points)
    known = iter(() if spec.starts is None else spec.starts.multipliers)
    began: list[Array | None] = []

    def start(pair: BinaryProblem, C: Array) -> Array | None:
        began.append(next(known, None) if given is None else given(pair, C))
        return began[-1]

    # Without shrinking, so that the explanation of each step considers all points.
    points = spec.points
    trainer = estimator.prepare(points.xy, points.labels, start=start, shrinking=False)
    return estimator, trainer, Starts(tuple(began))


def marks_of(
    points: Points,
    pairs: Sequence[BinaryProblem],
    multipliers: Sequence[tuple[Array, Array]],
    found: Outcome,
    chosen: Indices = NO_MARKS.chosen,
) -> Marks:
    """Return the marks of support vectors, of `chosen` points, and of wrong and tied ones.

    `multipliers` has alpha and C of the points of each problem; condensing and editing choose points.
    """
    free, bounded = np.zeros(len(points), dtype=bool), np.zeros(len(points), dtype=bool)
    if not multipliers:
        return Marks(wrong=found.wrong, tied=found.tied, chosen=chosen)
    for pair, (alpha, C) in zip(pairs, multipliers, strict=True):
        at_bound = alpha == C
        bounded[pair.index[at_bound]] = True
        free[pair.index[(alpha > 0) & ~at_bound]] = True
    return Marks(np.flatnonzero(free & ~bounded), np.flatnonzero(bounded), found.wrong, found.tied)


def _compute_ahead(run: Recording, late: Stop) -> None:
    """Continue training for a piece, so that a replay has the length of the run, and return to the present step."""
    home = run.position
    run.go_to(LAST, late)
    run.go_to(home)


def _follow(run: Recording, seek: Seek, late: Stop) -> bool:
    """Advance `run` towards the step of `seek`; return whether it is there."""
    if seek.until == "next change":
        return run.to_next_change(seek.step, late)
    if seek.until == "previous change":
        return run.to_previous_change(seek.step, late)
    if seek.until == "end":
        run.go_to(run.length, late)
        run.advance(ROUND, late)
        return run.at_end
    return run.go_to(seek.step, late)
