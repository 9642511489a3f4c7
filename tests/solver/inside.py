"""Access to the private state of solvers and models, for tests that need it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from solver import KNeighborsClassifier
from solver.core.certificate import Status
from solver.core.stepping import SteppedSolver
from solver.knn._knn_index import Index
from solver.online._online_points import KeptPoints
from solver.online.lasvm import LasvmSolver
from solver.svm.newton import Work
from solver.svm.shrinking import ActiveSet
from solver.svm.smo import SmoSolver

Solver = TypeVar("Solver", bound=SmoSolver)
T = TypeVar("T")


def active_of(solver: SmoSolver) -> ActiveSet:
    """Return the whole problem, with its active part."""
    return solver._active


def reached(solver: SmoSolver) -> tuple[object, ...]:
    """Return the state of a training, to be compared bit for bit."""
    return (
        solver.beta.tobytes(),
        solver.v.tobytes(),
        solver.n_iter,
        solver.working_set,
        solver.status,
        generator_of(solver),
        solver._ints[:5].tobytes(),
    )


def check_cuts(make: Callable[[], Solver], steps: Callable[[], int]) -> tuple[Solver, Solver, Solver]:
    """Check that a training has the same result in pieces of `steps()`, or stopped and continued many times."""
    whole, cut, asked = make(), make(), make()
    whole.run()
    while cut.status is Status.RUNNING:
        cut.step(steps())
    while asked.status is Status.RUNNING:
        asked.step(10**6, stop=lambda: True)
        asked.certificate()
    assert reached(whole) == reached(cut) == reached(asked)
    return whole, cut, asked


def generator_of(solver: SteppedSolver) -> str:
    """Return the state of a solver's random generator, as text."""
    return str(solver._rng) if isinstance(solver, SmoSolver) else str(solver._random.bit_generator.state)


def kept_by(solver: LasvmSolver) -> KeptPoints:
    """Return the points of the expansion, with their cached kernel rows."""
    return solver._kept


def index_of(model: KNeighborsClassifier) -> Index:
    """Return the index of a fitted model: its points and the codes of their classes."""
    return model._index


def finish(work: Work[T]) -> T:
    """Run `work` to its end, and return its result."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
