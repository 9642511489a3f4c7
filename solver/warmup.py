"""Compile everything once, or load it from the cache: ``python -m solver.warmup`` or `compile_all`.

The compiler uses one core.  So with an empty cache a second process compiles one half into it meanwhile.
"""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from solver.core._compile import cache_directory
from solver.core.arrays import Array
from solver.core.own_process import command
from solver.core.stepping import SteppedSolver

if TYPE_CHECKING:
    from solver.kernels.table import Kernel
    from solver.knn.neighbors import KNeighborsClassifier

#: File in the cache that says that everything is there.
COMPLETE = "complete"
#: The second process while it works.
_others: list[subprocess.Popen[bytes]] = []
#: Groups of steps that the second process takes over.
SECOND = "kNN"


@dataclass(frozen=True)
class Step:
    """Something to compile, and a call that does it; `in_window` if the window cannot do without."""

    name: str
    work: Callable[[], object]
    in_window: bool = True


def steps() -> list[Step]:
    """The things to compile."""
    import solver  # which fetches a name when it is asked for: the window imports no more than it needs
    from solver.kernels import lines
    from solver.svm.c_path import PathSolver

    X = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
    y = np.array([-1.0, 1.0, 1.0, -1.0])
    rbf, laplacian = solver.Kernel("rbf"), solver.Kernel("laplacian")
    model = solver.KNeighborsClassifier(n_neighbors=2).fit(X, y)
    return [
        Step("SVM", lambda: solver.SmoSolver(X, y, rbf).step(3)),
        Step("lines", lambda: lines.level_lines(solver.Grid(0.0, 1.0, 0.0, 1.0, 2, 2), X[:2], (0.5,))),
        Step("pixels", _pixels),
        Step("SVM picture", lambda: laplacian.expansion_on(X, y[:, None], X[:, 0])(X[:, 1])),
        Step("kNN picture", lambda: model.surface(X[:2, 1], X[:2, 1])),
        Step("kNN classes", lambda: model.surface_classes_on(X[:2, 1])(X[:2, 1])),
        Step("kNN points", lambda: model.predict_proba(X)),
        Step("kNN neighbors", lambda: model.kneighbors(X), in_window=False),
        Step("kNN in many dimensions", _many_dimensions, in_window=False),
        Step("kNN cells", lambda: _cells(model), in_window=False),
        Step("SVM for many C", lambda: PathSolver(X, y, rbf).step(3), in_window=False),
        Step("SVM at once", lambda: _pivots(X, y, rbf), in_window=False),
        Step("online SVM", lambda: _noted(solver.LasvmSolver(X, y, rbf)).run(), in_window=False),
        Step("perceptron", lambda: _noted(solver.PerceptronSolver(X, y)).step(3), in_window=False),
        Step("Pegasos", lambda: solver.PegasosSolver(X, y).step(3), in_window=False),
        Step("relief", _relief, in_window=False),
    ]


def _pivots(X: Array, y: Array, kernel: Kernel) -> None:
    """The short cuts of ``SVC(solver="auto")``."""
    from solver.svm.auto import AutoSolver

    AutoSolver(X, y, kernel, alpha=[0.5, 0.0, 0.5, 0.0]).run()


def _many_dimensions() -> None:
    """Search by products of matrices: every point is as far from every other, so a tree leaves nothing out."""
    from solver.knn.neighbors import KNeighborsClassifier

    X = np.eye(256)
    KNeighborsClassifier(2).fit(X, X[0]).kneighbors()


def _cells(model: KNeighborsClassifier) -> None:
    """The cells of a picture of neighbours, their borders, and the points that it needs."""
    from solver.kernels import lines
    from solver.kernels.surface import Grid

    grid = Grid(0.0, 1.0, 0.0, 1.0, 2, 2)
    lines.borders(grid, model.cells_on(grid.xs)(grid.ys))
    model.kept_on(grid.xs)(grid.ys)


def _pixels() -> None:
    """What makes colours of values, of each kind of model."""
    from solver.core.multiclass import one_vs_one
    from solver.kernels import pixels

    f, names, ramp = np.zeros((3, 1, 1)), np.arange(3, dtype=np.int8), pixels.Ramp(1.0)
    pixels.of_two_classes(f[0], 0.0, ramp, names)
    pixels.of_one_vs_rest(f, 0.0, ramp, names)
    found = pixels.of_one_vs_one(f, one_vs_one(np.arange(3), 3), 0.0, ramp, names)
    pixels.of_shares(found.classes.view(np.uint8), f[0], found.tie, names)
    pixels.colour(found, np.zeros(3 * pixels.LEVELS + 1, dtype=np.uint32), np.empty((1, 1), dtype=np.uint32))


def _relief() -> None:
    """What draws in three dimensions."""
    from solver.inspection.z_buffer import warm_up

    warm_up()


def _noted(stepped: SteppedSolver) -> SteppedSolver:
    """The solver, with what it compiles for its notes."""
    stepped.start_notes()
    return stepped


def compile_all(
    report: Callable[[int, int, str], None] = lambda done, total, name: None, *, in_window: bool = False
) -> None:
    """Run all `steps`; `report(done, total, name)` is called before each and once at the end.

    Parameters
    ----------
    report : callable, optional
    in_window : bool, default=False
        Only what the window needs.
    """
    todo = [step for step in steps() if step.in_window or not in_window]
    everything, enough = cache_directory() / COMPLETE, cache_directory() / f"{COMPLETE}-window"
    other = None if complete(in_window=in_window) else _second_process()
    # What the other process compiles comes last here: then it is only loaded, or compiled after all if that failed.
    todo.sort(key=lambda step: step.name.startswith(SECOND))
    for done, step in enumerate(todo):
        report(done, len(todo), step.name)
        if other is not None and step.name.startswith(SECOND):
            other.wait()
            _others.clear()
            other = None
        step.work()
    report(len(todo), len(todo), "ready")
    with suppress(OSError):  # a full or read-only disk
        (enough if in_window else everything).touch()


def complete(*, in_window: bool = False) -> bool:
    """Whether everything, or what the window needs, has been compiled into the cache before."""
    names = (COMPLETE, f"{COMPLETE}-window") if in_window else (COMPLETE,)
    # os.path.exists takes what cannot be looked at for nothing; that of Path raises.
    return any(os.path.exists(cache_directory() / name) for name in names)


def _second_process() -> subprocess.Popen[bytes] | None:
    """A process that compiles the steps named `SECOND`, and ends with this one; None where there cannot be one."""
    if not sys.executable or (os.cpu_count() or 1) < 2:
        return None
    quiet, flags = subprocess.DEVNULL, getattr(subprocess, "CREATE_NO_WINDOW", 0)  # of Windows
    try:
        other = subprocess.Popen(
            command("solver.warmup", SECOND), stdin=quiet, stdout=quiet, stderr=quiet, creationflags=flags
        )
    except OSError:
        return None
    _others.append(other)
    return other


@atexit.register
def abandon() -> None:
    """End the second process, if there is one; for programs that leave without Python's own end."""
    while _others:
        _others.pop().kill()


def main() -> None:
    """Compile, with a progress line on the terminal, unless that was done; with an argument the steps named so."""

    def show(done: int, total: int, name: str) -> None:
        line = f"Compiling the numeric kernels [{'#' * done}{'.' * (total - done)}] {name:<12}"
        print(line, end="\r" if sys.stdout.isatty() and done < total else "\n", flush=True)

    if len(sys.argv) > 1:
        for step in steps():
            if step.name.startswith(sys.argv[1]):
                step.work()
    elif not complete():
        compile_all(show)


if __name__ == "__main__":
    main()
