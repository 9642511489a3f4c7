"""Studying: makes the study of a run: where it stands, why its next step is what it is, what is worked out later."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.document import Lane
from app.points import Points
from solver import Grid, Pair, SmoSolver
from solver.explaining import Explanation, explain
from solver.metrics import kkt_case
from solver.recording import Recording
from solver.stepping import Stop

from .study import Slacks, Study

Array = NDArray[np.float64]
#: Steps of a run at which primal and gap are worked out where somebody looks at the curves.
SURVEYED = 96
#: How often a replay is asked whether it should stop, each time after a millisecond or less, until it does.
LOOK = 4


def make_study(
    run: Recording, number: int, points: Points, lane: Lane, pair: Pair, snapshot: Any, last: Explanation | None
) -> Study:
    """The study of `run` where it stands now.

    Parameters
    ----------
    run : Recording
    number : int
        Of the recording.
    points : Points
        What the lane is trained on.
    lane : Lane
    pair : Pair
        The binary problem.
    snapshot : object
        What the run's solver says of its present state.
    last : Explanation or None
        Of the last step of a run that has ended, if it is known.
    """
    solver = run.solver
    assert isinstance(solver, SmoSolver)
    alpha, v, C = snapshot.alpha, snapshot.v, solver.C
    f = pair.y - v + snapshot.intercept
    why = last if run.at_end else None
    if not (run.at_end or solver.pending):
        why = explain(solver)
    i, j = snapshot.working_set if why is None else (why.i, why.j)
    return Study(
        recording=number, learner="smo", rule=lane.svm.selection, name="", step=run.position, length=run.length,
        ended=run.ended, points=points, index=pair.index, y=pair.y, f=f, alpha=alpha, C=C, v=v,
        kkt=kkt_case(alpha, C, pair.y, f, tol=lane.svm.tol), intercept=snapshot.intercept, tol=lane.svm.tol,
        certificate=snapshot.certificate, trace=run.trace.view(),
        pair=(int(pair.index[i]), int(pair.index[j])) if i >= 0 else (-1, -1), explanation=why,
    )  # fmt: skip


def explain_last(run: Recording) -> Iterator[Explanation | None]:
    """Why the last step of an ended run was made; yields None while it looks, and leaves the run elsewhere."""
    if run.length == 0 or not isinstance(run.solver, SmoSolver):
        return
    before = run.length - 1
    while run.position != before or run.solver.pending:
        run.go_to(before, few_steps())
        yield None
    yield explain(run.solver, newest=True)


def few_steps() -> Stop:
    """What stops a solver when it has been asked `LOOK` times."""
    left = iter(range(LOOK))
    return lambda: next(left, None) is None


def slacks_of(model: Any, study: Study, problem: int, grid: Grid) -> Slacks:
    """Where f reaches the own margin of each point with slack."""
    none = np.empty(0, dtype=np.intp)
    return Slacks(none, np.empty((0, 2)), np.empty(0, dtype=bool))


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
        goal = min(int(step), run.length)
        while run.position != goal or run.solver.pending:
            run.go_to(goal, few_steps())
            if run.at_end:
                break
            yield False
        certificate = run.solver.certificate(thorough=True)  # type: ignore[attr-defined]
        run.trace.mark(goal, certificate.dual, certificate.primal, certificate.gap)
        yield True
