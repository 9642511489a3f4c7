"""Run report: makes the `RunState` of a run: where it stands, why its next step is what it is."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

import numpy as np

from app.core.points import Points
from app.state.document import Lane, problem
from solver import BinaryProblem, DualAscentSnapshot, Grid, LasvmSnapshot, ReductionSnapshot, SmoSnapshot
from solver.core.arrays import Array
from solver.core.binary_reduction import PairClassifier
from solver.core.stepping import Stop
from solver.inspection.margin_rays import Decision, margin_reach
from solver.inspection.metrics import kkt_case
from solver.inspection.step_explanation import Explanation, explain
from solver.recording import Recording

from .run_state import RunState, Slacks
from .surface_values import problem_of

#: Steps of a run at which primal and gap are worked out where somebody looks at the curves.
SURVEYED = 96
#: Snapshots whose v is that of all points, in their order: LASVM's is that of the points kept, in an order of its own.
KNOWS_V = (SmoSnapshot, DualAscentSnapshot)
#: Length of the bar of a slack of 1 whose margin is not in the picture, and of the longest, as shares of its side.
BAR, LONGEST_BAR = 0.04, 0.2
#: How often a replay is asked whether it should stop, each time after a millisecond or less, until it does.
LOOK = 4


def run_state_of(
    run: Recording,
    number: int,
    points: Points,
    lane: Lane,
    pair: BinaryProblem,
    snapshot: Any,
    f: Array,
    multipliers: tuple[Array, Array] | None,
    last: Explanation | None,
) -> RunState:
    """Return the state of `run` where it stands now.

    Parameters
    ----------
    run : Recording
    number : int
        Of the recording.
    points : Points
        What the lane is trained on.
    lane : Lane
    pair : BinaryProblem
        The binary problem with its points.
    snapshot : object
        What the run's solver says of its present state.
    f : ndarray of shape (n,)
        At the points of the problem.
    multipliers : tuple of two ndarrays of shape (n,), or None
        alpha and C.
    last : Explanation or None
        Of the last step of a run that has ended, if it is known.
    """
    solver, trainer = run.solver, lane.trainer
    assert trainer is not None
    why = last if run.at_end else None
    if trainer.has_rules and not (run.at_end or solver.pending):
        why = explain(solver)
    alpha, C = multipliers or (None, None)
    verdict = ""
    if run.at_end and not trainer.has_f:
        verdict = lane.family.verdict((snapshot.certificate,), lane.settings).text
    tol = solver.tol if hasattr(solver, "tol") else 0.0
    return RunState(
        recording=number,
        trainer=trainer,
        rule=lane.settings.selection if trainer.has_rules else "",
        name=problem(*problem_of(pair, points.classes)) if len(points.classes) > 2 and trainer.has_f else "",
        step=run.position,
        length=run.length,
        ended=run.ended,
        points=points,
        index=pair.index,
        y=pair.y,
        f=f,
        alpha=alpha,
        C=C,
        v=snapshot.v if isinstance(snapshot, KNOWS_V) else None,
        kkt=None if alpha is None or C is None else kkt_case(alpha, C, pair.y, f, tol=tol),
        intercept=snapshot.intercept if hasattr(snapshot, "intercept") else 0.0,
        tol=tol,
        certificate=snapshot.certificate,
        trace=run.trace.view(),
        operation=lane.family.operation(snapshot),
        verdict=verdict,
        pair=_pair(snapshot, pair, why),
        explanation=why,
    )


def values_of(snapshot: Any, pair: BinaryProblem, model: PairClassifier, place: int, points: Points) -> Array:
    """f at the points of a problem: from v where the snapshot has it, which costs nothing, else from the model."""
    if isinstance(snapshot, KNOWS_V):
        return pair.y - snapshot.v + snapshot.intercept
    values: Array = model.pair_decision_function(points.xy[pair.index])[:, place]
    return values


def mark(run: Recording, certificate: Any) -> None:
    """Remember primal and gap of the present step, for the curves; a perceptron has none."""
    if hasattr(certificate, "dual"):
        run.trace.mark(run.position, certificate.dual, certificate.primal, certificate.gap)


def _pair(snapshot: Any, pair: BinaryProblem, why: Explanation | None) -> tuple[int, ...]:
    """The points at work, as indices of all training points: those of the next step, else those of the newest."""
    if why is not None:
        return int(pair.index[why.i]), int(pair.index[why.j])
    if isinstance(snapshot, ReductionSnapshot):
        return snapshot.touched, *snapshot.neighbors.tolist()
    if isinstance(snapshot, LasvmSnapshot):  # it names the points by their numbers among all
        return snapshot.working_set if snapshot.operation in ("process", "reprocess") else (-1, -1)
    touched = getattr(snapshot, "touched", -1)
    i, j = getattr(snapshot, "working_set", (touched, -1))
    return int(pair.index[i]) if i >= 0 else -1, int(pair.index[j]) if j >= 0 else -1


def explain_last(run: Recording) -> Iterator[Explanation | None]:
    """Why the last step of an ended run was made; yields None while it looks, and leaves the run elsewhere."""
    if run.length == 0:
        return
    while not run.go_to(run.length - 1, few_steps()):
        yield None
    yield explain(run.solver, newest=True)


def few_steps() -> Stop:
    """What stops a solver when it has been asked `LOOK` times."""
    left = iter(range(LOOK))
    return lambda: next(left, None) is None


def slacks_of(model: PairClassifier, run_state: RunState, place: int, grid: Grid) -> Generator[None, None, Slacks]:
    """Where f reaches the own margin of each point with slack; yields every few milliseconds, returns it.

    Where it does not within the picture, there is a bar in that direction whose length is proportional to the slack.
    """
    slack = np.maximum(0.0, 1.0 - run_state.y * run_state.f)
    point = np.flatnonzero(slack > run_state.tol)
    X, y = run_state.points.xy[run_state.index[point]], run_state.y[point]
    decision = Decision.of(model.expansion, place, model.scaler)
    limits = (grid.left, grid.right, grid.bottom, grid.top)
    end, capped = yield from margin_reach(decision, X, y, limits)
    if capped.any():
        way = decision.gradient(X[capped])[0] * y[capped, None]
        size = np.hypot(way[:, 0], way[:, 1])
        way = np.where(size[:, None] > 0, way / np.where(size > 0, size, 1.0)[:, None], (0.0, 1.0))
        side = min(grid.right - grid.left, grid.top - grid.bottom)
        length = np.minimum(BAR * slack[point[capped]], LONGEST_BAR) * side
        end[capped] = X[capped] + length[:, None] * way
    return Slacks(point, end, capped)


def survey(run: Recording) -> Iterator[bool]:
    """Have primal and gap known all along `run`, at steps that lie evenly on a logarithmic scale and on a linear one.

    Yields, after some steps each time, whether something new is known; leaves the run elsewhere.
    """
    if run.length == 0:
        return
    even = np.linspace(0, run.length, SURVEYED // 2)
    early = np.geomspace(1, max(2, run.length), SURVEYED // 2)
    known = set(run.trace.view().landmarks[:, 0].astype(int).tolist())
    for step in sorted(set(np.concatenate((even, early)).astype(int).tolist()) - known):
        while not run.go_to(min(int(step), run.length), few_steps()):
            yield False
        mark(run, run.solver.certificate())  # type: ignore[attr-defined]
        yield True
