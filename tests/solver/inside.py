"""What tests look into on purpose: state of a solver or model that its public names do not show."""

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
    """The whole problem, and the part of it that is under work."""
    return solver._active


def reached(solver: SmoSolver) -> tuple[object, ...]:
    """What a training has come to, to the bit."""
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
    """Cut into pieces of `steps()`, or stopped and asked again and again, a training comes to the same."""
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
    """Where the generator of a solver's random numbers is."""
    return str(solver._rng) if isinstance(solver, SmoSolver) else str(solver._random.bit_generator.state)


def kept_by(solver: LasvmSolver) -> KeptPoints:
    """The points of the expansion, and their kernel rows as far as they are kept."""
    return solver._kept


def index_of(model: KNeighborsClassifier) -> Index:
    """Points and codes of the classes as a fitted model keeps them."""
    return model._index


def finish(work: Work[T]) -> T:
    """The result of `work`, done in one go."""
    while True:
        try:
            next(work)
        except StopIteration as end:
            result: T = end.value
            return result
