"""Run report: make the `RunState` of a run, with the explanation of its next step."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from typing import Any

import numpy as np

from app.core.points import Points
from app.state.document import Lane, problem
from solver import BinaryProblem, DualAscentSnapshot, Grid, LasvmSnapshot, ReductionSnapshot, SmoSnapshot, Status
from solver.core.arrays import Array, Indices
from solver.core.binary_reduction import PairClassifier
from solver.core.stepping import Stop
from solver.inspection.margin_rays import Decision, margin_reach
from solver.inspection.metrics import kkt_case
from solver.inspection.step_explanation import Explanation, explain
from solver.recording import Recording

from .run_state import RunState, Slacks
from .surface_values import problem_of

#: Number of steps of a run at which primal and gap are computed if the curves are displayed.
SURVEYED = 96
#: Snapshots with v for all points, in their order; LASVM has it only for its own points, in another order.
WITH_V = (SmoSnapshot, DualAscentSnapshot)
#: Lengths of the bar for a slack of 1 whose margin is outside the picture, and of the longest bar, as shares of the
#: picture's shorter side.
BAR, LONGEST_BAR = 0.04, 0.2
#: Number of checks, a millisecond or less apart, after which a replay ends its piece.
CHECKS = 4
#: Largest number of points for which ranges of alpha are computed: whether alpha is unique takes up to 40 ms in one
#: piece then, and each of at most 200 points whose alpha may differ two linear programmes, 1 ms.
MOST_RANGED = 300


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
    """Return the state of `run` at its present step.

    Parameters
    ----------
    run : Recording
    number : int
        Number of the recording.
    points : Points
        Training points of the lane.
    lane : Lane
    pair : BinaryProblem
        The binary problem with its points.
    snapshot : object
        Snapshot of the run's solver.
    f : ndarray of shape (n,)
        f at the points of the problem.
    multipliers : tuple of two ndarrays of shape (n,), or None
        alpha and C of these points.
    last : Explanation or None
        Explanation of the last step of a run that has ended, if available.
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
        v=snapshot.v if isinstance(snapshot, WITH_V) else None,
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


def values_of(snapshot: Any, pair: BinaryProblem, model: PairClassifier, index: int, points: Points) -> Array:
    """Return f at the points of a problem, from the snapshot's v if it has one, which is free, else from the model."""
    if isinstance(snapshot, WITH_V):
        return pair.y - snapshot.v + snapshot.intercept
    values: Array = model.pair_decision_function(points.xy[pair.index])[:, index]
    return values


def mark(run: Recording, certificate: Any) -> None:
    """Record primal and gap of the present step for the curves; a perceptron has none."""
    if hasattr(certificate, "dual"):
        run.trace.mark(run.position, certificate.dual, certificate.primal, certificate.gap)


def _pair(snapshot: Any, pair: BinaryProblem, why: Explanation | None) -> tuple[int, ...]:
    """Return the points of the next step, or else of the newest, as indices of all training points."""
    if why is not None:
        return int(pair.index[why.i]), int(pair.index[why.j])
    if isinstance(snapshot, ReductionSnapshot):
        return snapshot.touched, *snapshot.neighbors.tolist()
    if isinstance(snapshot, LasvmSnapshot):  # its working set has indices of all training points
        return snapshot.working_set if snapshot.operation in ("process", "reprocess") else (-1, -1)
    touched = getattr(snapshot, "touched", -1)
    i, j = getattr(snapshot, "working_set", (touched, -1))
    return int(pair.index[i]) if i >= 0 else -1, int(pair.index[j]) if j >= 0 else -1


def explain_last(run: Recording) -> Iterator[Explanation | None]:
    """Yield None while replaying an ended run to its last step, then the explanation of that; the run stays there."""
    if run.length == 0:
        return
    while not run.go_to(run.length - 1, few_steps()):
        yield None
    yield explain(run.solver, newest=True)


def few_steps() -> Stop:
    """Return a stop condition that is true after `CHECKS` checks."""
    left = iter(range(CHECKS))
    return lambda: next(left, None) is None


def slacks_of(model: PairClassifier, run_state: RunState, index: int, grid: Grid) -> Generator[None, None, Slacks]:
    """Return the location where f reaches its margin, for each point with slack; yield every few milliseconds.

    If that is outside the picture, a bar in that direction is as long as the slack, up to a scale.
    """
    slack = np.maximum(0.0, 1.0 - run_state.y * run_state.f)
    point = np.flatnonzero(slack > run_state.tol)
    X, y = run_state.points.xy[run_state.index[point]], run_state.y[point]
    decision = Decision.of(model.expansion, index, model.scaler)
    limits = (grid.left, grid.right, grid.bottom, grid.top)
    end, capped = yield from margin_reach(decision, X, y, limits)
    if capped.any():
        pixel = np.array(grid.pixel)
        way = decision.gradient(X[capped])[0] * y[capped, None] / pixel
        size = np.hypot(way[:, 0], way[:, 1])
        way = np.where(size[:, None] > 0, way / np.where(size > 0, size, 1.0)[:, None], (0.0, 1.0))
        length = np.minimum(BAR * slack[point[capped]], LONGEST_BAR) * min(grid.width, grid.height)
        end[capped] = X[capped] + length[:, None] * way * pixel
    return Slacks(point, end, capped)


def survey(run: Recording, surveyed: set[int]) -> Iterator[bool]:
    """Record primal and gap along the whole of `run`, at steps spaced evenly on a logarithmic and a linear scale.

    Steps in `surveyed` are left out, and new ones added to it.  Steps with a bound from the training are surveyed, too:
    that bound may be a loose one.
    Yield every few steps, True after a new value; the run stays at another step.
    """
    if run.length == 0:
        return
    even = np.linspace(0, run.length, SURVEYED // 2)
    early = np.geomspace(1, max(2, run.length), SURVEYED // 2)
    marked = run.trace.view().landmarks[:, 0]
    for step in sorted(set(np.concatenate((even, early, marked)).astype(int).tolist()) - surveyed):
        while not run.go_to(min(int(step), run.length), few_steps()):
            yield False
        mark(run, run.solver.certificate())  # type: ignore[attr-defined]
        surveyed.add(step)
        yield True


def alpha_ranges(
    points: Points,
    pairs: Sequence[BinaryProblem],
    certificates: Sequence[Any],
    multipliers: Sequence[tuple[Array, Array]],
) -> Generator[None, None, tuple[list[dict[int, tuple[float, float]]], Indices]]:
    """Return the ranges of alpha of each problem after a training, and which points are support vectors in some optima.

    The points are those that are not so in all optima, as indices of `points`.  Pause after each point.
    """
    ranges: list[dict[int, tuple[float, float]]] = []
    ends = np.zeros((2, len(points)))
    for pair, certificate, (alpha, _) in zip(pairs, certificates, multipliers, strict=True):
        ranges.append({})
        own, proved = np.array((alpha, alpha)), certificate.status is Status.OPTIMAL
        yield
        for point, low, high in certificate.optima[0].ranges() if proved and certificate.unique is False else ():
            ranges[-1][point] = own[:, point] = low, high
            yield
        ends[:, pair.index] = np.maximum(ends[:, pair.index], own)
    return ranges, np.flatnonzero((ends[0] == 0.0) & (ends[1] > 0.0))
