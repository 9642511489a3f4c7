"""TrainingRun: the runs of one lane's binary problems, where each of them stands, and the frame that shows it."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

import numpy as np
from msgspec.structs import replace

from app.core.points import Points
from app.learners.model import Stepwise
from app.learners.perceptron import PerceptronSettings
from app.learners.perceptron_orders import Orders, other_orders
from app.state.session import Seek
from solver import BinaryProblem, Grid, PairTrainer, RunningExpansion
from solver.core.arrays import Array, Indices
from solver.core.binary_reduction import PairClassifier
from solver.core.stepping import Stop
from solver.inspection.step_explanation import Explanation
from solver.recording import Recording

from .outcome import Outcome, judged, outcome_of_values
from .pieces import Pace
from .requests import NO_MARKS, Frame, LaneSpec, Marks, Phase, Starts
from .run_report import explain_last, few_steps, mark, run_state_of, slacks_of, survey, values_of
from .run_state import speed_of
from .surface_values import Source, problem_of, svm_source

#: Updates of one binary problem before it is the turn of the next.
ROUND = 500
#: Megabytes of checkpoints that all runs of a lane may take together, and steps that are kept one by one.
MEMORY, KEPT = 96.0, 1 << 20
#: Points up to which v is computed anew, and the optimum proved, before the first picture.
PROVED_FIRST = 2000
#: Binary problems of one training are numbered within so many.
PROBLEMS = 100
#: A step that no run reaches: the end.
LAST = 1 << 60
#: Longest delay of a run that plays that is made up for (s).
CAUGHT_UP = 0.1
#: Seconds after which a surface that is not certified yet looks so: a short training would only flicker.
PATIENCE = 0.25

#: What trains, the runs of its binary problems, and where they begin.
_Prepared = tuple[Stepwise, PairTrainer[Any], Starts]


class TrainingRun:
    """The recordings of all binary problems, what they were started for, and their pace.

    One of them is driven: it goes where the transport sends it.  The others run to their end.
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
        self._first = 0  # the step the driven run goes to before it does anything else
        self._last: dict[int, Explanation] = {}  # why the last step of a run was made, once that is known
        self._orders: dict[tuple[int, int], Orders] = {}  # of a problem, and so many
        self._away: tuple[Recording, int] | None = None  # a run that was left elsewhere, and where it belongs

    @staticmethod
    def continuing(before: TrainingRun | None, spec: LaneSpec, number: int) -> TrainingRun:
        """`before` when it is of this very problem, else a new one, from the old multipliers where they still count."""
        if before is not None:
            old = before.spec
            same = old.points is spec.points and old.lane.training_key == spec.lane.training_key
            same &= old.restart == spec.restart
            if same and old.compiled == spec.compiled:
                before.spec = spec
                return before
            if same and spec.paused:  # the fast solver is ready: it comes to where the plain one rested
                return TrainingRun(spec, None, before.number)._taking_over(before)
            if (old.restart, old.compiled) != (spec.restart, spec.compiled):
                before = None  # count the steps of the rule that was chosen, from zero
        return TrainingRun(spec, before, number)

    def _handed_over(self, spec: LaneSpec) -> _Prepared | None:
        """What this run works with, begun again where points have moved and nothing else is new; None where more is.

        From then on, even after an error, nothing may be done with this run any more.
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
        """This training, on its way to the step where `before` rests."""
        run = before.recordings[self.driven]
        self._first = LAST if run.at_end else run.position
        self._sought = before._sought
        return self

    # -- where the runs are ----------------------------------------------------------------------------------------

    @property
    def driven(self) -> int:
        """Which of the problems the transport drives: the one whose margins are drawn."""
        classes = self.points.classes
        return self.spec.lane.drawn([problem_of(pair, classes) for pair in self.trainer.pairs])

    @property
    def finished(self) -> bool:
        """Every run stands at its end."""
        return all(recording.at_end for recording in self.recordings)

    @property
    def _busy(self) -> bool:
        """There is something to do before the driven run plays, or beside it."""
        driven, awaited = self.driven, self._awaited is not None or self._away is not None
        others = any(not each.at_end for p, each in enumerate(self.recordings) if p != driven)
        return self._first > 0 or awaited or self.recordings[driven].solver.pending or others

    @property
    def settled(self) -> bool:
        """Nothing moves any more until something else is wished."""
        return not self._busy and (self.spec.paused or self.recordings[self.driven].at_end)

    def advance(self, first: bool = False) -> int:
        """Steps for about `PIECE` seconds, or as many as are due; returns how many the driven run made.

        Before the `first` picture, nothing of a long proof that the steps have come to the optimum: it moves nothing.
        """
        begun, pace, place = time.perf_counter(), Pace(), self.driven
        solver, unproved = self.recordings[place].solver, first and len(self.points) > PROVED_FIRST

        def late() -> bool:
            return (unproved and solver.pending) or pace.late()

        new = any(not each.ended for each in self.recordings)
        made = self._drive(self.recordings[place], late)
        others = [each for p, each in enumerate(self.recordings) if p != place and not each.at_end]
        while others and not late():
            for each in others:
                each.advance(ROUND, late)
            others = [each for each in others if not each.at_end]
        if new:
            self.seconds += time.perf_counter() - begun
        return made

    def _drive(self, run: Recording, late: Stop) -> int:
        """The driven run's part of a piece."""
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
                if run.position != before:  # the state where the run begins to play is seen, too
                    self._next_step_at = time.perf_counter() + 1.0 / self.speed
            return abs(run.position - before)
        if spec.paused and run.solver.pending:
            run.advance(0, late)  # what the newest step comes to is part of it
        elif spec.paused and run.position == run.length and not run.ended and run.solver.is_optimal:
            run.advance(1, late)  # no step is left: this only has the solver say so
        if spec.paused or run.at_end:
            return 0
        speed = self.speed
        if math.isinf(speed):
            return run.advance(ROUND if len(self.recordings) > 1 else 10 * ROUND, late)
        if math.isinf(spec.steps_per_second) and not run.ended:
            _look_ahead(run, late)
            speed, late = self.speed, Pace().late
        now = time.perf_counter()
        if now < self._next_step_at:
            return 0
        missed = int((now - self._next_step_at) * speed)
        made = run.advance(min(1 + missed, max(1, int(speed * CAUGHT_UP))), late)
        if made:  # else the solver was busy with something else: ask again at once
            self._next_step_at = max(self._next_step_at, now - CAUGHT_UP) + made / speed
        return made

    @property
    def speed(self) -> float:
        """Return the steps per second that the driven run makes while it plays."""
        spec, run, number = self.spec, self.recordings[self.driven], self._driven_number
        return speed_of(spec.seek, number, run.length, run.ended, spec.steps_per_second, spec.replay_factor)

    @property
    def seconds_to_next_step(self) -> float:
        """How long nothing is to be done."""
        if self._busy:
            return 0.0
        now = time.perf_counter()
        self._next_step_at = min(self._next_step_at, now + 1.0 / self.speed)
        return max(0.0, self._next_step_at - now)

    @property
    def _awaited(self) -> Seek | None:
        """The seek that has not been followed yet."""
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
        """Of pictures on `grid`, one after the other: only the multipliers that moved since the last are paid for."""
        if model.scaler is not None:
            return svm_source(model, self.spec.lane)
        if self._running is None or self._running.grid != grid:
            self._running = model.expansion.running(self.points.xy, grid)
        return svm_source(model, self.spec.lane, self._running)

    def frame(self, frame: Frame, resting: bool) -> Frame:
        """`frame` with the present model and its numbers."""
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
        return replace(
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

    def details(self, frame: Frame) -> Generator[Frame | None]:
        """`frame`, of a run that rests, with what takes longer to work out; None where there is nothing new."""
        spec, p = self.spec, self.driven
        run, run_state = self.recordings[p], frame.run_state
        if run_state is None:
            return
        if spec.slacks and run_state.kkt is not None:
            yield None
            assert frame.model is not None and frame.model.kind == "f"
            slacks = yield from slacks_of(frame.model, run_state, p, spec.grid)
            run_state = replace(run_state, slacks=slacks)
            frame = replace(frame, run_state=run_state)
            yield frame
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
            for known, _ in enumerate(survey(run), 1):
                if known % 8 == 0:
                    yield replace(frame, run_state=replace(run_state, trace=run.trace.view()))
                yield None
        while not run.go_to(run_state.step, few_steps()):
            yield None
        self._away = None
        if spec.surveyed:
            yield replace(frame, run_state=replace(run_state, trace=run.trace.view()))

    def _other_orders(self, problem: int, settings: PerceptronSettings) -> Iterator[Orders | None]:
        """The runs of a perceptron in other orders: those known already, or made now."""
        known = self._orders.get((problem, settings.orders))
        if known is not None:
            yield known
            return
        pair = self.trainer.pairs[problem]
        for orders in other_orders(self.points.xy[pair.index], pair.y, settings):
            if orders is not None and orders.complete:
                self._orders[problem, settings.orders] = orders
            yield orders

    def multipliers_for(self, spec: LaneSpec) -> Callable[[BinaryProblem, Array], Array | None]:
        """For each binary problem of the new training, this one's multipliers of the points that stayed."""
        # As shares of their bounds: when C or a weight changes, the bounded ones move along.  (Where that breaks the
        # equality constraint the solver mends it.)
        old: dict[tuple[int, int], tuple[Indices, Array, Array]] = {}
        known = self.estimator.pair_multipliers(self.trainer.snapshot(False))
        for pair, (alpha, C) in zip(self.trainer.pairs, known, strict=False):  # none of a learner that has none
            old[problem_of(pair, self.points.classes)] = (pair.index, alpha, C)
        new_ids, new_labels = spec.points.ids, spec.points.labels
        old_ids, old_labels = self.points.ids, self.points.labels
        was_hard = any(np.isinf(C).any() for _, C in known)

        def start(pair: BinaryProblem, C: Array) -> Array | None:
            known = old.get(problem_of(pair, spec.points.classes))
            if known is None:
                return None
            index, alpha, bound = known
            ids = new_ids[pair.index]
            at = np.minimum(np.searchsorted(old_ids[index], ids), len(index) - 1)
            stayed = (old_ids[index][at] == ids) & (old_labels[index][at] == new_labels[pair.index])
            alpha, bound = alpha[at], bound[at]
            if not was_hard and np.isfinite(C).all():  # to the bit as they were where the bound is as it was
                alpha = np.where(bound == C, alpha, alpha / bound * C)
            return np.where(stayed, alpha, 0.0)

        return start


def _prepared(spec: LaneSpec, before: TrainingRun | None) -> _Prepared:
    """A new training, from the multipliers of `before` where there is one."""
    estimator = spec.lane.estimator()
    given = None if before is None else before.multipliers_for(spec)
    known = iter(() if spec.starts is None else spec.starts.multipliers)
    began: list[Array | None] = []

    def start(pair: BinaryProblem, C: Array) -> Array | None:
        began.append(next(known, None) if given is None else given(pair, C))
        return began[-1]

    # Without shrinking: what is said of each step is true of all points.
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
    """Marks of the support vectors, from alpha and C of the points of each problem, of the points `chosen` by a
    training that keeps some only, and of what is not right."""
    free, bounded = np.zeros(len(points), dtype=bool), np.zeros(len(points), dtype=bool)
    if not multipliers:
        return Marks(wrong=found.wrong, tied=found.tied, chosen=chosen)
    for pair, (alpha, C) in zip(pairs, multipliers, strict=True):
        at_bound = alpha == C
        bounded[pair.index[at_bound]] = True
        free[pair.index[(alpha > 0) & ~at_bound]] = True
    return Marks(np.flatnonzero(free & ~bounded), np.flatnonzero(bounded), found.wrong, found.tied)


def _look_ahead(run: Recording, late: Stop) -> None:
    """Train on for a while, so that a replay has the length of the run, and return to where it stands."""
    home = run.position
    run.go_to(LAST, late)
    run.go_to(home)


def _follow(run: Recording, seek: Seek, late: Stop) -> bool:
    """Some of the way that `seek` asks for; True when it is done."""
    if seek.until == "next change":
        return run.to_next_change(seek.step, late)
    if seek.until == "previous change":
        return run.to_previous_change(seek.step, late)
    if seek.until == "end":
        run.go_to(run.length, late)
        run.advance(ROUND, late)
        return run.at_end
    return run.go_to(seek.step, late)
